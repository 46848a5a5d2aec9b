"""check finds the selector in each row of the documentation's table of clients."""

from __future__ import annotations

import re

import pytest

from tests.pages import DOCS
from transpiler.tools.lint.embedded import FoundSelector, UnreadSelector, find_selectors

_SUFFIXES = {
    **{"Java": "java", "Kotlin": "kt", "Scala": "scala", "C#": "cs", "Python": "py", "Go": "go", "PHP": "php"},
    **{"JavaScript": "js", "TypeScript": "ts", "Ruby": "rb", "Groovy": "groovy", "any": "java", "YAML": "yaml"},
}
_ROW = re.compile(r"^\| ([^|`]+) \| ([^|`]+) \| `([^`]+)` \|$", re.MULTILINE)
ROWS = _ROW.findall((DOCS / "selector-places.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("client", "language", "code"), ROWS)
def test_the_selector_of_a_client_is_found(client: str, language: str, code: str) -> None:
    found = [
        one.mapped.text
        for one in find_selectors(code + "\n", f"a.{_SUFFIXES[language]}")
        if isinstance(one, FoundSelector)
    ]
    assert [text.replace(" ", "") for text in found] == ["a=1"], client


def test_the_table_has_all_of_its_rows() -> None:
    assert len(ROWS) > 40


@pytest.mark.parametrize(
    ("name", "code", "unread"),
    [
        ("A.java", 'import com.azure.messaging.servicebus.*; options.setFilter(new SqlRuleFilter("sys.To = 1"));', 1),
        ("a.py", "from azure.servicebus.management import SqlRuleFilter\nSqlRuleFilter(\"sys.To = 'x'\")", 1),
        ("a.ts", 'import {A} from "@azure/service-bus"; a.createRule("t", "s", "r", {sqlExpression: "a = 1"});', 1),
        ("a.json", '{"properties": {"sqlFilter": {"sqlExpression": "sys.To = 1"}}}', 1),
        ("a.ts", 'import {A} from "@azure/service-bus"; const r = client.createReceiver(queue, subscription);', 0),
        ("a.ts", 'import {A} from "@azure/service-bus"; const r = client.createReceiver("a", mySession);', 0),
        ("a.cs", "using Azure.Messaging.ServiceBus; var r = client.CreateReceiver(topic, text);", 0),
    ],
)
def test_the_filters_of_service_bus_are_named_as_another_language(name: str, code: str, unread: int) -> None:
    found = list(find_selectors(code, name))
    assert len(found) == unread
    for one in found:
        assert isinstance(one, UnreadSelector)
        assert "a language of their own" in one.reason


def test_a_receiver_of_proton_has_no_selector_in_the_place_of_its_name() -> None:
    code = "from proton.utils import BlockingConnection\nself._connection.create_receiver(address, link_name)\n"
    assert not list(find_selectors(code, "a.py"))
