"""Names in filters of Artemis that say how a message came to an address: replaced by what is known there (rule 10).

``AMQAddress`` is the address itself. After a divert, or on the way to a dead letter address, the broker sets
``_AMQ_ORIG_ADDRESS``, ``_AMQ_ORIG_QUEUE``, ``_AMQ_ORIG_ROUTING_TYPE`` and ``_AMQ_ORIG_MESSAGE_ID``, in the place of
what the message had by these names. So a topology with filters that read them has its exchanges once for each way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from transpiler.selector.dialects import ARTEMIS
from transpiler.topology.destinations import entry_name
from transpiler.topology.importers.artemis_wildcards import Words
from transpiler.topology.importers.known_names import Known, Unknown, reads_names, with_known_names

ADDRESS = "AMQAddress"
_ORIGINAL_ADDRESS, _ORIGINAL_QUEUE = "_AMQ_ORIG_ADDRESS", "_AMQ_ORIG_QUEUE"
_ORIGINAL_TYPE, _ORIGINAL_ID = "_AMQ_ORIG_ROUTING_TYPE", "_AMQ_ORIG_MESSAGE_ID"

_NAMES = frozenset({ADDRESS, _ORIGINAL_ADDRESS, _ORIGINAL_QUEUE, _ORIGINAL_TYPE, _ORIGINAL_ID})


#: A routing type or a queue that is not known.
UNKNOWN = "?"

_ROUTING_TYPES: Mapping[str, int | Unknown] = {"ANYCAST": 1, "MULTICAST": 0, UNKNOWN: Unknown.PERHAPS}


class Hop(NamedTuple):
    """Headers that the broker sets when it forwards a message; ``queue`` is the divert's or queue's name, or None.

    ``address`` is the one before, None where it is not known.
    """

    name: str
    address: str | None
    type: str | None
    queue: str | None = None


class Entry(NamedTuple):
    """An entry: the routing type, whether a queue is named, whether dead letters are sent on, and the hop before.

    ``at`` is the address, where a hop has decided it. Behind a dead letter address nobody's session creates or refuses
    anything: the entry is ``detached``.
    """

    type: str | None
    qualified: bool = False
    last: bool = False
    hop: Hop | None = None
    at: Words | None = None
    detached: bool = False

    @property
    def name(self) -> str:
        """The name of its exchange."""
        name = entry_name(self.type, self.qualified)
        if self.last:
            name += ", dead letters"
        elif self.detached:
            name += ", behind dead letters"
        if self.hop is not None:
            name += f" after {self.hop.name} from {self.hop.address} {self.hop.type} at {'.'.join(self.at or ())}"
        return name

    def key(self, words: Words, queue: str | None = None) -> str:
        """Return words as a key here, behind the word of a queue where one is named."""
        text = ".".join(words)
        if not self.qualified:
            return text
        return f"{'*' if queue is None else queue}.{text}"


def reads_hops(selector: str | None) -> bool:
    """Return True if a filter reads how the message came."""
    return reads_names(selector, _NAMES, ARTEMIS)


def filter_at(selector: str, hop: Hop | None, address: str | None) -> tuple[str | None, bool]:
    """Return a filter with what is known at an address in the place of names; False if its answer is not certain.

    There is no filter where it depends on what nobody knows: every message may match then.
    """

    def value(name: str) -> Known:
        if name == ADDRESS:
            return Unknown.SOME if address is None else address
        if hop is None or name not in _NAMES:
            return Unknown.OWN
        match name:
            case "_AMQ_ORIG_ADDRESS":
                return Unknown.SOME if hop.address is None else hop.address
            case "_AMQ_ORIG_QUEUE":
                return Unknown.SOME if hop.queue == UNKNOWN else hop.queue
            case "_AMQ_ORIG_ROUTING_TYPE":
                return None if hop.type is None else _ROUTING_TYPES[hop.type]
            case _:
                return Unknown.SOME

    return with_known_names(selector, value, ARTEMIS)
