"""Decoder of a message's bytes: part 3 of the AMQP 1.0 standard, section 3.2.

The input is a bare or annotated message: sections in the standard's order, each a described value. The type of every
field is checked. Values that the canonical schema cannot hold are skipped: annotations and bodies that are maps, lists
or arrays, and the items of a sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from transpiler.base.diagnostics import MAX_QUOTED, mismatch, shortened
from transpiler.base.errors import DecodeError
from transpiler.base.source import Span
from transpiler.message.amqp.decoder import decode_all
from transpiler.message.amqp.values import AmqpArray, AmqpList, AmqpMap, Described, Value
from transpiler.message.sections import HEADER_TYPES, PROPERTY_TYPES, Body, Header, Properties
from transpiler.message.types import AmqpType, AmqpValue, Compound

_COMPOUNDS = {
    AmqpList: Compound.LIST,
    AmqpMap: Compound.MAP,
    AmqpArray: Compound.ARRAY,
    Described: Compound.DESCRIBED,
}

#: The sections in the order in which a message must contain them: numeric descriptor, symbolic descriptor and name
#: (AMQP 1.0, part 3, 3.2).
_SECTIONS = (
    (0x70, "amqp:header:list", "header"),
    (0x71, "amqp:delivery-annotations:map", "delivery_annotations"),
    (0x72, "amqp:message-annotations:map", "message_annotations"),
    (0x73, "amqp:properties:list", "properties"),
    (0x74, "amqp:application-properties:map", "application_properties"),
    (0x75, "amqp:data:binary", "data"),
    (0x76, "amqp:amqp-sequence:list", "amqp-sequence"),
    (0x77, "amqp:amqp-value:*", "amqp-value"),
    (0x78, "amqp:footer:map", "footer"),
)
_ORDER = {name: number for number, (_, _, name) in enumerate(_SECTIONS)}
_BODY = ("data", "amqp-sequence", "amqp-value")
_NAMES: Mapping[object, str] = {key: name for code, symbol, name in _SECTIONS for key in (code, symbol)}


@dataclass(frozen=True, slots=True)
class _Section:
    """A decoded section of a message: its name, its value, and its byte range in the message for errors."""

    name: str
    value: Value
    span: Span

    def refuse(self, code: str, message: str, inside: str = "") -> NoReturn:
        """Raise ``DecodeError`` with the byte range of this section.

        ``inside`` is the field or map key with the error; "" for the whole section.
        """
        path = f"{self.name}.{inside}" if inside else self.name
        raise DecodeError.at(code, f"{path}: {message}, in bytes {self.span.start} to {self.span.end}", span=self.span)


@dataclass(slots=True)
class _Bodies:
    """The body sections read so far.

    AMQP 1.0, part 3, 3.2 allows "one or more data sections, one or more amqp-sequence sections, or a single
    amqp-value".
    """

    section: str | None = None
    data: list[bytes] = field(default_factory=list)
    value: AmqpValue | Compound | None = None

    def add(self, section: _Section) -> None:
        """Add a body section; raise ``DecodeError`` if it cannot follow the earlier body sections."""
        if self.section not in (None, section.name) or (self.section == section.name == "amqp-value"):
            section.refuse("message.body", f"stands beside the body section {self.section}")
        self.section = section.name
        match section.name, section.value:
            case "data", AmqpValue(type=AmqpType.BINARY, value=bytes() as data):
                self.data.append(data)
            case "amqp-sequence", AmqpList():
                pass
            case "amqp-value", value:
                self.value = value if isinstance(value, AmqpValue) else _COMPOUNDS[type(value)]
            case _, value:
                expected = "binary" if section.name == "data" else "a list"
                section.refuse("message.type", mismatch(expected, _kind(value)))

    def body(self) -> Body:
        """Return the body of the message, with the data sections joined."""
        return Body(self.section, b"".join(self.data) if self.section == "data" else None, self.value)


def decode_sections(data: bytes) -> dict[str, Any]:
    """Decode the AMQP message ``data``, and return its sections by name.

    Raise ``DecodeError`` with the byte range of the first error.
    """
    sections: dict[str, Any] = {}
    bodies = _Bodies()
    last = -1
    for value, span in decode_all(data):
        section = _section(value, span)
        order = _ORDER[section.name]
        if order < last or (order == last and section.name not in _BODY):
            earlier = _SECTIONS[last][2]
            section.refuse("message.order", f"stands after {earlier}" if order < last else "is there twice")
        last = order
        if section.name in _BODY:
            bodies.add(section)
        else:
            sections[section.name] = _READERS[section.name](section)
    if bodies.section is not None:
        sections["body"] = bodies.body()
    return sections


def _section(value: Value, span: Span) -> _Section:
    descriptor = value.descriptor if isinstance(value, Described) else None
    known = isinstance(descriptor, AmqpValue) and descriptor.type in (AmqpType.ULONG, AmqpType.SYMBOL)
    name = _NAMES.get(descriptor.value) if known and isinstance(descriptor, AmqpValue) else None
    if not isinstance(value, Described) or name is None:
        shown = f"{_kind(value)}" if descriptor is None else f"the descriptor {_show(descriptor)}"
        message = f"expected a section of a message, found {shown}, in bytes {span.start} to {span.end}"
        raise DecodeError.at("message.unknown-section", message, span=span)
    return _Section(name, value.value, span)


def _fields(section: _Section, types: Mapping[str, tuple[AmqpType, ...]]) -> dict[str, Any]:
    if not isinstance(section.value, AmqpList):
        section.refuse("message.type", mismatch("a list of fields", _kind(section.value)))
    items = section.value.items
    if len(items) > len(types):
        section.refuse("message.fields", f"has {len(items)} fields, and the standard knows {len(types)}")
    fields: dict[str, Any] = {}
    # AMQP 1.0, part 1, 1.4: an encoder may omit fields at the end of a composite's list, so the list may be shorter
    # than the types. A null means that a field is not set.
    for (name, allowed), item in zip(types.items(), items, strict=False):
        if isinstance(item, AmqpValue) and item.value is None:
            continue
        if not isinstance(item, AmqpValue) or item.type not in allowed:
            expected = " or ".join(kind.value for kind in allowed)
            section.refuse("message.type", mismatch(expected, _kind(item)), name)
        fields[name] = item if len(allowed) > 1 else item.value
    return fields


def _entries(section: _Section) -> list[tuple[Value, Value]]:
    if not isinstance(section.value, AmqpMap):
        section.refuse("message.type", mismatch("a map", _kind(section.value)))
    return list(section.value.entries)


def _annotations(section: _Section) -> dict[str, AmqpValue]:
    """Return the annotations in ``section`` by key. The standard requires a symbol or a ulong as a key.

    Strings are accepted, too, because some clients write them. Annotations with compound values are left out.
    """
    annotations = {}
    for key, value in _entries(section):
        if not isinstance(key, AmqpValue) or key.type not in (AmqpType.SYMBOL, AmqpType.ULONG, AmqpType.STRING):
            section.refuse("message.key", mismatch("a symbol as key", _kind(key)))
        if isinstance(value, AmqpValue):
            annotations[str(key.value)] = value
    return annotations


def _application_properties(section: _Section) -> dict[str, AmqpValue]:
    properties = {}
    for key, value in _entries(section):
        # AMQP 1.0, part 3, 3.2.5: "The keys of this map are restricted to be of type string … and the values … to …
        # simple types only".
        if not isinstance(key, AmqpValue) or key.type is not AmqpType.STRING:
            section.refuse("message.key", mismatch("a string as key", _kind(key)))
        if not isinstance(value, AmqpValue):
            section.refuse("message.type", mismatch("a simple value", _kind(value)), str(key.value))
        properties[str(key.value)] = value
    return properties


_READERS: Mapping[str, Callable[[_Section], Any]] = {
    "header": lambda section: Header(**_fields(section, HEADER_TYPES)),
    "delivery_annotations": _annotations,
    "message_annotations": _annotations,
    "properties": lambda section: Properties(**_fields(section, PROPERTY_TYPES)),
    "application_properties": _application_properties,
    "footer": _annotations,
}


def _kind(value: Value) -> str:
    return "a described value" if isinstance(value, Described) else value.type.value


def _show(descriptor: Value) -> str:
    match descriptor:
        case AmqpValue(type=AmqpType.ULONG, value=int() as code):
            return f"0x{code:x}"
        case AmqpValue(value=value):
            return shortened(repr(value), MAX_QUOTED)
        case _:
            return f"that is {_kind(descriptor)}"
