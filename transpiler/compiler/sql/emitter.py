"""The emitter, which converts predicates and values of the IR to Spark SQL text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import assert_never

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, DOUBLE, ColumnType, SparkType
from transpiler.compiler.sql.precedence import LEVELS, Text
from transpiler.compiler.sql.quoting import decimal_literal, quote_path, quote_text, wall_clock_literal
from transpiler.message.types import TypeClass

_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _PRIMARY = LEVELS

#: The collation by which texts are equal only if their bytes are equal.
_BY_BYTES = "UTF8_BINARY"

#: The functions whose result has Spark's default collation. The result of any other function has the collation of the
#: column that is its argument.
_CASTS = frozenset((ir.Function.JAVA_TEXT, ir.Function.OCTETS, ir.Function.TRY_CAST))

_TEXT_TEST = re.compile(r"rlike|regexp|startswith|contains|substring_index|[=>] '", re.IGNORECASE)


def emit_filter(predicate: ir.Predicate) -> str:
    """Emit SQL that is TRUE if ``predicate`` holds, and otherwise FALSE or NULL."""
    return _predicate(predicate)[0]


def emit_value(value: ir.Value) -> str:
    """Emit ``value`` as an operand of any operator, in parentheses if necessary."""
    return _within(_value(value), _PRIMARY)


def emit_operand(predicate: ir.Predicate) -> str:
    """Emit the SQL of ``emit_filter`` as an operand of any operator, in parentheses if necessary."""
    return _within(_predicate(predicate), _PRIMARY)


def emit_boolean(predicate: ir.Predicate) -> str:
    """Emit an operand that is TRUE if ``predicate`` holds, and otherwise FALSE."""
    operand = emit_operand(predicate)
    return operand if never_null(predicate) else f"({operand} IS TRUE)"


def emit_ternary(when_true: ir.Predicate, when_false: ir.Predicate) -> str:
    """Emit an operand that is TRUE if ``when_true`` holds, FALSE if ``when_false`` holds, and otherwise NULL."""
    if when_true == ir.TRUE or (when_false == ir.TRUE and when_true == ir.FALSE):
        return emit_operand(when_true)
    if ir.sql_not(when_true) == when_false:
        # ``when_false`` equals ``NOT when_true``, so the SQL of ``when_true`` already has the three required results.
        return emit_operand(when_true)
    if when_true == ir.FALSE and when_false == ir.FALSE:
        return "CAST(NULL AS BOOLEAN)"
    cases = [
        f"WHEN {emit_filter(predicate)} THEN {truth}"
        for predicate, truth in ((when_true, "true"), (when_false, "false"))
        if predicate != ir.FALSE
    ]
    return f"CASE {' '.join(cases)} END"


def emit_choice(choices: Sequence[tuple[ir.Predicate, str]], otherwise: str | None) -> str:
    """Emit a CASE that returns the text of the first predicate in ``choices`` that holds.

    If none holds, it returns ``otherwise``; None means NULL.
    """
    cases = "".join(
        f"WHEN {emit_filter(predicate)} THEN {quote_text(text)} "
        for predicate, text in choices
        if predicate != ir.FALSE
    )
    last = "CAST(NULL AS STRING)" if otherwise is None else quote_text(otherwise)
    return f"CASE {cases}ELSE {last} END" if cases else last


def never_null(predicate: ir.Predicate) -> bool:
    """Return True if the emitted SQL is TRUE or FALSE, and never NULL, in every row."""
    match predicate:
        case ir.BoolConst() | ir.IsNull() | ir.IsNan() | ir.NotTrue():
            return True
        case ir.And(terms=terms) | ir.Or(terms=terms):
            return all(never_null(term) for term in terms)
        case _:
            return False


def _within(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _predicate(node: ir.Predicate) -> Text:
    # Python tries the cases in order, so the most frequent classes of nodes come first.
    match node:
        case ir.Compare(operator=operator, left=left, right=right):
            collation = "" if _has_collation(right) else _collation(left)
            return f"{_within(_value(left), _SUM)} {operator.value} {_within(_value(right), _SUM)}{collation}", _TEST
        case ir.And(terms=terms):
            return " AND ".join(_within(_predicate(term), _NOT) for term in terms), _AND
        case ir.Or(terms=terms):
            return " OR ".join(_within(_predicate(term), _AND) for term in terms), _OR
        case ir.Coalesce(tests=tests, otherwise=otherwise):
            known = (*tests, otherwise) if otherwise != ir.FALSE else tests
            return f"coalesce({', '.join(map(emit_filter, known))})", _PRIMARY
        case ir.IsNull(value=value, negated=negated):
            return f"{_within(_value(value), _SUM)} IS{_not(negated)} NULL", _TEST
        case ir.IsNan(value=value, negated=negated):
            test = f"isnan({_value(value)[0]})"
            return (f"NOT {test}", _NOT) if negated else (test, _PRIMARY)
        case ir.IsTrue(value=value, negated=False):
            return _value(value)
        case ir.IsTrue(value=value):
            return f"NOT {_within(_value(value), _TEST)}", _NOT
        case ir.BoolConst(value=value):
            return ("true" if value else "false"), _PRIMARY
        case ir.In(value=value, members=members, negated=negated):
            first, *others = (_constant(member)[0] for member in members)
            listed = ", ".join([first + _collation(value), *others])
            return f"{_within(_value(value), _SUM)}{_not(negated)} IN ({listed})", _TEST
        case ir.ArrayContains(value=value, array=array):
            return f"array_contains({quote_path(array)}, {_wide(value)})", _PRIMARY
        case ir.Like(value=value, pattern=pattern, negated=negated):
            # Imported in the function to save start-up time: most predicates have no LIKE.
            from transpiler.compiler.sql.patterns import like_text

            return like_text(_value(value)[0], _within(_value(value), _SUM), pattern, negated, _collation(value))
        case ir.Topic(value=value, pattern=pattern, negated=negated):
            from transpiler.compiler.sql.patterns import topic_text

            return topic_text(_value(value)[0], pattern, negated, _collation(value))
        case ir.XPath(value=value, test=test, negated=negated):
            # Imported in the function to save start-up time: few predicates test documents.
            from transpiler.compiler.sql.xml import xpath_text

            return _test(xpath_text(_value(value)[0], test), negated)
        case ir.Matches(value=value, expression=expression, negated=negated):
            return _test(f"rlike({_value(value)[0]}{_collation(value)}, {quote_text(expression)})", negated)
        case ir.AnyRow():
            return _listed(node), _PRIMARY
        case ir.SeparateMethod(predicate=predicate):
            # Spark evaluates a subexpression that occurs twice only once, in a separate Java method. So writing the
            # predicate twice makes Spark generate a separate method for it.
            text = emit_filter(predicate)
            return f"coalesce({text}, {text})", _PRIMARY
        case ir.Guarded(guard=guard, predicate=predicate):
            return f"CASE WHEN {emit_filter(guard)} THEN {emit_filter(predicate)} END", _PRIMARY
        case ir.NotTrue(predicate=predicate):
            return f"{_within(_predicate(predicate), _PRIMARY)} IS NOT TRUE", _TEST
        case _:
            assert_never(node)


def _listed(node: ir.AnyRow) -> str:
    """Emit an ``exists`` over the rows of ``node``; if it has a key, only over the rows that a map has for this key."""
    from transpiler.compiler.sql.constant_arrays import chunks_text, let_row_variables, map_text, rows_text

    row = _free_name(node)
    outer, inner = let_row_variables(node, row)
    if node.key is None:
        columns = ", ".join(f"{_wide(value)} AS v{index}" for index, value in enumerate(outer))
        fits = f"{row} -> {emit_filter(inner)}"
        if node.chunks:
            # If the value is NULL, the first ``exists`` returns NULL. Without IS TRUE, Spark would then evaluate the
            # second ``exists``, too.
            inside = f"exists(array(g.b), {fits}) IS TRUE AND exists(g.l, {fits})"
            test = f"exists({chunks_text(node.chunks, _wide)}, g -> {inside})"
        else:
            test = f"exists({rows_text(node.rows, _wide)}, {fits})"
        return f"exists(array(struct({columns})), m -> {test})"
    return f"exists({map_text(node.rows, _wide)}[{_wide(node.key)}], {row} -> {emit_filter(inner)})"


def _free_name(node: ir.AnyRow) -> str:
    """Return a name for the lambda parameter that is not the name of a column used in the lambda."""
    roots = {str(path[0]).lower() for path in ir.column_paths(node.predicate)} if node.key is not None else set()
    name = "r"
    while name in roots:
        name += "_"
    return name


def _test(test: str, negated: bool) -> Text:
    return (f"NOT {test}", _NOT) if negated else (test, _PRIMARY)


def _not(negated: bool) -> str:
    return " NOT" if negated else ""


def _value(node: ir.Value) -> Text:
    match node:
        case ir.Column(path=path):
            return quote_path(path), _PRIMARY
        case ir.Constant():
            return _constant(node)
        case ir.RowParameter(index=index):
            raise AssertionError(f"parameter {index} stands outside its list")
        case ir.Apply(function=function, arguments=arguments):
            return _apply(function, arguments, node.type)
        case ir.When(condition=condition, value=value):
            return f"CASE WHEN {emit_filter(condition)} THEN {_wide(value)} END", _PRIMARY
        case _:
            assert_never(node)


def _collation(tested: ir.Value) -> str:
    """Return the COLLATE clause for a test of ``tested``; empty if the test does not depend on the default collation.

    A string literal, a cast to STRING and the result of most functions that convert a value to text have the default
    collation of the view, schema or session in which the SQL is used. A selector compares texts by bytes. The layouts
    have already cast columns with another collation (``layouts.collations``).

    Callers write the clause after the constant, so that a column stays bare and Spark can push the comparison down to
    a file reader. Only ``rlike`` requires the clause after the tested value.
    """
    return "" if _has_collation(tested) else f" COLLATE {_BY_BYTES}"


def _has_collation(value: ir.Value) -> bool:
    """Return True if a test of ``value`` has the same result under every default collation of Spark.

    That is the case if ``value`` is not a text, or is computed from a column, whose own collation then applies. It is
    also the case for the name of a VARIANT's type, because these names do not differ only in case.
    """
    if value.type.kind is not SparkType.STRING or isinstance(value, ir.Column):
        return True
    match value:
        case ir.Apply(function=ir.Function.BY_BYTES | ir.Function.VARIANT_TYPE):
            return True
        case ir.Apply(function=function, arguments=arguments) if function not in _CASTS:
            return any(_is_text(argument) and _has_collation(argument) for argument in arguments)
        case ir.When(value=inner):
            return _has_collation(inner)
        case _:
            return False


def _is_text(value: ir.Value) -> bool:
    return value.type.kind in (SparkType.STRING, SparkType.CHAR, SparkType.VARCHAR)


@lru_cache(maxsize=256)
def _tests_texts(function: ir.Function) -> bool:
    """Return True if the SQL of ``function`` compares or searches its arguments."""
    return _TEXT_TEST.search(function.sql) is not None


def _wide(node: ir.Value) -> str:
    """Emit ``node`` with the suffix L if it is a BIGINT literal, so that Spark does not type it as INT."""
    text = _value(node)[0]
    return f"{text}L" if isinstance(node, ir.Constant) and node.type.kind is SparkType.BIGINT else text


def _constant(node: ir.Constant) -> Text:
    value, kind = node.value, node.type.kind
    match value:
        case bool():
            return ("true" if value else "false"), _PRIMARY
        case str():
            return quote_text(value), _PRIMARY
        case bytes():
            return f"X'{value.hex().upper()}'", _PRIMARY
        case float():
            return _floating(value, "F" if kind is SparkType.FLOAT else "D", kind)
        case int() if kind is SparkType.TIMESTAMP:
            return f"timestamp_millis({value // 1000})", _PRIMARY
        case int() if kind is SparkType.TIMESTAMP_NTZ:
            return wall_clock_literal(value), _PRIMARY
        case int() if kind is SparkType.DECIMAL:
            return decimal_literal(value, node.type.scale), _PRIMARY
        case int():
            return str(value), _PRIMARY
        case _:
            assert_never(value)


def _floating(value: float, suffix: str, kind: SparkType) -> Text:
    if math.isinf(value) or math.isnan(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"CAST('{word}' AS {kind.value})", _PRIMARY
    text = repr(value)
    return (text[:-2] if text.endswith(".0") else text) + suffix, _PRIMARY


#: SQL for the milliseconds of a TIMESTAMP_NTZ, computed from its components. Spark's other conversions use the
#: session's time zone, in which an hour is missing in spring, and overflow for distant times.
_WALL_CLOCK = (
    "unix_date(CAST({0} AS DATE)) * 86400000L + hour({0}) * 3600000 + minute({0}) * 60000"
    " + CAST(floor(extract(SECOND FROM {0}) * 1000) AS BIGINT)"
)


def _choice(cases: Sequence[ir.When]) -> str:
    """Emit a CASE expression for ``cases``, whose conditions all test the type of the same VARIANT."""
    tests = [ir.type_test(case.condition) for case in cases]
    if all(test is not None and not test.is_prefix and len(test.names) == 1 for test in tests):
        names = [(test.type_name, quote_text(name)) for test in tests if test is not None for name in test.names]
        whens = [f"WHEN {name} THEN {_wide(case.value)}" for (_, name), case in zip(names, cases, strict=True)]
        return f"CASE {_value(names[0][0])[0]} {' '.join(whens)} END"
    return f"CASE {' '.join(f'WHEN {emit_filter(case.condition)} THEN {_wide(case.value)}' for case in cases)} END"


class _Argument:
    """An argument of a function. Its SQL is cached, because format strings with several fields need it repeatedly."""

    __slots__ = ("_text", "_value")

    def __init__(self, value: ir.Value, is_tested: bool = False) -> None:
        self._value, self._text = value, _value(value)
        if is_tested and not _has_collation(value):
            self._text = f"{_within(self._text, _PRIMARY)} COLLATE {_BY_BYTES}", _PRODUCT

    def __format__(self, spec: str) -> str:
        if spec:
            return _within(self._text, _FORMATS[spec])
        return _wide(self._value) if isinstance(self._value, ir.Constant) else _within(self._text, _PRIMARY)


_FORMATS = {"bare": _OR, "sum": _SUM}


def _apply(function: ir.Function, arguments: tuple[ir.Value, ...], value_type: ColumnType) -> Text:
    if function.sql:
        # To Spark, ``timestamp`` is the type that ``spark.sql.timestampType`` selects.
        kind = "TIMESTAMP_LTZ" if value_type.kind is SparkType.TIMESTAMP else str(value_type)
        is_tested = _tests_texts(function)
        texts = [_Argument(argument, is_tested) for argument in arguments]
        return function.sql.format(*texts, type=kind, lower_type=kind.lower()), _PRIMARY
    if function in _SYMBOLS or function is ir.Function.DIVIDE:
        left, right = arguments
        return _calculate(function, left, right, value_type)
    if function is ir.Function.FIRST:
        arguments = _widened_by_spark(arguments)
        cases = [argument for argument in arguments if isinstance(argument, ir.When)]
        if len(cases) == len(arguments) and ir.are_exclusive([ir.type_test(case.condition) for case in cases]):
            return _choice(cases), _PRIMARY
        return f"coalesce({', '.join(_wide(argument) for argument in arguments)})", _PRIMARY
    first = arguments[0]
    text = _value(first)
    match function:
        case ir.Function.MILLISECONDS if first.type.kind is SparkType.TIMESTAMP_NTZ:
            return _WALL_CLOCK.format(_within(text, _PRIMARY)), _SUM
        case ir.Function.MILLISECONDS:
            return f"unix_millis({text[0]})", _PRIMARY
        case ir.Function.MOMENT if isinstance(first, ir.Constant):
            offset = int(first.value)
            added = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
            return f"timestamp_millis({ir.Function.NOW.sql}{added})", _PRIMARY
        case ir.Function.UNTIL:
            return f"{_within(text, _SUM)} - {_within(_value(arguments[1]), _PRODUCT)}", _SUM
        case ir.Function.BY_BYTES:
            return f"{_within(text, _PRIMARY)} COLLATE {_BY_BYTES}", _PRODUCT
        case ir.Function.NEGATE if value_type.kind is SparkType.DOUBLE:
            return f"- {_within(text, _PRIMARY)}", _PRODUCT
        case ir.Function.NEGATE:
            return f"try_subtract(0, {text[0]})", _PRIMARY
        case _:
            # Imported in the function to save start-up time: few stores keep values in AMQP's encoding.
            from transpiler.compiler.sql.encoded_bytes import TEXTS

            return TEXTS[function].format(_Argument(first)), _PRIMARY


def _widened_by_spark(arguments: tuple[ir.Value, ...]) -> tuple[ir.Value, ...]:
    """Return the arguments of a COALESCE without casts of integers to DOUBLE, if another argument is a DOUBLE.

    Spark itself converts all arguments to their widest type.
    """
    plain = tuple(map(_without_widening, arguments))
    return plain if any(argument.type == DOUBLE for argument in plain) else arguments


def _without_widening(value: ir.Value) -> ir.Value:
    match value:
        case ir.When(condition=condition, value=inner):
            return ir.When(condition, _without_widening(inner))
        case ir.Apply(function=ir.Function.TO_DOUBLE, arguments=(inner,)) if inner.type == BIGINT:
            return inner
        case _:
            return value


_SYMBOLS = {ir.Function.ADD: ("+", _SUM), ir.Function.SUBTRACT: ("-", _SUM), ir.Function.MULTIPLY: ("*", _PRODUCT)}
_CHECKED = {
    ir.Function.ADD: "try_add",
    ir.Function.SUBTRACT: "try_subtract",
    ir.Function.MULTIPLY: "try_multiply",
}
_REORDERED = (ir.Function.ADD, ir.Function.MULTIPLY)


def _calculate(function: ir.Function, left: ir.Value, right: ir.Value, value_type: ColumnType) -> Text:
    first, second = _value(left), _value(right)
    if value_type.kind is SparkType.DOUBLE:
        if function is ir.Function.DIVIDE:
            return _divide_doubles(first, second, right)
        symbol, level = _SYMBOLS[function]
        return f"{_within(first, level)} {symbol} {_within(second, level + 1)}", level
    if function is ir.Function.DIVIDE:
        return _divide_integers(first, second, right)
    operands = (_kept_apart(first[0], left, right, function), _kept_apart(second[0], right, left, function))
    return f"{_CHECKED[function]}({', '.join(operands)})", _PRIMARY


def _kept_apart(text: str, value: ir.Value, other: ir.Value, function: ir.Function) -> str:
    """Return ``text``, an operand of a sum or product, so that Spark's optimizer does not merge it with its neighbours.

    Spark's rule ``ReorderAssociativeOperator`` moves the constants of nested sums to the end and adds them first, which
    can cause or avoid an overflow. The bitwise operation ``| 0`` around an inner sum stops the rule.
    """
    if function not in _REORDERED or not _is_call(value, function):
        return text
    moved = any(isinstance(argument, ir.Constant) for argument in _arguments(value))
    return f"{text} | 0" if moved or (isinstance(other, ir.Constant) and not _from_left(value, function)) else text


def _is_call(value: ir.Value, function: ir.Function) -> bool:
    return isinstance(value, ir.Apply) and value.function is function


def _arguments(value: ir.Value) -> tuple[ir.Value, ...]:
    return value.arguments if isinstance(value, ir.Apply) else ()


def _from_left(value: ir.Value, function: ir.Function) -> bool:
    """Return True if a chain of ``function`` is left-associative, so that the optimizer does not change its order."""
    while _is_call(value, function):
        value, right = _arguments(value)
        if _is_call(right, function):
            return False
    return True


def _divide_integers(first: Text, second: Text, divisor: ir.Value) -> Text:
    # In ANSI mode, Spark's ``div`` raises an error for a zero divisor, and for the smallest long divided by -1. If the
    # divisor is another constant, ``div`` is safe.
    plain = f"{_within(first, _PRODUCT)} div "
    if isinstance(divisor, ir.Constant) and divisor.value not in (0, -1):
        return plain + second[0], _PRODUCT
    if isinstance(divisor, ir.Constant):
        return (f"try_subtract(0, {first[0]})", _PRIMARY) if divisor.value == -1 else ("CAST(NULL AS BIGINT)", _PRIMARY)
    negative = f"try_subtract(0, {first[0]})"
    quotient = f"{plain}{_within(second, _PRIMARY)}"
    return f"CASE {_within(second, _SUM)} WHEN -1 THEN {negative} WHEN 0 THEN NULL ELSE {quotient} END", _PRIMARY


def _divide_doubles(first: Text, second: Text, divisor: ir.Value) -> Text:
    # Spark's ``/`` raises an error or returns NULL for a zero divisor, but a selector requires the infinity or NaN of
    # IEEE 754. So division by zero is written as a multiplication by infinity.
    dividend, by = _within(first, _PRODUCT), _within(second, _PRIMARY)
    if isinstance(divisor, ir.Constant):
        if divisor.value != 0:
            return f"{dividend} / {by}", _PRODUCT
        infinity = math.copysign(math.inf, float(divisor.value))
        return f"{dividend} * {_floating(infinity, 'D', SparkType.DOUBLE)[0]}", _PRODUCT
    whole = (
        isinstance(divisor, ir.Apply)
        and divisor.function is ir.Function.TO_DOUBLE
        and ir.type_class(divisor.arguments[0].type) is TypeClass.INTEGER
    )
    if not whole:
        return ir.Function.DIVIDE_IEEE.sql.format(_within(first, _PRIMARY), by), _PRIMARY
    # An integer divisor cannot be -0.0, so a division by zero is the dividend times positive infinity.
    by_zero = f"CASE WHEN {by} = 0D THEN CAST('Infinity' AS DOUBLE) END"
    return f"coalesce(try_divide({first[0]}, {by}), {dividend} * {by_zero})", _PRIMARY
