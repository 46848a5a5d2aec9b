"""The ways by which messages reach a queue, found backwards from the queue, each with a message that takes the way.

A way begins at an exchange or address to which publishers can send, at another broker, or at a queue that dead-letters
or moves messages. ``analysis`` finds a message that meets the conditions of all steps of a way together, and the
reference router confirms that each reported message takes its way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from transpiler.base.diagnostics import first_of
from transpiler.language.conditions import without_key
from transpiler.message.message import Message, plain_message
from transpiler.reference.route import trace
from transpiler.reference.route_path import follow
from transpiler.reference.routed import Traced
from transpiler.tools.analysis.building import KEY_ANNOTATION, Conditions
from transpiler.tools.analysis.formula import ALWAYS, NEVER, Formula, Junction
from transpiler.tools.analysis.solve import Found, Impossible, Solver
from transpiler.tools.analysis.subsumption import parting_message
from transpiler.tools.topology_report.labels import Finding, binding_label, exchange_title
from transpiler.topology.displayed_addresses import addresses_of, sample_address, with_sufficient_selector
from transpiler.topology.graph import Node, is_node
from transpiler.topology.model import Topology, unknown_name
from transpiler.topology.receivers import PublishSettings
from transpiler.topology.records import DEFAULT_EXCHANGE, ROUTING_TYPE_ARGUMENT, Binding, Exchange, Link

#: Maximum number of ways to one queue that are reported, and of exchanges on one way.
MAX_WAYS, MAX_LENGTH = 500, 12
#: Maximum number of routes to a queue that are tried to find an example message that afterwards leaves this queue along
#: a link, for example as a dead letter.
_MAX_TRIED = 20


class _Step(NamedTuple):
    """A step on a route: the node where it begins, and the binding, alternate of an exchange, or link to follow."""

    source: Node
    by: Binding | Exchange | Link


#: The steps of a way, in the order in which a message takes them.
_Way = tuple[_Step, ...]


class _Sent(NamedTuple):
    """An example message, and where to publish it.

    ``exchange`` is an exchange or destination. ``key`` is the routing key, None for a JMS broker. ``routing_type`` is
    the routing type of Artemis, else None.
    """

    message: Message
    exchange: str
    key: str | None
    routing_type: Any = None

    @property
    def line(self) -> dict[str, Any]:
        """The JSON object of the message, in the form that ``selector-sql route`` reads."""
        line: dict[str, Any] = {"exchange": self.exchange}
        line |= {} if self.key is None else {"routing_key": self.key}
        line |= {} if self.routing_type is None else {"routing_type": self.routing_type}
        return line | plain_message(self.message)


def fills(topology: Topology, queue: str) -> Iterator[Finding]:
    """Yield each way by which messages reach ``queue``, with an example message that takes this way.

    Args:
        topology: The topology; for a JMS broker, the ways are reported in terms of addresses as in the broker's file.
        queue: The name of the queue. Raises ``TopologyError`` if there is no such queue.
    """
    displayed = addresses_of(topology)
    if queue not in displayed.queue_names:
        raise unknown_name("queue", queue, displayed.queue_names, ())
    search = _Search(topology, displayed)
    ways = [*islice(search.ways(("queue", queue)), MAX_WAYS + 1)]
    for way in ways[:MAX_WAYS]:
        sent, reason = search.example(way, queue)
        subject = " → ".join((*(search.title(step) for step in way), queue))
        details = {} if sent is None else {"message": sent.line}
        first = way[0]
        yield Finding("fills", subject, reason, first.source if isinstance(first.by, Exchange) else first.by, details)
    if len(ways) > MAX_WAYS:
        yield Finding("fills", queue, f"only the first {MAX_WAYS} paths into the queue are listed")


class _Search:
    """A search for the ways to a queue.

    ``displayed`` is the topology whose ways are reported; ``topology`` routes the example messages.
    """

    def __init__(self, topology: Topology, displayed: Topology) -> None:
        self._topology, self._displayed = topology, displayed
        self._back: dict[Node, list[_Step]] = {}
        for binding in displayed.bindings:
            step = _Step(("exchange", binding.source), binding)
            self._back.setdefault((binding.destination_type, binding.destination), []).append(step)
        for exchange in displayed.exchange_by_name.values():
            alternate = displayed.alternate(exchange)
            if alternate is not None:
                self._back.setdefault((alternate.type, alternate.name), []).append(
                    _Step(("exchange", exchange.name), exchange)
                )
        for link in displayed.onward:
            if link.destination is not None and is_node(displayed, (link.destination_type, link.destination)):
                source: Node = (link.source_type, link.source or "")
                self._back.setdefault((link.destination_type, link.destination), []).append(_Step(source, link))

    def ways(self, end: Node) -> Iterator[_Way]:
        """Yield the ways to the node ``end``, the shortest first; no way passes a node twice."""
        if end[0] == "queue" and self._displayed.rules.addressing.has_exchanges:
            yield (_Step(("exchange", DEFAULT_EXCHANGE), Binding(DEFAULT_EXCHANGE, end[1], end[1])),)
        level: list[_Way] = [(step,) for step in self._back.get(end, ())]
        for _ in range(MAX_LENGTH):
            following: list[_Way] = []
            for way in level:
                first = way[0]
                if isinstance(first.by, Link):
                    # A way that begins with a link starts at another queue. It ends the search here: the ways by which
                    # messages reach that queue are a question of their own.
                    yield way
                    continue
                if not self._displayed.exchange_by_name[first.source[1]].internal:
                    yield way
                passed = {end, *(step.source for step in way)}
                following += [(step, *way) for step in self._back.get(first.source, ()) if step.source not in passed]
            level = following

    def title(self, step: _Step) -> str:
        """Return the source of ``step`` and its condition, as text."""
        kind, name = step.source
        match step.by:
            case Binding() as binding:
                label = binding_label(self._displayed, binding) if binding.source else binding.key
                return f"{exchange_title(name)} ({label or 'every message'})"
            case Exchange():
                return f"{exchange_title(name)} (otherwise)"
            case Link(source=None, when=when):
                return f"another broker ({when})"
            case Link(when=when, key=key):
                title = exchange_title(name) if kind == "exchange" else name
                with_key = "" if key is None or step.by.destination_type == "queue" else f", key {key!r}"
                via = ""
                if step.by.destination_type == "exchange" and self._displayed.rules.addressing.has_exchanges:
                    via = f", to {exchange_title(step.by.destination or '')}"
                return f"{title} ({when}{via}{with_key})"

    def example(self, way: _Way, queue: str) -> tuple[_Sent | None, str]:
        """Return a message that takes ``way`` to ``queue``, or None if none is found, and a text for users about it."""
        link = way[0].by if isinstance(way[0].by, Link) else None
        if link is None:
            return self._published(way, queue)
        if link.source is None:
            return None, "what another broker sends is not in the file"
        if link.source_type != "queue":
            return None, f"what comes to {exchange_title(link.source)} may come here"
        for before in islice(self.ways(("queue", link.source)), _MAX_TRIED):
            if any(isinstance(step.by, Link) for step in before):
                continue
            sent = self._found((*before, *way))
            if isinstance(sent, _Sent):
                steps = follow(self._traced(sent)).steps
                if any(one.queue == link.source and queue in one.routed.queues for one in steps):
                    return sent, f"{self._words(sent)} comes to {link.source}, and from there when it is {link.when}"
        return None, f"no message is found that {link.source} lets go of this way"

    def _published(self, way: _Way, queue: str) -> tuple[_Sent | None, str]:
        sent = self._found(way)
        if not isinstance(sent, _Sent):
            return None, sent
        routed = self._traced(sent).routed
        if queue in routed.queues:
            return sent, self._words(sent)
        if queue in routed.possible_queues:
            return (
                sent,
                f"perhaps {self._words(sent)}: {first_of(routed.reasons, 2) or 'which queue it is is not known'}",
            )
        return None, "no message is found that takes this way"

    def _found(self, way: _Way) -> _Sent | str:
        """Return a message that meets the conditions of all steps of ``way``; if there is none, the reason as text."""
        conditions = Conditions()
        selecting: list[Formula] = []
        refusing: list[Formula] = []
        keeps_key = True
        for step in way:
            match step.by:
                case Binding() as binding:
                    if binding.source == DEFAULT_EXCHANGE and self._displayed.rules.addressing.has_exchanges:
                        continue
                    narrowed = with_sufficient_selector(self._displayed, binding)
                    if narrowed is None:
                        return f"it depends on what is not known here: {binding_label(self._displayed, binding)}"
                    selecting.append(self._formula(conditions, narrowed, keeps_key))
                    keeps_key = keeps_key and self._displayed.replacement_key(binding) is None
                case Exchange(name=name):
                    bindings = self._displayed.bindings_by_source.get(name, ())
                    refusing += [self._formula(conditions, one, keeps_key) for one in bindings]
                case Link(key=key):
                    keeps_key = keeps_key and key is None
        first = way[0]
        found = parting_message(
            Solver(conditions),
            Junction(False, tuple(selecting)) if selecting else ALWAYS,
            Junction(True, tuple(refusing)) if refusing else NEVER,
        )
        match found:
            case Found(message=message):
                return self._sent(first, message)
            case Impossible():
                return "no message takes this way: the conditions of its steps exclude each other"
            case _:
                return "it is not decided whether a message takes this way"

    def _formula(self, conditions: Conditions, binding: Binding, keeps_key: bool) -> Formula:
        condition = self._displayed.condition(binding)
        return conditions.formula(condition if keeps_key else without_key(condition))

    def _sent(self, first: _Step, message: Message) -> _Sent:
        annotations: Mapping[str, Any] = message.message_annotations or {}
        key = annotations.get(KEY_ANNOTATION.field)
        rest = {name: value for name, value in annotations.items() if name != KEY_ANNOTATION.field}
        message = replace(message, message_annotations=rest or None)
        exchange = first.source[1]
        if not self._displayed.rules.addressing.has_exchanges:
            routing_type = first.by.text(ROUTING_TYPE_ARGUMENT) if isinstance(first.by, Binding) else None
            return _Sent(message, sample_address(self._displayed, exchange), None, routing_type)
        if exchange == DEFAULT_EXCHANGE and isinstance(first.by, Binding):
            return _Sent(message, exchange, first.by.key)
        return _Sent(message, exchange, "" if key is None else str(key.value))

    def _traced(self, sent: _Sent) -> Traced:
        settings = PublishSettings(routing_type=sent.routing_type)
        return trace(self._topology, sent.message, sent.exchange, None if sent.key is None else (sent.key,), settings)

    def _words(self, sent: _Sent) -> str:
        body = plain_message(sent.message)
        parts = [f"key {sent.key!r}"] if sent.key else []
        parts += [f"to {sent.exchange}"] if sent.key is None else []
        parts += [json.dumps(body, ensure_ascii=False)] if body else []
        return ", ".join(parts) or "any message"
