"""The path of a message beyond its queues: where each queue sends it when it is rejected, expires or exceeds a limit.

The links of each queue are followed, and the message is routed to their targets as it was published, without the
headers that a broker adds to a dead letter, such as RabbitMQ's ``x-death``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from transpiler.base import html
from transpiler.message.message import Message
from transpiler.reference.conditions import Keys, matches_words
from transpiler.reference.exchange_walk import subject_of
from transpiler.reference.routed import Routed, Traced, arrival, arrive, settle
from transpiler.topology.addressing import TOPIC_KIND
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher
from transpiler.topology.records import Link
from transpiler.topology.targets import OWN_QUEUE, Target

_PUBLISHER = Publisher()


class Step(NamedTuple):
    """A link by which a message leaves a queue, and the routing of the message at the end of the link.

    ``to`` is the exchange, destination or queue to which the link leads; None is another broker. ``traced`` is None if
    the topology does not have the target of the link.
    """

    queue: str
    link: Link
    to: str | None
    traced: Traced | None = None

    @property
    def routed(self) -> Routed:
        """The queues and the outcome that the message reaches after the link."""
        return Routed((), "no-exchange", self.to) if self.traced is None else self.traced.routed

    def __str__(self) -> str:
        text = f"{self.queue}: {self.link.when} → {self._target}"
        if self.to is None:
            return text
        if self.traced is None:
            return f"{text}, which is not there"
        if self.link.destination_type == "queue" or self.routed == Routed((self.to,), "delivered", self.to):
            return text
        is_sent = self.traced.topology.rules.addressing.names_destinations
        key = "" if self.link.key is None or is_sent else f", key {self.link.key!r}"
        return f"{text}{key} → {self.routed.reached}"

    @property
    def _target(self) -> str:
        if self.to is None:
            return "another broker"
        if self.link.destination_type == "exchange" and self.traced is not None:
            return self.traced.topology.rules.addressing.label(self.to)
        return f"{self.link.destination_type} {self.to}"

    def _repr_html_(self) -> str:
        return html.code(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the step as JSON."""
        result: dict[str, Any] = {"queue": self.queue, "kind": self.link.kind, "when": self.link.when}
        result["to"] = None if self.to is None else {self.link.destination_type: self.to}
        return result if self.to is None else result | self.routed.to_dict()


@dataclass(frozen=True, slots=True)
class RoutePath:
    """The queues that a message reaches, and the links from these queues: those of the nearest queues first.

    The links of each queue are followed only once.
    """

    routed: Routed
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "\n".join([self.routed.reached, *(f"  {step}" for step in self.steps)])

    def _repr_html_(self) -> str:
        return html.code(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the path as JSON."""
        return self.routed.to_dict() | {"path": [step.to_dict() for step in self.steps]}


def follow(traced: Traced) -> RoutePath:
    """Return the path of a message, starting at the queues that it has reached."""
    topology, message, routed = traced.topology, traced.message, traced.routed
    first = traced.visits[0].keys if traced.visits else (subject_of(message),)
    links: dict[Target, list[Link]] = {}
    for link in topology.onward:
        if link.source is not None and link.source_type != "exchange":
            links.setdefault(Target(link.source_type, link.source), []).append(link)
    waiting = deque((queue, first, False) for queue in (*routed.queues, *routed.possible_queues))
    seen = {queue for queue, _, _ in waiting}
    steps: list[Step] = []
    while waiting:
        queue, keys, let_go = waiting.popleft()
        for link in _links_from(topology, links, queue, keys, let_go):
            step = _step(topology, message, queue, link, keys)
            steps.append(step)
            if link.destination_type == "queue" and link.pattern is not None:
                # This is a queue that the broker created for the dead letters of an address. Its name is not the
                # destination in the link, so its own links are not followed here.
                continue
            onward = keys if link.key is None else (link.key,)
            for name in (*step.routed.queues, *step.routed.possible_queues):
                if name not in seen:
                    seen.add(name)
                    waiting.append((name, onward, True))
    return RoutePath(routed, tuple(steps))


def _links_from(
    topology: Topology, links: Mapping[Target, list[Link]], queue: str, keys: Keys, let_go: bool
) -> Iterator[Link]:
    """Yield the links of a queue by which a message can leave it.

    ``let_go`` is True if the message has already left an earlier queue; at some brokers it then cannot expire again.
    """
    addressing = topology.rules.addressing
    made = queue not in topology.queue_names
    listed = links.get(Target("queue", queue), ())
    subscribed = [link for link in listed if link.pattern is not None]
    # If no routing key matches the pattern of a link, the keys do not show the topic of the message, so it may take the
    # links of all patterns.
    names = [key for key in keys if key is not None]
    of_key = [_of_queue(link, name) for name in names for link in _of_key(topology, subscribed, name)] or subscribed
    plain = (link for link in listed if link.pattern is None)
    own = _links_of_own(topology, links, addressing.queue_key(queue), let_go) if made else ()
    for link in (*plain, *of_key, *own):
        if addressing.expires_again or not (let_go and link.kind == "expiry"):
            yield link


def _links_of_own(topology: Topology, links: Mapping[Target, list[Link]], key: str, let_go: bool) -> Iterator[Link]:
    """Yield the links of the queue that the broker created for the destination with the routing key ``key``.

    ``let_go`` is True if the message has already left an earlier queue.
    """
    for link in _of_key(topology, links.get(OWN_QUEUE, ()), key):
        # Some brokers create a queue for the dead letters of each queue, with a name derived from that queue's name.
        # The chain stops after the first such queue, because the names would grow forever.
        endless = let_go and link.affixes is not None
        stays = link.key == key and link.destination != TOPIC_KIND
        if not endless and not stays and link.destination_type != "outcome":
            yield _of_queue(link, key)


def _of_key(topology: Topology, links: Iterable[Link], key: str) -> Iterator[Link]:
    """Yield, for each kind of link, the links whose pattern is the first that matches the routing key ``key``."""
    topic = topology.rules.topic
    patterns: dict[str, str | None] = {}
    for link in links:
        is_match = matches_words(topic.pattern(link.pattern or ""), topic.words(key))
        if is_match and patterns.setdefault(link.kind, link.pattern) == link.pattern:
            yield link


def _of_queue(link: Link, key: str) -> Link:
    """Return ``link`` with the destination or key that the broker derives from ``key``, the name of a queue or topic.

    The broker puts a prefix and a suffix (``link.affixes``) around ``key``. If ``link`` has none, return it unchanged.
    """
    if link.affixes is None:
        return link
    name = key.join(link.affixes)
    return replace(link, destination=name) if link.destination_type == "queue" else replace(link, key=name)


def _step(topology: Topology, message: Message, queue: str, link: Link, keys: Keys) -> Step:
    name = link.destination
    if name is None:
        return Step(queue, link, None)
    if link.destination_type == "queue":
        there = name in topology.queue_names or link.pattern is not None
        routed = Routed((name,), "delivered", name)
        return Step(queue, link, name, Traced(routed, message, topology) if there else None)
    exchange = topology.exchange_by_name.get(name)
    if exchange is None:
        return Step(queue, link, name)
    # The broker itself can send to an internal exchange, and has no publisher to whom it could return the message.
    open_exchange = replace(exchange, internal=False, unroutable="discard")
    come = topology, message, open_exchange, keys if link.key is None else (link.key,), _PUBLISHER
    if exchange.entered is None:
        return Step(queue, link, name, arrive(*come))
    to = topology.rules.addressing.destination(exchange.entered, link.key or "")
    return Step(queue, link, to, settle(topology, message, to, [arrival(*come)]))
