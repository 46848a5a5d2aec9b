"""The places of header fields in stores, and the readings that convert their values to AMQP fields.

A place is a column, a key of the application properties, or a key of another map; ``header_readings`` has the readings.
Users can put header fields into columns or keys of any name. Some stores read columns named after header fields.
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
    """The column or key that holds the value of a header field."""

    __slots__ = ()

    def over(self, table: Table, header: str) -> Place:  # noqa: ARG002
        """Return this place with the column's type and spelling in ``table``.

        If the table lacks the column, return a place that raises an error if ``header`` is read.
        """
        return self

    @abstractmethod
    def stored(self) -> Stored | None:
        """Return the SQL expressions that read this column or key, with their types; None if the table lacks it."""

    @abstractmethod
    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """Return the value in ``row``; None if it is NULL or absent."""


@dataclass(frozen=True, slots=True)
class ColumnPlace(Place):
    """A column, or a field of a struct. ``type`` is None if the schema is not known."""

    path: Path
    type: ColumnType | None

    def over(self, table: Table, header: str) -> Place:
        """Return the column with its type in ``table``."""
        found = table.find(self.path)
        if found is None:
            return absent(self.path, header, table)
        return ColumnPlace(found.path, found.type) if found.type is not None else _unlike(header, found)

    def stored(self) -> Stored | None:
        """Return the column's value."""
        return stored_column(self.path, self.type or STRING)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """Return the column's value in ``row``."""
        value = value_at(row, self.path)
        if self.type is None and not isinstance(value, str):
            time = milliseconds(value)
            return AmqpValue(AmqpType.TIMESTAMP, time) if time is not None else variant_value(value)
        return amqp_value(value, (self.type or STRING).kind, self.path)


@dataclass(frozen=True, slots=True)
class VariantPlace(Place):
    """The value in a VARIANT at the path ``keys``, cast to ``type``."""

    path: Path
    keys: tuple[str, ...]
    type: ColumnType

    def over(self, table: Table, header: str) -> Place:
        """Return the same key in the VARIANT column of ``table``."""
        found = table.find(self.path)
        return absent(self.path, header, table) if found is None else replace(self, path=found.path)

    def stored(self) -> Stored | None:
        """Return the value at the key, cast to ``type``."""
        variant = ir.Column(self.path, VARIANT)
        value = variant_get(variant, variant_path(*self.keys), self.type)
        return stored_value(AmqpType.STRING if self.type == STRING else AmqpType.LONG, value)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """Return the value at the key in ``row``."""
        value = plain(value_at(row, self.path))
        for key in self.keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        content = variant_value(value)
        if content is None or self.type != STRING:
            return content
        text = java_text(content)
        return None if text is None else AmqpValue(AmqpType.STRING, text)


def java_text(value: AmqpValue) -> str | None:
    """Return the text that Java and Spark produce for ``value``; None for a null, a list or a map."""
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
    """A constant that is the value of the header field in every message of the store."""

    value: bool

    def stored(self) -> Stored | None:
        """Return the constant, which is present in every row."""
        constant = StoredValue((AmqpType.BOOLEAN,), ir.constant(self.value))
        return stored_alternatives([constant], ir.TRUE, ir.FALSE, ir.FALSE)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:  # noqa: ARG002
        """Return the constant."""
        return AmqpValue(AmqpType.BOOLEAN, self.value)


@dataclass(frozen=True, slots=True)
class PropertyPlace(Place):
    """A key of the application properties, or of another map that ``source`` describes."""

    source: PropertySource
    key: str
    #: Columns with names similar to ``key``, which the user may have meant instead of a key.
    near: tuple[str, ...] = ()

    def over(self, table: Table, header: str) -> Place:  # noqa: ARG002
        """Return the same key in the source of properties, adapted to the columns of ``table``."""
        return replace(self, source=self.source.over(table))

    def stored(self) -> Stored | None:
        """Return the value at the key. Text is always a string, even if the user chose to read it as numbers."""
        return self.source.plain(self.key)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:
        """Return the value at the key in ``row``."""
        return self.source.read_plain(row, self.key)


@dataclass(frozen=True, slots=True)
class HeaderPlace:
    """A header field: the column or key that holds its value, and the conversion of the value (``reading``)."""

    place: Place
    reading: Reading

    def over(self, table: Table, header: str) -> HeaderPlace:
        """Return this header field with the column's type and spelling in ``table``, and the same conversion."""
        return replace(self, place=self.place.over(table, header))

    def stored(self) -> Stored | None:
        """Return the SQL of the header field's value; None if the messages' table lacks the column or key."""
        raw = self.place.stored()
        return None if raw is None else self.reading.stored(raw)

    def read(self, row: Mapping[str, Any]) -> bool | int | str | None:
        """Return the field's value in ``row``; None if the row has no valid value."""
        raw = self.place.read(row)
        return None if raw is None else self.reading.read(raw)


#: The columns that a producer documents in addition to the properties: type by name.
Columns = Mapping[str, ColumnType]


@dataclass(frozen=True, slots=True)
class HeaderOption:
    """The column or key that a user names for a header field.

    ``reading`` converts the value; None means the field's usual reading. ``kind`` states whether ``name`` is a column
    or a key; None means a column if the table has such a column.
    """

    name: str
    reading: Reading | None = None
    kind: Literal["column", "key"] | None = None


#: The type of the argument ``headers``: the column or key of each header field, by JMS name.
Headers = Mapping[str, "str | HeaderOption"]

#: The default of the argument ``headers``: the user names no column or key for any header field.
NO_HEADERS: Headers = MappingProxyType({})


def read_as(place: str | HeaderOption, reading: Reading) -> HeaderOption:
    """Return the option to read a header field from the column or key ``place`` by the conversion ``reading``."""
    return HeaderOption(place, reading) if isinstance(place, str) else replace(place, reading=reading)


def time_option(name: str | HeaderOption, unit: str, zone: str) -> HeaderOption:
    """Return the option to read a header field as a time from the column or key ``name``.

    ``unit`` is ``"ms"``, ``"s"`` or a Java date pattern, and ``zone`` the time zone of text that has none. An invalid
    pattern or time zone raises ``LayoutError``.
    """
    units = {unit.value: unit for unit in TimeUnit}
    if unit in units:
        return read_as(name, Time(units[unit]))
    check_pattern(unit)
    if zone not in ("UTC", "Z"):
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(zone)
        except (ValueError, OSError, KeyError):
            hint = "the names of time zones are those of the tz database, such as Europe/Berlin"
            raise LayoutError.at("layout.time", f"there is no time zone {zone!r}", hint=hint) from None
    return read_as(name, Time(pattern=unit, zone=zone))


def header_places(
    headers: Headers, table: Table | None, source: PropertySource, *, is_whole: bool = True
) -> dict[str, HeaderPlace]:
    """Return the place of each header field in ``headers``: a column of ``table``, otherwise a key of ``source``.

    Without a table, each name is a column unless the user has declared it as a key. ``is_whole`` is False if the real
    table may have more columns than ``table``. A name that is neither a column nor a key raises ``LayoutError``.
    """
    return {name: _place(name, option, table, source, is_whole) for name, option in headers.items()}


def check_headers(headers: Headers) -> Headers:
    """Return ``headers``. Raise ``LayoutError`` unless it is a mapping from header fields to columns or keys."""
    if not isinstance(headers, Mapping):
        message = f"headers must be a mapping from JMS names to columns or keys, not {type(headers).__name__}"
        raise LayoutError.at("layout.headers", message)
    for name, option in headers.items():
        if name not in FIELDS:
            hint, fix = meant(str(name), FIELDS, "headers")
            hint = hint or f"the header fields are {', '.join(FIELDS)}"
            message = f"JMS has no header field {name!r} that a store can contain"
            raise LayoutError.at("layout.headers", message, hint=hint, fix=fix)
        if not isinstance(option, str | HeaderOption):
            message = f"the header field {name} is {type(option).__name__}, not the name of a column or a key"
            hint = (
                "a header is read from a name, or from stores.column(…), stores.key(…), stores.time(…) "
                "and similar functions"
            )
            raise LayoutError.at("layout.headers", message, hint=hint)
        if isinstance(option, HeaderOption):
            _check_reading(name, option.reading)
    return headers


#: For each conversion (``Reading``) that users can choose: its description in errors, and the default conversions of
#: the header fields for which it may be chosen.
_FITTING: Mapping[type, tuple[str, tuple[type, ...]]] = MappingProxyType(
    {Time: ("a time", (Time,)), Mode: ("a delivery mode", (Mode,)), Integer: ("an integer", (Integer, Time))}
)


def _check_reading(name: str, reading: Reading | None) -> None:
    """Raise ``LayoutError`` if the user's conversion ``reading`` yields a type that the field ``name`` cannot have."""
    kind, usual = _FITTING.get(type(reading), ("", ()))
    if usual and not isinstance(READINGS[name], usual):
        fields = ", ".join(field for field, own in READINGS.items() if isinstance(own, usual))
        hint = f"the header fields that can be read as {kind} are {fields}"
        raise LayoutError.at("layout.headers", f"the header field {name} cannot be read as {kind}", hint=hint)


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
    """Return the key ``name``, as a user writes it, without the prefix that ``source`` adds to all its keys."""
    return name.removeprefix(source.prefix) if isinstance(source, TextProperties) else name


def header_columns(table: Table | None) -> dict[str, HeaderPlace]:
    """Return the place of each JMS header field that is a column of the same name in ``table``, such as JMSPriority.

    If ``table`` is None, its columns are unknown, so return a column for every JMS header field.
    """
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
    """Return the place of the header field ``name`` in ``column``, whose type is unknown.

    ``reading`` is the conversion that the user chose; None means the field's usual conversion. The usual conversion of
    a time then accepts a TIMESTAMP as well as a number.
    """
    own = reading or READINGS[name]
    match own:
        case Time(pattern=None) if reading is None:
            own = Time(unbound=True)
        case _:
            pass
    return HeaderPlace(ColumnPlace(tuple(column.split(".")), None), own)


_TIMES = (SparkType.TIMESTAMP, SparkType.TIMESTAMP_NTZ)


def _beside(name: str, place: ColumnPlace, column_type: ColumnType) -> HeaderPlace:
    """Return the place of the header field ``name`` in the column ``place``, which has the type ``column_type``.

    If the field cannot have this type, return a place that raises an error when it is used. The error suggests the
    option that converts the column.
    """
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
            advice = Advice("perhaps cast the column, or choose another column in headers")
    if call is not None:
        headers = Setting("headers", {name: call})
        advice = Advice(Hint(f"to read {reads}: ", headers), headers.fix)
    return HeaderPlace(_refused(name, ".".join(map(str, place.path)), str(column_type), advice), own)


def _refused(header: str, column: str, kind: str, advice: Advice) -> RefusedPlace:
    message = f"the column {column} is {kind}, which cannot contain {header}"
    return RefusedPlace("layout.header-type", message, advice)


def _unlike(header: str, found: Found) -> RefusedPlace:
    """Return a place that raises an error when it is used: ``header`` cannot have the type of the column ``found``."""
    advice = Advice("perhaps cast the column, or choose another column in headers")
    return _refused(header, found.name, described(found.field["type"]), advice)


def absent(path: Path, header: str, table: Table) -> RefusedPlace:
    """Return a place that raises an error when it is used, because ``table`` lacks the column ``path``."""
    try:
        table.refuse(path, f"{header} is read")
    except LayoutError as error:
        [finding] = error.diagnostics
        return RefusedPlace(finding.code, finding.message, Advice(finding.hint or "", finding.fix), is_absent=True)


@dataclass(frozen=True, slots=True)
class RefusedPlace(Place):
    """A place that raises an error if it is used: the column is missing, or has a type that the field cannot have."""

    code: str
    message: str
    advice: Advice
    is_absent: bool = False

    def stored(self) -> Stored | None:
        """Raise the ``LayoutError``, with the advice for reading the column."""
        raise LayoutError.at(self.code, self.message, None, None, *self.advice)

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:  # noqa: ARG002
        """Return None. A selector that names the field does not compile anyway."""
        return None
