"""Rewrite a long disjunction or conjunction, which ``disjunctions`` has found, as one test of data.

People write thousands of conditions that differ only in a constant. As separate tests, they are code that no engine
compiles well; as data, they are one test. Prefixes and suffixes become a list for each length; substrings become one
regular expression in the form of a prefix tree; conditions of the same shape become a list of rows of constants, or a
map from the values of one property to such lists.

Short chains stay unchanged, because they are easier to read and can be pushed down to a file reader.
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
from transpiler.compiler.rewrites.chains import in_or_equal
from transpiler.compiler.spark_plan import tuning
from transpiler.compiler.spark_plan.row_chunks import row_chunks


def with_lists(node: ir.Coalesce, tests: tuple[ir.Predicate, ...]) -> ir.Predicate | None:
    """Return ``node`` with ``tests`` in place of its own tests, whose long ORs have become lists of constants.

    Return None if a list needs Spark's ``exists`` and ``node`` distinguishes FALSE and NULL: ``exists`` returns FALSE
    instead of NULL if ``spark.sql.legacy.followThreeValuedLogicInArrayExists`` is off.
    """
    if not any(isinstance(inner, ir.AnyRow) and inner.key is None for test in tests for inner in ir.descendants(test)):
        return ir.Coalesce(tests, node.otherwise, node.disjoint)
    return ir.Or(tests) if node.disjoint and node.otherwise == ir.FALSE else None


def texts_together(terms: tuple[ir.Predicate, ...], negated: bool) -> tuple[ir.Predicate, ...]:
    """Merge tests like ``a LIKE '%x%'`` and ``a LIKE '%y%'`` in ``terms`` into one regular expression or IN lists.

    ``terms`` are the terms of an OR. If ``negated`` is True, they are the terms of an AND, and NOT LIKE is merged.
    """
    groups: dict[_Group, dict[str, None]] = {}
    group_of: dict[ir.Predicate, _Group] = {}
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
        # Do not merge a text with U+FFFD: in a string that is not UTF-8, a regular expression finds U+FFFD in place of
        # each invalid byte, but LIKE, which compares bytes, does not.
        if term.negated is negated and "\N{REPLACEMENT CHARACTER}" not in text:
            groups.setdefault(key, {})[text] = None
            group_of[term] = key
    merged: dict[_Group, tuple[ir.Predicate, ...]] = {}
    for key, texts in groups.items():
        if len(texts) >= tuning.MIN_TERMS:
            lists = _by_length(key, texts, negated)
            if lists is None and (expression := any_text_expression(texts, *key[1:])) is not None:
                lists = (ir.Matches(key[0], expression, negated),)
            if lists is not None:
                merged[key] = lists
    each = (merged.get(group_of[term], (term,)) if term in group_of else (term,) for term in terms)
    return tuple(dict.fromkeys(chain.from_iterable(each)))


#: LIKE tests that can be merged: the tested value, True if their patterns begin with ``%``, and True if they end with
#: ``%``.
_Group = tuple[ir.Value, bool, bool]


def _by_length(group: _Group, texts: Iterable[str], negated: bool) -> tuple[ir.Predicate, ...] | None:
    """Rewrite LIKE tests for the prefixes or suffixes ``texts`` as IN tests, one for each length of the texts.

    ``a LIKE 'ab%' OR a LIKE 'cd%'`` becomes ``left(a, 2) IN ('ab', 'cd')``, which Spark evaluates by hash. Return None
    for substrings, for too many lengths, and for bytes that may not be UTF-8 and so have no defined length.
    """
    value, before, behind = group
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
    """Rewrite conditions that differ only in constants as one condition over a list of rows of constants."""
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
    """Return ``node`` with a parameter in place of each constant on the right of a comparison.

    Append the constants to ``row``. ``a = 1 AND b = 2`` becomes ``a = :0 AND b = :1`` with the row (1, 2), so
    conditions that differ only in constants become equal.
    """
    match node:
        case ir.Compare(right=ir.Constant() as constant):
            row.append(constant)
            return replace(node, right=ir.RowParameter(len(row) - 1, constant.type))
        case ir.And() | ir.Or() | ir.Coalesce():
            return ir.rebuild(node, lambda inner: _made_general(inner, row))
        case _:
            return node


def _merged(shape: ir.Predicate, rows: Iterable[ir.Row]) -> ir.Predicate:
    """Return one predicate that is equal to an OR over ``rows`` of ``shape`` with the row's constants inserted."""
    rows = tuple(dict.fromkeys(rows))
    columns = tuple(zip(*rows, strict=True))
    constants = {position: column[0] for position, column in enumerate(columns) if len(set(column)) == 1}
    shape = ir.substitute_parameters(shape, constants)
    general = [bool(_groups(term)) for term in _terms(shape)]
    if not any(general):
        return shape
    varying = _varying(*_narrowed(ir.all_of(*compress(_terms(shape), general)), rows))
    first = general.index(True)
    fixed = [term for term, is_general in zip(_terms(shape), general, strict=True) if not is_general]
    return ir.all_of(*fixed[:first], varying, *fixed[first:])


def _varying(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate:
    """Return what ``_merged`` returns, for a ``shape`` (an AND) in which every term depends on the row's constants."""
    match shape:
        case ir.Compare(operator=Comparison.EQ, left=left, right=ir.RowParameter()):
            return ir.In(left, tuple(row[0] for row in rows))
        case ir.Coalesce(tests=tests, disjoint=True) if all(map(_groups, tests)):
            # Each of ``tests`` is for another type of one property's value, so at most one of them is not NULL in a
            # row. Therefore each test can have its own list of constants.
            lists = tuple(_merged(*_narrowed(test, rows)) for test in tests)
            return with_lists(shape, lists) or _any_row(shape, rows)
        case _:
            return _loosest(shape, rows) or _keyed_lookup(shape, rows) or _preceded_by_bounds(shape, rows)


def _any_row(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.AnyRow:
    return ir.AnyRow(shape, rows, chunks=row_chunks(shape, rows))


def _groups(node: ir.Predicate) -> list[int]:
    """Return the indices of the row parameters (placeholders for constants) in ``node``, in ascending order."""
    return sorted({inner.index for inner in ir.descendants(node) if isinstance(inner, ir.RowParameter)})


def _narrowed(
    shape: ir.Predicate, rows: tuple[ir.Row, ...], first: Sequence[int] = ()
) -> tuple[ir.Predicate, tuple[ir.Row, ...]]:
    """Return ``rows`` with only the constants that ``shape`` reads, and ``shape`` with renumbered parameters.

    The constants with the indices ``first`` are kept in any case and come first.
    """
    indexes = [*first, *(index for index in _groups(shape) if index not in first)]
    moved = {old: ir.RowParameter(new, rows[0][old].type) for new, old in enumerate(indexes)}
    narrow = dict.fromkeys(tuple(row[index] for index in indexes) for row in rows)
    return ir.substitute_parameters(shape, moved), tuple(narrow)


def _terms(shape: ir.Predicate) -> tuple[ir.Predicate, ...]:
    return shape.terms if isinstance(shape, ir.And) else (shape,)


def _keyed_lookup(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate | None:
    """Return what ``_merged`` returns, as a lookup in a map from a value of the message to the rows with this value.

    The map's key is the value that ``shape`` compares by ``=`` with the most distinct constants. Return None if
    ``shape`` has no such comparison.
    """
    keys = {
        term.right.index: term
        for term in _terms(shape)
        if isinstance(term, ir.Compare) and isinstance(term.right, ir.RowParameter) and _can_be_key(term)
    }
    if not keys:
        return None
    index = max(keys, key=lambda key: len({row[key] for row in rows}))
    term = keys[index]
    rest, ordered = _narrowed(ir.all_of(*(other for other in _terms(shape) if other is not term)), rows, (index,))
    members = tuple(dict.fromkeys(row[0] for row in ordered))
    key = (
        term.left
        if term.left.type.kind in (SparkType.STRING, SparkType.BIGINT)
        else ir.Apply(ir.Function.TO_LONG, (term.left,), BIGINT)
    )
    # First test if the value is in the list of all lookup keys: Spark pushes this test down to a file reader, and it
    # saves the search of the map of constants, which takes linear time in Spark before 4.2.
    return ir.all_of(ir.In(term.left, members), ir.AnyRow(rest, ordered, key))


def _can_be_key(term: ir.Compare) -> bool:
    kind = term.left.type.kind
    return term.operator is Comparison.EQ and (term.left.type == STRING or kind.bits is not None)


def _preceded_by_bounds(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate:
    """Return what ``_merged`` returns, preceded by tests of columns that Spark can push down to a file reader.

    A test is implied by all ``rows``: for ``a > 1 AND s = 'x' OR a > 5 AND s = 'y'`` it is ``a > 1``.
    """
    bounds = [
        _loosest(*_narrowed(term, rows))
        for term in _terms(shape)
        if isinstance(term, ir.Compare) and _groups(term) and isinstance(term.left, ir.Column) and not term.left.in_map
    ]
    return ir.all_of(*(bound for bound in bounds if bound is not None), _any_row(shape, rows))


def _loosest(shape: ir.Predicate, rows: tuple[ir.Row, ...]) -> ir.Predicate | None:
    """Return the comparison ``shape`` with the loosest bound in ``rows``: ``a > 1`` for the bounds 1 and 5.

    Return None if ``shape`` is not a comparison of numbers by ``<``, ``<=``, ``>`` or ``>=``.
    """
    if not isinstance(shape, ir.Compare) or shape.operator.is_equality:
        return None
    bounds = [row[0] for row in rows]
    if any(isinstance(bound.value, str | bytes | bool) or bound.value != bound.value for bound in bounds):
        return None
    choose = min if shape.operator in (Comparison.GT, Comparison.GE) else max
    return replace(shape, right=choose(bounds, key=lambda constant: constant.value))
