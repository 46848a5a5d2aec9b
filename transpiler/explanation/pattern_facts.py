"""Sentences about LIKE: what a pattern asks of a text, in words where it begins, ends or holds one text."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import NamedTuple

from transpiler.explanation.operand_facts import why_null
from transpiler.explanation.parts import Evaluation
from transpiler.explanation.wording import name_is, quoted_part, value_text
from transpiler.message.operand_types import OperandType
from transpiler.message.types import TRUTH_TEXT
from transpiler.selector import ast
from transpiler.selector.pattern import PatternError, Wildcard, read_pattern


def like_fact(node: ast.Like, evaluation: Evaluation) -> str:
    """Return why a LIKE that does not throw has its verdict."""
    truth, value = evaluation.verdict(node).truth, evaluation.value(node.operand)
    part = quoted_part(node, evaluation)
    if value is None:
        return f"{why_null(node.operand, evaluation)}, so {part} is {TRUTH_TEXT[truth]}"
    if value.type is not OperandType.STRING:
        fact = name_is(node.operand, evaluation, typed=True)
        return f"{fact} and no text, so {part} is {TRUTH_TEXT[truth]}"
    fact = name_is(node.operand, evaluation)
    if truth is None:
        return f"{fact}, and by the rules of {evaluation.dialect.title} {part} is unknown"
    matched = truth is not node.negated
    said = _words(node, str(value.value), matched, evaluation)
    if said is None:
        said = f"{'matches' if matched else 'does not match'} the pattern {value_text(node.pattern.value)}"
    excluded = f", and {part} excludes that" if matched and node.negated else ""
    return f"{fact}, which {said}{excluded}"


class _Test(NamedTuple):
    holds: Callable[[str, str], bool]
    positive: str
    negative: str


#: Patterns of one text, T, between wildcards.
_TESTS: Mapping[str, _Test] = {
    "T": _Test(operator.eq, "is", "is not"),
    "T%": _Test(str.startswith, "begins with", "does not begin with"),
    "%T": _Test(str.endswith, "ends with", "does not end with"),
    "%T%": _Test(operator.contains, "contains", "does not contain"),
}


def _words(node: ast.Like, text: str, matched: bool, evaluation: Evaluation) -> str | None:
    """Return a pattern of one text in words; None for any other, or where the words would not be true of the text."""
    try:
        escape = node.escape.value if node.escape is not None else None
        pattern = read_pattern(node.pattern.value, escape, evaluation.dialect.escapes)
    except PatternError:
        return None
    shape = "".join(part.value if isinstance(part, Wildcard) else "T" for part in pattern) or "T"
    literal = next((part for part in pattern if isinstance(part, str)), "")
    test = _TESTS.get(shape)
    if test is None or test.holds(text, literal) is not matched:
        return None
    if matched:
        return f"{test.positive} {value_text(literal)}"
    note = " (case counts)" if test.holds(text.casefold(), literal.casefold()) else ""
    return f"{test.negative} {value_text(literal)}{note}"
