"""Passes whose modules are imported only for predicates that need them, to save start-up time."""

from __future__ import annotations

from transpiler.compiler import ir
from transpiler.compiler.spark_plan import tuning


def split_if_long(node: ir.Predicate) -> ir.Predicate:
    """Split ``node`` into Java methods (``split_methods``) if the code for it may be too long for one method."""
    # An upper bound for the code of one node: a column, with two look-ups in maps.
    largest_node = tuning.NODE_BYTES + 2 * tuning.LOOKUP_BYTES
    if ir.size(node) * largest_node <= tuning.METHOD_BYTES:
        return node
    from transpiler.compiler.spark_plan.method_splitting import split_methods

    return split_methods(node)


def guard_if_untyped(node: ir.Predicate) -> ir.Predicate:
    """Put conversions into a CASE (``guard_conversions``) if ``node`` tests the type of a text or VARIANT."""
    if all(ir.tested_value(part) is None for part in ir.descendants(node) if isinstance(part, ir.Test)):
        return node
    from transpiler.compiler.spark_plan.guarded_conversions import guard_conversions

    return guard_conversions(node)
