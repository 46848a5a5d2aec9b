"""Check one selector, or those of one file, in several dialects: errors, warnings of the compiler, and the rules.

A selector that a dialect refuses has the error and nothing else. One that is legal and that Spark cannot evaluate has
a warning, unless the caller named a layout. Findings of several dialects with one code, place and text are one.

Equal selectors of one list are found in lists of any length. Each other pair whose names allow it is compared, up to
``MAX_PAIRS`` of those that no message tells apart at once.
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

#: Selectors of a list that are compared in pairs, pairs that pass the cheap test, and tests in one selector.
MAX_SELECTORS, MAX_PAIRS, MAX_TESTS = 400, 2_000, 30


class Finding(NamedTuple):
    """A diagnostic, and the dialects in which it holds."""

    diagnostic: Diagnostic
    dialects: tuple[Dialect, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """One selector after its check; ``trees`` are those of the dialects that accept it."""

    findings: tuple[Finding, ...]
    trees: tuple[tuple[Dialect, ast.Expression], ...]


@dataclass(frozen=True)
class Checker:
    """A check with its options. ``layout`` is None where no DataFrame is meant."""

    layout: LayoutLike | None = None
    missing: Missing = "error"
    selection: Selection = field(default_factory=Selection)

    def __post_init__(self) -> None:
        if self.layout is not None:
            # A name is looked up once, and not for every selector.
            object.__setattr__(self, "layout", find_layout(self.layout))

    def check(self, text: str, dialects: Sequence[Dialect] = (JMS,)) -> Checked:
        """Check one selector in some dialects."""
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
            # The broker takes it: only here it has no answer.
            tree = parse_tree(text, dialect)
            told = [replace(finding, severity="info", hint=None) for finding in error.diagnostics]
            if tree is None:
                return tree, told
            readable = _without_unreadable(tree, dialect)
            compiled = [] if readable is None else self._compiled(readable, source, dialect)
            return tree, without_lesser(lint(tree, source, dialect), [*told, *compiled])
        if tree is None:
            return None, ()
        known = None if self.layout is None else find_layout(self.layout).names()
        findings = lint(tree, source, dialect, known=known)
        compiled = self._compiled(tree, source, dialect)
        return tree, without_lesser(findings, compiled) if compiled else findings

    def _compiled(self, tree: ast.Expression, source: Source, dialect: Dialect) -> Sequence[Diagnostic]:
        """Return the warnings of the compiler, which come up while a tree is lowered; no SQL is emitted."""
        try:
            lowering = SelectorLowering(find_layout(self.layout or "amqp"), self.missing, source, dialect)
            lowering.selector(tree, True)
        except TranspilerError as error:
            return error.diagnostics if self.layout is not None else [*map(_as_warning, error.diagnostics)]
        return lowering.findings

    def contained(self, checked: Sequence[Checked], places: Sequence[str]) -> list[tuple[int, Finding]]:
        """Return the selectors of one list that others contain, by their numbers; ``places`` name the selectors."""
        collected: dict[tuple[int, Diagnostic], list[Dialect]] = {}
        dialects = dict.fromkeys(dialect for one in checked for dialect, _ in one.trees)
        for dialect in dialects:
            trees = {number: tree for number, one in enumerate(checked) for own, tree in one.trees if own is dialect}
            for number, container, same in contained_in([*trees.items()], dialect):
                what = "is the same selector" if same else "selects all of these messages too"
                apart = "perhaps exclude it from the other, if each message should match only one of them"
                hint = "perhaps remove one of the two" if same else apart
                message, span = f"{places[container]} {what}", trees[number].span
                diagnostic = Diagnostic("lint.contained", "info", message, None, span, hint)
                if self.selection.has(diagnostic):
                    collected.setdefault((number, diagnostic), []).append(dialect)
        return [(number, Finding(diagnostic, tuple(own))) for (number, diagnostic), own in collected.items()]


def _without_unreadable(tree: ast.Expression, dialect: Dialect) -> ast.Expression | None:
    """Return a selector without the conditions whose names only the broker can read; None if nothing is left."""
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
    """Return a finding about a legal selector, as a warning where only Spark, or a limit, refuses it."""
    return replace(finding, severity="warning") if finding.code.startswith(("spark.", "limit.")) else finding


class Contained(NamedTuple):
    """A selector and the one that contains it, by their numbers; ``same`` if they are equal."""

    number: int
    container: int
    same: bool


def contained_in(selectors: Sequence[tuple[int, ast.Expression]], dialect: Dialect) -> Iterator[Contained]:
    """Yield the selectors that another one contains, each once; the later of two equal ones."""
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
            # A selector that is never true is contained in every other one.
            if not candidate.is_never_true:
                numbers.append(number)
                names.append(frozenset(own))
                candidates.append(candidate)
    for inner, outer in contained(candidates, lambda outer, inner: names[outer] <= names[inner], MAX_PAIRS):
        yield Contained(numbers[inner], numbers[outer], same=False)
