"""Layouts of people's tables: one function for each producer of messages, and the parts of a layout of your own.

Each function returns a ``Layout``, and is a preset by its name with hyphens (``layout="confluent-jms"``). ``headers``
gives header fields columns or keys of their own, ``types`` says what text stands for (``transpiler.compiler.stores``).

A store of your own is ``make_store`` of a source of properties (``TextProperties``, ``TaggedTexts``, ``StructFields``,
``TypedPlaces``, ``VariantObject``) and of places of header fields (``key_places``, ``column_places``); a layout of
another kind answers each ``MessageField`` and each property with a ``Stored``.
"""

from __future__ import annotations

from transpiler.compiler.ir.column_types import ColumnType, SparkType
from transpiler.compiler.layouts.header_places import HeaderOption
from transpiler.compiler.layouts.property_source import (
    PropertySource,
    StructFields,
    TaggedTexts,
    TextProperties,
    TypedPlaces,
)
from transpiler.compiler.layouts.rows import as_mapping, milliseconds
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.stored import NOTHING, Stored, stored_column
from transpiler.compiler.layouts.text_types import text_types
from transpiler.compiler.layouts.variant_object import VariantObject
from transpiler.compiler.stores import (
    STORES,
    activemq_jolokia,
    artemis_jolokia,
    artemis_xml,
    aws_activemq,
    aws_rabbitmq,
    camel_kafka,
    confluent_jms,
    confluent_rabbitmq,
    csv,
    event_hubs,
    event_hubs_capture,
    kafka_headers,
    lenses_jms,
    mode,
    number,
    preset,
    pulsar_jms,
    rabbitmq_get,
    rabbitmq_trace,
    solace,
    struct,
    text_map,
    time,
    variant,
)
from transpiler.compiler.stores.build import NO_HEADERS, column_places, key_places, make_store
from transpiler.message.header_fields import MessageField

__all__ = [
    "NOTHING",
    "NO_HEADERS",
    "STORES",
    "ColumnType",
    "HeaderOption",
    "MessageField",
    "PropertySource",
    "SparkType",
    "StoreLayout",
    "Stored",
    "StructFields",
    "TaggedTexts",
    "TextProperties",
    "TypedPlaces",
    "VariantObject",
    "activemq_jolokia",
    "artemis_jolokia",
    "artemis_xml",
    "as_mapping",
    "aws_activemq",
    "aws_rabbitmq",
    "camel_kafka",
    "column_places",
    "confluent_jms",
    "confluent_rabbitmq",
    "csv",
    "event_hubs",
    "event_hubs_capture",
    "kafka_headers",
    "key_places",
    "lenses_jms",
    "make_store",
    "milliseconds",
    "mode",
    "number",
    "preset",
    "pulsar_jms",
    "rabbitmq_get",
    "rabbitmq_trace",
    "solace",
    "stored_column",
    "struct",
    "text_map",
    "text_types",
    "time",
    "variant",
]
