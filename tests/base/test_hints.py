"""Each hint provides its proposal as data, states a fact, or contains "perhaps"."""

from __future__ import annotations

from collections import Counter

from tests.base.hints import hints


def test_a_hint_with_a_proposal_provides_it_as_data_or_contains_perhaps() -> None:
    found = list(hints())
    assert [(one.file, one.line, one.text) for one in found if one.kind == "order"] == []
    kinds = Counter(one.kind for one in found)
    assert kinds.total() > 300
    assert kinds["data"] > kinds["perhaps"] > 40
