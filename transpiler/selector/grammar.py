"""Parser from tokens to the surface tree: one grammar, layered with the standard's own non-terminals.

Each layer binds tighter than the one before it, so the grammar needs no table of precedences and has no conflicts.
It is a superset: what a dialect refuses although it parses is for ``check``. A failed parse names what was expected
in words that a person uses; SLY's own recovery is never used, so every error raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from sly import Parser
from sly.lex import Token

from transpiler.errors import SelectorSyntaxError, UnsupportedFeatureError
from transpiler.selector import ast
from transpiler.selector.dialect_rules import Associativity, DoubleQuotes, Extension
from transpiler.selector.dialects import Dialect
from transpiler.selector.lexer import SelectorLexer
from transpiler.selector.limits import too_deep, too_many_terms, within_limits
from transpiler.selector.lr_driver import UnexpectedTokenError, drive
from transpiler.selector.token_rewriting import CHAINING, Chains, retag
from transpiler.source import Source, Span

#: What stands before a selector: the extension that has it, which of two switches it sets, and to what.
_PREFIXES = (
    ("convert_string_expressions:", Extension.CONVERT_STRINGS, 0, True),
    ("hyphenated_props:", Extension.HYPHENATED, 1, True),
    ("no_convert_string_expressions:", Extension.NEGATED_PREFIXES, 0, False),
    ("no_hyphenated_props:", Extension.NEGATED_PREFIXES, 1, False),
)


class SelectorParser(Parser):
    """One parse of one source; not to be used twice or from two threads."""

    tokens = SelectorLexer.tokens
    start = "condition"

    def __init__(self, source: Source, dialect: Dialect, tokens: Iterator[Token]) -> None:
        self.source = source
        self.dialect = dialect
        self.scanned = tokens
        #: The token at hand, and the two before it.
        self.current: Token | None = None
        self.previous: Token | None = None
        self.earlier: Token | None = None
        self.chains = None if dialect.has(Extension.CHAINED_COMPARISONS) else Chains()
        self.grouped: list[ast.Expression] = []
        self.count = 0

    def read(self) -> ast.Expression:
        """Parse the whole source."""
        tree: ast.Expression = drive(self, self._follow(retag(self.scanned, self.dialect)))
        return tree

    def _follow(self, tokens: Iterator[Token]) -> Iterator[Token]:
        limit, chains = self.dialect.max_tokens, self.chains
        for token in tokens:
            kind = token.type
            self.earlier, self.previous, self.current = self.previous, self.current, token
            self.count += 1
            if limit is not None and self.count > limit:
                self._too_many(token, limit)
            if chains is not None and kind in CHAINING and chains.breaks(kind, _kind(self.previous)):
                self.error(token)
            yield token
        self.earlier, self.previous, self.current = self.previous, self.current, None

    def _too_many(self, token: Token, limit: int) -> NoReturn:
        raise UnsupportedFeatureError.at(
            "limit.tokens",
            f"the selector has more than {limit} words and signs, which is the limit of {self.dialect.title}",
            self.source,
            Span(token.index, token.end),
            "split it into several selectors",
        )

    # conditional expression

    @_("disjunction")
    def condition(self, p: Any) -> ast.Expression:
        return _join(ast.Or, p.disjunction)

    @_("disjunction OR conjunction")
    def disjunction(self, p: Any) -> list[ast.Expression]:
        p.disjunction.append(_join(ast.And, p.conjunction))
        return p.disjunction

    @_("conjunction")
    def disjunction(self, p: Any) -> list[ast.Expression]:
        return [_join(ast.And, p.conjunction)]

    @_("conjunction AND negation")
    def conjunction(self, p: Any) -> list[ast.Expression]:
        p.conjunction.append(p.negation)
        return p.conjunction

    @_("negation")
    def conjunction(self, p: Any) -> list[ast.Expression]:
        return [p.negation]

    @_("NOT negation")
    def negation(self, p: Any) -> ast.Expression:
        return ast.Not(p.negation, Span(p.start, p.negation.span.end))

    @_("equality")
    def negation(self, p: Any) -> ast.Expression:
        return p.equality

    # comparison: = and IS NULL are one level looser than the others, which shows only where a dialect chains them

    @_("equality EQ relation", "equality NE relation")
    def equality(self, p: Any) -> ast.Expression:
        return ast.Compare(ast.Comparison(p[1].value), p.equality, p.relation, _between(p.equality, p.relation))

    @_("equality IS NULL", "equality IS NOT NULL")
    def equality(self, p: Any) -> ast.Expression:
        return ast.IsNull(p.equality, len(p) == 4, Span(p.equality.span.start, p.end))

    @_("relation")
    def equality(self, p: Any) -> ast.Expression:
        return p.relation

    @_("relation LT sum", "relation LE sum", "relation GT sum", "relation GE sum")
    def relation(self, p: Any) -> ast.Expression:
        return ast.Compare(ast.Comparison(p[1].value), p.relation, p.sum, _between(p.relation, p.sum))

    @_("relation BETWEEN sum AND sum", "relation NOT BETWEEN sum AND sum")
    def relation(self, p: Any) -> ast.Expression:
        return ast.Between(p.relation, p.sum0, p.sum1, len(p) == 6, _between(p.relation, p.sum1))

    @_("relation IN LPAREN members RPAREN", "relation NOT IN LPAREN members RPAREN")
    def relation(self, p: Any) -> ast.Expression:
        return ast.In(p.relation, tuple(p.members), len(p) == 6, Span(p.relation.span.start, p.end))

    @_("relation LIKE string escape", "relation NOT LIKE string escape")
    def relation(self, p: Any) -> ast.Expression:
        end = p.escape.span.end if p.escape else p.string.span.end
        return ast.Like(p.relation, p.string, p.escape, len(p) == 5, Span(p.relation.span.start, end))

    @_("sum")
    def relation(self, p: Any) -> ast.Expression:
        return p.sum

    @_("ESCAPE string")
    def escape(self, p: Any) -> ast.StringLiteral:
        return p.string

    @_("")
    def escape(self, p: Any) -> None:  # noqa: ARG002
        return None

    @_("members COMMA sum")
    def members(self, p: Any) -> list[ast.Expression]:
        p.members.append(p.sum)
        return p.members

    @_("sum")
    def members(self, p: Any) -> list[ast.Expression]:
        return [p.sum]

    # arithmetic expression

    @_("sum PLUS product", "sum MINUS product")
    def sum(self, p: Any) -> ast.Expression:
        return self._calculate(ast.Arithmetic(p[1].value), p.sum, p.product)

    @_("product")
    def sum(self, p: Any) -> ast.Expression:
        return p.product

    @_("product TIMES sign", "product DIVIDE sign", "product REMAINDER sign")
    def product(self, p: Any) -> ast.Expression:
        return self._calculate(ast.Arithmetic(p[1].value), p.product, p.sign)

    @_("sign")
    def product(self, p: Any) -> ast.Expression:
        return p.sign

    @_("MINUS sign")
    def sign(self, p: Any) -> ast.Expression:
        span = Span(p.start, p.sign.span.end)
        match p.sign:
            # The least long has no positive counterpart, so a minus belongs to the literal behind it.
            case ast.IntegerLiteral(value=value) if value > 0:
                return ast.IntegerLiteral(-value, span)
            case ast.FloatLiteral(value=value) if not str(value).startswith("-"):
                return ast.FloatLiteral(-value, span)
            case operand:
                return ast.Sign(ast.Arithmetic.SUBTRACT, operand, span)

    @_("PLUS sign")
    def sign(self, p: Any) -> ast.Expression:
        return ast.Sign(ast.Arithmetic.ADD, p.sign, Span(p.start, p.sign.span.end))

    # Where NOT binds tightest it is a sign of its own.
    @_("TIGHT_NOT sign")
    def sign(self, p: Any) -> ast.Expression:
        return ast.Not(p.sign, Span(p.start, p.sign.span.end))

    @_("primary")
    def sign(self, p: Any) -> ast.Expression:
        return p.primary

    @_("LPAREN condition RPAREN")
    def primary(self, p: Any) -> ast.Expression:
        condition = replace(p.condition, span=Span(p.start, p.end))
        if self.dialect.associativity is Associativity.RIGHT:
            self.grouped.append(condition)
        return condition

    @_("IDENTIFIER")
    def primary(self, p: Any) -> ast.Expression:
        return ast.Identifier(p.IDENTIFIER, Span(p.start, p.end))

    @_("string")
    def primary(self, p: Any) -> ast.Expression:
        return p.string

    @_("INTEGER")
    def primary(self, p: Any) -> ast.Expression:
        return ast.IntegerLiteral(p.INTEGER, Span(p.start, p.end))

    @_("FLOAT")
    def primary(self, p: Any) -> ast.Expression:
        return ast.FloatLiteral(p.FLOAT, Span(p.start, p.end))

    @_("BINARY")
    def primary(self, p: Any) -> ast.Expression:
        return ast.BinaryLiteral(p.BINARY, Span(p.start, p.end))

    @_("NULL_LITERAL")
    def primary(self, p: Any) -> ast.Expression:
        return ast.NullLiteral(Span(p.start, p.end))

    @_("SECTION")
    def primary(self, p: Any) -> ast.Expression:
        section, name = p.SECTION
        return ast.Identifier(name, Span(p.start, p.end), section)

    @_("QUERY string")
    def primary(self, p: Any) -> ast.Expression:
        return ast.BodyQuery(p.QUERY.upper(), p.string, Span(p.start, p.string.span.end))

    @_("FUNCTION LPAREN members RPAREN")
    def primary(self, p: Any) -> ast.Expression:
        return ast.Call(p.FUNCTION, tuple(p.members), Span(p.start, p.end))

    @_("FUNCTION LPAREN RPAREN")
    def primary(self, p: Any) -> ast.Expression:
        return ast.Call(p.FUNCTION, (), Span(p.start, p.end))

    @_("TRUE", "FALSE")
    def primary(self, p: Any) -> ast.Expression:
        return ast.BooleanLiteral(p[0].value.upper() == "TRUE", Span(p.start, p.end))

    @_("STRING")
    def string(self, p: Any) -> ast.StringLiteral:
        return ast.StringLiteral(p.STRING, Span(p.start, p.end))

    def error(self, token: Token | None) -> NoReturn:
        """Raise ``UnexpectedTokenError`` with the legal tokens in place of this one."""
        legal = set(self._lrtable.lr_action[self.state])
        if self.chains is not None and token is not None:
            legal = self.chains.narrow(legal, token.type, (_kind(self.earlier), _kind(self.previous)))
        raise UnexpectedTokenError(None if token is None else Span(token.index, token.end), legal)

    def _calculate(self, operator: ast.Arithmetic, left: ast.Expression, right: ast.Expression) -> ast.Expression:
        """Build a calculation; if operators associate to the right, rotate it into the end of the left side."""
        if (
            self.dialect.associativity is Associativity.RIGHT
            and isinstance(left, ast.Calculate)
            and left.operator.is_sum is operator.is_sum
            and not any(left is grouped for grouped in self.grouped)
        ):
            inner = self._calculate(operator, left.right, right)
            return ast.Calculate(left.operator, left.left, inner, _between(left, right))
        return ast.Calculate(operator, left, right, _between(left, right))


def _kind(token: Token | None) -> str:
    return "" if token is None else token.type


def _between(first: ast.Expression, last: ast.Expression) -> Span:
    """Return the span from the start of one node to the end of a later one."""
    return Span(first.span.start, last.span.end)


def _join(node: type[ast.And] | type[ast.Or], terms: list[ast.Expression]) -> ast.Expression:
    if len(terms) == 1:
        return terms[0]
    span = _between(terms[0], terms[-1])
    if any(isinstance(term, node) for term in terms):
        # AND and OR are associative in three values too, so a chain in parentheses is the same chain.
        terms = [inner for term in terms for inner in (term.terms if isinstance(term, node) else (term,))]
    return node(tuple(terms), span)


def parse_selector(text: str, dialect: Dialect, name: str = "selector") -> ast.Expression | None:
    """Parse a selector into its surface tree; None if it is empty or white space.

    ``SelectorSyntaxError`` where the text is no sentence of the grammar, ``UnsupportedFeatureError`` beyond the
    dialect's limits. A text that parses and that the dialect still refuses is an error of ``check``.
    """
    source = Source(text, name)
    if len(text) > dialect.max_length:
        raise UnsupportedFeatureError.at(
            "limit.length",
            f"the selector has {len(text):,} characters, and the limit is {dialect.max_length:,}",
            source,
            Span(dialect.max_length, len(text)),
            "split it into several selectors",
        )
    start, convert, hyphens = _prefixes(text, dialect)
    if not text.strip(SelectorLexer.ignore):
        if dialect.blank_is_no_selector:
            return None
        raise SelectorSyntaxError.at(
            "syntax.blank",
            f"{dialect.title} has no empty selector",
            source,
            Span(0, len(text)),
            "leave the selector out to match every message",
        )
    if hyphens:
        # Artemis' grammar of hyphenated names has no token in double quotes.
        dialect = replace(dialect, double_quotes=DoubleQuotes.REFUSED)
    lexer = SelectorLexer(source, dialect, start, hyphens)
    tokens = lexer.scan()
    if len(text) > 2 * dialect.max_terms:
        # The shortest text that can have too many operands.
        tokens = within_limits(tokens, dialect, source)
    parser = SelectorParser(source, dialect, tokens)
    try:
        tree = parser.read()
    except (SelectorSyntaxError, UnexpectedTokenError) as failure:
        from transpiler.selector.mistakes import explain

        raise explain(failure, source, dialect, start, lexer.misspelled) from None
    if lexer.misspelled is not None:
        raise lexer.misspelled
    # Each node of the tree has a token of its own.
    if parser.count > min(dialect.max_nesting, dialect.max_terms):
        _check_limits(tree, dialect, source)
    return ast.ConvertStrings(tree, Span(0, len(text))) if convert else tree


def _prefixes(text: str, dialect: Dialect) -> tuple[int, bool, bool]:
    """Return where the selector begins behind its prefixes, whether strings convert, and whether names have hyphens.

    Artemis' SelectorParser takes prefixes in any number and order, without white space; the last one of a kind counts.
    """
    start, switches = 0, [False, False]
    known = [prefix for prefix in _PREFIXES if dialect.has(prefix[1])]
    while True:
        for prefix, _, switch, value in known:
            if text.startswith(prefix, start):
                start, switches[switch] = start + len(prefix), value
                break
        else:
            return start, switches[0], switches[1]


def _check_limits(tree: ast.Expression, dialect: Dialect, source: Source) -> None:
    """Refuse a tree that recursive walkers, or Spark's own parser, could not follow. Itself not recursive."""
    level, depth, terms = [tree], 0, 0
    while level:
        depth += 1
        if depth > dialect.max_nesting:
            raise too_deep(dialect, source, level[0].span)
        below: list[ast.Expression] = []
        for node in level:
            inner = ast.children(node)
            below.extend(inner)
            terms += not inner
        level = below
    if terms > dialect.max_terms:
        raise too_many_terms(dialect, source, tree.span)
