"""selector-sql: the commands that need neither Spark nor a JVM.

Results go to standard output and findings to standard error. Exit codes: 0 for a clean run, 1 for findings of
``check``, 2 for what could not be done.
"""

from __future__ import annotations

from transpiler.cli.group import main

__all__ = ["main"]
