"""Layouts of stores: a source of application properties, and a place for each header field that the store has.

A header field without a place of its own is read from the property of its JMS name, and else has JMS's default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from transpiler.base.diagnostics import Advice, Fix
from transpiler.base.hints import Hint, Setting, StoreCall
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.compiler.layouts.collations import Collations
from transpiler.compiler.layouts.columns import like_columns
from transpiler.compiler.layouts.header_places import ColumnPlace, HeaderPlace, PropertyPlace
from transpiler.compiler.layouts.header_readings import READINGS
from transpiler.compiler.layouts.layout import Layout, by_bytes
from transpiler.compiler.layouts.named_fields import FIELDS, NAMES
from transpiler.compiler.layouts.property_source import PropertySource, TextProperties, UnchosenTexts, column_of
from transpiler.compiler.layouts.rows import amqp_value, row_columns, value_at
from transpiler.compiler.layouts.stored import (
    NOTHING,
    Stored,
    StoredValue,
    stored_alternatives,
    stored_column,
    stored_value,
)
from transpiler.compiler.layouts.typed_schema import typed_columns
from transpiler.message.broker_fields import names_header_field
from transpiler.message.header_fields import MessageField
from transpiler.message.message import Message
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

#: The type to declare for a kind of values.
_DECLARED = {"a number": "DOUBLE", "a boolean": "BOOLEAN"}

#: Fields that no property of their name stands in for: they are no names of JMS.
_NO_PROPERTIES = frozenset({"content-type", "content-encoding", "exchange", "routing-key", "JMS_AMQP_TTL"})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoreLayout:
    """A store: its application properties, and its header fields by their JMS names.

    ``schema`` is what ``bind`` reads a DataFrame's schema into; without it the layout is whole as it is. ``columns``
    are the columns of one type that are known to stand beside. Where only a schema has shown the store,
    ``columns_first`` says that they are properties, too, before the keys of the source.
    """

    name: str
    source: PropertySource
    headers: Mapping[str, HeaderPlace] = field(default_factory=dict)
    binding: Callable[[Mapping[str, Any]], StoreLayout] | None = None
    collations: Collations | None = None
    columns: Mapping[str, ir.Column] = field(default_factory=dict)
    columns_first: bool = False
    #: The producer writes the header fields as properties of their JMS names.
    jms_keys: bool = False

    def __repr__(self) -> str:
        return f"StoreLayout({self.name!r})"

    def bind(self, schema: Mapping[str, Any]) -> StoreLayout:
        """The layout over a schema in Spark's JSON form, which tells the types of header columns, and collations."""
        over_schema = self if self.binding is None else self.binding(schema)
        return replace(over_schema, collations=Collations.of(schema), columns=typed_columns(schema))

    def field(self, place: MessageField) -> Stored | None:
        """The place of a header field; one without a value in any row where the store has none."""
        if place.section == "application_properties":
            return self.property(place.field)
        return by_bytes(self._field(place), self.collations)

    def _field(self, place: MessageField) -> Stored | None:
        if place == FIELDS["JMSXDeliveryCount"]:
            return self._delivery_count()
        name = NAMES.get(place)
        if name is None or name == "JMSRedelivered":
            # A message is redelivered where it has failed before: the delivery count says so.
            return None
        header = self.header(name)
        stored = None if header is None else header.stored()
        return NOTHING if stored is None else stored

    def _delivery_count(self) -> Stored:
        """The failed attempts, one fewer than JMS counts; where only a flag is kept, one or none."""
        parts: list[StoredValue] = []
        if self._counts_deliveries():
            header = self.header("JMSXDeliveryCount")
            count = None if header is None else header.stored()
            for item in () if count is None else count.values:
                failed = ir.Apply(ir.Function.SUBTRACT, (item.value, ir.constant(1)), BIGINT)
                parts.append(item._replace(value=failed))
        if "JMSXDeliveryCount" not in self.headers:
            header = self.header("JMSRedelivered")
            flag = None if header is None else header.stored()
            for item in () if flag is None else flag.values:
                for number, negated in ((1, False), (0, True)):
                    is_flag = ir.all_of(item.guard, ir.IsTrue(item.value, negated))
                    parts.append(StoredValue((AmqpType.LONG,), ir.constant(number), is_flag))
        if all(isinstance(part.value, ir.Constant) for part in parts):
            return stored_alternatives(parts, absent=ir.NotTrue(ir.any_of(*[part.guard for part in parts])))
        values = [ir.guarded(part.guard, part.value) for part in parts]
        return stored_value(AmqpType.LONG, ir.first_of(values, BIGINT))

    def _counts_deliveries(self) -> bool:
        """Return True if JMSXDeliveryCount is read, which a flag of the store's own comes before."""
        return "JMSXDeliveryCount" in self.headers or "JMSRedelivered" not in self.headers

    def header(self, name: str) -> HeaderPlace | None:
        """The place and the reading of a header field, or of the property of its name."""
        header = self.headers.get(name)
        if header is not None:
            return header
        if name in _NO_PROPERTIES:
            return None
        return HeaderPlace(PropertyPlace(self.source, name), READINGS[name])

    def property(self, name: str) -> Stored | None:
        """The place of an application property."""
        column = self._first_column(name)
        stored = self.source.stored(name) if column is None else stored_column(column.path, column.type)
        return by_bytes(stored, self.collations)

    def _header_of(self, column: ir.Column) -> str | None:
        """Return the header field that a column, or a field of its struct, has; None where it has none."""
        places = {name: header.place for name, header in self.headers.items() if isinstance(header.place, ColumnPlace)}
        return next((name for name, place in places.items() if place.path == column.path), None)

    def _beside(self, name: str) -> ir.Column | None:
        """Return the column of that name; None where it is one of the source's."""
        column, source = self.columns.get(name), column_of(self.source)
        own = column is not None and (column.path[0] == source or (not source and name in self.source.names()))
        return None if own else column

    def _first_column(self, name: str) -> ir.Column | None:
        """Return the column that is the property of that name, but for the source's own fields."""
        column = self._beside(name) if self.columns_first and name not in self.source.names() else None
        return None if column is None or self._header_of(column) is not None else column

    def doubt(self, place: MessageField) -> tuple[str, Advice] | None:
        """Return the other reading of a name, and how to get it; None where there is one reading only."""
        if place.section == "application_properties":
            return self._doubtful_property(place.field)
        name = NAMES.get(place, "")
        if not name.startswith("JMS") or name.startswith("JMSX") or name in self.headers or self.jms_keys:
            return None
        if self.source.names() and name not in self.source.names():
            return None
        message = f"{name} is read from the property of that name: the layout {self.name} has no such field"
        return message, self.offers(place)[0]

    def offers(self, place: MessageField) -> tuple[Advice, ...]:
        """Return the option that gives a header field a place, with the column that probably has it."""
        name = NAMES.get(place, "")
        if not name.startswith("JMS"):
            return ()
        like = like_columns(name, self.columns)
        if not like:
            return (Advice(Hint("perhaps a column or a key has it: ", Setting("headers", {name: "…"}))),)
        headers = Setting("headers", {name: like[0]})
        return (Advice(Hint(headers, " reads it from there"), headers.fix),)

    def _doubtful_property(self, name: str) -> tuple[str, Advice] | None:
        column, source = self._beside(name), column_of(self.source)
        if column is None:
            return None
        if self._first_column(name) is not None:
            if self.source.names():
                return None
            message = f"{name} is read from the column of that name, not from {source}"
            types = {"types": "by-use"} if self.name == "text-map" else {}
            store = StoreCall(self.name.replace("-", "_"), source, types)
            return message, Advice(Hint(store, " reads the key"), store.fix)
        header = self._header_of(column)
        if header is not None:
            message = f"{name} is read from {source}, and the column {name} has {header}"
            return message, Advice(f"write {header} for the column", Fix(header))
        message = f"{name} is read from {source}, and there is a column {name}, too"
        return message, Advice(
            f"perhaps rename the column, or compare it outside of the selector: df.filter(col({name!r}) …)"
        )

    def named_header(self, name: str) -> Stored | None:
        """The property of a header field's name, where the properties are known and the field has no place."""
        return self.property(name) if name not in FIELDS and name in self.source.names() else None

    def declaration(self, name: str, kind: str) -> Advice | None:
        """The policy, or the type, that makes something else of a text; None where the store has types."""
        if not isinstance(self.source, TextProperties) or kind not in _DECLARED or name in FIELDS:
            return None
        by_use, always = Setting("types", "by-use"), Setting("types", {name: _DECLARED[kind]})
        return Advice(Hint(by_use, f" reads a text as {kind} beside one, and ", always, " always"), by_use.fix)

    def names(self) -> tuple[str, ...]:
        """The properties that have a place, where they are known."""
        names = self.source.names()
        return names and (*names, *(name for name in self.columns if self._first_column(name) is not None))

    def message(self, row: object) -> Message:
        """The message in a row, a mapping or a ``pyspark.sql.Row``, by the definition of the store, not by the SQL.

        A time is a ``datetime`` or milliseconds. ``TypeError`` for anything else than a row.
        """
        columns = row_columns(row)
        properties = self._properties(columns)
        named = [name for name in self.source.names() if name not in FIELDS and names_header_field(name)]
        values: dict[str, Any] = {}
        contents: dict[str, dict[str, Any]] = {"header": {}, "properties": {}, "delivery_properties": {}}
        for name, place in FIELDS.items():
            header = self.header(name)
            value = values[name] = None if header is None else header.read(columns)
            contents[place.section][place.field] = value if value is None else _AS_FIELD.get(name, _same)(value)
        contents["header"]["delivery_count"] = self._failed_attempts(values)
        return Message(
            header=Header(**contents["header"]),
            properties=Properties(**contents["properties"]),
            application_properties=properties,
            header_values={name: properties.get(name, AmqpValue(AmqpType.NULL, None)) for name in named} or None,
        )

    def undecodable(self, row: object) -> frozenset[str]:
        """Return the properties of a row whose bytes are no UTF-8, and are taken for text all the same."""
        return self.source.undecodable(row_columns(row)) if isinstance(self.source, TextProperties) else frozenset()

    def _properties(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        properties = self.source.read(row)
        for name in self.columns if self.columns_first else ():
            column = self._first_column(name)
            if column is not None:
                properties.pop(name, None)
                value = amqp_value(value_at(row, column.path), column.type.kind, column.path)
                if value is not None:
                    properties[name] = value
        return properties

    def _failed_attempts(self, values: Mapping[str, Any]) -> int | None:
        if self._counts_deliveries() and values["JMSXDeliveryCount"] is not None:
            return int(values["JMSXDeliveryCount"]) - 1
        flag = None if "JMSXDeliveryCount" in self.headers else values["JMSRedelivered"]
        return None if flag is None else int(flag)

    def with_headers(self, headers: Mapping[str, HeaderPlace]) -> StoreLayout:
        """The layout with some header fields in other places."""
        if not headers:
            return self
        binding = self.binding
        bound = None if binding is None else lambda schema: binding(schema).with_headers(headers)
        return replace(self, headers={**self.headers, **headers}, binding=bound)


def _same(value: Any) -> Any:
    return value


def _id(text: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, text)


#: The conversions of header fields' values to values of AMQP's fields, where the two differ.
_AS_FIELD: Mapping[str, Callable[[Any], Any]] = {
    "JMSMessageID": _id,
    "JMSCorrelationID": _id,
    "JMSXUserID": str.encode,
}


def store_of(layout: Layout | None) -> StoreLayout | None:
    """Return a layout as a store; None for one of another kind."""
    return layout if isinstance(layout, StoreLayout) else None


def refuse_unchosen(layout: Layout) -> Layout:
    """Return the layout; ``LayoutError`` where its properties are text whose types are lost."""
    if isinstance(layout, StoreLayout) and isinstance(layout.source, UnchosenTexts):
        raise layout.source.refusal
    return layout
