"""The canonical schema in Spark's types, inference of layouts from schemas, and DataFrames created from messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from transpiler import Layout
from transpiler.base.arguments import unexpected
from transpiler.base.errors import LayoutError
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.compiler.layouts.amqp import AmqpLayout, with_promoted
from transpiler.compiler.layouts.columns import UNION, Fields, UnionShape
from transpiler.compiler.layouts.header_places import NO_HEADERS, Headers
from transpiler.compiler.layouts.layout import ArchiveLayout, archive_of, is_layout
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.layouts.store import refuse_unchosen
from transpiler.compiler.presets import find_layout
from transpiler.message.message import MessageLike, as_message

_SPARK_TYPES: Mapping[SparkType, DataType] = {
    SparkType.BOOLEAN: BooleanType(),
    SparkType.TINYINT: ByteType(),
    SparkType.SMALLINT: ShortType(),
    SparkType.INT: IntegerType(),
    SparkType.BIGINT: LongType(),
    SparkType.FLOAT: FloatType(),
    SparkType.DOUBLE: DoubleType(),
    SparkType.STRING: StringType(),
    SparkType.BINARY: BinaryType(),
    SparkType.TIMESTAMP: TimestampType(),
}

_UNION = StructType([StructField(name, _SPARK_TYPES[column.kind]) for name, column in UNION.items()])

#: The forms of a schema: a DataFrame, a StructType, its JSON form, or DDL text.
SchemaLike = DataFrame | StructType | Mapping[str, Any] | str

#: The condition of Spark's error if a DataFrame is analyzed while a pipeline defines its datasets.
_NO_ANALYSIS = "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION"

#: The latest time of Spark's TIMESTAMP, in milliseconds since the epoch. TIMESTAMP has microseconds in 64 bits, so its
#: range is smaller than that of AMQP's timestamp.
MAX_MILLISECONDS = (2**63 - 1) // 1000


def _type(shape: ColumnType | UnionShape | Fields, times: DataType) -> DataType:
    match shape:
        case ColumnType(kind=kind):
            return times if kind is SparkType.TIMESTAMP else _SPARK_TYPES[kind]
        case UnionShape.UNION:
            return _UNION
        case UnionShape.UNIONS:
            return MapType(StringType(), _UNION)
        case _:
            return StructType([StructField(name, _type(inner, times)) for name, inner in shape.items()])


def _schema(fields: Fields, times: DataType) -> StructType:
    return StructType([StructField(name, _type(shape, times)) for name, shape in fields.items()])


#: The canonical schema: one column for each section of an AMQP 1.0 message.
MESSAGE_SCHEMA = _schema(AmqpLayout().schema, TimestampType())


def create_messages(
    spark: SparkSession,
    messages: Iterable[MessageLike],
    layout: str | ArchiveLayout = "amqp",
    *,
    promote: Mapping[str, str] | None = None,
    mixed: Iterable[str] = (),
) -> DataFrame:
    """Create a DataFrame with one row for each message, in order, by default with ``MESSAGE_SCHEMA``.

    A time outside the range of TIMESTAMP, such as an expiry of "never", becomes the nearest time inside the range.

    Args:
        spark: The session.
        messages: ``Message`` objects, or dicts of message JSON or of plain properties.
        layout: ``"amqp"``, or ``"amqp-0-10"``, another layout with its own schema, which cannot contain everything in a
            message.
        promote: Application properties that the layout ``amqp`` also writes into separate columns, with their Spark
            types: ``{"color": "STRING"}``. ``AmqpLayout(promoted=…, mixed=…)`` reads them.
        mixed: Promoted names whose values may have other types than the column.

    Raises:
        DecodeError: A dict is not a message.
        LayoutError: A promoted value does not fit into its column.
    """
    found = find_layout(layout)
    archive = archive_of(found if promote is None else with_promoted(found, promote, mixed))
    if archive is None:
        raise LayoutError.at(
            "layout.schema",
            f"no rows can be created in the layout {found.name}, because it does not define the columns of a table",
        )
    canonical = (as_message(message) for message in messages)
    return create_rows(spark, (archive.row(message) for message in canonical), archive)


def create_rows(spark: SparkSession, rows: Iterable[Mapping[str, Any]], layout: ArchiveLayout) -> DataFrame:
    """Create a DataFrame from rows of ``layout``, in order. Times in ``rows`` are milliseconds since the epoch."""
    times = [
        (section, name)
        for section, fields in layout.schema.items()
        if isinstance(fields, Mapping)
        for name, shape in fields.items()
        if isinstance(shape, ColumnType) and shape.kind is SparkType.TIMESTAMP
    ]
    bounded = [_bounded(row, times) for row in rows]
    # Times are passed to Spark as numbers, because a Python datetime ends at the year 9999 and depends on a time zone.
    staged = spark.createDataFrame(bounded, _schema(layout.schema, LongType()), verifySchema=False)
    for section in dict.fromkeys(section for section, _ in times):
        column = sf.col(section)
        for other, name in times:
            if other == section:
                column = column.withField(name, sf.timestamp_millis(sf.col(f"{section}.{name}")))
        staged = staged.withColumn(section, column)
    return staged.to(_schema(layout.schema, TimestampType()))


def _bounded(row: Mapping[str, Any], times: list[tuple[str, str]]) -> Mapping[str, Any]:
    for section, name in times:
        fields = row[section]
        if fields is not None and fields[name] is not None:
            fields[name] = max(-MAX_MILLISECONDS, min(MAX_MILLISECONDS, fields[name]))
    return row


def infer_layout(schema: SchemaLike | Layout, struct: str | None = None, *, headers: Headers = NO_HEADERS) -> Layout:
    """Return the layout that fits a schema: ``amqp``, ``amqp-0-10``, one of ``transpiler.stores``, else typed columns.

    The active session determines whether names that differ only in case are different names.

    Args:
        schema: A DataFrame, a ``StructType``, its JSON form or text, or DDL text (``"color STRING, weight BIGINT"``).
        struct: The struct column whose fields are the properties; header columns outside it are used, too.
        headers: Header fields in columns or at keys of other names: ``{"JMSType": "order_type", "JMSTimestamp":
            stores.time("ts")}``.

    Raises:
        LayoutError: The properties are text, and their original types are lost.
    """
    return refuse_unchosen(schema_layout(schema, struct, headers))


def schema_layout(schema: SchemaLike | Layout, struct: str | None = None, headers: Headers = NO_HEADERS) -> Layout:
    """Return the same layout as ``infer_layout``, except that text with lost types is an error only when it is read."""
    # A DataFrame is tested first, because in a pipeline it has an attribute of any name, which is a column.
    shown = analyzed_schema(schema) if isinstance(schema, DataFrame) else schema
    if is_layout(shown):
        return shown
    frame = schema if isinstance(schema, DataFrame) else None
    return layout_from_schema(schema_in(shown), struct, headers=headers, case_sensitive=case_sensitive(frame))


def check_frame(name: str, value: object) -> None:
    """Raise ``TypeError`` if ``value``, the argument ``name``, is not a DataFrame."""
    if not isinstance(value, DataFrame):
        raise unexpected(name, "a DataFrame", value)


def own_field(schema: StructType, name: str, case_sensitive: bool) -> StructField | None:
    """Find the field ``name`` of a schema, ignoring case unless ``case_sensitive``; None if there is no such field."""
    if name in schema.names:
        return schema[name]
    if case_sensitive:
        return None
    return next((field for field in schema if field.name.lower() == name.lower()), None)


def analyzed_schema(df: DataFrame) -> StructType:
    """Return the schema of ``df``; raise ``LayoutError`` in a pipeline's query function, which cannot analyze it."""
    try:
        return df.schema
    except AnalysisException as error:
        if _NO_ANALYSIS not in str(error):
            raise
        raise LayoutError.at(
            "layout.no-analysis",
            "the query function of a declarative pipeline cannot read the columns of a DataFrame, because Spark "
            "analyzes the DataFrame later",
            hint="perhaps set layout= to a schema, such as 'color STRING, weight BIGINT', or the name of a preset",
        ) from None


class MessageColumns(NamedTuple):
    """The schema of messages, the layout that reads it, and whether their session compares names case-sensitively."""

    schema: StructType
    layout: Layout
    case_sensitive: bool

    def field(self, name: str) -> StructField | None:
        """Find the messages' column ``name``, by the case rule of their session; None if there is no such column."""
        return own_field(self.schema, name, self.case_sensitive)


def message_columns(messages: DataFrame | None, layout: Layout | SchemaLike | None) -> MessageColumns:
    """Return the columns of ``messages`` and the layout that reads them.

    If ``layout`` is None, it is inferred from the messages; without messages it is the canonical layout. If
    ``messages`` is None, the columns are those for which the layout was made, or no columns if these are unknown. The
    same holds in a pipeline, where Spark cannot analyze messages: there, ``layout`` must not be None.

    Raises ``LayoutError`` if no layout can be found, or if it needs columns that the messages do not have.
    """
    given = analyzed_schema(layout) if isinstance(layout, DataFrame) else layout
    schema = None
    if messages is not None:
        try:
            schema = analyzed_schema(messages)
        except LayoutError:
            if given is None:
                raise
    table = None if schema is None else schema.jsonValue()
    cased = case_sensitive(messages)
    found = find_layout(given, table, case_sensitive=cased)
    return MessageColumns(_declared_schema(found) if schema is None else schema, found, cased)


def _declared_schema(layout: Layout) -> StructType:
    """Return the schema for which ``layout`` was made, or else the schema of archives in this layout.

    If both are unknown, return a schema without fields.
    """
    known = layout.known_schema()
    if known is not None:
        return StructType.fromJson(_complete(known))
    archive = archive_of(layout)
    return StructType() if archive is None else _schema(archive.schema, TimestampType())


def _complete(spark_type: Any) -> Any:
    """Return ``spark_type``, a type in Spark's JSON form, with all keys that PySpark requires."""
    match spark_type:
        case {"type": "struct", "fields": fields}:
            own = [{"nullable": True, "metadata": {}, **field, "type": _complete(field["type"])} for field in fields]
            return {**spark_type, "fields": own}
        case {"type": "array", "elementType": element}:
            return {"containsNull": True, **spark_type, "elementType": _complete(element)}
        case {"type": "map", "keyType": key, "valueType": value}:
            parts = {"keyType": _complete(key), "valueType": _complete(value)}
            return {"valueContainsNull": True, **spark_type, **parts}
        case _:
            return spark_type


def case_sensitive(frame: DataFrame | None = None) -> bool:
    """Return True if names that differ only in the case of letters are different names in the session of ``frame``.

    If ``frame`` is None, the session is the active session of the thread, or else the default session.
    """
    try:
        session = SparkSession.active() if frame is None else frame.sparkSession
    except PySparkException:
        return False
    return session.conf.get("spark.sql.caseSensitive") == "true"
