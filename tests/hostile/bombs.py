"""Inputs that are large or deep ("bombs"), and the expected result of each: the table for ``test_bombs``.

Run as a module, it runs the whole table, each bomb in a new process with limits that the operating system enforces: one
second of CPU time, and 200 MB more memory than the process had before, including the input. It prints one JSON line for
each bomb. A bomb fails if its process is killed, so that nothing here is timed.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from transpiler import (
    Message,
    TranspilerError,
    evaluate,
    matches,
    parse_selector,
    print_selector,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler import pipeline as compiler
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector.dialects import DIALECTS
from transpiler.message.amqp.decoder import decode
from transpiler.topology.files import parse_topology
from transpiler.topology.qpid_address.address import parse_address

SECONDS = 1
#: Result of a bomb that exceeded its time, and maximum number of retries. A processor that others use may run at half
#: speed for a while, but code that is really too slow fails every time. For a retry, a second is scaled by
#: ``processor_time``.
TOO_SLOW = f"killed by {signal.SIGPROF.name}"
AGAIN = 2
#: Time of ``processor_time`` on the reference processor, in seconds. This is an estimate: on a machine where it was
#: 0.04, the slowest searches took 2.5 seconds instead of less than one.
USUAL = 0.015
BYTES = 200 * 2**20
#: Maximum length of an error text, in characters: a headline, a window of one line and a hint for each of the first
#: diagnostics.
TEXT = 20 * 3_000

#: One dialect for each kind of parser: strict, with comments and functions, with C++'s numbers.
TRIED = ("jms", "activemq", "qpid-cpp")

MEGA = 10**6
DEEP = 100_000


class Bomb(NamedTuple):
    """A hostile input, as a function that makes it, and the function that reads it."""

    make: Callable[[], Any]
    read: Callable[[Any], object]


def one_property(text: str) -> Message:
    """Return a message with ``text`` as a property and as the subject."""
    return Message.from_dict({"application_properties": {"a": text}, "properties": {"subject": text}})


def selector_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for selectors, most of them for the regular expressions of the lexer."""
    for name, text in {
        "parentheses": "(" * DEEP + "a = 1" + ")" * DEEP,
        "open parentheses": "(" * DEEP,
        "not": "NOT " * DEEP + "a",
        "signs": "a = " + "- " * DEEP + "1",
        "pluses": "a = " + "+" * DEEP + "1",
        "nested and or": "(a OR " * DEEP + "b" + " AND c)" * DEEP,
        "comparisons": "a" + " = a" * DEEP,
        "is null": "a" + " IS NULL" * DEEP,
        "sums": "a = 1" + " + 1" * DEEP,
        "in": "a IN (" + "'x'," * DEEP + "'y'",
        "functions": "REGEX(" * DEEP,
        "brackets": "[" * DEEP,
    }.items():
        for dialect in TRIED:
            yield f"{name} in {dialect}", Bomb(lambda text=text: text, compiled(dialect))
    for name, make in {
        "minus signs": lambda: "a = " + "-" * 900_000 + "1",
        "slashes": lambda: "/" * 900_000,
        "open comments": lambda: "a = 1 " + "/*" * 450_000,
        "stars": lambda: "/" + "*" * 900_000,
        "a digit": lambda: "a = " + "1" * 900_000,
        "a fraction": lambda: "a = 0." + "1" * 900_000,
        "hexadecimal": lambda: "a = 0x" + "F" * 900_000,
        "octal": lambda: "a = 0" + "7" * 900_000,
        "binary": lambda: "a = 0b" + "1" * 900_000,
        "underscores": lambda: "a = 1" + "_" * 900_000 + "x",
        "an exponent": lambda: "a = 1e" + "9" * 900_000,
        "a long name": lambda: "a" * 900_000 + " = = 1",
        "a long unicode name": lambda: "é" * 900_000 + " é = 1",
        "a long string": lambda: "a = '" + "x" * 900_000 + "' 'y'",
        "quotes": lambda: "a = " + "'" * 900_001,
        "an open string": lambda: "a = '" + "''" * 450_000,
        "double quotes": lambda: "a = " + '"' * 900_001,
        "white space": lambda: " " * 900_000 + "=",
        "lines": lambda: "\n" * 900_000 + "=",
        "carriage returns": lambda: "a = 1" + "\r" * 900_000 + "b",
        "is not": lambda: "IS " + " " * 900_000,
        "a prefix": lambda: "convert_string_expressions:hyphenated_props:" * 20_000,
        "hyphens": lambda: "hyphenated_props:" + "a-" * 400_000,
        "percents": lambda: "a LIKE '" + "%" * 900_000 + "'",
        "percents with letters": lambda: "a LIKE '" + "%a" * 450_000 + "'",
        "underscores in a pattern": lambda: "a LIKE '" + "_" * 900_000 + "'",
        "escapes": lambda: "a LIKE '" + "!!" * 450_000 + "' ESCAPE '!'",
        "a constant pattern": lambda: "'" + "a" * 300_000 + "' LIKE '" + "%a" * 300_000 + "b'",
        "bidi": lambda: "\u202e" * 900_000,
        "nul": lambda: "\0" * 900_000,
    }.items():
        for dialect in TRIED:
            yield f"{name} in {dialect}", Bomb(make, compiled(dialect))
    for dialect in DIALECTS:
        for count in (6, 40):
            for name, text in arithmetic(count).items():
                yield f"{count} {name} in {dialect}", Bomb(lambda text=text: text, compiled(dialect))
    for name, piece in {
        "or": "a = 1 OR ",
        "in": "a IN ('x') OR ",
        "name": "a",
        "(": "(",
        "like": "a LIKE '%x%' AND ",
    }.items():
        yield f"10 MB of {name}", Bomb(lambda piece=piece: piece * (10 * MEGA // len(piece)) + "b = 2", compiled("jms"))


def arithmetic(count: int) -> dict[str, str]:
    """Return selectors with ``count`` operations on properties of any type, which multiply a comparison's cases."""
    names = [f"p{n}" for n in range(count)]
    return {
        "added": " + ".join(names) + " > 0",
        "multiplied": " * ".join(names) + " = 1",
        "divided": " / ".join(names) + " < 1",
        "divided from the right": "".join(f"{name} / (" for name in names) + "1" + ")" * count + " > 0",
        "subtracted from the right": "".join(f"{name} - (" for name in names) + "1" + ")" * count + " <> 0",
        "negated": "".join(f"- ({name} - " for name in names) + "1" + ")" * count + " > 0",
        "of all operators": "".join(f"{name} {'+-*/'[n % 4]} " for n, name in enumerate(names))
        + "1 BETWEEN a + b AND c",
        "numbers": "a" + "".join(f" {'+-*/'[n % 4]} {n}.5" for n in range(count)) + " >= 1",
        "joined": " + ".join(["'x'", *names]) + " = 'x1'",
        "sums in a pattern": " + ".join(["'x'", *names]) + " LIKE 'x_%'",
        "conditions compared": "(" * count + "a = b" + "".join(f") = {name}" for name in names),
        "sums compared": " OR ".join(f"{name} + a > b + {name}" for name in names),
    }


def compiled(dialect: str) -> Callable[[str], object]:
    """Return a function that parses, prints, evaluates and compiles a selector."""

    def read(text: str) -> object:
        tree = parse_selector(text, dialect)
        assert tree is not None
        print_selector(tree, dialect)
        evaluate(tree, one_property("x"), dialect, now=0)
        return transpile_selector(text, dialect=dialect, result="ternary", now=0)

    return read


#: Regular expressions for which a backtracking matcher needs polynomial or exponential time in the length of the text.
REGULAR = {
    "a nested repeat": "(a+)+$",
    "an anchored nested repeat": "^(a+)+$",
    "a nested star": "(a*)*b",
    "optional groups": "(a?){30}a{30}",
    "alike branches": "(a|aa)+$",
    "anchored alike branches": "^(a|aa)+b$",
    "dots": "(.*)*x",
    "two repeats in one": "(x+x+)+y",
    "anchored repeats in one": "^(a+a+)+y",
    "repeats in a row": "a*a*a*a*a*a*b",
    "dots in a row": "a.*a.*a.*a.*b",
    "counted groups": "((a{1,9}){1,9}){1,9}b",
    "large counts": "(((a{255}){255}){255}){255}",
    "lazy repeats": "(a*?)*?b",
    "look-aheads": "(?=(a*)*b)a",
    "empty rounds": "(|a|(|a)*)*b",
    "deep groups": "(" * 50 + "a" + ")*" * 50,
    "many branches": "(" + "|".join("a" * count for count in range(1, 60)) + ")*b",
}


def in_spark(selector: str) -> object:
    """Compile ``selector`` in the dialect of ActiveMQ."""
    return transpile_selector(selector, dialect="activemq")


def evaluation_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for the reference evaluator: patterns on long strings."""
    text = "a" * 10_000
    for name, selector in {
        "like many": "a LIKE '%a%a%a%a%b'",
        "like one": "a LIKE '" + "_" * 1000 + "%" + "_" * 1000 + "b'",
        "like long": "a LIKE '" + "%a" * 300 + "b'",
    }.items():
        for dialect in TRIED:
            if dialect != "rabbitmq" or len(selector) < 4000:
                yield (
                    f"{name} in {dialect}",
                    Bomb(lambda: one_property(text), lambda m, s=selector, d=dialect: evaluate(s, m, d)),
                )
    for name, expression in REGULAR.items():
        for what, selector in {
            "REGEX": f"REGEX('{expression}', a)",
            "REPLACE": f"REPLACE(a, '{expression}', 'y') = 'y'",
            "SPLIT": f"INLIST(SPLIT(a, '{expression}'), 'y')",
        }.items():
            yield (
                f"{what} of {name}",
                Bomb(lambda: one_property(text + "!"), lambda m, s=selector: evaluate(s, m, "activemq")),
            )
            yield (
                f"{what} of {name} in Spark",
                Bomb(lambda s=selector: s.replace("SPLIT(a", f"SPLIT('{text}'"), in_spark),
            )
    for name, pattern in {"topic many": "#.a." * 300 + "b", "topic one": "*." * 1000 + "#.b"}.items():
        filters = {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": pattern}
        yield name, Bomb(lambda: one_property("a." * 30_000 + "a"), lambda m, f=filters: matches(f, m))


AND = "apache.org:and-filter:list"


def _list32(items: bytes, count: int) -> bytes:
    return b"\xd0" + struct.pack(">II", len(items) + 4, count) + items


def _map32(items: bytes, count: int) -> bytes:
    return b"\xd1" + struct.pack(">II", len(items) + 4, count) + items


def _nested(depth: int) -> bytes:
    data = b"\x45"
    for _ in range(depth):
        data = _list32(data, 1) if len(data) < 2**20 else data
    return data


def amqp_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs of AMQP bytes for the decoder, for messages and for filters."""
    inputs: dict[str, Callable[[], bytes]] = {
        "lists": lambda: _nested(2_000),
        "open lists": lambda: b"\xd0\x00\x98\x96\x80\x00\x00\x00\x01" * 1_000_000,
        "descriptors": lambda: b"\x00" * 10_000_000,
        "nulls": lambda: _list32(b"\x40" * 10_000_000, 10_000_000),
        "an array of nulls": lambda: b"\xf0" + struct.pack(">II", 5, 0xFFFFFFFF) + b"\x40",
        "arrays of arrays": lambda: b"\xf0\x00\x98\x96\x80\x00\x00\x00\x01\xf0" * 1_000_000,
        "empty lists": lambda: b"\x45" * 10_000_000,
        "a long string": lambda: b"\xb1" + struct.pack(">I", 10_000_000) + b"x" * 10_000_000,
        "a string that is no UTF-8": lambda: b"\xb1" + struct.pack(">I", 10_000_000) + b"x" * 9_999_999 + b"\xff",
        "a long symbol as a descriptor": lambda: (
            b"\x00\xb3" + struct.pack(">I", 9_000_000) + b"x" * 9_000_000 + b"\x45"
        ),
        "sections": lambda: b"\x00\x53\x75\xa0\x00" * 2_000_000,
        "a map": lambda: _map32(
            b"".join(b"\x71" + struct.pack(">i", n) + b"\x40" for n in range(1_500_000)), 3_000_000
        ),
        "keys within keys": lambda: _keys(31),
        "uuids of one hash as keys": lambda: _keys_of_one_hash(b"\x98", 0),
        "decimals of one hash as keys": lambda: _keys_of_one_hash(b"\x94", 6176 << 113),
        "decimals": lambda: _list32(b"\x94" + b"\x5f\xff" + b"\xff" * 14, 1),
        "filters": lambda: _map32(
            b"".join(
                b"\xb3" + struct.pack(">I", 6) + b"%06d" % n + b"\x00\x80\x00\x00\x46\x8c\x00\x00\x00\x04\xa1\x01a"
                for n in range(300_000)
            ),
            600_000,
        ),
        "49,000 filters": lambda: _map32(
            b"".join(
                b"\xb3" + struct.pack(">I", 6) + b"%06d" % n + b"\x00\x80\x00\x00\x46\x8c\x00\x00\x00\x04\xa1\x01a"
                for n in range(24_000)
            ),
            48_000,
        ),
    }
    for name, make in inputs.items():
        yield f"{name} as a value", Bomb(make, decode)
        yield f"{name} as a message", Bomb(make, Message.from_amqp)
        yield f"{name} as filters", Bomb(make, lambda data: transpile_filter(data, unknown="ignore"))


def _keys(depth: int) -> bytes:
    key = b"\x71\x00\x00\x00\x01"
    for _ in range(depth):
        key = _map32(key + b"\x40", 2)
    return key


def _keys_of_one_hash(code: bytes, base: int) -> bytes:
    """Return a map whose keys have the same hash in Python.

    Python hashes an integer modulo 2**61 - 1, and a UUID and a Decimal by their integers.
    """
    keys = ((base | number * (2**61 - 1)).to_bytes(16) for number in range(20_000))
    return _map32(b"".join(code + key + b"\x40" for key in keys), 40_000)


def json_texts() -> dict[str, Callable[[], str]]:
    """Return large or deep JSON texts by name, for all readers of JSON."""
    return {
        "arrays": lambda: "[" * DEEP + "]" * DEEP,
        "objects": lambda: '{"a":' * DEEP + "1" + "}" * DEEP,
        "open arrays": lambda: "[" * (10 * MEGA),
        "900 arrays": lambda: "[" * 900 + "]" * 900,
        "900 objects": lambda: '{"virtualhosts":[' * 450 + "{}" + "]}" * 450,
        "empty arrays": lambda: "[" + "[]," * (3 * MEGA) + "[]]",
        "empty objects": lambda: "[" + "{}," * (3 * MEGA) + "{}]",
        "small objects": lambda: "[" + '{"a":1},' * MEGA + "{}]",
        "a digit": lambda: '{"a":' + "1" * (10 * MEGA) + "}",
        "5,000 digits": lambda: '{"application_properties":{"a":' + "1" * 5_000 + "}}",
        "a fraction": lambda: '{"a":0.' + "1" * (10 * MEGA) + "}",
        "one key": lambda: '{"' + "a" * (10 * MEGA) + '":1}',
        "one string": lambda: '"' + "a" * (10 * MEGA) + '"',
        "an open string": lambda: '{"a":"' + "a" * (10 * MEGA),
        "lines": lambda: "\n" * (10 * MEGA) + "x",
        "many keys": lambda: "{" + ",".join(f'"k{n}":{n}' for n in range(300_000)) + "}",
        "the same key": lambda: "{" + '"a":1,' * MEGA + '"b":2}',
        "many near names": lambda: "{" + ",".join(f'"headr{n}":{n}' for n in range(200_000)) + "}",
        "escapes": lambda: '{"a":"' + "\\ud800" * MEGA + '"}',
        "backslashes": lambda: '{"a":"' + "\\\\" * (5 * MEGA) + '"}',
        "nul": lambda: "\0" * (10 * MEGA),
        "a word": lambda: "x" * (10 * MEGA),
        "NaN": lambda: '{"application_properties":{"a":[' + "NaN," * (2 * MEGA) + "1]}}",
    }


def filters_of(text: str) -> object:
    """Compile the JSON of a filter set."""
    return transpile_filter(text, unknown="ignore", missing="null")


def nested_filters(depth: int) -> Callable[[], str]:
    """Return a function that makes filters nested ``depth`` levels deep."""
    return lambda: (f'{{"descriptor":"{AND}","value":[' * depth) + "]}" * depth


def filter_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for filters, as JSON and as Python objects."""
    for name, make in json_texts().items():
        yield f"{name} as filters", Bomb(make, filters_of)
    one = '{"descriptor":"apache.org:selector-filter:string","value":"a = 1"}'
    yield "deep filters", Bomb(nested_filters(DEEP), filters_of)
    yield "300 levels of filters", Bomb(nested_filters(300), filters_of)
    yield (
        "100,000 filters",
        Bomb(lambda: f'{{"descriptor":"{AND}","value":[' + f"{one}," * DEEP + one + "]}", filters_of),
    )
    yield (
        "a long descriptor",
        Bomb(lambda: json.dumps({"descriptor": "x" * (10 * MEGA), "value": "a"}), filters_of),
    )
    yield (
        "a long descriptor that is refused",
        Bomb(lambda: json.dumps({"descriptor": "x" * (10 * MEGA), "value": "a"}), transpile_filter),
    )
    topic = "apache.org:legacy-amqp-topic-binding:string"
    for name, value in {
        "dots": "." * MEGA,
        "hashes": "#." * MEGA,
        "stars": "*." * MEGA,
        "letters": "#.a." * MEGA,
    }.items():
        yield (
            f"a topic of {name}",
            Bomb(lambda v=value: json.dumps({"descriptor": topic, "value": v}), filters_of),
        )
        yield (
            f"a topic of {name} on a message",
            Bomb(
                lambda v=value: json.dumps({"descriptor": topic, "value": v}),
                lambda text: matches(text, one_property("a.b")),
            ),
        )
    entries = {f"k{n}": n for n in range(300_000)}
    yield (
        "a map of conditions",
        Bomb(lambda: {"descriptor": "amqp:application-properties-filter", "value": entries}, filters_of),
    )

    def deep_object() -> object:
        found: Any = {"descriptor": AND, "value": []}
        for _ in range(DEEP):
            found = {"descriptor": "apache.org:not-filter:list", "value": [found]}
        return {"f": found}

    yield "deep objects", Bomb(deep_object, lambda f: transpile_filter(f))


def message_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for message JSON, as the commands read it."""
    for name, make in json_texts().items():
        # An array of messages counts as its elements, and so do lines.
        if name not in ("lines", "empty objects", "small objects"):
            yield f"{name} as a message line", Bomb(make, command("match", "a = 1", "{file}"))


def command_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for every option of every command that reads a file."""
    inputs: dict[str, Callable[[], str | bytes]] = {
        name: make
        for name, make in json_texts().items()
        if name in ("arrays", "900 objects", "5,000 digits", "one string", "nul", "lines", "NaN")
    }
    inputs["lines"] = lambda: "\n" * MEGA
    inputs["no UTF-8"] = lambda: b"\xff" * MEGA
    inputs["a surrogate"] = lambda: b'{"application_properties": {"a": "\\ud800"}, "\\udfff": 1}'
    inputs["an escape"] = lambda: b'{"\x1b[31m": 1}\x1b[31m'
    inputs["nothing"] = lambda: b""
    inputs["a number"] = lambda: b"5"
    for what, arguments in {
        "check": ("check", "--as", "selectors", "--file", "{file}"),
        "check as github": ("check", "--as", "selectors", "--format", "github", "--file", "{file}"),
        "check with a schema": ("check", "a = 1", "--schema", "{file}"),
        "sql with filters": ("sql", "--filter", "{file}"),
        "sql with bytes": ("sql", "--filter-bytes", "{file}"),
        "sql with a schema": ("sql", "a = 1", "--schema", "{file}"),
        "explain": ("explain", "a = 1", "--message", "{file}"),
        "compare": ("compare", "a = 1", "--message", "{file}"),
        "match with filters": ("match", "--filter", "{file}", "{file}"),
        "route": ("route", "{file}", "{file}"),
        "route of lines": ("route", "{topology}", "{file}"),
        "route of a trace": ("route", "{topology}", "--layout", "rabbitmq-trace", "{file}"),
        "topology": ("topology", "{file}"),
        "topology with counts": ("topology", "{topology}", "--counts", "{file}"),
    }.items():
        for name, make in inputs.items():
            yield f"{name} to {what}", Bomb(make, command(*arguments))
    for what, arguments in {
        "sql": ("sql", "-"),
        "explain": ("explain", "-"),
        "compare": ("compare", "-"),
        "check": ("check", "-"),
        "match": ("match", "-", "{topology}"),
        "sql with names": ("sql", "--names", "amqp", "-"),
    }.items():
        for name in ("one string", "nul", "no UTF-8", "an escape", "nothing"):
            yield f"{name} as the selector of {what}", Bomb(inputs[name], command(*arguments))


def topology_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for topologies in three forms, as JSON and as YAML."""
    for name, make in json_texts().items():
        for form in ("rabbitmq", "broker-j"):
            yield (
                f"{name} as {form}",
                Bomb(make, lambda text, form=form: parse_topology(text, "t.json", form=form)),
            )
    for name, make in {
        "laughs": lambda: (
            "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
        ),
        "merges": lambda: (
            "a0: &a0 {x: 1}\n"
            + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60))
        ),
        "laughing queues": lambda: "broker: rabbitmq\nqueues: &q [a, b]\nexchanges: [*q, *q]\n",
        "aliased bindings": lambda: (
            "broker: rabbitmq\nx: &x [" + "a, " * 100_000 + "]\ny: [" + "*x, " * 100_000 + "]\n"
        ),
        "recursion": lambda: "broker: rabbitmq\nqueues: &q [*q]\n",
        "recursive map": lambda: "&a {broker: rabbitmq, queues: [*a]}",
        "flow lists": lambda: "[" * DEEP,
        "closed flow lists": lambda: "[" * DEEP + "]" * DEEP,
        "flow maps": lambda: "{a: " * DEEP,
        "block lists": lambda: "- " * DEEP + "a",
        "block maps": lambda: "\n".join(" " * n + "a:" for n in range(3_000)),
        "keys": lambda: "? " * DEEP + "a",
        "tags": lambda: "!!a" * DEEP,
        "python": lambda: "!!python/object/apply:os.system ['true']",
        "a digit": lambda: "queues: " + "1" * (10 * MEGA),
        "sexagesimal": lambda: "queues: " + "1:" * MEGA + "1",
        "10 MB of items": lambda: "queues: [" + "a," * (5 * MEGA) + "]",
        "10 MB of lines": lambda: "- a\n" * (2 * MEGA),
        "10 MB of text": lambda: "queues: '" + "a" * (10 * MEGA) + "'",
        "10 MB of a word": lambda: "a" * (10 * MEGA),
        "10 MB of spaces": lambda: " " * (10 * MEGA) + "a",
        "10 MB of tabs": lambda: "\t" * (10 * MEGA),
        "10 MB of anchors": lambda: "&a " * (3 * MEGA),
        "10 MB of colons": lambda: ":" * (10 * MEGA),
        "10 MB of question marks": lambda: "?" * (10 * MEGA),
        "10 MB of keys": lambda: "".join(f"k{n}:\n" for n in range(MEGA)),
        "10 MB of comments": lambda: "# a\n" * (2 * MEGA),
        "10 MB of documents": lambda: "---\n" * (2 * MEGA),
        "10 MB of nul": lambda: "\0" * (10 * MEGA),
    }.items():
        yield f"YAML: {name}", Bomb(make, lambda text: parse_topology(text, "t.yaml"))
    for name, make in {
        "the same names": lambda: {"broker": "rabbitmq", "queues": ["q"] * MEGA},
        "missing queues": lambda: {
            "broker": "rabbitmq",
            "queues": [f"q{n}" for n in range(50_000)],
            "bindings": [{"source": "amq.topic", "queue": f"r{n}"} for n in range(50_000)],
        },
        "unknown arguments": lambda: {
            "broker": "rabbitmq",
            "queues": ["q"],
            "bindings": [{"source": "amq.topic", "queue": "q", "arguments": {f"a{n}": [] for n in range(300_000)}}],
        },
        "a long selector": lambda: {
            "broker": "qpid-java",
            "queues": ["q"],
            "bindings": [{"source": "amq.topic", "queue": "q", "selector": "'" * (9 * MEGA)}],
        },
        "a long query": lambda: {
            "broker": "qpid-cpp",
            "queues": ["q"],
            "exchanges": [{"name": "x", "type": "xml"}],
            "bindings": [{"source": "x", "queue": "q", "xquery": "(:" * (4 * MEGA)}],
        },
        "wrong selectors": lambda: {
            "broker": "qpid-java",
            "queues": ["q"],
            "bindings": [{"source": "amq.topic", "queue": "q", "selector": f"a = = {n}"} for n in range(50_000)],
        },
        "addresses": lambda: {"broker": "qpid-cpp", "addresses": ["q" * 90] * 80_000},
        "created addresses": lambda: {"broker": "qpid-cpp", "addresses": ["q; {create: always}"] * 15_000},
    }.items():
        yield (
            f"topology: {name}",
            Bomb(lambda make=make: json.dumps(make()), lambda text: parse_topology(text, "t.json")),
        )
    for name, pattern in {
        "a nested repeat": "^(a+)+$",
        "repeats in a row": "a*" * 30 + "b",
        "an alternation": "^(a|a)*$",
        "parentheses": "(" * DEEP + ")" * DEEP,
        "a bounded repeat": "(" * 20 + "a" + "){99}" * 20,
        "a long one": "a" * (5 * MEGA),
        "a back reference": r"(a*)*\1b",
    }.items():
        text = json.dumps(
            {
                "rabbit_version": "4",
                "exchanges": [{"name": "a" * 250 + str(n), "type": "topic"} for n in range(2)],
                "policies": [{"pattern": pattern, "definition": {"alternate-exchange": "amq.topic"}}],
            }
        )
        yield f"a policy with {name}", Bomb(lambda text=text: text, lambda text: parse_topology(text, "t.json"))


def address_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for Qpid addresses."""
    for name, make in {
        "a name": lambda: "a" * (10 * MEGA),
        "a name and more": lambda: "a" * (10 * MEGA) + " b",
        "slashes": lambda: "a" + "/" * (10 * MEGA),
        "spaces": lambda: "a;" + " " * (10 * MEGA) + "{}",
        "an open string": lambda: "a; {x: '" + "\\'" * (5 * MEGA),
        "a string": lambda: "'" + "a" * (10 * MEGA) + "'",
        "escapes": lambda: "'" + "\\x41" * (2 * MEGA) + "'",
        "lists": lambda: "a; {x: " + "[" * DEEP,
        "maps": lambda: "a; " + "{a: " * DEEP,
        "items": lambda: "a; {link: {x-declare: {a: [" + "1," * (4 * MEGA) + "]}}}",
        "pairs": lambda: "a; {link: {x-declare: {" + ",".join(f"a{n}: 1" for n in range(800_000)) + "}}}",
        "a digit": lambda: "a; {link: {x-declare: {a: " + "1" * (9 * MEGA) + "}}}",
        "5,000 digits": lambda: "a; {link: {x-declare: {arguments: {a: " + "1" * 5_000 + "}}}}",
        "an unknown option": lambda: "a; {" + "x" * (9 * MEGA) + ": 1}",
        "an unknown value": lambda: "a; {create: " + "x" * (9 * MEGA) + "}",
        "bindings": lambda: "a; {link: {x-bindings: [" + "{key: 'a.#'}," * 700_000 + "]}}",
        "a subject of hashes": lambda: "a/" + "#." * (4 * MEGA),
        "a subject of 100,000 words": lambda: "a/" + "#.a." * 25_000,
    }.items():
        yield f"{name} as an address", Bomb(make, parse_address)
        yield (
            f"{name} as a topic address",
            Bomb(make, lambda text: transpile_address(text, "topic", missing="null")),
        )


def xquery_bombs() -> Iterator[tuple[str, Bomb]]:
    """Yield bombs for XQuery and XML."""
    for name, make in {
        "parentheses": lambda: "(" * DEEP + "a = 1" + ")" * DEEP,
        "10 MB of parentheses": lambda: "(" * (10 * MEGA),
        "not": lambda: "not(" * DEEP,
        "open comments": lambda: "(:" * (5 * MEGA),
        "comments": lambda: "(::)" * (2 * MEGA),
        "an open string": lambda: "/a = '" + "a" * (10 * MEGA),
        "a string": lambda: "/a = '" + "a" * (10 * MEGA) + "'",
        "quotes": lambda: "/a = '" + "''" * (5 * MEGA) + "'",
        "steps": lambda: "/a" * (5 * MEGA) + " = 1",
        "parenthesised": lambda: "(/a = 1) and " * 700_000 + "/b = 1",
        "terms": lambda: "/a = 1 or " * MEGA + "/b = 1",
        "sums": lambda: "/a" + " + 1" * (2 * MEGA) + " = 1",
        "lets": lambda: "".join(f"let $a{n} := /a " for n in range(400_000)) + "return $a1 = 1",
        "declarations": lambda: "declare variable $a external;" * 300_000 + "$a = 1",
        "a name": lambda: "/" + "a" * (10 * MEGA) + " = 1",
        "a name with hyphens": lambda: "/a" + "-a" * (5 * MEGA) + "- = 1",
        "a digit": lambda: "/a = " + "1" * (10 * MEGA),
        "entities": lambda: "/a = '" + "&amp;" * (2 * MEGA) + "'",
        "an entity of many digits": lambda: "/a = '&#" + "1" * (9 * MEGA) + ";'",
        "an entity of 5,000 digits": lambda: "/a = '&#" + "1" * 5_000 + ";'",
        "longer and longer lets": lambda: (
            "let $a0 := /a/a/a/a/a/a/a/a "
            + "".join(f"let $a{n} := $a{n - 1}/a " for n in range(1, 5_000))
            + "return $a1 = 1"
        ),
        "colons": lambda: "a" + ":a" * (5 * MEGA),
    }.items():
        yield f"XQuery: {name}", Bomb(make, parse_query)
    for name, make in {
        "elements": lambda: "<a>" * 10_000 + "</a>" * 10_000,
        "open elements": lambda: "<a>" * DEEP,
        "siblings": lambda: "<a>" + "<b/>" * 50_000 + "</a>",
        "attributes": lambda: "<a " + " ".join(f"b{n}=''" for n in range(20_000)) + "/>",
        "laughs": lambda: (
            '<!DOCTYPE a [<!ENTITY b0 "ha">'
            + "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 10}">' for n in range(1, 20))
            + "]><a>&b19;</a>"
        ),
        "text": lambda: "<a>" + "x" * (10 * MEGA) + "</a>",
        "an external entity": lambda: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        "entities": lambda: "<a>" + "&lt;" * DEEP + "</a>",
    }.items():
        yield (
            f"XML: {name}",
            Bomb(
                lambda make=make: body(make()),
                lambda m: (asks(m, "//b/b/b = 'x'"), evaluate("XPATH '//b//b//b'", m, "activemq")),
            ),
        )


def body(text: str) -> Message:
    """Return a message with the text body ``text``."""
    return Message.from_dict({"body": {"section": "amqp-value", "value": text}})


def asks(message: Message, query: str) -> object:
    """Return the answer of the XQuery ``query`` for ``message``."""
    from transpiler.reference.paths import matches_query

    return matches_query(parse_query(query), message, None)


def command(*arguments: str) -> Callable[[Any], object]:
    """Return a function that runs a command on a file with the input."""

    def run(text: str | bytes) -> object:
        from click.testing import CliRunner

        from transpiler.cli import main

        with tempfile.TemporaryDirectory() as folder:
            file, topology = Path(folder, "input.json"), Path(folder, "topology.json")
            file.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
            topology.write_text('{"broker": "rabbitmq", "queues": ["q"]}')
            done = CliRunner().invoke(
                main, [a.format(file=file, topology=topology) for a in arguments], input=file.read_bytes()
            )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code in (0, 1, 2), done.exit_code
        assert len(done.stderr) < TEXT, done.stderr[:300]
        return done.exit_code

    return run


def parts() -> dict[str, dict[str, Bomb]]:
    """Return all bombs by name, grouped by the function that makes them."""
    tables = (
        command_bombs,
        selector_bombs,
        evaluation_bombs,
        amqp_bombs,
        filter_bombs,
        message_bombs,
        topology_bombs,
        address_bombs,
        xquery_bombs,
    )
    return {part.__name__: dict(part()) for part in tables}


def table() -> dict[str, Bomb]:
    """Return all bombs by name."""
    return {name: bomb for part in parts().values() for name, bomb in part.items()}


def _vm_size() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def processor_time() -> float:
    """Return the CPU time in seconds that a fixed piece of work takes now. It uses sets and tuples, as bombs do."""
    begin = time.process_time()
    seen: set[tuple[int, int]] = set()
    todo = [(0, 0)]
    while todo:
        number, level = todo.pop()
        if (number, level) not in seen and number < 40_000:
            seen.add((number, level))
            todo += [(number + 1, level ^ 1), (number + 2, level)]
    return time.process_time() - begin


def explode(bomb: Bomb, out: int, seconds: float | None) -> None:
    """Run one bomb in this process, and write the result to the file descriptor ``out``.

    ``seconds`` limits its CPU time; None means no limit.
    """
    data = bomb.make()
    before = resource.getrusage(resource.RUSAGE_SELF)
    if seconds is not None:
        size = _vm_size() + BYTES
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        bomb.read(data)
        found = "answer"
    except TranspilerError as error:
        found = error.diagnostics[0].code
        if len(str(error)) > TEXT:
            found = f"an error of {len(str(error))} characters"
    except MemoryError:
        found = "MemoryError"
    except BaseException as error:
        found = f"{type(error).__name__}: {str(error)[:200]}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    after = resource.getrusage(resource.RUSAGE_SELF)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    os.write(out, json.dumps([found, round(taken, 3), (after.ru_maxrss - before.ru_maxrss) // 1024]).encode())


def ignite(bomb: Bomb, seconds: float | None) -> list[Any]:
    """Run one bomb in its own process. Return the result, the time in seconds and the memory in megabytes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        if seconds is None:
            resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
            resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
        sys.stderr.flush()
        explode(bomb, writer, seconds)
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as answer:
        text = answer.read()
    found: list[Any] = json.loads(text) if text else [f"killed by {signal.Signals(status & 127).name}", -1, -1]
    return found


def main() -> None:
    """Run all bombs, or those with an argument in their names (--named: as their names). --measure sets no
    time limit.
    """
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    named = "--named" in sys.argv
    limited = "--measure" not in sys.argv
    compiler.transpile_selector("a = 1")
    command("compare", "a = 1")("")
    for name, bomb in table().items():
        if words and not any(word == name if named else word in name for word in words):
            continue
        ended = ignite(bomb, SECONDS if limited else None)
        for _ in range(AGAIN if limited else 0):
            if ended[0] == TOO_SLOW:
                ended = ignite(bomb, SECONDS * max(1, processor_time() / USUAL))
        print(json.dumps([name, *ended]), flush=True)


if __name__ == "__main__":
    main()
