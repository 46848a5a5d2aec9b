"""Rules that need a case analysis: never true, always true, implied, unreachable, contained.

Terms of one AND or OR that test the same name are compared with each other on the cells of the name. Then each term of
a nested condition is analysed in its context, which is the other terms of every AND that encloses it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Fix, Severity
from transpiler.base.source import Span
from transpiler.language.selector import ast
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.cell_search import Requirement
from transpiler.tools.analysis.formula import FALSE, NOT_TRUE, TRUE, Formula, UndecidedError, all_tests, possible
from transpiler.tools.analysis.representatives import representatives
from transpiler.tools.analysis.solve import Solver
from transpiler.tools.lint.rule import Context, Rule, Violation

#: Limits of the analysis. Nothing is proved about more than ``_MAX_OF_NAME`` tests of one name. Nested conditions are
#: not analysed if there are more than ``_MAX_TESTS`` tests. Terms of one name are compared pair by pair only if there
#: are at most ``_MAX_PAIRS`` terms.
_MAX_OF_NAME, _MAX_TESTS, _MAX_PAIRS = 64, 40, 64
#: Maximum number of evaluations of tests for one proof.
_BUDGET = 40_000
#: The kinds of property values, each with the word for users and the AMQP types that represent the kind.
_TYPES = (
    ("text", (AmqpType.STRING,)),
    ("a number", (AmqpType.LONG, AmqpType.DOUBLE)),
    ("a boolean", (AmqpType.BOOLEAN,)),
)
_GAINS = "messages on which it throws may match then"
_LOSES = "messages on which it keeps another part from throwing may not match then"


def find_redundancies(tree: ast.Expression, context: Context) -> list[Violation]:
    """Return the findings about constant, contradictory and redundant conditions in the selector ``tree``.

    A finding is dropped if another finding lies inside its span.
    """
    if context.converts_strings:
        # With the prefix that converts strings, a string such as '5' equals both a number and a string. The analysis
        # assumes that this is impossible.
        return []
    found = list(_constants(tree, context))
    if context.repeats_name:
        analysis = _Analysis(context, found)
        analysis.terms_of_one_name(tree, positive=True)
        if analysis.is_nested():
            with suppress(UndecidedError):
                analysis.condition(tree, [])
    return found


def _constants(tree: ast.Expression, context: Context) -> Iterator[Violation]:
    """Yield a finding for each constant condition that decides the AND or OR around it, or has no effect in it."""
    truth = context.constant(tree)
    if truth is False:
        yield _verdict(False, "this is", tree.span, "perhaps a name stands on one side")
    if truth is True and not isinstance(tree, ast.BooleanLiteral):
        yield _verdict(True, "this is", tree.span, "write TRUE, or no selector", Fix("TRUE"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.And | ast.Or):
            continue
        deciding = isinstance(node, ast.Or)
        truths = [context.constant(term) for term in node.terms]
        if deciding not in truths:
            for term, constant in zip(node.terms, truths, strict=True):
                if constant is not None:
                    yield _verdict(constant, "this is", term.span, "remove it", context.removal(term))
            continue
        position = truths.index(deciding)
        # ``TRUE`` in an OR makes it TRUE for every message, unless an earlier term may throw an exception: then the
        # evaluation does not reach the constant.
        if not (deciding and context.dialect.on_throw and position > 0):
            shown = context.text(node.terms[position])
            removed = context.removal(node.terms[position])
            yield _verdict(deciding, f"{shown} makes this", node.span, f"remove {shown}", removed)


def _verdict(truth: bool, subject: str, span: Span, hint: str, fix: Fix | None = None) -> Violation:
    """Return the finding that a condition is always or never true.

    ``subject`` is the beginning of its message up to the verb, such as "this is".
    """
    result = "true for every message" if truth else "never true"
    return Violation(f"{subject} {result}", span, hint, None, fix, "lint.always-true" if truth else "lint.never-true")


class _Analysis:
    """The analysis of one selector for contradictions and redundancies; it appends its findings to ``found``."""

    def __init__(self, context: Context, found: list[Violation]) -> None:
        self._context, self._found = context, found
        self._conditions = Conditions()
        self._whole = self._formula(context.tree)
        self._solver = Solver(self._conditions, _BUDGET, _MAX_OF_NAME)
        self._witnesses: dict[int, Message | None] = {}

    def _formula(self, node: ast.Expression) -> Formula:
        return self._conditions.selector(node, self._context.dialect)

    def is_nested(self) -> bool:
        """Return True if the selector needs the analysis of nested conditions.

        It does if an AND or OR is inside another one, or if comparisons of names may form a cycle. The result is False
        if the selector has too many tests for this analysis.
        """
        tests = self._conditions.tests
        if len(tests) > _MAX_TESTS:
            return False
        junctions = sum(isinstance(node, ast.And | ast.Or) for node in ast.walk(self._context.tree))
        return junctions > 1 or any(test.relation is not None for test in tests)

    def terms_of_one_name(self, node: ast.Expression, positive: bool) -> None:
        """Report contradictions and redundancies among terms of the same AND or OR in ``node`` that test one name.

        ``positive`` is False inside a NOT.
        """
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
            case ast.Compare(left=ast.Identifier() as name) if node.right == name:
                self._with_itself(node, name, positive)

    def _with_itself(self, node: ast.Compare, name: ast.Identifier, positive: bool) -> None:
        """Report ``node``, which compares ``name`` with itself, if it is never true, or true for every value of a type.

        ``positive`` is False inside a NOT; then only a comparison that is never true is reported.
        """
        if self._never(node, []):
            self._add(_verdict(False, "this is", node.span, "perhaps another name stands on one side"))
            return
        kinds = [kind for kind, own in self._values_of_types(name) if all(self._holds(node, one) for one in own)]
        if kinds and positive:
            shown = self._context.text(name)
            has_all = "text" in kinds and "a number" in kinds
            values = "" if has_all else f" as {' or '.join(kinds)}"
            # NaN does not equal itself, so the comparison can be false for it.
            nan = "" if self._never(node, [], FALSE) else ", unless the value is NaN"
            message = f"this is true for every message that has {shown}{values}{nan}"
            hint = f"perhaps another name stands on one side; otherwise write {shown} IS NOT NULL"
            self._add(Violation(message, node.span, hint, rule="lint.always-true"))

    def _values_of_types(self, node: ast.Expression) -> Iterator[tuple[str, list[Message]]]:
        """Yield for each type of values, such as "a number", messages with such a value for the only name of ``node``.

        The values lie on both sides of every constant of ``node``. Infinities and NaN are excluded.
        """
        tests = [*all_tests(self._formula(node))]
        assert tests[0].subject is not None
        made = representatives(tests[0].subject, tests).messages
        for kind, types in _TYPES:
            own = [
                message
                for message, value, _ in made
                if isinstance(value, AmqpValue) and value.type in types and not _is_special(value.value)
            ]
            if own:
                yield kind, own

    def _group(self, node: ast.And | ast.Or, group: list[ast.Expression], alone: bool, positive: bool) -> None:
        try:
            cells = self._solver.cells(self._formula(group[0]))
        except UndecidedError:
            if isinstance(node, ast.And):
                self._long_list(group)
            return
        assert cells is not None
        terms = [_Term(term, *_cells_of(self._formula(term), cells)) for term in group]
        may_hold = [term for term in terms if term.holds]
        if isinstance(node, ast.And):
            if self._contradiction(may_hold):
                return
        elif alone or not self._context.dialect.on_throw:
            _, fails = _cells_of(self._formula(ast.Or(tuple(group), node.span)), cells)
            if not fails:
                self._add(_verdict(True, "this is", node.span, "perhaps join with AND, or remove it"))
                return
            if positive and self._holds_where_present(node, group):
                return
        if positive and len(may_hold) <= _MAX_PAIRS:
            self._implications(node, may_hold)

    def _contradiction(self, terms: Sequence[_Term]) -> bool:
        """Report the first of ``terms``, all of one AND, that cannot be TRUE together with the terms before it.

        Return False if no term contradicts the others.
        """
        left = terms[0].holds if terms else frozenset()
        for number, term in enumerate(terms):
            if left.isdisjoint(term.holds):
                before = terms[:number]
                single = [other for other in before if other.holds.isdisjoint(term.holds)]
                self._exclusion(term.node, [other.node for other in single[:1] or before])
                return True
            left &= term.holds
        return False

    def _implications(self, node: ast.And | ast.Or, terms: Sequence[_Term]) -> None:
        """Report each of ``terms`` that another term makes redundant: ``a > 1`` in ``a > 1 AND a > 2``.

        ``node`` is the AND or OR that contains the terms.
        """
        superfluous: list[_Term] = []
        for term in terms:
            for by in terms:
                if by is term or by in superfluous or term.node == by.node:
                    continue
                weaker, stronger = (term, by) if isinstance(node, ast.And) else (by, term)
                if not stronger.holds.isdisjoint(weaker.fails):
                    continue
                superfluous.append(term)
                shown = self._context.text(by.node)
                message = f"{shown} implies this" if isinstance(node, ast.And) else f"this implies {shown}"
                # IS NOT NULL beside a comparison is redundant, but many authors write it on purpose, so only a note is
                # given.
                severity: Severity | None = "info" if isinstance(term.node, ast.IsNull) else None
                hint, fix = self._removal(term.node)
                self._add(Violation(message, term.node.span, hint, severity, fix, "lint.implied"))
                break

    def _holds_where_present(self, node: ast.Or, group: list[ast.Expression]) -> bool:
        """Report an OR such as ``a > 1 OR a < 5``, which is true for every value of one type although no branch is.

        ``group`` contains the branches of ``node`` that test one name. Such an OR only tests whether the property is
        present. An OR that is also true for a missing property is not reported.
        """
        joined = ast.Or(tuple(group), node.span)
        if len(ast.names_of(joined)) != 1 or self._holds(joined, Message()):
            return False
        for kind, own in self._values_of_types(joined):
            alone = any(all(self._holds(term, message) for message in own) for term in group)
            if not alone and all(self._holds(joined, message) for message in own):
                # The text of a boolean name that stands alone as a condition may include the parentheses around it.
                # Remove them, because only the name is put into the message and the fix.
                shown = self._context.written(ast.names_of(joined)[0]).strip("() \t\r\n")
                message = f"this is true for every message that has {shown} as {kind}"
                hint = f"write {shown} IS NOT NULL, or join with AND"
                fix = Fix(f"{shown} IS NOT NULL")
                span = group[0].span.to(group[-1].span)
                self._add(Violation(message, span, hint, fix=fix, rule="lint.always-true"))
                return True
        return False

    def _long_list(self, group: list[ast.Expression]) -> None:
        """Report the first term in ``group``, the terms of a long AND, that contradicts the first equality of the AND.

        Other pairs of terms are not compared, because there are too many.
        """
        equalities = (term for term in group if isinstance(term, ast.Compare) and term.operator is Comparison.EQ)
        term = next(equalities, None)
        message = None if term is None else self._witness(term)
        for other in group:
            met = message is not None and self._holds(other, message)
            if term is not None and other is not term and not met and not self._may_both(term, other):
                self._exclusion(term, [other])
                return

    def _may_both(self, term: ast.Expression, other: ast.Expression) -> bool:
        pair = Conditions()
        formulas = [pair.selector(one, self._context.dialect) for one in (term, other)]
        return not Solver(pair).impossible(*map(Requirement, formulas))

    def _exclusion(self, term: ast.Expression, others: Sequence[ast.Expression]) -> None:
        subject, hint = (
            f"this is never true together with {self._listed(others)}",
            "perhaps join them with OR, or remove one of them",
        )
        self._add(Violation(subject, term.span, hint, rule="lint.never-true"))

    def _listed(self, conditions: Sequence[ast.Expression]) -> str:
        shown = " and ".join(self._context.text(one) for one in conditions[:3])
        return f"{shown} and others" if len(conditions) > 3 else shown

    def condition(self, node: ast.Expression, around: list[ast.Expression]) -> None:
        """Report contradictions and redundancies in ``node``, assuming that all conditions ``around`` it are TRUE."""
        if isinstance(node, ast.And):
            self._and(node.terms, around)
        elif isinstance(node, ast.Or):
            self._or(node, around)

    def _and(self, terms: Sequence[ast.Expression], around: list[ast.Expression]) -> None:
        for number, term in enumerate(terms):
            before = [*around, *terms[:number]]
            # If a term is never true even alone, another finding already reports it.
            if number and self._never(term, before) and not self._never(term, []):
                self._report("lint.never-true", term, before, "this is never true together with {}")
                return
        for number, term in enumerate(terms):
            others = [*around, *terms[:number], *terms[number + 1 :]]
            if isinstance(term, ast.Or | ast.And):
                if self._always(term, others) and not self._always(term, []):
                    self._report("lint.implied", term, others, "{} implies this", *self._removal(term))
                else:
                    self.condition(term, others)

    def _or(self, node: ast.Or, around: list[ast.Expression]) -> None:
        # Test the empty message first, because few conditions are TRUE for it, and the proof that one is always true is
        # slow.
        if not around and self._holds(node, Message()) and self._always(node, []):
            self._add(_verdict(True, "this is", node.span, "perhaps join with AND, or remove it"))
            return
        reachable = []
        for term in node.terms:
            if around and self._never(term, around) and not self._never(term, []):
                self._report("lint.unreachable-branch", term, around, "this branch is never true together with {}")
            else:
                reachable.append(term)
        superfluous: list[ast.Expression] = []
        for term in reachable:
            others = [other for other in reachable if other is not term and other not in superfluous]
            # Pairs of terms that test the same name were compared before. Here, only pairs remain in which a term
            # contains an AND or OR.
            if not any(isinstance(one, ast.And | ast.Or) for one in (term, *others)):
                continue
            by = next((other for other in others if self._implies(term, other, around)), None)
            if by is not None:
                superfluous.append(term)
                message = f"this branch is in {self._context.text(by)} already"
                hint, fix = self._removal(term)
                self._add(Violation(message, term.span, hint, fix=fix, rule="lint.unreachable-branch"))
        for term in reachable:
            if term not in superfluous:
                self.condition(term, around)

    def _implies(self, term: ast.Expression, other: ast.Expression, around: Sequence[ast.Expression]) -> bool:
        # First try a message for which ``term`` is TRUE: if ``other`` is not TRUE for it, the slow proof is not needed.
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
        return judge(node, message, self._context.dialect, Receiver(0)).truth is True

    def _required(self, node: ast.Expression, outcomes: int = TRUE) -> Requirement:
        return Requirement(self._formula(node), outcomes)

    def _never(self, term: ast.Expression, others: Sequence[ast.Expression], outcomes: int = TRUE) -> bool:
        """Return True if it is proved that ``term`` has none of ``outcomes`` when all ``others`` are TRUE.

        Only those of ``others`` that share names with ``term``, directly or through others, are used.
        """
        related = self._related(term, others)
        if others and not related:
            return False
        return self._solver.impossible(*map(self._required, related), self._required(term, outcomes))

    def _always(self, term: ast.Expression, others: Sequence[ast.Expression]) -> bool:
        return self._never(term, others, NOT_TRUE)

    def _related(self, term: ast.Expression, others: Sequence[ast.Expression]) -> list[ast.Expression]:
        """Return those of ``others`` that share a field with ``term``, directly or through other conditions."""
        variables = [self._solver.variables(self._formula(other)) for other in others]
        reached = set(self._solver.variables(self._formula(term)))
        known = 0
        while known < len(reached):
            known = len(reached)
            reached.update(*(own for own in variables if not reached.isdisjoint(own)))
        return [other for other, own in zip(others, variables, strict=True) if not reached.isdisjoint(own)]

    def _report(
        self,
        rule: str,
        term: ast.Expression,
        others: Sequence[ast.Expression],
        message: str,
        hint: str | None = None,
        fix: Fix | None = None,
    ) -> None:
        needed = self._related(term, others)
        outcomes = NOT_TRUE if rule == "lint.implied" else TRUE
        # Omit the conditions that the proof does not need, so that the finding names only the conditions that matter.
        for other in needed:
            fewer = [one for one in needed if one is not other]
            if fewer and self._never(term, fewer, outcomes):
                needed = fewer
        # If the dialect throws exceptions, the branch may protect later branches from being evaluated, so do not
        # suggest removing it.
        if hint is None and rule == "lint.unreachable-branch" and not self._context.dialect.on_throw:
            hint, fix = "remove the branch, or mend one of the two", self._context.removal(term)
        hint = hint or "perhaps mend one of the two"
        self._add(Violation(message.format(self._listed(needed)), term.span, hint, fix=fix, rule=rule))

    def _removal(self, term: ast.Expression) -> tuple[str, Fix | None]:
        """Return the hint and the fix for removing ``term``, which is redundant.

        If the removal may cause or prevent an exception, the hint also states how the selected messages may change.
        """
        fix = self._context.removal(term)
        if not self._context.dialect.on_throw:
            return "remove it", fix
        rest = self._formula(_without(self._context.tree, term))
        directions = (rest, self._whole, _GAINS), (self._whole, rest, _LOSES)
        changes = [
            change
            for one, other, change in directions
            if not self._solver.impossible(Requirement(one), Requirement(other, NOT_TRUE))
        ]
        return f"remove it; {', and '.join(changes)}" if changes else "remove it", fix

    def _add(self, violation: Violation) -> None:
        """Add the finding ``violation``, unless an earlier finding lies inside its span and is the cause of both."""
        start, end = violation.span
        if not any(start <= known.span.start and known.span.end <= end for known in self._found):
            self._found.append(violation)


class _Term(NamedTuple):
    """A term ``node`` that tests one name, with the cells (classes of the name's values) in which it is TRUE.

    ``holds`` contains the indices of the cells in which the term may be TRUE; ``fails`` those in which it may have
    another result.
    """

    node: ast.Expression
    holds: frozenset[int]
    fails: frozenset[int]


def _cells_of(formula: Formula, cells: Sequence[Mapping[int, int]]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the indices of the cells in which ``formula`` may be TRUE, and of those in which it may not be TRUE.

    A cell is a combination of outcomes of tests, as a mapping from test number to outcome bits.
    """
    outcomes = [possible(formula, cell) for cell in cells]
    holds = frozenset(number for number, outcome in enumerate(outcomes) if outcome & TRUE)
    return holds, frozenset(number for number, outcome in enumerate(outcomes) if outcome & NOT_TRUE)


def _is_special(content: object) -> bool:
    return isinstance(content, float) and not math.isfinite(content)


def _without(node: ast.Expression, term: ast.Expression) -> ast.Expression:
    """Return ``node`` without ``term``, a term of an AND or OR in it."""
    terms = tuple(own for own in node.terms if own is not term) if isinstance(node, ast.And | ast.Or) else ()
    if isinstance(node, ast.And | ast.Or) and len(terms) < len(node.terms):
        return terms[0] if len(terms) == 1 else type(node)(terms, node.span)
    return ast.exchanged(node, lambda part: _without(part, term))


RULES = (
    Rule(
        id="lint.never-true",
        title="A condition that is never true",
        wrong="color = 'red' AND color = 'blue'",
        right="color = 'red' OR color = 'blue'",
        find=find_redundancies,
        why="No message meets both of the reported conditions. So the selector, or the branch of an OR that "
        "contains these conditions, does not select any message. In most cases the author wrote AND but meant OR. "
        "`check` gives this warning only if it has a proof for all messages, by the dialect's own rules for NULL, "
        "for values of different types and for the order of floating point numbers.",
        claim="never",
    ),
    Rule(
        id="lint.always-true",
        title="A condition that is always true",
        wrong="color IS NULL OR color IS NOT NULL",
        right="color IS NOT NULL",
        why="For every message, at least one branch of the OR is true, so the condition selects every message. In "
        "most cases the author wrote OR but meant AND.",
    ),
    Rule(
        id="lint.implied",
        title="A condition that another one implies",
        wrong="weight > 5 AND weight > 3",
        right="weight > 5",
        why="If an AND contains two conditions and one of them implies the other, the implied condition has no "
        "effect. If an OR contains two such conditions, the condition that implies the other has no effect, "
        "because every message that it selects is selected by the other condition, too. Often the author meant a "
        "different condition. If a test with `IS NOT NULL` is implied by a comparison, the finding is only a note.",
        claim="same",
    ),
    Rule(
        id="lint.unreachable-branch",
        title="An OR branch that cannot be reached",
        wrong="color = 'red' AND (color = 'blue' OR weight > 2500)",
        right="color = 'red' AND weight > 2500",
        why="The branch of the OR contradicts the conditions around the OR, or another branch selects every "
        "message that this branch selects. So this branch never changes the result of the selector.",
        claim="same",
    ),
    Rule(
        id="lint.contained",
        title="A selector that another one contains",
        severity="info",
        wrong="color = 'red'\ncolor = 'red' AND weight > 2500",
        right="color = 'red' AND weight <= 2500\ncolor = 'red' AND weight > 2500",
        why="Another selector in the same file selects every message that this selector selects. If both selectors "
        "belong to subscribers of the same address, every message that both select is delivered twice. If the "
        "selectors belong to exclusive routes, of which each message takes only one, the route with the narrower "
        "selector may never get a message. If a file contains more than 400 different selectors, the rule reports "
        "only identical selectors.",
    ),
)
