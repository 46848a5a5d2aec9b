"""Limits of a selector, enforced on its tokens before a tree is built.

The tree's own limits are the dialect's; these are above them, and only for texts that go far beyond.
"""

from __future__ import annotations

from collections.abc import Iterator

from sly.lex import Token

from transpiler.errors import SelectorSyntaxError, UnsupportedFeatureError
from transpiler.selector.dialects import Dialect
from transpiler.selector.token_rewriting import then_raise
from transpiler.source import Source, Span

#: Parentheses that are open at once, by levels of the tree: most of those that people write add no level.
PARENTHESES = 10

_TERMS = frozenset("IDENTIFIER STRING INTEGER FLOAT BINARY SECTION NULL TRUE FALSE".split())
_PREFIXES = frozenset("NOT MINUS PLUS".split())


def too_deep(dialect: Dialect, source: Source, span: Span) -> UnsupportedFeatureError:
    """The error for a selector of more levels than recursive walkers, or Spark's own parser, could follow."""
    return UnsupportedFeatureError.at(
        "limit.nesting",
        f"the selector is nested more than {dialect.max_nesting} levels deep",
        source,
        span,
        "split it, or write long chains with AND, OR or IN",
    )


def too_many_terms(dialect: Dialect, source: Source, span: Span) -> UnsupportedFeatureError:
    """The error for a selector of more operands than Spark can compile."""
    return UnsupportedFeatureError.at(
        "limit.terms",
        f"the selector has more than {dialect.max_terms:,} names and literals",
        source,
        span,
        "split it into several selectors",
    )


def within_limits(tokens: Iterator[Token], dialect: Dialect, source: Source) -> Iterator[Token]:
    """Read all tokens and return them; raise ``UnsupportedFeatureError`` at the one that exceeds a limit.

    Where a text has no token its error comes behind those before it, of which the parser may refuse one.
    """
    read: list[Token] = []
    terms = opened = prefixes = 0
    try:
        for token in tokens:
            kind = token.type
            if kind in _TERMS:
                terms += 1
            elif kind == "LPAREN":
                opened += 1
            elif kind == "RPAREN":
                opened -= 1
            prefixes = prefixes + 1 if kind in _PREFIXES else 0
            if opened > PARENTHESES * dialect.max_nesting or prefixes > dialect.max_nesting + 1:
                raise too_deep(dialect, source, Span(token.index, token.end))
            # A term has an operand, an operator and a parenthesis or two.
            if terms > dialect.max_terms or len(read) > 5 * dialect.max_terms:
                raise too_many_terms(dialect, source, Span(token.index, token.end))
            read.append(token)
    except SelectorSyntaxError as error:
        return then_raise(read, error)
    return iter(read)
