"""Check one selector, or the selectors of one file, in several dialects: errors, compiler warnings, and rules.

If a dialect rejects a selector, the only finding is the error. If only Spark cannot evaluate a selector, the finding is
a warning, or an error if the caller named a layout. Equal findings in several dialects are merged.

Equal selectors are found in lists of any length. Other pairs are compared if their names allow containment, up to
``MAX_PAIRS`` pairs that no known message distinguishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source, Span
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.lowering.selectors import SelectorLowering
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.language.selector.parsing import parse_selector, parse_tree
from transpiler.tools.analysis.building import identity_of
from transpiler.tools.analysis.contained_conditions import Candidate, contained
from transpiler.tools.lint.registry import Selection, lint, without_lesser

#: Limits for comparing each selector of a list with all others. A list of more than ``MAX_SELECTORS`` selectors is not
#: compared. At most ``MAX_PAIRS`` pairs that no example message distinguishes are examined. Selectors with more than
#: ``MAX_TESTS`` names, repetitions included, are not compared.
MAX_SELECTORS, MAX_PAIRS, MAX_TESTS = 400, 2_000, 30


class Finding(NamedTuple):
    """A diagnostic, and the dialects in which the check of a selector made it."""

    diagnostic: Diagnostic
    dialects: tuple[Dialect, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking one selector: its findings, and its tree for each dialect that accepts it."""

    findings: tuple[Finding, ...]
    trees: tuple[tuple[Dialect, ast.Expression], ...]


@dataclass(frozen=True)
class Checker:
    """A checker of selectors with its options. ``layout`` is None if no DataFrame or table is given."""

    layout: LayoutLike | None = None
    missing: Missing = "error"
    selection: Selection = field(default_factory=Selection)

    def __post_init__(self) -> None:
        if self.layout is not None:
            # Look up the name of the layout once, and not for every selector.
            object.__setattr__(self, "layout", find_layout(self.layout))

    def check(self, text: str, dialects: Sequence[Dialect] = (JMS,)) -> Checked:
        """Check the selector ``text`` in each of ``dialects``."""
        diagnostics: dict[Diagnostic, list[Dialect]] = {}
        trees = []
        source = Source(text)
        for dialect in dialects:
            tree, findings = self._one(text, source, dialect)
            if tree is not None:
                trees.append((dialect, tree))
            for finding in findings:
                if self.selection.has(finding):
                    diagnostics.setdefault(finding, []).append(dialect)
        collected = [Finding(diagnostic, tuple(own)) for diagnostic, own in diagnostics.items()]
        collected.sort(key=lambda finding: finding.diagnostic.span or Span(0, 0))
        return Checked(tuple(collected), tuple(trees))

    def _one(self, text: str, source: Source, dialect: Dialect) -> tuple[ast.Expression | None, Sequence[Diagnostic]]:
        try:
            tree = parse_selector(text, dialect)
        except TranspilerError as error:
            if self.layout is not None or error.diagnostics[0].code != "name.unreadable":
                return None, error.diagnostics
            # The error only says that this project cannot evaluate one of the names. The broker accepts the selector,
            # so examine the rest of it.
            tree = parse_tree(text, dialect)
            notes = [replace(finding, severity="info", hint=None) for finding in error.diagnostics]
            if tree is None:
                return tree, notes
            readable = _without_unreadable(tree, dialect)
            compiled = [] if readable is None else self._compiled(readable, source, dialect)
            return tree, without_lesser(lint(tree, source, dialect), [*notes, *compiled])
        if tree is None:
            return None, ()
        known = None if self.layout is None else find_layout(self.layout).names()
        findings = lint(tree, source, dialect, known=known)
        compiled = self._compiled(tree, source, dialect)
        return tree, without_lesser(findings, compiled) if compiled else findings

    def _compiled(self, tree: ast.Expression, source: Source, dialect: Dialect) -> Sequence[Diagnostic]:
        """Return the compiler's warnings, which arise when ``tree`` is lowered; no SQL is generated."""
        try:
            lowering = SelectorLowering(find_layout(self.layout or "amqp"), self.missing, source, dialect)
            lowering.selector(tree, True)
        except TranspilerError as error:
            return error.diagnostics if self.layout is not None else [*map(_as_warning, error.diagnostics)]
        return lowering.findings

    def contained(self, checked: Sequence[Checked], locations: Sequence[str]) -> list[tuple[int, Finding]]:
        """Return a finding for each selector of ``checked`` whose messages are all selected by another one.

        Each finding comes with the index of its selector. ``locations`` contains the names of the selectors for the
        text of the findings, such as "line 3".
        """
        collected: dict[tuple[int, Diagnostic], list[Dialect]] = {}
        dialects = dict.fromkeys(dialect for one in checked for dialect, _ in one.trees)
        for dialect in dialects:
            trees = {number: tree for number, one in enumerate(checked) for own, tree in one.trees if own is dialect}
            for number, container, same in contained_in([*trees.items()], dialect):
                what = "is the same selector" if same else "selects all of these messages too"
                apart = "perhaps exclude it from the other, if each message should match only one of them"
                hint = "perhaps remove one of the two" if same else apart
                message, span = f"{locations[container]} {what}", trees[number].span
                diagnostic = Diagnostic("lint.contained", "info", message, None, span, hint)
                if self.selection.has(diagnostic):
                    collected.setdefault((number, diagnostic), []).append(dialect)
        return [(number, Finding(diagnostic, tuple(own))) for (number, diagnostic), own in collected.items()]


def _without_unreadable(tree: ast.Expression, dialect: Dialect) -> ast.Expression | None:
    """Return ``tree`` without the conditions on names whose values only the broker knows; None if nothing is left."""
    match tree:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            kept = [one for term in terms if (one := _without_unreadable(term, dialect)) is not None]
            return replace(tree, terms=tuple(kept)) if len(kept) > 1 else kept[0] if kept else None
        case ast.Not(operand=operand):
            inner = _without_unreadable(operand, dialect)
            return None if inner is None else replace(tree, operand=inner)
        case _:
            return None if any(name.name in dialect.fields.unreadable for name in ast.names_of(tree)) else tree


def _as_warning(finding: Diagnostic) -> Diagnostic:
    """Return ``finding`` as a warning if it is an error about Spark or about a limit of this project.

    The broker accepts such a selector. Any other finding is returned unchanged.
    """
    return replace(finding, severity="warning") if finding.code.startswith(("spark.", "limit.")) else finding


class Contained(NamedTuple):
    """The number of a selector, and the number of another selector that selects all of its messages.

    ``same`` is True if both select the same messages.
    """

    number: int
    container: int
    same: bool


def contained_in(selectors: Sequence[tuple[int, ast.Expression]], dialect: Dialect) -> Iterator[Contained]:
    """Yield each selector of ``selectors`` whose messages another selector of ``selectors`` selects, too.

    Each item of ``selectors`` is a number and a parsed selector. Of selectors that select the same messages, all but
    the first are yielded.
    """
    first: dict[object, int] = {}
    different = []
    for number, tree in selectors:
        key = identity_of(tree)
        if key in first:
            yield Contained(number, first[key], same=True)
        else:
            first[key] = number
            different.append((number, tree))
    if len(different) > MAX_SELECTORS:
        return
    numbers, names, candidates = [], [], []
    for number, tree in different:
        own = [(node.section, node.name) for node in ast.walk(tree) if isinstance(node, ast.Identifier)]
        if 0 < len(own) <= MAX_TESTS:
            candidate = Candidate(lambda conditions, tree=tree: conditions.selector(tree, dialect))  # type: ignore[misc]
            # Every selector contains a selector that is never true. A finding about this would be useless, so do not
            # compare it.
            if not candidate.is_never_true:
                numbers.append(number)
                names.append(frozenset(own))
                candidates.append(candidate)
    for inner, outer in contained(candidates, lambda outer, inner: names[outer] <= names[inner], MAX_PAIRS):
        yield Contained(numbers[inner], numbers[outer], same=False)
