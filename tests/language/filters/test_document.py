"""The sentences and examples of the Apache filter document hold for the reference evaluator and for Spark."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.compiler.sql_text import bare
from tests.spark_ext.harness import answers, numbered
from transpiler import Message, matches, transpile_filter

LEGACY = "apache.org:legacy-amqp-{}-binding:{}"
DIRECT, TOPIC, HEADERS = (
    LEGACY.format("direct", "string"),
    LEGACY.format("topic", "string"),
    LEGACY.format("headers", "map"),
)
NO_LOCAL, SELECTOR = "apache.org:jms-no-local-filter:list", "apache.org:jms-selector-filter:string"
OR, AND, NOT = (f"apache.org:{name}-filter:list" for name in ("or", "and", "not"))
PROPERTIES, APPLICATION = "amqp:properties-filter", "amqp:application-properties-filter"
BYTES = {"type": "binary", "value": "q80H"}


def f(descriptor: str, value: Any) -> dict[str, Any]:
    return {"descriptor": descriptor, "value": value}


def subject(text: str | None) -> dict[str, Any]:
    return {"properties": {"subject": text} if text is not None else {"to": "a"}}


def values(**entries: Any) -> dict[str, Any]:
    return {"application_properties": entries}


def tagged(amqp_type: str, value: Any) -> dict[str, Any]:
    return {"type": amqp_type, "value": value}


def published(connection: Any) -> dict[str, Any]:
    return {"message_annotations": {"x-opt-publisher-connection": connection}}


A, B = f(DIRECT, "a"), f(DIRECT, "b")
UNKNOWN_SELECTOR = f(SELECTOR, "missing = 1")
ALL = {"x-match": "all", "a": 1, "b": "x"}
ANY = {"x-match": "any", "a": 1, "b": "x"}

#: Section and sentence, filter, message, and whether the message passes.
CASES: list[tuple[str, dict[str, Any], dict[str, Any], bool]] = [
    ("1.1 exactly", f(DIRECT, "usd.stock"), subject("usd.stock"), True),
    ("1.1 exactly", f(DIRECT, "usd.stock"), subject("USD.stock"), False),
    ("1.1 exactly", f(DIRECT, "usd.#"), subject("usd.stock"), False),
    ("1.1 exactly", f(DIRECT, ""), subject(""), True),
    ("1.1 no properties section", f(DIRECT, ""), {}, False),
    ("1.1 subject not set", f(DIRECT, ""), subject(None), False),
    ("1.2 the example", f(TOPIC, "*.stock.#"), subject("usd.stock"), True),
    ("1.2 the example", f(TOPIC, "*.stock.#"), subject("eur.stock.db"), True),
    ("1.2 the example", f(TOPIC, "*.stock.#"), subject("stock.nasdaq"), False),
    ("1.2 * is a single word", f(TOPIC, "usd.*"), subject("usd.stock"), True),
    ("1.2 * is a single word", f(TOPIC, "usd.*"), subject("usd"), False),
    ("1.2 * is a single word", f(TOPIC, "usd.*"), subject("usd.stock.db"), False),
    ("1.2 * is a token only", f(TOPIC, "us*.stock"), subject("usd.stock"), False),
    ("1.2 * is a token only", f(TOPIC, "us*.stock"), subject("us*.stock"), True),
    ("1.2 # is zero words", f(TOPIC, "usd.#"), subject("usd"), True),
    ("1.2 # is more words", f(TOPIC, "usd.#"), subject("usd.stock.db"), True),
    ("1.2 # is no prefix", f(TOPIC, "usd.#"), subject("usdx"), False),
    ("1.2 no properties section", f(TOPIC, "#"), {}, True),
    ("1.2 subject not set", f(TOPIC, "#"), subject(None), True),
    ("1.2 a single # only", f(TOPIC, "#.#"), subject(None), False),
    ("1.2 a single # only", f(TOPIC, "#.#"), subject("a"), True),
    ("1.2 a single # only", f(TOPIC, "*"), subject(None), False),
    ("1.3 all", f(HEADERS, ALL), values(a=1, b="x", c=True), True),
    ("1.3 all", f(HEADERS, ALL), values(a=1), False),
    ("1.3 all", f(HEADERS, ALL), values(a=1, b="y"), False),
    ("1.3 all", f(HEADERS, ALL), {}, False),
    ("1.3 any", f(HEADERS, ANY), values(a=1, b="y"), True),
    ("1.3 any", f(HEADERS, ANY), values(a=2, b="y"), False),
    ("1.3 any", f(HEADERS, ANY), {}, False),
    ("1.3 other x- keys are ignored", f(HEADERS, {"x-match": "all", "x-a": 1, "a": 1}), values(a=1), True),
    ("1.3 other x- keys are ignored", f(HEADERS, {"x-match": "any", "x-a": 1}), values(**{"x-a": 1}), False),
    ("1.3 a null is presence", f(HEADERS, {"x-match": "all", "a": None}), values(a="x"), True),
    ("1.3 a null is presence", f(HEADERS, {"x-match": "all", "a": None}), values(a=None), True),
    ("1.3 a null is presence", f(HEADERS, {"x-match": "all", "a": None}), values(b=1), False),
    ("1.3 the same type", f(HEADERS, {"x-match": "all", "a": 1}), values(a=tagged("ubyte", 1)), True),
    ("1.3 the same type", f(HEADERS, {"x-match": "all", "a": 1}), values(a=1.0), False),
    ("1.3 the same type", f(HEADERS, {"x-match": "all", "a": 1}), values(a="1"), False),
    ("1.3 the same type", f(HEADERS, {"x-match": "all", "a": True}), values(a=1), False),
    ("1.3 the same type", f(HEADERS, {"x-match": "all", "a": 0.5}), values(a=tagged("float", 0.5)), True),
    (
        "1.3 the same type",
        f(HEADERS, {"x-match": "all", "a": tagged("double", "NaN")}),
        values(a=tagged("double", "NaN")),
        False,
    ),
    ("1.3 all of nothing", f(HEADERS, {"x-match": "all"}), {}, True),
    ("1.3 any of nothing", f(HEADERS, {"x-match": "any"}), values(a=1), False),
    ("2.1 a separate connection", f(NO_LOCAL, []), published("theirs"), True),
    ("2.1 the same connection", f(NO_LOCAL, []), published("mine"), False),
    ("2.1 the same, a symbol", f(NO_LOCAL, []), published(tagged("symbol", "mine")), False),
    ("2.1 it does not say", f(NO_LOCAL, []), {}, True),
    (
        "2.2 wire names",
        f(SELECTOR, "amqp.correlation_id = 'abc' AND color = 'blue' AND weight > 2500"),
        {"properties": {"correlation_id": "abc"}} | values(color="blue", weight=2501),
        True,
    ),
    (
        "2.2 JMS names",
        f(SELECTOR, "JMSCorrelationID = 'abc' AND color = 'blue' AND weight > 2500"),
        {"properties": {"correlation_id": "abc"}} | values(color="blue", weight=2500),
        False,
    ),
    ("2.2 no selector", f(SELECTOR, " "), {}, True),
    ("2.2 unknown is not selected", UNKNOWN_SELECTOR, {}, False),
    ("3.1 at least one", f(OR, [A, B]), subject("b"), True),
    ("3.1 at least one", f(OR, [A, B]), subject("c"), False),
    ("3.1 none at all", f(OR, []), subject("a"), False),
    ("3.2 all", f(AND, [f(TOPIC, "a.#"), f(TOPIC, "#.b")]), subject("a.b"), True),
    ("3.2 all", f(AND, [f(TOPIC, "a.#"), f(TOPIC, "#.b")]), subject("a.c"), False),
    ("3.2 none at all", f(AND, []), {}, True),
    ("3.3 does not accept", f(NOT, [A]), subject("a"), False),
    ("3.3 does not accept", f(NOT, [A]), subject("b"), True),
    ("3.3 does not accept", f(NOT, [A]), {}, True),
    ("3.3 does not accept", f(NOT, [f(TOPIC, "#")]), {}, False),
    ("3.3 unknown is not accepted", f(NOT, [UNKNOWN_SELECTOR]), {}, True),
    ("3.3 nested", f(NOT, [f(NOT, [UNKNOWN_SELECTOR])]), {}, False),
    ("3.3 nested", f(NOT, [f(OR, [A, f(NOT, [f(HEADERS, ALL)])])]), subject("b") | values(a=1, b="x"), True),
    ("4.2.4 all fields", f(PROPERTIES, {"subject": "a", "to": "q"}), {"properties": {"subject": "a", "to": "q"}}, True),
    ("4.2.4 all fields", f(PROPERTIES, {"subject": "a", "to": "q"}), {"properties": {"subject": "a"}}, False),
    ("4.2.4 all fields", f(PROPERTIES, {"subject": "a"}), {}, False),
    ("4.1.1 prefix", f(PROPERTIES, {"subject": "&p:usd."}), subject("usd.stock"), True),
    ("4.1.1 prefix", f(PROPERTIES, {"subject": "&p:usd."}), subject("xusd."), False),
    ("4.1.1 prefix", f(PROPERTIES, {"subject": "&p:"}), subject(""), True),
    ("4.1.1 suffix", f(PROPERTIES, {"subject": "&s:k"}), subject("usd.stock"), True),
    ("4.1.1 suffix", f(PROPERTIES, {"subject": "&s:k"}), subject(None), False),
    ("4.1.1 escape", f(PROPERTIES, {"subject": "&&p:a"}), subject("&p:a"), True),
    ("4.2.4 a time", f(PROPERTIES, {"creation-time": 5}), {"properties": {"creation_time": 5}}, True),
    ("4.2.4 an id", f(PROPERTIES, {"message-id": 5}), {"properties": {"message_id": 5}}, True),
    ("4.2.4 an id", f(PROPERTIES, {"message-id": "5"}), {"properties": {"message_id": 5}}, False),
    (
        "4.2.4 bytes",
        f(PROPERTIES, {"user-id": {"type": "binary", "value": "q80H"}}),
        {"properties": {"user_id": "q80H"}},
        True,
    ),
    ("4.2.5 all entries", f(APPLICATION, {"a": 1, "b": "&p:x"}), values(a=1, b="xy"), True),
    ("4.2.5 all entries", f(APPLICATION, {"a": 1, "b": "&p:x"}), values(a=1, b=5), False),
    ("4.2.5 numbers of all types", f(APPLICATION, {"a": 1}), values(a=1.0), True),
    ("4.2.5 numbers of all types", f(APPLICATION, {"a": 1.5}), values(a=1), False),
    ("4.2.5 a null asks for the key", f(APPLICATION, {"a": None}), values(a=1), True),
    ("4.2.5 a null asks for the key", f(APPLICATION, {"a": None}), {}, False),
]


@pytest.mark.parametrize(("section", "filters", "message", "expected"), CASES)
def test_a_message_passes_by_the_reference(
    section: str, filters: dict[str, Any], message: dict[str, Any], expected: bool
) -> None:
    assert matches(filters, Message.from_dict(message), connection="mine") is expected, section


def test_the_same_messages_pass_on_spark(spark: SparkSession) -> None:
    frame = numbered(create_messages(spark, [message for _, _, message, _ in CASES]))
    for result in ("filter", "boolean", "ternary"):
        texts = [transpile_filter(filters, result=result, connection="mine").sql for _, filters, _, _ in CASES]
        columns = answers(frame, texts)
        for number, (section, _, _, expected) in enumerate(CASES):
            found = columns[number][number]
            assert (found is True if result == "filter" else found) is expected, f"{section}: {texts[number]}"


def test_all_filters_of_a_set_must_hold() -> None:
    message = Message.from_dict(subject("a.b"))
    assert matches({"x": f(TOPIC, "a.#"), "y": f(TOPIC, "#.b")}, message)
    assert not matches({"x": f(TOPIC, "a.#"), "y": f(TOPIC, "#.c")}, message)
    assert matches({}, Message())
    assert matches({"x": None}, Message())


@pytest.mark.parametrize(
    ("filters", "sql"),
    [
        (f(DIRECT, "usd.stock"), "properties.subject = 'usd.stock'"),
        (f(TOPIC, "usd.stock"), "properties.subject = 'usd.stock'"),
        (f(TOPIC, "usd.#"), "properties.subject = 'usd' OR startswith(properties.subject, 'usd.')"),
        (f(TOPIC, "#.db"), "properties.subject = 'db' OR endswith(properties.subject, '.db')"),
        (f(TOPIC, "#"), "true"),
        (f(TOPIC, "*.stock.#"), "rlike(properties.subject, '(?s)^[^.]*+[.]stock(?![^.])')"),
        (
            f(TOPIC, "#.a.#.b.#.c"),
            "rlike(properties.subject, '(?s)^(?>.*?(?:^|[.])a(?![^.]))(?>.*?[.]b(?![^.])).*[.]c(?!.)')",
        ),
        (f(NOT, [f(DIRECT, "a")]), "properties.subject <> 'a' OR properties.subject IS NULL"),
        (
            f(NOT, [f(TOPIC, "a.#")]),
            "properties.subject <> 'a' AND NOT startswith(properties.subject, 'a.') OR properties.subject IS NULL",
        ),
        (f(OR, [A, B]), "properties.subject IN ('a', 'b')"),
        (f(HEADERS, ANY), "application_properties['a'].long = 1 OR application_properties['b'].string = 'x'"),
        (f(HEADERS, {"x-match": "all", "a": None}), "application_properties['a'].type IS NOT NULL"),
        (f(SELECTOR, ""), "true"),
    ],
)
def test_the_sql_is_what_an_engineer_would_write(filters: dict[str, Any], sql: str) -> None:
    assert bare(transpile_filter(filters).sql) == sql
