"""Selectors in shell commands: in scripts and in notebooks.

In the pattern ``artemis --filter $``, ``$`` is the value of an option. In ``selector-sql sql $``, it is the first
argument that is not an option. If the shell substitutes a part of the argument, the selector is yielded as unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

from transpiler.tools.lint.embedded.selector_patterns import HOLE, SELECTOR_PATTERNS, SelectorPattern
from transpiler.tools.lint.embedded.selector_text import (
    Escape,
    InFile,
    MappedText,
    as_is,
    decoded,
    found,
    joined,
    known_dialect,
    plain,
)

_PART = re.compile(
    r"""(?P<blank>(?:[^\S\n]|\\\n)+)|(?P<comment>(?<![^\s;|&()])\#[^\n]*)|'(?P<single>[^']*)'"""
    r"""|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<end>[\n;|&(){}])|(?P<plain>(?:[^\s'"\\;|&(){}]|\\.|\$\{[^}]*\}|\$\([^)]*\))+)|(?P<rest>.)""",
    re.DOTALL | re.VERBOSE,
)
#: Expressions that a shell substitutes, and characters escaped with a backslash.
_SPECIAL = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|`[^`]*`|\\(?:\n|.)", re.DOTALL)
#: Options of this project's commands that have no value.
_FLAGS = frozenset(
    "--pretty --no-pretty --names --invert --count --keep-going --verbose --strict --loose --fix --exit-zero --list"
    " --all --or-replace --ignore-unknown --why --path".split()
)
#: The name of a program that takes a selector as an argument.
_PROGRAM = re.compile(r"\b(?:selector-(?:sql|spark)|artemis|activemq)\b")


@dataclass(slots=True)
class _Word:
    parts: list[MappedText] = field(default_factory=list)
    quote: str = ""

    @property
    def text(self) -> MappedText:
        return joined(self.parts)


def find_in_shell(text: str) -> Iterator[InFile]:
    """Yield the selectors in the shell commands of ``text``."""
    if _PROGRAM.search(text):
        for words in _commands(text):
            yield from _selectors(words)


def _commands(text: str) -> Iterator[list[_Word]]:
    """Yield the words of each command in ``text``."""
    words: list[_Word] = []
    is_open = False
    for match in _PART.finditer(text):
        kind = match.lastgroup or ""
        if kind in ("blank", "comment"):
            is_open = False
        elif kind == "end":
            if words:
                yield words
            words, is_open = [], False
        else:
            if not is_open:
                words.append(_Word())
                is_open = True
            word, start = words[-1], match.start(kind)
            word.parts.append(
                plain(match[kind], start) if kind == "single" else decoded(match[kind], start, _SPECIAL, _character)
            )
            word.quote = word.quote or {"single": "'", "double": '"'}.get(kind, "")
    if words:
        yield words


def _character(match: re.Match[str]) -> str:
    if match[0][0] != "\\":
        return HOLE
    # In double quotes, a shell removes the backslash only before a few characters. No selector contains a backslash
    # before any other character, so always remove it.
    return match[0][1:].removeprefix("\n")


def _selectors(words: Sequence[_Word]) -> Iterator[InFile]:
    texts = [word.text.text for word in words]
    for program, option, record in _patterns():
        begin = next((at for at, text in enumerate(texts) if PurePosixPath(text.lstrip("!%")).name == program[0]), None)
        if begin is None or texts[begin + 1 : begin + len(program)] != list(program[1:]):
            continue
        for at in _values(texts, begin + len(program), option):
            mapped, quote = words[at].text, words[at].quote
            if option and texts[at].startswith(f"{option}="):
                mapped = mapped.part(len(option) + 1, len(mapped.text))
            if mapped.text[:1] not in ("{", "@", "-"):
                dialect = next(iter(_values(texts, begin, "--dialect")), None)
                known = None if dialect is None else known_dialect(texts[dialect])
                yield from found(mapped, known or record.dialect, _escape(quote), record.pattern)


def _values(texts: Sequence[str], begin: int, option: str | None) -> Iterator[int]:
    """Yield the indices of the words in ``texts`` that are values of the command-line ``option``.

    If ``option`` is None, yield the index of the first positional argument. The search starts at the index ``begin``.
    """
    skip = False
    for at in range(begin, len(texts)):
        text = texts[at]
        if option is not None:
            if at + 1 < len(texts) and text == option:
                yield at + 1
            elif text.startswith(f"{option}="):
                yield at
        elif skip:
            skip = False
        elif text.startswith("-") and len(text) > 1:
            skip = "=" not in text and text not in _FLAGS
        else:
            yield at
            return


def _escape(quote: str) -> Escape:
    if quote == "'":
        return lambda text: text.replace("'", "'\\''")
    if quote == '"':
        return lambda text: re.sub(r'([\\"$`])', r"\\\1", text)
    return as_is


@cache
def _patterns() -> tuple[tuple[tuple[str, ...], str | None, SelectorPattern], ...]:
    found_patterns = []
    for record in SELECTOR_PATTERNS:
        if record.language == "shell":
            *words, _ = record.pattern.split()
            option = words.pop() if words[-1].startswith("-") else None
            found_patterns.append((tuple(words), option, record))
    return tuple(found_patterns)
