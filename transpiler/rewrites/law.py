"""The type of a rule: a law as a function of one node, and the nodes to which the law can apply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transpiler import ir

Law = Callable[[ir.Predicate], ir.Predicate]


@dataclass(frozen=True, slots=True)
class Rule:
    """A law, which returns the node that it is given where it has nothing to rewrite.

    The driver applies it to nodes of the types in ``nodes`` only, and to AND and OR only where a term has one of the
    types in ``terms``; None is any term. Both repeat what the law tests itself, and spare the calls.
    """

    apply: Law
    nodes: tuple[type[ir.Predicate], ...]
    terms: frozenset[type[ir.Predicate]] | None = None

    def __call__(self, node: ir.Predicate) -> ir.Predicate:
        """Apply the law to a node of any type."""
        return self.apply(node)

    @property
    def name(self) -> str:
        """The name of the law's function."""
        return self.apply.__name__


def rule(*nodes: type[ir.Predicate], terms: tuple[type[ir.Predicate], ...] | None = None) -> Callable[[Law], Rule]:
    """Make a rule of a law that looks at some types of nodes, and in AND and OR at some types of terms."""

    def decorate(law: Law) -> Rule:
        return Rule(law, nodes, None if terms is None else frozenset(terms))

    return decorate
