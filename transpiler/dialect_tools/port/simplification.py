"""Leave out the guards of a ported selector that other conditions make superfluous.

Each condition is ported for itself, so that one guard may stand beside a condition that implies it. A term goes if it
is proved that the selector is TRUE on the same messages without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.analysis.subsumption import is_proved_same
from transpiler.dialect_tools.port.candidates import joined
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect

#: Terms that are tried.
_MOST = 40


def without_superfluous(tree: ast.Expression, guards: frozenset[ast.Expression], dialect: Dialect) -> ast.Expression:
    """Return the tree without those of the guards that change no answer."""
    for _ in range(_MOST):
        shorter = next((one for one in _shortened(tree, guards) if is_proved_same(tree, one, dialect)), None)
        if shorter is None:
            break
        tree = shorter
    return tree


def _shortened(node: ast.Expression, guards: frozenset[ast.Expression]) -> Iterator[ast.Expression]:
    """Yield the tree without one guard, for each that it has; the last comes first."""
    match node:
        case ast.And(terms=terms) | ast.Or(terms=terms):
            for place in reversed(range(len(terms))):
                before, term, behind = terms[:place], terms[place], terms[place + 1 :]
                if term in guards:
                    yield joined(type(node), (*before, *behind))
                for shorter in _shortened(term, guards):
                    yield joined(type(node), (*before, shorter, *behind))
        case ast.Not(operand=operand):
            yield from map(ast.Not, _shortened(operand, guards))
