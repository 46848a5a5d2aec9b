"""The operations on values: for each one record, with its meaning, its SQL and the facts that rewrites need.

None of the SQL fails on any row, with ANSI mode on or off: additions that could overflow are done in DECIMAL or with
the ``try_`` functions, casts that could fail are ``try_cast``.
"""

from __future__ import annotations

import re

from transpiler.base.identity_enum import IdentityEnum
from transpiler.message import ids
from transpiler.message.header_fields import FIRST_NEGATIVE, FOLD


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


def _read_number(kind: str) -> str:
    """Return SQL for the number of a floating point type that Java's ``valueOf`` reads in a text."""
    digits = f"regexp_replace({_TRIMMED}, '(?s)[fFdD]{_END}', '')"
    return f"CASE WHEN rlike({_TRIMMED}, '{_NUMBER}') THEN try_cast({digits} AS {kind}) END"


_UNSIGNED_TEXT = f"CAST(CASE WHEN {{0:bare}} < 0 THEN {{0:bare}} + {2**64}BD ELSE {{0:bare}} END AS STRING)"
_UUID_TEXT = "lower(regexp_replace(hex({0:bare}), '(.{{8}})(.{{4}})(.{{4}})(.{{4}})', '$1-$2-$3-$4-'))"
_ESCAPED = f"WHEN {{0:bare}} RLIKE '^({'|'.join(ids.ESCAPED)})' THEN concat('{ids.STRING}', {{0:bare}})"


class Function(IdentityEnum):
    """The operations on values; each says its own type.

    ``sql`` has a place for each argument, by its number: ``{0:sum}`` is the text of an argument in parentheses where it
    binds looser than a sum, ``{0:bare}`` never is, and of ``{0}`` a constant has its own type. It is empty where the
    emitter writes the text by the types of the arguments. ``keeps_null`` says that the value is NULL where the first
    argument is, and nowhere else. ``mentions`` tells how often the text has each argument, at most.
    """

    sql: str
    keeps_null: bool
    mentions: tuple[int, ...]

    def __new__(
        cls, title: str, sql: str = "", keeps_null: bool = False, mentions: tuple[int, ...] | None = None
    ) -> Function:
        """Make a member, whose value is its title."""
        member = object.__new__(cls)
        member._value_ = title
        member.sql, member.keeps_null = sql, keeps_null
        places = re.findall(r"(?<!{){([0-9])", sql)
        member.mentions = mentions or tuple(places.count(place) for place in sorted(set(places)))
        return member

    #: Number to double, as Java widens it.
    TO_DOUBLE = "to double", "CAST({0:bare} AS DOUBLE)", True
    #: Integer of any width to 64 bits.
    TO_LONG = "to long", "CAST({0:bare} AS BIGINT)", True
    #: Whole milliseconds since the epoch of a TIMESTAMP, or of a TIMESTAMP_NTZ read as UTC.
    MILLISECONDS = "milliseconds", "", True, (4,)
    #: A string of any collation, compared by its bytes.
    BY_BYTES = "by bytes", "", True
    #: A CHAR column without the spaces that pad it.
    UNPADDED = "unpadded", "rtrim({0:bare})", True
    #: A text without the dots at its end.
    WITHOUT_TRAILING_DOTS = "without trailing dots", "rtrim('.', {0:bare})"
    NEGATE = "negate"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide", "", False, (2, 2)
    #: The given number of characters from the beginning, or from the end, of a string.
    LEFT = "left", "left({0:bare}, {1:bare})"
    RIGHT = "right", "right({0:bare}, {1:bare})"
    #: True if a string contains another one, or a match of a regular expression of Java, either known by its row only.
    CONTAINS = "contains", "contains({0}, {1})"
    MATCHES = "matches", "rlike({0}, {1})"
    #: The bits that two integers have in common.
    COMMON_BITS = "common bits", "({0} & {1})"
    #: The text of bytes in UTF-8; NULL where they are none.
    DECODED = "decoded", "regexp_replace(try_validate_utf8(CAST({0:bare} AS STRING)), CAST(X'5EEFBBBF' AS STRING), '')"
    #: The first argument that is not NULL.
    FIRST = "first"
    #: Bytes as the UTF-8 text that they are; what is not UTF-8 becomes U+FFFD.
    TEXT = "text", "make_valid_utf8(CAST({0:bare} AS STRING))", True
    #: The first argument, or the second where the first is above it.
    AT_MOST = "at most", "if({0:sum} > {1:bare}, {1:bare}, {0:bare})", True
    #: An integer plus one.
    NEXT = "next", "try_add({0:bare}, 1)", True
    #: An unsigned number of 32 bits as the signed one with the same bits.
    FOLDED = "folded", f"if({{0:sum}} >= {FIRST_NEGATIVE}, {{0:sum}} - {FOLD}, {{0:bare}})", True
    #: A content type without its parameters, in lower case.
    MEDIA_TYPE = "media type", "lower(trim(substring_index({0:bare}, ';', 1)))"
    #: The address of an AMQP 0-10 exchange and routing key.
    ADDRESS = (
        "address",
        (
            "CASE WHEN {0:sum} <> '' AND {1:sum} <> '' THEN concat({0:sum}, '/', {1:sum})"
            " WHEN {0:sum} <> '' THEN {0:sum} WHEN {1:sum} <> '' THEN {1:sum} END"
        ),
    )
    #: A message id or correlation id as JMS text: see ``message.ids``.
    STRING_MESSAGE_ID = (
        "string message id",
        (
            f"CASE {_ESCAPED} WHEN startswith({{0:bare}}, '{ids.PREFIX}') THEN {{0:bare}}"
            f" ELSE concat('{ids.NO_PREFIX}', {{0:bare}}) END"
        ),
        True,
    )
    STRING_CORRELATION_ID = "string correlation id", f"CASE {_ESCAPED} ELSE {{0:bare}} END", True
    ULONG_ID = "ulong id", f"concat('{ids.ULONG}', {_UNSIGNED_TEXT})", True
    UUID_ID = "uuid id", f"concat('{ids.UUID_}', {_UUID_TEXT})", True
    BINARY_ID = "binary id", f"concat('{ids.BINARY}', hex({{0:bare}}))", True
    #: An id as Artemis reads it: see ``ids.prefixed_text``.
    PREFIXED_STRING = (
        "prefixed string",
        f"CASE WHEN startswith({{0:bare}}, '{ids.PREFIX}') THEN {{0:bare}} ELSE concat('{ids.PREFIX}', {{0:bare}}) END",
        True,
    )
    PREFIXED_ULONG = "prefixed ulong", f"concat('{ids.PREFIX}', {_UNSIGNED_TEXT})", True
    PREFIXED_UUID = "prefixed uuid", f"concat('{ids.PREFIX}', {_UUID_TEXT})", True
    PREFIXED_BINARY = (
        "prefixed binary",
        (
            f"concat(if(startswith({{0:bare}}, X'{ids.PREFIX.encode().hex().upper()}'), '', '{ids.PREFIX}'),"
            " array_join(transform(regexp_extract_all(hex({0:bare}), '..', 0),"
            " b -> if(b BETWEEN '20' AND '7E' AND b <> '5C',"
            " CAST(unhex(b) AS STRING), concat(CAST(X'5C78' AS STRING), lower(b)))), ''))"
        ),
        True,
    )
    #: Number to the nearest 32-bit floating point number, kept as a double.
    # The product keeps Spark from taking the two casts for one to DOUBLE.
    TO_FLOAT = "to float", "CAST(CAST({0} AS FLOAT) * 1F AS DOUBLE)"
    #: Integer to DECIMAL(38, 0).
    TO_DECIMAL = "to decimal", "CAST({0} AS DECIMAL(38,0))", True
    #: A double without a fraction to DECIMAL(38, 0), exactly.
    EXACT_DECIMAL = "exact decimal", _EXACT
    #: Integer arithmetic in 32 bits, which wraps.
    ADD_INT = "add int", f"({_wrapped_int('try_add({0}, {1})')})"
    SUBTRACT_INT = "subtract int", f"({_wrapped_int('try_subtract({0}, {1})')})"
    MULTIPLY_INT = "multiply int", f"({_wrapped_int('try_multiply({0}, {1})')})"
    #: Integer arithmetic in 64 bits, which wraps.
    ADD_LONG = "add long", _wrapped_long("+")
    SUBTRACT_LONG = "subtract long", _wrapped_long("-")
    MULTIPLY_LONG = "multiply long", _wrapped_long("*")
    #: Integer arithmetic in 38 decimal digits; NULL beyond.
    ADD_BIG = "add big", _big("try_add")
    SUBTRACT_BIG = "subtract big", _big("try_subtract")
    MULTIPLY_BIG = "multiply big", _big("try_multiply")
    #: The remainder, with the sign of the dividend; NULL for integers by zero, NaN for doubles by zero.
    REMAINDER_BIG = "remainder big", _big("try_mod")
    REMAINDER_DOUBLE = "remainder double", "coalesce(try_mod({0}, {1}), {0} * {1} * CAST('NaN' AS DOUBLE))"
    #: Division of doubles by IEEE 754, and with NULL by zero.
    DIVIDE_IEEE = (
        "divide by IEEE 754",
        (
            "coalesce(try_divide({0}, {1}), {0} * CASE CAST({1} AS STRING)"
            " WHEN '0.0' THEN CAST('Infinity' AS DOUBLE) WHEN '-0.0' THEN CAST('-Infinity' AS DOUBLE) END)"
        ),
    )
    TRY_DIVIDE = "try divide", "try_divide({0}, {1})"
    #: A double, NULL where it is NaN.
    NUMBER_OR_NULL = "number or NULL", "nanvl({0:bare}, NULL)"
    #: A double, NULL where it is infinite.
    # A CASE would repeat the number, and so a chain of five operations its first operand sixteen times.
    FINITE = (
        "finite",
        ("get(array_remove(array_remove(array({0}), CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE)), 0)"),
    )
    #: A string's UTF-16 units, big-endian.
    UTF16 = "utf-16", "encode({0}, 'UTF-16BE')"
    #: A string's bytes, each as a character.
    OCTETS = "octets", "decode(CAST({0} AS BINARY), 'ISO-8859-1')"
    #: Bytes as the text that they are in UTF-8.
    TEXT_OF_BYTES = "text of bytes", "CAST({0} AS STRING)", True
    #: Bytes as a value in AMQP's encoding: NULL where they are none of that type.
    ENCODED_BOOLEAN = "encoded boolean", "", False, (1,)
    ENCODED_INTEGER = "encoded integer", "", False, (1,)
    ENCODED_TIME = "encoded time", "", False, (1,)
    ENCODED_DOUBLE = "encoded double", "", False, (1,)
    ENCODED_STRING = "encoded string", "", False, (1,)
    ENCODED_BINARY = "encoded binary", "", False, (1,)
    ENCODED_UUID = "encoded uuid", "", False, (1,)
    ENCODED_OTHER = "encoded other", "", False, (1,)
    #: The text of bytes that are no value in that encoding; and the same, or the string that they are in it.
    PLAIN_OF_ENCODED = "plain of encoded", "", False, (1,)
    TEXT_OF_ENCODED = "text of encoded", "", False, (1,)
    #: The bytes behind hexadecimal digits.
    UNHEX = "unhex", "unhex({0})"
    #: True if a string is UTF-8.
    VALID = "valid", "is_valid_utf8({0})"
    #: Sixteen bytes as a uuid in hexadecimal digits.
    TEXT_OF_UUID = "text of a uuid", _UUID_TEXT, True
    #: A value as text, as Java writes it; and a double that stands for a float, as the float's text.
    JAVA_TEXT = "java text", "CAST({0} AS STRING)"
    TEXT_OF_FLOAT = "text of a float", "CAST(CAST({0} AS FLOAT) AS STRING)"
    CONCATENATE = "concatenate", "concat({0}, {1})"
    #: The number of the first code point.
    CODE_POINT = "code point", "CAST(ascii({0}) AS BIGINT)"
    #: A string up to its first NUL.
    BEFORE_NUL = "before nul", "substring_index({0}, CAST(X'00' AS STRING), 1)"
    #: An integer or a double out of a string, as Java's valueOf reads it; NULL where it is none.
    READ_LONG = "read long", f"CASE WHEN rlike({{0}}, '(?s)^[+-]?[0-9]+{_END}') THEN try_cast({{0}} AS BIGINT) END"
    READ_DOUBLE = "read double", _read_number("DOUBLE")
    #: Likewise a 32-bit floating point number, kept as a double, which is not rounded by way of another double.
    READ_FLOAT = "read float", f"CAST({_read_number('FLOAT')} AS DOUBLE)"
    #: A string in lower case.
    LOWER = "lower", "lower({0})"
    #: All matches of a regular expression replaced.
    REPLACE = "replace", "regexp_replace({0}, {1}, {2})"
    #: The time of the query or micro-batch, in milliseconds since the epoch.
    NOW = "now", "unix_millis(current_timestamp())"
    #: The timestamp a given number of milliseconds after ``NOW``.
    MOMENT = "moment"
    #: The sum of a time in milliseconds and a duration in milliseconds, a uint.
    LATER = "later", "try_add({0}, {1})", True
    #: The difference of two times, whose integers are so small that it does not overflow.
    UNTIL = "until"
    #: A text in the type of the node, as Spark's try_cast reads it; NULL where it is none.
    TRY_CAST = "try cast", "try_cast({0:bare} AS {type})"
    #: An integer, or a double, out of a text that is known to be a number of JMS; NULL for an integer beyond 64 bits.
    NUMBER_IN_TEXT = "number in text", "try_cast({0:bare} AS {type})"
    #: A text with a blank for each narrow no-break space, U+202F.
    BLANKS_WIDENED = "blanks widened", "replace({0}, CAST(X'E280AF' AS STRING), ' ')"
    #: A text without blanks around it.
    TRIMMED = "trimmed", "trim({0})"
    #: A point in time out of a text in ISO 8601 with a time zone; NULL where it is none. The type is written as that of
    #: a time with a zone, because ``TIMESTAMP`` means another one under some ``spark.sql.timestampType``.
    ISO_TIME = "ISO time", "try_cast({0:bare} AS TIMESTAMP_LTZ)"
    #: A point in time out of a text, by a pattern with a time zone, and a text to add for a zone that it lacks.
    READ_TIME = "read time", "try_to_timestamp({0:bare}, {1:bare})"
    #: The point in time at which clocks in a zone show what they show at a given one in UTC.
    TIME_IN_ZONE = "time in zone", "to_utc_timestamp({0:bare}, {1:bare})"
    #: The milliseconds of a column that is a TIMESTAMP or a number of them, which only the engine can tell.
    MILLISECONDS_OF_ANY = (
        "milliseconds of any",
        ("if(typeof({0}) = 'timestamp', unix_millis(CAST({0} AS TIMESTAMP_LTZ)), try_cast({0} AS BIGINT))"),
    )
    #: Bytes out of base64; NULL where it is none.
    FROM_BASE64 = "from base64", "try_to_binary({0}, 'base64')"
    #: JSON text as a VARIANT; NULL where it is none.
    PARSE_JSON = "parse JSON", "try_parse_json({0})"
    #: The value of a VARIANT at a path, in the type of the node, and the name of its type.
    VARIANT_GET = "variant get", "try_variant_get({0:bare}, {1:bare}, '{kind}')"
    VARIANT_TYPE = "variant type", "schema_of_variant({0})"
    #: The text whose bytes, in UTF-8, are the signed or unsigned integers of an array. With 256 added, every byte,
    #: signed or not, has three hexadecimal digits of which the last two are its own.
    # Beside 256 every byte, signed or not, has three hexadecimal digits of which the last two are its own.
    TEXT_OF_OCTETS = (
        "text of octets",
        ("CAST(unhex(array_join(transform({0}, b -> substr(hex((b & 255) | 256), 2)), '')) AS STRING)"),
    )
    #: A double whose sign shows, zero included: its text.
    SIGNED_TEXT = "signed text", "CAST({0} AS STRING)"
