"""From the text of a selector to a pattern and its constants, quickly: a text is parsed once for its spelling.

A million selectors have few spellings once their literals are taken out. The scanner takes them out, the first text
of a spelling goes through the parser and the lowering, with parameters in place of its literals, and the next ones
bring their constants only. A parameter is a column to the lowering, so what it makes holds for every constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from transpiler.analysis.lowering import Lowering
from transpiler.analysis.names import Missing, Names, is_id
from transpiler.layouts.columns import BIGINT, DOUBLE, STRING
from transpiler.layouts.layout import Layout
from transpiler.message.ids import canonical
from transpiler.optimizer import optimize
from transpiler.predicate.core import (
    TRUE,
    Apply,
    Column,
    Compare,
    Function,
    IsNan,
    Like,
    Predicate,
    Truth,
    Value,
    all_of,
    any_of,
    constant,
)
from transpiler.predicate.walk import rebuild
from transpiler.routing.shapes import Parameter, parameter, parameter_number
from transpiler.selector import ast
from transpiler.selector.pattern import Wildcard, read_pattern
from transpiler.source import Source, Span

#: Parses and checks a selector.
Parse = Callable[[str], ast.Expression | None]

#: Strings and plain decimal numbers are taken out; words, and numbers of any other form, are passed over.
_LITERALS = re.compile(
    r"""(?P<string>'(?:[^']|'')*')
    |[^\W\d][\w$]*
    |(?P<float>(?<![\w.$])(?:0|[1-9][0-9]{0,8})\.[0-9]{1,6}(?![\w.$]))
    |(?P<integer>(?<![\w.$])[1-9][0-9]{0,17}(?![\w.$]))
    |[\w.$]+""",
    re.VERBOSE,
)

#: Marks that begin something which the scanner does not know: quoted names, comments.
_UNKNOWN = re.compile(r'["\[\]`\x00]|--|/\*')

_TYPES = {"string": STRING, "integer": BIGINT, "float": DOUBLE}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A condition over parameters; the numbers of a text's literals that they stand for, and how they are read."""

    predicate: Predicate
    read: tuple[tuple[int, Callable[[str], Parameter]], ...]


#: Which literals of a spelling must stay what they are, and which are patterns of LIKE.
@dataclass(frozen=True, slots=True)
class _Spelling:
    fixed: tuple[int, ...]
    patterns: tuple[int, ...]


class Selectors:
    """The patterns of selectors over one layout."""

    def __init__(self, layout: Layout, parse: Parse, missing: Missing) -> None:
        self._layout = layout
        self._parse = parse
        self._missing = missing
        self._spellings: dict[str, _Spelling] = {}
        self._patterns: dict[tuple[str, ...], Pattern] = {}

    def pattern(self, text: str) -> tuple[Pattern, tuple[Parameter, ...]]:
        """The pattern of a selector, one object for all of a spelling, and this text's constants.

        Raises what parsing and lowering raise, for the first text of a spelling.
        """
        skeleton, found = _scan(text)
        spelling = self._spellings.get(skeleton)
        if spelling is None:
            spelling = self._spellings[skeleton] = self._spell(text, found)
        key = (
            skeleton,
            *(found[number][1] for number in spelling.fixed),
            *(_form(found[number][1]) for number in spelling.patterns),
        )
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = self._lower(text, found)
        return pattern, tuple(read(found[number][1]) for number, read in pattern.read)

    def _spell(self, text: str, found: list[_Found]) -> _Spelling:
        tree = self._parse(text)
        literals, patterns = _known(tree, found), _patterns(tree, found)
        numbers = range(len(found))
        return _Spelling(
            tuple(number for number in numbers if number not in literals and number not in patterns),
            tuple(number for number in numbers if number in patterns),
        )

    def _lower(self, text: str, found: list[_Found]) -> Pattern:
        tree = self._parse(text)
        if tree is None:
            return Pattern(TRUE, ())
        literals, patterns = _known(tree, found), _patterns(tree, found)
        reads: dict[int, Callable[[str], Parameter]] = {}
        columns: dict[Span, Column] = {}
        ids = set(_ids(tree))
        for number, (kind, raw, end) in enumerate(found):
            if number in literals:
                node = literals[number]
                read = _READ[kind] if node.value == _READ[kind](raw) else _NEGATIVE[kind]
                if node.span in ids:
                    read = _id
            elif number in patterns and _form(raw) != raw:
                node, read = patterns[number], _fixed_part
            else:
                continue
            assert node.span.end == end
            columns[node.span] = parameter(len(reads), _TYPES[kind])
            reads[number] = read
        source = Source(text)
        lowering = _Parameters(Names(self._layout, self._missing, source), source, columns)
        return Pattern(optimize(_numbers_only(lowering.selector(tree))), tuple(reads.items()))


def _numbers_only(predicate: Predicate) -> Predicate:
    """The predicate, knowing that no literal is NaN."""
    if isinstance(predicate, IsNan) and parameter_number(predicate.value) is not None:
        return Truth(predicate.negated)
    return rebuild(predicate, _numbers_only, lambda value: value)


#: A literal that the scanner took out: its kind, its text, and where it ends.
_Found = tuple[str, str, int]


def _scan(text: str) -> tuple[str, list[_Found]]:
    """The text without its literals, and the literals."""
    if _UNKNOWN.search(text):
        return text, []
    found: list[_Found] = []
    skeleton: list[str] = []
    at = 0
    for match in _LITERALS.finditer(text):
        kind = match.lastgroup
        if kind is None or (kind == "float" and not float(match[0])):
            continue
        found.append((kind, match[0], match.end()))
        skeleton.append(text[at : match.start()])
        skeleton.append("\x00" + kind[0])
        at = match.end()
    skeleton.append(text[at:])
    return "".join(skeleton), found


def _known(tree: ast.Expression | None, found: list[_Found]) -> dict[int, ast.PlainLiteral]:
    """The literals of the tree that are what the scanner saw, a sign before a number aside."""
    by_end = {end: number for number, (_, _, end) in enumerate(found)}
    known: dict[int, ast.PlainLiteral] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.StringLiteral | ast.IntegerLiteral | ast.FloatLiteral):
            number = by_end.get(node.span.end)
            if number is not None:
                kind, raw, _ = found[number]
                if isinstance(node, _NODES[kind]) and node.value in (_READ[kind](raw), _NEGATIVE[kind](raw)):
                    known[number] = node
    return known


def _patterns(tree: ast.Expression | None, found: list[_Found]) -> dict[int, ast.StringLiteral]:
    """The patterns of LIKE without an escape character."""
    by_end = {end: number for number, (_, _, end) in enumerate(found)}
    return {
        by_end[node.pattern.span.end]: node.pattern
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Like) and node.escape is None and node.pattern.span.end in by_end
    }


def _ids(tree: ast.Expression) -> Iterator[Span]:
    """The strings that are compared with a message id or correlation id."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, right=right):
                pairs = [(left, right), (right, left)]
            case ast.In(operand=operand, members=members):
                pairs = [(operand, member) for member in members]
            case _:
                pairs = []
        for name, other in pairs:
            if isinstance(name, ast.Identifier) and isinstance(other, ast.StringLiteral) and is_id(name.name):
                yield other.span


def _id(raw: str) -> str:
    return canonical(_text(raw))


def _text(raw: str) -> str:
    return raw[1:-1].replace("''", "'")


def _negative_integer(raw: str) -> int:
    return -int(raw)


def _negative_float(raw: str) -> float:
    return -float(raw)


def _fixed_part(raw: str) -> str:
    """The text of a pattern that has one."""
    [part] = [part for part in read_pattern(_text(raw)) if isinstance(part, str)]
    return part


_NODES = {"string": ast.StringLiteral, "integer": ast.IntegerLiteral, "float": ast.FloatLiteral}
_READ: dict[str, Callable[[str], Parameter]] = {"string": _text, "integer": int, "float": float}
_NEGATIVE: dict[str, Callable[[str], Parameter]] = {
    "string": _text,
    "integer": _negative_integer,
    "float": _negative_float,
}


def _form(raw: str) -> str:
    """What a pattern asks, its text aside: a beginning or an end of some length; its own text where it asks more."""
    match read_pattern(_text(raw)):
        case (str(),):
            return "the text"
        case (str() as prefix, Wildcard.ANY):
            return f"begins with {len(prefix)}"
        case (Wildcard.ANY, str() as suffix):
            return f"ends with {len(suffix)}"
        case _:
            return raw


class _Parameters(Lowering):
    """A lowering in which parameters stand for some of the literals, by their spans."""

    def __init__(self, names: Names, source: Source, columns: dict[Span, Column]) -> None:
        super().__init__(names, source)
        self._columns = columns

    def constant(self, node: ast.PlainLiteral) -> Value:
        return self._columns.get(node.span) or super().constant(node)

    def text(self, node: ast.StringLiteral, other: ast.Expression) -> Value:
        return self._columns.get(node.span) or super().text(node, other)

    def member(self, value: Value, node: ast.In, negated: bool) -> Predicate:
        members = [self.text(member, node.operand) for member in node.members if isinstance(member, ast.StringLiteral)]
        if not any(isinstance(member, Column) for member in members):
            return super().member(value, node, negated)
        if negated:
            return all_of(*(Compare(ast.Comparison.NE, value, member) for member in members))
        return any_of(*(Compare(ast.Comparison.EQ, value, member) for member in members))

    def like(self, value: Value, node: ast.Like, negated: bool) -> Predicate:
        column = self._columns.get(node.pattern.span)
        if column is None:
            return super().like(value, node, negated)
        operator = ast.Comparison.NE if negated else ast.Comparison.EQ
        match read_pattern(node.pattern.value):
            case (str(),):
                return Compare(operator, value, column)
            case (str() as prefix, Wildcard.ANY):
                part = Apply(Function.LEFT, (value, constant(len(prefix))), STRING)
            case (Wildcard.ANY, str() as suffix):
                part = Apply(Function.RIGHT, (value, constant(len(suffix))), STRING)
            case _:
                return Like(value, read_pattern(node.pattern.value), negated)
        return Compare(operator, part, column)
