"""Long disjunctions and conjunctions as one test.

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

from transpiler.ir.functions import Function
from transpiler.ir.java_regex import any_text_expression
from transpiler.ir.nodes import (
    FALSE,
    And,
    Apply,
    Cell,
    Chain,
    Column,
    Compare,
    Constant,
    FirstKnown,
    In,
    Like,
    Listed,
    Matches,
    NotTrue,
    Or,
    Predicate,
    Value,
    all_of,
    constant,
)
from transpiler.ir.traversal import everything, rebuild, with_cells
from transpiler.layouts.columns import BIGINT, STRING, Kind
from transpiler.rewrites.combine_in_lists import among
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Wildcard
from transpiler.spark_plan.range_buckets import Row, in_buckets

#: From so many conditions of one shape on.
MIN_TERMS = 16
#: Beginnings and endings of so many lengths are a list for each of them.
MAX_LENGTHS = 16


def gather(node: Predicate) -> Predicate:
    """The predicate with its long chains as lists; it holds in the same rows."""
    return _listed(node) if _has_chain(node) else node


def _has_chain(node: Predicate) -> bool:
    """Whether a look at what stands above the tests alone says that there may be something to do."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case And(terms=terms) | Or(terms=terms):
                if len(terms) >= MIN_TERMS:
                    return True
                waiting.extend(terms)
            case FirstKnown(tests=tests):
                waiting.extend(tests)
            case NotTrue(predicate=inner):
                waiting.append(inner)
            case _:
                pass
    return False


def _listed(node: Predicate) -> Predicate:
    match node:
        case And() | Or():
            inner = rebuild(node, _listed, _same)
            assert isinstance(inner, Chain)
            if len(inner.terms) < MIN_TERMS:
                return inner
            terms = _texts_together(inner.terms, negated=isinstance(inner, And))
            terms = _rows_together(terms) if isinstance(inner, Or) else _none_of(terms)
            return terms[0] if len(terms) == 1 else type(inner)(terms)
        case FirstKnown(tests=tests):
            return _with_lists(node, tuple(map(_listed, tests))) or node
        case NotTrue():
            return rebuild(node, _listed, _same)
        case _:
            return node


def _with_lists(node: FirstKnown, tests: tuple[Predicate, ...]) -> Predicate | None:
    """The node with tests that are lists now; None where one of them may not say whether it is NULL.

    By ``spark.sql.legacy.followThreeValuedLogicInArrayExists`` a list without a key can be FALSE for NULL.
    """
    if not any(isinstance(inner, Listed) and inner.key is None for test in tests for inner in everything(test)):
        return FirstKnown(tests, node.otherwise, node.apart)
    return Or(tests) if node.apart and node.otherwise == FALSE else None


def _same(value: Value) -> Value:
    return value


def _texts_together(terms: tuple[Predicate, ...], negated: bool) -> tuple[Predicate, ...]:
    """``a LIKE '%x%' OR a LIKE '%y%'`` is one search for x or y, and beginnings of one length are a list."""
    groups: dict[_Place, dict[str, None]] = {}
    group_of: dict[Predicate, _Place] = {}
    for term in terms:
        match term:
            case Like(value=value, pattern=(Wildcard.ANY, str(text), Wildcard.ANY)):
                key = (value, True, True)
            case Like(value=value, pattern=(str(text), Wildcard.ANY)):
                key = (value, False, True)
            case Like(value=value, pattern=(Wildcard.ANY, str(text))):
                key = (value, True, False)
            case _:
                continue
        # In a string that is not UTF-8 a regular expression sees U+FFFD, and a search for bytes does not.
        if term.negated is negated and "\N{REPLACEMENT CHARACTER}" not in text:
            groups.setdefault(key, {})[text] = None
            group_of[term] = key
    merged: dict[_Place, tuple[Predicate, ...]] = {}
    for key, texts in groups.items():
        if len(texts) >= MIN_TERMS:
            found = _by_length(key, texts, negated)
            if found is None and (expression := any_text_expression(texts, *key[1:])) is not None:
                found = (Matches(key[0], expression, negated),)
            if found is not None:
                merged[key] = found
    each = (merged.get(group_of[term], (term,)) if term in group_of else (term,) for term in terms)
    return tuple(dict.fromkeys(chain.from_iterable(each)))


#: A value, and whether anything may stand before a text and behind it.
_Place = tuple[Value, bool, bool]


def _by_length(place: _Place, texts: Iterable[str], negated: bool) -> tuple[Predicate, ...] | None:
    """Beginnings or endings as a list for each length, for an engine finds a text in a list by its hash; None where
    they stand elsewhere, have too many lengths, or the value's own characters may be no UTF-8, which has no length."""
    value, before, behind = place
    if before is behind or any(
        isinstance(part, Apply) and part.function is Function.TEXT_OF_BYTES for part in everything(value)
    ):
        return None
    lists: dict[int, list[Constant]] = {}
    for text in texts:
        lists.setdefault(len(text), []).append(constant(text))
    if len(lists) > MAX_LENGTHS:
        return None
    end = Function.RIGHT if before else Function.LEFT
    return tuple(
        among(Apply(end, (value, constant(length)), STRING), tuple(lists[length]), negated) for length in sorted(lists)
    )


def _none_of(terms: tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    """Where each of some predicates does not hold, their disjunction does not."""
    found = tuple(term.predicate for term in terms if isinstance(term, NotTrue))
    if len(found) < MIN_TERMS:
        return terms
    none = NotTrue(_listed(Or(found)))
    return tuple(dict.fromkeys(none if isinstance(term, NotTrue) else term for term in terms))


def _rows_together(terms: tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    """Conditions that differ in constants only are one condition and a list of constants."""
    groups: dict[tuple[Predicate, ...], dict[Row, None]] = {}
    shape_of: list[tuple[Predicate, ...]] = []
    for term in terms:
        cells: list[Constant] = []
        shape = (_made_general(term, cells),)
        shape_of.append(shape)
        if cells:
            groups.setdefault(shape, {})[tuple(cells)] = None
    merged = {shape: _merged(shape[0], tuple(rows)) for shape, rows in groups.items() if len(rows) >= MIN_TERMS}
    return tuple(dict.fromkeys(merged.get(shape, term) for shape, term in zip(shape_of, terms, strict=True)))


def _made_general(node: Predicate, cells: list[Constant]) -> Predicate:
    """The condition with a cell for each constant that a comparison has on its right."""
    match node:
        case Compare(right=Constant() as found):
            cells.append(found)
            return replace(node, right=Cell(len(cells) - 1, found.type))
        case And() | Or() | FirstKnown():
            return rebuild(node, lambda inner: _made_general(inner, cells), _same)
        case _:
            return node


def _merged(shape: Predicate, rows: Iterable[Row]) -> Predicate:
    """The disjunction of a condition over some rows."""
    rows = tuple(dict.fromkeys(rows))
    columns = tuple(zip(*rows, strict=True))
    constants = {place: column[0] for place, column in enumerate(columns) if len(set(column)) == 1}
    shape = with_cells(shape, constants)
    general = [bool(_cells(term)) for term in _terms(shape)]
    if not any(general):
        return shape
    varying = _varying(*_narrowed(all_of(*compress(_terms(shape), general)), rows))
    first = general.index(True)
    fixed = [term for term, is_general in zip(_terms(shape), general, strict=True) if not is_general]
    return all_of(*fixed[:first], varying, *fixed[first:])


def _varying(shape: Predicate, rows: tuple[Row, ...]) -> Predicate:
    """The disjunction of a condition whose terms all have cells, and that has all cells of the rows."""
    match shape:
        case Compare(operator=Comparison.EQ, left=left, right=Cell()):
            return In(left, tuple(row[0] for row in rows))
        case FirstKnown(tests=tests, apart=True) if all(map(_cells, tests)):
            # Each alternative has a list of its own.
            lists = tuple(_merged(*_narrowed(test, rows)) for test in tests)
            return _with_lists(shape, lists) or Listed(shape, rows)
        case _:
            return _loosest(shape, rows) or in_buckets(shape, rows) or _behind_a_key(shape, rows) or Listed(shape, rows)


def _cells(node: Predicate) -> list[int]:
    """The places of the cells in a condition, in order."""
    return sorted({inner.place for inner in everything(node) if isinstance(inner, Cell)})


def _narrowed(shape: Predicate, rows: tuple[Row, ...], first: Sequence[int] = ()) -> tuple[Predicate, tuple[Row, ...]]:
    """A condition, and the rows without what it does not look at; some of their places come first."""
    places = [*first, *(place for place in _cells(shape) if place not in first)]
    moved = {old: Cell(new, rows[0][old].type) for new, old in enumerate(places)}
    narrow = dict.fromkeys(tuple(row[place] for place in places) for row in rows)
    return with_cells(shape, moved), tuple(narrow)


def _terms(shape: Predicate) -> tuple[Predicate, ...]:
    return shape.terms if isinstance(shape, And) else (shape,)


def _behind_a_key(shape: Predicate, rows: tuple[Row, ...]) -> Predicate | None:
    """The rows behind the most telling of the values that the condition compares with a constant of its row."""
    keys = {
        term.right.place: term
        for term in _terms(shape)
        if isinstance(term, Compare) and isinstance(term.right, Cell) and _can_be_key(term)
    }
    if not keys:
        return None
    place = max(keys, key=lambda found: len({row[found] for row in rows}))
    term = keys[place]
    rest, ordered = _narrowed(all_of(*(other for other in _terms(shape) if other is not term)), rows, (place,))
    members = tuple(dict.fromkeys(row[0] for row in ordered))
    key = (
        term.left
        if term.left.type.kind in (Kind.STRING, Kind.BIGINT)
        else Apply(Function.TO_LONG, (term.left,), BIGINT)
    )
    # The list of keys is a test that a file reader knows, and that spares most rows the map, which Spark before 4.2
    # searches from the first key on.
    return all_of(In(term.left, members), Listed(rest, ordered, key))


def _can_be_key(term: Compare) -> bool:
    kind = term.left.type.kind
    return term.operator is Comparison.EQ and (term.left.type == STRING or kind.bits is not None)


def _loosest(shape: Predicate, rows: tuple[Row, ...]) -> Predicate | None:
    """Of orderings that differ in one bound the one that the others imply; None where there is more to it."""
    if not isinstance(shape, Compare) or shape.operator.is_equality:
        return None
    bounds = [row[0] for row in rows]
    if any(isinstance(bound.value, str | bytes | bool) or bound.value != bound.value for bound in bounds):
        return None
    choose = min if shape.operator in (Comparison.GT, Comparison.GE) else max
    return replace(shape, right=choose(bounds, key=lambda found: found.value))


def bound(node: Listed, row: str) -> tuple[tuple[Value, ...], Predicate]:
    """What the lists's predicate reads of a message, and the predicate as it is written inside the lambda.

    There a cell is a field of ``row``. Without a key the message's values are fields of ``m``, read once and not for
    every row of the list; with one they stay what they are, for few rows of the list are ever looked at.
    """
    values: dict[Value, None] = {}

    def value(inner: Value) -> Value:
        match inner:
            case Cell(place=place, type=cell_type):
                return Column((row, f"c{place}"), cell_type)
            case Constant():
                return inner
            case _:
                values[inner] = None
                if node.key is not None:
                    return inner
                return Column(("m", f"v{list(values).index(inner)}"), inner.type)

    def visit(inner: Predicate) -> Predicate:
        return rebuild(inner, visit, value)

    found = visit(node.predicate)
    return tuple(values), found
