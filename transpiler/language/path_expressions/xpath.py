"""Parser of XPath 1.0: the whole grammar, and the subset of it that can be evaluated.

The subset has the axes child, attribute, parent, self and descendant-or-self in their abbreviated forms, and the first
two by name; the node tests of names, ``*``, ``text()`` and ``node()``; and the functions of ``FUNCTIONS``.

``PathParser`` also parses XQuery: ``xquery`` derives a class that overrides the clauses in which XQuery differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple, NoReturn

from transpiler.base.source import Span
from transpiler.language.path_expressions import path_tree as tree

#: Maximum nesting depth of parentheses, brackets and calls. Java's XPath engine has a stricter limit of its own: 10
#: groups in one expression (``jdk.xml.xpathExprGrpLimit``).
MAX_DEPTH = 60

#: The characters that begin a name in the fifth edition of XML 1.0.
_START = (
    r"A-Za-z_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)

#: A name without a colon, as a regular expression (``NCName`` of Namespaces in XML).
NAME = rf"[{_START}][{_START}\-.0-9\u00B7\u0300-\u036F\u203F-\u2040]*+"

_AXES = (
    *("ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self", "following"),
    *("following-sibling", "namespace", "parent", "preceding", "preceding-sibling", "self"),
)
_NODE_TYPES = ("comment", "text", "processing-instruction", "node")

#: The binary operators by precedence level, from the loosest to the tightest. All are left-associative.
_LEVELS: Final = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))

#: The minimum and maximum number of arguments of each supported function.
FUNCTIONS = {
    "not": (1, 1),
    "true": (0, 0),
    "false": (0, 0),
    "boolean": (1, 1),
    "string": (0, 1),
    "number": (0, 1),
    "sum": (1, 1),
    "count": (1, 1),
    "contains": (2, 2),
    "starts-with": (2, 2),
    "concat": (2, 100),
    "string-length": (0, 1),
    "normalize-space": (0, 1),
    "position": (0, 0),
    "last": (0, 0),
    "name": (0, 1),
}

#: The functions of XPath 1.0 that are not supported. A broker rejects an XPath that calls any other function.
_OTHER_FUNCTIONS = frozenset(
    """id local-name namespace-uri substring-before substring-after substring translate lang floor ceiling
    round""".split()
)


class NoXPathError(ValueError):
    """Error for a text that is not an XPath. ``args`` contains the message and the invalid character's index."""


class Token(NamedTuple):
    """A token. ``kind`` is ``number``, ``string``, ``variable``, ``sign``, ``name`` or ``end``."""

    kind: str
    text: str
    span: Span


class _Unfinished(NamedTuple):
    """A chain of operators of one precedence level, such as ``a + b +``, whose last operand has not been parsed yet."""

    level: int
    start: Span
    operands: list[tree.Expression]
    signs: list[str]


def parse_xpath(expression: str) -> tree.Expression:
    """Parse an XPath expression. Raises ``NoXPathError`` if ``expression`` is not an XPath."""
    return PathParser(expression.rstrip(" \t\r\n")).parse()


class PathParser:
    """A recursive-descent parser of section 3 of XPath 1.0.

    A subclass parses another language by overriding the clauses in which that language differs.
    """

    #: Pattern for one token; the name of the matching group is its kind. Tokens of kind space or comment are skipped.
    pattern: ClassVar[re.Pattern[str]] = re.compile(
        rf"""(?P<space>[ \t\r\n]+)
        |(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)
        |(?P<string>"[^"]*"|'[^']*')
        |(?P<variable>\$[ \t\r\n]*{NAME}(?::{NAME})?)
        |(?P<sign>//|!=|<=|>=|::|\.\.|[/.@()\[\]|+\-=<>*,])
        |(?P<name>{NAME}(?::(?:{NAME}|\*))?)""",
        re.VERBOSE,
    )

    def __init__(self, text: str) -> None:
        self.tokens: Final = list(self._tokenized(text))
        self._at = 0
        self._depth = 0

    def _tokenized(self, text: str) -> Iterator[Token]:
        """Yield the tokens of ``text``, followed by an end token."""
        at = 0
        while at < len(text):
            match = self.pattern.match(text, at)
            if match is None or match.lastgroup is None:
                self._no_token(text, at)
            at = match.end()
            if match.lastgroup not in ("space", "comment"):
                yield Token(match.lastgroup, match[0], Span(*match.span()))
        yield Token("end", "the end", Span(at, at + 1))

    def parse(self) -> tree.Expression:
        """Parse the whole text and return its tree."""
        expression = self._operation()
        if self._next.kind != "end":
            self._unexpected()
        return expression

    def _no_token(self, text: str, at: int) -> NoReturn:
        """Raise the error for the character of ``text`` at index ``at``, with which no token can begin."""
        raise NoXPathError(f"{text[at]!r} cannot begin a token of XPath", at)

    def _unexpected(self) -> NoReturn:
        """Raise the error that the next token is not allowed at its position."""
        kind, text, span = self._next
        raise NoXPathError(
            "the expression ends too early" if kind == "end" else f"{text} is not expected here", span.start
        )

    def _too_deep(self, span: Span) -> NoReturn:
        raise NoXPathError(f"the expression has more than {MAX_DEPTH} levels", span.start)

    @property
    def _next(self) -> Token:
        return self.tokens[self._at]

    def _ahead(self, text: str) -> bool:
        """Return True if the token after the next token is the sign ``text``."""
        behind = self.tokens[min(self._at + 1, len(self.tokens) - 1)]
        return behind.kind == "sign" and behind.text == text

    def _is(self, *texts: str) -> bool:
        return self._next.kind in ("sign", "name") and self._next.text in texts

    def _take(self) -> Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _read(self, *texts: str) -> bool:
        read = self._is(*texts)
        self._at += read
        return read

    def _expect(self, text: str) -> None:
        if not self._read(text):
            self._unexpected()

    def _span(self, first: Span) -> Span:
        return first.to(self.tokens[max(self._at - 1, 0)].span)

    @contextmanager
    def _nested(self, span: Span | None = None) -> Iterator[None]:
        """Return a context manager for one level of nesting; raise an error if there are too many levels.

        ``span`` is the span of the error, by default that of the next token.
        """
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._too_deep(span or self._next.span)
        yield
        self._depth -= 1

    def _operation(self) -> tree.Expression:
        return self._operated(self._unary, _LEVELS)

    def _operated(
        self, read_operand: Callable[[], tree.Expression], levels: tuple[tuple[str, ...], ...]
    ) -> tree.Expression:
        """Parse operands with binary operators between them, such as ``a + b * c``, without recursion.

        ``read_operand`` parses one operand. ``levels`` lists the operators by precedence, from the loosest to the
        tightest.
        """
        # A stack of incomplete operator chains such as ``a + b +``, from the loosest to the tightest level. Each waits
        # for its next operand.
        unfinished: list[_Unfinished] = []
        while True:
            start, operand = self._next.span, read_operand()
            level = next((number for number, signs in enumerate(levels) if self._is(*signs)), -1)
            while unfinished and unfinished[-1].level >= level:
                last = unfinished[-1]
                last.operands.append(operand)
                self._check_operands(last.signs[-1], last.operands[0], operand)
                if last.level == level:
                    break
                first, *others = unfinished.pop().operands
                start = last.start
                operand = tree.Operation(first, tuple(zip(last.signs, others, strict=True)), self._span(start))
            if level < 0:
                return operand
            if not unfinished or unfinished[-1].level < level:
                unfinished.append(_Unfinished(level, start, [operand], []))
            unfinished[-1].signs.append(self._take().text)

    def _check_operands(self, sign: str, *operands: tree.Expression) -> None:
        """Raise an error if the operator ``sign`` does not accept ``operands``. In XPath, no error is possible.

        XPath 1.0 accepts all operands: "The numeric operators convert their operands to numbers as if by calling the
        number function." XQuery overrides this method.
        """

    def _unary(self) -> tree.Expression:
        signs: list[Span] = []
        while self._is("-"):
            signs.append(self._take().span)
        if len(signs) > MAX_DEPTH:
            raise NoXPathError(f"the expression has more than {MAX_DEPTH} signs in a row", signs[0].start)
        start = self._next.span
        parts = [self._path()]
        while self._read("|"):
            parts.append(self._path())
        expression = tree.Union(tuple(parts), self._span(start)) if len(parts) > 1 else parts[0]
        for sign in reversed(signs):
            expression = tree.Negation(expression, self._span(sign))
        return expression

    def _path(self) -> tree.Expression:
        kind, text, start = self._next
        called = kind == "name" and self._ahead("(") and text not in _NODE_TYPES
        if kind in ("number", "string", "variable") or self._is("(") or called:
            begin = self._filtered()
            return self._steps(begin, [], start) if self._is("/", "//") else begin
        return self._location()

    def _location(self) -> tree.Path:
        """Parse a path that starts at the root or at the context node."""
        start = self._next.span
        begin = tree.Start.ROOT if self._is("/", "//") else tree.Start.CONTEXT
        steps: list[tree.Step] = []
        if self._read("/") and self._next.kind != "name" and not self._is(".", "..", "@", "*"):
            return tree.Path(begin, (), self._span(start))
        if not self._is("//"):
            self._step(steps, False)
        return self._steps(begin, steps, start)

    def _steps(self, begin: tree.Start | tree.Expression, steps: list[tree.Step], start: Span) -> tree.Path:
        """Parse the steps after ``steps``, which have been parsed, and return the path that begins at ``begin``.

        ``start`` is the span of the path's first token.
        """
        while self._is("/", "//"):
            self._step(steps, self._take().text == "//")
        return tree.Path(begin, tuple(steps), self._span(start))

    def _filtered(self) -> tree.Expression:
        start = self._next.span
        primary = self._primary()
        predicates = self._predicates()
        return tree.Filtered(primary, predicates, self._span(start)) if predicates else primary

    def _primary(self) -> tree.Expression:
        kind, text, start = self._take()
        match kind:
            case "number":
                return tree.Constant(float(text), start)
            case "string":
                return tree.Constant(text[1:-1], start)
            case "variable":
                return tree.Variable(text.lstrip("$ \t\r\n"), start)
            case "sign":
                with self._nested():
                    inner = self._operation()
                self._expect(")")
                return tree.Group(inner, self._span(start))
            case _:
                self._expect("(")
                arguments: list[tree.Expression] = []
                with self._nested():
                    while not self._is(")"):
                        if arguments:
                            self._expect(",")
                        arguments.append(self._operation())
                self._expect(")")
                return tree.Call(text, tuple(arguments), self._span(start))

    def _step(self, steps: list[tree.Step], descendants: bool) -> None:
        """Parse a step and append it to ``steps``; ``descendants`` is True if ``//`` stands before the step."""
        start = self._next.span
        for sign, axis in ((".", "self"), ("..", "parent")):
            if self._read(sign):
                steps.append(tree.Step(descendants, axis, "node()", (), start))
                return
        axis = "child"
        if self._read("@"):
            axis = "attribute"
        elif self._next.kind == "name" and self._ahead("::"):
            axis = self._next.text
            if axis not in _AXES:
                raise NoXPathError(f"{axis} is not an axis of XPath", start.start)
            self._at += 2
        kind, test, _ = self._next
        if kind != "name" and not self._is("*"):
            self._unexpected()
        self._at += 1
        if test in _NODE_TYPES and self._is("("):
            self._at += 1
            test = f"{test}({self._instruction() if test == 'processing-instruction' else ''})"
            self._expect(")")
        steps.append(tree.Step(descendants, axis, test, self._predicates(), self._span(start)))

    def _instruction(self) -> str:
        """Parse the optional name of a ``processing-instruction()`` test."""
        kind, text, _ = self._next
        self._at += kind == "string"
        return text if kind == "string" else ""

    def _predicates(self) -> tuple[tree.Expression, ...]:
        predicates: list[tree.Expression] = []
        while self._read("["):
            with self._nested():
                predicates.append(self._operation())
            self._expect("]")
        return tuple(predicates)


@lru_cache(maxsize=4096)
def outside(expression: str) -> str | None:
    """Describe the first construct of the XPath ``expression`` that this library cannot evaluate.

    Return None if the library can evaluate ``expression``, or if ``expression`` is not an XPath.
    """
    try:
        parsed = parse_xpath(expression)
    except NoXPathError:
        return None
    return next((part for node in tree.walk(parsed) for part in _outside(node)), None)


def _outside(node: tree.Expression) -> Iterator[str]:
    match node:
        case tree.Call(function=name) if name in _OTHER_FUNCTIONS:
            yield f"the function {name}"
        case tree.Variable(name=name):
            # Some XPath engines fail when they evaluate the variable, others reject the whole expression, so the result
            # depends on the broker's engine.
            yield f"the variable ${name}"
        case tree.Path(steps=steps):
            for step in steps:
                axis, test = step.axis, step.test
                if axis not in ("child", "attribute") and not (axis in ("self", "parent") and test == "node()"):
                    yield f"the axis {axis}"
                elif test.endswith(")") and test not in ("text()", "node()"):
                    yield f"the node test {test}"
