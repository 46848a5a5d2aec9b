"""No row and no setting makes a compiled expression throw, and its result is always that of the reference evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_ext import create_messages, infer_layout, route
from tests.sizes import sample, size
from tests.spark_ext.harness import EXPRESSION_RULES, INTERPRETED, answers, settings
from transpiler import Message, Topology, evaluate, matches, route_message, transpile_filter, transpile_selector
from transpiler.topology import topology_from_dict

NOW = 1_750_000_000_000

#: Settings that change how Spark parses, compares and calculates.
SETTINGS: dict[str, dict[str, str]] = {
    "default": INTERPRETED,
    "lenient": INTERPRETED
    | {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.caseSensitive": "true",
        "spark.sql.session.timeZone": "Asia/Kathmandu",
        "spark.sql.legacy.timeParserPolicy": "LEGACY",
        "spark.sql.legacy.allowNegativeScaleOfDecimal": "true",
        "spark.sql.decimalOperations.allowPrecisionLoss": "false",
        "spark.sql.legacy.literal.pickMinimumPrecision": "false",
        "spark.sql.legacy.castComplexTypesToString.enabled": "true",
        "spark.sql.legacy.charVarcharAsString": "true",
    },
    "strict": INTERPRETED
    | {
        "spark.sql.session.timeZone": "-17:59:59",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        "spark.sql.ansi.enforceReservedKeywords": "true",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.subexpressionElimination.enabled": "false",
        "spark.sql.optimizer.excludedRules": EXPRESSION_RULES,
    },
}
#: Settings with generated code. Only some of the cases run with them, because compilation takes longest.
GENERATED = {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "Pacific/Apia"}
#: The same for the SQL without optimization, in generated code that computes a repeated subexpression each time.
UNOPTIMIZED = {
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.optimizer.excludedRules": EXPRESSION_RULES,
}


def tagged(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "value": value}


#: Edge values of every type.
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    *(tagged("long", n) for n in (0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, NOW)),
    *(tagged("int", n) for n in (2**31 - 1, -(2**31), 5)),
    tagged("byte", -128),
    tagged("short", 32767),
    *(tagged("ulong", n) for n in (2**63, 2**64 - 1)),
    tagged("uint", 2**32 - 1),
    *(tagged("double", x) for x in (0.0, -0.0, 5e-324, 1.7976931348623157e308, 2.5, "NaN", "Infinity", "-Infinity")),
    *(tagged("float", x) for x in (1.401298464324817e-45, "NaN", "-Infinity", 0.1)),
    *(tagged("decimal128", x) for x in ("1E+6144", "1E-6176", "NaN", "-Infinity", "0.1")),
    *(tagged("timestamp", n) for n in (0, -62_135_596_800_000, 253_402_300_799_999, 2**63 - 1, -(2**63))),
    *(tagged("char", c) for c in "a\0😀"),
    tagged("uuid", "00112233-4455-6677-8899-aabbccddeeff"),
    *(tagged("binary", b) for b in ("", "/wD+", "w6k=")),
    tagged("symbol", "a"),
    "",
    "a",
    "A",
    "5",
    "-0x1P3",
    "NaN",
    "true",
    "\0",
    "a\nb",
    "a\r\u2028b",
    "it's \\ ${x} \"`",
    "İıSsßﬁ",
    "e\u0301é",
    "😀\U0010ffff\ufffe",
    " \u00a0a ",
    "x" * size(10_000, 1_000_000),
)

#: Bodies that are XML, almost XML, and not XML.
BODIES = (
    "",
    "<a><b c='1'>2</b></a>",
    "<a",
    "<a>&x;</a>",
    "<a>&lt;</a>",
    "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
    "<?xml version='1.0' encoding='utf-16'?><a/>",
    "\ufeff<a/>",
    "<a>\x00</a>",
    "<a/><a/>",
    "<a/>]]>",
    "</message-body><a/>",
    "<a xmlns='x:y' xmlns:b='z'><b:b/></a>",
    "<a><![CDATA[<b/>]]><!-- c --><?p i?></a>",
    "<a>" * 300 + "</a>" * 300,
    "<a>" * 3_000 + "</a>" * 3_000,
    "<a>" + "<b/>" * 2_000 + "</a>",
    '{"a": [',
)


def messages() -> Iterator[dict[str, Any]]:
    yield {}
    yield {name: {} for name in ("header", "properties", "application_properties", "message_annotations")}
    for number, value in enumerate(VALUES):
        yield {
            "application_properties": {"a": value, "b": VALUES[-1 - number], "c": VALUES[(7 * number) % len(VALUES)]}
        }
    for ident in ("", "ID:", "ID:AMQP_ULONG:x", "ID:a\0", tagged("ulong", 2**64 - 1), tagged("binary", "/wA=")):
        yield {
            "properties": {"message_id": ident, "correlation_id": ident, "subject": "", "to": "", "user_id": "/w=="},
            "header": {"priority": 255, "ttl": 2**32 - 1, "delivery_count": 2**32 - 1, "durable": False},
            "message_annotations": {"x-opt-jms-type": ident, "x-opt-jms-dest": tagged("byte", 9)},
        }
    # Spark's timestamps count microseconds. A time outside their range has no value of that type.
    for time in (0, -1, -62_135_596_800_000, 253_402_300_800_000, 2**63 // 1000 - 1, -(2**63) // 1000 + 1):
        yield {"properties": {"creation_time": time, "absolute_expiry_time": time}}
    for body in BODIES:
        yield {"body": {"section": "amqp-value", "value": body}}
    yield {"body": {"section": "data", "data": "/wA8YT4="}}


MESSAGES = tuple(messages())

#: Disjunctions of twenty conditions, which become rows of constants.
LISTS = tuple(
    " OR ".join(f"({text.format(n, n + 0.75, 2**63 - 100 + n)})" for n in range(20))
    for text in (
        "a BETWEEN {0} AND {1}",
        "a BETWEEN {0}e298 AND {1}e299",
        "a BETWEEN {2} AND 9223372036854775807 AND b > {0}",
        "a BETWEEN -{2} AND -{0}",
        "a > {0} AND b < {1}",
        "a = {0} AND b LIKE 'x{0}%'",
        "NOT a > {0} AND b = 'x'",
        "a LIKE '%{0}%' AND c <> {1}",
    )
)

COMMON = (
    "a = b",
    "a <> c",
    "NOT (a = 1)",
    "a > 1.5",
    "a BETWEEN -1 AND b",
    "a + b * c > 0",
    "a - -9223372036854775808 < 0",
    "a / b >= c",
    "-a = 9223372036854775807",
    "a = 'a'",
    "a LIKE '%a_%'",
    "a LIKE '!%%' ESCAPE '!'",
    "NOT a LIKE '_'",
    "a IN ('a', '', 'x')",
    "a IS NULL OR b IS NOT NULL",
    "a",
    "NOT a",
    "a = TRUE",
    "JMSPriority > 4",
    "JMSTimestamp >= 0",
    "JMSMessageID <> 'ID:'",
    "JMSCorrelationID IS NULL",
    "JMSType = ''",
    "JMSDeliveryMode = 'PERSISTENT'",
)

#: The common selectors on which brokers differ most.
FEW = tuple(COMMON[index] for index in (0, 1, 3, 5, 7, 9, 10, 13, 15, 17, 19, 20))

SELECTORS: dict[str, tuple[str, ...]] = {
    "jms": (
        *COMMON,
        *LISTS,
        "JMSExpiration < 1",
        "amqp.creation_time < 0",
        "a / 0 > 1 OR a / 0.0 > 1",
        "amqp.user_id = 'a'",
    ),
    "activemq": (
        *FEW,
        "a % b = 1",
        "XPATH '//b/@c = 1'",
        "XPATH 'count(//b) > 1 or not(/a)'",
        "REGEX('^a.*$', a)",
        "REGEX('[ax]*', a)",
        "REPLACE(a, 'x', 'y') = 'y'",
        "INLIST(SPLIT('a,5', ','), a)",
        "convert_string_expressions:a > 1",
    ),
    "artemis": (*FEW[::3], "convert_string_expressions:a = 5"),
    "qpid-java": (*FEW[::3], "a % b = 1"),
    "qpid-cpp": (*FEW, "a * b = c"),
    "rabbitmq": (
        *(text for text in FEW if "JMS" not in text),
        *(text[: text.index(") OR", 300) + 1] for text in LISTS[4:]),
        "a % b = 1",
        "header.priority > 4 AND properties.creation_time < UTC()",
        "properties.creation_time - UTC() <= -3600000",
        "UTC() - properties.creation_time <> 9000000000000000",
        "properties.subject = ''",
        "properties.message_id = 5 OR properties.user_id = 0xFF",
    ),
    "rabbitmq-jms": FEW[::2],
}

FILTERS: tuple[dict[str, Any], ...] = (
    {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "#.a.*"},
    {"descriptor": "apache.org:legacy-amqp-direct-binding:string", "value": ""},
    {
        "descriptor": "apache.org:legacy-amqp-headers-binding:map",
        "value": {"x-match": "any", "a": tagged("double", "NaN"), "b": None, "c": tagged("ulong", 2**64 - 1)},
    },
    {"descriptor": "apache.org:selector-filter:string", "value": "a > b"},
    {
        "descriptor": "amqp:properties-filter",
        "value": {"message-id": tagged("binary", "/wA="), "creation-time": tagged("timestamp", -(2**63))},
    },
    {
        "descriptor": "amqp:application-properties-filter",
        "value": {"a": "&p:it's", "b": tagged("float", "-Infinity")},
    },
    {"descriptor": "amqp:application-properties-filter", "value": {"a": tagged("decimal128", "1E+6144"), "b": "&s:"}},
)


def some_selectors() -> list[tuple[str, str]]:
    """Return pairs of a dialect and a selector: in a sample, a part for each dialect."""
    pairs = [(dialect, text) for dialect, selectors in SELECTORS.items() for text in selectors]
    return sample(pairs, 12, lambda pair: pair[0])


def numbered(frame: DataFrame) -> DataFrame:
    return frame.coalesce(1).withColumn("id", sf.monotonically_increasing_id()).cache()


@pytest.fixture(scope="module")
def canonical(spark: SparkSession) -> Iterator[DataFrame]:
    frame = numbered(create_messages(spark, MESSAGES))
    yield frame
    frame.unpersist()


@pytest.fixture(scope="module")
def cases() -> list[tuple[str, list[Any]]]:
    """Return compiled SQL, each with the results of the reference evaluator for every message."""
    known = [Message.from_dict(message) for message in MESSAGES]
    found: list[tuple[str, list[Any]]] = []
    for dialect, text in some_selectors():
        sql = transpile_selector(text, dialect=dialect, result="ternary", now=NOW).sql
        found.append((sql, [evaluate(text, message, dialect, now=NOW) for message in known]))
    for filters in FILTERS:
        sql = transpile_filter(filters, result="boolean").sql
        found.append((sql, [matches(filters, message) for message in known]))
    return found


@pytest.mark.parametrize("name", SETTINGS)
def test_every_message_gets_the_reference_evaluators_answer_under_every_setting(
    spark: SparkSession, canonical: DataFrame, cases: list[tuple[str, list[Any]]], name: str
) -> None:
    assert_answers(spark, canonical, cases, SETTINGS[name])


@pytest.mark.parametrize(("values", "start"), [(GENERATED, 0), (UNOPTIMIZED, 3)])
def test_generated_code_gives_the_same_answers(
    spark: SparkSession, canonical: DataFrame, cases: list[tuple[str, list[Any]]], values: dict[str, str], start: int
) -> None:
    assert_answers(spark, canonical, cases[start::6], values)


def assert_answers(
    spark: SparkSession, frame: DataFrame, cases: list[tuple[str, list[Any]]], values: dict[str, str]
) -> None:
    with settings(spark, values):
        for (sql, expected), seen in zip(cases, answers(frame, [sql for sql, _ in cases]), strict=True):
            wrong = [MESSAGES[row] for row, truth in enumerate(expected) if seen[row] is not truth]
            assert not wrong, f"{str(wrong[0])[:300]}\n{sql}"


#: Unions that no message contains: all fields set, a wrong type name, an unknown type name.
STRANGE = (
    "named_struct('type', {tag}, 'boolean', true, 'long', -9223372036854775808L, 'double', double('NaN'), "
    "'string', CAST(X'FFC328ED' AS STRING), 'binary', X'FFC3')"
)
TAGS = (
    "'boolean'",
    "'long'",
    "'double'",
    "'string'",
    "'uuid'",
    "'binary'",
    "'null'",
    "'LONG'",
    "''",
    "CAST(NULL AS STRING)",
)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_row_that_no_message_can_be_makes_nothing_throw(spark: SparkSession, name: str) -> None:
    from spark_ext import MESSAGE_SCHEMA

    frame = spark.createDataFrame([], MESSAGE_SCHEMA)
    wanted = {field.name: field.dataType.simpleString() for field in MESSAGE_SCHEMA}
    rows = []
    for tag in TAGS:
        value = STRANGE.format(tag=tag)
        entries = f"map('a', {value}, 'b', NULL, 'c', {value}, 'x-opt-jms-type', {value}, 'x-opt-jms-dest', {value})"
        time = f"timestamp_micros({(-1) ** len(rows) * (2**63 - 1)})"
        rows.append(
            f"SELECT CAST(named_struct('durable', NULL, 'priority', -32768S, 'ttl', -9223372036854775808L, "
            f"'first_acquirer', true, 'delivery_count', -1L) AS {wanted['header']}) header, "
            f"{entries} delivery_annotations, {entries} message_annotations, "
            f"named_struct('message_id', {value}, 'user_id', X'FF', 'to', '', 'subject', CAST(X'C3' AS STRING), "
            f"'reply_to', '', 'correlation_id', {value}, 'content_type', '', 'content_encoding', '', "
            f"'absolute_expiry_time', {time}, 'creation_time', {time}, 'group_id', '', 'group_sequence', -1L, "
            f"'reply_to_group_id', '') properties, {entries} application_properties, "
            f"named_struct('section', 'x', 'data', X'FF3C', 'value', {value}) body, {entries} footer"
        )
    strange = frame.unionByName(spark.sql(" UNION ALL ".join(rows)))
    texts = [
        transpile_selector(text, dialect=dialect, result="ternary", now=NOW).sql for dialect, text in some_selectors()
    ]
    texts += [transpile_filter(filters, result="boolean").sql for filters in FILTERS]
    with settings(spark, SETTINGS[name]):
        columns = answers(numbered(strange), texts)
    assert all(value in (True, False, None) for column in columns for value in column)
    assert {len(column) for column in columns} == {len(TAGS)}


#: The messages that AMQP 0-10 can represent: their ids are UUIDs, and they have no body.
ZERO_TEN = tuple(
    message
    for message in MESSAGES
    if "body" not in message and not {"message_id", "correlation_id"} & set(message.get("properties", {}))
)


@pytest.mark.parametrize("name", SETTINGS)
def test_an_archive_of_amqp_0_10_gets_the_reference_evaluators_answer(spark: SparkSession, name: str) -> None:
    known = [Message.from_dict(message) for message in ZERO_TEN]
    assert len(known) > len(VALUES)
    frame = numbered(create_messages(spark, ZERO_TEN, "amqp-0-10"))
    compiled = [transpile_selector(text, "amqp-0-10", result="ternary").sql for text in COMMON]
    with settings(spark, SETTINGS[name]):
        columns = answers(frame, compiled)
    for text, seen in zip(COMMON, columns, strict=True):
        for message, document, answer in zip(known, ZERO_TEN, seen, strict=True):
            assert answer is evaluate(text, message), f"{str(document)[:300]}\n{text}"


@pytest.mark.full
@pytest.mark.parametrize("name", SETTINGS)
def test_a_row_of_amqp_0_10_that_no_message_can_be_makes_nothing_throw(spark: SparkSession, name: str) -> None:
    frame = create_messages(spark, [Message()], "amqp-0-10")
    wanted = {field.name: field.dataType.simpleString() for field in frame.schema}
    rows = []
    for tag in TAGS:
        value = STRANGE.format(tag=tag)
        time = f"timestamp_micros({(-1) ** len(rows) * (2**63 - 1)})"
        rows.append(
            f"SELECT CAST(named_struct('content_length', -1L, 'message_id', X'FF', 'correlation_id', X'C3', "
            f"'reply_to', named_struct('exchange', CAST(X'C3' AS STRING), 'routing_key', NULL), 'content_type', '', "
            f"'content_encoding', '', 'user_id', X'FF', 'app_id', X'', 'application_headers', map('a', {value}, 'b', "
            f"NULL, 'c', {value}, 'qpid.subject', {value})) AS {wanted['message_properties']}) message_properties, "
            f"CAST(named_struct('discard_unroutable', true, 'immediate', true, 'redelivered', NULL, 'priority', "
            f"-32768S, 'delivery_mode', 32767S, 'ttl', -9223372036854775808L, 'timestamp', {time}, "
            f"'expiration', {time}, 'exchange', '', 'routing_key', '', 'resume_id', '', 'resume_ttl', -1L) "
            f"AS {wanted['delivery_properties']}) delivery_properties"
        )
    strange = frame.unionByName(spark.sql(" UNION ALL ".join(rows)))
    texts = [*COMMON, "JMSReplyTo = 'a'", "JMSRedelivered", "JMSXUserID LIKE '_'", "amqp.content_type = ''"]
    compiled = [
        transpile_selector(text, "amqp-0-10", dialect=dialect, result="ternary").sql
        for dialect in ("jms", "qpid-cpp", "qpid-java")
        for text in sample(texts if dialect == "jms" else COMMON[:18], 5)
    ]
    with settings(spark, SETTINGS[name]):
        columns = answers(numbered(strange), compiled)
    assert all(value in (True, False, None) for column in columns for value in column)
    assert {len(column) for column in columns} == {len(TAGS) + 1}


COLLATIONS = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_BINARY_RTRIM", "tr_CI")


@pytest.mark.parametrize("name", SETTINGS)
def test_a_string_column_of_any_collation_is_compared_by_its_characters(spark: SparkSession, name: str) -> None:
    texts = [value for value in VALUES if isinstance(value, str) and len(value) < 100]
    frame = spark.createDataFrame([(text,) for text in texts], "s STRING")
    frame = numbered(frame.selectExpr(*(f"s COLLATE {collation} AS s{n}" for n, collation in enumerate(COLLATIONS))))
    layout = infer_layout(frame)
    selectors = (
        "{} = 'a'",
        "{} <> 'A'",
        "{} IN ('a', 'E', '')",
        "{} LIKE 'a%'",
        "{} LIKE '%S_'",
        "{} LIKE '%i%'",
        "NOT {} = ' a'",
    )
    cases = [(n, text) for n in range(len(COLLATIONS)) for text in selectors]
    compiled = [transpile_selector(text.format(f"s{n}"), layout, result="ternary").sql for n, text in cases]
    with settings(spark, SETTINGS[name]):
        columns = answers(frame, compiled)
    for (n, text), column in zip(cases, columns, strict=True):
        expected = [evaluate(text.format("s"), Message.from_dict({"application_properties": {"s": v}})) for v in texts]
        assert column == expected, (COLLATIONS[n], text)


#: Edge values of typed columns, in SQL that every setting accepts.
EDGES = {
    "wide": [f"CAST('{'9' * 38}' AS DECIMAL(38, 0))", f"CAST('-{'9' * 38}' AS DECIMAL(38, 0))", "NULL"],
    "small": [f"CAST('0.{'9' * 38}' AS DECIMAL(38, 38))", "CAST('-0' AS DECIMAL(38, 38))", "NULL"],
    "f": ["CAST('NaN' AS FLOAT)", "CAST('-Infinity' AS FLOAT)", "CAST('1.4E-45' AS FLOAT)"],
    "d": ["CAST('NaN' AS DOUBLE)", "CAST('-0.0' AS DOUBLE)", "CAST('4.9E-324' AS DOUBLE)"],
    "n": ["CAST('-9223372036854775808' AS BIGINT)", "CAST('9223372036854775807' AS BIGINT)", "NULL"],
    "i": ["CAST('-2147483648' AS INT)", "CAST('2147483647' AS INT)", "NULL"],
    "t": ["timestamp_micros(9223372036854775807)", "timestamp_micros(-9223372036854775808)", "NULL"],
    "w": [
        "timestampadd(MICROSECOND, 9223372036854775807, TIMESTAMP_NTZ'1970-01-01 00:00:00')",
        "TIMESTAMP_NTZ'0001-01-01 00:00:00'",
        "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'",
    ],
    "s": ["CAST(X'FFC328' AS STRING)", "''", "NULL"],
    "y": ["X'FF'", "X''", "NULL"],
    "o": ["true", "false", "NULL"],
}

OF_NAME = (
    " OR ".join(f"{{}} BETWEEN {n} AND {n}.5" for n in range(20)),
    " OR ".join(f"({{}} = {n} AND d > {n})" for n in range(20)),
    "{} = 0",
    "{} > -9223372036854775808",
    "{} <> 1.5",
    "{} < 1e300",
    "{} BETWEEN 0 AND 9223372036854775807",
    "{} + 1 > 0",
    "{} * 9223372036854775807 < 5",
    "{} / 0 = 1",
    "-{} >= 0",
    "{} = 'a'",
    "{} LIKE '%_'",
    "{} IN ('')",
    "{} IS NULL",
    "{}",
    "{} = d",
    "{} < n",
    "{} <> wide",
    "{} >= t",
)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_typed_column_at_its_edges_makes_nothing_throw(spark: SparkSession, name: str) -> None:
    rows = [", ".join(f"{values[n]} AS {column}" for column, values in EDGES.items()) for n in range(3)]
    frame = spark.sql(" UNION ALL ".join(f"SELECT {row}" for row in rows))
    layout = infer_layout(frame)
    compiled = [
        transpile_selector(text.replace("{}", column), layout, dialect=dialect, result="ternary").sql
        for column, text in product(EDGES, OF_NAME)
        for dialect in (("jms", "qpid-cpp") if name == "default" else ("jms",))
    ]
    with settings(spark, SETTINGS[name]):
        columns = answers(numbered(frame), compiled)
    assert all(value in (True, False, None) for column in columns for value in column)


TOPOLOGY = topology_from_dict(
    {
        "broker": "qpid-java",
        "queues": ["q", "it's `q`", "é\u202e"],
        "exchanges": [{"name": "h", "type": "headers"}, {"name": "t", "type": "topic"}],
        "default_exchange": "t",
        "bindings": [
            {"source": "t", "queue": "q", "key": "#", "selector": "a > b OR a LIKE '%''%'"},
            {"source": "t", "exchange": "h", "key": "#"},
            {
                "source": "h",
                "queue": "it's `q`",
                "arguments": {"x-match": "any", "a": tagged("double", "NaN"), "b": None},
            },
            {"source": "h", "queue": "é\u202e", "arguments": {"a": "it's \\ ${x} \"`"}},
        ],
    }
)


@pytest.mark.parametrize("name", ["lenient", "strict"])
def test_every_message_is_routed_as_the_reference_routes_it(
    spark: SparkSession, canonical: DataFrame, name: str
) -> None:
    topology: Topology = TOPOLOGY
    with settings(spark, SETTINGS[name]):
        rows = route(canonical, topology).select("id", "queues").orderBy("id").collect()
    expected = [route_message(topology, Message.from_dict(message)) for message in MESSAGES]
    assert [tuple(row["queues"]) for row in rows] == expected
