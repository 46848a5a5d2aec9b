"""The kinds of filters, each one sentence or two of a standard as an object.

``path`` is a filter's place in what it was read from, and ``descriptor`` the name that it had there; both are for
errors and for the echo, and are no part of a filter's identity.

Sources: the Apache AMQP filter document; the AMQP Filter Expressions draft of OASIS, as RabbitMQ implements it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from transpiler.message.types import AmqpValue


class Match(Enum):
    """The values of ``x-match``: section 1.3, and, for bindings of RabbitMQ's exchanges, two more."""

    ALL = "all"
    ANY = "any"
    ALL_WITH_X = "all-with-x"
    ANY_WITH_X = "any-with-x"

    @property
    def any_pair(self) -> bool:
        """Return True if one matching pair is enough."""
        return self in (Match.ANY, Match.ANY_WITH_X)

    @property
    def with_x(self) -> bool:
        """Return True if keys that begin with ``x-`` are compared too."""
        return self in (Match.ALL_WITH_X, Match.ANY_WITH_X)


@dataclass(frozen=True, slots=True)
class Prefix:
    """The reference value ``&p:text``: a string that begins with the text."""

    text: str


@dataclass(frozen=True, slots=True)
class Suffix:
    """The reference value ``&s:text``: a string that ends with the text."""

    text: str


#: The value that a property filter compares a field with.
Reference: TypeAlias = AmqpValue | Prefix | Suffix


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    path: str = field(default="filter", compare=False, repr=False)
    descriptor: str | int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DirectBinding(_Kind):
    """Section 1.1: the subject is exactly this text."""

    key: str


@dataclass(frozen=True, slots=True)
class TopicBinding(_Kind):
    """Section 1.2: the words of the subject match this pattern."""

    pattern: str


@dataclass(frozen=True, slots=True)
class HeadersBinding(_Kind):
    """Section 1.3: all of some pairs, or one of them, are among the application properties.

    ``arguments`` are all pairs but ``x-match``; a null value requires the key alone.
    """

    match: Match
    arguments: tuple[tuple[str, AmqpValue], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.match, Match) or not all(isinstance(value, AmqpValue) for _, value in self.arguments):
            raise TypeError("a headers binding takes a Match, and pairs of a key and an AmqpValue")

    @property
    def pairs(self) -> tuple[tuple[str, AmqpValue], ...]:
        """The pairs that count: "All other keys which begin “x-” MUST be ignored"."""
        return tuple(pair for pair in self.arguments if self.match.with_x or not pair[0].startswith("x-"))


@dataclass(frozen=True, slots=True)
class NoLocal(_Kind):
    """Section 2.1: the message was sent on another connection than the receiver's."""


@dataclass(frozen=True, slots=True)
class JmsSelector(_Kind):
    """Section 2.2: the selector is true."""

    text: str


@dataclass(frozen=True, slots=True)
class OrFilter(_Kind):
    """Section 3.1: at least one of the filters accepts the message."""

    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AndFilter(_Kind):
    """Section 3.2: all filters accept the message."""

    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class NotFilter(_Kind):
    """Section 3.3: the filter does not accept the message."""

    filter: Filter


@dataclass(frozen=True, slots=True)
class PropertiesFilter(_Kind):
    """Filter Expressions 4.2.4: all these fields of the properties section match; names with underscores."""

    fields: tuple[tuple[str, Reference], ...]


@dataclass(frozen=True, slots=True)
class ApplicationPropertiesFilter(_Kind):
    """Filter Expressions 4.2.5: all these application properties match; a null requires the key alone."""

    entries: tuple[tuple[str, Reference], ...]


@dataclass(frozen=True, slots=True)
class SqlFilter(_Kind):
    """Filter Expressions: the SQL expression is true, in the language that RabbitMQ has of it."""

    text: str


#: The annotation by which the publishers of a stream of RabbitMQ say what its filter selects.
STREAM_VALUE = "x-stream-filter-value"


@dataclass(frozen=True, slots=True)
class StreamFilter(_Kind):
    """RabbitMQ's filter of a stream: the annotation ``x-stream-filter-value`` is one of these texts.

    ``unfiltered`` takes messages without a value, too. The broker skips whole chunks by it, and clients filter the
    messages of the others in the same way.
    """

    values: tuple[str, ...]
    unfiltered: bool = False


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

#: The same, for ``isinstance``.
KINDS = Filter


def inner_filters(node: Filter) -> tuple[Filter, ...]:
    """The filters directly inside a filter."""
    match node:
        case OrFilter(filters=filters) | AndFilter(filters=filters):
            return filters
        case NotFilter(filter=inner):
            return (inner,)
        case _:
            return ()


def every_filter(node: Filter) -> Iterator[Filter]:
    """A filter and all filters inside it."""
    yield node
    for inner in inner_filters(node):
        yield from every_filter(inner)
