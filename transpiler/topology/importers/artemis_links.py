"""Ways on from the queues of an Artemis broker: to dead-letter and expiry addresses, by address settings.

A queue that is at its own dead-letter or expiry address keeps the message. Where the settings say so, the broker makes
a queue of its own at that address for each address that messages come from; its filter compares that one, so that it
is a link here.

Sources: ``QueueImpl`` of Artemis, ``checkRedelivery``, ``sendToDeadLetterAddress``, ``expire`` and ``createResources``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from transpiler.topology.destinations import NOWHERE, OWN_QUEUE
from transpiler.topology.importers.artemis_addresses import Addresses
from transpiler.topology.importers.artemis_config import ArtemisConfig, ArtemisQueue, Settings, WayOn
from transpiler.topology.importers.artemis_hops import UNKNOWN, Entry, Hop
from transpiler.topology.importers.artemis_wildcards import is_wild
from transpiler.topology.model import Link, LinkKind


class QueueLinks:
    """The links of queues; ``enter`` returns the exchange of an entry.

    With ``hops`` some filter reads how a message came.
    """

    def __init__(self, addresses: Addresses, enter: Callable[[Entry], str], *, hops: bool) -> None:
        self._addresses, self._enter, self._hops = addresses, enter, hops
        #: The queues that the broker makes at dead-letter and expiry addresses, with their filters.
        self.made: dict[str, str] = {}

    def of(self, config: ArtemisConfig) -> Iterator[Link]:
        """Yield the links of the queues in a configuration, and of those that sends make."""
        for queue in config.queues:
            settings = self._addresses.settings_at(self._addresses.words(queue.address))
            for kind, when, way in _ways(settings):
                yield from self._from(queue, kind, when, way)
        yield from self._own("dead-letter")
        yield from self._own("expiry")

    def _from(self, queue: ArtemisQueue, kind: LinkKind, when: str, way: WayOn) -> Iterator[Link]:
        words = self._addresses.words(queue.address)
        if way.address is None or self._addresses.words(way.address) == words:
            return
        # The message's own address, which a filter may read, is one of those that a wildcard matches.
        hop = Hop(queue.name, None if is_wild(words) else queue.address, UNKNOWN, queue.name)
        yield self._link(kind, when, queue.name, way.address, hop, queue.place)
        if way.makes_queue and not is_wild(words):
            made = f"{way.prefix}{queue.address}{way.suffix}"
            self.made[made] = f"_AMQ_ORIG_ADDRESS = '{queue.address}'"
            yield Link(kind, when, queue.name, made, destination_type="queue", path=queue.place)

    def _own(self, kind: LinkKind) -> Iterator[Link]:
        """Yield the links of one kind of queues that sends make, by the patterns of settings, the specific first."""
        ways = [
            (self._addresses.words(setting.match), when, way)
            for setting in self._addresses.settings
            for of, when, way in _ways(setting)
            if of == kind
        ]
        while ways and ways[-1][2].address is None:
            ways.pop()
        for words, when, way in ways:
            pattern = ".".join(words)
            if way.address is None:
                yield Link(kind, when, OWN_QUEUE, NOWHERE, pattern=pattern)
                continue
            hop = Hop("a queue that a send made", None, UNKNOWN, UNKNOWN)
            yield self._link(kind, when, OWN_QUEUE, way.address, hop, pattern=pattern)
            if way.makes_queue:
                made = f"{way.prefix}{OWN_QUEUE}{way.suffix}"
                yield Link(kind, when, OWN_QUEUE, made, destination_type="queue", pattern=pattern)

    def _link(
        self, kind: LinkKind, when: str, source: str, address: str, hop: Hop, path: str = "", pattern: str | None = None
    ) -> Link:
        words = self._addresses.words(address)
        entry = Entry(None, hop=hop, at=words) if self._hops else Entry(None)
        return Link(kind, when, source, self._enter(entry), key=".".join(words), path=path, pattern=pattern)


def _ways(settings: Settings) -> Iterator[tuple[LinkKind, str, WayOn]]:
    attempts = settings.max_deliveries
    when = "rejected" if attempts is not None and attempts < 1 else f"rejected or delivered {attempts} times"
    yield "dead-letter", when, settings.dead_letters
    yield "expiry", "expired", settings.expiries
