"""The report of results as text, in the manner of pytest; a style turns a part of it into a coloured one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transpiler.test_cases.running import Result

#: From a text and the name of a colour to the text in this colour.
Style = Callable[[str, str], str]

_GOOD, _BAD = "green", "red"


def mark(result: Result, style: Style) -> str:
    """Return a dot for a case that passed, and F for one that failed."""
    return style(".", _GOOD) if result.passed else style("F", _BAD)


def verbose_line(result: Result, style: Style) -> str:
    """Return the line of a case: its file, its name, and PASSED or FAILED."""
    outcome = style("PASSED", _GOOD) if result.passed else style("FAILED", _BAD)
    return f"{result.case.file}::{result.case.id} {outcome}"


def failure_text(result: Result, style: Style) -> str:
    """Return the place and the name of a case that failed, and why."""
    case = result.case
    lines = (result.failure or "").splitlines()
    return "\n".join([style(f"{case.file}:{case.line}: {case.id}", _BAD), *(f"  {line}" for line in lines)])


def summary(results: Sequence[Result], deselected: int, seconds: float, style: Style) -> str:
    """Return the last line: how many cases passed, failed and were left out, and the time."""
    failed = sum(not result.passed for result in results)
    counts = [f"{len(results) - failed} passed"]
    if failed:
        counts.append(f"{failed} failed")
    if deselected:
        counts.append(f"{deselected} deselected")
    return style(f"{', '.join(counts)} in {seconds:.2f}s", _BAD if failed else _GOOD)
