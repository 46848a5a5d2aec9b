"""Long predicates are split into blocks: with the same truth value, and without text that doubles at every level."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from transpiler.base.comparison import Comparison
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, Key
from transpiler.compiler.spark_plan.method_splitting import split_methods
from transpiler.compiler.sql import emit_filter


def flag(number: int) -> ir.IsTrue:
    return ir.IsTrue(ir.Column(("m", Key(f"p{number}"), "boolean"), BOOLEAN))


def alternation(levels: int) -> ir.Predicate:
    node: ir.Predicate = flag(0)
    for level in range(1, levels):
        node = (ir.And if level % 2 else ir.Or)((node, flag(level)))
    return node


def truth(node: ir.Predicate, flags: Mapping[ir.Predicate, bool | None]) -> bool | None:
    """Return the value of ``node`` in SQL's three-valued logic, given the values of its tests."""
    match node:
        case ir.BoolConst(value=value):
            return value
        case ir.And(terms=terms) | ir.Or(terms=terms):
            found = [truth(term, flags) for term in terms]
            absorbing = isinstance(node, ir.Or)
            return absorbing if absorbing in found else None if None in found else not absorbing
        case ir.NotTrue(predicate=inner):
            return truth(inner, flags) is not True
        case ir.SeparateMethod(predicate=inner):
            return truth(inner, flags)
        case ir.Coalesce(tests=tests, otherwise=otherwise):
            known = (value for test in tests if (value := truth(test, flags)) is not None)
            return next(known, truth(otherwise, flags))
        case _:
            return flags[node]


NODES = st.recursive(
    st.integers(0, 60).map(flag),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=30).map(lambda terms: ir.And(tuple(terms))),
        st.lists(inner, min_size=2, max_size=30).map(lambda terms: ir.Or(tuple(terms))),
        inner.map(ir.NotTrue),
    ),
    max_leaves=200,
)


@given(NODES, st.randoms(use_true_random=False))
@settings(max_examples=size(50, 200))
def test_blocks_change_no_truth(node: ir.Predicate, spread: random.Random) -> None:
    found = split_methods(node)
    for _ in range(5):
        flags = {flag(number): spread.choice((True, False, None)) for number in range(61)}
        assert (truth(found, flags) is True) is (truth(node, flags) is True)


@pytest.mark.parametrize("levels", [30, 60, 119])
def test_a_deep_predicate_grows_with_its_depth(levels: int) -> None:
    node = alternation(levels)
    found = split_methods(node)
    blocks = [inner for inner in ir.descendants(found) if isinstance(inner, ir.SeparateMethod)]
    assert blocks
    assert all(
        isinstance(inner, ir.SeparateMethod) is (inner is block) for block in blocks for inner in ir.descendants(block)
    )
    assert len(emit_filter(found)) < 6 * len(emit_filter(node))
    spread = random.Random(levels)
    for _ in range(300):
        flags = {flag(number): spread.choice((True, True, False, None)) for number in range(levels)}
        assert (truth(found, flags) is True) is (truth(node, flags) is True)


def test_long_alternatives_are_cut_without_their_order() -> None:
    tests = tuple(ir.Or(tuple(flag(index) for index in range(start, start + 40))) for start in (0, 40))
    found = split_methods(ir.Coalesce(tests, disjoint=True))
    assert not any(isinstance(inner, ir.Coalesce) for inner in ir.descendants(found))
    assert any(isinstance(inner, ir.SeparateMethod) for inner in ir.descendants(found))


def test_what_one_method_holds_stays_as_it_is() -> None:
    node = alternation(15)
    assert split_methods(node) is node


def above(number: int) -> ir.Compare:
    """Return a comparison of two properties whose result no other such comparison implies."""
    left, right = (ir.Column(("m", Key(f"{side}{number}"), "long"), BIGINT) for side in "lr")
    return ir.Compare(Comparison.GT, left, right)


@given(known=st.lists(st.sampled_from([True, False, None]), min_size=80, max_size=80))
def test_tests_that_do_not_exclude_each_other_keep_their_order(known: list[bool | None]) -> None:
    tests = [above(number) for number in range(80)]
    node = ir.Coalesce((ir.And(tuple(tests[:40])), ir.Or(tuple(tests[40:]))))
    found = split_methods(node)
    assert isinstance(found, ir.Coalesce)
    assert all(isinstance(test, ir.SeparateMethod) for test in found.tests)
    flags = dict(zip(tests, known, strict=True))
    assert truth(found, flags) is truth(node, flags)
