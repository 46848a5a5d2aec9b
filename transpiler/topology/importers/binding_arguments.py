"""Arguments of bindings, queues and exchanges: values of message JSON, whose AMQP types the file may lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import Entry, kind_of, refuse
from transpiler.base.errors import DecodeError, TopologyError
from transpiler.message.json import read_value
from transpiler.message.types import AmqpType, AmqpValue

#: Maximum nesting depth of lists and maps in an argument.
MAX_DEPTH = 20

#: Text for users: what it means that the file does not contain the types inside a list or map.
TYPES_LOST = (
    "JSON has lost the types of the values inside: it equals a header whose integers are of 64 bits, if there are any, "
    "whose fractions are doubles, and whose entries are in this order"
)


def read_arguments(
    parent: Entry, name: str, *, small: AmqpType = AmqpType.LONG, tagged: bool = False
) -> dict[str, AmqpValue]:
    """Return the arguments in the member ``name`` of ``parent``: AMQP value by name of the argument.

    ``small`` is the type of an integer that fits 32 bits. A JSON array is a list, and an object a map. If ``tagged`` is
    True, an object with only ``type`` and ``value`` is a value of this type.
    """
    if not parent.has(name):
        return {}
    entry = Entry.of(parent.data[name], parent.at(name))
    arguments = {}
    for key, value in entry.data.items():
        if not isinstance(key, str):
            refuse("topology.type", entry.path, mismatch("text as the name of an argument", kind_of(key)))
        entry.check_unicode(key, key)
        arguments[key] = _value(_with_types(value, small, tagged, entry.at(key)), entry.at(key))
    return arguments


def _with_types(value: Any, small: AmqpType, tagged: bool, path: str, depth: int = 0) -> Any:
    """Return ``value``, the value of an argument, as message JSON, with the types of its integers, lists and maps."""
    if depth > MAX_DEPTH:
        refuse("limit.nesting", path, f"values nest more than {MAX_DEPTH} deep")
    match value:
        case bool():
            return value
        case int() if small is not AmqpType.LONG and -(2**31) <= value < 2**31:
            return {"type": small.value, "value": value}
        case list() | tuple():
            return {"type": "list", "value": [_with_types(item, small, tagged, path, depth + 1) for item in value]}
        case Mapping():
            if tagged and set(value) <= {"type", "value"} and "type" in value:
                return value
            items = {key: _with_types(item, small, tagged, path, depth + 1) for key, item in value.items()}
            return {"type": "map", "value": items}
        case _:
            return value


def _value(value: Any, path: str) -> AmqpValue:
    """Return the AMQP value of ``value`` in message JSON; raise ``TopologyError`` with ``path`` if it is invalid."""
    try:
        return read_value(path, value)
    except DecodeError as error:
        [diagnostic] = error.diagnostics
        raise TopologyError([replace(diagnostic, code="topology.argument", path=path)]) from None
