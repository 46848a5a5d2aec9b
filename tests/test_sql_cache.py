"""The SQL of a selector is that of a compilation of its own, whatever was compiled before."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import ir, transpile_selector
from transpiler.compiler import _transpile, find_layout
from transpiler.inference import layout_from_schema
from transpiler.layouts.layout import Layout
from transpiler.lowering.receiving import ANYONE
from transpiler.selector.dialects import DIALECTS, find_dialect
from transpiler.sql_cache import SQL_CACHE

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


def outcome(text: str, layout: Layout, result: str, dialect: str, own: bool) -> str:
    """The SQL, or the error, of a selector, by a compilation of its own or as everybody gets it."""
    options: dict[str, Any] = {"layout": layout, "result": result, "missing": "null"}
    try:
        if own:
            return _transpile(text, dialect=find_dialect(dialect), receiver=ANYONE, **options)[0].sql
        return transpile_selector(text, dialect=dialect, **options).sql
    except ValueError as error:
        return str(error)


@given(data=st.data())
def test_a_text_has_the_sql_of_its_own_compilation(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    layout = data.draw(st.sampled_from((find_layout("amqp"), FLAT)))
    result = data.draw(st.sampled_from(("filter", "boolean", "ternary")))
    dialect = data.draw(st.sampled_from(list(DIALECTS)))
    names = [data.draw(st.sampled_from(NAMES)) for _ in range(2)]
    for _ in range(6):
        text = shape.format(*names, *(data.draw(st.sampled_from(LITERALS)) for _ in range(2)))
        assert outcome(text, layout, result, dialect, own=False) == outcome(text, layout, result, dialect, own=True)


def is_cached(text: str, dialect: str = "jms") -> bool:
    """Return True if the SQL of a text is cached."""
    entry = SQL_CACHE.entry(text, find_layout("amqp"), find_dialect(dialect), ("filter", "error", ANYONE))
    return entry is not None and entry.sql() is not None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("a = 'x'", "a = 'y'", "a = 'it''s'"),
        ("a <> 'x' OR (a = 'y')", "a <> 'z' OR (a = 'v')", "a <> 'u' OR (a = 'w')"),
        ("NOT (a = 'x')", "NOT (a = 'y')", "NOT (a = 'z')"),
        ("a = 'x' AND b >= 50", "a = 'y' AND b >= 60", "a = 'z' AND b >= 70"),
        ("a = 'x' AND b < 5", "a = 'y' AND b < 5", "a = 'z' AND b < 5"),
        ("a = 'x' AND JMSType LIKE 'b%'", "a = 'y' AND JMSType LIKE 'b%'", "a = 'z' AND JMSType LIKE 'b%'"),
    ],
)
def test_the_third_text_of_a_skeleton_is_filled_in(dialect: str, first: str, second: str, third: str) -> None:
    SQL_CACHE.clear()
    for text in (first, second):
        assert not is_cached(text, dialect)
        transpile_selector(text, dialect=dialect)
    assert is_cached(third, dialect)
    assert outcome(third, find_layout("amqp"), "filter", dialect, False) == outcome(
        third, find_layout("amqp"), "filter", dialect, True
    )


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        # Two literals that are equal now.
        ("a = 'x' OR a = 'y'", "a = 'p' OR a = 'q'", "a = 'r' OR a = 'r'"),
        # A number that header fields are compared with.
        ("JMSPriority > 3", "JMSPriority > 4", "JMSPriority > 5"),
        # An id, whose hexadecimal digits have no case.
        ("JMSMessageID = 'ID:x'", "JMSMessageID = 'ID:y'", "JMSMessageID = 'ID:z'"),
        # A pattern.
        ("a LIKE 'x%'", "a LIKE 'y%'", "a LIKE 'z%'"),
        # A calculation.
        ("x = 20 + 30 OR x = 60", "x = 20 + 30 OR x = 70", "x = 20 + 30 OR x = 50"),
        # A number with a fraction beside an integer.
        ("a = 1.5", "a = 2.5", "a = 3.0"),
        # A text that equals one that stays.
        ("a = 'v' AND b = 'NON_PERSISTENT'", "a = 'w' AND b = 'NON_PERSISTENT'", "a = 'NON_PERSISTENT' AND b = 'w'"),
        ("b = '= 1 AND a = '", "b = '= 2 AND a = '", "b = 1 AND a = ''"),
        # An integer of another width.
        ("a = 2147483647", "a = 2147483646", "a = 2147483648"),
    ],
)
def test_a_literal_that_decides_more_than_itself_is_not_filled_in(first: str, second: str, third: str) -> None:
    SQL_CACHE.clear()
    for text in (first, second):
        transpile_selector(text, dialect="jms")
    if "NON_PERSISTENT" not in third:
        assert not is_cached(third)
    assert outcome(third, find_layout("amqp"), "filter", "jms", False) == outcome(
        third, find_layout("amqp"), "filter", "jms", True
    )


def test_the_trace_of_a_cached_text_is_its_own() -> None:
    for color in ("red", "green", "blue"):
        transpiled = transpile_selector(f"traced = '{color}' AND JMSPriority < 3")
        assert [phase for phase, _ in transpiled.trace] == ["lowered", "optimized"]
        assert transpiled.trace[1][1] == transpiled.sql


PLACEHOLDERS = ir.Placeholders()
TEXT = PLACEHOLDERS.text(0)
INTEGER, DOUBLE = PLACEHOLDERS.integer(1, ir.Range(10, 100)), PLACEHOLDERS.double(2, ir.Range(10, 100))
READS: tuple[tuple[Any, Callable[[Any], object]], ...] = (
    (TEXT, len),
    (TEXT, str),
    (TEXT, "{}".format),
    (TEXT, lambda text: text + "x"),
    (TEXT, lambda text: text < "a"),
    (TEXT, lambda text: "a" in text),
    (TEXT, lambda text: text.startswith("a")),
    (TEXT, lambda text: text[0]),
    (TEXT, lambda text: sorted([text, "a"])),
    (INTEGER, float),
    (INTEGER, str),
    (INTEGER, lambda number: number + 1),
    (INTEGER, lambda number: 1 - number),
    (INTEGER, lambda number: -number),
    (INTEGER, lambda number: number < 50),
    (INTEGER, lambda number: number <= 50),
    (INTEGER, lambda number: number < DOUBLE),
    (INTEGER, lambda number: number.bit_length()),
    (DOUBLE, int),
    (DOUBLE, repr),
    (DOUBLE, lambda number: number * 2),
)


@pytest.mark.parametrize(("placeholder", "read"), READS, ids=range(len(READS)))
def test_a_placeholder_is_not_read(placeholder: Any, read: Callable[[Any], object]) -> None:
    with pytest.raises(ir.ValueNeededError):
        read(placeholder)


def test_a_placeholder_is_told_from_what_all_its_values_are_beyond() -> None:
    placeholders = ir.Placeholders()
    integer = placeholders.integer(0, ir.Range(10, 100))
    assert integer > 9
    assert integer >= 9.5
    assert integer < 100
    assert not integer < -1
    assert placeholders.constants == set()
    assert integer != 50
    assert placeholders.constants == {50}


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
#: Literals of one kind; among them the contents and marks of placeholders, and what stands beside them.
POOLS = (
    "0 1 5 6 9 10 127 255 16777216 16777217 2147483647 2147483648 9007199254740993 1618033000 1618033001 99999999999",
    "0.0 5.0 0.1 0.25 1.5 5.25 0.000001 9.99 12.345678 1618033000.25 1618033001.0 99999.999999 16777217.0 255.0",
    "'' 'a' 'abc' 'abcd' 'it''s' '\x010\x01' '\x000t\x00' '1618033000' 'PERSISTENT' 'null' 'DURABLE'",
    "+50 -1 -50 5L 0x5 1e3 007 +1618033000 1618033001L 7.1e11 TRUE",
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
    "{name} LIKE '\x010\x01'",
    "{name} = 809016500 + 809016500",
    "JMSPriority > {literal} OR {name} = {literal}",
    "JMSDeliveryMode = {literal} AND {name} = {literal}",
)


def shape_of(random: Random, columns: list[str]) -> str:
    """A selector with columns' names and places for literals."""
    terms = [random.choice(TERMS) for _ in range(random.choice((1, 2, 3)))]
    named = [term.replace("{name}", random.choice(columns)) for term in terms]
    return random.choice((" AND ", " OR ")).join(f"{random.choice(('', 'NOT '))}({term})" for term in named)


@pytest.mark.parametrize("seed", range(250))
def test_the_sql_does_not_depend_on_what_was_compiled_before(seed: int) -> None:
    SQL_CACHE.clear()
    random = Random(seed)
    dialect = random.choice(list(DIALECTS))
    layout = random.choice((find_layout("amqp"), COLUMNS, COLUMNS, COLUMNS))
    columns = [f"c{random.randrange(len(EVERY_TYPE) + 1)}" for _ in range(2)]
    shape, result = shape_of(random, columns), random.choice(("filter", "boolean", "ternary"))
    places = [random.choice(POOLS_OF_LITERALS) for _ in range(shape.count("{literal}"))]
    for _ in range(8):
        text = shape.replace("{literal}", "{}").format(*map(random.choice, places))
        assert outcome(text, layout, result, dialect, own=False) == outcome(text, layout, result, dialect, own=True), (
            text
        )


@pytest.mark.parametrize(
    ("column", "learnt", "asked"),
    [
        ("decimal(38,10)", "{} <= 5", "{} <= 12"),
        ("decimal(38,10)", "{} > 0.999999", "{} > 0.99"),
        ("decimal(10,10)", "{} <= 0.250000", "{} <= 0.1"),
        ("decimal(10,2)", "{} <= 1.5", "{} <= 0.000001"),
        ("float", "{} <= 1.5", "{} <= 0.1"),
        ("timestamp", "{} > 5", "{} > 7"),
        ("V", "{} <= 16777217.25", "{} <= 9.99"),
    ],
)
def test_a_literal_that_its_column_writes_otherwise_is_compiled_anew(column: str, learnt: str, asked: str) -> None:
    SQL_CACHE.clear()
    name = "c"
    layout = (
        find_layout("amqp")
        if column == "V"
        else layout_from_schema({"fields": [{"name": name, "type": column, "nullable": True, "metadata": {}}]})
    )
    for text in (learnt, learnt, asked):
        whole = text.format(name)
        assert outcome(whole, layout, "filter", "jms", own=False) == outcome(whole, layout, "filter", "jms", own=True)
