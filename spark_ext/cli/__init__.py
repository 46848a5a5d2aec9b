"""selector-spark: filters and routing as Spark jobs on files.

Invariants: PySpark is not imported before a command runs; an error is one line, or a selector with a caret.

In reading order: ``commands``, ``jobs``, ``inputs``, ``archives``, ``selector_job``, then a module for each command.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; if PySpark is missing or too old, print an error and exit with code 2."""
    try:
        import spark_ext.requirements  # noqa: F401
        from spark_ext.cli.commands import main as command
    except ImportError as error:
        if error.name != "pyspark":
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    command()
