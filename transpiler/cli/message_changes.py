"""Tests of messages, and those of files that a change wins and loses, for ``selector-sql diff OLD NEW MESSAGES``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from transpiler import Message, Topology, evaluate, matches, parse_selector
from transpiler.cli.layouts import ChosenLayout
from transpiler.cli.messages import ReadMessage, read_messages
from transpiler.cli.publishing import hint_exchange, published_to
from transpiler.diagnostics import one_line
from transpiler.filters.sets import FilterSet
from transpiler.reference.route import publish
from transpiler.topology.model import check_exchange

Condition = Callable[[Message], bool]


def condition(
    value: str | FilterSet | Topology, dialect: str, connection: str | None, now: int | None, destination: str | None
) -> Condition:
    """Return the test of a message by the text of a selector, or by a filter."""
    if isinstance(value, str):
        tree = parse_selector(value, dialect)
        return lambda message: evaluate(tree, message, dialect, now=now, destination=destination) is True
    assert isinstance(value, FilterSet)
    # Refuse a filter that cannot be asked before the first message is read.
    matches(value, Message(), dialect=dialect, connection=connection)
    return lambda message: matches(
        value, message, dialect=dialect, connection=connection, now=now, destination=destination
    )


class MessageChanges:
    """The numbers of messages that a change wins and loses, by queue for topologies, and some of them."""

    def __init__(self, max_examples: int) -> None:
        self.messages = self.changed = 0
        self.gained: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self._examples: list[dict[str, Any]] = []
        self._max_examples = max_examples
        self._of_queues = False

    def of_conditions(self, old: Condition, new: Condition, files: Sequence[str], layout: ChosenLayout) -> None:
        """Compare two selectors or filters on the messages of files."""
        for read in read_messages(files, layout, progress=True):
            before, after = old(read.message), new(read.message)
            self._count(
                read.place,
                read.record.text,
                ["messages"] * (after and not before),
                ["messages"] * (before and not after),
            )

    def of_topologies(
        self, old: Topology, new: Topology, files: Sequence[str], layout: ChosenLayout, exchange: str | None
    ) -> None:
        """Compare two topologies on the publications of files; ``exchange`` is that of those that name none."""
        if exchange not in old.exchange_by_name:
            # What one of the two has is a change.
            check_exchange(new, exchange)
        self._of_queues = True
        unnamed = 0
        for read in read_messages(files, layout, progress=True):
            before, after = _queues(old, read, exchange), _queues(new, read, exchange)
            self._count(read.place, read.record.text, sorted(after - before), sorted(before - after))
            unnamed += exchange is None and not before and not after and read.sent().exchange is None
        hint_exchange(unnamed)

    def _count(self, place: str, text: str, gained: Iterable[str], lost: Iterable[str]) -> None:
        gained, lost = list(gained), list(lost)
        self.messages += 1
        if not gained and not lost:
            return
        self.changed += 1
        self.gained.update(gained)
        self.lost.update(lost)
        if len(self._examples) < self._max_examples:
            self._examples.append({"place": place, "gained": gained, "lost": lost, "message": text})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``gained`` and ``lost`` are by queue for topologies."""
        result: dict[str, Any] = {"messages": self.messages, "changed": self.changed}
        for name, counts in (("gained", self.gained), ("lost", self.lost)):
            result[name] = dict(sorted(counts.items())) if self._of_queues else counts.total()
        names = ("place", "gained", "lost") if self._of_queues else ("place", "change")
        examples = [one | {"change": "gained" if one["gained"] else "lost"} for one in self._examples]
        result["examples"] = [{name: one[name] for name in names} for one in examples]
        return result

    def __str__(self) -> str:
        if not self.changed:
            return f"none of {self.messages:,} messages changes"
        if not self._of_queues:
            lines = [
                f"{self.changed:,} of {self.messages:,} messages change: "
                f"{self.gained.total():,} won, {self.lost.total():,} lost"
            ]
            for one in self._examples:
                lines.append(f"{'+' if one['gained'] else '-'} {one['place']}: {one_line(one['message'])}")
            return "\n".join(lines)
        lines = [f"{self.changed:,} of {self.messages:,} messages change"]
        for queue in sorted({*self.gained, *self.lost}):
            lines.append(f"  {one_line(queue)}: {self.gained[queue]:,} won, {self.lost[queue]:,} lost")
        for one in self._examples:
            signed = [f"+{queue}" for queue in one["gained"]] + [f"-{queue}" for queue in one["lost"]]
            lines.append(f"{one['place']}: {one_line(' '.join(signed))}")
        return "\n".join(lines)


def _queues(topology: Topology, read: ReadMessage, exchange: str | None) -> set[str]:
    """Return the queues of a publication; those that an exchange may choose are marked."""
    target, keys, routing_type = published_to(topology, read, exchange)
    routed = publish(topology, read.message, target, keys, routing_type=routing_type)
    return {*routed.queues, *(f"{queue} (possible)" for queue in routed.possible_queues)}
