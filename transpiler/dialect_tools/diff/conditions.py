"""Compare two selectors, or two filters, without data: a message on which they part, or a proof that there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from transpiler.analysis.constants import NOW
from transpiler.analysis.plain_messages import plain_message
from transpiler.compiler import parse_selector
from transpiler.dialect_tools.counterexamples.deciding_rule import find_rule, rule_text
from transpiler.dialect_tools.counterexamples.filter_formulas import filter_formula
from transpiler.dialect_tools.counterexamples.formulas import (
    FALSE,
    NOT_TRUE,
    THROWS,
    TRUE,
    UNKNOWN,
    Atom,
    Atoms,
    Formula,
    Junction,
    atoms_of,
    bit_of,
    possible,
)
from transpiler.dialect_tools.counterexamples.proofs import is_subset
from transpiler.dialect_tools.counterexamples.search import Component, components, find_message
from transpiler.filters.kinds import Filter
from transpiler.filters.sets import FiltersLike, read_filters
from transpiler.message.message import Message
from transpiler.reference.evaluate import Verdict, judge
from transpiler.reference.match import check_filter, match_filter
from transpiler.reference.receiving import Receiver
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect, find_dialect

#: Parts of a condition that are shown beside a message.
MAX_PARTS = 4
#: Parts that are looked at for that.
_CANDIDATES = 100

Change = Literal["won", "lost"]
_NAMES = {TRUE: "TRUE", FALSE: "FALSE", UNKNOWN: "unknown", THROWS: "throws"}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one side that decides about a message, and its verdict there."""

    text: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A message that only one side selects: ``won`` by the new one, or ``lost``.

    ``parts_of_old`` and ``parts_of_new`` decided. ``rare`` is True for a message that few people have. ``rule`` is the
    one by which two dialects read the same selector differently.
    """

    change: Change
    message: Message
    old: str
    new: str
    parts_of_old: tuple[Part, ...] = ()
    parts_of_new: tuple[Part, ...] = ()
    rare: bool = False
    rule: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; the message as plain properties where these say everything, else as message JSON."""
        result: dict[str, Any] = {
            "message": plain_message(self.message),
            "old": {"verdict": self.old, "parts": [[part.text, part.verdict] for part in self.parts_of_old]},
            "new": {"verdict": self.new, "parts": [[part.text, part.verdict] for part in self.parts_of_new]},
            "rare": self.rare,
        }
        return result | ({} if self.rule is None else {"rule": self.rule})

    def __str__(self) -> str:
        sign = "+" if self.change == "won" else "-"
        message = plain_message(self.message)
        remark = "" if message else "   (a message without properties)"
        remark = "   (few messages are like this one)" if self.rare else remark
        lines = [f"{sign} {json.dumps(message, ensure_ascii=False)}{remark}"]
        for name, verdict, parts in (("OLD", self.old, self.parts_of_old), ("NEW", self.new, self.parts_of_new)):
            why = ", ".join(f"{part.text} is {part.verdict}" for part in parts if part.verdict != "throws")
            thrown = ", ".join(f"{part.text} throws" for part in parts if part.verdict == "throws")
            reasons = ", ".join(filter(None, (why, thrown)))
            lines.append(f"    {name}  {verdict:7}  {reasons}".rstrip())
        if self.rule is not None:
            lines.append(f"    rule: {self.rule}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ConditionDiff:
    """A message that the new condition wins, and one that it loses; None where none was answer.

    ``no_won`` and ``no_lost`` are True where it is proved that there is none. ``tried`` counts sample messages;
    ``complete`` is True if all combinations of what they tell apart were searched.
    """

    won: Difference | None
    lost: Difference | None
    no_won: bool
    no_lost: bool
    tried: int
    complete: bool

    @property
    def differs(self) -> bool:
        """True if there is a message that one condition selects and the other does not."""
        return self.won is not None or self.lost is not None

    @property
    def is_same(self) -> bool:
        """True if it is proved that both select the same messages."""
        return self.no_won and self.no_lost

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "differs": self.differs,
            "same": self.is_same,
            "won": None if self.won is None else self.won.to_dict(),
            "lost": None if self.lost is None else self.lost.to_dict(),
            "none_won_is_proved": self.no_won,
            "none_lost_is_proved": self.no_lost,
            "samples": self.tried,
            "complete": self.complete,
        }

    def __str__(self) -> str:
        return "\n".join((self._headline(), *(str(one) for one in (self.won, self.lost) if one is not None)))

    def _headline(self) -> str:
        if self.is_same:
            return "OLD and NEW select the same messages."
        match self.won, self.lost:
            case None, None:
                return f"No message was found on which OLD and NEW differ.\n  {self._effort()}"
            case Difference(), Difference():
                return "OLD and NEW select different messages: NEW wins some (+) and loses some (-)."
            case Difference(), None:
                more, none, proved = "NEW selects more messages than OLD", "loses", self.no_lost
            case _:
                more, none, proved = "NEW selects fewer messages than OLD", "wins", self.no_won
        return f"{more}, and {none} none." if proved else f"{more}; none was found that it {none}.\n  {self._effort()}"

    def _effort(self) -> str:
        combined = "in every combination that tells parts apart" if self.complete else "not in all combinations"
        return f"no proof: {self.tried:,} sample messages tried, {combined}"


def diff_selectors(
    old: str,
    new: str,
    dialect: str | Dialect = "jms",
    new_dialect: str | Dialect | None = None,
    *,
    destination: str | None = None,
) -> ConditionDiff:
    """Compare two selectors; an empty one selects every message.

    ``new_dialect`` is that of the new one, by default the same. Raises what ``parse_selector`` raises.
    """
    first, second = find_dialect(dialect), find_dialect(dialect if new_dialect is None else new_dialect)
    trees = parse_selector(old, first), parse_selector(new, second)
    atoms = Atoms()
    sides = [
        _selector_side(atoms, tree, own, other, destination)
        for tree, own, other in zip(trees, (first, second), (second, first), strict=True)
    ]

    def agree(message: Message) -> Callable[[Dialect, Dialect], bool]:
        def judged(left: Dialect, right: Dialect) -> bool:
            verdicts = (
                judge(trees[0], message, left, NOW, destination),
                judge(trees[1], message, right, NOW, destination),
            )
            return (verdicts[0].truth is True) is (verdicts[1].truth is True)

        return judged

    def rule(message: Message) -> str | None:
        if first == second or trees[0] != trees[1]:
            return None
        name = find_rule(first, second, agree(message))
        return None if name is None else rule_text(name, first, second)

    return _compare(sides[0], sides[1], first == second, rule)


def diff_filters(
    old: FiltersLike,
    new: FiltersLike,
    dialect: str | Dialect = "jms",
    new_dialect: str | Dialect | None = None,
    *,
    connection: str | None = None,
    destination: str | None = None,
) -> ConditionDiff:
    """Compare two filters, or filter sets; ``connection`` is the receiver's. Raises what ``read_filters`` raises."""
    first, second = find_dialect(dialect), find_dialect(dialect if new_dialect is None else new_dialect)
    atoms = Atoms()
    sides = [
        _filter_side(atoms, read_filters(filters).whole, own, other, connection, destination)
        for filters, own, other in ((old, first, second), (new, second, first))
    ]
    return _compare(sides[0], sides[1], first == second, lambda _: None)


@dataclass(frozen=True, slots=True)
class _Side:
    formula: Formula
    judge: Callable[[Message], Verdict]

    def selects(self, message: Message) -> bool:
        return self.judge(message).truth is True


def _selector_side(
    atoms: Atoms, tree: ast.Expression | None, dialect: Dialect, other: Dialect, destination: str | None
) -> _Side:
    # Every message passes an AND without a term.
    formula = Junction(False, ()) if tree is None else atoms.selector(tree, dialect, other, destination)
    return _Side(formula, lambda message: judge(tree, message, dialect, NOW, destination))


def _filter_side(
    atoms: Atoms, node: Filter, dialect: Dialect, other: Dialect, connection: str | None, destination: str | None
) -> _Side:
    check_filter(node, dialect, connection)
    receiver = Receiver(NOW, destination)
    formula = filter_formula(atoms, node, dialect, other, connection, destination)
    return _Side(formula, lambda message: Verdict(match_filter(node, message, dialect, connection, receiver)))


def _compare(old: _Side, new: _Side, one_dialect: bool, rule: Callable[[Message], str | None]) -> ConditionDiff:
    # A value has other types in another dialect, so sets of values prove nothing between two of them.
    no_won = one_dialect and is_subset(new.formula, old.formula)
    no_lost = one_dialect and is_subset(old.formula, new.formula)
    if no_won and no_lost:
        return ConditionDiff(None, None, no_won, no_lost, 0, True)
    parts = components(old.formula, new.formula)
    won, all_won, tried_won = (None, True, 0) if no_won else _difference("won", old, new, parts, rule)
    lost, all_lost, tried_lost = (None, True, 0) if no_lost else _difference("lost", old, new, parts, rule)
    tried = sum(part.tried for part in parts) + tried_won + tried_lost
    return ConditionDiff(won, lost, no_won, no_lost, tried, all_won and all_lost)


def _difference(
    change: Change, old: _Side, new: _Side, parts: list[Component], rule: Callable[[Message], str | None]
) -> tuple[Difference | None, bool, int]:
    """Return the difference, if there is one, whether the search was complete, and the messages that it judged."""
    selecting, refusing = (new, old) if change == "won" else (old, new)
    tried, complete = 0, True
    for rare in (False, True):
        answer = find_message(
            selecting.formula, refusing.formula, parts, selecting.selects, refusing.selects, rare=rare
        )
        tried, complete = tried + answer.tried, complete and answer.complete
        if answer.message is not None:
            message = _in_order(answer.message, (*atoms_of(old.formula), *atoms_of(new.formula)))
            difference = Difference(
                change,
                message,
                _verdict(old.judge(message)),
                _verdict(new.judge(message)),
                tuple(_parts(old.formula, new.formula, message)),
                tuple(_parts(new.formula, old.formula, message)),
                answer.rare,
                rule(message),
            )
            return difference, True, tried
    return None, complete, tried


def _in_order(message: Message, atoms: Iterable[Atom]) -> Message:
    """Return the message with its application properties in the order in which atoms name them."""
    properties = message.application_properties
    if properties is None:
        return message
    names = dict.fromkeys(place.field for atom in atoms for place in sorted(atom.places, key=lambda one: one.field))
    return replace(message, application_properties={name: properties[name] for name in names if name in properties})


def _verdict(verdict: Verdict) -> str:
    return _NAMES[bit_of(verdict)]


def _parts(own: Formula, other: Formula, message: Message) -> Iterator[Part]:
    """Yield the atoms of one formula with whose other truth its verdict would be another one.

    Those that the other formula has as well come into question if no others decide.
    """
    atoms = {atom.number: atom for atom in atoms_of(own)}
    truths = {number: bit_of(atom.judge(message)) for number, atom in atoms.items()}
    common = {atom.number for atom in atoms_of(other)}
    alone = [atom for number, atom in atoms.items() if number not in common]
    for candidates in (alone, [*atoms.values()]):
        deciding = (atom for atom in candidates[:_CANDIDATES] if _decides(own, atom, truths))
        if chosen := [*islice(deciding, MAX_PARTS)]:
            break
    else:
        chosen = (alone or [*atoms.values()])[:MAX_PARTS]
    for atom in chosen:
        yield Part(atom.text, _NAMES[truths[atom.number]])


def _decides(formula: Formula, atom: Atom, truths: dict[int, int]) -> bool:
    answers = possible(formula, truths | {atom.number: TRUE}), possible(formula, truths | {atom.number: FALSE})
    return bool(answers[0] & NOT_TRUE) is not bool(answers[1] & NOT_TRUE)
