"""The texts that ``selector-sql check`` reads: arguments, files, directories and standard input."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from transpiler.cli.group import click, fail
from transpiler.cli.inputs import check_input, input_lines, read_bytes, read_text_file, shown, system_path
from transpiler.lint.check import Checker
from transpiler.lint.embedded import UnreadableError, is_known
from transpiler.lint.embedded.placeholders import Properties, read_properties
from transpiler.lint.fixes import fix_file
from transpiler.lint.report import Lines
from transpiler.lint.run import Text
from transpiler.selector.dialects import Dialect
from transpiler.source import Span

#: Directories that hold what others wrote, or what a build made.
_SKIPPED = frozenset("node_modules target build dist out bin obj vendor venv __pycache__ site-packages".split())
#: A word without blanks, quotes and operators, with a slash or an ending, that looks like the name of a file.
_FILE_NAME = re.compile(r"[^\s'\"=<>()]*(?:[/\\][^\s'\"=<>()]*|\.[A-Za-z][A-Za-z0-9]{0,11})")
_ENCODING = re.compile(rb"""^<\?xml[^>]*?encoding=["']([A-Za-z0-9._-]+)["']""")
#: Bytes of a file that is read because its directory is checked: what people write by hand is smaller.
_MAX_BYTES = 8 * 2**20

STANDARD_INPUT = "standard input"
#: The properties of an application, from a directory of its project on.
_APPLICATION = ("application*.*", "src/main/resources/application*.*")


@dataclass
class CheckInputs:
    """Arguments of ``check``, resolved in their order.

    ``notes`` says which files were not read. ``failed`` if the user named one of them, and not its directory only.
    """

    arguments: tuple[str, ...]
    selectors: tuple[str, ...]
    files: tuple[str, ...]
    stdin_filename: str | None = None
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    def __post_init__(self) -> None:
        if not (self.arguments or self.selectors or self.files):
            fail("nothing to check: give a file, a directory, a selector, or - for standard input")
        for argument in self.arguments:
            if argument != "-" and not _exists(argument) and _FILE_NAME.fullmatch(argument):
                fail(f"there is no file {shown(argument)!r}; if it is a selector, write -e {_quoted(argument)}")
        for name in (*self.files, *(one for one in self.arguments if _exists(one) and not _is_directory(one))):
            check_input(name)

    @property
    def has_files(self) -> bool:
        """True if a file, a directory or standard input is checked."""
        return bool(self.files) or any(argument == "-" or _exists(argument) for argument in self.arguments)

    def texts(self) -> Iterator[Text]:
        """Read and yield the texts one after the other; a file that cannot be read ends the command."""
        for argument in self.arguments:
            if argument == "-":
                yield self._standard_input()
            elif not _exists(argument):
                yield Text(argument)
            elif _is_directory(argument):
                yield from self._directory(argument)
            else:
                yield read(argument)
        for selector in self.selectors:
            yield Text(selector)
        for name in self.files:
            yield self._standard_input() if name == "-" else read(name)

    def fixed(self, dialects: Sequence[Dialect], checker: Checker) -> Iterator[Text]:
        """Read the texts and write their corrections, then yield them as they are now."""
        for text in self.texts():
            if text.file is None or text.file in (STANDARD_INPUT, self.stdin_filename) or text.file.endswith(".gz"):
                fail("--fix writes files: give the names of files or directories, not a selector or standard input")
            try:
                content, count = fix_file(text.content, text.kind or text.file, dialects, checker)
            except UnreadableError:
                # It is told with the findings.
                content, count = text.content, 0
            if count and (problem := _write(text.file, text.content, content)) is None:
                self.notes.append(f"{shown(text.file)}: {count} correction{'' if count == 1 else 's'} written")
                yield text._replace(content=content)
                continue
            if count:
                self.notes.append(f"{shown(text.file)}: not corrected: {problem}")
            yield text

    def refuse(self, text: Text, error: UnreadableError) -> None:
        """Note that a file is not what its name says."""
        place = ""
        if error.offset is not None:
            line, column, *_ = Lines(text.content).place(Span(error.offset, error.offset))
            place = f":{line}:{column}"
        skipped = "" if text.named else "skipped: "
        self.notes.append(f"{shown(text.file or 'argument')}{place}: {skipped}{error.message}")
        self.failed = self.failed or text.named

    def _standard_input(self) -> Text:
        name = self.stdin_filename
        return Text(read_text_file("-"), name or STANDARD_INPUT, name or "-.sel")

    def _directory(self, directory: str) -> Iterator[Text]:
        for name in _files_of(directory):
            try:
                size = os.stat(system_path(name)).st_size
                if size > _MAX_BYTES:
                    self.notes.append(f"{shown(name)}: skipped: it has more than {_MAX_BYTES // 2**20} MiB")
                    continue
                yield Text(_normalized(_decoded(read_bytes(name))), name, named=False)
            except (UnicodeDecodeError, LookupError):
                self.notes.append(f"{shown(name)}: skipped: it is not UTF-8")
            except (OSError, click.ClickException) as error:
                self.notes.append(f"{shown(name)}: skipped: {getattr(error, 'message', error)}")


def read(name: str) -> Text:
    """Read a file that the user named; what cannot be read ends the command."""
    if name.endswith(".gz"):
        content = "\n".join(line for _, line in input_lines(name))
        return Text(content, name, name.removesuffix(".gz"))
    if name.lower().endswith(".xml"):
        with suppress(UnicodeDecodeError, LookupError):
            return Text(_normalized(_decoded(read_bytes(name))), name)
    return Text(read_text_file(name), name)


def properties_of(name: str) -> Properties:
    """Return the values of each property in the nearest ``application*.properties`` and ``.yml`` above a file."""
    found: dict[str, set[str]] = {}
    for directory in Path(name).absolute().parents:
        for file in (file for pattern in _APPLICATION for file in directory.glob(pattern)):
            with suppress(OSError):
                text = _normalized(file.read_text(encoding="utf-8", errors="replace"))
                for key, value in read_properties(text, file.suffix):
                    found.setdefault(key, set()).add(value)
        if found:
            break
    return found


def _write(name: str, old: str, new: str) -> str | None:
    """Write the text of a file, its line ends as they were; return the reason where that is not possible."""
    path = os.path.realpath(system_path(name))
    with open(path, "rb") as stream:
        data = stream.read()
    begins = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    ends = next((end for end in ("\n", "\r\n", "\r") if begins + old.replace("\n", end).encode() == data), None)
    if ends is None:
        return "it is not UTF-8, or its lines end in several ways"
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as copy:
            copy.write(begins + new.replace("\n", ends).encode())
        shutil.copymode(path, copy.name)
        os.replace(copy.name, path)
    except OSError as error:
        return str(error.strerror)
    return None


def _files_of(directory: str) -> Iterator[str]:
    """Yield the files of a directory and those below in which selectors are looked for, in the order of names."""
    for parent, directories, files in os.walk(directory):
        directories[:] = sorted(one for one in directories if not one.startswith(".") and one not in _SKIPPED)
        for file in sorted(files):
            if not file.startswith(".") and is_known(file):
                yield os.path.normpath(os.path.join(parent, file))


def _decoded(data: bytes) -> str:
    """Decode a file: XML by its own declaration, all else as UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    declared = _ENCODING.match(data)
    return data.decode("utf-8-sig" if declared is None or declared[1].lower() == b"utf-8" else declared[1].decode())


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _exists(name: str) -> bool:
    try:
        return os.path.lexists(system_path(name))
    except ValueError:
        return False


def _is_directory(name: str) -> bool:
    return os.path.isdir(system_path(name))


def _quoted(argument: str) -> str:
    return f"'{argument}'"
