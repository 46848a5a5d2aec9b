"""The reference evaluator has the results of four brokers, except where a decision of the default dialect differs."""

from __future__ import annotations

import pytest

from tests.conformance.decided import RANDOM, REFUSED, SINGLE
from tests.conformance.parted import Parted
from tests.conformance.vectors import RANDOM_FILES, random_messages, random_selectors, single_cases
from transpiler import TranspilerError, evaluate, parse_selector


def test_every_probe_and_suite_case_has_the_brokers_verdict_or_a_decision() -> None:
    refused, parted = {}, Parted()
    for case in single_cases():
        try:
            answer = evaluate(case.selector, case.message)
        except TranspilerError as error:
            refused[case.selector] = error.diagnostics[0].code
            continue
        if answer is not case.verdict:
            parted.add(case.selector, case.selector, case.message, case.verdict, answer)
    assert refused == {selector: code for selector, (_, code) in REFUSED.items()}
    parted.check(set(SINGLE))
    assert len(single_cases()) > 2_400


@pytest.mark.parametrize("file", RANDOM_FILES)
def test_every_random_case_has_the_brokers_verdict_or_a_decision(file: str) -> None:
    parted, cases = Parted(), 0
    for agreed in random_selectors(file):
        tree = parse_selector(agreed.selector)
        cases += len(agreed.verdicts)
        for index, verdict in agreed.verdicts.items():
            message = random_messages(file)[index]
            if (answer := evaluate(tree, message)) is not verdict:
                parted.add((file, agreed.selector, index), agreed.selector, message, verdict, answer)
    parted.check(
        {
            (*key, index)
            for key, rows in RANDOM.items()
            if key[0] == file
            for indexes in rows.values()
            for index in indexes
        }
    )
    assert cases > 18_000
