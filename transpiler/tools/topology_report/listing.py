"""A topology as text for people: the targets of each exchange, and the sources and onward links of each queue.

Bindings of one exchange with the same condition share one line, and so do queues with the same sources and links. Of
many names, the line has the first ones and the total number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import TextWrapper

from transpiler.base.diagnostics import first_of, one_line
from transpiler.tools.topology_report.labels import binding_label, exchange_title, of_no_way_out
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology.graph import routes
from transpiler.topology.model import Topology
from transpiler.topology.records import OF_BROKERS, Exchange, Link, Queue
from transpiler.topology.setting import DELAYED, Setting

#: Maximum number of names in a line; the further names are only counted.
MAX_NAMES = 3
#: Maximum number of conditions listed for one exchange, and maximum number of lines for all exchanges or for all
#: queues. The rest is only counted.
MAX_BINDINGS, MAX_LINES = 20, 300


def listing(topology: Topology, summary: Summary | None = None, columns: int = 10_000) -> str:
    """Return the listing of ``topology``, with the numbers of messages in ``summary`` if that is given.

    Lines of more than ``columns`` characters are wrapped. The broker's predeclared exchanges are listed only if they
    have bindings, links or messages.
    """
    return "\n".join(_wrapped(_lines(topology, summary), columns))


def _wrapped(lines: Iterable[str], columns: int) -> Iterator[str]:
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if len(line) <= columns:
            yield line
            continue
        wrapper = TextWrapper(
            max(columns, indent + 20),
            subsequent_indent=" " * (indent + 4),
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        wrapper.initial_indent = " " * indent
        yield from wrapper.wrap(line.lstrip())


def _lines(topology: Topology, summary: Summary | None) -> Iterator[str]:
    yield topology.headline
    shown = [exchange for exchange in topology.exchange_by_name.values() if _is_shown(topology, exchange, summary)]
    if shown:
        yield from ("", topology.rules.addressing.nouns[1])
        lines = [line for exchange in shown for line in _exchange(topology, exchange, summary)]
        yield from _limited(lines, "lines")
    if topology.queues:
        yield from ("", "queues")
        yield from _limited([*_queues(topology, summary)], "lines")
    if not shown and not topology.queues:
        yield from ("", topology.rules.addressing.nothing_declared)
    others = [link for link in topology.onward if link.source is None or _is_of_broker(link)]
    if others:
        yield from ("", "from and to other brokers, and shovels")
        for link in others[:MAX_LINES]:
            source = "another broker" if link.source is None else _name(link.source)
            yield f"  {source} → {_target(link)}: {link.when}"


def _limited(lines: list[str], what: str) -> Iterator[str]:
    yield from lines[:MAX_LINES]
    if len(lines) > MAX_LINES:
        yield f"  … and {len(lines) - MAX_LINES:,} more {what}: --exchange, --queue and --around show a part"


def _is_shown(topology: Topology, exchange: Exchange, summary: Summary | None) -> bool:
    if exchange.path or exchange.name not in topology.rules.predeclared:
        is_default = exchange.name == "" and not topology.bindings_by_source.get("")
        return not is_default
    if summary is not None and summary.exchanges.get(exchange.name):
        return True
    node = ("exchange", exchange.name)
    return any(node in step for step in routes(topology)) or any(node in link.ends for link in topology.onward)


def _is_of_broker(link: Link) -> bool:
    """Return True if ``link`` leads from an exchange to another broker or shovel, and is not for dead letters."""
    return link.source_type == "exchange" and link.kind != "dead-letter"


def _exchange(topology: Topology, exchange: Exchange, summary: Summary | None) -> Iterator[str]:
    facts: list[str] = []
    if topology.rules.addressing.has_exchanges:
        facts.append("of unknown type" if exchange.is_unknown else exchange.type)
        facts += ["delayed"] if Setting("exchange", exchange.name, DELAYED, "true") in topology.settings else []
        facts += [] if exchange.declared else ["not declared"]
    facts += ["internal"] if exchange.internal else []
    facts += [f"unroutable: {exchange.unroutable}"] if exchange.unroutable != "discard" else []
    if summary is not None:
        facts.append(f"{summary.exchanges.get(exchange.name, 0):,} published")
    title = _name(exchange_title(exchange.name)) + (f" ({', '.join(facts)})" if facts else "")
    by_label: dict[str, list[str]] = {}
    for binding in topology.bindings_by_source.get(exchange.name, ()):
        noun = topology.rules.addressing.nouns[0]
        to = _name(binding.destination)
        to = to if binding.destination_type == "queue" else f"{noun} {to}"
        by_label.setdefault(one_line(binding_label(topology, binding)), []).append(to)
    lines = [(label, names_of(dict.fromkeys(names), "queues")) for label, names in by_label.items()]
    alternate = exchange.alternate
    if alternate is not None:
        there = "" if topology.alternate(exchange) is not None else ", which is not there"
        lines.append(("otherwise", f"{alternate.type} {_name(alternate.name)}{there}"))
    for link in topology.links:
        if (link.source_type, link.source, link.kind) == ("exchange", exchange.name, "dead-letter"):
            noun = topology.rules.addressing.nouns[0]
            lines.append((link.when, _target(link) if link.destination_type == "queue" else f"{noun} {_target(link)}"))
    if not lines:
        yield f"  {title}: {of_no_way_out(topology, exchange)}"
    elif len(lines) == 1 and lines[0][0] in ("", "every message"):
        yield f"  {title} → {lines[0][1]}"
    else:
        yield f"  {title}"
        shown = lines[:MAX_BINDINGS]
        width = min(36, max(len(label) for label, _ in shown))
        yield from (f"    {label or 'every message':<{width}} → {to}" for label, to in shown)
        if len(lines) > len(shown):
            yield f"    … and {len(lines) - len(shown):,} more conditions"


def names_of(names: Iterable[str], several: str) -> str:
    """Return ``names`` as text. If there are too many, return their number, the noun ``several``, and the first."""
    listed = [*names]
    if len(listed) <= MAX_NAMES + 1:
        return ", ".join(listed)
    return f"{len(listed):,} {several} ({first_of(listed, MAX_NAMES)})"


def _queues(topology: Topology, summary: Summary | None) -> Iterator[str]:
    sources: dict[str, dict[str, None]] = {}
    for source, target in routes(topology):
        if target[0] == "queue":
            sources.setdefault(target[1], {})[_name(exchange_title(source[1]))] = None
    links: dict[str, list[Link]] = {}
    letters: dict[str, dict[tuple[str, str], None]] = {}
    for link in topology.onward:
        if link.source is not None and link.source_type == "queue":
            links.setdefault(link.source, []).append(link)
        if link.destination_type == "queue" and link.destination is not None:
            verb = "filled from" if link.kind in OF_BROKERS else "let go by"
            letters.setdefault(link.destination, {})[verb, _name(link.source or "another broker")] = None
    kinds = {one.of: one.value for one in topology.settings if (one.kind, one.name) == ("queue", "queue-type")}
    groups: dict[str, list[Queue]] = {}
    for queue in topology.queues:
        kind = kinds.get(queue.name, "classic")
        groups.setdefault(_queue(topology, queue, kind, sources, links, letters, summary), []).append(queue)
    for text, queues in groups.items():
        yield f"  {names_of((_name(queue.name) for queue in queues), 'queues')}{text}"


def _queue(
    topology: Topology,
    queue: Queue,
    kind: str,
    sources: Mapping[str, Mapping[str, None]],
    links: Mapping[str, list[Link]],
    letters: Mapping[str, Iterable[tuple[str, str]]],
    summary: Summary | None,
) -> str:
    """Return the text after the name of ``queue`` in the listing; queues with equal texts share a line.

    ``kind`` is the type of the queue. ``sources``, ``links`` and ``letters`` are dicts by the name of a queue.
    ``sources`` has the names of the exchanges or queues that fill it. ``links`` has the links from it. ``letters`` has
    the queues whose links lead to it, as pairs such as ``('let go by', 'q')``.
    """
    parts = []
    if queue.name in sources:
        parts.append(f"from {names_of(sources[queue.name], topology.rules.addressing.nouns[1])}")
    for verb in ("let go by", "filled from"):
        names = [name for how, name in letters.get(queue.name, ()) if how == verb]
        parts += [f"{verb} {names_of(names, 'queues')}"] if names else []
    if not parts and topology.rules.addressing.has_exchanges:
        is_cut = ("queue", queue.name) in topology.cut
        parts.append("from exchanges that are not in this part" if is_cut else "only by its own name")
    for link in links.get(queue.name, ()):
        key = "" if link.key is None or link.destination_type == "queue" else f", key {link.key!r}"
        parts.append(f"{link.when} → {_target(link)}{key}")
    facts = [] if kind == "classic" else [kind]
    facts += [] if queue.declared else ["not declared"]
    if summary is not None:
        facts.append(summary.of_queue(queue.name))
    return (f" ({', '.join(facts)})" if facts else "") + (f": {'; '.join(parts)}" if parts else "")


def _target(link: Link) -> str:
    return "another broker" if link.destination is None else _name(link.destination or "the default exchange")


def _name(name: str) -> str:
    return one_line(name)
