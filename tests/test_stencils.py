"""Stencils: a selector whose shape was met before has the SQL that a compilation of its own gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import transpile_selector
from transpiler.compiler import _transpile, find_layout
from transpiler.layouts.infer import layout_from_schema
from transpiler.layouts.layout import Layout
from transpiler.predicate.core import Constant
from transpiler.predicate.walk import constants
from transpiler.selector.dialects import JMS
from transpiler.stencils import Stencils, mask

TYPES = ("byte", "short", "integer", "long", "float", "double", "decimal(10,2)", "string", "boolean", "timestamp")
FLAT = layout_from_schema(
    {"fields": [{"name": kind[:4], "type": kind, "nullable": True, "metadata": {}} for kind in TYPES]}
)
NAMES = (*(kind[:4] for kind in TYPES), "JMSPriority", "JMSTimestamp", "JMSMessageID", "JMSType")
LITERALS = (
    "0 1 5 5.0 5.25 0.5 007 0x1F 5L 9007199254740993 999999999999999 4294967296 128 32768 2147483648 1e3 -1 +2 .5 "
    "'' 'x' 'X' 'it''s' 'a\"b' 'a\\b' '${env:HOME}' '\t' '\0' 'é' '=5' ' AND b = ' 'mark 710000100000' "
    "'ID:AMQP_ULONG:42' 'id:amqp_ulong:42' TRUE 710000100000"
).split(" ")
SHAPES = (
    "{0} = {2}",
    "{0} <> {2} AND {1} > {3}",
    "{0} = {2} OR {0} = {3}",
    "{0} <= {2} and ({0} > {3} or not {1} = {2})",
    "{0} IN ({2}, {3}) AND {1} NOT IN ({3})",
    "{0} BETWEEN {2} AND {3} AND {1} = {2}",
    "({0} + {2} > {3}) OR {1} < {2}",
    "{0} LIKE 'a%' AND {1} = {3}",
    "{0} = {2} AND {0} LIKE {3} ESCAPE 'b'",
    "{2} = {0} AND {1} = {3}",
    "NOT ({0} < {2} AND {0} < {3})",
)


def outcome(text: str, layout: Layout, result: str, own: bool) -> str:
    """The SQL, or the error, of a selector, by a compilation of its own or as everybody gets it."""
    try:
        if own:
            return _transpile(text, layout, JMS, result, "null", None)[0].sql  # type: ignore[arg-type]
        return transpile_selector(text, layout, result=result, missing="null").sql  # type: ignore[arg-type]
    except ValueError as error:
        return str(error)


@given(data=st.data())
def test_a_stencil_says_what_a_compilation_says(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    layout = data.draw(st.sampled_from((find_layout("amqp"), FLAT)))
    result = data.draw(st.sampled_from(("filter", "boolean", "ternary")))
    names = [data.draw(st.sampled_from(NAMES)) for _ in range(2)]
    for _ in range(6):
        text = shape.format(*names, *(data.draw(st.sampled_from(LITERALS)) for _ in range(2)))
        assert outcome(text, layout, result, own=False) == outcome(text, layout, result, own=True), text


@pytest.mark.parametrize(
    ("first", "second", "third", "expected"),
    [
        ("a = 'x'", "a = 'y'", "a = 'it''s'", "application_properties['a'].string = CAST(X'69742773' AS STRING)"),
        ("a IN ('x', 'y')", "a IN ('p', 'q')", "a IN ('r', 's')", "application_properties['a'].string IN ('r', 's')"),
        ("NOT a = 'x'", "NOT a = 'y'", "NOT a = 'z'", None),
        ("a = 'x' AND b >= 5", "a = 'y' AND b >= 6", "a = 'z' AND b >= 70", None),
        ("b > 1.5 AND a = 'x'", "b > 1.5 AND a = 'y'", "b > 1.5 AND a = 'z'", None),
    ],
)
def test_the_third_text_of_a_shape_is_filled_in(first: str, second: str, third: str, expected: str | None) -> None:
    stencils, layout = Stencils(), find_layout("amqp")

    def compiled(text: str) -> tuple[str, set[Constant]]:
        transpiled, lowered = _transpile(text, layout, JMS, "filter", "error", None)
        return transpiled.sql, constants(lowered)

    for text in (first, second):
        assert stencils.fill(mask(text), "key") is None
        stencils.learn(mask(text), "key", layout, compiled(text)[0], compiled)
    assert stencils.fill(mask(third), "key") == (expected or compiled(third)[0])


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("a = 'x' OR a = 'y'", "a = 'p' OR a = 'q'", "a = 'r' OR a = 'r'"),
        ("JMSPriority > 3", "JMSPriority > 4", "JMSPriority > 5"),
        ("JMSMessageID = 'ID:x'", "JMSMessageID = 'ID:y'", "JMSMessageID = 'ID:z'"),
        ("a LIKE 'x%'", "a LIKE 'y%'", "a LIKE 'z%'"),
        ("x / 5 = 1", "x / 6 = 1", "x / 0 = 1"),
        ("a = 1.5", "a = 2.5", "a = 3.0"),
        ("x = 2 + 3 OR x = 6", "x = 2 + 3 OR x = 7", "x = 2 + 3 OR x = 5"),
        ("'u' = a AND a = 'v'", "'u' = a AND a = 'w'", "'u' = a AND a = 'u'"),
        ("b = '= 1 AND a = '", "b = '= 2 AND a = '", "b = 1 AND a = ''"),
    ],
)
def test_a_literal_that_decides_more_than_itself_is_no_hole(first: str, second: str, third: str) -> None:
    stencils, layout = Stencils(), find_layout("amqp")

    def compiled(text: str) -> tuple[str, set[Constant]]:
        transpiled, lowered = _transpile(text, layout, JMS, "filter", "error", None)
        return transpiled.sql, constants(lowered)

    for text in (first, second):
        stencils.learn(mask(text), "key", layout, compiled(text)[0], compiled)
    assert stencils.fill(mask(third), "key") is None


def test_the_trace_of_a_filled_stencil_is_that_of_its_own_text() -> None:
    for color in ("red", "green", "blue"):
        found = transpile_selector(f"traced = '{color}' AND JMSPriority < 3")
        assert [phase for phase, _ in found.trace] == ["lowered", "optimized"]
        assert found.trace[1][1] == found.sql
