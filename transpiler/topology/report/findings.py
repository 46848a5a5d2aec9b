"""A report of what is dead, double or dangerous in a topology, with the messages that were counted in it if known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from transpiler import html
from transpiler.diagnostics import one_line
from transpiler.selector import ast
from transpiler.selector.dialects import find_dialect
from transpiler.selector.grammar import parse_selector
from transpiler.selector.satisfiability import Contradiction, find_redundancy, meaning_of
from transpiler.topology.broker_rules import TAKING_ALL
from transpiler.topology.choices import choices
from transpiler.topology.model import DEFAULT_EXCHANGE, Binding, Topology
from transpiler.topology.report.containment import contains
from transpiler.topology.report.labels import binding_label, exchange_title
from transpiler.topology.report.summary import Summary

#: Bindings from one exchange to one destination that are compared two by two; of more, only equal ones are found.
MAX_COMPARED = 200

#: Queues that are listed as hot, and the share of all deliveries from which one is.
MAX_HOT, HOT_SHARE = 5, 0.2

#: Findings of one kind in a report's text.
MAX_SHOWN = 20

#: The kinds of findings, in the order of a report.
TITLES: Mapping[str, str] = {
    "queue-without-bindings": "queues without bindings",
    "exchange-without-way-in": "exchanges without a way in",
    "exchange-without-way-out": "exchanges without a way out",
    "exchange-loop": "exchanges in a loop",
    "duplicate-binding": "bindings that are there twice",
    "contained-binding": "bindings that another one contains",
    "never-matches": "bindings that never match",
    "dead-binding": "bindings that carried no message",
    "hot-queue": "hot queues",
}


class Finding(NamedTuple):
    """One finding: its kind, the name or binding that it is about, and the reason."""

    kind: str
    subject: str
    reason: str


@dataclass(frozen=True, repr=False)
class TopologyReport:
    """The findings about a topology, by kind; ``not_compared`` bindings were only looked at for equal ones."""

    topology: Topology
    findings: tuple[Finding, ...]
    not_compared: int = 0

    def by_kind(self) -> dict[str, list[Finding]]:
        """The findings of each kind that has some, in the order of ``TITLES``."""
        grouped: dict[str, list[Finding]] = {kind: [] for kind in TITLES}
        for finding in self.findings:
            grouped[finding.kind].append(finding)
        return {kind: findings for kind, findings in grouped.items() if findings}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "broker": self.topology.rules.name,
            "exchanges": len(self.topology.exchanges),
            "queues": len(self.topology.queues),
            "bindings": len(self.topology.bindings),
            "not_compared": self.not_compared,
            "findings": [finding._asdict() for finding in self.findings],
        }

    def __repr__(self) -> str:
        return f"TopologyReport({self.topology!r}, {len(self.findings):,} findings)"

    def __str__(self) -> str:
        lines = [repr(self.topology).removeprefix("Topology(").removesuffix(")")]
        for kind, findings in self.by_kind().items():
            lines += ["", f"{TITLES[kind]}: {len(findings):,}"]
            shown = [finding._replace(subject=one_line(finding.subject)) for finding in findings[:MAX_SHOWN]]
            width = min(48, max(len(finding.subject) for finding in shown))
            lines += [f"  {finding.subject:{width}}  {finding.reason}" for finding in shown]
            if len(findings) > MAX_SHOWN:
                lines.append(f"  … and {len(findings) - MAX_SHOWN:,} more")
        if not self.findings:
            lines.append("nothing is dead, double or in a loop")
        if self.not_compared:
            lines += ["", self._note()]
        return "\n".join(lines)

    def _note(self) -> str:
        return (
            f"{self.not_compared:,} bindings stand beside more than {MAX_COMPARED} others with the same two ends: "
            "of these only equal ones were looked for"
        )

    def _repr_html_(self) -> str:
        rows = [(TITLES[finding.kind], finding.subject, finding.reason) for finding in self.findings]
        note = html.code(self._note()) if self.not_compared else ""
        if not rows:
            return html.heading("nothing is dead, double or in a loop") + note
        return html.table(("finding", "of", "why"), rows, f"{len(rows):,} findings") + note


def report(topology: Topology, summary: Summary | None = None) -> TopologyReport:
    """Report what is dead, double or dangerous in a topology; with a summary also dead bindings and hot queues.

    Linear in the bindings, but for those between the same exchange and destination, which are compared two by two up
    to ``MAX_COMPARED``.
    """
    contained, not_compared = _contained(topology)
    findings = [
        *_lonely_queues(topology),
        *_exchanges(topology, summary),
        *_loops(topology),
        *contained,
        *_never_matching(topology),
        *(_dead(topology, summary) if summary is not None else ()),
        *(_hot(summary) if summary is not None else ()),
    ]
    return TopologyReport(topology, tuple(findings), not_compared)


def _lonely_queues(topology: Topology) -> Iterator[Finding]:
    bound = {binding.destination for binding in topology.bindings if binding.destination_type == "queue"}
    alternates = (exchange.alternate for exchange in topology.exchange_by_name.values())
    bound |= {alternate.name for alternate in alternates if alternate is not None and alternate.type == "queue"}
    bound |= {queue.alternate.name for queue in topology.queues if queue.alternate and queue.alternate.type == "queue"}
    for queue in topology.queues:
        if queue.name not in bound:
            yield Finding("queue-without-bindings", queue.name, "only messages sent to it by its own name reach it")


def _ways(topology: Topology) -> dict[str, set[str]]:
    """Return the exchanges that each exchange hands messages on to, by bindings and as alternates."""
    ways: dict[str, set[str]] = {name: set() for name in topology.exchange_by_name}
    for binding in topology.bindings:
        if binding.destination_type == "exchange":
            ways[binding.source].add(binding.destination)
    for exchange in topology.exchange_by_name.values():
        alternate = topology.alternate(exchange)
        if alternate is not None and alternate.type == "exchange":
            ways[exchange.name].add(alternate.name)
    return ways


def _reached(ways: Mapping[str, Iterable[str]], starts: Iterable[str], within: Set[str] | None = None) -> set[str]:
    """Return the nodes that can be reached from some, themselves included, through those of a set if one is given."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        for name in ways[pending.pop()]:
            if name not in seen and (within is None or name in within):
                seen.add(name)
                pending.append(name)
    return seen


def _exchanges(topology: Topology, summary: Summary | None) -> Iterator[Finding]:
    ways = _ways(topology)
    entered = _reached(ways, (name for name, exchange in topology.exchange_by_name.items() if not exchange.internal))
    used = None if summary is None else _reached(ways, {n for n, c in summary.exchanges.items() if c} & ways.keys())
    back: dict[str, set[str]] = {name: set() for name in ways}
    for name, targets in ways.items():
        for target in targets:
            back[target].add(name)
    to_queues = {binding.source for binding in topology.bindings if binding.destination_type == "queue"}
    for name, exchange in topology.exchange_by_name.items():
        alternate = topology.alternate(exchange)
        if alternate is not None and alternate.type == "queue":
            to_queues.add(name)
    leads = _reached(back, to_queues | ({DEFAULT_EXCHANGE} if topology.queues else set()))
    for exchange in topology.exchanges:
        name = exchange.name
        if name not in entered:
            reason = "it is internal, and no exchange that takes messages leads to it"
            yield Finding("exchange-without-way-in", name, reason)
        elif used is not None and name not in used:
            reason = "no counted message was published to it or to an exchange that leads to it"
            yield Finding("exchange-without-way-in", name, reason)
        if name not in leads:
            reason = "it leads to no queue: its messages are lost" if not ways[name] else "its ways end before a queue"
            yield Finding("exchange-without-way-out", name, reason)


def _loops(topology: Topology) -> Iterator[Finding]:
    """Yield each strongly connected component of exchanges that has a cycle, with a shortest one."""
    ways = _ways(topology)
    for component in _components(ways):
        start = min(component)
        if len(component) > 1 or start in ways[start]:
            path = " → ".join(exchange_title(name) for name in [*_cycle(ways, start), start])
            yield Finding("exchange-loop", exchange_title(start), f"{path}: a message passes each of them once")


def _components(ways: Mapping[str, Iterable[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components of a graph by Kosaraju's algorithm."""
    back: dict[str, list[str]] = {name: [] for name in ways}
    for name, targets in ways.items():
        for target in targets:
            back[target].append(name)
    seen: set[str] = set()
    finished: list[str] = []
    for start in ways:
        # Depth first, without recursion: a node is finished when its iterator of targets is at its end.
        stack = [] if start in seen else [(start, iter(sorted(ways[start])))]
        seen.add(start)
        while stack:
            name, targets_left = stack[-1]
            unseen = next((other for other in targets_left if other not in seen), None)
            if unseen is None:
                finished.append(name)
                stack.pop()
            else:
                seen.add(unseen)
                stack.append((unseen, iter(sorted(ways[unseen]))))
    left = set(ways)
    for name in reversed(finished):
        if name in left:
            component = _reached(back, [name], left)
            left -= component
            yield component


def _cycle(ways: Mapping[str, Iterable[str]], start: str) -> list[str]:
    """Return a shortest path from an exchange back to itself, without its end."""
    before: dict[str, str] = {}
    level = [start]
    while level:
        following = []
        for name in level:
            for target in sorted(ways[name]):
                if target == start:
                    path = [name]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                if target not in before:
                    before[target] = name
                    following.append(target)
        level = following
    return [start]


def _contained(topology: Topology) -> tuple[list[Finding], int]:
    groups: dict[tuple[str, str, str], list[Binding]] = {}
    for binding in topology.bindings:
        groups.setdefault((binding.source, binding.destination_type, binding.destination), []).append(binding)
    findings: list[Finding] = []
    not_compared = 0
    for group in groups.values():
        if len(group) < 2:
            continue
        first: dict[object, Binding] = {}
        for binding in group:
            key = (_key(topology, binding), tuple(sorted((name, repr(v)) for name, v in binding.arguments.items())))
            if key in first:
                findings.append(Finding("duplicate-binding", _shown(topology, binding), "the same binding is there"))
            else:
                first[key] = binding
        if len(first) > MAX_COMPARED:
            not_compared += len(first)
            continue
        findings += _pairs(topology, list(first.values()))
    return findings, not_compared


def _pairs(topology: Topology, bindings: list[Binding]) -> Iterator[Finding]:
    for place, inner in enumerate(bindings):
        for other, outer in enumerate(bindings):
            # Of two that contain each other, the later one is reported.
            if outer is inner or not contains(topology, outer, inner):
                continue
            if place < other and contains(topology, inner, outer):
                continue
            reason = f"{binding_label(topology, outer) or 'another binding'} takes all of its messages"
            yield Finding("contained-binding", _shown(topology, inner), reason)
            break


def _key(topology: Topology, binding: Binding) -> str:
    """Return the binding's key where it counts."""
    ignores = topology.exchange_by_name[binding.source].type in ("headers", *TAKING_ALL)
    return "" if ignores else binding.key


def _never_matching(topology: Topology) -> Iterator[Finding]:
    for binding in topology.bindings:
        if topology.exchange_by_name[binding.source].type == "headers":
            match = topology.headers(binding)
            if match.never or (match.any and not match.pairs):
                reason = f"{topology.rules.name} delivers nothing through arguments without a pair to match"
                yield Finding("never-matches", _shown(topology, binding), reason)
                continue
        selector = topology.selector(binding)
        why = never_true(selector, topology.rules.dialect) if selector else ""
        if why:
            yield Finding("never-matches", _shown(topology, binding), why)


@lru_cache(maxsize=4096)
def never_true(selector: str, dialect: str) -> str:
    """Return why no message makes a selector true, by the values of one property; empty where that is not known."""
    rules = find_dialect(dialect)
    tree = parse_selector(selector, rules)
    if tree is None:
        return ""
    if meaning_of(tree, rules).meaning.true.is_empty:
        return "its selector is never true"
    terms = tree.terms if isinstance(tree, ast.And) else ()
    for finding in find_redundancy(tree, rules):
        if isinstance(finding, Contradiction) and any(finding.term is term for term in terms):
            return "conditions of its selector exclude each other"
    return ""


def _dead(topology: Topology, summary: Summary) -> Iterator[Finding]:
    # Messages that an exchange has handed to one of several queues are counted for none of them.
    shared_out = _reached(_ways(topology), choices(topology))
    for binding in topology.bindings:
        if binding.destination_type != "queue" or summary.queues.get(binding.destination, 0):
            continue
        if binding.source in shared_out:
            continue
        yield Finding("dead-binding", _shown(topology, binding), f"{binding.destination} got no message")


def _hot(summary: Summary) -> Iterator[Finding]:
    total = sum(summary.queues.values())
    ranked = sorted(summary.queues.items(), key=lambda item: (-item[1], item[0]))
    for name, count in ranked[:MAX_HOT]:
        if total and count / total >= HOT_SHARE:
            yield Finding("hot-queue", name, f"{count:,} of {total:,} deliveries ({count / total:.0%})")


def _shown(topology: Topology, binding: Binding) -> str:
    label = binding_label(topology, binding)
    ends = f"{exchange_title(binding.source)} → {binding.destination}"
    return f"{ends}: {label}" if label else ends
