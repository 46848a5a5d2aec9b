"""Common subexpression elimination for tagged unions in maps: each union is looked up as rarely as possible.

A look-up searches the map's keys linearly, and Spark repeats it each time that the SQL contains it. At most one field
of a union is not NULL: its *alternatives* exclude each other. So if the test of one alternative is not NULL, it decides
the result, and the other alternatives need not be looked up:

- ``v.long > 5 OR v.double < 5.5D`` is ``coalesce(v.double < 5.5D, v.long > 5)``;
- ``(v.long >= 1 OR v.double >= 1D) AND (v.long < 5 OR v.double < 5D)`` tests both bounds of each alternative;
- ``v.type <> 'null' AND (v.string = 'a') IS NOT TRUE`` is ``coalesce(v.string <> 'a', v.type <> 'null')``;
- equal bounds of both numbers are tested on the number that is present: ``n >= 1D AND n <= 5.5D``, where n is
  ``coalesce(v.double, CAST(v.long AS DOUBLE))``, needs no look-up for the second bound if the first bound fails.

Tests of map values are never pushed down to a file reader, so no pushed filter is lost. Unions outside maps stay
unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import is_

from transpiler.base.comparison import Comparison
from transpiler.base.ieee754 import EXACT
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import DOUBLE, Key, Path
from transpiler.compiler.rewrites.chains import combine_in_lists
from transpiler.compiler.rewrites.redundant_null_checks import remove_redundant_null_checks
from transpiler.compiler.spark_plan import tuning

#: The field of a union that holds the name of its type, and the two fields that hold numbers.
_TYPE, _LONG, _DOUBLE = "type", "long", "double"
#: The predicates that test a single value.
_TESTS = (ir.Compare, ir.In, ir.Like, ir.Matches, ir.IsTrue)


@dataclass(slots=True)
class _AlternativeTests:
    """A condition on one tagged union, a struct with one field for each type, split into one test for each field.

    ``union`` is the path of the union. Each test reads only its own field and is NULL if the field is NULL.
    ``otherwise`` is the result if all tested fields are NULL: FALSE, TRUE, or the test that the union is not AMQP's
    null.
    """

    union: Path
    tests: dict[ir.Column, ir.Predicate]
    otherwise: ir.Predicate = ir.FALSE

    def turned(self, otherwise: ir.Predicate) -> _AlternativeTests | None:
        """Return this condition with each test negated, and with ``otherwise`` as the result if no test applies.

        Return None if a test cannot be negated without SQL's NOT.
        """
        tests = {column: turned for column, test in self.tests.items() if (turned := ir.sql_not(test)) is not None}
        return _AlternativeTests(self.union, tests, otherwise) if len(tests) == len(self.tests) else None

    def predicate(self) -> ir.Predicate:
        """Return the condition as one predicate, whose first test is for the most likely type of the value."""
        if not self.tests:
            return self.otherwise
        if self.otherwise == ir.FALSE:
            if len(self.tests) == 1:
                return next(iter(self.tests.values()))
        elif self.otherwise == ir.TRUE or self.is_long:
            # Write the condition as the complement of the negated tests. ``method_splitting`` would otherwise negate
            # the tests later. By then a long OR may be a list of constants, which cannot be negated without NOT.
            complement = self.turned(ir.FALSE)
            assert complement is not None, "the opposite of an opposite is plain"
            return ir.all_of(self.otherwise, ir.NotTrue(complement.predicate()))
        # If the test of the double field has a constant with a fraction, test this field first: the values of the
        # property are probably doubles.
        columns = sorted(self.tests, key=lambda column: column.type != DOUBLE or not _has_fraction(self.tests[column]))
        return ir.Coalesce(tuple(map(self.tests.__getitem__, columns)), self.otherwise, disjoint=True)

    @property
    def is_long(self) -> bool:
        """True if one of the tests is an AND or OR that is long enough to become a list of constants."""
        return any(isinstance(test, ir.Chain) and len(test.terms) >= tuning.MIN_TERMS for test in self.tests.values())


def reuse_map_lookups(node: ir.Predicate) -> ir.Predicate:
    """Reuse map lookups: rewrite ``node`` so that each tagged union is looked up once; it holds in the same rows."""
    result = _visit(node)
    predicate = result.predicate() if isinstance(result, _AlternativeTests) else result
    if isinstance(predicate, ir.Coalesce):
        return _of_one_number(predicate)
    return _leveled(ir.And, map(_of_one_number, predicate.terms)) if isinstance(predicate, ir.And) else predicate


def _visit(node: ir.Predicate) -> ir.Predicate | _AlternativeTests:
    """Return ``node`` rewritten: as ``_AlternativeTests`` if it tests only one tagged union, else as a predicate."""
    if isinstance(node, _TESTS):
        column = node.left if isinstance(node, ir.Compare) else node.value
        return _tests_of_field(column, node) if isinstance(column, ir.Column) and _in_map(column.path) else node
    if isinstance(node, ir.Chain):
        return _together(node)
    if isinstance(node, ir.NotTrue):
        inner = _visit(node.predicate)
        if not isinstance(inner, _AlternativeTests):
            return node if inner is node.predicate else ir.NotTrue(inner)
        denied = inner.turned(ir.TRUE) if inner.otherwise == ir.FALSE else None
        return denied or ir.NotTrue(inner.predicate())
    return node


def _tests_of_field(
    column: ir.Column, test: ir.Compare | ir.In | ir.Like | ir.Matches | ir.IsTrue
) -> ir.Predicate | _AlternativeTests:
    """Return ``test``, which tests the field ``column`` of a tagged union, as ``_AlternativeTests``.

    Return ``test`` unchanged if it compares two columns, or if it tests the field with the type's name (except for
    ``type <> 'null'``).
    """
    match test:
        case ir.Compare(right=ir.Constant(value=value), operator=operator):
            if column.path[-1] != _TYPE:
                return _AlternativeTests(column.path[:-1], {column: test})
            present = operator is Comparison.NE and value == "null"
            return _AlternativeTests(column.path[:-1], {}, test) if present else test
        case ir.Compare():
            return test
        case _:
            return test if column.path[-1] == _TYPE else _AlternativeTests(column.path[:-1], {column: test})


def _in_map(path: Path) -> bool:
    """Return True if ``path`` ends with a field of a struct that is the value of a map, such as ``m['a'].long``."""
    return len(path) > 2 and isinstance(path[-2], Key) and isinstance(path[-1], str)


def _together(node: ir.Chain) -> ir.Predicate | _AlternativeTests:
    """Rewrite the terms of the chain ``node``, and merge all terms that test the same union."""
    kind = type(node)
    groups: dict[Path, list[_AlternativeTests]] = {}
    numbers: list[ir.IsNan] = []
    parts: list[Path | ir.Predicate] = []
    for term in node.terms:
        result = _visit(term)
        if isinstance(result, _AlternativeTests):
            group = groups.get(result.union)
            if group is None:
                groups[result.union] = [result]
                parts.append(result.union)
            else:
                group.append(result)
        elif isinstance(result, ir.IsNan) and result.negated is (kind is ir.And):
            # ``NOT isnan(c)`` in an AND, or ``isnan(c)`` in an OR, can be joined to another test of the column ``c``.
            # If ``c`` is NULL, that test stays NULL, because NULL AND TRUE and NULL OR FALSE are NULL.
            numbers.append(result)
        else:
            parts.append(result)
    if not groups and all(map(is_, parts, node.terms)):
        return node
    merged = {union: group[0] if len(group) == 1 else _combined(kind, group) for union, group in groups.items()}
    here = set(map(id, node.terms)) if numbers else ()
    for test in numbers:
        alternatives = merged.get(test.value.path[:-1]) if isinstance(test.value, ir.Column) else None
        if alternatives is None or test.value not in alternatives.tests:
            parts.append(test)
        else:
            known = alternatives.tests[test.value]
            # If both tests are terms of ``node`` itself, an earlier pass has already simplified them together, so the
            # simplification in ``_joined`` is not needed.
            join = _leveled if id(known) in here else _joined
            alternatives.tests[test.value] = join(kind, (known, test))
    if len(parts) == 1 and isinstance(parts[0], tuple):
        return merged[parts[0]]
    return _leveled(kind, [merged[index].predicate() if isinstance(index, tuple) else index for index in parts])


def _combined(kind: type[ir.And | ir.Or], groups: Sequence[_AlternativeTests]) -> _AlternativeTests:
    """Merge ``groups``, conditions on one tagged union that are the terms of an AND or OR (``kind``), field by field.

    A group without a test for a field yields ``otherwise`` if that field is set. If this already decides the AND (it is
    FALSE) or the OR (it is not FALSE), the other groups' tests of the field are dropped.
    """
    tests: dict[ir.Column, list[ir.Predicate]] = {}
    for group in groups:
        for column, test in group.tests.items():
            tests.setdefault(column, []).append(test)
    undecided = {
        column: alternatives[0] if len(alternatives) == 1 else _joined(kind, alternatives)
        for column, alternatives in tests.items()
        if not any((q.otherwise == ir.FALSE) is (kind is ir.And) for q in groups if column not in q.tests)
    }
    defaults = sorted((group.otherwise for group in groups), key=_strength)
    return _AlternativeTests(groups[0].union, undecided, defaults[0 if kind is ir.And else -1])


def _strength(otherwise: ir.Predicate) -> int:
    return 0 if otherwise == ir.FALSE else 2 if otherwise == ir.TRUE else 1


def _joined(kind: type[ir.And | ir.Or], terms: Iterable[ir.Predicate]) -> ir.Predicate:
    """Join ``terms``, tests of one field of a union, by AND or OR (``kind``), and simplify the result."""
    result = _leveled(kind, dict.fromkeys(terms))
    for law in (combine_in_lists, remove_redundant_null_checks):
        if isinstance(result, ir.Chain):
            result = law(result)
    return result


def _leveled(kind: type[ir.And | ir.Or], terms: Iterable[ir.Predicate]) -> ir.Predicate:
    """Join ``terms`` to a chain of the class ``kind``; a term of the same class contributes its own terms."""
    level: list[ir.Predicate] = []
    for term in terms:
        if isinstance(term, kind):
            level += term.terms
        else:
            level.append(term)
    return ir.all_of(*level) if kind is ir.And else ir.any_of(*level)


def _has_fraction(test: ir.Predicate) -> bool:
    match test:
        case ir.Compare(right=ir.Constant(value=float() as value)):
            return not value.is_integer()
        case ir.In(members=members):
            return any(isinstance(member.value, float) and not member.value.is_integer() for member in members)
        case ir.And(terms=terms) | ir.Or(terms=terms):
            return any(map(_has_fraction, terms))
        case _:
            return False


def _of_one_number(node: ir.Predicate) -> ir.Predicate:
    """Rewrite equal bounds on the fields ``long`` and ``double`` of a union as bounds on the field that is not NULL.

    Callers do so only for the top-level terms of a filter. Spark evaluates these terms one by one until one fails, so
    a failed lower bound saves the look-up for the upper bound.
    """
    match node:
        case ir.Coalesce(tests=(first, second), otherwise=ir.BoolConst(value=False)):
            ends = [_bounds(first), _bounds(second)]
        case _:
            return node
    if None in ends:
        return node
    bounds = {column.path[-1]: (low, high) for column, low, high in filter(None, ends)}
    whole, fractional = bounds.get(_LONG), bounds.get(_DOUBLE)
    if whole is None or fractional is None or not all(abs(bound) < EXACT for bound in fractional):
        return node
    low, high = fractional
    if whole != (math.ceil(low), math.floor(high)):
        return node
    columns = (column for column, _, _ in filter(None, ends))
    numbers = (
        column if column.type == DOUBLE else ir.Apply(ir.Function.TO_DOUBLE, (column,), DOUBLE) for column in columns
    )
    number = ir.Apply(ir.Function.FIRST, tuple(numbers), DOUBLE)
    # Do not write BETWEEN, in which the number would occur only once: Spark rewrites BETWEEN to its internal expression
    # With, which Spark cannot evaluate under some settings.
    return ir.And(
        (ir.Compare(Comparison.GE, number, ir.constant(low)), ir.Compare(Comparison.LE, number, ir.constant(high)))
    )


def _bounds(test: ir.Predicate) -> tuple[ir.Column, float, float] | None:
    """Return the column and its inclusive bounds if ``test`` consists of a lower and an upper bound; otherwise None."""
    if not isinstance(test, ir.And) or len(test.terms) != 2:
        return None
    match test.terms:
        case (
            ir.Compare(
                operator=Comparison.GE, left=ir.Column() as column, right=ir.Constant(value=int() | float() as low)
            ),
            ir.Compare(operator=Comparison.LE, right=ir.Constant(value=int() | float() as high)),
        ) | (
            ir.Compare(
                operator=Comparison.LE, left=ir.Column() as column, right=ir.Constant(value=int() | float() as high)
            ),
            ir.Compare(operator=Comparison.GE, right=ir.Constant(value=int() | float() as low)),
        ):
            return column, low, high
        case _:
            return None
