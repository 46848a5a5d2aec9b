"""Rows in Python: the value at a path, a value put there, and what Spark's Python gives for a time or a VARIANT.

A row is a mapping from columns to values, or a ``pyspark.sql.Row``; a struct is likewise. Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from transpiler.ir.column_types import Path, SparkType
from transpiler.layouts.columns import AMQP_TYPES
from transpiler.message.types import AmqpType, AmqpValue, Compound

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_mapping(row: object) -> Mapping[str, Any] | None:
    """Return a row or a struct as a mapping; None for anything else."""
    if isinstance(row, Mapping):
        return row
    as_dict = getattr(row, "asDict", None)
    return None if as_dict is None else as_dict()


def value_at(row: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path of field names; None where a struct on the way is NULL."""
    value: Any = row
    for step in path:
        fields = as_mapping(value)
        if fields is None:
            return None
        value = fields.get(str(step))
    return value


def put(row: MutableMapping[str, Any], path: Path, value: object) -> None:
    """Put a value at a path of field names, and make the structs on the way."""
    target = row
    for step in path[:-1]:
        target = target.setdefault(str(step), {})
    target[str(path[-1])] = value


def milliseconds(value: object) -> int | None:
    """Return the milliseconds since the epoch of a time as PySpark gives it, or of a number that says them."""
    match value:
        case datetime():
            since = value.astimezone(UTC) - _EPOCH
            return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000
        case int() if not isinstance(value, bool):
            return value
        case _:
            return None


def amqp_value(value: object, kind: SparkType) -> AmqpValue | None:
    """Return the value of a column of a Spark type as AMQP has it; None for NULL."""
    if value is None:
        return None
    if kind in (SparkType.TIMESTAMP, SparkType.TIMESTAMP_NTZ):
        return AmqpValue(AmqpType.TIMESTAMP, milliseconds(value))
    if isinstance(value, bytearray):
        value = bytes(value)
    if kind is SparkType.CHAR and isinstance(value, str):
        value = value.rstrip(" ")
    assert isinstance(value, bool | int | float | str | bytes | Decimal)
    return AmqpValue(AMQP_TYPES[kind], value)


def variant_value(value: object) -> AmqpValue | None:
    """Return what a VARIANT holds, given as plain Python, as AMQP has it; None for NULL and for JSON's null.

    A fraction, which a VARIANT holds as a DECIMAL, and an integer beyond 64 bits are doubles.
    """
    match value:
        case None:
            return None
        case bool():
            return AmqpValue(AmqpType.BOOLEAN, value)
        case int() if -(2**63) <= value < 2**63:
            return AmqpValue(AmqpType.LONG, value)
        case int() | float() | Decimal():
            # By way of Decimal, for an integer that no double holds does not convert.
            return AmqpValue(AmqpType.DOUBLE, float(Decimal(value)))
        case str():
            return AmqpValue(AmqpType.STRING, value)
        case bytes() | bytearray():
            return AmqpValue(AmqpType.BINARY, bytes(value))
        case datetime():
            return AmqpValue(AmqpType.TIMESTAMP, milliseconds(value))
        case Mapping():
            return AmqpValue(Compound.MAP, b"")
        case _:
            return AmqpValue(Compound.LIST, b"")


def plain(variant: object) -> Any:
    """Return a VARIANT as plain Python: ``VariantVal`` of PySpark by its own method, anything else as it is."""
    to_python = getattr(variant, "toPython", None)
    return variant if to_python is None else to_python()
