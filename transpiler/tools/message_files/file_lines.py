"""Lines of files: UTF-8, with or without a byte order mark, that end at LF, CRLF or CR, compressed or not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO, NoReturn, cast

from transpiler.base.diagnostics import one_line
from transpiler.tools.message_files.record_errors import RecordError, place_of, refuse

#: Bytes of one line: brokers take messages of 128 MiB at most, and a line that is too long is held until it is.
MAX_LINE = 2**27 + 2**26

#: Bytes that are read of a line at a time.
PIECE = 2**20

#: Is entered to read and decode lines, and may keep an error to itself.
Guard = Callable[[], AbstractContextManager[None]]

#: Opens the lines of a file, each with its number.
Lines = Callable[[str, Guard], Iterator[tuple[int, str]]]


def file_lines(name: str, guard: Guard = nullcontext) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file without their ends, with their numbers from 1; one called .gz is decompressed."""
    with open(name, "rb") as stream:
        if name.endswith(".gz"):
            with gzip.open(stream) as unzipped:
                yield from decoded_lines(cast(BinaryIO, unzipped), name, guard)
        else:
            yield from decoded_lines(stream, name, guard)


def decoded_lines(stream: BinaryIO, name: str, guard: Guard = nullcontext) -> Iterator[tuple[int, str]]:
    """Yield the lines of a stream, with their numbers from 1; ``name`` is that of the file.

    ``guard`` is entered to read and decode, and leaves a line out if it keeps the error to itself; behind the end of
    compressed data that were cut off nothing is left to read.
    """
    lines = _numbered_lines(stream, name)
    too_long = None
    while too_long is None:
        # Entered once, and again behind each line that is left out: files have millions of lines.
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
    """Yield the lines of a stream with their numbers; one that is longer than ``MAX_LINE`` is the last."""
    number = 0
    while raw := _read_piece(stream, name):
        if len(raw) > MAX_LINE:
            yield number + 1, raw
            return
        # A line that ends at LF may hold several that end at CR.
        for line in raw.splitlines():
            number += 1
            yield number, line


def _read_piece(stream: BinaryIO, name: str) -> bytes | bytearray:
    try:
        return _read_line(stream)
    except (EOFError, zlib.error) as error:
        refuse_file(name, f"cannot be decompressed: {error}")


def _read_line(stream: BinaryIO) -> bytes | bytearray:
    """Read a line, in pieces that are held once; of one that is too long, a piece more than ``MAX_LINE``."""
    piece = stream.readline(PIECE)
    if len(piece) < PIECE:
        return piece
    line = bytearray(piece)
    while piece and not line.endswith(b"\n") and len(line) <= MAX_LINE:
        piece = stream.readline(PIECE)
        line += piece
    return line


def decode_utf8(data: bytes | bytearray, name: str, line: int = 1) -> str:
    """Decode UTF-8; ``line`` is the number of the line that the data begin with."""
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        # A codec that strips the mark counts from behind it.
        start = error.start + len(data) - len(error.object)
        before = data[:start].decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        row, column = line + before.count("\n"), len(before) - before.rfind("\n")
        refuse(place_of(name, row, column), f"this is not UTF-8: byte 0x{data[start]:02x}")


def about_file(name: str, why: str) -> str:
    """Return what is wrong with a file as a whole."""
    return f"standard input {why}" if name == "-" else f"file '{one_line(name)}' {why}"


def refuse_file(name: str, why: str) -> NoReturn:
    """Raise the error about a file as a whole."""
    raise RecordError(about_file(name, why))
