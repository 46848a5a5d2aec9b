"""``python -m tests.hostile.fuzz TARGET [libFuzzer's options and corpus folders]``: coverage-guided fuzzing."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["transpiler"]):
    from tests.hostile.fuzz import targets


def main() -> None:
    """Fuzz the target in the first argument until libFuzzer's options end the run."""
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, lambda data: targets.run(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
