"""State graph of a message's path through exchanges: all states, and the states reachable from each entry.

A state is an exchange together with the routing key that a message has there. Whether the bindings of a state match
depends only on the message and not on the path to the state. So each binding is evaluated once, and the results are
combined afterwards, in one of two ways. By *activation*: an exchange without a matching binding sends the message to
its alternate. By *paths*: an alternate gets a message that reaches no queue on any path, and a message that comes back
to a state stops there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from transpiler.base.errors import UnsupportedFeatureError
from transpiler.routing.columns import reached_end
from transpiler.topology.graph import components
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding
from transpiler.topology.targets import TargetType

#: Maximum number of paths that are followed from one exchange, in a topology with cycles of exchanges.
MAX_PATHS = 10_000


class State(NamedTuple):
    """A state of the exchange graph: an exchange, and the routing key of a message there.

    ``key`` is the routing key with which a binding on the path has replaced the message's own key; None if the key is
    the message's own.
    """

    exchange: str
    key: str | None = None


class Hop(NamedTuple):
    """A step of a message to the next stop on a path through the exchange graph; ``stop`` is the number of that stop.

    A message whose own routing key equals ``unless`` does not take the step, because it has been in that state before.
    If ``unless`` is None, every message takes the step.
    """

    stop: int
    unless: str | None = None


class Visit(NamedTuple):
    """One stop on a path of a message through the exchange graph: the number of its state, and the next stops.

    Stops are numbered so that each stop comes after the stops that follow it on a path. ``onward`` contains the state
    and the ``Hop`` for each binding to another exchange. ``alternate`` is the ``Hop`` to the alternate exchange, and
    ``alternate_queue`` the alternate queue; each is None if the exchange has none.
    """

    state: int
    onward: tuple[tuple[int, Hop], ...] = ()
    alternate_queue: str | None = None
    alternate: Hop | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """The states that a message published to one exchange can reach, by number, the initial state first.

    ``alternates`` lists each state whose exchange has an alternate destination, as a triple: the state, the state at
    the alternate exchange, and the alternate queue. Either of the last two is None. ``steps`` contains the stops on all
    paths, the initial stop last.
    """

    states: tuple[int, ...]
    alternates: tuple[tuple[int, int | None, str | None], ...] = ()
    steps: tuple[Visit, ...] = ()
    #: Maximum number of steps from state to state on the path of a message that visits no state twice.
    length: int = 0

    def is_closed_by(self, onward: Mapping[int, set[int]]) -> bool:
        """Return True if every message reaches all states of this entry, and no exchange has an alternate.

        ``onward`` maps each state to the states to which unconditional bindings lead. If the result is True, all
        bindings act like bindings of the initial state.
        """
        reached, waiting = {self.states[0]}, [self.states[0]]
        while waiting:
            new = onward.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        return len(reached) == len(self.states) and not self.alternates


@dataclass
class ExchangeGraph:
    """All states that can be reached from the entries, by number, and the entries by the names of their exchanges."""

    states: list[State] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    #: True if a message can come back to a state, and the broker then fails the send.
    rings: bool = False


class _Reach:
    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.numbers: dict[State, int] = {}
        self._known: dict[State, tuple[tuple[State, ...], State | str | None]] = {}
        self._bits: dict[State, int] = {}
        self._relevant: dict[State, int] = {}
        self._bindings: dict[str, tuple[Binding, ...]] = {
            source: between
            for source, bindings in topology.bindings_by_source.items()
            if (between := tuple(binding for binding in bindings if binding.destination_type == "exchange"))
        }

    def number(self, state: State) -> int:
        return self.numbers.setdefault(state, len(self.numbers))

    def onward(self, state: State) -> tuple[State, ...]:
        """Return the states to which the bindings of ``state`` lead."""
        return self._next(state)[0]

    def alternate(self, state: State) -> State | str | None:
        """Return the alternate destination of the exchange in ``state``, as a state or a queue's name; or None."""
        return self._next(state)[1]

    def _next(self, state: State) -> tuple[tuple[State, ...], State | str | None]:
        known = self._known.get(state)
        if known is None:
            targets = (onward(self.topology, binding, state) for binding in self._bindings.get(state.exchange, ()))
            target: State | str | None = None
            alternate = self.topology.alternate(self.topology.exchange_by_name[state.exchange])
            if alternate is not None:
                kind, name = alternate.type, alternate.name
                between = kind == "exchange"
                target = State(name, state.key) if between else end_at(self.topology, kind, name, state)
            known = self._known[state] = tuple(dict.fromkeys(targets)), target
        return known

    def bit(self, state: State) -> int:
        """Return the bit of ``state`` in the bit sets of ``relevant``."""
        return 1 << self._bits.setdefault(state, len(self._bits))

    def relevant(self, state: State) -> int:
        """Return the bit set of the states whose earlier visits affect the paths that start at ``state``.

        These are the states on such paths, because a message does not visit a state twice.
        """
        states = self._relevant.get(state)
        if states is None:
            states = 0
            for ahead in self.closure(state):
                states |= self.bit(ahead) | self.bit(State(ahead.exchange))
            self._relevant[state] = states
        return states

    def closure(self, start: State) -> tuple[State, ...]:
        reached = {start: None}
        waiting = [start]
        while waiting:
            onward, alternate = self._next(waiting.pop())
            for following in (*onward, alternate):
                if isinstance(following, State) and following not in reached:
                    reached[following] = None
                    waiting.append(following)
        return tuple(reached)


def end_at(topology: Topology, kind: TargetType, name: str, state: State) -> str:
    """Return the name that stands for the target of a binding or alternate in a message's array of queues.

    ``kind`` and ``name`` are the type and name of the target. A queue stands under its own name. So does the queue that
    a JMS broker creates for a destination (``own-queue``), if the routing key in ``state`` is known and so determines
    the destination. For any other target, ``reached_end`` makes up a name that no queue can have.
    """
    if kind == "own-queue" and state.key is not None:
        return topology.rules.addressing.own_queue(state.key)
    return name if kind == "queue" else reached_end(kind, name)


def onward(topology: Topology, binding: Binding, state: State) -> State:
    """Return the state to which the binding between exchanges leads from ``state``."""
    replacement = topology.replacement_key(binding)
    return State(binding.destination, state.key if replacement is None else replacement)


def build_exchange_graph(topology: Topology, exchange: str | None = None) -> ExchangeGraph:
    """Build the graph of the states reachable from ``exchange``, or from every non-internal exchange if it is None."""
    reach = _Reach(topology)
    graph = ExchangeGraph()
    names = topology.exchange_by_name if exchange is None else [exchange]
    for name in names:
        known = topology.exchange_by_name.get(name)
        if known is not None and not known.internal:
            graph.entries[name] = _entry(reach, State(name))
    graph.states = list(reach.numbers)
    graph.rings = topology.rules.rings_fail and _has_ring(reach)
    return graph


def _following(reach: _Reach, states: Iterable[State]) -> dict[State, list[State]]:
    """Return, for each of ``states``, the states to which the bindings and the alternate of its exchange lead."""
    ahead = ((state, (*reach.onward(state), reach.alternate(state))) for state in states)
    return {state: [each for each in targets if isinstance(each, State)] for state, targets in ahead}


def _length(reach: _Reach, start: State) -> int:
    """Return an upper limit for the number of steps on paths from ``start`` that visit no state twice.

    Such a path visits each strongly connected component once, and each state in a component at most once.
    """
    following = _following(reach, reach.closure(start))
    lengths: dict[State, int] = {}
    for component in reversed(list(components(following))):
        behind = max((lengths.get(each, 0) for state in component for each in following[state]), default=0)
        lengths |= dict.fromkeys(component, behind + len(component))
    return lengths[start] - 1


def _has_ring(reach: _Reach) -> bool:
    following = _following(reach, reach.numbers)
    to_itself = any(state in ahead for state, ahead in following.items())
    return to_itself or any(len(found) > 1 for found in components(following))


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
    steps = () if reach.topology.rules.alternate_on_no_match else _Paths(reach, start).steps
    return Entry(numbers, tuple(alternates), steps, _length(reach, start))


class _Stop(NamedTuple):
    """A state on a path of a message through the exchange graph.

    ``behind`` is the bit set of the earlier states on the path that affect the rest of it, because a message visits no
    state twice. ``with_alternate`` is False if the alternate destination of the state's exchange is not used.
    """

    state: State
    behind: int
    with_alternate: bool


class _NextStops(NamedTuple):
    """The next stops after a stop, without states that the message has visited.

    ``onward`` contains the stops through bindings. ``alternate`` is the stop at the alternate exchange; ``queue`` is
    the name of the alternate queue.
    """

    onward: list[_Stop]
    alternate: _Stop | None
    queue: str | None


class _Paths:
    """Builder of the stops of all paths from one state: ``steps`` is the result.

    Two paths share a stop if their different earlier states do not affect the rest of the path.
    """

    def __init__(self, reach: _Reach, start: State) -> None:
        self._reach = reach
        self._numbers: dict[_Stop, int] = {}
        steps: list[Visit] = []
        first = _Stop(start, 0, True)
        # The next stops after a stop are numbered first. Not recursive, because a path can exceed Python's stack.
        waiting = [(first, self._next_stops(first))]
        while waiting:
            stop, next_stops = waiting[-1]
            following = (*next_stops.onward, *((next_stops.alternate,) if next_stops.alternate is not None else ()))
            new = next((other for other in following if other not in self._numbers), None)
            if new is not None:
                waiting.append((new, self._next_stops(new)))
                continue
            waiting.pop()
            if len(steps) >= MAX_PATHS:
                message = f"from {start.exchange!r} there are more than {MAX_PATHS:,} paths through the exchanges"
                hint = "perhaps remove some cycles from the topology"
                raise UnsupportedFeatureError.at("limit.ways", message, hint=hint)
            self._numbers[stop] = len(steps)
            steps.append(self._visit(stop, next_stops))
        self.steps = tuple(steps)

    def _next_stops(self, stop: _Stop) -> _NextStops:
        reach = self._reach
        path = stop.behind | reach.bit(stop.state)
        onward = [self._at(state, path) for state in reach.onward(stop.state) if not path & reach.bit(state)]
        target = reach.alternate(stop.state) if stop.with_alternate else None
        if not isinstance(target, State):
            return _NextStops(onward, None, target)
        if not reach.topology.rules.alternates_chain:
            # At brokers without ``alternates_chain``, an alternate exchange does not use its own alternate. Its
            # bindings are tested even if the message has been there before, so no earlier states are passed on (0).
            return _NextStops(onward, self._at(target, 0, False), None)
        return _NextStops(onward, None if path & reach.bit(target) else self._at(target, path), None)

    def _at(self, state: State, path: int, with_alternate: bool = True) -> _Stop:
        # Keep only earlier states that can be visited again, so that more paths share their stops.
        return _Stop(state, path & self._reach.relevant(state), with_alternate)

    def _visit(self, stop: _Stop, next_stops: _NextStops) -> Visit:
        path = stop.behind | self._reach.bit(stop.state)
        onward = tuple((self._reach.number(to.state), self._hop(to, path)) for to in next_stops.onward)
        alternate = next_stops.alternate
        hop = None if alternate is None else self._hop(alternate, path)
        return Visit(self._reach.number(stop.state), onward, next_stops.queue, hop)

    def _hop(self, stop: _Stop, path: int) -> Hop:
        # A binding can set the routing key that the message had anyway. Then the message has been at this exchange
        # before, in the state whose ``key`` is None.
        key = stop.state.key
        again = key is not None and path & self._reach.bit(State(stop.state.exchange))
        return Hop(self._numbers[stop], key if again else None)
