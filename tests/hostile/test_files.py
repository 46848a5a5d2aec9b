"""Files that two processes write at once, and directories with irregular files, for every writer and reader."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.sizes import size
from transpiler.base.errors import TopologyError
from transpiler.cli import main
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.topologies import read_topology

#: Program that runs a command again and again. Its output does not matter, but it must not fail.
COMMAND = """
import sys
from click.testing import CliRunner
from transpiler.cli import main
for _ in range({times}):
    result = CliRunner().invoke(main, {words!r})
    assert result.exit_code in (0, 1), result.output
"""

SAVE = """
import sys
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.routing.compiled_topology import Settings, compile_plan
from transpiler.topologies import topology_from_dict
layout = layout_from_schema(schema_in("routing_key STRING"), None, case_sensitive=False)
bindings = [{{"source": "t", "queue": f"q{{n}}", "key": f"k{{n}}.*.x"}} for n in range(2_000)]
queues = [f"q{{n}}" for n in range(2_000)]
whole = {{"broker": "rabbitmq", "queues": queues, "exchanges": [{{"name": "t", "type": "topic"}}]}}
compiled = compile_plan(topology_from_dict(whole | {{"bindings": bindings}}), layout, Settings())
for _ in range({times}):
    compiled.save("target")
"""

CASES = "selector: a = 1\ncases:\n" + "".join(
    f"  - name: n{number}\n    message: {{a: {number}}}\n    expect: {'matches' if number == 1 else 'does not match'}\n"
    for number in range(300)
)


def fixed(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) == 300
    assert {*lines} in ({"a == 1"}, {"a = 1"})


#: Programs that write a file, and a reader that fails if it gets an incomplete file.
WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "save": (SAVE.format(times=20), CompiledTopology.load),
    "baseline": (
        COMMAND.format(
            times=size(5, 20), words=["check", *"many.txt --as selectors --baseline target --write-baseline".split()]
        ),
        lambda path: json.loads(path.read_text())["findings"][0],
    ),
    "junit": (COMMAND.format(times=4, words=["test", "many.selectors.yaml", "--junit-xml", "target"]), ET.parse),
}


@pytest.mark.full
@pytest.mark.parametrize("name", WRITERS)
def test_two_writers_succeed_and_a_reader_sees_whole_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("many.txt").write_text("a = 1 AND a = 2\n" * 300)
    Path("many.selectors.yaml").write_text(CASES)
    code, read = WRITERS[name]
    writers = [subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE) for _ in "ab"]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        if Path("target").exists():
            read(Path("target"))
            reads += 1
    assert [(writer.wait(), writer.stderr and writer.stderr.read()) for writer in writers] == [(0, b"")] * 2
    assert reads > 0
    read(Path("target"))
    assert {*os.listdir()} == {"many.txt", "many.selectors.yaml", "target"}


@pytest.mark.full
def test_a_file_that_two_processes_correct_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a.sel").write_text("a == 1\n" * 300)
    code = COMMAND.format(times=1, words=["check", "--fix", "a.sel"])
    writers = [subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) for _ in "ab"]
    while any(writer.poll() is None for writer in writers):
        fixed(tmp_path / "a.sel")
    assert [writer.wait() for writer in writers] == [0, 0]
    assert {*(tmp_path / "a.sel").read_text().splitlines()} == {"a = 1"}


def test_a_file_with_several_names_is_not_parted_by_a_correction(tmp_path: Path) -> None:
    (tmp_path / "a.sel").write_text("a == 5\n")
    os.link(tmp_path / "a.sel", tmp_path / "same.txt")
    result = CliRunner().invoke(main, ["check", "--fix", str(tmp_path / "a.sel")])
    assert "not corrected: it has 2 names (hard links)" in result.output
    assert (tmp_path / "same.txt").samefile(tmp_path / "a.sel")


@pytest.mark.full
def test_a_link_in_the_place_of_a_compiled_topology_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"mine")
    for name in ("target", ".target.incomplete"):
        (tmp_path / name).symlink_to("victim")
    subprocess.run([sys.executable, "-c", SAVE.format(times=1)], cwd=tmp_path, check=True)
    assert (tmp_path / "victim").read_bytes() == b"mine"
    assert not (tmp_path / "target").is_symlink()
    CompiledTopology.load(tmp_path / "target")


def make_socket(path: Path) -> None:
    with _inside(path.parent):
        socket.socket(socket.AF_UNIX).bind(path.name)


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    here = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


#: Paths that are not regular files: a function that creates one, and the text that reports it.
OTHERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "named pipe"),
    "socket": (make_socket, "socket"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "device"),
    "loop": (lambda path: path.symlink_to(path.name), "symbolic links"),
    "nothing": (lambda path: path.symlink_to("nowhere"), "No such file"),
}


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("ending", ["sel", "java", "json", "xml", "ipynb"])
@pytest.mark.parametrize("kind", OTHERS)
def test_check_names_what_is_no_file_and_reads_the_files_beside_it(tmp_path: Path, kind: str, ending: str) -> None:
    make, expected_text = OTHERS[kind]
    make(tmp_path / f"other.{ending}")
    (tmp_path / "a.sel").write_text("a = 1 AND a = 2\n")
    result = run("check", str(tmp_path))
    assert result.exit_code == 1
    assert "a.sel:1:" in result.output
    [printed] = [line for line in result.output.splitlines() if f"other.{ending}" in line]
    assert "skipped" in printed
    assert expected_text in printed


@pytest.mark.parametrize("name", [".gitignore", "pyproject.toml", "application.properties", "application.yml"])
@pytest.mark.parametrize("kind", OTHERS)
def test_check_does_not_wait_for_settings_that_are_no_files(tmp_path: Path, kind: str, name: str) -> None:
    for folder in (tmp_path, tmp_path / "below"):
        folder.mkdir(exist_ok=True)
        OTHERS[kind][0](folder / name)
    (tmp_path / "below" / "A.java").write_text('class A { @JmsListener(selector = "a = 1 AND a = ${x}") void m() {} }')
    (tmp_path / "a.sel").write_text("a = 1 AND a = 2\n")
    assert "a.sel:1:" in run("check", str(tmp_path)).output


@pytest.mark.parametrize("kind", OTHERS)
def test_a_directory_of_cases_may_have_what_is_no_file(tmp_path: Path, kind: str) -> None:
    make, expected_text = OTHERS[kind]
    make(tmp_path / "other.selectors.yaml")
    (tmp_path / "a.selectors.yaml").write_text("selector: a = 1\ncases:\n  - message: {a: 1}\n    expect: matches\n")
    result = run("test", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "1 passed" in result.output
    [printed] = [line for line in result.output.splitlines() if "other.selectors.yaml" in line]
    assert "skipped" in printed
    assert expected_text in printed


def test_a_directory_without_permission_is_named() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir(mode=0o700)
        (folder / "closed" / "b.sel").write_text("a = = 1")
        (folder / "a.sel").write_text("a = 1 AND a = 2\n")
        (folder / "a.selectors.yaml").write_text("selector: a = 1\ncases: [{message: {a: 1}, expect: matches}]\n")
        with as_nobody(folder / "closed"):
            checked, tested = run("check", name), run("test", name)
        (folder / "closed").chmod(0o700)
    assert "closed: skipped: Permission denied" in checked.output
    assert "a.sel:1:" in checked.output
    assert "closed: skipped: Permission denied" in tested.output
    assert "1 passed" in tested.output


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Remove the permission of a directory inside the block. The superuser, who ignores it, becomes another user."""
    folder.chmod(0)
    if os.geteuid():
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "loop"])
def test_topologies_are_read_from_files(tmp_path: Path, kind: str) -> None:
    OTHERS[kind][0](tmp_path / "topology.json")
    with pytest.raises(OSError, match=r"topology\.json"):
        read_topology(tmp_path / "topology.json")
    with pytest.raises((OSError, TopologyError), match=r"topology\.json"):
        CompiledTopology.load(tmp_path / "topology.json")


@pytest.mark.parametrize("ending", ["json", "yaml", "yml"])
@pytest.mark.parametrize("kind", OTHERS)
def test_a_directory_of_definitions_names_what_is_no_file(tmp_path: Path, kind: str, ending: str) -> None:
    make, expected_text = OTHERS[kind]
    make(tmp_path / f"other.{ending}")
    with pytest.raises(TopologyError, match=rf"skipped: other\.{ending} \(.*{expected_text}"):
        read_topology(tmp_path)
    queues = [{"name": "b", "vhost": "/"}]
    definitions = {"rabbitmq_version": "4.1.0", "queues": queues, "exchanges": [], "bindings": []}
    (tmp_path / "a.json").write_text(json.dumps(definitions))
    (tmp_path / "README.md").write_text("")
    topology = read_topology(tmp_path)
    assert topology.queue_names == {"b"}
    [reported, noted] = topology.findings
    assert (reported.code, reported.severity, noted.severity) == ("import.left-out", "warning", "info")
    assert f"other.{ending} (" in reported.message
    assert expected_text in reported.message
    assert noted.message.endswith("README.md")
    listed = run("topology", str(tmp_path))
    assert listed.exit_code == 0
    assert f"other.{ending} (" in listed.stderr
    assert "README.md" not in listed.stderr
    assert "README.md" in run("topology", str(tmp_path), "--report").output


@pytest.mark.full
def test_a_pipe_that_the_user_names_is_read(tmp_path: Path) -> None:
    """A shell's <(...) is a pipe of this kind."""
    whole = {"broker": "rabbitmq", "queues": ["q"], "exchanges": [{"name": "f", "type": "fanout"}]}
    written = {
        "topology": json.dumps(whole | {"bindings": [{"source": "f", "queue": "q"}]}),
        "match": '{"a": 1}\n{"a": 2}\n',
    }
    words = {"topology": ["topology", "@"], "match": ["match", "a = 2", "@"]}
    expected_text = {"topology": "1 binding", "match": '{"a": 2}'}
    for name, text in written.items():
        pipe = tmp_path / name
        os.mkfifo(pipe)
        code = f"open({str(pipe)!r}, 'w').write({text!r})"
        with subprocess.Popen([sys.executable, "-c", code]) as writer:
            result = run(*(str(pipe) if word == "@" else word for word in words[name]))
        assert writer.returncode == 0
        assert result.exit_code == 0, result.output
        assert expected_text[name] in result.output
