"""Rules that need an analysis: never true, always true, implied, unreachable, contained.

Terms of one AND or OR that test one name are compared with each other on the cells of the name. The parts of nested
conditions are then looked at in their context: the other terms of each AND around them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from transpiler.analysis.building import Conditions
from transpiler.analysis.cases import Requirement
from transpiler.analysis.formula import NOT_TRUE, TRUE, Formula, UndecidedError, all_tests, possible
from transpiler.analysis.representatives import representatives
from transpiler.analysis.solve import Solver
from transpiler.diagnostics import Severity
from transpiler.lint.rule import Context, Doubt, Rule
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge
from transpiler.selector import ast
from transpiler.source import Span

#: Tests of one name, tests of a nested condition, and terms of one name that are compared two by two.
_MAX_OF_NAME, _MAX_TESTS, _MAX_PAIRS = 64, 40, 64
#: Evaluations of tests for one claim.
_BUDGET = 40_000
_ERRORS_ONLY = "remove it; messages on which it throws may match then"


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
    analysis = _Analysis(context, [finding.doubt.span for finding in redundancies])
    analysis.terms_of_one_name(context.tree, positive=True)
    if analysis.is_nested():
        with suppress(UndecidedError):
            analysis.condition(context.tree, [])
    return redundancies + analysis.redundancies


def _constants(context: Context) -> Iterator[Redundancy]:
    """Yield a finding for each constant that decides the condition that it is in, or that changes nothing in it."""
    truth = context.constant(context.tree)
    if truth is False:
        yield Redundancy("lint.never-true", Doubt("this is never true", context.tree.span, "write a condition"))
    if truth is True and not isinstance(context.tree, ast.BooleanLiteral):
        doubt = Doubt("this is true for every message", context.tree.span, "write TRUE, or no selector")
        yield Redundancy("lint.always-true", doubt)
    for node in ast.walk(context.tree):
        if not isinstance(node, ast.And | ast.Or):
            continue
        deciding = isinstance(node, ast.Or)
        truths = [context.constant(term) for term in node.terms]
        if deciding in truths:
            place = truths.index(deciding)
            # An exception of another term may come before.
            if deciding and context.dialect.on_throw and place > 0:
                continue
            what = "true for every message" if deciding else "never true"
            rule = "lint.always-true" if deciding else "lint.never-true"
            constant = context.text(node.terms[place])
            yield Redundancy(rule, Doubt(f"{constant} makes this {what}", node.span, f"remove {constant}"))
            continue
        for term, constant_truth in zip(node.terms, truths, strict=True):
            if constant_truth is not None:
                message = "this is never true" if deciding else "this is true for every message"
                yield Redundancy(
                    "lint.never-true" if deciding else "lint.always-true", Doubt(message, term.span, "remove it")
                )


class _Analysis:
    """The walk through a selector that collects findings."""

    def __init__(self, context: Context, known: Sequence[Span]) -> None:
        self._context = context
        self._known = list(known)
        self._conditions = Conditions()
        self._whole = self._formula(context.tree)
        self._solver = Solver(self._conditions, _BUDGET, _MAX_OF_NAME)
        self._witnesses: dict[int, Message | None] = {}
        self.redundancies: list[Redundancy] = []

    def _formula(self, node: ast.Expression) -> Formula:
        return self._conditions.selector(node, self._context.dialect)

    def is_nested(self) -> bool:
        """Return True if one AND or OR is inside another one, or comparisons of names may close a circle."""
        tests = self._conditions.tests
        if len(tests) > _MAX_TESTS:
            return False
        junctions = sum(isinstance(node, ast.And | ast.Or) for node in ast.walk(self._context.tree))
        return junctions > 1 or any(test.relation is not None for test in tests)

    # terms of one name

    def terms_of_one_name(self, node: ast.Expression, positive: bool) -> None:
        """Compare the terms of each AND and OR that test one name; ``positive`` is False below a NOT."""
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                for term in terms:
                    self.terms_of_one_name(term, positive)
                groups: dict[Hashable, list[ast.Expression]] = {}
                for term in terms:
                    variables = self._solver.variables(self._formula(term))
                    groups.setdefault(variables if len(variables) == 1 else None, []).append(term)
                alone = len(groups) == 1 and None not in groups
                for subject, group in groups.items():
                    if subject is not None and len(group) > 1:
                        self._group(node, group, alone, positive)
            case ast.Not(operand=operand):
                self.terms_of_one_name(operand, positive=False)
            case _:
                pass

    def _group(self, node: ast.And | ast.Or, group: list[ast.Expression], alone: bool, positive: bool) -> None:
        try:
            cells = self._solver.cells(self._formula(group[0]))
        except UndecidedError:
            if isinstance(node, ast.And):
                self._long_list(group)
            return
        assert cells is not None
        rows = [[possible(self._formula(term), cell) for cell in cells] for term in group]
        may_hold = [number for number, row in enumerate(rows) if any(outcome & TRUE for outcome in row)]
        if isinstance(node, ast.And):
            if len(may_hold) > 1 and (found := _contradiction([rows[number] for number in may_hold])) is not None:
                term, others = found
                self._exclusion(group[may_hold[term]], [group[may_hold[other]] for other in others])
                return
        elif alone or not self._context.dialect.on_throw:
            joined = self._formula(ast.Or(tuple(group), node.span))
            if not any(possible(joined, cell) & NOT_TRUE for cell in cells):
                self._add(
                    "lint.always-true",
                    Doubt("this is true for every message", node.span, "remove it, or join with AND"),
                )
                return
            if positive and isinstance(node, ast.Or) and self._holds_where_present(node, group):
                return
        if positive and len(may_hold) <= _MAX_PAIRS:
            self._implications(node, group, rows, may_hold)

    def _holds_where_present(self, node: ast.Or, group: list[ast.Expression]) -> bool:
        """Report an OR that is true for all texts, or for all numbers, and so tests presence in a strange way."""
        names = [inner for term in group for inner in ast.walk(term) if isinstance(inner, ast.Identifier)]
        if not all(isinstance(term, ast.Compare) for term in group) or len(set(names)) != 1:
            return False
        tests = [test for term in group for test in all_tests(self._formula(term))]
        assert tests[0].subject is not None
        made = representatives(tests[0].subject, tests).messages
        for kind, types in (("text", (AmqpType.STRING,)), ("a number", (AmqpType.LONG, AmqpType.DOUBLE))):
            own = [
                message
                for message, value, _ in made
                if isinstance(value, AmqpValue) and value.type in types and not _is_special(value.value)
            ]
            joined = ast.Or(tuple(group), node.span)
            alone = any(all(self._holds(term, message) for message in own) for term in group)
            if own and not alone and all(self._holds(joined, message) for message in own):
                shown = self._context.text(names[0])
                message = f"this is true for every message that has {shown} as {kind}"
                span = group[0].span.to(group[-1].span)
                self._add("lint.always-true", Doubt(message, span, f"write {shown} IS NOT NULL, or join with AND"))
                return True
        return False

    def _long_list(self, group: list[ast.Expression]) -> None:
        """Look for what excludes the first equality of a long AND: a value is asked for that another term refuses."""
        for term in group:
            if not (isinstance(term, ast.Compare) and term.operator is ast.Comparison.EQ):
                continue
            message = self._witness(term)
            for other in group:
                met = message is not None and self._holds(other, message)
                if other is not term and not met and not self._may_both(term, other):
                    self._exclusion(term, [other])
                    return
            return

    def _may_both(self, term: ast.Expression, other: ast.Expression) -> bool:
        pair = Conditions()
        formulas = [pair.selector(one, self._context.dialect) for one in (term, other)]
        return not Solver(pair).impossible(*map(Requirement, formulas))

    def _exclusion(self, term: ast.Expression, others: Sequence[ast.Expression]) -> None:
        message = f"this is never true together with {self._listed(others)}"
        self._add("lint.never-true", Doubt(message, term.span, "remove one of them, or join them with OR"))

    def _listed(self, conditions: Sequence[ast.Expression]) -> str:
        shown = " and ".join(self._context.text(one) for one in conditions[:3])
        return f"{shown} and others" if len(conditions) > 3 else shown

    def _implications(
        self, node: ast.And | ast.Or, group: list[ast.Expression], rows: list[list[int]], may_hold: list[int]
    ) -> None:
        """Report the redundant terms, each with the first term that makes it so."""
        superfluous: set[int] = set()
        for number in may_hold:
            term = group[number]
            for other in may_hold:
                by = group[other]
                if other == number or other in superfluous or term == by:
                    continue
                weaker, stronger = (number, other) if isinstance(node, ast.And) else (other, number)
                if not _implies(rows[stronger], rows[weaker]):
                    continue
                superfluous.add(number)
                shown = self._context.text(by)
                message = f"{shown} implies this" if isinstance(node, ast.And) else f"this implies {shown}"
                # Many write the test of presence on purpose, for their readers.
                severity: Severity | None = "info" if isinstance(term, ast.IsNull) else None
                self._add("lint.implied", Doubt(message, term.span, self._removal(term), severity))
                break

    # nested conditions

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
                    self._report("lint.implied", term, [*around, *others], "{} implies this", self._removal(term))
                else:
                    self.condition(term, [*around, *others])

    def _or(self, node: ast.Or, around: list[ast.Expression]) -> None:
        terms = node.terms
        # What is always true is so for a message without anything, and few conditions are.
        if not around and self._holds(node, Message()) and self._always(node, []):
            doubt = Doubt("this is true for every message", node.span, "remove it, or join with AND")
            self._add("lint.always-true", doubt)
            return
        unreachable = [term for term in terms if around and self._never(term, around) and not self._never(term, [])]
        for term in unreachable:
            self._report("lint.unreachable-branch", term, around, "this branch is never true together with {}")
        reachable = [term for term in terms if term not in unreachable]
        superfluous: list[ast.Expression] = []
        for term in reachable:
            others = [other for other in reachable if other is not term and other not in superfluous]
            # Tests of one name in one OR have been compared.
            if not (isinstance(term, ast.And | ast.Or) or any(isinstance(other, ast.And | ast.Or) for other in others)):
                continue
            by = next((other for other in others if self._implies(term, other, around)), None)
            if by is not None:
                superfluous.append(term)
                message = f"this branch is in {self._context.text(by)} already"
                self._add("lint.unreachable-branch", Doubt(message, term.span, self._removal(term)))
        for term in reachable:
            if term not in superfluous:
                self.condition(term, around)

    def _implies(self, term: ast.Expression, other: ast.Expression, around: Sequence[ast.Expression]) -> bool:
        # A message of the one that is none of the other: most branches of an OR exclude each other.
        message = self._witness(term)
        if message is not None and not self._holds(other, message):
            return False
        related = self._related(term, [*around, other])
        if not any(part is other for part in related):
            return False
        requirements = [self._required(part) for part in related if part is not other]
        return self._solver.impossible(
            *requirements, self._required(term), self._required(other, NOT_TRUE)
        ) and not self._never(term, around)

    def _witness(self, term: ast.Expression) -> Message | None:
        if id(term) not in self._witnesses:
            self._witnesses[id(term)] = self._solver.example(self._required(term))
        return self._witnesses[id(term)]

    def _holds(self, node: ast.Expression, message: Message) -> bool:
        return judge(node, message, self._context.dialect, now=0).truth is True

    def _required(self, node: ast.Expression, outcomes: int = TRUE) -> Requirement:
        return Requirement(self._formula(node), outcomes)

    def _never(self, term: ast.Expression, others: Sequence[ast.Expression], outcomes: int = TRUE) -> bool:
        """Return True if a term has none of some outcomes where others are TRUE, by those that it is related to."""
        related = self._related(term, others)
        if others and not related:
            return False
        return self._solver.impossible(*map(self._required, related), self._required(term, outcomes))

    def _always(self, term: ast.Expression, others: Sequence[ast.Expression]) -> bool:
        return self._never(term, others, NOT_TRUE)

    def _related(self, term: ast.Expression, others: Sequence[ast.Expression]) -> list[ast.Expression]:
        """Return the conditions that have a variable in common with a term, directly or through others."""
        reached, left = set(self._solver.variables(self._formula(term))), list(others)
        related: list[ast.Expression] = []
        while True:
            more = [other for other in left if not reached.isdisjoint(self._solver.variables(self._formula(other)))]
            if not more:
                return [other for other in others if any(other is one for one in related)]
            related += more
            left = [other for other in left if not any(other is one for one in more)]
            for other in more:
                reached |= self._solver.variables(self._formula(other))

    def _report(
        self, rule: str, term: ast.Expression, others: Sequence[ast.Expression], message: str, hint: str | None = None
    ) -> None:
        needed = self._related(term, others)
        outcomes = NOT_TRUE if rule == "lint.implied" else TRUE
        # Name no more than what it takes.
        for other in needed:
            fewer = [one for one in needed if one is not other]
            if fewer and self._never(term, fewer, outcomes):
                needed = fewer
        text = message.format(self._listed(needed))
        # Where an exception ends the evaluation, the branch may guard those behind it.
        default = (
            "mend one of the two" if self._context.dialect.on_throw else "remove the branch, or mend one of the two"
        )
        self._add(rule, Doubt(text, term.span, hint or default))

    # what is said

    def _removal(self, term: ast.Expression) -> str:
        """Return the hint to remove a term; where that may turn an exception into a match, it says so."""
        if not self._context.dialect.on_throw:
            return "remove it"
        rest = self._formula(_without(self._context.tree, term))
        pairs = (rest, self._whole), (self._whole, rest)
        same = all(self._solver.impossible(Requirement(one), Requirement(other, NOT_TRUE)) for one, other in pairs)
        return "remove it" if same else _ERRORS_ONLY

    def _add(self, rule: str, doubt: Doubt) -> None:
        """Add a finding, unless one lies inside its place: that is the cause."""
        start, end = doubt.span
        if not any(start <= known.start and known.end <= end for known in self._known):
            self.redundancies.append(Redundancy(rule, doubt))
            self._known.append(doubt.span)


def _is_special(content: object) -> bool:
    return isinstance(content, float) and not math.isfinite(content)


def _without(node: ast.Expression, term: ast.Expression) -> ast.Expression:
    """Return a condition without one of the terms of its junctions, each of which it has once."""
    terms = tuple(own for own in node.terms if own is not term) if isinstance(node, ast.And | ast.Or) else ()
    if isinstance(node, ast.And | ast.Or) and len(terms) < len(node.terms):
        return terms[0] if len(terms) == 1 else type(node)(terms, node.span)
    return ast.exchanged(node, lambda part: _without(part, term))


def _implies(first: Sequence[int], second: Sequence[int]) -> bool:
    """Return True if the second term is TRUE in every cell in which the first may be."""
    return not any(one & TRUE and other & NOT_TRUE for one, other in zip(first, second, strict=True))


def _contradiction(rows: Sequence[Sequence[int]]) -> tuple[int, tuple[int, ...]] | None:
    """Return the first term that excludes those before it, and which of them; None if all may hold together."""
    left = list(range(len(rows[0])))
    for term, row in enumerate(rows):
        remaining = [cell for cell in left if row[cell] & TRUE]
        if not remaining:
            single = (
                other
                for other in range(term)
                if not any(rows[other][cell] & outcome & TRUE for cell, outcome in enumerate(row))
            )
            one = next(single, None)
            return term, tuple(range(term)) if one is None else (one,)
        left = remaining
    return None


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
