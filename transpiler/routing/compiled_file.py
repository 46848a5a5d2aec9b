"""The file of a compiled topology: a first line that names it, and a zip archive of pickled members.

Zip has the checksums, the members and the end by which a file that was cut off is known.

Invariants: a file appears under its name when it is complete; one that was cut off, altered in its data or written by
another version is refused; what is unpickled is made of the data classes, named tuples and enumerations of this package
and of nothing else, so that no file runs code. Functions are no data and are refused.
"""

from __future__ import annotations

import io
import pickle
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from transpiler.base.arguments import local_path
from transpiler.base.errors import TopologyError
from transpiler.version import __version__

#: The number of the form.
FORMAT = 6

#: The beginning of the first line of every form, and the whole line of this one.
MAGIC = b"selector-sql compiled topology"
FIRST_LINE = MAGIC + f", form {FORMAT}, version {__version__}\n".encode()

#: The rest of the first line of another version.
_WRITTEN_BY = re.compile(rb", form (\d{1,9}), version ([\w.+-]{1,99})\n")

#: The way to keep a compiled topology elsewhere.
_OTHER_FILES = "a compiled topology is a file of this machine: copy it from there, or to there"

_AGAIN = "copy it again from where it is whole, or compile the topology again"

#: The time of every member, so that equal topologies are equal files; and how well they are compressed: the fastest.
_TIME, _LEVEL = (1980, 1, 1, 0, 0, 0), 1


def encode(value: object) -> bytes:
    """Return plain data as bytes. ``TypeError`` for what is no plain data."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=4)
    pickler.dispatch_table = _Reducers({MappingProxyType: lambda mapping: (_read_only, (dict(mapping),))})
    try:
        pickler.dump(value)
    except (pickle.PicklingError, AttributeError) as error:
        raise TypeError(f"this is no plain data: {error}") from None
    return buffer.getvalue()


def decode(data: bytes) -> Any:
    """Return the value. ``ValueError`` where its classes are others now, or no data classes of this package."""
    try:
        return _Unpickler(io.BytesIO(data)).load()
    # A damaged pickle fails in as many ways as there are classes in it; none of them has code to run.
    except Exception as error:
        raise ValueError(f"the data are damaged: {type(error).__name__}: {error}") from None


class _Reducers(dict[type, Callable[[Any], tuple[Any, ...]]]):
    """The functions that take objects apart, by their classes: a data class is called with its fields."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Any, ...]]:
        if is_dataclass(kind):
            # Fields that a class computes from others are not stored.
            names = [field.name for field in fields(kind) if field.init]

            def reducer(each: Any) -> tuple[Any, ...]:
                return kind, tuple([getattr(each, name) for name in names])

        elif issubclass(kind, tuple) and hasattr(kind, "_fields"):

            def reducer(each: Any) -> tuple[Any, ...]:
                return kind, tuple(each)

        else:
            raise KeyError(kind)
        self[kind] = reducer
        return reducer


def _read_only(value: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(value)


class _Unpickler(pickle.Unpickler):
    """Makes objects of nothing but data classes, named tuples and enumerations of this package, and of decimals."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of plain data."""
        if (module, name) == (__name__, _read_only.__name__):
            return _read_only
        found = super().find_class(module, name) if module.startswith("transpiler.") or module == "decimal" else None
        if found is Decimal or (isinstance(found, type) and found.__module__ == module and _is_data(found)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no data class of this package")


def _is_data(kind: type) -> bool:
    return is_dataclass(kind) or issubclass(kind, Enum) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def is_compiled(path: str | Path) -> bool:
    """Return True if most of the magic number matches, so that a damaged file is recognized, too."""
    try:
        with Path(path).open("rb") as file:
            pairs = zip(file.read(len(MAGIC)), MAGIC, strict=False)
            return sum(byte == expected for byte, expected in pairs) > len(MAGIC) // 2
    except OSError:
        return False


def write_file(path: str | Path, members: Mapping[str, bytes]) -> None:
    """Write a file, which appears under its name when it is complete."""
    target = local_path("path", path, _OTHER_FILES)
    hidden = target.with_name(f".{target.name}.incomplete")
    try:
        with hidden.open("wb") as file:
            file.write(FIRST_LINE)
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
                for name, data in members.items():
                    info = zipfile.ZipInfo(name, _TIME)
                    archive.writestr(info, data, zipfile.ZIP_DEFLATED, _LEVEL)
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)


def read_file(path: str | Path) -> dict[str, bytes]:
    """Return the members of a file.

    ``TopologyError`` for a directory, and for a file that this version has not written, or that is damaged.
    """
    try:
        data = local_path("path", path, _OTHER_FILES).read_bytes()
    except IsADirectoryError:
        raise _error(path, "is a directory", "name the file that a compiled topology was saved to") from None
    _check_first_line(path, data)
    name = "directory"
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {}
            for name in archive.namelist():
                members[name] = archive.read(name)
            return members
    # Zip fails in many ways where its own numbers are altered.
    except Exception as error:
        raise _error(
            path, f"is cut off or damaged, in its {name} ({error}): it has {len(data):,} bytes", _AGAIN
        ) from None


def _check_first_line(path: str | Path, data: bytes) -> None:
    if data.startswith(FIRST_LINE):
        return
    if not data:
        raise _error(path, "is empty", _AGAIN)
    if FIRST_LINE.startswith(data):
        raise _error(path, f"is cut off: it ends at byte {len(data):,}, in its first line", _AGAIN)
    if not data.startswith(MAGIC):
        raise _error(path, "is no compiled topology, or a damaged one: its first line is another", _AGAIN)
    written = _WRITTEN_BY.match(data, len(MAGIC))
    by = f"version {written[2].decode()} in form {written[1].decode()}" if written else "another version"
    raise TopologyError.at(
        "compiled.version",
        f"{path} was written by {by}, and this is version {__version__} with form {FORMAT}",
        hint="perhaps compile the topology again with this version",
    )


def _error(path: str | Path, message: str, hint: str) -> TopologyError:
    return TopologyError.at("compiled.file", f"{path} {message}", hint=hint)
