"""Read rows in Python: the value at a path, and PySpark's objects for times and VARIANT.

A row, and a struct in it, is a mapping from names to values or a ``pyspark.sql.Row``. It may come from JSON: bytes are
then base64, times are ISO 8601 or milliseconds, and NaN and the infinities are text, as Spark's ``to_json`` writes
them. This module does not import PySpark.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NoReturn

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import kind_of
from transpiler.base.errors import DecodeError
from transpiler.base.ieee754 import float32
from transpiler.base.times import iso_time, since_epoch
from transpiler.compiler.ir.column_types import AMQP_TYPES, Key, Path, SparkType
from transpiler.message.types import AmqpType, AmqpValue, Compound


def refuse(path: Path, expected: str, value: object, hint: str | None = None) -> NoReturn:
    """Raise ``DecodeError`` for a ``value`` at ``path`` in a row that is not ``expected``, the type of its column."""
    names = ".".join(step if isinstance(step, str) else str(step[0]) for step in path if isinstance(step, str | Key))
    message = mismatch(expected, kind_of(value))
    raise DecodeError.at("row.type", f"{names}: {message}" if names else message, hint=hint)


def as_mapping(row: object) -> Mapping[str, Any] | None:
    """Return ``row``, a row or a struct, as a mapping; None if it is anything else.

    Args:
        row: A dict or a ``pyspark.sql.Row``.
    """
    if isinstance(row, Mapping):
        return row
    as_dict = getattr(row, "asDict", None)
    return None if as_dict is None else as_dict()


def row_columns(row: object) -> Mapping[str, Any]:
    """Return ``row`` as a mapping from columns to values. Raise ``TypeError`` if it is not a row."""
    columns = as_mapping(row)
    if columns is None:
        raise TypeError(f"a row must be a mapping or a pyspark Row, not {type(row).__name__}")
    return columns


def value_at(row: Mapping[str, Any], path: Path) -> Any:
    """Return the value in ``row`` at ``path``, a path of field names; None if a struct on the path is NULL."""
    value: Any = row
    for index, step in enumerate(path):
        fields = struct_of(value, path[:index])
        if fields is None:
            return None
        value = fields.get(str(step))
    return value


def struct_of(value: object, path: Path) -> Mapping[str, Any] | None:
    """Return ``value``, a struct or a map, as a mapping; None for NULL. Any other value raises ``DecodeError``."""
    fields = as_mapping(value)
    if fields is None and value is not None:
        refuse(path, "an object", value)
    return fields


def structs_of(value: object, path: Path) -> list[Mapping[str, Any]]:
    """Return the structs in the array ``value`` that are not NULL. Any other value raises ``DecodeError``."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        refuse(path, "an array of objects", value)
    return [fields for item in value if (fields := struct_of(item, path)) is not None]


def text_of(value: object, path: Path) -> str | None:
    """Return ``value`` if it is text, and None if it is NULL. Any other value raises ``DecodeError``."""
    if value is not None and not isinstance(value, str):
        refuse(path, "text", value, "this column contains only text, which JSON writes in quotes" if path else None)
    return value


def octets_of(value: object, path: Path) -> bytes | None:
    """Return ``value`` as bytes, decoding text as base64; None for NULL. Any other value raises ``DecodeError``."""
    match value:
        case None | bytes():
            return value
        case bytearray() | memoryview():
            return bytes(value)
        case str():
            octets = read_base64(value)
            if octets is None:
                refuse(
                    path,
                    "bytes in base64",
                    value,
                    "Spark's to_json writes bytes in base64, as does the command printf red | base64",
                )
            return octets
        case _:
            refuse(path, "bytes in base64", value)


def read_base64(text: str) -> bytes | None:
    """Return the bytes that ``text`` encodes in base64; None if it is not valid base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def milliseconds(value: object) -> int | None:
    """Return the milliseconds since the epoch of a time from PySpark; None if ``value`` is not a time.

    Args:
        value: A ``datetime``, or milliseconds since the epoch.
    """
    match value:
        case datetime():
            return since_epoch(value.astimezone(UTC))
        case int() if not isinstance(value, bool):
            return value
        case _:
            return None


def _time(value: object, kind: SparkType, path: Path) -> int:
    if isinstance(value, datetime) and value.tzinfo is None and kind is SparkType.TIMESTAMP_NTZ:
        value = value.replace(tzinfo=UTC)
    time = iso_time(value) if isinstance(value, str) else milliseconds(value)
    if time is None:
        refuse(path, "a time", value, "a time in ISO 8601 (2024-06-24T13:38:20Z), or in milliseconds since the epoch")
    return time


def amqp_value(value: object, kind: SparkType, path: Path = ()) -> AmqpValue | None:
    """Return ``value``, from a column of the Spark type ``kind``, as an AMQP value; None for NULL.

    A value of another type raises ``DecodeError``, which states the ``path``.
    """
    if value is None:
        return None
    return AmqpValue(AMQP_TYPES[kind], _content(value, kind, path))


def _content(value: object, kind: SparkType, path: Path) -> bool | int | float | str | bytes | Decimal | None:
    match kind:
        case SparkType.TIMESTAMP | SparkType.TIMESTAMP_NTZ:
            return _time(value, kind, path)
        case SparkType.BOOLEAN:
            if not isinstance(value, bool):
                refuse(path, "true or false", value)
            return value
        case SparkType.BINARY:
            return octets_of(value, path)
        case SparkType.DOUBLE:
            return _double(value, path)
        case SparkType.FLOAT:
            return float32(_double(value, path))
        case SparkType.DECIMAL:
            if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
                refuse(path, "a number", value)
            return value if isinstance(value, Decimal) else Decimal(str(value))
        case SparkType.STRING | SparkType.VARCHAR:
            return text_of(value, path)
        case SparkType.CHAR:
            return (text_of(value, path) or "").rstrip(" ")
        case _:
            assert kind.bits is not None
            if isinstance(value, bool) or not isinstance(value, int):
                refuse(path, "an integer", value)
            if not -(2 ** (kind.bits - 1)) <= value < 2 ** (kind.bits - 1):
                refuse(path, f"an integer of {kind.bits} bits", value)
            return value


def _double(value: object, path: Path) -> float:
    match value:
        case bool():
            pass
        case int() | Decimal():
            # float() of a number beyond the range of doubles is infinite for a Decimal, but an error for an int.
            return float(Decimal(value))
        case float():
            return value
        case "NaN" | "Infinity" | "-Infinity":
            return float(value)
        case _:
            pass
    refuse(path, "a number", value)


def variant_value(value: object) -> AmqpValue | None:
    """Return the content of a VARIANT, given as a plain Python value, as an AMQP value; None for NULL and JSON's null.

    A fraction, which a VARIANT holds as a DECIMAL, and an integer beyond 64 bits become doubles. A time without a zone
    becomes a value that equals nothing.
    """
    match value:
        case None:
            return None
        case bool():
            return AmqpValue(AmqpType.BOOLEAN, value)
        case int() if -(2**63) <= value < 2**63:
            return AmqpValue(AmqpType.LONG, value)
        case int() | float() | Decimal():
            # float() of an int beyond the range of doubles raises an error; with Decimal the result is infinite.
            return AmqpValue(AmqpType.DOUBLE, float(Decimal(value)))
        case str():
            return AmqpValue(AmqpType.STRING, value)
        case bytes() | bytearray():
            return AmqpValue(AmqpType.BINARY, bytes(value))
        case datetime() if value.tzinfo is not None:
            return AmqpValue(AmqpType.TIMESTAMP, milliseconds(value))
        case Mapping():
            return AmqpValue(Compound.MAP, b"")
        case _:
            return AmqpValue(Compound.LIST, b"")


def plain(variant: object) -> Any:
    """Return the plain Python value of ``variant``, a PySpark ``VariantVal``; return any other object unchanged."""
    to_python = getattr(variant, "toPython", None)
    return variant if to_python is None else to_python()
