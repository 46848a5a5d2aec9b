"""RabbitMQ's headers exchange, by version: reference router, Spark and imported definitions agree with the broker."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages, route
from tests.routing import rabbitmq_headers
from transpiler import Message, route_message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import tuning
from transpiler.topology.broker_rules import RABBITMQ, RABBITMQ_3_12, Rules
from transpiler.topology.importers.rabbitmq import topology_from_definitions
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Queue

VERSIONS = {"3.10.8": RABBITMQ_3_12, "3.13": RABBITMQ}

VALUES = [rabbitmq_headers.read(row["value"]) for row in rabbitmq_headers.rows()]
MESSAGES = [Message(application_properties={"h": value}) for value in VALUES] + [
    Message(application_properties={"g": AmqpValue(AmqpType.INT, 1)})
]

#: Decimals that are equal here and different for the broker, because the canonical schema has a decimal's value without
#: its scale.
ONE = [["D", [0, 1]], ["D", [1, 10]], ["D", [2, 100]]]


def topology(rules: Rules) -> Topology:
    match = AmqpValue(AmqpType.STRING, "all")
    names = [f"q{number:02}" for number in range(len(VALUES))]
    bindings = [
        Binding("amq.headers", name, "", {"x-match": match, "h": value})
        for name, value in zip(names, VALUES, strict=True)
    ]
    return Topology(rules, (), tuple(map(Queue, names)), tuple(bindings), default_exchange="amq.headers")


def verdicts(version: str) -> list[list[str]]:
    """Return the queues of each message, as the broker of this version delivers."""
    rows = rabbitmq_headers.rows()
    values = [row["value"] for row in rows]
    found: list[list[str]] = [[] for _ in MESSAGES]
    for number, row in enumerate(rows):
        for index, digit in enumerate(row[version]):
            alike = row["value"] in ONE and index < len(values) and values[index] in ONE
            if digit == "1" or alike:
                found[index].append(f"q{number:02}")
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_the_reference_has_the_brokers_verdicts(version: str) -> None:
    found = topology(VERSIONS[version])
    for message, wanted in zip(MESSAGES, verdicts(version), strict=True):
        assert list(route_message(found, message)) == wanted, message


@pytest.mark.parametrize("layout", ["amqp", "amqp-0-10"])
@pytest.mark.parametrize("min_rows", [1, 12])
@pytest.mark.parametrize("version", VERSIONS)
def test_spark_has_the_brokers_verdicts(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, version: str, min_rows: int, layout: str
) -> None:
    monkeypatch.setattr(tuning, "MIN_ROWS", min_rows)
    frame = create_messages(spark, MESSAGES, layout).coalesce(1)
    rows = route(frame, topology(VERSIONS[version]), layout).select("queues").collect()
    assert [row.queues for row in rows] == verdicts(version)


def exported(**more: Any) -> dict[str, Any]:
    bindings = [
        {"source": "amq.headers", "vhost": "/", "destination": f"q{number:02}", "destination_type": "queue"}
        | {"routing_key": "", "arguments": {"h": row["exported"], "x-match": "all"}}
        for number, row in enumerate(rabbitmq_headers.rows())
    ]
    queues = [{"name": binding["destination"], "vhost": "/"} for binding in bindings]
    return {"bindings": bindings, "queues": queues} | more


def rows_with(found: Topology, code: str) -> list[int]:
    """Return the indexes of the bindings that diagnostics with ``code`` name."""
    codes = [finding for finding in found.findings if finding.code == code]
    return [int(finding.message.partition("[")[2].partition("]")[0]) for finding in codes]


def test_definitions_without_a_finding_have_the_brokers_verdicts() -> None:
    """Bindings whose argument the export does not contain exactly (a void, or binary) have a diagnostic."""
    found = topology_from_definitions(exported(rabbit_version="3.10.8"))
    uncertain = {number for code in ("import.types", "import.decimal") for number in rows_with(found, code)}
    rows = rabbitmq_headers.rows()
    text = next(number for number, row in enumerate(rows) if row["value"] == ["S", "undefined"])
    certain = {f"q{number:02}" for number in range(len(rows)) if number != text and number not in uncertain}
    for message, wanted in zip(MESSAGES, verdicts("3.10.8"), strict=True):
        answer = [name for name in route_message(found, message, "amq.headers") if name in certain]
        assert answer == [name for name in wanted if name in certain], message
    kinds = {row["value"][0] for number, row in enumerate(rows) if number in uncertain}
    assert kinds == {"A", "F", "D", "f", "d"}
    assert [rows[number]["value"] for number in rows_with(found, "import.void")] == [["S", "undefined"], ["V", None]]
    assert [rows[number]["value"] for number in rows_with(found, "import.bytes")] == [["x", "ff"]]


@pytest.mark.parametrize(
    ("versions", "rules"),
    [
        ({"rabbit_version": "3.10.8", "rabbitmq_version": "3.10.8"}, RABBITMQ_3_12),
        ({"rabbit_version": "3.12.14"}, RABBITMQ_3_12),
        ({"rabbit_version": "3.13.0-rc.1"}, RABBITMQ),
        ({"rabbitmq_version": "4.1.0+12.g1a"}, RABBITMQ),
        ({"rabbitmq_version": "3.9.13-1", "rabbit_version": "4.0.0"}, RABBITMQ_3_12),
    ],
)
def test_the_version_in_the_definitions_says_how_numbers_compare(versions: dict[str, str], rules: Rules) -> None:
    found = topology_from_definitions(exported(**versions))
    assert found.rules is rules
    assert rows_with(found, "import.version") == []


def test_definitions_without_a_version_are_of_today_and_say_where_that_matters() -> None:
    found = topology_from_definitions(exported())
    assert found.rules is RABBITMQ
    values = rabbitmq_headers.rows()
    assert {values[number]["value"][0] for number in rows_with(found, "import.version")} == set("bBsuIilfdDT")
    assert topology_from_definitions(exported(bindings=[], rabbit_version="unknown")).findings == ()
