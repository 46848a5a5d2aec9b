"""Cases from public bug reports and files: the selectors, topologies and source files that caused people trouble.

A row contains its kind, its input, the expected result, and ``why``, the source of the expectation.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from spark_ext import compile_filter, compile_selector, create_messages
from tests.spark_ext.harness import numbered
from transpiler import Message, TranspilerError, evaluate, matches, parse_selector, read_topology, route_message
from transpiler.cli import main

DATA = Path(__file__).parent / "data" / "reports.jsonl"


@cache
def rows() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines())


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    chosen = [row for row in rows() if row["kind"] in kinds]
    assert chosen
    return pytest.mark.parametrize("row", chosen, ids=[row["id"] for row in chosen])


def assert_says(row: dict[str, Any], printed: str) -> None:
    if "must_contain" in row:
        assert row["must_contain"] in printed, row["why"]
    if "must_not_contain" in row:
        assert row["must_not_contain"] not in printed, row["why"]


@of_kind("evaluate", "filter")
def test_the_reference_gives_the_reported_answer(row: dict[str, Any]) -> None:
    message = Message.from_dict(row["message"])
    if row["kind"] == "evaluate":
        assert evaluate(row["selector"], message, row["dialect"]) is row["expect"], row["why"]
    else:
        assert matches(row["filters"], message, dialect=row["dialect"]) is row["expect"], row["why"]


def test_spark_gives_the_reported_answers(spark: SparkSession) -> None:
    chosen = [row for row in rows() if row["kind"] in ("evaluate", "filter")]
    messages = numbered(create_messages(spark, [row["message"] for row in chosen]))
    columns = [
        (
            compile_selector(row["selector"], dialect=row["dialect"], result="ternary", lint=False)
            if row["kind"] == "evaluate"
            else compile_filter(row["filters"], dialect=row["dialect"], result="ternary")
        ).alias(f"c{number}")
        for number, row in enumerate(chosen)
    ]
    answers = messages.select("id", *columns).orderBy("id").collect()
    found = {row["id"]: answers[number][f"c{number}"] for number, row in enumerate(chosen)}
    assert found == {row["id"]: row["expect"] for row in chosen}


@of_kind("parse_error")
def test_a_selector_is_refused_where_the_broker_refuses_it(row: dict[str, Any]) -> None:
    try:
        parse_selector(row["selector"], row["dialect"])
    except TranspilerError:
        assert row["expect"] == "error", row["why"]
    else:
        assert row["expect"] == "parses", row["why"]


@of_kind("hint", "check_expr")
def test_check_says_what_helps(row: dict[str, Any]) -> None:
    result = CliRunner().invoke(main, ["check", "--dialect", row["dialect"], "-e", row["selector"]])
    assert result.exit_code in (0, 1), result.output
    assert_says(row, result.output)


@of_kind("route")
def test_a_message_reaches_the_reported_queues(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "definitions.json"
    path.write_text(json.dumps(row["topology"]), encoding="utf-8")
    message = Message.from_dict(row["message"])
    assert list(route_message(read_topology(path), message, exchange=row["exchange"])) == row["expect"], row["why"]


@of_kind("topology_load")
def test_a_topology_loads_where_the_broker_loads_it(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "definitions.json"
    path.write_text(row["text"], encoding="utf-8")
    try:
        read_topology(path)
    except TranspilerError:
        assert row["expect"] == "error", row["why"]
    else:
        assert row["expect"] == "loads", row["why"]


@of_kind("report")
def test_the_report_says_what_is_so(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "definitions.json"
    path.write_text(json.dumps(row["topology"]), encoding="utf-8")
    result = CliRunner().invoke(main, ["topology", str(path), "--report"])
    assert result.exit_code in (0, 1), result.output
    assert_says(row, result.output)


@of_kind("check")
def test_check_finds_selectors_in_files(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / row["file"]
    path.write_text(row["text"], encoding="utf-8")
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == row["expect"], (row["why"], result.output)
