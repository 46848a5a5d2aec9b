"""The report as workflow commands of GitHub Actions, which become annotations of a pull request."""

from __future__ import annotations

from transpiler.lint.report import Report, Reported

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def github(report: Report) -> str:
    """Return one workflow command a finding."""
    return "".join(f"{_command(reported)}\n" for reported in report.findings)


def _command(reported: Reported) -> str:
    diagnostic, place = reported.diagnostic, reported.place
    properties = {}
    if reported.file is not None:
        properties = {"file": reported.file, "line": str(place.line), "endLine": str(place.end_line)}
        # GitHub takes columns of one line only.
        if place.line == place.end_line:
            properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
    properties["title"] = diagnostic.code
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    only = f" [{', '.join(reported.dialects)}]" if reported.dialects else ""
    hint = f" ({diagnostic.hint})" if diagnostic.hint else ""
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(diagnostic.message + only + hint)}"


def _data(text: str) -> str:
    """Escape the message of a workflow command, as ``escapeData`` of GitHub's actions toolkit does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command, as ``escapeProperty`` of GitHub's actions toolkit does."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
