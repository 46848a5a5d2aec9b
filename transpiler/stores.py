"""Layouts of tables as known producers write them: one function for each producer, which returns a ``Layout``.

Each function is also a preset, whose name is that of the function with hyphens (``layout="confluent-jms"``). The option
``headers`` names columns or keys of header fields, with ``time``, ``mode`` and ``number`` for the form of their values.
The option ``types`` defines the types of values that are stored as text (``transpiler.compiler.stores``). The building
blocks of a layout of your own are in ``transpiler.layouts``.
"""

from __future__ import annotations

import warnings
from typing import Any

from transpiler import layouts
from transpiler.compiler.layouts.header_places import HeaderOption
from transpiler.compiler.stores import (
    STORES,
    activemq_jolokia,
    artemis_jolokia,
    artemis_xml,
    aws_activemq,
    aws_rabbitmq,
    camel_kafka,
    column,
    confluent_jms,
    confluent_rabbitmq,
    csv,
    event_hubs,
    event_hubs_capture,
    kafka_headers,
    key,
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

__all__ = [
    "STORES",
    "HeaderOption",
    "activemq_jolokia",
    "artemis_jolokia",
    "artemis_xml",
    "aws_activemq",
    "aws_rabbitmq",
    "camel_kafka",
    "column",
    "confluent_jms",
    "confluent_rabbitmq",
    "csv",
    "event_hubs",
    "event_hubs_capture",
    "kafka_headers",
    "key",
    "lenses_jms",
    "mode",
    "number",
    "preset",
    "pulsar_jms",
    "rabbitmq_get",
    "rabbitmq_trace",
    "solace",
    "struct",
    "text_map",
    "time",
    "variant",
]


def __getattr__(name: str) -> Any:
    if name not in layouts.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    text = f"import {name} from transpiler.layouts: transpiler.stores has it in this version only"
    warnings.warn(text, DeprecationWarning, stacklevel=2)
    return getattr(layouts, name)
