"""The operand type of a property for each AMQP type: one table for each broker.

The Java brokers have the types of the Java language, because their comparisons distinguish a short from an int. The
other brokers have only numbers, strings and booleans. A property whose type is not in the table of a broker is NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from transpiler.base.identity_enum import IdentityEnum
from transpiler.message.types import DECIMALS, INTEGER_RANGES, AmqpType, Compound, ValueType

_INTEGER_TYPES = frozenset(("byte", "short", "int", "long", "big"))
_FLOATING_TYPES = frozenset(("float", "double"))


class OperandType(IdentityEnum):
    """The types of operands, narrow types before wide types.

    ``integer`` is True for the exact numeric types, ``floating`` for the approximate numeric types, and ``numeric`` for
    all types that arithmetic accepts.
    """

    integer: bool
    floating: bool
    numeric: bool

    BOOLEAN = "boolean"
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    #: An integer literal beyond 64 bits: Java's BigDecimal.
    BIG = "big"
    STRING = "string"
    CHAR = "char"
    BYTES = "bytes"
    #: Erlang's plus_infinity, minus_infinity and nan, which are neither numbers nor strings.
    ATOM = "atom"

    def __init__(self, name: str) -> None:
        self.integer = name in _INTEGER_TYPES
        self.floating = name in _FLOATING_TYPES
        self.numeric = self.integer or self.floating


class UnsignedLong(Enum):
    """The conversion of an unsigned long above 2**63-1."""

    WRAPPED = "Java's longValue"
    DOUBLE = "a double"
    EXACT = "itself"


class ByteText(Enum):
    """The text as which a selector compares a binary value or a uuid; NONE if it compares no such text."""

    NONE = "none"
    BYTES = "its bytes as text"
    UUID = "a uuid in hexadecimal digits"


@dataclass(frozen=True, slots=True, eq=False)
class OperandTypes:
    """The operand type of a property for each AMQP type. ``throws``: the AMQP types on which evaluation throws."""

    table: Mapping[ValueType, OperandType]
    throws: frozenset[ValueType] = frozenset()
    unsigned_long: UnsignedLong = UnsignedLong.WRAPPED
    byte_text: ByteText = ByteText.NONE
    #: True if the value of a char is the number of its code point.
    char_is_number: bool = False
    #: True if NaN and the infinities are values; False if a property with such a value is treated as missing.
    special_doubles: bool = True

    def names(self, operand_type: OperandType) -> tuple[str, ...]:
        """Return the names of the AMQP types that map to ``operand_type``."""
        return tuple(amqp.value for amqp, mapped in self.table.items() if mapped is operand_type)


_Types = dict[ValueType, OperandType]

_STRINGS: _Types = {AmqpType.STRING: OperandType.STRING, AmqpType.SYMBOL: OperandType.STRING}
_DECIMALS: _Types = dict.fromkeys(DECIMALS, OperandType.DOUBLE)
_INTEGERS: _Types = dict.fromkeys(INTEGER_RANGES, OperandType.LONG)
_FLOATS: _Types = {AmqpType.FLOAT: OperandType.DOUBLE, AmqpType.DOUBLE: OperandType.DOUBLE}
_BOOLEAN: _Types = {AmqpType.BOOLEAN: OperandType.BOOLEAN}
#: Lists, maps and arrays have the operand type of bytes: they are not NULL, and no operand of a selector equals them.
_BYTES: _Types = dict.fromkeys(
    (AmqpType.BINARY, AmqpType.UUID, Compound.LIST, Compound.MAP, Compound.ARRAY), OperandType.BYTES
)


#: The default dialect: numbers without widths. Every integer has 64 bits, whatever its AMQP type.
JMS_TYPES = OperandTypes(
    MappingProxyType(
        _BOOLEAN | _INTEGERS | _FLOATS | _DECIMALS | _STRINGS | _BYTES | {AmqpType.CHAR: OperandType.STRING}
    )
)

#: Figure 2 of the Apache AMQP filter document, "Mapping AMQP types to JMS types", with Java's types unchanged.
TYPED_JMS = OperandTypes(
    MappingProxyType(
        _BOOLEAN
        | {
            AmqpType.BYTE: OperandType.BYTE,
            AmqpType.UBYTE: OperandType.SHORT,
            AmqpType.SHORT: OperandType.SHORT,
            AmqpType.USHORT: OperandType.INT,
            AmqpType.INT: OperandType.INT,
            AmqpType.UINT: OperandType.LONG,
            AmqpType.ULONG: OperandType.LONG,
            AmqpType.LONG: OperandType.LONG,
            AmqpType.TIMESTAMP: OperandType.LONG,
            AmqpType.FLOAT: OperandType.FLOAT,
            AmqpType.DOUBLE: OperandType.DOUBLE,
        }
        | _DECIMALS
        | _STRINGS
        | {AmqpType.CHAR: OperandType.CHAR}
        | _BYTES
    )
)

#: Qpid's C++ broker: booleans, 64-bit integers, doubles and strings of bytes; any other type is NULL.
QPID_CPP_TYPES = OperandTypes(
    MappingProxyType(_BOOLEAN | _INTEGERS | _FLOATS | _STRINGS | {AmqpType.BINARY: OperandType.STRING}),
    unsigned_long=UnsignedLong.DOUBLE,
    byte_text=ByteText.BYTES,
)

#: RabbitMQ's SQL filter: Erlang's numbers, and Erlang's binaries for text and bytes.
SQL_FILTER_TYPES = OperandTypes(
    MappingProxyType(
        _BOOLEAN
        | _INTEGERS
        | _FLOATS
        | _DECIMALS
        | _STRINGS
        | {AmqpType.CHAR: OperandType.LONG, AmqpType.BINARY: OperandType.STRING, AmqpType.UUID: OperandType.STRING}
    ),
    unsigned_long=UnsignedLong.EXACT,
    byte_text=ByteText.BYTES,
    char_is_number=True,
    special_doubles=False,
)

#: RabbitMQ's JMS client: the types of its header table. Its evaluator throws on a timestamp and on bytes.
RABBITMQ_JMS_TYPES = OperandTypes(
    MappingProxyType(
        _BOOLEAN
        | {amqp: kind for amqp, kind in _INTEGERS.items() if amqp is not AmqpType.TIMESTAMP}
        | _FLOATS
        | _DECIMALS
        | _STRINGS
        | {AmqpType.CHAR: OperandType.STRING, AmqpType.UUID: OperandType.STRING}
    ),
    throws=frozenset({AmqpType.TIMESTAMP, AmqpType.BINARY}),
    byte_text=ByteText.UUID,
    special_doubles=False,
)
