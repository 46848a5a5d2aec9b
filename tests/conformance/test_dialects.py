"""Each dialect rejects the selectors that its broker rejects, and has its result for every message of the vectors."""

from __future__ import annotations

import pytest

from tests.conformance.parted import Parted
from tests.conformance.vectors import DIALECTS, TAKEN_AT, TRUTHS, all_messages, verdicts
from tests.sizes import sample, size
from transpiler import TranspilerError, evaluate, parse_selector
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.receiver import Receiver
from transpiler.reference.evaluate import judge

#: Cases in which a dialect disagrees with its broker, by dialect and case, with the reason. There are none.
PARTED: dict[tuple[str, str], str] = {}

#: Brokers (for RabbitMQ, its JMS client) that never pass an empty or blank text to their parser: they then use no
#: filter, and every message matches. The vectors contain the parser's results.
UNASKED = ("activemq", "artemis", "qpid-java", "rabbitmq-jms")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_refuses_what_its_broker_refuses(dialect: str) -> None:
    parted = Parted()
    for row in sample(verdicts(dialect), 2_000, lambda row: (row.name.partition(":")[0], row.letters == "P")):
        try:
            parse_selector(row.selector, dialect)
        except TranspilerError:
            refused = True
        else:
            refused = False
        if dialect in UNASKED and not row.selector.strip():
            assert row.letters == "P"
            assert not refused
        elif refused is not (row.letters == "P"):
            parted.add((dialect, row.name), row.selector, None, *(("accepts", "refuses")[:: 1 if refused else -1]))
    parted.check({key for key in PARTED if key[0] == dialect})
    assert len(verdicts(dialect)) > 5_800


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_says_what_its_broker_says_and_throws_where_it_throws(dialect: str) -> None:
    parted, cases = Parted(), 0
    rows = [row for row in verdicts(dialect) if row.letters != "P"]
    for row in sample(rows, 1_000, lambda row: (row.name.partition(":")[0], "X" in row.letters)):
        tree = parse_selector(row.selector, dialect)
        for number, letter in zip(row.messages, row.letters, strict=True):
            cases += 1
            message = all_messages()[number]
            found = judge(tree, message, find_dialect(dialect), Receiver(TAKEN_AT))
            if found.truth is not TRUTHS.get(letter) or (found.thrown is not None) is not (letter == "X"):
                broker = "throws" if letter == "X" else TRUTHS.get(letter)
                here = found.truth if found.thrown is None else f"throws: {found.thrown}"
                parted.add((dialect, row.name), row.selector, message, broker, here)
    parted.check({key for key in PARTED if key[0] == dialect})
    assert cases > size(12_000, 75_000)


def test_utc_is_the_clock_unless_it_is_given() -> None:
    message = all_messages()[0]
    assert evaluate("UTC() = 5", message, "rabbitmq", now=5) is True
    assert evaluate("UTC() > 1700000000000", message, "rabbitmq") is True
