"""Better messages for common mistakes: a table of rules, each of which knows one wrong construct and its correction.

The parser and the lexer report where a text stops being a selector and what could stand there. Often that misleads: the
mistake is an operator of another language, or a quote, or a missing comma. The rules look at the words around the
place, in the order of the table, and the first that knows the mistake replaces the message. They run on the error
path only, and they never decide that a text is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.errors import SelectorSyntaxError
from transpiler.selector.dialects import Dialect
from transpiler.selector.foreign import (
    foreign_sign,
    quote_in_literal,
    select_or_where,
    unknown_operator,
    unknown_prefix,
    wrong_quotes,
)
from transpiler.selector.misplaced import (
    Mistake,
    argument_of_escape,
    argument_of_like,
    between_without_and,
    date_without_quotes,
    is_without_null,
    no_between,
    not_before_operator,
    null_as_operand,
    operator_in_parentheses,
    operator_without_operand,
)
from transpiler.selector.mistaken_lists import list_without_parentheses, member_of_list, misplaced_comma
from transpiler.selector.words import MAX_READ, Reading
from transpiler.source import Source

Rule = Callable[[Reading], Mistake | None]

#: The rules, the most specific first.
RULES: tuple[Rule, ...] = (
    unknown_prefix,
    date_without_quotes,
    select_or_where,
    operator_in_parentheses,
    argument_of_escape,
    argument_of_like,
    is_without_null,
    no_between,
    quote_in_literal,
    wrong_quotes,
    between_without_and,
    list_without_parentheses,
    member_of_list,
    unknown_operator,
    not_before_operator,
    misplaced_comma,
    null_as_operand,
    operator_without_operand,
    foreign_sign,
)

#: The codes of the parser's own findings, which have no hint yet.
_UNEXPECTED, _END = "syntax.unexpected-token", "syntax.unexpected-end"


def explained(error: SelectorSyntaxError, source: Source, dialect: Dialect, start: int) -> SelectorSyntaxError:
    """Return the error with the message and hint of the first rule that matches; else the error itself.

    ``start`` is the offset behind the selector's prefixes.
    """
    finding = error.diagnostics[0]
    # People write less than that by hand, and all its words are read.
    if finding.span is None or len(source.text) > MAX_READ:
        return error
    reading = Reading(source, dialect, start, finding.span.start)
    mistake = next((candidate for rule in RULES if (candidate := rule(reading)) is not None), None)
    if mistake is None:
        return error
    message, span, code = mistake.message or finding.message, mistake.span or finding.span, mistake.code
    if code is None and mistake.message is not None:
        code = _END if span.start == span.end else _UNEXPECTED
    better = replace(finding, message=message, span=span, code=code or finding.code, hint=mistake.hint or finding.hint)
    better = replace(better, fix=mistake.fix)
    return SelectorSyntaxError([better])
