"""Type tests that guard several comparisons of an untyped value."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import B, N, S, column, compare, conjunction, disjunction, one_of
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, VARIANT
from transpiler.compiler.rewrites.gather_guarded import gather_guarded
from transpiler.compiler.rewrites.optimizer import optimize

NAME = ir.Apply(ir.Function.VARIANT_TYPE, (column("v", VARIANT),), STRING)
OTHER_NAME = ir.Apply(ir.Function.VARIANT_TYPE, (column("w", VARIANT),), STRING)
PREFIX = ir.Apply(ir.Function.LEFT, (NAME, ir.constant(3)), STRING)
TEXT, TIME = compare(NAME, "=", "STRING"), compare(NAME, "=", "TIMESTAMP")
NUMBER, NO_TEXT = one_of(PREFIX, "BIG", "DEC"), one_of(NAME, "STRING", "BOOLEAN", negated=True)
DIGITS = ir.Matches(S, "[^0-9]", negated=True)
RED, BLUE = compare(S, "=", "red"), compare(S, "=", "blue")
LOW, HIGH, EARLY, LATE = compare(N, ">", 4), compare(N, "<", 6), compare(N, ">", 40), compare(N, "<", 60)

REWRITTEN: dict[str, tuple[ir.Predicate, ir.Predicate]] = {
    "two comparisons under one guard": (
        disjunction(conjunction(TEXT, RED), conjunction(TEXT, BLUE)),
        conjunction(TEXT, disjunction(RED, BLUE)),
    ),
    "the guard of a text": (
        disjunction(conjunction(DIGITS, LOW), conjunction(DIGITS, HIGH)),
        conjunction(DIGITS, disjunction(LOW, HIGH)),
    ),
    "a guard that excludes types": (
        disjunction(conjunction(NO_TEXT, LOW), conjunction(NO_TEXT, HIGH)),
        conjunction(NO_TEXT, disjunction(LOW, HIGH)),
    ),
    "several comparisons in a term, and a term without a guard": (
        disjunction(conjunction(TEXT, RED, LOW), ir.IsTrue(B), conjunction(TEXT, BLUE)),
        disjunction(conjunction(TEXT, disjunction(conjunction(RED, LOW), BLUE)), ir.IsTrue(B)),
    ),
    "complements under one guard": (
        conjunction(ir.NotTrue(conjunction(TEXT, RED)), LOW, ir.NotTrue(conjunction(TEXT, BLUE))),
        conjunction(ir.NotTrue(disjunction(conjunction(TEXT, RED), conjunction(TEXT, BLUE))), LOW),
    ),
    "a range under two guards of which one holds at most": (
        conjunction(
            disjunction(conjunction(NUMBER, LOW), conjunction(TIME, EARLY)),
            disjunction(conjunction(NUMBER, HIGH), conjunction(TIME, LATE)),
        ),
        disjunction(conjunction(NUMBER, LOW, HIGH), conjunction(TIME, EARLY, LATE)),
    ),
}

KEPT: dict[str, ir.Predicate] = {
    "comparisons under different guards": disjunction(conjunction(TEXT, RED), conjunction(NUMBER, LOW)),
    "a common comparison that tests no type": disjunction(conjunction(LOW, RED), conjunction(LOW, BLUE)),
    "a range under two guards that may both hold": conjunction(
        disjunction(conjunction(NUMBER, LOW), conjunction(compare(NAME, "=", "BIGINT"), EARLY)),
        disjunction(conjunction(NUMBER, HIGH), conjunction(compare(NAME, "=", "BIGINT"), LATE)),
    ),
    "a range under the types of two values": conjunction(
        disjunction(conjunction(NUMBER, LOW), conjunction(compare(OTHER_NAME, "=", "TIMESTAMP"), EARLY)),
        disjunction(conjunction(NUMBER, HIGH), conjunction(compare(OTHER_NAME, "=", "TIMESTAMP"), LATE)),
    ),
    "one complement": conjunction(ir.NotTrue(conjunction(TEXT, RED)), LOW),
    "a test alone": TEXT,
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_guard_is_written_once(before: ir.Predicate, after: ir.Predicate) -> None:
    assert gather_guarded(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_chain_without_a_common_guard_is_unchanged(node: ir.Predicate) -> None:
    assert gather_guarded(node) is node


def test_equalities_under_one_guard_become_a_list() -> None:
    either = disjunction(conjunction(TEXT, RED), conjunction(TEXT, BLUE))
    guarded = conjunction(TEXT, one_of(S, "red", "blue"))
    assert optimize(either) == guarded
    assert optimize(conjunction(ir.NotTrue(conjunction(TEXT, RED)), ir.NotTrue(conjunction(TEXT, BLUE)))) == ir.NotTrue(
        guarded
    )
