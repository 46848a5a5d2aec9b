"""Header fields as stores keep them: a place, and the reading that makes of its value what AMQP's field holds.

A place is a column, a key of the application properties, or a key of another map; ``header_readings`` has the readings.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from transpiler import ir
from transpiler.ir.column_types import STRING, VARIANT, ColumnType, Path
from transpiler.layouts.header_readings import Reading
from transpiler.layouts.property_source import PropertySource
from transpiler.layouts.rows import amqp_value, milliseconds, plain, value_at, variant_value
from transpiler.layouts.stored import (
    Stored,
    StoredValue,
    stored_alternatives,
    stored_column,
    stored_value,
)
from transpiler.layouts.variants import variant_get, variant_path
from transpiler.message.types import AmqpType, AmqpValue, Compound, coerce


class Place(Protocol):
    """A place of a header's value in a row."""

    def stored(self) -> Stored | None:
        """The values there; None where the store does not have the place."""
        ...

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """The value in one row."""
        ...


@dataclass(frozen=True, slots=True)
class ColumnPlace:
    """A column, or a field of a struct. Without a type it may be any: the schema was not given."""

    path: Path
    type: ColumnType | None

    def stored(self) -> Stored | None:
        """The column's value."""
        return stored_column(self.path, self.type or STRING)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """The column's value in one row."""
        value = value_at(row, self.path)
        if self.type is None and not isinstance(value, str):
            time = milliseconds(value)
            return AmqpValue(AmqpType.TIMESTAMP, time) if time is not None else variant_value(value)
        return amqp_value(value, (self.type or STRING).kind, self.path)


@dataclass(frozen=True, slots=True)
class VariantPlace:
    """A key in a VARIANT's object, cast to a type."""

    path: Path
    keys: tuple[str, ...]
    type: ColumnType

    def stored(self) -> Stored | None:
        """The value at the key, cast."""
        variant = ir.Column(self.path, VARIANT)
        value = variant_get(variant, variant_path(*self.keys), self.type)
        return stored_value(AmqpType.STRING if self.type == STRING else AmqpType.LONG, value)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """The value at the key in one row."""
        value = plain(value_at(row, self.path))
        for key in self.keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        content = variant_value(value)
        if content is None or self.type != STRING:
            return content
        text = java_text(content)
        return None if text is None else AmqpValue(AmqpType.STRING, text)


def java_text(value: AmqpValue) -> str | None:
    """Return the text that Java, and Spark, write for a value; None for a null and for what holds other values."""
    match coerce(value):
        case None:
            return None
        case bool() as truth:
            return "true" if truth else "false"
        case bytes() as octets:
            return None if isinstance(value.type, Compound) else base64.b64encode(octets).decode()
        case float() as number if math.isnan(number):
            return "NaN"
        case float() as number if math.isinf(number):
            return "Infinity" if number > 0 else "-Infinity"
        case float() as number:
            return repr(number).replace("e+", "E").replace("e", "E")
        case other:
            return str(other)


@dataclass(frozen=True, slots=True)
class ConstantPlace:
    """A value that all messages of a store have."""

    value: bool

    def stored(self) -> Stored | None:
        """The value, in every row."""
        constant = StoredValue((AmqpType.BOOLEAN,), ir.constant(self.value))
        return stored_alternatives([constant], ir.TRUE, ir.FALSE, ir.FALSE)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:  # noqa: ARG002
        """The value."""
        return AmqpValue(AmqpType.BOOLEAN, self.value)


@dataclass(frozen=True, slots=True)
class PropertyPlace:
    """A key of a source of properties: of the application properties, or of a map beside them."""

    source: PropertySource
    key: str

    def stored(self) -> Stored | None:
        """The value at the key, a text as a string."""
        return self.source.plain(self.key)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """The value at the key in one row."""
        return self.source.read_plain(row, self.key)


@dataclass(frozen=True, slots=True)
class HeaderPlace:
    """A header field: its place, and how it is read."""

    place: Place
    reading: Reading

    def stored(self) -> Stored | None:
        """The field's value in SQL; None where the store does not have the place."""
        raw = self.place.stored()
        return None if raw is None else self.reading.stored(raw)

    def read(self, row: Mapping[str, Any]) -> bool | int | str | None:
        """The field's value in one row."""
        raw = self.place.read(row)
        return None if raw is None else self.reading.read(raw)
