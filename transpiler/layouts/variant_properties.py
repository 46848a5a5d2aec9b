"""Application properties as keys of an object in a VARIANT, or in JSON text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler import ir
from transpiler.ir.column_types import STRING, VARIANT, ColumnType, Path, SparkType
from transpiler.layouts.json_values import parse_json
from transpiler.layouts.rows import plain, text_of, value_at, variant_value
from transpiler.layouts.stored import Stored, StoredValue, stored_alternatives
from transpiler.layouts.variants import parsed_json, stored_in_variant, variant_path
from transpiler.message.types import AmqpType, AmqpValue, Compound


@dataclass(frozen=True, slots=True)
class VariantObject:
    """Keys of an object in a VARIANT, or in JSON text that is parsed; ``keys`` lead to the object.

    ``text_key`` is the key of an object that stands for a string, by the bytes of its text; an array is missing then.
    """

    path: Path
    keys: tuple[str, ...] = ()
    json: bool = False
    text_key: str | None = None

    def _variant(self) -> ir.Value:
        if self.json:
            return parsed_json(ir.Column(self.path, STRING))
        return ir.Column(self.path, VARIANT)

    def stored(self, name: str) -> Stored | None:
        """The value at the key, by its own type."""
        variant = self._variant()
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

    plain = stored

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def _object(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        value = value_at(row, self.path)
        value = parse_json(text_of(value, self.path)) if self.json else plain(value)
        for key in self.keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value if isinstance(value, Mapping) else {}

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The keys of the object whose values are not null."""
        values = {name: self._value(value) for name, value in self._object(row).items()}
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, value: object) -> AmqpValue | None:
        octets = value.get(self.text_key) if self.text_key is not None and isinstance(value, Mapping) else None
        if isinstance(octets, list) and all(isinstance(octet, int) for octet in octets):
            return AmqpValue(AmqpType.STRING, bytes(octet % 256 for octet in octets).decode("utf-8", "replace"))
        if self.text_key is not None and isinstance(value, list):
            return None
        return variant_value(value)

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One value."""
        return self._value(self._object(row).get(name))
