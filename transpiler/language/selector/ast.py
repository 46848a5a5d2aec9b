"""The surface tree: what the user wrote, node by node, with its place in the text.

Nodes are frozen and slotted. Spans do not take part in equality, so two spellings of one selector are equal trees.
AND and OR hold all their terms, because people write chains of thousands and a deep tree would need deep walkers.
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
    """The arithmetic operators, by their spelling."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"

    @property
    def is_sum(self) -> bool:
        """Return True for ``+`` and ``-``, which bind looser than the others."""
        return self in (Arithmetic.ADD, Arithmetic.SUBTRACT)


@dataclass(frozen=True, slots=True)
class Identifier:
    """The name of a header field or a property; with a section, the name of one of its fields."""

    name: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)
    section: str | None = None


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string literal; ``value`` is without quotes, doubled quotes undone."""

    value: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IntegerLiteral:
    """An exact numeric literal, within 64 signed bits unless the dialect has larger ones."""

    value: int
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FloatLiteral:
    """An approximate numeric literal; one with the suffix ``f`` is already rounded to 32 bits."""

    value: float
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BooleanLiteral:
    """TRUE or FALSE."""

    value: bool
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NullLiteral:
    """NULL as an operand; only some dialects have it."""

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
    """``operand [NOT] BETWEEN low AND high``."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class In:
    """``operand [NOT] IN (members)``."""

    operand: Expression
    members: tuple[Expression, ...]
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """``operand [NOT] LIKE pattern [ESCAPE escape]``; ``pattern`` is the pattern value as written."""

    operand: Expression
    pattern: StringLiteral
    escape: StringLiteral | None = None
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    """``operand IS [NOT] NULL``."""

    operand: Expression
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments; the name counts as it is written."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BodyQuery:
    """``XPATH 'expression'`` or ``XQUERY 'expression'``: a test of the message's body."""

    language: str
    query: StringLiteral
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConvertStrings:
    """A whole selector with the prefix that lets its comparisons read numbers and booleans out of strings."""

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


#: The literals that every dialect has; some have two more.
PlainLiteral = StringLiteral | IntegerLiteral | FloatLiteral | BooleanLiteral
Literal = PlainLiteral | NullLiteral | BinaryLiteral
Test = Compare | Between | In | Like | IsNull | BodyQuery
Expression = Identifier | Literal | Sign | Calculate | Call | Test | Not | And | Or | ConvertStrings


#: The classes of literals.
LITERALS = (StringLiteral, IntegerLiteral, FloatLiteral, BooleanLiteral, NullLiteral, BinaryLiteral)


#: The fields with operands of each kind of node. A pattern, its escape and a query are no operands.
_PARTS = parts_of(get_args(Expression), "Expression")


def children(node: Expression) -> tuple[Expression, ...]:
    """The operands of a node, in the order in which they were written."""
    operands: list[Expression] = []
    for name, _, several in _PARTS[type(node)]:
        part = getattr(node, name)
        operands += part if several else (part,)
    return tuple(operands)


def bare_span(node: Expression, text: str) -> Span:
    """Return the place of a test in a selector's text without the parentheses around it.

    What takes the place of the whole span of a node leaves its parentheses out, in which a NOT before them ends.
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
    """Return a node with each of its operands exchanged by a function."""
    changed: dict[str, Any] = {}
    for name, _, several in _PARTS[type(node)]:
        part = getattr(node, name)
        changed[name] = tuple(map(change, part)) if several else change(part)
    return replace(node, **changed) if changed else node


#: The most frequent nodes without operands, which a walk passes over quickly.
_LEAVES = frozenset({Identifier, StringLiteral, IntegerLiteral, FloatLiteral, BooleanLiteral})


def walk(node: Expression) -> Iterator[Expression]:
    """The node and everything inside it, in the order of the text."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        if type(node) not in _LEAVES:
            pending.extend(children(node)[::-1])


def names_of(node: Expression) -> list[Identifier]:
    """The names in a tree, each once, in the order of the text."""
    return list(dict.fromkeys(inner for inner in walk(node) if isinstance(inner, Identifier)))
