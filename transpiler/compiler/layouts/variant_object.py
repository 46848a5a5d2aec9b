"""The source of properties that are the keys of an object in a VARIANT or in JSON text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from transpiler.base.diagnostics import ColumnFix
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, StoreCall
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, VARIANT, ColumnType, Path, SparkType
from transpiler.compiler.layouts.property_source import READER, PropertySource, unlike
from transpiler.compiler.layouts.rows import plain, text_of, value_at, variant_value
from transpiler.compiler.layouts.spark_texts import parse_json
from transpiler.compiler.layouts.stored import Stored, StoredValue, stored_alternatives
from transpiler.compiler.layouts.table_columns import Table, described
from transpiler.compiler.layouts.variant_values import parsed_json, stored_in_variant, variant_get, variant_path
from transpiler.message.types import AmqpType, AmqpValue, Compound


@dataclass(frozen=True, slots=True)
class VariantObject(PropertySource):
    """Properties that are the members of an object in a VARIANT or JSON column; ``keys`` leads to the object.

    - If ``text_key`` is set, a string is stored as an object with its UTF-8 bytes at this key, and an array is absent.
    - If ``nested``, the property ``a.b`` is the key ``a.b`` or, if the row lacks that key, the key ``b`` inside ``a``.
    """

    path: Path
    keys: tuple[str, ...] = ()
    json: bool = False
    text_key: str | None = None
    nested: bool = False

    def over(self, table: Table) -> VariantObject:
        """Return the source with the column's spelling in ``table``.

        If the column is neither a VARIANT nor JSON text, raise ``LayoutError``.
        """
        found = table.required(self.path, READER)
        kind, name = found.field["type"], found.name
        if self.json and kind == "binary":
            cast = f'df.withColumn({name!r}, col({name!r}).cast("string"))'
            message, fix = f"the column {name} is BINARY, but JSON is text", ColumnFix(name, f"CAST({name} AS STRING)")
            raise LayoutError.at("layout.column-type", message, hint=f"cast the column first: {cast}", fix=fix)
        is_text = found.type is not None and found.type.is_text
        if not self.json and is_text:
            store = StoreCall("variant", name, {"json": True})
            message = f"{READER} from the column {name}, which is {described(kind)}, not VARIANT"
            raise LayoutError.at(
                "layout.column-type", message, hint=Hint("if the column contains JSON: ", store), fix=store.fix
            )
        if not (is_text if self.json else kind == "variant"):
            raise unlike(found, "JSON text" if self.json else "VARIANT")
        return replace(self, path=found.path)

    def root(self) -> str:
        """Return the name of the column that contains the objects."""
        return str(self.path[0])

    def _variant(self) -> ir.Value:
        if self.json:
            return parsed_json(ir.Column(self.path, STRING))
        return ir.Column(self.path, VARIANT)

    def stored(self, name: str) -> Stored | None:
        """Return the value at the key ``name``, with the type that it has in the VARIANT."""
        variant = self._variant()
        if self.nested and _is_path(name):
            json_paths = (variant_path(*self.keys, *keys) for keys in ((name,), name.split(".")))
            return stored_in_variant(
                ir.first_of([variant_get(variant, json_path, VARIANT) for json_path in json_paths]), "$"
            )
        stored = stored_in_variant(variant, variant_path(*self.keys, name))
        if self.text_key is None:
            return stored
        path = variant_path(*self.keys, name, self.text_key)
        octets = ir.Apply(ir.Function.VARIANT_GET, (variant, ir.constant(path)), ColumnType(SparkType.INT_ARRAY))
        text = ir.Apply(ir.Function.TEXT_OF_OCTETS, (octets,), STRING)
        arrays = [value for value in stored.values if value.types == (Compound.LIST,)]
        others = tuple(
            value._replace(guard=ir.all_of(value.guard, ir.IsNull(octets))) if value.types == (Compound.MAP,) else value
            for value in stored.values
            if value not in arrays
        )
        return stored_alternatives(
            (StoredValue((AmqpType.STRING,), text), *others),
            ir.all_of(stored.present, *[ir.NotTrue(value.guard) for value in arrays]),
            ir.any_of(stored.absent, *[value.guard for value in arrays]),
            stored.key_absent,
            number=stored.number,
        )

    def _object(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        value = value_at(row, self.path)
        value = parse_json(text_of(value, self.path)) if self.json else plain(value)
        for key in self.keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value if isinstance(value, Mapping) else {}

    def values(self, row: Mapping[str, Any]) -> Iterable[tuple[str, AmqpValue | None]]:
        """Return the properties of ``row``: the keys of the object and, if ``nested``, the paths inside it."""
        members = self._object(row)
        inside = dict(_paths(members)) if self.nested else {}
        return ((name, self._value(value)) for name, value in (inside | dict(members)).items())

    def _value(self, value: object) -> AmqpValue | None:
        octets = value.get(self.text_key) if self.text_key is not None and isinstance(value, Mapping) else None
        if isinstance(octets, list) and all(isinstance(octet, int) for octet in octets):
            return AmqpValue(AmqpType.STRING, bytes(octet % 256 for octet in octets).decode("utf-8", "replace"))
        if self.text_key is not None and isinstance(value, list):
            return None
        return variant_value(value)


#: Maximum number of keys in a name with dots that is treated as a path.
MAX_PARTS = 32


def _is_path(name: str) -> bool:
    parts = name.split(".")
    return 1 < len(parts) <= MAX_PARTS and all(parts)


def _paths(members: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the path with dots, and the value, of each member of each object that is nested in ``members``.

    ``before`` are the keys that lead to ``members``. Keys that contain a dot are skipped.
    """
    for key, value in members.items():
        if not key or "." in key:
            continue
        path = (*before, key)
        if before:
            yield ".".join(path), value
        if isinstance(value, Mapping) and len(path) < MAX_PARTS:
            yield from _paths(value, path)
