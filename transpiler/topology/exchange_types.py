"""The types of exchanges: what the bindings of each compare, and how some types choose among their bindings.

A new type is an entry of ``EXCHANGE_KINDS``, its name in ``ExchangeType``, and the ``types`` of the brokers that have
it (``broker_rules``). ``binding_conditions`` makes the condition of a binding from its exchange's entry. Everybody else
asks the entry or the condition, and never compares the name of a type.

Sources: the AMQP 0-9-1 and 0-10 specifications; the exchanges chapter of the Qpid Broker-J book; the documents of
RabbitMQ's plugins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Literal

#: Types of RabbitMQ's plugins that hand each message to one of their bindings, by a hash or at random.
HashingType = Literal["x-consistent-hash", "x-modulus-hash", "x-random", "x-local-random", "x-super-stream"]

#: Types that choose among the bindings that a message matches, by key and selector: one of them, in turn or by what
#: consumers are there (``anycast``), or perhaps one, by what the broker has seen before (``maybe``).
MatchingType = Literal["anycast", "maybe"]

#: The type of an exchange that a file names and does not describe: which of its bindings match is not known.
UnknownType = Literal["unknown"]

#: ``x-jms-topic`` is RabbitMQ's, for its JMS client.
ExchangeType = (
    Literal["direct", "topic", "fanout", "headers", "xml", "x-jms-topic"] | HashingType | MatchingType | UnknownType
)

UNKNOWN: UnknownType = "unknown"


class KeyTest(Enum):
    """What a binding compares its key with."""

    #: With nothing.
    NONE = "none"
    #: With the routing key: they have to be the same text.
    EQUAL = "equal"
    #: With the words of the routing key: the binding key is a pattern of words.
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Choosing:
    """How an exchange chooses among its bindings; which one it chooses is not computed."""

    #: The words for the choice in labels, and those for the binding's key if it has one.
    label: str = "one of"
    key_label: str = ""
    #: The exchange chooses among the bindings that a message matches, and not among all.
    among_matches: bool = False
    #: The exchange may choose none of its bindings.
    may_choose_none: bool = False
    #: The keys of the bindings are numbers of partitions: the hash modulo the number of bindings is one of them.
    by_partition: bool = False

    def text(self, key: str) -> str:
        """Return the meaning of a binding key to the exchange, in words."""
        return self.label + (self.key_label.format(key=key) if key else "")


@dataclass(frozen=True, slots=True)
class ExchangeKind:
    """What the bindings of one type of exchange compare, all of it; without any comparison they take every message."""

    key: KeyTest = KeyTest.NONE
    #: The binding's arguments are compared with the message's headers.
    compares_headers: bool = False
    #: The binding's query is evaluated.
    evaluates_query: bool = False
    #: A binding without a selector is refused.
    requires_selector: bool = False
    choosing: Choosing | None = None

    @property
    def takes_all(self) -> bool:
        """Return True if the exchange gives every message to all of its bindings."""
        return self == ExchangeKind()

    @property
    def ignores_key(self) -> bool:
        """Return True if binding keys have no meaning: they are not compared, and nothing is chosen by them."""
        return self.key is KeyTest.NONE and self.choosing is None


EXCHANGE_KINDS: Mapping[ExchangeType, ExchangeKind] = MappingProxyType(
    {
        # "an exact match between the routing key of the message, and the binding key"
        "direct": ExchangeKind(key=KeyTest.EQUAL),
        # "the routing key … matches the routing pattern"
        "topic": ExchangeKind(key=KeyTest.WORDS),
        # "routes messages to all queues bound to the exchange, regardless of the message's routing key"
        "fanout": ExchangeKind(),
        "headers": ExchangeKind(compares_headers=True),
        # The binding key is compared as in a direct exchange, and then the query is evaluated.
        "xml": ExchangeKind(key=KeyTest.EQUAL, evaluates_query=True),
        # The plugin tries the selector alone: the exchange before it has compared the key.
        "x-jms-topic": ExchangeKind(requires_selector=True),
        "x-consistent-hash": ExchangeKind(choosing=Choosing(key_label=", weight {key}")),
        "x-modulus-hash": ExchangeKind(choosing=Choosing()),
        "x-random": ExchangeKind(choosing=Choosing()),
        # Queues on other nodes than the publisher's are passed over.
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


#: The types that choose by a hash or at random, and those that choose among the bindings that a message matches.
HASHING_TYPES, MATCHING_TYPES = _choosing(False), _choosing(True)

CHOOSING_TYPES: tuple[ExchangeType, ...] = (*HASHING_TYPES, *MATCHING_TYPES, UNKNOWN)
