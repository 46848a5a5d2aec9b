"""Writes docs/rules, a page for each rule of check: python docs/rules/pages.py."""

from __future__ import annotations

from pathlib import Path

from transpiler.tools.lint.pages import index, page
from transpiler.tools.lint.registry import RULES


def main() -> None:
    """Write the pages, and remove those of rules that are no more."""
    folder = Path(__file__).parent
    written = {"README.md": index(), **{f"{rule.id}.md": page(rule) for rule in RULES}}
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    for old in folder.glob("*.md"):
        if old.name not in written:
            old.unlink()


if __name__ == "__main__":
    main()
