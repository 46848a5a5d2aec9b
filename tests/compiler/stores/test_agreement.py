"""For rows of a store, Spark agrees with the reference evaluator on the message that ``layout.message`` returns."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext.messages.schemas import message_columns
from tests.compiler.layouts.written_rows import row_of
from tests.compiler.stores import strategies
from tests.compiler.stores.frames import COLLATIONS, collated, make_frame
from tests.compiler.stores.tables import DOCUMENTS, LAYOUTS, layout, schema
from tests.conformance.vectors import DIALECTS
from tests.sizes import is_full, sample, size
from tests.spark_ext.harness import INTERPRETED, answers
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import PHASES, RECEIVER
from tests.spark_ext.test_dialect_agreement import accepted
from transpiler import parse_selector, transpile_selector
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge

SELECTORS, ROWS = size(10, 12), 16
ALL_DIALECTS = ("jms", *DIALECTS)

#: The policies for text that are tested on a map, on bytes in an array and on bytes in a map. Other stores use those of
#: the tables.
POLICIES = ("string", "by-use", "parsed", "json", "declared")
CASES = [
    (table, policy)
    for table in LAYOUTS
    for policy in (
        POLICIES
        if table in ("plain_map", "kafka_json_headers", "solace_connector")
        else tuple(DOCUMENTS[table]["expected"])
    )
]

#: Keys that each store has in addition to the properties.
KEYS = {
    "artemis_xml": ("_AMQ_GROUP_ID",),
    "aws_lambda_rabbitmq": ("bytes",),
    "eventhubs_capture": ("subject", "message-id", "correlation-id"),
    "eventhubs_capture_stable": ("subject", "reply-to", "user-id"),
    "eventhubs_connector": ("subject", "message-id", "group-id"),
    "kafka_ibm_mq": ("JMS_IBM_MQMD_Priority", "order_type"),
    "pulsar_jms": ("JMSMessageId", "color_jsmtype", "weight_jsmtype", "urgent_jsmtype", "JMSType_jsmtype"),
    "solace_connector": ("solace_priority", "solace_expiration", "solace_redelivered"),
}
#: Tables with RabbitMQ's JSON. Their basic properties have their own types, because Spark itself defines how another
#: type is cast.
RABBITMQ = ("rabbitmq_management", "rabbitmq_trace")
PREFIXES = {"kafka_camel": "CamelHeader.", "kafka_confluent_rabbitmq": "rabbitmq."}
_RABBITMQ = ("priority", "type", "delivery.mode", "redeliver", "message.id", "correlation.id", "user.id")


def keys_of(table: str) -> tuple[str, ...]:
    """Return the keys of maps and arrays in random rows of ``table``."""
    names = (*strategies.PROPERTIES * 2, *strategies.HEADERS, *KEYS.get(table, ()) * 2)
    if table in PREFIXES:
        return (*(PREFIXES[table] + name for name in (*names, *_RABBITMQ)), "color")
    return names


def assert_agreement(
    spark: SparkSession,
    table: str,
    own: Layout,
    dialect: str,
    texts: list[str],
    rows: list[dict[str, Any]],
    collation: str | None = None,
) -> None:
    frame = make_frame(spark, rows, schema(table))
    if collation is not None:
        frame = collated(frame, collation)
        own = message_columns(frame, own).layout
    messages = [own.message(row) for row in sorted(frame.collect(), key=lambda row: row.number)]  # type: ignore[attr-defined]
    rules = find_dialect(dialect)
    truths = [
        [judge(parse_selector(text, dialect), message, rules, Receiver(**RECEIVER)).truth for message in messages]
        for text in texts
    ]
    for result in ("ternary", "filter", "boolean") if is_full() else ("ternary", "filter"):
        sqls = [
            transpile_selector(text, own, dialect=dialect, result=result, missing="null", **RECEIVER).sql  # type: ignore[arg-type]
            for text in texts
        ]
        for text, sql, expected, column in zip(texts, sqls, truths, answers(frame, sqls, "number"), strict=True):
            for row, message, truth, answer in zip(rows, messages, expected, column, strict=True):
                agree = answer is truth if result == "ternary" else (answer is True) is (truth is True)
                assert agree, f"{table} {dialect} {result}: {text}\n{sql}\n{row}\n{message}\n{truth} {answer}"


def in_one_place(row: dict[str, Any]) -> dict[str, Any]:
    """Return ``row`` with each name in only one of Jolokia's maps, as in a JMS message."""
    seen: set[str] = set()
    for column in [column for column in row if column.endswith("Properties") and isinstance(row[column], dict)]:
        row = {**row, column: {name: value for name, value in row[column].items() if name not in seen}}
        if column not in ("Properties", "SystemProperties"):
            seen.update(row[column])
    return row


def draw_case(data: st.DataObject, table: str, own: Layout) -> tuple[list[Any], list[dict[str, Any]]]:
    """Draw selectors, and rows that the store's producer writes or that are arbitrary."""
    trees = data.draw(st.lists(strategies.selectors(), min_size=SELECTORS, max_size=SELECTORS))
    written = strategies.messages.map(partial(row_of, own))
    keys = keys_of(table)
    known = {"properties": strategies.rabbitmq_properties(keys)} if table in RABBITMQ else {}
    rows = st.one_of(written, strategies.rows(schema(table), keys, known).map(in_one_place))
    return trees, data.draw(st.lists(rows, min_size=ROWS, max_size=ROWS))


def session_settings(number: int) -> dict[str, str]:
    """Return settings with ANSI and time zone alternating by ``number``.

    No VARIANT file is read, so that expressions can be interpreted.
    """
    return {
        **INTERPRETED,
        "spark.sql.ansi.enabled": json.dumps(bool(number % 2)),
        "spark.sql.session.timeZone": ("UTC", "America/New_York", "Asia/Kathmandu")[number % 3],
    }


@pytest.mark.parametrize(("number", "table", "policy"), sample([(i, *case) for i, case in enumerate(CASES)], 14))
@given(data=st.data())
@settings(max_examples=1, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_rows_of_a_store(
    spark: SparkSession, number: int, table: str, policy: str, data: st.DataObject
) -> None:
    own = layout(table, policy)
    own = own.over(schema(table))
    trees, rows = draw_case(data, table, own)
    with spark_settings(spark, session_settings(number)):
        # A table has several policies, so that it is tested in several dialects. All combinations took hours.
        dialect = ALL_DIALECTS[number % len(ALL_DIALECTS)]
        collation = (None, *COLLATIONS)[number % (len(COLLATIONS) + 1)]
        assert_agreement(spark, table, own, dialect, accepted(trees, dialect), rows, collation)


#: Rows with a text of an unknown type, a text that is not of its type, and texts that represent null; and rows in which
#: several members of a union are set.
ODD_TEXTS: dict[str, list[dict[str, Any]]] = {
    "confluent_jms": [
        {"properties": {"urgent": {"propertyType": tag, "boolean": True, "integer": number, "long": 2, "string": "{}"}}}
        for tag in (None, "boolean", "integer", "long", "bytes", "string", "odd")
        for number in (None, 1)
    ],
    "artemis_xml": [
        {"properties": {"property": [None, {"_name": "urgent", "_type": type_name, "_value": text}]}}
        for type_name in (None, "bytes", "long", "odd", "string")
        for text in (None, "{}", "1", "_AMQ_NULL")
    ],
    "pulsar_jms": [
        {"__messageProperties": {"urgent": text, "urgent_jsmtype": type_name}}
        for type_name in (None, "long", "odd", "string")
        for text in (None, "{}", "1")
    ],
}


@pytest.mark.parametrize("dialect", ALL_DIALECTS)
@pytest.mark.parametrize("table", ODD_TEXTS)
def test_a_value_whose_type_is_odd_is_what_the_reference_makes_of_it(
    spark: SparkSession, table: str, dialect: str
) -> None:
    own = layout(table, "typed").over(schema(table))
    texts = [
        "urgent IS NULL",
        "urgent IS NOT NULL",
        "NOT (NOT urgent IS NOT NULL)",
        "urgent = 1",
        "NOT urgent = 1",
        "urgent <> '{}'",
        "NOT 1 BETWEEN 2 AND urgent",
        "urgent",
    ]
    names = {column["name"] for column in schema(table)["fields"]}
    rows = [dict.fromkeys(names) | row for row in ODD_TEXTS[table]]
    with spark_settings(spark, INTERPRETED):
        assert_agreement(spark, table, own, dialect, accepted([parse_selector(text) for text in texts], dialect), rows)
