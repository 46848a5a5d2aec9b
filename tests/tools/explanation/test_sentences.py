"""The sentences of explanations, and the layout of an explanation."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from transpiler import (
    DecodeError,
    Explanation,
    Message,
    SelectorSyntaxError,
    UnsupportedFeatureError,
    explain_selector,
    stores,
)
from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.types import AmqpType, AmqpValue, UntypedText

RED: dict[str, Any] = {"color": "red", "weight": 2400}


#: Blocks of three lines: a dialect and a selector, a message in JSON, and the headline of the explanation.
TABLE = (Path(__file__).parent / "data" / "sentences.txt").read_text(encoding="utf-8")
CASES = [block.split("\n") for block in TABLE.strip().split("\n\n")]


@pytest.mark.parametrize(("asked", "message", "headline"), CASES)
def test_a_sentence_says_what_decided(asked: str, message: str, headline: str) -> None:
    dialect, _, selector = asked.partition(": ")
    assert explain_selector(selector, json.loads(message), dialect=dialect).headline == headline


def test_the_table_has_every_dialect() -> None:
    assert {asked.partition(": ")[0] for asked, _, _ in CASES} == set(DIALECTS)


def test_text_whose_type_is_lost_is_read_by_its_use() -> None:
    message = Message(application_properties={"weight": AmqpValue(AmqpType.STRING, UntypedText("2600"))})
    assert explain_selector("weight > 2500", message).reason == "weight is '2600', read as the number 2600, above 2500"
    kafka = stores.text_map(types="by-use")
    row = {"properties": {"weight": "2400"}}
    assert (
        explain_selector("weight > 2500", row, layout=kafka).reason
        == "weight is '2400', read as the number 2400, not above 2500"
    )


def test_what_decides_is_underlined() -> None:
    assert str(explain_selector("color = 'red' AND weight > 2500", RED)) == (
        "does not match: weight is 2400, not above 2500\n"
        "  1 | color = 'red' AND weight > 2500\n"
        "    |                   ^^^^^^^^^^^^^"
    )
    assert str(explain_selector("a = 1\n  OR color = 'red'", RED)).splitlines()[1:] == [
        "  2 |   OR color = 'red'",
        "    |      ^^^^^^^^^^^^^",
    ]
    two_lines = explain_selector("a = 1\n\tOR b = 2", RED)
    assert two_lines.marked() == ["  1 | a = 1", "    | ^^^^^", "  2 |  OR b = 2", "    |     ^^^^^"]
    throws = explain_selector("color - 1 = 0", RED, dialect="artemis")
    assert str(throws).endswith("\n  in artemis: the message does not match, and the broker logs an invalid filter")


def test_a_long_selector_is_shown_around_what_decides() -> None:
    selector = " AND ".join([*(f"a{number} IS NULL" for number in range(100)), "weight = 1"])
    _, line, carets = str(explain_selector(selector, RED)).splitlines()
    assert line.endswith("weight = 1")
    assert line[carets.index("^") : carets.rindex("^") + 1] == "weight = 1"
    assert len(line) < 120
    matched = explain_selector(selector.replace("weight = 1", "TRUE"), {})
    assert matched.reason.endswith("and 97 more")
    assert len(str(matched).splitlines()) == 3


def test_an_explanation_is_data() -> None:
    explanation = explain_selector("color = 'red' AND weight > 2500", RED)
    assert isinstance(explanation, Explanation)
    assert not explanation.matches
    assert explanation.decisive is not None
    assert explanation.decisive.text == "weight > 2500"
    assert explanation.decisive.span == (18, 31)
    assert explanation.decisive.parts[0].value == 2400
    assert explanation.decisive.parts[0].type == "long"
    assert (
        repr(explanation)
        == "<Explanation of \"color = 'red' AND weight > 2500\": does not match: weight is 2400, not above 2500>"
    )
    data = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert data["verdict"] is False
    assert data["reason"] == "weight is 2400, not above 2500"
    assert data["decisive"] == {"text": "weight > 2500", "start": 18, "end": 31}
    assert data["tree"]["parts"][1]["decides"]
    assert data["message"] == {"application_properties": RED}
    special = {"a": float("nan"), "b": b"\x00\xff", "c": float("inf")}
    assert json.dumps(explain_selector("a > 5 OR b > 5 OR c < 0", special).to_dict()["tree"], allow_nan=False)


class Checked(HTMLParser):
    """A parser that checks whether tags are closed in order, and collects the visible text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "span", "pre", "details", "summary"}
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("selector", ["color = '<script>' AND weight > 5", "color = 'red' OR a < 5", ""])
def test_the_html_is_small_and_escaped(selector: str) -> None:
    explanation = explain_selector(selector, RED)
    page = explanation._repr_html_()
    checked = Checked()
    checked.feed(page)
    assert checked.open == []
    assert explanation.reason in checked.text
    assert selector in checked.text
    assert "<script>" not in page
    assert len(page) < 4000
    # The page loads nothing from another host, and does not assume a background colour.
    assert not re.search("http|url|background", page)


def test_a_message_is_given_in_any_form() -> None:
    selector, reason = "weight > 2500", "weight is 2400, not above 2500"
    forms: list[tuple[Any, Any]] = [
        (Message.of(**RED), None),
        (RED, None),
        ({"application_properties": RED}, None),
        (RED, "color STRING, weight BIGINT"),
        ({"application_properties": {"weight": {"type": "int", "long": 2400}}}, "amqp"),
        ({"headers": [{"key": "weight", "value": "MjQwMA=="}]}, stores.kafka_headers(types={"weight": "BIGINT"})),
        ({"headers": [{"key": "weight", "value": b"2400"}]}, stores.kafka_headers(types={"weight": "BIGINT"})),
    ]
    for message, layout in forms:
        assert explain_selector(selector, message, layout=layout).reason == reason
    tree = ast.Compare(Comparison.GT, ast.Identifier("weight"), ast.IntegerLiteral(2500))
    assert explain_selector(tree, RED).reason == reason
    assert explain_selector(None, RED).matches


def test_what_cannot_be_explained_is_an_error() -> None:
    with pytest.raises(TypeError, match="expected a Message, or a dict of its properties, found str"):
        explain_selector("a = 1", "red")
    with pytest.raises(TypeError, match="expected a row: a dict or a pyspark Row, found list"):
        explain_selector("a = 1", [], layout="amqp")
    with pytest.raises(SelectorSyntaxError):
        explain_selector("a = = 1", RED)
    with pytest.raises(DecodeError, match="did you mean header"):
        explain_selector("a = 1", {"headers": {"a": 1}})


def test_the_time_is_one_for_all_parts() -> None:
    explanation = explain_selector("UTC() > 5 AND UTC() < 5", {}, dialect="rabbitmq", now=7)
    assert explanation.reason == "`UTC()` is 7, not below 5"
    message = Message.of(JMSDestination="q")
    assert explain_selector("JMSDestination = 'q'", message).matches
    assert explain_selector("JMSDestination = 'q'", {}, destination="q").matches


def test_a_very_long_selector_is_explained() -> None:
    selector = " OR ".join(f"n{number} = {number}" for number in range(5_000))
    explanation = explain_selector(selector, RED)
    assert len(explanation.deciding) == 5_000
    assert explanation.reason.startswith("none of the 5000 alternatives holds")


def test_a_dialect_is_in_the_third_place_as_it_is_in_evaluate() -> None:
    by_name = explain_selector("color <> 5", {"color": "blue"}, dialect="activemq")
    assert explain_selector("color <> 5", {"color": "blue"}, "activemq") == by_name
    with pytest.raises(UnsupportedFeatureError, match="there is no dialect called 'activmq'"):
        explain_selector("color <> 5", {"color": "blue"}, "activmq")
