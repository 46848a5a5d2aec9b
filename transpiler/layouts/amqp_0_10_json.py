"""Rows of AMQP 0-10 archives as JSON: one object with the structs message-properties and delivery-properties.

Reading is strict. A header is a value as message JSON has it, or the struct ``V`` as Spark writes it; bytes are base64,
and a message id may be written as a UUID; a time is milliseconds since the epoch, or ISO 8601 as Spark writes it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn
from uuid import UUID

from transpiler.diagnostics import mismatch, nearest
from transpiler.errors import DecodeError
from transpiler.ir.column_types import ColumnType, SparkType
from transpiler.layouts.amqp import UNION, union
from transpiler.layouts.amqp_0_10 import SCHEMA
from transpiler.layouts.columns import Fields, UnionShape
from transpiler.message.json import kind_of, read_value
from transpiler.message.types import AmqpType, Compound

_TYPES = frozenset(kind.value for kind in (*AmqpType, *Compound))

_BITS = {SparkType.SMALLINT: 16, SparkType.BIGINT: 64}


def read_row(data: Mapping[str, Any]) -> dict[str, Any]:
    """One row of the layout ``amqp-0-10``, a time in milliseconds.

    ``DecodeError`` with the path of what does not fit.
    """
    _check_names("", data, SCHEMA)
    return {name: _field(name, data.get(name), fields) for name, fields in SCHEMA.items()}


def _refuse(code: str, path: str, message: str, hint: str | None = None) -> NoReturn:
    raise DecodeError.at(code, f"{path}: {message}" if path else message, hint=hint)


def _check_names(path: str, data: Mapping[str, Any], known: Mapping[str, object]) -> None:
    for name in data:
        if name not in known:
            near = nearest(str(name), known)
            hint = f"did you mean {near[0]}?" if near else f"the fields are {', '.join(known)}"
            _refuse("message.unknown-field", path, f"AMQP 0-10 has no field called {name!r}", hint)


def _struct(path: str, value: Any, fields: Fields) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        _refuse("message.type", path, mismatch("an object of fields", kind_of(value)))
    _check_names(path, value, fields)
    return {name: _field(f"{path}.{name}", value.get(name), shape) for name, shape in fields.items()}


def _field(path: str, value: Any, shape: ColumnType | UnionShape | Fields) -> Any:
    if value is None:
        return None
    match shape:
        case UnionShape.UNIONS:
            if not isinstance(value, Mapping):
                _refuse("message.type", path, mismatch("an object of names and values", kind_of(value)))
            return {_text(path, key): _header(f"{path}.{key}", item) for key, item in value.items()}
        case ColumnType(kind=kind):
            return _scalar(path, value, kind)
        case UnionShape():
            return _header(path, value)
        case _:
            return _struct(path, value, shape)


def _header(path: str, value: Any) -> dict[str, Any] | None:
    if not isinstance(value, Mapping) or "value" in value or len(value) < 2 or not value.keys() <= UNION.keys():
        return union(read_value(path, value))
    # The struct V: the name of a type, and the one field that has the value.
    if value.get("type") not in _TYPES:
        near = nearest(str(value.get("type")), _TYPES)
        hint = f"did you mean {near[0]}?" if near else None
        _refuse("message.unknown-type", path, f"no AMQP type is called {value.get('type')!r}", hint)
    return {name: _field(f"{path}.{name}", value.get(name), column_type) for name, column_type in UNION.items()}


def _scalar(path: str, value: Any, kind: SparkType) -> Any:
    match kind:
        case SparkType.STRING:
            return _text(path, value)
        case SparkType.BINARY:
            return value if isinstance(value, bytes) else _bytes(path, value)
        case SparkType.BOOLEAN:
            if not isinstance(value, bool):
                _refuse("message.type", path, mismatch("true or false", kind_of(value)))
            return value
        case SparkType.DOUBLE:
            return read_value(path, {"type": "double", "value": value}).value
        case SparkType.TIMESTAMP:
            return _time(path, value)
        case _:
            return _integer(path, value, _BITS[kind])


def _text(path: str, value: Any) -> str:
    text = read_value(path, value)
    if not isinstance(text.value, str):
        _refuse("message.type", path, mismatch("text", kind_of(value)))
    return text.value


def _integer(path: str, value: Any, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        _refuse("message.type", path, mismatch("an integer", kind_of(value)))
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        _refuse("message.range", path, f"{value} has more than {bits} bits")
    return value


def _bytes(path: str, value: Any) -> bytes:
    text = _text(path, value)
    try:
        return UUID(text).bytes if len(text) == 36 else base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        _refuse("message.base64", path, "is neither base64 nor a UUID")


def _time(path: str, value: Any) -> int:
    if isinstance(value, str):
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            _refuse("message.type", path, f"{value!r} is no time", "write milliseconds since the epoch, or ISO 8601")
        since = (time if time.tzinfo is not None else time.replace(tzinfo=UTC)) - datetime.fromtimestamp(0, UTC)
        return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000
    return _integer(path, value, 64)
