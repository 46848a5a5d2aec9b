"""The kinds of AMQP filters as classes, and the condition of each kind.

``path`` is the location of a filter in the document or bytes that it was read from, and ``descriptor`` is its name
there. Errors and the echo of a filter set use these two attributes; comparisons of filters ignore them.

The method ``condition`` of a kind quotes the sentence of the standard above the code that implements it. No other code
knows which test a kind of filter applies to a message: all consumers use the condition.

Sources: the Apache AMQP filter document; the AMQP Filter Expressions draft of OASIS, as RabbitMQ implements it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from transpiler.base.errors import LayoutError
from transpiler.language.binding_rules import APACHE_FILTERS, HeadersMatch
from transpiler.language.conditions import (
    EVERY_MESSAGE,
    All,
    Any,
    Condition,
    Equal,
    Like,
    MessageFields,
    Not,
    Present,
    Selector,
    headers_match,
    key_equals,
    key_matches,
    text_equals,
)
from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect
from transpiler.message.header_fields import (
    PROPERTIES,
    PUBLISHER_CONNECTION,
    STREAM_FILTER_VALUE,
    SUBJECT,
    MessageField,
)
from transpiler.message.types import AmqpValue, Equality, NumberEquality

#: The dialect of every ``amqp:sql-filter``, independent of the consumer's dialect.
_SQL_DIALECT = DIALECTS["rabbitmq"]

#: The comparison of numbers in property filters. AMQP Filter Expressions says of numbers "of a different floating-point
#: or integer number type" that they are "equal when treated as a floating-point".
_FILTER_EXPRESSIONS = Equality(numbers=NumberEquality.AS_DOUBLES)


class Match(Enum):
    """The values of ``x-match``: ``all`` and ``any`` of the Apache filter document, and two that only RabbitMQ has."""

    ALL = "all"
    ANY = "any"
    ALL_WITH_X = "all-with-x"
    ANY_WITH_X = "any-with-x"

    @property
    def any_pair(self) -> bool:
        """True if one matching pair is enough, False if all pairs must match."""
        return self in (Match.ANY, Match.ANY_WITH_X)

    @property
    def with_x(self) -> bool:
        """True if keys that begin with ``x-`` are compared, too."""
        return self in (Match.ALL_WITH_X, Match.ANY_WITH_X)


@dataclass(frozen=True, slots=True)
class Prefix:
    """The value ``&p:text`` in a property filter, which matches strings that begin with ``text``."""

    text: str


@dataclass(frozen=True, slots=True)
class Suffix:
    """The value ``&s:text`` in a property filter, which matches strings that end with ``text``."""

    text: str


#: The value in a property filter with which a message field is compared.
Reference: TypeAlias = AmqpValue | Prefix | Suffix


@dataclass(frozen=True, slots=True)
class Consumer:
    """The consumer that receives a filter's messages: the dialect of its selectors and the id of its connection.

    ``connection`` is None if the id is not known; then a no-local filter raises an error.
    """

    dialect: Dialect = JMS
    connection: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    path: str = field(default="filter", compare=False, repr=False)
    descriptor: str | int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DirectBinding(_Kind):
    """A filter for messages whose subject equals ``key`` (Apache AMQP filter document, 1.1)."""

    key: str

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        # Apache filter document, 1.1: "matches … if and only if the described string value exactly matches the subject
        # field", and "If the message has no Properties section, or if the subject field … is not set, then … does not
        # match."
        return key_equals(SUBJECT, self.key, APACHE_FILTERS, self.path)


@dataclass(frozen=True, slots=True)
class TopicBinding(_Kind):
    """A filter for messages whose subject, split into words, matches ``pattern`` (Apache AMQP filter document, 1.2)."""

    pattern: str

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        # Apache filter document, 1.2: "The token consisting of the single character “*” matches a single word in the
        # subject field", and "“#” matches zero or more words".
        return key_matches(SUBJECT, self.pattern, APACHE_FILTERS, self.path)


@dataclass(frozen=True, slots=True)
class HeadersBinding(_Kind):
    """A filter for messages whose application properties contain all pairs of the filter, or at least one pair.

    Source: Apache AMQP filter document, section 1.3. ``arguments`` contains all pairs except ``x-match``. A pair with a
    null value requires only the key.
    """

    match: Match
    arguments: tuple[tuple[str, AmqpValue], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.match, Match) or not all(isinstance(value, AmqpValue) for _, value in self.arguments):
            raise TypeError("expected a Match, and pairs of a key and an AmqpValue, for a headers binding")

    @property
    def pairs(self) -> tuple[tuple[str, AmqpValue], ...]:
        """The pairs that are compared with the message: without keys that begin with ``x-``, unless ``with_x``.

        Apache filter document: "All other keys which begin “x-” MUST be ignored".
        """
        return tuple(pair for pair in self.arguments if self.match.with_x or not pair[0].startswith("x-"))

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        # Apache filter document, 1.3: "If the value for “x-match” is “all” then all other valid key-value pairs in the
        # map MUST match with an entry with the same key in the application-properties section. If … “any” then … at
        # least one key-value pair". A pair matches if the values are equal "or if the value in the filter map for the
        # key is null".
        tests = tuple((name, None if value.value is None else value) for name, value in self.pairs)
        return headers_match(HeadersMatch(self.match.any_pair, tests), APACHE_FILTERS, self.path)


@dataclass(frozen=True, slots=True)
class NoLocal(_Kind):
    """A filter for messages that were sent on another connection than the receiver's.

    Source: Apache AMQP filter document, section 2.1.
    """

    def condition(self, consumer: Consumer) -> Condition:
        """Return the condition that a message must meet, for ``consumer``."""
        if consumer.connection is None:
            raise LayoutError.at(
                "filters.connection",
                f"{self.path}: a no-local filter rejects messages from the receiver's own connection, but the id of "
                "this connection is not given",
                hint="perhaps pass connection='…', the receiver's connection id, written in the same form as the "
                "publisher's connection id in messages",
            )
        # Apache filter document, 2.1: "accepted … if and only if the message was originally sent … on a separate
        # connection". A message that does not record its publisher's connection is accepted, too: it cannot come from
        # the receiver's connection.
        return Not(text_equals(PUBLISHER_CONNECTION, consumer.connection, path=self.path))


@dataclass(frozen=True, slots=True)
class JmsSelector(_Kind):
    """A filter for messages for which the selector ``text`` is TRUE in the consumer's dialect.

    Source: Apache AMQP filter document, section 2.2.
    """

    text: str

    def condition(self, consumer: Consumer) -> Condition:
        """Return the condition that a message must meet, for ``consumer``."""
        return _selector(self.text, consumer.dialect, self.path)


@dataclass(frozen=True, slots=True)
class OrFilter(_Kind):
    """A filter for messages that at least one of ``filters`` accepts (Apache AMQP filter document, 3.1)."""

    filters: tuple[Filter, ...]

    def condition(self, consumer: Consumer) -> Condition:
        """Return the condition that a message must meet, for ``consumer``."""
        # Apache filter document, 3.1: "accepts a message if at least one of the filters within its list accept the
        # message"
        return Any(tuple(inner.condition(consumer) for inner in self.filters))


@dataclass(frozen=True, slots=True)
class AndFilter(_Kind):
    """A filter for messages that all ``filters`` accept (Apache AMQP filter document, 3.2)."""

    filters: tuple[Filter, ...]

    def condition(self, consumer: Consumer) -> Condition:
        """Return the condition that a message must meet, for ``consumer``."""
        # Apache filter document, 3.2: "accepts a message if and only if all of the filters within its list accept the
        # message"
        return All(tuple(inner.condition(consumer) for inner in self.filters))


@dataclass(frozen=True, slots=True)
class NotFilter(_Kind):
    """A filter for messages that ``filter`` does not accept (Apache AMQP filter document, 3.3)."""

    filter: Filter

    def condition(self, consumer: Consumer) -> Condition:
        """Return the condition that a message must meet, for ``consumer``."""
        # Apache filter document, 3.3: "accepts a message if and only the filter it wraps does not accept the message"
        return Not(self.filter.condition(consumer))


@dataclass(frozen=True, slots=True)
class PropertiesFilter(_Kind):
    """A filter for messages whose properties section matches all ``fields`` (AMQP Filter Expressions, 4.2.4).

    ``fields`` uses the names of AMQP with underscores, such as ``group_id``.
    """

    fields: tuple[tuple[str, Reference], ...]

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        # AMQP Filter Expressions, 4.2.4: "true if all properties enclosed in the filter expression match the respective
        # properties in the message"
        message_fields = ((MessageField("properties", name), reference) for name, reference in self.fields)
        return All(
            tuple(_matches((message_field,), reference, self.path) for message_field, reference in message_fields)
        )


@dataclass(frozen=True, slots=True)
class ApplicationPropertiesFilter(_Kind):
    """A filter for messages whose application properties match all ``entries`` (AMQP Filter Expressions, 4.2.5).

    An entry with a null value requires only the key.
    """

    entries: tuple[tuple[str, Reference], ...]

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        message_fields = ((MessageField(PROPERTIES, name), reference) for name, reference in self.entries)
        return All(
            tuple(_matches((message_field,), reference, self.path) for message_field, reference in message_fields)
        )


@dataclass(frozen=True, slots=True)
class SqlFilter(_Kind):
    """A filter for messages for which the SQL expression ``text`` is TRUE in the dialect of RabbitMQ.

    Source: AMQP Filter Expressions.
    """

    text: str

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        return _selector(self.text, _SQL_DIALECT, self.path)


@dataclass(frozen=True, slots=True)
class StreamFilter(_Kind):
    """RabbitMQ's filter of a stream: the annotation ``x-stream-filter-value`` equals one of ``values``.

    If ``unfiltered`` is True, messages without that annotation pass, too. The broker uses the filter to skip whole
    chunks of a stream, and clients apply it to each message of the other chunks.
    """

    values: tuple[str, ...]
    unfiltered: bool = False

    def condition(self, _: Consumer) -> Condition:
        """Return the condition that a message must meet, for any consumer."""
        tests = [text_equals(STREAM_FILTER_VALUE, value, path=self.path) for value in self.values]
        if self.unfiltered and tests:
            tests[-1] = replace(tests[-1], or_absent=True)
        return Any(tuple(tests))


def _selector(text: str, dialect: Dialect, path: str) -> Condition:
    """Parse and check ``text`` as a selector of ``dialect``, and return it as a condition.

    A blank text becomes ``EVERY_MESSAGE``.
    """
    selector = Selector(text, dialect, f"{path}.value")
    return EVERY_MESSAGE if selector.tree is None else selector


def _matches(message_fields: MessageFields, reference: Reference, path: str) -> Condition:
    """Return the condition that the fields ``message_fields`` match ``reference``, the value in a property filter.

    If ``reference`` is a null, it is enough that the message has one of the fields. Source: AMQP Filter Expressions.
    """
    match reference:
        case Prefix(text=text):
            return Like(message_fields, prefix=text, path=path)
        case Suffix(text=text):
            return Like(message_fields, suffix=text, path=path)
        case AmqpValue(value=None):
            return Present(message_fields, path)
        case AmqpValue():
            return Equal(message_fields, reference, _FILTER_EXPRESSIONS, path=path)


Filter: TypeAlias = (
    DirectBinding
    | TopicBinding
    | HeadersBinding
    | NoLocal
    | JmsSelector
    | OrFilter
    | AndFilter
    | NotFilter
    | PropertiesFilter
    | ApplicationPropertiesFilter
    | SqlFilter
    | StreamFilter
)

#: The classes of filters, for ``isinstance``.
KINDS = Filter


def inner_filters(node: Filter) -> tuple[Filter, ...]:
    """Return the filters directly inside ``node``."""
    match node:
        case OrFilter(filters=filters) | AndFilter(filters=filters):
            return filters
        case NotFilter(filter=inner):
            return (inner,)
        case _:
            return ()


def every_filter(node: Filter) -> Iterator[Filter]:
    """Yield ``node`` and all filters inside ``node``."""
    yield node
    for inner in inner_filters(node):
        yield from every_filter(inner)
