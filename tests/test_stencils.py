"""Stencils: a selector whose shape was met before has the SQL that a compilation of its own gives."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import ir, transpile_selector
from transpiler.compiler import _transpile, find_layout
from transpiler.layouts.infer import layout_from_schema
from transpiler.layouts.layout import Layout
from transpiler.lowering.receiving import ANYONE
from transpiler.selector.dialects import JMS
from transpiler.stencils import STENCILS, Stencils, mask

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
            return _transpile(text, layout, JMS, result, "null", ANYONE)[0].sql  # type: ignore[arg-type]
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

    def compiled(text: str) -> tuple[str, set[ir.Constant]]:
        transpiled, lowered = _transpile(text, layout, JMS, "filter", "error", ANYONE)
        return transpiled.sql, ir.constants_in(lowered)

    for text in (first, second):
        assert stencils.fill(mask(text, layout), "key") is None
        stencils.learn(mask(text, layout), "key", layout, compiled(text)[0], compiled)
    assert stencils.fill(mask(third, layout), "key") == (expected or compiled(third)[0])


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

    def compiled(text: str) -> tuple[str, set[ir.Constant]]:
        transpiled, lowered = _transpile(text, layout, JMS, "filter", "error", ANYONE)
        return transpiled.sql, ir.constants_in(lowered)

    for text in (first, second):
        stencils.learn(mask(text, layout), "key", layout, compiled(text)[0], compiled)
    assert stencils.fill(mask(third, layout), "key") is None


def test_the_trace_of_a_filled_stencil_is_that_of_its_own_text() -> None:
    for color in ("red", "green", "blue"):
        found = transpile_selector(f"traced = '{color}' AND JMSPriority < 3")
        assert [phase for phase, _ in found.trace] == ["lowered", "optimized"]
        assert found.trace[1][1] == found.sql


#: One column of every type that a property can have, and of one that it cannot.
EVERY_TYPE = (
    "boolean byte short integer long float double decimal(1,0) decimal(1,1) decimal(4,2) decimal(10,10) decimal(20,0) "
    "decimal(38,0) decimal(38,10) decimal(38,38) string char(3) varchar(3) binary timestamp timestamp_ntz date"
).split()
COLUMNS = layout_from_schema(
    {
        "fields": [
            {"name": f"c{number}", "type": kind, "nullable": True, "metadata": {}}
            for number, kind in enumerate((*EVERY_TYPE, "string collate UTF8_LCASE"))
        ]
    }
)
#: Literals of one kind; among them those that stand for others while a stencil is learnt, and what derives from them.
POOLS = (
    "0 1 5 6 9 10 127 255 2147483648 999999999999999 710000100000 710000101007 820000300000 820000298987 710000100001",
    "0.0 5.0 0.1 0.25 1.5 5.25 0.000001 9.99 12.345678 710000100000.25 820000300000.25 99999.999999 710000100000.2",
    "'' 'a' 'abc' 'abcd' 'it''s' 'mark_710000100000' 'mark_820000300000' '710000100000'",
    "+5 -1 5L 0x5 1e3 007 +710000100000 820000300000L 7.1e11 TRUE",
)
POOLS_OF_LITERALS = tuple([item.replace("_", " ") for item in pool.split(" ")] for pool in POOLS)
TERMS = (
    *(f"{{name}} {operator} {{literal}}" for operator in ("=", "<>", "<", "<=", ">", ">=")),
    "{name} = {literal} OR {name} = {literal}",
    "{name} > {literal} AND {name} < {literal}",
    "{name} IN ({literal}, {literal})",
    "{name} NOT BETWEEN {literal} AND {literal}",
    "{literal} = {name}",
    "{name} = {name}",
    "{name} LIKE 'mark 710000100000'",
    "{name} = 355000050000 + 355000050000",
)


def shape_of(random: Random, columns: list[str]) -> str:
    """A selector with columns' names and places for literals."""
    terms = [random.choice(TERMS) for _ in range(random.choice((1, 2, 3)))]
    named = [term.replace("{name}", random.choice(columns)) for term in terms]
    return random.choice((" AND ", " OR ")).join(f"{random.choice(('', 'NOT '))}({term})" for term in named)


@pytest.mark.parametrize("seed", range(250))
def test_the_sql_does_not_depend_on_what_was_compiled_before(seed: int) -> None:
    STENCILS.clear()
    random = Random(seed)
    layout = random.choice((find_layout("amqp"), COLUMNS, COLUMNS, COLUMNS))
    columns = [f"c{random.randrange(len(EVERY_TYPE) + 1)}" for _ in range(2)]
    shape, result = shape_of(random, columns), random.choice(("filter", "boolean", "ternary"))
    places = [random.choice(POOLS_OF_LITERALS) for _ in range(shape.count("{literal}"))]
    for _ in range(6):
        text = shape.replace("{literal}", "{}").format(*map(random.choice, places))
        assert outcome(text, layout, result, own=False) == outcome(text, layout, result, own=True), text


@pytest.mark.parametrize(
    ("column", "learnt", "asked"),
    [
        ("decimal(38,10)", "{} <= 5", "{} <= 12"),
        ("decimal(38,10)", "{} > 710000100000.25", "{} > 710000100000.2"),
        ("decimal(10,2)", "{} <= 1.5", "{} <= 0.000001"),
        ("float", "{} <= 1.5", "{} <= 0.1"),
        ("timestamp", "{} > 5", "{} > 7"),
        ("string", "{0} = 'mark 710000100000' AND {0} LIKE 'mark 710000100000'", "{0} = 'y' AND {0} LIKE '$'"),
        ("V", "{} <= 710000100000.25", "{} <= 9.99"),
    ],
)
def test_a_literal_that_its_column_writes_otherwise_is_compiled_anew(column: str, learnt: str, asked: str) -> None:
    STENCILS.clear()
    name = "c"
    layout = (
        find_layout("amqp")
        if column == "V"
        else layout_from_schema({"fields": [{"name": name, "type": column, "nullable": True, "metadata": {}}]})
    )
    for text in (learnt, learnt, asked.replace("$", "mark 710000100000")):
        found = outcome(text.format(name), layout, "filter", own=False)
        assert found == outcome(text.format(name), layout, "filter", own=True)
