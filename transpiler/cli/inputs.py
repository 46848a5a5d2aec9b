"""Inputs of the commands: this module opens every file that the user names, and standard input.

Text is UTF-8 with or without a byte order mark, and its lines end at LF, CRLF or CR. A file that cannot be read ends
the command with one line that names the file as the user did, and the line and column of bytes that are not UTF-8.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, BinaryIO, NoReturn, cast

from transpiler.base.arguments import local_file
from transpiler.base.diagnostics import one_line
from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.errors import TranspilerError
from transpiler.cli.group import click, fail
from transpiler.tools.message_files.file_lines import PIECE, Guard, about_file, decode_utf8, decoded_lines

#: Maximum size of a file that is read as a whole, in bytes. Without a limit, a file such as /dev/zero never ends.
MAX_BYTES = 2**29

#: Minimum size of a file whose reading shows its progress, in bytes, because reading it takes seconds.
LONG = 2**22


class InputFile(click.ParamType):  # type: ignore[type-arg]
    """The name of a file that can be read, or - for standard input."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the name ``value``; if it is a directory or does not exist, end the command."""
        check_input(value)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """Let the shell complete file names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class FileOrDirectory(InputFile):
    """The name of a file that can be read, or of a directory with such files, or - for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name ``value``; if there is no such file or directory, end the command."""
        return str(value) if is_directory(str(value)) else super().convert(value, param, ctx)


class TextOrFile(InputFile):
    """The type of an argument that is either a text or the name of a readable file, such as a schema.

    ``is_text(value)`` returns True if ``value`` is a text.
    """

    def __init__(self, name: str, is_text: Callable[[str], bool]) -> None:
        self.name, self._is_text = name, is_text

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text or file name ``value``; if it is neither, end the command."""
        return str(value) if self._is_text(str(value)) else super().convert(value, param, ctx)


def exists(name: str) -> bool:
    """Return True if there is a file, directory or link ``name``; False also if ``name`` cannot be a file name."""
    path = local_file(name)
    try:
        return path is not None and os.path.lexists(system_path(path))
    except ValueError:
        return False


def is_directory(name: str) -> bool:
    """Return True if there is a directory ``name``; False also if ``name`` cannot be a file name."""
    path = local_file(name)
    try:
        return path is not None and os.path.isdir(system_path(path))
    except ValueError:
        return False


def check_input(name: str) -> None:
    """End the command with an error if the file ``name`` does not exist or is a directory. The file is not opened."""
    if name == "-":
        return
    with _reported(name):
        # Get the status without opening the file. A named pipe, such as <(...) in a shell, can be opened only once:
        # closing it would end the program that writes to it.
        if stat.S_ISDIR(os.stat(_input_path(name)).st_mode):
            _refuse(name, "is a directory")


def read_bytes(name: str) -> bytes:
    """Return the bytes of the file ``name``."""
    with _opened(name) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        _refuse(name, f"has more than {MAX_BYTES:,} bytes")
    return data


def read_text_file(name: str) -> str:
    """Return the text of the file ``name`` with LF as line ends.

    An XML file is decoded with the encoding that it declares, any other file as UTF-8.
    """
    data = read_bytes(name)
    try:
        text = decode_text(data)
    except EncodingError as error:
        _refuse(name, str(error))
    except UnicodeDecodeError:
        try:
            text = decode_utf8(data, name)
        except TranspilerError as error:
            fail(str(error))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def input_lines(name: str, guard: Guard = nullcontext, *, progress: bool = False) -> Iterator[tuple[int, str]]:
    """Yield each line of the file ``name``, with its number from 1 and without its line end; ``.gz`` is decompressed.

    ``guard`` returns a context manager around the reading of each line; if it suppresses an error, the line is skipped.
    If ``progress`` is True, a terminal shows how much of a long file has been read.
    """
    with _opened(name, unzip=name.endswith(".gz"), progress=progress) as stream:
        yield from decoded_lines(stream, name, guard)


def shown(name: str) -> str:
    """Return the file name ``name`` as one printable line, for error messages."""
    return one_line(name)


def system_path(name: str) -> str | bytes:
    """Return the file name ``name`` as the operating system's calls need it: on POSIX systems, as UTF-8 bytes.

    Under a locale that is not UTF-8, Python would reject a name with non-ASCII characters.
    """
    return name.encode("utf-8") if os.name == "posix" else name


def _input_path(name: str) -> str | bytes:
    """Return the path of the file ``name`` for the operating system.

    End the command if ``name`` is a URI that does not name a local file.
    """
    path = local_file(name)
    if path is None:
        _refuse(name, "does not name a local file: copy it, or give - and its text on standard input")
    return system_path(path)


@contextmanager
def _opened(name: str, *, unzip: bool = False, progress: bool = False) -> Iterator[BinaryIO]:
    with _reported(name):
        if name == "-":
            yield _standard_input()
            return
        with open(_input_path(name), "rb") as opened, _measured(name, opened, progress) as stream:
            if unzip:
                with gzip.open(stream) as unzipped:
                    yield cast(BinaryIO, unzipped)
            else:
                yield stream


@contextmanager
def _measured(name: str, stream: BinaryIO, progress: bool) -> Iterator[BinaryIO]:
    """Yield ``stream``, the opened file ``name``, or a wrapper that shows on a terminal how much has been read.

    The progress is shown only if ``progress`` is True and the file is long.
    """
    size = os.fstat(stream.fileno()).st_size
    if not progress or size < LONG or not sys.stderr.isatty():
        yield stream
        return
    from rich.console import Console
    from rich.progress import wrap_file

    console, description = Console(stderr=True), shown(os.path.basename(name))
    with wrap_file(stream, size, description=description, console=console, transient=True) as measured:
        # The wrapper updates the progress at each read. Read large pieces, because an update for each line takes as
        # long as the reading itself.
        yield cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, measured), PIECE))


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        fail("standard input is closed")
    used = click.get_current_context().find_root().meta
    if used.setdefault("transpiler.cli.standard-input", 0):
        fail("standard input cannot be read twice: name a file for one of its uses")
    used["transpiler.cli.standard-input"] = 1
    return sys.stdin.buffer


@contextmanager
def _reported(name: str) -> Iterator[None]:
    """Return a context manager that ends the command with a one-line error if the file ``name`` cannot be read."""
    try:
        yield
    except FileNotFoundError:
        _refuse(name, "does not exist")
    except OSError as error:
        _refuse(name, f"cannot be read: {error.strerror or error}")
    except TranspilerError:
        raise
    except ValueError:
        # The name has a NUL or a lone surrogate.
        fail(one_line(f"{name!r} is not the name of a file"))


def _refuse(name: str, why: str) -> NoReturn:
    fail(about_file(name, why))
