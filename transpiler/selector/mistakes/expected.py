"""The parser's legal next tokens in the words of the language."""

from __future__ import annotations

from transpiler.selector.mistakes.words import Reading

_OPERAND_STARTS = {"IDENTIFIER", "LPAREN", "MINUS"}


def describe(legal: set[str], reading: Reading) -> str:
    """Describe the legal next tokens briefly."""
    opened = reading.opened
    in_list = opened is not None and reading.at(opened - 1).key == "IN"
    if legal >= _OPERAND_STARTS:
        return "a condition" if "NOT" in legal and reading.place == 0 else "an operand"
    if legal == {"STRING"}:
        return "a string literal"
    if "LIKE" in legal and "EQ" not in legal:
        return "LIKE, IN or BETWEEN"
    if legal == {"LPAREN"}:
        return "a list in parentheses"
    if legal <= {"NULL", "NOT"}:
        return "NULL or NOT NULL" if "NOT" in legal else "NULL"
    if "AND" in legal and "OR" not in legal:
        return "AND and the upper bound"
    parts = ["a comparison"] if "EQ" in legal and not in_list else []
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
