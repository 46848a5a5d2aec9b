"""The nodes of an XQuery in the subset that a binding of an XML exchange may have here.

A query is a condition on the message: paths into its body, headers as external variables, comparisons, and/or/not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from transpiler.base.source import Span

Comparison = Literal["=", "!=", "<", "<=", ">", ">="]
Operator = Literal["+", "-", "*", "div"]


class Step(Enum):
    """The axis of a step of a path."""

    CHILD = "/"
    DESCENDANT = "//"


@dataclass(frozen=True, slots=True)
class Path:
    """Elements by name (``*`` is any) below the document, and at the end perhaps an attribute or the text inside.

    Names are local names: Spark's XPath looks at no namespaces.
    """

    steps: tuple[tuple[Step, str], ...]
    attribute: str | None = None
    text: bool = False
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A header of the message."""

    name: str
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A string literal."""

    value: str
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric literal, as a double."""

    value: float
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Calculate:
    """Arithmetic on numbers in the body and literals."""

    operator: Operator
    left: Operand
    right: Operand
    span: Span = field(default=Span(0, 0), compare=False)


Operand = Path | Variable | Text | Number | Calculate


@dataclass(frozen=True, slots=True)
class Compare:
    """A general comparison: it holds where it does for some item on the left and some item on the right."""

    operator: Comparison
    left: Operand
    right: Operand
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """A path that leads somewhere, or a header whose value counts as true."""

    operand: Path | Variable
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Always:
    """``true()`` or ``false()``."""

    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    """``not(…)``."""

    operand: Condition


@dataclass(frozen=True, slots=True)
class And:
    """All conditions hold."""

    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """A condition holds."""

    terms: tuple[Condition, ...]


Condition = Compare | Exists | Always | Not | And | Or


def paths(operand: Operand) -> Iterator[Path]:
    """The paths inside an operand."""
    match operand:
        case Path():
            yield operand
        case Calculate(left=left, right=right):
            yield from paths(left)
            yield from paths(right)
        case _:
            return


def reads_body(condition: Condition) -> bool:
    """Return True if a condition reads the body, which then must be XML."""
    match condition:
        case Compare(left=left, right=right):
            return any(True for side in (left, right) for _ in paths(side))
        case Exists(operand=operand):
            return isinstance(operand, Path)
        case Not(operand=inner):
            return reads_body(inner)
        case And(terms=terms) | Or(terms=terms):
            return any(reads_body(term) for term in terms)
        case Always():
            return False
