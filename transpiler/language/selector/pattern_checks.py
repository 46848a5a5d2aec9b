"""Checks of LIKE after parsing: the operand of ESCAPE, and the pattern.

These checks are a module of their own because a selector without LIKE does not load the patterns.
"""

from __future__ import annotations

from transpiler.base.diagnostics import Fix
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Escapes, Wildcards
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.lexer import is_control
from transpiler.language.selector.pattern import PatternError, read_pattern
from transpiler.language.selector.static_typing import Report


def check_pattern(node: ast.Like, dialect: Dialect, source: Source, report: Report) -> None:
    """Report an invalid LIKE pattern, or an ESCAPE that the dialect rejects."""
    escape, rule = node.escape, dialect.escapes
    if escape is not None and not _is_escape(escape.value, rule):
        message = f"ESCAPE requires {_ESCAPE_FORMS[rule]}, not {len(escape.value)}"
        if rule is not Escapes.ONE_CODE_POINT:
            message = f"ESCAPE in {dialect.title} requires {_ESCAPE_FORMS[rule]}"
        report("syntax.escape", message, escape.span, "perhaps ESCAPE '!'", None)
        return
    try:
        parts = read_pattern(node.pattern.value, escape.value if escape else None, rule)
    except PatternError as error:
        _refused_pattern(node, error, source, report)
        return
    texts = (part for part in parts if isinstance(part, str))
    if dialect.wildcards is Wildcards.LINES and any(any(map(is_control, text)) for text in texts):
        message = f"a pattern in {dialect.title} must not contain control characters"
        report("syntax.pattern", message, node.pattern.span, "perhaps compare with =, which accepts any text", None)


def _refused_pattern(node: ast.Like, error: PatternError, source: Source, report: Report) -> None:
    """Report ``error``, an invalid LIKE pattern in ``node``, at the position of the invalid character in ``source``.

    Each quote is doubled in the source, but counts once in the offset of the error.
    """
    value, written = node.pattern.value, source.text[node.pattern.span.start : node.pattern.span.end]
    begin = node.pattern.span.start
    quote = written[:1] if written[:1] in ("'", '"') else ""
    offset = error.offset + value.count(quote, 0, error.offset) if quote else error.offset
    span = Span(begin + len(quote) + offset, begin + len(quote) + offset + 1)
    hint, fix = None, None
    if node.escape is not None and value[error.offset :] == node.escape.value:
        hint = "write the escape character twice to match the character itself"
        fix = Fix(node.escape.value * 2, span=span)
    report("syntax.pattern", str(error), span, hint, fix)


#: For each rule about ESCAPE, a description of the valid operands for error messages.
_ESCAPE_FORMS = {
    Escapes.ONE_CODE_POINT: "one character in quotes",
    Escapes.BEFORE_WILDCARDS: "one character in quotes, of the Basic Multilingual Plane",
    Escapes.AFTER_COLLAPSE: "one character in quotes, of the Basic Multilingual Plane",
    Escapes.VANISHING: "one ASCII character in quotes, no % and no _",
    Escapes.LITERAL_AT_END: "one ASCII character in quotes",
}


def _is_escape(text: str, rule: Escapes) -> bool:
    match rule:
        case Escapes.ONE_CODE_POINT:
            return len(text) == 1
        case Escapes.BEFORE_WILDCARDS | Escapes.AFTER_COLLAPSE:
            return len(text) == 1 and ord(text) <= 0xFFFF
        case Escapes.VANISHING:
            return len(text.encode()) <= 1 and text not in ("%", "_")
        case Escapes.LITERAL_AT_END:
            return len(text.encode()) == 1
