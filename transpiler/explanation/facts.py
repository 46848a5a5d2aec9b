"""A sentence about one condition: the values that it reads, and why its verdict follows from them.

A relation between two values is stated only if it holds in plain mathematics and the evaluator's verdict is the same.
Where the two differ, as for Java's numbers of two widths, the sentence names the rules of the dialect.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Mapping
from typing import Any

from transpiler.explanation.operand_facts import by_values, thrown_fact, why_null
from transpiler.explanation.parts import Evaluation
from transpiler.explanation.pattern_facts import like_fact
from transpiler.explanation.wording import (
    kind_of,
    listed,
    name_is,
    operand_text,
    quoted_part,
    subject,
    typed_text,
    value_text,
)
from transpiler.message.operand_types import OperandType
from transpiler.message.types import TRUTH_TEXT, UntypedText
from transpiler.reference.comparison import read_text
from transpiler.reference.operands import Value, body_text
from transpiler.reference.untyped import typed_by_use
from transpiler.selector import ast
from transpiler.selector.dialect_rules import Ordering

_HOLDS: Mapping[ast.Comparison, Callable[[Any, Any], bool]] = {
    ast.Comparison.EQ: op.eq,
    ast.Comparison.NE: op.ne,
    ast.Comparison.LT: op.lt,
    ast.Comparison.LE: op.le,
    ast.Comparison.GT: op.gt,
    ast.Comparison.GE: op.ge,
}
_RELATIONS: Mapping[ast.Comparison, str] = {
    ast.Comparison.EQ: "equal to",
    ast.Comparison.LT: "below",
    ast.Comparison.LE: "at most",
    ast.Comparison.GT: "above",
    ast.Comparison.GE: "at least",
}

#: Members of a list that a sentence shows.
_MAX_MEMBERS = 4


def leaf_fact(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return why a condition without AND, OR and NOT has its verdict."""
    verdict = evaluation.verdict(node)
    if verdict.thrown is not None:
        return thrown_fact(node, verdict.thrown, evaluation)
    match node:
        case ast.Compare():
            return _compare(node, evaluation)
        case ast.Between():
            return _between(node, evaluation)
        case ast.In():
            return _in(node, evaluation)
        case ast.Like():
            return like_fact(node, evaluation)
        case ast.IsNull(operand=operand):
            if evaluation.value(operand) is None:
                return why_null(operand, evaluation)
            return name_is(operand, evaluation) + ("" if node.negated else ", not NULL")
        case ast.BodyQuery():
            return _body_query(node, evaluation)
        case _:
            return _bare(node, evaluation)


def _by_rules(node: ast.Expression, evaluation: Evaluation) -> str:
    return by_values(node, evaluation, rule=f"by the rules of {evaluation.dialect.title}")


def _null(node: ast.Expression, operand: ast.Expression, evaluation: Evaluation) -> str:
    """Return the sentence about a condition one of whose operands is NULL."""
    truth = evaluation.verdict(node).truth
    reason, part = why_null(operand, evaluation), quoted_part(node, evaluation)
    if truth is None:
        return f"{reason}, so {part} is unknown"
    return f"{reason}, and by the rules of {evaluation.dialect.title} {part} is then {TRUTH_TEXT[truth]}"


def _bare(node: ast.Expression, evaluation: Evaluation) -> str:
    truth = evaluation.verdict(node).truth
    if not isinstance(node, ast.Identifier):
        return by_values(node, evaluation)
    value = evaluation.value(node)
    if value is None:
        return why_null(node, evaluation)
    if value.type is OperandType.BOOLEAN:
        return name_is(node, evaluation)
    if isinstance(value.value, UntypedText) and truth is not None:
        return f"{name_is(node, evaluation)}, read as {TRUTH_TEXT[truth]}"
    return f"{name_is(node, evaluation, typed=True)} and no boolean, so it is {TRUTH_TEXT[truth]} as a condition"


def _body_query(node: ast.BodyQuery, evaluation: Evaluation) -> str:
    if body_text(evaluation.message) is None:
        return f"the message has no body of text, so {quoted_part(node, evaluation)} is FALSE"
    if evaluation.verdict(node).truth:
        return f"the body satisfies {quoted_part(node, evaluation)}"
    return f"the body does not satisfy {quoted_part(node, evaluation)}"


def _compare(node: ast.Compare, evaluation: Evaluation) -> str:
    left, right, operator = node.left, node.right, node.operator
    for side in (left, right):
        if evaluation.value(side) is None:
            return _null(node, side, evaluation)
    if isinstance(left, ast.LITERALS) and not isinstance(right, ast.LITERALS):
        left, right, operator = right, left, operator.mirrored
    first, second = evaluation.value(left), evaluation.value(right)
    assert first is not None
    assert second is not None
    if isinstance(left, ast.LITERALS):
        return by_values(node, evaluation)
    first, second = _as_read(first, second, evaluation)
    read = "" if first.value == _value(left, evaluation) else f", read as {typed_text(first)}"
    if _alike(first, second):
        return _compare_alike(node, (left, operator, right), (first, second), read, evaluation)
    return _compare_unlike(node, (left, operator, right), (first, second), evaluation)


def _value(node: ast.Expression, evaluation: Evaluation) -> object:
    value = evaluation.value(node)
    return None if value is None else value.value


def _as_read(first: Value, second: Value, evaluation: Evaluation) -> tuple[Value, Value]:
    """Return two values as a comparison reads them: text by use, or by the prefix that converts strings."""
    first, second = typed_by_use(first, second), typed_by_use(second, first)
    if evaluation.convert and first.type is not second.type:
        if first.type is OperandType.STRING:
            first = read_text(str(first.value), second.type) or first
        elif second.type is OperandType.STRING:
            second = read_text(str(second.value), first.type) or second
    return first, second


def _alike(first: Value, second: Value) -> bool:
    return first.type is second.type or (first.numeric and second.numeric)


_Sides = tuple[ast.Expression, ast.Comparison, ast.Expression]


def _compare_alike(
    node: ast.Compare, sides: _Sides, values: tuple[Value, Value], read: str, evaluation: Evaluation
) -> str:
    left, operator, right = sides
    first, second = values
    truth = evaluation.verdict(node).truth
    ordered = first.numeric or evaluation.dialect.ordering is not Ordering.FALSE
    if not operator.is_equality and not ordered:
        kind = {OperandType.STRING: "text", OperandType.BOOLEAN: "booleans"}.get(first.type, "bytes")
        fact = f"{name_is(left, evaluation)}, and {evaluation.dialect.title} has no order for {kind}"
        return f"{fact}, so {quoted_part(node, evaluation)} is FALSE"
    if first.type in (OperandType.BYTES, OperandType.ATOM) or _holds(operator, first, second) is not truth:
        return _unexpected(node, (left, right), values, evaluation)
    fact = name_is(left, evaluation) + read
    if operator is ast.Comparison.NE:
        if not truth:
            return f"{fact}, which {quoted_part(node, evaluation)} excludes"
        operator, truth = ast.Comparison.EQ, False
    other = operand_text(right, evaluation)
    if operator is ast.Comparison.EQ:
        if not truth:
            return f"{fact}, not {other}{_spelling(first, second)}"
        return fact if isinstance(right, ast.LITERALS) else f"{fact}, equal to {other}"
    return f"{fact}, {'' if truth else 'not '}{_RELATIONS[operator]} {other}"


def _holds(operator: ast.Comparison, first: Value, second: Value) -> bool | None:
    """Return the relation of two values in plain mathematics; None where they have none."""
    try:
        return bool(_HOLDS[operator](first.value, second.value))
    except TypeError:
        return None


def _spelling(first: Value, second: Value) -> str:
    """Return a note where two texts differ in nothing but case, or in blanks around them."""
    if not isinstance(first.value, str) or not isinstance(second.value, str):
        return ""
    if first.value.casefold() == second.value.casefold():
        return " (case counts)"
    return " (blanks count)" if first.value.strip() == second.value.strip() else ""


def _unexpected(
    node: ast.Compare,
    sides: tuple[ast.Expression, ast.Expression],
    values: tuple[Value, Value],
    evaluation: Evaluation,
) -> str:
    """Return the sentence where a dialect's verdict is not that of plain mathematics: both values with their types."""
    names = ["the literal" if isinstance(side, ast.LITERALS) else subject(side, evaluation) for side in sides]
    facts = [f"{name} is {typed_text(value, width=True)}" for name, value in zip(names, values, strict=True)]
    verdict = f"{quoted_part(node, evaluation)} is {TRUTH_TEXT[evaluation.verdict(node).truth]}"
    return f"{' and '.join(facts)}, and by the rules of {evaluation.dialect.title} {verdict}"


def _compare_unlike(node: ast.Compare, sides: _Sides, values: tuple[Value, Value], evaluation: Evaluation) -> str:
    left, operator, right = sides
    first, second = values
    truth, dialect = evaluation.verdict(node).truth, evaluation.dialect
    fact = name_is(left, evaluation, typed=True)
    if not isinstance(right, ast.LITERALS):
        fact += f" and {name_is(right, evaluation, typed=True)}"
    mine, other = kind_of(first), kind_of(second)
    reads_text = evaluation.convert or isinstance(first.value, UntypedText) or isinstance(second.value, UntypedText)
    if OperandType.ATOM in (first.type, second.type) or mine == other or reads_text:
        return f"{fact}, and by the rules of {dialect.title} {quoted_part(node, evaluation)} is {TRUTH_TEXT[truth]}"
    if operator is ast.Comparison.NE:
        if truth:
            return f"{fact}, which is always different from {other}"
        return f"{fact}; between {mine} and {other} even <> is FALSE"
    if truth:
        return f"{fact}, and by the rules of {dialect.title} {mine} is {_RELATIONS[operator]} {other}"
    return f"{fact}; {mine} is never {_RELATIONS[operator]} {other}"


def _between(node: ast.Between, evaluation: Evaluation) -> str:
    parts = (node.operand, node.low, node.high)
    for part in parts:
        if evaluation.value(part) is None:
            # One bound may decide where the other one is NULL.
            decided = evaluation.verdict(node).truth is not None
            return by_values(node, evaluation) if decided else _null(node, part, evaluation)
    value, low, high = (evaluation.value(part) for part in parts)
    assert value is not None
    assert low is not None
    assert high is not None
    low_read, high_read = (_as_read(bound, value, evaluation)[0] for bound in (low, high))
    by_low, by_high = (_as_read(value, bound, evaluation)[0] for bound in (low, high))
    numbers = all(item.numeric for item in (low_read, high_read, by_low, by_high))
    if not numbers or isinstance(node.operand, ast.LITERALS):
        return _by_rules(node, evaluation)
    inside = _HOLDS[ast.Comparison.GE](by_low.value, low_read.value) and _HOLDS[ast.Comparison.LE](
        by_high.value, high_read.value
    )
    truth = evaluation.verdict(node).truth
    if (inside is not node.negated) is not truth:
        return _by_rules(node, evaluation)
    bounds = f"between {operand_text(node.low, evaluation)} and {operand_text(node.high, evaluation)}"
    read = "" if by_low.value == value.value else f", read as {typed_text(by_low)}"
    return f"{name_is(node.operand, evaluation)}{read}, {'' if inside else 'not '}{bounds}"


def _in(node: ast.In, evaluation: Evaluation) -> str:
    value = evaluation.value(node.operand)
    if value is None:
        return _null(node, node.operand, evaluation)
    truth = evaluation.verdict(node).truth
    members = [evaluation.value(member) for member in node.members]
    texts = [member.value for member in members if member is not None and member.type is OperandType.STRING]
    if len(texts) < len(members) or isinstance(node.operand, ast.LITERALS):
        return _by_rules(node, evaluation)
    if value.type is not OperandType.STRING:
        part = quoted_part(node, evaluation)
        return f"{name_is(node.operand, evaluation, typed=True)} and no text, so {part} is {TRUTH_TEXT[truth]}"
    if ((value.value in texts) is not node.negated) is not truth:
        return _by_rules(node, evaluation)
    fact = name_is(node.operand, evaluation)
    if value.value in texts:
        return f"{fact}, which {quoted_part(node, evaluation)} excludes" if node.negated else f"{fact}, one of the list"
    if len(texts) == 1:
        return f"{fact}, not {value_text(texts[0])}"
    notes = (_spelling(value, member) for member in members if member is not None)
    note = next(filter(None, notes), "")
    return f"{fact}, none of {listed([value_text(text) for text in texts], _MAX_MEMBERS)}{note}"
