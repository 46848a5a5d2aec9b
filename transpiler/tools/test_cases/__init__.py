"""Test cases of selectors in files: selectors, messages, and the verdicts that are expected, per dialect.

A file is YAML with one or more documents, or JSON. Reading keeps the place of every value, so that an error says the
file, the line, the column, and what may stand there. A case is judged by the reference evaluator, and one that fails
says why by its explanation.

Invariants: reading is strict, so no misspelt key is silently a case that tests nothing; every case has one selector,
one message, one dialect and one expectation, and is independent of all others.

Not here: the terminal (``cli/test.py``) and pytest (``pytest_plugin``), which report the same results.

Reading order: ``reading`` (``documents.placed_values`` to cases), ``running``; ``boundaries`` makes cases, ``coverage``
says what they leave untested, ``junit`` writes results for a CI server.
"""

from __future__ import annotations

from transpiler.tools.test_cases.reading import PATTERNS, Case, CaseFileError, find_files, read_cases
from transpiler.tools.test_cases.running import Result, run_case

__all__ = ["PATTERNS", "Case", "CaseFileError", "Result", "find_files", "read_cases", "run_case"]
