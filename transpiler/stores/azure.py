"""Azure Event Hubs: files of Capture, and the Spark connector."""

from __future__ import annotations

from dataclasses import replace

from transpiler.ir.column_types import (
    BIGINT,
    BINARY,
    STRING,
    TIMESTAMP,
    SparkType,
)
from transpiler.layouts.header_places import (
    ColumnPlace,
    Columns,
    HeaderPlace,
    Headers,
)
from transpiler.layouts.header_readings import Time
from transpiler.layouts.property_source import TextProperties, TypedPlaces
from transpiler.layouts.store import StoreLayout
from transpiler.layouts.text_types import Types, text_types
from transpiler.stores.build import (
    NO_HEADERS,
    column_place,
    key_places,
    make_store,
)

#: The branches of the union that Event Hubs Capture writes, in their order.
_CAPTURE_TYPES = (SparkType.BIGINT, SparkType.DOUBLE, SparkType.STRING, SparkType.BINARY)


_CAPTURE_NAMES = ("long", "double", "string", "bytes")


#: The AMQP properties that Event Hubs keeps beside its own.
_SYSTEM_KEYS = {
    "JMSType": "subject",
    "JMSMessageID": "message-id",
    "JMSCorrelationID": "correlation-id",
    "JMSReplyTo": "reply-to",
    "JMSDestination": "to",
    "JMSXUserID": "user-id",
    "JMSXGroupID": "group-id",
    "content-type": "content-type",
    "content-encoding": "content-encoding",
}


_CAPTURE: Columns = {"SequenceNumber": BIGINT, "Offset": STRING, "EnqueuedTimeUtc": STRING, "Body": BINARY}


def event_hubs_capture(*, stable: bool = False, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Avro files of Azure Event Hubs Capture: unions as structs ``member0`` to ``member3``.

    With ``stable`` they are named ``member_long`` and so on, as Spark's reader does with
    ``enableStableIdentifiersForUnionType``; ``infer_layout`` tells by the schema. ``EnqueuedTimeUtc`` is the service's
    time, in UTC and whole seconds.
    """
    names = [f"member_{name}" if stable else f"member{place}" for place, name in enumerate(_CAPTURE_NAMES)]
    members = tuple(zip(names, _CAPTURE_TYPES, strict=True))
    source, system = TypedPlaces(members, ("Properties",)), TypedPlaces(members, ("SystemProperties",))
    own = key_places(system, _SYSTEM_KEYS)
    enqueued = ColumnPlace(("EnqueuedTimeUtc",), STRING)
    own["JMSTimestamp"] = HeaderPlace(enqueued, Time(pattern="M/d/yyyy h:mm:ss a"))
    # The service keeps no priority and no delivery mode, so senders write them as properties.
    return replace(make_store("event-hubs-capture", source, own, headers, _CAPTURE), jms_keys=True)


_EVENT_HUBS: Columns = {
    "body": BINARY,
    "partition": STRING,
    "offset": STRING,
    "sequenceNumber": BIGINT,
    "enqueuedTime": TIMESTAMP,
    "publisher": STRING,
    "partitionKey": STRING,
}


def event_hubs(types: Types = "by-use", *, headers: Headers = NO_HEADERS) -> StoreLayout:
    """Columns of the connector azure-event-hubs-spark; ``enqueuedTime`` is the service's time."""
    source = TextProperties(("properties",), text_types(types))
    own = key_places(TextProperties(("systemProperties",), text_types("string")), _SYSTEM_KEYS)
    own["JMSTimestamp"] = column_place("JMSTimestamp", "enqueuedTime", TIMESTAMP)
    return replace(make_store("event-hubs", source, own, headers, _EVENT_HUBS), jms_keys=True)
