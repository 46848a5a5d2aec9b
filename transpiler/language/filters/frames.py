"""Extraction of the filter set from larger units of AMQP 1.0: a source, an attach, or the frames of a connection.

Source: AMQP 1.0, sections 2.3.1 (frames), 2.7.3 (attach) and 3.5.3 (source). A filter set is the field ``filter`` of a
source, and a source is a field of an attach. The other fields select no messages and are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from transpiler.base.errors import DecodeError
from transpiler.message.amqp.decoder import decode, decode_first
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, Value
from transpiler.message.types import AmqpType, AmqpValue

#: The composite types of AMQP 1.0 itself, by their numeric descriptors. The value is the name in the symbolic
#: descriptor, such as "attach".
_COMPOSITES = {
    **{0x10 + number: name for number, name in enumerate("open begin attach flow transfer disposition".split())},
    **{0x16 + number: name for number, name in enumerate("detach end close".split())},
    **{
        0x40 + number: f"sasl-{name}"
        for number, name in enumerate("mechanisms init challenge response outcome".split())
    },
    **{0x70 + number: "message" for number in range(9)},
    0x1D: "error",
    0x28: "source",
    0x29: "target",
}
_NAMES = frozenset(_COMPOSITES.values())

#: Indexes of fields in a composite: the link's name and the source in an attach, and the filter set in a source.
_LINK_NAME, _SOURCE, _FILTER = 0, 5, 7

_HEADER = b"AMQP"
_HEADER_SIZE = 8

_HINT = "give the attach frame, its source, or the filter map of the source"


def composite_of(name: str | int) -> str | None:
    """Return the name of the AMQP composite type, such as "attach", with the symbolic or numeric descriptor ``name``.

    Return None if no composite type has this descriptor.
    """
    if isinstance(name, int):
        return _COMPOSITES.get(name)
    parts = name.split(":")
    return parts[1] if len(parts) == 3 and parts[0] == "amqp" and parts[1] in _NAMES else None


def filters_in(data: bytes) -> Value:
    """Find the filters in the AMQP bytes ``data``: one filter, or a map of filters; an AMQP null for no filters.

    ``data`` can also contain a composite that has a filter set (a source or an attach), or whole AMQP frames. Raises
    ``DecodeError``.
    """
    bodies = _bodies(data)
    if bodies is None:
        return filters_of(decode(data))
    found: dict[str, Value] = {}
    others: list[str] = []
    for body in bodies:
        value, _ = decode_first(body)
        if _composite(value) == "attach":
            assert isinstance(value, Described)
            fields = value.value
            name = _field(fields, _LINK_NAME)
            source = _field(fields, _SOURCE)
            if _composite(source) == "source":
                found[str(name.value) if isinstance(name, AmqpValue) else ""] = filters_of(source)
        others.append(_composite(value) or "a value")
    sets = {name: value for name, value in found.items() if isinstance(value, AmqpMap)} or found
    if not sets:
        listed = ", ".join(dict.fromkeys(others)) or "nothing"
        _refuse(f"the frames contain no source with a filter set: {listed}")
    if len(sets) > 1:
        _refuse(
            f"the frames attach {len(sets)} links with filters: {', '.join(sets)}",
            "give the attach frame of a single link",
        )
    return next(iter(sets.values()))


def filters_of(value: Value) -> Value:
    """Return the filters of ``value`` if it is a source or an attach; otherwise return ``value`` unchanged."""
    if not isinstance(value, Described):
        return value
    name = _composite(value)
    if name is None:
        return value
    if name == "source":
        return _field(value.value, _FILTER)
    if name != "attach":
        _refuse(f"the value is AMQP's {name}, which contains no filter set")
    source = _field(value.value, _SOURCE)
    if _composite(source) != "source":
        _refuse("this attach frame has no source, so its link receives no messages")
    return filters_of(source)


def _composite(value: Value) -> str | None:
    if not isinstance(value, Described) or not isinstance(value.descriptor, AmqpValue):
        return None
    name = value.descriptor.value
    return composite_of(name) if isinstance(name, str | int) else None


def _field(fields: Value, position: int) -> Value:
    """Return the field at index ``position`` of the composite type's list ``fields``; a null if the list is shorter."""
    if not isinstance(fields, AmqpList):
        _refuse("the fields of a composite must be a list")
    return fields.items[position] if position < len(fields.items) else AmqpValue(AmqpType.NULL, None)


def _bodies(data: bytes) -> list[bytes] | None:
    """Return the bodies of the AMQP frames in ``data``; None if ``data`` does not begin with a frame.

    A frame begins with its size in four bytes; a bare described value begins with one zero byte and its descriptor. To
    distinguish them, the size must equal the length of ``data``, or begin with two zero bytes.
    """
    size = int.from_bytes(data[:4])
    is_framed = len(data) >= _HEADER_SIZE and data[4] >= 2 and data[5] <= 1 and (size == len(data) or size < 2**16)
    if not data.startswith(_HEADER) and not (is_framed and data[0] == 0):
        return None
    return list(_frames(data))


def _frames(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        if data.startswith(_HEADER, at):
            at += _HEADER_SIZE
            continue
        size, left = int.from_bytes(data[at : at + 4]), len(data) - at
        if not _HEADER_SIZE <= size <= left:
            _refuse(
                f"the frame at byte {at} should have {size} bytes, but only {left} are left", "give complete frames"
            )
        offset = 4 * data[at + 4]
        body = data[at + offset : at + size]
        if body and offset >= _HEADER_SIZE:
            yield body
        at += size


def _refuse(message: str, hint: str = _HINT) -> NoReturn:
    raise DecodeError.at("filters.frame", message, hint=hint)
