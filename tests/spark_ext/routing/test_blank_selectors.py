"""An empty or blank selector means no selector: in a binding, and in every dialect whose broker then uses no filter."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from spark_ext import route
from tests.spark_ext.routing.test_route import published, queues
from transpiler import Message, SelectorSyntaxError, Topology, evaluate, route_message, transpile_selector
from transpiler.tools.topology_report.picture import draw
from transpiler.topology import parse_topology

BLANK = ("", " ", "\t\r\n ")

#: A stored virtual host. For a subscription without a selector, Broker-J writes the argument with an empty text.
HOST = {
    "name": "default",
    "queues": [{"name": name} for name in ("all", "blank", "heavy")],
    "exchanges": [
        {
            "name": "orders",
            "type": "topic",
            "durableBindings": [
                {"bindingKey": "eu.#", "destination": "all", "arguments": {"x-filter-jms-selector": ""}},
                {"bindingKey": "#", "destination": "blank", "arguments": {"x-filter-jms-selector": " \n"}},
                {"bindingKey": "#", "destination": "heavy", "arguments": {"x-filter-jms-selector": "weight > 5"}},
            ],
        }
    ],
}
MESSAGES = [
    {"properties": {"subject": "eu.de"}, "application_properties": {"weight": 7}},
    {"properties": {"subject": "eu"}},
    {"properties": {"subject": "us"}, "application_properties": {"weight": 3}},
]
EXPECTED = [["all", "blank", "heavy"], ["all", "blank"], ["blank"]]


def broker_j(selector: str | None = None) -> Topology:
    """Return the virtual host. If ``selector`` is given, the last binding has it."""
    host = json.loads(json.dumps(HOST))
    if selector is not None:
        host["exchanges"][0]["durableBindings"][2]["arguments"]["x-filter-jms-selector"] = selector
    return parse_topology(json.dumps(host), "host.json", form="broker-j")


@pytest.mark.parametrize("dialect", ["jms", "activemq", "artemis", "qpid-java", "qpid-cpp", "rabbitmq-jms"])
@pytest.mark.parametrize("text", BLANK)
def test_a_blank_selector_selects_every_message(dialect: str, text: str) -> None:
    assert evaluate(text, Message(), dialect) is True
    for result in ("filter", "boolean", "ternary"):
        assert transpile_selector(text, dialect=dialect, result=result).sql == "true"  # type: ignore[arg-type]


@pytest.mark.parametrize("text", BLANK)
def test_a_blank_selector_is_refused_where_the_broker_refuses_it(text: str) -> None:
    with pytest.raises(SelectorSyntaxError) as caught:
        transpile_selector(text, dialect="rabbitmq")
    assert caught.value.diagnostics[0].code == "syntax.blank"


def test_broker_j_bindings_with_blank_selectors_load_and_route(spark: SparkSession) -> None:
    topology = broker_j()
    assert topology.findings == ()
    assert "eu.# |" not in draw(topology, "mermaid")
    messages = [Message.from_dict(message) for message in MESSAGES]
    assert [list(route_message(topology, message, "orders")) for message in messages] == EXPECTED
    frame = published(spark, messages, ["orders"] * len(messages))
    assert queues(route(frame, topology)) == EXPECTED


#: Selectors that Broker-J accepts in a binding and the default dialect rejects.
@pytest.mark.parametrize("selector", ["3 IS NULL OR weight = 7", "1 = TRUE OR weight = 7", "weight % 2 = 1"])
def test_the_selectors_of_bindings_are_checked_by_the_rules_of_their_broker(selector: str) -> None:
    assert list(route_message(broker_j(selector), Message.from_dict(MESSAGES[0]), "orders")) == EXPECTED[0]
