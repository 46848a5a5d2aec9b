"""AMQP types and the classes of their values; equality; the three truth values of JMS.

Source: Jakarta Messaging 3.1, section 3.8.1.2, for *unknown*. The rules of equality come from the brokers' headers
exchanges and from the filter documents.
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


#: The least and the greatest value of each integer type. A timestamp is an integer, in milliseconds.
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
    """The types of values that contain other values. No selector can name such a value.

    If the body of a message is such a value, only its type is kept.
    """

    LIST = "list"
    MAP = "map"
    ARRAY = "array"
    DESCRIBED = "described"


#: The types that a value in a map section can have.
ValueType: TypeAlias = AmqpType | Compound


class TypeClass(IdentityEnum):
    """A class of AMQP types whose values selectors treat alike, such as the integers of all widths.

    The value of a member is the field of the canonical schema that stores such values. Only values of one class can be
    compared, except that integers and floating-point numbers can be compared with each other.
    """

    BOOLEAN = "boolean"
    INTEGER = "long"
    FLOATING = "double"
    STRING = "string"
    BYTES = "binary"

    @property
    def numeric(self) -> bool:
        """Return True if this is a class of numbers, whose values arithmetic accepts."""
        return self is TypeClass.INTEGER or self is TypeClass.FLOATING

    def is_like(self, other: TypeClass) -> bool:
        """Return True if values of the two classes can be compared.

        Jakarta Messaging 3.8.1.1: "Only like type values can be compared"; a number is like a number of any type.
        """
        return self is other or (self.numeric and other.numeric)


def _class_of(kind: ValueType) -> TypeClass:
    if kind in INTEGER_RANGES:
        return TypeClass.INTEGER
    if kind in (AmqpType.FLOAT, AmqpType.DOUBLE, *DECIMALS):
        return TypeClass.FLOATING
    if kind in (AmqpType.CHAR, AmqpType.STRING, AmqpType.SYMBOL):
        return TypeClass.STRING
    return TypeClass.BOOLEAN if kind is AmqpType.BOOLEAN else TypeClass.BYTES


#: The class of each type. Null has no class, because it is not a value. A char is a string of one character. Tables and
#: arrays in headers of AMQP 0-9-1 and 0-10 are values that a selector cannot compare with any literal.
CLASS_OF: Mapping[ValueType, TypeClass] = MappingProxyType(
    {
        kind: _class_of(kind)
        for kind in (*AmqpType, Compound.LIST, Compound.MAP, Compound.ARRAY)
        if kind is not AmqpType.NULL
    }
)

#: The Python value of an AMQP primitive: a decimal is a Decimal, a timestamp an int in milliseconds, a uuid a UUID.
Primitive = None | bool | int | float | Decimal | str | bytes | UUID


class UntypedText(str):
    """A string that may have been a number or a boolean when the message was sent, because the store keeps only text.

    Compared with a number, it has the value of the number in its text, if there is one; the same holds for booleans.
    Otherwise it is a string.
    """

    __slots__ = ()


class AmqpValue(NamedTuple):
    """A value of a message section, with its AMQP type.

    The value of a list, map or array is its shortest AMQP 1.0 encoding as bytes. Empty bytes mean that its content is
    unknown.
    """

    type: ValueType
    value: Primitive


#: The Python value of an operand of a selector. An integer is signed and has 64 bits; None is a missing value.
SelectorValue = None | bool | int | float | str | bytes


def coerce(value: AmqpValue) -> SelectorValue:
    """Convert ``value`` to the value that a selector of the default dialect sees.

    An unsigned long above 2**63-1 wraps to a negative number, as Java's ``longValue`` does. A decimal becomes the
    nearest double, and a uuid its 16 bytes.
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

#: The truth table of AND for each pair of operands: Jakarta Messaging 3.8.1.2.
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

#: The truth table of OR for each pair of operands: Jakarta Messaging 3.8.1.2.
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

#: The truth table of NOT: Jakarta Messaging 3.8.1.2.
NOT: Mapping[Truth, Truth] = MappingProxyType({True: False, False: True, None: None})

#: The name of each truth value for users.
TRUTH_TEXT: Mapping[Truth, str] = MappingProxyType({True: "TRUE", False: "FALSE", None: "unknown"})


class NumberEquality(Enum):
    """The rule by which an integer equals a floating-point number."""

    #: An integer and a floating-point number are never equal: 1 is not 1.0.
    APART = "apart"
    #: Equal if the two numbers are exactly the same, as under Erlang's ``==``: 2**53 + 1 is not 2.0**53.
    EXACT = "exact"
    #: Equal if the integer, converted to a double, equals the floating-point number: the AMQP Filter
    #: Expressions' "when treated as a floating-point".
    AS_DOUBLES = "as doubles"


@dataclass(frozen=True, slots=True)
class Equality:
    """The rules under which a value in a binding or filter equals a value in a message.

    By default, only values of one class can be equal: integers of any width by value, floating-point numbers and
    decimals as doubles, and texts, booleans and bytes by value. Lists and maps must have equal types and contents. NaN
    equals nothing.
    """

    numbers: NumberEquality = NumberEquality.APART
    #: True if only values of the same AMQP type can be equal, as under Java's ``equals``. Byte arrays are then never
    #: equal.
    same_type: bool = False
    #: True if a boolean equals the integer 0 or 1.
    booleans_are_integers: bool = False
    #: True if a value of the AMQP type float (32 bits) in a binding equals no value of any message.
    refuses_floats: bool = False
    #: True if bytes equal the text whose UTF-8 encoding they are.
    bytes_are_text: bool = False
    #: True if a decimal equals only decimals. The canonical schema does not keep the scale of a decimal, so 1.0 equals
    #: 1.00 here, although not in the broker.
    decimals_apart: bool = False
    #: True if an empty list equals an empty map.
    empty_compounds_alike: bool = False
    #: True if timestamps of the binding (``asks_in_seconds``) or of the message (``has_seconds``) are truncated to
    #: whole seconds before they are compared.
    asks_in_seconds: bool = False
    has_seconds: bool = False


#: The default rules, which are also the rules of the Apache AMQP filter document.
BY_VALUE = Equality()
