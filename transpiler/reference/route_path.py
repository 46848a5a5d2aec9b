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
from transpiler.topology.records import OF_BROKERS, Link
from transpiler.topology.targets import OWN_QUEUE, Target

_PUBLISHER = Publisher()


class Step(NamedTuple):
    """A link by which a message leaves ``queue``, such as one to a dead-letter exchange, and the route from there.

    ``to`` is the exchange, destination or queue at the end of the link; None for another broker. ``traced`` is the
    route; None if the topology does not contain the end of the link.
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
    """The queues that a message reaches, and one step for each link by which the message can leave a queue.

    Steps from the first queues come first. A queue that several links lead to occurs only once.
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
    """Return the path of a message from the queues that it has reached, by dead-letter and other links."""
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
                # The broker creates this queue for the dead letters of one address. The link contains only a pattern
                # for its name, so its own links cannot be followed.
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
    """Yield the links by which a message with the routing keys ``keys`` can leave ``queue``.

    ``let_go`` is True if the message has already left an earlier queue; some brokers do not let it expire again.
    """
    addressing = topology.rules.addressing
    made = queue not in topology.queue_names
    listed = links.get(Target("queue", queue), ())
    subscribed = [link for link in listed if link.pattern is not None]
    # If no routing key matches a link's pattern, the topic of the message is not known from its keys, so the message
    # may take any of the links.
    names = [key for key in keys if key is not None]
    of_key = [_of_queue(link, name) for name in names for link in _of_key(topology, subscribed, name)] or subscribed
    plain = (link for link in listed if link.pattern is None)
    own = _links_of_own(topology, links, addressing.queue_key(queue), let_go) if made else ()
    for link in (*plain, *of_key, *own):
        if addressing.expires_again or not (let_go and link.kind == "expiry"):
            yield link


def _links_of_own(topology: Topology, links: Mapping[Target, list[Link]], key: str, let_go: bool) -> Iterator[Link]:
    """Yield the links by which a message can leave a queue that the broker creates for a destination.

    ``key`` is the routing key of the destination. ``let_go`` is True if the message has already left an earlier queue.
    """
    for link in _of_key(topology, links.get(OWN_QUEUE, ()), key):
        # Some brokers create a dead-letter queue for each queue, named after it. Without this test, that queue would
        # get a dead-letter queue of its own, and so on without end.
        endless = let_go and link.affixes is not None
        stays = link.key == key and link.destination != TOPIC_KIND
        if not endless and not stays and link.destination_type != "outcome":
            yield _of_queue(link, key)


def _of_key(topology: Topology, links: Iterable[Link], key: str) -> Iterator[Link]:
    """Yield the links whose ``pattern`` matches the routing key ``key``.

    For each kind of link, only the first pattern that matches counts. Several connections to other brokers act on the
    same queue, so among their links only the first pattern counts for each ``when``.
    """
    topic = topology.rules.topic
    patterns: dict[object, str | None] = {}
    for link in links:
        kind = (link.kind, link.when) if link.kind in OF_BROKERS else link.kind
        is_match = matches_words(topic.pattern(link.pattern or ""), topic.words(key))
        if is_match and patterns.setdefault(kind, link.pattern) == link.pattern:
            yield link


def _of_queue(link: Link, key: str) -> Link:
    """Return ``link`` with its destination or routing key completed for ``key``, the name of a queue or topic.

    The completed name is ``key`` between the prefix and the suffix in ``link.affixes``. If ``link`` has no affixes,
    return it unchanged.
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
    # The broker itself sends the message on. Unlike a publisher, it may use an internal exchange, and nobody can get an
    # unroutable message back.
    open_exchange = replace(exchange, internal=False, unroutable="discard")
    come = topology, message, open_exchange, keys if link.key is None else (link.key,), _PUBLISHER
    if exchange.entered is None:
        return Step(queue, link, name, arrive(*come))
    to = topology.rules.addressing.destination(exchange.entered, link.key or "")
    return Step(queue, link, to, settle(topology, message, to, [arrival(*come)]))
