"""An automaton for binding keys with wildcards, in flat arrays.

The time to match a routing key depends on the number of its words, not on the number of bindings.

All patterns share one trie, with one root for each exchange. Each word has an integer code, and the edge of a state for
a word is at index state + code of the arrays, so no search is needed. A node of the trie leads to itself if it is a
``#``, to its ``*``, to its edge for the word, and then also to a following ``#``, which can match zero words. The
subset construction merges nodes that are reached together into one state, up to a limit on memory. After that each node
is its own state, and an edge leads to a list of states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from transpiler.base.topics import MANY_WORDS, ONE_WORD, AnyWord, TopicPattern
from transpiler.routing import tuning

#: The value of a free element in ``owners``; no state has this number.
FREE = -1


def matches_topic(pattern: TopicPattern, words: Sequence[str]) -> bool:
    """Return True if the words of a routing key match the topic ``pattern``; used when both are constants."""
    positions = {0}
    for word in words:
        positions = _passed(pattern, positions)
        positions = {
            at if pattern[at] == MANY_WORDS else at + 1
            for at in positions
            if at < len(pattern) and pattern[at] in (MANY_WORDS, ONE_WORD, word)
        }
    return len(pattern) in _passed(pattern, positions)


def _passed(pattern: TopicPattern, positions: set[int]) -> set[int]:
    """Return ``positions`` and the positions behind each ``#`` there: for ``a.#.b``, 1 becomes 1 and 2."""
    passed = set(positions)
    for at in positions:
        while at < len(pattern) and pattern[at] == MANY_WORDS:
            at += 1
            passed.add(at)
    return passed


@dataclass
class TopicAutomaton:
    """A topic automaton as arrays. ``lists`` contains lists of states, to which ``following`` and ``otherwise`` refer.

    The state ``s`` has an edge for the word of code ``c`` if ``owners[s + c] == s``; then ``following[s + c]`` is the
    index of the list of next states. For any other word the index is ``otherwise[s]``. The numbers of states have gaps;
    a number in a gap has no edges. States in which patterns end have odd numbers.
    """

    #: The words with edges. The code of a word is its index plus 1.
    words: list[str]
    owners: list[int]
    following: list[int]
    lists: list[list[int]]
    otherwise: list[int]
    #: For each state, the numbers of the topic patterns that end in the state.
    ends: list[list[int]]
    #: For each root (an exchange's state in the routing plan), the states before the first word.
    starts: dict[int, list[int]]
    #: True if a routing key can reach a state on several paths, which requires a topic pattern with at least two ``#``.
    repeats: bool


@dataclass
class _Node:
    """A node of the trie; ``many`` is the number of ``#`` on the path from the root to the node."""

    many: int = 0
    is_many: bool = False
    edges: dict[str | AnyWord, int] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)


class TopicAutomatonBuilder:
    """Builder that collects topic patterns in a trie and converts it to an automaton."""

    def __init__(self) -> None:
        self._nodes: list[_Node] = []
        self._roots: dict[int, int] = {}

    def add(self, root: int, words: TopicPattern, pattern: int) -> None:
        """Add the topic pattern ``words`` with the number ``pattern``, under the exchange whose state is ``root``."""
        at = self._roots.get(root)
        if at is None:
            at = self._roots[root] = len(self._nodes)
            self._nodes.append(_Node())
        many = False
        for word in words:
            if word == MANY_WORDS:
                # Adjacent # match the same as a single #.
                many = True
                continue
            # Rewrite ``#.*`` to the equivalent ``*.#``, which a routing key matches on fewer paths.
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
        """Return the automaton of all topic patterns that were added."""
        return _Determinizer(self._nodes).trie(self._roots)


#: The trie nodes that a routing key has reached, sorted. They are one state of the automaton or several.
_Nodes = tuple[int, ...]


class _Determinizer:
    """Subset construction: it merges nodes of the trie that a routing key reaches together into one state.

    Merging stops at a limit on the size of the automaton; after that, each node is a state of its own.
    """

    def __init__(self, nodes: list[_Node]) -> None:
        self._nodes = nodes
        codes: dict[str, int] = {}
        #: Successors of each node, by index of the node: ``_exact`` for each word code, and ``_any`` for every word.
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
        #: ``_states``: the number of each automaton state, which is a set of trie nodes. ``_queue``: these states in
        #: the order of their numbers. ``_lists``: lists of state numbers. ``_numbers``: the index of the list for each
        #: set of trie nodes.
        self._states: dict[_Nodes, int] = {}
        self._queue: list[_Nodes] = []
        self._numbers: dict[_Nodes, int] = {}
        self._lists: list[list[int]] = []

    def _reached(self, number: int) -> _Nodes:
        """Return the trie node ``number``, and the node after a ``#`` that follows it: ``#`` can match zero words."""
        many = self._nodes[number].edges.get(MANY_WORDS)
        return (number,) if many is None else (number, many)

    def trie(self, roots: Mapping[int, int]) -> TopicAutomaton:
        """Convert the trie to an automaton; ``roots`` maps the state of each exchange to its root in the trie."""
        self._list(())
        starts = {root: self._list(self._reached(start)) for root, start in roots.items()}
        edges: list[dict[int, int]] = []
        others: list[int] = []
        # The loop appends states to ``_queue`` while it runs, so the search is breadth-first. To merge states copies
        # their elements, and the number of copies is limited; so the states that few words of a key lead to, which
        # most keys reach, are merged first.
        for state in self._queue:
            always = {number for node in state for number in self._any[node]}
            exact: dict[int, set[int]] = {}
            for node in state:
                for code, reached in self._exact[node].items():
                    exact.setdefault(code, set(always)).update(reached)
            others.append(self._list(always))
            edges.append({code: self._list(targets) for code, targets in exact.items()})
        ending = [[end for node in state for end in self._nodes[node].ends] for state in self._queue]
        states, owners = position_edges(edges, [bool(ends) for ends in ending])
        following, otherwise = [0] * len(owners), [0] * (max(states, default=-1) + 1)
        ends: list[list[int]] = [[] for _ in otherwise]
        for index, targets, other, patterns in zip(states, edges, others, ending, strict=True):
            otherwise[index], ends[index] = other, patterns
            for code, number in targets.items():
                following[index + code] = number
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
        """Return the index of the list of automaton states that stand for ``nodes``, nodes of the trie.

        The list contains one state for all nodes together or, if there is no room for more merged states, one state for
        each node.
        """
        key = tuple(sorted(nodes))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._lists)
            parts = [key] if self._has_room(key) else [(node,) for node in key]
            self._lists.append([self._state(part) for part in parts])
        return number

    def _has_room(self, nodes: _Nodes) -> bool:
        """Return True if ``nodes``, trie nodes that a routing key can reach together, may become one state.

        Such a state copies the edges of its nodes. If the copies fit, their number is subtracted from the remaining
        limit.
        """
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


def position_edges(edges: Sequence[Mapping[int, object]], odd: Sequence[bool]) -> tuple[list[int], list[int]]:
    """Assign each state an offset into one array of edges; return the offsets, and the owning offset of each element.

    ``edges`` contains the edges of each state by word code. No two states have the same offset, which is odd if ``odd``
    is True for the state, otherwise even. Codes begin with 1, so the element at an offset is not an edge of its state.
    """
    size = tuning.CHUNK_POSITIONS
    even = ((1 << size) - 1) // 3
    parities = (even, even << 1)
    #: For each chunk of the array of edges, two bit sets: the elements in use, and the offsets at which a state begins.
    used: dict[int, int] = {}
    begun: dict[int, int] = {}
    #: The first chunk to try for a state. States are grouped by the order of magnitude of their number of edges and by
    #: the parity of their offset, because a chunk that was too full for one state of a group is too full for the next.
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
            index = begin + code
            at, bit = divmod(index, size)
            used[at] = used.get(at, 0) | 1 << bit
            if index >= len(owners):
                owners.extend([FREE] * (index + 1 - len(owners)))
            owners[index] = begin
    return begins, owners


def _occupied(
    codes: list[tuple[int, int]], chunk: int, size: int, used: Mapping[int, int], begun: Mapping[int, int]
) -> int:
    """Return the bit set of the offsets in ``chunk`` at which a state with the edges ``codes`` cannot begin.

    The edges of all states share one array, in which a state that begins at the offset ``o`` has the edge for the word
    code ``c`` at the element ``o + c``. At the returned offsets another state begins, or an edge would fall on an
    element that is in use. ``used`` and ``begun`` have both kinds of places as bit sets, by the number of the chunk of
    ``size`` elements. Each of ``codes`` is the quotient and the remainder of a word code divided by ``size``.
    """
    occupied = begun.get(chunk, 0)
    for chunks, positions in codes:
        at = chunk + chunks
        occupied |= used.get(at, 0) >> positions | used.get(at + 1, 0) << (size - positions)
    return occupied
