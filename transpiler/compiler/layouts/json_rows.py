"""Read messages from JSON objects: message JSON, plain properties, log entries, or a row of a layout.

An object may have extra members that describe where the message was published or delivered (``BESIDE``). They are not
part of a message in sections. In a message of plain properties they are also properties, because a property can have
any name, unless the member is an array or object, which a property cannot be.

A row of AMQP 0-10 is read strictly: unknown fields are errors. Its headers are values in the form of message JSON, or
structs ``V`` as Spark writes them; a message ID may be a UUID in text form. ``rows`` reads the other values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from transpiler.base.diagnostics import first_of, meant
from transpiler.base.errors import DecodeError, LayoutError
from transpiler.base.hints import joined
from transpiler.base.times import iso_time
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.compiler.ir.traversal import column_paths
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.amqp_0_10 import SCHEMA, ZeroTenLayout
from transpiler.compiler.layouts.amqp_rows import TYPES, union_value
from transpiler.compiler.layouts.columns import MAPS, STRUCTS, UNION, Fields, UnionShape
from transpiler.compiler.layouts.flat import FlatLayout
from transpiler.compiler.layouts.layout import Layout, archive_of
from transpiler.compiler.layouts.message_rows import union
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.rows import amqp_value, refuse
from transpiler.message.header_fields import MessageField
from transpiler.message.json import SECTION_NAMES, read_value
from transpiler.message.message import Message, as_message
from transpiler.message.rabbitmq_trace import entry_message, is_entry

#: Members of a JSON object that are not part of the message: inputs and outputs of the command ``route``, and members
#: of a broker's REST response.
BESIDE = (
    "exchange",
    "routing_type",
    "routing_key",
    "routing_keys",
    "routed_queues",
    "queues",
    "possible_queues",
    "outcome",
    "why",
    "path",
    "diverts",
    "version",
)

_ZERO_TEN = ZeroTenLayout()

_TIMES = ("absolute_expiry_time", "creation_time")


def message_from_json(value: Any) -> Message:
    """Return the message in the JSON value ``value``.

    The value is an entry of a tracing log, a row with the fields of an AMQP 0-10 message, an object with the sections
    of an AMQP 1.0 message, or an object with plain properties. The names of the members determine the form. An invalid
    member raises ``DecodeError`` with its path.
    """
    if not isinstance(value, Mapping):
        return Message.from_dict(value)
    if is_entry(value):
        return entry_message(value)
    if value.keys() & _ZERO_TEN.schema.keys():
        return message_from_json_row(value, _ZERO_TEN)
    sections = any(name in SECTION_NAMES for name in value)
    return as_message(
        {
            name: item
            for name, item in value.items()
            if name not in BESIDE or not (sections or isinstance(item, list | Mapping))
        }
    )


def message_from_json_row(value: Any, layout: Layout) -> Message:
    """Return the message in ``value``, a row of ``layout`` as JSON, in which columns that are not read are ignored.

    Binary columns are base64, and times are ISO 8601 or milliseconds, as Spark's ``to_json`` writes them. Rows of some
    layouts may also be message JSON, which has a member for each section. An invalid value raises ``DecodeError``.
    """
    if not isinstance(value, Mapping):
        return Message.from_dict(value)
    if isinstance(layout, FlatLayout) and all(name in SECTION_NAMES for name in value):
        return Message.from_dict(value)
    if isinstance(layout, ZeroTenLayout):
        return layout.message(read_row({name: item for name, item in value.items() if name not in BESIDE}))
    if isinstance(layout, AmqpLayout) and not layout.promoted:
        return _canonical(value)
    return layout.message(value)


def check_columns(value: Any, layout: Layout) -> None:
    """Raise ``DecodeError`` if ``value`` is a row that has columns, but no column that ``layout`` reads.

    Callers decide if that is an error: Spark's ``to_json`` omits NULL columns, so the row may be an empty message.
    """
    if not isinstance(value, Mapping) or not value:
        return
    known = _columns_read(layout, value)
    if any(name in known or name in SECTION_NAMES for name in value):
        return
    read, found = first_of(known, 6) or "none", first_of(value, 6)
    message = f"the row has no column of the layout {layout.name}: the layout reads {read}, but the row has {found}"
    offered = joined(advice.hint for advice in layout.offers(MessageField("application_properties", "")))
    hint = offered or "perhaps pass the layout of these rows, or omit the layout for message JSON and plain properties"
    raise DecodeError.at("row.columns", message, hint=hint)


def _columns_read(layout: Layout, columns: Iterable[str]) -> list[str]:
    """Return the columns that ``layout`` reads; if it can read any name, only columns that are in ``columns``."""
    if (archive := archive_of(layout)) is not None:
        return list(archive.schema)
    read: dict[str, None] = {}
    answers = [partial(layout.property, name) for name in layout.names() or columns]
    for answer in (*answers, *(partial(layout.field, message_field) for message_field in FIELDS.values())):
        with suppress(LayoutError):
            stored = answer()
            read |= {
                str(path[0]): None for path in sorted(column_paths(stored.present if stored else ir.TRUE), key=str)
            }
    return list(read)


def _canonical(row: Mapping[str, Any]) -> Message:
    """Return the message in a row of the canonical schema, whose values are tagged unions ``V`` or message JSON."""
    return Message.from_dict({name: _section(name, content) for name, content in row.items() if name in SECTION_NAMES})


def _section(section: str, content: Any) -> Any:
    if not isinstance(content, Mapping):
        return content
    if section in MAPS:
        return {name: _value(item, (section, name)) for name, item in content.items()}
    fields = STRUCTS[section]
    return {
        name: item if not isinstance(item, Mapping) or name not in fields else _value(item, (section, name))
        for name, item in ((name, _time(name, item)) for name, item in content.items())
    }


def _value(value: Any, path: tuple[str, ...]) -> Any:
    """Return the AMQP value in ``value`` if it is a tagged union; otherwise return ``value`` unchanged."""
    if not _is_union(value):
        return value
    read = union_value(value, path)
    return read.type if path == ("body", "value") and read is not None and read.value == b"" else read


def _is_union(value: Any) -> bool:
    """Return True if ``value`` has the form of a tagged union: ``{"type": "int", "long": 5}``."""
    return isinstance(value, Mapping) and "value" not in value and len(value) > 1 and value.keys() <= UNION.keys()


def _time(name: str, value: Any) -> Any:
    time = iso_time(value) if name in _TIMES and isinstance(value, str) else None
    return value if time is None else time


def read_row(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``data``, a row of the layout ``amqp-0-10`` in JSON, with its values converted and times in milliseconds.

    An invalid value raises ``DecodeError`` with its path.
    """
    return _struct((), data, SCHEMA)


def _struct(path: tuple[str, ...], value: Any, fields: Fields) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        refuse(path, "an object of fields", value)
    for name in value:
        if name not in fields:
            hint, fix = meant(str(name), fields, ".".join(path))
            hint = hint or f"the fields are {', '.join(fields)}"
            message = ": ".join(filter(None, (".".join(path), f"AMQP 0-10 has no field called {name!r}")))
            raise DecodeError.at("message.unknown-field", message, hint=hint, fix=fix)
    return {name: _field((*path, name), value.get(name), shape) for name, shape in fields.items()}


def _field(path: tuple[str, ...], value: Any, shape: ColumnType | UnionShape | Fields) -> Any:
    if value is None:
        return None
    match shape:
        case UnionShape.UNIONS:
            if not isinstance(value, Mapping):
                refuse(path, "an object of names and values", value)
            return {key: _header((*path, key), item) for key, item in value.items()}
        case ColumnType(kind=kind):
            if kind is SparkType.BINARY and isinstance(value, str) and len(value) == 36:
                with suppress(ValueError):
                    return UUID(value).bytes
            content = amqp_value(value, kind, path)
            return None if content is None else content.value
        case UnionShape():
            return _header(path, value)
        case _:
            return _struct(path, value, shape)


def _header(path: tuple[str, ...], value: Any) -> dict[str, Any] | None:
    name = ".".join(path)
    if not _is_union(value):
        return union(read_value(name, value))
    if value.get("type") not in TYPES:
        hint, fix = meant(str(value.get("type")), TYPES, name)
        message = f"{name}: there is no AMQP type called {value.get('type')!r}"
        raise DecodeError.at("message.unknown-type", message, hint=hint, fix=fix)
    return {field: _field((*path, field), value.get(field), column_type) for field, column_type in UNION.items()}
