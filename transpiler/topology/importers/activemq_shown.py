"""The destinations of an ActiveMQ broker as people see them: targets of virtual destinations, and subscriptions.

A queue is a destination itself; it is one of these only where something else than the queue is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from transpiler.base.topics import TopicPattern
from transpiler.topology.broker_rules import ACTIVEMQ
from transpiler.topology.destinations import QUEUE_KIND, TOPIC_KIND
from transpiler.topology.importers.activemq_config import Composite, Interceptor, Mirror, VirtualTopic
from transpiler.topology.importers.activemq_patterns import (
    covers,
    literal_name,
    name_of,
    of_virtual,
    topics_of,
    words_of,
)
from transpiler.topology.importers.shown_builder import ONE_OF, OTHERWISE, PERHAPS, ShownBuilder
from transpiler.topology.model import Topology
from transpiler.topology.records import Link, Queue
from transpiler.topology.targets import Target


class Subscription(NamedTuple):
    """A subscription to topics, or a consumer of queues, with the pattern of keys; ``exact`` if that is all it has."""

    name: str
    kind: str
    pattern: TopicPattern
    selector: str | None
    exact: bool


class _Edge(NamedTuple):
    """A way from a destination to another one, or to a subscription."""

    source: str
    end: str
    selector: str | None = None
    place: str = ""
    choice: str | None = None


#: The selectors under which a queue gets a message of a virtual topic, each with True if that is certain.
Watched = Callable[[str, VirtualTopic], Iterator[tuple[str | None, bool]]]


def shown_destinations(
    interceptors: Sequence[Interceptor],
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
    """Return the destinations with the queues of the topology that routes, and its links.

    ``known`` are the queues that are there, with True for those that a send may have made; others may be there unless
    the caller ``knows_queues``. ``links_of`` has the links of a queue that is none of ``queues``, but which something
    leads to.
    """
    topics = [*_declared_topics(interceptors)]
    unknown = [] if knows_queues else [*map(_of_unknown_queues, topics)]
    edges = [*_of_interceptors(interceptors, known, watched), *unknown, *_of_subscriptions(subscriptions)]
    sources = _Sources(edges)
    builder = ShownBuilder(
        addresses=dict.fromkeys(
            f"{TOPIC_KIND}://{topic.name}" for topic in topics if not any(_of_virtual_topic(topic, known, watched))
        ),
        unknown={edge.end for edge in unknown if edge.end.removeprefix(f"{QUEUE_KIND}://") not in known},
    )
    for edge in edges:
        builder.bind(edge.source, sources.target(edge), edge.selector, edge.place, choice=edge.choice)
    there = {queue.name for queue in queues}
    ends = (sources.target(edge) for edge in edges)
    waiting = [link for link in links if link.source_type != "own-queue"]
    for end in ends:
        if end.type == "queue" and end.name.startswith(f"{QUEUE_KIND}://") and end.name not in there:
            there.add(end.name)
            waiting += links_of(end.name)
    while waiting:
        link = waiting.pop()
        target = sources.destination(link.destination or "", link.key or "")
        builder.link(link, target)
        if target.type == "queue" and target.name not in there:
            there.add(target.name)
            # Dead letters of dead letters would have ever longer names.
            waiting += [each for each in links_of(target.name) if link.affixes is None or each.affixes is None]
    return builder.topology(ACTIVEMQ, queues, readers)


class _Sources:
    """The destinations that something leads on from."""

    def __init__(self, edges: Iterable[_Edge]) -> None:
        self._named = {edge.source for edge in edges}
        self._wild = [
            of_virtual(words_of(name.removeprefix(f"{QUEUE_KIND}://")))
            for name in self._named
            if name.startswith(f"{QUEUE_KIND}://")
        ]

    def target(self, edge: _Edge) -> Target:
        kind, separator, name = edge.end.partition("://")
        if separator and edge.source != edge.end:
            return self.destination(kind, name)
        return Target("queue", edge.end)

    def destination(self, kind: str, name: str) -> Target:
        """Return a destination; the queue where nothing else is there, which a send makes."""
        named, words = f"{kind}://{name}", words_of(name)
        is_queue = kind == QUEUE_KIND and named not in self._named and literal_name(words) is not None
        if is_queue and not any(literal_name(pattern) is None and covers(pattern, words) for pattern in self._wild):
            return Target("queue", named)
        return Target("exchange", named)


def _of_subscriptions(subscriptions: Sequence[Subscription]) -> Iterator[_Edge]:
    for each in subscriptions:
        if not each.name:
            continue
        choice = None if each.exact else PERHAPS
        if each.kind == QUEUE_KIND and sum(one.kind == QUEUE_KIND for one in subscriptions) > 1:
            choice = ONE_OF
        yield _Edge(f"{each.kind}://{name_of(each.pattern)}", each.name, each.selector, choice=choice)


def _of_interceptors(
    interceptors: Iterable[Interceptor], known: Mapping[str, bool], watched: Watched
) -> Iterator[_Edge]:
    for interceptor in interceptors:
        if isinstance(interceptor, Mirror):
            for queue in known:
                topic = f"{TOPIC_KIND}://{interceptor.prefix}{queue}{interceptor.postfix}"
                yield _Edge(f"{QUEUE_KIND}://{queue}", topic, place=interceptor.place)
            continue
        for destination in interceptor:
            if isinstance(destination, Composite):
                yield from _of_composite(destination)
            else:
                yield from _of_virtual_topic(destination, known, watched)


def _declared_topics(interceptors: Iterable[Interceptor]) -> Iterator[VirtualTopic]:
    """Yield the virtual topics of the file; the broker's own are shown where something leads on from them."""
    for interceptor in interceptors:
        for one in () if isinstance(interceptor, Mirror) else interceptor:
            if isinstance(one, VirtualTopic) and one.declared:
                yield one


def _of_unknown_queues(topic: VirtualTopic) -> _Edge:
    """Return the way to the queues of a virtual topic that consumers make, by the pattern of their names."""
    end = f"{QUEUE_KIND}://{topic.prefix}{topic.name}{topic.postfix}"
    return _Edge(f"{TOPIC_KIND}://{topic.name}", end, place=topic.place, choice=PERHAPS)


def _of_composite(composite: Composite) -> Iterator[_Edge]:
    source = f"{composite.kind}://{composite.name}"
    for forward in composite.forwards:
        name = forward.name.partition("?")[0].strip()
        yield _Edge(source, f"{forward.kind}://{name}", forward.filter, forward.place)
    if composite.kind == QUEUE_KIND and composite.keeps is not False and literal_name(words_of(composite.name)):
        yield _Edge(source, source, place=composite.place, choice=OTHERWISE if composite.keeps is None else None)


def _of_virtual_topic(topic: VirtualTopic, known: Mapping[str, bool], watched: Watched) -> Iterator[_Edge]:
    pattern = of_virtual(words_of(topic.name))
    for queue, perhaps in known.items():
        for words, found in topics_of(words_of(queue), topic.prefix, topic.postfix):
            if literal_name(words) is not None and not covers(pattern, words):
                continue
            for selector, certain in watched(queue, topic):
                choice = None if found and certain and not perhaps else PERHAPS
                source = f"{TOPIC_KIND}://{name_of(words)}"
                yield _Edge(source, f"{QUEUE_KIND}://{queue}", selector, topic.place, choice)
