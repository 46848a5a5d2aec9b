"""Spark routes the brokers' own test vectors as the brokers do.

Each binding has its own queue, and all messages are routed in one pass.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages, route
from tests.conformance.parted import Parted
from tests.conformance.test_bindings import rows
from transpiler import Message, Topology, TopologyError
from transpiler.topology import Binding, Exchange, Queue
from transpiler.topology.broker_rules import RULES

#: A case of a broker: the type of the exchange, the binding, the message, and the broker's answer.
Case = tuple[str, Any, dict[str, Any], Any]


def cases(engine: str) -> list[Case]:
    """Return all vectors of ``engine``. The versions of a broker differ in how they compare headers."""
    broker = engine.removesuffix("-3.12")
    found: list[Case] = [
        ("topic", row["binding"], {"properties": {"subject": row["routing_key"]}}, row["matches"][broker])
        for row in rows("topics.jsonl.gz")
    ]
    for row in rows("bindings.jsonl.gz"):
        if row["engine"] == broker and row["kind"] != "topic-normalize":
            headers = {"application_properties": row["headers"]} if "headers" in row else {}
            message = {"properties": {"subject": row.get("routing_key")}} | headers
            found.append((row["kind"], row["binding"], message, row["expected"]))
    return found


def bound(engine: str, kind: str, binding: Any, queue: str) -> Binding | None:
    """Return a binding to ``queue``; None if the broker rejects the binding."""
    key, arguments = (binding, {}) if isinstance(binding, str) else ("", binding)
    read = Message.from_dict({"application_properties": arguments}).application_properties
    assert read is not None
    try:
        Topology(RULES[engine], (Exchange("x", kind),), (Queue(queue),), (Binding("x", queue, key, read),))
    except TopologyError:
        return None
    return Binding(kind, queue, key, read)


@pytest.mark.parametrize("engine", sorted(name for name, rules in RULES.items() if rules.addressing.has_exchanges))
def test_route_answers_every_vector_as_the_broker_does(spark: SparkSession, engine: str) -> None:
    vectors = cases(engine)
    queues: dict[str, str] = {}
    bindings: dict[str, Binding | None] = {}
    messages: dict[str, tuple[int, str, Message]] = {}
    for kind, binding, message, _ in vectors:
        name = json.dumps([kind, binding])
        if name not in queues:
            queues[name] = f"q{len(queues)}"
            bindings[name] = bound(engine, kind, binding, queues[name])
        messages.setdefault(json.dumps([kind, message]), (len(messages), kind, Message.from_dict(message)))
    kinds = sorted({kind for kind, *_ in vectors})
    topology = Topology(
        RULES[engine],
        tuple(Exchange(kind, kind) for kind in kinds),
        tuple(map(Queue, queues.values())),
        tuple(binding for binding in bindings.values() if binding is not None),
    )
    frame = create_messages(spark, [message for *_, message in messages.values()]).coalesce(1)
    frame = frame.withColumn("id", sf.monotonically_increasing_id())
    exchanges = sf.array(*(sf.lit(kind) for _, kind, _ in messages.values()))
    frame = frame.withColumn("exchange", sf.get(exchanges, sf.col("id").cast("int")))
    answers = {row.id: set(row.queues) for row in route(frame, topology).select("id", "queues").collect()}
    parted = Parted()
    for kind, binding, message, expected in vectors:
        name = json.dumps([kind, binding])
        number, *_ = messages[json.dumps([kind, message])]
        answer = "error" if bindings[name] is None else queues[name] in answers[number]
        if answer != expected:
            parted.add(len(parted.cases), f"{kind} {binding}", message, expected, answer)
    parted.check()
    assert len(vectors) > 4_070
