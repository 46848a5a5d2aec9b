"""Files of compiled topologies that are cut off, altered, or of another kind: the error states what is wrong."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.sizes import sample
from transpiler.base.errors import TopologyError
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.routing.compiled_file import FIRST_LINE, FORMAT, MAGIC, is_compiled
from transpiler.routing.compiled_topology import CompiledTopology, Settings, compile_plan
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue
from transpiler.version import __version__


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
    """Return the error for a file with ``data``. Check that it names the file, the problem and the remedy."""
    path.write_bytes(data)
    with pytest.raises(TopologyError) as caught:
        CompiledTopology.load(path)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.message.startswith(f"{path} ")
    assert diagnostic.hint in (
        "copy the file again from an intact copy, or compile the topology again",
        "perhaps compile the topology again with this version",
        "perhaps compile the topology again",
    )
    return caught.value


def test_a_file_that_is_cut_off_anywhere_is_refused_with_its_length(tmp_path: Path, whole: bytes) -> None:
    for length in sample(range(1, len(whole)), 400):
        error = refusal(tmp_path / "cut", whole[:length])
        assert "is truncated" in str(error)
        assert f"{length:,}" in str(error)


def test_a_file_with_any_byte_altered_is_refused(tmp_path: Path, whole: bytes) -> None:
    for at in sample(range(len(whole)), 400):
        altered = bytearray(whole)
        altered[at] ^= 1 << at % 8
        refusal(tmp_path / "altered", bytes(altered))
        assert is_compiled(tmp_path / "altered")


def signed(archive: bytes) -> bytes:
    """Return a file with a valid digest of ``archive``, as anybody can write it."""
    return FIRST_LINE + hashlib.sha256(archive).hexdigest().encode() + b"\n" + archive


def archive_of(members: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def members_of(whole: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def without(whole: bytes, name: str) -> bytes:
    """Return the file without the member ``name``, with a valid digest."""
    return signed(archive_of({member: data for member, data in members_of(whole).items() if member != name}))


def altered_in(whole: bytes, name: str) -> bytes:
    """Return the file with one byte of the member ``name`` altered."""
    altered = bytearray(whole)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        info = archive.getinfo(name)
    altered[info.header_offset + 30 + len(name) + info.compress_size // 2] ^= 1
    return bytes(altered)


#: Invalid files by their problem: a function that makes the file from a valid one, and the message.
WRONG: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "another file": (
        lambda _: b'{"rabbit_version": "4.2.0"}',
        "is not a compiled topology, or is damaged: its first line is not that of a compiled topology",
    ),
    "first line only": (lambda whole: whole[:20], "is truncated: the file ends at byte 20, in its first line"),
    "cut in a member": (lambda whole: whole[:300], "is truncated or damaged: the checksum of its 300 bytes"),
    "cut behind it": (lambda whole: whole[:-1], "is truncated or damaged: the checksum of its"),
    "no archive": (lambda _: FIRST_LINE + b"header", "is truncated or damaged: the checksum of its"),
    "signed, and no archive": (
        lambda _: signed(b"header"),
        "is not a compiled topology of this version: File is not a",
    ),
    "a member of no name of ours": (
        lambda whole: signed(archive_of(members_of(whole) | {"../x": b""})),
        "it has a member ../x",
    ),
    "a member in the place of another": (
        lambda whole: signed(archive_of(members_of(whole) | {"plan": members_of(whole)["names"]})),
        "expected a _Plans, found a _Names",
    ),
    "more buckets": (
        lambda whole: signed(archive_of(members_of(whole) | {"bindings/1": b""})),
        "the file does not contain the 1 buckets of bindings that it declares",
    ),
    "zeros in many members": (
        lambda _: signed(archive_of({f"bindings/{number}": bytes(10_000_000) for number in range(20)})),
        "bytes claim to be 200,000,000",
    ),
    "no plan": (lambda whole: without(whole, "plan"), "was not written by this build of version"),
    "no bindings": (lambda whole: without(whole, "bindings/0"), "was not written by this build of version"),
    "in its plan": (lambda whole: altered_in(whole, "plan"), "is truncated or damaged: the checksum of its"),
    "in its plan, and signed": (
        lambda whole: signed(altered_in(whole, "plan")[len(signed(b"")) :]),
        "is not a compiled topology of this version: ",
    ),
    "another version": (
        lambda whole: whole.replace(b"version " + __version__.encode(), b"version 9.1.0rc1", 1),
        f"was written by version 9.1.0rc1 in form {FORMAT}, but this is version {__version__}, which reads",
    ),
    "another form": (
        lambda whole: whole.replace(f"form {FORMAT}".encode(), b"form 13", 1),
        f"by version {__version__} in form 13, but",
    ),
    "an early form": (lambda _: MAGIC + b"\n\x00\x00\x00\x00\x00\x00\x01\xff{}", "was written by another version, but"),
}


@pytest.mark.parametrize("more", [0, 1])
def test_the_members_of_a_small_file_may_have_a_mebibyte(tmp_path: Path, whole: bytes, more: int) -> None:
    """The members have at most 2^20 bytes, and 32 bytes for each byte of the archive."""
    members = members_of(whole)
    kept = sum(map(len, members.values()))
    size = 2**20 - kept
    for _ in range(20):
        # A longer member makes the archive longer, too, until the numbers meet.
        archive = archive_of(members | {"bindings/1": bytes(size + more)})
        size, before = 2**20 + 32 * len(archive) - kept, size
        if size == before:
            break
    assert size == before
    expected = "bytes claim to be" if more else "buckets of bindings that it declares"
    assert expected in str(refusal(tmp_path / "large", signed(archive)))


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_no_compiled_topology_is_refused(tmp_path: Path, whole: bytes, name: str) -> None:
    make, message = WRONG[name]
    assert message in str(refusal(tmp_path / "wrong", make(whole)))


def test_a_directory_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"is a directory\n.*pass the file in which a compiled topology was saved"):
        CompiledTopology.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        CompiledTopology.load(tmp_path / "nothing")
    assert not is_compiled(tmp_path)
    assert not is_compiled(tmp_path / "nothing")
