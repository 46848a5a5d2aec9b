"""Cells: sets of values of one subject on which all its tests have the same outcomes, each with its plainest value.

Tests of one subject are judged on the representatives of the subject. Comparisons of two names are judged on pairs of
values: for each two types, values that are less, equal and greater. These give every combination of outcomes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Wildcards
from transpiler.language.selector.dialects import Dialect
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import evaluate_operand, judge
from transpiler.tools.analysis.formula import FALSE, TRUE, UNKNOWN, Subject, Test, UndecidedError, bit_of
from transpiler.tools.analysis.representatives import representatives

#: Maximum number of evaluations of tests on the sample values of one field. An IN list counts once more for every
#: ``_MEMBERS`` members.
_JUDGEMENTS, _MEMBERS = 400_000, 16
#: Values that compare equally with every constant share one cached result, unless a constant is above ``_LARGEST``. A
#: number nearer to a constant than the relative distance ``_NEAR`` or the absolute distance ``_LEAST`` is judged
#: separately, because it may equal the constant after rounding to 32 bits.
_LARGEST, _NEAR, _LEAST = 2.0**120, 2.0**-22, 2.0**-149
_PLAIN = (AmqpType.LONG, AmqpType.DOUBLE, AmqpType.STRING, AmqpType.BOOLEAN)


#: The levels of a cell, by how usual its values are: COMMON if many messages have them, ODD if no constant has their
#: type, RARE if few messages have them.
COMMON, ODD, RARE = range(3)


class Cell(NamedTuple):
    """The possible outcomes of each test of one subject (an input field), and a message that produces these outcomes.

    ``message`` is None if no message is known that certainly produces them. ``level`` states how usual the value in the
    message is. ``odd`` is a remark such as "color is no number", if the value has another type than every constant.
    """

    outcomes: tuple[int, ...]
    message: Message | None
    level: int = COMMON
    odd: str = ""


def cells_of(subject: Subject, tests: Sequence[Test]) -> list[Cell]:
    """Return the cells of ``subject``: the different combinations of outcomes that ``tests`` have on its sample values.

    The cells with the likeliest and most readable values come first.
    """
    made = representatives(subject, tests)
    # An IN list is compared member by member, so a test with a long list counts as several evaluations.
    weight = sum(1 + len(test.constants) // _MEMBERS for test in tests)
    if len(made.messages) * weight > _JUDGEMENTS:
        raise UndecidedError(f"{len(tests):,} tests of one name")
    judges = [_judge_of(test) for test in tests]
    real = subject.message_field is not None
    best: dict[tuple[int, ...], tuple[tuple[int, int], Cell]] = {}
    constants = None if made.complete else {one for test in tests for one in test.constants}
    expected = {kind for test in tests for kind in _kinds_of(test)}
    for message, value, rare in made.messages:
        outcomes = tuple([answer(message, value) for answer in judges])
        loose = any(outcome & (outcome - 1) for outcome in outcomes)
        kind = _kind_of(value)
        is_odd = bool(expected) and kind is not None and kind not in expected
        rank = RARE if rare else ODD if is_odd else COMMON, oddness(value)
        known = best.get(outcomes)
        if known is None or rank < known[0]:
            remark = f"{_name_of(subject)} is no {' and no '.join(sorted(expected))}" if is_odd else ""
            best[outcomes] = rank, Cell(outcomes, message if real and not loose else None, rank[0], remark)
        if constants is not None and _text_of(value) not in constants and _text_of(value) is not None:
            # No sample text was found for some combinations of matching LIKE patterns. Add a cell in which each LIKE
            # test may be TRUE or FALSE, so that no combination is wrongly excluded.
            wide = tuple(
                [
                    outcome | TRUE | FALSE | (UNKNOWN if _may_be_unknown(test) else 0) if test.patterns else outcome
                    for outcome, test in zip(outcomes, tests, strict=True)
                ]
            )
            best.setdefault(wide, ((RARE, 1000), Cell(wide, None)))
    return [cell for _, cell in sorted(best.values(), key=lambda pair: pair[0])]


def _kinds_of(test: Test) -> Iterator[str]:
    """Yield the kinds of values that ``test`` expects: "text", "number" or "boolean"."""
    if test.patterns:
        yield "text"
    if isinstance(test.node, ast.Identifier):
        yield "boolean"
    for constant in test.constants:
        kind = _kind_of(constant)
        if kind is not None:
            yield kind
    if isinstance(test.node, ast.Compare) and ast.BooleanLiteral in (type(test.node.left), type(test.node.right)):
        yield "boolean"


def _kind_of(value: object) -> str | None:
    match value.value if isinstance(value, AmqpValue) else value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case _:
            return None


def _name_of(subject: Subject) -> str:
    if subject.message_field is not None:
        return subject.message_field.field
    assert subject.field is not None
    return subject.field.name


def _may_be_unknown(test: Test) -> bool:
    return test.dialect is not None and test.dialect.wildcards is Wildcards.LINES


def _text_of(value: object) -> str | None:
    content = value.value if isinstance(value, AmqpValue) else value
    if isinstance(content, bytes):
        return content.decode("utf-8", "surrogateescape")
    return content if isinstance(content, str) else None


def _judge_of(test: Test) -> Callable[[Message, Any], int]:
    judged = test.judge
    if not test.decided:
        # Sample values do not produce every outcome of this test, for example because it has arithmetic. So its outcome
        # is exact only for a missing value and for a boolean; for any other value, every outcome of the test is
        # possible.
        def on_few(message: Message, value: Any) -> int:
            content = value.value if isinstance(value, AmqpValue) else value
            return bit_of(judged(message)) if content is None or isinstance(content, bool) else test.outcomes

        return on_few
    numbers = [one for one in test.constants if isinstance(one, int | float)]
    if test.patterns or test.typed or any(not abs(number) < _LARGEST for number in numbers):
        return lambda message, _: bit_of(judged(message))
    ordered = not _is_equality(test.node)
    texts = {text for one in test.constants if isinstance(one, str) for text in (one, one.lower(), one.upper())}
    texts |= {read for _, read in test.dialect.fields.rewritten} if test.dialect else set()
    answers: dict[object, int] = {}

    def once(message: Message, value: Any) -> int:
        """Return the outcome of the test for ``message``, whose field has ``value``; results are cached.

        Values of one type that compare equally with every constant share one cached result.
        """
        kind, content = (value.type, value.value) if isinstance(value, AmqpValue) else (type(value), value)
        key: object = content
        if isinstance(content, str):
            key = content if ordered or kind is AmqpType.CHAR or content in texts else None
        elif isinstance(content, int | float) and not isinstance(content, bool) and math.isfinite(content):
            # Do not share the result of a number that may equal a constant after rounding, or that a dialect converts
            # (milliseconds to seconds; an unsigned long that becomes negative).
            near = (
                kind is AmqpType.ULONG
                or not isinstance(value, AmqpValue)
                or any(abs(content - number) <= _NEAR * abs(number) + _LEAST for number in numbers)
            )
            key = repr(content) if near else tuple([content > number for number in numbers])
        else:
            key = repr(content)
        outcome = answers.get((kind, key))
        if outcome is None:
            outcome = answers[kind, key] = bit_of(judged(message))
        return outcome

    return once


def _is_equality(node: object) -> bool:
    return isinstance(node, ast.In) or (isinstance(node, ast.Compare) and node.operator.is_equality)


def oddness(value: object) -> int:
    """Return a score for how hard ``value`` is to read, to choose between equivalent example messages.

    Types that JSON lacks, unprintable characters and long texts increase the score.
    """
    if value is None:
        return 0
    inner = value.value if isinstance(value, AmqpValue) else value
    is_plain = not isinstance(value, AmqpValue) or value.type in _PLAIN
    is_finite = not isinstance(inner, float | Decimal) or math.isfinite(inner)
    is_legible = not isinstance(inner, str) or (inner.isascii() and inner.isprintable() and inner != "")
    return 400 + 300 * (not is_finite) + 200 * (not is_plain) + 100 * (not is_legible) + min(len(str(inner)), 90)


def _typed(kind: AmqpType, *values: Any) -> list[AmqpValue]:
    return [AmqpValue(kind, value) for value in values]


#: Sample values for comparisons of two names. Each pair of types contains values that are equal, less or greater,
#: either exactly or only after rounding.
_PAIRED: tuple[AmqpValue | None, ...] = (
    None,
    *_typed(AmqpType.BOOLEAN, False, True),
    *_typed(AmqpType.STRING, "a", "b", ""),
    *_typed(AmqpType.LONG, 0, 1, 2, 2**24 + 1, 2**53, 2**53 + 1, 2**63 - 1),
    *_typed(AmqpType.INT, 0, 1, 2, 2**24 + 1),
    *_typed(AmqpType.SHORT, 0, 1, 2),
    *_typed(AmqpType.BYTE, 0, 1, 2),
    *_typed(AmqpType.ULONG, 2**64 - 1),
    *_typed(AmqpType.DOUBLE, -0.0, 0.0, 1.0, 2.0, 1.5, 0.1, 2.0**53, 2.0**63, 2.0**24, math.nan),
    *_typed(AmqpType.FLOAT, -0.0, 0.0, 1.0, 2.0, 1.5, 0.10000000149011612, 2.0**24, math.nan),
    *_typed(AmqpType.CHAR, "a", "b"),
    *_typed(AmqpType.BINARY, b"a", b"b"),
    *_typed(AmqpType.TIMESTAMP, 1),
)


def cells_of_relations(relations: Sequence[ast.Compare], dialect: Dialect) -> list[Cell]:
    """Return the cells of ``relations`` (comparisons of the same two names): outcomes for pairs of sample values."""
    first = relations[0].left
    shape = tuple((relation.operator, relation.left == first) for relation in relations)
    return [Cell(outcomes, None) for outcomes in _related(shape, _ByIdentity(dialect))]


class _ByIdentity:
    """A dialect as a cache key. It is compared by identity, because hashing its fields takes too long."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def __hash__(self) -> int:
        return id(self.dialect)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and other.dialect is self.dialect


@lru_cache(maxsize=512)
def _related(shape: tuple[tuple[Comparison, bool], ...], dialect: _ByIdentity) -> tuple[tuple[int, ...], ...]:
    one, other = ast.Identifier("x"), ast.Identifier("y")
    nodes = [ast.Compare(operator, *((one, other) if forwards else (other, one))) for operator, forwards in shape]
    found: dict[tuple[int, ...], None] = {}
    rules = dialect.dialect
    seen = {repr(evaluate_operand(one, _message("x", value), rules)): value for value in reversed(_PAIRED)}
    for left, right in itertools.product(seen.values(), seen.values()):
        message = Message(application_properties={name: one for name, one in (("x", left), ("y", right)) if one})
        found[tuple([bit_of(judge(node, message, rules, Receiver(0))) for node in nodes])] = None
    return tuple(found)


def _message(name: str, value: AmqpValue | None) -> Message:
    return Message(application_properties={name: value} if value else None)
