"""Decide a chain that holds a null check beside its opposite."""

from __future__ import annotations

from transpiler import ir
from transpiler.rewrites.law import rule


@rule(ir.And, ir.Or, terms=(ir.IsNull,))
def excluded_middle(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a IS NULL OR a IS NOT NULL`` as TRUE, and the conjunction as FALSE: of the two, one holds always."""
    if not isinstance(node, ir.Chain):
        return node
    tested = {(term.value, term.negated) for term in node.terms if isinstance(term, ir.IsNull)}
    both = any((value, not negated) in tested for value, negated in tested)
    return ir.BoolConst(isinstance(node, ir.Or)) if both else node
