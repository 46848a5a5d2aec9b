"""Each diagnostic about a topology file has a page."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

import transpiler
from transpiler.cli import main
from transpiler.tools.topology_report.finding_pages import FINDINGS

_CODE = re.compile(r"(?:import|topology|address|routing)\.[a-z-]+")
#: Functions that raise their diagnostic as an error, or create a diagnostic that is an error.
_RAISING = {"refuse", "_refuse", "fail", "_fail", "at", "_error", "_missing"}


def findings_that_are_no_errors(tree: ast.Module) -> Iterator[str]:
    """Yield the codes of diagnostics that a module prints and that do not stop the import of a file."""
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        arguments = [constants.get(one.id, one) if isinstance(one, ast.Name) else one for one in node.args]
        texts = [one.value for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        is_error = called in _RAISING or "error" in texts[1:2]
        if texts and not is_error and called not in ("replace", "get"):
            yield from (texts[0] for _ in [0] if _CODE.fullmatch(texts[0]))


def test_every_finding_about_a_topology_has_a_page() -> None:
    folder = Path(transpiler.__file__).parent
    paths = [path for room in (folder, folder.parent / "spark_ext") for path in room.rglob("*.py")]
    codes = {
        code
        for path in paths
        for code in findings_that_are_no_errors(ast.parse(path.read_text(encoding="utf-8")))
        if path.name != "finding_pages.py"
    }
    assert len(codes) > 40
    assert codes <= FINDINGS.keys(), codes - FINDINGS.keys()


def test_rule_prints_the_page() -> None:
    result = CliRunner().invoke(main, ["rule", "import.shovel"])
    assert (result.exit_code, result.output.splitlines()[0]) == (0, "# import.shovel")
    assert "shovel" in result.output.splitlines()[2]
