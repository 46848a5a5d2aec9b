"""The canonical layout: one column a section, names with underscores, tagged unions where AMQP leaves the type open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from transpiler.ir.column_types import BIGINT, BINARY, BOOLEAN, DOUBLE, SMALLINT, STRING, TIMESTAMP, ColumnType, Key
from transpiler.layouts.columns import Fields, UnionShape
from transpiler.layouts.stored import Stored, stored_column, stored_union
from transpiler.message.fields import MessageField
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpValue, Compound, SelectorType, coerce

if TYPE_CHECKING:
    from transpiler.message.message import Body, Header, Message, Properties, Values

#: The fields of the struct sections.
STRUCTS: Mapping[str, Mapping[str, ColumnType | UnionShape]] = MappingProxyType(
    {
        "header": {
            "durable": BOOLEAN,
            "priority": SMALLINT,
            "ttl": BIGINT,
            "first_acquirer": BOOLEAN,
            "delivery_count": BIGINT,
        },
        "properties": {
            "message_id": UnionShape.UNION,
            "user_id": BINARY,
            "to": STRING,
            "subject": STRING,
            "reply_to": STRING,
            "correlation_id": UnionShape.UNION,
            "content_type": STRING,
            "content_encoding": STRING,
            "absolute_expiry_time": TIMESTAMP,
            "creation_time": TIMESTAMP,
            "group_id": STRING,
            "group_sequence": BIGINT,
            "reply_to_group_id": STRING,
        },
        "body": {"section": STRING, "data": BINARY, "value": UnionShape.UNION},
    }
)

#: The sections that map names to tagged unions.
MAPS = ("delivery_annotations", "message_annotations", "application_properties", "footer")

#: All sections in the order of the schema.
SECTIONS = (
    "header",
    "delivery_annotations",
    "message_annotations",
    "properties",
    "application_properties",
    "body",
    "footer",
)

#: The fields of the struct ``V``: the type's name, and one field for each class of values.
UNION: Mapping[str, ColumnType] = MappingProxyType(
    {
        "type": STRING,
        "boolean": BOOLEAN,
        "long": BIGINT,
        "double": DOUBLE,
        "string": STRING,
        "binary": BINARY,
    }
)


@dataclass(frozen=True, slots=True)
class AmqpLayout:
    """The canonical schema, or the sections of it that a DataFrame has."""

    name: str = "amqp"
    sections: tuple[str, ...] = SECTIONS

    @property
    def schema(self) -> Fields:
        """The columns of the sections."""
        return {section: UnionShape.UNIONS if section in MAPS else STRUCTS[section] for section in self.sections}

    def field(self, place: MessageField) -> Stored | None:
        """A column for a field with one type, a tagged union for an id or an annotation."""
        if place.section not in self.sections:
            return None
        if place.section in MAPS:
            return stored_union((place.section, Key(place.field)))
        return _struct_field(place)

    def property(self, name: str) -> Stored | None:
        """Every name has a place: the value of the application-properties map at that key."""
        return self.field(MessageField("application_properties", name))

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def row(self, message: Message) -> Mapping[str, Any]:
        """The message in the canonical schema, a time in milliseconds."""
        return {section: _SECTION_ROWS[section](message) for section in self.sections}


def _struct_field(place: MessageField) -> Stored:
    column_type = STRUCTS[place.section][place.field]
    path = (place.section, place.field)
    return stored_column(path, column_type) if isinstance(column_type, ColumnType) else stored_union(path)


def union(value: AmqpValue | Compound | None) -> dict[str, Any] | None:
    """A value as the struct ``V``; at most one field beside ``type`` is set."""
    if value is None:
        return None
    row: dict[str, Any] = dict.fromkeys(UNION)
    if isinstance(value, Compound):
        return row | {"type": value.value}
    row["type"] = value.type.value
    selector_type = COERCION[value.type]
    if selector_type is not SelectorType.NULL:
        row[TYPE_CLASS[selector_type].value] = coerce(value)
    return row


def unions(values: Values | None) -> dict[str, Any] | None:
    """The values of a map section as structs ``V``."""
    return None if values is None else {key: union(value) for key, value in values.items()}


def _struct_row(section: Header | Properties | Body | None, fields: Mapping[str, object]) -> dict[str, Any] | None:
    if section is None:
        return None
    row = {}
    for field in fields:
        value = getattr(section, field)
        row[field] = union(value) if isinstance(value, AmqpValue | Compound) else value
    return row


_SECTION_ROWS: Mapping[str, Callable[[Message], dict[str, Any] | None]] = {
    "header": lambda message: _struct_row(message.header, STRUCTS["header"]),
    "delivery_annotations": lambda message: unions(message.delivery_annotations),
    "message_annotations": lambda message: unions(message.message_annotations),
    "properties": lambda message: _struct_row(message.properties, STRUCTS["properties"]),
    "application_properties": lambda message: unions(message.application_properties),
    "body": lambda message: _struct_row(message.body, STRUCTS["body"]),
    "footer": lambda message: unions(message.footer),
}
