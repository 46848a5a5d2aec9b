"""Compare two topologies without data: what was added, removed and changed, and messages routed differently."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

from transpiler.base import html
from transpiler.base.arguments import check_count, unexpected
from transpiler.base.diagnostics import first_of
from transpiler.tools.dialect_tools.diff.name_matching import Names
from transpiler.tools.dialect_tools.diff.rerouted import Rerouted, Search
from transpiler.tools.topology_report.labels import binding_label
from transpiler.topology.addressing import SUBSCRIBERS
from transpiler.topology.binding_text import arguments_text, ends_text, key_and_arguments
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.exchange_types import UNKNOWN
from transpiler.topology.model import Topology, check_topology
from transpiler.topology.records import ROUTING_TYPE_ARGUMENT, Binding, Exchange, Link, Queue
from transpiler.topology.setting import LOSS, Setting

#: Version number of the JSON that ``TopologyDiff.to_dict`` returns.
VERSION = 1
#: Maximum number of lines for each kind of change in the text.
MAX_CHANGES = 30
#: ``_MAX_EQUAL`` is the maximum number of equal changes that get a line each. More equal changes share one line, which
#: has their number and the first ``_NAMES`` names.
_MAX_EQUAL, _NAMES = 4, 3

#: The kinds of changes; the first two are for a running broker that is compared with its declared topology.
ChangeKind = Literal["extra", "missing", "added", "removed", "changed"]
_SIGNS: Mapping[ChangeKind, str] = {"extra": "+", "missing": "-", "added": "+", "removed": "-", "changed": "~"}
_OF_RUNNING: Mapping[ChangeKind, ChangeKind] = {"added": "extra", "removed": "missing", "changed": "changed"}


class Change(NamedTuple):
    """A change of an exchange, queue, binding, link or setting: added, removed, or changed in the new topology.

    ``kind`` is ``broker``, ``queue``, ``binding``, ``link``, the broker's word for an exchange, or the element that a
    setting belongs to. ``subject`` identifies the element. ``detail`` states what changed; many elements may have the
    same ``detail``.
    """

    kind: str
    change: ChangeKind
    subject: str
    detail: str = ""

    @property
    def text(self) -> str:
        """The changed element and what changed, in one line."""
        return f"{self.subject}: {self.detail}" if self.subject and self.detail else self.subject or self.detail

    def to_dict(self) -> dict[str, str]:
        """Return the change as an object for JSON."""
        return self._asdict() | {"text": self.text}


@dataclass(frozen=True, slots=True)
class TopologyDiff:
    """The result of comparing two topologies: the changes, and examples of messages that are routed differently.

    ``changes`` affect where a message goes, at once or later. ``settings`` are changes that do not, such as changes of
    limits. ``not_computed`` are sentences on features that affect messages but are not compared. If the new topology is
    that of a running broker, ``running`` are sentences on what is known about the broker.
    """

    changes: tuple[Change, ...]
    examples: tuple[Rerouted, ...]
    tried: int
    settings: tuple[Change, ...] = ()
    not_computed: tuple[str, ...] = ()
    running: tuple[str, ...] = ()

    def of_running(self, notes: Iterable[str]) -> TopologyDiff:
        """Return the same changes, worded for a running broker as the new topology.

        Added elements become ``extra``, and removed elements ``missing``. ``notes`` are sentences on the broker.
        """
        changes, settings = (
            tuple(one._replace(change=_OF_RUNNING.get(one.change, one.change)) for one in listed)
            for listed in (self.changes, self.settings)
        )
        return replace(self, changes=changes, settings=settings, running=tuple(notes))

    @property
    def differs(self) -> bool:
        """True if an element or a setting differs, or a message is routed differently."""
        return bool(self.changes or self.examples or self.settings)

    @property
    def same_routes(self) -> bool:
        """True if nothing differs that affects where a message goes at once or later."""
        return not (self.changes or self.examples)

    def to_dict(self) -> dict[str, Any]:
        """Return the differences of the two topologies as an object for JSON."""
        return {
            "version": VERSION,
            "differs": self.differs,
            "same_routes": self.same_routes,
            "changes": [change.to_dict() for change in self.changes],
            "lines": [line.strip() for line in _listed(self.changes)],
            "settings": [change.to_dict() for change in self.settings],
            "examples": [example.to_dict() for example in self.examples],
            "messages_tried": self.tried,
            "not_computed": [*self.not_computed, *self.running],
        }

    def _repr_html_(self) -> str:
        return html.code(str(self))

    def __str__(self) -> str:
        lines = []
        if self.same_routes:
            lines.append("OLD and NEW have the same routes.")
        else:
            legend = ": - is missing on the broker, + is extra there" if self.running else ""
            lines += [_counted(len(self.changes), "change") + legend, *_listed(self.changes)]
            if self.examples:
                lines += ["", "Messages that go elsewhere"]
                lines += [f"  {line}" for example in self.examples for line in str(example).splitlines()]
            else:
                lines.append(f"No message was found that goes elsewhere ({self.tried:,} tried).")
        if self.settings:
            differ = "differs, and is" if len(self.settings) == 1 else "differ, and are"
            count = _counted(len(self.settings), "setting")
            lines += ["", f"{count} {differ} not judged: limits, times and the like", *_listed(self.settings)]
        lines += ["", *self.running] if self.running else []
        return "\n".join(lines)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def _listed(changes: Iterable[Change]) -> Iterator[str]:
    """Yield the text lines of ``changes``; many equal changes share one line with their number."""
    for (kind, change), group in itertools.groupby(changes, key=lambda one: (one.kind, one.change)):
        by_detail: dict[tuple[str, str, str], list[Change]] = {}
        for one in group:
            # For a binding, ``subject`` is ``exchange -> queue``, and changes of one exchange form a group. Other
            # elements are grouped by the text of the change alone, so that many queues with the same change share one
            # line.
            source, arrow, end = one.subject.partition(" -> ")
            # Group links by their target, because many queues may link to the same dead-letter exchange.
            shared = ("", end) if arrow and kind == "link" else (source if arrow else "", "")
            by_detail.setdefault((*shared, one.detail), []).append(one)
        lines = []
        for (source, end, detail), listed in by_detail.items():
            if len(listed) <= (_MAX_EQUAL if detail else MAX_CHANGES):
                lines += [one.text for one in listed]
                continue
            subjects = (one.subject.removeprefix(f"{source} -> ").removesuffix(f" -> {end}") for one in listed)
            subject = f"{len(listed):,} of them ({first_of(subjects, _NAMES)})"
            subject = f"{source} -> {subject}" if source else f"{subject} -> {end}" if end else subject
            lines.append(subject + (f": {detail}" if detail else ""))
        yield from (f"  {_SIGNS[change]} {kind:8}  {line}" for line in lines[:MAX_CHANGES])
        if len(lines) > MAX_CHANGES:
            yield f"    and {len(lines) - MAX_CHANGES:,} more"


_OTHERS = Change("broker", "changed", "", "what sends create, what the broker refuses, or the order of its addresses")


def diff_topologies(
    old: Topology, new: Topology, *, examples: int = 5, names: Mapping[str, str] | None = None
) -> TopologyDiff:
    """Compare two topologies.

    Args:
        old: The present topology.
        new: The future topology.
        examples: Maximum number of example messages. Each example shows a difference that no earlier example shows.
        names: New name for each exchange or queue of the old topology that has another name in the new one.
    """
    check_topology(old, "old")
    check_topology(new, "new")
    check_count("examples", examples, "messages")
    if names is not None and not (isinstance(names, Mapping) and all(isinstance(to, str) for to in names.values())):
        raise unexpected("names", "names of the old topology with those of the new one", names)
    matched = Names(old, new, names or {})
    displayed = matched.renamed(addresses_of(old, matching=False), addresses_of(new, matching=False))
    settings = [*_setting_changes(old, new, matched)]
    changes = [*_changes(*map(matched.plain, displayed)), *(change for change, is_judged in settings if is_judged)]
    differs = old != new
    if not changes and old.displayed is not None and _parts(old) != _parts(new):
        # The compared elements are equal, but another part of the topologies differs, for example a default of the
        # broker for which the file has no setting. Report this as one general change.
        changes = [_OTHERS]
    search = Search(*displayed, (old, new), matched)
    messages = search.examples(examples) if differs else []
    others = tuple(change for change, is_judged in settings if not is_judged)
    not_computed = dict.fromkeys((*old.not_computed, *new.not_computed))
    if not (old.knows_subscribers and new.knows_subscribers):
        not_computed[SUBSCRIBERS] = None
    return TopologyDiff(tuple(changes), tuple(messages), search.tried, others, tuple(not_computed))


def _is_compared(setting: Setting) -> bool:
    """Return True if ``setting`` is compared as a setting. Notes on lost messages and links are compared elsewhere."""
    return setting.kind != LOSS and not setting.linked


def _setting_changes(old: Topology, new: Topology, names: Names) -> Iterator[tuple[Change, bool]]:
    """Yield the settings that differ, each with True if the setting may change the outcome of a send.

    Settings of a queue or exchange that only one topology has are skipped.
    """
    if old.rules.addressing != new.rules.addressing:
        return
    # A setting of a queue that is also an argument of the queue is skipped here, because the arguments are already
    # compared with the queue.
    compared = {(queue.name, name) for queue in new.queues for name in queue.arguments}
    there = {"queue": (old.queue_names, new.queue_names), "exchange": (old.exchange_by_name, new.exchange_by_name)}
    before = {_part_of(one, names.of(one.of)): one for one in old.settings if _is_compared(one)}
    after = {_part_of(one, one.of): one for one in new.settings if _is_compared(one)}
    for part in dict.fromkeys((*before, *after)):
        was, now = before.get(part), after.get(part)
        if (was and was.value) == (now and now.value):
            continue
        one = now or was
        assert one is not None
        if one.kind in there:
            sides = there[one.kind]
            if one.of not in sides[1] or not any(names.of(name) == one.of for name in sides[0]):
                continue
            if one.kind == "queue" and (one.of, one.name) in compared:
                continue
        values = [side.value if side is not None else "none" for side in (now, was)]
        detail = f"{one.name} {values[0]}, was {values[1]}".strip()
        yield Change(one.kind, "changed", one.of, detail), one.judged


def _part_of(setting: Setting, of: str) -> tuple[str, str, str]:
    return setting.kind, of, setting.name


def _parts(topology: Topology) -> tuple[frozenset[object], ...]:
    return frozenset(topology.exchanges), frozenset(topology.bindings), frozenset(topology.links)


def _changes(old: Topology, new: Topology) -> Iterator[Change]:
    if old.rules.name != new.rules.name:
        yield Change("broker", "changed", "", f"{new.broker}, was {old.broker}")
    yield from _by_name(new.rules.addressing.nouns[0], _exchanges(old), _exchanges(new))
    yield from _by_name("queue", {one.name: one for one in old.queues}, {one.name: one for one in new.queues})
    yield from _binding_changes(old, new)
    yield from _link_changes(old, new)


def _exchanges(topology: Topology) -> dict[str, Exchange]:
    """Return the exchanges of ``topology`` by name.

    For a JMS broker, the exchanges are addresses, and all get the type UNKNOWN. The type of an address depends on which
    queues the file names, so a comparison of the types would report differences that do not exist.
    """
    if topology.rules.addressing.has_exchanges:
        return {one.name: one for one in topology.exchanges}
    return {one.name: replace(one, type=UNKNOWN) for one in topology.exchanges}


def _link_changes(old: Topology, new: Topology) -> Iterator[Change]:
    links = [dict.fromkeys(map(_link_texts, topology.links)) for topology in (old, new)]
    yield from (Change("link", "removed", *texts) for texts in links[0] if texts not in links[1])
    yield from (Change("link", "added", *texts) for texts in links[1] if texts not in links[0])


def _link_texts(link: Link) -> tuple[str, str]:
    key = "" if link.key is None or link.destination_type == "queue" else f", key {link.key!r}"
    source, target = ("another broker" if end is None else end for end in (link.source, link.destination))
    return f"{source} -> {target}", f"{link.kind}, {link.when}{key}"


def _binding_changes(old: Topology, new: Topology) -> Iterator[Change]:
    """Yield the bindings that were added, removed or changed.

    If one binding was removed and one added between the same source and destination, this is one change.
    """
    kept = set(old.bindings) & set(new.bindings)
    removed, added = (
        [binding for binding in dict.fromkeys(topology.bindings) if binding not in kept] for topology in (old, new)
    )
    counts = [Counter(map(_edge, bindings)) for bindings in (removed, added)]
    single = {edge for edge, count in counts[0].items() if count == 1 and counts[1][edge] == 1}
    before = {_edge(binding): binding for binding in removed}
    for binding in removed:
        if _edge(binding) not in single:
            yield Change("binding", "removed", *_binding_texts(old, binding))
    for binding in added:
        if _edge(binding) not in single:
            yield Change("binding", "added", *_binding_texts(new, binding))
    for binding in added:
        if _edge(binding) in single:
            detail = f"{_label(new, binding)}, was {_label(old, before[_edge(binding)])}"
            yield Change("binding", "changed", _edge_text(new, binding), detail)


def _edge(binding: Binding) -> tuple[str, str, str]:
    return binding.source, binding.destination_type, binding.destination


def _by_name(kind: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    for name in old:
        if name not in new:
            yield Change(kind, "removed", name)
    for name in new:
        if name not in old:
            yield Change(kind, "added", name)
    for name, item in new.items():
        if name in old and item != old[name]:
            yield Change(kind, "changed", name, _settings(old[name], item))


def _settings(old: Queue | Exchange, new: Queue | Exchange) -> str:
    parts = []
    for setting in fields(new):
        before, after = getattr(old, setting.name), getattr(new, setting.name)
        if setting.compare and before != after:
            parts.append(f"{setting.name} {_setting(after)}, was {_setting(before)}")
    return "; ".join(parts)


def _setting(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            return arguments_text(value) or "none"
        case _:
            return str(getattr(value, "name", value))


def _binding_texts(topology: Topology, binding: Binding) -> tuple[str, str]:
    return _edge_text(topology, binding), _label(topology, binding) if binding.key or binding.arguments else ""


def _edge_text(topology: Topology, binding: Binding) -> str:
    return ends_text(binding, topology.rules.addressing.nouns[0])


def _label(topology: Topology, binding: Binding) -> str:
    """Return the text of the binding key and the arguments of ``binding``."""
    if not topology.rules.addressing.has_exchanges:
        routing_type, label = binding.text(ROUTING_TYPE_ARGUMENT), binding_label(topology, binding) or "every message"
        return label if routing_type is None else f"{routing_type.lower()} | {label}"
    return key_and_arguments(binding)
