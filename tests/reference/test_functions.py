"""Functions of ActiveMQ applied to values of types that they do not accept."""

from __future__ import annotations

import pytest

from transpiler import Message, parse_selector
from transpiler.language.selector.broker_dialects import ACTIVEMQ
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge


@pytest.mark.parametrize(
    ("selector", "truth", "thrown"),
    [
        ("INLIST(MAKELIST('x', 'y'), a)", True, False),
        ("INLIST(MAKELIST('y'), a)", False, False),
        ("INLIST(a, 'x')", None, True),
        ("INLIST('x', a)", None, True),
        ("INLIST(missing, a)", None, True),
    ],
)
def test_inlist_throws_on_what_is_no_list(selector: str, truth: bool | None, thrown: bool) -> None:
    tree = parse_selector(selector, ACTIVEMQ)
    assert tree is not None
    verdict = judge(tree, Message.of(a="x"), ACTIVEMQ, Receiver(0))
    assert (verdict.truth, verdict.thrown is not None) == (truth, thrown)
