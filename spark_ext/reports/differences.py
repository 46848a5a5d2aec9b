"""The result of a comparison on rows: counts, examples, and the text of a report for a terminal or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pyspark.sql import DataFrame

from transpiler.base import html
from transpiler.base.diagnostics import aligned, clipped
from transpiler.base.documents.jsontext import json_text

Kind = Literal["selector", "filter", "topology"]
Report = Literal["text", "markdown", "json"]

#: Version number of the JSON form of ``Diff``.
VERSION = 1

#: Maximum number of queues (``_QUEUES``) and length of a message in characters (``_WIDTH``) in the text of a report.
_QUEUES, _WIDTH = 40, 300


@dataclass(frozen=True, slots=True)
class Example:
    """A row that is selected or routed differently, as plain properties, message JSON, or the columns of the row.

    The message has no body. For selectors and filters, ``change`` is ``won`` or ``lost``. For topologies it is
    ``rerouted``, with the queues that the message wins and loses, and the ``exchange`` to which it was published.
    """

    change: Literal["won", "lost", "rerouted"]
    message: Mapping[str, Any]
    queues_won: tuple[str, ...] = ()
    queues_lost: tuple[str, ...] = ()
    exchange: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        queues = {
            "exchange": self.exchange,
            "queues_won": list(self.queues_won),
            "queues_lost": list(self.queues_lost),
        }
        return {"change": self.change, "message": dict(self.message)} | (queues if self.change == "rerouted" else {})

    @property
    def text(self) -> str:
        """The message as JSON on one line, shortened to ``_WIDTH`` characters."""
        return clipped(json_text(self.message, default=str), _WIDTH)

    @property
    def origin(self) -> str:
        """The text about the exchange that precedes the message; "" if the exchange is not known."""
        return "" if self.exchange is None else f"to {self.exchange or 'the default exchange'}: "

    @property
    def queues(self) -> str:
        """The queues that the message wins, each with a plus sign, and those that it loses, with a minus sign."""
        signed = [f"+{queue}" for queue in self.queues_won] + [f"-{queue}" for queue in self.queues_lost]
        return " ".join(signed)


@dataclass(frozen=True, slots=True)
class QueueChange:
    """The number of messages that one queue wins, loses and keeps in the new topology.

    ``only`` names the topology that has the queue if the other one lacks it; None if both have the queue.
    """

    queue: str
    won: int
    lost: int
    kept: int
    only: Literal["old", "new"] | None = None

    @property
    def changed(self) -> bool:
        """True if the queue has other messages than before, or if only one of the topologies has it."""
        return bool(self.won or self.lost or self.only)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"queue": self.queue, "won": self.won, "lost": self.lost, "kept": self.kept, "only": self.only}

    @property
    def remark(self) -> str:
        """The remark that the queue is new or removed; "" if both topologies have it."""
        return {None: "", "new": "new queue", "old": "removed queue"}[self.only]


@dataclass(frozen=True, eq=False)
class Diff:
    """The rows that a new selector, filter or topology selects or routes differently.

    For selectors and filters, a row is won if only the new one selects it, lost if only the old one does, kept if both
    do, and otherwise neither. For topologies, ``won_rows`` and ``lost_rows`` count the messages that win or lose at
    least one queue. ``kept_rows`` counts those with the same queues in both topologies, and ``neither_rows`` those
    without a queue in either.

    ``won`` and ``lost`` are the rows; for topologies they have the queues in a column ``queues_won`` or
    ``queues_lost``.
    """

    kind: Kind
    old: str
    new: str
    rows: int
    won_rows: int
    lost_rows: int
    kept_rows: int
    neither_rows: int
    changed_rows: int
    won: DataFrame = field(repr=False)
    lost: DataFrame = field(repr=False)
    examples: tuple[Example, ...] = ()
    queues: tuple[QueueChange, ...] = ()

    @property
    def differs(self) -> bool:
        """True if a row is selected or routed differently, or if only one of the topologies has some queue."""
        return self.changed_rows > 0 or any(queue.changed for queue in self.queues)

    def __repr__(self) -> str:
        counts = f"won={self.won_rows}, lost={self.lost_rows}, kept={self.kept_rows}, neither={self.neither_rows}"
        return f"Diff({self.kind}, rows={self.rows}, {counts})"

    def __str__(self) -> str:
        return "\n".join(_markdown(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the rows."""
        result: dict[str, Any] = {
            "version": VERSION,
            "kind": self.kind,
            "old": self.old,
            "new": self.new,
            "differs": self.differs,
            "rows": self.rows,
            "won": self.won_rows,
            "lost": self.lost_rows,
            "kept": self.kept_rows,
            "neither": self.neither_rows,
            "changed": self.changed_rows,
            "examples": [example.to_dict() for example in self.examples],
        }
        return result | ({"queues": [one.to_dict() for one in self.queues]} if self.kind == "topology" else {})

    def render(self, form: Report = "text") -> str:
        """Return the report: ``text`` for a terminal, ``markdown`` for a pull request, or ``json``."""
        match form:
            case "json":
                return json_text(self.to_dict(), indent=2, default=str)
            case "markdown":
                return str(self)
            case _:
                return "\n".join(_text(self))

    def _repr_html_(self) -> str:
        if self.kind == "topology":
            queues = ((one.queue, one.won, one.lost, one.kept, one.remark) for one in _shown(self))
            table = html.table(("queue", "won", "lost", "kept", ""), queues)
        else:
            table = html.table(("", "messages"), _counts(self))
        examples = [(example.queues or example.change, example.text) for example in self.examples]
        return html.heading(_headline(self)) + table + (html.table(("", "example"), examples) if examples else "")


def _headline(diff: Diff) -> str:
    messages = f"{diff.rows:,} {'message' if diff.rows == 1 else 'messages'}"
    if diff.kind == "topology":
        changed = "none goes to other queues" if not diff.changed_rows else f"{diff.changed_rows:,} go to other queues"
        return f"{messages}: {changed}"
    if not diff.changed_rows:
        return f"{messages}: no difference"
    return f"{messages}: {diff.won_rows:,} won, {diff.lost_rows:,} lost"


def _counts(diff: Diff) -> list[tuple[str, int]]:
    return [
        ("won: only NEW selects them", diff.won_rows),
        ("lost: only OLD selects them", diff.lost_rows),
        ("kept: both select them", diff.kept_rows),
        ("neither", diff.neither_rows),
    ]


def _shown(diff: Diff) -> list[QueueChange]:
    return [queue for queue in diff.queues if queue.changed][:_QUEUES]


def _rest(diff: Diff) -> Iterator[str]:
    """Yield lines about the queues that the table leaves out, and about messages that reach no queue."""
    changed = sum(queue.changed for queue in diff.queues)
    if changed > _QUEUES:
        yield f"{changed - _QUEUES:,} more queues change."
    if unchanged := len(diff.queues) - changed:
        yield f"{unchanged:,} {'queue is' if unchanged == 1 else 'queues are'} unchanged."
    if diff.neither_rows:
        reach = "message reaches" if diff.neither_rows == 1 else "messages reach"
        yield f"{diff.neither_rows:,} {reach} no queue in either."


def _queue_rows(diff: Diff) -> list[tuple[str, ...]]:
    rows = [(one.queue, f"{one.won:,}", f"{one.lost:,}", f"{one.kept:,}", one.remark) for one in _shown(diff)]
    return [("queue", "won", "lost", "kept", ""), *rows]


def _text(diff: Diff) -> Iterator[str]:
    yield _headline(diff)
    if diff.kind == "topology":
        if _shown(diff):
            yield ""
            yield from (f"  {'  '.join(row)}".rstrip() for row in aligned(_queue_rows(diff), range(1, 4)))
        yield from (f"  {line}" for line in _rest(diff))
        if diff.examples:
            yield "\nexamples"
            yield from (f"  {example.queues}\n    {example.origin}{example.text}" for example in diff.examples)
        return
    yield from (
        f"  {label}  {count}" for label, count in aligned([(a, f"{b:,}") for a, b in _counts(diff)], range(1, 2))
    )
    for change, total in (("won", diff.won_rows), ("lost", diff.lost_rows)):
        examples = [example for example in diff.examples if example.change == change]
        if examples:
            yield f"\n{change}"
            yield from (f"  {'+' if change == 'won' else '-'} {example.text}" for example in examples)
            if total > len(examples):
                yield f"    and {total - len(examples):,} more"


def _markdown(diff: Diff) -> Iterator[str]:
    yield f"**{_headline(diff)}**"
    yield ""
    if diff.kind == "topology":
        if _shown(diff):
            yield from _pipes(_queue_rows(diff), range(1, 4))
            yield ""
        yield from map(_escaped, _rest(diff))
        if diff.examples:
            yield ""
            yield from (
                f"- {_code(example.queues)} {_escaped(example.origin)}{_code(example.text)}"
                for example in diff.examples
            )
        return
    yield "```diff"
    yield from (f"- {line}" for line in diff.old.splitlines() or [""])
    yield from (f"+ {line}" for line in diff.new.splitlines() or [""])
    yield "```"
    yield ""
    yield from _pipes([("", "messages"), *((label, f"{count:,}") for label, count in _counts(diff))], range(1, 2))
    for change, total in (("won", diff.won_rows), ("lost", diff.lost_rows)):
        examples = [example for example in diff.examples if example.change == change]
        if examples:
            yield f"\n{change.capitalize()}"
            yield ""
            yield from (f"- {_code(example.text)}" for example in examples)
            if total > len(examples):
                yield f"- and {total - len(examples):,} more"


def _pipes(rows: list[tuple[str, ...]], numbers: range) -> Iterator[str]:
    escaped = [tuple(map(_escaped, row)) for row in rows]
    head, *body = aligned(escaped, numbers)
    yield f"| {' | '.join(head)} |"
    rules = ("-" * (len(cell) - 1) + ":" if index in numbers else "-" * len(cell) for index, cell in enumerate(head))
    yield f"| {' | '.join(rules)} |"
    yield from (f"| {' | '.join(row)} |" for row in body)


#: The characters that begin a cell, HTML, code, emphasis, a link or an escape in Markdown. An underscore is no marker
#: within a word.
_MARKERS = re.compile(r"[\\`*<\[|]")


def _escaped(text: str) -> str:
    """Return ``text`` with a backslash before each character that Markdown would not show as it is."""
    return _MARKERS.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    """Return ``text`` as inline code of Markdown, with more backquotes around it than it contains in a row."""
    marks = "`"
    while marks in text:
        marks += "`"
    return f"{marks}{text}{marks}" if len(marks) == 1 else f"{marks} {text} {marks}"
