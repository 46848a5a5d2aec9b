"""Each value of a document is found at its position by its path."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler.base.documents.located_values import Origin, json_documents
from transpiler.base.documents.value_locations import locations_in_json, locations_in_node
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab-é "', max_size=3), inner, max_size=4),
    max_leaves=20,
)


def paths(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Return all values of a document with their paths. The names make each path unambiguous."""
    found = [(path, value)]
    if isinstance(value, dict):
        for name, member in value.items():
            found += paths(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            found += paths(item, f"{path}[{number}]")
    return found


@given(st.dictionaries(st.text("ab-é", min_size=1, max_size=3), VALUES, max_size=4), st.sampled_from([None, 1]))
def test_each_value_of_a_json_text_is_found(document: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(document, indent=indent)
    listed = paths(document)
    found = locations_in_json(text, [path for path, _ in listed])
    for path, value in listed:
        same = [other for name, other in listed if name == path]
        assert json.loads(text[slice(*found[path])]) in same, (path, value)


TEXT = '{"a": [1, {"b.c": "x", "b": {"c": 2}}], "d": {"e": null}}'


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a[0]", "1"),
        ("a[1].b.c", '"x"'),
        ("a[1].b", '{"c": 2}'),
        ("a[1].z.y", '{"b.c": "x", "b": {"c": 2}}'),
        ("a[7]", '[1, {"b.c": "x", "b": {"c": 2}}]'),
        ("d.e.f", "null"),
        ("ab", TEXT),
        ("", TEXT),
    ],
)
def test_a_path_that_leads_nowhere_is_what_is_around_it(path: str, shown: str) -> None:
    assert TEXT[slice(*locations_in_json(TEXT, [path])[path])] == shown
    [node] = json_documents(Origin(Source(TEXT), TopologyError, "topology"))
    assert TEXT[slice(*locations_in_node(node, [path])[path])] == shown
