"""Rewriting of tokens between lexer and grammar, for dialects that give some tokens another meaning.

All dialects share one grammar without conflicts. This module handles the constructs that would make the grammar
ambiguous, by changing the type of a token or by adding parentheses: a NOT with high precedence, tests as operands, NULL
as a value, a name as a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from sly.lex import Token

from transpiler.base.errors import SelectorSyntaxError
from transpiler.language.selector.dialect_rules import Extension, NotBinding
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.lexer import then_raise

_TESTS = frozenset("LIKE IN BETWEEN".split())
#: The types of tokens after which a condition begins, so that a NOT after them negates a condition, not an operand.
_CONDITION_STARTS = frozenset("AND OR LPAREN NOT".split())


def retag(tokens: Iterator[Token], dialect: Dialect) -> Iterator[Token]:
    """Return ``tokens`` in the form that the grammar needs for ``dialect``: some types changed, parentheses added."""
    read: list[Token] = []
    try:
        read.extend(tokens)
    except SelectorSyntaxError as error:
        # Yield the tokens before the lexer's error first: if the parser rejects one of them, its error comes first in
        # the text.
        return then_raise(_Retagging(read, dialect).result, error)
    return iter(_Retagging(read, dialect).result)


class _Retagging:
    def __init__(self, tokens: list[Token], dialect: Dialect) -> None:
        self.tokens = tokens
        self.dialect = dialect
        self.result: list[Token] = []
        #: ``ends``: for each test that is an operand, the index of its last token, after which a parenthesis is added.
        #: ``closing``: for each parenthesis that was added before a NOT, the nesting depth at which to close it, at the
        #: end of the equality.
        self.ends: set[int] = set()
        self.closing: list[int] = []
        self.depth = 0
        self.bounded: list[bool] = [False]
        for index, token in enumerate(tokens):
            self._take(index, token)
        while self.closing:
            self._close(tokens[-1].end)

    def _type(self, index: int) -> str:
        return self.tokens[index].type if 0 <= index < len(self.tokens) else ""

    def _take(self, index: int, token: Token) -> None:
        before, behind = self._type(index - 1), self._type(index + 1)
        match token.type:
            case "LPAREN":
                self.depth += 1
                self.bounded.append(False)
            case "RPAREN" | "COMMA" | "OR" | "AND":
                self._end_of_equality(token)
            case "BETWEEN":
                self.bounded[-1] = True
            case "NOT" if behind not in _TESTS and before != "IS":
                self._prefix_not(token, before)
            case "NULL" if self.dialect.has(Extension.NULL_LITERAL) and not self._in_null_test(index):
                token.type = "NULL_LITERAL"
            case "IDENTIFIER" if behind == "LPAREN" and self._is_function(token):
                token.type = "FUNCTION"
            case "IDENTIFIER" if self.dialect.has(Extension.TESTS_AS_OPERANDS):
                end = self._test_end(index)
                if end is not None:
                    self.ends.add(end)
                    self._open(token)
            case _:
                pass
        self.result.append(token)
        if token.type == "RPAREN" and self.depth > 0:
            self.depth -= 1
            self.bounded.pop()
        if index in self.ends:
            self._add("RPAREN", token.end)

    def _is_function(self, token: Token) -> bool:
        if self.dialect.has(Extension.FUNCTIONS):
            return True
        return self.dialect.has(Extension.UTC) and token.value == "UTC"

    def _in_null_test(self, index: int) -> bool:
        return self._type(index - 1) == "IS" or (self._type(index - 1) == "NOT" and self._type(index - 2) == "IS")

    def _prefix_not(self, token: Token, before: str) -> None:
        match self.dialect.not_binding:
            case NotBinding.TIGHT:
                token.type = "TIGHT_NOT"
            case NotBinding.GREEDY if before and (before not in _CONDITION_STARTS or self.bounded[-1]):
                self._open(token)
                self.closing.append(self.depth)
            case _:
                pass

    def _end_of_equality(self, token: Token) -> None:
        if token.type == "AND" and self.bounded[-1]:
            self.bounded[-1] = False
            return
        while self.closing and self.closing[-1] == self.depth:
            self._close(token.index)

    def _close(self, index: int) -> None:
        self.closing.pop()
        self._add("RPAREN", index)

    def _open(self, token: Token) -> None:
        self._add("LPAREN", token.index)

    def _add(self, kind: str, index: int) -> None:
        """Append a parenthesis of type ``kind`` at offset ``index``; its token has no width."""
        added = Token()
        added.type, added.value = kind, "(" if kind == "LPAREN" else ")"
        added.index = added.end = index
        self.result.append(added)

    def _test_end(self, position: int) -> int | None:
        """Return the index of the last token of the test after the name at ``position``, as in ``a LIKE 'b'``.

        Return None if no LIKE, IN or IS NULL follows the name.
        """
        at = position + 1
        if self._type(at) == "NOT" and self._type(at + 1) in ("LIKE", "IN"):
            at += 1
        match self._type(at):
            case "LIKE" if self._type(at + 1) == "STRING":
                return at + 3 if self._type(at + 2) == "ESCAPE" else at + 1
            case "IS":
                return at + 2 if self._type(at + 1) == "NOT" else at + 1
            case "IN":
                end = at + 1
                while self._type(end) not in ("RPAREN", ""):
                    end += 1
                return end if self._type(end) else None
            case _:
                return None
