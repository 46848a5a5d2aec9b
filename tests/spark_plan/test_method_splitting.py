"""Long predicates in blocks: the same truth, and no text that doubles at every level."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transpiler.ir.nodes import And, Block, Column, Compare, FirstKnown, Flag, NotTrue, Or, Predicate, Truth
from transpiler.ir.traversal import everything
from transpiler.layouts.columns import BIGINT, BOOLEAN, Key
from transpiler.selector.ast import Comparison
from transpiler.spark_plan.method_splitting import cut
from transpiler.sql import emit_filter


def flag(number: int) -> Flag:
    return Flag(Column(("m", Key(f"p{number}"), "boolean"), BOOLEAN))


def alternation(levels: int) -> Predicate:
    node: Predicate = flag(0)
    for level in range(1, levels):
        node = (And if level % 2 else Or)((node, flag(level)))
    return node


def truth(node: Predicate, flags: Mapping[Predicate, bool | None]) -> bool | None:
    """The value by SQL's three-valued logic."""
    match node:
        case Truth(value=value):
            return value
        case And(terms=terms) | Or(terms=terms):
            found = [truth(term, flags) for term in terms]
            absorbing = isinstance(node, Or)
            return absorbing if absorbing in found else None if None in found else not absorbing
        case NotTrue(predicate=inner):
            return truth(inner, flags) is not True
        case Block(predicate=inner):
            return truth(inner, flags)
        case FirstKnown(tests=tests, otherwise=otherwise):
            known = (value for test in tests if (value := truth(test, flags)) is not None)
            return next(known, truth(otherwise, flags))
        case _:
            return flags[node]


NODES = st.recursive(
    st.integers(0, 60).map(flag),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=30).map(lambda terms: And(tuple(terms))),
        st.lists(inner, min_size=2, max_size=30).map(lambda terms: Or(tuple(terms))),
        inner.map(NotTrue),
    ),
    max_leaves=200,
)


@given(NODES, st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_blocks_change_no_truth(node: Predicate, spread: random.Random) -> None:
    found = cut(node)
    for _ in range(5):
        flags = {flag(number): spread.choice((True, False, None)) for number in range(61)}
        assert (truth(found, flags) is True) is (truth(node, flags) is True)


@pytest.mark.parametrize("levels", [30, 60, 119])
def test_a_deep_predicate_grows_with_its_depth(levels: int) -> None:
    node = alternation(levels)
    found = cut(node)
    blocks = [inner for inner in everything(found) if isinstance(inner, Block)]
    assert blocks
    assert all(isinstance(inner, Block) is (inner is block) for block in blocks for inner in everything(block))
    assert len(emit_filter(found)) < 6 * len(emit_filter(node))
    spread = random.Random(levels)
    for _ in range(300):
        flags = {flag(number): spread.choice((True, True, False, None)) for number in range(levels)}
        assert (truth(found, flags) is True) is (truth(node, flags) is True)


def test_long_alternatives_are_cut_without_their_order() -> None:
    tests = tuple(Or(tuple(flag(place) for place in range(start, start + 40))) for start in (0, 40))
    found = cut(FirstKnown(tests, apart=True))
    assert not any(isinstance(inner, FirstKnown) for inner in everything(found))
    assert any(isinstance(inner, Block) for inner in everything(found))


def test_what_one_method_holds_stays_as_it_is() -> None:
    node = alternation(15)
    assert cut(node) is node


def above(number: int) -> Compare:
    """A comparison of two properties, which says nothing of what another comparison of them says."""
    left, right = (Column(("m", Key(f"{side}{number}"), "long"), BIGINT) for side in "lr")
    return Compare(Comparison.GT, left, right)


@given(known=st.lists(st.sampled_from([True, False, None]), min_size=80, max_size=80))
def test_tests_that_do_not_exclude_each_other_keep_their_order(known: list[bool | None]) -> None:
    tests = [above(number) for number in range(80)]
    node = FirstKnown((And(tuple(tests[:40])), Or(tuple(tests[40:]))))
    found = cut(node)
    assert isinstance(found, FirstKnown)
    assert all(isinstance(test, Block) for test in found.tests)
    flags = dict(zip(tests, known, strict=True))
    assert truth(found, flags) is truth(node, flags)
