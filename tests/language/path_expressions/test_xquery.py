"""Queries of XML exchanges: which can be parsed, which are outside the subset, and their results."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import Message, TopologyError, TranspilerError, UnsupportedFeatureError, route_message
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.topology import topology_from_dict

WEATHER = """<?xml version="1.0"?>
<weather><station>Raleigh</station><temperature_f>60</temperature_f><dewpoint>40</dewpoint>
<wind_speed_mph>10</wind_speed_mph></weather>"""

RALEIGH = """let $w := ./weather
return $w/station = 'Raleigh'
   and $w/temperature_f > 50
   and $w/temperature_f - $w/dewpoint > 5
   and $w/wind_speed_mph > 7 and $w/wind_speed_mph < 20"""


def taken(query: str, body: str = "", subject: str = "k", **headers: Any) -> bool:
    """Return True if an XML exchange of the C++ broker delivers the message."""
    binding = {"source": "x", "queue": "q", "key": "k", "xquery": query}
    data = {"broker": "qpid-cpp", "queues": ["q"], "exchanges": [{"name": "x", "type": "xml"}], "bindings": [binding]}
    message = {
        "properties": {"subject": subject},
        "application_properties": headers,
        "body": {"data": base64.b64encode(body.encode()).decode()},
    }
    return route_message(topology_from_dict(data), Message.from_dict(message), "x") == ("q",)


@pytest.mark.parametrize(
    ("query", "body", "headers", "matches"),
    [
        (RALEIGH, WEATHER, {}, True),
        (RALEIGH, WEATHER.replace("Raleigh", "Durham"), {}, False),
        (RALEIGH, WEATHER.replace("60", "43"), {}, False),
        ("true()", "no XML at all", {}, True),
        ("false()", WEATHER, {}, False),
        ("//dewpoint", WEATHER, {}, True),
        ("exists(/weather/rain)", WEATHER, {}, False),
        ("not(/weather/rain > 1)", WEATHER, {}, True),
        ("not(/weather/station > 1)", WEATHER, {}, False),
        ("/weather/station != 1", WEATHER, {}, False),
        ("a/@id = '7' and a/@id = 7", '<a id="7"/>', {}, True),
        ("a/b = 'x' and a/b = 'y'", "<a><b>x</b><b>y</b></a>", {}, True),
        ("a/b/text() = 'x'", "<a><b>x<!-- and -->y</b></a>", {}, True),
        ("a/b = 'xy'", "<a><b>x<c>y</c></b></a>", {}, True),
        ("a/b = a/c", "<a><b>x</b><b>y</b><c>y</c></a>", {}, True),
        ("(a/b + 2) * 3 >= a/c div 2", "<a><b>1</b><c>18</c></a>", {}, True),
        ("a/b + 1 = 2", "<a><b>1</b><b>1</b></a>", {}, False),
        ("declare variable $c external; $c = 'red'", "", {"c": "red"}, True),
        ("declare variable $c external; $c = 'red'", "", {"c": "blue"}, False),
        ("declare variable $c external; not($c = 'red')", "", {}, False),
        ("declare variable $c external; not($c = 'red')", "", {"c": 5}, False),
        ("declare variable $c external; $c >= 5", "", {"c": 5}, True),
        ("declare variable $c as xs:string external; $c", "", {"c": "x"}, True),
        ("declare variable $c external; $c", "", {"c": 0}, False),
        ("declare variable $c external; $c = 5 or /a", "<a/>", {}, True),
        ("declare variable $qpid.subject external; $qpid.subject = 'k'", "", {}, True),
        ("/a", "<a/><a/>", {}, False),
        ("/a", "<!DOCTYPE a><a/>", {}, False),
        ("/a", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', {}, False),
        ("/a", "<a>", {}, False),
        ("/a", "<a>" + "<b>" * 500 + "</b>" * 500 + "</a>", {}, False),
        ("a = '&lt;\"&#65;'", '<a>&lt;"A</a>', {}, True),
        ("a = '&#x4A;'", "<a>J</a>", {}, True),
        ("a (: a comment :) = 'it''s'", "<a>it's</a>", {}, True),
    ],
)
def test_a_query_takes_a_message_or_does_not(query: str, body: str, headers: dict[str, Any], matches: bool) -> None:
    assert taken(query, body, **headers) is matches


def test_the_binding_key_is_compared_first() -> None:
    assert taken("true()", subject="k") is True
    assert taken("true()", subject="other") is False


@pytest.mark.parametrize(
    ("query", "underlined"),
    [
        ("count(a) > 3", "count("),
        ("a[b = 1]", "["),
        ("for $x in a return $x", "$x"),
        ("if (a) then b else c", "if("),
        ("a eq 5", "eq"),
        ("a < 'b'", "a < 'b'"),
        ("a < b", "a < b"),
        ("p:a = 1", "p:a"),
        ("1 = 1", "1 = 1"),
        ("'a'", "'a'"),
        ("declare variable $x external; $x = a", "$x = a"),
        ("declare variable $x external; $x/a", "/"),
        ("declare variable $x := 5; $x", ":="),
        ("declare function f() { 1 }; f()", "declare function"),
        ("let $x := 5 return $x", "5"),
        (". = 5", "."),
        ("//@id = 5", "id"),
        ("a/text()/b", "/"),
        ("a/../b = 1", "."),
        ("contains(a, 'b')", "contains("),
        ("some $x in a satisfies $x = 1", "$x"),
    ],
)
def test_what_is_outside_the_subset_is_refused_with_its_place(query: str, underlined: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as error:
        parse_query(query)
    span = error.value.diagnostics[0].span
    assert span is not None
    assert query[span.start : span.end].replace(" ", "") == underlined.replace(" ", "")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "expected a condition, found the end"),
        ("a = ", "expected a condition, found the end"),
        ("(a = 1", "expected ), found the end"),
        ("a = 'x", "has no meaning in a query"),
        ("a = 1 (: b", "this comment is never closed"),
        ("$x = 1", "$x is not declared"),
        ("a = '&oops;'", "an & begins an entity"),
        ("declare variable x external; a", "expected a variable, found x"),
    ],
)
def test_a_text_that_is_no_query_says_where(query: str, expected: str) -> None:
    with pytest.raises(TopologyError, match=r"xquery\.syntax") as error:
        parse_query(query)
    assert expected in str(error.value)


@given(st.lists(st.sampled_from("a / // @ * = != < 5 'x' ( ) and or not( true() $x . - + div let := return".split())))
def test_any_text_is_a_query_or_has_a_place_where_it_is_none(parts: list[str]) -> None:
    query = " ".join(parts)
    try:
        parse_query(query)
    except TranspilerError as error:
        span = error.diagnostics[0].span
        assert span is not None
        assert 0 <= span.start <= len(query)


def test_deep_parentheses_are_refused_and_not_a_crash() -> None:
    for query in ("(" * 5_000 + "a" + ")" * 5_000, "not(" * 5_000 + "a" + ")" * 5_000):
        with pytest.raises(UnsupportedFeatureError, match=r"limit\.nesting"):
            parse_query(query)


@pytest.mark.parametrize(
    ("link", "matches"), [(" + 1", False), (" - 0", True), (" * 1", True), (" = 1 and a", True), (" = 2 or a", True)]
)
def test_a_query_of_thousands_of_operators_is_answered(link: str, matches: bool) -> None:
    """A chain of operators of one level is one node, so that Python's recursion limit does not limit its length."""
    assert taken("a" + link * 5_000 + " = 1", "<a>1</a>") is matches
