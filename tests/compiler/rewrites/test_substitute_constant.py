"""substitute_constant: if a value equals a constant, other tests of the conjunction use the constant."""

from __future__ import annotations

import math

import pytest

from tests.compiler.rewrites.nodes import D, N, S, column, compare, conjunction, is_null, one_of
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.rewrites import chains
from transpiler.compiler.rewrites.chains import substitute_constant

RED = compare(S, "=", "red")
TRIMMED = ir.Apply(ir.Function.TRIMMED, (S,), STRING)
NO_NUMBER = ir.Matches(TRIMMED, "^[0-9]+$", negated=True)
OTHER = ir.Column(("other",), STRING)

REWRITTEN = {
    "no number": ((NO_NUMBER, RED), RED),
    "a number": ((ir.Matches(S, "^[0-9]+$"), RED), ir.FALSE),
    "digits": ((NO_NUMBER, compare(S, "=", "12")), ir.FALSE),
    "not a word": (
        (NO_NUMBER, ir.In(TRIMMED, (ir.constant("true"),), negated=True), compare(S, "<>", "null"), RED),
        RED,
    ),
    "a bound that holds": ((compare(N, "=", 5), compare(N, ">", 3)), compare(N, "=", 5)),
    "a bound that does not": ((compare(N, "=", 5), compare(N, ">", 7)), ir.FALSE),
    "its own inequality": ((compare(N, "<>", 5), compare(N, "=", 5)), ir.FALSE),
    "another constant": ((compare(N, "=", 5), compare(N, "=", 6)), ir.FALSE),
    "a list that has it": ((one_of(N, 4, 5), compare(N, "=", 5)), compare(N, "=", 5)),
    "a pattern": ((RED, ir.Like(S, ("r", Wildcard.ANY))), RED),
    "NULL": ((is_null(S), RED), ir.FALSE),
    "a NaN": ((compare(D, "=", 5.0), ir.IsNan(D)), ir.FALSE),
    "zeros of both signs, which are equal": ((compare(D, "=", -0.0), compare(D, ">=", 0.0)), compare(D, "=", -0.0)),
    "a list with a bound": ((one_of(N, 1, 5, 9), compare(N, ">", 3)), one_of(N, 5, 9)),
    "a list with a bound that leaves one": ((compare(N, ">", 3), one_of(N, 1, 5)), compare(N, "=", 5)),
    "a list with a bound that leaves none": ((one_of(N, 1, 5), compare(N, "<", 1)), ir.FALSE),
    "two lists": ((one_of(S, "a", "b"), one_of(S, "b", "c")), compare(S, "=", "b")),
    "beside another column": (
        (NO_NUMBER, RED, ir.Matches(OTHER, "^a")),
        ir.And((RED, ir.Matches(OTHER, "^a"))),
    ),
}

KEPT = {
    "of another column": ir.And((ir.Matches(OTHER, "^a"), RED)),
    "an inequality": ir.And((NO_NUMBER, compare(S, "<>", "red"))),
    "an expression that is not understood": ir.And((ir.Matches(S, "(?<=a)b"), RED)),
    "a disjunction": ir.Or((NO_NUMBER, RED)),
    "another column equals it": ir.And((compare(N, "=", 5), compare(OTHER, "=", 5))),
    "NaN, which Spark has equal to itself": ir.And((compare(D, "=", math.nan), compare(D, ">", 5.0))),
    "a constant of another type": ir.And((compare(D, "=", 2.0**53), compare(D, "<", 2**53 + 1))),
    "a function of the value, which tells the zeros apart": ir.And(
        (compare(D, "=", 0.0), compare(ir.Apply(ir.Function.JAVA_TEXT, (D,), STRING), "=", "-0.0"))
    ),
}


@pytest.mark.parametrize(("terms", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_decided_test_goes(terms: tuple[ir.Predicate, ...], after: ir.Predicate) -> None:
    assert substitute_constant(ir.And(terms)) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_what_is_not_decided_stays(node: ir.Predicate) -> None:
    assert substitute_constant(node) is node


def test_a_constant_is_tried_only_in_tests_of_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the time for ``a1 = 'x' AND a2 = 'x' AND ...`` grows with the square of the number of terms."""
    tried: list[ir.Predicate] = []
    decide = chains._decide
    monkeypatch.setattr(chains, "_decide", lambda test, *others: tried.append(test) or decide(test, *others))
    apart = [compare(column(f"s{number}", STRING), "=", "red") for number in range(100)]
    assert substitute_constant(conjunction(*apart)) == conjunction(*apart)
    assert tried == []
    assert substitute_constant(conjunction(*apart, NO_NUMBER, RED)) == conjunction(RED, *apart)
    assert tried == [NO_NUMBER]
