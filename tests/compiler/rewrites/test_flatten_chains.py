"""flatten_chains: nested chains become one, and repeated and constant terms disappear."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import N, compare, conjunction, disjunction
from transpiler.compiler import ir
from transpiler.compiler.rewrites.chains import flatten_chains

X, Y, Z = (compare(N, "=", number) for number in (1, 2, 3))
MANY = tuple(compare(N, "=", number) for number in range(20))

REWRITTEN = {
    "a conjunction in a conjunction": (conjunction(X, conjunction(Y, Z)), conjunction(X, Y, Z)),
    "a disjunction in a disjunction": (disjunction(disjunction(X, Y), Z), disjunction(X, Y, Z)),
    "a term twice": (conjunction(X, Y, X), conjunction(X, Y)),
    "a term twice, once in a nested chain": (disjunction(X, disjunction(Y, X)), disjunction(X, Y)),
    "one of many terms twice": (disjunction(*MANY, MANY[7]), disjunction(*MANY)),
    "the same term only": (conjunction(X, X), X),
    "TRUE in a conjunction": (conjunction(X, ir.TRUE, Y), conjunction(X, Y)),
    "FALSE in a disjunction": (disjunction(ir.FALSE, X, Y), disjunction(X, Y)),
    "FALSE in a conjunction": (conjunction(X, ir.FALSE, Y), ir.FALSE),
    "TRUE in a disjunction": (disjunction(X, Y, ir.TRUE), ir.TRUE),
    "FALSE in a nested conjunction": (conjunction(X, conjunction(Y, ir.FALSE)), ir.FALSE),
    "a conjunction of TRUE": (conjunction(ir.TRUE, ir.TRUE), ir.TRUE),
    "a disjunction of FALSE": (disjunction(ir.FALSE, ir.FALSE), ir.FALSE),
    "TRUE and one term": (conjunction(ir.TRUE, X), X),
}

KEPT = {
    "different terms": conjunction(X, Y, Z),
    "many different terms": disjunction(*MANY),
    "a conjunction in a disjunction": disjunction(X, conjunction(Y, Z)),
    "a disjunction in a conjunction": conjunction(disjunction(X, Y), disjunction(X, Z)),
    "chains in a complement": conjunction(X, ir.NotTrue(conjunction(X, Y))),
    "a test": X,
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_chain_has_one_level_and_each_term_once(before: ir.Predicate, after: ir.Predicate) -> None:
    assert flatten_chains(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_flat_chain_of_different_terms_stays(node: ir.Predicate) -> None:
    assert flatten_chains(node) is node
