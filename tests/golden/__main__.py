"""The commands of the golden guard: see the package's docstring."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from itertools import zip_longest
from pathlib import Path

from tests.golden import dump, findings

SAMPLE = Path(__file__).parent / "data" / "sample.jsonl.gz"
#: Number of selectors in the sample's dump, and the divisor: the sample contains every ``PART``-th line.
SAMPLED, PART = 400, 17
MAX_LISTED = 20


def sample() -> list[str]:
    """Return the lines of the sample as the current code compiles them."""
    return [json.dumps(line, ensure_ascii=False) for line in dump.lines(SAMPLED, 0, PART)]


def _compare(before: Path, after: Path) -> int:
    different = 0
    with before.open(encoding="utf-8") as first, after.open(encoding="utf-8") as second:
        for old, new in zip_longest(first, second, fillvalue=""):
            if old != new:
                different += 1
                if different <= MAX_LISTED:
                    print("-", old, "+", new, sep="", end="")
    print(f"{different} lines differ")
    return int(different > 0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    commands = parser.add_subparsers(dest="command", required=True)
    dumping = commands.add_parser("dump")
    dumping.add_argument("file", type=Path)
    dumping.add_argument("--selectors", type=int, default=20_000)
    dumping.add_argument("--part", default="0/1", help="K/N: every Nth line from the Kth on")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    commands.add_parser("sample")
    adding = commands.add_parser("add", help="append inputs to the findings, one JSON object in each line of a file")
    adding.add_argument("file", type=Path)
    options = parser.parse_args()
    match options.command:
        case "dump":
            part, parts = map(int, options.part.split("/"))
            with options.file.open("w", encoding="utf-8") as out:
                for line in dump.lines(options.selectors, part, parts):
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
        case "compare":
            return _compare(options.before, options.after)
        case "sample":
            SAMPLE.parent.mkdir(exist_ok=True)
            SAMPLE.write_bytes(gzip.compress("\n".join(sample()).encode(), mtime=0))
            findings.record(line["input"] for line in findings.recorded())
        case "add":
            findings.append(map(json.loads, options.file.read_text(encoding="utf-8").splitlines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
