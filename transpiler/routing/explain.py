"""Report on how an engine finds the matching bindings: by which key or index, at what cost, or one by one.

The classes correspond to the tables of the plan, in which the engine looks up rows of constants. The costs are counts
from the plan, not times: the number of lookups for each message, and of tests for each row that a lookup returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from transpiler.base import html
from transpiler.base.diagnostics import aligned
from transpiler.compiler import ir
from transpiler.routing.constant_rows import Delivery
from transpiler.routing.exchange_graph import build_exchange_graph
from transpiler.routing.found_values import FoundValues
from transpiler.routing.interval_index import Interval, build_interval_index
from transpiler.routing.plan import RoutingPlan, Table
from transpiler.routing.row_index import MatchedKey
from transpiler.routing.signatures import Substring
from transpiler.topology.binding_text import ends_text, key_and_arguments
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding

#: Number of rows whose bounds are looked up in an interval index to estimate the average number of matches.
_SAMPLE = 200

#: Maximum number of bindings that ``str()`` lists.
MAX_LISTED = 5


class RoutingClass(NamedTuple):
    """A class of bindings that the plan finds by the same method; ``name`` describes the method.

    ``rows`` is the number of rows of constants; a binding such as ``a IN (1, 2)`` has several rows. ``queries`` is the
    number of tables. ``tests`` is the average number of rows that are tested for a message.
    """

    name: str
    rows: int
    queries: int
    tests: float
    bindings: tuple[Binding, ...]

    @property
    def one_by_one(self) -> bool:
        """True if each row is tested for every message."""
        return self.name in _ONE_BY_ONE


#: The names of the classes, in the order of a report, and the cost of each class for one message.
COSTS = {
    "every message": "none: delivered without a test",
    "one condition": "one test for all of them",
    "hash key": "a look-up for each table, and a test for each row of the key",
    "hash key and substring index": "a look-up for each table and for each substring of the value",
    "hash key and interval index": "a look-up for each table, and one in the index",
    "hash key and matched binding key": "a look-up for each table, and a test for each binding key that matches",
    "matched binding key": "a test for each binding key that matches",
    "substring index": "a look-up for each substring of the value",
    "interval index": "one look-up in the index",
    "topic automaton": "a look-up for each word of the routing key",
    "compiled text": "a test for each condition, in the text of the query",
    "tried one by one": "a test for each row",
}
_ONE_BY_ONE = ("compiled text", "tried one by one")


@dataclass(frozen=True)
class RoutingReport:
    """A report on how the bindings of a topology are found. ``classes`` is sorted in the order of ``COSTS``."""

    classes: tuple[RoutingClass, ...]
    #: The warning that no message can reach a queue, as a sentence; empty if some message can.
    unroutable: str = ""
    #: The numbers of messages that have a value for each name in the bindings; None if no messages were given.
    found: FoundValues | None = None

    @property
    def tried(self) -> tuple[Binding, ...]:
        """The bindings that are tested for every message, without duplicates."""
        return _distinct(binding for each in self.classes if each.one_by_one for binding in each.bindings)

    def __repr__(self) -> str:
        counts = ", ".join(f"{each.name}: {each.rows:,}" for each in self.classes)
        return f"<RoutingReport {counts or 'no bindings'}>"

    def __str__(self) -> str:
        found = [] if self.found is None else ["", *self.found.lines()]
        if not self.classes:
            return "\n".join([self.unroutable or "No binding of the topology has a condition or a queue.", *found])
        heads = ("class", "rows", "tables", "tests a message", "cost")
        lines = [self.unroutable, ""] if self.unroutable else []
        lines += ["  ".join(row).rstrip() for row in aligned([heads, *self._cells()], range(1, 4))]
        if self.tried:
            lines += ["", "Every message tests:"]
            lines += [f"  {_described(binding)}" for binding in self.tried[:MAX_LISTED]]
            if len(self.tried) > MAX_LISTED:
                lines.append(f"  and {len(self.tried) - MAX_LISTED:,} more")
        return "\n".join([*lines, *found])

    def _repr_html_(self) -> str:
        tried = [(_described(binding),) for binding in self.tried]
        classes = html.heading(self.unroutable) if self.unroutable else ""
        classes += html.table(("class", "rows", "tables", "tests a message", "cost"), self._cells())
        classes += html.table(("every message tests",), tried) if tried else ""
        return classes + ("" if self.found is None else self.found._repr_html_())

    def _cells(self) -> Iterator[tuple[str, str, str, str, str]]:
        for each in self.classes:
            yield each.name, f"{each.rows:,}", f"{each.queries:,}", f"{each.tests:,.1f}", COSTS[each.name]


def explain_plan(topology: Topology, plan: RoutingPlan) -> RoutingReport:
    """Return a report on how ``plan`` finds the matching bindings of ``topology``.

    See ``spark_ext.explain_routing`` for its contents.
    """
    states = build_exchange_graph(topology, plan.exchange).states
    by_ends: dict[tuple[str, str, str], list[Binding]] = {}
    for binding in topology.bindings:
        ends = (binding.source, binding.destination_type, binding.destination)
        by_ends.setdefault(ends, []).append(binding)

    # An address of a JMS broker has several bindings in the plan, but is only one binding in the file.
    of_addresses: dict[str, list[Binding]] = {}
    for binding in addresses_of(topology, matching=False).bindings:
        if binding.path:
            of_addresses.setdefault(binding.path, []).append(binding)

    def bindings(deliveries: Iterable[Delivery]) -> tuple[Binding, ...]:
        ends = []
        for state, onward, queue in deliveries:
            to = ("queue", plan.queues[queue]) if queue is not None else ("exchange", states[onward or 0].exchange)
            ends.append((states[state].exchange, *to))
        found = [binding for end in dict.fromkeys(ends) for binding in by_ends.get(end, ())]
        if topology.displayed is None:
            return _distinct(found)
        return _distinct(each for binding in found for each in of_addresses.get(binding.path, ()))

    groups: dict[str, list[tuple[int, float, list[Delivery]]]] = {}
    for table in plan.tables:
        groups.setdefault(_class(table), []).append((len(table.deliveries), _tests(table, plan), table.deliveries))
    topics = [delivery for delivery in plan.patterns if delivery is not None]
    if plan.trie is not None:
        groups["topic automaton"] = [(len(plan.patterns), 0.0, topics)]
    if plan.compiled:
        compiled = [each.delivery for each in plan.compiled]
        groups["compiled text"] = [(len(compiled), float(len(compiled)), compiled)]
    return RoutingReport(
        tuple(
            RoutingClass(
                name,
                sum(rows for rows, _, _ in groups[name]),
                len(groups[name]),
                sum(tests for _, tests, _ in groups[name]),
                bindings(delivery for _, _, listed in groups[name] for delivery in listed),
            )
            for name in COSTS
            if name in groups
        ),
        "" if plan.delivers else unroutable(plan.exchange),
    )


def unroutable(exchange: str | None) -> str:
    """Return the warning that no message to ``exchange`` (None for any exchange) reaches a queue."""
    to = "to any exchange" if exchange is None else "to the default exchange" if not exchange else f"to {exchange!r}"
    return f"No message {to} reaches a queue: no binding leads from there to one."


def _class(table: Table) -> str:
    signature = table.signature
    index = _INDEXES.get(type(table.index))
    if signature.keys:
        return f"hash key and {index}" if index else "hash key"
    if index:
        return index
    if signature.residual != ir.TRUE:
        return "tried one by one"
    return "every message" if signature.guard == ir.TRUE else "one condition"


_INDEXES: Mapping[type, str] = {
    MatchedKey: "matched binding key",
    Substring: "substring index",
    Interval: "interval index",
}


def _tests(table: Table, plan: RoutingPlan) -> float:
    """Return the average number of rows that are tested for a message whose key is in the table."""
    if table.signature.residual == ir.TRUE:
        return 0.0
    rows = sum(map(len, table.rows.values()))
    if isinstance(table.index, Interval):
        group = max((list(rows) for rows in table.rows.values()), key=len)
        index = build_interval_index(table.index, group)
        bounds = [float(row[position]) for row in group[:_SAMPLE] for position in table.index.bounds]
        return sum(len(index.rows(bound)) for bound in bounds) / len(bounds)
    if isinstance(table.index, MatchedKey):
        numbers = {row[table.index.number] for group in table.rows.values() for row in group}
        return rows / len(numbers)
    if isinstance(table.index, Substring):
        grams = plan.grams[table.index.value]
        texts = {grams.gram(str(row[table.index.text])) for group in table.rows.values() for row in group}
        return rows / len(table.rows) / max(1, len(texts))
    return rows / len(table.rows)


def _distinct(bindings: Iterable[Binding]) -> tuple[Binding, ...]:
    return tuple({id(binding): binding for binding in bindings}.values())


def _described(binding: Binding) -> str:
    asked = key_and_arguments(binding) if binding.key or binding.arguments else ""
    return f"{ends_text(binding)}: {asked}" if asked else ends_text(binding)
