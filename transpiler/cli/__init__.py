"""selector-sql: the commands that need neither Spark nor a JVM.

Results go to standard output and warnings to standard error. ``group`` has the exit codes and the end of every command,
``manual`` the examples at the end of each help, ``inputs`` opens every file, and ``commands`` lists the commands.
"""

from __future__ import annotations

from transpiler.cli.commands import main

__all__ = ["main"]
