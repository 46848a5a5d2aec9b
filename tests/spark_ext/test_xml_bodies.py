"""No body can end a query or pose as another body: Spark agrees with the reference evaluator on almost-XML."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages
from tests.reference.xml_bodies import BODIES, edited_bodies
from tests.sizes import is_full, size
from tests.spark_ext.harness import numbered
from transpiler import Message, evaluate, transpile_selector
from transpiler.base.source import Source
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.lowering.paths import Queries
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.sql import emit_ternary
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.reference.paths import query_truth

#: Selectors: one that is true for every document, and others on which parsers might differ.
SELECTORS = (
    "XPATH '/*'",
    "XPATH 'a/b = 1 or //@b = 1'",
    "XPATH 'count(//@*) > 1 and count(//text()) > 1 or name(//b) = \"p:b\"'",
    "NOT XPATH 'string-length(.) = 1 or string-length(normalize-space(.)) = 1'",
)
XQUERIES = ("/*", "a/b = 1", "not(//b = 'x') or //*/@b != '1'", "//*/text() = '1'")

EDITED = size(300, 1_000)


def parted(spark: SparkSession, bodies: Iterable[str]) -> list[tuple[str, str, Any]]:
    """Return the bodies, as a value and as data, on which Spark and the reference evaluator differ.

    Each comes with Spark's result.
    """
    texts = list(bodies)
    columns = [sf.expr(transpile_selector(text, dialect="activemq", result="boolean").sql) for text in SELECTORS]
    for text in XQUERIES:
        queries, tree = Queries(AmqpLayout(), "error", None, Source(text)), parse_query(text)
        columns.append(
            sf.expr(emit_ternary(optimize(queries.condition(tree)), optimize(queries.condition(tree, False))))
        )
    messages = [
        Message.from_dict({"body": body})
        for text in texts
        for body in ({"value": text}, {"data": base64.b64encode(text.encode()).decode()})
    ]
    frame = numbered(create_messages(spark, messages))
    rows = frame.select("id", *(column.alias(f"c{index}") for index, column in enumerate(columns))).collect()
    found = []
    for row in rows:
        message = messages[row[0]]
        wanted = [
            *(evaluate(text, message, "activemq") for text in SELECTORS),
            *(query_truth(parse_query(text), message, None) for text in XQUERIES),
        ]
        found += [
            (expression, texts[row[0] // 2], answer)
            for expression, answer, right in zip((*SELECTORS, *XQUERIES), row[1:], wanted, strict=True)
            if answer is not right
        ]
    assert len(rows) == len(messages)
    return found


@pytest.mark.full
def test_hostile_bodies_end_no_query_and_change_no_other_answer(spark: SparkSession) -> None:
    short = (text for text, _ in BODIES.values() if len(text) < 5_000)
    assert [(name, body[:80]) for name, body, _ in parted(spark, short)] == []


def test_edited_bodies_are_answered_as_by_the_reference(spark: SparkSession) -> None:
    assert parted(spark, edited_bodies(EDITED, seed=16)) == []


def test_spark_parses_the_documents_that_the_table_lists_as_well_formed(spark: SparkSession) -> None:
    bodies = {name: row for name, row in BODIES.items() if is_full() or len(row[0]) < 300_000}
    frame = numbered(
        create_messages(spark, [Message.from_dict({"body": {"value": text}}) for text, _ in bodies.values()])
    )
    sql = transpile_selector("XPATH '/*'", dialect="activemq", result="boolean").sql
    rows = dict(frame.select("id", sf.expr(sql)).collect())
    assert {name for index, (name, (_, right)) in enumerate(bodies.items()) if rows[index] is not right} == set()


def test_no_entity_is_resolved(spark: SparkSession, tmp_path: Path) -> None:
    """A body with a document type is not XML, whatever it declares. Nor is a body with an undeclared entity."""
    secret = tmp_path / "secret"
    secret.write_text("1")
    declared = (
        "<!ENTITY e '1'>",
        f"<!ENTITY e SYSTEM '{secret.as_uri()}'>",
        f"<!ENTITY % p SYSTEM '{secret.as_uri()}'>%p;",
    )
    bodies = [f"<!DOCTYPE a [{text}]><a><b>&e;</b></a>" for text in declared]
    bodies += [f"<!DOCTYPE a SYSTEM '{secret.as_uri()}'><a/>", "<a><b>&e;</b></a>"]
    messages = [Message.from_dict({"body": {"value": text}}) for text in bodies]
    sql = transpile_selector("XPATH '/a'", dialect="activemq", result="boolean").sql
    answers = [row[0] for row in create_messages(spark, messages).select(sf.expr(sql)).collect()]
    assert answers == [False] * len(bodies) == [evaluate("XPATH '/a'", message, "activemq") for message in messages]
