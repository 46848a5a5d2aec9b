"""The text of SQL: an operand is safe in every position, and a regular expression ends where the text ends."""

from __future__ import annotations

from itertools import product

import pytest
from pyspark.sql import SparkSession

from transpiler import evaluate, stores, transpile_filter, transpile_selector
from transpiler.compiler.compile_options import Result
from transpiler.message.message import Message
from transpiler.message.types import AmqpType, AmqpValue

SELECTORS = (
    *("c = 'a' OR c = 'b'", "c = 'a' AND n > 2", "c = 'a'", "NOT c = 'a'", "c IS NULL", "c NOT LIKE '%a%'", "b"),
    *("c IN ('a', 'b')", "NOT b", "n BETWEEN 1 AND 2", "c LIKE 'a_b%c'", "TRUE", "n + 1 > 2", ""),
)
WHERES = ("NOT {}", "false AND {}", "{} IS NULL", "{} = false", "true = {}", "{} IN (true)", "coalesce({}, false)")
ROWS = tuple(product((None, "a", "b"), (None, 2, 3), (None, True, False)))
COLUMNS = "c STRING, n BIGINT, b BOOLEAN"


@pytest.mark.parametrize("result", ["filter", "boolean", "ternary"])
def test_the_text_of_a_selector_is_one_operand_of_a_larger_condition(spark: SparkSession, result: Result) -> None:
    texts = [str(transpile_selector(text, COLUMNS, result=result)) for text in SELECTORS]
    binding = {
        "descriptor": "apache.org:legacy-amqp-headers-binding:map",
        "value": {"x-match": "any", "c": "a", "n": 3},
    }
    texts.append(str(transpile_filter({"f": binding}, COLUMNS, result=result)))
    frame = spark.createDataFrame(ROWS, COLUMNS).coalesce(1)
    spliced = [(where.format(text), where.format(f"({text})")) for text, where in product(texts, WHERES)]
    columns = [f"({bare}) <=> ({guarded}) AS same{index}" for index, (bare, guarded) in enumerate(spliced)]
    answers = [all(column) for column in zip(*frame.selectExpr(*columns).collect(), strict=True)]
    assert [bare for (bare, _), same in zip(spliced, answers, strict=True) if not same] == []


#: Line ends. Java's $ matches before the last line end, and Python's before the last line feed.
LINE_ENDS = ("\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029")
NUMBERS = ("5", "5.5", "+5", "5e0", "5d")


def test_a_number_with_a_line_end_behind_it_is_text(spark: SparkSession) -> None:
    texts = [number + end for number in NUMBERS for end in ("", *LINE_ENDS)] + ["\t 5 \x01", "\u00855"]
    selectors = ("x = 5", "x > 4.5", "x <> 5", "x = '5'", "x + 1 = 6")
    expected, sqls = [], []
    for types, selector in product(("by-use", "parsed"), selectors):
        layout = stores.text_map(types=types)
        sql = str(transpile_selector(selector, layout, result="ternary"))
        sqls.append(sql.replace("properties", "map('x', t)"))
        expected.append([evaluate(selector, layout.message({"properties": {"x": text}})) for text in texts])
    for selector in ("a = 5", "a > 4", "5 <= a", "a = 5.0", "4.5 < a"):
        converting = f"convert_string_expressions:{selector}"
        sql = str(transpile_selector(converting, "a STRING", dialect="activemq", result="ternary"))
        sqls.append(sql)
        messages = [Message(application_properties={"a": AmqpValue(AmqpType.STRING, text)}) for text in texts]
        expected.append([evaluate(converting, message, "activemq") for message in messages])
    frame = spark.createDataFrame([(text, text) for text in texts], "t STRING, a STRING").coalesce(1)
    columns = zip(*frame.selectExpr(*(f"{sql} AS c{index}" for index, sql in enumerate(sqls))).collect(), strict=True)
    assert dict(zip(sqls, map(list, columns), strict=True)) == dict(zip(sqls, expected, strict=True))
