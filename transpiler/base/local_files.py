"""Files that are written whole or not at all, and files that are read only where they are files.

A file is written under a name of its own beside its target and renamed at the end. So two writers never write into one
another's bytes, a reader has the old file or a new one and never a part, and the last rename wins. What is no regular
file, such as a pipe or ``/dev/stdout``, cannot be renamed onto, and is written to.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from errno import EINVAL, EISDIR
from pathlib import Path
from typing import BinaryIO

#: A file's name, as text or as the operating system has it.
Name = str | bytes | Path

#: The kinds of what is no file, by the bits of the mode.
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def replace_file(path: Name, data: bytes, *, follow: bool = True) -> None:
    """Give a file new bytes; raises ``OSError``, and then the file is as it was.

    An existing file keeps its mode, and its owner and group if this process may give files to them. A symbolic link is
    followed to its file; without ``follow`` the file takes the place of the link, as where other people may put links.
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
            # After the owner: a change of the owner takes the bits of set-user-ID away.
            os.chmod(written, stat.S_IMODE(before.st_mode))
        os.replace(written, name)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(written)
        if isinstance(error, OSError):
            # Its user knows the target and not the name beside it.
            error.filename, error.filename2 = name, None
        raise


def _status(name: str) -> os.stat_result | None:
    """Return the status of what a name leads to; None where there is nothing."""
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _give_to_owner(name: str, before: os.stat_result) -> None:
    """Give a new file the owner and the group of the file that it replaces, as far as this process may."""
    now = os.stat(name)
    if hasattr(os, "chown"):
        # One after the other: the group may be given although the owner may not.
        for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
            if (owner, group) not in ((now.st_uid, -1), (-1, now.st_gid)):
                with suppress(PermissionError):
                    os.chown(name, owner, group)


def what_replacing_breaks(path: Name) -> str | None:
    """Return what ``replace_file`` would change beside the bytes of a file, or why it should not; None for nothing.

    A file that is read-only is not to be changed, although the directory may allow it.
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
    """Write a file that has its name only once it is complete; False where the system has no such files.

    A process that is killed meanwhile leaves nothing.
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
            # A directory's descriptor makes it a call that follows the link.
            at = os.open(directory, os.O_RDONLY)
            try:
                os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=at)
            finally:
                os.close(at)
        except OSError:
            return False
    return True


def no_file(path: Name) -> str | None:
    """Return what there is in the place of a file, such as "a named pipe"; None for a file, and for a directory.

    Nothing is opened, so nothing is waited for. ``OSError`` where there is nothing of that name.
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
    """Open a file to read its bytes; ``OSError`` for what is no regular file, which is never waited for.

    What stands in ``/dev`` and ``/proc`` is opened all the same: a shell's ``<(...)`` and ``/dev/stdin`` are pipes that
    the user names.
    """
    name = os.fsdecode(path)
    if os.path.abspath(name).startswith(("/dev/fd/", "/dev/std", "/proc/")):
        return open(name, "rb")
    # Without waiting: what there is may have changed since it was asked for.
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
    """Return the bytes of a file, as ``open_file`` opens it."""
    with open_file(path) as stream:
        return stream.read()
