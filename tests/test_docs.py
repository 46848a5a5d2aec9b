"""The pages under docs say what the tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("script", sorted(DOCS.glob("*.py")), ids=lambda path: path.stem)
def test_a_page_is_what_its_script_writes(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=DOCS.parent)
    assert done.stdout == script.with_suffix(".md").read_text(encoding="utf-8")
