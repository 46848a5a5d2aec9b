"""Parts of a topology: what an exchange leads to, what leads to a queue, what is around a name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from transpiler.topology.graph import Node, all_ways, reached, reverse, routes, successors
from transpiler.topology.model import Alternate, Topology, unknown_name


def narrow(
    topology: Topology,
    *,
    exchanges: Iterable[str] = (),
    queues: Iterable[str] = (),
    around: Iterable[str] = (),
    distance: int = 1,
) -> Topology:
    """Return the part of a topology that several names are about; all of it without a name.

    An exchange brings what its messages may reach, a queue what leads to it, and a name that is ``around`` everything
    up to ``distance`` bindings, alternates or links away, in both directions. Raises ``TopologyError`` for an unknown
    name.
    """
    starts: list[Node] = [("exchange", name) for name in exchanges]
    ends: list[Node] = [("queue", name) for name in queues]
    centres = [node for name in around for node in _named(topology, name)]
    if not (starts or ends or centres):
        return topology
    forward = successors(topology, routes(topology))
    for kind, name in (*starts, *ends):
        if (kind, name) not in forward:
            raise unknown_name(kind, name, [other for other_kind, other in forward if other_kind == kind])
    kept = reached(forward, starts) | reached(reverse(forward), ends)
    linked = successors(topology, all_ways(topology))
    back = reverse(linked)
    kept |= reached({node: linked[node] | back[node] for node in linked}, centres, distance=distance)
    return _part(topology, kept)


def _named(topology: Topology, name: str) -> list[Node]:
    nodes: list[Node] = [("exchange", name)] if name in topology.exchange_by_name else []
    nodes += [("queue", name)] if name in topology.queue_names else []
    if not nodes:
        raise unknown_name("exchange or queue", name, [*topology.exchange_by_name, *topology.queue_names])
    return nodes


def _part(topology: Topology, kept: set[Node]) -> Topology:
    def alternate(of: Alternate | None) -> Alternate | None:
        return of if of is not None and (of.type, of.name) in kept else None

    return replace(
        topology,
        exchanges=tuple(
            replace(exchange, alternate=alternate(exchange.alternate))
            for exchange in topology.exchanges
            if ("exchange", exchange.name) in kept
        ),
        queues=tuple(
            replace(queue, alternate=alternate(queue.alternate))
            for queue in topology.queues
            if ("queue", queue.name) in kept
        ),
        bindings=tuple(
            binding
            for binding in topology.bindings
            if ("exchange", binding.source) in kept and (binding.destination_type, binding.destination) in kept
        ),
        links=tuple(
            link
            for link in topology.links
            if (link.source is None or (link.source_type, link.source) in kept)
            and (link.destination is None or (link.destination_type, link.destination) in kept)
        ),
    )
