"""Application properties as stores keep them: in typed places, as text, as text with its type beside it, as a VARIANT.

Each source answers three times: with the values of the intermediate form, with the properties of one row in Python,
and with the columns that some properties are written to.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from transpiler import ir
from transpiler.errors import LayoutError
from transpiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, STRING, ColumnType, Entry, Key, Path, SparkType
from transpiler.layouts.columns import AMQP_TYPES, TypedColumn
from transpiler.layouts.flat import Unusable
from transpiler.layouts.json_values import parse_json
from transpiler.layouts.rows import amqp_value, as_mapping, plain, put, value_at, variant_value
from transpiler.layouts.spark_casts import cast_text
from transpiler.layouts.stored import Stored, StoredValue, seen, stored_alternatives, stored_column, stored_value
from transpiler.layouts.text_types import TextTypes
from transpiler.layouts.variants import parsed_json, stored_in_variant, variant_path
from transpiler.message.types import AmqpType, AmqpValue, Compound, coerce
from transpiler.selector.ast import Comparison

#: The properties of a message by their names.
Properties = Mapping[str, AmqpValue]


class PropertySource(Protocol):
    """The columns of a store that have the application properties."""

    def stored(self, name: str) -> Stored | None:
        """The values at a property's name; None where it has no place."""
        ...

    def plain(self, name: str) -> Stored | None:
        """The same, but a text is a string whatever policy the others have."""
        ...

    def names(self) -> tuple[str, ...]:
        """The properties that have a place; empty where any name has one."""
        ...

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The properties of a row."""
        ...

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One property of a row, a text as a string."""
        ...

    def write(self, properties: Properties) -> dict[str, Any]:
        """The columns of a row that has these properties; what the store cannot say is left out."""
        ...


def java_text(value: AmqpValue) -> str | None:
    """Return a value as the text that a producer writes for it; None for a null and for what holds other values."""
    match coerce(value):
        case None:
            return None
        case bool() as truth:
            return "true" if truth else "false"
        case bytes() as octets:
            return None if isinstance(value.type, Compound) else base64.b64encode(octets).decode()
        case float() as number:
            return _java_double(number)
        case other:
            return str(other)


def _java_double(number: float) -> str:
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number).replace("e+", "E").replace("e", "E")


@dataclass(frozen=True, slots=True)
class StructFields:
    """Fields of one struct, each of one type."""

    column: str
    fields: Mapping[str, TypedColumn | Unusable]

    def stored(self, name: str) -> Stored | None:
        """The field of exactly that name; ``LayoutError`` where its type has no AMQP counterpart."""
        place = self.fields.get(name)
        if isinstance(place, Unusable):
            raise LayoutError.at("layout.column-type", f"field {name}: {place.reason}", hint=place.hint)
        return None if place is None else stored_column(place.path, place.type)

    plain = stored

    def names(self) -> tuple[str, ...]:
        """The fields that can be properties."""
        return tuple(name for name, place in self.fields.items() if isinstance(place, TypedColumn))

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The fields that are not NULL."""
        values = {name: self.read_plain(row, name) for name in self.names()}
        return {name: value for name, value in values.items() if value is not None}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One field."""
        place = self.fields.get(name)
        if not isinstance(place, TypedColumn):
            return None
        return amqp_value(value_at(row, place.path), place.type.kind)

    def write(self, properties: Properties) -> dict[str, Any]:
        """The struct, with what is of its fields' types."""
        row: dict[str, Any] = {}
        for name, place in self.fields.items():
            if isinstance(place, TypedColumn):
                value = properties.get(name)
                fits = value is not None and value.type is AMQP_TYPES[place.type.kind]
                put(row, place.path, coerce(value) if fits and value is not None else None)
        return row


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
        return ir.Column(self.path, ColumnType(SparkType.VARIANT))

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
        value = parse_json(value) if self.json else plain(value)
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

    def write(self, properties: Properties) -> dict[str, Any]:
        """The object, as JSON text for a column of text and as plain Python for a VARIANT."""
        whole: Any = {name: self._written(value) for name, value in properties.items()}
        for key in reversed(self.keys):
            whole = {key: whole}
        row: dict[str, Any] = {}
        put(row, self.path, json.dumps(whole) if self.json else whole)
        return row

    def _written(self, value: AmqpValue) -> object:
        content = coerce(value)
        if self.text_key is not None and isinstance(content, str):
            return {self.text_key: list(content.encode())}
        if isinstance(content, bytes):
            return [] if isinstance(value.type, Compound) else base64.b64encode(content).decode()
        if isinstance(content, float) and (content != content or abs(content) == float("inf")):
            return None
        return content


@dataclass(frozen=True, slots=True)
class TextProperties:
    """Text under a policy: values of a map, or of the entries of an array, as strings or as their bytes in UTF-8."""

    path: Path
    types: TextTypes
    binary: bool = False
    prefix: str = ""
    #: The fields of an array's structs that have the key and the value; a map has none.
    entry: tuple[str, str] | None = None
    repeated_first: bool = False

    def _text(self, name: str) -> ir.Value:
        key = self.prefix + name
        path: Path
        if self.entry is None:
            path = (*self.path, Key(key))
        else:
            key_field, value_field = self.entry
            path = (*self.path, Entry(key_field, key, self.repeated_first), value_field)
        if not self.binary:
            return ir.Column(path, STRING)
        return ir.Apply(ir.Function.TEXT_OF_BYTES, (ir.Column(path, BINARY),), STRING)

    def stored(self, name: str) -> Stored | None:
        """The text at the key, by the policy of that name."""
        return self.types.of(name).stored(self._text(name))

    def plain(self, name: str) -> Stored | None:
        """The text at the key; of JSON text, the value."""
        policy, text = self.types.of(name), self._text(name)
        return policy.stored(text) if policy.name == "json" else stored_value(AmqpType.STRING, text)

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def _texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        value = value_at(row, self.path)
        pairs: list[tuple[Any, Any]] = []
        if self.entry is not None:
            key_field, value_field = self.entry
            structs = [as_mapping(item) or {} for item in value or ()]
            pairs = [(struct.get(key_field), struct.get(value_field)) for struct in structs]
            if self.repeated_first:
                pairs.reverse()
        elif (mapping := as_mapping(value)) is not None:
            pairs = list(mapping.items())
        texts = dict(pairs)
        return {
            key.removeprefix(self.prefix): bytes(text).decode("utf-8", "replace") if self.binary else text
            for key, text in texts.items()
            if key is not None and key.startswith(self.prefix) and text is not None
        }

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The texts of a row by their policies."""
        values = {name: self.types.of(name).read(text) for name, text in self._texts(row).items()}
        return {name: value for name, value in values.items() if value is not None}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One text; of JSON text, the value."""
        text, policy = self._texts(row).get(name), self.types.of(name)
        if text is None:
            return None
        return policy.read(text) if policy.name == "json" else AmqpValue(AmqpType.STRING, text)

    def write(self, properties: Properties) -> dict[str, Any]:
        """The texts that a producer writes for the values."""
        texts = {self.prefix + name: self._written(name, value) for name, value in properties.items()}
        row: dict[str, Any] = {}
        if self.entry is None:
            put(row, self.path, texts)
        else:
            put(row, self.path, [dict(zip(self.entry, pair, strict=True)) for pair in texts.items()])
        return row

    def _written(self, name: str, value: AmqpValue) -> str | bytes | None:
        text = java_text(value)
        if self.types.of(name).name == "json":
            content = coerce(value)
            text = json.dumps(text if isinstance(content, bytes) else content)
        return text.encode() if self.binary and text is not None else text


#: The order in which places of several types are looked at: the frequent ones first.
Members = tuple[tuple[str, SparkType], ...]


@dataclass(frozen=True, slots=True)
class TypedPlaces:
    """One place for each type, of which the one of the value's own type is not NULL.

    The places are the members of a struct, at the key of a map, or maps side by side. ``binary`` members are as they
    are; a null has no member that is set.
    """

    members: Members
    #: The map of structs; None where the members are maps.
    map: Path | None = None
    #: Fields of the struct that tell what the members do, with the text of each type.
    tag: tuple[str, Mapping[SparkType, str]] | None = None

    def _path(self, member: str, name: str) -> Path:
        return (member, Key(name)) if self.map is None else (*self.map, Key(name), member)

    def stored(self, name: str) -> Stored | None:
        """The members at the name."""
        return stored_alternatives(
            [
                StoredValue((AMQP_TYPES[kind],), seen(ir.Column(self._path(member, name), ColumnType(kind))))
                for member, kind in self.members
            ]
        )

    plain = stored

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The first member of each name that is set."""
        values: dict[str, AmqpValue] = {}
        for member, kind in self.members:
            for name, value in self._member(row, member).items():
                typed = amqp_value(value, kind)
                if typed is not None:
                    values.setdefault(name, typed)
        return values

    def _member(self, row: Mapping[str, Any], member: str) -> Mapping[str, Any]:
        if self.map is None:
            return as_mapping(row.get(member)) or {}
        structs = as_mapping(value_at(row, self.map)) or {}
        return {name: (as_mapping(struct) or {}).get(member) for name, struct in structs.items()}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """The value of one name."""
        return self.read(row).get(name)

    def write(self, properties: Properties) -> dict[str, Any]:
        """The members, each value in that of its type or the widest of its class."""
        places = {name: self._place_of(value) for name, value in properties.items()}
        if self.map is None:
            row: dict[str, Any] = {member: {} for member, _ in self.members}
            for name, place in places.items():
                if place is not None:
                    row[place[0]][name] = place[2]
            return row
        structs: dict[str, Any] = {}
        for name, place in places.items():
            struct: dict[str, Any] = dict.fromkeys(member for member, _ in self.members)
            if place is not None:
                struct[place[0]] = place[2]
            if self.tag is not None:
                struct[self.tag[0]] = self.tag[1][SparkType.STRING if place is None else place[1]]
            structs[name] = struct
        row = {}
        put(row, self.map, structs)
        return row

    def _place_of(self, value: AmqpValue) -> tuple[str, SparkType, object] | None:
        content = coerce(value)
        if content is None or isinstance(value.type, Compound):
            return None
        own = {AMQP_TYPES[kind]: (member, kind) for member, kind in self.members}
        wide: Mapping[type, AmqpType] = {
            bool: AmqpType.BOOLEAN,
            int: AmqpType.LONG,
            float: AmqpType.DOUBLE,
            str: AmqpType.STRING,
            bytes: AmqpType.BINARY,
        }
        place = own.get(value.type) if isinstance(value.type, AmqpType) else None
        place = place or own.get(wide[type(content)])
        return None if place is None else (*place, content)


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
        for amqp, names in groups.items():
            guard: ir.Predicate = ir.In(tag, tuple(ir.Constant(name, STRING) for name in names))
            if self.null is not None and self.null[0] in names:
                guard = ir.all_of(guard, ir.Compare(Comparison.NE, text, ir.constant(self.null[1])))
            values.append(StoredValue((amqp,), _cast(text, amqp), guard))
        absent = ir.any_of(ir.IsNull(text), null)
        present: ir.Predicate = ir.IsNull(text, negated=True)
        if self.null is not None:
            type_name, content = self.null
            present = ir.any_of(_equals(text, content, Comparison.NE), _equals(tag, type_name, Comparison.NE))
        return stored_alternatives(values, present, absent, ir.IsNull(text))

    plain = stored

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def _pairs(self, row: Mapping[str, Any]) -> dict[str, tuple[str | None, str | None]]:
        value = value_at(row, self.path)
        if self.entry is not None:
            key_field, text_field, type_field = self.entry
            structs = [as_mapping(item) or {} for item in value or ()]
            return {struct[key_field]: (struct.get(text_field), struct.get(type_field)) for struct in structs}
        mapping = as_mapping(value) or {}
        return {
            name: (text, mapping.get(name + self.suffix) or self.default)
            for name, text in mapping.items()
            if not name.endswith(self.suffix)
        }

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The texts of a row in their types."""
        values = {name: self._value(*pair) for name, pair in self._pairs(row).items()}
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, text: str | None, tag: str | None) -> AmqpValue | None:
        if text is None or tag is None or (tag, text) == self.null:
            return None
        amqp = self.types.get(tag)
        value = None if amqp is None else _cast_text(text, amqp)
        # A text that is not of its type, or is of a type that is not known, is a value that equals nothing.
        return AmqpValue(Compound.LIST, b"") if amqp is None or value is None else AmqpValue(amqp, value)

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """One text in its type."""
        pair = self._pairs(row).get(name)
        return None if pair is None else self._value(*pair)

    def write(self, properties: Properties) -> dict[str, Any]:
        """The texts, with their types."""
        names = {amqp: type_name for type_name, amqp in reversed(list(self.types.items()))}
        written: dict[str, tuple[str, str]] = {}
        for name, value in properties.items():
            text = java_text(value)
            wide = {int: AmqpType.LONG, float: AmqpType.DOUBLE}.get(type(coerce(value)), AmqpType.STRING)
            own = value.type if value.type in names else wide
            if text is not None and isinstance(own, AmqpType):
                written[name] = (text, names[own])
            elif self.null is not None and text is None:
                written[name] = (self.null[1], self.null[0])
        row: dict[str, Any] = {}
        if self.entry is not None:
            put(row, self.path, [dict(zip(self.entry, (name, *pair), strict=True)) for name, pair in written.items()])
        else:
            texts = {name: text for name, (text, _) in written.items()}
            put(row, self.path, texts | {name + self.suffix: tag for name, (_, tag) in written.items()})
        return row


def _equals(value: ir.Value, text: str, operator: Comparison = Comparison.EQ) -> ir.Predicate:
    return ir.Compare(operator, value, ir.constant(text))


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
