"""Application properties in typed places: fields of a struct, members of unions, maps side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler import ir
from transpiler.errors import LayoutError
from transpiler.ir.column_types import AMQP_TYPES, STRING, ColumnType, Key, Path, SparkType
from transpiler.layouts.columns import TypedColumn, seen
from transpiler.layouts.flat import Unusable
from transpiler.layouts.rows import amqp_value, struct_of, value_at
from transpiler.layouts.stored import Stored, StoredValue, stored_alternatives, stored_column
from transpiler.message.types import AmqpValue
from transpiler.selector.ast import Comparison


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
        return amqp_value(value_at(row, place.path), place.type.kind, place.path)


#: The order in which places of several types are looked at: the frequent ones first.
Members = tuple[tuple[str, SparkType], ...]


@dataclass(frozen=True, slots=True)
class TypedPlaces:
    """One place for each type, of which the one of the value's own type is not NULL.

    The places are the members of a struct, at the key of a map, or maps side by side. ``binary`` members are as they
    are; a null has no member that is set. Where a struct has a tag, the tag decides which member counts.
    """

    members: Members
    #: The map of structs; None where the members are maps.
    map: Path | None = None
    #: The field of the struct that names the type, with the text of each.
    tag: tuple[str, Mapping[SparkType, str]] | None = None

    def _path(self, member: str, name: str) -> Path:
        return (member, Key(name)) if self.map is None else (*self.map, Key(name), member)

    def stored(self, name: str) -> Stored | None:
        """The members at the name."""
        return stored_alternatives(
            [StoredValue((AMQP_TYPES[kind],), self._value(member, kind, name)) for member, kind in self.members]
        )

    def _value(self, member: str, kind: SparkType, name: str) -> ir.Value:
        value = seen(ir.Column(self._path(member, name), ColumnType(kind)))
        if self.tag is None:
            return value
        tag_field, texts = self.tag
        tag = ir.Column(self._path(tag_field, name), STRING)
        # Not a guard beside the value: of a union's fields, the planner takes only one to have a value.
        return ir.When(ir.Compare(Comparison.EQ, tag, ir.constant(texts[kind])), value)

    plain = stored

    def names(self) -> tuple[str, ...]:
        """Empty, for any name has a place."""
        return ()

    def read(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        """The member of each name that its tag names; without a tag, the first one that is set."""
        values: dict[str, AmqpValue] = {}
        tags = {} if self.tag is None else self._member(row, self.tag[0])
        for member, kind in self.members:
            for name, value in self._member(row, member).items():
                if self.tag is not None and tags.get(name) != self.tag[1][kind]:
                    continue
                typed = amqp_value(value, kind, self._path(member, name))
                if typed is not None:
                    values.setdefault(name, typed)
        return values

    def _member(self, row: Mapping[str, Any], member: str) -> Mapping[str, Any]:
        if self.map is None:
            return struct_of(row.get(member), (member,)) or {}
        structs = struct_of(value_at(row, self.map), self.map) or {}
        return {name: (struct_of(struct, (*self.map, Key(name))) or {}).get(member) for name, struct in structs.items()}

    def read_plain(self, row: Mapping[str, Any], name: str) -> AmqpValue | None:
        """The value of one name."""
        return self.read(row).get(name)
