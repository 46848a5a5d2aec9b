"""Spark reads a name with dots in a VARIANT and in JSON text as the layout does in Python."""

from __future__ import annotations

import json

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from tests.compiler.layouts.test_dotted_names import DOCUMENTS
from transpiler import evaluate, stores, transpile_selector

SELECTORS = [f"{name} = 5" for name in ("order.total", "a.b.c", "a.b")] + ["order.total IS NULL", "a.b <> 'x'"]


def test_spark_reads_what_the_layout_reads(spark: SparkSession) -> None:
    texts = [json.dumps(document) for document, *_ in DOCUMENTS]
    frame = spark.createDataFrame(list(enumerate(texts)), "id INT, text STRING").selectExpr(
        "id", "text", "parse_json(text) AS v"
    )
    layouts = stores.variant("v"), stores.variant("text", json=True)
    columns = [
        sf.expr(transpile_selector(text, layout, result="ternary").sql) for layout in layouts for text in SELECTORS
    ]
    for number, *found in sorted(frame.select("id", *columns).collect()):
        message = layouts[1].message({"text": texts[number]})
        assert found == [evaluate(text, message) for text in SELECTORS] * 2, texts[number]
