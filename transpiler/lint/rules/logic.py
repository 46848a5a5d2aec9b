"""Rules that need an analysis: never true, always true, implied, unreachable, contained.

``satisfiability`` compares the tests of one name in one AND or OR, in chains of any length. ``cases`` then looks at the
parts of nested conditions in their context: the other terms of each AND around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transpiler.diagnostics import Severity
from transpiler.lint.cases import Cases, Requirement, TooManyCasesError, are_disjoint, needed_values
from transpiler.lint.cells import NOT_TRUE
from transpiler.lint.rule import Context, Doubt, Rule
from transpiler.message.message import Message
from transpiler.reference.evaluate import judge
from transpiler.selector import ast
from transpiler.selector.satisfiability import Contradiction, Implication, Name, Tautology, find_redundancy
from transpiler.selector.value_sets import ValueSet
from transpiler.source import Span

#: Tests of a nested condition that is looked at in its context.
_MAX_TESTS = 40


class Redundancy(NamedTuple):
    """A finding of the analysis, with the id of its rule."""

    rule: str
    doubt: Doubt


def find_redundancies(context: Context) -> list[Redundancy]:
    """Return the findings of all rules of this module but containment, at most one for a place."""
    if context.converts_strings:
        # Strings that are read as numbers are equal to numbers, and to other strings.
        return []
    redundancies = list(_constants(context))
    if not context.repeats_name:
        return redundancies
    redundancies += [
        _of_one_name(finding, context) for finding in find_redundancy(context.tree, context.dialect, context.meanings)
    ]
    if _is_nested(context.tree):
        try:
            nested = _Nested(context, [finding.doubt.span for finding in redundancies])
            nested.condition(context.tree, [])
        except TooManyCasesError:
            return redundancies
        redundancies.extend(nested.redundancies)
    return redundancies


def _of_one_name(finding: Contradiction | Tautology | Implication, context: Context) -> Redundancy:
    match finding:
        case Contradiction(term=term, others=others):
            with_ = " and ".join(context.text(other) for other in others[:3])
            message = f"this is never true together with {with_}{' and others' if len(others) > 3 else ''}"
            doubt = Doubt(message, term.span, "remove one of them, or join them with OR")
            return Redundancy("lint.never-true", doubt)
        case Implication(term=term, by=by, junction=junction):
            other = context.text(by)
            message = f"{other} implies this" if isinstance(junction, ast.And) else f"this implies {other}"
            # Many write the test of presence on purpose, for their readers.
            severity: Severity | None = "info" if isinstance(term, ast.IsNull) else None
            return Redundancy("lint.implied", Doubt(message, term.span, "remove it", severity))
        case Tautology(node=node):
            doubt = Doubt("this is true for every message", node.span, "remove it, or join with AND")
            return Redundancy("lint.always-true", doubt)


def _constants(context: Context) -> Iterator[Redundancy]:
    """Yield a finding for each constant that decides the AND or OR that it is in, or the whole selector."""
    if context.constant(context.tree) is False:
        yield Redundancy("lint.never-true", Doubt("this is never true", context.tree.span, "write a condition"))
    for node in ast.walk(context.tree):
        if not isinstance(node, ast.And | ast.Or):
            continue
        deciding = isinstance(node, ast.Or)
        decisive = next((term for term in node.terms if context.constant(term) is deciding), None)
        # An exception of another term may come before.
        if decisive is None or (deciding and context.dialect.on_throw and decisive is not node.terms[0]):
            continue
        what = "true for every message" if deciding else "never true"
        rule = "lint.always-true" if deciding else "lint.never-true"
        constant = context.text(decisive)
        yield Redundancy(rule, Doubt(f"{constant} makes this {what}", node.span, f"remove {constant}"))


def _is_nested(tree: ast.Expression) -> bool:
    """Return True if one AND or OR is inside another one."""
    return sum(isinstance(node, ast.And | ast.Or) for node in ast.walk(tree)) > 1


class _Nested:
    """The walk through nested AND and OR that collects findings."""

    def __init__(self, context: Context, known: Sequence[Span]) -> None:
        self._context = context
        self._known = list(known)
        self._cases = Cases([context.tree], context.dialect, _MAX_TESTS, context.meanings)
        # What is always true is so for a message without anything, and few conditions are.
        self._takes_empty_message = judge(context.tree, Message(), context.dialect, now=0).truth is True
        self._needed: dict[int, dict[Name, ValueSet]] = {}
        self.redundancies: list[Redundancy] = []

    def condition(self, node: ast.Expression, around: list[ast.Expression]) -> None:
        """Look at a condition where all conditions ``around`` it are true."""
        match node:
            case ast.And(terms=terms):
                self._and(terms, around)
            case ast.Or():
                self._or(node, around)
            case _:
                pass

    def _and(self, terms: Sequence[ast.Expression], around: list[ast.Expression]) -> None:
        before: list[ast.Expression] = []
        for term in terms:
            # What is never true within itself is found there.
            if before and self._never(term, [*around, *before]) and not self._never(term, []):
                self._report("lint.never-true", term, [*around, *before], "this is never true together with {}")
                return
            before.append(term)
        for number, term in enumerate(terms):
            others = [*terms[:number], *terms[number + 1 :]]
            if isinstance(term, ast.Or | ast.And):
                if self._always(term, [*around, *others]) and not self._always(term, []):
                    self._report("lint.implied", term, [*around, *others], "{} implies this", "remove it")
                else:
                    self.condition(term, [*around, *others])

    def _or(self, node: ast.Or, around: list[ast.Expression]) -> None:
        terms = node.terms
        if not around and self._takes_empty_message and self._always(node, []):
            self._add(
                "lint.always-true", Doubt("this is true for every message", node.span, "remove it, or join with AND")
            )
            return
        unreachable = [term for term in terms if around and self._never(term, around) and not self._never(term, [])]
        for term in unreachable:
            self._report("lint.unreachable-branch", term, around, "this branch is never true together with {}")
        reachable = [term for term in terms if term not in unreachable]
        superfluous: list[ast.Expression] = []
        for term in reachable:
            others = [other for other in reachable if other is not term and other not in superfluous]
            # Of tests of one name in one OR, satisfiability has said so.
            if not (isinstance(term, ast.And | ast.Or) or any(isinstance(other, ast.And | ast.Or) for other in others)):
                continue
            by = next((other for other in others if self._implies(term, other, around)), None)
            if by is not None and self._is_superfluous(term, others, around):
                superfluous.append(term)
                message = f"this branch is in {self._context.text(by)} already"
                self._add("lint.unreachable-branch", Doubt(message, term.span, "remove it"))
        for term in reachable:
            if term not in superfluous:
                self.condition(term, around)

    def _is_superfluous(
        self, term: ast.Expression, others: Sequence[ast.Expression], around: Sequence[ast.Expression]
    ) -> bool:
        """Return True if an OR without a term that another implies selects the same; a term between may throw."""
        if not self._context.dialect.on_throw:
            return True
        terms = sorted((term, *others), key=lambda one: one.span)
        rest = others[0] if len(others) == 1 else ast.Or(tuple(others))
        requirements = [*map(Requirement, around), Requirement(ast.Or(tuple(terms))), Requirement(rest, NOT_TRUE)]
        return self._cases.impossible(*requirements)

    def _may_imply(self, term: ast.Expression, other: ast.Expression) -> bool:
        """Return False if no message meets both conditions; most branches of an OR exclude each other."""
        return not are_disjoint(self._needed_values(term), self._needed_values(other))

    def _needed_values(self, node: ast.Expression) -> dict[Name, ValueSet]:
        known = self._needed.get(id(node))
        if known is None:
            known = self._needed[id(node)] = needed_values(node, self._context.dialect, self._context.meanings)
        return known

    def _implies(self, term: ast.Expression, other: ast.Expression, around: Sequence[ast.Expression]) -> bool:
        if not self._may_imply(term, other):
            return False
        related = self._related(term, [*around, other])
        if not any(part is other for part in related):
            return False
        requirements = [Requirement(part) for part in related if part is not other]
        return self._cases.impossible(*requirements, Requirement(term), Requirement(other, NOT_TRUE)) and not (
            self._never(term, around)
        )

    def _never(self, term: ast.Expression, others: Sequence[ast.Expression]) -> bool:
        related = self._related(term, others)
        if others and not related:
            return False
        return self._cases.impossible(*map(Requirement, related), Requirement(term))

    def _always(self, term: ast.Expression, others: Sequence[ast.Expression]) -> bool:
        related = self._related(term, others)
        if others and not related:
            return False
        return self._cases.impossible(*map(Requirement, related), Requirement(term, NOT_TRUE))

    def _related(self, term: ast.Expression, others: Sequence[ast.Expression]) -> list[ast.Expression]:
        """Return the conditions that have a variable in common with a term."""
        return [other for other in others if self._cases.related(term, other)]

    def _report(
        self, rule: str, term: ast.Expression, others: Sequence[ast.Expression], message: str, hint: str | None = None
    ) -> None:
        needed = list(self._related(term, others))
        never = rule != "lint.implied"
        # Name no more than what it takes.
        for other in list(needed):
            fewer = [one for one in needed if one is not other]
            if fewer and (self._never(term, fewer) if never else self._always(term, fewer)):
                needed = fewer
        shown = " and ".join(self._context.text(other) for other in needed[:3])
        text = message.format(f"{shown}{' and others' if len(needed) > 3 else ''}")
        # Where an exception ends the evaluation, the branch may guard those behind it.
        default = (
            "mend one of the two" if self._context.dialect.on_throw else "remove the branch, or mend one of the two"
        )
        self._add(rule, Doubt(text, term.span, hint or default))

    def _add(self, rule: str, doubt: Doubt) -> None:
        """Add a finding, unless one lies inside its place: that is the cause."""
        start, end = doubt.span
        if not any(start <= known.start and known.end <= end for known in self._known):
            self.redundancies.append(Redundancy(rule, doubt))
            self._known.append(doubt.span)


RULES = (
    Rule(
        id="lint.never-true",
        title="A condition that is never true",
        severity="warning",
        wrong="color = 'red' AND color = 'blue'",
        right="color = 'red' OR color = 'blue'",
        why="No message meets both conditions, so the selector, or the branch of an OR that they are in, selects "
        "nothing. Mostly AND stands where OR was meant. The claim is a proof in the dialect's own semantics, with "
        "NULL, unlike types and the order of floating point numbers: no message is an exception.",
    ),
    Rule(
        id="lint.always-true",
        title="A condition that is always true",
        severity="warning",
        wrong="color IS NULL OR color IS NOT NULL",
        right="color IS NOT NULL",
        why="One of the branches is true for every message, so the condition selects everything. Mostly OR stands "
        "where AND was meant.",
    ),
    Rule(
        id="lint.implied",
        title="A condition that another one implies",
        severity="warning",
        wrong="weight > 5 AND weight > 3",
        right="weight > 5",
        why="Where one condition of an AND is true, the other one is too; or in an OR, one selects nothing that the "
        "other does not. It changes nothing, and often one of the two was meant to be another. A test with `IS NOT "
        "NULL` beside a comparison that implies it is a note only.",
    ),
    Rule(
        id="lint.unreachable-branch",
        title="An OR branch that cannot be reached",
        severity="warning",
        wrong="color = 'red' AND (color = 'blue' OR weight > 2500)",
        right="color = 'red' AND weight > 2500",
        why="A branch of an OR that contradicts the conditions around it, or that another branch contains, never "
        "decides anything.",
    ),
    Rule(
        id="lint.contained",
        title="A selector that another one contains",
        severity="info",
        wrong="color = 'red'\ncolor = 'red' AND weight > 2500",
        right="color = 'red' AND weight <= 2500\ncolor = 'red' AND weight > 2500",
        why="Every message that this selector selects, another one in the same file selects as well. For subscribers "
        "of one address that means two copies; for a list of exclusive routes it means that the narrower one is dead. "
        "Up to some hundred selectors of one file are compared with each other, more only for being the same.",
    ),
)
