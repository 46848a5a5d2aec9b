"""Constants declared in other source files of a directory, looked up when a selector needs one.

A constant is looked up in the files to which the names in the code refer: the file of a type or module, found by its
name or declaration; the types and modules that the using file imports; the types that it extends; and in languages in
which a package sees all its constants, the files of the same directory. If several files declare the constant with
different values, and no import names one of the files, the value is unknown.

Only the names of files and types are kept in memory. A file is read again when a name refers to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath

from transpiler.tools.lint.embedded.code_tokens import FAMILIES, tokens
from transpiler.tools.lint.embedded.code_values import Value, Values

#: Groups of file name extensions. Files of languages in one group can use each other's constants and functions.
_TOGETHER = (
    frozenset(".java .kt .kts .scala .groovy".split()),
    frozenset(".js .mjs .ts .tsx .jsx".split()),
    frozenset(".c .h .cc .cpp .cxx .hpp".split()),
)
#: Extensions of languages in which a file can use constants that other files of the same directory declare outside
#: types.
_SEE_DIRECTORY = frozenset(".go .kt .kts .scala .swift .c .h .cc .cpp .cxx .hpp".split())
#: Type declarations in source code: each keyword with the regular expression of the declaration. The keyword allows a
#: fast first search.
_TYPES = [
    (f"{word} ", re.compile(rf"{word}\s+([A-Za-z_]\w*)"))
    for word in "class interface object enum record struct trait module namespace".split()
]
#: The beginning of a type declaration up to the types that it extends.
_HEAD = re.compile(
    r"\b(?:class|interface|object|record)\s+\w[^{;=]*?(?:\bextends\b|\bimplements\b|:)(?P<types>[^{;=]*)"
)
_IMPORTS = re.compile(
    r"^[ \t]*(?:from\s+(?P<python>[\w.]+)\s+import\b(?P<names>\s*\([^)]*\)|[^\n(]*)"
    r"|(?:import|using|use)\b(?P<words>[^\n;]*)"
    r"|(?:import|export|const|let|var)\b(?P<script>[^;\n]*?(?:\bfrom|require\()\s*['\"][^'\"\n]+['\"]))",
    re.MULTILINE,
)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)
_WORDS, _IN_QUOTES = re.compile(r"\w+"), re.compile(r"['\"]([^'\"]+)['\"]")
#: Keywords of an import, which are not names.
_OF_IMPORTS = frozenset({"static", "import", "from", "as", "type", "const", "let", "var", "require", "export"})
#: Limits: at most ``_MAX_FILES`` files of a directory and the first ``_MAX_EXTENDED`` base types of a file are searched
#: for a constant. The tokens of at most ``_MAX_KEPT`` files are cached.
_MAX_FILES, _MAX_KEPT, _MAX_EXTENDED = 200, 64, 5


def together(one: str, other: str) -> bool:
    """Return True if files with the extensions ``one`` and ``other`` can use each other's constants.

    Java and Kotlin can, for example.
    """
    return one == other or any({one, other} <= languages for languages in _TOGETHER)


@dataclass
class Constants:
    """An index of the constants in source files.

    ``read(name)`` returns the text of a file, None if it is unreadable.
    """

    read: Callable[[str], str | None]
    #: Names of the added files by file name without extension (``_by_stem``) and by directory (``_by_directory``).
    _by_stem: dict[str, list[str]] = field(default_factory=dict)
    _by_directory: dict[str, list[str]] = field(default_factory=dict)
    #: Names of the added files by the types that they declare, for types that are not named like their file.
    _by_type: dict[str, list[str]] = field(default_factory=dict)
    _values: dict[PurePath, Values | None] = field(default_factory=dict)

    def add(self, text: str, name: str) -> None:
        """Add to the index the source file ``name`` with the content ``text``."""
        directory, file = os.path.split(name)
        stem = os.path.splitext(file)[0]
        for word, pattern in _TYPES:
            for own in pattern.findall(text) if word in text else ():
                if own != stem and name not in (known := self._by_type.setdefault(own, [])):
                    known.append(name)
        self._by_stem.setdefault(stem, []).append(name)
        self._by_directory.setdefault(directory, []).append(name)

    def forget(self) -> None:
        """Clear the cached content of the files, because they have changed."""
        self._values.clear()

    def find(self, text: str, name: str, path: Sequence[str], depth: int) -> Value | None:
        """Return the value of the constant ``path``, a dotted name used in the file ``name`` with the content ``text``.

        None if no known file declares the constant. ``depth`` is the number of constants already followed, because the
        value of a constant may be another constant.
        """
        if not self._by_stem or not path:
            return None
        user = _User(text, name)
        *outer, constant = path
        found: list[tuple[PurePath, Value]] = []
        for type_name, own, files in self._ways(user, outer, constant):
            for file in files:
                value = self._value(file, type_name, own, depth)
                if value is not None and value.kind == "text" and all(file != known for known, _ in found):
                    found.append((file, value))
            if found:
                break
        texts = {value.text.text for _, value in found if value.text is not None}
        if len(texts) > 1:
            where = f"a constant of {outer[-1]}" if outer else f"the constant {constant}"
            return Value(None, "unknown", reason=f"{where}, which several files declare")
        return found[0][1] if found else None

    def _ways(
        self, user: _User, outer: Sequence[str], constant: str
    ) -> Iterator[tuple[str | None, str, Iterable[PurePath]]]:
        """Yield the possible declarations of ``constant``, the likeliest first, each as (type, name, files).

        ``type`` is the type or module that contains the constant; None if it is declared outside types. ``name`` is its
        name there, and ``files`` may contain the declaration. ``outer`` are the words before ``constant`` in the dotted
        name.
        """
        if outer:
            type_name = user.renamed.get(outer[-1], outer[-1])
            yield type_name, constant, self._chosen(user, type_name)
            return
        own = user.renamed.get(constant, constant)
        for module in user.modules_of(constant):
            yield module, own, self._chosen(user, module)
        for type_name in user.extended[:_MAX_EXTENDED]:
            yield type_name, own, self._chosen(user, type_name)
        if user.path.suffix.lower() in _SEE_DIRECTORY:
            yield None, own, self._beside(os.path.dirname(user.name), user)
            for package in user.packages:
                yield None, own, self._in_package(package, user)

    def _chosen(self, user: _User, type_name: str) -> list[PurePath]:
        """Return the files that declare the type or module ``type_name``.

        If there are several, return those that ``user`` imports, or else those in its directory, or else all.
        """
        files = self._others(self._by_stem.get(type_name, ()), user)
        if user.path.suffix.lower() == ".go":
            files = [
                file
                for directory, inside in self._by_directory.items()
                if os.path.basename(directory) == type_name
                for file in self._others(inside[:_MAX_FILES], user)
            ]
        files = files or self._others(self._by_type.get(type_name, ()), user)
        if len(files) < 2:
            return files
        imported = [file for file in files if user.imports(file, type_name)]
        return imported or [file for file in files if file.parent == user.path.parent] or files

    def _beside(self, directory: str, user: _User) -> list[PurePath]:
        return self._others(self._by_directory.get(directory, ())[:_MAX_FILES], user)

    def _in_package(self, package: str, user: _User) -> Iterator[PurePath]:
        last = package.rpartition(".")[2]
        for directory in self._by_directory:
            if os.path.basename(directory) == last and directory != os.path.dirname(user.name):
                yield from self._beside(directory, user)

    @staticmethod
    def _others(names: Iterable[str], user: _User) -> list[PurePath]:
        """Return those of the files ``names`` that ``user`` can refer to: others in the same group of languages."""
        files = (PurePath(name) for name in names if name != user.name)
        return [file for file in files if together(file.suffix.lower(), user.path.suffix.lower())]

    def _value(self, file: PurePath, type_name: str | None, constant: str, depth: int) -> Value | None:
        if file not in self._values:
            text = self.read(str(file))
            if len(self._values) >= _MAX_KEPT:
                self._values.clear()
            self._values[file] = None if text is None else self._read(text, file)
        values = self._values[file]
        found = None if values is None else values.member(constant, type_name, depth)
        if found is None:
            return None
        return found._replace(begin=None, file=found.file or str(file))

    def _read(self, text: str, file: PurePath) -> Values:
        family = FAMILIES[file.suffix.lower()]
        code = [token for token in tokens(text, family) if token.kind != "comment"]
        return Values(code, family, text, partial(self.find, text, str(file)))


class _User:
    """A source file in which a constant is used: its imports, and the types that its own types extend.

    Both determine in which other files the constant may be declared.
    """

    def __init__(self, text: str, name: str) -> None:
        self.name, self.path = name, PurePath(name)
        self._text = text
        #: The original name for each alias of an import.
        self.renamed: dict[str, str] = {}
        self._imports: list[tuple[list[str], set[str]]] = []
        for match in _IMPORTS.finditer(text):
            if match["python"] is not None:
                self._add(match["python"].strip(".").split("."), match["names"])
            elif match["script"] is not None or (match["words"] and _IN_QUOTES.search(match["words"])):
                words = match["script"] or match["words"]
                quoted = _IN_QUOTES.findall(words)
                self._add([part for part in re.split(r"[./\\]+", quoted[-1]) if part], words)
            else:
                dotted = re.split(r"[.\s:]+", match["words"].removeprefix(" static").strip())
                self._add([part for part in dotted if part and part not in _OF_IMPORTS], match["words"])

    def _add(self, path: list[str], words: str) -> None:
        names = {word for word in _WORDS.findall(_IN_QUOTES.sub("", words)) if word not in _OF_IMPORTS}
        for name, alias in re.findall(r"(\w+|\*)\s+as\s+(\w+)", words):
            self.renamed[alias] = name if name != "*" else path[-1]
        self._imports.append((path, names | ({"*"} if "*" in words or not names else set())))

    @property
    def extended(self) -> list[str]:
        """The types that the types of this file extend."""
        return [
            word for match in _HEAD.finditer(self._text) for word in _WORDS.findall(match["types"]) if word[0].isupper()
        ]

    @property
    def packages(self) -> list[str]:
        """The packages that the file imports from: ``org.shop`` for an import of ``org.shop.Keys``."""
        return [".".join(path[:-1]) for path, _ in self._imports if len(path) > 1]

    def modules_of(self, name: str) -> list[str]:
        """Return the types and modules from which the file imports ``name``, or imports everything."""
        found = []
        for path, names in self._imports:
            if path and path[-1] == name:
                # A static import of Java and any import of Kotlin can name the constant itself, as
                # ``org.shop.Keys.COLOR``. Then the word before it is the type.
                found += path[-2:-1]
            elif path and (name in names or "*" in names or path[-1] == "*"):
                found += [part for part in path if part != "*"][-1:]
        return found

    def imports(self, file: PurePath, type_name: str) -> bool:
        """Return True if an import of this file names ``type_name`` and the end of the directory of ``file``.

        For example, the import ``org.shop.Keys`` names the type ``Keys`` in ``src/org/shop``.
        """
        own = [*file.parent.parts, type_name]
        for path, names in self._imports:
            words = [part for part in path if part != "*"]
            for steps in (words, [*words, type_name] if type_name in names or "*" in names else words):
                shared = min(len(steps), len(own))
                if type_name in steps[-1:] and shared > 1 and steps[-shared:] == own[-shared:]:
                    return True
        return False
