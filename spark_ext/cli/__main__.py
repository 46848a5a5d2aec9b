"""The entry point of ``python -m spark_ext.cli``, which runs the command ``selector-spark``."""

from __future__ import annotations

from spark_ext.cli import main

if __name__ == "__main__":
    main()
