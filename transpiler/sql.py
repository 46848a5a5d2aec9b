"""The emitter, and the only place that quotes.

The text means the same under every setting of Spark's parser: no backslash, no double quote and no ``${``
ever reaches it, and whatever is not plain printable text is written as its bytes in hexadecimal.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import assert_never

from transpiler.layouts.columns import ColumnType, Key, Kind, Path
from transpiler.message.types import TypeClass
from transpiler.predicate.core import (
    FALSE,
    TRUE,
    And,
    Apply,
    Column,
    Compare,
    Constant,
    Flag,
    Function,
    In,
    IsNan,
    IsNull,
    Like,
    Matches,
    NotTrue,
    Or,
    Predicate,
    Truth,
    Value,
    When,
    XPath,
    type_class,
)
from transpiler.selector.ast import Comparison
from transpiler.selector.pattern import Pattern, Wildcard
from transpiler.templates import TEMPLATES

#: How tightly each form of text binds, loosest first; parentheses follow from this order alone.
_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _PRIMARY = range(7)

_Text = tuple[str, int]

#: Words that Spark reads as something else than a name, under its default or its ANSI keywords.
_RESERVED = frozenset(
    """all and any array as authorization between both by call case cast check collate collation collations
    column constraint create cross current_catalog current_database current_date current_path
    current_schema current_time current_timestamp current_user date distinct div else end escape except
    execute exists false fetch filter for foreign from full grant group having if in inner intersect
    interval into is join lateral leading left like localtime localtimestamp map minus natural not now
    null offset on only or order outer overlaps primary recursive references right rlike row select semi
    session_user some sql struct table then time timestamp timestamp_ltz timestamp_ntz to trailing true
    union unique unknown user using values variant when where with within""".split()
)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def emit_filter(predicate: Predicate) -> str:
    """TRUE where the predicate holds, FALSE or NULL elsewhere."""
    return _predicate(predicate)[0]


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


def never_null(predicate: Predicate) -> bool:
    """Whether the emitted text is TRUE or FALSE in every row."""
    match predicate:
        case Truth() | IsNull() | IsNan() | NotTrue():
            return True
        case And(terms=terms) | Or(terms=terms):
            return all(never_null(term) for term in terms)
        case _:
            return False


def opposite(predicate: Predicate) -> Predicate | None:
    """The predicate that SQL's NOT would give, NULL where this one is NULL; None where that is not plain."""
    match predicate:
        case Compare(operator=operator, left=left, right=right):
            return Compare(operator.negated, left, right)
        case Flag(value=value, negated=negated):
            return Flag(value, not negated)
        case In(value=value, members=members, negated=negated):
            return In(value, members, not negated)
        case Like(pattern=(Wildcard.ANY,)):
            # Its text says whether there is a string, and is never NULL.
            return None
        case Like(value=value, pattern=pattern, negated=negated):
            return Like(value, pattern, not negated)
        case IsNull(value=value, negated=negated):
            return IsNull(value, not negated)
        case Truth(value=value):
            return Truth(not value)
        case And(terms=terms) | Or(terms=terms):
            turned = [opposite(term) for term in terms]
            kept = tuple(term for term in turned if term is not None)
            if len(kept) < len(terms):
                return None
            return Or(kept) if isinstance(predicate, And) else And(kept)
        case _:
            return None


def quote_text(text: str) -> str:
    """A string literal that no setting of the parser can read in another way."""
    plain = text.isprintable() and "'" not in text and "\\" not in text and "${" not in text and '"' not in text
    return f"'{text}'" if plain else f"CAST(X'{text.encode().hex().upper()}' AS STRING)"


def quote_name(name: str) -> str:
    """A name of a column or a field, in backticks where it is not a plain word."""
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def _within(text: _Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _predicate(node: Predicate) -> _Text:
    match node:
        case Truth(value=value):
            return ("true" if value else "false"), _PRIMARY
        case Compare(operator=operator, left=left, right=right):
            return f"{_within(_value(left), _SUM)} {operator.value} {_within(_value(right), _SUM)}", _TEST
        case In(value=value, members=members, negated=negated):
            listed = ", ".join(_constant(member)[0] for member in members)
            return f"{_within(_value(value), _SUM)}{_not(negated)} IN ({listed})", _TEST
        case Like(value=value, pattern=pattern, negated=negated):
            return _like(value, pattern, negated)
        case Matches(value=value, expression=expression, negated=negated):
            return _test(f"rlike({_value(value)[0]}, {quote_text(expression)})", negated)
        case XPath(value=value, expression=expression, negated=negated):
            return _test(f"xpath_boolean({_value(value)[0]}, {quote_text(expression)})", negated)
        case Flag(value=value, negated=False):
            return _value(value)
        case Flag(value=value):
            return f"NOT {_within(_value(value), _TEST)}", _NOT
        case IsNull(value=value, negated=negated):
            return f"{_within(_value(value), _SUM)} IS{_not(negated)} NULL", _TEST
        case IsNan(value=value, negated=negated):
            test = f"isnan({_value(value)[0]})"
            return (f"NOT {test}", _NOT) if negated else (test, _PRIMARY)
        case And(terms=terms):
            return " AND ".join(_within(_predicate(term), _NOT) for term in terms), _AND
        case Or(terms=terms):
            return " OR ".join(_within(_predicate(term), _AND) for term in terms), _OR
        case NotTrue(predicate=predicate):
            return f"{_within(_predicate(predicate), _PRIMARY)} IS NOT TRUE", _TEST
        case _:
            assert_never(node)


def _test(test: str, negated: bool) -> _Text:
    return (f"NOT {test}", _NOT) if negated else (test, _PRIMARY)


def _not(negated: bool) -> str:
    return " NOT" if negated else ""


def _value(node: Value) -> _Text:
    match node:
        case Column(path=path):
            return _path(path), _PRIMARY
        case Constant():
            return _constant(node)
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


def _path(path: Path) -> str:
    names = [step for step in path if isinstance(step, str)]
    if any("${" in name for name in names):
        # A name that variable substitution would touch goes in as bytes.
        spelled = ".".join("`" + name.replace("`", "``") + "`" for name in names)
        return f"IDENTIFIER({quote_text(spelled)})"
    text = ""
    for step in path:
        if isinstance(step, Key):
            text += f"[{quote_text(step.name)}]"
        else:
            text += f".{quote_name(step)}" if text else quote_name(step)
    return text


def _constant(node: Constant) -> _Text:
    value, kind = node.value, node.type.kind
    match value:
        case bool():
            return ("true" if value else "false"), _PRIMARY
        case str():
            return quote_text(value), _PRIMARY
        case float():
            return _floating(value, "F" if kind is Kind.FLOAT else "D", kind)
        case int() if kind is Kind.TIMESTAMP:
            return f"timestamp_millis({value // 1000})", _PRIMARY
        case int() if kind is Kind.TIMESTAMP_NTZ:
            return _wall_clock(value), _PRIMARY
        case int() if kind is Kind.DECIMAL:
            return _decimal(value, node.type.scale), _PRIMARY
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


def _decimal(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale > 0 else digits + "0" * -scale
    # The suffix keeps a whole number from being read as an integer, and a long one from overflowing.
    return ("-" if unscaled < 0 else "") + text + "BD"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _wall_clock(microseconds: int) -> str:
    try:
        moment = _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"timestampadd(MICROSECOND, {microseconds}, TIMESTAMP_NTZ'1970-01-01 00:00:00')"
    return f"TIMESTAMP_NTZ'{moment.replace(tzinfo=None).isoformat(' ')}'"


#: Far enough back that truncation, which timestampdiff does, rounds down; in milliseconds before the epoch.
_LONG_AGO, _LONG_AGO_MILLISECONDS = "TIMESTAMP_NTZ'-290000-01-01 00:00:00'", 9213683299200000


def _apply(function: Function, arguments: tuple[Value, ...], value_type: ColumnType) -> _Text:
    template = TEMPLATES.get(function)
    if template is not None:
        texts = (_wide(argument) if isinstance(argument, Constant) else _alone(argument) for argument in arguments)
        return template.format(*texts), _PRIMARY
    first = arguments[0]
    text = _value(first)
    match function:
        case Function.TO_DOUBLE:
            return f"CAST({text[0]} AS DOUBLE)", _PRIMARY
        case Function.TO_LONG:
            return f"CAST({text[0]} AS BIGINT)", _PRIMARY
        case Function.MILLISECONDS if first.type.kind is Kind.TIMESTAMP_NTZ:
            return (
                f"timestampdiff(MILLISECOND, {_LONG_AGO}, {text[0]}) - {_LONG_AGO_MILLISECONDS}",
                _SUM,
            )
        case Function.MILLISECONDS:
            return f"unix_millis({text[0]})", _PRIMARY
        case Function.BY_BYTES:
            return f"{_within(text, _PRIMARY)} COLLATE UTF8_BINARY", _PRODUCT
        case Function.UNPADDED:
            return f"rtrim({text[0]})", _PRIMARY
        case Function.FIRST:
            return f"coalesce({', '.join(_wide(argument) for argument in arguments)})", _PRIMARY
        case Function.NEGATE if value_type.kind is Kind.DOUBLE:
            return f"- {_within(text, _PRIMARY)}", _PRODUCT
        case Function.NEGATE:
            return f"try_subtract(0, {text[0]})", _PRIMARY
        case _:
            return _calculate(function, first, arguments[1], value_type)


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
    safe = f"{plain}nullif({second[0]}, 0)"
    negative = f"try_subtract(0, {first[0]})"
    return f"CASE WHEN {_within(second, _SUM)} = -1 THEN {negative} ELSE {safe} END", _PRIMARY


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
    negative_zero = f"WHEN CAST({by} AS STRING) = '-0.0' THEN {dividend} * CAST('-Infinity' AS DOUBLE) "
    return (
        f"CASE WHEN {by} <> 0D THEN {dividend} / {by} {'' if whole else negative_zero}"
        f"WHEN {by} = 0D THEN {dividend} * CAST('Infinity' AS DOUBLE) END",
        _PRIMARY,
    )


def _like(value: Value, pattern: Pattern, negated: bool) -> _Text:
    """A pattern as the cheapest test that says the same, one that a file reader knows where there is one."""
    text = _value(value)
    inner = text[0]
    match pattern:
        case () | (str(),):
            literal = quote_text(str(pattern[0]) if pattern else "")
            operator = Comparison.NE if negated else Comparison.EQ
            return f"{_within(text, _SUM)} {operator.value} {literal}", _TEST
        case (Wildcard.ANY,):
            if negated:
                return "false", _PRIMARY
            return f"{_within(text, _SUM)} IS NOT NULL", _TEST
        case (str() as prefix, Wildcard.ANY):
            test = f"startswith({inner}, {quote_text(prefix)})"
        case (Wildcard.ANY, str() as suffix):
            test = f"endswith({inner}, {quote_text(suffix)})"
        case (Wildcard.ANY, str() as middle, Wildcard.ANY):
            test = f"contains({inner}, {quote_text(middle)})"
        case _:
            return _long_pattern(inner, pattern, negated)
    return _test(test, negated)


def _long_pattern(inner: str, pattern: Pattern, negated: bool) -> _Text:
    ones = sum(part is Wildcard.ONE for part in pattern)
    anys = sum(part is Wildcard.ANY for part in pattern)
    if ones + anys == len(pattern):
        # Only wildcards: a length in code points.
        operator = Comparison.GE if anys else Comparison.EQ
        return f"length({inner}) {(operator.negated if negated else operator).value} {ones}", _TEST
    tests = []
    if isinstance(pattern[0], str):
        tests.append(f"startswith({inner}, {quote_text(pattern[0])})")
    match pattern:
        case (str() as prefix, Wildcard.ANY, str() as suffix):
            tests.append(f"endswith({inner}, {quote_text(suffix)})")
            tests.append(f"length({inner}) >= {len(prefix) + len(suffix)}")
        case _:
            tests.append(f"rlike({inner}, {quote_text(regular_expression(pattern))})")
    joined = " AND ".join(tests)
    if negated:
        return f"NOT {tests[0] if len(tests) == 1 else f'({joined})'}", _NOT
    return joined, _AND if len(tests) > 1 else _PRIMARY


def regular_expression(pattern: Pattern) -> str:
    """A pattern as a Java regular expression that never backtracks over what a ``%`` has passed.

    Each text between two ``%`` is found as early as possible, which is always right, in an atomic group of its
    own; the last one is looked for at the end.
    """
    segments: list[list[str | Wildcard]] = [[]]
    for part in pattern:
        if part is Wildcard.ANY:
            segments.append([])
        else:
            segments[-1].append(part)
    texts = ["".join("." if part is Wildcard.ONE else _escape(str(part)) for part in segment) for segment in segments]
    if len(texts) == 1:
        return f"(?s)^{texts[0]}(?!.)"
    middle = "".join(f"(?>.*?{text})" for text in texts[1:-1] if text)
    tail = f".*{texts[-1]}(?!.)" if texts[-1] else ""
    return f"(?s)^{texts[0]}{middle}{tail}"


def _escape(text: str) -> str:
    """Literal text in a regular expression, without a backslash where brackets do."""
    escaped = []
    for character in text:
        if character in ".*+?(){}|$#":
            escaped.append(f"[{character}]")
        elif character in "[]^\\&-~":
            escaped.append(f"\\{character}")
        else:
            escaped.append(character)
    return "".join(escaped)
