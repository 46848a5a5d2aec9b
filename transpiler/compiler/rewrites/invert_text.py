"""Invert conversions of a column to text: rewrite a condition on the text as a condition on the column.

The text of a message ID determines the type of the ID, and UTF-8 text determines its bytes. So an equality with a text
is an equality of the column with one constant, or it holds in no row, and a file reader can skip row groups by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from transpiler.base.comparison import Comparison
from transpiler.base.errors import DecodeError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BINARY
from transpiler.message import ids
from transpiler.message.ids import correlation_id_text, ids_of_prefixed_text, message_id_text, read_id
from transpiler.message.types import AmqpType, AmqpValue, coerce


def _jms_id(amqp: AmqpType, write: Callable[[AmqpValue], str | None]) -> Callable[[str], tuple[AmqpValue, ...]]:
    """Return the inverse of ``write``, a function that converts an AMQP message ID of the type ``amqp`` to text.

    The inverse takes a text and returns a tuple with the ID of that text; the tuple is empty if no ID has it.
    """

    def read(text: str) -> tuple[AmqpValue, ...]:
        try:
            value = read_id(text)
        except DecodeError:
            return ()
        return (value,) if value.type is amqp and write(value) == text else ()

    return read


def _prefixed_id(amqp: AmqpType) -> Callable[[str], tuple[AmqpValue, ...]]:
    """Return a function from a text to all IDs of the type ``amqp`` that Artemis converts to this text."""
    return lambda text: tuple(value for value in ids_of_prefixed_text(text) if value.type is amqp)


#: The inverse of each function that converts an ID to text: a function from a text to the IDs with this text.
_IDS: Mapping[ir.Function, Callable[[str], tuple[AmqpValue, ...]]] = {
    ir.Function.STRING_MESSAGE_ID: _jms_id(AmqpType.STRING, message_id_text),
    ir.Function.STRING_CORRELATION_ID: _jms_id(AmqpType.STRING, correlation_id_text),
    ir.Function.ULONG_ID: _jms_id(AmqpType.ULONG, message_id_text),
    ir.Function.UUID_ID: _jms_id(AmqpType.UUID, message_id_text),
    ir.Function.BINARY_ID: _jms_id(AmqpType.BINARY, message_id_text),
    ir.Function.PREFIXED_STRING: _prefixed_id(AmqpType.STRING),
    ir.Function.PREFIXED_ULONG: _prefixed_id(AmqpType.ULONG),
    ir.Function.PREFIXED_UUID: _prefixed_id(AmqpType.UUID),
    ir.Function.PREFIXED_BINARY: _prefixed_id(AmqpType.BINARY),
}


_STRINGS = (ir.Function.STRING_MESSAGE_ID, ir.Function.STRING_CORRELATION_ID)

#: For each function that converts an ID to text, the prefix of all its results. The functions for string IDs are an
#: exception: only IDs that are escaped get this prefix.
_PREFIXES: Mapping[ir.Function, str] = {
    ir.Function.STRING_MESSAGE_ID: "ID:AMQP_",
    ir.Function.STRING_CORRELATION_ID: "ID:AMQP_",
    ir.Function.ULONG_ID: ids.ULONG,
    ir.Function.UUID_ID: ids.UUID_,
    ir.Function.BINARY_ID: ids.BINARY,
    ir.Function.PREFIXED_STRING: ids.PREFIX,
    ir.Function.PREFIXED_ULONG: ids.PREFIX,
    ir.Function.PREFIXED_UUID: ids.PREFIX,
    ir.Function.PREFIXED_BINARY: ids.PREFIX,
}


def invert_text(node: ir.Predicate) -> ir.Predicate:
    """Rewrite tests of the text of an ID as tests of the column with the ID, where ``f`` converts the ID to text.

    ``f(column) = 'ID:AMQP_ULONG:5'`` becomes ``column = 5``, and ``f(column) IS NULL`` becomes ``column IS NULL``.
    """
    match node:
        case ir.IsNull(value=value, negated=negated):
            behind = _behind_text(value)
            return node if behind is value else ir.IsNull(behind, negated)
        case _:
            return _inverted(node) or node


def _inverted(node: ir.Predicate) -> ir.Predicate | None:
    """Rewrite ``f(column) = text``, or the same with ``<>``, IN or LIKE, as a condition on ``column``.

    Return None if that is not possible. The function ``f`` converts a message ID or bytes to text.
    """
    match node:
        case ir.Compare(
            operator=Comparison.EQ | Comparison.NE as operator,
            left=ir.Apply(arguments=(inner,)) as converted,
            right=ir.Constant(value=str() as text),
        ):
            return _is_in(inner, _values_behind(converted, (text,)), negated=operator is Comparison.NE)
        case ir.In(value=ir.Apply(arguments=(inner,)) as converted, members=members, negated=negated):
            return _is_in(inner, _values_behind(converted, [str(member.value) for member in members]), negated)
        case ir.Like(
            value=ir.Apply(arguments=(inner,)) as converted, pattern=(str() as start, *_) as pattern, negated=negated
        ):
            prefix = _PREFIXES.get(converted.function, "")
            if prefix.startswith(start) or start.startswith(prefix):
                return None
            if converted.function in _STRINGS:
                # The pattern cannot match an escaped ID. An ID that is not escaped is its own text, except a message
                # ID without ``ids.PREFIX``, which gets another prefix. So LIKE can test the column itself.
                kept_as_is = converted.function is ir.Function.STRING_CORRELATION_ID or start.startswith(ids.PREFIX)
                return ir.Like(inner, pattern, negated) if kept_as_is else None
            return ir.IsNull(inner, negated=True) if negated else ir.FALSE
        case _:
            return None


def _behind_text(value: ir.Value) -> ir.Value:
    """Return the column that ``value`` converts to text; it is NULL in the same rows as the text."""
    while isinstance(value, ir.Apply) and (value.function in _IDS or value.function is ir.Function.TEXT):
        value = value.arguments[0]
    return value


def _values_behind(converted: ir.Apply, texts: Iterable[str]) -> tuple[ir.Constant, ...] | None:
    """Return all values of the column that are converted to one of ``texts``; None if the conversion has no inverse."""
    if converted.function is ir.Function.TEXT:
        # All bytes that are not UTF-8 become U+FFFD, so the original bytes of a text with U+FFFD are unknown.
        if any("\N{REPLACEMENT CHARACTER}" in text for text in texts):
            return None
        return tuple(ir.Constant(text.encode(), BINARY) for text in texts)
    if converted.function not in _IDS:
        return None
    values = [coerce(value) for text in texts for value in _IDS[converted.function](text)]
    return tuple(
        ir.Constant(value, BINARY) if isinstance(value, bytes) else ir.constant(_simple(value)) for value in values
    )


def _is_in(column: ir.Value, values: tuple[ir.Constant, ...] | None, negated: bool) -> ir.Predicate | None:
    """Return the test that ``column`` is, or if ``negated`` is not, one of ``values``; None if ``values`` is None."""
    match values:
        case None:
            return None
        case ():
            return ir.IsNull(column, negated=True) if negated else ir.FALSE
        case (value,):
            return ir.Compare(Comparison.NE if negated else Comparison.EQ, column, value)
        case _:
            return ir.In(column, values, negated)


def _simple(value: object) -> int | str:
    assert isinstance(value, int | str)
    return value
