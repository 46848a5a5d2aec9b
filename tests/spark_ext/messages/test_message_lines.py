"""Spark reads lines of message JSON as ``create_messages`` does, and reports the same errors for the same lines."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from spark_ext import MESSAGE_SCHEMA, compile_selector, create_messages, read_messages
from spark_ext.messages.message_lines import CONTENT, NO_MESSAGE, PROBLEM, parse_lines
from tests.sizes import size
from tests.spark_ext.strategies import messages
from transpiler import Message, TranspilerError
from transpiler.base.documents.jsontext import JsonTextError, load_json

ROOT = Path(__file__).parents[3]
FILES = [
    ROOT / "examples" / "data" / "messages.jsonl",
    ROOT / "tests" / "message" / "amqp" / "data" / "amqp_messages.jsonl",
]


def parsed(spark: SparkSession, lines: Iterable[str]) -> list[Row]:
    frame = spark.createDataFrame([(index, line) for index, line in enumerate(lines)], "place INT, value STRING")
    return with_numbers(parse_lines(frame).orderBy("place")).collect()


def with_numbers(frame: DataFrame) -> DataFrame:
    """Return messages with times as numbers, because a Python datetime ends at the year 9999."""
    properties = sf.col("properties")
    for name in ("absolute_expiry_time", "creation_time"):
        properties = properties.withField(name, sf.unix_micros(f"properties.{name}"))
    return frame.withColumn("properties", properties)


def plain(value: Any) -> Any:
    """Return ``value`` in a form in which NaN equals itself, and -0.0 differs from 0.0."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def assert_same(spark: SparkSession, lines: list[str]) -> None:
    found = parsed(spark, lines)
    expected = with_numbers(create_messages(spark, map(json.loads, lines))).collect()
    assert len(found) == len(expected)
    for line, one, other in zip(lines, found, expected, strict=True):
        assert one[PROBLEM] is None, line
        assert plain(tuple(one)[: len(MESSAGE_SCHEMA)]) == plain(tuple(other)), line


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_the_messages_of_files_are_those_of_python(spark: SparkSession, file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()[: size(150, 2_000)]
    sent = [json.loads(line) for line in lines]
    texts = [json.dumps(line.get("message", line), ensure_ascii=False) for line in sent]
    with_content = [text for text in texts if re.search(r'"type": "(list|map)", "value"', text)]
    assert {row[PROBLEM] for row in parsed(spark, with_content)} <= {CONTENT}
    assert_same(spark, [text for text in texts if text not in with_content])


@given(st.lists(messages, min_size=40, max_size=40))
@settings(max_examples=size(1, 8))
def test_any_messages_are_those_of_python(spark: SparkSession, sent: list[Message]) -> None:
    assert_same(spark, [json.dumps(message.to_dict()) for message in sent])


VALUES = [
    *(
        "5",
        '"5"',
        "true",
        "null",
        "0.1",
        "2500.0",
        "-0.0",
        "-0.00",
        "-0e0",
        "0",
        "-0",
        "1e300",
        "1e999",
        "5E-324",
        '""',
    ),
    *("9223372036854775807", "-9223372036854775808", "12345678901234567890.0", "9223372036854775808e0"),
    *('"\\u0000"', '"é\\ud83d\\ude00"', '"a\\"b\\\\"', '" red "'),
    *('{"type": "list"}', '{"type": "map"}', '{"type": "array"}', '{"type": "map", "value": null}'),
    *('{"type": "null"}', '{"type": "null", "value": null}', '{"type": "int"}', '{"type": "string", "value": null}'),
]
TAGGED = {
    "boolean": ["true", "false"],
    "ubyte": ["0", "255"],
    "ushort": ["65535"],
    "uint": ["4294967295"],
    "ulong": ["0", "9223372036854775807", "9223372036854775808", "18446744073709551615"],
    "byte": ["-128", "127"],
    "short": ["-32768"],
    "int": ["2147483647"],
    "long": ["-9223372036854775808"],
    "float": ["0.1", "-0.0", "5", '"NaN"', '"Infinity"', '"-Infinity"', "1e999", "1e300", "3.4028235e38", "-0"],
    "double": ["0.1", "-0.0", "5", '"NaN"', '"Infinity"', '"-Infinity"', "1e999", "123456789012345678901234567890"],
    "decimal32": ['"2.5"', '"-0"', '"1E3"', '"NaN"', '"Infinity"', '".5"', '"5."'],
    "decimal64": ['"0.1"'],
    "decimal128": ['"12345678901234567890.123"', '"1e400"'],
    "char": ['"a"', '"\\ud83d\\ude00"'],
    "timestamp": ["1750772279000", "-1"],
    "uuid": [
        '"0123abcd-0123-0123-0123-0123456789AB"',
        '"0123abcd012301230123-0123456789ab"',
        '"{00112233445566778899aabbccddeeff}"',
    ],
    "binary": ['""', '"YQ=="', '"/+8="', '"YWI="'],
    "string": ['"x"', '"5"'],
    "symbol": ['"x"'],
}
WELL_FORMED = [
    "{}",
    " { } \t",
    '{"header": null, "properties": null, "body": null, "footer": null}',
    '{"header": {}, "properties": {}, "body": {}, "footer": {}, "application_properties": {}}',
    '{"header": {"durable": null, "priority": null, "ttl": null}, "properties": {"to": null, "message_id": null}}',
    '{"header": {"durable": true, "priority": 255, "ttl": 4294967295, "first_acquirer": false, "delivery_count": 0}}',
    '{"properties": {"absolute_expiry_time": 9223372036854775807, "creation_time": -9223372036854775808}}',
    '{"properties": {"to": "", "user_id": "YQ==", "content_type": "text/xml", "group_sequence": 4294967295}}',
    *(
        f'{{"properties": {{"message_id": {text}, "correlation_id": {text}}}}}'
        for text in (
            '"x"',
            "0",
            "18446744073709551615",
            '{"type": "uuid", "value": "0123abcd012301230123-0123456789ab"}',
        )
    ),
    '{"body": {"section": "data", "data": "YQ=="}}',
    '{"body": {"section": "amqp-value", "value": null}}',
    '{"body": {"section": "amqp-value", "value": {"type": "string", "value": null}}}',
    '{"body": {"section": "amqp-value"}}',
    '{"body": {"section": "data", "value": null}}',
    '{"body": {"value": null}}',
    *(
        f'{{"body": {{"section": "amqp-value", "value": {{"type": "{name}"}}}}}}'
        for name in ("list", "map", "described")
    ),
    '{"body": {"section": "amqp-value", "value": {"type": "array", "value": null}}}',
    '{"body": {"section": "amqp-sequence", "value": {"type": "double", "value": -0.0}}}',
    *(
        f'{{"{section}": {{"a b.c`\\"": {value}, "": 1, "{section}": {value}}}}}'
        for section in ("application_properties", "message_annotations", "delivery_annotations", "footer")
        for value in VALUES
    ),
    *(
        f'{{"footer": {{"x": {{"type": "{name}", "value": {text}}}, "y": {{"value": {text}, "type": "{name}"}}}}}}'
        for name, texts in TAGGED.items()
        for text in texts
    ),
]


# In a sample, the only test of this file that runs generated code.
def test_every_form_of_a_value_is_that_of_python(spark: SparkSession) -> None:
    assert_same(spark, WELL_FORMED)


ILL_FORMED = [
    *(
        "[]",
        "[{}]",
        "5",
        "null",
        '"x"',
        "{oops",
        "{} {}",
        "{}{}",
        "{} x",
        "{},",
        "{},{}",
        "{}]",
        "{",
        '{"header": {}',
        "\ufeffx",
    ),
    *('{"headers": {}}', '{"Header": {}}', '{"exchange": "x"}', '{"header": 5}', '{"properties": []}', '{"body": "x"}'),
    *('{"header": {"prioritty": 1}}', '{"header": {"priority": 256}}', '{"header": {"priority": -1}}'),
    *('{"header": {"priority": 4.0}}', '{"header": {"priority": "4"}}', '{"header": {"durable": "true"}}'),
    *(
        '{"header": {"ttl": 4294967296}}',
        '{"header": {"ttl": 123456789012345678901234567890}}',
        '{"header": {"ttl": {}}}',
    ),
    *('{"properties": {"to": 5}}', '{"properties": {"to": {"type": "string"}}}', '{"properties": {"user_id": "a"}}'),
    *(
        '{"properties": {"user_id": "Y Q="}}',
        '{"properties": {"user_id": "YQ==\\n"}}',
        '{"properties": {"content_type": "é"}}',
    ),
    *('{"properties": {"creation_time": "5"}}', '{"properties": {"creation_time": 9223372036854775808}}'),
    *('{"properties": {"message_id": -1}}', '{"properties": {"message_id": 18446744073709551616}}'),
    *(
        '{"properties": {"message_id": 1.5}}',
        '{"properties": {"message_id": true}}',
        '{"properties": {"message_id": []}}',
    ),
    *(
        '{"properties": {"message_id": {"type": "int", "value": 5}}}',
        '{"properties": {"message_id": {"type": "string"}}}',
    ),
    *('{"properties": {"message_id": {"type": "null"}}}', '{"properties": {"durable: BOOLEAN, to": "x"}}'),
    *('{"body": {"section": "Data"}}', '{"body": {"section": 5}}', '{"body": {"data": "?"}}', '{"body": {"zzz": 5}}'),
    *('{"body": {"value": 5, "zzz": 5}}', '{"body": {"value": []}}', '{"body": {"value": {"type": "descriped"}}}'),
    *('{"body": {"value": {"type": "described", "value": 5}}}', '{"body": {"value": 5, "section": 1}}'),
    *(
        f'{{"application_properties": {{"a": 1, "x": {value}}}}}'
        for value in (
            *(
                "[]",
                "[1]",
                "{}",
                '{"value": 5}',
                '{"type": 5}',
                '{"type": null}',
                '{"type": "sting"}',
                '{"type": "described"}',
            ),
            *('{"type": "int", "value": 5, "unit": "kg"}', '{"type": "int", "unit": "kg"}', '{"unit": "kg"}'),
            *("9223372036854775808", "-9223372036854775809", "123456789012345678901234567890123456789012", "NaN"),
            *('{"type": "array", "value": []}', '{"type": "map", "value": 5}', '{"type": "list", "value": "x"}'),
            *(
                f'{{"type": "{name}", "value": {text}}}'
                for name, texts in {
                    "null": ["5", '""'],
                    "boolean": ["1", '"true"'],
                    "ubyte": ["256", "-1", "1.0", '"1"', "1e0"],
                    "uint": ["4294967296"],
                    "ulong": ["-1", "18446744073709551616", "12345678901234567890.0"],
                    "int": ["2147483648"],
                    "long": ["9223372036854775808", "9223372036854775808.0", "true"],
                    "float": ['"5"', '"nan"', "true"],
                    "double": ['"5"', '"inf"', "true", "[]"],
                    "decimal64": ["5", '"x"', '""', '"1d"', '"1.5 x"'],
                    "char": ['""', '"ab"', "5"],
                    "timestamp": ['"2025-01-01"', "1.5"],
                    "uuid": ['"x"', '"0123abcd-0123-0123-0123-0123456789a"', "5"],
                    "binary": ['"a"', '"YQ="', '"Y=Q="', "5"],
                    "string": ["5", "true", "{}"],
                    "symbol": ['"é"', "5"],
                }.items()
                for text in texts
            ),
        )
    ),
    *('{"application_properties": {"x": "\\ud800"}}', '{"application_properties": {"\\udc00": 5}}'),
    '{"properties": {"to": "\0"}}',
]
#: Python's parser accepts NaN and repeated names, which JSON does not allow.
STRICTER = ['{"application_properties": {"x": NaN}}', '{"application_properties": {"x": 1, "x": 2}}']


def python_reads(line: str) -> bool:
    try:
        Message.from_dict(load_json(line))
    except (TranspilerError, JsonTextError):
        return False
    return True


def test_a_line_that_python_rejects_is_rejected_by_spark(spark: SparkSession) -> None:
    found = [
        (line, row[PROBLEM])
        for line, row in zip(ILL_FORMED + STRICTER, parsed(spark, ILL_FORMED + STRICTER), strict=True)
    ]
    assert [line for line in ILL_FORMED if python_reads(line)] == [line for line in ILL_FORMED if '"x": NaN' in line]
    assert [line for line, problem in found if problem != NO_MESSAGE] == []


def test_the_content_of_a_list_or_a_map_is_reported(spark: SparkSession) -> None:
    lines = [
        '{"application_properties": {"x": {"type": "list", "value": [1]}}}',
        '{"footer": {"x": {"type": "map", "value": {}}}}',
        '{"body": {"section": "amqp-value", "value": {"type": "map", "value": {"a": [1]}}}}',
    ]
    assert [row[PROBLEM] for row in parsed(spark, lines)] == [CONTENT] * 3


@pytest.mark.full
@pytest.mark.parametrize(
    ("line", "expected_text"),
    [
        ("{oops", "messages.jsonl: this line is not a message in JSON: {oops"),
        ('{"footer": {"x": {"type": "list", "value": []}}}', "which create_messages reads and Spark cannot"),
    ],
)
def test_no_query_overlooks_a_wrong_line(spark: SparkSession, tmp_path: Path, line: str, expected_text: str) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text(f'{{"header": {{"priority": 7}}}}\n{line}\n', encoding="utf-8")
    messages = read_messages(spark, str(file))
    for frame in (messages, messages.filter(compile_selector("JMSPriority > 6")), messages.select("header.priority")):
        for act in (frame.count, frame.collect):
            with pytest.raises((PySparkException, Py4JJavaError), match=re.escape(expected_text)):
                act()


@pytest.mark.full
def test_files_are_read_whatever_they_are_called(spark: SparkSession, tmp_path: Path) -> None:
    text = "\ufeff" + "".join(f'{{"header": {{"priority": {index}}}}}\r\n\r\n' for index in range(5))
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "part-0.json").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "z.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    for paths, count in (("a b",), 5), (("a b/*", "z.jsonl.gz"), 10):
        frame = read_messages(spark, *(str(tmp_path / path) for path in paths))
        assert frame.schema == MESSAGE_SCHEMA
        assert frame.count() == count
