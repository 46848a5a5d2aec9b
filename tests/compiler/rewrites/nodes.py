"""Short constructors of nodes for the tests of the laws."""

from __future__ import annotations

from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, DOUBLE, STRING, ColumnType

Operand = ir.Value | bool | int | float | str


def column(name: str, column_type: ColumnType) -> ir.Column:
    return ir.Column((name,), column_type)


#: Columns of a string, a long, a double and a boolean.
S, N, D, B = column("s", STRING), column("n", BIGINT), column("d", DOUBLE), column("b", BOOLEAN)


def value(operand: Operand) -> ir.Value:
    return ir.constant(operand) if isinstance(operand, bool | int | float | str) else operand


def compare(left: Operand, operator: str, right: Operand) -> ir.Compare:
    return ir.Compare(Comparison(operator), value(left), value(right))


def one_of(left: Operand, *members: bool | int | float | str, negated: bool = False) -> ir.In:
    return ir.In(value(left), tuple(map(ir.constant, members)), negated)


def is_null(operand: Operand) -> ir.IsNull:
    return ir.IsNull(value(operand))


def not_null(operand: Operand) -> ir.IsNull:
    return ir.IsNull(value(operand), negated=True)


def is_nan(operand: Operand) -> ir.IsNan:
    return ir.IsNan(value(operand))


def not_nan(operand: Operand) -> ir.IsNan:
    return ir.IsNan(value(operand), negated=True)


def conjunction(*terms: ir.Predicate) -> ir.And:
    return ir.And(terms)


def disjunction(*terms: ir.Predicate) -> ir.Or:
    return ir.Or(terms)
