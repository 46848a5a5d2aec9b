"""Match one message against a filter: the Apache AMQP filter document, one clause under each of its sentences.

A filter accepts a message or does not. Evaluation of a filter that ``check_filter`` passed is total.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import assert_never

from transpiler.base.errors import LayoutError
from transpiler.base.topics import MANY_WORDS, ONE_WORD, TOPIC_SYNTAX, AnyWord
from transpiler.language.filters.kinds import (
    STREAM_VALUE,
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
    inner_filters,
)
from transpiler.language.filters.selector_parsing import dialect_of, parse_text
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.message.header_fields import PUBLISHER_CONNECTION
from transpiler.message.message import Message
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import BY_VALUE, AmqpType, AmqpValue, Equality, NumberEquality, coerce
from transpiler.reference.evaluate import evaluate
from transpiler.reference.pairs import is_equal

_ACROSS_NUMBERS = Equality(numbers=NumberEquality.AS_DOUBLES)


def check_filter(node: Filter, dialect: Dialect = JMS, connection: str | None = None) -> None:
    """Refuse a filter that cannot be evaluated: a bad selector, no-local without the receiver's connection.

    Raises what ``parse_text`` raises, and ``LayoutError``.
    """
    match node:
        case JmsSelector() | SqlFilter():
            _tree(node, dialect)
        case NoLocal(path=path) if connection is None:
            raise LayoutError.at(
                "filters.connection",
                f"{path}: no-local needs to know the receiver's connection",
                hint="perhaps say connection='…', the id by which the publisher's connection is recorded",
            )
    for inner in inner_filters(node):
        check_filter(inner, dialect, connection)


def match_filter(
    node: Filter,
    message: Message,
    dialect: Dialect = JMS,
    connection: str | None = None,
    receiver: Receiver = ANYONE,
) -> bool:
    """Return True if a filter that ``check_filter`` passed accepts a message that is received on a connection."""
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
            return matches_headers(pairs, message, any_pair=how.any_pair)
        case NoLocal():
            return _is_not_local(message, connection)
        case JmsSelector() | SqlFilter():
            # A selector that is unknown does not select.
            return evaluate(_tree(node, dialect), message, dialect_of(node, dialect), receiver) is True
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
            value = (message.message_annotations or {}).get(STREAM_VALUE)
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
    """Return True if the words of a subject match a pattern, by backtracking to the last ``#`` alone."""
    at = here = 0
    last_many, resume = -1, 0
    while at < len(words):
        token = pattern[here] if here < len(pattern) else None
        if token is MANY_WORDS:
            # "The token consisting of the single character “#” matches zero or more words in the subject field."
            last_many, resume = here, at
            here += 1
        elif token is not None and (token is ONE_WORD or token == words[at]):
            # "The token consisting of the single character “*” matches a single word in the subject field."
            at, here = at + 1, here + 1
        elif last_many >= 0:
            resume += 1
            at, here = resume, last_many + 1
        else:
            return False
    return all(token is MANY_WORDS for token in pattern[here:])


def matches_headers(pairs: Iterable[tuple[str, AmqpValue]], message: Message, *, any_pair: bool) -> bool:
    """Return True if a message has all of some pairs among its application properties, or one of them."""
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
    # "accepted … if and only if the message was originally sent … on a separate connection". One without
    # the annotation did not come from here.
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
            # A null is satisfied by the presence of the key.
            return True
        case _ if actual is None:
            return False
        case _:
            # "… of a different floating-point or integer number type … equal when treated as a floating-point"
            return is_equal(expected, actual, _ACROSS_NUMBERS)


def _tree(node: JmsSelector | SqlFilter, dialect: Dialect) -> ast.Expression | None:
    return _parsed(node, dialect_of(node, dialect))


@lru_cache(maxsize=4096)
def _parsed(node: JmsSelector | SqlFilter, dialect: Dialect) -> ast.Expression | None:
    return parse_text(node, dialect)
