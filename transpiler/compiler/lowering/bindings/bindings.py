"""Bindings of each exchange type as conditions, by the rules of one broker or of the Apache filter document.

Filters, addresses and topologies lower their bindings here. They differ in two things. Constants are literals in a
filter, and parameters in a topology, where bindings that differ in constants only share one predicate: a
``ConditionBuilder`` decides. And a routing key may be a text of the row, or known, or looked up for many bindings at
once: a ``RoutingKey`` decides.

A binding matches a message or does not: there is no *unknown*. So what is lowered for FALSE is the complement of what
is lowered for TRUE, rows without a routing key included.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, assert_never

from transpiler.base.comparison import Comparison
from transpiler.base.source import Source
from transpiler.base.text_pattern import Wildcard
from transpiler.base.topics import MANY_WORDS, ONE_WORD, SEPARATOR, AnyWord, TopicPattern, simplify_words, split_at_many
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING, ColumnType
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.bindings.equality_tests import ConstantValue, EqualityTest, EqualityTests
from transpiler.compiler.lowering.bindings.header_pairs import HeaderLookup, ValueTest
from transpiler.compiler.lowering.operands import Operand, complement
from transpiler.language.filters.binding_rules import BindingRules, HeadersMatch, TopicRules, read_headers_match
from transpiler.message.operand_types import OperandType

if TYPE_CHECKING:
    from transpiler.topology.broker_rules import ExchangeType
    from transpiler.topology.records import Binding

#: A condition, as a builder makes it: a predicate, or a predicate with its parameters' constants.
C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)

#: A function from the number of a constant and its type to the value that stands for it.
ValueOf = Callable[[int, ColumnType], ir.Value]


class ConditionBuilder(Protocol[C]):
    """Makes conditions from predicates and their constants."""

    @property
    def always(self) -> C:
        """The condition that holds for every message."""
        ...

    @property
    def never(self) -> C:
        """The condition that holds for none."""
        ...

    def condition(
        self, signature: Hashable, constants: Sequence[ConstantValue], build: Callable[[ValueOf], ir.Predicate], /
    ) -> C:
        """The condition with the predicate that ``build`` makes: the same one for each signature, but for constants."""
        ...

    def both(self, first: C, second: C, /) -> C:
        """The conjunction of two conditions."""
        ...


class RoutingKey(Protocol[C_co]):
    """The routing key of a message, as exchanges test it."""

    def direct(self, key: str, /) -> C_co:
        """The condition that the routing key is a binding key."""
        ...

    def topic(self, key: str, /) -> C_co:
        """The condition that the words of the routing key match those of a binding key."""
        ...


class Literals:
    """Makes conditions with literals, which are predicates."""

    always: ir.Predicate = ir.TRUE
    never: ir.Predicate = ir.FALSE

    def condition(
        self, _: Hashable, constants: Sequence[ConstantValue], build: Callable[[ValueOf], ir.Predicate], /
    ) -> ir.Predicate:
        """The predicate with the constants in it."""
        return build(lambda number, column_type: ir.Constant(constants[number], column_type))

    def both(self, first: ir.Predicate, second: ir.Predicate, /) -> ir.Predicate:
        """The conjunction of two predicates."""
        return ir.all_of(first, second)


LITERALS = Literals()


class Bindings(Generic[C]):
    """Lowers bindings over one layout by one broker's rules, to conditions that a builder makes."""

    def __init__(self, layout: Layout, missing: Missing, rules: BindingRules, builder: ConditionBuilder[C]) -> None:
        self._layout = layout
        self._missing = missing
        self._rules = rules
        self._builder = builder
        self._headers = HeaderLookup(layout, missing, rules.subject_header)
        self._tests = EqualityTests(rules.headers.equality)

    def condition(self, exchange_type: ExchangeType, binding: Binding, key: RoutingKey[C]) -> C:
        """The condition under which a message that came to an exchange matches one of its bindings.

        Raises ``LayoutError`` for a header without a column, and what parsing and lowering a query raise. The binding's
        selector is no part of the condition.
        """
        match exchange_type:
            case "direct":
                return key.direct(binding.key)
            case "topic" | "anycast" | "maybe":
                return key.topic(binding.key)
            case "fanout" | "x-jms-topic":
                return self._builder.always
            case "headers":
                return self.headers(read_headers_match(binding.arguments, self._rules))
            case "xml":
                # The binding key is compared as in a direct exchange, and then the query is evaluated.
                same_key, query = key.direct(binding.key), binding.xquery
                return same_key if query is None else self._builder.both(same_key, self._query(query))
            case "x-consistent-hash" | "x-modulus-hash" | "x-random" | "x-local-random" | "x-super-stream" | "unknown":
                # Every message comes to the choice; ``topology.choices`` divides a topology before it is compiled.
                return self._builder.always
            case _:
                assert_never(exchange_type)

    def default_exchange(self, queues: Iterable[str], key: RoutingKey[C]) -> Iterator[tuple[C, str]]:
        """The conditions of the default exchange's bindings with their queues."""
        for queue in sorted(queues):
            if not self._rules.is_direct_reply(queue):
                yield key.direct(queue), queue

    def headers(self, match: HeadersMatch, polarity: bool = True, path: str = "") -> C:
        """The condition that a message has, or does not have, all of some pairs, or one of them.

        No pairs at all: every message has all of them, and none has one of them. ``path`` says in errors where the
        pairs are written.
        """
        if match.never:
            return self._builder.never if polarity else self._builder.always
        signature: list[object] = ["headers", match.any, polarity]
        constants: list[ConstantValue] = []
        pairs: list[tuple[str, tuple[EqualityTest, ...] | None]] = []
        for name, value in match.pairs:
            tests = None if value is None else self._tests.of(value)
            pairs.append((name, tests))
            signature += (name, None if tests is None else len(tests))
            for test in tests or ():
                signature.append(test.form)
                constants += test.constants
        build = partial(self._build_headers, match.any, pairs, polarity, path)
        return self._builder.condition(tuple(signature), constants, build)

    def _build_headers(
        self,
        any_pair: bool,
        pairs: Iterable[tuple[str, tuple[EqualityTest, ...] | None]],
        polarity: bool,
        path: str,
        value_of: ValueOf,
    ) -> ir.Predicate:
        predicates: list[ir.Predicate] = []
        numbers = count()
        for name, tests in pairs:
            header = self._headers.find(name, path)
            if tests is None:
                predicates.append(header.present if polarity else header.missing)
                continue
            equal = header.equals(
                [
                    ValueTest(form, [value_of(next(numbers), form.comparand.type) for _ in constants])
                    for form, constants in tests
                ]
            )
            predicates.append(equal if polarity else complement(equal))
        return ir.any_of(*predicates) if any_pair is polarity else ir.all_of(*predicates)

    def _query(self, text: str) -> C:
        def build(_: ValueOf) -> ir.Predicate:
            # Queries bring the whole topology along, which filters do not need.
            from transpiler.compiler.lowering.bindings.xquery import Queries
            from transpiler.language.path_expressions.xquery import parse_query

            queries = Queries(self._layout, self._missing, self._rules.subject_header, Source(text, "xquery"))
            return queries.condition(parse_query(text))

        return self._builder.condition(("xquery", text), (), build)


class TextKey:
    """A routing key that is a text of the row, tested with literals; an absent key matches by the rules."""

    def __init__(self, text: Operand, rules: BindingRules) -> None:
        self._text = text
        self._rules = rules

    def direct(self, key: str, polarity: bool = True) -> ir.Predicate:
        """The predicate that the text is, or is not, a binding key."""
        return self._test(lambda text: _is(text, key), self._rules.absent_key_is_empty and key == "", polarity)

    def topic(self, key: str, polarity: bool = True) -> ir.Predicate:
        """The predicate that the words of the text match, or do not match, those of a binding key."""
        rules = self._rules.topic
        words = rules.pattern(key)
        matches_nothing = all(word == MANY_WORDS for word in words)
        absent = matches_nothing if self._rules.absent_key_is_empty else words == (MANY_WORDS,)
        return self._test(lambda text: _matches_topic(text, simplify_words(words), rules), absent, polarity)

    def _test(self, make: Callable[[ir.Value], ir.Predicate], absent: bool, polarity: bool) -> ir.Predicate:
        strings = self._text.of(OperandType.STRING)
        matched = ir.any_of(*(ir.all_of(item.guard, make(item.value)) for item in strings))
        if polarity:
            return ir.any_of(matched, self._text.absent) if absent else matched
        if len(self._text.alternatives) == len(strings) == 1 and strings[0].guard == ir.TRUE:
            # All tests of one value are NULL where it is, so SQL's NOT says everything but that.
            negated = ir.sql_not(matched)
            if negated is not None:
                return ir.all_of(negated, self._text.present) if absent else ir.any_of(negated, self._text.absent)
        return complement(ir.any_of(matched, self._text.absent) if absent else matched)


def _matches_topic(text: ir.Value, words: TopicPattern, rules: TopicRules) -> ir.Predicate:
    if not rules.drops_trailing_empty_words:
        return _matches_words(text, words, rules.empty_key_has_no_words)
    # The text "" keeps its one empty word, and texts of dots only have none.
    trimmed = ir.Apply(ir.Function.WITHOUT_TRAILING_DOTS, (text,), STRING)
    rest = ir.all_of(_is_not(text, ""), _matches_words(trimmed, words, empty_has_no_words=True))
    return ir.any_of(_is(text, ""), rest) if _matches_empty_word(words) else rest


def _matches_words(text: ir.Value, words: TopicPattern, empty_has_no_words: bool) -> ir.Predicate:
    matched = _matches_every_word(text, words) if words else ir.FALSE
    matches_nothing = all(word == MANY_WORDS for word in words)
    if not empty_has_no_words or matches_nothing == _matches_empty_word(words):
        return matched
    return ir.any_of(matched, _is(text, "")) if matches_nothing else ir.all_of(matched, _is_not(text, ""))


def _matches_every_word(text: ir.Value, words: TopicPattern) -> ir.Predicate:
    """The cheapest test of a text as one word or more."""
    literal = SEPARATOR.join(word for word in words if not isinstance(word, AnyWord))
    if ONE_WORD not in words:
        match split_at_many(words):
            case [_]:
                return _is(text, literal)
            case [(), ()]:
                return ir.IsNull(text, negated=True)
            case [_, ()]:
                return ir.any_of(_is(text, literal), ir.Like(text, (literal + SEPARATOR, Wildcard.ANY)))
            case [(), _]:
                return ir.any_of(_is(text, literal), ir.Like(text, (Wildcard.ANY, SEPARATOR + literal)))
    return ir.Topic(text, words)


def _matches_empty_word(words: TopicPattern) -> bool:
    counted = [word for word in words if word != MANY_WORDS]
    return bool(words) and (not counted or (len(counted) == 1 and counted[0] in ("", ONE_WORD)))


def _is(text: ir.Value, literal: str) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, text, ir.constant(literal))


def _is_not(text: ir.Value, literal: str) -> ir.Predicate:
    return ir.Compare(Comparison.NE, text, ir.constant(literal))
