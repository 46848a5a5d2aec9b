"""The cost of a regular expression in a backtracking matcher, and the repeats that need no backtracking.

A node is *determined* before a continuation if the path that the matcher tries first is the only path that can lead to
a match. This holds if the continuation cannot fail, or if the next character decides: the branches of a choice begin
with different characters and only the last branch may match the empty text, and another round of a repeat begins with
other characters than what follows the repeat. A determined repeat means the same when it is possessive. For all other
nodes the cost is counted: each unbounded repeat multiplies it by the text's length, any other node by its number of
ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from transpiler.base.regex.syntax import (
    ALL,
    LINE_ENDS,
    NONE,
    Ahead,
    Anchor,
    At,
    CharacterSet,
    Choice,
    Group,
    Node,
    One,
    RegexError,
    Repeat,
    Sequence,
)

#: ``MAX_POWER`` limits the exponent n of the time of a search, O(length ** n). ``MAX_WAYS`` limits the number of ways
#: in which choices and bounded repeats can match at one position of the text.
MAX_POWER, MAX_WAYS = 2, 100

#: Maximum number of rounds of a repeated group into which the matcher can backtrack. Java matches these rounds by
#: recursion, so more rounds could overflow its stack.
MAX_GROUP_ROUNDS = 9

TOO_MANY = "the repetitions can divide a text in too many ways, and a matcher would try all of them"


@dataclass(frozen=True, slots=True)
class Follow:
    """The continuation after a node of a regular expression: the set of characters with which the rest can begin.

    ``free`` is True if the rest matches whatever the next character is.
    """

    characters: CharacterSet
    free: bool = False


#: The continuation after the end of the expression, where the match is complete whatever the next character is.
FREE = Follow(NONE, free=True)


def nullable(node: Node) -> bool:
    """Return True if ``node`` can match the empty text."""
    match node:
        case One():
            return False
        case Anchor() | Ahead():
            return True
        case Sequence(parts=parts):
            return all(map(nullable, parts))
        case Choice(branches=branches):
            return any(map(nullable, branches))
        case Repeat(body=body, low=low):
            return low == 0 or nullable(body)
        case Group(body=body):
            return nullable(body)


def optional_groups(node: Node, inside_one: bool = False) -> set[int]:
    """Return the numbers of the capturing groups in ``node`` that a match may not enter, or may enter several times.

    These are the groups inside a choice, repeat or look-ahead. ``inside_one`` is True if ``node`` itself is inside one.
    """
    match node:
        case Group(body=body, number=number):
            return optional_groups(body, inside_one) | ({number} if inside_one else set())
        case Sequence(parts=parts):
            return set().union(*(optional_groups(part, inside_one) for part in parts))
        case Choice(branches=branches):
            return set().union(*(optional_groups(branch, True) for branch in branches))
        case Repeat(body=body) | Ahead(body=body):
            return optional_groups(body, True)
        case _:
            return set()


def start(node: Node, after: Follow) -> Follow:
    """Return the continuation that begins with ``node``, if ``after`` is the continuation after ``node``."""
    match node:
        case One(characters=characters):
            return Follow(characters)
        case Anchor(at=At.VERY_END):
            return Follow(NONE)
        case Anchor(at=At.END):
            return Follow(LINE_ENDS if after.free else after.characters & LINE_ENDS)
        case Anchor() | Ahead():
            return Follow(ALL if after.free else after.characters)
        case Sequence(parts=parts):
            for part in reversed(parts):
                after = start(part, after)
            return after
        case Choice(branches=branches):
            return _union(*(start(branch, after) for branch in branches))
        case Repeat(body=body, low=low):
            first = start(body, after)
            return _union(first, after) if low == 0 else first
        case Group(body=body):
            return start(body, after)


def _union(*follows: Follow) -> Follow:
    characters = NONE
    for follow in follows:
        characters |= follow.characters
    return Follow(characters, any(follow.free for follow in follows))


def _inside(node: Repeat, after: Follow) -> Follow:
    """Return the continuation after one round of the repeat ``node``: either another round or ``after`` follows."""
    if node.high == 1:
        return after
    again = start(node.body, after).characters
    return Follow(again | after.characters, after.free and node.low <= 1)


def _apart(branches: tuple[Node, ...], after: Follow) -> bool:
    """Return True if no two of ``branches`` can begin with the same character, so that the next character decides."""
    starts = [start(branch, after).characters for branch in branches]
    return not any(left & right for left, right in combinations(starts, 2))


def _ends_by_itself(node: Repeat, after: Follow) -> bool:
    """Return True if the next character decides whether the repeat ``node`` continues or ends, without backtracking."""
    if node.low == node.high:
        return True
    return not nullable(node.body) and not start(node.body, after).characters & after.characters


def determined(node: Node, after: Follow) -> bool:
    """Return True if the matcher never needs to backtrack into ``node`` when the rest, ``after``, does not match."""
    # At the end of the expression nothing can fail, so the first match is accepted. Examine a repeat with a minimum of
    # several rounds all the same: if it became possessive, it could not give back characters that a later round needs.
    if after.free and not (isinstance(node, Repeat) and node.low > 1):
        return True
    match node:
        case One() | Anchor() | Ahead():
            return True
        case Sequence(parts=parts):
            for part in reversed(parts):
                if not determined(part, after):
                    return False
                after = start(part, after)
            return True
        case Choice(branches=branches):
            # A branch that matches the empty text always matches, so the branches after it are never tried. The choice
            # is determined only if that branch is the last.
            last = not any(map(nullable, branches[:-1]))
            return last and _apart(branches, after) and all(determined(branch, after) for branch in branches)
        case Repeat(body=body):
            return _ends_by_itself(node, after) and determined(body, _inside(node, after))
        case Group(body=body):
            return determined(body, after)


class Measure:
    """The cost of a search with a regular expression, which backtracks: ``power`` n means time O(length ** n).

    ``possessive`` contains the quantifiers that can be possessive without changing a match. The constructor raises
    ``RegexError`` if a search can take too long. The error points to the last examined repeat or choice that can match
    in several ways; nodes are examined from right to left.
    """

    def __init__(self, node: Node) -> None:
        #: For each quantifier that can be possessive, the offset after the quantifier.
        self.possessive: set[int] = set()
        self.power = 0
        self._tried = 0
        for branch in node.branches if isinstance(node, Choice) else (node,):
            #: ``_tries`` counts the unbounded repeats into which the matcher can backtrack. ``_runs`` counts the
            #: unbounded repeats without backtracking after which the match can still fail; a new search then repeats
            #: their work.
            self._tries = self._runs = 0
            ways = self._ways(branch, FREE)
            parts = branch.parts if isinstance(branch, Sequence) else (branch,)
            # A search tries each position of the text, which is one factor of its length, unless the expression begins
            # with ``^``.
            power = (parts[:1] != (Anchor(At.BEGIN),)) + self._tries + min(self._runs, 1)
            if power > MAX_POWER or ways > MAX_WAYS:
                raise RegexError(TOO_MANY, self._tried)
            self.power = max(self.power, power)

    def _ways(self, node: Node, after: Follow) -> int:
        """Return in how many ways ``node`` can match at one position of a text; an unbounded repeat counts as one."""
        match node:
            case One() | Anchor():
                return 1
            case Ahead(body=body):
                # After the look-ahead has matched, the rest of the expression can still fail. So its body must not be
                # treated as the end of the expression, where the first match is accepted.
                return self._ways(body, Follow(ALL))
            case Sequence(parts=parts):
                ways = 1
                for part in reversed(parts):
                    ways *= self._ways(part, after)
                    after = start(part, after)
                return ways
            case Group(body=body):
                return self._ways(body, after)
            case Choice(branches=branches):
                each = [self._ways(branch, after) for branch in branches]
                if determined(node, after):
                    return max(each)
                self._tried = node.offset
                return sum(each)
            case Repeat():
                return self._repeat(node, after)

    def _repeat(self, node: Repeat, after: Follow) -> int:
        choices = 1 if node.high is None else node.high - node.low + 1
        if determined(node, after):
            self.possessive.add(node.end)
            self._runs += node.high is None and not after.free
            choices = 1
        else:
            self._tried = node.offset
            if isinstance(node.body, One):
                self._tries += node.high is None
            elif node.high is None or node.high > MAX_GROUP_ROUNDS:
                raise RegexError(TOO_MANY, node.offset)
        tries = self._tries
        ways = self._ways(node.body, _inside(node, after))
        if self._tries > tries and node.high != 1:
            raise RegexError(TOO_MANY, node.offset)
        if ways > 1 and (node.high is None or node.high > MAX_GROUP_ROUNDS):
            raise RegexError(TOO_MANY, node.offset)
        return choices * int(ways ** (node.high or 1))
