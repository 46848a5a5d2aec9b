"""The report as a JSON array, one object a finding."""

from __future__ import annotations

import json
from typing import Any

from transpiler.lint.registry import find_rule
from transpiler.lint.report import Report, Reported


def json_form(report: Report) -> str:
    """Return the findings as JSON.

    ``line``, ``column``, ``end_line`` and ``end_column`` count from 1 in code points, the end exclusive: in ``file``,
    or in the selector where that is an argument. ``fix`` has its text, and the place of what
    that replaces. ``start`` and ``end`` are offsets in the selector.
    """
    return json.dumps([_entry(reported) for reported in report.findings], ensure_ascii=False, indent=2) + "\n"


def _entry(reported: Reported) -> dict[str, Any]:
    diagnostic = reported.diagnostic
    entry: dict[str, Any] = {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
    }
    if diagnostic.hint:
        entry["hint"] = diagnostic.hint
    if reported.fix is not None:
        fix = {"text": reported.fix.text, "certain": reported.fix.certain}
        entry["fix"] = fix | reported.fix.place._asdict()
    if reported.file is not None:
        entry["file"] = reported.file
    entry |= reported.place._asdict()
    entry["selector"] = reported.selector
    if diagnostic.span is not None:
        entry |= {"start": diagnostic.span.start, "end": diagnostic.span.end}
    if reported.dialects:
        entry["dialects"] = list(reported.dialects)
    rule = find_rule(diagnostic.code)
    if rule is not None:
        entry["help"] = rule.help
    return entry
