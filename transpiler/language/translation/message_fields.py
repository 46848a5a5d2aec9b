"""The fields of an AMQP 1.0 message that the names in a condition read."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.message.header_fields import PROPERTIES, MessageField

#: The message field that XPATH reads.
BODY = MessageField("body", "value")


def message_fields_of(node: ast.Expression, dialect: Dialect) -> Iterator[MessageField]:
    """Yield the message fields that the names in the tree ``node`` read, and ``BODY`` for each query of the body."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Identifier):
            yield from fields_of_name(inner, dialect)
        elif isinstance(inner, ast.BodyQuery):
            yield BODY


def fields_of_name(node: ast.Identifier, dialect: Dialect) -> tuple[MessageField, ...]:
    """Return the AMQP 1.0 fields from which the name ``node`` is read, in order of precedence; empty if always NULL."""
    field = dialect.fields.find(node.name, node.section)
    if field is None:
        return (MessageField(PROPERTIES, node.name),)
    return tuple(
        message_field for message_field in field.message_fields if message_field.section != "delivery_properties"
    )


def is_property(node: ast.Identifier, dialect: Dialect) -> bool:
    """Return True if ``node`` is the name of an application property."""
    return [message_field.section for message_field in fields_of_name(node, dialect)] == [PROPERTIES]
