"""Error messages for invalid selectors: what is wrong, where, and a correction of the user's text.

The idea: lexer and parser report only the position of the first error and the tokens that would be legal there. That is
often misleading, because the mistake is an operator of another language, a wrong quote or a missing comma. So this
package scans the text again leniently (``words``) and tries a table of patterns over its words (``table``) in order.
The first pattern that matches replaces the message.

Invariants: this code runs only after a failure, in linear time, and never decides whether a text is valid. If a hint
contains a text to write, that text is the fix of the diagnostic, and the corrected text parses or fails at a later
position. Other hints state facts or begin with "perhaps".

In reading order: ``words``, ``found_in_text``, ``word_patterns``, ``copied``, ``corrections``, ``table``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.errors import SelectorSyntaxError
from transpiler.base.source import Source
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.grammar import UnexpectedTokenError
from transpiler.language.selector.mistakes.table import HINTS, RULES
from transpiler.language.selector.mistakes.words import Reading, brief

_OPERAND_STARTS = {"IDENTIFIER", "LPAREN", "MINUS"}


def explain(
    failure: SelectorSyntaxError | UnexpectedTokenError,
    source: Source,
    dialect: Dialect,
    start: int,
    misspelled: SelectorSyntaxError | None,
    fails_at: Callable[[str], int | None],
) -> SelectorSyntaxError:
    """Return a better error for ``failure``, an error of the lexer or of the parser.

    ``start`` is the offset after the selector's prefixes. ``misspelled`` is the error for an earlier reserved word in
    lower case, which is used if no rule matches. ``fails_at`` returns the offset of the first syntax error in a text,
    or None. A fix is dropped unless it moves the first error closer to the end of the text.
    """
    if isinstance(failure, UnexpectedTokenError):
        index = failure.span.start if failure.span else len(source.text)
        reading = Reading(source, dialect, start, index)
        finding = _unexpected(failure, reading)
    else:
        finding = failure.diagnostics[0]
        assert finding.span is not None
        index = finding.span.start
        reading = Reading(source, dialect, start, index)
    better = next((found for rule in RULES if (found := rule(reading, finding))), None)
    if better is None and misspelled is not None:
        return misspelled
    if better is None and isinstance(failure, UnexpectedTokenError):
        better = next((found for hint in HINTS if (found := hint(reading, finding))), None)
    return SelectorSyntaxError([_followed(better or finding, source, index, fails_at)])


def _followed(finding: Diagnostic, source: Source, index: int, fails_at: Callable[[str], int | None]) -> Diagnostic:
    """Return ``finding``, without its fix if the fixed text still fails at the same position or earlier.

    ``index`` is the offset of the error in ``source``. ``fails_at`` returns the offset of the first error in a text, or
    None.
    """
    if not isinstance(finding.fix, Fix):
        return finding
    changed = finding.fix.apply(source.text)
    failure = fails_at(changed)
    if failure is None or len(changed) - failure < len(source.text) - index:
        return finding
    return replace(finding, fix=None)


def _unexpected(failure: UnexpectedTokenError, reading: Reading) -> Diagnostic:
    """Return the diagnostic for a token that the parser rejects: ``expected X after Y, found Z``."""
    word, previous, source = reading.at(reading.position), reading.at(reading.position - 1), reading.source
    # A parenthesis that ``token_rewriting`` inserted has no width, so report the word that follows it.
    span = failure.span if failure.span and failure.span.start < failure.span.end else word.span
    # If the parser failed inside a word, the text before the error is the beginning of this word. Otherwise it is the
    # previous word.
    before = source.text[word.start : span.start] or previous.text
    expected = _described(failure.legal, reading)
    after = f" after {brief(before)}" if before else ""
    found = reading.found(reading.position) if word.kind == "end" else f"found {brief(source.text[slice(*span)])}"
    code = "syntax.unexpected-end" if word.kind == "end" else "syntax.unexpected-token"
    return Diagnostic(code, "error", f"expected {expected}{after}, {found}", source, span)


def _described(legal: set[str], reading: Reading) -> str:
    """Return a phrase such as "an operand" for ``legal``, the token types that the parser would accept."""
    opened = reading.opened
    in_list = opened is not None and reading.at(opened - 1).key == "IN"
    if legal >= _OPERAND_STARTS:
        return "a condition" if "NOT" in legal and reading.position == 0 else "an operand"
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
