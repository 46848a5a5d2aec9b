"""Receivers with addresses as part of a topology: what their addresses create, and where they are bound.

Source: the AMQP 0-10 mapping chapter. A name resolves to the queue or the exchange that the topology has; where it has
neither, and the address says ``create: always`` or ``receiver``, to what ``node`` describes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn, get_args

from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import TopologyError
from transpiler.source import Source
from transpiler.topology.address import (
    Address,
    AddressBinding,
    parse_address,
    subscription_bindings,
    subscription_queue,
)
from transpiler.topology.model import Alternate, Binding, Exchange, Queue, Topology
from transpiler.topology.rules import ExchangeType


def with_addresses(topology: Topology, addresses: Iterable[str | tuple[str, str]]) -> Topology:
    """The topology with a receiver for each address, in order: its node, its subscription queue and its bindings.

    An address may come with the path where it stands. ``TopologyError`` for one that does not read, or whose name is
    nowhere, or is a queue and an exchange and the address does not say which.
    """
    receivers = _Receivers(topology)
    for number, item in enumerate(addresses):
        text, path = item if isinstance(item, tuple) else (item, f"addresses[{number}]")
        try:
            address = parse_address(text)
        except TopologyError as error:
            found = error.diagnostics[0]
            raise TopologyError([replace(found, source=Source(text, path))]) from None
        receivers.add(address, path)
    return receivers.topology()


class _Receivers:
    """A topology that grows by one receiver after the other."""

    def __init__(self, topology: Topology) -> None:
        self._before = topology
        self._types = {name: exchange.type for name, exchange in topology.exchange_by_name.items()}
        self._names = set(topology.queue_names)
        self._exchanges = list(topology.exchanges)
        self._queues = list(topology.queues)
        self._bindings = list(topology.bindings)
        self._findings = list(topology.findings)
        self._numbers: dict[str, int] = {}
        self._path = ""

    def topology(self) -> Topology:
        """The topology with all receivers."""
        return replace(
            self._before,
            exchanges=tuple(self._exchanges),
            queues=tuple(self._queues),
            bindings=tuple(self._bindings),
            findings=tuple(self._findings),
        )

    def add(self, address: Address, path: str) -> None:
        """One more receiver."""
        self._path = path
        if self._is_queue(address):
            if address.name not in self._names:
                self._create_queue(address)
            self._bind(address.link.bindings, queue=address.name)
        else:
            if address.name not in self._types:
                self._create_exchange(address)
            self._subscribe(address)
        if address.link.selector is not None:
            message = "the link's selector filters what the receiver gets from the queue, not what the queue gets"
            self._findings.append(Diagnostic("address.selector", "warning", f"{path}: {message}"))

    def _refuse(self, code: str, message: str, hint: str) -> NoReturn:
        raise TopologyError.at(code, f"{self._path}: {message}", hint=hint)

    def _is_queue(self, address: Address) -> bool:
        if address.node.type is not None:
            return address.node.type == "queue"
        is_queue, is_exchange = address.name in self._names, address.name in self._types
        if is_queue and is_exchange:
            hint = "say which: {node: {type: queue}} or {node: {type: topic}}"
            self._refuse("address.ambiguous", f"{address.name!r} is a queue and an exchange", hint)
        # "neither a queue nor an exchange": what is created is then a queue.
        return not is_exchange

    def _may_create(self, address: Address, what: str) -> None:
        if address.create not in ("always", "receiver"):
            near = nearest(address.name, self._names if what == "queue" else self._types)
            hint = f"did you mean {near[0]}?" if near else "declare it, or write {create: always} in the address"
            self._refuse(f"topology.no-{what}", f"there is no {what} called {address.name!r}", hint)

    def _create_queue(self, address: Address) -> None:
        self._may_create(address, "queue")
        declare = address.node.declare
        self._add_queue(
            Queue(
                address.name,
                durable=address.node.durable,
                auto_delete=declare.get("auto-delete") is True,
                exclusive=declare.get("exclusive") is True,
            )
        )
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
                Alternate(str(alternate)) if alternate is not None else None,
                durable=address.node.durable,
                auto_delete=declare.get("auto-delete") is True,
                path=self._path,
            )
        )
        self._bind(address.node.bindings, exchange=address.name)

    def _exchange_type(self, name: object) -> ExchangeType:
        types: tuple[ExchangeType, ...] = get_args(ExchangeType)
        for known in types:
            if known == name:
                return known
        hint = f"the types are {', '.join(types)}"
        return self._refuse("topology.exchange-type", f"there are no exchanges of type {name!r}", hint)

    def _subscribe(self, address: Address) -> None:
        """The subscription queue and its bindings; its name is the link's, or one that nobody else has."""
        queue = subscription_queue(address)
        if address.link.name is None:
            queue = replace(queue, name=self._free_name(queue.name))
        if queue.name not in self._names:
            # A named subscription that is there already has one more receiver.
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
        """Explicit bindings, in which what the address resolves to is implied."""
        for binding in bindings:
            source, destination = binding.exchange or exchange, binding.queue or queue
            if source is None or destination is None:
                missing = "exchange" if source is None else "queue"
                self._refuse("address.binding", f"an element of x-bindings names no {missing}", f"add {missing}: …")
            self._bindings.append(Binding(source, destination, binding.key, binding.arguments, path=self._path))
