"""Every rule has a page; its wrong example yields the rule, and its right one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from transpiler.tools.lint.pages import index, page, report_of
from transpiler.tools.lint.registry import RULES, Selection
from transpiler.tools.lint.rule import Rule

ROOT = Path(__file__).parents[3]


def test_the_pages_are_what_the_rules_say() -> None:
    folder = ROOT / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    pages = {"README.md": index(), **{f"{rule.id}.md": page(rule) for rule in RULES}}
    assert written == pages, "run: python docs/rules/pages.py"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_wrong_example_yields_the_rule_and_the_right_one_does_not(rule: Rule) -> None:
    wrong = report_of(rule, rule.wrong).findings
    assert rule.id in {found.diagnostic.code for found in wrong}
    assert rule.severity in {found.diagnostic.severity for found in wrong if found.diagnostic.code == rule.id}
    right = report_of(rule, rule.right).findings
    assert rule.id not in {found.diagnostic.code for found in right}
    # An example that is right is not wrong in another way.
    assert not [found for found in right if found.diagnostic.severity != "info"]


def test_a_rule_can_be_ignored_by_its_id() -> None:
    for rule in RULES:
        if len(rule.wrong) < 200:
            found = report_of(rule, rule.wrong, Selection.of((), (rule.id,))).findings
            assert rule.id not in {one.diagnostic.code for one in found}


def test_every_code_of_the_parser_and_the_checks_has_a_page() -> None:
    known = {rule.id for rule in RULES}
    assert len(known) == len(RULES)
    codes = set()
    for package in ("selector", "lowering"):
        for path in (ROOT / "transpiler" / package).glob("*.py"):
            codes |= set(re.findall(r'"((?:syntax|type|id|portability)\.[a-z-]+)"', path.read_text(encoding="utf-8")))
    assert codes <= known
