"""Layouts of stores: a source of application properties, and a place for each header field that the store has.

A header field that has no place is read from the property of its JMS name; without such a property it has the default
of JMS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

from transpiler.base.diagnostics import Advice, Fix
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting, StoreCall, Verbatim
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, ColumnType, path_text
from transpiler.compiler.layouts.collations import Collations
from transpiler.compiler.layouts.columns import like_columns
from transpiler.compiler.layouts.flat import flat_layout, unusable
from transpiler.compiler.layouts.header_places import (
    ColumnPlace,
    HeaderOption,
    HeaderPlace,
    Headers,
    Place,
    PropertyPlace,
    RefusedPlace,
    check_headers,
    header_columns,
    header_places,
)
from transpiler.compiler.layouts.header_readings import READINGS
from transpiler.compiler.layouts.layout import Layout, by_bytes
from transpiler.compiler.layouts.named_fields import FIELDS, NAMES
from transpiler.compiler.layouts.property_source import PropertySource, TextProperties, UnchosenTexts
from transpiler.compiler.layouts.rows import amqp_value, row_columns, value_at
from transpiler.compiler.layouts.stored import (
    NOTHING,
    Stored,
    StoredValue,
    stored_alternatives,
    stored_column,
    stored_value,
)
from transpiler.compiler.layouts.table_columns import Table, described, schema_of
from transpiler.message.broker_fields import names_header_field
from transpiler.message.header_fields import MessageField
from transpiler.message.message import Message
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

#: The SQL type to declare for a property, by the kind of the property's values.
_DECLARED = {"a number": "DOUBLE", "a boolean": "BOOLEAN"}

#: The names of the fields that identify where a message was published.
_PUBLISHED = frozenset({"exchange", "routing-key"})

#: Maximum number of header fields in a ``repr``.
_MAX_LISTED = 4

#: Header fields that are never read from a property of the same name, because their names are not from JMS.
_NO_PROPERTIES = frozenset({"content-type", "content-encoding", "exchange", "routing-key", "JMS_AMQP_TTL"})


@dataclass(frozen=True, slots=True, repr=False)
class StoreLayout(Layout):
    """A table of messages as one producer writes it: a source of properties, and places of header fields.

    - ``headers``: the column or key of each header field, by JMS name. It combines ``documented`` (written by the
      producer), ``asked`` (named by the user) and, if ``beside`` is True, columns with the name of a header field.
    - ``columns``: all other known columns. If ``columns_first`` (only for an inferred store), they are properties, too,
      and take precedence over keys of ``source``.
    """

    name: str
    source: PropertySource
    documented: Mapping[str, HeaderPlace] = field(default_factory=dict)
    asked: Headers = field(default_factory=dict)
    beside: bool = False
    #: True if the producer writes header fields as properties with their JMS names.
    jms_keys: bool = False
    columns_first: bool = False
    headers: Mapping[str, HeaderPlace] = field(default_factory=dict)
    columns: Mapping[str, ir.Column] = field(default_factory=dict)
    collations: Collations | None = None
    #: The table (schema) whose rows the layout reads; None if it is not known.
    table: Table | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        root = self.source.root()
        found = None if self.table is None or not root else self.table.find((root,))
        kind = "" if found is None else f" in {described(found.field['type'])}"
        places = "".join(f", {place}" for place in self._shown_places())
        return f"StoreLayout({self.name!r}, properties: {self.source.described()}{kind}{places})"

    def _shown_places(self) -> Iterator[str]:
        """Yield ``"name: column"`` for up to ``_MAX_LISTED`` header fields, those in ``asked`` before all others."""
        names = [*self.asked, *(name for name in self.headers if name not in self.asked)]
        for name in names[:_MAX_LISTED]:
            try:
                stored = None if name not in self.headers else self.headers[name].stored()
            except LayoutError:
                # This field cannot be read, or not as long as the table's schema is unknown. So ``repr`` leaves it out.
                continue
            values = () if stored is None else stored.values
            paths = dict.fromkeys(path_text(column.path) for each in values for column in ir.columns_in(each.value))
            if paths:
                yield f"{name}: {' or '.join(paths)}"

    @classmethod
    def written(
        cls,
        name: str,
        source: PropertySource,
        documented: Mapping[str, HeaderPlace],
        asked: Headers,
        columns: Mapping[str, ColumnType] | None,
        *,
        beside: bool = False,
    ) -> StoreLayout:
        """Return a store as its producer documents it, without knowledge of the table's real schema.

        ``documented`` are the header fields that the producer writes, and ``asked`` those that the user names.
        ``columns`` are the other columns that the producer writes; None if no column is known.
        """
        check_headers(asked)
        table = None if columns is None else Table(schema_of(columns))
        own = header_columns(None) if beside else {}
        headers = {**documented, **own, **header_places(asked, table, source, is_whole=False)}
        known = {column: ir.Column((column,), kind) for column, kind in (columns or {}).items()}
        return cls(name, source, documented, asked, beside, headers=MappingProxyType(headers), columns=known)

    def bound(self, table: Table) -> Self:
        """Return the layout with its columns found in ``table``, from which they get their types and spellings."""
        source = self.source.over(table)
        headers = {name: place.over(table, name) for name, place in self.documented.items()}
        # If the table has no column for the exchange or routing key, the messages count as published without an
        # exchange or routing key. The routing functions report the missing column.
        headers = {name: place for name, place in headers.items() if name not in _PUBLISHED or not _is_absent(place)}
        headers |= header_columns(table) if self.beside else {}
        headers |= header_places(self.asked, table, source)
        columns = flat_layout(table).columns
        return replace(
            self,
            source=source,
            headers=MappingProxyType(headers),
            columns={name: column for name, column in columns.items() if isinstance(column, ir.Column)},
            collations=Collations.of(table.schema),
            table=table,
        )

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table whose rows the layout reads; None if it is not known."""
        return None if self.table is None else self.table.schema

    def field(self, place: MessageField) -> Stored | None:
        """Return what is stored for a header field: a value that is absent in all rows if the store lacks the field."""
        if place.section == "application_properties":
            return self.property(place.field)
        return by_bytes(self._field(place), self.collations)

    def _field(self, place: MessageField) -> Stored | None:
        if place == FIELDS["JMSXDeliveryCount"]:
            return self._delivery_count()
        name = NAMES.get(place)
        if name is None or name == "JMSRedelivered":
            # AMQP has no field "redelivered". JMSRedelivered is computed from the delivery count, the number of failed
            # attempts, which ``_delivery_count`` returns.
            return None
        header = self.header(name)
        stored = None if header is None else header.stored()
        return NOTHING if stored is None else stored

    def _delivery_count(self) -> Stored:
        """Return the number of failed deliveries: JMSXDeliveryCount minus 1, or 1 or 0 according to JMSRedelivered."""
        counts = self._header_values("JMSXDeliveryCount") if self._counts_deliveries() else ()
        flags = () if "JMSXDeliveryCount" in self.headers else self._header_values("JMSRedelivered")
        if not counts:
            return _one_or_zero(flags)
        values: list[ir.Value] = []
        for item in counts:
            failed = ir.Apply(ir.Function.SUBTRACT, (item.value, ir.constant(1)), BIGINT)
            values.append(ir.guarded(item.guard, failed))
        for item in flags:
            values.append(ir.guarded(item.guard, ir.Apply(ir.Function.TO_LONG, (item.value,), BIGINT)))
        return stored_value(AmqpType.LONG, ir.first_of(values, BIGINT))

    def _header_values(self, name: str) -> tuple[StoredValue, ...]:
        header = self.header(name)
        stored = None if header is None else header.stored()
        return () if stored is None else stored.values

    def _counts_deliveries(self) -> bool:
        """Return True if the store contains JMSXDeliveryCount, and False if it contains only JMSRedelivered."""
        return "JMSXDeliveryCount" in self.headers or "JMSRedelivered" not in self.headers

    def header(self, name: str) -> HeaderPlace | None:
        """Return the column or key that holds the header field ``name``, with the conversion of its value.

        If the store does not contain the field, return the property of the same name; None if that is not allowed.
        """
        header = self.headers.get(name)
        if header is not None:
            return header
        if name in _NO_PROPERTIES:
            return None
        return HeaderPlace(PropertyPlace(self.source, name), READINGS[name])

    def has_field(self, place: MessageField) -> bool:
        """Return True if the store, the user's ``headers`` or a column of the table provides the field."""
        name = NAMES.get(place, "")
        return name in self.headers or (self.jms_keys and name.startswith("JMS"))

    def property(self, name: str) -> Stored | None:
        """Return what is stored for the application property ``name``."""
        column = self._first_column(name)
        if column is None and self.columns_first:
            self._refuse_unlike_column(name)
        stored = self.source.stored(self._key(name)) if column is None else stored_column(column.path, column.type)
        return by_bytes(stored, self.collations)

    def _key(self, name: str) -> str:
        """Return the key of the property ``name`` in ``source``.

        It is ``name`` itself. But if ``columns_first``, the name of the source's column may precede it: for the column
        ``v``, the property ``v.x`` has the key ``x``.
        """
        prefix = f"{self.source.root()}."
        return name.removeprefix(prefix) if self.columns_first else name

    def _refuse_unlike_column(self, name: str) -> None:
        """Raise ``LayoutError`` if the column ``name`` has a type that no message property has."""
        if self.table is None or name == self.source.root() or name in self.source.names():
            return
        found = self.table.find((name,))
        if found is not None and found.path == (name,) and found.type is None:
            raise unusable(found.path, found.field["type"]).refusal(f"column {name}")

    def _header_of(self, column: ir.Column) -> str | None:
        """Return the name of the header field that ``column`` holds; None if the column holds no header field."""
        places = {name: header.place for name, header in self.headers.items() if isinstance(header.place, ColumnPlace)}
        return next((name for name, place in places.items() if place.path == column.path), None)

    def _beside(self, name: str) -> ir.Column | None:
        """Return the table's column ``name``; None if it does not exist, or if ``source`` reads properties from it."""
        column, source = self.columns.get(name), self.source.root()
        own = column is not None and (column.path[0] == source or (not source and name in self.source.names()))
        return None if own else column

    def _first_column(self, name: str) -> ir.Column | None:
        """Return the column ``name`` if it is read as a property, which requires ``columns_first``; otherwise None.

        A column is not a property if the source has a field of the same name, or if the column holds a header field.
        """
        column = self._beside(name) if self.columns_first and name not in self.source.names() else None
        return None if column is None or self._header_of(column) is not None else column

    def ambiguity(self, place: MessageField) -> tuple[str, Advice] | None:
        """Return the warning about a name that could be read in two ways, and the advice; None if it is unambiguous."""
        if place.section == "application_properties":
            return self._ambiguous_property(place.field)
        name = NAMES.get(place, "")
        header = self.headers.get(name)
        if header is not None:
            return self._ambiguous_place(name, header.place)
        if not name.startswith("JMS") or name.startswith("JMSX") or self.jms_keys:
            return None
        if self.source.names() and name not in self.source.names():
            return None
        message = f"{name} is read from the property of that name: the layout {self.name} has no such field"
        return message, self.offers(place)[0]

    def has_ambiguities(self) -> bool:
        """Return True if a key of the properties may have the same name as a column."""
        return self.table is not None and not self.source.names()

    def offers(self, place: MessageField) -> tuple[Advice, ...]:
        """Return advice for ``place``, which the store does not read.

        For a header field: the option ``headers``, with the column that probably holds the field. For a property: other
        layouts.
        """
        if place.section == "application_properties":
            return self._columns_with_properties(place)
        name = NAMES.get(place, "")
        if not name.startswith("JMS"):
            return ()
        like = like_columns(name, self.columns)
        if not like:
            return (
                Advice(Hint(f"perhaps name the column or key that contains {name}: ", Setting("headers", {name: "…"}))),
            )
        headers = Setting("headers", {name: like[0]})
        return (Advice(Hint(f"perhaps read {name} from the column {like[0]}: ", headers), headers.fix),)

    def _columns_with_properties(self, place: MessageField) -> tuple[Advice, ...]:
        """Return advice to read properties from one column instead, if this layout reads them from all columns."""
        if self.table is None or self.source.root():
            return ()
        typed = flat_layout(self.table)
        headers = {name: option for name, option in self.asked.items() if isinstance(option, str)}

        def with_headers(hint: str) -> Hint:
            parts = hint.parts if isinstance(hint, Hint) else (hint,)
            return Hint(
                *(part.with_options(headers=headers) if isinstance(part, StoreCall) else part for part in parts)
            )

        offered = typed.offers(place)
        return tuple(Advice(with_headers(advice.hint), advice.fix) for advice in offered) if headers else offered

    def _ambiguous_place(self, name: str, place: Place) -> tuple[str, Advice] | None:
        """Return a warning if it is not clear whether the user's name for a header field is a column or a key.

        ``place`` is the column or key that is read for the header field ``name``. Return None if it is clear.
        """
        given = self.asked.get(name)
        stated_kind = given.kind if isinstance(given, HeaderOption) else None
        if isinstance(place, PropertyPlace) and place.near:
            column = Setting("headers", {name: place.near[0]})
            key = Setting("headers", {name: StoreCall("key", place.key)})
            message = (
                f"{name} is read from the key {place.key}: the table has no column of this name, but has "
                f"{place.near[0]}"
            )
            return message, Advice(Hint("to read the column: ", column, "; to read the key: ", key), column.fix)
        if isinstance(place, ColumnPlace) and place.type is None and stated_kind is None and not self.source.names():
            key = Setting("headers", {name: StoreCall("key", str(place.path[-1]))})
            column_name = ".".join(map(str, place.path))
            message = f"{name} is read from a column {column_name}, because the schema of the table is not known"
            schema = Setting("schema", Verbatim("df.schema"))
            return message, Advice(
                Hint(
                    "perhaps pass the schema of the table: ",
                    schema,
                    f"; or, if {column_name} is a key and not a column: ",
                    key,
                ),
                key.fix,
            )
        return None

    def _ambiguous_property(self, name: str) -> tuple[str, Advice] | None:
        column, source = self._beside(name), self.source.root()
        if self._first_column(name) is not None:
            return None
        if column is None:
            return self._like_a_column(name)
        header = self._header_of(column)
        if header is not None:
            message = f"{name} is read from {source}, although the column {name} contains {header}"
            return message, Advice(f"write {header} to read the column", Fix(header))
        message = f"{name} is read from {source}, although the table also has a column {name}"
        return message, _outside(name)

    def _like_a_column(self, name: str) -> tuple[str, Advice] | None:
        """Return a warning if ``name`` is read from a key, although a column is called the same except for case.

        Return None if there is no such column.
        """
        source, own = self.source.root(), self.source.names()
        if self.table is None or own or not source or name == source:
            return None
        alike = [other for other in self.table.names() if other.lower() == name.lower()]
        if not alike:
            return None
        message = f"{name} is read from {source}, although the table also has a column {alike[0]}"
        if self.columns_first and alike[0] in self.columns:
            return message, Advice(f"write {alike[0]} to read the column: names are case-sensitive", Fix(alike[0]))
        return message, _outside(alike[0])

    def named_header(self, name: str) -> Stored | None:
        """Return the property ``name`` if it is called like a header field that no store contains; otherwise None."""
        return self.property(name) if name not in FIELDS and name in self.source.names() else None

    def declaration(self, name: str, kind: str) -> Advice | None:
        """Return advice to read the text of the property ``name`` as ``kind``, such as "a number".

        Return None if the store's values are not text, so that their types are known.
        """
        if not isinstance(self.source, TextProperties) or kind not in _DECLARED or name in FIELDS:
            return None
        by_use, always = Setting("types", "by-use"), Setting("types", {name: _DECLARED[kind]})
        return Advice(
            Hint(
                f"to read the text of {name} as {kind} wherever a selector compares it with {kind}: ",
                by_use,
                f"; to always read {name} as {kind}: ",
                always,
            ),
            by_use.fix,
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of the stored properties, and of the columns that are properties; empty if not known."""
        names = self.source.names()
        return names and (*names, *(name for name in self.columns if self._first_column(name) is not None))

    def message(self, row: object) -> Message:
        """Return the message in ``row``, a mapping or a ``pyspark.sql.Row``, read by Python code and not by the SQL.

        A time is a ``datetime`` or milliseconds. An argument that is not a row raises ``TypeError``.
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
        """Return the names of the properties in ``row`` whose bytes are read as text although they are not UTF-8."""
        return self.source.undecodable(row_columns(row)) if isinstance(self.source, TextProperties) else frozenset()

    def _properties(self, row: Mapping[str, Any]) -> dict[str, AmqpValue]:
        keys = self.source.read(row)
        properties = dict(keys)
        for name in self.columns if self.columns_first else ():
            column = self._first_column(name)
            if column is not None:
                properties.pop(name, None)
                value = amqp_value(value_at(row, column.path), column.type.kind, column.path)
                if value is not None:
                    properties[name] = value
        if self.columns_first and self.source.root() and not self.source.names():
            inside = {f"{self.source.root()}.{name}": value for name, value in keys.items()}
            properties |= {name: value for name, value in inside.items() if name not in self.columns}
        return properties

    def _failed_attempts(self, values: Mapping[str, Any]) -> int | None:
        if self._counts_deliveries() and values["JMSXDeliveryCount"] is not None:
            return int(values["JMSXDeliveryCount"]) - 1
        flag = None if "JMSXDeliveryCount" in self.headers else values["JMSRedelivered"]
        return None if flag is None else int(flag)


def _one_or_zero(flags: Sequence[StoredValue]) -> Stored:
    """Return the number 1 where one of ``flags`` is true, and 0 where it is false."""
    numbers = [
        StoredValue((AmqpType.LONG,), ir.constant(number), ir.all_of(item.guard, ir.IsTrue(item.value, negated)))
        for item in flags
        for number, negated in ((1, False), (0, True))
    ]
    return stored_alternatives(numbers, absent=ir.NotTrue(ir.any_of(*[item.guard for item in numbers])))


def _outside(column: str) -> Advice:
    return Advice(
        f"perhaps rename the column, or compare the column outside of the selector: df.filter(col({column!r}) …)"
    )


def _is_absent(place: HeaderPlace) -> bool:
    return isinstance(place.place, RefusedPlace) and place.place.is_absent


def _same(value: Any) -> Any:
    return value


def _id(text: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, text)


#: For header fields whose Python value differs from that of the AMQP field: the function that converts it.
_AS_FIELD: Mapping[str, Callable[[Any], Any]] = {
    "JMSMessageID": _id,
    "JMSCorrelationID": _id,
    "JMSXUserID": str.encode,
}


def store_of(layout: Layout | None) -> StoreLayout | None:
    """Return ``layout`` if it is a store; otherwise None."""
    return layout if isinstance(layout, StoreLayout) else None


def refuse_unchosen(layout: Layout) -> Layout:
    """Return ``layout``; raise ``LayoutError`` if the user still has to choose how its text is converted to values."""
    if isinstance(layout, StoreLayout) and isinstance(layout.source, UnchosenTexts):
        raise layout.source.refusal
    return layout
