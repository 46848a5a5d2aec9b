"""Writes docs/headers.md from the table of fields: python docs/headers.py > docs/headers.md."""

from __future__ import annotations

from transpiler import transpile_selector
from transpiler.message.header_fields import DESTINATION, NOW, Conversion, HeaderField, MessageField
from transpiler.message.jms_fields import ANNOTATION, JMS_FIELDS
from transpiler.message.operand_types import OperandType

SAYS = {
    Conversion.AS_IS: "{0}",
    Conversion.ANY_ID: "{0}",
    Conversion.INTEGER: "{0}, if it is an integer",
    Conversion.TEXT: "{0} as UTF-8",
    Conversion.DELIVERY_MODE: "{0}",
    Conversion.PRIORITY: "{0}, at most 9",
    Conversion.REDELIVERED: "{0} > 0",
    Conversion.DELIVERY_COUNT: "{0} + 1",
    Conversion.GROUP_SEQUENCE: "{0}, folded into 32 signed bits",
    Conversion.EXPIRY: "{0} + {1}; if that is absent, {0} + {2}",
    Conversion.MESSAGE_ID: "{0} as text",
    Conversion.CORRELATION_ID: "{0} as text",
}

EXAMPLES = {
    OperandType.STRING: "{} = 'x'",
    OperandType.BOOLEAN: "{}",
    OperandType.BYTES: "{} IS NOT NULL",
    OperandType.SHORT: "{} > 6",
    OperandType.INT: "{} > 6",
    OperandType.LONG: "{} > 6",
}
#: The types that Java calls otherwise.
JAVA_TYPES = {OperandType.STRING: "String", OperandType.BYTES: "byte[]"}
SPECIAL = {
    "JMSMessageID": "JMSMessageID = 'ID:AMQP_ULONG:42'",
    "JMSDeliveryMode": "JMSDeliveryMode = 'PERSISTENT'",
    "JMSXGroupSeq": "JMSXGroupSeq = -1",
}
REGION = transpile_selector(f"{ANNOTATION}region = 'x'").sql


def code(text: str) -> str:
    """Text in a cell of a table, as it is."""
    ticks = "``" if "`" in text else "`"
    escaped = text.replace("|", "\\|")
    return f"{ticks}{escaped}{ticks}"


def field_name(message_field: MessageField) -> str:
    """A field of a message, or of its receiver."""
    receiver = {NOW: "the current time (`now=`)", DESTINATION: "the consumer's destination (`destination=`)"}
    return receiver.get(message_field) or f"`{message_field.section}.{message_field.field}`"


def origin(field: HeaderField) -> str:
    """Where a field is read from."""
    parts = [
        SAYS[item.conversion].format(*map(field_name, item.message_fields))
        for item in field.origins
        if item.message_fields[0].section != "delivery_properties"
    ]
    return "; else ".join(parts) or f"nowhere: {field.unavailable_because}"


def row(field: HeaderField) -> str:
    """One line of the table."""
    selector = SPECIAL.get(field.name) or EXAMPLES[field.type].format(field.name)
    sql = transpile_selector(selector).sql
    value = str(field.default).upper() if isinstance(field.default, bool) else field.default
    default = "missing" if value is None else f"`{value}`"
    name = f"`{field.name}`" + (" ¹" if field.restricted else "")
    cells = (
        name,
        origin(field),
        JAVA_TYPES.get(field.type, field.type.value),
        default,
        field.source,
        code(selector),
        code(sql),
    )
    return f"| {' | '.join(cells)} |"


def page() -> str:
    """The whole page."""
    lines = [
        "# Header names",
        "",
        "This page is for everybody who uses a name in a selector that is read from a header field of a message, and",
        "not from its application properties. For each name, the table shows the field of AMQP 1.0 from which it is",
        "read, its type, its value if the field is absent, the document that defines it, and an example: a selector",
        "and its SQL over the canonical layout.",
        "",
        "In the column *source* of the table, *filters* stands for the Apache AMQP filter document, *filters (XML)*",
        "for the older version of that document, and *mapping* for the AMQP JMS mapping, working draft 10.",
        "",
        "¹ Jakarta Messaging does not allow the names with this mark in selectors, and some brokers refuse them. This",
        "project accepts these names with a warning.",
        "",
        "| name | read from | type | default | source | selector | Spark SQL |",
        "|---|---|---|---|---|---|---|",
        *(row(field) for field in JMS_FIELDS.table.values()),
        f"| `{ANNOTATION}KEY` | [the annotation `KEY`](#annotations) | that of the annotation | missing | this project "
        f"| `{ANNOTATION}region = 'x'` | `{REGION}` |",
        "",
        "## Annotations",
        "",
        f"A name that consists of `{ANNOTATION}` and a key, such as `{ANNOTATION}x-opt-tenant`, reads the message",
        "annotation with this key, with the annotation's own type. The name ends at the first blank or operator, but a",
        f"hyphen is part of the name. `{ANNOTATION}x_opt_tenant` reads the annotation `x_opt_tenant` if the message",
        f"has it, and otherwise `x-opt-tenant`. `{ANNOTATION}x-opt-offset`, the offset of Event Hubs, is a string that",
        "contains a number, and a comparison such as `> '100'` compares that number.",
        "",
        "## IDs",
        "",
        "The names `amqp.message_id` and `amqp.correlation_id` return an ID as a string, a long, or bytes, depending",
        "on the type of the ID in the message. The names `JMSMessageID` and `JMSCorrelationID` return the same ID as a",
        "text in one of the following forms (mapping 3.2.1.1):",
        "",
        "| AMQP | `JMSMessageID` | `JMSCorrelationID` |",
        "|---|---|---|",
        "| string `ID:a` | `ID:a` | `ID:a` |",
        "| string `a` | `ID:AMQP_NO_PREFIX:a` | `a` |",
        "| string `ID:AMQP_ULONG:a` | `ID:AMQP_STRING:ID:AMQP_ULONG:a` | `ID:AMQP_STRING:ID:AMQP_ULONG:a` |",
        "| ulong 42 | `ID:AMQP_ULONG:42` | `ID:AMQP_ULONG:42` |",
        "| uuid | `ID:AMQP_UUID:01234567-89ab-cdef-0123-456789abcdef` | the same |",
        "| binary ABCDEF | `ID:AMQP_BINARY:ABCDEF` | the same |",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
