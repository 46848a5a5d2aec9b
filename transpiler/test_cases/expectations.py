"""Expectations of a case: the verdict of a selector on a message, and the report where it is another one."""

from __future__ import annotations

from typing import Literal, get_args

from transpiler.explanation import Explanation

Expectation = Literal["matches", "does not match", "unknown"]

EXPECTATIONS: tuple[Expectation, ...] = get_args(Expectation)


def is_met(expected: Expectation, explanation: Explanation) -> bool:
    """Return True if the verdict is the expected one; ``does not match`` is FALSE or unknown."""
    match expected:
        case "matches":
            return explanation.verdict is True
        case "does not match":
            return explanation.verdict is not True
        case "unknown":
            return explanation.verdict is None


def disappointment(expected: Expectation, explanation: Explanation) -> str:
    """Return the text of a failure: the expectation, the verdict with its reason, and what decided underlined."""
    lines = [f"expected {_SAID[expected]}, but {_outcome(expected, explanation)}: {explanation.reason}"]
    lines += explanation.marked()
    if explanation.consequence is not None:
        lines.append(f"  in {explanation.dialect}: {explanation.consequence}")
    return "\n".join(lines)


_SAID = {"matches": "a match", "does not match": "no match", "unknown": "unknown"}


def _outcome(expected: Expectation, explanation: Explanation) -> str:
    if expected == "unknown" and explanation.verdict is False:
        return "the selector is FALSE"
    return f"the message {explanation.outcome}"
