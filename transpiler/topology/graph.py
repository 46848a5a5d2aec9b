"""The graph of a topology: its exchanges and queues as nodes, the paths of messages as edges, and subgraphs.

Routing follows bindings and alternates of exchanges. Links lead from a queue that a message leaves, and to and from
other brokers. ``routing.exchange_graph`` computes the paths of routing with their keys and conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from transpiler.topology.model import Topology, unknown_name
from transpiler.topology.records import Alternate
from transpiler.topology.targets import TargetType

#: A node: its kind and its name.
Node = tuple[TargetType, str]

#: A node of any graph; the graph maps each node to its successors.
N = TypeVar("N", bound=Hashable)
#: A node whose type has an order, so that results do not depend on the order of hashes.
Ordered = TypeVar("Ordered", bound=tuple[Any, ...])
Graph = Mapping[N, Collection[N]]


def routes(topology: Topology) -> Iterator[tuple[Node, Node]]:
    """Yield the edges along which exchanges route messages. Each begins at an exchange."""
    for binding in topology.bindings:
        yield ("exchange", binding.source), (binding.destination_type, binding.destination)
    for exchange in topology.exchange_by_name.values():
        alternate = topology.alternate(exchange)
        if alternate is not None:
            yield ("exchange", exchange.name), (alternate.type, alternate.name)


def onward(topology: Topology) -> Iterator[tuple[Node, Node]]:
    """Yield an edge for each link (such as a dead-letter link) that has both ends in this topology."""
    for link in topology.onward:
        if len(link.ends) == 2 and all(is_node(topology, end) for end in link.ends):
            yield link.ends[0], link.ends[1]


def is_node(topology: Topology, node: Node) -> bool:
    """Return True if ``node`` is an exchange or queue of the topology."""
    kind, name = node
    if kind == "queue":
        return name in topology.queue_names
    return kind == "exchange" and name in topology.exchange_by_name


def all_ways(topology: Topology) -> Iterator[tuple[Node, Node]]:
    """Yield the edges along which messages are routed, and the edges of links."""
    return chain(routes(topology), onward(topology))


def successors(topology: Topology, ways: Iterable[tuple[Node, Node]]) -> dict[Node, set[Node]]:
    """Return the successors of each exchange and queue along the edges ``ways``."""
    after: dict[Node, set[Node]] = {("exchange", name): set() for name in topology.exchange_by_name}
    after |= {("queue", name): set() for name in topology.queue_names}
    for source, target in ways:
        after[source].add(target)
        after.setdefault(target, set())
    return after


def reverse(graph: Graph[N]) -> dict[N, set[N]]:
    """Return ``graph`` with all edges reversed."""
    back: dict[N, set[N]] = {node: set() for node in graph}
    for source, targets in graph.items():
        for target in targets:
            back[target].add(source)
    return back


def reached(graph: Graph[N], starts: Iterable[N], within: Set[N] | None = None, distance: int | None = None) -> set[N]:
    """Return the nodes that can be reached from ``starts``, including the start nodes.

    If ``within`` is given, the paths use only these nodes. ``distance`` is the maximum number of edges; None is no
    limit.
    """
    seen = set(starts)
    level = list(seen)
    while level and distance != 0:
        following = dict.fromkeys(target for node in level for target in graph.get(node, ()))
        level = [node for node in following if node not in seen and (within is None or node in within)]
        seen.update(level)
        distance = None if distance is None else distance - 1
    return seen


def components(graph: Graph[N]) -> Iterator[set[N]]:
    """Yield the strongly connected components by Kosaraju's algorithm, each before the components that it leads to."""
    seen: set[N] = set()
    finished: list[N] = []
    for start in graph:
        # Depth-first search without recursion: a node is finished when its iterator of targets is exhausted.
        stack = [] if start in seen else [(start, iter(graph[start]))]
        seen.add(start)
        while stack:
            node, targets_left = stack[-1]
            unseen = next((other for other in targets_left if other not in seen), None)
            if unseen is None:
                finished.append(node)
                stack.pop()
            else:
                seen.add(unseen)
                stack.append((unseen, iter(graph[unseen])))
    back = reverse(graph)
    left = set(graph)
    for node in reversed(finished):
        if node in left:
            component = reached(back, [node], left)
            left -= component
            yield component


def shortest_cycle(graph: Graph[Ordered], start: Ordered) -> list[Ordered]:
    """Return the nodes of a shortest cycle through ``start``, beginning with ``start``; ``[start]`` if none exists."""
    before: dict[Ordered, Ordered] = {}
    level = [start]
    while level:
        following = []
        for node in level:
            for target in sorted(graph[node]):
                if target == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                if target not in before:
                    before[target] = node
                    following.append(target)
        level = following
    return [start]


def narrow(
    topology: Topology,
    *,
    exchanges: Iterable[str] = (),
    queues: Iterable[str] = (),
    around: Iterable[str] = (),
    distance: int = 1,
) -> Topology:
    """Return the part of a topology that concerns some exchanges and queues; the whole topology if none is given.

    The part contains everything that messages to one of ``exchanges`` may reach, and everything that leads to one of
    ``queues``. For each name in ``around``, it contains everything up to ``distance`` bindings, alternates or links
    away, in both directions. Raises ``TopologyError`` for an unknown name.
    """
    starts: list[Node] = [("exchange", name) for name in exchanges]
    ends: list[Node] = [("queue", name) for name in queues]
    centres = [node for name in around for node in _named(topology, name)]
    if not (starts or ends or centres):
        return topology
    forward = successors(topology, routes(topology))
    for kind, name in (*starts, *ends):
        if (kind, name) not in forward:
            known = [other for other_kind, other in forward if other_kind == kind]
            raise unknown_name(kind, name, known, topology.rules.predeclared)
    kept = reached(forward, starts) | reached(reverse(forward), ends)
    linked = successors(topology, all_ways(topology))
    back = reverse(linked)
    kept |= reached({node: linked[node] | back[node] for node in linked}, centres, distance=distance)
    cut = {node for node in kept if not (linked if node[0] == "exchange" else back)[node] <= kept}
    return _part(topology, kept, frozenset(cut))


def _named(topology: Topology, name: str) -> list[Node]:
    nodes: list[Node] = [("exchange", name)] if name in topology.exchange_by_name else []
    nodes += [("queue", name)] if name in topology.queue_names else []
    if not nodes:
        known = [*topology.exchange_by_name, *topology.queue_names]
        raise unknown_name("exchange or queue", name, known, topology.rules.predeclared)
    return nodes


def _part(topology: Topology, kept: set[Node], cut: frozenset[tuple[str, str]]) -> Topology:
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
        links=tuple(link for link in topology.links if link.ends and kept.issuperset(link.ends)),
        cut=cut,
    )
