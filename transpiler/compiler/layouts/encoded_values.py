"""Bytes that are values in AMQP's encoding, as Event Hubs writes the properties of AMQP senders into Kafka's headers.

Other producers may write bytes in the same column: bytes that are not exactly one encoded value are text, whose type is
determined by its use. Integers of any width are longs, floats are doubles, symbols are strings, and values of types
that no selector compares equal nothing.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from uuid import UUID

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, ColumnType
from transpiler.compiler.layouts.stored import Stored, StoredByUse, StoredValue, stored_alternatives
from transpiler.message.types import AmqpType, AmqpValue, Compound, UntypedText, ValueType

_NULL = b"\x40"

_VALUES: tuple[tuple[ValueType, ir.Function, ColumnType], ...] = (
    (AmqpType.BOOLEAN, ir.Function.ENCODED_BOOLEAN, BOOLEAN),
    (AmqpType.LONG, ir.Function.ENCODED_INTEGER, BIGINT),
    (AmqpType.DOUBLE, ir.Function.ENCODED_DOUBLE, DOUBLE),
    (AmqpType.TIMESTAMP, ir.Function.ENCODED_TIME, BIGINT),
    (AmqpType.BINARY, ir.Function.ENCODED_BINARY, BINARY),
    (AmqpType.UUID, ir.Function.ENCODED_UUID, BINARY),
    (Compound.LIST, ir.Function.ENCODED_OTHER, BINARY),
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """The policy ``amqp``: bytes are a value in AMQP's encoding if they encode exactly one value, otherwise text."""

    name: str = "amqp"

    def stored_bytes(self, octets: ir.Value, plain: StoredByUse | None) -> Stored:
        """Return the values that the bytes ``octets`` can represent, one for each AMQP type, with SQL that decodes it.

        Bytes that are not in AMQP's encoding are plain text. ``plain`` is this text as a number and as a boolean, for
        comparisons with numbers and booleans. If ``plain`` is None, plain text is always a string.
        """
        typed = [StoredValue((amqp,), ir.Apply(function, (octets,), kind)) for amqp, function, kind in _VALUES]

        def text(function: ir.Function) -> ir.Value:
            return ir.Apply(function, (octets,), STRING)

        present = ir.Compare(Comparison.NE, octets, ir.Constant(_NULL, BINARY))
        key_absent = ir.IsNull(octets)
        absent = ir.any_of(key_absent, ir.Compare(Comparison.EQ, octets, ir.Constant(_NULL, BINARY)))

        def stored_as(*values: StoredValue, plain_number: StoredValue | None = None) -> Stored:
            number = _nearest(octets, plain_number)
            return stored_alternatives([*typed, *values], present, absent, key_absent, number)

        whole = stored_as(StoredValue((AmqpType.STRING,), text(ir.Function.TEXT_OF_ENCODED)))
        if plain is None:
            return whole
        string = StoredValue((AmqpType.STRING,), text(ir.Function.ENCODED_STRING))
        used = StoredByUse(
            stored_as(string, *plain.number.values, plain_number=plain.number.number),
            stored_as(string, *plain.boolean.values),
            ir.IsNull(plain_text(octets), negated=True),
        )
        return Stored(whole.values, present, absent, key_absent, by_use=used)

    def read_bytes(self, octets: bytes) -> AmqpValue | None:
        """Return the value that ``octets`` represent; None for the encoded null."""
        if octets == _NULL:
            return None
        value = _decoded(octets)
        return AmqpValue(AmqpType.STRING, UntypedText(octets.decode("utf-8", "replace"))) if value is None else value


def plain_text(octets: ir.Value) -> ir.Value:
    """Return the text of ``octets`` if they are not a value in AMQP's encoding; otherwise NULL."""
    return ir.Apply(ir.Function.PLAIN_OF_ENCODED, (octets,), STRING)


def _nearest(octets: ir.Value, plain_number: StoredValue | None) -> StoredValue:
    """Return the double nearest to the number that the bytes ``octets`` encode.

    If ``plain_number`` is not None, it is used for bytes that are not in AMQP's encoding but the text of a number.
    """
    integer = ir.Apply(ir.Function.ENCODED_INTEGER, (octets,), BIGINT)
    numbers: list[ir.Value] = [
        ir.Apply(ir.Function.ENCODED_DOUBLE, (octets,), DOUBLE),
        ir.Apply(ir.Function.TO_DOUBLE, (integer,), DOUBLE),
    ]
    if plain_number is not None:
        numbers.append(ir.guarded(plain_number.guard, plain_number.value))
    return StoredValue((AmqpType.DOUBLE,), ir.first_of(numbers, DOUBLE))


_BOOLEANS = {b"\x41": True, b"\x56\x01": True, b"\x42": False, b"\x56\x00": False}

#: For each type of fixed width: its format for ``struct.unpack`` and its AMQP type. The keys are AMQP constructors, the
#: bytes that precede an encoded value and state its type.
_FIXED: dict[int, tuple[str, AmqpType]] = {
    **dict.fromkeys((0x50, 0x52, 0x53), (">B", AmqpType.LONG)),
    **dict.fromkeys((0x51, 0x54, 0x55), (">b", AmqpType.LONG)),
    0x60: (">H", AmqpType.LONG),
    0x61: (">h", AmqpType.LONG),
    0x70: (">I", AmqpType.LONG),
    0x71: (">i", AmqpType.LONG),
    # An unsigned integer beyond 63 bits wraps, as Java's longValue does.
    **dict.fromkeys((0x80, 0x81), (">q", AmqpType.LONG)),
    0x72: (">f", AmqpType.DOUBLE),
    0x82: (">d", AmqpType.DOUBLE),
    0x83: (">q", AmqpType.TIMESTAMP),
}

_UUID = 0x98

#: The width, in bytes, of each fixed-width constructor whose type no selector compares.
_OTHER = {0x45: 0, 0x73: 4, 0x74: 4, 0x84: 8, 0x94: 16}

#: The width of the size prefix, in bytes, by the high hexadecimal digit of a constructor whose value has such a prefix.
_SIZED = {0xA: 1, 0xB: 4, 0xC: 1, 0xD: 4, 0xE: 1, 0xF: 4}
_SIZED_CODES = frozenset(b"\xa0\xa1\xa3\xb0\xb1\xb3\xc0\xc1\xd0\xd1\xe0\xf0")


def _decoded(octets: bytes) -> AmqpValue | None:
    """Return the value that ``octets`` encode; None if ``octets`` are not exactly one encoded value."""
    if octets in _BOOLEANS:
        return AmqpValue(AmqpType.BOOLEAN, _BOOLEANS[octets])
    if octets in (b"\x43", b"\x44"):
        return AmqpValue(AmqpType.LONG, 0)
    if len(octets) == 0:
        return None
    code, content = octets[0], octets[1:]
    other = AmqpValue(Compound.LIST, b"")
    if code == _UUID:
        return AmqpValue(AmqpType.UUID, UUID(bytes=content)) if len(content) == 16 else None
    if code in _FIXED:
        form, amqp = _FIXED[code]
        fits = len(content) == struct.calcsize(form)
        return AmqpValue(amqp, struct.unpack(form, content)[0]) if fits else None
    if code in _OTHER:
        return other if len(content) == _OTHER[code] else None
    if code == 0:
        return other if content else None
    if code not in _SIZED_CODES:
        return None
    width = _SIZED[code >> 4]
    size, data = int.from_bytes(content[:width]), content[width:]
    if len(content) < width or size != len(data):
        return None
    match code & 0xF, code >> 4:
        case 0, 0xA | 0xB:
            return AmqpValue(AmqpType.BINARY, data)
        case 1 | 3, 0xA | 0xB:
            return AmqpValue(AmqpType.STRING, data.decode("utf-8", "replace"))
        case _:
            return other
