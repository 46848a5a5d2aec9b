"""Placeholders: constants that stand for a literal whose value the compiler may carry about, but never read.

A selector is compiled with placeholders in the places of its literals. If nothing read one, what came out holds for
any values, with the values in their places, exactly as a compilation of its own would give it. If a rule needs a value,
to calculate with it or to take a text apart, that raises, and there is no such form. A number may be compared with
constants that all its values are above, or all below.

Two placeholders stand for different values, and a placeholder for none of the constants beside it: whoever fills in
values sees to both. ``Placeholders.constants`` has the constants that a placeholder was compared with.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

#: Where a placeholder is written: its number, and how its value is to be written (as text, integer or double).
MARK = "\x00{}{}\x00"


class ValueNeededError(Exception):
    """A value was to be read, and only a placeholder is there."""


class Range(NamedTuple):
    """The numbers that a placeholder stands for, from ``low`` on and below ``high``: whole ones, or with fractions."""

    low: int
    high: int
    whole: bool = True


class Placeholders:
    """The placeholders of one compilation."""

    def __init__(self) -> None:
        self.constants: set[object] = set()

    def text(self, number: int) -> str:
        """The placeholder of a string."""
        return _Text(self, number)

    def integer(self, number: int, values: Range) -> int:
        """The placeholder of an integer."""
        return _Integer(self, number, values)

    def double(self, number: int, values: Range) -> float:
        """The placeholder of a double."""
        return _Double(self, number, values)


class _Placeholder:
    """The part of a placeholder that is not a builtin type's."""

    owner: Placeholders
    number: int
    form: str

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Placeholder):
            return self.number == other.number
        self.owner.constants.add(other)
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((_Placeholder, self.number))


class _Number(_Placeholder):
    """A number that is only known to be in a range, all above zero."""

    values: Range

    def _is_below(self, other: object) -> bool:
        """Return True if all values are below a number; none may be equal to it, or above it, unless all are."""
        if isinstance(other, _Placeholder) or not isinstance(other, int | float):
            raise ValueNeededError
        if other >= self.values.high:
            return True
        if other < self.values.low:
            return False
        raise ValueNeededError

    def __lt__(self, other: object) -> bool:
        return self._is_below(other)

    def __le__(self, other: object) -> bool:
        return self._is_below(other)

    def __gt__(self, other: object) -> bool:
        return not self._is_below(other)

    def __ge__(self, other: object) -> bool:
        return not self._is_below(other)

    def __abs__(self) -> Any:
        return self

    def __bool__(self) -> bool:
        return True

    def __ceil__(self) -> int:
        if not self.values.whole:
            raise ValueNeededError
        return self.owner.integer(self.number, self.values)

    __floor__ = __ceil__

    def is_integer(self) -> bool:
        return self.values.whole


class _Text(_Placeholder, str):
    form = "t"

    def __new__(cls, owner: Placeholders, number: int) -> _Text:
        made = str.__new__(cls, f"\x01{number}\x01")
        made.owner, made.number = owner, number
        return made


class _Integer(_Number, int):
    form = "i"

    def __new__(cls, owner: Placeholders, number: int, values: Range) -> _Integer:
        made = int.__new__(cls, 1_618_033_000 + number)
        made.owner, made.number, made.values = owner, number, values
        return made


class _Double(_Number, float):
    form = "d"

    def __new__(cls, owner: Placeholders, number: int, values: Range) -> _Double:
        made = float.__new__(cls, 1_618_033_000.25 + number)
        made.owner, made.number, made.values = owner, number, values
        return made


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise ValueNeededError


#: What an object has that does not read a value.
_HARMLESS = frozenset(
    "__class__ __new__ __init__ __init_subclass__ __subclasshook__ __getattribute__ __setattr__ __delattr__ __dir__"
    " __doc__ __eq__ __ne__ __hash__ __reduce__ __reduce_ex__ __getstate__ __sizeof__".split()
)
for _kind, _builtin in ((_Text, str), (_Integer, int), (_Double, float)):
    for _name in dir(_builtin):
        if _name not in _HARMLESS and getattr(_kind, _name) is getattr(_builtin, _name):
            setattr(_kind, _name, _refuse)


def is_placeholder(value: object) -> bool:
    """Return True for a placeholder."""
    return isinstance(value, _Placeholder)


def mark_of(value: object) -> str | None:
    """Return the mark of a placeholder; None for any other value."""
    return MARK.format(value.number, value.form) if isinstance(value, _Placeholder) else None


def content_of(placeholder: object) -> str:
    """Return what SQL would have if the value of a placeholder had been read all the same."""
    match placeholder:
        case _Text():
            return str.__str__(placeholder)
        case _Integer():
            return int.__repr__(placeholder)
        case _Double():
            return float.__repr__(placeholder)
        case _:
            raise TypeError(placeholder)


def as_float(number: bool | int | float) -> float:
    """Return a number as a double; for the placeholder of an integer, the placeholder of the double."""
    match number:
        case _Integer():
            return number.owner.double(number.number, number.values)
        case _Double():
            return number
        case _:
            return float(number)
