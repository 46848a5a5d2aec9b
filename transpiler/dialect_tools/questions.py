"""The differences between the dialects, read from their records: each field is a question, and its value the answer.

Nothing here knows a broker.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from transpiler.message.header_fields import HeaderFields
from transpiler.message.operand_types import OperandTypes
from transpiler.selector.dialect_rules import Extension

#: Each field of the record as a question, in the order of the page: first how text reads, then what it means.
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
        "operand_kinds": "operands are checked",
        "in_operand": "on the left of IN",
        "in_member": "in the list of IN",
        "like_operand": "on the left of LIKE",
        "null_operand": "on the left of IS NULL",
        "escapes": "ESCAPE",
        "types": "types of properties",
        "fields": "names of header fields",
        "logic": "AND and OR with unknown",
        "evaluation": "evaluated are",
        "null_equality": "`=` with NULL",
        "unlike_types": "comparison of unlike types",
        "type_ladder": "numbers of two types compare",
        "float_order": "NaN and -0.0",
        "ordering": "`<` on what is no number",
        "integer_arithmetic": "integers have",
        "division": "`/`",
        "remainder": "`%`",
        "not_numbers": "arithmetic on what is no number",
        "bare_name": "a name that is no boolean, as a condition",
        "between": "BETWEEN",
        "like_not_string": "LIKE on what is no string",
        "in_not_string": "IN on what is no string",
        "wildcards": "`_` and `%` stand for",
        "on_throw": "where the evaluation throws",
    }
)


def answer(value: object) -> str:
    """Describe the value of a field in words."""
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
