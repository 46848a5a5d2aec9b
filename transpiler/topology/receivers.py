"""Receivers and senders with addresses in a topology: the nodes, bindings and targets that the addresses imply.

Source: the AMQP 0-10 mapping chapter. A name resolves to the queue or the exchange in the topology. If neither exists,
and ``create`` of the address is ``always`` or names this side, the name resolves to a new node, as ``node`` describes
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, TypedDict

from transpiler.base.arguments import check_choice, check_keywords, unexpected
from transpiler.base.diagnostics import Remedy, at_path, meant
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source
from transpiler.topology.broker_rules import RelayAddress
from transpiler.topology.exchange_types import ExchangeType
from transpiler.topology.model import Topology
from transpiler.topology.publishing import ANY_PUBLISHER, PUBLISH_TO, Publisher, PublishTo, relay_target
from transpiler.topology.qpid_address.address import (
    Address,
    AddressBinding,
    parse_address,
    subscription_bindings,
    subscription_queue,
    with_declaration,
)
from transpiler.topology.records import DEFAULT_EXCHANGE, Alternate, Binding, Exchange, Queue


def with_addresses(topology: Topology, addresses: Iterable[str | tuple[str, str]]) -> Topology:
    """Add a receiver for each address to the topology, in order: its node, its subscription queue and its bindings.

    An item may be a pair of the address and its path in a file. Raises ``TopologyError`` for an address that is
    malformed, whose name resolves to nothing, or whose name is a queue and an exchange and that does not set the type.
    """
    links = _Links(topology)
    for number, item in enumerate(addresses):
        text, path = item if isinstance(item, tuple) else (item, f"addresses[{number}]")
        try:
            address = parse_address(text)
        except TopologyError as error:
            diagnostic = error.diagnostics[0]
            raise TopologyError([replace(diagnostic, source=Source(text, path), path=path)]) from None
        links.add(address, path)
    return links.topology()


@dataclass(frozen=True, slots=True)
class Sender:
    """The exchange to which a sender with an address publishes, and the ``topology`` that contains this exchange.

    ``topology`` also contains the queues, exchanges and bindings that the broker creates for the address. ``key`` is
    the routing key of all messages; if it is None, the key of each message is its subject. ``subject`` is the subject
    of messages that have no subject.
    """

    topology: Topology
    exchange: str
    key: str | None = None
    subject: str | None = None


class SendOptions(TypedDict, total=False):
    """The keywords of public functions that specify how messages are sent, besides the name of an exchange."""

    address: str | Address | Sender | None
    publish_to: PublishTo
    routing_type: str | None


class PublishOptions(SendOptions, total=False):
    """The keywords of functions that publish one message."""

    publisher: Publisher


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """The settings for publishing a message, besides exchange and routing keys. Their types are checked."""

    address: str | Address | Sender | None = None
    publish_to: PublishTo = "exchange"
    routing_type: str | None = None
    publisher: Publisher = ANY_PUBLISHER

    def __post_init__(self) -> None:
        check_choice("publish_to", self.publish_to, PUBLISH_TO)
        if not isinstance(self.address, str | Address | Sender | None):
            raise unexpected("address", "the address of a sender", self.address)
        if not isinstance(self.publisher, Publisher):
            raise unexpected("publisher", "a Publisher", self.publisher, "perhaps Publisher('0-9-1')")

    def check_target(self, names_exchange: bool) -> None:
        """Raise ``ValueError`` if more than one of exchange, address and relay is given as the target."""
        if sum((names_exchange, self.address is not None, self.publish_to == "to")) > 1:
            ways = "exchange, address and publish_to='to' are alternative destinations of a message"
            raise ValueError(f"{ways}: pass only one")

    def check_destination(self, topology: Topology) -> None:
        """Raise ``ValueError`` if an address or the relay is given: only ``exchange`` names a JMS destination."""
        if self.address is not None or self.publish_to == "to":
            raise ValueError(f"{topology.rules.name}: the argument exchange must name the destination of the message")


#: The settings of a call without any keywords.
DEFAULT_SETTINGS = PublishSettings()


def read_settings(function: str, keywords: type, given: PublishOptions) -> PublishSettings:
    """Return the settings in the keywords ``given``; raise ``TypeError`` for a keyword that ``function`` lacks."""
    check_keywords(function, keywords, given)
    return PublishSettings(**given)


def resolve_sender(topology: Topology, address: str | Address) -> Sender:
    """Return the target of a sender with ``address``.

    "When sending to a queue, the queue's name is set as the routing key and the message is transferred to the default
    (or nameless) exchange. When sending to an exchange, the message is transferred to that exchange and the routing key
    is set to the message subject if one is specified. A default subject may be specified in the target address."
    Raises ``TopologyError`` in the same cases as ``with_addresses``.
    """
    if isinstance(address, str) and address.startswith("/") and topology.rules.relay is RelayAddress.PATH:
        target = relay_target(topology, address)
        if target is None:
            message = f"{address!r} does not name an exchange or queue of this topology"
            hint = "RabbitMQ's addresses are /queues/name, /exchanges/name and /exchanges/name/key, percent-encoded"
            raise TopologyError.at("address.target", f"address: {message}", hint=hint)
        return Sender(topology, target.exchange, target.key)
    parsed = parse_address(address) if isinstance(address, str) else address
    links = _Links(topology, "sender")
    is_queue = links.add_sender(parsed, "address")
    if is_queue:
        return Sender(links.topology(), DEFAULT_EXCHANGE, parsed.name, parsed.subject)
    return Sender(links.topology(), parsed.name, None, parsed.subject)


class _Links:
    """A builder that adds to a topology what receivers create, or what senders create; ``side`` says which of them."""

    def __init__(self, topology: Topology, side: Literal["receiver", "sender"] = "receiver") -> None:
        self._before = topology
        self._side = side
        self._types = {name: exchange.type for name, exchange in topology.exchange_by_name.items()}
        self._names = set(topology.queue_names)
        self._exchanges = list(topology.exchanges)
        self._queues = list(topology.queues)
        self._bindings = list(topology.bindings)
        self._findings = list(topology.findings)
        self._numbers: dict[str, int] = {}
        self._path = ""

    def topology(self) -> Topology:
        """Return the topology with all added links."""
        parts: dict[str, list[Any]] = {
            "exchanges": self._exchanges,
            "queues": self._queues,
            "bindings": self._bindings,
            "findings": self._findings,
        }
        if all(len(part) == len(getattr(self._before, name)) for name, part in parts.items()):
            # If no element was added, return the same topology object, because checking a large topology again would be
            # slow.
            return self._before
        changed: dict[str, Any] = {name: tuple(part) for name, part in parts.items()}
        return replace(self._before, **changed)

    def add(self, address: Address, path: str) -> None:
        """Add the node, subscription and bindings of a receiver."""
        if self._resolve(address, path):
            self._bind(address.link.bindings, queue=address.name)
        else:
            self._subscribe(address)
        if address.link.selector is not None:
            message = "the link's selector filters what the receiver gets from the queue, not what the queue gets"
            self._findings.append(at_path("address.selector", "warning", path, message))

    def add_sender(self, address: Address, path: str) -> bool:
        """Add the node and bindings of a sender; return True if the node is a queue."""
        is_queue = self._resolve(address, path)
        if is_queue:
            self._bind(address.link.bindings, queue=address.name)
        else:
            self._bind(address.link.bindings, exchange=address.name)
        return is_queue

    def _resolve(self, address: Address, path: str) -> bool:
        """Add the node (queue or exchange) of ``address`` if it does not exist; return True if the node is a queue."""
        self._path = path
        is_queue = self._is_queue(address)
        if is_queue and address.name not in self._names:
            self._create_queue(address)
        elif not is_queue and address.name not in self._types:
            self._create_exchange(address)
        return is_queue

    def _refuse(self, code: str, message: str, hint: str, fix: Remedy | None = None) -> NoReturn:
        raise TopologyError([at_path(code, "error", self._path, message, hint, fix)])

    def _is_queue(self, address: Address) -> bool:
        if address.node.type is not None:
            return address.node.type == "queue"
        is_queue, is_exchange = address.name in self._names, address.name in self._types
        if is_queue and is_exchange:
            hint = "perhaps specify the type: {node: {type: queue}} or {node: {type: topic}}"
            self._refuse("address.ambiguous", f"{address.name!r} is both a queue and an exchange", hint)
        # Qpid's rule for a name that is "neither a queue nor an exchange": the broker creates a queue.
        return not is_exchange

    def _may_create(self, address: Address, what: str) -> None:
        if address.create not in ("always", self._side):
            known = self._types.keys() if what == "exchange" else self._names
            if address.node.type is None:
                # An unknown name without a type means a new queue. The user may have misspelled the name of an
                # exchange, so the hint for the error suggests similar names of exchanges, too.
                known = known | self._types.keys()
            hint, fix = meant(address.name, known, self._path)
            hint = hint or "perhaps declare the node, or write {create: always} in the address"
            self._refuse(f"topology.no-{what}", f"there is no {what} called {address.name!r}", hint, fix)

    def _create_queue(self, address: Address) -> None:
        self._may_create(address, "queue")
        self._add_queue(with_declaration(Queue(address.name, durable=address.node.durable), address.node.declare))
        self._bind(address.node.bindings, queue=address.name)

    def _add_queue(self, queue: Queue) -> None:
        self._queues.append(replace(queue, path=self._path))
        self._names.add(queue.name)

    def _create_exchange(self, address: Address) -> None:
        self._may_create(address, "exchange")
        declare = address.node.declare
        alternate = declare.get("alternate-exchange")
        exchange_type = self._types[address.name] = self._exchange_type(declare.get("type", "topic"))
        self._exchanges.append(
            Exchange(
                address.name,
                exchange_type,
                None if alternate is None else Alternate(alternate),
                durable=declare.get("durable", address.node.durable),
                auto_delete=declare.get("auto-delete", False),
                path=self._path,
            )
        )
        self._bind(address.node.bindings, exchange=address.name)

    def _exchange_type(self, name: object) -> ExchangeType:
        types = self._before.rules.types
        if name not in types:
            hint = f"the types are {', '.join(types)}"
            self._refuse("topology.exchange-type", f"there are no exchanges of type {name!r}", hint)
        return name

    def _subscribe(self, address: Address) -> None:
        """Add the subscription queue and its bindings. The queue has the name of the link, or an unused name."""
        queue = subscription_queue(address)
        if address.link.name is None:
            queue = replace(queue, name=self._free_name(queue.name))
        if queue.name not in self._names:
            # If the queue of a named subscription already exists, the receiver joins it, and no queue is added.
            self._add_queue(queue)
        for binding in subscription_bindings(address, self._types[address.name], queue.name):
            self._bindings.append(replace(binding, path=self._path))

    def _free_name(self, name: str) -> str:
        while True:
            number = self._numbers[name] = self._numbers.get(name, 0) + 1
            free = f"{name}_{number}"
            if free not in self._names and free not in self._types:
                return free

    def _bind(
        self, bindings: tuple[AddressBinding, ...], *, queue: str | None = None, exchange: str | None = None
    ) -> None:
        """Add the bindings in ``x-bindings`` of an address.

        A binding that names no queue is for ``queue``, and one that names no exchange is for ``exchange``.
        """
        for binding in bindings:
            source, destination = binding.exchange or exchange, binding.queue or queue
            if source is None or destination is None:
                missing = "exchange" if source is None else "queue"
                self._refuse(
                    "address.binding", f"an element of x-bindings names no {missing}", f"perhaps add {missing}: …"
                )
            self._bindings.append(Binding(source, destination, binding.key, binding.arguments, path=self._path))
