"""Decoder of AMQP 1.0 values, for untrusted bytes.

Every read is checked against the end of the enclosing value, so a size field can never exceed the size of the value
around it. Three limits bound the work: nesting depth (and so recursion), the number of values (the items of an array
of nulls have no bytes), and the size of the input. Each failure is a ``DecodeError`` whose span is in bytes.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from transpiler.base.diagnostics import MAX_QUOTED, shortened
from transpiler.base.errors import DecodeError
from transpiler.base.source import Span
from transpiler.message.amqp.constructors import CONSTRUCTORS, DESCRIBED, Constructor, Form, MalformedError
from transpiler.message.amqp.values import (
    AmqpArray,
    AmqpList,
    AmqpMap,
    CompoundType,
    Described,
    PlainValue,
    Value,
    identity,
)
from transpiler.message.types import AmqpType, AmqpValue

#: Maximum number of lists, maps, arrays and descriptors around a value.
MAX_DEPTH = 32
#: Maximum number of values in one input, including nested values.
MAX_VALUES = 100_000
#: Maximum size of one input, in bytes.
MAX_BYTES = 16 * 2**20


class Located(NamedTuple):
    """A decoded value, with the range of bytes from which it was decoded."""

    value: Value
    span: Span


def decode(data: bytes) -> Value:
    """Decode exactly one value; raise ``DecodeError`` if any bytes follow it."""
    reader = _Reader(data)
    value = reader.next()
    if reader.at < len(data):
        left = len(data) - reader.at
        message = f"{_count(left, 'byte')} {_be(left)} left after the value"
        _fail("amqp.trailing-bytes", message, reader.at, len(data))
    return value


def decode_first(data: bytes) -> tuple[Value, bytes]:
    """Decode the first value in ``data``; return it and the bytes after it (such as the payload of a transfer)."""
    reader = _Reader(data)
    return reader.next(), data[reader.at :]


def decode_all(data: bytes) -> tuple[Located, ...]:
    """Decode consecutive values, such as the sections of a message. Empty bytes decode to no values."""
    reader = _Reader(data)
    located = []
    while reader.at < len(data):
        start = reader.at
        value = reader.next()
        located.append(Located(value, Span(start, reader.at)))
    return tuple(located)


class _Reader:
    """A decoder with its position in the bytes, and the number of values that it may still read."""

    __slots__ = ("at", "data", "values_left")

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_BYTES:
            message = f"the input of {len(data)} bytes exceeds the maximum size"
            _fail("amqp.too-large", message, MAX_BYTES, len(data))
        self.data = data
        self.at = 0
        self.values_left = MAX_VALUES

    def next(self) -> Value:
        """Read the next value at the top level of the input."""
        self.spend(1, self.at)
        return self.value(len(self.data), 0)

    def value(self, end: int, depth: int) -> Value:
        """Read one value, which must end at or before the offset ``end``.

        ``depth`` is the number of values around it. The caller has already counted the value with ``spend``.
        """
        start = self.at
        constructor, descriptors = self.constructor(end, depth)
        value: Value = self.plain(constructor, start, end, depth + len(descriptors))
        for descriptor in reversed(descriptors):
            value = Described(descriptor, value)
        return value

    def constructor(self, end: int, depth: int) -> tuple[Constructor, tuple[Value, ...]]:
        """Read the constructor of a value and the descriptors before it, outermost first.

        They must end at or before the offset ``end``. ``depth`` is the number of values around the value.
        """
        descriptors: tuple[Value, ...] = ()
        while True:
            start = self.at
            code = self.data[self.claim(1, "a constructor", start, end)]
            if code != DESCRIBED:
                break
            self.descend(depth + len(descriptors), start)
            self.spend(2, start)
            descriptors += (self.value(end, depth + len(descriptors) + 1),)
        constructor = CONSTRUCTORS.get(code)
        if constructor is None:
            message = f"0x{code:02x} is not a constructor of AMQP 1.0"
            _fail("amqp.unknown-constructor", message, start, start + 1)
        return constructor, descriptors

    def plain(self, constructor: Constructor, start: int, end: int, depth: int) -> PlainValue:
        """Read the data of a value whose constructor has been read, which must end at or before the offset ``end``.

        ``start`` is the offset of the constructor, for errors; ``depth`` is the number of values around the value.
        """
        kind, width = constructor.type, constructor.width
        size = width if constructor.form is Form.FIXED else self.number(width, _a(kind), start, end)
        first = self.claim(size, _a(kind), start, end)
        if isinstance(kind, CompoundType):
            self.at = first
            return self.compound(kind, width, start, first + size, depth)
        assert constructor.codec is not None
        try:
            return AmqpValue(kind, constructor.codec.read(self.data[first : first + size]))
        except MalformedError as bad:
            _fail(bad.code, f"{bad.message}, in {_a(kind)}", first + bad.start, first + size)

    def compound(self, kind: CompoundType, width: int, start: int, stop: int, depth: int) -> PlainValue:
        """Read the count and the items of a list, map or array, whose data ends at the offset ``stop``.

        ``width`` is the size of the count in bytes, and ``depth`` the number of values around the value. ``start`` is
        its offset, for errors.
        """
        self.descend(depth, start)
        count = self.number(width, f"the count of {_a(kind)}", start, stop)
        if kind is not CompoundType.ARRAY and count > stop - self.at:
            left = stop - self.at
            message = f"{_a(kind)} of {_count(count, 'value')} has {_count(left, 'byte')} for them"
            _fail("amqp.size-mismatch", message, start, stop)
        self.spend(count, start)
        result: PlainValue
        if kind is CompoundType.LIST:
            result = AmqpList(tuple([self.value(stop, depth + 1) for _ in range(count)]))
        elif kind is CompoundType.MAP:
            result = self.map(count, start, stop, depth)
        else:
            result = self.array(count, stop, depth)
        if self.at != stop:
            message = f"{_a(kind)} has {_count(stop - self.at, 'byte')} left after its last value"
            _fail("amqp.size-mismatch", message, self.at, stop)
        return result

    def map(self, count: int, start: int, stop: int, depth: int) -> AmqpMap:
        """Read a map of ``count`` items, alternately keys and values, which end at or before the offset ``stop``.

        ``start`` is the offset of the map, for errors; ``depth`` is the number of values around it.
        """
        # AMQP 1.0, part 1, 1.6.23: "Map encodings MUST contain an even number of items"
        if count % 2:
            _fail("amqp.odd-map", f"a map of {_count(count, 'item')} has a key without a value", start, stop)
        entries = []
        seen = set()
        for _ in range(count // 2):
            at, before = self.at, self.values_left
            key = self.value(stop, depth + 1)
            if not isinstance(key, AmqpValue):
                # ``identity`` visits the values in a compound key again, so count them again. With keys nested in keys,
                # the work could otherwise be many times the limit.
                self.spend(before - self.values_left, at)
            mark = identity(key)
            # AMQP 1.0, part 1, 1.6.23: "A map in which there exist two identical key values is invalid."
            if mark in seen:
                _fail("amqp.duplicate-key", f"a map has the key {_show(key)} a second time", at, self.at)
            seen.add(mark)
            entries.append((key, self.value(stop, depth + 1)))
        return AmqpMap(tuple(entries))

    def array(self, count: int, stop: int, depth: int) -> AmqpArray:
        """Read an array of ``count`` items: one constructor that all items share, then the data of each item."""
        constructor, descriptors = self.constructor(stop, depth + 1)
        inner = depth + 1 + len(descriptors)
        items = tuple([self.plain(constructor, self.at, stop, inner) for _ in range(count)])
        return AmqpArray(constructor.type, items, descriptors)

    def number(self, width: int, what: str, start: int, end: int) -> int:
        """Read a size or a count: an unsigned integer of ``width`` bytes. ``what`` names the value in errors."""
        first = self.claim(width, what, start, end)
        return int.from_bytes(self.data[first : self.at])

    def claim(self, size: int, what: str, start: int, end: int) -> int:
        """Move past the next ``size`` bytes, and return the offset of the first.

        Raise ``DecodeError`` if they do not end at or before the offset ``end``. In errors, ``what`` names their value,
        and ``start`` is its offset.
        """
        first = self.at
        if size > end - first:
            left = end - first
            needs = f"{what} needs {_count(size, 'byte')}"
            if end < len(self.data):
                message = f"{needs}, and the value that holds it ends after {left}"
                _fail("amqp.size-mismatch", message, start, end)
            _fail("amqp.truncated", f"{needs}, and {left} {_be(left)} left", start, end)
        self.at = first + size
        return first

    def descend(self, depth: int, start: int) -> None:
        """Raise ``DecodeError`` if a value at ``depth`` is already at the limit and may not contain other values."""
        if depth >= MAX_DEPTH:
            _fail("amqp.too-deep", f"values are nested more than {MAX_DEPTH} levels deep", start, start + 1)

    def spend(self, count: int, start: int) -> None:
        """Add ``count`` to the number of values read so far; raise ``DecodeError`` if it exceeds the limit.

        It is called before the values are read, so that a huge count is rejected at once.
        """
        if count > self.values_left:
            message = f"there are more than {MAX_VALUES} values"
            _fail("amqp.too-many-values", message, start, min(start + 1, len(self.data)))
        self.values_left -= count


def _fail(code: str, message: str, start: int, end: int) -> NoReturn:
    raise DecodeError.at(code, f"{message}, at byte {start}", span=Span(start, end))


#: The name of each type with its article, for errors. The names are computed once because each read value needs one.
_WITH_ARTICLE: dict[AmqpType | CompoundType, str] = {
    kind: f"{'an' if kind.value[0] in 'ai' else 'a'} {kind.value}" for kind in (*AmqpType, *CompoundType)
}


def _a(kind: AmqpType | CompoundType) -> str:
    return _WITH_ARTICLE[kind]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def _show(key: Value) -> str:
    text = repr(key.value) if isinstance(key, AmqpValue) else f"{type(key).__name__}(…)"
    return shortened(text, MAX_QUOTED)
