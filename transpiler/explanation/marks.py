"""A text with some parts underlined by carets, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.diagnostics import caret_block
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
        start = inside[0].start - (source.position(inside[0].start).column - 1)
        spans_of_line = [Span(span.start - start, span.end - start) for span in inside]
        lines += caret_block(source.line_at(inside[0].start), str(line).rjust(width), spans_of_line)
    if len(by_line) > _MAX_LINES:
        lines.append(f"  {' ' * width} | and {len(by_line) - _MAX_LINES} more lines")
    return lines
