"""Proof that no message is selected by one formula and not by another, by the values that a name can have.

``selector.satisfiability`` gives for a test of one name the sets of values for which it may be true, false, unknown or
thrown. They cut the values of a name into cells in each of which every test has the same possible truths. An atom that
may have several truths in a cell, or that has no such sets, is taken to have any of them, the same one wherever it
stands. Names are taken to be independent. So the search over all cells can miss a proof, and finds no wrong one.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence

from transpiler.dialect_tools.counterexamples.formulas import (
    FALSE,
    NOT_TRUE,
    THROWS,
    TRUE,
    UNKNOWN,
    Atom,
    Formula,
    atoms_of,
    open_disjuncts,
    possible,
)
from transpiler.selector.value_sets import EVERYTHING, ValueSet, intersection

#: Tests of one name, cells of its values, and truths of the tests in one cell, beyond which there is no proof.
_TESTS, _CELLS, _SPREAD = 60, 400, 64
#: Branches of the search for formulas of few atoms; the time of a branch grows with the atoms.
_BRANCHES, _ATOMS = 20_000, 2_000_000

_Row = dict[int, int]


def is_subset(selecting: Formula, other: Formula) -> bool:
    """Return True if it is proved that every message on which the first formula is TRUE, the second is TRUE on too."""
    if not open_disjuncts(selecting, other):
        return True
    names: dict[Hashable, list[Atom]] = {}
    for atom in {atom.number: atom for formula in (selecting, other) for atom in atoms_of(formula)}.values():
        name = atom.meaning.name if atom.meaning is not None else None
        names.setdefault(name if name is not None else atom.number, []).append(atom)
    variables = []
    for tests in names.values():
        rows = _rows(tests)
        if rows is None:
            return False
        variables.append(rows)
    everything = {atom.number: _everything(atom) for tests in names.values() for atom in tests}
    proof = _Proof(other, max(200, min(_BRANCHES, _ATOMS // max(len(everything), 1))))
    for term in open_disjuncts(selecting, other):
        # The tests of the term leave little of the rest open.
        own = {atom.number for atom in atoms_of(term)}
        ordered = sorted(variables, key=lambda rows: own.isdisjoint(rows[0]))
        if not proof.holds(term, ordered, everything):
            return False
    return True


class _Proof:
    def __init__(self, other: Formula, branches: int) -> None:
        self.other, self.branches = other, branches

    def holds(self, term: Formula, variables: Sequence[list[_Row]], truths: _Row) -> bool:
        """Return True if no choice of rows lets the term be TRUE and the other formula not."""
        self.branches -= 1
        if self.branches < 0:
            return False
        if not (possible(term, truths) & TRUE and possible(self.other, truths) & NOT_TRUE):
            return True
        if not variables:
            return False
        return all(self.holds(term, variables[1:], truths | row) for row in variables[0])


def _everything(atom: Atom) -> int:
    return TRUE | FALSE | UNKNOWN | (THROWS if atom.throws else 0)


def _rows(tests: list[Atom]) -> list[_Row] | None:
    """Return the possible truths of the tests of one name, together; None where there are too many."""
    if len(tests) > _TESTS:
        return None
    cells = [intersection([atom.domain for atom in tests])]
    sets = [_sets(atom) for atom in tests]
    for one in dict.fromkeys(part for parts in sets for part, _ in parts):
        cells = [
            inner
            for cell in cells
            for inner in (intersection([cell, one]), intersection([cell, one.complement]))
            if not inner.is_empty
        ]
        if len(cells) > _CELLS:
            return None
    rows: dict[tuple[int, ...], None] = {}
    for cell in cells:
        choices = [_truths(cell, parts) for parts in sets]
        spread = 1
        for choice in choices:
            spread *= len(choice)
        if spread > _SPREAD:
            return None
        rows |= dict.fromkeys(itertools.product(*choices))
    return [dict(zip((atom.number for atom in tests), row, strict=True)) for row in rows]


def _sets(atom: Atom) -> list[tuple[ValueSet, int]]:
    """Return the values of an atom's name for which it may have each truth."""
    if atom.meaning is None:
        sets = [(EVERYTHING, truth) for truth in (TRUE, FALSE, UNKNOWN, THROWS)]
    else:
        sets = list(zip(atom.meaning.meaning, (TRUE, FALSE, UNKNOWN, THROWS), strict=True))
    return [(values, truth) for values, truth in sets if truth != THROWS or atom.throws]


def _truths(cell: ValueSet, sets: list[tuple[ValueSet, int]]) -> list[int]:
    return [truth for values, truth in sets if not intersection([cell, values]).is_empty]
