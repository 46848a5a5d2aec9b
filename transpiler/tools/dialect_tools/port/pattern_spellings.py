"""Equivalent forms of patterns: with another escape character, as a comparison, and from a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Escapes
from transpiler.language.selector.pattern import pattern_of

_ESCAPES = ("!", "\\", "~", "#", "|", "^")
_SIMPLE = re.compile(r"(?P<start>\^)?(?P<middle>(?:\.\*|\.|\\[^A-Za-z0-9]|[^\\.*+?()\[\]{}|^$])*)(?P<end>\$)?")
_PIECE = re.compile(r"\.\*|\.|\\(?P<escaped>.)|(?P<plain>.)", re.DOTALL)


def written(parts: Pattern) -> Iterator[tuple[ast.StringLiteral, ast.StringLiteral | None]]:
    """Yield LIKE patterns that mean the same as ``parts``, each with its escape character or None."""
    texts = "".join(part for part in parts if isinstance(part, str))
    if not set(texts) & {"%", "_"}:
        yield ast.StringLiteral(_pattern_text(parts, "")), None
        return
    for escape in _ESCAPES:
        if escape not in texts:
            yield ast.StringLiteral(_pattern_text(parts, escape)), ast.StringLiteral(escape)


def _pattern_text(parts: Pattern, escape: str) -> str:
    return "".join(
        part.value if isinstance(part, Wildcard) else re.sub("[%_]", lambda match: escape + match[0], part)
        for part in parts
    )


def likes(node: ast.Like, escapes: Escapes) -> Iterator[ast.Expression]:
    """Yield ``node``, then the LIKE with other escape characters; without wildcards, also an equality."""
    yield node
    parts = pattern_of(node, escapes)
    if parts is None:
        return
    for pattern, escape in written(parts):
        yield ast.Like(node.operand, pattern, escape, node.negated)
    if all(isinstance(part, str) for part in parts):
        operator = Comparison.NE if node.negated else Comparison.EQ
        yield ast.Compare(operator, node.operand, ast.StringLiteral("".join(map(str, parts))))


def from_regular(expression: str) -> Pattern | None:
    """Return the LIKE pattern that is equivalent to the regular ``expression``.

    None if the expression has anything but text, ``.``, ``.*`` and anchors at its ends.
    """
    match = _SIMPLE.fullmatch(expression)
    if match is None:
        return None
    parts: list[str | Wildcard] = [] if match["start"] else [Wildcard.ANY]
    for piece in _PIECE.finditer(match["middle"]):
        part = {".*": Wildcard.ANY, ".": Wildcard.ONE}.get(piece[0], piece["escaped"] or piece["plain"])
        if not (part is Wildcard.ANY and parts and parts[-1] is Wildcard.ANY):
            parts.append(part)
    if not match["end"] and not (parts and parts[-1] is Wildcard.ANY):
        parts.append(Wildcard.ANY)
    return tuple(parts)
