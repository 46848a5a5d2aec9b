"""Addressing: how senders *address* messages, and the terms that a broker's users have for addresses.

An address names an exchange or a destination. Senders to most brokers name an exchange and a routing key. Senders to a
JMS broker name a *destination*: such a broker has no exchanges, and the exchanges in its topology are cases of its
routing that an importer has created. Their bindings match the words of a *key*: an address, with or without a queue
after it, or a destination's name. A send enters at an exchange, which depends on its routing type or kind of
destination, under the key that the sender wrote. The wildcard characters are in the rules.

Invariant: every property that depends on how senders address messages is a constant, a text or a method of this module,
so that no other module tests which broker it has. Functions on a whole topology do not belong here, nor does SQL.

Sources: ``CompositeAddress`` and ``WildcardConfiguration`` of Artemis; ``ActiveMQDestination`` of ActiveMQ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple, get_args

from transpiler.base.arguments import check_choice
from transpiler.base.topics import TopicPattern
from transpiler.language.binding_rules import TopicRules
from transpiler.topology.targets import Entered, Outcome, TargetType

#: The routing type of a message of Artemis; None is a message without a routing type.
RoutingType = Literal["ANYCAST", "MULTICAST"]

ROUTING_TYPES: tuple[RoutingType, ...] = get_args(RoutingType)

#: Names of the exchanges at which messages enter the topology of a JMS broker: ``UNTYPED`` for sends to Artemis without
#: a routing type, ``QUEUE_KIND`` and ``TOPIC_KIND`` for sends to queues and topics of ActiveMQ.
UNTYPED = "untyped"
QUEUE_KIND, TOPIC_KIND = "queue", "topic"

#: The kinds of destinations, and the routing type of Artemis that corresponds to each kind.
KINDS: Mapping[str, RoutingType] = MappingProxyType({QUEUE_KIND: "ANYCAST", TOPIC_KIND: "MULTICAST"})

#: A note for users that ActiveMQ's configuration does not contain subscribers.
SUBSCRIBERS = "who subscribes to topics is not in the broker's file, and not judged: --state FILE says it"

#: The suffix in the name of the exchange at which a message enters that was sent to a list of ActiveMQ destinations.
LISTED = ", of a list"

#: The separator between an address and a queue in Artemis. It is also the suffix in the name of the exchange for
#: messages that name both.
FULLY_QUALIFIED = "::"

#: The separator between the kind and the name of an ActiveMQ destination.
_MARK = "://"

#: The characters that are stripped from both ends of the names of ActiveMQ destinations.
SPACES = " \t\n\r\f"


class Send(NamedTuple):
    """The point at which a message enters the topology of a JMS broker: an exchange, and the message's routing key."""

    exchange: str
    key: str


class AddressPattern(NamedTuple):
    """The addresses to which a name refers: a prefix ``kind`` (such as ``queue://``, or "") and a pattern of words."""

    kind: str
    words: TopicPattern


@dataclass(frozen=True, slots=True)
class Addressing(ABC):
    """The rules by which senders say where a message goes, such as by exchange and routing key.

    Brokers with the same rules have equal objects.
    """

    #: ``nouns`` are the singular and plural noun for an exchange in texts for users, ``pattern_noun`` the noun for a
    #: key with wildcards.
    nouns: ClassVar[tuple[str, str]]
    pattern_noun: ClassVar[str]

    #: True if the broker itself has exchanges, with types, keys and arguments that its users know, and a default
    #: exchange that leads to queues by name. If False, the importer created the exchanges and the arguments of
    #: bindings.
    has_exchanges: ClassVar[bool]
    #: The routing types that a sender can set; empty if the broker has no routing types.
    routing_types: ClassVar[tuple[RoutingType, ...]] = ()
    #: The names of the exchanges at which senders' messages enter. Every topology of the broker must have them.
    entries: ClassVar[tuple[str, ...]] = ()
    #: True if a sender can name a list of destinations, each with its own kind.
    takes_lists: ClassVar[bool] = False
    #: The kinds of targets that bindings can have and that can be alternate destinations.
    targets: ClassVar[tuple[TargetType, ...]]
    #: The header fields that contain the address of a message. Their value changes when the message is forwarded.
    address_headers: ClassVar[frozenset[str]] = frozenset()
    #: The prefix by which the name of a destination becomes the name of the queue that belongs to it.
    own_prefix: ClassVar[str] = ""

    #: True if senders can name a queue directly, so that a queue needs no binding.
    queues_are_addresses: ClassVar[bool] = False
    #: True if clients that send to an address, or read from it, can create a queue there.
    clients_make_queues: ClassVar[bool] = False
    #: True if the broker's file contains the subscribers, and so all queues.
    names_subscribers: ClassVar[bool] = True
    #: True if a message that expired in one queue can expire again in the next queue.
    expires_again: ClassVar[bool]
    #: True if expired messages have an address of their own, different from the dead letter address.
    has_expiry_address: ClassVar[bool] = False

    #: The text for users about a topology without any address or queue.
    nothing_declared: ClassVar[str]
    #: The text for users about an exchange of unknown type.
    unknown: ClassVar[str]
    #: The text for users about a queue to which no binding leads; None if such a queue is normal.
    lonely: ClassVar[str | None]
    #: ``dead_end`` is the text for users about an address without a queue. ``ends_early`` is the text about an address
    #: from which no route reaches a queue; None if there may be unknown queues.
    dead_end: ClassVar[str] = "it leads to no queue: its messages are lost"
    ends_early: ClassVar[str | None] = None
    #: Texts for users that replace the general text about an outcome, for a message for which no binding was evaluated.
    unasked: ClassVar[Mapping[Outcome, str]] = MappingProxyType({})

    @property
    def names_destinations(self) -> bool:
        """True if senders name only a destination, and no exchange, routing key or AMQP address."""
        return not self.has_exchanges

    def addresses(self, named: str) -> tuple[str, ...]:
        """Return the addresses that the text ``named`` of a sender denotes: several if the text is a list."""
        return (named,)

    @abstractmethod
    def label(self, name: str) -> str:
        """Return the noun and name of an address for use in a sentence."""

    def may_name(self, name: str, exchanges: Collection[str]) -> bool:
        """Return True if a sender may send to ``name``; ``exchanges`` are the exchanges of the topology."""
        return self.names_destinations or name in exchanges

    def sends(self, _destination: str, _routing_type: str | None, _exchanges: Collection[str]) -> tuple[Send, ...]:
        """Return where a send to a destination enters the topology: one entry for each destination in a list.

        The result is empty for an empty list. Raises ``ValueError`` for an invalid routing type.
        """
        raise NotImplementedError(f"{self.nouns[1]} are no destinations")

    def destination(self, _entered: Entered, _key: str) -> str:
        """Return the destination to which a message was sent, from its routing key ``_key``.

        ``_entered`` describes the messages that enter the topology at the same exchange as this message; it contains
        the kind of the destination, a queue or a topic.
        """
        raise NotImplementedError(f"{self.nouns[1]} are no destinations")

    def address(self, key: str) -> str:
        """Return the address to which messages with the routing key ``key`` were sent.

        If ``key`` is a binding key with wildcards, the result is a pattern of addresses.
        """
        return key

    def pattern(self, name: str, _topic: TopicRules) -> AddressPattern:
        """Return the addresses to which ``name`` refers. A pattern can refer to several addresses."""
        return AddressPattern("", (name,))

    def own_queue(self, key: str) -> str:
        """Return the name of the queue that a JMS broker creates for the destination with the routing key ``key``."""
        # A key with a comma is a list of destinations to which a message is forwarded. The list as a whole gets no
        # prefix.
        return key if "," in key else self.own_prefix + key

    def queue_key(self, queue: str) -> str:
        """Return the routing key of the destination to which ``queue`` belongs: the inverse of ``own_queue``."""
        return queue.removeprefix(self.own_prefix)

    def kinds(self, _name: str, _routing_type: str | None = None) -> tuple[str, ...]:
        """Return the kinds (queue, topic) that the destination ``_name`` can have, the likeliest first.

        The result is empty if the destination has no kind.
        """
        return ()

    def of_kind(self, _kind: str, name: str) -> tuple[str, RoutingType | None]:
        """Return the destination with this kind and name, and the routing type with which to send to it.

        The routing type is None if none is needed.
        """
        return name, None


@dataclass(frozen=True, slots=True)
class Exchanges(Addressing):
    """The addressing of brokers whose senders name an exchange and a routing key, or an AMQP address with both."""

    nouns = ("exchange", "exchanges")
    pattern_noun = "pattern"
    has_exchanges = True
    targets = ("queue", "exchange")
    expires_again = True
    nothing_declared = "no exchange and no queue is declared"
    unknown = "what it does with messages is not known"
    lonely = "only messages sent to it by its own name reach it"
    ends_early = "its ways end before a queue"

    def label(self, name: str) -> str:
        """Return the noun and name of an exchange for use in a sentence."""
        return f"exchange {name}" if name else "the default exchange"


EXCHANGES = Exchanges()


@dataclass(frozen=True, slots=True)
class Destinations(Addressing):
    """The addressing of JMS brokers, whose senders name destinations. A destination can have a queue with its name."""

    has_exchanges = False
    targets = get_args(TargetType)
    address_headers = frozenset({"JMSDestination", "AMQAddress"})
    expires_again = False
    unknown = "which of these queues are there is not in the file"

    def label(self, name: str) -> str:
        """Return the noun and name of a destination for use in a sentence; a name with a kind needs no noun."""
        return name if _MARK in name else f"address {name}"


def entry_name(routing_type: str | None, qualified: bool = False) -> str:
    """Return the name of the exchange at which messages of a routing type enter the topology.

    ``routing_type`` is None for messages without one. ``qualified`` is True for messages to an address and a queue.
    """
    return f"{routing_type or UNTYPED}{FULLY_QUALIFIED if qualified else ''}"


@dataclass(frozen=True, slots=True)
class ArtemisAddresses(Destinations):
    """The addressing of Artemis: an address or ``address::queue``, with or without a routing type."""

    nouns = ("address", "addresses")
    pattern_noun = nouns[0]
    routing_types = ROUTING_TYPES
    entries = tuple(
        entry_name(routing_type, qualified) for routing_type in (None, *ROUTING_TYPES) for qualified in (False, True)
    )
    clients_make_queues = True
    unknown = "which queues subscribers have made here is not in the file"
    has_expiry_address = True
    nothing_declared = "the file declares no address: those that its settings let clients create are not in it"
    lonely = "it gets no message: it is disabled, or it needs a consumer and has none"
    dead_end = "no queue is there: its messages are lost, if no client makes one"
    unasked = MappingProxyType(
        {
            "undecided": "no queue is at this address, but that an earlier send with a routing type may have made",
            "discarded": "no queue is at this address, and the send makes none",
        }
    )

    def sends(self, destination: str, routing_type: str | None, _exchanges: Collection[str]) -> tuple[Send, ...]:
        """Return the single exchange at which messages with ``routing_type`` enter, with the destination as the key.

        Messages to a destination ``address::queue`` enter at another exchange than messages to an address.
        """
        check_routing_type(routing_type)
        return (Send(entry_name(routing_type, FULLY_QUALIFIED in destination), destination),)

    def addresses(self, named: str) -> tuple[str, ...]:
        """Return the address in ``named``, without the queue of ``address::queue``."""
        return (self.address(named),)

    def destination(self, _entered: Entered, key: str) -> str:
        """Return the address to which a message was sent: its routing key, without the queue of ``address::queue``."""
        return self.address(key)

    def address(self, key: str) -> str:
        """Return the address in the routing key ``key``, without the queue of ``address::queue``."""
        return key.partition(FULLY_QUALIFIED)[0]

    def pattern(self, name: str, topic: TopicRules) -> AddressPattern:
        """Return the words of the address ``name``, which can be a pattern; addresses have no kinds."""
        return AddressPattern("", topic.name_pattern(name))

    def kinds(self, _name: str, routing_type: str | None = None) -> tuple[str, ...]:
        """Return both kinds, first the one that corresponds to the routing type; without a type, first ``queue``."""
        return tuple(sorted(KINDS, key=lambda kind: KINDS[kind] != (routing_type or KINDS[QUEUE_KIND])))

    def of_kind(self, kind: str, name: str) -> tuple[str, RoutingType | None]:
        """Return the address ``name``, with the routing type for ``kind``."""
        return name, KINDS[kind]


@dataclass(frozen=True, slots=True)
class ActiveMQDestinations(Destinations):
    """The addressing of ActiveMQ: ``queue://name``, ``topic://name`` or a comma-separated list of such destinations."""

    nouns = ("destination", "destinations")
    pattern_noun = nouns[0]
    entries = QUEUE_KIND, TOPIC_KIND
    takes_lists = True
    own_prefix = QUEUE_KIND + _MARK
    queues_are_addresses = True
    names_subscribers = False
    nothing_declared = "the file declares no destination: each is made by what is sent to it or reads it"
    lonely = None

    def sends(self, destination: str, routing_type: str | None, exchanges: Collection[str]) -> tuple[Send, ...]:
        """Return, for each destination in the list ``destination``, the exchange of its kind; its name is the key."""
        check_routing_type(routing_type)
        parts = list(activemq_parts(destination))
        # Messages to a list enter at exchanges of their own, if a filter reads JMSDestination: its value is then the
        # whole list, and not the one destination.
        listed = LISTED if len(parts) > 1 and QUEUE_KIND + LISTED in exchanges else ""
        return tuple(Send(kind + listed, name) for kind, name in parts)

    def addresses(self, named: str) -> tuple[str, ...]:
        """Return the destinations in the list ``named``, each with its kind."""
        return tuple(f"{kind}{_MARK}{name}" for kind, name in activemq_parts(named))

    def destination(self, entered: Entered, key: str) -> str:
        """Return the destination, such as ``queue://a``, of messages in ``entered`` with the routing key ``key``."""
        return f"{entered.by}{_MARK}{key if entered.affixes is None else key.join(entered.affixes)}"

    def pattern(self, name: str, topic: TopicRules) -> AddressPattern:
        """Return the kind (queue or topic) and the words of the destination ``name``.

        If the name has no kind, the kind is empty and the whole name is one word.
        """
        kind, mark, bare = name.partition(_MARK)
        return AddressPattern(kind + mark, topic.name_pattern(bare)) if mark else AddressPattern("", (name,))

    def kinds(self, name: str, _routing_type: str | None = None) -> tuple[str, ...]:
        """Return the kind with which ``name`` begins; empty for a subscription, which is not a destination."""
        kind = kind_and_name(name)[0]
        return (kind,) if kind else ()

    def of_kind(self, kind: str, name: str) -> tuple[str, RoutingType | None]:
        """Return ``name`` with the prefix of its kind."""
        return f"{kind}{_MARK}{name}", None


def check_routing_type(routing_type: str | None) -> None:
    """Raise ``ValueError`` if ``routing_type`` is neither None nor a routing type."""
    if routing_type is not None:
        check_choice("routing_type", routing_type, ROUTING_TYPES)


def activemq_parts(destination: str) -> Iterable[tuple[str, str]]:
    """Yield the kind and name of each destination in an ActiveMQ list; a missing kind is inherited from the first.

    Spaces around a name and options after a question mark are removed; destinations without a name are skipped.
    """
    inherited = QUEUE_KIND
    for number, part in enumerate(destination.split(",")):
        own, name = kind_and_name(part.strip(SPACES))
        kind = own or inherited
        if number == 0:
            inherited = kind
        name = name.partition("?")[0].strip(SPACES)
        if name:
            yield kind, name


def kind_and_name(text: str) -> tuple[str, str]:
    """Return the kind with which the destination ``text`` begins, or "", and its name."""
    kind, mark, name = text.partition(_MARK)
    return (kind, name) if mark and kind in KINDS else ("", text)
