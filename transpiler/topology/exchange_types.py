"""The types of exchanges: what the bindings of each type compare, and how some types choose among their bindings.

A new type needs an entry in ``EXCHANGE_KINDS``, its name in ``ExchangeType``, and a place in the ``types`` of the
brokers that have the type (``broker_rules``). ``binding_conditions`` builds the condition of a binding from the entry
of its exchange. All other modules use the entry or the condition, and never compare the name of a type.

Sources: the AMQP 0-9-1 and 0-10 specifications; the exchanges chapter of the Qpid Broker-J book; the documents of
RabbitMQ's plugins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Literal

#: Types of RabbitMQ's plugins that route each message to one of their bindings, by a hash or at random.
HashingType = Literal["x-consistent-hash", "x-modulus-hash", "x-random", "x-local-random", "x-super-stream"]

#: Types of exchanges that choose among the bindings that a message matches by key and selector. ``anycast`` chooses one
#: of them, in turn or depending on the consumers; ``maybe`` chooses one or none, depending on the state of the broker.
MatchingType = Literal["anycast", "maybe"]

#: The type of an exchange that a file names but does not describe, so that it is unknown which bindings match.
UnknownType = Literal["unknown"]

#: The name of a type of exchanges. ``x-jms-topic`` is the type of RabbitMQ's plugin for JMS clients.
ExchangeType = (
    Literal["direct", "topic", "fanout", "headers", "xml", "x-jms-topic"] | HashingType | MatchingType | UnknownType
)

UNKNOWN: UnknownType = "unknown"


class KeyTest(Enum):
    """The test that a binding applies to the routing key."""

    #: The binding key is not compared.
    NONE = "none"
    #: The routing key must equal the binding key.
    EQUAL = "equal"
    #: The words of the routing key must match the binding key, which is a pattern of words.
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Choosing:
    """The rule by which an exchange chooses among its bindings. Which binding it chooses is not computed."""

    #: Texts for users. ``label`` describes the choice. ``key_label`` follows it if a binding has a key: a template with
    #: the placeholder ``{key}``, such as ", weight {key}".
    label: str = "one of"
    key_label: str = ""
    #: True if the exchange chooses only among the bindings that a message matches.
    among_matches: bool = False
    #: True if the exchange may choose none of its bindings.
    may_choose_none: bool = False
    #: True if the binding keys are partition numbers: the hash modulo the number of bindings selects a partition.
    by_partition: bool = False

    def text(self, key: str) -> str:
        """Return a text for what the binding key ``key`` means for the choice, such as a weight."""
        return self.label + (self.key_label.format(key=key) if key else "")


@dataclass(frozen=True, slots=True)
class ExchangeKind:
    """The behaviour of one type of exchange: what it compares.

    If it compares nothing, all bindings match every message.
    """

    key: KeyTest = KeyTest.NONE
    #: True if the binding's arguments are compared with the message's headers.
    compares_headers: bool = False
    #: True if the exchange evaluates the XQuery in a binding's arguments.
    evaluates_query: bool = False
    #: True if the broker rejects a binding of this exchange without a selector.
    requires_selector: bool = False
    choosing: Choosing | None = None

    @property
    def takes_all(self) -> bool:
        """True if the exchange routes every message along all of its bindings."""
        return self == ExchangeKind()

    @property
    def ignores_key(self) -> bool:
        """True if binding keys have no meaning: they are neither compared nor used in a choice."""
        return self.key is KeyTest.NONE and self.choosing is None


EXCHANGE_KINDS: Mapping[ExchangeType, ExchangeKind] = MappingProxyType(
    {
        # The Broker-J book, of direct exchanges: "an exact match between the routing key of the message, and the
        # binding key".
        "direct": ExchangeKind(key=KeyTest.EQUAL),
        # A topic exchange compares words: "the routing key … matches the routing pattern".
        "topic": ExchangeKind(key=KeyTest.WORDS),
        # The Broker-J book, of fanout exchanges: "routes messages to all queues bound to the exchange, regardless of
        # the message's routing key".
        "fanout": ExchangeKind(),
        "headers": ExchangeKind(compares_headers=True),
        # Qpid's XML exchange compares the binding key like a direct exchange, and then evaluates the query.
        "xml": ExchangeKind(key=KeyTest.EQUAL, evaluates_query=True),
        # RabbitMQ's JMS plugin evaluates only the selector, because the exchange that leads to this one has compared
        # the key.
        "x-jms-topic": ExchangeKind(requires_selector=True),
        "x-consistent-hash": ExchangeKind(choosing=Choosing(key_label=", weight {key}")),
        "x-modulus-hash": ExchangeKind(choosing=Choosing()),
        "x-random": ExchangeKind(choosing=Choosing()),
        # The exchange chooses only among queues on the publisher's own node, so it may choose none.
        "x-local-random": ExchangeKind(choosing=Choosing(may_choose_none=True)),
        "x-super-stream": ExchangeKind(choosing=Choosing(key_label=", partition {key}", by_partition=True)),
        "anycast": ExchangeKind(key=KeyTest.WORDS, choosing=Choosing(among_matches=True)),
        "maybe": ExchangeKind(
            key=KeyTest.WORDS, choosing=Choosing("perhaps", among_matches=True, may_choose_none=True)
        ),
        UNKNOWN: ExchangeKind(choosing=Choosing("perhaps", " | {key}", may_choose_none=True)),
    }
)


def _choosing(among_matches: bool) -> tuple[ExchangeType, ...]:
    kinds = ((name, kind.choosing) for name, kind in EXCHANGE_KINDS.items() if name != UNKNOWN)
    return tuple(name for name, choosing in kinds if choosing is not None and choosing.among_matches is among_matches)


#: ``HASHING_TYPES``: the types that choose among all bindings, by a hash or at random. ``MATCHING_TYPES``: the types
#: that choose among the bindings that a message matches.
HASHING_TYPES, MATCHING_TYPES = _choosing(False), _choosing(True)

CHOOSING_TYPES: tuple[ExchangeType, ...] = (*HASHING_TYPES, *MATCHING_TYPES, UNKNOWN)
