"""A hint that is followed works: each remedy is data, and after it the selector compiles without the diagnostic."""

from __future__ import annotations

from itertools import product
from operator import itemgetter

import pytest

import transpiler
from tests.language.selector.test_bad_selectors import BAD
from tests.language.selector.test_mistakes import MISTAKES
from tests.sizes import sample
from tests.tools.lint.test_rules import WARNINGS
from transpiler import LayoutError, Message, TranspilerError, stores, transpile_selector
from transpiler.base.diagnostics import ColumnFix, Diagnostic, Fix, OptionFix, WordFix
from transpiler.language.selector.dialects import DIALECTS
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.registry import RULES
from transpiler.tools.test_cases import read_cases

#: The selector, the columns, the fix, and a piece of the hint.
COLUMNS = (
    ("day = '2025-06-01'", "day DATE", ColumnFix("day", "CAST(day AS STRING)"), 'cast("string")'),
    ("day = 1748736000000", "day DATE", ColumnFix("day", "CAST(day AS TIMESTAMP_NTZ)"), 'cast("timestamp_ntz")'),
    ("day BETWEEN 1 AND 2", "day DATE", ColumnFix("day", "CAST(day AS TIMESTAMP_NTZ)"), "milliseconds"),
    (
        "color = 'red'",
        "headers ARRAY<STRUCT<key: STRING, value: STRING>>",
        OptionFix("layout", "stores.kafka_headers('headers')"),
        "stores.kafka_headers('headers')",
    ),
    ("colour = 'red'", "color STRING", Fix("color"), "did you mean color?"),
    ("o.color = 'red'", "color STRING, weight INT", Fix("color"), "did you mean color?"),
    ("color = red", "color STRING, weight INT", Fix("'red'"), "text goes into single quotes: 'red'"),
    ("color = 'red'", "color STRING, color STRING", None, "select the columns of one table, or rename"),
    ("o.color = 'red'", "color STRING, color STRING", OptionFix("missing", "'null'"), "missing='null'"),
    ("o.day = '2025-06-01'", "o STRUCT<day: DATE>", ColumnFix("o.day", "CAST(o.day AS STRING)"), "withField"),
    ("day$ = '2025-06-01'", "`day$` DATE", ColumnFix("day$", "CAST(`day$` AS STRING)"), 'col("`day$`")'),
)


@pytest.mark.parametrize(("selector", "schema", "fix", "hint"), COLUMNS)
def test_a_name_without_a_column_says_what_to_do(
    selector: str, schema: str, fix: Fix | ColumnFix | OptionFix | None, hint: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        transpile_selector(selector, schema)
    [finding] = caught.value.diagnostics
    assert hint in (finding.hint or "")
    if isinstance(fix, Fix):
        assert isinstance(finding.fix, Fix)
        assert finding.fix.text == fix.text
        transpile_selector(finding.fix.apply(selector), schema)
    else:
        assert finding.fix == fix
    if isinstance(fix, ColumnFix):
        kind = fix.expression.rpartition(" AS ")[2].rstrip(")")
        assert not transpile_selector(selector, f"`{fix.column}` {kind}").diagnostics
    if isinstance(fix, OptionFix):
        assert transpile_selector(selector, **{"layout": schema} | {fix.option: eval(fix.value, vars(transpiler))}).sql


#: The schema, the fix, the schema after it, the layout that the hint names, and a text that the hint does not contain.
IN_COLUMNS = (
    (
        "tags ARRAY<STRUCT<name: STRING, value: STRING>>",
        ColumnFix(
            "tags",
            "transform(tags, x -> named_struct('key', CAST(x.name AS STRING), 'value', CAST(x.value AS STRING)))",
        ),
        "tags ARRAY<STRUCT<key: STRING, value: STRING>>",
        "stores.kafka_headers('tags')",
    ),
    (
        "h STRUCT<tags: ARRAY<STRUCT<key: STRING, value: DOUBLE>>>",
        ColumnFix(
            "tags",
            "transform(h.tags, x -> named_struct('key', CAST(x.key AS STRING), 'value', CAST(x.value AS STRING)))",
        ),
        "tags ARRAY<STRUCT<key: STRING, value: STRING>>",
        "stores.kafka_headers('tags')",
    ),
    (
        "tags MAP<STRING, DOUBLE>",
        ColumnFix("tags", "CAST(tags AS MAP<STRING, STRING>)"),
        "tags MAP<STRING, STRING>",
        "stores.text_map('tags'",
    ),
    ("h STRUCT<m: MAP<STRING, STRING>>", ColumnFix("m", "h.m"), "m MAP<STRING, STRING>", "stores.text_map('m'"),
    ("h STRUCT<v: VARIANT>", ColumnFix("v", "h.v"), "v VARIANT", "stores.variant('v')"),
)


@pytest.mark.parametrize(("schema", "fix", "after", "store"), IN_COLUMNS)
def test_a_column_of_properties_that_no_layout_reads_is_made_one_that_a_layout_reads(
    schema: str, fix: ColumnFix, after: str, store: str
) -> None:
    found = _refused("color = 'red'", schema)
    assert (found.fix, "missing" in (found.hint or ""), store in (found.hint or "")) == (fix, False, True)
    remedy = _refused("color = 'red'", after).fix
    assert isinstance(remedy, OptionFix)
    assert remedy.value.startswith(store)


@pytest.mark.parametrize("schema", ["m MAP<INT, STRING>", "m MAP<STRING, ARRAY<ARRAY<INT>>>, size INT"])
def test_a_map_whose_keys_or_values_are_no_propertys_is_reported_as_one(schema: str) -> None:
    hint = _refused("color = 'red'", schema).hint or ""
    assert 'perhaps copy the value that is meant into a new column, as in df.withColumn(NAME, col("m")[KEY])' in hint
    assert "missing" not in hint


def _refused(selector: str, schema: str) -> Diagnostic:
    with pytest.raises(LayoutError) as caught:
        transpile_selector(selector, schema)
    return caught.value.diagnostics[0]


KAFKA = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT"


@pytest.mark.parametrize(
    ("selector", "schema", "expected_text", "absent_text"),
    [
        ("JMSType = 'stock'", KAFKA, "includeHeaders", "timestampType"),
        (
            "JMSType = 'stock'",
            KAFKA.replace("timestampType INT", "timestampType STRING"),
            "includeHeaders",
            "timestampType",
        ),
        ("JMSType = 'stock'", "order_type STRING, kind_type INT", "order_type", "kind_type"),
        ("temp > 5", "level INT, tags MAP<STRING, DOUBLE>", "text_map", "missing="),
        ("payload.color = 'red'", "payload STRING", "and color in the place of payload.color", "did you mean"),
        ("day > '2025-06-01'", "day DATE", "timestamp_ntz", 'cast("timestamp")'),
    ],
)
def test_a_hint_names_columns_that_can_have_the_value(
    selector: str, schema: str, expected_text: str, absent_text: str
) -> None:
    with pytest.raises(TranspilerError) as caught:
        transpile_selector(selector, schema)
    text = str(caught.value)
    assert expected_text in text
    assert absent_text not in text


@pytest.mark.parametrize(
    ("selector", "dialect", "written"),
    [
        ("JMSMessageID <> '*:10'", "jms", "JMSMessageID NOT LIKE '%:10'"),
        ("'*:10' = JMSMessageID", "jms", "JMSMessageID LIKE '%:10'"),
        ("NOT color LIKE 'b%'", "activemq", "NOT (color LIKE 'b%')"),
        ("NOT size > 5", "activemq", "NOT (size > 5)"),
        ("NOT color IN ('b')", "activemq", "NOT (color IN ('b'))"),
        ("NOT size BETWEEN 1 AND 5", "activemq", "NOT (size BETWEEN 1 AND 5)"),
        ("x = -017", "jms", "x = -17"),
    ],
)
def test_a_remedy_keeps_the_sense_of_the_condition(selector: str, dialect: str, written: str) -> None:
    try:
        findings = transpile_selector(selector, dialect=dialect).diagnostics
    except TranspilerError as error:
        findings = error.diagnostics
    assert [one.fix.apply(selector) for one in findings if isinstance(one.fix, Fix)] == [written]
    assert not transpile_selector(written, dialect=dialect).diagnostics


def test_a_word_of_a_document_has_what_is_meant_as_data() -> None:
    for made, word, meant in (
        (lambda: Message.from_dict({"propertes": {}}), "propertes", "properties"),
        (lambda: stores.struct(headers={"JMSTypo": "kind"}), "JMSTypo", "JMSType"),
        (lambda: read_cases("a.yaml", f"{_CASE}    expcet: unknown\n"), "expcet", "expect"),
    ):
        with pytest.raises(TranspilerError) as caught:
            made()
        fix = caught.value.diagnostics[0].fix
        assert isinstance(fix, WordFix)
        assert (fix.word, fix.text) == (word, meant)


_CASE = "selector: a = 1\ncases:\n  - message: {}\n"


def test_json_in_a_binary_column_is_reported_when_the_layout_is_made() -> None:
    with pytest.raises(LayoutError, match="BINARY") as caught:
        stores.variant("value", json=True, schema="value BINARY")
    assert caught.value.diagnostics[0].fix == ColumnFix("value", "CAST(value AS STRING)")


@pytest.mark.parametrize("selector", ["payload = 'x'", "payload LIKE 'x%'", "payload IN ('x')"])
def test_a_text_beside_a_binary_column_has_its_cast_as_the_remedy(selector: str) -> None:
    [finding] = transpile_selector(selector, "payload BINARY").diagnostics
    assert finding.fix == ColumnFix("payload", "CAST(payload AS STRING)")
    assert 'col("payload").cast("string")' in (finding.hint or "")


def test_a_pandas_frame_as_the_schema_is_reported_as_one() -> None:
    frame = type("DataFrame", (), {"__module__": "pandas.core.frame"})()
    with pytest.raises(LayoutError, match="pandas"):
        transpile_selector("color = 'red'", frame)


#: The selector, the dialect, and the selector after the fix of the first warning.
LEGAL = (
    ("JMSDeliveryMode = 2", "jms", "JMSDeliveryMode = 'PERSISTENT'"),
    ("JMSDeliveryMode = 1", "jms", "JMSDeliveryMode = 'NON_PERSISTENT'"),
    ("JMSDeliveryMode = 'persistent'", "jms", "JMSDeliveryMode = 'PERSISTENT'"),
    ("JMSMessageID = '*:10'", "jms", "JMSMessageID LIKE '%:10'"),
    ("JMSMessageID = '1234'", "jms", "JMSMessageID = 'ID:1234'"),
    ("NOT color = 'blue'", "activemq", "NOT (color = 'blue')"),
    ("JMSTimestamp > 1717200000", "jms", "JMSTimestamp > 1717200000000"),
    ("JMSPriority = '5'", "jms", "JMSPriority = 5"),
    ("weight BETWEEN 10 AND 5", "jms", "weight BETWEEN 5 AND 10"),
    ("name LIKE '*foo*'", "jms", "name LIKE '%foo%'"),
    ("region LIKE 'eu'", "jms", "region = 'eu'"),
    ("JMSMessageID = 'ID:host*'", "jms", "JMSMessageID LIKE 'ID:host%'"),
    ("JMSMessageID = '1234*'", "jms", "JMSMessageID LIKE 'ID:1234%'"),
    ("JMSMessageID = '*'", "jms", "JMSMessageID IS NOT NULL"),
    ("JMSCorrelationID = 'a*c'", "jms", "JMSCorrelationID LIKE 'a%c'"),
    ("JMSMessageID LIKE '1234%'", "jms", "JMSMessageID LIKE 'ID:1234%'"),
    ("AMQUserID LIKE '1234%'", "artemis-core", "AMQUserID LIKE 'ID:1234%'"),
    ("color = '*b_l*'", "jms", "color LIKE '%b!_l%' ESCAPE '!'"),
    ("color IN ('bl%')", "jms", "color LIKE 'bl%'"),
    ("name = 'O&apos;Brien'", "jms", "name = 'O''Brien'"),
    ("name IN ('x', 'a&amp;b')", "jms", "name IN ('x', 'a&b')"),
    ("name LIKE 'a&amp;b%'", "jms", "name LIKE 'a&b%'"),
    ("NOT color IS NULL", "activemq", "NOT (color IS NULL)"),
    ("NOT color IS NOT NULL", "artemis", "NOT (color IS NOT NULL)"),
    ("NOT aCount = bCount", "activemq", "NOT (aCount = bCount)"),
    ("(NOT color = 'x')", "activemq", "(NOT (color = 'x'))"),
    ("a = 1 OR ( color = 'bl*' )", "jms", "a = 1 OR ( color LIKE 'bl%' )"),
    ("color = 'red' OR color = 'red'", "jms", "color = 'red'"),
    ("color IN ('red', 'blue', 'red')", "jms", "color IN ('red', 'blue')"),
    ("order-type = 5", "artemis", '"order-type" = 5'),
    ("order-type = 5", "rabbitmq", "[order-type] = 5"),
)


@pytest.mark.parametrize(("selector", "dialect", "fixed"), LEGAL)
def test_a_warning_that_is_followed_is_gone(selector: str, dialect: str, fixed: str) -> None:
    [finding, *_] = _findings(selector, dialect)
    assert isinstance(finding.fix, Fix)
    assert finding.fix.apply(selector) == fixed
    assert not [one for one in _findings(fixed, dialect) if one.severity != "info"]


def test_every_fix_of_every_rule_leads_to_a_selector_without_its_finding() -> None:
    texts = dict.fromkeys([*(rule.wrong for rule in RULES), *(row[0] for row in WARNINGS)])
    # test_mistakes parses each text before and after its fix, in every dialect.
    refused = dict.fromkeys(str(row[0]) for row in (*MISTAKES, *BAD))
    tried = [*product(texts, DIALECTS), *sample(product(refused, DIALECTS), 2 * len(refused), stratum=itemgetter(0))]
    tried += [(f"NOT ({rule.wrong}) AND zz = 1", rule.dialect) for rule in RULES]
    undone = []
    for text, dialect in ((text, dialect) for text, dialect in tried if len(text) < 200):
        before = _findings(text, dialect)
        was_legal = all(one.severity != "error" for one in before)
        for finding in before:
            if not isinstance(finding.fix, Fix):
                continue
            fixed = finding.fix.apply(text)
            after = _findings(fixed, dialect)
            if _located(finding, text) in [_located(one, fixed) for one in after]:
                undone.append((dialect, text, fixed, finding.code))
            if was_legal and any(one.severity == "error" for one in after):
                undone.append((dialect, text, fixed, "an error"))
    assert not undone


def _located(finding: Diagnostic, text: str) -> tuple[str, str, str]:
    """Return the code and message of the diagnostic, and the text from its position on."""
    return finding.code, finding.message, "" if finding.span is None else text[finding.span.start :]


def _findings(text: str, dialect: str) -> list[Diagnostic]:
    return [one.diagnostic for one in Checker().check(text, (DIALECTS[dialect],)).findings]


def test_a_hyphen_in_rabbitmq_is_written_in_brackets() -> None:
    [finding, *_] = _findings("order-type = 5", "rabbitmq")
    assert "write [order-type] for the property of that name" in (finding.hint or "")
