"""The layout of typed columns: each column, or each field of one named struct, is the property of exactly that name.

Header fields are read from columns that have the shape of a section of the canonical schema. A schema is passed in
Spark's JSON form, ``StructType.jsonValue()``, so that this module does not need Spark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from transpiler.base.diagnostics import Advice, ColumnFix, Remedy, first_of
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting, StoreCall, Verbatim
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import AMQP_TYPES, ColumnType, Path, SparkType
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.columns import SECTIONS, UNION, Fields, UnionShape, like_columns, read_type
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.named_fields import NAMES
from transpiler.compiler.layouts.stored import Stored, stored_column
from transpiler.compiler.layouts.table_columns import Found, SchemaField, Table, described, is_struct, type_of
from transpiler.message.header_fields import PUBLISHER_CONNECTION, TYPED_SUBJECT, MessageField
from transpiler.message.sections import FIELD_TYPES
from transpiler.message.types import AmqpType

if TYPE_CHECKING:
    from transpiler.message.message import Message


@dataclass(frozen=True, slots=True)
class Unusable:
    """A column that cannot be a property because of its type, with the error for a selector that reads it.

    ``reason``, ``hint`` and ``fix`` are the parts of that error. If a selector compares the column with a number,
    ``ordered`` is used instead, unless it is None.

    ``store`` is a layout that reads properties from the column, or None. ``has_keys`` is True if ``hint`` says how to
    read the values at the keys of the column.
    """

    reason: str
    hint: str
    store: StoreCall | None = None
    fix: Remedy | None = None
    has_keys: bool = False
    ordered: Unusable | None = None

    def refusal(self, subject: str) -> LayoutError:
        """Return the error for a selector that reads the column; ``subject`` begins its message."""
        return LayoutError.at("layout.column-type", f"{subject}: {self.reason}", hint=self.hint, fix=self.fix)


#: The columns of every table that Spark's Kafka source reads.
KAFKA = frozenset(("key", "value", "topic", "partition", "offset"))
#: Maximum number of columns listed in a ``repr`` or a hint.
MAX_NAMES = 8
#: Names of columns that often contain JSON if their type is STRING.
_JSON = frozenset("body data headers json message payload properties value".split())


@dataclass(frozen=True, slots=True, repr=False)
class FlatLayout(Layout):
    """A layout that reads each typed column as the property or header field of its name.

    Columns that have the name and type of a section of the canonical schema, such as ``properties``, hold header
    fields.
    """

    columns: Mapping[str, ir.Column | Unusable]
    sections: AmqpLayout
    name: str = "flat"
    #: The schema of the table whose rows the layout reads; None if it is not known.
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"FlatLayout({self.name}: {first_of(self.columns, MAX_NAMES)})"

    def bound(self, table: Table) -> Self:
        """Return the layout with the same columns, with their types in ``table``.

        If the table lacks a column, a selector that reads the column is an error.
        """
        if table.schema == self.table:
            return self
        columns = {
            name: column_in(table, column.path) if isinstance(column, ir.Column) else column
            for name, column in self.columns.items()
        }
        sections = self.sections.bound(table)
        return replace(self, columns=MappingProxyType(columns), sections=sections, table=table.schema)

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table whose rows the layout reads; None if it is not known."""
        return self.table

    def field(self, message_field: MessageField) -> Stored | None:
        """Return what is stored for a field of a section; None if the DataFrame does not have that section.

        Two fields can also be columns of their own: ``PUBLISHER_CONNECTION``, and ``TYPED_SUBJECT``, which is the
        column JMSType.
        """
        if message_field == TYPED_SUBJECT:
            subject = self.subject
            return None if subject is None else stored_column(subject.path, subject.type)
        stored = self.sections.field(message_field)
        return (
            self.property(message_field.field) if stored is None and message_field == PUBLISHER_CONNECTION else stored
        )

    @property
    def subject(self) -> ir.Column | None:
        """The text column JMSType, which holds the subject; None if there is no such column, or a section holds it."""
        column = None if "properties" in self.sections.sections else self.columns.get(TYPED_SUBJECT.field)
        return column if isinstance(column, ir.Column) and column.type.is_text else None

    def property(self, name: str) -> Stored | None:
        """Return what is stored in the column ``name``; None if the table has no such column.

        Raise ``LayoutError`` if no message property can have the type of the column.
        """
        column = self.columns.get(name)
        if isinstance(column, Unusable):
            raise column.refusal(f"column {name}")
        return None if column is None else stored_column(column.path, column.type)

    def offers(self, message_field: MessageField) -> tuple[Advice, ...]:
        """Return advice for ``message_field``, which the layout does not read.

        For a header field: columns that may hold the field. For a property: stores that read properties from a column.
        """
        if message_field.section == "application_properties":
            json = (
                _json(name, message_field.field)
                for name, column in self.columns.items()
                if name.lower() in _JSON and isinstance(column, ir.Column) and column.type.kind is SparkType.STRING
            )
            unusable = (
                Advice(Hint(f"to read a key of the column {name}: ", column.store or column.hint), column.fix)
                for name, column in self.columns.items()
                if isinstance(column, Unusable) and (column.store or column.has_keys)
            )
            return (*self._structs_with(message_field.field), *unusable, *json)
        name = NAMES.get(message_field)
        like = [] if name is None else like_columns(name, self._columns_like(message_field))
        return tuple(_renamed(column, str(name)) for column in like)

    def _structs_with(self, name: str) -> Iterator[Advice]:
        """Yield advice for each struct that has a field ``name``: its fields may be the properties."""
        for dotted, column in self.columns.items():
            struct, dot, last = dotted.rpartition(".")
            if dot and last == name and isinstance(column, ir.Column):
                store = StoreCall("struct", struct, {"schema": Verbatim("df.schema")})
                yield Advice(Hint(f"if the fields of {struct} are the message's properties: ", store), store.fix)

    def _columns_like(self, message_field: MessageField) -> Iterator[str]:
        """Yield the names of the columns whose type fits ``message_field``: text cannot be a time or a number."""
        is_text = AmqpType.STRING in FIELD_TYPES.get(message_field.section, {}).get(message_field.field, ())
        # In tables of Spark's Kafka source, ``timestampType`` states whether the producer or the broker set the
        # timestamp, so it cannot be the column for JMSType or another header field.
        of_kafka = {"timestampType"} if self.columns.keys() >= KAFKA else set()
        for name, column in self.columns.items():
            if isinstance(column, ir.Column) and (column.type.is_text or not is_text) and name not in of_kafka:
                yield name

    def named_header(self, name: str) -> Stored | None:
        """Return the column ``name``, which is named after a header field; None if there is no such column."""
        return self.property(name)

    def declaration(self, name: str, kind: str) -> Advice | None:
        """Return the advice for converting the column ``name`` to the type with which a selector compares it."""
        if name == "JMSDeliveryMode" and kind == "a string":
            modes = "CASE JMSDeliveryMode WHEN 2 THEN 'PERSISTENT' WHEN 1 THEN 'NON_PERSISTENT' END"
            made, fix = replaced((name,), modes)
            return Advice(f"{made} converts the numbers to the words that selectors compare", fix)
        column, types = self.columns.get(name), {"a number": "DOUBLE", "a boolean": "BOOLEAN"}
        if kind == "a string" and isinstance(column, ir.Column) and column.type.kind is SparkType.BINARY:
            made, fix = recast(column.path, "string")
            return Advice(f"{made} converts the column to text, if the bytes are UTF-8", fix)
        if (
            not isinstance(column, ir.Column)
            or kind not in types
            or AMQP_TYPES[column.type.kind] is not AmqpType.STRING
        ):
            return None
        made, fix = replaced(column.path, f"try_cast({spelled(column.path)} AS {types[kind]})")
        return Advice(f"{made} converts the column to {kind}", fix)

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns that can be properties."""
        return tuple(name for name, column in self.columns.items() if isinstance(column, ir.Column))

    def message(self, row: object) -> Message:
        """Return the message in ``row``: a column named after a header field is that field, any other a property."""
        from transpiler.compiler.layouts.amqp_rows import flat_message
        from transpiler.compiler.layouts.rows import row_columns

        typed = {name: column for name, column in self.columns.items() if isinstance(column, ir.Column)}
        return flat_message(row_columns(row), typed, self.sections.sections)


def _renamed(column: str, header: str) -> Advice:
    renamed = f"if the column {column} has it: df.withColumnRenamed({column!r}, {header!r}), or "
    setting = Setting("headers", {header: column}, of_schema=True)
    return Advice(Hint(renamed, setting), setting.fix)


def _json(column: str, name: str) -> Advice:
    store = StoreCall("variant", column, {"json": True})
    # In the suggested store, the keys of the JSON are the properties. So the user must also rename ``headers.color`` in
    # the selector to ``color``.
    renamed = f", and {name.removeprefix(f'{column}.')} in the place of {name}" if name.startswith(f"{column}.") else ""
    ways: list[str | StoreCall] = [store, renamed]
    if column.lower() not in ("headers", "properties"):
        ways += converted(store)
    return Advice(Hint(f"if the column {column} contains JSON: ", *ways), store.fix)


def converted(store: StoreCall) -> list[str | StoreCall]:
    """Return the end of a hint that suggests ``store``, which reads JSON: its form for Kafka Connect's JsonConverter.

    The JsonConverter can wrap the JSON object in an envelope with the members ``schema`` and ``payload``. The suggested
    store then reads the object at the path ``$.payload``.
    """
    return [", and inside {schema, payload} of a JsonConverter: ", store.with_options(path="$.payload")]


def replaced(path: Path, expression: str) -> tuple[str, ColumnFix]:
    """Return the Python code, and the fix, that replace the column or struct field ``path`` by a SQL ``expression``."""
    return _written(path, f'expr("{expression}")'), ColumnFix(".".join(map(str, path)), expression)


def recast(path: Path, kind: str) -> tuple[str, ColumnFix]:
    """Return the Python code, and the fix, that cast the column or struct field ``path`` to ``kind``."""
    fix = ColumnFix(".".join(map(str, path)), f"CAST({spelled(path)} AS {kind.upper()})")
    return _written(path, f'col("{spelled(path)}").cast("{kind}")'), fix


def _written(path: Path, column: str) -> str:
    first, *fields = map(str, path)
    if fields:
        column = f'col("{first}").withField("{".".join(fields)}", {column})'
    return f'df.withColumn("{first}", {column})'


def spelled(path: Path) -> str:
    """Return the SQL for ``path``, with backquotes around each name that is not a plain identifier."""
    names = map(str, path)
    return ".".join(
        name if name.isascii() and name.isidentifier() else f"`{name.replace('`', '``')}`" for name in names
    )


def typed_columns_of(layout: Layout) -> FlatLayout | None:
    """Return ``layout`` if it is a layout of typed columns; otherwise None."""
    return layout if isinstance(layout, FlatLayout) else None


def flat_layout(table: Table, struct: str | None = None) -> FlatLayout:
    """Return the layout of typed columns for ``table``.

    ``struct`` is the column whose fields are the properties; if None, all columns are properties. By default Spark
    ignores the case of names, so columns that differ only in case are unusable unless the table's names are case
    sensitive. A ``struct`` that is not a struct column raises ``LayoutError``.
    """
    fields = {field["name"]: field for field in table.schema["fields"]}
    twice = [name for name, count in Counter(field["name"] for field in table.schema["fields"]).items() if count > 1]
    sections = tuple(name for name in SECTIONS if name != struct and is_section(name, fields.get(name)))
    if struct is None:
        columns = dict(_columns([field for name, field in fields.items() if name not in sections], (), ""))
    else:
        found = table.find(struct)
        if found is None or not is_struct(found.field):
            message, advice = f"the schema has no struct column called {struct!r}", Advice("")
            if found is not None:
                message += f", but has a column of the type {described(found.field['type'])}"
                advice = _reading_of(struct, found)
            hint = advice.hint or f"the columns are {', '.join(fields)}"
            raise LayoutError.at("layout.no-struct", message, hint=hint, fix=advice.fix)
        columns = dict(_columns(found.field["type"]["fields"], found.path, ""))
    for name, column in columns.items():
        if isinstance(column, ir.Column) and len(column.path) > 1:
            columns[name] = column._replace(path=table.apart(column.path))
    if not table.case_sensitive:
        columns |= _ambiguous(columns)
    if struct is None:
        columns |= dict.fromkeys(twice, _TWICE)
    return FlatLayout(MappingProxyType(columns), AmqpLayout(sections=sections).bound(table), table=table.schema)


def _reading_of(name: str, found: Found) -> Advice:
    """Return advice on how to read the properties from a column that is not a struct, such as a map or JSON text.

    The hint is empty for a column of a scalar type other than text.
    """
    if found.type is not None:
        return _json(name, name) if found.type.is_text else Advice("")
    other = unusable(found.path, found.field["type"])
    return Advice(other.hint, other.fix)


def column_in(table: Table, path: Path) -> ir.Column | Unusable:
    """Return the column or struct field ``path`` of ``table``, or the reason why the column cannot be a property."""
    found = table.find(path)
    if found is None:
        names = first_of([field["name"] for field in table.schema["fields"]], MAX_NAMES)
        return Unusable("the table has no such column", f"the columns are {names}")
    return unusable(found.path, found.field["type"]) if found.type is None else ir.Column(found.path, found.type)


_NO_PART = "perhaps rename the column: a path cannot contain a name with a dot"


def _columns(fields: list[SchemaField], path: Path, prefix: str) -> Iterator[tuple[str, ir.Column | Unusable]]:
    """Yield the name and the column of each of ``fields``, and of each field in nested structs, named by a dotted path.

    ``path`` and ``prefix`` lead to ``fields``. A field called ``a.b`` takes precedence over the field ``b`` of a struct
    ``a``. Inside a struct, fields with a dot in their name are skipped.
    """
    fields = [each for each in fields if not prefix or "." not in each["name"]]
    own = {prefix + each["name"] for each in fields}
    for column in fields:
        is_part = "." not in column["name"]
        name, column_path = prefix + column["name"], (*path, column["name"])
        column_type = type_of(column)
        if column_type is not None:
            yield name, ir.Column(column_path, column_type)
        elif is_struct(column):
            hint = f"perhaps a field of the struct is meant, for example {name}.{_first(column)}"
            yield name, Unusable("a struct cannot be a property", hint if is_part else _NO_PART)
            inner = _columns(column["type"]["fields"], column_path, f"{name}.") if is_part else ()
            yield from (each for each in inner if each[0] not in own)
        else:
            yield name, unusable(column_path, column["type"])


def unusable(path: Path, spark_type: Any) -> Unusable:
    """Return why the column ``path``, whose type is not a simple type, cannot be a property."""
    reason, column = f"no message property has the type {described(spark_type)}", str(path[-1])
    match spark_type:
        case "date":
            text, time = (recast(path, kind) for kind in ("string", "timestamp_ntz"))
            in_words = f"{text[0]} converts the column to text such as '2025-06-01'"
            milliseconds = f"{time[0]} converts the column to a time in milliseconds since 1970-01-01 in UTC"
            # The hint suggests TIMESTAMP_NTZ, because a DATE cast to TIMESTAMP is midnight in the session's time zone,
            # not in UTC.
            ordered = Unusable(reason, f"{milliseconds}; {in_words}", fix=time[1])
            return Unusable(reason, f"{in_words}; {milliseconds}", fix=text[1], ordered=ordered)
        case "variant":
            store = StoreCall("variant", column)
        case {"type": "map", "keyType": "string", "valueType": "string" | "binary" as values}:
            # If the values of the map are bytes, the suggested store needs the schema: without it, it expects strings.
            known: dict[str, object] = {"schema": Verbatim("df.schema")} if values == "binary" else {}
            store = StoreCall("text_map", column, {"types": "by-use", **known})
        case {"type": "map", "keyType": "string", "valueType": values} if texts := _as_texts(values, spelled(path)):
            return _beside(reason, texts, column, StoreCall("text_map", column, {"types": "by-use"}))
        case {"type": "array", "elementType": {"type": "struct", "fields": [*fields]}} if _is_entry(fields):
            store = StoreCall("kafka_headers", column)
        case {"type": "array", "elementType": {"type": "struct", "fields": [*fields]}} if _entry_in(fields):
            return _beside(reason, _as_entries(path, *_entry_in(fields)), column, StoreCall("kafka_headers", column))
        case {"type": "array", "elementType": {"type": "map", "keyType": "string", "valueType": "string" | "binary"}}:
            # AWS Lambda's events have a map with one entry for each Kafka header.
            entries = f"flatten(transform({spelled(path)}, x -> map_entries(x)))"
            return _beside(reason, entries, column, StoreCall("kafka_headers", column))
        case {"type": "map"}:
            key = 'col("{}")[KEY]'.format(".".join(map(str, path)))
            hint = f"perhaps copy the value that is meant into a new column, as in df.withColumn(NAME, {key})"
            return Unusable(reason, hint, has_keys=True)
        case _:
            return Unusable(
                reason, "perhaps select a column of a simple type: BOOLEAN, a number, STRING, BINARY or a TIMESTAMP"
            )
    if len(path) > 1:
        return _beside(reason, spelled(path), column, store)
    return Unusable(reason, Hint("perhaps read the properties from this column: ", store), store, store.fix)


#: Names of the field that holds the value in a struct of a value and its type, such as a message attribute of SQS.
_VALUE_FIELDS = ("value", "stringvalue", "val", "v", "text", "string")


def _as_texts(spark_type: object, column: str) -> str | None:
    """Return the SQL that converts the map ``column`` to a map of texts; None if its values cannot be converted.

    ``spark_type`` is the type of the map's values, in Spark's JSON form.
    """
    match spark_type:
        case "timestamp":
            # Selectors compare times in milliseconds since the epoch.
            return f"transform_values({column}, (k, v) -> CAST(unix_millis(v) AS STRING))"
        case "date":
            return f"CAST({column} AS MAP<STRING, STRING>)"
        case str() if read_type(spark_type) is not None:
            return f"CAST({column} AS MAP<STRING, STRING>)"
        case {"type": "array", "elementType": str() as element} if read_type(element) is not None:
            return f"transform_values({column}, (k, v) -> CAST(get(v, 0) AS STRING))"
        case {"type": "struct", "fields": fields}:
            simple = [each["name"] for each in fields if read_type(each["type"]) is not None]
            values = [name for name in simple if name.lower() in _VALUE_FIELDS]
            if values:
                return f"transform_values({column}, (k, v) -> CAST(v.{spelled((values[0],))} AS STRING))"
    return None


def _beside(reason: str, expression: str, column: str, store: StoreCall) -> Unusable:
    """Return the error for a column that ``store`` can read only after a conversion by the SQL ``expression``."""
    # A store reads a top-level column, not a field of a struct, so the fix replaces the whole column.
    made, fix = replaced((column,), expression)
    return Unusable(reason, Hint(f"{made}, which ", store, " reads"), fix=fix, has_keys=True)


def _is_entry(fields: list[SchemaField]) -> bool:
    """Return True if ``fields`` include a text ``key`` and a ``value`` (text or bytes), as in a Kafka record header."""
    types = {field["name"]: field["type"] for field in fields}
    return types.get("key") == "string" and types.get("value") in ("string", "binary")


#: The possible names of the key field and of the value field in an entry that is not a Kafka record header.
_KEYS, _VALUES = ("key", "name", "k", "header"), ("value", "val", "v")


def _entry_in(fields: list[SchemaField]) -> tuple[str, ...]:
    """Return the names of the key field and the value field in ``fields``; an empty tuple if either is missing."""
    simple = [field["name"] for field in fields if read_type(field["type"]) is not None]
    found = [next((name for name in simple if name.lower() in names), None) for names in (_KEYS, _VALUES)]
    return tuple(name for name in found if name is not None) if None not in found else ()


def _as_entries(path: Path, key: str, value: str) -> str:
    """Return the SQL that converts the array ``path`` to an array of entries in the form of Kafka record headers."""
    parts = (f"'{part}', CAST(x.{spelled((name,))} AS STRING)" for part, name in (("key", key), ("value", value)))
    return f"transform({spelled(path)}, x -> named_struct({', '.join(parts)}))"


_TWICE = Unusable(
    "the schema has several columns of this name, so the name is ambiguous in Spark",
    "perhaps select the columns of one table, or rename one of the columns, before applying the selector",
)


def _ambiguous(columns: Mapping[str, ir.Column | Unusable]) -> dict[str, Unusable]:
    spellings: dict[str, list[str]] = {}
    for name in columns:
        spellings.setdefault(name.lower(), []).append(name)
    return {
        name: Unusable(
            f"the schema also has {next(other for other in group if other != name)}, whose name "
            "differs only in case, so Spark cannot distinguish the columns",
            "perhaps rename one of the columns, or set spark.sql.caseSensitive to true",
        )
        for group in spellings.values()
        if len(group) > 1
        for name in group
    }


def _first(field: SchemaField) -> str:
    return str(next((inner["name"] for inner in field["type"]["fields"]), "field"))


def is_section(name: str, field: SchemaField | None) -> bool:
    """Return True if the column ``field`` has the shape of the section ``name`` in the canonical schema."""
    return field is not None and fits(field["type"], _SECTIONS[name])


_SECTIONS = AmqpLayout().schema


def fits(spark_type: object, shape: ColumnType | UnionShape | Fields) -> bool:
    """Return True if ``spark_type`` has the shape ``shape``. A struct may have more fields than the shape."""
    match shape:
        case ColumnType():
            return read_type(spark_type) == shape
        case UnionShape.UNIONS:
            return (
                isinstance(spark_type, Mapping)
                and spark_type.get("type") == "map"
                and spark_type.get("keyType") == "string"
                and fits(spark_type.get("valueType"), UnionShape.UNION)
            )
        case _:
            wanted = UNION if shape is UnionShape.UNION else shape
            if not isinstance(spark_type, Mapping) or spark_type.get("type") != "struct":
                return False
            types = {inner["name"]: inner["type"] for inner in spark_type["fields"]}
            if shape is UnionShape.UNION and len(types) > len(wanted):
                return False
            return all(name in types and fits(types[name], inner) for name, inner in wanted.items())
