"""Conditions on a timestamp and the time of the query, which are solved for the timestamp."""

from __future__ import annotations

import re

import pytest

from transpiler import transpile_selector

NOW = 1_700_000_000_000
SUMS = (
    ("properties.creation_time {} UTC()", 0),
    ("properties.creation_time {} UTC() - 3600000", -3_600_000),
    ("properties.creation_time + 3600000 {} UTC() + 5", -3_599_995),
    ("UTC() + 250 {} properties.creation_time", 250),
    ("UTC() - properties.creation_time {} 5000", -5_000),
    ("7 - properties.creation_time {} 3 - UTC()", 4),
    ("properties.creation_time - UTC() {} 0", 0),
    ("properties.creation_time - 5 {} UTC() - 5", 0),
)


def at(sql: str, now: int) -> str:
    """The SQL with the time of the query in it, as ``now=`` would write it."""

    def known(match: re.Match[str]) -> str:
        offset = int((match[1] or "0").replace(" ", ""))
        return f"timestamp_millis({now + offset})"

    return re.sub(r"timestamp_millis\(unix_millis\(current_timestamp\(\)\)( [+-] \d+)?\)", known, sql)


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "<>"])
@pytest.mark.parametrize(("text", "offset"), SUMS)
def test_sums_are_solved_for_the_timestamp(text: str, offset: int, operator: str) -> None:
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    right = text.startswith("UTC() +") or " - properties" in text
    solved = mirrored.get(operator, operator) if right else operator
    wanted = transpile_selector(f"properties.creation_time {solved} {NOW + offset}", dialect="rabbitmq").sql
    unknown = transpile_selector(text.format(operator), dialect="rabbitmq").sql
    assert "current_timestamp()" in unknown
    assert at(unknown, NOW) == wanted
    assert transpile_selector(text.format(operator), dialect="rabbitmq", now=NOW).sql == wanted


@pytest.mark.parametrize(
    "text",
    [
        "properties.creation_time > UTC() + UTC()",
        "UTC() > UTC() - 5",
        "UTC() < 9999999999999",
        "5 = UTC() OR NOT UTC() > 7",
        "properties.creation_time - properties.absolute_expiry_time > UTC()",
        "properties.creation_time + properties.creation_time > UTC()",
        "properties.creation_time > UTC() - 9000000000000001",
        "properties.creation_time > UTC() - 1.5",
        "weight > UTC() - 5",
    ],
)
def test_other_sums_are_calculated(text: str) -> None:
    assert "timestamp_millis" not in transpile_selector(text, dialect="rabbitmq").sql
