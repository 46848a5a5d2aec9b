"""Messages for texts that are no selectors: what is wrong, where, and the user's text corrected.

The idea: lexer and parser say only where a text stops being a selector and what could stand there. Often that
misleads: the mistake is an operator of another language, or a quote, or a missing comma. So the text is scanned once
more, leniently (``words``), and a table of patterns over its words (``table``) is tried in order; the first that
matches replaces the message.

Invariants: this runs after a failure only, in linear time, and never decides that a text is wrong.

In reading order: ``words``, ``expected``, ``word_patterns``, ``table``, ``special``.
"""

from __future__ import annotations

from transpiler.diagnostics import Diagnostic
from transpiler.errors import SelectorSyntaxError
from transpiler.selector.dialects import Dialect
from transpiler.selector.lr_driver import UnexpectedTokenError
from transpiler.selector.mistakes.expected import describe
from transpiler.selector.mistakes.table import HINTS, RULES
from transpiler.selector.mistakes.words import Reading, brief
from transpiler.source import Source


def explain(
    failure: SelectorSyntaxError | UnexpectedTokenError,
    source: Source,
    dialect: Dialect,
    start: int,
    misspelled: SelectorSyntaxError | None,
) -> SelectorSyntaxError:
    """Return the error for a failure of the lexer or of the parser.

    ``start`` is the offset behind the selector's prefixes. ``misspelled`` is the error for an earlier reserved word in
    lower case, which counts where no mistake is known that would be left in upper case.
    """
    if isinstance(failure, UnexpectedTokenError):
        index = failure.span.start if failure.span else len(source.text)
        reading = Reading(source, dialect, start, index)
        finding = _unexpected(failure, reading)
    else:
        finding = failure.diagnostics[0]
        assert finding.span is not None
        reading = Reading(source, dialect, start, finding.span.start)
    better = next((found for rule in RULES if (found := rule(reading, finding))), None)
    if better is None and misspelled is not None:
        return misspelled
    if better is None and isinstance(failure, UnexpectedTokenError):
        better = next((found for hint in HINTS if (found := hint(reading, finding))), None)
    return SelectorSyntaxError([better or finding])


def _unexpected(failure: UnexpectedTokenError, reading: Reading) -> Diagnostic:
    """Return the parser's finding: the expected tokens, the word before them, and the actual word."""
    word, previous, source = reading.at(reading.place), reading.at(reading.place - 1), reading.source
    # A token without width stands at the word that it was made for.
    span = failure.span if failure.span and failure.span.start < failure.span.end else word.span
    # An error may lie within a word, at the second sign of two.
    before = source.text[word.start : span.start] or previous.text
    expected = describe(failure.legal, reading)
    after = f" after {brief(before)}" if before else ""
    found = reading.found(reading.place) if word.kind == "end" else f"found {brief(source.text[slice(*span)])}"
    code = "syntax.unexpected-end" if word.kind == "end" else "syntax.unexpected-token"
    return Diagnostic(code, "error", f"expected {expected}{after}, {found}", source, span)
