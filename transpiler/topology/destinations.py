"""Destinations of the JMS brokers: where a send enters a topology, and the queues that only the send names.

A topology of Artemis or ActiveMQ has exchanges that match the words of a *key*: an address, with a queue behind it or
without, or a destination's name. A destination becomes an exchange, by routing type or by kind, and such a key, which
is what the sender wrote; the characters of wildcards are in the broker's rules.

Bindings lead to queues by name, to the queue that has the destination's own name, which the broker creates when it is
sent to, and to outcomes of the send (``topology.targets``).

Sources: ``CompositeAddress`` and ``WildcardConfiguration`` of Artemis; ``ActiveMQDestination`` of ActiveMQ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from transpiler.base.arguments import check_choice
from transpiler.topology.broker_rules import ARTEMIS, Destinations

if TYPE_CHECKING:
    from transpiler.topology.model import Topology

#: The routing type of a message of Artemis; None is a message without one.
RoutingType = Literal["ANYCAST", "MULTICAST"]

ROUTING_TYPES: tuple[RoutingType, ...] = get_args(RoutingType)

#: The exchanges that destinations enter at: Artemis's by routing type, ActiveMQ's by kind.
UNTYPED = "untyped"
QUEUE_KIND, TOPIC_KIND = "queue", "topic"

#: A note on what the file of ActiveMQ does not say.
SUBSCRIBERS = "who subscribes to topics is not in the broker's file, and not judged: --state FILE says it"

#: Behind the name of the entry for messages that are sent to a list.
LISTED = ", of a list"

#: Behind the name of the entry for messages that name an address and a queue.
FULLY_QUALIFIED = ARTEMIS.topic.queue_mark

#: Spaces that the names of ActiveMQ's destinations lose at their ends.
SPACES = " \t\n\r\f"

_PREFIXES: Mapping[str, str] = MappingProxyType({QUEUE_KIND: "queue://", TOPIC_KIND: "topic://"})


class Send(NamedTuple):
    """The exchange at which a message enters, and its key there."""

    exchange: str
    key: str


def entry_name(routing_type: str | None, qualified: bool = False) -> str:
    """Return the name of the exchange that messages of a routing type enter at."""
    return f"{routing_type or UNTYPED}{FULLY_QUALIFIED if qualified else ''}"


def sends_of(topology: Topology, destination: str, routing_type: str | None = None) -> tuple[Send, ...]:
    """Return where a send to a destination enters; to a list of destinations there are several, to none no entry.

    Raises ``ValueError`` for a routing type that is none.
    """
    if routing_type is not None:
        check_choice("routing_type", routing_type, ROUTING_TYPES)
    if topology.rules.destinations is Destinations.ACTIVEMQ:
        parts = list(activemq_parts(destination))
        # To filters that read the destination, that of a list is the whole list.
        listed = LISTED if len(parts) > 1 and QUEUE_KIND + LISTED in topology.exchange_by_name else ""
        return tuple(Send(kind + listed, name) for kind, name in parts)
    return (Send(entry_name(routing_type, topology.rules.topic.queue_mark in destination), destination),)


def entered_by(topology: Topology, routing_type: str | None) -> Topology:
    """Return an Artemis topology that only messages of a routing type enter; the same topology where none is given."""
    if routing_type is None:
        return topology
    entries = {entry_name(routing_type), entry_name(routing_type, qualified=True)}
    exchanges = tuple(
        exchange if exchange.internal or exchange.name in entries else replace(exchange, internal=True)
        for exchange in topology.exchanges
    )
    return replace(topology, exchanges=exchanges)


def activemq_parts(destination: str) -> Iterable[tuple[str, str]]:
    """Yield the kinds and names of a list of ActiveMQ destinations, in which kinds are inherited from the first.

    Names lose spaces around them and options behind a question mark; parts without a name are passed over.
    """
    inherited = QUEUE_KIND
    for number, part in enumerate(destination.split(",")):
        kind, name = _kind_and_name(part.strip(SPACES), inherited)
        if number == 0:
            inherited = kind
        name = name.partition("?")[0].strip(SPACES)
        if name:
            yield kind, name


def _kind_and_name(text: str, inherited: str) -> tuple[str, str]:
    for kind, prefix in _PREFIXES.items():
        if text.startswith(prefix):
            return kind, text.removeprefix(prefix)
    return inherited, text


def own_prefix(topology: Topology) -> str:
    """Return the text before the name of a destination's own queue, as deliveries name it."""
    return _PREFIXES[QUEUE_KIND] if topology.rules.destinations is Destinations.ACTIVEMQ else ""


def own_queue(topology: Topology, key: str) -> str:
    """Return the name of the queue that has the name of the destination with a key."""
    # A list of names that something is forwarded to is one name, and has no kind.
    return key if "," in key else own_prefix(topology) + key


def queue_key(topology: Topology, queue: str) -> str:
    """Return the key of the destination that has a queue's name."""
    return queue.removeprefix(own_prefix(topology))


def destination_name(topology: Topology, exchange: str, key: str) -> str:
    """Return the destination that a key stands for at an exchange."""
    entered = topology.exchange_by_name[exchange].entered
    assert entered is not None
    if topology.rules.destinations is Destinations.ACTIVEMQ:
        return _PREFIXES[entered.by or ""] + key
    return address_of(topology, key)


def address_of(topology: Topology, key: str) -> str:
    """Return the address, or the pattern of addresses, of a key or binding key."""
    mark = topology.rules.topic.queue_mark
    return key.partition(mark)[0] if mark else key
