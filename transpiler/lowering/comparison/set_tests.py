"""BETWEEN and IN, by the dialect's reading of operands that are of unlike types, NULL, or throw."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler import ir
from transpiler.lowering.comparison.comparison import compare
from transpiler.lowering.literal_parameters import is_listed
from transpiler.lowering.operands import Operand, complement, typed_by_use
from transpiler.lowering.outcomes import Outcomes, conjunction, disjunction
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.selector.dialect_rules import BetweenMeaning, InOperand, NullEquality
from transpiler.selector.dialects import Dialect


def between(value: Operand, low: Operand, high: Operand, negated: bool, dialect: Dialect, convert: bool) -> Outcomes:
    """BETWEEN, and NOT BETWEEN, of three operands."""
    if dialect.between is BetweenMeaning.COMPARISONS:
        # BETWEEN is >= AND <=, NOT BETWEEN is < OR >: the two are not each other's negation for unlike types.
        lower, upper = (ast.Comparison.LT, ast.Comparison.GT) if negated else (ast.Comparison.GE, ast.Comparison.LE)
        tests = [compare(lower, value, low, dialect, convert), compare(upper, value, high, dialect, convert)]
        return (disjunction if negated else conjunction)(tests, dialect)
    test = _one_test(value, low, high, dialect)
    return test.negated() if negated else test


def _one_test(value: Operand, low: Operand, high: Operand, dialect: Dialect) -> Outcomes:
    """BETWEEN as one test: unknown where an operand is NULL, and NOT BETWEEN is NOT of it."""
    operands = (value, low, high)
    above = compare(ast.Comparison.GE, value, low, dialect)
    below = compare(ast.Comparison.LE, value, high, dialect)

    def all_present() -> ir.Predicate:
        return ir.all_of(*[operand.present for operand in operands])

    def comparisons_throw() -> ir.Predicate:
        # The second one is made only where the first holds.
        if above.error == below.error == ir.FALSE:
            return ir.FALSE
        return ir.all_of(all_present(), ir.any_of(above.error, ir.all_of(above.true, below.error)))

    whole = Outcomes(
        lambda: ir.all_of(all_present(), above.true, below.true),
        lambda: ir.all_of(all_present(), complement(ir.any_of(whole.true, comparisons_throw()))),
        lambda: ir.any_of(*[operand.error for operand in operands], comparisons_throw()),
    )
    return whole


def is_member(value: Operand, members: Sequence[Operand], node: ast.In, dialect: Dialect) -> Outcomes:
    """IN, and NOT IN, of an operand and the members of a list."""
    both_ways = dialect.in_not_string is InOperand.FALSE_BOTH_WAYS and node.negated
    if all(isinstance(member, ast.StringLiteral) for member in node.members) and not both_ways:
        test = _in_texts(value, members, dialect)
        return test.negated() if node.negated else test
    if dialect.in_not_string is InOperand.FALSE_BOTH_WAYS:
        return _in_by_type(value, members, node.negated, dialect)
    test = _in_values(value, members, dialect)
    return test.negated() if node.negated else test


def _in_texts(value: Operand, members: Sequence[Operand], dialect: Dialect) -> Outcomes:
    """IN of a list of strings; in most dialects it is FALSE of a value that is no string."""
    texts = [item.value for member in members for item in member.alternatives]

    def tests(negated: bool) -> list[ir.Predicate]:
        strings = value.of(OperandType.STRING)
        return [ir.all_of(item.guard, is_listed(item.value, texts, negated)) for item in strings]

    def false() -> ir.Predicate:
        others = [item.type for item in value.alternatives if item.type is not OperandType.STRING]
        unlike_is_false = dialect.in_not_string is not InOperand.UNKNOWN and others
        return ir.any_of(*tests(True), value.where(others) if unlike_is_false else ir.FALSE)

    return Outcomes(lambda: ir.any_of(*tests(False)), false, value.error)


def _in_values(value: Operand, members: Sequence[Operand], dialect: Dialect) -> Outcomes:
    """IN of a list of any operands; a NULL member is overlooked."""
    candidate = _as_string(value) if dialect.in_not_string is InOperand.UNKNOWN else value
    equal, error = _first_equal(candidate, members, dialect)
    false = ir.all_of(candidate.present, complement(ir.any_of(equal, error)))
    return Outcomes(equal, false, ir.any_of(value.error, error))


def _in_by_type(value: Operand, members: Sequence[Operand], negated: bool, dialect: Dialect) -> Outcomes:
    """IN of a list that a NULL member makes unknown; NOT IN is FALSE too where a member is of an unlike type."""
    equal, error = _first_equal(value, members, dialect)
    known = ir.all_of(value.present, *[member.present for member in members])
    otherwise = ir.all_of(known, complement(ir.any_of(equal, error)))
    thrown = ir.any_of(value.error, error)
    if not negated:
        return Outcomes(equal, otherwise, thrown)
    unlike = ir.any_of(*[complement(_are_like(value, member)) for member in members])
    true = ir.all_of(otherwise, complement(unlike))
    return Outcomes(true, ir.any_of(equal, ir.all_of(otherwise, unlike)), thrown)


def _first_equal(value: Operand, members: Sequence[Operand], dialect: Dialect) -> tuple[ir.Predicate, ir.Predicate]:
    """The rows where a member equals the value, and where the evaluation of a member throws before one does."""
    equal: ir.Predicate = ir.FALSE
    error: ir.Predicate = ir.FALSE
    for member in members:
        test = compare(ast.Comparison.EQ, value, member, dialect)
        if test.error != ir.FALSE:
            error = ir.any_of(error, ir.all_of(value.present, test.error, complement(equal)))
        is_equal = test.true if dialect.null_equality is NullEquality.UNKNOWN else ir.all_of(value.present, test.true)
        equal = ir.any_of(equal, ir.all_of(is_equal, complement(error)))
    return equal, error


def _as_string(operand: Operand) -> Operand:
    """The operand, NULL where its value is no string."""
    items = operand.of(OperandType.STRING)
    present = operand.where([OperandType.STRING]) if items else ir.FALSE
    return Operand(items, present, complement(ir.any_of(present, operand.error)), operand.error)


def _are_like(value: Operand, member: Operand) -> ir.Predicate:
    """The rows where two operands have values of one type, or are both numbers."""
    value, member = typed_by_use(value, member), typed_by_use(member, value)
    terms: list[ir.Predicate] = []
    for kind in dict.fromkeys(item.type for item in member.alternatives):
        like = [item.type for item in value.alternatives if item.type is kind or (item.type.numeric and kind.numeric)]
        if like:
            terms.append(ir.all_of(value.where(like), member.where([kind])))
    return ir.any_of(*terms)
