"""Fuzz targets: functions of some bytes, with the properties that must hold whatever they are.

Nothing but the library's own errors, each with spans inside its text and a message of bounded length; what was read is
written and read again as the same; what two implementations answer is one answer.
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

#: Characters of the text of one error: a headline, a window of one line, a hint.
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
    """A text for any bytes; what is no UTF-8 becomes lone surrogates, which Python strings may hold."""
    return data.decode("utf-8", "surrogateescape")


def sound(error: TranspilerError) -> None:
    """An error of ours says where and what, briefly, and points into its text."""
    assert error.diagnostics
    for found in error.diagnostics:
        sound_finding(found)
    assert len(str(error)) <= MAX_ERROR * len(error.diagnostics)


def sound_finding(found: Diagnostic) -> None:
    """A finding has a code, a message on one line that a terminal can show, and a span inside its text."""
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
    """Any text in any dialect: parsed, printed, evaluated and compiled."""
    if not data:
        return
    dialect, text = _DIALECTS[data[0] % len(_DIALECTS)], text_of(data[1:])
    tree = parse_selector(text, dialect)
    if tree is None:
        return
    for found in lint(tree, Source(text), dialect):
        sound_finding(found)
    printed = print_selector(tree, dialect)
    # A prefix or a comment trap changes how text reads; all else prints back to its own tree.
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
    """Any text in all dialects at once."""
    compare_dialects(text_of(data), MESSAGE)


def harmless_sql(sql: str) -> None:
    """Check that nothing changes a text: no substitution, no template, no escape, one kind of quote."""
    assert not any(opening in sql for opening in ("${", "{{", "{%", "{#"))
    assert "\\" not in sql
    assert '"' not in sql
    assert sql.isprintable()
    assert sql.count("'") % 2 == 0


def fuzz_amqp(data: bytes) -> None:
    """Any bytes as a value: what decodes is encoded in two ways, and both decode to the same value."""
    value = decode(data)
    for compact in (True, False):
        written = encode(value, compact)
        again = decode(written)
        # NaN is not equal to itself, so the bytes are compared and not the values.
        assert encode(again, compact) == written


def fuzz_message(data: bytes) -> None:
    """Any bytes as a message; its JSON form reads back to the same."""
    found = Message.from_amqp(data)
    form = found.to_dict()
    assert repr(Message.from_dict(form).to_dict()) == repr(form)
    assert found.message_type
    evaluate("a = 1 AND JMSMessageID <> 'ID:a' OR JMSPriority > 4 AND JMSCorrelationID IS NULL", found)


def fuzz_filter_bytes(data: bytes) -> None:
    """Any bytes as a filter set."""
    _filters(data)


def fuzz_filter_json(data: bytes) -> None:
    """Any text as a filter set's JSON."""
    _filters(text_of(data))


def _filters(data: bytes | str) -> None:
    found = read_filters(data, unknown="ignore")
    written = found.to_amqp()
    again = read_filters(written)
    assert again.to_amqp() == written
    matches(found, MESSAGE, connection="c")
    harmless_sql(transpile_filter(found, missing="null", connection="c").sql)


def fuzz_address(data: bytes) -> None:
    """Any text as an address, for every kind of node."""
    text = text_of(data)
    address = parse_address(text)
    for node in _NODES:
        try:
            harmless_sql(transpile_address(address, node, missing="null").sql)
        except TranspilerError as error:
            sound(error)


def fuzz_xquery(data: bytes) -> None:
    """Any text as a query."""
    query_truth(parse_query(text_of(data)), MESSAGE, "qpid.subject")


def fuzz_topology(data: bytes) -> None:
    """Any text as a topology's file, JSON or YAML, in every form."""
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
    """A pattern and a text on two lines: the regular expression, the evaluator and the filters agree."""
    pattern, _, text = text_of(data[:300]).partition("\n")
    words = TOPIC_SYNTAX.pattern(pattern)
    expected = matches_words(words, TOPIC_SYNTAX.words(text))
    # Java's (?!.) is at the end only; under (?s) so is Python's.
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


#: The target that is all of them: the first byte of an input says which.
ANY = "any"


def run(target: str, data: bytes) -> None:
    """One input through one target; the library's own errors are answers, and are checked."""
    if target == ANY:
        if not data:
            return
        target, data = tuple(TARGETS)[data[0] % len(TARGETS)], data[1:]
    try:
        TARGETS[target](data)
    except TranspilerError as error:
        sound(error)
