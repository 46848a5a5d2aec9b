"""Selectors as long as people write them: the results of the reference evaluator, and code that the JVM compiles."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_ext import compile_selector, create_messages, infer_layout
from tests.compiler.sql_text import bare
from tests.sizes import randomness, sample, size
from tests.spark_ext.harness import COMPILED, SPARK, answers, largest_method, settings
from transpiler import Message, UnsupportedFeatureError, evaluate, parse_selector, transpile_selector
from transpiler.compiler.compile_options import Result
from transpiler.compiler.spark_plan.tuning import MIN_CHUNKED, MIN_TERMS
from transpiler.language.selector.dialects import JMS

#: Texts with characters that are special in a regular expression, in SQL or in a line. Some are prefixes or suffixes of
#: others.
ODD = [
    "",
    "a",
    "ab",
    "abc",
    "b",
    "a.b",
    "a*",
    "(",
    "[",
    "^a",
    "a$",
    "\\",
    "{2}",
    "#",
    "-",
    "é",
    "😀",
    "a\nb",
    "'",
    "|",
    "~&",
]
NAMES = ("p0", "p1", "p2", "p3", "t")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def odd(i: int) -> str:
    return ODD[i % len(ODD)] + (str(i // len(ODD)) if i >= len(ODD) else "")


#: By name: a function that returns the i-th condition, and the operator between the conditions.
LISTS: dict[str, tuple[Callable[[int], str], str]] = {
    "texts": (lambda i: f"p0 = {quoted(odd(i))}", "OR"),
    "numbers": (lambda i: f"p1 = {i - 3}{'.5' if i % 3 else ''}", "OR"),
    "contained": (lambda i: f"p0 LIKE {quoted('%' + odd(i) + 'x%')}", "OR"),
    "prefixes": (lambda i: f"p0 LIKE {quoted(odd(i) + 'x%')}", "OR"),
    "suffixes": (lambda i: f"p0 LIKE {quoted('%' + odd(i) + 'x')}", "OR"),
    "all prefixes": (lambda i: f"p0 LIKE {quoted(odd(i) + '%')}", "OR"),
    "prefixes of many lengths": (lambda i: f"p0 LIKE {quoted(odd(i) + 'x' * (1 + i % 30) + '%')}", "OR"),
    "no suffix": (lambda i: f"p0 NOT LIKE {quoted('%' + odd(i) + 'x')}", "AND"),
    "not contained": (lambda i: f"p0 NOT LIKE {quoted('%' + odd(i) + 'x%')}", "AND"),
    "a text and a bound": (lambda i: f"(p0 = {quoted(odd(i % 30))} AND p1 > {i % 7})", "OR"),
    "two texts": (lambda i: f"(p0 = {quoted(odd(i))} AND p2 = {quoted(odd(i + 1))})", "OR"),
    "a number and a text": (lambda i: f"(p1 = {i % 40} AND p2 <> {quoted(odd(i))})", "OR"),
    "ranges": (lambda i: f"p1 BETWEEN {i * 3} AND {i * 3 + 1}", "OR"),
    "bounds": (lambda i: f"p1 > {i + 5}.25", "OR"),
    "two bounds": (lambda i: f"(p1 > {i} AND p3 < {9 - i})", "OR"),
    "not": (lambda i: f"NOT (p0 = {quoted(odd(i))} AND p1 > {i})", "AND"),
    "not above, beside a text": (lambda i: f"(NOT p1 > {i} AND p0 = 'a')", "OR"),
    "not in a range, beside a text": (lambda i: f"(NOT p1 BETWEEN {i} AND {2 * i} AND p0 <> 'a')", "OR"),
    "unlike, and a text": (lambda i: f"(NOT p1 = {i} AND NOT p0 LIKE {quoted(odd(i) + '%')})", "OR"),
    "crowded ranges": (lambda i: f"p3 BETWEEN {i * 1e-9 if i < 69 else 1e9!r} AND {9 + i}.5", "OR"),
    "header": (lambda i: f"(JMSPriority = {i % 10} AND p0 = {quoted(odd(i))})", "OR"),
    "mixed": (
        lambda i: [
            f"p0 = {quoted(odd(i))}",
            f"p{i % 3} LIKE {quoted('_' * (i % 4) + '%' + odd(i) + '%x')}",
            f"(p1 + {i} > p3 AND p2 = {quoted(odd(i))})",
            f"p1 NOT BETWEEN {i} AND {i + 900}",
            f"p{i % 4} IS NULL AND p1 = {i}",
        ][i % 5],
        "OR",
    ),
    "all of": (lambda i: f"(p1 <> {i} OR p0 = {quoted(odd(i))} OR q{i} IS NULL)", "AND"),
}


def chain(name: str, count: int) -> str:
    make, word = LISTS[name]
    return f" {word} ".join(map(make, range(count)))


def alternation(levels: int) -> str:
    text = "p1 = 1"
    for level in range(levels):
        text = f"({text} {'AND' if level % 2 else 'OR'} p{level % 4} {'<>' if level % 2 else '='} {level})"
    return text


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    """Return messages whose properties sometimes match a list, have another type, or are missing."""
    spread = randomness(7)

    def value(name: str) -> object:
        text = spread.choice((odd(spread.randrange(70)), f"{odd(spread.randrange(70))}x", f"z{odd(3)}x{odd(9)}x"))
        number = spread.choice((spread.randrange(-5, 90), spread.randrange(90) + 0.5, float("nan")))
        likely, other = (number, text) if name in ("p1", "p3") else (text, number)
        return spread.choice((likely, likely, likely, other, True, None))

    rows = []
    for _ in range(size(40, 80)):
        properties = {name: value(name) for name in NAMES if spread.random() < 0.9}
        encoded = {
            name: {"type": "double", "value": "NaN"} if found != found else found for name, found in properties.items()
        }
        rows.append(
            Message.from_dict({"header": {"priority": spread.randrange(10)}, "application_properties": encoded})
        )
    return rows


@pytest.fixture(scope="module")
def canonical(spark: SparkSession, messages: list[Message]) -> DataFrame:
    return create_messages(spark, messages).selectExpr("monotonically_increasing_id() AS id", "*").cache()


@pytest.fixture(scope="module")
def typed(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(
        [("abc", 5, "a.b", 5.5, "t", 3), ("ax", 7, None, float("nan"), "r", 9)],
        "p0 STRING, p1 BIGINT, p2 STRING, p3 DOUBLE, r STRING, small SMALLINT",
    )


@pytest.mark.parametrize(
    ("count", "result", "nulls"),
    [
        (MIN_TERMS - 1, "filter", "true"),
        (70, "filter", "true"),
        (70, "filter", "false"),
        (MIN_TERMS + 4, "ternary", "true"),
    ],
    ids=["short", "long", "long, where exists has no NULL", "ternary"],
)
def test_a_long_selector_says_what_the_oracle_says(
    spark: SparkSession, canonical: DataFrame, messages: list[Message], count: int, result: Result, nulls: str
) -> None:
    texts = [chain(name, count) for name in sample(LISTS, 6)] + [alternation(count)]
    emitted = [transpile_selector(text, result=result).sql for text in texts]
    engine = COMPILED if count == 70 and nulls == "true" else {}
    with settings(spark, {"spark.sql.legacy.followThreeValuedLogicInArrayExists": nulls, **engine}):
        every = answers(canonical, emitted)
    for text, found in zip(texts, every, strict=True):
        tree = parse_selector(text)
        wanted = [evaluate(tree, message) for message in messages]
        if result == "filter":
            assert [answer is True for answer in found] == [answer is True for answer in wanted], text[:200]
        else:
            assert found == wanted, text[:200]


@pytest.mark.parametrize("nulls", ["true", "false"])
def test_ranges_in_chunks_are_unknown_where_the_oracle_says_so(
    spark: SparkSession, canonical: DataFrame, messages: list[Message], nulls: str
) -> None:
    ranges = [chain(name, MIN_CHUNKED + 6) for name in ("ranges", "crowded ranges")]
    texts = [*ranges, *(f"NOT ({text})" for text in ranges), *(f"({text}) AND p0 IS NOT NULL" for text in ranges)]
    emitted = [transpile_selector(text, result="ternary").sql for text in texts]
    assert all(", g -> " in sql for sql in emitted[:2])
    with settings(spark, {"spark.sql.legacy.followThreeValuedLogicInArrayExists": nulls}):
        for text, found in zip(texts, answers(canonical, emitted), strict=True):
            tree = parse_selector(text)
            assert found == [evaluate(tree, message) for message in messages], text[:200]


def sizes() -> Iterator[tuple[str, int]]:
    yield from ((name, size(70, 200)) for name in LISTS)
    yield from ((name, size(1_000, 4_000)) for name in ("texts", "contained", "a text and a bound"))


@pytest.mark.full
@pytest.mark.skipif(SPARK < (4, 3), reason="Spark before 4.3 interprets functions of arrays with lambdas")
def test_no_generated_method_is_too_long_for_the_compiler(canonical: DataFrame) -> None:
    # HotSpot interprets methods above 8,000 bytes.
    for name, count in sample(sizes(), 6):
        assert largest_method(canonical.filter(compile_selector(chain(name, count), lint=False))) < 8_000, name
    assert largest_method(canonical.filter(compile_selector(alternation(110), lint=False))) < 8_000


@pytest.mark.skipif(SPARK < (4, 2), reason="Spark before 4.2 generates a method for all of a long mixed list")
def test_typed_columns_stay_within_the_limit_too(typed: DataFrame) -> None:
    layout = infer_layout(typed)
    for name in ("texts", "contained", "two bounds", "mixed"):
        sql = transpile_selector(chain(name, size(200, 1_000)), layout).sql
        assert largest_method(typed.filter(sql)) < 8_000, name


def test_a_column_is_not_hidden_by_the_name_of_a_row(typed: DataFrame) -> None:
    text = " OR ".join(f"(p0 = 'a{letter}' AND r <> '{letter}')" for letter in "bcdefghijklmnopqrstuvwx")
    assert [row.p1 for row in typed.filter(compile_selector(text, typed)).collect()] == [7]


def test_a_narrow_integer_is_a_key(typed: DataFrame) -> None:
    text = " OR ".join(f"(small = {number} AND p1 > {number - 3})" for number in range(40))
    assert [row.p1 for row in typed.filter(compile_selector(text, typed)).collect()] == [5, 7]


def extremes(kind: str) -> list[float]:
    spread = randomness(23)
    if kind == "whole":
        ends = [-(2**63) + 1, 2**63 - 1, 2**53 + 1, 0]
        return [*ends, *(spread.randrange(-(2**63), 2**63) for _ in range(60))]
    found = [struct.unpack("d", spread.randbytes(8))[0] for _ in range(80)]
    return [5e-324, 1.7976931348623157e308, 0.1, 1e22, *(number for number in found if math.isfinite(number))]


def spelled(number: float) -> str:
    # A literal has no sign of its own, and Java's least long has no positive counterpart.
    return f"-{-number!r}" if number < 0 else repr(number)


@pytest.mark.parametrize("kind", ["whole", "fractional"])
def test_numbers_in_a_list_keep_all_their_digits(spark: SparkSession, kind: str) -> None:
    numbers = extremes(kind)
    next_to = [number - 1 if kind == "whole" else math.nextafter(number, 0) for number in numbers]
    rows = [(f"k{index}", n) for found in (numbers, next_to) for index, n in enumerate(found)]
    frame = spark.createDataFrame(rows, f"k STRING, n {'BIGINT' if kind == 'whole' else 'DOUBLE'}")
    wanted = sorted(n for _, n in rows if n in set(numbers))
    ranges = " OR ".join(f"n BETWEEN {spelled(number)} AND {spelled(number)}" for number in numbers)
    keyed = " OR ".join(f"(k = 'k{index}' AND n = {spelled(number)})" for index, number in enumerate(numbers))
    for text in (ranges, keyed):
        assert sorted(row.n for row in frame.filter(compile_selector(text, frame)).collect()) == wanted, text[:80]


def test_beginnings_and_endings_are_a_list_for_each_length() -> None:
    value = "application_properties['p0'].string"
    lengths = range(5, 10), range(10, 100), range(100, 105)
    lists = [", ".join(f"'{number}'" for number in numbers) for numbers in lengths]
    begins = " OR ".join(f"p0 LIKE '{number}%'" for number in range(5, 105))
    wanted = " OR ".join(f"left({value}, {length}) IN ({listed})" for length, listed in enumerate(lists, 1))
    assert bare(transpile_selector(begins).sql) == wanted
    ends = " AND ".join(f"p0 NOT LIKE '%{number}'" for number in range(5, 105))
    wanted = " AND ".join(f"right({value}, {length}) NOT IN ({listed})" for length, listed in enumerate(lists, 1))
    assert bare(transpile_selector(ends).sql) == wanted


def test_what_has_many_lengths_is_one_expression() -> None:
    sql = transpile_selector(chain("prefixes of many lengths", 70)).sql
    assert (sql.count("rlike("), sql.count("left(")) == (1, 0)


def test_a_list_over_values_that_may_not_be_text_is_not_grouped_by_length() -> None:
    ends = " OR ".join(f"p0 LIKE '%{number}'" for number in range(40))
    sql = transpile_selector(ends, dialect="rabbitmq").sql
    assert (sql.count("rlike("), sql.count("right(")) == (1, 0)


@pytest.mark.parametrize("count", [8, MIN_TERMS - 1])
def test_a_short_list_stays_as_it_is(count: int) -> None:
    assert transpile_selector(chain("prefixes", count)).sql.count("startswith") == count


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = 1 OR " * 100_000 + "b = 2", "limit.terms"),
        ("a = 1 OR " * 200_000 + "b = 2", "limit.length"),
        (alternation(JMS.max_nesting), "limit.nesting"),
    ],
)
def test_beyond_the_limits_there_is_an_error_that_says_so(text: str, code: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        transpile_selector(text)
    assert caught.value.diagnostics[0].code == code


def test_the_longest_selector_of_equalities_compiles(canonical: DataFrame) -> None:
    text = " OR ".join(f"p0 = 'k{i}'" for i in range(size(JMS.max_terms // 20, JMS.max_terms // 2)))
    assert canonical.filter(compile_selector(text)).count() == 0
