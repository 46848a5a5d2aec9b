"""The topology of an Artemis broker: its addresses, diverts and settings as exchanges that match words and filters.

A message enters at the exchange for its routing type or for no type (the entry), with its address as the key. Messages
to ``address::queue`` enter at a second exchange for each, where the queue's name is the first word of the key. From the
entry, messages go to an exchange with the exclusive diverts, whose alternate has the other diverts and the queues. For
several anycast queues of one address, or diverts with one routing name, there is an exchange that chooses among the
matching ones. A divert leads back to an entry, with the forwarding address as the key. If no queue took a message and
the settings require it, the message goes to the dead letter address. A queue that the broker creates for a send is an
``own-queue``.

The rule numbers in comments are those of docs/jms-brokers.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from transpiler.base.diagnostics import Diagnostic, first_of
from transpiler.base.errors import TranspilerError
from transpiler.base.topics import MANY_WORDS, AnyWord, TopicPattern, is_wild
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import ARTEMIS, ARTEMIS_CORE
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_tree
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.topology.addressing import RoutingType
from transpiler.topology.exchange_types import UNKNOWN as UNKNOWN_TYPE
from transpiler.topology.importers.artemis_addresses import (
    Addresses,
    is_plain,
    matched_earlier,
    matches_later,
)
from transpiler.topology.importers.artemis_config import AddressBinding, ArtemisConfig, condition_of, with_state
from transpiler.topology.importers.artemis_display import displayed_addresses
from transpiler.topology.importers.artemis_links import Connection
from transpiler.topology.importers.artemis_settings import (
    UNKNOWN_HOP,
    BySettings,
    Entry,
    Hop,
    filter_at,
    known_at,
    of_senders,
    reads_hops,
)
from transpiler.topology.importers.constant_conditions import never_holds
from transpiler.topology.importers.exchange_builder import ExchangeBuilder, too_many_ways
from transpiler.topology.importers.known_names import Decided
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Link, LinkKind, Queue
from transpiler.topology.setting import Setting, loss
from transpiler.topology.targets import FAILED, OWN_QUEUE, UNKNOWN, Entered, Target

#: A function that adds a binding. Its arguments are the source exchange and the pattern of addresses.
_Bind = Callable[[str, TopicPattern], None]

#: Maximum numbers of names in the reason of an answer: of files that are not read, and of queues and diverts.
_MAX_UNREAD, _MAX_NAMED = 3, 5

_TYPES: tuple[RoutingType | None, ...] = (None, "ANYCAST", "MULTICAST")


def topology_of_artemis(config: ArtemisConfig, state: Mapping[str, Any] | None = None) -> Topology:
    """Return the topology of a configuration; ``state`` contains subscriptions and consumers, None if unknown."""
    if state is not None:
        with_state(config, state)
    return _Artemis(config, state or {}).topology()


class _Artemis:
    def __init__(self, config: ArtemisConfig, state: Mapping[str, Any]) -> None:
        self._config = config
        self._addresses = Addresses(config)
        self._builder = ExchangeBuilder(config.rules.topic)
        self._findings: list[Diagnostic] = list(config.findings)
        self._consumers: dict[str, list[_Condition | None]] | None = None
        self._readers: frozenset[str] | None = None
        if "subscriptions" in state or "consumers" in state:
            self._readers = frozenset(each["name"] for each in state.get("subscriptions", ()))
        if "consumers" in state:
            self._consumers = {}
            for consumer in state["consumers"]:
                text, dialect = condition_of(consumer)
                queue = str(consumer.get("queue", consumer.get("destination")))
                self._consumers.setdefault(queue, []).append(_Condition.of(text, dialect))
            self._readers = (self._readers or frozenset()) | self._consumers.keys()
        self._knows_queues = self._readers is not None or "queues" in state
        self._hops = any(reads_hops(binding) for binding in self._addresses.bindings)
        self._findings += of_senders(self._addresses.bindings)
        #: The dead letter addresses for messages that no queue of their address took.
        self._dead_letters = {
            self._addresses.words(each["dead-letter-address"])
            for each in self._addresses.settings
            if each["dead-letter-address"] and each["send-to-dla-on-no-route"]
        }
        self._settings = BySettings(self._addresses, self._builder, self._enter, hops=self._hops)
        self._by_address: dict[TopicPattern, Sequence[AddressBinding]] = {}
        self._done: set[Entry] = set()
        self._waiting: list[Entry] = []

    def topology(self) -> Topology:
        for routing_type in _TYPES:
            for qualified in (False, True):
                self._enter(Entry(routing_type, qualified))
        while self._waiting:
            self._build(self._waiting.pop())
        queues = tuple(Queue(queue.name, durable=queue.durable, path=queue.location) for queue in self._config.queues)
        named = {queue.name for queue in queues}
        readers = {reader.name: reader for reader in self._config.connections.readers}
        queues += tuple(Queue(one.name, path=one.location, declared=False) for one in readers.values())
        links = (*self._settings.links(self._config), *self._links_to_brokers(named))
        while self._waiting:
            self._build(self._waiting.pop())
        # Add the queues that the broker creates for dead letters, each with its filter. They get dead letters only,
        # never a send.
        names = {queue.name for queue in queues}
        queues += tuple(
            Queue(name, arguments={SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector)})
            for name, selector in self._settings.made.items()
            if name not in names
        )
        self._builder.finish()
        consumed, made = self._consumers, self._settings.made
        return Topology(
            self._config.rules,
            tuple(self._builder.exchanges.values()),
            queues,
            tuple(self._builder.bindings),
            links=links,
            readers=self._readers,
            findings=tuple(dict.fromkeys(self._findings)),
            settings=tuple(self._losses()),
            displayed=displayed_addresses(
                self._addresses,
                queues,
                links,
                made,
                consumed,
                self._readers,
                knows_queues=self._knows_queues,
                knows_file=not self._config.unread,
            ),
        )

    def _links_to_brokers(self, declared: Set[str]) -> Iterator[Link]:
        """Yield the links to and from other brokers, for each queue or address at which a connection acts."""
        for connection in self._config.connections.links:
            if connection.of == "address":
                yield from self._links_of_addresses(connection)
                continue
            for queue in self._config.queues:
                if connection.matches(queue.address, queue.name):
                    yield self._link_of_queue(connection, queue.name)
            if not connection.incoming:
                yield from self._links_of_made_queues(connection, declared)
        for reader in self._config.connections.readers:
            yield self._onward(reader.kind, reader.when, reader.name, reader.to, reader.location)

    def _link_of_queue(self, connection: Connection, queue: str) -> Link:
        kind, when, location = connection.kind, connection.when, connection.location
        if connection.incoming:
            return Link(kind, when, None, queue, destination_type="queue", path=location)
        return self._onward(kind, when, queue, connection.to, location)

    def _onward(self, kind: LinkKind, when: str, queue: str, to: str | None, location: str) -> Link:
        """Return the link of a queue to the address ``to`` of this broker; if ``to`` is None, to another broker."""
        return Link(kind, when, queue, None if to is None else self._enter(Entry(None)), key=to, path=location)

    def _links_of_made_queues(self, connection: Connection, declared: Set[str]) -> Iterator[Link]:
        """Yield the links of queues that only sends create: one for each named queue, or one for all that match."""
        when, patterns = connection.when, [name for name in connection.named if name not in declared]
        if not connection.named and connection.created is not None:
            patterns = [connection.created]
        elif not connection.named and connection.kind != "cluster":
            # The queues of a cluster are possible for the addresses that it shares, with this as the reason.
            when, patterns = f"{when}, if it includes the queue", [self._config.rules.topic.syntax.many_words]
        for words in map(self._addresses.words, patterns):
            pattern = self._builder.topic.key(words)
            yield Link(connection.kind, when, "", None, "own-queue", path=connection.location, pattern=pattern)

    def _links_of_addresses(self, connection: Connection) -> Iterator[Link]:
        """Yield the links from another broker to multicast addresses of this broker.

        They lead to the declared addresses that ``connection`` matches; if there are none, to the patterns that it
        names.
        """
        declared = [name for name, types in self._config.addresses.items() if "MULTICAST" in types]
        found = [name for name in declared if connection.matches(name, "")]
        for address in found or connection.named:
            entry = self._enter(Entry("MULTICAST"))
            yield Link(connection.kind, connection.when, None, entry, key=address, path=connection.location)

    def _losses(self) -> Iterator[Setting]:
        """Yield a note for each queue that drops messages by itself, without a consumer, with the reason."""
        for queue in self._config.queues:
            settings = self._addresses.settings_at(self._addresses.words(queue.address))
            ring = settings["default-ring-size"] if queue.ring_size is None else queue.ring_size
            if ring >= 0:
                yield loss(queue.name, f"its ring-size is {ring}: a message more drops the oldest one")
            if settings["default-last-value-queue"] if queue.last_value is None else queue.last_value:
                yield loss(queue.name, "it is a last-value queue: a message replaces the one with the same key")
            if (settings["address-full-policy"] or "").strip().upper() == "DROP":
                yield loss(queue.name, "address-full-policy is DROP: what is sent to a full address is lost")

    def _enter(self, entry: Entry) -> str:
        if entry not in self._done:
            self._done.add(entry)
            self._waiting.append(entry)
            self._builder.entrance(entry.name, Entered(entry.type, entry.qualified), entry=_is_sent(entry))
        return entry.name

    def _build(self, entry: Entry) -> None:
        builder = self._builder
        builder.entered = Entered(entry.type, entry.qualified)
        name = self._unless_included(entry)
        bindings: Sequence[AddressBinding] = (*self._addresses.bindings, *self._addresses.readers)
        if entry.at is not None:
            bindings = [each for each in self._bindings_at(entry.at) if not self._never_matches(each, entry)]
        elif entry.last:
            bindings = [
                each for each in bindings if any(self._addresses.matches(each, at) for at in self._dead_letters)
            ]
        exclusive = [binding for binding in bindings if binding.exclusive]
        refusals = self._settings.refusals(entry)
        dead = None if entry.last or not self._dead_letters else self._settings.dead_letter_target(entry)
        if dead is not None and not self._knows_queues and not entry.qualified:
            dead = self._unless_subscribed(entry, dead)
        source = name
        if exclusive:
            first = name
            if refusals is not None:
                first = builder.exchange(f"{name}, exclusive")
                builder.bind(name, builder.any_key, Target("exchange", first))
            source = builder.exchange(f"{name}, others")
            builder.set_alternate(first, source)
            for binding in exclusive:
                for target in self._divert_targets(binding, entry):
                    self._bind(first, binding, entry, target)
                if dead is not None:
                    # A message that an exclusive divert took reached no queue of its address, so it also goes to the
                    # dead letter address.
                    self._bind(first, binding, entry, dead)
        if refusals is not None:
            builder.bind(name, builder.any_key, refusals)
        queues = source
        if dead is not None:
            queues = builder.exchange(f"{name}, queues", alternate=self._settings.unless_created(entry, dead))
            builder.bind(source, builder.any_key, Target("exchange", queues))
        own = self._settings.own(entry, self._own_queue(entry))
        if own is not None:
            builder.bind(source, builder.any_key, own)
        if not self._knows_queues and not entry.qualified:
            self._bind_subscribers(source, entry)
        self._bind_groups(bindings, source, queues, entry, dead is not None)

    def _unless_included(self, entry: Entry) -> str:
        """Return the exchange for the messages of ``entry`` that is built as the file says.

        If the file includes another file that was not read, a sent message only possibly gets there, because the other
        file may contain diverts and settings for any address.
        """
        builder, unread = self._builder, self._config.unread
        if not unread or not _is_sent(entry):
            return entry.name
        reason = f"what {first_of(dict.fromkeys(unread), _MAX_UNREAD)} contains is not known"
        itself = builder.exchange(f"{entry.name} as far as known")
        open_exchange = builder.exchange(f"{entry.name}, not read", UNKNOWN_TYPE, reason=reason)
        builder.bind(open_exchange, builder.any_key, Target("exchange", itself))
        builder.bind(entry.name, builder.any_key, Target("exchange", open_exchange))
        return itself

    def _subscribed(self, entry: Entry) -> list[str]:
        """Return the binding keys of messages that may reach queues of unknown subscribers.

        Clients create the queues of multicast addresses, and only a state of the broker contains these queues.
        """
        if entry.type == "MULTICAST":
            return [self._builder.any_key]
        addresses = self._addresses.without_queues("MULTICAST") if entry.type is None else []
        return [self._key(entry, address) for address in addresses if entry.at in (None, address)]

    def _bind_subscribers(self, source: str, entry: Entry) -> None:
        for key in self._subscribed(entry):
            self._builder.bind(source, key, UNKNOWN)

    def _unless_subscribed(self, entry: Entry, dead: Target) -> Target:
        """Return a target that leads to ``dead``, the dead letter address, if no unknown subscriber has a queue."""
        keys = self._subscribed(entry)
        if not keys:
            return dead
        perhaps = self._builder.perhaps(
            f"{entry.name}, perhaps no subscriber", dead, "the dead letter address if nobody subscribes"
        )
        exchange = self._builder.exchange(f"{entry.name}, subscribed", alternate=dead)
        for key in keys:
            self._builder.bind(exchange, key, perhaps)
        return Target("exchange", exchange)

    def _bindings_at(self, address: TopicPattern) -> Sequence[AddressBinding]:
        """Return the queues and diverts that a message to ``address`` reaches."""
        found = self._by_address.get(address)
        if found is None:
            found = self._by_address[address] = self._addresses.bindings_at(address)
        return found

    def _never_matches(self, binding: AddressBinding, entry: Entry) -> bool:
        """Return True if the filter of ``binding`` is never TRUE for messages that came on the path of ``entry``."""
        known = known_at(entry.hop, self._addresses.name(entry.at))
        return binding.filter is not None and never_holds(binding.filter, binding.dialect, known)

    def _bind_groups(
        self, bound: Sequence[AddressBinding], source: str, queues: str, entry: Entry, by_filter: bool
    ) -> None:
        """Bind the queues and diverts ``bound``. Of those with the same routing name, only one gets a message.

        Diverts are bound at the exchange ``source``, and queues at the exchange ``queues``. If ``by_filter`` is False,
        the filters of groups with several members are not applied.
        """
        groups: dict[tuple[str, TopicPattern], list[AddressBinding]] = {}
        for binding in bound:
            if not binding.exclusive and (binding.is_divert or entry.type in (None, binding.type)):
                groups.setdefault((binding.routing_name, binding.words), []).append(binding)
        for (routing_name, _), bindings in groups.items():
            of_queues = [binding for binding in bindings if not binding.is_divert]
            if len(bindings) == 1 or entry.qualified:
                # If a send names a queue (``address::queue``), no other queue of the address gets the message.
                for binding in bindings:
                    for target in self._targets(binding, entry):
                        self._bind(queues if not binding.is_divert else source, binding, entry, target)
                continue
            if of_queues and len(of_queues) < len(bindings):
                self._warn_of_shared_name(bindings)
            group = self._group(routing_name, bindings, entry)
            if group is None:
                continue
            seen: set[str | None] = set()
            for binding in bindings:
                selector = binding.filter if by_filter else None
                if selector not in seen:
                    seen.add(selector)
                    self._bind(queues if of_queues else source, binding, entry, group, filtered=by_filter)

    def _warn_of_shared_name(self, bindings: Sequence[AddressBinding]) -> None:
        names = ", ".join(repr(binding.name) for binding in bindings)
        message = f"{names} have one routing name: the divert takes the messages of a queue without consumers"
        self._findings.append(Diagnostic("topology.routing-name", "warning", message))

    def _group(self, routing_name: str, bindings: Sequence[AddressBinding], entry: Entry) -> Target | None:
        """Return the exchange that chooses among ``bindings``; None if no binding is available.

        Diverts and queues with a consumer come first, because they can take a message at once.
        """
        builder = self._builder
        label = f"{entry.name}, one of {routing_name.strip(chr(0))}"
        # Diverts with one routing name may be at addresses with wildcards, so the reason names the bindings.
        reason = f"one of {first_of(dict.fromkeys(each.name for each in bindings), _MAX_NAMED)} gets the message"
        last = None
        of_queues = [binding for binding in bindings if not binding.is_divert]
        if of_queues:
            last = builder.exchange(label, "anycast", reason=reason)
            for binding in of_queues:
                for target in self._targets(binding, entry):
                    self._bind(last, binding, entry, target)
        eager: list[tuple[AddressBinding, _Condition | None]] = [
            (binding, None) for binding in bindings if binding.is_divert
        ]
        for binding in of_queues:
            eager += [(binding, selector) for selector in (self._consumers or {}).get(binding.name, ())]
        if not eager:
            return None if last is None else Target("exchange", last)
        first = builder.exchange(
            f"{label}, with consumers", "anycast", None if last is None else Target("exchange", last), reason
        )
        for binding, selector in eager:
            for target in self._together(self._targets(binding, entry), f"{label}, {binding.name}"):
                self._bind(first, binding, entry, target, also=selector)
        return Target("exchange", first)

    def _together(self, targets: Sequence[Target], name: str) -> Sequence[Target]:
        """Return a list with one target, an added exchange that leads to all ``targets``.

        An exchange that chooses one of its targets can then choose ``targets`` only together. A single target is
        returned unchanged.
        """
        if len(targets) < 2:
            return targets
        return [Target("exchange", self._builder.fanout(name, targets))]

    def _targets(self, binding: AddressBinding, entry: Entry) -> list[Target]:
        if binding.is_divert:
            return self._divert_targets(binding, entry)
        target = Target("queue", binding.name)
        if binding.needs_consumer:
            # Artemis routes no messages to a queue with purge-on-no-consumers while the queue has no consumer.
            if self._consumers is None:
                return [self._perhaps(entry, binding.name, target, "if it has a consumer")]
            if not self._consumers.get(binding.name):
                return []
        unless = self._unless_shared(binding.address, entry)
        return [self._perhaps(entry, binding.name, target, unless)] if unless else [target]

    def _perhaps(self, entry: Entry, name: str, target: Target, condition: str) -> Target:
        """Return a target that leads to ``target``, the queue called ``name``, only under ``condition``."""
        return self._builder.perhaps(f"{entry.name}, {name} perhaps", target, f"{name} {condition}")

    def _unless_shared(self, address: str, entry: Entry) -> str:
        """Return, in words, the condition under which a message to ``address`` stays on this broker.

        The text is empty if no cluster shares the address.
        """
        for shared in self._config.connections.shared:
            if address.startswith(shared.prefix) and (entry.type == "MULTICAST" or not shared.only_multicast):
                return shared.unless
        return ""

    def _own_queue(self, entry: Entry) -> Target:
        """Return the target for the queue that a send creates, which has the name of the address.

        If a cluster shares the address, another broker may get the message instead, so the queue is only possible. That
        is the case for addresses that begin with a prefix. A prefix that ends inside a word has no exact binding key,
        so the whole word is left open, and some other addresses are only possible, too.
        """
        own = OWN_QUEUE
        if entry.qualified or entry.type == "MULTICAST":
            return own
        for shared in self._config.connections.shared:
            if shared.only_multicast:
                continue
            perhaps = self._perhaps(entry, "the queue of the address", own, shared.unless)
            if not shared.prefix:
                return perhaps
            *before, _ = self._addresses.words(shared.prefix)
            exchange = self._builder.exchange(f"{entry.name}, own queues of a cluster", alternate=own)
            self._builder.bind(exchange, self._key(entry, (*before, MANY_WORDS)), perhaps)
            own = Target("exchange", exchange)
        return own

    def _divert_targets(self, binding: AddressBinding, entry: Entry) -> list[Target]:
        """Return a target for each forwarding address of the divert ``binding``; the message is routed anew there."""
        routing_type = {"STRIP": None, "PASS": entry.type}.get(binding.type, binding.type)
        targets = []
        for forward in binding.forwards:
            address, qualified, _ = forward.partition(self._config.rules.topic.queue_mark)
            words = self._addresses.words(address)
            # If a divert forwards a message to the address where it already is, the broker does not change the headers
            # that filters read.
            location = entry.at if entry.at is not None else binding.words
            is_same = not qualified and location == words and not is_wild(words)
            hop = None
            if self._hops:
                here = entry.at if entry.at is not None else None if is_wild(binding.words) else binding.words
                hop = (
                    entry.hop
                    if is_same
                    else Hop(binding.name, self._addresses.name(here), entry.last_type, binding.name)
                )
                if self._builder.is_full:
                    self._findings.append(too_many_ways("_AMQ_ORIG_ADDRESS and its like"))
                    hop = UNKNOWN_HOP
            at = words if hop is not None else None
            following = Entry(routing_type, bool(qualified), False, hop, at, entry.last or entry.detached)
            target = Target("exchange", self._enter(following), forward)
            if self._hops and entry.at is None and not qualified and is_wild(binding.words):
                target = self._unless_there(binding, entry, words, target)
            targets.append(target)
        return targets

    def _unless_there(self, binding: AddressBinding, entry: Entry, words: TopicPattern, target: Target) -> Target:
        """Return a target that leads to ``target``, except for messages that are already at the address ``words``.

        ``words`` is the address to which the divert ``binding`` forwards. The send of a message that is already there
        fails. This can happen only if the divert has a wildcard address that matches ``words``.
        """
        if is_wild(words) or not self._addresses.matches(binding, words):
            return target
        name = f"{entry.name}, {binding.name} to {self._addresses.name(words)}"
        if name not in self._builder.exchanges:
            self._builder.exchange(name, alternate=target)
            self._builder.bind(name, self._key(entry, words), FAILED)
        return Target("exchange", name)

    def _bind(
        self,
        source: str,
        binding: AddressBinding,
        entry: Entry,
        target: Target,
        also: _Condition | None = None,
        filtered: bool = True,
    ) -> None:
        """Bind ``target`` under the address and the filter of ``binding``.

        ``also`` is a consumer's selector, which must match as well. If ``filtered`` is False, the filter is not
        applied.
        """
        at = entry.at if entry.at is not None else None if is_wild(binding.words) else binding.words
        if entry.at is not None and not self._addresses.matches(binding, entry.at):
            return
        decided = Decided(None)
        if filtered and binding.filter is not None:
            decided = filter_at(binding.filter, binding.dialect, entry.hop, self._addresses.name(at))
            if not decided.names <= binding.dialect.fields.unreadable.keys():
                self._warn_of_hop(binding)
        certain, condition = decided.certain, _Condition.of(decided.selector, binding.dialect)
        sufficient = _Condition.of(decided.sufficient, binding.dialect)
        if also is not None:
            more = filter_at(also.text, also.dialect, entry.hop, self._addresses.name(at))
            known = _Condition.of(more.selector if more.certain else more.sufficient, also.dialect)
            if not (certain and more.certain):
                before = condition if certain else sufficient
                sufficient = None if known is None or (before is None and not certain) else known
                sufficient = sufficient if before is None or sufficient is None else _both_of(before, sufficient)
            upper = _Condition.of(more.selector, also.dialect)
            both = _both_of(condition, upper) if condition is not None and upper is not None else condition or upper
            certain = certain and more.certain and (both is not None or more.selector is None)
            condition = condition if both is None else both
        queue, divert = None, binding.name if binding.is_divert else None
        if entry.qualified and not binding.is_divert:
            queue = binding.name
        if binding.unless and not binding.is_divert:
            certain, sufficient = False, None
        if not certain:
            # The result of the filter is not known for each message. If it is not TRUE, the message goes to the
            # alternate destination of ``source``, unless another binding takes the message.
            target = self._builder.undecided(
                f"{source}, {binding.name} perhaps",
                source,
                target,
                f"{binding.name} {binding.unless or 'if its filter matches'}",
                None if sufficient is None else sufficient.text,
                binding.location,
                divert=divert,
                dialect=None if sufficient is None else sufficient.dialect_name,
            )
        words = binding.words if entry.at is None else entry.at

        def link(exchange: str, pattern: TopicPattern) -> None:
            key = self._key(entry, pattern, queue)
            self._builder.bind(
                exchange,
                key,
                target,
                None if condition is None else condition.text,
                binding.location,
                divert=divert,
                exclusive=binding.exclusive,
                dialect=None if condition is None else condition.dialect_name,
            )

        if is_plain(words):
            link(source, words)
        else:
            self._bind_by_order(source, binding, entry, link)

    def _key(self, entry: Entry, pattern: TopicPattern, queue: str | None = None) -> str:
        return entry.key(self._config.rules.topic, pattern, queue)

    def _warn_of_hop(self, binding: AddressBinding) -> None:
        message = (
            f"the filter of {binding.name!r} depends on the path of the message, which is not known, so it may match"
        )
        self._findings.append(Diagnostic("topology.hop", "warning", message))

    def _bind_by_order(self, source: str, binding: AddressBinding, entry: Entry, link: _Bind) -> None:
        """Add the bindings of ``binding``, whose address has a multi-word wildcard that does not come last.

        Such a wildcard address matches addresses that were created before it under different rules than later
        addresses.
        """
        builder, pattern = self._builder, binding.words
        name = f"{source}, {binding.address}"
        before = pattern[: pattern.index(MANY_WORDS)]
        earlier = self._addresses.earlier(binding)
        matched = matched_earlier(pattern, earlier)
        otherwise = builder.otherwise(source)
        first = builder.exchange(name, alternate=self._later(name, pattern, entry, link, otherwise))
        builder.record_recipient_test(first, binding.name)
        for address in earlier:
            if address in matched:
                link(first, address)
            elif matches_later(pattern, address):
                builder.bind(first, self._key(entry, address), otherwise)
        builder.bind(source, self._key(entry, (*before, MANY_WORDS)), Target("exchange", first))
        message = (
            f"the address {binding.address!r} contains a multi-word wildcard before its end: which "
            "addresses it matches depends on the order in which the addresses were created"
        )
        self._findings.append(
            Diagnostic(
                "topology.any-words",
                "warning",
                message,
                hint="perhaps use the multi-word wildcard only at the end of the address, or list the addresses",
            )
        )

    def _later(
        self, name: str, pattern: TopicPattern, entry: Entry, link: _Bind, otherwise: Target | None
    ) -> Target | None:
        """Return a target for messages to addresses that were created after the wildcard address ``pattern``.

        Artemis looks for the first word after the multi-word wildcard that occurs in the address, and compares the rest
        of ``pattern`` from there. So there is one exchange for each word after the wildcard, each of which leads to the
        next. Messages to addresses that do not match go to ``otherwise``.
        """
        position = pattern.index(MANY_WORDS)
        before, rest = pattern[:position], pattern[position + 1 :]
        following = otherwise
        for number in reversed(range(len(rest))):
            word = rest[number]
            if isinstance(word, AnyWord):
                continue
            found = self._builder.exchange(f"{name} from {word}", alternate=otherwise)
            behind = rest[number + 1 :]
            if is_plain(behind):
                link(found, (*before, MANY_WORDS, word, *behind))
            else:
                reason = f"what {self._addresses.name(pattern)} takes depends on the order of the addresses"
                maybe = self._builder.exchange(f"{found} perhaps", "maybe", reason=reason)
                link(maybe, (*before, MANY_WORDS, word, MANY_WORDS))
                if otherwise is not None:
                    self._builder.bind(maybe, self._builder.any_key, otherwise)
                self._builder.bind(found, self._builder.any_key, Target("exchange", maybe))
            exchange = self._builder.exchange(f"{name} by {word}", alternate=following)
            self._builder.bind(
                exchange, self._key(entry, (*before, MANY_WORDS, word, MANY_WORDS)), Target("exchange", found)
            )
            following = Target("exchange", exchange)
        return following


def _is_sent(entry: Entry) -> bool:
    """Return True if messages of senders enter at ``entry``."""
    return entry.hop is None and not entry.last and not entry.detached


class _Condition(NamedTuple):
    """A filter of the broker, or a client's selector, with its dialect.

    The dialects differ in the meaning of a JMS name: in a client's selector it is a header field, and in a filter of
    the broker an application property.
    """

    text: str
    dialect: Dialect

    @classmethod
    def of(cls, text: str | None, dialect: Dialect) -> _Condition | None:
        """Return the condition with ``text``; None if ``text`` is None."""
        return None if text is None else cls(text, dialect)

    @property
    def dialect_name(self) -> str | None:
        """The name of the dialect; None if the text has the same meaning in the dialect of the broker's own filters."""
        return None if self.dialect is ARTEMIS_CORE or _reads_alike(self.text) else self.dialect.name


def _both_of(first: _Condition, second: _Condition) -> _Condition | None:
    """Return the conjunction of two conditions; None if there is no dialect in which both keep their meaning."""
    dialects = [each.dialect for each in (first, second) if not _reads_alike(each.text)]
    if len(set(dialects)) > 1:
        return None
    return _Condition(f"({first.text}) AND ({second.text})", dialects[0] if dialects else ARTEMIS_CORE)


def _reads_alike(text: str) -> bool:
    """Return True if the selector ``text`` means the same in a filter of the broker and in a client's selector."""
    try:
        tree = parse_tree(text, ARTEMIS)
    except TranspilerError:
        return False
    rewritten = {word for word, _ in ARTEMIS.fields.rewritten}
    return not any(
        (isinstance(node, ast.Identifier) and node.name.startswith("JMS"))
        or (isinstance(node, ast.StringLiteral) and node.value in rewritten)
        for node in (ast.walk(tree) if tree is not None else ())
    )
