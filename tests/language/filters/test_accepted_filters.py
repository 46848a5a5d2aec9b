"""Filter sets as brokers accept them: filters that RabbitMQ ignores, stream filters, and Service Bus sessions."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message, matches, transpile_filter
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpMap, Described
from transpiler.message.types import AmqpType, AmqpValue

PROPERTIES, APPLICATION, SQL = "amqp:properties-filter", "amqp:application-properties-filter", "amqp:sql-filter"

SUBJECT = {"descriptor": PROPERTIES, "value": {"subject": "a"}}
EQUALITY = {"descriptor": SQL, "value": "a = 1"}


def _map(kind: AmqpType) -> bytes:
    symbol = AmqpValue(AmqpType.SYMBOL, PROPERTIES)
    content = AmqpMap(((AmqpValue(kind, "subject"), AmqpValue(AmqpType.STRING, "var")),))
    return encode(AmqpMap(((symbol, Described(symbol, content)),)))


#: Filter sets, and the names of the filters that RabbitMQ ignores.
LEFT_OUT: tuple[tuple[Any, tuple[str, ...]], ...] = (
    ({"a": {"descriptor": PROPERTIES, "value": {}}}, ("a",)),
    ({"a": {"descriptor": APPLICATION, "value": {}}}, ("a",)),
    ({"a": {"descriptor": APPLICATION, "value": {f"k{n}": n for n in range(17)}}}, ("a",)),
    ({"a": {"descriptor": APPLICATION, "value": {f"k{n}": n for n in range(16)}}}, ()),
    # rabbit_amqp_session reads the map from its last entry to its first.
    ({"p": SUBJECT, "sql-filter": EQUALITY}, ("p",)),
    ({"sql-filter": EQUALITY, "p": SUBJECT}, ("sql-filter",)),
    ({"p": SUBJECT, "q": SUBJECT}, ("p",)),
    ({"p": SUBJECT, "a": {"descriptor": APPLICATION, "value": {"k": 1}}}, ()),
    ({"p": SUBJECT, "s": EQUALITY}, ("s",)),
    ({"sql-filter": EQUALITY}, ()),
    # The session recognises a selector and passes it to queues of other types.
    (
        {"jms-selector": {"descriptor": "apache.org:selector-filter:string", "value": "a = 1"}, "p": SUBJECT},
        ("jms-selector",),
    ),
    (EQUALITY, ()),
    (_map(AmqpType.STRING), (PROPERTIES,)),
    (_map(AmqpType.SYMBOL), ()),
)


@pytest.mark.parametrize(("filters", "names"), LEFT_OUT)
def test_what_rabbitmq_leaves_out_is_not_in_effect_and_reported(filters: Any, names: tuple[str, ...]) -> None:
    made = transpile_filter(filters, dialect="rabbitmq")
    assert made.in_effect is not None
    assert made.in_effect.ignored == names
    assert bool(made.diagnostics) == bool(names)
    assert not transpile_filter(filters).in_effect.ignored  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("descriptor", "value"),
    [
        ("rabbitmq:stream-offset-spec", "first"),
        ("rabbitmq:stream-match-unfiltered", True),
        ("rabbitmq:stream-filter", 5),
        ("rabbitmq:stream-filter", []),
    ],
)
def test_a_filter_of_a_stream_that_selects_nothing_is_named_as_one(descriptor: str, value: Any) -> None:
    filters = {
        "f": {"descriptor": descriptor, "value": value},
        "a": {"descriptor": APPLICATION, "value": {"k": 1}},
    }
    made = transpile_filter(filters, dialect="rabbitmq")
    assert made.sql == transpile_filter({"a": filters["a"]}, dialect="rabbitmq").sql
    assert [one.code for one in made.diagnostics] == ["filters.stream"]


#: Values of the stream filter, whether messages without the annotation pass, and the annotations that pass; None means
#: no annotation.
STREAMS: tuple[tuple[Any, bool, tuple[str | None, ...]], ...] = (
    ("invoices", False, ("invoices",)),
    (["invoices", "orders"], False, ("invoices", "orders")),
    (["invoices"], True, ("invoices", None)),
)


@pytest.mark.parametrize(("values", "unfiltered", "taken"), STREAMS)
def test_a_stream_is_filtered_by_the_annotation_that_its_publishers_give(
    values: Any, unfiltered: bool, taken: tuple[str | None, ...]
) -> None:
    filters = {
        "f": {"descriptor": "rabbitmq:stream-filter", "value": values},
        "u": {"descriptor": "rabbitmq:stream-match-unfiltered", "value": unfiltered},
    }
    made = transpile_filter(filters, dialect="rabbitmq")
    assert "x-stream-filter-value" in made.sql
    assert (made.diagnostics, made.in_effect.ignored) == ((), ())  # type: ignore[union-attr]
    for value in ("invoices", "orders", "else", None):
        annotations = {} if value is None else {"x-stream-filter-value": value}
        assert matches(filters, Message.from_dict({"message_annotations": annotations})) is (value in taken)
    again = made.in_effect.to_dict()  # type: ignore[union-attr]
    assert transpile_filter(again).sql == transpile_filter(made.in_effect.to_amqp()).sql == made.sql  # type: ignore[union-attr]


def test_a_table_without_annotations_has_no_filter_of_a_stream_and_says_so() -> None:
    made = transpile_filter({"f": {"descriptor": "rabbitmq:stream-filter", "value": "a"}}, "kafka-headers")
    assert made.sql == "true"
    assert [one.code for one in made.diagnostics] == ["filters.stream"]


#: The session filter as clients send it: without a descriptor, with its symbol, and with its numeric code.
SESSIONS: tuple[dict[str, Any], ...] = (
    {"com.microsoft:session-filter": "s1"},
    {"s": {"descriptor": "com.microsoft:session-filter", "value": "s1"}},
    {"com.microsoft:session-filter": {"descriptor": "0x00000013:0x7000000C", "value": "s1"}},
)


@pytest.mark.parametrize("filters", SESSIONS)
def test_a_session_of_service_bus_is_its_group_id(filters: dict[str, Any]) -> None:
    made = transpile_filter(filters)
    assert "group_id" in made.sql
    groups = [Message.from_dict({"properties": {"group_id": group}}) for group in ("s1", "s2")]
    assert [matches(filters, message) for message in groups] == [True, False]


@pytest.mark.parametrize("value", [None, {"descriptor": "com.microsoft:session-filter", "value": None}])
def test_the_next_session_of_service_bus_selects_no_message_and_says_so(value: Any) -> None:
    made = transpile_filter({"com.microsoft:session-filter": value})
    assert made.sql == "true"
    assert ["next free session" in one.message for one in made.diagnostics] == [True]
