"""Conditions as formulas over tests, and the possible outcomes of a formula when its tests are only partly known.

Sets of outcomes are sets of bits: TRUE, FALSE, UNKNOWN, THROWN. If each test has exactly one outcome, the formula has
the one outcome of the reference evaluator: junctions are evaluated in the order of their terms, by the dialect's truth
tables. If a test has several possible outcomes, the set of the formula is a superset of what evaluation can return.
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

#: The possible outcomes of a condition, as bits of a set.
TRUE, FALSE, UNKNOWN, THROWN = 1, 2, 4, 8
NOT_TRUE, ANYTHING = FALSE | UNKNOWN | THROWN, TRUE | FALSE | UNKNOWN | THROWN
OUTCOMES = (TRUE, FALSE, UNKNOWN, THROWN)

#: For each set of outcomes, the set with TRUE and FALSE exchanged.
_NEGATED = tuple((bits & (UNKNOWN | THROWN)) | (bits & TRUE) << 1 | (bits & FALSE) >> 1 for bits in range(16))


class UndecidedError(Exception):
    """Raised when the analysis of cases cannot decide a question. The message of the error is the reason."""


class Subject(NamedTuple):
    """The input of a test: one message field, or one header field that comes from several message fields."""

    key: Hashable
    message_field: MessageField | None = None
    field: HeaderField | None = None


class WordPattern(NamedTuple):
    """A binding key of a topic exchange, as a pattern over words."""

    words: TopicPattern


@dataclass(slots=True, eq=False)
class Test:
    """A condition without AND, OR and NOT. Equal conditions in two formulas are the same ``Test`` object.

    - ``judge(message)`` returns the result of the condition.
    - ``subject`` is the only field that the test reads; None if it reads several parts of a message, or no part.
    - ``decided`` is True if sample values of this field produce every outcome of the test.
    - ``relation`` is the comparison if the test compares two names, else None.
    """

    number: int
    node: object
    dialect: Dialect | None
    judge: Callable[[Message], Verdict]
    subject: Subject | None
    decided: bool
    #: True for a test of a filter or a binding, which distinguishes AMQP types that are the same to selectors.
    typed: bool = False
    constants: tuple[object, ...] = ()
    patterns: tuple[Pattern | WordPattern, ...] = ()
    relation: ast.Compare | None = None
    #: If the test compares two names: the keys of the two names, because the outcome depends on both values.
    beside: frozenset[Hashable] = frozenset()
    #: The set of outcomes that the test can have, as bits.
    outcomes: int = ANYTHING
    message_fields: tuple[MessageField, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Junction:
    """An AND or OR of formulas, with the rules by which the broker evaluates it.

    - ``decides`` is the value of a term that ends the evaluation: False for an AND, True for an OR.
    - ``forgets`` is True for Qpid's truth tables: an unknown term ends an AND, and an OR ignores it unless it is last.
    - ``strict`` is True if the broker evaluates all terms, even after a term has decided the result.
    """

    decides: bool
    terms: tuple[Formula, ...]
    forgets: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Negation:
    """The NOT of a formula."""

    term: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Accepted:
    """A formula that is TRUE if the outcome of ``term`` is one of ``outcomes`` (bits), else FALSE.

    Filters have this form.
    """

    term: Formula
    outcomes: int = TRUE


Formula: TypeAlias = Test | Junction | Negation | Accepted

#: Formulas for constants: an AND without terms is always TRUE, an OR without terms is never TRUE.
ALWAYS, NEVER = Junction(False, ()), Junction(True, ())


def bit_of(verdict: Verdict) -> int:
    """Return the outcome bit of ``verdict``, the result of an evaluation."""
    if verdict.thrown is not None:
        return THROWN
    return UNKNOWN if verdict.truth is None else TRUE if verdict.truth else FALSE


def negated(outcomes: int) -> int:
    """Return the possible outcomes of NOT, given the possible ``outcomes`` of its operand."""
    return _NEGATED[outcomes]


def all_tests(formula: Formula) -> Iterator[Test]:
    """Yield the tests of ``formula`` from left to right, a repeated test each time."""
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
    """Return formulas of which at least one is TRUE whenever ``formula`` is TRUE.

    They are the terms of an OR; for any other formula, only ``formula`` itself.
    """
    match formula:
        case Junction(decides=True, terms=terms):
            return terms
        case Accepted(term=term, outcomes=outcomes) if outcomes == TRUE:
            return disjuncts(term)
        case _:
            return (formula,)


def key_of(formula: Formula) -> Hashable:
    """Return a key that is equal for formulas that always have the same outcomes, such as ``a AND b`` and ``b AND a``.

    The key ignores the order of terms only if the order has no effect on the result.
    """
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
    """Return the outcomes that ``formula`` can have, as bits, if each test can only have the outcomes given here.

    ``outcomes`` maps the number of a test to its possible outcomes, as bits.
    """
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
    """Return the outcomes of ``junction``, as bits, if all terms are evaluated; ``parts`` are those of its terms."""
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
            # In Qpid's OR, an unknown term has no effect if another term follows.
            running = part & (FALSE | UNKNOWN)
        else:
            # Qpid's AND stops at the first unknown term.
            result |= part & UNKNOWN
            running = part & TRUE
        if not running:
            return result
    return result | running
