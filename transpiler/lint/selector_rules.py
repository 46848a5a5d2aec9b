"""Run the rules over the tree of one selector."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from transpiler.diagnostics import Diagnostic
from transpiler.lint.registry import RULES, find_rule
from transpiler.lint.rule import Context, Doubt, Rule
from transpiler.lint.rules.logic import find_redundancies
from transpiler.selector import ast
from transpiler.selector.dialects import JMS, Dialect
from transpiler.source import Source, Span

_OF_NODE: dict[type[ast.Expression], list[Rule]] = {}
for _rule in RULES:
    for _node in _rule.nodes:
        _OF_NODE.setdefault(_node, []).append(_rule)
_OF_ROOT = tuple(rule for rule in RULES if rule.find is not None and not rule.nodes)


def lint(tree: ast.Expression, source: Source, dialect: Dialect = JMS) -> list[Diagnostic]:
    """Return the findings about a checked tree, in the order of the text."""
    context = Context(tree, source, dialect)
    diagnostics: list[Diagnostic] = []
    for node in ast.walk(tree):
        for rule in _OF_NODE.get(type(node), ()):
            assert rule.find is not None
            for doubt in rule.find(node, context):
                diagnostics.append(_finding(rule, doubt, source))
    for rule in _OF_ROOT:
        assert rule.find is not None
        diagnostics.extend(_finding(rule, doubt, source) for doubt in rule.find(tree, context))
    for redundancy in find_redundancies(context):
        known = find_rule(redundancy.rule)
        assert known is not None
        diagnostics.append(_finding(known, redundancy.doubt, source))
    return without_lesser(diagnostics) if diagnostics else diagnostics


def _finding(rule: Rule, doubt: Doubt, source: Source) -> Diagnostic:
    severity = doubt.severity or rule.severity
    return Diagnostic(rule.id, severity, doubt.message, source, doubt.span, doubt.hint, doubt.fix)


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
