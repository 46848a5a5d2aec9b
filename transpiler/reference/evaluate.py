"""Evaluation of a selector on one message: Jakarta Messaging 3.1, section 3.8.1, and the brokers' deviations from it.

Evaluation is total: no message makes it raise, unless a regular expression exceeds a limit. If a broker's own
evaluation would throw, the result is unknown. Where the standard is silent, the dialect's record decides; comments at
the code name the decisions for the default dialect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, assert_never

from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import (
    BareName,
    BetweenMeaning,
    Evaluation,
    InNotString,
    LikeNotString,
    Logic,
    NullEquality,
    NumericPromotion,
)
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.message.ids import canonical
from transpiler.message.message import Message
from transpiler.message.operand_types import OperandType
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import AND, NOT, OR, SelectorValue, Truth
from transpiler.reference import operands
from transpiler.reference.arithmetic import calculate, java_text, sign
from transpiler.reference.comparison import compare, compare_null
from transpiler.reference.headers import is_id, look_up
from transpiler.reference.operands import BrokerError, Operand, Value
from transpiler.reference.text import call, is_like
from transpiler.reference.untyped import as_boolean, as_number, typed_by_use


class Verdict(NamedTuple):
    """The result of a selector for one message.

    ``thrown`` is the text of the exception that the broker would throw; None if it would throw no exception.
    """

    truth: Truth
    thrown: str | None = None


class Evaluated(NamedTuple):
    """The value of an operand for one message; ``operand`` is None for NULL.

    ``thrown`` is the text of the exception that the broker would throw; None if it would throw no exception.
    """

    operand: Operand
    thrown: str | None = None


def judge(
    tree: ast.Expression | None,
    message: Message,
    dialect: Dialect = JMS,
    receiver: Receiver = ANYONE,
) -> Verdict:
    """Evaluate a selector on a message, and report the exception that the broker would throw.

    If ``tree`` is None, there is no selector, and every message matches. ``receiver`` contains the time for UTC() and
    for JMSExpiration, and the JMSDestination of a message without a destination.
    """
    if tree is None:
        return Verdict(True)
    try:
        return Verdict(_Evaluator(message, dialect, receiver).selector(tree))
    except BrokerError as error:
        return Verdict(None, str(error))


def evaluate(
    tree: ast.Expression | None,
    message: Message,
    dialect: Dialect = JMS,
    receiver: Receiver = ANYONE,
) -> Truth:
    """Evaluate a selector on a message to True, False, or None for unknown. If ``tree`` is None, return True."""
    return judge(tree, message, dialect, receiver).truth


def value_of(
    node: ast.Expression,
    message: Message,
    dialect: Dialect = JMS,
    receiver: Receiver = ANYONE,
) -> SelectorValue:
    """Return the value of an operand for one message; None if it is NULL or if the broker would throw an exception."""
    return plain_value(evaluate_operand(node, message, dialect, receiver).operand)


def plain_value(operand: Operand) -> SelectorValue:
    """Return the value of ``operand`` without its type; a list, which selectors cannot express, as Java's text."""
    if operand is None:
        return None
    return java_text(operand) if isinstance(operand.value, tuple) else operand.value


def evaluate_operand(
    node: ast.Expression,
    message: Message,
    dialect: Dialect = JMS,
    receiver: Receiver = ANYONE,
    *,
    convert: bool = False,
) -> Evaluated:
    """Return the value of the operand ``node`` with its type, and the exception that the broker would throw.

    ``convert`` is True if the selector has the prefix ``convert_string_expressions:``.
    """
    evaluator = _Evaluator(message, dialect, receiver)
    evaluator.convert = convert
    try:
        return Evaluated(evaluator.operand(node))
    except BrokerError as error:
        return Evaluated(None, str(error))


class _Evaluator:
    def __init__(self, message: Message, dialect: Dialect, receiver: Receiver) -> None:
        self.message = message
        self.dialect = dialect
        # Read the clock once, because a selector may use the time several times.
        self.receiver = receiver._replace(now=receiver.time)
        self.convert = False

    def selector(self, tree: ast.Expression) -> Truth:
        """Evaluate a whole selector, including its prefix for the conversion of strings."""
        if isinstance(tree, ast.ConvertStrings):
            self.convert = True
            return self.condition(tree.condition)
        return self.condition(tree)

    def condition(self, node: ast.Expression) -> Truth:
        """Return the truth value of a condition; raise ``BrokerError`` if the broker throws."""
        match node:
            case ast.And(terms=terms):
                return self._junction(terms, deciding=False)
            case ast.Or(terms=terms):
                return self._junction(terms, deciding=True)
            case ast.Not(operand=operand):
                return NOT[self.condition(operand)]
            case ast.Compare(operator=operator, left=left, right=right):
                return self._compare(operator, left, right)
            case ast.Between():
                return self._between(node)
            case ast.In():
                return self._in(node)
            case ast.Like(negated=negated):
                truth = self._like(node)
                return NOT[truth] if negated else truth
            case ast.IsNull(operand=operand, negated=negated):
                return (self.operand(operand) is None) != negated
            case ast.BodyQuery(language=language, query=query):
                # This import is here because loading the evaluator of XPath takes time, and few selectors contain one.
                from transpiler.reference.paths import test_xml

                text = operands.body_text(self.message)
                return language == "XPATH" and text is not None and test_xml(text, query.value)
            case _:
                return self._bare(node)

    def _bare(self, node: ast.Expression) -> Truth:
        # A selector may be a mere name, such as ``paid AND size > 1``. It is unknown if the value is not a boolean.
        value = as_boolean(self.operand(node))
        if value is None:
            return None
        if value.type is OperandType.BOOLEAN:
            return bool(value.value)
        return False if self.dialect.bare_name is BareName.FALSE else None

    def _junction(self, terms: tuple[ast.Expression, ...], deciding: bool) -> Truth:
        """Return the truth value of AND (``deciding`` is False) or OR (``deciding`` is True) of ``terms``.

        A term with the truth value ``deciding`` determines the result.
        """
        return self._join([lambda term=term: self.condition(term) for term in terms], deciding)  # type: ignore[misc]

    def _join(self, terms: list[Callable[[], Truth]], deciding: bool) -> Truth:
        if self.dialect.evaluation is Evaluation.STRICT:
            settled = [term() for term in terms]
            terms = [lambda truth=truth: truth for truth in settled]  # type: ignore[misc]
        table = OR if deciding else AND
        result: Truth = not deciding
        for term in terms:
            truth = term()
            if truth is deciding:
                return deciding
            if self.dialect.logic is Logic.QPID_JAVA:
                # Qpid Broker-J deviates from the truth tables: an AND is unknown at its first unknown term, and an OR
                # forgets an unknown term when it evaluates the next.
                result = truth
                if truth is None and not deciding:
                    return None
            else:
                result = table[result, truth]
        return result

    def operand(self, node: ast.Expression) -> Operand:
        """Return the value of an operand; raise ``BrokerError`` if the broker throws."""
        match node:
            case ast.Identifier():
                return look_up(node, self.message, self.dialect, self.receiver)
            case (
                ast.StringLiteral()
                | ast.IntegerLiteral()
                | ast.FloatLiteral()
                | ast.BooleanLiteral()
                | ast.NullLiteral()
                | ast.BinaryLiteral()
            ):
                return operands.literal(node, self.dialect)
            case ast.Sign(operator=operator, operand=operand):
                return sign(operator, self._number(operand), self.dialect)
            case ast.Calculate(operator=operator, left=left, right=right):
                first, second = partial(self._number, left), partial(self._number, right)
                return calculate(operator, first, second, self.dialect, self.convert)
            case ast.Call(function="UTC"):
                return Value(OperandType.LONG, self.receiver.time)
            case ast.Call(function=function, arguments=arguments):
                made = [lambda item=item: self.operand(item) for item in arguments]
                return call(function, made, self.dialect)
            case (
                ast.Compare()
                | ast.Between()
                | ast.In()
                | ast.Like()
                | ast.IsNull()
                | ast.BodyQuery()
                | ast.Not()
                | ast.And()
                | ast.Or()
                | ast.ConvertStrings()
            ):
                # A condition in parentheses can be an operand, as in ``(a > 1) = b``. If the condition is unknown, the
                # operand is NULL.
                truth = self.condition(node)
                return None if truth is None else Value(OperandType.BOOLEAN, truth)
            case _:
                assert_never(node)

    def _compare(self, operator: Comparison, left: ast.Expression, right: ast.Expression) -> Truth:
        promotion = self.dialect.numeric_promotion
        java = promotion in (NumericPromotion.UPWARDS, NumericPromotion.UPWARDS_THROWING)
        first = self._beside(right, left)
        if java and not operator.is_equality and first is not None and first.type is OperandType.BYTES:
            # The broker's Java code casts the left operand to Comparable, which an array of bytes is not, before it
            # reads the right operand.
            raise BrokerError("arrays of bytes cannot be ordered")
        null_decides = not operator.is_equality or (not java and self.dialect.null_equality is NullEquality.UNKNOWN)
        if first is None and null_decides and promotion is not NumericPromotion.EXACT:
            # The broker returns unknown before it evaluates the right operand, so an exception in that operand has no
            # effect.
            return None
        second = self._beside(left, right)
        if first is None or second is None:
            return compare_null(operator, first, second, self.dialect)
        return compare(operator, first, second, self.dialect, self.convert)

    def _beside(self, other: ast.Expression, node: ast.Expression) -> Operand:
        """Return the value of the operand ``node``, whose comparison partner is the operand ``other``.

        If ``other`` is a message id or correlation id, a literal is an id, too: the case of its digits is normalized.
        """
        if isinstance(node, ast.StringLiteral) and is_id(other, self.dialect):
            return Value(OperandType.STRING, canonical(node.value))
        return self.operand(node)

    def _between(self, node: ast.Between) -> Truth:
        # Jakarta Messaging 3.8.1.1: "age BETWEEN 15 AND 19 is equivalent to age >= 15 AND age <= 19", "age NOT BETWEEN
        # 15 AND 19 is equivalent to age < 15 OR age > 19".
        if self.dialect.between_meaning is BetweenMeaning.COMPARISONS:
            low, high = (Comparison.LT, Comparison.GT) if node.negated else (Comparison.GE, Comparison.LE)
            return self._join(
                [
                    lambda: self._compare(low, node.operand, node.low),
                    lambda: self._compare(high, node.operand, node.high),
                ],
                deciding=node.negated,
            )
        value, floor, ceiling = (self.operand(part) for part in (node.operand, node.low, node.high))
        if value is None or floor is None or ceiling is None:
            return None
        inside = compare(Comparison.GE, value, floor, self.dialect) and compare(
            Comparison.LE, value, ceiling, self.dialect
        )
        return inside is not node.negated

    def _in(self, node: ast.In) -> Truth:
        # Jakarta Messaging 3.8.1.1: "If identifier of an IN or NOT IN operation is NULL, the value of the operation is
        # unknown."
        value = self.operand(node.operand)
        if value is None:
            return None
        match self.dialect.in_not_string:
            case InNotString.UNKNOWN if value.type is not OperandType.STRING:
                return None
            case InNotString.FALSE_BOTH_WAYS:
                return self._in_by_type(value, node)
            case _:
                members = (self._beside(node.operand, member) for member in node.members)
                is_member = any(
                    member is not None and compare(Comparison.EQ, value, member, self.dialect) for member in members
                )
                return is_member is not node.negated

    def _in_by_type(self, value: Value, node: ast.In) -> Truth:
        """Return the result of an IN or NOT IN with the left operand ``value``, under ``InNotString.FALSE_BOTH_WAYS``.

        Under this rule, NOT IN is FALSE if a member has another type than the value. It is unknown if a member before
        that is NULL.
        """
        result: Truth = node.negated
        for part in node.members:
            member = self.operand(part)
            if member is None:
                result = None
            elif node.negated and result is not None and not _are_like(value, member, self.dialect):
                result = False
            elif compare(Comparison.EQ, value, member, self.dialect):
                return not node.negated
        return result

    def _number(self, node: ast.Expression) -> Operand:
        """Return the value of an operand of arithmetic; a text whose original type is lost becomes a number."""
        return as_number(self.operand(node), self.dialect.types.special_doubles)

    def _like(self, node: ast.Like) -> Truth:
        # Jakarta Messaging 3.8.1.1: "If identifier of a LIKE or NOT LIKE operation is NULL, the value of the operation
        # is unknown."
        value = self.operand(node.operand)
        if value is None:
            return None
        if value.type is not OperandType.STRING:
            match self.dialect.like_not_string:
                case LikeNotString.FALSE:
                    return False
                case LikeNotString.UNKNOWN:
                    return None
                case LikeNotString.THROWS:
                    raise BrokerError("LIKE with an operand that is not a string")
        pattern = operands.literal(node.pattern, self.dialect)
        assert pattern is not None
        return is_like(str(value.value), str(pattern.value), node.escape.value if node.escape else None, self.dialect)


def _are_like(first: Value, second: Value, dialect: Dialect) -> bool:
    first, second = typed_by_use(first, second, dialect), typed_by_use(second, first, dialect)
    return first.type is second.type or (first.numeric and second.numeric)
