"""Check what the emitter writes into SQL without quotes: names of types, and parameters of types.

Types come from schemas, which the schema parser has already checked, and from files of compiled topologies.
"""

from __future__ import annotations

import re
from typing import Any

#: Maximum number of digits of a DECIMAL.
MAX_PRECISION = 38

_WORD = "[A-Za-z_][A-Za-z0-9_]*"
_TYPE_NAME = re.compile(rf"[A-Z_]+( [A-Z_]+)*( COLLATE {_WORD})?(\([0-9]{{1,9}}(, ?-?[0-9]{{1,9}})?\))?")


def check_parameters(precision: int, scale: int, collation: str) -> None:
    """Raise ``ValueError`` for parameters that no ``ColumnType`` can have."""
    if not (0 <= precision <= MAX_PRECISION and abs(scale) <= MAX_PRECISION):
        raise ValueError(f"there is no DECIMAL({precision},{scale})")
    if re.fullmatch(_WORD, collation) is None:
        raise ValueError(f"{collation!r} is no name of a collation")


def check_path(path: tuple[object, ...]) -> None:
    """Raise ``ValueError`` for a path that does not begin with the name of a column."""
    if not path or not isinstance(path[0], str):
        raise ValueError(f"{path!r} is no path of a column")


def check_sql_type(spark_type: Any) -> None:
    """Raise ``ValueError`` unless ``spark_type`` is a valid ``SqlType``, because it is written into SQL unquoted."""
    match spark_type:
        case str() if _TYPE_NAME.fullmatch(spark_type):
            return
        case ("ARRAY", element):
            check_sql_type(element)
        case ("MAP", key, value):
            check_sql_type(key)
            check_sql_type(value)
        case ("STRUCT", *fields) if all(isinstance(field, tuple) and len(field) == 2 for field in fields):
            for name, inner in fields:
                if not isinstance(name, str):
                    raise ValueError(f"{name!r} is no name of a field")
                check_sql_type(inner)
        case _:
            raise ValueError(f"{spark_type!r} is no type of Spark")
