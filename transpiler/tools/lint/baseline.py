"""A baseline: a file of known findings, which a run does not report again.

A finding is identified by its file, rule, selector and message, but not by its line, so that code may move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from transpiler.base.documents.jsontext import JsonTextError, json_text, load_json
from transpiler.tools.lint.report import Report, Reported

_VERSION = 1


class Known(NamedTuple):
    """The data by which a baseline recognizes a known finding. The line is not included, because it may change."""

    file: str
    code: str
    selector: str
    message: str


class Baseline:
    """The known findings of an earlier run, each with its count. A later run does not report them again.

    ``path(file)`` converts the name of a checked file to the form in which the baseline stores it.
    """

    def __init__(self, path: Callable[[str], str], known: Counter[Known] | None = None) -> None:
        self._path, self._known = path, known or Counter[Known]()

    @classmethod
    def read(cls, text: str, path: Callable[[str], str]) -> Baseline:
        """Return the baseline in the JSON ``text``; raise ``ValueError`` with the reason if it is not a baseline."""
        try:
            value = load_json(text, most=None)
        except JsonTextError as error:
            raise ValueError(error.message) from None
        entries = value.get("findings") if isinstance(value, dict) and value.get("version") == _VERSION else None
        if not isinstance(entries, list) or not all(map(_is_entry, entries)):
            raise ValueError(f'it has no "version": {_VERSION} and "findings" as --write-baseline writes them')
        known: Counter[Known] = Counter()
        for entry in entries:
            known[Known(*(entry[name] for name in Known._fields))] += entry["count"]
        return cls(path, known)

    def subtract_from(self, report: Report) -> None:
        """Remove the findings of the baseline from ``report``, and add their number to ``report.known``."""
        left = self._known.copy()
        new = []
        for reported in report.findings:
            key = self._key(reported)
            if left[key] > 0:
                left[key] -= 1
            else:
                new.append(reported)
        report.known += len(report.findings) - len(new)
        report.findings = new

    def write(self, report: Report) -> str:
        """Return the JSON text of a baseline with the findings of ``report``."""
        counts = Counter(map(self._key, report.findings))
        entries = [key._asdict() | {"count": count} for key, count in sorted(counts.items())]
        return json_text({"version": _VERSION, "findings": entries}, indent=1) + "\n"

    def _key(self, reported: Reported) -> Known:
        file = "" if reported.file is None else self._path(reported.file)
        return Known(file, reported.diagnostic.code, reported.selector, reported.message)


def _is_entry(entry: Any) -> bool:
    names = all(isinstance(entry.get(name), str) for name in Known._fields) if isinstance(entry, dict) else False
    return names and type(entry.get("count")) is int
