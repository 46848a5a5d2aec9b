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
    """Write ``data`` to the file at ``path`` as a whole; if that fails, raise ``OSError`` and keep the old content.

    An existing file keeps its mode, and its owner and group if this process may set them. A symbolic link is followed
    to its file. If ``follow`` is False, the new file replaces the link itself: use this where other users may create
    links.
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
            # Set the mode after the owner: the operating system clears the set-user-ID bits when the owner changes.
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
    """Set the owner and group of the file ``name`` to those in ``before``, as far as this process is allowed to."""
    now = os.stat(name)
    if hasattr(os, "chown"):
        # Change the owner and the group in two calls, because the process may have the permission for only one of them.
        for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
            if (owner, group) not in ((now.st_uid, -1), (-1, now.st_gid)):
                with suppress(PermissionError):
                    os.chown(name, owner, group)


def what_replacing_breaks(path: Name) -> str | None:
    """Return a reason not to replace the file with ``replace_file``, as a clause; None if there is no reason.

    The reason is a change besides the content, such as another owner, or that the file is read-only, although its
    directory would allow the replacement.
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
    """Write ``data`` to a file that gets the name ``name`` only when it is complete; return True if that is possible.

    Return False if the system or the file system has no unnamed files. If the process is killed before the file is
    complete, nothing remains.
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
            # The link under /proc must be followed to the file. Python does that with ``linkat``, which it calls only
            # if a directory descriptor is given.
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
    """Return the reason to skip an entry of a directory: its kind, such as "a named pipe", or the system's error.

    Return None for a file or a directory. The function does not open the entry.
    """
    try:
        return no_file(path)
    except OSError as error:
        return error.strerror or str(error)


def open_file(path: Name) -> BinaryIO:
    """Open a regular file to read its bytes. Raise ``OSError`` for any other kind of entry, without waiting for it.

    ``/dev/fd/…``, ``/dev/std…`` and ``/proc/…`` are opened whatever they are: these are the names of pipes that the
    user passes on purpose, as ``<(...)`` in a shell or ``/dev/stdin``.
    """
    name = os.fsdecode(path)
    if os.path.abspath(name).startswith(("/dev/fd/", "/dev/std", "/proc/")):
        return open(name, "rb")
    # Open without blocking, because another process may have replaced the file by a named pipe after its kind was
    # checked. To open a pipe would wait for its writer.
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
