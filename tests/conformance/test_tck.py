"""The selectors of the Jakarta Messaging TCK: the reference evaluator and Spark return what the TCK asserts.

The TCK observes only whether a message is delivered, so that its FALSE means FALSE or unknown.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.conformance.parted import Parted
from tests.sizes import sample, size
from tests.spark_ext.harness import answers, numbered, settings
from tests.spark_ext.test_agreement import INTERPRETED
from transpiler import Message, TranspilerError, evaluate, transpile_selector

DATA = Path(__file__).parent / "data" / "tck.jsonl"

#: The dialects of Java's family, and the TCK cases that the broker itself does not pass.
FAMILY: dict[str, set[str]] = {
    "jms": set(),
    "activemq": set(),
    "artemis": set(),
    # Broker-J reads %% as % before it looks for the escape character.
    "qpid-java": {"jakartaee/platform-tck MsgSelectorQueueTests.likeTest17#1"},
}


class Case(NamedTuple):
    """A selector and a message; ``expected`` is whether it is delivered, or "error" for a rejected selector."""

    name: str
    selector: str
    message: Message
    expected: bool | str


@cache
def cases() -> tuple[Case, ...]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    # A consumer without a selector is the same as a consumer with an empty selector.
    return tuple(
        Case(row["id"], row["selector"] or "", Message.from_dict(row.get("message") or {}), row["expected"])
        for row in rows
    )


def parted(found: dict[str, bool | str]) -> Parted:
    apart = Parted()
    for case in cases():
        if case.name in found and found[case.name] != case.expected:
            apart.add(case.name, case.selector, case.message, case.expected, found[case.name])
    return apart


@pytest.mark.parametrize("dialect", FAMILY)
def test_the_reference_passes_all_selectors_of_the_tck(dialect: str) -> None:
    found: dict[str, bool | str] = {}
    for case in cases():
        try:
            found[case.name] = evaluate(case.selector, case.message, dialect) is True
        except TranspilerError:
            found[case.name] = "error"
    parted(found).check(FAMILY[dialect])
    assert len(found) == len(cases()) == 175


@pytest.mark.parametrize("dialect", FAMILY)
def test_spark_passes_all_selectors_of_the_tck(spark: SparkSession, dialect: str) -> None:
    found: dict[str, bool | str] = {}
    compiled: list[tuple[int, Case, str]] = []
    tried = sample(cases(), 60, lambda case: case.name in FAMILY[dialect])
    for row, case in enumerate(tried):
        try:
            compiled.append((row, case, transpile_selector(case.selector, dialect=dialect).sql))
        except TranspilerError:
            found[case.name] = "error"
    with settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, [case.message for case in tried])).cache()
        columns = answers(frame, [sql for _, _, sql in compiled])
        frame.unpersist()
    for (row, case, _), column in zip(compiled, columns, strict=True):
        found[case.name] = column[row] is True
    parted(found).check(FAMILY[dialect])
    assert len(found) == len(tried) >= size(60, 175)
