"""Run a case: judge its message, and compare the verdict with the expected one."""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.diagnostics import one_line
from transpiler.errors import TranspilerError
from transpiler.explanation import Explanation, explain_selector
from transpiler.test_cases.expectations import disappointment, is_met
from transpiler.test_cases.reading import Case


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a case; ``failure`` is the text that says why it failed, None where it passed."""

    case: Case
    explanation: Explanation | None = field(repr=False)
    failure: str | None

    @property
    def passed(self) -> bool:
        """True if the verdict is the expected one."""
        return self.failure is None


def run_case(case: Case) -> Result:
    """Run a case; a selector that its dialect refuses fails it."""
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
