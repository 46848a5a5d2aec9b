"""A wrong argument of a public function raises an error that names the argument and states what is accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import transpiler
from transpiler import (
    Message,
    Topology,
    TranspilerError,
    compare_dialects,
    evaluate,
    matches,
    parse_selector,
    port_selector,
    print_selector,
    read_topology,
    route_message,
    translate_names,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler.topologies import Backtest, diff_topologies, draw, explain_route, report, topology_to_dict
from transpiler.topology.broker_rules import RULES

TOPOLOGY = Topology(RULES["rabbitmq"])
RED = Message.of(color="red")

WRONG_TYPES: list[tuple[Callable[[], object], str]] = [
    (lambda: evaluate("a = 1", "x"), "message: expected a Message, or a dict of message JSON or of plain properties"),
    (lambda: evaluate(5, RED), "selector: expected text, or the tree that parse_selector returns, found a value of"),
    (lambda: evaluate("a = 1", RED, 5), "dialect: expected a dialect's name, or a Dialect, found a value of type int"),
    (lambda: matches({}, "x"), "message: expected a Message"),
    (lambda: parse_selector(5), "selector: expected text, or the tree that parse_selector returns, found a value of"),
    (lambda: parse_selector(b"a = 1"), "selector: expected text, or the tree .* found a value of type bytes"),
    (lambda: transpile_selector(5), "selector: expected text, or the tree that parse_selector returns"),
    (lambda: print_selector(5), "selector: expected text, or the tree that parse_selector returns"),
    (lambda: port_selector([], "jms", "artemis"), "selector: expected text, or the tree that parse_selector returns"),
    (
        lambda: transpile_selector("a = 1", mising="null"),
        r"transpile_selector\(\) got an unexpected keyword argument 'mising' \(did you mean missing\?\)",
    ),
    (lambda: matches({}, RED, conection="a"), r"matches\(\) got .* 'conection' \(did you mean connection\?\)"),
    (lambda: route_message(TOPOLOGY, RED, adress="q"), r"route_message\(\) got .* \(did you mean address\?\)"),
    (lambda: route_message("x.json", RED), r"topology: expected a Topology.*read_topology\('x.json'\)"),
    (lambda: route_message({"broker": "rabbitmq"}, RED), "topology: expected a Topology.*topology_from_dict converts"),
    (lambda: route_message(RED, TOPOLOGY), "topology: expected a Topology, found a value of type Message"),
    (lambda: route_message(TOPOLOGY, "x"), "message: expected a Message"),
    (lambda: diff_topologies(TOPOLOGY, None), "new: expected a Topology, found None"),
    (lambda: diff_topologies(TOPOLOGY, TOPOLOGY, examples="3"), "examples: expected a number of messages"),
    (lambda: diff_topologies(TOPOLOGY, TOPOLOGY, names={"a": 5}), "names: expected names of the old topology"),
    (lambda: report({}), "topology: expected a Topology, found a value of type dict"),
    (lambda: report(TOPOLOGY, {}), "summary: expected a Summary, found a value of type dict"),
    (lambda: draw({}, "dot"), "topology: expected a Topology, found a value of type dict"),
    (lambda: draw(TOPOLOGY, "dot", 5), "summary: expected a Summary, found a value of type int"),
    (lambda: topology_to_dict({}), "topology: expected a Topology, found a value of type dict"),
    (lambda: explain_route(TOPOLOGY, RED, "", nearest="5"), "nearest: expected a number of bindings"),
    (lambda: Backtest(topology="x.json"), "topology: expected a Topology, found a value of type str"),
    (lambda: Backtest(max_examples=True), "max_examples: expected a number of examples, found a value of type bool"),
    (lambda: Backtest().add("1", "x", "k", "eu", ["eu"]), r"recorded: expected the names of queues.*\['eu'\]"),
    (lambda: Backtest().add("1", None, "k", [], []), "exchange: expected the name of an exchange, found None"),
    (lambda: read_topology(None), "path: expected a file's name, found None"),
    (lambda: read_topology({"broker": "rabbitmq"}), "path: expected a file's name.*topology_from_dict reads a dict"),
    (lambda: Topology("rabbitmq"), r"rules: expected Rules, found a value of type str \(RULES\['rabbitmq'\]"),
    (lambda: Message.from_amqp("x"), "data: expected bytes, found a value of type str"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES)
def test_an_argument_of_a_wrong_type_is_named_with_what_was_expected(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


WRONG_CHOICES: list[tuple[Callable[[], object], str, str]] = [
    (
        lambda: transpile_selector("a = 1", result="bool"),
        "result must be filter, boolean or ternary, not 'bool'",
        "did you mean 'boolean'",
    ),
    (
        lambda: transpile_selector("a = 1", missing="nul"),
        "missing must be error or null, not 'nul'",
        "did you mean 'null'",
    ),
    (lambda: transpile_selector("a = 1", result=None), "result must be filter, boolean or ternary, not None", ""),
    (lambda: transpile_address("q", "quue"), "node_type must be queue, direct, topic,", "did you mean 'queue'"),
    (lambda: translate_names("a = 1", "ampq"), "form must be jms or amqp, not 'ampq'", "did you mean 'amqp'"),
    (
        lambda: port_selector("a = 1", "jms", "artemis", changes="all"),
        "changes must be none, rare or any, not 'all'",
        "",
    ),
    (lambda: draw(TOPOLOGY, "dott"), "form must be mermaid or dot, not 'dott'", "did you mean 'dot'"),
    (lambda: evaluate("a = 1", RED, "active-mq"), "no dialect called 'active-mq'", "did you mean activemq"),
    (lambda: transpile_filter("a = 1"), "this is not JSON", "a selector is not a filter set"),
]


@pytest.mark.parametrize(("call", "message", "hint"), WRONG_CHOICES)
def test_an_unknown_choice_is_an_error_of_the_library_with_the_nearest_one(
    call: Callable[[], object], message: str, hint: str
) -> None:
    with pytest.raises(TranspilerError) as caught:
        call()
    assert message in caught.value.diagnostics[0].message
    assert hint in (caught.value.diagnostics[0].hint or "")


@pytest.mark.parametrize(
    ("message", "expected"),
    [({"color": "red"}, True), ({"application_properties": {"color": "blue"}}, False), ({}, None)],
)
def test_a_message_may_be_a_dict(message: dict[str, object], expected: bool | None) -> None:
    assert evaluate("color = 'red'", message) is expected
    assert matches({}, message) is True


def test_a_dict_is_routed_by_its_subject(tmp_path: Path) -> None:
    file = tmp_path / "topology.json"
    file.write_text('{"broker": "rabbitmq", "queues": ["q"]}')
    assert route_message(read_topology(file), {"properties": {"subject": "q"}}) == ("q",)


def test_the_empty_selector_prints_as_the_empty_text() -> None:
    assert print_selector(parse_selector("")) == ""


@pytest.mark.parametrize("name", transpiler.__all__)
def test_every_public_name_is_there_and_in_the_directory(name: str) -> None:
    assert getattr(transpiler, name) is not None
    assert name in dir(transpiler)


def test_dialects_are_compared_from_the_top_of_the_package() -> None:
    for sent in (Message.of(a=1), {"a": 1}, {"application_properties": {"a": 1}}):
        assert [row.truth for row in compare_dialects("a = 1", sent, ["jms"])] == [True]
