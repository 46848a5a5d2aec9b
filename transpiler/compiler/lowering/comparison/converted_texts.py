"""Comparisons after the prefix ``convert_string_expressions:``, which convert a string to the type of the other side.

Source: ActiveMQ's ``ComparisonExpression``, which calls ``valueOf`` of the other side's Java class.
"""

from __future__ import annotations

import re

from transpiler.base.comparison import Comparison
from transpiler.base.float_texts import float32_in_text
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, STRING
from transpiler.compiler.lowering.comparison.comparison_kinds import (
    WIDTHS,
    compare_integers,
    compare_to,
    compare_values,
)
from transpiler.message.operand_types import OperandType


def compare_converted(operator: Comparison, text: ir.Value, other: ir.Value, kind: OperandType) -> ir.Predicate:
    """Return the comparison of the string ``text``, converted to the type ``kind``, with ``other`` of the same type."""
    if isinstance(text, ir.Constant):
        return _read_literal(operator, str(text.value), other, kind)
    if kind is OperandType.BOOLEAN:
        lower = ir.Apply(ir.Function.LOWER, (text,), STRING)
        is_true = ir.Compare(Comparison.EQ, lower, ir.constant("true"))
        is_false = ir.Compare(Comparison.NE, lower, ir.constant("true"))
        holds = {
            Comparison.EQ: ((True, True), (False, False)),
            Comparison.LT: ((False, True),),
            Comparison.GT: ((True, False),),
            Comparison.LE: ((False, True), (True, True), (False, False)),
            Comparison.GE: ((True, False), (True, True), (False, False)),
        }[operator]
        return ir.any_of(
            *(
                ir.all_of(is_true if first else is_false, ir.Compare(Comparison.EQ, other, ir.constant(second)))
                for first, second in holds
            )
        )
    if kind.floating:
        read = ir.Function.READ_FLOAT if kind is OperandType.FLOAT else ir.Function.READ_DOUBLE
        number: ir.Value = ir.Apply(read, (text,), DOUBLE)
        return compare_to(operator, number, other)
    number = ir.Apply(ir.Function.READ_LONG, (text,), BIGINT)
    half = 2 ** (WIDTHS[kind] - 1)
    bounds = (
        (
            ir.Compare(Comparison.GE, number, ir.constant(-half)),
            ir.Compare(Comparison.LE, number, ir.constant(half - 1)),
        )
        if kind is not OperandType.LONG
        else ()
    )
    return ir.all_of(*bounds, ir.Compare(operator, number, other))


#: ``_TRIMMED``: the characters that Java's ``Double.valueOf`` trims. ``_LONG_TEXT``: the texts that ``Long.valueOf``
#: accepts. ``_DOUBLE_TEXT``: the trimmed texts that ``Double.valueOf`` accepts.
_TRIMMED = "".join(map(chr, range(0x21)))
_LONG_TEXT = re.compile(r"[+-]?[0-9]+")
_DOUBLE_TEXT = re.compile(r"[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)")


def _read_literal(operator: Comparison, text: str, other: ir.Value, kind: OperandType) -> ir.Predicate:
    """Return the comparison of the literal ``text``, which is converted to ``kind`` at compile time, with ``other``."""
    if kind is OperandType.BOOLEAN:
        return compare_values(operator, ir.constant(text.lower() == "true"), other, True)
    number = number_in(text, kind)
    if number is None:
        return ir.FALSE
    return (compare_to if kind.floating else compare_integers)(operator, ir.constant(number), other)


def number_in(text: str, kind: OperandType) -> int | float | None:
    """Return ``text`` converted to the number type ``kind`` by Java's ``valueOf``; None if ``valueOf`` rejects it."""
    if kind.floating:
        content = text.strip(_TRIMMED)
        if not _DOUBLE_TEXT.fullmatch(content):
            return None
        if "N" in content or "I" in content:
            return float(content)
        return (float32_in_text if kind is OperandType.FLOAT else float)(content.rstrip("fFdD"))
    if not _LONG_TEXT.fullmatch(text) or len(text.lstrip("+-").lstrip("0")) > 19:
        return None
    integer, half = int(text.lstrip("+-").lstrip("0") or "0"), 2 ** (WIDTHS[kind] - 1)
    integer = -integer if text.startswith("-") else integer
    return integer if -half <= integer < half else None
