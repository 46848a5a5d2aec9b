"""Addressing: the places that senders name, and what the parts of a topology are called and mean because of it.

Senders to most brokers name an exchange and a routing key. Senders to a JMS broker name a *destination*: there are no
exchanges, and those in the topology are cases of its routing, which an importer has made. They match the words of a
*key*: an address, with a queue behind it or without, or a destination's name. A destination becomes an exchange, by
routing type or by kind, and such a key, which is what the sender wrote; the characters of wildcards are in the rules.

Invariant: each question whose answer depends on this has its answer here, as a fact, as words, or as a method, so that
nobody asks which broker it is. What reads a whole topology is not here, nor is SQL.

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

#: The routing type of a message of Artemis; None is a message without one.
RoutingType = Literal["ANYCAST", "MULTICAST"]

ROUTING_TYPES: tuple[RoutingType, ...] = get_args(RoutingType)

#: The exchanges that destinations enter at: Artemis's by routing type, ActiveMQ's by kind.
UNTYPED = "untyped"
QUEUE_KIND, TOPIC_KIND = "queue", "topic"

#: The kinds of destinations, and the routing type that each is at Artemis.
KINDS: Mapping[str, RoutingType] = MappingProxyType({QUEUE_KIND: "ANYCAST", TOPIC_KIND: "MULTICAST"})

#: A note on what the file of ActiveMQ does not say.
SUBSCRIBERS = "who subscribes to topics is not in the broker's file, and not judged: --state FILE says it"

#: The end of the name of the entry for messages that are sent to a list.
LISTED = ", of a list"

#: The separator between an address and a queue, which also ends the name of the entry for messages that name both.
FULLY_QUALIFIED = "::"

#: The separator behind the kind of one of ActiveMQ's destinations.
_MARK = "://"

#: Spaces that the names of ActiveMQ's destinations lose at their ends.
SPACES = " \t\n\r\f"


class Send(NamedTuple):
    """The exchange at which a message enters, and its key there."""

    exchange: str
    key: str


class PlacePattern(NamedTuple):
    """The places that a name stands for: their kind, as text before the name, and the words of a pattern."""

    kind: str
    words: TopicPattern


@dataclass(frozen=True, slots=True)
class Addressing(ABC):
    """The answers of one way in which senders name places; equal for brokers whose senders name them alike."""

    #: The words for an exchange, and for several; and for what a binding key with wildcards is a pattern of.
    nouns: ClassVar[tuple[str, str]]
    pattern_noun: ClassVar[str]

    #: Exchanges are the broker's, with types, keys and arguments that its users know, and a default one that leads to
    #: queues by name. Elsewhere they are the importer's, and the arguments of bindings are its notes.
    has_exchanges: ClassVar[bool]
    #: The routing types that a sender may give; none where there are no such types.
    routing_types: ClassVar[tuple[RoutingType, ...]] = ()
    #: The exchanges that destinations enter at, which every topology has.
    entries: ClassVar[tuple[str, ...]] = ()
    #: A sender may name a list of destinations, and each has its kind.
    takes_lists: ClassVar[bool] = False
    #: The kinds of targets that bindings and alternates lead to.
    targets: ClassVar[tuple[TargetType, ...]]
    #: Names whose value in a selector is the place that a message is at.
    place_names: ClassVar[frozenset[str]] = frozenset()
    #: The text before a destination's name in that of its own queue.
    own_prefix: ClassVar[str] = ""

    #: A queue is a place that senders name, and needs no binding.
    queues_are_places: ClassVar[bool] = False
    #: Clients that send to a place, or read from it, may make a queue there.
    clients_make_queues: ClassVar[bool] = False
    #: The broker's file says who subscribes, and so which queues there are.
    names_subscribers: ClassVar[bool] = True
    #: A message that a queue has let go of may expire again in another one.
    expires_again: ClassVar[bool]
    #: Expired messages have an address of their own, beside the one for dead letters.
    has_expiry_address: ClassVar[bool] = False

    #: The words for a topology without a place and a queue.
    nothing_declared: ClassVar[str]
    #: The words for an exchange of unknown type.
    unknown: ClassVar[str]
    #: The words for a queue that no binding leads to; None where that is no finding.
    lonely: ClassVar[str | None]
    #: The words for a place that leads nowhere, and for one whose ways end before a queue; None where a queue may be.
    leads_nowhere: ClassVar[str] = "it leads to no queue: its messages are lost"
    ends_early: ClassVar[str | None] = None
    #: The words for the outcome of a message that came to no binding at all, where there are others than usual.
    unasked: ClassVar[Mapping[Outcome, str]] = MappingProxyType({})

    @property
    def names_destinations(self) -> bool:
        """Return True if senders name a destination alone, and no exchange, routing key or address of AMQP."""
        return not self.has_exchanges

    def places(self, named: str) -> tuple[str, ...]:
        """Return the places that a sender has named: several in a list."""
        return (named,)

    @abstractmethod
    def place(self, name: str) -> str:
        """Return the name of a place as a sentence has it."""

    def may_name(self, name: str, exchanges: Collection[str]) -> bool:
        """Return True if a sender may name a place; ``exchanges`` are those of the topology."""
        return self.names_destinations or name in exchanges

    def sends(self, _destination: str, _routing_type: str | None, _exchanges: Collection[str]) -> tuple[Send, ...]:
        """Return where a send to a destination enters; to a list of destinations there are several, to none no entry.

        Raises ``ValueError`` for a routing type that is none.
        """
        raise NotImplementedError(f"{self.nouns[1]} are no destinations")

    def destination(self, _entered: Entered, _key: str) -> str:
        """Return the destination that a key stands for where sends enter."""
        raise NotImplementedError(f"{self.nouns[1]} are no destinations")

    def address(self, key: str) -> str:
        """Return the address, or the pattern of addresses, of a key or binding key."""
        return key

    def pattern(self, name: str, _topic: TopicRules) -> PlacePattern:
        """Return the places that the name of one stands for."""
        return PlacePattern("", (name,))

    def own_queue(self, key: str) -> str:
        """Return the name of the queue that has the name of the destination with a key."""
        # A list of names that something is forwarded to is one name, and has no kind.
        return key if "," in key else self.own_prefix + key

    def queue_key(self, queue: str) -> str:
        """Return the key of the destination that has a queue's name."""
        return queue.removeprefix(self.own_prefix)

    def kinds(self, _name: str, _routing_type: str | None = None) -> tuple[str, ...]:
        """Return the kinds of destinations that a name may be of, the likeliest first; none of other names."""
        return ()

    def of_kind(self, _kind: str, name: str) -> tuple[str, RoutingType | None]:
        """Return the destination of a kind and a name, and the routing type that says the kind, if one does."""
        return name, None


@dataclass(frozen=True, slots=True)
class Exchanges(Addressing):
    """Senders name an exchange and a routing key, or an address of AMQP that says both."""

    nouns = ("exchange", "exchanges")
    pattern_noun = "pattern"
    has_exchanges = True
    targets = ("queue", "exchange")
    expires_again = True
    nothing_declared = "no exchange and no queue is declared"
    unknown = "what it does with messages is not known"
    lonely = "only messages sent to it by its own name reach it"
    ends_early = "its ways end before a queue"

    def place(self, name: str) -> str:
        """Return the name of an exchange as a sentence has it."""
        return f"exchange {name}" if name else "the default exchange"


EXCHANGES = Exchanges()


@dataclass(frozen=True, slots=True)
class Destinations(Addressing):
    """Senders to a JMS broker name destinations, each of which may have a queue of its own name."""

    has_exchanges = False
    targets = get_args(TargetType)
    place_names = frozenset({"JMSDestination", "AMQAddress"})
    expires_again = False
    unknown = "which of these queues are there is not in the file"

    def place(self, name: str) -> str:
        """Return the name of a destination as a sentence has it; one with a kind says itself what it is."""
        return name if _MARK in name else f"address {name}"


def entry_name(routing_type: str | None, qualified: bool = False) -> str:
    """Return the name of the exchange that messages of a routing type enter at."""
    return f"{routing_type or UNTYPED}{FULLY_QUALIFIED if qualified else ''}"


@dataclass(frozen=True, slots=True)
class ArtemisAddresses(Destinations):
    """An address or ``address::queue``, with a routing type or none."""

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
    leads_nowhere = "no queue is there: its messages are lost, if no client makes one"
    unasked = MappingProxyType(
        {
            "undecided": "no queue is at this address, but that an earlier send with a routing type may have made",
            "discarded": "no queue is at this address, and the send makes none",
        }
    )

    def sends(self, destination: str, routing_type: str | None, _exchanges: Collection[str]) -> tuple[Send, ...]:
        """Return the entry of a routing type, for addresses alone or for those with a queue."""
        check_routing_type(routing_type)
        return (Send(entry_name(routing_type, FULLY_QUALIFIED in destination), destination),)

    def places(self, named: str) -> tuple[str, ...]:
        """Return the address, without a queue that is named behind it."""
        return (self.address(named),)

    def destination(self, _entered: Entered, key: str) -> str:
        """Return the address of a key."""
        return self.address(key)

    def address(self, key: str) -> str:
        """Return a key without the queue behind it."""
        return key.partition(FULLY_QUALIFIED)[0]

    def pattern(self, name: str, topic: TopicRules) -> PlacePattern:
        """Return the words of an address, which may be a pattern; addresses have no kinds."""
        return PlacePattern("", topic.name_pattern(name))

    def kinds(self, _name: str, routing_type: str | None = None) -> tuple[str, ...]:
        """Return the kind of a routing type first; a queue is what an address without one stands for."""
        return tuple(sorted(KINDS, key=lambda kind: KINDS[kind] != (routing_type or KINDS[QUEUE_KIND])))

    def of_kind(self, kind: str, name: str) -> tuple[str, RoutingType | None]:
        """Return the address, with the routing type of a kind."""
        return name, KINDS[kind]


@dataclass(frozen=True, slots=True)
class ActiveMQDestinations(Destinations):
    """``queue://name``, ``topic://name`` or a list of these with commas between."""

    nouns = ("destination", "destinations")
    pattern_noun = nouns[0]
    entries = QUEUE_KIND, TOPIC_KIND
    takes_lists = True
    own_prefix = QUEUE_KIND + _MARK
    queues_are_places = True
    names_subscribers = False
    nothing_declared = "the file declares no destination: each is made by what is sent to it or reads it"
    lonely = None

    def sends(self, destination: str, routing_type: str | None, exchanges: Collection[str]) -> tuple[Send, ...]:
        """Return the entry of the kind of each part of a list."""
        check_routing_type(routing_type)
        parts = list(activemq_parts(destination))
        # A filter that reads the destination sees the whole list where the message was sent to a list.
        listed = LISTED if len(parts) > 1 and QUEUE_KIND + LISTED in exchanges else ""
        return tuple(Send(kind + listed, name) for kind, name in parts)

    def places(self, named: str) -> tuple[str, ...]:
        """Return the destinations of a list, each with its kind."""
        return tuple(f"{kind}{_MARK}{name}" for kind, name in activemq_parts(named))

    def destination(self, entered: Entered, key: str) -> str:
        """Return the name of a destination, with its kind."""
        return f"{entered.by}{_MARK}{key if entered.affixes is None else key.join(entered.affixes)}"

    def pattern(self, name: str, topic: TopicRules) -> PlacePattern:
        """Return the kind of a destination and the words of its name; without a kind it is no pattern."""
        kind, mark, bare = name.partition(_MARK)
        return PlacePattern(kind + mark, topic.name_pattern(bare)) if mark else PlacePattern("", (name,))

    def kinds(self, name: str, _routing_type: str | None = None) -> tuple[str, ...]:
        """Return the kind that a name begins with; none of a subscription, which is no destination."""
        kind = kind_and_name(name)[0]
        return (kind,) if kind else ()

    def of_kind(self, kind: str, name: str) -> tuple[str, RoutingType | None]:
        """Return the name with its kind."""
        return f"{kind}{_MARK}{name}", None


def check_routing_type(routing_type: str | None) -> None:
    """Raise ``ValueError`` for a routing type that is none."""
    if routing_type is not None:
        check_choice("routing_type", routing_type, ROUTING_TYPES)


def activemq_parts(destination: str) -> Iterable[tuple[str, str]]:
    """Yield the kinds and names of a list of ActiveMQ destinations, in which kinds are inherited from the first.

    Names lose spaces around them and options behind a question mark; parts without a name are passed over.
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
    """Return the kind that a destination begins with, "" if none, and its name."""
    kind, mark, name = text.partition(_MARK)
    return (kind, name) if mark and kind in KINDS else ("", text)
