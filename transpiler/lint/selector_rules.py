"""Run the rules over the tree of one selector."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from transpiler.diagnostics import Diagnostic
from transpiler.lint.registry import RULES, find_rule
from transpiler.lint.rule import Context, Doubt, Finder, Rule
from transpiler.selector import ast
from transpiler.selector.dialects import JMS, Dialect
from transpiler.source import Source, Span

_OF_NODE: dict[type[ast.Expression], list[tuple[Rule, Finder]]] = {}
for _rule in RULES:
    for _node in _rule.nodes:
        if _rule.find is not None:
            _OF_NODE.setdefault(_node, []).append((_rule, _rule.find))
_OF_ROOT = [(rule, rule.find) for rule in RULES if rule.find is not None and not rule.nodes]


def lint(tree: ast.Expression, source: Source, dialect: Dialect = JMS) -> list[Diagnostic]:
    """Return the findings about a checked tree, in the order of the text."""
    context = Context(tree, source, dialect)
    diagnostics = [
        _finding(rule, doubt, source)
        for node in ast.walk(tree)
        for rule, find in _OF_NODE.get(type(node), ())
        for doubt in find(node, context)
    ]
    diagnostics += [_finding(rule, doubt, source) for rule, find in _OF_ROOT for doubt in find(tree, context)]
    return without_lesser(diagnostics) if diagnostics else diagnostics


def _finding(rule: Rule, doubt: Doubt, source: Source) -> Diagnostic:
    known = rule if doubt.rule is None else find_rule(doubt.rule)
    assert known is not None
    severity = doubt.severity or known.severity
    return Diagnostic(known.id, severity, doubt.message, source, doubt.span, doubt.hint, doubt.fix)


def without_lesser(*groups: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings in the order of the text, without those that another one replaces and without equal ones."""
    findings = sorted(chain(*groups), key=lambda finding: finding.span or Span(0, 0))
    kept: list[Diagnostic] = []
    for finding in findings:
        if finding not in kept and not any(_replaces(other, finding) for other in findings):
            kept.append(finding)
    return kept


def _replaces(other: Diagnostic, finding: Diagnostic) -> bool:
    rule = find_rule(other.code)
    if rule is None or finding.code not in rule.instead_of or other.span is None or finding.span is None:
        return False
    first, second = other.span, finding.span
    return first.start < second.end and second.start < first.end
