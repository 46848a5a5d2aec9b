"""Long disjunctions and conjunctions as one test; ``disjunctions`` finds them.

People write thousands of conditions that differ in a constant. As so many tests they would be code that no engine
compiles well; as data they are one test: beginnings and endings become a list for each length, texts that may be
anywhere become one regular expression with the shape of a prefix tree, and conditions of one shape become a list of
rows of constants, behind a map where they ask for the value of one property.

Short ones stay as they are, which reads better and lets a file reader see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, STRING, SparkType
from transpiler.compiler.ir.java_regex import any_text_expression
from transpiler.compiler.rewrites.combine_in_lists import in_or_equal
from transpiler.compiler.spark_plan import tuning


def with_lists(node: ir.Coalesce, tests: tuple[ir.Predicate, ...]) -> ir.Predicate | None:
    """Return the node with tests that are lists now; None where one of them may be FALSE in place of NULL.

    A list without a key can be FALSE for NULL, by ``spark.sql.legacy.followThreeValuedLogicInArrayExists``.
    """
    if not any(isinstance(inner, ir.AnyRow) and inner.key is None for test in tests for inner in ir.descendants(test)):
        return ir.Coalesce(tests, node.otherwise, node.disjoint)
    return ir.Or(tests) if node.disjoint and node.otherwise == ir.FALSE else None


def _same(value: ir.Value) -> ir.Value:
    return value


def texts_together(terms: tuple[ir.Predicate, ...], negated: bool) -> tuple[ir.Predicate, ...]:
    """Rewrite ``a LIKE '%x%' OR a LIKE '%y%'`` as one search for x or y, and prefixes of one length as a list."""
    groups: dict[_Place, dict[str, None]] = {}
    group_of: dict[ir.Predicate, _Place] = {}
    for term in terms:
        match term:
            case ir.Like(value=value, pattern=(Wildcard.ANY, str(text), Wildcard.ANY)):
                key = (value, True, True)
            case ir.Like(value=value, pattern=(str(text), Wildcard.ANY)):
                key = (value, False, True)
            case ir.Like(value=value, pattern=(Wildcard.ANY, str(text))):
                key = (value, True, False)
            case _:
                continue
        # In a string that is not UTF-8 a regular expression sees U+FFFD, and a search for bytes does not.
        if term.negated is negated and "\N{REPLACEMENT CHARACTER}" not in text:
            groups.setdefault(key, {})[text] = None
            group_of[term] = key
    merged: dict[_Place, tuple[ir.Predicate, ...]] = {}
    for key, texts in groups.items():
        if len(texts) >= tuning.MIN_TERMS:
            lists = _by_length(key, texts, negated)
            if lists is None and (expression := any_text_expression(texts, *key[1:])) is not None:
                lists = (ir.Matches(key[0], expression, negated),)
            if lists is not None:
                merged[key] = lists
    each = (merged.get(group_of[term], (term,)) if term in group_of else (term,) for term in terms)
    return tuple(dict.fromkeys(chain.from_iterable(each)))


#: A value, and whether anything may stand before a text and behind it.
_Place = tuple[ir.Value, bool, bool]


def _by_length(place: _Place, texts: Iterable[str], negated: bool) -> tuple[ir.Predicate, ...] | None:
    """Rewrite prefixes or suffixes as a list for each length, in which an engine looks a text up by its hash.

    None where the texts may be anywhere, have too many lengths, or the value may not be UTF-8, which has no length.
    """
    value, before, behind = place
    if before is behind or any(
        isinstance(part, ir.Apply) and part.function is ir.Function.TEXT_OF_BYTES for part in ir.descendants(value)
    ):
        return None
    lists: dict[int, list[ir.Constant]] = {}
    for text in texts:
        lists.setdefault(len(text), []).append(ir.constant(text))
    if len(lists) > tuning.MAX_LENGTHS:
        return None
    end = ir.Function.RIGHT if before else ir.Function.LEFT
    return tuple(
        in_or_equal(ir.Apply(end, (value, ir.constant(length)), STRING), tuple(lists[length]), negated)
        for length in sorted(lists)
    )


def rows_together(terms: tuple[ir.Predicate, ...]) -> tuple[ir.Predicate, ...]:
    """Rewrite conditions that differ in constants only as one condition over a list of constants."""
    groups: dict[tuple[ir.Predicate, ...], dict[ir.Row, None]] = {}
    shape_of: list[tuple[ir.Predicate, ...]] = []
    for term in terms:
        row: list[ir.Constant] = []
        shape = (_made_general(term, row),)
        shape_of.append(shape)
        if row:
            groups.setdefault(shape, {})[tuple(row)] = None
    merged = {shape: _merged(shape[0], tuple(rows)) for shape, rows in groups.items() if len(rows) >= tuning.MIN_TERMS}
    return tuple(dict.fromkeys(merged.get(shape, term) for shape, term in zip(shape_of, terms, strict=True)))


def _made_general(node: ir.Predicate, row: list[ir.Constant]) -> ir.Predicate:
    """Replace each constant on the right of a comparison by a parameter; append the constants to ``row``."""
    match node:
        case ir.Compare(right=ir.Constant() as constant):
            row.append(constant)
            return replace(node, right=ir.RowParameter(len(row) - 1, constant.type))
        case ir.And() | ir.Or() | ir.Coalesce():
            return ir.rebuild(node, lambda inner: _made_general(inner, row), _same)
        case _:
            return node


def _merged(shape: ir.Predicate, rows: Iterable[ir.Row]) -> ir.Predicate:
    """Return the disjunction of a condition over some rows."""
    rows = tuple(dict.fromkeys(rows))
    columns = tuple(zip(*rows, strict=True))
    constants = {place: column[0] for place, column in enumerate(columns) if len(set(column)) == 1}
    shape = ir.substitute_parameters(shape, constants)
    general = [bool(_places(term)) for term in _terms(shape)]
    if not any(general):
        return shape
    varying = _varying(*_narrowed(ir.all_of(*compress(_terms(shape), general)), rows))
    first = general.index(True)
    fixed = [term for term, is_general in zip(_terms(shape), general, strict=True) if not is_general]
    return ir.all_of(*fixed[:first], varying, *fixed[first:])


def _varying(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate:
    """Return the disjunction over some rows of a condition that has all parameters, and no term without one."""
    match shape:
        case ir.Compare(operator=Comparison.EQ, left=left, right=ir.RowParameter()):
            return ir.In(left, tuple(row[0] for row in rows))
        case ir.Coalesce(tests=tests, disjoint=True) if all(map(_places, tests)):
            # Each alternative has a list of its own.
            lists = tuple(_merged(*_narrowed(test, rows)) for test in tests)
            return with_lists(shape, lists) or ir.AnyRow(shape, rows)
        case _:
            return _loosest(shape, rows) or _behind_a_key(shape, rows) or _behind_bounds(shape, rows)


def _places(node: ir.Predicate) -> list[int]:
    """The places of the parameters in a condition, in order."""
    return sorted({inner.place for inner in ir.descendants(node) if isinstance(inner, ir.RowParameter)})


def _narrowed(
    shape: ir.Predicate, rows: tuple[ir.Row, ...], first: Sequence[int] = ()
) -> tuple[ir.Predicate, tuple[ir.Row, ...]]:
    """Project a condition and its rows onto the parameters that it reads, those of ``first`` in front."""
    places = [*first, *(place for place in _places(shape) if place not in first)]
    moved = {old: ir.RowParameter(new, rows[0][old].type) for new, old in enumerate(places)}
    narrow = dict.fromkeys(tuple(row[place] for place in places) for row in rows)
    return ir.substitute_parameters(shape, moved), tuple(narrow)


def _terms(shape: ir.Predicate) -> tuple[ir.Predicate, ...]:
    return shape.terms if isinstance(shape, ir.And) else (shape,)


def _behind_a_key(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate | None:
    """Return the disjunction as a map, keyed by the value that is compared with the most distinct constants."""
    keys = {
        term.right.place: term
        for term in _terms(shape)
        if isinstance(term, ir.Compare) and isinstance(term.right, ir.RowParameter) and _can_be_key(term)
    }
    if not keys:
        return None
    place = max(keys, key=lambda key: len({row[key] for row in rows}))
    term = keys[place]
    rest, ordered = _narrowed(ir.all_of(*(other for other in _terms(shape) if other is not term)), rows, (place,))
    members = tuple(dict.fromkeys(row[0] for row in ordered))
    key = (
        term.left
        if term.left.type.kind in (SparkType.STRING, SparkType.BIGINT)
        else ir.Apply(ir.Function.TO_LONG, (term.left,), BIGINT)
    )
    # The list of keys is a test that a file reader knows, and that spares most rows the map, which Spark before 4.2
    # searches from the first key on.
    return ir.all_of(ir.In(term.left, members), ir.AnyRow(rest, ordered, key))


def _can_be_key(term: ir.Compare) -> bool:
    kind = term.left.type.kind
    return term.operator is Comparison.EQ and (term.left.type == STRING or kind.bits is not None)


def _behind_bounds(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate:
    """Return the disjunction behind the loosest bounds of its columns, which a file reader knows."""
    bounds = [
        _loosest(*_narrowed(term, rows))
        for term in _terms(shape)
        if isinstance(term, ir.Compare) and _places(term) and isinstance(term.left, ir.Column) and not term.left.in_map
    ]
    return ir.all_of(*(bound for bound in bounds if bound is not None), ir.AnyRow(shape, rows))


def _loosest(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate | None:
    """Return the ordering with the loosest bound, which the others imply; None for any other condition."""
    if not isinstance(shape, ir.Compare) or shape.operator.is_equality:
        return None
    bounds = [row[0] for row in rows]
    if any(isinstance(bound.value, str | bytes | bool) or bound.value != bound.value for bound in bounds):
        return None
    choose = min if shape.operator in (Comparison.GT, Comparison.GE) else max
    return replace(shape, right=choose(bounds, key=lambda constant: constant.value))
