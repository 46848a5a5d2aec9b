"""The questions on which brokers differ, each with the answers that a broker gives.

Every enumeration is one question; its members are the answers, and a ``Dialect`` holds one of each. The comments name
the brokers; sections are those of Jakarta Messaging 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, Flag, auto
from types import MappingProxyType


class Identifiers(Enum):
    """The characters of a property name (3.8.1.1)."""

    UNICODE_WITH_DOTS = "Unicode Java identifiers, with dots"
    ASCII = "ASCII letters, digits, _ and $"
    ASCII_WITH_DOTS = "ASCII letters, digits, _, $ and dots"
    #: No leading underscore and no $; the SQL filter's "regular identifier".
    REGULAR = "ASCII letters, digits and _, a letter first"


class DoubleQuotes(Enum):
    """The meaning of a text in double quotes."""

    REFUSED = "an error"
    IDENTIFIER = "the name of a property"
    STRING = "a string literal"


class ReservedWords(Enum):
    """The reserved words and their spelling."""

    ANY_CASE = "in any case"
    #: NULL and IS are names, except in IS NULL and IS NOT NULL.
    ANY_CASE_WITHOUT_NULL = "in any case, NULL and IS only within IS NULL"
    #: Any other spelling of a reserved word is an error.
    UPPER_CASE = "in upper case only"


class Comments(Enum):
    """The meaning of ``--`` and ``/* */``."""

    REFUSED = "an error"
    #: ``--`` only where a line end follows.
    TAKEN = "comments"
    SIGNS = "two minus signs"


class NumericLiterals(Enum):
    """The syntax of numeric literals."""

    JAVA = "Java's syntax, within range"
    #: No L on octal and hexadecimal, no f or d; a decimal literal has any size, and 1e400 is infinity.
    ACTIVEMQ = "Java's syntax without f, d; L on decimal literals only"
    #: With binary literals, underscores, hexadecimal floating point; 0x05 is octal after the x.
    QPID_CPP = "C++'s syntax with underscores and binary literals"
    #: Decimal integers of any size, 5.5 and 5.5E1, and binary strings such as 0xCAFE.
    SQL_FILTER = "decimal digits, a point between digits, an upper case E"
    RABBITMQ_JMS = "decimal digits, within 64 bits; a point or exponent or suffix for floating point"


class NotBinding(Enum):
    """The precedence of NOT (3.8.1.1 orders it below comparison)."""

    LOOSE = "looser than a comparison"
    #: NOT NOT is an error.
    LOOSE_ONCE = "looser than a comparison, and not twice in a row"
    #: As LOOSE, and also where an operand stands: ``a = NOT b``.
    GREEDY = "over all of the comparison behind it, wherever it stands"
    TIGHT = "tighter than arithmetic"


class Associativity(Enum):
    """The associativity of arithmetic operators."""

    LEFT = "the left one"
    RIGHT = "the right one"


class Signs(Enum):
    """The operands of a unary plus or minus."""

    ANY = "anything"
    #: A plus stands before a name or a literal only.
    PLUS_BEFORE_PRIMARY = "minus before anything, plus before a name or literal"
    BEFORE_PRIMARY = "a name, a literal or a parenthesis, once"


class UnaryPlus(Enum):
    """A unary plus (3.8.1.2 lists it with the arithmetic operators)."""

    ARITHMETIC = "arithmetic, which takes numbers"
    #: The broker's parser drops it, so ``+s = 'a'`` compares the string.
    NOTHING = "nothing at all, before any operand"


class StaticTyping(Enum):
    """The static checks of operand types, before any message is read (3.8.1.2)."""

    #: Literals of the wrong type are errors.
    CHECKED = "by the types of the literals"
    #: Only what Java's parser objects refuse.
    ACTIVEMQ = "conditions where conditions belong, no string or boolean literal in an ordering"
    #: Every expression has a type, and all of them must fit.
    TYPED = "by the types of all expressions"
    ANY = "anything anywhere"


class OperandForm(Enum):
    """The left operand of IN, LIKE or IS NULL."""

    NAME = "a name"
    #: Without parentheses around it.
    BARE_NAME = "a name without parentheses"
    ANY = "any expression"


class ListMember(Enum):
    """A member of the list of IN."""

    STRING = "a string literal"
    BARE_STRING = "a string literal without parentheses"
    ANY = "any expression"


class Escapes(Enum):
    """The operand of ESCAPE and its effect in a pattern."""

    #: Before any character; at the end an error.
    ONE_CODE_POINT = "one code point, before any character"
    #: The escape character is itself unless a wildcard or another one follows.
    BEFORE_WILDCARDS = "before %, _ and itself; elsewhere an ordinary character"
    #: Runs of % are one % before anything else is read; at the end it vanishes.
    AFTER_COLLAPSE = "before any character, after %% became %"
    #: An escape character vanishes wherever it stands, and twice in a row as well.
    VANISHING = "one byte but no wildcard, or none; it vanishes"
    #: At the end an ordinary character.
    LITERAL_AT_END = "one character, before any character; itself at the end"


class Wildcards(Enum):
    """The characters that ``_`` and ``%`` match."""

    CODE_POINTS = "code points, line ends included"
    #: A pattern of more than one wildcard does not see a line end, and overlooks a last one.
    LINES = "code points of one line, as PCRE reads . and $"
    BYTES_OF_LINE = "bytes of one line"
    #: A string ends at its first NUL.
    BYTES = "bytes, up to the first NUL"


class NumericPromotion(Enum):
    """The comparison of numbers of two types."""

    #: Java's binary numeric promotion, on 64-bit integers and doubles.
    PROMOTION = "Java's numeric promotion"
    #: byte and short on the right of a wider type are unequal; a long with a float compares as float.
    UPWARDS = "the left type is widened, byte and short on the right are not"
    #: As UPWARDS, and double with float throws.
    UPWARDS_THROWING = "the left type is widened, byte and short on the right are not, double with float throws"
    EXACT = "by exact value"


class FloatOrder(Enum):
    """The comparison of NaN and -0.0."""

    IEEE = "IEEE 754"
    COMPARE_TO = "Java's compareTo: NaN equals itself and is above all, -0.0 is below 0.0"


class NullEquality(Enum):
    """``=`` with NULL."""

    UNKNOWN = "unknown"
    #: FALSE where only the right operand is NULL, TRUE where both are.
    FALSE_ON_THE_RIGHT = "unknown with NULL on the left, FALSE on the right, TRUE on both sides"
    FALSE = "FALSE with NULL on one side, TRUE on both"


class UnlikeTypes(Enum):
    """A comparison of values of unlike types (3.8.1.1)."""

    FALSE = "FALSE, = and <> alike"
    NOT_EQUAL = "unequal: <> is TRUE"


class Ordering(Enum):
    """``<`` and the other orderings on values that are not numbers."""

    FALSE = "FALSE"
    #: Strings by UTF-16 units, booleans FALSE before TRUE.
    COMPARE_TO = "Java's compareTo"
    BYTES = "strings by their bytes"
    #: A number is below a boolean is below a string.
    TERMS = "Erlang's order of all terms"


class Logic(Enum):
    """AND and OR with unknown (3.8.1.2)."""

    SQL = "SQL's tables"
    #: Unknown AND FALSE is unknown, unknown OR FALSE is FALSE.
    QPID_JAVA = "unknown on the left of AND wins, on the left of OR loses"


class Evaluation(Enum):
    """The evaluation of operands, which matters if one throws."""

    SHORT_CIRCUIT = "AND, OR stop when the left side decides"
    STRICT = "all"


class IntegerArithmetic(Enum):
    """The width of integers."""

    LONG = "64 bits, overflow is unknown"
    WRAP_LONG = "64 bits, wrapping"
    #: 32 bits unless an operand has 64.
    WRAP_INT = "32 or 64 bits, wrapping"
    BIGNUM = "any"


class Division(Enum):
    """``/``."""

    #: By zero unknown.
    TRUNCATING = "integers truncate; by zero unknown"
    #: Division by zero throws, and so does LONG_MIN / -1.
    TRUNCATING_THROWING = "integers truncate; by zero the broker dies"
    DOUBLE = "always double, IEEE 754"
    BY_ZERO_UNKNOWN = "always double; by zero unknown, overflow throws"
    BY_ZERO_ATOMS = "always double; by zero the atoms plus_infinity, minus_infinity, nan; overflow throws"


class Remainder(Enum):
    """``%``."""

    NONE = "an error"
    DOUBLE = "of doubles"
    INTEGER = "of integers; by zero unknown"


class NotNumbers(Enum):
    """Arithmetic on values that are not numbers."""

    UNKNOWN = "unknown"
    #: A string on the left of + concatenates.
    CONCATENATE = "a string + anything is a string; all else throws"
    THROWS = "throws"


class BareName(Enum):
    """A name as a condition whose value is no boolean."""

    UNKNOWN = "unknown"
    FALSE = "FALSE"


class LikeNotString(Enum):
    """LIKE on values that are not strings."""

    FALSE = "FALSE"
    UNKNOWN = "unknown"
    THROWS = "throws"


class InNotString(Enum):
    """IN with strings on values that are not strings."""

    FALSE = "FALSE"
    UNKNOWN = "unknown"
    #: NOT IN is FALSE too where no member is of a like type.
    FALSE_BOTH_WAYS = "FALSE, and NOT IN is FALSE too"


class BetweenMeaning(Enum):
    """BETWEEN, and NOT BETWEEN."""

    ABSENT = "no such operator"
    COMPARISONS = ">= AND <=; NOT BETWEEN is < OR >"
    ONE_TEST = "unknown where an operand is; NOT BETWEEN is NOT of it"


class Extension(Flag):
    """Constructs beyond the standard that a dialect may have; none is in ``jms``."""

    NONE = 0
    CHAINED_COMPARISONS = auto()
    NULL_LITERAL = auto()
    NOT_EQUAL = auto()
    XPATH = auto()
    FUNCTIONS = auto()
    UTC = auto()
    BRACKETS = auto()
    CONVERT_STRINGS = auto()
    #: Behind the prefix arithmetic reads numbers out of strings as comparisons do.
    CONVERT_IN_ARITHMETIC = auto()
    HYPHENATED = auto()
    VERTICAL_TAB = auto()
    #: LIKE, IN and IS NULL bind to the name before them, tighter than any operator.
    TESTS_AS_OPERANDS = auto()
    #: ``no_convert_string_expressions:`` and ``no_hyphenated_props:``; of the prefixes in a row the last one counts.
    NEGATED_PREFIXES = auto()


#: Prefixes of a selector: the extension that has one, the switch that it sets, and the value.
PREFIXES: Mapping[str, tuple[Extension, int, bool]] = MappingProxyType(
    {
        "convert_string_expressions:": (Extension.CONVERT_STRINGS, 0, True),
        "hyphenated_props:": (Extension.HYPHENATED, 1, True),
        "no_convert_string_expressions:": (Extension.NEGATED_PREFIXES, 0, False),
        "no_hyphenated_props:": (Extension.NEGATED_PREFIXES, 1, False),
    }
)
