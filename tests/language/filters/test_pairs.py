"""Pairs of a required value and a message's value: filters, addresses and topologies agree in Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.language.filters import vectors
from tests.routing import rabbitmq_headers
from tests.sizes import sample, size
from tests.spark_ext.harness import answers, numbered
from tests.spark_ext.routing.test_route import PHASES
from transpiler import LayoutError, Message, matches, route_message, transpile_address, transpile_filter
from transpiler.compiler.inference import layout_from_schema
from transpiler.language.filters.kinds import ApplicationPropertiesFilter, Filter, HeadersBinding, Match, NotFilter
from transpiler.message.sections import Properties
from transpiler.message.types import AmqpType, AmqpValue, Compound
from transpiler.routing.plan import build_plan
from transpiler.topology import QPID_CPP, Binding, Exchange, Queue, Topology
from transpiler.topology.qpid_address.address import NodeType, parse_address, subscription_bindings

#: Values of types that AMQP 0-9-1 does not have, and values near the points at which unsigned longs become negative or
#: inexact.
MORE = (
    AmqpValue(AmqpType.ULONG, 1),
    AmqpValue(AmqpType.ULONG, 2**63 - 1),
    AmqpValue(AmqpType.ULONG, 2**63),
    AmqpValue(AmqpType.ULONG, 2**63 + 1024),
    AmqpValue(AmqpType.ULONG, 2**63 + 1025),
    AmqpValue(AmqpType.ULONG, 2**64 - 1025),
    AmqpValue(AmqpType.ULONG, 2**64 - 1024),
    AmqpValue(AmqpType.ULONG, 2**64 - 1),
    AmqpValue(AmqpType.DOUBLE, 2.0**63),
    AmqpValue(AmqpType.DOUBLE, 2.0**63 + 2048),
    AmqpValue(AmqpType.DOUBLE, 2.0**64 - 2048),
    AmqpValue(AmqpType.DOUBLE, 2.0**64),
    AmqpValue(AmqpType.DOUBLE, float("nan")),
    AmqpValue(AmqpType.DOUBLE, float("inf")),
    AmqpValue(AmqpType.DECIMAL128, Decimal("1.5")),
    AmqpValue(AmqpType.CHAR, "a"),
    AmqpValue(AmqpType.SYMBOL, "a"),
    AmqpValue(AmqpType.UUID, UUID(int=0x45)),
    AmqpValue(AmqpType.BINARY, UUID(int=0x45).bytes),
)
VALUES = [*(rabbitmq_headers.read(row["value"]) for row in rabbitmq_headers.rows()), *MORE]
MESSAGES = [*(Message(application_properties={"h": value}) for value in VALUES), Message()]


def filters(value: AmqpValue) -> list[Filter]:
    pair = HeadersBinding(Match.ALL, (("h", value),))
    either = HeadersBinding(Match.ANY, (("h", value), ("missing", value)))
    return [pair, either, NotFilter(pair), ApplicationPropertiesFilter((("h", value),))]


@pytest.mark.parametrize("layout", ["amqp", "amqp-0-10"])
def test_filters_on_every_pair_are_answered_as_the_reference_does(spark: SparkSession, layout: str) -> None:
    asked = [node for value in VALUES if not isinstance(value.type, Compound) for node in filters(value)]
    asked = sample(asked, 120, type)
    frame = numbered(create_messages(spark, MESSAGES, layout))
    texts = [transpile_filter(node, layout, result="boolean").sql for node in asked]
    for node, column in zip(asked, answers(frame, texts), strict=True):
        for message, answer in zip(MESSAGES, column, strict=True):
            assert answer is matches(node, message), (node, message)


@pytest.mark.parametrize(
    ("wanted", "found", "answer"),
    [
        (AmqpValue(AmqpType.LONG, -1), AmqpValue(AmqpType.ULONG, 2**64 - 1), False),
        (AmqpValue(AmqpType.ULONG, 2**64 - 1), AmqpValue(AmqpType.LONG, -1), False),
        (AmqpValue(AmqpType.ULONG, 2**64 - 1), AmqpValue(AmqpType.ULONG, 2**64 - 1), True),
        (AmqpValue(AmqpType.ULONG, 5), AmqpValue(AmqpType.BYTE, 5), True),
        (AmqpValue(AmqpType.INT, 1), AmqpValue(AmqpType.DOUBLE, 1.0), False),
        (AmqpValue(AmqpType.FLOAT, 1.5), AmqpValue(AmqpType.DOUBLE, 1.5), True),
        (AmqpValue(AmqpType.NULL, None), AmqpValue(AmqpType.NULL, None), True),
        (AmqpValue(AmqpType.STRING, ""), AmqpValue(AmqpType.STRING, "a"), False),
        (AmqpValue(AmqpType.STRING, "a"), AmqpValue(AmqpType.BINARY, b"a"), False),
    ],
)
def test_a_headers_filter_compares_as_decided(wanted: AmqpValue, found: AmqpValue, answer: bool) -> None:
    message = Message(application_properties={"h": found})
    assert matches(HeadersBinding(Match.ALL, (("h", wanted),)), message) is answer
    assert matches(HeadersBinding(Match.ANY, (("h", wanted),)), message) is answer


def test_other_keys_with_x_are_ignored_and_any_of_nothing_matches_nothing() -> None:
    number = AmqpValue(AmqpType.LONG, 1)
    for match, answer in ((Match.ALL, True), (Match.ANY, False)):
        assert matches(HeadersBinding(match), Message()) is answer
        assert matches(HeadersBinding(match, (("x-h", number),)), Message()) is answer
    with pytest.raises(ValueError, match="x-match is missing"):
        matches({"f": {"descriptor": "apache.org:legacy-amqp-headers-binding:map", "value": {"h": 1}}}, Message())


def test_typed_columns_are_compared_as_the_reference_does(spark: SparkSession) -> None:
    schema = "a BOOLEAN, b BIGINT, c DOUBLE, d STRING, e BINARY, f DECIMAL(10,2), g TIMESTAMP, i INT, j FLOAT"
    types = [AmqpType.BOOLEAN, AmqpType.LONG, AmqpType.DOUBLE, AmqpType.STRING, AmqpType.BINARY, AmqpType.DECIMAL128]
    types += [AmqpType.TIMESTAMP, AmqpType.INT, AmqpType.FLOAT]
    rows: list[tuple[object, ...]] = [
        (True, 1, 1.0, "a", b"a", Decimal("1.00"), 1_000, 1, 1.0),
        (False, -1, -1.0, "", b"", Decimal("1.50"), 1, 0, 1.5),
        (None,) * 9,
    ]
    staged = spark.createDataFrame(rows, schema.replace("g TIMESTAMP", "g BIGINT"))
    frame = numbered(staged.selectExpr(*"abcdef", "timestamp_millis(g) AS g", "i", "j"))
    layout = layout_from_schema(frame.drop("id").schema.jsonValue())
    simple = [value for value in VALUES if not isinstance(value.type, Compound) and value.type is not AmqpType.NULL]
    asked = [
        made
        for name in "abcdefgij"
        for value in simple
        for made in (HeadersBinding(Match.ALL, ((name, value),)), ApplicationPropertiesFilter(((name, value),)))
    ]
    asked = sample(asked, 60, type)
    messages = [
        Message(
            application_properties={
                name: AmqpValue(kind, value)  # type: ignore[arg-type]
                for name, kind, value in zip("abcdefgij", types, row, strict=True)
                if value is not None
            }
        )
        for row in rows
    ]
    columns = answers(frame, [transpile_filter(node, layout, result="boolean").sql for node in asked])
    for node, column in zip(asked, columns, strict=True):
        assert column == [matches(node, message) for message in messages], node


WRITTEN = (
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1000",
    "9007199254740993",
    "1.0",
    "1.5",
    "-1.0",
    "a",
    "''",
    "'1'",
    "'true'",
)


def agree(spark: SparkSession, arguments: Sequence[str], messages: Sequence[Message]) -> None:
    """Check that the SQL of an address accepts the messages that a topology with the same binding delivers."""
    addresses = [f"n; {{link: {{x-bindings: [{{arguments: {{{text}}}}}]}}}}" for text in arguments]
    columns = answers(
        numbered(create_messages(spark, messages)),
        [transpile_address(address, "headers", result="boolean").sql for address in addresses],
    )
    for address, column in zip(addresses, columns, strict=True):
        [made] = subscription_bindings(parse_address(address), "headers", "q")
        topology = Topology(
            QPID_CPP, (), (Queue("q"),), (Binding("amq.match", "q", made.key, made.arguments),), "amq.match"
        )
        assert column == [route_message(topology, message) == ("q",) for message in messages], address


def test_an_address_takes_what_its_binding_routes_on_every_pair(spark: SparkSession) -> None:
    agree(spark, [f"x-match: all, h: {text}" for text in WRITTEN], MESSAGES)


@pytest.mark.parametrize("node_type", ["direct", "topic"])
def test_an_address_takes_the_routing_keys_that_its_binding_routes(spark: SparkSession, node_type: NodeType) -> None:
    patterns = sorted({row["binding"] for row in vectors.topics()})
    keys: list[str | None] = [None, *sorted({row["routing_key"] for row in vectors.topics()})]
    messages = [Message(properties=Properties(subject=key)) for key in keys]
    addresses = [f"amq.{node_type}; {{link: {{x-bindings: [{{key: '{pattern}'}}]}}}}" for pattern in patterns]
    columns = answers(
        numbered(create_messages(spark, messages)),
        [transpile_address(address, node_type, result="boolean").sql for address in addresses],
    )
    source = f"amq.{node_type}"
    for pattern, column in zip(patterns, columns, strict=True):
        topology = Topology(QPID_CPP, (), (Queue("q"),), (Binding(source, "q", pattern),), source)
        assert column == [route_message(topology, message) == ("q",) for message in messages], pattern


def test_an_address_asks_for_a_boolean_as_the_number_that_it_is() -> None:
    one, true = (Message.from_dict({"application_properties": {"n": value}}) for value in (1, True))
    for text in ("true", "1"):
        address = f"n; {{link: {{x-bindings: [{{arguments: {{x-match: all, n: {text}}}}}]}}}}"
        [made] = subscription_bindings(parse_address(address), "headers", "q")
        topology = Topology(QPID_CPP, (), (Queue("q"),), (Binding("amq.match", "q", "", made.arguments),), "amq.match")
        assert [route_message(topology, message) for message in (one, true)] == [("q",), ("q",)]
        sql = transpile_address(address, "headers").sql
        assert "['n'].boolean" in sql
        assert "['n'].long" in sql


def test_a_header_without_a_column_has_one_error() -> None:
    layout = layout_from_schema({"type": "struct", "fields": [{"name": "color", "type": "string", "nullable": True}]})
    pairs = {"x-match": AmqpValue(AmqpType.STRING, "all"), "colour": AmqpValue(AmqpType.STRING, "red")}
    text = "declare variable $colour external; $colour = 'red'"
    topology = Topology(
        QPID_CPP,
        (Exchange("h", "headers"), Exchange("x", "xml")),
        (Queue("q"),),
        (Binding("h", "q", "", pairs), Binding("x", "q", "", {"xquery": AmqpValue(AmqpType.STRING, text)})),
    )
    address = "n; {link: {x-bindings: [{arguments: {x-match: all, colour: red}}]}}"
    present = {"descriptor": "apache.org:legacy-amqp-headers-binding:map", "value": {"x-match": "any", "colour": None}}
    compiled = (
        ("filters.f: ", lambda: transpile_filter({"f": present}, layout)),
        ("", lambda: transpile_filter(HeadersBinding(Match.ALL, (("colour", pairs["colour"]),)), layout)),
        ("", lambda: transpile_address(address, "headers", layout)),
        ("the binding h -> q: ", lambda: build_plan(topology, layout, "error", "h")),
        ("the binding x -> q: ", lambda: build_plan(topology, layout, "error", "x")),
    )
    for prefix, compile_it in compiled:
        with pytest.raises(LayoutError) as error:
            compile_it()
        [finding] = error.value.diagnostics
        assert finding.message.removeprefix("filters: ") == f"{prefix}no column contains the property colour"
        assert finding.hint == "did you mean color? Names are case-sensitive"


@st.composite
def bindings(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(("a", "b", "x-c", "qpid.subject")), max_size=3, unique=True))
    pairs = [("x-match", draw(st.sampled_from(("all", "any"))))]
    pairs += [(name, draw(st.sampled_from(WRITTEN))) for name in names]
    return ", ".join(f"{name}: {text}" for name, text in pairs)


@given(data=st.data())
@settings(max_examples=size(2, 5), phases=PHASES, suppress_health_check=list(HealthCheck))
def test_random_addresses_take_what_their_bindings_route(spark: SparkSession, data: st.DataObject) -> None:
    values = st.sampled_from(VALUES)
    headers = st.dictionaries(st.sampled_from(("a", "b", "x-c", "qpid.subject")), values, max_size=4)
    subjects = st.sampled_from((None, "", "a", "1"))
    messages = st.builds(
        lambda found, subject: Message(properties=Properties(subject=subject), application_properties=found),
        headers,
        subjects,
    )
    drawn = data.draw(st.lists(messages, min_size=40, max_size=40))
    agree(spark, data.draw(st.lists(bindings(), min_size=30, max_size=30)), drawn)


def test_a_value_that_holds_others_is_read_and_written() -> None:
    data = {
        "table": {
            "type": "map",
            "value": {"a": 1, "b": {"type": "list", "value": [{"type": "int", "value": 1}, None]}},
        },
        "empty": {"type": "list", "value": []},
        "unknown": {"type": "array"},
    }
    message = Message.from_dict(json.loads(json.dumps({"application_properties": data})))
    assert message.to_dict() == {"application_properties": data}
