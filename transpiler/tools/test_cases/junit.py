"""The results of test cases as JUnit XML, for CI servers."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from transpiler.base.diagnostics import printable
from transpiler.tools.test_cases.running import Result


def junit_xml(results: Sequence[Result], seconds: float) -> str:
    """Return an XML document with all ``results`` as one test suite; ``seconds`` is the total time they took."""
    failed = sum(not result.passed for result in results)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="selector-sql" tests="{len(results)}" failures="{failed}" errors="0" time="{seconds:.3f}">',
    ]
    for result in results:
        case = result.case
        attributes = f"classname={quoteattr(printable(case.file))} name={quoteattr(printable(case.id))}"
        location = f'file={quoteattr(printable(case.file))} line="{case.line}"'
        if result.failure is None:
            lines.append(f"  <testcase {attributes} {location}/>")
            continue
        first, text = result.failure.split("\n", 1)[0], escape(printable(result.failure))
        lines.append(f"  <testcase {attributes} {location}>")
        lines.append(f"    <failure message={quoteattr(printable(first))}>{text}</failure>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"
