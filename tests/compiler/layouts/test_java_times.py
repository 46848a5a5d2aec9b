"""Times in a Java pattern: Python reads what Spark reads, and a time that was written is read back."""

from __future__ import annotations

from itertools import product

import pytest
from pyspark.sql import SparkSession

from tests.compiler.layouts.texts import ask
from tests.compiler.layouts.written_rows import write_time
from tests.sizes import size
from tests.spark_ext.harness import settings
from transpiler import LayoutError, stores
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.header_readings import Time
from transpiler.compiler.layouts.spark_texts import check_pattern, read_time
from transpiler.compiler.layouts.stored import stored_column
from transpiler.compiler.sql.emitter import emit_value

#: The patterns of the stores, and patterns that people write.
PATTERNS = (
    "yyyy-MM-dd'T'HH:mm:ss[.SSS]X",
    "M/d/yyyy h:mm:ss a",
    "MMM d, yyyy, h:mm:ss a",
    "yyyy-MM-dd HH:mm:ss",
    "yyyy-MM-dd HH:mm:ss.SSS",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "dd.MM.yyyy HH:mm",
    "yyyyMMddHHmmss",
    "yyyy-MM-dd",
    "dd MMM yyyy HH:mm:ss XX",
    "yyyy-MM-dd HH:mm:ss VV",
    "h 'o''clock' a, M/d/yyyy",
    "yyyy-MM-dd'T'HH:mm[:ss[.SSSSSS]]XXX",
    "yyyy-MM-dd HH:mm[:ss[.SSS]]",
    "yyyy-MM-dd[ HH:mm[:ss]]",
    "yyyyMMddHHmm[ss]",
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu")
#: Times in winter and summer, in the hour that occurs twice, on a leap day, around midnight and noon.
MOMENTS = (
    0,
    1_750_772_279_000,
    1_750_772_279_123,
    1_709_164_800_000,
    1_761_438_600_000,
    1_761_442_200_000,
    1_735_689_599_999,
    1_735_732_800_000,
    -1_000,
    -473_385_600_000,
)
TEXTS = (
    *("", " ", "2025", "2025-06-24", "2025-6-24", "2025-02-30", "2025-02-29", "2024-02-29", "2025-13-01"),
    *("2025-06-24T13:37:59Z", "2025-06-24T13:37:59.123Z", "2025-06-24T13:37:59.12Z", "2025-06-24T13:37:59.1234Z"),
    *("2025-06-24T13:37:59+02", "2025-06-24T13:37:59+0200", "2025-06-24T13:37:59+02:00", "2025-06-24T13:37:59-00:30"),
    *(
        "2025-06-24T24:00:00Z",
        "2025-06-24T13:60:00Z",
        "2025-06-24T13:37:60Z",
        "2025-06-24t13:37:59z",
        "2025-06-24T13:37Z",
    ),
    *("2025-06-24T13:37:59.123456+02:00", "2025-06-24T13:37:59.123456Z", "2025-06-24T13:37:59+19:00", "+02025-06-24"),
    *(
        "2025-06-24 13:37:59",
        " 2025-06-24 13:37:59",
        "2025-06-24 13:37:59 ",
        "2025-06-24 13:37:59.1",
        "12025-06-24 1:1:1",
    ),
    *(
        "2025-06-24 13:37:59.123",
        "2025-03-30 02:30:00",
        "2025-10-26 02:30:00",
        "2025-03-09 02:30:00",
        "2025-06-24 24:00:00",
    ),
    *("6/24/2025 1:37:59 PM", "6/24/2025 1:37:59 pm", "06/24/2025 01:37:59 PM", "6/24/2025 0:37:59 PM"),
    *(
        "6/24/2025 12:37:59 AM",
        "6/24/2025 13:37:59 PM",
        "6/24/2025 1:37:59 P",
        "6/31/2025 1:37:59 PM",
        "2/29/2025 1:00:00 AM",
    ),
    *(
        "006/24/2025 1:37:59 PM",
        "6/24/25 1:37:59 PM",
        "6/24/2025 1:7:59 PM",
        "6/24/2025  1:37:59 PM",
        "٦/24/2025 1:37:59 PM",
    ),
    *("Jun 24, 2025, 1:37:59 PM", "jun 24, 2025, 1:37:59 PM", "JUN 24, 2025, 1:37:59 PM", "June 24, 2025, 1:37:59 PM"),
    *(
        "Jun 24, 2025, 1:37:59\u202fPM",
        "Jun 24, 2025, 12:00:00 AM",
        "Sep 9, 2025, 12:00:00 PM",
        "Sept 9, 2025, 1:00:00 PM",
    ),
    *("24.06.2025 13:37", "24.6.2025 13:37", "20250624133759", "2025062413375", "24 Jun 2025 13:37:59 +0200"),
    *(
        "24 Jun 2025 13:37:59 Z",
        "24 Jun 2025 13:37:59 +02:00",
        "24 Jun 2025 13:37:59 +02",
        "2025-06-24 13:37:59 Europe/Berlin",
    ),
    *("2025-06-24 13:37:59 UTC", "2025-06-24 13:37:59 Z", "2025-06-24 13:37:59 Nowhere", "2025-06-24 13:37:59 +02:00"),
    *("2025-06-24 13:37", "2025-06-24T13:37", "2025-06-24T13:37+02:00", "202506241337", "2025-06-24 13"),
    *("1 o'clock PM, 6/24/2025", "1 oclock PM, 6/24/2025", "NaN", "1750772279000", "null"),
)


#: Settings that change how Spark itself converts a text to a time.
SESSIONS = (
    {"spark.sql.session.timeZone": "UTC"},
    {"spark.sql.session.timeZone": "America/Los_Angeles"},
    {"spark.sql.legacy.timeParserPolicy": "LEGACY"},
    {"spark.sql.legacy.timeParserPolicy": "EXCEPTION", "spark.sql.ansi.enabled": "false"},
)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: next(iter(session.values())))
def test_a_time_is_read_as_in_spark(spark: SparkSession, session: dict[str, str]) -> None:
    cases = list(product(PATTERNS, ZONES[: size(2, 4)]))
    texts = [*TEXTS, *(write_time(moment, pattern, zone) for pattern, zone in cases for moment in MOMENTS)]
    texts = list(dict.fromkeys(texts))
    raw = stored_column(("t",), STRING)
    times = [Time(pattern=pattern, zone=zone).stored(raw).values[0].value for pattern, zone in cases]
    with settings(spark, session):
        answers = ask(spark, texts, [emit_value(time) for time in times])
    wrong = {
        (pattern, zone, text): (read_time(text, pattern, zone), answer)
        for (pattern, zone), column in zip(cases, answers, strict=True)
        for text, answer in zip(texts, column, strict=True)
        if read_time(text, pattern, zone) != answer
    }
    assert wrong == {}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("zone", ZONES)
def test_a_time_that_is_written_is_read_again(pattern: str, zone: str) -> None:
    for moment in MOMENTS:
        text = write_time(moment, pattern, zone)
        assert text is not None
        again = read_time(text, pattern, zone)
        assert again is not None, text
        assert write_time(again, pattern, zone) == text


def test_a_time_of_another_year_is_not_written() -> None:
    assert write_time(-62_135_596_800_000, "yyyy-MM-dd", "UTC") == "0001-01-01"
    assert write_time(-62_135_596_800_001, "yyyy-MM-dd", "UTC") is None
    assert write_time(253_402_300_799_999, "yyyy-MM-dd", "UTC") == "9999-12-31"
    assert write_time(253_402_300_799_999, "yyyy-MM-dd", "Asia/Kathmandu") is None


@pytest.mark.parametrize(
    ("pattern", "letter"), [("yyyy-MM-dd G", "G"), ("YYYY", "Y"), ("uuuu-MM-dd", "u"), ("HH:mm z", "z")]
)
def test_a_letter_that_is_not_known_is_refused(pattern: str, letter: str) -> None:
    with pytest.raises(LayoutError, match=f"contains the unsupported letter {letter}") as caught:
        check_pattern(pattern)
    assert caught.value.diagnostics[0].code == "layout.time"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("yyyy-MM-dd[ HH:mm", r"has a \[ without \]"), ("yyyy]", r"a \] without \["), ("]yyyy[", r"a \] without")],
)
def test_a_bracket_without_its_pair_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        stores.time("at", pattern)
    assert stores.time("at", f"'{pattern}'yyyy-MM-dd[ HH:mm]")


def test_a_quoted_letter_is_text() -> None:
    check_pattern("'G' yyyy")
    assert read_time("G 1970", "'G' yyyy", "UTC") == 0
    assert isinstance(Time(pattern="'X' yyyy").stored(stored_column(("t",), STRING)).values[0].value, ir.Apply)


@pytest.mark.parametrize(
    "pattern", ["M/d/yyyy h:mm:ss.SSS a", "dd MMM yyyy[ HH:mm]", "dd MMM yyyy HH:mm VV", "yyyy[-MM]", "yyyy HH:mm[X]"]
)
def test_a_pattern_that_spark_reads_by_other_rules_under_some_settings_is_refused(pattern: str) -> None:
    with pytest.raises(LayoutError, match="perhaps convert the text to a column of type TIMESTAMP") as caught:
        check_pattern(pattern)
    assert caught.value.diagnostics[0].code == "layout.time"
