"""Counts of the values in messages, as text and as an HTML table, and the conditions that count them."""

from __future__ import annotations

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.routing.found_values import FoundValue, FoundValues, place_of_texts


def test_types_are_counted_where_a_name_has_several() -> None:
    one = FoundValue("a", "a", 3, {"text": 3})
    several = FoundValue("b", "b", 4, {"text": 3, "integer": 1})
    found = FoundValues(4, (one, several))
    expected = ["a 3 of 4 text a", "b 4 of 4 3 text, 1 integer b"]
    assert [line.split() for line in found.lines()[1:]] == [line.split() for line in expected]
    assert ">3 text, 1 integer</td>" in found._repr_html_()
    assert ">text</td>" in found._repr_html_()


def test_a_text_is_there_where_any_of_its_places_has_one() -> None:
    first, second = (ir.Column((name,), STRING) for name in ("a", "b"))
    place = place_of_texts("key", [first, second])
    assert (place.where, place.present) == ("a, then b", "a IS NOT NULL OR b IS NOT NULL")
