"""From the text of a selector to a pattern and its constants, quickly: a text is parsed once for its spelling.

A million selectors have few spellings once their literals are taken out. The scanner takes them out, the first text
of a spelling goes through the parser and its dialect's lowering, with parameters in place of its literals, and the
next ones bring their constants only. What the lowering makes of a parameter holds for every constant of its form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from transpiler import ir
from transpiler.compiler import parse_selector
from transpiler.ir.column_types import BIGINT, DOUBLE, STRING
from transpiler.layouts.layout import Layout
from transpiler.lowering.literal_parameters import form_of
from transpiler.lowering.names import Missing
from transpiler.lowering.selector_lowering import integer_literal
from transpiler.lowering.selectors import selector_lowering
from transpiler.lowering.text_tests import is_engine_independent
from transpiler.message.ids import canonical
from transpiler.rewrites.optimizer import optimize
from transpiler.routing.signatures import Parameter, parameter, parameter_number
from transpiler.selector import ast
from transpiler.selector.dialect_rules import IntegerArithmetic
from transpiler.selector.dialects import Dialect
from transpiler.selector.literal_scanner import (
    READERS,
    Scanned,
    id_literals,
    literal_nodes,
    pattern_nodes,
    scan,
    text_of,
)
from transpiler.selector.pattern import Pattern as LikePattern
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source, Span

_TYPES = {"string": STRING, "integer": BIGINT, "float": DOUBLE}


@dataclass(frozen=True, slots=True)
class ParameterizedSelector:
    """A condition over parameters; the numbers of a text's literals that they stand for, and how they are read."""

    predicate: ir.Predicate
    read: tuple[tuple[int, Callable[[str], Parameter]], ...]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The literals of a spelling that stay constants, and the forms of those that must be alike in form."""

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
        skeleton, literals = scan(text)
        spelling = self._spellings.get(skeleton)
        if spelling is None:
            spelling = self._spellings[skeleton] = self._spell(text, literals)
        key = (
            skeleton,
            *(literals[number].raw for number in spelling.fixed),
            *(form(literals[number].raw) for number, form in spelling.forms),
        )
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = self._lower(text, literals)
        return pattern, tuple(read(literals[number].raw) for number, read in pattern.read)

    def _spell(self, text: str, literals: list[Scanned]) -> _Spelling:
        tree = parse_selector(text, self._dialect)
        if tree is None:
            return _Spelling((), ())
        nodes, patterns = literal_nodes(tree, literals), pattern_nodes(tree, literals)
        forms: list[tuple[int, Callable[[str], object]]] = []
        for number in range(len(literals)):
            if number in patterns:
                forms.append((number, self._form))
            elif number in nodes and self._has_widths and isinstance(nodes[number], ast.IntegerLiteral):
                forms.append((number, self._width))
        return _Spelling(
            tuple(number for number in range(len(literals)) if number not in nodes and number not in patterns),
            tuple(forms),
        )

    @property
    def _has_widths(self) -> bool:
        return self._dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT

    def _width(self, raw: str) -> object:
        """Return the type of an integer by its size."""
        return len(raw) < 10 or integer_literal(int(raw), self._dialect)[0]

    def _form(self, raw: str) -> object:
        """Return the form of a pattern of LIKE, its text aside; the text itself where there is no common form."""
        written = text_of(raw)
        pattern = self._pattern(written)
        taken = is_engine_independent(pattern, written, None, self._dialect) and written not in self._rewritten
        return (form_of(pattern) if taken else None) or raw

    def _pattern(self, written: str) -> LikePattern:
        return read_pattern(written, None, self._dialect.escapes)

    def _fixed_part(self, raw: str) -> str:
        """Return the text of a pattern that has one."""
        [part] = [part for part in self._pattern(text_of(raw)) if isinstance(part, str)]
        return part

    def _lower(self, text: str, literals: list[Scanned]) -> ParameterizedSelector:
        tree = parse_selector(text, self._dialect)
        if tree is None:
            return ParameterizedSelector(ir.TRUE, ())
        nodes, patterns = literal_nodes(tree, literals), pattern_nodes(tree, literals)
        reads: dict[int, Callable[[str], Parameter]] = {}
        columns: dict[Span, ir.Column] = {}
        ids = set(id_literals(tree, self._dialect.fields))
        for number, (kind, raw, end) in enumerate(literals):
            if number in nodes:
                node = nodes[number]
                read = READERS[kind] if node.value == READERS[kind](raw) else partial(_negative, kind)
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
    """Simplify by the facts that no literal is NULL or NaN, and that the scanner takes none out that is zero."""
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


def _id(raw: str) -> str:
    return canonical(text_of(raw))


def _negative(kind: str, raw: str) -> Parameter:
    value = READERS[kind](raw)
    assert not isinstance(value, str)
    return -value


def _rewritten(table: Mapping[str, str], raw: str) -> str:
    text = text_of(raw)
    return table.get(text, text)
