"""Fifty messages as twenty-three producers write them, and the layout for each: ``tests/data/stores``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.spark_ext.harness import SPARK
from transpiler import stores
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.text_types import Types

DIRECTORY = Path(__file__).parents[2] / "data" / "stores"

_MQ = {"JMSPriority": "JMS_IBM_MQMD_Priority", "JMSType": "order_type"}

#: The layout of each table: a function of the policy for text, which only stores without types use.
LAYOUTS: Mapping[str, Callable[[Types], StoreLayout]] = {
    "artemis_xml": lambda _: stores.artemis_xml(),
    "aws_lambda_activemq": lambda types: stores.aws_activemq(types),
    "aws_lambda_rabbitmq": lambda _: stores.aws_rabbitmq(),
    "confluent_jms": lambda _: stores.confluent_jms(),
    "eventhubs_capture": lambda _: stores.event_hubs_capture(),
    "eventhubs_capture_stable": lambda _: stores.event_hubs_capture(stable=True),
    "eventhubs_connector": lambda types: stores.event_hubs(types),
    "jolokia_artemis": lambda _: stores.artemis_jolokia(),
    "jolokia_classic": lambda _: stores.activemq_jolokia(),
    "json_string": lambda _: stores.variant(json=True),
    "kafka_camel": lambda types: stores.camel_kafka(types),
    "kafka_confluent_rabbitmq": lambda types: stores.confluent_rabbitmq(types),
    "kafka_ibm_mq": lambda types: stores.kafka_headers(types=types, headers=_MQ),
    "kafka_json_headers": lambda types: stores.kafka_headers(types=types),
    "lenses_jms": lambda types: stores.lenses_jms(types),
    "plain_map": lambda types: stores.text_map(types=types),
    "props_struct": lambda _: stores.struct(schema=schema("props_struct")),
    "pulsar_jms": lambda _: stores.pulsar_jms(),
    "rabbitmq_management": lambda _: stores.rabbitmq_get(),
    "rabbitmq_trace": lambda _: stores.rabbitmq_trace(),
    "solace_connector": lambda types: stores.solace(types),
    "variant_column": lambda _: stores.variant(),
}


class Query(NamedTuple):
    """A selector over a table under a policy, the hand-written SQL, and the ids of the messages that match."""

    policy: str
    name: str
    selector: str
    by_hand: str
    expected: frozenset[str]


def _documents() -> dict[str, Any]:
    documents: dict[str, Any] = json.loads((DIRECTORY / "stores.json").read_text(encoding="utf-8"))
    return documents


DOCUMENTS = _documents()


def path(table: str) -> str:
    """Return the Parquet file of ``table``. Skip the test if this version of Spark cannot read it."""
    if SPARK < (4, 1) and "variant" in DOCUMENTS[table]["schema"]:
        pytest.skip("Spark 4.0 cannot read Parquet files in which a later one has marked a column as a VARIANT")
    return str(DIRECTORY / f"{table}.parquet")


def queries(table: str) -> list[Query]:
    """Return all queries of ``table``."""
    document = DOCUMENTS[table]
    return [
        Query(policy, name, document["selectors"][name], document["sql"][policy][name], frozenset(ids.split()))
        for policy, expected in document["expected"].items()
        for name, ids in expected.items()
    ]


def types_of(policy: str) -> Types:
    """Return the argument ``types`` for the name of a policy."""
    return {"weight": "DOUBLE"} if policy == "declared" else policy


def layout(table: str, policy: str) -> StoreLayout:
    """Return the layout of ``table``. The policy is ``typed`` for a store whose rows contain the types."""
    return LAYOUTS[table](types_of(policy))


def schema(table: str) -> dict[str, Any]:
    """Return the schema of ``table`` in Spark's JSON form, from the Parquet file."""
    import pyarrow.parquet as pq

    found = pq.read_schema(path(table)).metadata[b"org.apache.spark.sql.parquet.row.metadata"]
    result: dict[str, Any] = json.loads(found)
    return result
