"""From a condition to the predicate that holds where it is TRUE, or where it is FALSE.

JMS has three truth values and a filter keeps a row only for TRUE. So a condition is lowered for the one truth that is
wanted; NOT asks for the other one, and unknown is what neither predicate holds for. What NULL does inside the engine
is never asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from transpiler import ir
from transpiler.diagnostics import Diagnostic
from transpiler.lowering.arithmetic import calculate, negate, number
from transpiler.lowering.comparison import comparable_pairs, compare, compare_pairs
from transpiler.lowering.limits import SizeLimit
from transpiler.lowering.literal_parameters import NO_PARAMETERS, Parameters, fits, is_listed
from transpiler.lowering.names import Names
from transpiler.lowering.operands import Operand, guarded, is_boolean, literal
from transpiler.message.types import TypeClass
from transpiler.selector import ast
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source, Span

#: Operands that are made of no others.
_SIMPLE = (ast.Identifier, ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral)
#: Operands that never become so many, as long as none is made of others.
_FEW_OPERANDS = 200


class Lowering:
    """The predicates of one selector; ``findings`` collects what a user should know about them."""

    def __init__(self, names: Names, source: Source, parameters: Parameters = NO_PARAMETERS) -> None:
        self.names = names
        self.source = source
        self.parameters = parameters
        self.findings = names.findings
        self._lowered: dict[tuple[int, bool], ir.Predicate] = {}
        self._operands: dict[int, Operand] = {}
        self._limit = SizeLimit(source)
        #: Whether an operand is made of others.
        self._composed = False

    def selector(self, tree: ast.Expression, wanted: bool = True) -> ir.Predicate:
        """The predicate of a whole selector; ``UnsupportedFeatureError`` where it would be too large."""
        predicate = self.condition(tree, wanted)
        if self._composed or len(self._operands) > _FEW_OPERANDS:
            self._limit.check([predicate], tree.span)
        return predicate

    def condition(self, node: ast.Expression, wanted: bool) -> ir.Predicate:
        """The predicate that holds where the condition is TRUE, or FALSE, as wanted."""
        known = self._lowered.get((id(node), wanted))
        if known is None:
            known = self._lowered[id(node), wanted] = self._condition(node, wanted)
        return known

    def _condition(self, node: ast.Expression, wanted: bool) -> ir.Predicate:
        match node:
            case ast.And(terms=terms):
                parts = [self.condition(term, wanted) for term in terms]
                return ir.all_of(*parts) if wanted else ir.any_of(*parts)
            case ast.Or(terms=terms):
                parts = [self.condition(term, wanted) for term in terms]
                return ir.any_of(*parts) if wanted else ir.all_of(*parts)
            case ast.Not(operand=operand):
                return self.condition(operand, not wanted)
            case ast.Compare():
                return self._compare(node, wanted)
            case ast.Between():
                return self._between(node, wanted)
            case ast.In(operand=operand, negated=negated):
                self._warn_not_text(operand, "IN")
                return self._text_test(operand, wanted != negated, lambda value, no: self._member(value, node, no))
            case ast.Like(operand=operand, negated=negated):
                self._warn_not_text(operand, "LIKE")
                return self._text_test(operand, wanted != negated, lambda value, no: self._like(value, node, no))
            case ast.IsNull(operand=operand, negated=negated):
                found = self.operand(operand)
                return found.absent if wanted != negated else found.present
            case ast.BooleanLiteral(value=value):
                return ir.BoolConst(value is wanted)
            case _:
                return is_boolean(self.operand(node), wanted)

    def _compare(self, node: ast.Compare, wanted: bool) -> ir.Predicate:
        left, right = self._beside(node.right, node.left), self._beside(node.left, node.right)
        pairs = comparable_pairs(node.operator, left, right)
        if not pairs and left.alternatives and right.alternatives:
            self._warn_unlike(node, left, right)
        return compare_pairs(node.operator, left, right, pairs, wanted)

    def _constant(self, node: ast.PlainLiteral) -> ir.Value:
        return self.parameters.get(node.span) or ir.constant(node.value)

    def _text(self, node: ast.StringLiteral, other: ast.Expression) -> ir.Value:
        """The value of a string that is compared with something; beside a message id it is read as an id."""
        if node.span not in self.parameters and isinstance(other, ast.Identifier):
            return ir.constant(self.names.read_text(other, node))
        return self._constant(node)

    def _member(self, value: ir.Value, node: ast.In, negated: bool) -> ir.Predicate:
        members = [self._text(member, node.operand) for member in node.members if isinstance(member, ast.StringLiteral)]
        return is_listed(value, members, negated)

    def _like(self, value: ir.Value, node: ast.Like, negated: bool) -> ir.Predicate:
        pattern = read_pattern(node.pattern.value, node.escape.value if node.escape else None)
        return fits(value, pattern, self.parameters.get(node.pattern.span), negated)

    def operand(self, node: ast.Expression) -> Operand:
        """The operand behind an expression; a condition is a boolean operand, missing where it is unknown."""
        known = self._operands.get(id(node))
        if known is None:
            known = self._operands[id(node)] = self._operand(node)
            if not isinstance(node, _SIMPLE):
                self._composed = True
                self._limit.check(known.nodes, node.span)
        return known

    def _beside(self, other: ast.Expression, node: ast.Expression) -> Operand:
        """An operand; a literal beside a message id is read as an id."""
        if isinstance(node, ast.StringLiteral):
            return literal(self._text(node, other))
        return self.operand(node)

    def _operand(self, node: ast.Expression) -> Operand:
        match node:
            case ast.Identifier():
                return self.names.resolve(node)
            case ast.StringLiteral() | ast.IntegerLiteral() | ast.FloatLiteral() | ast.BooleanLiteral():
                return literal(self._constant(node))
            case ast.Sign(operator=operator, operand=operand):
                return (number if operator is ast.Arithmetic.ADD else negate)(self.operand(operand))
            case ast.Calculate(operator=operator, left=left, right=right):
                return calculate(operator, self.operand(left), self.operand(right))
            case (
                ast.Compare() | ast.Between() | ast.In() | ast.Like() | ast.IsNull() | ast.Not() | ast.And() | ast.Or()
            ):
                return guarded(self.condition(node, True), self.condition(node, False), True, False)
            case ast.NullLiteral() | ast.BinaryLiteral() | ast.Call() | ast.BodyQuery() | ast.ConvertStrings():
                raise AssertionError("the default dialect has none of these")
            case _:
                assert_never(node)

    def _between(self, node: ast.Between, wanted: bool) -> ir.Predicate:
        # BETWEEN is >= AND <=, NOT BETWEEN is < OR >: the two are not each other's negation for unlike types.
        low, high = (ast.Comparison.LT, ast.Comparison.GT) if node.negated else (ast.Comparison.GE, ast.Comparison.LE)
        value = self.operand(node.operand)
        parts = (
            compare(low, value, self.operand(node.low), wanted),
            compare(high, value, self.operand(node.high), wanted),
        )
        return ir.any_of(*parts) if node.negated is wanted else ir.all_of(*parts)

    def _text_test(
        self, node: ast.Expression, wanted: bool, make: Callable[[ir.Value, bool], ir.Predicate]
    ) -> ir.Predicate:
        """Lower IN and LIKE, which are unknown on NULL and on what is no string."""
        strings = self.operand(node).of(TypeClass.STRING)
        return ir.any_of(*(ir.all_of(item.guard, make(item.value, not wanted)) for item in strings))

    def _warn_unlike(self, node: ast.Compare, left: Operand, right: Operand) -> None:
        sides = f"{self._say(node.left, left)}, and {self._say(node.right, right)}"
        if any(first.is_like(second) for first in left.classes for second in right.classes):
            reason, hint = "only numbers have an order, so this is never true", None
        else:
            reason = "values of unlike types are never equal or ordered, so this is never true"
            hint = self._unlike_hint(node.left, right) or self._unlike_hint(node.right, left)
        self._warn("type.unlike", f"{sides}: {reason}", node.span, hint)

    def _warn_not_text(self, node: ast.Expression, operator: str) -> None:
        operand = self.operand(node)
        if operand.alternatives and TypeClass.STRING not in operand.classes:
            message = f"{self._say(node, operand)}: {operator} holds for strings only, so this is never true"
            self._warn("type.unlike", message, node.span, None)

    def _unlike_hint(self, literal_side: ast.Expression, operand: Operand) -> str | None:
        match literal_side:
            case ast.IntegerLiteral() | ast.FloatLiteral() if operand.classes == {TypeClass.STRING}:
                text = self.source.text[literal_side.span.start : literal_side.span.end]
                return f"to compare the text, write '{text}'"
            case ast.StringLiteral(value=value) if all(found.numeric for found in operand.classes):
                try:
                    float(value)
                except ValueError:
                    return None
                return f"to compare the number, write {value.strip()}"
            case _:
                return None

    def _say(self, node: ast.Expression, operand: Operand) -> str:
        text = self.source.text[node.span.start : node.span.end]
        kinds = sorted({_KINDS[found] for found in operand.classes})
        return f"{text} is {' or '.join(kinds)}"

    def _warn(self, code: str, message: str, span: Span, hint: str | None) -> None:
        finding = Diagnostic(code, "warning", message, self.source, span, hint)
        if finding not in self.findings:
            self.findings.append(finding)


_KINDS = {
    TypeClass.BOOLEAN: "a boolean",
    TypeClass.INTEGER: "a number",
    TypeClass.FLOATING: "a number",
    TypeClass.STRING: "a string",
    TypeClass.BYTES: "binary",
}
