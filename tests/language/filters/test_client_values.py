"""Filters as AMQP clients create them: the described values of Qpid Proton, in its ``Selector`` and ``Filter``.

Qpid Proton is not a dependency. The classes here have the names, the bases and the attributes of its classes, as its
documentation describes them. The product recognises a client's class only by these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from transpiler import DecodeError, Message, UnsupportedFeatureError, matches, transpile_filter
from transpiler.language.filters.json import to_json
from transpiler.language.filters.sets import read_filters


class symbol(str):  # noqa: N801
    """Proton's symbol."""


class ulong(int):  # noqa: N801
    """Proton's unsigned long."""


class ubyte(int):  # noqa: N801
    """Proton's unsigned byte."""


class Described:
    """Proton's described value."""

    def __init__(self, descriptor: Any, value: Any) -> None:
        self.descriptor = descriptor
        self.value = value


def selector(text: str, name: str = "selector") -> dict[symbol, Described]:
    """Return the ``filter_set`` of Proton's ``Selector``."""
    return {symbol(name): Described(symbol("apache.org:selector-filter:string"), text)}


def test_the_filter_set_of_a_selector_is_taken() -> None:
    filters = selector("color = 'red' AND JMSPriority > 4")
    plain = {
        "selector": {"descriptor": "apache.org:selector-filter:string", "value": "color = 'red' AND JMSPriority > 4"}
    }
    assert transpile_filter(filters).sql == transpile_filter(plain).sql
    assert transpile_filter(filters).in_effect == transpile_filter(plain).in_effect
    assert matches(filters, {"color": "red", "JMSPriority": 7})
    assert not matches(filters, {"color": "blue", "JMSPriority": 7})


@pytest.mark.parametrize(
    ("filters", "message", "expected"),
    [
        (Described(ulong(0x0000468C00000004), "color = 'red'"), {"color": "red"}, True),
        (
            {"area": Described(symbol("apache.org:legacy-amqp-headers-binding:map"), {"x-match": "all", "a": "x"})},
            {"a": "x"},
            True,
        ),
        (
            {"p": Described(symbol("amqp:application-properties-filter"), {"n": ubyte(3), "s": "x"})},
            {"n": 3, "s": "x"},
            True,
        ),
        (
            {"p": Described(symbol("amqp:properties-filter"), {symbol("subject"): "order"})},
            Message(properties={"subject": "other"}),
            False,
        ),
        (
            {
                "not": Described(
                    symbol("apache.org:not-filter:list"),
                    [Described(symbol("apache.org:selector-filter:string"), "color = 'red'")],
                )
            },
            {"color": "red"},
            False,
        ),
    ],
)
def test_filters_of_each_kind_are_taken(filters: Any, message: Any, expected: bool) -> None:
    assert matches(filters, message) is expected


@pytest.mark.parametrize(
    ("name", "base", "value", "kind"),
    [
        *((name, int, 3, name) for name in ("byte", "short", "ubyte", "ushort", "uint", "ulong", "timestamp")),
        ("int32", int, 3, "int"),
        ("float32", float, 2.5, "float"),
        ("char", str, "x", "char"),
        ("symbol", str, "x", "symbol"),
    ],
)
def test_a_value_of_each_class_of_the_client_has_its_amqp_type(name: str, base: type, value: Any, kind: str) -> None:
    given = type(name, (base,), {})(value)
    filters = {"p": Described(symbol("amqp:application-properties-filter"), {"n": given})}
    [(_, node)] = read_filters(filters, "ignore").filters
    assert to_json(node)["value"] == {"n": {"type": kind, "value": value}}


def test_what_is_wrong_in_a_clients_filter_is_reported_at_its_path() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"filters\.x"):
        transpile_filter({symbol("x"): Described(symbol("example.com:unknown"), "a")})
    with pytest.raises(DecodeError, match=r"filters\.x\.value"):
        transpile_filter({symbol("x"): Described(symbol("apache.org:selector-filter:string"), ulong(5))})


@pytest.mark.parametrize("depth", [200, 20_000])
@pytest.mark.parametrize(
    ("around", "message"),
    [
        (
            lambda inner: Described(symbol("apache.org:not-filter:list"), [inner]),
            "are nested more than 16 levels deep",
        ),
        (lambda inner: [inner], "expected a filter, found an array"),
        (lambda inner: {symbol("x"): inner}, "expected a filter, found an object"),
    ],
    ids=["described list", "list", "map"],
)
def test_a_clients_filter_that_is_nested_too_deep_is_refused(
    around: Callable[[Any], Any], message: str, depth: int
) -> None:
    deep: Any = "TRUE"
    for _ in range(depth):
        deep = around(deep)
    with pytest.raises(DecodeError, match=message):
        transpile_filter(Described(symbol("apache.org:and-filter:list"), [deep]))
