"""The files of test cases in directories, by their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

#: The endings of names by which files of cases are found; pytest collects the same.
PATTERNS = (".selectors.yaml", ".selectors.yml", ".selectors.json")

_SKIPPED = ("__pycache__", "node_modules", "venv", "build", "dist")


def is_case_file(name: str) -> bool:
    """Return True if a file's name is that of a file of cases."""
    return name.endswith(PATTERNS)


def find_files(directory: str | Path) -> Iterator[Path]:
    """Yield the files of cases below a directory, sorted; hidden and generated directories are left out."""
    for root, directories, files in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if is_case_file(name):
                yield Path(root, name)
