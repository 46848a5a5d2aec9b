"""The constructors of AMQP 1.0 as data: format code → type, size on the wire, reader and writer.

Source: OASIS AMQP 1.0, part 1, section 1.6, "Primitive Type Definitions"; every encoding of the section has one row.
The rows of one type go from the smallest encoding to the widest, which can hold every value of the type.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

from transpiler.message.amqp.decimals import DECIMAL32, DECIMAL64, DECIMAL128, DecimalFormat
from transpiler.message.amqp.values import CompoundType, WireType
from transpiler.message.types import AmqpType, Primitive

#: The byte that precedes a descriptor. The descriptor is followed by the constructor of the described value.
DESCRIBED = 0x00


class MalformedError(Exception):
    """The error for bytes that are not a value of their primitive type.

    ``code`` is the diagnostic's code, ``message`` the reason, and ``start`` the offset of the first invalid byte.
    """

    def __init__(self, code: str, message: str, start: int = 0) -> None:
        self.code, self.message, self.start = code, message, start
        super().__init__(message)


class Form(Enum):
    """The kinds of encodings, by the way in which a decoder finds the end of the data.

    ``width`` is the field of ``Constructor``.
    """

    #: The data has exactly ``width`` bytes.
    FIXED = "fixed"
    #: The size of the data in ``width`` bytes, then the data.
    VARIABLE = "variable"
    #: The size and the count of the items, in ``width`` bytes each, then the items.
    COMPOUND = "compound"


class Codec(NamedTuple):
    """The functions that decode and encode the data of a primitive.

    ``read`` raises ``MalformedError`` for invalid bytes; ``write`` raises ``ValueError`` for a value that this encoding
    cannot hold.
    """

    read: Callable[[bytes], Primitive]
    write: Callable[[Primitive], bytes]


@dataclass(frozen=True, slots=True)
class Constructor:
    """One encoding of one AMQP type, identified by its format code.

    ``codec`` is None for a compound type, whose items are processed by the decoder and the encoder themselves.
    """

    code: int
    type: WireType
    form: Form
    width: int
    codec: Codec | None = None


def _constant(constant: bool | int | None) -> Codec:
    def write(value: Primitive) -> bytes:
        if value != constant or type(value) is not type(constant):
            raise ValueError(f"it is not {constant}")
        return b""

    return Codec(lambda _: constant, write)


def _integer(width: int, *, signed: bool = False) -> Codec:
    low = -(256**width) // 2 if signed else 0
    high = low + 256**width - 1

    def write(value: Primitive) -> bytes:
        if type(value) is not int:
            raise ValueError("it is not a Python int")
        if not low <= value <= high:
            raise ValueError(f"it is not in the range {low} to {high}")
        return value.to_bytes(width, signed=signed)

    return Codec(lambda data: int.from_bytes(data, signed=signed), write)


def _floating(layout: str) -> Codec:
    binary = struct.Struct(layout)

    def read(data: bytes) -> float:
        value: float = binary.unpack(data)[0]
        return value

    def write(value: Primitive) -> bytes:
        if not isinstance(value, float):
            raise ValueError("it is not a Python float")
        try:
            data = binary.pack(value)
        except OverflowError:
            raise ValueError("it is too large") from None
        rounded = read(data)
        if rounded != value and value == value:
            raise ValueError(f"it has more digits than the type; the nearest value is {rounded!r}")
        return data

    return Codec(read, write)


def _decimal(interchange: DecimalFormat) -> Codec:
    def write(value: Primitive) -> bytes:
        if not isinstance(value, Decimal):
            raise ValueError("it is not a Python Decimal")
        return interchange.write(value)

    return Codec(interchange.read, write)


def _read_boolean(data: bytes) -> bool:
    # AMQP 1.0, part 1, 1.6.2: "boolean with the octet 0x00 being false and octet 0x01 being true"
    if data not in (b"\x00", b"\x01"):
        raise MalformedError("amqp.boolean", f"0x{data.hex()} is neither 0x00 nor 0x01")
    return data == b"\x01"


def _write_boolean(value: Primitive) -> bytes:
    if not isinstance(value, bool):
        raise ValueError("it is not a Python bool")
    return b"\x01" if value else b"\x00"


def _read_char(data: bytes) -> str:
    # AMQP 1.0, part 1, 1.6.16: "a UTF-32BE encoded Unicode character". Half of a UTF-16 surrogate pair is not one.
    try:
        return data.decode("utf-32-be")
    except UnicodeDecodeError:
        raise MalformedError("amqp.char", f"0x{data.hex()} is not a Unicode character") from None


def _write_char(value: Primitive) -> bytes:
    if not isinstance(value, str) or len(value) != 1:
        raise ValueError("it is not a Python str of one character")
    return value.encode("utf-32-be")


def _text(encoding: str, code: str, name: str) -> Codec:
    def read(data: bytes) -> str:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            byte = data[error.start]
            raise MalformedError(code, f"the byte 0x{byte:02x} is not {name} here", error.start) from None

    def write(value: Primitive) -> bytes:
        if not isinstance(value, str):
            raise ValueError("it is not a Python str")
        return value.encode(encoding)  # UnicodeEncodeError is a ValueError

    return Codec(read, write)


def _read_uuid(data: bytes) -> UUID:
    return UUID(bytes=data)


def _write_uuid(value: Primitive) -> bytes:
    if not isinstance(value, UUID):
        raise ValueError("it is not a Python UUID")
    return value.bytes


def _read_binary(data: bytes) -> bytes:
    return data


def _write_binary(value: Primitive) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("it is not Python bytes")
    return value


_BINARY = Codec(_read_binary, _write_binary)
_STRING = _text("utf-8", "amqp.utf8", "UTF-8")
_SYMBOL = _text("ascii", "amqp.ascii", "ASCII")

_ROWS = (
    Constructor(0x40, AmqpType.NULL, Form.FIXED, 0, _constant(None)),
    Constructor(0x41, AmqpType.BOOLEAN, Form.FIXED, 0, _constant(True)),
    Constructor(0x42, AmqpType.BOOLEAN, Form.FIXED, 0, _constant(False)),
    Constructor(0x56, AmqpType.BOOLEAN, Form.FIXED, 1, Codec(_read_boolean, _write_boolean)),
    Constructor(0x50, AmqpType.UBYTE, Form.FIXED, 1, _integer(1)),
    Constructor(0x60, AmqpType.USHORT, Form.FIXED, 2, _integer(2)),
    Constructor(0x43, AmqpType.UINT, Form.FIXED, 0, _constant(0)),
    Constructor(0x52, AmqpType.UINT, Form.FIXED, 1, _integer(1)),
    Constructor(0x70, AmqpType.UINT, Form.FIXED, 4, _integer(4)),
    Constructor(0x44, AmqpType.ULONG, Form.FIXED, 0, _constant(0)),
    Constructor(0x53, AmqpType.ULONG, Form.FIXED, 1, _integer(1)),
    Constructor(0x80, AmqpType.ULONG, Form.FIXED, 8, _integer(8)),
    Constructor(0x51, AmqpType.BYTE, Form.FIXED, 1, _integer(1, signed=True)),
    Constructor(0x61, AmqpType.SHORT, Form.FIXED, 2, _integer(2, signed=True)),
    Constructor(0x54, AmqpType.INT, Form.FIXED, 1, _integer(1, signed=True)),
    Constructor(0x71, AmqpType.INT, Form.FIXED, 4, _integer(4, signed=True)),
    Constructor(0x55, AmqpType.LONG, Form.FIXED, 1, _integer(1, signed=True)),
    Constructor(0x81, AmqpType.LONG, Form.FIXED, 8, _integer(8, signed=True)),
    Constructor(0x72, AmqpType.FLOAT, Form.FIXED, 4, _floating(">f")),
    Constructor(0x82, AmqpType.DOUBLE, Form.FIXED, 8, _floating(">d")),
    Constructor(0x74, AmqpType.DECIMAL32, Form.FIXED, 4, _decimal(DECIMAL32)),
    Constructor(0x84, AmqpType.DECIMAL64, Form.FIXED, 8, _decimal(DECIMAL64)),
    Constructor(0x94, AmqpType.DECIMAL128, Form.FIXED, 16, _decimal(DECIMAL128)),
    Constructor(0x73, AmqpType.CHAR, Form.FIXED, 4, Codec(_read_char, _write_char)),
    Constructor(0x83, AmqpType.TIMESTAMP, Form.FIXED, 8, _integer(8, signed=True)),
    Constructor(0x98, AmqpType.UUID, Form.FIXED, 16, Codec(_read_uuid, _write_uuid)),
    Constructor(0xA0, AmqpType.BINARY, Form.VARIABLE, 1, _BINARY),
    Constructor(0xB0, AmqpType.BINARY, Form.VARIABLE, 4, _BINARY),
    Constructor(0xA1, AmqpType.STRING, Form.VARIABLE, 1, _STRING),
    Constructor(0xB1, AmqpType.STRING, Form.VARIABLE, 4, _STRING),
    Constructor(0xA3, AmqpType.SYMBOL, Form.VARIABLE, 1, _SYMBOL),
    Constructor(0xB3, AmqpType.SYMBOL, Form.VARIABLE, 4, _SYMBOL),
    # list0, the encoding of the empty list, has neither size nor count. A width of 0 bytes makes the decoder read both
    # as 0.
    Constructor(0x45, CompoundType.LIST, Form.COMPOUND, 0),
    Constructor(0xC0, CompoundType.LIST, Form.COMPOUND, 1),
    Constructor(0xD0, CompoundType.LIST, Form.COMPOUND, 4),
    Constructor(0xC1, CompoundType.MAP, Form.COMPOUND, 1),
    Constructor(0xD1, CompoundType.MAP, Form.COMPOUND, 4),
    Constructor(0xE0, CompoundType.ARRAY, Form.COMPOUND, 1),
    Constructor(0xF0, CompoundType.ARRAY, Form.COMPOUND, 4),
)

#: Every constructor by its format code.
CONSTRUCTORS: Mapping[int, Constructor] = MappingProxyType({row.code: row for row in _ROWS})

#: The constructors of each type, smallest first; the last constructor can hold every value of the type.
ENCODINGS: Mapping[WireType, tuple[Constructor, ...]] = MappingProxyType(
    {wire_type: tuple(row for row in _ROWS if row.type is wire_type) for wire_type in (*AmqpType, *CompoundType)}
)
