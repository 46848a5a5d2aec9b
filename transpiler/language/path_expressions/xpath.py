"""XPath 1.0 from text to tree: the whole grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from transpiler.base.source import Span
from transpiler.language.path_expressions import xpath_nodes as nodes
from transpiler.language.path_expressions.xml_names import NAME

#: Levels of parentheses, brackets and calls that an expression may have; Java takes 10 groups.
MAX_DEPTH = 60

#: The operators from the loosest to the tightest; those of one level are read from left to right.
_LEVELS: Final = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))
_OPERATORS: Final = tuple(sign for level in _LEVELS for sign in level)

_AXES = (
    *("ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self", "following"),
    *("following-sibling", "namespace", "parent", "preceding", "preceding-sibling", "self"),
)
_NODE_TYPES = ("comment", "text", "processing-instruction", "node")

_TOKEN = re.compile(
    rf"""[ \t\r\n]*(?:(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)
    |(?P<string>"[^"]*"|'[^']*')
    |(?P<variable>\$[ \t\r\n]*{NAME}(?::{NAME})?)
    |(?P<sign>//|!=|<=|>=|::|\.\.|[/.@()\[\]|+\-=<>*,])
    |(?P<name>{NAME}(?::(?:{NAME}|\*))?))""",
    re.VERBOSE,
)


class NoXPathError(ValueError):
    """The text is no XPath; ``args`` say what is in the way, and at which character."""


class Token(NamedTuple):
    """A token; ``kind`` is number, string, sign, name or end."""

    kind: str
    text: str
    start: int


def tokenize(expression: str) -> list[Token]:
    """Return the tokens of an expression, the last of which is its end; raise ``NoXPathError``."""
    tokens: list[Token] = []
    at, end = 0, len(expression.rstrip(" \t\r\n"))
    while at < end:
        match = _TOKEN.match(expression, at)
        if match is None or match.lastgroup is None:
            rest = expression[at:].lstrip(" \t\r\n")
            raise NoXPathError(f"{rest[0]!r} begins nothing", len(expression) - len(rest))
        tokens.append(Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        at = match.end()
    tokens.append(Token("end", "", end))
    return tokens


def parse_xpath(expression: str) -> nodes.Expression:
    """Parse an expression; raise ``NoXPathError``."""
    return _Parser(tokenize(expression)).parse()


class _Parser:
    """A recursive descent over the grammar of section 3."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def parse(self) -> nodes.Expression:
        """The whole expression."""
        expression = self._operation()
        if self._next.kind != "end":
            raise self._refused()
        return expression

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _ahead(self, text: str) -> bool:
        """Return True if a sign is what stands behind the next token."""
        behind = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        return behind.kind == "sign" and behind.text == text

    def _refused(self) -> NoXPathError:
        kind, text, place = self._next
        return NoXPathError("it ends too early" if kind == "end" else f"{text} is not expected there", place)

    def _is(self, *texts: str) -> bool:
        return self._next.kind in ("sign", "name") and self._next.text in texts

    def _read(self, *texts: str) -> bool:
        read = self._is(*texts)
        self._at += read
        return read

    def _expect(self, text: str) -> None:
        if not self._read(text):
            raise self._refused()

    def _span(self, start: int) -> Span:
        last = self._tokens[max(self._at - 1, 0)]
        return Span(start, last.start + len(last.text))

    @contextmanager
    def _nested(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NoXPathError(f"it has more than {MAX_DEPTH} levels", self._next.start)
        yield
        self._depth -= 1

    def _operation(self) -> nodes.Expression:
        """Operands with operators between them, joined from the tightest level to the loosest."""
        operands, signs = [self._unary()], list[str]()
        while self._is(*_OPERATORS):
            signs.append(self._next.text)
            self._at += 1
            operands.append(self._unary())
        for level in reversed(_LEVELS):
            operands, signs = _joined(operands, signs, level)
        return operands[0]

    def _unary(self) -> nodes.Expression:
        signs: list[int] = []
        while self._is("-"):
            signs.append(self._next.start)
            self._at += 1
        if len(signs) > MAX_DEPTH:
            raise NoXPathError(f"it has more than {MAX_DEPTH} signs in a row", signs[0])
        start = self._next.start
        parts = [self._path()]
        while self._read("|"):
            parts.append(self._path())
        expression = nodes.Union(tuple(parts), self._span(start)) if len(parts) > 1 else parts[0]
        for start in reversed(signs):
            expression = nodes.Negation(expression, self._span(start))
        return expression

    def _path(self) -> nodes.Expression:
        kind, text, start = self._next
        begin: nodes.Start | nodes.Expression = nodes.Start.CONTEXT
        steps: list[nodes.Step] = []
        called = kind == "name" and self._ahead("(") and text not in _NODE_TYPES
        if kind in ("number", "string", "variable") or self._is("(") or called:
            begin = self._filtered()
            if not self._is("/", "//"):
                return begin
        elif self._is("/", "//"):
            begin = nodes.Start.ROOT
            if text == "/":
                self._at += 1
                if self._next.kind != "name" and not self._is(".", "..", "@", "*"):
                    return nodes.Path(begin, (), self._span(start))
                steps.append(self._step(False))
        else:
            steps.append(self._step(False))
        while self._is("/", "//"):
            self._at += 1
            steps.append(self._step(self._tokens[self._at - 1].text == "//"))
        return nodes.Path(begin, tuple(steps), self._span(start))

    def _filtered(self) -> nodes.Expression:
        start = self._next.start
        primary = self._primary()
        predicates = self._predicates()
        return nodes.Filtered(primary, predicates, self._span(start)) if predicates else primary

    def _primary(self) -> nodes.Expression:
        kind, text, start = self._next
        self._at += 1
        match kind:
            case "number":
                return nodes.Constant(float(text), self._span(start))
            case "string":
                return nodes.Constant(text[1:-1], self._span(start))
            case "variable":
                return nodes.Variable(text.lstrip("$ \t\r\n"), self._span(start))
            case "sign":
                with self._nested():
                    inner = self._operation()
                self._expect(")")
                return nodes.Group(inner, self._span(start))
            case _:
                self._expect("(")
                arguments: list[nodes.Expression] = []
                with self._nested():
                    while not self._is(")"):
                        if arguments:
                            self._expect(",")
                        arguments.append(self._operation())
                self._expect(")")
                return nodes.Call(text, tuple(arguments), self._span(start))

    def _step(self, descendants: bool) -> nodes.Step:
        start = self._next.start
        for sign, axis in ((".", "self"), ("..", "parent")):
            if self._read(sign):
                return nodes.Step(descendants, axis, "node()", (), self._span(start))
        axis = "child"
        if self._read("@"):
            axis = "attribute"
        elif self._next.kind == "name" and self._ahead("::"):
            axis = self._next.text
            if axis not in _AXES:
                raise NoXPathError(f"{axis} is no axis", start)
            self._at += 2
        kind, test, _ = self._next
        if kind != "name" and not self._is("*"):
            raise self._refused()
        self._at += 1
        if test in _NODE_TYPES and self._is("("):
            self._at += 1
            test = f"{test}({self._instruction() if test == 'processing-instruction' else ''})"
            self._expect(")")
        return nodes.Step(descendants, axis, test, self._predicates(), self._span(start))

    def _instruction(self) -> str:
        """The name of a processing instruction, which a literal may give."""
        kind, text, _ = self._next
        self._at += kind == "string"
        return text if kind == "string" else ""

    def _predicates(self) -> tuple[nodes.Expression, ...]:
        predicates: list[nodes.Expression] = []
        while self._read("["):
            with self._nested():
                predicates.append(self._operation())
            self._expect("]")
        return tuple(predicates)


def _joined(
    operands: list[nodes.Expression], signs: list[str], level: tuple[str, ...]
) -> tuple[list[nodes.Expression], list[str]]:
    """Join the operands that operators of one level are between; return what is left for the looser levels."""
    joined, left = [[operands[0]]], list[str]()
    inside = [list[str]()]
    for sign, operand in zip(signs, operands[1:], strict=True):
        if sign in level:
            inside[-1].append(sign)
            joined[-1].append(operand)
        else:
            left.append(sign)
            inside.append([])
            joined.append([operand])
    return [_operated(run, signs) for run, signs in zip(joined, inside, strict=True)], left


def _operated(operands: list[nodes.Expression], signs: list[str]) -> nodes.Expression:
    first, *rest = operands
    if not rest:
        return first
    return nodes.Operation(first, tuple(zip(signs, rest, strict=True)), first.span.to(rest[-1].span))
