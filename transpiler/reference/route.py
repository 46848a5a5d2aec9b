"""Where one message goes: the exchanges chapter of the Qpid Broker-J book, and what the brokers add to it.

Routing is total: no message makes it raise. A message reaches a queue once, however many bindings lead there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from transpiler.message.message import Message
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, AmqpValue, TypeClass, coerce
from transpiler.reference.evaluate import evaluate
from transpiler.reference.match import matches_words
from transpiler.reference.query import matches_query
from transpiler.selector import ast
from transpiler.selector.dialects import DIALECTS
from transpiler.selector.parser import parse_selector
from transpiler.topology.model import DEFAULT_EXCHANGE, Binding, Exchange, HeadersMatch, Topology
from transpiler.topology.query import Condition
from transpiler.topology.rules import NumberEquality, Rules
from transpiler.topology.xquery import parse_query

#: What became of a message; ``no-exchange`` is one that was sent to an exchange that is not there.
Outcome = Literal["routed", "discard", "reject", "return", "no-exchange"]


@dataclass(frozen=True, slots=True)
class Routed:
    """The queues that a message reaches, distinct and sorted, and what becomes of one that reaches none."""

    queues: tuple[str, ...]
    outcome: Outcome


def route_message(
    topology: Topology, message: Message, exchange: str | None = None, routing_keys: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The names of the queues that a message reaches, distinct and sorted; see ``publish``."""
    return publish(topology, message, exchange, routing_keys).queues


def publish(
    topology: Topology,
    message: Message,
    exchange: str | None = None,
    routing_keys: Sequence[str] | None = None,
    *,
    mandatory: bool = False,
) -> Routed:
    """What a topology does with a message that is published to an exchange, by name.

    ``exchange`` defaults to the topology's ``default_exchange``; ``routing_keys`` to the message's subject, which is
    where AMQP 1.0 has the routing key. RabbitMQ's CC and BCC headers add more keys; where the broker has nothing like
    them, only the first key counts. ``mandatory`` is AMQP 0-9-1's flag: what cannot be routed goes back to its
    publisher.
    """
    name = topology.default_exchange if exchange is None else exchange
    found = topology.exchange_by_name.get(name)
    if found is None:
        return Routed((), "no-exchange")
    if found.internal:
        # Only other exchanges publish to an internal one.
        return Routed((), "reject")
    keys = (_subject(message),) if routing_keys is None else tuple(routing_keys)
    if not topology.rules.several_keys:
        keys = keys[:1]
    queues = _Route(topology, message).through(found, keys, frozenset())
    if queues:
        return Routed(tuple(sorted(queues)), "routed")
    # "Otherwise, the message is discarded."
    return Routed((), "return" if mandatory else found.unroutable)


def _subject(message: Message) -> str | None:
    return message.properties.subject if message.properties is not None else None


#: The routing keys of a publication; None is an absent one.
_Keys = tuple[str | None, ...]

#: The exchanges, with keys, that a message is on its way through.
_Way = frozenset[tuple[str, _Keys]]


class _Route:
    """One message on its way."""

    def __init__(self, topology: Topology, message: Message) -> None:
        self.topology = topology
        self.message = message
        self._known: dict[tuple[str, _Keys], frozenset[str]] = {}
        self._seen: set[tuple[str, _Keys]] = set()
        self._shortened = 0

    def through(self, exchange: Exchange, keys: _Keys, way: _Way) -> frozenset[str]:
        """The queues reached from an exchange.

        A message that comes back to an exchange on its way goes no further there. What an exchange answers does not
        depend on the order of its bindings.
        """
        here = (exchange.name, keys)
        if self.topology.rules.alternate_on_no_match:
            # What an exchange does depends on itself alone, so once is enough.
            way = frozenset(self._seen)
            self._seen.add(here)
        if here in way:
            self._shortened += 1
            return frozenset()
        known = self._known.get(here)
        if known is not None:
            return known
        shortened, way = self._shortened, way | {here}
        queues, matched = self._bound(exchange, keys, way)
        if not (matched if self.topology.rules.alternate_on_no_match else queues):
            queues |= self._alternate(exchange, keys, way)
        if self._shortened == shortened:
            # Nothing was cut short, so the answer is the same on every other way.
            self._known[here] = queues
        return queues

    def _bound(self, exchange: Exchange, keys: _Keys, way: _Way) -> tuple[frozenset[str], bool]:
        if exchange.name == DEFAULT_EXCHANGE:
            # "All queues are automatically bound to it upon their creation using the queue name as the binding key."
            found = frozenset(key for key in keys if key is not None and self._names_queue(key))
            return found, bool(found)
        queues: set[str] = set()
        matched = False
        for binding in self.topology.bindings_by_source.get(exchange.name, ()):
            if not self._matches(exchange, binding, keys):
                continue
            matched = True
            if binding.destination_type == "queue":
                queues.add(binding.destination)
            else:
                replacement = self.topology.replacement_key(binding)
                onward = keys if replacement is None else (replacement,)
                queues |= self.through(self.topology.exchange_by_name[binding.destination], onward, way)
        return frozenset(queues), matched

    def _names_queue(self, key: str) -> bool:
        rules = self.topology.rules
        if rules.direct_replies is not None and key.startswith(rules.direct_replies):
            return False
        return rules.default_names_any_queue or key in self.topology.queue_names

    def _alternate(self, exchange: Exchange, keys: _Keys, way: _Way) -> frozenset[str]:
        # "If ... an alternate binding has been set on the exchange, the message is routed to the alternate."
        found = self.topology.alternate(exchange)
        if found is None:
            return frozenset()
        if found.type == "queue":
            return frozenset({found.name})
        alternate = self.topology.exchange_by_name[found.name]
        if self.topology.rules.alternates_chain:
            return self.through(alternate, keys, way)
        return self._bound(alternate, keys, way)[0]

    def _matches(self, exchange: Exchange, binding: Binding, keys: _Keys) -> bool:
        topology = self.topology
        match exchange.type:
            case "direct":
                # "an exact match between the routing key of the message, and the binding key"
                found = any((key or "") == binding.key for key in keys)
            case "topic":
                words = topology.rules.topic.words
                found = any(matches_words(words(binding.key), words(key)) for key in keys)
            case "fanout":
                # "routes messages to all queues bound to the exchange, regardless of the message's routing key"
                found = True
            case "headers":
                found = matches_headers(topology.headers(binding), self.message, topology.rules)
            case "xml":
                # The binding key is compared as a direct exchange does, and then the query is asked.
                query = topology.xquery(binding)
                found = any((key or "") == binding.key for key in keys) and (
                    query is None or matches_query(_parsed_query(query), self.message, topology.rules.subject_header)
                )
        if not found:
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


def matches_headers(wanted: HeadersMatch, message: Message, rules: Rules) -> bool:
    """Whether a message has the headers that a binding asks for."""
    if wanted.never:
        return False
    headers = message.application_properties or {}
    # "all implies that all the other pairs must match ... any implies that the message should be routed if any ..."
    answers = (
        _has(headers.get(name, _subject_header(name, message, rules)), value, rules) for name, value in wanted.pairs
    )
    return any(answers) if wanted.any else all(answers)


def _subject_header(name: str, message: Message, rules: Rules) -> AmqpValue | None:
    # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
    subject = _subject(message)
    return AmqpValue(AmqpType.STRING, subject) if name == rules.subject_header and subject is not None else None


def _has(found: AmqpValue | None, wanted: AmqpValue | None, rules: Rules) -> bool:
    # "either the field in the bind arguments has no value and a field of the same name is present in the message
    # headers or ... a field of the same name exists in the message headers and has that same value"
    if found is None:
        return False
    return wanted is None or _equal(wanted, found, rules.headers.numbers)


_TEXT = (AmqpType.STRING, AmqpType.SYMBOL)


def _equal(wanted: AmqpValue, found: AmqpValue, numbers: NumberEquality) -> bool:
    if found.value is None or wanted.value is None:
        return False
    first, second = TYPE_CLASS[COERCION[wanted.type]], TYPE_CLASS[COERCION[found.type]]
    match numbers:
        case NumberEquality.BY_VALUE:
            return first is second and coerce(wanted) == coerce(found)
        case NumberEquality.SAME_TYPE:
            # Java's equals: of one class, and of two byte arrays never.
            same = wanted.type is found.type or (wanted.type in _TEXT and found.type in _TEXT)
            return same and first is not TypeClass.BYTES and coerce(wanted) == coerce(found)
        case NumberEquality.AS_INT64:
            integral = (TypeClass.INTEGER, TypeClass.BOOLEAN)
            if first in integral and second in integral:
                return int(coerce(wanted) or 0) == int(coerce(found) or 0)
            if wanted.type is AmqpType.FLOAT:
                return False
            return first is second and coerce(wanted) == coerce(found)
