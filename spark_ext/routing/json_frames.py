"""DataFrames of constants from one literal of JSON, which Spark reads in the JVM: where there is no PyArrow."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StructType


def json_frame(session: SparkSession, rows: Iterable[Iterable[Any]], schema: StructType) -> DataFrame:
    """Return the DataFrame of some rows, whose structs are tuples."""
    text = json.dumps([_plain(tuple(row), schema) for row in rows])
    values = sf.from_json(sf.lit(text), ArrayType(schema))
    return session.range(0, 1, 1, 1).select(sf.inline(values))


def _plain(value: Any, kind: DataType) -> Any:
    """Return a value as JSON has it for a type of Spark."""
    if value is None:
        return None
    match kind:
        case StructType(fields=fields):
            return {field.name: _plain(item, field.dataType) for field, item in zip(fields, value, strict=True)}
        case ArrayType(elementType=inner):
            return [_plain(item, inner) for item in value]
        case MapType(valueType=inner):
            return {key: _plain(item, inner) for key, item in value.items()}
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case Decimal():
            return str(value)
        case datetime():
            return value.isoformat()
    return value
