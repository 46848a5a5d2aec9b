"""In every broker's dialect, Spark's result for the emitted SQL is the reference evaluator's."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from spark_ext import create_messages, infer_layout
from tests.compiler.layouts.written_rows import row_of
from tests.conformance.vectors import DIALECTS
from tests.sizes import is_full, sample, size
from tests.spark_ext import strategies
from tests.spark_ext.harness import answers, numbered
from tests.spark_ext.harness import settings as spark_settings
from tests.spark_ext.test_agreement import INTERPRETED, PHASES, RECEIVER
from transpiler import Message, TranspilerError, evaluate, parse_selector, print_selector, transpile_selector
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.receiver import Receiver
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.evaluate import judge

SELECTORS, MESSAGES = size(5, 10), 16
EXAMPLES = 1


def takes(text: str, dialect: str) -> bool:
    """Return True if ``dialect`` can parse ``text``."""
    try:
        parse_selector(text, dialect)
    except TranspilerError:
        return False
    return True


def accepted(trees: list[ast.Expression], dialect: str) -> list[str]:
    """Return the texts of the selectors that ``dialect`` accepts, in its spelling."""
    texts = dict.fromkeys(print_selector(tree, dialect) for tree in trees)
    return [text for text in texts if takes(text, dialect)]


def assert_agreement(
    frame: object, layout: Layout | str, dialect: str, texts: list[str], messages: list[Message]
) -> None:
    rules = find_dialect(dialect)
    wanted = [
        [judge(parse_selector(text, dialect), message, rules, Receiver(**RECEIVER)).truth for message in messages]
        for text in texts
    ]
    results = ("ternary", "filter")
    sqls = [
        transpile_selector(text, layout, dialect=dialect, result=result, missing="null", **RECEIVER).sql  # type: ignore[arg-type]
        for result in results
        for text in texts
    ]
    # A sample runs one query for both results. At full size the queries are large enough.
    parts = [sqls] if not is_full() else [sqls[: len(texts)], sqls[len(texts) :]]
    columns = iter([column for part in parts for column in answers(frame, part)])  # type: ignore[arg-type]
    for index, result in enumerate(results):
        for text, sql, truths in zip(texts, sqls[index * len(texts) :], wanted, strict=False):
            column = next(columns)
            seen = column if result == "ternary" else [answer is True for answer in column]
            expected = truths if result == "ternary" else [truth is True for truth in truths]
            assert seen == expected, f"{dialect} {result}: {text}\n{sql}"


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_the_canonical_layout(
    spark: SparkSession, dialect: str, ansi: str, data: st.DataObject
) -> None:
    names = strategies.NAMES + strategies.HEADERS + (("m.other", "m.x-opt-jms-type") if dialect == "artemis" else ())
    trees = data.draw(
        st.lists(strategies.selectors(names, null_tests_any=True), min_size=SELECTORS, max_size=SELECTORS)
    )
    messages = data.draw(st.lists(strategies.messages, min_size=MESSAGES, max_size=MESSAGES))
    with spark_settings(spark, {"spark.sql.ansi.enabled": ansi, **INTERPRETED}):
        frame = numbered(create_messages(spark, messages))
        assert_agreement(frame, "amqp", dialect, accepted(trees, dialect), messages)


ANNOTATED = (
    {},
    {
        "message_annotations": {"x-opt-a": "O", "x-opt-n": 2, "_AMQ_A": "own", "x-opt-A": "as AMQP shows it"},
        "application_properties": {"m.app": "p", "m.x-opt-n": 7},
    },
    {"message_annotations": {"x-opt-a": 2.5, "x-opt-n": None, "_AMQ_A": "own"}},
    {"message_annotations": {"_AMQ_A": "own", "x-opt-n": True, "app": "p"}},
)
OF_ANNOTATIONS = (
    "\"m.x-opt-a\" = 'O'",
    "\"m.x-opt-a\" <> 'Z'",
    '"m.x-opt-a" > 2',
    "\"m.x-opt-a\" LIKE 'O%'",
    '"m.x-opt-n" = 2',
    '"m.x-opt-n" <> 2',
    '"m.x-opt-n" > 1',
    '"m.x-opt-n" IS NULL',
    '"m.x-opt-n" IS NOT NULL',
    "convert_string_expressions:\"m.x-opt-n\" = '2'",
    '"m.x-opt-n"',
    "\"m._AMQ_A\" = 'own'",
    "\"m.app\" = 'p'",
    '"m." IS NULL',
)
#: The results for the four messages, as the broker's code defines them: T, F, or U for unknown.
OF_THE_BROKER = "UTFU UTTU UFTU UTFU UTUF UFUT UTUF TFTF FTFT UTUF UFUT UFTT UUUT TTTT".split()


def test_artemis_reads_message_annotations_behind_their_prefix(spark: SparkSession) -> None:
    messages = [Message.from_dict(data) for data in ANNOTATED]
    reported = [
        "".join({True: "T", False: "F", None: "U"}[evaluate(text, message, "artemis")] for message in messages)
        for text in OF_ANNOTATIONS
    ]
    assert reported == OF_THE_BROKER
    frame = numbered(create_messages(spark, messages))
    assert_agreement(frame, "amqp", "artemis", list(OF_ANNOTATIONS), messages)


#: Typed columns of every width, with names that identify their AMQP types.
COLUMNS = "flag boolean, b tinyint, sh smallint, i int, n bigint, f float, x double, s string, bin binary"


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(max_examples=EXAMPLES, phases=PHASES, suppress_health_check=list(HealthCheck))
def test_spark_agrees_with_the_reference_on_typed_columns(
    spark: SparkSession, dialect: str, data: st.DataObject
) -> None:
    schema = StructType.fromDDL(COLUMNS)
    names = (*schema.names, "missing")
    trees = data.draw(
        st.lists(strategies.selectors(names, null_tests_any=True), min_size=SELECTORS, max_size=SELECTORS)
    )
    messages = data.draw(st.lists(strategies.typed_messages(), min_size=MESSAGES, max_size=MESSAGES))
    layout = infer_layout(schema)
    with spark_settings(spark, INTERPRETED):
        frame = numbered(spark.createDataFrame([row_of(layout, message) for message in messages], schema))
        assert_agreement(frame, layout, dialect, accepted(trees, dialect), messages)


#: Corner cases: a dialect, a selector, the properties, and the result of the broker itself.
CORNERS = (
    ("qpid-cpp", "i = 0x010", {"i": 16}, True),
    ("qpid-cpp", "i = 0b010", {"i": 2}, True),
    ("qpid-cpp", "i = 010", {"i": 8}, True),
    ("qpid-cpp", "s LIKE 'a\x00z'", {"s": "abc"}, True),
    ("qpid-cpp", "s LIKE 'b\x00%'", {"s": "abc"}, False),
    ("qpid-java", "s LIKE 'x!\tbc' ESCAPE '!'", {"s": "x\x9bc"}, True),
    ("qpid-java", "s LIKE 'x!\tbc' ESCAPE '!'", {"s": "x\tbc"}, False),
    ("activemq", "s LIKE '\t\tb_' ESCAPE '\t'", {"s": "\x9bc"}, True),
    ("rabbitmq", "s LIKE '\n%a%' ESCAPE '\n'", {"s": "%ab"}, True),
    ("artemis", "TRUE <> -5", {}, True),
    ("artemis", "convert_string_expressions:s + 1 = '51'", {"s": "5"}, True),
    ("artemis", "convert_string_expressions:1 + s = 6", {"s": "5"}, True),
    ("activemq", "convert_string_expressions:1 + s = 6", {"s": "5"}, None),
)
#: Artemis' arithmetic on texts that are numbers and on other texts.
READ = (
    "1 + a = 6",
    "a + 1 = '51'",
    "a - b > 0",
    "a / '2' = 2.5",
    "b * a <= 25",
    "'5.' * a = 25",
    "a % b IS NULL",
    "a * b + '1' BETWEEN 1 AND 30",
    "NOT (a - 1 = '4')",
    "-a - 1 = 4",
    "a - 'x' = 1",
    "a - 2147483647 * b < 7",
)
NUMBERS_IN_TEXT = (
    *(AmqpValue(AmqpType.STRING, text) for text in ("5", "5.", "+5", " 5.5 ", " 5", "x", "", ".", "1e3", "1.e1")),
    *(
        AmqpValue(AmqpType.STRING, text)
        for text in ("NaN", "9223372036854775807", "9223372036854775808", "5.0f", "-0.0")
    ),
    AmqpValue(AmqpType.INT, 5),
    AmqpValue(AmqpType.LONG, -5),
    AmqpValue(AmqpType.DOUBLE, 2.5),
    AmqpValue(AmqpType.BYTE, 5),
    AmqpValue(AmqpType.BOOLEAN, True),
    None,
)


def test_a_corner_of_a_broker_is_answered_as_by_the_broker(spark: SparkSession) -> None:
    for dialect, text, properties, truth in CORNERS:
        messages = [Message.of(**properties)]
        assert evaluate(text, messages[0], dialect) is truth, (dialect, text)
        assert_agreement(numbered(create_messages(spark, messages)), "amqp", dialect, [text], messages)


def test_artemis_calculates_with_numbers_in_texts(spark: SparkSession) -> None:
    messages = [
        Message(application_properties={name: value for name, value in zip("ab", values, strict=True) if value})
        for values in sample(product(NUMBERS_IN_TEXT, NUMBERS_IN_TEXT), 60)
    ]
    texts = [f"convert_string_expressions:{text}" for text in sample(READ, 6)]
    with spark_settings(spark, INTERPRETED):
        assert_agreement(numbered(create_messages(spark, messages)), "amqp", "artemis", texts, messages)


#: A property value of every AMQP type that a broker distinguishes, and None for a missing property.
EVERY_TYPE = (
    AmqpValue(AmqpType.STRING, "x"),
    AmqpValue(AmqpType.STRING, ""),
    AmqpValue(AmqpType.CHAR, "y"),
    AmqpValue(AmqpType.BOOLEAN, True),
    AmqpValue(AmqpType.BYTE, 5),
    AmqpValue(AmqpType.INT, 7),
    AmqpValue(AmqpType.LONG, -(2**63)),
    AmqpValue(AmqpType.FLOAT, 1.5),
    AmqpValue(AmqpType.DOUBLE, 1e21),
    AmqpValue(AmqpType.BINARY, b"x"),
    AmqpValue(AmqpType.NULL, None),
    None,
)
SUMS = (
    "a + b = 'xx'",
    "a + b = 'x5'",
    "a + 'y' = 'xy'",
    "'x' + a = 'x1.5'",
    "a + b + b = 'x77'",
    "a + b LIKE 'x_'",
    "a + b <> 'x'",
    "a + b IS NULL",
    "a + b > 5",
    "NOT (a + b + 1 = 'xtrue1')",
    "a - b < 2 OR a * b = 35 OR a / b = 1",
    "a + b + c > 1 AND a * b * c < 1000",
    # Java has no negation for a byte, but for int and long, and all three are in the same column.
    "1 - -a = 8",
    "NOT (0.5 + -a <= -6 AND b = 5)",
)
#: Java's equals is false for a member of another type, and a NULL in the list throws an exception.
LISTS = (
    "INLIST(MAKELIST('x', 7, 1.5, TRUE, 5), a)",
    "INLIST(MAKELIST(a, 'x'), b)",
    "NOT INLIST(MAKELIST('x', b, 7), a)",
    "INLIST(MAKELIST(a, NULL), 7)",
    "INLIST(MAKELIST(NULL, 7), b)",
)
#: A long chain. The SQL of a longer one is twice as long, and takes Spark as much time as all other selectors.
LONG_SUMS = ("a + b + c + a > 1 AND a * b * c < 1000",)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_spark_agrees_on_operations_with_values_of_all_types(spark: SparkSession, dialect: str) -> None:
    messages = [
        Message(application_properties={name: value for name, value in zip("abc", values, strict=True) if value})
        for values in sample(product(EVERY_TYPE, EVERY_TYPE, EVERY_TYPE[4:6]), 53)
    ]
    texts = [text for text in (*SUMS, *LISTS, *LONG_SUMS[: size(0, 1)]) if takes(text, dialect)]
    assert len(texts) > 2
    with spark_settings(spark, INTERPRETED):
        assert_agreement(numbered(create_messages(spark, messages)), "amqp", dialect, texts, messages)


#: Integers of every width near the constants, and values that are not integers.
EDGES = (
    *(AmqpValue(AmqpType.ULONG, number) for number in (0, 5, 99, 100, 2**63 - 2, 2**63 - 1, 2**63, 2**64 - 1)),
    *(AmqpValue(AmqpType.LONG, number) for number in (-(2**63), -1, 5, 100, 2**63 - 2, 2**63 - 1)),
    *(AmqpValue(AmqpType.DOUBLE, number) for number in (-0.0, 99.99, 2.0**63, float("inf"), float("nan"))),
    *(AmqpValue(kind, 5) for kind in (AmqpType.BYTE, AmqpType.UINT, AmqpType.TIMESTAMP)),
    AmqpValue(AmqpType.CHAR, "c"),
    AmqpValue(AmqpType.FLOAT, 1.5),
    AmqpValue(AmqpType.BOOLEAN, True),
)
BOUNDS = ("0", "-1", "5", "99", "99.99", "100.0", "-0.5", "9223372036854775806", "9223372036854775807")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_spark_agrees_on_numbers_at_the_edges(spark: SparkSession, dialect: str) -> None:
    messages = [Message(application_properties={"a": value}) for value in EDGES]
    tests = [f"a {operator} {bound}" for operator in ("<", "<=", ">", ">=", "=", "<>") for bound in BOUNDS]
    texts = [text for text in tests if takes(text, dialect)]
    assert len(texts) > 40
    with spark_settings(spark, INTERPRETED):
        assert_agreement(numbered(create_messages(spark, messages)), "amqp", dialect, texts, messages)
