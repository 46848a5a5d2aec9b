"""Files of compiled topologies that were tampered with are rejected, or read as the data that they claim to be.

Each test alters one value. A file with its original digest is rejected. An attacker can write a new digest. Then the
file is rejected, or it is another topology, which may deliver elsewhere but contains no SQL from the attacker.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.sizes import randomness, size
from transpiler import TranspilerError, stores
from transpiler.compiler import ir
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.sql import emit_filter, emit_value, quote_path
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.routing import tuning
from transpiler.routing.compiled_file import FIRST_LINE
from transpiler.routing.compiled_topology import CompiledTopology, Destination, Settings, compile_plan
from transpiler.routing.plan import RoutingPlan
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Alternate, Binding, Exchange, Queue

SELECTORS = (
    "color = 'c{0}' AND weight > {0}",
    "color LIKE 'a{0}%' OR weight BETWEEN {0} AND {0} + 5",
    "price * 2 > {0}.5 AND NOT color IS NULL",
    "color IN ('x{0}', 'y') AND JMSPriority > 4",
    "data IS NOT NULL OR weight % 7 = {0}",
    "color LIKE '%,{0},%'",
)
KEYS = ("a.{0}", "a.*.{0}", "#.{0}.#.b.#", "*.{0}.#")
SCHEMA = (
    "color STRING COLLATE UNICODE_CI, weight BIGINT, price DECIMAL(10, 2), data BINARY,"
    " header STRUCT<priority: SMALLINT>, routing_key STRING, exchange STRING"
)


def binding(number: int) -> Binding:
    text = SELECTORS[number % len(SELECTORS)].format(number)
    arguments = {SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)} if number % 3 else {}
    return Binding("dt"[number % 2], f"q{number % 20}", KEYS[number % len(KEYS)].format(number), arguments)


def topology(alternate: bool) -> Topology:
    exchanges = (
        Exchange("d", "direct", Alternate("t") if alternate else None),
        Exchange("t", "topic"),
        Exchange("f", "fanout"),
    )
    between = (
        Binding("f", "t", "", destination_type="exchange"),
        Binding("t", "d", "a.#", destination_type="exchange"),
    )
    queues = tuple(Queue(f"q{number}") for number in range(20))
    return Topology(QPID_JAVA, exchanges, queues, (*between, *map(binding, range(60))))


def compiled(name: str) -> CompiledTopology:
    layouts: Mapping[str, Layout] = {
        "columns": layout_from_schema(schema_in(SCHEMA), None, case_sensitive=False),
        "kafka": stores.kafka_headers(types={"weight": "DOUBLE", "*": "by-use"}, headers={"JMSPriority": "rank"}),
    }
    own = layouts["kafka" if name == "kafka" else "columns"]
    bound = (
        own.over(schema_in("headers ARRAY<STRUCT<key: STRING, value: BINARY>>, rank BIGINT"))
        if name == "kafka"
        else own
    )
    whole = compile_plan(topology(name == "alternate"), bound, Settings(Destination(), "null", several=name == "kafka"))
    return whole.updated([binding(100)]) if name != "alternate" else whole


NAMES = ("columns", "kafka", "alternate")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("compiled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "COMPILED_ANEW", 0)
        patch.setattr(tuning, "MIN_ROWS", 2)
        for name in NAMES:
            compiled(name).save(folder / name)
    return {name: (folder / name).read_bytes() for name in NAMES}


def members_of(file: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def signed(archive: bytes) -> bytes:
    return FIRST_LINE + hashlib.sha256(archive).hexdigest().encode() + b"\n" + archive


#: SQL texts that would call a Java method: alone, after a type, after a name, after a string, and in backticks.
MARK = "reflect"
ATTACKS = tuple(
    f"{before}{MARK}('java.lang.System', 'gc'){after}"
    for before, after in (
        ("", ""),
        ("BIGINT) + length(", ") + CAST(1 AS BIGINT"),
        ("UTF8_BINARY) OR ", " IS NULL OR (''"),
        ("' || ", " || '"),
        ("` + ", " + `"),
        ("_routing_front0), ", ""),
        ("_routing_read0, ", " AS x"),
        ("p0, ", ""),
        ("r -> ", ""),
        ("\\", "--"),
    )
)
OTHERS = (
    None,
    True,
    False,
    0,
    1,
    -1,
    7,
    2**31,
    2**70,
    1.5,
    float("nan"),
    "",
    "a",
    "WORD",
    [],
    {},
    [[]],
    ["Column", [[], []]],
)


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, list | dict):
        yield path
        for key, item in enumerate(data) if isinstance(data, list) else data.items():
            yield from leaves(item, (*path, key))
    else:
        yield path


def altered(data: Any, path: tuple[Any, ...], draw: random.Random, words: list[str]) -> Any:
    """Return ``data`` with the value at ``path`` replaced by another value of any kind, or by SQL."""
    if path:
        copy = dict(data) if isinstance(data, dict) else list(data)
        if isinstance(copy, list) and draw.random() < 0.02:
            del copy[path[0]]
        else:
            copy[path[0]] = altered(copy[path[0]], path[1:], draw, words)
        return copy
    choice = draw.random()
    if choice < 0.4:
        return draw.choice(ATTACKS)
    if choice < 0.6 and isinstance(data, int):
        return data + draw.choice([-1, 1, 2, 100])
    if choice < 0.6 and isinstance(data, str):
        return draw.choice(words)
    return draw.choice(OTHERS)


class Alterer:
    """A generator of copies of a file in which one random value is altered."""

    def __init__(self, file: bytes, draw: random.Random) -> None:
        self._draw = draw
        self._members = members_of(file)
        self._parts = {name: data.partition(b" ") for name, data in self._members.items()}
        self._data = {name: json.loads(text) for name, (_, _, text) in self._parts.items()}
        self._leaves = [(name, path) for name, data in self._data.items() for path in leaves(data)]
        texts = json.dumps(self._data)
        self._words = sorted(set(re.findall(r'"(\w{1,40})"', texts)))

    def archive(self) -> bytes:
        name, path = self._draw.choice(self._leaves)
        data = altered(self._data[name], path, self._draw, self._words)
        head = self._parts[name][0]
        return archive_of(self._members | {name: head + b" " + json.dumps(data).encode()})


def texts_of(plan: RoutingPlan) -> Iterator[str]:
    """Yield all text that an engine writes from a plan into a query."""
    for node in plan.nodes:
        yield emit_filter(node) if isinstance(node, ir.Predicate) else emit_value(node)
    for table in plan.tables:
        yield from map(str, (*table.signature.key_types, *table.signature.types))
    for name, path in plan.reads.items():
        yield f"{quote_path(path)} AS {name}"
    yield from plan.words


def texts_over(layout: Layout | None) -> Iterator[str]:
    if layout is None:
        return
    for name in ("color", "weight", "price"):
        stored = layout.property(name)
        for item in () if stored is None else stored.values:
            yield emit_value(item.value)
            yield emit_filter(item.guard)


def bare(sql: str) -> str:
    """Return ``sql`` without its string literals and its names in backticks."""
    return re.sub(r"'[^']*'|`(?:[^`]|``)*`", "", sql)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_one_value_altered_is_refused(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    draw = randomness(f"kept {name}")
    alterer = Alterer(files[name], draw)
    digest = files[name][: len(signed(b""))]
    whole = CompiledTopology.load(_written(tmp_path, files[name]))
    loaded = 0
    for _ in range(size(100, 3_334)):
        try:
            read = CompiledTopology.load(_written(tmp_path, digest + alterer.archive()))
        except TranspilerError:
            continue
        # The alteration changed nothing, for example replaced a 1 by a 1.
        loaded += 1
        assert (read.plan, read.version) == (whole.plan, whole.version)
    assert loaded < 10


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_a_stranger_is_refused_or_has_no_sql_of_its_own(
    tmp_path: Path, files: dict[str, bytes], name: str
) -> None:
    alterer = Alterer(files[name], randomness(f"signed {name}"))
    refused = read = 0
    for _ in range(size(150, 1_000)):
        try:
            loaded = CompiledTopology.load(_written(tmp_path, signed(alterer.archive())))
        except TranspilerError:
            refused += 1
            continue
        read += 1
        texts = [*texts_of(loaded.plan)]
        if loaded.changes is not None:
            texts += texts_of(loaded.changes.plan)
        # The change may be rejected, because the settings that it is compiled with may be altered.
        with suppress(TranspilerError):
            texts += texts_over(loaded.layout)
            loaded.updated([binding(101)])
        for text in texts:
            assert MARK not in bare(text), text
    assert refused > read > 0


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "file"
    path.write_bytes(data)
    return path


CHILD = """
import resource, sys
from transpiler import TranspilerError
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.routing.compiled_file import _typed, _layout_classes
_typed(), _layout_classes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    CompiledTopology.load(sys.argv[1])
except TranspilerError as error:
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""

#: Texts whose memory grows most when they are parsed, each repeated up to a given length.
GROWING = ("[],", "{},", "[[]],", "1,", "1234,", '"ab",', "1e5,", '{"":""},', "[" * 50 + "]" * 50 + ",")


@pytest.mark.full
@pytest.mark.parametrize("text", GROWING)
def test_a_file_takes_memory_in_proportion_to_its_size(tmp_path: Path, files: dict[str, bytes], text: str) -> None:
    most = 30_000_000
    members = members_of(files["columns"])
    members["plan"] = b"_Plans [" + (text * (most // len(text))).encode()[:-1] + b"]"
    # Incompressible padding, up to what the limit on the compression ratio allows.
    members["layout"] = random.Random(0).randbytes(1_000_000)
    path = _written(tmp_path, signed(archive_of(members)))
    assert path.stat().st_size < 1_500_000
    done = subprocess.run([sys.executable, "-c", CHILD, path], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 400
