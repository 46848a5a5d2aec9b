"""What a broker's selector never finds, said of the operands as the broker types them.

The truths of a comparison are its rules' answer already: where no pair of types can compare, they say which truth is
left.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler import ir
from transpiler.diagnostics import Diagnostic
from transpiler.lowering.broker_comparison import Truths
from transpiler.lowering.typed import TypedOperand
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.source import Source


def unlike(
    node: ast.Compare, left: TypedOperand, right: TypedOperand, truths: Truths, source: Source
) -> Iterator[Diagnostic]:
    """A warning where all types of two operands are unlike, and so only one truth is left."""
    first, second = _kinds(left), _kinds(right)
    if not first or not second or first & second:
        return
    if truths.true == ir.FALSE:
        outcome = "never true"
    elif truths.false == ir.FALSE:
        outcome = "never false"
    else:
        return
    sides = f"{_said(node.left, first, source)}, and {_said(node.right, second, source)}"
    message = f"{sides}: values of unlike types do not compare, so this is {outcome}"
    yield Diagnostic("type.unlike", "warning", message, source, node.span, None)


def not_text(
    node: ast.Expression, operand: TypedOperand, operator: str, outcome: str, source: Source
) -> Iterator[Diagnostic]:
    """A warning where a test of strings has an operand that never is one."""
    kinds = _kinds(operand)
    if kinds and "a string" not in kinds:
        message = f"{_said(node, kinds, source)}: {operator} holds for strings only, so this {outcome}"
        yield Diagnostic("type.unlike", "warning", message, source, node.span, None)


def _kinds(operand: TypedOperand) -> set[str]:
    return {_kind(item.type) for item in operand.alternatives}


def _kind(operand_type: OperandType) -> str:
    if operand_type.numeric:
        return "a number"
    return {
        OperandType.BOOLEAN: "a boolean",
        OperandType.BYTES: "binary",
        OperandType.ATOM: "an atom",
        OperandType.CHAR: "a character",
    }.get(operand_type, "a string")


def _said(node: ast.Expression, kinds: set[str], source: Source) -> str:
    return f"{source.text[node.span.start : node.span.end]} is {' or '.join(sorted(kinds))}"
