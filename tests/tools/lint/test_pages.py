"""Every rule has a page, its wrong example gives the rule's warning, and its right example does not."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.sizes import sample
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.source import Span
from transpiler.cli import main
from transpiler.tools.lint.formats import sarif
from transpiler.tools.lint.pages import index, page, report_of
from transpiler.tools.lint.registry import RULES, WITHOUT_EXAMPLE, Selection
from transpiler.tools.lint.report import Location, Report, Reported
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
    # The right example has no other error or warning either.
    assert not [found for found in right if found.diagnostic.severity != "info"]


def test_a_rule_can_be_ignored_by_its_id() -> None:
    for rule in RULES:
        if len(rule.wrong) < 200:
            found = report_of(rule, rule.wrong, Selection.of((), (rule.id,))).findings
            assert rule.id not in {one.diagnostic.code for one in found}


#: The codes of diagnostics about selectors and about the layouts over which they are compiled.
_CODE = re.compile(r"(?:syntax|type|name|id|portability|layout|limit|spark|lint|check)\.[a-z-]+")


def codes_of(tree: ast.Module) -> Iterator[str]:
    """Yield the codes that a module contains: its strings of that form, except keys of dictionaries."""
    keys = {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
    for node in ast.walk(tree):
        # A code that is concatenated could not be found.
        assert not (isinstance(node, ast.JoinedStr) and re.match(r"f.(syntax|type|layout|limit)\.{", ast.unparse(node)))
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in keys and _CODE.fullmatch(node.value):
            yield node.value


def test_rule_prints_a_page_of_every_code_and_sarif_describes_it() -> None:
    paths = [path for room in ("transpiler", "spark_ext") for path in (ROOT / room).rglob("*.py")]
    codes = {code for path in paths for code in codes_of(ast.parse(path.read_text(encoding="utf-8")))}
    assert len(codes) > 100
    assert {"syntax.section", "layout.collation", "name.unreadable", "limit.broadcast"} <= codes
    line = "a = 1"
    for code in sample(sorted({*codes, *WITHOUT_EXAMPLE}), 30):
        printed = CliRunner().invoke(main, ["rule", code])
        assert (printed.exit_code, printed.output.splitlines()[0]) == (0, f"# {code}")
        assert len(printed.output) > 80, code
        diagnostic = Diagnostic(code, "warning", "a message", None, Span(0, 1))
        report = Report([Reported(diagnostic, line, Location(1, 1, 1, 2), line)])
        [entry] = json.loads(sarif(report, "1"))["runs"][0]["tool"]["driver"]["rules"]
        assert entry["shortDescription"]["text"], code
        assert len(entry["fullDescription"]["text"]) > 20, code
        assert entry["help"]["text"], code
