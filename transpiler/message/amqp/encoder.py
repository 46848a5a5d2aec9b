"""Encoder of AMQP 1.0 values, for tests, for examples and for printing a filter set as in an attach frame.

The bytes of an item are built once and then wrapped in the smallest encoding that can hold them, so that no value is
written twice. A value without an encoding raises ``DecodeError`` with the code ``amqp.cannot-encode``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias, assert_never

from transpiler.base.diagnostics import MAX_QUOTED, shortened
from transpiler.base.errors import DecodeError
from transpiler.message.amqp.constructors import DESCRIBED, ENCODINGS, Constructor, Form
from transpiler.message.amqp.decoder import MAX_DEPTH
from transpiler.message.amqp.values import (
    AmqpArray,
    AmqpList,
    AmqpMap,
    CompoundType,
    Described,
    PlainValue,
    Value,
    WireType,
    identity,
)
from transpiler.message.types import AmqpValue, Compound


def encode(value: Value, compact: bool = True) -> bytes:
    """Encode ``value`` with the smallest encodings or, if ``compact`` is False, with the widest encodings.

    ``decode`` returns the same value for both.
    """
    return _Writer(compact).value(value, 0)


def encode_as(code: int, value: Value, element: int | None = None) -> bytes:
    """Encode ``value`` with the encoding whose format code is ``code``.

    ``element`` is the format code of the items if ``value`` is an array. Descriptors and nested values get their
    smallest encoding. Tests use this function to decode every encoding of a type.
    """
    return _Writer(compact=True, code=code, element=element).value(value, 0)


@dataclass(frozen=True, slots=True)
class _Body:
    """The encoded items of a list, map or array, without the size and count that precede them."""

    type: CompoundType
    count: int
    data: bytes


_Content: TypeAlias = AmqpValue | _Body


class _UnfitError(Exception):
    """The error for an encoding that cannot hold a value. Its text is the reason."""


@dataclass(frozen=True, slots=True)
class _Writer:
    """An encoder of one value.

    ``compact`` selects the smallest encodings, otherwise the widest. ``code`` is the required format code of the value,
    and ``element`` that of its items if the value is an array; None allows any format code.
    """

    compact: bool
    code: int | None = None
    element: int | None = None

    def value(self, value: Value, depth: int) -> bytes:
        """Return the bytes of ``value``, with its constructor."""
        inner = _Writer(self.compact)
        head = b""
        while isinstance(value, Described):
            head += inner.descriptor(value.descriptor, depth)
            value = value.value
            depth += 1
        kind = value.type
        if isinstance(kind, Compound):
            # A message stores a list, map or array as its encoded bytes, so append them unchanged.
            if not isinstance(value, AmqpValue) or not isinstance(value.value, bytes) or not value.value:
                _fail(f"the content of the {kind.value} is not known")
            return head + value.value
        constructor, (data,) = _choose(kind, [self.content(value, depth)], self.compact, self.code)
        return b"%b%c%b" % (head, constructor.code, data)

    def descriptor(self, value: Value, depth: int) -> bytes:
        """Return the bytes that add the descriptor ``value``: they precede the constructor of the described value."""
        _descend(depth)
        return bytes((DESCRIBED,)) + self.value(value, depth + 1)

    def content(self, value: PlainValue, depth: int) -> _Content:
        """Return the content to encode: a primitive itself, or the encoded items of any other value."""
        if isinstance(value, AmqpValue):
            return value
        _descend(depth)
        inner = _Writer(self.compact)
        match value:
            case AmqpList(items):
                data = b"".join([inner.value(item, depth + 1) for item in items])
                return _Body(CompoundType.LIST, len(items), data)
            case AmqpMap(entries):
                if len({identity(key) for key, _ in entries}) < len(entries):
                    _fail("a map has the same key twice")
                data = b"".join([inner.value(item, depth + 1) for entry in entries for item in entry])
                return _Body(CompoundType.MAP, 2 * len(entries), data)
            case AmqpArray():
                return self.array(value, depth + 1)
            case _:
                assert_never(value)

    def array(self, array: AmqpArray, depth: int) -> _Body:
        """Encode an array: one constructor that all items share, then the data of each item."""
        inner = _Writer(self.compact)
        head = b""
        for descriptor in array.descriptors:
            head += inner.descriptor(descriptor, depth)
            depth += 1
        contents = [inner.content(item, depth) for item in array.items]
        constructor, data = _choose(array.element, contents, self.compact, self.element)
        body = b"%b%c%b" % (head, constructor.code, b"".join(data))
        return _Body(CompoundType.ARRAY, len(array.items), body)


def _choose(
    kind: WireType, contents: Sequence[_Content], compact: bool, code: int | None
) -> tuple[Constructor, list[bytes]]:
    """Return the first encoding of the type ``kind`` that can hold all ``contents``, and the data of each of them.

    The smallest encoding comes first. If ``compact`` is False, only the widest encoding is tried. If ``code`` is not
    None, only the encoding with this format code is tried.
    """
    candidates = ENCODINGS[kind] if compact else ENCODINGS[kind][-1:]
    reason = "there is none"
    if code is not None:
        candidates = tuple(constructor for constructor in candidates if constructor.code == code)
        reason = f"0x{code:02x} is not an encoding of {kind.value}"
    for constructor in candidates:
        try:
            return constructor, [_data(constructor, content) for content in contents]
        except _UnfitError as unfit:
            reason = str(unfit)
    return _fail(reason)


def _data(constructor: Constructor, content: _Content) -> bytes:
    """Return the bytes that follow the format code of ``constructor`` for ``content``.

    Raise ``_UnfitError`` if the encoding cannot hold it.
    """
    kind, width = constructor.type, constructor.width
    if content.type is not kind:
        raise _UnfitError(f"{content.type.value} is not encoded as {kind.value} (0x{constructor.code:02x})")
    if isinstance(content, _Body):
        # In AMQP, the size of a list, map or array includes the bytes of the count.
        size = _number(len(content.data) + width, constructor)
        return size + _number(content.count, constructor) + content.data
    assert constructor.codec is not None
    try:
        data = constructor.codec.write(content.value)
    except ValueError as error:
        shown = shortened(repr(content.value), MAX_QUOTED)
        raise _UnfitError(f"{shown} as {kind.value} (0x{constructor.code:02x}): {error}") from None
    return data if constructor.form is Form.FIXED else _number(len(data), constructor) + data


def _number(number: int, constructor: Constructor) -> bytes:
    """Return a size or count in the width of ``constructor``; raise ``_UnfitError`` if it is too large."""
    if number >= 256**constructor.width:
        raise _UnfitError(f"{number} bytes or items are too many for 0x{constructor.code:02x}")
    return number.to_bytes(constructor.width)


def _descend(depth: int) -> None:
    if depth >= MAX_DEPTH:
        _fail(f"values are nested more than {MAX_DEPTH} levels deep")


def _fail(reason: str) -> NoReturn:
    raise DecodeError.at("amqp.cannot-encode", f"this value has no AMQP 1.0 encoding: {reason}")
