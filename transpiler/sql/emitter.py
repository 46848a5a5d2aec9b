"""The emitter: a predicate as Spark SQL text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import assert_never

from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    FALSE,
    TRUE,
    Among,
    And,
    Apply,
    Block,
    Cell,
    Column,
    Compare,
    Constant,
    FirstKnown,
    Flag,
    In,
    IsNan,
    IsNull,
    Like,
    Listed,
    Matches,
    NotTrue,
    Or,
    Predicate,
    Topic,
    Truth,
    Value,
    When,
    XPath,
    type_class,
)
from transpiler.ir.traversal import opposite, paths
from transpiler.layouts.columns import ColumnType, Kind
from transpiler.message import ids
from transpiler.message.fields import FIRST_NEGATIVE, FOLD
from transpiler.message.types import TypeClass
from transpiler.spark_plan.constant_tables import bound
from transpiler.spark_plan.range_buckets import chunks
from transpiler.sql.constant_arrays import chunks_text, map_text, rows_text
from transpiler.sql.function_templates import TEMPLATES
from transpiler.sql.patterns import like_text, topic_text
from transpiler.sql.precedence import LEVELS, Text
from transpiler.sql.quoting import decimal_literal, quote_path, quote_text, wall_clock_literal
from transpiler.sql.xml import xpath_text

_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _PRIMARY = LEVELS

_Text = Text


def emit_filter(predicate: Predicate) -> str:
    """TRUE where the predicate holds, FALSE or NULL elsewhere."""
    return _predicate(predicate)[0]


def emit_value(value: Value) -> str:
    """The value as an operand of any operator."""
    return _within(_value(value), _PRIMARY)


def emit_boolean(predicate: Predicate) -> str:
    """TRUE where the predicate holds, FALSE elsewhere."""
    if never_null(predicate):
        return emit_filter(predicate)
    return f"{_within(_predicate(predicate), _PRIMARY)} IS TRUE"


def emit_ternary(when_true: Predicate, when_false: Predicate) -> str:
    """TRUE where the first predicate holds, FALSE where the second does, NULL elsewhere."""
    if when_true == TRUE or (when_false == TRUE and when_true == FALSE):
        return emit_filter(when_true)
    if opposite(when_true) == when_false:
        # Spark's own three values are then exactly JMS's.
        return emit_filter(when_true)
    if when_true == FALSE and when_false == FALSE:
        return "CAST(NULL AS BOOLEAN)"
    cases = [
        f"WHEN {emit_filter(predicate)} THEN {truth}"
        for predicate, truth in ((when_true, "true"), (when_false, "false"))
        if predicate != FALSE
    ]
    return f"CASE {' '.join(cases)} END"


def emit_choice(choices: Sequence[tuple[Predicate, str]], otherwise: str | None) -> str:
    """The text beside the first predicate that holds, else another one, or NULL."""
    cases = "".join(
        f"WHEN {emit_filter(predicate)} THEN {quote_text(text)} " for predicate, text in choices if predicate != FALSE
    )
    last = "CAST(NULL AS STRING)" if otherwise is None else quote_text(otherwise)
    return f"CASE {cases}ELSE {last} END" if cases else last


def never_null(predicate: Predicate) -> bool:
    """Whether the emitted text is TRUE or FALSE in every row."""
    match predicate:
        case Truth() | IsNull() | IsNan() | NotTrue():
            return True
        case And(terms=terms) | Or(terms=terms):
            return all(never_null(term) for term in terms)
        case _:
            return False


def _within(text: _Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _predicate(node: Predicate) -> _Text:
    # The most frequent nodes come first.
    match node:
        case Compare(operator=operator, left=left, right=right):
            return f"{_within(_value(left), _SUM)} {operator.value} {_within(_value(right), _SUM)}", _TEST
        case And(terms=terms):
            return " AND ".join(_within(_predicate(term), _NOT) for term in terms), _AND
        case Or(terms=terms):
            return " OR ".join(_within(_predicate(term), _AND) for term in terms), _OR
        case FirstKnown(tests=tests, otherwise=otherwise):
            known = (*tests, otherwise) if otherwise != FALSE else tests
            return f"coalesce({', '.join(map(emit_filter, known))})", _PRIMARY
        case IsNull(value=value, negated=negated):
            return f"{_within(_value(value), _SUM)} IS{_not(negated)} NULL", _TEST
        case IsNan(value=value, negated=negated):
            test = f"isnan({_value(value)[0]})"
            return (f"NOT {test}", _NOT) if negated else (test, _PRIMARY)
        case Flag(value=value, negated=False):
            return _value(value)
        case Flag(value=value):
            return f"NOT {_within(_value(value), _TEST)}", _NOT
        case Truth(value=value):
            return ("true" if value else "false"), _PRIMARY
        case In(value=value, members=members, negated=negated):
            listed = ", ".join(_constant(member)[0] for member in members)
            return f"{_within(_value(value), _SUM)}{_not(negated)} IN ({listed})", _TEST
        case Among(value=value, array=array):
            return f"array_contains({quote_path(array)}, {_wide(value)})", _PRIMARY
        case Like(value=value, pattern=pattern, negated=negated):
            return like_text(_value(value)[0], _within(_value(value), _SUM), pattern, negated)
        case Topic(value=value, pattern=pattern, negated=negated):
            return topic_text(_value(value)[0], pattern, negated)
        case XPath(value=value, test=test, negated=negated):
            return _test(xpath_text(_value(value)[0], test), negated)
        case Matches(value=value, expression=expression, negated=negated):
            return _test(f"rlike({_value(value)[0]}, {quote_text(expression)})", negated)
        case Listed():
            return _listed(node), _PRIMARY
        case Block(predicate=predicate):
            # What Spark meets twice it computes once, in a method of its own.
            text = emit_filter(predicate)
            return f"coalesce({text}, {text})", _PRIMARY
        case NotTrue(predicate=predicate):
            return f"{_within(_predicate(predicate), _PRIMARY)} IS NOT TRUE", _TEST
        case _:
            assert_never(node)


def _listed(node: Listed) -> str:
    """An array of the rows, or a map of the key's values to theirs, in which ``exists`` looks for one that fits."""
    row = _free_name(node)
    outer, inner = bound(node, row)
    if node.key is None:
        columns = ", ".join(f"{_wide(value)} AS v{place}" for place, value in enumerate(outer))
        fits = f"{row} -> {emit_filter(inner)}"
        groups = chunks(node)
        if groups:
            inside = f"exists(array(g.b), {fits}) AND exists(g.l, {fits})"
            test = f"exists({chunks_text(groups, _wide)}, g -> {inside})"
        else:
            test = f"exists({rows_text(node.rows, _wide)}, {fits})"
        return f"exists(array(struct({columns})), m -> {test})"
    return f"exists({map_text(node.rows, _wide)}[{_wide(node.key)}], {row} -> {emit_filter(inner)})"


def _free_name(node: Listed) -> str:
    """A name for a row that hides no column inside the lambda."""
    roots = {str(path[0]).lower() for path in paths(node.predicate)} if node.key is not None else set()
    name = "r"
    while name in roots:
        name += "_"
    return name


def _test(test: str, negated: bool) -> _Text:
    return (f"NOT {test}", _NOT) if negated else (test, _PRIMARY)


def _not(negated: bool) -> str:
    return " NOT" if negated else ""


def _value(node: Value) -> _Text:
    match node:
        case Column(path=path):
            return quote_path(path), _PRIMARY
        case Constant():
            return _constant(node)
        case Cell(place=place):
            raise AssertionError(f"cell {place} stands outside its list")
        case Apply(function=function, arguments=arguments):
            return _apply(function, arguments, node.type)
        case When(condition=condition, value=value):
            return f"CASE WHEN {emit_filter(condition)} THEN {_wide(value)} END", _PRIMARY
        case _:
            assert_never(node)


def _alone(node: Value) -> str:
    return _within(_value(node), _PRIMARY)


def _wide(node: Value) -> str:
    """A value whose own SQL type counts: a small integer literal alone would make it 32 bits wide."""
    text = _value(node)[0]
    return f"{text}L" if isinstance(node, Constant) and node.type.kind is Kind.BIGINT else text


def _constant(node: Constant) -> _Text:
    value, kind = node.value, node.type.kind
    match value:
        case bool():
            return ("true" if value else "false"), _PRIMARY
        case str():
            return quote_text(value), _PRIMARY
        case bytes():
            return f"X'{value.hex().upper()}'", _PRIMARY
        case float():
            return _floating(value, "F" if kind is Kind.FLOAT else "D", kind)
        case int() if kind is Kind.TIMESTAMP:
            return f"timestamp_millis({value // 1000})", _PRIMARY
        case int() if kind is Kind.TIMESTAMP_NTZ:
            return wall_clock_literal(value), _PRIMARY
        case int() if kind is Kind.DECIMAL:
            return decimal_literal(value, node.type.scale), _PRIMARY
        case int():
            return str(value), _PRIMARY
        case _:
            assert_never(value)


def _floating(value: float, suffix: str, kind: Kind) -> _Text:
    if math.isinf(value) or math.isnan(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"CAST('{word}' AS {kind.value})", _PRIMARY
    text = repr(value)
    return (text[:-2] if text.endswith(".0") else text) + suffix, _PRIMARY


#: The mark that bytes of text may begin with; it is no part of the text.
_BYTE_ORDER_MARK = "^\ufeff"

#: A wall clock's milliseconds from its parts: all else that Spark has goes through the session's time zone, where an
#: hour of the spring is missing, and what is far away overflows.
_WALL_CLOCK = (
    "unix_date(CAST({0} AS DATE)) * 86400000L + hour({0}) * 3600000 + minute({0}) * 60000"
    " + CAST(floor(extract(SECOND FROM {0}) * 1000) AS BIGINT)"
)


def _apply(function: Function, arguments: tuple[Value, ...], value_type: ColumnType) -> _Text:
    template = TEMPLATES.get(function)
    if template is not None:
        texts = (_wide(argument) if isinstance(argument, Constant) else _alone(argument) for argument in arguments)
        return template.format(*texts), _PRIMARY
    if function in _SYMBOLS or function is Function.DIVIDE:
        left, right = arguments
        return _calculate(function, left, right, value_type)
    if function is Function.FIRST:
        return f"coalesce({', '.join(_wide(argument) for argument in arguments)})", _PRIMARY
    # An argument is written once: in a chain of sums each is inside of the next.
    first = arguments[0]
    text = _value(first)
    match function:
        case Function.TO_DOUBLE:
            return f"CAST({text[0]} AS DOUBLE)", _PRIMARY
        case Function.CUT_OFF:
            return f"try_cast({text[0]} AS BIGINT)", _PRIMARY
        case Function.TO_LONG:
            return f"CAST({text[0]} AS BIGINT)", _PRIMARY
        case Function.MILLISECONDS if first.type.kind is Kind.TIMESTAMP_NTZ:
            return _WALL_CLOCK.format(_within(text, _PRIMARY)), _SUM
        case Function.MILLISECONDS:
            return f"unix_millis({text[0]})", _PRIMARY
        case Function.MOMENT if isinstance(first, Constant):
            offset = int(first.value)
            added = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
            return f"timestamp_millis({TEMPLATES[Function.NOW]}{added})", _PRIMARY
        case Function.UNTIL:
            return f"{_within(text, _SUM)} - {_within(_value(arguments[1]), _PRODUCT)}", _SUM
        case Function.BY_BYTES:
            return f"{_within(text, _PRIMARY)} COLLATE UTF8_BINARY", _PRODUCT
        case Function.WITHOUT_TRAILING_DOTS:
            return f"rtrim('.', {text[0]})", _PRIMARY
        case Function.UNPADDED:
            return f"rtrim({text[0]})", _PRIMARY
        case Function.LEFT | Function.RIGHT:
            return f"{function.value}({text[0]}, {_value(arguments[1])[0]})", _PRIMARY
        case Function.DECODED:
            decoded = f"try_validate_utf8(CAST({text[0]} AS STRING))"
            return f"regexp_replace({decoded}, {quote_text(_BYTE_ORDER_MARK)}, '')", _PRIMARY
        case Function.TEXT:
            return f"make_valid_utf8(CAST({text[0]} AS STRING))", _PRIMARY
        case Function.AT_MOST:
            most = _value(arguments[1])[0]
            return f"if({_within(text, _SUM)} > {most}, {most}, {text[0]})", _PRIMARY
        case Function.NEXT:
            return f"try_add({text[0]}, 1)", _PRIMARY
        case Function.FOLDED:
            inner = _within(text, _SUM)
            return f"if({inner} >= {FIRST_NEGATIVE}, {inner} - {FOLD}, {text[0]})", _PRIMARY
        case Function.MEDIA_TYPE:
            return f"lower(trim(substring_index({text[0]}, ';', 1)))", _PRIMARY
        case Function.ADDRESS:
            node, key = (_within(_value(argument), _SUM) for argument in arguments)
            both = f"WHEN {node} <> '' AND {key} <> '' THEN concat({node}, '/', {key})"
            return f"CASE {both} WHEN {node} <> '' THEN {node} WHEN {key} <> '' THEN {key} END", _PRIMARY
        case (
            Function.STRING_MESSAGE_ID
            | Function.STRING_CORRELATION_ID
            | Function.ULONG_ID
            | Function.UUID_ID
            | Function.BINARY_ID
        ):
            return _id_text(function, text[0]), _PRIMARY
        case Function.NEGATE if value_type.kind is Kind.DOUBLE:
            return f"- {_within(text, _PRIMARY)}", _PRODUCT
        case Function.NEGATE:
            return f"try_subtract(0, {text[0]})", _PRIMARY
        case _:
            raise AssertionError(f"{function} has no text")


_ESCAPED_ID = "^(" + "|".join(ids.ESCAPED) + ")"


def _id_text(function: Function, inner: str) -> str:
    """A message id of one type as JMS text: the same that ``message.ids`` writes."""
    match function:
        case Function.ULONG_ID:
            unsigned = f"CASE WHEN {inner} < 0 THEN {inner} + {2**64}BD ELSE {inner} END"
            return f"concat('{ids.ULONG}', CAST({unsigned} AS STRING))"
        case Function.BINARY_ID:
            return f"concat('{ids.BINARY}', hex({inner}))"
        case Function.UUID_ID:
            groups = "'(.{8})(.{4})(.{4})(.{4})', '$1-$2-$3-$4-'"
            return f"concat('{ids.UUID_}', lower(regexp_replace(hex({inner}), {groups})))"
        case _:
            escaped = f"CASE WHEN {inner} RLIKE '{_ESCAPED_ID}' THEN concat('{ids.STRING}', {inner})"
            if function is Function.STRING_CORRELATION_ID:
                return f"{escaped} ELSE {inner} END"
            prefixed = f"startswith({inner}, '{ids.PREFIX}')"
            return f"{escaped} WHEN {prefixed} THEN {inner} ELSE concat('{ids.NO_PREFIX}', {inner}) END"


_SYMBOLS = {Function.ADD: ("+", _SUM), Function.SUBTRACT: ("-", _SUM), Function.MULTIPLY: ("*", _PRODUCT)}
_CHECKED = {
    Function.ADD: "try_add",
    Function.SUBTRACT: "try_subtract",
    Function.MULTIPLY: "try_multiply",
}


def _calculate(function: Function, left: Value, right: Value, value_type: ColumnType) -> _Text:
    first, second = _value(left), _value(right)
    if value_type.kind is Kind.DOUBLE:
        if function is Function.DIVIDE:
            return _divide_doubles(first, second, right)
        symbol, level = _SYMBOLS[function]
        return f"{_within(first, level)} {symbol} {_within(second, level + 1)}", level
    if function is Function.DIVIDE:
        return _divide_integers(first, second, right)
    return f"{_CHECKED[function]}({first[0]}, {second[0]})", _PRIMARY


def _divide_integers(first: _Text, second: _Text, divisor: Value) -> _Text:
    # Under ANSI, Spark fails for a zero divisor and for the least long by -1.
    plain = f"{_within(first, _PRODUCT)} div "
    if isinstance(divisor, Constant) and divisor.value not in (0, -1):
        return plain + second[0], _PRODUCT
    if isinstance(divisor, Constant):
        return (f"try_subtract(0, {first[0]})", _PRIMARY) if divisor.value == -1 else ("CAST(NULL AS BIGINT)", _PRIMARY)
    negative = f"try_subtract(0, {first[0]})"
    quotient = f"{plain}{_within(second, _PRIMARY)}"
    return f"CASE {_within(second, _SUM)} WHEN -1 THEN {negative} WHEN 0 THEN NULL ELSE {quotient} END", _PRIMARY


def _divide_doubles(first: _Text, second: _Text, divisor: Value) -> _Text:
    # IEEE 754 division by a zero of either sign, where Spark fails or gives NULL.
    dividend, by = _within(first, _PRODUCT), _within(second, _PRIMARY)
    if isinstance(divisor, Constant):
        if divisor.value != 0:
            return f"{dividend} / {by}", _PRODUCT
        infinity = math.copysign(math.inf, float(divisor.value))
        return f"{dividend} * {_floating(infinity, 'D', Kind.DOUBLE)[0]}", _PRODUCT
    whole = (
        isinstance(divisor, Apply)
        and divisor.function is Function.TO_DOUBLE
        and type_class(divisor.arguments[0].type) is TypeClass.INTEGER
    )
    if not whole:
        return TEMPLATES[Function.DIVIDE_IEEE].format(_within(first, _PRIMARY), by), _PRIMARY
    # An integer is no negative zero.
    by_zero = f"CASE WHEN {by} = 0D THEN CAST('Infinity' AS DOUBLE) END"
    return f"coalesce(try_divide({first[0]}, {by}), {dividend} * {by_zero})", _PRIMARY
