"""Addresses of a JMS broker as the exchanges of a topology for people: pictures and reports are of these.

The exchanges that route are cases: they differ by routing type, by what has taken a message already, and by who was
asked before. Here an address, or a destination, is one exchange; its bindings are what leads from it to queues, and by
diverts and virtual destinations to other addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.broker_rules import MATCHING_TYPES
from transpiler.topology.destinations import (
    ACTIVEMQ_PATTERNS,
    FULLY_QUALIFIED,
    OWN_QUEUE,
    UNDECLARED,
    artemis_characters,
    destination_name,
    own_prefix,
)
from transpiler.topology.model import SELECTOR_ARGUMENT, Binding, Exchange, Link, Queue, Topology

#: The keys that every message matches.
_ANY = ("", "#")


def addresses_of(topology: Topology) -> Topology:
    """Return the addresses of a JMS broker's topology; another topology as it is."""
    if topology.rules.destinations is None:
        return topology
    bindings = {_identity(binding): binding for binding in _Walk(topology).bindings()}
    names = dict.fromkeys(name for each in bindings.values() for name in _exchanges(each))
    links = tuple(_shown(topology, link, names) for link in topology.links if link.source != OWN_QUEUE)
    names |= dict.fromkeys(link.destination or "" for link in links if link.destination_type == "exchange")
    queues = {queue.name: queue for queue in topology.queues}
    targets = (link.destination or "" for link in links if link.destination_type == "queue")
    queues |= {name: Queue(name) for name in targets if name not in queues}
    made = (_of_made_queue(queues, *two) for two in pairwise(links))
    bindings |= {_identity(binding): binding for binding in made if binding is not None}
    return Topology(
        topology.rules,
        tuple(Exchange(name, "fanout") for name in names),
        tuple(queues.values()),
        tuple(bindings.values()),
        words=topology.words,
        findings=topology.findings,
        links=links,
    )


def _shown(topology: Topology, link: Link, names: Mapping[str, None]) -> Link:
    """Return a link to an address; where nothing but a queue of its name is there, which a send makes, to the queue."""
    if link.destination_type == "queue":
        return link
    name = destination_name(topology, link.destination or "", link.key or "")
    prefix = own_prefix(topology)
    is_queue = prefix != "" and name.startswith(prefix) and name not in names
    return replace(link, destination=name, destination_type="queue" if is_queue else "exchange", key=None)


def _of_made_queue(queues: Mapping[str, Queue], before: Link, link: Link) -> Binding | None:
    """Return the binding of a queue that the broker makes at a dead-letter address; the link to that comes before."""
    name = link.destination or ""
    if (
        link.destination_type != "queue"
        or before.destination is None
        or SELECTOR_ARGUMENT not in queues[name].arguments
    ):
        return None
    return Binding(before.destination, name, "", queues[name].arguments)


def sample_address(topology: Topology, pattern: str) -> str:
    """Return an address that a pattern of an address matches."""
    kind, separator, name = pattern.rpartition("://")
    words = ACTIVEMQ_PATTERNS if separator else artemis_characters(topology.words)
    plain = ["x" if word in ("*", "#") else word for word in words.translate(name).split(".")]
    return kind + separator + words.inverse.translate(".".join(plain))


def _identity(binding: Binding) -> tuple[str, str, str, str | None]:
    return binding.source, binding.destination_type, binding.destination, binding.text(SELECTOR_ARGUMENT)


def _exchanges(binding: Binding) -> tuple[str, ...]:
    return (binding.source, binding.destination) if binding.destination_type == "exchange" else (binding.source,)


class _Walk:
    """Follows bindings from the entries, with the address and the selector that lead there."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._seen: set[tuple[str, str | None, str | None, str]] = set()

    def bindings(self) -> Iterator[Binding]:
        entries = [name for name, exchange in self._topology.exchange_by_name.items() if not exchange.internal]
        waiting: list[tuple[str, str | None, str | None, str]] = [
            (name, None, None, name) for name in entries if name and not name.endswith(FULLY_QUALIFIED)
        ]
        while waiting:
            here = waiting.pop()
            if here in self._seen:
                continue
            self._seen.add(here)
            exchange, pattern, selector, entry = here
            alternate = self._topology.exchange_by_name[exchange].alternate
            if alternate is not None and alternate.type == "exchange":
                waiting.append((alternate.name, pattern, None, entry))
            for binding in self._topology.bindings_by_source.get(exchange, ()):
                onward = pattern if binding.key in _ANY else binding.key
                asked = _both(selector, binding.text(SELECTOR_ARGUMENT))
                key = self._topology.replacement_key(binding)
                if binding.destination_type == "exchange" and key is None:
                    # Who of several gets a message is asked again by the exchange that chooses.
                    chooses = self._topology.exchange_by_name[binding.destination].type in MATCHING_TYPES
                    waiting.append((binding.destination, onward, None if chooses else asked, entry))
                    continue
                address = destination_name(self._topology, entry, "#" if onward is None else onward)
                if binding.destination_type == "queue":
                    if binding.destination not in UNDECLARED:
                        yield _edge(replace(binding, source=address), asked)
                    continue
                assert key is not None
                following = binding.destination.partition(" ")[0].partition(",")[0]
                if following.endswith(FULLY_QUALIFIED):
                    key = key.partition(".")[2]
                yield _edge(
                    replace(binding, source=address, destination=destination_name(self._topology, following, key)),
                    asked,
                )
                waiting.append((binding.destination, None, None, following))


def _edge(binding: Binding, selector: str | None) -> Binding:
    arguments = {} if selector is None else {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector)}
    return replace(binding, key="", arguments=arguments)


def _both(first: str | None, second: str | None) -> str | None:
    if first is None or second is None or first == second:
        return second if first is None else first
    return f"({first}) AND ({second})"
