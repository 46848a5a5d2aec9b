"""Regular expressions matched in a time that grows with the text, whatever the expression is.

All paths through an expression are followed at once, one character after the other: as a set of states where only the
answer counts, and as an ordered list of them where the match counts, of which the first is the one that a
backtracking matcher finds (Thompson 1968, Pike). Work has a bound, beyond which it raises ``SearchLimitError``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from transpiler.regex.characters import WORDS, CharacterSet
from transpiler.regex.determinism import check_possessive, nullable
from transpiler.regex.replacement import Replacement, parse_replacement
from transpiler.regex.syntax import (
    Ahead,
    At,
    Choice,
    Flavor,
    Group,
    Mode,
    Node,
    One,
    Place,
    RegexError,
    Repeat,
    Sequence,
    group_count,
    line_ends,
    parse_regular,
)

#: States of one expression, with its counted repeats written out.
MAX_STATES = 5_000

#: Steps from state to state in one call, and those that each character of a long text adds.
MAX_STEPS, STEPS_A_CHARACTER = 700_000, 10

#: States in the sets that an expression remembers between characters and calls.
MAX_KEPT = 200_000


class SearchLimitError(ValueError):
    """Matching would take too long."""


class Found(NamedTuple):
    """A match: the places where it and its groups begin and end, -1 for a group that took no part."""

    places: tuple[int, ...]

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self.places[0]

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.places[1]


class Regular:
    """A compiled expression; raises ``RegexError`` if it is not supported."""

    def __init__(self, text: str, flavor: Flavor = Flavor.JAVA) -> None:
        node = parse_regular(text, flavor)
        check_possessive(node)
        if state_count(node) > MAX_STATES:
            raise RegexError(f"the regular expression has more than {MAX_STATES:,} states", 0)
        self.groups = group_count(node)
        self._program = _Program(node, flavor)

    def search(self, text: str) -> bool:
        """Return True if the expression matches somewhere in the text."""
        return self._program.matches(text, 0, False, _Budget(text))

    def find_all(self, text: str) -> Iterator[Found]:
        """Yield the matches from left to right, as successive calls of Java's ``find``."""
        at, budget = 0, _Budget(text)
        while at <= len(text):
            match = self._program.find(text, at, 2 * self.groups + 2, budget)
            if match is None:
                return
            yield match
            # Behind an empty match the search goes on one character further.
            at = match.end + (match.start == match.end)

    def split(self, text: str) -> tuple[str, ...]:
        """Split as Java's ``String.split``: no empty texts at the end, nor before an empty match at the beginning."""
        parts, at = [], 0
        for match in self.find_all(text):
            if match.end > 0:
                parts.append(text[at : match.start])
                at = match.end
        if not at:
            return (text,)
        parts.append(text[at:])
        while parts and not parts[-1]:
            parts.pop()
        return tuple(parts)

    def replace(self, text: str, replacement: str) -> str:
        """Replace as Java's ``replaceAll``; raise ``RegexError`` for a malformed replacement if there is a match."""
        parts: Replacement | None = None
        written, at = [], 0
        for match in self.find_all(text):
            if parts is None:
                parts = parse_replacement(replacement, self.groups)
            written.append(text[at : match.start])
            for part in parts:
                if isinstance(part, str):
                    written.append(part)
                elif match.places[2 * part] >= 0:
                    written.append(text[match.places[2 * part] : match.places[2 * part + 1]])
            at = match.end
        return "".join(written) + text[at:]


@lru_cache(64)
def compile_regular(text: str, flavor: Flavor = Flavor.JAVA) -> Regular:
    """Compile an expression, with a cache."""
    return Regular(text, flavor)


def state_count(node: Node) -> int:
    """Count the states of a node without building them."""
    match node:
        case Sequence(parts=parts) | Choice(branches=parts):
            return sum(map(state_count, parts)) + (len(parts) if isinstance(node, Choice) else 1)
        case Repeat(body=body, low=low, high=high):
            return (state_count(body) + 3) * max(low + (high is None), high or 0, 1)
        case Group(body=body) | Ahead(body=body):
            return state_count(body) + 2
        case _:
            return 1


class _Budget:
    def __init__(self, text: str) -> None:
        self.most = self.left = MAX_STEPS + STEPS_A_CHARACTER * len(text)

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise SearchLimitError(f"the search takes more than {self.most:,} steps")


#: Instructions. A fork goes on at its first target rather than at its second.
class _Take(NamedTuple):
    characters: CharacterSet
    next: int


class _Fork(NamedTuple):
    first: int
    second: int


class _Round(NamedTuple):
    """The begin of a round that may consume nothing, which ``end`` finishes."""

    end: int
    next: int


class _End(NamedTuple):
    """The end of such a round; if it consumed nothing, the repeat is over, however many rounds there must be."""

    next: int
    out: int


class _Save(NamedTuple):
    slot: int
    next: int


class _Test(NamedTuple):
    number: int
    next: int


class _Match(NamedTuple):
    pass


_Instruction = _Take | _Fork | _Round | _End | _Save | _Test | _Match
_Slots = tuple[int, ...]
#: A state, and the rounds around it that have consumed nothing so far, by their ends.
_Point = tuple[int, frozenset[int]]
_NO_ROUNDS: frozenset[int] = frozenset()


class _Moves(dict[tuple[frozenset[int], int, int], tuple[frozenset[int] | None]]):
    """Sets of states after a class of characters and before some tests; None is a match. ``size`` is a measure."""

    size = 0


class _Program:
    """A nondeterministic automaton, built from the end of the expression to its beginning."""

    def __init__(self, node: Node, flavor: Flavor) -> None:
        self.flavor = flavor
        self.code: list[_Instruction] = [_Match()]
        self.tests: list[At | tuple[_Program, bool]] = []
        self.begin = self._add(node, 0)
        edges = {edge for one in self.code if isinstance(one, _Take) for edge in _edges(one.characters)}
        self._edges = sorted(edges)
        self._classes: dict[str, int] = {}
        #: Cached moves, which threads share with the expression; a full cache is replaced as a whole.
        self._moves = [_Moves(), _Moves()]

    def _emit(self, instruction: _Instruction) -> int:
        self.code.append(instruction)
        return len(self.code) - 1

    def _add(self, node: Node, out: int) -> int:
        """Add the states of a node that goes on at ``out``; return the one at which it begins."""
        match node:
            case One(characters=characters):
                return self._emit(_Take(characters, out))
            case Place(at=at):
                return self._emit(_Test(self._test(at), out))
            case Ahead(body=body, negated=negated):
                return self._emit(_Test(self._test((_Program(body, self.flavor), negated)), out))
            case Sequence(parts=parts):
                for part in reversed(parts):
                    out = self._add(part, out)
                return out
            case Choice(branches=branches):
                *others, entry = (self._add(branch, out) for branch in branches)
                for other in reversed(others):
                    entry = self._emit(_Fork(other, entry))
                return entry
            case Group(body=body, number=number):
                end = self._emit(_Save(2 * number + 1, out))
                return self._emit(_Save(2 * number, self._add(body, end)))
            case Repeat():
                return self._repeat(node, out)

    def _test(self, test: At | tuple[_Program, bool]) -> int:
        if isinstance(test, At) and test in self.tests:
            return self.tests.index(test)
        self.tests.append(test)
        return len(self.tests) - 1

    def _repeat(self, node: Repeat, out: int) -> int:
        may_be_empty = nullable(node.body)

        def fork(inner: int) -> _Fork:
            return _Fork(out, inner) if node.mode is Mode.LAZY else _Fork(inner, out)

        def one_round(following: int) -> int:
            if following == out or not may_be_empty:
                return self._add(node.body, following)
            end = self._emit(_End(following, out))
            return self._emit(_Round(end, self._add(node.body, end)))

        entry = out
        if node.high is None:
            entry = self._emit(_Fork(0, 0))
            self.code[entry] = fork(one_round(entry))
        else:
            for _ in range(node.high - node.low):
                entry = self._emit(fork(one_round(entry)))
        for _ in range(node.low):
            entry = one_round(entry)
        return entry

    def matches(self, text: str, at: int, anchored: bool, budget: _Budget) -> bool:
        """Return True if there is a match at a place, or from there on."""
        places = _Places(self, text, budget)
        moves = self._moves[anchored]
        states = self._closure([self.begin], places.mask(at), budget)
        for place in range(at, len(text)):
            if states is None or (anchored and not states):
                break
            if anchored:
                # A look-ahead goes over the text from each of its places.
                budget.spend(1)
            key = states, self._class(text[place]), places.mask(place + 1)
            move = moves.get(key)
            if move is None:
                if moves.size > MAX_KEPT:
                    moves = _Moves()
                    self._moves[anchored] = moves
                code = ord(text[place])
                reached = [one.next for one in map(self.code.__getitem__, states) if _takes(one, code)]
                following = self._closure(reached if anchored else [*reached, self.begin], key[2], budget)
                moves.size += 10 + len(following or ())
                move = moves[key] = (following,)
            states = move[0]
        return states is None

    def _class(self, character: str) -> int:
        number = self._classes.get(character)
        if number is None:
            number = self._classes[character] = bisect_right(self._edges, ord(character))
        return number

    def _closure(self, begin: list[int], mask: int, budget: _Budget) -> frozenset[int] | None:
        """Return the closure of some states, only those that consume a character; None if it contains the match."""
        todo, seen, consuming = begin, set(), set()
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            match self.code[state]:
                case _Take():
                    consuming.add(state)
                case _Match():
                    return None
                case _Fork(first=first, second=second):
                    todo += (first, second)
                case _End(next=following, out=out):
                    todo += (following, out)
                case _Save(next=following) | _Round(next=following):
                    todo.append(following)
                case _Test(number=number, next=following):
                    if mask >> number & 1:
                        todo.append(following)
        budget.spend(len(seen) + 1)
        return frozenset(consuming)

    def find(self, text: str, at: int, slots: int, budget: _Budget) -> Found | None:
        """Return the leftmost match from a place on, by the preference order of a backtracking matcher."""
        places = _Places(self, text, budget)
        best: _Slots | None = None
        threads: list[tuple[int, _Slots]] = []
        fresh = (-1,) * slots
        for place in range(at, len(text) + 1):
            starting = [] if best else [(self.begin, (place, *fresh[1:]))]
            ready: list[tuple[int, _Slots]] = []
            seen: set[_Point] = set()
            for state, taken in (*threads, *starting):
                done = self._follow(state, taken, place, places.mask(place), seen, ready)
                if done is not None:
                    # Ways of lower rank than a match are given up.
                    best = done
                    break
            budget.spend(len(seen) + 1)
            if place == len(text) or (best and not ready):
                break
            code = ord(text[place])
            threads = [
                (one.next, taken)
                for one, taken in ((self.code[state], taken) for state, taken in ready)
                if _takes(one, code)
            ]
        return None if best is None else Found(best)

    def _follow(
        self, state: int, slots: _Slots, place: int, mask: int, seen: set[_Point], ready: list[tuple[int, _Slots]]
    ) -> _Slots | None:
        """Add the states that a thread reaches without a character, in order of preference, up to a match.

        Ways that come to a state in rounds that have consumed something, and in rounds that have not, go on apart.
        """
        todo = [(state, slots, _NO_ROUNDS)]
        while todo:
            state, slots, empty = todo.pop()
            instruction = self.code[state]
            if isinstance(instruction, _Take):
                # Behind the character each round has consumed something.
                empty = _NO_ROUNDS
            if (state, empty) in seen:
                continue
            seen.add((state, empty))
            match instruction:
                case _Take():
                    ready.append((state, slots))
                case _Match():
                    return (slots[0], place, *slots[2:])
                case _Fork(first=first, second=second):
                    todo += ((second, slots, empty), (first, slots, empty))
                case _Round(end=end, next=following):
                    todo.append((following, slots, empty | {end}))
                case _End(next=following, out=out):
                    todo.append((out, slots, empty - {state}) if state in empty else (following, slots, empty))
                case _Save(slot=slot, next=following):
                    if slot < len(slots):
                        slots = (*slots[:slot], place, *slots[slot + 1 :])
                    todo.append((following, slots, empty))
                case _Test(number=number, next=following):
                    if mask >> number & 1:
                        todo.append((following, slots, empty))
        return None


def _takes(instruction: _Instruction, code: int) -> TypeGuard[_Take]:
    return isinstance(instruction, _Take) and code in instruction.characters


def _edges(characters: CharacterSet) -> Iterator[int]:
    for low, high in characters.ranges:
        yield low
        yield high + 1


class _Places:
    """The assertions that hold at each place of a text, as a bit mask, computed on demand."""

    def __init__(self, program: _Program, text: str, budget: _Budget) -> None:
        self._text, self._budget, self._program = text, budget, program
        self._everywhere = any(test in (At.WORD_EDGE, At.NO_WORD_EDGE) or not isinstance(test, At)
                               for test in program.tests)  # fmt: skip
        self._known: dict[int, int] = {}

    def mask(self, place: int) -> int:
        tests = self._program.tests
        if not tests or (0 < place < len(self._text) - 2 and not self._everywhere):
            return 0
        if place not in self._known:
            self._known[place] = sum(self._holds(test, place) << number for number, test in enumerate(tests))
        return self._known[place]

    def _holds(self, test: At | tuple[_Program, bool], place: int) -> bool:
        text = self._text
        match test:
            case At.BEGIN:
                return place == 0
            case At.VERY_END:
                return place == len(text)
            case At.END:
                return place == len(text) or self._before_end(place)
            case At.WORD_EDGE | At.NO_WORD_EDGE:
                before = place > 0 and ord(text[place - 1]) in WORDS
                behind = place < len(text) and ord(text[place]) in WORDS
                return (before != behind) == (test is At.WORD_EDGE)
            case (program, negated):
                return program.matches(text, place, True, self._budget) != negated
        raise AssertionError(test)

    def _before_end(self, place: int) -> bool:
        """Return True before the last line end: CR LF is one, and nothing stands inside of it."""
        text, ends = self._text, line_ends(self._program.flavor)
        if self._program.flavor is Flavor.JAVA and text.endswith("\r\n"):
            return place == len(text) - 2
        return place == len(text) - 1 and ord(text[place]) in ends
