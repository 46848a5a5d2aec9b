"""Build the layout of a store from the columns and keys that hold its header fields and properties."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.compiler.ir.column_types import ColumnType, Path, SparkType
from transpiler.compiler.layouts.header_places import (
    NO_HEADERS,
    ColumnPlace,
    Columns,
    HeaderPlace,
    Headers,
    PropertyPlace,
)
from transpiler.compiler.layouts.header_readings import READINGS, Reading
from transpiler.compiler.layouts.property_source import PropertySource
from transpiler.compiler.layouts.store import StoreLayout

__all__ = ["INT", "NO_HEADERS", "HeaderColumns", "column_place", "column_places", "key_places", "make_store"]

INT = ColumnType(SparkType.INT)


#: For each header field: the column, or the path of the struct field, that holds it, and the type of that column.
HeaderColumns = dict[str, tuple[str | Path, ColumnType]]


def make_store(
    name: str,
    source: PropertySource,
    own: Mapping[str, HeaderPlace],
    headers: Headers,
    columns: Columns | None,
) -> StoreLayout:
    """Make a store from its source of properties and the places of its header fields.

    Args:
        name: The name of the layout.
        source: The columns that contain the properties.
        own: The places of the header fields that the store documents.
        headers: The header fields that the user has put elsewhere. Each name in it is a column if ``columns``, or the
            DataFrame that the layout is bound to, has such a column; otherwise it is the key of a property.
        columns: The type of each other column that the producer writes, by name; None if no column is known.
    """
    return StoreLayout.written(name, source, MappingProxyType(dict(own)), headers, columns)


def column_place(name: str, path: str | Path, column_type: ColumnType, reading: Reading | None = None) -> HeaderPlace:
    """Return the place of the header field ``name`` in the column or struct field ``path``.

    ``reading`` converts the value of the column; None means the usual reading of the field.
    """
    place = ColumnPlace((path,) if isinstance(path, str) else path, column_type)
    return HeaderPlace(place, reading or READINGS[name])


def column_places(columns: HeaderColumns, within: Path = ()) -> dict[str, HeaderPlace]:
    """Return the place of each header field in ``columns``.

    Args:
        columns: The column or path of each header field, and its type.
        within: The path of the struct that has the columns as fields; empty for columns of the table.
    """
    return {
        name: column_place(name, (*within, *((path,) if isinstance(path, str) else path)), column_type)
        for name, (path, column_type) in columns.items()
    }


def key_places(source: PropertySource, keys: Mapping[str, str]) -> dict[str, HeaderPlace]:
    """Return the place of each header field that is stored under a key of the properties.

    Args:
        source: The source of properties that has the keys.
        keys: The key of each header field.
    """
    return {name: HeaderPlace(PropertyPlace(source, key), READINGS[name]) for name, key in keys.items()}
