"""Trees, filters, conditions and topologies are compared by value, without their locations and names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from tests.golden.corpus import dialects
from tests.golden.findings import CONSTRUCTS, OF_DIALECTS
from transpiler import TranspilerError, parse_selector
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.source import Span
from transpiler.language.conditions import Like, Present, key_matches, text_equals
from transpiler.language.filters.sets import read_filters
from transpiler.language.path_expressions.xpath import parse_xpath
from transpiler.language.selector import ast
from transpiler.message.header_fields import MessageField
from transpiler.topology import topology_from_dict
from transpiler.topology.broker_rules import RULES
from transpiler.topology.setting import Setting

CASES = [(text, dialect) for text in CONSTRUCTS for dialect in dialects()]
# No white space may stand before a prefix of Artemis.
CASES += [(text, dialect) for dialect, text in (line.split(": ", 1) for line in OF_DIALECTS) if "_props:" not in text]
CASES += [("-a > 3", "jms"), ("REGEX('^a', color)", "activemq"), ("a = 0x61", "rabbitmq")]
CASES += [("XPATH '//a[@b]' AND -a <> 3", "activemq")]
PATHS = ["//a[@b = 5 and not(c)]", "/a/b | c[2]/text()", "-count(a) + 1 > $x", "a[starts-with(., 'b')]/@*", "(a)[1]"]


def test_a_tree_is_the_same_at_another_position_of_the_text() -> None:
    tried = 0
    for text, dialect in CASES:
        try:
            tree = parse_selector(text, dialect)
        except TranspilerError:
            # Some dialects reject the construct.
            continue
        moved = parse_selector("  " + text, dialect)
        assert tree is not moved
        assert (tree, hash(tree), repr(tree)) == (moved, hash(moved), repr(moved)), text
        tried += 1
    assert tried > len(CASES) / 2


@pytest.mark.parametrize("node", get_args(ast.Expression), ids=lambda node: node.__name__)
def test_a_node_of_a_tree_that_a_program_builds_needs_no_location(node: type[Any]) -> None:
    fields = {field.name: field for field in dataclasses.fields(node)}
    assert fields["span"].default == Span(0, 0)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_the_same_at_another_position_of_the_text(path: str) -> None:
    assert parse_xpath(path) == parse_xpath("  " + path)


def test_filters_are_the_same_under_another_name() -> None:
    name = "apache.org:legacy-amqp-topic-binding:string"
    [(_, first)] = read_filters({"f": {"descriptor": name, "value": "a.*"}}).filters
    [(_, second)] = read_filters({"g": {"descriptor": "0x0000468C:0x00000001", "value": "a.*"}}).filters
    assert (first, hash(first)) == (second, hash(second))


def test_conditions_are_the_same_whatever_asks_for_them() -> None:
    subject = MessageField("properties", "subject")
    rules = RULES["rabbitmq"]
    made: list[Callable[[str], object]] = [
        lambda path: Present((subject,), path),
        lambda path: text_equals(subject, "a", path=path),
        lambda path: Like((subject,), prefix="a", path=path),
        lambda path: key_matches(subject, "a.*", rules, path),
    ]
    for make in made:
        assert (make("f"), hash(make("f"))) == (make("g"), hash(make("g")))


def test_topologies_with_the_same_routes_are_equal() -> None:
    topology = topology_from_dict(
        {"broker": "rabbitmq", "queues": ["q"], "exchanges": [{"name": "x", "type": "topic"}]}
    )
    finding = Diagnostic("import.member", "warning", "a finding")
    for same in (
        replace(topology, findings=(finding,)),
        replace(topology, version="4.1.0"),
        replace(topology, displayed=topology),
        replace(topology, settings=(Setting("queue", "q", "x-max-length", "3"),)),
        replace(topology, vhost="v"),
        replace(topology, cut=frozenset({("queue", "q")})),
    ):
        assert same == topology
    assert replace(topology, queues=()) != topology
