"""Lower conditions to predicates: the conditions of filters, of addresses and of the bindings of a topology.

These differ in two respects. Constants are literals in a filter, but parameters in a topology, in which conditions that
differ only in constants share one predicate: the ``ConditionBuilder`` decides. And a routing key may be a text of the
row, be known, or be looked up for many bindings at once: the ``RoutingKey`` decides.

A condition has two truth values. So its predicate for FALSE is the complement of its predicate for TRUE, and includes
rows without a value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import reduce
from itertools import count
from typing import Generic, NamedTuple, Protocol, TypeVar

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.base.hints import Hint, Setting
from transpiler.base.source import Source
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.base.topics import MANY_WORDS, ONE_WORD, SEPARATOR, AnyWord, TopicPattern, simplify_words, split_at_many
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING, ColumnType
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.equality_tests import ConstantValue, EqualityForm, EqualityTests
from transpiler.compiler.lowering.header_pairs import Header, HeaderLookup, ValueTest, header_at
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.operands import NULL, Operand, complement, from_value, or_else
from transpiler.compiler.lowering.selectors import MAX_NODES, SelectorLowering
from transpiler.language.binding_rules import TopicRules
from transpiler.language.conditions import (
    FIELD_TESTS,
    ROUTING_KEY,
    All,
    Any,
    Condition,
    Equal,
    FieldTest,
    Like,
    Not,
    Present,
    Query,
    Selector,
    Words,
    every_test,
    inner,
    reads_key,
)
from transpiler.message.header_fields import (
    PROPERTIES,
    PUBLISHER_CONNECTION,
    ROUTING_KEYS,
    STREAM_FILTER_VALUE,
)
from transpiler.message.operand_types import OperandType
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import BY_VALUE, Equality

#: The result type of a builder: a predicate with literals, or a predicate with parameters and their constants.
C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)

#: A function from the index and the type of a constant to the IR value for it: a literal or a parameter.
ValueOf = Callable[[int, ColumnType], ir.Value]


class ConditionBuilder(Protocol[C]):
    """A builder of lowered conditions of the type ``C``.

    A filter is lowered to a predicate that contains its constants as literals. A topology's binding is lowered to a
    predicate with parameters and a list of constants, so that many bindings can share the predicate.
    """

    def condition(
        self, signature: Hashable, constants: Sequence[ConstantValue], build: Callable[[ValueOf], ir.Predicate], /
    ) -> C:
        """Return the lowered condition for the predicate that ``build`` returns.

        ``build`` is called with a function that returns the literal or parameter for a constant, by its index.
        Conditions with equal ``signature`` differ only in their ``constants``.
        """
        ...

    def joined(self, every: bool, parts: Iterable[C], /) -> C:
        """Return the conjunction of ``parts``, or their disjunction if ``every`` is False."""
        ...


class RoutingKey(Protocol[C_co]):
    """A routing key in a row, with methods that lower tests of the key to conditions of a ``ConditionBuilder``."""

    def equals(self, test: Equal, polarity: bool, /) -> C_co:
        """Return the condition that the routing key equals the key of ``test``, or not if ``polarity`` is False."""
        ...

    def matches(self, test: Words, polarity: bool, /) -> C_co:
        """Return the condition that the routing key matches the words of ``test``, or not if ``polarity`` is False."""
        ...


class Literals:
    """A ``ConditionBuilder`` that returns predicates, with the constants as literals in the SQL."""

    def condition(
        self, _: Hashable, constants: Sequence[ConstantValue], build: Callable[[ValueOf], ir.Predicate], /
    ) -> ir.Predicate:
        """Return the predicate with ``constants`` as literals."""
        return build(lambda number, column_type: ir.Constant(constants[number], column_type))

    def joined(self, every: bool, parts: Iterable[ir.Predicate], /) -> ir.Predicate:
        """Return the conjunction of ``parts``, or their disjunction if ``every`` is False."""
        return ir.all_of(*parts) if every else ir.any_of(*parts)


class _Outlined(NamedTuple):
    """A condition on message fields without its constants, which are in one list for the whole condition.

    ``terms`` are the operands of an AND, OR or NOT. If ``condition`` is an equality, ``forms`` describes its equality
    tests; each comes with the number of constants that it takes from the list.
    """

    condition: Condition
    terms: tuple[_Outlined, ...] = ()
    forms: tuple[tuple[EqualityForm, int], ...] = ()


class ConditionLowering(Generic[C]):
    """The lowering of filters and bindings over one layout; ``builder`` makes the lowered conditions.

    ``select`` lowers a selector. Its second argument is True for the condition that the selector is TRUE, and False for
    the complement. ``findings`` collects warnings.
    """

    def __init__(
        self, layout: Layout, missing: Missing, builder: ConditionBuilder[C], select: Callable[[Selector, bool], C]
    ) -> None:
        self.layout = layout
        self.missing = missing
        self.findings: list[Diagnostic] = []
        self._builder = builder
        self._select = select
        self._headers = HeaderLookup(layout, missing)
        self._equality = BY_VALUE
        self._tests = EqualityTests(BY_VALUE)

    def lower(self, condition: Condition, key: RoutingKey[C] | None = None, polarity: bool = True) -> C:
        """Return the lowered condition that a message satisfies ``condition``, or not if ``polarity`` is False.

        ``key`` is required only if the condition tests the routing key. If the layout has no column for a tested value,
        raise ``LayoutError``. Errors in a selector or query are raised, too.
        """
        if _only_fields(condition):
            return self._of_fields(condition, polarity)
        match condition:
            case All(terms=terms) | Any(terms=terms):
                every = isinstance(condition, All) is polarity
                return self._builder.joined(every, (self.lower(term, key, polarity) for term in terms))
            case Not(term=term):
                return self.lower(term, key, not polarity)
            case Selector():
                return self._select(condition, polarity)
            case Query():
                return self._builder.condition(("xquery", condition, polarity), (), self._query(condition, polarity))
            case Equal():
                assert key is not None
                return key.equals(condition, polarity)
            case Words():
                assert key is not None
                return key.matches(condition, polarity)
            case _:
                raise AssertionError(condition)

    def _query(self, query: Query, polarity: bool) -> Callable[[ValueOf], ir.Predicate]:
        def build(_: ValueOf) -> ir.Predicate:
            # Imported in the function to save start-up time: few conditions have a query.
            from transpiler.compiler.lowering.paths import Queries

            queries = Queries(self.layout, self.missing, query.subject_header, Source(query.text, "xquery"))
            return queries.condition(query.tree) if polarity else complement(queries.condition(query.tree))

        return build

    def _of_fields(self, condition: Condition, polarity: bool) -> C:
        """Lower ``condition``, which tests only message fields, as a whole.

        All its tests together have one signature, so that conditions that differ only in constants share a predicate.
        """
        signature: list[Hashable] = [polarity]
        constants: list[ConstantValue] = []
        outlined = self._outlined(condition, signature, constants)

        def build(value_of: ValueOf) -> ir.Predicate:
            numbers = count()
            return self._predicate(outlined, polarity, lambda column_type: value_of(next(numbers), column_type))

        return self._builder.condition(tuple(signature), constants, build)

    def _outlined(self, condition: Condition, signature: list[Hashable], constants: list[ConstantValue]) -> _Outlined:
        """Return ``condition`` with the constants of its equality tests taken out.

        Append the constants to ``constants``, and everything else that determines the predicate to ``signature``.
        """
        match condition:
            case Equal() if not _is_of_text(condition):
                found = self._equality_tests(condition.equality).of(condition.value)
                forms = tuple((test.form, len(test.constants)) for test in found)
                for test in found:
                    constants += test.constants
                signature += ("=", condition.message_fields, condition.or_absent, forms)
                return _Outlined(condition, forms=forms)
            case All(terms=terms) | Any(terms=terms):
                signature += (type(condition).__name__, len(terms))
                return _Outlined(condition, tuple([self._outlined(term, signature, constants) for term in terms]))
            case Not(term=term):
                signature.append("Not")
                return _Outlined(condition, (self._outlined(term, signature, constants),))
            case _:
                signature.append(condition)
                return _Outlined(condition)

    def _equality_tests(self, equality: Equality) -> EqualityTests:
        # Keep only the tests of the last ``equality``: all bindings of a topology have the same object. Comparing
        # objects by identity is faster than a cache that would hash them.
        if equality is not self._equality:
            self._equality, self._tests = equality, EqualityTests(equality)
        return self._tests

    def _predicate(
        self, outlined: _Outlined, polarity: bool, next_constant: Callable[[ColumnType], ir.Value]
    ) -> ir.Predicate:
        condition = outlined.condition
        match condition:
            case All() | Any():
                parts = [self._predicate(term, polarity, next_constant) for term in outlined.terms]
                return ir.all_of(*parts) if isinstance(condition, All) is polarity else ir.any_of(*parts)
            case Not():
                return self._predicate(outlined.terms[0], not polarity, next_constant)
            case Present() | Equal() | Like() | Words():
                header = self._header(condition)
                if header is None:
                    return ir.TRUE if polarity else ir.FALSE
                return _tested(header, outlined, polarity, next_constant)
            case _:
                raise AssertionError(condition)

    def _header(self, test: FieldTest) -> Header | None:
        """Return the header or field that ``test`` reads; None if every message passes the test.

        The latter is the case for a stream filter over a layout that does not store the filter value.
        """
        message_field = test.message_fields[0]
        if message_field.section == PROPERTIES:
            return self._headers.find(test.message_fields, test.path)
        location = self.layout.field(message_field)
        if location is None:
            prefix = f"{test.path}: " if test.path else ""
            if message_field == STREAM_FILTER_VALUE:
                message = (
                    f"{prefix}the layout {self.layout.name} has no message annotations, and so no {message_field.field}"
                )
                hint = "only the other filters select messages"
                finding = Diagnostic("filters.stream", "warning", message, hint=hint)
                if finding not in self.findings:
                    self.findings.append(finding)
                return None
            if message_field == PUBLISHER_CONNECTION:
                needed = "a no-local filter reads the publisher's connection"
                hint = f"the canonical layout has it in {message_field.section}, {message_field.field}"
                message = f"{prefix}{needed}, but the layout has no place for it"
                raise LayoutError.at("filters.connection", message, hint=hint)
            if self.missing == "error":
                absent = Setting("missing", "null")
                section, value = message_field.section, message_field.field
                raise LayoutError.at(
                    "layout.no-column",
                    f"{prefix}the filter reads {section}.{value}, but the layout has no such column",
                    hint=Hint(f"perhaps treat the field {section}.{value} as absent: ", absent),
                    fix=absent.fix,
                )
        return header_at(location)


class PredicateLowering(ConditionLowering[ir.Predicate]):
    """Lowers conditions over one layout to predicates with literals as constants."""

    def __init__(self, layout: Layout, missing: Missing, receiver: Receiver = ANYONE) -> None:
        super().__init__(layout, missing, Literals(), self._selected)
        self._receiver = receiver

    def _selected(self, selector: Selector, polarity: bool) -> ir.Predicate:
        tree = selector.tree
        if tree is None:
            return ir.TRUE if polarity else ir.FALSE
        lowering = SelectorLowering(self.layout, self.missing, selector.source, selector.dialect, self._receiver)
        predicate = lowering.selector(tree)
        self.findings.extend(finding for finding in lowering.findings if finding not in self.findings)
        return predicate if polarity else complement(predicate)

    def within_limits(self, condition: Condition, path: str) -> ir.Predicate:
        """Return the predicate that a message satisfies ``condition``; raise ``UnsupportedFeatureError`` if too large.

        ``path`` is the location of the filter or binding for errors.
        """
        predicate = self.lower(condition)
        if ir.size(predicate) > MAX_NODES:
            message = f"{path}: the SQL of the filter has more than {MAX_NODES:,} operations in this layout"
            raise UnsupportedFeatureError.at("limit.size", message)
        return predicate

    def lower_published(self, condition: Condition, polarity: bool) -> ir.Predicate:
        """Return the predicate that a message satisfies ``condition``, or not if ``polarity`` is False.

        The routing key of the message is read from the row.
        """
        # Fanout and headers exchanges need no routing key, so a layout without a routing key is valid for them.
        key = self._routing_key() if any(map(reads_key, every_test(condition))) else None
        met = self.lower(condition, key)
        return met if polarity else complement(met)

    def _routing_key(self) -> KeyText:
        """Return the routing key of the message: the text of the first of ``ROUTING_KEYS`` that is a string."""
        message_fields = (self.layout.field(message_field) for message_field in ROUTING_KEYS)
        texts = [
            item.value
            for message_field in message_fields
            if message_field is not None
            for item in at(message_field).of(OperandType.STRING)
        ]
        if texts:
            return KeyText(reduce(or_else, [from_value(OperandType.STRING, text) for text in texts]))
        if self.missing == "null":
            return KeyText(NULL)
        message = "the routing key is read from properties.subject, but the layout has no such column"
        absent = Setting("missing", "null")
        hint = Hint("perhaps treat the field properties.subject as absent: ", absent)
        raise LayoutError.at("layout.no-column", message, hint=hint, fix=absent.fix)


def _only_fields(condition: Condition) -> bool:
    """Return True if ``condition`` tests only message fields: no routing key, selector or query."""
    if isinstance(condition, FIELD_TESTS):
        return condition.message_fields != (ROUTING_KEY,)
    return not isinstance(condition, Selector | Query) and all(map(_only_fields, inner(condition)))


def _is_of_text(test: Equal) -> bool:
    """Return True if ``test`` compares a field of AMQP's section ``properties``, such as the subject, with a text.

    The constant of such a test stays a literal, because Parquet readers skip row groups only for literals.
    """
    return test.message_fields[0].section == "properties" and test.equality == BY_VALUE


def _tested(
    header: Header, outlined: _Outlined, polarity: bool, next_constant: Callable[[ColumnType], ir.Value]
) -> ir.Predicate:
    """Return the predicate that the value ``header`` passes the test ``outlined``, or not if ``polarity`` is False.

    Each call of ``next_constant`` returns the IR value of the test's next constant, for the type of the constant.
    """
    match outlined.condition:
        case Present():
            return header.present if polarity else header.missing
        case Words() as words:
            return KeyText(header.operand).matches(words, polarity)
        case Like(prefix=prefix, suffix=suffix):
            pattern: Pattern = tuple(part for part in (prefix, Wildcard.ANY, suffix) if part)
            texts = header.operand.of(OperandType.STRING)
            passed = ir.any_of(*(ir.all_of(item.guard, ir.Like(item.value, pattern)) for item in texts))
        case Equal() as test if _is_of_text(test):
            return KeyText(header.operand).equals(test, polarity)
        case Equal(or_absent=or_absent):
            passed = header.equals(
                [ValueTest(form, [next_constant(form.comparand.type) for _ in range(n)]) for form, n in outlined.forms]
            )
            if or_absent:
                passed = ir.any_of(passed, header.operand.absent)
        case _:
            raise AssertionError(outlined.condition)
    return passed if polarity else complement(passed)


class KeyText:
    """A ``RoutingKey`` that reads the key as text from the row and compares it with literals."""

    def __init__(self, text: Operand) -> None:
        self._text = text

    def equals(self, test: Equal, polarity: bool = True) -> ir.Predicate:
        """Return the predicate that the text equals the binding key of ``test``, or not if ``polarity`` is False."""
        return self._test(lambda text: _is(text, str(test.value.value)), test.or_absent, polarity)

    def matches(self, test: Words, polarity: bool = True) -> ir.Predicate:
        """Return the predicate that the text matches the topic pattern of ``test``, or not if ``polarity`` is False."""
        words = simplify_words(test.pattern)
        return self._test(lambda text: _matches_topic(text, words, test.rules), test.or_absent, polarity)

    def _test(self, make: Callable[[ir.Value], ir.Predicate], absent: bool, polarity: bool) -> ir.Predicate:
        strings = self._text.of(OperandType.STRING)
        matched = ir.any_of(*(ir.all_of(item.guard, make(item.value)) for item in strings))
        if polarity:
            return ir.any_of(matched, self._text.absent) if absent else matched
        if len(self._text.alternatives) == len(strings) == 1 and strings[0].guard == ir.TRUE:
            # The negated test is NULL in rows in which the text is NULL. If ``absent`` is True, such rows pass the test
            # and must fail its negation; otherwise they fail the test and must pass the negation.
            negated = ir.sql_not(matched)
            if negated is not None:
                return ir.all_of(negated, self._text.present) if absent else ir.any_of(negated, self._text.absent)
        return complement(ir.any_of(matched, self._text.absent) if absent else matched)


def _matches_topic(text: ir.Value, words: TopicPattern, rules: TopicRules) -> ir.Predicate:
    if not rules.drops_trailing_empty_words:
        return _matches_words(text, words, rules.empty_key_has_no_words)
    # ``rules`` are of a broker that ignores empty words at the end of a key: ``a..`` has the one word ``a``, and ``..``
    # has no words. But the empty key is one empty word.
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
    """Return the cheapest test that ``text`` matches the topic pattern ``words``; "" counts as one empty word."""
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
