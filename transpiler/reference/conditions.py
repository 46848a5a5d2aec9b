"""Evaluation of a condition (of a filter, a binding or an address) for one message.

``language.conditions`` defines the tests, and quotes the standards where it builds them; this module evaluates each
test. Evaluation is total: no message makes it raise, unless a regular expression exceeds a limit. A condition whose
selector does not parse raises when the selector is parsed for the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord
from transpiler.language.conditions import (
    ROUTING_KEY,
    All,
    Any,
    Condition,
    Equal,
    FieldTest,
    Like,
    MessageFields,
    Not,
    Present,
    Query,
    Selector,
    Words,
)
from transpiler.message.header_fields import MessageField
from transpiler.message.message import Message
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import AmqpType, AmqpValue, coerce
from transpiler.reference.evaluate import evaluate
from transpiler.reference.pairs import is_equal

#: The routing keys of a publication; None is an absent key.
Keys = tuple[str | None, ...]


def holds(condition: Condition, message: Message, keys: Keys = (), receiver: Receiver = ANYONE) -> bool:
    """Return True if a message that was published with the routing keys ``keys`` meets ``condition``.

    Args:
        condition: The condition of a filter, a binding or an address.
        message: The message.
        keys: The routing keys; a test of the routing key holds if any key passes. Filters do not test routing keys.
        receiver: The time and the destination that selectors read.

    Raises the errors of parsing a selector or a query.
    """
    match condition:
        case All(terms=terms):
            return all(holds(term, message, keys, receiver) for term in terms)
        case Any(terms=terms):
            return any(holds(term, message, keys, receiver) for term in terms)
        case Not(term=term):
            return not holds(term, message, keys, receiver)
        case Selector():
            # A selector whose result is unknown does not select the message.
            return evaluate(condition.tree, message, condition.dialect, receiver) is True
        case Query():
            # This import is here because loading the evaluator of XQuery takes time, and few filters contain an XQuery.
            from transpiler.reference.paths import matches_query

            return matches_query(condition.tree, message, condition.subject_header)
        case Present() | Equal() | Like() | Words():
            if condition.message_fields == (ROUTING_KEY,):
                values = (None if key is None else AmqpValue(AmqpType.STRING, key) for key in keys)
                return any(_passes(condition, value) for value in values)
            return _passes(condition, value_at(condition.message_fields, message))
        case _:
            assert_never(condition)


def value_at(message_fields: MessageFields, message: Message) -> AmqpValue | None:
    """Return the value of the first message field in ``message_fields`` that has one; None if no field has a value."""
    found = (_content(message_field, message) for message_field in message_fields)
    return next((value for value in found if value is not None), None)


def _passes(test: FieldTest, value: AmqpValue | None) -> bool:
    content = None if value is None else coerce(value)
    match test:
        case Present():
            return value is not None
        case Equal(value=expected, equality=equality, or_absent=or_absent):
            return or_absent if value is None or value.value is None else is_equal(expected, value, equality)
        case Like(prefix=prefix, suffix=suffix):
            return isinstance(content, str) and content.startswith(prefix) and content.endswith(suffix)
        case Words():
            if not isinstance(content, str):
                return test.or_absent
            return matches_words(test.pattern, test.rules.words(content))


def _content(message_field: MessageField, message: Message) -> AmqpValue | None:
    section = getattr(message, message_field.section)
    if section is None:
        return None
    value = section.get(message_field.field) if isinstance(section, dict) else getattr(section, message_field.field)
    match value:
        case None | AmqpValue():
            return value
        case bool():
            return AmqpValue(AmqpType.BOOLEAN, value)
        case int():
            return AmqpValue(AmqpType.LONG, value)
        case bytes():
            return AmqpValue(AmqpType.BINARY, value)
        case str():
            return AmqpValue(AmqpType.STRING, value)
        case _:
            # A value of this type equals nothing, like a null, so return a null.
            return AmqpValue(AmqpType.NULL, None)


def matches_words(pattern: Sequence[str | AnyWord], words: Sequence[str]) -> bool:
    """Return True if the ``words`` of a routing key match the topic ``pattern``.

    If a word does not match, only the last ``#`` before it takes another word; earlier wildcards need no second try.
    """
    at = here = 0
    last_many, resume = -1, 0
    while at < len(words):
        token = pattern[here] if here < len(pattern) else None
        if token is MANY_WORDS:
            # Apache AMQP filter document, 1.2: "The token consisting of the single character “#” matches zero or more
            # words in the subject field."
            last_many, resume = here, at
            here += 1
        elif token is not None and (token is ONE_WORD or token == words[at]):
            # Apache AMQP filter document, 1.2: "The token consisting of the single character “*” matches a single word
            # in the subject field."
            at, here = at + 1, here + 1
        elif last_many >= 0:
            resume += 1
            at, here = resume, last_many + 1
        else:
            return False
    return all(token is MANY_WORDS for token in pattern[here:])
