"""Fuzz targets: functions of some bytes, with the properties that must hold for all bytes.

A target raises only the library's own errors, with spans inside the text and messages of bounded length. What was read
is written and read again unchanged. Two implementations of one function return the same result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from transpiler import (
    Message,
    TranspilerError,
    evaluate,
    matches,
    parse_selector,
    print_selector,
    route_message,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.source import Source
from transpiler.base.topics import TOPIC_SYNTAX
from transpiler.compiler.ir.java_regex import regular_expression, topic_expression
from transpiler.language.filters.sets import read_filters
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector.checks import check
from transpiler.language.selector.dialect_rules import Escapes, Extension
from transpiler.language.selector.dialects import DIALECTS
from transpiler.language.selector.pattern import PatternError, read_pattern
from transpiler.message.amqp.decoder import decode
from transpiler.message.amqp.encoder import encode
from transpiler.reference.conditions import matches_words
from transpiler.reference.paths import query_truth
from transpiler.tools.dialect_tools.compare_dialects import compare_dialects
from transpiler.tools.lint.registry import lint
from transpiler.topology import topology_from_dict, topology_to_dict
from transpiler.topology.files import parse_topology
from transpiler.topology.qpid_address.address import parse_address

#: Maximum length of the text of one error, in characters: a headline, a window of one line, a hint.
MAX_ERROR = 4_000

MESSAGE = Message.from_dict(
    {
        "header": {"durable": True, "priority": 7},
        "properties": {"subject": "usd.stock", "message_id": "ID:a", "creation_time": 5},
        "application_properties": {"a": 1, "b": 2.5, "c": "it's", "d": True, "e": {"type": "uuid", "value": "0" * 32}},
        "body": {"section": "amqp-value", "value": "<a><b c='1'>2</b></a>"},
    }
)

_DIALECTS = tuple(DIALECTS.values())
_NODES = ("queue", "direct", "topic", "fanout", "headers", "xml")


def text_of(data: bytes) -> str:
    """Return a text for any ``data``. Bytes that are not UTF-8 become lone surrogates, which Python allows."""
    return data.decode("utf-8", "surrogateescape")


def sound(error: TranspilerError) -> None:
    """Check that ``error`` has diagnostics, each of them sound, and is short."""
    assert error.diagnostics
    for found in error.diagnostics:
        sound_finding(found)
    assert len(str(error)) <= MAX_ERROR * len(error.diagnostics)


def sound_finding(found: Diagnostic) -> None:
    """Check that ``found`` has a code, a one-line message that a terminal can display, and a span inside its text."""
    assert found.code
    assert found.message
    assert found.message.isprintable(), found.message
    assert found.hint is None or found.hint.isprintable(), found.hint
    assert len(found.render()) <= MAX_ERROR
    if found.span is not None:
        start, end = found.span
        assert 0 <= start <= end, found
        assert found.source is None or end <= len(found.source.text) + 1, found


def fuzz_selector(data: bytes) -> None:
    """Parse, print, evaluate and compile any text in any dialect."""
    if not data:
        return
    dialect, text = _DIALECTS[data[0] % len(_DIALECTS)], text_of(data[1:])
    tree = parse_selector(text, dialect)
    if tree is None:
        return
    for found in lint(tree, Source(text), dialect):
        sound_finding(found)
    printed = print_selector(tree, dialect)
    # A prefix changes how the rest of the text is parsed. Any other selector prints to a text with the same tree.
    if not dialect.has(Extension.HYPHENATED) or not text.startswith(("hyphenated_props:", "convert_string", "no_")):
        assert parse_selector(printed, dialect) == tree, printed
    truth = evaluate(tree, MESSAGE, dialect, now=0)
    assert truth in (True, False, None)
    check(tree, Source(text), dialect)
    for result in ("filter", "boolean", "ternary"):
        transpiled = transpile_selector(text, dialect=dialect, result=result, missing="null", now=0)
        harmless_sql(transpiled.sql)
        for found in transpiled.diagnostics:
            sound_finding(found)


def fuzz_dialects(data: bytes) -> None:
    """Compare all dialects on any text."""
    compare_dialects(text_of(data), MESSAGE)


def harmless_sql(sql: str) -> None:
    """Check that nothing can change a text in ``sql``: no substitution, no template, no escape, one kind of quote."""
    assert not any(opening in sql for opening in ("${", "{{", "{%", "{#"))
    assert "\\" not in sql
    assert '"' not in sql
    assert sql.isprintable()
    assert sql.count("'") % 2 == 0


def fuzz_amqp(data: bytes) -> None:
    """Decode any bytes as a value. Check that both of its encodings decode to the same value."""
    value = decode(data)
    for compact in (True, False):
        written = encode(value, compact)
        again = decode(written)
        # NaN is not equal to itself, so that the bytes are compared and not the values.
        assert encode(again, compact) == written


def fuzz_message(data: bytes) -> None:
    """Decode any bytes as a message. Check that its JSON form is read back unchanged."""
    found = Message.from_amqp(data)
    form = found.to_dict()
    assert repr(Message.from_dict(form).to_dict()) == repr(form)
    assert found.message_type
    evaluate("a = 1 AND JMSMessageID <> 'ID:a' OR JMSPriority > 4 AND JMSCorrelationID IS NULL", found)


def fuzz_filter_bytes(data: bytes) -> None:
    """Decode any bytes as a filter set."""
    _filters(data)


def fuzz_filter_json(data: bytes) -> None:
    """Parse any text as the JSON of a filter set."""
    _filters(text_of(data))


def _filters(data: bytes | str) -> None:
    found = read_filters(data, unknown="ignore")
    written = found.to_amqp()
    again = read_filters(written)
    assert again.to_amqp() == written
    matches(found, MESSAGE, connection="c")
    harmless_sql(transpile_filter(found, missing="null", connection="c").sql)


def fuzz_address(data: bytes) -> None:
    """Parse any text as an address, for every kind of node."""
    text = text_of(data)
    address = parse_address(text)
    for node in _NODES:
        try:
            harmless_sql(transpile_address(address, node, missing="null").sql)
        except TranspilerError as error:
            sound(error)


def fuzz_xquery(data: bytes) -> None:
    """Parse any text as an XQuery, and evaluate it."""
    query_truth(parse_query(text_of(data)), MESSAGE, "qpid.subject")


def fuzz_topology(data: bytes) -> None:
    """Parse any text as a topology file, in JSON or YAML, in every form."""
    if not data:
        return
    name = "t.yaml" if data[0] & 4 else "t.json"
    form = (None, "topology", "rabbitmq", "broker-j")[data[0] & 3]
    found = parse_topology(text_of(data[1:]), name, form=form)
    for finding in found.findings:
        sound_finding(finding)
    written = topology_to_dict(found)
    assert topology_to_dict(topology_from_dict(written)) == written
    route_message(found, MESSAGE)


def fuzz_patterns(data: bytes) -> None:
    """Check for a pattern and a text, on two lines, that the regular expression, evaluator and filters agree."""
    pattern, _, text = text_of(data[:300]).partition("\n")
    words = TOPIC_SYNTAX.pattern(pattern)
    expected = matches_words(words, TOPIC_SYNTAX.words(text))
    # Java's (?!.) matches at the end only, and so does Python's under (?s).
    assert (re.match(topic_expression(words), text) is not None) is expected
    for escapes in Escapes:
        try:
            parts = read_pattern(pattern, "!", escapes)
        except PatternError:
            continue
        re.compile(regular_expression(parts))
    try:
        selector = "c LIKE '" + pattern.replace("'", "''") + "' ESCAPE '!'"
        message = Message.from_dict({"application_properties": {"c": text}})
        parts = read_pattern(pattern, "!")
    except (PatternError, TranspilerError):
        return
    assert (re.match(regular_expression(parts), text) is not None) is evaluate(selector, message)


TARGETS: Mapping[str, Callable[[bytes], None]] = MappingProxyType(
    {
        "selector": fuzz_selector,
        "dialects": fuzz_dialects,
        "amqp": fuzz_amqp,
        "message": fuzz_message,
        "filter_bytes": fuzz_filter_bytes,
        "filter_json": fuzz_filter_json,
        "address": fuzz_address,
        "xquery": fuzz_xquery,
        "topology": fuzz_topology,
        "patterns": fuzz_patterns,
    }
)


#: The target that runs every other target: the first byte of an input chooses which.
ANY = "any"


def run(target: str, data: bytes) -> None:
    """Run one input through one target. The library's own errors are valid results, and are checked."""
    if target == ANY:
        if not data:
            return
        target, data = tuple(TARGETS)[data[0] % len(TARGETS)], data[1:]
    try:
        TARGETS[target](data)
    except TranspilerError as error:
        sound(error)
