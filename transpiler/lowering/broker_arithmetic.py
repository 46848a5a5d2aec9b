"""Arithmetic on typed operands by a broker's rules: which width a result has, where there is none, where it throws."""

from __future__ import annotations

import math
from collections.abc import Callable

from transpiler import ir
from transpiler.layouts.columns import BIGINT, DOUBLE, STRING
from transpiler.lowering.comparison_kinds import as_double, to_decimal
from transpiler.lowering.typed import DECIMAL, Typed, TypedOperand, complement
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

_BY_WIDTH = {
    OperandType.INT: {
        Arithmetic.ADD: ir.Function.ADD_INT,
        Arithmetic.SUBTRACT: ir.Function.SUBTRACT_INT,
        Arithmetic.MULTIPLY: ir.Function.MULTIPLY_INT,
    },
    OperandType.LONG: {
        Arithmetic.ADD: ir.Function.ADD_LONG,
        Arithmetic.SUBTRACT: ir.Function.SUBTRACT_LONG,
        Arithmetic.MULTIPLY: ir.Function.MULTIPLY_LONG,
    },
    OperandType.BIG: {
        Arithmetic.ADD: ir.Function.ADD_BIG,
        Arithmetic.SUBTRACT: ir.Function.SUBTRACT_BIG,
        Arithmetic.MULTIPLY: ir.Function.MULTIPLY_BIG,
    },
    OperandType.DOUBLE: {
        Arithmetic.ADD: ir.Function.ADD,
        Arithmetic.SUBTRACT: ir.Function.SUBTRACT,
        Arithmetic.MULTIPLY: ir.Function.MULTIPLY,
        Arithmetic.DIVIDE: ir.Function.DIVIDE,
        Arithmetic.REMAINDER: ir.Function.REMAINDER_DOUBLE,
    },
}


def _wrapped(number: int, bits: int) -> int:
    half: int = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


class _Values:
    """The values of an operand by what an operation makes of them, and where they stand."""

    def __init__(self, operand: TypedOperand) -> None:
        self.operand = operand

    def where(self, *types: OperandType) -> ir.Predicate:
        """Where the operand is one of some types; TRUE or FALSE where the text alone tells."""
        return self.operand.where(types) if self.operand.of(*types) else ir.FALSE

    def value(self, make: Callable[[Typed], ir.Value], *types: OperandType) -> ir.Value:
        """The values of some types as one, NULL where the operand is none of them."""
        values: dict[ir.Value, list[Typed]] = {}
        for item in self.operand.of(*types):
            values.setdefault(make(item), []).append(item)
        parts = tuple(self._guarded(value, items) for value, items in values.items())
        if len(parts) == 1:
            return parts[0]
        return ir.Apply(
            ir.Function.FIRST, parts, DECIMAL if DECIMAL in {part.type for part in parts} else parts[0].type
        )

    def _guarded(self, value: ir.Value, items: list[Typed]) -> ir.Value:
        siblings = [item for item in self.operand.alternatives if item.value == items[0].value]
        family = items[0].family
        guard = ir.any_of(*(item.guard for item in items))
        if family is not None and len(siblings) == len(items):
            guard = family
        return value if guard == ir.TRUE else ir.When(guard, value)


def _as_int(item: Typed) -> ir.Value:
    return ir.constant(_wrapped(item.number, 32)) if item.number is not None else item.value


def _as_long(item: Typed) -> ir.Value:
    return ir.constant(_wrapped(item.number, 64)) if item.number is not None else item.value


def _as_double(item: Typed) -> ir.Value:
    return ir.constant(float(item.number)) if item.number is not None else as_double(item.value)


def _as_decimal(item: Typed) -> ir.Value:
    return to_decimal(item.value)


def sign(operator: Arithmetic, operand: TypedOperand, dialect: Dialect) -> TypedOperand:
    """A unary plus or minus."""
    if operator is Arithmetic.ADD and dialect.unary_plus is UnaryPlus.NOTHING:
        return operand
    numbers = [item for item in operand.alternatives if item.type.numeric]
    others = [item.type for item in operand.alternatives if not item.type.numeric]
    other = operand.where(others) if others else ir.FALSE
    absent, raises = operand.absent, operand.raises
    if dialect.not_numbers is NotNumbers.THROWS:
        raises = ir.any_of(raises, other)
    else:
        absent = ir.any_of(absent, other)
    if operator is Arithmetic.ADD:
        return TypedOperand(tuple(numbers), absent, raises)
    negatives: list[Typed] = []
    for item in numbers:
        if item.type in (OperandType.BYTE, OperandType.SHORT) and _java(dialect):
            # "Don't know how to negate": the code has no clause for them.
            raises = ir.any_of(raises, item.stands)
        else:
            negatives.append(_negative(item, dialect))
    return TypedOperand(tuple(negatives), absent, raises)


def _java(dialect: Dialect) -> bool:
    return dialect.integer_arithmetic is IntegerArithmetic.WRAP_INT


def _negative(item: Typed, dialect: Dialect) -> Typed:
    if item.number is not None:
        number = -item.number
        fits = number == -(2**63)
        kind = OperandType.LONG if fits else item.type
        return Typed(
            kind, ir.constant(number) if fits else ir.Constant(number, DECIMAL), number=None if fits else number
        )
    zero = ir.constant(0)
    match item.type:
        case OperandType.FLOAT | OperandType.DOUBLE:
            if isinstance(item.value, ir.Constant):
                assert isinstance(item.value.value, float)
                return Typed(item.type, ir.constant(-item.value.value))
            return Typed(item.type, ir.Apply(ir.Function.NEGATE, (item.value,), DOUBLE), item.guard, item.sure)
        case OperandType.INT if _java(dialect):
            return Typed(
                item.type, ir.Apply(ir.Function.SUBTRACT_INT, (zero, item.value), BIGINT), item.guard, item.sure
            )
        case _ if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM:
            return Typed(
                item.type, ir.Apply(ir.Function.SUBTRACT_BIG, (zero, item.value), DECIMAL), item.guard, item.sure
            )
        case _:
            # One width or not, what is negated here has 64 bits.
            return Typed(
                OperandType.LONG, ir.Apply(ir.Function.SUBTRACT_LONG, (zero, item.value), BIGINT), item.guard, item.sure
            )


def calculate(operator: Arithmetic, left: TypedOperand, right: TypedOperand, dialect: Dialect) -> TypedOperand:
    """A binary operation."""
    first, second = _Values(left), _Values(right)
    both = ir.all_of(first.where(*_NUMBERS), second.where(*_NUMBERS))
    items = _results(operator, first, second, dialect)
    missing, thrown = _without_result(operator, first, second, items, both, dialect)
    known = both
    raises = ir.any_of(left.raises, right.raises)
    absent = ir.any_of(left.absent, right.absent)
    if _java(dialect):
        # Java leaves the right side alone where the left one is NULL.
        raises = ir.any_of(left.raises, ir.all_of(left.present, right.raises))
        absent = ir.any_of(left.absent, ir.all_of(left.present, right.absent))
    elif raises != ir.FALSE:
        absent = ir.all_of(absent, complement(raises))
    numeric = known
    if operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_ATOMS:
        numeric = ir.all_of(both, complement(_is_zero(second)))
    if not all(item.type.numeric for item in (*left.alternatives, *right.alternatives)):
        values = ir.all_of(left.present, right.present)
        match dialect.not_numbers:
            case NotNumbers.UNKNOWN:
                absent = ir.any_of(absent, ir.all_of(values, complement(both)))
            case NotNumbers.CONCATENATE if operator is Arithmetic.ADD:
                items += _concatenated(left, right)
                text = left.where([OperandType.STRING]) if left.of(OperandType.STRING) else ir.FALSE
                known = ir.any_of(both, ir.all_of(text, right.present))
                raises = ir.any_of(raises, ir.all_of(values, complement(known)))
            case NotNumbers.THROWS if operator is Arithmetic.DIVIDE:
                zero = _is_zero(second)
                items.append(_atom("plus_infinity", ir.all_of(values, complement(first.where(*_NUMBERS)), zero)))
                raises = ir.any_of(raises, ir.all_of(values, complement(ir.any_of(both, zero))))
                known = ir.any_of(both, ir.all_of(values, zero))
            case _:
                raises = ir.any_of(raises, ir.all_of(values, complement(both)))
    if missing == ir.FALSE and thrown == ir.FALSE:
        return TypedOperand(tuple(items), absent, raises, known, numeric=numeric)
    gone = complement(ir.any_of(missing, thrown))
    absent, raises = ir.any_of(absent, ir.all_of(missing, complement(thrown))), ir.any_of(raises, thrown)
    return TypedOperand(tuple(items), absent, raises, ir.all_of(known, gone), numeric=ir.all_of(numeric, gone))


def _without_result(
    operator: Arithmetic, left: _Values, right: _Values, items: list[Typed], both: ir.Predicate, dialect: Dialect
) -> tuple[ir.Predicate, ir.Predicate]:
    """Where two numbers have no result, and where they throw: zero divisors, Erlang's infinities, too many digits."""
    missing: ir.Predicate = ir.FALSE
    thrown: ir.Predicate = ir.FALSE
    if operator is Arithmetic.DIVIDE and dialect.division is Division.TRUNCATING_THROWING:
        thrown = _dies(left, right)
    if operator is Arithmetic.DIVIDE and dialect.division is Division.BY_ZERO_UNKNOWN:
        missing = ir.all_of(both, _is_zero(right))
    if operator is Arithmetic.REMAINDER and dialect.remainder is Remainder.INTEGER:
        whole = ir.all_of(left.where(*_WHOLE), right.where(*_WHOLE))
        missing = ir.all_of(both, complement(ir.all_of(whole, complement(_is_zero(right)))))
    for item in items if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM else ():
        match item.value:
            case ir.Apply(function=ir.Function.FINITE, arguments=(infinite,)):
                thrown = ir.any_of(thrown, ir.all_of(item.guard, _infinite(infinite)))
            case ir.Apply(function=ir.Function.ADD_BIG | ir.Function.SUBTRACT_BIG | ir.Function.MULTIPLY_BIG) if (
                _digits(item.value) > DECIMAL_DIGITS
            ):
                # What DECIMAL cannot hold is NULL in Spark: a limit, and never a wrong answer.
                missing = ir.any_of(missing, ir.all_of(item.stands, ir.IsNull(item.value)))
            case _:
                pass
    return missing, thrown


def _digits(value: ir.Value) -> int:
    """About how many decimal digits an integer has at most."""
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


def _infinite(value: ir.Value) -> ir.Predicate:
    """Times zero only what is infinite, or no number, is not zero."""
    return ir.Compare(
        Comparison.NE, ir.Apply(ir.Function.MULTIPLY, (value, ir.constant(0.0)), DOUBLE), ir.constant(0.0)
    )


def _is_zero(numbers: _Values) -> ir.Predicate:
    """Where an operand is a number and zero."""
    tests = []
    for item in numbers.operand.of(*_NUMBERS):
        if isinstance(item.value, ir.Constant):
            tests.append(item.guard if item.value.value == 0 else ir.FALSE)
        else:
            zero = ir.constant(0.0 if item.type.floating else 0)
            tests.append(ir.all_of(item.guard, ir.Compare(Comparison.EQ, item.value, zero)))
    return ir.any_of(*tests)


def _dies(left: _Values, right: _Values) -> ir.Predicate:
    """Return where an integer division ends the C++ broker: by zero, and of the least long by -1.

    A header field counts as an integer whatever width its table gives it: JMSPriority is an int there.
    """
    if not (left.operand.of(*_WHOLE) and right.operand.of(*_WHOLE)):
        return ir.FALSE
    dividend = left.value(_as_long, *_WHOLE)
    divisor = right.value(_as_long, *_WHOLE)
    least = ir.all_of(
        ir.Compare(Comparison.EQ, dividend, ir.constant(-(2**63))), ir.Compare(Comparison.EQ, divisor, ir.constant(-1))
    )
    whole = ir.all_of(left.where(*_WHOLE), right.where(*_WHOLE))
    return ir.all_of(whole, ir.any_of(ir.Compare(Comparison.EQ, divisor, ir.constant(0)), least))


def _results(operator: Arithmetic, left: _Values, right: _Values, dialect: Dialect) -> list[Typed]:
    """The numbers that an operation yields; a value is NULL where its operands are not of the types for it."""
    always_double = operator is Arithmetic.DIVIDE and dialect.division is not Division.TRUNCATING_THROWING
    if always_double or (operator is Arithmetic.REMAINDER and dialect.remainder is Remainder.DOUBLE):
        return _quotients(operator, left, right, dialect)
    items: list[Typed] = []
    if left.operand.of(*_WHOLE) and right.operand.of(*_WHOLE):
        if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM:
            items.append(_big(operator, left, right))
        else:
            items.extend(_whole(operator, left, right, dialect))
    if operator is not Arithmetic.REMAINDER:
        items.extend(_with_doubles(operator, left, right, dialect))
    return items


def _with_doubles(operator: Arithmetic, left: _Values, right: _Values, dialect: Dialect) -> list[Typed]:
    """A double with any number."""
    if not (left.operand.of(*_NUMBERS) and right.operand.of(*_NUMBERS)):
        return []
    floating = ir.any_of(left.where(*_FLOATS), right.where(*_FLOATS))
    if floating == ir.FALSE:
        return []
    # Where one side is a double in every row, the values themselves say enough.
    sides = (left.operand, right.operand)
    always = any(all(not item.type.integer for item in side.alternatives) for side in sides)
    dividend, divisor = left.value(_as_double, *_NUMBERS), right.value(_as_double, *_NUMBERS)
    value: ir.Value = ir.Apply(_double_function(operator, divisor), (dividend, divisor), DOUBLE)
    if dialect.integer_arithmetic is IntegerArithmetic.BIGNUM and _may_overflow(operator, left, right):
        value = ir.Apply(ir.Function.FINITE, (value,), DOUBLE)
    both = ir.all_of(left.where(*_NUMBERS), right.where(*_NUMBERS))
    guard = ir.TRUE if always else floating
    return [Typed(OperandType.DOUBLE, value, guard, standing=ir.all_of(both, guard))]


def _double_function(operator: Arithmetic, divisor: ir.Value) -> ir.Function:
    if operator is Arithmetic.DIVIDE and not isinstance(divisor, ir.Constant):
        return ir.Function.DIVIDE_IEEE
    return _BY_WIDTH[OperandType.DOUBLE][operator]


def _may_overflow(operator: Arithmetic, left: _Values, right: _Values) -> bool:
    """Whether the result of finite numbers can be infinite: not by adding what is small beside the largest double."""
    small, unit = 1e290, 1.0

    def bound(numbers: _Values) -> float:
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


def _whole(operator: Arithmetic, left: _Values, right: _Values, dialect: Dialect) -> list[Typed]:
    """Calculate integers by integers: in 64 bits, and in Java's dialects in 32 where neither side has 64."""
    items = []
    ints = _INTS if _java(dialect) else ()
    if left.operand.of(*ints) and right.operand.of(*ints):
        function = _BY_WIDTH[OperandType.INT][operator]
        value = ir.Apply(function, (left.value(_as_int, *ints), right.value(_as_int, *ints)), BIGINT)
        both = ir.all_of(left.where(*ints), right.where(*ints))
        items.append(Typed(OperandType.INT, value, standing=both))
    longs = tuple(kind for kind in _WHOLE if kind not in ints)
    long = ir.any_of(left.where(*longs), right.where(*longs))
    if long != ir.FALSE:
        function = ir.Function.DIVIDE if operator is Arithmetic.DIVIDE else _BY_WIDTH[OperandType.LONG][operator]
        value = ir.Apply(function, (left.value(_as_long, *_WHOLE), right.value(_as_long, *_WHOLE)), BIGINT)
        always = any(not side.operand.of(*ints) for side in (left, right))
        guard = ir.TRUE if always else long
        both = ir.all_of(left.where(*_WHOLE), right.where(*_WHOLE))
        items.append(Typed(OperandType.LONG, value, guard, standing=ir.all_of(both, guard)))
    return items


def _big(operator: Arithmetic, left: _Values, right: _Values) -> Typed:
    """Integers of any size, as far as 38 digits go."""
    function = ir.Function.REMAINDER_BIG if operator is Arithmetic.REMAINDER else _BY_WIDTH[OperandType.BIG][operator]
    value = ir.Apply(function, (left.value(_as_decimal, *_WHOLE), right.value(_as_decimal, *_WHOLE)), DECIMAL)
    return Typed(OperandType.LONG, value, standing=ir.all_of(left.where(*_WHOLE), right.where(*_WHOLE)))


def _quotients(operator: Arithmetic, left: _Values, right: _Values, dialect: Dialect) -> list[Typed]:
    """Division and remainder of doubles."""
    if not (left.operand.of(*_NUMBERS) and right.operand.of(*_NUMBERS)):
        return []
    both = ir.all_of(left.where(*_NUMBERS), right.where(*_NUMBERS))
    dividend, divisor = left.value(_as_double, *_NUMBERS), right.value(_as_double, *_NUMBERS)
    if dialect.integer_arithmetic is not IntegerArithmetic.BIGNUM:
        function = _double_function(operator, divisor)
        return [Typed(OperandType.DOUBLE, ir.Apply(function, (dividend, divisor), DOUBLE), standing=both)]
    value: ir.Value = ir.Apply(ir.Function.TRY_DIVIDE, (dividend, divisor), DOUBLE)
    if _may_overflow(operator, left, right):
        value = ir.Apply(ir.Function.FINITE, (value,), DOUBLE)
    zero = _is_zero(right)
    found = Typed(OperandType.DOUBLE, value, standing=ir.all_of(both, complement(zero)))
    if dialect.division is not Division.BY_ZERO_ATOMS or zero == ir.FALSE:
        return [found]
    by_zero = ir.all_of(both, zero)
    return [
        found,
        _atom("plus_infinity", ir.all_of(by_zero, ir.Compare(Comparison.GT, dividend, ir.constant(0.0)))),
        _atom("minus_infinity", ir.all_of(by_zero, ir.Compare(Comparison.LT, dividend, ir.constant(0.0)))),
        _atom("nan", ir.all_of(by_zero, ir.Compare(Comparison.EQ, dividend, ir.constant(0.0)))),
    ]


def _atom(name: str, guard: ir.Predicate) -> Typed:
    return Typed(OperandType.ATOM, ir.constant(name), guard, sure=True)


def _concatenated(left: TypedOperand, right: TypedOperand) -> list[Typed]:
    """Java's + with a string on the left."""
    strings, others = left.of(OperandType.STRING), right.alternatives
    if not strings or not others:
        return []
    if len(strings) == len(others) == 1:
        value = ir.Apply(ir.Function.CONCATENATE, (strings[0].value, java_text(others[0])), STRING)
        return [Typed(OperandType.STRING, value, ir.all_of(strings[0].guard, others[0].guard))]
    # One value for all of them: as alternatives they would multiply along a chain.
    texts = (_Values(left).value(java_text, OperandType.STRING), _Values(right).value(java_text, *OperandType))
    return [Typed(OperandType.STRING, ir.Apply(ir.Function.CONCATENATE, texts, STRING))]


#: What Java writes for an array of bytes, before an address that nobody can know.
_ARRAY = ir.constant("[B@")


def java_text(item: Typed) -> ir.Value:
    """A value as Java's string concatenation writes it."""
    match item.type:
        case OperandType.STRING | OperandType.CHAR:
            return item.value
        case OperandType.BYTES:
            return ir.When(ir.IsNull(item.value, negated=True), _ARRAY)
        case OperandType.BIG:
            return ir.constant(str(item.number))
        case OperandType.FLOAT:
            return ir.Apply(ir.Function.TEXT_OF_FLOAT, (item.value,), STRING)
        case _:
            return ir.Apply(ir.Function.JAVA_TEXT, (item.value,), STRING)
