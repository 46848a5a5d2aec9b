"""Scanner of a selector's literals, without parsing: the text without them is its skeleton, which few texts differ in.

A program writes one selector again and again with other constants. A parser that met the skeleton once need not read
the next text: the scanner takes out strings and plain decimal numbers, and passes over everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from transpiler.base.source import Span
from transpiler.language.selector import ast
from transpiler.message.header_fields import HeaderFields

#: Strings and plain decimal numbers but zero are taken out; words, and numbers of any other form, are passed over. Both
#: patterns begin with a set of characters, for which the engine searches without trying every alternative.
_LITERALS = re.compile(
    r"""(['0-9]
    (?:(?<=')(?:[^']++|'')*+'
    |(?<![\w.$].)                                                     # Not inside a word or a longer number.
     (?:(?<=[1-9])[0-9]{0,17}                                         # An integer.
     |(?:(?<=0)(?!\.0+(?![0-9]))|(?<=[1-9])[0-9]{0,8})\.[0-9]{1,6})   # A float.
     (?![\w.$])))""",
    re.VERBOSE,
)

#: Marks that begin something which the scanner does not know: quoted names, comments.
_UNKNOWN = re.compile(r'["\[\]`\x00/-](?:(?<![/-])|(?<=-)-|(?<=/)\*)')

#: A value of a scanned literal.
LiteralValue = str | int | float


class Scanned(NamedTuple):
    """A literal that the scanner took out: its kind (string, integer or float), its text, and where that ends."""

    kind: str
    raw: str
    end: int

    @property
    def value(self) -> LiteralValue:
        """The value as the text has it, a sign before it aside."""
        return READERS[self.kind](self.raw)


def scan(text: str) -> tuple[str, list[str]]:
    """Return the skeleton of a text, and its literals; all of the text, and none, where it has what is not known."""
    if _UNKNOWN.search(text):
        return text, []
    parts = _LITERALS.split(text)
    literals = parts[1::2]
    parts[1::2] = [_STRING if raw[0] == "'" else _FLOAT if "." in raw else _INTEGER for raw in literals]
    return "".join(parts), literals


def without_literals(text: str) -> str:
    """Return a text with a question mark in the place of each literal; all of it where it has what is not known."""
    return text if _UNKNOWN.search(text) else _LITERALS.sub("?", text)


#: The marks in a skeleton, in the places of literals.
_STRING, _INTEGER, _FLOAT = "\x00s", "\x00i", "\x00f"

_KINDS = {mark[1]: kind for mark, kind in ((_STRING, "string"), (_INTEGER, "integer"), (_FLOAT, "float"))}


def locate(skeleton: str, literals: list[str]) -> list[Scanned]:
    """Return the literals that a text was scanned into, with their kinds and places."""
    before, *others = skeleton.split("\x00")
    end = len(before)
    located: list[Scanned] = []
    for raw, other in zip(literals, others, strict=False):
        end += len(raw)
        located.append(Scanned(_KINDS[other[0]], raw, end))
        end += len(other) - 1
    return located


def text_of(raw: str) -> str:
    """Return the value of a string literal."""
    return raw[1:-1].replace("''", "'")


#: The reader of each kind of literal, from its text to its value.
READERS: Mapping[str, Callable[[str], LiteralValue]] = {"string": text_of, "integer": int, "float": float}

_NODES = {"string": ast.StringLiteral, "integer": ast.IntegerLiteral, "float": ast.FloatLiteral}


def literal_nodes(tree: ast.Expression, literals: list[Scanned]) -> dict[int, ast.PlainLiteral]:
    """Return the nodes of operands by the number of the literal that each is, a minus before a number aside."""
    by_end = {literal.end: number for number, literal in enumerate(literals)}
    nodes: dict[int, ast.PlainLiteral] = {}
    for node in _operands(tree):
        if isinstance(node, ast.StringLiteral | ast.IntegerLiteral | ast.FloatLiteral):
            number = by_end.get(node.span.end)
            if number is not None and isinstance(node, _NODES[literals[number].kind]):
                value = literals[number].value
                if node.value == value or (not isinstance(value, str) and node.value == -value):
                    nodes[number] = node
    return nodes


def _operands(node: ast.Expression) -> Iterator[ast.Expression]:
    """The nodes of a tree without those that a function or query is made with."""
    if isinstance(node, ast.Call | ast.BodyQuery):
        return
    yield node
    for child in ast.children(node):
        yield from _operands(child)


def pattern_nodes(tree: ast.Expression, literals: list[Scanned]) -> dict[int, ast.Like]:
    """Return the LIKEs by the number of the literal that is the pattern of each."""
    by_end = {literal.end: number for number, literal in enumerate(literals)}
    return {
        by_end[node.pattern.span.end]: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Like) and node.pattern.span.end in by_end
    }


def id_literals(tree: ast.Expression, fields: HeaderFields) -> Iterator[Span]:
    """Yield the places of the strings that are compared with the JMS text of an id."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, right=right):
                pairs = [(left, right), (right, left)]
            case ast.In(operand=operand, members=members):
                pairs = [(operand, member) for member in members]
            case _:
                pairs = []
        for name, other in pairs:
            if isinstance(name, ast.Identifier) and isinstance(other, ast.StringLiteral):
                field = fields.find(name.name, name.section)
                if field is not None and field.is_jms_id:
                    yield other.span


def string_literal(text: str) -> str:
    """Write a text as a string literal."""
    return "'" + text.replace("'", "''") + "'"
