"""The file format of a compiled topology: a first line with the version, a digest, and a zip archive of JSON.

Invariants: a file appears under its name only when it is complete. A file that was truncated, altered or written by
another version is rejected. A file is safe to read from an untrusted source: it has no code and contains only plain
values. Each value is checked against the declared type of its field, and objects are built only by the constructors of
the declared data classes (``base.typed_json``). Members are read by name, and the memory that they need is limited by
the size of the file.
"""

from __future__ import annotations

import hashlib
import io
import os
import pkgutil
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from transpiler.base import local_files
from transpiler.base.arguments import local_path
from transpiler.base.diagnostics import one_line
from transpiler.base.errors import TopologyError
from transpiler.base.typed_json import TypedJson
from transpiler.version import __version__

#: The version number of the file format.
FORMAT = 8

#: The beginning of the first line in every version of the format, and the whole first line in this version.
MAGIC = b"selector-sql compiled topology"
FIRST_LINE = MAGIC + f", form {FORMAT}, version {__version__}\n".encode()

#: Length of the second line in bytes: the SHA-256 of everything after it, in hexadecimal digits, and the line end.
_DIGEST = 65

#: The rest of the first line, after ``MAGIC``, in any version.
_WRITTEN_BY = re.compile(rb", form (\d{1,9}), version ([\w.+-]{1,99})\n")

#: The hint for a path to another machine, such as a URL.
_OTHER_FILES = "a compiled topology must be a local file: copy the file to or from this machine"

_AGAIN = "copy the file again from an intact copy, or compile the topology again"

#: The timestamp of every member, which is fixed so that equal topologies produce equal files, and the compression
#: level, the fastest one.
_TIME, _LEVEL = (1980, 1, 1, 0, 0, 0), 1

#: Limits against files that would fill the memory. The unpacked members have at most ``_SMALL`` bytes, or ``_RATIO``
#: bytes for each byte of the file. After the first ``_LISTS`` lists or objects, a member must have ``_BYTES_A_LIST``
#: bytes for each, because a Python list needs 20 times the memory of its two brackets.
_RATIO, _SMALL = 32, 2**20
_BYTES_A_LIST, _LISTS = 6, 2**12

#: The valid names of members.
_MEMBER = re.compile(r"names|topology|layout|plan|bindings/(0|[1-9][0-9]{0,8})")

#: The registered classes by name. A member of the file begins with the name of its class.
_PARTS: dict[str, type] = {}


def part(kind: type) -> type:
    """Register the named tuple ``kind`` as a class that ``encode`` accepts and ``decode`` returns (class decorator)."""
    _PARTS[kind.__name__] = kind
    return kind


def encode(value: Any) -> bytes:
    """Encode an instance of a registered class as bytes; raise ``TypeError`` if a value has an undeclared type."""
    kind = type(value)
    return kind.__name__.encode() + b" " + _typed().write(kind, value)


def decode(data: bytes) -> Any:
    """Decode bytes from ``encode``; raise ``ValueError`` if the class is not registered or a value is invalid."""
    name, _, text = data.partition(b" ")
    kind = _PARTS.get(name[:99].decode("ascii", "replace"))
    if kind is None:
        raise ValueError("the data are not part of a compiled topology")
    lists = text.count(b"[") + text.count(b"{")
    if lists > _LISTS + len(text) // _BYTES_A_LIST:
        raise ValueError(f"{lists:,} lists in {len(text):,} bytes exceed the maximum of a compiled topology")
    try:
        return _typed().read(kind, text)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None


@cache
def _typed() -> TypedJson:
    # Imported late because only files need all of the many modules of layouts.
    from transpiler.base.hints import StoreCall
    from transpiler.base.topics import TopicPattern
    from transpiler.compiler.ir.column_types import ColumnType
    from transpiler.compiler.ir.nodes import Column
    from transpiler.compiler.ir.type_checks import check_parameters, check_path
    from transpiler.compiler.layouts.collations import Collations
    from transpiler.compiler.layouts.schemas import check_schema
    from transpiler.compiler.layouts.table_columns import Table

    deferred = {"TopicPattern": TopicPattern, "Collations": Collations}
    return TypedJson(
        deferred,
        _classes_for,
        {
            ColumnType: lambda kind: check_parameters(kind.precision, kind.scale, kind.collation),
            Column: lambda column: check_path(column.path),
            Table: lambda table: check_schema(table.schema),
        },
        open_records=(StoreCall,),
    )


@cache
def _layout_classes() -> tuple[type, ...]:
    """Return the data classes in all modules of the package ``layouts``."""
    from transpiler.compiler import layouts

    found: list[type] = []
    for module in pkgutil.iter_modules(layouts.__path__, f"{layouts.__name__}."):
        members = vars(import_module(module.name)).values()
        found += (
            member
            for member in members
            if isinstance(member, type) and is_dataclass(member) and member.__module__ == module.name
        )
    return tuple(found)


def _classes_for(kind: type) -> Iterable[type]:
    """Return the data classes that implement ``kind``, a protocol or base class of the package ``layouts``."""
    if not kind.__module__.startswith("transpiler.compiler.layouts."):
        return ()
    if getattr(kind, "_is_protocol", False):
        wanted = {name for base in kind.__mro__ for name in vars(base) if not name.startswith("_")} - {*vars(object)}
        wanted -= {"row", "schema"} if kind.__name__ == "Layout" else set()
        return (each for each in _layout_classes() if all(_has(each, name) for name in wanted))
    return (each for each in _layout_classes() if issubclass(each, kind))


def _has(kind: type, name: str) -> bool:
    return hasattr(kind, name) or name in getattr(kind, "__dataclass_fields__", ())


def is_compiled(path: str | Path) -> bool:
    """Return True if most bytes of ``MAGIC`` match, so that a damaged compiled topology is recognized, too.

    Return False for a pipe, because bytes that are read here could not be read again.
    """
    try:
        if not os.path.isfile(path):
            return False
        with local_files.open_file(path) as file:
            pairs = zip(file.read(len(MAGIC)), MAGIC, strict=False)
            return sum(byte == expected for byte, expected in pairs) > len(MAGIC) // 2
    except OSError:
        return False


def write_file(path: str | Path, members: Mapping[str, bytes]) -> None:
    """Write a file, which appears under its name only when it is complete; a link of that name is replaced."""
    target = local_path("path", path, _OTHER_FILES)
    archive = _archive(members, zipfile.ZIP_DEFLATED)
    if sum(map(len, members.values())) > _limit(len(archive)):
        archive = _archive(members, zipfile.ZIP_STORED)
    digest = hashlib.sha256(archive).hexdigest().encode()
    local_files.replace_file(target, FIRST_LINE + digest + b"\n" + archive, follow=False)


def _archive(members: Mapping[str, bytes], method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method, compresslevel=_LEVEL) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), data, method, _LEVEL)
    return buffer.getvalue()


def _limit(size: int) -> int:
    """Return the maximum size of the unpacked members of an archive of ``size`` bytes."""
    return _SMALL + _RATIO * size


def read_file(path: str | Path) -> dict[str, bytes]:
    """Return the members of a file by name.

    Raises ``TopologyError`` if ``path`` is a directory, or if the file is damaged or was not written by this version.
    """
    try:
        data = local_files.read_file(local_path("path", path, _OTHER_FILES))
    except IsADirectoryError:
        raise _error(path, "is a directory", "pass the file in which a compiled topology was saved") from None
    _check_first_line(path, data)
    begin = len(FIRST_LINE) + _DIGEST
    archive = data[begin:]
    if hashlib.sha256(archive).hexdigest().encode() + b"\n" != data[len(FIRST_LINE) : begin]:
        raise _error(path, f"is truncated or damaged: the checksum of its {len(data):,} bytes is wrong", _AGAIN)
    try:
        return _members(archive)
    # The zip module raises many kinds of exceptions if the numbers in an archive have been altered.
    except Exception as error:
        raise _error(path, f"is not a compiled topology of this version: {error}", _AGAIN) from None


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        listed = archive.infolist()
        total = sum(info.file_size for info in listed)
        if total > _limit(len(data)):
            raise ValueError(f"its {len(data):,} bytes claim to be {total:,}")
        unknown = [info.filename for info in listed if _MEMBER.fullmatch(info.filename) is None]
        if unknown or len({info.filename for info in listed}) < len(listed):
            raise ValueError(
                f"it has a member {one_line(unknown[0])}" if unknown else "the file contains a member twice"
            )
        # The zip module unpacks no more bytes than the archive's directory declares.
        return {info.filename: archive.read(info) for info in listed}


def _check_first_line(path: str | Path, data: bytes) -> None:
    if data.startswith(FIRST_LINE):
        return
    if not data:
        raise _error(path, "is empty", _AGAIN)
    if FIRST_LINE.startswith(data):
        raise _error(path, f"is truncated: the file ends at byte {len(data):,}, in its first line", _AGAIN)
    if not data.startswith(MAGIC):
        raise _error(
            path, "is not a compiled topology, or is damaged: its first line is not that of a compiled topology", _AGAIN
        )
    written = _WRITTEN_BY.match(data, len(MAGIC))
    by = f"version {written[2].decode()} in form {written[1].decode()}" if written else "another version"
    raise TopologyError.at(
        "compiled.version",
        f"{path} was written by {by}, but this is version {__version__}, which reads only form {FORMAT}",
        hint="perhaps compile the topology again with this version",
    )


def _error(path: str | Path, message: str, hint: str) -> TopologyError:
    return TopologyError.at("compiled.file", f"{path} {message}", hint=hint)
