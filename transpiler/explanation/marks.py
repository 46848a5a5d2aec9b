"""A text with some parts underlined by carets, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.diagnostics import WINDOW
from transpiler.source import Source, Span

#: Lines of a text that are shown.
_MAX_LINES = 6


def underline(source: Source, spans: Sequence[Span]) -> list[str]:
    """Return the lines that the spans are in, each with a line of carets below it.

    A long line is shown by a window around the first span in it. A span of several lines is underlined to the end of
    its first one.
    """
    by_line: dict[int, list[Span]] = {}
    for span in sorted(spans):
        by_line.setdefault(source.position(span.start).line, []).append(span)
    width = len(str(max(by_line, default=1)))
    lines = []
    for line, inside in list(by_line.items())[:_MAX_LINES]:
        lines += _block(source, str(line).rjust(width), inside)
    if len(by_line) > _MAX_LINES:
        lines.append(f"  {' ' * width} | and {len(by_line) - _MAX_LINES} more lines")
    return lines


def _block(source: Source, gutter: str, spans: Sequence[Span]) -> list[str]:
    text = source.line_at(spans[0].start)
    start = spans[0].start - (source.position(spans[0].start).column - 1)
    begin = max(0, spans[0].start - start - WINDOW // 2) if len(text) > WINDOW else 0
    end = min(len(text), begin + WINDOW)
    before, after = "…" if begin else "", "…" if end < len(text) else ""
    shown = before + "".join(map(_visible, text[begin:end])) + after
    carets = [" "] * len(shown)
    for span in spans:
        first = span.start - start - begin + len(before)
        last = min(span.end - start, end) - begin + len(before)
        carets[first:last] = "^" * max(0, last - first)
    marks = "".join(carets).rstrip() or "^"
    return [f"  {gutter} | {shown}", f"  {' ' * len(gutter)} | {marks}"]


def _visible(character: str) -> str:
    """Return one cell for one code point: a control or bidi character must not act on the reader's terminal."""
    if character == "\t":
        return " "
    return character if character.isprintable() else "\ufffd"
