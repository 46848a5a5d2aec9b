"""The findings of a run, each with its location in a file, as input of the output formats."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, Severity, one_line
from transpiler.base.source import Span

#: The word for each severity, in text for users and in SARIF.
NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
#: Maximum number of names in each list of the summary: selectors read, selectors not read, and skipped files.
_MAX_NAMED = 3


class Location(NamedTuple):
    """A range of a text: lines and columns counted from 1, in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Lines:
    """The lines of a text, which end with LF. They convert offsets to lines and columns."""

    def __init__(self, text: str) -> None:
        self.texts = text.split("\n")
        self._starts = [0]
        for line in self.texts:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def location(self, span: Span) -> Location:
        """Return the range of ``span`` as lines and columns."""
        return Location(*self._position(span.start), *self._position(span.end))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of ``line`` and ``column``, which count from 1."""
        return self._starts[line - 1] + column - 1

    def _position(self, offset: int) -> tuple[int, int]:
        line = min(bisect_right(self._starts, offset), len(self.texts))
        return line, offset - self._starts[line - 1] + 1


class LocatedFix(NamedTuple):
    """A fix converted to the file: the range to replace, and the new text as escaped in the file."""

    location: Location
    text: str
    certain: bool


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with its location: in the file, or in the selector if the selector is an argument.

    ``name`` is the name of the file, or of the argument, in text for users. ``line`` is the text of the first line of
    ``location``. ``dialects`` are the dialects in which the finding was made; empty for all dialects of the run.
    """

    diagnostic: Diagnostic
    selector: str
    location: Location
    line: str
    name: str = "selector"
    file: str | None = None
    dialects: tuple[str, ...] = ()
    fix: LocatedFix | None = None
    #: True if the line in the file has a placeholder that was replaced by its value in ``selector``.
    is_filled: bool = False
    #: The known reason why a selector was not read; empty if there is none.
    reason: str = ""
    #: The file and line in which the selector is used, if that is another file; else empty.
    used_in: str = ""
    #: True if a selector with unknown parts was judged by its known parts.
    is_judged: bool = False

    @property
    def message(self) -> str:
        """The message of the finding, followed by ``dialects`` if there are any."""
        only = f" [{', '.join(self.dialects)}]" if self.dialects else ""
        return self.diagnostic.message + only


class Listed(NamedTuple):
    """A checked selector, as an entry in the listing of all selectors.

    ``whence`` is the pattern that found the selector in the file. ``used_file`` and ``used`` are the file and the line
    in which it is used, because its text may be a constant in another file.
    """

    name: str
    location: Location
    dialects: tuple[str, ...]
    selector: str
    whence: str
    used: int
    used_file: str


@dataclass(slots=True)
class Report:
    """All findings of a run in the order of files and lines, with counts of checked selectors."""

    findings: list[Reported] = field(default_factory=list)
    selectors: int = 0
    files: int = 0
    #: Number of selectors with a finding.
    affected: int = 0
    #: Number of findings that a comment ignores.
    ignored: int = 0
    #: Number of findings dropped because a baseline contains them.
    known: int = 0
    #: All selectors that were checked.
    listed: list[Listed] = field(default_factory=list)
    #: Names of the directories and files that were skipped.
    left_out: list[str] = field(default_factory=list)
    #: Notes on selectors in the checked files whose text is known only at run time, each with the reason if it is
    #: known.
    unread: list[Reported] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """True if the report has an error or a warning, so that the check fails."""
        return any(reported.diagnostic.severity != "info" for reported in self.findings)

    def summary(self) -> str:
        """Return one line: the number of findings by severity, and what was checked, not read and skipped."""
        return self._counts() + self._read() + self._not_read() + self._left_out()

    def _read(self) -> str:
        """Return which kinds of files selectors were read from, for a report without findings; else an empty text."""
        locations = dict.fromkeys(f"{one.used_file}:{one.used}" for one in self.listed if one.whence)
        return f"; read: {_some(list(locations))}" if locations and not self.findings else ""

    def _left_out(self) -> str:
        return f"; left out: {_some(self.left_out)}" if self.left_out else ""

    def _not_read(self) -> str:
        if not self.unread:
            return ""
        hint = "; give a key one value in application.properties or application.yml, or write ${key:default}"
        locations = [
            f"{one.name}:{one.location.line}" + (f" ({one.reason})" if one.reason else "") for one in self.unread
        ]
        keys = hint if any("${" in location for location in locations) else ""
        of_which = sum(one.is_judged for one in self.unread)
        partly = f" ({of_which:,} judged in part)" if of_which else ""
        return f"; {_count(len(locations), 'selector')} not read{partly}: {_some(locations)}{keys}"

    def _counts(self) -> str:
        looked_at = _count(self.selectors, "selector") + (f", {_count(self.files, 'file')}" if self.files else "")
        known = [f"{self.ignored:,} ignored"] * bool(self.ignored) + [f"{self.known:,} in the baseline"] * bool(
            self.known
        )
        ignored = f" ({', '.join(known)})" if known else ""
        if not self.findings:
            return f"no findings{ignored}: {looked_at}"
        severities = Counter(reported.diagnostic.severity for reported in self.findings)
        kinds = ", ".join(_count(severities[kind], noun) for kind, noun in NOUNS.items() if severities[kind])
        of_all = f"{self.affected:,} of {looked_at}" if self.selectors != 1 else looked_at
        return f"{kinds}{ignored} in {of_all}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(map(one_line, names[:_MAX_NAMED])) + more


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
