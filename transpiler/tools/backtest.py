"""Comparison of a topology's routing with the queues that a broker recorded: counts by exchange and queue, examples.

A caller adds one message at a time, or sets the finished counts if it has counted elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from transpiler.base import html
from transpiler.base.arguments import check_count, unexpected
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.records import DEFAULT_EXCHANGE

#: Maximum number of names listed in one line of the report.
_MAX_LISTED = 5

#: Version number of the JSON form of the report.
VERSION = 1


class Disagreement(NamedTuple):
    """A message whose queues in the broker's record differ from the queues that the topology routes it to.

    ``label`` identifies the message in the record.
    """

    label: str
    exchange: str
    routing_key: str | None
    missed: tuple[str, ...]
    extra: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the disagreement as an object for the JSON report."""
        fields = self._asdict() | {"missed": list(self.missed), "extra": list(self.extra)}
        return {"message": fields.pop("label"), **fields}


@dataclass(repr=False)
class Backtest:
    """The comparison of the queues in a broker's record with the queues to which the topology routes the same messages.

    - ``missed`` counts, by exchange and queue, messages that only the broker delivered to the queue; ``extra`` counts
      those that only the topology routes to it. ``messages`` and ``disagreeing`` count messages by exchange.
    - ``unknown`` counts recorded queues of the default exchange that the topology lacks; they are no disagreement.
      RabbitMQ's tracing log names such a queue before RabbitMQ checks that it exists, and exported definitions lack
      exclusive queues.
    - ``partial`` is True if the record has only the queue from which a message was read. Then no queue counts as extra.
    - ``topology``, if given, is used to report recorded queues and exchanges that it lacks.
    - ``left_out`` counts the skipped messages of other virtual hosts by host name.
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
    topology: Topology | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_count("max_examples", self.max_examples, "examples")
        if self.topology is not None:
            check_topology(self.topology)

    def add(
        self,
        label: str,
        exchange: str,
        routing_key: str | None,
        recorded: Iterable[str],
        routed: Iterable[str],
    ) -> bool:
        """Compare the recorded and the routed queues of one message, as sets; return True if they agree.

        Raises ``TypeError`` if ``exchange`` is not a string, or if queues are given as one string.
        """
        if not isinstance(exchange, str):
            raise unexpected("exchange", "the name of an exchange", exchange, "'' is the default exchange")
        for name, queues in (("recorded", recorded), ("routed", routed)):
            if isinstance(queues, str):
                raise unexpected(name, "the names of queues", queues, f"perhaps [{queues!r}]")
        before, now = set(recorded), set(routed)
        if self.partial:
            now &= before
        self.messages[exchange] += 1
        self.deliveries += len(before)
        if exchange == DEFAULT_EXCHANGE and not self.partial:
            # The default exchange delivers a message to the queue named by the routing key. So if routing does not
            # reach a recorded queue that the topology lacks, the record does not prove that this queue exists.
            unknown = before - now - (self.topology.queue_names if self.topology is not None else set())
            self.unknown.update(unknown)
            before -= unknown
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
        """The number of messages compared."""
        return self.messages.total()

    @property
    def agreed(self) -> int:
        """The number of messages whose recorded and routed queues are the same."""
        return self.total - self.disagreeing.total()

    @property
    def passed(self) -> bool:
        """True if at least one message was compared, and all messages agree."""
        return self.total > 0 and self.agreed == self.total

    @property
    def absent_queues(self) -> Counter[str]:
        """The recorded queues that the topology does not have, with the number of messages of each queue."""
        # Routing cannot reach a queue that the topology lacks, so each such queue was counted as missed or as unknown.
        missed = Counter(self.unknown)
        for (_, queue), count in self.missed.items():
            if self.topology is not None and queue not in self.topology.queue_names:
                missed[queue] += count
        return missed

    @property
    def absent_exchanges(self) -> Counter[str]:
        """The number of messages of each recorded exchange (for a JMS broker: destination) that the topology lacks."""
        if self.topology is None:
            return Counter()
        known, addressing = self.topology.exchange_by_name, self.topology.rules.addressing
        return Counter({name: count for name, count in self.messages.items() if not addressing.may_name(name, known)})

    def _by_exchange(self) -> list[tuple[str, int, int]]:
        """Return (exchange, number of messages, number of messages that agree), sorted by exchange."""
        return [(name, count, count - self.disagreeing[name]) for name, count in sorted(self.messages.items())]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole comparison as an object for the JSON report."""
        return {
            "version": VERSION,
            "messages": self.total,
            "agreed": self.agreed,
            "deliveries": self.deliveries,
            "exchanges": [
                {"exchange": name, "messages": count, "agreed": agreed} for name, count, agreed in self._by_exchange()
            ],
            "missed": _counts(self.missed),
            "extra": _counts(self.extra),
            "unknown": _named("queue", self.unknown),
            "absent_queues": _named("queue", self.absent_queues),
            "absent_exchanges": _named("exchange", self.absent_exchanges),
            "left_out": _named("vhost", self.left_out),
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
        titles = self.render().splitlines()[: 2 if self._absent() else 1]
        parts = "".join(map(html.heading, titles)) + html.table(("exchange", "messages", "agree"), exchanges)
        return parts + (html.table(("difference", "exchange", "queue", "messages"), queues) if queues else "")

    def render(self) -> str:
        """Render the report: what the topology lacks, the share that agrees, the exchanges, and the disagreements."""
        if not self.total:
            return "no messages were compared"
        lines = self._absent()
        share = f"{self.agreed:,} of {self.total:,} messages"
        answer = "go to the queue that they were read from" if self.partial else "have exactly the broker's queues"
        lines.append(f"{share} {answer} ({self.deliveries:,} deliveries)")
        width = max(len(_shown(name)) for name in self.messages)
        for name, count, agreed in self._by_exchange():
            lines.append(f"  {_shown(name):{width}}  {agreed:,} of {count:,}")
        if self.left_out:
            lines.append(count_left_out(self.left_out))
        for title, counts in (("missed", self.missed), ("extra", self.extra)):
            for (exchange, queue), count in counts.most_common(20):
                lines.append(f"{title} {count:,} times: {_shown(exchange)} → {queue}")
        for example in self.examples:
            parts = [f"missed {', '.join(example.missed)}"] if example.missed else []
            parts += [f"extra {', '.join(example.extra)}"] if example.extra else []
            key = "" if example.routing_key is None else f" with key {example.routing_key!r}"
            lines.append(f"example {example.label}: to {_shown(example.exchange)}{key}: {'; '.join(parts)}")
        return "\n".join(lines)

    def _absent(self) -> list[str]:
        """Return one line that lists the exchanges and queues that the topology lacks; empty if it lacks none."""
        absent = (("exchange", self.absent_exchanges), ("queue", self.absent_queues))
        parts = [f"{of if len(counts) == 1 else f'{of}s'} {_most_common(counts)}" for of, counts in absent if counts]
        return [f"the topology does not have the {' and the '.join(parts)}"] if parts else []


def count_left_out(hosts: Counter[str]) -> str:
    """Return the sentence that states how many messages of other virtual hosts were skipped, with the hosts' names."""
    what = "message of another virtual host is" if hosts.total() == 1 else "messages of other virtual hosts are"
    return f"{hosts.total():,} {what} left out: {_most_common(hosts)}"


def _shown(exchange: str) -> str:
    return exchange or "(default exchange)"


def _most_common(counts: Counter[str]) -> str:
    """Return the most frequent names of ``counts`` as text, each with its number of messages."""
    listed = ", ".join(f"{name} ({count:,})" for name, count in counts.most_common(_MAX_LISTED))
    return listed + (f" and {len(counts) - _MAX_LISTED:,} more" if len(counts) > _MAX_LISTED else "")


def _named(name: str, counts: Counter[str]) -> list[dict[str, Any]]:
    return [{name: key, "messages": count} for key, count in sorted(counts.items())]


def _counts(counts: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"exchange": exchange, "queue": queue, "messages": n} for (exchange, queue), n in sorted(counts.items())]
