"""Route one message: the exchanges chapter of the Qpid Broker-J book, and what the brokers add to it.

Routing is total: no message makes it raise. A message reaches a queue once, however many bindings lead there.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from transpiler.arguments import check_choice
from transpiler.filters.binding_rules import HeadersMatch
from transpiler.message.message import Message, MessageLike, Properties, as_message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import evaluate
from transpiler.reference.match import matches_words
from transpiler.reference.pairs import is_equal
from transpiler.reference.xquery import matches_query
from transpiler.selector import ast
from transpiler.selector.dialects import DIALECTS
from transpiler.selector.grammar import parse_selector
from transpiler.topology.broker_rules import Rules
from transpiler.topology.choices import Choice, choice_of, is_choosing, leaves_open
from transpiler.topology.destinations import FAILED, MARKS, OWN_QUEUE, UNDECLARED, own_queue, sends_of
from transpiler.topology.model import DEFAULT_EXCHANGE, Binding, Exchange, Topology, check_topology
from transpiler.topology.publishing import (
    OUTCOMES,
    PUBLISH_TO,
    Outcome,
    Protocol,
    Publisher,
    PublishTo,
    relay_target,
)
from transpiler.topology.qpid_address.address import Address
from transpiler.topology.receivers import Sender, resolve_sender
from transpiler.topology.xquery import parse_query
from transpiler.topology.xquery_nodes import Condition

#: The application header in which AMQP 0-10 has the subject.
_SUBJECT_HEADER = "qpid.subject"


@dataclass(frozen=True, slots=True)
class Routed:
    """The queues that a message reaches, distinct and sorted, and what became of it.

    ``exchange`` is where it was published; None where the anonymous relay rejected it. ``possible_queues`` are those
    that it may reach besides, by what an exchange chooses with a hash, at random or by what the broker has seen: one of
    several, or some. Of a JMS broker ``exchange`` is the destination.
    """

    queues: tuple[str, ...]
    outcome: Outcome
    exchange: str | None = None
    possible_queues: tuple[str, ...] = ()


def route_message(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str] | None = None,
    *,
    address: str | Address | Sender | None = None,
    publish_to: PublishTo = "exchange",
    routing_type: str | None = None,
) -> tuple[str, ...]:
    """Return the names of the queues that a message reaches, distinct and sorted; see ``publish``."""
    return publish(
        topology, message, exchange, routing_keys, address=address, publish_to=publish_to, routing_type=routing_type
    ).queues


def publish(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str] | None = None,
    *,
    address: str | Address | Sender | None = None,
    publish_to: PublishTo = "exchange",
    protocol: Protocol | None = None,
    mandatory: bool = False,
    reject_unroutable: bool = False,
    routing_type: str | None = None,
) -> Routed:
    """Publish a message to an exchange, by name; return the queues that it reaches, and its outcome.

    ``exchange`` defaults to the topology's ``default_exchange``; ``routing_keys`` to the message's subject, which is
    where AMQP 1.0 has the routing key. RabbitMQ's CC and BCC headers add more keys; where the broker has nothing like
    them, only the first key counts.

    In place of an exchange, ``address`` is the one that a Qpid sender has (``queue``, ``exchange`` or
    ``exchange/subject``; in a topology of RabbitMQ also ``/queues/queue`` and ``/exchanges/exchange/key``), or what
    ``resolve_sender`` made of it. With ``publish_to="to"`` the message goes to the anonymous relay, which sends it to
    the address in its own ``to``, and rejects it where that is absent or leads nowhere.

    The outcome of a message that reaches no queue depends on the publisher: on its ``protocol``, on ``mandatory``, the
    flag of AMQP 0-8 to 0-9-1, and on ``reject_unroutable``, a capability of AMQP 1.0. Without a protocol both settings
    apply, and else the exchange's own behaviour decides.

    Exchanges that hand a message to one of their bindings by a hash or at random, as RabbitMQ's ``x-consistent-hash``,
    give ``possible_queues``; it is ``delivered`` where each choice is a queue, and ``undecided`` where only some are.

    For a JMS broker ``exchange`` is a destination (Artemis: ``address`` or ``address::queue``, with ``routing_type``
    ANYCAST, MULTICAST or None; ActiveMQ: ``queue://name``, ``topic://name`` or a list with commas), and the routing key
    is part of it. Two outcomes more are such a broker's: ``dead-letter`` and ``error``.

    Raises ``TopologyError`` for an address that leads nowhere; ``ValueError`` for parameters that exclude each other.
    """
    return trace(
        topology,
        message,
        exchange,
        routing_keys,
        address=address,
        publish_to=publish_to,
        protocol=protocol,
        mandatory=mandatory,
        reject_unroutable=reject_unroutable,
        routing_type=routing_type,
    ).routed


class Visit(NamedTuple):
    """An exchange that a message came to, under its routing keys; ``matched`` has an answer for each of its bindings.

    The bindings are those of ``Topology.bindings_by_source``; the default exchange has none there.
    """

    exchange: Exchange
    keys: tuple[str | None, ...]
    matched: tuple[bool, ...]


class Traced(NamedTuple):
    """The outcome of a message, and the exchanges that it came to, each once for each set of keys.

    ``message`` and ``topology`` are as the address of the sender has changed them.
    """

    routed: Routed
    message: Message
    topology: Topology
    visits: tuple[Visit, ...] = ()


def trace(
    topology: Topology,
    message: MessageLike,
    exchange: str | None = None,
    routing_keys: Sequence[str] | None = None,
    *,
    address: str | Address | Sender | None = None,
    publish_to: PublishTo = "exchange",
    protocol: Protocol | None = None,
    mandatory: bool = False,
    reject_unroutable: bool = False,
    routing_type: str | None = None,
) -> Traced:
    """Publish a message as ``publish`` does; return the exchanges that it came to as well."""
    publisher = Publisher(protocol, mandatory, reject_unroutable)
    check_topology(topology)
    message = as_message(message)
    check_choice("publish_to", publish_to, PUBLISH_TO)
    if sum((exchange is not None, address is not None, publish_to == "to")) > 1:
        raise ValueError("exchange, address and publish_to='to' are three ways to say where a message goes: give one")
    if topology.rules.destinations is not None:
        if exchange is None or address is not None or publish_to == "to" or routing_keys is not None:
            raise ValueError(f"{topology.rules.name}: exchange names the destination, and nothing else does")
        return _send(topology, message, exchange, routing_type, publisher)
    if publish_to == "to":
        return _relay(topology, message, publisher)
    keys: _Keys | None = None if routing_keys is None else tuple(routing_keys)
    name = topology.default_exchange if exchange is None else exchange
    if address is not None:
        sender = address if isinstance(address, Sender) else resolve_sender(topology, address)
        topology, name = sender.topology, sender.exchange
        message = _with_subject(message, sender.subject)
        keys = keys if sender.key is None else (sender.key,)
    published_to = topology.exchange_by_name.get(name)
    if published_to is None:
        return Traced(Routed((), "no-exchange", name), message, topology)
    all_keys = (_subject(message),) if keys is None else keys
    keys = all_keys if topology.rules.several_keys else all_keys[:1]
    return _publish(topology, message, published_to, keys, publisher)


def _relay(topology: Topology, message: Message, publisher: Publisher) -> Traced:
    # "messages sent to the relay node will be relayed to a node at the address given in the to field ... Messages ...
    # that don't contain a valid value for the to field ... will be rejected by the peer."
    target = relay_target(topology, message.properties.to if message.properties is not None else None)
    if target is None:
        return Traced(Routed((), "rejected"), message, topology)
    keys = (_subject(message) if target.key is None else target.key,)
    return _publish(topology, message, topology.exchange_by_name[target.exchange], keys, publisher)


def _send(
    topology: Topology, message: Message, destination: str, routing_type: str | None, publisher: Publisher
) -> Traced:
    """Send to a destination of a JMS broker, to each part of a list of them."""
    parts = [
        _publish(topology, message, topology.exchange_by_name[send.exchange], (send.key,), publisher)
        for send in sends_of(topology, destination, routing_type)
    ]
    queues = {queue for part in parts for queue in part.routed.queues}
    possible = {queue for part in parts for queue in part.routed.possible_queues} - queues
    outcome: Outcome = "discarded"
    if parts:
        outcome = min((part.routed.outcome for part in parts), key=_WEIGHTS.index)
    marked = next((MARKS[mark] for mark in MARKS if mark in queues), None)
    if marked == "error":
        # What was sent before the failure depends on the order of bindings.
        queues, possible = set(), queues | possible
    elif marked == "rejected":
        queues, possible = set(), set()
    queues, possible = queues - UNDECLARED, possible - UNDECLARED
    if marked is not None:
        outcome = marked
    elif outcome == "alternate":
        # A chain of cases, and no fallback of the broker's.
        outcome = "delivered"
    elif not queues and not possible and outcome not in ("delivered", "undecided"):
        outcome = "discarded"
    routed = Routed(tuple(sorted(queues)), outcome, destination, tuple(sorted(possible)))
    return Traced(routed, message, topology, tuple(visit for part in parts for visit in part.visits))


#: The outcomes of the parts of a list of destinations, in the order in which one stands for all.
_WEIGHTS: tuple[Outcome, ...] = ("delivered", "alternate", "undecided", *OUTCOMES)


def _with_subject(message: Message, default: str | None) -> Message:
    """Give a message without a subject the sender's.

    "The subject may also be set on each message individually to override the default if required. In each case any
    specified subject is also added as a qpid.subject entry in the application-headers field".
    """
    if default is None or _subject(message) is not None:
        return message
    header = {_SUBJECT_HEADER: AmqpValue(AmqpType.STRING, default)}
    return replace(
        message,
        properties=replace(message.properties or Properties(), subject=default),
        application_properties={**(message.application_properties or {}), **header},
    )


def _publish(topology: Topology, message: Message, exchange: Exchange, keys: _Keys, publisher: Publisher) -> Traced:
    if exchange.internal:
        routed = Routed((), publisher.outcome(exchange, topology.rules), exchange.name)
        return Traced(routed, message, topology)
    route = _Route(topology, message)
    queues = route.queues(exchange, keys)
    if route.comes_back:
        queues |= {FAILED}
    possible: frozenset[str] = frozenset()
    if route.used_choices:
        possible = _Route(topology, message, chosen=True).queues(exchange, keys) - queues
    outcome: Outcome = "delivered"
    if not queues and not route.chose_queue:
        # "Otherwise, the message is discarded."
        outcome = "undecided" if possible else publisher.outcome(exchange, topology.rules)
    elif route.used_alternates:
        without = _Route(topology, message, alternates=False)
        if not without.queues(exchange, keys) and not without.chose_queue:
            outcome = "alternate"
    routed = Routed(tuple(sorted(queues)), outcome, exchange.name, tuple(sorted(possible)))
    return Traced(routed, message, topology, tuple(route.visits.values()))


def _subject(message: Message) -> str | None:
    return message.properties.subject if message.properties is not None else None


#: The routing keys of a publication; None is an absent one.
_Keys = tuple[str | None, ...]

#: A part of a traversal: it asks for the queues of further parts, and returns its own.
_Walk = Generator["_Walk", frozenset[str], frozenset[str]]


class _Route:
    """The traversal of one message; without ``alternates`` it follows bindings alone.

    It stops at exchanges that choose one of their bindings, or with ``chosen`` follows all that may be chosen.
    """

    def __init__(self, topology: Topology, message: Message, *, alternates: bool = True, chosen: bool = False) -> None:
        self.topology = topology
        self.message = message
        self.used_alternates = False
        self.used_choices = False
        #: Some exchange chose among queues, so that the message reaches one.
        self.chose_queue = False
        self.visits: dict[tuple[str, _Keys], Visit] = {}
        #: The states that the message went on to from each, where coming back to one is a failure.
        self.onward: dict[tuple[str, _Keys], list[tuple[str, _Keys]]] = {}
        self._alternates = alternates
        self._chosen = chosen
        #: The exchanges, with keys, that the message passes through on its path.
        self._path: set[tuple[str, _Keys]] = set()
        self._known: dict[tuple[str, _Keys], frozenset[str]] = {}
        self._shortened = 0

    def queues(self, exchange: Exchange, keys: _Keys) -> frozenset[str]:
        """Return the queues reached from an exchange; the result does not depend on the order of the bindings."""
        # A path may be longer than Python's stack is deep.
        walks, queues = [self._through(exchange, keys)], None
        while walks:
            try:
                walks.append(walks[-1].send(queues) if queues is not None else next(walks[-1]))
                queues = None
            except StopIteration as end:
                walks.pop()
                queues = end.value
        return queues or frozenset()

    def _through(self, exchange: Exchange, keys: _Keys) -> _Walk:
        """Walk from an exchange; a message that comes back to one on its path goes no further there."""
        here = (exchange.name, keys)
        if here in self._path:
            self._shortened += 1
            return frozenset()
        known = self._known.get(here)
        if known is not None:
            return known
        shortened = self._shortened
        self._path.add(here)
        queues, matched = yield from self._bound(exchange, keys)
        if not (matched if self.topology.rules.alternate_on_no_match else queues):
            queues |= yield from self._alternate(exchange, keys)
        if not self.topology.rules.alternate_on_no_match:
            # Elsewhere what an exchange does depends on itself alone, so once is enough.
            self._path.remove(here)
        if self._shortened == shortened:
            # Nothing was cut short, so the result is the same on every other path.
            self._known[here] = queues
        return queues

    def _bound(self, exchange: Exchange, keys: _Keys) -> Generator[_Walk, frozenset[str], tuple[frozenset[str], bool]]:
        if exchange.name == DEFAULT_EXCHANGE:
            # "All queues are automatically bound to it upon their creation using the queue name as the binding key."
            queue_names = frozenset(key for key in keys if key is not None and self._names_queue(key))
            self.visits[exchange.name, keys] = Visit(exchange, keys, ())
            return queue_names, bool(queue_names)
        choice = choice_of(self.topology, exchange) if is_choosing(exchange) else None
        if choice is not None and not choice.by_match:
            self.visits[exchange.name, keys] = Visit(exchange, keys, ())
            return (yield from self._chose(exchange, choice, keys)), True
        queues: set[str] = set()
        bindings = self.topology.bindings_by_source.get(exchange.name, ())
        answers = tuple(self._matches(exchange, binding, keys) for binding in bindings)
        self.visits[exchange.name, keys] = Visit(exchange, keys, answers)
        if choice is not None:
            matched = tuple(binding for binding, is_match in zip(bindings, answers, strict=True) if is_match)
            if leaves_open(self.topology, choice, matched):
                return (yield from self._chose(exchange, choice._replace(bindings=matched), keys)), True
        for binding, is_match in zip(bindings, answers, strict=True):
            if is_match:
                queues |= yield from self._along(binding, keys)
        return frozenset(queues), any(answers)

    def _along(self, binding: Binding, keys: _Keys) -> _Walk:
        """Walk along a binding that the message matches."""
        if binding.destination_type == "queue":
            return frozenset({self._queue(binding.destination, keys)})
        replacement = self.topology.replacement_key(binding)
        onward = keys if replacement is None else (replacement,)
        self._go(binding.source, keys, binding.destination, onward)
        return (yield self._through(self.topology.exchange_by_name[binding.destination], onward))

    def _chose(self, exchange: Exchange, choice: Choice, keys: _Keys) -> _Walk:
        """Walk to the queues that are reached whatever an exchange chooses, or to all that are by some choice."""
        self.used_choices = True
        self.chose_queue |= choice.reaches_queue
        queues: set[str] = set()
        if self._chosen:
            for binding in choice.bindings:
                queues |= yield from self._along(binding, keys)
            if not choice.total and not choice.by_match:
                queues |= yield from self._alternate(exchange, keys)
        return frozenset(queues)

    def _queue(self, name: str, keys: _Keys) -> str:
        return own_queue(self.topology, keys[0] or "") if name == OWN_QUEUE else name

    def _go(self, source: str, keys: _Keys, destination: str, onward: _Keys) -> None:
        if self.topology.rules.rings_fail:
            self.onward.setdefault((source, keys), []).append((destination, onward))

    @property
    def comes_back(self) -> bool:
        """Return True if the message came back to a state on its path."""
        try:
            TopologicalSorter(self.onward).prepare()
        except CycleError:
            return True
        return False

    def _names_queue(self, key: str) -> bool:
        rules = self.topology.rules
        if rules.direct_replies is not None and key.startswith(rules.direct_replies):
            return False
        return key in self.topology.queue_names

    def _alternate(self, exchange: Exchange, keys: _Keys) -> _Walk:
        # "If ... an alternate binding has been set on the exchange, the message is routed to the alternate."
        alternate = self.topology.alternate(exchange) if self._alternates else None
        if alternate is None:
            return frozenset()
        self.used_alternates = True
        if alternate.type == "queue":
            return frozenset({self._queue(alternate.name, keys)})
        self._go(exchange.name, keys, alternate.name, keys)
        next_exchange = self.topology.exchange_by_name[alternate.name]
        if self.topology.rules.alternates_chain:
            return (yield self._through(next_exchange, keys))
        queues, _ = yield from self._bound(next_exchange, keys)
        return queues

    def _matches(self, exchange: Exchange, binding: Binding, keys: _Keys) -> bool:
        topology = self.topology
        match exchange.type:
            case "direct":
                # "an exact match between the routing key of the message, and the binding key"
                matched = any((key or "") == binding.key for key in keys)
            case "topic" | "anycast" | "maybe":
                words = topology.rules.topic.words
                matched = any(matches_words(words(binding.key), words(key)) for key in keys)
            case "fanout" | "x-consistent-hash" | "x-modulus-hash" | "x-random" | "x-local-random" | "x-super-stream":
                # "routes messages to all queues bound to the exchange, regardless of the message's routing key"
                matched = True
            case "x-jms-topic":
                # The plugin tries the selector alone: the exchange before it has compared the key.
                matched = True
            case "headers":
                matched = matches_headers(topology.headers(binding), self.message, topology.rules)
            case "xml":
                # The binding key is compared as a direct exchange does, and then the query is evaluated.
                query = topology.xquery(binding)
                matched = any((key or "") == binding.key for key in keys) and (
                    query is None or matches_query(_parsed_query(query), self.message, topology.rules.subject_header)
                )
        if not matched:
            return False
        # "If the expression evaluates to true, the message is routed to the queue."
        selector = topology.selector(binding)
        if selector is None:
            return True
        dialect = topology.rules.dialect
        return evaluate(_parsed(selector, dialect), self.message, DIALECTS[dialect]) is True


@lru_cache(maxsize=4096)
def _parsed(selector: str, dialect: str) -> ast.Expression | None:
    return parse_selector(selector, DIALECTS[dialect])


@lru_cache(maxsize=4096)
def _parsed_query(query: str) -> Condition:
    return parse_query(query)


def matches_headers(arguments: HeadersMatch, message: Message, rules: Rules) -> bool:
    """Return True if a message has the headers that a binding's arguments require."""
    if arguments.never:
        return False
    # "all implies that all the other pairs must match ... any implies that the message should be routed if any ..."
    answers = (has_header(message, name, value, rules) for name, value in arguments.pairs)
    return any(answers) if arguments.any else all(answers)


def header_of(message: Message, name: str, rules: Rules) -> AmqpValue | None:
    """Return the header of a message that a headers binding reads by a name."""
    return (message.application_properties or {}).get(name, _subject_header(name, message, rules))


def has_header(message: Message, name: str, expected: AmqpValue | None, rules: Rules) -> bool:
    """Return True if a message has a header with the value that a binding expects; None expects presence only."""
    return _has(header_of(message, name, rules), expected, rules)


def _subject_header(name: str, message: Message, rules: Rules) -> AmqpValue | None:
    # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
    subject = _subject(message)
    return AmqpValue(AmqpType.STRING, subject) if name == rules.subject_header and subject is not None else None


def _has(actual: AmqpValue | None, expected: AmqpValue | None, rules: Rules) -> bool:
    # "either the field in the bind arguments has no value and a field of the same name is present in the message
    # headers or ... a field of the same name exists in the message headers and has that same value"
    if actual is None:
        return False
    return expected is None or is_equal(expected, actual, rules.headers.equality)
