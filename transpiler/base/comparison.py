"""The six comparison operators, which selectors, filters, columns and constants share."""

from __future__ import annotations

from transpiler.base.identity_enum import IdentityEnum


class Comparison(IdentityEnum):
    """A comparison operator of Jakarta Messaging 3.8.1.2. The value of a member is its spelling."""

    EQ = "="
    NE = "<>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    def __init__(self, spelling: str) -> None:
        #: True for ``=`` and ``<>``, the two operators that strings and booleans allow.
        self.is_equality = spelling in ("=", "<>")

    @property
    def negated(self) -> Comparison:
        """The operator that is true exactly if this operator is false."""
        return _NEGATED[self]

    @property
    def mirrored(self) -> Comparison:
        """The operator that gives the same result when the two operands are exchanged, such as ``>`` for ``<``."""
        return _MIRRORED[self]


_NEGATED = {
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
    Comparison.LT: Comparison.GE,
    Comparison.GE: Comparison.LT,
    Comparison.GT: Comparison.LE,
    Comparison.LE: Comparison.GT,
}
_MIRRORED = {
    Comparison.EQ: Comparison.EQ,
    Comparison.NE: Comparison.NE,
    Comparison.LT: Comparison.GT,
    Comparison.GT: Comparison.LT,
    Comparison.LE: Comparison.GE,
    Comparison.GE: Comparison.LE,
}
