"""A value as Java's string concatenation writes it."""

from __future__ import annotations

from transpiler import ir
from transpiler.ir.column_types import STRING
from transpiler.lowering.operands import Alternative
from transpiler.message.operand_types import OperandType

#: What Java writes for an array of bytes, before an address that nobody can know.
_ARRAY = ir.constant("[B@")


def java_text(item: Alternative) -> ir.Value:
    """A value as Java's string concatenation writes it."""
    match item.type:
        case OperandType.STRING | OperandType.CHAR | OperandType.ATOM:
            return item.value
        case OperandType.BYTES:
            return ir.When(ir.IsNull(item.value, negated=True), _ARRAY)
        case OperandType.BIG:
            return ir.constant(str(item.number))
        case OperandType.FLOAT:
            return ir.Apply(ir.Function.TEXT_OF_FLOAT, (item.value,), STRING)
        case _:
            return ir.Apply(ir.Function.JAVA_TEXT, (item.value,), STRING)
