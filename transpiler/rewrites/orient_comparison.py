"""Put the constant of a comparison on the right, where the other rules and file readers expect it."""

from __future__ import annotations

from transpiler import ir
from transpiler.rewrites.law import rule


@rule(ir.Compare)
def orient_comparison(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``5 < a`` as ``a > 5``: a comparison is the same with exchanged operands and a mirrored operator."""
    if isinstance(node, ir.Compare) and isinstance(node.left, ir.Constant) and not isinstance(node.right, ir.Constant):
        return ir.Compare(node.operator.mirrored, node.right, node.left)
    return node
