"""Stores: layouts of messages as producers keep them, one function for each.

Each function returns a ``Layout``, and is a preset by its name with hyphens (``layout="confluent-jms"``). ``headers``
gives header fields columns or keys of their own: ``{"JMSType": "order_type", "JMSTimestamp": stores.time("ts",
unit="s")}``. Without it a header field comes from the field that the store documents, else from the property of its
very name, else it has JMS's default.

``types``, where a store has text only: ``string`` (a text is never a number) · ``by-use`` (a text that is a whole
number of JMS is that number where the selector compares it with numbers, TRUE and FALSE likewise) · ``parsed`` (Kafka
Connect's ``Values.parseString``) · ``json`` (each value is JSON text) · ``amqp`` (bytes in AMQP's encoding, or text by
use) · a mapping such as ``{"weight": "DOUBLE", "*": "by-use"}``, by ``try_cast``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType
from typing import Any

from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, StoreCall
from transpiler.compiler.layouts.header_places import HeaderOption, read_as, time_option
from transpiler.compiler.layouts.header_readings import Integer, Mode
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.stores.build import NO_HEADERS
from transpiler.compiler.stores.own import csv, struct, text_map, variant
from transpiler.compiler.stores.producers import (
    activemq_jolokia,
    artemis_jolokia,
    artemis_xml,
    aws_activemq,
    aws_rabbitmq,
    camel_kafka,
    confluent_jms,
    confluent_rabbitmq,
    event_hubs,
    event_hubs_capture,
    kafka_headers,
    lenses_jms,
    pulsar_jms,
    rabbitmq_get,
    rabbitmq_trace,
    solace,
)

__all__ = [
    "STORES",
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


def column(name: str) -> HeaderOption:
    """Read a column, in the place of a name that may be a column's or a key's; a table without it is an error.

    Args:
        name: The column; dots lead into a struct.
    """
    return HeaderOption(name, kind="column")


def key(name: str) -> HeaderOption:
    """Read a key of the properties, though a column may have the same name.

    Args:
        name: The key.
    """
    return HeaderOption(name, kind="key")


def time(name: str | HeaderOption, unit: str = "ms", zone: str = "UTC") -> HeaderOption:
    """Read a time in a column or at a key; a TIMESTAMP is itself, whatever the unit.

    Args:
        name: The column or the key, or ``column(…)`` or ``key(…)`` to say which.
        unit: ``"ms"`` or ``"s"`` since the epoch, or a pattern of Java's for text.
        zone: The time zone of a text that has none.
    """
    return time_option(name, unit, zone)


def mode(name: str | HeaderOption) -> HeaderOption:
    """Read a delivery mode in a column or at a key: 1 or 2, ``PERSISTENT`` or ``NON_PERSISTENT``, or True for durable.

    Args:
        name: The column or the key, or ``column(…)`` or ``key(…)`` to say which.
    """
    return read_as(name, Mode())


def number(name: str | HeaderOption) -> HeaderOption:
    """Read an integer in a column or at a key, or the text of one.

    Args:
        name: The column or the key, or ``column(…)`` or ``key(…)`` to say which.
    """
    return read_as(name, Integer())


#: The stores by their preset names.
STORES: Mapping[str, Callable[..., StoreLayout]] = MappingProxyType(
    {
        function.__name__.replace("_", "-"): function
        for function in (
            struct,
            variant,
            text_map,
            kafka_headers,
            confluent_rabbitmq,
            camel_kafka,
            event_hubs_capture,
            event_hubs,
            confluent_jms,
            lenses_jms,
            rabbitmq_trace,
            rabbitmq_get,
            aws_rabbitmq,
            aws_activemq,
            artemis_xml,
            artemis_jolokia,
            activemq_jolokia,
            pulsar_jms,
            solace,
        )
    }
)


def preset(name: str, options: Mapping[str, Any] = NO_HEADERS) -> StoreLayout:
    """Return a store by its preset name.

    Args:
        name: The preset's name, such as ``kafka-headers``.
        options: The parameters of the store's function.

    Raises:
        LayoutError: The store does not have an option, or lacks one.
    """
    function = STORES[name]
    parameters = signature(function).parameters
    for option in options:
        if option not in parameters:
            known = ", ".join(key for key in parameters if key != "schema")
            raise LayoutError.at("layout.option", f"the layout {name} has no option {option}", hint=f"it has {known}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            made = StoreCall(function.__name__, None, {key: "by-use"})
            message = f"the layout {name} needs the option {key}"
            raise LayoutError.at("layout.option", message, hint=Hint(made), fix=made.fix)
    return function(**options)
