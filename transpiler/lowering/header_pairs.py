"""Headers bindings as conditions: key-value pairs that a message's application properties are asked for.

Filters, addresses and topologies ask alike: a value becomes the ways in which a header can equal it, by the equality
of the broker or of the document. A binding accepts a message or does not, so what is lowered for FALSE is the
complement of what is lowered for TRUE.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from transpiler import ir
from transpiler.layouts.columns import (
    AMQP_TYPES,
    BIGINT,
    BINARY,
    BOOLEAN,
    DERIVED_TYPES,
    DOUBLE,
    STRING,
    ColumnSource,
    ColumnType,
    Derived,
    TaggedUnion,
    TypedColumn,
)
from transpiler.lowering.comparison_predicates import to_double
from transpiler.lowering.operands import complement as not_true
from transpiler.lowering.plain_operands import MISSING, Alternative, Operand, at
from transpiler.message.equality import Equality, Numbers
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, AmqpValue, Compound, TypeClass, ValueType, coerce
from transpiler.selector.ast import Comparison


class Read(Enum):
    """What of a header is compared."""

    # There is one of each, and Enum's own hash is slow.
    __hash__ = object.__hash__

    BOOLEAN = "boolean"
    INTEGER = "integer"
    #: The seconds of a timestamp, and any other integer as it is.
    SECONDS = "seconds"
    FLOATING = "floating"
    #: An integer as the nearest double.
    WIDENED = "widened"
    #: Either kind of number as a double, a timestamp in seconds or in milliseconds.
    NUMBER = "number"
    NUMBER_SECONDS = "number, seconds"
    STRING = "string"
    BYTES = "bytes"
    #: A string, or bytes as the text that they are in UTF-8.
    TEXT = "text"

    @property
    def type(self) -> ColumnType:
        """The type of the constant that it is compared with."""
        return _TYPES[self]


_TYPES = {
    Read.BOOLEAN: BOOLEAN,
    Read.INTEGER: BIGINT,
    Read.SECONDS: BIGINT,
    Read.FLOATING: DOUBLE,
    Read.WIDENED: DOUBLE,
    Read.NUMBER: DOUBLE,
    Read.NUMBER_SECONDS: DOUBLE,
    Read.STRING: STRING,
    Read.BYTES: BINARY,
    Read.TEXT: STRING,
}

_BY_CLASS = {
    TypeClass.BOOLEAN: Read.BOOLEAN,
    TypeClass.INTEGER: Read.INTEGER,
    TypeClass.FLOATING: Read.FLOATING,
    TypeClass.STRING: Read.STRING,
    TypeClass.BYTES: Read.BYTES,
}


class Shown(NamedTuple):
    """All of a way but its constants: what is read of a header, and which types it has, or does not have."""

    read: Read
    types: tuple[ValueType, ...] = ()
    excluded: bool = True


class Way(NamedTuple):
    """One way in which a header equals a value: it is a constant, or, where there is a ``last``, one up to that."""

    shown: Shown
    constant: bool | int | float | str | bytes
    last: int | None = None


#: What stands for the constant of a way.
Compared = Callable[[Way], ir.Value]

_DECIMALS = (AmqpType.DECIMAL32, AmqpType.DECIMAL64, AmqpType.DECIMAL128)
_COMPOUNDS = (Compound.LIST, Compound.MAP, Compound.ARRAY)
_EMPTY = {Compound.LIST: b"\x45", Compound.MAP: b"\xc1\x01\x00"}

#: From here on, two integers may be one double.
_NOT_EXACT = 2.0**53


class Ways:
    """The ways in which headers equal values, by one equality.

    A topology asks for a million values, and nearly all are text and small integers: those have their way ready.
    """

    def __init__(self, equality: Equality) -> None:
        self._equality = equality
        self._text = None if equality.same_type else Shown(Read.TEXT if equality.bytes_are_text else Read.STRING)
        plain = not equality.same_type and not equality.booleans_are_integers and equality.numbers is Numbers.APART
        self._whole = Shown(Read.SECONDS if equality.has_seconds else Read.INTEGER) if plain else None

    def of(self, value: AmqpValue) -> tuple[Way, ...]:
        """The ways in which a header equals a value that is not null; none where nothing equals it."""
        kind, content = value
        if kind is AmqpType.STRING and self._text is not None and isinstance(content, str):
            return (Way(self._text, content),)
        whole = self._whole if kind is AmqpType.LONG or kind is AmqpType.INT else None
        if whole is not None and isinstance(content, int) and 0 <= content < 2**63:
            return (Way(whole, content),)
        return _ways(value, self._equality)


def _ways(value: AmqpValue, equality: Equality) -> tuple[Way, ...]:
    kind, found = value.type, coerce(value)
    if found is None or (isinstance(found, float) and math.isnan(found)):
        return ()
    if isinstance(kind, Compound):
        return tuple(_same_content(kind, value.value, equality))
    if equality.refuses_floats and kind is AmqpType.FLOAT:
        return ()
    own = TYPE_CLASS[COERCION[kind]]
    if equality.same_type:
        # Java's equals: of one class, and of two byte arrays never.
        if own is TypeClass.BYTES:
            return ()
        text = kind in (AmqpType.STRING, AmqpType.SYMBOL)
        shown = Shown(_BY_CLASS[own], (AmqpType.CHAR,)) if text else Shown(_BY_CLASS[own], (kind,), False)
        return (Way(shown, found),)
    match own:
        case TypeClass.BOOLEAN:
            return tuple(_truths(bool(found), equality))
        case TypeClass.INTEGER:
            return tuple(_integers(_in_seconds(value) if equality.asks_in_seconds else _integer(value), equality))
        case TypeClass.FLOATING:
            return tuple(_doubles(float(found), kind in _DECIMALS, equality))
        case TypeClass.STRING:
            return (Way(Shown(Read.TEXT if equality.bytes_are_text else Read.STRING), found),)
        case TypeClass.BYTES:
            assert isinstance(found, bytes)
            return (_bytes(found, equality),)


def _same_content(kind: Compound, content: object, equality: Equality) -> Iterator[Way]:
    assert isinstance(content, bytes)
    alike = equality.empty_compounds_alike and content in _EMPTY.values()
    for other, data in _EMPTY.items() if alike else [(kind, content)]:
        if data:
            yield Way(Shown(Read.BYTES, (other,), False), data)


def _truths(truth: bool, equality: Equality) -> Iterator[Way]:
    yield Way(Shown(Read.BOOLEAN), truth)
    if equality.booleans_are_integers:
        yield Way(Shown(Read.INTEGER), int(truth))


def _integer(value: AmqpValue) -> int:
    assert isinstance(value.value, int)
    return value.value


def _in_seconds(value: AmqpValue) -> int:
    number = _integer(value)
    if value.type is not AmqpType.TIMESTAMP:
        return number
    return number // 1000 if number >= 0 else -(-number // 1000)


def _integers(number: int, equality: Equality) -> Iterator[Way]:
    if equality.booleans_are_integers and number in (0, 1):
        yield Way(Shown(Read.BOOLEAN), bool(number))
    if equality.numbers is Numbers.EXACT and abs(number) < _NOT_EXACT:
        yield _number(float(number), equality)
        return
    yield from _exact(number, equality)
    if equality.numbers is Numbers.AS_DOUBLES or (equality.numbers is Numbers.EXACT and float(number) == number):
        yield _floating(float(number), equality)


def _exact(number: int, equality: Equality) -> Iterator[Way]:
    """An integer among integers; the canonical schema keeps the low 64 bits of an unsigned long."""
    read = Read.SECONDS if equality.has_seconds else Read.INTEGER
    if 0 <= number < 2**63:
        yield Way(Shown(read), number)
    elif -(2**63) <= number < 0:
        yield Way(Shown(read, (AmqpType.ULONG,)), number)
    elif 2**63 <= number < 2**64:
        yield Way(Shown(Read.INTEGER, (AmqpType.ULONG,), False), number - 2**64)


def _number(number: float, equality: Equality) -> Way:
    """A number that integers and doubles are compared with at once, for below 2**53 each integer is one double."""
    read = Read.NUMBER_SECONDS if equality.has_seconds else Read.NUMBER
    excluded: tuple[ValueType, ...] = _DECIMALS if equality.decimals_apart else ()
    return Way(Shown(read, (*excluded, AmqpType.ULONG) if number < 0 else excluded), number)


def _floating(number: float, equality: Equality) -> Way:
    return Way(Shown(Read.FLOATING, _DECIMALS if equality.decimals_apart else ()), number)


def _doubles(number: float, is_decimal: bool, equality: Equality) -> Iterator[Way]:
    if is_decimal and equality.decimals_apart:
        yield Way(Shown(Read.FLOATING, _DECIMALS, False), number)
        return
    match equality.numbers:
        case Numbers.APART:
            yield _floating(number, equality)
        case Numbers.EXACT if abs(number) < _NOT_EXACT:
            yield _number(number, equality)
        case Numbers.EXACT:
            yield _floating(number, equality)
            if math.isfinite(number):
                yield from _exact(int(number), equality)
        case Numbers.AS_DOUBLES:
            yield _floating(number, equality)
            yield Way(Shown(Read.WIDENED, () if number >= 0 else (AmqpType.ULONG,)), number)
            if 2.0**63 <= number <= 2.0**64:
                low, high = _rounded_to(number)
                yield Way(Shown(Read.INTEGER, (AmqpType.ULONG,), False), low - 2**64, high - 2**64)


def _rounded_to(number: float) -> tuple[int, int]:
    """The first and the last unsigned long above 2**63-1 whose nearest double a number is."""
    low = (int(math.nextafter(number, 0.0)) + int(number)) // 2
    high = (int(math.nextafter(number, math.inf)) + int(number)) // 2
    return max(low + (float(low) != number), 2**63), min(high - (float(high) != number), 2**64 - 1)


def _bytes(data: bytes, equality: Equality) -> Way:
    if equality.bytes_are_text:
        try:
            return Way(Shown(Read.TEXT), data.decode())
        except UnicodeDecodeError:
            pass
    return Way(Shown(Read.BYTES, _COMPOUNDS), data)


@dataclass(frozen=True, slots=True)
class Header:
    """What a message has at a key: the places to look at, in order; ``present`` where the key is there at all."""

    places: tuple[ColumnSource, ...]

    @property
    def operand(self) -> Operand:
        """The value, of the first place that has the key."""
        found = MISSING
        for place in reversed(self.places):
            operand = at(place)
            more = tuple(Alternative(item.value, ir.all_of(_missing(place), item.guard)) for item in found.alternatives)
            found = Operand(
                operand.alternatives + more,
                ir.any_of(operand.present, ir.all_of(_missing(place), found.present)),
                ir.all_of(operand.absent, found.absent),
            )
        return found

    @property
    def present(self) -> ir.Predicate:
        """Where the key is there, be it with a null value."""
        return ir.any_of(*map(_present, self.places))

    @property
    def missing(self) -> ir.Predicate:
        """Where it is not."""
        return ir.all_of(*map(_missing, self.places))

    def equals(self, found: Iterable[Way], compared: Compared) -> ir.Predicate:
        """Where the value is in one of some ways; ``compared`` makes the value that it is compared with."""
        found = tuple(found)
        tests: list[ir.Predicate] = []
        earlier: list[ir.Predicate] = []
        for place in self.places:
            tests.append(ir.all_of(*earlier, ir.any_of(*(_is(place, way, compared) for way in found))))
            earlier.append(_missing(place))
        return ir.any_of(*tests)


def header_at(*places: ColumnSource | None) -> Header:
    """The header at a place, or where a message has no such key at the next one; without a place it is in no message.

    A typed column cannot tell a null value from an absent key: to it both are absent.
    """
    return Header(tuple(place for place in places if place is not None))


def _present(place: ColumnSource) -> ir.Predicate:
    if isinstance(place, TaggedUnion):
        return ir.IsNull(ir.Column((*place.path, "type"), STRING), negated=True)
    return at(place).present


def _missing(place: ColumnSource) -> ir.Predicate:
    if isinstance(place, TaggedUnion):
        return ir.IsNull(ir.Column((*place.path, "type"), STRING))
    return at(place).absent


def _is(place: ColumnSource, way: Way, compared: Compared) -> ir.Predicate:
    guard = _has_types(place, way.shown.types, way.shown.excluded)
    value = _read(place, way.shown.read)
    if guard == ir.FALSE or value is None:
        return ir.FALSE
    if way.last is not None:
        low, high = (ir.Constant(bound, BIGINT) for bound in (way.constant, way.last))
        return ir.all_of(guard, ir.Compare(Comparison.GE, value, low), ir.Compare(Comparison.LE, value, high))
    return ir.all_of(guard, ir.Compare(Comparison.EQ, value, compared(way)))


def _has_types(place: ColumnSource, types: tuple[ValueType, ...], excluded: bool) -> ir.Predicate:
    if not types:
        return ir.TRUE
    match place:
        case TaggedUnion(path=path):
            tag = ir.Column((*path, "type"), STRING)
            members = tuple(ir.constant(name) for name in sorted(found.value for found in types))
            if len(members) > 1:
                return ir.In(tag, members, negated=excluded)
            return ir.Compare(Comparison.NE if excluded else Comparison.EQ, tag, members[0])
        case TypedColumn(type=column_type):
            own = AMQP_TYPES[column_type.kind]
        case Derived(derivation=derivation):
            own = DERIVED_TYPES[derivation]
    symbol = own is AmqpType.STRING and AmqpType.SYMBOL in types
    return ir.TRUE if (own in types or symbol) is not excluded else ir.FALSE


def _read(place: ColumnSource, read: Read) -> ir.Value | None:
    """What is compared of the value at a place; None where it never has such a value."""
    values: list[ir.Value] = []
    operand = at(place)
    match read:
        case Read.TEXT:
            values = [item.value for item in operand.of(TypeClass.STRING)]
            simple = _has_types(place, _COMPOUNDS, True)
            for item in operand.of(TypeClass.BYTES):
                text = ir.Apply(ir.Function.TEXT_OF_BYTES, (item.value,), STRING)
                values.append(text if simple == ir.TRUE else ir.When(simple, text))
        case Read.NUMBER | Read.NUMBER_SECONDS:
            whole = _read(place, Read.SECONDS if read is Read.NUMBER_SECONDS else Read.INTEGER)
            values = [item.value for item in operand.of(TypeClass.FLOATING)]
            values += [] if whole is None else [to_double(whole)]
        case Read.SECONDS:
            for item in operand.of(TypeClass.INTEGER):
                is_time = _has_types(place, (AmqpType.TIMESTAMP,), False)
                if is_time != ir.FALSE:
                    seconds = ir.Apply(ir.Function.DIVIDE, (item.value, ir.constant(1000)), BIGINT)
                    values.append(seconds if is_time == ir.TRUE else ir.When(is_time, seconds))
                if is_time != ir.TRUE:
                    values.append(item.value)
        case Read.WIDENED:
            values = [to_double(item.value) for item in operand.of(TypeClass.INTEGER)]
        case _:
            values = [item.value for item in operand.alternatives if _BY_CLASS[item.type_class] is read]
    if not values:
        return None
    return values[0] if len(values) == 1 else ir.Apply(ir.Function.FIRST, tuple(values), values[0].type)


def headers(
    pairs: Iterable[tuple[Header, AmqpValue | None]], any_pair: bool, equality: Equality, wanted: bool = True
) -> ir.Predicate:
    """Where a message has, or does not have, all of some pairs, or one of them.

    No pairs at all: all of them are there in every message, one of them in none.
    """
    found = [pair(header, value, equality, wanted) for header, value in pairs]
    return ir.any_of(*found) if any_pair is wanted else ir.all_of(*found)


def pair(header: Header, value: AmqpValue | None, equality: Equality, wanted: bool = True) -> ir.Predicate:
    """Where a message has, or does not have, a header with that value; None, or a null, asks for the key alone."""
    if value is None or value.value is None:
        return header.present if wanted else header.missing
    found = header.equals(_ways(value, equality), _constant)
    return found if wanted else not_true(found)


def _constant(way: Way) -> ir.Value:
    return ir.Constant(way.constant, way.shown.read.type)
