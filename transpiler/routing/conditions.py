"""What the bindings of each exchange ask of a message, as patterns over a layout.

A binding of a state is either decided (its key is known), asked as a pattern, or, where its key has wildcards, looked
up in the trie of its exchange; the pattern then holds what is asked besides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from transpiler.analysis.names import Missing
from transpiler.analysis.operands import Operand, at
from transpiler.analysis.pairs import header_at
from transpiler.analysis.queries import Queries
from transpiler.diagnostics import nearest
from transpiler.errors import LayoutError
from transpiler.layouts.columns import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    STRING,
    Derived,
    Kind,
    Location,
    TaggedUnion,
    TypedColumn,
)
from transpiler.layouts.layout import Layout
from transpiler.message.fields import Place
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, AmqpValue, TypeClass, coerce
from transpiler.optimizer import optimize
from transpiler.predicate.core import (
    FALSE,
    TRUE,
    Column,
    Compare,
    Constant,
    IsNull,
    Like,
    Predicate,
    all_of,
    any_of,
)
from transpiler.routing.selectors import Selectors
from transpiler.routing.shapes import Parameter, parameter, shifted
from transpiler.routing.tries import fits
from transpiler.selector.ast import Comparison
from transpiler.selector.dialects import find_dialect
from transpiler.selector.pattern import Wildcard
from transpiler.source import Source
from transpiler.topology.model import Binding, HeadersMatch, Topology
from transpiler.topology.rules import NumberEquality
from transpiler.topology.xquery import parse_query

#: Columns that a routed message has while it is routed: the exchange, the routing key, and the same without the empty
#: words that the broker drops.
EXCHANGE, KEY, TOPIC = "_routing_exchange", "_routing_key", "_routing_topic"

#: The routing key as it is, NULL where there is none.
SUBJECT = "_routing_subject"

#: The routing keys, where a message can have several; and the mark of a key that is one word, dots and all.
KEYS, WHOLE = "_routing_keys", "="

_SUBJECT = Column((SUBJECT,), STRING)
_KEY = Column((KEY,), STRING)
_TOPIC = Column((TOPIC,), STRING)
_KEY_PATTERN: Predicate = Compare(Comparison.EQ, _KEY, parameter(0, STRING))
_TOPIC_PATTERN: Predicate = Compare(Comparison.EQ, _TOPIC, parameter(0, STRING))

#: The routing key under which a message is at an exchange: its own, or the one that a binding has put in its place.
RoutingKey = str | None


@dataclass(frozen=True, slots=True)
class Condition:
    """A pattern with its constants; ``words`` are the binding key's where it has wildcards.

    Where messages have several routing keys, ``words`` are those of every binding key.
    """

    pattern: Predicate
    constants: tuple[Parameter, ...] = ()
    words: tuple[str, ...] | None = None


ALWAYS = Condition(TRUE)


class Conditions:
    """The conditions of a topology's bindings over one layout."""

    def __init__(self, topology: Topology, layout: Layout, missing: Missing, several: bool = False) -> None:
        self.topology = topology
        self._several = several
        self._rules = topology.rules
        self._layout = layout
        self._missing = missing
        self._selectors = Selectors(layout, find_dialect(topology.rules.dialect), missing)
        self._headers: dict[object, Predicate] = {}
        self._queries: dict[str, Predicate] = {}
        self._joined: dict[tuple[int, int], tuple[Predicate, Predicate, Predicate]] = {}

    def of(self, binding: Binding, key: RoutingKey) -> Condition | None:
        """What a binding asks of a message that came to its exchange with its own key (None) or another one.

        None where no message fits.
        """
        match self.topology.exchange_by_name[binding.source].type:
            case "direct":
                found = self._direct(binding.key, key)
            case "topic":
                found = self._topic(binding.key, key)
            case "fanout":
                found = ALWAYS
            case "headers":
                found = self._headers_match(self.topology.headers(binding))
            case "xml":
                # The binding key is compared as a direct exchange does, and then the query is asked.
                found = self._direct(binding.key, key)
                query = self.topology.xquery(binding)
                if found is not None and query is not None:
                    found = self._both(found, self._query(query), ())
        if found is None:
            return None
        selector = self.topology.selector(binding)
        if selector is None:
            return found
        pattern, constants = self._selectors.pattern(selector)
        return self._both(found, pattern.predicate, constants)

    def by_name(self, key: RoutingKey) -> Iterator[tuple[Condition, str | None]]:
        """What the default exchange asks, and the queue; None stands for the one that the routing key names."""
        prefix = self._rules.direct_replies
        if self._rules.default_names_any_queue:
            if key is not None:
                if prefix is None or not key.startswith(prefix):
                    yield ALWAYS, key
                return
            if self._several:
                # Which of the keys name a queue is asked where they are delivered.
                yield ALWAYS, None
                return
            reply = TRUE if prefix is None else Like(_SUBJECT, (prefix, Wildcard.ANY), negated=True)
            yield Condition(all_of(IsNull(_SUBJECT, negated=True), reply)), None
            return
        for queue in sorted(self.topology.queue_names):
            if prefix is None or not queue.startswith(prefix):
                condition = self._direct(queue, key)
                if condition is not None:
                    yield condition, queue

    def _query(self, text: str) -> Predicate:
        known = self._queries.get(text)
        if known is None:
            asked = Queries(self._layout, self._missing, self._rules.subject_header, Source(text, "xquery"))
            known = self._queries[text] = optimize(asked.condition(parse_query(text)))
        return known

    def _direct(self, wanted: str, key: RoutingKey) -> Condition | None:
        if key is not None:
            return ALWAYS if wanted == key else None
        return Condition(TRUE, (), (WHOLE + wanted,)) if self._several else Condition(_KEY_PATTERN, (wanted,))

    def _topic(self, wanted: str, key: RoutingKey) -> Condition | None:
        words = self._rules.topic.words(wanted)
        wild = "*" in words or "#" in words
        if key is not None:
            return ALWAYS if fits(words, self._rules.topic.words(key)) else None
        return Condition(TRUE, (), words) if wild or self._several else Condition(_TOPIC_PATTERN, (".".join(words),))

    def _both(self, found: Condition, pattern: Predicate, constants: tuple[Parameter, ...]) -> Condition:
        if found.pattern == TRUE:
            return Condition(pattern, constants, found.words)
        key = (id(found.pattern), id(pattern))
        known = self._joined.get(key)
        if known is None:
            joined = all_of(found.pattern, shifted(pattern, len(found.constants)))
            # The two are kept with it, so that nobody else gets their identities.
            known = self._joined[key] = (joined, found.pattern, pattern)
        return Condition(known[0], found.constants + constants, found.words)

    def _headers_match(self, match: HeadersMatch) -> Condition | None:
        if match.never:
            return None
        constants: list[Parameter] = []
        names = []
        for name, value in match.pairs:
            kind = None if value is None else _kind(value, self._rules.headers.numbers)
            if kind is not None and value is not None:
                constants.append(_constant(value))
            names.append((name, kind))
        key = (match.any, tuple(names))
        pattern = self._headers.get(key)
        if pattern is None:
            pattern = self._headers[key] = self._headers_pattern(match)
        return None if pattern == FALSE else Condition(pattern, tuple(constants))

    def _headers_pattern(self, match: HeadersMatch) -> Predicate:
        tests: list[Predicate] = []
        number = 0
        for name, value in match.pairs:
            test = _presence if value is None else _equality(value, number, self._rules.headers.numbers)
            number += value is not None
            tests.append(self._header(name, test))
        return any_of(*tests) if match.any else all_of(*tests)

    def _header(self, name: str, test: Callable[[Location], Predicate]) -> Predicate:
        location = self._layout.property(name)
        subject = self._layout.field(Place("properties", "subject")) if name == self._rules.subject_header else None
        if location is None and subject is None:
            if self._missing == "null":
                return FALSE
            near = nearest(name, self._layout.names())
            raise LayoutError.at(
                "layout.no-column",
                f"no column holds the header {name}",
                hint=f"did you mean {near[0]}?" if near else "missing='null' reads an unknown name as a missing header",
            )
        found = FALSE if location is None else test(location)
        if subject is None:
            return found
        # AMQP 0-10 keeps the subject among the headers, AMQP 1.0 among the properties.
        absent = header_at(location).missing
        return any_of(found, all_of(absent, test(subject)))


def _presence(location: Location) -> Predicate:
    return header_at(location).present


def _kind(value: AmqpValue, numbers: NumberEquality) -> object:
    """What of a wanted value decides how it is compared: all that ``_equality`` looks at."""
    found = coerce(value)
    special = found if numbers is NumberEquality.AS_INT64 and found in (0, 1) else None
    return value.type, special, isinstance(found, float) and math.isnan(found)


def _constant(value: AmqpValue) -> Parameter:
    found = coerce(value)
    assert found is not None
    return found


_PARAMETER_TYPES = {
    TypeClass.BOOLEAN: BOOLEAN,
    TypeClass.INTEGER: BIGINT,
    TypeClass.FLOATING: DOUBLE,
    TypeClass.STRING: STRING,
    TypeClass.BYTES: BINARY,
}


def _equality(value: AmqpValue, number: int, numbers: NumberEquality) -> Callable[[Location], Predicate]:
    """Where a header equals a wanted value, by the broker's idea of it."""
    wanted = TYPE_CLASS[COERCION[value.type]]
    found = coerce(value)
    compared = parameter(number, _PARAMETER_TYPES[wanted])

    def same_class(operand: Operand) -> Predicate:
        if isinstance(found, float) and math.isnan(found):
            return FALSE
        return any_of(*(Compare(Comparison.EQ, item.value, compared) for item in operand.of(wanted)))

    def by_value(location: Location) -> Predicate:
        return same_class(at(location))

    def same_type(location: Location) -> Predicate:
        # Java's equals: of one class, and of two byte arrays never.
        if wanted is TypeClass.BYTES:
            return FALSE
        return all_of(_of_type(location, value.type), same_class(at(location)))

    def as_int64(location: Location) -> Predicate:
        if value.type is AmqpType.FLOAT:
            return FALSE
        operand = at(location)
        if wanted not in (TypeClass.INTEGER, TypeClass.BOOLEAN):
            return same_class(operand)
        # A boolean is 0 or 1.
        other = TypeClass.BOOLEAN if wanted is TypeClass.INTEGER else TypeClass.INTEGER
        constant = Constant(int(bool(found)), BIGINT) if wanted is TypeClass.BOOLEAN else Constant(bool(found), BOOLEAN)
        crossed = operand.of(other) if wanted is TypeClass.BOOLEAN or found in (0, 1) else ()
        return any_of(same_class(operand), *(Compare(Comparison.EQ, item.value, constant) for item in crossed))

    return {
        NumberEquality.BY_VALUE: by_value,
        NumberEquality.SAME_TYPE: same_type,
        NumberEquality.AS_INT64: as_int64,
    }[numbers]


_TEXT = (AmqpType.STRING, AmqpType.SYMBOL)

#: The AMQP type of the values of a typed column.
_COLUMN_TYPES = {
    Kind.BOOLEAN: AmqpType.BOOLEAN,
    Kind.TINYINT: AmqpType.BYTE,
    Kind.SMALLINT: AmqpType.SHORT,
    Kind.INT: AmqpType.INT,
    Kind.BIGINT: AmqpType.LONG,
    Kind.FLOAT: AmqpType.FLOAT,
    Kind.DOUBLE: AmqpType.DOUBLE,
    Kind.STRING: AmqpType.STRING,
    Kind.CHAR: AmqpType.STRING,
    Kind.VARCHAR: AmqpType.STRING,
    Kind.TIMESTAMP: AmqpType.TIMESTAMP,
    Kind.TIMESTAMP_NTZ: AmqpType.TIMESTAMP,
}


def _of_type(location: Location, wanted: AmqpType) -> Predicate:
    match location:
        case TaggedUnion(path=path):
            tag = Column((*path, "type"), STRING)
            if wanted in _TEXT:
                return Compare(Comparison.NE, tag, Constant(AmqpType.CHAR.value, STRING))
            return Compare(Comparison.EQ, tag, Constant(wanted.value, STRING))
        case TypedColumn(type=column_type):
            found = _COLUMN_TYPES.get(column_type.kind)
            return TRUE if found is wanted or (found is AmqpType.STRING and wanted in _TEXT) else FALSE
        case Derived():
            return FALSE
