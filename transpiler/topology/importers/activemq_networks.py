"""Network connectors of ActiveMQ: which queues and topics they forward to another broker, and what they bring back.

A connector has consumers of its own on this broker. It takes messages of a queue instead of the other consumers. For
each topic it has a subscription, which gets a copy, so the local subscribers still get every message. Here one queue,
named after the connector, stands for all these subscriptions.

Source: ``DemandForwardingBridgeSupport.isPermissableDestination``, ``setupStaticDestinations`` and ``isDuplex`` of
ActiveMQ; ``DestinationFilter.parseFilter``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from transpiler.base.topics import TopicPattern
from transpiler.topology.addressing import QUEUE_KIND, TOPIC_KIND
from transpiler.topology.importers.activemq_config import Network, Pattern
from transpiler.topology.importers.activemq_patterns import (
    ANY_NAME,
    covers,
    key_of,
    meets,
    name_of,
    of_virtual,
    words_of,
    words_sent,
)
from transpiler.topology.importers.exchange_builder import ExchangeBuilder
from transpiler.topology.records import Link
from transpiler.topology.targets import NOWHERE, Target

#: The end of a link to another broker.
_ANOTHER_BROKER = Target("exchange")

#: A function from patterns of destinations to the patterns of the keys of their messages at one exchange.
Keys = Callable[[Iterable[TopicPattern]], Iterable[TopicPattern]]


def forwarding(network: Network, kind: str, name: str) -> str | None:
    """Return what ``network`` does with messages of a destination, in words; None if it does not forward them."""
    words = words_sent(name)
    for patterns, when in ((network.static, network.always), (_on_demand(network, kind), network.on_demand)):
        if any(covers(pattern, words) for pattern in _of_kind(patterns, kind)):
            return None if any(covers(one, words) for one in _of_kind(network.excluded, kind)) else when
    return None


def links_of_queues(networks: Sequence[Network], queues: Iterable[str]) -> Iterator[Link]:
    """Yield the links to other brokers: of each of ``queues``, and of the queues that only sends create."""
    for network in networks:
        for queue in queues:
            kind, separator, name = queue.partition("://")
            when = forwarding(network, kind, name) if separator else None
            if when is not None:
                yield Link("network", when, queue, None, path=network.location)
    for network in networks:
        # Of the links with the same condition ``when``, a message of an undeclared queue takes only the first whose
        # pattern matches the queue's name. So the links without a target come first: they are for excluded queues and
        # for static ones, which have links of their own.
        demanded = _of_kind(_on_demand(network, QUEUE_KIND), QUEUE_KIND)
        static, excluded = (_of_kind(patterns, QUEUE_KIND) for patterns in (network.static, network.excluded))
        yield from _of_made_queues(network, network.always, excluded, static)
        yield from _of_made_queues(network, network.on_demand, [*excluded, *static], demanded)


def _of_made_queues(
    network: Network, when: str, excluded: Sequence[TopicPattern], included: Sequence[TopicPattern]
) -> Iterator[Link]:
    """Yield the links of the queues that only sends create: to nowhere if ``excluded``, else if ``included``."""
    left = [pattern for pattern in included if not any(covers(one, pattern) for one in excluded)]
    for patterns, (kind, name, _) in ((excluded if left else (), NOWHERE), (left, _ANOTHER_BROKER)):
        for pattern in patterns:
            yield Link(
                "network", when, "", name or None, "own-queue", kind, path=network.location, pattern=key_of(pattern)
            )


def links_of_topics(networks: Iterable[Network]) -> Iterator[Link]:
    """Yield the links from the subscriptions of ``networks`` to other brokers."""
    for network in networks:
        if forwarded_topics(network):
            yield Link("network", network.copied, network.subscriber, None, path=network.location)


def links_from_brokers(networks: Iterable[Network], names: Iterable[Pattern]) -> Iterator[Link]:
    """Yield the links by which duplex connectors bring messages of other brokers to the destinations ``names``.

    If the lists of a connector match none of ``names`` that are queues, or none that are topics, there is a link for
    each pattern in its lists that matches no excluded destination.
    """
    known = [*names]
    for network in networks:
        for kind in (QUEUE_KIND, TOPIC_KIND) if network.duplex else ():
            found = [name for of, name in known if of == kind and forwarding(network, kind, name) is not None]
            listed = dict.fromkeys(_of_kind((*network.static, *_on_demand(network, kind)), kind))
            excluded = _of_kind(network.excluded, kind)
            patterns = [name_of(one) for one in listed if not any(meets(each, one) for each in excluded)]
            for name in found or patterns:
                yield Link("network", network.brought, None, kind, key=name, path=network.location)


def forwarded_topics(network: Network) -> list[TopicPattern]:
    """Return the distinct patterns of the topics that ``network`` forwards, except for those that are all excluded."""
    excluded = _of_kind(network.excluded, TOPIC_KIND)
    listed = dict.fromkeys(_of_kind((*network.static, *_on_demand(network, TOPIC_KIND)), TOPIC_KIND))
    return [pattern for pattern in listed if not any(covers(one, pattern) for one in excluded)]


class NetworkSubscriptions:
    """A builder of the bindings from topics to the subscriptions of network connectors.

    A subscription of a connector is never certain: the connector must be connected, and another broker must have a
    consumer of the topic if the file does not list the topic as static.
    """

    def __init__(self, builder: ExchangeBuilder, networks: Iterable[Network]) -> None:
        self._builder = builder
        self._networks = [network for network in networks if forwarded_topics(network)]
        self._subscriptions: dict[object, Target] = {}

    def bind(self, source: str, keys: Keys) -> None:
        """Bind the subscriptions to the topics whose messages are at the exchange ``source``."""
        builder = self._builder
        for network in self._networks:
            following: Target | None = None
            cases: list[tuple[Iterable[Pattern], str | None]] = [
                (network.excluded, None),
                (network.static, "while it is connected"),
                (_on_demand(network, TOPIC_KIND), "if another broker has a consumer of the topic"),
            ]
            for patterns, condition in reversed(cases):
                found = [*keys(_of_kind(patterns, TOPIC_KIND))]
                if not found:
                    continue
                target = None if condition is None else self._subscription(network, condition)
                case = builder.exchange(f"{source}, {network.subscriber}", alternate=following)
                for pattern in found:
                    builder.bind(case, key_of(pattern), target, location=network.location)
                following = Target("exchange", case)
            if following is not None:
                builder.bind(source, builder.any_key, following, location=network.location)

    def _subscription(self, network: Network, condition: str) -> Target:
        """Return a target that possibly leads to the subscription of ``network``; ``condition`` says in words when.

        All exchanges for the same kind of sends share one target, so that reports contain its text only once.
        """
        entered = self._builder.entered
        identity = network.subscriber, condition, entered
        if identity not in self._subscriptions:
            name, reason = f"{network.subscriber} perhaps", f"{network.subscriber} {condition}"
            subscriber = Target("queue", network.subscriber)
            self._subscriptions[identity] = self._builder.perhaps(name, subscriber, reason, network.location)
        return self._subscriptions[identity]


def not_forwarded(network: Network, pattern: TopicPattern) -> list[TopicPattern]:
    """Return the patterns of topics that ``network`` never forwards although ``pattern`` matches some of them."""
    return [one for one in _of_kind(network.excluded, TOPIC_KIND) if meets(one, pattern)]


def _on_demand(network: Network, kind: str) -> tuple[Pattern, ...]:
    """Return the patterns of the destinations of ``kind`` that are forwarded to the consumers of another broker."""
    if not network.demand:
        return ()
    return network.dynamic or ((kind, name_of(ANY_NAME)),)


def _of_kind(patterns: Iterable[Pattern], kind: str) -> list[TopicPattern]:
    return [of_virtual(words_of(name)) for of, name in patterns if of == kind]
