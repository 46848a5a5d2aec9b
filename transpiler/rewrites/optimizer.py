"""The driver: apply the rules bottom-up, in their order, until none of them changes a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_

from transpiler import ir
from transpiler.rewrites.law import Law
from transpiler.rewrites.rules import RULES

#: By the type of a node, the laws that look at it, each with the terms of which a chain must have one.
_LAWS: Mapping[type[ir.Predicate], tuple[tuple[Law, frozenset[type[ir.Predicate]] | None], ...]] = {
    kind: tuple((rule.apply, rule.terms) for rule in RULES if kind in rule.nodes)
    for kind in {kind for rule in RULES for kind in rule.nodes}
}


def is_settled(node: ir.Predicate) -> bool:
    """Return True if plainly no rule changes the node, which holds of most tests.

    It tests a bare column, a constant or a pattern with wildcards stands beside it, and the constant is no boolean.
    """
    match node:
        case ir.Compare(left=ir.Column(), right=ir.Constant(value=value)):
            return not isinstance(value, bool)
        case ir.IsNull(value=ir.Column()) | ir.IsNan(value=ir.Column()) | ir.IsTrue(value=ir.Column()):
            return True
        case ir.Like(value=ir.Column(), pattern=(_, _, *_)):
            return True
        case _:
            return False


def optimize(node: ir.Predicate) -> ir.Predicate:
    """Apply all rules to a predicate; the result holds in the same rows."""
    return _Optimizer().visit(node)


class _Optimizer:
    """One run over one predicate. A part that is settled is never looked at again, in whatever node it turns up."""

    def __init__(self) -> None:
        #: By the identity of a node, the node and what it became: the node is kept, so that nothing takes its place.
        self.settled: dict[int, tuple[ir.Predicate, ir.Predicate]] = {}

    def visit(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite a node and its parts until no rule changes them."""
        if is_settled(node):
            return node
        known = self.settled.get(id(node))
        if known is None:
            result = self.settle(ir.rebuild(node, self.visit, self.value))
            known = self.settled[id(node)] = (node, result)
            self.settled[id(result)] = (result, result)
        return known[1]

    def settle(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite a node whose parts are settled until no rule changes it."""
        terms = set(map(type, node.terms)) if isinstance(node, ir.Chain) else None
        for law, needed in _LAWS.get(type(node), ()):
            if terms is not None and needed is not None and terms.isdisjoint(needed):
                continue
            changed = law(node)
            if changed is not node and changed != node:
                # A rule makes nodes that no rule has seen; the parts that it kept are settled.
                return self.visit(changed)
        return node

    def value(self, value: ir.Value) -> ir.Value:
        """Rewrite the predicates inside a value until no rule changes them."""
        match value:
            case ir.Apply(arguments=arguments):
                changed = tuple(map(self.value, arguments))
                if all(map(is_, changed, arguments)):
                    return value
                return replace(value, arguments=changed)
            case ir.When(condition=condition, value=inner):
                new = self.visit(condition)
                return inner if new == ir.TRUE else ir.When(new, self.value(inner))
            case _:
                return value
