"""What live brokers of JMS did with messages: configurations, and for each message the queues that got it.

ActiveMQ 5.17.2 and Artemis 2.45 ran with these files. A queue of ActiveMQ is ``queue://name``; topics are counted by
their subscriptions.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from transpiler import Message, Topology
from transpiler.topology import parse_topology

_DATA = Path(__file__).parent / "data"

BROKERS = ("artemis", "activemq")

#: Queues that messages may reach, as the reference says, of all messages of a broker: more than that is a guess.
MOST_POSSIBLE = {"artemis": 110, "activemq": 35}


class Sent(NamedTuple):
    """A message, where it was sent, and who got it; ``failed`` if the sender got an error."""

    configuration: str
    message: Message
    destination: str
    routing_type: str | None
    received: frozenset[str]
    failed: bool

    def agrees(self, queues: set[str], possible: set[str], outcome: str) -> bool:
        """Return True if an answer allows what the broker did."""
        return queues <= self.received <= queues | possible and self.failed == (outcome in ("error", "rejected"))


@cache
def configurations(broker: str) -> tuple[Mapping[str, Any], ...]:
    """Return the configurations of a broker."""
    with gzip.open(_DATA / f"{broker}_live.jsonl.gz", "rt", encoding="utf-8") as lines:
        return tuple(map(json.loads, lines))


def topology_of(configuration: Mapping[str, Any]) -> Topology:
    """Return the topology of a configuration with what was there when the broker ran."""
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
