"""The compiler of RabbitMQ's JMS client, as far as its output goes: the tree of a selector as an Erlang term."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from transpiler.language.selector import ast


def compiled(tree: ast.Expression) -> str:
    """Return the term of a whole selector, with its final period."""
    return f"{_term(tree)}."


def _tuple(operator: str, *operands: str) -> str:
    return "{" + ",".join((f"'{operator}'", *operands)) + "}"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'<<"{escaped}">>'


def _number(value: float) -> str:
    """Return a double as Java writes it: plain from 0.001 to ten million, otherwise with an exponent after an E."""
    if value == 0 or 1e-3 <= value < 1e7:
        return repr(value)
    shortest = next(
        text for digits in range(1, 18) if float(text := format(value, f".{digits}e")) == value or digits == 17
    )
    mantissa, _, exponent = shortest.partition("e")
    return f"{mantissa}E{int(exponent)}"


def _chain(operator: str, terms: Sequence[ast.Expression]) -> str:
    *before, last = map(_term, terms)
    return reduce(lambda right, left: _tuple(operator, left, right), reversed(before), last)


def _term(node: ast.Expression) -> str:
    match node:
        case ast.Identifier(name=name):
            return _tuple("ident", _text(name))
        case ast.StringLiteral(value=text):
            return _text(text)
        case ast.BooleanLiteral(value=truth):
            return f"'{str(truth).lower()}'"
        case ast.IntegerLiteral(value=integer):
            return str(integer) if integer >= 0 else _tuple("-", str(-integer))
        case ast.FloatLiteral(value=number):
            return _tuple("-", _number(-number)) if repr(number).startswith("-") else _number(number)
        case ast.Sign(operator=sign, operand=operand):
            return _tuple(sign.value, _term(operand))
        case ast.Calculate(operator=operation, left=left, right=right):
            return _tuple(operation.value, _term(left), _term(right))
        case ast.Compare(operator=comparison, left=left, right=right):
            return _tuple(comparison.value, _term(left), _term(right))
        case ast.Between(operand=operand, low=low, high=high, negated=negated):
            return _tuple(_not(negated, "between"), _term(operand), _term(low), _term(high))
        case ast.In(operand=operand, members=members, negated=negated):
            return _tuple(_not(negated, "in"), _term(operand), f"[{','.join(map(_term, members))}]")
        case ast.Like(operand=operand, pattern=pattern, escape=escape, negated=negated):
            last = "'no_escape'" if escape is None else _text(escape.value)
            return _tuple(_not(negated, "like"), _term(operand), _text(pattern.value), last)
        case ast.IsNull(operand=operand, negated=negated):
            return _tuple("not_null" if negated else "is_null", _term(operand))
        case ast.Not(operand=operand):
            return _tuple("not", _term(operand))
        case ast.And(terms=terms):
            return _chain("and", terms)
        case ast.Or(terms=terms):
            return _chain("or", terms)
        case _:
            raise AssertionError(node)


def _not(negated: bool, operator: str) -> str:
    return f"not_{operator}" if negated else operator
