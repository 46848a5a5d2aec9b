"""Compare two selectors or two filters without data: find a message on which they differ, or prove their equality."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from transpiler.base import html
from transpiler.language.filters.kinds import Consumer
from transpiler.language.filters.sets import FiltersLike, read_filters
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector
from transpiler.message.message import Message, plain_message
from transpiler.message.receiver import Receiver
from transpiler.reference.conditions import holds
from transpiler.reference.evaluate import Verdict, judge
from transpiler.tools.analysis.building import Conditions, fields_read, shown
from transpiler.tools.analysis.constants import NOW
from transpiler.tools.analysis.formula import (
    FALSE,
    NOT_TRUE,
    THROWN,
    TRUE,
    UNKNOWN,
    Formula,
    Test,
    all_tests,
    bit_of,
    possible,
)
from transpiler.tools.analysis.solve import Answer, Found, Impossible, Open, Solver
from transpiler.tools.analysis.subsumption import parting_message
from transpiler.tools.dialect_tools.questions import find_rule, rule_of

#: Version number of the JSON that ``ConditionDiff.to_dict`` returns.
VERSION = 1
#: Maximum number of deciding subexpressions listed for a message, for each condition.
MAX_PARTS = 4
#: Maximum number of subexpressions for which it is checked if they decide the result of the condition.
_CANDIDATES = 100

Change = Literal["won", "lost"]
_NAMES = {TRUE: "TRUE", FALSE: "FALSE", UNKNOWN: "unknown", THROWN: "throws"}


class Part(NamedTuple):
    """A subexpression that decides the result of one condition for a message, and its own result for the message."""

    text: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A message that only one of two compared conditions selects.

    - ``change`` is ``won`` if only the new condition selects the message, ``lost`` if only the old condition does.
    - ``old`` and ``new`` are the results of the two conditions as text, ``parts_of_old`` and ``parts_of_new`` the
      subexpressions that decide them.
    - ``rare`` is True if few real messages are like ``message``. If every message on which the conditions differ is
      unusual, ``only`` states why; otherwise it is empty.
    - ``rule`` is the rule by which two dialects evaluate the same selector differently, or None.
    """

    change: Change
    message: Message
    old: str
    new: str
    parts_of_old: tuple[Part, ...] = ()
    parts_of_new: tuple[Part, ...] = ()
    rare: bool = False
    rule: str | None = None
    only: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form. The message is given as plain properties if they suffice, otherwise as message JSON."""
        result: dict[str, Any] = {
            "message": plain_message(self.message),
            "old": {"verdict": self.old, "parts": [*map(list, self.parts_of_old)]},
            "new": {"verdict": self.new, "parts": [*map(list, self.parts_of_new)]},
            "rare": self.rare,
        }
        if self.only:
            result["only_where"] = self.only
        return result | ({} if self.rule is None else {"rule": self.rule})

    def __str__(self) -> str:
        sign = "+" if self.change == "won" else "-"
        message = plain_message(self.message)
        remark = "" if message else "   (a message without properties)"
        remark = "   (few messages are like this one)" if self.rare else remark
        remark = f"   (only where {self.only})" if self.only else remark
        lines = [f"{sign} {json.dumps(message, ensure_ascii=False)}{remark}"]
        for name, verdict, parts in (("OLD", self.old, self.parts_of_old), ("NEW", self.new, self.parts_of_new)):
            why = [f"{part.text} is {part.verdict}" for part in parts if part.verdict != "throws"]
            why += [f"{part.text} throws" for part in parts if part.verdict == "throws"]
            lines.append(f"    {name}  {verdict:7}  {', '.join(why)}".rstrip())
        if self.rule is not None:
            lines.append(f"    rule: {self.rule}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ConditionDiff:
    """The comparison of an old and a new condition.

    ``won`` is a message that only the new condition selects, ``lost`` a message that only the old condition selects;
    None if no such message was found. ``no_won`` and ``no_lost`` are True if it is proved that no such message exists.
    ``open_won`` and ``open_lost`` state why this is not decided; they are empty if it is decided.
    """

    won: Difference | None
    lost: Difference | None
    no_won: bool
    no_lost: bool
    open_won: str = ""
    open_lost: str = ""

    @property
    def differs(self) -> bool:
        """True if a message was found that only one of the conditions selects."""
        return self.won is not None or self.lost is not None

    @property
    def is_same(self) -> bool:
        """True if it is proved that both conditions select the same messages."""
        return self.no_won and self.no_lost

    @property
    def not_decided(self) -> str:
        """The reason why it is not known if only the new or only the old condition selects some message.

        The text is empty if both questions are decided.
        """
        return self.open_won or self.open_lost

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison of the two conditions as an object for JSON."""
        return {
            "version": VERSION,
            "differs": self.differs,
            "same": self.is_same,
            "won": None if self.won is None else self.won.to_dict(),
            "lost": None if self.lost is None else self.lost.to_dict(),
            "none_won_is_proved": self.no_won,
            "none_lost_is_proved": self.no_lost,
            "not_decided": self.not_decided or None,
        }

    def _repr_html_(self) -> str:
        return html.code(str(self))

    def __str__(self) -> str:
        return "\n".join((self._headline(), *(str(one) for one in (self.won, self.lost) if one is not None)))

    def _headline(self) -> str:
        if self.is_same:
            return "OLD and NEW select the same messages."
        why = f"\n  not decided: {self.not_decided}"
        match self.won, self.lost:
            case None, None if self.no_won or self.no_lost:
                direction = "wins" if self.no_lost else "loses"
                other = "loses" if self.no_lost else "wins"
                return f"NEW {other} no message; it is not decided whether it {direction} some.{why}"
            case None, None:
                return f"It is not decided whether OLD and NEW differ.{why}"
            case Difference(), Difference():
                return "OLD and NEW select different messages: NEW wins some (+) and loses some (-)."
            case Difference(), None:
                more, none, proved = "NEW selects more messages than OLD", "loses", self.no_lost
            case _:
                more, none, proved = "NEW selects fewer messages than OLD", "wins", self.no_won
        return f"{more}, and {none} none." if proved else f"{more}; it is not decided whether it {none} some.{why}"


def diff_selectors(
    old: SelectorLike,
    new: SelectorLike,
    dialect: str | Dialect = "jms",
    new_dialect: str | Dialect | None = None,
    *,
    destination: str | None = None,
) -> ConditionDiff:
    """Compare two selectors.

    Args:
        old: The present selector, as text or as a parsed tree. A blank text or None selects every message.
        new: The future selector, in the same forms.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        new_dialect: The dialect of ``new``; by default ``dialect``.
        destination: The address that the consumer was created with.

    Returns:
        Whether the selectors select the same messages, and for each selector a message that only it selects.

    Raises:
        TranspilerError: What ``parse_selector`` raises.
    """
    first, second = find_dialect(dialect), find_dialect(dialect if new_dialect is None else new_dialect)
    trees = parse_selector(old, first), parse_selector(new, second)
    conditions, receiver = Conditions(destination), Receiver(NOW, destination)

    def side(tree: ast.Expression | None, own: Dialect, other: Dialect) -> _Side:
        formula = conditions.selector(tree, own, other)
        return _Side(formula, lambda message: judge(tree, message, own, receiver))

    def rule(message: Message) -> str | None:
        if first == second or trees[0] != trees[1]:
            return None

        def agree(left: Dialect, right: Dialect) -> bool:
            truths = (judge(trees[0], message, dialect, receiver).truth for dialect in (left, right))
            return len({truth is True for truth in truths}) == 1

        name = find_rule(first, second, agree)
        return None if name is None else str(rule_of(name, first, second))

    return _compare(conditions, side(trees[0], first, second), side(trees[1], second, first), rule)


def diff_filters(
    old: FiltersLike,
    new: FiltersLike,
    dialect: str | Dialect = "jms",
    new_dialect: str | Dialect | None = None,
    *,
    connection: str | None = None,
    destination: str | None = None,
) -> ConditionDiff:
    """Compare two filters, or filter sets.

    Args:
        old: The present filters: a filter object, a mapping of names to filters, JSON text, or AMQP 1.0 bytes.
        new: The future filters, in the same forms.
        dialect: The dialect of the JMS selectors, by name or as a ``Dialect``.
        new_dialect: The dialect of ``new``; by default ``dialect``.
        connection: The receiver's connection, for no-local filters.
        destination: The address that the consumer was created with.

    Returns:
        Whether the filters accept the same messages, and for each of them a message that only it accepts.

    Raises:
        TranspilerError: As ``transpile_filter``.
    """
    first, second = find_dialect(dialect), find_dialect(dialect if new_dialect is None else new_dialect)
    conditions = Conditions(destination)

    def side(filters: FiltersLike, own: Dialect, other: Dialect) -> _Side:
        condition = read_filters(filters).whole.condition(Consumer(own, connection))
        receiver = Receiver(NOW, destination)
        return _Side(
            conditions.formula(condition, other),
            lambda message: Verdict(holds(condition, message, receiver=receiver)),
        )

    return _compare(conditions, side(old, first, second), side(new, second, first))


class _Side(NamedTuple):
    """One of the compared conditions: its formula, and ``judge(message)``, the reference evaluator's result."""

    formula: Formula
    judge: Callable[[Message], Verdict]


def _compare(
    conditions: Conditions, old: _Side, new: _Side, rule: Callable[[Message], str | None] = lambda _: None
) -> ConditionDiff:
    solver = Solver(conditions)
    won = parting_message(solver, new.formula, old.formula)
    lost = parting_message(solver, old.formula, new.formula)
    return ConditionDiff(
        _difference("won", won, old, new, rule),
        _difference("lost", lost, old, new, rule),
        isinstance(won, Impossible),
        isinstance(lost, Impossible),
        won.reason if isinstance(won, Open) else "",
        lost.reason if isinstance(lost, Open) else "",
    )


def _difference(
    change: Change, answer: Answer, old: _Side, new: _Side, rule: Callable[[Message], str | None]
) -> Difference | None:
    if not isinstance(answer, Found):
        return None
    message = _in_order(answer.message, (*all_tests(old.formula), *all_tests(new.formula)))
    return Difference(
        change,
        message,
        _NAMES[bit_of(old.judge(message))],
        _NAMES[bit_of(new.judge(message))],
        tuple(_parts(old.formula, new.formula, message)),
        tuple(_parts(new.formula, old.formula, message)),
        answer.rare,
        rule(message),
        answer.only,
    )


def _in_order(message: Message, tests: Iterable[Test]) -> Message:
    """Return ``message`` with its application properties sorted by their first occurrence in ``tests``, for display."""
    properties = message.application_properties
    if properties is None:
        return message
    names = dict.fromkeys(
        message_field.field for test in tests for message_field in sorted(fields_read(test), key=lambda one: one.field)
    )
    return replace(message, application_properties={name: properties[name] for name in names if name in properties})


def _parts(own: Formula, other: Formula, message: Message) -> Iterator[Part]:
    """Yield the tests of ``own`` that decide its result for ``message``.

    A test decides if negating its result alone would change the result of ``own``. Tests that also occur in ``other``
    are yielded only if no other test decides.
    """
    tests = {test.number: test for test in all_tests(own)}
    outcomes = {number: bit_of(test.judge(message)) for number, test in tests.items()}
    common = {test.number for test in all_tests(other)}
    alone = [test for number, test in tests.items() if number not in common]
    for candidates in (alone, [*tests.values()]):
        deciding = (test for test in candidates[:_CANDIDATES] if _decides(own, test, outcomes))
        if chosen := [*islice(deciding, MAX_PARTS)]:
            break
    else:
        chosen = (alone or [*tests.values()])[:MAX_PARTS]
    for test in chosen:
        yield Part(shown(test), _NAMES[outcomes[test.number]])


def _decides(formula: Formula, test: Test, outcomes: dict[int, int]) -> bool:
    answers = (possible(formula, outcomes | {test.number: outcome}) & NOT_TRUE for outcome in (TRUE, FALSE))
    return len({*map(bool, answers)}) > 1
