"""Headers bindings as conditions: key-value pairs that a message's application properties are asked for.

A binding accepts a message or does not, so what is lowered for FALSE is the complement of what is lowered for TRUE.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transpiler.analysis.comparison import compare_values, not_true
from transpiler.analysis.operands import MISSING, Operand, at
from transpiler.layouts.columns import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, Location, TaggedUnion
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpValue, TypeClass, coerce
from transpiler.predicate.core import FALSE, Column, Constant, IsNull, Predicate, all_of, any_of
from transpiler.selector.ast import Comparison

_TYPES = {
    TypeClass.BOOLEAN: BOOLEAN,
    TypeClass.INTEGER: BIGINT,
    TypeClass.FLOATING: DOUBLE,
    TypeClass.STRING: STRING,
    TypeClass.BYTES: BINARY,
}


@dataclass(frozen=True, slots=True)
class Header:
    """What a message has at a key: its value, and where the key is there at all, be it with a null value."""

    operand: Operand
    present: Predicate
    missing: Predicate


def header_at(location: Location | None) -> Header:
    """The header at a place; one without a place is in no message.

    A typed column cannot tell a null value from an absent key: to it both are absent.
    """
    if location is None:
        return Header(MISSING, MISSING.present, MISSING.absent)
    operand = at(location)
    if isinstance(location, TaggedUnion):
        tag = Column((*location.path, "type"), STRING)
        return Header(operand, IsNull(tag, negated=True), IsNull(tag))
    return Header(operand, operand.present, operand.absent)


def headers(pairs: Iterable[tuple[Header, AmqpValue | None]], any_pair: bool, wanted: bool = True) -> Predicate:
    """Where a message has, or does not have, all of some pairs, or one of them.

    No pairs at all: all of them are there in every message, one of them in none.
    """
    found = [pair(header, value, wanted) for header, value in pairs]
    return any_of(*found) if any_pair is wanted else all_of(*found)


def pair(header: Header, value: AmqpValue | None, wanted: bool = True) -> Predicate:
    """Where a message has, or does not have, a header with that value; None, or a null, asks for the key alone.

    Values are equal within a class of the coercion table: integers of all widths with each other, floating point
    numbers with each other, but 1 is not 1.0, and no string is a number.
    """
    if value is None or value.value is None:
        return header.present if wanted else header.missing
    found = equals(header.operand, value)
    return found if wanted else not_true(found)


def equals(operand: Operand, value: AmqpValue, *, across_numbers: bool = False) -> Predicate:
    """Where an operand has a value of the same class and equal to it.

    ``across_numbers`` compares integers with floating point numbers too, as doubles.
    """
    own = TYPE_CLASS[COERCION[value.type]]
    text = coerce(value)
    if text is None:
        return FALSE
    wanted = Constant(text, _TYPES[own])
    return any_of(
        *(
            all_of(item.guard, compare_values(Comparison.EQ, item.value, wanted, True))
            for item in operand.alternatives
            if item.type_class is own or (across_numbers and item.type_class.numeric and own.numeric)
        )
    )
