"""The table of the rules: each names all nodes that its law can change, and has a module and fixtures of its own."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.rewrites.nodes import B, D, N, S, compare, is_nan, is_null, not_nan, not_null, one_of
from transpiler import ir
from transpiler.rewrites.law import Rule
from transpiler.rewrites.rules import RULES
from transpiler.selector.pattern import Wildcard

TESTS: tuple[ir.Predicate, ...] = (
    compare(N, "=", 1),
    compare(N, "=", 2),
    compare(N, "<>", 1),
    compare(D, "<", 5.0),
    compare(D, ">", 5.0),
    compare(B, "=", True),
    compare(5, "<", N),
    one_of(N, 2, 3),
    one_of(N, 2, 3, negated=True),
    ir.Like(S, ("a",)),
    ir.Like(S, ("a", Wildcard.ANY)),
    ir.Topic(S, ("a", "#")),
    ir.Topic(ir.constant("a"), ("a", "#")),
    ir.IsTrue(B),
    ir.IsTrue(ir.constant(True)),
    ir.Matches(S, "a+"),
    is_null(N),
    not_null(N),
    is_nan(D),
    not_nan(D),
    ir.TRUE,
    ir.FALSE,
)
NODES = (
    *TESTS,
    *map(ir.NotTrue, TESTS),
    *map(ir.SeparateMethod, TESTS),
    *(kind(terms) for kind, terms in product((ir.And, ir.Or), product(TESTS, repeat=2))),
    *(ir.Coalesce(terms) for terms in product(TESTS, repeat=2)),
)


def is_for(rule: Rule, node: ir.Predicate) -> bool:
    """Return True if the driver applies the rule to the node."""
    if not isinstance(node, rule.nodes):
        return False
    return rule.terms is None or not isinstance(node, ir.Chain) or not rule.terms.isdisjoint(map(type, node.terms))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_names_all_nodes_that_its_law_changes(rule: Rule) -> None:
    assert [node for node in NODES if not is_for(rule, node) and rule(node) is not node] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_law_has_a_module_and_fixtures_of_its_own(rule: Rule) -> None:
    module = rule.apply.__module__.rsplit(".", 1)[1]
    assert Path(__file__).with_name(f"test_{module}.py").exists()
    assert [other.name for other in RULES if other.apply.__module__ == rule.apply.__module__] == [rule.name]
