"""The public functions agree in the names, order and kinds of their parameters, and deprecated spellings warn."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Parameter, isfunction, signature
from typing import Any

import pytest

import spark_ext
import transpiler
from transpiler import layouts, messages, parse_selector, route_message, stores, testing, topologies, topology_from_dict
from transpiler.language.selector.dialects import DIALECTS
from transpiler.language.selector.parsing import SelectorLike

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (transpiler, messages, testing, topologies, spark_ext)
    for name in module.__all__
    if isfunction(getattr(module, name))
}

ONE_QUEUE = topology_from_dict({"broker": "rabbitmq", "queues": ["q"]})

#: Functions whose argument is one selector. Each callable gets the selector, and adds the other arguments that its
#: function needs.
OF_ONE_SELECTOR: dict[str, Callable[[SelectorLike], object]] = {
    "boundary_messages": testing.boundary_messages,
    "compare_dialects": lambda selector: [
        one.truth for one in transpiler.compare_dialects(selector, {"a": 2}, ["jms"])
    ],
    "diff_selectors": lambda selector: str(transpiler.diff_selectors(selector, "a > 2")),
    "equivalent": lambda selector: transpiler.equivalent(selector, "a > 2"),
    "evaluate": lambda selector: transpiler.evaluate(selector, {"a": 2}),
    "explain_selector": lambda selector: transpiler.explain_selector(selector, {"a": 2}).reason,
    "messages": lambda selector: testing.messages(selector).validate(),
    "parse_selector": transpiler.parse_selector,
    "port_selector": lambda selector: transpiler.port_selector(selector, "jms", "activemq"),
    "print_selector": transpiler.print_selector,
    "subsumes": lambda selector: transpiler.subsumes(selector, "a > 2"),
    "translate_names": lambda selector: transpiler.translate_names(selector, "amqp"),
    "transpile_selector": lambda selector: (
        transpiler.transpile_selector(selector).sql,
        [diagnostic.code for diagnostic in transpiler.transpile_selector(selector).diagnostics],
    ),
    "assert_matches": lambda selector: testing.assert_matches(selector, a=2),
    "assert_not_matches": lambda selector: testing.assert_not_matches(selector, a=1),
    "assert_unknown": lambda selector: testing.assert_unknown(selector, b=1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_dialect_has_the_same_place_and_kind_in_all_functions(name: str) -> None:
    parameters = signature(FUNCTIONS[name]).parameters
    if "dialect" not in parameters or name == "transpiler.find_dialect":
        return
    dialect = parameters["dialect"]
    assert (dialect.kind, dialect.default) == (Parameter.POSITIONAL_OR_KEYWORD, "jms")
    assert str(dialect.annotation) == "str | Dialect"
    positional = [one for one in parameters.values() if one.kind is not Parameter.KEYWORD_ONLY]
    after = [one.name for one in positional[positional.index(dialect) + 1 :]]
    # These parameters come after the subject that the function is called with.
    assert after in ([], ["new_dialect"], ["options"], ["properties"])


WITH_OPTIONS = [
    name
    for name, function in FUNCTIONS.items()
    if any(str(one.annotation).startswith("Unpack[") for one in signature(function).parameters.values())
]


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_a_function_refuses_an_unknown_option_by_its_own_name_and_before_all_else(name: str) -> None:
    function = FUNCTIONS[name]
    own = signature(function).parameters.values()
    required = [None for one in own if one.default is Parameter.empty and one.kind is Parameter.POSITIONAL_OR_KEYWORD]
    refused = rf"^{function.__name__}\(\) got an unexpected keyword argument 'vhots'"
    with pytest.raises(TypeError, match=refused):
        function(*required, vhots="a")


@pytest.mark.parametrize("name", OF_ONE_SELECTOR)
def test_a_function_takes_the_text_of_a_selector_and_its_tree(name: str) -> None:
    call, text = OF_ONE_SELECTOR[name], "a >= 2 AND a < 9"
    assert call(text) == call(parse_selector(text))


@pytest.mark.parametrize("name", [name for name in OF_ONE_SELECTOR if not name.startswith("assert_")])
def test_no_selector_is_the_blank_selector(name: str) -> None:
    assert OF_ONE_SELECTOR[name](None) == OF_ONE_SELECTOR[name]("")


def test_every_function_of_a_selector_names_it_so() -> None:
    firsts = {name: next(iter(signature(function).parameters), "") for name, function in FUNCTIONS.items()}
    named = {name.rpartition(".")[2] for name, first in firsts.items() if first == "selector"}
    assert named == OF_ONE_SELECTOR.keys() - {"diff_selectors", "equivalent", "subsumes"} | {"compile_selector"}
    assert not [name for name, first in firsts.items() if first in ("text", "tree") and "parse_topology" not in name]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_selector_selects_every_message_in_every_dialect(dialect: str) -> None:
    assert transpiler.transpile_selector(None, dialect=dialect).sql == "true"
    assert transpiler.explain_selector(None, {"a": 1}, dialect).matches


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (
            lambda: transpiler.transpile_selector(text="a = 1"),
            "transpile_selector: the argument text= will be removed in the next version; use selector=",
        ),
        (
            lambda: transpiler.parse_selector(text="a = 1"),
            "parse_selector: the argument text= will be removed in the next version; use selector=",
        ),
        (
            lambda: transpiler.port_selector(text="a = 1", source="jms", target="artemis"),
            "port_selector: the argument text= will",
        ),
        (lambda: transpiler.translate_names(text="a = 1", form="amqp"), "translate_names: the argument text="),
        (
            lambda: transpiler.print_selector(tree=None),
            "print_selector: the argument tree= will be removed in the next version; use selector=",
        ),
        (
            lambda: route_message(ONE_QUEUE, {}, "", ["q"], path=True),
            "route_message: the argument path=True will be removed",
        ),
    ],
)
def test_an_old_spelling_is_taken_with_a_warning(call: Callable[[], object], advice: str) -> None:
    with pytest.warns(DeprecationWarning, match=re.escape(advice)) as warned:
        assert call() is not None
    assert warned[0].filename == __file__


def test_stores_and_the_api_for_custom_layouts_are_separate_modules() -> None:
    own = {name.replace("-", "_") for name in stores.STORES}
    assert len(own) == 19
    assert {*stores.__all__} == own | {
        "STORES",
        "HeaderOption",
        "column",
        "csv",
        "key",
        "mode",
        "number",
        "preset",
        "time",
    }
    assert not {*stores.__all__} & {*layouts.__all__}
    with pytest.warns(DeprecationWarning, match="import make_store from transpiler.layouts"):
        assert stores.make_store is layouts.make_store
    with pytest.raises(AttributeError, match="has no attribute 'make_stores'"):
        _ = stores.make_stores


def test_the_link_of_a_consumer_has_a_name_of_its_own() -> None:
    with pytest.warns(
        DeprecationWarning, match="transpiler.messages.Link has been renamed to transpiler.messages.ConsumerLink"
    ):
        assert messages.Link is messages.ConsumerLink
    with pytest.raises(AttributeError, match="has no attribute 'Lnk'"):
        _ = messages.Lnk
