"""The command ``selector-spark``, where PySpark may not be installed.

It stands apart from ``spark_ext``, which cannot be imported without PySpark.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command, or say what is missing, with exit code 2."""
    try:
        from spark_ext.cli import main as command
    except ImportError as error:
        if error.name != "pyspark":
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    command()
