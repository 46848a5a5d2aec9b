"""The tables of header fields: what each entry must have, and how a name is looked up."""

from __future__ import annotations

import pytest

from transpiler import Dialect, UnsupportedFeatureError, parse_selector
from transpiler.base.source import Span
from transpiler.language.selector.broker_dialects import ARTEMIS, QPID_CPP, RABBITMQ
from transpiler.language.selector.dialects import DIALECTS, JMS
from transpiler.message.header_fields import DESTINATION, NOW, Conversion, HeaderField
from transpiler.message.operand_types import OperandType

ENTRIES = [
    pytest.param(field, id=f"{dialect.name}-{field.name}")
    for dialect in DIALECTS.values()
    for field in (*dialect.fields.table.values(), *dialect.fields.sections.values())
]
PYTHON_TYPES = {OperandType.STRING: str, OperandType.BOOLEAN: bool}


@pytest.mark.parametrize("field", ENTRIES)
def test_a_default_is_the_value_that_a_selector_sees(field: HeaderField) -> None:
    if field.default is not None:
        assert type(field.default) is PYTHON_TYPES.get(field.type, int)


@pytest.mark.parametrize("field", ENTRIES)
def test_an_expiry_is_a_duration_and_times(field: HeaderField) -> None:
    for origin in field.origins:
        if origin.conversion in (Conversion.EXPIRY, Conversion.EXPIRY_UNLESS_ZERO):
            assert origin.message_fields[0].field == "ttl"
            assert origin.message_fields[-1] == NOW
        else:
            assert NOW not in origin.message_fields


@pytest.mark.parametrize("field", [field for field in JMS.fields.table.values() if not field.origins])
def test_a_field_of_the_standard_without_an_origin_says_why(field: HeaderField) -> None:
    assert field.unavailable_because


def test_a_hidden_name_is_a_field_without_origins() -> None:
    assert QPID_CPP.fields.find("amqp.foo") == HeaderField("amqp.foo", OperandType.STRING, ())
    assert QPID_CPP.fields.find("foo") is None


def test_an_annotation_is_read_by_its_key_and_by_the_key_with_hyphens() -> None:
    field = JMS.fields.find("amqp.annotation.x_opt_a")
    assert field is not None
    assert [message_field.field for message_field in field.message_fields] == ["x_opt_a", "x-opt-a"]
    assert JMS.fields.find("amqp.annotation.") is None
    assert RABBITMQ.fields.find("amqp.annotation.a") is None


@pytest.mark.parametrize("name", ["AMQSize", "AMQFullSize"])
def test_a_name_whose_value_only_the_broker_knows_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as error:
        parse_selector(f"a = 1 AND {name} > 1000", "artemis")
    [finding] = error.value.diagnostics
    assert (finding.code, finding.span) == ("name.unreadable", Span(10, 10 + len(name)))
    parse_selector(f"{name} > 1000", "activemq")


def test_a_section_has_fields_of_its_own() -> None:
    field = RABBITMQ.fields.find("subject", "properties")
    assert field is not None
    assert field.name == "properties.subject"
    assert RABBITMQ.fields.find("subject") is None
    assert JMS.fields.find("subject", "properties") is None


def test_a_field_knows_what_stands_in_for_it() -> None:
    fields = ARTEMIS.fields.table
    assert fields["JMSType"].falls_back_to_property
    assert fields["AMQGroupID"].falls_back_to_property
    assert fields["AMQAddress"].falls_back_to_property
    assert not fields["JMSPriority"].falls_back_to_property
    # The only location of this field is a property.
    assert not JMS.fields.table["JMSXAppID"].falls_back_to_property


def test_places_are_those_of_the_message() -> None:
    field = DIALECTS["activemq"].fields.table["JMSDestination"]
    assert DESTINATION in [message_field for origin in field.origins for message_field in origin.message_fields]
    assert [message_field.field for message_field in field.message_fields] == ["to"]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_only_the_text_of_a_jms_id_has_digits_without_case(dialect: Dialect) -> None:
    ids = {name for name, field in dialect.fields.table.items() if field.is_jms_id}
    assert ids == ({"JMSMessageID", "JMSCorrelationID"} if dialect is JMS else set())
