"""Header fields as stores keep them: a place, and the reading that makes of its value what AMQP's field holds.

A place is a column, a key of the application properties, or a key of another map; ``header_readings`` has the readings.
A user puts header fields into columns or keys of their own, and columns with their names may stand beside properties.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

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
from transpiler.compiler.layouts.variant_values import variant_get, variant_path
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
        case float() as number:
            return special_name(number) or repr(number).replace("e+", "E").replace("e", "E")
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


#: The columns of a schema that can have header fields, by their dotted names.
Columns = Mapping[str, ColumnType]


@dataclass(frozen=True, slots=True)
class HeaderOption:
    """A column or a key that has a header field, and how it is read; None for as the field is read elsewhere."""

    name: str
    reading: Reading | None = None


#: The argument ``headers``: columns or keys by the JMS names of the fields.
Headers = Mapping[str, "str | HeaderOption"]


def time_option(name: str, unit: str, zone: str) -> HeaderOption:
    """A time in a column or at a key; ``LayoutError`` for a pattern or a zone that there is not."""
    units = {unit.value: unit for unit in TimeUnit}
    if unit in units:
        return HeaderOption(name, Time(units[unit]))
    check_pattern(unit)
    if zone not in ("UTC", "Z"):
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(zone)
        except (ValueError, OSError, KeyError):
            hint = "a zone is one of the tz database, such as Europe/Berlin"
            raise LayoutError.at("layout.time", f"there is no time zone {zone!r}", hint=hint) from None
    return HeaderOption(name, Time(pattern=unit, zone=zone))


def header_places(headers: Headers, columns: Columns | None, source: PropertySource) -> dict[str, HeaderPlace]:
    """The places of the header fields that a user names: a column of that name, else a key of the properties.

    Without columns, the schema is not known, and each name is a column's.
    """
    if not isinstance(headers, Mapping):
        message = f"headers are a mapping from JMS names to columns or keys, not {type(headers).__name__}"
        raise LayoutError.at("layout.headers", message)
    return {name: _place(name, option, columns, source) for name, option in headers.items()}


def _place(name: str, option: str | HeaderOption, columns: Columns | None, source: PropertySource) -> HeaderPlace:
    if name not in FIELDS:
        hint, fix = meant(str(name), FIELDS, "headers")
        hint = hint or f"the header fields are {', '.join(FIELDS)}"
        message = f"JMS has no header field {name!r} that a store can have"
        raise LayoutError.at("layout.headers", message, hint=hint, fix=fix)
    if not isinstance(option, str | HeaderOption):
        message = f"the header field {name} is {type(option).__name__}, and no name of a column or a key"
        hint = "a place is a name, stores.time(…), stores.mode(…) or stores.number(…)"
        raise LayoutError.at("layout.headers", message, hint=hint)
    given = HeaderOption(option) if isinstance(option, str) else option
    reading = given.reading or READINGS[name]
    if columns is None:
        return unbound_header(name, given.name, given.reading)
    column_type = columns.get(given.name)
    if column_type is None:
        # A user names the key as the store has it, the prefix of all keys included.
        key = given.name.removeprefix(source.prefix) if isinstance(source, TextProperties) else given.name
        return HeaderPlace(PropertyPlace(source, key), reading)
    place = ColumnPlace(tuple(given.name.split(".")), column_type)
    return HeaderPlace(place, reading) if given.reading is not None else _beside(name, place, column_type)


def header_columns(columns: Columns | None) -> dict[str, HeaderPlace]:
    """The columns with the names of header fields; all of them where the schema is not known."""
    names = [name for name in FIELDS if name.startswith("JMS")]
    if columns is None:
        return {name: unbound_header(name, name, None) for name in names}
    return {
        name: _beside(name, ColumnPlace((name,), columns[name]), columns[name]) for name in names if name in columns
    }


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
    return HeaderPlace(RefusedPlace(name, ".".join(map(str, place.path)), column_type, advice), own)


@dataclass(frozen=True, slots=True)
class RefusedPlace:
    """A column of a type that a header field does not have."""

    header: str
    column: str
    type: ColumnType
    advice: Advice

    def _refuse(self) -> NoReturn:
        message = f"the column {self.column} is {self.type}, which is not how {self.header} is kept"
        raise LayoutError.at("layout.header-type", message, None, None, *self.advice)

    def stored(self) -> Stored | None:
        """``LayoutError`` with the option that reads the column."""
        self._refuse()

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:  # noqa: ARG002
        """Return None: a selector that names the field does not compile."""
        return None
