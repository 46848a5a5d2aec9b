"""Patterns of the names of ActiveMQ's destinations, and the links of dead letters under policies for such patterns.

A pattern is a sequence of words: ``*`` matches any one word, and the multi-word wildcard ``>`` comes last (rule 14 of
docs/jms-brokers.md). Without a policy, all dead letters go to one queue, including expired messages. A message in its
own dead-letter queue stays there.

Sources: ``RegionBroker.sendToDeadLetterQueue``, ``SharedDeadLetterStrategy``, ``IndividualDeadLetterStrategy`` and
``DestinationMap.chooseValue`` of ActiveMQ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cmp_to_key
from itertools import product, zip_longest

from transpiler.base.topics import MANY_WORDS, ONE_WORD, TopicPattern, is_wild
from transpiler.topology.addressing import QUEUE_KIND, TOPIC_KIND
from transpiler.topology.broker_rules import ACTIVEMQ
from transpiler.topology.importers.activemq_config import DeadLetters
from transpiler.topology.records import Link
from transpiler.topology.targets import NOWHERE

#: The pattern of all names.
ANY_NAME: TopicPattern = (MANY_WORDS,)

#: ActiveMQ's rules for splitting names into words. In a name that a sender writes, wildcard characters are plain text.
_TOPIC = ACTIVEMQ.topic

key_of, words_sent, words_of, name_of = _TOPIC.key, _TOPIC.words, _TOPIC.name_pattern, _TOPIC.syntax.text


def up_to_any(pattern: TopicPattern) -> TopicPattern:
    """Return ``pattern`` up to and including its first multi-word wildcard; the broker ignores the words after it."""
    return pattern[: pattern.index(MANY_WORDS) + 1] if MANY_WORDS in pattern else pattern


def of_virtual(pattern: TopicPattern) -> TopicPattern:
    """Return the pattern of a virtual destination or policy as ActiveMQ's tree of names interprets it.

    A multi-word wildcard that does not come last matches one word or more, and the words after it are ignored.
    """
    cut = up_to_any(pattern)
    return cut if len(cut) == len(pattern) else (*cut[:-1], ONE_WORD, MANY_WORDS)


def literal_name(words: TopicPattern) -> str | None:
    """Return the name that ``words`` spells if it has no wildcards; None if it has wildcards."""
    return None if is_wild(words) else name_of(words)


def covers(pattern: TopicPattern, key: TopicPattern) -> bool:
    """Return True if ``pattern`` matches ``key``, or every name that ``key`` matches if it is a pattern."""
    for number, word in enumerate(pattern):
        if word == MANY_WORDS:
            return True
        if number >= len(key) or key[number] == MANY_WORDS or word not in (ONE_WORD, key[number]):
            return False
    return len(pattern) == len(key)


def meets(pattern: TopicPattern, other: TopicPattern) -> bool:
    """Return True if some destination name matches both patterns.

    The patterns have a multi-word wildcard only at the end.
    """
    for one, two in zip_longest(pattern, other):
        if MANY_WORDS in (one, two):
            return True
        if one is None or two is None or (one != two and ONE_WORD not in (one, two)):
            return False
    return True


def between(words: TopicPattern, prefix: str, postfix: str) -> TopicPattern | None:
    """Return ``words`` without ``prefix`` and ``postfix``; None if ``words`` does not begin and end with them.

    ``prefix`` and ``postfix`` are compared word by word. The last word of ``prefix`` can be the beginning of a longer
    word, and the first word of ``postfix`` the end of a longer word.
    """
    if words == (MANY_WORDS,):
        return words
    head, rest = prefix.split("."), list(words)
    beginning = head.pop()
    for word in words_of(".".join(head)) if head else ():
        if rest and rest[0] == MANY_WORDS:
            return (MANY_WORDS,)
        if not rest or not (word in (ONE_WORD, rest[0]) or rest[0] == ONE_WORD):
            return None
        rest.pop(0)
    if not rest:
        return None
    if beginning:
        if not (isinstance(rest[0], str) and rest[0].startswith(beginning)):
            return None
        rest[0] = rest[0].removeprefix(beginning)
    end, *tail = postfix.split(".")
    if rest[-1] == MANY_WORDS:
        return tuple(rest)
    for word in reversed(words_of(".".join(tail)) if tail else ()):
        if len(rest) < 2 or word not in (ONE_WORD, rest[-1]):
            return None
        rest.pop()
    if end:
        if not (isinstance(rest[-1], str) and rest[-1].endswith(end)):
            return None
        rest[-1] = rest[-1].removesuffix(end)
    return tuple(rest)


def topics_of(queue: TopicPattern, prefix: str, postfix: str) -> Iterator[tuple[TopicPattern, bool]]:
    """Yield patterns of the topics from which a virtual topic with ``prefix`` and ``postfix`` copies to ``queue``.

    Each pattern comes with True if the queue certainly gets the messages. ActiveMQ looks up prefix, topic and postfix
    as one pattern in its tree of names. At a multi-word wildcard it stops, and takes every queue below: then only the
    queues that match the whole pattern are certain.
    """
    before, behind = (words_of(text) if text else () for text in (prefix, postfix))
    if MANY_WORDS in before:
        position = before.index(MANY_WORDS)
        if len(queue) > position and covers(before[:position], queue[:position]):
            rest = name_of(before[position + 1 :])
            for start in range(position, len(queue)):
                yield from ((words, True) for words, certain in topics_of(queue[start:], rest, postfix) if certain)
            yield (MANY_WORDS,), False
        return
    if MANY_WORDS in behind:
        whole = name_of(behind[: behind.index(MANY_WORDS)])
        for end in range(1, len(queue) + 1):
            words = between(queue[:end], prefix, whole)
            if words is not None:
                yield words, True
        return
    words = between(queue, prefix, postfix)
    if words is not None:
        yield words, True


def sent_with_wildcards(pattern: TopicPattern) -> list[TopicPattern]:
    """Return patterns for destinations that match ``pattern``, and whose names contain wildcard characters.

    A sender can use such a name: ``a.*`` is then plain text, not a pattern.
    """
    one_word, many_words = _TOPIC.syntax.one_word, _TOPIC.syntax.many_words
    words = up_to_any(pattern)
    ends = words[-1:] if words[-1:] == (MANY_WORDS,) else ()
    words = words[: len(words) - len(ends)]
    keys: list[TopicPattern] = []
    for length in range(len(words) + 1):
        for chosen in product(*((word, one_word) for word in words[:length])):
            keys.append((*chosen, many_words))
            if length == len(words) and (chosen != words or ends):
                keys.append((*chosen, *ends))
    return keys


def matching_patterns(patterns: Iterable[str], name: str) -> list[str]:
    """Return those of ``patterns`` that match the destination ``name``, the closest pattern first.

    ActiveMQ uses only the first. The patterns must be of destinations of the same kind (``PolicyMap.getEntryFor``,
    ``DestinationMap.chooseValue``).
    """
    ordered = sorted((DeadLetters("queue", pattern) for pattern in patterns), key=cmp_to_key(_compare))
    key = words_sent(name)
    return [one.pattern for one in ordered if covers(_pattern(one), key)]


class DeadLetterLinks:
    """A builder of dead-letter links. For each destination, it uses the policy whose pattern is closest to the name."""

    def __init__(self, policies: Iterable[DeadLetters]) -> None:
        self._policies = sorted(policies, key=cmp_to_key(_compare))

    def of(self, kind: str, name: str, source: str, location: str = "") -> Iterator[Link]:
        """Yield the dead-letter link from ``source``, a queue or a subscription of the destination ``name``, if any."""
        key = words_sent(name)
        for policy in self._policies:
            if policy.kind == kind and covers(_pattern(policy), key):
                break
        else:
            policy = DeadLetters(kind, ">")
        link = _link(policy, name, source, location or policy.location)
        if link is not None and (link.destination, link.key) != (kind, name):
            yield link

    def of_topics(self, pattern: TopicPattern, source: str) -> Iterator[Link]:
        """Yield the dead-letter links of a subscription to the topics that ``pattern`` matches.

        There is a single link, or one link for each policy whose pattern covers some of the topics. A link with affixes
        leads to one destination for each topic, and its key contains the pattern of the topics.
        """
        policies = []
        for policy in (*(one for one in self._policies if one.kind == TOPIC_KIND), DeadLetters(TOPIC_KIND, ">")):
            if meets(_pattern(policy), pattern):
                policies.append(policy)
            if covers(_pattern(policy), pattern):
                break
        links = []
        for policy in policies:
            topics = name_of(pattern) if covers(_pattern(policy), pattern) else policy.pattern
            link = _link(policy, topics, source, policy.location)
            if link is not None:
                links.append(replace(link, pattern=topics))
        if len(links) == len(policies) and len({(link.destination, link.key, link.when) for link in links}) == 1:
            yield replace(links[0], pattern=name_of(pattern))
            return
        for link in links:
            yield replace(link, when=f"{link.when}, of topics {link.pattern}")

    def of_other_queues(self) -> Iterator[Link]:
        """Yield the dead-letter links of queues that sends create: one link for the queues of each policy's pattern."""
        policies = [policy for policy in self._policies if policy.kind == QUEUE_KIND]
        by_pattern = {key_of(_pattern(policy)): policy for policy in reversed([*policies, DeadLetters("queue", ">")])}
        for pattern, policy in reversed(by_pattern.items()):
            yield _link_of_made(policy, pattern)


def _link(policy: DeadLetters, name: str, source: str, location: str) -> Link | None:
    to = policy.to if policy.affixes is None else f"{policy.affixes[0]}{name}{policy.affixes[1]}"
    if to is None:
        return None
    return Link("dead-letter", _when(policy), source, policy.to_kind, key=to, path=location, affixes=policy.affixes)


def _link_of_made(policy: DeadLetters, pattern: str) -> Link:
    """Return the dead-letter link of the queues that sends create and that match ``pattern``.

    If ``policy`` does not state where dead letters go, the link leads nowhere.
    """
    nowhere = policy.to is None and policy.affixes is None
    kind, to = NOWHERE[:2] if nowhere else ("exchange", policy.to_kind)
    key = None if policy.affixes is not None else policy.to
    return Link(
        "dead-letter",
        "" if nowhere else _when(policy),
        "",
        to,
        "own-queue",
        kind,
        key,
        "" if nowhere else policy.location,
        pattern,
        policy.affixes,
    )


def _when(policy: DeadLetters) -> str:
    when = "delivered too often" + (" or expired" if policy.expired else "")
    return when if policy.non_persistent else f"persistent, and {when}"


def _pattern(policy: DeadLetters) -> TopicPattern:
    return of_virtual(words_of(policy.pattern))


def _compare(one: DeadLetters, other: DeadLetters) -> int:
    """Compare two policies for sorting: names come before patterns, and a pattern before the patterns that cover it."""
    first, second = _pattern(one), _pattern(other)
    plain = (literal_name(second) is not None) - (literal_name(first) is not None)
    if plain or first == second:
        return plain
    if covers(first, second):
        return 1
    return -1 if covers(second, first) else (one.pattern > other.pattern) - (one.pattern < other.pattern)
