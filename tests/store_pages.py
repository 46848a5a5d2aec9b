"""The blocks of the pages on stores, and the command that writes their SQL: python -m tests.store_pages.

A block with a file name is that file. A block of SQL is a list of selectors, each a comment, with the SQL that each
compiles to over ``layout``, a variable that the Python blocks before it define. Long SQL is wrapped at blanks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from transpiler import transpile_selector
from transpiler.compiler.layouts.store import StoreLayout

ROOT = Path(__file__).parent.parent
PAGES = (*sorted((ROOT / "docs" / "stores").glob("*.md")), ROOT / "docs" / "layouts.md")

#: The language, the rest of the info string and the text of a fenced block.
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WIDTH = 118


class Block(NamedTuple):
    """A fenced block of a page. ``word`` is the name of a file, or ``no-run`` if it needs a broker or a service."""

    language: str
    word: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of ``page``, in order."""
    return [
        Block(language, info.strip(), text) for language, info, text in _BLOCK.findall(page.read_text(encoding="utf-8"))
    ]


def lay_out(page: Path, folder: Path) -> None:
    """Write the files that ``page`` shows into ``folder``."""
    for block in blocks(page):
        if "." in block.word:
            (folder / block.word).write_text(block.text, encoding="utf-8")


def statements(block: str) -> Iterator[tuple[str, str]]:
    """Yield each selector of ``block``, a block of SQL, with its SQL in one line."""
    for part in re.split(r"^-- ", block, flags=re.MULTILINE)[1:]:
        selector, _, sql = part.partition("\n")
        yield selector, " ".join(line.strip() for line in sql.strip().splitlines())


def run(text: str, page: Path, names: dict[str, Any]) -> None:
    """Run ``text``, a block of Python, with ``names``, the variables that the blocks before it have defined."""
    exec(compile(text, str(page), "exec", dont_inherit=True), names)


def layout_of(names: Mapping[str, Any]) -> StoreLayout:
    """Return the layout that the Python blocks have defined most recently."""
    layout: StoreLayout = names["layout"]
    return layout


def _written(block: str, names: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for selector, _ in statements(block):
        lines += [f"-- {selector}", *_wrapped(transpile_selector(selector, layout_of(names)).sql)]
    return "\n".join(lines) + "\n"


def _wrapped(sql: str) -> list[str]:
    """Wrap ``sql`` before AND and OR. Wrap a longer clause after a comma, but never inside a literal."""
    lines = [""]
    for clause in _parts(sql, lambda word, _: word in ("AND", "OR")):
        whole = len(clause) < _WIDTH
        for part in [clause] if whole else _parts(clause, lambda _, before: before.endswith(",")):
            if lines[-1] and len(lines[-1]) + len(part) >= _WIDTH:
                lines.append(f"  {part}")
            else:
                lines[-1] += f" {part}" if lines[-1] else part
    return lines


def _parts(sql: str, begins: Callable[[str, str], bool]) -> list[str]:
    """Split ``sql`` before each word for which ``begins(word, previous_word)`` is True."""
    parts: list[str] = []
    before = ""
    for word in re.findall(r"(?:'[^']*'|[^\s'])+", sql):
        if not parts or begins(word, before):
            parts.append(word)
        else:
            parts[-1] += f" {word}"
        before = word
    return parts


def main() -> None:
    """Write the SQL of every page again."""
    from pyspark.sql import SparkSession

    # Spark resolves a relative path in the directory in which the session started.
    os.chdir(mkdtemp())
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    for page in PAGES:
        lay_out(page, Path())
        names: dict[str, Any] = {"spark": spark, "__name__": "__main__"}
        text = page.read_text(encoding="utf-8")
        for block in blocks(page):
            if block.language == "python" and block.word != "no-run":
                run(block.text, page, names)
            elif block.language == "sql":
                text = text.replace(f"```sql\n{block.text}```", f"```sql\n{_written(block.text, names)}```")
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
