"""Prints what it costs to parse and to transpile a typical selector of four terms."""

from __future__ import annotations

import statistics
import timeit

from transpiler import parse_selector, transpile_selector

SELECTOR = "region LIKE 'eu-%' AND weight > 2500 AND color = 'blue' AND NOT JMSPriority < 3"


def main() -> None:
    """Medians of seven runs."""
    for name, run in (("parse", parse_selector), ("transpile", transpile_selector)):
        times = timeit.repeat(lambda run=run: run(SELECTOR), number=200, repeat=7)  # type: ignore[misc]
        print(f"{name:10} {statistics.median(times) / 200 * 1e6:8.0f} µs")


if __name__ == "__main__":
    main()
