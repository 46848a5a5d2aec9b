"""Observations of live JMS brokers: configurations, and for each message the queues that received it.

ActiveMQ 5.17.2 and Artemis 2.45 ran with these files. A queue of ActiveMQ is ``queue://name``; topics are counted by
their subscriptions.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.sizes import sample
from transpiler import Message
from transpiler.base.topics import MANY_WORDS, ONE_WORD
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing.exchange_graph import build_exchange_graph
from transpiler.topology import parse_topology
from transpiler.topology.broker_rules import RULES
from transpiler.topology.model import Topology
from transpiler.topology.records import REPLACEMENT_ARGUMENT, Binding, Exchange, Queue
from transpiler.topology.targets import TargetType

_DATA = Path(__file__).parent / "data"

BROKERS = ("artemis", "activemq")

#: Maximum total number of possible queues in the reference router's answers for all messages of a broker. More would be
#: guessing.
MOST_POSSIBLE = {"artemis": 110, "activemq": 35}


class Sent(NamedTuple):
    """A message, its destination, and the queues that got it; ``failed`` if the sender got an error."""

    configuration: str
    message: Message
    destination: str
    routing_type: str | None
    received: frozenset[str]
    failed: bool

    def agrees(self, queues: set[str], possible: set[str], outcome: str) -> bool:
        """Return True if the given answer allows what the broker did."""
        fails = outcome == "undecided" or self.failed == (outcome in ("error", "rejected"))
        return queues <= self.received <= queues | possible and fails


@cache
def configurations(broker: str) -> tuple[Mapping[str, Any], ...]:
    """Return the configurations of ``broker``."""
    with gzip.open(_DATA / f"{broker}_live.jsonl.gz", "rt", encoding="utf-8") as lines:
        return tuple(map(json.loads, lines))


def topology_of(configuration: Mapping[str, Any]) -> Topology:
    """Return the topology of a configuration, with what existed when the broker ran."""
    state = {name: configuration[name] for name in ("queues", "subscriptions", "consumers") if name in configuration}
    return parse_topology(configuration["config_xml"], f"{configuration['id']}.xml", state=state)


def sent(configuration: Mapping[str, Any]) -> Iterator[Sent]:
    """Yield the messages of a configuration."""
    for item in configuration.get("messages", ()):
        received = {name for name in item["received"] if not name.startswith("topic://")}
        yield Sent(
            configuration["id"],
            _message(item),
            item["destination"],
            item["headers"].get("routing"),
            frozenset(received | set(item.get("subscribers", ()))),
            "error" in item,
        )


def _message(item: Mapping[str, Any]) -> Message:
    headers = {name: value for name, value in item["headers"].items() if name != "routing"}
    message = Message.of(**headers)
    return Message(
        message.header,
        properties=message.properties,
        application_properties=Message.from_dict({"application_properties": item["properties"]}).application_properties,
        header_values=message.header_values,
    )


def merged(broker: str, rings: bool) -> tuple[Topology, list[Sent]]:
    """Return configurations of a broker as one topology, and their messages: those with rings, or those without.

    Each name gets the number of its configuration as an additional word, so that one plan routes all of them. A sample
    contains a third of the configurations, because the plan grows with each.
    """
    exchanges: dict[str, Exchange] = {}
    queues: list[Queue] = []
    bindings: list[Binding] = []
    messages: list[Sent] = []
    rules = RULES[broker]
    started = [each for each in configurations(broker) if "start_error" not in each]
    fitting = [
        (each["id"], each, topology)
        for each in started
        if (topology := topology_of(each)).rules == rules and build_exchange_graph(topology).rings is rings
    ]
    for word, configuration, topology in sample(fitting, len(fitting) // 3):
        for exchange in topology.exchanges:
            alternate = exchange.alternate
            if alternate is not None:
                name = _end(alternate.type, alternate.name, word)
                alternate = replace(alternate, name=name)
            inner = replace(exchange, name=f"{word}/{exchange.name}", alternate=alternate, internal=True)
            exchanges[inner.name] = inner
            if not exchange.internal:
                exchanges.setdefault(exchange.name, Exchange(exchange.name, "topic"))
                key = rules.topic.key((word, MANY_WORDS), ONE_WORD if _qualified(topology, exchange.name) else None)
                bindings.append(Binding(exchange.name, inner.name, key, destination_type="exchange"))
        queues += (Queue(_named(queue.name, word)) for queue in topology.queues)
        bindings += (_with_word(binding, word, topology) for binding in topology.bindings)
        messages += (_sent_with_word(each, word) for each in sent(configuration))
    return Topology(rules, tuple(exchanges.values()), tuple(queues), tuple(bindings)), messages


def _end(kind: TargetType, name: str, word: str) -> str:
    named = {"queue": _named(name, word), "exchange": f"{word}/{name}"}
    return named.get(kind, name)


def _named(name: str, word: str) -> str:
    kind, separator, rest = name.rpartition("://")
    return f"{kind}{separator}{word}.{rest}"


def _key(key: str, word: str, any_key: str = "") -> str:
    return key if key in ("", any_key) else f"{word}.{key}"


def _qualified(topology: Topology, exchange: str) -> bool:
    entered = topology.exchange_by_name[exchange].entered
    return entered is not None and entered.qualified


def _with_word(binding: Binding, word: str, topology: Topology) -> Binding:
    source, key = binding.source, binding.key
    # A fanout exchange compares no keys. The empty key of an address is a key.
    is_fanout = topology.exchange_by_name[source].type == "fanout"
    arguments = dict(binding.arguments)
    replacement = binding.text(REPLACEMENT_ARGUMENT)
    if replacement is not None:
        arguments[REPLACEMENT_ARGUMENT] = AmqpValue(AmqpType.STRING, _key(replacement, word))
    return replace(
        binding,
        source=f"{word}/{source}",
        destination=_end(binding.destination_type, binding.destination, word),
        key=key if is_fanout else f"{word}." if key == "" else _key(key, word, topology.rules.topic.key((MANY_WORDS,))),
        arguments=arguments,
    )


def _sent_with_word(each: Sent, word: str) -> Sent:
    parts = [
        re.sub(r"^(\s*(?:(?:queue|topic)://)?\s*)", rf"\g<1>{word}.", part) for part in each.destination.split(",")
    ]
    return each._replace(destination=",".join(parts), received=frozenset(_named(name, word) for name in each.received))
