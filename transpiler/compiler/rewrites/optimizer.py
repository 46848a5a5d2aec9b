"""The driver, which applies the laws bottom-up, in the order of one table, until no law changes a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import is_

from transpiler.compiler import ir
from transpiler.compiler.rewrites.chains import (
    absorb_terms,
    combine_in_lists,
    exclude_opposites,
    excluded_middle,
    factor_common_terms,
    flatten_chains,
    merge_comparisons,
    substitute_constant,
    tighten_bounds,
)
from transpiler.compiler.rewrites.gather_guarded import gather_guarded
from transpiler.compiler.rewrites.invert_text import invert_text
from transpiler.compiler.rewrites.redundant_null_checks import remove_redundant_null_checks
from transpiler.compiler.rewrites.simplify import (
    cancel_complements,
    fold_constants,
    match_any_text,
    match_literal_pattern,
    orient_comparison,
    unwrap_boolean,
)
from transpiler.compiler.rewrites.solve_integer import solve_integer
from transpiler.compiler.rewrites.solve_timestamp import solve_timestamp
from transpiler.compiler.rewrites.unwrap_casts import unwrap_casts

Law = Callable[[ir.Predicate], ir.Predicate]

_CHAIN: tuple[Law, ...] = (
    flatten_chains,
    absorb_terms,
    combine_in_lists,
    substitute_constant,
    tighten_bounds,
    merge_comparisons,
    remove_redundant_null_checks,
    excluded_middle,
    exclude_opposites,
    factor_common_terms,
    gather_guarded,
)

#: The laws (rewrite rules) for each class of nodes, in the order in which they are tried. A law returns its argument if
#: it has nothing to rewrite. The terms of an AND or OR are rewritten before the AND or OR, so that laws that compare
#: its terms see each test in only one form.
LAWS: Mapping[type[ir.Predicate], tuple[Law, ...]] = {
    ir.Compare: (
        orient_comparison,
        fold_constants,
        unwrap_boolean,
        solve_timestamp,
        solve_integer,
        unwrap_casts,
        invert_text,
    ),
    ir.In: (fold_constants, invert_text, combine_in_lists),
    ir.Like: (fold_constants, match_literal_pattern, match_any_text, invert_text),
    ir.Topic: (fold_constants,),
    ir.IsTrue: (fold_constants,),
    ir.IsNull: (fold_constants, invert_text),
    ir.IsNan: (fold_constants,),
    ir.NotTrue: (cancel_complements,),
    ir.And: _CHAIN,
    ir.Or: _CHAIN,
}


def optimize(node: ir.Predicate) -> ir.Predicate:
    """Apply all laws (rewrite rules) to ``node``; the result holds in the same rows."""
    return _Optimizer().visit(node)


class _Optimizer:
    """The optimization of one predicate. A node that no law can change is never visited again, wherever it occurs."""

    def __init__(self) -> None:
        #: Each node and its result, by the ``id`` of the node. The node is kept so that no other node gets this ``id``.
        self.settled: dict[int, tuple[ir.Predicate, ir.Predicate]] = {}

    def visit(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite ``node`` and its children until no law changes them."""
        known = self.settled.get(id(node))
        if known is None:
            result = self.settle(ir.rebuild(node, self.visit, self.value))
            known = self.settled[id(node)] = (node, result)
            self.settled[id(result)] = (result, result)
        return known[1]

    def settle(self, node: ir.Predicate) -> ir.Predicate:
        """Rewrite ``node``, whose children are already rewritten, until no law changes it."""
        for law in LAWS.get(type(node), ()):
            changed = law(node)
            if changed is not node and changed != node:
                # The result of a law can contain new nodes; the nodes that it kept are not visited again.
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
                changed_inner = self.value(inner)
                return changed_inner if new == ir.TRUE else ir.When(new, changed_inner)
            case _:
                return value
