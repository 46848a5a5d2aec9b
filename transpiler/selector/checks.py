"""Semantic checks after parsing: operands of the wrong kind, literals out of range, bad patterns.

Every finding of a tree is reported, not just the first, in the order of the text.
"""

from __future__ import annotations

from transpiler.diagnostics import Diagnostic
from transpiler.errors import SelectorSyntaxError, SelectorTypeError
from transpiler.selector import ast
from transpiler.selector.dialect_checks import KindChecker
from transpiler.selector.dialect_rules import StaticTyping
from transpiler.selector.dialects import JMS, Dialect
from transpiler.selector.pattern import PatternError, read_pattern
from transpiler.source import Source, Span

#: The most frequent first, for each is looked for in this order.
_CONDITIONS = (
    ast.Compare,
    ast.And,
    ast.Or,
    ast.Like,
    ast.In,
    ast.Not,
    ast.IsNull,
    ast.Between,
    ast.Identifier,
    ast.BooleanLiteral,
)
_LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral)
_NOT_NUMBERS = (*(kind for kind in _CONDITIONS if kind is not ast.Identifier), ast.StringLiteral)


def check(tree: ast.Expression, source: Source, dialect: Dialect = JMS) -> None:
    """Raise ``SelectorTypeError``, or ``SelectorSyntaxError`` for a literal, if the dialect refuses the tree."""
    checker = _Checker(source)
    if dialect.operand_kinds is StaticTyping.CHECKED:
        checker.condition(tree)
    else:
        KindChecker(dialect, source, checker.report).selector(tree)
    if checker.findings:
        findings = sorted(checker.findings, key=lambda finding: finding.span or Span(0, 0))
        literal = findings[0].code.startswith("syntax.")
        raise (SelectorSyntaxError if literal else SelectorTypeError)(findings)


class _Checker:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.findings: list[Diagnostic] = []

    def report(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self.findings.append(Diagnostic(code, "error", message, self.source, span, hint))

    def condition(self, node: ast.Expression) -> None:
        """Jakarta Messaging 3.8.1.2: "A selector is a conditional expression", and so are the terms of AND, OR, NOT."""
        if not isinstance(node, _CONDITIONS):
            hint = (
                "compare it, for example color = 'blue'"
                if isinstance(node, ast.StringLiteral)
                else "compare it, for example with > 0"
            )
            self.report("type.not-a-condition", f"{_what(node)} is not a condition", node.span, hint)
        self.operand(node)

    def operand(self, node: ast.Expression) -> None:
        """Check the operands of a node, at any place in the tree."""
        match node:
            case ast.Identifier() | ast.StringLiteral():
                pass
            case ast.Compare(left=left, right=right):
                self.comparison(node)
                self.operand(left)
                self.operand(right)
            case ast.And(terms=terms) | ast.Or(terms=terms):
                for term in terms:
                    self.condition(term)
            case ast.IntegerLiteral(value=value) if not -(2**63) <= value < 2**63:
                self.report(
                    "syntax.number-range",
                    f"{value} is outside 64 signed bits",
                    node.span,
                    "write it as a floating point number, with .0 at the end",
                )
            case ast.Sign(operand=operand):
                self.number(operand, f"a unary {node.operator.value}")
            case ast.Calculate(operator=operator, left=left, right=right):
                self.number(left, operator.value)
                self.number(right, operator.value)
            case ast.Between(operand=operand, low=low, high=high):
                for part in (operand, low, high):
                    self.number(part, "BETWEEN")
            case ast.In(operand=operand, members=members):
                self.name(operand, "IN", "qpid-cpp and rabbitmq take any expression")
                for member in members:
                    self.member(member)
            case ast.Like(operand=operand):
                self.name(operand, "LIKE", "the other dialects take any expression")
                self.pattern(node)
            case ast.IsNull(operand=operand):
                self.name(operand, "IS NULL", "activemq, artemis, qpid-java and qpid-cpp take any expression")
            case ast.Not(operand=operand):
                self.condition(operand)
            case _:
                pass

    def comparison(self, node: ast.Compare) -> None:
        """3.8.1.2: "Only like type values can be compared", "String and Boolean comparison is restricted to = and <>".

        Of two properties the message decides; two literals of unlike types can never be compared.
        """
        if node.operator.is_equality:
            left = _literal_kind(node.left)
            right = _literal_kind(node.right) if left is not None else None
            if right is not None and left != right:
                message = f"{node.operator.value} compares values of like types, and these are {left} and {right}"
                self.report("type.unlike", message, node.span, "compare a property with a literal of its own type")
            return
        for side in (node.left, node.right):
            if isinstance(side, _NOT_NUMBERS):
                hint = _number_hint(side) or "strings and booleans compare with = and <> only"
                self.report("type.ordering", f"{node.operator.value} cannot order {_what(side)}", side.span, hint)

    def number(self, node: ast.Expression, operator: str) -> None:
        """Check an operand of arithmetic or BETWEEN: a name may be a number, a string literal cannot."""
        if isinstance(node, _NOT_NUMBERS):
            self.report(
                "type.not-a-number",
                f"{operator} takes numbers, and this is {_what(node)}",
                node.span,
                _number_hint(node),
            )
        self.operand(node)

    def name(self, node: ast.Expression, operator: str, elsewhere: str) -> None:
        """Check the left operand of IN or LIKE: the grammar has an identifier there."""
        if not isinstance(node, ast.Identifier):
            self.report(
                "type.not-a-name",
                f"the left side of {operator} is the name of a property, and this is {_what(node)}",
                node.span,
                elsewhere,
            )
            self.operand(node)

    def member(self, node: ast.Expression) -> None:
        if not isinstance(node, ast.StringLiteral):
            hint = "join comparisons with OR; the dialects qpid-cpp and rabbitmq take any expression"
            if isinstance(node, ast.Identifier):
                hint = f"text goes into single quotes: '{node.name}'; {hint}"
            self.report("type.in-member", f"IN lists string literals, and this is {_what(node)}", node.span, hint)
            self.operand(node)

    def pattern(self, node: ast.Like) -> None:
        escape = node.escape
        if escape is not None and len(escape.value) != 1:
            self.report(
                "syntax.escape",
                f"ESCAPE takes one character in quotes, not {len(escape.value)}",
                escape.span,
                "write for example ESCAPE '!'",
            )
            return
        try:
            read_pattern(node.pattern.value, escape.value if escape else None)
        except PatternError as error:
            hint = "write the escape character twice to mean itself"
            self.report("syntax.pattern", str(error), node.pattern.span, hint)


def _literal_kind(node: ast.Expression) -> str | None:
    """Return the kind of a literal, a number with signs included; None for anything else."""
    inner = node
    while isinstance(inner, ast.Sign):
        inner = inner.operand
    if not isinstance(inner, _LITERALS):
        return None
    kind = _what(inner)
    return kind if inner is node or kind == "a number" else None


def _what(node: ast.Expression) -> str:
    match node:
        case ast.StringLiteral():
            return "a string"
        case ast.BooleanLiteral():
            return "a boolean"
        case ast.IntegerLiteral() | ast.FloatLiteral():
            return "a number"
        case ast.Sign() | ast.Calculate():
            return "an arithmetic expression"
        case ast.Identifier():
            return "a name"
        case _:
            return "a condition"


def _number_hint(node: ast.Expression) -> str | None:
    if isinstance(node, ast.StringLiteral):
        try:
            float(node.value)
        except ValueError:
            return None
        return f"a number is written without quotes: {node.value.strip()}"
    return None
