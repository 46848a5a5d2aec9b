"""The operations on values: for each operation its meaning, its SQL and the facts that rewrites need.

The SQL never fails on any row, with ANSI mode on or off: arithmetic that could overflow uses DECIMAL or the ``try_``
functions, and casts that could fail are ``try_cast``.
"""

from __future__ import annotations

import re

from transpiler.base.identity_enum import IdentityEnum
from transpiler.message import ids
from transpiler.message.header_fields import FIRST_NEGATIVE, FOLD


def _wrapped_int(calculation: str) -> str:
    """Return SQL for the low 32 bits of a 64-bit integer, whose SQL is ``calculation``, as a signed integer."""
    return f"((({calculation}) & 4294967295L) ^ 2147483648L) - 2147483648L"


def _wrapped_long(operator: str) -> str:
    """Return SQL for ``operator`` on two 64-bit integers, whose result wraps around on overflow as in Java.

    The SQL calculates with DECIMAL, which can hold the product of two 64-bit integers.
    """
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
#: SQL for the text that Java's ``String.trim`` returns; ``Double.valueOf`` trims its argument in the same way.
_TRIMMED = f"btrim({{0}}, CAST(X'{bytes(range(0x21)).hex().upper()}' AS STRING))"
#: The end of the text in a Java regular expression. Java's $ would also match before a newline at the end.
_END = "(?!.)"
_NUMBER = rf"(?s)^[+-]?(NaN|Infinity|([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?[fFdD]?){_END}"


def _read_number(kind: str) -> str:
    """Return SQL that converts text to the floating-point type ``kind`` as Java's ``valueOf`` does."""
    digits = f"regexp_replace({_TRIMMED}, '(?s)[fFdD]{_END}', '')"
    return f"CASE WHEN rlike({_TRIMMED}, '{_NUMBER}') THEN try_cast({digits} AS {kind}) END"


_UNSIGNED_TEXT = f"CAST(CASE WHEN {{0:bare}} < 0 THEN {{0:bare}} + {2**64}BD ELSE {{0:bare}} END AS STRING)"
_UUID_TEXT = "lower(regexp_replace(hex({0:bare}), '(.{{8}})(.{{4}})(.{{4}})(.{{4}})', '$1-$2-$3-$4-'))"
_ESCAPED = f"WHEN {{0:bare}} RLIKE '^({'|'.join(ids.ESCAPED)})' THEN concat('{ids.STRING}', {{0:bare}})"


class Function(IdentityEnum):
    """The operations on values.

    ``sql`` is a format string: ``{0}`` is the SQL of the first argument, in parentheses unless it is a primary
    expression. ``{0:sum}`` adds parentheses only around operators that bind looser than ``+``, ``{0:bare}`` never.
    An empty ``sql`` means that the emitter chooses the SQL by the types of the arguments.

    ``keeps_null`` is True if the result is NULL in exactly the rows in which the first argument is NULL.
    ``mentions`` contains, for each argument, how often the SQL contains it at most.
    """

    sql: str
    keeps_null: bool
    mentions: tuple[int, ...]

    def __new__(
        cls, title: str, sql: str = "", keeps_null: bool = False, mentions: tuple[int, ...] | None = None
    ) -> Function:
        """Make a member of the enumeration whose value is ``title``."""
        member = object.__new__(cls)
        member._value_ = title
        member.sql, member.keeps_null = sql, keeps_null
        indexes = re.findall(r"(?<!{){([0-9])", sql)
        member.mentions = mentions or tuple(indexes.count(index) for index in sorted(set(indexes)))
        return member

    #: Converts a number to a double, as Java widens it.
    TO_DOUBLE = "to double", "CAST({0:bare} AS DOUBLE)", True
    #: Converts an integer of any width to 64 bits.
    TO_LONG = "to long", "CAST({0:bare} AS BIGINT)", True
    #: Converts a TIMESTAMP, or a TIMESTAMP_NTZ that is interpreted as UTC, to whole milliseconds since the epoch.
    MILLISECONDS = "milliseconds", "", True, (4,)
    #: Makes a string of any collation compare by its bytes.
    BY_BYTES = "by bytes", "", True
    #: Removes the padding spaces of a CHAR column.
    UNPADDED = "unpadded", "rtrim({0:bare})", True
    #: Removes the dots at the end of a text.
    WITHOUT_TRAILING_DOTS = "without trailing dots", "rtrim('.', {0:bare})"
    NEGATE = "negate"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide", "", False, (2, 2)
    #: ``LEFT``: the first characters of a string; ``RIGHT``: its last characters. The second argument is their number.
    LEFT = "left", "left({0:bare}, {1:bare})"
    RIGHT = "right", "right({0:bare}, {1:bare})"
    #: ``CONTAINS``: TRUE if a string contains the second argument. ``MATCHES``: TRUE if a string contains a match of
    #: the Java regular expression in the second argument, which (unlike that of the node ``Matches``) can differ by
    #: row.
    CONTAINS = "contains", "contains({0}, {1})"
    MATCHES = "matches", "rlike({0}, {1})"
    #: The bitwise AND of two integers.
    COMMON_BITS = "common bits", "({0} & {1})"
    #: The text of UTF-8 bytes without a byte order mark; NULL if the bytes are not UTF-8.
    DECODED = "decoded", "regexp_replace(try_validate_utf8(CAST({0:bare} AS STRING)), CAST(X'5EEFBBBF' AS STRING), '')"
    #: The first argument that is not NULL (SQL's COALESCE).
    FIRST = "first"
    #: The text of UTF-8 bytes, in which bytes that are not UTF-8 become U+FFFD.
    TEXT = "text", "make_valid_utf8(CAST({0:bare} AS STRING))", True
    #: The first argument, or the second argument if the first is greater.
    AT_MOST = "at most", "if({0:sum} > {1:bare}, {1:bare}, {0:bare})", True
    #: The integer plus one.
    NEXT = "next", "try_add({0:bare}, 1)", True
    #: Converts an unsigned 32-bit number to the signed 32-bit number with the same bits (two's complement).
    FOLDED = "folded", f"if({{0:sum}} >= {FIRST_NEGATIVE}, {{0:sum}} - {FOLD}, {{0:bare}})", True
    #: The content type without its parameters, in lower case.
    MEDIA_TYPE = "media type", "lower(trim(substring_index({0:bare}, ';', 1)))"
    #: The address for an AMQP 0-10 exchange and routing key: EXCHANGE/KEY, or the only one of them that is set.
    ADDRESS = (
        "address",
        (
            "CASE WHEN {0:sum} <> '' AND {1:sum} <> '' THEN concat({0:sum}, '/', {1:sum})"
            " WHEN {0:sum} <> '' THEN {0:sum} WHEN {1:sum} <> '' THEN {1:sum} END"
        ),
    )
    #: The text that JMS uses for an AMQP message ID or correlation ID, such as ``ID:AMQP_ULONG:5`` (``message.ids``).
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
    #: The text that Artemis uses for a message ID: ``ID:`` and the ID, unless the ID begins with ``ID:`` itself.
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
    #: Rounds a number to the nearest 32-bit floating-point number, represented as a double. Without the multiplication
    #: by 1, Spark would merge the two casts into one cast to DOUBLE.
    TO_FLOAT = "to float", "CAST(CAST({0} AS FLOAT) * 1F AS DOUBLE)"
    #: Converts an integer to DECIMAL(38, 0).
    TO_DECIMAL = "to decimal", "CAST({0} AS DECIMAL(38,0))", True
    #: Converts a double without a fraction to DECIMAL(38, 0), exactly.
    EXACT_DECIMAL = "exact decimal", _EXACT
    #: 32-bit integer arithmetic that wraps around on overflow, as in Java.
    ADD_INT = "add int", f"({_wrapped_int('try_add({0}, {1})')})"
    SUBTRACT_INT = "subtract int", f"({_wrapped_int('try_subtract({0}, {1})')})"
    MULTIPLY_INT = "multiply int", f"({_wrapped_int('try_multiply({0}, {1})')})"
    #: 64-bit integer arithmetic that wraps around on overflow, as in Java.
    ADD_LONG = "add long", _wrapped_long("+")
    SUBTRACT_LONG = "subtract long", _wrapped_long("-")
    MULTIPLY_LONG = "multiply long", _wrapped_long("*")
    #: Integer arithmetic with up to 38 decimal digits; NULL if the result has more.
    ADD_BIG = "add big", _big("try_add")
    SUBTRACT_BIG = "subtract big", _big("try_subtract")
    MULTIPLY_BIG = "multiply big", _big("try_multiply")
    #: The remainder, with the sign of the dividend. A zero divisor yields NULL for integers and NaN for doubles.
    REMAINDER_BIG = "remainder big", _big("try_mod")
    REMAINDER_DOUBLE = "remainder double", "coalesce(try_mod({0}, {1}), {0} * {1} * CAST('NaN' AS DOUBLE))"
    #: Division of doubles. A zero divisor yields an infinity or NaN in ``DIVIDE_IEEE``, and NULL in ``TRY_DIVIDE``.
    DIVIDE_IEEE = (
        "divide by IEEE 754",
        (
            "coalesce(try_divide({0}, {1}), {0} * CASE CAST({1} AS STRING)"
            " WHEN '0.0' THEN CAST('Infinity' AS DOUBLE) WHEN '-0.0' THEN CAST('-Infinity' AS DOUBLE) END)"
        ),
    )
    TRY_DIVIDE = "try divide", "try_divide({0}, {1})"
    #: The double, or NULL if it is NaN.
    NUMBER_OR_NULL = "number or NULL", "nanvl({0:bare}, NULL)"
    #: The double, or NULL if it is infinite. A CASE would contain its argument twice, so that the SQL of nested
    #: arithmetic would grow exponentially. The array functions contain it once.
    FINITE = (
        "finite",
        ("get(array_remove(array_remove(array({0}), CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE)), 0)"),
    )
    #: The UTF-16 code units of a string, as big-endian bytes.
    UTF16 = "utf-16", "encode({0}, 'UTF-16BE')"
    #: A string that has one character for each byte of the given string.
    OCTETS = "octets", "decode(CAST({0} AS BINARY), 'ISO-8859-1')"
    #: The text of UTF-8 bytes.
    TEXT_OF_BYTES = "text of bytes", "CAST({0} AS STRING)", True
    #: Decode a BINARY that contains one value in AMQP's encoding. The result is NULL if the encoded value has another
    #: type than the function's name says. ``ENCODED_OTHER`` is for all AMQP types without a function of their own.
    ENCODED_BOOLEAN = "encoded boolean", "", False, (1,)
    ENCODED_INTEGER = "encoded integer", "", False, (1,)
    ENCODED_TIME = "encoded time", "", False, (1,)
    ENCODED_DOUBLE = "encoded double", "", False, (1,)
    ENCODED_STRING = "encoded string", "", False, (1,)
    ENCODED_BINARY = "encoded binary", "", False, (1,)
    ENCODED_UUID = "encoded uuid", "", False, (1,)
    ENCODED_OTHER = "encoded other", "", False, (1,)
    #: ``PLAIN_OF_ENCODED``: the bytes as text; NULL if they are a value in AMQP's encoding. ``TEXT_OF_ENCODED``: the
    #: same, but if the bytes are an encoded string, the result is that string.
    PLAIN_OF_ENCODED = "plain of encoded", "", False, (1,)
    TEXT_OF_ENCODED = "text of encoded", "", False, (1,)
    #: The bytes that hexadecimal digits represent.
    UNHEX = "unhex", "unhex({0})"
    #: TRUE if the bytes of a string are valid UTF-8.
    VALID = "valid", "is_valid_utf8({0})"
    #: The text of a UUID that is stored as sixteen bytes.
    TEXT_OF_UUID = "text of a uuid", _UUID_TEXT, True
    #: ``JAVA_TEXT``: the text of a value, as Java writes it. ``TEXT_OF_FLOAT``: the text of a float that is represented
    #: as a double.
    JAVA_TEXT = "java text", "CAST({0} AS STRING)"
    TEXT_OF_FLOAT = "text of a float", "CAST(CAST({0} AS FLOAT) AS STRING)"
    CONCATENATE = "concatenate", "concat({0}, {1})"
    #: The number of the first code point of a string.
    CODE_POINT = "code point", "CAST(ascii({0}) AS BIGINT)"
    #: The part of a string before its first NUL character.
    BEFORE_NUL = "before nul", "substring_index({0}, CAST(X'00' AS STRING), 1)"
    #: Convert a string to a 64-bit integer (``READ_LONG``) or a double (``READ_DOUBLE``), as Java's valueOf does; NULL
    #: if the string is not such a number.
    READ_LONG = "read long", f"CASE WHEN rlike({{0}}, '(?s)^[+-]?[0-9]+{_END}') THEN try_cast({{0}} AS BIGINT) END"
    READ_DOUBLE = "read double", _read_number("DOUBLE")
    #: Converts a string to a 32-bit floating-point number, represented as a double, without rounding to a double first.
    READ_FLOAT = "read float", f"CAST({_read_number('FLOAT')} AS DOUBLE)"
    #: The string in lower case.
    LOWER = "lower", "lower({0})"
    #: The string with all matches of a regular expression replaced.
    REPLACE = "replace", "regexp_replace({0}, {1}, {2})"
    #: The time of the query or micro-batch, in milliseconds since the epoch.
    NOW = "now", "unix_millis(current_timestamp())"
    #: The TIMESTAMP that is the given number of milliseconds after ``NOW``.
    MOMENT = "moment"
    #: The sum of a time and a duration, both in milliseconds; the duration is a uint.
    LATER = "later", "try_add({0}, {1})", True
    #: The difference of two times in milliseconds. It never overflows, because times are far smaller than 64 bits.
    UNTIL = "until"
    #: Converts text to the type of the node with Spark's try_cast; NULL if it cannot be converted.
    TRY_CAST = "try cast", "try_cast({0:bare} AS {type})"
    #: Converts text that is known to be a JMS number to an integer or a double; NULL for an integer beyond 64 bits.
    NUMBER_IN_TEXT = "number in text", "try_cast({0:bare} AS {type})"
    #: The text with a space in place of each narrow no-break space, U+202F.
    BLANKS_WIDENED = "blanks widened", "replace({0}, CAST(X'E280AF' AS STRING), ' ')"
    #: The text without spaces around it.
    TRIMMED = "trimmed", "trim({0})"
    #: Converts ISO 8601 text with a time zone to a TIMESTAMP; NULL if it is not a time. The SQL says ``TIMESTAMP_LTZ``,
    #: because the setting ``spark.sql.timestampType`` can change ``TIMESTAMP`` to a type without a time zone.
    ISO_TIME = "ISO time", "try_cast({0:bare} AS TIMESTAMP_LTZ)"
    #: Converts text to a TIMESTAMP by a date-time pattern that includes a time zone. Other text is an error.
    READ_TIME = "read time", "to_timestamp_ltz({0:bare}, {1:bare})"
    #: The same, or NULL if the text does not fit. The setting ``spark.sql.timestampType`` selects the type of the
    #: result, and a result without a time zone loses the zone in the text. So only a test for NULL may use the result.
    TRY_READ_TIME = "try read time", "try_to_timestamp({0:bare}, {1:bare})"
    #: Corrects a TIMESTAMP whose local time was parsed as if it were UTC, by the time zone in the second argument.
    TIME_IN_ZONE = "time in zone", "to_utc_timestamp({0:bare}, {1:bare})"
    #: The milliseconds in a column that is a TIMESTAMP or a number of milliseconds: only Spark knows the column's type.
    MILLISECONDS_OF_ANY = (
        "milliseconds of any",
        ("if(typeof({0}) = 'timestamp', unix_millis(CAST({0} AS TIMESTAMP_LTZ)), try_cast({0} AS BIGINT))"),
    )
    #: Decodes base64 to bytes; NULL if the text is not base64.
    FROM_BASE64 = "from base64", "try_to_binary({0}, 'base64')"
    #: Parses JSON text to a VARIANT; NULL if it is not valid JSON.
    PARSE_JSON = "parse JSON", "try_parse_json({0})"
    #: ``VARIANT_AT``: the value at a path in a VARIANT, as a VARIANT. ``VARIANT_TYPE``: the name of a VARIANT's type.
    VARIANT_AT = "variant at", "variant_get({0:bare}, {1:bare})"
    #: ``VARIANT_GET``: the value at a path in a VARIANT, cast to the type of the IR node; NULL if the cast fails.
    #: ``CAST_VARIANT``: likewise, a whole VARIANT. Spark moves ``try_variant_get`` into the scan of the file. There it
    #: can skip row groups by a comparison of strings. But it also reads a number from every string there, before the
    #: type is tested, and each string that is not a number costs an exception. So only strings and header fields are
    #: read by ``VARIANT_GET``.
    VARIANT_GET = "variant get", "try_variant_get({0:bare}, {1:bare}, '{lower_type}')"
    CAST_VARIANT = "cast variant", "try_cast({0:bare} AS {type})"
    VARIANT_TYPE = "variant type", "schema_of_variant({0})"
    #: The text whose UTF-8 bytes are the elements of an array of integers, signed or unsigned. ``| 256`` gives each
    #: element three hexadecimal digits, so that the last two digits are always the byte with its leading zero.
    TEXT_OF_OCTETS = (
        "text of octets",
        ("CAST(unhex(array_join(transform({0}, b -> substr(hex((b & 255) | 256), 2)), '')) AS STRING)"),
    )
    #: The text of a double, in which -0.0 keeps its sign.
    SIGNED_TEXT = "signed text", "CAST({0} AS STRING)"
