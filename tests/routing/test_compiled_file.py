"""Files of compiled topologies that are cut off, altered, or no such files: what an error says, and where."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sizes import sample
from transpiler.errors import TopologyError
from transpiler.inference import layout_from_schema
from transpiler.layouts.schemas import schema_in
from transpiler.routing.compiled_file import FIRST_LINE, MAGIC, is_compiled
from transpiler.routing.compiled_topology import CompiledTopology, Settings, compile_plan
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Binding, Exchange, Queue, Topology
from transpiler.version import __version__

#: The byte at which the header begins, with its checksum.
AT = len(FIRST_LINE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    layout = layout_from_schema(schema_in("color STRING, routing_key STRING"), None, case_sensitive=False)
    bindings = tuple(Binding("t", f"q{number}", f"a.{number}.*") for number in range(30))
    queues = tuple(Queue(binding.destination) for binding in bindings)
    topology = Topology(RABBITMQ, (Exchange("t", "topic"),), queues, bindings)
    path = tmp_path_factory.mktemp("compiled") / "whole"
    compile_plan(topology, layout, Settings()).save(path)
    return path.read_bytes()


def refusal(path: Path, data: bytes) -> TopologyError:
    """The error of a file; it says which file, what is wrong with it, and what to do."""
    path.write_bytes(data)
    with pytest.raises(TopologyError) as caught:
        CompiledTopology.load(path)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.message.startswith(f"{path} ")
    assert diagnostic.hint is not None
    assert "compile the topology again" in diagnostic.hint
    return caught.value


def test_a_file_that_is_cut_off_anywhere_is_refused_with_its_length(tmp_path: Path, whole: bytes) -> None:
    for length in sample(range(1, len(whole)), 400):
        error = refusal(tmp_path / "cut", whole[:length])
        assert f"is cut off: it ends at byte {length:,}" in str(error)


def test_a_file_with_any_byte_altered_is_refused_with_the_place(tmp_path: Path, whole: bytes) -> None:
    for at in sample(range(len(whole)), 400):
        altered = bytearray(whole)
        altered[at] ^= 1 << at % 8
        [diagnostic] = refusal(tmp_path / "altered", bytes(altered)).diagnostics
        assert is_compiled(tmp_path / "altered")
        if at < AT:
            assert "first line" in diagnostic.message or diagnostic.code == "compiled.version", at
            continue
        _, _, places = diagnostic.message.partition("is damaged between bytes ")
        first, last = (int(place.replace(",", "")) for place in places.partition(", in its")[0].split(" and "))
        assert first <= at <= last, diagnostic.message


def with_header(text: bytes) -> bytes:
    return FIRST_LINE + f"{zlib.crc32(text):08x}".encode() + text + b"\n"


#: Files by what is wrong with them: the file, made from a whole one, and the message.
WRONG: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "another file": (
        lambda _: b'{"rabbit_version": "4.2.0"}',
        "is no compiled topology, or a damaged one: its first line is another",
    ),
    "first line only": (lambda whole: whole[:20], "is cut off: it ends at byte 20, in its first line"),
    "cut in its header": (lambda whole: whole[:300], "is cut off: it ends at byte 300, in its header"),
    "cut behind it": (lambda whole: whole[:-1], "is cut off: it ends at byte "),
    "longer": (lambda whole: whole + b"\n\n", "is damaged: it has 2 bytes more than were written"),
    "a header that is not JSON": (
        lambda _: with_header(b"header"),
        f"is damaged between bytes {AT} and {AT + 14}, in its header",
    ),
    "a header of another kind": (
        lambda _: with_header(b"[1]"),
        f"is damaged between bytes {AT} and {AT + 11}, in its header",
    ),
    "parts that are not there": (
        lambda _: with_header(json.dumps({"parts": [["plan", {}, 1]], "lengths": [], "checksums": []}).encode()),
        "is of another state of version",
    ),
    "in its bindings": (lambda whole: whole[:-3] + b"\xff" + whole[-2:], "in its bindings"),
    "another version": (
        lambda whole: whole.replace(b"version " + __version__.encode(), b"version 9.1.0rc1", 1),
        f"was written by version 9.1.0rc1 in form 2, and this is version {__version__} with form 2",
    ),
    "another form": (
        lambda whole: whole.replace(b"form 2", b"form 13", 1),
        f"by version {__version__} in form 13, and",
    ),
    "an early form": (lambda _: MAGIC + b"\n\x00\x00\x00\x00\x00\x00\x01\xff{}", "was written by another version, and"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_no_compiled_topology_is_refused(tmp_path: Path, whole: bytes, name: str) -> None:
    make, message = WRONG[name]
    assert message in str(refusal(tmp_path / "wrong", make(whole)))


def test_a_directory_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"is a directory\n.*name the file that a compiled topology was saved to"):
        CompiledTopology.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        CompiledTopology.load(tmp_path / "nothing")
    assert not is_compiled(tmp_path)
    assert not is_compiled(tmp_path / "nothing")
