"""XPath over a body that is XML: ActiveMQ's body queries, the subset that both engines read, and the limits of Java.

Spark asks the JDK, which would fail the query over an expression that it cannot compile, or that has more operators or
groups than ``jdk.xml.xpathExprOpLimit`` and ``jdk.xml.xpathExprGrpLimit`` allow. It refuses when a row is evaluated,
so an expression has to be refused before. What the library counts was found by asking it: every operator, and also
each slash, star, axis, predicate, dot and function; parentheses are groups except after a function's name.

The subset: the W3C recommendation of 1999, sections 2 and 3. Taken are the axes child, attribute, parent, self and
descendant-or-self by their signs, and the first two by name; the node tests of names, ``*``, ``text()`` and
``node()``; and the functions of ``FUNCTIONS`` with as many arguments as they have.

Without variables every expression has a type that its text shows; where only a set of nodes will do, Java throws for
anything else. It throws for two signs in a row, finds no position outside of a predicate, and takes what follows a
union for one more part of it.
"""

from __future__ import annotations

import re

from transpiler import ir
from transpiler.errors import UnsupportedFeatureError
from transpiler.ir.column_types import STRING
from transpiler.layouts.layout import Layout
from transpiler.lowering.names.column_values import at
from transpiler.lowering.operands import Outcomes, complement
from transpiler.message.header_fields import MessageField
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.source import Source, Span


def body_query(language: str, query: ast.StringLiteral, layout: Layout, source: Source) -> Outcomes:
    """The outcomes of a query of the body, which is FALSE where the body is no text."""
    if language == "XQUERY":
        # Both brokers answer FALSE to every XQuery.
        return Outcomes(ir.FALSE, ir.TRUE)
    body = layout.field(MessageField("body", "value"))
    data = layout.field(MessageField("body", "data"))
    if body is None and data is None:
        return Outcomes(ir.FALSE, ir.TRUE)
    excess = beyond_limits(query.value)
    if excess is not None:
        hint = "the reference evaluator has no such limit: selector-sql match"
        message = f"the XPath has {excess} in one expression"
        raise UnsupportedFeatureError.at("limit.xpath", message, source, query.span, hint)
    try:
        check_xpath(query.value)
    except NoXPathError as error:
        what, place = error.args
        span = Span(query.span.start + 1 + place, query.span.end)
        message = f"this is no XPath that Spark is given: {what}"
        hint = "the broker answers FALSE where it is no XPath at all"
        raise UnsupportedFeatureError.at("spark.xpath", message, source, span, hint) from None
    texts: list[ir.Value] = []
    if body is not None:
        operand = at(body)
        texts.extend(item.value for item in operand.of(OperandType.STRING))
    if data is not None:
        column = at(data)
        texts.extend(ir.Apply(ir.Function.TEXT_OF_BYTES, (item.value,), STRING) for item in column.alternatives)
    true = ir.XPath(ir.first_of(texts, STRING), query.value)
    return Outcomes(true, complement(true))


#: The limits of the JDK, from 8u331, 11.0.15 and 17.0.3 on.
MAX_OPERATORS, MAX_GROUPS = 100, 10

_TOKENS = re.compile(
    r"""'[^']*'|"[^"]*"
    |(?P<number>\d+(?:\.\d*)?|\.\d+)
    |(?P<name>[^\W\d][\w.\-]*)(?P<call>\s*\()?
    |(?P<operator>//|::|\.\.|!=|<=|>=|[/*@\[.+\-=|!<>$])
    |(?P<group>\()""",
    re.VERBOSE,
)

_WORDS = ("or", "and", "div", "mod")


def count_xpath(expression: str) -> tuple[int, int]:
    """The operators and the groups of an expression."""
    operators = groups = 0
    for match in _TOKENS.finditer(expression):
        if match["operator"]:
            operators += 1
        elif match["group"]:
            groups += 1
        elif match["name"] in _WORDS:
            # Before a parenthesis the word is taken for a function as well.
            operators += 1 + (match["call"] is not None)
            groups += match["call"] is not None
        elif match["call"]:
            operators += 1
    return operators, groups


def beyond_limits(expression: str) -> str | None:
    """Describe what is too much in an expression; None where Java accepts it."""
    operators, groups = count_xpath(expression)
    if operators > MAX_OPERATORS:
        return f"{operators} operators and steps, and Java's XPath takes {MAX_OPERATORS}"
    if groups > MAX_GROUPS:
        return f"{groups} pairs of parentheses, and Java's XPath takes {MAX_GROUPS}"
    return None


#: The least and the greatest number of arguments of each function.
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

#: The functions that take a set of nodes and nothing else; none of all functions yields one.
_OF_NODES = ("count", "sum", "name")

#: Levels of brackets and signs that are read; Java's own limits on groups and operators come before.
_MAX_DEPTH = 120

_TOKEN = re.compile(
    r"""\s*(?:(?P<literal>"[^"]*"|'[^']*'|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)
    |(?P<sign>//|!=|<=|>=|::|\.\.|[/.@()\[\]|+\-=<>*,])
    |(?P<name>[^\W\d][\w.\-]*))""",
    re.VERBOSE,
)

_LEVELS = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))


class NoXPathError(ValueError):
    """The text is none, or beyond what is read here; ``args`` say what is in the way, and at which character."""


def check_xpath(expression: str) -> None:
    """Raise ``NoXPathError`` where a text is no XPath that both engines read."""
    _Reader(expression).read()


class _Reader:
    def __init__(self, expression: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        at, end = 0, len(expression.rstrip())
        while at < end:
            token = _TOKEN.match(expression, at)
            if token is None or token.lastgroup is None:
                place = at + len(expression[at:]) - len(expression[at:].lstrip())
                raise NoXPathError(f"{expression[place]!r} begins nothing", place)
            kind = token.lastgroup
            self._tokens.append((kind, token[kind], token.start(kind)))
            at = token.end()
        self._tokens.append(("end", "", end))
        self._at = 0
        self._depth = 0
        #: Predicates around what is read, and the token behind the last union and the brackets around it.
        self._predicate = 0
        self._behind_union = -1

    def read(self) -> None:
        self._level(0)
        if self._peek()[0] != "end":
            raise self._refused()

    def _peek(self, ahead: int = 0) -> tuple[str, str, int]:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _refused(self) -> NoXPathError:
        kind, text, place = self._peek()
        return NoXPathError("it ends too early" if kind == "end" else f"{text} is not expected there", place)

    def _next(self, *texts: str) -> bool:
        kind, text, _ = self._peek()
        if kind in ("literal", "end") or text not in texts:
            return False
        self._at += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._next(text):
            raise self._refused()

    def _only_nodes(self, nodes: bool, what: str, place: int) -> None:
        if not nodes:
            raise NoXPathError(f"only a set of nodes {what}", place)

    def _level(self, level: int) -> bool:
        """Return True if the expression is a set of nodes."""
        self._depth += 1
        if self._depth > _MAX_DEPTH * len(_LEVELS):
            raise NoXPathError("it has too many levels", self._peek()[2])
        if level == len(_LEVELS):
            nodes = self._unary()
        else:
            nodes = self._level(level + 1)
            union = self._at == self._behind_union
            while self._next(*_LEVELS[level]):
                kind, text, place = self._peek()
                if union and kind != "literal" and text != "-":
                    raise NoXPathError("beside a union only a constant is read", place)
                self._level(level + 1)
                nodes, union = False, self._at == self._behind_union
        self._depth -= 1
        return nodes

    def _unary(self) -> bool:
        negated = self._next("-")
        if self._peek()[1] == "-":
            raise self._refused()
        nodes, place = self._path(), self._peek()[2]
        while self._next("|"):
            both = self._path() and nodes
            self._only_nodes(both, "has a union", place)
            self._behind_union = self._at
        return nodes and not negated

    def _path(self) -> bool:
        kind, text, _ = self._peek()
        called = kind == "name" and self._peek(1)[1] == "(" and text not in ("text", "node")
        if kind == "literal" or text == "(" or called:
            nodes = self._primary()
            kind, text, place = self._peek()
            if kind == "sign" and text in ("[", "/", "//"):
                self._only_nodes(nodes, f"is followed by {text}", place)
            self._predicates()
        else:
            nodes = True
            if self._next("/"):
                if not self._begins_step():
                    return True
                self._step()
            elif self._peek()[1] != "//":
                self._step()
        while self._next("/", "//"):
            self._step()
        return nodes

    def _begins_step(self) -> bool:
        kind, text, _ = self._peek()
        return kind == "name" or text in (".", "..", "@", "*")

    def _primary(self) -> bool:
        kind, text, place = self._peek()
        self._at += 1
        if kind == "literal":
            return False
        if text == "(":
            nodes = self._level(0)
            union = self._at == self._behind_union
            self._expect(")")
            self._behind_union = self._at if union else -1
            return nodes
        if text in ("position", "last") and not self._predicate:
            raise NoXPathError(f"{text} is read in a predicate only", place)
        if text not in FUNCTIONS:
            raise NoXPathError(f"the function {text} is not read", place)
        self._expect("(")
        count = 0
        while not self._next(")"):
            if count:
                self._expect(",")
            start = self._peek()[2]
            nodes = self._level(0)
            self._only_nodes(nodes or text not in _OF_NODES, f"is taken by {text}", start)
            count += 1
        least, most = FUNCTIONS[text]
        if not least <= count <= most:
            raise NoXPathError(f"{text} takes {least}{f' to {most}' if most > least else ''} arguments", place)
        return False

    def _step(self) -> None:
        if self._next(".", ".."):
            return
        if not self._next("@") and self._peek(1)[1] == "::":
            _, axis, place = self._peek()
            if axis not in ("child", "attribute"):
                raise NoXPathError(f"the axis {axis} is not read", place)
            self._at += 2
        kind, text, _ = self._peek()
        if kind != "name" and text != "*":
            raise self._refused()
        self._at += 1
        if kind == "name" and text in ("text", "node") and self._next("("):
            self._expect(")")
        self._predicates()

    def _predicates(self) -> None:
        while self._next("["):
            self._predicate += 1
            self._level(0)
            self._expect("]")
            self._predicate -= 1
