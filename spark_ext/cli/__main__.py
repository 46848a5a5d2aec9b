"""``python -m spark_ext.cli``."""

from __future__ import annotations

from spark_ext.cli import main

if __name__ == "__main__":
    main()
