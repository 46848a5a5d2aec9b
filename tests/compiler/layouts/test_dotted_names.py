"""A name with dots is the key or column of exactly that name, otherwise a path of fields. All stores do the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from transpiler import evaluate, stores, transpile_selector
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.layouts.variant_object import MAX_PARTS

#: Documents, a name, and its value; None if the name is missing.
DOCUMENTS: list[tuple[Any, str, Any]] = [
    ({"order": {"total": 5}}, "order.total", 5),
    ({"order.total": 5}, "order.total", 5),
    ({"order.total": 5, "order": {"total": 6}}, "order.total", 5),
    ({"order": {"total": 6}, "order.total": 5}, "order.total", 5),
    ({"order.total": None, "order": {"total": 6}}, "order.total", None),
    ({"a": {"b": {"c": 5}}}, "a.b.c", 5),
    ({"a": {"b.c": 5}}, "a.b.c", None),
    ({"a": [{"b": 5}]}, "a.b", None),
    ({"a": 5}, "a.b", None),
    ({"a": {"": 5}}, "a.", None),
    ({}, "a.b", None),
]


@pytest.mark.parametrize(("document", "name", "value"), DOCUMENTS)
def test_a_message_has_what_a_name_with_dots_leads_to(document: Any, name: str, value: Any) -> None:
    for layout, row in (
        (stores.variant("v"), {"v": document}),
        (stores.variant("v", json=True), {"v": json.dumps(document)}),
    ):
        found = (layout.message(row).application_properties or {}).get(name)
        assert (None if found is None else found.value) == value
        assert evaluate(f"{name} = 5" if not name.endswith(".") else "TRUE", layout.message(row)) is (
            True if name.endswith(".") or value == 5 else None
        )


def test_the_sql_reads_the_key_before_the_path() -> None:
    sql = transpile_selector("order.total = 'x'", stores.variant("v")).sql
    assert sql.index("'order.total'") < sql.index("variant_get(v, '$.order.total')")
    assert "coalesce" not in transpile_selector("total = 'x'", stores.variant("v")).sql


def test_a_name_of_many_parts_is_a_key_alone() -> None:
    name = ".".join("a" * (MAX_PARTS + 1))
    assert "coalesce" not in transpile_selector(f"{name} = 'x'", stores.variant("v")).sql
    inner: Any = 5
    for _ in range(900):
        inner = {"a": inner}
    found = stores.variant("v", json=True).message({"v": json.dumps(inner)}).application_properties or {}
    assert max(key.count(".") for key in found) == MAX_PARTS - 1


SCHEMAS = ["`a.b` INT, a STRUCT<b: INT, c: INT>", "a STRUCT<b: INT, c: INT>, `a.b` INT"]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_column_of_that_name_comes_before_the_field_of_a_struct(schema: str) -> None:
    row = {"a.b": 1, "a": {"b": 2, "c": 3}}
    flat = layout_from_schema(schema_in(schema))
    struct = stores.struct("s", schema=f"s STRUCT<{schema}>")
    for layout, of in ((flat, row), (struct, {"s": row})):
        properties = layout.message(of).application_properties or {}
        assert {name: properties[name].value for name in ("a.b", "a.c")} == {"a.b": 1, "a.c": 3}
    assert transpile_selector("a.b = 1 AND a.c = 3", flat).sql == "(`a.b` = 1 AND a.c = 3)"
    assert transpile_selector("a.b = 1 AND a.c = 3", struct).sql == "(s.`a.b` = 1 AND s.a.c = 3)"


#: Schemas, a row, and whether the name a.b.c has the value 5 in the row.
PATHS: list[tuple[str, dict[str, Any], bool]] = [
    ("a STRUCT<b: STRUCT<c: INT>>", {"a": {"b": {"c": 5}}}, True),
    ("a STRUCT<`b.c`: INT, b: STRUCT<c: INT>>", {"a": {"b.c": 6, "b": {"c": 5}}}, True),
    ("a STRUCT<`b.c`: INT>", {"a": {"b.c": 5}}, False),
    ("`a.b` STRUCT<c: INT>", {"a.b": {"c": 5}}, False),
    ("`a.b.c` INT, a STRUCT<b: STRUCT<c: INT>>", {"a.b.c": 5, "a": {"b": {"c": 6}}}, True),
]


@pytest.mark.parametrize(("schema", "row", "is_there"), PATHS)
def test_a_path_has_the_same_parts_in_columns_structs_and_documents(
    schema: str, row: dict[str, Any], is_there: bool
) -> None:
    for layout, of in (
        (stores.variant("v", json=True), {"v": json.dumps(row)}),
        (stores.struct("s", schema=f"s STRUCT<{schema}>"), {"s": row}),
        (layout_from_schema(schema_in(schema)), row),
    ):
        assert (evaluate("a.b.c = 5", layout.message(of)) is True) == is_there, layout
