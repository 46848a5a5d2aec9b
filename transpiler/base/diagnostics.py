"""Findings about texts: as data, and rendered for a person.

A diagnostic is plain text with a stable code. Colour, counting and exit codes belong to the commands.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from transpiler.base.source import Source, Span

Severity = Literal["error", "warning", "info"]

#: Characters of a long source line that a caret block shows around the span.
WINDOW = 100

#: Characters of a message or a hint: what it quotes may be megabytes of somebody's input.
MAX_MESSAGE = 600

#: Characters of a value of AMQP in a message.
MAX_QUOTED = 60

#: A longer name is no misspelling, and looking through more candidates takes longer than reading the file again.
_MAX_NAME, _MAX_CANDIDATES = 100, 5_000


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the text that the hint of a finding proposes.

    ``span`` is what ``text`` takes the place of, by default that of the finding. ``certain`` if the text can mean
    nothing else, so that a program may write it; otherwise a person is asked.
    """

    text: str
    certain: bool = False
    span: Span | None = None

    def apply(self, text: str) -> str:
        """Return a text after the change, with a blank where two words would touch."""
        assert self.span is not None
        before, behind = text[: self.span.start], text[self.span.end :]
        return before + self.spaced(text) + behind

    def spaced(self, text: str) -> str:
        """Return what takes the place of the span, with a blank at an end where two words would touch."""
        assert self.span is not None
        before, behind = text[: self.span.start][-1:], text[self.span.end :][:1]
        return " " * _touch(before, self.text[:1]) + self.text + " " * _touch(self.text[-1:], behind)


@dataclass(frozen=True, slots=True)
class ColumnFix:
    """A change of the table that a hint proposes: ``expression``, in Spark SQL, in the place of a column."""

    column: str
    expression: str


@dataclass(frozen=True, slots=True)
class OptionFix:
    """An option that a hint proposes, by the name of its parameter, and its value as Python text."""

    option: str
    value: str


@dataclass(frozen=True, slots=True)
class WordFix:
    """A word that a hint proposes in the place of another one, a key or a value of the document at ``path``."""

    path: str | None
    word: str
    text: str


#: The proposal of a hint, as data.
Remedy = Fix | ColumnFix | OptionFix | WordFix


class Advice(NamedTuple):
    """A hint, and what it proposes as data; None where it states a fact, or says "perhaps"."""

    hint: str
    fix: Remedy | None = None


def _touch(before: str, behind: str) -> bool:
    return (before.isalpha() and _in_word(behind)) or ((_in_word(before) or before == ")") and behind.isalpha())


def _in_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "'", '"')


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what is wrong or doubtful, its place, and what to do about it.

    ``span`` is None where there is no text to point into, as for a value built in Python. ``message`` and ``hint`` are
    one line each that a terminal can show, at most ``MAX_MESSAGE`` characters long. ``fix`` is what the hint says to
    do, as data: a change of the text, a column, or an option. ``path`` is that of the value in a document,
    ``bindings[0].key``, with which the message begins.
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
        """The caret block: a headline, the line with the span underlined, and the hint."""
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
        """The JSON form. ``start`` and ``end`` are offsets in code points, ``line`` and ``column`` count from 1."""
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
    """Return a finding about a value of a document, whose message begins with its path."""
    return Diagnostic(code, severity, f"{path}: {message}" if path else message, hint=hint, fix=fix, path=path)


def caret_block(text: str, gutter: str, spans: Sequence[Span]) -> list[str]:
    """Return a line of a text behind its number, and carets below some spans of it, at least one for each."""
    # A selector may be thousands of characters on one line: show a window that holds the first span's start.
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
    """Return one cell for one code point: a control or bidi character must not act on the reader's terminal."""
    if character == "\t":
        return " "
    return character if character.isprintable() else "\ufffd"


def printable(text: str) -> str:
    """A text of several lines in which no control or bidi character acts on the reader's terminal."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def one_line(text: str) -> str:
    """A text that may quote anything, as one printable line of bounded length; its beginning and its end stay."""
    if len(text) > MAX_MESSAGE:
        text = f"{text[: MAX_MESSAGE * 2 // 3]} … {text[-MAX_MESSAGE // 4 :]}"
    return text if text.isprintable() else "".join(" " if c == "\n" else _visible(c) for c in text)


def shortened(text: str, most: int) -> str:
    """A text, or so much of it that it has ``most`` characters with an ellipsis at its end."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def first_of(names: Iterable[str], most: int) -> str:
    """The names with commas between them, at most so many and an ellipsis for the others."""
    shown = [*islice(names, most + 1)]
    return ", ".join(shown if len(shown) <= most else [*shown[:most], "…"])


def clipped(text: str, most: int) -> str:
    """A text that may quote anything, as one printable line of at most so many characters."""
    return shortened(one_line(text), most)


def aligned(rows: Sequence[Sequence[str]], right: Container[int]) -> list[tuple[str, ...]]:
    """Return the rows of a table with cells of one width a column; those of the columns in ``right`` stand there."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [str.rjust if place in right else str.ljust for place in range(len(widths))]
    return [tuple(put(cell, width) for put, cell, width in zip(sides, row, widths, strict=True)) for row in rows]


def mismatch(expected: object, actual: object) -> str:
    """Return the message that something else than the expected kind was found; both are given with articles."""
    return f"expected {expected}, found {actual}"


def nearest(name: str, candidates: Iterable[str]) -> list[str]:
    """Up to three candidates that look like a misspelling of the name, best first."""
    # Imported here, for only a misspelling needs it.
    from difflib import get_close_matches

    if len(name) > _MAX_NAME:
        return []
    length = len(name)
    # A text three times as long as another is not near it.
    others = [
        candidate
        for candidate in islice(candidates, _MAX_CANDIDATES)
        if candidate != name and len(candidate) <= 3 * length
    ]
    same = [candidate for candidate in others if candidate.casefold() == name.casefold()]
    return list(dict.fromkeys(same + get_close_matches(name, others, n=3, cutoff=0.6)))[:3]


def meant(name: str, candidates: Iterable[str], path: str | None) -> tuple[str | None, WordFix | None]:
    """Return the hint that names what a word of a document probably means, and the change; None and None for none."""
    near = nearest(name, candidates)
    return (f"did you mean {near[0]}?", WordFix(path, name, near[0])) if near else (None, None)


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return the hint that names the candidate that is probably meant; None where none looks like the name."""
    near = nearest(name, candidates)
    return f"did you mean {near[0]}?" if near else None
