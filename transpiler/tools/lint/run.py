"""Check the selectors of files and arguments, and convert the findings to locations in the files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, Fix, Remedy
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Span
from transpiler.language.selector.dialects import JMS, Dialect, find_dialect
from transpiler.tools.lint.check import Checker, Finding
from transpiler.tools.lint.embedded import (
    Declarations,
    FoundSelector,
    UnreadableError,
    UnreadSelector,
    find_selectors,
    is_selector_file,
)
from transpiler.tools.lint.embedded.markers import IgnoreComments
from transpiler.tools.lint.embedded.placeholders import Properties, filled, with_holes
from transpiler.tools.lint.embedded.selector_text import plain
from transpiler.tools.lint.holes import judge_in_part
from transpiler.tools.lint.registry import check_pattern, fits
from transpiler.tools.lint.report import Lines, Listed, LocatedFix, Location, Report, Reported

#: A line and column of the selector in the text of a hint.
_LOCATION_IN_HINT = re.compile(r"\bopened at (?P<line>\d+):(?P<column>\d+)")


class Text(NamedTuple):
    """A text to check: the content of a file, or an argument, which is a single selector and has no ``file``."""

    content: str
    file: str | None = None
    #: The file name whose extension determines the kind of the text; if empty, ``file`` is used.
    kind: str = ""
    #: True if the user named the file itself; False if the user named a directory that contains it.
    named: bool = True


@dataclass(frozen=True)
class Run:
    """The settings of a run that checks files and the selectors given on the command line.

    Without ``dialects``, each selector is checked in the dialect of its file, or in JMS.
    """

    checker: Checker = field(default_factory=Checker)
    dialects: tuple[Dialect, ...] = ()
    #: A function that is called with the number of selectors checked since the last call.
    progress: Callable[[int], None] = lambda _: None
    #: A function that is called with a file that cannot be read, and the error; the run then goes on. If it is None,
    #: the error is raised and ends the run.
    refuse: Callable[[Text, UnreadableError], None] | None = None
    #: A function that is called with the name of a file that has placeholders in selectors. It returns the properties
    #: of the file's project.
    properties: Callable[[str], Properties] = lambda _: {}
    #: The constants and functions that the files of this run declare.
    declarations: Declarations = field(default_factory=Declarations)

    def report(self, texts: Iterable[Text]) -> Report:
        """Check all selectors of ``texts``, and return all findings.

        A file that cannot be read is passed to the function ``refuse``. If that is None, ``UnreadableError`` is raised.
        """
        report, memory = Report(), _Memory()
        for is_argument, group in groupby(texts, key=lambda text: text.file is None):
            if is_argument:
                self._arguments([text.content for text in group], report)
                continue
            for text in group:
                try:
                    self._file(text, report, memory)
                except UnreadableError as error:
                    if self.refuse is None:
                        raise
                    self.refuse(text, error)
        return report

    def _arguments(self, selectors: Sequence[str], report: Report) -> None:
        locations = [f"argument {number}" for number in range(1, len(selectors) + 1)]
        names = locations if len(selectors) > 1 else ["selector"]
        located = [
            _Located(Lines(_with_line_feeds(selector)), FoundSelector(plain(selector)), name)
            for selector, name in zip(selectors, names, strict=True)
        ]
        self._all(located, report, locations)

    def _file(self, text: Text, report: Report, memory: _Memory) -> None:
        name = text.kind or text.file or ""
        own = find_selectors(text.content, name, self.declarations)
        in_file = list(filled(own, partial(self.properties, text.file or name)))
        report.files += 1
        if not in_file:
            return
        lines = Lines(text.content)
        comments = IgnoreComments(lines.texts)
        located = []
        for one in in_file:
            if isinstance(one, UnreadSelector):
                is_judged = self._judge_in_part(one, lines, text, comments, memory, report)
                unread = _unread(one, lines, text.file or name, text.file, is_judged)
                self._add_unread(report, unread, comments)
                continue
            here = _Located(lines, one, text.file or name, comments, text.file, memory.reported_keys)
            one_located = here if one.file is None else self._elsewhere(one, here, memory)
            if one_located is not None and one_located.identity not in memory.selectors:
                memory.selectors.add(one_located.identity)
                located.append(one_located)
        self._all(located, report, [f"line {one.line}" for one in located] if is_selector_file(name) else None)
        if located:
            # An ignore comment with an unknown rule is a mistake only in a file with selectors. In any other file, the
            # comment may be an example in documentation.
            report.findings.extend(_unknown_ignores(comments, lines, text.file))

    def _judge_in_part(
        self,
        unread: UnreadSelector,
        lines: Lines,
        text: Text,
        comments: IgnoreComments,
        memory: _Memory,
        report: Report,
    ) -> bool:
        """Report what is certain about ``unread``, a selector with unknown parts; return True if anything was reported.

        The findings are certain if they hold whatever the unknown parts are.
        """
        mapped = None if unread.mapped is None else with_holes(unread.mapped)
        if mapped is None:
            return False
        is_judged, affected = False, report.affected
        for dialect in self.dialects or (find_dialect(unread.dialect or JMS.name),):
            filled = judge_in_part(mapped, dialect, self.checker)
            if filled is None:
                continue
            is_judged = True
            one = FoundSelector(filled.mapped, unread.dialect, is_filled=True, whence=unread.whence)
            located = _Located(lines, one, text.file or text.kind, comments, text.file, memory.reported_keys)
            own = (dialect.name,) if len(self.dialects) > 1 else ()
            self._report(report, [located.reported(finding.diagnostic, own) for finding in filled.findings], located)
        report.selectors += report.affected > affected
        return is_judged

    def _elsewhere(self, one: FoundSelector, here: _Located, memory: _Memory) -> _Located | None:
        """Return the selector ``one``, which ``here`` uses, with its location in the other file that contains its text.

        Return None if that file cannot be read.
        """
        assert one.file is not None
        if one.file not in memory.files:
            content = self.declarations.read(one.file)
            memory.files[one.file] = None if content is None else Lines(content)
        lines = memory.files[one.file]
        if lines is None:
            return None
        used = one.used or 0
        where = f"{here.name}:{here.lines.location(Span(used, used)).line}"
        return _Located(lines, one, one.file, IgnoreComments(lines.texts), one.file, memory.reported_keys, where)

    def _add_unread(self, report: Report, unread: Reported, comments: IgnoreComments) -> None:
        if not self.checker.selection.has(unread.diagnostic):
            return
        if _ignores(comments, {unread.location.line}, unread.diagnostic):
            report.ignored += 1
        else:
            report.unread.append(unread)

    def _all(self, located: Sequence[_Located], report: Report, locations: Sequence[str] | None) -> None:
        """Check the selectors ``located``, and add the findings to ``report``.

        If ``locations`` is not None, it contains the names of the selectors, such as "line 3", and the selectors are
        also compared with each other.
        """
        chosen = [self.dialects or (find_dialect(one.selector.dialect or JMS.name),) for one in located]
        checked = []
        for one, dialects in zip(located, chosen, strict=True):
            self.progress(1)
            checked.append(self.checker.check(one.selector.mapped.text, dialects))
        findings = [list(one.findings) for one in checked]
        for number, finding in self.checker.contained(checked, locations) if locations is not None else ():
            findings[number].append(finding)
        for one, own, dialects in zip(located, findings, chosen, strict=True):
            self._add(report, own, one, dialects)

    def _add(
        self, report: Report, findings: Sequence[Finding], located: _Located, dialects: tuple[Dialect, ...]
    ) -> None:
        report.selectors += 1
        report.listed.append(located.listed(tuple(dialect.name for dialect in dialects)))
        reported = []
        for finding in findings:
            own = tuple(dialect.name for dialect in finding.dialects) if len(finding.dialects) < len(dialects) else ()
            reported.append(located.reported(finding.diagnostic, own))
        self._report(report, reported, located)

    def _report(self, report: Report, reported: Sequence[Reported], located: _Located) -> None:
        kept = [one for one in reported if not located.ignores(one)]
        report.ignored += len(reported) - len(kept)
        report.affected += bool(kept)
        # Several selectors may contain the same constant of the file. Report a mistake in the constant only once.
        known = located.reported_keys
        report.findings.extend(one for one in kept if known is None or _finding_key(one) not in known)
        if known is not None:
            known.update(map(_finding_key, kept))


#: The identity of a reported finding: file, code, location and message.
_FindingKey = tuple[str | None, str, Location, str]


@dataclass
class _Memory:
    """The state of a run: findings already reported, selectors already checked, and other files already read.

    In ``files``, the value of a file that cannot be read is None.
    """

    reported_keys: set[_FindingKey] = field(default_factory=set)
    selectors: set[tuple[object, ...]] = field(default_factory=set)
    files: dict[str, Lines | None] = field(default_factory=dict)


class _Located(NamedTuple):
    """A selector with its file, to convert spans of the selector to locations in the file."""

    lines: Lines
    selector: FoundSelector
    name: str
    comments: IgnoreComments | None = None
    file: str | None = None
    #: The findings reported so far, to skip repetitions; None if repetitions are reported.
    reported_keys: set[_FindingKey] | None = None
    #: The file and line that use the selector, if it is a constant that another file uses; otherwise empty.
    used_in: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """The identity of the selector: its location, text and dialect. Equal identities mean the same selector."""
        mapped = self.selector.mapped
        return self.name, mapped.location(Span(0, len(mapped.text))), mapped.text, self.selector.dialect

    @property
    def line(self) -> int:
        """The number of the line in which the selector begins."""
        return self.lines.location(self.selector.mapped.location(Span(0, 1))).line

    def reported(self, diagnostic: Diagnostic, dialects: tuple[str, ...]) -> Reported:
        location = self.lines.location(self.selector.mapped.location(diagnostic.span or Span(0, 0)))
        text = self.selector.mapped.text
        if diagnostic.hint is not None and self.file is not None:
            diagnostic = replace(diagnostic, hint=_LOCATION_IN_HINT.sub(self._located_fix, diagnostic.hint))
        line = self.lines.texts[location.line - 1]
        fix, is_filled = self._fix(diagnostic.fix), self.selector.is_filled
        return Reported(
            diagnostic, text, location, line, self.name, self.file, dialects, fix, is_filled, used_in=self.used_in
        )

    def _located_fix(self, match: re.Match[str]) -> str:
        """Return the text that ``match`` found in a hint, with line and column in the file instead of the selector."""
        lines = Lines(self.selector.mapped.text)
        offset = lines.offset(int(match["line"]), int(match["column"]))
        location = self.lines.location(self.selector.mapped.location(Span(offset, offset)))
        return f"opened at {location.line}:{location.column}"

    def _fix(self, fix: Remedy | None) -> LocatedFix | None:
        mapped = self.selector.mapped
        if (
            not isinstance(fix, Fix)
            or fix.span is None
            or self.selector.is_filled
            or not mapped.is_contiguous(fix.span)
        ):
            return None
        text = self.selector.escape(fix.spaced(mapped.text))
        return LocatedFix(self.lines.location(mapped.location(fix.span)), text, fix.certain)

    def ignores(self, reported: Reported) -> bool:
        return _ignores(self.comments, {self.line, reported.location.line}, reported.diagnostic)

    def listed(self, dialects: tuple[str, ...]) -> Listed:
        one = self.selector
        location = self.lines.location(one.mapped.location(Span(0, len(one.mapped.text))))
        used = location.line if one.used is None else self.lines.location(Span(one.used, one.used)).line
        file, line = self.name, str(used)
        if self.used_in:
            file, _, line = self.used_in.rpartition(":")
        return Listed(self.name, location, dialects, one.mapped.text, one.whence, int(line), file)


def _ignores(comments: IgnoreComments | None, lines: set[int], diagnostic: Diagnostic) -> bool:
    return comments is not None and any(
        not comment.rules or any(fits(rule, diagnostic) for rule in comment.rules)
        for line in lines
        for comment in comments.at(line)
    )


def _unread(one: UnreadSelector, lines: Lines, name: str, file: str | None, is_judged: bool) -> Reported:
    """Return the note that the selector ``one`` was not read.

    If ``is_judged`` is True, the note says that its known parts were checked.
    """
    location = lines.location(Span(one.offset, one.offset + 1))
    why = one.reason or "it is known at run time only"
    of = f"the selector of {one.whence}" if one.whence else "a selector"
    why = why.replace("it is", "the rest is") if is_judged else why
    message = f"{of} is {'judged in part' if is_judged else 'not read'}: {why}"
    diagnostic = Diagnostic("check.unread", "info", message, None, None, None)
    line = lines.texts[location.line - 1]
    return Reported(diagnostic, "", location, line, name, file, reason=one.reason, is_judged=is_judged)


def _finding_key(reported: Reported) -> _FindingKey:
    return reported.file, reported.diagnostic.code, reported.location, reported.message


def _with_line_feeds(text: str) -> str:
    # A Windows line end is replaced by two characters, a blank and a line feed, so that all offsets in the text stay
    # valid.
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
                location = Location(number, comment.span.start + 1, number, comment.span.end + 1)
                yield Reported(diagnostic, "", location, lines.texts[number - 1], file or "selector", file)
