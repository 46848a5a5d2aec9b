"""The reference router delivers as the exchanges' own test suites and three brokers do."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.parted import Parted
from transpiler import Message, Topology, TopologyError, route_message
from transpiler.base.topics import TOPIC_SYNTAX, simplify_words
from transpiler.topology import Binding, Exchange, Queue
from transpiler.topology.broker_rules import RULES

DATA = Path(__file__).parent / "data"


def rows(file: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def delivers(engine: str, kind: str, binding: Any, message: dict[str, Any]) -> bool:
    """Return True if a broker with one binding delivers. Raise ``TopologyError`` if it rejects the binding."""
    key, arguments = (binding, {}) if isinstance(binding, str) else ("", binding)
    read = Message.from_dict({"application_properties": arguments}).application_properties
    assert read is not None
    topology = Topology(RULES[engine], (Exchange("x", kind),), (Queue("q"),), (Binding("x", "q", key, read),))
    return route_message(topology, Message.from_dict(message), "x") == ("q",)


def test_every_row_of_the_suites_is_answered() -> None:
    answered = {"topic": 0, "direct": 0, "headers": 0, "topic-normalize": 0}
    parted = Parted()
    for row in rows("bindings.jsonl.gz"):
        answered[row["kind"]] += 1
        if row["kind"] == "topic-normalize":
            answer: object = TOPIC_SYNTAX.text(simplify_words(TOPIC_SYNTAX.pattern(row["binding"])))
        else:
            headers = {"application_properties": row["headers"]} if "headers" in row else {}
            message = {"properties": {"subject": row.get("routing_key")}} | headers
            answer = delivers(row["engine"], row["kind"], row["binding"], message)
        if answer != row["expected"]:
            parted.add(len(parted.cases), row["binding"], row, row["expected"], answer)
    parted.check()
    assert answered == {"topic": 607, "direct": 4, "headers": 187, "topic-normalize": 9}


@pytest.mark.parametrize("engine", sorted(set(RULES) - {"activemq", "artemis"}))
def test_every_pair_of_topic_keys_has_the_brokers_answer(engine: str) -> None:
    parted, count = Parted(), 0
    for row in rows("topics.jsonl.gz"):
        count += 1
        try:
            answer: object = delivers(engine, "topic", row["binding"], {"properties": {"subject": row["routing_key"]}})
        except TopologyError:
            answer = "error"
        # The versions of a broker differ in how they compare headers.
        broker = row["matches"][engine.removesuffix("-3.12")]
        if answer != broker:
            parted.add(count, row["binding"], row["routing_key"], broker, answer)
    parted.check()
    assert count == 4_070
