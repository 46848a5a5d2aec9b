"""Rewrite comparisons of a boolean with TRUE or FALSE as tests of the boolean."""

from __future__ import annotations

from transpiler import ir
from transpiler.rewrites.law import rule
from transpiler.selector.ast import Comparison


@rule(ir.Compare)
def unwrap_boolean(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``b = TRUE`` and ``b <> FALSE`` as ``b``, and ``b = FALSE`` and ``b <> TRUE`` as ``NOT b``."""
    match node:
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=bool() as value)):
            return ir.IsTrue(left, negated=(operator is Comparison.EQ) is not value)
        case _:
            return node
