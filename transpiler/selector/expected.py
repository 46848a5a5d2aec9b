"""What a person was about to write: the parser's legal next tokens in the words of the language.

The grammar knows which tokens may follow; it does not know that ``color = light blue`` lacks quotes. Both kinds of
knowledge meet here, and nowhere else.
"""

from __future__ import annotations

from typing import NamedTuple

from sly.lex import Token

from transpiler.selector.reserved import KEYWORDS
from transpiler.source import Source

_OPERAND_STARTS = {"IDENTIFIER", "LPAREN", "MINUS"}
_COMPARISONS = {"EQ", "NE", "LT", "LE", "GT", "GE"}
_RESERVED = set(KEYWORDS)


class Opened(NamedTuple):
    """An open parenthesis, and whether it is that of an IN list."""

    token: Token
    is_list: bool


def describe(legal: set[str], previous: Token | None, opened: Opened | None) -> str:
    """The legal next tokens, said briefly; ``opened`` is the innermost open parenthesis."""
    in_list = opened is not None and opened.is_list
    if legal >= _OPERAND_STARTS:
        if "NOT" in legal and previous is None:
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


def hint_for(previous: Token | None, token: Token | None, source: Source, opened: Opened | None) -> str | None:
    """What to do about it, where the two tokens at the error tell."""
    before = previous.type if previous is not None else None
    if token is None:
        if opened is not None and before not in _COMPARISONS:
            line, column = source.position(opened.token.index)
            return f"the parenthesis opened at {line}:{column} is never closed"
        return None
    found = source.text[token.index : token.end]
    match before, token.type:
        case ("AND", "AND") | ("OR", "OR"):
            return f"remove the second {found}"
        case ("AND", "OR") | ("OR", "AND"):
            return f"keep one of the two: {previous.type if previous else ''} or {token.type}"
        case _, "NULL" if before in _COMPARISONS:
            return "nothing equals NULL; write IS NULL or IS NOT NULL"
        case ("EQ", "LT") | ("EQ", "GT"):
            return f"write {found}="
        case ("LT" | "GT" | "LE" | "GE" | "NE", "EQ" | "LT" | "GT"):
            return "the comparison operators are =, <>, <, <=, > and >="
        case ("IDENTIFIER", "LPAREN"):
            return "JMS has no functions; the dialect activemq has REGEX, INLIST, MAKELIST, SPLIT and REPLACE"
        case ("IDENTIFIER", "STRING") if _text(previous, source).upper() in ("XPATH", "XQUERY"):
            return "JMS does not look into the body; the dialects activemq and artemis have XPATH"
        case ("IDENTIFIER", "IDENTIFIER"):
            return f"text goes into single quotes: '{_text(previous, source)} {found}'"
        case (("INTEGER" | "FLOAT"), "IDENTIFIER") | ("STRING", "IDENTIFIER" | "STRING"):
            return "join conditions with AND or OR; a quote inside a literal is written twice"
        case "LIKE" | "ESCAPE", "IDENTIFIER" | "INTEGER" | "FLOAT":
            return f"put it into single quotes: '{found}'"
        case "IN", _:
            return "write IN ('one', 'other')"
        case "IS", "IDENTIFIER":
            return "JMS tests for a missing property with IS NULL"
        case _, "RPAREN" if opened is None:
            return "no parenthesis is open here"
        case _, "EQ" | "NE" | "LT" | "LE" | "GT" | "GE" if before in (
            "IDENTIFIER",
            "INTEGER",
            "FLOAT",
            "STRING",
        ):
            return "comparisons do not chain; join two of them with AND, or put the first into parentheses"
        case _, kind if kind in _RESERVED and kind not in ("AND", "OR"):
            return f"{found} is a reserved word and cannot be the name of a property"
        case _:
            return None


def _text(token: Token | None, source: Source) -> str:
    return source.text[token.index : token.end] if token is not None else ""
