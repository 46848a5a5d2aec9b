"""Parser from tokens to the surface tree: one grammar, in layers named after the standard's non-terminals.

Each layer has a higher precedence than the layer before it, so the grammar needs no precedence table and has no
conflicts. The grammar accepts the constructs of all dialects; ``check`` rejects those that a dialect does not have. The
first syntax error raises an exception with the legal tokens, so SLY's error recovery is never used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from sly import Parser
from sly.lex import Token

from transpiler.base.comparison import Comparison
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Associativity, Extension, NotBinding
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.lexer import SelectorLexer
from transpiler.language.selector.numbers import number_in
from transpiler.message.header_fields import Conversion

_OPERAND_ENDS = frozenset("IDENTIFIER STRING INTEGER FLOAT BINARY SECTION NULL NULL_LITERAL TRUE FALSE RPAREN".split())
_COMPARISONS = frozenset("EQ NE LT LE GT GE IS LIKE IN BETWEEN".split())
#: The types of tokens that ``Chains`` has to track.
CHAINING = _COMPARISONS | frozenset("LPAREN RPAREN AND OR COMMA NOT".split())


class Chains:
    """A detector of chained comparisons such as ``a < b < c``, which most dialects reject.

    ``compared`` and ``bounded`` are stacks with one flag for each open parenthesis. ``compared`` is True if the current
    condition already has a comparison. ``bounded`` is True if that comparison is a BETWEEN whose AND is still missing.
    """

    def __init__(self) -> None:
        self.compared = [False]
        self.bounded = [False]

    def breaks(self, kind: str, before: str) -> bool:
        """Process the next token, of type ``kind``, after a token of type ``before``.

        Return True if the token continues a comparison to a chain, such as the second ``<`` of ``a < b < c``.
        """
        if kind == "LPAREN":
            self.compared.append(False)
            self.bounded.append(False)
        elif kind == "RPAREN":
            if len(self.compared) > 1:
                self.compared.pop()
                self.bounded.pop()
        elif kind == "AND" and self.bounded[-1]:
            self.bounded[-1] = False
        elif kind in ("AND", "OR", "COMMA"):
            self.compared[-1] = self.bounded[-1] = False
        elif kind in _COMPARISONS or kind == "NOT":
            if before in _OPERAND_ENDS and self.compared[-1]:
                # If a BETWEEN still lacks its AND, do not report a chain: the parser's own error about the missing AND
                # is clearer.
                return not self.bounded[-1]
            if kind in _COMPARISONS:
                self.compared[-1] = True
                self.bounded[-1] = kind == "BETWEEN"
        return False

    def narrow(self, legal: set[str], kind: str, before: tuple[str, str]) -> set[str]:
        """Return ``legal``, token types to suggest in an error, without those that would begin a chain of comparisons.

        For example, after ``a < b`` an error must not suggest another ``<``. ``kind`` is the type of the rejected
        token, ``before`` contains the types of the two tokens before it.
        """
        after_pattern = before in (("LIKE", "STRING"), ("ESCAPE", "STRING"))
        chains = kind in _COMPARISONS or kind == "NOT" or after_pattern
        if chains and self.compared[-1] and "IDENTIFIER" not in legal:
            return legal - _COMPARISONS - {"NOT"}
        return legal


class UnexpectedTokenError(Exception):
    """Error of a failed parse: the span of the rejected token (None at the end of the text) and the legal tokens."""

    def __init__(self, span: Span | None, legal: set[str]) -> None:
        super().__init__(span, legal)
        self.span = span
        self.legal = legal


class SelectorParser(Parser):
    """Parser for one source. An instance parses only once, and in one thread."""

    tokens = SelectorLexer.tokens
    start = "condition"
    #: An attribute of SLY: do not track positions, because every node has its own span.
    track_positions = False

    def __init__(self, source: Source, dialect: Dialect, tokens: Iterator[Token]) -> None:
        self.source = source
        self.dialect = dialect
        self.scanned = tokens
        #: The current token (None at the end of the text), and the two tokens before it.
        self.current: Token | None = None
        self.previous: Token | None = None
        self.earlier: Token | None = None
        self.chains = None if dialect.has(Extension.CHAINED_COMPARISONS) else Chains()
        self.grouped: list[ast.Expression] = []
        self.count = 0

    def _ordered(self, node: ast.Expression, other: ast.Expression) -> ast.Expression:
        """Convert a string literal to a number if it is ordered against a header field that stores numbers as strings.

        ``node`` and ``other`` are the operands of <, <=, > or >=. Return ``node`` unchanged in any other case.
        """
        if not isinstance(node, ast.StringLiteral) or not isinstance(other, ast.Identifier):
            return node
        field = self.dialect.fields.find(other.name, other.section)
        if field is None or not field.has_conversion(Conversion.NUMBER_IN_TEXT):
            return node
        number = number_in(self.dialect.numeric_literals, node.value)
        if number is None:
            return node
        if isinstance(number, float):
            return ast.FloatLiteral(number, node.span)
        return ast.IntegerLiteral(number, node.span)

    def read(self) -> ast.Expression:
        """Parse the whole source and return its tree."""
        tokens = self.scanned
        if _has_other_tokens(self.dialect):
            # Imported here because the grammar reads the tokens of the dialect ``jms`` unchanged.
            from transpiler.language.selector.token_rewriting import retag

            tokens = retag(tokens, self.dialect)
        tree: ast.Expression = self.parse(self._follow(tokens))
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
            f"the selector has more than {limit} tokens, which is the maximum in {self.dialect.title}",
            self.source,
            Span(token.index, token.end),
            "perhaps split the selector into several selectors",
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
        return ast.Not(p.negation, Span(p.index, p.negation.span.end))

    @_("equality")
    def negation(self, p: Any) -> ast.Expression:
        return p[0]

    # comparison: as in the brokers' grammars, = and IS NULL have a lower precedence than <, LIKE, IN and BETWEEN. The
    # difference matters only in chained comparisons such as a = b < c.

    @_("equality EQ relation", "equality NE relation")
    def equality(self, p: Any) -> ast.Expression:
        return ast.Compare(Comparison(p[1]), p.equality, p.relation, _between(p.equality, p.relation))

    @_("equality IS NULL", "equality IS NOT NULL")
    def equality(self, p: Any) -> ast.Expression:
        return ast.IsNull(p.equality, len(p) == 4, Span(p.equality.span.start, p.end))

    @_("relation")
    def equality(self, p: Any) -> ast.Expression:
        return p[0]

    @_("relation LT sum", "relation LE sum", "relation GT sum", "relation GE sum")
    def relation(self, p: Any) -> ast.Expression:
        left, right = self._ordered(p.relation, p.sum), self._ordered(p.sum, p.relation)
        return ast.Compare(Comparison(p[1]), left, right, _between(left, right))

    @_("relation BETWEEN sum AND sum", "relation NOT BETWEEN sum AND sum")
    def relation(self, p: Any) -> ast.Expression:
        low, high = self._ordered(p.sum0, p.relation), self._ordered(p.sum1, p.relation)
        return ast.Between(p.relation, low, high, len(p) == 6, _between(p.relation, high))

    @_("relation IN LPAREN members RPAREN", "relation NOT IN LPAREN members RPAREN")
    def relation(self, p: Any) -> ast.Expression:
        return ast.In(p.relation, tuple(p.members), len(p) == 6, Span(p.relation.span.start, p.end))

    @_("relation LIKE string escape", "relation NOT LIKE string escape")
    def relation(self, p: Any) -> ast.Expression:
        end = p.escape.span.end if p.escape else p.string.span.end
        return ast.Like(p.relation, p.string, p.escape, len(p) == 5, Span(p.relation.span.start, end))

    @_("sum")
    def relation(self, p: Any) -> ast.Expression:
        return p[0]

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
        return self._calculate(ast.Arithmetic(p[1]), p.sum, p.product)

    @_("product")
    def sum(self, p: Any) -> ast.Expression:
        return p[0]

    @_("product TIMES sign", "product DIVIDE sign", "product REMAINDER sign")
    def product(self, p: Any) -> ast.Expression:
        return self._calculate(ast.Arithmetic(p[1]), p.product, p.sign)

    @_("sign")
    def product(self, p: Any) -> ast.Expression:
        return p[0]

    @_("MINUS sign")
    def sign(self, p: Any) -> ast.Expression:
        span = Span(p.index, p.sign.span.end)
        match p.sign:
            # A minus before an integer literal is made a part of it, because the smallest 64-bit integer has no
            # positive counterpart.
            case ast.IntegerLiteral(value=value) if value > 0:
                return ast.IntegerLiteral(-value, span)
            case ast.FloatLiteral(value=value) if not str(value).startswith("-"):
                return ast.FloatLiteral(-value, span)
            case operand:
                return ast.Sign(ast.Arithmetic.SUBTRACT, operand, span)

    @_("PLUS sign")
    def sign(self, p: Any) -> ast.Expression:
        return ast.Sign(ast.Arithmetic.ADD, p.sign, Span(p.index, p.sign.span.end))

    # TIGHT_NOT is the NOT of dialects in which it has the highest precedence, like a sign.
    @_("TIGHT_NOT sign")
    def sign(self, p: Any) -> ast.Expression:
        return ast.Not(p.sign, Span(p.index, p.sign.span.end))

    @_("primary")
    def sign(self, p: Any) -> ast.Expression:
        return p[0]

    @_("LPAREN condition RPAREN")
    def primary(self, p: Any) -> ast.Expression:
        condition = replace(p.condition, span=Span(p.index, p.end))
        if self.dialect.associativity is Associativity.RIGHT:
            self.grouped.append(condition)
        return condition

    @_("IDENTIFIER")
    def primary(self, p: Any) -> ast.Expression:
        return ast.Identifier(p.IDENTIFIER, Span(p.index, p.end))

    @_("string")
    def primary(self, p: Any) -> ast.Expression:
        return p[0]

    @_("INTEGER")
    def primary(self, p: Any) -> ast.Expression:
        return ast.IntegerLiteral(p.INTEGER, Span(p.index, p.end))

    @_("FLOAT")
    def primary(self, p: Any) -> ast.Expression:
        return ast.FloatLiteral(p.FLOAT, Span(p.index, p.end))

    @_("BINARY")
    def primary(self, p: Any) -> ast.Expression:
        return ast.BinaryLiteral(p.BINARY, Span(p.index, p.end))

    @_("NULL_LITERAL")
    def primary(self, p: Any) -> ast.Expression:
        return ast.NullLiteral(Span(p.index, p.end))

    @_("SECTION")
    def primary(self, p: Any) -> ast.Expression:
        section, name = p.SECTION
        return ast.Identifier(name, Span(p.index, p.end), section)

    @_("QUERY string")
    def primary(self, p: Any) -> ast.Expression:
        return ast.BodyQuery(p.QUERY.upper(), p.string, Span(p.index, p.string.span.end))

    @_("FUNCTION LPAREN members RPAREN")
    def primary(self, p: Any) -> ast.Expression:
        return ast.Call(p.FUNCTION, tuple(p.members), Span(p.index, p.end))

    @_("FUNCTION LPAREN RPAREN")
    def primary(self, p: Any) -> ast.Expression:
        return ast.Call(p.FUNCTION, (), Span(p.index, p.end))

    @_("TRUE", "FALSE")
    def primary(self, p: Any) -> ast.Expression:
        return ast.BooleanLiteral(p[0].upper() == "TRUE", Span(p.index, p.end))

    @_("STRING")
    def string(self, p: Any) -> ast.StringLiteral:
        return ast.StringLiteral(p.STRING, Span(p.index, p.end))

    def error(self, token: Token | None) -> NoReturn:
        """Raise ``UnexpectedTokenError`` with the tokens that would be legal instead of ``token``; called by SLY."""
        # SLY has no public attribute for the tokens that are legal in a state.
        legal = set(self._lrtable.lr_action[self.state])
        if self.chains is not None and token is not None:
            legal = self.chains.narrow(legal, token.type, (_kind(self.earlier), _kind(self.previous)))
        raise UnexpectedTokenError(None if token is None else Span(token.index, token.end), legal)

    def _calculate(self, operator: ast.Arithmetic, left: ast.Expression, right: ast.Expression) -> ast.Expression:
        """Build the expression ``left`` ``operator`` ``right``, with the associativity of the dialect.

        If operators of the same precedence are right-associative, ``a - b`` and ``- c`` become ``a - (b - c)``.
        """
        if (
            self.dialect.associativity is Associativity.RIGHT
            and isinstance(left, ast.Calculate)
            and left.operator.is_sum is operator.is_sum
            and not any(left is grouped for grouped in self.grouped)
        ):
            inner = self._calculate(operator, left.right, right)
            return ast.Calculate(left.operator, left.left, inner, _between(left, right))
        return ast.Calculate(operator, left, right, _between(left, right))


def _has_other_tokens(dialect: Dialect) -> bool:
    """Return True if ``token_rewriting`` must change the tokens of ``dialect`` before the grammar reads them."""
    return (
        dialect.not_binding in (NotBinding.TIGHT, NotBinding.GREEDY)
        or dialect.has(Extension.NULL_LITERAL)
        or dialect.has(Extension.FUNCTIONS)
        or dialect.has(Extension.UTC)
        or dialect.has(Extension.TESTS_AS_OPERANDS)
    )


def _kind(token: Token | None) -> str:
    return "" if token is None else token.type


def _between(first: ast.Expression, last: ast.Expression) -> Span:
    """Return the span from the start of ``first`` to the end of ``last``."""
    return Span(first.span.start, last.span.end)


def _join(node: type[ast.And] | type[ast.Or], terms: list[ast.Expression]) -> ast.Expression:
    if len(terms) == 1:
        return terms[0]
    span = _between(terms[0], terms[-1])
    if any(isinstance(term, node) for term in terms):
        # Merge an AND in parentheses into the AND around it, and the same for OR. The result is the same, because AND
        # and OR are associative, in three-valued logic, too.
        terms = [inner for term in terms for inner in (term.terms if isinstance(term, node) else (term,))]
    return node(tuple(terms), span)
