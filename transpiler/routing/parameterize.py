"""From the text of a selector to a pattern and its constants, quickly: a text is parsed once for its spelling.

A million selectors have few spellings once their literals are taken out. The scanner takes them out, the first text
of a spelling goes through the parser and its dialect's lowering, with parameters in place of its literals, and the
next ones bring their constants only. What the lowering makes of a parameter holds for every constant of its form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from transpiler import ir
from transpiler.compiler import parse_selector
from transpiler.layouts.columns import BIGINT, DOUBLE, STRING
from transpiler.layouts.layout import Layout
from transpiler.lowering.literal_parameters import form_of
from transpiler.lowering.names import Missing
from transpiler.lowering.selector_lowering import integer_literal
from transpiler.lowering.selectors import selector_lowering
from transpiler.lowering.text_tests import is_plain as is_plain_text
from transpiler.message.header_fields import HeaderFields
from transpiler.message.ids import canonical
from transpiler.rewrites.optimizer import optimize
from transpiler.routing.signatures import Parameter, parameter, parameter_number
from transpiler.selector import ast
from transpiler.selector.dialect_rules import IntegerArithmetic
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import Pattern as LikePattern
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source, Span

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
class ParameterizedSelector:
    """A condition over parameters; the numbers of a text's literals that they stand for, and how they are read."""

    predicate: ir.Predicate
    read: tuple[tuple[int, Callable[[str], Parameter]], ...]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """Which literals must stay what they are, and the forms of those that must be alike in form."""

    fixed: tuple[int, ...]
    forms: tuple[tuple[int, Callable[[str], object]], ...]


class SelectorParameterizer:
    """The patterns of selectors over one layout."""

    def __init__(self, layout: Layout, dialect: Dialect, missing: Missing) -> None:
        self._layout = layout
        self._dialect = dialect
        self._missing = missing
        self._rewritten = dict(dialect.fields.rewritten)
        self._spellings: dict[str, _Spelling] = {}
        self._patterns: dict[tuple[object, ...], ParameterizedSelector] = {}

    def pattern(self, text: str) -> tuple[ParameterizedSelector, tuple[Parameter, ...]]:
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
            *(form(found[number][1]) for number, form in spelling.forms),
        )
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = self._lower(text, found)
        return pattern, tuple(read(found[number][1]) for number, read in pattern.read)

    def _spell(self, text: str, found: list[_Found]) -> _Spelling:
        tree = parse_selector(text, self._dialect)
        literals, patterns = _known(tree, found), _patterns(tree, found)
        forms: list[tuple[int, Callable[[str], object]]] = []
        for number in range(len(found)):
            if number in patterns:
                forms.append((number, self._form))
            elif number in literals and self._has_widths and isinstance(literals[number], ast.IntegerLiteral):
                forms.append((number, self._width))
        return _Spelling(
            tuple(number for number in range(len(found)) if number not in literals and number not in patterns),
            tuple(forms),
        )

    @property
    def _has_widths(self) -> bool:
        return self._dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT

    def _width(self, raw: str) -> object:
        """The type that an integer has for being small or large."""
        return len(raw) < 10 or integer_literal(int(raw), self._dialect)[0]

    def _form(self, raw: str) -> object:
        """What a pattern of LIKE asks, its text aside; its own text where it asks more."""
        written = _text(raw)
        pattern = self._pattern(written)
        taken = is_plain_text(pattern, written, None, self._dialect) and written not in self._rewritten
        return (form_of(pattern) if taken else None) or raw

    def _pattern(self, written: str) -> LikePattern:
        return read_pattern(written, None, self._dialect.escapes)

    def _fixed_part(self, raw: str) -> str:
        """The text of a pattern that has one."""
        [part] = [part for part in self._pattern(_text(raw)) if isinstance(part, str)]
        return part

    def _lower(self, text: str, found: list[_Found]) -> ParameterizedSelector:
        tree = parse_selector(text, self._dialect)
        if tree is None:
            return ParameterizedSelector(ir.TRUE, ())
        literals, patterns = _known(tree, found), _patterns(tree, found)
        reads: dict[int, Callable[[str], Parameter]] = {}
        columns: dict[Span, ir.Column] = {}
        ids = set(_ids(tree, self._dialect.fields))
        for number, (kind, raw, end) in enumerate(found):
            if number in literals:
                node = literals[number]
                read = _READ[kind] if node.value == _READ[kind](raw) else _NEGATIVE[kind]
                if node.span in ids:
                    read = _id
                elif kind == "string" and self._rewritten:
                    read = partial(_rewritten, self._rewritten)
            elif number in patterns and self._form(raw) != raw:
                node, read = patterns[number], self._fixed_part
            else:
                continue
            assert node.span.end == end
            columns[node.span] = parameter(len(reads), _TYPES[kind])
            reads[number] = read
        source = Source(text)
        lowering = selector_lowering(self._layout, self._missing, source, self._dialect, parameters=columns)
        return ParameterizedSelector(optimize(_known_of_literals(lowering.selector(tree))), tuple(reads.items()))


def _known_of_literals(predicate: ir.Predicate) -> ir.Predicate:
    """The predicate, knowing that no literal is NULL or NaN, and that the scanner takes none out that is zero."""
    match predicate:
        case ir.IsNan(value=value, negated=negated) | ir.IsNull(value=value, negated=negated) if _is_literal(value):
            return ir.BoolConst(negated)
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=0)) if operator.is_equality:
            if _is_literal(left) and left.type != STRING:
                return ir.BoolConst(operator is ast.Comparison.NE)
    return ir.rebuild(predicate, _known_of_literals, lambda value: value)


def _is_literal(value: ir.Value) -> bool:
    if isinstance(value, ir.Apply) and value.function in _CONVERSIONS:
        return _is_literal(value.arguments[0])
    return parameter_number(value) is not None


#: Conversions that make neither NULL, nor NaN, nor zero of a number that is none of these.
_CONVERSIONS = (ir.Function.TO_DOUBLE, ir.Function.TO_FLOAT, ir.Function.TO_DECIMAL)


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
    for node in _operands(tree) if tree is not None else ():
        if isinstance(node, ast.StringLiteral | ast.IntegerLiteral | ast.FloatLiteral):
            number = by_end.get(node.span.end)
            if number is not None:
                kind, raw, _ = found[number]
                if isinstance(node, _NODES[kind]) and node.value in (_READ[kind](raw), _NEGATIVE[kind](raw)):
                    known[number] = node
    return known


def _operands(node: ast.Expression) -> Iterator[ast.Expression]:
    """The nodes of a tree without those that a function or query is made with."""
    if isinstance(node, ast.Call | ast.BodyQuery):
        return
    yield node
    for child in ast.children(node):
        yield from _operands(child)


def _patterns(tree: ast.Expression | None, found: list[_Found]) -> dict[int, ast.StringLiteral]:
    """The patterns of LIKE without an escape character."""
    by_end = {end: number for number, (_, _, end) in enumerate(found)}
    return {
        by_end[node.pattern.span.end]: node.pattern
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Like) and node.escape is None and node.pattern.span.end in by_end
    }


def _ids(tree: ast.Expression, fields: HeaderFields) -> Iterator[Span]:
    """The strings that are compared with the JMS text of an id."""
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


def _id(raw: str) -> str:
    return canonical(_text(raw))


def _text(raw: str) -> str:
    return raw[1:-1].replace("''", "'")


def _negative_integer(raw: str) -> int:
    return -int(raw)


def _negative_float(raw: str) -> float:
    return -float(raw)


def _rewritten(table: Mapping[str, str], raw: str) -> str:
    text = _text(raw)
    return table.get(text, text)


_NODES = {"string": ast.StringLiteral, "integer": ast.IntegerLiteral, "float": ast.FloatLiteral}
_READ: dict[str, Callable[[str], Parameter]] = {"string": _text, "integer": int, "float": float}
_NEGATIVE: dict[str, Callable[[str], Parameter]] = {
    "string": _text,
    "integer": _negative_integer,
    "float": _negative_float,
}
