"""Functions that take a selector, by their declarations: those of a file, and those of other files of a directory.

A declaration is told by a word before its name or by its parameters, each of which has a type where languages have
them. A function of another file is one for a file that names the file of the declaration, as imports and types do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from transpiler.tools.lint.embedded.code_patterns import CodePattern, patterns, squeezed, wildcards
from transpiler.tools.lint.embedded.code_tokens import CLOSING, FAMILIES, OPENING, Token, tokens
from transpiler.tools.lint.embedded.code_values import Values
from transpiler.tools.lint.embedded.selector_places import Place, is_messaging

#: Words before the name of what is declared.
DECLARES = frozenset("def func fun function fn class interface enum struct object record trait".split())
#: Tokens from a name to the bracket that it is in, of which a longer declaration is not looked for.
_MAX_TOKENS = 400
#: Languages that call each other's functions; another one calls its own.
_TOGETHER = (
    frozenset(".java .kt .kts .scala .groovy".split()),
    frozenset(".js .mjs .ts .tsx .jsx".split()),
    frozenset(".c .h .cc .cpp .cxx .hpp".split()),
)
#: Languages of pages, in which a selector is a path of CSS where no messages are.
_OF_PAGES = frozenset(".js .mjs .ts .tsx .jsx .php .rb".split())


class Function(NamedTuple):
    """A function that takes a selector; ``position`` is the argument's, None for the first condition.

    ``name`` is its name as names are compared, and ``written`` as it is written.
    """

    name: str
    written: str
    position: int | None
    place: Place


def declared(code: Sequence[Token], values: Values, own: Iterable[tuple[CodePattern, Place]]) -> Iterator[Function]:
    """Yield the functions that the tokens of a file declare, of the patterns that it may have."""
    done: set[int] = set()
    for number, token in enumerate(code):
        if token.kind == "name" and "elector" in token.text.lower():
            is_name = number + 1 < len(code) and code[number + 1].text == "("
            opening = number + 1 if is_name else _opening(code, number)
            if opening is not None and opening not in done:
                done.add(opening)
                yield from _declared(code, values, own, opening)


def _opening(code: Sequence[Token], number: int) -> int | None:
    """Return the parenthesis in which a name stands; None for no parenthesis."""
    depth = 0
    for place in range(number - 1, max(number - _MAX_TOKENS, -1), -1):
        text = code[place].text
        if code[place].kind == "sign":
            if text in ";{}":
                return None
            if depth == 0 and text in OPENING:
                return place if text == "(" else None
            depth += (text in CLOSING) - (text in OPENING)
    return None


def _declared(
    code: Sequence[Token], values: Values, own: Iterable[tuple[CodePattern, Place]], opening: int
) -> Iterator[Function]:
    if opening == 0 or code[opening - 1].kind != "name":
        return
    written = code[opening - 1].text
    name = squeezed(written)
    is_declared = opening > 1 and code[opening - 2].text in DECLARES
    parameters = [values.parameter(at, is_declared) for at in values.arguments(opening)]
    if not parameters or not (is_declared or None not in parameters):
        return
    is_method = parameters[0] in ("self", "cls", "this")
    for pattern, place in own:
        if pattern.name is not None and pattern.name.fullmatch(name):
            if pattern.key is None:
                yield Function(name, written, None, place)
            else:
                for position, parameter in enumerate(parameters[is_method:]):
                    if wildcards(pattern.key).fullmatch(squeezed(parameter or "")):
                        yield Function(name, written, position, place)


@dataclass
class Functions:
    """Functions that the files of a directory declare; none of them counts in a directory without messages."""

    is_of_messages: bool = False
    #: The functions by the names of their files without an end, each with that, and False where it has no messages.
    _by_file: dict[str, list[tuple[Function, str, bool]]] = field(default_factory=dict)

    def add(self, text: str, name: str) -> None:
        """Add those of a file of source code, whose name says its language."""
        if "elector" not in text:
            return
        path = PurePath(name)
        family = FAMILIES[path.suffix.lower()]
        is_near = is_messaging(text)
        self.is_of_messages |= is_near
        code = [token for token in tokens(text, family) if token.kind != "comment"]
        for one in declared(code, Values(code, family, text), _own()):
            self._by_file.setdefault(path.stem, []).append((one, path.suffix.lower(), is_near))

    def of(self, text: str, name: str) -> list[Function]:
        """Return those that a file may call, which declares none of them."""
        if not (self._by_file and self.is_of_messages):
            return []
        path = PurePath(name)
        suffix = path.suffix.lower()
        found = []
        for stem, functions in self._by_file.items():
            # Few files name one, and this is asked of all files.
            if stem in text and stem != path.stem:
                for one, language, is_near in functions:
                    is_called = one.written in text and _together(language, suffix)
                    if is_called and (suffix not in _OF_PAGES or is_near or is_messaging(text)):
                        found.append(one)
        return found


def _together(one: str, other: str) -> bool:
    return one == other or any({one, other} <= languages for languages in _TOGETHER)


def _own() -> list[tuple[CodePattern, Place]]:
    return [one for one in patterns() if one[0].is_own]
