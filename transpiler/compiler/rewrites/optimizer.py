"""The driver: apply the laws bottom-up, in the order of one table, until none of them changes a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import is_

from transpiler.compiler import ir
from transpiler.compiler.rewrites.combine_in_lists import combine_in_lists
from transpiler.compiler.rewrites.fold_constants import fold_constants
from transpiler.compiler.rewrites.invert_text import invert_text
from transpiler.compiler.rewrites.redundant_null_checks import remove_redundant_null_checks
from transpiler.compiler.rewrites.simplify import (
    cancel_complements,
    excluded_middle,
    flatten_chains,
    match_literal_pattern,
    orient_comparison,
    unwrap_boolean,
)
from transpiler.compiler.rewrites.solve_timestamp import solve_timestamp
from transpiler.compiler.rewrites.substitute_constant import substitute_constant
from transpiler.compiler.rewrites.unwrap_casts import unwrap_casts

#: Each law returns the node that it is given where it has nothing to rewrite. Laws that make a test of a column simpler
#: come before those that compare the terms of a chain, which then see each test in one form.
LAWS: tuple[Callable[[ir.Predicate], ir.Predicate], ...] = (
    orient_comparison,
    fold_constants,
    unwrap_boolean,
    match_literal_pattern,
    solve_timestamp,
    unwrap_casts,
    invert_text,
    flatten_chains,
    combine_in_lists,
    substitute_constant,
    remove_redundant_null_checks,
    excluded_middle,
    cancel_complements,
)


def is_settled(node: ir.Predicate) -> bool:
    """Return True if plainly no law changes the node, which holds of most tests.

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
    """Apply all laws to a predicate; the result holds in the same rows."""
    return _Optimizer().visit(node)


class _Optimizer:
    """One run over one predicate. A part that is settled is never looked at again, in whatever node it turns up."""

    def __init__(self) -> None:
        #: By the identity of a node, the node and what it became: the node is kept, so that nothing takes its place.
        self.settled: dict[int, tuple[ir.Predicate, ir.Predicate]] = {}

    def visit(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite a node and its parts until no law changes them."""
        if is_settled(node):
            return node
        known = self.settled.get(id(node))
        if known is None:
            result = self.settle(ir.rebuild(node, self.visit, self.value))
            known = self.settled[id(node)] = (node, result)
            self.settled[id(result)] = (result, result)
        return known[1]

    def settle(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite a node whose parts are settled until no law changes it."""
        for law in LAWS:
            changed = law(node)
            if changed is not node and changed != node:
                # A law makes nodes that no law has seen; the parts that it kept are settled.
                return self.visit(changed)
        return node

    def value(self, value: ir.Value) -> ir.Value:
        """Rewrite the predicates inside a value until no law changes them."""
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
