"""The nodes of an XPath expression: sections 2 and 3 of the recommendation of 1999.

What is repeated on one level is one node of many parts, so that a long expression is no deep one. Spans are places in
the text, in characters, and no part of equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from transpiler.base.source import Span

_NOWHERE = Span(0, 0)


class Start(Enum):
    """The node at which a path begins, where no expression yields it."""

    ROOT = "/"
    CONTEXT = "."


@dataclass(frozen=True, slots=True)
class Constant:
    """A string or a number."""

    value: str | float
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """An expression in parentheses."""

    inner: Expression
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """A minus before an expression."""

    operand: Expression
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """Operators of one level between expressions, from left to right: ``a - b + c``."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    """Sets of nodes with ``|`` between them."""

    parts: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of any name with any arguments."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, by its name without the ``$``; a selector binds none."""

    name: str
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Filtered:
    """A constant, a call or a group with predicates."""

    primary: Expression
    predicates: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """An axis by its name, a node test and predicates; ``descendants`` is the ``//`` before it.

    ``test`` is a name as it is written, ``*``, ``p:*``, or the type of a node with its parentheses, as ``text()``.
    """

    descendants: bool
    axis: str
    test: str
    predicates: tuple[Expression, ...] = ()
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the root, the context, or the nodes that an expression yields."""

    start: Start | Expression
    steps: tuple[Step, ...]
    span: Span = field(default=_NOWHERE, compare=False)


Expression = Constant | Group | Negation | Operation | Union | Call | Variable | Filtered | Path
