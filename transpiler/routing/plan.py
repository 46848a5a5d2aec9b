"""The plan that routes messages: a topology as constant tables, an automaton and a few compiled conditions.

A rule is one disjunct of one binding's condition. The rules of a frequent signature are rows of the signature's
constant table, grouped by key; the rules of rare signatures are compiled, in blocks. Each key begins with the exchange
that a message is published to: a rule of an exchange has one row for each exchange from which messages can reach it. If
bindings without a condition lead to all exchanges, these rows are the transitive closure, and an engine need not follow
bindings between exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.errors import TranspilerError
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING, Path
from transpiler.compiler.layouts.layout import Layout
from transpiler.routing import tuning
from transpiler.routing.binding_patterns import BindingPatterns, Pattern
from transpiler.routing.columns import BACK, COUNT, EXCHANGE, FRONT, KEY, KEYS, READ, ROW, SUBJECT, TOPIC
from transpiler.routing.common_lookups import MapValueColumns
from transpiler.routing.constant_rows import Delivery, Rule, Rules
from transpiler.routing.exchange_graph import Entry, ExchangeGraph, State, build_exchange_graph, end_at, onward
from transpiler.routing.gc_pause import pause_garbage_collection
from transpiler.routing.merge_signatures import merge_signatures, open_constants
from transpiler.routing.row_index import IS_MATCHED, Index, find_index
from transpiler.routing.signatures import (
    Disjunct,
    Parameter,
    Signature,
    Substring,
    as_constant,
    bind_parameters,
    disjuncts,
    shift_parameters,
)
from transpiler.routing.specialize import specialize
from transpiler.routing.substring_index import Grams, choose_grams
from transpiler.routing.topic_automaton import TopicAutomaton, TopicAutomatonBuilder
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE

#: Number of bindings between two reports of progress.
PROGRESS = 10_000

#: The rows of a constant table with the same lookup key, as a mapping from the constants that the residual predicate
#: tests to the deliveries of the row.
Group = dict[tuple[Parameter, ...], list[Delivery]]

#: The groups of rows of a constant table, by exchange and lookup key.
_Rows = dict[tuple[Parameter, ...], Group]


@dataclass
class Table:
    """The constant table of an expression signature: a group of rows for each exchange and lookup key.

    A group contains the constants of each row for the residual predicate, with the deliveries of the row.
    """

    signature: Signature
    rows: _Rows

    @cached_property
    def flat(self) -> bool:
        """True if each row has one delivery, False if each row has a list of deliveries.

        If only few rows have several deliveries, each of these rows is repeated for each delivery. Otherwise a row has
        a list, so that its residual predicate is evaluated once for all its deliveries.
        """
        if self.signature.residual == ir.TRUE:
            return True
        counts = [len(delivered) for group in self.rows.values() for delivered in group.values()]
        return sum(counts) <= len(counts) * tuning.MAX_REPEATED and max(counts) <= tuning.MAX_REPEATS

    @cached_property
    def deliveries(self) -> list[Delivery]:
        """The deliveries of all rows."""
        return [delivery for group in self.rows.values() for delivered in group.values() for delivery in delivered]

    @cached_property
    def index(self) -> Index | None:
        """The index of the rows under one key; None if every key has so few rows that all of them are evaluated."""
        if max(map(len, self.rows.values()), default=0) < tuning.MIN_INDEXED:
            return None
        return find_index(self.signature)


class Compiled(NamedTuple):
    """A condition that is compiled with its constants, instead of being a row of a constant table.

    ``exchanges`` are the exchanges whose messages are tested with it; empty if all messages have the same exchange.
    """

    condition: ir.Predicate
    exchanges: tuple[str, ...]
    delivery: Delivery


@dataclass
class RoutingPlan:
    """The plan that routes the messages of a topology.

    ``queues``: the names of all queues, sorted, so that their indexes sort like the names. ``entries``: the exchanges
    that a message can be published to. ``exchange``: the exchange of all messages; None if they can have different
    exchanges. ``simple``: True if the matching bindings alone determine the queues, because every message reaches all
    states and no exchange has an alternate.

    ``patterns``: the delivery of each binding key in the automaton ``trie``; None if a residual predicate tests whether
    the key matches. ``whole``: the states at which the automaton reads whole routing keys as one word; None unless
    messages can have several keys. ``reads``: the columns that replace values of maps, with the path of each value.
    ``rings``: True if a message can come back to a state, so that the broker fails its send. ``key_exchanges``: the
    entries from which a message can reach a binding that compares its routing key.
    """

    queues: list[str]
    entries: dict[str, Entry]
    exchange: str | None
    simple: bool
    tables: list[Table]
    compiled: list[Compiled]
    trie: TopicAutomaton | None
    patterns: list[Delivery | None]
    whole: frozenset[int] | None = None
    reads: dict[str, Path] = field(default_factory=dict)
    rings: bool = False
    key_exchanges: frozenset[str] = frozenset()

    @cached_property
    def grams(self) -> dict[ir.Value, Grams]:
        """For each value with a substring index, the grams to look up, shared by all tables with such an index."""
        texts: dict[ir.Value, list[str]] = {}
        for table in self.tables:
            if isinstance(table.index, Substring):
                rows = (row for group in table.rows.values() for row in group)
                texts.setdefault(table.index.value, []).extend(str(row[table.index.text]) for row in rows)
        return {value: choose_grams(listed) for value, listed in texts.items()}

    @property
    def delivers(self) -> bool:
        """True if some message can reach a queue, through a binding or an alternate destination."""
        deliveries: Iterator[Delivery | None] = chain(
            self.patterns,
            (compiled.delivery for compiled in self.compiled),
            chain.from_iterable(table.deliveries for table in self.tables),
        )
        by_bindings = any(delivery is not None and delivery.queue is not None for delivery in deliveries)
        return by_bindings or any(
            queue is not None for entry in self.entries.values() for *_, queue in entry.alternates
        )

    @property
    def by_key(self) -> bool:
        """True if the conditions read only the exchange and the routing keys of a message."""
        return self.columns <= {EXCHANGE, KEY, KEYS, SUBJECT, TOPIC, ROW, *self.words}

    @property
    def words(self) -> list[str]:
        """The columns that the conditions read for words of the routing key and for the number of words, sorted."""
        return sorted(name for name in self.columns if name.startswith((COUNT, FRONT, BACK)))

    @cached_property
    def columns(self) -> set[str]:
        """The names of all columns that the conditions read: columns of messages, and columns that routing adds."""
        return {str(column.path[0]) for node in self.nodes for column in ir.columns_in(node)}

    @property
    def nodes(self) -> list[ir.Value | ir.Predicate]:
        """The IR nodes of the plan: compiled conditions, and keys, guards and residual predicates of all tables."""
        nodes: list[ir.Value | ir.Predicate] = [compiled.condition for compiled in self.compiled]
        for table in self.tables:
            nodes += [*table.signature.keys, table.signature.guard, table.signature.residual]
        return nodes

    @cached_property
    def distinct(self) -> bool:
        """True if no message can be delivered to the same queue twice.

        This is the case if, for each exchange that messages are published to, at most one row of a constant table, or
        one topic pattern, leads to each queue.
        """
        if not self.simple or self.whole is not None or (self.trie is not None and self.trie.repeats):
            return False
        if any(table.index is not None for table in self.tables):
            return False
        named: dict[object, list[Delivery]] = {}
        for name, entry in self.entries.items():
            states = set(entry.states)
            found = named.setdefault(name, [])
            found += (each for each in self.patterns if each is not None and each.state in states)
            found += (each.delivery for each in self.compiled if not each.exchanges or name in each.exchanges)
        for table in self.tables:
            for key, group in table.rows.items():
                published = key[0] if self.exchange is None else self.exchange
                named.setdefault(published, []).extend(chain.from_iterable(group.values()))
        return all(len({each.queue for each in found}) == len(found) for found in named.values())


@pause_garbage_collection()
def build_plan(
    topology: Topology,
    layout: Layout,
    missing: Missing,
    exchange: str | None = None,
    several: bool = False,
    progress: Callable[[int, int], None] | None = None,
    reads: Mapping[str, Path] = MappingProxyType({}),
) -> RoutingPlan:
    """Build the plan of ``topology`` for messages in ``layout``.

    ``exchange`` is the exchange of all messages; None if messages can be published to any exchange. ``several`` is True
    if a message can have more than one routing key. If the plan is for changes, ``reads`` is ``RoutingPlan.reads`` of
    the earlier plan.

    ``progress`` is called from time to time with the number of compiled bindings and the total. A binding counts once
    for each state of its exchange.

    Raises the errors of parsing and lowering a selector, and ``LayoutError`` for a header without a column.
    """
    states = build_exchange_graph(topology, exchange)
    patterns = BindingPatterns(topology, layout, missing, several)
    try:
        plan = _Builder(topology, patterns, states, exchange, reads).build(progress)
    except TranspilerError as error:
        # The error has the location in the topology; a traceback into this package would not help the user.
        raise error.with_traceback(None) from None
    if several:
        types = topology.exchange_by_name
        numbered = enumerate(states.states)
        plan.whole = frozenset(
            number for number, state in numbered if types[state.exchange].kind.key is not KeyTest.WORDS
        )
    return plan


class _Builder:
    def __init__(
        self,
        topology: Topology,
        patterns: BindingPatterns,
        states: ExchangeGraph,
        exchange: str | None,
        reads: Mapping[str, Path],
    ) -> None:
        self._topology = topology
        self._binding_patterns = patterns
        self._states = states
        self._exchange = exchange
        self._reads = MapValueColumns(READ, dict(reads))
        self._published: dict[int, list[str]] = {}
        for name, entry in states.entries.items():
            for state in entry.states:
                self._published.setdefault(state, []).append(name)
        self._numbers = {state: number for number, state in enumerate(states.states)}
        self._queues = {name: number for number, name in enumerate(sorted(_queue_names(topology, states)))}
        self._rules: Rules = {}
        self._disjuncts: dict[int, tuple[ir.Predicate, list[tuple[Disjunct, list[Rule]]]]] = {}
        self._matched: dict[int, tuple[ir.Predicate, ir.Predicate]] = {}
        self._trie = TopicAutomatonBuilder()
        self._patterns: list[Delivery | None] = []
        always = self._always()
        self._simple = not states.rings and all(entry.is_closed_by(always) for entry in states.entries.values())

    def _always(self) -> dict[int, set[int]]:
        """Return, for each state, the states that every message reaches from there by unconditional bindings."""
        always: dict[int, set[int]] = {}
        for number, state in enumerate(self._states.states):
            for binding in self._topology.bindings_by_source.get(state.exchange, ()):
                if binding.destination_type == "exchange":
                    pattern = self._binding_patterns.of(binding, state.key)
                    if pattern.predicate == ir.TRUE and pattern.words is None:
                        always.setdefault(number, set()).add(self._numbers[onward(self._topology, binding, state)])
        return always

    def build(self, progress: Callable[[int, int], None] | None = None) -> RoutingPlan:
        by_source = self._topology.bindings_by_source
        total = sum(len(by_source.get(state.exchange, ())) for state in self._states.states)
        done = 0
        for number, state in enumerate(self._states.states):
            for pattern, delivery in self._bindings(number, state):
                self._add(number, pattern, delivery)
                done += 1
                if progress is not None and not done % PROGRESS:
                    progress(min(done, total), total)
        if progress is not None:
            progress(total, total)
        tables, compiled = self._divide()
        reads = self._reads
        return RoutingPlan(
            list(self._queues),
            self._states.entries,
            self._exchange,
            self._simple,
            [Table(reads.signature(signature), self._rows(signature)) for signature in tables],
            [
                condition._replace(condition=reads.predicate(condition.condition))
                for condition in self._compile(compiled)
            ],
            self._trie.build() if self._patterns else None,
            self._patterns,
            reads=reads.paths,
            rings=self._states.rings,
            key_exchanges=self._topology.key_exchanges.intersection(self._states.entries),
        )

    def _bindings(self, number: int, state: State) -> Iterator[tuple[Pattern, Delivery]]:
        topology, patterns = self._topology, self._binding_patterns
        if state.exchange == DEFAULT_EXCHANGE:
            for pattern, queue in patterns.of_default_exchange(state.key):
                if pattern.predicate != ir.FALSE:
                    yield pattern, Delivery(number, None, self._queues[queue])
        for binding in topology.bindings_by_source.get(state.exchange, ()):
            pattern = patterns.of(binding, state.key)
            if pattern.predicate == ir.FALSE or (self._simple and binding.destination_type == "exchange"):
                continue
            if binding.destination_type != "exchange":
                queue = end_at(topology, binding.destination_type, binding.destination, state)
                yield pattern, Delivery(number, None, self._queues[queue])
                continue
            following = self._numbers[onward(topology, binding, state)]
            # A binding that leads back to its own state delivers nothing new. It matters only if its match keeps the
            # message from the alternate destination, or if the broker fails the send of a message that comes back.
            has_alternate = topology.alternate(topology.exchange_by_name[state.exchange]) is not None
            if following != number or topology.rules.rings_fail or has_alternate:
                yield pattern, Delivery(number, following, None)

    def _add(self, state: int, pattern: Pattern, delivery: Delivery) -> None:
        predicate, constants = pattern.predicate, pattern.constants
        if pattern.words is not None:
            self._trie.add(state, pattern.words, len(self._patterns))
            if predicate == ir.TRUE:
                self._patterns.append(delivery)
                return
            self._patterns.append(None)
            known = self._matched.get(id(predicate))
            if known is None:
                known = self._matched[id(predicate)] = (
                    ir.all_of(IS_MATCHED, shift_parameters(predicate, 1)),
                    predicate,
                )
            predicate, constants = known[0], (len(self._patterns) - 1, *constants)
        cached = self._disjuncts.get(id(predicate))
        if cached is None:
            # The cache is keyed by object ids. It keeps the predicate alive, so that no new object gets its id.
            pairs = [(part, self._rules.setdefault(part.signature, [])) for part in disjuncts(predicate)]
            cached = self._disjuncts[id(predicate)] = (predicate, pairs)
        for disjunct, rules in cached[1]:
            key, parameters = disjunct.row(constants)
            rules.append(Rule(state, key, parameters, delivery))

    def _divide(self) -> tuple[list[Signature], list[Signature]]:
        """Return two lists of expression signatures: those with constant tables, and those whose rules are compiled."""
        self._rules = specialize(open_constants(self._rules))
        tables: list[Signature] = []
        compiled: list[Signature] = []
        rare = {
            signature
            for signature, rules in self._rules.items()
            if len(rules) < tuning.MIN_ROWS or _size(signature) > tuning.MAX_RESIDUAL
        }
        # A few rules of rare signatures are faster as compiled conditions, which every message evaluates. If there are
        # more than ``MAX_KEYED`` with a lookup key, they become rows of merged tables, so that a message tests only the
        # rows of its key.
        keyed = sum(len(self._rules[signature]) for signature in rare if signature.keys) <= tuning.MAX_KEYED
        count = 0
        for signature, rules in sorted(self._rules.items(), key=lambda item: len(item[1])):
            always = not signature.keys and signature.guard == ir.TRUE and signature.residual == ir.TRUE
            may_be_text = signature in rare and not always and not _has_bytes(rules) and (keyed or not signature.keys)
            if may_be_text and count + len(rules) <= tuning.MAX_COMPILED:
                compiled.append(signature)
                count += len(rules)
            else:
                tables.append(signature)
        merged = merge_signatures({signature: self._rules[signature] for signature in tables})
        self._rules |= merged
        return list(merged), compiled

    def _rows(self, signature: Signature) -> _Rows:
        rows: _Rows = {}
        for rule in self._rules[signature]:
            names: Iterable[tuple[Parameter, ...]] = [()]
            if self._exchange is None:
                names = [(name,) for name in self._published[rule.state]]
            for name in names:
                group = rows.setdefault(name + rule.key, {})
                group.setdefault(rule.parameters, []).append(rule.delivery)
        return rows

    def _compile(self, signatures: list[Signature]) -> Iterator[Compiled]:
        for signature in signatures:
            for rule in self._rules[signature]:
                keys = [
                    ir.Compare(Comparison.EQ, value, as_constant(constant, column_type))
                    for value, column_type, constant in zip(signature.keys, signature.key_types, rule.key, strict=True)
                    if not isinstance(constant, bytes)
                ]
                condition = ir.all_of(*keys, signature.guard, bind_parameters(signature.residual, rule.parameters))
                names = () if self._exchange is not None else tuple(self._published[rule.state])
                yield Compiled(condition, names, rule.delivery)


def _queue_names(topology: Topology, states: ExchangeGraph) -> set[str]:
    """Return every name that can stand in a message's array of queues.

    These are the queues of the topology, the names that stand for other targets of bindings (``end_at``), and the
    queues that are alternate destinations.
    """
    names = set(topology.queue_names)
    for state in states.states:
        names.update(
            end_at(topology, binding.destination_type, binding.destination, state)
            for binding in topology.bindings_by_source.get(state.exchange, ())
            if binding.destination_type not in ("queue", "exchange")
        )
    names.update(queue for entry in states.entries.values() for _, _, queue in entry.alternates if queue is not None)
    return names


def _size(signature: Signature) -> int:
    return ir.size(signature.guard) + ir.size(signature.residual)


def _has_bytes(rules: list[Rule]) -> bool:
    return any(isinstance(value, bytes) for value in (*rules[0].key, *rules[0].parameters))


#: The exchange that a message was published to, as a column of the IR.
EXCHANGE_COLUMN = ir.Column((EXCHANGE,), STRING)
