"""A failing conformance test prints the selector, the message and the two results."""

from __future__ import annotations

import pytest

from tests.conformance.parted import Parted
from transpiler import Message


def test_a_failure_prints_the_selector_the_message_and_both_verdicts() -> None:
    parted = Parted()
    parted.check()
    parted.add("random_full:1176", "a > 5", Message.of(a=7), True, None)
    with pytest.raises(pytest.fail.Exception) as caught:
        parted.check(["random_full:3"])
    assert str(caught.value) == (
        "cases apart: 1\n"
        "random_full:1176\n"
        "  selector  a > 5\n"
        '  message   {"application_properties": {"a": 7}}\n'
        "  broker    TRUE\n"
        "  here      unknown\n"
        "known cases that agree now: 1\n"
        "random_full:3"
    )
    parted.check(["random_full:1176"])
