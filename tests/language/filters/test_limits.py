"""The limits of filters: a filter at the limit is read, and one above it is refused with the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.language.filters.test_document import APPLICATION, HEADERS, NOT, OR, TOPIC, f
from transpiler import TranspilerError, transpile_filter

MANY = 10_000


def nested(depth: int) -> Any:
    """Return a filter with ``depth`` filters, one inside the other."""
    made = f(TOPIC, "a")
    for _ in range(depth - 1):
        made = f(NOT, [made])
    return made


def entries(number: int) -> dict[str, int]:
    return {f"k{index}": index for index in range(number)}


#: For each name: a function that makes a filter that exceeds its limit by a number, and the message for 1.
LIMITS: dict[str, tuple[Callable[[int], Any], str]] = {
    "depth": (
        lambda more: nested(16 + more),
        f"filters{'.value[0]' * 16}: filters are nested more than 16 levels deep",
    ),
    "number": (
        lambda more: f(OR, [f(TOPIC, "a")] * (MANY - 1 + more)),
        "filters.value[9999]: filters are too many: the maximum is 10,000",
    ),
    "words": (
        lambda more: f(TOPIC, ".".join(["a"] * (MANY + more))),
        "filters.value: a pattern has more than 10,000 words",
    ),
    "entries of one map": (
        lambda more: f(APPLICATION, entries(MANY + more)),
        "filters.value: maps have more than 10,000 entries in all",
    ),
    "entries of two maps": (
        lambda more: f(OR, [f(HEADERS, {"x-match": "all"} | entries(MANY - 2)), f(APPLICATION, entries(1 + more))]),
        "filters.value[1].value: maps have more than 10,000 entries in all",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_filter_may_reach_a_limit_and_not_exceed_it(name: str) -> None:
    make, message = LIMITS[name]
    transpile_filter(make(0))
    with pytest.raises(TranspilerError) as refused:
        transpile_filter(make(1))
    [diagnostic] = refused.value.diagnostics
    assert (diagnostic.code, diagnostic.message, diagnostic.hint) == ("filters.limit", message, None)
