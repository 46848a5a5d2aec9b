"""The surface tree: the syntax of the selector as the user wrote it; every node has its span in the text.

Nodes are frozen and slotted. Comparisons of nodes ignore spans, so two spellings of one selector are equal trees. An
AND or OR contains all terms of its chain, because binary trees of the thousands of terms that users write would be too
deep for recursive functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, get_args

from transpiler.base.comparison import Comparison
from transpiler.base.source import Span
from transpiler.base.tree_nodes import parts_of

_NOWHERE = Span(0, 0)


class Arithmetic(Enum):
    """The arithmetic operators; the value is the spelling."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"

    @property
    def is_sum(self) -> bool:
        """True for ``+`` and ``-``, which have a lower precedence than the other operators."""
        return self in (Arithmetic.ADD, Arithmetic.SUBTRACT)


@dataclass(frozen=True, slots=True)
class Identifier:
    """The name of a header field or property.

    If ``section`` is not None, the name of a field of that section of the message, such as ``properties``.
    """

    name: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)
    section: str | None = None


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string literal; ``value`` is the text without the quotes around it, with doubled quotes replaced by one."""

    value: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IntegerLiteral:
    """An exact numeric literal. It is a signed 64-bit integer, except in dialects that allow larger integers."""

    value: int
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FloatLiteral:
    """An approximate numeric literal. If the literal has the suffix ``f``, ``value`` is already rounded to 32 bits."""

    value: float
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BooleanLiteral:
    """The literal TRUE or FALSE."""

    value: bool
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NullLiteral:
    """The literal NULL as an operand, which only some dialects have."""

    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BinaryLiteral:
    """A binary string of the SQL filter, ``0xCAFE``."""

    value: bytes
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sign:
    """A unary plus or minus."""

    operator: Arithmetic
    operand: Expression
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Calculate:
    """A binary arithmetic expression."""

    operator: Arithmetic
    left: Expression
    right: Expression
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two operands."""

    operator: Comparison
    left: Expression
    right: Expression
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between:
    """The test ``operand [NOT] BETWEEN low AND high``."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class In:
    """The test ``operand [NOT] IN (members)``."""

    operand: Expression
    members: tuple[Expression, ...]
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """The test ``operand [NOT] LIKE pattern [ESCAPE escape]``; ``pattern`` is the pattern value before parsing."""

    operand: Expression
    pattern: StringLiteral
    escape: StringLiteral | None = None
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    """The test ``operand IS [NOT] NULL``."""

    operand: Expression
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """The call of a function; function names are case-sensitive."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BodyQuery:
    """The test ``XPATH 'expression'`` or ``XQUERY 'expression'`` of the message's body."""

    language: str
    query: StringLiteral
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConvertStrings:
    """A whole selector with the prefix ``convert_string_expressions:``.

    With this prefix, comparisons convert strings to numbers and booleans.
    """

    condition: Expression
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """A negated condition."""

    operand: Expression
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction of two or more conditions, none of which is itself a conjunction."""

    terms: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction of two or more conditions, none of which is itself a disjunction."""

    terms: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


#: The literals that every dialect has. ``Literal`` adds NULL and binary strings, which only some dialects have.
PlainLiteral = StringLiteral | IntegerLiteral | FloatLiteral | BooleanLiteral
Literal = PlainLiteral | NullLiteral | BinaryLiteral
Test = Compare | Between | In | Like | IsNull | BodyQuery
Expression = Identifier | Literal | Sign | Calculate | Call | Test | Not | And | Or | ConvertStrings


#: The classes of ``Literal``, for ``isinstance``.
LITERALS = (StringLiteral, IntegerLiteral, FloatLiteral, BooleanLiteral, NullLiteral, BinaryLiteral)


#: For each class of nodes, the fields that contain operands. The pattern and the escape of LIKE are texts, not
#: operands.
_PARTS = parts_of(get_args(Expression), "Expression")


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the operands of ``node``, in the order of the text."""
    operands: list[Expression] = []
    for name, _, several in _PARTS[type(node)]:
        part = getattr(node, name)
        operands += part if several else (part,)
    return tuple(operands)


def bare_span(node: Expression, text: str) -> Span:
    """Return the span of the test ``node`` in ``text``, without the parentheses around the whole test.

    A fix replaces only this span. It keeps the parentheses because, without them, a NOT before them would negate less.
    """
    start, end = node.span
    while text[start] == "(" and start < children(node)[0].span.start:
        start += 1
        end -= 1
        while text[start].isspace():
            start += 1
        while text[end - 1].isspace():
            end -= 1
    return Span(start, end)


def exchanged(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return a copy of ``node`` whose operands are replaced by ``change(operand)``. Nested operands are not changed."""
    changed: dict[str, Any] = {}
    for name, _, several in _PARTS[type(node)]:
        part = getattr(node, name)
        changed[name] = tuple(map(change, part)) if several else change(part)
    return replace(node, **changed) if changed else node


#: Classes of nodes that have no operands. ``walk`` yields such nodes without looking for operands, to save time.
_LEAVES = frozenset({Identifier, StringLiteral, IntegerLiteral, FloatLiteral, BooleanLiteral})


def walk(node: Expression, without: tuple[type[Expression], ...] = ()) -> Iterator[Expression]:
    """Yield ``node`` and all nodes inside it, in the order of the text.

    Nodes of the classes ``without`` are skipped, with everything inside them.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, without):
            continue
        yield node
        if type(node) not in _LEAVES:
            pending.extend(children(node)[::-1])


def names_of(node: Expression) -> list[Identifier]:
    """Return the distinct names in the tree ``node``, in the order of the text."""
    return list(dict.fromkeys(inner for inner in walk(node) if isinstance(inner, Identifier)))
