"""match_literal_pattern: LIKE with a pattern without wildcards becomes a comparison."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import S, compare
from transpiler.base.text_pattern import Wildcard
from transpiler.compiler import ir
from transpiler.compiler.rewrites.simplify import match_literal_pattern

REWRITTEN = {
    "s LIKE 'abc'": (ir.Like(S, ("abc",)), compare(S, "=", "abc")),
    "s NOT LIKE 'abc'": (ir.Like(S, ("abc",), negated=True), compare(S, "<>", "abc")),
    "s LIKE ''": (ir.Like(S, ()), compare(S, "=", "")),
    "s NOT LIKE ''": (ir.Like(S, (), negated=True), compare(S, "<>", "")),
    "an escaped percent sign": (ir.Like(S, ("5%",)), compare(S, "=", "5%")),
}

KEPT = {
    "any text": ir.Like(S, (Wildcard.ANY,)),
    "any character": ir.Like(S, (Wildcard.ONE,)),
    "a beginning": ir.Like(S, ("a", Wildcard.ANY)),
    "an ending": ir.Like(S, (Wildcard.ANY, "a"), negated=True),
    "an equality": compare(S, "=", "abc"),
    "a topic pattern of one word": ir.Topic(S, ("abc",)),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_pattern_without_wildcards_is_an_equality(before: ir.Predicate, after: ir.Predicate) -> None:
    assert match_literal_pattern(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_pattern_with_a_wildcard_stays(node: ir.Predicate) -> None:
    assert match_literal_pattern(node) is node
