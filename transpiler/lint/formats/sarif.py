"""The report as SARIF 2.1.0, with the texts of the rules, for code scanning."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from transpiler.diagnostics import Severity, shortened
from transpiler.lint.registry import find_rule
from transpiler.lint.report import Place, Report, Reported
from transpiler.lint.rule import Rule

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def sarif(report: Report, version: str) -> str:
    """Return a log with one run; ``version`` is that of this tool."""
    severities = {reported.diagnostic.code: reported.diagnostic.severity for reported in report.findings}
    codes = sorted(severities)
    rules = [_rule(code, find_rule(code), severities[code]) for code in codes]
    driver = {"name": "selector-sql", "semanticVersion": version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(reported, codes.index(reported.diagnostic.code)) for reported in report.findings],
    }
    log = {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(code: str, rule: Rule | None, severity: Severity) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": code,
        "name": "".join(word.capitalize() for word in code.replace(".", "-").split("-")),
    }
    if rule is None:
        return entry | {"defaultConfiguration": {"level": _LEVELS[severity]}}
    text = f"{rule.why}\n\nWrong: {shortened(rule.wrong, 200)}\nRight: {rule.right}\n\nMore: {rule.help}"
    markdown = f"{rule.why}\n\nWrong: `{shortened(rule.wrong, 200)}`\n\nRight: `{rule.right}`\n\nMore: `{rule.help}`"
    return entry | {
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": text, "markdown": markdown},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(reported: Reported, rule: int) -> dict[str, Any]:
    diagnostic, place = reported.diagnostic, reported.place
    snippet = {"text": reported.line if len(reported.line) <= 500 else reported.selector[:500]}
    artifact = {"uri": uri(reported.file or "selector")}
    location = {"artifactLocation": artifact, "region": _region(place) | {"snippet": snippet}}
    only = f" [{', '.join(reported.dialects)}]" if reported.dialects else ""
    hint = f" Hint: {diagnostic.hint}." if diagnostic.hint else ""
    result = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": f"{diagnostic.message}{only}.{hint}"},
        "locations": [{"physicalLocation": location}],
    }
    if reported.fix is not None:
        change = {"deletedRegion": _region(reported.fix.place), "insertedContent": {"text": reported.fix.text}}
        result["fixes"] = [
            {
                "description": {"text": diagnostic.hint or diagnostic.message},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}],
            }
        ]
    return result


def _region(place: Place) -> dict[str, Any]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def uri(name: str) -> str:
    """Return a file's name as a URI reference: relative to the run's directory, or with the scheme file."""
    if name.startswith("/"):
        return f"file://{quote(name)}"
    if os.name == "nt":
        return Path(name).as_uri() if Path(name).is_absolute() else quote(name.replace("\\", "/"))
    return quote(name.removeprefix("./"))
