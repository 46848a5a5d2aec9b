"""Corpus of the golden dump: selectors, filters, addresses and topologies, the same in every run."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent.parent / "conformance" / "data"

NAMES = (
    *("a", "b", "color", "weight", "price", "flag", "note", "JMSPriority", "JMSType", "JMSTimestamp", "JMSMessageID"),
    *("JMSDeliveryMode", "JMSCorrelationID", "JMSXGroupID", "JMSXDeliveryCount", "JMSReplyTo", "JMSExpiration"),
)
TEXTS = ("red", "", "it''s", "eu-%", "été", "1", "_x!%", "ID:a", "NON_PERSISTENT", "a.b", "true")
NUMBERS = (
    *("0", "1", "-1", "2.5", "1e3", "9223372036854775807", "-9223372036854775808", "16777217", "0x1F", "1.5D", "7L"),
    *("0.1", "1750772279000", "2147483648", "100.0", ".5", "3."),
)
PATTERNS = ("%", "a%", "%a", "%a%", "a_c", "", "a!%c", "a%b%c", "_", "é%", "a\\\\b%")

#: The schema of a DataFrame with typed columns. A name without a column is NULL.
COLUMNS: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in (
            *(("a", "integer"), ("b", "string"), ("color", "string"), ("weight", "double"), ("price", "decimal(9,2)")),
            *(("flag", "boolean"), ("note", "binary"), ("JMSPriority", "byte"), ("JMSType", "string")),
            *(("JMSTimestamp", "timestamp"), ("JMSMessageID", "string"), ("x", "float")),
        )
    ],
}

_HEADERS = "apache.org:legacy-amqp-headers-binding:map"
FILTERS = (
    {"f": {"descriptor": "apache.org:selector-filter:string", "value": "color = 'red' AND JMSPriority > 4"}},
    {"f": {"descriptor": "apache.org:legacy-amqp-direct-binding:string", "value": "a.b"}},
    {"f": {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "a.*.#"}},
    {"f": {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "#.é.#.b"}},
    {"f": {"descriptor": "apache.org:legacy-amqp-headers-binding:map", "value": {"x-match": "any", "a": 1, "b": None}}},
    {
        "f": {
            "descriptor": "apache.org:legacy-amqp-headers-binding:map",
            "value": {"x-match": "all", "a": "x", "b": True},
        }
    },
    {"f": {"descriptor": "apache.org:no-local-filter:list", "value": []}},
    {"sql-filter": {"descriptor": "amqp:sql-filter", "value": "properties.subject LIKE 'a%' AND weight > 2.5"}},
    {"f": {"descriptor": "amqp:properties-filter", "value": {"subject": "&p:a", "to": "x"}}},
    {"f": {"descriptor": "amqp:application-properties-filter", "value": {"a": 1, "b": "&s:z", "c": None}}},
)
ADDRESSES = (
    "q",
    "x/a.b",
    "x/a.*.#",
    "amq.topic/#.b",
    "amq.match",
    "amq.fanout/y",
    "amq.direct/k",
    "x; {create: always}",
)


def dialects() -> tuple[str, ...]:
    """Return the names of all dialects except artemis-core, whose SQL is that of artemis with other names."""
    return "jms", "activemq", "artemis", "qpid-java", "qpid-cpp", "rabbitmq", "rabbitmq-jms"


@cache
def written() -> tuple[str, ...]:
    """Return the distinct selectors of the brokers' suites and of the vectors."""
    found: dict[str, None] = {}
    for name in ("suites", "probes", "random_simple", "random_full"):
        with gzip.open(VECTORS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if isinstance(row.get("selector"), str):
                    found[row["selector"]] = None
    return tuple(found)


def selectors(number: int) -> Iterator[str]:
    """Yield ``number`` selectors: the written ones, evenly thinned out if there are too many, and random ones."""
    texts = written()
    step = max(1, 2 * len(texts) // number)
    chosen = texts[::step]
    yield from chosen
    for index in range(number - len(chosen)):
        yield _condition(random.Random(index), 3)


def _operand(draw: random.Random, depth: int) -> str:
    kind = draw.randrange(8 if depth else 6)
    if kind < 3:
        return draw.choice(NAMES)
    if kind < 5:
        return draw.choice(NUMBERS)
    if kind == 5:
        return f"'{draw.choice(TEXTS)}'"
    if kind == 6:
        return f"{_operand(draw, 0)} {draw.choice('+-*/')} {_operand(draw, 0)}"
    return f"-{draw.choice(NAMES)}"


def _test(draw: random.Random) -> str:
    name, no = draw.choice(NAMES), draw.choice(("", "", "NOT "))
    match draw.randrange(9):
        case 0 | 1 | 2:
            operator = draw.choice(("=", "<>", "<", "<=", ">", ">="))
            return f"{_operand(draw, 1)} {operator} {_operand(draw, 1)}"
        case 3:
            members = ", ".join(f"'{draw.choice(TEXTS)}'" for _ in range(draw.randint(1, 4)))
            return f"{name} {no}IN ({members})"
        case 4:
            escape = draw.choice(("", " ESCAPE '!'"))
            return f"{name} {no}LIKE '{draw.choice(PATTERNS)}'{escape}"
        case 5:
            return f"{name} {no}BETWEEN {_operand(draw, 0)} AND {_operand(draw, 0)}"
        case 6:
            return f"{name} IS {no}NULL"
        case 7:
            return name
        case _:
            return f"{name} = {draw.choice(('TRUE', 'FALSE'))}"


def _condition(draw: random.Random, depth: int) -> str:
    kind = draw.randrange(6)
    if depth == 0 or kind < 2:
        return _test(draw)
    if kind == 2:
        return f"NOT ({_condition(draw, depth - 1)})"
    joint = draw.choice((" AND ", " OR "))
    return joint.join(f"({_condition(draw, depth - 1)})" for _ in range(draw.randint(2, 4)))


def topologies() -> Iterator[dict[str, Any]]:
    """Yield a topology for each broker: all types of exchanges, arguments of several types, selectors, alternates."""
    for broker in ("qpid-java", "qpid-cpp", "rabbitmq"):
        draw = random.Random(broker)
        exchanges = [{"name": f"x{kind}", "type": kind} for kind in ("direct", "topic", "fanout", "headers")]
        bindings: list[dict[str, Any]] = []
        for number in range(120):
            exchange = draw.choice(exchanges)
            binding: dict[str, Any] = {"source": exchange["name"], "queue": f"q{number % 40}"}
            words = [draw.choice(("a", "b", "été", "*", "#")) for _ in range(draw.randint(1, 4))]
            binding["key"] = ".".join(words if exchange["type"] == "topic" else [word for word in words if word != "#"])
            if exchange["type"] == "headers":
                values: tuple[Any, ...] = (1, "a", True, 2.5, "")
                binding["arguments"] = {"x-match": draw.choice(("all", "any"))} | {
                    name: draw.choice(values) for name in draw.sample("abc", draw.randint(1, 3))
                }
            elif broker == "qpid-java" and number % 3 == 0:
                text = f"a = '{draw.choice('xyz')}' AND weight > {draw.randint(0, 9)}"
                binding["arguments"] = {"x-filter-jms-selector": text}
            bindings.append(binding)
        yield {
            "broker": broker,
            "exchanges": exchanges,
            "queues": [f"q{number}" for number in range(40)],
            "bindings": bindings,
        }
