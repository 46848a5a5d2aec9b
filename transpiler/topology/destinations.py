"""Destinations of the JMS brokers: where a send enters a topology, and the queues that only the send names.

A topology of Artemis or ActiveMQ has exchanges that match a *key*: the words of an address or of a destination's name,
with the broker's characters for wildcards in the place of ``.``, ``*`` and ``#``. A destination becomes an exchange, by
routing type or by kind, and such a key. Bindings lead to queues by name, to the queue that has the destination's own
name, which the broker creates when it is sent to, and to outcomes of the send (``topology.targets``).

Sources: ``CompositeAddress`` and ``WildcardConfiguration`` of Artemis; ``ActiveMQDestination`` of ActiveMQ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from transpiler.base.arguments import check_choice
from transpiler.topology.broker_rules import Destinations

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

#: Between an address and a queue, and behind the name of the entry for messages with both.
FULLY_QUALIFIED = "::"

#: Characters of no name: words that a sender wrote as wildcards, and characters that a key has other meanings for.
_PRIVATE = "\ue000\ue001\ue002"
INNER_DOT = "\ue003"
_KEY_WORDS = ".*#"

#: Spaces that the names of ActiveMQ's destinations lose at their ends.
SPACES = " \t\n\r\f"

_PREFIXES: Mapping[str, str] = MappingProxyType({QUEUE_KIND: "queue://", TOPIC_KIND: "topic://"})


class Send(NamedTuple):
    """The exchange at which a message enters, and its key there."""

    exchange: str
    key: str


class Characters(NamedTuple):
    """A mapping of characters, as SQL's ``translate`` has it."""

    sought: str
    replaced: str

    def translate(self, text: str) -> str:
        """Return the text with its characters replaced."""
        return text.translate(str.maketrans(self.sought, self.replaced))

    @property
    def inverse(self) -> Characters:
        """The mapping back."""
        return Characters(self.replaced, self.sought)


def key_characters(topology: Topology) -> Characters:
    """Return the mapping from a destination's name to its key."""
    if topology.rules.destinations is Destinations.ACTIVEMQ:
        return ACTIVEMQ_KEYS
    return artemis_characters(topology.words)


def artemis_characters(words: str) -> Characters:
    """Return the permutation that puts ``.``, ``*`` and ``#`` in the place of an Artemis broker's own characters.

    Without characters, where wildcard addresses are switched off, no word is a wildcard.
    """
    own = words or _PRIVATE
    moved = dict(zip(own, _KEY_WORDS, strict=True))
    back = [character for character in own if character not in _KEY_WORDS]
    moved |= dict(zip([character for character in _KEY_WORDS if character not in own], back, strict=True))
    changed = {sought: replaced for sought, replaced in moved.items() if sought != replaced}
    return Characters("".join(changed), "".join(changed.values()))


#: The mapping from the name of an ActiveMQ destination to its key. A wildcard in it is a word like others.
ACTIVEMQ_KEYS = Characters("*>#", _PRIVATE)

#: The mapping from the name of an ActiveMQ destination, in a file, to a pattern of keys.
ACTIVEMQ_PATTERNS = Characters(">#", "#" + _PRIVATE[2])

#: A word of a key that was sent as ``*``.
SENT_WILDCARD = _PRIVATE[0]
#: A word of a key that was sent as ``>``.
SENT_WILDCARDS = _PRIVATE[1]


def queue_word(topology: Topology, queue: str) -> str:
    """Return the name of a queue as the first word of the key of a fully qualified name."""
    return inner_word(key_characters(topology).translate(queue))


def inner_word(text: str) -> str:
    """Return a text of a key as one word."""
    return text.replace(".", INNER_DOT)


def entry_name(routing_type: str | None, qualified: bool = False) -> str:
    """Return the name of the exchange that messages of a routing type enter at."""
    return f"{routing_type or UNTYPED}{FULLY_QUALIFIED if qualified else ''}"


def sends_of(topology: Topology, destination: str, routing_type: str | None = None) -> tuple[Send, ...]:
    """Return where a send to a destination enters; to a list of destinations there are several, to none no entry.

    Raises ``ValueError`` for a routing type that is none.
    """
    if routing_type is not None:
        check_choice("routing_type", routing_type, ROUTING_TYPES)
    characters = key_characters(topology)
    if topology.rules.destinations is Destinations.ACTIVEMQ:
        parts = list(activemq_parts(destination))
        # To filters that read the destination, that of a list is the whole list.
        listed = LISTED if len(parts) > 1 and QUEUE_KIND + LISTED in topology.exchange_by_name else ""
        return tuple(Send(kind + listed, characters.translate(name)) for kind, name in parts)
    address, qualified, queue = destination.partition(FULLY_QUALIFIED)
    key = characters.translate(address)
    if qualified:
        key = f"{queue_word(topology, queue)}.{key}"
    return (Send(entry_name(routing_type, bool(qualified)), key),)


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
    name = key_characters(topology).inverse.translate(key)
    # A list of names that something is forwarded to is one name, and has no kind.
    return name if "," in name else own_prefix(topology) + name


def queue_key(topology: Topology, queue: str) -> str:
    """Return the key of the destination that has a queue's name."""
    return key_characters(topology).translate(queue.removeprefix(own_prefix(topology)))


def destination_name(topology: Topology, exchange: str, key: str) -> str:
    """Return the destination that a key, or a pattern of keys, stands for at an exchange."""
    entered = topology.exchange_by_name[exchange].entered
    assert entered is not None
    name = pattern_name(topology, key.partition(".")[2] if entered.qualified else key)
    return name if topology.rules.destinations is not Destinations.ACTIVEMQ else _PREFIXES[entered.by or ""] + name


def pattern_name(topology: Topology, key: str) -> str:
    """Return the name that a pattern of keys stands for, with the broker's own wildcards."""
    if topology.rules.destinations is Destinations.ACTIVEMQ:
        key = ACTIVEMQ_PATTERNS.inverse.translate(key)
    return key_characters(topology).inverse.translate(key)


def is_sent_wildcard(topology: Topology, key: str) -> bool:
    """Return True if a key of ActiveMQ is of names that senders write with wildcards."""
    is_activemq = topology.rules.destinations is Destinations.ACTIVEMQ
    return is_activemq and not {SENT_WILDCARD, SENT_WILDCARDS}.isdisjoint(key)
