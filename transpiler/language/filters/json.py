"""Conversion between filters and JSON: ``{"descriptor": "apache.org:selector-filter:string", "value": "…"}``.

A numeric descriptor is an integer, or a string such as ``"0x0000468C:0x00000004"``. A value is plain JSON or tagged
with its type, as in message JSON. The descriptor determines whether the value is a text, a list of filters or a map.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.entries import kind_of
from transpiler.base.errors import DecodeError
from transpiler.language.filters.amqp_form import (
    MAX_DEPTH,
    MAX_ENTRIES,
    SESSION,
    SESSION_CODE,
    STREAM,
    UNFILTERED,
    X_MATCH,
    refusal,
    to_value,
)
from transpiler.language.filters.descriptors import Payload, find_descriptor, read_code
from transpiler.language.filters.kinds import KINDS, Filter, NoLocal, PropertiesFilter
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, Value
from transpiler.message.json import read_field, read_value, value_to_json
from transpiler.message.sections import PROPERTY_TYPES
from transpiler.message.types import AmqpType, AmqpValue

_KEYS = {"descriptor", "value"}


def is_described(data: object) -> bool:
    """Return True if ``data`` has the form of a filter in JSON: an object with a descriptor and a value."""
    return isinstance(data, Mapping) and "descriptor" in data and not isinstance(data["descriptor"], Mapping)


def is_described_by_client(data: object) -> bool:
    """Return True if ``data`` is a described value of an AMQP client library such as Qpid Proton.

    To avoid importing a client, this checks that the class is named Described and has ``descriptor`` and ``value``.
    """
    return type(data).__name__ == "Described" and hasattr(data, "descriptor") and hasattr(data, "value")


def _of_client(data: Any, depth: int = 0) -> Any:
    """Convert a value of an AMQP client library to the JSON of filters, with the AMQP types of its classes."""
    if depth > 2 * MAX_DEPTH:
        # Stop the recursion. The value None lets ``from_json`` raise the error for too deep nesting, with the path.
        return None
    if is_described_by_client(data):
        descriptor = data.descriptor
        name = int(descriptor) if isinstance(descriptor, int) else str(descriptor)
        return {"descriptor": name, "value": _of_client(data.value, depth + 1)}
    if isinstance(data, Mapping):
        return {str(key): _of_client(item, depth + 1) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [_of_client(item, depth + 1) for item in data]
    known = _CLIENTS_TYPES.get(type(data).__name__)
    if known is None:
        return data
    kind, plain = known
    return AmqpValue(kind, plain(data))


#: The classes with which Qpid Proton marks the AMQP type of a value, by name: the AMQP type, and the Python type of the
#: value.
_CLIENTS_TYPES: Mapping[str, tuple[AmqpType, type]] = {
    **{kind.value: (kind, int) for kind in (AmqpType.BYTE, AmqpType.SHORT, AmqpType.UBYTE, AmqpType.USHORT)},
    **{kind.value: (kind, int) for kind in (AmqpType.UINT, AmqpType.ULONG, AmqpType.TIMESTAMP)},
    "int32": (AmqpType.INT, int),
    "float32": (AmqpType.FLOAT, float),
    "symbol": (AmqpType.SYMBOL, str),
    "char": (AmqpType.CHAR, str),
}


def from_json(data: Any, path: str, depth: int = 0) -> Value:
    """Convert the JSON of a filter to its AMQP value; raise ``DecodeError`` with the path of the first error.

    ``Reader`` checks the type of the payload afterwards, as it does for filters from bytes.
    """
    if isinstance(data, Described):
        return data
    if isinstance(data, KINDS):
        return to_value(data)
    if is_described_by_client(data):
        data = _of_client(data)
    if depth >= MAX_DEPTH:
        raise refusal("filters.limit", path, f"filters are nested more than {MAX_DEPTH} levels deep")
    if not is_described(data) or set(data) != _KEYS:
        shown = f"an object with {', '.join(map(repr, data))}" if isinstance(data, Mapping) and data else kind_of(data)
        hint = 'a filter is an object such as {"descriptor": …, "value": …}'
        raise refusal("filters.not-described", path, mismatch("a filter", shown), hint)
    name = _descriptor(data["descriptor"], path)
    code_or_symbol = name.value
    row = find_descriptor(code_or_symbol) if isinstance(code_or_symbol, str | int) else None
    content, inside = data["value"], f"{path}.value"
    if code_or_symbol in (STREAM, UNFILTERED):
        return Described(name, _texts(content, inside))
    if code_or_symbol in (SESSION, SESSION_CODE):
        return Described(name, read_value(inside, content))
    if row is None or row.kind is None:
        # The descriptor is unknown, so the type of its payload is unknown, too. A null is enough: the later error names
        # only the descriptor.
        return Described(name, AmqpValue(AmqpType.NULL, None))
    if row.payload is Payload.LIST and row.kind is not NoLocal and isinstance(content, list | tuple):
        items = (from_json(item, f"{inside}[{number}]", depth + 1) for number, item in enumerate(content))
        return Described(name, AmqpList(tuple(items)))
    if not isinstance(content, Mapping) or row.payload is not Payload.MAP:
        return Described(name, _payload(content, inside))
    if len(content) > MAX_ENTRIES:
        raise refusal("filters.limit", inside, f"maps have more than {MAX_ENTRIES:,} entries in all")
    key_type = AmqpType.SYMBOL if row.kind is PropertiesFilter else AmqpType.STRING
    entries = []
    for key, item in content.items():
        if not isinstance(key, str):
            raise refusal("filters.key", inside, mismatch("text as key", kind_of(key)))
        value = _entry(item, f"{inside}.{key}", key, row.kind is PropertiesFilter)
        entries.append((AmqpValue(key_type, key), value))
    return Described(name, AmqpMap(tuple(entries)))


def _texts(content: Any, path: str) -> Value:
    """Convert a filter's payload from JSON to AMQP: a string, a boolean, or a list whose strings are kept.

    Any other payload becomes an AMQP null, and so does any other item of a list.
    """
    if isinstance(content, list | tuple):
        items = content[: MAX_ENTRIES + 1]
        return AmqpList(tuple(_texts(item, path) if isinstance(item, str) else _NOTHING for item in items))
    return read_value(path, content) if isinstance(content, str | bool) else _NOTHING


_NOTHING = AmqpValue(AmqpType.NULL, None)


def _payload(content: Any, path: str) -> Value:
    """Convert a payload of the wrong form from JSON to AMQP, only so that the error can name its type.

    The items of a list or map are dropped.
    """
    match content:
        case list() | tuple():
            return AmqpList(tuple(AmqpValue(AmqpType.NULL, None) for _ in content[: MAX_ENTRIES + 1]))
        case Mapping() if "type" not in content:
            return AmqpMap(())
        case _:
            return read_value(path, content)


def _entry(item: Any, path: str, key: str, of_properties: bool) -> AmqpValue:
    if key == X_MATCH and isinstance(item, str):
        # JSON has no symbols, so a string is accepted as a symbol.
        return AmqpValue(AmqpType.SYMBOL, item)
    if of_properties and key.replace("-", "_") in PROPERTY_TYPES and not isinstance(item, AmqpValue | Mapping):
        allowed = PROPERTY_TYPES[key.replace("-", "_")]
        if allowed[0] is AmqpType.BINARY and isinstance(item, str):
            raise _bytes_refusal(path, key, item)
        value = read_field("properties", key.replace("-", "_"), path, item)
        return value if isinstance(value, AmqpValue) else AmqpValue(allowed[0], value)
    return read_value(path, item)


def _bytes_refusal(path: str, key: str, text: str) -> DecodeError:
    """Return the error for a JSON string where bytes are required: it may be the bytes as text, or their base64."""
    as_text = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()
    hint = f'perhaps write {{"type": "binary", "value": "{as_text}"}} for the bytes of the text'
    with suppress(ValueError):
        octets = base64.b64decode(text, validate=True)
        hint += f', or {{"type": "binary", "value": "{text}"}} for the bytes X\'{octets.hex().upper()}\' in base64'
    return refusal(
        "filters.bytes",
        path,
        f"{key} must be bytes, and {text!r} may be the text of the bytes or their base64 encoding",
        hint,
    )


def _descriptor(name: object, path: str) -> AmqpValue:
    match name:
        case bool():
            pass
        case int() if 0 <= name < 2**64:
            return AmqpValue(AmqpType.ULONG, name)
        case str():
            code = read_code(name)
            if code is not None and code < 2**64:
                return AmqpValue(AmqpType.ULONG, code)
            if name.isascii():
                return AmqpValue(AmqpType.SYMBOL, name)
    hint = (
        'a descriptor is a symbol, such as "apache.org:selector-filter:string", or a code, such as '
        '"0x0000468C:0x00000004"'
    )
    raise refusal("filters.descriptor", path, f"{name!r} is not a descriptor", hint)


def to_json(node: Filter) -> dict[str, Any]:
    """Convert ``node`` to JSON from which ``read_filters`` reads the same filter."""
    return _described(to_value(node))


def _described(value: Described) -> dict[str, Any]:
    assert isinstance(value.descriptor, AmqpValue)
    match value.value:
        case AmqpList(items=items):
            content: Any = [
                _described(item) if isinstance(item, Described) else value_to_json(item)
                for item in items
                if isinstance(item, Described | AmqpValue)
            ]
        case AmqpMap(entries=entries):
            content = {
                str(key.value): value_to_json(item)
                for key, item in entries
                if isinstance(key, AmqpValue) and isinstance(item, AmqpValue)
            }
        case AmqpValue() as text:
            content = value_to_json(text)
        case other:
            raise AssertionError(other)
    return {"descriptor": value.descriptor.value, "value": content}
