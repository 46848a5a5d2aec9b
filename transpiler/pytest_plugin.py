"""The pytest plugin: it collects the test cases in ``*.selectors.yaml``, ``.yml`` and ``.json`` files as tests.

pytest imports a plugin in every run, so this module imports the readers of cases, and with them the compiler, only if
pytest collects such a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from transpiler.tools.test_cases.reading import Case

#: The ends of the names of files with test cases, the same as in ``transpiler.tools.test_cases.reading``.
ENDINGS = (".selectors.yaml", ".selectors.yml", ".selectors.json")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the collector for ``file_path`` if it is a file of test cases; otherwise None."""
    return CaseFile.from_parent(parent, path=file_path) if file_path.name.endswith(ENDINGS) else None


class CaseFailedError(Exception):
    """Error for a test case that failed. Its text states the reason."""


class CaseFile(pytest.File):
    """The collector of a file of test cases."""

    def collect(self) -> Iterator[CaseItem]:
        """Yield the cases of the file; raise ``CollectError`` if the file cannot be read."""
        from transpiler import TranspilerError
        from transpiler.tools.test_cases.reading import read_cases

        try:
            cases = read_cases(self.path)
        except TranspilerError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """One test case of a file."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self.case = case

    def runtest(self) -> None:
        """Run the case; raise ``CaseFailedError`` if it fails."""
        from transpiler.tools.test_cases.running import run_case

        result = run_case(self.case)
        if result.failure is not None:
            raise CaseFailedError(result.failure)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the location and the reason of a failed case instead of a traceback."""
        if isinstance(excinfo.value, CaseFailedError):
            return f"{self.case.file}:{self.case.line}: {self.case.id}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return the file of the case, its line counted from 0, and its name."""
        return Path(self.path), self.case.line - 1, self.case.id
