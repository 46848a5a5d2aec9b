"""Every diagnostic as a whole: messages, locations, hints and fixes for inputs that are wrong or doubtful.

Other tests check the part of a message that they are about. A line of ``data/findings.jsonl.gz`` contains an input and
the complete answer to that input, so that the test finds a changed hint, location or warning wherever the code makes
it. The inputs are those that the tests of selectors, filters, topologies and layouts used when the inputs were
recorded; ``python -m tests.golden add`` appends inputs.

- The answer to a selector or a filter set is the text or the condition that is parsed, or the errors, in each dialect.
- The answer to a topology is its own form, the routes of some messages and the SQL of its plan, or the errors.
- The answer to a layout is the SQL and the warnings of a selector for each construct.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.golden.corpus import dialects
from tests.golden.dump import plan_texts
from transpiler import Message, TranspilerError, print_selector, transpile_filter, transpile_selector
from transpiler.base.diagnostics import Diagnostic
from transpiler.language.filters.json import to_json
from transpiler.language.filters.sets import read_filters
from transpiler.reference.route import publish
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.model import Topology

FINDINGS = Path(__file__).parent / "data" / "findings.jsonl.gz"

#: One selector for each construct. The layouts of the inputs have its names as columns of several types.
CONSTRUCTS = """\
color = 'red'
color <> 'red' AND JMSPriority > 4
n = 5
n + 1 > 2.5
i < x
NOT (x = 5 OR i IN ('a'))
color LIKE 'r%'
color NOT LIKE '%!%x' ESCAPE '!'
color IN ('a', 'b', '5')
i BETWEEN 1 AND 5
day IS NULL
a.b = 'x' OR c = TRUE
JMSTimestamp >= 1704067200000
JMSDeliveryMode = 'PERSISTENT'
JMSMessageID = 'ID:a'
JMSType IS NOT NULL AND weight = -1e3
priority = '5'
d * 2 = x / 3 - 1
TRUE
flag
tags = 'a'
order_type = 'a' AND payload = 5
m = 'x' OR p.a = 1
Color = 'red'
x IN ('1') OR X = 2
v = 'w'""".splitlines()

#: Subjects of the messages that are published to each of the first exchanges of a topology, and maximum number of these
#: exchanges.
_SUBJECTS, _MAX_EXCHANGES = ("a", "a.b", "eu.orders", ""), 6
#: Maximum number of bindings of a topology whose plan is recorded.
_MAX_BINDINGS = 40


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    """Return the inputs with their answers, as ``{"input": …, "answer": …}``."""
    return tuple(map(json.loads, gzip.decompress(FINDINGS.read_bytes()).decode().split("\n")))


def record(inputs: Iterable[dict[str, Any]]) -> None:
    """Write the file with ``inputs`` and the current answers to them."""
    lines = [json.dumps({"input": given, "answer": answer(given)}) for given in inputs]
    FINDINGS.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def answer(given: Mapping[str, Any]) -> Any:
    """Return the current answer to one input, as JSON reads the answer back."""
    match given:
        case {"selector": text}:
            found = _grouped({dialect: _selector(text, dialect) for dialect in dialects()})
        case {"topology": described}:
            found = _topology(**described)
        case {"filters": {"b64": str() as data, **others}} if not others:
            found = _filters(base64.b64decode(data))
        case {"filters": filters}:
            found = _filters(filters)
        case {"layout": layout}:
            found = {text: _compiled(text, layout) for text in CONSTRUCTS}
        case _:
            raise ValueError(f"an input has a selector, a topology, filters or a layout: {given}")
    return json.loads(json.dumps(found))


def _grouped(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return each distinct answer once; its key joins all keys that have the answer."""
    groups: dict[str, list[str]] = {}
    for key, said in answers.items():
        groups.setdefault(json.dumps(said), []).append(key)
    return {", ".join(keys): json.loads(said) for said, keys in groups.items()}


def _selector(text: str, dialect: str) -> Any:
    try:
        return print_selector(text, dialect)
    except TranspilerError as error:
        return _all(error.diagnostics)


def _filters(filters: Any) -> dict[str, Any]:
    try:
        found = read_filters(filters, "ignore")
    except TranspilerError as error:
        return {"errors": _all(error.diagnostics)}
    read = [[name, to_json(node)] for name, node in found.filters]
    compiled = {dialect: _filters_compiled(filters, dialect) for dialect in dialects()}
    return {"read": read, "ignored": found.ignored, "findings": _all(found.findings), "compiled": _grouped(compiled)}


def _filters_compiled(filters: Any, dialect: str) -> Any:
    try:
        compiled = transpile_filter(filters, "amqp", dialect=dialect, connection="c", unknown="ignore")
    except TranspilerError as error:
        return _all(error.diagnostics)
    return [compiled.sql, *_all(compiled.diagnostics)]


def _compiled(text: str, layout: str) -> Any:
    try:
        compiled = transpile_selector(text, layout, missing="null")
    except (TranspilerError, TypeError) as error:
        return _all(error.diagnostics) if isinstance(error, TranspilerError) else str(error)
    return [compiled.sql, *_all(compiled.diagnostics)]


def _topology(**described: Any) -> dict[str, Any]:
    try:
        if "data" in described:
            topology = topology_from_dict(described.pop("data"), **described)
        else:
            topology = parse_topology(described.pop("text"), described.pop("name"), **described)
    except TranspilerError as error:
        return {"errors": _all(error.diagnostics)}
    except TypeError as error:
        return {"errors": str(error)}
    known = {"read": topology_to_dict(topology), "version": topology.version, "vhost": topology.vhost}
    return known | {"findings": _all(topology.findings), "routes": _routes(topology), "plan": _plan(topology)}


def _routes(topology: Topology) -> dict[str, Any]:
    """Return the routes of some messages from the first exchanges, by exchange and subject."""
    known = topology if topology.shown is None else topology.shown
    names = [None, *(exchange.name for exchange in known.exchanges[:_MAX_EXCHANGES]), "nowhere"]
    return _grouped({f"{name} {subject}": _route(topology, name, subject) for name in names for subject in _SUBJECTS})


def _route(topology: Topology, exchange: str | None, subject: str) -> Any:
    message = Message.from_dict({"properties": {"subject": subject}, "application_properties": {"a": 1, "b": "x"}})
    try:
        routed = publish(topology, message, exchange).to_dict()
    except TranspilerError as error:
        return _all(error.diagnostics)
    except (TypeError, ValueError) as error:
        return str(error)
    # The destination is in the key, so that exchanges with equal answers share one entry.
    return {name: part for name, part in routed.items() if name != "exchange"}


def _plan(topology: Topology) -> list[str] | None:
    if len(topology.bindings) > _MAX_BINDINGS:
        return None
    try:
        return plan_texts(topology)
    except TranspilerError as error:
        return _all(error.diagnostics)


def _all(diagnostics: Iterable[Diagnostic]) -> list[Any]:
    return [_finding(each) for each in diagnostics]


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    found = diagnostic.to_dict()
    # The line and the column can be computed from the location.
    return {name: part for name, part in found.items() if name not in ("line", "column", "source")}
