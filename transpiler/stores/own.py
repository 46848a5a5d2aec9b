"""Stores of the user's own making: a struct, a VARIANT, JSON text or a map, and header columns beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from transpiler.errors import LayoutError
from transpiler.layouts.collations import Collations
from transpiler.layouts.flat import FlatLayout, flat_layout, typed_columns
from transpiler.layouts.header_places import Headers, header_columns
from transpiler.layouts.property_source import (
    PropertySource,
    StructFields,
    TextProperties,
    UnchosenTexts,
    VariantObject,
)
from transpiler.layouts.schemas import schema_in
from transpiler.layouts.store import StoreLayout
from transpiler.layouts.text_types import Types, text_types
from transpiler.stores.build import NO_HEADERS, Schema, columns_of, make_store


def _beside(name: str, source: PropertySource, headers: Headers, schema: Schema | None) -> StoreLayout:
    """A store of the user's own making: header columns beside the properties, of the types that the schema tells."""
    columns = None if schema is None else columns_of(schema)
    layout = make_store(name, source, header_columns(columns), headers, columns)
    if schema is not None:
        layout = replace(layout, collations=Collations.of(schema), columns=typed_columns(schema))

    def binding(own_schema: Schema) -> StoreLayout:
        return _beside(name, source, headers, own_schema)

    return layout if schema is not None else StoreLayout(name, source, layout.headers, binding)


def flat(schema: Schema, layout: FlatLayout) -> StoreLayout:
    """The typed columns of a layout as a store, whose header fields may be in columns of other names."""
    return _beside("flat", StructFields("", layout.columns), NO_HEADERS, schema)


def unchosen(source: UnchosenTexts, schema: Schema) -> StoreLayout:
    """A store whose properties are text of which nobody has said the types, and header columns beside it."""
    return _beside("text-map", source, NO_HEADERS, schema)


def struct(column: str = "properties", *, headers: Headers = NO_HEADERS, schema: Any = None) -> StoreLayout:
    """Typed fields of one struct, and header columns beside it.

    ``schema`` is that of the DataFrame: a ``StructType`` or its JSON form. Without it the layout has to be bound to a
    DataFrame before it is used: ``infer_layout(df, struct=column)`` does both.
    """
    if schema is None:
        missing = _UnknownFields(column)

        def binding(own_schema: Schema) -> StoreLayout:
            return struct(column, headers=headers, schema=own_schema)

        return StoreLayout("struct", missing, header_columns(None), binding)
    known = schema_in(schema)
    source = StructFields(column, flat_layout(known, column).columns)
    return _beside("struct", source, headers, known)


class _UnknownFields(StructFields):
    """Fields of a struct whose schema is not known."""

    def __init__(self, column: str) -> None:
        super().__init__(column, {})

    def stored(self, name: str) -> Any:
        """``LayoutError``: the type of a field is needed."""
        message = f"the type of {self.column}.{name} is not known"
        column = repr(self.column)
        hint = f"give the schema: infer_layout(df, struct={column}), or stores.struct({column}, schema=df.schema)"
        raise LayoutError.at("layout.schema", message, hint=hint)


def variant(
    column: str = "properties", *, json: bool = False, headers: Headers = NO_HEADERS, schema: Any = None
) -> StoreLayout:
    """An object in a VARIANT, or in JSON text, and header columns beside it.

    With ``json``, the text is parsed. ``schema`` as for ``struct``; without it the SQL reads header columns of either
    type that is likely.
    """
    return _beside("variant", VariantObject((column,), json=json), headers, _optional(schema))


def text_map(
    column: str = "properties", *, types: Types, headers: Headers = NO_HEADERS, schema: Any = None
) -> StoreLayout:
    """A MAP<STRING, STRING>, or one of UTF-8 bytes, and header columns beside it."""
    known, policies = _optional(schema), text_types(types)
    if known is None:

        def binding(own_schema: Schema) -> StoreLayout:
            return text_map(column, types=types, headers=headers, schema=own_schema)

        layout = _beside("text-map", TextProperties((column,), policies), headers, None)
        return StoreLayout(layout.name, layout.source, layout.headers, binding)
    return _beside("text-map", TextProperties((column,), policies, binary=_is_binary(known, column)), headers, known)


def _is_binary(schema: Schema, column: str) -> bool:
    field = next((field for field in schema["fields"] if field["name"] == column), None)
    return field is not None and isinstance(field["type"], Mapping) and field["type"].get("valueType") == "binary"


def _optional(schema: Any) -> Schema | None:
    return None if schema is None else schema_in(schema)
