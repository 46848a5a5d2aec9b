"""Rows of a DataFrame as plain Python values, in the form that layouts read: times are milliseconds since the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    DateType,
    MapType,
    StructType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)

from transpiler.compiler.layouts.rows import plain
from transpiler.compiler.sql import quote_name


def collectable_columns(df: DataFrame) -> list[Column]:
    """Return the columns of ``df`` with their names, converted to types whose values Python can represent."""
    return [_collectable(sf.col(quote_name(field.name)), field.dataType).alias(field.name) for field in df.schema]


def unused_name(name: str, df: DataFrame) -> str:
    """Return ``name``, with as many leading underscores as needed so that ``df`` has no such column."""
    taken = {column.lower() for column in df.columns}
    while name.lower() in taken:
        name = f"_{name}"
    return name


#: Spark types with values that Python cannot represent. Such values are converted to text, because no message property
#: has such a type.
_AS_TEXT = (DateType, YearMonthIntervalType, CalendarIntervalType)


def _collectable(column: Column, data_type: DataType) -> Column:
    """Return ``column`` with its times in milliseconds since the epoch.

    A Python datetime ends at the year 9999, and PySpark creates it in the time zone of the process.
    """
    match data_type:
        case TimestampType():
            return sf.unix_millis(column)
        case TimestampNTZType():
            days = sf.unix_date(column.cast("date")).cast("bigint") * 86_400_000
            seconds = sf.floor(sf.extract(sf.lit("SECOND"), column) * 1000).cast("bigint")
            return days + sf.hour(column) * 3_600_000 + sf.minute(column) * 60_000 + seconds
        case _ if isinstance(data_type, _AS_TEXT):
            return column.cast("string")
        case StructType() if _has_times(data_type):
            fields = [_collectable(column[field.name], field.dataType).alias(field.name) for field in data_type.fields]
            return sf.when(column.isNotNull(), sf.struct(*fields))
        case ArrayType(elementType=element) if _has_times(element):
            return sf.transform(column, lambda item: _collectable(item, element))
        case MapType(valueType=value) if _has_times(value):
            return sf.transform_values(column, lambda _, item: _collectable(item, value))
        case _:
            return column


def _has_times(data_type: DataType) -> bool:
    match data_type:
        case StructType():
            return any(_has_times(field.dataType) for field in data_type.fields)
        case ArrayType():
            return _has_times(data_type.elementType)
        case MapType():
            return _has_times(data_type.valueType)
        case _:
            return isinstance(data_type, (TimestampType, TimestampNTZType, *_AS_TEXT))


def plain_row(value: Any) -> Any:
    """Return a row, or a value in a row, as plain Python values."""
    as_dict = getattr(value, "asDict", None)
    if as_dict is not None:
        value = as_dict()
    match plain(value):
        case Mapping() as fields:
            return {name: plain_row(item) for name, item in fields.items()}
        case list() as items:
            return [plain_row(item) for item in items]
        case bytearray() as octets:
            return bytes(octets)
        case other:
            return other
