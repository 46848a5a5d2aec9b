"""A sentence about one condition: the values that it reads, and why its result follows from them.

A relation between two values is stated only if mathematics and the evaluator agree on it. If they differ, as for Java
numbers of different widths, the sentence attributes the result to the rules of the dialect.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Wildcard
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Extension, Ordering
from transpiler.language.selector.pattern import pattern_of
from transpiler.message.operand_types import OperandType
from transpiler.message.types import TRUTH_TEXT, UntypedText
from transpiler.reference.comparison import read_text
from transpiler.reference.operands import Value, body_text
from transpiler.reference.untyped import compared_by_use
from transpiler.tools.explanation.parts import Evaluation
from transpiler.tools.explanation.wording import (
    by_rules,
    kind_of,
    listed,
    missing,
    name_is,
    operand_text,
    quoted_part,
    subject,
    typed_text,
    value_text,
    verdict_text,
)

_HOLDS: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQ: op.eq,
    Comparison.NE: op.ne,
    Comparison.LT: op.lt,
    Comparison.LE: op.le,
    Comparison.GT: op.gt,
    Comparison.GE: op.ge,
}
_RELATIONS: Mapping[Comparison, str] = {
    Comparison.EQ: "equal to",
    Comparison.LT: "below",
    Comparison.LE: "at most",
    Comparison.GT: "above",
    Comparison.GE: "at least",
}

#: Maximum number of members of a list in a sentence, and maximum number of names with their values.
_MAX_MEMBERS, _MAX_NAMES = 4, 4


def leaf_fact(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return why ``node``, a condition without AND, OR and NOT, has its result."""
    verdict = evaluation.verdict(node)
    if verdict.thrown is not None:
        return _thrown(node, verdict.thrown, evaluation)
    match node:
        case ast.Compare():
            return _compare(node, evaluation)
        case ast.Between():
            return _between(node, evaluation)
        case ast.In():
            return _in(node, evaluation)
        case ast.Like():
            return _like(node, evaluation)
        case ast.IsNull(operand=operand):
            if evaluation.value(operand) is None:
                return _why_null(operand, evaluation)
            return name_is(operand, evaluation) + ("" if node.negated else ", not NULL")
        case ast.BodyQuery():
            return _body_query(node, evaluation)
        case _:
            return _bare(node, evaluation)


def _thrown(node: ast.Expression, thrown: str, evaluation: Evaluation) -> str:
    """Return why the evaluation of ``node`` throws: the innermost operand that throws, and the values it reads."""
    inner = _thrower(node, thrown, evaluation)
    values = _values_of(inner, evaluation)
    read = f"{values}, and " if values else ""
    return f"{read}{evaluation.dialect.title} ends in an error at {quoted_part(inner, evaluation)}: {thrown}"


def _thrower(node: ast.Expression, thrown: str, evaluation: Evaluation) -> ast.Expression:
    for child in ast.children(node):
        if evaluation.operand(child).thrown == thrown:
            return _thrower(child, thrown, evaluation)
    return node


def _why_null(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return why the operand ``node`` is NULL, naming the first of its own operands that is NULL."""
    match node:
        case ast.Identifier():
            return missing(node, evaluation)
        case ast.NullLiteral():
            return "NULL has no value"
        case ast.Sign() | ast.Calculate():
            return _why_no_number(node, evaluation)
        case ast.Call():
            return f"{quoted_part(node, evaluation)} has no value"
        case _:
            return f"{quoted_part(node, evaluation)} is unknown"


def _why_no_number(node: ast.Sign | ast.Calculate, evaluation: Evaluation) -> str:
    operands = [(operand, evaluation.value(operand)) for operand in ast.children(node)]
    for operand, value in operands:
        if value is None:
            return _why_null(operand, evaluation)
    divides = node.operator in (ast.Arithmetic.DIVIDE, ast.Arithmetic.REMAINDER)
    _, last = operands[-1]
    if divides and last is not None and last.numeric and last.value == 0:
        return f"{quoted_part(node, evaluation)} divides by zero"
    for operand, value in operands:
        if value is not None and not value.numeric:
            what = kind_of(value) if isinstance(operand, ast.LITERALS) else typed_text(value)
            return f"{subject(operand, evaluation)} is {what} and no number"
    return f"{quoted_part(node, evaluation)} has no value"


def _values_of(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the values of all names in ``node`` as text, with their kinds if these differ; empty if it has no name."""
    names = ast.names_of(node)
    if not names:
        return ""
    kinds = {kind_of(value) for name in names if (value := evaluation.value(name)) is not None}
    return listed([name_is(name, evaluation, typed=len(kinds) > 1) for name in names], _MAX_NAMES)


def _by_values(node: ast.Expression, evaluation: Evaluation, how: str = "so") -> str:
    """Return a clause such as "weight is 5, so `weight > 2` is TRUE", with ``how`` in place of "so".

    It has the values that ``node`` reads, and the result of ``node``.
    """
    values, verdict = _values_of(node, evaluation), verdict_text(node, evaluation)
    if not values:
        varies = any(isinstance(item, ast.Call | ast.BodyQuery) for item in ast.walk(node))
        return verdict if varies else f"{verdict} for any message"
    return f"{values}, {how} {verdict}"


def _by_rules(node: ast.Expression, evaluation: Evaluation) -> str:
    return _by_values(node, evaluation, f"and by the rules of {evaluation.dialect.title}")


def _null(node: ast.Expression, operand: ast.Expression, evaluation: Evaluation) -> str:
    """Return the sentence that explains the result of the condition ``node`` by ``operand``, which is NULL."""
    truth = evaluation.verdict(node).truth
    reason, part = _why_null(operand, evaluation), quoted_part(node, evaluation)
    if truth is None:
        return f"{reason}, so {part} is unknown"
    return f"{reason}, and by the rules of {evaluation.dialect.title} {part} is then {TRUTH_TEXT[truth]}"


def _bare(node: ast.Expression, evaluation: Evaluation) -> str:
    truth = evaluation.verdict(node).truth
    if not isinstance(node, ast.Identifier):
        return _by_values(node, evaluation)
    value = evaluation.value(node)
    if value is None:
        return _why_null(node, evaluation)
    if value.type is OperandType.BOOLEAN:
        return name_is(node, evaluation)
    if isinstance(value.value, UntypedText) and truth is not None:
        return f"{name_is(node, evaluation)}, read as {TRUTH_TEXT[truth]}"
    return f"{name_is(node, evaluation, typed=True)} and no boolean, so it is {TRUTH_TEXT[truth]} as a condition"


def _body_query(node: ast.BodyQuery, evaluation: Evaluation) -> str:
    if body_text(evaluation.message) is None:
        return f"the message has no body of text, so {quoted_part(node, evaluation)} is FALSE"
    satisfies = "satisfies" if evaluation.verdict(node).truth else "does not satisfy"
    return f"the body {satisfies} {quoted_part(node, evaluation)}"


class _Compared(NamedTuple):
    """A comparison of two operands that both have values. If one side is a literal, it is the right side here.

    ``first`` and ``second`` are the values as the comparison converts them.
    """

    node: ast.Compare
    left: ast.Expression
    operator: Comparison
    right: ast.Expression
    first: Value
    second: Value


def _compare(node: ast.Compare, evaluation: Evaluation) -> str:
    left, right, operator = node.left, node.right, node.operator
    for side in (left, right):
        if evaluation.value(side) is None:
            return _null(node, side, evaluation)
    if isinstance(left, ast.LITERALS):
        if isinstance(right, ast.LITERALS):
            return _by_values(node, evaluation)
        left, right, operator = right, left, operator.mirrored
    first, second = evaluation.value(left), evaluation.value(right)
    assert first is not None
    assert second is not None
    compared = _Compared(node, left, operator, right, *_as_read(operator, first, second, evaluation))
    if compared.first.type is compared.second.type or (compared.first.numeric and compared.second.numeric):
        return _compare_alike(compared, _reading(first, compared.first), evaluation)
    return _compare_unlike(compared, evaluation)


def _as_read(operator: Comparison, first: Value, second: Value, evaluation: Evaluation) -> tuple[Value, Value]:
    """Return ``first`` and ``second`` as the comparison ``operator`` converts them.

    A text whose original type is unknown is converted to the type of the other value. Under the selector's prefix
    ``convert_string_expressions:``, every string is converted so.
    """
    first, second = compared_by_use(operator, first, second, evaluation.dialect)
    if evaluation.convert and first.type is not second.type:
        if first.type is OperandType.STRING:
            first = read_text(str(first.value), second.type) or first
        elif second.type is OperandType.STRING:
            second = read_text(str(second.value), first.type) or second
    return first, second


def _reading(value: Value, read: Value) -> str:
    """Return a note that the comparison converts ``value`` to ``read``; empty if the two values are equal."""
    return "" if read.value == value.value else f", read as {typed_text(read)}"


def _compare_alike(compared: _Compared, reading: str, evaluation: Evaluation) -> str:
    node, left, operator, right, first, second = compared
    truth = evaluation.verdict(node).truth
    ordered = first.numeric or evaluation.dialect.ordering is not Ordering.FALSE
    if not operator.is_equality and not ordered:
        kind = {OperandType.STRING: "text", OperandType.BOOLEAN: "booleans"}.get(first.type, "bytes")
        fact = f"{name_is(left, evaluation)}, and {evaluation.dialect.title} has no order for {kind}"
        return f"{fact}, so {quoted_part(node, evaluation)} is FALSE"
    if first.type in (OperandType.BYTES, OperandType.ATOM) or _holds(operator, first, second) is not truth:
        return _unexpected(compared, evaluation)
    fact = name_is(left, evaluation) + reading
    if operator is Comparison.NE:
        if not truth:
            return f"{fact}, which {quoted_part(node, evaluation)} excludes"
        operator, truth = Comparison.EQ, False
    other = operand_text(right, evaluation)
    if operator is Comparison.EQ:
        if not truth:
            return f"{fact}, not {other}{_spelling(first, second)}"
        return fact if isinstance(right, ast.LITERALS) else f"{fact}, equal to {other}"
    return f"{fact}, {'' if truth else 'not '}{_RELATIONS[operator]} {other}"


def _holds(operator: Comparison, first: Value, second: Value) -> bool | None:
    """Return True if ``first`` and ``second`` are mathematically in the relation ``operator``, such as <.

    The broker's rules do not matter. Return None if the two values cannot be compared.
    """
    try:
        return bool(_HOLDS[operator](first.value, second.value))
    except TypeError:
        return None


def _spelling(first: Value, second: Value) -> str:
    """Return a note if the texts ``first`` and ``second`` differ only in case or surrounding blanks, else ""."""
    if not isinstance(first.value, str) or not isinstance(second.value, str):
        return ""
    if first.value.casefold() == second.value.casefold():
        return " (case counts)"
    return " (blanks count)" if first.value.strip() == second.value.strip() else ""


def _unexpected(compared: _Compared, evaluation: Evaluation) -> str:
    """Return the sentence for a result that the broker's rules make different from the mathematical one.

    It states both values with their types.
    """
    facts = []
    for side, value in ((compared.left, compared.first), (compared.right, compared.second)):
        name = "the literal" if isinstance(side, ast.LITERALS) else subject(side, evaluation)
        facts.append(f"{name} is {typed_text(value, width=True)}")
    return f"{' and '.join(facts)}, and {by_rules(compared.node, evaluation)}"


def _compare_unlike(compared: _Compared, evaluation: Evaluation) -> str:
    node, left, operator, right, first, second = compared
    truth = evaluation.verdict(node).truth
    fact = name_is(left, evaluation, typed=True)
    if not isinstance(right, ast.LITERALS):
        fact += f" and {name_is(right, evaluation, typed=True)}"
    mine, other = kind_of(first), kind_of(second)
    reads_text = evaluation.convert or isinstance(first.value, UntypedText) or isinstance(second.value, UntypedText)
    if OperandType.ATOM in (first.type, second.type) or mine == other or reads_text:
        return f"{fact}, and {by_rules(node, evaluation)}"
    if operator is Comparison.NE:
        if truth:
            return f"{fact}, which is always different from {other}"
        return f"{fact}; between {mine} and {other} even <> is FALSE"
    if truth:
        return f"{fact}, and by the rules of {evaluation.dialect.title} {mine} is {_RELATIONS[operator]} {other}"
    return f"{fact}; {mine} is never {_RELATIONS[operator]} {other}{_converted(first, second, evaluation)}"


def _converted(first: Value, second: Value, evaluation: Evaluation) -> str:
    """Return a note that the prefix ``convert_string_expressions:`` would convert the text in a comparison.

    ``first`` and ``second`` are the compared values. The result is empty if neither is a text that can be converted, or
    if the dialect does not have the prefix.
    """
    text, other = (first, second) if first.type is OperandType.STRING else (second, first)
    if not evaluation.dialect.has(Extension.CONVERT_STRINGS) or text.type is not OperandType.STRING:
        return ""
    read = read_text(str(text.value), other.type)
    return "" if read is None else "; with the prefix convert_string_expressions: the text is read as a number"


def _between(node: ast.Between, evaluation: Evaluation) -> str:
    parts = (node.operand, node.low, node.high)
    for part in parts:
        if evaluation.value(part) is None:
            # A BETWEEN with a NULL bound is unknown, unless the value already lies outside the other bound: then it is
            # FALSE.
            decided = evaluation.verdict(node).truth is not None
            return _by_values(node, evaluation) if decided else _null(node, part, evaluation)
    value, low, high = (evaluation.value(part) for part in parts)
    assert value is not None
    assert low is not None
    assert high is not None
    by_low, low = _as_read(Comparison.GE, value, low, evaluation)
    by_high, high = _as_read(Comparison.LE, value, high, evaluation)
    numbers = all(item.numeric for item in (low, high, by_low, by_high))
    if not numbers or isinstance(node.operand, ast.LITERALS):
        return _by_rules(node, evaluation)
    inside = _HOLDS[Comparison.GE](by_low.value, low.value) and _HOLDS[Comparison.LE](by_high.value, high.value)
    if (inside is not node.negated) is not evaluation.verdict(node).truth:
        return _by_rules(node, evaluation)
    bounds = f"between {operand_text(node.low, evaluation)} and {operand_text(node.high, evaluation)}"
    return f"{name_is(node.operand, evaluation)}{_reading(value, by_low)}, {'' if inside else 'not '}{bounds}"


def _in(node: ast.In, evaluation: Evaluation) -> str:
    value = evaluation.value(node.operand)
    if value is None:
        return _null(node, node.operand, evaluation)
    members = [member for one in node.members if (member := evaluation.value(one)) is not None]
    texts = [member.value for member in members if member.type is OperandType.STRING]
    if len(texts) < len(node.members) or isinstance(node.operand, ast.LITERALS):
        return _by_rules(node, evaluation)
    if value.type is not OperandType.STRING:
        return _no_text(node, evaluation)
    if ((value.value in texts) is not node.negated) is not evaluation.verdict(node).truth:
        return _by_rules(node, evaluation)
    fact = name_is(node.operand, evaluation)
    if value.value in texts:
        return f"{fact}, which {quoted_part(node, evaluation)} excludes" if node.negated else f"{fact}, one of the list"
    if len(texts) == 1:
        return f"{fact}, not {value_text(texts[0])}"
    note = next(filter(None, (_spelling(value, member) for member in members)), "")
    return f"{fact}, none of {listed([value_text(text) for text in texts], _MAX_MEMBERS)}{note}"


def _no_text(node: ast.In | ast.Like, evaluation: Evaluation) -> str:
    return f"{name_is(node.operand, evaluation, typed=True)} and no text, so {verdict_text(node, evaluation)}"


def _like(node: ast.Like, evaluation: Evaluation) -> str:
    truth, value = evaluation.verdict(node).truth, evaluation.value(node.operand)
    if value is None:
        return f"{_why_null(node.operand, evaluation)}, so {verdict_text(node, evaluation)}"
    if value.type is not OperandType.STRING:
        return _no_text(node, evaluation)
    fact = name_is(node.operand, evaluation)
    if truth is None:
        return f"{fact}, and {by_rules(node, evaluation)}"
    matched = truth is not node.negated
    relation = _pattern_words(node, str(value.value), matched, evaluation)
    if relation is None:
        relation = f"{'matches' if matched else 'does not match'} the pattern {value_text(node.pattern.value)}"
    excluded = f", and {quoted_part(node, evaluation)} excludes that" if matched and node.negated else ""
    return f"{fact}, which {relation}{excluded}"


class _PatternTest(NamedTuple):
    holds: Callable[[str, str], bool]
    positive: str
    negative: str


#: For simple LIKE patterns (the text T with % before or after it): the equivalent test and its wording.
_PATTERN_TESTS: Mapping[str, _PatternTest] = {
    "T": _PatternTest(op.eq, "is", "is not"),
    "T%": _PatternTest(str.startswith, "begins with", "does not begin with"),
    "%T": _PatternTest(str.endswith, "ends with", "does not end with"),
    "%T%": _PatternTest(op.contains, "contains", "does not contain"),
}


def _pattern_words(node: ast.Like, text: str, matched: bool, evaluation: Evaluation) -> str | None:
    """Return in words how ``text`` relates to the pattern of ``node``, such as "begins with" or "does not contain".

    ``matched`` is the result of the LIKE. Return None if the pattern is too complex for such words, or if they would
    contradict ``matched``.
    """
    pattern = pattern_of(node, evaluation.dialect.escapes)
    if pattern is None:
        return None
    shape = "".join(part.value if isinstance(part, Wildcard) else "T" for part in pattern) or "T"
    literal = next((part for part in pattern if isinstance(part, str)), "")
    test = _PATTERN_TESTS.get(shape)
    if test is None or test.holds(text, literal) is not matched:
        return None
    if matched:
        return f"{test.positive} {value_text(literal)}"
    note = " (case counts)" if test.holds(text.casefold(), literal.casefold()) else ""
    return f"{test.negative} {value_text(literal)}{note}"
