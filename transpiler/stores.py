"""Layouts of people's tables: one function for each producer of messages, and the places of header fields.

Each function returns a ``Layout``, and is a preset by its name with hyphens (``layout="confluent-jms"``).
``transpiler.compiler.stores`` says what ``headers`` and ``types`` mean.
"""

from __future__ import annotations

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

__all__ = [
    "STORES",
    "activemq_jolokia",
    "artemis_jolokia",
    "artemis_xml",
    "aws_activemq",
    "aws_rabbitmq",
    "camel_kafka",
    "confluent_jms",
    "confluent_rabbitmq",
    "event_hubs",
    "event_hubs_capture",
    "kafka_headers",
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
