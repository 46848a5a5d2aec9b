"""The file of a compiled topology: a header, and named parts of buffers, each with a checksum.

Invariants: a file appears under its name when it is complete; one that was cut off or altered anywhere is refused
before anything of it is decoded, by the bytes at which it is damaged; and so is one of another version.

Source of the file's form: a first line with the number of the form and the version of this package; a line with the
CRC-32 of the header in eight hexadecimal digits and the header, which is JSON; and the buffers of the parts one after
the other.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from transpiler.errors import TopologyError
from transpiler.version import __version__

#: The number of the form.
FORMAT = 2

#: The beginning of the first line of every form, and the whole line of this one.
MAGIC = b"selector-sql compiled topology"
FIRST_LINE = MAGIC + f", form {FORMAT}, version {__version__}\n".encode()

#: The rest of the first line of another version.
_WRITTEN_BY = re.compile(rb", form (\d{1,9}), version ([\w.+-]{1,99})\n")

#: Hexadecimal digits of the header's checksum.
_DIGITS = 8

_AGAIN = "copy it again from where it is whole, or compile the topology again"


class Part(NamedTuple):
    """A part of a file: its buffers, and what the header says about them, as JSON."""

    header: Any
    buffers: Sequence[bytes | memoryview]


def is_compiled(path: str | Path) -> bool:
    """Return True if a file begins as a compiled topology does, be it damaged there: more than half is enough."""
    try:
        with Path(path).open("rb") as file:
            pairs = zip(file.read(len(MAGIC)), MAGIC, strict=False)
            return sum(byte == expected for byte, expected in pairs) > len(MAGIC) // 2
    except OSError:
        return False


def write_file(path: str | Path, header: Mapping[str, Any], parts: Mapping[str, Part]) -> None:
    """Write a file, which appears under its name when it is complete; ``header`` is JSON."""
    buffers = list(chain.from_iterable(part.buffers for part in parts.values()))
    described = {
        **header,
        "parts": [[name, part.header, len(part.buffers)] for name, part in parts.items()],
        "lengths": list(map(len, buffers)),
        "checksums": list(map(zlib.crc32, buffers)),
    }
    text = json.dumps(described).encode()
    target = Path(path)
    hidden = target.with_name(f".{target.name}.incomplete")
    try:
        with hidden.open("wb") as file:
            file.writelines([FIRST_LINE, _checksum(text), text, b"\n", *buffers])
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)


def read_file(path: str | Path) -> tuple[dict[str, Any], dict[str, Part]]:
    """Return the header and the parts of a file.

    ``TopologyError`` for a directory, and for a file that this version has not written, or that is damaged.
    """
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError:
        raise _error(path, "is a directory", "name the file that a compiled topology was saved to") from None
    _check_first_line(path, data)
    at = len(FIRST_LINE)
    end = data.find(b"\n", at)
    if end < 0:
        raise _cut_off(path, f"{len(data):,}, in its header")
    checksum, text = data[at : at + _DIGITS], data[at + _DIGITS : end]
    try:
        if checksum != _checksum(text):
            raise ValueError
        header = json.loads(text)
        described, lengths, checksums = header["parts"], header["lengths"], header["checksums"]
        places = list(pairwise(accumulate(lengths, initial=end + 1)))
        counts = [count for _, _, count in described]
    except (ValueError, KeyError, TypeError):
        raise _damaged(path, at, end, "header") from None
    whole = end + 1 + sum(lengths)
    if len(data) < whole:
        raise _cut_off(path, f"{len(data):,} of {whole:,}")
    if len(data) > whole:
        raise _error(path, f"is damaged: it has {len(data) - whole:,} bytes more than were written", _AGAIN)
    view = memoryview(data)
    parts: dict[str, Part] = {}
    first = 0
    for (name, part, _), last in zip(described, accumulate(counts), strict=True):
        buffers = [view[start:stop] for start, stop in places[first:last]]
        for (start, stop), buffer, expected in zip(places[first:last], buffers, checksums[first:last], strict=True):
            if zlib.crc32(buffer) != expected:
                raise _damaged(path, start, stop, name)
        parts[name] = Part(part, buffers)
        first = last
    return header, parts


def _checksum(text: bytes) -> bytes:
    return f"{zlib.crc32(text):0{_DIGITS}x}".encode()


def _check_first_line(path: str | Path, data: bytes) -> None:
    if data.startswith(FIRST_LINE):
        return
    if not data:
        raise _error(path, "is empty", _AGAIN)
    if FIRST_LINE.startswith(data):
        raise _cut_off(path, f"{len(data):,}, in its first line")
    if not data.startswith(MAGIC):
        raise _error(path, "is no compiled topology, or a damaged one: its first line is another", _AGAIN)
    written = _WRITTEN_BY.match(data, len(MAGIC))
    by = f"version {written[2].decode()} in form {written[1].decode()}" if written else "another version"
    raise TopologyError.at(
        "compiled.version",
        f"{path} was written by {by}, and this is version {__version__} with form {FORMAT}",
        hint="compile the topology again with this version",
    )


def _cut_off(path: str | Path, place: str) -> TopologyError:
    return _error(path, f"is cut off: it ends at byte {place}", _AGAIN)


def _damaged(path: str | Path, start: int, stop: int, part: str) -> TopologyError:
    return _error(path, f"is damaged between bytes {start:,} and {stop:,}, in its {part}", _AGAIN)


def _error(path: str | Path, message: str, hint: str) -> TopologyError:
    return TopologyError.at("compiled.file", f"{path} {message}", hint=hint)
