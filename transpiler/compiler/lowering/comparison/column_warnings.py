"""Warnings about comparisons of typed columns that have the same result for every value of the column's type."""

from __future__ import annotations

import math
from decimal import Context, Decimal

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Remedy
from transpiler.base.ieee754 import float32
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.compiler.layouts.flat import FlatLayout, replaced, spelled, typed_columns_of
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector import ast

#: ``_ABOVE``: the operators that hold if the left side is greater. ``_BELOW``: those that hold if it is less.
_ABOVE, _BELOW = (Comparison.GT, Comparison.GE), (Comparison.LT, Comparison.LE)
#: The types of whole numbers; a timestamp is a whole number of milliseconds.
_WHOLE = frozenset((SparkType.TINYINT, SparkType.SMALLINT, SparkType.INT, SparkType.BIGINT, SparkType.TIMESTAMP))

#: A warning: its message, its span in the selector, its hint, and the fix that the hint suggests.
Found = tuple[str, Span, str | None, Remedy | None]


def column_warning(node: ast.Compare | ast.Between, layout: Layout, source: Source) -> Found | None:
    """Return a warning if the type of the compared column already determines the result of ``node``; else None.

    For example, no FLOAT equals 1.1, so ``price = 1.1`` is FALSE for a FLOAT column.
    """
    typed = typed_columns_of(layout)
    if typed is None:
        return None
    return _beyond_type(node, typed, source) if isinstance(node, ast.Compare) else _none_between(node, typed)


def _beyond_type(node: ast.Compare, typed: FlatLayout, source: Source) -> Found | None:
    """Return a warning if every value of the column's type yields the same result: for example, no FLOAT is 1.1."""
    for named, literal in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(named, ast.Identifier) or not isinstance(literal, ast.IntegerLiteral | ast.FloatLiteral):
            continue
        column = typed.columns.get(named.name)
        nearest = nearest_value(column.type, literal.value) if isinstance(column, ir.Column) else literal.value
        if nearest == literal.value:
            continue
        assert isinstance(column, ir.Column)
        written, kind = source.text[literal.span.start : literal.span.end], str(column.type)
        operator = node.operator if named is node.left else node.operator.mirrored
        is_above, relation = literal.value > 0, "is"
        if not operator.is_equality:
            if nearest is not None or column.type.kind is SparkType.FLOAT:
                # The comparison is not constant: a FLOAT can be infinite, and infinity is greater than every number.
                return None
            relation = "is above" if is_above else "is below"
        never = operator is Comparison.EQ or operator in (_ABOVE if is_above else _BELOW)
        outcome = "never true" if never else "true wherever it has a value"
        hint, fix = f"perhaps compare with {nearest}, or with a range", None
        if column.type.kind is SparkType.FLOAT and nearest is not None:
            # The user probably means the decimal digits that are displayed for the FLOAT. The suggested cast by way of
            # STRING makes the column equal to these digits.
            made, fix = replaced(column.path, f"CAST(CAST({spelled(column.path)} AS STRING) AS DOUBLE)")
            hint = f"{made} compares the digits that are displayed; or compare with a range"
        elif nearest is None:
            hint = f"perhaps the column needs a wider type than {kind}"
        message = f"{named.name} is {kind}, and no {kind} {relation} {written}, so the condition is {outcome}"
        return message, node.span, hint, fix
    return None


def _none_between(node: ast.Between, typed: FlatLayout) -> Found | None:
    """Return a warning if no whole number is between the bounds of BETWEEN: for example, between 1.5 and 1.7."""
    name, low, high = node.operand, node.low, node.high
    if not isinstance(name, ast.Identifier):
        return None
    column = typed.columns.get(name.name)
    if not isinstance(column, ir.Column) or column.type.kind not in _WHOLE:
        return None
    if not isinstance(low, ast.FloatLiteral) or not isinstance(high, ast.FloatLiteral) or low.value > high.value:
        return None
    if math.isfinite(low.value) and math.isfinite(high.value) and math.ceil(low.value) > math.floor(high.value):
        kind, outcome = str(column.type), "true wherever it has a value" if node.negated else "never true"
        message = f"{name.name} is {kind}, and no {kind} is between {low.value} and {high.value}"
        return f"{message}, so the condition is {outcome}", node.span, "perhaps use wider bounds", None
    return None


def nearest_value(column: ColumnType, number: float) -> float | None:
    """Return the value of the type ``column`` that is nearest to ``number``; None if it is beyond the type's range."""
    match column.kind:
        case SparkType.FLOAT:
            value = float32(number)
            return None if math.isinf(value) else value
        case SparkType.DECIMAL:
            # A selector does not see the DECIMAL, but the double that is nearest to it. So return this double.
            unit = Decimal(1).scaleb(-column.scale)
            rounded = (
                Decimal(repr(number)).quantize(unit, context=Context(prec=80))
                if abs(number) < 1e15
                else Decimal(number)
            )
            return None if abs(rounded) >= Decimal(10) ** (column.precision - column.scale) else float(rounded)
        case SparkType.TINYINT | SparkType.SMALLINT | SparkType.INT | SparkType.BIGINT:
            bits = {SparkType.TINYINT: 7, SparkType.SMALLINT: 15, SparkType.INT: 31, SparkType.BIGINT: 63}[column.kind]
            return None if not -(2**bits) <= number < 2**bits else number if number == round(number) else round(number)
        case SparkType.TIMESTAMP | SparkType.TIMESTAMP_NTZ:
            return number if abs(number) >= 2**53 or number == round(number) else round(number)
        case _:
            return number
