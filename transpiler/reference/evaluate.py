"""The meaning of a selector on one message: Jakarta Messaging 3.1, section 3.8.1.

Evaluation is total: no message makes it raise. Where the standard is silent, the default dialect's decisions hold;
they are named where they are made.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import assert_never

from transpiler.message.fields import find_field
from transpiler.message.ids import canonical
from transpiler.message.message import Message
from transpiler.message.types import AND, NOT, OR, SelectorValue, Truth, coerce
from transpiler.reference.headers import header_value, is_id
from transpiler.selector import ast


def evaluate(tree: ast.Expression | None, message: Message) -> Truth:
    """Whether the message matches: True, False, or None for unknown. No selector matches every message."""
    return True if tree is None else _condition(tree, message)


def value_of(node: ast.Expression, message: Message) -> SelectorValue:
    """The value of an operand on one message; None where it is NULL."""
    return _operand(node, message)


def _condition(node: ast.Expression, message: Message) -> Truth:
    match node:
        case ast.And(terms=terms):
            return reduce(lambda left, right: AND[left, right], (_condition(term, message) for term in terms))
        case ast.Or(terms=terms):
            return reduce(lambda left, right: OR[left, right], (_condition(term, message) for term in terms))
        case ast.Not(operand=operand):
            return NOT[_condition(operand, message)]
        case ast.Compare(operator=operator, left=left, right=right):
            return _compare(operator, _beside(right, left, message), _beside(left, right, message))
        case ast.Between(operand=operand, low=low, high=high, negated=negated):
            # "age BETWEEN 15 AND 19 is equivalent to age >= 15 AND age <= 19",
            # "age NOT BETWEEN 15 AND 19 is equivalent to age < 15 OR age > 19".
            value, floor, ceiling = (_operand(part, message) for part in (operand, low, high))
            if negated:
                return OR[_compare(ast.Comparison.LT, value, floor), _compare(ast.Comparison.GT, value, ceiling)]
            return AND[_compare(ast.Comparison.GE, value, floor), _compare(ast.Comparison.LE, value, ceiling)]
        case ast.In(operand=operand, members=members, negated=negated):
            # "If identifier of an IN or NOT IN operation is NULL, the value of the operation is unknown."
            value = _operand(operand, message)
            found = _is_in(value, [_beside(operand, member, message) for member in members])
            return NOT[found] if negated else found
        case ast.Like(operand=operand, pattern=pattern, escape=escape, negated=negated):
            # "If identifier of a LIKE or NOT LIKE operation is NULL, the value of the operation is unknown."
            found = _is_like(_operand(operand, message), pattern.value, escape.value if escape else None)
            return NOT[found] if negated else found
        case ast.IsNull(operand=operand, negated=negated):
            return (_operand(operand, message) is None) != negated
        case _:
            # A name by itself is a condition where its value is a boolean; elsewhere it is unknown.
            value = _operand(node, message)
            return value if isinstance(value, bool) else None


def _operand(node: ast.Expression, message: Message) -> SelectorValue:
    match node:
        case ast.Identifier(name=name):
            return _look_up(name, message)
        case (
            ast.StringLiteral(value=value)
            | ast.IntegerLiteral(value=value)
            | ast.FloatLiteral(value=value)
            | ast.BooleanLiteral(value=value)
        ):
            return value
        case ast.Sign(operator=operator, operand=operand):
            return _sign(operator, _operand(operand, message))
        case ast.Calculate(operator=operator, left=left, right=right):
            return _calculate(operator, _operand(left, message), _operand(right, message))
        case ast.Compare() | ast.Between() | ast.In() | ast.Like() | ast.IsNull() | ast.Not() | ast.And() | ast.Or():
            # A condition in parentheses is a boolean operand, and a missing one where it is unknown.
            return _condition(node, message)
        case _:
            assert_never(node)


def _look_up(name: str, message: Message) -> SelectorValue:
    header_field = find_field(name)
    if header_field is not None:
        return header_value(header_field, message)
    # "If a property that does not exist in a message is referenced, its value is NULL."
    value = (message.application_properties or {}).get(name)
    return None if value is None else coerce(value)


def _beside(other: ast.Expression, node: ast.Expression, message: Message) -> SelectorValue:
    """An operand; a literal beside a message id is read as an id, whose hexadecimal digits have no case."""
    if isinstance(node, ast.StringLiteral) and is_id(other):
        return canonical(node.value)
    return _operand(node, message)


def _compare(operator: ast.Comparison, left: SelectorValue, right: SelectorValue) -> Truth:
    # "SQL treats a NULL value as unknown. Comparison or arithmetic with an unknown value always yields an unknown."
    if left is None or right is None:
        return None
    # "Comparison ... of values of unlike types: the value of the operation is false." Of = and <> alike.
    if _is_number(left) and _is_number(right):
        return _compare_numbers(operator, left, right)
    if type(left) is not type(right):
        return False
    # "String and Boolean comparison is restricted to = and <>"; of two properties an ordering is false.
    if operator is ast.Comparison.EQ:
        return left == right
    if operator is ast.Comparison.NE:
        return left != right
    return False


def _is_number(value: SelectorValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compare_numbers(operator: ast.Comparison, left: object, right: object) -> bool:
    # Java's numeric promotion: where one is a floating point number, the other becomes a double.
    assert isinstance(left, int | float)
    assert isinstance(right, int | float)
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    match operator:
        case ast.Comparison.EQ:
            return left == right
        case ast.Comparison.NE:
            return left != right
        case ast.Comparison.LT:
            return left < right
        case ast.Comparison.LE:
            return left <= right
        case ast.Comparison.GT:
            return left > right
        case ast.Comparison.GE:
            return left >= right


def _is_in(value: SelectorValue, members: list[SelectorValue]) -> Truth:
    if value is None:
        return None
    return isinstance(value, str) and value in members


def _is_like(value: SelectorValue, pattern: str, escape: str | None) -> Truth:
    if value is None:
        return None
    return isinstance(value, str) and _matches(value, pattern, escape)


def _matches(text: str, pattern: str, escape: str | None) -> bool:
    """Wildcard matching by going back to the last ``%``: no more than the product of the two lengths."""
    parts: list[tuple[str, bool]] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            parts.append((next(characters, ""), False))
        else:
            parts.append((character, character in "_%"))
    at = here = 0
    last_any, resume = -1, 0
    while at < len(text):
        if here < len(parts) and parts[here] == ("%", True):
            last_any, resume = here, at
            here += 1
        elif here < len(parts) and (parts[here] == ("_", True) or parts[here] == (text[at], False)):
            at, here = at + 1, here + 1
        elif last_any >= 0:
            resume += 1
            at, here = resume, last_any + 1
        else:
            return False
    return all(part == ("%", True) for part in parts[here:])


_LONG_MIN, _LONG_MAX = -(2**63), 2**63 - 1


def _long(value: int) -> int | None:
    """Integer arithmetic has 64 bits; what does not fit is unknown."""
    return value if _LONG_MIN <= value <= _LONG_MAX else None


def _sign(operator: ast.Arithmetic, value: SelectorValue) -> SelectorValue:
    # Every broker lets a unary plus stand before anything and do nothing.
    if operator is ast.Arithmetic.ADD:
        return value
    if not _is_number(value):
        return None
    assert isinstance(value, int | float)
    return _long(-value) if isinstance(value, int) else -value


def _calculate(operator: ast.Arithmetic, left: SelectorValue, right: SelectorValue) -> SelectorValue:
    # Arithmetic on what is no number is unknown, as arithmetic with NULL is.
    if not (_is_number(left) and _is_number(right)):
        return None
    assert isinstance(left, int | float)
    assert isinstance(right, int | float)
    if isinstance(left, int) and isinstance(right, int):
        match operator:
            case ast.Arithmetic.ADD:
                return _long(left + right)
            case ast.Arithmetic.SUBTRACT:
                return _long(left - right)
            case ast.Arithmetic.MULTIPLY:
                return _long(left * right)
            case ast.Arithmetic.DIVIDE:
                # Java's integer division truncates toward zero; by zero it has no value.
                if right == 0:
                    return None
                quotient = abs(left) // abs(right)
                return _long(quotient if (left < 0) == (right < 0) else -quotient)
    first, second = float(left), float(right)
    match operator:
        case ast.Arithmetic.ADD:
            return first + second
        case ast.Arithmetic.SUBTRACT:
            return first - second
        case ast.Arithmetic.MULTIPLY:
            return first * second
        case ast.Arithmetic.DIVIDE:
            return _divide(first, second)


def _divide(dividend: float, divisor: float) -> float:
    """IEEE 754 division, which Python refuses for a zero divisor."""
    if divisor != 0:
        return dividend / divisor
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1, divisor)
