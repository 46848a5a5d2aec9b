"""The rules of equality of message values, as data: the brokers' headers exchanges and the filter documents."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Numbers(Enum):
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

    numbers: Numbers = Numbers.APART
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
