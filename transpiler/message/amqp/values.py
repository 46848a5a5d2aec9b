"""All AMQP 1.0 values in Python: primitives with their types, three compound types, and described values.

A primitive is an ``AmqpValue``, as in a message section: an int for integers and for timestamps (milliseconds since the
epoch), ``Decimal``, ``UUID``, a str of one code point for char, and an ASCII str for symbol. Values are immutable, and
independent of their encoding.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeAlias, assert_never

from transpiler.message.types import AmqpType, AmqpValue


class CompoundType(Enum):
    """The types of values that contain other values, by the names of the AMQP type system."""

    LIST = "list"
    MAP = "map"
    ARRAY = "array"


#: The type of a value without its descriptors, which the format code determines.
WireType: TypeAlias = AmqpType | CompoundType


@dataclass(frozen=True, slots=True)
class AmqpList:
    """A sequence of values of any types."""

    type: ClassVar[CompoundType] = CompoundType.LIST
    items: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class AmqpMap:
    """A map as its pairs of key and value. Their order, that of the encoding, is significant.

    No key occurs twice (AMQP 1.0, 1.6.23).
    """

    type: ClassVar[CompoundType] = CompoundType.MAP
    entries: tuple[tuple[Value, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class AmqpArray:
    """A sequence of values of one type, ``element``.

    Every item has the same ``descriptors``, outermost first. The encoding contains them once, and ``items`` are the
    values without them.
    """

    type: ClassVar[CompoundType] = CompoundType.ARRAY
    element: WireType
    items: tuple[PlainValue, ...] = ()
    descriptors: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """A value with the descriptor that defines its meaning, by convention a symbol or a ulong."""

    descriptor: Value
    value: Value


PlainValue: TypeAlias = AmqpValue | AmqpList | AmqpMap | AmqpArray
Value: TypeAlias = PlainValue | Described


def identity(value: Value) -> Hashable:
    """Return a key that is equal for two values if and only if they are the same AMQP value.

    Under Python's ``==``, 0.0 equals -0.0, decimal 1 equals 1.0, and NaN does not equal NaN. The keys of the first two
    pairs differ and the keys of two NaNs are equal, because the standard forbids "two identical key values" in a map
    (AMQP 1.0, part 1, 1.6.23).
    """
    match value:
        case AmqpValue(_, str() | bytes()):
            return value
        case AmqpValue(kind, content):
            # Use texts as keys. The hashes of UUID and Decimal are predictable, so a hostile sender could choose keys
            # that all collide.
            return kind, repr(content)
        case AmqpList(items):
            return CompoundType.LIST, *map(identity, items)
        case AmqpMap(entries):
            return CompoundType.MAP, *((identity(key), identity(item)) for key, item in entries)
        case AmqpArray(element, items, descriptors):
            return element, tuple(map(identity, items)), tuple(map(identity, descriptors))
        case Described(descriptor, described):
            return "described", identity(descriptor), identity(described)
        case _:
            assert_never(value)
