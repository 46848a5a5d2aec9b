"""State graph of a message's path through exchanges: the states, and those reachable from each entry.

A state is an exchange together with the routing key that a message has there. The bindings of a state match by the
message alone and not by the path that led there, so each is evaluated once, and the results are combined in the end:
by *activation*, where an exchange without a matching binding sends to its alternate, or by *paths*, where an alternate
gets what reached no queue by any path, and a message that comes back goes no further.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from transpiler.errors import UnsupportedFeatureError
from transpiler.topology.model import Binding, Exchange, Topology

#: Paths through the exchanges of a topology with cycles that are followed from one exchange at most.
MAX_PATHS = 10_000


@dataclass(frozen=True, slots=True)
class State:
    """A message at an exchange, with its own key (None) or the one that a binding has put in its place."""

    exchange: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    """To a stop; not for a message whose own key is ``unless``, which has been there."""

    stop: int
    unless: str | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """One stop on the paths from an entry: its state, and the stops that its bindings and its alternate lead to.

    Stops are numbered in topological order, successors first. ``onward`` maps the number of a state to the stop that
    its binding leads to.
    """

    state: int
    onward: tuple[tuple[int, Hop], ...] = ()
    alternate_queue: str | None = None
    alternate: Hop | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """The states that a message published to one exchange can reach, the first one first.

    ``alternates`` are the alternates of states, a state's number or a queue; ``steps`` are the stops of all paths, the
    entry last.
    """

    states: tuple[int, ...]
    alternates: tuple[tuple[int, int | None, str | None], ...] = ()
    steps: tuple[Visit, ...] = ()

    @property
    def simple(self) -> bool:
        """Return True if the bindings of the first state alone decide."""
        return len(self.states) == 1 and not self.alternates


@dataclass
class ExchangeGraph:
    """All states that can be reached from some exchanges, by number, and the entries by the names of exchanges."""

    states: list[State] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)


class _Reach:
    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.numbers: dict[State, int] = {}
        self._onward: dict[State, tuple[State, ...]] = {}
        self._bindings: dict[str, tuple[Binding, ...]] = {
            source: between
            for source, bindings in topology.bindings_by_source.items()
            if (between := tuple(binding for binding in bindings if binding.destination_type == "exchange"))
        }

    def number(self, state: State) -> int:
        return self.numbers.setdefault(state, len(self.numbers))

    def exchange(self, state: State) -> Exchange:
        return self.topology.exchange_by_name[state.exchange]

    def onward(self, state: State) -> tuple[State, ...]:
        """The states that bindings lead to."""
        states = self._onward.get(state)
        if states is None:
            targets = (onward(self.topology, binding, state) for binding in self._bindings.get(state.exchange, ()))
            states = self._onward[state] = tuple(dict.fromkeys(targets))
        return states

    def alternate(self, state: State) -> State | str | None:
        """The state, or the queue, that gets the messages that a state cannot route."""
        alternate = self.topology.alternate(self.exchange(state))
        if alternate is None or alternate.type == "queue":
            return None if alternate is None else alternate.name
        return State(alternate.name, state.key)

    def all_next(self, state: State) -> Iterator[State]:
        yield from self.onward(state)
        alternate = self.alternate(state)
        if isinstance(alternate, State):
            yield alternate

    def closure(self, start: State) -> tuple[State, ...]:
        reached = {start: None}
        waiting = [start]
        while waiting:
            for following in self.all_next(waiting.pop()):
                if following not in reached:
                    reached[following] = None
                    waiting.append(following)
        return tuple(reached)


def onward(topology: Topology, binding: Binding, state: State) -> State:
    """The state that a binding between exchanges leads to."""
    replacement = topology.replacement_key(binding)
    return State(binding.destination, state.key if replacement is None else replacement)


def build_exchange_graph(topology: Topology, exchange: str | None = None) -> ExchangeGraph:
    """The states reached from one exchange, or from every one that a message can be published to."""
    reach = _Reach(topology)
    graph = ExchangeGraph()
    names = topology.exchange_by_name if exchange is None else [exchange]
    for name in names:
        known = topology.exchange_by_name.get(name)
        if known is not None and not known.internal:
            graph.entries[name] = _entry(reach, State(name))
    graph.states = list(reach.numbers)
    return graph


def _entry(reach: _Reach, start: State) -> Entry:
    states = reach.closure(start)
    numbers = tuple(reach.number(state) for state in states)
    alternates: list[tuple[int, int | None, str | None]] = []
    for state in states:
        alternate = reach.alternate(state)
        if isinstance(alternate, State):
            alternates.append((reach.number(state), reach.number(alternate), None))
        elif alternate is not None:
            alternates.append((reach.number(state), None, alternate))
    if len(states) == 1 and not alternates:
        return Entry(numbers)
    if reach.topology.rules.alternate_on_no_match:
        return Entry(numbers, tuple(alternates))
    return Entry(numbers, tuple(alternates), _Paths(reach, start).steps)


class _Paths:
    """The stops of all paths from one state; two paths share a continuation where their pasts do not matter to it."""

    def __init__(self, reach: _Reach, start: State) -> None:
        self._reach = reach
        self._ahead: Mapping[State, frozenset[State]] = {
            state: frozenset(reach.closure(state)) for state in reach.closure(start)
        }
        self._known: dict[tuple[State, frozenset[State], bool], int] = {}
        self._steps: list[Visit] = []
        self._stop(start, frozenset(), True)

    @property
    def steps(self) -> tuple[Visit, ...]:
        return tuple(self._steps)

    def _lead(self, state: State, path: frozenset[State], with_alternate: bool = True) -> Hop | None:
        """The hop to a state; None where the message has been there."""
        if state in path:
            return None
        # A key that was put in the place of the message's own may be the same.
        again = state.key is not None and State(state.exchange) in path
        return Hop(self._stop(state, path, with_alternate), state.key if again else None)

    def _stop(self, state: State, path: frozenset[State], with_alternate: bool) -> int:
        # Of the states behind only those matter that can still come again, so that paths share their stops.
        ahead = self._ahead[state]
        exchanges = {following.exchange for following in ahead}
        behind = frozenset(stop for stop in path if stop in ahead or (stop.key is None and stop.exchange in exchanges))
        key = (state, behind, with_alternate)
        known = self._known.get(key)
        if known is not None:
            return known
        reach, path = self._reach, behind | {state}
        onward = tuple(
            (reach.number(following), lead)
            for following in reach.onward(state)
            if (lead := self._lead(following, path)) is not None
        )
        alternate_queue, alternate = None, None
        if with_alternate:
            target = reach.alternate(state)
            if isinstance(target, State):
                chained = reach.topology.rules.alternates_chain
                # Where alternates do not chain, the alternate's bindings are tested even for a message that was there.
                alternate = self._lead(target, path if chained else frozenset(), chained)
            else:
                alternate_queue = target
        if len(self._steps) >= MAX_PATHS:
            raise UnsupportedFeatureError.at(
                "limit.ways",
                f"from {state.exchange!r} there are more than {MAX_PATHS:,} paths through the bindings of exchanges",
                hint="take some of the cycles out of the topology",
            )
        self._steps.append(Visit(reach.number(state), onward, alternate_queue, alternate))
        self._known[key] = len(self._steps) - 1
        return self._known[key]
