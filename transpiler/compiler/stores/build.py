"""Build the layout of a store from the places of its header fields and properties."""

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


#: A column, or the path of a field, and its type, for each header field.
HeaderColumns = dict[str, tuple[str | Path, ColumnType]]


def make_store(
    name: str,
    source: PropertySource,
    own: Mapping[str, HeaderPlace],
    headers: Headers,
    columns: Columns | None,
) -> StoreLayout:
    """Make a store of a source of properties and of places of header fields.

    Args:
        name: The name of the layout.
        source: Where the properties are.
        own: The places of the header fields that the store documents.
        headers: Header fields that the user puts elsewhere: a name is one of ``columns``, or, over a DataFrame, of its
            columns; else it is a key of a property.
        columns: Columns beside the source, with their types, which ``headers`` may name.
    """
    return StoreLayout.written(name, source, MappingProxyType(dict(own)), headers, columns)


def column_place(name: str, path: str | Path, column_type: ColumnType, reading: Reading | None = None) -> HeaderPlace:
    """The header field ``name`` in a column, or a field of a struct, read as it is elsewhere unless told."""
    place = ColumnPlace((path,) if isinstance(path, str) else path, column_type)
    return HeaderPlace(place, reading or READINGS[name])


def column_places(columns: HeaderColumns, within: Path = ()) -> dict[str, HeaderPlace]:
    """Return the places of header fields in columns, or in fields of a struct.

    Args:
        columns: The column, or the path, of each header field, and its type.
        within: The struct that the columns are fields of.
    """
    return {
        name: column_place(name, (*within, *((path,) if isinstance(path, str) else path)), column_type)
        for name, (path, column_type) in columns.items()
    }


def key_places(source: PropertySource, keys: Mapping[str, str]) -> dict[str, HeaderPlace]:
    """Return the places of header fields at keys of a source of properties.

    Args:
        source: The source that has the keys.
        keys: The key of each header field.
    """
    return {name: HeaderPlace(PropertyPlace(source, key), READINGS[name]) for name, key in keys.items()}
