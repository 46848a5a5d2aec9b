"""Files that are written whole or not at all, and leave nothing beside them when the writing ends early."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress


def replace_file(path: str | bytes, data: bytes) -> None:
    """Give a file new bytes; raises ``OSError``, and then the file is as it was."""
    directory = os.path.dirname(path) or os.curdir
    written = tempfile.mktemp(dir=os.fsdecode(directory), prefix=".selector-sql-")
    try:
        if not _write_unnamed(os.fsdecode(directory), written, data):
            with open(written, "xb") as copy:
                copy.write(data)
        shutil.copymode(path, written)
        os.replace(written, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(written)
        raise


def _write_unnamed(directory: str, name: str, data: bytes) -> bool:
    """Write a file that has its name only once it is complete; False where the system has no such files.

    A process that is killed meanwhile leaves nothing.
    """
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        descriptor = os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o600)
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
