"""Conditions as formulas over tests, and the outcomes that they can have where those of their tests are known in part.

Outcomes are sets of bits: TRUE, FALSE, UNKNOWN, THROWN. Where each test has one outcome, so has the formula, the one of
the reference evaluator: junctions are evaluated in the order of their terms, by the dialect's tables. Where tests have
several, the set is a superset of what evaluation can give.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from transpiler.base.text_pattern import Pattern
from transpiler.base.topics import TopicPattern
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.message.header_fields import HeaderField, MessageField
from transpiler.message.message import Message
from transpiler.reference.evaluate import Verdict

#: The outcomes of a condition, as bits of a set.
TRUE, FALSE, UNKNOWN, THROWN = 1, 2, 4, 8
NOT_TRUE, ANYTHING = FALSE | UNKNOWN | THROWN, TRUE | FALSE | UNKNOWN | THROWN
OUTCOMES = (TRUE, FALSE, UNKNOWN, THROWN)

#: The sets in which TRUE and FALSE have changed places.
_NEGATED = tuple((bits & (UNKNOWN | THROWN)) | (bits & TRUE) << 1 | (bits & FALSE) >> 1 for bits in range(16))


class UndecidedError(Exception):
    """The cases do not decide a question; the text says why."""


class Subject(NamedTuple):
    """The one part of a message that a test reads: a place, or a header field that is read from several places."""

    key: Hashable
    place: MessageField | None = None
    field: HeaderField | None = None


class WordPattern(NamedTuple):
    """A binding key as a pattern over words."""

    words: TopicPattern


@dataclass(slots=True, eq=False)
class Test:
    """A condition that is no AND, OR or NOT; a condition that stands in two formulas is one test.

    ``decided`` is True where the values of the subject have representatives that have every outcome of the test.
    ``relation`` is a comparison of two operands, for tests of several names.
    """

    number: int
    node: object
    dialect: Dialect | None
    judge: Callable[[Message], Verdict]
    subject: Subject | None
    decided: bool
    #: True for a test of a filter or a binding, which tells types apart that are one to selectors.
    typed: bool = False
    constants: tuple[object, ...] = ()
    patterns: tuple[Pattern | WordPattern, ...] = ()
    relation: ast.Compare | None = None
    #: Other subjects that the outcome depends on: those of the names of a relation.
    beside: frozenset[Hashable] = frozenset()
    #: The outcomes that the test can have.
    outcomes: int = ANYTHING
    places: tuple[MessageField, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Junction:
    """AND, or OR where ``decides`` is True. ``forgets`` for the tables of Qpid, ``strict`` where no term is skipped."""

    decides: bool
    terms: tuple[Formula, ...]
    forgets: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Negation:
    """NOT of a formula."""

    term: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Accepted:
    """TRUE where a formula has one of some outcomes, and else FALSE: for a filter, where its selector is TRUE."""

    term: Formula
    outcomes: int = TRUE


Formula: TypeAlias = Test | Junction | Negation | Accepted

#: Every message passes an AND without a term, and none an OR.
ALWAYS, NEVER = Junction(False, ()), Junction(True, ())


def bit_of(verdict: Verdict) -> int:
    """Return the outcome of a verdict."""
    if verdict.thrown is not None:
        return THROWN
    return UNKNOWN if verdict.truth is None else TRUE if verdict.truth else FALSE


def negated(outcomes: int) -> int:
    """Return the outcomes of NOT."""
    return _NEGATED[outcomes]


def all_tests(formula: Formula) -> Iterator[Test]:
    """Yield the tests of a formula in the order of its text, equal ones again."""
    pending = [formula]
    while pending:
        node = pending.pop()
        match node:
            case Test():
                yield node
            case Junction(terms=terms):
                pending.extend(reversed(terms))
            case Negation(term=term) | Accepted(term=term):
                pending.append(term)


def disjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return formulas one of which is TRUE wherever the formula is."""
    match formula:
        case Junction(decides=True, terms=terms):
            return terms
        case Accepted(term=term, outcomes=outcomes) if outcomes == TRUE:
            return disjuncts(term)
        case _:
            return (formula,)


def key_of(formula: Formula) -> Hashable:
    """Return a key that is equal for formulas of the same outcomes, the order of terms aside where it tells nothing."""
    match formula:
        case Test(number=number):
            return number
        case Negation(term=term):
            return "NOT", key_of(term)
        case Accepted(term=term, outcomes=outcomes):
            return outcomes, key_of(term)
        case Junction(decides=decides, terms=terms, forgets=forgets):
            keys = tuple(map(key_of, terms))
            if forgets or any(test.outcomes & THROWN for test in all_tests(formula)):
                return decides, keys
            return decides, frozenset(keys)


def possible(formula: Formula, outcomes: Mapping[int, int]) -> int:
    """Return the outcomes that a formula can have, by those of its tests, which have numbers."""
    match formula:
        case Test(number=number):
            return outcomes[number]
        case Junction(decides=decides, terms=terms, forgets=forgets, strict=strict):
            if strict:
                return _of_all(formula, [possible(term, outcomes) for term in terms])
            return _joined(decides, forgets, (possible(term, outcomes) for term in terms))
        case Negation(term=term):
            return _NEGATED[possible(term, outcomes)]
        case Accepted(term=term, outcomes=accepted):
            inner = possible(term, outcomes)
            return (TRUE if inner & accepted else 0) | (FALSE if inner & ~accepted else 0)


def _of_all(junction: Junction, parts: list[int]) -> int:
    """Return the outcomes where all terms are evaluated before any decides."""
    thrown = 0
    for part in parts:
        thrown |= part & THROWN
        if part == THROWN:
            return THROWN
    return thrown | _joined(junction.decides, junction.forgets, (part & ~THROWN for part in parts))


def _joined(decides: bool, forgets: bool, parts: Iterator[int]) -> int:
    deciding, neutral = (TRUE, FALSE) if decides else (FALSE, TRUE)
    ending = deciding | THROWN
    result, running = 0, neutral
    for part in parts:
        result |= part & ending
        if not forgets:
            running = (running if part & neutral else 0) | (part & UNKNOWN)
        elif decides:
            # An OR of Qpid's forgets an unknown term.
            running = part & (FALSE | UNKNOWN)
        else:
            # An AND of Qpid's ends at the first unknown term.
            result |= part & UNKNOWN
            running = part & TRUE
        if not running:
            return result
    return result | running
