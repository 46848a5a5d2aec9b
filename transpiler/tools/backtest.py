"""Agreement of a topology's answers with those that a broker recorded: counts by exchange and queue, and examples.

Counts are added up one message at a time, or filled in whole by a caller that has counted elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from transpiler.base import html
from transpiler.topology.model import DEFAULT_EXCHANGE


class Disagreement(NamedTuple):
    """A message whose recorded queues are not the routed ones; ``label`` identifies the message."""

    label: str
    exchange: str
    routing_key: str | None
    missed: tuple[str, ...]
    extra: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        fields = self._asdict() | {"missed": list(self.missed), "extra": list(self.extra)}
        return {"message": fields.pop("label"), **fields}


@dataclass(repr=False)
class Backtest:
    """The comparison of recorded and routed queues.

    A queue is *missed* where the broker had it and the topology has not, and *extra* conversely. ``messages``
    and ``disagreeing`` count messages by exchange. ``unknown`` counts recorded queues of the default exchange that the
    topology does not have: RabbitMQ's tracing log names the queue that a key names before it looks whether there is
    one, and an export of definitions lacks exclusive queues. They are no disagreement. A ``partial`` record has only
    the queue that each message was read from, so that none is extra.
    """

    max_examples: int = 10
    messages: Counter[str] = field(default_factory=Counter)
    disagreeing: Counter[str] = field(default_factory=Counter)
    deliveries: int = 0
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)
    extra: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    examples: list[Disagreement] = field(default_factory=list)
    partial: bool = False

    def add(
        self,
        label: str,
        exchange: str,
        routing_key: str | None,
        recorded: Iterable[str],
        routed: Iterable[str],
    ) -> bool:
        """Compare one message's queues; whether they agree. The order of queues and repetitions do not matter."""
        before, now = set(recorded), set(routed)
        if self.partial:
            now &= before
        self.messages[exchange] += 1
        self.deliveries += len(before)
        if exchange == DEFAULT_EXCHANGE and not self.partial:
            # It routes by name, so what it does not reach is not there.
            self.unknown.update(before - now)
            before &= now
        if before == now:
            return True
        self.disagreeing[exchange] += 1
        missed, extra = tuple(sorted(before - now)), tuple(sorted(now - before))
        self.missed.update((exchange, queue) for queue in missed)
        self.extra.update((exchange, queue) for queue in extra)
        if len(self.examples) < self.max_examples:
            self.examples.append(Disagreement(label, exchange, routing_key, missed, extra))
        return False

    @property
    def total(self) -> int:
        """All messages."""
        return self.messages.total()

    @property
    def agreed(self) -> int:
        """The messages with the same queues on both sides."""
        return self.total - self.disagreeing.total()

    @property
    def passed(self) -> bool:
        """True if there were messages, and all agree."""
        return self.total > 0 and self.agreed == self.total

    def _by_exchange(self) -> list[tuple[str, int, int]]:
        """Return the exchanges with their messages, and with those that agree."""
        return [(name, count, count - self.disagreeing[name]) for name, count in sorted(self.messages.items())]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "messages": self.total,
            "agreed": self.agreed,
            "deliveries": self.deliveries,
            "exchanges": [
                {"exchange": name, "messages": count, "agreed": agreed} for name, count, agreed in self._by_exchange()
            ],
            "missed": _counts(self.missed),
            "extra": _counts(self.extra),
            "unknown": [{"queue": queue, "messages": n} for queue, n in sorted(self.unknown.items())],
            "examples": [example.to_dict() for example in self.examples],
        }

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"Backtest({self.agreed:,} of {self.total:,} messages agree)"

    def _repr_html_(self) -> str:
        exchanges = [(_shown(name), *counts) for name, *counts in self._by_exchange()]
        queues = [
            (what, _shown(exchange), queue, n)
            for what, counts in (("missed", self.missed), ("extra", self.extra))
            for (exchange, queue), n in counts.most_common()
        ]
        title = self.render().partition("\n")[0]
        parts = html.heading(title) + html.table(("exchange", "messages", "agree"), exchanges)
        return parts + (html.table(("difference", "exchange", "queue", "messages"), queues) if queues else "")

    def render(self) -> str:
        """Render the report: the verdict, then exchanges, queues and examples where there is disagreement."""
        if not self.total:
            return "no messages were compared"
        share = f"{self.agreed:,} of {self.total:,} messages"
        answer = "go to the queue that they were read from" if self.partial else "have exactly the broker's queues"
        lines = [f"{share} {answer} ({self.deliveries:,} deliveries)"]
        width = max(len(_shown(name)) for name in self.messages)
        for name, count, agreed in self._by_exchange():
            lines.append(f"  {_shown(name):{width}}  {agreed:,} of {count:,}")
        if self.unknown:
            names = ", ".join(f"{queue} ({count:,})" for queue, count in self.unknown.most_common(5))
            more = ", …" if len(self.unknown) > 5 else ""
            lines.append(
                f"{self.unknown.total():,} deliveries to queues that the topology does not have: {names}{more}"
            )
        for title, counts in (("missed", self.missed), ("extra", self.extra)):
            for (exchange, queue), count in counts.most_common(20):
                lines.append(f"{title} {count:,} times: {_shown(exchange)} → {queue}")
        for example in self.examples:
            parts = [f"missed {', '.join(example.missed)}"] if example.missed else []
            parts += [f"extra {', '.join(example.extra)}"] if example.extra else []
            key = "" if example.routing_key is None else f" with key {example.routing_key!r}"
            lines.append(f"example {example.label}: to {_shown(example.exchange)}{key}: {'; '.join(parts)}")
        return "\n".join(lines)


def _shown(exchange: str) -> str:
    return exchange or "(default exchange)"


def _counts(counts: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"exchange": exchange, "queue": queue, "messages": n} for (exchange, queue), n in sorted(counts.items())]
