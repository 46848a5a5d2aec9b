"""Patterns of files and directories in the syntax of .gitignore, and the .gitignore files that apply to a directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from transpiler.base.local_files import open_file


class Globs:
    """The patterns of one .gitignore file. They apply to the paths below the directory ``base``.

    If several patterns match a path, the last of them decides.
    """

    def __init__(self, lines: Iterable[str], base: str) -> None:
        self._base = os.path.abspath(base)
        self._patterns = [pattern for line in lines if (pattern := _compiled(line)) is not None]

    def match(self, path: str, is_directory: bool) -> bool | None:
        """Return True if the patterns exclude ``path``, and False if a pattern with ``!`` includes it again.

        Return None if no pattern matches. ``is_directory`` is True for a directory, because some patterns match only
        these.
        """
        if not self._patterns:
            return None
        relative = os.path.relpath(os.path.abspath(path), self._base).replace(os.sep, "/")
        if relative == "." or relative.startswith("../"):
            return None
        for pattern, wanted, only_directories in reversed(self._patterns):
            if (is_directory or not only_directories) and pattern.fullmatch(relative):
                return wanted
        return None

    def has(self, path: str) -> bool:
        """Return True if the patterns exclude the file ``path`` or a directory that contains it."""
        absolute = Path(os.path.abspath(path))
        parents = [parent for parent in absolute.parents if parent.is_relative_to(self._base)]
        return any(self.match(str(parent), True) for parent in reversed(parents)) or bool(self.match(path, False))


def _compiled(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    line = line.rstrip("\r\n")
    line = re.sub(r"(?<!\\) +$", "", line)
    wanted = not line.startswith("!")
    line = line.removeprefix("!").removeprefix("./")
    if not line or line.startswith("#"):
        return None
    only_directories = line.endswith("/")
    line = line.rstrip("/")
    prefix = "" if "/" in line else "(?:.*/)?"
    try:
        return re.compile(prefix + "".join(_translated(line.removeprefix("/")))), wanted, only_directories
    except re.error:
        return None


_PART = re.compile(
    r"(?P<any>\*\*/)|(?P<below>/\*\*$)|(?P<stars>\*+)|(?P<one>\?)|(?P<set>\[!?\]?[^\]/]*\])|\\?(?P<plain>.)"
)


def _translated(pattern: str) -> Iterator[str]:
    forms = {"any": "(?:.*/)?", "below": "/.*", "stars": "[^/]*", "one": "[^/]"}
    for match in _PART.finditer(pattern):
        kind = match.lastgroup
        if kind == "plain":
            yield re.escape(match["plain"])
        elif kind == "set":
            yield f"[^/{match['set'][2:]}" if match["set"].startswith("[!") else match["set"]
        else:
            yield forms[kind or ""]


class GitIgnores:
    """The .gitignore files that apply to directories. Each file is read once."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Globs, ...]] = {}

    def match(self, directory: str) -> bool:
        """Return True if ``directory`` is excluded by a .gitignore file in one of the directories above it."""
        absolute = os.path.abspath(directory)
        for globs in self._around(os.path.dirname(absolute)):
            matched = globs.match(absolute, True)
            if matched is not None:
                return matched
        return False

    def _around(self, directory: str) -> tuple[Globs, ...]:
        """Return the patterns of ``directory`` and of the directories above it in its repository, the nearest first."""
        known = self._read.get(directory)
        if known is None:
            own: tuple[Globs, ...] = ()
            with (
                suppress(OSError),
                open_file(os.path.join(directory, ".gitignore")) as file,
            ):
                own = (Globs((line.decode(errors="replace") for line in file), directory),)
            above = os.path.dirname(directory)
            is_root = above == directory or os.path.exists(os.path.join(directory, ".git"))
            known = self._read[directory] = own if is_root else (*own, *self._around(above))
        return known
