"""Conditions: the tests that a filter, a binding or an address applies to a message, in one form for all consumers.

Exactly one module converts each filter, binding or address to a condition: ``filters.kinds`` for kinds of filters,
``topology.exchange_types`` for types of exchanges, ``topology.qpid_address`` for addresses. These modules quote the
sentence of the standard or broker above each clause. All other code handles only the few classes of this module:
``reference`` evaluates a condition for one message, ``compiler.lowering`` lowers it to a predicate, ``tools.analysis``
to a formula, ``tools.explanation`` and ``topology.binding_text`` describe it, ``routing`` computes its signature.

A condition has two truth values: a message meets the condition or does not. A message does not meet a selector that
evaluates to unknown, so it meets ``Not`` of that selector.

Invariants: conditions are compared by value, without their paths and source names, which are for errors only.

Deliberately not here: the columns of a row that hold a value (``compiler.layouts``), and the meaning of a selector
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
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.header_fields import PROPERTIES, SUBJECT, MessageField
from transpiler.message.types import BY_VALUE, AmqpType, AmqpValue, Equality

#: The routing key that a message was published with. It is not part of the message, and a message may have several.
ROUTING_KEY = MessageField("publication", "routing_key")

#: The message fields that a test reads. The first of them that the message has contains the value.
MessageFields: TypeAlias = tuple[MessageField, ...]


@dataclass(frozen=True, slots=True)
class All:
    """A condition that holds if every term holds. Without terms it holds for every message."""

    terms: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """A condition that holds if at least one term holds. Without terms it holds for no message."""

    terms: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Not:
    """A condition that holds if its term does not."""

    term: Condition


@dataclass(frozen=True)
class Selector:
    """A condition that holds if the selector ``text`` of ``dialect`` is TRUE. A blank selector holds for every message.

    ``source_name`` is the name of the text in error messages.
    """

    text: str
    dialect: Dialect
    source_name: str = field(default="selector", compare=False, repr=False)

    @property
    def source(self) -> Source:
        """The selector's text with its name for errors."""
        return Source(self.text, self.source_name)

    @cached_property
    def tree(self) -> ast.Expression | None:
        """The checked surface tree; None for a blank selector. Raises the errors of ``parse_selector``."""
        try:
            return parse_selector(self.text, self.dialect)
        except TranspilerError as error:
            raise type(error)([replace(finding, source=self.source) for finding in error.diagnostics]) from None


@dataclass(frozen=True)
class Query:
    """A condition that holds if the query of a binding to an XML exchange is true.

    ``subject_header`` is the name by which the query reads the message's subject; None if it cannot read the subject.
    """

    text: str
    subject_header: str | None = None

    @cached_property
    def tree(self) -> path_tree.Expression:
        """The parsed query. Raises the errors of ``parse_query``."""
        # This import is here because loading the parser of XQuery takes time, and few filters contain an XQuery.
        from transpiler.language.path_expressions.xquery import parse_query

        return parse_query(self.text)


@dataclass(frozen=True, slots=True)
class Present:
    """A condition that holds if the message has one of the fields ``message_fields``, even with the value null."""

    message_fields: MessageFields
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Equal:
    """A condition that holds if the value of ``message_fields`` equals ``value``. A null equals nothing.

    If ``or_absent`` is True, the condition also holds for a message in which the value is absent or null.
    """

    message_fields: MessageFields
    value: AmqpValue
    equality: Equality
    or_absent: bool = False
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """A condition that holds if the value of ``message_fields`` is a string with this prefix or suffix.

    Exactly one of ``prefix`` and ``suffix`` is not empty.
    """

    message_fields: MessageFields
    prefix: str = ""
    suffix: str = ""
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Words:
    """Condition that the words of the message fields ``message_fields`` match the binding key ``key``.

    ``absent_is_empty`` is True if an absent value counts as a text without words. If it is False, only the binding key
    ``#`` matches an absent value.
    """

    message_fields: MessageFields
    key: str
    rules: TopicRules
    absent_is_empty: bool
    path: str = field(default="", compare=False, repr=False)

    @property
    def pattern(self) -> TopicPattern:
        """The words and wildcards of the binding key."""
        return self.rules.pattern(self.key)

    @property
    def or_absent(self) -> bool:
        """True if the condition also holds for a message in which none of ``message_fields`` has a text."""
        words = self.pattern
        # The Apache AMQP filter document, section 1.2, says of a topic binding, if the message has no subject, that it
        # "matches only if the value of the filter is a single “#”". So without ``absent_is_empty``, ``#.#`` does not
        # match.
        return all(word is MANY_WORDS for word in words) and (self.absent_is_empty or len(words) == 1)


#: The conditions on the value of one message field.
FieldTest: TypeAlias = Present | Equal | Like | Words
FIELD_TESTS = (Present, Equal, Like, Words)

Condition: TypeAlias = All | Any | Not | Selector | Query | FieldTest

EVERY_MESSAGE, NO_MESSAGE = All(), Any()


def inner(condition: Condition) -> tuple[Condition, ...]:
    """Return the direct terms of an ``All``, ``Any`` or ``Not``; an empty tuple for any other condition."""
    match condition:
        case All(terms=terms) | Any(terms=terms):
            return terms
        case Not(term=term):
            return (term,)
        case _:
            return ()


def every_test(condition: Condition) -> Iterator[Selector | Query | FieldTest]:
    """Yield the tests inside ``condition``, from left to right."""
    match condition:
        case All() | Any() | Not():
            for term in inner(condition):
                yield from every_test(term)
        case _:
            yield condition


def text_of_test(test: FieldTest | Query) -> str:
    """Describe ``test`` in words: the name of the message field and the test of its value."""
    if isinstance(test, Query):
        return test.text
    name = "key" if test.message_fields == (ROUTING_KEY,) else test.message_fields[0].field
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
    """Return True if ``condition`` tests the routing key with which the message was published."""
    return isinstance(condition, FIELD_TESTS) and condition.message_fields == (ROUTING_KEY,)


def without_key(condition: Condition) -> Condition:
    """If ``condition`` is an ``All``, return it without the terms that test the routing key.

    Any other condition is returned unchanged.
    """
    if not isinstance(condition, All):
        return condition
    return All(tuple(term for term in condition.terms if not reads_key(term)))


def text_equals(message_field: MessageField, text: str, *, or_absent: bool = False, path: str = "") -> Equal:
    """Return the test that the value of ``message_field`` equals the string ``text``.

    If ``or_absent`` is True, a message without the field passes, too. ``path`` is the condition's location in its file.
    """
    return Equal((message_field,), AmqpValue(AmqpType.STRING, text), BY_VALUE, or_absent, path)


def key_equals(message_field: MessageField, key: str, rules: BindingRules, path: str = "") -> Equal:
    """Return the test of a direct binding, that ``message_field`` equals ``key``, under the broker's ``rules``."""
    return text_equals(message_field, key, or_absent=rules.absent_key_is_empty and not key, path=path)


def key_matches(message_field: MessageField, key: str, rules: BindingRules, path: str = "") -> Words:
    """Return the test of a topic binding, that the words of ``message_field`` match ``key``, under the ``rules``."""
    return Words((message_field,), key, rules.topic, rules.absent_key_is_empty, path)


def fields_of_header(name: str, subject_header: str | None) -> MessageFields:
    """Return the message fields from which the header ``name`` is read: the application property of this name.

    If ``name`` equals ``subject_header``, the message's subject is read if there is no such property. AMQP 0-10 keeps
    the subject in the headers, AMQP 1.0 in the properties section.
    """
    message_field = MessageField(PROPERTIES, name)
    return (message_field, SUBJECT) if name == subject_header else (message_field,)


def headers_match(match: HeadersMatch, rules: BindingRules, path: str = "") -> All | Any:
    """Return the condition of a headers binding: the message's headers contain all pairs, or at least one pair."""
    if match.never:
        return NO_MESSAGE
    # AMQP 0-9-1 defines when a pair matches: "either the field in the bind arguments has no value and a field of the
    # same name is present in the message headers or ... a field of the same name exists in the message headers and has
    # that same value"
    tests: list[Condition] = []
    for name, value in match.pairs:
        message_fields = fields_of_header(name, rules.subject_header)
        tests.append(
            Present(message_fields, path)
            if value is None
            else Equal(message_fields, value, rules.headers.equality, path=path)
        )
    # AMQP 0-9-1 defines x-match: "all implies that all the other pairs must match ... any implies that the message
    # should be routed if any ..."
    return Any(tuple(tests)) if match.any else All(tuple(tests))
