"""Output formats of reports: for people (``human``, ``oneline``) or programs (``json_form``, ``github``, ``sarif``)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from transpiler.base.diagnostics import Severity, caret_block, first_of, one_line, shortened
from transpiler.base.documents.jsontext import json_text
from transpiler.base.source import Span
from transpiler.tools.command_spelling import spelled
from transpiler.tools.lint.registry import WITHOUT_EXAMPLE, find_rule
from transpiler.tools.lint.report import NOUNS, Listed, Location, Report, Reported
from transpiler.tools.lint.rule import Rule

#: A function that colours a text for the terminal. Arguments: the text, and the severity whose colour it gets.
Paint = Callable[[str, str], str]

#: Version number of the JSON forms.
VERSION = 1

#: Maximum number of notes with the same text that are printed as separate blocks. If there are more, one block stands
#: for all of them, and names at most as many locations.
MAX_EQUAL = 4

_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def human(report: Report, paint: Paint = lambda text, _: text, unread: bool = False) -> str:
    """Return all findings, each as a block of lines; with ``unread`` also the selectors that were not read.

    If more than ``MAX_EQUAL`` notes have the same text, only the first has a block, which names the other places.
    """
    equal: dict[tuple[str, ...], list[Reported]] = {}
    for number, reported in enumerate(_shown(report, unread)):
        diagnostic = reported.diagnostic
        # Print each error and each warning in a block of its own, because the user has to mend every one. Only equal
        # notes share a block.
        own = (str(number),) if diagnostic.severity != "info" else ()
        equal.setdefault((*own, diagnostic.code, reported.message, diagnostic.hint or ""), []).append(reported)
    shown = []
    for first, *others in equal.values():
        if len(others) < MAX_EQUAL:
            shown += [(one, "") for one in (first, *others)]
            continue
        places = (f"{one_line(one.name)}:{one.location.line}:{one.location.column}" for one in others)
        shown.append((first, f"  and at {len(others):,} more places: {first_of(places, MAX_EQUAL)}\n"))
    return "".join(f"{_block(reported, paint)}\n{more}" for reported, more in shown)


def oneline(report: Report, paint: Paint = lambda text, _: text, unread: bool = False) -> str:
    """Return one line for each finding, for editors and ``grep``; with ``unread`` also the selectors not read."""
    return "".join(f"{_headline(reported, paint)}\n" for reported in _shown(report, unread))


def _shown(report: Report, unread: bool = True) -> Iterable[Reported]:
    return chain(report.findings, report.unread if unread else ())


def listing(report: Report) -> str:
    """Return one line for each selector: location, dialects, text and the pattern that found it.

    Selectors that were not read follow.
    """
    lines = []
    for one in report.listed:
        used = f", line {one.used}" if one.used != one.location.line else ""
        used = used if one.used_file == one.name else f", {one_line(one.used_file)}:{one.used}"
        whence = f"  [{one.whence}{used}]" if one.whence else ""
        where = f"{one_line(one.name)}:{one.location.line}:{one.location.column}"
        lines.append(f"{where}: {', '.join(one.dialects)}: {one_line(one.selector)}{whence}\n")
    return "".join((*lines, *(f"{_headline(one, lambda text, _: text)}\n" for one in report.unread)))


def json_listing(report: Report) -> str:
    """Return the selectors as JSON, then those that were not read, for which ``selector`` is null."""
    entries: list[dict[str, Any]] = [
        _where(one)
        | {"dialects": list(one.dialects), "selector": one.selector, "whence": one.whence}
        | {"used_line": one.used, "used_file": one.used_file}
        for one in report.listed
    ]
    entries += [_where(one) | {"selector": None, "message": one.message} for one in report.unread]
    return json_text(entries, indent=2) + "\n"


def _where(one: Listed | Reported) -> dict[str, Any]:
    """Return the first members of the JSON object for ``one``, a selector or a finding: version, file and location."""
    return {"version": VERSION, "file": one.name, **one.location._asdict()}


def _headline(reported: Reported, paint: Paint) -> str:
    diagnostic, location = reported.diagnostic, reported.location
    severity = diagnostic.severity
    label = diagnostic.code if severity == "error" else f"{severity}: {diagnostic.code}"
    where = f"{one_line(reported.name)}:{location.line}:{location.column}"
    return f"{where}: {paint(label, severity)}: {reported.message}"


def _block(reported: Reported, paint: Paint) -> str:
    diagnostic, location = reported.diagnostic, reported.location
    lines = [_headline(reported, paint)]
    if diagnostic.span is not None or reported.file is not None:
        first = location.column - 1
        end = location.end_column - 1 if location.end_line == location.line else len(reported.line)
        text, carets = caret_block(reported.line, str(location.line), [Span(first, end)])
        gutter = len(carets) - len(carets.lstrip(" |"))
        lines += [text, carets[:gutter] + paint(carets[gutter:], diagnostic.severity)]
    if reported.is_filled:
        lines.append(f"  with the values of its names: {one_line(reported.selector)}")
    if reported.used_in:
        lines.append(f"  a selector in {one_line(reported.used_in)}")
    if diagnostic.hint:
        lines.append(f"  hint: {spelled(diagnostic.hint)}")
    return "\n".join(lines)


def json_form(report: Report) -> str:
    """Return the findings as JSON, followed by the notes ``check.unread`` on selectors that were not read.

    ``line``, ``column``, ``end_line`` and ``end_column`` count from 1 in code points; the end is exclusive. They refer
    to ``file``, or to the selector if it is an argument. ``start`` and ``end`` are offsets in the selector. ``fix`` has
    a new text and the range that it replaces.
    """
    return json_text([_entry(reported) for reported in _shown(report)], indent=2) + "\n"


def _entry(reported: Reported) -> dict[str, Any]:
    diagnostic = reported.diagnostic
    entry: dict[str, Any] = {
        "version": VERSION,
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
    }
    if diagnostic.hint:
        entry["hint"] = diagnostic.hint
    if reported.fix is not None:
        fix = {"text": reported.fix.text, "certain": reported.fix.certain}
        entry["fix"] = fix | reported.fix.location._asdict()
    if reported.file is not None:
        entry["file"] = reported.file
    entry |= reported.location._asdict()
    entry["selector"] = reported.selector
    if diagnostic.span is not None:
        entry |= {"start": diagnostic.span.start, "end": diagnostic.span.end}
    if reported.dialects:
        entry["dialects"] = list(reported.dialects)
    rule = find_rule(diagnostic.code)
    if rule is not None:
        entry["help"] = rule.help
    return entry


def github(report: Report) -> str:
    """Return the findings as workflow commands of GitHub Actions, one for each finding."""
    return "".join(f"{_command(reported)}\n" for reported in _shown(report))


def _command(reported: Reported) -> str:
    diagnostic, location = reported.diagnostic, reported.location
    properties = {}
    if reported.file is not None:
        properties = {"file": reported.file, "line": str(location.line), "endLine": str(location.end_line)}
        # GitHub accepts the columns of an annotation only if its range is within one line.
        if location.line == location.end_line:
            properties |= {"col": str(location.column), "endColumn": str(location.end_column)}
    properties["title"] = diagnostic.code
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    hint = f" ({diagnostic.hint})" if diagnostic.hint else ""
    return f"::{_GITHUB[diagnostic.severity]} {listed}::{_data(reported.message + hint)}"


def _data(text: str) -> str:
    """Return ``text`` escaped as the message of a workflow command, as GitHub's ``escapeData`` does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return ``text`` escaped as a property of a workflow command, as GitHub's ``escapeProperty`` does."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(report: Report, version: str) -> str:
    """Return a SARIF log with one run; ``version`` is the version of this tool."""
    severities = {reported.diagnostic.code: reported.diagnostic.severity for reported in _shown(report)}
    codes = sorted(severities)
    rules = [_rule(code, find_rule(code), severities[code]) for code in codes]
    driver = {"name": "selector-sql", "semanticVersion": version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(reported, codes.index(reported.diagnostic.code)) for reported in _shown(report)],
    }
    log = {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}
    return json_text(log, indent=2) + "\n"


def _rule(code: str, rule: Rule | None, severity: Severity) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": code,
        "name": "".join(word.capitalize() for word in code.replace(".", "-").split("-")),
    }
    described = WITHOUT_EXAMPLE.get(code)
    if described is not None:
        title, text = described
        entry |= {"shortDescription": {"text": title}, "fullDescription": {"text": text}, "help": {"text": text}}
    if rule is None:
        return entry | {"defaultConfiguration": {"level": NOUNS[severity]}}
    text = f"{rule.why}\n\nWrong: {shortened(rule.wrong, 200)}\nRight: {rule.right}\n\nMore: {rule.help}"
    markdown = f"{rule.why}\n\nWrong: `{shortened(rule.wrong, 200)}`\n\nRight: `{rule.right}`\n\nMore: `{rule.help}`"
    return entry | {
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": text, "markdown": markdown},
        "defaultConfiguration": {"level": NOUNS[rule.severity]},
    }


def _result(reported: Reported, rule: int) -> dict[str, Any]:
    diagnostic = reported.diagnostic
    snippet = {"text": reported.line if len(reported.line) <= 500 else reported.selector[:500]}
    artifact = {"uri": uri(reported.file or "selector")}
    location = {"artifactLocation": artifact, "region": _region(reported.location) | {"snippet": snippet}}
    hint = f" Hint: {diagnostic.hint}." if diagnostic.hint else ""
    result = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": NOUNS[diagnostic.severity],
        "message": {"text": f"{reported.message}.{hint}"},
        "locations": [{"physicalLocation": location}],
    }
    if reported.fix is not None:
        change = {"deletedRegion": _region(reported.fix.location), "insertedContent": {"text": reported.fix.text}}
        result["fixes"] = [
            {
                "description": {"text": diagnostic.hint or diagnostic.message},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}],
            }
        ]
    return result


def _region(location: Location) -> dict[str, Any]:
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


def uri(name: str) -> str:
    """Return the file name ``name`` as a URI reference: a relative one, or a ``file:`` URI for an absolute path."""
    if name.startswith("/"):
        return f"file://{quote(name)}"
    if os.name == "nt":
        return Path(name).as_uri() if Path(name).is_absolute() else quote(name.replace("\\", "/"))
    return quote(name.removeprefix("./"))
