"""Parts of a topology: what an exchange leads to, what leads to a queue, what is around a name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from transpiler.diagnostics import nearest
from transpiler.errors import TopologyError
from transpiler.topology.model import Alternate, Topology

#: A node: its kind and its name.
_Node = tuple[str, str]


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
    up to ``distance`` bindings or alternates away, in both directions. Raises ``TopologyError`` for an unknown name.
    """
    starts = [("exchange", name) for name in exchanges]
    ends = [("queue", name) for name in queues]
    centres = [node for name in around for node in _named(topology, name)]
    if not (starts or ends or centres):
        return topology
    known = {*(("exchange", name) for name in topology.exchange_by_name), *(("queue", q) for q in topology.queue_names)}
    for kind, name in (*starts, *ends):
        if (kind, name) not in known:
            raise _unknown(kind, name, [other for other_kind, other in known if other_kind == kind])
    forward, back = _edges(topology)
    kept = _reached(forward, starts) | _reached(back, ends)
    both = {node: forward.get(node, set()) | back.get(node, set()) for node in known}
    kept |= _reached(both, centres, distance)
    return _part(topology, kept)


def _named(topology: Topology, name: str) -> list[_Node]:
    nodes = [("exchange", name)] if name in topology.exchange_by_name else []
    nodes += [("queue", name)] if name in topology.queue_names else []
    if not nodes:
        raise _unknown("exchange or queue", name, [*topology.exchange_by_name, *topology.queue_names])
    return nodes


def _unknown(kind: str, name: str, known: list[str]) -> TopologyError:
    near = nearest(name, known)
    shown = ", ".join(sorted(filter(None, known))[:5])
    hint = f"did you mean {near[0]}?" if near else f"there are {shown}{', …' if len(known) > 5 else ''}"
    return TopologyError.at("topology.unknown", f"there is no {kind} called {name!r}", hint=hint)


def _edges(topology: Topology) -> tuple[dict[_Node, set[_Node]], dict[_Node, set[_Node]]]:
    forward: dict[_Node, set[_Node]] = {}
    back: dict[_Node, set[_Node]] = {}
    edges = [
        (("exchange", binding.source), (binding.destination_type, binding.destination)) for binding in topology.bindings
    ]
    for exchange in topology.exchange_by_name.values():
        if exchange.alternate is not None:
            edges.append((("exchange", exchange.name), (exchange.alternate.type, exchange.alternate.name)))
    for source, target in edges:
        forward.setdefault(source, set()).add(target)
        back.setdefault(target, set()).add(source)
    return forward, back


def _reached(edges: dict[_Node, set[_Node]], starts: Iterable[_Node], distance: int | None = None) -> set[_Node]:
    seen = set(starts)
    level = list(seen)
    while level and distance != 0:
        level = [target for node in level for target in edges.get(node, ())]
        level = [target for target in dict.fromkeys(level) if target not in seen]
        seen.update(level)
        distance = None if distance is None else distance - 1
    return seen


def _part(topology: Topology, kept: set[_Node]) -> Topology:
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
    )
