"""XPath over a body that is XML: ActiveMQ's body queries, the subset that both engines read, and the limits of Java.

Spark asks the JDK, which would fail the query over an expression that it cannot compile, or that has more operators or
groups than ``jdk.xml.xpathExprOpLimit`` and ``jdk.xml.xpathExprGrpLimit`` allow. It refuses when a row is evaluated,
so an expression has to be refused before. What the library counts was found by asking it: every operator, and also
each slash, star, axis, predicate, dot and function; parentheses are groups except after a function's name.

The subset is that of ``xpath_subset``.

Without variables every expression has a type that its text shows; where only a set of nodes will do, Java throws for
anything else. It throws for two signs in a row, finds no position outside of a predicate, and takes what follows a
union for one more part of it.
"""

from __future__ import annotations

import re
from typing import assert_never

from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.operands import Outcomes, complement
from transpiler.language.path_expressions import xpath_nodes as path
from transpiler.language.path_expressions.xpath import NoXPathError, parse_xpath, tokenize
from transpiler.language.path_expressions.xpath_subset import FUNCTIONS
from transpiler.language.selector import ast
from transpiler.message.documents import NOT_IN_TAGS
from transpiler.message.header_fields import MessageField
from transpiler.message.operand_types import OperandType


def body_query(language: str, query: ast.StringLiteral, layout: Layout, source: Source) -> Outcomes:
    """The outcomes of a query of the body, which is FALSE where the body is no text."""
    if language == "XQUERY":
        # Both brokers answer FALSE to every XQuery.
        return Outcomes(ir.FALSE, ir.TRUE)
    body = layout.field(MessageField("body", "value"))
    data = layout.field(MessageField("body", "data"))
    if body is None and data is None:
        return Outcomes(ir.FALSE, ir.TRUE)
    try:
        excess = beyond_limits(query.value)
        if excess is not None:
            hint = "the reference evaluator has no such limit: selector-sql match"
            message = f"the XPath has {excess} in one expression"
            raise UnsupportedFeatureError.at("limit.xpath", message, source, query.span, hint)
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

_WORDS = ("or", "and", "div", "mod")

#: The signs that Java does not count: the others are operators to it, and a parenthesis may be a group.
_UNCOUNTED = ("(", ")", "]", ",")


def count_xpath(expression: str) -> tuple[int, int]:
    """The operators and the groups of an expression; raise ``NoXPathError`` over what is no token."""
    operators = groups = 0
    before = ""
    for kind, text, _ in tokenize(expression):
        name = before
        before = text if kind == "name" else ""
        if text == "(" and kind == "sign":
            # Before a parenthesis a word is taken for a function as well.
            operators += name != ""
            groups += name in ("", *_WORDS)
        elif kind == "sign":
            operators += text not in _UNCOUNTED
        elif kind == "name":
            operators += text in _WORDS
    return operators, groups


def beyond_limits(expression: str) -> str | None:
    """Describe what is too much in an expression; None where Java accepts it."""
    operators, groups = count_xpath(expression)
    if operators > MAX_OPERATORS:
        return f"{operators} operators and steps, and Java's XPath takes {MAX_OPERATORS}"
    if groups > MAX_GROUPS:
        return f"{groups} pairs of parentheses, and Java's XPath takes {MAX_GROUPS}"
    return None


#: The functions whose argument must be a set of nodes; no function yields one.
_OF_NODES = ("count", "sum", "name")

#: A character that ends a name in a document (``message.documents``).
NOT_IN_NAMES = re.compile(NOT_IN_TAGS, re.ASCII)


def check_xpath(expression: str) -> None:
    """Raise ``NoXPathError`` where a text is no XPath that both engines read."""
    _Check(expression).nodes(parse_xpath(expression), within=False)


def check_name(name: str, place: int) -> None:
    """Raise ``NoXPathError`` for a name that no document has here and that Java may refuse."""
    other = NOT_IN_NAMES.search(name)
    if other is not None:
        raise NoXPathError(f"no document that is read here has {other[0]!r} in a name", place + other.start())


class _Check:
    """The check of one expression; the methods take ``within``, True inside a predicate, where there are positions."""

    def __init__(self, expression: str) -> None:
        self._text = expression

    def nodes(self, expression: path.Expression, within: bool) -> bool:
        """Return True if an expression is a set of nodes; raise where Spark is not given it."""
        match expression:
            case path.Constant():
                return False
            case path.Group(inner=inner):
                return self.nodes(inner, within)
            case path.Negation(operand=operand):
                if isinstance(operand, path.Negation):
                    raise NoXPathError("- is not expected there", operand.span.start)
                self.nodes(operand, within)
                return False
            case path.Operation(first=first, rest=rest):
                self._operation(first, rest, within)
                return False
            case path.Union(parts=parts):
                for part in parts:
                    self._only_nodes(self.nodes(part, within), "has a union", part.span.start)
                return True
            case path.Call():
                self._call(expression, within)
                return False
            case path.Variable(name=name):
                raise NoXPathError(f"the variable ${name} is not read", expression.span.start)
            case path.Filtered(primary=primary, predicates=predicates):
                self._only_nodes(self.nodes(primary, within), "is followed by [", primary.span.end)
                self._predicates(predicates)
                return True
            case path.Path(start=start, steps=steps):
                if not isinstance(start, path.Start):
                    separator = "//" if steps[0].descendants else "/"
                    self._only_nodes(self.nodes(start, within), f"is followed by {separator}", start.span.end)
                for step in steps:
                    self._step(step)
                return True
            case _:
                assert_never(expression)

    def _only_nodes(self, nodes: bool, what: str, place: int) -> None:
        if not nodes:
            raise NoXPathError(f"only a set of nodes {what}", place)

    def _operation(self, first: path.Expression, rest: tuple[tuple[str, path.Expression], ...], within: bool) -> None:
        self.nodes(first, within)
        before = first
        for _, operand in rest:
            # Java takes what follows a union for one more part of it, unless it begins as no path does.
            if _ends_with_union(before) and not re.match(r"[-0-9\"']|\.[0-9]", self._text[operand.span.start :]):
                raise NoXPathError("beside a union only a constant is read", operand.span.start)
            self.nodes(operand, within)
            before = operand

    def _call(self, call: path.Call, within: bool) -> None:
        name, place = call.function, call.span.start
        if name in ("position", "last") and not within:
            raise NoXPathError(f"{name} is read in a predicate only", place)
        if name not in FUNCTIONS:
            raise NoXPathError(f"the function {name} is not read", place)
        for argument in call.arguments:
            nodes = self.nodes(argument, within)
            self._only_nodes(nodes or name not in _OF_NODES, f"is taken by {name}", argument.span.start)
        least, most = FUNCTIONS[name]
        if not least <= len(call.arguments) <= most:
            raise NoXPathError(f"{name} takes {least}{f' to {most}' if most > least else ''} arguments", place)

    def _step(self, step: path.Step) -> None:
        shown = self._text[step.span.start : step.span.end]
        if step.axis not in ("child", "attribute") and shown not in (".", ".."):
            raise NoXPathError(f"the axis {step.axis} is not read", step.span.start)
        if step.test.endswith(")"):
            if step.test not in ("text()", "node()"):
                raise NoXPathError(f"the node test {step.test} is not read", step.span.start)
        elif ":" in step.test:
            raise NoXPathError("a name with a prefix is not read: Spark knows no namespaces", step.span.start)
        elif step.test != "*":
            check_name(step.test, step.span.start + shown.find(step.test))
        self._predicates(step.predicates)

    def _predicates(self, predicates: tuple[path.Expression, ...]) -> None:
        for predicate in predicates:
            self.nodes(predicate, within=True)


def _ends_with_union(expression: path.Expression) -> bool:
    """Return True if the last part of an expression, without brackets, is a union."""
    match expression:
        case path.Union():
            return True
        case path.Group(inner=inner):
            return _ends_with_union(inner)
        case path.Negation(operand=operand):
            return _ends_with_union(operand)
        case path.Operation(rest=rest):
            return _ends_with_union(rest[-1][1])
        case _:
            return False
