"""Scanner for the literals of a selector, without parsing. The text without its literals is called the skeleton.

Programs write the same selector many times with different constants, so thousands of selectors have few skeletons. A
skeleton needs to be parsed only once. The scanner extracts strings and plain decimal numbers and skips everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from transpiler.base.source import Span
from transpiler.language.selector import ast
from transpiler.message.header_fields import HeaderFields

#: Matches the literals that ``scan`` extracts: strings, and plain decimal numbers except zero. It also matches words
#: and other numbers, in order to skip them. This pattern and ``_UNKNOWN`` begin with a character set, which Python's
#: engine finds faster.
_LITERALS = re.compile(
    r"""(['0-9]
    (?:(?<=')(?:[^']++|'')*+'
    |(?<![\w.$].)                                                     # Not inside a word or a longer number.
     (?:(?<=[1-9])[0-9]{0,17}                                         # An integer.
     |(?:(?<=0)(?!\.0+(?![0-9]))|(?<=[1-9])[0-9]{0,8})\.[0-9]{1,6})   # A float.
     (?![\w.$])))""",
    re.VERBOSE,
)

#: Matches the beginning of a quoted name or of a comment, for which ``scan`` leaves the text unchanged.
_UNKNOWN = re.compile(r'["\[\]`\x00/-](?:(?<![/-])|(?<=-)-|(?<=/)\*)')

#: The value of a scanned literal.
LiteralValue = str | int | float


class Scanned(NamedTuple):
    """A literal in the text of a selector: its kind (string, integer or float), its text and its end offset."""

    kind: str
    raw: str
    end: int

    @property
    def value(self) -> LiteralValue:
        """The value of the literal, without a sign before the literal."""
        return READERS[self.kind](self.raw)


def scan(text: str) -> tuple[str, list[str]]:
    """Replace each literal in ``text`` by a placeholder; return the skeleton (the new text) and the literals.

    If ``text`` contains a comment or a quoted name, return ``text`` unchanged and an empty list.
    """
    if _UNKNOWN.search(text):
        return text, []
    parts = _LITERALS.split(text)
    literals = parts[1::2]
    parts[1::2] = [_STRING if raw[0] == "'" else _FLOAT if "." in raw else _INTEGER for raw in literals]
    return "".join(parts), literals


def without_literals(text: str) -> str:
    """Return ``text`` with each literal replaced by a question mark.

    If ``text`` contains a comment or a quoted name, return it unchanged.
    """
    return text if _UNKNOWN.search(text) else _LITERALS.sub("?", text)


#: The placeholders of literals in a skeleton.
_STRING, _INTEGER, _FLOAT = "\x00s", "\x00i", "\x00f"

_KINDS = {mark[1]: kind for mark, kind in ((_STRING, "string"), (_INTEGER, "integer"), (_FLOAT, "float"))}


def locate(skeleton: str, literals: list[str]) -> list[Scanned]:
    """Return ``literals``, the result of ``scan``, with their kinds and their end offsets in the original text."""
    before, *others = skeleton.split("\x00")
    end = len(before)
    located: list[Scanned] = []
    for raw, other in zip(literals, others, strict=False):
        end += len(raw)
        located.append(Scanned(_KINDS[other[0]], raw, end))
        end += len(other) - 1
    return located


def text_of(raw: str) -> str:
    """Return the value of the string literal ``raw``."""
    return raw[1:-1].replace("''", "'")


#: For each kind of literal, the function that converts its text to its value.
READERS: Mapping[str, Callable[[str], LiteralValue]] = {"string": text_of, "integer": int, "float": float}

_NODES = {"string": ast.StringLiteral, "integer": ast.IntegerLiteral, "float": ast.FloatLiteral}


def literal_nodes(tree: ast.Expression, literals: list[Scanned]) -> dict[int, ast.PlainLiteral]:
    """Find the nodes of ``tree`` for the literals that ``scan`` found, by the index of the literal in ``literals``.

    For a negative number, the node is that of the number without the minus sign. The arguments of function calls and
    the queries of bodies are left out.
    """
    by_end = {literal.end: number for number, literal in enumerate(literals)}
    nodes: dict[int, ast.PlainLiteral] = {}
    for node in ast.walk(tree, without=(ast.Call, ast.BodyQuery)):
        if isinstance(node, ast.StringLiteral | ast.IntegerLiteral | ast.FloatLiteral):
            number = by_end.get(node.span.end)
            if number is not None and isinstance(node, _NODES[literals[number].kind]):
                value = literals[number].value
                if node.value == value or (not isinstance(value, str) and node.value == -value):
                    nodes[number] = node
    return nodes


def pattern_nodes(tree: ast.Expression, literals: list[Scanned]) -> dict[int, ast.Like]:
    """Return the LIKE nodes whose patterns are scanned literals, by the index of the literal in ``literals``."""
    by_end = {literal.end: number for number, literal in enumerate(literals)}
    return {
        by_end[node.pattern.span.end]: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Like) and node.pattern.span.end in by_end
    }


def id_literals(tree: ast.Expression, fields: HeaderFields) -> Iterator[Span]:
    """Yield the spans of the string literals that are compared with a JMS id."""
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
    """Return ``text`` in single quotes, with each quote inside doubled."""
    return "'" + text.replace("'", "''") + "'"
