"""Counts of messages in a topology, as ``selector-sql route --summary`` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from transpiler.base import html
from transpiler.base.arguments import unexpected
from transpiler.base.documents.entries import Entry, refuse
from transpiler.topology.model import Topology

#: Version number of the JSON that ``Summary.to_dict`` returns.
VERSION = 1


def check_summary(value: object) -> None:
    """Raise ``TypeError`` if ``value`` is neither a ``Summary`` nor None."""
    if not isinstance(value, Summary | None):
        raise unexpected("summary", "a Summary", value)


@dataclass(frozen=True)
class Summary:
    """Counts of messages: how many were published to each exchange, delivered to each queue, and had each outcome.

    ``possible`` counts for each queue the messages that it may have received: an exchange may have chosen it, or a
    condition was not evaluated.
    """

    exchanges: Mapping[str, int] = field(default_factory=dict)
    queues: Mapping[str, int] = field(default_factory=dict)
    outcomes: Mapping[str, int] = field(default_factory=dict)
    possible: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Any) -> Summary:
        """Return the summary in ``data``, the JSON of ``route --summary``; raise ``TopologyError`` if it is not one."""
        entry = Entry.of(data, "")
        return cls(*(_counts(entry, name) for name in ("exchanges", "queues", "outcomes", "possible")))

    def _repr_html_(self) -> str:
        """Return an HTML table of message counts for each exchange and queue, and an HTML table of outcome counts."""
        perhaps = [self.possible] if self.possible else []
        tables = (
            html.table(("exchange", "messages"), self.exchanges.items()),
            html.table(
                ("queue", "messages", *("perhaps more" for _ in perhaps)),
                (
                    (name, self.queues.get(name, 0), *(possible.get(name, 0) for possible in perhaps))
                    for name in dict.fromkeys((*self.queues, *self.possible))
                ),
            ),
            html.table(("outcome", "messages"), self.outcomes.items()),
        )
        return "".join(tables)

    def of_queue(self, name: str) -> str:
        """Return the number of messages of the queue ``name``, in words."""
        perhaps = self.possible.get(name, 0)
        return f"{self.queues.get(name, 0):,} messages" + (f", perhaps {perhaps:,} more" if perhaps else "")

    def with_zeros(self, topology: Topology) -> Summary:
        """Return the counts sorted by name, with 0 for each queue of ``topology`` that received no message."""
        every = {queue.name: 0 for queue in topology.queues} | dict(self.queues)
        return replace(self, queues=dict(sorted(every.items())))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts of messages as an object for JSON."""
        return {
            "version": VERSION,
            "exchanges": dict(self.exchanges),
            "queues": dict(self.queues),
            "outcomes": dict(self.outcomes),
            "possible": dict(self.possible),
        }


def _counts(entry: Entry, name: str) -> dict[str, int]:
    counts = Entry.of(entry.data.get(name, {}), entry.at(name))
    for key, value in counts.data.items():
        if isinstance(value, bool) or not isinstance(value, int):
            refuse("topology.type", counts.at(key), "expected a number of messages")
    return dict(counts.data)
