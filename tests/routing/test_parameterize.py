"""Selectors as patterns: which constants have the same pattern, and which conditions have an interval index."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.sizes import size
from transpiler import LayoutError, TranspilerError, transpile_selector
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, STRING
from transpiler.compiler.presets import find_layout
from transpiler.compiler.sql import emit_filter
from transpiler.language.selector.dialect_rules import IntegerArithmetic
from transpiler.language.selector.dialects import DIALECTS
from transpiler.routing import tuning
from transpiler.routing.interval_index import find_interval
from transpiler.routing.parameterize import SelectorParameterizer
from transpiler.routing.plan import build_plan
from transpiler.routing.signatures import Parameter, Signature, disjuncts, parameter, parameter_number
from transpiler.topologies import topology_from_dict

#: Dialects whose integers have 32 or 64 bits, depending on their size, and whose sums wrap around.
WRAPPING = [dialect for dialect in DIALECTS.values() if dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT]


@pytest.mark.parametrize("dialect", WRAPPING, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("1", "999999999", True),
        ("1000000000", "2147483647", True),
        ("2147483647", "2147483648", False),
        ("1000000000", "9999999999", False),
        ("2147483648", "4294967296", True),
    ],
)
def test_integers_of_one_width_have_one_pattern(dialect: object, first: str, second: str, alike: bool) -> None:
    """``2147483647 + a`` wraps in 32 bits, and ``2147483648 + a`` does not, so that no pattern can serve both."""
    patterns = SelectorParameterizer(find_layout("a INT, b INT"), dialect, "null")  # type: ignore[arg-type]
    predicates = [patterns.pattern(f"a + {number} > b")[0].predicate for number in (first, second)]
    assert (predicates[0] == predicates[1]) is alike


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_a_blank_selector_is_the_pattern_of_every_message(text: str) -> None:
    pattern, constants = SelectorParameterizer(find_layout("a INT"), DIALECTS["jms"], "null").pattern(text)
    assert (pattern.predicate, constants) == (ir.TRUE, ())


TYPED = "a INT, b INT, c STRING, JMSDeliveryMode STRING"
PATTERNS = ("x!%%", "y!%%", "x$%%", "!%x", "x!!", "x", "%x!_%", "%x$_%", "%", "", "!x", "a%b!%c", "x!", "x!y")
#: Selectors whose texts differ only in literals.
ALIKE = [
    [f"c LIKE '{text}' ESCAPE '{escape}'" for text in PATTERNS for escape in "!$%_"],
    [f"c NOT LIKE '{text}' ESCAPE '{escape}' OR a > 1" for escape in "$!" for text in PATTERNS],
    [f"c LIKE '{text}'" for text in ("x%", "%x", "%x%", "x", "", "%", "_", "x_y%", "x%y", "%x%y%")],
    [f"a = {number}" for number in ("5", "5.0", "5e0", "5.0e0", "0x5", "9223372036854775807", "1e300", "2147483648")],
    [f"a + {number} > b" for number in ("1", "1.0", "1e0", "2147483647", "2147483648", "-1")],
    [f"JMSDeliveryMode = '{text}'" for text in ("PERSISTENT", "NON_PERSISTENT", "persistent", "2")],
    [f"c IN ('{text}', 'b')" for text in ("a", "b", "it''s", "")],
]

#: Selectors with any literals in place of ``{s}``, ``{n}`` and ``{e}``: texts, numbers and escape characters.
TEMPLATES = (
    "c = {s}",
    "c LIKE {s}",
    "c LIKE {s} ESCAPE {e}",
    "NOT (c LIKE {s} ESCAPE {e}) OR b = {n}",
    "c LIKE {s} ESCAPE {e} AND c NOT LIKE {s} ESCAPE {e}",
    "c IN ({s}, {s})",
    "a + {n} > b * {n}",
    "a BETWEEN {n} AND -{n}",
    "-{n} < a AND b / {n} <> 1",
    "JMSMessageID = {s} OR JMSCorrelationID <> {s}",
    "JMSDeliveryMode = {s}",
    "JMSTimestamp > {n} AND JMSPriority IN ({s})",
    "{s} = {s} OR {n} < {n}",
    "REGEX(c, {s})",
)
TEXTS = "x y% %x% x_y% 5 0.5 ID:a ID:AMQP_BINARY:ab PERSISTENT NON_PERSISTENT it''s a\\b \\ \\% é 😀 [a] true".split()
NUMBERS = "0 1 5 5.0 0.10 007 1e3 1.5e308 16777217 0x1F 5L 5.5d 2147483647 2147483648 9223372036854775808".split()


@st.composite
def alike(draw: st.DrawFn) -> list[str]:
    """Draw selectors that differ only in literals, of which there are few, so that they meet in several roles."""
    template = draw(st.sampled_from(TEMPLATES))
    pools = {"s": (*PATTERNS, *TEXTS), "n": NUMBERS, "e": ("!", "%", "\\")}
    few = {kind: draw(st.lists(st.sampled_from(pool), min_size=2, max_size=3)) for kind, pool in pools.items()}

    def literal(slot: re.Match[str]) -> str:
        drawn = draw(st.sampled_from(few[slot[1]]))
        return drawn if slot[1] == "n" else f"'{drawn}'"

    return [re.sub("{(.)}", literal, template) for _ in range(6)]


@pytest.mark.parametrize("layout", ["amqp", TYPED])
@pytest.mark.parametrize("dialect", DIALECTS)
@given(texts=alike())
@settings(max_examples=size(15, 40))
def test_a_selector_is_read_alike_whatever_literals_were_read_before(
    dialect: str, layout: str, texts: list[str]
) -> None:
    check_alike(dialect, layout, texts)


@pytest.mark.parametrize("texts", ALIKE, ids=lambda texts: texts[0])
@pytest.mark.parametrize("layout", ["amqp", TYPED])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_selector_is_read_alike_whatever_was_read_before(dialect: str, layout: str, texts: list[str]) -> None:
    check_alike(dialect, layout, texts)
    check_alike(dialect, layout, texts[::-1])


def check_alike(dialect: str, layout: str, texts: list[str]) -> None:
    """Check that each text gives the same condition or error with the patterns of the texts before it as alone."""

    def new() -> SelectorParameterizer:
        return SelectorParameterizer(find_layout(layout), DIALECTS[dialect], "null")

    def read(patterns: SelectorParameterizer, text: str) -> str:
        try:
            pattern, constants = patterns.pattern(text)
        except TranspilerError as error:
            return str(error)
        return f"{pattern.predicate} {constants}"

    shared = new()
    assert {text: read(shared, text) for text in texts} == {text: read(new(), text) for text in texts}


#: Values that the patterns tell apart: line ends, wildcards as text, characters of several bytes.
VALUES = (
    "",
    "x",
    "xy",
    "x\ny",
    "\nx",
    "x\n",
    "axb",
    "x!y",
    "x!",
    "!x",
    "%x",
    "x%",
    "y!%%",
    "a%bxc",
    "ab%c",
    "éx",
    "x😀y",
    "X",
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_pattern_with_its_constants_gives_the_results_of_the_selector(spark: SparkSession, dialect: str) -> None:
    texts = [
        f"{operand}c LIKE '{pattern}'{escape}"
        for pattern in (*PATTERNS, "x%y", "x_y", "%x%", "%x", "x%", "_")
        for escape in ("", " ESCAPE '!'", " ESCAPE '%'")
        for operand in ("", "NOT ")
    ]
    patterns = SelectorParameterizer(find_layout("c STRING"), DIALECTS[dialect], "null")
    sql: dict[str, tuple[str, str]] = {}
    for text in texts:
        try:
            alone = transpile_selector(text, "c STRING", dialect=dialect, missing="null").sql
        except TranspilerError:
            continue
        pattern, constants = patterns.pattern(text)

        def constant(column: ir.Column, constants: tuple[Parameter, ...] = constants) -> ir.Value:
            number = parameter_number(column)
            return column if number is None else ir.constant(constants[number])

        sql[text] = alone, emit_filter(ir.replace_columns(pattern.predicate, constant))
    frame = spark.createDataFrame([(value,) for value in (*VALUES, None)], "c STRING").coalesce(1)
    rows = frame.selectExpr("c", *(f"({each}) IS TRUE" for pair in sql.values() for each in pair)).collect()
    assert len(sql) > 60
    for value, *results in rows:
        for (text, both), alone, shared in zip(sql.items(), results[::2], results[1::2], strict=True):
            assert alone == shared, (text, value, both)


A, B, TEXT = ir.Column(("a",), BIGINT), ir.Column(("b",), BIGINT), ir.Column(("c",), STRING)
IS_X, IS_Y = (ir.Compare(Comparison.EQ, TEXT, ir.constant(text)) for text in "xy")
ABOVE = ir.Compare(Comparison.GT, A, parameter(0, BIGINT))
BELOW = ir.Compare(Comparison.LT, A, parameter(1, BIGINT))
WIDENED_ABOVE = ir.Compare(
    Comparison.GT, *(ir.Apply(ir.Function.TO_DOUBLE, (value,), DOUBLE) for value in (A, parameter(0, BIGINT)))
)


@pytest.mark.parametrize(
    ("residual", "has_interval"),
    [
        (ABOVE, True),
        (WIDENED_ABOVE, True),
        (ir.any_of(ABOVE, ir.Compare(Comparison.GT, B, parameter(0, BIGINT))), True),
        (ir.any_of(ir.all_of(ABOVE, BELOW), ir.Compare(Comparison.GT, B, parameter(0, BIGINT))), True),
        # A value counts if the conditions on the message that are combined with its bound hold.
        (ir.any_of(ir.all_of(IS_X, ABOVE), ir.all_of(IS_Y, ir.Compare(Comparison.GT, B, parameter(0, BIGINT)))), True),
        # A message may satisfy only the other alternative. Ranges of one value would miss its rows.
        (ir.any_of(ABOVE, ir.Compare(Comparison.LT, B, parameter(1, BIGINT))), False),
        (ir.any_of(ABOVE, ir.Compare(Comparison.GT, B, parameter(1, BIGINT))), False),
        (ir.any_of(ABOVE, IS_X), False),
        (ir.any_of(IS_X, ABOVE), False),
    ],
)
def test_alternatives_have_ranges_if_all_of_them_are_bounded_by_one_constant(
    residual: ir.Predicate, has_interval: bool
) -> None:
    signature = Signature((), (), ir.TRUE, residual, (BIGINT, BIGINT))
    assert (find_interval(signature) is not None) is has_interval


def test_an_alternative_with_a_bound_is_a_disjunct_of_its_own() -> None:
    """The rows of this alternative have an index, and the other conditions are evaluated for each message."""
    is_not_x = ir.Compare(Comparison.NE, TEXT, ir.constant("x"))
    assert [len(disjuncts(ir.any_of(*terms))) for terms in ((ABOVE, is_not_x), (is_not_x, BELOW), (is_not_x,))] == [
        2,
        2,
        1,
    ]


def test_a_row_of_a_merged_table_skips_the_terms_that_it_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bit of the row's first constant states which terms the row has. Other constants are fillers."""
    monkeypatch.setattr(tuning, "MAX_TABLES", 0)
    monkeypatch.setattr(tuning, "UNMERGED_TABLES", 0)
    monkeypatch.setattr(tuning, "MIN_ROWS", 1)
    texts = [f"a = {number} AND {term}" for number in range(9) for term in (f"b > {number}", f"d <> {number}")]
    bindings = [{"source": "x", "queue": f"q{n}", "selector": text} for n, text in enumerate(texts)]
    queues = [binding["queue"] for binding in bindings]
    whole = {"broker": "qpid-java", "queues": queues, "exchanges": [{"name": "x", "type": "fanout"}]}
    layout = find_layout("a BIGINT, b BIGINT, d BIGINT")
    [table] = build_plan(topology_from_dict(whole | {"bindings": bindings}), layout, "error", "x").tables
    bits, first, second = "_routing_row.p0", "_routing_row.p1", "_routing_row.p2"
    skipped = f"(({bits} & 1L) = 0 OR (d <> {first} OR d IS NULL)) AND (({bits} & 2L) = 0 OR b > {second})"
    assert emit_filter(table.signature.residual) == skipped
    assert {row for rows in table.rows.values() for row in rows} == {
        *((1, number, 0) for number in range(9)),
        *((2, 0, number) for number in range(9)),
    }


def test_a_query_over_messages_without_a_body_matches_none_or_is_refused() -> None:
    bindings = [{"source": "x", "queue": "q", "key": "k", "arguments": {"xquery": "./a = 5"}}]
    exchanges = [{"name": "x", "type": "xml"}]
    topology = topology_from_dict({"broker": "qpid-cpp", "queues": ["q"], "exchanges": exchanges, "bindings": bindings})
    layout = find_layout("color STRING")
    # The other binding is that of the default exchange.
    [compiled] = build_plan(topology, layout, "null").compiled
    assert emit_filter(compiled.condition) == "_routing_key = 'q'"
    with pytest.raises(
        LayoutError, match="the path reads the message's body, but the layout has no column for the body"
    ):
        build_plan(topology, layout, "error")
