"""Diagnostics about texts, as data, and their rendering for a person.

A diagnostic is plain text with a stable code. The commands add colours, counts and exit codes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from transpiler.base.source import Source, Span

Severity = Literal["error", "warning", "info"]

#: Maximum length of the excerpt of a source line that a caret block shows around the span, in characters.
WINDOW = 100

#: Maximum length of a message or hint, in characters: a message may quote megabytes of the user's input.
MAX_MESSAGE = 600

#: Maximum length of an AMQP value that a message quotes, in characters.
MAX_QUOTED = 60

#: Limits of ``nearest``. A name of more than ``_MAX_NAME`` characters has no similar names. Of the candidates, only the
#: first ``_MAX_CANDIDATES`` are compared, because comparing more takes longer than reading the file.
_MAX_NAME, _MAX_CANDIDATES = 100, 5_000


@dataclass(frozen=True, slots=True)
class Fix:
    """A replacement of a part of the source text, proposed by the hint of a diagnostic.

    ``text`` replaces ``span``, by default the span of the diagnostic. ``certain`` is True if the source can mean
    nothing else, so that a program may apply the fix; otherwise a person must confirm it.
    """

    text: str
    certain: bool = False
    span: Span | None = None

    def apply(self, text: str) -> str:
        """Return ``text`` after the fix, with blanks inserted if the fix would otherwise join two words into one."""
        assert self.span is not None
        before, behind = text[: self.span.start], text[self.span.end :]
        return before + self.spaced(text) + behind

    def spaced(self, text: str) -> str:
        """Return the replacement text, with a blank at each end where it would otherwise join two words of ``text``."""
        assert self.span is not None
        before, behind = text[: self.span.start][-1:], text[self.span.end :][:1]
        return " " * _touch(before, self.text[:1]) + self.text + " " * _touch(self.text[-1:], behind)


@dataclass(frozen=True, slots=True)
class ColumnFix:
    """A change of the messages' table, proposed by a hint: replace ``column`` by the Spark SQL ``expression``."""

    column: str
    expression: str


@dataclass(frozen=True, slots=True)
class OptionFix:
    """A Python option, proposed by a hint: the name of the parameter, and its value as Python source text."""

    option: str
    value: str


@dataclass(frozen=True, slots=True)
class WordFix:
    """A correction of a document, proposed by a hint: ``text`` replaces ``word``, a key or value at ``path``."""

    path: str | None
    word: str
    text: str


#: The machine-readable form of a hint's proposal: a change of the text, the table, an option or a document.
Remedy = Fix | ColumnFix | OptionFix | WordFix


class Advice(NamedTuple):
    """A hint, and the change that it proposes as data. ``fix`` is None if the hint proposes no certain change."""

    hint: str
    fix: Remedy | None = None


def _touch(before: str, behind: str) -> bool:
    return (before.isalpha() and _in_word(behind)) or ((_in_word(before) or before == ")") and behind.isalpha())


def _in_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "'", '"')


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error, warning or note about a text or a value: the problem, its location, and what to do about it.

    ``span`` is the location in ``source``; None for a value that has no source text. ``path`` is the path of the value
    in a document, such as ``bindings[0].key``; the message begins with it. ``message`` and ``hint`` are one printable
    line each, of at most ``MAX_MESSAGE`` characters. ``fix`` is the change that the hint proposes, as data.
    """

    code: str
    severity: Severity
    message: str
    source: Source | None = None
    span: Span | None = None
    hint: str | None = None
    fix: Remedy | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.fix, Fix) and self.fix.span is None:
            object.__setattr__(self, "fix", None if self.span is None else replace(self.fix, span=self.span))
        object.__setattr__(self, "message", one_line(self.message))
        if self.hint is not None:
            object.__setattr__(self, "hint", one_line(self.hint))

    def render(self) -> str:
        """Return the diagnostic as text: a headline, the line with the span underlined, and the hint."""
        label = self.code if self.severity == "error" else f"{self.severity}: {self.code}"
        lines = []
        if self.source is None:
            lines.append(f"{label}: {self.message}")
        elif self.span is None:
            lines.append(f"{one_line(self.source.name)}: {label}: {self.message}")
        else:
            line, column = self.source.position(self.span.start)
            lines.append(f"{one_line(self.source.name)}:{line}:{column}: {label}: {self.message}")
            first = column - 1
            text = self.source.line_at(self.span.start)
            lines.extend(caret_block(text, str(line), [Span(first, first + self.span.end - self.span.start)]))
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form. ``start`` and ``end`` count code points from 0, ``line`` and ``column`` from 1."""
        result: dict[str, Any] = {"code": self.code, "severity": self.severity, "message": self.message}
        if self.source is not None:
            result["source"] = self.source.name
            if self.span is not None:
                at = self.source.position(self.span.start)
                result |= {"start": self.span.start, "end": self.span.end, "line": at.line, "column": at.column}
        if self.hint:
            result["hint"] = str(self.hint)
        match self.fix:
            case Fix(text=text, certain=certain, span=Span(start, end)):
                result["fix"] = {"start": start, "end": end, "text": text, "certain": certain}
            case ColumnFix(column=name, expression=expression):
                result["fix"] = {"column": name, "expression": expression}
            case OptionFix(option=option, value=choice):
                result["fix"] = {"option": option, "value": choice}
            case WordFix(path=path, word=word, text=text):
                result["fix"] = {"path": path, "word": word, "text": text}
        return result


def at_path(
    code: str,
    severity: Severity,
    path: str | None,
    message: str,
    hint: str | None = None,
    fix: Remedy | None = None,
) -> Diagnostic:
    """Return a diagnostic about the value at ``path`` in a document. Its message begins with ``path``."""
    return Diagnostic(code, severity, f"{path}: {message}" if path else message, hint=hint, fix=fix, path=path)


def caret_block(text: str, gutter: str, spans: Sequence[Span]) -> list[str]:
    """Return ``text`` after the line number ``gutter``, and below it a line with carets under each of ``spans``.

    An empty span gets one caret. Of a long line, only the part around the first span is shown.
    """
    # A selector may be thousands of characters on one line, so show only a part of the line, around the start of the
    # first span.
    begin = max(0, spans[0].start - WINDOW // 2) if len(text) > WINDOW else 0
    end = min(len(text), begin + WINDOW)
    before, after = "…" if begin else "", "…" if end < len(text) else ""
    shown = before + "".join(map(_visible, text[begin:end])) + after
    carets = [" "] * (len(shown) + 1)
    for span in spans:
        first = span.start - begin + len(before)
        if first < len(carets):
            length = max(1, min(span.end, end) - span.start)
            carets[first : first + length] = "^" * length
    return [f"  {gutter} | {shown}", f"  {' ' * len(gutter)} | {''.join(carets).rstrip()}"]


def _visible(character: str) -> str:
    """Return ``character``, or a visible replacement for a control or bidi character, which could act on a terminal."""
    if character == "\t":
        return " "
    return character if character.isprintable() else "\ufffd"


def printable(text: str) -> str:
    """Return ``text``, which may have several lines, with control and bidi characters replaced by U+FFFD."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def one_line(text: str) -> str:
    """Return ``text`` as one printable line of bounded length; the middle of a longer text is left out."""
    if len(text) > MAX_MESSAGE:
        text = f"{text[: MAX_MESSAGE * 2 // 3]} … {text[-MAX_MESSAGE // 4 :]}"
    return text if text.isprintable() else "".join(" " if c == "\n" else _visible(c) for c in text)


def shortened(text: str, most: int) -> str:
    """Return ``text`` if it has at most ``most`` characters; else its beginning with an ellipsis, of that length."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def first_of(names: Iterable[str], most: int) -> str:
    """Join the first ``most`` of ``names`` with commas; an ellipsis replaces the remaining names."""
    shown = [*islice(names, most + 1)]
    return ", ".join(shown if len(shown) <= most else [*shown[:most], "…"])


def clipped(text: str, most: int) -> str:
    """Return ``text``, which may contain any user input, as one printable line of at most ``most`` characters."""
    return shortened(one_line(text), most)


def aligned(rows: Sequence[Sequence[str]], right: Container[int]) -> list[tuple[str, ...]]:
    """Pad the cells of a table to the width of their columns. Columns whose index is in ``right`` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [str.rjust if position in right else str.ljust for position in range(len(widths))]
    return [tuple(put(cell, width) for put, cell, width in zip(sides, row, widths, strict=True)) for row in rows]


def mismatch(expected: object, actual: object) -> str:
    """Return the message "expected …, found …". Both arguments include their articles, such as "a number"."""
    return f"expected {expected}, found {actual}"


def nearest(name: str, candidates: Iterable[str]) -> list[str]:
    """Return up to three candidates of which ``name`` is probably a misspelling, the most similar first."""
    # Imported here because only the hint for a misspelled name needs the module.
    from difflib import get_close_matches

    if len(name) > _MAX_NAME:
        return []
    length = len(name)
    # A candidate of more than three times the length of the name cannot be similar enough, so skip the slow comparison.
    others = [
        candidate
        for candidate in islice(candidates, _MAX_CANDIDATES)
        if candidate != name and len(candidate) <= 3 * length
    ]
    same = [candidate for candidate in others if candidate.casefold() == name.casefold()]
    return list(dict.fromkeys(same + get_close_matches(name, others, n=3, cutoff=0.6)))[:3]


def meant(name: str, candidates: Iterable[str], path: str | None) -> tuple[str | None, WordFix | None]:
    """Return a "did you mean" hint with the candidate most similar to ``name``, and the fix for a document.

    The fix replaces ``name`` at ``path``. If no candidate is similar, both results are None.
    """
    near = nearest(name, candidates)
    return (f"did you mean {near[0]}?", WordFix(path, name, near[0])) if near else (None, None)


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return the hint that proposes the candidate most similar to ``name``; None if no candidate is similar."""
    near = nearest(name, candidates)
    return f"did you mean {near[0]}?" if near else None
