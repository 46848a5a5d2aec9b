"""Binding keys with wildcards as one automaton of flat arrays, so that a key costs by its words and not by bindings.

All patterns of all exchanges share one trie, with a root for each exchange. A word has a code, which an engine without
hashed look-ups finds in one of two slots, and an edge is in the one place that its state and the word's code add up to,
so neither has a loop: a state is where its edges begin.
What a state leads to is a list of states: itself where it is a ``#``, its ``*``, the edge, and behind each of them
the ``#`` that may match nothing.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

#: What is in a place of an array that nothing has taken: no state has this number.
FREE = -1

#: Places that are tried for a state's edges before they go behind all others.
_TRIES = 200

_MANY = "#"
_ONE = "*"


@dataclass(frozen=True, slots=True)
class Slots:
    """The codes of words in two rows of ``mask + 1`` slots, each word where one of its two hashes puts it."""

    mask: int
    words: list[str | None]
    codes: list[int]
    #: Words for which there was no slot: two others have the same hash.
    more: dict[str, int]


def fill_slots(words: Sequence[str]) -> Slots:
    """Slots for words, whose codes are their places counted from 1: see ``word_slots``."""
    codes = {word: place for place, word in enumerate(words, 1)}
    more = _crowded(codes)
    row = 1 << max(3, (len(codes) * 5 // 4).bit_length())
    while True:
        slots: list[str | None] = [None] * (2 * row)
        if all(_put(word, slots, row - 1) for word in codes if word not in more):
            return Slots(row - 1, slots, [0 if word is None else codes[word] for word in slots], more)
        row *= 2


def word_slots(word: str, mask: int) -> tuple[int, int]:
    """The two slots that a word can be in."""
    code = word_hash(word)
    return code & mask, mask + 1 + (code * SPREAD >> SHIFT & mask)


def _put(word: str, slots: list[str | None], mask: int) -> bool:
    """Put a word into a free slot, moving others to their other slots: cuckoo hashing."""
    at = word_slots(word, mask)[0]
    for _ in range(500):
        other = slots[at]
        slots[at] = word
        if other is None:
            return True
        word = other
        first, second = word_slots(word, mask)
        at = second if at == first else first
    return False


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


#: What the second slot of a word is made of: its hash times ``SPREAD``, which a BIGINT holds, without the last bits.
SPREAD, SHIFT = 73_244_475, 16


@dataclass
class Trie:
    """The automaton. ``lists`` are lists of states; ``otherwise`` is each state's list for a word without an edge.

    The edge of a state for the word of code ``c`` is at the place ``state + c``, if ``owners`` has the state there; its
    list is there in ``following``. A number that is no state has no edge, the empty list and no end.
    """

    #: The words with edges; the code of each is its place, counted from 1.
    words: list[str]
    owners: list[int]
    following: list[int]
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
        lists: dict[tuple[int, ...], int] = {(): 0}
        edges: list[dict[int, int]] = []
        stays: list[int] = []
        for number, node in enumerate(self._nodes):
            stay = self._reached(number) if number in self._many else []
            if _ONE in node.edges:
                stay = stay + self._reached(node.edges[_ONE])
            stays.append(_number(lists, stay))
            edges.append(
                {
                    codes[word]: _number(lists, stay + self._reached(following))
                    for word, following in node.edges.items()
                    if word not in (_ONE, _MANY)
                }
            )
        states, owners = place_edges(edges)
        following, otherwise = [0] * len(owners), [0] * (max(states, default=-1) + 1)
        ends: list[list[int]] = [[] for _ in otherwise]
        for state, node, other, found in zip(states, self._nodes, stays, edges, strict=True):
            otherwise[state], ends[state] = other, node.ends
            for code, reached in found.items():
                following[state + code] = reached
        return Trie(
            list(codes),
            owners,
            following,
            [[states[number] for number in numbers] for numbers in lists],
            otherwise,
            ends,
            {root: [states[number] for number in self._reached(start)] for root, start in self._roots.items()},
        )

    def _reached(self, number: int) -> list[int]:
        """The node, and the ``#`` behind it, which may match nothing."""
        many = self._nodes[number].edges.get(_MANY)
        return [number] if many is None else [number, many]


def place_edges(edges: Sequence[Mapping[int, object]]) -> tuple[list[int], list[int]]:
    """Where in one array the edges of each node begin, no two in one place, and where the owner's of each place do.

    What begins is no edge itself, for codes begin with 1, and no two nodes' edges begin alike.
    """
    begins = [0] * len(edges)
    owners: list[int] = []
    taken: set[int] = set()
    least = 0
    for number in sorted(range(len(edges)), key=lambda number: -len(edges[number])):
        codes = sorted(edges[number])
        if codes:
            while least < len(owners) and owners[least] != FREE:
                least += 1
            begin = _fit(codes, owners, least, taken)
            owners.extend([FREE] * (begin + codes[-1] + 1 - len(owners)))
            for code in codes:
                owners[begin + code] = begin
        else:
            begin = next(other for other in count(least) if other not in taken)
            least = begin + 1
        taken.add(begin)
        begins[number] = begin
    return begins, owners


def _fit(codes: list[int], owners: list[int], least: int, taken: Container[int]) -> int:
    """The begin that puts codes on free places, the first of them not before ``least``."""
    end, first = len(owners), codes[0]
    for begin in range(max(0, least - first), min(end, least + _TRIES) - first):
        if begin not in taken and all(begin + code >= end or owners[begin + code] == FREE for code in codes):
            return begin
    return next(begin for begin in count(max(0, end - first)) if begin not in taken)


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


def _number(lists: dict[tuple[int, ...], int], numbers: list[int]) -> int:
    return lists.setdefault(tuple(sorted(set(numbers))), len(lists))
