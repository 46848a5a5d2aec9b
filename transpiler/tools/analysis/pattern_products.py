"""Products of patterns: the shortest text for each combination of patterns that match it and constants that equal it.

A pattern is an automaton over characters: a LIKE pattern over characters as the dialect counts them, a binding key over
words. All automata run in parallel, together with a prefix tree of the constants, so that a text that equals a constant
is distinguished from other texts. This module only makes the texts; the reference evaluator judges them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Protocol

from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.base.topics import MANY_WORDS, AnyWord, TopicPattern
from transpiler.language.selector.dialect_rules import Wildcards
from transpiler.tools.analysis.formula import WordPattern

#: Maximum total number of automaton steps in one product construction.
_STEPS = 12_000
_OTHERS = "axqzjkwvy0123456789~^|"


class _Automaton(Protocol):
    start: Any

    def step(self, state: Any, character: str) -> Any: ...

    def answer(self, state: Any) -> Hashable: ...


class _Like:
    """A LIKE pattern as a nondeterministic automaton, which reads a text character by character.

    A state has three items. The first are the positions in the pattern that the text can have reached, as bits of an
    integer. The second are the positions before the last character if that was a line end, else 0. The third is True if
    the rest of the text is ignored.
    """

    def __init__(self, pattern: Pattern, wildcards: Wildcards, simple: bool = False) -> None:
        by_bytes = wildcards in (Wildcards.BYTES, Wildcards.BYTES_OF_LINE)
        self._units = _bytes_of if by_bytes or simple else list
        self._line = wildcards is Wildcards.BYTES_OF_LINE or (wildcards is Wildcards.LINES and not simple)
        self._last_line_end = wildcards is Wildcards.LINES and not simple
        self._text_only = self._last_line_end
        self._ends_at_nul = wildcards is Wildcards.BYTES
        parts: list[str | Wildcard] = []
        for part in pattern:
            parts.extend(self._units(part) if isinstance(part, str) else (part,))
        self._many = sum(1 << index for index, part in enumerate(parts) if part is Wildcard.ANY)
        self._one = sum(1 << index for index, part in enumerate(parts) if part is Wildcard.ONE)
        self._of: dict[str, int] = {}
        for index, part in enumerate(parts):
            if isinstance(part, str):
                self._of[part] = self._of.get(part, 0) | 1 << index
        self._end = 1 << len(parts)
        self.start: Any = (self._closed(1), 0, False)

    def _closed(self, message_fields: int) -> int:
        # A % may match the empty text, so a position at a % implies the next position. One step suffices, because
        # adjacent % were joined when the pattern was parsed.
        return message_fields | (message_fields & self._many) << 1

    def step(self, state: Any, character: str) -> Any:
        message_fields, before, over = state
        if over:
            return state
        if (self._ends_at_nul and character == "\0") or (self._text_only and "\udc80" <= character <= "\udcff"):
            return message_fields, before, True
        before = message_fields if self._last_line_end and character == "\n" else 0
        for unit in self._units(character):
            wild = not (self._line and unit == "\n")
            moved = (message_fields & (self._of.get(unit, 0) | (self._one if wild else 0))) << 1
            message_fields = self._closed(moved | (message_fields & self._many if wild else 0))
        return message_fields, before, False

    def answer(self, state: Any) -> Hashable:
        message_fields, before, over = state
        return bool((message_fields | before) & self._end), over and self._text_only


def _bytes_of(text: str) -> list[str]:
    return list(text.encode("utf-8", "surrogateescape").decode("latin-1"))


class _Key:
    """A binding key as an automaton.

    A state is a set of positions; each position is the index of a word and the number of characters read in the word.
    """

    def __init__(self, words: TopicPattern) -> None:
        self._words = words
        self.start: Any = self._entered({0})

    def _entered(self, numbers: Iterable[int]) -> frozenset[tuple[int, int]]:
        entered = set(numbers)
        for number, word in enumerate(self._words):
            if number in entered and word == MANY_WORDS:
                entered.add(number + 1)
        return frozenset((number, 0) for number in entered if number < len(self._words))

    def step(self, state: Any, character: str) -> Any:
        after: set[tuple[int, int]] = set()
        ended: set[int] = set()
        for number, read in state:
            word = self._words[number]
            if character == ".":
                if word == MANY_WORDS:
                    ended.update((number, number + 1))
                elif isinstance(word, AnyWord) or read == len(word):
                    ended.add(number + 1)
            elif isinstance(word, AnyWord):
                after.add((number, 0))
            elif word[read : read + 1] == character:
                after.add((number, read + 1))
        return frozenset(after) | self._entered(ended)

    def answer(self, state: Any) -> Hashable:
        for number, read in state:
            word = self._words[number]
            whole = isinstance(word, AnyWord) or read == len(word)
            if whole and all(rest == MANY_WORDS for rest in self._words[number + 1 :]):
                return True
        return False


class _Constants:
    """A prefix tree of the constants: a state is the text read so far, or None if no constant begins with this text."""

    def __init__(self, constants: Iterable[str]) -> None:
        self._constants = frozenset(constants)
        self._prefixes = {text[:end] for text in self._constants for end in range(len(text) + 1)}
        self.start: Any = ""

    def step(self, state: Any, character: str) -> Any:
        if state is None:
            return None
        text = f"{state}{character}"
        return text if text in self._prefixes else None

    def answer(self, state: Any) -> Hashable:
        return state if state in self._constants else None


def shortest_texts(
    patterns: Sequence[tuple[Pattern | WordPattern, Wildcards]], constants: Sequence[str]
) -> tuple[list[str], bool]:
    """Return a shortest text for each combination of matching and non-matching ``patterns`` and ``constants``.

    The second result is True if all combinations were found, False if the limit of steps ended the search before.
    """
    automata: list[_Automaton] = [_Constants(constants)]
    for one, wildcards in patterns:
        automata.append(_Key(one.words) if isinstance(one, WordPattern) else _Like(one, wildcards))
        if wildcards is Wildcards.LINES and not isinstance(one, WordPattern):
            # Some brokers match simple LIKE patterns by another method, which can have another result. Try both.
            automata.append(_Like(one, wildcards, simple=True))
    alphabet = _alphabet(patterns, constants)
    start = tuple(one.start for one in automata)
    # Some brokers drop empty words at the end of a routing key, so the keys "a" and "a." may match differently. Find a
    # text for each combination of results both with and without a "." at its end.
    pending, seen = deque([(start, "")]), {(start, False)}
    found: dict[Hashable, str] = {}
    steps = _STEPS
    while pending:
        states, text = pending.popleft()
        answers = tuple(one.answer(state) for one, state in zip(automata, states, strict=True))
        found.setdefault((answers, text.endswith(".")), text)
        for character in alphabet:
            after = tuple(one.step(state, character) for one, state in zip(automata, states, strict=True))
            if (after, character == ".") not in seen:
                seen.add((after, character == "."))
                pending.append((after, text + character))
        steps -= len(alphabet) * len(automata)
        if steps < 0:
            alone = (text for pattern in patterns for text in _alone(pattern)) if len(patterns) > 1 else ()
            return list(dict.fromkeys((*found.values(), *alone))), False
    return list(found.values()), True


def _alone(pattern: tuple[Pattern | WordPattern, Wildcards]) -> list[str]:
    return shortest_texts([pattern], ())[0]


def _alphabet(patterns: Sequence[tuple[Pattern | WordPattern, Wildcards]], constants: Sequence[str]) -> list[str]:
    characters: dict[str, None] = {}
    for pattern, _ in patterns:
        parts = pattern.words if isinstance(pattern, WordPattern) else pattern
        for part in parts:
            if isinstance(part, str):
                characters |= dict.fromkeys(part)
    if any(isinstance(pattern, WordPattern) for pattern, _ in patterns):
        characters["."] = None
    characters |= dict.fromkeys("".join(constants))
    other = next(
        character for character in _OTHERS + "".join(map(chr, range(0x100, 0x400))) if character not in characters
    )
    characters = {other: None} | characters
    if any(wildcards is not Wildcards.CODE_POINTS for _, wildcards in patterns):
        # Sample characters that wildcards treat differently, depending on the broker: a character of several bytes in
        # UTF-8, a line end, a NUL, and an invalid byte.
        characters |= dict.fromkeys(("é", "\n", "\0", "\udcff"))
    return list(characters)
