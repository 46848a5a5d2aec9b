"""Binding keys with wildcards as one automaton of flat arrays, so that a key costs by its words and not by bindings.

All patterns of all exchanges share one trie, with a root for each exchange. A word is looked up in a dictionary, and
an edge under ``state * words + word``; both look-ups go to one of two slots (cuckoo hashing), so neither has a loop.
What a state leads to is a list of states: itself where it is a ``#``, its ``*``, the edge, and behind each of them
the ``#`` that may match nothing.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Key = TypeVar("Key", str, int)

#: What an empty slot holds: no edge has this key.
EMPTY = -1

_MANY = "#"
_ONE = "*"


@dataclass
class Slots(Generic[Key]):
    """Keys in two rows of slots, each where one of its two hashes puts it; ``sizes`` are the rows' lengths."""

    sizes: tuple[int, int]
    keys: list[Key | None]


def fill_slots(keys: Sequence[Key], hash_of: Callable[[Key], int]) -> Slots[Key]:
    """Slots for some keys: one that hashes to ``h`` is at ``h % sizes[0]`` or at ``sizes[0] + h % sizes[1]``."""
    first = _prime(max(7, len(keys) * 4 // 3))
    while True:
        second = _prime(first + 2)
        slots: list[Key | None] = [None] * (first + second)
        if all(_put(key, slots, first, second, hash_of) for key in keys):
            return Slots((first, second), slots)
        first = _prime(first * 5 // 4)


def _put(key: Key, slots: list[Key | None], first: int, second: int, hash_of: Callable[[Key], int]) -> bool:
    current, at = key, hash_of(key) % first
    for _ in range(500):
        other = slots[at]
        slots[at] = current
        if other is None:
            return True
        current, code = other, hash_of(other)
        at = first + code % second if at == code % first else code % first
    return False


def _prime(least: int) -> int:
    number = least | 1
    while any(number % divisor == 0 for divisor in range(3, int(number**0.5) + 1, 2)):
        number += 2
    return number


def fits(pattern: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words match a pattern, both known."""
    places = {0}
    for word in words:
        places = _passed(pattern, places)
        places = {
            at if pattern[at] == _MANY else at + 1
            for at in places
            if at < len(pattern) and pattern[at] in (_MANY, _ONE, word)
        }
    return len(pattern) in _passed(pattern, places)


def _passed(pattern: Sequence[str], places: set[int]) -> set[int]:
    """The places, and those behind a ``#`` that matches nothing more."""
    found = set(places)
    for at in places:
        while at < len(pattern) and pattern[at] == _MANY:
            at += 1
            found.add(at)
    return found


def word_hash(word: str) -> int:
    """The hash of a word: the CRC-32 of its bytes, which every engine has."""
    return zlib.crc32(word.encode())


@dataclass
class Trie:
    """The automaton. ``lists`` are lists of states; ``otherwise`` is each state's list for a word without an edge."""

    words: Slots[str]
    word_codes: list[int]
    #: Words for which there was no slot: two others have the same hash.
    more_words: dict[str, int]
    width: int
    edges: Slots[int]
    edge_lists: list[int]
    lists: list[list[int]]
    otherwise: list[int]
    #: The patterns that end in each state.
    ends: list[list[int]]
    #: The states before the first word, by the exchange that the roots were made for.
    starts: dict[int, list[int]]


@dataclass
class _Node:
    edges: dict[str, int] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)


class TrieBuilder:
    """Takes patterns, each under the number of an exchange's state and with a number of its own."""

    def __init__(self) -> None:
        self._nodes: list[_Node] = []
        self._many: set[int] = set()
        self._roots: dict[int, int] = {}

    def add(self, root: int, words: Iterable[str], pattern: int) -> None:
        """Add a pattern; the same words end in the same state."""
        at = self._roots.get(root)
        if at is None:
            at = self._roots[root] = self._node()
        before = ""
        for word in words:
            # Two ``#`` in a row match what one does.
            if word != _MANY or before != _MANY:
                at = self._follow(at, word)
            before = word
        self._nodes[at].ends.append(pattern)

    def _node(self) -> int:
        self._nodes.append(_Node())
        return len(self._nodes) - 1

    def _follow(self, at: int, word: str) -> int:
        found = self._nodes[at].edges.get(word)
        if found is None:
            found = self._nodes[at].edges[word] = self._node()
            if word == _MANY:
                self._many.add(found)
        return found

    def build(self) -> Trie:
        """The automaton of all patterns that were added."""
        codes: dict[str, int] = {}
        for node in self._nodes:
            for word in node.edges:
                if word not in (_ONE, _MANY):
                    codes.setdefault(word, len(codes) + 1)
        width = len(codes) + 1
        lists: dict[tuple[int, ...], int] = {(): 0}
        edges: dict[int, int] = {}
        otherwise: list[int] = []
        for state, node in enumerate(self._nodes):
            stay = self._reached(state) if state in self._many else []
            if _ONE in node.edges:
                stay = stay + self._reached(node.edges[_ONE])
            otherwise.append(_number(lists, stay))
            for word, following in node.edges.items():
                if word not in (_ONE, _MANY):
                    edges[state * width + codes[word]] = _number(lists, stay + self._reached(following))
        more = _crowded(codes)
        words = fill_slots([word for word in codes if word not in more], word_hash)
        slots = fill_slots(list(edges), int)
        return Trie(
            words,
            [0 if word is None else codes[word] for word in words.keys],
            more,
            width,
            slots,
            [0 if edge is None else edges[edge] for edge in slots.keys],
            [list(states) for states in lists],
            otherwise,
            [node.ends for node in self._nodes],
            {root: self._reached(state) for root, state in self._roots.items()},
        )

    def _reached(self, state: int) -> list[int]:
        """The state, and the ``#`` behind it, which may match nothing."""
        many = self._nodes[state].edges.get(_MANY)
        return [state] if many is None else [state, many]


def _crowded(codes: dict[str, int]) -> dict[str, int]:
    """The words whose hash two other words have."""
    seen: Counter[int] = Counter()
    crowded = {}
    for word, code in codes.items():
        hashed = word_hash(word)
        seen[hashed] += 1
        if seen[hashed] > 2:
            crowded[word] = code
    return crowded


def _number(lists: dict[tuple[int, ...], int], states: list[int]) -> int:
    return lists.setdefault(tuple(sorted(set(states))), len(lists))
