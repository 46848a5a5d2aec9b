"""Queries of XML exchanges as predicates: headers as comparisons, paths into the body as XPath 1.0 conditions.

XQuery's errors are unknown, as in the reference evaluator, so a condition is lowered by polarity. All paths that one
AND or OR joins share the proof that the body is XML.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import reduce
from typing import assert_never

from transpiler.base.comparison import Comparison
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.bindings.header_pairs import HeaderLookup
from transpiler.compiler.lowering.comparison.comparison_kinds import compare_values
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.operands import NULL, Alternative, from_value, or_else
from transpiler.compiler.lowering.xpath import beyond_limits, check_name
from transpiler.language.conditions import header_places
from transpiler.language.path_expressions import xquery_nodes as query
from transpiler.language.path_expressions.xpath import NoXPathError
from transpiler.message.header_fields import MessageField
from transpiler.message.operand_types import OperandType

_OPERATORS = {
    "=": Comparison.EQ,
    "!=": Comparison.NE,
    "<": Comparison.LT,
    "<=": Comparison.LE,
    ">": Comparison.GT,
    ">=": Comparison.GE,
}


class Queries:
    """The predicates of queries over one layout."""

    def __init__(self, layout: Layout, missing: Missing, subject_header: str | None, source: Source) -> None:
        self._layout = layout
        self._missing = missing
        self._headers = HeaderLookup(layout, missing)
        self._subject_header = subject_header
        self._source = source
        self._body: ir.Value | None = None

    def condition(self, condition: query.Condition, polarity: bool = True) -> ir.Predicate:
        """The predicate that a condition is TRUE, or FALSE; ``LayoutError`` where the layout lacks what it reads."""
        if _only_body(condition):
            return self._ask(condition, polarity)
        match condition:
            case query.Always(value=value):
                return ir.BoolConst(value is polarity)
            case query.Not(operand=operand):
                return self.condition(operand, not polarity)
            case query.And(terms=terms) | query.Or(terms=terms):
                joined = ir.all_of if isinstance(condition, query.And) is polarity else ir.any_of
                return joined(*(self.condition(part, polarity) for part in _gathered(condition, terms)))
            case query.Compare(left=query.Variable() as variable, operator=operator, right=right):
                return self._compare(variable, _OPERATORS[operator], right, polarity)
            case query.Compare(left=left, operator=operator, right=query.Variable() as variable):
                return self._compare(variable, _OPERATORS[operator].mirrored, left, polarity)
            case query.Exists(operand=query.Variable() as variable):
                return self._holds(variable, polarity)
            case _:
                raise AssertionError(condition)

    def _ask(self, condition: query.Condition, polarity: bool) -> ir.Predicate:
        self._check_limits(condition, polarity)
        if self._body is None:
            self._body = self._find_body(condition)
            if self._body is None:
                return ir.FALSE
        return ir.XPath(self._body, _xpath(condition, polarity))

    def _check_limits(self, condition: query.Condition, polarity: bool) -> None:
        match condition:
            case query.And(terms=terms) | query.Or(terms=terms):
                for term in terms:
                    self._check_limits(term, polarity)
            case query.Not(operand=operand):
                self._check_limits(operand, not polarity)
            case _:
                self._check_names(condition)
                for test in _expressions(_xpath(condition, polarity)):
                    excess = beyond_limits(test)
                    if excess is not None:
                        message = f"this would be XPath with {excess} in one comparison"
                        hint = "perhaps take steps out of the path, for example with //, or compute with fewer values"
                        span = _span(condition)
                        raise UnsupportedFeatureError.at("limit.xpath", message, self._source, span, hint)

    def _check_names(self, condition: query.Condition) -> None:
        try:
            for path in _paths(condition):
                for name in (*(name for _, name in path.steps), path.attribute):
                    if name not in (None, "*"):
                        check_name(str(name), 0)
        except NoXPathError as error:
            raise UnsupportedFeatureError.at("spark.xpath", error.args[0], self._source, _span(condition)) from None

    def _find_body(self, condition: query.Condition) -> ir.Value | None:
        values: list[ir.Value] = []
        for name in ("data", "value"):
            location = self._layout.field(MessageField("body", name))
            if location is None:
                continue
            operand = at(location)
            values += [item.value for item in operand.of(OperandType.STRING)]
            if name == "data":
                values += [
                    ir.Apply(ir.Function.DECODED, (item.value,), STRING) for item in operand.of(OperandType.BYTES)
                ]
        if not values:
            if self._missing == "null":
                return None
            message = "a path reads the body, and the layout has no such column"
            raise LayoutError.at("layout.no-column", message, self._source, _span(condition))
        return ir.first_of(values, STRING)

    def _header(self, variable: query.Variable) -> tuple[Alternative, ...]:
        read = header_places(variable.name, self._subject_header)
        places = self._headers.find(read, source=self._source, span=variable.span).places
        # A header that is null counts as absent here.
        operand = reduce(or_else, map(at, places), NULL)
        return tuple(item for item in operand.alternatives if item.type in _COMPARED)

    def _compare(
        self, variable: query.Variable, operator: Comparison, literal: query.Operand, polarity: bool
    ) -> ir.Predicate:
        # A string compared with a number is an error, so such a pair is neither TRUE nor FALSE.
        assert isinstance(literal, query.Text | query.Number)
        value = ir.constant(literal.value)
        textual = isinstance(literal, query.Text)
        return ir.any_of(
            *(
                ir.all_of(item.guard, compare_values(operator, item.value, value, polarity))
                for item in self._header(variable)
                if (item.type is OperandType.STRING) is textual
            )
        )

    def _holds(self, variable: query.Variable, polarity: bool) -> ir.Predicate:
        return ir.any_of(*(ir.all_of(item.guard, _counts_as(item, polarity)) for item in self._header(variable)))


_COMPARED = (OperandType.STRING, OperandType.LONG, OperandType.DOUBLE)


def _counts_as(item: Alternative, polarity: bool) -> ir.Predicate:
    """The effective boolean value: a string that is not empty, a number that is neither zero nor NaN."""
    if item.type is OperandType.STRING:
        return compare_values(Comparison.NE, item.value, ir.constant(""), polarity)
    zero = compare_values(Comparison.EQ, item.value, ir.constant(0), not polarity)
    if item.type is OperandType.LONG:
        return zero
    present = from_value(item.type, item.value).present
    if polarity:
        return ir.all_of(present, zero, ir.IsNan(item.value, negated=True))
    return ir.any_of(zero, ir.IsNan(item.value))


def _only_body(condition: query.Condition) -> bool:
    """Return True if every part of a condition looks into the body."""
    match condition:
        case query.And(terms=terms) | query.Or(terms=terms):
            return all(_only_body(term) for term in terms)
        case query.Not(operand=operand):
            return _only_body(operand)
        case _:
            return query.reads_body(condition)


def _gathered(whole: query.And | query.Or, terms: tuple[query.Condition, ...]) -> Iterator[query.Condition]:
    """The terms, those on the body as one."""
    body = tuple(term for term in terms if _only_body(term))
    yield from (term for term in terms if not _only_body(term))
    if body:
        yield body[0] if len(body) == 1 else type(whole)(body)


def _span(condition: query.Condition) -> Span:
    match condition:
        case query.And(terms=terms) | query.Or(terms=terms):
            return _span(terms[0])
        case query.Not(operand=operand):
            return _span(operand)
        case query.Always():
            return Span(0, 0)
        case _:
            return condition.span


def _paths(condition: query.Condition) -> Iterator[query.Path]:
    match condition:
        case query.Exists(operand=query.Path() as path):
            yield path
        case query.Compare(left=left, right=right):
            yield from query.paths(left)
            yield from query.paths(right)


def _xpath(condition: query.Condition, polarity: bool) -> ir.XPathTest:
    """The XPath conditions that are true where a condition on the body is TRUE, or FALSE."""
    match condition:
        case query.Not(operand=operand):
            return _xpath(operand, not polarity)
        case query.And(terms=terms) | query.Or(terms=terms):
            every = isinstance(condition, query.And) is polarity
            return ir.XPathChain("AND" if every else "OR", tuple(_xpath(term, polarity) for term in terms))
        case query.Exists(operand=query.Path() as path):
            return _path(path) if polarity else f"not({_path(path)})"
        case query.Compare():
            return _comparison(condition, polarity)
        case query.Always() | query.Exists():
            raise AssertionError(condition)
        case _:
            assert_never(condition)


def _expressions(test: ir.XPathTest) -> Iterator[str]:
    if isinstance(test, str):
        yield test
    else:
        for term in test.terms:
            yield from _expressions(term)


def _comparison(condition: query.Compare, polarity: bool) -> ir.XPathTest:
    sides = (condition.left, condition.right)
    numeric = any(isinstance(side, query.Number | query.Calculate) for side in sides)
    if not numeric:
        test = f"{_operand(condition.left)} {condition.operator} {_operand(condition.right)}"
        return test if polarity else f"not({test})"
    # Text that is no number is NaN to XPath, which is unequal to everything: it must not take part.
    test = " ".join((_numbers(condition.left), condition.operator, _numbers(condition.right)))
    single = [_path(path) for side in sides if isinstance(side, query.Calculate) for path in query.paths(side)]
    if polarity:
        numbers = [part for path in single for part in (f"count({path}) = 1", f"number({path}) = number({path})")]
        return ir.XPathChain("AND", (test, *numbers)) if numbers else test
    # FALSE where nothing is there to compare, or where all is numbers and no two of them compare.
    every = [_path(side) for side in sides if isinstance(side, query.Path)] + single
    exact = ir.XPathChain("AND", (f"not({test})", *(f"not({path}[not(number() = number())])" for path in every)))
    absent = ir.XPathChain("OR", (exact, *(f"not({path})" for path in every)))
    return ir.XPathChain("AND", (absent, *(f"count({path}) <= 1" for path in single))) if single else absent


def _numbers(operand: query.Operand) -> str:
    return f"{_path(operand)}[number() = number()]" if isinstance(operand, query.Path) else _operand(operand)


def _operand(operand: query.Operand) -> str:
    match operand:
        case query.Path():
            return _path(operand)
        case query.Text(value=value):
            return _literal(value)
        case query.Number(value=value):
            # XPath 1.0 has no exponents.
            return format(Decimal(repr(value)), "f")
        case query.Calculate(operator=sign, left=left, right=right):
            # The parentheses that are needed, for Java allows few of them.
            before = _operand(left) if _tightness(left) >= _tightness(operand) else f"({_operand(left)})"
            after = _operand(right) if _tightness(right) > _tightness(operand) else f"({_operand(right)})"
            return f"{before} {sign} {after}"
        case query.Variable():
            raise AssertionError(operand)
        case _:
            assert_never(operand)


def _tightness(operand: query.Operand) -> int:
    return 3 if not isinstance(operand, query.Calculate) else 2 if operand.operator in ("*", "div") else 1


def _path(path: query.Path) -> str:
    text = "".join(f"{axis.value}{name}" for axis, name in path.steps)
    if path.attribute is not None:
        return f"{text}/@{path.attribute}"
    if path.text:
        return f"{text}/text()"
    match path.steps:
        case [(query.Step.DESCENDANT, name)] if name != "*":
            # Java looks up the name of the path //name with its prefix, and only of that one.
            return f"//self::{name}"
        case _:
            return text


def _literal(text: str) -> str:
    """A string in XPath 1.0, which has no way to write both quotes in one literal."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    parts = ', "\'", '.join(f"'{part}'" for part in text.split("'"))
    return f"concat({parts})"
