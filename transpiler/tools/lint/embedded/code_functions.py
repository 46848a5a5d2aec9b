"""Declarations that files use from each other: functions with a selector parameter, and constants (``code_constants``).

A declaration is recognized by a word before its name, or by its parameters, which have types in most languages. A file
can call a function of another file if it mentions the name of that file, as imports and types do. In Go, it can if it
is in the same package, which is a directory, or mentions the name of the package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from transpiler.tools.lint.embedded.code_constants import Constants, together
from transpiler.tools.lint.embedded.code_patterns import CodePattern, patterns, squeezed, wildcards
from transpiler.tools.lint.embedded.code_tokens import CLOSING, FAMILIES, OPENING, Token, tokens
from transpiler.tools.lint.embedded.code_values import Values
from transpiler.tools.lint.embedded.selector_patterns import SelectorPattern, is_messaging

#: Keywords before the name of a declared function or type.
DECLARES = frozenset("def func fun function fn class interface enum struct object record trait".split())
#: Maximum number of tokens between the name of a parameter and the opening parenthesis of its function.
_MAX_TOKENS = 400
#: For Go: the file name extension, the package clause, and the maximum number of tokens in the receiver of a method.
_GO, _PACKAGE, _MAX_RECEIVER = ".go", re.compile(r"^package (\w+)", re.MULTILINE), 12
#: Matches the names of functions such as ``selectorError``, whose argument is an error message about a selector and not
#: a selector.
_NO_CONDITION = re.compile(r"(?:exception|error)$")
#: Extensions of languages for web pages. A selector there is taken for a CSS selector unless the file mentions
#: messaging.
_OF_PAGES = frozenset(".js .mjs .ts .tsx .jsx .php .rb".split())


class Function(NamedTuple):
    """A function with a parameter for a selector.

    ``position`` is the index of the selector's argument; if it is None, the selector is the first argument that looks
    like a condition. ``name`` is the function's name without underscores and in lower case, ``written`` as in the
    source.
    """

    name: str
    written: str
    position: int | None
    record: SelectorPattern


class _Declared(NamedTuple):
    """A function and the file that declares it. ``is_near`` is True if the file mentions messaging."""

    function: Function
    file: PurePath
    suffix: str
    is_near: bool


def declared(
    code: Sequence[Token], values: Values, own: Iterable[tuple[CodePattern, SelectorPattern]]
) -> Iterator[Function]:
    """Yield the functions with a selector parameter that are declared in the tokens ``code``.

    ``own`` are the patterns of such declarations, each with its record in ``SELECTOR_PATTERNS``.
    """
    done: set[int] = set()
    for number, token in enumerate(code):
        if token.kind == "name" and "elector" in token.text.lower():
            is_name = number + 1 < len(code) and code[number + 1].text == "("
            opening = number + 1 if is_name else _opening(code, number)
            if opening is not None and opening not in done:
                done.add(opening)
                yield from _declared(code, values, own, opening)


def _opening(code: Sequence[Token], number: int) -> int | None:
    """Return the index of the parenthesis that surrounds the token ``number`` of ``code``; None if there is none."""
    depth = 0
    for position in range(number - 1, max(number - _MAX_TOKENS, -1), -1):
        text = code[position].text
        if code[position].kind == "sign":
            if text in ";{}":
                return None
            if depth == 0 and text in OPENING:
                return position if text == "(" else None
            depth += (text in CLOSING) - (text in OPENING)
    return None


def _declared(
    code: Sequence[Token], values: Values, own: Iterable[tuple[CodePattern, SelectorPattern]], opening: int
) -> Iterator[Function]:
    if opening == 0 or code[opening - 1].kind != "name":
        return
    written = code[opening - 1].text
    name = squeezed(written)
    is_declared = _is_declared(code, opening - 2)
    parameters = [values.parameter(at, is_declared) for at in values.arguments(opening)]
    if not parameters or not (is_declared or None not in parameters):
        return
    is_method = parameters[0] in ("self", "cls", "this")
    if _NO_CONDITION.search(name):
        return
    for pattern, record in own:
        if pattern.name is not None and pattern.name.fullmatch(name):
            if pattern.key is None:
                yield Function(name, written, None, record)
            else:
                for position, parameter in enumerate(parameters[is_method:]):
                    if wildcards(pattern.key).fullmatch(squeezed(parameter or "")):
                        yield Function(name, written, position, record)


def _is_declared(code: Sequence[Token], at: int) -> bool:
    """Return True if a keyword such as ``def`` declares a function whose name follows the token ``at`` of ``code``."""
    while at > 0 and code[at].text == ".":
        at -= 2
    if at > 0 and code[at].text == ")":
        # In Go, the receiver of a method is in parentheses between the keyword and the name, as in ``func (c *Client)
        # Name``. Skip the receiver to find the keyword.
        opened = next((index for index in range(at, max(at - _MAX_RECEIVER, -1), -1) if code[index].text == "("), 0)
        return code[opened - 1].text == "func"
    return at >= 0 and code[at].text in DECLARES


@dataclass
class Declarations:
    """The constants and functions that the files of a run declare.

    Functions are ignored if no file of the same directory mentions messaging.
    """

    #: Called with the name of a file; returns its text, or None if it cannot be read.
    read: Callable[[str], str | None] = lambda _: None
    is_of_messages: bool = False
    #: The functions by the name with which files refer to the declaring file: its stem, or its package in Go.
    _by_name: dict[str, list[_Declared]] = field(default_factory=dict)
    #: The functions of Go files by directory, because Go files see all functions of their directory.
    _by_directory: dict[PurePath, list[_Declared]] = field(default_factory=dict)
    constants: Constants = field(init=False)

    def __post_init__(self) -> None:
        self.constants = Constants(lambda name: self.read(name))

    def add(self, text: str, name: str) -> None:
        """Add the declarations in ``text``, a source file; the extension of ``name`` determines its language."""
        self.constants.add(text, name)
        if "elector" not in text:
            return
        path = PurePath(name)
        suffix = path.suffix.lower()
        family = FAMILIES[suffix]
        is_near = is_messaging(text)
        self.is_of_messages |= is_near
        code = [token for token in tokens(text, family) if token.kind != "comment"]
        for function in declared(code, Values(code, family, text), _own()):
            one = _Declared(function, path, suffix, is_near)
            if suffix == _GO:
                self._by_directory.setdefault(path.parent, []).append(one)
            named = _name(text, path)
            if named is not None:
                self._by_name.setdefault(named, []).append(one)

    def functions_of(self, text: str, name: str) -> list[Function]:
        """Return the functions with a selector parameter that the file ``name`` with the content ``text`` may call.

        Only functions of other files are returned.
        """
        if not (self._by_name or self._by_directory) or not self.is_of_messages:
            return []
        path = PurePath(name)
        suffix = path.suffix.lower()
        own = "" if suffix == _GO else path.stem
        # Search the text for the names of other files first, which is fast, because this method is called for every
        # file.
        known = [one for stem, functions in self._by_name.items() if stem in text and stem != own for one in functions]
        if suffix == _GO:
            known = [one for one in known if one.file.parent != path.parent]
            known += [one for one in self._by_directory.get(path.parent, ()) if one.file != path]
        found = []
        for one in known:
            is_called = one.function.written in text and together(one.suffix, suffix)
            if is_called and (suffix not in _OF_PAGES or one.is_near or is_messaging(text)):
                found.append(one.function)
        return found


def _name(text: str, path: PurePath) -> str | None:
    """Return the name by which other files refer to the file ``path``.

    The result is None for a main package of Go, which other files cannot import.
    """
    if path.suffix.lower() != _GO:
        return path.stem
    package = _PACKAGE.search(text)
    return None if package is None or package[1] == "main" else package[1]


def _own() -> list[tuple[CodePattern, SelectorPattern]]:
    return [one for one in patterns() if one[0].is_own]
