"""Limits of a dialect: the largest selector that each of them allows, and the smallest that it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from transpiler import UnsupportedFeatureError, find_dialect, parse_selector

#: A dialect with limits that a short selector reaches.
SMALL = replace(find_dialect("jms"), max_terms=4)


@pytest.mark.parametrize(
    ("allowed", "refused", "offset"),
    [
        pytest.param("a OR b OR c OR d", "a OR b OR c OR d OR e", 20, id="names"),
        pytest.param("a = 1 OR b = 2", "a = 1 OR b = 2 OR c", 18, id="names and literals"),
        pytest.param("a IN ('x', 'y', 'z')", "a IN ('x', 'y', 'z', 'w')", 21, id="members of a list"),
        # A selector has up to five tokens for each term, and the last one may be one more.
        pytest.param(f"{'(' * 9}a = 1{')' * 9}", f"{'(' * 10}a = 1{')' * 10}", 23, id="tokens"),
    ],
)
def test_a_selector_has_as_many_terms_as_its_dialect_allows(allowed: str, refused: str, offset: int) -> None:
    parse_selector(allowed, SMALL)
    with pytest.raises(UnsupportedFeatureError, match="terms") as error:
        parse_selector(refused, SMALL)
    [diagnostic] = error.value.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.start == offset
