"""Conversion of selectors and conditions to formulas; equal tests share one number.

Tests are equal if their canonical forms are; 0.0 and -0.0 differ. The canonical form of a comparison has the name on
the left if the sides do not matter. BETWEEN becomes two comparisons if the dialect evaluates it as two, and NOT LIKE
becomes the NOT of a LIKE.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import replace

from transpiler.base.comparison import Comparison
from transpiler.base.errors import TranspilerError, UnsupportedFeatureError
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.language.conditions import (
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
    text_of_test,
)
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import BetweenMeaning, Evaluation, Logic, NumericPromotion
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.pattern import PatternError, read_pattern
from transpiler.language.selector.printer import print_tree
from transpiler.language.translation.message_fields import message_fields_of
from transpiler.message.header_fields import (
    PROPERTIES,
    RECEIVER,
    Conversion,
    HeaderField,
    MessageField,
)
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.reference.conditions import holds
from transpiler.reference.evaluate import Verdict, judge
from transpiler.tools.analysis.constants import NOW, constants, is_constant
from transpiler.tools.analysis.formula import (
    ALWAYS,
    ANYTHING,
    FALSE,
    NEVER,
    THROWN,
    TRUE,
    UNKNOWN,
    Accepted,
    Formula,
    Junction,
    Negation,
    Subject,
    Test,
    UndecidedError,
    WordPattern,
    bit_of,
)

_LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral, ast.NullLiteral)
#: The message annotation that holds the routing key in sample messages. RabbitMQ sets the same annotation for consumers
#: of AMQP 1.0.
KEY_ANNOTATION = MessageField("message_annotations", "x-routing-key")
_UPWARDS = (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)
#: Conversions of header fields for which sample values of a single message field produce every result. The conversions
#: of IDs and of the expiry time are not among them.
_SYSTEM_FIELDS = (
    frozenset(Conversion)
    - {Conversion.ANY_ID, Conversion.MESSAGE_ID, Conversion.CORRELATION_ID}
    - {
        Conversion.STRING_ID,
        Conversion.PREFIXED_ID,
        Conversion.EXPIRY,
        Conversion.EXPIRY_UNLESS_ZERO,
    }
)


class Conditions:
    """A registry of the tests (comparisons without AND, OR and NOT) in the formulas of one or more conditions.

    The same test in two conditions is registered once, so that their formulas can be compared. ``destination`` is the
    broker address from which the consumer receives messages, or None if it is unknown.
    """

    def __init__(self, destination: str | None = None) -> None:
        self.tests: list[Test] = []
        self.destination = destination
        self._known: dict[Hashable, Test] = {}
        self._formulas: dict[int, Formula] = {}
        #: The objects whose ids are keys of tests and formulas, kept alive so that no new object gets the same id.
        self._kept: list[object] = []

    def selector(self, tree: ast.Expression | None, dialect: Dialect, other: Dialect | None = None) -> Formula:
        """Return the formula of the selector ``tree``: its ANDs, ORs and NOTs over registered tests.

        If ``tree`` is None, return ``ALWAYS``. ``other`` is the dialect of the condition that the selector is compared
        with; None if it is the same dialect.
        """
        if tree is None:
            return ALWAYS
        if isinstance(tree, ast.ConvertStrings):
            return self._formula(tree.condition, dialect, other or dialect, True)
        return self._formula(tree, dialect, other or dialect, False)

    def _formula(self, node: ast.Expression, dialect: Dialect, other: Dialect, convert: bool) -> Formula:
        known = self._formulas.get(id(node))
        if known is None:
            known = self._formulas[id(node)] = self._made(node, dialect, other, convert)
            self._kept.append(node)
        return known

    def _made(self, node: ast.Expression, dialect: Dialect, other: Dialect, convert: bool) -> Formula:
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return _junction(
                    isinstance(node, ast.Or),
                    tuple([self._formula(term, dialect, other, convert) for term in terms]),
                    dialect,
                )
            case ast.Not(operand=operand):
                return Negation(self._formula(operand, dialect, other, convert))
            case ast.Like(negated=True):
                return Negation(self._test(replace(node, negated=False), dialect, other, convert))
            case ast.Between(operand=operand, low=low, high=high, negated=negated) if (
                dialect.between_meaning is BetweenMeaning.COMPARISONS and _subject_of(node, dialect) is None
            ):
                below, above = (Comparison.LT, Comparison.GT) if negated else (Comparison.GE, Comparison.LE)
                pair = ast.Compare(below, operand, low, node.span), ast.Compare(above, operand, high, node.span)
                return _junction(negated, tuple([self._test(one, dialect, other, convert) for one in pair]), dialect)
            case _:
                return self._test(node, dialect, other, convert)

    def _test(self, written: ast.Expression, dialect: Dialect, other: Dialect, convert: bool) -> Test:
        node = _canonical(written, dialect)
        key = identity_of(node), id(dialect), convert
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._new(node, dialect, other, convert)
            self._kept.append(dialect)
            self.tests.append(known)
        return known

    def _new(self, node: ast.Expression, dialect: Dialect, other: Dialect, convert: bool) -> Test:
        tested = ast.ConvertStrings(node) if convert else node
        destination = self.destination

        def judged(message: Message) -> Verdict:
            try:
                return judge(tested, message, dialect, Receiver(NOW, destination))
            except UnsupportedFeatureError as error:
                # The reference evaluator does not support the regular expression of this test, so the analysis cannot
                # decide.
                raise UndecidedError(error.diagnostics[0].message) from None

        subject = _subject_of(node, dialect)
        decided = subject is not None and not convert and _is_decided(node)
        patterns: tuple[Pattern, ...] = ()
        if decided and isinstance(node, ast.Like):
            try:
                patterns = (
                    read_pattern(node.pattern.value, node.escape.value if node.escape else None, dialect.escapes),
                )
            except PatternError:
                decided = False
        test = Test(len(self.tests), node, dialect, judged, subject, decided, patterns=patterns)
        test.outcomes = ANYTHING if dialect.on_throw else ANYTHING & ~THROWN
        if isinstance(node, ast.BodyQuery):
            # A query of the message body is never unknown: if the message has no body of the queried kind, the query is
            # FALSE.
            test.outcomes &= ~UNKNOWN
        test.constants = tuple(_literals(node)) if decided else tuple(constants(node, dialect, other))
        if subject is None:
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Identifier):
                if isinstance(node.right, ast.Identifier) and not convert:
                    test.relation = node
                    test.beside = frozenset(_subject_of_name(name, dialect).key for name in (node.left, node.right))
            elif is_constant(node):
                with suppress(UndecidedError):
                    test.outcomes = bit_of(judged(Message()))
        return test

    def formula(self, condition: Condition, other: Dialect | None = None) -> Formula:
        """Return the formula of the condition of a filter, a binding or an address.

        A selector that the broker rejects passes no message. ``other`` is the dialect of the condition that
        ``condition`` is compared with; None if it is the same dialect.
        """
        match condition:
            case All(terms=terms) | Any(terms=terms):
                return Junction(isinstance(condition, Any), tuple(self.formula(term, other) for term in terms))
            case Not(term=term):
                return Negation(self.formula(term, other))
            case Selector():
                try:
                    tree = condition.tree
                except TranspilerError:
                    return NEVER
                return ALWAYS if tree is None else Accepted(self.selector(tree, condition.dialect, other))
            case Present() | Equal() | Like() | Words() | Query():
                return self._asked(condition)

    def _asked(self, asked: FieldTest | Query) -> Test:
        """Return the registered test for ``asked``, which is a query or a comparison of a message field."""
        message_field = _message_field_of(asked)
        test = self.judged_test(
            asked,
            lambda message: Verdict(holds(asked, message, _annotated_keys(message))),
            message_field,
            text_of_test(asked),
        )
        match asked:
            case Equal(value=value):
                # Only application properties and message annotations keep the AMQP type of a string. In any other
                # section, a string is a plain str.
                has_type = message_field is None or message_field.section in (PROPERTIES, "message_annotations")
                test.constants = (value if has_type or not isinstance(value.value, str) else value.value,)
            case Like(prefix=prefix, suffix=suffix):
                test.patterns = (tuple(part for part in (prefix, Wildcard.ANY, suffix) if part),)
            case Words(pattern=pattern):
                test.patterns = (WordPattern(pattern),)
        return test

    def judged_test(
        self, key: Hashable, judge: Callable[[Message], Verdict], message_field: MessageField | None, text: str
    ) -> Test:
        """Return the registered test with the key ``key``, or register a new test that is TRUE or FALSE, never unknown.

        ``judge(message)`` returns the result of the new test. The test reads ``message_field``, or any part of the
        message if ``message_field`` is None. ``text`` describes the test in words.
        """
        known = self._known.get(key)
        if known is None:
            subject = None if message_field is None else Subject(message_field, message_field)
            known = Test(len(self.tests), key, None, judge, subject, message_field is not None, typed=True)
            known.outcomes, known.text = TRUE | FALSE, text
            known.message_fields = () if message_field is None else (message_field,)
            self._known[key] = known
            self.tests.append(known)
        return known


def _message_field_of(asked: FieldTest | Query) -> MessageField | None:
    """Return the only message field that ``asked`` reads and that sample values can cover; else None.

    The result is None if sample values of one field do not produce every outcome: for a query, for a header that is
    read from two fields, and for message and correlation IDs.
    """
    if isinstance(asked, Query) or len(asked.message_fields) > 1:
        # Sample values of one message field cannot show every outcome here, because the test reads two fields. For
        # example, some brokers accept a header condition on ``subject`` by the message's subject or by an application
        # property of that name.
        return None
    message_field = KEY_ANNOTATION if asked.message_fields == (ROUTING_KEY,) else asked.message_fields[0]
    return None if message_field.field in ("message_id", "correlation_id") else message_field


def _annotated_keys(message: Message) -> tuple[str | None, ...]:
    """Return the routing key of ``message`` as a tuple of one item, read from its annotation ``KEY_ANNOTATION``.

    The item is None if the message does not have this annotation.
    """
    given = (message.message_annotations or {}).get(KEY_ANNOTATION.field)
    return (None if given is None else str(given.value),)


def shown(test: Test) -> str:
    """Return ``test`` as text for users."""
    if not test.text:
        assert test.dialect is not None
        assert isinstance(test.node, ast.Expression)
        test.text = print_tree(test.node, test.dialect)
    return test.text


def fields_read(test: Test) -> tuple[MessageField, ...]:
    """Return the message fields that ``test`` reads."""
    if not test.message_fields and test.dialect is not None:
        assert isinstance(test.node, ast.Expression)
        test.message_fields = tuple(dict.fromkeys(message_fields_of(test.node, test.dialect)))
    return test.message_fields


def _junction(decides: bool, terms: tuple[Formula, ...], dialect: Dialect) -> Junction:
    return Junction(
        decides,
        terms,
        dialect.logic is Logic.QPID_JAVA,
        dialect.evaluation is Evaluation.STRICT and bool(dialect.on_throw),
    )


_ONE_VALUE = frozenset({ast.Identifier, ast.StringLiteral, ast.IntegerLiteral, ast.BooleanLiteral})


def identity_of(node: ast.Expression) -> Hashable:
    """Return a key that is equal only for nodes equal to ``node``. Unlike ==, it distinguishes 0.0 from -0.0."""
    if type(node) is ast.Compare and type(node.left) in _ONE_VALUE and type(node.right) in _ONE_VALUE:
        return node
    zeros = [str(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.FloatLiteral) and inner.value == 0]
    return (node, *zeros) if zeros else node


def _canonical(node: ast.Expression, dialect: Dialect) -> ast.Expression:
    """Return ``node`` in a standard form: a comparison has its name on the left side.

    If both sides are names, the first in a fixed order is on the left. The sides are not exchanged if that could change
    the result.
    """
    if not dialect.on_throw:
        node = _ordered(node)
    if not isinstance(node, ast.Compare) or dialect.numeric_promotion in _UPWARDS:
        # The numeric promotion of these dialects depends on which operand is on the left, so exchanging the sides could
        # change the result.
        return node
    left, right = node.left, node.right
    simple = (ast.Identifier, *_LITERALS)
    if dialect.on_throw and not (isinstance(left, simple) and isinstance(right, simple)):
        return node
    named = isinstance(left, ast.Identifier), isinstance(right, ast.Identifier)
    exchanged = (
        _order(right) < _order(left) if all(named) else named[1] or (not named[0] and isinstance(left, _LITERALS))
    )
    return ast.Compare(node.operator.mirrored, right, left, node.span) if exchanged else node


def _ordered(node: ast.Expression) -> ast.Expression:
    """Return ``node`` with the operands of its sums and products in a fixed order.

    The result is equivalent to ``node`` only if no operand can throw an exception.
    """
    match node:
        case ast.Calculate(operator=operator, left=left, right=right):
            first, second = _ordered(left), _ordered(right)
            if operator in (ast.Arithmetic.ADD, ast.Arithmetic.MULTIPLY) and _shape(second) < _shape(first):
                first, second = second, first
            return ast.Calculate(operator, first, second, node.span)
        case ast.Compare(left=left, right=right) if ast.Calculate in (type(left), type(right)):
            return replace(node, left=_ordered(left), right=_ordered(right))
        case ast.Sign(operand=operand):
            return replace(node, operand=_ordered(operand))
        case _:
            return node


def _shape(node: ast.Expression) -> str:
    return " ".join(
        f"{type(inner).__name__} {getattr(inner, 'name', '')} {getattr(inner, 'value', '')!r}"
        for inner in ast.walk(node)
    )


def _order(node: ast.Expression) -> str:
    return f"{node.section or ''}.{node.name}" if isinstance(node, ast.Identifier) else ""


def _literals(node: ast.Expression) -> Iterator[object]:
    for inner in ast.walk(node):
        if isinstance(node, ast.Like):
            return
        match inner:
            case ast.StringLiteral(value=value) | ast.IntegerLiteral(value=value) | ast.FloatLiteral(value=value):
                yield value
            case ast.BinaryLiteral(value=octets):
                yield octets.decode("utf-8", "surrogateescape")
            case _:
                pass


def _is_decided(node: ast.Expression) -> bool:
    """Return True if all operands of ``node`` are names and literals, without arithmetic or functions.

    Then sample values of the names produce every outcome of the test.
    """
    match node:
        case ast.Compare(left=left, right=right):
            return all(isinstance(part, (ast.Identifier, ast.BinaryLiteral, *_LITERALS)) for part in (left, right))
        case ast.Between(operand=operand, low=low, high=high):
            return isinstance(operand, ast.Identifier) and isinstance(low, _LITERALS) and isinstance(high, _LITERALS)
        case (
            ast.In(operand=operand, members=members)
            | ast.Call(function="INLIST", arguments=(ast.Call(function="MAKELIST", arguments=members), operand))
        ):
            literals = (ast.BinaryLiteral, *_LITERALS)
            return isinstance(operand, ast.Identifier) and all(isinstance(member, literals) for member in members)
        case ast.Like(operand=operand) | ast.IsNull(operand=operand):
            return isinstance(operand, ast.Identifier)
        case _:
            return isinstance(node, ast.Identifier)


def _subject_of(node: ast.Expression, dialect: Dialect) -> Subject | None:
    """Return the subject of the test ``node``: the only message field or header field on which its result depends.

    The result is None if ``node`` reads several fields, no field, the body or the clock.
    """
    found: Subject | None = None
    for inner in ast.walk(node):
        if isinstance(inner, ast.BodyQuery) or (isinstance(inner, ast.Call) and inner.function == "UTC"):
            return None
        if isinstance(inner, ast.Identifier):
            own = _subject_of_name(inner, dialect)
            if found is not None and found != own:
                return None
            found = own
    return found


def _subject_of_name(name: ast.Identifier, dialect: Dialect) -> Subject:
    field = dialect.fields.find(name.name, name.section)
    if field is None:
        message_field = MessageField(PROPERTIES, name.name)
        return Subject(message_field, message_field)
    if _is_system_field(field):
        message_field = field.origins[0].message_fields[0]
        return Subject(message_field, message_field)
    return Subject((field.name, field.origins), None, field)


def _is_system_field(field: HeaderField) -> bool:
    if (
        len(field.origins) != 1
        or len(field.origins[0].message_fields) != 1
        or field.origins[0].conversion not in _SYSTEM_FIELDS
    ):
        return False
    return field.origins[0].message_fields[0].section not in (RECEIVER, "delivery_properties")
