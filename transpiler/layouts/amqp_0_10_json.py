"""Rows of AMQP 0-10 archives as JSON: one object with the structs message-properties and delivery-properties.

Reading is strict. A header is a value as message JSON has it, or the struct ``V`` as Spark writes it; a message id may
be written as a UUID; ``rows`` reads all else, as in any row in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

from transpiler.diagnostics import did_you_mean
from transpiler.errors import DecodeError
from transpiler.ir.column_types import ColumnType, SparkType
from transpiler.layouts.amqp import union
from transpiler.layouts.amqp_0_10 import SCHEMA
from transpiler.layouts.amqp_schema import UNION
from transpiler.layouts.columns import Fields, UnionShape
from transpiler.layouts.rows import amqp_value, refuse
from transpiler.message.json import read_value
from transpiler.message.types import AmqpType, Compound

_TYPES = frozenset(kind.value for kind in (*AmqpType, *Compound))


def read_row(data: Mapping[str, Any]) -> dict[str, Any]:
    """One row of the layout ``amqp-0-10``, a time in milliseconds.

    ``DecodeError`` with the path of what does not fit.
    """
    return _struct((), data, SCHEMA)


def _struct(path: tuple[str, ...], value: Any, fields: Fields) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        refuse(path, "an object of fields", value)
    for name in value:
        if name not in fields:
            hint = did_you_mean(str(name), fields) or f"the fields are {', '.join(fields)}"
            message = ": ".join(filter(None, (".".join(path), f"AMQP 0-10 has no field called {name!r}")))
            raise DecodeError.at("message.unknown-field", message, hint=hint)
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
    if not isinstance(value, Mapping) or "value" in value or len(value) < 2 or not value.keys() <= UNION.keys():
        return union(read_value(name, value))
    # The struct V: the name of a type, and the one field that has the value.
    if value.get("type") not in _TYPES:
        hint = did_you_mean(str(value.get("type")), _TYPES)
        message = f"{name}: no AMQP type is called {value.get('type')!r}"
        raise DecodeError.at("message.unknown-type", message, hint=hint)
    return {field: _field((*path, field), value.get(field), column_type) for field, column_type in UNION.items()}
