"""Dialects: the rules of each broker as frozen data, one instance a broker, and its reserved words.

A dialect never brings a grammar or an evaluator of its own; it is a row of values that the one lexer, the one check,
the one evaluator and the one compiler consult. The field names are questions, ``dialect_rules`` has the answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import OptionFix, nearest
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.language.selector.dialect_rules import (
    Associativity,
    BareName,
    BetweenMeaning,
    Comments,
    Division,
    DoubleQuotes,
    Escapes,
    Evaluation,
    Extension,
    FloatOrder,
    Identifiers,
    InNotString,
    IntegerArithmetic,
    LikeNotString,
    ListMember,
    Logic,
    NotBinding,
    NotNumbers,
    NullEquality,
    NumericLiterals,
    NumericPromotion,
    OperandForm,
    Ordering,
    Remainder,
    ReservedWords,
    Signs,
    StaticTyping,
    UnaryPlus,
    UnlikeTypes,
    Wildcards,
)
from transpiler.message.broker_fields import (
    ARTEMIS_CORE_FIELDS,
    ARTEMIS_FIELDS,
    CLASSIC_FIELDS,
    QPID_CPP_FIELDS,
    QPID_JAVA_FIELDS,
    RABBITMQ_FIELDS,
    RABBITMQ_JMS_FIELDS,
)
from transpiler.message.header_fields import HeaderFields
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.message.operand_types import (
    JMS_TYPES,
    QPID_CPP_TYPES,
    RABBITMQ_JMS_TYPES,
    SQL_FILTER_TYPES,
    TYPED_JMS,
    OperandTypes,
)


@dataclass(frozen=True, slots=True, repr=False)
class Dialect:
    """A broker's selector language; the defaults are those of ``jms``.

    Limits are this project's own for ``jms``: the standard sets none. ``max_length`` counts code points,
    ``max_nesting`` levels of the tree, ``max_terms`` operands (names and literals), ``max_tokens`` tokens.
    """

    name: str
    max_length: int = 1_000_000
    max_nesting: int = 120
    max_terms: int = 50_000
    max_tokens: int | None = None
    #: True if an empty or blank selector selects every message; else the parser refuses it.
    blank_is_no_selector: bool = True

    identifiers: Identifiers = Identifiers.UNICODE_WITH_DOTS
    double_quotes: DoubleQuotes = DoubleQuotes.REFUSED
    reserved_words: ReservedWords = ReservedWords.ANY_CASE
    comments: Comments = Comments.REFUSED
    numeric_literals: NumericLiterals = NumericLiterals.JAVA
    extensions: Extension = Extension.NONE

    not_binding: NotBinding = NotBinding.LOOSE
    associativity: Associativity = Associativity.LEFT
    signs: Signs = Signs.ANY
    unary_plus: UnaryPlus = UnaryPlus.ARITHMETIC
    static_typing: StaticTyping = StaticTyping.CHECKED
    in_operand_form: OperandForm = OperandForm.NAME
    list_member: ListMember = ListMember.STRING
    like_operand_form: OperandForm = OperandForm.NAME
    null_operand_form: OperandForm = OperandForm.NAME
    escapes: Escapes = Escapes.ONE_CODE_POINT

    types: OperandTypes = JMS_TYPES
    fields: HeaderFields = JMS_FIELDS
    logic: Logic = Logic.SQL
    evaluation: Evaluation = Evaluation.SHORT_CIRCUIT
    null_equality: NullEquality = NullEquality.UNKNOWN
    unlike_types: UnlikeTypes = UnlikeTypes.FALSE
    numeric_promotion: NumericPromotion = NumericPromotion.PROMOTION
    float_order: FloatOrder = FloatOrder.IEEE
    ordering: Ordering = Ordering.FALSE
    integer_arithmetic: IntegerArithmetic = IntegerArithmetic.LONG
    division: Division = Division.TRUNCATING
    remainder: Remainder = Remainder.NONE
    not_numbers: NotNumbers = NotNumbers.UNKNOWN
    bare_name: BareName = BareName.UNKNOWN
    between_meaning: BetweenMeaning = BetweenMeaning.COMPARISONS
    like_not_string: LikeNotString = LikeNotString.UNKNOWN
    in_not_string: InNotString = InNotString.UNKNOWN
    wildcards: Wildcards = Wildcards.CODE_POINTS
    #: The broker's reaction if its evaluation throws; empty if it never throws.
    on_throw: str = ""

    def __hash__(self) -> int:
        # Its name, for most have one of their own: the parser keeps trees by dialect.
        return hash(self.name)

    def __repr__(self) -> str:
        known = DIALECTS.get(self.name, self)
        own = (name for name in self.__slots__ if getattr(self, name) != getattr(known, name))
        return f"Dialect({', '.join([repr(self.name), *(f'{name}={getattr(self, name)}' for name in own)])})"

    def has(self, extension: Extension) -> bool:
        """Return True if the dialect has the construct beyond the standard."""
        # The standard has none, and to look for one flag in another is slow.
        return bool(self.extensions) and extension in self.extensions

    @property
    def title(self) -> str:
        """The name that messages use."""
        return "JMS" if self.name == "jms" else self.name


#: Jakarta Messaging 3.1; where its text is silent, what most brokers do.
JMS = Dialect("jms")

#: Apache ActiveMQ Classic. Evaluation errors leave the selector and end up in the dispatch of the message.
#: An empty selector never reaches the parser: the consumer has none (testEmptyPropertySelector of its own suite).
ACTIVEMQ = Dialect(
    "activemq",
    identifiers=Identifiers.ASCII,
    comments=Comments.TAKEN,
    numeric_literals=NumericLiterals.ACTIVEMQ,
    extensions=Extension.CHAINED_COMPARISONS
    | Extension.NULL_LITERAL
    | Extension.XPATH
    | Extension.FUNCTIONS
    | Extension.CONVERT_STRINGS,
    not_binding=NotBinding.TIGHT,
    unary_plus=UnaryPlus.NOTHING,
    static_typing=StaticTyping.ACTIVEMQ,
    list_member=ListMember.BARE_STRING,
    like_operand_form=OperandForm.ANY,
    null_operand_form=OperandForm.ANY,
    escapes=Escapes.BEFORE_WILDCARDS,
    types=TYPED_JMS,
    fields=CLASSIC_FIELDS,
    null_equality=NullEquality.FALSE_ON_THE_RIGHT,
    unlike_types=UnlikeTypes.NOT_EQUAL,
    numeric_promotion=NumericPromotion.UPWARDS_THROWING,
    float_order=FloatOrder.COMPARE_TO,
    ordering=Ordering.COMPARE_TO,
    integer_arithmetic=IntegerArithmetic.WRAP_INT,
    division=Division.DOUBLE,
    remainder=Remainder.DOUBLE,
    not_numbers=NotNumbers.CONCATENATE,
    bare_name=BareName.FALSE,
    like_not_string=LikeNotString.FALSE,
    on_throw="the exception leaves the selector and disturbs the dispatch of the message",
)

#: Clients' selectors in Apache ActiveMQ Artemis: the same parser, grown apart. ``FilterImpl.createFilter`` makes no
#: filter of a blank text.
ARTEMIS = replace(
    ACTIVEMQ,
    name="artemis",
    double_quotes=DoubleQuotes.IDENTIFIER,
    extensions=Extension.CHAINED_COMPARISONS
    | Extension.NULL_LITERAL
    | Extension.XPATH
    | Extension.CONVERT_STRINGS
    | Extension.CONVERT_IN_ARITHMETIC
    | Extension.HYPHENATED
    | Extension.NEGATED_PREFIXES,
    numeric_promotion=NumericPromotion.UPWARDS,
    fields=ARTEMIS_FIELDS,
    on_throw="the message does not match, and the broker logs an invalid filter",
)

#: The filters of Artemis itself, which nobody rewrites.
ARTEMIS_CORE = replace(ARTEMIS, name="artemis-core", fields=ARTEMIS_CORE_FIELDS)

#: Apache Qpid Broker-J: the same parser again, with NOT mended and other tables of truth. ``FilterSupport`` makes no
#: filter of a blank text.
QPID_JAVA = replace(
    ARTEMIS,
    name="qpid-java",
    extensions=Extension.CHAINED_COMPARISONS | Extension.NULL_LITERAL,
    not_binding=NotBinding.GREEDY,
    escapes=Escapes.AFTER_COLLAPSE,
    fields=QPID_JAVA_FIELDS,
    logic=Logic.QPID_JAVA,
    null_equality=NullEquality.FALSE,
    on_throw="the message does not match; a ClassCastException ends the delivery",
)

#: The Apache Qpid C++ broker, on its AMQP 0-10 path.
QPID_CPP = Dialect(
    "qpid-cpp",
    identifiers=Identifiers.ASCII_WITH_DOTS,
    double_quotes=DoubleQuotes.IDENTIFIER,
    comments=Comments.SIGNS,
    numeric_literals=NumericLiterals.QPID_CPP,
    extensions=Extension.VERTICAL_TAB,
    signs=Signs.PLUS_BEFORE_PRIMARY,
    unary_plus=UnaryPlus.NOTHING,
    static_typing=StaticTyping.ANY,
    in_operand_form=OperandForm.ANY,
    list_member=ListMember.ANY,
    like_operand_form=OperandForm.ANY,
    null_operand_form=OperandForm.ANY,
    escapes=Escapes.VANISHING,
    types=QPID_CPP_TYPES,
    fields=QPID_CPP_FIELDS,
    integer_arithmetic=IntegerArithmetic.WRAP_LONG,
    division=Division.TRUNCATING_THROWING,
    between_meaning=BetweenMeaning.ONE_TEST,
    in_not_string=InNotString.FALSE_BOTH_WAYS,
    wildcards=Wildcards.BYTES,
    on_throw="the signal of the division ends the broker",
)

#: RabbitMQ 4: SQL filter expressions (``amqp:sql-filter``) on streams.
RABBITMQ = Dialect(
    "rabbitmq",
    max_length=4096,
    max_tokens=200,
    blank_is_no_selector=False,
    identifiers=Identifiers.REGULAR,
    double_quotes=DoubleQuotes.STRING,
    reserved_words=ReservedWords.UPPER_CASE,
    comments=Comments.SIGNS,
    numeric_literals=NumericLiterals.SQL_FILTER,
    extensions=Extension.NOT_EQUAL | Extension.UTC | Extension.BRACKETS,
    signs=Signs.BEFORE_PRIMARY,
    static_typing=StaticTyping.ANY,
    in_operand_form=OperandForm.ANY,
    list_member=ListMember.ANY,
    like_operand_form=OperandForm.ANY,
    null_operand_form=OperandForm.BARE_NAME,
    types=SQL_FILTER_TYPES,
    fields=RABBITMQ_FIELDS,
    evaluation=Evaluation.SHORT_CIRCUIT,
    unlike_types=UnlikeTypes.NOT_EQUAL,
    numeric_promotion=NumericPromotion.EXACT,
    ordering=Ordering.BYTES,
    integer_arithmetic=IntegerArithmetic.BIGNUM,
    division=Division.BY_ZERO_UNKNOWN,
    remainder=Remainder.INTEGER,
    between_meaning=BetweenMeaning.ABSENT,
    in_not_string=InNotString.FALSE,
    wildcards=Wildcards.LINES,
    on_throw="the arithmetic error ends the reader of the stream",
)

#: RabbitMQ's JMS topic exchange: the client compiles the selector, the server evaluates it. The client binds without
#: one where the text is blank.
RABBITMQ_JMS = Dialect(
    "rabbitmq-jms",
    identifiers=Identifiers.ASCII_WITH_DOTS,
    reserved_words=ReservedWords.ANY_CASE_WITHOUT_NULL,
    comments=Comments.SIGNS,
    numeric_literals=NumericLiterals.RABBITMQ_JMS,
    extensions=Extension.VERTICAL_TAB | Extension.TESTS_AS_OPERANDS,
    not_binding=NotBinding.LOOSE_ONCE,
    associativity=Associativity.RIGHT,
    static_typing=StaticTyping.TYPED,
    in_operand_form=OperandForm.BARE_NAME,
    list_member=ListMember.BARE_STRING,
    like_operand_form=OperandForm.BARE_NAME,
    null_operand_form=OperandForm.BARE_NAME,
    escapes=Escapes.LITERAL_AT_END,
    types=RABBITMQ_JMS_TYPES,
    fields=RABBITMQ_JMS_FIELDS,
    evaluation=Evaluation.STRICT,
    unlike_types=UnlikeTypes.NOT_EQUAL,
    numeric_promotion=NumericPromotion.EXACT,
    ordering=Ordering.TERMS,
    integer_arithmetic=IntegerArithmetic.BIGNUM,
    division=Division.BY_ZERO_ATOMS,
    not_numbers=NotNumbers.THROWS,
    between_meaning=BetweenMeaning.ONE_TEST,
    like_not_string=LikeNotString.THROWS,
    in_not_string=InNotString.FALSE,
    wildcards=Wildcards.BYTES_OF_LINE,
    on_throw="the error reaches the routing of the message, and so its publisher",
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (JMS, ACTIVEMQ, ARTEMIS, ARTEMIS_CORE, QPID_JAVA, QPID_CPP, RABBITMQ, RABBITMQ_JMS)
    }
)


def find_dialect(dialect: str | Dialect) -> Dialect:
    """Return the dialect of that name; raise ``UnsupportedFeatureError`` if there is none."""
    if isinstance(dialect, Dialect):
        return dialect
    if not isinstance(dialect, str):
        raise unexpected("dialect", "a dialect's name, or a Dialect", dialect)
    record = DIALECTS.get(dialect)
    if record is None:
        near = nearest(dialect, DIALECTS)
        hint = f"did you mean {near[0]}?" if near else f"the dialects are {', '.join(DIALECTS)}"
        fix = OptionFix("dialect", repr(near[0])) if near else None
        raise UnsupportedFeatureError.at(
            "dialect.unknown", f"there is no dialect called {dialect!r}", hint=hint, fix=fix
        )
    return record


def dialects_with(extension: Extension) -> str:
    """Return the names of the dialects that have a construct, for a hint."""
    # The broker's own filters have what its clients' selectors have.
    names = [dialect.name for dialect in DIALECTS.values() if dialect.has(extension) and dialect is not ARTEMIS_CORE]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


#: Reserved words, in any case.
KEYWORDS = ("AND", "OR", "NOT", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "NULL", "TRUE", "FALSE")

#: Words that the SQL filter keeps for later, besides the reserved words in any other spelling than upper case.
UNUSABLE = frozenset("NAN INF LOWER UPPER LEFT RIGHT SUBSTRING UTC DATE EXISTS".split())

_QUERIES = frozenset(("XPATH", "XQUERY"))


@cache
def keywords(words: ReservedWords, queries: bool) -> Mapping[str, str]:
    """Return the reserved words, in the spellings that people use, with their tokens."""
    reserved = set(KEYWORDS)
    if words is ReservedWords.ANY_CASE_WITHOUT_NULL:
        reserved -= {"NULL", "IS"}
    elif words is ReservedWords.UPPER_CASE:
        return {word: word for word in reserved - {"BETWEEN"}}
    spellings = {spelling: word for word in reserved for spelling in (word, word.lower(), word.capitalize())}
    if queries:
        spellings |= dict.fromkeys(("XPATH", "xpath", "XQUERY", "xquery"), "QUERY")
    return spellings


def is_reserved(name: str, dialect: Dialect) -> bool:
    """Return True if the identifier must be quoted."""
    upper = name.upper()
    if upper in KEYWORDS:
        return True
    if dialect.reserved_words is ReservedWords.UPPER_CASE:
        return upper in UNUSABLE
    return dialect.has(Extension.XPATH) and upper in _QUERIES
