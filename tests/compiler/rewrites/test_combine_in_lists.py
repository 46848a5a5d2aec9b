"""combine_in_lists: equalities of one value become a list."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import D, N, S, compare, conjunction, disjunction, is_null, one_of
from transpiler.compiler import ir
from transpiler.compiler.rewrites.chains import combine_in_lists

REWRITTEN = {
    "n = 1 OR n = 2": (disjunction(compare(N, "=", 1), compare(N, "=", 2)), one_of(N, 1, 2)),
    "n <> 1 AND n <> 2": (conjunction(compare(N, "<>", 1), compare(N, "<>", 2)), one_of(N, 1, 2, negated=True)),
    "a list and an equality": (disjunction(one_of(N, 1, 2), compare(N, "=", 3)), one_of(N, 1, 2, 3)),
    "lists that share a member": (disjunction(one_of(S, "a", "b"), one_of(S, "b", "c")), one_of(S, "a", "b", "c")),
    "negated lists": (
        conjunction(one_of(N, 1, 2, negated=True), one_of(N, 3, 4, negated=True)),
        one_of(N, 1, 2, 3, 4, negated=True),
    ),
    "other terms stay, in order": (
        disjunction(compare(N, "=", 1), is_null(S), compare(N, "=", 2), compare(S, "=", "a")),
        disjunction(one_of(N, 1, 2), is_null(S), compare(S, "=", "a")),
    ),
    "lists of two values": (
        disjunction(compare(N, "=", 1), compare(S, "=", "a"), compare(N, "=", 2), compare(S, "=", "b")),
        disjunction(one_of(N, 1, 2), one_of(S, "a", "b")),
    ),
    "the same equality twice": (disjunction(compare(N, "=", 1), compare(N, "=", 1)), compare(N, "=", 1)),
    "a list of one": (one_of(N, 1), compare(N, "=", 1)),
    "a negated list of one": (one_of(N, 1, negated=True), compare(N, "<>", 1)),
    "a member twice": (one_of(N, 1, 2, 1), one_of(N, 1, 2)),
    "a member twice in a negated list": (one_of(N, 1, 2, 1, negated=True), one_of(N, 1, 2, negated=True)),
}

KEPT = {
    "equalities in a conjunction": conjunction(compare(N, "=", 1), compare(N, "=", 2)),
    "inequalities in a disjunction": disjunction(compare(N, "<>", 1), compare(N, "<>", 2)),
    "an equality and an inequality": disjunction(compare(N, "=", 1), compare(N, "<>", 2)),
    "a negated list in a disjunction": disjunction(one_of(N, 1, 2, negated=True), compare(N, "=", 3)),
    "different values": disjunction(compare(N, "=", 1), compare(S, "=", "a")),
    "equalities of columns": disjunction(compare(N, "=", D), compare(N, "=", 1)),
    "a constant on the left": disjunction(compare(1, "=", N), compare(2, "=", N)),
    "orderings": disjunction(compare(N, "<", 1), compare(N, ">", 2)),
    "different members": one_of(N, 1, 2),
    "an equality": compare(N, "=", 1),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_equalities_of_one_value_become_one_list(before: ir.Predicate, after: ir.Predicate) -> None:
    assert combine_in_lists(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_what_is_no_list_of_one_value_stays(node: ir.Predicate) -> None:
    assert combine_in_lists(node) is node
