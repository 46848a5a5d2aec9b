"""The result of ``explain_matches``: groups of rows, with their forms as text, HTML, JSON and a DataFrame."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from spark_ext.reports.undecodable import rendered
from spark_ext.routing.constant_tables import constant_table
from transpiler import Diagnostic
from transpiler.base import html
from transpiler.base.diagnostics import clipped
from transpiler.message.types import Truth
from transpiler.routing.found_values import FoundValues

#: Version number of the JSON form of ``MatchExplanation``.
VERSION = 1

#: Maximum length of a part (``_MAX_PART``) and of a reason (``_MAX_REASON``) in a line of the report, in characters.
_MAX_PART, _MAX_REASON = 70, 160

_VERDICTS: Mapping[Truth, str] = {True: "true", False: "false", None: "unknown"}

_COLUMNS = (
    *("part STRING", "verdict STRING", "missing STRING", "rows BIGINT"),
    "examples ARRAY<STRUCT<message: STRING, reason: STRING>>",
)


class MatchExample(NamedTuple):
    """An example message of a group in its JSON form, and the sentence why it matches or does not match."""

    message: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows for which the same part of the selector decides, with the same result.

    ``part`` is the part that rejected the rows, and ``verdict`` its result: FALSE, or None for unknown. If the selector
    is an OR, ``part`` is the alternative that matched them. ``part`` is None for rows that match all parts of an AND or
    no alternative of an OR. If the result is unknown, ``missing`` is the first name that has no value in the rows, or
    None.
    """

    part: str | None
    verdict: Truth
    missing: str | None
    rows: int
    examples: tuple[MatchExample, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "part": self.part,
            "verdict": self.verdict,
            "missing": self.missing,
            "rows": self.rows,
            "examples": [example._asdict() for example in self.examples],
        }


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """All rows of a DataFrame, grouped by the part of a selector that rejected them, or by the matching alternative.

    Each row is in exactly one of ``groups``. ``are_alternatives`` is True if the outermost operator is OR.
    """

    selector: str
    layout: str
    dialect: str
    are_alternatives: bool
    groups: tuple[RowGroup, ...]
    session: SparkSession = field(repr=False, compare=False)
    #: Warnings about the rows of the examples, such as bytes that are not valid text.
    findings: tuple[Diagnostic, ...] = ()
    #: For each name in the selector: the number of rows with a value, its types, and its column or key.
    found: FoundValues = field(default_factory=lambda: FoundValues(0, ()))

    @property
    def rows(self) -> int:
        """The number of rows of the DataFrame."""
        return sum(group.rows for group in self.groups)

    @property
    def matched(self) -> int:
        """The number of rows that match the selector."""
        return sum(group.rows for group in self.groups if group.verdict is True)

    def by_part(self) -> dict[str | None, int]:
        """Count the rows by the part that rejected them, or by the alternative that matched them."""
        counts: Counter[str | None] = Counter()
        for group in self.groups:
            if self.are_alternatives or group.verdict is not True:
                counts[group.part] += group.rows
        return dict(counts)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "version": VERSION,
            "selector": self.selector,
            "layout": self.layout,
            "dialect": self.dialect,
            "rows": self.rows,
            "matched": self.matched,
            "groups": [group.to_dict() for group in self.groups],
            "found": self.found.to_dict(),
        }

    def to_df(self) -> DataFrame:
        """Return a DataFrame with a row for each group of messages that the same part of the selector decides.

        Its columns are ``part`` (the part of the selector), ``verdict`` (the result of the part), ``missing`` (the
        properties that these messages lack), ``rows`` (the number of messages) and ``examples`` (messages as JSON).
        """
        rows: list[tuple[Any, ...]] = [
            (
                group.part,
                _VERDICTS[group.verdict],
                group.missing,
                group.rows,
                [(json.dumps(one.message, ensure_ascii=False), one.reason) for one in group.examples],
            )
            for group in self.groups
        ]
        return constant_table(
            self.session, {column: [row[index] for row in rows] for index, column in enumerate(_COLUMNS)}
        ).rows

    @property
    def headline(self) -> str:
        """The first line of the report, with the number of rows that match the selector."""
        if not self.rows:
            return "there are no messages"
        return f"{self.matched:,} of {self.rows:,} messages match"

    def __str__(self) -> str:
        lines = [self.headline]
        counts = self.by_part()
        if counts:
            width = max(len(f"{self.rows:,}"), len(self._heading[0]))
            lines += ["", f"{self._heading[0]:>{width}}  {self._heading[1]}"]
            for part, rows in counts.items():
                lines.append(f"{rows:>{width},}  {clipped(part or self._remainder, _MAX_PART)}")
                lines += [f"{' ' * width}    {line}" for line in self._details(part)]
        if self.rows and self.found.values:
            lines += ["", *self.found.lines()]
        lines += rendered(self.findings)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<MatchExplanation of {clipped(self.selector, 40)!r}: {self.headline}>"

    @property
    def _heading(self) -> tuple[str, str]:
        if self.are_alternatives:
            return "messages", "by the first alternative that is true"
        return "kept out", "by the first part that is not true"

    @property
    def _remainder(self) -> str:
        return "no alternative is true" if self.are_alternatives else "all parts are true"

    def _details(self, part: str | None) -> Iterator[str]:
        """Yield a line for each group whose deciding part is ``part``, and the reasons of the group's examples."""
        groups = [group for group in self.groups if group.part == part and group.verdict is not True]
        width = max((len(f"{group.rows:,}") for group in groups), default=0)
        for group in groups:
            why = "" if group.missing is None else f": {group.missing} is missing"
            yield f"{group.rows:>{width},} {_VERDICTS[group.verdict]}{why}"
            if group.missing is None:
                for reason in dict.fromkeys(example.reason for example in group.examples):
                    yield f"{' ' * width}   e.g. {clipped(reason, _MAX_REASON)}"

    def _repr_html_(self) -> str:
        rows = [
            (rows, clipped(part or self._remainder, 200), "\n".join(line.strip() for line in self._details(part)))
            for part, rows in self.by_part().items()
        ]
        table = html.table((*self._heading, ""), rows) if rows else ""
        return html.heading(self.headline) + table + (self.found._repr_html_() if self.rows else "")
