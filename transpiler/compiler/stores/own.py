"""Stores of the user's own making: a struct, a VARIANT, JSON text or a map, and header columns beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from transpiler.base.diagnostics import ColumnFix, mismatch
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, StoreCall, Verbatim
from transpiler.compiler.layouts.flat import FlatLayout
from transpiler.compiler.layouts.header_places import Headers, header_columns
from transpiler.compiler.layouts.header_readings import READINGS, Flag, Integer, Mode, Time, TimeText
from transpiler.compiler.layouts.property_source import (
    PropertySource,
    StructFields,
    TextProperties,
    UnchosenTexts,
)
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.text_types import Types, text_types
from transpiler.compiler.layouts.typed_schema import flat_layout
from transpiler.compiler.layouts.variant_object import VariantObject
from transpiler.compiler.stores.build import NO_HEADERS, Schema, columns_of, key_places, make_store

#: A function from a schema, or from None where it is not known, to the source of properties.
_SourceOf = Callable[[Schema | None], PropertySource]


def _beside(name: str, source_of: _SourceOf, headers: Headers, schema: Schema | None) -> StoreLayout:
    """A store of the user's own making: header columns beside the properties, of the types that the schema tells."""
    columns = None if schema is None else columns_of(schema)
    layout = make_store(name, source_of(schema), header_columns(columns), headers, columns)
    if schema is None:
        return StoreLayout(name, layout.source, layout.headers, lambda own: _beside(name, source_of, headers, own))
    # The columns of the header fields are looked up again in another schema.
    return replace(layout.bind(schema), binding=layout.binding)


def flat(schema: Schema, layout: FlatLayout) -> StoreLayout:
    """The typed columns of a layout as a store, whose header fields may be in columns of other names."""
    return _beside("flat", lambda _: StructFields("", layout.columns), NO_HEADERS, schema)


def unchosen(source: UnchosenTexts, schema: Schema) -> StoreLayout:
    """A store whose properties are text of which nobody has said the types, and header columns beside it."""
    return _beside("text-map", lambda _: source, NO_HEADERS, schema)


def struct(column: str = "properties", *, headers: Headers = NO_HEADERS, schema: Any = None) -> StoreLayout:
    """Read typed fields of one struct, and header columns beside it.

    Args:
        column: The struct whose fields are the properties.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
        schema: The table's schema: a ``StructType`` or its JSON form. Without it the layout has to be bound to a
            DataFrame before it is used: ``infer_layout(df, struct=column)`` does both.
    """

    def source_of(known: Schema | None) -> PropertySource:
        return _UnknownFields(column) if known is None else StructFields(column, flat_layout(known, column).columns)

    return _beside("struct", source_of, headers, _optional(schema))


class _UnknownFields(StructFields):
    """Fields of a struct whose schema is not known."""

    def __init__(self, column: str) -> None:
        super().__init__(column, {})

    def stored(self, name: str) -> Any:
        """``LayoutError``: the type of a field is needed."""
        message = f"the type of {self.column}.{name} is not known"
        struct = StoreCall("struct", self.column, {"schema": Verbatim("df.schema")})
        hint = Hint(f"perhaps give the schema: infer_layout(df, struct={self.column!r}), or ", struct)
        raise LayoutError.at("layout.schema", message, hint=hint)


def variant(
    column: str = "properties", *, json: bool = False, headers: Headers = NO_HEADERS, schema: Any = None
) -> StoreLayout:
    """Read an object in a VARIANT, or in JSON text, and header columns beside it.

    A name with dots, ``order.total``, is the key of exactly that name, or in a row without it the path ``total`` in
    ``order``.

    Args:
        column: The column with the properties.
        json: Whether the column is JSON text, which is parsed, and not a VARIANT.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
        schema: The table's schema, as for ``struct``; without it the SQL reads header columns of either type that is
            likely.
    """

    def source_of(known: Schema | None) -> PropertySource:
        kind = None if known is None else _type_of(known, column)
        if json and kind == "binary":
            cast = f'df.withColumn({column!r}, col({column!r}).cast("string"))'
            message, fix = (
                f"the column {column} is BINARY, and JSON is text",
                ColumnFix(column, f"CAST({column} AS STRING)"),
            )
            raise LayoutError.at("layout.column-type", message, hint=f"cast it before: {cast}", fix=fix)
        return VariantObject((column,), json=json, nested=True)

    return _beside("variant", source_of, headers, _optional(schema))


def text_map(
    column: str = "properties", *, types: Types, headers: Headers = NO_HEADERS, schema: Any = None
) -> StoreLayout:
    """Read a MAP<STRING, STRING>, or one of UTF-8 bytes, and header columns beside it.

    Args:
        column: The column with the properties.
        types: How text is read as values: see ``transpiler.stores``.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.
        schema: The table's columns, where header columns stand beside the properties.
    """
    policies = text_types(types)

    def source_of(known: Schema | None) -> PropertySource:
        return TextProperties((column,), policies, binary=known is not None and _is_binary(known, column))

    return _beside("text-map", source_of, headers, _optional(schema))


def csv(columns: Iterable[str], *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Columns of text, as those of CSV read without types: each is the property, or the header field, of its name.

    A property has its type by use. A time is a number of milliseconds or a text of ISO 8601, in UTC where it has no
    zone. All commands read CSV so; ``unreadable_cell`` says which header fields are none.

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


#: The form of a header field's cell that is no text, by its reading.
_CELLS: Mapping[type, str] = MappingProxyType(
    {
        Integer: "an integer",
        Flag: "true or false",
        Mode: "PERSISTENT or NON_PERSISTENT",
        TimeText: "milliseconds or a time such as 2024-06-24T10:00:00Z",
    }
)


def expected_cells(layout: StoreLayout) -> dict[str, str]:
    """Return the type of the cells of CSV, for each header field that is no text."""
    readings = {name: type(place.reading) for name, place in layout.headers.items()}
    return {name: _CELLS[reading] for name, reading in readings.items() if reading in _CELLS}


def unreadable_cell(layout: StoreLayout, cells: Mapping[str, str]) -> str | None:
    """Return the message about the first cell that is no value of its header field; None where all are."""
    for name, expected in expected_cells(layout).items():
        if cells.get(name) and layout.headers[name].read(cells) is None:
            return f"{name}: {mismatch(expected, repr(cells[name]))}"
    return None


def _is_binary(schema: Schema, column: str) -> bool:
    kind = _type_of(schema, column)
    return isinstance(kind, Mapping) and kind.get("valueType") == "binary"


def _type_of(schema: Schema, column: str) -> Any:
    """Return the type of a column in Spark's JSON form; None where there is none of that name."""
    return next((field["type"] for field in schema["fields"] if field["name"] == column), None)


def _optional(schema: Any) -> Schema | None:
    return None if schema is None else schema_in(schema)
