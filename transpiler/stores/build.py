"""Build the layout of a store from the places of its header fields and properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from transpiler.ir.column_types import (
    ColumnType,
    Path,
    SparkType,
)
from transpiler.layouts.columns import TypedColumn
from transpiler.layouts.flat import type_of
from transpiler.layouts.header_places import (
    ColumnPlace,
    Columns,
    HeaderPlace,
    Headers,
    PropertyPlace,
    header_places,
)
from transpiler.layouts.header_readings import READINGS, Reading
from transpiler.layouts.property_source import PropertySource
from transpiler.layouts.store import StoreLayout

#: A schema in Spark's JSON form, ``StructType.jsonValue()``.
Schema = Mapping[str, Any]


INT = ColumnType(SparkType.INT)


NO_HEADERS: Headers = MappingProxyType({})


def make_store(
    name: str,
    source: PropertySource,
    own: Mapping[str, HeaderPlace],
    headers: Headers,
    columns: Columns | None,
) -> StoreLayout:
    """A store with the fields that it documents, and those that the user puts elsewhere.

    A name in ``headers`` is one of ``columns``, or, over a DataFrame, of its columns; else it is a property's key.
    """
    beside = {column: TypedColumn((column,), kind) for column, kind in (columns or {}).items()}
    layout = StoreLayout(name, source, MappingProxyType(dict(own)), columns=beside)
    if not headers:
        return layout

    def binding(schema: Schema) -> StoreLayout:
        return layout.with_headers(header_places(headers, columns_of(schema), source))

    return replace(layout.with_headers(header_places(headers, columns, source)), binding=binding)


def column_place(name: str, path: str | Path, column_type: ColumnType, reading: Reading | None = None) -> HeaderPlace:
    """The header field ``name`` in a column, or a field of a struct, read as it is elsewhere unless told."""
    place = ColumnPlace((path,) if isinstance(path, str) else path, column_type)
    return HeaderPlace(place, reading or READINGS[name])


def key_places(source: PropertySource, keys: Mapping[str, str]) -> dict[str, HeaderPlace]:
    """Header fields at keys of a source of properties, by their names."""
    return {name: HeaderPlace(PropertyPlace(source, key), READINGS[name]) for name, key in keys.items()}


def columns_of(schema: Schema) -> dict[str, ColumnType]:
    """The columns of a schema by their names, and fields of structs by their dotted ones."""
    columns: dict[str, ColumnType] = {}

    def visit(fields: list[Mapping[str, Any]], prefix: str) -> None:
        for field in fields:
            column_type = type_of(field)
            if column_type is not None:
                columns[prefix + field["name"]] = column_type
            elif isinstance(field["type"], Mapping) and field["type"].get("type") == "struct":
                visit(field["type"]["fields"], f"{prefix}{field['name']}.")

    visit(schema["fields"], "")
    return columns
