"""Mutants of a selector: copies with one small mistake each, which good test cases distinguish from the selector.

A mistake is another operator, a number that is one more or less, another text, an added or removed NOT, AND instead of
OR or conversely, or a missing condition or list member.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Ordering
from transpiler.language.selector.dialects import Dialect

#: ``MAX_MUTANTS`` is the maximum number of mutants of one selector. Only constants below ``_LARGEST`` are replaced by
#: their neighbours.
MAX_MUTANTS, _LARGEST = 600, 2**53


class Mutant(NamedTuple):
    """A selector with one deliberate mistake, used to find messages that reveal such a mistake.

    ``tree`` is the selector with the mistake. ``changed`` is the condition with the mistake; it is None if the mistake
    is not inside a condition, such as an AND in place of an OR.
    """

    tree: ast.Expression
    part: ast.Expression
    changed: ast.Expression | None = None

    def within(self, tree: ast.Expression) -> Mutant:
        """Return this mutant with ``tree`` in place of its own tree, which is a part of ``tree``."""
        return self._replace(tree=tree)


def mutants(tree: ast.Expression, dialect: Dialect) -> Iterator[Mutant]:
    """Yield at most ``MAX_MUTANTS`` mutants of the selector ``tree``, in the order of their conditions in the text."""
    for count, mutant in enumerate(_of(tree, dialect, tree)):
        if count >= MAX_MUTANTS:
            return
        if mutant.tree != tree:
            yield mutant


def _of(node: ast.Expression, dialect: Dialect, root: ast.Expression) -> Iterator[Mutant]:
    match node:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            other = ast.Or if isinstance(node, ast.And) else ast.And
            yield Mutant(other(terms, node.span), node)
            for number in range(len(terms)):
                left = (*terms[:number], *terms[number + 1 :])
                yield Mutant(left[0] if len(left) == 1 else replace(node, terms=left), terms[number])
            for number, term in enumerate(terms):
                for inner in _of(term, dialect, root):
                    yield inner.within(replace(node, terms=(*terms[:number], inner.tree, *terms[number + 1 :])))
            if node is not root:
                yield Mutant(ast.Not(node, node.span), node)
        case ast.Not(operand=operand):
            yield Mutant(operand, node)
            for inner in _of(operand, dialect, root):
                yield inner.within(replace(node, operand=inner.tree))
        case ast.ConvertStrings(condition=condition):
            for inner in _of(condition, dialect, condition):
                yield inner.within(replace(node, condition=inner.tree))
        case ast.BooleanLiteral(value=value):
            yield Mutant(replace(node, value=not value), node)
        case _:
            yield Mutant(ast.Not(node, node.span), node)
            yield from (Mutant(changed, node, changed) for changed in _of_condition(node, dialect))


def _of_condition(node: ast.Expression, dialect: Dialect) -> Iterator[ast.Expression]:
    match node:
        case ast.Compare(operator=operator, left=left, right=right):
            sides = (left, right)
            # Not every broker orders texts and booleans. For such a broker, a mutant with < or > would be rejected, so
            # only = and <> are exchanged.
            unordered = any(isinstance(side, ast.StringLiteral | ast.BooleanLiteral) for side in sides)
            equality_only = unordered and dialect.ordering is not Ordering.TERMS
            for other in Comparison:
                if other is not operator and not (equality_only and not other.is_equality):
                    yield replace(node, operator=other)
            for changed in _neighbours(left):
                yield replace(node, left=changed)
            for changed in _neighbours(right):
                yield replace(node, right=changed)
        case ast.Between(low=low, high=high, negated=negated):
            yield replace(node, negated=not negated)
            for changed in _neighbours(low):
                yield replace(node, low=changed)
            for changed in _neighbours(high):
                yield replace(node, high=changed)
        case ast.In(members=members, negated=negated):
            yield replace(node, negated=not negated)
            for number, member in enumerate(members):
                if len(members) > 1:
                    yield replace(node, members=(*members[:number], *members[number + 1 :]))
                for changed in _neighbours(member):
                    yield replace(node, members=(*members[:number], changed, *members[number + 1 :]))
        case ast.Like(negated=negated) | ast.IsNull(negated=negated):
            yield replace(node, negated=not negated)


def _neighbours(node: ast.Expression) -> Iterator[ast.Expression]:
    """Yield copies of the literal ``node`` with the next smaller or larger value; nothing for any other ``node``."""
    match node:
        case ast.IntegerLiteral(value=value) if abs(value) < _LARGEST:
            yield replace(node, value=value - 1)
            yield replace(node, value=value + 1)
        case ast.FloatLiteral(value=value) if abs(value) < _LARGEST:
            yield replace(node, value=value - 1)
            yield replace(node, value=value + 1)
        case ast.BooleanLiteral(value=value):
            yield replace(node, value=not value)
        case ast.StringLiteral(value=value):
            yield replace(node, value=f"{value}x")
