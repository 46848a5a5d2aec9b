"""Entries of an ActiveMQ topology: the exchanges that sends and forwards come to, and the names that they are for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from transpiler.base.topics import TopicPattern
from transpiler.topology.addressing import LISTED
from transpiler.topology.importers.activemq_config import Composite, Mirror, VirtualTopic
from transpiler.topology.importers.activemq_patterns import between, covers, of_virtual, words_of, words_sent


class Entry(NamedTuple):
    """An entry; where filters read the destination, the destination before and the name that was forwarded to.

    ``listed`` if the message was sent to a list of destinations. With a ``mirror`` its key is that of a queue, whose
    messages the mirror sends to a topic.
    """

    kind: str
    before: str | None = None
    at: str | None = None
    listed: bool = False
    mirror: Mirror | None = None

    @property
    def name(self) -> str:
        """The name of its exchange."""
        name = self.kind + (LISTED if self.listed else "")
        if self.mirror is not None:
            name += f", mirrors {self.mirror.prefix} {self.mirror.postfix} of other queues"
        return name if self.before is None else f"{name} {self.at} after {self.before}"


def key_at(entry: Entry) -> TopicPattern:
    """Return the words of the key of an entry where it is known."""
    return words_sent(entry.at or "")


def is_plain(entry: Entry) -> bool:
    """Return True if the only key of an entry is known, and has no wildcards."""
    return entry.at is not None and not {"*", ">"} & set(entry.at)


def may_come(entry: Entry, destination: Composite | VirtualTopic) -> bool:
    """Return True unless the key of an entry is known not to be a virtual destination's."""
    return not is_plain(entry) or covers(of_virtual(words_of(destination.name)), key_at(entry))


def keys_at(entry: Entry, patterns: Iterable[TopicPattern]) -> Iterable[TopicPattern]:
    """Return patterns of names as those of keys at an entry, each once."""
    if entry.mirror is None:
        return dict.fromkeys(patterns)
    found = (between(pattern, entry.mirror.prefix, entry.mirror.postfix) for pattern in patterns)
    return dict.fromkeys(words for words in found if words is not None)
