"""Message ids as JMS text: the three tables of the JMS mapping, working draft 10, section 3.2.1.1, and its errors."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import DecodeError
from transpiler.message.ids import canonical, correlation_id_text, message_id_text, read_id, text_of
from transpiler.message.types import AmqpType, AmqpValue

TOKEN = UUID("0123abcd-4567-89ab-cdef-0123456789ab")


def string(text: str) -> AmqpValue:
    return AmqpValue(AmqpType.STRING, text)


#: "The following table provides examples of various JMSMessageID values derived from the message-id field".
MESSAGE_IDS = [
    (string("ID:my-string-id"), "ID:my-string-id"),
    (string("non-prefixed-string-id"), "ID:AMQP_NO_PREFIX:non-prefixed-string-id"),
    (AmqpValue(AmqpType.UUID, TOKEN), f"ID:AMQP_UUID:{TOKEN}"),
    (AmqpValue(AmqpType.ULONG, 42), "ID:AMQP_ULONG:42"),
    (AmqpValue(AmqpType.BINARY, b"\xab\xcd\xef"), "ID:AMQP_BINARY:ABCDEF"),
    (string("ID:AMQP_ULONG:string-id"), "ID:AMQP_STRING:ID:AMQP_ULONG:string-id"),
]

#: "the effect of setting various additional application-specific JMSCorrelationID values".
APPLICATION_SPECIFIC = ["application-specific", "AMQP_ULONG:42", "AMQP_ULONG:foo"]

#: "examples of various JMSCorrelationID values derived from the correlation-id field".
CORRELATION_IDS = [
    (string("ID:my-string-id"), "ID:my-string-id"),
    (string("non-prefixed-string-id"), "non-prefixed-string-id"),
    (AmqpValue(AmqpType.UUID, TOKEN), f"ID:AMQP_UUID:{TOKEN}"),
    (AmqpValue(AmqpType.ULONG, 42), "ID:AMQP_ULONG:42"),
    (AmqpValue(AmqpType.BINARY, b"\xab\xcd\xef"), "ID:AMQP_BINARY:ABCDEF"),
    (string("ID:AMQP_ULONG:string-id"), "ID:AMQP_STRING:ID:AMQP_ULONG:string-id"),
    (string("AMQP_ULONG:foo"), "AMQP_ULONG:foo"),
]


@pytest.mark.parametrize(("value", "text"), MESSAGE_IDS)
def test_a_message_id_reads_as_the_table_says(value: AmqpValue, text: str) -> None:
    assert message_id_text(value) == text


@pytest.mark.parametrize(("value", "text"), MESSAGE_IDS)
def test_a_correlation_id_set_from_a_message_id_is_that_message_id(value: AmqpValue, text: str) -> None:
    assert read_id(text) == value


@pytest.mark.parametrize("text", APPLICATION_SPECIFIC)
def test_an_application_specific_correlation_id_is_sent_as_a_string(text: str) -> None:
    assert read_id(text) == string(text)


@pytest.mark.parametrize(("value", "text"), CORRELATION_IDS)
def test_a_correlation_id_reads_as_the_table_says(value: AmqpValue, text: str) -> None:
    assert correlation_id_text(value) == text
    assert read_id(text) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ID:AMQP_ULONG:foo", "id.ulong"),
        ("ID:AMQP_ULONG:042", "id.ulong"),
        ("ID:AMQP_ULONG:", "id.ulong"),
        ("ID:AMQP_ULONG:-1", "id.ulong"),
        ("ID:AMQP_ULONG:+1", "id.ulong"),
        ("ID:AMQP_ULONG:٤٢", "id.ulong"),
        ("ID:AMQP_ULONG:18446744073709551616", "id.ulong"),
        ("ID:AMQP_ULONG:" + "9" * 5_000, "id.ulong"),
        ("ID:AMQP_BINARY:ABC", "id.binary"),
        ("ID:AMQP_BINARY:GG", "id.binary"),
        ("ID:AMQP_BINARY:AB CD", "id.binary"),
        ("ID:AMQP_UUID:0123abcd", "id.uuid"),
        ("ID:AMQP_UUID:0123abcd456789abcdef0123456789ab", "id.uuid"),
        ("ID:AMQP_UUID:{0123abcd-4567-89ab-cdef-0123456789ab}", "id.uuid"),
    ],
)
def test_a_text_that_does_not_have_the_form_it_names_is_an_error(text: str, code: str) -> None:
    with pytest.raises(DecodeError) as caught:
        read_id(text)
    assert caught.value.diagnostics[0].code == code
    assert caught.value.diagnostics[0].hint


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ID:AMQP_BINARY:abcDEF", "ID:AMQP_BINARY:ABCDEF"),
        ("ID:AMQP_UUID:0123ABCD-4567-89AB-CDEF-0123456789AB", f"ID:AMQP_UUID:{TOKEN}"),
        ("ID:AMQP_BINARY:abc", "ID:AMQP_BINARY:abc"),
        ("id:AMQP_BINARY:ab", "id:AMQP_BINARY:ab"),
        ("abc", "abc"),
    ],
)
def test_hexadecimal_digits_have_no_case(text: str, written: str) -> None:
    assert canonical(text) == written


@pytest.mark.parametrize("text", ["ID:AMQP_STRING:plain", "ID:AMQP_NO_PREFIX:ID:x", "plain"])
def test_a_text_that_no_message_id_reads_as_is_distinguished(text: str) -> None:
    assert text_of(text, message_id=True) != text


ids = st.one_of(
    st.text().map(string),
    st.sampled_from(("ID:", "ID:AMQP_BINARY:", "ID:AMQP_STRING:x", "ID:AMQP_NO_PREFIX:")).map(string),
    st.integers(0, 2**64 - 1).map(lambda number: AmqpValue(AmqpType.ULONG, number)),
    st.uuids().map(lambda uuid: AmqpValue(AmqpType.UUID, uuid)),
    st.binary(max_size=20).map(lambda data: AmqpValue(AmqpType.BINARY, data)),
)


@given(value=ids)
def test_every_id_comes_back_from_its_text(value: AmqpValue) -> None:
    for write in (message_id_text, correlation_id_text):
        text = write(value)
        assert text is not None
        assert read_id(text) == value
        assert canonical(text) == text


@given(first=ids, second=ids)
def test_different_ids_have_different_texts(first: AmqpValue, second: AmqpValue) -> None:
    assert (message_id_text(first) == message_id_text(second)) == (first == second)
    assert (correlation_id_text(first) == correlation_id_text(second)) == (first == second)


@given(text=st.text().map(lambda end: "ID:AMQP_" + end))
def test_any_text_is_an_id_or_an_error(text: str) -> None:
    try:
        value = read_id(text)
    except DecodeError:
        return
    assert correlation_id_text(value) is not None
