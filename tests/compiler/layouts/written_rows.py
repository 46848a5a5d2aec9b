"""Messages as rows of a layout, as producers write them by the definition of the store."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import singledispatch
from typing import Any
from zoneinfo import ZoneInfo

from transpiler import Layout, Message
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import AMQP_TYPES, BOOLEAN, STRING, Path, SparkType
from transpiler.compiler.layouts.columns import PERSISTENT
from transpiler.compiler.layouts.flat import FlatLayout
from transpiler.compiler.layouts.header_places import (
    ColumnPlace,
    ConstantPlace,
    HeaderPlace,
    PropertyPlace,
    RefusedPlace,
    VariantPlace,
    java_text,
)
from transpiler.compiler.layouts.header_readings import Base64Text, Mode, Text, Time, TimeUnit
from transpiler.compiler.layouts.layout import ArchiveLayout
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.property_source import (
    StructFields,
    TaggedTexts,
    TextProperties,
    TypedPlaces,
)
from transpiler.compiler.layouts.sent import SentLayout
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.variant_object import VariantObject
from transpiler.message.header_fields import DELIVERY_MODES, FIRST_NEGATIVE, FOLD
from transpiler.message.types import AmqpType, AmqpValue, Compound, coerce

Row = dict[str, Any]
Properties = Mapping[str, AmqpValue]


def row_of(layout: Layout, message: Message) -> Row:
    """Return ``message`` as a row, with times in milliseconds. Drop what the layout cannot represent."""
    properties: Properties = message.application_properties or {}  # type: ignore[assignment]
    match layout:
        case ArchiveLayout():
            return dict(layout.row(message))
        case SentLayout():
            return row_of(layout.before, message)
        case FlatLayout():
            row = row_of(layout.sections, message)
            for name, column in layout.columns.items():
                if isinstance(column, ir.Column):
                    value = properties.get(name)
                    _put(row, column.path, None if value is None else coerce(value))
            return row
        case StoreLayout():
            row = written(layout.source, properties)
            for name in layout.columns:
                column = layout._first_column(name)
                if column is not None:
                    _put(row, column.path, _if_of(column, properties.get(name)))
            for name, header in layout.headers.items():
                _put_header(row, header, _field(message, name))
            return row
        case _:
            raise AssertionError(layout)


def _put(row: Row, path: Path, value: object) -> None:
    target = row
    for step in path[:-1]:
        target = target.setdefault(str(step), {})
    target[str(path[-1])] = value


def _if_of(column: ir.Column, value: AmqpValue | None) -> object:
    return None if value is None or value.type is not AMQP_TYPES[column.type.kind] else coerce(value)


def _merge(row: Row, more: Mapping[str, Any]) -> None:
    """Add the columns ``more`` to ``row``: merge the fields of structs and maps, and append the elements of arrays."""
    for name, value in more.items():
        known = row.get(name)
        if isinstance(known, dict) and isinstance(value, Mapping):
            _merge(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            known.extend(value)
        else:
            row[name] = value


def _field(message: Message, name: str) -> Any:
    """Return the value of the header field ``name`` as in JMS; None for an id that is not text."""
    failed = None if message.header is None else message.header.delivery_count
    if name == "JMSRedelivered":
        return None if failed is None else failed > 0
    if name == "JMSXDeliveryCount":
        return None if failed is None else failed + 1
    place = FIELDS[name]
    value = getattr(getattr(message, place.section, None), place.field, None)
    if name == "JMSXGroupSeq" and value is not None and value >= FIRST_NEGATIVE:
        return value - FOLD
    if isinstance(value, AmqpValue):
        return value.value if isinstance(value.value, str) else None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _put_header(row: Row, header: HeaderPlace, value: Any) -> None:
    place = header.place
    kind = place.type.kind if isinstance(place, ColumnPlace) and place.type is not None else None
    value = _as_read(header, value, kind)
    match place:
        case ColumnPlace():
            if isinstance(value, int) and not isinstance(value, bool) and place.type is not None:
                value = str(value) if place.type == STRING else value == PERSISTENT if place.type == BOOLEAN else value
            _put(row, place.path, value)
        case PropertyPlace():
            kinds = {bool: AmqpType.BOOLEAN, int: AmqpType.LONG, str: AmqpType.STRING}
            if value is not None:
                _merge(row, written(place.source, {place.key: AmqpValue(kinds[type(value)], value)}))
        case VariantPlace():
            _put(row, (*place.path, *place.keys), value)
        case _:
            assert isinstance(place, ConstantPlace | RefusedPlace)


def _as_read(header: HeaderPlace, value: Any, kind: SparkType | None) -> Any:
    match header.reading:
        case Text(blank_is_none=True):
            return value or ""
        case _ if value is None:
            return None
        case Base64Text():
            return base64.b64encode(value.encode()).decode()
        case Mode(named_only) if kind is not SparkType.BOOLEAN:
            return DELIVERY_MODES[value] if named_only else 2 if value else 1
        case Time(pattern=str(pattern), zone=zone):
            return write_time(value, pattern, zone)
        case Time(unit=TimeUnit.SECONDS) if kind not in (SparkType.TIMESTAMP, SparkType.TIMESTAMP_NTZ):
            return value // 1000
        case _:
            return value


@singledispatch
def written(source: object, properties: Properties) -> Row:
    """Return the columns of a row with ``properties``. Drop what the source cannot represent."""
    raise AssertionError((source, properties))


@written.register
def _(source: StructFields, properties: Properties) -> Row:
    row: Row = {}
    for name, place in source.fields.items():
        if isinstance(place, ir.Column):
            _put(row, place.path, _if_of(place, properties.get(name)))
    return row


@written.register
def _(source: TypedPlaces, properties: Properties) -> Row:
    places = {name: _member_of(source, value) for name, value in properties.items()}
    if source.map is None:
        row: Row = {member: {} for member, _ in source.members}
        for name, place in places.items():
            if place is not None:
                row[place[0]][name] = place[2]
        return row
    structs: Row = {}
    for name, place in places.items():
        struct: Row = dict.fromkeys(member for member, _ in source.members)
        if place is not None:
            struct[place[0]] = place[2]
        if source.tag is not None:
            struct[source.tag[0]] = source.tag[1][SparkType.STRING if place is None else place[1]]
        structs[name] = struct
    row = {}
    _put(row, source.map, structs)
    return row


_WIDEST = {
    bool: AmqpType.BOOLEAN,
    int: AmqpType.LONG,
    float: AmqpType.DOUBLE,
    str: AmqpType.STRING,
    bytes: AmqpType.BINARY,
}


def _member_of(source: TypedPlaces, value: AmqpValue) -> tuple[str, SparkType, object] | None:
    content = coerce(value)
    if content is None or isinstance(value.type, Compound):
        return None
    own = {AMQP_TYPES[kind]: (member, kind) for member, kind in source.members}
    place = own.get(value.type) or own.get(_WIDEST[type(content)])
    return None if place is None else (*place, content)


@written.register
def _(source: VariantObject, properties: Properties) -> Row:
    whole: Any = {name: _in_variant(source, value) for name, value in properties.items()}
    for key in reversed(source.keys):
        whole = {key: whole}
    row: Row = {}
    _put(row, source.path, json.dumps(whole) if source.json else whole)
    return row


def _in_variant(source: VariantObject, value: AmqpValue) -> object:
    content = coerce(value)
    if source.text_key is not None and isinstance(content, str):
        return {source.text_key: list(content.encode())}
    if isinstance(content, bytes):
        return [] if isinstance(value.type, Compound) else base64.b64encode(content).decode()
    if isinstance(content, float) and (content != content or abs(content) == float("inf")):
        return None
    return content


@written.register
def _(source: TextProperties, properties: Properties) -> Row:
    texts = {source.prefix + name: _as_text(source, name, value) for name, value in properties.items()}
    row: Row = {}
    entries = [dict(zip(source.entry, pair, strict=True)) for pair in texts.items()] if source.entry else texts
    _put(row, source.path, entries)
    return row


def _as_text(source: TextProperties, name: str, value: AmqpValue) -> str | bytes | None:
    text = java_text(value)
    if source.types.of(name).name == "json":
        content = coerce(value)
        text = json.dumps(text if isinstance(content, bytes) else content)
    return text.encode() if source.binary and text is not None else text


@written.register
def _(source: TaggedTexts, properties: Properties) -> Row:
    names = {amqp: type_name for type_name, amqp in reversed(list(source.types.items()))}
    found: dict[str, tuple[str, str]] = {}
    for name, value in properties.items():
        text = java_text(value)
        wide = {int: AmqpType.LONG, float: AmqpType.DOUBLE}.get(type(coerce(value)), AmqpType.STRING)
        own = value.type if value.type in names else wide
        if text is not None and isinstance(own, AmqpType):
            found[name] = (text, names[own])
        elif source.null is not None and text is None:
            found[name] = (source.null[1], source.null[0])
    row: Row = {}
    if source.entry is not None:
        _put(row, source.path, [dict(zip(source.entry, (name, *pair), strict=True)) for name, pair in found.items()])
    else:
        texts = {name: text for name, (text, _) in found.items()}
        _put(row, source.path, texts | {name + source.suffix: tag for name, (_, tag) in found.items()})
    return row


_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[\[\]]|.", re.DOTALL)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def write_time(time: int, pattern: str, zone: str) -> str | None:
    """Return ``time``, in milliseconds since the epoch, as text in a Java pattern, with all optional sections.

    Return None for a year outside 1 to 9999.
    """
    try:
        moment = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=time)
        moment = moment.astimezone(_zone(zone))
    except OverflowError:
        return None

    def text(token: re.Match[str]) -> str:
        if token[0].startswith("'"):
            return token[1].replace("''", "'") or "'"
        count, letter = len(token[0]), token[2]
        numbers = {
            "y": moment.year,
            "M": moment.month,
            "d": moment.day,
            "H": moment.hour,
            "h": moment.hour % 12 or 12,
            "m": moment.minute,
            "s": moment.second,
        }
        match letter:
            case "M" if count == 3:
                return _MONTHS[moment.month - 1]
            case "S":
                return f"{moment.microsecond:06d}".ljust(count, "0")[:count]
            case "a":
                return "AM" if moment.hour < 12 else "PM"
            case "X":
                return _offset(moment.strftime("%z"), count)
            case "V":
                return zone
            case _ if letter in numbers:
                return str(numbers[letter]).rjust(count, "0")
            case _:
                return "" if token[0] in "[]" else token[0]

    return _TOKEN.sub(text, pattern)


def _zone(name: str) -> tzinfo | None:
    if name[0] in "+-":
        return datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo
    return UTC if name in ("UTC", "Z") else ZoneInfo(name)


def _offset(offset: str, count: int) -> str:
    """Return ``offset`` (a sign and at least four digits) as ``count`` letters X format it, without seconds."""
    hours, minutes = offset[:3], offset[3:5]
    if hours[1:] + minutes == "0000":
        return "Z"
    if count == 1:
        return hours + (minutes if minutes != "00" else "")
    return f"{hours}:{minutes}" if count == 3 else hours + minutes
