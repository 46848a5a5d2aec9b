"""Look up the columns of a table by Spark's rules for names. No other module looks up a column by its name.

By default, Spark ignores the case of letters in names. A name with dots is the column of exactly that name if there is
one, otherwise the path of a field of a struct.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from transpiler.base.diagnostics import first_of, nearest
from transpiler.base.errors import LayoutError
from transpiler.compiler.ir.column_types import ColumnType, Key, Path, SparkType
from transpiler.compiler.layouts.collations import type_with_collations
from transpiler.compiler.layouts.columns import JSON_TYPES, read_type

#: A schema in Spark's JSON form, ``StructType.jsonValue()``.
Schema = Mapping[str, Any]

#: One field of a schema in Spark's JSON form.
SchemaField = Mapping[str, Any]

#: Maximum number of columns that an error lists.
_LISTED = 12


#: The name of each type without parameters in Spark's JSON form.
_JSON_NAMES = {kind: name for name, kind in JSON_TYPES.items()} | {SparkType.VARIANT: "variant"}


def schema_of(columns: Mapping[str, ColumnType]) -> Schema:
    """Return the schema of ``columns`` in Spark's JSON form. Their types must have no parameters."""
    fields = [{"name": name, "type": _JSON_NAMES[kind.kind], "metadata": {}} for name, kind in columns.items()]
    return {"type": "struct", "fields": fields}


def type_of(field: SchemaField) -> ColumnType | None:
    """Return the type of the column ``field``, with its collation; None if AMQP has no corresponding type."""
    own = read_type(type_with_collations(field))
    # Spark reports CHAR and VARCHAR columns of a table as strings, and keeps the declared type in the metadata.
    declared = (field.get("metadata") or {}).get("__CHAR_VARCHAR_TYPE_STRING")
    return own if declared is None or own is None else read_type(declared, own.collation)


def is_struct(field: SchemaField) -> bool:
    """Return True if the column ``field`` is a struct."""
    return isinstance(field["type"], Mapping) and field["type"].get("type") == "struct"


def described(spark_type: object) -> str:
    """Return the name of ``spark_type`` (in Spark's JSON form) for messages: ``BIGINT``, ``MAP``, ``ARRAY``."""
    known = read_type(spark_type)
    if known is not None:
        return str(known)
    return str(spark_type.get("type", "unknown") if isinstance(spark_type, Mapping) else spark_type).upper()


class Found(NamedTuple):
    """A column or struct field that was found: its path as the schema spells it, and its entry in the schema."""

    path: Path
    field: SchemaField

    @property
    def type(self) -> ColumnType | None:
        """The column's type; None if no message property can have that type."""
        return type_of(self.field)

    @property
    def name(self) -> str:
        """The path as one name whose steps are separated by dots."""
        return ".".join(map(str, self.path))


@dataclass(frozen=True, slots=True)
class Table:
    """A schema in Spark's JSON form. ``case_sensitive`` is True if Spark distinguishes the case of letters in names."""

    schema: Schema
    case_sensitive: bool = False

    def find(self, name: str | Path) -> Found | None:
        """Return the column or struct field that Spark finds by ``name``; None if Spark finds no column.

        Raise ``LayoutError`` if several columns match the name.
        """
        if isinstance(name, str):
            own = self._named(self.schema["fields"], name)
            if own is not None or "." not in name:
                return None if own is None else Found((own["name"],), own)
            name = tuple(name.split("."))
        elif len(name) > 1 and (own := self._named(self.schema["fields"], ".".join(map(str, name)))) is not None:
            return Found((own["name"],), own)
        fields: Sequence[SchemaField] = self.schema["fields"]
        path: list[str] = []
        found: SchemaField | None = None
        for step in name:
            found = self._named(fields, str(step)) if isinstance(step, str | Key) else None
            if found is None:
                return None
            path.append(found["name"])
            fields = found["type"]["fields"] if is_struct(found) else ()
        return None if found is None else Found(self.apart(tuple(path)), found)

    def apart(self, path: Path) -> Path:
        """Return ``path`` in a form that Spark resolves to the same field for every name or alias of the table.

        Spark interprets ``shipment.color`` as the column ``color`` of a table or alias ``shipment`` if there is one,
        and ``sales.shipment.color`` as the column ``color`` of a table ``shipment`` in a schema ``sales``.
        """
        first, *fields = path
        own = {column["name"].lower() for column in self.schema["fields"]} if fields else set()
        if not any(isinstance(step, str) and step.lower() in own for step in fields[:2]):
            return path
        return (first, Key(str(fields[0])), *fields[1:])

    def required(self, name: str | Path, reader: str) -> Found:
        """Return the column that ``find`` returns. If there is none, raise ``LayoutError`` with the table's columns.

        ``reader`` is the beginning of the message, such as "the layout text-map reads properties".
        """
        return self.find(name) or self.refuse(name, reader)

    def refuse(self, name: str | Path, reader: str) -> NoReturn:
        """Raise the ``LayoutError`` for the column ``name``, which the table does not have."""
        text = name if isinstance(name, str) else ".".join(map(str, name))
        near = self.near(text)
        meant = f"did you mean {near[0]}? " if near else ""
        hint = f"{meant}The columns are {first_of(list(self._top()), _LISTED)}" if self.schema["fields"] else None
        message = f"{reader} from the column {text}, but the table has no such column"
        raise LayoutError.at("layout.no-column", message, hint=hint)

    def near(self, name: str) -> list[str]:
        """Return the names of up to three columns or struct fields of which ``name`` may be a misspelling."""
        return nearest(name, self.names())

    def names(self) -> list[str]:
        """Return the names of all columns and struct fields; the name of a struct field is its path with dots."""
        return list(_names(self.schema["fields"], ""))

    def _top(self) -> Iterator[str]:
        return (field["name"] for field in self.schema["fields"])

    def _named(self, fields: Sequence[SchemaField], name: str) -> SchemaField | None:
        lower = name.lower()
        found = [
            field
            for field in fields
            if field["name"] == name or (not self.case_sensitive and field["name"].lower() == lower)
        ]
        if len(found) > 1:
            names = " and ".join(field["name"] for field in found)
            message = f"the name {name} is ambiguous: the table has the columns {names}"
            hint = "perhaps rename one of the columns, or set spark.sql.caseSensitive to true if they differ in case"
            raise LayoutError.at("layout.ambiguous", message, hint=hint)
        return found[0] if found else None


def _names(fields: Sequence[SchemaField], prefix: str) -> Iterator[str]:
    for field in fields:
        yield prefix + field["name"]
        if is_struct(field):
            yield from _names(field["type"]["fields"], f"{prefix}{field['name']}.")
