"""The possible routes of messages that leave queues by links: dead letters, expired messages, and shoveled messages.

A letter is such a message. A link may replace the routing key; then only bindings that match the new key are followed
at direct and topic exchanges. Any other condition of a binding is assumed to hold. If the link has no key, a letter
keeps the routing key with which it reached the queue: ``is_taken`` decides whether a binding can accept a message that
the queue's own bindings accept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import NamedTuple

from transpiler.reference.conditions import matches_words
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.formula import NEVER, Formula, Junction
from transpiler.tools.analysis.solve import Impossible, Solver
from transpiler.tools.analysis.subsumption import parting_message
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.graph import is_node
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, Binding, Link
from transpiler.topology.targets import TargetType

#: Maximum number of comparisons of keys with bindings; after that, every binding is assumed to match.
_TESTS = 2_000_000
#: Maximum number of pairs of bindings that are compared for each link: a binding to the link's source queue, and a
#: binding of the link's target exchange.
_PAIRS = 400

#: Prefix of the names of headers that the broker adds to dead letters.
_ADDED = "x-"


class State(NamedTuple):
    """A queue or exchange that a message has reached after a link, such as dead-lettering, moved it there.

    ``keys`` contains the routing key that the link gave the message. It is empty if the message kept its routing key.
    """

    kind: TargetType
    name: str
    keys: tuple[str, ...] = ()


class Letters:
    """The graph of the possible routes of dead-lettered messages in a topology, after a link moved them from a queue.

    Expired messages, and all others that a link moves on, count as dead-lettered here.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        #: For each queue or exchange (with the message's routing key), those that a dead-lettered message can reach in
        #: one step.
        self.graph: dict[State, set[State]] = {}
        #: The edges of the graph along which a link moves a message. Bindings are the other edges.
        self.links: set[tuple[State, State]] = set()
        self._tests = 0
        self._keyed: dict[str, dict[str, list[Binding]]] = {}
        self._pattern = cache(topology.rules.topic.pattern)
        there = [link for link in topology.onward if all(is_node(topology, end) for end in link.ends)]
        for link in there:
            if len(link.ends) < 2:
                continue
            if link.kind == "expiry" and not topology.rules.addressing.expires_again:
                continue
            kind, name = link.ends[0]
            step = State(kind, name), self.target(link)
            self.links.add(step)
            self._add_edge(*step)
        for link in there:
            if link.destination is not None:
                self._expand(self.target(link))

    def target(self, link: Link) -> State:
        """Return the queue or exchange to which ``link`` leads. The target of ``link`` must be on this broker."""
        kind, name = link.ends[-1]
        keys = () if link.key is None or kind == "queue" else (link.key,)
        return State(kind, name, keys)

    def _add_edge(self, source: State, target: State) -> None:
        self.graph.setdefault(source, set()).add(target)
        self.graph.setdefault(target, set())

    def _expand(self, start: State) -> None:
        """Add to the graph all nodes that a dead-lettered message can reach from ``start`` by bindings alone."""
        waiting, seen = [start], {start}
        self.graph.setdefault(start, set())
        while waiting:
            state = waiting.pop()
            if state.kind != "exchange":
                continue
            for target in self._routes(state):
                self._add_edge(state, target)
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def _routes(self, state: State) -> Iterator[State]:
        topology = self.topology
        exchange = topology.exchange_by_name[state.name]
        certain = False
        for binding in self._matching(state):
            certain = certain or not self._asks_more(binding)
            replaced = topology.replacement_key(binding)
            keys = state.keys if replaced is None else (replaced,)
            yield State(
                binding.destination_type, binding.destination, () if binding.destination_type == "queue" else keys
            )
        alternate = topology.alternate(exchange)
        if alternate is not None and not (certain and topology.rules.alternate_on_no_match and state.keys):
            yield State(alternate.type, alternate.name, state.keys if alternate.type == "exchange" else ())

    def _matching(self, state: State) -> list[Binding]:
        bindings = [*self.topology.bindings_by_source.get(state.name, ())]
        kind = self.topology.exchange_by_name[state.name].kind
        if not state.keys or kind.key is KeyTest.NONE or kind.choosing is not None or self._tests > _TESTS:
            return bindings
        if kind.key is KeyTest.EQUAL:
            return [binding for key in state.keys for binding in self._by_key(state.name).get(key, ())]
        self._tests += len(bindings)
        keys = [self.topology.rules.topic.words(key) for key in state.keys]
        return [one for one in bindings if any(matches_words(self._pattern(one.key), key) for key in keys)]

    def _by_key(self, exchange: str) -> dict[str, list[Binding]]:
        """Return the bindings of an exchange by their keys."""
        known = self._keyed.get(exchange)
        if known is None:
            known = self._keyed[exchange] = {}
            for binding in self.topology.bindings_by_source.get(exchange, ()):
                known.setdefault(binding.key, []).append(binding)
        return known

    def _asks_more(self, binding: Binding) -> bool:
        """Return True if ``binding`` has conditions other than its key, such as a selector."""
        topology = self.topology
        kind = topology.exchange_by_name[binding.source].kind
        has_condition = topology.selector(binding) is not None or topology.xquery(binding) is not None
        return has_condition or kind.compares_headers or kind.choosing is not None

    def is_taken(self, link: Link) -> bool:
        """Return False if it is proved that the target exchange of ``link`` routes none of the link's messages.

        The proof compares the conditions of the bindings to the source queue of ``link`` with those of the bindings of
        the target exchange.
        """
        topology = self.topology
        exchange = topology.exchange_by_name.get(link.destination or "")
        if link.key is not None or link.source is None or exchange is None:
            return True
        if not topology.rules.addressing.has_exchanges:
            # At a JMS broker, every address may accept the message: a binding for an address pattern may match, or the
            # broker creates a queue.
            return True
        taking = topology.bindings_by_source.get(exchange.name, ())
        arriving = self._arriving(link.source)
        fed = any(step[0] == State("exchange", exchange.name) for step in self.links)
        is_open = (
            exchange.name == DEFAULT_EXCHANGE
            or exchange.kind.choosing is not None
            or topology.alternate(exchange) is not None
        )
        if is_open or fed or not arriving or not taking or len(arriving) * len(taking) > _PAIRS:
            return True
        conditions = Conditions()
        solver = Solver(conditions)
        brought = [conditions.formula(topology.condition(one)) for one in arriving]
        return any(self._may_take(conditions, solver, binding, brought) for binding in taking)

    def _arriving(self, queue: str) -> list[Binding]:
        """Return the bindings by which messages reach ``queue``, to find out which messages a link can move from it.

        The result is empty if messages may reach ``queue`` in other ways, too.
        """
        topology = self.topology
        other = any(target == State("queue", queue) for _, target in self.links)
        other = other or any((link.destination_type, link.destination) == ("queue", queue) for link in topology.onward)
        bindings = self._bindings_to.get(queue, [])
        if other or any(topology.exchange_by_name[binding.source].kind.choosing is not None for binding in bindings):
            return []
        return bindings

    @cached_property
    def _bindings_to(self) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for binding in self.topology.bindings:
            if binding.destination_type == "queue":
                found.setdefault(binding.destination, []).append(binding)
        return found

    def _may_take(self, conditions: Conditions, solver: Solver, binding: Binding, brought: list[Formula]) -> bool:
        match = self.topology.headers(binding)
        if match is not None and any(name.startswith(_ADDED) for name, _ in match.pairs):
            return True
        own = conditions.formula(self.topology.condition(binding))
        answers = (parting_message(solver, Junction(False, (own, one)), NEVER) for one in brought)
        return any(not isinstance(answer, Impossible) for answer in answers)
