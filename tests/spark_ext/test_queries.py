"""Spark's result for queries of XML exchanges and for addresses is the reference router's, on bodies of every kind."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from spark_ext import compile_address, create_messages
from transpiler import LayoutError, Message, UnsupportedFeatureError, evaluate
from transpiler.base.source import Source
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.lowering.paths import Queries
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.sql import emit_ternary
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.reference.paths import query_truth
from transpiler.reference.route import route_message
from transpiler.topology import Exchange, Queue, Topology
from transpiler.topology.broker_rules import QPID_CPP
from transpiler.topology.qpid_address.address import NodeType, parse_address, subscription_bindings

BODIES = (
    "",
    "x",
    "<a/>",
    "<a",
    "<a/><a/>",
    "<a><b>1</b></a>",
    "<a><b>1</b></a>x",
    "<a><b>1</b></a>&amp;",
    " <a><b>9</b></a>\n",
    "<!-- c --><a><b>9</b></a><!-- d -->",
    '<?xml version="1.0" encoding="UTF-8"?><a><b>9</b></a>',
    '<?xml\tversion="1.0"?><a><b>1</b></a>',
    '<?xml version="1.0"',
    "\ufeff<a><b>9</b></a>",
    "<!DOCTYPE a><a><b>9</b></a>",
    '<!DOCTYPE a [<!ENTITY e "1">]><a><b>&e;</b></a>',
    "<a>&nbsp;</a>",
    "<a>&#1;</a>",
    "<a>&#xFFFE;</a>",
    "<a>\x01</a>",
    "<a>\ufffe</a>",
    "<a b=1/>",
    "</message-body><message-body>",
    "</message-body ><message-body>",
    "<a><b>1</b><b>x</b></a>",
    "<a><b>7</b><c>2</c></a>",
    "<a><b> 7 </b><c/></a>",
    "<a><b>1e3</b></a>",
    "<a><b>+5</b></a>",
    "<a><b>-0.5</b><b>.5</b></a>",
    "<a><b></b></a>",
    "<a><b>5</b><b>6</b><c>1</c></a>",
    "<a><b>5</b><c>z</c></a>",
    '<a b="5"><b c="9">t<d>u</d>v</b></a>',
    "<a><b>x<!-- c -->y</b></a>",
    "<a><b><![CDATA[x]]>y</b></a>",
    '<a xmlns="u"><b>1</b></a>',
    '<p:a xmlns:p="u"><p:b>1</p:b></p:a>',
    "<p:a><b>1</b></p:a>",
    "<a><b>\U0001f600</b></a>",
    "<a>\r\n<b>1\r\n</b></a>",
    "<a><b>q'\"</b></a>",
)
HEADERS = (
    None,
    "x",
    "",
    0,
    5,
    7.5,
    True,
    {"type": "null", "value": None},
    {"type": "double", "value": "NaN"},
    {"type": "binary", "value": "eA=="},
    {"type": "char", "value": "x"},
)
QUERIES = (
    "/a/b = 1",
    "./a/b = '1'",
    "a/b != 1",
    "//b > 5",
    "not(//b > 5)",
    "not(a/b != 1)",
    "a/b - a/c > 3",
    "not(a/b - a/c > 3)",
    "a/b - a/c != 3",
    "a/b div 0 > 1",
    "not(a/b + a/c = a/b)",
    "a/b * 2 = 2",
    "a/@b = 5",
    "a/b/@c",
    "a/b/text() = 'x'",
    "a/b/text() = 'xy'",
    "a/b = 'xy'",
    "*",
    "a/* = 'z'",
    "a/b = 'q''\"'",
    "exists(a/c) or a/b = 9",
    "a/b = a/c",
    "a/b != a/b",
    "true()",
    "not(a)",
    "a/b = '\U0001f600'",
    "declare variable $h external; $h = 'x'",
    "declare variable $h external; $h != 'x'",
    "declare variable $h external; $h > 5",
    "declare variable $h external; not($h > 5)",
    "declare variable $h external; $h",
    "declare variable $h external; not($h)",
    "declare variable $h external; $h = 5 or a/b = 1",
    "declare variable $h external; 6 < $h and a",
    'declare variable $h external; a = "q\'" or $h != 7',
    "declare variable $h external; not($h = 5 and a/b = 1 and a/c = 2) or true()",
    "declare variable $qpid.subject external; $qpid.subject = 'it''s'",
)


def messages() -> Iterator[Message]:
    """Yield messages with each body, as bytes and as a value, and with one of the headers."""
    for number, text in enumerate(BODIES):
        for form in ("data", "value"):
            body = {"data": base64.b64encode(text.encode()).decode()} if form == "data" else {"value": text}
            data: dict[str, Any] = {"body": body}
            header = HEADERS[(2 * number + (form == "data")) % len(HEADERS)]
            if header is not None:
                data["application_properties"] = {"h": header}
            if number % 3 == 0:
                data["properties"] = {"subject": "it's"}
            yield Message.from_dict(data)
    yield Message.from_dict({"body": {"data": base64.b64encode(b"<a>\xff</a>").decode()}})
    yield Message()


def test_spark_answers_every_query_as_the_reference_does(spark: SparkSession) -> None:
    given = list(messages())
    columns = []
    for number, text in enumerate(QUERIES):
        tree = parse_query(text)
        queries = Queries(AmqpLayout(), "error", QPID_CPP.subject_header, Source(text))
        sql = emit_ternary(optimize(queries.condition(tree, True)), optimize(queries.condition(tree, False)))
        columns.append(sf.expr(sql).alias(str(number)))
    frame = create_messages(spark, given).coalesce(1).select(*columns)
    parted = [
        (text, message.body, message.application_properties, row[number])
        for message, row in zip(given, frame.collect(), strict=True)
        for number, text in enumerate(QUERIES)
        if row[number] is not query_truth(parse_query(text), message, QPID_CPP.subject_header)
    ]
    assert parted == []


def test_a_query_without_a_body_to_read_says_so() -> None:
    layout = AmqpLayout(sections=("properties",))
    with pytest.raises(LayoutError, match="the path reads the message's body"):
        Queries(layout, "error", None, Source("/a")).condition(parse_query("/a"))


ADDRESSES = (
    "n",
    "n/eu.*",
    "n/red",
    "'n'/'it\\'s'",
    "n; {link: {selector: \"h = 'x' OR h > 5\"}}",
    "n/red; {link: {x-bindings: [{key: blue}, {arguments: {x-match: any, h: 5}}]}}",
    "n; {link: {x-bindings: [{key: red, arguments: {x-match: all, h: x}}]}}",
    "n; {link: {x-bindings: [{key: red, arguments: {x-match: all, xquery: '/a'}}]}}",
)
SUBJECTS = (None, "", "red", "blue", "eu.red", "it's")


def test_spark_answers_every_address_as_the_router_and_the_evaluator_do(spark: SparkSession) -> None:
    given = [
        Message.from_dict(
            {
                "properties": {"subject": subject},
                "application_properties": {} if header is None else {"h": header},
                "body": {"value": body},
            }
        )
        for subject in SUBJECTS
        for header in (None, "x", 5, 7.5)
        for body in ("<a/>", "no XML")
    ]
    frame = create_messages(spark, given).coalesce(1)
    cases = [
        (text, node_type)
        for text in ADDRESSES
        for node_type in get_args(NodeType)
        if not (node_type == "headers" and "x-bindings: [{key: blue}" in text)
    ]
    columns = [
        compile_address(text, node_type, result="boolean").alias(str(number))
        for number, (text, node_type) in enumerate(cases)
    ]
    rows = frame.select(*columns).collect()
    parted = [
        (text, node_type, message, row[number])
        for message, row in zip(given, rows, strict=True)
        for number, (text, node_type) in enumerate(cases)
        if row[number] is not received(text, node_type, message)
    ]
    assert parted == []


def received(text: str, node_type: NodeType, message: Message) -> bool:
    """Return True if, in the reference implementation, a receiver on the address gets ``message``."""
    address = parse_address(text)
    selected = evaluate(address.link.selector or "", message) is True
    if node_type == "queue":
        return selected
    bindings = subscription_bindings(address, node_type, "q")
    topology = Topology(QPID_CPP, (Exchange("n", node_type),), (Queue("q"),), bindings)
    return selected and route_message(topology, message, "n") == ("q",)


def test_a_headers_binding_that_the_broker_refuses_is_refused() -> None:
    with pytest.raises(UnsupportedFeatureError, match="x-match"):
        compile_address("n; {link: {x-bindings: [{key: blue}]}}", "headers")
