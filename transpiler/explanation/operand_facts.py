"""Sentences about operands: why one is NULL, where the broker throws, and the values that a condition reads."""

from __future__ import annotations

from transpiler.explanation.parts import Evaluation
from transpiler.explanation.wording import kind_of, listed, missing, name_is, quoted_part, subject, typed_text
from transpiler.message.types import TRUTH_TEXT
from transpiler.selector import ast

#: Names whose values one sentence has.
_MAX_NAMES = 4


def why_null(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return why an operand is NULL, by the first of its own operands that is; the operand is NULL."""
    match node:
        case ast.Identifier():
            return missing(node, evaluation)
        case ast.NullLiteral():
            return "NULL has no value"
        case ast.Sign(operand=operand) | ast.Calculate(left=operand) if evaluation.value(operand) is None:
            return why_null(operand, evaluation)
        case ast.Calculate(right=operand) if evaluation.value(operand) is None:
            return why_null(operand, evaluation)
        case ast.Calculate(operator=operator, right=right) if _is_zero(right, evaluation) and not operator.is_sum:
            if operator is not ast.Arithmetic.MULTIPLY:
                return f"{quoted_part(node, evaluation)} divides by zero"
        case _:
            pass
    wrong = _not_number(node, evaluation)
    if wrong is not None:
        return f"{wrong} and no number"
    if isinstance(node, ast.Sign | ast.Calculate | ast.Call):
        return f"{quoted_part(node, evaluation)} has no value"
    return f"{quoted_part(node, evaluation)} is unknown"


def _is_zero(node: ast.Expression, evaluation: Evaluation) -> bool:
    value = evaluation.value(node)
    return value is not None and value.numeric and value.value == 0


def _not_number(node: ast.Expression, evaluation: Evaluation) -> str | None:
    """Return what the first operand of arithmetic is that is no number."""
    if not isinstance(node, ast.Sign | ast.Calculate):
        return None
    for operand in ast.children(node):
        value = evaluation.value(operand)
        if value is not None and not value.numeric:
            what = kind_of(value) if isinstance(operand, ast.LITERALS) else typed_text(value)
            return f"{subject(operand, evaluation)} is {what}"
    return None


def thrown_fact(node: ast.Expression, thrown: str, evaluation: Evaluation) -> str:
    """Return with what the broker ends at a condition: the innermost operand that throws, and the values it reads."""
    inner = _thrower(node, thrown, evaluation)
    values = values_of(inner, evaluation)
    read = f"{values}, and " if values else ""
    return f"{read}{evaluation.dialect.title} ends in an error at {quoted_part(inner, evaluation)}: {thrown}"


def _thrower(node: ast.Expression, thrown: str, evaluation: Evaluation) -> ast.Expression:
    for child in ast.children(node):
        if evaluation.operand(child).thrown == thrown:
            return _thrower(child, thrown, evaluation)
    return node


def identifiers(node: ast.Expression) -> list[ast.Identifier]:
    """Return the names in a condition, each once, in the order of the text."""
    names = {(item.section, item.name): item for item in ast.walk(node) if isinstance(item, ast.Identifier)}
    return list(names.values())


def values_of(node: ast.Expression, evaluation: Evaluation) -> str:
    """Return the values of all names in a part, with their kinds where these differ; empty where it has none."""
    names = identifiers(node)
    if not names:
        return ""
    kinds = {kind_of(value) for name in names if (value := evaluation.value(name)) is not None}
    return listed([name_is(name, evaluation, typed=len(kinds) > 1) for name in names], _MAX_NAMES)


def by_values(node: ast.Expression, evaluation: Evaluation, *, rule: str | None = None) -> str:
    """Return the values that a condition reads and its verdict; ``rule`` says by what they lead there."""
    part, truth = quoted_part(node, evaluation), TRUTH_TEXT[evaluation.verdict(node).truth]
    values = values_of(node, evaluation)
    if not values:
        varies = any(isinstance(item, ast.Call | ast.BodyQuery) for item in ast.walk(node))
        return f"{part} is {truth}" if varies else f"{part} is {truth} for any message"
    return f"{values}, {'so' if rule is None else f'and {rule}'} {part} is {truth}"
