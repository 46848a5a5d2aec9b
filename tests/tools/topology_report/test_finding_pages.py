"""The pages of findings about files of topologies."""

import re
from pathlib import Path

from click.testing import CliRunner

import transpiler.topology.importers
from transpiler.cli import main
from transpiler.tools.topology_report.finding_pages import FINDINGS

_CODE = re.compile(r"\"(import\.[a-z-]+)\"")


def test_every_finding_of_an_importer_has_a_page() -> None:
    folder = Path(transpiler.topology.importers.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.py")]
    codes = {code for text in texts for code in _CODE.findall(text)}
    assert len(codes) > 20
    assert codes <= FINDINGS.keys()


def test_rule_prints_the_page() -> None:
    result = CliRunner().invoke(main, ["rule", "import.shovel"])
    assert (result.exit_code, result.output.splitlines()[0]) == (0, "# import.shovel")
    assert "shovel" in result.output.splitlines()[2]
