"""The rules on which brokers differ, each as an enumeration of the possible behaviours.

Every enumeration is one rule, and its members are the behaviours of brokers. A ``Dialect`` has one member of each
enumeration. Section numbers refer to Jakarta Messaging 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, Flag, auto
from types import MappingProxyType


class Identifiers(Enum):
    """The characters that a property name may contain (Jakarta Messaging 3.8.1.1)."""

    UNICODE_WITH_DOTS = "Unicode Java identifiers, with dots"
    ASCII = "ASCII letters, digits, _ and $"
    ASCII_WITH_DOTS = "ASCII letters, digits, _, $ and dots"
    #: The SQL filter's "regular identifier", without a leading underscore and without $.
    REGULAR = "ASCII letters, digits and _; the first character is a letter"


class DoubleQuotes(Enum):
    """The meaning of text in double quotes."""

    REFUSED = "an error"
    IDENTIFIER = "the name of a property"
    STRING = "a string literal"


class ReservedWords(Enum):
    """The reserved words, and the case in which they are recognised."""

    ANY_CASE = "in any case"
    #: NULL and IS are reserved words only in IS NULL and IS NOT NULL; elsewhere they are names.
    ANY_CASE_WITHOUT_NULL = "in any case; NULL and IS only inside IS NULL"
    #: A reserved word in lower or mixed case is an error.
    UPPER_CASE = "in upper case only"


class Comments(Enum):
    """The meaning of ``--`` and ``/* */``."""

    REFUSED = "an error"
    #: The beginning of a comment is recognized only if a line end follows later in the text.
    TAKEN = "comments"
    SIGNS = "two minus signs"


class NumericLiterals(Enum):
    """The syntax of numeric literals."""

    JAVA = "Java's syntax, within the range of the type"
    #: Octal and hexadecimal literals have no suffix L, and no literal has f or d. Decimal integers have any size, and
    #: 1e400 is infinity.
    ACTIVEMQ = "Java's syntax without f and d; L only on decimal literals"
    #: Includes hexadecimal floating-point literals. In 0x05 the digits after the x are octal.
    QPID_CPP = "C++'s syntax with underscores and binary literals"
    #: Decimal integers of any size, 5.5 and 5.5E1, and binary strings such as 0xCAFE.
    SQL_FILTER = "decimal digits, a point between digits, E in upper case"
    RABBITMQ_JMS = "decimal digits, within 64 bits; a point or exponent or suffix for floating point"


class NotBinding(Enum):
    """The precedence of NOT. In the standard it is lower than that of comparisons (Jakarta Messaging 3.8.1.1)."""

    LOOSE = "looser than a comparison"
    #: NOT has a lower precedence than comparisons, as in LOOSE, but two adjacent NOTs are an error.
    LOOSE_ONCE = "looser than a comparison, and not twice in a row"
    #: NOT has a lower precedence than comparisons, as in LOOSE, and is also allowed in an operand: ``a = NOT b``.
    GREEDY = "looser than a comparison, also in an operand: a = NOT b"
    TIGHT = "tighter than arithmetic"


class Associativity(Enum):
    """The associativity of arithmetic operators."""

    LEFT = "the left one"
    RIGHT = "the right one"


class Signs(Enum):
    """The operands that a unary plus or minus may have."""

    ANY = "anything"
    #: A plus is allowed only before a name or a literal.
    PLUS_BEFORE_PRIMARY = "minus before anything, plus before a name or literal"
    BEFORE_PRIMARY = "a name, a literal or a parenthesis, once"


class UnaryPlus(Enum):
    """The meaning of a unary plus. The standard lists it among the arithmetic operators (Jakarta Messaging 3.8.1.2)."""

    ARITHMETIC = "arithmetic, which needs a number"
    #: The broker's parser drops the plus, so ``+s = 'a'`` compares the string.
    NOTHING = "ignored, before any operand"


class StaticTyping(Enum):
    """The checks of operand types that the broker makes before it reads any message (Jakarta Messaging 3.8.1.2)."""

    #: A literal of the wrong type is an error.
    CHECKED = "by the types of the literals"
    #: The broker's parser has no type check of its own: an operand is rejected only if its Java class does not fit.
    ACTIVEMQ = "a condition must stand where one is needed; an ordering has no string or boolean literal"
    #: Every expression has an inferred type, and the types of all operands must match.
    TYPED = "by the types of all expressions"
    ANY = "not at all"


class OperandForm(Enum):
    """The allowed left operands of IN, LIKE or IS NULL."""

    NAME = "a name"
    #: Parentheses around the name are an error.
    BARE_NAME = "a name without parentheses"
    ANY = "any expression"


class ListMember(Enum):
    """The allowed members of the list of IN."""

    STRING = "a string literal"
    BARE_STRING = "a string literal without parentheses"
    ANY = "any expression"


class Escapes(Enum):
    """The valid operands of ESCAPE, and the effect of the escape character in a pattern."""

    #: The escape character is allowed before any character; at the end of a pattern it is an error.
    ONE_CODE_POINT = "one code point, before any character"
    #: The escape character is an ordinary character unless a wildcard or escape character follows.
    BEFORE_WILDCARDS = "one character, before %, _ and itself; elsewhere an ordinary character"
    #: The broker first replaces each run of % by one %. An escape character at the end of the pattern is dropped.
    AFTER_COLLAPSE = "one character, before any character; first each run of % becomes one %"
    #: The broker removes every escape character from the pattern, even the second of two in a row.
    VANISHING = "one byte that is not a wildcard, or an empty text; the character is dropped"
    #: At the end of a pattern the escape character is an ordinary character.
    LITERAL_AT_END = "one character, before any character; at the end of a pattern it stands for itself"


class Wildcards(Enum):
    """The characters that ``_`` and ``%`` match."""

    CODE_POINTS = "code points, line ends included"
    #: A pattern with more than one wildcard does not match across line ends; a line end at the end of the text is
    #: ignored.
    LINES = "code points of one line, as PCRE reads . and $"
    BYTES_OF_LINE = "bytes of one line"
    #: The broker ignores everything after the first NUL of a string.
    BYTES = "bytes, up to the first NUL"


class NumericPromotion(Enum):
    """The types to which the broker converts two numbers of different types before it compares them."""

    #: Operands are converted by Java's binary numeric promotion, with 64-bit integers and doubles.
    PROMOTION = "Java's numeric promotion"
    #: A byte or short on the right never equals a left value of a wider type. A long and a float are compared as
    #: floats.
    UPWARDS = "the left type is widened, byte and short on the right are not"
    #: As UPWARDS, except that the comparison of a double with a float throws.
    UPWARDS_THROWING = "the left type is widened, byte and short on the right are not, double with float throws"
    EXACT = "by exact value"


class FloatOrder(Enum):
    """The order of NaN and -0.0 in comparisons."""

    IEEE = "IEEE 754"
    COMPARE_TO = "Java's compareTo: NaN equals NaN and is greater than every number, -0.0 is less than 0.0"


class NullEquality(Enum):
    """The result of ``=`` with NULL."""

    UNKNOWN = "unknown"
    #: FALSE if only the right operand is NULL, TRUE if both operands are NULL.
    FALSE_ON_THE_RIGHT = "unknown with NULL on the left, FALSE on the right, TRUE on both sides"
    FALSE = "FALSE with NULL on one side, TRUE on both"


class UnlikeTypes(Enum):
    """The result of a comparison of values of unlike types, such as a string and a number.

    Source: Jakarta Messaging 3.8.1.1.
    """

    FALSE = "FALSE, = and <> alike"
    NOT_EQUAL = "unequal: <> is TRUE"


class Ordering(Enum):
    """The result of ``<``, ``<=``, ``>`` and ``>=`` for values that are not numbers."""

    FALSE = "FALSE"
    #: Strings are ordered by UTF-16 code units, booleans FALSE before TRUE.
    COMPARE_TO = "Java's compareTo"
    BYTES = "strings by their bytes"
    #: Every number is less than every boolean, and every boolean is less than every string.
    TERMS = "Erlang's order of all terms"


class Logic(Enum):
    """The results of AND and OR if one operand is unknown (Jakarta Messaging 3.8.1.2)."""

    SQL = "SQL's tables"
    #: With an unknown left operand: unknown AND FALSE is unknown, and unknown OR FALSE is FALSE. SQL has FALSE and
    #: unknown.
    QPID_JAVA = "an unknown left side makes AND unknown, and OR gets the value of its right side"


class Evaluation(Enum):
    """The rule by which the broker skips operands of AND and OR. It matters only if an operand throws an exception."""

    SHORT_CIRCUIT = "AND and OR stop if the left side decides"
    STRICT = "both sides"


class IntegerArithmetic(Enum):
    """The width of integers in arithmetic."""

    LONG = "64 bits, overflow is unknown"
    WRAP_LONG = "64 bits, with wrap-around"
    #: Integers have 32 bits, or 64 bits if an operand has 64 bits, as in Java.
    WRAP_INT = "32 or 64 bits, with wrap-around"
    BIGNUM = "any width"


class Division(Enum):
    """The meaning of the operator ``/`` for integers."""

    #: Division by zero is unknown.
    TRUNCATING = "integers truncate; by zero unknown"
    #: Division by zero throws, as does LONG_MIN / -1.
    TRUNCATING_THROWING = "integers truncate; by zero the broker dies"
    DOUBLE = "always double, IEEE 754"
    BY_ZERO_UNKNOWN = "always double; by zero unknown, overflow throws"
    BY_ZERO_ATOMS = "always double; by zero the atoms plus_infinity, minus_infinity, nan; overflow throws"


class Remainder(Enum):
    """The meaning of the operator ``%`` in a dialect; ``NONE`` if the dialect does not have the operator."""

    NONE = "an error"
    DOUBLE = "the remainder of doubles"
    INTEGER = "the remainder of integers; by zero unknown"


class NotNumbers(Enum):
    """The result of arithmetic on values that are not numbers."""

    UNKNOWN = "unknown"
    #: A + with a string on the left concatenates.
    CONCATENATE = "a string + any value is a string; other operations throw"
    THROWS = "throws"


class BareName(Enum):
    """The result of a condition that is only a name, if the value of the property is not a boolean."""

    UNKNOWN = "unknown"
    FALSE = "FALSE"


class LikeNotString(Enum):
    """The result of LIKE for values that are not strings."""

    FALSE = "FALSE"
    UNKNOWN = "unknown"
    THROWS = "throws"


class InNotString(Enum):
    """The result of IN with a list of strings for values that are not strings."""

    FALSE = "FALSE"
    UNKNOWN = "unknown"
    #: NOT IN is FALSE, too, if no member has the type of the value.
    FALSE_BOTH_WAYS = "FALSE, and NOT IN is FALSE too"


class BetweenMeaning(Enum):
    """The meaning of BETWEEN and NOT BETWEEN."""

    ABSENT = "no such operator"
    COMPARISONS = ">= AND <=; NOT BETWEEN is < OR >"
    ONE_TEST = "unknown if an operand is unknown; NOT BETWEEN is the NOT of BETWEEN"


class Extension(Flag):
    """Constructs of some dialects that are not in the standard, and so not in ``jms``."""

    NONE = 0
    CHAINED_COMPARISONS = auto()
    NULL_LITERAL = auto()
    NOT_EQUAL = auto()
    XPATH = auto()
    FUNCTIONS = auto()
    UTC = auto()
    BRACKETS = auto()
    CONVERT_STRINGS = auto()
    #: With the prefix ``convert_string_expressions:``, arithmetic converts strings to numbers, too, not only
    #: comparisons.
    CONVERT_IN_ARITHMETIC = auto()
    HYPHENATED = auto()
    VERTICAL_TAB = auto()
    #: LIKE, IN and IS NULL have a higher precedence than any operator, so that they test only the name before them.
    TESTS_AS_OPERANDS = auto()
    #: The prefixes ``no_convert_string_expressions:`` and ``no_hyphenated_props:``, which cancel earlier prefixes.
    NEGATED_PREFIXES = auto()


#: For each prefix of a selector: the extension that a dialect needs for the prefix, the index of the switch that it
#: sets, and the switch's new value. Switch 0 makes comparisons convert strings, and switch 1 allows hyphens in names.
PREFIXES: Mapping[str, tuple[Extension, int, bool]] = MappingProxyType(
    {
        "convert_string_expressions:": (Extension.CONVERT_STRINGS, 0, True),
        "hyphenated_props:": (Extension.HYPHENATED, 1, True),
        "no_convert_string_expressions:": (Extension.NEGATED_PREFIXES, 0, False),
        "no_hyphenated_props:": (Extension.NEGATED_PREFIXES, 1, False),
    }
)
