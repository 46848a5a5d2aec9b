"""Stores of the user's own design: properties in a struct, a VARIANT, JSON text or a map, and header columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from transpiler.base.diagnostics import mismatch
from transpiler.base.errors import LayoutError
from transpiler.compiler.ir.column_types import Path
from transpiler.compiler.layouts.header_places import NO_HEADERS, Headers
from transpiler.compiler.layouts.header_readings import READINGS, Flag, Integer, Mode, Time, TimeText
from transpiler.compiler.layouts.property_source import (
    PropertySource,
    StructFields,
    TextProperties,
    UnknownFields,
)
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.table_columns import Schema, Table
from transpiler.compiler.layouts.text_types import Types, text_types
from transpiler.compiler.layouts.variant_object import VariantObject
from transpiler.compiler.stores.build import key_places, make_store


def own_store(name: str, source: PropertySource, headers: Headers, schema: Any) -> StoreLayout:
    """Return a store that reads properties from ``source`` and header fields from columns with their names.

    ``schema`` is the schema of the DataFrame, in any form; None if it is not known.
    """
    layout = StoreLayout.written(name, source, {}, headers, None, beside=True)
    return layout if schema is None else layout.bound(Table(schema_in(schema)))


def flat(schema: Schema, headers: Headers) -> StoreLayout:
    """Return a store that reads each typed column of ``schema`` as the property or header field of that name.

    ``headers`` maps header fields to columns of other names.
    """
    return own_store("flat", StructFields("", {}), headers, schema)


def struct(column: str = "properties", *, headers: Headers = NO_HEADERS, schema: Any = None) -> StoreLayout:
    """Read the properties from the typed fields of one struct, and header fields from other columns.

    Args:
        column: The struct whose fields are the properties.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
        schema: The table's schema: a ``StructType`` or its JSON form. Without a schema, the layout has to be bound to
            a DataFrame before it is used; ``infer_layout(df, struct=column)`` makes and binds it.
    """
    return own_store("struct", UnknownFields(column), headers, schema)


def variant(
    column: str = "properties",
    *,
    json: bool = False,
    path: str = "$",
    headers: Headers = NO_HEADERS,
    schema: Any = None,
) -> StoreLayout:
    """Read the properties from an object in a VARIANT or in JSON text, and header fields from other columns.

    A name with dots such as ``order.total`` is the key of exactly that name; in a row without that key it is the key
    ``total`` in the object ``order``.

    Args:
        column: The column with the properties.
        json: True if the column contains JSON text, which is parsed; False if it is a VARIANT.
        path: The path of the object inside the column's value, such as ``$.properties``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
        schema: The table's schema, as for ``struct``. Without a schema, the SQL accepts each type that is likely for a
            header column.
    """
    return own_store("variant", VariantObject(_path(column), _keys(path), json=json, nested=True), headers, schema)


def text_map(
    column: str = "properties", *, types: Types, headers: Headers = NO_HEADERS, schema: Any = None
) -> StoreLayout:
    """Read the properties from a MAP<STRING, STRING>, or a map of UTF-8 bytes, and header fields from other columns.

    Args:
        column: The column with the properties.
        types: How text is read as values: see ``transpiler.stores``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
        schema: The table's schema, as for ``struct``. It is needed only if the table has header columns.
    """
    return own_store("text-map", TextProperties(_path(column), text_types(types)), headers, schema)


def _path(column: str) -> Path:
    """Split ``column`` at its dots: ``a.b`` becomes ``("a", "b")``, the field ``b`` of the struct ``a``.

    A later look-up in the table's schema finds a column that is called ``a.b`` as well.
    """
    return tuple(column.split("."))


#: One step of a path: a plain key after a dot, or any key in brackets and quotes.
_STEP = re.compile(r"""\.([\w-]+)|\[(?:'([^']*)'|"([^"]*)")\]""")


def _keys(path: str) -> tuple[str, ...]:
    """Return the keys of a path such as ``$.message.properties``. An invalid path raises ``LayoutError``."""
    steps = list(_STEP.finditer(path))
    if "$" + "".join(step[0] for step in steps) != path:
        hint = "the path must be $, followed by .KEY or ['KEY'] for each nested object: $.message.properties"
        raise LayoutError.at("layout.option", f"{path!r} is not a path to a JSON object", hint=hint)
    return tuple(next(key for key in step.groups() if key is not None) for step in steps)


def csv(columns: Iterable[str], *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Read columns of text, such as CSV without types: each column is the property or header field of its name.

    A property has the type that the selector compares it with. A time is a number of milliseconds or ISO 8601 text, in
    UTC if it has no zone. All commands read CSV with this layout. ``unreadable_cell`` finds header cells with invalid
    values.

    Args:
        columns: The names of the columns.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
    """
    names = tuple(columns)
    source = TextProperties((), text_types("by-use"), columns=names)
    own = key_places(source, {name: name for name in names if name in READINGS})
    times = {name: replace(place, reading=TimeText()) for name, place in own.items() if place.reading == Time()}
    return make_store("flat", source, {**own, **times}, headers, None)


#: A description of the valid cells in the CSV column of a header field, by the class of the field's ``Reading``. Every
#: cell is valid for the classes that are missing here, which read text.
_CELLS: Mapping[type, str] = MappingProxyType(
    {
        Integer: "an integer",
        Flag: "true or false",
        Mode: "PERSISTENT or NON_PERSISTENT",
        TimeText: "milliseconds or a time such as 2024-06-24T10:00:00Z",
    }
)


def expected_cells(layout: StoreLayout) -> dict[str, str]:
    """Return a description of the valid CSV cells of each header field of ``layout`` that is not text."""
    readings = {name: type(place.reading) for name, place in layout.headers.items()}
    return {name: _CELLS[reading] for name, reading in readings.items() if reading in _CELLS}


def unreadable_cell(layout: StoreLayout, cells: Mapping[str, str]) -> str | None:
    """Return the message about the first of ``cells`` that is invalid for its header field; None if all are valid."""
    for name, expected in expected_cells(layout).items():
        if cells.get(name) and layout.headers[name].read(cells) is None:
            return f"{name}: {mismatch(expected, repr(cells[name]))}"
    return None
