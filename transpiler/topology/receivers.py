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
    for number, item in enumerate(addresses):
        text, path = item if isinstance(item, tuple) else (item, f"addresses[{number}]")
        try:
            address = parse_address(text)
        except TopologyError as error:
            found = error.diagnostics[0]
            raise TopologyError([replace(found, source=Source(text, path))]) from None
        topology = _Receiver(topology, address, path).topology()
    return topology


class _Receiver:
    def __init__(self, topology: Topology, address: Address, path: str) -> None:
        self.before = topology
        self.address = address
        self.path = path
        self.exchanges = list(topology.exchanges)
        self.queues = list(topology.queues)
        self.bindings = list(topology.bindings)
        self.findings = list(topology.findings)

    def topology(self) -> Topology:
        """The topology with this receiver."""
        name = self.address.name
        if self._is_queue():
            if name not in self.before.queue_names:
                self._create_queue()
            self._bind(self.address.link.bindings, queue=name)
        else:
            if name not in self.before.exchange_by_name:
                self._create_exchange()
            self._subscribe()
        if self.address.link.selector is not None:
            message = "the link's selector filters what the receiver gets from the queue, not what the queue gets"
            self.findings.append(Diagnostic("address.selector", "warning", f"{self.path}: {message}"))
        return replace(
            self.before,
            exchanges=tuple(self.exchanges),
            queues=tuple(self.queues),
            bindings=tuple(self.bindings),
            findings=tuple(self.findings),
        )

    def _refuse(self, code: str, message: str, hint: str) -> NoReturn:
        raise TopologyError.at(code, f"{self.path}: {message}", hint=hint)

    def _is_queue(self) -> bool:
        name, node_type = self.address.name, self.address.node.type
        if node_type is not None:
            return node_type == "queue"
        is_queue = name in self.before.queue_names
        is_exchange = name in self.before.exchange_by_name
        if is_queue and is_exchange:
            hint = "say which: {node: {type: queue}} or {node: {type: topic}}"
            self._refuse("address.ambiguous", f"{name!r} is a queue and an exchange", hint)
        # "neither a queue nor an exchange": what is created is then a queue.
        return not is_exchange

    def _may_create(self, what: str) -> None:
        if self.address.create not in ("always", "receiver"):
            known = self.before.queue_names if what == "queue" else self.before.exchange_by_name
            near = nearest(self.address.name, known)
            hint = f"did you mean {near[0]}?" if near else "declare it, or write {create: always} in the address"
            self._refuse(f"topology.no-{what}", f"there is no {what} called {self.address.name!r}", hint)

    def _create_queue(self) -> None:
        self._may_create("queue")
        declare = self.address.node.declare
        queue = Queue(
            self.address.name,
            durable=self.address.node.durable,
            auto_delete=declare.get("auto-delete") is True,
            exclusive=declare.get("exclusive") is True,
            path=self.path,
        )
        self.queues.append(queue)
        self._bind(self.address.node.bindings, queue=queue.name)

    def _create_exchange(self) -> None:
        self._may_create("exchange")
        declare = self.address.node.declare
        alternate = declare.get("alternate-exchange")
        exchange = Exchange(
            self.address.name,
            self._exchange_type(declare.get("type", "topic")),
            Alternate(str(alternate)) if alternate is not None else None,
            durable=self.address.node.durable,
            auto_delete=declare.get("auto-delete") is True,
            path=self.path,
        )
        self.exchanges.append(exchange)
        self._bind(self.address.node.bindings, exchange=exchange.name)

    def _exchange_type(self, name: object) -> ExchangeType:
        types: tuple[ExchangeType, ...] = get_args(ExchangeType)
        for known in types:
            if known == name:
                return known
        return self._refuse(
            "topology.exchange-type", f"there are no exchanges of type {name!r}", f"the types are {', '.join(types)}"
        )

    def _subscribe(self) -> None:
        """The subscription queue and its bindings; its name is the link's, or one that is free."""
        name = self.address.name
        declared = [exchange for exchange in self.exchanges if exchange.name == name]
        exchange_type = declared[0].type if declared else self.before.exchange_by_name[name].type
        queue = subscription_queue(self.address)
        taken = {known.name for known in self.queues}
        if self.address.link.name is None:
            free, number = queue.name, 1
            while free in taken:
                number += 1
                free = f"{queue.name}_{number}"
            queue = replace(queue, name=free)
        if queue.name not in taken:
            # A named subscription that is there already is used by one more receiver.
            self.queues.append(replace(queue, path=self.path))
        for binding in subscription_bindings(self.address, exchange_type, queue.name):
            self.bindings.append(replace(binding, path=self.path))

    def _bind(
        self, bindings: tuple[AddressBinding, ...], *, queue: str | None = None, exchange: str | None = None
    ) -> None:
        """Explicit bindings, in which what the address resolves to is implied."""
        for binding in bindings:
            source, destination = binding.exchange or exchange, binding.queue or queue
            if source is None or destination is None:
                missing = "exchange" if source is None else "queue"
                self._refuse("address.binding", f"an element of x-bindings names no {missing}", f"add {missing}: …")
            self.bindings.append(Binding(source, destination, binding.key, binding.arguments, path=self.path))
