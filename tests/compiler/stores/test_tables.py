"""Queries over fifty messages as twenty-three producers write them return exactly the expected ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_ext import infer_layout
from spark_ext.messages.schemas import message_columns
from tests.compiler.stores.frames import COLLATIONS, collated
from tests.compiler.stores.tables import DOCUMENTS, LAYOUTS, Query, layout, path, queries, schema
from tests.sizes import sample, size
from tests.spark_ext.harness import COMPILED, answers
from tests.spark_ext.harness import settings as spark_settings
from transpiler import LayoutError, evaluate, transpile_selector
from transpiler.compiler.layouts.layout import Layout

#: ANSI and lenient arithmetic, and two time zones of the session. They do not change any result.
SETTINGS = tuple(product(("true", "false"), ("UTC", "America/New_York")))[:: size(3, 1)]

#: The layout that is inferred from each table's schema, by name. For Kafka record headers, only that they are record
#: headers can be inferred.
INFERRED = {
    "artemis_xml": "artemis-xml",
    "aws_lambda_activemq": "aws-activemq",
    "aws_lambda_rabbitmq": "aws-rabbitmq",
    "canonical_schema": "amqp",
    "confluent_jms": "confluent-jms",
    "eventhubs_capture": "event-hubs-capture",
    "eventhubs_capture_stable": "event-hubs-capture",
    "eventhubs_connector": "event-hubs",
    "jolokia_artemis": "artemis-jolokia",
    "jolokia_classic": "activemq-jolokia",
    "lenses_jms": "lenses-jms",
    "props_struct": "struct",
    "pulsar_jms": "pulsar-jms",
    "rabbitmq_management": "rabbitmq-get",
    "rabbitmq_trace": "rabbitmq-trace",
    "solace_connector": "solace",
    "variant_column": "variant",
}
KAFKA = ("kafka_camel", "kafka_confluent_rabbitmq", "kafka_ibm_mq", "kafka_json_headers")
REFUSED = {
    "json_string": "the column properties contains text, which may be JSON",
    "plain_map": "the column properties stores every value as text, so the original types are lost",
}


def rows_of(spark: SparkSession, table: str) -> DataFrame:
    return spark.read.parquet(path(table))


def ids(frame: DataFrame, conditions: list[str]) -> list[frozenset[str]]:
    """Return the ids of the rows that pass each of ``conditions``, from one query."""
    names = sorted(row.id for row in frame.select("id").collect())
    columns = answers(frame, conditions)
    return [frozenset(name for name, answer in zip(names, column, strict=True) if answer is True) for column in columns]


def assert_matches(
    spark: SparkSession,
    table: str,
    cases: list[Query],
    layouts: Callable[[str], Iterable[Layout]],
    where: Any,
    frame: DataFrame | None = None,
) -> None:
    pairs = [(query, bound) for query in cases for bound in layouts(query.policy)]
    texts = [transpile_selector(query.selector, bound).sql for query, bound in pairs]
    ansi, zone = where
    # Spark's reader of VARIANT columns extracts paths during the scan, which interpreted mode does not support.
    compiled = COMPILED if '"variant"' in json.dumps(schema(table)) else {}
    with spark_settings(
        spark,
        {"spark.sql.ansi.enabled": ansi, "spark.sql.session.timeZone": zone, **compiled},
    ):
        found = ids(rows_of(spark, table) if frame is None else frame, texts)
    for (query, _), sql, matching in zip(pairs, texts, found, strict=True):
        assert matching == query.expected, f"{query.policy}, {query.name}\n{sql}"


def test_every_table_has_a_layout() -> None:
    assert set(DOCUMENTS) - {"canonical_schema"} == set(LAYOUTS)
    assert set(DOCUMENTS) == {*INFERRED, *KAFKA, *REFUSED}


@pytest.mark.parametrize("where", SETTINGS, ids="-".join)
@pytest.mark.parametrize("table", LAYOUTS)
def test_spark_finds_the_messages_by_the_layout_of_the_store(
    spark: SparkSession, table: str, where: tuple[str, str]
) -> None:
    def layouts(policy: str) -> list[Layout]:
        own = layout(table, policy)
        return [own, own.over(schema(table))]

    assert_matches(spark, table, queries(table), layouts, where)


@pytest.mark.parametrize("table", LAYOUTS)
def test_the_reference_finds_the_messages_in_rows_of_the_store(spark: SparkSession, table: str) -> None:
    rows = rows_of(spark, table).collect()
    cases = queries(table)
    for policy in dict.fromkeys(query.policy for query in cases):
        own = layout(table, policy)
        for bound in (own, own.over(schema(table))):
            messages = [bound.message(row) for row in rows]
            for query in cases:
                if query.policy == policy:
                    truths = [evaluate(query.selector, message) for message in messages]
                    matching = frozenset(row.id for row, truth in zip(rows, truths, strict=True) if truth is True)
                    assert matching == query.expected, f"{policy}, {query.name}"


@pytest.mark.parametrize("where", sample(SETTINGS, 1), ids="-".join)
@pytest.mark.parametrize("table", INFERRED)
def test_spark_finds_the_messages_by_the_layout_that_the_schema_shows(
    spark: SparkSession, table: str, where: tuple[str, str]
) -> None:
    inferred = infer_layout(rows_of(spark, table))
    assert inferred.name == INFERRED[table]
    cases = [query for query in queries(table) if query.policy in ("typed", "by-use")]
    assert cases
    assert_matches(spark, table, cases, lambda _: [inferred], where)


@pytest.mark.parametrize(("number", "table"), list(enumerate(DOCUMENTS)))
def test_texts_and_keys_of_any_collation_are_compared_by_bytes(spark: SparkSession, number: int, table: str) -> None:
    frame = collated(rows_of(spark, table), COLLATIONS[number % len(COLLATIONS)])

    def layouts(policy: str) -> list[Layout]:
        own = [message_columns(frame, layout(table, policy)).layout] if table in LAYOUTS else []
        return [*own, infer_layout(frame)] if table in INFERRED and policy in ("typed", "by-use") else own

    cases = [query for query in queries(table) if query.policy != "parsed"]
    assert_matches(spark, table, cases, layouts, SETTINGS[0], frame)


@pytest.mark.parametrize("table", KAFKA)
def test_record_headers_are_inferred_without_a_prefix(spark: SparkSession, table: str) -> None:
    assert infer_layout(rows_of(spark, table)).name == "kafka-headers"


@pytest.mark.parametrize("table", REFUSED)
def test_text_whose_types_are_lost_is_not_guessed(spark: SparkSession, table: str) -> None:
    with pytest.raises(LayoutError, match=REFUSED[table]) as caught:
        infer_layout(rows_of(spark, table))
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "layout.types"
    assert diagnostic.hint is not None
    assert "stores." in diagnostic.hint


@pytest.mark.parametrize("table", sample(DOCUMENTS, 4))
def test_the_sql_by_hand_finds_the_messages(spark: SparkSession, table: str) -> None:
    cases = queries(table)
    found = ids(rows_of(spark, table), [query.by_hand for query in cases])
    assert found == [query.expected for query in cases]
