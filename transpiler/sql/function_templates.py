"""The SQL of functions that only some brokers need, as text with places for the arguments.

None of it fails on any row, with ANSI mode on or off: additions that could overflow are done in DECIMAL or with the
``try_`` functions, casts that could fail are ``try_cast``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler import ir


def _wrapped_int(calculation: str) -> str:
    """Return SQL for the low 32 bits, and their sign."""
    return f"((({calculation}) & 4294967295L) ^ 2147483648L) - 2147483648L"


def _wrapped_long(operator: str) -> str:
    """Return SQL for 64 bits in two's complement, through a DECIMAL, which holds the product of two longs."""
    calculation = f"CAST({{0}} AS DECIMAL(19,0)) {operator} CAST({{1}} AS DECIMAL(19,0))"
    modulus = "18446744073709551616BD"
    return f"CAST(pmod({calculation} + 9223372036854775808BD, {modulus}) - 9223372036854775808BD AS BIGINT)"


def _big(function: str) -> str:
    return f"{function}(CAST({{0}} AS DECIMAL(38,0)), CAST({{1}} AS DECIMAL(38,0)))"


_HEX = "lower(hex({0}))"
_EXACT = (
    "(CAST(try_cast({0} / 9223372036854775808D AS BIGINT) AS DECIMAL(38,0)) * 9223372036854775808BD"
    " + CAST(try_cast(try_mod({0}, 9223372036854775808D) AS BIGINT) AS DECIMAL(38,0)))"
)
#: A text as Java's ``String.trim`` leaves it, which ``Double.valueOf`` reads.
_TRIMMED = f"btrim({{0}}, CAST(X'{bytes(range(0x21)).hex().upper()}' AS STRING))"
#: Java's $ would match before a line end, too.
_END = "(?!.)"
_NUMBER = rf"(?s)^[+-]?(NaN|Infinity|([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?[fFdD]?){_END}"

TEMPLATES: Mapping[ir.Function, str] = MappingProxyType(
    {
        # The product keeps Spark from taking the two casts for one to DOUBLE.
        ir.Function.TO_FLOAT: "CAST(CAST({0} AS FLOAT) * 1F AS DOUBLE)",
        ir.Function.TO_DECIMAL: "CAST({0} AS DECIMAL(38,0))",
        ir.Function.EXACT_DECIMAL: _EXACT,
        ir.Function.ADD_INT: f"({_wrapped_int('try_add({0}, {1})')})",
        ir.Function.SUBTRACT_INT: f"({_wrapped_int('try_subtract({0}, {1})')})",
        ir.Function.MULTIPLY_INT: f"({_wrapped_int('try_multiply({0}, {1})')})",
        ir.Function.ADD_LONG: _wrapped_long("+"),
        ir.Function.SUBTRACT_LONG: _wrapped_long("-"),
        ir.Function.MULTIPLY_LONG: _wrapped_long("*"),
        ir.Function.ADD_BIG: _big("try_add"),
        ir.Function.SUBTRACT_BIG: _big("try_subtract"),
        ir.Function.MULTIPLY_BIG: _big("try_multiply"),
        ir.Function.REMAINDER_BIG: _big("try_mod"),
        ir.Function.REMAINDER_DOUBLE: "coalesce(try_mod({0}, {1}), {0} * {1} * CAST('NaN' AS DOUBLE))",
        ir.Function.DIVIDE_IEEE: (
            "coalesce(try_divide({0}, {1}), {0} * CASE CAST({1} AS STRING)"
            " WHEN '0.0' THEN CAST('Infinity' AS DOUBLE) WHEN '-0.0' THEN CAST('-Infinity' AS DOUBLE) END)"
        ),
        ir.Function.TRY_DIVIDE: "try_divide({0}, {1})",
        # A CASE would repeat the number, and so a chain of five operations its first operand sixteen times.
        ir.Function.FINITE: (
            "get(array_remove(array_remove(array({0}), CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE)), 0)"
        ),
        ir.Function.UTF16: "encode({0}, 'UTF-16BE')",
        ir.Function.OCTETS: "decode(CAST({0} AS BINARY), 'ISO-8859-1')",
        ir.Function.TEXT_OF_BYTES: "CAST({0} AS STRING)",
        ir.Function.VALID: "is_valid_utf8({0})",
        ir.Function.CONTAINS: "contains({0}, {1})",
        ir.Function.MATCHES: "rlike({0}, {1})",
        ir.Function.COMMON_BITS: "({0} & {1})",
        ir.Function.TEXT_OF_UUID: (
            f"concat_ws('-', substr({_HEX}, 1, 8), substr({_HEX}, 9, 4), substr({_HEX}, 13, 4),"
            f" substr({_HEX}, 17, 4), substr({_HEX}, 21, 12))"
        ),
        ir.Function.UNHEX: "unhex({0})",
        ir.Function.JAVA_TEXT: "CAST({0} AS STRING)",
        ir.Function.TEXT_OF_FLOAT: "CAST(CAST({0} AS FLOAT) AS STRING)",
        ir.Function.SIGNED_TEXT: "CAST({0} AS STRING)",
        ir.Function.CONCATENATE: "concat({0}, {1})",
        ir.Function.CODE_POINT: "CAST(ascii({0}) AS BIGINT)",
        ir.Function.BEFORE_NUL: "substring_index({0}, CAST(X'00' AS STRING), 1)",
        ir.Function.READ_LONG: f"CASE WHEN rlike({{0}}, '(?s)^[+-]?[0-9]+{_END}') THEN try_cast({{0}} AS BIGINT) END",
        ir.Function.READ_DOUBLE: (
            f"CASE WHEN rlike({_TRIMMED}, '{_NUMBER}')"
            f" THEN try_cast(regexp_replace({_TRIMMED}, '(?s)[fFdD]{_END}', '') AS DOUBLE) END"
        ),
        ir.Function.LOWER: "lower({0})",
        ir.Function.REPLACE: "regexp_replace({0}, {1}, {2})",
        ir.Function.NOW: "unix_millis(current_timestamp())",
        ir.Function.LATER: "try_add({0}, {1})",
        ir.Function.MILLISECONDS_OF_ANY: (
            "if(typeof({0}) = 'timestamp', unix_millis(CAST({0} AS TIMESTAMP)), try_cast({0} AS BIGINT))"
        ),
        ir.Function.BLANKS_WIDENED: "replace({0}, CAST(X'E280AF' AS STRING), ' ')",
        ir.Function.TRIMMED: "trim({0})",
        ir.Function.FROM_BASE64: "try_to_binary({0}, 'base64')",
        ir.Function.PARSE_JSON: "try_parse_json({0})",
        ir.Function.VARIANT_TYPE: "schema_of_variant({0})",
        # Beside 256 every byte, signed or not, has three hexadecimal digits of which the last two are its own.
        ir.Function.TEXT_OF_OCTETS: (
            "CAST(unhex(array_join(transform({0}, b -> substr(hex((b & 255) | 256), 2)), '')) AS STRING)"
        ),
    }
)
