"""Fast conversion of selector texts to patterns and constants: only one text of each spelling is parsed.

A spelling is the text of a selector without its literals. A million selectors have only few spellings. The scanner
extracts the literals. The first text of a spelling is parsed and lowered with parameters instead of literals; the other
texts only supply constants. The lowered form of a parameter is valid for every constant of the same form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from transpiler.base.comparison import Comparison
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, DOUBLE, STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.selectors import SelectorLowering, integer_literal
from transpiler.compiler.lowering.text.text_tests import PatternForm, needle, pattern_form, pattern_text
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import IntegerArithmetic
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.literal_scanner import (
    READERS,
    Scanned,
    id_literals,
    literal_nodes,
    locate,
    pattern_nodes,
    scan,
    text_of,
)
from transpiler.language.selector.parsing import parse_selector
from transpiler.language.selector.pattern import PatternError, read_pattern
from transpiler.message.ids import canonical
from transpiler.routing.signatures import Parameter, parameter, parameter_number

_TYPES = {"string": STRING, "integer": BIGINT, "float": DOUBLE}


@dataclass(frozen=True, slots=True)
class ParameterizedSelector:
    """A condition with parameters instead of the literals of a selector.

    ``read`` contains, for each parameter, the index of its literal and the function that converts the literal's text.
    """

    predicate: ir.Predicate
    read: tuple[tuple[int, Callable[[str], Parameter]], ...]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The compiled selectors for one spelling: a selector's text without its literals, and those that stay constants.

    All other literals become parameters. ``forms`` contains the indexes of the literals of which only the form matters,
    such as the type of an integer, with the function that computes the form. ``patterns`` has one entry for each
    combination of forms.
    """

    forms: tuple[tuple[int, Callable[[str], object]], ...]
    patterns: dict[tuple[object, ...], ParameterizedSelector] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _LikePattern:
    """A parsed LIKE pattern, split into a form, which many patterns share, and a string.

    ``form`` is None if the pattern has no shared form, so that it stays a constant. ``text`` is the string for the
    form. ``needle`` is a substring that every matching value contains.
    """

    form: PatternForm | None
    text: str = ""
    needle: str = ""


class SelectorParameterizer:
    """Converter of selector texts to patterns (conditions with parameters) and the constants for the parameters.

    It is for one layout and one dialect.
    """

    def __init__(self, layout: Layout, dialect: Dialect, missing: Missing) -> None:
        self._layout = layout
        self._dialect = dialect
        self._missing = missing
        self._rewritten = dict(dialect.fields.rewritten)
        #: For each skeleton, the indexes of the literals that stay constants, such as the escape characters of LIKE.
        self._fixed: dict[str, tuple[int, ...]] = {}
        self._spellings: dict[tuple[str, ...], _Spelling] = {}
        self._likes: dict[tuple[str | None, str], _LikePattern] = {}
        self._last: tuple[str, ast.Expression | None] | None = None

    def pattern(self, text: str) -> tuple[ParameterizedSelector, tuple[Parameter, ...]]:
        """Return the selector ``text`` as a pattern, an object that similar texts share, and the constants of ``text``.

        Raises the errors of parsing and lowering for the first text of each pattern.
        """
        skeleton, literals = scan(text)
        fixed = self._fixed.get(skeleton)
        if fixed is None:
            fixed = self._fixed[skeleton] = self._constants(text, locate(skeleton, literals))
        constants = (skeleton, *[literals[number] for number in fixed])
        spelling = self._spellings.get(constants)
        if spelling is None:
            spelling = self._spellings[constants] = self._spell(text, locate(skeleton, literals))
        key = tuple([form(literals[number]) for number, form in spelling.forms])
        pattern = spelling.patterns.get(key)
        if pattern is None:
            pattern = spelling.patterns[key] = self._lower(text, locate(skeleton, literals))
        return pattern, tuple([read(literals[number]) for number, read in pattern.read])

    def _constants(self, text: str, literals: list[Scanned]) -> tuple[int, ...]:
        nodes, patterns = self._nodes(text, literals)
        return tuple(number for number in range(len(literals)) if number not in nodes and number not in patterns)

    def _spell(self, text: str, literals: list[Scanned]) -> _Spelling:
        nodes, patterns = self._nodes(text, literals)
        forms: list[tuple[int, Callable[[str], object]]] = []
        for number in range(len(literals)):
            if number in patterns:
                forms.append((number, partial(self._form_of, _escape(patterns[number]))))
            elif number in nodes and self._has_widths and isinstance(nodes[number], ast.IntegerLiteral):
                forms.append((number, self._width))
        return _Spelling(tuple(forms))

    def _nodes(
        self, text: str, literals: list[Scanned]
    ) -> tuple[Mapping[int, ast.PlainLiteral], Mapping[int, ast.Like]]:
        """Return the nodes of the literals that are operands, and of those that are LIKE patterns, by their indexes."""
        tree = self._parsed(text)
        return ({}, {}) if tree is None else (literal_nodes(tree, literals), pattern_nodes(tree, literals))

    def _parsed(self, text: str) -> ast.Expression | None:
        """Return the tree of ``text``. The last tree is cached, because ``pattern`` can need it repeatedly."""
        if self._last is None or self._last[0] != text:
            self._last = text, parse_selector(text, self._dialect)
        return self._last[1]

    @property
    def _has_widths(self) -> bool:
        return self._dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT

    def _width(self, raw: str) -> object:
        """Return a value that is equal for integer literals of the same type; ``raw`` is the text of the literal."""
        return len(raw) < 10 or integer_literal(int(raw), self._dialect)[0]

    def _form_of(self, escape: str | None, raw: str) -> PatternForm | str:
        """Return the form that the LIKE pattern ``raw`` shares with similar patterns; ``raw`` itself if it has none."""
        return self._like(escape, raw).form or raw

    def _like(self, escape: str | None, raw: str) -> _LikePattern:
        """Parse the LIKE pattern ``raw``; results are cached because many bindings have equal patterns."""
        read = self._likes.get((escape, raw))
        if read is None:
            read = self._likes[escape, raw] = self._read_like(escape, raw)
        return read

    def _read_like(self, escape: str | None, raw: str) -> _LikePattern:
        written = text_of(raw)
        try:
            pattern = read_pattern(written, escape, self._dialect.escapes)
        except PatternError:
            return _LikePattern(None)
        form = pattern_form(pattern, written, escape, self._dialect)
        if form is None or written in self._rewritten:
            return _LikePattern(None)
        return _LikePattern(form, pattern_text(pattern, form, self._dialect), needle(pattern, self._dialect))

    def _text(self, escape: str | None, raw: str) -> str:
        return self._like(escape, raw).text

    def _needle(self, escape: str | None, raw: str) -> str:
        return self._like(escape, raw).needle

    def _lower(self, text: str, literals: list[Scanned]) -> ParameterizedSelector:
        tree = self._parsed(text)
        if tree is None:
            return ParameterizedSelector(ir.TRUE, ())
        nodes, patterns = self._nodes(text, literals)
        reads: list[tuple[int, Callable[[str], Parameter]]] = []
        columns: dict[Span, ir.Column] = {}
        #: For each parameter that is a regular expression, the parameter with a string that every match contains.
        needles: dict[ir.Column, ir.Column] = {}
        ids = set(id_literals(tree, self._dialect.fields))
        for number, (kind, raw, end) in enumerate(literals):
            column = parameter(len(reads), _TYPES[kind])
            if number in nodes:
                span = nodes[number].span
                read = READERS[kind] if nodes[number].value == READERS[kind](raw) else partial(_negative, kind)
                if span in ids:
                    read = _id
                elif kind == "string" and self._rewritten:
                    read = partial(_rewritten, self._rewritten)
                reads.append((number, read))
            elif number in patterns:
                escape = _escape(patterns[number])
                form = self._form_of(escape, raw)
                if isinstance(form, str):
                    continue
                span = patterns[number].pattern.span
                reads.append((number, partial(self._text, escape)))
                if form.kind == "matches":
                    needles[column] = parameter(len(reads), STRING)
                    reads.append((number, partial(self._needle, escape)))
            else:
                continue
            assert span.end == end
            columns[span] = column
        source = Source(text)
        lowering = SelectorLowering(self._layout, self._missing, source, self._dialect, parameters=columns)
        predicate = optimize(_known_of_literals(lowering.selector(tree)))
        return ParameterizedSelector(_with_needles(predicate, needles), tuple(reads))


def _escape(node: ast.Like) -> str | None:
    return None if node.escape is None else node.escape.value


def _with_needles(predicate: ir.Predicate, needles: Mapping[ir.Column, ir.Column]) -> ir.Predicate:
    """Add a test for a required substring before each regular expression, because such a test can have an index."""
    if not needles:
        return predicate
    match predicate:
        case ir.IsTrue(ir.Apply(function=ir.Function.MATCHES, arguments=(value, ir.Column() as column)), negated=False):
            contains = ir.Apply(ir.Function.CONTAINS, (value, needles[column]), BOOLEAN)
            return ir.all_of(ir.IsTrue(contains), predicate)
    return ir.rebuild(predicate, lambda part: _with_needles(part, needles))


def _known_of_literals(predicate: ir.Predicate) -> ir.Predicate:
    """Replace the tests in ``predicate`` whose result is the same for every literal.

    A parameter that comes from a literal is never NULL or NaN. It is never zero either, because zeros stay constants.
    """
    match predicate:
        case ir.IsNan(value=value, negated=negated) | ir.IsNull(value=value, negated=negated) if _is_literal(value):
            return ir.BoolConst(negated)
        case ir.Compare(operator=operator, left=left, right=ir.Constant(value=0)) if operator.is_equality:
            if _is_literal(left) and left.type != STRING:
                return ir.BoolConst(operator is Comparison.NE)
    return ir.rebuild(predicate, _known_of_literals)


def _is_literal(value: ir.Value) -> bool:
    if isinstance(value, ir.Apply) and value.function in _CONVERSIONS:
        return _is_literal(value.arguments[0])
    return parameter_number(value) is not None


#: Conversions that never turn a number into NULL or NaN, or a number other than zero into zero.
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
