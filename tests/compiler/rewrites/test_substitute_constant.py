"""A text that equals a constant, in the other tests of a conjunction."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import S, compare
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.rewrites.substitute_constant import substitute_constant

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
}


@pytest.mark.parametrize(("terms", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_decided_test_goes(terms: tuple[ir.Predicate, ...], after: ir.Predicate) -> None:
    assert substitute_constant(ir.And(terms)) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_what_is_not_decided_stays(node: ir.Predicate) -> None:
    assert substitute_constant(node) is node
