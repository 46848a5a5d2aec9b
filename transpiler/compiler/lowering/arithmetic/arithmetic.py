"""Arithmetic on operands by a dialect's rules: in which rows an operation has a result, has none, or throws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, STRING
from transpiler.compiler.ir.constant_folding import DECIMAL_DIGITS, wrapped
from transpiler.compiler.lowering.arithmetic.number_results import (
    NUMBERS,
    WHOLE,
    Numbers,
    atom,
    is_java,
    is_zero,
    results_of,
    yields_doubles,
)
from transpiler.compiler.lowering.comparison.converted_texts import number_in
from transpiler.compiler.lowering.operands import (
    DECIMAL,
    Alternative,
    Operand,
    complement,
    is_finite,
    java_text,
    one_value,
    with_valid_guards,
)
from transpiler.language.selector.ast import Arithmetic
from transpiler.language.selector.dialect_rules import (
    Division,
    Extension,
    IntegerArithmetic,
    NotNumbers,
    Remainder,
    UnaryPlus,
)
from transpiler.language.selector.dialects import Dialect
from transpiler.message.operand_types import OperandType


def sign(operator: Arithmetic, operand: Operand, dialect: Dialect) -> Operand:
    """Lower ``+operand`` or ``-operand``: return the operand for the result of the unary ``operator``."""
    others = [item.type for item in operand.alternatives if not item.type.numeric]
    if operator is Arithmetic.ADD and (not others or dialect.unary_plus is UnaryPlus.NOTHING):
        return operand
    numbers = Numbers(operand)
    pairs: list[tuple[Alternative, Alternative]] = []
    applies: list[ir.Predicate] = []
    error: ir.Predicate = operand.error
    missing: ir.Predicate = ir.FALSE
    for number in numbers.by_width(dialect):
        item = number
        if operator is Arithmetic.SUBTRACT:
            if is_java(dialect) and item.type in (OperandType.BYTE, OperandType.SHORT):
                # ActiveMQ and Artemis throw an exception ("Don't know how to negate") for a byte or a short.
                error = ir.any_of(error, item.applies)
                continue
            negative = _negative(item, dialect)
            if negative is None:
                missing = ir.any_of(missing, item.applies)
                continue
            if item.type.integer and dialect.integer_arithmetic is IntegerArithmetic.LONG:
                # The negative of the smallest long does not fit in 64 bits.
                missing = ir.any_of(missing, ir.all_of(item.applies, ir.IsNull(negative.value)))
            item = negative
        applies.append(number.applies)
        pairs.append((number, item))
    results = with_valid_guards(pairs, operand)
    if dialect.not_numbers is not NotNumbers.THROWS and error == ir.FALSE:
        return _by_values(results)
    other = operand.where(others) if others else ir.FALSE
    absent = ir.any_of(operand.absent, missing)
    if dialect.not_numbers is NotNumbers.THROWS:
        error = ir.any_of(error, other)
    else:
        absent = ir.any_of(absent, other)
    return Operand(tuple(results), ir.all_of(ir.any_of(*applies), complement(missing)), absent, error)


def _by_values(items: Sequence[Alternative]) -> Operand:
    """Return an operand with the typed values ``items``, which never throws and is NULL if all the values are NULL."""
    items = tuple([item._replace(applies_where=None) for item in items])
    present = ir.any_of(*[ir.all_of(item.guard, ir.IsNull(item.value, negated=True)) for item in items])
    if all(item.guard == ir.TRUE for item in items):
        return Operand(items, present, ir.all_of(*[ir.IsNull(item.value) for item in items]))
    return Operand(items, present, complement(present))


def _negative(item: Alternative, dialect: Dialect) -> Alternative | None:
    """Return the negative of the number ``item``; None if it does not fit the integers of ``dialect``.

    That is the case for the literal -2**63 in dialects that have only 64-bit integers without wraparound.
    """
    if isinstance(item.value, ir.Constant):
        return _negative_literal(item, dialect)
    value = item.value
    if item.type.floating:
        return item._replace(value=ir.Apply(ir.Function.NEGATE, (value,), DOUBLE))
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM:
        return item._replace(value=ir.Apply(ir.Function.SUBTRACT_BIG, (ir.constant(0), value), DECIMAL))
    if value.type != BIGINT:
        value = ir.Apply(ir.Function.TO_LONG, (value,), BIGINT)
    if dialect.integer_arithmetic is IntegerArithmetic.LONG:
        return item._replace(value=ir.Apply(ir.Function.NEGATE, (value,), BIGINT))
    narrow = item.type is OperandType.INT and is_java(dialect)
    function = ir.Function.SUBTRACT_INT if narrow else ir.Function.SUBTRACT_LONG
    kind = item.type if narrow else OperandType.LONG
    return item._replace(type=kind, value=ir.Apply(function, (ir.constant(0), value), BIGINT))


def _negative_literal(item: Alternative, dialect: Dialect) -> Alternative | None:
    assert isinstance(item.value, ir.Constant)
    number = item.value.value
    assert isinstance(number, int | float)
    if isinstance(number, float):
        return item._replace(value=ir.constant(-number))
    if item.number is not None:
        fits = number == 2**63
        kind = OperandType.LONG if fits else item.type
        value = ir.constant(-number) if fits else ir.Constant(-number, DECIMAL)
        return item._replace(type=kind, value=value)
    match dialect.integer_arithmetic:
        case IntegerArithmetic.LONG if number == -(2**63):
            return None
        case IntegerArithmetic.WRAP_INT if item.type is OperandType.INT:
            return item._replace(value=ir.constant(wrapped(-number, 32)))
        case IntegerArithmetic.BIGNUM if number == -(2**63):
            return item._replace(value=ir.Constant(-number, DECIMAL))
        case _:
            return item._replace(value=ir.constant(wrapped(-number, 64)))


def calculate(operator: Arithmetic, left: Operand, right: Operand, dialect: Dialect, convert: bool = False) -> Operand:
    """Return the operand for ``left operator right``.

    ``convert`` is True if the selector begins with the prefix that makes Artemis convert strings to numbers.
    """
    first, second = Numbers(left), Numbers(right)
    if convert and dialect.has(Extension.CONVERT_IN_ARITHMETIC):
        second = Numbers(_with_read_numbers(right))
        if operator is not Arithmetic.ADD:
            # The left operand of a plus is not converted, because Artemis concatenates if it is a string.
            first = Numbers(_with_read_numbers(left))
    results = results_of(operator, first, second, dialect)
    infinite = [
        ir.all_of(item.guard, is_finite(value, Comparison.NE))
        for item in results
        for value in _infinite_values(item.value)
    ]
    dies = operator is Arithmetic.DIVIDE and dialect.division is Division.TRUNCATING_THROWING
    thrown = ir.any_of(_dies(first, second) if dies else ir.FALSE, *infinite)
    if dialect.not_numbers is NotNumbers.UNKNOWN and thrown == left.error == right.error == ir.FALSE:
        return _by_values(results)
    both = ir.all_of(first.where(NUMBERS), second.where(NUMBERS))
    missing = _without_result(operator, first, second, results, both, dialect)
    absent, error = _absent_or_error(left, right, dialect)
    known = both
    if not all(item.type.numeric for item in (*left.alternatives, *right.alternatives)):
        values = ir.all_of(left.present, right.present)
        match dialect.not_numbers:
            case NotNumbers.UNKNOWN:
                absent = ir.any_of(absent, ir.all_of(values, complement(both)))
            case NotNumbers.CONCATENATE if operator is Arithmetic.ADD:
                results += _concatenated(left, right)
                text = first.where([OperandType.STRING])
                known = ir.any_of(both, ir.all_of(text, right.present))
                error = ir.any_of(error, ir.all_of(values, complement(known)))
            case NotNumbers.THROWS if operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_ATOMS:
                # RabbitMQ checks for a zero divisor first, and decides the sign of infinity by ``dividend > 0``. Erlang
                # orders every term that is not a number above all numbers, so such a dividend gives plus_infinity.
                zero = is_zero(second)
                above = ir.all_of(values, complement(first.where(NUMBERS)), zero)
                results.append(atom("plus_infinity", above))
                error = ir.any_of(error, ir.all_of(values, complement(ir.any_of(both, zero))))
                known = ir.any_of(both, ir.all_of(values, zero))
            case _:
                error = ir.any_of(error, ir.all_of(values, complement(both)))
    if missing == thrown == ir.FALSE:
        return Operand(tuple(results), known, absent, error)
    gone = complement(ir.any_of(missing, thrown))
    return Operand(
        tuple(results),
        ir.all_of(known, gone),
        ir.any_of(absent, ir.all_of(missing, complement(thrown))),
        ir.any_of(error, thrown),
    )


def _with_read_numbers(operand: Operand) -> Operand:
    """Return ``operand`` with additional alternatives: the numbers that its strings spell.

    A string with a decimal point is converted to a double, and any other string to a long.
    """
    read: list[Alternative] = []
    for item in operand.of(OperandType.STRING):
        if isinstance(item.value, ir.Constant):
            kind = OperandType.DOUBLE if "." in str(item.value.value) else OperandType.LONG
            number = number_in(str(item.value.value), kind)
            if number is not None:
                read.append(Alternative(kind, ir.constant(number), item.guard))
            continue
        pointed = ir.Like(item.value, (Wildcard.ANY, ".", Wildcard.ANY))
        double = ir.guarded(pointed, ir.Apply(ir.Function.READ_DOUBLE, (item.value,), DOUBLE))
        long = ir.Apply(ir.Function.READ_LONG, (item.value,), BIGINT)
        read += [Alternative(OperandType.DOUBLE, double, item.guard), Alternative(OperandType.LONG, long, item.guard)]
    return operand._replace(alternatives=(*operand.alternatives, *read), nearest=())


def _absent_or_error(left: Operand, right: Operand, dialect: Dialect) -> tuple[ir.Predicate, ir.Predicate]:
    """Return two predicates for an operation on ``left`` and ``right``.

    The first holds in rows in which the result is NULL because an operand is NULL. The second holds in rows in which
    the evaluation of an operand throws.
    """
    if is_java(dialect):
        # Java does not evaluate the right side if the left side is NULL.
        absent = ir.any_of(left.absent, ir.all_of(left.present, right.absent))
        return absent, ir.any_of(left.error, ir.all_of(left.present, right.error))
    error = ir.any_of(left.error, right.error)
    return ir.all_of(ir.any_of(left.absent, right.absent), complement(error)), error


def _without_result(
    operator: Arithmetic,
    left: Numbers,
    right: Numbers,
    results: Sequence[Alternative],
    both: ir.Predicate,
    dialect: Dialect,
) -> ir.Predicate:
    """Return the predicate that the operation is NULL although both operands are numbers.

    Depending on the dialect, that is the case for a division by zero, a remainder of fractions, or an integer result
    that does not fit its type. ``both`` holds in rows in which both operands are numbers.
    """
    whole = ir.all_of(left.where(WHOLE), right.where(WHOLE))
    if operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_UNKNOWN:
        return ir.all_of(both, is_zero(right))
    if operator is Arithmetic.REMAINDER and dialect.remainder is Remainder.INTEGER:
        return ir.all_of(both, complement(ir.all_of(whole, complement(is_zero(right)))))
    unfit: list[ir.Predicate] = []
    truncates = operator is Arithmetic.DIVIDE and dialect.division is Division.TRUNCATING
    for item in results:
        overflows = dialect.integer_arithmetic is IntegerArithmetic.LONG or _digits(item.value) > DECIMAL_DIGITS
        if item.type.integer and not isinstance(item.value, ir.Constant) and (truncates or overflows):
            # The SQL of ``item`` is NULL if its integer overflows or the divisor is zero. Only then the operation has
            # no result although both operands are integers.
            unfit.append(ir.all_of(whole, ir.IsNull(item.value)))
    if not any(item.type.integer for item in results) and whole != ir.FALSE and not yields_doubles(operator, dialect):
        unfit.append(whole)
    return ir.any_of(*unfit)


def _digits(value: ir.Value) -> int:
    """Return the estimated maximum number of decimal digits of an integer; 19 for an integer of 64 bits."""
    match value:
        case ir.Constant(value=int() as number):
            return len(str(abs(number)))
        case ir.Apply(function=ir.Function.TO_DECIMAL, arguments=(inner,)):
            return _digits(inner)
        case ir.Apply(function=ir.Function.MULTIPLY_BIG, arguments=(first, second)):
            return _digits(first) + _digits(second)
        case ir.Apply(function=ir.Function.ADD_BIG | ir.Function.SUBTRACT_BIG, arguments=arguments):
            return max(_digits(argument) for argument in arguments) + 1
        case ir.Apply(function=ir.Function.FIRST, arguments=arguments):
            return max(_digits(argument) for argument in arguments)
        case ir.Apply(function=ir.Function.REMAINDER_BIG, arguments=(first, second)):
            return min(_digits(first), _digits(second))
        case ir.When(value=inner):
            return _digits(inner)
        case _:
            return 19


def _infinite_values(value: ir.Value) -> Iterator[ir.Value]:
    """Yield the doubles in ``value`` that may be infinite: the arguments of the IR function ``FINITE``."""
    match value:
        case ir.Apply(function=ir.Function.FINITE, arguments=(infinite,)):
            yield infinite
        case ir.Apply(function=ir.Function.FIRST, arguments=arguments):
            for argument in arguments:
                yield from _infinite_values(argument)


def _dies(left: Numbers, right: Numbers) -> ir.Predicate:
    """Return the predicate that the integer division ``left / right`` crashes the broker Qpid C++.

    The broker crashes if the divisor is zero, or if the smallest long is divided by -1. The operands can be integers of
    any width: JMSPriority, for example, is an int.
    """
    dividend, divisor = left.integer(), right.integer()
    if dividend is None or divisor is None:
        return ir.FALSE
    least = ir.all_of(
        ir.Compare(Comparison.EQ, dividend, ir.constant(-(2**63))), ir.Compare(Comparison.EQ, divisor, ir.constant(-1))
    )
    whole = ir.all_of(left.where(WHOLE), right.where(WHOLE))
    return ir.all_of(whole, ir.any_of(ir.Compare(Comparison.EQ, divisor, ir.constant(0)), least))


def _concatenated(left: Operand, right: Operand) -> list[Alternative]:
    """Return the alternatives for ``left + right`` in rows in which ``left`` is a string: Java concatenates them."""
    strings, others = left.of(OperandType.STRING), right.alternatives
    if not strings or not others:
        return []
    if len(strings) == len(others) == 1:
        value = ir.Apply(ir.Function.CONCATENATE, (strings[0].value, java_text(others[0])), STRING)
        return [Alternative(OperandType.STRING, value, ir.all_of(strings[0].guard, others[0].guard))]
    # All results are merged into one value, because the number of alternatives would multiply along a chain of
    # operators such as ``a + b + c``.
    texts = one_value(strings, left, java_text), one_value(others, right, java_text)
    return [Alternative(OperandType.STRING, ir.Apply(ir.Function.CONCATENATE, texts, STRING))]
