"""Messages that two topologies route differently: to other queues, or from these queues to another next destination.

Messages are made from the differences: the keys that a binding key matches or nearly matches, the headers that its
arguments require, and messages on which the selectors of two bindings differ. The reference router routes each message.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from transpiler.language.conditions import without_key
from transpiler.message.message import Message, plain_message
from transpiler.message.sections import Properties
from transpiler.reference.route import trace
from transpiler.reference.route_path import follow
from transpiler.tools.analysis.building import Conditions
from transpiler.tools.analysis.formula import NEVER
from transpiler.tools.analysis.samples import topic_keys
from transpiler.tools.analysis.solve import Found, Solver
from transpiler.tools.analysis.subsumption import parting_message
from transpiler.tools.dialect_tools.diff.name_matching import Names
from transpiler.topology.addressing import RoutingType
from transpiler.topology.displayed_addresses import sample_address
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.graph import Node, reached, reverse, routes, successors
from transpiler.topology.model import Topology
from transpiler.topology.receivers import PublishSettings
from transpiler.topology.records import DEFAULT_EXCHANGE, Binding

#: ``_BINDINGS`` is the maximum number of bindings from which messages are made. ``_TESTS`` is the maximum number of
#: evaluations of bindings for these messages.
_BINDINGS, _TESTS = 300, 3_000_000
#: Each binding is compared with at most this many others that have the same source and destination.
_COUNTERPARTS = 5
#: Clients cannot publish to an internal exchange, so a message must reach it through other exchanges or linked queues.
#: ``_ENTRANCES`` is the maximum number of such exchanges, and of such queues. ``_KEYS_BEFORE`` is the maximum number of
#: binding keys of these exchanges from which routing keys are made.
_ENTRANCES, _KEYS_BEFORE = 3, 12
#: Maximum number of queues, and of onward links, in the text of an example, for each topology.
_MAX_QUEUES, _MAX_NEXT = 8, 3


@dataclass(frozen=True, slots=True)
class Rerouted:
    """A message that two topologies route to different queues, or that these queues forward differently.

    ``key`` is the routing key, which is also the message's subject unless ``message`` sets another one. ``old`` and
    ``new`` are the queues reached in the two topologies. ``next_of_old`` and ``next_of_new`` are the steps onward from
    the queues (such as dead-lettering) that only one topology takes. All names are those of the new topology.
    """

    exchange: str
    key: str
    message: Message
    old: tuple[str, ...]
    new: tuple[str, ...]
    #: True if ``exchange`` is a destination of a JMS broker, to which messages are sent without a routing key.
    sent: bool = False
    #: The routing type of a message to Artemis; None if the message has none.
    routing_type: RoutingType | None = None
    next_of_old: tuple[str, ...] = ()
    next_of_new: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the message, and where the two topologies route it, as an object for JSON."""
        result: dict[str, Any] = {
            "exchange": self.exchange,
            **({"routing_type": self.routing_type} if self.sent else {"routing_key": self.key}),
            "message": self._plain(),
            "old": list(self.old),
            "new": list(self.new),
        }
        if self.next_of_old or self.next_of_new:
            result |= {"next_of_old": list(self.next_of_old), "next_of_new": list(self.next_of_new)}
        return result

    def _plain(self) -> dict[str, Any]:
        properties = self.message.properties
        if properties is None or properties.subject != self.key:
            return plain_message(self.message)
        # Omit the subject of the message, because it repeats the routing key, which is printed already.
        return plain_message(replace(self.message, properties=replace(properties, subject=None)))

    def __str__(self) -> str:
        to = f"to {self.exchange or 'the default exchange'}"
        if not self.sent:
            to += f" with key {self.key!r}"
        elif self.routing_type is not None:
            to += f" as {self.routing_type}"
        message = self._plain()
        lines = [f"{to}: {json.dumps(message, ensure_ascii=False)}" if message else to]
        sides = (("OLD", self.old, self.next_of_old), ("NEW", self.new, self.next_of_new))
        common = {*self.old} & {*self.new}
        for name, queues, next_ in sides:
            # If there are too many queues to list, put the queues that only one topology reaches first.
            shown = queues if len(queues) <= _MAX_QUEUES else sorted(queues, key=lambda queue: queue in common)
            more = f" and {len(shown) - _MAX_QUEUES:,} more" if len(shown) > _MAX_QUEUES else ""
            lines.append(f"  {name}  {', '.join(shown[:_MAX_QUEUES]) or 'no queue'}{more}")
            lines += [f"       {step}" for step in next_[:_MAX_NEXT]]
            if len(next_) > _MAX_NEXT:
                lines.append(f"       and {len(next_) - _MAX_NEXT:,} more ways on")
        return "\n".join(lines)


@dataclass(frozen=True)
class _Answer:
    """A description of where a message goes in one topology, as comparable texts.

    It lists the queues that the message reaches, marked if the message only possibly reaches them, and the steps from a
    queue to other queues, such as dead-lettering.
    """

    queues: tuple[str, ...]
    steps: frozenset[str]


class Search:
    """A search for messages that two topologies route differently.

    Messages are made from the bindings of ``old`` and ``new``, the displayed topologies, and routed by the two
    topologies in ``routed``. ``names`` translates names. For a JMS broker, equal bindings of both topologies are tried
    last: only a different setting can route their messages differently.
    """

    def __init__(self, old: Topology, new: Topology, routed: tuple[Topology, Topology], names: Names) -> None:
        self.old, self.new, self._routed, self._names = old, new, routed, names
        self.tried = 0
        self._each = max(1, max(len(old.bindings), len(new.bindings)))
        self._back = [reverse(successors(topology, routes(topology))) for topology in (old, new)]

    def examples(self, most: int) -> list[Rerouted]:
        """Return at most ``most`` messages that are routed differently; each shows another difference."""
        examples: list[Rerouted] = []
        shown: set[tuple[str, bool]] = set()
        seen: set[str] = set()
        sent = self.new.rules.addressing.names_destinations
        for exchange, key, message in self._publications():
            to = sample_address(self.new, exchange)
            for (old_to, old_type), (new_to, new_type) in self._names.sends(to):
                identity = f"{to}\0{key}\0{message}\0{old_to}\0{new_to}\0{new_type}"
                if identity in seen:
                    continue
                if len(examples) >= most or self.tried * self._each > _TESTS:
                    return examples
                seen.add(identity)
                self.tried += 1
                old = self._reached(self._routed[0], message, old_to, key, old_type, renamed=True)
                new = self._reached(self._routed[1], message, new_to, key, new_type)
                parting = {(queue, queue in new.queues) for queue in {*old.queues} ^ {*new.queues}}
                parting |= {(step, step in new.steps) for step in old.steps ^ new.steps}
                if parting - shown:
                    shown |= parting
                    next_ = (tuple(sorted(old.steps - new.steps)), tuple(sorted(new.steps - old.steps)))
                    one = Rerouted(new_to, key, message, old.queues, new.queues, sent, new_type, *next_)
                    examples.append(one)
        return examples

    def _reached(
        self,
        topology: Topology,
        message: Message,
        exchange: str,
        key: str,
        routing_type: RoutingType | None,
        *,
        renamed: bool = False,
    ) -> _Answer:
        """Return the queues that ``message`` reaches or may reach in ``topology``, and its next steps from there.

        If ``renamed``, ``topology`` is OLD, and the names of queues are translated to names of NEW.
        """
        keys = None if topology.rules.addressing.names_destinations else (key,)
        traced = trace(topology, message, exchange, keys, PublishSettings(routing_type=routing_type))
        name = self._names.of if renamed else str
        routed = traced.routed
        queues = (*map(name, routed.queues), *(f"{name(queue)} (possible)" for queue in routed.possible_queues))
        if not topology.onward:
            return _Answer(tuple(sorted(queues)), frozenset())
        steps = []
        for step in follow(traced).steps:
            ends = [] if step.traced is None else [*step.routed.queues, *step.routed.possible_queues]
            target = ", ".join(map(name, ends)) or ("another broker" if step.to is None else "no queue")
            steps.append(f"{name(step.queue)}: {step.link.when} → {target}")
        return _Answer(tuple(sorted(queues)), frozenset(steps))

    def _publications(self) -> Iterator[tuple[str, str, Message]]:
        kept = set(self.old.bindings) & set(self.new.bindings) if self.old.rules == self.new.rules else set()
        sides = ((self.old, self.new, self._back[0]), (self.new, self.old, self._back[1]))
        for topology, other, back in sides:
            tried = [binding for binding in dict.fromkeys(topology.bindings) if binding not in kept]
            if not topology.rules.addressing.has_exchanges:
                tried += [binding for binding in topology.bindings if binding in kept]
            for binding in tried[:_BINDINGS]:
                yield from self._of_binding(topology, other, binding, back)
        for name in dict.fromkeys((*self.old.exchange_by_name, *self.new.exchange_by_name)):
            before, after = self.old.exchange_by_name.get(name), self.new.exchange_by_name.get(name)
            if before != after:
                # For each exchange that changed, try a message for each of its bindings, and a message that no binding
                # accepts: only this message goes to the alternate exchange.
                bindings = (*self.old.bindings_by_source.get(name, ()), *self.new.bindings_by_source.get(name, ()))
                topic = self.new.rules.topic
                keys = (key for one in bindings[:20] for key in topic_keys(topic.pattern(one.key)))
                for key in dict.fromkeys(("nowhere", *keys)):
                    yield name, key, _with_subject(Message(), key)
        if self.new.rules.addressing.may_name("nowhere", ()):
            yield "nowhere", "", Message()
        for queue in self._queues_of_links():
            yield self._to_queue(queue, Message())
        for queue in sorted(self.old.queue_names ^ self.new.queue_names):
            yield self._to_queue(queue, Message())

    def _to_queue(self, queue: str, message: Message) -> tuple[str, str, Message]:
        if self.new.rules.addressing.names_destinations:
            return queue, "", message
        return DEFAULT_EXCHANGE, queue, _with_subject(message, queue)

    def _queues_of_links(self) -> list[str]:
        """Return the queues that have a link, such as dead-lettering, in only one of the two topologies."""
        sides = [{(link.source, link) for link in topology.onward} for topology in (self.old, self.new)]
        return sorted({source for source, link in sides[0] ^ sides[1] if source and link.source_type == "queue"})

    def _of_binding(
        self, topology: Topology, other: Topology, binding: Binding, back: dict[Node, set[Node]]
    ) -> Iterator[tuple[str, str, Message]]:
        twins = [
            one
            for one in other.bindings_by_source.get(binding.source, ())
            # If the rules of the topologies differ, equal bindings may accept different messages.
            if one.destination == binding.destination and (one != binding or topology.rules != other.rules)
        ][:_COUNTERPARTS]
        is_topic = topology.exchange_by_name[binding.source].kind.key is KeyTest.WORDS
        keys = [binding.key, *(one.key for one in twins)]
        if is_topic:
            keys = [key for pattern in keys for key in topic_keys(topology.rules.topic.pattern(pattern))]
        messages = [*_messages(topology, binding, [(other, one) for one in twins])]
        entrances, before, queues = _entrances(topology, binding.source, back)
        for exchange in entrances:
            for key, message in itertools.product(dict.fromkeys((*keys, *before)), messages):
                yield exchange, key, _with_subject(message, key)
        yield from (self._to_queue(queue, message) for queue in queues for message in messages)


class _Entrances(NamedTuple):
    """Ways by which a message can reach an exchange.

    They are exchanges and routing keys to publish with, and queues that have a link to the exchange.
    """

    exchanges: list[str]
    keys: list[str]
    queues: list[str]


def _entrances(topology: Topology, name: str, back: dict[Node, set[Node]]) -> _Entrances:
    """Return where a message must be sent to reach the exchange ``name``.

    Clients publish to the exchange directly, unless it is internal. Then the result names the exchanges and queues that
    lead to it. ``back`` maps each node to the nodes that route messages to it.
    """
    if not topology.exchange_by_name[name].internal:
        return _Entrances([name], [], [])
    inner: set[Node] = reached(back, [("exchange", name)])
    leading = [one for one in topology.exchange_by_name.values() if ("exchange", one.name) in inner]
    links = (link for link in topology.onward if link.source_type == "queue" and link.ends[-1] in inner)
    queues = [*dict.fromkeys(link.source for link in links if link.source is not None)][:_ENTRANCES]
    ends: list[Node] = [("queue", queue) for queue in queues]
    before: set[Node] = reached(back, ends)
    leading += [one for one in topology.exchange_by_name.values() if ("exchange", one.name) in before]
    exchanges = [*dict.fromkeys(one.name for one in leading if not one.internal and one.name)][:_ENTRANCES]
    bindings = (one for source in leading for one in topology.bindings_by_source.get(source.name, ()))
    patterns = dict.fromkeys(one.key for one in bindings if (one.destination_type, one.destination) in inner | before)
    topic = topology.rules.topic
    keys = [key for one in [*filter(None, patterns)][:_KEYS_BEFORE] for key in topic_keys(topic.pattern(one))[:2]]
    return _Entrances(exchanges, keys, queues)


def _with_subject(message: Message, key: str) -> Message:
    properties = message.properties or Properties()
    if properties.subject is not None or not key:
        return message
    return replace(message, properties=replace(properties, subject=key))


def _messages(topology: Topology, binding: Binding, others: list[tuple[Topology, Binding]]) -> Iterator[Message]:
    """Yield messages that ``binding`` accepts, and messages on which it differs from one of ``others``.

    A message of the second kind is accepted by only one of the two bindings.
    """
    conditions = Conditions()
    formulas = [conditions.formula(without_key(where.condition(one))) for where, one in ((topology, binding), *others)]
    solver = Solver(conditions)
    for other in (NEVER, *formulas[1:]):
        for selecting, refusing in ((formulas[0], other), (other, formulas[0])):
            found = parting_message(solver, selecting, refusing)
            if isinstance(found, Found) and not found.rare:
                yield found.message
    yield Message()
