"""Lines of UTF-8 files, with or without a byte order mark, that end with LF, CRLF or CR; optionally compressed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO, NoReturn, cast

from transpiler.base.diagnostics import one_line
from transpiler.tools.message_files.record_errors import RecordError, location_of, refuse

#: Maximum length of a line, in bytes. Brokers accept messages of at most 128 MiB; a whole line is kept in memory.
MAX_LINE = 2**27 + 2**26

#: Maximum number of bytes read at a time.
PIECE = 2**20

#: A function that returns the context manager in which lines are read and decoded; it may suppress errors.
Guard = Callable[[], AbstractContextManager[None]]

#: A function that opens a file and yields its lines with their numbers. Its arguments are the name of the file, and the
#: guard: a function that returns the context manager inside which the lines are read.
Lines = Callable[[str, Guard], Iterator[tuple[int, str]]]


def file_lines(name: str, guard: Guard = nullcontext) -> Iterator[tuple[int, str]]:
    """Yield the lines of the file ``name`` without line ends, numbered from 1; a file with .gz is decompressed."""
    with open(name, "rb") as stream:
        if name.endswith(".gz"):
            with gzip.open(stream) as unzipped:
                yield from decoded_lines(cast(BinaryIO, unzipped), name, guard)
        else:
            yield from decoded_lines(stream, name, guard)


def decoded_lines(stream: BinaryIO, name: str, guard: Guard = nullcontext) -> Iterator[tuple[int, str]]:
    """Yield the lines of ``stream``, the content of the file ``name``, numbered from 1.

    Reading and decoding happen inside ``guard()``. If the guard suppresses the error of a line, the line is skipped. If
    compressed data is cut off, no more lines are yielded.
    """
    lines = _numbered_lines(stream, name)
    too_long = None
    while too_long is None:
        # The guard is entered for many lines at once, and again only after a skipped line, because entering it for each
        # of millions of lines is slow.
        with guard():
            for number, line in lines:
                if len(line) > MAX_LINE:
                    too_long = number
                    break
                yield number, decode_utf8(line, name, number)
            else:
                return
    refuse_file(name, f"has more than {MAX_LINE:,} bytes in line {too_long:,}")


def _numbered_lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, bytes | bytearray]]:
    """Yield the lines of ``stream`` with their numbers. Reading ends after a line longer than ``MAX_LINE``."""
    number = 0
    while raw := _read_piece(stream, name):
        if len(raw) > MAX_LINE:
            yield number + 1, raw
            return
        # Only LF ended the piece that was read. A CR inside it ends a line of the file as well.
        for line in raw.splitlines():
            number += 1
            yield number, line


def _read_piece(stream: BinaryIO, name: str) -> bytes | bytearray:
    try:
        return _read_line(stream)
    except (EOFError, zlib.error) as error:
        refuse_file(name, f"cannot be decompressed: {error}")


def _read_line(stream: BinaryIO) -> bytes | bytearray:
    """Read a line up to LF in pieces, and stop after the piece that makes the line longer than ``MAX_LINE``."""
    piece = stream.readline(PIECE)
    if len(piece) < PIECE:
        return piece
    line = bytearray(piece)
    while piece and not line.endswith(b"\n") and len(line) <= MAX_LINE:
        piece = stream.readline(PIECE)
        line += piece
    return line


def decode_utf8(data: bytes | bytearray, name: str, line: int = 1) -> str:
    """Decode ``data``, a part of the file ``name``, as UTF-8; raise an error with the position if it is not UTF-8.

    ``line`` is the number of the line with which ``data`` begins.
    """
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        # The error's offsets do not count the byte order mark, because the codec removes it first.
        start = error.start + len(data) - len(error.object)
        before = data[:start].decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        row, column = line + before.count("\n"), len(before) - before.rfind("\n")
        refuse(location_of(name, row, column), f"this is not UTF-8: byte 0x{data[start]:02x}")


def about_file(name: str, why: str) -> str:
    """Return an error message about the whole file ``name``. ``why`` is the rest of the sentence after the name."""
    return f"standard input {why}" if name == "-" else f"file '{one_line(name)}' {why}"


def refuse_file(name: str, why: str) -> NoReturn:
    """Raise a ``RecordError`` about the whole file ``name``. ``why`` is the rest of the sentence after the name."""
    raise RecordError(about_file(name, why))
