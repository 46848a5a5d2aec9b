"""The representations of objects: ``str``, ``repr``, and HTML in a notebook."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import spark_ext
import transpiler
from transpiler import Message, Topology, messages, port_selector, route_path, stores, topologies, transpile_selector
from transpiler.base import html
from transpiler.compiler.presets import find_layout
from transpiler.language.selector.broker_dialects import RABBITMQ
from transpiler.language.selector.dialects import JMS, find_dialect
from transpiler.tools.backtest import Backtest
from transpiler.tools.topology_report.summary import Summary
from transpiler.topologies import explain_route
from transpiler.topology.broker_rules import RULES
from transpiler.topology.records import Binding, Exchange, Queue

TOPOLOGY = Topology(
    RULES["rabbitmq"],
    (Exchange("orders", "topic"),),
    (Queue("eu"), Queue("us")),
    (Binding("orders", "eu", "eu.#"), Binding("orders", "us", "<us>.#")),
)


def backtest() -> Backtest:
    result = Backtest()
    result.add("m1", "orders", "eu.1", ["eu"], ["eu"])
    result.add("m2", "orders", "us.1", ["us"], ["eu"])
    return result


TABLE = "p MAP<STRING, STRING>, k STRING"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (transpile_selector("weight > 1", "weight BIGINT"), "Transpiled('(weight > 1)')"),
        (transpile_selector("a = 'x'", "a BIGINT"), "Transpiled('false', warnings: 1)"),
        (Message.of(color="red", JMSPriority=7), "Message.from_dict({'header': {'priority': 7}, 'application_"),
        (Message(), "Message.from_dict({})"),
        (TOPOLOGY, "Topology(rabbitmq: 1 exchange, 2 queues, 2 bindings)"),
        (backtest(), "Backtest(1 of 2 messages agree)"),
        (JMS, "Dialect('jms')"),
        (
            replace(JMS, between_meaning=RABBITMQ.between_meaning),
            "Dialect('jms', between_meaning=BetweenMeaning.ABSENT)",
        ),
        (stores.kafka_headers(), "StoreLayout('kafka-headers', properties: headers BINARY by-use"),
        (
            stores.text_map(
                "p", types={"n": "INT"}, headers={"JMSType": "k"}, schema="p MAP<STRING, STRING>, k STRING"
            ),
            "StoreLayout('text-map', properties: p text by-use, n INT in MAP, JMSType: k)",
        ),
        (
            stores.csv(["color", "JMSType"]),
            "StoreLayout('flat', properties: color, JMSType text by-use, JMSType: JMSType)",
        ),
        (find_layout("color STRING, weight BIGINT"), "FlatLayout(flat: color, weight)"),
    ],
)
def test_a_repr_is_short_and_says_what_matters(value: object, expected: str) -> None:
    assert repr(value).startswith(expected)
    assert len(repr(value)) <= 200


def test_the_repr_of_a_message_makes_the_message() -> None:
    message = Message.of(color="red", weight=2600, JMSPriority=7, JMSMessageID="ID:1")
    assert eval(repr(message)) == message


def test_a_long_message_has_a_short_repr() -> None:
    assert len(repr(Message.of(text="x" * 10_000))) < 600


def test_the_text_of_a_compiled_selector_is_its_sql() -> None:
    assert str(transpile_selector("weight > 1", "weight BIGINT")) == "(weight > 1)"


class _Balance(HTMLParser):
    """A parser that checks that elements are closed in order, and that collects the text of table cells."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        assert tag not in ("script", "link", "img")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown(page: str) -> list[str]:
    reader = _Balance()
    reader.feed(page)
    assert not reader.open
    return reader.texts


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (transpile_selector("a < 5 AND b = '<b>'", "a BIGINT, b STRING"), ["(a < 5 AND b = '<b>')"]),
        (Message.of(color="<red>", weight=2600), ["color", '"<red>"', "2600"]),
        (TOPOLOGY, ["orders", "<us>.#", "us"]),
        (backtest(), ["orders", "missed", "extra", "us"]),
        (
            port_selector("color <> '<b>' AND n = 1", "jms", "rabbitmq"),
            ["color NOT IN ('<b>') AND color LIKE '%' AND n = 1"],
        ),
        (
            Summary({"orders": 3}, {"<eu>": 1200, "us": 0}, {"delivered": 3}, {"us": 2}),
            ["exchange", "orders", "<eu>", "1,200", "perhaps more", "2", "outcome", "delivered"],
        ),
        (route_path(TOPOLOGY, Message.of(a=1), exchange="orders"), ["no queue (discarded)"]),
        (
            explain_route(TOPOLOGY, Message.of(a=1), exchange="orders"),
            ["exchange orders, no key → no queue (discarded)"],
        ),
    ],
)
def test_html_shows_the_content_escaped(value: object, texts: list[str]) -> None:
    page = value._repr_html_()  # type: ignore[attr-defined]
    assert set(texts) <= set(shown(page))


def test_every_public_report_is_html_in_a_notebook() -> None:
    modules = (transpiler, messages, topologies, spark_ext)
    members = (getattr(module, name) for module in modules for name in module.__all__)
    # A class that defines __str__ and to_dict is a report.
    reports = {
        member.__name__: hasattr(member, "_repr_html_")
        for member in members
        if isinstance(member, type) and hasattr(member, "to_dict") and "__str__" in vars(member)
    }
    assert len(reports) > 8
    assert all(reports.values()), reports


def test_a_long_table_counts_what_it_leaves_out() -> None:
    texts = shown(html.table(("n",), ((number,) for number in range(1234))))
    assert "and 1,184 more" in texts


def test_every_dialect_has_a_repr_of_one_line() -> None:
    assert repr(find_dialect("qpid-cpp")) == "Dialect('qpid-cpp')"


@pytest.mark.full
def test_an_error_in_a_notebook_is_the_users_line_and_the_diagnostic() -> None:
    script = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "NoColor"
shell.run_cell("from transpiler import transpile_selector")
shell.run_cell("text = 'a = 1 AND AND b'\\ntranspile_selector(text).sql")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "SelectorSyntaxError",
        "line 2: transpile_selector(text).sql",
        "selector:1:11: syntax.unexpected-token: expected an operand after AND, found AND",
        "  1 | a = 1 AND AND b",
        "    |           ^^^",
        "  hint: remove the second AND",
    ]
