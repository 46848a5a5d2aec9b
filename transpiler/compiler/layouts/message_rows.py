"""Write messages as rows of the canonical schema, with times in milliseconds; ``amqp_rows`` reads such rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from transpiler.base.errors import LayoutError
from transpiler.compiler.ir.column_types import AMQP_TYPES
from transpiler.compiler.layouts.columns import MAPS, SIMPLE_TYPES, UNION
from transpiler.message.message import Message
from transpiler.message.sections import Body, Header, Properties, Values
from transpiler.message.types import CLASS_OF, AmqpType, AmqpValue, Compound, coerce

_TEXTS = {AmqpType.STRING, AmqpType.SYMBOL}


def canonical_row(
    message: Message, sections: Collection[str], promoted: Mapping[str, str], mixed: Collection[str]
) -> dict[str, Any]:
    """Return ``message`` as a row with the columns ``sections`` and a column for each property in ``promoted``.

    If a promoted property that is not in ``mixed`` has another type than its column, raise ``LayoutError``.
    """
    contents = {section: getattr(message, section) for section in sections}
    row: dict[str, Any] = {
        section: unions(content) if section in MAPS else _struct_row(content) for section, content in contents.items()
    }
    properties = message.application_properties or {}
    for name in promoted:
        row[name] = _promoted_value(name, properties.get(name), promoted[name], name in mixed)
    return row


def _promoted_value(name: str, value: AmqpValue | Compound | None, type_name: str, is_mixed: bool) -> object:
    if value is None or value == AmqpValue(AmqpType.NULL, None):
        return None
    if is_mixed:
        [class_field] = [field for field, kind in UNION.items() if field != "type" and kind.kind.value == type_name]
        return (union(value) or {})[class_field]
    own = AMQP_TYPES[SIMPLE_TYPES[type_name].kind]
    if isinstance(value, AmqpValue) and (value.type is own or {value.type, own} == _TEXTS):
        return coerce(value)
    kind = value.type if isinstance(value, AmqpValue) else value
    raise LayoutError.at(
        "layout.promoted",
        f"the property {name} has the type {kind.value}, but its column of the type {type_name} "
        f"stores only {own.value}",
        hint="perhaps add the property to mixed: values of other types are then stored in the map of "
        "application properties",
    )


def union(value: AmqpValue | Compound | None) -> dict[str, Any] | None:
    """Return ``value`` as a tagged union ``V``: a struct in which at most one field besides ``type`` is set."""
    if value is None:
        return None
    row: dict[str, Any] = dict.fromkeys(UNION)
    if isinstance(value, Compound):
        return row | {"type": value.value}
    row["type"] = value.type.value
    if value.type in CLASS_OF:
        row[CLASS_OF[value.type].value] = coerce(value)
    return row


def unions(values: Values | None) -> dict[str, Any] | None:
    """Return the values of a map section, such as application-properties, as tagged unions ``V``."""
    return None if values is None else {key: union(value) for key, value in values.items()}


def _struct_row(section: Header | Properties | Body | None) -> dict[str, Any] | None:
    if section is None:
        return None
    contents = {item.name: getattr(section, item.name) for item in fields(section)}
    return {
        name: union(value) if isinstance(value, AmqpValue | Compound) else value for name, value in contents.items()
    }
