"""Long disjunctions and conjunctions as one test.

People write thousands of conditions that differ in a constant. As so many tests they would be code that no engine
compiles well; as data they are one test: texts become one regular expression with the shape of a prefix tree, and
conditions of one shape become a list of rows of constants, behind a map where they ask for the value of one property.

Short ones stay as they are, which reads better and lets a file reader see them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from transpiler.layouts.columns import BIGINT, STRING, Kind
from transpiler.predicate.core import (
    And,
    Apply,
    Block,
    Cell,
    Column,
    Compare,
    Constant,
    Flag,
    Function,
    In,
    IsNan,
    IsNull,
    Like,
    Listed,
    Matches,
    NotTrue,
    Or,
    Predicate,
    Value,
    all_of,
)
from transpiler.predicate.regular import any_text_expression
from transpiler.predicate.walk import everything, parts, rebuild, size
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Wildcard

#: From so many conditions of one shape on.
MIN_TERMS = 16

_Row = tuple[Constant, ...]


#: Nodes that one generated method may hold: one is 20 to 45 bytes of code, and 8,000 is the compiler's limit.
_METHOD = 160
#: What the call of a method counts for in the one that calls it.
_CALL = 5


def condense(node: Predicate, blocks: bool = True) -> Predicate:
    """The predicate with its long chains as lists, and what is still long in ``blocks``; it holds in the same rows."""
    if _is_short(node):
        return node
    listed = _listed(node)
    return _cut(listed)[0] if blocks else listed


def _is_short(node: Predicate) -> bool:
    """Whether a look at the conjunctions and disjunctions alone says that there is nothing to do."""
    tests, waiting = 0, [node]
    while waiting:
        match waiting.pop():
            case And(terms=terms) | Or(terms=terms):
                if len(terms) >= MIN_TERMS:
                    return False
                waiting.extend(terms)
            case NotTrue(predicate=inner):
                waiting.append(inner)
            case test:
                tests += 1 if isinstance(test, Compare | In | Like | Flag | IsNull | IsNan) else _METHOD
    return tests <= _METHOD // 10


def _cut(node: Predicate) -> tuple[Predicate, int]:
    """The predicate with blocks in it, and how many nodes are left outside of them."""
    if isinstance(node, NotTrue):
        inner, weight = _cut(node.predicate)
        return (node if inner is node.predicate else NotTrue(inner)), weight
    if not isinstance(node, And | Or):
        return node, size(node) - (len(node.members) if isinstance(node, In) else 0)
    terms = [_cut(term) for term in node.terms]
    while sum(weight for _, weight in terms) > _METHOD:
        groups: list[list[tuple[Predicate, int]]] = [[]]
        for term, weight in terms:
            if sum(other for _, other in groups[-1]) + weight > _METHOD and groups[-1]:
                groups.append([])
            groups[-1].append((term, weight))
        terms = [(_block(type(node), [term for term, _ in group]), _CALL) for group in groups]
    whole = sum(weight for _, weight in terms)
    if len(terms) == len(node.terms) and all(new is old for (new, _), old in zip(terms, node.terms, strict=True)):
        return node, whole
    return type(node)(tuple(term for term, _ in terms)), whole


def _block(kind: type[And] | type[Or], terms: list[Predicate]) -> Block:
    return Block(terms[0] if len(terms) == 1 else kind(tuple(terms)))


def _listed(node: Predicate) -> Predicate:
    match node:
        case And() | Or():
            inner = rebuild(node, _listed, _same)
            assert isinstance(inner, And | Or)
            if len(inner.terms) < MIN_TERMS:
                return inner
            terms = _texts_together(inner.terms, negated=isinstance(inner, And))
            terms = _rows_together(terms) if isinstance(inner, Or) else _none_of(terms)
            return terms[0] if len(terms) == 1 else type(inner)(terms)
        case NotTrue():
            return rebuild(node, _listed, _same)
        case _:
            return node


def _same(value: Value) -> Value:
    return value


def _texts_together(terms: tuple[Predicate, ...], negated: bool) -> tuple[Predicate, ...]:
    """``a LIKE '%x%' OR a LIKE '%y%'`` is one search for x or y, and so are prefixes and suffixes."""
    groups: dict[tuple[Value, bool, bool], dict[str, None]] = {}
    group_of: dict[Predicate, tuple[Value, bool, bool]] = {}
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
    merged: dict[tuple[Value, bool, bool], Predicate] = {}
    for key, texts in groups.items():
        if len(texts) >= MIN_TERMS and (expression := any_text_expression(texts, *key[1:])) is not None:
            merged[key] = Matches(key[0], expression, negated)
    return tuple(dict.fromkeys(merged.get(group_of[term], term) if term in group_of else term for term in terms))


def _none_of(terms: tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    """Where each of some predicates does not hold, their disjunction does not."""
    found = tuple(term.predicate for term in terms if isinstance(term, NotTrue))
    if len(found) < MIN_TERMS:
        return terms
    none = NotTrue(_listed(Or(found)))
    return tuple(dict.fromkeys(none if isinstance(term, NotTrue) else term for term in terms))


def _rows_together(terms: tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    """Conditions that differ in constants only are one condition and a list of constants."""
    groups: dict[tuple[Predicate, ...], dict[_Row, None]] = {}
    shape_of: list[tuple[Predicate, ...]] = []
    for term in terms:
        cells: list[Constant] = []
        shape = (_with_cells(term, cells),)
        shape_of.append(shape)
        if cells:
            groups.setdefault(shape, {})[tuple(cells)] = None
    merged = {shape: _merged(shape[0], tuple(rows)) for shape, rows in groups.items() if len(rows) >= MIN_TERMS}
    return tuple(dict.fromkeys(merged.get(shape, term) for shape, term in zip(shape_of, terms, strict=True)))


def _with_cells(node: Predicate, cells: list[Constant]) -> Predicate:
    """The condition with a cell for each constant that a comparison has on its right."""
    match node:
        case Compare(right=Constant() as constant):
            cells.append(constant)
            return replace(node, right=Cell(len(cells) - 1, constant.type))
        case And() | Or():
            return rebuild(node, lambda inner: _with_cells(inner, cells), _same)
        case _:
            return node


def _merged(shape: Predicate, rows: tuple[_Row, ...]) -> Predicate:
    loosest = _loosest(shape, rows)
    if loosest is not None:
        return loosest
    keys = {
        term.right.place: term
        for term in (shape.terms if isinstance(shape, And) else ())
        if isinstance(term, Compare) and isinstance(term.right, Cell) and _can_be_key(term)
    }
    if not keys:
        return Listed(shape, rows)
    distinct = {place: len({row[place] for row in rows}) for place in keys}
    place = max(distinct, key=lambda found: distinct[found])
    term = keys[place]
    assert isinstance(shape, And)
    # The key comes first in its row.
    order = [place, *(other for other in range(len(rows[0])) if other != place)]
    ordered = tuple(tuple(row[other] for other in order) for row in rows)
    rest = all_of(*(_renumbered(other, order) for other in shape.terms if other is not term))
    members = tuple(dict.fromkeys(row[0] for row in ordered))
    key = (
        term.left
        if term.left.type.kind in (Kind.STRING, Kind.BIGINT)
        else Apply(Function.TO_LONG, (term.left,), BIGINT)
    )
    # The list of keys is a test that a file reader knows, and that spares most rows the map.
    return all_of(In(term.left, members), Listed(rest, ordered, key))


def _can_be_key(term: Compare) -> bool:
    kind = term.left.type.kind
    return term.operator is Comparison.EQ and (term.left.type == STRING or kind.bits is not None)


def _renumbered(node: Predicate, order: list[int]) -> Predicate:
    match node:
        case Compare(right=Cell(place=place, type=cell_type)):
            return replace(node, right=Cell(order.index(place), cell_type))
        case And() | Or():
            return rebuild(node, lambda inner: _renumbered(inner, order), _same)
        case _:
            return node


def _loosest(shape: Predicate, rows: tuple[_Row, ...]) -> Predicate | None:
    """Of orderings that differ in one bound the one that the others imply; None where there is more to it."""
    if len(rows[0]) != 1:
        return None
    bounds = [row[0] for row in rows]
    terms = shape.terms if isinstance(shape, And) else (shape,)
    ordering = next(term for term in terms if _cell_inside(term))
    if not isinstance(ordering, Compare) or ordering.operator.is_equality:
        return None
    if any(isinstance(bound.value, str | bytes | bool) or bound.value != bound.value for bound in bounds):
        return None
    choose = min if ordering.operator in (Comparison.GT, Comparison.GE) else max
    bound = choose(bounds, key=lambda found: found.value)
    kept = replace(ordering, right=bound)
    return all_of(*(kept if term is ordering else term for term in terms))


def _cell_inside(node: Predicate | Value) -> bool:
    return isinstance(node, Cell) or any(map(_cell_inside, parts(node)))


def chunks(node: Listed) -> tuple[tuple[_Row, tuple[_Row, ...]], ...]:
    """Long lists of ranges in chunks, each behind a row of the loosest bounds in it, which all its rows imply.

    So a message looks at about twice the square root of the rows. Empty where the predicate is more than bounds.
    """
    orders = _orders(node.predicate)
    if node.key is not None or len(node.rows) < 4 * MIN_TERMS or orders is None:
        return ()
    length = math.isqrt(len(node.rows))
    rows = sorted(node.rows, key=lambda row: tuple(constant.value for constant in row))
    found = []
    for start in range(0, len(rows), length):
        chunk = tuple(rows[start : start + length])
        columns = zip(*chunk, strict=True)
        loosest = tuple(
            choose(column, key=lambda constant: constant.value) for choose, column in zip(orders, columns, strict=True)
        )
        found.append((loosest, chunk))
    return tuple(found)


_Choice = Callable[..., Constant]


def _orders(node: Predicate) -> tuple[_Choice, ...] | None:
    """For each cell whether the least or the greatest constant is the loosest; None where a cell has no order."""
    found: dict[int, _Choice] = {}
    for inner in everything(node):
        if isinstance(inner, Compare) and isinstance(inner.right, Cell):
            if inner.operator.is_equality or inner.right.type.kind not in _ORDERED:
                return None
            found[inner.right.place] = min if inner.operator in (Comparison.GT, Comparison.GE) else max
    return tuple(found[place] for place in sorted(found))


_ORDERED = (Kind.BIGINT, Kind.DOUBLE)


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
