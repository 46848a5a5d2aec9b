"""Representatives: finitely many values of a part of a message, on which tests show every outcome they can have.

The outcome of a test of one name depends only on the type of the value and on its order among the constants of the
test. So these values represent all: each constant, its neighbours in each type, the ends of the types, a text for each
combination of patterns, and one value of every other type. The likeliest come first; values that few messages have are
marked as rare.
"""

from __future__ import annotations

import itertools
import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from transpiler.base.errors import DecodeError
from transpiler.base.source import half_surrogate
from transpiler.base.text_pattern import Pattern
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Wildcards
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.message.header_fields import FOLD, PROPERTIES, Conversion, MessageField
from transpiler.message.ids import canonical, read_id
from transpiler.message.message import Message
from transpiler.message.operand_types import UnsignedLong
from transpiler.message.sections import Body, Header, Properties
from transpiler.message.types import INTEGER_RANGES, AmqpType, AmqpValue
from transpiler.reference.operands import to_double, wrap
from transpiler.tools.analysis.formula import Subject, Test, WordPattern
from transpiler.tools.analysis.pattern_products import shortest_texts

#: The types that JMS allows for properties.
_JMS = frozenset({AmqpType.BOOLEAN, AmqpType.STRING, AmqpType.FLOAT, AmqpType.DOUBLE}) | {
    *(AmqpType.BYTE, AmqpType.SHORT, AmqpType.INT, AmqpType.LONG)
}
#: Lowest and highest value of each type that some dialect converts to an integer. The types of JMS come first.
_INTEGERS = {kind: INTEGER_RANGES[kind] for kind in (AmqpType.LONG, AmqpType.INT, AmqpType.SHORT, AmqpType.BYTE)} | {
    **INTEGER_RANGES,
    AmqpType.CHAR: (0, 0x10FFFF),
}
#: Limits of integer types, and the first integers that a float and a double cannot represent exactly.
_ENDS = (2**15, 2**31 - 1, -(2**31), 2**24 + 1, 2**53 + 1)
#: A decimal number within a text, with at most 18 digits before the point, so that its integer part fits into a long.
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,6})?")
_UUID = UUID("0123abcd-0123-0123-0123-0123456789ab")
#: Sections in which a field can have a value of any AMQP type.
_SECTIONS = (PROPERTIES, "message_annotations")
#: Message fields that contain an integer, with the lowest and the highest value of the field's type.
_NUMBERS = {
    "priority": (0, 255),
    "ttl": (0, 2**32 - 1),
    "delivery_count": (0, 2**32 - 1),
    "group_sequence": (0, 2**32 - 1),
    "creation_time": (-(2**63), 2**63 - 1),
    "absolute_expiry_time": (-(2**63), 2**63 - 1),
}


class Item(NamedTuple):
    """A value to try in a message field; None means that the field is absent.

    ``rare`` is True if few messages have the value.
    """

    value: Any
    rare: bool


class Representatives(NamedTuple):
    """Sample messages for one subject: triples of the message, the subject's value, and True if the value is rare.

    ``complete`` is False if some combinations of matching and non-matching LIKE patterns have no sample text.
    """

    messages: list[tuple[Message, Any, bool]]
    complete: bool


def representatives(subject: Subject, tests: Sequence[Test]) -> Representatives:
    """Return messages that differ only in ``subject``, with a value for each combination of outcomes of ``tests``."""
    constants = Constants(tests)
    message_field, field = subject.message_field, subject.field
    if message_field is None:
        assert field is not None
        items: Iterable[Item] = _property_items(constants)
        if field.type.integer and not any(
            origin.conversion is Conversion.AS_IS and message_field.section in (PROPERTIES, "message_annotations")
            for origin in field.origins
            for message_field in origin.message_fields
        ):
            items = _integer_items(constants)
        name = field.name
        made = [(Message(header_values={name: one.value} if one.value else None), one) for one in items]
    else:
        made = [(message_of({message_field: one.value}), one) for one in items_of(message_field, constants)]
    return Representatives([(message, one.value, one.rare) for message, one in made], constants.complete)


def items_of(message_field: MessageField, constants: Constants) -> Iterator[Item]:
    """Yield representative values of ``message_field``, the likeliest first."""
    return _property_items(constants) if message_field.section in _SECTIONS else _field_items(message_field, constants)


def message_of(values: Mapping[MessageField, Any]) -> Message:
    """Return a message with the fields ``values``; a field whose value is None is absent."""
    sections: dict[str, dict[str, Any]] = {}
    for message_field, value in values.items():
        if value is not None:
            sections.setdefault(message_field.section, {})[message_field.field] = value
    body = sections.get("body")
    return Message(
        header=Header(**sections["header"]) if "header" in sections else None,
        message_annotations=sections.get("message_annotations"),
        properties=Properties(**sections["properties"]) if "properties" in sections else None,
        application_properties=sections.get("application_properties"),
        body=None if body is None else Body("amqp-value", value=body["value"]),
    )


class Constants:
    """The constants near which sample values are chosen: numbers and texts of ``tests``, and texts for LIKE patterns.

    If ``sampled`` is given, these constants replace the constants of the tests, and LIKE patterns are ignored. Then
    values near ``sampled`` are added, because a test with arithmetic, conversions or two names can change its outcome
    there.
    """

    def __init__(self, tests: Sequence[Test], sampled: Sequence[object] | None = None) -> None:
        numbers: dict[str, int | float] = {}
        texts: dict[str, None] = {}
        self.is_sampled = sampled is not None
        dialects: dict[int, Dialect] = {}
        patterns: dict[tuple[Pattern | WordPattern, Wildcards], None] = {}
        self.typed = self.ordered = False
        self.others: list[AmqpValue] = []
        for test in tests:
            dialect = test.dialect or JMS
            dialects[id(dialect)] = dialect
            self.typed = self.typed or test.typed
            self.ordered = self.ordered or isinstance(test.node, ast.Compare | ast.Between)
            if isinstance(test.node, ast.Compare) and not test.constants:
                # The test compares a name with itself. Add a number, so that infinities and limits of types are tried:
                # after rounding or conversion, such a value may differ from itself.
                numbers["1"] = 1
            for constant in test.constants if sampled is None else sampled:
                match constant:
                    case AmqpValue():
                        self.others.append(constant)
                        for part in _parts_of(constant):
                            if isinstance(part, str):
                                texts[part] = None
                            else:
                                numbers[repr(part)] = part
                    case str():
                        texts[constant] = None
                        texts[canonical(constant)] = None
                        for word, read in dialect.fields.rewritten:
                            if word == constant:
                                texts[read] = None
                    case int() | float():
                        numbers[repr(constant)] = constant
                    case _:
                        pass
            for pattern in test.patterns if sampled is None else ():
                patterns[pattern, dialect.wildcards] = None
        if sampled is not None:
            for number in (*_written(texts), 5):
                numbers.setdefault(repr(number), number)
            texts = dict.fromkeys(_texts_near(texts, numbers.values()))
        self.numbers = list(numbers.values())
        self.dialects = tuple(dialects.values())
        self.complete = True
        given = list(texts)
        if patterns:
            found, self.complete = shortest_texts(list(patterns), given)
            texts |= dict.fromkeys(found)
        # Also try a text that differs from all constants, and the empty text.
        texts[next(word for word in _words() if word not in texts)] = None
        texts[""] = None
        self.texts = list(texts)
        #: Texts that sort directly after a constant, for tests that compare texts with < or >.
        self.above = [text + end for text in given for end in ("\0", "a")] if self.ordered and sampled is None else []


def _written(texts: Iterable[str]) -> list[int | float]:
    """Return up to four numbers that occur as digits in ``texts``. A selector may convert a text to such a number."""
    found = (match for text in texts for match in _NUMBER.findall(text))
    return [float(text) if "." in text else int(text) for text in itertools.islice(found, 4)]


def _texts_near(texts: Iterable[str], numbers: Iterable[int | float]) -> Iterator[str]:
    """Yield ``texts``, similar texts, ``numbers`` as texts, and texts that some broker converts to another type."""
    yield from texts
    yield from ("a", "")
    for text in texts:
        yield from (text + "x", text[:-1], text.swapcase(), text + "\n", f"x{text}")
    for number in numbers:
        yield from (str(number), f" {number}", f"{number}.0", str(number).upper())
    yield from ("5", "true", "TRUE", "A", "été", "b", "NaN", "5.0", "1e1", "x\ny", "😀", "\uffff", "a\0b")
    yield from ("PERSISTENT", "DURABLE")


def _words() -> Iterator[str]:
    yield from ("a", "b", "other")
    yield from (f"other{number}" for number in range(1_000_000))


def _parts_of(value: AmqpValue) -> Iterator[str | int | float]:
    match value.value:
        case bool() | None:
            return
        case int() | float() | str():
            yield value.value
        case Decimal():
            yield float(value.value)
        case bytes():
            yield value.value.decode("utf-8", "surrogateescape")
        case UUID():
            yield str(value.value)


class _Kinds(NamedTuple):
    """The AMQP types of the sample values. Of several types that all dialects treat alike, only one is listed."""

    integers: tuple[AmqpType, ...]
    floats: tuple[AmqpType, ...]
    texts: tuple[AmqpType, ...]
    #: ``unsigned`` is True if a dialect or filter keeps an unsigned long above 2**63-1 as it is; ``wrapped`` is True if
    #: a dialect reads it as a negative number.
    unsigned: bool
    wrapped: bool


def _kinds(dialects: tuple[Dialect, ...], typed: bool) -> _Kinds:
    return _kinds_of(tuple(dialect.types for dialect in dialects), typed)


@lru_cache(maxsize=256)
def _kinds_of(tables: tuple[Any, ...], typed: bool) -> _Kinds:
    def distinguished(kinds: Iterable[AmqpType]) -> tuple[AmqpType, ...]:
        known: dict[object, AmqpType] = {}
        for kind in kinds:
            read: object = kind if typed else tuple((types.table.get(kind), kind in types.throws) for types in tables)
            known.setdefault(read, kind)
        return tuple(known.values())

    wrapping = {types.unsigned_long is UnsignedLong.WRAPPED for types in tables}
    return _Kinds(
        tuple(
            kind
            for kind in distinguished(_INTEGERS)
            if kind is not AmqpType.CHAR or any(types.char_is_number for types in tables)
        ),
        distinguished((AmqpType.DOUBLE, AmqpType.FLOAT, AmqpType.DECIMAL64)),
        distinguished((AmqpType.STRING, AmqpType.SYMBOL, AmqpType.CHAR, AmqpType.BINARY, AmqpType.UUID)),
        typed or False in wrapping,
        len(wrapping) == 2,
    )


def _property_items(constants: Constants) -> Iterator[Item]:
    kinds = _kinds(constants.dialects, constants.typed)
    for text in constants.texts[:2]:
        yield Item(AmqpValue(AmqpType.STRING, text), is_odd(text))
    yield Item(None, False)
    yield Item(AmqpValue(AmqpType.BOOLEAN, True), False)
    yield Item(AmqpValue(AmqpType.BOOLEAN, False), False)
    yield from _number_items(constants, kinds)
    for text in (*constants.texts[2:], *constants.above):
        if half_surrogate(text) is not None:
            # Some brokers treat bytes as a text, so also try bytes, some of which are not valid UTF-8.
            yield Item(AmqpValue(AmqpType.BINARY, text.encode("utf-8", "surrogateescape")), True)
        else:
            yield Item(AmqpValue(AmqpType.STRING, text), is_odd(text))
    for kind in kinds.texts:
        if kind is not AmqpType.STRING:
            yield from _text_items(kind, constants)
    yield Item(AmqpValue(AmqpType.BINARY, b"\xff"), True)
    for value in constants.others:
        yield Item(value, True)


def _text_items(kind: AmqpType, constants: Constants) -> Iterator[Item]:
    for text in (*constants.texts, *constants.above):
        match kind:
            case AmqpType.SYMBOL if text.isascii():
                yield Item(AmqpValue(kind, text), True)
            case AmqpType.CHAR if len(text) == 1 and half_surrogate(text) is None:
                for char in (text, chr(min(ord(text) + 1, 0x10FFFF)), chr(max(ord(text) - 1, 0))):
                    yield Item(AmqpValue(kind, char), True)
            case AmqpType.BINARY:
                yield Item(AmqpValue(kind, text.encode("utf-8", "surrogateescape")), True)
            case AmqpType.UUID:
                for uuid in _uuids_of(text):
                    yield Item(AmqpValue(kind, uuid), True)
            case _:
                pass
    if kind is AmqpType.UUID:
        yield Item(AmqpValue(kind, _UUID), True)


def _uuids_of(text: str) -> Iterator[UUID]:
    """Yield the UUIDs that some broker converts to ``text``.

    ``text`` is either the written form of the UUID, or the 16 bytes of the UUID as characters.
    """
    with suppress(ValueError):
        yield UUID(text)
    octets = text.encode("utf-8", "surrogateescape")
    if len(octets) == 16:
        yield UUID(bytes=octets)


def _number_items(constants: Constants, kinds: _Kinds) -> Iterator[Item]:
    integers = dict.fromkeys(number for constant in constants.numbers for number in whole_near(constant))
    integers |= dict.fromkeys((0, 1) if not constants.numbers else (0,))
    if constants.numbers:
        integers |= dict.fromkeys((2**63 - 1, -(2**63)))
        if kinds.unsigned:
            integers |= dict.fromkeys((2**63, 2**64 - 1))
    if constants.is_sampled:
        integers |= dict.fromkeys(number + step for number in [*integers] for step in (-2 * number, 2))
        integers |= dict.fromkeys((-1, *_ENDS))
    if kinds.wrapped:
        integers |= dict.fromkeys([number + 2**64 for number in integers if number < 0])
    columns = [[*_integers(kind, integers, constants)] for kind in kinds.integers]
    if kinds.unsigned and AmqpType.ULONG not in kinds.integers:
        columns.append([*_integers(AmqpType.ULONG, integers, constants)])
    columns += [[*_floats(kind, constants)] for kind in kinds.floats]
    # Yield one value of each type in turn, so that the first values include every type.
    yield from (item for row in itertools.zip_longest(*columns) for item in row if item is not None)


def _integers(kind: AmqpType, numbers: Iterable[int], constants: Constants) -> Iterator[Item]:
    low, high = _INTEGERS[kind]
    if kind is AmqpType.ULONG and not constants.typed:
        # A selector reads an unsigned long below 2**63 as it reads a long, and samples of that type exist. Only filters
        # and bindings (``typed``) distinguish the two types.
        low = 2**63
    near = {one + step for one in constants.numbers if isinstance(one, int) for step in (0, 1)}
    for number in numbers:
        if not low <= number <= high:
            continue
        if kind is AmqpType.CHAR:
            if not 0xD800 <= number <= 0xDFFF:
                yield Item(AmqpValue(kind, chr(number)), True)
        else:
            far = abs(number) > LARGE or (abs(number) >= 2**30 and number not in near)
            yield Item(AmqpValue(kind, number), kind not in _JMS or far)


def _floats(kind: AmqpType, constants: Constants) -> Iterator[Item]:
    values: dict[str, float] = {
        repr(number): number for constant in constants.numbers for number in floats_near(constant, kind)
    }
    if constants.is_sampled:
        near_ends = (0.1, 1e300, 5e-324, *(-value for value in values.values()), *map(float, _ENDS))
        values |= {repr(number): number for number in near_ends}
    for special in (1.5, -0.0, 0.0, math.nan, math.inf, -math.inf) if constants.numbers else (1.5, math.nan):
        values.setdefault(repr(special), special)
    for value in values.values():
        if kind is AmqpType.DECIMAL64:
            yield Item(AmqpValue(kind, Decimal(repr(value))), True)
        else:
            yield Item(AmqpValue(kind, value), is_extreme(value))


def _integer_items(constants: Constants) -> Iterator[Item]:
    """Yield representative values of an integer header field that is read from several message fields."""
    yield Item(None, False)
    kinds = _kinds(constants.dialects, False)
    yield from _number_items(constants, kinds._replace(floats=()))


def _field_items(message_field: MessageField, constants: Constants) -> Iterator[Item]:
    """Yield representative values of a field of the header or properties section, which has a fixed type."""
    yield Item(None, False)
    match message_field.section, message_field.field:
        case _, ("durable" | "first_acquirer"):
            yield from (Item(True, False), Item(False, False))
        case _, field if field in _NUMBERS:
            low, high = _NUMBERS[field]
            common = 9 if field == "priority" else 2**31 if high < 2**33 else high
            near = [whole for constant in constants.numbers for whole in whole_near(constant)]
            near += [whole + step for whole in near[::3] for step in (-2, 2, 999, 1000, -999, -1000, FOLD)]
            edges = (4, 0, 1, 2, 9, 10, 2**31 - 1, 2**31, low, high)
            for number in dict.fromkeys((*near, *edges)):
                if low <= number <= high:
                    yield Item(number, not 0 <= number <= common)
        case _, ("message_id" | "correlation_id"):
            yield from _ids(constants)
        case _, "user_id":
            for text in (*constants.texts, *constants.above):
                yield Item(text.encode("utf-8", "surrogateescape"), is_odd(text))
            yield Item(b"\xff\x00", True)
        case _:
            for text in (*constants.texts, *constants.above):
                if half_surrogate(text) is None:
                    yield Item(text, is_odd(text))


def _ids(constants: Constants) -> Iterator[Item]:
    for text in constants.texts:
        for spelling in (text, f"ID:{text}", text.removeprefix("ID:")):
            yield Item(AmqpValue(AmqpType.STRING, spelling), is_odd(spelling))
            yield Item(AmqpValue(AmqpType.BINARY, spelling.encode("utf-8", "surrogateescape")), True)
        with suppress(DecodeError):
            yield Item(read_id(text), True)
        for uuid in _uuids_of(text):
            yield Item(AmqpValue(AmqpType.UUID, uuid), True)
    yield Item(AmqpValue(AmqpType.UUID, _UUID), True)
    for number in (0, 2**64 - 1, *(whole for constant in constants.numbers for whole in whole_near(constant))):
        if 0 <= number < 2**64:
            yield Item(AmqpValue(AmqpType.ULONG, number), True)


def is_odd(text: str) -> bool:
    """Return True if ``text`` has control characters, line ends, or characters above U+D7FF, which are rare."""
    return any(character < " " or character > "\ud7ff" for character in text)


#: Limit up to which every integer is exactly a double: 2**53.
LARGE = 2**53


def whole_near(constant: int | float) -> Iterator[int]:
    """Yield the integers at and next to ``constant``, and those that round to it; nothing for an infinity or NaN."""
    if isinstance(constant, float) and not math.isfinite(constant):
        return
    whole = math.floor(constant)
    yield from (whole, whole + 1, whole - 1)
    if not -(2**63) <= whole < 2**63:
        # Some dialects keep only the low 64 bits of an integer literal. Their comparisons change the outcome at that
        # value.
        yield wrap(whole, 64)
    if abs(whole) >= LARGE and abs(whole) < 2**66:
        # Above 2**53, several integers round to the same double. Try the first and the last of them, and the integers
        # just outside, because the outcome of a comparison may change there.
        value = float(constant)
        yield from (edge + step for above in (False, True) for edge in (_edge(value, above),) for step in (-1, 0))


def _edge(value: float, above: bool) -> int:
    """Return the least integer whose nearest double is at least ``value``, or greater than ``value`` if ``above``."""
    low, high = -(2**67), 2**67
    while low < high:
        middle = (low + high) // 2
        if float(middle) > value or (not above and float(middle) == value):
            high = middle
        else:
            low = middle + 1
    return low


def floats_near(constant: int | float, kind: AmqpType) -> Iterator[float]:
    """Yield the numbers at and next to ``constant`` in the floating-point type ``kind``."""
    value = to_double(constant)
    if kind is AmqpType.FLOAT:
        single = _single(value)
        yield from (single, _next_single(single, 1), _next_single(single, -1))
    else:
        yield from (value, value + 0.5, value - 0.5, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))


def _single(number: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _next_single(number: float, step: int) -> float:
    if not math.isfinite(number):
        return math.copysign(float.fromhex("0x1.fffffep+127"), number)
    if number == 0:
        return step * 2.0**-149
    (bits,) = struct.unpack("i", struct.pack("f", number))
    return float(struct.unpack("f", struct.pack("i", bits + (step if number > 0 else -step)))[0])


def is_extreme(number: float) -> bool:
    """Return True if few messages have ``number``: if it is above ``LARGE``, not finite, or a negative zero."""
    return not math.isfinite(number) or abs(number) > LARGE or (number == 0 and math.copysign(1, number) < 0)
