"""Printer from the surface tree to text, in canonical spelling and without superfluous parentheses."""

from __future__ import annotations

import math
import re
from typing import assert_never

from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import (
    Associativity,
    DoubleQuotes,
    Extension,
    NotBinding,
    NumericLiterals,
)
from transpiler.language.selector.dialects import JMS, Dialect, is_reserved
from transpiler.language.selector.literal_scanner import string_literal

#: The precedence levels of the grammar, from the loosest to the tightest.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _PRIMARY = range(8)

_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_REGULAR_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def print_tree(tree: ast.Expression, dialect: Dialect = JMS, *, parenthesize_and: bool = False) -> str:
    """Return the canonical text of ``tree``, which parses to an equal tree in the same dialect.

    If ``parenthesize_and`` is True, an AND inside an OR gets parentheses, although the grammar does not need them.
    """
    return _Printer(dialect, _NOT if parenthesize_and else _AND).print(tree)[0]


class _Printer:
    def __init__(self, dialect: Dialect, or_level: int) -> None:
        self.dialect = dialect
        #: The terms of an OR get parentheses if their precedence is lower than this level.
        self.or_level = or_level
        #: The operand of a NOT gets parentheses if its precedence is lower than this level. Unless the dialect's NOT is
        #: loose as in the standard, only names and literals need none, so that all brokers parse the text alike.
        self.not_level = _NOT if dialect.not_binding is NotBinding.LOOSE else _PRIMARY

    def print(self, node: ast.Expression) -> tuple[str, int]:
        """Return the text of ``node`` and its precedence, one of the constants from ``_OR`` to ``_PRIMARY``."""
        match node:
            case ast.Identifier(name=name, section=None):
                return self.name(name), _PRIMARY
            case ast.Identifier(name=name, section=section):
                return f"{section}.{name}", _PRIMARY
            case ast.StringLiteral(value=value):
                return string_literal(value), _PRIMARY
            case ast.IntegerLiteral(value=value):
                return str(value), _PRIMARY if value >= 0 else _SIGN
            case ast.FloatLiteral(value=number):
                return self.float(number), _PRIMARY if not repr(number).startswith("-") else _SIGN
            case ast.BooleanLiteral(value=truth):
                return str(truth).upper(), _PRIMARY
            case ast.NullLiteral():
                return "NULL", _PRIMARY
            case ast.BinaryLiteral(value=octets):
                return f"0x{octets.hex().upper()}", _PRIMARY
            case ast.Sign(operator=operator, operand=operand):
                inner = self.inside(operand, _SIGN)
                # Two adjacent minus signs would begin a comment for some brokers, so separate the signs.
                gap = " " if inner.startswith(("-", "+")) else ""
                return f"{operator.value}{gap}{inner}", _SIGN
            case ast.Calculate(operator=operation, left=left, right=right):
                level = _SUM if operation.is_sum else _PRODUCT
                sides = (level, level + 1)
                if self.dialect.associativity is Associativity.RIGHT:
                    sides = (level + 1, level)
                return f"{self.inside(left, sides[0])} {operation.value} {self.inside(right, sides[1])}", level
            case ast.Compare() | ast.Between() | ast.In() | ast.Like() | ast.IsNull() | ast.BodyQuery():
                return self.test(node), _COMPARISON
            case ast.Call(function=function, arguments=arguments):
                return f"{function}({', '.join(self.inside(item, _SIGN) for item in arguments)})", _PRIMARY
            case ast.Not(operand=operand):
                return f"NOT {self.inside(operand, self.not_level)}", _NOT
            case ast.And(terms=terms):
                return " AND ".join(self.inside(term, _NOT) for term in terms), _AND
            case ast.Or(terms=terms):
                return " OR ".join(self.inside(term, self.or_level) for term in terms), _OR
            case ast.ConvertStrings(condition=condition):
                return f"convert_string_expressions:{self.print(condition)[0]}", _OR
            case _:
                assert_never(node)

    def test(self, node: ast.Test) -> str:
        """Return the text of a test, with parentheses only around operands that need them."""
        match node:
            case ast.Compare(operator=comparison, left=left, right=right):
                return f"{self.inside(left, _SUM)} {comparison.value} {self.inside(right, _SUM)}"
            case ast.Between(operand=operand, low=low, high=high):
                bounds = f"{self.inside(low, _SUM)} AND {self.inside(high, _SUM)}"
                return f"{self.inside(operand, _SUM)}{_not(node)} BETWEEN {bounds}"
            case ast.In(operand=operand, members=members):
                listed = ", ".join(self.inside(member, _SUM) for member in members)
                return f"{self.inside(operand, _SUM)}{_not(node)} IN ({listed})"
            case ast.Like(operand=operand, pattern=pattern, escape=escape):
                tail = f" ESCAPE {string_literal(escape.value)}" if escape is not None else ""
                return f"{self.inside(operand, _SUM)}{_not(node)} LIKE {string_literal(pattern.value)}{tail}"
            case ast.IsNull(operand=operand):
                return f"{self.inside(operand, _SUM)} IS{_not(node)} NULL"
            case ast.BodyQuery(language=language, query=query):
                return f"{language} {string_literal(query.value)}"

    def inside(self, node: ast.Expression, level: int) -> str:
        """Return the text of an operand, in parentheses if its precedence is lower (looser) than ``level``."""
        text, own = self.print(node)
        return text if own >= level else f"({text})"

    def name(self, name: str) -> str:
        """Return the text of a name, quoted if the dialect requires quotes for the name and has them."""
        if self.dialect.has(Extension.BRACKETS):
            if _REGULAR_NAME.fullmatch(name) and not is_reserved(name, self.dialect):
                return name
            return "[" + name.replace("[", "[[").replace("]", "]]") + "]"
        plain = _PLAIN_NAME.fullmatch(name) and not is_reserved(name, self.dialect)
        if self.dialect.double_quotes is DoubleQuotes.IDENTIFIER and not plain:
            return '"' + name.replace('"', '""') + '"'
        return name

    def float(self, number: float) -> str:
        """Return a floating-point number as a literal of the dialect."""
        if math.isinf(number):
            return "-1e400" if number < 0 else "1e400"
        text = repr(number)
        if self.dialect.numeric_literals is NumericLiterals.SQL_FILTER and "e" in text:
            mantissa, _, exponent = text.partition("e")
            return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{exponent}"
        return text


def _not(node: ast.Between | ast.In | ast.Like | ast.IsNull) -> str:
    return " NOT" if node.negated else ""
