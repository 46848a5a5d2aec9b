"""Address settings of Artemis: their effects on a message, and the values that filters see after a hop.

Settings decide whether a queue is created, whether a send is rejected, and whether a message becomes a dead letter.
Messages leave queues for dead-letter and expiry addresses; a queue at its own dead-letter address keeps its messages.
If the settings require it, the broker creates a queue at this address for each address from which messages come. The
filter of such a queue compares the original address, so it is modelled as a link.

In a filter ``AMQAddress`` is the address itself. After a divert, or on the way to a dead letter address, the broker
sets ``_AMQ_ORIG_ADDRESS``, ``_AMQ_ORIG_QUEUE``, ``_AMQ_ORIG_MESSAGE_ID`` and, if the message has a routing type,
``_AMQ_ORIG_ROUTING_TYPE``, and so replaces the message's own properties with these names. Over AMQP a property that the
sender has set takes precedence; this is not evaluated, and a finding reports it. A topology with filters that read
these names has a copy of its exchanges for each hop.

Sources: ``QueueImpl`` of Artemis, ``checkRedelivery``, ``sendToDeadLetterAddress``, ``expire`` and ``createResources``.
The rule numbers in comments are those of docs/jms-brokers.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.topics import MANY_WORDS, ONE_WORD, TopicPattern, is_wild
from transpiler.language.binding_rules import TopicRules
from transpiler.language.selector.dialects import Dialect
from transpiler.topology.addressing import entry_name
from transpiler.topology.importers.artemis_addresses import Addresses, Reaction, answer_anew
from transpiler.topology.importers.artemis_config import DEFAULTS, AddressBinding, ArtemisConfig, Settings
from transpiler.topology.importers.exchange_builder import ExchangeBuilder
from transpiler.topology.importers.known_names import Decided, Known, Unknown, reads_names, with_known_names
from transpiler.topology.records import Link, LinkKind
from transpiler.topology.targets import DEAD_LETTER, NOWHERE, REJECTED, Target, TargetType

_ADDRESS = "AMQAddress"
_ORIGINAL_ADDRESS, _ORIGINAL_QUEUE = "_AMQ_ORIG_ADDRESS", "_AMQ_ORIG_QUEUE"
_ORIGINAL_TYPE, _ORIGINAL_ID = "_AMQ_ORIG_ROUTING_TYPE", "_AMQ_ORIG_MESSAGE_ID"

_NAMES = frozenset({_ADDRESS, _ORIGINAL_ADDRESS, _ORIGINAL_QUEUE, _ORIGINAL_TYPE, _ORIGINAL_ID})

#: The name of an unknown routing type or queue.
_UNKNOWN = "?"

_ROUTING_TYPES: Mapping[str, int | Unknown] = {"ANYCAST": 1, "MULTICAST": 0, _UNKNOWN: Unknown.PERHAPS}


class Hop(NamedTuple):
    """A forwarding of a message by a divert or queue, with the values of the headers that the broker then sets.

    ``queue`` is the name of the divert or queue; None if there is none. ``address`` is the original address of the
    message; None if unknown. ``type`` is the last routing type of the message; if it is None, the message keeps its own
    header, if any.
    """

    name: str
    address: str | None
    type: str | None
    queue: str | None = None


#: A forwarding about which nothing is known: address, routing type and queue.
UNKNOWN_HOP = Hop("a hop", None, _UNKNOWN, _UNKNOWN)


class Entry(NamedTuple):
    """A class of messages with the same routing type and the same history, which enter at an exchange of their own.

    ``qualified`` is True if the routing key names an address and a queue. ``hop`` is the last forwarding of the
    messages by a divert or queue, and ``at`` the address to which it led; both are None if senders sent them there.
    ``last`` is True if they are dead letters, which cannot become dead letters again. ``detached`` is True if they were
    dead letters and were then forwarded: without a client's session, the broker creates no queue for them and rejects
    none.
    """

    type: str | None
    qualified: bool = False
    last: bool = False
    hop: Hop | None = None
    at: TopicPattern | None = None
    detached: bool = False

    @property
    def last_type(self) -> str | None:
        """The routing type of the message at this entry, or else its last routing type."""
        return self.type or (self.hop.type if self.hop is not None else None)

    @property
    def name(self) -> str:
        """The name of the entry's exchange."""
        name = entry_name(self.type, self.qualified)
        if self.last:
            name += ", dead letters"
        elif self.detached:
            name += ", behind dead letters"
        if self.hop is not None:
            name += (
                f" after {self.hop.name} from {self.hop.address} {self.hop.type} at {'.'.join(map(str, self.at or ()))}"
            )
        return name

    def key(self, topic: TopicRules, words: TopicPattern, queue: str | None = None) -> str:
        """Return the binding key for the address ``words`` at this entry.

        If keys at this entry name queues, the key also contains ``queue``, or a wildcard if ``queue`` is None.
        """
        named = ONE_WORD if queue is None else queue
        return topic.key(words, named if self.qualified else None)


def reads_hops(binding: AddressBinding) -> bool:
    """Return True if the filter of ``binding`` reads headers that the broker sets when it forwards a message."""
    return reads_names(binding.filter, _NAMES, binding.dialect)


def of_senders(bindings: Iterable[AddressBinding]) -> Iterator[Diagnostic]:
    """Yield a finding if a filter reads a header such as ``_AMQ_ORIG_ADDRESS``.

    The broker sets such a header when it forwards a message, but an AMQP sender may have set it before.
    """
    if any(reads_names(binding.filter, _NAMES - {_ADDRESS}, binding.dialect) for binding in bindings):
        message = (
            "filters read _AMQ_ORIG_ADDRESS or a similar header that the broker sets: if the sender of a message over "
            "AMQP has set this property, the broker reads the sender's value even after a divert, so the answers do "
            "not apply to such a message"
        )
        yield Diagnostic("topology.own-header", "info", message)


def filter_at(selector: str, dialect: Dialect, hop: Hop | None, address: str | None) -> Decided:
    """Return ``selector`` evaluated as far as ``hop`` and ``address`` determine the values of its names."""
    return with_known_names(selector, known_at(hop, address), dialect)


def known_at(hop: Hop | None, address: str | None) -> Callable[[str], Known]:
    """Return a function from a name to its value, if ``hop`` and ``address`` determine the value."""

    def value(name: str) -> Known:
        if name == _ADDRESS:
            return Unknown.SOME if address is None else address
        if hop is None or name not in _NAMES:
            return Unknown.OWN
        match name:
            case "_AMQ_ORIG_ADDRESS":
                return Unknown.SOME if hop.address is None else hop.address
            case "_AMQ_ORIG_QUEUE":
                return Unknown.SOME if hop.queue == _UNKNOWN else hop.queue
            case "_AMQ_ORIG_ROUTING_TYPE":
                return Unknown.OWN if hop.type is None else _ROUTING_TYPES[hop.type]
            case _:
                return Unknown.SOME

    return value


class BySettings:
    """A builder of the exchanges and links that depend on the address settings of Artemis.

    ``enter(entry)`` returns the name of the exchange for an ``Entry``. ``hops`` is True if some filter reads headers
    that the broker sets when it forwards a message.
    """

    def __init__(
        self, addresses: Addresses, builder: ExchangeBuilder, enter: Callable[[Entry], str], *, hops: bool
    ) -> None:
        self._addresses, self._builder, self._enter, self._hops = addresses, builder, enter, hops
        #: The filter of each queue that the broker creates at a dead-letter or expiry address, by name of the queue.
        self.made: dict[str, str] = {}

    def _by_settings(self, name: str, entry: Entry, action: Callable[[Settings], Target | None]) -> Target | None:
        """Return a target that routes each message by the address settings that apply to its address.

        ``action`` returns the target for messages under given settings; None if they go nowhere. If it returns the same
        target for all settings, that target is the result. Otherwise the result is an exchange that leads each address
        to its target.
        """
        following = action(DEFAULTS)
        for setting in reversed(self._addresses.settings):
            target = action(setting)
            if target == following:
                continue
            if self._addresses.words(setting["match"]) == (MANY_WORDS,):
                following = target
                continue
            exchange = self._builder.exchange(name, alternate=following)
            self._builder.bind(
                exchange, entry.key(self._builder.topic, self._addresses.words(setting["match"])), target
            )
            following = Target("exchange", exchange)
        return following

    def refusals(self, entry: Entry) -> Target | None:
        """Return a target with the outcome "rejected" for the sends that the broker rejects.

        Return None if it rejects none.
        """
        if entry.type is None or entry.last or entry.detached:
            return None
        return self._by_reaction(entry, entry.type, Reaction.REFUSED, REJECTED, None)

    def own(self, entry: Entry, own_queue: Target) -> Target | None:
        """Return a target that leads a message to the queue with the name of the message's address (``own_queue``).

        Only messages for which the broker creates this queue go there. Return None if no message does.
        """
        if entry.qualified or entry.type == "MULTICAST":
            return None
        created = self._by_reaction(entry, "ANYCAST", Reaction.CREATED, own_queue, None)
        if created is None or (entry.type is not None and not entry.detached):
            return created
        # A send without a routing type, and a forwarded dead letter, create no queue. They may still reach the queue
        # with the name of the address, because an earlier send with a routing type may have created this queue.
        return self._builder.perhaps(
            f"{entry.name}, created before", created, "the queue of the address if an earlier send has created it"
        )

    def _by_reaction(
        self, entry: Entry, routing_type: str, sought: Reaction, hit: Target | None, miss: Target | None
    ) -> Target | None:
        """Return a target that leads a message to ``hit`` if the broker reacts to the send by ``sought``.

        All other messages go to ``miss``.
        """

        def decided(reaction: Reaction) -> Target | None:
            return hit if reaction is sought else miss

        label = f"{entry.name}, {sought.value}"
        anew = self._by_settings(label, entry, lambda settings: decided(answer_anew(routing_type, settings)))
        answers = self._addresses.answers(routing_type)
        if entry.at is not None:
            answers = {entry.at: answers[entry.at]} if entry.at in answers else {}
        known = {address: decided(answer) for address, answer in answers.items()}
        listed = {address: target for address, target in known.items() if target != anew}
        if not listed:
            return anew
        exchange = self._builder.exchange(label, alternate=anew)
        for address, target in listed.items():
            self._builder.bind(exchange, entry.key(self._builder.topic, address), target)
        return Target("exchange", exchange)

    def dead_letter_target(self, entry: Entry) -> Target | None:
        """Return the target for messages that no queue of their address took; None if the broker drops them.

        With the setting send-to-dla-on-no-route, such a message goes to the dead letter address.
        """
        if not self._hops or entry.at is not None:
            return self._dead_letters_from(entry, entry.at)
        # The broker stores the original address in a dead letter, where filters can read it. Each address in the file
        # therefore gets a binding of its own; messages to any other address go to the alternate exchange.
        anywhere = self._dead_letters_from(entry, None)
        exchange = self._builder.exchange(f"{entry.name}, no queue of", alternate=anywhere)
        for address in dict.fromkeys([*self._addresses.known, *self._addresses.made]):
            self._builder.bind(
                exchange, entry.key(self._builder.topic, address), self._dead_letters_from(entry, address)
            )
        return Target("exchange", exchange)

    def _dead_letters_from(self, entry: Entry, address: TopicPattern | None) -> Target | None:
        def action(settings: Settings) -> Target | None:
            if not settings["send-to-dla-on-no-route"] or settings["dead-letter-address"] is None:
                return None
            words = self._addresses.words(settings["dead-letter-address"])
            hop = Hop("dead letters", self._addresses.name(address), entry.last_type) if self._hops else None
            following = Entry(None, False, True, hop, words if hop is not None else None)
            onward = Target("exchange", self._enter(following), settings["dead-letter-address"])
            name = f"{entry.name}, to {settings['dead-letter-address']}"
            if hop is not None:
                name += f" from {hop.address}"
            if name not in self._builder.exchanges:
                self._builder.fanout(name, [onward, DEAD_LETTER])
            return Target("exchange", name)

        return self._by_settings(f"{entry.name}, no queue", entry, action)

    def unless_created(self, entry: Entry, dead: Target) -> Target | None:
        """Return the target for messages that no existing queue took.

        It leads to ``dead``, except for messages for which the broker creates a queue.
        """
        if entry.qualified or entry.type == "MULTICAST":
            return dead
        if entry.type is not None and not entry.detached:
            return self._by_reaction(entry, entry.type, Reaction.CREATED, None, dead)
        maybe = self._builder.perhaps(
            f"{entry.name}, perhaps no queue", dead, "the dead letter address if no earlier send has created a queue"
        )
        return self._by_reaction(entry, "ANYCAST", Reaction.CREATED, maybe, dead)

    def links(self, config: ArtemisConfig) -> Iterator[Link]:
        """Yield the links of the queues in a configuration, and of the queues that sends create."""
        for queue in config.queues:
            settings = self._addresses.settings_at(self._addresses.words(queue.address))
            yield from self._from(queue, "dead-letter", settings)
            yield from self._from(queue, "expiry", settings)
        yield from self._of_made_queues("dead-letter")
        yield from self._of_made_queues("expiry")

    def _from(self, queue: AddressBinding, kind: LinkKind, settings: Settings) -> Iterator[Link]:
        words, when, address = self._addresses.words(queue.address), _when(kind, settings), settings[f"{kind}-address"]
        if address is None or self._addresses.words(address) == words:
            return
        # If the queue belongs to a wildcard address, the address to which the message was sent is unknown. A filter may
        # read it.
        hop = Hop(queue.name, None if is_wild(words) else queue.address, _UNKNOWN, queue.name)
        yield self._link(kind, when, queue.name, address, hop, queue.location)
        if settings[f"auto-create-{kind}-resources"] and not is_wild(words):
            made = queue.address.join(_affixes(kind, settings))
            self.made[made] = f"_AMQ_ORIG_ADDRESS = '{queue.address}'"
            yield Link(kind, when, queue.name, made, destination_type="queue", path=queue.location)

    def _of_made_queues(self, kind: LinkKind) -> Iterator[Link]:
        """Yield the links of ``kind`` from queues that only sends create, one for each address pattern with settings.

        The most specific pattern comes first.
        """
        listed = list(self._addresses.settings)
        while listed and listed[-1][f"{kind}-address"] is None:
            listed.pop()
        for settings in listed:
            pattern = self._builder.topic.key(self._addresses.words(settings["match"]))
            when = _when(kind, settings)
            address = settings[f"{kind}-address"]
            if address is None:
                yield Link(kind, when, "", NOWHERE.name, "own-queue", NOWHERE.type, pattern=pattern)
                continue
            hop = Hop("a queue that a send made", None, _UNKNOWN, _UNKNOWN)
            yield self._link(kind, when, "", address, hop, pattern=pattern)
            if settings[f"auto-create-{kind}-resources"]:
                affixes = _affixes(kind, settings)
                yield Link(kind, when, "", "", "own-queue", "queue", pattern=pattern, affixes=affixes)

    def _link(
        self, kind: LinkKind, when: str, source: str, address: str, hop: Hop, path: str = "", pattern: str | None = None
    ) -> Link:
        words = self._addresses.words(address)
        entry = Entry(None, hop=hop, at=words) if self._hops else Entry(None)
        kind_of_source: TargetType = "queue" if pattern is None else "own-queue"
        return Link(kind, when, source, self._enter(entry), kind_of_source, key=address, path=path, pattern=pattern)


def _when(kind: LinkKind, settings: Settings) -> str:
    attempts = settings["max-delivery-attempts"]
    if kind == "expiry":
        return "expired"
    return "rejected" if attempts < 1 else f"rejected or delivered {attempts} times"


def _affixes(kind: LinkKind, settings: Settings) -> tuple[str, str]:
    """Return the prefix and suffix around an address in the name of the queue that the broker creates for it."""
    return settings[f"{kind}-queue-prefix"], settings[f"{kind}-queue-suffix"]
