"""Push the complement into tests that are never NULL, and cancel double complements."""

from __future__ import annotations

from dataclasses import replace

from transpiler import ir
from transpiler.rewrites.law import rule


@rule(ir.NotTrue)
def cancel_complements(node: ir.Predicate) -> ir.Predicate:
    """Rewrite the complement of a test that is never NULL as the opposite test, and two complements as none.

    A test that may be NULL keeps its complement, which holds where the test is NULL and the opposite test does not.
    """
    match node:
        case ir.NotTrue(predicate=ir.BoolConst(value=value)):
            return ir.BoolConst(not value)
        case ir.NotTrue(predicate=ir.IsNull() | ir.IsNan() as inner):
            return replace(inner, negated=not inner.negated)
        case ir.NotTrue(predicate=ir.NotTrue(predicate=inner)):
            return inner
        case _:
            return node
