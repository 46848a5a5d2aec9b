"""Random XPath: Spark, which gets the expression unchanged, agrees with the reference evaluator, and never throws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.sizes import randomness, size
from tests.spark_ext.harness import answers, numbered
from transpiler import Message, UnsupportedFeatureError, evaluate, transpile_selector
from transpiler.compiler.lowering.paths import check_xpath
from transpiler.reference import paths

EXPRESSIONS = size(50, 150)

DOCUMENTS = (
    "<a b='1'><c>2</c></a>",
    "<root><b><c>1</c><c>-3.5</c></b><b>b<c x='y'>-4</c></b></root>",
    "<a/>",
    "<a>1</a>",
    "<a> t <b/> u </a>",
    "not xml",
    "<a b='' c='2'><a><a>3</a></a></a>",
    "<p:a xmlns:p='u' p:b='1' b='2'><p:b>1</p:b><b>x<![CDATA[y]]><!-- z -->2<?c?></b></p:a>",
    "<x><y>NaN</y><y>1e3</y><z> 7 </z></x>",
)
STEPS = "a b c x root @b @* * . .. //c / text() node()".split()
CONSTANTS = '0 1 2 3.5 .5 "a" "1" "" true() false()'.split()
CONTEXT = "position() last() name() string() number()".split()
OF_ONE = "not boolean string number sum count string-length normalize-space name".split()
OF_TWO = "contains starts-with concat".split()
OPERATORS = "= != < <= > >= + - * div mod and or |".split()


def expression(draw: random.Random, depth: int) -> str:
    """Draw an expression. Most are meaningful; those that are not XPath are rejected."""
    if depth <= 0:
        return draw.choice(draw.choice((STEPS, CONSTANTS, CONTEXT)))

    def inner() -> str:
        return expression(draw, depth - draw.randint(1, 2))

    match draw.randrange(10):
        case 0 | 1 | 2:
            return f"{inner()} {draw.choice(OPERATORS)} {inner()}"
        case 3 | 4:
            return f"{inner()}{draw.choice(('/', '//'))}{inner()}"
        case 5:
            return f"{inner()}[{inner()}]"
        case 6:
            return draw.choice(("({})", "-{}")).format(inner())
        case 7 | 8:
            return f"{draw.choice(OF_ONE)}({inner()})"
        case _:
            return f"{draw.choice(OF_TWO)}({inner()}, {inner()})"


def read_by_both(draw: random.Random) -> Iterator[tuple[str, str]]:
    """Yield selectors with XPath expressions that both engines accept, and their SQL."""
    while True:
        text = f"XPATH '{expression(draw, 3)}'"
        try:
            yield text, transpile_selector(text, dialect="activemq", result="boolean").sql
        except UnsupportedFeatureError:
            continue


#: Documents with prefixed names. Java evaluates some paths with the prefixes of names, and others without.
PREFIXED = ("<a/>", "<p:a/>", "<r><a/></r>", "<r><p:a/></r>", "<p:a><p:a/></p:a>", "<p:a><a/></p:a>", "<r p:a='1'/>")
BEGINNINGS = ("", ".", "..", "/.", "*", "(.)", "(/)", "./.", "/r")


@pytest.mark.full
def test_spark_finds_names_with_prefixes_by_the_paths_by_which_the_reference_does(spark: SparkSession) -> None:
    short = ["".join(parts) for parts in product(BEGINNINGS, ("/", "//"), ("a", "*", "@a"), ("", "[1]", "/."))]
    expressions = [form.format(path) for path in short for form in ("{}", "count({}) = 1", "/*[{}]", "{} | /b")]
    for expression in expressions:
        check_xpath(expression)
    frame = numbered(spark.createDataFrame([(text,) for text in PREFIXED], "document string"))
    found = answers(frame, [f"xpath_boolean(document, '{expression}')" for expression in expressions])
    parted = [
        (expression, document)
        for expression, column in zip(expressions, found, strict=True)
        for document, answer in zip(PREFIXED, column, strict=True)
        if paths.test_xml(document, expression) is not answer
    ]
    assert parted == []


def test_spark_answers_as_the_reference(spark: SparkSession) -> None:
    found = read_by_both(randomness(11))
    selectors = dict(next(found) for _ in range(EXPRESSIONS))
    messages = [Message.from_dict({"body": {"value": {"type": "string", "value": text}}}) for text in DOCUMENTS]
    frame = numbered(create_messages(spark, messages))
    truths = set()
    for text, column in zip(selectors, answers(frame, list(selectors.values())), strict=True):
        wanted = [evaluate(text, message, "activemq") is True for message in messages]
        assert column == wanted, text
        truths.update(wanted)
    assert truths == {True, False}
