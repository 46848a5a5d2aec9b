"""The topology for display of an ActiveMQ broker: destinations, targets of virtual destinations, and subscriptions.

A queue is also a destination. It is listed as a destination only if messages to it go anywhere else than to the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.topics import TopicPattern
from transpiler.topology.addressing import QUEUE_KIND, TOPIC_KIND
from transpiler.topology.broker_rules import ACTIVEMQ
from transpiler.topology.importers.activemq_config import (
    ActiveMQConfig,
    Composite,
    Interceptor,
    Mirror,
    Network,
    VirtualTopic,
    kind_of,
)
from transpiler.topology.importers.activemq_networks import forwarded_topics, not_forwarded
from transpiler.topology.importers.activemq_patterns import (
    ANY_NAME,
    between,
    covers,
    literal_name,
    meets,
    name_of,
    of_virtual,
    topics_of,
    words_of,
)
from transpiler.topology.importers.display_builder import MIRRORED, ONE_OF, OTHERWISE, PERHAPS, UNREAD, DisplayBuilder
from transpiler.topology.model import Topology
from transpiler.topology.records import OF_BROKERS, Link, Queue
from transpiler.topology.targets import Target


class Subscription(NamedTuple):
    """A subscription to topics, or a consumer of queues.

    ``pattern`` matches the names of the topics or queues. ``exact`` is False if the pattern was cut after a multi-word
    wildcard.
    """

    name: str
    kind: str
    pattern: TopicPattern
    selector: str | None
    exact: bool


class _Edge(NamedTuple):
    """An edge from a destination to another destination, to a subscription, or to the destination's own queue."""

    source: str
    end: str
    selector: str | None = None
    location: str = ""
    choice: str | None = None


#: The pattern of all queues that senders can name, as a destination.
_EVERY_QUEUE = f"{QUEUE_KIND}://{name_of(ANY_NAME)}"

#: A function that yields the selectors under which a queue gets a message of a virtual topic. Its arguments are the
#: name of the queue and the topic. Each selector comes with True if the queue certainly gets the messages that match
#: it.
Watched = Callable[[str, VirtualTopic], Iterator[tuple[str | None, bool]]]


def displayed_destinations(
    config: ActiveMQConfig,
    known: Mapping[str, bool],
    subscriptions: Sequence[Subscription],
    watched: Watched,
    queues: Sequence[Queue],
    links: Iterable[Link],
    readers: frozenset[str] | None,
    links_of: Callable[[str], Iterable[Link]],
    *,
    knows_queues: bool,
) -> Topology:
    """Return the topology for reports and diagrams, in which each exchange is a destination of the broker.

    ``queues``, ``links`` and ``readers`` are those of the topology that routes messages; ``readers`` is None if the
    consumers are unknown. ``known`` are the existing queues, with True for each queue that only an earlier send may
    have created. If ``knows_queues`` is False, there may be other queues. ``links_of`` returns the links of a queue
    that is not in ``queues``.
    """
    levels = _Levels(config.interceptors)
    virtual = [*levels.virtual_topics()]
    declared = [f"{TOPIC_KIND}://{name}" for name in config.topics]
    unknown = [] if knows_queues else [*map(_of_unknown_queues, virtual)]
    subscribed = (*_of_subscriptions(subscriptions), *_of_networks(config.networks))
    ways = [*levels.ways(known, watched), *((-1, edge) for edge in (*unknown, *subscribed))]
    edges = [edge for level, one in ways for edge in levels.behind(one, level)]
    builder = DisplayBuilder(
        addresses=dict.fromkeys(
            (
                *(
                    f"{TOPIC_KIND}://{topic.name}"
                    for topic in virtual
                    if not any(_of_virtual_topic(topic, known, watched))
                ),
                *declared,
            )
        ),
        unknown={
            *(edge.end for edge in unknown if edge.end.removeprefix(f"{QUEUE_KIND}://") not in known),
            *(declared if readers is None else ()),
        },
    )
    destinations = _Destinations(levels, edges, builder)
    destinations.bind()
    for queue in known:
        destinations.end(QUEUE_KIND, queue)
    destinations.bind_mirrors()
    there = {queue.name for queue in queues}
    waiting = [link for link in links if link.source_type != "own-queue"]
    for name in destinations.new_queues(there):
        waiting += links_of(name)
    while waiting:
        link = waiting.pop()
        if link.destination is None:
            builder.links.append(link)
            continue
        of_each_topic = link.pattern is not None and link.affixes is not None
        find = destinations.made if of_each_topic else destinations.end
        builder.link(link, find(link.destination or "", link.key or ""))
        for name in destinations.new_queues(there):
            # A link with affixes leads to a queue with a longer name. Do not follow such links twice, because the names
            # would grow endlessly.
            waiting += [each for each in links_of(name) if link.affixes is None or each.affixes is None]
    builder.links += _of_queues_that_sends_create(links, builder)
    return builder.topology(ACTIVEMQ, queues, readers)


def _of_queues_that_sends_create(links: Iterable[Link], builder: DisplayBuilder) -> list[Link]:
    """Return the links to other brokers from queues that exist only if a message is sent to them.

    Each link begins at a pattern of names, which stands for all such queues and is added to ``builder.unknown``.
    """
    displayed = {link.when for link in builder.links}
    found = []
    for link in links:
        if link.source_type == "own-queue" and link.kind in OF_BROKERS and link.destination is None:
            named = f"{QUEUE_KIND}://{name_of(ACTIVEMQ.topic.pattern(link.pattern or ''))}"
            if link.when not in displayed:
                builder.unknown.add(named)
                found.append(replace(link, source=named, source_type="queue", pattern=None))
    return found


class _Levels:
    """The interceptors of a broker, from the innermost to the outermost. The level of an interceptor is its index."""

    def __init__(self, interceptors: Sequence[Interceptor]) -> None:
        self._interceptors = interceptors

    @property
    def mirrors(self) -> Iterator[tuple[int, Mirror]]:
        """The mirrors, each with its level."""
        return ((level, one) for level, one in enumerate(self._interceptors) if isinstance(one, Mirror))

    def virtual_topics(self) -> Iterator[VirtualTopic]:
        """Yield the virtual topics of the file, and the broker's default virtual topics to which mirrors lead."""
        for one in (each for listed in self._interceptors if not isinstance(listed, Mirror) for each in listed):
            if isinstance(one, VirtualTopic):
                topics = of_virtual(words_of(one.name))
                if one.declared or any(between(topics, each.prefix, each.postfix) for _, each in self.mirrors):
                    yield one

    def ways(self, known: Mapping[str, bool], watched: Watched) -> Iterator[tuple[int, _Edge]]:
        """Yield the edges from virtual destinations, each with the level of the interceptor that contains it.

        ``known`` are the existing queues, and ``watched`` yields the selectors under which a queue gets the messages of
        a virtual topic.
        """
        for level, listed in enumerate(self._interceptors):
            for one in () if isinstance(listed, Mirror) else listed:
                edges = _of_composite(one) if isinstance(one, Composite) else _of_virtual_topic(one, known, watched)
                yield from ((level, edge) for edge in edges)

    def behind(self, edge: _Edge, level: int) -> Iterator[_Edge]:
        """Yield ``edge`` if messages reach the interceptor at ``level``, to which it belongs.

        Messages pass the interceptors at higher levels first, which may forward them instead. If these let only some
        messages pass, ``choice`` of the yielded edge says so in words. If they let none pass, nothing is yielded.
        """
        kind, _, name = edge.source.partition("://")
        words, choice = of_virtual(words_of(name)), edge.choice
        for listed in self._interceptors[level + 1 :]:
            if isinstance(listed, Mirror):
                continue
            met = [each for each in listed if kind_of(each) == kind and meets(_pattern(each), words)]
            if edge.source == _EVERY_QUEUE:
                # ``edge`` begins at all queues together. Ignore virtual destinations for a single queue: that queue has
                # its own edges.
                met = [each for each in met if literal_name(_pattern(each)) is None]
            always = [_keeps(each) for each in met if covers(_pattern(each), words)]
            if True in always or all(_keeps(each) is True for each in met):
                continue
            if always and not any(_keeps(each) is not False for each in met):
                return
            if edge.choice == UNREAD or (edge.choice or "").startswith(PERHAPS):
                continue
            here = OTHERWISE if None in always and len(always) == len(met) else PERHAPS
            choice = f"{MIRRORED}, {here}" if edge.choice == MIRRORED else here if choice in (None, here) else PERHAPS
        yield edge._replace(choice=choice)


class _Destinations:
    """A builder of the diagram's exchanges: the destinations to which edges or links lead, with their queues."""

    def __init__(self, levels: _Levels, edges: Sequence[_Edge], builder: DisplayBuilder) -> None:
        self._levels, self._edges, self._builder = levels, edges, builder
        self._named = dict.fromkeys(edge.source for edge in edges)
        self._wild = [
            of_virtual(words_of(name.removeprefix(f"{QUEUE_KIND}://")))
            for name in self._named
            if name.startswith(f"{QUEUE_KIND}://") and literal_name(words_of(name)) is None
        ]
        self._wild += [ANY_NAME for _ in levels.mirrors]
        self._done: set[str] = set()
        self._queues: dict[str, None] = {}

    def made(self, kind: str, pattern: str) -> Target:
        """Return one target for all queues (or topics) that the broker creates with names that match ``pattern``."""
        named = f"{kind}://{pattern}"
        self._builder.unknown.add(named)
        if kind == TOPIC_KIND:
            return Target("exchange", named)
        self._queues[named] = None
        return Target("queue", named)

    def bind(self) -> None:
        """Add the edges between destinations."""
        for edge in self._edges:
            kind, separator, name = edge.end.partition("://")
            self._bind(edge, self.end(kind, name) if separator else Target("queue", edge.end))

    def _bind(self, edge: _Edge, target: Target) -> None:
        self._builder.bind(edge.source, target, edge.selector, edge.location, choice=edge.choice)

    def end(self, kind: str, name: str) -> Target:
        """Return the target for the destination ``name``: an exchange or, if no edge begins there, the queue itself."""
        named, words = f"{kind}://{name}", words_of(name)
        if kind == QUEUE_KIND and literal_name(words) is not None:
            if named not in self._named and not any(covers(pattern, words) for pattern in self._wild):
                return self._queue(named)
            self._queue_itself(named)
        return Target("exchange", named)

    def _queue(self, named: str) -> Target:
        self._queues[named] = None
        return Target("queue", named)

    def _queue_itself(self, named: str) -> None:
        """Add the edges from a destination to its queue, and to the topics of mirrors."""
        if named in self._done:
            return
        self._done.add(named)
        self._builder.addresses[named] = None
        for edge in self._levels.behind(_Edge(named, named), -1):
            self._bind(edge, self._queue(named))
        self._bind_mirrors(named.removeprefix(f"{QUEUE_KIND}://"))

    def bind_mirrors(self) -> None:
        """Add the edges from every queue to the topics of mirrors, and from these topics to virtual destinations."""
        named = [edge.source.partition("://") for edge in self._edges]
        topics = {name: of_virtual(words_of(name)) for kind, _, name in named if kind == TOPIC_KIND}
        for _, mirror in self._levels.mirrors:
            source = f"{TOPIC_KIND}://{mirror.prefix}{name_of(ANY_NAME)}{mirror.postfix}"
            for name, pattern in topics.items():
                topic, queues = f"{TOPIC_KIND}://{name}", between(pattern, mirror.prefix, mirror.postfix)
                queue = None if queues is None else literal_name(queues)
                if queue:
                    self.end(QUEUE_KIND, queue)
                elif queues is not None and queue is None and topic != source:
                    choice = MIRRORED if queues == ANY_NAME else f"{MIRRORED}, {PERHAPS}"
                    self._bind(_Edge(source, topic, choice=choice), Target("exchange", topic))
        self._bind_mirrors(name_of(ANY_NAME))

    def _bind_mirrors(self, queue: str) -> None:
        for level, mirror in self._levels.mirrors:
            topic = f"{TOPIC_KIND}://{mirror.prefix}{queue}{mirror.postfix}"
            edge = _Edge(f"{QUEUE_KIND}://{queue}", topic, None, mirror.location, MIRRORED)
            for one in self._levels.behind(edge, level):
                self._bind(one, Target("exchange", topic))

    def new_queues(self, there: set[str]) -> list[str]:
        """Return the target queues that are not in ``there`` yet, and add them to it."""
        new = [name for name in self._queues if name not in there]
        there.update(new)
        return new


def _pattern(destination: Composite | VirtualTopic) -> TopicPattern:
    return of_virtual(words_of(destination.name))


def _keeps(destination: Composite | VirtualTopic) -> bool | None:
    """Return True if ``destination`` also keeps its messages, and False if it does not.

    Return None if the destination keeps only messages that no target of its forwards took.
    """
    return destination.keeps if isinstance(destination, Composite) else True


def _of_subscriptions(subscriptions: Sequence[Subscription]) -> Iterator[_Edge]:
    for each in subscriptions:
        if not each.name:
            continue
        choice = None if each.exact else PERHAPS
        if each.kind == QUEUE_KIND and sum(one.kind == QUEUE_KIND for one in subscriptions) > 1:
            choice = ONE_OF
        yield _Edge(f"{each.kind}://{name_of(each.pattern)}", each.name, each.selector, choice=choice)


def _of_networks(networks: Iterable[Network]) -> Iterator[_Edge]:
    """Yield the edges from the topics that network connectors forward to the connectors' subscriptions."""
    for network in networks:
        for pattern in forwarded_topics(network):
            excluded = [f"{TOPIC_KIND}://{name_of(one)}" for one in not_forwarded(network, pattern)]
            choice = f"{PERHAPS}, except {', '.join(excluded)}" if excluded else PERHAPS
            end = network.subscriber
            yield _Edge(f"{TOPIC_KIND}://{name_of(pattern)}", end, None, network.location, choice)


def _of_unknown_queues(topic: VirtualTopic) -> _Edge:
    """Return the possible edge from a virtual topic to the queues that its consumers create, as a pattern of names."""
    end = f"{QUEUE_KIND}://{topic.prefix}{topic.name}{topic.postfix}"
    return _Edge(f"{TOPIC_KIND}://{topic.name}", end, location=topic.location, choice=PERHAPS)


def _of_composite(composite: Composite) -> Iterator[_Edge]:
    for forward in composite.forwards:
        name = forward.name.partition("?")[0].strip()
        end = f"{forward.kind}://{name}"
        yield _Edge(f"{composite.kind}://{composite.name}", end, forward.filter, forward.location)


def _of_virtual_topic(topic: VirtualTopic, known: Mapping[str, bool], watched: Watched) -> Iterator[_Edge]:
    pattern = _pattern(topic)
    for queue, perhaps in known.items():
        for words, found in topics_of(words_of(queue), topic.prefix, topic.postfix):
            if literal_name(words) is not None and not covers(pattern, words):
                continue
            source, end = f"{TOPIC_KIND}://{name_of(words)}", f"{QUEUE_KIND}://{queue}"
            consumers = [*watched(queue, topic)]
            if not consumers:
                yield _Edge(source, end, None, topic.location, UNREAD)
            for selector, certain in consumers:
                choice = None if found and certain and not perhaps else PERHAPS
                yield _Edge(source, end, selector, topic.location, choice)
