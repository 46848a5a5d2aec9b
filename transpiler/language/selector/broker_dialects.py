"""The dialects of brokers, one record for each dialect; ``dialects`` imports this module at the first access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from transpiler.language.selector.dialect import Dialect, define
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
from transpiler.message.operand_types import (
    QPID_CPP_TYPES,
    RABBITMQ_JMS_TYPES,
    SQL_FILTER_TYPES,
    TYPED_JMS,
)

#: Apache ActiveMQ Classic. An exception during evaluation reaches the code that dispatches the message. The consumer
#: treats an empty selector as no selector, so the parser never reads it (testEmptyPropertySelector in ActiveMQ's
#: tests).
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

#: Apache ActiveMQ Artemis, for the selectors of its clients. Its parser is a modified copy of ActiveMQ's. For a blank
#: text, ``FilterImpl.createFilter`` returns no filter.
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

#: Apache ActiveMQ Artemis, for filters configured in the broker. No client library rewrites their names and literals.
ARTEMIS_CORE = replace(ARTEMIS, name="artemis-core", fields=ARTEMIS_CORE_FIELDS)

#: Apache Qpid Broker-J. Its parser derives from ActiveMQ's, but NOT has a lower precedence than comparisons, and AND
#: and OR have other truth tables. Its class ``FilterSupport`` treats a blank text as no filter.
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

#: The Apache Qpid C++ broker, for receivers over AMQP 0-10.
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

#: RabbitMQ 4, for SQL filters (``amqp:sql-filter``) of consumers of a stream.
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

#: RabbitMQ's JMS topic exchange. The client compiles the selector, and the server evaluates it. For a blank text, the
#: client binds without a selector.
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

BROKERS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: define(dialect)
        for dialect in (ACTIVEMQ, ARTEMIS, ARTEMIS_CORE, QPID_JAVA, QPID_CPP, RABBITMQ, RABBITMQ_JMS)
    }
)
