"""Lowering of a selector, in any dialect, to the predicate that it is TRUE, or to the predicate that it is FALSE.

JMS has three truth values, and a filter keeps a row only for TRUE; a broker's evaluation may also end in an error. So a
condition is lowered by polarity (``operands``), and it is unknown if no predicate holds. The lowering
does not depend on how Spark treats NULL.

Literals may be parameters: the selector is lowered once, and the result is valid for all constants in their place. Only
the type of a parameter is known, so it is lowered like a column that is never NULL. If the text of a literal determines
more than its type, this is its *form*; literals of the same form can share one lowered selector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NoReturn, assert_never

from transpiler.base.diagnostics import Fix
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import BINARY, STRING
from transpiler.compiler.ir.constant_folding import DECIMAL_DIGITS, wrapped
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.comparison.comparison import between, compare, is_member
from transpiler.compiler.lowering.comparison.type_warnings import TypeWarnings
from transpiler.compiler.lowering.names.names import Names
from transpiler.compiler.lowering.operands import (
    NULL,
    Alternative,
    Operand,
    Outcomes,
    as_boolean,
    as_number,
    boolean_operand,
    conjunction,
    disjunction,
    in_every_row,
    literal,
)
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import (
    BareName,
    Division,
    FloatOrder,
    IntegerArithmetic,
    NumericPromotion,
)
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.numbers import floating_literal
from transpiler.message.operand_types import OperandType, UnsignedLong
from transpiler.message.receiver import ANYONE, Receiver

#: The IR values (parameters) that replace literals of a selector, by the spans of the literals.
Parameters = Mapping[Span, ir.Value]

NO_PARAMETERS: Parameters = MappingProxyType({})

#: Maximum number of IR nodes of one lowered selector. Spark's parser cannot handle much longer SQL.
MAX_NODES = 250_000


class SelectorLowering:
    """The lowering of one selector over a layout; ``findings`` collects warnings about the selector.

    ``receiver`` contains the current time and the consumer's destination, which some names read. ``parameters`` maps
    the spans of literals in the selector to the IR values that replace them. The constructor raises
    ``UnsupportedFeatureError`` for a custom dialect whose rules cannot be combined in Spark SQL.
    """

    def __init__(
        self,
        layout: Layout,
        missing: Missing,
        source: Source,
        dialect: Dialect,
        receiver: Receiver = ANYONE,
        parameters: Parameters = NO_PARAMETERS,
    ) -> None:
        _check(dialect)
        self.names = Names(layout, missing, source, dialect, receiver)
        self.source = source
        self.dialect = dialect
        self.parameters = parameters
        self.findings = self.names.findings
        #: True if strings are converted to the type of the value with which they are compared.
        self.converts_strings = False
        self._warnings = TypeWarnings(source, dialect, layout, self.findings)
        self._conditions: dict[int, Outcomes] = {}
        self._operands: dict[int, Operand] = {}
        self._sizes = ir.Sizes()

    def selector(self, tree: ast.Expression, polarity: bool = True) -> ir.Predicate:
        """Return the predicate that the selector ``tree`` is TRUE, or FALSE if ``polarity`` is False.

        If the predicate is too large, raise ``UnsupportedFeatureError``.
        """
        if isinstance(tree, ast.ConvertStrings):
            self.converts_strings = True
            tree = tree.condition
        outcomes = self.condition(tree)
        predicate = outcomes.true if polarity else outcomes.false
        self._check_size([predicate], tree.span)
        return predicate

    def _check_size(self, parts: Iterable[ir.Node], span: Span) -> None:
        """Raise ``UnsupportedFeatureError`` if the IR nodes ``parts`` are too large together; ``span`` is their source.

        The SQL of an operation can contain its operands several times, so nested operations can grow exponentially.
        They are rejected while they are built, before any code visits all repeated nodes.
        """
        if sum(map(self._sizes.of, parts)) > MAX_NODES:
            raise UnsupportedFeatureError.at(
                "limit.size",
                f"the SQL of the selector has more than {MAX_NODES:,} operations in this layout",
                self.source,
                span,
                "perhaps split the selector, or store the properties of its arithmetic expressions in columns of a "
                "number type",
            )

    def condition(self, node: ast.Expression) -> Outcomes:
        """Lower the condition ``node`` to the predicates that it is TRUE, is FALSE, or throws."""
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
                    self._warnings.of_column(node)
                return outcomes
            case ast.In():
                return self._in(node)
            case ast.Like(operand=operand, negated=negated):
                # Imported in the function to save start-up time: most selectors have no LIKE.
                from transpiler.compiler.lowering.text.text_tests import like

                value = self.operand(operand)
                self._warnings.not_text(node, value, "LIKE")
                written = self.names.literal_text(node.pattern)
                matches = like(value, node, written, self.dialect, self.parameters.get(node.pattern.span))
                return matches.negated() if negated else matches
            case ast.IsNull(operand=operand, negated=negated):
                value = self.operand(operand)
                is_null = Outcomes(value.absent, value.present, value.error)
                return is_null.negated() if negated else is_null
            case ast.BodyQuery(language=language, query=query):
                # Imported in the function to save start-up time: few selectors query a body.
                from transpiler.compiler.lowering.paths import body_query

                return body_query(language, query, self.names.layout, self.source)
            case ast.BooleanLiteral(value=value):
                return Outcomes(ir.BoolConst(value), ir.BoolConst(not value))
            case _:
                flag = as_boolean(self.operand(node))
                self._warnings.no_boolean(node, flag)
                return boolean_operand(flag, self.dialect.bare_name is BareName.FALSE)

    def _compare(self, node: ast.Compare) -> Outcomes:
        left, right = self._side(node.left, node), self._side(node.right, node)
        outcomes = compare(node.operator, left, right, self.dialect, self.converts_strings)
        if not self.converts_strings:
            self._warnings.unlike(node, left, right, outcomes)
            self._warnings.of_column(node)
        return outcomes

    def _in(self, node: ast.In) -> Outcomes:
        value = self.operand(node.operand)
        if all(isinstance(member, ast.StringLiteral) for member in node.members):
            self._warnings.not_text(node, value, "IN")
        members = [self._side(member, node) for member in node.members]
        return is_member(value, members, node, self.dialect)

    def operand(self, node: ast.Expression) -> Operand:
        """Return the operand for the expression ``node``; a condition is a boolean, or NULL if it is unknown."""
        known = self._operands.get(id(node))
        if known is None:
            known = self._operands[id(node)] = self._operand(node)
            if not isinstance(node, ast.Identifier | ast.Literal):
                self._check_size(known.nodes, node.span)
        return known

    def _side(self, node: ast.Expression, test: ast.Compare | ast.In) -> Operand:
        """Return the operand for one side of ``test``; a literal compared with a message ID is read as an ID."""
        if isinstance(node, ast.StringLiteral):
            return self._literal(node, OperandType.STRING, self.names.literal_text(node, test))
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
                from transpiler.compiler.lowering.arithmetic.arithmetic import sign

                return sign(operator, as_number(self.operand(operand)), self.dialect)
            case ast.Calculate(operator=operator, left=left, right=right):
                from transpiler.compiler.lowering.arithmetic.arithmetic import calculate

                first, second = as_number(self.operand(left)), as_number(self.operand(right))
                return calculate(operator, first, second, self.dialect, self.converts_strings)
            case ast.Call():
                # Imported in the function to save start-up time: few selectors need the regular expression engine.
                from transpiler.compiler.lowering.text.functions import Functions

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
        return in_every_row(Alternative(kind, parameter, applies_where=ir.TRUE))

    def _check_digits(self, node: ast.IntegerLiteral) -> None:
        any_size = self.dialect.integer_arithmetic is IntegerArithmetic.BIGNUM
        if not any_size or abs(node.value) < 10**DECIMAL_DIGITS:
            return
        floating = floating_literal(self.dialect.numeric_literals, node.value)
        raise UnsupportedFeatureError.at(
            "limit.digits",
            f"Spark's integers have at most {DECIMAL_DIGITS} digits, but this integer has {len(str(abs(node.value)))}",
            self.source,
            node.span,
            None if floating is None else "write the integer as a floating point number, with .0 at the end",
            None if floating is None else Fix(floating),
        )


def integer_literal(number: int, dialect: Dialect) -> tuple[OperandType, int]:
    """Return the type that the integer literal ``number`` has in ``dialect``, and its value, which may be truncated."""
    if dialect.integer_arithmetic is not IntegerArithmetic.WRAP_INT:
        return OperandType.LONG, number
    # In ActiveMQ's parser, a decimal literal is an int if its low 64 bits fit in an int, and a BigDecimal if it exceeds
    # 64 bits.
    size = abs(number)
    low = wrapped(size, 64)
    if -(2**31) <= low < 2**31:
        return OperandType.INT, wrapped(low if number >= 0 else -low, 32)
    if size < 2**63 or number == -(2**63):
        return OperandType.LONG, number
    return OperandType.BIG, number


def _binary(octets: bytes) -> Operand:
    try:
        return literal(OperandType.STRING, octets.decode())
    except UnicodeDecodeError:
        # SQL literals cannot spell a text that is not UTF-8, so write its bytes in hexadecimal digits. The text equals
        # no string property, because those are UTF-8.
        unhex = ir.Apply(ir.Function.UNHEX, (ir.constant(octets.hex()),), BINARY)
        value = ir.Apply(ir.Function.TEXT_OF_BYTES, (unhex,), STRING)
        return in_every_row(Alternative(OperandType.STRING, value, applies_where=ir.TRUE))


def _check(dialect: Dialect) -> None:
    """Raise ``UnsupportedFeatureError`` if two of the dialect's rules for numbers cannot be expressed together."""
    types, any_size = dialect.types, dialect.integer_arithmetic is IntegerArithmetic.BIGNUM
    if any_size and types.special_doubles:
        _refuse(dialect, "types", "NaN and infinities", "arithmetic of any size, in which they are errors")
    if types.unsigned_long is UnsignedLong.EXACT and not any_size:
        _refuse(dialect, "types", "unsigned longs as they are", "arithmetic of 64 bits")
    if any_size and dialect.division in (Division.TRUNCATING, Division.TRUNCATING_THROWING):
        _refuse(dialect, "division", "a division that truncates", "arithmetic of any size")
    if dialect.float_order is FloatOrder.COMPARE_TO and dialect.numeric_promotion is NumericPromotion.EXACT:
        _refuse(dialect, "float_order", "Java's order of -0.0 and NaN", "a comparison of numbers by exact value")


def _refuse(dialect: Dialect, name: str, first: str, second: str) -> NoReturn:
    raise UnsupportedFeatureError.at(
        "dialect.rules",
        f"the dialect {dialect.title} combines {first} (its field {name}) with {second}, but the "
        "compiler has no SQL for this combination",
        hint="perhaps use the dialect of a real broker; only the reference evaluator accepts every combination of "
        "dialect options",
    )
