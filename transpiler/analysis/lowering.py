"""From a condition to the predicate that holds where it is TRUE, or where it is FALSE.

JMS has three truth values and a filter keeps a row only for TRUE. So a condition is lowered for the one truth that is
wanted; NOT asks for the other one, and unknown is what neither predicate holds for. What NULL does inside the engine
is never asked.
"""

from __future__ import annotations

from typing import assert_never

from transpiler.analysis.arithmetic import calculate, negate
from transpiler.analysis.comparison import compare
from transpiler.analysis.names import Names
from transpiler.analysis.operands import Operand, guarded, literal
from transpiler.diagnostics import Diagnostic
from transpiler.errors import UnsupportedFeatureError
from transpiler.message.types import TypeClass
from transpiler.predicate.core import (
    FALSE,
    TRUE,
    Constant,
    Flag,
    In,
    Like,
    NotTrue,
    Predicate,
    Truth,
    all_of,
    any_of,
    constant,
)
from transpiler.predicate.walk import size
from transpiler.selector import ast
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source, Span

#: Nodes of the core that one selector may become; beyond it neither Spark's parser nor a reader could follow.
MAX_NODES = 250_000


class Lowering:
    """The predicates of one selector; ``findings`` collects what a user should know about them."""

    def __init__(self, names: Names, source: Source) -> None:
        self.names = names
        self.source = source
        self.findings: list[Diagnostic] = []
        self._lowered: dict[tuple[int, bool], Predicate] = {}
        self._operands: dict[int, Operand] = {}

    def selector(self, tree: ast.Expression, wanted: bool = True) -> Predicate:
        """The predicate of a whole selector; ``UnsupportedFeatureError`` where it would be too large."""
        predicate = self.condition(tree, wanted)
        if size(predicate) > MAX_NODES:
            raise UnsupportedFeatureError.at(
                "limit.size",
                f"over this layout the selector becomes more than {MAX_NODES:,} SQL operations",
                self.source,
                tree.span,
                "split it, or keep the properties that it computes with in typed columns",
            )
        return predicate

    def condition(self, node: ast.Expression, wanted: bool) -> Predicate:
        """The predicate that holds where the condition is TRUE, or FALSE, as wanted."""
        known = self._lowered.get((id(node), wanted))
        if known is None:
            known = self._lowered[id(node), wanted] = self._condition(node, wanted)
        return known

    def _condition(self, node: ast.Expression, wanted: bool) -> Predicate:
        match node:
            case ast.And(terms=terms):
                parts = [self.condition(term, wanted) for term in terms]
                return all_of(*parts) if wanted else any_of(*parts)
            case ast.Or(terms=terms):
                parts = [self.condition(term, wanted) for term in terms]
                return any_of(*parts) if wanted else all_of(*parts)
            case ast.Not(operand=operand):
                return self.condition(operand, not wanted)
            case ast.Compare(operator=operator, left=left, right=right):
                self._warn_unlike(node)
                return compare(operator, self.operand(left), self.operand(right), wanted)
            case ast.Between():
                return self._between(node, wanted)
            case ast.In(operand=operand, members=members, negated=negated):
                texts = tuple(constant(member.value) for member in members if isinstance(member, ast.StringLiteral))
                self._warn_not_text(operand, "IN")
                return self._text_test(operand, wanted != negated, lambda value, no: In(value, texts, no))
            case ast.Like(operand=operand, pattern=pattern, escape=escape, negated=negated):
                parts_of = read_pattern(pattern.value, escape.value if escape else None)
                self._warn_not_text(operand, "LIKE")
                return self._text_test(operand, wanted != negated, lambda value, no: Like(value, parts_of, no))
            case ast.IsNull(operand=operand, negated=negated):
                found = self.operand(operand)
                return found.absent if wanted != negated else found.present
            case ast.BooleanLiteral(value=value):
                return Truth(value is wanted)
            case _:
                booleans = self.operand(node).of(TypeClass.BOOLEAN)
                return any_of(
                    *(all_of(item.guard, _flag(item.value, wanted)) for item in booleans)
                )
