"""Which parts of a message a name reads, and which names of another dialect read the same part."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.message.broker_fields import SECTION_FIELDS, BrokerField
from transpiler.message.fields import HEADER_FIELDS, RECEIVER, MessageField, find_field
from transpiler.selector import ast
from transpiler.selector.dialect_rules import Extension
from transpiler.selector.dialects import JMS, Dialect

_PROPERTIES = "application_properties"
#: What XPATH reads.
BODY = MessageField("body", "value")


def places_of(node: ast.Expression, dialect: Dialect) -> Iterator[MessageField]:
    """The places that the names of a tree read, and the body where a query does."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Identifier):
            yield from name_places(inner, dialect)
        elif isinstance(inner, ast.BodyQuery):
            yield BODY


def name_places(node: ast.Identifier, dialect: Dialect) -> tuple[MessageField, ...]:
    """The places that one name reads, in order; none for a name that is always NULL."""
    own = MessageField(_PROPERTIES, node.name)
    if node.section is not None:
        return SECTION_FIELDS[node.section, node.name].places
    if dialect.fields is JMS.fields:
        field = find_field(node.name)
        return (
            (own,)
            if field is None
            else tuple(place for place in field.places if place.section != "delivery_properties")
        )
    broker_field = dialect.fields.find(node.name)
    if broker_field is None:
        return (own,)
    places = tuple(place for place in broker_field.places if place.section != RECEIVER)
    if broker_field.lifetime is not None:
        places += (broker_field.lifetime,)
    return (*places, own) if broker_field.or_property else places


def is_property(node: ast.Identifier, dialect: Dialect) -> bool:
    """Whether a name is that of an application property."""
    return [place.section for place in name_places(node, dialect)] == [_PROPERTIES]


def broker_field(node: ast.Expression, dialect: Dialect) -> BrokerField | None:
    """The field of a broker's own table behind a name."""
    if not isinstance(node, ast.Identifier) or dialect.fields is JMS.fields:
        return None
    return SECTION_FIELDS[node.section, node.name] if node.section else dialect.fields.find(node.name)


def names_in(node: ast.Identifier, source: Dialect, target: Dialect) -> list[ast.Identifier]:
    """The names by which the target may see what a name of the source reads; the likeliest first."""
    same = ast.Identifier(node.name)
    if is_property(node, source):
        return [same] if is_property(same, target) else []
    places = name_places(node, source)
    if not places:
        # Always NULL there: any name will do that is always NULL here too, and only a constant is sure.
        return [same] if not name_places(same, target) else []
    names = [name for name in _field_names(target) if places[0] in name_places(name, target)]
    return sorted(names, key=lambda name: (name.name != node.name, not name.name.startswith("JMS")))


def _field_names(dialect: Dialect) -> Iterator[ast.Identifier]:
    if dialect.fields is JMS.fields:
        yield from (ast.Identifier(name) for name in HEADER_FIELDS)
    else:
        yield from (ast.Identifier(name) for name in dialect.fields.table)
    if dialect.has(Extension.SECTIONS):
        yield from (ast.Identifier(field, section=section) for section, field in SECTION_FIELDS)
