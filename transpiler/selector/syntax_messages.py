"""The parser's legal next tokens in the words of the language, and hints that any two words at an error give.

Mistakes that need more of the text than two words have rules of their own in ``mistakes``.
"""

from __future__ import annotations

from typing import NamedTuple

from sly.lex import Token

from transpiler.selector.dialect_rules import Extension
from transpiler.selector.words import COMPARISONS, Reading

_OPERAND_STARTS = {"IDENTIFIER", "LPAREN", "MINUS"}


class Opened(NamedTuple):
    """An open parenthesis, and whether it is that of an IN list."""

    token: Token
    is_list: bool


def describe(legal: set[str], at_start: bool, opened: Opened | None) -> str:
    """Describe the legal next tokens briefly; ``opened`` is the innermost open parenthesis."""
    in_list = opened is not None and opened.is_list
    if legal >= _OPERAND_STARTS:
        if "NOT" in legal and at_start:
            return "a condition"
        return "an operand"
    if legal == {"STRING"}:
        return "a string literal"
    parts = []
    if "LIKE" in legal and "EQ" not in legal:
        return "LIKE, IN or BETWEEN"
    if legal == {"LPAREN"}:
        return "a list in parentheses"
    if legal <= {"NULL", "NOT"}:
        return "NULL or NOT NULL" if "NOT" in legal else "NULL"
    if "EQ" in legal and not in_list:
        parts.append("a comparison")
    if "AND" in legal and "OR" not in legal:
        return "AND and the upper bound"
    if in_list:
        parts.append("a comma")
    elif "OR" in legal:
        parts.append("AND, OR")
    if opened is not None:
        parts.append("a closing parenthesis")
    elif "$end" in legal:
        parts.append("the end")
    if not parts:
        parts.append("an operator")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def hint_for(reading: Reading, legal: set[str], opened: Opened | None) -> str | None:
    """Return the hint for the two words at the error; None if there is none."""
    place, title = reading.place, reading.dialect.title
    previous, word = reading.at(place - 1), reading.at(place)
    before = previous.key or previous.kind
    if word.kind == "end":
        if opened is not None and before not in COMPARISONS:
            line, column = reading.source.position(opened.token.index)
            return f"the parenthesis opened at {line}:{column} is never closed"
        if before in ("AND", "OR", "NOT"):
            start = reading.operand_before(place - 1)
            bounded = before == "AND" and start is not None and reading.at(start - 1).key == "BETWEEN"
            return "write the upper bound behind it" if bounded else "write a condition behind it"
        return "write a value behind it" if legal >= _OPERAND_STARTS else None
    text = word.text
    match before, word.key or word.kind:
        case ("AND", "AND") | ("OR", "OR"):
            return f"remove the second {text}"
        case ("AND", "OR") | ("OR", "AND"):
            return f"keep one of the two: {before} or {word.key}"
        case ("end" | "open", "AND" | "OR"):
            return f"remove the {text}, or write a condition before it"
        case _, "=>" | "=<":
            return f"write {text[1]}="
        case ("<" | ">" | "<=" | ">=" | "<>" | "=", sign) if sign in COMPARISONS:
            if before == sign:
                return f"remove the second {sign}"
            joined = before + sign
            return f"write {joined} without a space" if joined in COMPARISONS else f"write one of {before} and {sign}"
        case _, sign if sign[:1] in "<>=" and word.kind == "operator" and sign not in COMPARISONS:
            return "the comparison operators are =, <>, <, <=, > and >="
        case ("name" | "number" | "string" | "close", _) if word.kind == "close" and opened is None:
            return "no parenthesis is open here; remove it"
        case _, "open" if previous.kind == "name" and previous.key:
            names = "REGEX, INLIST, MAKELIST, SPLIT and REPLACE"
            own = "has no function but UTC()" if reading.dialect.has(Extension.UTC) else "has no functions"
            return f"{title} {own}; the dialect activemq has {names}"
        case ("XPATH" | "XQUERY", "string"):
            return f"{title} does not look into the body; the dialects activemq and artemis have XPATH"
        case _, "close" if opened is None:
            return "no parenthesis is open here; remove it"
        case _, sign if sign in COMPARISONS and reading.ends_operand(place - 1):
            return "comparisons do not chain; join two of them with AND, or put the first into parentheses"
        case _ if reading.ends_operand(place - 1) and reading.begins_operand(place) and word.kind != "operator":
            return "join conditions with AND or OR; a quote inside a literal is written twice"
        case _, key if word.kind == "keyword" and key not in ("AND", "OR") and legal >= _OPERAND_STARTS:
            return f"{text} is a reserved word and cannot be the name of a property"
        case _:
            return None
