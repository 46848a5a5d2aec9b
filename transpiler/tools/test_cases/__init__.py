"""Test cases of selectors in files: selectors, messages, and the expected results for each dialect.

A file is YAML with one or more documents, or JSON. Reading keeps the position of every value, so that an error states
the file, line and column, and what is allowed there. The reference evaluator judges each case; a failed case contains
an explanation of the result.

Invariants: reading is strict, so that a misspelt key is an error and not a case that silently tests nothing. Every case
has one selector, one message, one dialect and one expectation, and is independent of all other cases.

Not here: the terminal (``cli/test.py``) and pytest (``pytest_plugin``), which report the same results.

Reading order: ``reading`` (``documents.located_values`` to cases), ``running``; ``boundaries`` makes cases,
``coverage`` finds what they leave untested, ``junit`` writes results for a CI server.
"""

from __future__ import annotations

from transpiler.tools.test_cases.reading import PATTERNS, Case, CaseFileError, find_files, read_cases
from transpiler.tools.test_cases.running import Result, run_case

__all__ = ["PATTERNS", "Case", "CaseFileError", "Result", "find_files", "read_cases", "run_case"]
