"""The pages of the site and their fenced blocks, which tests run as a reader would.

The language of a block determines its use. ``console`` contains commands and what they print. ``python`` is run, and a
``text`` block after it is its output. A block with a file name is that file. ``python no-run`` needs a broker.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

#: Pages that other tests run, or that scripts write: see ``test_store_pages``, ``lint/test_pages`` and
#: ``cli/test_manual``.
_ELSEWHERE = ("stores/*.md", "rules/*.md", "layouts.md", "cheat_sheet.md")

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: Files of the examples that pages use as if they were the reader's own files.
_EXAMPLES = ("messages.jsonl", "trace.jsonl.gz", "definitions.json")

_SECONDS = (re.compile(r"in \d+\.\d\ds$", re.MULTILINE), "in 0.01s")


class Block(NamedTuple):
    """A fenced block: its language, the word after the language (a file name or ``no-run``, or empty), and its text."""

    language: str
    word: str
    text: str


class Step(NamedTuple):
    """A command of a page: its words, its standard input (None if it has none), and its expected output."""

    words: tuple[str, ...]
    given: str | None
    printed: str


def _names() -> list[str]:
    elsewhere = {path for pattern in _ELSEWHERE for path in DOCS.glob(pattern)}
    pages = sorted(path for path in DOCS.rglob("*.md") if path not in elsewhere)
    return [str(path.relative_to(ROOT)) for path in (ROOT / "README.md", *pages)]


#: The paths of the pages, relative to the root of the repository.
PAGES = _names()


def read(page: str) -> str:
    """Return the text of the page at the path ``page``."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of ``page``, in order."""
    return [Block(*found) for found in _BLOCK.findall(read(page))]


def steps(page: str) -> list[Step]:
    """Return the commands of the console blocks of ``page``."""
    parts = [part for block in blocks(page) if block.language == "console" for part in _commands(block.text)]
    return [_step(part) for part in parts]


def _commands(text: str) -> list[str]:
    return re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]


def _step(part: str) -> Step:
    command, _, printed = part.partition("\n")
    before, _, last = command.rpartition(" | ")
    if not before:
        return Step(tuple(shlex.split(last)), None, printed)
    program, data = shlex.split(before)
    given = {"printf": data.replace("\\n", "\n"), "echo": f"{data}\n"}[program]
    return Step(tuple(shlex.split(last)), given, printed)


def lay_out(page: str, folder: Path) -> None:
    """Write the files that ``page`` shows into ``folder``, and link this project's examples and pages into it."""
    for name in ("examples", "docs"):
        (folder / name).symlink_to(ROOT / name)
    shown = {block.word: block.text for block in blocks(page) if "." in block.word}
    for name, text in shown.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for name in set(_EXAMPLES) - set(shown):
        (folder / name).symlink_to(ROOT / "examples" / "data" / name)


def without_times(output: str) -> str:
    """Return ``output`` with all durations replaced by the same constant."""
    pattern, constant = _SECONDS
    return pattern.sub(constant, output)
