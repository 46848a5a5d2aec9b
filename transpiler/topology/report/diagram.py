"""A topology as a picture: Mermaid or Graphviz text, with the number of messages where a summary has been counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from transpiler.filters.binding_rules import HeadersMatch
from transpiler.message.types import AmqpValue
from transpiler.topology.importers.json_reader import Entry, refuse
from transpiler.topology.model import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding, Topology

Format = Literal["mermaid", "dot"]

#: Bindings that one arrow names; it counts the others.
MAX_LABELS = 3

#: Characters of a selector or query on an arrow.
MAX_TEXT = 48


@dataclass(frozen=True)
class Summary:
    """Counts of messages: published to each exchange, delivered to each queue, with each outcome."""

    exchanges: Mapping[str, int] = field(default_factory=dict)
    queues: Mapping[str, int] = field(default_factory=dict)
    outcomes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Any) -> Summary:
        """Read a summary from the JSON that ``route --summary`` writes; ``TopologyError`` where it is none."""
        entry = Entry.of(data, "")
        return cls(*(_counts(entry, name) for name in ("exchanges", "queues", "outcomes")))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The JSON form."""
        return {"exchanges": dict(self.exchanges), "queues": dict(self.queues), "outcomes": dict(self.outcomes)}


def _counts(entry: Entry, name: str) -> dict[str, int]:
    counts = Entry.of(entry.data.get(name, {}), entry.at(name))
    for key, value in counts.data.items():
        if isinstance(value, bool) or not isinstance(value, int):
            refuse("topology.type", counts.at(key), "expected a number of messages")
    return dict(counts.data)


def draw(topology: Topology, form: Format, summary: Summary | None = None) -> str:
    """The picture as text: exchanges, queues, and an arrow for the bindings between two of them.

    The default exchange and the predeclared ones are drawn where they have bindings, an alternate or messages.
    """
    picture = _Picture(topology, summary)
    return _mermaid(picture) if form == "mermaid" else _dot(picture)


@dataclass(frozen=True)
class _Node:
    id: str
    kind: Literal["exchange", "queue"]
    title: str
    detail: str


@dataclass(frozen=True)
class _Arrow:
    source: str
    target: str
    label: str
    alternate: bool = False


class _Picture:
    """Nodes and arrows, before they are written in one language or the other."""

    def __init__(self, topology: Topology, summary: Summary | None) -> None:
        self.topology = topology
        self.summary = summary
        self.nodes: list[_Node] = []
        self.arrows: list[_Arrow] = []
        self._ids: dict[tuple[str, str], str] = {}
        drawn = self._drawn()
        for name in topology.exchange_by_name:
            if name in drawn:
                self._add("exchange", name)
        for queue in topology.queues:
            self._add("queue", queue.name)
        for name in summary.queues if summary is not None else ():
            # A queue that no configuration shows, and that a message reached all the same.
            if ("queue", name) not in self._ids:
                self._add("queue", name)
        self.arrows += self._binding_arrows()
        for exchange in topology.exchange_by_name.values():
            if exchange.alternate is not None:
                target = self._ids.get((exchange.alternate.type, exchange.alternate.name))
                if target is not None:
                    self.arrows.append(_Arrow(self._ids["exchange", exchange.name], target, "alternate", True))

    def _drawn(self) -> set[str]:
        """The exchanges that have something to show."""
        topology = self.topology
        names = {exchange.name for exchange in topology.exchanges} | set(topology.bindings_by_source)
        names |= {binding.destination for binding in topology.bindings if binding.destination_type == "exchange"}
        alternates = (exchange.alternate for exchange in topology.exchanges if exchange.alternate is not None)
        names |= {alternate.name for alternate in alternates if alternate.type == "exchange"}
        if self.summary is not None:
            names |= {name for name, count in self.summary.exchanges.items() if count} & set(topology.exchange_by_name)
        return names

    def _add(self, kind: Literal["exchange", "queue"], name: str) -> None:
        node_id = f"{kind[0]}{len(self.nodes)}"
        self._ids[kind, name] = node_id
        details: list[str] = []
        if kind == "exchange":
            exchange = self.topology.exchange_by_name[name]
            details.append(exchange.type)
            if exchange.unroutable != "discard":
                details.append(f"unroutable: {exchange.unroutable}")
        if self.summary is not None:
            counts = self.summary.exchanges if kind == "exchange" else self.summary.queues
            details.append(f"{counts.get(name, 0):,} {'published' if kind == 'exchange' else 'messages'}")
        title = name or "default exchange"
        self.nodes.append(_Node(node_id, kind, title, ", ".join(details)))

    def _binding_arrows(self) -> Iterator[_Arrow]:
        grouped: dict[tuple[str, str, str], list[Binding]] = {}
        for binding in self.topology.bindings:
            grouped.setdefault((binding.source, binding.destination_type, binding.destination), []).append(binding)
        for (source, kind, destination), bindings in grouped.items():
            labels = [_label(self.topology, binding) for binding in bindings[:MAX_LABELS]]
            if len(bindings) > MAX_LABELS:
                labels.append(f"… and {len(bindings) - MAX_LABELS:,} more")
            text = "\n".join(label for label in labels if label)
            yield _Arrow(self._ids["exchange", source], self._ids[kind, destination], text)


def _label(topology: Topology, binding: Binding) -> str:
    """Label a binding with its condition, in a few words."""
    exchange_type = topology.exchange_by_name[binding.source].type
    parts: list[str] = []
    if exchange_type == "headers":
        parts.append(_headers_label(topology.headers(binding)))
    elif exchange_type != "fanout":
        parts.append(binding.key or '""')
    for argument in (SELECTOR_ARGUMENT, XQUERY_ARGUMENT):
        text = " ".join((binding.text(argument) or "").split())
        if text:
            parts.append(_short(text))
    return " | ".join(parts)


def _headers_label(arguments: HeadersMatch) -> str:
    if arguments.never or (arguments.any and not arguments.pairs):
        return "no message"
    if not arguments.pairs:
        return "every message"
    pairs = (name if value is None else f"{name}={_plain(value)}" for name, value in arguments.pairs)
    return _short(f"{'any' if arguments.any else 'all'}: {', '.join(pairs)}")


def _plain(value: AmqpValue) -> str:
    return value.value if isinstance(value.value, str) else repr(value.value)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _mermaid(picture: _Picture) -> str:
    lines = ["flowchart LR"]
    for node in picture.nodes:
        text = _mermaid_text(node.title) + (f"<br/><small>{_mermaid_text(node.detail)}</small>" if node.detail else "")
        lines.append(f'  {node.id}{{{{"{text}"}}}}' if node.kind == "exchange" else f'  {node.id}["{text}"]')
    for arrow in picture.arrows:
        line = "-.->" if arrow.alternate else "-->"
        label = f'|"{_mermaid_text(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {arrow.source} {line}{label} {arrow.target}")
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    """Text in quotes: letters, digits and a few signs as they are, all else as Mermaid's entity codes."""
    return "".join(
        character
        if character.isalnum() or character in " .,:=_-()…"
        else "<br/>"
        if character == "\n"
        else f"#{ord(character)};"
        for character in text
    )


def _dot(picture: _Picture) -> str:
    lines = [
        "digraph topology {",
        "  rankdir=LR;",
        '  node [fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for node in picture.nodes:
        text = node.title + (f"\n{node.detail}" if node.detail else "")
        shape = "hexagon" if node.kind == "exchange" else "box"
        lines.append(f"  {node.id} [shape={shape}, label={_dot_text(text)}];")
    for arrow in picture.arrows:
        style = ", style=dashed" if arrow.alternate else ""
        lines.append(f"  {arrow.source} -> {arrow.target} [label={_dot_text(arrow.label)}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\n")
    return f'"{escaped}"'
