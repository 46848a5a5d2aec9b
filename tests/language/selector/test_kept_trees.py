"""The cached tree of a text that is parsed again is the same object, separately for each dialect, in every thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from transpiler import SelectorSyntaxError, evaluate, parse_selector
from transpiler.language.selector.dialects import JMS, find_dialect
from transpiler.language.selector.parsing import KEPT_LENGTH, KEPT_TREES


def test_a_text_that_is_read_again_has_the_same_tree() -> None:
    assert parse_selector("a = 1 AND b = 'x'") is parse_selector("a = 1 AND b = 'x'")
    assert parse_selector("a = 1") == parse_selector("a = 1", JMS)


def test_a_dialect_of_the_same_name_has_trees_of_its_own() -> None:
    strict = replace(find_dialect("activemq"), max_terms=2)
    text = "a = 1 OR b = 2"
    assert parse_selector(text, "activemq") is not None
    with pytest.raises(Exception, match="more than 2 names and literals"):
        parse_selector(text, strict)
    assert parse_selector(text, "activemq") is not None


def test_an_error_is_raised_each_time() -> None:
    for _ in range(2):
        with pytest.raises(SelectorSyntaxError):
            parse_selector("a = = 1")


def test_few_trees_are_kept_and_no_long_one() -> None:
    first = parse_selector("first = 1")
    for number in range(KEPT_TREES):
        parse_selector(f"a = {number}")
    assert parse_selector("first = 1") is not first
    long = f"a = '{'x' * KEPT_LENGTH}'"
    assert parse_selector(long) is not parse_selector(long)


def test_threads_evaluate_one_text_alike() -> None:
    text = "color = 'red' AND weight > 2500"
    cases = [(color, weight) for color in ("red", "blue") for weight in range(2490, 2510)] * 5
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda case: evaluate(text, {"color": case[0], "weight": case[1]}), cases))
    assert found == [color == "red" and weight > 2500 for color, weight in cases]
