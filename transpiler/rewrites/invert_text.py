"""Invert conversions of a column to text: from a condition on the text to a condition on the column.

A message id as text determines its type, and UTF-8 text determines its bytes. So equality with a text
is equality of the column with one constant, or holds nowhere, and a file reader can skip row groups with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from transpiler import ir
from transpiler.errors import DecodeError
from transpiler.ir.column_types import BINARY
from transpiler.message import ids
from transpiler.message.ids import correlation_id_text, message_id_text, read_id
from transpiler.message.types import AmqpType, AmqpValue, coerce
from transpiler.selector.ast import Comparison


@dataclass(frozen=True, slots=True)
class _Open:
    """The texts of this function have no single column value behind them."""


_IDS: Mapping[ir.Function, tuple[AmqpType, Callable[[AmqpValue], str | None]]] = {
    ir.Function.STRING_MESSAGE_ID: (AmqpType.STRING, message_id_text),
    ir.Function.STRING_CORRELATION_ID: (AmqpType.STRING, correlation_id_text),
    ir.Function.ULONG_ID: (AmqpType.ULONG, message_id_text),
    ir.Function.UUID_ID: (AmqpType.UUID, message_id_text),
    ir.Function.BINARY_ID: (AmqpType.BINARY, message_id_text),
}


_STRINGS = (ir.Function.STRING_MESSAGE_ID, ir.Function.STRING_CORRELATION_ID)

#: What the text of an id begins with, or, of a string, what it would be escaped for.
_PREFIXES: Mapping[ir.Function, str] = {
    ir.Function.STRING_MESSAGE_ID: "ID:AMQP_",
    ir.Function.STRING_CORRELATION_ID: "ID:AMQP_",
    ir.Function.ULONG_ID: ids.ULONG,
    ir.Function.UUID_ID: ids.UUID_,
    ir.Function.BINARY_ID: ids.BINARY,
}


def invert_text(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``f(column) = 'ID:AMQP_ULONG:5'`` as ``column = 5``, and ``f(column) IS NULL`` as ``column IS NULL``."""
    match node:
        case ir.IsNull(value=value, negated=negated):
            behind = _behind_text(value)
            return node if behind is value else ir.IsNull(behind, negated)
        case _:
            return _inverted(node) or node


def _inverted(node: ir.Predicate) -> ir.Predicate | None:
    """Rewrite ``f(column) = text``, ``<>``, IN or LIKE as a condition on the column; None where there is none."""
    match node:
        case ir.Compare(
            operator=Comparison.EQ | Comparison.NE as operator,
            left=ir.Apply(arguments=(inner,)) as converted,
            right=ir.Constant(value=str() as text),
        ):
            original = _value_behind(converted, text)
            if isinstance(original, _Open):
                return None
            if original is None:
                return ir.FALSE if operator is Comparison.EQ else ir.IsNull(inner, negated=True)
            return ir.Compare(operator, inner, original)
        case ir.In(value=ir.Apply(arguments=(inner,)) as converted, members=members, negated=negated):
            each = [_value_behind(converted, str(member.value)) for member in members]
            if any(isinstance(item, _Open) for item in each):
                return None
            kept = tuple(item for item in each if isinstance(item, ir.Constant))
            if not kept:
                return ir.IsNull(inner, negated=True) if negated else ir.FALSE
            return ir.In(inner, kept, negated)
        case ir.Like(
            value=ir.Apply(arguments=(inner,)) as converted, pattern=(str() as start, *_) as pattern, negated=negated
        ):
            prefix = _PREFIXES.get(converted.function, "")
            if prefix.startswith(start) or start.startswith(prefix):
                return None
            if converted.function in _STRINGS:
                # A string that begins like the pattern needs no prefix, or could not begin so.
                kept_as_is = converted.function is ir.Function.STRING_CORRELATION_ID or start.startswith(ids.PREFIX)
                return ir.Like(inner, pattern, negated) if kept_as_is else None
            return ir.IsNull(inner, negated=True) if negated else ir.FALSE
        case _:
            return None


def _behind_text(value: ir.Value) -> ir.Value:
    """Return the column that a text is made from, which is NULL where the text is."""
    while isinstance(value, ir.Apply) and (value.function in _IDS or value.function is ir.Function.TEXT):
        value = value.arguments[0]
    return value


def _value_behind(converted: ir.Apply, text: str) -> ir.Constant | _Open | None:
    """Return the one value of the column that becomes the text; None where no value does."""
    if converted.function is ir.Function.TEXT:
        # What is not UTF-8 becomes U+FFFD, whatever it was.
        return _Open() if "\N{REPLACEMENT CHARACTER}" in text else ir.Constant(text.encode(), BINARY)
    if converted.function not in _IDS:
        return _Open()
    amqp_type, write = _IDS[converted.function]
    try:
        message_id = read_id(text)
    except DecodeError:
        return None
    if message_id.type is not amqp_type or write(message_id) != text:
        return None
    value = coerce(message_id)
    return ir.Constant(value, BINARY) if isinstance(value, bytes) else ir.constant(_simple(value))


def _simple(value: object) -> int | str:
    assert isinstance(value, int | str)
    return value
