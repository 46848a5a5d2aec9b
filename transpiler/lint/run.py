"""Check the selectors of files and arguments, and put the findings at their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import NamedTuple

from transpiler.diagnostics import Diagnostic, Fix
from transpiler.errors import TranspilerError
from transpiler.lint.check import Checked, Checker, Finding
from transpiler.lint.embedded import FoundSelector, UnreadableError, UnreadSelector, find_selectors, is_selector_file
from transpiler.lint.embedded.mapped_text import plain
from transpiler.lint.embedded.markers import IgnoreComments
from transpiler.lint.embedded.placeholders import Properties, filled
from transpiler.lint.registry import check_pattern, fits
from transpiler.lint.report import Lines, PlacedFix, Report, Reported
from transpiler.selector.dialects import JMS, Dialect, find_dialect
from transpiler.source import Span


class Text(NamedTuple):
    """A text with selectors: a file, or an argument, which has no name and is one selector."""

    content: str
    file: str | None = None
    #: The name whose end says the kind of the text.
    kind: str = ""
    #: True if the user named the file, and not its directory only.
    named: bool = True


@dataclass(frozen=True)
class Run:
    """A run of a checker. Without ``dialects`` a selector is read in that of its file, or in JMS's."""

    checker: Checker = field(default_factory=Checker)
    dialects: tuple[Dialect, ...] = ()
    #: Called with the number of selectors that have been checked since the last call.
    progress: Callable[[int], None] = lambda _: None
    #: Called with a file that is not what its name says.
    refuse: Callable[[Text, UnreadableError], None] | None = None
    #: Called with the name of a file that has a placeholder in a selector; returns the properties of its project.
    properties: Callable[[str], Properties] = lambda _: {}

    def report(self, texts: Iterable[Text]) -> Report:
        """Check all selectors of some texts; without ``refuse`` an ``UnreadableError`` is raised."""
        report = Report()
        for is_argument, group in groupby(texts, key=lambda text: text.file is None):
            if is_argument:
                self._arguments([text.content for text in group], report)
                continue
            for text in group:
                try:
                    self._file(text, report)
                except UnreadableError as error:
                    if self.refuse is None:
                        raise
                    self.refuse(text, error)
        return report

    def _arguments(self, selectors: Sequence[str], report: Report) -> None:
        dialects = self.dialects or (JMS,)
        checked = [self._checked(selector, dialects) for selector in selectors]
        findings: list[list[Finding]] = [list(one.findings) for one in checked]
        places = [f"argument {number}" for number in range(1, len(selectors) + 1)]
        for number, finding in self.checker.contained(checked, places):
            findings[number].append(finding)
        names = places if len(selectors) > 1 else ["selector"]
        for selector, name, own in zip(selectors, names, findings, strict=True):
            located = _Located(Lines(_with_line_feeds(selector)), FoundSelector(plain(selector)), name)
            self._add(report, own, located, dialects)

    def _file(self, text: Text, report: Report) -> None:
        name = text.kind or text.file or ""
        in_file = list(filled(find_selectors(text.content, name), partial(self.properties, name)))
        located_selectors = [one for one in in_file if isinstance(one, FoundSelector)]
        report.files += 1
        lines = Lines(text.content)
        for one in in_file:
            if isinstance(one, UnreadSelector):
                place = f"{text.file or name}:{lines.place(Span(one.offset, one.offset)).line}"
                report.unread.append(f"{place} ({one.reason})" if one.reason else place)
        comments = IgnoreComments(lines.texts)
        all_checked: list[Checked] = []
        findings: list[list[Finding]] = []
        chosen: list[tuple[Dialect, ...]] = []
        for selector in located_selectors:
            dialects = self.dialects or (find_dialect(selector.dialect or JMS.name),)
            checked = self._checked(selector.mapped.text, dialects)
            all_checked.append(checked)
            findings.append(list(checked.findings))
            chosen.append(dialects)
        if is_selector_file(name):
            starts = [lines.place(selector.mapped.place(Span(0, 1))).line for selector in located_selectors]
            for number, finding in self.checker.contained(all_checked, [f"line {line}" for line in starts]):
                findings[number].append(finding)
        for selector, own, dialects in zip(located_selectors, findings, chosen, strict=True):
            self._add(report, own, _Located(lines, selector, text.file or name, comments, text.file), dialects)
        if located_selectors:
            # Elsewhere such a comment is about something else, or an example.
            report.findings.extend(_unknown_ignores(comments, lines, text.file))

    def _checked(self, selector: str, dialects: tuple[Dialect, ...]) -> Checked:
        self.progress(1)
        return self.checker.check(selector, dialects)

    def _add(
        self, report: Report, findings: Sequence[Finding], located: _Located, dialects: tuple[Dialect, ...]
    ) -> None:
        report.selectors += 1
        reported = []
        for finding in findings:
            own = tuple(dialect.name for dialect in finding.dialects) if len(finding.dialects) < len(dialects) else ()
            one = located.reported(finding.diagnostic, own)
            if located.ignores(one):
                report.ignored += 1
            else:
                reported.append(one)
        report.affected += bool(reported)
        report.findings.extend(reported)


class _Located(NamedTuple):
    """A selector in its file."""

    lines: Lines
    selector: FoundSelector
    name: str
    comments: IgnoreComments | None = None
    file: str | None = None

    def reported(self, diagnostic: Diagnostic, dialects: tuple[str, ...]) -> Reported:
        place = self.lines.place(self.selector.mapped.place(diagnostic.span or Span(0, 0)))
        text = self.selector.mapped.text
        line = self.lines.texts[place.line - 1]
        fix, is_filled = self._fix(diagnostic.fix), self.selector.is_filled
        return Reported(diagnostic, text, place, line, self.name, self.file, dialects, fix, is_filled)

    def _fix(self, fix: Fix | None) -> PlacedFix | None:
        mapped = self.selector.mapped
        if fix is None or fix.span is None or self.selector.is_filled or not mapped.is_contiguous(fix.span):
            return None
        text = self.selector.escape(fix.spaced(mapped.text))
        return PlacedFix(self.lines.place(mapped.place(fix.span)), text, fix.certain)

    def ignores(self, reported: Reported) -> bool:
        if not self.comments:
            return False
        first = self.lines.place(self.selector.mapped.place(Span(0, 1))).line
        return any(
            not comment.rules or any(fits(rule, reported.diagnostic) for rule in comment.rules)
            for line in {first, reported.place.line}
            for comment in self.comments.at(line)
        )


def _with_line_feeds(text: str) -> str:
    # Each character keeps its place.
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _unknown_ignores(comments: IgnoreComments, lines: Lines, file: str | None) -> Iterator[Reported]:
    """Yield a warning for each comment that ignores a rule that does not exist."""
    for number, comment in comments:
        for rule in comment.rules:
            try:
                check_pattern(rule)
            except TranspilerError as error:
                [known] = error.diagnostics
                diagnostic = Diagnostic("check.unknown-rule", "warning", known.message, None, None, known.hint)
                start, end = comment.span
                place = lines.place(Span(0, 0))._replace(
                    line=number, column=start + 1, end_line=number, end_column=end + 1
                )
                yield Reported(diagnostic, "", place, lines.texts[number - 1], file or "selector", file)
