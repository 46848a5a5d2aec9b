"""The topology of an ActiveMQ broker: interceptors, virtual destinations and subscriptions as exchanges.

A message enters at the exchange of its destination's kind, with the name as the key. Each interceptor is an exchange
whose bindings lead to the virtual destinations that match, and whose alternate is the interceptor within; innermost are
the queue itself (``OWN_QUEUE``: queues are made when they are sent to) and the subscriptions of topics. A target of a
virtual destination leads back to an entry, with its name as the key.

Only the file's queues, and those of the state that the caller gives, are there for virtual topics to find, and only the
state's subscriptions and consumers. The numbers in comments are those of the page of rules, docs/jms-brokers.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from transpiler.diagnostics import Diagnostic
from transpiler.filters.topics import MANY_WORDS, ONE_WORD
from transpiler.selector import ast
from transpiler.selector.dialects import ACTIVEMQ as DIALECT
from transpiler.selector.grammar import parse_selector
from transpiler.topology.broker_rules import ACTIVEMQ
from transpiler.topology.destinations import (
    ACTIVEMQ_KEYS,
    ACTIVEMQ_PATTERNS,
    FAILED,
    LISTED,
    OWN_QUEUE,
    QUEUE_KIND,
    SENT_WILDCARD,
    SENT_WILDCARDS,
    TOPIC_KIND,
    activemq_parts,
)
from transpiler.topology.importers.activemq_config import ActiveMQConfig, Composite, Mirror, VirtualTopic
from transpiler.topology.importers.exchange_builder import ANY_KEY, ExchangeBuilder, Target
from transpiler.topology.model import Alternate, Queue, Topology

Words = tuple[str, ...]

#: Words of a name for which sends to names with wildcards are computed, and names at most.
_MAX_WORDS, _MAX_NAMES = 4, 500

_DESTINATION = "JMSDestination"


class _Subscription(NamedTuple):
    """A subscription to topics, or a consumer of queues, with the pattern of keys; ``exact`` if that is all it has."""

    name: str
    kind: str
    pattern: Words
    selector: str | None
    exact: bool


class _Entry(NamedTuple):
    """An entry; where filters read the destination, the destination before and the name that was forwarded to.

    ``listed`` if the message was sent to a list of destinations.
    """

    kind: str
    before: str | None = None
    at: str | None = None
    listed: bool = False

    @property
    def name(self) -> str:
        name = self.kind + (LISTED if self.listed else "")
        return name if self.before is None else f"{name} {self.at} after {self.before}"


def topology_of_activemq(config: ActiveMQConfig, state: Mapping[str, Any]) -> Topology:
    """Return the topology of a configuration with the queues, subscriptions and consumers of a state."""
    return _ActiveMQ(config, state).topology()


class _ActiveMQ:
    def __init__(self, config: ActiveMQConfig, state: Mapping[str, Any]) -> None:
        self._config = config
        self._builder = ExchangeBuilder()
        self._findings: list[Diagnostic] = list(config.findings)
        self._subscriptions = list(_subscriptions(state))
        self._knows_consumers = "subscriptions" in state or "consumers" in state
        #: The queues that are there, with True for those that a send may have made.
        self._queues: dict[str, bool] = dict.fromkeys(config.queues, False)
        for name in _names(state.get("queues", ())):
            self._queues.setdefault(name, False)
        for subscription in (*state.get("subscriptions", ()), *state.get("consumers", ())):
            for kind, name in _parts(_destination_of(subscription)):
                if kind == QUEUE_KIND:
                    self._queues.setdefault(name, False)
        for name in self._mentioned():
            self._queues.setdefault(name, True)
        self._reads_destination = any(_reads_destination(selector) for selector in self._selectors())
        self._done: set[_Entry] = set()
        self._waiting: list[_Entry] = []
        self._bases: dict[_Entry, str] = {}

    def _mentioned(self) -> Iterator[str]:
        for interceptor in self._config.interceptors:
            for destination in interceptor.destinations:
                if isinstance(destination, Composite):
                    if destination.kind == QUEUE_KIND and not {"*", ">"} & set(destination.name):
                        yield destination.name
                    yield from (forward.name for forward in destination.forwards if forward.kind == QUEUE_KIND)

    def _selectors(self) -> Iterator[str | None]:
        for interceptor in self._config.interceptors:
            for destination in interceptor.destinations:
                if isinstance(destination, Composite):
                    yield from (forward.filter for forward in destination.forwards)
        yield from (subscription.selector for subscription in self._subscriptions)

    def topology(self) -> Topology:
        for kind in (QUEUE_KIND, TOPIC_KIND):
            for listed in (False, True) if self._reads_destination else (False,):
                self._enter(_Entry(kind, listed=listed))
        while self._waiting:
            self._build(self._waiting.pop())
        names = dict.fromkeys(
            binding.destination for binding in self._builder.bindings if binding.destination_type == "queue"
        )
        names |= dict.fromkeys(f"queue://{name}" for name, made in self._queues.items() if not made)
        queues = tuple(Queue(name) for name in names if not name.startswith("{"))
        return Topology(
            ACTIVEMQ,
            tuple(self._builder.exchanges.values()),
            queues,
            tuple(self._builder.bindings),
            findings=tuple(dict.fromkeys(self._findings)),
        )

    def _enter(self, entry: _Entry) -> str:
        if entry not in self._done:
            self._done.add(entry)
            self._waiting.append(entry)
            self._builder.exchange(entry.name, entry=entry.before is None)
        return entry.name

    def _forward(self, kind: str, name: str, before: str | None) -> Target:
        """Return the way to a destination by its name; ``before`` is the one that forwards there, if it is known."""
        name = name.partition("?")[0].strip()
        entry = _Entry(kind)
        if self._reads_destination:
            entry = _Entry(kind, before or "", name)
        return Target("exchange", self._enter(entry), ACTIVEMQ_KEYS.translate(name))

    # One entry

    def _build(self, entry: _Entry) -> None:
        builder = self._builder
        levels: list[tuple[tuple[Composite | VirtualTopic, ...], Mirror | None]] = []
        for interceptor in self._config.interceptors:
            destinations = tuple(each for each in interceptor.destinations if _kind_of(each) == entry.kind)
            mirror = interceptor.mirror if entry.kind == QUEUE_KIND else None
            if destinations or mirror is not None:
                levels.append((destinations, mirror))
        source = entry.name
        for number, (destinations, mirror) in reversed(list(enumerate(levels))):
            # Rule 12: the last interceptor is outermost.
            within = builder.exchange(f"{entry.name}, behind {number + 1}" if number else f"{entry.name} itself")
            if mirror is not None:
                builder.bind(source, ANY_KEY, Target("exchange", within))
                self._mirror(source, mirror, entry)
            else:
                self._alternate(source, within)
                for destination in destinations:
                    self._virtual(source, within, destination, entry)
            source = within
        if entry.kind == QUEUE_KIND:
            self._queue_itself(source, entry)
        else:
            self._subscribers(source, entry)

    def _alternate(self, source: str, within: str) -> None:
        self._builder.exchanges[source] = replace(self._builder.exchanges[source], alternate=Alternate(within))

    def _queue_itself(self, source: str, entry: _Entry) -> None:
        builder = self._builder
        builder.bind(source, ANY_KEY, Target("queue", OWN_QUEUE))
        consumers = [each for each in self._subscriptions if each.kind == QUEUE_KIND and each.name]
        if not consumers:
            return
        chosen = builder.exchange(f"{source}, consumers", "anycast")
        for pattern in dict.fromkeys(each.pattern for each in consumers):
            builder.bind(source, ".".join(pattern), Target("exchange", chosen))
        for consumer in consumers:
            self._subscribe(chosen, consumer, entry)

    def _subscribers(self, source: str, entry: _Entry) -> None:
        for subscription in self._subscriptions:
            if subscription.kind == TOPIC_KIND:
                self._subscribe(source, subscription, entry)

    def _subscribe(self, source: str, subscription: _Subscription, entry: _Entry) -> None:
        target: Target | None = Target("queue", subscription.name)
        selector, certain = subscription.selector, subscription.exact
        if selector is not None and _reads_destination(selector):
            # A consumer sees where the message is.
            at = entry.at if entry.at is not None else _literal(subscription.pattern)
            value = None if at is None else f"{entry.kind}://{at}"
            selector, known = _with_destination(selector, value)
            certain &= known
        if not certain:
            maybe = self._builder.exchange(f"{subscription.name} perhaps", "maybe")
            self._builder.bind(maybe, ANY_KEY, target, selector)
            target, selector = Target("exchange", maybe), None
        for pattern in (subscription.pattern, *self._sent_to_prefix(subscription.pattern)):
            self._builder.bind(source, ".".join(pattern), target, selector)

    def _sent_to_prefix(self, pattern: Words) -> Iterator[Words]:
        """Yield the names with wildcards that a subscription to all below a name has: a word ``*`` is any of its."""
        if pattern[-1] != MANY_WORDS or not 1 < len(pattern) <= _MAX_WORDS or len(self._subscriptions) > _MAX_NAMES:
            return
        plain = {pattern[:-1]}
        for words in product(*((word,) if word == ONE_WORD else (word, SENT_WILDCARD) for word in pattern[:-1])):
            if words not in plain:
                yield (*words, MANY_WORDS)

    # Virtual destinations

    def _virtual(self, source: str, within: str, destination: Composite | VirtualTopic, entry: _Entry) -> None:
        builder = self._builder
        pattern = _cut(_pattern(destination.name))
        if pattern != _pattern(destination.name):
            self._warn_of_inner_wildcard(destination.name)
        name = builder.exchange(f"{entry.name}, {destination.name}")
        builder.bind(source, ".".join(pattern), Target("exchange", name), place=destination.place)
        itself = Target("exchange", within)
        if isinstance(destination, VirtualTopic):
            # Rule 8: to queues, and to the topic.
            builder.bind(name, ANY_KEY, itself)
            self._virtual_queues(name, destination, entry)
            return
        if destination.keeps:
            builder.bind(name, ANY_KEY, itself)
        elif destination.keeps is None:
            self._alternate(name, within)
        own = entry.at if entry.at is not None else _literal(pattern)
        before = None if own is None else f"{entry.kind}://{own}"
        for forward in destination.forwards:
            # Rule 6: a filter sees the destination before this one.
            seen = None if entry.listed else before if entry.before is None else entry.before or None
            target = self._forward(forward.kind, forward.name, before)
            selector, certain = forward.filter, True
            if selector is not None:
                selector, certain = _with_destination(selector, seen)
            if not certain:
                maybe = builder.exchange(f"{name} perhaps to {forward.name}", "maybe")
                builder.bind(maybe, ANY_KEY, target, selector, forward.place)
                target, selector = Target("exchange", maybe), None
            builder.bind(name, ANY_KEY, target, selector, forward.place)
            if forward.filter is not None:
                self._failures(name, forward.filter, forward.place)

    def _failures(self, source: str, selector: str, place: str) -> None:
        """Rule 5: arithmetic on a boolean ends the send."""
        tree = parse_selector(selector, DIALECT)
        if tree is None:
            return
        shielded = any(isinstance(node, ast.And | ast.Or) for node in ast.walk(tree))
        names: dict[str, None] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Calculate):
                names |= {each.name: None for each in (node.left, node.right) if isinstance(each, ast.Identifier)}
            elif isinstance(node, ast.Sign) and isinstance(node.operand, ast.Identifier):
                names[node.operand.name] = None
        if not names:
            return
        target = Target("queue", FAILED)
        if shielded:
            # The other side of AND or OR may decide before.
            maybe = self._builder.exchange(f"{source} perhaps fails", "maybe")
            self._builder.bind(maybe, ANY_KEY, target)
            target = Target("exchange", maybe)
        for name in names:
            self._builder.bind(source, ANY_KEY, target, f"{name} = TRUE OR {name} = FALSE", place)

    def _virtual_queues(self, name: str, topic: VirtualTopic, entry: _Entry) -> None:
        """Rule 8: the queues that are there and whose name is prefix, topic and postfix."""
        few = len(self._queues) <= _MAX_NAMES
        own = entry.at if entry.at is not None else _literal(_pattern(topic.name))
        before = None if own is None else f"{TOPIC_KIND}://{own}"
        for queue, perhaps in self._queues.items():
            words = _between(_pattern(queue), topic.prefix, topic.postfix)
            if words is None:
                continue
            sent = self._forward(QUEUE_KIND, queue, before)
            if self._reads_destination and before is None and _literal(words) is not None:
                sent = self._forward(QUEUE_KIND, queue, f"{TOPIC_KIND}://{_literal(words)}")
            keys = [words]
            if few and len(words) <= _MAX_WORDS and _literal(words) is not None:
                keys += _sent_with_wildcards(words)
            for selector, certain in self._watched(queue, topic):
                target = sent
                if perhaps or not certain:
                    maybe = self._builder.exchange(f"{name} perhaps to {queue}", "maybe")
                    self._builder.bind(maybe, ANY_KEY, target)
                    target = Target("exchange", maybe)
                for key in keys:
                    self._builder.bind(name, ".".join(key), target, selector, topic.place)

    def _watched(self, queue: str, topic: VirtualTopic) -> Iterator[tuple[str | None, bool]]:
        """Yield the selectors under which a queue gets a message, and whether that is certain (rule 10)."""
        if not topic.selector_aware:
            yield None, True
            return
        if not self._knows_consumers:
            yield None, False
            return
        key = tuple(ACTIVEMQ_KEYS.translate(queue).split("."))
        for consumer in self._subscriptions:
            if consumer.kind == QUEUE_KIND and _covers(consumer.pattern, key):
                yield consumer.selector, True

    def _mirror(self, source: str, mirror: Mirror, entry: _Entry) -> None:
        """Rule 13: every queue's messages go to a topic, too."""
        builder = self._builder
        others = builder.exchange(f"{entry.name}, mirrors of other queues")
        known = builder.exchange(f"{entry.name}, mirrors")
        self._alternate(known, others)
        builder.bind(source, ANY_KEY, Target("exchange", known), place=mirror.place)
        for queue in self._queues:
            topic = self._forward(TOPIC_KIND, f"{mirror.prefix}{queue}{mirror.postfix}", f"queue://{queue}")
            builder.bind(known, ACTIVEMQ_KEYS.translate(queue), topic, place=mirror.place)
        for subscription in self._subscriptions:
            if subscription.kind != TOPIC_KIND:
                continue
            words = _between(subscription.pattern, mirror.prefix, mirror.postfix)
            if words is not None:
                self._subscribe(others, subscription._replace(pattern=words), entry)

    def _warn_of_inner_wildcard(self, name: str) -> None:
        message = f"> stands inside {name!r}, and the broker reads the name as if it ended there"
        self._findings.append(Diagnostic("topology.any-words", "warning", message))


def _kind_of(destination: Composite | VirtualTopic) -> str:
    return destination.kind if isinstance(destination, Composite) else TOPIC_KIND


def _pattern(name: str) -> Words:
    return tuple(ACTIVEMQ_PATTERNS.translate(name).split("."))


def _cut(pattern: Words) -> Words:
    """Return a pattern up to its first any-words (rule 14)."""
    return pattern[: pattern.index(MANY_WORDS) + 1] if MANY_WORDS in pattern else pattern


def _literal(words: Words) -> str | None:
    """Return the name that a pattern without wildcards is."""
    if MANY_WORDS in words or ONE_WORD in words:
        return None
    return ACTIVEMQ_PATTERNS.inverse.translate(".".join(words))


def _covers(pattern: Words, key: Words) -> bool:
    for number, word in enumerate(pattern):
        if word == MANY_WORDS:
            return True
        if number >= len(key) or word not in (ONE_WORD, key[number]):
            return False
    return len(pattern) == len(key)


def _between(words: Words, prefix: str, postfix: str) -> Words | None:
    """Return the pattern of the names that are matched with a prefix before and a postfix behind; None without any.

    Prefixes are compared word by word, the last word of a prefix as the beginning of a word, and postfixes likewise.
    """
    text = ".".join(words)
    if text == MANY_WORDS:
        return words
    before = list(_pattern(prefix)) if prefix else [""]
    head, rest = before[:-1], list(words)
    for word in head:
        if rest and rest[0] == MANY_WORDS:
            return (MANY_WORDS,)
        if not rest or not (word in (ONE_WORD, rest[0]) or rest[0] == ONE_WORD):
            return None
        rest.pop(0)
    if not rest:
        return None
    if before[-1]:
        if not rest[0].startswith(before[-1]):
            return None
        rest[0] = rest[0].removeprefix(before[-1])
    behind = list(_pattern(postfix)) if postfix else [""]
    if rest[-1] == MANY_WORDS:
        return tuple(rest)
    for word in reversed(behind[1:]):
        if len(rest) < 2 or word not in (ONE_WORD, rest[-1]):
            return None
        rest.pop()
    if behind[0]:
        if not rest[-1].endswith(behind[0]):
            return None
        rest[-1] = rest[-1].removesuffix(behind[0])
    return tuple(rest)


def _sent_with_wildcards(words: Words) -> list[Words]:
    """Return the keys of names with wildcards that match a name, as a sender writes them."""
    keys: list[Words] = []
    for length in range(len(words) + 1):
        for chosen in product(*((word, SENT_WILDCARD) for word in words[:length])):
            keys.append((*chosen, SENT_WILDCARDS))
            if length == len(words) and chosen != words:
                keys.append(chosen)
    return keys


def _subscriptions(state: Mapping[str, Any]) -> Iterator[_Subscription]:
    for item in (*state.get("subscriptions", ()), *state.get("consumers", ())):
        selector = item.get("selector", item.get("filter")) or None
        for kind, name in _parts(_destination_of(item)):
            pattern = _pattern(name)
            cut = _cut(pattern)
            yield _Subscription(str(item.get("name", "")), kind, cut, selector, cut == pattern)


def _destination_of(item: Mapping[str, Any]) -> str:
    if "destination" in item:
        return str(item["destination"])
    queue = str(item["queue"])
    return queue if "://" in queue else f"queue://{queue}"


def _parts(destination: str) -> Iterable[tuple[str, str]]:
    return activemq_parts(destination)


def _names(queues: Sequence[Any]) -> Iterator[str]:
    for queue in queues:
        text = str(queue["name"] if isinstance(queue, Mapping) else queue)
        yield text.removeprefix("queue://")


def _reads_destination(selector: str | None) -> bool:
    if selector is None or _DESTINATION not in selector:
        return False
    tree = parse_selector(selector, DIALECT)
    return tree is not None and any(
        isinstance(node, ast.Identifier) and node.name == _DESTINATION for node in ast.walk(tree)
    )


def _with_destination(selector: str, destination: str | None) -> tuple[str | None, bool]:
    """Return a selector with the destination in the place of its name; None, False where that is not known."""
    if not _reads_destination(selector):
        return selector, True
    if destination is None:
        return None, False
    tree = parse_selector(selector, DIALECT)
    assert tree is not None
    text = "'" + destination.replace("'", "''") + "'"
    edits: list[tuple[int, int, str]] = []
    decided: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.IsNull) and isinstance(node.operand, ast.Identifier):
            if node.operand.name == _DESTINATION:
                decided.add(node.operand.span.start)
                edits.append((node.span.start, node.span.end, "TRUE" if node.negated else "FALSE"))
        elif isinstance(node, ast.Identifier) and node.name == _DESTINATION and node.span.start not in decided:
            edits.append((node.span.start, node.span.end, text))
    for start, end, replaced in sorted(edits, reverse=True):
        selector = selector[:start] + replaced + selector[end:]
    return selector, True
