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
    """The types of operands in a selector, from narrow to wide.

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
    #: An integer literal of more than 64 bits, which Java represents as a BigDecimal.
    BIG = "big"
    STRING = "string"
    CHAR = "char"
    BYTES = "bytes"
    #: The atoms with which Erlang represents infinities and NaN. They are neither numbers nor strings.
    ATOM = "atom"

    def __init__(self, name: str) -> None:
        self.integer = name in _INTEGER_TYPES
        self.floating = name in _FLOATING_TYPES
        self.numeric = self.integer or self.floating


class UnsignedLong(Enum):
    """The value in a selector of an unsigned long above 2**63-1, which does not fit into a signed 64-bit integer."""

    WRAPPED = "Java's longValue"
    DOUBLE = "a double"
    EXACT = "itself"


class ByteText(Enum):
    """The form in which a binary value or a uuid is compared with a text; NONE if it never equals a text."""

    NONE = "none"
    BYTES = "its bytes as text"
    UUID = "a uuid in hexadecimal digits"


@dataclass(frozen=True, slots=True, eq=False)
class OperandTypes:
    """A dialect's table of the operand type for each AMQP type of a property.

    If a property has one of the AMQP types in ``throws``, the evaluation throws an exception.
    """

    table: Mapping[ValueType, OperandType]
    throws: frozenset[ValueType] = frozenset()
    unsigned_long: UnsignedLong = UnsignedLong.WRAPPED
    byte_text: ByteText = ByteText.NONE
    #: True if a selector sees a value of the AMQP type char as a number, its code point.
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
#: Lists, maps and arrays are treated as bytes: such a value is not NULL, but it equals no literal of a selector.
_BYTES: _Types = dict.fromkeys(
    (AmqpType.BINARY, AmqpType.UUID, Compound.LIST, Compound.MAP, Compound.ARRAY), OperandType.BYTES
)


#: The types of the default dialect: numbers have no widths, and every integer has 64 bits, whatever its AMQP type.
JMS_TYPES = OperandTypes(
    MappingProxyType(
        _BOOLEAN | _INTEGERS | _FLOATS | _DECIMALS | _STRINGS | _BYTES | {AmqpType.CHAR: OperandType.STRING}
    )
)

#: The types in figure 2 of the Apache AMQP filter document, "Mapping AMQP types to JMS types". Unlike in ``JMS_TYPES``,
#: numbers have the widths of Java's types.
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

#: The types of Qpid's C++ broker: booleans, 64-bit integers, doubles and byte strings. Every other type is NULL.
QPID_CPP_TYPES = OperandTypes(
    MappingProxyType(_BOOLEAN | _INTEGERS | _FLOATS | _STRINGS | {AmqpType.BINARY: OperandType.STRING}),
    unsigned_long=UnsignedLong.DOUBLE,
    byte_text=ByteText.BYTES,
)

#: The types of RabbitMQ's SQL filter: Erlang's numbers, and Erlang's binaries for texts and bytes.
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

#: The types of RabbitMQ's JMS client, which reads AMQP 0-9-1 header tables. Its evaluator throws on a timestamp and on
#: bytes.
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
