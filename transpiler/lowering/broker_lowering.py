"""From a broker's condition to predicates: where it is TRUE, where it is FALSE, and where its evaluation throws.

The default dialect's lowering asks for one truth at a time. A broker whose evaluation may throw, or whose AND and OR
have tables of their own, needs all three of both sides to say any of them, so here a condition is a triple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, assert_never

from transpiler import ir
from transpiler.diagnostics import Diagnostic
from transpiler.errors import UnsupportedFeatureError
from transpiler.layouts.columns import BINARY, STRING
from transpiler.lowering.broker_arithmetic import DECIMAL_DIGITS, calculate, sign
from transpiler.lowering.broker_comparison import Truths, compare
from transpiler.lowering.broker_functions import Functions
from transpiler.lowering.broker_names import BrokerNames
from transpiler.lowering.broker_text import text_test
from transpiler.lowering.broker_warnings import not_text, unlike
from transpiler.lowering.limits import SizeLimit
from transpiler.lowering.literal_parameters import NO_PARAMETERS, Parameters, is_listed
from transpiler.lowering.typed import NULL, Typed, TypedOperand, complement, literal, truth_value
from transpiler.lowering.xpath_limits import beyond_limits
from transpiler.lowering.xpath_subset import NoXPathError, check_xpath
from transpiler.message.fields import MessageField
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.selector.dialect_rules import (
    BareName,
    BetweenMeaning,
    Evaluation,
    InOperand,
    IntegerArithmetic,
    LikeOperand,
    Logic,
)
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source, Span

_STRING = OperandType.STRING


class BrokerLowering:
    """The predicates of one selector in one broker's dialect."""

    def __init__(
        self,
        names: BrokerNames,
        source: Source,
        dialect: Dialect,
        parameters: Parameters = NO_PARAMETERS,
    ) -> None:
        self.names = names
        self.source = source
        self.parameters = parameters
        self.dialect = dialect
        self.findings: list[Diagnostic] = []
        self.convert = False
        self.functions = Functions(self.operand, source, dialect, names.receiver)
        self._limit = SizeLimit(source)
        self._lowered: dict[int, Truths] = {}
        self._operands: dict[int, TypedOperand] = {}

    def selector(self, tree: ast.Expression, wanted: bool = True) -> ir.Predicate:
        """The predicate of a whole selector; ``UnsupportedFeatureError`` where it would be too large."""
        if isinstance(tree, ast.ConvertStrings):
            self.convert = True
            tree = tree.condition
        truths = self.condition(tree)
        predicate = truths.true if wanted else truths.false
        self._limit.check([predicate], tree.span)
        return predicate

    def condition(self, node: ast.Expression) -> Truths:
        """Where a condition is TRUE, FALSE, and throws."""
        known = self._lowered.get(id(node))
        if known is None:
            known = self._lowered[id(node)] = self._condition(node)
        return known

    def _condition(self, node: ast.Expression) -> Truths:
        match node:
            case ast.And(terms=terms):
                return self._junction([self.condition(term) for term in terms], self._and)
            case ast.Or(terms=terms):
                return self._junction([self.condition(term) for term in terms], self._or)
            case ast.Not(operand=operand):
                return self.condition(operand).negated()
            case ast.Compare(operator=operator, left=left, right=right):
                truths = compare(operator, self.operand(left), self.operand(right), self.dialect, self.convert)
                if not self.convert:
                    self.findings += unlike(node, self.operand(left), self.operand(right), truths, self.source)
                return truths
            case ast.Between():
                return self._between(node)
            case ast.In(operand=operand, members=members):
                if all(isinstance(member, ast.StringLiteral) for member in members):
                    self.findings += not_text(operand, self.operand(operand), "IN", "is never true", self.source)
                return self._in(node)
            case ast.Like(operand=operand, negated=negated):
                throws = self.dialect.like_not_string is LikeOperand.THROWS
                what = f"throws in {self.dialect.title}" if throws else "is never true"
                self.findings += not_text(operand, self.operand(operand), "LIKE", what, self.source)
                truths = self._like(node)
                return truths.negated() if negated else truths
            case ast.IsNull(operand=operand, negated=negated):
                found = self.operand(operand)
                truths = Truths(found.absent, found.present, found.raises)
                return truths.negated() if negated else truths
            case ast.BodyQuery(language=language, query=query):
                return self._body_query(language, query)
            case _:
                return self._bare(self.operand(node))

    def _bare(self, operand: TypedOperand) -> Truths:
        booleans = operand.of(OperandType.BOOLEAN)
        true = ir.any_of(*(ir.all_of(item.guard, _flag(item.value, True)) for item in booleans))
        false = ir.any_of(*(ir.all_of(item.guard, _flag(item.value, False)) for item in booleans))
        if self.dialect.bare_name is BareName.FALSE:
            others = [item.type for item in operand.alternatives if item.type is not OperandType.BOOLEAN]
            false = ir.any_of(false, operand.where(others) if others else ir.FALSE)
        return Truths(true, false, operand.raises)

    # AND, OR

    def _junction(self, terms: Sequence[Truths], join: Callable[[Truths, Truths], Truths]) -> Truths:
        """The terms joined two by two in a balanced tree, for both tables are associative."""
        if all(term.raises == ir.FALSE for term in terms) and self.dialect.logic is Logic.SQL:
            every = ir.all_of(*(term.true for term in terms)), ir.all_of(*(term.false for term in terms))
            some = ir.any_of(*(term.true for term in terms)), ir.any_of(*(term.false for term in terms))
            return Truths(every[0], some[1]) if join == self._and else Truths(some[0], every[1])
        while len(terms) > 1:
            pairs = [join(terms[at], terms[at + 1]) for at in range(0, len(terms) - 1, 2)]
            terms = pairs + list(terms[len(pairs) * 2 :])
        return terms[0]

    def _and(self, left: Truths, right: Truths) -> Truths:
        true = ir.all_of(left.true, right.true)
        if self.dialect.evaluation is Evaluation.STRICT:
            return self._strict(left, right, true, ir.any_of(left.false, right.false))
        if self.dialect.logic is Logic.QPID_JAVA:
            # An unknown left side ends it.
            false = ir.any_of(left.false, ir.all_of(left.true, right.false))
            return Truths(true, false, ir.any_of(left.raises, ir.all_of(left.true, right.raises)))
        false = ir.any_of(left.false, ir.all_of(right.false, complement(left.raises)))
        return Truths(true, false, ir.any_of(left.raises, ir.all_of(right.raises, complement(left.false))))

    def _or(self, left: Truths, right: Truths) -> Truths:
        true = ir.any_of(left.true, ir.all_of(right.true, complement(left.raises)))
        false = ir.all_of(left.false, right.false)
        if self.dialect.evaluation is Evaluation.STRICT:
            return self._strict(left, right, ir.any_of(left.true, right.true), false)
        raises = ir.any_of(left.raises, ir.all_of(right.raises, complement(left.true)))
        if self.dialect.logic is Logic.QPID_JAVA:
            # An unknown left side is forgotten.
            false = ir.all_of(right.false, complement(left.true), complement(left.raises))
        return Truths(true, false, raises)

    def _strict(self, left: Truths, right: Truths, true: ir.Predicate, false: ir.Predicate) -> Truths:
        raises = ir.any_of(left.raises, right.raises)
        calm = complement(raises)
        return Truths(ir.all_of(true, calm), ir.all_of(false, calm), raises)

    # Operands

    def operand(self, node: ast.Expression) -> TypedOperand:
        """The operand behind an expression; a condition is a boolean operand, NULL where it is unknown."""
        known = self._operands.get(id(node))
        if known is None:
            known = self._operands[id(node)] = self._operand(node)
            self._limit.check(known.nodes, node.span)
        return known

    def _operand(self, node: ast.Expression) -> TypedOperand:
        match node:
            case ast.Identifier():
                return self.names.operand(node)
            case ast.NullLiteral():
                return NULL
            case ast.StringLiteral(value=value):
                return self._literal(node, _STRING, dict(self.dialect.fields.rewritten).get(value, value))
            case ast.BinaryLiteral(value=octets):
                return _binary(octets)
            case ast.IntegerLiteral(value=number):
                if (
                    len(str(abs(number))) > DECIMAL_DIGITS
                    and self.dialect.integer_arithmetic is IntegerArithmetic.BIGNUM
                ):
                    self._too_long(node)
                return self._literal(node, *integer_literal(number, self.dialect))
            case ast.FloatLiteral(value=approximate):
                return self._literal(node, OperandType.DOUBLE, approximate)
            case ast.BooleanLiteral(value=truth):
                return literal(OperandType.BOOLEAN, truth)
            case ast.Sign(operator=operator, operand=operand):
                return sign(operator, self.operand(operand), self.dialect)
            case ast.Calculate(operator=operator, left=left, right=right):
                return calculate(operator, self.operand(left), self.operand(right), self.dialect)
            case ast.Call():
                return self.functions.call(node)
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
                return truth_value(*self.condition(node))
            case _:
                assert_never(node)

    def _literal(self, node: ast.PlainLiteral, kind: OperandType, value: int | float | str) -> TypedOperand:
        parameter = self.parameters.get(node.span)
        if parameter is None:
            return literal(kind, value)
        return TypedOperand((Typed(kind, parameter, sure=True),), known=ir.TRUE)

    def _too_long(self, node: ast.IntegerLiteral) -> NoReturn:
        raise UnsupportedFeatureError.at(
            "limit.digits",
            f"Spark's integers have {DECIMAL_DIGITS} digits at most, and this has {len(str(abs(node.value)))}",
            self.source,
            node.span,
            "write it as a floating point number, with .0 at the end",
        )

    # Tests

    def _between(self, node: ast.Between) -> Truths:
        value, low, high = (self.operand(part) for part in (node.operand, node.low, node.high))
        if self.dialect.between is BetweenMeaning.COMPARISONS:
            # BETWEEN is >= AND <=, NOT BETWEEN is < OR >: the two are not each other's negation for unlike types.
            lower, upper = (
                (ast.Comparison.LT, ast.Comparison.GT) if node.negated else (ast.Comparison.GE, ast.Comparison.LE)
            )
            tests = [
                compare(lower, value, low, self.dialect, self.convert),
                compare(upper, value, high, self.dialect, self.convert),
            ]
            return self._junction(tests, self._or if node.negated else self._and)
        known = ir.all_of(value.present, low.present, high.present)
        inside = ir.all_of(
            known,
            compare(ast.Comparison.GE, value, low, self.dialect).true,
            compare(ast.Comparison.LE, value, high, self.dialect).true,
        )
        truths = Truths(inside, ir.all_of(known, complement(inside)), ir.any_of(value.raises, low.raises, high.raises))
        return truths.negated() if node.negated else truths

    def _in(self, node: ast.In) -> Truths:
        value = self.operand(node.operand)
        members = [self.operand(member) for member in node.members]
        if all(isinstance(member, ast.StringLiteral) for member in node.members):
            truths = self._in_texts(value, members)
            if self.dialect.in_not_string is not InOperand.FALSE_BOTH_WAYS or not node.negated:
                return truths.negated() if node.negated else truths
        equal = [compare(ast.Comparison.EQ, value, member, self.dialect) for member in members]
        found = ir.any_of(*(item.true for item in equal))
        raises = ir.any_of(value.raises, *(item.raises for item in equal))
        calm = complement(raises)
        known = ir.all_of(*(member.present for member in members))
        if self.dialect.in_not_string is not InOperand.FALSE_BOTH_WAYS:
            # RabbitMQ overlooks a NULL member.
            truths = Truths(ir.all_of(found, calm), ir.all_of(value.present, complement(found), calm), raises)
            return truths.negated() if node.negated else truths
        if not node.negated:
            return Truths(ir.all_of(found, calm), ir.all_of(value.present, known, complement(found), calm), raises)
        # NOT IN is TRUE only where every member is of a like type and another value.
        unequal = ir.all_of(*(compare(ast.Comparison.NE, value, member, self.dialect).true for member in members))
        false = ir.any_of(found, ir.all_of(known, complement(unequal)))
        return Truths(ir.all_of(unequal, calm), ir.all_of(value.present, false, calm), raises)

    def _in_texts(self, value: TypedOperand, members: list[TypedOperand]) -> Truths:
        texts = [item.value for member in members for item in member.alternatives]
        strings = value.of(_STRING)
        true = ir.any_of(*(ir.all_of(item.guard, is_listed(item.value, texts)) for item in strings))
        false = ir.any_of(*(ir.all_of(item.guard, is_listed(item.value, texts, negated=True)) for item in strings))
        if self.dialect.in_not_string is not InOperand.UNKNOWN:
            others = [item.type for item in value.alternatives if item.type is not _STRING]
            false = ir.any_of(false, value.where(others) if others else ir.FALSE)
        return Truths(true, false, value.raises)

    def _like(self, node: ast.Like) -> Truths:
        operand = self.operand(node.operand)
        escape = node.escape.value if node.escape else None
        written = dict(self.dialect.fields.rewritten).get(node.pattern.value, node.pattern.value)
        pattern = read_pattern(written, escape, self.dialect.escapes)
        parameter = self.parameters.get(node.pattern.span)
        tests = [
            (item, text_test(item.value, pattern, written, escape, self.dialect, parameter))
            for item in operand.of(_STRING)
        ]
        true = ir.any_of(*(ir.all_of(item.guard, test.true) for item, test in tests))
        false = ir.any_of(*(ir.all_of(item.guard, test.false) for item, test in tests))
        others = [item.type for item in operand.alternatives if item.type is not _STRING]
        other = operand.where(others) if others else ir.FALSE
        raises = operand.raises
        match self.dialect.like_not_string:
            case LikeOperand.FALSE:
                false = ir.any_of(false, other)
            case LikeOperand.THROWS:
                raises = ir.any_of(raises, other)
            case LikeOperand.UNKNOWN:
                pass
        return Truths(true, false, raises)

    def _body_query(self, language: str, query: ast.StringLiteral) -> Truths:
        if language == "XQUERY":
            # Both brokers answer FALSE to every XQuery.
            return Truths(ir.FALSE, ir.TRUE)
        body = self.names.layout.field(MessageField("body", "value"))
        data = self.names.layout.field(MessageField("body", "data"))
        if body is None and data is None:
            return Truths(ir.FALSE, ir.TRUE)
        excess = beyond_limits(query.value)
        if excess is not None:
            hint = "the reference evaluator has no such limit: selector-sql match"
            message = f"the XPath has {excess} in one expression"
            raise UnsupportedFeatureError.at("limit.xpath", message, self.source, query.span, hint)
        try:
            check_xpath(query.value)
        except NoXPathError as error:
            what, place = error.args
            span = Span(query.span.start + 1 + place, query.span.end)
            message = f"this is no XPath that Spark is given: {what}"
            hint = "the broker answers FALSE where it is no XPath at all"
            raise UnsupportedFeatureError.at("spark.xpath", message, self.source, span, hint) from None
        texts: list[ir.Value] = []
        if body is not None:
            operand = self.names._at(body, "body")
            texts.extend(item.value for item in operand.of(_STRING))
        if data is not None:
            column = self.names._at(data, "data")
            texts.extend(ir.Apply(ir.Function.TEXT_OF_BYTES, (item.value,), STRING) for item in column.alternatives)
        document = texts[0] if len(texts) == 1 else ir.Apply(ir.Function.FIRST, tuple(texts), STRING)
        true = ir.XPath(document, query.value)
        return Truths(true, complement(true))


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


def _binary(octets: bytes) -> TypedOperand:
    try:
        return literal(_STRING, octets.decode())
    except UnicodeDecodeError:
        # Only its bytes can be written; as text it is what no string property is.
        value = ir.Apply(
            ir.Function.TEXT_OF_BYTES, (ir.Apply(ir.Function.UNHEX, (ir.constant(octets.hex()),), BINARY),), STRING
        )
        return TypedOperand((Typed(_STRING, value, sure=True),), known=ir.TRUE)


def _flag(value: ir.Value, wanted: bool) -> ir.Predicate:
    if isinstance(value, ir.Constant):
        return ir.BoolConst(value.value is wanted)
    return ir.IsTrue(value, negated=not wanted)
