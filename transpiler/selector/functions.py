"""The functions that selectors call: how many arguments each takes, and what a call is.

They are those of ActiveMQ; the ``UTC()`` of the SQL filter is none of them, for it reads the clock. What a function
answers is in ``reference.text``, its SQL in ``lowering.functions``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Function(NamedTuple):
    """Arity of a function: the least and the most arguments; None for any number.

    A call of one that ``is_condition`` stands where conditions do, and no comparison is needed.
    """

    least: int
    most: int | None
    is_condition: bool = False


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "REGEX": Function(2, 2, is_condition=True),
        "INLIST": Function(2, 2, is_condition=True),
        "MAKELIST": Function(1, None),
        "SPLIT": Function(2, 3),
        "REPLACE": Function(3, 3),
    }
)


def is_condition(function: str) -> bool:
    """Return True if a call of a function of that name is a condition."""
    return function in FUNCTIONS and FUNCTIONS[function].is_condition
