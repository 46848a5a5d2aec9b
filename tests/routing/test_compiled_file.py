"""Files of compiled topologies that are cut off, altered, or no such files: what an error says, and where."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
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
        assert "is cut off" in str(error)
        assert f"{length:,}" in str(error)


REASONS = "damaged", "first line", "was written by", "of another state of version"


def test_a_file_with_any_byte_altered_is_refused_or_is_the_same_topology(tmp_path: Path, whole: bytes) -> None:
    """Zip has a checksum of each member; an altered time of one, or the like, changes nothing."""
    (tmp_path / "whole").write_bytes(whole)
    expected = CompiledTopology.load(tmp_path / "whole")
    same, messages = 0, []
    places = sample(range(len(whole)), 400)
    for at in places:
        altered = bytearray(whole)
        altered[at] ^= 1 << at % 8
        (tmp_path / "altered").write_bytes(altered)
        assert is_compiled(tmp_path / "altered")
        try:
            loaded = CompiledTopology.load(tmp_path / "altered")
        except TopologyError as error:
            messages.append(str(error))
            continue
        assert (loaded.plan, loaded.version, loaded._bindings.digest) == (
            expected.plan,
            expected.version,
            expected._bindings.digest,
        )
        same += 1
    assert same < len(places) / 4
    assert {text for text in messages if not any(word in text for word in REASONS)} == set()


def without(whole: bytes, name: str) -> bytes:
    """The file with one member less."""
    made = io.BytesIO()
    made.write(FIRST_LINE)
    with zipfile.ZipFile(io.BytesIO(whole)) as before, zipfile.ZipFile(made, "w") as after:
        for member in before.namelist():
            if member != name:
                after.writestr(member, before.read(member))
    return made.getvalue()


def altered_in(whole: bytes, name: str) -> bytes:
    """The file with one byte of a member altered."""
    altered = bytearray(whole)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        info = archive.getinfo(name)
    altered[info.header_offset + 30 + len(name) + info.compress_size // 2] ^= 1
    return bytes(altered)


#: Files by what is wrong with them: the file, made from a whole one, and the message.
WRONG: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "another file": (
        lambda _: b'{"rabbit_version": "4.2.0"}',
        "is no compiled topology, or a damaged one: its first line is another",
    ),
    "first line only": (lambda whole: whole[:20], "is cut off: it ends at byte 20, in its first line"),
    "cut in a member": (lambda whole: whole[:300], "is cut off or damaged, in its directory"),
    "cut behind it": (lambda whole: whole[:-1], "is cut off or damaged, in its directory"),
    "no archive": (lambda _: FIRST_LINE + b"header", "is cut off or damaged, in its directory"),
    "no plan": (lambda whole: without(whole, "plan"), "is of another state of version"),
    "no bindings": (lambda whole: without(whole, "bindings/0"), "is of another state of version"),
    "in its plan": (lambda whole: altered_in(whole, "plan"), "is cut off or damaged, in its plan"),
    "another version": (
        lambda whole: whole.replace(b"version " + __version__.encode(), b"version 9.1.0rc1", 1),
        f"was written by version 9.1.0rc1 in form {FORMAT}, and this is version {__version__} with form {FORMAT}",
    ),
    "another form": (
        lambda whole: whole.replace(f"form {FORMAT}".encode(), b"form 13", 1),
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
