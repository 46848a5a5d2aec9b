"""Compare two topologies without data: what was added, removed and changed, and messages that go elsewhere.

Messages are made from what differs: the keys that a binding key matches and near ones, the headers that its arguments
require, and messages on which the selectors of two bindings part. The reference router says where each goes.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

from transpiler.message.message import Message, Properties, plain_message
from transpiler.message.types import AmqpValue
from transpiler.reference.route import publish
from transpiler.tools.analysis.binding_conditions import binding_formula
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.formula import NEVER
from transpiler.tools.analysis.samples import topic_keys
from transpiler.tools.analysis.solve import Found, Solver
from transpiler.tools.analysis.subsumption import parting_message
from transpiler.tools.topology_report.labels import binding_label
from transpiler.topology.broker_rules import Destinations
from transpiler.topology.destinations import ROUTING_TYPES, RoutingType
from transpiler.topology.model import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding, Exchange, Link, Queue, Topology
from transpiler.topology.shown_addresses import addresses_of, sample_address

#: Changes of one kind in the text.
MAX_CHANGES = 30
#: Bindings from which messages are made, and tests of bindings by the messages.
_BINDINGS, _TESTS = 300, 3_000_000
#: Bindings with one source and destination whose conditions are told apart.
_COUNTERPARTS = 5

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


class Change(NamedTuple):
    """A part of a topology that only one of the two has, or that has other settings in the new one.

    ``kind`` is ``broker``, ``queue``, ``binding``, ``link``, ``settings`` or what the broker calls an exchange.
    """

    kind: str
    change: Literal["added", "removed", "changed"]
    text: str


@dataclass(frozen=True, slots=True)
class Rerouted:
    """A message that goes to other queues; ``key`` is its routing key, and its subject where it has none."""

    exchange: str
    key: str
    message: Message
    old: tuple[str, ...]
    new: tuple[str, ...]
    #: ``exchange`` is a destination of a JMS broker, and there is no key.
    sent: bool = False
    #: The routing type of a message to Artemis.
    routing_type: RoutingType | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "exchange": self.exchange,
            **({"routing_type": self.routing_type} if self.sent else {"routing_key": self.key}),
            "message": self._plain(),
            "old": list(self.old),
            "new": list(self.new),
        }

    def _plain(self) -> dict[str, Any]:
        properties = self.message.properties
        if properties is None or properties.subject != self.key:
            return plain_message(self.message)
        # The key says it already.
        return plain_message(replace(self.message, properties=replace(properties, subject=None)))

    def __str__(self) -> str:
        to = f"to {self.exchange or 'the default exchange'}"
        if not self.sent:
            to += f" with key {self.key!r}"
        elif self.routing_type is not None:
            to += f" as {self.routing_type}"
        message = self._plain()
        lines = [f"{to}: {json.dumps(message, ensure_ascii=False)}" if message else to]
        for name, queues in (("OLD", self.old), ("NEW", self.new)):
            lines.append(f"  {name}  {', '.join(queues) or 'no queue'}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class TopologyDiff:
    """The changes of a topology, examples of messages that go elsewhere, and the number of messages tried."""

    changes: tuple[Change, ...]
    examples: tuple[Rerouted, ...]
    tried: int

    @property
    def differs(self) -> bool:
        """True if a part differs, or a message goes elsewhere."""
        return bool(self.changes or self.examples)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "differs": self.differs,
            "changes": [change._asdict() for change in self.changes],
            "examples": [example.to_dict() for example in self.examples],
            "messages_tried": self.tried,
        }

    def __str__(self) -> str:
        if not self.differs:
            return "OLD and NEW are the same topology."
        count = len(self.changes)
        lines = [f"{count:,} {'change' if count == 1 else 'changes'}"]
        for _, group in itertools.groupby(self.changes, key=lambda change: (change.kind, change.change)):
            listed = list(group)
            lines += [f"  {_SIGNS[one.change]} {one.kind:8}  {one.text}" for one in listed[:MAX_CHANGES]]
            if len(listed) > MAX_CHANGES:
                lines.append(f"    and {len(listed) - MAX_CHANGES:,} more")
        if self.examples:
            lines += ["", "Messages that go elsewhere"]
            lines += [f"  {line}" for example in self.examples for line in str(example).splitlines()]
        else:
            lines.append(f"No message was found that goes elsewhere ({self.tried:,} tried).")
        return "\n".join(lines)


_SETTINGS = Change("settings", "changed", "what sends create or the broker refuses, or the order of its addresses")


def diff_topologies(old: Topology, new: Topology, *, examples: int = 5) -> TopologyDiff:
    """Compare two topologies; up to so many examples, each with a queue that no other one wins or loses."""
    shown = addresses_of(old, matching=False), addresses_of(new, matching=False)
    changes = tuple(_changes(*shown))
    differs = old != new
    if not changes and shown[0] is not old and _parts(old) != _parts(new):
        # The bindings that are shown omit auto-creation, refusals and the order in which addresses are made.
        changes = (_SETTINGS,)
    search = _Search(*shown, (old, new))
    messages = search.examples(examples) if differs else []
    return TopologyDiff(changes, tuple(messages), search.tried)


def _parts(topology: Topology) -> tuple[frozenset[object], ...]:
    return frozenset(topology.exchanges), frozenset(topology.bindings), frozenset(topology.links)


def _changes(old: Topology, new: Topology) -> Iterator[Change]:
    if old.rules.name != new.rules.name:
        yield Change("broker", "changed", f"{new.rules.name}, was {old.rules.name}")
    exchanges = {one.name: one for one in old.exchanges}, {one.name: one for one in new.exchanges}
    yield from _by_name(new.rules.nouns[0], *exchanges)
    yield from _by_name("queue", {one.name: one for one in old.queues}, {one.name: one for one in new.queues})
    yield from _binding_changes(old, new)
    yield from _by_name("link", dict.fromkeys(map(_link_text, old.links)), dict.fromkeys(map(_link_text, new.links)))


def _link_text(link: Link) -> str:
    key = "" if link.key is None else f", key {link.key!r}"
    ends = " -> ".join("another broker" if end is None else end for end in (link.source, link.destination))
    return f"{ends}: {link.kind}, {link.when}{key}"


def _binding_changes(old: Topology, new: Topology) -> Iterator[Change]:
    """Yield the bindings of one side only; one in the place of another between the same two is a change."""
    kept = set(old.bindings) & set(new.bindings)
    removed, added = (
        [binding for binding in dict.fromkeys(topology.bindings) if binding not in kept] for topology in (old, new)
    )
    counts = [Counter(map(_edge, bindings)) for bindings in (removed, added)]
    single = {edge for edge, count in counts[0].items() if count == 1 and counts[1][edge] == 1}
    before = {_edge(binding): binding for binding in removed}
    for binding in removed:
        if _edge(binding) not in single:
            yield Change("binding", "removed", _binding_text(old, binding))
    for binding in added:
        if _edge(binding) not in single:
            yield Change("binding", "added", _binding_text(new, binding))
    for binding in added:
        if _edge(binding) in single:
            text = f"{_edge_text(new, binding)}: {_label(new, binding)}, was {_label(old, before[_edge(binding)])}"
            yield Change("binding", "changed", text)


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
            yield Change(kind, "changed", f"{name}: {_settings(old[name], item)}")


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
            return _arguments_text(value) or "none"
        case _:
            return str(getattr(value, "name", value))


def _binding_text(topology: Topology, binding: Binding) -> str:
    ends = _edge_text(topology, binding)
    return f"{ends}: {_label(topology, binding)}" if binding.key or binding.arguments else ends


def _edge_text(topology: Topology, binding: Binding) -> str:
    kind = f" ({topology.rules.nouns[0]})" if binding.destination_type == "exchange" else ""
    return f"{binding.source} -> {binding.destination}{kind}"


def _label(topology: Topology, binding: Binding) -> str:
    """Return the key and the arguments of a binding."""
    if topology.rules.destinations is not None:
        return binding_label(topology, binding) or "every message"
    parts = [f"key {binding.key!r}"] if binding.key or not binding.arguments else []
    return ", ".join((*parts, *([_arguments_text(binding.arguments)] if binding.arguments else [])))


def _arguments_text(arguments: Any) -> str:
    names = {SELECTOR_ARGUMENT: "selector", XQUERY_ARGUMENT: "xquery"}
    return ", ".join(f"{names.get(name, name)} {_argument(value)}" for name, value in arguments.items())


def _argument(value: AmqpValue) -> str:
    return "without a value" if value.value is None else repr(value.value)


class _Search:
    """A search for messages among the bindings of ``old`` and ``new``, which ``routed`` route.

    Of a JMS broker all bindings are tried, those that differ first: settings decide about messages, too.
    """

    def __init__(self, old: Topology, new: Topology, routed: tuple[Topology, Topology]) -> None:
        self.old, self.new, self._routed = old, new, routed
        self.tried = 0
        self._each = max(1, max(len(old.bindings), len(new.bindings)))

    def examples(self, most: int) -> list[Rerouted]:
        """Return messages that go to other queues."""
        examples: list[Rerouted] = []
        shown: set[tuple[str, bool]] = set()
        seen: set[str] = set()
        sent = self.new.rules.destinations is not None
        types = (*ROUTING_TYPES, None) if self.new.rules.destinations is Destinations.ARTEMIS else (None,)
        for (exchange, key, message), routing_type in itertools.product(self._publications(), types):
            identity = f"{exchange}\0{key}\0{message}\0{routing_type}"
            if identity in seen:
                continue
            if len(examples) >= most or self.tried * self._each > _TESTS:
                break
            seen.add(identity)
            self.tried += 1
            to = sample_address(self.new, exchange) if sent else exchange
            old, new = (_reached(topology, message, to, key, routing_type) for topology in self._routed)
            parting = {(queue, queue in new) for queue in set(old) ^ set(new)}
            if parting - shown:
                shown |= parting
                examples.append(Rerouted(to, key, message, old, new, sent, routing_type))
        return examples

    def _publications(self) -> Iterator[tuple[str, str, Message]]:
        kept = set(self.old.bindings) & set(self.new.bindings) if self.old.rules == self.new.rules else set()
        for topology, other in ((self.old, self.new), (self.new, self.old)):
            tried = [binding for binding in dict.fromkeys(topology.bindings) if binding not in kept]
            if topology.rules.destinations is not None:
                tried += [binding for binding in topology.bindings if binding in kept]
            for binding in tried[:_BINDINGS]:
                yield from self._of_binding(topology, other, binding)
        for name in dict.fromkeys((*self.old.exchange_by_name, *self.new.exchange_by_name)):
            before, after = self.old.exchange_by_name.get(name), self.new.exchange_by_name.get(name)
            if before != after:
                # Of other bindings it has, and of none: what the alternate gets.
                bindings = (*self.old.bindings_by_source.get(name, ()), *self.new.bindings_by_source.get(name, ()))
                for key in dict.fromkeys(("nowhere", *(key for one in bindings[:20] for key in topic_keys(one.key)))):
                    yield name, key, _with_subject(Message(), key)
        if self.new.rules.destinations is not None:
            yield "nowhere", "", Message()
        for queue in sorted(self.old.queue_names ^ self.new.queue_names):
            yield "", queue, _with_subject(Message(), queue)

    def _of_binding(self, topology: Topology, other: Topology, binding: Binding) -> Iterator[tuple[str, str, Message]]:
        twins = [
            one
            for one in other.bindings_by_source.get(binding.source, ())
            if one.destination == binding.destination and one != binding
        ][:_COUNTERPARTS]
        is_topic = topology.exchange_by_name[binding.source].type == "topic"
        keys = [binding.key, *(one.key for one in twins)]
        if is_topic:
            keys = [key for pattern in keys for key in topic_keys(pattern)]
        messages = [*_messages(topology, binding, [(other, one) for one in twins])]
        for exchange in _entrances(topology, binding.source):
            for key, message in itertools.product(dict.fromkeys(keys), messages):
                yield exchange, key, _with_subject(message, key)


def _reached(
    topology: Topology, message: Message, exchange: str, key: str, routing_type: RoutingType | None
) -> tuple[str, ...]:
    """Return the queues that a message reaches, or may reach by what an exchange chooses."""
    keys = (key,) if topology.rules.destinations is None else None
    routed = publish(topology, message, exchange, keys, routing_type=routing_type)
    return tuple(sorted((*routed.queues, *(f"{queue} (possible)" for queue in routed.possible_queues))))


def _entrances(topology: Topology, name: str) -> list[str]:
    """Return the exchange, or where nobody publishes to it the exchanges that are bound to it."""
    exchange = topology.exchange_by_name[name]
    if not exchange.internal:
        return [name]
    sources = (
        one.source for one in topology.bindings if one.destination == name and one.destination_type == "exchange"
    )
    return [source for source in dict.fromkeys(sources) if not topology.exchange_by_name[source].internal]


def _with_subject(message: Message, key: str) -> Message:
    properties = message.properties or Properties()
    if properties.subject is not None or not key:
        return message
    return replace(message, properties=replace(properties, subject=key))


def _messages(topology: Topology, binding: Binding, others: list[tuple[Topology, Binding]]) -> Iterator[Message]:
    """Yield messages that a binding's arguments and selector let through, and those on which others part with it."""
    conditions = Conditions()
    formulas = [
        binding_formula(conditions, where, one, with_key=False) for where, one in ((topology, binding), *others)
    ]
    solver = Solver(conditions)
    for other in (NEVER, *formulas[1:]):
        for selecting, refusing in ((formulas[0], other), (other, formulas[0])):
            found = parting_message(solver, selecting, refusing)
            if isinstance(found, Found) and not found.rare:
                yield found.message
    yield Message()
