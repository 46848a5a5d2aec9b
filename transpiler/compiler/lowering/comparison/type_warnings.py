"""Warnings about comparisons and tests that have the same result for every message because of their operands' types.

If no pair of types can be compared, the outcomes of the comparison determine the only truth value that remains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Advice, Diagnostic, Fix, Remedy
from transpiler.base.hints import joined
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.comparison.comparison import alternatives_beside
from transpiler.compiler.lowering.operands import Alternative, Operand, Outcomes
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import LikeNotString, Ordering
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.numbers import spelled_number
from transpiler.language.selector.static_typing import not_before
from transpiler.message.header_fields import DELIVERY_MODES, Conversion
from transpiler.message.operand_types import OperandType

#: Words and numbers joined by hyphens. Without quotes, the hyphens are minus operators.
_HYPHENATED = re.compile(r"\w[\w.]*(?:-\w[\w.]*)+")
#: The number of the JMS delivery mode PERSISTENT.
PERSISTENT = 2


class TypeWarnings:
    """Collects warnings about comparisons in one selector whose result the types of the operands determine.

    Each warning is added to the list ``findings`` once.
    """

    def __init__(self, source: Source, dialect: Dialect, layout: Layout, findings: list[Diagnostic]) -> None:
        self._source = source
        self._layout = layout
        self._dialect = dialect
        self._findings = findings
        self._has_columns = bool(layout.names())

    def unlike(self, node: ast.Compare, left: Operand, right: Operand, outcomes: Outcomes) -> None:
        """Warn if the types of the operands make the result of the comparison constant.

        That is the case if no type of ``left`` can be compared with a type of ``right``, or if values that are not
        numbers are ordered in a dialect that orders only numbers.
        """
        if not left.alternatives or not right.alternatives:
            return
        unordered = not node.operator.is_equality and self._dialect.ordering is Ordering.FALSE
        types = [item.type for item in right.alternatives]
        if not unordered and not {item.type for item in left.alternatives}.isdisjoint(types):
            return
        pairs = list(alternatives_beside(node.operator, left, right, self._dialect))
        first, second = _kinds([item for item, _ in pairs]), _kinds([item for _, item in pairs])
        alike = first & second
        if alike and not (unordered and "a number" not in alike):
            return
        outcome = self._left_over(outcomes)
        if outcome is None:
            return
        sides = f"{self._described(node.left, first)}, and {self._described(node.right, second)}"
        fix: Remedy | None = None
        if alike:
            reason, hint = "only numbers can be ordered", None
        elif isinstance(node.left, ast.Not) and first == {"a boolean"}:
            reason = "values of unlike types are never equal or ordered"
            hint, fix = _parts(not_before(node.left, node, self._source.text))
        else:
            reason = "values of unlike types are never equal or ordered"
            literal, fix = self._literal(node.left, second, node.right)
            if literal is None:
                literal, fix = self._literal(node.right, first, node.left)
            declared = self._declaration(node.left, second) or self._declaration(node.right, first)
            if declared is not None:
                literal = joined(filter(None, (literal, declared.hint)))
                fix = fix or declared.fix
            hint = literal
        self._warn(f"{sides}: {reason}, so the condition is {outcome}", node.span, hint, fix)

    def of_column(self, node: ast.Compare | ast.Between) -> None:
        """Warn if a column's type determines the result: for example, no FLOAT equals 1.1."""
        if self._has_columns:
            # Imported in the function to save start-up time: most layouts have no typed columns.
            from transpiler.compiler.lowering.comparison.column_warnings import column_warning

            found = column_warning(node, self._layout, self._source)
            if found is not None:
                self._warn(*found)

    def outside(self, node: ast.Between, value: Operand, low: Operand, high: Operand, outcomes: Outcomes) -> None:
        """Warn about a BETWEEN whose result is constant, because a bound has a type that ``value`` never has."""
        for bound_node, bound in ((node.low, low), (node.high, high)):
            pairs = list(alternatives_beside(Comparison.GE, value, bound, self._dialect))
            kinds, others = _kinds([item for item, _ in pairs]), _kinds([item for _, item in pairs])
            if not kinds or not others or kinds & others:
                continue
            outcome = self._left_over(outcomes)
            if outcome is not None:
                sides = f"{self._described(node.operand, kinds)}, and {self._described(bound_node, others)}"
                reason = "values of unlike types are never equal or ordered"
                self._warn(
                    f"{sides}: {reason}, so the condition is {outcome}",
                    node.span,
                    *_parts(self._declaration(node.operand, others)),
                )
            return

    def no_boolean(self, node: ast.Expression, operand: Operand) -> None:
        """Warn if an operand that is never a boolean is used as a condition."""
        kinds = _kinds(operand.alternatives)
        if not kinds or "a boolean" in kinds:
            return
        message = f"{self._described(node, kinds)}: only a boolean is a condition, so the condition is never true"
        self._warn(message, node.span, *_parts(self._declaration(node, {"a boolean"})))

    @staticmethod
    def _left_over(outcomes: Outcomes) -> str | None:
        if outcomes.true == ir.FALSE:
            return "never true"
        return "never false" if outcomes.false == ir.FALSE else None

    def not_text(self, test: ast.In | ast.Like, operand: Operand, operator: str) -> None:
        """Warn if the operand of LIKE, or of IN with strings, is never a string."""
        kinds = _kinds(operand.alternatives)
        if not kinds or "a string" in kinds:
            return
        throws = operator == "LIKE" and self._dialect.like_not_string is LikeNotString.THROWS
        outcome = f"throws in {self._dialect.title}" if throws else "is never true"
        described = self._described(test.operand, kinds)
        advice = not_before(test.operand, test, self._source.text) or self._declaration(test.operand, {"a string"})
        message = f"{described}: {operator} holds for strings only, so this {outcome}"
        self._warn(message, test.operand.span, *_parts(advice))

    def _declaration(self, node: ast.Expression, others: set[str]) -> Advice | None:
        """Return advice to declare the property ``node`` with the type of the value with which it is compared.

        ``others`` are the types that this value can have, as words such as "a number". Return None if ``node`` is not a
        property or the layout accepts no declaration.
        """
        if not isinstance(node, ast.Identifier) or len(others) != 1:
            return None
        return self._layout.declaration(node.name, *others)

    def _literal(self, node: ast.Expression, others: set[str], other: ast.Expression) -> tuple[str | None, Fix | None]:
        """Return a hint and a fix that rewrite the literal ``node`` as the type of the value ``other``: 5 as '5'.

        ``others`` are the types of ``other``, as words such as "a string". The hint or the fix is None if there is
        none.
        """
        written = self._source.text[node.span.start : node.span.end]
        match node:
            case ast.IntegerLiteral(value=value) if self._is_delivery_mode(other):
                words = "'PERSISTENT' and 'NON_PERSISTENT'"
                if value not in (1, PERSISTENT):
                    return f"the delivery modes are {words}", None
                word = f"'{DELIVERY_MODES[value == PERSISTENT]}'"
                return f"the delivery modes are {words}: write {word}", Fix(word, span=node.span)
            case ast.IntegerLiteral() | ast.FloatLiteral() if others == {"a string"}:
                return f"to compare the text, write '{written}'", Fix(f"'{written}'", span=node.span)
            case ast.StringLiteral(value=value) if others == {"a number"}:
                number = spelled_number(value)
                return (
                    (None, None)
                    if number is None
                    else (f"to compare the number, write {number}", Fix(number, span=node.span))
                )
            case ast.StringLiteral(value=value) if others == {"a boolean"} and value.upper() in ("TRUE", "FALSE"):
                return f"to compare the boolean, write {value.upper()}", Fix(value.upper(), span=node.span)
            case ast.Calculate() if others == {"a string"} and _HYPHENATED.fullmatch(written):
                return f"if text was meant, write '{written}'", Fix(f"'{written}'", span=node.span)
            case _:
                return None, None

    def _is_delivery_mode(self, node: ast.Expression) -> bool:
        field = self._dialect.fields.find(node.name, node.section) if isinstance(node, ast.Identifier) else None
        return field is not None and field.has_conversion(Conversion.DELIVERY_MODE)

    def _described(self, node: ast.Expression, kinds: set[str]) -> str:
        return f"{self._source.text[node.span.start : node.span.end]} is {' or '.join(sorted(kinds))}"

    def _warn(self, message: str, span: Span, hint: str | None, fix: Remedy | None = None) -> None:
        finding = Diagnostic("type.unlike", "warning", message, self._source, span, hint, fix)
        if finding not in self._findings:
            self._findings.append(finding)


def _parts(advice: tuple[str, Remedy | None] | None) -> tuple[str | None, Remedy | None]:
    return advice or (None, None)


def _kinds(items: Iterable[Alternative]) -> set[str]:
    return {"a number" if item.type.numeric else _KINDS.get(item.type, "a string") for item in items}


_KINDS = {
    OperandType.BOOLEAN: "a boolean",
    OperandType.BYTES: "binary",
    OperandType.ATOM: "an atom",
    OperandType.CHAR: "a character",
}
