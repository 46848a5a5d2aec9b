"""Header fields as stores keep them: a place, and the reading that makes of its value what AMQP's field holds.

A place is a column, a key of the application properties, or a key of another map; ``header_readings`` has the readings.
A user puts header fields into columns or keys of their own, and columns with their names may stand beside properties.
"""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from transpiler.base.diagnostics import Advice, meant
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting, StoreCall
from transpiler.base.ieee754 import special_name
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, VARIANT, ColumnType, Path, SparkType
from transpiler.compiler.layouts.header_readings import READINGS, Flag, Integer, Mode, Reading, Text, Time, TimeUnit
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.property_source import PropertySource, TextProperties
from transpiler.compiler.layouts.rows import amqp_value, milliseconds, plain, value_at, variant_value
from transpiler.compiler.layouts.spark_texts import check_pattern
from transpiler.compiler.layouts.stored import Stored, StoredValue, stored_alternatives, stored_column, stored_value
from transpiler.compiler.layouts.table_columns import Found, Table, described
from transpiler.compiler.layouts.variant_values import variant_get, variant_path
from transpiler.message.types import AmqpType, AmqpValue, Compound, coerce


class Place(ABC):
    """A place of a header's value in a row."""

    __slots__ = ()

    def over(self, table: Table, header: str) -> Place:  # noqa: ARG002
        """Return the place in a table; a column that the table does not have is refused when it is read."""
        return self

    @abstractmethod
    def stored(self) -> Stored | None:
        """The values there; None where the store does not have the place."""

    @abstractmethod
    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """The value in one row."""


@dataclass(frozen=True, slots=True)
class ColumnPlace(Place):
    """A column, or a field of a struct. Without a type it may be any: the schema was not given."""

    path: Path
    type: ColumnType | None

    def over(self, table: Table, header: str) -> Place:
        """The column of a table, with the type that it has there."""
        found = table.find(self.path)
        if found is None:
            return absent(self.path, header, table)
        return ColumnPlace(found.path, found.type) if found.type is not None else _unlike(header, found)

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
class VariantPlace(Place):
    """A key in a VARIANT's object, cast to a type."""

    path: Path
    keys: tuple[str, ...]
    type: ColumnType

    def over(self, table: Table, header: str) -> Place:
        """The VARIANT of a table."""
        found = table.find(self.path)
        return absent(self.path, header, table) if found is None else replace(self, path=found.path)

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
        case float() as number:
            return special_name(number) or repr(number).replace("e+", "E").replace("e", "E")
        case other:
            return str(other)


@dataclass(frozen=True, slots=True)
class ConstantPlace(Place):
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
class PropertyPlace(Place):
    """A key of a source of properties: of the application properties, or of a map beside them."""

    source: PropertySource
    key: str
    #: Columns whose names are like the name that a user gave for a column or a key.
    near: tuple[str, ...] = ()

    def over(self, table: Table, header: str) -> Place:  # noqa: ARG002
        """The key of the source in a table."""
        return replace(self, source=self.source.over(table))

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

    def over(self, table: Table, header: str) -> HeaderPlace:
        """The place in a table, read in the same way."""
        return replace(self, place=self.place.over(table, header))

    def stored(self) -> Stored | None:
        """The field's value in SQL; None where the store does not have the place."""
        raw = self.place.stored()
        return None if raw is None else self.reading.stored(raw)

    def read(self, row: Mapping[str, Any]) -> bool | int | str | None:
        """The field's value in one row."""
        raw = self.place.read(row)
        return None if raw is None else self.reading.read(raw)


#: The columns that a store documents beside its properties, by their names.
Columns = Mapping[str, ColumnType]


@dataclass(frozen=True, slots=True)
class HeaderOption:
    """A column or a key that has a header field, and how it is read; None for as the field is read elsewhere.

    ``kind`` says which of the two it is; with None the table decides.
    """

    name: str
    reading: Reading | None = None
    kind: Literal["column", "key"] | None = None


#: The argument ``headers``: columns or keys by the JMS names of the fields.
Headers = Mapping[str, "str | HeaderOption"]

#: No header fields in columns or keys of the user's own.
NO_HEADERS: Headers = MappingProxyType({})


def read_as(place: str | HeaderOption, reading: Reading) -> HeaderOption:
    """Return a column or a key with a reading."""
    return HeaderOption(place, reading) if isinstance(place, str) else replace(place, reading=reading)


def time_option(name: str | HeaderOption, unit: str, zone: str) -> HeaderOption:
    """A time in a column or at a key; ``LayoutError`` for a pattern or a zone that there is not."""
    units = {unit.value: unit for unit in TimeUnit}
    if unit in units:
        return read_as(name, Time(units[unit]))
    check_pattern(unit)
    if zone not in ("UTC", "Z"):
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(zone)
        except (ValueError, OSError, KeyError):
            hint = "a zone is one of the tz database, such as Europe/Berlin"
            raise LayoutError.at("layout.time", f"there is no time zone {zone!r}", hint=hint) from None
    return read_as(name, Time(pattern=unit, zone=zone))


def header_places(
    headers: Headers, table: Table | None, source: PropertySource, *, is_whole: bool = True
) -> dict[str, HeaderPlace]:
    """The places of the header fields that a user names: columns of a table, or else keys of the properties.

    Without a table, each name is that of a column unless the user says that it is a key. ``is_whole`` if the table has
    no other columns. ``LayoutError`` for a place that is neither.
    """
    return {name: _place(name, option, table, source, is_whole) for name, option in headers.items()}


def check_headers(headers: Headers) -> Headers:
    """Return the argument ``headers``; ``LayoutError`` for what is no mapping from header fields to places."""
    if not isinstance(headers, Mapping):
        message = f"headers are a mapping from JMS names to columns or keys, not {type(headers).__name__}"
        raise LayoutError.at("layout.headers", message)
    for name, option in headers.items():
        if name not in FIELDS:
            hint, fix = meant(str(name), FIELDS, "headers")
            hint = hint or f"the header fields are {', '.join(FIELDS)}"
            message = f"JMS has no header field {name!r} that a store can have"
            raise LayoutError.at("layout.headers", message, hint=hint, fix=fix)
        if not isinstance(option, str | HeaderOption):
            message = f"the header field {name} is {type(option).__name__}, and no name of a column or a key"
            hint = "a place is a name, or stores.column(…), stores.key(…), stores.time(…) or another of these"
            raise LayoutError.at("layout.headers", message, hint=hint)
    return headers


def _place(
    name: str, option: str | HeaderOption, table: Table | None, source: PropertySource, is_whole: bool
) -> HeaderPlace:
    given = HeaderOption(option) if isinstance(option, str) else option
    reading = given.reading or READINGS[name]
    reader = f"{name} is read"
    if given.kind == "key":
        return HeaderPlace(PropertyPlace(source, _key(given.name, source)), reading)
    if table is None:
        return unbound_header(name, given.name, given.reading)
    found = table.find(given.name)
    if found is not None and found.type is not None:
        place = ColumnPlace(found.path, found.type)
        return HeaderPlace(place, reading) if given.reading is not None else _beside(name, place, found.type)
    if found is not None:
        return HeaderPlace(_unlike(name, found), reading)
    if given.kind == "column" and not is_whole:
        return unbound_header(name, given.name, given.reading)
    key = _key(given.name, source)
    if given.kind == "column" or (source.names() and key not in source.names()):
        table.refuse(given.name, reader)
    return HeaderPlace(PropertyPlace(source, key, tuple(table.near(given.name))), reading)


def _key(name: str, source: PropertySource) -> str:
    """Return the key of a source; a user names the key as the store has it, the prefix of all keys included."""
    return name.removeprefix(source.prefix) if isinstance(source, TextProperties) else name


def header_columns(table: Table | None) -> dict[str, HeaderPlace]:
    """The columns with the names of header fields; all of them where the table is not known."""
    names = [name for name in FIELDS if name.startswith("JMS")]
    if table is None:
        return {name: unbound_header(name, name, None) for name in names}
    own = {field["name"] for field in table.schema["fields"]}
    places: dict[str, HeaderPlace] = {}
    for name in names:
        found = table.find((name,)) if name in own else None
        if found is not None and found.type is not None:
            places[name] = _beside(name, ColumnPlace(found.path, found.type), found.type)
        elif found is not None:
            places[name] = HeaderPlace(_unlike(name, found), READINGS[name])
    return places


def unbound_header(name: str, column: str, reading: Reading | None) -> HeaderPlace:
    """A header column of a type that is not known: read so that the likely types give the same."""
    own = reading or READINGS[name]
    match own:
        case Time(pattern=None) if reading is None:
            own = Time(unbound=True)
        case _:
            pass
    return HeaderPlace(ColumnPlace(tuple(column.split(".")), None), own)


_TIMES = (SparkType.TIMESTAMP, SparkType.TIMESTAMP_NTZ)


def _beside(name: str, place: ColumnPlace, column_type: ColumnType) -> HeaderPlace:
    """A header column of a known type; one of an unlike type is refused when it is used, with the option to give."""
    kind, own = column_type.kind, READINGS[name]
    integer, text = kind.bits is not None, kind in (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR)
    call: StoreCall | None = None
    reads, column = "", str(place.path[-1])
    match own:
        case Mode() if text:
            return HeaderPlace(place, Mode(named_only=True))
        case Mode():
            call, reads = StoreCall("mode", column), "1 and 2, or a boolean"
        case Time() if integer or kind in _TIMES:
            return HeaderPlace(place, own)
        case Time():
            call, reads = StoreCall("time", column, {"unit": "yyyy-MM-dd'T'HH:mm:ssX"}), "a text"
        case Integer() if integer:
            return HeaderPlace(place, own)
        case Integer():
            call, reads = StoreCall("number", column), "the text of a number"
        case Flag() if kind is SparkType.BOOLEAN:
            return HeaderPlace(place, own)
        case Text() if text:
            return HeaderPlace(place, own)
        case _:
            advice = Advice("perhaps cast the column, or name another one in headers")
    if call is not None:
        headers = Setting("headers", {name: call})
        advice = Advice(Hint(headers, f" reads {reads}"), headers.fix)
    return HeaderPlace(_refused(name, ".".join(map(str, place.path)), str(column_type), advice), own)


def _refused(header: str, column: str, kind: str, advice: Advice) -> RefusedPlace:
    message = f"the column {column} is {kind}, which is not how {header} is kept"
    return RefusedPlace("layout.header-type", message, advice)


def _unlike(header: str, found: Found) -> RefusedPlace:
    """Return the place of a column of a type that no message property has."""
    advice = Advice("perhaps cast the column, or name another one in headers")
    return _refused(header, found.name, described(found.field["type"]), advice)


def absent(path: Path, header: str, table: Table) -> RefusedPlace:
    """Return the place of a column that a table does not have."""
    try:
        table.refuse(path, f"{header} is read")
    except LayoutError as error:
        [finding] = error.diagnostics
        return RefusedPlace(finding.code, finding.message, Advice(finding.hint or "", finding.fix), is_absent=True)


@dataclass(frozen=True, slots=True)
class RefusedPlace(Place):
    """A place that no header field is read from: its column is not there, or of a type that the field does not have."""

    code: str
    message: str
    advice: Advice
    is_absent: bool = False

    def stored(self) -> Stored | None:
        """``LayoutError`` with the option that reads the column."""
        raise LayoutError.at(self.code, self.message, None, None, *self.advice)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:  # noqa: ARG002
        """Return None: a selector that names the field does not compile."""
        return None
