"""Sets of the values that a property may have: by type, closed under union, intersection and complement.

A value is missing, a boolean, an integer, a floating point number, a string, or of another type (bytes, mostly).
Integers and floating point numbers are kept apart, for brokers compare them by different rules; so is -0.0 from 0.0,
and NaN. Each component is a sorted union of intervals, so that an operation on n sets of constant size takes
O(n log n) time.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from transpiler.selector import ast
from transpiler.selector.integer_sets import Ranges, joined

#: The integers of every dialect: 64 bits, signed and unsigned.
LEAST, GREATEST = -(2**63), 2**64 - 1
_BITS = struct.Struct(">d")
_INTEGER_BITS = struct.Struct(">q")

#: Strings as half-open intervals in the order of code points; None is above all strings.
Strings = tuple[tuple[str, str | None], ...]


def ordinal(value: float) -> int:
    """Return the rank of a floating point number other than NaN; -0.0 ranks directly below 0.0."""
    bits: int = _INTEGER_BITS.unpack(_BITS.pack(value))[0]
    return bits if bits >= 0 else -(bits + 2**63) - 1


def float_at(rank: int) -> float:
    """Return the floating point number of a rank: the inverse of ``ordinal``."""
    value: float = _BITS.unpack(_INTEGER_BITS.pack(rank if rank >= 0 else -(rank + 1) - 2**63))[0]
    return value


FIRST, LAST = ordinal(-math.inf), ordinal(math.inf)


class ValueSet(NamedTuple):
    """A set of values; ``floats`` are ranges of ordinals, without NaN."""

    missing: bool = False
    false: bool = False
    true: bool = False
    integers: Ranges = ()
    floats: Ranges = ()
    nan: bool = False
    strings: Strings = ()
    others: bool = False

    @property
    def is_empty(self) -> bool:
        """Return True if the set has no value."""
        return self == NOTHING

    def has(self, value: bool | int | float | str | bytes | None) -> bool:
        """Return True if the set has a value; None is a missing one, and bytes stand for all other types."""
        match value:
            case None:
                return self.missing
            case bool():
                return self.true if value else self.false
            case int():
                return any(low <= value <= high for low, high in self.integers)
            case float():
                if math.isnan(value):
                    return self.nan
                return any(low <= ordinal(value) <= high for low, high in self.floats)
            case str():
                return any(low <= value and (high is None or value < high) for low, high in self.strings)
            case bytes():
                return self.others

    @property
    def complement(self) -> ValueSet:
        """All other values."""
        return ValueSet(
            not self.missing,
            not self.false,
            not self.true,
            _gaps(self.integers, LEAST, GREATEST),
            _gaps(self.floats, FIRST, LAST),
            not self.nan,
            _string_gaps(self.strings),
            not self.others,
        )


NOTHING = ValueSet()
EVERYTHING = ValueSet(True, True, True, ((LEAST, GREATEST),), ((FIRST, LAST),), True, (("", None),), True)
BOOLEANS = ValueSet(false=True, true=True)
NUMBERS = ValueSet(integers=EVERYTHING.integers, floats=EVERYTHING.floats, nan=True)
ALL_STRINGS = ValueSet(strings=EVERYTHING.strings)
MISSING, OTHERS = ValueSet(missing=True), ValueSet(others=True)


def union(sets: Sequence[ValueSet]) -> ValueSet:
    """Return the values that are in any of the sets."""
    return ValueSet(
        any(one.missing for one in sets),
        any(one.false for one in sets),
        any(one.true for one in sets),
        joined(pair for one in sets for pair in one.integers),
        joined(pair for one in sets for pair in one.floats),
        any(one.nan for one in sets),
        _joined_strings(pair for one in sets for pair in one.strings),
        any(one.others for one in sets),
    )


def intersection(sets: Sequence[ValueSet]) -> ValueSet:
    """Return the values that are in all of the sets."""
    return sets[0] if len(sets) == 1 else union([one.complement for one in sets]).complement


def is_subset(part: ValueSet, whole: ValueSet) -> bool:
    """Return True if every value of the first set is in the second."""
    return intersection([part, whole.complement]).is_empty


def texts(values: Iterable[str]) -> ValueSet:
    """Return a set of finitely many strings: no string lies between one and itself with a NUL appended."""
    return ValueSet(strings=_joined_strings((value, value + "\0") for value in values))


def prefixed(prefix: str) -> ValueSet:
    """Return the set of strings that begin with a prefix."""
    above = prefix.rstrip("\U0010ffff")
    return ValueSet(strings=((prefix, above[:-1] + chr(ord(above[-1]) + 1) if above else None),))


def integers_from(holds: Callable[[int], bool]) -> int:
    """Return the least integer for which a monotone predicate holds, or one more than the greatest."""
    low, high = LEAST, GREATEST + 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def comparable(operator: ast.Comparison, value: int | float, exact: bool, total: bool) -> ValueSet:
    """Return the numbers for which a comparison with a number holds; any operator but ``<>``.

    An integer is compared with a floating point number by their exact values, or as a double. In the total order of
    Java's ``compareTo``, -0.0 is below 0.0 and NaN above all numbers; else the order is that of IEEE 754.
    """
    if isinstance(value, int):
        start, behind = value, value + 1
    elif exact:
        start, behind = integers_from(lambda one: one >= value), integers_from(lambda one: one > value)
    else:
        start, behind = integers_from(lambda one: float(one) >= value), integers_from(lambda one: float(one) > value)
    if value == 0 and str(value).startswith("-") and total:
        # It is below the zero that an integer becomes.
        behind = start
    integers = _holding(operator, start, behind - 1, LEAST, GREATEST)
    nearest = float(value)
    place = ordinal(nearest)
    if exact and nearest != value:
        # No floating point number equals it.
        first, last = (place + 1, place) if nearest < value else (place, place - 1)
    elif nearest == 0 and not total:
        first, last = ordinal(-0.0), ordinal(0.0)
    else:
        first = last = place
    floats = _holding(operator, first, last, FIRST, LAST)
    above_all = total and operator in (ast.Comparison.GT, ast.Comparison.GE)
    return ValueSet(integers=integers, floats=floats, nan=above_all)


def _holding(operator: ast.Comparison, first: int, last: int, low: int, high: int) -> Ranges:
    """Return the numbers from ``low`` to ``high`` for which a comparison holds; ``first`` to ``last`` compare equal."""
    match operator:
        case ast.Comparison.EQ:
            interval = (first, last)
        case ast.Comparison.LT:
            interval = (low, first - 1)
        case ast.Comparison.LE:
            interval = (low, last)
        case ast.Comparison.GT:
            interval = (last + 1, high)
        case _:
            interval = (first, high)
    return joined([interval])


def _gaps(ranges: Ranges, low: int, high: int) -> Ranges:
    gaps = []
    for start, end in ranges:
        if low < start:
            gaps.append((low, start - 1))
        low = end + 1
    if low <= high:
        gaps.append((low, high))
    return tuple(gaps)


def _joined_strings(intervals: Iterable[tuple[str, str | None]]) -> Strings:
    merged: list[tuple[str, str | None]] = []
    for low, high in sorted(intervals, key=lambda pair: pair[0]):
        if merged:
            before = merged[-1][1]
            if before is None:
                break
            if low <= before:
                merged[-1] = merged[-1][0], None if high is None else max(before, high)
                continue
        merged.append((low, high))
    return tuple(merged)


def _string_gaps(strings: Strings) -> Strings:
    gaps: list[tuple[str, str | None]] = []
    low: str | None = ""
    for start, end in strings:
        if low is not None and low < start:
            gaps.append((low, start))
        low = end
    if low is not None:
        gaps.append((low, None))
    return tuple(gaps)
