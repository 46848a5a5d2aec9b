"""Message JSON: one object for each message, with the sections and fields of the canonical schema.

Reading is strict: an unknown section or field, or a value that does not fit its type, raises ``DecodeError`` with the
path.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn
from uuid import UUID

from transpiler.base.diagnostics import Remedy, meant, mismatch
from transpiler.base.documents.entries import kind_of
from transpiler.base.errors import DecodeError
from transpiler.base.ieee754 import float32, special_name
from transpiler.base.source import half_surrogate
from transpiler.message.amqp.decoder import MAX_DEPTH, decode
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpArray, AmqpList, AmqpMap, Value
from transpiler.message.sections import FIELD_TYPES, PROPERTY_TYPES, Body, Header, Properties, Values
from transpiler.message.types import INTEGER_RANGES, AmqpType, AmqpValue, Compound, Primitive


def read_sections(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections in the message JSON ``data``, by name.

    Raise ``DecodeError`` with the path of the first error.
    """
    if not isinstance(data, Mapping):
        _refuse("message.not-an-object", f"a message must be a JSON object of sections, not {kind_of(data)}")
    _known_names(data, _SECTIONS, "", "section")
    return {name: _SECTIONS[name](name, value) for name, value in data.items() if value is not None}


def read_field(section: str, name: str, path: str, value: Any) -> Any:
    """Return the value of the field ``name`` of ``section``; raise ``DecodeError`` with ``path`` if it is invalid."""
    return _FIELDS[section][name](path, value)


def section_to_json(content: Header | Properties | Body | Values) -> dict[str, Any]:
    """Return the JSON of a section, without absent fields. A value is plain if plain JSON determines its AMQP type."""
    if isinstance(content, Mapping):
        return {key: value_to_json(value) for key, value in content.items()}
    return _fields_to_json(content)


def _refuse(code: str, message: str, path: str = "", hint: str | None = None, fix: Remedy | None = None) -> NoReturn:
    raise DecodeError.at(code, f"{path}: {message}" if path else message, hint=hint, fix=fix)


def _known_names(data: Mapping[str, Any], known: Mapping[str, object], path: str, what: str) -> None:
    for name in data:
        if name not in known:
            hint, fix = meant(name, known, path) if isinstance(name, str) else (None, None)
            hint = hint or f"the {what}s are {', '.join(known)}"
            _refuse(f"message.unknown-{what}", f"there is no {what} called {name!r}", path, hint, fix)


def _integer(low: int, high: int) -> Callable[[str, Any], int]:
    def read(path: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            _refuse("message.type", mismatch("an integer", kind_of(value)), path)
        if not low <= value <= high:
            _refuse("message.range", f"{value} is outside the range {low} to {high}", path)
        return value

    return read


def _boolean(path: str, value: Any) -> bool:
    if not isinstance(value, bool):
        _refuse("message.type", mismatch("true or false", kind_of(value)), path)
    return value


def _text(path: str, value: Any) -> str:
    if not isinstance(value, str):
        _refuse("message.type", mismatch("text", kind_of(value)), path)
    if half_surrogate(value) is not None:
        _refuse("message.unicode", "holds half of a surrogate pair, which is not valid Unicode text", path)
    return value


def _symbol(path: str, value: Any) -> str:
    text = _text(path, value)
    if not text.isascii():
        _refuse("message.type", "a symbol must contain only ASCII characters", path)
    return text


def _char(path: str, value: Any) -> str:
    text = _text(path, value)
    if len(text) != 1:
        _refuse("message.type", f"a char must be one Unicode code point, not {len(text)}", path)
    return text


def _bytes(path: str, value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return base64.b64decode(_text(path, value), validate=True)
    except (binascii.Error, ValueError):
        _refuse("message.base64", "is not base64", path)


def _uuid(path: str, value: Any) -> UUID:
    try:
        return value if isinstance(value, UUID) else UUID(_text(path, value))
    except ValueError:
        _refuse("message.type", f"{value!r} is not a UUID", path, "write the UUID as 8-4-4-4-12 hexadecimal digits")


def _double(path: str, value: Any) -> float:
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse("message.type", mismatch("a number", kind_of(value)), path)
    try:
        return float(value)
    except OverflowError:
        _refuse("message.range", "is larger than any double", path)


def _float(path: str, value: Any) -> float:
    return float32(_double(path, value))


def _decimal(path: str, value: Any) -> Decimal:
    if isinstance(value, Decimal):
        return value
    try:
        return Decimal(_text(path, value))
    except InvalidOperation:
        _refuse("message.type", f"{value!r} is not a decimal number", path)


def _null(path: str, value: Any) -> None:
    if value is not None:
        _refuse("message.type", f"a null must not have a value, found {kind_of(value)}", path)


#: For each AMQP type, the function that reads a value from ``{"type": T, "value": X}``. Its arguments are the path for
#: error messages, and X. It checks the bounds of part 1 of the AMQP standard.
_READERS: Mapping[AmqpType, Callable[[str, Any], Primitive]] = {
    AmqpType.NULL: _null,
    AmqpType.BOOLEAN: _boolean,
    **{kind: _integer(low, high) for kind, (low, high) in INTEGER_RANGES.items()},
    AmqpType.FLOAT: _float,
    AmqpType.DOUBLE: _double,
    AmqpType.DECIMAL32: _decimal,
    AmqpType.DECIMAL64: _decimal,
    AmqpType.DECIMAL128: _decimal,
    AmqpType.CHAR: _char,
    AmqpType.UUID: _uuid,
    AmqpType.BINARY: _bytes,
    AmqpType.STRING: _text,
    AmqpType.SYMBOL: _symbol,
}

_COMPOUNDS = {compound.value: compound for compound in Compound}

#: The compound AMQP types that a value in a map section can have, by name. A described value is not allowed there.
_HOLDERS = {name: compound for name, compound in _COMPOUNDS.items() if compound is not Compound.DESCRIBED}

_TYPES = {amqp_type.value: amqp_type for amqp_type in AmqpType}


def read_value(path: str, value: Any) -> AmqpValue:
    """Read the AMQP value of a map section from JSON, either plain or typed as ``{"type": T, "value": X}``.

    In a typed list or map, the members of X are read in the same way. A list, map or array without X has unknown
    content.
    """
    match value:
        case AmqpValue():
            return value
        case None:
            return AmqpValue(AmqpType.NULL, None)
        case bool():
            return AmqpValue(AmqpType.BOOLEAN, value)
        case int():
            return AmqpValue(AmqpType.LONG, _READERS[AmqpType.LONG](path, value))
        case float():
            return AmqpValue(AmqpType.DOUBLE, value)
        case str():
            return AmqpValue(AmqpType.STRING, _text(path, value))
        case Mapping():
            _known_names(value, {"type": 0, "value": 0}, path, "key")
            name = value.get("type")
            if isinstance(name, str) and name in _HOLDERS:
                content = b"" if value.get("value") is None else encode(_compound(path, name, value["value"], 0))
                return AmqpValue(_HOLDERS[name], content)
            if not isinstance(name, str) or name not in _TYPES:
                names = [*_TYPES, *_HOLDERS]
                hint, fix = meant(str(name), names, path)
                hint = hint or f"the types are {', '.join(names)}"
                _refuse("message.unknown-type", f"there is no AMQP type called {name!r}", path, hint, fix)
            amqp_type = _TYPES[name]
            if value.get("value") is None:
                return AmqpValue(AmqpType.NULL, None)
            return AmqpValue(amqp_type, _READERS[amqp_type](path, value["value"]))
        case _:
            _refuse("message.type", mismatch("a simple value", kind_of(value)), path)


def _compound(path: str, name: str, value: Any, depth: int) -> Value:
    """Return the AMQP list or map with the JSON content ``value``, at ``depth`` levels of nesting.

    ``name`` is the AMQP type.
    """
    if depth >= MAX_DEPTH:
        _refuse("message.depth", f"values are nested more than {MAX_DEPTH} levels deep", path)
    match name, value:
        case "list", list() | tuple():
            return AmqpList(tuple(_inner(f"{path}[{index}]", item, depth) for index, item in enumerate(value)))
        case "map", Mapping():
            keys = [AmqpValue(AmqpType.STRING, _text(path, key)) for key in value]
            items = [_inner(f"{path}.{key}", item, depth) for key, item in value.items()]
            return AmqpMap(tuple(zip(keys, items, strict=True)))
        case _:
            hint = "a list has an array, a map an object; write an array as a list, or without its value"
            _refuse("message.type", f"{kind_of(value)} is not the content of the type {name}", path, hint)


def _inner(path: str, value: Any, depth: int) -> Value:
    if isinstance(value, Mapping) and value.get("type") in ("list", "map") and value.get("value") is not None:
        _known_names(value, {"type": 0, "value": 0}, path, "key")
        return _compound(path, value["type"], value["value"], depth + 1)
    return read_value(path, value)


def _body_value(path: str, value: Any) -> AmqpValue | Compound:
    """Return the value of a body. For a list, map, array or described value, it is only the type."""
    if isinstance(value, Compound):
        return value
    if isinstance(value, Mapping) and value.get("value") is None and value.get("type") in _COMPOUNDS:
        return _COMPOUNDS[value["type"]]
    return read_value(path, value)


def _id(path: str, value: Any) -> AmqpValue:
    """Return the message id or correlation id in the JSON ``value``. A plain integer is a ulong."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = {"type": "ulong", "value": value}
    result = read_value(path, value)
    if result.type not in PROPERTY_TYPES["message_id"]:
        _refuse("message.type", f"an id must be a string, ulong, uuid or binary, not {result.type.value}", path)
    return result


def _values(path: str, value: Any) -> Values:
    if not isinstance(value, Mapping):
        _refuse("message.type", mismatch("an object of names and values", kind_of(value)), path)
    return {_text(path, key): read_value(f"{path}.{key}", item) for key, item in value.items()}


def _section(record: Callable[..., Any], readers: Mapping[str, Callable[[str, Any], Any]]) -> Callable[[str, Any], Any]:
    def read(path: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            _refuse("message.type", mismatch("an object of fields", kind_of(value)), path)
        _known_names(value, readers, path, "field")
        present = {name: item for name, item in value.items() if item is not None}
        return record(**{name: readers[name](f"{path}.{name}", item) for name, item in present.items()})

    return read


def _body_section(path: str, value: Any) -> str:
    text = _text(path, value)
    if text not in ("data", "amqp-sequence", "amqp-value"):
        _refuse(
            "message.type",
            f"{text!r} is not a body section",
            path,
            "the body sections are data, amqp-sequence and amqp-value",
        )
    return text


_FIELDS: Mapping[str, Mapping[str, Callable[[str, Any], Any]]] = {
    section: {name: _READERS[types[0]] if len(types) == 1 else _id for name, types in fields_of.items()}
    for section, fields_of in FIELD_TYPES.items()
} | {"body": {"section": _body_section, "data": _bytes, "value": _body_value}}

_read_body = _section(Body, _FIELDS["body"])


def _body(path: str, value: Any) -> Any:
    """Return the body in the JSON ``value``. A null in an amqp-value section is AMQP's null, not an absent value."""
    if isinstance(value, str):
        hint = 'a text is {"section": "amqp-value", "value": "…"}'
        _refuse("message.type", mismatch("an object of fields", kind_of(value)), path, hint)
    body = _read_body(path, value)
    if body.section == "amqp-value" and body.value is None and "value" in value:
        return replace(body, value=AmqpValue(AmqpType.NULL, None))
    return body


_SECTIONS: Mapping[str, Callable[[str, Any], Any]] = {
    "header": _section(Header, _FIELDS["header"]),
    "delivery_annotations": _values,
    "message_annotations": _values,
    "properties": _section(Properties, _FIELDS["properties"]),
    "application_properties": _values,
    "body": _body,
    "footer": _values,
    "header_values": _values,
}


#: The names of all sections of message JSON. ``header_values`` is an additional section for the header fields of rows
#: that have one typed column for each.
SECTION_NAMES = tuple(_SECTIONS)


def _fields_to_json(section: Header | Properties | Body) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for item in fields(section):
        value = getattr(section, item.name)
        match value:
            case None:
                continue
            case AmqpValue():
                result[item.name] = value_to_json(value)
            case Compound():
                result[item.name] = {"type": value.value}
            case bytes():
                result[item.name] = base64.b64encode(value).decode()
            case _:
                result[item.name] = value
    return result


def value_to_json(value: AmqpValue) -> Any:
    """Return the JSON of ``value``: plain, or tagged with its AMQP type."""
    match value.type, value.value:
        case _, None:
            return None
        case Compound() as compound, bytes() as data:
            content = _content_to_json(decode(data)) if data and compound is not Compound.ARRAY else None
            return {"type": compound.value} if content is None else content
        case ((AmqpType.STRING | AmqpType.LONG | AmqpType.BOOLEAN), plain):
            return plain
        case AmqpType.DOUBLE, float() as number if math.isfinite(number):
            return number
        case amqp_type, inner:
            return {"type": amqp_type.value, "value": _inner_to_json(inner)}


def _content_to_json(value: Value) -> Any:
    match value:
        case AmqpValue():
            return value_to_json(value)
        case AmqpList(items=inside):
            return {"type": "list", "value": [_content_to_json(item) for item in inside]}
        case AmqpMap(entries):
            names = [key.value if isinstance(key, AmqpValue) else None for key, _ in entries]
            # The names in a JSON object are texts, so a map with any other keys is written without its content.
            if not all(isinstance(name, str) for name in names):
                return {"type": "map"}
            items = [_content_to_json(item) for _, item in entries]
            return {"type": "map", "value": dict(zip(names, items, strict=True))}
        case _:
            return {"type": "array" if isinstance(value, AmqpArray) else "described"}


def _inner_to_json(value: Primitive) -> Any:
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case UUID() | Decimal():
            return str(value)
        case float() as number:
            return special_name(number) or number
        case _:
            return value
