"""Answers about one selector and one message: findings, result, SQL, results in all dialects, and translations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playground.session.columns import columns_of
from playground.session.messages import MessageProblem, read_message
from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.errors import TranspilerError
from transpiler.compiler.compile_options import Result
from transpiler.compiler.presets import LayoutLike
from transpiler.compiler.stores import STORES, preset
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver
from transpiler.pipeline import transpile_selector
from transpiler.tools.dialect_tools.compare_dialects import Compared, compare_dialects
from transpiler.tools.dialect_tools.port.port import Changes, port_selector
from transpiler.tools.explanation.explanation import explain_tree
from transpiler.tools.explanation.parts import Part
from transpiler.tools.lint.advice import all_warnings
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.fixes import mended

#: The name of the layout with the columns of a schema: the user's schema, or else one derived from the message.
OWN_COLUMNS = "schema"

#: The options of the presets (named layouts) that need one.
_OPTIONS = {"text-map": {"types": "by-use"}}

#: Presets that are left out of the menu because they need a schema.
_WITHOUT_SCHEMA = ("struct",)

#: Maximum number of subexpressions that an explanation lists. The result and its sentence are complete in any case.
MAX_PARTS = 300

#: Kinds of subexpressions that an explanation does not list: the value of a literal is its text.
_LITERALS = ("stringliteral", "integerliteral", "floatliteral", "booleanliteral", "nullliteral", "binaryliteral")

#: Maximum length of a selector, in characters, that is compared (or translated) while the user types. The commands have
#: no such limits.
MAX_COMPARED, MAX_PORTED = 4_000, 2_000


def choices() -> dict[str, Any]:
    """Return the entries of the page's menus: dialects, layouts and header names."""
    presets = [name for name in STORES if name not in _WITHOUT_SCHEMA]
    return {
        "dialects": list(DIALECTS),
        "headers": sorted(name for name in JMS.fields.table if name.startswith("JMS")),
        "layouts": [OWN_COLUMNS, "amqp", "amqp-0-10", *presets],
    }


def judge(selector: str, message: str, dialect: str) -> dict[str, Any]:
    """Return the findings about ``selector``, and the explanation why ``message`` matches it or does not.

    ``explanation`` is None if the dialect rejects the selector or the message is invalid. ``problem`` is the diagnostic
    about an invalid message, or None. ``names`` are the names in the selector.
    """
    rules = find_dialect(dialect)
    diagnostics = [finding.diagnostic for finding in Checker().check(selector, [rules]).findings]
    findings = [_finding(selector, one, rules) for one in diagnostics]
    answer: dict[str, Any] = {"findings": findings, "explanation": None, "problem": None, "names": []}
    read: Message | None = None
    try:
        read = read_message(message)
    except MessageProblem as problem:
        answer["problem"] = problem.diagnostic.to_dict()
    try:
        tree = parse_selector(selector, rules)
    except TranspilerError as error:
        if not findings:
            answer["findings"] = [one.to_dict() for one in error.diagnostics]
        return answer
    if tree is not None:
        answer["names"] = list(dict.fromkeys(node.name for node in ast.walk(tree) if isinstance(node, ast.Identifier)))
    if read is None:
        return answer
    explanation = explain_tree(tree, selector, read, rules, Receiver())
    entry = explanation.to_dict()
    entry["parts"] = [] if explanation.tree is None else list(_parts(explanation.tree))[:MAX_PARTS]
    del entry["tree"]
    answer["explanation"] = entry
    return answer


def _finding(selector: str, finding: Diagnostic, dialect: Dialect) -> dict[str, Any]:
    """Return ``finding`` as JSON. If its fix changes the selector, the JSON contains the changed selector."""
    entry = finding.to_dict()
    entry.pop("fix", None)
    if isinstance(finding.fix, Fix):
        changed = mended(selector, finding.fix, dialect)
        if changed is not None:
            entry["fix"] = {"label": finding.fix.text or finding.hint, "selector": changed}
    return entry


def _parts(part: Part, depth: int = 0) -> Iterator[dict[str, Any]]:
    entry = part.to_dict()
    entry.pop("parts", None)
    yield {**entry, "depth": depth, "is_condition": part.is_condition}
    for inner in part.parts:
        if inner.kind not in _LITERALS or inner.thrown is not None:
            yield from _parts(inner, depth + 1)


def sql(
    selector: str, dialect: str, layout: str, result: Result, schema: str = "", message: str = ""
) -> dict[str, Any]:
    """Return the SQL of ``selector`` for ``layout``, and the warnings; ``sql`` is None if the selector is invalid.

    For the layout ``OWN_COLUMNS``, the answer's ``schema`` is the argument or, if that is empty, a schema that fits the
    selector and the message.
    """
    if layout == OWN_COLUMNS:
        schema = schema.strip() or columns_of(selector, message, find_dialect(dialect))
    answer: dict[str, Any] = {"sql": None, "schema": schema}
    try:
        where = _layout(layout, schema)
        transpiled = transpile_selector(selector, where, dialect=dialect, result=result)
    except TranspilerError as error:
        return {**answer, "findings": [_rendered(one) for one in error.diagnostics]}
    findings = all_warnings(transpiled, selector, where, dialect)
    return {**answer, "sql": transpiled.sql, "findings": [_rendered(one) for one in findings]}


def _layout(name: str, schema: str) -> LayoutLike:
    if name == OWN_COLUMNS:
        return schema
    return preset(name, _OPTIONS[name]) if name in _OPTIONS else name


def dialects(selector: str, message: str) -> dict[str, Any]:
    """Return a row for each dialect: whether it accepts ``selector``, and its result for ``message`` if it is valid."""
    if len(selector) > MAX_COMPARED:
        return {"rows": [], "note": f"longer than {MAX_COMPARED:,} characters: selector-sql compare has them"}
    try:
        read = read_message(message)
    except MessageProblem:
        read = None
    return {"rows": [_row(row) for row in compare_dialects(selector, read)], "note": None}


def _row(row: Compared) -> dict[str, Any]:
    thrown = row.verdict.thrown if row.verdict is not None else None
    return {
        "dialect": row.dialect.name,
        "refused": None if row.refused is None else row.refused.to_dict(),
        "judged": row.verdict is not None,
        "verdict": row.truth,
        "thrown": thrown,
        "consequence": row.dialect.on_throw if thrown is not None else None,
        "rule": row.rule,
        "reading": row.reading,
    }


def port(selector: str, source: str, target: str, changes: Changes = "rare") -> dict[str, Any]:
    """Return ``selector`` in the dialect ``target``, with notes; ``text`` is None if it cannot be translated."""
    if len(selector) > MAX_PORTED:
        message = f"the selector is longer than {MAX_PORTED:,} characters, which takes long in a browser"
        return {
            "text": None,
            "findings": [_rendered(Diagnostic("port.long", "info", message, hint="selector-sql port ports it"))],
        }
    try:
        ported = port_selector(selector, source, target, changes=changes)
    except TranspilerError as error:
        return {"text": None, "findings": [_rendered(one) for one in error.diagnostics]}
    return {"text": ported.text, "findings": [_rendered(one) for one in ported.notes]}


def _rendered(finding: Diagnostic) -> dict[str, Any]:
    return {**finding.to_dict(), "rendered": finding.render()}
