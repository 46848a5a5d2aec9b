"""Inputs of ``check``: the files named in its arguments or found in their directories, and corrections of these files.

A directory is searched for files of known kinds; skipped files are counted. A file that the user named is read, or
ends the command with an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import click

from transpiler.base.arguments import has_scheme
from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.local_files import no_file, open_file, read_file, replace_file, what_replacing_breaks
from transpiler.base.source import Span
from transpiler.cli.globs import GitIgnores, Globs
from transpiler.cli.group import fail
from transpiler.cli.inputs import check_input, exists, input_lines, read_bytes, read_text_file, shown, system_path
from transpiler.language.selector.dialects import Dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import (
    KINDS,
    Declarations,
    FoundSelector,
    UnreadableError,
    find_selectors,
    is_code,
    is_known,
)
from transpiler.tools.lint.embedded.placeholders import Properties, read_properties
from transpiler.tools.lint.fixes import fix_file
from transpiler.tools.lint.report import Lines
from transpiler.tools.lint.run import Text

#: Names of directories that are skipped because they contain third-party code or the output of a build.
_SKIPPED = frozenset("node_modules target dist obj venv __pycache__ site-packages".split())
#: Matches the line with the name in this program's own pyproject.toml. A checkout of this program is skipped, because
#: many selectors in its tests are invalid on purpose.
_OUR_PROJECT = re.compile(rb'^name *= *"selector-sql"', re.MULTILINE)
#: An argument that looks like a file name: it has a slash or a suffix, and no blanks, quotes or operators.
_FILE_NAME = re.compile(r"[^\s'\"=<>()]*(?:[/\\][^\s'\"=<>()]*|\.[A-Za-z][A-Za-z0-9]{0,11})")
#: Minified code is skipped: a file whose name matches ``_MINIFIED``, or whose text has more than ``_ENOUGH`` characters
#: and lines of more than ``_LONG_LINES`` characters on average.
_MINIFIED = re.compile(r"\.min\.[cm]?js$")
_LONG_LINES, _ENOUGH = 1_000, 10_000
_SCRIPTS = (".js", ".mjs")
#: Maximum size of a file found in a directory, in bytes: files that people write by hand are smaller.
_MAX_BYTES = 8 * 2**20

_STANDARD_INPUT = "standard input"
#: Patterns of the files with an application's properties, relative to a directory of its project.
_APPLICATION = ("application*.*", "src/main/resources/application*.*")


class Choice(NamedTuple):
    """The options of ``check`` that determine the reading of its inputs.

    ``kind`` is the language of the named files and of standard input, such as ``java``. If it is None, the suffix of a
    file's name determines the language. ``stdin_filename`` is a name for standard input, and ``exclude`` are the
    patterns of files to skip.
    """

    kind: str | None = None
    stdin_filename: str | None = None
    exclude: Sequence[Globs] = ()
    #: True if a file that the user named may be skipped, as a file in a directory, for instance because its suffix is
    #: unknown.
    ignore_unknown: bool = False


@dataclass
class Inputs:
    """The arguments of ``check``, as files and texts in the order in which the user gave them.

    ``notes`` contains a line for each file that could not be read. ``failed`` is True if the user named such a file
    itself, or if a directory contains no file to read. ``left_out`` lists the skipped directories and files.
    """

    arguments: tuple[str, ...]
    selectors: tuple[str, ...]
    files: tuple[str, ...]
    choice: Choice
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    failed: bool = False
    _git_ignores: GitIgnores = field(default_factory=GitIgnores)
    #: For each searched directory, the names of the files found in it.
    _found: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.arguments or self.selectors or self.files):
            fail("nothing to check: give a file, a directory, a selector, or - for standard input")
        for argument in self.arguments:
            if argument == "-" or exists(argument):
                continue
            if has_scheme(argument):
                check_input(argument)
            if _FILE_NAME.fullmatch(argument):
                fail(f"there is no file {shown(argument)!r}; if it is a selector, write -e '{argument}'")
        for name in (*self.files, *(one for one in self.arguments if exists(one) and not _is_directory(one))):
            check_input(name)

    @property
    def has_files(self) -> bool:
        """True if a file, a directory or standard input is checked."""
        return bool(self.files) or any(argument == "-" or exists(argument) for argument in self.arguments)

    def texts(self) -> Iterator[Text]:
        """Yield the texts, each read when it is needed; a named file that cannot be read ends the command."""
        for argument in self.arguments:
            if argument == "-":
                yield self._standard_input()
            elif not exists(argument):
                yield Text(argument)
            elif _is_directory(argument):
                yield from self._directory(argument)
            else:
                yield from self._file(argument)
        for selector in self.selectors:
            yield Text(selector)
        for name in self.files:
            if name == "-":
                yield self._standard_input()
            else:
                yield from self._file(name)

    def declarations(self) -> Declarations:
        """Return the declarations in the source code of all named directories.

        These are the string constants, and the functions with a parameter that is a selector.
        """
        declarations = Declarations(_source_text)
        for argument in self.arguments:
            if argument != "-" and _is_directory(argument):
                for name in self._files_in(argument):
                    # ``check`` reports the unreadable file later, when it reads all files.
                    if is_code(name) and (text := _source_text(name)) is not None:
                        declarations.add(text, name)
        return declarations

    def fixed(self, dialects: Sequence[Dialect], checker: Checker, declarations: Declarations) -> Iterator[Text]:
        """Correct the selectors in all files, then yield the texts of the corrected files.

        ``checker`` finds the mistakes for ``dialects``. ``declarations`` are those of the project's source code, in
        which a selector may be a constant of another file.
        """
        notes, left_out, corrections = list(self.notes), list(self.left_out), []
        used = self._used_elsewhere(declarations)
        for text in self.texts():
            given = (_STANDARD_INPUT, self.choice.stdin_filename)
            if text.file is None or text.file in given or text.file.endswith(".gz"):
                fail("--fix writes files: give the names of files or directories, not a selector or standard input")
            others = used.get(text.file, ())
            try:
                kind = text.kind or text.file
                content, count = fix_file(text.content, kind, dialects, checker, declarations, others)
            except UnreadableError:
                # ``check`` reads all files again after the corrections, and reports this error then.
                continue
            if count:
                problem = self._outside_target(text.file) or _write(text.file, text.content, content)
                outcome = f"{count} correction{'' if count == 1 else 's'} written"
                corrections.append(f"{shown(text.file)}: {outcome if problem is None else f'not corrected: {problem}'}")
        declarations.constants.forget()
        # ``self.texts()`` reads all files again and repeats the notes of the first pass, so drop these.
        self.notes[:], self.left_out[:] = [*notes, *corrections], left_out
        yield from self.texts()

    def _outside_target(self, name: str) -> str | None:
        """Return the reason not to write the file ``name``; None if it may be written.

        A symbolic link must not lead out of the files and directories that the user named.
        """
        target = Path(os.path.realpath(name))
        given = (*self.arguments, *self.files)
        if any(target.is_relative_to(os.path.realpath(one)) for one in given):
            return None
        return f"it is a link to {shown(str(target))}, outside of what was given"

    def _used_elsewhere(self, declarations: Declarations) -> dict[str, list[FoundSelector]]:
        """Return, for each file, its constants that other files use as selectors.

        A correction must then change the file that declares the constant.
        """
        used: dict[str, list[FoundSelector]] = {}
        for text in self.texts():
            if text.file is not None and is_code(text.kind or text.file):
                for one in find_selectors(text.content, text.kind or text.file, declarations):
                    if isinstance(one, FoundSelector) and one.file is not None:
                        used.setdefault(one.file, []).append(one)
        return used

    def refuse(self, text: Text, error: UnreadableError) -> None:
        """Add the note that the file of ``text`` was skipped because of ``error``.

        If the user named the file itself, this is a failure.
        """
        location = ""
        if error.offset is not None:
            line, column, *_ = Lines(text.content).location(Span(error.offset, error.offset))
            location = f":{line}:{column}"
        skipped = "" if text.named else "skipped: "
        self.notes.append(f"{shown(text.file or 'argument')}{location}: {skipped}{error.message}")
        self.failed = self.failed or text.named

    def _standard_input(self) -> Text:
        name = self.choice.stdin_filename
        if name is not None and self.choice.kind is None and not is_known(name):
            fail(f"{shown(name)}: {_unknown()}")
        return Text(read_text_file("-"), name or _STANDARD_INPUT, self.choice.kind or name or "-.sel")

    def _file(self, name: str) -> Iterator[Text]:
        """Yield the text of the file ``name``, which the user named; if it cannot be read, end the command."""
        kind = self.choice.kind or name.removesuffix(".gz")
        is_skipped = self.choice.ignore_unknown and _is_in_ours(name)
        if is_skipped or any(globs.has(name) for globs in self.choice.exclude):
            self.left_out.append(shown(name))
        elif not is_known(kind):
            if not self.choice.ignore_unknown:
                self.notes.append(f"{shown(name)}: {_unknown()}")
                self.failed = True
        elif self.choice.ignore_unknown:
            yield from self._of_directory(name, kind)
        elif name.endswith(".gz"):
            yield Text("\n".join(line for _, line in input_lines(name)), name, kind)
        else:
            yield Text(read_text_file(name), name, kind)

    def _directory(self, directory: str) -> Iterator[Text]:
        names = self._files_in(directory)
        for name in names:
            yield from self._of_directory(name)
        if not names:
            ends = ", ".join(f".{kind}" for kind in KINDS if kind != "selectors")
            self.notes.append(
                f"{shown(directory)}: there is no file that check reads: .sel, {ends}; "
                "--as says what a file is that you name"
            )
            self.failed = True

    def _of_directory(self, name: str, kind: str = "") -> Iterator[Text]:
        """Yield the text of the file ``name``, which was found in a directory; add a note if it cannot be read.

        ``kind`` is a file name whose suffix determines the language; if it is "", the suffix of ``name`` does.
        """
        try:
            if (other := no_file(system_path(name))) is not None:
                self.notes.append(f"{shown(name)}: skipped: it is {other}")
                return
            size = os.stat(system_path(name)).st_size
            if size > _MAX_BYTES:
                self.notes.append(f"{shown(name)}: skipped: it has more than {_MAX_BYTES // 2**20} MiB")
                return
            content = None if _MINIFIED.search(name) else _normalized(decode_text(read_bytes(name)))
            if content is None or (name.endswith(_SCRIPTS) and _is_minified(content)):
                self.left_out.append(f"{shown(name)} (minified)")
            else:
                yield Text(content, name, kind, named=False)
        except EncodingError as error:
            self.notes.append(f"{shown(name)}: skipped: it {error}")
        except UnicodeDecodeError:
            self.notes.append(f"{shown(name)}: skipped: it is not UTF-8")
        except (OSError, click.ClickException) as error:
            self.notes.append(f"{shown(name)}: skipped: {getattr(error, 'message', error)}")

    def _files_in(self, directory: str) -> list[str]:
        if directory not in self._found:
            self._found[directory] = list(self._files_of(directory))
        return self._found[directory]

    def _files_of(self, directory: str) -> Iterator[str]:
        """Yield the names of the files in and below ``directory`` that are searched for selectors, sorted by name."""
        for parent, directories, files in os.walk(directory, onerror=self._note_directory):
            if parent != directory and "pyproject.toml" in files and _is_ours(parent):
                self.left_out.append(f"{shown(os.path.normpath(parent))} (a checkout of selector-sql)")
                directories.clear()
                continue
            kept: list[str] = []
            for one in sorted(directories):
                if not one.startswith("."):
                    name = os.path.normpath(os.path.join(parent, one))
                    is_out = one in _SKIPPED or self._git_ignores.match(name) or self._excludes(name, True)
                    (self.left_out if is_out else kept).append(shown(name) if is_out else one)
            directories[:] = kept
            for file in sorted(files):
                if not file.startswith(".") and is_known(file):
                    name = os.path.normpath(os.path.join(parent, file))
                    if self._excludes(name, False):
                        self.left_out.append(shown(name))
                    else:
                        yield name

    def _note_directory(self, error: OSError) -> None:
        self.notes.append(f"{shown(os.path.normpath(error.filename))}: skipped: {error.strerror}")

    def _excludes(self, name: str, is_directory: bool) -> bool:
        return any(globs.match(name, is_directory) for globs in self.choice.exclude)


def named_kind(kind: str | None) -> str | None:
    """Return a file name whose suffix stands for ``kind``, a key of ``KINDS`` such as ``java``; None for None."""
    return None if kind is None else f"-{KINDS[kind]}"


def properties_of(name: str) -> Properties:
    """Return the configured properties of the application that contains the file ``name``, by profile and key.

    They are read from the ``application*.properties`` and ``.yml`` files of the nearest directory above that has any.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for directory in Path(name).absolute().parents:
        for file in (file for pattern in _APPLICATION for file in directory.glob(pattern)):
            with suppress(OSError):
                text = _normalized(read_file(file).decode(errors="replace"))
                named = file.stem.partition("-")[2]
                for profile, key, value in read_properties(text, file.suffix):
                    found.setdefault(profile or named, {}).setdefault(key, set()).add(value)
        if found:
            break
    return found


def _unknown() -> str:
    return (
        "check does not know this kind of file; --as selectors reads it as one selector a line, "
        f"and --as KIND as one of: {', '.join(kind for kind in KINDS if kind != 'selectors')}"
    )


def _is_minified(text: str) -> bool:
    return len(text) > max(_ENOUGH, _LONG_LINES * (text.count("\n") + 1))


def _is_in_ours(name: str) -> bool:
    """Return True if ``name`` is below the current directory in a checkout of this program itself."""
    here = Path.cwd()
    parents = (parent for parent in Path(name).absolute().parents if here in parent.parents)
    return any(_is_ours(str(parent)) for parent in parents)


def _is_ours(directory: str) -> bool:
    try:
        with open_file(os.path.join(directory, "pyproject.toml")) as file:
            return _OUR_PROJECT.search(file.read(2**16)) is not None
    except OSError:
        return False


def _write(name: str, old: str, new: str) -> str | None:
    """Replace the content of the file ``name`` by ``new``, if it is still ``old``; its kind of line ends is kept.

    Return None, or the reason why the file cannot be replaced.
    """
    path = os.path.realpath(system_path(name))
    data = read_file(path)
    if (problem := what_replacing_breaks(path)) is not None:
        return problem
    begins = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    ends = next((end for end in ("\n", "\r\n", "\r") if begins + old.replace("\n", end).encode() == data), None)
    if ends is None:
        return "it is not UTF-8, or its lines end in several ways"
    try:
        replace_file(path, begins + new.replace("\n", ends).encode())
    except OSError as error:
        return str(error.strerror)
    return None


def _source_text(name: str) -> str | None:
    """Return the text of the source file ``name``; None if it cannot be read."""
    with suppress(OSError, UnicodeDecodeError, click.ClickException):
        if no_file(system_path(name)) is None:
            return _normalized(read_bytes(name).decode())
    return None


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_directory(name: str) -> bool:
    return os.path.isdir(system_path(name))
