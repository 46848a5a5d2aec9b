"""Conditions: what a filter or a binding asks of a message, said once for every reader of the question.

A filter, a binding or an address becomes a condition in one place: ``filters.kinds`` for each kind of filter,
``topology.exchange_types`` for each type of exchange, ``topology.qpid_address`` for addresses. The standard's or the
broker's sentence stands there, above the clause. Everything else serves the few classes of this module: ``reference``
judges a condition on one message, ``compiler.lowering`` makes a predicate of it, ``tools.analysis`` a formula,
``tools.explanation`` and ``topology.binding_text`` words, ``routing`` a signature.

A condition has two truth values: a message meets it or does not. A selector that is unknown is not met, so that ``Not``
of it is.

Invariants: a condition compares by value. The paths and names of its parts are for errors and are no part of that
value.

Deliberately not here: where a value is in a row (``compiler.layouts``), and the meaning of a selector
(``reference.evaluate`` and ``compiler.lowering.selectors``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source
from transpiler.base.topics import MANY_WORDS, TopicPattern
from transpiler.language.binding_rules import BindingRules, HeadersMatch, TopicRules
from transpiler.language.path_expressions import path_tree
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.header_fields import PROPERTIES, SUBJECT, MessageField
from transpiler.message.types import BY_VALUE, AmqpType, AmqpValue, Equality

#: The routing key that a message was published with. It is no field of the message, and a message may have several.
ROUTING_KEY = MessageField("publication", "routing_key")

#: The places that a test reads: the message's value is in the first place that has the key.
Places: TypeAlias = tuple[MessageField, ...]


@dataclass(frozen=True, slots=True)
class All:
    """The message meets every term; without terms, every message does."""

    terms: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """The message meets at least one term; without terms, no message does."""

    terms: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Not:
    """The message does not meet the term."""

    term: Condition


@dataclass(frozen=True)
class Selector:
    """The selector is true in a dialect; a blank selector is true of every message.

    ``source_name`` is the name of the text in errors.
    """

    text: str
    dialect: Dialect
    source_name: str = field(default="selector", compare=False, repr=False)

    @property
    def source(self) -> Source:
        """The text under its name in errors."""
        return Source(self.text, self.source_name)

    @cached_property
    def tree(self) -> ast.Expression | None:
        """The checked surface tree; None for a blank selector. Raises what ``parse_selector`` raises."""
        try:
            return parse_selector(self.text, self.dialect)
        except TranspilerError as error:
            raise type(error)([replace(finding, source=self.source) for finding in error.diagnostics]) from None


@dataclass(frozen=True)
class Query:
    """The query of an XML exchange is true; ``subject_header`` is the name by which it reads the message's subject."""

    text: str
    subject_header: str | None = None

    @cached_property
    def tree(self) -> path_tree.Expression:
        """The parsed query. Raises what ``parse_query`` raises."""
        return parse_query(self.text)


@dataclass(frozen=True, slots=True)
class Present:
    """The message has the key at one of some places, also if its value there is null."""

    places: Places
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Equal:
    """The value at the places equals a value; nothing equals a null.

    ``or_absent`` is True if a message without a value there, or with a null, meets the test as well.
    """

    places: Places
    value: AmqpValue
    equality: Equality
    or_absent: bool = False
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """The value at the places is a string that begins with ``prefix``, or ends with ``suffix``; the other is empty."""

    places: Places
    prefix: str = ""
    suffix: str = ""
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the text at the places match those of a binding key.

    ``absent_is_empty`` is True if an absent text has no words; if it is False, only a single ``#`` matches that text.
    """

    places: Places
    key: str
    rules: TopicRules
    absent_is_empty: bool
    path: str = field(default="", compare=False, repr=False)

    @property
    def pattern(self) -> TopicPattern:
        """The words of the binding key."""
        return self.rules.pattern(self.key)

    @property
    def or_absent(self) -> bool:
        """True if a message without a text at the places meets the test as well."""
        words = self.pattern
        # "matches only if the value of the filter is a single “#”"
        return all(word is MANY_WORDS for word in words) and (self.absent_is_empty or len(words) == 1)


#: The tests of the value at one place.
PlaceTest: TypeAlias = Present | Equal | Like | Words
PLACE_TESTS = (Present, Equal, Like, Words)

Condition: TypeAlias = All | Any | Not | Selector | Query | PlaceTest

EVERY_MESSAGE, NO_MESSAGE = All(), Any()


def inner(condition: Condition) -> tuple[Condition, ...]:
    """Return the terms of a condition; a test has none."""
    match condition:
        case All(terms=terms) | Any(terms=terms):
            return terms
        case Not(term=term):
            return (term,)
        case _:
            return ()


def every_test(condition: Condition) -> Iterator[Selector | Query | PlaceTest]:
    """Yield the tests of a condition in the order of its text."""
    match condition:
        case All() | Any() | Not():
            for term in inner(condition):
                yield from every_test(term)
        case _:
            yield condition


def text_of_test(test: PlaceTest | Query) -> str:
    """Return a test in words: the place's name and what is asked of its value."""
    if isinstance(test, Query):
        return test.text
    name = "key" if test.places == (ROUTING_KEY,) else test.places[0].field
    match test:
        case Present():
            return f"{name} is present"
        case Equal(value=value):
            return f"{name} = {value.value!r}"
        case Like(prefix=prefix, suffix=suffix):
            return f"{name} begins with {prefix!r}" if prefix else f"{name} ends with {suffix!r}"
        case Words(key=key):
            return f"{name} matches {key}"


def reads_key(condition: Condition) -> bool:
    """Return True if a condition is a test of the routing key."""
    return isinstance(condition, PLACE_TESTS) and condition.places == (ROUTING_KEY,)


def without_key(condition: Condition) -> Condition:
    """Return a conjunction without its test of the routing key."""
    if not isinstance(condition, All):
        return condition
    return All(tuple(term for term in condition.terms if not reads_key(term)))


def text_equals(place: MessageField, text: str, *, or_absent: bool = False, path: str = "") -> Equal:
    """Return the test that the value at a place is a text."""
    return Equal((place,), AmqpValue(AmqpType.STRING, text), BY_VALUE, or_absent, path)


def key_equals(place: MessageField, key: str, rules: BindingRules, path: str = "") -> Equal:
    """Return the test of a direct binding: the text at a place is the binding key, by the rules for absent keys."""
    return text_equals(place, key, or_absent=rules.absent_key_is_empty and not key, path=path)


def key_matches(place: MessageField, key: str, rules: BindingRules, path: str = "") -> Words:
    """Return the test of a topic binding: the words at a place match the binding key, by the rules for absent keys."""
    return Words((place,), key, rules.topic, rules.absent_key_is_empty, path)


def header_places(name: str, subject_header: str | None) -> Places:
    """Return the places of a header: the application property and, if it is the subject's name, the subject.

    AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
    """
    place = MessageField(PROPERTIES, name)
    return (place, SUBJECT) if name == subject_header else (place,)


def headers_match(match: HeadersMatch, rules: BindingRules, path: str = "") -> All | Any:
    """Return the condition of a headers binding: all pairs are among the message's headers, or at least one is."""
    if match.never:
        return NO_MESSAGE
    # "either the field in the bind arguments has no value and a field of the same name is present in the message
    # headers or ... a field of the same name exists in the message headers and has that same value"
    tests: list[Condition] = []
    for name, value in match.pairs:
        places = header_places(name, rules.subject_header)
        tests.append(
            Present(places, path) if value is None else Equal(places, value, rules.headers.equality, path=path)
        )
    # "all implies that all the other pairs must match ... any implies that the message should be routed if any ..."
    return Any(tuple(tests)) if match.any else All(tuple(tests))
