"""Run a test case: judge its message, and compare the result with the expected one."""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.base.diagnostics import one_line
from transpiler.base.errors import TranspilerError
from transpiler.tools.explanation import Explanation, explain_selector
from transpiler.tools.test_cases.reading import Case, Expectation

_EXPECTATIONS = {"matches": "a match", "does not match": "no match", "unknown": "unknown"}


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a test case. ``failure`` states why it failed; None if it passed.

    ``explanation`` explains the selector's result; None if the dialect rejects the selector.
    """

    case: Case
    explanation: Explanation | None = field(repr=False)
    failure: str | None

    @property
    def passed(self) -> bool:
        """True if the selector's result is the expected one."""
        return self.failure is None


def run_case(case: Case) -> Result:
    """Run ``case``; it fails if its dialect rejects the selector."""
    try:
        explanation = explain_selector(
            case.selector, case.message, dialect=case.dialect, now=case.now, destination=case.destination
        )
    except TranspilerError as error:
        return Result(case, None, f"{case.dialect} refuses the selector\n{error}")
    if is_met(case.expected, explanation):
        return Result(case, explanation, None)
    return Result(
        case, explanation, f"{disappointment(case.expected, explanation)}\n  message: {one_line(case.written)}"
    )


def is_met(expected: Expectation, explanation: Explanation) -> bool:
    """Return True if the result of ``explanation`` is the expected one.

    A selector with the result unknown does not match, so it meets the expectation "does not match" as well.
    """
    match expected:
        case "matches":
            return explanation.verdict is True
        case "does not match":
            return explanation.verdict is not True
        case "unknown":
            return explanation.verdict is None


def disappointment(expected: Expectation, explanation: Explanation) -> str:
    """Return the text of a failure: expectation, result, reason, and the selector, its deciding parts underlined."""
    lines = [f"expected {_EXPECTATIONS[expected]}, but {_outcome(expected, explanation)}: {explanation.reason}"]
    lines += explanation.marked()
    if explanation.consequence is not None:
        lines.append(f"  in {explanation.dialect}: {explanation.consequence}")
    return "\n".join(lines)


def _outcome(expected: Expectation, explanation: Explanation) -> str:
    if expected == "unknown" and explanation.verdict is False:
        return "the selector is FALSE"
    return f"the message {explanation.outcome}"
