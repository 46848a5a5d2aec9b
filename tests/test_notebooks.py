"""Each notebook runs from its first cell to its last, and is stored with the outputs of such a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.live


def outputs(notebook: Any) -> list[list[str]]:
    """Return for each cell the text that it prints, or the MIME types of its data. Java's output is dropped."""
    return [
        [
            output.get("text", "") or ",".join(sorted(output.get("data", {})))
            for output in cell.get("outputs", [])
            if output.get("name") != "stderr" and not output.get("text", "").startswith("WARNING: Using incubator")
        ]
        for cell in notebook.cells
    ]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs(file: Path) -> None:
    kept, notebook = (nbformat.read(file, as_version=4) for _ in range(2))
    for cell in notebook.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(file.parent)}}).execute()
    assert outputs(notebook) == outputs(kept)
    assert any("image/png" in kinds for cell in outputs(notebook) for kinds in cell)
