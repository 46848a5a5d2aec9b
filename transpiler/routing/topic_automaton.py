"""Binding keys with wildcards as one automaton of flat arrays, so that a key costs by its words and not by bindings.

All patterns of all exchanges share one trie, with a root for each exchange. A word has a code (see ``slots``), and an
edge is in the one place that its state and the word's code add up to, without a loop: a state is where its edges begin.
A node of the trie leads to itself where it is a ``#``, to its ``*``, to the edge, and behind each of them to the ``#``
that may match nothing. While there is room such nodes are one state together, and one look-up; then a state is a node,
and what states lead to a list of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord, TopicPattern
from transpiler.routing import tuning

#: The mark of a free place in an array: no state has this number.
FREE = -1


def matches_topic(pattern: TopicPattern, words: Sequence[str]) -> bool:
    """Return True if words match a pattern; both are constants here."""
    places = {0}
    for word in words:
        places = _passed(pattern, places)
        places = {
            at if pattern[at] == MANY_WORDS else at + 1
            for at in places
            if at < len(pattern) and pattern[at] in (MANY_WORDS, ONE_WORD, word)
        }
    return len(pattern) in _passed(pattern, places)


def _passed(pattern: TopicPattern, places: set[int]) -> set[int]:
    """The places, and those behind a ``#`` that matches nothing more."""
    passed = set(places)
    for at in places:
        while at < len(pattern) and pattern[at] == MANY_WORDS:
            at += 1
            passed.add(at)
    return passed


@dataclass
class TopicAutomaton:
    """The automaton. ``lists`` are lists of states; ``otherwise`` is each state's list for a word without an edge.

    The edge of a state for the word of code ``c`` is at the place ``state + c``, if ``owners`` has the state there; its
    list is there in ``following``. A number that is no state has no edge, the empty list and no end. States in which
    patterns end are odd.
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
    #: True if several paths may lead a key to one state, which needs a pattern of two ``#``.
    repeats: bool


@dataclass
class _Node:
    """A place in the trie, with the number of ``#`` on the way to it."""

    many: int = 0
    is_many: bool = False
    edges: dict[str | AnyWord, int] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)


class TopicAutomatonBuilder:
    """Collects patterns, each under the number of an exchange's state and with a number of its own."""

    def __init__(self) -> None:
        self._nodes: list[_Node] = []
        self._roots: dict[int, int] = {}

    def add(self, root: int, words: TopicPattern, pattern: int) -> None:
        """Add a pattern; the same words end in the same node."""
        at = self._roots.get(root)
        if at is None:
            at = self._roots[root] = len(self._nodes)
            self._nodes.append(_Node())
        many = False
        for word in words:
            if word == MANY_WORDS:
                # Two in a row match what one does.
                many = True
                continue
            # ``#.*`` is ``*.#``, which a key reaches by fewer paths.
            if many and word != ONE_WORD:
                at = self._follow(at, MANY_WORDS)
                many = False
            at = self._follow(at, word)
        if many:
            at = self._follow(at, MANY_WORDS)
        self._nodes[at].ends.append(pattern)

    def _follow(self, at: int, word: str | AnyWord) -> int:
        node = self._nodes[at]
        child = node.edges.get(word)
        if child is None:
            child = node.edges[word] = len(self._nodes)
            many = word == MANY_WORDS
            self._nodes.append(_Node(node.many + many, many))
        return child

    def build(self) -> TopicAutomaton:
        """The automaton of all patterns that were added."""
        return _Determinizer(self._nodes).trie(self._roots)


#: The trie nodes that a key has reached, in order: one state of the automaton, or the union of several.
_Nodes = tuple[int, ...]


class _Determinizer:
    """Subset construction over the nodes of a trie, while there is room; beyond it each node is a state by itself."""

    def __init__(self, nodes: list[_Node]) -> None:
        self._nodes = nodes
        codes: dict[str, int] = {}
        #: The successors of each node for the words of its edges, and those for any word.
        self._exact: list[dict[int, _Nodes]] = []
        self._any: list[_Nodes] = []
        for number, node in enumerate(nodes):
            exact = {}
            for word, following in node.edges.items():
                if isinstance(word, str):
                    exact[codes.setdefault(word, len(codes) + 1)] = self._reached(following)
            self._exact.append(exact)
            one = node.edges.get(ONE_WORD)
            stays = (number,) if node.is_many else ()
            self._any.append(stays if one is None else stays + self._reached(one))
        self._words = list(codes)
        self._room = tuning.AUTOMATON_ROOM * len(nodes)
        #: The states so far with their numbers, those still to visit, and the lists of states.
        self._states: dict[_Nodes, int] = {}
        self._queue: list[_Nodes] = []
        self._numbers: dict[_Nodes, int] = {}
        self._lists: list[list[int]] = []

    def _reached(self, number: int) -> _Nodes:
        """The node, and the ``#`` behind it, which may match nothing."""
        many = self._nodes[number].edges.get(MANY_WORDS)
        return (number,) if many is None else (number, many)

    def trie(self, roots: Mapping[int, int]) -> TopicAutomaton:
        """The arrays, with the start of each root."""
        self._list(())
        starts = {root: self._list(self._reached(start)) for root, start in roots.items()}
        edges: list[dict[int, int]] = []
        others: list[int] = []
        # The lists of a state bring new states, so those that few words lead to come first and have the room.
        for state in self._queue:
            always = {number for node in state for number in self._any[node]}
            exact: dict[int, set[int]] = {}
            for node in state:
                for code, reached in self._exact[node].items():
                    exact.setdefault(code, set(always)).update(reached)
            others.append(self._list(always))
            edges.append({code: self._list(targets) for code, targets in exact.items()})
        ending = [[end for node in state for end in self._nodes[node].ends] for state in self._queue]
        states, owners = place_edges(edges, [bool(ends) for ends in ending])
        following, otherwise = [0] * len(owners), [0] * (max(states, default=-1) + 1)
        ends: list[list[int]] = [[] for _ in otherwise]
        for place, targets, other, patterns in zip(states, edges, others, ending, strict=True):
            otherwise[place], ends[place] = other, patterns
            for code, number in targets.items():
                following[place + code] = number
        lists = [[states[number] for number in numbers] for numbers in self._lists]
        return TopicAutomaton(
            self._words,
            owners,
            following,
            lists,
            otherwise,
            ends,
            {root: lists[number] for root, number in starts.items()},
            any(node.many > 1 for node in self._nodes),
        )

    def _list(self, nodes: Iterable[int]) -> int:
        """The number of the list of states that make up some nodes."""
        key = tuple(sorted(nodes))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._lists)
            parts = [key] if self._has_room(key) else [(node,) for node in key]
            self._lists.append([self._state(part) for part in parts])
        return number

    def _has_room(self, nodes: _Nodes) -> bool:
        """Return True if several nodes become one state; it repeats their edges and ends, which the room pays for."""
        if len(nodes) < 2:
            return False
        stays = sum(len(self._any[node]) for node in nodes)
        needed = sum(len(self._exact[node]) * (stays + 2) + len(self._nodes[node].ends) for node in nodes) + stays
        if needed > self._room:
            return False
        self._room -= needed
        return True

    def _state(self, nodes: _Nodes) -> int:
        number = self._states.get(nodes)
        if number is None:
            number = self._states[nodes] = len(self._queue)
            self._queue.append(nodes)
        return number


def place_edges(edges: Sequence[Mapping[int, object]], odd: Sequence[bool]) -> tuple[list[int], list[int]]:
    """The places in one array where the edges of each state begin, and for each place the begin of its owner's edges.

    A begin is no edge itself, for codes begin with 1, and no two states have one begin: at odd places are those of
    the states that are to be odd, and at even places all others.
    """
    size = tuning.CHUNK_PLACES
    even = ((1 << size) - 1) // 3
    parities = (even, even << 1)
    #: Bits of the places, and of the begins, that are in use, by the number of the chunk.
    used: dict[int, int] = {}
    begun: dict[int, int] = {}
    #: The first chunk where states of about as many edges may fit, at odd or at even places.
    first: dict[tuple[int, bool], int] = {}
    begins = [0] * len(edges)
    owners: list[int] = []
    for number in sorted(range(len(edges)), key=lambda number: -len(edges[number])):
        codes = [divmod(code, size) for code in edges[number]]
        alike = len(codes).bit_length(), odd[number]
        chunk = first.get(alike, 0)
        while not (free := parities[odd[number]] & ~_occupied(codes, chunk, size, used, begun)):
            chunk += 1
        first[alike] = chunk
        bit = (free & -free).bit_length() - 1
        begun[chunk] = begun.get(chunk, 0) | 1 << bit
        begin = begins[number] = chunk * size + bit
        for code in edges[number]:
            place = begin + code
            at, bit = divmod(place, size)
            used[at] = used.get(at, 0) | 1 << bit
            if place >= len(owners):
                owners.extend([FREE] * (place + 1 - len(owners)))
            owners[place] = begin
    return begins, owners


def _occupied(
    codes: list[tuple[int, int]], chunk: int, size: int, used: Mapping[int, int], begun: Mapping[int, int]
) -> int:
    """The bits of the begins in a chunk where a state cannot begin: another one does, or its edges would be on others'.

    A code is a number of chunks and of places.
    """
    occupied = begun.get(chunk, 0)
    for chunks, places in codes:
        at = chunk + chunks
        occupied |= used.get(at, 0) >> places | used.get(at + 1, 0) << (size - places)
    return occupied
