"""Containment of bindings: one binding takes every message that another one takes.

Both bindings are of one exchange. The key, the headers, the query and the selector of a binding are one formula, and
``analysis`` says whether the one formula holds wherever the other does. Only what is proved counts, so the answer False
means "not known".
"""

from __future__ import annotations

from transpiler.analysis.binding_conditions import binding_formula
from transpiler.analysis.building import Conditions
from transpiler.analysis.cases import Requirement
from transpiler.analysis.formula import NOT_TRUE, TRUE, Formula, all_tests, bit_of, possible
from transpiler.analysis.solve import Solver
from transpiler.message.message import Message
from transpiler.topology.broker_rules import TAKING_ALL
from transpiler.topology.choices import is_choosing
from transpiler.topology.model import Binding, Topology

#: Evaluations of tests for one pair.
_BUDGET = 40_000


def contains(topology: Topology, outer: Binding, inner: Binding) -> bool:
    """Return True if ``outer`` takes every message that ``inner`` takes, to the same place and under the same key."""
    if not _may_contain(topology, outer, inner):
        return False
    conditions = Conditions()
    first, second = (binding_formula(conditions, topology, binding) for binding in (outer, inner))
    return Solver(conditions, _BUDGET).impossible(Requirement(second), Requirement(first, NOT_TRUE))


def _may_contain(topology: Topology, outer: Binding, inner: Binding) -> bool:
    if (outer.source, outer.destination_type, outer.destination) != (
        inner.source,
        inner.destination_type,
        inner.destination,
    ) or topology.replacement_key(outer) != topology.replacement_key(inner):
        return False
    if topology.rules.destinations is not None and outer.path == inner.path != "":
        # They are cases of one element of a JMS broker's file, which differ in where the message came from.
        return False
    exchange = topology.exchange_by_name[outer.source]
    if is_choosing(exchange):
        # Its bindings share the messages out.
        return False
    return exchange.type in ("topic", "headers", *TAKING_ALL) or outer.key == inner.key


class Taker:
    """A binding with a message that it takes, beside which most other bindings are soon told apart."""

    def __init__(self, topology: Topology, binding: Binding) -> None:
        self.topology, self.binding = topology, binding
        conditions = Conditions()
        self._formula: Formula = binding_formula(conditions, topology, binding)
        solver = Solver(conditions, _BUDGET)
        self.example: Message | None = solver.example(Requirement(self._formula))

    def contains(self, other: Taker) -> bool:
        """Return True if the binding takes all messages of another one."""
        if not _may_contain(self.topology, self.binding, other.binding):
            return False
        if other.example is not None and not self._takes(other.example):
            return False
        return contains(self.topology, self.binding, other.binding)

    def _takes(self, message: Message) -> bool:
        outcomes = {test.number: bit_of(test.judge(message)) for test in all_tests(self._formula)}
        return bool(possible(self._formula, outcomes) & TRUE)
