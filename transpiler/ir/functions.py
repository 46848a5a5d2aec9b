"""The operations on values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class Function(Enum):
    """The operations on values; each says its own type."""

    # There is one of each, and Enum's own hash is slow.
    __hash__ = object.__hash__

    #: Number to double, as Java widens it.
    TO_DOUBLE = "to double"
    #: Integer of any width to 64 bits.
    TO_LONG = "to long"
    #: Whole milliseconds since the epoch of a TIMESTAMP, or of a TIMESTAMP_NTZ read as UTC.
    MILLISECONDS = "milliseconds"
    #: A string of any collation, compared by its bytes.
    BY_BYTES = "by bytes"
    #: A CHAR column without the spaces that pad it.
    UNPADDED = "unpadded"
    #: A text without the dots at its end.
    WITHOUT_TRAILING_DOTS = "without trailing dots"
    NEGATE = "negate"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    #: So many characters from the beginning, or from the end, of a string.
    LEFT = "left"
    RIGHT = "right"
    #: Whether a string contains another one, or a match of a regular expression of Java, either known by its row only.
    CONTAINS = "contains"
    MATCHES = "matches"
    #: The bits that two integers have in common.
    COMMON_BITS = "common bits"
    #: The text of bytes in UTF-8; NULL where they are none.
    DECODED = "decoded"
    #: The first argument that is not NULL.
    FIRST = "first"
    #: Bytes as the UTF-8 text that they are; what is not UTF-8 becomes U+FFFD.
    TEXT = "text"
    #: The first argument, or the second where the first is above it.
    AT_MOST = "at most"
    #: An integer plus one.
    NEXT = "next"
    #: An unsigned number of 32 bits as the signed one with the same bits.
    FOLDED = "folded"
    #: A content type without its parameters, in lower case.
    MEDIA_TYPE = "media type"
    #: The address of an AMQP 0-10 exchange and routing key.
    ADDRESS = "address"
    #: A message id or correlation id as JMS text: see ``message.ids``.
    STRING_MESSAGE_ID = "string message id"
    STRING_CORRELATION_ID = "string correlation id"
    ULONG_ID = "ulong id"
    UUID_ID = "uuid id"
    BINARY_ID = "binary id"
    #: Number to the nearest 32-bit floating point number, kept as a double.
    TO_FLOAT = "to float"
    #: Integer to DECIMAL(38, 0).
    TO_DECIMAL = "to decimal"
    #: A double without a fraction to DECIMAL(38, 0), exactly.
    EXACT_DECIMAL = "exact decimal"
    #: Integer arithmetic in 32 bits, which wraps.
    ADD_INT = "add int"
    SUBTRACT_INT = "subtract int"
    MULTIPLY_INT = "multiply int"
    #: Integer arithmetic in 64 bits, which wraps.
    ADD_LONG = "add long"
    SUBTRACT_LONG = "subtract long"
    MULTIPLY_LONG = "multiply long"
    #: Integer arithmetic in 38 decimal digits; NULL beyond.
    ADD_BIG = "add big"
    SUBTRACT_BIG = "subtract big"
    MULTIPLY_BIG = "multiply big"
    #: The remainder, with the sign of the dividend; NULL for integers by zero, NaN for doubles by zero.
    REMAINDER_BIG = "remainder big"
    REMAINDER_DOUBLE = "remainder double"
    #: Division of doubles by IEEE 754, and with NULL by zero.
    DIVIDE_IEEE = "divide by IEEE 754"
    TRY_DIVIDE = "try divide"
    #: A double, NULL where it is infinite.
    FINITE = "finite"
    #: A string's UTF-16 units, big-endian.
    UTF16 = "utf-16"
    #: A string's bytes, each as a character.
    OCTETS = "octets"
    #: Bytes as the text that they are in UTF-8.
    TEXT_OF_BYTES = "text of bytes"
    #: The bytes behind hexadecimal digits.
    UNHEX = "unhex"
    #: Whether a string is UTF-8.
    VALID = "valid"
    #: Sixteen bytes as a uuid in hexadecimal digits.
    TEXT_OF_UUID = "text of a uuid"
    #: A value as text, as Java writes it; of a double that stands for a float.
    JAVA_TEXT = "java text"
    TEXT_OF_FLOAT = "text of a float"
    CONCATENATE = "concatenate"
    #: The number of the first code point.
    CODE_POINT = "code point"
    #: A string up to its first NUL.
    BEFORE_NUL = "before nul"
    #: An integer or a double out of a string, as Java's valueOf reads it; NULL where it is none.
    READ_LONG = "read long"
    READ_DOUBLE = "read double"
    #: A string in lower case.
    LOWER = "lower"
    #: All matches of a regular expression replaced.
    REPLACE = "replace"
    #: Milliseconds since the epoch, of the query or micro-batch.
    NOW = "now"
    #: The timestamp so many milliseconds after that.
    MOMENT = "moment"
    #: So many milliseconds, a uint, after a time in milliseconds.
    LATER = "later"
    #: The difference of two times, whose integers are so small that it does not overflow.
    UNTIL = "until"
    #: A text in the type of the node, as Spark's try_cast reads it; NULL where it is none.
    TRY_CAST = "try cast"
    #: An integer, or a double, out of a text that is known to be a number of JMS; NULL for an integer beyond 64 bits.
    NUMBER_IN_TEXT = "number in text"
    #: A text with a blank for each narrow no-break space, U+202F.
    BLANKS_WIDENED = "blanks widened"
    #: A text without blanks around it.
    TRIMMED = "trimmed"
    #: A point in time out of a text, by a pattern with a time zone, and a text to add for a zone that it lacks.
    READ_TIME = "read time"
    #: The milliseconds of a column that is a TIMESTAMP or a number of them, which only the engine can tell.
    MILLISECONDS_OF_ANY = "milliseconds of any"
    #: Bytes out of base64; NULL where it is none.
    FROM_BASE64 = "from base64"
    #: JSON text as a VARIANT; NULL where it is none.
    PARSE_JSON = "parse JSON"
    #: The value of a VARIANT at a path, in the type of the node, and the name of its type.
    VARIANT_GET = "variant get"
    VARIANT_TYPE = "variant type"
    #: The text whose bytes, in UTF-8, are the signed or unsigned integers of an array.
    TEXT_OF_OCTETS = "text of octets"
    #: A double whose sign shows, zero included: its text.
    SIGNED_TEXT = "signed text"


#: How often the text of a function has each argument, at most, where that is more than once.
MENTIONS: Mapping[Function, tuple[int, ...]] = MappingProxyType(
    {
        Function.MILLISECONDS: (4,),
        Function.MILLISECONDS_OF_ANY: (3,),
        Function.DIVIDE: (2, 2),
        Function.AT_MOST: (2, 2),
        Function.FOLDED: (3,),
        Function.STRING_MESSAGE_ID: (5,),
        Function.STRING_CORRELATION_ID: (3,),
        Function.ULONG_ID: (3,),
        Function.EXACT_DECIMAL: (2,),
        Function.ADDRESS: (4, 4),
        Function.REMAINDER_DOUBLE: (2, 2),
        Function.DIVIDE_IEEE: (2, 2),
        Function.TEXT_OF_UUID: (5,),
        Function.READ_LONG: (2,),
        Function.READ_DOUBLE: (2,),
    }
)
