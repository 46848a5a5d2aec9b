"""Messages on which tests of several places, and two dialects, are tried: every type, and every value that may count.

A test of one name answers by the type of the value, and by where the value stands to the constants of the test. So
the values are, for each type, those at, just below and just above each constant, and those at which the types
themselves end. A sample is rare if it has a type that JMS does not give to properties, a number at the end of its
type, or a string with line ends, controls or characters beyond 16 bits.
"""

from __future__ import annotations

import itertools
import math
import random
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from transpiler.analysis.building import places_read
from transpiler.analysis.cells import COMMON, RARE, Cell, oddness
from transpiler.analysis.constants import has_names
from transpiler.analysis.formula import Test, Words, bit_of
from transpiler.analysis.representatives import is_odd
from transpiler.errors import DecodeError
from transpiler.filters.topics import MANY_WORDS, ONE_WORD
from transpiler.message.fields import MessageField
from transpiler.message.header_fields import PROPERTIES
from transpiler.message.ids import read_id
from transpiler.message.message import Body, Header, Message, Properties
from transpiler.message.types import INTEGER_RANGES, AmqpType, AmqpValue
from transpiler.selector import ast

_UUID = UUID("0123abcd-0123-0123-0123-0123456789ab")
#: The integer types, those that JMS gives to properties first, with their ranges.
_RANGES = {
    kind: INTEGER_RANGES[kind] for kind in (AmqpType.INT, AmqpType.LONG, AmqpType.SHORT, AmqpType.BYTE, *INTEGER_RANGES)
}
_JMS = frozenset((AmqpType.BOOLEAN, AmqpType.BYTE, AmqpType.SHORT, AmqpType.INT, AmqpType.LONG, AmqpType.STRING))
#: A number within a text, of so many digits as a long has.
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,6})?")

#: Numbers of two types that are equal as floating-point numbers, and not exactly.
_CLOSE_NUMBERS = (
    (AmqpValue(AmqpType.LONG, 2**53 + 1), AmqpValue(AmqpType.DOUBLE, 2.0**53)),
    (AmqpValue(AmqpType.LONG, 2**63 - 1), AmqpValue(AmqpType.DOUBLE, 2.0**63)),
    (AmqpValue(AmqpType.INT, 2**24 + 1), AmqpValue(AmqpType.FLOAT, 2.0**24)),
    (AmqpValue(AmqpType.DOUBLE, 0.1), AmqpValue(AmqpType.FLOAT, 0.10000000149011612)),
)

#: Judgements of samples by the tests of one question, each weighed by its constants; the least of one group of places.
_JUDGEMENTS, _LEAST = 400_000, 60
#: Combinations of the values of several places, and the places up to which they are made.
_COMBINATIONS, _PLACES = 6_400, 4
#: Constants of one group of places.
_CONSTANTS = 40

#: Samples of all names of a test together, and those drawn from the longer lists beside them.
_PRODUCT, _CALCULATED, _DRAWN = 441, 441, 150


class Sample(NamedTuple):
    """A message, and whether it is one that few people have."""

    message: Message
    rare: bool


class _Item(NamedTuple):
    value: Any
    rare: bool


def samples(places: Iterable[MessageField], constants: Sequence[object], calculating: bool) -> list[Sample]:
    """Messages over some places: all combinations of one or two, and of more places a part.

    ``calculating`` if the test has arithmetic, whose answers change at other values than its constants.
    """
    slots = sorted(set(places), key=lambda place: (place.section, place.field))
    lists = [_items(place, constants, calculating) for place in slots]
    if not lists:
        return [Sample(Message(), False)]
    size = max(2, math.floor((_CALCULATED if calculating else _PRODUCT) ** (1 / len(lists)) + 1e-9))
    if len(lists) == 1:
        size = len(lists[0])
    chosen = list(itertools.product(*(items[:size] for items in lists))) if len(lists) <= 6 else []
    if len(lists) > 1:
        # Each list in full as well, where the other places are empty, and where they have their likeliest value.
        for place, items in enumerate(lists):
            for other in (0, 1):
                rest = [others[min(other, len(others) - 1)] for others in lists]
                chosen += [(*rest[:place], item, *rest[place + 1 :]) for item in items[size:]]
        # A comparison of two names can turn where both have one value, and where two numbers are equal when rounded.
        chosen += list(zip(*(items[size:] for items in lists), strict=False))
        chosen += _close(slots, lists)
    draw = random.Random(0)
    if any(len(items) > size for items in lists) or len(lists) > 6:
        chosen += [tuple(draw.choice(items) for items in lists) for _ in range(_DRAWN * (1 + calculating))]
    return [Sample(_message(slots, row), any(item.rare for item in row)) for row in chosen]


def _close(slots: list[MessageField], lists: list[list[_Item]]) -> Iterator[tuple[_Item, ...]]:
    """Yield rows with two numbers that only rounding makes equal in each two properties, and no value elsewhere."""
    properties = [place for place, slot in enumerate(slots) if slot.section == "application_properties"]
    empty = [items[0] for items in lists]
    for (one, other), (left, right) in itertools.product(itertools.permutations(properties, 2), _CLOSE_NUMBERS):
        row = list(empty)
        row[one], row[other] = _Item(left, True), _Item(right, True)
        yield tuple(row)


def _message(slots: list[MessageField], row: tuple[_Item, ...]) -> Message:
    sections: dict[str, dict[str, Any]] = {}
    for place, item in zip(slots, row, strict=True):
        if item.value is not None:
            sections.setdefault(place.section, {})[place.field] = item.value
    body = sections.get("body")
    return Message(
        header=Header(**sections["header"]) if "header" in sections else None,
        message_annotations=sections.get("message_annotations"),
        properties=Properties(**sections["properties"]) if "properties" in sections else None,
        application_properties=sections.get("application_properties"),
        body=None if body is None else Body("amqp-value", value=body["value"]),
    )


def _items(place: MessageField, constants: Sequence[object], calculating: bool) -> list[_Item]:
    match place.section, place.field:
        case "application_properties", name:
            items = _calculated(constants) + _values(constants) if calculating else _values(constants)
            if name.startswith("JMS") and not name.startswith("JMSX"):
                # JMS keeps the name for itself: none of its clients gives it to a property.
                items = [item._replace(rare=True) for item in items]
        case "message_annotations", _:
            items = [item._replace(rare=True) for item in _values(constants)]
        case "body", _:
            texts = ("", "<a>5</a>", "<a><b>x</b></a>", "no document", *_strings(constants))
            items = [_Item(AmqpValue(AmqpType.STRING, text), False) for text in texts]
        case "header", ("durable" | "first_acquirer"):
            items = [_Item(True, False), _Item(False, False)]
        case "header", "priority":
            items = [_Item(number, number > 9) for number in (4, 0, 9, 1, 5, *_whole(constants, 0, 255), 10, 255)]
        case "properties", "message_id":
            # Every message id of JMS begins so.
            items = [
                item._replace(rare=item.rare or not str(item.value.value).startswith("ID:")) for item in _ids(constants)
            ]
        case "properties", "correlation_id":
            items = list(_ids(constants))
        case "properties", "user_id":
            items = [_Item(text.encode(), is_odd(text)) for text in _strings(constants)] + [_Item(b"\xff\x00", True)]
        case "properties", ("absolute_expiry_time" | "creation_time"):
            near = _whole(constants, -(2**62), 2**62)
            items = [_Item(number, number < 0) for number in (0, *near, 1, 999, 1_750_772_279_123, -1, -1500)]
        case ("header", ("ttl" | "delivery_count")) | ("properties", "group_sequence"):
            near = _whole(constants, 0, 2**32 - 1)
            items = [_Item(number, number >= 2**31) for number in (0, 1, 2, *near, 2**31 - 1, 2**31, 2**32 - 1)]
        case _:
            items = [_Item(text, is_odd(text)) for text in _strings(constants)]
    unique: dict[str, _Item] = {}
    for item in (_Item(None, False), *items):
        unique.setdefault(repr(item.value), item)
    # What combinations are made of comes first, and arithmetic has its own order.
    return list(unique.values()) if calculating else sorted(unique.values(), key=lambda item: item.rare)


def _calculated(constants: Sequence[object]) -> list[_Item]:
    """Operands of arithmetic: small numbers, the ends of the types, and what the constants make of each other."""
    items = [_Item(AmqpValue(AmqpType.INT, number), False) for number in (5, 2, -7, 0)]
    items += [_Item(AmqpValue(AmqpType.DOUBLE, number), False) for number in (2.5, -0.75)]
    items += [_Item(AmqpValue(AmqpType.STRING, "a"), False), _Item(AmqpValue(AmqpType.BOOLEAN, True), False)]
    items += [_Item(AmqpValue(AmqpType.INT, number), True) for number in (2**31 - 1, -(2**31))]
    items += [_Item(AmqpValue(AmqpType.LONG, number), number != 3) for number in (2**63 - 1, 3, -(2**63), 2**40 + 1)]
    items += [_Item(AmqpValue(AmqpType.SHORT, 5), False), _Item(AmqpValue(AmqpType.FLOAT, 2.5), False)]
    items += [_Item(AmqpValue(AmqpType.BYTE, 1), False), _Item(AmqpValue(AmqpType.DOUBLE, 1e300), True)]
    items += [_Item(AmqpValue(AmqpType.STRING, "5"), False), _Item(AmqpValue(AmqpType.DOUBLE, math.nan), True)]
    items += [_Item(AmqpValue(AmqpType.INT, number), False) for number in (*range(-4, 14), 99, 100, 101)]
    texts = [one for one in constants if isinstance(one, str)][:4]
    items += [_Item(AmqpValue(AmqpType.STRING, one + other), False) for one, other in itertools.permutations(texts, 2)]
    numbers = [float(one) for one in constants if isinstance(one, int | float) and abs(one) < 2**53]
    for one, other in itertools.product(numbers[:6], repeat=2):
        for made in (one + other, one - other, one * other, one / other if other else 0.0):
            for near in (made, made + 1, made - 1, made + 0.5):
                rare = abs(near) > 2**30
                items.append(_Item(AmqpValue(AmqpType.DOUBLE, near), rare))
                if abs(near) < 2**31:
                    items.append(_Item(AmqpValue(AmqpType.INT, math.floor(near)), rare))
                if abs(near) < 2**63:
                    items.append(_Item(AmqpValue(AmqpType.LONG, math.floor(near)), rare))
    return items


def _values(constants: Sequence[object]) -> list[_Item]:
    """Return values of an application property, the most discriminating ones first."""
    numbers = [number for number in constants if isinstance(number, int | float) and not isinstance(number, bool)]
    # A function over numbers as texts compares them with its constants.
    numbers += _written(constants)
    texts = _strings(constants)
    items = [_Item(AmqpValue(AmqpType.STRING, text), is_odd(text)) for text in texts[:2]]
    items += [_Item(AmqpValue(AmqpType.BOOLEAN, truth), False) for truth in (True, False)]
    items += list(_numbers([*numbers, 5], near=True))
    items += [_Item(AmqpValue(AmqpType.STRING, text), is_odd(text)) for text in texts[2:]]
    items += list(
        _numbers([0, -1, 0.1, 2**15, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 2**24 + 1], near=False)
    )
    for special in (math.nan, math.inf, -math.inf, -0.0, 1e300, 5e-324):
        items.append(_Item(AmqpValue(AmqpType.DOUBLE, special), True))
        if abs(special) != 1e300 and special != 5e-324:
            items.append(_Item(AmqpValue(AmqpType.FLOAT, special), True))
    for text in texts:
        items += [_Item(AmqpValue(AmqpType.SYMBOL, text), True)] if text.isascii() else []
        items += [_Item(AmqpValue(AmqpType.CHAR, text), True)] if len(text) == 1 else []
        items.append(_Item(AmqpValue(AmqpType.BINARY, text.encode("utf-8", "surrogateescape")), True))
    items += [_Item(AmqpValue(AmqpType.BINARY, octets), True) for octets in (b"\xff\x00", b"a\xffb", b"")]
    items += [_Item(AmqpValue(AmqpType.UUID, uuid), True) for uuid in (_UUID, *_uuids(texts))]
    items += [_Item(AmqpValue(AmqpType.CHAR, char), True) for char in ("a", "5", "é", "\x05")]
    written = [repr(number) for number in numbers[:4] if math.isfinite(number)]
    items += [_Item(AmqpValue(AmqpType.DECIMAL64, Decimal(text)), True) for text in (*written, "5", "0.1", "NaN")]
    return items


def _written(constants: Sequence[object]) -> list[int | float]:
    """Return the numbers in the text constants."""
    texts = [text for constant in constants if isinstance(constant, str) for text in _NUMBER.findall(constant)]
    return [float(text) if "." in text else int(text) for text in texts[:4]]


def _numbers(numbers: list[int | float], near: bool) -> Iterator[_Item]:
    """Yield each number in each type, then its neighbours; ``near`` if they are constants of the selector."""
    for step in range(4):
        for number in numbers:
            yield from _around(number, step, near)


def _around(constant: int | float, step: int, near: bool) -> Iterator[_Item]:
    finite = math.isfinite(constant)
    whole = math.floor(constant) if finite else 2**63 - 1
    for number in {0: (whole,), 1: (whole + 1,), 2: (whole - 1, -whole), 3: (whole + 2,)}[step]:
        for kind, (low, high) in _RANGES.items():
            if low <= number <= high:
                yield _Item(AmqpValue(kind, number), kind not in _JMS or _is_far(number, near))
    if step == 0 and whole < 0 and whole >= -(2**64):
        # To some brokers the same number as the negative one.
        yield _Item(AmqpValue(AmqpType.ULONG, whole + 2**64), True)
    value = _float(constant)
    for approximate in {
        0: (value,),
        1: (math.nextafter(value, math.inf), value + 0.5),
        2: (math.nextafter(value, -math.inf), -value),
        3: (value - 0.5,),
    }[step]:
        yield _Item(AmqpValue(AmqpType.DOUBLE, approximate), _is_extreme(approximate, 2**53))
        single = _single(approximate if step != 1 else _single(value) * (1 + 2**-23))
        yield _Item(AmqpValue(AmqpType.FLOAT, single), _is_extreme(single, 2**24))


def _is_far(number: int, near: bool) -> bool:
    """Return True if a number is extreme for its type although no constant near it is."""
    return abs(number) > 2**53 or (abs(number) >= 2**30 and not near)


def _is_extreme(number: float, exact: int) -> bool:
    return not math.isfinite(number) or abs(number) > exact or (number == 0 and math.copysign(1, number) < 0)


def _float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _single(number: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _strings(constants: Sequence[object]) -> list[str]:
    texts = [text for text in constants if isinstance(text, str)]
    near: list[str] = []
    for text in texts:
        near += [text + "x", text[:-1], text.swapcase(), text + "\n", f"x{text}"]
    for number in constants:
        if isinstance(number, int | float) and not isinstance(number, bool):
            near += [str(number), f" {number}", f"{number}.0", str(number).upper()]
    common = [
        "a",
        "",
        "5",
        "true",
        "TRUE",
        "A",
        "été",
        "b",
        "NaN",
        "5.0",
        "1e1",
        "x\ny",
        "😀",
        "\uffff",
        "a\0b",
        "PERSISTENT",
    ]
    return list(dict.fromkeys([*texts, *common[:2], *near, *common[2:], "DURABLE"]))


def _whole(constants: Sequence[object], low: int, high: int) -> list[int]:
    numbers = []
    for constant in constants:
        if isinstance(constant, int | float) and not isinstance(constant, bool) and math.isfinite(constant):
            whole = math.floor(constant)
            numbers += [number for number in (whole, whole + 1, whole - 1, whole + 999) if low <= number <= high]
    return numbers


def _ids(constants: Sequence[object]) -> Iterator[_Item]:
    for text in _strings(constants):
        for spelling in (text, f"ID:{text}", text.removeprefix("ID:")):
            yield _Item(AmqpValue(AmqpType.STRING, spelling), is_odd(spelling))
            yield _Item(AmqpValue(AmqpType.BINARY, spelling.encode("utf-8", "surrogateescape")), True)
        with suppress(DecodeError):
            yield _Item(read_id(text), True)
    for number in (0, 5, 2**64 - 1, *_whole(constants, 0, 2**63)):
        yield _Item(AmqpValue(AmqpType.ULONG, number), True)
    for uuid in (_UUID, *_uuids(_strings(constants))):
        yield _Item(AmqpValue(AmqpType.UUID, uuid), True)


def _uuids(texts: list[str]) -> Iterator[UUID]:
    for text in texts:
        try:
            yield UUID(text)
        except ValueError:
            if len(text.encode("utf-8", "surrogateescape")) == 16:
                yield UUID(bytes=text.encode("utf-8", "surrogateescape"))


class Sampled(NamedTuple):
    """Cells of tests that read common places, and how many of their constants had samples."""

    tests: list[Test]
    cells: list[Cell]
    constants: int
    tried: int
    #: False where a thorough search has more samples.
    all: bool


def sampled_cells(places: set[MessageField], tests: Sequence[Test], weight: int, thorough: bool) -> Sampled:
    """Return cells that samples of some places have, of all that there are; ``weight`` counts tests of the question."""
    every = {repr(value): value for test in tests for value in _constants(test)}
    constants = list(every.values())[:_CONSTANTS]
    made = samples(places, constants, any(_is_calculating(test) for test in tests))
    most = max(_LEAST, (_JUDGEMENTS if thorough else _JUDGEMENTS // 40) // max(weight * (1 + len(every)), 1))
    combines = 1 < len(places) <= _PLACES
    if thorough and combines:
        made += _combined(places, tests, constants, min(_COMBINATIONS, 2 * most))
    is_all = thorough or (len(made) <= most and not combines)
    made = _thinned(made, most)
    best: dict[tuple[int, ...], tuple[tuple[bool, int], Cell]] = {}
    for sample in made:
        outcomes = tuple([bit_of(test.judge(sample.message)) for test in tests])
        rank = sample.rare, sum(map(oddness, _contents(sample.message)))
        if outcomes not in best or rank < best[outcomes][0]:
            best[outcomes] = rank, Cell(outcomes, sample.message, RARE if sample.rare else COMMON)
    cells = [cell for _, cell in sorted(best.values(), key=lambda pair: pair[0])]
    return Sampled([*tests], cells, len(every), len(constants), is_all)


def _constants(test: Test) -> Iterator[object]:
    for constant in test.constants:
        yield _plain(constant.value) if isinstance(constant, AmqpValue) else constant
    for pattern in test.patterns:
        if isinstance(pattern, Words):
            yield from topic_keys(".".join(pattern.words))
        else:
            for any_, one in (("", "x"), ("yz", "é"), ("x\nz", "\n")):
                yield "".join(part if isinstance(part, str) else any_ if part.value == "%" else one for part in pattern)


def _plain(value: object) -> object:
    match value:
        case UUID():
            return str(value)
        case Decimal():
            return float(value)
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case _:
            return value


def topic_keys(pattern: str) -> list[str]:
    """Return routing keys that a topic pattern matches, and near ones: a word less, a word more, another word."""
    words = pattern.split(".")
    keys = []
    for many in ("x", "", "x.y"):
        filled = [{ONE_WORD: "x", MANY_WORDS: many}.get(word, word) for word in words]
        keys.append(".".join(word for word, one in zip(filled, words, strict=True) if word or one != MANY_WORDS))
    for place, word in enumerate(words):
        if word == ONE_WORD:
            keys.append(".".join([*keys[0].split(".")[:place], "y", *keys[0].split(".")[place + 1 :]]))
    first = keys[0]
    keys += [f"{first}.x", first.rpartition(".")[0], f"x.{first}"]
    return list(dict.fromkeys(keys))


def _is_calculating(test: Test) -> bool:
    return isinstance(test.node, ast.Expression) and any(
        isinstance(inner, ast.Calculate | ast.Sign) and has_names(inner) for inner in ast.walk(test.node)
    )


def _combined(
    places: set[MessageField], tests: Sequence[Test], constants: Sequence[object], count: int
) -> Iterator[Sample]:
    """Yield combinations of values of several places: of each place two for each type and each answer of its tests.

    Two of a kind can be equal to each other or not. Properties have each other's values as well, which are equal.
    """
    slots = sorted(places, key=lambda one: (one.section, one.field))
    kinds = [
        _two_of_a_kind(place, [test for test in tests if set(places_read(test)) == {place}], constants)
        for place in slots
    ]
    lists = []
    for slot, alike in zip(slots, kinds, strict=True):
        others = [
            _renamed(sample, slot)
            for other, theirs in zip(slots, kinds, strict=True)
            for first in theirs
            for sample in first[:1]
            if other != slot and other.section == slot.section == PROPERTIES
        ]
        own = [sample for first in alike for sample in first[:1]]
        seconds = [sample for first in alike for sample in first[1:]]
        lists.append(sorted([*own, *others, *seconds], key=lambda one: one.rare))
    most = max(2, math.floor(count ** (1 / len(lists))))
    for row in itertools.product(*(listed[:most] for listed in lists)):
        yield Sample(merged(one.message for one in row), any(one.rare for one in row))


def _two_of_a_kind(place: MessageField, tests: list[Test], constants: Sequence[object]) -> list[list[Sample]]:
    chosen: dict[object, list[Sample]] = {}
    for sample in (*samples([place], constants, False), *samples([place], constants, True)):
        value = next(_contents(sample.message), None)
        kind = value.type if isinstance(value, AmqpValue) else type(value)
        alike = chosen.setdefault((kind, *(bit_of(test.judge(sample.message)) for test in tests)), [])
        if len(alike) < 2 and sample not in alike:
            alike.append(sample)
    return [*chosen.values()]


def _renamed(sample: Sample, place: MessageField) -> Sample:
    """Return the sample with its property under another name."""
    value = next(iter((sample.message.application_properties or {}).values()), None)
    return Sample(Message(application_properties=None if value is None else {place.field: value}), sample.rare)


def _thinned(made: list[Sample], most: int) -> list[Sample]:
    if len(made) <= most:
        return made
    # The likeliest values come first.
    return made[: most // 2] + made[most // 2 :: -(-len(made) // (most // 2))]


def size_of(message: Message) -> int:
    """Return the number of values of a message."""
    return sum(1 for _ in _contents(message))


def _contents(message: Message) -> Iterator[object]:
    for section in fields(message):
        content = getattr(message, section.name)
        if isinstance(content, Mapping):
            yield from content.values()
        elif content is not None:
            yield from (value for f in fields(content) if (value := getattr(content, f.name)) is not None)


def merged(messages: Iterable[Message]) -> Message:
    """Return one message with the values of all messages, whose places differ."""
    sections: dict[str, Any] = {}
    for message in messages:
        for section in fields(message):
            content, known = getattr(message, section.name), sections.get(section.name)
            if content is None or known is None:
                sections[section.name] = known if content is None else content
            elif isinstance(content, Mapping):
                sections[section.name] = {**known, **content}
            else:
                given = {f.name: value for f in fields(content) if (value := getattr(content, f.name)) is not None}
                sections[section.name] = replace(known, **given)
    return Message(**sections)
