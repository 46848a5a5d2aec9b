"""The building blocks of a layout of your own, for tables that no function of ``transpiler.stores`` describes.

``make_store`` builds a store from a source of properties (``TextProperties``, ``TaggedTexts``, ``StructFields``,
``TypedPlaces``, ``VariantObject``) and the columns or keys of header fields (``column_places``, ``key_places``). A
layout of another kind is a class that returns a ``Stored`` for each ``MessageField`` and each property.
"""

from __future__ import annotations

from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.compiler.layouts.property_source import (
    PropertySource,
    StructFields,
    TaggedTexts,
    TextProperties,
    TypedPlaces,
)
from transpiler.compiler.layouts.rows import as_mapping, milliseconds
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.stored import NOTHING, Stored, stored_column
from transpiler.compiler.layouts.text_types import text_types
from transpiler.compiler.layouts.variant_object import VariantObject
from transpiler.compiler.stores.build import NO_HEADERS, column_places, key_places, make_store
from transpiler.message.header_fields import MessageField

__all__ = [
    "NOTHING",
    "NO_HEADERS",
    "ColumnType",
    "MessageField",
    "PropertySource",
    "SparkType",
    "StoreLayout",
    "Stored",
    "StructFields",
    "TaggedTexts",
    "TextProperties",
    "TypedPlaces",
    "VariantObject",
    "as_mapping",
    "column_places",
    "key_places",
    "make_store",
    "milliseconds",
    "stored_column",
    "text_types",
]
