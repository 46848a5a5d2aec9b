"""The tree of a path expression: sections 2 and 3 of XPath 1.0, which XQuery 1.0 extends.

XPath and XQuery share this tree. All operators of one precedence level form one node with many operands, so that a
long expression does not make a deep tree. A condition is an expression like any other: ``and``, ``or`` and the
comparisons are operators, and ``not`` is a function.

Invariants: spans count characters and do not take part in equality. The tree of an XQuery has no ``Group``, and its
paths start at ``Start.ROOT``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from transpiler.base.source import Span

_NOWHERE = Span(0, 0)

#: The comparison operators.
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
#: The logical operators.
CONNECTIVES = ("or", "and")


class Start(Enum):
    """The start of a path that begins at the root or at the context node, not at the nodes of an expression."""

    ROOT = "/"
    CONTEXT = "."


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal string or number in a path expression."""

    value: str | float
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """An expression in parentheses."""

    inner: Expression
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """The negative of a number: an expression with a minus before it."""

    operand: Expression
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """A chain of operators of the same precedence with their operands, from left to right, as in ``a - b + c``."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    span: Span = field(default=_NOWHERE, compare=False)

    @property
    def sign(self) -> str:
        """The first operator, which determines the precedence level of the whole chain."""
        return self.rest[0][0]

    @property
    def operands(self) -> tuple[Expression, ...]:
        """All operands, from left to right."""
        return (self.first, *(operand for _, operand in self.rest))


@dataclass(frozen=True, slots=True)
class Union:
    """The union of node sets: expressions with ``|`` between them."""

    parts: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function. The parser does not check the function's name and arguments."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, by its name without the ``$``.

    In a query of an XML exchange, it is a header of the message. In an XPath of a selector, no variable can have a
    value.
    """

    name: str
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Filtered:
    """A constant, a call or a group, followed by predicates in brackets, such as ``f(x)[1]``."""

    primary: Expression
    predicates: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a path: an axis, a node test and predicates.

    ``axis`` is the unabbreviated name of the axis. ``test`` is a name as it is written, ``*``, ``p:*``, or a node type
    with its parentheses, such as ``text()``. ``descendants`` is True if ``//`` stands before the step.
    """

    descendants: bool
    axis: str
    test: str
    predicates: tuple[Expression, ...] = ()
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Path:
    """A sequence of steps that starts at the root, at the context node, or at the nodes that an expression yields."""

    start: Start | Expression
    steps: tuple[Step, ...]
    span: Span = field(default=_NOWHERE, compare=False)


Expression = Constant | Group | Negation | Operation | Union | Call | Variable | Filtered | Path


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield ``expression`` and every expression inside it, without recursion.

    An expression comes before its subexpressions, which come in reverse order.
    """
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
    """Return the paths inside ``expression``, from left to right. The paths must not have predicates."""
    return [node for node in walk(expression) if isinstance(node, Path)][::-1]


def is_string(expression: Expression) -> bool:
    """Return True if ``expression`` is a string literal."""
    return isinstance(expression, Constant) and isinstance(expression.value, str)
