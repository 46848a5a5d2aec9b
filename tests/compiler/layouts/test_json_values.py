"""Python parses JSON as ``try_parse_json`` does: the same values, and the same texts that are not JSON."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from tests.compiler.layouts.texts import NASTY, ask
from tests.spark_ext.harness import settings
from transpiler.compiler.layouts.rows import variant_value
from transpiler.compiler.layouts.spark_texts import parse_json

#: PySpark rounds a DECIMAL of a VARIANT to 28 digits. The cast to DOUBLE, which the SQL contains, does not.
_ROUNDED = "1.00000000000000011102230246251565"

TEXTS = tuple(
    dict.fromkeys(
        (
            *(text for text in NASTY if text != _ROUNDED),
            *map(json.dumps, NASTY[:20]),
            *(
                '{"a": 1, "a": 2}',
                '{"a": 1, "A": 2}',
                '{"a": {"b": 1, "b": 2}}',
                "{a: 1}",
                "{'a': 1}",
                '{"a": 1,}',
                "[1,]",
            ),
            *("[NaN]", "[Infinity]", "-Infinity", "[1, 2", "{", "}", "[]]", "// c\n1", "/* c */ 1", "# c\n1", "1 // c"),
            *("\ufeff1", "\u00a01", "\u20281", "\x0b1", "\n1\n", "1\u0000", '"\u0000"', '"\n"', '"\t"', '"\\u0000"'),
            *('"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00"', '"\\x41"', '"\\a"', '"\\/"', '"\\u00e9"', '"é"', '"😀"'),
            *(
                "01",
                "-01",
                "1.",
                ".1",
                "+1",
                "1e5",
                "1E5",
                "1e+5",
                "1.5e0",
                "-0",
                "-0.0",
                "0.0",
                "00",
                "1e400",
                "-1e400",
                "1e-400",
            ),
            *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"),
            *(
                "9" * 38,
                "9" * 39,
                "1" + "0" * 400,
                "0." + "1" * 37,
                "0." + "1" * 39,
                "1." + "0" * 50,
                "0.1",
                "0.10",
                "123456789.123456789",
            ),
            *(
                "true false",
                "truex",
                "true,",
                "true$",
                "{}x",
                '"a" b',
                '"a"b',
                "1]",
                "1,",
                "1 x",
                "1.5 ]",
                "null x",
                "[1] [2]",
            ),
            *(
                '{"\\ud83d": 1}',
                '["\\ude00"]',
                '"\\ud83d\\ud83d\\ude00"',
                '"\\\\ud83d"',
                "1" * 1001,
                "5" * 999,
            ),
            *("true", "True", "TRUE", "truex", "true false", "null", "nul", "NULL", "[null]", '{"": 1}', '{"a b": 1}'),
            *("", " ", "[" * 200 + "]" * 200, "[" * 1001 + "]" * 1001, '{"a":' * 200 + "1" + "}" * 200),
        )
    )
)


def _plain(value: object) -> object:
    """Return ``value``, a VARIANT as plain Python, with the types and values that the reference evaluator uses."""
    found = variant_value(value)
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if found is None else (found.type, found.value)


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_json_is_read_as_in_spark(spark: SparkSession, ansi: str) -> None:
    with settings(spark, {"spark.sql.ansi.enabled": ansi}):
        [answers] = ask(spark, TEXTS, ["try_parse_json(t)"])
    wrong = {}
    for text, variant in zip(TEXTS, answers, strict=True):
        spark_value = None if variant is None else variant.toPython()
        if repr(_plain(parse_json(text))) != repr(_plain(spark_value)):
            wrong[text[:60]] = (repr(parse_json(text))[:60], repr(spark_value)[:60])
    assert wrong == {}


def test_no_text_is_no_value() -> None:
    assert parse_json(None) is None
