"""Atomic writing of files, and reading of regular files only.

A file is written under a temporary name in the target's directory, and renamed at the end. So two writers never mix
their bytes, a reader finds the old file or the complete new file, and the last rename wins. A target that is not a
regular file, such as a pipe or ``/dev/stdout``, cannot be replaced by a rename; the bytes are written to it directly.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from errno import EINVAL, EISDIR
from pathlib import Path
from typing import BinaryIO

#: A file's name, as text, as a ``Path``, or as the bytes that the operating system uses.
Name = str | bytes | Path

#: The names, for error messages, of the kinds of entries that are not regular files, by the type bits of the mode.
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def replace_file(path: Name, data: bytes, *, follow: bool = True) -> None:
    """Replace the content of the file at ``path`` by ``data``. If that fails, raise ``OSError`` and keep the old file.

    An existing file keeps its mode, and its owner and group if this process may give files to them. A symbolic link is
    followed to its file. Without ``follow`` the new file replaces the link: use this where other people may put links.
    """
    name = os.fsdecode(path)
    before = _status(name)
    mode = None if before is None else before.st_mode
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), name)
    if mode is not None and not stat.S_ISREG(mode):
        with open(name, "wb") as stream:
            stream.write(data)
        return
    if follow:
        name = os.path.realpath(name)
    directory = os.path.dirname(name) or os.curdir
    written = tempfile.mktemp(dir=directory, prefix=".selector-sql-")
    try:
        if not _write_unnamed(directory, written, data):
            with open(written, "xb") as copy:
                copy.write(data)
        if before is not None:
            _give_to_owner(written, before)
            # The mode is set after the owner, because a change of the owner clears the set-user-ID bits.
            os.chmod(written, stat.S_IMODE(before.st_mode))
        os.replace(written, name)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(written)
        if isinstance(error, OSError):
            # The error names the temporary file; replace it by the file that the user knows.
            error.filename, error.filename2 = name, None
        raise


def _status(name: str) -> os.stat_result | None:
    """Return the status of the file that ``name`` leads to, after symbolic links; None if there is no such file."""
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _give_to_owner(name: str, before: os.stat_result) -> None:
    """Give the new file ``name`` the owner and the group of the file that it replaces, as far as this process may."""
    now = os.stat(name)
    if hasattr(os, "chown"):
        # Two separate calls, because the process may be allowed to change the group but not the owner.
        for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
            if (owner, group) not in ((now.st_uid, -1), (-1, now.st_gid)):
                with suppress(PermissionError):
                    os.chown(name, owner, group)


def what_replacing_breaks(path: Name) -> str | None:
    """Return what ``replace_file`` would change besides the file's content, or why it should not replace the file.

    The result is None if nothing speaks against it. A read-only file should not be replaced, even if its directory
    allows it.
    """
    status = os.stat(path)
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        return "it is read-only"
    if status.st_nlink > 1:
        return f"it has {status.st_nlink} names (hard links), and the new text would be under one of them only"
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        return None
    if status.st_uid != os.geteuid():
        return "it belongs to another user, and the new file would belong to you"
    if status.st_gid not in (os.getegid(), *os.getgroups()):
        return "it belongs to a group that you are not in, and the new file would belong to your group"
    return None


def _write_unnamed(directory: str, name: str, data: bytes) -> bool:
    """Write a file that has no name until it is complete, and then link it as ``name``. Return False if not possible.

    If the process is killed before that, no incomplete file remains.
    """
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        descriptor = os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except OSError:
        return False
    with open(descriptor, "wb") as copy:
        copy.write(data)
        copy.flush()
        try:
            # Python calls ``linkat``, which follows the link under /proc to the file, only if it is given a descriptor.
            at = os.open(directory, os.O_RDONLY)
            try:
                os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=at)
            finally:
                os.close(at)
        except OSError:
            return False
    return True


def no_file(path: Name) -> str | None:
    """Return the kind of the entry ``path``, such as "a named pipe"; None for a regular file or a directory.

    The function opens nothing, so it never waits. It raises ``OSError`` if ``path`` does not exist.
    """
    return _KINDS.get(stat.S_IFMT(os.stat(path).st_mode))


def why_skipped(path: Name) -> str | None:
    """Return the reason to skip an entry of a directory, such as "a named pipe", or the error of the operating system.

    The reason is None for a file or a directory. The function opens nothing.
    """
    try:
        return no_file(path)
    except OSError as error:
        return error.strerror or str(error)


def open_file(path: Name) -> BinaryIO:
    """Open a regular file to read its bytes. Raise ``OSError`` for any other kind of entry, without waiting for it.

    ``/dev/fd/…``, ``/dev/std…`` and ``/proc/…`` are opened all the same: a shell's ``<(...)`` and ``/dev/stdin`` are
    pipes that the user names on purpose.
    """
    name = os.fsdecode(path)
    if os.path.abspath(name).startswith(("/dev/fd/", "/dev/std", "/proc/")):
        return open(name, "rb")
    # Open without blocking: a named pipe may have replaced the file after its kind was checked, and opening a pipe
    # waits.
    descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), name)
        if not stat.S_ISREG(mode):
            raise OSError(EINVAL, f"is {_KINDS.get(stat.S_IFMT(mode), 'something else')} and no file", name)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_file(path: Name) -> bytes:
    """Return the bytes of the file at ``path``, which ``open_file`` opens."""
    with open_file(path) as stream:
        return stream.read()
