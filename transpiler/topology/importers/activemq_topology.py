"""The topology of an ActiveMQ broker: interceptors, virtual destinations and subscriptions as exchanges.

A message enters at the exchange of its destination's kind (the entry), with the name as the key. Each interceptor is an
exchange whose bindings lead to the matching virtual destinations, and whose alternate is the next inner interceptor.
Innermost are the queue itself (a send creates its queue) and the subscriptions of topics. A target of a virtual
destination leads back to an entry, with the target's name as the key.

Virtual topics find only the queues of the file and of the caller's state; subscriptions and consumers come only from
the state. The rule numbers in comments are those of docs/jms-brokers.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.topics import MANY_WORDS, ONE_WORD, TopicPattern
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import ACTIVEMQ as DIALECT
from transpiler.topology.addressing import (
    LISTED,
    QUEUE_KIND,
    TOPIC_KIND,
    activemq_parts,
)
from transpiler.topology.broker_rules import ACTIVEMQ
from transpiler.topology.importers.activemq_config import (
    ActiveMQConfig,
    Composite,
    Interceptor,
    Mirror,
    VirtualTopic,
    kind_of,
)
from transpiler.topology.importers.activemq_display import Subscription, displayed_destinations
from transpiler.topology.importers.activemq_networks import (
    NetworkSubscriptions,
    forwarded_topics,
    links_from_brokers,
    links_of_queues,
    links_of_topics,
)
from transpiler.topology.importers.activemq_patterns import (
    DeadLetterLinks,
    between,
    covers,
    key_of,
    literal_name,
    of_virtual,
    sent_with_wildcards,
    topics_of,
    up_to_any,
    words_of,
    words_sent,
)
from transpiler.topology.importers.activemq_state import destination_of, queues_of, subscriptions_of
from transpiler.topology.importers.constant_conditions import never_holds
from transpiler.topology.importers.exchange_builder import ExchangeBuilder, too_many_ways
from transpiler.topology.importers.known_names import (
    Decided,
    Known,
    Unknown,
    may_be_open,
    parsed,
    reads_names,
    with_known_names,
)
from transpiler.topology.model import Topology
from transpiler.topology.records import Link, Queue
from transpiler.topology.targets import FAILED, OWN_QUEUE, UNKNOWN, Entered, Target

#: The name that denotes the destination in selectors.
DESTINATION = "JMSDestination"


@lru_cache(maxsize=16_384)
def calculated_names(selector: str) -> tuple[tuple[str, ...], bool]:
    """Return the names in a selector that are operands of arithmetic, and True if the selector contains AND or OR."""
    try:
        tree = parsed(selector, DIALECT)
    except UnsupportedFeatureError:
        return (), False
    names: dict[str, None] = {}
    nodes = list(ast.walk(tree)) if tree is not None else []
    for node in nodes:
        if isinstance(node, ast.Calculate):
            names |= {each.name: None for each in (node.left, node.right) if isinstance(each, ast.Identifier)}
        elif isinstance(node, ast.Sign) and isinstance(node.operand, ast.Identifier):
            names[node.operand.name] = None
    return tuple(names), any(isinstance(node, ast.And | ast.Or) for node in nodes)


def reads_destination(selector: str | None) -> bool:
    """Return True if a selector reads JMSDestination."""
    return reads_names(selector, {DESTINATION}, DIALECT)


def with_destination(selector: str, destination: str | None) -> Decided:
    """Return ``selector`` evaluated as far as possible, with ``destination`` as the value of JMSDestination.

    A ``destination`` that is None is unknown.
    """
    return with_known_names(selector, known_destination(destination), DIALECT)


def known_destination(destination: str | None) -> Callable[[str], Known]:
    """Return a function from a name to what is known of its value, for messages with this JMSDestination.

    If ``destination`` is None, messages have a destination that is not known.
    """
    known: Known = Unknown.SOME if destination is None else destination
    return lambda name: known if name == DESTINATION else Unknown.OWN


class Entry(NamedTuple):
    """A class of messages to destinations of ``kind``, which enter the topology at an exchange of their own.

    If any filter reads the destination, messages are also distinguished by their path. Then ``before`` is the
    destination that forwarded them ("" if unknown), and ``at`` the name to which it forwarded them; otherwise both are
    None. ``listed`` is True if they were sent to a list of destinations. If ``mirror`` is set, they are copies for the
    topic of mirrored queues, and their routing key is the name of the queue.
    """

    kind: str
    before: str | None = None
    at: str | None = None
    listed: bool = False
    mirror: Mirror | None = None

    @property
    def name(self) -> str:
        """The name of the entry's exchange."""
        name = self.kind + (LISTED if self.listed else "")
        if self.mirror is not None:
            name += f", mirrors {self.mirror.prefix} {self.mirror.postfix} of other queues"
        return name if self.before is None else f"{name} {self.at} after {self.before}"


def key_at(entry: Entry) -> TopicPattern:
    """Return the words of the routing key that all messages at ``entry`` have; it must be known."""
    return words_sent(entry.at or "")


def is_plain(entry: Entry) -> bool:
    """Return True if all messages at ``entry`` have the same routing key, which is known and has no wildcards."""
    return entry.at is not None and not {"*", ">"} & set(entry.at)


def may_come(entry: Entry, destination: Composite | VirtualTopic) -> bool:
    """Return False if no message at ``entry`` can match the virtual destination, because their routing key is known."""
    return not is_plain(entry) or covers(of_virtual(words_of(destination.name)), key_at(entry))


def keys_at(entry: Entry, patterns: Iterable[TopicPattern]) -> Iterable[TopicPattern]:
    """Return the patterns of routing keys at ``entry`` for destinations that match ``patterns``, without duplicates.

    At the entry of a mirror, the destination is a topic but the routing key is the name of a queue, so the prefix and
    postfix of the topic's name are removed.
    """
    if entry.mirror is None:
        return dict.fromkeys(patterns)
    found = (between(pattern, entry.mirror.prefix, entry.mirror.postfix) for pattern in patterns)
    return dict.fromkeys(words for words in found if words is not None)


#: Limits for the computation of sends to names with wildcards: ``_MAX_WORDS`` words in a name; ``_MAX_NAMES``
#: subscriptions, interceptors and queues.
_MAX_WORDS, _MAX_NAMES = 4, 500

_CAST = (
    "a selectorAware virtual topic is around another interceptor of topics: where both match, ActiveMQ 5.17 may fail "
    "the send with a ClassCastException, and nothing is certain"
)


def topology_of_activemq(config: ActiveMQConfig, state: Mapping[str, Any]) -> Topology:
    """Return the topology of an ActiveMQ configuration, with the queues, subscriptions and consumers in ``state``."""
    return _ActiveMQ(config, state).topology()


class _ActiveMQ:
    def __init__(self, config: ActiveMQConfig, state: Mapping[str, Any]) -> None:
        self._config = config
        self._builder = ExchangeBuilder(ACTIVEMQ.topic)
        self._findings: list[Diagnostic] = list(config.findings)
        self._subscriptions = list(subscriptions_of(state))
        self._knows_consumers = "subscriptions" in state or "consumers" in state
        self._knows_queues = self._knows_consumers or "queues" in state
        #: The queues that exist, with True for each queue that only an earlier send may have created.
        self._queues: dict[str, bool] = dict.fromkeys(config.queues, False)
        for name in queues_of(state):
            self._queues.setdefault(name, False)
        for subscription in (*state.get("subscriptions", ()), *state.get("consumers", ())):
            for kind, name in activemq_parts(destination_of(subscription)):
                if kind == QUEUE_KIND:
                    self._queues.setdefault(name, False)
        for name in self._mentioned():
            self._queues.setdefault(name, True)
        self._reads_destination = any(reads_destination(selector) for selector in self._selectors())
        self._done: set[Entry] = set()
        self._waiting: list[Entry] = []
        self._networks = NetworkSubscriptions(self._builder, config.networks)

    def _composites(self) -> Iterator[Composite]:
        for interceptor in self._config.interceptors:
            listed = () if isinstance(interceptor, Mirror) else interceptor
            yield from (destination for destination in listed if isinstance(destination, Composite))

    def _mentioned(self) -> Iterator[str]:
        for composite in self._composites():
            if composite.kind == QUEUE_KIND and not {"*", ">"} & set(composite.name):
                yield composite.name
            yield from (forward.name for forward in composite.forwards if forward.kind == QUEUE_KIND)

    def _selectors(self) -> Iterator[str | None]:
        yield from (forward.filter for composite in self._composites() for forward in composite.forwards)
        yield from (subscription.selector for subscription in self._subscriptions)

    def topology(self) -> Topology:
        for kind in (QUEUE_KIND, TOPIC_KIND):
            for listed in (False, True) if self._reads_destination else (False,):
                self._enter(Entry(kind, listed=listed))
        while self._waiting:
            self._build(self._waiting.pop())
        self._builder.finish()
        names = dict.fromkeys(
            binding.destination for binding in self._builder.bindings if binding.destination_type == "queue"
        )
        names |= dict.fromkeys(f"queue://{name}" for name, made in self._queues.items() if not made)
        copied = {one.subscriber: one.location for one in self._config.networks if forwarded_topics(one)}
        queues = tuple(Queue(name, path=copied.get(name, ""), declared=name not in copied) for name in names)
        links = tuple(self._links([queue.name for queue in queues]))
        readers = self._readers(links)
        return Topology(
            ACTIVEMQ,
            tuple(self._builder.exchanges.values()),
            queues,
            tuple(self._builder.bindings),
            links=links,
            readers=readers,
            findings=tuple(dict.fromkeys(self._findings)),
            displayed=displayed_destinations(
                self._config,
                self._queues,
                self._subscriptions,
                self._watched,
                queues,
                links,
                readers,
                self._links_of,
                knows_queues=self._knows_queues,
            ),
        )

    def _readers(self, links: Iterable[Link]) -> frozenset[str] | None:
        """Return the names of the subscriptions and of the queues with consumers; None if consumers are unknown."""
        if not self._knows_consumers:
            return None
        consumed = [each.pattern for each in self._subscriptions if each.kind == QUEUE_KIND]
        names = {each.name for each in self._subscriptions if each.name}
        names |= {network.subscriber for network in self._config.networks}
        queues = {
            *self._queues,
            *(link.key for link in links if link.destination == QUEUE_KIND and link.key is not None),
        }
        names |= {
            f"queue://{queue}" for queue in queues if any(covers(pattern, words_sent(queue)) for pattern in consumed)
        }
        return frozenset(names)

    def _links(self, queues: Sequence[str]) -> Iterator[Link]:
        """Yield the links of queues, of subscriptions to topics, and of the queues that sends create."""
        networks = self._config.networks
        yield from links_of_queues(networks, queues)
        yield from links_of_topics(networks)
        known = [(QUEUE_KIND, name) for name in self._queues] + [(TOPIC_KIND, name) for name in self._config.topics]
        yield from links_from_brokers(networks, known)
        yield from self._dead_letters(queues)

    def _dead_letters(self, queues: Iterable[str]) -> Iterator[Link]:
        if self._config.dead_letters is None:
            return
        dead_letters = DeadLetterLinks(self._config.dead_letters)
        topics = {each.name: each.pattern for each in self._subscriptions if each.kind == TOPIC_KIND}
        for queue in queues:
            if queue.startswith("queue://"):
                yield from dead_letters.of("queue", queue.removeprefix("queue://"), queue)
                continue
            if queue not in topics:
                continue
            topic = literal_name(topics[queue])
            if topic is not None:
                yield from dead_letters.of("topic", topic, queue)
            else:
                yield from dead_letters.of_topics(topics[queue], queue)
        yield from dead_letters.of_other_queues()

    def _links_of(self, queue: str) -> Iterator[Link]:
        """Yield the dead-letter links of the queue named ``queue``."""
        if self._config.dead_letters is not None:
            yield from DeadLetterLinks(self._config.dead_letters).of("queue", queue.removeprefix("queue://"), queue)

    def _enter(self, entry: Entry) -> str:
        if entry not in self._done:
            self._done.add(entry)
            self._waiting.append(entry)
            sent = entry.before is None and entry.mirror is None
            self._builder.entrance(entry.name, _entered(entry), entry=sent)
        return entry.name

    def _forward(self, kind: str, name: str, before: str | None) -> Target:
        """Return the target for the destination ``name``; ``before`` is the forwarding destination, None if unknown."""
        name = name.partition("?")[0].strip()
        entry = Entry(kind)
        if self._reads_destination:
            if self._builder.is_full:
                self._findings.append(too_many_ways("JMSDestination"))
                before = None
            entry = Entry(kind, before or "", name)
        return Target("exchange", self._enter(entry), name)

    def _build(self, entry: Entry) -> None:
        builder = self._builder
        builder.entered = _entered(entry)
        levels: list[Interceptor] = []
        for interceptor in self._config.interceptors:
            if isinstance(interceptor, Mirror):
                levels += [interceptor] if entry.kind == QUEUE_KIND else []
                continue
            destinations = tuple(each for each in interceptor if kind_of(each) == entry.kind and may_come(entry, each))
            if levels and any(map(_is_selector_aware, destinations)):
                self._findings.append(Diagnostic("topology.selector-aware", "warning", _CAST))
            levels += [destinations] if destinations else []
        source = entry.name
        for number, level in reversed(list(enumerate(levels))):
            # The last interceptor in the file is the outermost. Messages pass it first, and then go on to ``within``,
            # the exchange for the interceptor before it.
            within = builder.exchange(f"{entry.name}, behind {number + 1}" if number else f"{entry.name} itself")
            if isinstance(level, Mirror):
                builder.bind(source, builder.any_key, Target("exchange", within))
                self._mirror(source, level, entry)
            else:
                builder.set_alternate(source, within)
                for destination in level:
                    self._virtual(source, within, destination, entry)
                    if _is_selector_aware(destination):
                        self._cast(source, destination, levels[:number], entry)
            source = within
        if entry.kind == QUEUE_KIND:
            self._queue_itself(source, entry)
        else:
            self._subscribers(source, entry)

    def _cast(self, source: str, aware: Composite | VirtualTopic, inner: Sequence[Interceptor], entry: Entry) -> None:
        """Bind messages whose send may fail with a ClassCastException in ActiveMQ.

        The exception can occur if a destination matches ``aware``, a virtual topic with the attribute
        ``selectorAware``, and also a virtual destination of an interceptor in ``inner``, which is nested inside that of
        ``aware``.
        """
        listed = [each for level in inner if not isinstance(level, Mirror) for each in level]
        if not listed:
            return
        builder = self._builder
        both = builder.exchange(f"{source}, {aware.name} around others")
        failed = builder.perhaps(f"{both} perhaps fails", FAILED, "the send may fail with a ClassCastException")
        for pattern in keys_at(entry, (of_virtual(words_of(each.name)) for each in listed)):
            builder.bind(both, key_of(pattern), failed)
        for pattern in keys_at(entry, [of_virtual(words_of(aware.name))]):
            builder.bind(source, key_of(pattern), Target("exchange", both), location=aware.location)

    def _queue_itself(self, source: str, entry: Entry) -> None:
        builder = self._builder
        builder.bind(source, builder.any_key, OWN_QUEUE)
        consumers = [each for each in self._subscriptions if each.kind == QUEUE_KIND and each.name]
        if not consumers:
            return
        reason = "one of the consumers of the queue gets the message"
        chosen = builder.exchange(f"{source}, consumers", "anycast", reason=reason)
        for pattern in dict.fromkeys(each.pattern for each in consumers):
            builder.bind(source, key_of(pattern), Target("exchange", chosen))
        for consumer in consumers:
            self._subscribe(chosen, consumer, entry)

    def _subscribers(self, source: str, entry: Entry) -> None:
        if not self._knows_consumers:
            self._builder.bind(source, self._builder.any_key, UNKNOWN)
        for subscription in self._subscriptions:
            if subscription.kind == TOPIC_KIND:
                for pattern in keys_at(entry, [subscription.pattern]):
                    if is_plain(entry) and not covers(pattern, key_at(entry)):
                        continue
                    self._subscribe(source, subscription._replace(pattern=pattern), entry)
        self._networks.bind(source, lambda patterns: keys_at(entry, patterns))

    def _subscribe(self, source: str, subscription: Subscription, entry: Entry) -> None:
        target = Target("queue", subscription.name)
        selector, certain = subscription.selector, subscription.exact
        sufficient = None
        if selector is not None and may_be_open(selector, {DESTINATION}, DIALECT):
            # In a consumer's selector, JMSDestination is the destination that the message has reached.
            at = entry.at if entry.at is not None else literal_name(subscription.pattern)
            value = None if at is None else f"{entry.kind}://{at}"
            decided = with_destination(selector, value)
            selector, sufficient = decided.selector, decided.sufficient if certain else None
            certain &= decided.certain
        if not certain:
            target = self._builder.undecided(
                f"{subscription.name} perhaps",
                source,
                target,
                f"{subscription.name} if its selector and its pattern match",
                sufficient,
            )
        for pattern in (subscription.pattern, *self._sent_to_prefix(subscription.pattern)):
            key = key_of(pattern)
            self._builder.bind(source, key, target, selector)
            if selector is not None and subscription.kind == TOPIC_KIND:
                self._failures(source, selector, "", key)

    def _sent_to_prefix(self, pattern: TopicPattern) -> Iterator[TopicPattern]:
        """Yield patterns for names that match ``pattern`` (a prefix and ``>``) and contain wildcards as plain text."""
        if pattern[-1] != MANY_WORDS or not 1 < len(pattern) <= _MAX_WORDS or len(self._subscriptions) > _MAX_NAMES:
            return
        plain = {pattern[:-1]}
        for words in product(*((word,) if word == ONE_WORD else (word, ONE_WORD.value) for word in pattern[:-1])):
            if words not in plain:
                yield (*words, MANY_WORDS)

    def _virtual(self, source: str, within: str, destination: Composite | VirtualTopic, entry: Entry) -> None:
        builder = self._builder
        pattern = of_virtual(words_of(destination.name))
        if up_to_any(words_of(destination.name)) != words_of(destination.name):
            self._warn_of_inner_wildcard(destination.name)
        name = builder.exchange(f"{entry.name}, {destination.name}")
        keys = [pattern]
        if len(pattern) <= _MAX_WORDS and len(self._config.interceptors) <= _MAX_NAMES and not is_plain(entry):
            # A message can be sent to a name that contains the wildcard characters as literal text. The broker's
            # look-up in its tree of names then finds virtual destinations for it, too.
            keys += sent_with_wildcards(pattern)
        for key in keys_at(entry, keys):
            builder.bind(source, key_of(key), Target("exchange", name), location=destination.location)
        itself = Target("exchange", within)
        if isinstance(destination, VirtualTopic):
            # A virtual topic sends a message to its queues and to the topic itself.
            builder.bind(name, builder.any_key, itself)
            self._virtual_queues(name, destination, entry)
            return
        if destination.keeps:
            builder.bind(name, builder.any_key, itself)
        elif destination.keeps is None:
            builder.set_alternate(name, within)
        own = entry.at if entry.at is not None else literal_name(pattern)
        before = None if own is None else f"{entry.kind}://{own}"
        for forward in destination.forwards:
            # The value of JMSDestination in the forward's filter. A composite destination does not change it when it
            # forwards a message, so it is the destination before the last forward, or this destination if there was no
            # forward.
            seen = None if entry.listed else before if entry.before is None else entry.before or None
            if forward.filter is not None:
                self._failures(name, forward.filter, forward.location)
                if never_holds(forward.filter, DIALECT, known_destination(seen)):
                    continue
            target = self._forward(forward.kind, forward.name, before)
            decided = Decided(None) if forward.filter is None else with_destination(forward.filter, seen)
            if not decided.certain:
                # It is not known whether this forward takes the message. If it does not, the virtual destination may
                # keep the message.
                label = f"{name} perhaps to {forward.name}"
                reason = f"{forward.kind}://{forward.name} if the filter of {destination.name} matches"
                target = builder.undecided(label, name, target, reason, decided.sufficient, forward.location)
            builder.bind(name, builder.any_key, target, decided.selector, forward.location)

    def _failures(self, source: str, selector: str, location: str, key: str | None = None) -> None:
        """Bind the messages whose send fails because arithmetic on a boolean in ``selector`` throws an exception."""
        names, shielded = calculated_names(selector)
        if not names:
            return
        target, key = FAILED, self._builder.any_key if key is None else key
        if shielded:
            # The term that throws may not be evaluated, because another term of the AND or OR determines the result
            # first.
            reason = "the send may fail because of arithmetic on a boolean"
            target = self._builder.perhaps(f"{source} perhaps fails", target, reason)
        for name in names:
            self._builder.bind(source, key, target, f"{name} = TRUE OR {name} = FALSE", location)

    def _virtual_queues(self, name: str, topic: VirtualTopic, entry: Entry) -> None:
        """Bind the queues of a virtual topic: existing queues whose names consist of prefix, topic and postfix."""
        few = len(self._queues) <= _MAX_NAMES
        own = entry.at if entry.at is not None else literal_name(words_of(topic.name))
        before = None if own is None else f"{TOPIC_KIND}://{own}"
        for queue, made in self._queues.items():
            for words, found in topics_of(words_of(queue), topic.prefix, topic.postfix):
                if is_plain(entry) and not covers(words, key_at(entry)):
                    continue
                sent = self._forward(QUEUE_KIND, queue, before)
                if self._reads_destination and before is None and literal_name(words) is not None:
                    sent = self._forward(QUEUE_KIND, queue, f"{TOPIC_KIND}://{literal_name(words)}")
                keys = [words]
                if few and len(words) <= _MAX_WORDS and literal_name(words) is not None:
                    keys += sent_with_wildcards(words)
                for selector, certain in self._watched(queue, topic):
                    target = sent
                    if made or not found or not certain:
                        reason = f"queue://{queue} if it exists and takes the messages of the virtual topic"
                        target = self._builder.perhaps(f"{name} perhaps to {queue}", target, reason)
                    for key in keys_at(entry, keys):
                        self._builder.bind(name, key_of(key), target, selector, topic.location)

    def _watched(self, queue: str, topic: VirtualTopic) -> Iterator[tuple[str | None, bool]]:
        """Yield the selectors under which ``queue`` gets a message of ``topic``; None is a selector for every message.

        The bool is True if the queue certainly gets the messages that match the selector. A queue of a selectorAware
        topic needs a consumer whose selector matches.
        """
        if not topic.selector_aware:
            yield None, True
            return
        if not self._knows_consumers:
            yield None, False
            return
        key = words_sent(queue)
        for consumer in self._subscriptions:
            if consumer.kind == QUEUE_KIND and covers(consumer.pattern, key):
                decided = Decided(None)
                if consumer.selector is not None:
                    decided = with_known_names(consumer.selector, lambda _: Unknown.OWN, DIALECT)
                yield decided.selector, decided.certain

    def _mirror(self, source: str, mirror: Mirror, entry: Entry) -> None:
        """Bind the topics of mirrored queues, to which the messages of every queue go as well.

        ``source`` is the exchange of the messages to queues. Each existing queue gets its own topic; for all other
        queues, the topic is named when a message is sent.
        """
        builder = self._builder
        known = builder.exchange(f"{entry.name}, mirrors")
        builder.set_alternate(known, self._enter(Entry(TOPIC_KIND, entry.before, mirror=mirror)))
        builder.bind(source, builder.any_key, Target("exchange", known), location=mirror.location)
        for queue in self._queues:
            topic = f"{mirror.prefix}{queue}{mirror.postfix}"
            # Selectors read JMSDestination. It is the topic of the mirror, except if another destination forwarded the
            # message before: then it is that destination.
            target = self._forward(TOPIC_KIND, topic, entry.before or f"{TOPIC_KIND}://{topic}")
            builder.bind(known, key_of(words_sent(queue)), target, location=mirror.location)

    def _warn_of_inner_wildcard(self, name: str) -> None:
        message = f"> stands inside {name!r}, and the broker reads the name as if it ended there"
        self._findings.append(Diagnostic("topology.any-words", "warning", message))


def _entered(entry: Entry) -> Entered:
    """Return a description of the messages that enter at ``entry``, for the record of its exchange."""
    mirror = entry.mirror
    return Entered(entry.kind, affixes=None if mirror is None else (mirror.prefix, mirror.postfix))


def _is_selector_aware(destination: Composite | VirtualTopic) -> bool:
    return isinstance(destination, VirtualTopic) and destination.selector_aware
