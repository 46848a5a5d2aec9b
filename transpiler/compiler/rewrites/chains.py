"""The laws for chains: terms of one AND or OR that imply, exclude or complete each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType
from transpiler.compiler.rewrites.simplify import cancel_complements, fold_constants

#: If two predicates are complements of each other, at least one of them is of these classes, because the complement of
#: a predicate of any other class is a ``NotTrue``.
_HAS_COMPLEMENT = (ir.NotTrue, ir.IsNull, ir.IsNan)

#: The possible outcomes of comparing a value with a constant, as bits: the value is less, equal or greater.
_BELOW, _EQUAL, _ABOVE = 1, 2, 4
_OUTCOMES = {
    Comparison.LT: _BELOW,
    Comparison.LE: _BELOW | _EQUAL,
    Comparison.EQ: _EQUAL,
    Comparison.GE: _EQUAL | _ABOVE,
    Comparison.GT: _ABOVE,
    Comparison.NE: _BELOW | _ABOVE,
}
_OPERATORS = {outcomes: operator for operator, outcomes in _OUTCOMES.items()}


def flatten_chains(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a AND (b AND c)`` as ``a AND b AND c``, ``a AND a`` as ``a`` and ``a AND TRUE`` as ``a``.

    AND and OR are associative and idempotent; one of TRUE and FALSE is the identity, and the other is absorbing.
    """
    if not isinstance(node, ir.Chain):
        return node
    identity, absorbing = (ir.TRUE, ir.FALSE) if isinstance(node, ir.And) else (ir.FALSE, ir.TRUE)
    terms: list[ir.Predicate] = []
    for term in node.terms:
        for inner in term.terms if isinstance(term, type(node)) else (term,):
            if not isinstance(inner, ir.BoolConst):
                terms.append(inner)
            elif inner == absorbing:
                return absorbing
    distinct = tuple(dict.fromkeys(terms))
    if not distinct:
        return identity
    if len(distinct) == 1:
        return distinct[0]
    return node if len(distinct) == len(node.terms) and all(map(is_, distinct, node.terms)) else type(node)(distinct)


def absorb_terms(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a OR a AND b`` as ``a``, and ``a AND (a OR b)`` as ``a``."""
    if not isinstance(node, ir.Chain):
        return node
    dual = ir.Or if isinstance(node, ir.And) else ir.And
    if not any(isinstance(term, dual) for term in node.terms):
        return node
    own = set(node.terms)
    kept = tuple(term for term in node.terms if not isinstance(term, dual) or own.isdisjoint(term.terms))
    if len(kept) == len(node.terms):
        return node
    return kept[0] if len(kept) == 1 else type(node)(kept)


def combine_in_lists(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a = 1 OR a = 2`` as ``a IN (1, 2)``, and ``a <> 1 AND a <> 2`` as ``a NOT IN (1, 2)``.

    Spark searches a list by hash, and pushes it down to file readers. A list with one member becomes an equality again,
    and repeated members are removed.
    """
    match node:
        case ir.And() | ir.Or():
            return _combined(node)
        case ir.In(value=value, members=(_,) as members, negated=negated):
            return in_or_equal(value, members, negated)
        case ir.In(members=members) if len(set(members)) < len(members):
            return replace(node, members=tuple(dict.fromkeys(members)))
        case _:
            return node


def _combined(node: ir.Chain) -> ir.Predicate:
    negated = isinstance(node, ir.And)
    operator = Comparison.NE if negated else Comparison.EQ
    each = [_members(term, operator, negated) for term in node.terms]
    if len(each) - each.count(None) < 2:
        return node
    lists: dict[ir.Value, dict[ir.Constant, None]] = {}
    kept: dict[ir.Predicate | ir.Value, None] = {}
    for term, pair in zip(node.terms, each, strict=True):
        if pair is None:
            kept[term] = None
        else:
            value, members = pair
            kept[value] = None
            lists.setdefault(value, {}).update(dict.fromkeys(members))
    if len(kept) == len(node.terms):
        return node
    merged = tuple(_listed(term, lists, negated) for term in kept)
    return merged[0] if len(merged) == 1 else type(node)(merged)


def _members(
    term: ir.Predicate, operator: Comparison, negated: bool
) -> tuple[ir.Value, tuple[ir.Constant, ...]] | None:
    match term:
        case ir.Compare(operator=actual, left=left, right=ir.Constant() as right) if actual is operator:
            return left, (right,)
        case ir.In(value=value, members=members, negated=other) if other is negated:
            return value, members
        case _:
            return None


def _listed(
    term: ir.Predicate | ir.Value, lists: dict[ir.Value, dict[ir.Constant, None]], negated: bool
) -> ir.Predicate:
    if not isinstance(term, ir.Value):
        return term
    return in_or_equal(term, tuple(lists[term]), negated)


def in_or_equal(value: ir.Value, members: tuple[ir.Constant, ...], negated: bool) -> ir.Predicate:
    """Return ``value IN members`` or its negation; with one member, a comparison."""
    if len(members) == 1:
        return ir.Compare(Comparison.NE if negated else Comparison.EQ, value, members[0])
    return ir.In(value, members, negated)


def substitute_constant(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a = 5 AND a > 3`` as ``a = 5``, and ``a = 5 AND a <> 5`` as FALSE.

    Of the constants in ``a IN (1, 5) AND a > 3``, those for which all tests hold are kept.
    """
    if not isinstance(node, ir.And):
        return node
    by_value = _by_value(node.terms)
    for term in node.terms:
        match term:
            case ir.Compare(operator=Comparison.EQ, left=value, right=ir.Constant() as constant):
                constants: tuple[ir.Constant, ...] = (constant,)
            case ir.In(value=value, members=constants, negated=False):
                pass
            case _:
                continue
        tests = [other for other in by_value[value] if other is not term]
        truths = [_decide_all(other, value, constants) for other in tests]
        held = [truth for truth in truths if truth is not None]
        if held:
            members = tuple(constant for constant, *each in zip(constants, *held, strict=True) if all(each))
            decided = {id(test) for test, truth in zip(tests, truths, strict=True) if truth is not None} | {id(term)}
            undecided = [other for other in node.terms if id(other) not in decided]
            return ir.all_of(in_or_equal(value, members, negated=False) if members else ir.FALSE, *undecided)
    return node


def _by_value(terms: Sequence[ir.Predicate]) -> dict[ir.Value, list[ir.Predicate]]:
    """Group ``terms`` by the value that each of them tests.

    A term that tests a function of values, such as ``trim(a) = 'x'``, is also in the groups of these values.
    """
    tests: dict[ir.Value, list[ir.Predicate]] = {}
    for term in terms:
        match term:
            case ir.Compare(left=tested) | ir.In(value=tested) | ir.Like(value=tested) | ir.Topic(value=tested):
                pass
            case ir.IsNull(value=tested) | ir.IsNan(value=tested) | ir.Matches(value=tested):
                pass
            case _:
                continue
        for value in {tested, *(tested.arguments if isinstance(tested, ir.Apply) else ())}:
            tests.setdefault(value, []).append(term)
    return tests


def _decide_all(test: ir.Predicate, value: ir.Value, constants: tuple[ir.Constant, ...]) -> list[bool] | None:
    """Return for each constant whether ``test`` holds if ``value`` equals it; None if that cannot be determined."""
    truths = []
    for constant in constants:
        truth = _decide(test, value, constant)
        if truth is None:
            return None
        truths.append(truth)
    return truths


def _decide(test: ir.Predicate, value: ir.Value, constant: ir.Constant) -> bool | None:
    match test:
        case ir.Compare(left=tested, right=ir.Constant() as other) if other.type == constant.type:
            content = _content(tested, value, constant)
            decided = test if content is None else fold_constants(replace(test, left=content))
        case ir.In(value=tested, members=members) if all(member.type == constant.type for member in members):
            content = _content(tested, value, constant)
            decided = test if content is None else fold_constants(replace(test, value=content))
        case ir.Like(value=tested) | ir.Topic(value=tested) | ir.IsNull(value=tested) | ir.IsNan(value=tested):
            content = _content(tested, value, constant)
            decided = test if content is None else fold_constants(replace(test, value=content))
        case ir.Matches(value=tested, expression=expression, negated=negated):
            content = _content(tested, value, constant)
            return None if content is None else _matches(expression, str(content.value), negated)
        case _:
            return None
    return decided.value if isinstance(decided, ir.BoolConst) else None


def _matches(expression: str, text: str, negated: bool) -> bool | None:
    # Imported in the function to save start-up time: few selectors need the regular expression engine.
    from transpiler.base.regex.search import SearchLimitError, compile_regular
    from transpiler.base.regex.syntax import RegexError

    try:
        return compile_regular(expression).search(text) is not negated
    except (RegexError, SearchLimitError):
        return None


def _content(tested: ir.Value, value: ir.Value, constant: ir.Constant) -> ir.Constant | None:
    """Return ``tested`` computed with ``constant`` in place of ``value``; None if it is not computed from ``value``."""
    # NaN equals NaN in Spark, but not under IEEE 754, whose rules are used when constants are compared at compile time.
    if constant.value != constant.value:
        return None
    if tested == value:
        return constant
    match tested:
        case ir.Apply(function=ir.Function.TRIMMED, arguments=(inner,)) if inner == value:
            return ir.constant(str(constant.value).strip(" "))
        case _:
            return None


def tighten_bounds(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a > 5 AND a > 3`` as ``a > 5``, ``a > 5 OR a > 3`` as ``a > 3``, and ``a > 5 AND a < 3`` as FALSE.

    ``a > 3 OR a < 5`` becomes ``a IS NOT NULL``. These rules are also valid for NaN, which Spark treats as greater than
    every number.
    """
    if not isinstance(node, ir.Chain) or sum(isinstance(term, ir.Compare) for term in node.terms) < 2:
        return node
    by_value: dict[tuple[ir.Value, ColumnType], list[ir.Compare]] = {}
    for term in node.terms:
        match term:
            # NaN is excluded, because Python's operators do not order it as Spark does.
            case ir.Compare(left=value, right=ir.Constant(value=int() | float() | str() as bound, type=kind)) if (
                bound == bound
            ):
                by_value.setdefault((value, kind), []).append(term)
            case _:
                pass
    dropped: set[ir.Predicate] = set()
    known: list[ir.Predicate] = []
    for (value, _), tests in by_value.items():
        if len(tests) > 1:
            kept = _kept(tests, isinstance(node, ir.And))
            dropped.update(tests if kept is None else set(tests).difference(kept))
            if kept is None:
                known.append(ir.FALSE if isinstance(node, ir.And) else ir.IsNull(value, negated=True))
    if not dropped:
        return node
    rest = [term for term in node.terms if term not in dropped]
    return (ir.all_of if isinstance(node, ir.And) else ir.any_of)(*known, *rest)


def _kept(tests: Sequence[ir.Compare], conjunction: bool) -> list[ir.Compare] | None:
    """Return the comparisons of ``tests`` that no other comparison makes redundant; all compare the same value.

    ``tests`` are terms of an AND if ``conjunction`` is True, otherwise of an OR. In an AND, ``x > 3`` is redundant
    beside ``x > 5``. Return None if two comparisons give the result for every value that is not NULL: FALSE for an AND
    if they exclude each other, TRUE for an OR if every value satisfies at least one of them.
    """
    kept: list[ir.Compare] = []
    for test in tests:
        if any(_decides(test, other, conjunction) for other in kept):
            return None
        if not any(_implies(other, test) if conjunction else _implies(test, other) for other in kept):
            kept = [other for other in kept if not (_implies(test, other) if conjunction else _implies(other, test))]
            kept.append(test)
    return kept


def _decides(first: ir.Compare, second: ir.Compare, conjunction: bool) -> bool:
    """Return True if ``first`` and ``second`` alone give the result of the AND or OR of which they are terms.

    In an AND (``conjunction`` is True) they exclude each other; in an OR every value satisfies at least one of them.
    """
    return _implies(first, _negated(second)) if conjunction else _implies(_negated(first), second)


def _negated(test: ir.Compare) -> ir.Compare:
    return ir.Compare(test.operator.negated, test.left, test.right)


def _implies(first: ir.Compare, second: ir.Compare) -> bool:
    """Return True if ``first`` implies ``second``; both compare the same value with a constant."""
    assert isinstance(first.right, ir.Constant)
    assert isinstance(second.right, ir.Constant)
    one, other, implied = first.right.value, second.right.value, second.operator
    match first.operator:
        case Comparison.EQ:
            return ir.compare_constants(implied, one, other)
        case Comparison.NE:
            return implied is Comparison.NE and one == other
        case Comparison.GT | Comparison.GE as operator:
            outside = ir.compare_constants(Comparison.GT, one, other)
            same = one == other and (implied is Comparison.GE or operator is Comparison.GT)
            return implied in (Comparison.GT, Comparison.GE, Comparison.NE) and (outside or same)
        case Comparison.LT | Comparison.LE as operator:
            outside = ir.compare_constants(Comparison.LT, one, other)
            same = one == other and (implied is Comparison.LE or operator is Comparison.LT)
            return implied in (Comparison.LT, Comparison.LE, Comparison.NE) and (outside or same)


def merge_comparisons(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a >= 5 AND a <= 5`` as ``a = 5``, and ``a < 5 OR a = 5`` as ``a <= 5``.

    Each comparison holds for a set of outcomes: the value is less than, equal to or greater than the constant. AND
    intersects these sets, OR unites them. NaN is greater than every number in Spark. ``tighten_bounds`` handles the
    empty set and the set of all outcomes.
    """
    if not isinstance(node, ir.Chain) or sum(isinstance(term, ir.Compare) for term in node.terms) < 2:
        return node
    outcomes: dict[tuple[ir.Value, ir.Value], int] = {}
    for term in node.terms:
        match term:
            # NaN is excluded, because Python's operators do not order it as Spark does.
            case ir.Compare(left=value, right=ir.Constant(value=int() | float() | str() as bound) as constant) if (
                bound == bound
            ):
                own, known = _OUTCOMES[term.operator], outcomes.get((value, constant))
                both = own if known is None else own & known if isinstance(node, ir.And) else own | known
                outcomes[value, constant] = both
            case _:
                pass
    terms: list[ir.Predicate] = []
    for term in node.terms:
        if isinstance(term, ir.Compare):
            operator = _OPERATORS.get(outcomes.get((term.left, term.right), 0))
            if operator is not None:
                term = ir.Compare(operator, term.left, term.right)
        terms.append(term)
    distinct = tuple(dict.fromkeys(terms))
    if len(distinct) == len(node.terms):
        return node
    return distinct[0] if len(distinct) == 1 else type(node)(distinct)


def excluded_middle(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``P OR (P IS NOT TRUE)`` as TRUE, and ``P AND (P IS NOT TRUE)`` as FALSE."""
    if not isinstance(node, ir.Chain):
        return node
    complements = {cancel_complements(ir.NotTrue(term)) for term in node.terms if isinstance(term, _HAS_COMPLEMENT)}
    if not complements or complements.isdisjoint(node.terms):
        return node
    return ir.BoolConst(isinstance(node, ir.Or))


def exclude_opposites(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``b AND NOT b`` as FALSE, also for LIKE and NOT LIKE.

    ``b OR NOT b`` is not rewritten. ``b IS NOT NULL`` would be shorter, but the predicate around it may then be split
    into methods at different subexpressions, which made one SQL text a third longer.
    """
    if not isinstance(node, ir.And):
        return node
    tested = [term for term in node.terms if isinstance(term, ir.IsTrue | ir.Like)]
    plain = {term for term in tested if not term.negated}
    if plain and any(term.negated and replace(term, negated=False) in plain for term in tested):
        return ir.FALSE
    return node


def factor_common_terms(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``(a OR c) AND (b OR c)`` as ``c OR a AND b``: AND and OR are distributive.

    ``a AND c OR b AND c`` is rewritten as ``c AND (a OR b)`` only if ``c`` is an IS NULL test. Spark's optimizer
    factors other common terms itself, and ``spark_plan`` rewrites long ORs of this shape.
    """
    if not isinstance(node, ir.Chain):
        return node
    conjunction = isinstance(node, ir.And)
    parts = [term for term in node.terms if isinstance(term, ir.Or if conjunction else ir.And)]
    counts = Counter(term for part in parts for term in part.terms if conjunction or _is_null_test(term))
    common = max(counts, key=counts.__getitem__, default=None)
    if common is None or counts[common] < 2:
        return node
    first, *others = sharing = [part for part in parts if common in part.terms]
    shared = [term for term in first.terms if all(term in part.terms for part in others)]
    outer, inner = (ir.all_of, ir.any_of) if conjunction else (ir.any_of, ir.all_of)
    rests = [inner(*(term for term in part.terms if term not in shared)) for part in sharing]
    factored = inner(*shared, outer(*rests))
    return outer(*(factored if term is first else term for term in node.terms if term not in others))


def _is_null_test(term: ir.Predicate) -> bool:
    return isinstance(term, ir.IsNull) and not term.negated
