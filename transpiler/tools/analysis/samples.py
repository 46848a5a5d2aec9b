"""Sample messages for tests that read several message fields: every type, and every value that may matter.

The values of a field are its representatives (``representatives``), and further values at which the outcome of
arithmetic, of conversions and of comparisons of names can change. A sample is rare if it has a type that JMS does not
allow for properties, a number at the end of its type's range, or a string with unusual characters.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord, TopicPattern
from transpiler.language.selector import ast
from transpiler.message.broker_fields import names_header_field
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.tools.analysis.building import fields_read
from transpiler.tools.analysis.cells import COMMON, RARE, Cell, oddness
from transpiler.tools.analysis.constants import is_constant
from transpiler.tools.analysis.formula import Test, WordPattern, bit_of
from transpiler.tools.analysis.representatives import Constants, Item, items_of, message_of

#: Pairs of numbers of two types that are different, but equal after conversion to a floating-point type.
_CLOSE_NUMBERS = (
    (AmqpValue(AmqpType.LONG, 2**53 + 1), AmqpValue(AmqpType.DOUBLE, 2.0**53)),
    (AmqpValue(AmqpType.LONG, 2**63 - 1), AmqpValue(AmqpType.DOUBLE, 2.0**63)),
    (AmqpValue(AmqpType.INT, 2**24 + 1), AmqpValue(AmqpType.FLOAT, 2.0**24)),
    (AmqpValue(AmqpType.DOUBLE, 0.1), AmqpValue(AmqpType.FLOAT, 0.10000000149011612)),
)

#: Limits of samples for one group of message fields. ``_JUDGEMENTS`` is the maximum of samples × tests × constants in a
#: thorough search, ``_NORMAL_JUDGEMENTS`` that in a normal search. ``_LEAST`` is the minimum number of samples, even if
#: the product then exceeds the maximum.
_JUDGEMENTS, _NORMAL_JUDGEMENTS, _LEAST = 400_000, 10_000, 60
#: Maximum number of constants that are tried for one group of message fields.
_CONSTANTS = 40

#: Numbers of samples for one group of message fields: ``_PRODUCT`` is the maximum number of combinations of the fields'
#: first values. ``_DRAWN`` random samples are added in a normal search, ``_THOROUGH`` in a thorough search.
_PRODUCT, _DRAWN, _THOROUGH = 441, 300, 1_000


class Sample(NamedTuple):
    """A message to try on the tests. ``rare`` is True if few real messages have such values."""

    message: Message
    rare: bool


def samples(
    message_fields: Iterable[MessageField],
    tests: Sequence[Test],
    constants: Sequence[object],
    calculating: bool,
    drawn: int = _DRAWN,
) -> list[Sample]:
    """Return sample messages that set ``message_fields`` to values near ``constants``, the likeliest messages first.

    The first values of all fields are combined with each other. A test that reads one field has as many different
    outcomes on the first values of the field as possible. Each other value appears in a few samples, and ``drawn`` is
    the number of additional random samples. ``calculating`` is True if one of ``tests`` has arithmetic, so that its
    outcome can change at other values than ``constants``.
    """
    slots = sorted(set(message_fields), key=lambda message_field: (message_field.section, message_field.field))
    lists = [_items(message_field, tests, constants, calculating) for message_field in slots]
    if not lists:
        return [Sample(Message(), False)]
    size = max(2, math.floor(_PRODUCT ** (1 / len(lists)) + 1e-9))
    if len(lists) == 1:
        size = len(lists[0])
    varied = [
        _varied(slot, items, tests) if len(items) > size else items for slot, items in zip(slots, lists, strict=True)
    ]
    chosen = list(itertools.product(*(items[:size] for items in varied))) if len(lists) <= 6 else []
    if len(lists) > 1:
        # Add each value that is not among the first ones twice: alone, and together with the likeliest value of each
        # other field.
        for message_field, items in enumerate(varied):
            for other in (0, 1):
                rest = [others[min(other, len(others) - 1)] for others in lists]
                chosen += [(*rest[:message_field], item, *rest[message_field + 1 :]) for item in items[size:]]
        # A comparison of two names can change its outcome where both values are equal, or equal only after rounding.
        chosen += list(zip(*lists, strict=False))
        chosen += _close(slots, lists)
    if any(len(items) > size for items in lists) or len(lists) > 6:
        chosen += _drawn(slots, lists, drawn)
    return [
        Sample(
            message_of({message_field: item.value for message_field, item in zip(slots, row, strict=True)}),
            any(item.rare for item in row),
        )
        for row in chosen
    ]


def _varied(slot: MessageField, items: list[Item], tests: Sequence[Test]) -> list[Item]:
    """Return ``items``, the values of the field ``slot``, in an order in which different values come first.

    Two values are alike if all tests that read no other field have the same outcomes on them. The order is: one value
    of each kind, then a second value of each kind, and so on. If there are too many tests, the order is unchanged.
    """
    own = [test for test in tests if fields_read(test) == (slot,)]
    if not own or len(own) * len(items) > _NORMAL_JUDGEMENTS:
        return items
    counts: Counter[tuple[int, ...]] = Counter()
    ranks = []
    for item in items:
        message = message_of({slot: item.value})
        outcomes = tuple([bit_of(test.judge(message)) for test in own])
        ranks.append(counts[outcomes])
        counts[outcomes] += 1
    return [item for _, item in sorted(zip(ranks, items, strict=True), key=lambda pair: pair[0])]


def _drawn(slots: list[MessageField], lists: list[list[Item]], count: int) -> Iterator[tuple[Item, ...]]:
    """Yield ``count`` random combinations of values, each with one value for each field of ``slots``.

    ``lists`` has the values of each field. In every third combination, two properties have the same value.
    """
    properties = [index for index, slot in enumerate(slots) if slot.section == PROPERTIES]
    draw = random.Random(0)
    for number in range(count):
        row = [draw.choice(items) for items in lists]
        if number % 3 == 0 and len(properties) > 1:
            one, other = draw.sample(properties, 2)
            row[one] = row[other]
        yield tuple(row)


def _close(slots: list[MessageField], lists: list[list[Item]]) -> Iterator[tuple[Item, ...]]:
    """Yield combinations of values in which two properties have numbers that are equal only after rounding.

    Each combination has one item for each field of ``slots``; all other fields are absent.
    """
    properties = [index for index, slot in enumerate(slots) if slot.section == PROPERTIES]
    empty = [items[0] for items in lists]
    for (one, other), (left, right) in itertools.product(itertools.permutations(properties, 2), _CLOSE_NUMBERS):
        row = list(empty)
        row[one], row[other] = Item(left, True), Item(right, True)
        yield tuple(row)


def _items(
    message_field: MessageField, tests: Sequence[Test], constants: Sequence[object], calculating: bool
) -> list[Item]:
    known = Constants(tests, constants)
    match message_field.section, message_field.field:
        case "application_properties", name:
            items = [*(_calculated(constants) if calculating else ()), *items_of(message_field, known)]
            if (name.startswith("JMS") or names_header_field(name)) and not name.startswith("JMSX"):
                # The name is reserved by JMS or a broker, so few messages have a property with this name.
                items = [item._replace(rare=True) for item in items]
        case "message_annotations", _:
            items = [item._replace(rare=True) for item in items_of(message_field, known)]
        case "body", _:
            texts = ("", "<a>5</a>", "<a><b>x</b></a>", "no document", *known.texts)
            items = [Item(AmqpValue(AmqpType.STRING, text), False) for text in texts]
        case "properties", "message_id":
            # A JMS provider begins every message ID with "ID:", so real messages rarely have another message ID.
            items = [
                item._replace(rare=item.rare or not (item.value is None or str(item.value.value).startswith("ID:")))
                for item in items_of(message_field, known)
            ]
        case _:
            items = [*items_of(message_field, known)]
    unique: dict[str, Item] = {}
    for item in (Item(None, False), *items):
        unique.setdefault(repr(item.value), item)
    # Only the first values of a field are combined with other fields, so likely values must come first. ``_calculated``
    # has already ordered the values for arithmetic.
    return list(unique.values()) if calculating else sorted(unique.values(), key=lambda item: item.rare)


def _calculated(constants: Sequence[object]) -> list[Item]:
    """Return operands for arithmetic: small numbers, the ends of the types, and sums, products, … of the constants."""
    items = [Item(AmqpValue(AmqpType.INT, number), False) for number in (5, 2, -7, 0)]
    items += [Item(AmqpValue(AmqpType.DOUBLE, number), False) for number in (2.5, -0.75)]
    items += [Item(AmqpValue(AmqpType.STRING, "a"), False), Item(AmqpValue(AmqpType.BOOLEAN, True), False)]
    items += [Item(AmqpValue(AmqpType.INT, number), True) for number in (2**31 - 1, -(2**31))]
    items += [Item(AmqpValue(AmqpType.LONG, number), number != 3) for number in (2**63 - 1, 3, -(2**63), 2**40 + 1)]
    items += [Item(AmqpValue(AmqpType.SHORT, 5), False), Item(AmqpValue(AmqpType.FLOAT, 2.5), False)]
    items += [Item(AmqpValue(AmqpType.BYTE, 1), False), Item(AmqpValue(AmqpType.DOUBLE, 1e300), True)]
    items += [Item(AmqpValue(AmqpType.STRING, "5"), False), Item(AmqpValue(AmqpType.DOUBLE, math.nan), True)]
    items += [Item(AmqpValue(AmqpType.INT, number), False) for number in (*range(-4, 14), 99, 100, 101)]
    texts = [one for one in constants if isinstance(one, str)][:4]
    items += [Item(AmqpValue(AmqpType.STRING, one + other), False) for one, other in itertools.permutations(texts, 2)]
    numbers = [float(one) for one in constants if isinstance(one, int | float) and abs(one) < 2**53]
    for one, other in itertools.product(numbers[:6], repeat=2):
        for made in (one + other, one - other, one * other, one / other if other else 0.0):
            for near in (made, made + 1, made - 1, made + 0.5):
                rare = abs(near) > 2**30
                items.append(Item(AmqpValue(AmqpType.DOUBLE, near), rare))
                if abs(near) < 2**31:
                    items.append(Item(AmqpValue(AmqpType.INT, math.floor(near)), rare))
                if abs(near) < 2**63:
                    items.append(Item(AmqpValue(AmqpType.LONG, math.floor(near)), rare))
    return items


class Sampled(NamedTuple):
    """The combinations of outcomes that tests which read common message fields have on sample messages.

    ``constants`` is the number of constants in the tests, ``tried`` the number of those for which samples were made.
    """

    tests: list[Test]
    cells: list[Cell]
    constants: int
    tried: int
    #: True if these are all samples; False if a thorough search would try more.
    all: bool


def sampled_cells(message_fields: set[MessageField], tests: Sequence[Test], weight: int, thorough: bool) -> Sampled:
    """Return the distinct lists of outcomes that ``tests`` have on sample messages; other lists of outcomes may exist.

    ``weight`` is the number of tests in the whole question: the more tests, the fewer samples are judged. If
    ``thorough`` is True, more samples are judged.
    """
    every = {repr(value): value for test in tests for value in _constants(test)}
    constants = list(every.values())[:_CONSTANTS]
    calculating = any(_is_calculating(test) for test in tests)
    made = samples(message_fields, tests, constants, calculating, _THOROUGH if thorough else _DRAWN)
    most = max(_LEAST, (_JUDGEMENTS if thorough else _NORMAL_JUDGEMENTS) // max(weight * (1 + len(every)), 1))
    is_all = thorough or (len(made) <= most and len(message_fields) == 1)
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
        if isinstance(pattern, WordPattern):
            yield from topic_keys(pattern.words)
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


def topic_keys(pattern: TopicPattern) -> list[str]:
    """Return routing keys that match the topic pattern, and keys that differ from a match by one word.

    They have one word less, one word more, or another word.
    """
    words = pattern or ("",)
    keys = []
    for many in ("x", "", "x.y"):
        wildcards = {ONE_WORD: "x", MANY_WORDS: many}
        filled = [(word, wildcards[word] if isinstance(word, AnyWord) else word) for word in words]
        keys.append(".".join(text for word, text in filled if text or word != MANY_WORDS))
    for index, word in enumerate(words):
        if word == ONE_WORD:
            keys.append(".".join([*keys[0].split(".")[:index], "y", *keys[0].split(".")[index + 1 :]]))
    first = keys[0]
    keys += [f"{first}.x", first.rpartition(".")[0], f"x.{first}"]
    return list(dict.fromkeys(keys))


def _is_calculating(test: Test) -> bool:
    return isinstance(test.node, ast.Expression) and any(
        isinstance(inner, ast.Calculate | ast.Sign) and not is_constant(inner) for inner in ast.walk(test.node)
    )


def _thinned(made: list[Sample], most: int) -> list[Sample]:
    if len(made) <= most:
        return made
    # The likeliest samples come first: take half of the allowed samples from the start, and spread the other half
    # evenly over the rest.
    return made[: most // 2] + made[most // 2 :: -(-len(made) // (most // 2))]


def size_of(message: Message) -> int:
    """Return the number of values in ``message``, over all its sections."""
    return sum(1 for _ in _contents(message))


def _contents(message: Message) -> Iterator[object]:
    for section in fields(message):
        content = getattr(message, section.name)
        if isinstance(content, Mapping):
            yield from content.values()
        elif content is not None:
            yield from (value for f in fields(content) if (value := getattr(content, f.name)) is not None)


def merged(messages: Iterable[Message]) -> Message:
    """Return one message with the values of all ``messages``, each of which sets different fields."""
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
