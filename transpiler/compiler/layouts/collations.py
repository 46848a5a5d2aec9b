"""Make selectors compare text by bytes, whatever the collation of a column, or of a string inside a column.

A collation changes which strings are equal, and which map key a look-up finds. So a string with a collation other than
``UTF8_BINARY`` is converted to ``UTF8_BINARY`` before it is compared, and a map or an array that contains such strings
is cast before a key or an entry is looked up in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from transpiler.base.errors import LayoutError
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, AsType, Path, SparkType, SqlType
from transpiler.compiler.layouts.columns import JSON_TYPES
from transpiler.compiler.layouts.stored import Stored, StoredByUse, StoredValue

#: A type in Spark's JSON form, in which the name of each string type includes its collation.
_Json = Any

_COLLATED = re.compile("string collate (?!utf8_binary$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Collations:
    """The columns of a schema that contain strings with collations other than ``UTF8_BINARY``: type by column name."""

    columns: Mapping[str, _Json]

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> Collations | None:
        """Return the collated columns of ``schema``, which is in Spark's JSON form; None if no string is collated."""
        types = {column["name"]: type_with_collations(column) for column in schema["fields"]}
        columns = {name: spark_type for name, spark_type in types.items() if _has_collation(spark_type)}
        return cls(columns) if columns else None

    def by_bytes(self, stored: Stored | None) -> Stored | None:
        """Return ``stored`` with each column that has a collation cast, so that Spark compares its strings by bytes.

        Return None if ``stored`` is None. If the type of a column with collated strings cannot be written in SQL, raise
        ``LayoutError``.
        """
        return None if stored is None else self._stored(stored)

    def _stored(self, stored: Stored) -> Stored:
        number, by_use = stored.number, stored.by_use
        return replace(
            stored,
            values=tuple(map(self._item, stored.values)),
            present=self._predicate(stored.present),
            absent=self._predicate(stored.absent),
            key_absent=self._predicate(stored.key_absent),
            tag=None if stored.tag is None else self._value(stored.tag),
            union=None if stored.union is None else self._path(stored.union)[0],
            number=None if number is None else self._item(number),
            by_use=None
            if by_use is None
            else StoredByUse(
                self._stored(by_use.number), self._stored(by_use.boolean), self._predicate(by_use.untyped)
            ),
        )

    def _item(self, item: StoredValue) -> StoredValue:
        return item._replace(value=self._value(item.value), guard=self._predicate(item.guard))

    def _value(self, value: ir.Value) -> ir.Value:
        return ir.replace_columns_in(value, self._column)

    def _predicate(self, predicate: ir.Predicate) -> ir.Predicate:
        return ir.replace_columns(predicate, self._column)

    def _column(self, column: ir.Column) -> ir.Value:
        path, collated = self._path(column.path)
        if not collated or column.type.kind not in (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR):
            return ir.Column(path, column.type)
        # If the type of ``column`` states its collation, the layout has already wrapped the column in BY_BYTES.
        # Otherwise BY_BYTES is added here.
        return column if column.type.collation != "UTF8_BINARY" else ir.Apply(ir.Function.BY_BYTES, (column,), STRING)

    def _path(self, path: Path) -> tuple[Path, bool]:
        """Return ``path``, in which a map or array that contains collated strings is cast to a type without collations.

        The second result is True if the path ends at a collated string that is not inside a map or array.
        """
        spark_type = _named(self.columns, str(path[0]))
        for index, step in enumerate(path[1:], 1):
            if not isinstance(step, str):
                if not _has_collation(spark_type):
                    return path, False
                return (*path[:index], AsType(_sql_type(spark_type, path)), *path[index:]), False
            fields = spark_type["fields"] if isinstance(spark_type, Mapping) and "fields" in spark_type else ()
            spark_type = _named({inner["name"]: inner["type"] for inner in fields}, step)
        return path, isinstance(spark_type, str) and _has_collation(spark_type)


def _named(types: Mapping[str, _Json], name: str) -> _Json:
    """Return the type of the column or field that Spark finds by ``name``, ignoring case; None if there is none."""
    known = types.get(name)
    return known or next((types[other] for other in types if other.lower() == name.lower()), None)


def type_with_collations(column: Mapping[str, Any]) -> _Json:
    """Return the type of ``column``, a column or struct field, with the collation in the name of each string type.

    In Spark's JSON form, the collation of a string is in the metadata of the field around it, at the string's path.
    """
    collations = (column.get("metadata") or {}).get("__COLLATIONS") or {}

    def visit(spark_type: _Json, path: str) -> _Json:
        if spark_type == "string" and path in collations:
            return f"string collate {collations[path].rpartition('.')[2]}"
        if not isinstance(spark_type, Mapping):
            return spark_type
        if "fields" in spark_type:
            fields = [{**inner, "type": type_with_collations(inner)} for inner in spark_type["fields"]]
            return {**spark_type, "fields": fields}
        parts = {"keyType": "key", "valueType": "value", "elementType": "element"}
        return {key: visit(part, f"{path}.{parts[key]}") if key in parts else part for key, part in spark_type.items()}

    return visit(column["type"], column["name"])


def _has_collation(spark_type: _Json) -> bool:
    match spark_type:
        case str():
            return _COLLATED.match(spark_type) is not None
        case {"fields": fields}:
            return any(_has_collation(inner["type"]) for inner in fields)
        case {"elementType": element}:
            return _has_collation(element)
        case {"keyType": key, "valueType": value}:
            return _has_collation(key) or _has_collation(value)
        case _:
            return False


#: The SQL name of each type, by its name in Spark's JSON form. The name of STRING includes the collation, because the
#: default is the collation of the view or table that contains the SQL. The name TIMESTAMP_LTZ is used because a setting
#: can change what TIMESTAMP means.
_NAMES = {name: kind.value for name, kind in JSON_TYPES.items()} | {
    "string": "STRING COLLATE UTF8_BINARY",
    "timestamp": "TIMESTAMP_LTZ",
}
_PLAIN = re.compile(r"[a-z_ ]+(\([0-9, ]+\))?")


def _sql_type(spark_type: _Json, path: Path) -> SqlType:
    """Return ``spark_type`` as SQL in which every string has the collation ``UTF8_BINARY``; ``path`` is for errors."""
    match spark_type:
        case {"fields": fields}:
            if any("${" in inner["name"] for inner in fields):
                # Spark would replace ${…} by the value of a variable.
                raise _refused(path, "a field with ${ in its name")
            return "STRUCT", *[(inner["name"], _sql_type(inner["type"], path)) for inner in fields]
        case {"elementType": element}:
            return "ARRAY", _sql_type(element, path)
        case {"keyType": key, "valueType": value}:
            return "MAP", _sql_type(key, path), _sql_type(value, path)
        case str() if spark_type.startswith(("string", "char(", "varchar(")):
            return _NAMES["string"]
        case str() if _PLAIN.fullmatch(spark_type):
            return _NAMES.get(spark_type, spark_type.upper())
        case _:
            raise _refused(path, "a part that SQL has no name for")


def _refused(path: Path, reason: str) -> LayoutError:
    column = path[0]
    return LayoutError.at(
        "layout.collation",
        f"selectors ignore collations, but the collation of the column {column} cannot be removed: "
        f"the type contains {reason}",
        hint=f"perhaps create the table with {column} in the collation UTF8_BINARY, or cast the column first",
    )
