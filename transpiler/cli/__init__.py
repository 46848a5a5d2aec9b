"""selector-sql: the commands that need neither Spark nor a JVM.

Results go to standard output and findings to standard error. Exit codes: 0 for a clean run, 1 for findings of
``check``, 2 for what could not be done.
"""

from __future__ import annotations

from transpiler.cli.check import check
from transpiler.cli.compare import compare
from transpiler.cli.explain import explain
from transpiler.cli.group import main
from transpiler.cli.match import match
from transpiler.cli.route import route
from transpiler.cli.sql import sql
from transpiler.cli.topology import topology

for command in (sql, check, explain, match, compare, route, topology):
    main.add_command(command)

__all__ = ["main"]
