"""A file is written as a whole, even with two writers and a reader. A path that is no regular file never blocks."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from transpiler.base.local_files import no_file, open_file, read_file, replace_file

WRITER = """
import sys, time
from transpiler.base.local_files import replace_file
path, letter, seconds = sys.argv[1:]
end = time.monotonic() + float(seconds)
while time.monotonic() < end:
    replace_file(path, letter.encode() * 3_000_000)
"""


@pytest.mark.full
def test_two_writers_and_a_reader_see_whole_files_only(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"a" * 3_000_000)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, target, letter, "2"]) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        data = target.read_bytes()
        assert len(data) == 3_000_000
        assert data == data[:1] * len(data)
        seen.add(data[:1])
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen == {b"a", b"b"}
    assert os.listdir(tmp_path) == ["target"]


@pytest.mark.full
def test_a_writer_that_is_killed_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, target, "b", "20"])
        while target.read_bytes() == b"old" and writer.poll() is None:
            pass
        writer.terminate()
        writer.wait()
        assert len(target.read_bytes()) == 3_000_000
    # A signal may arrive after the temporary file is complete and before it is renamed.
    left = [name for name in os.listdir(tmp_path) if name != "target"]
    assert all((tmp_path / name).stat().st_size == 3_000_000 for name in left)


def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_the_umask(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"")
    (tmp_path / "kept").chmod(0o640)
    before = os.umask(0o027)
    try:
        for name in ("kept", "new"):
            replace_file(tmp_path / name, name.encode())
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("kept", "new")] == [0o640, 0o640]
    assert (tmp_path / "new").read_bytes() == b"new"


def test_a_link_is_followed_or_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    for name in ("followed", "replaced", "dangling"):
        (tmp_path / name).symlink_to("nothing" if name == "dangling" else "file")
    replace_file(tmp_path / "followed", b"new")
    assert ((tmp_path / "followed").is_symlink(), (tmp_path / "file").read_bytes()) == (True, b"new")
    replace_file(tmp_path / "dangling", b"made")
    assert (tmp_path / "nothing").read_bytes() == b"made"
    replace_file(tmp_path / "replaced", b"own", follow=False)
    assert ((tmp_path / "replaced").is_symlink(), (tmp_path / "file").read_bytes()) == (False, b"new")


def test_what_cannot_be_written_is_an_error_of_the_target(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "directory").mkdir()
    for name in ("no/file", "directory", "loop", "x" * 300):
        with pytest.raises(OSError, match=name[:50]) as caught:
            replace_file(tmp_path / name, b"x")
        assert "selector-sql-" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["directory", "loop"]


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    replace_file(tmp_path / "pipe", b"text")
    reader.join()
    assert read == [b"text"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    replace_file(os.devnull, b"text")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def make_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


#: Paths that are not regular files: a function that creates one, and its description in messages, or None.
OTHERS: dict[str, tuple[Callable[[Path], object], str | None]] = {
    "pipe": (os.mkfifo, "a named pipe"),
    "socket": (make_socket, "a socket"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "directory": (Path.mkdir, None),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, kind: str) -> None:
    make, called = OTHERS[kind]
    make(tmp_path / kind)
    assert no_file(tmp_path / kind) == called
    for read in (read_file, open_file):
        with pytest.raises(OSError, match=kind):
            read(tmp_path / kind)


@pytest.mark.full
def test_pipes_of_the_shell_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    code = "import sys; from transpiler.base.local_files import read_file; print(read_file(sys.argv[1]))"
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -c "{code}" <(cat file); cat file | {sys.executable} -c "{code}" /dev/stdin'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "b'text'\n" * 2
