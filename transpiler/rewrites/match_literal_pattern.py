"""Rewrite LIKE without wildcards as an equality."""

from __future__ import annotations

from transpiler import ir
from transpiler.rewrites.law import rule
from transpiler.selector.ast import Comparison


@rule(ir.Like)
def match_literal_pattern(node: ir.Predicate) -> ir.Predicate:
    """Rewrite ``a LIKE 'text'`` as ``a = 'text'``: a pattern without wildcards matches its own text only."""
    match node:
        case ir.Like(value=value, pattern=() | (str(),) as pattern, negated=negated):
            return ir.Compare(
                Comparison.NE if negated else Comparison.EQ, value, ir.constant("".join(map(str, pattern)))
            )
        case _:
            return node
