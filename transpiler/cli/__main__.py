"""The entry point of ``python -m transpiler.cli``, which runs the command ``selector-sql``."""

from __future__ import annotations

from transpiler.cli import main

if __name__ == "__main__":
    main()
