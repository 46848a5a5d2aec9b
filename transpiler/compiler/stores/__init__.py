"""Stores: layouts of messages as their producers write them, with one function for each store.

Each function returns a ``Layout``. Its name with hyphens is a preset (``layout="confluent-jms"``). ``headers`` maps
header fields to the columns or keys that hold them: ``{"JMSType": "order_type", "JMSTimestamp": stores.time("ts",
unit="s")}``. A header field that ``headers`` does not name comes from the field that the store documents, otherwise
from the property of the same name; if that is absent too, it has the default of JMS.

``types`` chooses how values that a store keeps only as text are read: ``string`` (text is never a number) · ``by-use``
(text that is a whole JMS number is that number if the selector compares it with a number; likewise TRUE and FALSE) ·
``parsed`` (Kafka Connect's ``Values.parseString``) · ``json`` (each value is JSON text) · ``amqp`` (bytes in AMQP's
encoding, or text by use) · a mapping such as ``{"weight": "DOUBLE", "*": "by-use"}``, which uses ``try_cast``.
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
    """Read a header field from a column, even if a key has the same name; a table without the column is an error.

    Args:
        name: The column; a dot selects a field of a struct.
    """
    return HeaderOption(name, kind="column")


def key(name: str) -> HeaderOption:
    """Read a header field from a key of the properties, even if a column has the same name.

    Args:
        name: The key.
    """
    return HeaderOption(name, kind="key")


def time(name: str | HeaderOption, unit: str = "ms", zone: str = "UTC") -> HeaderOption:
    """Read a time from a column or a key; ``unit`` does not affect a column of type TIMESTAMP.

    Args:
        name: The column or the key, or ``column(…)`` or ``key(…)`` to say which.
        unit: ``"ms"`` or ``"s"`` for a number since the epoch, or a Java date pattern for text.
        zone: The time zone of text that does not name a time zone.
    """
    return time_option(name, unit, zone)


def mode(name: str | HeaderOption) -> HeaderOption:
    """Read a delivery mode from a column or a key: 1 or 2, ``PERSISTENT`` or ``NON_PERSISTENT``, or True for durable.

    Args:
        name: The column or the key, or ``column(…)`` or ``key(…)`` to say which.
    """
    return read_as(name, Mode())


def number(name: str | HeaderOption) -> HeaderOption:
    """Read an integer, or the text of an integer, from a column or a key.

    Args:
        name: The column or the key, or ``column(…)`` or ``key(…)`` to say which.
    """
    return read_as(name, Integer())


#: The function that makes each store, by the preset name of the store.
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
    """Return the store with a preset name.

    Args:
        name: The preset name, such as ``kafka-headers``.
        options: The arguments for the store's function, by parameter name.

    Raises:
        LayoutError: The function has no parameter for an option, or a required option is missing.
    """
    function = STORES[name]
    parameters = signature(function).parameters
    for option in options:
        if option not in parameters:
            known = ", ".join(key for key in parameters if key != "schema")
            raise LayoutError.at(
                "layout.option", f"the layout {name} has no option {option}", hint=f"the options of {name} are {known}"
            )
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            made = StoreCall(function.__name__, None, {key: "by-use"})
            message = f"the layout {name} requires the option {key}"
            raise LayoutError.at("layout.option", message, hint=Hint(made), fix=made.fix)
    return function(**options)
