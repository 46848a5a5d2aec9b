"""Explanations of routes: why a message did not match the bindings that did not deliver it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.routing import topologies
from tests.sizes import size
from transpiler import Message, Topology
from transpiler.base.topics import TOPIC_SYNTAX
from transpiler.cli import main
from transpiler.reference.conditions import matches_words
from transpiler.reference.route import publish, trace
from transpiler.tools.explanation.binding_facts import lacks, part_words
from transpiler.tools.explanation.routes import explain_route
from transpiler.topology import topology_from_dict

DEFINITIONS = str(Path(__file__).parents[3] / "examples" / "data" / "definitions.json")
MANY = settings(max_examples=size(8, 60), suppress_health_check=list(HealthCheck))


@given(pattern=topologies.patterns, key=topologies.keys)
@settings(max_examples=size(200, 4_000))
def test_a_key_needs_no_edit_where_it_matches(pattern: str, key: str) -> None:
    parting = part_words(TOPIC_SYNTAX.pattern(pattern), key.split("."))
    assert (parting.edits == 0) is matches_words(TOPIC_SYNTAX.pattern(pattern), key.split("."))
    assert (parting.first == "") is (parting.edits == 0)


@pytest.mark.parametrize(
    ("pattern", "key", "edits", "first"),
    [
        ("orders.us.*", "orders.eu.new", 1, "word 2 is 'eu', not 'us'"),
        ("orders.us", "orders", 1, "'us' is lacking behind word 1"),
        ("orders.*", "orders", 1, "another word is lacking behind word 1"),
        ("orders", "orders.eu", 1, "word 2, 'eu', is one too many"),
        ("#.new", "orders.old", 1, "word 2 is 'old', not 'new'"),
        ("orders.#.new", "orders", 1, "'new' is lacking behind word 1"),
        ("a", "", 1, "word 1 is '', not 'a'"),
        ("#", "a.b", 0, ""),
        ("a.b.c", "x.y.z", 3, "word 1 is 'x', not 'a'"),
    ],
)
def test_a_key_parts_from_a_pattern_at_a_word(pattern: str, key: str, edits: int, first: str) -> None:
    assert part_words(TOPIC_SYNTAX.pattern(pattern), key.split(".")) == (edits, first)


def test_long_keys_are_compared_at_their_beginnings() -> None:
    parting = part_words(["a"] * 9_000, ["b"] * 10_000)
    assert parting.first == "word 1 is 'b', not 'a'"
    assert parting.edits >= 1_000


@pytest.mark.parametrize("rules", topologies.BROKERS, ids=lambda rules: rules.name)
@given(data=st.data())
@MANY
def test_a_message_lacks_something_for_each_binding_that_did_not_take_it(rules: Any, data: st.DataObject) -> None:
    topology: Topology = data.draw(topologies.topologies(rules))
    message: Message = data.draw(topologies.messages())
    names = [name for name, exchange in topology.exchange_by_name.items() if not exchange.internal]
    exchange = data.draw(st.sampled_from(sorted(names)))
    keys = data.draw(st.none() | st.lists(st.none() | topologies.keys, max_size=2))
    explanation = explain_route(topology, message, exchange, keys, nearest=3)
    assert explanation.routed == publish(topology, message, exchange, keys)
    traced = trace(topology, message, exchange, keys)
    answers = []
    for visit in traced.visits:
        bindings = topology.bindings_by_source.get(visit.exchange.name, ()) if visit.matched else ()
        for binding, matched in zip(bindings, visit.matched, strict=True):
            answers.append(matched)
            lacking = lacks(topology, binding, visit, message)
            assert (not lacking) is matched, binding
            assert all(lack.text and "\n" not in lack.text and lack.distance > 0 for lack in lacking)
    assert len(explanation.took) == sum(answers)
    assert len(explanation.nearly) + explanation.others == len(answers) - sum(answers)
    distances = [one.distance for one in explanation.nearly]
    assert distances == sorted(distances)
    reached = {one.binding.destination for one in explanation.took if one.binding.destination_type == "queue"}
    if exchange and explanation.routed.outcome == "delivered":
        assert reached <= set(explanation.routed.queues)
    assert json.loads(json.dumps(explanation.to_dict()))
    assert str(explanation).isprintable() is ("\n" not in str(explanation))


TOPOLOGY = {
    "broker": "qpid-java",
    "queues": ["red", "big", "eu", "all", "one"],
    "exchanges": [{"name": "h", "type": "headers"}, {"name": "t", "type": "topic"}, {"name": "d", "type": "direct"}],
    "bindings": [
        {"source": "h", "queue": "red", "arguments": {"x-match": "all", "color": "red", "region": "eu"}},
        {"source": "h", "queue": "big", "arguments": {"x-match": "any", "size": 5, "weight": 7}},
        {"source": "t", "queue": "eu", "key": "orders.eu.*"},
        {"source": "t", "queue": "all", "key": "orders.#", "arguments": {"x-filter-jms-selector": "weight > 2500"}},
        {"source": "d", "exchange": "h", "key": "go"},
        {"source": "d", "queue": "one", "key": "og"},
    ],
}


@pytest.mark.parametrize(
    ("exchange", "message", "text"),
    [
        (
            "h",
            {"application_properties": {"color": "red", "region": "us", "size": "5"}},
            "exchange h, no key → no queue (discarded)\n"
            "  nearly took it\n"
            "    red  region is 'us', not 'eu'\n"
            "    big  none of 2: size is '5', not 5 and weight is missing",
        ),
        (
            "t",
            {"properties": {"subject": "orders.us.new"}, "application_properties": {"weight": "2600"}},
            "exchange t, key 'orders.us.new' → no queue (discarded)\n"
            "  nearly took it\n"
            "    all  weight is the text '2600'; text is never above a number\n"
            "    eu   pattern 'orders.eu.*': word 2 is 'us', not 'eu'",
        ),
        (
            "d",
            {"properties": {"subject": "go"}, "application_properties": {"color": "red", "region": "eu"}},
            "exchange d, key 'go' → red (delivered)\n"
            "  took it\n"
            "    d → exchange h  key 'go'\n"
            "    h → red         all: color=red, region=eu\n"
            "  nearly took it\n"
            "    d → one  the key is 'go', not 'og'\n"
            "    h → big  none of 2: size is missing and weight is missing",
        ),
        ("", {"properties": {"subject": "oen"}}, "no queue is called 'oen'; did you mean one?"),
        ("", {}, "the default exchange delivers to the queue that the key names, and the message has no key"),
        ("amq.topic", {}, "the exchange amq.topic has no bindings"),
        ("tt", {}, "there is no exchange called 'tt'"),
    ],
)
def test_an_explanation_says_what_was_lacking(exchange: str, message: Any, text: str) -> None:
    explanation = explain_route(topology_from_dict(TOPOLOGY), Message.from_dict(message), exchange)
    assert text in str(explanation)


@pytest.mark.parametrize("exchange", ["h", "t", "d"])
def test_an_empty_list_of_routing_keys_lacks_what_an_absent_key_lacks(exchange: str) -> None:
    topology, message = topology_from_dict(TOPOLOGY), Message()
    without, absent = (explain_route(topology, message, exchange, keys) for keys in ([], [None]))
    assert str(without) == str(absent)
    assert "nearly took it" in str(without)


SLIPS = {
    "broker": "rabbitmq",
    "queues": ["q", "r"],
    "exchanges": [{"name": name, "type": name} for name in ("direct", "topic", "headers", "fanout")],
    "bindings": [
        {"source": "direct", "queue": "q", "key": "a.#"},
        {"source": "topic", "queue": "q", "key": ""},
        {"source": "headers", "queue": "q", "key": "k"},
        {"source": "fanout", "queue": "q", "key": "k"},
        {"source": "fanout", "queue": "r"},
    ],
}


@pytest.mark.parametrize(
    ("exchange", "key", "text"),
    [
        (
            "direct",
            "a.b",
            "the key is 'a.b', not 'a.#'; a direct exchange has no wildcards: only messages with the key",
        ),
        ("direct", "a.#", "took it\n    q  key 'a.#'"),
        ("topic", "a", 'is one too many; only messages without a routing key match the key "" of a topic exchange'),
        ("topic", "", "took it\n    q  key ''"),
        ("headers", "x", "it compares no header and takes every message, whatever its key 'k' says"),
        ("fanout", "x", "    q  any message, whatever its key 'k' says\n    r  any message"),
    ],
)
def test_a_binding_that_does_something_else_than_it_seems_to_says_so(exchange: str, key: str, text: str) -> None:
    explanation = explain_route(topology_from_dict(SLIPS), Message(), exchange, [key])
    assert text in str(explanation)


def test_the_relay_says_where_a_message_went() -> None:
    topology = topology_from_dict(TOPOLOGY)
    astray = Message.from_dict({"properties": {"to": "nowhere"}})
    assert explain_route(topology, astray, publish_to="to").note == "its field to, 'nowhere', leads nowhere"
    assert explain_route(topology, Message(), publish_to="to").note == "the message has no field to"
    sent = Message.from_dict({"properties": {"to": "one"}})
    assert str(explain_route(topology, sent, publish_to="to")) == "the default exchange, key 'one' → one (delivered)"


def test_values_that_look_alike_are_distinguished_by_their_types() -> None:
    bound = {"source": "amq.match", "queue": "q", "arguments": {"x-match": "all", "n": 5}}
    topology = topology_from_dict({"broker": "qpid-java", "queues": ["q"], "bindings": [bound]})
    message = Message.of(n={"type": "short", "value": 5})
    [one] = explain_route(topology, message, "amq.match").nearly
    assert one.lacks == ("n is short 5, not long 5",)


NEW = '{"properties": {"subject": "new"}, "exchange": "orders"}\n'
ASTRAY = NEW.replace("new", "nwe")


@pytest.mark.parametrize(
    ("words", "given", "code", "printed"),
    [
        (["--why"], NEW, 0, "-:1: exchange orders, key 'new' → orders.3, orders.4, orders.6 (delivered)\n  took it\n"),
        (["--why", "--nearest", "1"], ASTRAY, 0, "    orders.3  the key is 'nwe', not 'new'\n  7 other bindings are"),
        (["--why"], NEW + ASTRAY, 0, "-:2: exchange orders, key 'nwe' → no queue (discarded)\n"),
        (["--why", "--unroutable"], NEW, 0, ""),
        (
            ["--why", "--format", "json", "--nearest", "0"],
            ASTRAY,
            0,
            '"took": [], "nearly": [], "others": 8}, "version": 1}\n',
        ),
        (["--why", "--address", "orders/nwe"], "{}", 0, "exchange orders, key 'nwe' → no queue"),
        (
            ["--why", "--publish-to", "to"],
            ASTRAY,
            0,
            "the relay → no queue (rejected)\n  the message has no field to\n",
        ),
        (
            ["--why", "--summary"],
            NEW,
            2,
            "--why prints a result for each message, but --summary prints one for all messages",
        ),
        (["--json"], NEW, 2, "--json is --format json in this command"),
        (["--format", "text"], NEW, 2, "--format text applies only with --why"),
        (["--why", "--nearest", "-1"], NEW, 2, "-1 is not in the range"),
    ],
)
def test_the_command_says_why(words: list[str], given: str, code: int, printed: str) -> None:
    result = CliRunner().invoke(main, ["route", DEFINITIONS, *words], input=given)
    assert result.exit_code == code, result.output
    assert printed in result.output
