"""Parser from a selector's text to its checked surface tree, within the limits of its dialect.

The dialect limits the size of a tree. The limits on tokens are larger; they stop texts far beyond the dialect's limits
before a tree is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial

from sly.lex import Token

from transpiler.base.arguments import renamed, unexpected
from transpiler.base.errors import SelectorSyntaxError, TranspilerError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.checks import check
from transpiler.language.selector.dialect_rules import PREFIXES, DoubleQuotes, Extension
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.grammar import SelectorParser, UnexpectedTokenError
from transpiler.language.selector.lexer import SelectorLexer, then_raise

#: Number of open parentheses that are allowed for each level of ``max_nesting``. Most parentheses do not add a level to
#: the tree.
PARENTHESES = 10

#: Maximum number of trees in the cache, and maximum length of a selector whose tree is cached, in characters.
KEPT_TREES, KEPT_LENGTH = 256, 10_000

_TERMS = frozenset("IDENTIFIER STRING INTEGER FLOAT BINARY SECTION NULL TRUE FALSE".split())
_SIGNS = frozenset("NOT MINUS PLUS".split())


#: A selector: its text, a tree from ``parse_selector``, or None, which selects every message.
SelectorLike = str | ast.Expression | None


@renamed("text", "selector")
def parse_selector(selector: SelectorLike, dialect: str | Dialect = "jms") -> ast.Expression | None:
    """Parse a selector into its surface tree, and check the tree.

    Args:
        selector: The text of a selector, or a parsed tree, which is checked under the rules of ``dialect``. The spans
            of the returned tree are then positions in the tree's canonical text.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        The tree; None for an empty or blank selector, which selects every message.

    Raises:
        SelectorSyntaxError: The text is not a selector.
        SelectorTypeError: An operator has an operand of a type that the operator does not accept.
        UnsupportedFeatureError: The dialect has no such construct, or the selector exceeds a limit.
    """
    rules = find_dialect(dialect)
    text = selector_text(selector, rules)
    if text is None:
        return None
    return _parsed_before(text, rules) if len(text) <= KEPT_LENGTH else _parsed(text, rules)


def selector_text(selector: SelectorLike, dialect: Dialect) -> str | None:
    """Return ``selector`` if it is a text or None, or the canonical text of a tree.

    Raises ``TypeError`` for any other type.
    """
    if selector is None or isinstance(selector, str):
        return selector
    if not isinstance(selector, ast.Expression):
        raise unexpected("selector", "text, or the tree that parse_selector returns", selector)
    # Imported here because only trees have to be printed, and most selectors are text.
    from transpiler.language.selector.printer import print_tree

    return print_tree(selector, dialect)


@renamed("tree", "selector")
def print_selector(selector: SelectorLike, dialect: str | Dialect = "jms") -> str:
    """Return the canonical text of ``selector``, with uniform spelling and without superfluous parentheses.

    Args:
        selector: A parsed tree, or text, which is parsed first.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        The text, which parses to an equal tree in the same dialect; an empty string for None and for a blank selector.

    Raises:
        TranspilerError: Any error of ``parse_selector`` if ``selector`` is text.
    """
    rules = find_dialect(dialect)
    tree = parse_selector(selector, rules) if isinstance(selector, str) else selector
    return selector_text(tree, rules) or ""


def _parsed(text: str, dialect: Dialect) -> ast.Expression | None:
    tree = parse_tree(text, dialect)
    if tree is not None:
        check(tree, Source(text), dialect)
    return tree


#: ``_parsed`` with a cache. Trees are immutable, so equal texts can share one tree.
_parsed_before = lru_cache(maxsize=KEPT_TREES)(_parsed)


def parse_tree(text: str, dialect: Dialect) -> ast.Expression | None:
    """Parse ``text`` into its surface tree, without the checks of ``check``; return None if it is empty or blank.

    Raises ``SelectorSyntaxError`` if the grammar rejects the text, and ``UnsupportedFeatureError`` if the text exceeds
    the dialect's limits.
    """
    source = Source(text)
    if len(text) > dialect.max_length:
        raise UnsupportedFeatureError.at(
            "limit.length",
            f"the selector has {len(text):,} characters, but the maximum is {dialect.max_length:,}",
            source,
            Span(dialect.max_length, len(text)),
            "perhaps split the selector into several selectors",
        )
    start, convert, hyphens = prefixes(text, dialect)
    if not text.strip(SelectorLexer.ignore):
        if dialect.blank_is_no_selector:
            return None
        raise SelectorSyntaxError.at(
            "syntax.blank",
            f"{dialect.title} does not accept an empty selector",
            source,
            Span(0, len(text)),
            "omit the selector to match every message",
        )
    if hyphens:
        # With the prefix for hyphenated names, Artemis uses a grammar that has no names in double quotes.
        dialect = replace(dialect, double_quotes=DoubleQuotes.REFUSED)
    lexer = SelectorLexer(source, dialect, start, hyphens)
    tokens = lexer.scan()
    if len(text) > 2 * dialect.max_terms:
        # Two operands need at least one character between them. So a shorter text cannot exceed the limit, and its
        # tokens need not be counted.
        tokens = _within_limits(tokens, dialect, source)
    parser = SelectorParser(source, dialect, tokens)
    try:
        tree = parser.read()
    except (SelectorSyntaxError, UnexpectedTokenError) as failure:
        from transpiler.language.selector.mistakes import explain

        raise explain(failure, source, dialect, start, lexer.misspelled, partial(_failure, dialect)) from None
    if lexer.misspelled is not None:
        raise lexer.misspelled
    # A tree has at most one level and one operand for each token. So if the parser read few tokens, skip the check.
    if parser.count > min(dialect.max_nesting, dialect.max_terms):
        _check_limits(tree, dialect, source)
    return ast.ConvertStrings(tree, Span(0, len(text))) if convert else tree


def _failure(dialect: Dialect, text: str) -> int | None:
    """Return the offset in ``text`` of the first syntax error; None if the text parses."""
    start, _, hyphens = prefixes(text, dialect)
    if hyphens:
        dialect = replace(dialect, double_quotes=DoubleQuotes.REFUSED)
    source = Source(text)
    lexer = SelectorLexer(source, dialect, start, hyphens)
    tokens = lexer.scan()
    try:
        SelectorParser(source, dialect, _within_limits(tokens, dialect, source)).read()
    except UnexpectedTokenError as failure:
        return failure.span.start if failure.span else len(text)
    except TranspilerError as failure:
        position = failure.diagnostics[0].span
        return position.start if position else 0
    return None


def prefixes(text: str, dialect: Dialect) -> tuple[int, bool, bool]:
    """Parse the prefixes of a selector, such as ``convert_string_expressions:``.

    Artemis' SelectorParser accepts any number of prefixes in any order, without white space between them. The last
    prefix of each kind takes effect. ActiveMQ's parser accepts one prefix.

    Returns:
        The offset after the prefixes; True if comparisons convert strings; True if names may contain hyphens.
    """
    start, switches = 0, [False, False]
    known = {prefix: rule for prefix, rule in PREFIXES.items() if dialect.has(rule[0])}
    while True:
        for prefix, (_, switch, value) in known.items():
            if text.startswith(prefix, start):
                start, switches[switch] = start + len(prefix), value
                break
        else:
            return start, switches[0], switches[1]
        if not dialect.has(Extension.NEGATED_PREFIXES):
            known = {}


def _check_limits(tree: ast.Expression, dialect: Dialect, source: Source) -> None:
    """Raise an error if a tree is too deep for recursive functions or for Spark's parser, or has too many operands.

    The check itself is not recursive, so that it can handle any depth.
    """
    level, depth, terms = [tree], 0, 0
    while level:
        depth += 1
        if depth > dialect.max_nesting:
            raise _too_deep(dialect, source, level[0].span)
        below: list[ast.Expression] = []
        for node in level:
            inner = ast.children(node)
            below.extend(inner)
            terms += not inner
        level = below
    if terms > dialect.max_terms:
        raise _too_many_terms(dialect, source, tree.span)


def _too_deep(dialect: Dialect, source: Source, span: Span) -> UnsupportedFeatureError:
    """Return the error for a selector with more levels than recursive functions or Spark's parser can handle."""
    return UnsupportedFeatureError.at(
        "limit.nesting",
        f"the selector is nested more than {dialect.max_nesting} levels deep",
        source,
        span,
        "perhaps split the selector, or remove parentheses: a long chain of AND or OR, or a list "
        "after IN, is only one level",
    )


def _too_many_terms(dialect: Dialect, source: Source, span: Span) -> UnsupportedFeatureError:
    """Return the error for a selector with more operands than Spark can compile."""
    return UnsupportedFeatureError.at(
        "limit.terms",
        f"the selector has more than {dialect.max_terms:,} names and literals, which is the maximum",
        source,
        span,
        "perhaps split the selector into several selectors",
    )


def _within_limits(tokens: Iterator[Token], dialect: Dialect, source: Source) -> Iterator[Token]:
    """Collect and return all tokens; raise ``UnsupportedFeatureError`` at the token that exceeds a limit.

    If a token is invalid, the tokens before it are yielded before the error is raised, because the parser may reject
    one of those first.
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
            prefixes = prefixes + 1 if kind in _SIGNS else 0
            if opened > PARENTHESES * dialect.max_nesting or prefixes > dialect.max_nesting + 1:
                raise _too_deep(dialect, source, Span(token.index, token.end))
            # Also limit the number of tokens, which a text of parentheses or signs could exceed without operands. An
            # operand needs about five tokens, with its operator and parentheses.
            if terms > dialect.max_terms or len(read) > 5 * dialect.max_terms:
                raise _too_many_terms(dialect, source, Span(token.index, token.end))
            read.append(token)
    except SelectorSyntaxError as error:
        return then_raise(read, error)
    return iter(read)
