"""Find conditions that are never true, always true or implied by another, by the values of one property.

The fragment: AND, OR, NOT over comparisons of one name with literals: ``=``, ``<>``, the orderings with numbers,
BETWEEN, IN, LIKE, IS NULL, and the name by itself. Each such condition has a meaning: the sets of values for which it
may be true, false or unknown, and for which the broker may throw. The sets are supersets, exact wherever the fragment
is exact, so a condition outside the fragment only makes the analysis weaker. Three-valued logic, the comparison of
unlike types and of integers with floating point numbers are those of the dialect's record.

Terms on different names are independent: an AND is never true if the terms on one name are never true together. What
needs two names at once (``a = 1 AND b = a AND b = 2``) is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from transpiler.message.ids import canonical
from transpiler.selector import ast
from transpiler.selector.dialect_rules import (
    BareName,
    BetweenMeaning,
    FloatOrder,
    InOperand,
    LikeOperand,
    Logic,
    NullEquality,
    NumericPromotion,
    Ordering,
    UnlikeTypes,
    Wildcards,
)
from transpiler.selector.dialects import JMS, Dialect
from transpiler.selector.pattern import PatternError, Wildcard, read_pattern
from transpiler.selector.value_sets import (
    ALL_STRINGS,
    BOOLEANS,
    EVERYTHING,
    FIRST,
    LAST,
    MISSING,
    NOTHING,
    NUMBERS,
    OTHERS,
    ValueSet,
    comparable,
    intersection,
    is_subset,
    prefixed,
    texts,
    union,
)

#: A name with its section.
Name = tuple[str | None, str]
#: Terms on one name of one AND or OR that are compared two by two.
MAX_PAIRS = 64
#: Up to here a 32-bit floating point number is as exact as a double.
_EXACT_FLOATS = 2**24

_UPWARDS = (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)


class Meaning(NamedTuple):
    """The values for which a condition may be true, false, unknown, and those at which evaluation may throw."""

    true: ValueSet = NOTHING
    false: ValueSet = NOTHING
    unknown: ValueSet = NOTHING
    thrown: ValueSet = NOTHING

    @property
    def not_true(self) -> ValueSet:
        """The values for which it may be anything but true."""
        return union((self.false, self.unknown, self.thrown))


_ANYTHING = Meaning(EVERYTHING, EVERYTHING, EVERYTHING, EVERYTHING)


class Condition(NamedTuple):
    """A condition with the one name that it tests, if it tests just one, and its meaning for that name's values."""

    node: ast.Expression
    name: Name | None
    meaning: Meaning


class Contradiction(NamedTuple):
    """Terms of an AND that are never true together: ``term`` excludes what ``others`` leave."""

    term: ast.Expression
    others: tuple[ast.Expression, ...]


class Tautology(NamedTuple):
    """Terms of an OR one of which is true for every message."""

    node: ast.Expression


class Implication(NamedTuple):
    """Two terms of an AND, or of an OR: ``by`` makes ``term`` redundant."""

    term: ast.Expression
    by: ast.Expression
    junction: ast.And | ast.Or


Finding = Contradiction | Tautology | Implication


#: The meanings of tests, by ``identity_of`` the tests.
Meanings = dict[object, "Condition"]

#: Operands of which equal ones are the same.
_ONE_VALUE = frozenset({ast.Identifier, ast.StringLiteral, ast.IntegerLiteral, ast.BooleanLiteral})


def identity_of(node: ast.Expression) -> object:
    """Return a key that is equal for equal nodes only; Python's 0.0 and -0.0 are equal, and brokers tell them apart."""
    if type(node) is ast.Compare and type(node.left) in _ONE_VALUE and type(node.right) in _ONE_VALUE:
        return node
    zeros = [str(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.FloatLiteral) and inner.value == 0]
    return (node, *zeros) if zeros else node


def find_redundancy(tree: ast.Expression, dialect: Dialect, known: Meanings | None = None) -> list[Finding]:
    """Return all findings about a tree. Linear but for sorting; implications among the first ``MAX_PAIRS`` terms.

    The meanings of the tree's tests are looked up in ``known``, and added to it.
    """
    # Strings that are read as numbers are equal to numbers, and to other strings.
    if isinstance(tree, ast.ConvertStrings):
        return []
    analysis = _Analysis(dialect, known)
    analysis.condition(tree, positive=True)
    return analysis.findings


def meaning_of(tree: ast.Expression, dialect: Dialect = JMS, known: Meanings | None = None) -> Condition:
    """The meaning of a whole condition; ``name`` is None where it tests no name or several."""
    return _Analysis(dialect, known).condition(tree, positive=False)


class _Analysis:
    def __init__(self, dialect: Dialect, known: Meanings | None = None) -> None:
        self.dialect = dialect
        self.findings: list[Finding] = []
        self.known: Meanings = {} if known is None else known

    def condition(self, node: ast.Expression, positive: bool) -> Condition:
        """The meaning of a node; findings inside it are collected. ``positive`` is False below a NOT."""
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return self._junction(node, [self.condition(term, positive) for term in terms], positive)
            case ast.Not(operand=operand):
                inner = self.condition(operand, positive=False)
                true, false, unknown, thrown = inner.meaning
                return Condition(node, inner.name, Meaning(false, true, unknown, thrown))
            case _:
                key = identity_of(node)
                known = self.known.get(key)
                if known is None:
                    known = self.known[key] = self._test(node)
                # An equal test may stand somewhere else.
                return known if known.node is node else known._replace(node=node)

    def _test(self, node: ast.Expression) -> Condition:
        """The meaning of a test."""
        match node:
            case ast.Compare(operator=operator, left=ast.Identifier() as name, right=right):
                return self._named(node, name, self._compare(operator, name, right))
            case ast.Compare(operator=operator, left=left, right=ast.Identifier() as name):
                return self._named(node, name, self._compare(operator.mirrored, name, left, reversed_=True))
            case ast.Between(operand=ast.Identifier() as name):
                return self._named(node, name, self._between(node, name))
            case ast.In(operand=ast.Identifier() as name):
                return self._named(node, name, self._in(node, name))
            case ast.Like(operand=ast.Identifier() as name):
                return self._named(node, name, self._like(node))
            case ast.IsNull(operand=ast.Identifier() as name, negated=negated):
                present = MISSING.complement
                true, false = (present, MISSING) if negated else (MISSING, present)
                return self._named(node, name, Meaning(true, false))
            case ast.Identifier():
                return self._named(node, node, self._bare())
            case _:
                return Condition(node, None, _ANYTHING)

    def _named(self, node: ast.Expression, name: ast.Identifier, meaning: Meaning | None) -> Condition:
        if meaning is None:
            meaning = _ANYTHING
        if self.dialect.types.throws:
            # To read a value of such a type throws, whatever the test.
            meaning = meaning._replace(thrown=union((meaning.thrown, OTHERS)))
        return Condition(node, (name.section, name.name), meaning)

    # AND and OR

    def _junction(self, node: ast.And | ast.Or, terms: list[Condition], positive: bool) -> Condition:
        groups: dict[Name, list[Condition]] = {}
        for term in terms:
            if term.name is not None:
                groups.setdefault(term.name, []).append(term)
        alone = len(groups) == 1 and all(term.name is not None for term in terms)
        for group in groups.values():
            self._look_at(node, group, alone, positive)
        if not alone:
            return Condition(node, None, _ANYTHING)
        return Condition(node, terms[0].name, self._joined(node, [term.meaning for term in terms]))

    def _look_at(self, node: ast.And | ast.Or, group: list[Condition], alone: bool, positive: bool) -> None:
        if len(group) < 2:
            return
        possible = [term for term in group if not term.meaning.true.is_empty]
        if isinstance(node, ast.And):
            if len(possible) > 1 and intersection([term.meaning.true for term in possible]).is_empty:
                self.findings.append(_contradiction(possible))
                return
        elif (alone or not self.dialect.on_throw) and self._joined(
            node, [term.meaning for term in group]
        ).not_true.is_empty:
            self.findings.append(Tautology(node))
            return
        if positive and len(possible) <= MAX_PAIRS:
            self.findings.extend(_implications(node, possible))

    def _joined(self, node: ast.And | ast.Or, parts: Sequence[Meaning]) -> Meaning:
        """The truth table of AND or OR over sets."""
        if isinstance(node, ast.Or):
            # OR is AND of the negations, negated.
            parts = [Meaning(false, true, unknown, thrown) for true, false, unknown, thrown in parts]
        true = intersection([part.true for part in parts])
        false = union([part.false for part in parts])
        unknown = intersection(
            [
                union([part.unknown for part in parts]),
                intersection([union((part.true, part.unknown)) for part in parts]),
            ]
        )
        thrown = union([part.thrown for part in parts])
        if self.dialect.logic is Logic.QPID_JAVA:
            # Its tables agree with SQL's on TRUE of either; FALSE and unknown change places.
            if isinstance(node, ast.Or):
                others = intersection([union((part.true, part.unknown)) for part in parts])
                return Meaning(false, others, others, thrown)
            others = union((false, *(part.unknown for part in parts)))
            return Meaning(true, others, others, thrown)
        return (
            Meaning(false, true, unknown, thrown) if isinstance(node, ast.Or) else Meaning(true, false, unknown, thrown)
        )

    # tests of one name

    def _bare(self) -> Meaning:
        rest = union((BOOLEANS, MISSING)).complement
        if self.dialect.bare_name is BareName.FALSE:
            return Meaning(ValueSet(true=True), union((ValueSet(false=True), rest)), MISSING)
        return Meaning(ValueSet(true=True), ValueSet(false=True), union((MISSING, rest)))

    def _compare(
        self, operator: ast.Comparison, name: ast.Identifier, literal: ast.Expression, reversed_: bool = False
    ) -> Meaning | None:
        match literal:
            case ast.BooleanLiteral(value=truth) if operator.is_equality:
                like, equal = BOOLEANS, ValueSet(false=not truth, true=truth)
            case ast.StringLiteral(value=text) if operator.is_equality and text not in dict(
                self.dialect.fields.rewritten
            ):
                like, equal = ALL_STRINGS, texts([self._as_id(name, text)])
            case ast.IntegerLiteral(value=value) if abs(value) < 2**63:
                return self._compare_number(operator, value, reversed_)
            case ast.FloatLiteral(value=value):
                return self._compare_number(operator, value, reversed_)
            case _:
                return None
        return self._like_typed(operator, like, equal, intersection([like, equal.complement]), reversed_)

    def _like_typed(
        self, operator: ast.Comparison, like: ValueSet, holds: ValueSet, fails: ValueSet, reversed_: bool
    ) -> Meaning:
        """A comparison by the sets of like values for which ``=`` (or an ordering) holds and fails.

        The two may overlap where the value alone does not decide.
        """
        dialect = self.dialect
        unlike = _unlike(like)
        if operator is ast.Comparison.NE:
            holds, fails = fails, holds
        true, false, unknown = holds, fails, NOTHING
        # Erlang orders any two terms, and a number is below a boolean and a string.
        above = dialect.ordering is Ordering.TERMS and operator in (ast.Comparison.GT, ast.Comparison.GE)
        if above or (operator is ast.Comparison.NE and dialect.unlike_types is UnlikeTypes.NOT_EQUAL):
            true = union((true, unlike))
        else:
            false = union((false, unlike))
        null = dialect.null_equality
        if (
            not operator.is_equality
            or null is NullEquality.UNKNOWN
            or (null is NullEquality.FALSE_ON_THE_RIGHT and not reversed_)
        ):
            unknown = MISSING
        elif operator is ast.Comparison.EQ:
            false = union((false, MISSING))
        else:
            true = union((true, MISSING))
        # Java's code casts an array of bytes before it orders it.
        thrown = OTHERS if dialect.type_ladder in _UPWARDS and not operator.is_equality else NOTHING
        return Meaning(true, false, unknown, thrown)

    def _as_id(self, name: ast.Identifier, text: str) -> str:
        """The literal beside a message id, whose hexadecimal digits have no case."""
        field = self.dialect.fields.find(name.name, name.section)
        return canonical(text) if field is not None and field.is_jms_id else text

    def _compare_number(self, operator: ast.Comparison, value: int | float, reversed_: bool) -> Meaning | None:
        dialect = self.dialect
        if reversed_ and dialect.type_ladder in _UPWARDS:
            # A byte or a short on the right is not widened.
            return None
        affirmative = ast.Comparison.EQ if operator is ast.Comparison.NE else operator
        exact, tells_zeros = dialect.type_ladder is NumericPromotion.EXACT, dialect.float_order is FloatOrder.COMPARE_TO
        holds = comparable(affirmative, value, exact, tells_zeros)
        fails = intersection([NUMBERS, holds.complement])
        if isinstance(value, int) and abs(value) > _EXACT_FLOATS and dialect.type_ladder in _UPWARDS:
            # A property may be a 32-bit floating point number, for which the literal is rounded.
            floats = ValueSet(floats=((FIRST, LAST),))
            holds, fails = union((holds, floats)), union((fails, floats))
        return self._like_typed(operator, NUMBERS, holds, fails, reversed_)

    def _between(self, node: ast.Between, name: ast.Identifier) -> Meaning | None:
        low = self._compare(ast.Comparison.GE, name, node.low)
        high = self._compare(ast.Comparison.LE, name, node.high)
        if low is None or high is None:
            return None
        if node.negated and self.dialect.between is BetweenMeaning.COMPARISONS:
            low = self._compare(ast.Comparison.LT, name, node.low)
            high = self._compare(ast.Comparison.GT, name, node.high)
            assert low is not None
            assert high is not None
            return self._joined(ast.Or(()), [low, high])
        true, false, unknown, thrown = self._joined(ast.And(()), [low, high])
        return Meaning(false, true, unknown, thrown) if node.negated else Meaning(true, false, unknown, thrown)

    def _in(self, node: ast.In, name: ast.Identifier) -> Meaning | None:
        members = [member.value for member in node.members if isinstance(member, ast.StringLiteral)]
        rewritten = dict(self.dialect.fields.rewritten)
        if len(members) < len(node.members) or any(member in rewritten for member in members):
            return None
        holds = texts([self._as_id(name, member) for member in members])
        fails = intersection([ALL_STRINGS, holds.complement])
        rest = union((ALL_STRINGS, MISSING)).complement
        if self.dialect.in_not_string is InOperand.UNKNOWN:
            meaning = Meaning(holds, fails, union((MISSING, rest)))
        elif self.dialect.in_not_string is InOperand.FALSE_BOTH_WAYS and node.negated:
            return Meaning(fails, union((holds, rest)), MISSING)
        else:
            meaning = Meaning(holds, union((fails, rest)), MISSING)
        true, false, unknown, thrown = meaning
        return Meaning(false, true, unknown, thrown) if node.negated else meaning

    def _like(self, node: ast.Like) -> Meaning | None:
        dialect = self.dialect
        pattern = node.pattern.value
        if pattern in dict(dialect.fields.rewritten):
            return None
        try:
            parts = read_pattern(pattern, node.escape.value if node.escape else None, dialect.escapes)
        except PatternError:
            return None
        prefix = parts[0] if parts and isinstance(parts[0], str) else ""
        holds, fails = prefixed(prefix), ALL_STRINGS
        if dialect.wildcards is Wildcards.CODE_POINTS:
            if all(isinstance(part, str) for part in parts):
                holds = texts([prefix])
                fails = intersection([ALL_STRINGS, holds.complement])
            elif parts == (Wildcard.ANY,) or parts == (prefix, Wildcard.ANY):
                fails = intersection([ALL_STRINGS, holds.complement])
        unknown = union((MISSING, ALL_STRINGS)) if dialect.wildcards is Wildcards.LINES else MISSING
        rest = union((ALL_STRINGS, MISSING)).complement
        thrown = NOTHING
        if dialect.like_not_string is LikeOperand.FALSE:
            fails = union((fails, rest))
        elif dialect.like_not_string is LikeOperand.UNKNOWN:
            unknown = union((unknown, rest))
        else:
            thrown = rest
        return Meaning(fails, holds, unknown, thrown) if node.negated else Meaning(holds, fails, unknown, thrown)


def _implies(first: Meaning, second: Meaning) -> bool:
    """Return True if the second condition is true wherever the first is, or both throw."""
    alone = intersection([second.thrown, first.thrown.complement])
    return intersection([first.true, union((second.false, second.unknown, alone))]).is_empty


@cache
def _unlike(like: ValueSet) -> ValueSet:
    """The values of other types that are not missing."""
    return union((like, MISSING)).complement


def _contradiction(terms: list[Condition]) -> Contradiction:
    """Return the first term whose intersection with the terms before it is empty."""
    low, high = 2, len(terms)
    while low < high:
        middle = (low + high) // 2
        if intersection([term.meaning.true for term in terms[:middle]]).is_empty:
            high = middle
        else:
            low = middle + 1
    term, before = terms[low - 1], terms[: low - 1]
    single = next((one for one in before if intersection([one.meaning.true, term.meaning.true]).is_empty), None)
    return Contradiction(term.node, (single.node,) if single is not None else tuple(one.node for one in before))


def _implications(node: ast.And | ast.Or, terms: list[Condition]) -> Iterator[Implication]:
    """Yield the redundant terms, each with the first term that makes it so."""
    superfluous: set[int] = set()
    for number, term in enumerate(terms):
        for other, by in enumerate(terms):
            if other == number or other in superfluous or term.node == by.node:
                continue
            weaker, stronger = (term, by) if isinstance(node, ast.And) else (by, term)
            # Where a term throws, the other one must do so too.
            if not is_subset(term.meaning.thrown, by.meaning.thrown):
                continue
            if _implies(stronger.meaning, weaker.meaning):
                superfluous.add(number)
                yield Implication(term.node, by.node, node)
                break
