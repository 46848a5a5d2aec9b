"""Selectors in source code: in the calls and assignments of ``selector_places``, and where a comment marks them.

The code is read as tokens and brackets, by the family of its language; nothing else is parsed. A selector is a literal,
a constant of the same file, or what + joins of them; another is known at run time only and is told to be unread, unless
it is surely no text (``code_values``). Two places of equal texts with the same characters are one selector.

In a pattern ``createConsumer(_, $)`` the ``$`` is the selector, ``_`` any argument but a literal of text (beside one
the selector has an operator), ``*`` any argument, and ``...`` any number of them; what stands behind the ``$`` is not
looked at, but for ``_``. ``a(b = $)`` is an argument or a member with a name, anywhere within the brackets; ``'x'`` is
that literal. ``a().b($)`` is a call behind one of ``a``, ``a.b($)`` one of a member of ``a``. ``a = $`` is an
assignment, a member or a named argument of any call. ``def a(b = $)`` is a call of a function that the file declares
with a parameter of that name, ``def a(..., $)`` the first condition in one of a declared function. Names are compared
without case and underscores, ``*`` in one stands for any characters.

A literal, or a constant by its name, that is a key of a data file has a selector behind it if that is a condition.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

from transpiler.base.source import Span
from transpiler.tools.lint.embedded.code_tokens import CLOSING, OPENING, Family, Token, content, escaped, tokens
from transpiler.tools.lint.embedded.code_values import Value, Values
from transpiler.tools.lint.embedded.markers import read_marker
from transpiler.tools.lint.embedded.selector_places import PLACES, Place, find_place, is_condition, names_of
from transpiler.tools.lint.embedded.selector_text import (
    Escape,
    FoundSelector,
    InFile,
    UnreadSelector,
    as_is,
    find_in_text,
    found,
    known_dialect,
)

_CALL = re.compile(r"(?P<own>def )?(?:(?P<before>\w+)(?P<called>\(\))?\.)?(?P<name>[\w*]+)\((?P<arguments>.*)\)")
#: Signs between the name of an argument, a member or a variable and its value.
_GIVES = {"=", ":", "=>", ":="}
_TYPES = {"class", "interface", "enum", "struct", "object", "record", "trait"}
_DECLARES = {"def", "func", "fun", "function", "fn"} | _TYPES
#: Words in the head of a type or of a function, before its body.
_IN_HEADS = {"throws", "implements", "extends"} | _TYPES
_BETWEEN_NAMES = {",", ".", "<", ">"}
#: Lines from a comment that marks a selector to the literal.
_NEAR = 3
#: Brackets from a call to a member with a name.
_MAX_LEVELS = 3
#: Names of calls whose patterns are kept, over all files.
_MAX_NAMES = 50_000
#: Parts of all names of the keys of data files, and what joins the steps of a key.
_IN_KEYS, _KEY_STEPS = re.compile(r"selector|filter", re.IGNORECASE), re.compile(r"[.\[\]]")
#: Signs between a key and what belongs to it.
_BEHIND_KEYS = {",", "->", "to"}


class _CodePattern(NamedTuple):
    """A call in which one argument is a selector; without a name of the call, a name to which one is assigned.

    ``key`` is the name of the selector's argument, ``before`` the call or the member before the point.
    """

    name: re.Pattern[str] | None
    key: str | None
    arguments: tuple[str, ...] = ()
    #: Texts that the call has to have.
    literals: frozenset[str] = frozenset()
    before: str | None = None
    #: True for calls of functions that the file declares.
    is_own: bool = False

    @property
    def is_any(self) -> bool:
        """True for a pattern of calls of every name."""
        return self.name is not None and self.name.pattern == ".*"


@cache
def _read_pattern(pattern: str) -> _CodePattern:
    call = _CALL.fullmatch(pattern)
    if call is None:
        return _CodePattern(None, squeezed(pattern.removesuffix(" = $")))
    named = [argument.rpartition(" = ") for argument in call["arguments"].split(", ")]
    key = next(squeezed(name) for name, _, text in named if text == "$")
    texts = tuple(text for _, _, text in named)
    literals = frozenset(squeezed(text.strip("'")) for text in texts if text.startswith("'"))
    before = None if call["before"] is None else squeezed(call["before"]) + (call["called"] or "")
    name = _wildcards(call["name"])
    return _CodePattern(name, key or None, texts, literals, before, call["own"] is not None)


@cache
def _wildcards(name: str) -> re.Pattern[str]:
    """Return the pattern of a name in which ``*`` stands for any characters."""
    return re.compile(squeezed(name).replace("*", ".*"))


@cache
def _patterns() -> tuple[tuple[_CodePattern, Place], ...]:
    """Return the patterns of the places of source code."""
    return tuple((_read_pattern(place.pattern), place) for place in PLACES if place.language == "code")


@cache
def _assigned() -> dict[str | None, list[tuple[_CodePattern, Place]]]:
    """Return the patterns of assignments by the names that they assign to."""
    found: dict[str | None, list[tuple[_CodePattern, Place]]] = {}
    for pattern, place in _patterns():
        if pattern.name is None:
            found.setdefault(pattern.key, []).append((pattern, place))
    return found


@lru_cache(_MAX_NAMES)
def _of_name(name: str) -> tuple[tuple[_CodePattern, Place], ...]:
    """Return the patterns of calls of a name."""
    calls = [(own, place) for own, place in _patterns() if own.name is not None and not own.is_own]
    return tuple(one for one in calls if one[0].name is not None and one[0].name.fullmatch(name))


@lru_cache(_MAX_NAMES)
def squeezed(name: str) -> str:
    """Return a name as names are compared: ``MESSAGE_SELECTOR`` is ``messageSelector``."""
    return name.lower().replace("_", "").replace("-", "")


@dataclass(slots=True)
class _Call:
    """Brackets with the name before them, the first tokens of their arguments, and the members that have names.

    ``name`` is empty for a declaration, and what is declared is ``declared``, where a word says that it is one.
    """

    name: str
    declared: str
    before: str | None
    #: The place of the bracket that opens.
    begin: int
    #: True for a block of statements, whose names are not those of the call around it.
    is_block: bool
    arguments: list[int]
    members: list[tuple[str, int, int]] = field(default_factory=list)
    literals: set[str] = field(default_factory=set)


def find_in_code(text: str, family: Family) -> Iterator[InFile]:
    """Yield the selectors of a source file, in its order."""
    all_tokens = tokens(text, family)
    code = [token for token in all_tokens if token.kind != "comment"]
    reader = _Reader(text, code, Values(code, family, text))
    for comment in all_tokens:
        if comment.kind == "comment":
            reader.comment(comment)
    reader.calls()
    reader.own_functions()
    reader.texts()
    for _, selectors in sorted(reader.found.items()):
        yield from selectors


#: A selector's first and last place in the file, and its text; of an unread one where its expression begins.
_Key = tuple[int, int, str]


class _Reader:
    """The finds in a file, by their places."""

    def __init__(self, text: str, code: Sequence[Token], values: Values) -> None:
        self._text, self._code, self._values = text, code, values
        self._literals = [number for number, token in enumerate(code) if token.kind == "text"]
        self._ends = [code[number].end for number in self._literals]
        #: True for what a place has to be near to, if the file matches it.
        self._near: dict[str, bool] = {}
        self._own = [one for one in _patterns() if one[0].is_own and self._is_near(one[1])]
        #: The calls of each name, and the places of what is given to the functions of the file.
        self._calls: dict[str, list[_Call]] = {}
        self._functions: dict[str, list[tuple[int | None, Place]]] = {}
        #: The values of names that may be selectors, and the values of variables that are.
        self._later: list[tuple[int, Place]] = []
        self._used: set[int | None] = set()
        self.found: dict[_Key, list[InFile]] = {}

    def comment(self, comment: Token) -> None:
        """Find the selector that a comment marks."""
        marked, dialect = read_marker(comment.text.lstrip("#/*-<! "))
        number = self._marked(comment) if marked else None
        if number is not None:
            first, value = self._values.around(number)
            self._add(value, self._code[first], dialect, "a comment")

    def calls(self) -> None:
        """Find the selectors in calls and assignments."""
        opened: list[_Call] = []
        closed: dict[int, _Call] = {}
        for number, token in enumerate(self._code):
            if token.kind == "text" and opened:
                opened[-1].literals.add(squeezed(content(token).text))
            if token.kind != "sign":
                self._member(number, opened)
                self._key(number)
            elif token.text in OPENING:
                opened.append(self._call(number, closed))
            elif token.text == "," and opened:
                opened[-1].arguments.append(number + 1)
            elif token.text in CLOSING and opened:
                call = closed[number] = opened.pop()
                if call.arguments[-1] == number:
                    # A comma behind the last argument, or none at all.
                    call.arguments.pop()
                self._match(call)
                self._note(call, number)
                if opened and not call.is_block:
                    opened[-1].literals |= call.literals
                    opened[-1].members += [(name, at, level + 1) for name, at, level in call.members]

    def _is_near(self, place: Place) -> bool:
        """Return True if the file may have a place."""
        found = self._near.get(place.near)
        if found is None:
            found = self._near[place.near] = re.search(place.near, self._text) is not None
        return found

    def own_functions(self) -> None:
        """Find the selectors given to functions that the file declares, and those of variables that no call uses."""
        for name, places in self._functions.items():
            named = [(position, known) for position, known in places if position is not None]
            for call in self._calls.get(name, ()):
                count = len(call.arguments)
                read = [self._condition(call.arguments[at], known) for at, known in named if at < count]
                by_name = None if any(read) else next((known for position, known in places if position is None), None)
                if by_name is not None:
                    for at in call.arguments:
                        if self._condition(at, by_name):
                            break
        for at, known in self._later:
            # An unread one is told where it is used.
            if at not in self._used or self._values.argument(at).text is not None:
                self._condition(at, known)

    def texts(self) -> None:
        """Find the selectors within literals."""
        done: set[int] = set()
        for number in self._literals:
            token = self._code[number]
            if "selector" not in token.text.lower():
                continue
            first, value = self._values.around(number)
            if first in done:
                continue
            done.add(first)
            text = value.text or value.parts
            selectors = list(find_in_text(text, None, _escape(token))) if text is not None else []
            if selectors:
                self.found.setdefault((token.start, token.start, "text"), selectors)

    def _call(self, number: int, closed: dict[int, _Call]) -> _Call:
        names = [token.text if token.kind == "name" else "" for token in self._code[max(0, number - 3) : number]]
        name = names[-1] if names else ""
        before = None
        if number > 2 and name and self._code[number - 2].text == ".":
            called = closed.get(number - 3)
            before = squeezed(names[-3]) if called is None else f"{called.name}()"
        is_body = self._code[number].text == "{" and self._is_head(number - 1)
        is_declared = is_body or (len(names) > 1 and names[-2] in _DECLARES)
        is_block = self._code[number].text == "{" and (not name or (number > 0 and self._code[number - 1].text == ")"))
        is_block |= is_body
        if is_block and number and self._code[number - 1].text in ("(", ",", "[", "{", "=", ":", "return"):
            # An object or a map among arguments.
            is_block = False
        squeezed_name = squeezed(name)
        begin, declared = self._code[number].start, squeezed_name if is_declared else ""
        return _Call("" if is_declared else squeezed_name, declared, before, begin, is_block, [number + 1])

    def _is_head(self, at: int) -> bool:
        """Return True if the names that end with a token are the head of a type, or of a function that throws."""
        while at >= 0 and (self._code[at].kind == "name" or self._code[at].text in _BETWEEN_NAMES):
            if self._code[at].text in _IN_HEADS:
                return True
            at -= 1
        return False

    def _note(self, call: _Call, closing: int) -> None:
        """Note a call, or the parameters of a function that is declared, for ``own_functions``."""
        name = call.name or call.declared
        if not self._own or not name or call.is_block or not call.arguments:
            return
        if "selector" not in name and "elector" not in self._text[call.begin : self._code[closing].end]:
            # No function that counts is declared here.
            if call.literals and not call.declared:
                self._calls.setdefault(name, []).append(call)
            return
        parameters = [self._values.parameter(at, bool(call.declared)) for at in call.arguments]
        if call.declared or (parameters and None not in parameters):
            is_method = bool(parameters) and parameters[0] in ("self", "cls", "this")
            for pattern, known in self._own:
                if pattern.name is None or not pattern.name.fullmatch(name):
                    continue
                if pattern.key is None:
                    self._functions.setdefault(name, []).append((None, known))
                for position, parameter in enumerate(parameters[is_method:]):
                    if pattern.key is not None and _wildcards(pattern.key).fullmatch(squeezed(parameter or "")):
                        self._functions.setdefault(name, []).append((position, known))
        elif call.literals:
            self._calls.setdefault(name, []).append(call)

    def _key(self, number: int) -> None:
        """Find the selector behind a key of a data file."""
        token = self._code[number]
        if not (token.kind == "text" or token.text.isupper()) or not _IN_KEYS.search(token.text):
            return
        key = content(token).text if token.kind == "text" else token.text
        known = find_place(names_of(_KEY_STEPS.split(key)))
        if known is None:
            return
        at = number + 1
        while at < len(self._code) and (self._code[at].text in (".", "(", ")") or self._is_read(at)):
            at += 1
        if at + 1 < len(self._code) and self._code[at].text in _BEHIND_KEYS:
            self._condition(at + 1, known)

    def _is_read(self, number: int) -> bool:
        """Return True for a member that is read, as the text of a constant of an enumeration is."""
        return self._code[number - 1].text == "." and self._code[number].kind == "name"

    def _condition(self, at: int, known: Place) -> bool:
        """Add the value of an argument if it is a condition, and return True if it is one."""
        value = self._values.argument(at)
        parts = value.text or value.parts
        if parts is None or not is_condition(parts.text):
            return False
        self._add(value, self._code[self._values.behind_name(at)], known.dialect, known.pattern)
        return True

    def _member(self, number: int, opened: list[_Call]) -> None:
        """Note a name, or a literal, that is given a value."""
        following = self._code[number + 1] if number + 1 < len(self._code) else None
        at = number + 2
        if following is not None and following.text == "]" and self._code[number + 1 : number + 3][-1].text == "=":
            following, at = self._code[number + 2], number + 3
        if following is None or following.text not in _GIVES or at >= len(self._code):
            return
        token = self._code[number]
        name = squeezed(content(token).text if token.kind == "text" else token.text)
        if opened:
            opened[-1].members.append((name, at, 0))
        for _, known in _assigned().get(name, ()):
            if self._is_near(known):
                if known.is_sure:
                    self._add(self._values.assigned(at), self._code[at], known.dialect, known.pattern)
                else:
                    self._later.append((at, known))
                return
        if token.kind == "text" and _IN_KEYS.search(token.text):
            key = find_place(names_of(_KEY_STEPS.split(content(token).text)))
            if key is not None:
                self._condition(at, key)

    def _match(self, call: _Call) -> None:
        for pattern, known in _of_name(call.name):
            if not pattern.literals <= call.literals or not self._is_near(known):
                continue
            if pattern.before is not None and call.before != pattern.before:
                continue
            for at, is_certain in self._arguments(pattern, call):
                value = self._values.argument(at)
                text = "" if value.text is None else value.text.text
                # In any call with the literal, only a text is surely one.
                if squeezed(text) in pattern.literals or (pattern.is_any and value.kind != "text"):
                    continue
                is_sure = is_certain and known.is_sure
                if is_sure or is_condition(value.parts.text if value.parts is not None else text):
                    begin = self._code[self._values.behind_name(at)]
                    self._add(value, begin, self._dialect(known, call), known.pattern)
                    if not known.is_sure:
                        # Another argument is none then.
                        return

    def _arguments(self, pattern: _CodePattern, call: _Call) -> Iterator[tuple[int, bool]]:
        """Yield where the selectors of a call begin, and False where another call may be meant."""
        if pattern.key is not None:
            yield from ((at, True) for name, at, level in call.members if name == pattern.key and level < _MAX_LEVELS)
            return
        kinds = pattern.arguments
        least = len(kinds) - kinds.count("...")
        if len(call.arguments) < least:
            return
        place = kinds.index("$")
        if "..." in kinds:
            place -= len(kinds)
        places = call.arguments if place >= 0 else call.arguments[-len(kinds) :]
        others = [at for kind, at in zip(kinds, places, strict=False) if kind == "_"] if place >= 0 else []
        yield call.arguments[place], not any(map(self._values.is_literal, others))

    def _marked(self, comment: Token) -> int | None:
        """Return the literal that a comment marks: the last one before it on its line, or the next one."""
        line = self._text.rfind("\n", 0, comment.start) + 1
        before = bisect_right(self._ends, comment.start) - 1
        if before >= 0 and self._text[line : comment.start].strip():
            # A closing parenthesis may stand on a line of its own, and the comment behind it.
            between = self._text[self._ends[before] : comment.start]
            if "\n" not in between or not between.strip(" \t\n)]},;"):
                return self._literals[before]
        behind = bisect_left(self._ends, comment.end)
        if behind < len(self._literals):
            number = self._literals[behind]
            if self._text.count("\n", comment.end, max(comment.end, self._code[number].start)) <= _NEAR:
                return number
        return None

    def _dialect(self, known: Place, call: _Call) -> str | None:
        """Return the dialect of a call: what its argument of that name says, or its place."""
        for name, at, level in call.members:
            if name == "dialect" and level == 0:
                text = self._values.at(at).text
                return known.dialect if text is None else known_dialect(text.text) or known.dialect
        return known.dialect

    def _add(self, value: Value, token: Token, dialect: str | None, whence: str) -> None:
        if value.kind not in ("text", "unknown"):
            return
        self._used.add(value.begin)
        if value.text is None:
            self.found.setdefault((token.start, token.start, ""), [UnreadSelector(token.start, whence=whence)])
        else:
            place = value.text.place(Span(0, len(value.text.text)))
            selectors = found(value.text, dialect, _escape(value.literal), whence)
            used = [one._replace(used=token.start) if isinstance(one, FoundSelector) else one for one in selectors]
            self.found.setdefault((place.start, place.end, value.text.text), used)


def _escape(literal: Token | None) -> Escape:
    quote = None if literal is None else escaped(literal)
    if quote is None:
        return as_is
    return lambda text: text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
