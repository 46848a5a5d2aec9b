"""Java's XPath rejects long expressions when a row is evaluated, so that the compiler rejects them before."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages
from transpiler import Message, UnsupportedFeatureError, transpile_selector
from transpiler.base.source import Source
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.lowering.paths import (
    MAX_GROUPS,
    MAX_OPERATORS,
    NOT_IN_NAMES,
    Queries,
    beyond_limits,
    check_xpath,
    count_xpath,
)
from transpiler.compiler.sql import emit_ternary
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.reference.paths import query_truth

#: Functions that return an expression of ``count`` equal pieces.
GROWING = {
    "steps": lambda count: "/a" * count,
    "stars": lambda count: "/*" * count,
    "descendants": lambda count: "//a" * count,
    "attributes": lambda count: " or ".join(["@a"] * count),
    "comparisons": lambda count: " and ".join(["a != 1"] * count),
    "predicates": lambda count: "a" + "[.]" * count,
    "functions": lambda count: " or ".join(["not(a)"] * count),
    "texts": lambda count: " or ".join(["'a = / * ('"] * count),
    "arguments": lambda count: f"concat({', '.join(['1'] * (count + 1))}) = 1",
    "sums": lambda count: f"{' + '.join(['1.5'] * count)} = 1",
    "products": lambda count: f"{' * '.join(['a'] * count)} div 2 = 1",
    "groups": lambda count: " or ".join(["(a)"] * count),
    "nested groups": lambda count: f"{'(' * count}a{')' * count}",
    "axes": lambda count: " or ".join(["child::a"] * count),
    "parents": lambda count: " or ".join(["../a"] * count),
    "unions": lambda count: " | ".join(["a"] * count),
    "node tests": lambda count: " or ".join(["a/text()"] * count),
}


@pytest.mark.parametrize("name", GROWING)
def test_what_is_counted_is_what_java_counts(spark: SparkSession, name: str) -> None:
    """Java accepts the last expression within the limits, and rejects the first one beyond them."""
    make = GROWING[name]
    inside = max(count for count in range(1, 120) if beyond_limits(make(count)) is None)
    factory = spark._jvm.javax.xml.xpath.XPathFactory.newInstance()  # type: ignore[union-attr]
    factory.newXPath().compile(make(inside))
    if beyond_limits(make(inside + 1)) is not None:
        with pytest.raises(Exception, match="JAXP080100"):
            factory.newXPath().compile(make(inside + 1))
    else:
        assert name in ("texts", "arguments")


def test_java_takes_each_name_that_is_taken_here(spark: SparkSession) -> None:
    compile_path = spark._jvm.javax.xml.xpath.XPathFactory.newInstance().newXPath().compile  # type: ignore[union-attr]
    letters = [chr(code) for code in range(0x80, 0x10000) if not NOT_IN_NAMES.search(chr(code))]
    names = [f"{letter}a-{letter}" for letter in letters]
    for at in range(0, len(names), 90):
        path = " | ".join(names[at : at + 90])
        check_xpath(path)
        compile_path(path)


LONG_QUERIES = (
    " or ".join(f"./a/b = {number}" for number in range(150)),
    " and ".join(f"not(./a/b = 'x{number}')" for number in range(150)),
    "./a" + "/b" * 28 + " > 1",
    " + ".join(["./a/b"] * 15) + " > 1",
    "not(" * 12 + "./a/b" + ")" * 12,
    "(" * 20 + "./a/b = 1" + ")" * 20,
    "./a/b - 1 * (2 - ./a/b) - (3 - 1) > 0",
    "./a/b - (1 - 1) * 2 div (4 div 2) = 7",
    "(./a/b - 1 - 1) * 2 - (5 - (3 - 1)) = 7",
)


@pytest.mark.full
def test_long_queries_that_are_taken_run(spark: SparkSession) -> None:
    bodies = ("<a><b>7</b></a>", "<a><b>149</b></a>", "<a/>", "no")
    messages = [Message.from_dict({"body": {"value": body}}) for body in bodies]
    frame = create_messages(spark, messages).coalesce(1)
    columns = []
    for text in LONG_QUERIES:
        query = parse_query(text)
        queries = Queries(AmqpLayout(), "error", None, Source(text))
        sql = emit_ternary(queries.condition(query), queries.condition(query, False))
        columns.append(sf.expr(sql))
    rows = frame.select(*columns).collect()
    for text, answers in zip(LONG_QUERIES, zip(*rows, strict=True), strict=True):
        assert list(answers) == [query_truth(parse_query(text), message, None) for message in messages], text[:80]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("./a" + "/b" * 120 + " = 1", "./a", f"accepts at most {MAX_OPERATORS}"),
        ("./x or ./a" + "//*" * 60, "./a", f"accepts at most {MAX_OPERATORS}"),
        (" - (".join(["./a"] * 14) + ")" * 13 + " = 1", "./a", f"accepts at most {MAX_GROUPS}"),
    ],
)
def test_one_comparison_beyond_the_limits_is_refused_where_it_stands(text: str, where: str, what: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match=what) as raised:
        Queries(AmqpLayout(), "error", None, Source(text)).condition(parse_query(text))
    [found] = raised.value.diagnostics
    assert found.code == "limit.xpath"
    assert found.span is not None
    assert text[found.span.start :].startswith(where)
    assert found.hint


def test_a_selectors_xpath_beyond_the_limits_is_refused() -> None:
    short, long = (f"XPATH '{' or '.join(['/a/b = 1'] * count)}'" for count in (25, 26))
    assert count_xpath(short[7:-1]) == (99, 0)
    assert "xpath_boolean" in transpile_selector(short, dialect="activemq").sql
    with pytest.raises(UnsupportedFeatureError, match="accepts at most 100"):
        transpile_selector(long, dialect="artemis")
