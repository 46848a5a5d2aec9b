"""The report for people: a headline, the line with the place underlined, and the hint; or headlines alone."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.diagnostics import caret_block, one_line
from transpiler.lint.report import Report, Reported
from transpiler.source import Span

#: A function that gives a text the colour of a severity.
Paint = Callable[[str, str], str]


def human(report: Report, paint: Paint = lambda text, _: text) -> str:
    """Return all findings, each as a block of lines."""
    return "".join(f"{_block(reported, paint)}\n" for reported in report.findings)


def oneline(report: Report, paint: Paint = lambda text, _: text) -> str:
    """Return the headline of each finding, for editors and for ``grep``."""
    return "".join(f"{_headline(reported, paint)}\n" for reported in report.findings)


def _headline(reported: Reported, paint: Paint) -> str:
    diagnostic, place = reported.diagnostic, reported.place
    severity = diagnostic.severity
    label = diagnostic.code if severity == "error" else f"{severity}: {diagnostic.code}"
    only = f" [{', '.join(reported.dialects)}]" if reported.dialects else ""
    where = f"{one_line(reported.name)}:{place.line}:{place.column}"
    return f"{where}: {paint(label, severity)}: {diagnostic.message}{only}"


def _block(reported: Reported, paint: Paint) -> str:
    diagnostic, place = reported.diagnostic, reported.place
    lines = [_headline(reported, paint)]
    if diagnostic.span is not None or reported.file is not None:
        first = place.column - 1
        end = place.end_column - 1 if place.end_line == place.line else len(reported.line)
        text, carets = caret_block(reported.line, str(place.line), [Span(first, end)])
        gutter = len(carets) - len(carets.lstrip(" |"))
        lines += [text, carets[:gutter] + paint(carets[gutter:], diagnostic.severity)]
    if reported.is_filled:
        lines.append(f"  with the values of its placeholders: {one_line(reported.selector)}")
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)
