"""Texts at the borders of what a cast accepts, and Spark's answers to SQL over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from tests.compiler.stores.strategies import TEXTS

#: Texts that Java or Spark reads as a number, a boolean or a blank and Python does not, and the reverse.
NASTY = tuple(
    dict.fromkeys(
        (
            *TEXTS,
            *(
                "1_000",
                "١٢",
                "５",
                "²",
                "½",
                "0b1",
                "0o7",
                "1e+",
                "1e5f",
                "1e5D",
                ".e5",
                "0.",
                "-.",
                "+-5",
                "--5",
                "- 5",
            ),
            *(
                "+inf",
                "-INF",
                "Inf",
                "+Infinity",
                "+NaN",
                "-NaN",
                "nAn",
                "Infinityd",
                "infinity ",
                "1.0f",
                "1.0F",
                "0xA",
            ),
            *("0x.8p1", "0x1.8P-1d", "-0x1p1024", "0x1p", "0xp1", "1p5", "0x1p-1080"),
            *("127", "128", "-128", "-129", "32767", "32768", "2147483647", "2147483648", "-2147483649", "00000000128"),
            *("9223372036854775807 ", "+9223372036854775807", "-9223372036854775808", "0009223372036854775807"),
            *(
                "340282346638528859811704183484516925440",
                "3.5e38",
                "1.4e-45",
                "1e-46",
                "1.7976931348623157e308",
                "5e-324",
            ),
            *("2.2250738585072011e-308", "1.00000000000000011102230246251565", "16777217", "0.1f", "123456789.5"),
            *(
                "\u00005",
                "5\u0000",
                "\u001f5\u001f",
                "\u007f5\u007f",
                "\u00855",
                "\u20035",
                "\ufeff5",
                "\x0b5\x0c",
                "5\r\n",
            ),
            *(
                "T",
                "Y",
                "N",
                "no",
                "f",
                "tru",
                "ye",
                "on",
                "off",
                " yes ",
                "\u007ftrue\u007f",
                "\u0000true",
                "TRue",
                "01",
            ),
        )
    )
)


def ask(spark: SparkSession, texts: Sequence[str], expressions: Sequence[str]) -> list[list[Any]]:
    """Return for each SQL expression over the column ``t`` its values for all ``texts``."""
    frame = spark.createDataFrame([(index, text) for index, text in enumerate(texts)], "place INT, t STRING")
    columns = [sf.expr(text).alias(f"c{index}") for index, text in enumerate(expressions)]
    rows = sorted(frame.coalesce(1).select("place", *columns).collect(), key=lambda row: row[0])
    return [[row[index + 1] for row in rows] for index in range(len(expressions))]
