"""Choose the layout that fits a schema: the canonical layout, that of AMQP 0-10, a store, or typed columns.

A store is recognized by the names and types of the columns that only its producer writes. The original types of values
stored as text are never guessed: the user has to choose a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, StoreCall, Verbatim
from transpiler.compiler import stores
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.layouts.amqp_0_10 import SCHEMA, ZeroTenLayout
from transpiler.compiler.layouts.columns import SECTIONS
from transpiler.compiler.layouts.flat import fits, flat_layout, is_section, typed_columns_of
from transpiler.compiler.layouts.header_places import NO_HEADERS, Headers, check_headers
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.named_fields import FIELDS
from transpiler.compiler.layouts.property_source import UnchosenTexts
from transpiler.compiler.layouts.store import StoreLayout, store_of
from transpiler.compiler.layouts.table_columns import Table, is_struct
from transpiler.compiler.stores.own import flat, own_store

#: A predicate on the type of a column: its argument is the type in Spark's JSON form.
_Test = Callable[[Any], bool]


def _is(name: str) -> _Test:
    return lambda spark_type: spark_type == name


def _map_of(value: _Test) -> _Test:
    def test(spark_type: Any) -> bool:
        return (
            isinstance(spark_type, Mapping)
            and spark_type.get("type") == "map"
            and spark_type.get("keyType") == "string"
            and value(spark_type.get("valueType"))
        )

    return test


def _struct_with(**fields: _Test) -> _Test:
    def test(spark_type: Any) -> bool:
        if not isinstance(spark_type, Mapping) or spark_type.get("type") != "struct":
            return False
        types = {field["name"]: field["type"] for field in spark_type["fields"]}
        return all(name in types and test(types[name]) for name, test in fields.items())

    return test


def _array_of(element: _Test) -> _Test:
    def test(spark_type: Any) -> bool:
        return (
            isinstance(spark_type, Mapping) and spark_type.get("type") == "array" and element(spark_type["elementType"])
        )

    return test


_TEXT, _BYTES, _VARIANT, _TIME = _is("string"), _is("binary"), _is("variant"), _is("timestamp")
_TEXTS = _map_of(_TEXT)
_MAPS = {"StringProperties": _TEXTS, "BooleanProperties": _map_of(_is("boolean"))}
_UNION = _map_of(_struct_with(member0=_is("long"), member1=_is("double"), member2=_TEXT, member3=_BYTES))
_STABLE_UNION = _map_of(
    _struct_with(member_long=_is("long"), member_double=_is("double"), member_string=_TEXT, member_bytes=_BYTES)
)
_CONFLUENT = {
    "messageID": _TEXT,
    "deliveryMode": _is("integer"),
    "properties": _map_of(_struct_with(propertyType=_TEXT)),
}
_LENSES = {"message_timestamp": _is("long"), "mode": _is("integer"), "properties": _TEXTS}

#: The stores that can be recognized, in the order of the tests. For each store: the function that makes the store, and
#: the columns that only its producer writes, by name, with a test for the type of the column.
_SHAPES: tuple[tuple[Callable[[], StoreLayout], Mapping[str, _Test]], ...] = (
    (stores.event_hubs_capture, {"Properties": _UNION, "SystemProperties": _UNION}),
    (
        lambda: stores.event_hubs_capture(stable=True),
        {"Properties": _STABLE_UNION, "SystemProperties": _STABLE_UNION},
    ),
    (stores.event_hubs, {"properties": _TEXTS, "systemProperties": _TEXTS, "enqueuedTime": _TIME}),
    (stores.confluent_jms, _CONFLUENT),
    (lambda: stores.confluent_jms("value"), {"value": _struct_with(**_CONFLUENT)}),
    (stores.lenses_jms, _LENSES),
    (lambda: stores.lenses_jms(column="value"), {"value": _struct_with(**_LENSES)}),
    (stores.rabbitmq_trace, {"routing_keys": _array_of(_TEXT), "properties": _VARIANT, "exchange": _TEXT}),
    (stores.rabbitmq_get, {"payload_encoding": _TEXT, "routing_key": _TEXT, "properties": _VARIANT}),
    (stores.aws_rabbitmq, {"basicProperties": _struct_with(headers=_VARIANT, deliveryMode=_is("integer"))}),
    (stores.aws_activemq, {"messageID": _TEXT, "brokerInTime": _is("long"), "properties": _TEXTS}),
    (
        stores.artemis_xml,
        {"properties": _struct_with(property=_array_of(_struct_with(_name=_TEXT, _type=_TEXT, _value=_TEXT)))},
    ),
    (stores.activemq_jolokia, {**_MAPS, "JMSMessageID": _TEXT}),
    (stores.artemis_jolokia, {**_MAPS, "userID": _TEXT}),
    (stores.pulsar_jms, {"__messageProperties": _TEXTS, "__publishTime": _TIME}),
    (stores.solace, {"Headers": _map_of(_BYTES), "TimeStamp": _TIME}),
    (stores.kafka_headers, {"headers": _array_of(_struct_with(key=_TEXT, value=_BYTES))}),
)


def layout_from_schema(
    schema: Mapping[str, Any],
    struct: str | None = None,
    *,
    headers: Headers = NO_HEADERS,
    case_sensitive: bool = False,
) -> Layout:
    """Return the layout that fits ``schema``, which is in Spark's JSON form.

    - ``struct`` is a struct column whose fields are the properties; header fields are still read from top-level
      columns. If it is None, the layout is inferred from the names and types of all columns.
    - ``headers`` maps header fields to the columns or keys that hold them under other names.

    If the properties are stored as text whose types are lost, a selector that reads a property raises ``LayoutError``.
    """
    table = Table(schema, case_sensitive)
    layout = _shown(table, struct)
    if not headers:
        return layout
    store = store_of(layout)
    if typed_columns_of(layout) is not None:
        store = flat(schema, headers) if struct is None else stores.struct(struct, headers=headers, schema=schema)
    elif store is not None:
        store = replace(store, asked=check_headers(headers))
    if store is None:
        message = f"the layout {layout.name} stores each header field in its own column"
        raise LayoutError.at("layout.headers", message, hint="perhaps omit headers")
    return store.bound(table)


def _shown(table: Table, struct: str | None) -> Layout:
    fields = {field["name"]: field for field in table.schema["fields"]}
    if struct is not None:
        flat = flat_layout(table, struct)
        return stores.struct(struct, schema=table.schema) if any(name in fields for name in FIELDS) else flat
    if is_section("application_properties", fields.get("application_properties")):
        sections = tuple(name for name in SECTIONS if is_section(name, fields.get(name)))
        return AmqpLayout(sections=sections).bound(table)
    if all(name in fields and fits(fields[name]["type"], SCHEMA[name]) for name in SCHEMA):
        return ZeroTenLayout().bound(table)
    properties = fields.get("application_properties")
    if properties is not None and is_struct(properties):
        return flat_layout(table, "application_properties")
    for store, shape in _SHAPES:
        if all(name in fields and test(fields[name]["type"]) for name, test in shape.items()):
            found = store().bound(table)
            # In a table of Spark's Kafka source, columns such as ``topic`` are properties, as the record headers are.
            # In all other stores, the columns have the meaning that the producer documents.
            return replace(found, columns_first=True) if found.name == "kafka-headers" else found
    own = fields.get("properties")
    beside = any(name in fields for name in FIELDS)
    if (beside or (own is not None and _holds_properties(own["type"]))) and (column := _properties_of(fields)):
        return replace(column, columns_first=True)
    return flat_layout(table)


def _holds_properties(spark_type: Any) -> bool:
    """Return True if a column of ``spark_type`` probably contains properties by name: a VARIANT or a map of texts."""
    return _VARIANT(spark_type) or _TEXTS(spark_type) or _map_of(_BYTES)(spark_type)


def _properties_of(fields: Mapping[str, Mapping[str, Any]]) -> StoreLayout | None:
    """Return the store that reads all properties from one column and header fields from the other columns.

    ``fields`` are all columns by name. Return None if no column has a type that can contain properties.
    """
    schema = {"type": "struct", "fields": list(fields.values())}
    own = fields.get("properties")
    if own is not None and is_struct(own):
        return stores.struct("properties", schema=schema)
    variants = [name for name, field in fields.items() if _VARIANT(field["type"])]
    if variants:
        return stores.variant("properties" if "properties" in variants else variants[0], schema=schema)
    texts = [name for name, field in fields.items() if _TEXTS(field["type"]) or _map_of(_BYTES)(field["type"])]
    if texts:
        name = "properties" if "properties" in texts else texts[0]
        known: dict[str, object] = {} if _TEXTS(fields[name]["type"]) else {"schema": Verbatim("df.schema")}
        by_use = StoreCall("text_map", name, {"types": "by-use", **known})
        source = UnchosenTexts(
            name,
            f"the column {name} stores every value as text, so the original types are lost",
            Hint(
                "perhaps choose how to read the text of each property: ",
                by_use,
                "; by-use can be replaced by string, parsed, json or a mapping of properties to types, such as "
                "{'weight': 'DOUBLE'}",
            ),
            by_use.fix,
        )
        return own_store("text-map", source, NO_HEADERS, schema)
    if own is not None and _TEXT(own["type"]):
        message = "the column properties contains text, which may be JSON"
        store = StoreCall("variant", "properties", {"json": True})
        source = UnchosenTexts(
            "properties", message, Hint("if the column properties contains JSON: ", store), store.fix
        )
        return own_store("text-map", source, NO_HEADERS, schema)
    return None


def layouts_with(columns: Collection[str]) -> list[str]:
    """Return the names of the stores whose distinctive columns are all in ``columns``, whatever their types."""
    return list(dict.fromkeys(store().name for store, shape in _SHAPES if all(name in columns for name in shape)))
