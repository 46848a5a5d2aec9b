"""Texts made from a column turned round: from a condition on the text to a condition on the column.

A message id as text says which type it had, and bytes as UTF-8 text say which bytes they were. So equality with a text
is equality of the column with one constant, or holds nowhere, and a file reader can skip row groups with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from transpiler.errors import DecodeError
from transpiler.ir.functions import Function
from transpiler.ir.nodes import FALSE, Apply, Compare, Constant, In, IsNull, Like, Predicate, Value, constant
from transpiler.layouts.columns import BINARY
from transpiler.message import ids
from transpiler.message.ids import correlation_id_text, message_id_text, read_id
from transpiler.message.types import AmqpType, AmqpValue, coerce
from transpiler.selector.ast import Comparison


@dataclass(frozen=True, slots=True)
class _Open:
    """The texts of this function have no single column value behind them."""


_IDS: Mapping[Function, tuple[AmqpType, Callable[[AmqpValue], str | None]]] = {
    Function.STRING_MESSAGE_ID: (AmqpType.STRING, message_id_text),
    Function.STRING_CORRELATION_ID: (AmqpType.STRING, correlation_id_text),
    Function.ULONG_ID: (AmqpType.ULONG, message_id_text),
    Function.UUID_ID: (AmqpType.UUID, message_id_text),
    Function.BINARY_ID: (AmqpType.BINARY, message_id_text),
}


_STRINGS = (Function.STRING_MESSAGE_ID, Function.STRING_CORRELATION_ID)

#: What the text of an id begins with, or, of a string, what it would be escaped for.
_PREFIXES: Mapping[Function, str] = {
    Function.STRING_MESSAGE_ID: "ID:AMQP_",
    Function.STRING_CORRELATION_ID: "ID:AMQP_",
    Function.ULONG_ID: ids.ULONG,
    Function.UUID_ID: ids.UUID_,
    Function.BINARY_ID: ids.BINARY,
}


def turn_text_round(node: Predicate) -> Predicate | None:
    """``f(column) = text``, ``<>``, IN or LIKE as a condition on the column; None where that cannot be said."""
    match node:
        case Compare(
            operator=Comparison.EQ | Comparison.NE as operator,
            left=Apply(arguments=(inner,)) as converted,
            right=Constant(value=str() as text),
        ):
            found = _behind(converted, text)
            if isinstance(found, _Open):
                return None
            if found is None:
                return FALSE if operator is Comparison.EQ else IsNull(inner, negated=True)
            return Compare(operator, inner, found)
        case In(value=Apply(arguments=(inner,)) as converted, members=members, negated=negated):
            each = [_behind(converted, str(member.value)) for member in members]
            if any(isinstance(item, _Open) for item in each):
                return None
            kept = tuple(item for item in each if isinstance(item, Constant))
            if not kept:
                return IsNull(inner, negated=True) if negated else FALSE
            return In(inner, kept, negated)
        case Like(
            value=Apply(arguments=(inner,)) as converted, pattern=(str() as start, *_) as pattern, negated=negated
        ):
            prefix = _PREFIXES.get(converted.function, "")
            if prefix.startswith(start) or start.startswith(prefix):
                return None
            if converted.function in _STRINGS:
                # A string that begins like the pattern needs no prefix, or could not begin so.
                kept_as_is = converted.function is Function.STRING_CORRELATION_ID or start.startswith(ids.PREFIX)
                return Like(inner, pattern, negated) if kept_as_is else None
            return IsNull(inner, negated=True) if negated else FALSE
        case _:
            return None


def text_is_null(value: Value) -> Value:
    """The column behind a text: it is NULL where the text is."""
    while isinstance(value, Apply) and (value.function in _IDS or value.function is Function.TEXT):
        value = value.arguments[0]
    return value


def _behind(converted: Apply, text: str) -> Constant | _Open | None:
    """The one value of the column that becomes the text; None where no value does."""
    if converted.function is Function.TEXT:
        # What is not UTF-8 becomes U+FFFD, whatever it was.
        return _Open() if "\N{REPLACEMENT CHARACTER}" in text else Constant(text.encode(), BINARY)
    if converted.function not in _IDS:
        return _Open()
    amqp_type, write = _IDS[converted.function]
    try:
        found = read_id(text)
    except DecodeError:
        return None
    if found.type is not amqp_type or write(found) != text:
        return None
    value = coerce(found)
    return Constant(value, BINARY) if isinstance(value, bytes) else constant(_simple(value))


def _simple(value: object) -> int | str:
    assert isinstance(value, int | str)
    return value
