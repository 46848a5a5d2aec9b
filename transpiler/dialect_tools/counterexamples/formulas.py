"""Conditions as formulas over atoms, and the truths that a formula can have where those of its atoms are known in part.

An atom is a condition that is no AND, OR or NOT: a test of a selector, or one pair, key or field of a filter. The
truths that are possible are a set of bits. The set of a formula is a superset of what its evaluation can give in any
order of its terms, so that a formula without TRUE in its set selects nothing, whatever the atoms turn out to be.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TypeAlias

from transpiler.analysis.constants import NOW, constants, has_names
from transpiler.analysis.places import places_of
from transpiler.message.fields import MessageField
from transpiler.message.message import Message
from transpiler.message.operand_types import OperandType
from transpiler.message.types import Truth
from transpiler.reference.evaluate import Verdict, judge
from transpiler.selector import ast
from transpiler.selector.dialect_rules import Logic
from transpiler.selector.dialects import Dialect
from transpiler.selector.printer import print_selector
from transpiler.selector.satisfiability import Condition, meaning_of
from transpiler.selector.value_sets import BOOLEANS, EVERYTHING, MISSING, ValueSet, union

#: Truths as bits of a set; an atom that throws has none of the three.
TRUE, FALSE, UNKNOWN, THROWS = 1, 2, 4, 8
NOT_TRUE = FALSE | UNKNOWN | THROWS

_INTEGERS = union([ValueSet(integers=EVERYTHING.integers), MISSING])

_BITS: Mapping[Truth, int] = {True: TRUE, False: FALSE, None: UNKNOWN}


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """A condition without AND, OR and NOT; a condition that stands in two formulas is one atom.

    ``meaning`` is that of ``selector.satisfiability``, where the atom is a test of a selector that has one.
    """

    number: int
    text: str
    places: frozenset[MessageField]
    constants: tuple[object, ...]
    judge: Callable[[Message], Verdict]
    calculating: bool = False
    throws: bool = False
    meaning: Condition | None = None
    #: The values that the one name of the test can have.
    domain: ValueSet = EVERYTHING


@dataclass(frozen=True, slots=True)
class Junction:
    """AND, or OR where ``decides`` is True, of formulas, by the tables of a dialect."""

    decides: bool
    terms: tuple[Formula, ...]
    logic: Logic = Logic.SQL


@dataclass(frozen=True, slots=True)
class Negation:
    """NOT of a formula."""

    term: Formula


@dataclass(frozen=True, slots=True)
class Accepted:
    """The condition of a filter: its selector is TRUE, or it is not."""

    term: Formula


Formula: TypeAlias = Atom | Junction | Negation | Accepted


def bit_of(verdict: Verdict) -> int:
    """Return the truth of a verdict as a bit."""
    return THROWS if verdict.thrown is not None else _BITS[verdict.truth]


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Yield the atoms of a formula in the order of its text, equal ones again."""
    match formula:
        case Atom():
            yield formula
        case Junction(terms=terms):
            for term in terms:
                yield from atoms_of(term)
        case Negation(term=term) | Accepted(term=term):
            yield from atoms_of(term)


def disjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return formulas one of which is TRUE wherever the formula is."""
    match formula:
        case Junction(decides=True, terms=terms):
            return terms
        case Accepted(term=term):
            return disjuncts(term)
        case _:
            return (formula,)


def open_disjuncts(formula: Formula, other: Formula) -> list[Formula]:
    """Return the disjuncts that may be TRUE where the other formula is not; those first that it does not share."""
    theirs, parts = set(disjuncts(other)), disjuncts(formula)
    if not any(atom.throws for atom in atoms_of(other)):
        # An OR with a term that throws may be TRUE or not by the order of its terms.
        parts = tuple(part for part in parts if part not in theirs)
    known = {atom.number for atom in atoms_of(other)}
    return sorted(parts, key=lambda part: all(atom.number in known for atom in atoms_of(part)))


def possible(formula: Formula, outcomes: Mapping[int, int]) -> int:
    """Return the truths that a formula can have, by those that its atoms can have."""
    match formula:
        case Atom(number=number):
            return outcomes[number]
        case Negation(term=term):
            return _negated(possible(term, outcomes))
        case Accepted(term=term):
            inner = possible(term, outcomes)
            return (inner & TRUE) | (FALSE if inner & NOT_TRUE else 0)
        case Junction(decides=decides, terms=terms, logic=logic):
            parts = [possible(term, outcomes) for term in terms]
            if not decides:
                return _all_of(parts, logic)
            if logic is Logic.SQL or not parts:
                return _negated(_all_of([_negated(part) for part in parts], logic))
            # Its OR is TRUE where a term is, and forgets an unknown one.
            either = reduce(or_, parts)
            return (either & (TRUE | THROWS)) | (0 if any(part == TRUE for part in parts) else NOT_TRUE)


def is_true(formula: Formula, message: Message) -> bool:
    """Return True if a formula is TRUE on a message."""
    truths = {atom.number: bit_of(atom.judge(message)) for atom in atoms_of(formula)}
    return possible(formula, truths) == TRUE


def _negated(truths: int) -> int:
    return (truths & (UNKNOWN | THROWS)) | (FALSE if truths & TRUE else 0) | (TRUE if truths & FALSE else 0)


def _all_of(parts: list[int], logic: Logic) -> int:
    """Return the truths of AND; without a term it is TRUE."""
    if not parts:
        return TRUE
    either = reduce(or_, parts)
    result = reduce(and_, parts) & TRUE
    if logic is not Logic.SQL:
        return result | (NOT_TRUE if either & NOT_TRUE else 0)
    result |= either & (FALSE | THROWS)
    if either & UNKNOWN and all(part & (TRUE | UNKNOWN) for part in parts):
        result |= UNKNOWN
    return result


def domain_of(name: ast.Identifier, dialect: Dialect) -> ValueSet:
    """Return a superset of the values that a name can have: a header field of one type has no others."""
    field = dialect.fields.find(name.name, name.section)
    if field is None or field.falls_back_to_property:
        return EVERYTHING
    if field.type.integer:
        return _INTEGERS
    return union([BOOLEANS, MISSING]) if field.type is OperandType.BOOLEAN else EVERYTHING


class Atoms:
    """The atoms of formulas that are compared with each other, each made once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Atom] = {}

    def __iter__(self) -> Iterator[Atom]:
        return iter(self._known.values())

    def atom(self, key: Hashable, make: Callable[[int], Atom]) -> Atom:
        """Return the atom with a key; ``make`` makes it from its number if it is new."""
        if key not in self._known:
            self._known[key] = make(len(self._known))
        return self._known[key]

    def selector(
        self, tree: ast.Expression, dialect: Dialect, other: Dialect, destination: str | None = None
    ) -> Formula:
        """Return the formula of a selector; ``other`` is the dialect of the condition that it is compared with."""
        if isinstance(tree, ast.ConvertStrings):
            return self._formula(tree.condition, dialect, other, destination, convert=True)
        return self._formula(tree, dialect, other, destination, convert=False)

    def _formula(
        self, node: ast.Expression, dialect: Dialect, other: Dialect, destination: str | None, convert: bool
    ) -> Formula:
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                inner = tuple(self._formula(term, dialect, other, destination, convert) for term in terms)
                return Junction(isinstance(node, ast.Or), inner, dialect.logic)
            case ast.Not(operand=operand):
                return Negation(self._formula(operand, dialect, other, destination, convert))
        test = ast.ConvertStrings(node) if convert else node
        text = print_selector(node, dialect)
        names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Identifier)]

        def judged(message: Message) -> Verdict:
            return judge(test, message, dialect, NOW, destination)

        def make(number: int) -> Atom:
            return Atom(
                number,
                text,
                frozenset(places_of(node, dialect)),
                tuple(constants(node, dialect, other)),
                judged,
                any(isinstance(inner, ast.Calculate | ast.Sign) and has_names(inner) for inner in ast.walk(node)),
                bool(dialect.on_throw),
                None if convert else meaning_of(node, dialect),
                EVERYTHING if len(names) != 1 else domain_of(names[0], dialect),
            )

        # 0.0 and -0.0 are equal in Python, and not to every broker: the text tells them apart.
        return self.atom((test, text, dialect), make)
