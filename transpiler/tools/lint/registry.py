"""All rules: the choice of some by their ids, and their findings about the tree of a selector."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import chain, groupby
from types import MappingProxyType
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, OptionFix, nearest
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.tools.lint.rule import Context, Doubt, Finder, Rule
from transpiler.tools.lint.rules import absence, headers, literals, logic, refusals, spelling

#: All rules in the order of their pages.
RULES: tuple[Rule, ...] = (
    *spelling.RULES,
    *literals.RULES,
    *absence.RULES,
    *headers.RULES,
    *logic.RULES,
    *refusals.RULES,
)
_BY_ID: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in RULES})
#: Names that select rules: an id, the first part of ids, or a severity.
_NAMES = (*_BY_ID, *dict.fromkeys(rule.id.split(".")[0] for rule in RULES), "error", "warning", "info")

#: Findings of the check itself, which no selector has: the title, and what it means.
OF_CHECK: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "check.unread": (
            "A selector that is not read, or in part",
            "At this place a selector begins that is known at run time only, is a constant that no checked file "
            "declares, has a placeholder without a value, or is in another language. What is certain about the known "
            "part is reported; the rest is not checked. Check the directory that declares a constant; give a key a "
            "value in application.properties or application.yml; or write the selector as one text. --unread lists "
            "these places.",
        ),
        "check.unknown-rule": (
            "A comment that ignores a rule that does not exist",
            "The comment selector-sql: ignore[…] names a rule that does not exist, so that it ignores nothing. "
            "Correct the name, or take the comment out. selector-sql rule lists the rules.",
        ),
    }
)

#: Findings without a page, by the first part of their codes: the title, and what they mean.
OF_GROUPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "syntax": (
            "Not a selector",
            "The text is not a selector of the dialect. The message names what is wrong at the place of the finding.",
        ),
        "type": (
            "An operand of the wrong type",
            "An operator has an operand of a type that the dialect does not take there, so the broker refuses it.",
        ),
        "name": (
            "A name that cannot be read",
            "The broker knows a name that is in no message, or a name stands for more than one thing.",
        ),
        "id": (
            "A message ID that is malformed",
            "A message ID or correlation ID has a prefix that promises a form, and the rest is not of that form.",
        ),
        "layout": (
            "A table that does not fit the selector",
            "The table that --layout and --schema describe has no column for what the selector reads, or has it in a "
            "form that cannot be compared.",
        ),
        "limit": (
            "A selector beyond a limit",
            "The selector is longer, deeper or costlier than what the dialect, or Spark, takes.",
        ),
        "spark": (
            "Legal, and not available in Spark",
            "The broker takes this construct, and no Spark SQL is made for it.",
        ),
    }
)

#: The last parts of ids, which are enough to name rules.
_LAST_PARTS = frozenset({*(rule.id.rpartition(".")[2] for rule in RULES), "unread", "unknown-rule"})

_OF_NODE: dict[type[ast.Expression], list[tuple[Rule, Finder]]] = {}
for _rule in RULES:
    for _node in _rule.nodes:
        if _rule.find is not None:
            _OF_NODE.setdefault(_node, []).append((_rule, _rule.find))
#: The rules whose findings are warnings.
_WARNING_OF_NODE = {
    node: [(rule, find) for rule, find in rules if rule.severity != "info"] for node, rules in _OF_NODE.items()
}
_OF_ROOT = [(rule, rule.find) for rule in RULES if rule.find is not None and not rule.nodes]


def find_rule(code: str) -> Rule | None:
    """Return the rule of an id; None for a code without a page of its own."""
    return _BY_ID.get(code)


class Selection(NamedTuple):
    """The rules whose findings are reported: those selected, or all, without those ignored."""

    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, selected: Iterable[str], ignored: Iterable[str]) -> Selection:
        """Return the selection of some ids, prefixes and severities; ``UnsupportedFeatureError`` for an unknown one."""
        return cls(tuple(map(check_pattern, selected)), tuple(map(check_pattern, ignored)))

    def has(self, finding: Diagnostic) -> bool:
        """Return True if a finding is reported."""
        wanted = not self.selected or any(fits(pattern, finding) for pattern in self.selected)
        return wanted and not any(fits(pattern, finding) for pattern in self.ignored)


def check_pattern(pattern: str) -> str:
    """Return an id, the first part of ids, or a severity; ``UnsupportedFeatureError`` if no rule is called so."""
    name = full_id(pattern)
    # Layouts, Spark and the check itself have findings without a page.
    if name in _NAMES or name in _LAST_PARTS or name.split(".")[0] in ("layout", "spark", "limit", "check"):
        return name
    near = nearest(name, _NAMES) or [
        one for last in nearest(name, sorted(_LAST_PARTS)) for one in _NAMES if one.endswith(f".{last}")
    ]
    hint, fix = "selector-sql rule lists the rules; a prefix such as lint stands for all of its rules", None
    if near:
        hint, fix = f"did you mean {near[0]}?", OptionFix("rule", repr(near[0]))
    raise UnsupportedFeatureError.at("rule.unknown", f"there is no rule called {pattern!r}", hint=hint, fix=fix)


def full_id(pattern: str) -> str:
    """Return the id of a rule that is written without its ``lint.``, and anything else as it is."""
    name = pattern.strip().removesuffix(".*").removesuffix(".")
    return f"lint.{name}" if f"lint.{name}" in _BY_ID else name


def fits(pattern: str, finding: Diagnostic) -> bool:
    """Return True if an id, its first or its last part, or a severity is that of a finding."""
    pattern = full_id(pattern)
    code = finding.code
    return pattern in (code, finding.severity, code.rpartition(".")[2]) or code.startswith(f"{pattern}.")


def lint(
    tree: ast.Expression,
    source: Source,
    dialect: Dialect = JMS,
    *,
    known: tuple[str, ...] | None = None,
    proofs: bool = True,
) -> list[Diagnostic]:
    """Return the findings about a checked tree, in the order of the text; without ``proofs`` warnings that cost little.

    ``known`` are the properties that are known to exist, as the columns of a table; none where a layout has a place for
    any name, and None where no layout is named.
    """
    context = Context(tree, source, dialect, known)
    of_node = _OF_NODE if proofs else _WARNING_OF_NODE
    diagnostics = [
        _finding(rule, doubt, source)
        for node in ast.walk(tree)
        for rule, find in of_node.get(type(node), ())
        for doubt in find(node, context)
    ]
    diagnostics += [_finding(rule, doubt, source) for rule, find in _OF_ROOT if proofs for doubt in find(tree, context)]
    return without_lesser(diagnostics) if diagnostics else diagnostics


def _finding(rule: Rule, doubt: Doubt, source: Source) -> Diagnostic:
    known = rule if doubt.rule is None else _BY_ID[doubt.rule]
    severity = doubt.severity or known.severity
    return Diagnostic(known.id, severity, doubt.message, source, doubt.span, doubt.hint, doubt.fix)


def without_lesser(*groups: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings in the order of the text, without those that another one replaces and without equal ones."""
    findings = sorted(chain(*groups), key=_place)
    replacing = _replacing(findings)
    kept: list[Diagnostic] = []
    for _, at_one_place in groupby(findings, _place):
        distinct: list[Diagnostic] = []
        for finding in at_one_place:
            if finding not in distinct and not _is_replaced(finding, replacing):
                distinct.append(finding)
        kept += distinct
    return kept


def _place(finding: Diagnostic) -> Span:
    return finding.span or Span(0, 0)


class _Spans(NamedTuple):
    """Spans by their starts, and the last end of each and those before it."""

    starts: list[int]
    ends: list[int]


def _replacing(findings: Iterable[Diagnostic]) -> dict[str, _Spans]:
    """Return where findings are that replace others, which are in the order of the text, by the code of the others."""
    found: dict[str, _Spans] = {}
    for finding in findings:
        rule = find_rule(finding.code)
        for code in rule.instead_of if rule is not None and finding.span is not None else ():
            assert finding.span is not None
            spans = found.setdefault(code, _Spans([], []))
            spans.starts.append(finding.span.start)
            spans.ends.append(max(finding.span.end, spans.ends[-1] if spans.ends else 0))
    return found


def _is_replaced(finding: Diagnostic, replacing: dict[str, _Spans]) -> bool:
    """Return True if a finding that replaces this one has a part of its span."""
    spans = replacing.get(finding.code)
    if spans is None or finding.span is None:
        return False
    before = bisect_left(spans.starts, finding.span.end)
    return before > 0 and spans.ends[before - 1] > finding.span.start
