"""Files of test cases as tests of pytest.

``pytest_selector_sql`` is the plugin that pytest loads; it imports this module only where such a file is collected.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from transpiler.base.errors import TranspilerError
from transpiler.tools.test_cases.reading import Case, read_cases
from transpiler.tools.test_cases.running import run_case


class CaseFailedError(Exception):
    """A case failed; the text says why."""


class CaseFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterator[CaseItem]:
        """Yield the cases of the file; one that cannot be read is an error of the collection."""
        try:
            cases = read_cases(self.path)
        except TranspilerError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self.case = case

    def runtest(self) -> None:
        """Run the case."""
        result = run_case(self.case)
        if result.failure is not None:
            raise CaseFailedError(result.failure)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the explanation in the place of a traceback."""
        if isinstance(excinfo.value, CaseFailedError):
            return f"{self.case.file}:{self.case.line}: {self.case.id}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return the file, the line from 0, and the name of the case."""
        return Path(self.path), self.case.line - 1, self.case.id
