"""Spark has the three-valued results of four brokers on the canonical layout, with the same decisions."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from spark_ext import create_messages
from tests.conformance.decided import RANDOM, REFUSED, SINGLE
from tests.conformance.parted import Parted
from tests.conformance.vectors import RANDOM_FILES, random_messages, random_selectors, single_cases
from tests.message.identity import identity
from tests.sizes import sample
from tests.spark_ext.harness import answers, numbered, settings
from tests.spark_ext.test_agreement import INTERPRETED
from transpiler import Message, transpile_selector


def test_every_probe_and_suite_case_has_the_brokers_verdict_or_a_decision(spark: SparkSession) -> None:
    accepted = dict.fromkeys(case.selector for case in single_cases() if case.selector not in REFUSED)
    selectors = sample(accepted, 120, SINGLE.__contains__)
    tried = set(selectors)
    cases = [case for case in single_cases() if case.selector in tried]
    messages: dict[str, Message] = {identity(case.message): case.message for case in cases}
    rows = {key: index for index, key in enumerate(messages)}
    with settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, messages.values())).cache()
        columns = answers(frame, [transpile_selector(text, result="ternary").sql for text in selectors])
    by_selector = dict(zip(selectors, columns, strict=True))
    parted = Parted()
    for case in cases:
        if (answer := by_selector[case.selector][rows[identity(case.message)]]) is not case.verdict:
            parted.add(case.selector, case.selector, case.message, case.verdict, answer)
    parted.check(set(SINGLE) & tried)


@pytest.mark.parametrize("file", RANDOM_FILES)
def test_every_random_case_has_the_brokers_verdict_or_a_decision(spark: SparkSession, file: str) -> None:
    agreed = sample(random_selectors(file), 50, lambda item: (file, item.selector) in RANDOM)
    tried = {item.selector for item in agreed}
    with settings(spark, INTERPRETED):
        frame = numbered(create_messages(spark, random_messages(file))).cache()
        columns = answers(frame, [transpile_selector(item.selector, result="ternary").sql for item in agreed])
    parted = Parted()
    for item, column in zip(agreed, columns, strict=True):
        for index, verdict in item.verdicts.items():
            if column[index] is not verdict:
                message = random_messages(file)[index]
                parted.add((file, item.selector, index), item.selector, message, verdict, column[index])
    parted.check(
        {
            (*key, index)
            for key, found in RANDOM.items()
            if key[0] == file and key[1] in tried
            for indexes in found.values()
            for index in indexes
        }
    )
