"""The differences between the dialects, read from their records: each field is a question, and its value the answer.

The rule that makes two dialects differ on a condition is determined by experiment: one dialect gets the other's answer
to one question at a time, and the question with which both agree is the rule. No code here is specific to a broker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from transpiler.language.selector.dialect_rules import Extension
from transpiler.language.selector.dialects import Dialect
from transpiler.message.header_fields import HeaderFields
from transpiler.message.operand_types import OperandTypes

#: A question in words for each field of ``Dialect``, in the order of docs/dialects.md: first the syntax, then the
#: meaning.
QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        "max_length": "characters of a selector, at most",
        "max_tokens": "words and signs, at most",
        "blank_is_no_selector": "an empty or blank selector selects every message",
        "identifiers": "names",
        "double_quotes": "text in double quotes",
        "reserved_words": "reserved words",
        "comments": "`--` and `/* */`",
        "numeric_literals": "numeric literals",
        "extensions": "constructs beyond the standard",
        "not_binding": "NOT binds",
        "associativity": "of two arithmetic operators in a row, first comes",
        "signs": "a sign stands before",
        "unary_plus": "a unary plus is",
        "static_typing": "operands are checked",
        "in_operand_form": "on the left of IN",
        "list_member": "in the list of IN",
        "like_operand_form": "on the left of LIKE",
        "null_operand_form": "on the left of IS NULL",
        "escapes": "ESCAPE",
        "types": "types of properties",
        "fields": "names of header fields",
        "logic": "AND and OR with unknown",
        "evaluation": "evaluated are",
        "null_equality": "`=` with NULL",
        "unlike_types": "comparison of unlike types",
        "numeric_promotion": "numbers of two types compare",
        "float_order": "NaN and -0.0",
        "ordering": "`<` on what is no number",
        "integer_arithmetic": "integers have",
        "division": "`/`",
        "remainder": "`%`",
        "not_numbers": "arithmetic on what is no number",
        "bare_name": "a name that is no boolean, as a condition",
        "between_meaning": "BETWEEN",
        "like_not_string": "LIKE on what is no string",
        "in_not_string": "IN on what is no string",
        "wildcards": "`_` and `%` stand for",
        "on_throw": "where the evaluation throws",
    }
)


def answer(value: object) -> str:
    """Describe ``value``, the value of a dialect's field, in words."""
    match value:
        case Extension():
            names = [item.name.lower().replace("_", " ") for item in Extension if item in value and item.name]
            return ", ".join(names) or "none"
        case Enum():
            return str(value.value)
        case bool():
            return "yes" if value else "no"
        case OperandTypes():
            kinds = sorted({kind.value for kind in value.table.values()})
            thrown = sorted(amqp.value for amqp in value.throws)
            return ", ".join(kinds) + (f"; {' and '.join(thrown)} throw" if thrown else "")
        case HeaderFields():
            return "the table below"
        case None:
            return "no limit"
        case "":
            return "it never does"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


#: The fields of ``Dialect`` that are tried last as an explanation of a difference, because one of them explains almost
#: every difference.
_BROAD = ("logic", "evaluation", "types", "fields")
_TRIED = (*(name for name in QUESTIONS if name not in (*_BROAD, "on_throw")), *_BROAD)


class Rule(NamedTuple):
    """A rule on which two dialects differ, as a question with the answers of both dialects.

    ``name`` is the field of ``Dialect`` that holds the rule; None if several rules differ together.
    """

    name: str | None
    question: str
    answers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.question}: {'; '.join(self.answers)}" if self.answers else self.question


def find_rule(left: Dialect, right: Dialect, agree: Callable[[Dialect, Dialect], bool]) -> str | None:
    """Return the name of the first dialect field that explains why two dialects differ; None if no single field does.

    For each field, one dialect is given the value of the other dialect. The field explains the difference if
    ``agree(left, right)`` then returns True.
    """
    for name in _TRIED:
        own, other = getattr(left, name), getattr(right, name)
        if own != other and (
            agree(replace(left, **{name: other}), right) or agree(left, replace(right, **{name: own}))
        ):
            return name
    return None


def rule_of(name: str, left: Dialect, right: Dialect) -> Rule:
    """Return the rule called ``name`` (a field of ``Dialect``), with its question and the answers of both dialects."""
    answers = [f"{answer(getattr(dialect, name))} in {dialect.title}" for dialect in (left, right)]
    return Rule(name, QUESTIONS[name], (", ".join(answers),))
