"""match_any_text: LIKE with a pattern that matches every text becomes a NULL check."""

from __future__ import annotations

import pytest

from tests.compiler.rewrites.nodes import S, compare, not_null
from transpiler.base.text_pattern import Wildcard
from transpiler.base.topics import MANY_WORDS
from transpiler.compiler import ir
from transpiler.compiler.rewrites.simplify import match_any_text

REWRITTEN = {
    "s LIKE '%'": (ir.Like(S, (Wildcard.ANY,)), not_null(S)),
    "s NOT LIKE '%', which is NULL for NULL": (ir.Like(S, (Wildcard.ANY,), negated=True), ir.FALSE),
}

KEPT = {
    "one character": ir.Like(S, (Wildcard.ONE,)),
    "one character or more": ir.Like(S, (Wildcard.ONE, Wildcard.ANY)),
    "no character": ir.Like(S, ()),
    "a beginning": ir.Like(S, ("a", Wildcard.ANY)),
    "an ending": ir.Like(S, (Wildcard.ANY, "a"), negated=True),
    "any words of a topic": ir.Topic(S, (MANY_WORDS,)),
    "an equality": compare(S, "=", "%"),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_every_text_matches_a_percent_sign(before: ir.Predicate, after: ir.Predicate) -> None:
    assert match_any_text(before) == after


@pytest.mark.parametrize("node", KEPT.values(), ids=KEPT)
def test_a_pattern_that_some_text_does_not_match_stays(node: ir.Predicate) -> None:
    assert match_any_text(node) is node
