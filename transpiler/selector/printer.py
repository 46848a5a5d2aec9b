"""The surface tree back to text: canonical spelling, and parentheses only where the grammar needs them."""

from __future__ import annotations

from typing import assert_never

from transpiler.selector import ast

#: How tightly each kind of node binds, after the grammar's layers.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _PRIMARY = range(8)


def print_selector(tree: ast.Expression) -> str:
    """The canonical text of a tree, which parses to an equal tree."""
    return _print(tree)[0]


def _print(node: ast.Expression) -> tuple[str, int]:
    match node:
        case ast.Identifier(name=name):
            return name, _PRIMARY
        case ast.StringLiteral(value=value):
            return _quote(value), _PRIMARY
        case ast.IntegerLiteral(value=value):
            return str(value), _PRIMARY if value >= 0 else _SIGN
        case ast.FloatLiteral(value=number):
            return repr(number), _PRIMARY if not repr(number).startswith("-") else _SIGN
        case ast.BooleanLiteral(value=truth):
            return str(truth).upper(), _PRIMARY
        case ast.Sign(operator=operator, operand=operand):
            inner = _inside(operand, _SIGN)
            # Two minus signs in a row would read as a comment in some brokers.
            gap = " " if inner.startswith(("-", "+")) else ""
            return f"{operator.value}{gap}{inner}", _SIGN
        case ast.Calculate(operator=operation, left=left, right=right):
            level = _SUM if operation in (ast.Arithmetic.ADD, ast.Arithmetic.SUBTRACT) else _PRODUCT
            return f"{_inside(left, level)} {operation.value} {_inside(right, level + 1)}", level
        case ast.Compare(operator=comparison, left=left, right=right):
            return f"{_inside(left, _SUM)} {comparison.value} {_inside(right, _SUM)}", _COMPARISON
        case ast.Between(operand=operand, low=low, high=high):
            bounds = f"{_inside(low, _SUM)} AND {_inside(high, _SUM)}"
            return f"{_inside(operand, _SUM)}{_not(node)} BETWEEN {bounds}", _COMPARISON
        case ast.In(operand=operand, members=members):
            listed = ", ".join(_inside(member, _SUM) for member in members)
            return f"{_inside(operand, _SUM)}{_not(node)} IN ({listed})", _COMPARISON
        case ast.Like(operand=operand, pattern=pattern, escape=escape):
            tail = f" ESCAPE {_quote(escape.value)}" if escape is not None else ""
            return f"{_inside(operand, _SUM)}{_not(node)} LIKE {_quote(pattern.value)}{tail}", _COMPARISON
        case ast.IsNull(operand=operand):
            return f"{_inside(operand, _SUM)} IS{_not(node)} NULL", _COMPARISON
        case ast.Not(operand=operand):
            return f"NOT {_inside(operand, _NOT)}", _NOT
        case ast.And(terms=terms):
            return " AND ".join(_inside(term, _NOT) for term in terms), _AND
        case ast.Or(terms=terms):
            return " OR ".join(_inside(term, _AND) for term in terms), _OR
        case _:
            assert_never(node)


def _inside(node: ast.Expression, level: int) -> str:
    text, own = _print(node)
    return text if own >= level else f"({text})"


def _not(node: ast.Between | ast.In | ast.Like | ast.IsNull) -> str:
    return " NOT" if node.negated else ""


def _quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
