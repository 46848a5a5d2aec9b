"""Random messages with the names that stores know, and random rows for the schema of any store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.spark_ext import strategies
from transpiler.message.message import Message
from transpiler.message.sections import Header, Properties
from transpiler.message.types import AmqpType, AmqpValue

#: Names of properties in messages and selectors.
PROPERTIES = ("color", "weight", "urgent")
HEADERS = (
    "JMSPriority",
    "JMSDeliveryMode",
    "JMSTimestamp",
    "JMSExpiration",
    "JMSType",
    "JMSMessageID",
    "JMSCorrelationID",
    "JMSReplyTo",
    "JMSDestination",
    "JMSRedelivered",
    "JMSXDeliveryCount",
    "JMSXGroupID",
    "JMSXGroupSeq",
    "JMSXUserID",
)
NAMES = (*PROPERTIES * 4, *HEADERS, "missing")

#: Texts at the borders of what is a number, a boolean, a null, JSON, base64 or a time.
TEXTS = (
    *strategies.TEXTS,
    *("0", "-0", "+7", "007", "2500", "1.", ".5", "-.5", "+.5", ".", "-", "1e3", "1E+3", "1e", "5.0", "5d", "5f", "1L"),
    *(" 5", "5 ", " 5 ", "\t5", "5\n", "\u00a05", "٥", "0x10", "0x1p3", "1e400", "-1e400", "1e-400", "NaN", "Infinity"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "9007199254740993", "0.1", "1e23"),
    *("TRUE", "False", "true ", " true", "t", "yes", "1", "2", "null", "NULL", "nan", "-Infinity", "PERSISTENT"),
    *('"red"', '"5"', "[1]", "{}", '{"a": 1}', "5 5", "1e5", "1E400", "[1", '"a', "'5'", "NON_PERSISTENT", "4", "9"),
    *("cmVk", "cmVk=", "cm Vk", "YQ==", "YQ", "/w==", "=", "string", "int", "long", "double", "boolean", "bytes"),
    *(
        "integer",
        "simple-string",
        "_AMQ_NULL",
        "float",
        "short",
        "byte",
        "order",
        "1750772279000",
        "ID:1",
        "1750772279",
    ),
    *("6/24/2025 1:37:59 PM", "2025-06-24T13:37:59Z", "Jun 24, 2025, 1:37:59 PM", "Jun 24, 2025, 1:37:59\u202fPM"),
    *("2025-06-24T13:37:59.123+02:00", "2025-02-30T00:00:00Z", "13/1/2025 1:00:00 PM", "6/24/2025 13:37:59 PM"),
)
texts = st.sampled_from(TEXTS)
_octets = st.one_of(texts.map(str.encode), st.sampled_from(strategies.BYTES))
#: Milliseconds in years that both Spark and Python can format.
_times = st.one_of(st.sampled_from((0, -1, 1_750_772_279_000, 1_750_772_279_999)), st.integers(-(10**12), 4 * 10**12))

_headers = st.builds(
    Header,
    durable=st.sampled_from((None, True, False)),
    priority=st.one_of(st.none(), st.integers(0, 10)),
    delivery_count=st.one_of(st.none(), st.integers(0, 3)),
)
_text = st.one_of(st.none(), texts)
_id = st.one_of(st.none(), texts.map(lambda text: AmqpValue(AmqpType.STRING, text)))
_time = st.one_of(st.none(), _times)
_properties = st.builds(
    Properties,
    message_id=_id,
    user_id=st.one_of(st.none(), texts.map(str.encode)),
    to=_text,
    subject=_text,
    reply_to=_text,
    correlation_id=_id,
    absolute_expiry_time=_time,
    creation_time=_time,
    group_id=_text,
    group_sequence=st.one_of(st.none(), st.integers(0, 9)),
)
_values = st.one_of(strategies.values, texts.map(lambda text: AmqpValue(AmqpType.STRING, text)))
messages = st.builds(
    Message,
    header=st.one_of(st.none(), _headers),
    properties=st.one_of(st.none(), _properties),
    application_properties=st.dictionaries(st.sampled_from(PROPERTIES), _values, max_size=3),
)


def selectors() -> st.SearchStrategy[Any]:
    """Return a strategy for selectors over the names of properties and header fields, as trees."""
    return strategies.selectors(NAMES, null_tests_any=True)


#: JSON text for properties and VARIANT columns, with numbers spelled as producers spell them.
_json_numbers = st.sampled_from(
    (
        "0",
        "-0",
        "5",
        "-7",
        "2500",
        "5.0",
        "0.1",
        "2500.5",
        "1e3",
        "1E-2",
        "1e400",
        "9223372036854775808",
        "-1e23",
        "1e23",
    )
)
_json_leaves = st.one_of(
    texts.map(json.dumps),
    _json_numbers,
    strategies.integers.map(str),
    strategies.floats.map(json.dumps),
    st.sampled_from(("true", "false", "null")),
)


def json_objects(keys: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Return a strategy for JSON objects as text, with scalars, arrays and objects as values of ``keys``."""
    nested = st.recursive(
        _json_leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=2).map(lambda items: f"[{', '.join(items)}]"),
            _objects(inner, keys),
        ),
        max_leaves=4,
    )
    return _objects(nested, keys)


def _objects(values: st.SearchStrategy[str], keys: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.dictionaries(st.sampled_from(keys), values, max_size=4).map(
        lambda items: "{" + ", ".join(f"{json.dumps(key)}: {value}" for key, value in items.items()) + "}"
    )


def rabbitmq_properties(keys: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Return a strategy for basic properties as RabbitMQ's JSON, with ``headers``; an empty list if there are none."""
    small = st.integers(0, 10).map(str)
    of_key = {
        "headers": json_objects(keys),
        "type": texts.map(json.dumps),
        "priority": small,
        "delivery_mode": small,
        "timestamp": st.one_of(small, st.just("1750772279")),
        **dict.fromkeys(("message_id", "correlation_id", "reply_to", "user_id", "expiration"), texts.map(json.dumps)),
    }
    whole = st.fixed_dictionaries(
        {"headers": of_key["headers"]}, optional={key: value for key, value in of_key.items() if key != "headers"}
    )
    written = whole.map(lambda items: "{" + ", ".join(f'"{key}": {value}' for key, value in items.items()) + "}")
    return st.one_of(written, written, written, st.just("[]"))


_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def cells(spark_type: Any, keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a type in Spark's JSON form: VARIANT as JSON text, times in milliseconds."""
    values: st.SearchStrategy[Any]
    match spark_type:
        case "string":
            values = st.one_of(texts, json_objects(keys))
        case "variant":
            values = st.one_of(json_objects(keys), json_objects(keys), _json_leaves)
        case "binary":
            values = _octets
        case "boolean":
            values = st.booleans()
        case "double":
            values = strategies.doubles
        case "float":
            values = strategies.doubles.map(strategies._rounded)
        case "timestamp":
            values = _times
        case str():
            half = 2 ** (_BITS[spark_type] - 1)
            values = st.one_of(
                st.integers(0, 10),
                strategies.integers.filter(lambda number: -half <= number < half),
                st.sampled_from((-half, half - 1)),
            )
        case {"type": "array", "elementType": element}:
            values = st.lists(cells(element, keys), max_size=4)
        case {"type": "map", "valueType": {"type": "struct", "fields": members}}:
            values = st.dictionaries(st.sampled_from(keys), _unions(members, keys), max_size=4)
        case {"type": "map", "valueType": value}:
            values = st.dictionaries(st.sampled_from(keys), cells(value, keys), max_size=4)
        case {"type": "struct", "fields": fields}:
            values = st.fixed_dictionaries(
                {
                    field["name"]: st.sampled_from(keys)
                    if field["name"] in ("key", "_name")
                    else cells(field["type"], keys)
                    for field in fields
                }
            )
        case _:
            raise AssertionError(spark_type)
    return st.one_of(st.none(), values, values, values)


def _unions(members: list[dict[str, Any]], keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Return a strategy for structs with at most one field set, as Spark reads an Avro union."""
    one = st.sampled_from(members).flatmap(
        lambda member: cells(member["type"], keys).map(lambda value: {member["name"]: value})
    )
    return st.one_of(st.none(), one, one, one)


def rows(
    schema: Mapping[str, Any], keys: tuple[str, ...], known: Mapping[str, st.SearchStrategy[Any]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for rows of ``schema``.

    Maps, arrays and objects contain ``keys``, and ``known`` replaces the values of some columns.
    """
    own = {field["name"]: cells(field["type"], keys) for field in schema["fields"]}
    return st.fixed_dictionaries({**own, **(known or {})})
