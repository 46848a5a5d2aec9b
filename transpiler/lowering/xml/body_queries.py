"""ActiveMQ's body queries: XPATH on a body that is XML; XQUERY, which no broker answers."""

from __future__ import annotations

from transpiler import ir
from transpiler.errors import UnsupportedFeatureError
from transpiler.ir.column_types import STRING
from transpiler.layouts.layout import Layout
from transpiler.lowering.names.column_values import at
from transpiler.lowering.operands import complement
from transpiler.lowering.outcomes import Outcomes
from transpiler.lowering.xml.xpath_limits import beyond_limits
from transpiler.lowering.xml.xpath_subset import NoXPathError, check_xpath
from transpiler.message.fields import MessageField
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
