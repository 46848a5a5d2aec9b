"""Every diagnostic as a whole: messages, locations, hints and fixes for inputs that are wrong or ambiguous.

Other tests check the part of a message that they are about. A line of ``data/findings.jsonl.gz`` contains an input and
the complete answer to that input, so that the test finds a changed hint, location or warning wherever the code makes
it. The inputs are those that the tests of selectors, filters, topologies and layouts used when the inputs were
recorded; ``python -m tests.golden add`` appends inputs.

- The answer to a selector or a filter set is the text or the condition that is parsed, or the errors, in each dialect.
- The answer to a topology is its own form, its settings, the routes of some messages and the SQL of its plan, or the
  errors.
- The answer to a topology with a layout is the plan over messages of that layout.
- The answer to a file of a JMS broker is its form for display, in which exchanges are addresses.
- The answer to a layout, or to a store with options, is the SQL and the warnings of a selector for each construct.
- The answer to a shape of the benchmarks is the plan of some bindings of that shape.
- The answer to an address, an XQuery or an XPath is what is read, and for an address what it adds to a topology.
- The answer to columns is the SQL and the warnings of comparisons and of arithmetic with them, in each dialect.
- The answer to the header fields of a layout is the SQL of a comparison with each of them, in each dialect.
- The answer to rows of a layout is the message that is read from each row.
- The answer to a call of a public function is its result.
- The answer to a call of a function of ``inner`` is its result; the public functions do not show what it shows.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from difflib import unified_diff
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from tests.benchmarks.routing_shapes import SHAPES
from tests.benchmarks.routing_shapes import topology as of_shape
from tests.golden import inner
from tests.golden.calls import call
from tests.golden.corpus import dialects
from tests.golden.dump import plan_texts
from tests.golden.layouts import described_layout, headers, messages
from tests.golden.tuned import tuned
from transpiler import (
    Layout,
    Message,
    TranspilerError,
    print_selector,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler.base.diagnostics import Diagnostic
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.presets import find_layout
from transpiler.compiler.stores import preset
from transpiler.language.filters.json import to_json
from transpiler.language.filters.sets import read_filters
from transpiler.language.path_expressions.xpath import outside, parse_xpath
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.reference.route import publish
from transpiler.routing.explain import explain_plan
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.topology import parse_topology, topology_from_dict, topology_to_dict
from transpiler.topology.choices import certain_topology, choices, chosen_queue, possible_topology
from transpiler.topology.displayed_addresses import addresses_of
from transpiler.topology.model import Topology
from transpiler.topology.qpid_address.address import NodeType, parse_address
from transpiler.topology.receivers import Sender, resolve_sender, with_addresses

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

#: Selectors of constructs that only some dialects have, each after its dialect.
OF_DIALECTS = """\
activemq: XPATH '//a[@b = 5 and not(c)]'
activemq: NOT (XPATH '//a' OR color = 'x')
activemq: n % 2 = 1
activemq: XQUERY '/order[@id > 5 or note]/item'
activemq: regex(color, '^r.*d$')
activemq: a IN (n, 5)
rabbitmq: properties.subject LIKE 'a%'
rabbitmq: header.priority > 4 AND n % 2 <> 1
rabbitmq: [a b] = n
artemis: AMQTimestamp > 5
artemis: hyphenated_props:a-b = 'x'
artemis: AMQSize > 10 OR color IN ('a')
qpid-cpp: "amqp.correlation_id" = color
qpid-cpp: color || 'x' = 'yx'
qpid-cpp: x = 5 OR 'a' < color""".splitlines()

#: Selectors that each dialect answers in its own way if a property has a value of another type.
_UNLIKE = ("color <> 'red'", "NOT (n = 5)", "NOT (color LIKE 'r%')")
_OWN = ("JMSType", "JMSPriority")

#: Selectors about one column ``a``, and about two columns ``a`` and ``b``.
_ONE = """\
a = 5
NOT (a <> 2.5)
a < 5 OR a > 16777217
a >= 9223372036854775807
a = '5' OR a <> 'x'
a = TRUE
NOT a
a + 1 > 2.5
a / 2 = a - 0.1
-a * 3 <> 6
a % 2 = 1
a NOT BETWEEN 1 AND 2.5
a IN ('x', '5', '')
NOT (a LIKE '5%')
a IS NULL""".splitlines()
_TWO = ("a = b", "a <> b", "a < b", "NOT (a >= b)", "a + b = 1", "a - b > 0.5", "a * b <> a", "a / b = 2", "a % b < 1")

#: A queue and exchanges, which addresses name.
_NODES: dict[str, Any] = {
    "queues": ["q"],
    "exchanges": [{"name": "a", "type": "topic"}, {"name": "news", "type": "headers"}, {"name": "e", "type": "direct"}],
}

#: Subjects of the messages that are published to each of the first exchanges of a topology, and maximum number of these
#: exchanges.
_SUBJECTS, _MAX_EXCHANGES = ("a", "a.b", "eu.orders", ""), 6
#: Number of the bindings of one shape, and number of the keys of each table whose constants are recorded.
_SHAPED, _ROWS = 100, 2
_SHAPED_COLUMNS = (
    "originatingCountry STRING, messageType STRING, quadTree STRING, publisherId STRING, region STRING, weight BIGINT, "
    "price DOUBLE, amount DECIMAL(12, 2), sent TIMESTAMP, plain STRING, note STRING"
)
#: Maximum number of bindings of a topology whose plan is recorded.
_MAX_BINDINGS = 100


def recorded_lines() -> list[str]:
    """Return the lines of the file, each the text of ``{"input": …, "answer": …}``."""
    return gzip.decompress(FINDINGS.read_bytes()).decode().split("\n")


def kind(line: str) -> str:
    """Return the kind of the input in ``line``: the name of its first member, and for a call also the function."""
    _, _, _, member, _, value, _ = line.split('"', 6)
    return f"{member} {value}" if member in ("call", "inner") else member


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    """Return the inputs with their answers, as ``{"input": …, "answer": …}``."""
    return tuple(map(json.loads, recorded_lines()))


def record(inputs: Iterable[dict[str, Any]]) -> None:
    """Write the file with ``inputs`` and the current answers to them."""
    _write(_answered(inputs))


def append(inputs: Iterable[dict[str, Any]]) -> None:
    """Append ``inputs`` to the file with the current answers to them; the recorded answers stay as they are."""
    _write([*recorded_lines(), *_answered(inputs)])


def _answered(inputs: Iterable[dict[str, Any]]) -> list[str]:
    """Return a line for each of ``inputs``. One process for each core computes the answers."""
    listed = list(inputs)
    with ProcessPoolExecutor() as processes:
        answers = processes.map(answer, listed, chunksize=10)
        return [json.dumps({"input": given, "answer": found}) for given, found in zip(listed, answers, strict=True)]


def _write(lines: Iterable[str]) -> None:
    FINDINGS.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def changed(lines: Iterable[str]) -> list[str]:
    """Return a text for each of ``lines`` whose answer is another one now: the input and the changed lines."""
    found = []
    for line in map(json.loads, lines):
        now = answer(line["input"])
        if now != line["answer"]:
            found.append("\n".join([json.dumps(line["input"]), *_difference(line["answer"], now)]))
    return found


def _difference(before: Any, now: Any) -> list[str]:
    old, new = (json.dumps(each, indent=1, ensure_ascii=False).split("\n") for each in (before, now))
    return list(unified_diff(old, new, "before", "now", lineterm="", n=1))


def answer(given: Mapping[str, Any]) -> Any:
    """Return the current answer to one input, as JSON reads the answer back.

    If the input has a member ``tuning``, its values replace tuning constants, so that a few bindings or conditions take
    the ways that otherwise only thousands take.
    """
    if "tuning" in given:
        with tuned(given["tuning"]):
            return answer({name: part for name, part in given.items() if name != "tuning"})
    match given:
        case {"selector": text}:
            found = _grouped({dialect: _selector(text, dialect) for dialect in dialects()})
        case {"topology": described}:
            found = _topology(**described)
        case {"plan of": described, "layout": layout}:
            found = _plan(topology_from_dict(described), described_layout(layout))
        case {"displayed": described}:
            found = _parsed(lambda: topology_to_dict(addresses_of(parse_topology(**described))))
        case {"filters": {"b64": str() as data, **others}} if not others:
            found = _filters(base64.b64decode(data))
        case {"filters": filters}:
            found = _filters(filters)
        case {"layout": layout}:
            found = {text: _compiled(text, layout) for text in CONSTRUCTS} | _unlike(layout)
            for line in OF_DIALECTS:
                dialect, text = line.split(": ", 1)
                found[line] = _compiled(text, layout, dialect)
        case {"store": name, "options": options}:
            store = preset(name, options)
            found = {text: _compiled(text, store) for text in CONSTRUCTS} | _unlike(store)
        case {"columns of": name}:
            found = {column: _from_column(name, column) for column in preset(name).columns}
        case {"address": address}:
            found: Any = _address(address)
        case {"query": text}:
            found = _parsed(lambda: parse_query(text))
        case {"xpath": text}:
            found = {"tree": _parsed(lambda: parse_xpath(text)), "outside": _parsed(lambda: outside(text))}
        case {"shape": name}:
            found = _shape(name)
        case {"columns": columns}:
            found = {text: _in_dialects(text, columns) for text in (_TWO if ", b " in columns else _ONE)}
        case {"headers of": layout, **others}:
            found = headers(layout, others.get("dialects", []), _finding)
        case {"rows of": layout, "rows": rows}:
            found = messages(layout, rows)
        case {"inner": name, "arguments": arguments, **others}:
            found = inner.call(name, arguments, others.get("options", {}), _imported)
        case {"call": name, "arguments": arguments, **others}:
            found = call(name, arguments, others.get("options", {}), _finding)
        case _:
            raise ValueError(f"unknown kind of input: {given}")
    return json.loads(json.dumps(found))


def _grouped(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return each distinct answer once; its key joins all keys that have the answer."""
    groups: dict[str, list[str]] = {}
    for key, expected_text in answers.items():
        groups.setdefault(json.dumps(expected_text), []).append(key)
    return {", ".join(keys): json.loads(expected_text) for expected_text, keys in groups.items()}


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


def _address(text: str) -> Any:
    """Return what an address says, and what a receiver and a sender with it add to a topology of each broker."""
    brokers = {
        broker: topology_from_dict({"broker": broker, **_NODES}) for broker in ("qpid-java", "qpid-cpp", "rabbitmq")
    }
    added = {broker: _parsed(lambda t=t: topology_to_dict(with_addresses(t, [text]))) for broker, t in brokers.items()}
    sent = {broker: _parsed(lambda t=t: _sender(resolve_sender(t, text))) for broker, t in brokers.items()}
    nodes = {
        node: _parsed(lambda node=node: transpile_address(text, node, "amqp", missing="null").sql)
        for node in get_args(NodeType)
    }
    return {"address": _parsed(lambda: parse_address(text))} | {
        "received": _grouped(added),
        "sent": _grouped(sent),
        "compiled": _grouped(nodes),
    }


def _sender(sender: Sender) -> Any:
    return [topology_to_dict(sender.topology), sender.exchange, sender.key, sender.subject]


def _parsed(parse: Callable[[], Any]) -> Any:
    """Return the result of ``parse`` as JSON or as text, or its errors."""
    try:
        result = parse()
    except TranspilerError as error:
        return _all(error.diagnostics)
    except ValueError as error:
        return str(error)
    return result if isinstance(result, str | list | dict | None) else repr(result)


def _unlike(layout: str | Layout) -> dict[str, Any]:
    return {f"each: {text}": _in_dialects(text, layout) for text in _UNLIKE}


def _from_column(name: str, column: str) -> Any:
    """Return the SQL for header fields that a user reads from a column of a store."""
    return _compiled("JMSType = 'x' AND JMSPriority > 4", preset(name, {"headers": dict.fromkeys(_OWN, column)}))


def _in_dialects(text: str, layout: str | Layout) -> dict[str, Any]:
    return _grouped({dialect: _compiled(text, layout, dialect) for dialect in dialects()})


def _compiled(text: str, layout: str | Layout, dialect: str = "jms") -> Any:
    try:
        compiled = transpile_selector(text, layout, dialect=dialect, missing="null")
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
    known["settings"] = [list(each) for each in topology.settings]
    if choices(topology):
        queue = chosen_queue(topology)
        known["certain"] = _parsed(lambda: topology_to_dict(certain_topology(topology, queue)))
        known["possible"] = _parsed(lambda: topology_to_dict(possible_topology(topology, queue)))
    return known | {"findings": _all(topology.findings), "routes": _routes(topology), "plan": _plan(topology)}


def _imported(topology: Topology) -> Any:
    """Return the form of a topology that was read from several texts, and its findings."""
    return {"read": topology_to_dict(topology), "findings": _all(topology.findings)}


def _routes(topology: Topology) -> dict[str, Any]:
    """Return the routes of some messages from the first exchanges, by exchange and subject."""
    known = topology if topology.displayed is None else topology.displayed
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


def _plan(topology: Topology, layout: str | Layout = "amqp") -> Any:
    """Return the plan of a topology: what a router computes, and how it finds the bindings."""
    if len(topology.bindings) > _MAX_BINDINGS:
        return None
    try:
        plan = build_plan(topology, find_layout(layout), "null")
    except TranspilerError as error:
        return _all(error.diagnostics)
    return _found(topology, plan) | {
        "entries": [f"{name}: {entry}" for name, entry in plan.entries.items()],
        "exchange": plan.exchange,
        "simple": plan.simple,
        "rings": plan.rings,
        "reads": sorted(plan.reads),
        "key exchanges": sorted(plan.key_exchanges),
        "states of whole keys": None if plan.whole is None else sorted(plan.whole),
    }


def _shape(name: str) -> Any:
    """Return the plans of bindings of one shape of the benchmarks: over messages of AMQP, and over typed columns."""
    [shape] = (shape for shape in SHAPES if shape.name == name)
    topology = of_shape(shape, _SHAPED)
    layouts = (AmqpLayout(), find_layout(_SHAPED_COLUMNS))
    return [_found(topology, build_plan(topology, layout, "null")) for layout in layouts]


def _found(topology: Topology, plan: RoutingPlan) -> dict[str, Any]:
    """Return what a plan computes, how it finds the bindings, and the first constants of each table."""
    return {
        "sql": plan_texts(plan),
        "report": str(explain_plan(topology, plan)).splitlines(),
        "constants": [repr(list(islice(table.rows.items(), _ROWS))) for table in plan.tables],
    }


def _all(diagnostics: Iterable[Diagnostic]) -> list[Any]:
    return [_finding(each) for each in diagnostics]


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    found = diagnostic.to_dict()
    # The line and the column can be computed from the location.
    return {name: part for name, part in found.items() if name not in ("line", "column", "source")}
