"""Places of an AMQP 1.0 message that the names of a condition read."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.message.header_fields import PROPERTIES, MessageField

#: The place that XPATH reads.
BODY = MessageField("body", "value")


def places_of(node: ast.Expression, dialect: Dialect) -> Iterator[MessageField]:
    """Yield the places that the names of a tree read, and the body where a query does."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Identifier):
            yield from name_places(inner, dialect)
        elif isinstance(inner, ast.BodyQuery):
            yield BODY


def name_places(node: ast.Identifier, dialect: Dialect) -> tuple[MessageField, ...]:
    """Return the places of an AMQP 1.0 message that one name reads, in order; none for a name that is always NULL."""
    field = dialect.fields.find(node.name, node.section)
    if field is None:
        return (MessageField(PROPERTIES, node.name),)
    return tuple(place for place in field.places if place.section != "delivery_properties")


def is_property(node: ast.Identifier, dialect: Dialect) -> bool:
    """Return True if a name is that of an application property."""
    return [place.section for place in name_places(node, dialect)] == [PROPERTIES]
