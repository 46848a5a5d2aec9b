"""An oracle for conditions: match one message against a filter or a binding without building a condition.

The evaluator and the compiler share the step from a filter or a binding to its condition. This matcher does not. It
matches by kinds of filters and types of exchanges, with one clause under each sentence of the documents, and it
compares words with a regular expression. ``tests/language/test_conditions.py`` checks that both implementations agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import assert_never

from transpiler.base.topics import MANY_WORDS, ONE_WORD, TOPIC_SYNTAX, AnyWord
from transpiler.language.binding_rules import HeadersMatch, read_headers_match
from transpiler.language.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    NoLocal,
    NotFilter,
    OrFilter,
    Prefix,
    PropertiesFilter,
    Reference,
    SqlFilter,
    StreamFilter,
    Suffix,
    TopicBinding,
)
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.header_fields import PUBLISHER_CONNECTION
from transpiler.message.message import Message
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import BY_VALUE, AmqpType, AmqpValue, Equality, NumberEquality, coerce
from transpiler.reference.evaluate import evaluate
from transpiler.reference.pairs import is_equal
from transpiler.reference.paths import matches_query
from transpiler.topology.broker_rules import Rules
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding

_ACROSS_NUMBERS = Equality(numbers=NumberEquality.AS_DOUBLES)


def match_filter(
    node: Filter,
    message: Message,
    dialect: Dialect = JMS,
    connection: str | None = None,
    receiver: Receiver = ANYONE,
) -> bool:
    """Return True if the filter ``node`` accepts ``message`` for a consumer on ``connection``."""
    match node:
        case DirectBinding(key=key):
            # "matches … if and only if the described string value exactly matches the subject field"
            # "If the message has no Properties section, or if the subject field … is not set, then … does not match."
            return _subject(message) == key
        case TopicBinding(pattern=pattern):
            subject = _subject(message)
            if subject is None:
                # "matches only if the value of the filter is a single “#”"
                return pattern == "#"
            return matches_words(TOPIC_SYNTAX.pattern(pattern), TOPIC_SYNTAX.words(subject))
        case HeadersBinding(match=how, pairs=pairs):
            return _matches_pairs(pairs, message, any_pair=how.any_pair)
        case NoLocal():
            return _is_not_local(message, connection)
        case JmsSelector() | SqlFilter():
            # A selector that evaluates to unknown does not select the message.
            return evaluate(_tree(node, dialect), message, _dialect_of(node, dialect), receiver) is True
        case OrFilter(filters=filters):
            # "accepts a message if at least one of the filters within its list accept the message"
            return any(match_filter(inner, message, dialect, connection, receiver) for inner in filters)
        case AndFilter(filters=filters):
            # "accepts a message if and only if all of the filters within its list accept the message"
            return all(match_filter(inner, message, dialect, connection, receiver) for inner in filters)
        case NotFilter(filter=inner):
            # "accepts a message if and only the filter it wraps does not accept the message"
            return not match_filter(inner, message, dialect, connection, receiver)
        case PropertiesFilter(fields=fields):
            # "true if all properties enclosed in the filter expression match the respective properties in the message"
            return all(_is_like(reference, _property(message, name)) for name, reference in fields)
        case ApplicationPropertiesFilter(entries=entries):
            properties = message.application_properties or {}
            return all(name in properties and _is_like(reference, properties[name]) for name, reference in entries)
        case StreamFilter(values=values, unfiltered=unfiltered):
            value = (message.message_annotations or {}).get("x-stream-filter-value")
            absent = value is None or (isinstance(value, AmqpValue) and value.value is None)
            known = value if isinstance(value, AmqpValue) else None
            return unfiltered if absent else any(_is_like(_text(own), known) for own in values)
        case _:
            assert_never(node)


def _text(value: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, value)


def _subject(message: Message) -> str | None:
    return message.properties.subject if message.properties is not None else None


def matches_words(pattern: Sequence[str | AnyWord], words: Sequence[str]) -> bool:
    """Return True if ``words`` match ``pattern``, by a regular expression over words that end with a NUL character."""
    end = "\0"
    wild = {ONE_WORD: f"[^{end}]*{end}", MANY_WORDS: f"(?:[^{end}]*{end})*"}
    expression = "".join(wild[word] if isinstance(word, AnyWord) else re.escape(word + end) for word in pattern)
    return re.fullmatch(expression, "".join(word + end for word in words), re.DOTALL) is not None


def _matches_pairs(pairs: Iterable[tuple[str, AmqpValue]], message: Message, *, any_pair: bool) -> bool:
    """Return True if the properties of ``message`` contain all ``pairs``, or with ``any_pair`` at least one."""
    properties = message.application_properties or {}
    # "If the value for “x-match” is “all” then all other valid key-value pairs in the map MUST match with an entry with
    # the same key in the application-properties section. If … “any” then … at least one key-value pair".
    answers = [name in properties and _is_pair(expected, properties[name]) for name, expected in pairs]
    return any(answers) if any_pair else all(answers)


def _is_pair(expected: AmqpValue, actual: AmqpValue) -> bool:
    # "… or if the value in the filter map for the key is null"
    if expected.value is None:
        return True
    # "A key-value pair … matches … if the keys are identical (including the same type)": numbers by value within
    # integers and within floating point numbers, as the brokers have it.
    return is_equal(expected, actual, BY_VALUE)


def _is_not_local(message: Message, connection: str | None) -> bool:
    publisher = (message.message_annotations or {}).get(PUBLISHER_CONNECTION.field)
    # "accepted … if and only if the message was originally sent … on a separate connection". A message without the
    # annotation did not come from this connection.
    return publisher is None or coerce(publisher) != connection


def _property(message: Message, name: str) -> AmqpValue | None:
    value = getattr(message.properties, name) if message.properties is not None else None
    match value:
        case None | AmqpValue():
            return value
        case int():
            return AmqpValue(AmqpType.LONG, value)
        case bytes():
            return AmqpValue(AmqpType.BINARY, value)
        case _:
            return AmqpValue(AmqpType.STRING, value)


def _is_like(expected: Reference, actual: AmqpValue | None) -> bool:
    text = coerce(actual) if actual is not None else None
    match expected:
        case Prefix(text=prefix):
            return isinstance(text, str) and text.startswith(prefix)
        case Suffix(text=suffix):
            return isinstance(text, str) and text.endswith(suffix)
        case AmqpValue(value=None):
            # A reference value of null requires only that the key is present.
            return True
        case _ if actual is None:
            return False
        case _:
            # "… of a different floating-point or integer number type … equal when treated as a floating-point"
            return is_equal(expected, actual, _ACROSS_NUMBERS)


def _dialect_of(node: JmsSelector | SqlFilter, dialect: Dialect) -> Dialect:
    return dialect if isinstance(node, JmsSelector) else DIALECTS["rabbitmq"]


def _tree(node: JmsSelector | SqlFilter, dialect: Dialect) -> ast.Expression | None:
    return parse_selector(node.text, _dialect_of(node, dialect))


def match_binding(topology: Topology, binding: Binding, message: Message, keys: Sequence[str | None]) -> bool:
    """Return True if ``message``, which reached the exchange of ``binding`` with ``keys``, matches the binding."""
    exchange = topology.exchange_by_name[binding.source]
    match exchange.type:
        case "direct":
            # "an exact match between the routing key of the message, and the binding key"
            matched = any((key or "") == binding.key for key in keys)
        case "topic" | "anycast" | "maybe":
            topic = topology.rules.topic
            matched = any(matches_words(topic.pattern(binding.key), topic.words(key)) for key in keys)
        case "fanout":
            # "routes messages to all queues bound to the exchange, regardless of the message's routing key"
            matched = True
        case "x-consistent-hash" | "x-modulus-hash" | "x-random" | "x-local-random" | "x-super-stream" | "unknown":
            # Every binding matches: other code chooses among the bindings.
            matched = True
        case "x-jms-topic":
            # The plugin evaluates only the selector: the exchange before this exchange has compared the key.
            matched = True
        case "headers":
            matched = _matches_headers(read_headers_match(binding.arguments, topology.rules), message, topology.rules)
        case "xml":
            # The exchange compares the binding key as a direct exchange does, and then evaluates the query.
            query = binding.text("xquery")
            matched = any((key or "") == binding.key for key in keys) and (
                query is None or matches_query(parse_query(query), message, topology.rules.subject_header)
            )
    if not matched:
        return False
    # "If the expression evaluates to true, the message is routed to the queue."
    selector = topology.selector(binding)
    if selector is None:
        return True
    dialect = topology.dialect(binding)
    return evaluate(parse_selector(selector, dialect), message, DIALECTS[dialect]) is True


def _matches_headers(arguments: HeadersMatch, message: Message, rules: Rules) -> bool:
    """Return True if ``message`` has the headers that the arguments of a binding require."""
    if arguments.never:
        return False
    # "all implies that all the other pairs must match ... any implies that the message should be routed if any ..."
    answers = (_has_header(message, name, value, rules) for name, value in arguments.pairs)
    return any(answers) if arguments.any else all(answers)


def _header_of(message: Message, name: str, rules: Rules) -> AmqpValue | None:
    """Return the header of ``message`` that a headers binding reads under ``name``."""
    return (message.application_properties or {}).get(name, _subject_header(name, message, rules))


def _has_header(message: Message, name: str, expected: AmqpValue | None, rules: Rules) -> bool:
    """Return True if ``message`` has the header ``name`` with the value ``expected``, or with any value if None."""
    return _has(_header_of(message, name, rules), expected, rules)


def _subject_header(name: str, message: Message, rules: Rules) -> AmqpValue | None:
    # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties of a message.
    subject = _subject(message)
    return AmqpValue(AmqpType.STRING, subject) if name == rules.subject_header and subject is not None else None


def _has(actual: AmqpValue | None, expected: AmqpValue | None, rules: Rules) -> bool:
    # "either the field in the bind arguments has no value and a field of the same name is present in the message
    # headers or ... a field of the same name exists in the message headers and has that same value"
    if actual is None:
        return False
    return expected is None or is_equal(expected, actual, rules.headers.equality)
