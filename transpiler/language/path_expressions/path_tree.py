"""The tree of a path expression: sections 2 and 3 of XPath 1.0, which XQuery 1.0 extends.

Both languages of paths have this tree. Operators of one level are one node with many operands, so that a long
expression is not a deep one. A condition is an expression like any other: ``and``, ``or`` and the comparisons are
operators, and ``not`` is a function.

Invariants: spans are places in the text, in characters, and are no part of equality. The tree of a query has no
``Group``, and its paths start at ``Start.ROOT``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from transpiler.base.source import Span

_NOWHERE = Span(0, 0)

#: The operators between whole values.
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
#: The operators between conditions.
CONNECTIVES = ("or", "and")


class Start(Enum):
    """The node at which a path begins, if no expression yields that node."""

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

    @property
    def sign(self) -> str:
        """The first operator. It shows the level of all the operators."""
        return self.rest[0][0]

    @property
    def operands(self) -> tuple[Expression, ...]:
        """All operands, from left to right."""
        return (self.first, *(operand for _, operand in self.rest))


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
    """A variable, by its name without the ``$``: a header of the message in a query. A selector binds no variable."""

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
    """An axis by its name, a node test and predicates; ``descendants`` is the ``//`` before the step.

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


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all expressions inside it, the last part of each first, without recursion."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case Group(inner=inner) | Negation(operand=inner):
                waiting.append(inner)
            case Operation():
                waiting += node.operands
            case Union(parts=parts) | Call(arguments=parts):
                waiting += parts
            case Filtered(primary=primary, predicates=predicates):
                waiting += (primary, *predicates)
            case Path(start=start, steps=steps):
                if not isinstance(start, Start):
                    waiting.append(start)
                for step in steps:
                    waiting += step.predicates


def paths(expression: Expression) -> list[Path]:
    """The paths inside an expression without predicates, from left to right."""
    return [node for node in walk(expression) if isinstance(node, Path)][::-1]
