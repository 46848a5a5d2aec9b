"""Header fields that a user puts into columns or keys of their own, and header columns that stand beside properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from transpiler.diagnostics import did_you_mean
from transpiler.errors import LayoutError
from transpiler.ir.column_types import ColumnType, SparkType
from transpiler.layouts.header_places import ColumnPlace, HeaderPlace, PropertyPlace
from transpiler.layouts.header_readings import Flag, Integer, Mode, Reading, Text, Time, TimeUnit
from transpiler.layouts.java_times import check_pattern
from transpiler.layouts.named_fields import FIELDS
from transpiler.layouts.property_source import PropertySource
from transpiler.layouts.store import READINGS
from transpiler.layouts.stored import Stored
from transpiler.layouts.text_properties import TextProperties
from transpiler.message.types import AmqpValue

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
            hint = "name a zone of the tz database, such as Europe/Berlin"
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
        hint = did_you_mean(str(name), FIELDS) or f"the header fields are {', '.join(FIELDS)}"
        raise LayoutError.at("layout.headers", f"JMS has no header field {name!r} that a store can have", hint=hint)
    if not isinstance(option, str | HeaderOption):
        message = f"the header field {name} is {type(option).__name__}, and no name of a column or a key"
        hint = "give a name, stores.time(…), stores.mode(…) or stores.number(…)"
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
    hint = ""
    match own:
        case Mode() if text:
            return HeaderPlace(place, Mode(named_only=True))
        case Mode():
            hint = f"headers={{'{name}': stores.mode('{place.path[-1]}')}} reads 1 and 2, or a boolean"
        case Time() if integer or kind in _TIMES:
            return HeaderPlace(place, own)
        case Time():
            hint = (
                f"headers={{'{name}': stores.time('{place.path[-1]}', unit=\"yyyy-MM-dd'T'HH:mm:ssX\")}} reads a text"
            )
        case Integer() if integer:
            return HeaderPlace(place, own)
        case Integer():
            hint = f"headers={{'{name}': stores.number('{place.path[-1]}')}} reads the text of a number"
        case Flag() if kind is SparkType.BOOLEAN:
            return HeaderPlace(place, own)
        case Text() if text:
            return HeaderPlace(place, own)
        case _:
            hint = "cast the column, or name another one in headers"
    return HeaderPlace(RefusedPlace(name, ".".join(map(str, place.path)), column_type, hint), own)


@dataclass(frozen=True, slots=True)
class RefusedPlace:
    """A column of a type that a header field does not have."""

    header: str
    column: str
    type: ColumnType
    hint: str

    def _refuse(self) -> NoReturn:
        message = f"the column {self.column} is {self.type}, which is not how {self.header} is kept"
        raise LayoutError.at("layout.header-type", message, hint=self.hint)

    def stored(self) -> Stored | None:
        """``LayoutError`` with the option that reads the column."""
        self._refuse()

    def read(self, row: Mapping[str, Any]) -> AmqpValue | None:  # noqa: ARG002
        """Nothing: a selector that names the field does not compile."""
        return None
