"""Answers of an Artemis broker by the settings of an address: a queue created, a send refused, a dead letter.

The numbers in comments are those of the page of rules, docs/jms-brokers.md.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.topology.destinations import DEAD_LETTER, OWN_QUEUE, REJECTED
from transpiler.topology.importers.artemis_addresses import Addresses, Answer, answer_anew
from transpiler.topology.importers.artemis_config import DEFAULTS, Settings
from transpiler.topology.importers.artemis_hops import Entry, Hop
from transpiler.topology.importers.artemis_wildcards import Words
from transpiler.topology.importers.exchange_builder import ExchangeBuilder, Target

_OWN, _REJECTED = Target("queue", OWN_QUEUE), Target("queue", REJECTED)


class AddressAnswers:
    """Builds the exchanges that decide by settings; ``enter`` returns the exchange of an entry.

    With ``hops`` some filter reads how a message came.
    """

    def __init__(
        self, addresses: Addresses, builder: ExchangeBuilder, enter: Callable[[Entry], str], *, hops: bool
    ) -> None:
        self._addresses, self._builder, self._enter, self._hops = addresses, builder, enter, hops

    def _by_settings(self, name: str, entry: Entry, action: Callable[[Settings], Target | None]) -> Target | None:
        """Return where a message goes by the settings of its address."""
        following = action(DEFAULTS)
        for setting in reversed(self._addresses.settings):
            target = action(setting)
            if target == following:
                continue
            if self._addresses.words(setting.match) == ("#",):
                following = target
                continue
            exchange = self._builder.exchange(name, alternate=following)
            self._builder.bind(exchange, entry.key(self._addresses.words(setting.match)), target)
            following = Target("exchange", exchange)
        return following

    def refusals(self, entry: Entry) -> Target | None:
        """Return where the sends go that the broker refuses; None where it refuses none."""
        if entry.type is None or entry.last or entry.detached:
            return None
        return self._by_answer(entry, entry.type, Answer.REFUSED, _REJECTED, None)

    def own(self, entry: Entry) -> Target | None:
        """Return where a message gets into the queue that has the name of its address."""
        if entry.qualified or entry.type == "MULTICAST":
            return None
        created = self._by_answer(entry, "ANYCAST", Answer.CREATED, _OWN, None)
        if created is None or (entry.type is not None and not entry.detached):
            return created
        # An earlier send with a routing type may have created the queue.
        return self._builder.perhaps(f"{entry.name}, created before", created)

    def _by_answer(
        self, entry: Entry, routing_type: str, sought: Answer, hit: Target | None, miss: Target | None
    ) -> Target | None:
        """Return what leads messages to ``hit`` for which the broker's answer to a send is ``sought``."""

        def decided(answer: Answer) -> Target | None:
            return hit if answer is sought else miss

        label = f"{entry.name}, {sought.value}"
        anew = self._by_settings(label, entry, lambda settings: decided(answer_anew(routing_type, settings)))
        known = {address: decided(answer) for address, answer in self._addresses.answers(routing_type).items()}
        if entry.at is not None:
            known = {address: target for address, target in known.items() if address == entry.at}
        listed = {address: target for address, target in known.items() if target != anew}
        if not listed:
            return anew
        exchange = self._builder.exchange(label, alternate=anew)
        for address, target in listed.items():
            self._builder.bind(exchange, entry.key(address), target)
        return Target("exchange", exchange)

    def dead_letter_target(self, entry: Entry) -> Target | None:
        """Return where a message goes that no queue of its address took (rule 16)."""
        if not self._hops or entry.at is not None:
            return self._dead_letters_from(entry, entry.at)
        # Filters may read from which address a dead letter comes.
        anywhere = self._dead_letters_from(entry, None)
        exchange = self._builder.exchange(f"{entry.name}, no queue of", alternate=anywhere)
        for address in dict.fromkeys([*self._addresses.known, *self._addresses.made]):
            self._builder.bind(exchange, entry.key(address), self._dead_letters_from(entry, address))
        return Target("exchange", exchange)

    def _dead_letters_from(self, entry: Entry, address: Words | None) -> Target | None:
        def action(settings: Settings) -> Target | None:
            if not settings.dead_letters_unroutable or settings.dead_letters.address is None:
                return None
            words = self._addresses.words(settings.dead_letters.address)
            hop = Hop("dead letters", self._addresses.name(address), entry.type) if self._hops else None
            following = Entry(None, False, True, hop, words if hop is not None else None)
            onward = Target("exchange", self._enter(following), ".".join(words))
            name = f"{entry.name}, to {settings.dead_letters.address}"
            if hop is not None:
                name += f" from {hop.address}"
            if name not in self._builder.exchanges:
                self._builder.fanout(name, [onward, Target("queue", DEAD_LETTER)])
            return Target("exchange", name)

        return self._by_settings(f"{entry.name}, no queue", entry, action)

    def unless_created(self, entry: Entry, dead: Target) -> Target | None:
        """Return where a message goes that no queue took, but for one that was made for it."""
        if entry.qualified or entry.type == "MULTICAST":
            return dead
        if entry.type is not None and not entry.detached:
            return self._by_answer(entry, entry.type, Answer.CREATED, None, dead)
        maybe = self._builder.perhaps(f"{entry.name}, perhaps no queue", dead)
        return self._by_answer(entry, "ANYCAST", Answer.CREATED, maybe, dead)
