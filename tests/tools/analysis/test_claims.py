"""No claim of lint, diff, port or the topology report is false for messages that the analysis did not choose."""

from __future__ import annotations

from tests.sizes import is_full, randomness, size
from tests.tools.analysis.claims import Claims

KINDS = {
    "diff.message",
    "diff.none",
    "lint.always-true",
    "lint.implied",
    "lint.never-true",
    "lint.unreachable-branch",
    "port.exact",
    "port.rare",
    "report.contained",
}


def test_no_message_contradicts_what_the_tools_claim_of_random_conditions() -> None:
    claims = Claims(randomness(24))
    assert [*claims.false_ones(size(102, 2_040))] == []
    assert sum(claims.claims.values()) >= size(70, 1_500)
    assert claims.claims.keys() >= (KINDS if is_full() else {"diff.none", "report.contained"})
