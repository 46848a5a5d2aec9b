"""Ways on from the queues and subscriptions of an ActiveMQ broker: dead letters, by the policies of their destinations.

Without a policy the dead letters of all are in one queue, expired messages among them. A message that is in its own
dead-letter queue stays there.

Sources: ``RegionBroker.sendToDeadLetterQueue``, ``SharedDeadLetterStrategy``, ``IndividualDeadLetterStrategy`` and
``DestinationMap.chooseValue`` of ActiveMQ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cmp_to_key

from transpiler.topology.destinations import ACTIVEMQ_KEYS, NOWHERE, OWN_QUEUE, QUEUE_KIND
from transpiler.topology.importers.activemq_config import DeadLetters, Kind
from transpiler.topology.importers.activemq_patterns import Words, covers, literal_name, of_virtual, words_of
from transpiler.topology.model import Link


class DeadLetterLinks:
    """The links of destinations by policies, the closest first."""

    def __init__(self, policies: Iterable[DeadLetters]) -> None:
        self._policies = sorted(policies, key=cmp_to_key(_compare))

    def of(self, kind: Kind, name: str, source: str, place: str = "") -> Iterator[Link]:
        """Yield the link of the dead letters of a destination, from a queue or subscription of it."""
        key = tuple(ACTIVEMQ_KEYS.translate(name).split("."))
        for policy in self._policies:
            if policy.kind == kind and covers(_pattern(policy), key):
                break
        else:
            policy = DeadLetters(kind, ">")
        link = _link(policy, name, source, place or policy.place)
        if link is not None and (link.destination, link.key) != (kind, ".".join(key)):
            yield link

    def of_other_queues(self) -> Iterator[Link]:
        """Yield the links of queues that sends make."""
        policies = [policy for policy in self._policies if policy.kind == QUEUE_KIND]
        by_pattern = {".".join(_pattern(policy)): policy for policy in reversed([*policies, DeadLetters("queue", ">")])}
        for pattern, policy in reversed(by_pattern.items()):
            link = _link(policy, OWN_QUEUE, OWN_QUEUE, policy.place, pattern)
            yield link or Link("dead-letter", "", OWN_QUEUE, NOWHERE, pattern=pattern)


def _link(policy: DeadLetters, name: str, source: str, place: str, pattern: str | None = None) -> Link | None:
    to = policy.to if policy.affixes is None else f"{policy.affixes[0]}{name}{policy.affixes[1]}"
    if to is None:
        return None
    when = "delivered too often" + (" or expired" if policy.expired else "")
    when = when if policy.non_persistent else f"persistent, and {when}"
    key = ACTIVEMQ_KEYS.translate(to)
    return Link("dead-letter", when, source, policy.to_kind, key=key, path=place, pattern=pattern)


def _pattern(policy: DeadLetters) -> Words:
    return of_virtual(words_of(policy.pattern))


def _compare(one: DeadLetters, other: DeadLetters) -> int:
    """Order names before patterns, and patterns before those that match them."""
    first, second = _pattern(one), _pattern(other)
    plain = (literal_name(second) is not None) - (literal_name(first) is not None)
    if plain or first == second:
        return plain
    if covers(first, second):
        return 1
    return -1 if covers(second, first) else (one.pattern > other.pattern) - (one.pattern < other.pattern)
