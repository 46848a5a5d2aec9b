"""Counts of the values in messages, as text and as an HTML table, and the conditions that count them."""

from __future__ import annotations

from transpiler import parse_selector
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.presets import find_layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.routing.found_values import FoundValue, FoundValues, place_of_texts, places_of


def test_types_are_counted_where_a_name_has_several() -> None:
    one = FoundValue("a", "a", 3, {"text": 3})
    several = FoundValue("b", "b", 4, {"text": 3, "integer": 1})
    found = FoundValues(4, (one, several))
    expected = ["a 3 of 4 text a", "b 4 of 4 3 text, 1 integer b"]
    assert [line.split() for line in found.lines()[1:]] == [line.split() for line in expected]
    assert ">3 text, 1 integer</td>" in found._repr_html_()
    assert ">text</td>" in found._repr_html_()


def test_a_missing_name_is_a_warning_with_the_number_of_its_conditions() -> None:
    one, two = (FoundValue(name, "", 0, {}, asked=asked) for asked, name in enumerate("ab", 1))
    found = FoundValues(4, (one, two))
    assert [text.split("; ")[1].split(" ")[:2] for text in found.warnings] == [["1", "binding"], ["2", "bindings"]]


def test_a_place_has_the_columns_of_its_name_and_the_default_of_a_header_field() -> None:
    def place(text: str, layout: str = "amqp") -> tuple[str, list[str], object]:
        tree = parse_selector(f"{text} = 1")
        assert isinstance(tree, ast.Compare)
        node = tree.left
        assert isinstance(node, ast.Identifier)
        [found] = places_of({text: (1, node)}, find_layout(layout), find_dialect("jms"))
        return found.where, list(found.types), found.default

    integers, texts = ["integer"], ["text", "number in text", "boolean in text"]
    assert place("JMSPriority") == ("header.priority", integers, 4)
    assert place("JMSPriority", "JMSPriority INT") == ("JMSPriority", integers, 4)
    assert place("color", "kafka-headers") == ("headers['color'].value", texts, None)
    assert place("color", "n INT") == ("", [], None)


def test_a_text_is_there_where_any_of_its_places_has_one() -> None:
    first, second = (ir.Column((name,), STRING) for name in ("a", "b"))
    place = place_of_texts("key", [first, second])
    assert (place.where, place.present) == ("a, then b", "a IS NOT NULL OR b IS NOT NULL")
