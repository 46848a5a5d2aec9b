"""Findings about possible routes of messages: nodes without a way in or out, loops, and missing targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from transpiler.base.diagnostics import first_of
from transpiler.tools.topology_report.labels import Finding, exchange_title
from transpiler.tools.topology_report.letters import Letters, State
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology.displayed_addresses import links_at
from transpiler.topology.graph import (
    Node,
    Ordered,
    all_ways,
    components,
    is_node,
    reached,
    reverse,
    routes,
    shortest_cycle,
    successors,
)
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, Link

#: Maximum number of queues listed in one finding.
_MAX_SOURCES = 5


class Ways:
    """The graph of all possible routes in a topology, which several kinds of findings use."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        #: For each exchange and queue, the nodes that it routes messages to.
        self.routes = successors(topology, routes(topology))
        # Links by which an exchange sends messages to another broker, such as shovels and federation.
        feeding = (link for link in topology.links if link.source_type == "exchange" and link.kind != "dead-letter")
        ends: list[Node] = [("exchange", link.source) for link in feeding if link.source is not None]
        ends += [("queue", name) for name in topology.queue_names]
        # It is not known where an exchange of unknown type sends its messages, so do not report them as lost there.
        ends += [("exchange", one.name) for one in topology.exchanges if one.is_unknown]
        ends += [("exchange", DEFAULT_EXCHANGE)] if topology.queues else []
        #: The nodes at which a message is not lost, such as queues, and exchanges that send to another broker.
        self.ends = frozenset(ends)
        self.back = reverse(self.routes)
        #: The nodes (queues and exchanges) from which a message can arrive at one of ``ends``.
        self.leading = reached(self.back, ends)
        self.letters = Letters(topology)


def lonely_queues(of: Ways) -> Iterator[Finding]:
    """Yield the queues to which neither a binding nor a link leads."""
    topology = of.topology
    reason = topology.rules.addressing.lonely
    if reason is None:
        return
    linked = {(link.destination_type, link.destination) for link in topology.onward}
    for queue in topology.queues:
        if not of.back["queue", queue.name] and ("queue", queue.name) not in linked:
            yield Finding("queue-without-bindings", queue.name, reason, ("queue", queue.name))


def exchanges(of: Ways, summary: Summary | None) -> Iterator[Finding]:
    """Yield the exchanges to or from which no route leads; with ``summary`` also those that no message reached."""
    topology = of.topology
    ways = successors(topology, all_ways(topology))
    starts: list[Node] = [("exchange", n) for n, exchange in topology.exchange_by_name.items() if not exchange.internal]
    # Messages also enter at queues, because clients can send to a queue by its name, and at the targets of links, which
    # may come from other brokers.
    starts += [("queue", name) for name in topology.queue_names]
    starts += [(link.destination_type, link.destination) for link in topology.links if link.destination is not None]
    entered = reached(ways, starts)
    used = None
    if summary is not None:
        used = reached(ways, [("exchange", name) for name, count in summary.exchanges.items() if count])
        used |= reached(ways, [("queue", name) for name, count in summary.queues.items() if count])
    for exchange in topology.exchanges:
        node: Node = ("exchange", exchange.name)
        if not topology.rules.addressing.has_exchanges and not (of.routes[node] or of.back[node]):
            # No binding leads to or from this address, so it can only get dead letters. ``targets`` reports dead
            # letters that are lost there.
            continue
        if node not in entered:
            reason = "it is internal, and no exchange that takes messages leads to it"
            yield Finding("exchange-without-way-in", exchange.name, reason, node)
        elif used is not None and node not in used:
            reason = "no counted message was published to it or to one that leads to it"
            yield Finding("exchange-without-way-in", exchange.name, reason, node)
        own = exchange.name in topology.rules.predeclared and not (ways[node] or of.back[node])
        if node in of.leading or own:
            continue
        # The links of a wildcard address apply to all addresses that match it, so count them as well.
        has_successors = bool(ways[node]) or any(links_at(topology, exchange.name))
        lost = _lost(topology, has_successors)
        if lost is not None:
            yield Finding("exchange-without-way-out", exchange.name, lost, node)


def _lost(topology: Topology, has_successors: bool) -> str | None:
    """Return why messages are lost at an exchange from which no route leads to a queue.

    ``has_successors`` is True if the exchange has bindings or links that end elsewhere. Return None if it may have
    queues that the file does not name.
    """
    addressing = topology.rules.addressing
    if has_successors:
        return addressing.ends_early
    return addressing.dead_end if topology.knows_subscribers else None


def loops(of: Ways) -> Iterator[Finding]:
    """Yield a shortest cycle for each strongly connected part of the graph that has a cycle.

    Cycles of exchanges and bindings come first, then cycles with links, such as those for dead letters.
    """
    topology = of.topology
    unknown: set[Node] = {("exchange", one.name) for one in topology.exchanges if one.is_unknown}
    known = {node: targets - unknown for node, targets in of.routes.items() if node not in unknown}
    for cycle in _cycles(known):
        fate = "a send that comes back fails" if topology.rules.rings_fail else "a message passes each of them once"
        yield Finding("exchange-loop", _title(cycle[0]), f"{_drawn(cycle)}: {fate}", cycle[0])
    for way in _cycles(of.letters.graph):
        if not of.letters.links.isdisjoint(zip(way, (*way[1:], way[0]), strict=True)):
            reason = f"{_drawn(way)}: a message that {_reasons_to_move(of.letters, way)} may come back"
            yield Finding("link-loop", _title(way[0]), reason, (way[0].kind, way[0].name))


def _cycles(graph: Mapping[Ordered, set[Ordered]]) -> Iterator[list[Ordered]]:
    # Sort the targets, so that the result does not depend on the order of a set.
    for component in components({node: sorted(targets) for node, targets in graph.items()}):
        start = min(component)
        if len(component) > 1 or start in graph[start]:
            yield shortest_cycle(graph, start)


def _title(node: Node | State) -> str:
    return exchange_title(node[1]) if node[0] == "exchange" else node[1]


def _drawn(cycle: Sequence[Node | State]) -> str:
    return " → ".join(_title(node) for node in [*cycle, cycle[0]])


def _reasons_to_move(letters: Letters, cycle: list[State]) -> str:
    """Return the end of a sentence that says for what reasons the links of ``cycle`` move a message: "is rejected".

    Several reasons are joined by "and".
    """
    steps = {(source[:2], target) for source, target in zip(cycle, (*cycle[1:], cycle[0]), strict=True)}
    links = (link for link in letters.topology.onward if len(link.ends) == 2)
    conditions = (link.when for link in links if (link.ends[0], letters.target(link)) in steps)
    return f"is {' and '.join(dict.fromkeys(conditions))}"


def targets(of: Ways) -> Iterator[Finding]:
    """Yield findings about messages that get lost because of their target.

    The findings are: alternate exchanges and targets of links that do not exist, and dead letters that reach no queue.
    """
    topology = of.topology
    for exchange in topology.exchanges:
        alternate = exchange.alternate
        if alternate is not None and not is_node(topology, (alternate.type, alternate.name)):
            reason = (
                f"there is no {alternate.type} called {alternate.name!r}, so messages that "
                f"{exchange.name} cannot route are lost"
            )
            yield Finding(
                "missing-target", f"{exchange.name}, alternate {alternate.type}", reason, ("exchange", exchange.name)
            )
    for link in topology.onward:
        if link.destination is None:
            continue
        target: Node = (link.destination_type, link.destination)
        subject = f"{link.source or 'another broker'}, {link.kind}"
        if not is_node(topology, target):
            yield Finding("missing-target", subject, f"the file has no {target[0]} called {target[1]!r}", link)
            continue
        if target[0] == "queue" or link.source is None:
            continue
        lost = _lost_letters(of, link, target)
        if lost is not None:
            yield Finding("dead-letters-lost", subject, lost, link)


def _lost_letters(of: Ways, link: Link, target: Node) -> str | None:
    """Return why the messages that ``link`` moves to the exchange ``target``, such as dead letters, reach no queue.

    Return None if they may reach a queue.
    """
    topology, title = of.topology, exchange_title(target[1])
    if target not in of.leading and target[1] != DEFAULT_EXCHANGE:
        if topology.rules.addressing.clients_make_queues and not topology.knows_state:
            return f"the file has no queue at {target[1]}: they are lost, if no client made one"
        return f"{title} leads to no queue"
    ends = reached(of.letters.graph, [of.letters.target(link)])
    if link.key is not None and not any(state.kind == "queue" or state[:2] in of.ends for state in ends):
        return f"nothing in {title} takes the key {link.key!r}"
    return None if of.letters.is_taken(link) else f"nothing in {title} takes what its bindings bring"


def unread(of: Ways) -> Iterator[Finding]:
    """Yield the queues that get dead letters or expired messages and have no consumer.

    The result is empty if it is not known which queues have consumers.
    """
    topology = of.topology
    if topology.readers is None:
        return
    sources: dict[str, dict[str, None]] = {}
    for link in topology.onward:
        if link.destination is None or link.source is None or link.kind not in ("dead-letter", "expiry"):
            continue
        for kind, name in reached(of.routes, [(link.destination_type, link.destination)]):
            if kind == "queue" and name not in topology.readers:
                sources.setdefault(name, {})[link.source] = None
    for name, listed in sorted(sources.items()):
        shown = first_of(listed, _MAX_SOURCES)
        yield Finding(
            "unread-dead-letters",
            name,
            f"the queue has no consumer, so the dead letters from {shown} stay in it",
            ("queue", name),
        )
