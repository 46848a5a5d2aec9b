"""Results of three brokers' exchanges for bindings, and the rows that contradict the decisions of this project."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from transpiler import Message
from transpiler.language.filters.kinds import DirectBinding, Filter, HeadersBinding, Match, TopicBinding

DATA = Path(__file__).parent / "data"

#: Causes of different results: exchange, cause, and number of pairs among the 4,070. Here and in the C++ exchange "" is
#: one empty word; the other two exchanges differ.
DIFFERENT_TOPICS = {
    ("rabbitmq", "the key '' has no words, so no * is satisfied"): 2,
    ("qpid-java", "empty words at the end of a key are dropped"): 170,
    ("qpid-java", "a binding of dots only cannot be made"): 80,
}

#: Rows of the exchanges' own suites that contradict the decisions: exchange, binding, and key or headers, with the
#: cause.
CONTRADICTED = {
    ("rabbitmq", "*", ""): "the key '' has no words",
    ("rabbitmq", "*.#", ""): "the key '' has no words",
    ("rabbitmq", "#.*.#", ""): "the key '' has no words",
    ("rabbitmq", "*.#.#", ""): "the key '' has no words",
    ("qpid-cpp", "foo = FOO", "foo = FOO"): "a binding without x-match matches nothing, here it asks for all",
}


@cache
def topics() -> list[dict[str, Any]]:
    """Return pairs of a binding key and a routing key, with each exchange's result."""
    return _load("topics.jsonl.gz")


@cache
def bindings() -> list[dict[str, Any]]:
    """Return the cases of the exchanges' own test suites."""
    return _load("bindings.jsonl.gz")


def _load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.open(DATA / name, "rt", encoding="utf-8")]


def cause(exchange: str, row: dict[str, Any]) -> str | None:
    """Return why an exchange's result for a pair differs from that of the C++ exchange; None if it does not differ."""
    answer = row["matches"][exchange]
    if answer == row["matches"]["qpid-cpp"]:
        return None
    if answer == "error":
        assert set(row["binding"]) == {"."}
        return "a binding of dots only cannot be made"
    if exchange == "rabbitmq":
        assert row["routing_key"] == ""
        assert "*" in row["binding"]
        return "the key '' has no words, so no * is satisfied"
    assert row["routing_key"].endswith(".") or row["binding"].endswith(".")
    return "empty words at the end of a key are dropped"


def with_subject(subject: str) -> Message:
    return Message.from_dict({"properties": {"subject": subject}})


def case(row: dict[str, Any]) -> tuple[Filter, Message]:
    """Return a row of the suites as a filter and a message."""
    if row["kind"] != "headers":
        kind = TopicBinding if row["kind"] == "topic" else DirectBinding
        return kind(row["binding"]), with_subject(row["routing_key"])
    arguments = Message.from_dict({"application_properties": row["binding"]}).application_properties or {}
    # Broker-J accepts the key in any case, and its suite uses other cases.
    match = {key.lower(): value.value for key, value in arguments.items()}.get("x-match", "all")
    pairs = tuple((key, value) for key, value in arguments.items() if key.lower() != "x-match")
    return HeadersBinding(Match(match), pairs), Message.from_dict({"application_properties": row["headers"]})


def contradicted(row: dict[str, Any]) -> bool:
    if row["kind"] == "headers":
        texts = [
            " AND ".join(f"{key} = {value['value']}" for key, value in row[part].items())
            for part in ("binding", "headers")
        ]
    else:
        texts = [row["binding"], row["routing_key"]]
    return (row["engine"], *texts) in CONTRADICTED and "x-match" not in row["binding"]
