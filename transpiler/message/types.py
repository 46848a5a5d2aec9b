"""AMQP types and the classes of their values; equality; JMS's three truth values.

Source: Jakarta Messaging 3.1, section 3.8.1.2, for *unknown*. The rules of equality are those of the brokers' headers
exchanges and of the filter documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple, TypeAlias
from uuid import UUID

from transpiler.base.identity_enum import IdentityEnum


class AmqpType(IdentityEnum):
    """The primitive types of AMQP 1.0, by the names of its type system."""

    NULL = "null"
    BOOLEAN = "boolean"
    UBYTE = "ubyte"
    USHORT = "ushort"
    UINT = "uint"
    ULONG = "ulong"
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL32 = "decimal32"
    DECIMAL64 = "decimal64"
    DECIMAL128 = "decimal128"
    CHAR = "char"
    TIMESTAMP = "timestamp"
    UUID = "uuid"
    BINARY = "binary"
    STRING = "string"
    SYMBOL = "symbol"


#: The least and the greatest value of each integer type; a timestamp is an integer of milliseconds.
INTEGER_RANGES: Mapping[AmqpType, tuple[int, int]] = MappingProxyType(
    {
        AmqpType.UBYTE: (0, 2**8 - 1),
        AmqpType.USHORT: (0, 2**16 - 1),
        AmqpType.UINT: (0, 2**32 - 1),
        AmqpType.ULONG: (0, 2**64 - 1),
        AmqpType.BYTE: (-(2**7), 2**7 - 1),
        AmqpType.SHORT: (-(2**15), 2**15 - 1),
        AmqpType.INT: (-(2**31), 2**31 - 1),
        AmqpType.LONG: (-(2**63), 2**63 - 1),
        AmqpType.TIMESTAMP: (-(2**63), 2**63 - 1),
    }
)


DECIMALS = (AmqpType.DECIMAL32, AmqpType.DECIMAL64, AmqpType.DECIMAL128)


class Compound(Enum):
    """The types of values that hold other values, which no selector can name; only the type of such a body is kept."""

    LIST = "list"
    MAP = "map"
    ARRAY = "array"
    DESCRIBED = "described"


#: The types that a value in a map section can have.
ValueType: TypeAlias = AmqpType | Compound


class TypeClass(IdentityEnum):
    """Types whose values can be compared with each other are alike; the value names the canonical schema's field.

    Numbers of every width are alike, but integers and floating point numbers live in two fields.
    """

    BOOLEAN = "boolean"
    INTEGER = "long"
    FLOATING = "double"
    STRING = "string"
    BYTES = "binary"

    @property
    def numeric(self) -> bool:
        """Return True if arithmetic allows the type."""
        return self is TypeClass.INTEGER or self is TypeClass.FLOATING

    def is_like(self, other: TypeClass) -> bool:
        """Jakarta Messaging 3.8.1.1: "Only like type values can be compared", numbers with numbers of any type."""
        return self is other or (self.numeric and other.numeric)


def _class_of(kind: ValueType) -> TypeClass:
    if kind in INTEGER_RANGES:
        return TypeClass.INTEGER
    if kind in (AmqpType.FLOAT, AmqpType.DOUBLE, *DECIMALS):
        return TypeClass.FLOATING
    if kind in (AmqpType.CHAR, AmqpType.STRING, AmqpType.SYMBOL):
        return TypeClass.STRING
    return TypeClass.BOOLEAN if kind is AmqpType.BOOLEAN else TypeClass.BYTES


#: The class of the values of each type; null has none, for it is no value. A char is a string of one character. AMQP
#: 0-9-1 and 0-10 have tables and arrays among a message's headers, and to a selector these are values that no literal
#: is like.
CLASS_OF: Mapping[ValueType, TypeClass] = MappingProxyType(
    {
        kind: _class_of(kind)
        for kind in (*AmqpType, Compound.LIST, Compound.MAP, Compound.ARRAY)
        if kind is not AmqpType.NULL
    }
)

#: The Python value of an AMQP primitive: decimals as Decimal, a timestamp as milliseconds, a uuid as UUID.
Primitive = None | bool | int | float | Decimal | str | bytes | UUID


class UntypedText(str):
    """A string of a store that has lost the types of its values.

    It is compared with a number as the number that it spells, and with a boolean as the truth value that it spells, if
    it spells one; elsewhere it is a string.
    """

    __slots__ = ()


class AmqpValue(NamedTuple):
    """A value together with its AMQP type, as a section of a message holds it.

    A list, map or array is the bytes of its shortest AMQP 1.0 encoding; empty bytes stand for unknown content.
    """

    type: ValueType
    value: Primitive


#: A selector's operand in Python: an integer is 64 bits and signed, None is a missing value.
SelectorValue = None | bool | int | float | str | bytes


def coerce(value: AmqpValue) -> SelectorValue:
    """The value that a selector sees, by the coercion table.

    An unsigned long above 2**63-1 wraps as Java's ``longValue`` does; a decimal becomes the nearest double;
    a uuid its 16 bytes.
    """
    match value.value:
        case bool() | None:
            return value.value
        case int() as number:
            return (number + 2**63) % 2**64 - 2**63
        case Decimal() as number:
            return float(number)
        case UUID() as uuid:
            return uuid.bytes
        case other:
            return other


#: True, False, or None for JMS's *unknown*.
Truth = bool | None

#: Jakarta Messaging 3.8.1.2, the definition of AND, by its two operands.
AND: Mapping[tuple[Truth, Truth], Truth] = MappingProxyType(
    {
        (True, True): True,
        (True, False): False,
        (True, None): None,
        (False, True): False,
        (False, False): False,
        (False, None): False,
        (None, True): None,
        (None, False): False,
        (None, None): None,
    }
)

#: The definition of OR.
OR: Mapping[tuple[Truth, Truth], Truth] = MappingProxyType(
    {
        (True, True): True,
        (True, False): True,
        (True, None): True,
        (False, True): True,
        (False, False): False,
        (False, None): None,
        (None, True): True,
        (None, False): None,
        (None, None): None,
    }
)

#: The definition of NOT.
NOT: Mapping[Truth, Truth] = MappingProxyType({True: False, False: True, None: None})

#: The verdicts in words.
TRUTH_TEXT: Mapping[Truth, str] = MappingProxyType({True: "TRUE", False: "FALSE", None: "unknown"})


class NumberEquality(Enum):
    """The equality of an integer and a floating point number."""

    #: Never: 1 is not 1.0.
    APART = "apart"
    #: If the two are the same number, as Erlang's ``==`` has it: 2**53 + 1 is not 2.0**53.
    EXACT = "exact"
    #: If the integer as a double is the other one: the AMQP Filter Expressions' "when treated as a floating-point".
    AS_DOUBLES = "as doubles"


@dataclass(frozen=True, slots=True)
class Equality:
    """The equality of a value of a binding or filter with a value of a message.

    By default values are equal within a class: integers of every width by value, floating point numbers and decimals
    by value as doubles, text, booleans, bytes; lists and maps where their types and all that they hold are the same.
    NaN equals nothing.
    """

    numbers: NumberEquality = NumberEquality.APART
    #: Only values of one type are equal, as Java's ``equals`` has it, and byte arrays never are.
    same_type: bool = False
    #: A boolean is the integer 0 or 1.
    booleans_are_integers: bool = False
    #: A value of the type float in a binding equals nothing.
    refuses_floats: bool = False
    #: Bytes equal the text that they are in UTF-8.
    bytes_are_text: bool = False
    #: A decimal equals decimals only. The canonical schema has no scales, so 1.0 equals 1.00, which the broker parts.
    decimals_apart: bool = False
    #: A list and a map that are empty are equal.
    empty_compounds_alike: bool = False
    #: A timestamp counts as its seconds, in a binding and in a message; elsewhere as its milliseconds.
    asks_in_seconds: bool = False
    has_seconds: bool = False


#: The default, and the Apache document's.
BY_VALUE = Equality()
