"""Every AMQP 1.0 value in Python: a primitive with its type, three compound types, and described values.

A primitive is the ``AmqpValue`` that a message section holds: an int for integers, a timestamp's milliseconds
since the epoch, ``Decimal``, ``UUID``, a str of one code point for char, and an ASCII str for symbol. Values
are immutable, and neither they nor this module know any encoding.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeAlias, assert_never

from transpiler.message.types import AmqpType, AmqpValue


class CompoundType(Enum):
    """The types that hold other values, by the names of the AMQP type system."""

    LIST = "list"
    MAP = "map"
    ARRAY = "array"


#: The value of one constructor of the wire, descriptors aside.
WireType: TypeAlias = AmqpType | CompoundType


@dataclass(frozen=True, slots=True)
class AmqpList:
    """A sequence of values of any types."""

    type: ClassVar[CompoundType] = CompoundType.LIST
    items: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class AmqpMap:
    """Pairs of key and value in wire order, which is part of the value (1.6.23); no key occurs twice."""

    type: ClassVar[CompoundType] = CompoundType.MAP
    entries: tuple[tuple[Value, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class AmqpArray:
    """A sequence of values of one type, ``element``.

    ``descriptors``, outermost first, describe each item and are written once; the items are the values
    beneath.
    """

    type: ClassVar[CompoundType] = CompoundType.ARRAY
    element: WireType
    items: tuple[PlainValue, ...] = ()
    descriptors: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """A value with the descriptor that gives it a meaning, by convention a symbol or a ulong."""

    descriptor: Value
    value: Value


PlainValue: TypeAlias = AmqpValue | AmqpList | AmqpMap | AmqpArray
Value: TypeAlias = PlainValue | Described


def identity(value: Value) -> Hashable:
    """A key that is equal for the same AMQP value and for no other.

    ``==`` on values is Python's, where 0.0 is -0.0, decimal 1 is 1.0 and NaN is not NaN. Here the first two
    pairs differ and the last is equal, so this is what "two identical key values" of a map (1.6.23) means.
    """
    match value:
        case AmqpValue(_, str() | bytes()):
            return value
        case AmqpValue(kind, content):
            # As text: the hashes of UUID and Decimal are no secret, and a hostile map could make all collide.
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
