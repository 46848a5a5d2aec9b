"""Records of the parts of a topology: queues, exchanges, bindings and links, and the arguments that bindings have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from transpiler.message.types import AmqpValue
from transpiler.topology.exchange_types import EXCHANGE_KINDS, UNKNOWN, ExchangeKind, ExchangeType
from transpiler.topology.targets import Entered, TargetType

#: The fate of a message that reaches no queue: dropped, refused, or sent back to its publisher.
Unroutable = Literal["discard", "reject", "return"]

LinkKind = Literal["dead-letter", "expiry", "alternate", "shovel", "federation", "bridge", "cluster", "network"]

#: The kinds of links that lead to other brokers and from there.
OF_BROKERS: frozenset[LinkKind] = frozenset({"shovel", "federation", "bridge", "cluster", "network"})

#: Arguments of a queue by which more messages go to its alternate: after so many deliveries, expired ones, and those
#: that cannot be converted for a consumer.
ATTEMPTS_ARGUMENT, EXPIRY_ARGUMENT, ROUTE_TO_ALTERNATE = "maximumDeliveryAttempts", "expiryPolicy", "ROUTE_TO_ALTERNATE"
CONVERSION_ARGUMENT = "messageConversionExceptionHandlingPolicy"

#: A binding's arguments, typed as AMQP types them.
Arguments = Mapping[str, AmqpValue]

#: The name of the default exchange.
DEFAULT_EXCHANGE = ""

SELECTOR_ARGUMENT = "x-filter-jms-selector"
XQUERY_ARGUMENT = "xquery"
REPLACEMENT_ARGUMENT = "x-replacement-routing-key"

#: Arguments of a JMS broker's bindings: the name of a divert, the mark of one that keeps messages from queues, and in
#: the topology that people see a choice in words and a queue's routing type.
DIVERT_ARGUMENT, EXCLUSIVE_ARGUMENT, CHOICE_ARGUMENT = "divert", "exclusive", "choice"
ROUTING_TYPE_ARGUMENT = "routing-type"

#: The argument of a JMS broker's binding with the dialect of its selector, where that is a client's and not the
#: broker's own.
DIALECT_ARGUMENT = "dialect"


@dataclass(frozen=True, slots=True)
class Alternate:
    """The destination of unroutable messages: RabbitMQ's alternate exchange, Broker-J's alternate binding."""

    name: str
    type: TargetType = "exchange"


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue. What it does with its messages is no part of a topology.

    ``alternate`` gets messages that consumers reject or that the queue leaves behind when it is deleted, and none that
    are published; ``arguments`` are those of its declaration. One that is not ``declared`` is known by a binding
    or a shovel alone. ``path``, here and below, is that of the object in the file that it came from; it is no part of
    its identity.
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
    """An exchange. ``unroutable`` is the fate of a message that reaches no queue, not even through the alternate.

    One that is not ``declared`` is known by its bindings alone.
    """

    name: str
    type: ExchangeType
    alternate: Alternate | None = None
    unroutable: Unroutable = "discard"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    path: str = field(default="", compare=False)
    #: The sends of a JMS broker that come here.
    entered: Entered | None = None
    declared: bool = True

    @property
    def kind(self) -> ExchangeKind:
        """What the exchange's bindings compare; nothing for a type that no broker has, which a topology refuses."""
        return EXCHANGE_KINDS.get(self.type, ExchangeKind())

    @property
    def is_unknown(self) -> bool:
        """Return True if the file names the exchange and does not describe it."""
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
        """Return an argument that is a string or symbol; None where it is absent or void."""
        value = self.arguments.get(argument)
        return value.value if value is not None and isinstance(value.value, str) else None


@dataclass(frozen=True, slots=True)
class Link:
    """A way on that is no routing: of messages that a queue lets go of, or from or to another broker.

    An end without a name is another broker. ``when`` is the condition in words; ``key``, if there is one, takes the
    place of the routing key. The source is an ``own-queue`` for queues that only sends to a JMS broker name, and
    ``pattern`` is that of their keys, or of the topics of a subscription; the first pattern that matches counts. With
    ``affixes`` the key, or the name of the queue that the link leads to, is the source's name between these two.
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
        """The kinds and the names of the link's ends in this broker."""
        ends = (self.source_type, self.source), (self.destination_type, self.destination)
        return tuple((kind, name) for kind, name in ends if name is not None)
