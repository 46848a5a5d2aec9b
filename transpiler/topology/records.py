"""Records of the elements of a topology: queues, exchanges, bindings and links, and the names of their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.exchange_types import EXCHANGE_KINDS, UNKNOWN, ExchangeKind, ExchangeType
from transpiler.topology.targets import Entered, TargetType

#: The fate of a message that reaches no queue: dropped, refused, or sent back to its publisher.
Unroutable = Literal["discard", "reject", "return"]

LinkKind = Literal["dead-letter", "expiry", "alternate", "shovel", "federation", "bridge", "cluster", "network"]

#: The kinds of links that lead to other brokers or come from other brokers.
OF_BROKERS: frozenset[LinkKind] = frozenset({"shovel", "federation", "bridge", "cluster", "network"})

#: Arguments of a queue of Broker-J under which it sends messages to its alternate binding. ``ATTEMPTS_ARGUMENT``: a
#: message that was delivered that number of times. ``EXPIRY_ARGUMENT`` and ``CONVERSION_ARGUMENT``, if their value is
#: ``ROUTE_TO_ALTERNATE``: messages that expired, and messages that cannot be converted for a consumer.
ATTEMPTS_ARGUMENT, EXPIRY_ARGUMENT, ROUTE_TO_ALTERNATE = "maximumDeliveryAttempts", "expiryPolicy", "ROUTE_TO_ALTERNATE"
CONVERSION_ARGUMENT = "messageConversionExceptionHandlingPolicy"

#: The arguments of a binding: AMQP value by name.
Arguments = Mapping[str, AmqpValue]

#: The name of the default exchange.
DEFAULT_EXCHANGE = ""

#: Arguments of a binding. ``SELECTOR_ARGUMENT``: its JMS selector. ``XQUERY_ARGUMENT``: its XQuery.
#: ``REPLACEMENT_ARGUMENT``: the routing key that replaces the routing key of the message.
SELECTOR_ARGUMENT = "x-filter-jms-selector"
XQUERY_ARGUMENT = "xquery"
REPLACEMENT_ARGUMENT = "x-replacement-routing-key"

#: Arguments of a JMS broker's bindings. ``DIVERT_ARGUMENT``: the name of a divert. ``EXCLUSIVE_ARGUMENT``: set for an
#: exclusive divert, whose messages do not reach the queues of the address. Only in the topology for display:
#: ``CHOICE_ARGUMENT``, a choice in words, and ``ROUTING_TYPE_ARGUMENT``, the routing type of a queue.
DIVERT_ARGUMENT, EXCLUSIVE_ARGUMENT, CHOICE_ARGUMENT = "divert", "exclusive", "choice"
ROUTING_TYPE_ARGUMENT = "routing-type"

#: An argument of a JMS broker's binding: the name of the dialect of its selector. It is set only if the selector is a
#: client's (a consumer's selector); the selectors in a broker's file have the broker's own dialect.
DIALECT_ARGUMENT = "dialect"


class Marks(TypedDict, total=False):
    """The arguments of a JMS broker's binding besides its selector: see the constants ``…_ARGUMENT``."""

    dialect: str | None
    choice: str | None
    divert: str | None
    routing_type: str | None
    exclusive: bool


def arguments_of(selector: str | None, marks: Marks, replacement: str | None = None) -> Arguments:
    """Return the arguments of a binding with a selector, ``marks``, and a replacement for the routing key.

    A dialect is that of the selector, so without a selector it is left out.
    """
    texts = {
        SELECTOR_ARGUMENT: selector,
        DIALECT_ARGUMENT: None if selector is None else marks.get("dialect"),
        REPLACEMENT_ARGUMENT: replacement,
        CHOICE_ARGUMENT: marks.get("choice"),
        DIVERT_ARGUMENT: marks.get("divert"),
        ROUTING_TYPE_ARGUMENT: marks.get("routing_type"),
    }
    arguments = {name: AmqpValue(AmqpType.STRING, text) for name, text in texts.items() if text is not None}
    return arguments | {EXCLUSIVE_ARGUMENT: AmqpValue(AmqpType.BOOLEAN, True)} if marks.get("exclusive") else arguments


@dataclass(frozen=True, slots=True)
class Alternate:
    """The alternate destination, which gets unroutable messages.

    It is RabbitMQ's alternate exchange, or the destination of Broker-J's alternate binding.
    """

    name: str
    type: TargetType = "exchange"


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue. The topology does not describe the messages in it.

    ``alternate`` receives messages that consumers reject or that remain when the queue is deleted, but no published
    messages. ``arguments`` are the arguments of the queue's declaration. ``declared`` is False if the file names the
    queue only in a binding or a shovel. ``path``, in all records, is the path of the object in its file; it does not
    affect equality.
    """

    name: str
    durable: bool = True
    auto_delete: bool = False
    exclusive: bool = False
    alternate: Alternate | None = None
    arguments: Arguments = field(default_factory=dict, hash=False)
    path: str = field(default="", compare=False)
    declared: bool = True


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange. ``unroutable`` is the fate of a message that reaches no queue, not even through ``alternate``.

    ``alternate`` is the exchange or queue to which the exchange sends messages that it cannot route. ``declared`` is
    False if the file names the exchange only in its bindings.
    """

    name: str
    type: ExchangeType
    alternate: Alternate | None = None
    unroutable: Unroutable = "discard"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    path: str = field(default="", compare=False)
    #: For a JMS broker, whose exchanges an importer created: the class of sent messages that enter the topology at this
    #: exchange; None if no message is sent to it.
    entered: Entered | None = None
    declared: bool = True
    #: For an exchange that an importer created and that chooses among its bindings: what is not known, as text for
    #: users; empty for any other exchange.
    reason: str = field(default="", compare=False)

    @property
    def kind(self) -> ExchangeKind:
        """The properties of the exchange's type. An unknown type compares nothing; the topology's checks report it."""
        return EXCHANGE_KINDS.get(self.type, ExchangeKind())

    @property
    def is_unknown(self) -> bool:
        """Return True if the file names the exchange without describing it."""
        return self.type == UNKNOWN


@dataclass(frozen=True, slots=True)
class Binding:
    """An edge from an exchange (``source``) to a queue, or to another exchange, under a key and arguments."""

    source: str
    destination: str
    key: str = ""
    arguments: Arguments = field(default_factory=dict, hash=False)
    destination_type: TargetType = "queue"
    path: str = field(default="", compare=False)

    def text(self, argument: str) -> str | None:
        """Return the value of ``argument``, which is a string or symbol; None if it is absent or null."""
        value = self.arguments.get(argument)
        return value.value if value is not None and isinstance(value.value, str) else None


@dataclass(frozen=True, slots=True)
class Link:
    """A way of messages that is not a binding: out of a queue (dead letters, expiry), or from or to another broker.

    ``source`` or ``destination`` is None if that end is another broker. ``when`` says in words when a message takes the
    link. ``key`` replaces the routing key, unless it is None. ``affixes`` are a prefix and a suffix that are put around
    the name of the source to form the key, or else the name of the destination.

    If ``source_type`` is ``own-queue``, the link belongs to all queues that a JMS broker creates for sends. ``pattern``
    limits a link to the queues, or to the topics of a subscription, with matching names; the first link that matches
    applies. Of links of several connections to other brokers, the first one that matches applies for each ``when``.
    """

    kind: LinkKind
    when: str
    source: str | None
    destination: str | None
    source_type: TargetType = "queue"
    destination_type: TargetType = "exchange"
    key: str | None = None
    path: str = field(default="", compare=False)
    pattern: str | None = None
    affixes: tuple[str, str] | None = None

    @property
    def ends(self) -> tuple[tuple[TargetType, str], ...]:
        """The kind and name of each end of the link that is in this broker."""
        ends = (self.source_type, self.source), (self.destination_type, self.destination)
        return tuple((kind, name) for kind, name in ends if name is not None)
