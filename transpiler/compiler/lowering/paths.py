"""Lowering of paths into XML bodies: XPath in selectors, and queries of XML exchanges.

Spark passes an XPath to the JDK's library, which throws while a row is evaluated, so that the Spark job fails. An
expression that the library would not accept must therefore be rejected here. The library limits the operators
(``jdk.xml.xpathExprOpLimit``) and the groups (``jdk.xml.xpathExprGrpLimit``) of an expression. Experiments showed what
it counts: operators are also each slash, star, axis, predicate, dot and function; groups are parentheses, except after
the name of a function. The library also throws for two signs in a row and for anything but a set of nodes where a set
of nodes is required, has no position outside of predicates, and reads what follows a union as another part of it.

An XPath in a selector is passed on as it is written, if it is in the subset of ``path_expressions.xpath``. A query is
split: its headers become comparisons of columns, and its paths become XPath 1.0. XQuery's errors are unknown, as in the
reference evaluator, so a condition is lowered by polarity. All paths that one AND or OR joins share one test that the
body is XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import reduce
from itertools import pairwise
from typing import assert_never

from transpiler.base.comparison import Comparison
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.comparison.comparison_kinds import compare_values
from transpiler.compiler.lowering.header_pairs import HeaderLookup
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.operands import NULL, Alternative, Outcomes, complement, from_value, or_else
from transpiler.language.conditions import fields_of_header
from transpiler.language.path_expressions import path_tree as tree
from transpiler.language.path_expressions.xpath import FUNCTIONS, NoXPathError, PathParser, parse_xpath
from transpiler.language.selector import ast
from transpiler.message.documents import NOT_IN_TAGS
from transpiler.message.header_fields import MessageField
from transpiler.message.operand_types import OperandType


def body_query(language: str, query: ast.StringLiteral, layout: Layout, source: Source) -> Outcomes:
    """Lower a condition of a selector that queries the body (XPATH or XQUERY). It is FALSE if the body is not text."""
    if language == "XQUERY":
        # The brokers that accept XQUERY, ActiveMQ and Artemis, evaluate every XQuery to FALSE.
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
        what, position = error.args
        span = Span(query.span.start + 1 + position, query.span.end)
        message = f"this XPath cannot be evaluated in Spark SQL: {what}"
        hint = "the broker's answer is FALSE if the text is not a valid XPath"
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


#: Maximum number of operators, and maximum number of groups (pairs of parentheses), in one XPath expression. The JDK
#: has these limits since 8u331, 11.0.15 and 17.0.3.
MAX_OPERATORS, MAX_GROUPS = 100, 10

_WORDS = ("or", "and", "div", "mod")

#: The signs that Java's XPath parser does not count as operators. An opening parenthesis may count as a group.
_UNCOUNTED = ("(", ")", "]", ",")


def count_xpath(expression: str) -> tuple[int, int]:
    """Count the operators and groups of an XPath expression, as Java's parser counts them for its limits.

    Raises ``NoXPathError`` if the expression has an invalid token.
    """
    operators = groups = 0
    before = ""
    for kind, text, _ in PathParser(expression).tokens:
        name = before
        before = text if kind == "name" else ""
        if text == "(" and kind == "sign":
            # Java counts any word before an opening parenthesis as a function call, which is one operator.
            operators += name != ""
            groups += name in ("", *_WORDS)
        elif kind == "sign":
            operators += text not in _UNCOUNTED
        elif kind == "name":
            operators += text in _WORDS
    return operators, groups


def beyond_limits(expression: str) -> str | None:
    """Describe the limit of Java's XPath parser that an expression exceeds; None if it exceeds no limit."""
    operators, groups = count_xpath(expression)
    if operators > MAX_OPERATORS:
        return f"{operators} operators and steps, but Java's XPath accepts at most {MAX_OPERATORS}"
    if groups > MAX_GROUPS:
        return f"{groups} pairs of parentheses, but Java's XPath accepts at most {MAX_GROUPS}"
    return None


#: The functions whose argument must be a set of nodes. No function returns a set of nodes.
_OF_NODES = ("count", "sum", "name")

#: Matches a character that no name in a document has (``message.documents``).
NOT_IN_NAMES = re.compile(NOT_IN_TAGS, re.ASCII)


def check_xpath(expression: str) -> None:
    """Raise ``NoXPathError`` if ``expression`` is not an XPath that both Spark and the reference evaluate."""
    _Check(expression).nodes(parse_xpath(expression), within=False)


def check_name(name: str, position: int) -> None:
    """Raise ``NoXPathError`` if ``name`` is not a valid name in an XML document.

    Java may reject an XPath expression with such a name. ``position`` is the index of the name in its expression.
    """
    other = NOT_IN_NAMES.search(name)
    if other is not None:
        raise NoXPathError(f"no document that is read here has {other[0]!r} in a name", position + other.start())


class _Check:
    """A check of one XPath expression: both Spark and the reference evaluator must be able to evaluate it.

    The argument ``within`` of the methods is True inside the brackets of an XPath predicate, where ``position()`` and
    ``last()`` are allowed.
    """

    def __init__(self, expression: str) -> None:
        self._text = expression

    def nodes(self, expression: tree.Expression, within: bool) -> bool:
        """Return True if an expression is a set of nodes. Raises ``NoXPathError`` if Spark cannot evaluate it."""
        match expression:
            case tree.Constant():
                return False
            case tree.Group(inner=inner):
                return self.nodes(inner, within)
            case tree.Negation(operand=operand):
                if isinstance(operand, tree.Negation):
                    raise NoXPathError("- is not expected here", operand.span.start)
                self.nodes(operand, within)
                return False
            case tree.Operation():
                self._operation(expression.operands, within)
                return False
            case tree.Union(parts=parts):
                for part in parts:
                    self._only_nodes(self.nodes(part, within), "has a union", part.span.start)
                return True
            case tree.Call():
                self._call(expression, within)
                return False
            case tree.Variable(name=name):
                raise NoXPathError(f"the variable ${name} is not supported", expression.span.start)
            case tree.Filtered(primary=primary, predicates=predicates):
                self._only_nodes(self.nodes(primary, within), "is followed by [", primary.span.end)
                self._predicates(predicates)
                return True
            case tree.Path(start=start, steps=steps):
                if not isinstance(start, tree.Start):
                    separator = "//" if steps[0].descendants else "/"
                    self._only_nodes(self.nodes(start, within), f"is followed by {separator}", start.span.end)
                for step in steps:
                    self._step(step)
                return True
            case _:
                assert_never(expression)

    def _only_nodes(self, nodes: bool, what: str, index: int) -> None:
        if not nodes:
            raise NoXPathError(f"only a set of nodes {what}", index)

    def _operation(self, operands: tuple[tree.Expression, ...], within: bool) -> None:
        self.nodes(operands[0], within)
        for before, operand in pairwise(operands):
            # In ``a | b = c``, Java's XPath parser reads ``b = c`` as one part of the union. It does not if the operand
            # after the union begins with a digit, a minus, a point or a quote, because no path begins with these.
            if _ends_with_union(before) and not re.match(r"[-0-9\"']|\.[0-9]", self._text[operand.span.start :]):
                raise NoXPathError("a union can only be compared with a constant", operand.span.start)
            self.nodes(operand, within)

    def _call(self, call: tree.Call, within: bool) -> None:
        name, position = call.function, call.span.start
        if name in ("position", "last") and not within:
            raise NoXPathError(f"{name} is supported only in a predicate", position)
        if name not in FUNCTIONS:
            raise NoXPathError(f"the function {name} is not supported", position)
        for argument in call.arguments:
            nodes = self.nodes(argument, within)
            self._only_nodes(nodes or name not in _OF_NODES, f"is taken by {name}", argument.span.start)
        least, most = FUNCTIONS[name]
        if not least <= len(call.arguments) <= most:
            numbers = f"{least}{f' to {most}' if most > least else ''} argument{'' if least == most == 1 else 's'}"
            raise NoXPathError(f"{name} takes {numbers}", position)

    def _step(self, step: tree.Step) -> None:
        shown = self._text[step.span.start : step.span.end]
        if step.axis not in ("child", "attribute") and shown not in (".", ".."):
            raise NoXPathError(f"the axis {step.axis} is not supported", step.span.start)
        if step.test.endswith(")"):
            if step.test not in ("text()", "node()"):
                raise NoXPathError(f"the node test {step.test} is not supported", step.span.start)
        elif ":" in step.test:
            raise NoXPathError(
                "a name with a prefix is not supported, because Spark ignores namespaces", step.span.start
            )
        elif step.test != "*":
            check_name(step.test, step.span.start + shown.find(step.test))
        self._predicates(step.predicates)

    def _predicates(self, predicates: tuple[tree.Expression, ...]) -> None:
        for predicate in predicates:
            self.nodes(predicate, within=True)


def _ends_with_union(expression: tree.Expression) -> bool:
    """Return True if the last operand of an expression is a union, such as ``a | b``, with or without parentheses."""
    match expression:
        case tree.Union():
            return True
        case tree.Group(inner=inner) | tree.Negation(operand=inner):
            return _ends_with_union(inner)
        case tree.Operation(rest=rest):
            return _ends_with_union(rest[-1][1])
        case _:
            return False


#: The comparisons by XPath's spelling, which differs from that of selectors in one operator.
_OPERATORS = {operator.value: operator for operator in Comparison} | {"!=": Comparison.NE}


class Queries:
    """The lowering, over one layout, of the XQuery conditions by which an XML exchange of Qpid C++ selects messages."""

    def __init__(self, layout: Layout, missing: Missing, subject_header: str | None, source: Source) -> None:
        self._layout = layout
        self._missing = missing
        self._headers = HeaderLookup(layout, missing)
        self._subject_header = subject_header
        self._source = source
        self._body: ir.Value | None = None

    def condition(self, condition: tree.Expression, polarity: bool = True) -> ir.Predicate:
        """Return the predicate that a condition is TRUE, or FALSE if ``polarity`` is False.

        Raises ``LayoutError`` if the layout has no column for a header or for the body.
        """
        if _only_body(condition):
            return self._ask(condition, polarity)
        match condition:
            case tree.Call(function="not", arguments=(operand,)):
                return self.condition(operand, not polarity)
            case tree.Call(function=name):
                return ir.BoolConst((name == "true") is polarity)
            case tree.Operation(sign=sign) if sign in tree.CONNECTIVES:
                joined = ir.all_of if (sign == "and") is polarity else ir.any_of
                return joined(*(self.condition(part, polarity) for part in _gathered(condition)))
            case tree.Operation(first=tree.Variable() as variable, rest=((sign, literal),)):
                return self._compare(variable, _OPERATORS[sign], literal, polarity)
            case tree.Operation(first=literal, rest=((sign, tree.Variable() as variable),)):
                return self._compare(variable, _OPERATORS[sign].mirrored, literal, polarity)
            case tree.Variable():
                return self._holds(condition, polarity)
            case _:
                raise AssertionError(condition)

    def _ask(self, condition: tree.Expression, polarity: bool) -> ir.Predicate:
        self._check_limits(condition, polarity)
        if self._body is None:
            self._body = self._find_body(condition)
            if self._body is None:
                return ir.FALSE
        return ir.XPath(self._body, _xpath(condition, polarity))

    def _check_limits(self, condition: tree.Expression, polarity: bool) -> None:
        match condition:
            case tree.Operation(sign=sign) if sign in tree.CONNECTIVES:
                for operand in condition.operands:
                    self._check_limits(operand, polarity)
            case tree.Call(arguments=(operand,)):
                self._check_limits(operand, not polarity)
            case _:
                self._check_names(condition)
                for test in _expressions(_xpath(condition, polarity)):
                    excess = beyond_limits(test)
                    if excess is not None:
                        message = f"the comparison would become an XPath with {excess}"
                        hint = "perhaps shorten the path, for example with //, or use fewer values in the arithmetic"
                        raise UnsupportedFeatureError.at("limit.xpath", message, self._source, condition.span, hint)

    def _check_names(self, condition: tree.Expression) -> None:
        try:
            for path in tree.paths(condition):
                for step in path.steps:
                    if step.test not in ("*", "text()"):
                        check_name(step.test, 0)
        except NoXPathError as error:
            raise UnsupportedFeatureError.at("spark.xpath", error.args[0], self._source, condition.span) from None

    def _find_body(self, condition: tree.Expression) -> ir.Value | None:
        values: list[ir.Value] = []
        for name in ("data", "value"):
            location = self._layout.field(MessageField("body", name))
            if location is None:
                continue
            operand = at(location)
            values += [item.value for item in operand.of(OperandType.STRING)]
            if name == "data":
                values += [
                    ir.Apply(ir.Function.DECODED, (item.value,), STRING) for item in operand.of(OperandType.BYTES)
                ]
        if not values:
            if self._missing == "null":
                return None
            message = "the path reads the message's body, but the layout has no column for the body"
            raise LayoutError.at("layout.no-column", message, self._source, _first_test(condition).span)
        return ir.first_of(values, STRING)

    def _header(self, variable: tree.Variable) -> tuple[Alternative, ...]:
        read = fields_of_header(variable.name, self._subject_header)
        values_read = self._headers.find(read, source=self._source, span=variable.span).stored_values
        # A header whose value is null is treated as absent, so the next field that can hold the header is read.
        operand = reduce(or_else, map(at, values_read), NULL)
        return tuple(item for item in operand.alternatives if item.type in _COMPARED)

    def _compare(
        self, variable: tree.Variable, operator: Comparison, literal: tree.Expression, polarity: bool
    ) -> ir.Predicate:
        # In XQuery, the comparison of a string with a number is an error. So if the header has another type than the
        # literal, the comparison is neither TRUE nor FALSE.
        assert isinstance(literal, tree.Constant)
        value = ir.constant(literal.value)
        textual = isinstance(literal.value, str)
        return ir.any_of(
            *(
                ir.all_of(item.guard, compare_values(operator, item.value, value, polarity))
                for item in self._header(variable)
                if (item.type is OperandType.STRING) is textual
            )
        )

    def _holds(self, variable: tree.Variable, polarity: bool) -> ir.Predicate:
        return ir.any_of(*(ir.all_of(item.guard, _counts_as(item, polarity)) for item in self._header(variable)))


_COMPARED = (OperandType.STRING, OperandType.LONG, OperandType.DOUBLE)


def _counts_as(item: Alternative, polarity: bool) -> ir.Predicate:
    """Return the predicate that the effective boolean value of ``item`` is ``polarity``.

    An empty string, zero and NaN are FALSE; all other strings and numbers are TRUE.
    """
    if item.type is OperandType.STRING:
        return compare_values(Comparison.NE, item.value, ir.constant(""), polarity)
    zero = compare_values(Comparison.EQ, item.value, ir.constant(0), not polarity)
    if item.type is OperandType.LONG:
        return zero
    present = from_value(item.type, item.value).present
    if polarity:
        return ir.all_of(present, zero, ir.IsNan(item.value, negated=True))
    return ir.any_of(zero, ir.IsNan(item.value))


def _only_body(condition: tree.Expression) -> bool:
    """Return True if ``condition`` reads only the message's body, and no header, in each operand of its AND or OR."""
    match condition:
        case tree.Operation(sign=sign) if sign in tree.CONNECTIVES:
            return all(map(_only_body, condition.operands))
        case tree.Call(arguments=(operand,)):
            return _only_body(operand)
        case _:
            return bool(tree.paths(condition))


def _gathered(whole: tree.Operation) -> Iterator[tree.Expression]:
    """Yield the operands of ``whole``, an AND or OR; those that read only the message's body are joined to one operand.

    So the SQL contains a single XPath test of the body.
    """
    body = tuple(operand for operand in whole.operands if _only_body(operand))
    yield from (operand for operand in whole.operands if not _only_body(operand))
    if body:
        first, *rest = body
        yield tree.Operation(first, tuple((whole.sign, operand) for operand in rest), whole.span) if rest else first


def _first_test(condition: tree.Expression) -> tree.Expression:
    """Return the first path or comparison in ``condition``, a condition on the message's body."""
    match condition:
        case tree.Operation(first=first, sign=sign) if sign in tree.CONNECTIVES:
            return _first_test(first)
        case tree.Call(arguments=(operand,)):
            return _first_test(operand)
        case _:
            return condition


def _xpath(condition: tree.Expression, polarity: bool) -> ir.XPathTest:
    """Return an XPath that is true if ``condition``, which reads the body, is TRUE (FALSE if ``polarity`` is False)."""
    match condition:
        case tree.Call(arguments=(operand,)):
            return _xpath(operand, not polarity)
        case tree.Operation(sign=sign) if sign in tree.CONNECTIVES:
            every = (sign == "and") is polarity
            tests = tuple(_xpath(operand, polarity) for operand in condition.operands)
            return ir.XPathChain("AND" if every else "OR", tests)
        case tree.Operation():
            return _comparison(condition, polarity)
        case _:
            return _spelled(condition) if polarity else f"not({_spelled(condition)})"


def _expressions(test: ir.XPathTest) -> Iterator[str]:
    if isinstance(test, str):
        yield test
    else:
        for term in test.terms:
            yield from _expressions(term)


def _comparison(condition: tree.Operation, polarity: bool) -> ir.XPathTest:
    sides, sign = condition.operands, condition.sign
    if all(isinstance(side, tree.Path) or tree.is_string(side) for side in sides):
        test = f" {sign} ".join(map(_spelled, sides))
        return test if polarity else f"not({test})"
    # Exclude nodes whose text is not a number from the comparison: XPath 1.0 would read the text as NaN, for which
    # ``!=`` is true.
    test = f" {sign} ".join(map(_numbers, sides))
    single = [_spelled(path) for side in sides if isinstance(side, tree.Operation) for path in tree.paths(side)]
    if polarity:
        numbers = [part for path in single for part in (f"count({path}) = 1", f"number({path}) = number({path})")]
        return ir.XPathChain("AND", (test, *numbers)) if numbers else test
    # The comparison is FALSE if one side selects no node. It is also FALSE if all nodes of both sides are numbers and
    # no pair of these numbers satisfies it.
    every = [_spelled(side) for side in sides if isinstance(side, tree.Path)] + single
    exact = ir.XPathChain("AND", (f"not({test})", *(f"not({path}[not(number() = number())])" for path in every)))
    absent = ir.XPathChain("OR", (exact, *(f"not({path})" for path in every)))
    return ir.XPathChain("AND", (absent, *(f"count({path}) <= 1" for path in single))) if single else absent


def _numbers(operand: tree.Expression) -> str:
    return f"{_spelled(operand)}[number() = number()]" if isinstance(operand, tree.Path) else _spelled(operand)


def _spelled(operand: tree.Expression) -> str:
    """Spell an operand of a query in XPath 1.0."""
    match operand:
        case tree.Path(steps=(tree.Step(True, "child", name),)) if name != "*":
            # In the path ``//name``, and in no other path, Java compares ``name`` with a node's whole name, including
            # its prefix. The form ``//self::name`` avoids this.
            return f"//self::{name}"
        case tree.Path(steps=steps):
            return "".join(f"/{'/' * step.descendants}{'@' * (step.axis == 'attribute')}{step.test}" for step in steps)
        case tree.Constant(value=str(text)):
            return _literal(text)
        case tree.Constant(value=value):
            # XPath 1.0 has no exponents.
            return format(Decimal(repr(value)), "f")
        case tree.Operation(first=first, rest=rest):
            # Write only the parentheses that are needed, because Java limits the number of groups.
            level = _tightness(operand)
            parts = [_spelled(first) if _tightness(first) >= level else f"({_spelled(first)})"]
            for sign, other in rest:
                parts += (sign, _spelled(other) if _tightness(other) > level else f"({_spelled(other)})")
            return " ".join(parts)
        case _:
            raise AssertionError(operand)


def _tightness(operand: tree.Expression) -> int:
    return 3 if not isinstance(operand, tree.Operation) else 2 if operand.sign in ("*", "div") else 1


def _literal(text: str) -> str:
    """Spell a string in XPath 1.0, whose literals cannot have both kinds of quotes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    parts = ', "\'", '.join(f"'{part}'" for part in text.split("'"))
    return f"concat({parts})"
