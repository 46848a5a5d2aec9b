"""Arithmetic on operands by a dialect's rules: the width of a result, where there is none, where it throws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from transpiler import ir
from transpiler.layouts.columns import BIGINT, DOUBLE, STRING
from transpiler.lowering.comparison_predicates import as_double, to_decimal
from transpiler.lowering.operands import DECIMAL, Alternative, Operand, complement, one_value
from transpiler.message.operand_types import OperandType
from transpiler.selector.ast import Arithmetic, Comparison
from transpiler.selector.dialect_rules import Division, IntegerArithmetic, NotNumbers, Remainder, UnaryPlus
from transpiler.selector.dialects import Dialect

#: The digits of the widest DECIMAL.
DECIMAL_DIGITS = 38

_INTS = (OperandType.BYTE, OperandType.SHORT, OperandType.INT, OperandType.BIG)
_FLOATS = (OperandType.FLOAT, OperandType.DOUBLE)
_WHOLE = (*_INTS, OperandType.LONG)
_NUMBERS = (*_WHOLE, *_FLOATS)

#: By what they do with an integer that does not fit: none, the low 64 or 32 bits, all digits.
_CHECKED = {
    Arithmetic.ADD: ir.Function.ADD,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY,
    Arithmetic.DIVIDE: ir.Function.DIVIDE,
}
_WRAPPED_LONG = {
    Arithmetic.ADD: ir.Function.ADD_LONG,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT_LONG,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY_LONG,
}
_WRAPPED_INT = {
    Arithmetic.ADD: ir.Function.ADD_INT,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT_INT,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY_INT,
}
_BIG = {
    Arithmetic.ADD: ir.Function.ADD_BIG,
    Arithmetic.SUBTRACT: ir.Function.SUBTRACT_BIG,
    Arithmetic.MULTIPLY: ir.Function.MULTIPLY_BIG,
}
#: Functions of constants whose results the compiler knows.
_FOLDED = frozenset(_CHECKED.values())


class _Numbers:
    """The numbers of an operand, as the values that operations take; each is NULL where the operand is no such one."""

    def __init__(self, operand: Operand) -> None:
        self.operand = operand

    def where(self, types: Sequence[OperandType]) -> ir.Predicate:
        """Where the operand is of one of some types."""
        return self.operand.where(types) if self.operand.of(*types) else ir.FALSE

    def integer(self, types: Sequence[OperandType] = _WHOLE, bits: int = 64) -> ir.Value | None:
        """The integers of some types in 64 bits, a literal beyond them cut to its low bits; None where there are none."""
        value = self._one_value(types, lambda item: _cut(item, bits))
        if value is None or isinstance(value, ir.Constant) or value.type == BIGINT:
            return value
        return ir.Apply(ir.Function.TO_LONG, (value,), BIGINT)

    def decimal(self) -> ir.Value | None:
        """The integers, of any size."""
        return self._one_value(_WHOLE, lambda item: to_decimal(item.value))

    def floating(self) -> ir.Value | None:
        """The floating point numbers; None where the operand never is one."""
        return self._one_value(_FLOATS, None)

    def widened(self) -> ir.Value | None:
        """The integers as doubles; None where the operand never is one."""
        value = self._one_value(_WHOLE, _approximate)
        return None if value is None else as_double(value)

    def double(self) -> ir.Value | None:
        """The numbers of either kind as doubles; None where the operand never is one."""
        values = tuple([value for value in (self.floating(), self.widened()) if value is not None])
        if len(values) < 2:
            return values[0] if values else None
        return ir.Apply(ir.Function.FIRST, values, DOUBLE)

    def of_type(self, kind: OperandType) -> Alternative:
        """All alternatives of one type as one."""
        items = self.operand.of(kind)
        if len(items) == 1:
            return items[0]
        return Alternative(kind, one_value(items, self.operand), stands_where=self.operand.where([kind]))

    def _one_value(
        self, types: Sequence[OperandType], convert: Callable[[Alternative], ir.Value] | None
    ) -> ir.Value | None:
        items = self.operand.of(*types)
        return one_value(items, self.operand, convert) if items else None


def _cut(item: Alternative, bits: int) -> ir.Value:
    return item.value if item.number is None else ir.constant(_wrapped(item.number, bits))


def _approximate(item: Alternative) -> ir.Value:
    return item.value if item.number is None else ir.constant(float(item.number))


def _wrapped(number: int, bits: int) -> int:
    half: int = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


def _is_java(dialect: Dialect) -> bool:
    return dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT


def sign(operator: Arithmetic, operand: Operand, dialect: Dialect) -> Operand:
    """A unary plus or minus."""
    others = [item.type for item in operand.alternatives if not item.type.numeric]
    if operator is Arithmetic.ADD and (not others or dialect.unary_plus is UnaryPlus.NOTHING):
        return operand
    numbers = _Numbers(operand)
    results: list[Alternative] = []
    stands: list[ir.Predicate] = []
    error, missing = operand.error, ir.FALSE
    for kind in dict.fromkeys(item.type for item in operand.alternatives if item.type.numeric):
        item = numbers.of_type(kind)
        if operator is Arithmetic.SUBTRACT:
            if _is_java(dialect) and kind in (OperandType.BYTE, OperandType.SHORT):
                # "Don't know how to negate": the code has no clause for them.
                error = ir.any_of(error, item.stands)
                continue
            negative = _negative(item, dialect)
            if negative is None:
                missing = ir.any_of(missing, item.stands)
                continue
            if kind.integer and dialect.integer_arithmetic is IntegerArithmetic.LONG:
                # The least long has no negative in 64 bits.
                missing = ir.any_of(missing, ir.all_of(item.stands, ir.IsNull(negative.value)))
            stands.append(item.stands)
            item = negative
        else:
            stands.append(item.stands)
        results.append(item)
    if dialect.not_numbers is not NotNumbers.THROWS and error == ir.FALSE:
        return _by_values(results)
    other = operand.where(others) if others else ir.FALSE
    absent = ir.any_of(operand.absent, missing)
    if dialect.not_numbers is NotNumbers.THROWS:
        error = ir.any_of(error, other)
    else:
        absent = ir.any_of(absent, other)
    return Operand(tuple(results), ir.all_of(ir.any_of(*stands), complement(missing)), absent, error)


def _by_values(items: Sequence[Alternative]) -> Operand:
    """An operand whose evaluation never throws: it is NULL where all its values are."""
    items = tuple([item._replace(stands_where=None, never_null=False) for item in items])
    present = ir.any_of(*[ir.all_of(item.guard, ir.IsNull(item.value, negated=True)) for item in items])
    if all(item.guard == ir.TRUE for item in items):
        return Operand(items, present, ir.all_of(*[ir.IsNull(item.value) for item in items]))
    return Operand(items, present, complement(present))


def _negative(item: Alternative, dialect: Dialect) -> Alternative | None:
    """The number with the other sign; None for a literal that has none."""
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
    narrow = item.type is OperandType.INT and _is_java(dialect)
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
        return item._replace(type=kind, value=value, number=None if fits else -number)
    match dialect.integer_arithmetic:
        case IntegerArithmetic.LONG if number == -(2**63):
            return None
        case IntegerArithmetic.WRAP_INT if item.type is OperandType.INT:
            return item._replace(value=ir.constant(_wrapped(-number, 32)))
        case IntegerArithmetic.BIGNUM if number == -(2**63):
            return item._replace(value=ir.Constant(-number, DECIMAL), number=-number)
        case _:
            return item._replace(value=ir.constant(_wrapped(-number, 64)))


def calculate(operator: Arithmetic, left: Operand, right: Operand, dialect: Dialect) -> Operand:
    """A binary operation."""
    first, second = _Numbers(left), _Numbers(right)
    results = _results(operator, first, second, dialect)
    infinite = [ir.all_of(item.guard, _infinite(value)) for item in results for value in _infinite_values(item.value)]
    dies = operator is Arithmetic.DIVIDE and dialect.division is Division.TRUNCATING_THROWING
    thrown = ir.any_of(_dies(first, second) if dies else ir.FALSE, *infinite)
    if dialect.not_numbers is NotNumbers.UNKNOWN and thrown == left.error == right.error == ir.FALSE:
        return _by_values(results)
    both = ir.all_of(first.where(_NUMBERS), second.where(_NUMBERS))
    missing = _without_result(operator, first, second, results, both, dialect)
    absent, error = _absent_or_error(left, right, dialect)
    known = both
    numeric = both
    if operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_ATOMS:
        numeric = ir.all_of(both, complement(_is_zero(second)))
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
                # By Erlang's order of terms everything else is above a number.
                zero = _is_zero(second)
                above = ir.all_of(values, complement(first.where(_NUMBERS)), zero)
                results.append(_atom("plus_infinity", above))
                error = ir.any_of(error, ir.all_of(values, complement(ir.any_of(both, zero))))
                known = ir.any_of(both, ir.all_of(values, zero))
            case _:
                error = ir.any_of(error, ir.all_of(values, complement(both)))
    if missing == thrown == ir.FALSE:
        return Operand(tuple(results), known, absent, error, numeric=numeric)
    gone = complement(ir.any_of(missing, thrown))
    return Operand(
        tuple(results),
        ir.all_of(known, gone),
        ir.any_of(absent, ir.all_of(missing, complement(thrown))),
        ir.any_of(error, thrown),
        numeric=ir.all_of(numeric, gone),
    )


def _absent_or_error(left: Operand, right: Operand, dialect: Dialect) -> tuple[ir.Predicate, ir.Predicate]:
    """Where an operand is NULL, and where one throws that is evaluated."""
    if _is_java(dialect):
        # Java leaves the right side alone where the left one is NULL.
        absent = ir.any_of(left.absent, ir.all_of(left.present, right.absent))
        return absent, ir.any_of(left.error, ir.all_of(left.present, right.error))
    error = ir.any_of(left.error, right.error)
    return ir.all_of(ir.any_of(left.absent, right.absent), complement(error)), error


def _without_result(
    operator: Arithmetic,
    left: _Numbers,
    right: _Numbers,
    results: Sequence[Alternative],
    both: ir.Predicate,
    dialect: Dialect,
) -> ir.Predicate:
    """Where two numbers have no result: zero divisors, and integers that do not fit."""
    whole = ir.all_of(left.where(_WHOLE), right.where(_WHOLE))
    if operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_UNKNOWN:
        return ir.all_of(both, _is_zero(right))
    if operator is Arithmetic.REMAINDER and dialect.remainder is Remainder.INTEGER:
        return ir.all_of(both, complement(ir.all_of(whole, complement(_is_zero(right)))))
    unfit: list[ir.Predicate] = []
    truncates = operator is Arithmetic.DIVIDE and dialect.division is Division.TRUNCATING
    for item in results:
        overflows = dialect.integer_arithmetic is IntegerArithmetic.LONG or _digits(item.value) > DECIMAL_DIGITS
        if item.type.integer and not isinstance(item.value, ir.Constant) and (truncates or overflows):
            # What DECIMAL cannot hold is NULL in Spark: a limit, and never a wrong answer.
            unfit.append(ir.all_of(whole, ir.IsNull(item.value)))
    if not any(item.type.integer for item in results) and whole != ir.FALSE and not _yields_doubles(operator, dialect):
        unfit.append(whole)
    return ir.any_of(*unfit)


def _yields_doubles(operator: Arithmetic, dialect: Dialect) -> bool:
    """Whether an operation makes doubles of integers."""
    if operator is Arithmetic.REMAINDER:
        return dialect.remainder is Remainder.DOUBLE
    return operator is Arithmetic.DIVIDE and dialect.division not in (
        Division.TRUNCATING,
        Division.TRUNCATING_THROWING,
    )


def _digits(value: ir.Value) -> int:
    """About how many decimal digits an integer of any size has at most; none for one of 64 bits."""
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
    """The doubles in a result that are NULL instead of infinite."""
    match value:
        case ir.Apply(function=ir.Function.FINITE, arguments=(infinite,)):
            yield infinite
        case ir.Apply(function=ir.Function.FIRST, arguments=arguments):
            for argument in arguments:
                if isinstance(argument, ir.Apply) and argument.function is ir.Function.FINITE:
                    yield argument.arguments[0]


def _infinite(value: ir.Value) -> ir.Predicate:
    """Times zero only what is infinite, or no number, is not zero."""
    return ir.Compare(
        Comparison.NE, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0)
    )


def _is_zero(numbers: _Numbers) -> ir.Predicate:
    """Where an operand is a number and zero."""
    tests = []
    for item in numbers.operand.of(*_NUMBERS):
        if isinstance(item.value, ir.Constant):
            tests.append(item.guard if item.value.value == 0 else ir.FALSE)
        else:
            zero = ir.constant(0.0 if item.type.floating else 0)
            tests.append(ir.all_of(item.guard, ir.Compare(Comparison.EQ, item.value, zero)))
    return ir.any_of(*tests)


def _dies(left: _Numbers, right: _Numbers) -> ir.Predicate:
    """Return where an integer division ends the C++ broker: by zero, and of the least long by -1.

    A header field counts as an integer whatever width its table gives it: JMSPriority is an int there.
    """
    dividend, divisor = left.integer(), right.integer()
    if dividend is None or divisor is None:
        return ir.FALSE
    least = ir.all_of(
        ir.Compare(Comparison.EQ, dividend, ir.constant(-(2**63))), ir.Compare(Comparison.EQ, divisor, ir.constant(-1))
    )
    whole = ir.all_of(left.where(_WHOLE), right.where(_WHOLE))
    return ir.all_of(whole, ir.any_of(ir.Compare(Comparison.EQ, divisor, ir.constant(0)), least))


def _results(operator: Arithmetic, left: _Numbers, right: _Numbers, dialect: Dialect) -> list[Alternative]:
    """The numbers that an operation yields; a value is NULL where its operands are not of the types for it."""
    if _yields_doubles(operator, dialect):
        return _quotients(operator, left, right, dialect)
    results = _integers(operator, left, right, dialect)
    if operator is not Arithmetic.REMAINDER:
        results += _doubles(operator, left, right, dialect)
    return results


def _integers(operator: Arithmetic, left: _Numbers, right: _Numbers, dialect: Dialect) -> list[Alternative]:
    """Calculate integers by integers: in 64 bits, in 32 where Java does, or of any size as far as 38 digits go."""
    stands = ir.all_of(left.where(_WHOLE), right.where(_WHOLE))
    if stands == ir.FALSE:
        return []
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM:
        function = ir.Function.REMAINDER_BIG if operator is Arithmetic.REMAINDER else _BIG[operator]
        return _result(OperandType.LONG, function, left.decimal(), right.decimal(), stands)
    if operator is Arithmetic.REMAINDER:
        return _result(OperandType.LONG, ir.Function.REMAINDER_BIG, left.integer(), right.integer(), stands)
    if operator is Arithmetic.DIVIDE:
        return _result(OperandType.LONG, ir.Function.DIVIDE, left.integer(), right.integer(), stands)
    if not _is_java(dialect):
        functions = _CHECKED if dialect.integer_arithmetic is IntegerArithmetic.LONG else _WRAPPED_LONG
        return _result(OperandType.LONG, functions[operator], left.integer(), right.integer(), stands)
    narrow = ir.all_of(left.where(_INTS), right.where(_INTS))
    results = []
    if narrow != ir.FALSE:
        sides = left.integer(_INTS, 32), right.integer(_INTS, 32)
        results = _result(OperandType.INT, _WRAPPED_INT[operator], *sides, narrow)
    wide = ir.any_of(left.where([OperandType.LONG]), right.where([OperandType.LONG]))
    if wide != ir.FALSE:
        always = any(not side.operand.of(*_INTS) for side in (left, right))
        guard = ir.TRUE if always else wide
        stands = ir.all_of(stands, guard)
        results += _result(OperandType.LONG, _WRAPPED_LONG[operator], left.integer(), right.integer(), stands, guard)
    return results


def _result(
    kind: OperandType,
    function: ir.Function,
    left: ir.Value | None,
    right: ir.Value | None,
    stands: ir.Predicate,
    guard: ir.Predicate = ir.TRUE,
) -> list[Alternative]:
    """The result of a function as an alternative; none where constants have no result."""
    value = None if left is None or right is None else _apply(function, left, right)
    return [] if value is None else [Alternative(kind, value, guard, stands_where=stands)]


def _apply(function: ir.Function, left: ir.Value, right: ir.Value) -> ir.Value | None:
    if isinstance(left, ir.Constant) and isinstance(right, ir.Constant) and function in _FOLDED:
        assert isinstance(left.value, int | float)
        assert isinstance(right.value, int | float)
        result = ir.calculate_constants(function, left.value, right.value)
        return None if result is None else ir.constant(result)
    types = (left.type, right.type)
    return ir.Apply(function, (left, right), DOUBLE if DOUBLE in types else DECIMAL if DECIMAL in types else BIGINT)


def _doubles(operator: Arithmetic, left: _Numbers, right: _Numbers, dialect: Dialect) -> list[Alternative]:
    """A double with any number.

    The left side, which a chain of operations makes long, stands as a double in one place.
    """
    values = [
        value
        for sides in ((left.floating(), right.double()), (left.widened(), right.floating()))
        if sides[0] is not None and sides[1] is not None
        if (value := _apply(_CHECKED[operator], sides[0], sides[1])) is not None
    ]
    if not values:
        return []
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM and _may_overflow(operator, left, right):
        values = [ir.Apply(ir.Function.FINITE, (value,), DOUBLE) for value in values]
    value = values[0] if len(values) == 1 else ir.Apply(ir.Function.FIRST, tuple(values), DOUBLE)
    floating = ir.any_of(left.where(_FLOATS), right.where(_FLOATS))
    stands = ir.all_of(left.where(_NUMBERS), right.where(_NUMBERS), floating)
    return [Alternative(OperandType.DOUBLE, value, stands_where=stands)]


def _may_overflow(operator: Arithmetic, left: _Numbers, right: _Numbers) -> bool:
    """Whether the result of finite numbers can be infinite: not by adding what is small beside the largest double."""
    small, unit = 1e290, 1.0

    def bound(numbers: _Numbers) -> float:
        values = [item.value for item in numbers.operand.of(*_NUMBERS)]
        return max(
            abs(float(value.value))
            if isinstance(value, ir.Constant) and not isinstance(value.value, str)
            else math.inf
            if value.type == DOUBLE
            else 1e38
            for value in values
        )

    match operator:
        case Arithmetic.ADD | Arithmetic.SUBTRACT:
            return min(bound(left), bound(right)) > small
        case Arithmetic.MULTIPLY:
            return min(bound(left), bound(right)) > unit and max(bound(left), bound(right)) > 1e200
        case _:
            divisors = [item.value for item in right.operand.of(*_FLOATS)]
            return not all(
                isinstance(value, ir.Constant) and isinstance(value.value, float) and abs(value.value) >= unit
                for value in divisors
            )


def _quotients(operator: Arithmetic, left: _Numbers, right: _Numbers, dialect: Dialect) -> list[Alternative]:
    """Division and remainder of doubles."""
    dividend, divisor = left.double(), right.double()
    if dividend is None or divisor is None:
        return []
    both = ir.all_of(left.where(_NUMBERS), right.where(_NUMBERS))
    if operator is Arithmetic.REMAINDER:
        return _result(OperandType.DOUBLE, ir.Function.REMAINDER_DOUBLE, dividend, divisor, both)
    by_zero = dialect.division in (Division.BY_ZERO_UNKNOWN, Division.BY_ZERO_ATOMS)
    function = ir.Function.TRY_DIVIDE if by_zero else ir.Function.DIVIDE
    value: ir.Value = ir.Apply(function, (dividend, divisor), DOUBLE)
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM and _may_overflow(operator, left, right):
        value = ir.Apply(ir.Function.FINITE, (value,), DOUBLE)
    zero = _is_zero(right) if by_zero else ir.FALSE
    quotient = Alternative(OperandType.DOUBLE, value, stands_where=ir.all_of(both, complement(zero)))
    if dialect.division is not Division.BY_ZERO_ATOMS or zero == ir.FALSE:
        return [quotient]
    where = ir.all_of(both, zero)
    above, below = (
        ir.Compare(operator, dividend, ir.constant(0.0)) for operator in (Comparison.GT, Comparison.LT)
    )
    neither = ir.any_of(ir.Compare(Comparison.EQ, dividend, ir.constant(0.0)), ir.IsNan(dividend))
    return [
        quotient,
        _atom("plus_infinity", ir.all_of(where, above, ir.IsNan(dividend, negated=True))),
        _atom("minus_infinity", ir.all_of(where, below)),
        _atom("nan", ir.all_of(where, neither)),
    ]


def _atom(name: str, guard: ir.Predicate) -> Alternative:
    return Alternative(OperandType.ATOM, ir.constant(name), guard, never_null=True)


def _concatenated(left: Operand, right: Operand) -> list[Alternative]:
    """Java's + with a string on the left."""
    strings, others = left.of(OperandType.STRING), right.alternatives
    if not strings or not others:
        return []
    if len(strings) == len(others) == 1:
        value = ir.Apply(ir.Function.CONCATENATE, (strings[0].value, java_text(others[0])), STRING)
        return [Alternative(OperandType.STRING, value, ir.all_of(strings[0].guard, others[0].guard))]
    # One value for all of them: as alternatives they would multiply along a chain.
    texts = one_value(strings, left, java_text), one_value(others, right, java_text)
    return [Alternative(OperandType.STRING, ir.Apply(ir.Function.CONCATENATE, texts, STRING))]


#: What Java writes for an array of bytes, before an address that nobody can know.
_ARRAY = ir.constant("[B@")


def java_text(item: Alternative) -> ir.Value:
    """A value as Java's string concatenation writes it."""
    match item.type:
        case OperandType.STRING | OperandType.CHAR | OperandType.ATOM:
            return item.value
        case OperandType.BYTES:
            return ir.When(ir.IsNull(item.value, negated=True), _ARRAY)
        case OperandType.BIG:
            return ir.constant(str(item.number))
        case OperandType.FLOAT:
            return ir.Apply(ir.Function.TEXT_OF_FLOAT, (item.value,), STRING)
        case _:
            return ir.Apply(ir.Function.JAVA_TEXT, (item.value,), STRING)
