"""A plugin of pytest that collects files of selectors' test cases: ``*.selectors.yaml``, ``.yml`` and ``.json``.

pytest imports a plugin in every run, so this module imports nothing but the standard library until it meets such a
file; ``transpiler.pytest_plugin`` has the rest. The endings are those of ``transpiler.tools.test_cases.reading``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_ENDINGS = (".selectors.yaml", ".selectors.yml", ".selectors.json")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file of cases."""
    if not file_path.name.endswith(_ENDINGS):
        return None
    from transpiler.pytest_plugin import CaseFile

    return CaseFile.from_parent(parent, path=file_path)
