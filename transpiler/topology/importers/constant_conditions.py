"""Conditions that constants decide: filters in which the values of some names are known.

For each condition, the module computes the set of truth values that it can have, in three-valued logic. A condition
that reads the message can have any truth value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

from transpiler.base.comparison import Comparison
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.topology.importers.known_names import Known, Unknown, parsed

#: The truth values that a condition can have; None is JMS's *unknown*.
_Values = frozenset[bool | None]

_ANY: _Values = frozenset({True, False, None})


def never_holds(selector: str, dialect: Dialect, known: Callable[[str], Known]) -> bool:
    """Return True if ``selector`` is TRUE for no message. ``known(name)`` returns what is known of a name's value."""
    try:
        tree = parsed(selector, dialect)
    except UnsupportedFeatureError:
        return False
    return tree is not None and True not in _values(tree, known)


def _text(node: ast.Expression, known: Callable[[str], Known]) -> str | None:
    """Return the value of an operand if it is known to be a text; else None."""
    match node:
        case ast.StringLiteral(value=text):
            return text
        case ast.Identifier(name=name):
            value = known(name)
            return value if isinstance(value, str) else None
        case _:
            return None


def _values(node: ast.Expression, known: Callable[[str], Known]) -> _Values:
    match node:
        case ast.BooleanLiteral(value=value):
            return frozenset({value})
        case ast.Not(operand=operand):
            return frozenset(None if value is None else not value for value in _values(operand, known))
        case ast.And(terms=terms):
            return _joined(terms, False, known)
        case ast.Or(terms=terms):
            return _joined(terms, True, known)
        case ast.Compare(operator=operator, left=left, right=right):
            compare, one, other = _COMPARISONS.get(operator), _text(left, known), _text(right, known)
            return _ANY if compare is None or one is None or other is None else frozenset({compare(one, other)})
        case ast.In(operand=operand, members=members, negated=negated) if (text := _text(operand, known)) is not None:
            texts = [member.value for member in members if isinstance(member, ast.StringLiteral)]
            return frozenset({(text in texts) is not negated}) if len(texts) == len(members) else _ANY
        case ast.IsNull(operand=ast.Identifier(name=name), negated=negated):
            given = known(name)
            return _ANY if given in (Unknown.OWN, Unknown.PERHAPS) else frozenset({(given is None) is not negated})
        case ast.Like(operand=operand, pattern=pattern, escape=escape, negated=negated) if (
            text := _text(operand, known)
        ) is not None:
            found = re.fullmatch(_regular(pattern.value, None if escape is None else escape.value), text, re.DOTALL)
            return frozenset({(found is not None) is not negated})
        case _:
            return _ANY


_COMPARISONS: dict[Comparison, Callable[[str, str], bool]] = {
    Comparison.EQ: lambda left, right: left == right,
    Comparison.NE: lambda left, right: left != right,
}


def _joined(terms: tuple[ast.Expression, ...], absorbing: bool, known: Callable[[str], Known]) -> _Values:
    """Return the possible values of the AND of ``terms`` if ``absorbing`` is False, or of their OR if it is True.

    If the value of a term is ``absorbing``, it is the value of the whole condition.
    """
    values: _Values = frozenset({not absorbing})
    for term in terms:
        values = frozenset(
            absorbing if absorbing in pair else None if None in pair else not absorbing
            for pair in product(values, _values(term, known))
        )
    return values


def _regular(pattern: str, escape: str | None) -> str:
    parts, escaped = [], False
    for character in pattern:
        if character == escape and not escaped:
            escaped = True
            continue
        special = {"%": ".*", "_": "."}.get(character) if not escaped else None
        parts.append(special or re.escape(character))
        escaped = False
    return "".join(parts)
