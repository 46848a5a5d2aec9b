"""The table of rewrite laws: each law returns other predicates unchanged, and has its own tests."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from tests.compiler.rewrites.nodes import B, N, S, compare, not_null
from transpiler.base.text_pattern import Wildcard
from transpiler.base.topics import MANY_WORDS
from transpiler.compiler import ir
from transpiler.compiler.rewrites.optimizer import LAWS, Law

#: All laws of the table, without repetition.
EACH: tuple[Law, ...] = tuple(dict.fromkeys(chain.from_iterable(LAWS.values())))

#: Predicates of every type that no law changes.
SETTLED: tuple[ir.Predicate, ...] = (
    compare(N, "=", 1),
    ir.Like(S, ("a", Wildcard.ANY)),
    ir.Topic(S, ("a", MANY_WORDS)),
    ir.IsTrue(B),
    ir.Matches(S, "a+"),
    not_null(N),
    ir.NotTrue(compare(N, "=", 1)),
    ir.SeparateMethod(compare(N, "=", 1)),
    ir.And((compare(N, "=", 1), ir.IsTrue(B))),
    ir.Or((compare(N, "=", 1), ir.IsTrue(B))),
    ir.Coalesce((ir.IsTrue(B), compare(N, "=", 1))),
    ir.TRUE,
)


@pytest.mark.parametrize("law", EACH, ids=lambda law: law.__name__)
def test_a_law_returns_a_node_of_any_type_as_it_is_where_nothing_is_to_rewrite(law: Law) -> None:
    assert [node for node in SETTLED if law(node) is not node] == []


@pytest.mark.parametrize("law", EACH, ids=lambda law: law.__name__)
def test_a_law_has_fixtures_of_its_own(law: Law) -> None:
    assert Path(__file__).with_name(f"test_{law.__name__.removeprefix('remove_')}.py").exists()
