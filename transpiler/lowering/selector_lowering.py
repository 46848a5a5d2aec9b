"""From a selector to the predicate that holds where it is TRUE, or where it is FALSE, in any dialect.

JMS has three truth values and a filter keeps a row only for TRUE; a broker's evaluation may also end in an error. So a
condition is lowered by polarity (``outcomes``), and unknown is what no predicate holds for. What NULL does inside the
engine is never asked.
"""

from __future__ import annotations

from typing import assert_never

from transpiler import ir
from transpiler.errors import UnsupportedFeatureError
from transpiler.ir.column_types import BINARY, STRING
from transpiler.lowering.arithmetic.arithmetic import DECIMAL_DIGITS, calculate, sign
from transpiler.lowering.comparison.comparison import compare
from transpiler.lowering.comparison.set_tests import between, is_member
from transpiler.lowering.comparison.type_warnings import TypeWarnings
from transpiler.lowering.limits import SizeLimit
from transpiler.lowering.literal_parameters import NO_PARAMETERS, Parameters
from transpiler.lowering.names.names import Names
from transpiler.lowering.operands import NULL, Alternative, Operand, as_boolean, as_number, in_every_row, literal
from transpiler.lowering.outcomes import Outcomes, boolean_operand, conjunction, disjunction
from transpiler.lowering.text.text_tests import like
from transpiler.lowering.xml.body_queries import body_query
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.selector.dialect_rules import BareName, IntegerArithmetic
from transpiler.selector.dialects import Dialect
from transpiler.source import Source

#: Operands that are made of no others.
_SIMPLE = (ast.Identifier, ast.StringLiteral, ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral)
#: Operands that never become so many, as long as none is made of others.
_FEW_OPERANDS = 200


class SelectorLowering:
    """The predicates of one selector; ``findings`` collects what a user should know about them."""

    def __init__(self, names: Names, source: Source, dialect: Dialect, parameters: Parameters = NO_PARAMETERS) -> None:
        self.names = names
        self.source = source
        self.dialect = dialect
        self.parameters = parameters
        self.findings = names.findings
        #: Whether strings are read as the type of what they are compared with.
        self.converts_strings = False
        self._warnings = TypeWarnings(source, dialect, names.layout, self.findings)
        self._conditions: dict[int, Outcomes] = {}
        self._operands: dict[int, Operand] = {}
        self._limit = SizeLimit(source)
        #: Whether an operand is made of others.
        self._composed = False

    def selector(self, tree: ast.Expression, polarity: bool = True) -> ir.Predicate:
        """The predicate of a whole selector; ``UnsupportedFeatureError`` where it would be too large."""
        if isinstance(tree, ast.ConvertStrings):
            self.converts_strings = True
            tree = tree.condition
        outcomes = self.condition(tree)
        predicate = outcomes.true if polarity else outcomes.false
        if self._composed or len(self._operands) > _FEW_OPERANDS:
            self._limit.check([predicate], tree.span)
        return predicate

    def condition(self, node: ast.Expression) -> Outcomes:
        """The outcomes of a condition."""
        known = self._conditions.get(id(node))
        if known is None:
            known = self._conditions[id(node)] = self._condition(node)
        return known

    def _condition(self, node: ast.Expression) -> Outcomes:
        match node:
            case ast.And(terms=terms):
                return conjunction([self.condition(term) for term in terms], self.dialect)
            case ast.Or(terms=terms):
                return disjunction([self.condition(term) for term in terms], self.dialect)
            case ast.Not(operand=operand):
                return self.condition(operand).negated()
            case ast.Compare():
                return self._compare(node)
            case ast.Between(operand=operand, low=low, high=high, negated=negated):
                parts = (self.operand(operand), self.operand(low), self.operand(high))
                outcomes = between(*parts, negated, self.dialect, self.converts_strings)
                if not self.converts_strings:
                    self._warnings.outside(node, *parts, outcomes)
                return outcomes
            case ast.In():
                return self._in(node)
            case ast.Like(operand=operand, negated=negated):
                value = self.operand(operand)
                self._warnings.not_text(operand, value, "LIKE")
                written = self.names.literal_text(node.pattern)
                matches = like(value, node, written, self.dialect, self.parameters.get(node.pattern.span))
                return matches.negated() if negated else matches
            case ast.IsNull(operand=operand, negated=negated):
                value = self.operand(operand)
                is_null = Outcomes(value.absent, value.present, value.error)
                return is_null.negated() if negated else is_null
            case ast.BodyQuery(language=language, query=query):
                return body_query(language, query, self.names.layout, self.source)
            case ast.BooleanLiteral(value=value):
                return Outcomes(ir.BoolConst(value), ir.BoolConst(not value))
            case _:
                flag = as_boolean(self.operand(node))
                self._warnings.no_boolean(node, flag)
                return boolean_operand(flag, self.dialect.bare_name is BareName.FALSE)

    def _compare(self, node: ast.Compare) -> Outcomes:
        left, right = self._beside(node.right, node.left), self._beside(node.left, node.right)
        outcomes = compare(node.operator, left, right, self.dialect, self.converts_strings)
        if not self.converts_strings:
            self._warnings.unlike(node, left, right, outcomes)
        return outcomes

    def _in(self, node: ast.In) -> Outcomes:
        value = self.operand(node.operand)
        if all(isinstance(member, ast.StringLiteral) for member in node.members):
            self._warnings.not_text(node.operand, value, "IN")
        members = [self._beside(node.operand, member) for member in node.members]
        return is_member(value, members, node, self.dialect)

    def operand(self, node: ast.Expression) -> Operand:
        """The operand behind an expression; a condition is a boolean operand, NULL where it is unknown."""
        known = self._operands.get(id(node))
        if known is None:
            known = self._operands[id(node)] = self._operand(node)
            if not isinstance(node, _SIMPLE):
                self._composed = True
                self._limit.check(known.nodes, node.span)
        return known

    def _beside(self, other: ast.Expression, node: ast.Expression) -> Operand:
        """An operand; a literal beside a message id is read as an id."""
        if isinstance(node, ast.StringLiteral) and isinstance(other, ast.Identifier):
            return self._literal(node, OperandType.STRING, self.names.literal_text(node, other))
        return self.operand(node)

    def _operand(self, node: ast.Expression) -> Operand:
        match node:
            case ast.Identifier():
                return self.names.operand(node)
            case ast.StringLiteral():
                return self._literal(node, OperandType.STRING, self.names.literal_text(node))
            case ast.IntegerLiteral(value=number):
                self._check_digits(node)
                return self._literal(node, *integer_literal(number, self.dialect))
            case ast.FloatLiteral(value=approximate):
                return self._literal(node, OperandType.DOUBLE, approximate)
            case ast.BooleanLiteral(value=truth):
                return literal(OperandType.BOOLEAN, truth)
            case ast.NullLiteral():
                return NULL
            case ast.BinaryLiteral(value=octets):
                return _binary(octets)
            case ast.Sign(operator=operator, operand=operand):
                return sign(operator, as_number(self.operand(operand)), self.dialect)
            case ast.Calculate(operator=operator, left=left, right=right):
                return calculate(operator, as_number(self.operand(left)), as_number(self.operand(right)), self.dialect)
            case ast.Call():
                # Functions bring the engine of regular expressions along, which few selectors need.
                from transpiler.lowering.text.functions import Functions

                return Functions(self.operand, self.source, self.dialect, self.names.receiver).call(node)
            case (
                ast.Compare()
                | ast.Between()
                | ast.In()
                | ast.Like()
                | ast.IsNull()
                | ast.BodyQuery()
                | ast.Not()
                | ast.And()
                | ast.Or()
                | ast.ConvertStrings()
            ):
                return self.condition(node).as_operand()
            case _:
                assert_never(node)

    def _literal(self, node: ast.PlainLiteral, kind: OperandType, value: int | float | str) -> Operand:
        parameter = self.parameters.get(node.span)
        if parameter is None:
            return literal(kind, value)
        return in_every_row(Alternative(kind, parameter, stands_where=ir.TRUE))

    def _check_digits(self, node: ast.IntegerLiteral) -> None:
        any_size = self.dialect.integer_arithmetic is IntegerArithmetic.BIGNUM
        if not any_size or abs(node.value) < 10**DECIMAL_DIGITS:
            return
        raise UnsupportedFeatureError.at(
            "limit.digits",
            f"Spark's integers have {DECIMAL_DIGITS} digits at most, and this has {len(str(abs(node.value)))}",
            self.source,
            node.span,
            "write it as a floating point number, with .0 at the end",
        )


def integer_literal(number: int, dialect: Dialect) -> tuple[OperandType, int]:
    """The type that an integer literal has, and its value."""
    if dialect.integer_arithmetic is not IntegerArithmetic.WRAP_INT:
        return OperandType.LONG, number
    # A decimal literal of ActiveMQ's parser: an int where its low 64 bits are one, beyond them a BigDecimal.
    size, least = abs(number), -(2**63)
    low = (size - least) % 2**64 + least
    if -(2**31) <= low < 2**31:
        low = low if number >= 0 else -low
        return OperandType.INT, (low + 2**31) % 2**32 - 2**31
    if size < 2**63 or number == least:
        return OperandType.LONG, number
    return OperandType.BIG, number


def _binary(octets: bytes) -> Operand:
    try:
        return literal(OperandType.STRING, octets.decode())
    except UnicodeDecodeError:
        # Only its bytes can be written; as text it is what no string property is.
        unhex = ir.Apply(ir.Function.UNHEX, (ir.constant(octets.hex()),), BINARY)
        value = ir.Apply(ir.Function.TEXT_OF_BYTES, (unhex,), STRING)
        return in_every_row(Alternative(OperandType.STRING, value, stands_where=ir.TRUE))
