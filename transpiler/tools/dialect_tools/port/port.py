"""Port a selector from one broker's dialect to another, condition by condition.

AND, OR and NOT are translated according to their truth tables. Each condition between them becomes the first candidate
in the target dialect that a trial accepts. If no candidate is accepted, the error contains a message on which the
selectors differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from transpiler.base import html
from transpiler.base.arguments import check_choice, renamed
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Evaluation, Extension, Logic
from transpiler.language.selector.dialects import Dialect, dialects_with, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector, selector_text
from transpiler.language.selector.printer import print_tree
from transpiler.language.translation.field_mapping import names_in
from transpiler.language.translation.message_fields import fields_of_name, is_property
from transpiler.message.types import NOT, TRUTH_TEXT, Truth
from transpiler.reference.evaluate import Verdict
from transpiler.tools.analysis.constants import is_constant
from transpiler.tools.analysis.formula import UndecidedError
from transpiler.tools.analysis.solve import Open
from transpiler.tools.analysis.subsumption import is_proved_same
from transpiler.tools.dialect_tools.port.candidates import finite, guarded, is_like, joined, ordered, plain, texts
from transpiler.tools.dialect_tools.port.equivalence import Goal, Trial, Witness, parsed
from transpiler.tools.dialect_tools.questions import Rule
from transpiler.tools.lint.check import Checker

#: The changes of meaning that are allowed, each with a warning: none, changes on rare messages only, or any changes.
Changes = Literal["none", "rare", "any"]

#: Maximum number of superfluous guards (added tests such as IS NULL) that are removed from a ported selector.
_MOST = 40

_TRUE: frozenset[Truth] = frozenset({True})


@dataclass(frozen=True, slots=True)
class Ported:
    """The result of porting a selector: ``text`` in the target dialect, and notes about the port.

    A note whose code begins with ``port.`` is about the meaning. Each change of meaning has a warning;
    ``port.unproved`` says that no change was found, but that a change is not ruled out. Without such a note, both
    selectors are proved to select the same messages. All other notes are findings that ``check`` has only about the
    ported text.
    """

    text: str
    notes: tuple[Diagnostic, ...] = ()

    def _repr_html_(self) -> str:
        """Return the selector as HTML, and each note below it."""
        return html.code(self.text) + "".join(html.code(note.render()) for note in self.notes)


@renamed("text", "selector")
def port_selector(
    selector: SelectorLike, source: str | Dialect, target: str | Dialect, *, changes: Changes = "rare"
) -> Ported:
    """Port a selector from the dialect ``source`` to ``target``, so that it selects the same messages.

    Args:
        selector: The text of a selector, or a parsed tree.
        source: The dialect that the selector is written in, by name or as a ``Dialect``.
        target: The dialect to write it in.
        changes: The changes of meaning that are accepted with a warning: ``"none"``; ``"rare"``, changes that affect
            only types that JMS does not allow for properties, numbers at the end of their type's range (NaN, -0.0,
            integers that overflow), line ends and rare characters in strings, and messages for which a broker throws;
            or ``"any"``.

    Returns:
        The text in the target dialect, the changes of meaning, and the findings of ``check`` that only the port has.

    Raises:
        TranspilerError: What ``parse_selector`` raises for the source, and ``UnsupportedFeatureError`` with every
            condition that has no counterpart in the target.
    """
    check_choice("changes", changes, get_args(Changes))
    leaving, arriving = find_dialect(source), find_dialect(target)
    text = selector_text(selector, leaving)
    tree = parse_selector(text, leaving)
    if tree is None:
        return Ported("")
    if replace(leaving, name="") == replace(arriving, name=""):
        ported = Ported(print_tree(tree, arriving, parenthesize_and=True))
    else:
        ported = _Porting(Source(text or ""), leaving, arriving, changes).selector(tree)
    return replace(ported, notes=(*ported.notes, *_reported(text or "", leaving, ported.text, arriving)))


def _reported(original: str, leaving: Dialect, text: str, arriving: Dialect) -> Iterator[Diagnostic]:
    """Yield the findings of ``check`` about ``text`` in ``arriving``, the target.

    A finding is skipped if its code is also reported about ``original`` in ``leaving``, the source dialect.
    """
    found = [one.diagnostic for one in Checker().check(text, (arriving,)).findings]
    known = {one.diagnostic.code for one in Checker().check(original, (leaving,)).findings} if found else set()
    for one in found:
        if one.code not in known:
            yield replace(one, source=Source(text, f"ported to {arriving.title}"))


@dataclass(frozen=True, slots=True)
class _Note:
    """A change of meaning, and the rule that causes it.

    ``rule`` is None if no change was found, but a change is not ruled out.
    """

    change: Diagnostic
    rule: Rule | None = None

    def at(self, span: Span) -> _Note:
        return replace(self, change=replace(self.change, span=span))

    def to_diagnostic(self, others: Sequence[_Note] = ()) -> Diagnostic:
        """Return the diagnostic for this note and for ``others``, the notes of other conditions with the same rule."""
        if self.rule is None:
            are = "condition is" if len(others) == 1 else "conditions are"
            more = f"; {len(others)} more {are} not proved either" if others else ""
            return replace(self.change, message=self.change.message + more)
        answers = dict.fromkeys(answer for note in (self, *others) if note.rule for answer in note.rule.answers)
        hint = f"the rule: {self.rule._replace(answers=tuple(answers))}"
        conditions = "condition changes" if len(others) == 1 else "conditions change"
        more = f"; {len(others)} more {conditions} by the same rule" if others else ""
        return replace(self.change, message=self.change.message + more, hint=hint)


def _one_for_a_rule(notes: Iterable[_Note]) -> Iterator[Diagnostic]:
    """Yield the diagnostics for ``notes``, in the order of the selector's text.

    If a rule changes the result only for unusual messages, yield a single diagnostic for all notes with this rule.
    """
    groups: dict[object, list[_Note]] = {}
    for note in sorted(dict.fromkeys(notes), key=lambda note: note.change.span or Span(0, 0)):
        key = note.rule and note.rule.name
        shared = note.change.code == "port.unproved" or (note.change.code == "port.rare" and key is not None)
        groups.setdefault(key if shared else note, []).append(note)
    for first, *others in groups.values():
        yield first.to_diagnostic(others)


class _FailedError(Exception):
    """Raised if a condition has no counterpart in the target; its diagnostic is already stored."""


class _Porting:
    def __init__(self, source: Source, leaving: Dialect, arriving: Dialect, changes: Changes) -> None:
        self.source = source
        self.leaving, self.arriving = leaving, arriving
        self.changes = changes
        self.convert = self.converting = False
        self.errors: dict[ast.Expression, Diagnostic] = {}
        self.notes: list[_Note] = []
        #: The guards: tests such as IS NULL that the port added so that the conditions have the same result in the
        #: target dialect.
        self.guards: set[ast.Expression] = set()
        self.results: dict[tuple[ast.Expression, Goal], tuple[ast.Expression, _Note | None] | Diagnostic] = {}

    def selector(self, tree: ast.Expression) -> Ported:
        """Port the whole selector ``tree``; keep the prefix that converts strings if the target has this prefix."""
        if isinstance(tree, ast.ConvertStrings):
            self.convert, tree = True, tree.condition
            self.converting = self.arriving.has(Extension.CONVERT_STRINGS)
        try:
            result = self.condition(tree, Goal(_TRUE))
        except _FailedError:
            raise UnsupportedFeatureError(list(self.errors.values())) from None
        if self.guards:
            result = _without_superfluous(result, frozenset(self.guards), self.arriving)
        if self.converting:
            result = ast.ConvertStrings(result)
        text = print_tree(result, self.arriving, parenthesize_and=True)
        again = parsed(text, self.arriving)
        if isinstance(again, TranspilerError):
            raise UnsupportedFeatureError.at(
                "port.refused",
                f"{self.arriving.title} rejects the ported selector: {again.diagnostics[0].message}",
                self.source,
            )
        if again != result:
            raise UnsupportedFeatureError.at(
                "port.refused", f"{self.arriving.title} gives the ported selector another meaning: {text}", self.source
            )
        self._check_order(tree, again)
        return Ported(text, tuple(_one_for_a_rule(self.notes)))

    def _check_order(self, tree: ast.Expression, result: ast.Expression) -> None:
        """Compare the two whole selectors if one of their conditions may throw an exception.

        Conditions are ported one by one. But an exception matters only if the broker evaluates the condition that
        throws. This depends on the broker: in some brokers, an unknown condition ends the evaluation of an AND.
        """
        throws = (self.leaving.on_throw or self.arriving.on_throw) and any(
            isinstance(part, ast.Calculate | ast.Sign) and not is_constant(part) for part in ast.walk(tree)
        )
        if not throws or not isinstance(tree, ast.And | ast.Or | ast.Not):
            return
        goal = Goal(_TRUE)
        trial = Trial(tree, self.leaving, self.arriving, self.convert)
        try:
            found = trial.compare(result, goal, any_message=True) if trial.pairs_up(result) else None
        except UndecidedError:
            return
        if not isinstance(found, Witness) or found.values is not None:
            return
        if self.changes == "none" or not found.rare:
            note = self._parting("port.meaning", trial, result, found, goal).at(tree.span)
            if self.changes != "any":
                raise UnsupportedFeatureError([replace(note.to_diagnostic(), severity="error")])
            self.notes.append(note)
        elif not any(note.rule is not None for note in self.notes):
            self.notes.append(self._parting("port.rare", trial, result, found, goal).at(tree.span))

    def condition(self, node: ast.Expression, goal: Goal) -> ast.Expression:
        """Return a condition of the target dialect for the condition ``node`` of the source dialect.

        For each message, the new condition has the value ``goal.into`` if the result of ``node`` is in ``goal.truths``,
        and otherwise another value.
        """
        match node:
            case ast.Not(operand=operand):
                return self._negated(operand, goal)
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return self._junction(node, terms, goal)
            case _ if goal.truths == {None}:
                # No single test says "``node`` is unknown". Say instead that ``node`` is not FALSE and not TRUE.
                both = [replace(goal, truths=frozenset({truth, None})) for truth in (False, True)]
                return joined(ast.And, tuple(self._each((node, node), both)))
            case _:
                return self._test(node, goal)

    def _negated(self, operand: ast.Expression, goal: Goal) -> ast.Expression:
        truths = frozenset(None if truth is None else not truth for truth in goal.truths)
        kept, notes, errors = None, len(self.notes), dict(self.errors)
        try:
            return ast.Not(self.condition(operand, replace(goal, truths=truths, into=not goal.into)))
        except _FailedError:
            # No port of the whole NOT exists. Forget the notes of this attempt, and port the operand with the opposite
            # goal instead: there are more candidates for a condition without NOT.
            del self.notes[notes:]
            kept, self.errors = self.errors, errors
        try:
            return self.condition(operand, replace(goal, truths=truths))
        except _FailedError:
            self.errors = kept
            raise

    def _junction(self, node: ast.And | ast.Or, terms: tuple[ast.Expression, ...], goal: Goal) -> ast.Expression:
        kind, decides = type(node), isinstance(node, ast.Or)
        alone = goal.truths <= _TRUE or goal.truths == frozenset({False, None})
        plain_tables = self.leaving.logic is Logic.SQL and self.arriving.logic is Logic.SQL
        if not goal.into:
            # The ported AND or OR must be FALSE (``into`` is False) where the source has one of the results ``truths``.
            # With SQL's truth tables, an AND is FALSE if one term is FALSE, and an OR if all terms are, so the terms
            # can be ported one by one. With other truth tables they cannot.
            if not (plain_tables or (self.arriving.logic is Logic.SQL and alone)):
                message = f"{self.arriving.title} has other tables of AND and OR, and under this NOT they tell"
                raise self._failed(node, self._error("port.meaning", message, "write it without the NOT"))
        elif not alone and self.leaving.logic is not Logic.SQL:
            return self._forgetful(kind, terms, goal)
        # An AND is TRUE only if every term is TRUE, and an OR is not TRUE only if no term is TRUE. In these two cases,
        # every term must have the required result. Otherwise one term suffices.
        every = (True in goal.truths) is not decides
        inner = [
            replace(goal, exposed=goal.exposed or self._exposes(every, index, len(terms)))
            for index in range(len(terms))
        ]
        conditions = self._each(terms, inner)
        same = every is goal.into
        return joined(ast.And if same else ast.Or, tuple(conditions))

    def _exposes(self, every: bool, position: int, count: int) -> bool:
        """Return True if an exception in one term of an AND or OR may hide another term that still matters.

        ``position`` is the index of the term that throws, and ``count`` the number of terms. ``every`` is True if all
        terms must have their required result. Then the exception already decides that they do not, and no other term
        matters.
        """
        if every:
            return False
        strict = Evaluation.STRICT in (self.leaving.evaluation, self.arriving.evaluation)
        return strict or position < count - 1

    def _forgetful(
        self, kind: type[ast.And] | type[ast.Or], terms: tuple[ast.Expression, ...], goal: Goal
    ) -> ast.Expression:
        """Port an AND or OR with the given ``terms`` from a dialect with Qpid's truth tables to another dialect.

        With these tables, the first term of an AND that is not TRUE determines the result. In an OR without a TRUE
        term, the last term determines it.
        """
        exposed = replace(goal, exposed=True)
        holds, not_true = replace(exposed, truths=_TRUE), replace(exposed, truths=frozenset({False, None}))
        if kind is ast.Or:
            # In Qpid's OR, the last term determines the result if no term is TRUE. So only the last term must have the
            # required results exactly, and each term before it must only be TRUE or not TRUE.
            before, whole = (holds, ast.Or) if True in goal.truths else (not_true, ast.And)
            return joined(whole, tuple(self._each(terms, [before] * (len(terms) - 1) + [exposed])))
        ends = replace(exposed, truths=goal.truths - _TRUE)
        cases = [self._each(terms[: index + 1], [holds] * index + [ends]) for index in range(len(terms))]
        if True in goal.truths:
            cases.append(self._each(terms, [holds] * len(terms)))
        return joined(ast.Or, tuple(joined(ast.And, tuple(case)) for case in cases))

    def _each(self, terms: Iterable[ast.Expression], goals: Iterable[Goal]) -> list[ast.Expression]:
        """Port all ``terms`` even if one fails, so that the error names every term that has no counterpart."""
        conditions, failed = [], False
        for term, one in zip(terms, goals, strict=True):
            try:
                conditions.append(self.condition(term, one))
            except _FailedError:
                failed = True
        if failed:
            raise _FailedError
        return conditions

    def _failed(self, node: ast.Expression, finding: Diagnostic) -> _FailedError:
        self.errors.setdefault(node, replace(finding, span=node.span))
        return _FailedError()

    def _test(self, node: ast.Expression, goal: Goal) -> ast.Expression:
        key = (node, goal)
        if key not in self.results:
            try:
                self.results[key] = self._search(node, goal)
            except UndecidedError as error:
                message, hint = f"no candidate can be compared: {error}", "write it in fewer parts, or port them apart"
                self.results[key] = self._error("port.undecided", message, hint)
        result = self.results[key]
        if isinstance(result, Diagnostic):
            raise self._failed(node, result)
        candidate, note = result
        if note is not None:
            self.notes.append(note.at(node.span))
        return candidate

    def _search(self, node: ast.Expression, goal: Goal) -> tuple[ast.Expression, _Note | None] | Diagnostic:
        trial = Trial(node, self.leaving, self.arriving, self.convert)
        tried: list[tuple[ast.Expression, Witness]] = []
        rare: list[tuple[ast.Expression, Witness]] = []
        refused: TranspilerError | None = None
        for candidate, is_guarded in self._candidates(node, goal, tried, rare):
            tree = self._readable(candidate)
            if isinstance(tree, TranspilerError):
                refused = refused or tree
            elif tree is not None and trial.pairs_up(tree):
                # If a candidate that differs only on rare messages is already known, accept another candidate only if
                # no message at all shows a difference.
                found = trial.compare(tree, goal, any_message=bool(rare) or self.changes == "none")
                if not isinstance(found, Witness):
                    if is_guarded:
                        self.guards |= _terms_of(candidate) - _terms_of(tried[0][0])
                    return candidate, None if found is None else self._unproved(found)
                tried.append((candidate, found))
                rare += tried[-1:] if found.rare else []
        if rare and self.changes != "none":
            candidate, witness = rare[0]
            if tried:
                self.guards |= _terms_of(candidate) - _terms_of(tried[0][0])
            return candidate, self._parting("port.rare", trial, candidate, witness, goal)
        if not tried:
            return self._untranslatable(node, refused)
        candidate, witness = rare[0] if rare else tried[0]
        if self.changes == "any":
            return candidate, self._parting("port.meaning", trial, candidate, witness, goal)
        return replace(self._parting("port.meaning", trial, candidate, witness, goal).to_diagnostic(), severity="error")

    def _candidates(
        self, node: ast.Expression, goal: Goal, tried: Sequence[tuple[ast.Expression, Witness]], rare: Sequence[object]
    ) -> Iterator[tuple[ast.Expression, bool]]:
        """Yield candidates for ``node``, each with True if it has a guard (an added test such as IS NULL).

        Candidates without guards come first, then failed candidates with guards. While iterating, the caller appends
        the candidates that failed to ``tried``, and those that failed only on rare messages to ``rare``. Guards are not
        tried if changes on rare messages are allowed and ``rare`` is not empty.
        """
        candidates = plain(node, self.leaving, self.arriving, goal)
        if self.changes == "any":
            candidates = self._alike(node, [*candidates])
        yield from ((candidate, False) for candidate in candidates)
        if self.changes == "none" or (self.changes == "rare" and not rare):
            likeliest = [candidate for candidate, _ in tried[:6]]
            more = [*guarded(likeliest), *texts(likeliest), *ordered(likeliest[:2])]
            if self.changes == "none":
                more += list(finite([*likeliest[:4], *more[:12]]))
            yield from ((candidate, True) for candidate in more)

    def _unproved(self, answer: Open) -> _Note:
        message = f"no message was found on which {self.arriving.title} differs, and no proof: {answer.reason}"
        hint = "perhaps compare them on your messages with selector-sql diff"
        return _Note(Diagnostic("port.unproved", "info", message, self.source, None, hint))

    def _alike(self, node: ast.Expression, candidates: list[ast.Expression]) -> Iterator[ast.Expression]:
        """Return the candidates of the same form as ``node`` that read the same names as the first of them.

        If no candidate has this form, return all ``candidates``.
        """
        known = [one for one in candidates if isinstance(self._readable(one), ast.Expression)]
        alike = [one for one in known if is_like(one, node)]
        return iter([one for one in alike if {*ast.names_of(one)} == {*ast.names_of(alike[0])}] or candidates)

    def _readable(self, candidate: ast.Expression) -> ast.Expression | TranspilerError | None:
        """Return the tree that the target parses from the text of ``candidate``, or the error if the target rejects it.

        Return None if the parsed tree is not equal to ``candidate``.
        """
        text = print_tree(candidate, self.arriving)
        tree = parsed(text, self.arriving)
        if isinstance(tree, TranspilerError):
            return tree
        if tree != candidate:
            return None
        return ast.ConvertStrings(tree) if self.converting else tree

    def _parting(self, code: str, trial: Trial, candidate: ast.Expression, witness: Witness, goal: Goal) -> _Note:
        left, right = self.leaving.title, self.arriving.title
        spoken = print_tree(candidate, self.arriving)
        # If the port must have the opposite result, the message to the user says "NOT of this" about the source's
        # condition.
        this, target_result = "this", witness.source
        if (True in goal.truths) is not goal.into:
            this, target_result = "NOT of this", target_result._replace(truth=NOT[target_result.truth])
        message = (
            f"with {trial.shown(witness)}, {this} {_verdict(target_result)} in {left}, "
            f"and {spoken} {_verdict(witness.target)} in {right}"
        )
        if witness.values is not None:
            computed, here, there = witness.values
            shown = self.source.text[computed.span.start : computed.span.end]
            message = f"with {trial.shown(witness)}, {shown} is {here} in {left}, and {there} in {right}"
        tree = self._readable(candidate)
        assert isinstance(tree, ast.Expression)
        return _Note(Diagnostic(code, "warning", message, self.source), trial.rule(tree, witness, goal))

    def _untranslatable(self, node: ast.Expression, refused: TranspilerError | None) -> Diagnostic:
        right = self.arriving.title
        for name in ast.names_of(node):
            if not names_in(name, self.leaving, self.arriving):
                return self._nameless(name)
            if self._readable(ast.IsNull(name)) != ast.IsNull(name) and is_property(name, self.leaving):
                return self._error("port.refused", f"{right} cannot write the name {name.name}", "rename the property")
        for inner in ast.walk(node):
            if isinstance(inner, ast.BodyQuery):
                return self._lacking(inner.language, Extension.XPATH)
            if isinstance(inner, ast.Call) and inner.function == "UTC":
                return self._lacking("UTC()", Extension.UTC)
            if isinstance(inner, ast.Call):
                return self._lacking(inner.function, Extension.FUNCTIONS)
        if refused is None:
            return self._error("port.refused", f"{right} has no words for this", None)
        first = refused.diagnostics[0]
        return self._error("port.refused", f"{right} has no words for this: {first.message}", first.hint)

    def _lacking(self, what: str, extension: Extension) -> Diagnostic:
        hint = f"only {dialects_with(extension)} can say it"
        return self._error("port.refused", f"{self.arriving.title} has no {what}", hint)

    def _nameless(self, name: ast.Identifier) -> Diagnostic:
        left, right = self.leaving.title, self.arriving.title
        if is_property(name, self.leaving):
            message = f"{name.name} is a property in {left}, and a header field in {right}"
            return self._error("port.no-name", message, "give the property another name")
        message_fields = fields_of_name(name, self.leaving)
        what = " or ".join(f"{message_field.section}.{message_field.field}" for message_field in message_fields)
        message = f"{name.name} is {what or 'always NULL'} in {left}, and {right} has no name for that"
        return self._error("port.no-name", message, "leave the condition out, or set a property for it")

    def _error(self, code: str, message: str, hint: str | None) -> Diagnostic:
        return Diagnostic(code, "error", message, self.source, None, hint)


def _terms_of(node: ast.Expression) -> set[ast.Expression]:
    """Return the terms of the AND or OR ``node``; any other ``node`` is its only term."""
    return set(node.terms) if isinstance(node, ast.And | ast.Or) else {node}


def _verdict(verdict: Verdict) -> str:
    return f"throws ({verdict.thrown})" if verdict.thrown is not None else f"is {TRUTH_TEXT[verdict.truth]}"


def _without_superfluous(tree: ast.Expression, guards: frozenset[ast.Expression], dialect: Dialect) -> ast.Expression:
    """Return ``tree`` without the ``guards`` whose removal is proved to change no result.

    A guard can be superfluous because each condition is ported separately, and another condition may imply the guard.
    """
    for _ in range(_MOST):
        shorter = next((one for one in _shortened(tree, guards) if is_proved_same(tree, one, dialect)), None)
        if shorter is None:
            break
        tree = shorter
    return tree


def _shortened(node: ast.Expression, guards: frozenset[ast.Expression]) -> Iterator[ast.Expression]:
    """Yield ``node`` without one of the ``guards``, once for each guard in it, the last guard first."""
    match node:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            for index in reversed(range(len(terms))):
                before, term, behind = terms[:index], terms[index], terms[index + 1 :]
                if term in guards:
                    yield joined(type(node), (*before, *behind))
                for shorter in _shortened(term, guards):
                    yield joined(type(node), (*before, shorter, *behind))
        case ast.Not(operand=operand):
            yield from map(ast.Not, _shortened(operand, guards))
