"""Application properties as text with the name of its type beside it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler import ir
from transpiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, ColumnType, Entry, Key, Path
from transpiler.layouts.rows import struct_of, structs_of, text_of, value_at
from transpiler.layouts.spark_casts import cast_text
from transpiler.layouts.stored import Stored, StoredValue, stored_alternatives
from transpiler.message.types import AmqpType, AmqpValue, Compound
from transpiler.selector.ast import Comparison


@dataclass(frozen=True, slots=True)
class TaggedTexts:
    """Text with the name of its type beside it.

    ``types`` has the AMQP type of each name; ``null`` is the name and the text that stand for a null. ``entry`` names
    the fields of an array's structs that have the key, the text and the type; in a map the type is at the key with
    ``suffix`` behind it, and a text without one is of ``default``'s type.
    """

    path: Path
    types: Mapping[str, AmqpType]
    entry: tuple[str, str, str] | None = None
    suffix: str = ""
    default: str = ""
    null: tuple[str, str] | None = None

    def _places(self, name: str) -> tuple[ir.Value, ir.Value]:
        if self.entry is None:
            text, tag = ((*self.path, Key(key)) for key in (name, name + self.suffix))
            known = ir.Apply(ir.Function.FIRST, (ir.Column(tag, STRING), ir.constant(self.default)), STRING)
            return ir.Column(text, STRING), known
        key_field, text_field, type_field = self.entry
        entry: Path = (*self.path, Entry(key_field, name))
        return ir.Column((*entry, text_field), STRING), ir.Column((*entry, type_field), STRING)

    def stored(self, name: str) -> Stored | None:
        """The text in the type that is beside it; None for a key that has a type itself."""
        if self.suffix and name.endswith(self.suffix):
            return None
        text, tag = self._places(name)
        null: ir.Predicate = ir.FALSE
        if self.null is not None:
            type_name, content = self.null
            null = ir.all_of(_equals(tag, type_name), _equals(text, content))
        groups: dict[AmqpType, list[str]] = {}
        for type_name, amqp in self.types.items():
            groups.setdefault(amqp, []).append(type_name)
        values = []
        same_cast: dict[ir.Value, list[ir.Constant]] = {}
        for amqp, names in groups.items():
            texts = tuple(ir.Constant(name, STRING) for name in names)
            guard: ir.Predicate = ir.In(tag, texts)
            if self.null is not None and self.null[0] in names:
                guard = ir.all_of(guard, ir.Compare(Comparison.NE, text, ir.constant(self.null[1])))
            value = _cast(text, amqp)
            values.append(StoredValue((amqp,), value, guard))
            same_cast.setdefault(value, []).extend(texts)
        known = [
            ir.all_of(ir.In(tag, tuple(texts)), ir.TRUE if value == text else ir.IsNull(value, negated=True))
            for value, texts in same_cast.items()
        ]
        absent = ir.any_of(ir.IsNull(text), null)
        # Not the NOT of it: that a struct's type is NULL says nothing of its text.
        present = ir.IsNull(text, negated=True) if self.null is None else ir.NotTrue(absent)
        unknown = ir.all_of(present, ir.NotTrue(ir.any_of(*known)))
        values.append(StoredValue((Compound.LIST,), ir.Constant(b"", BINARY), unknown))
        return stored_alternatives(values, present, absent, ir.IsNull(text))

    plain = stored

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def _pairs(self, row: Mapping[str, Any]) -> dict[str, tuple[str | None, str | None]]:
        value = value_at(row, self.path)
        if self.entry is not None:
            key_field, text_field, type_field = self.entry
            return {
                struct[key_field]: (
                    text_of(struct.get(text_field), (*self.path, Key(str(struct[key_field])))),
                    struct.get(type_field),
                )
                for struct in structs_of(value, self.path)
                if struct.get(key_field) is not None
            }
        mapping = {
            name: text_of(text, (*self.path, Key(name))) for name, text in (struct_of(value, self.path) or {}).items()
        }
        return {
            name: (text, tag if (tag := mapping.get(name + self.suffix)) is not None else self.default)
            for name, text in mapping.items()
            if not name.endswith(self.suffix)
        }

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The texts of a row in their types."""
        values = {name: self._value(*pair) for name, pair in self._pairs(row).items()}
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, text: str | None, tag: str | None) -> AmqpValue | None:
        if text is None or (tag, text) == self.null:
            return None
        amqp = None if tag is None else self.types.get(tag)
        value = None if amqp is None else _cast_text(text, amqp)
        # A text that is not of its type, or is of no type that is known, is a value that equals nothing.
        return AmqpValue(Compound.LIST, b"") if amqp is None or value is None else AmqpValue(amqp, value)

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One text in its type."""
        pair = self._pairs(row).get(name)
        return None if pair is None else self._value(*pair)


def _equals(value: ir.Value, text: str) -> ir.Predicate:
    return ir.Compare(Comparison.EQ, value, ir.constant(text))


def _cast(text: ir.Value, amqp: AmqpType) -> ir.Value:
    if amqp is AmqpType.STRING:
        return text
    if amqp is AmqpType.BINARY:
        return ir.Apply(ir.Function.FROM_BASE64, (text,), BINARY)
    return ir.Apply(ir.Function.TRY_CAST, (text,), _SPARK_TYPES[amqp])


def _cast_text(text: str, amqp: AmqpType) -> bool | int | float | str | bytes | None:
    if amqp is AmqpType.BINARY:
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return None
    return cast_text(text, _SPARK_TYPES[amqp].kind)


_SPARK_TYPES: Mapping[AmqpType, ColumnType] = {
    AmqpType.STRING: STRING,
    AmqpType.BOOLEAN: BOOLEAN,
    AmqpType.BYTE: BIGINT,
    AmqpType.SHORT: BIGINT,
    AmqpType.INT: BIGINT,
    AmqpType.LONG: BIGINT,
    AmqpType.FLOAT: DOUBLE,
    AmqpType.DOUBLE: DOUBLE,
}
