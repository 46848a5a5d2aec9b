"""All tools give the same answer to a question: lint, contained selectors, ``subsumes``, diff and the report."""

from __future__ import annotations

import pytest

from transpiler import equivalent, parse_selector, subsumes
from transpiler.base.source import Source
from transpiler.language.selector.dialects import DIALECTS
from transpiler.tools.dialect_tools.diff import diff_selectors
from transpiler.tools.lint.check import contained_in
from transpiler.tools.lint.registry import lint
from transpiler.tools.topology_report.findings import report
from transpiler.topology import topology_from_dict

NEVER = (
    "JMSPriority > 4 AND JMSPriority < 5",
    "(a = 1 AND b = 1 OR a = 2 AND b = 1) AND b = 2",
    "price > bid AND price < bid",
    "a > b AND b > c AND c > a",
    "a LIKE '%x' AND a LIKE '%y'",
    "a = 1 AND a = 2",
)


@pytest.mark.parametrize("text", NEVER)
def test_what_is_never_true_is_so_for_all_tools(text: str) -> None:
    for name in ("jms", "qpid-java"):
        tree = parse_selector(text, name)
        assert tree is not None
        rules = {finding.code for finding in lint(tree, Source(text), DIALECTS[name])}
        assert rules & {"lint.never-true", "lint.unreachable-branch"}, name
        assert subsumes("zz = 1", text, name)
        assert equivalent(text, "zz = 1 AND zz = 2", name)
        assert diff_selectors(text, "zz = 1 AND zz = 2", name).is_same
    assert "never-matches" in kinds(text)


SAME = (
    ("JMSDeliveryMode <> 'PERSISTENT'", "JMSDeliveryMode = 'NON_PERSISTENT'"),
    ("JMSPriority > 4", "JMSPriority >= 5"),
    ("a LIKE 'x%' AND a LIKE '%x'", "a = 'x' OR a LIKE 'x%x'"),
)
WITHIN = (
    ("color = 'red' AND weight > 5", "color = 'red' AND weight > 3"),
    ("a = 'xyz'", "a LIKE '%y%'"),
    ("a LIKE '%xy%'", "a LIKE '%x%'"),
    ("a > b AND c = 1", "a > b"),
)
APART = (("a > 5", "a >= 6"), ("a LIKE '%x%'", "a LIKE '%x'"), ("a >= b", "a > b"), ("a <> 0.0", "a <> -0.0"))


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_is_the_same_is_so_for_all_tools(first: str, second: str) -> None:
    for name in ("jms", "qpid-java"):
        assert equivalent(first, second, name)
        assert diff_selectors(first, second, name).is_same
        assert contained(first, second, name) == [(1, 0)]
    assert kinds(first, second) == ["contained-binding"]


@pytest.mark.parametrize(("inner", "outer"), WITHIN)
def test_what_is_within_another_is_so_for_all_tools(inner: str, outer: str) -> None:
    for name in ("jms", "qpid-java"):
        assert subsumes(outer, inner, name)
        assert not subsumes(inner, outer, name)
        found = diff_selectors(inner, outer, name)
        assert (found.won is not None, found.no_lost) == (True, True)
        assert contained(inner, outer, name) == [(0, 1)]
    assert kinds(inner, outer) == ["contained-binding"]


@pytest.mark.parametrize(("first", "second"), APART)
def test_what_is_not_within_another_is_so_for_all_tools(first: str, second: str) -> None:
    assert subsumes(second, first, "qpid-java") is False
    assert diff_selectors(first, second, "qpid-java").lost is not None
    assert (0, 1) not in contained(first, second, "qpid-java")


def test_the_sides_of_a_comparison_of_two_names_matter_where_the_broker_widens_one_of_them() -> None:
    assert equivalent("price > bid", "bid < price", "jms")
    assert diff_selectors("price > bid", "bid < price", "jms").is_same
    assert contained("price > bid", "bid < price", "jms") == [(1, 0)]
    # In this dialect, a short on the right of a byte is not widened.
    assert equivalent("price > bid", "bid < price", "qpid-java") is False
    assert diff_selectors("price > bid", "bid < price", "qpid-java").differs


def test_two_zeros_are_two_bindings_where_the_broker_distinguishes_them() -> None:
    assert kinds("a <> 0.0", "a <> -0.0") == []


def contained(first: str, second: str, dialect: str) -> list[tuple[int, int]]:
    trees = [(number, parse_selector(text, dialect)) for number, text in enumerate((first, second))]
    found = contained_in([(number, tree) for number, tree in trees if tree is not None], DIALECTS[dialect])
    return [(one.number, one.container) for one in found]


def kinds(*selectors: str) -> list[str]:
    bindings = [{"source": "x", "queue": "q", "key": "k", "selector": text} for text in selectors]
    topology = topology_from_dict(
        {
            "broker": "qpid-java",
            "exchanges": [{"name": "x", "type": "topic"}],
            "queues": ["q"],
            "bindings": bindings,
        }
    )
    return [finding.kind for finding in report(topology).findings]
