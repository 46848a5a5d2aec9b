"""Decisions of a regular expression that the next character makes: there a matcher need not try the alternatives.

A node is *determined* before a continuation when the path that it tries first is the only one that can lead to a
match: its branches, of which only the last one may match nothing, and another round and the end of a repeat, begin with
different characters, or the continuation cannot fail. Then the node may be atomic, and a possessive repeat means what a
greedy one means. Java takes each round of a possessive repeat for good, and not only all of them together: so where
rounds must be, a round that could be another one may leave too little to the next, whatever follows the repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from transpiler.regex.characters import ALL, LINE_ENDS, NONE, CharacterSet, of
from transpiler.regex.syntax import Ahead, At, Choice, Group, Mode, Node, One, Place, RegexError, Repeat, Sequence


@dataclass(frozen=True, slots=True)
class Follow:
    """The continuation at a point: the characters that it may begin with, and whether it always matches.

    ``closing`` if it is ``$`` and nothing else.
    """

    characters: CharacterSet
    free: bool = False
    closing: bool = False


#: Nothing follows: whatever the next character is, the match is complete.
FREE = Follow(NONE, free=True)


def nullable(node: Node) -> bool:
    """Return True if the node may match without a character."""
    match node:
        case One():
            return False
        case Place() | Ahead():
            return True
        case Sequence(parts=parts):
            return all(map(nullable, parts))
        case Choice(branches=branches):
            return any(map(nullable, branches))
        case Repeat(body=body, low=low):
            return low == 0 or nullable(body)
        case Group(body=body):
            return nullable(body)


def start(node: Node, after: Follow) -> Follow:
    """Return the continuation that begins with the node."""
    match node:
        case One(characters=characters):
            return Follow(characters)
        case Place(at=At.VERY_END):
            return Follow(NONE)
        case Place(at=At.END) if after.free:
            return Follow(LINE_ENDS, closing=True)
        case Place(at=At.END):
            return Follow(after.characters & LINE_ENDS)
        case Place() | Ahead():
            return Follow(ALL if after.free else after.characters)
        case Sequence(parts=parts):
            for part in reversed(parts):
                after = start(part, after)
            return after
        case Choice(branches=branches):
            return union(*(start(branch, after) for branch in branches))
        case Repeat(body=body, low=low):
            first = start(body, after)
            return union(first, after) if low == 0 else first
        case Group(body=body):
            return start(body, after)


def union(*follows: Follow) -> Follow:
    """Return the union of several continuations."""
    if len(follows) == 1:
        return follows[0]
    characters = NONE
    for follow in follows:
        characters |= follow.characters
    return Follow(characters, any(follow.free for follow in follows))


def inside(node: Repeat, after: Follow) -> Follow:
    """Return the continuation of a round: another one, or what follows the repeat."""
    if node.high == 1:
        return after
    again = start(node.body, after).characters
    return Follow(again | after.characters, after.free and node.low <= 1)


def apart(branches: tuple[Node, ...], after: Follow) -> bool:
    """Return True if the next character determines the branch."""
    starts = [start(branch, after).characters for branch in branches]
    return not any(left & right for left, right in combinations(starts, 2))


def ends_by_itself(node: Repeat, after: Follow) -> bool:
    """Return True if the next character determines whether the repeat goes on."""
    if node.low == node.high:
        return True
    if nullable(node.body):
        return False
    if after.closing and node.high is None and node.mode is not Mode.LAZY and isinstance(node.body, One):
        # All the line ends before $ may be taken, for it stands behind them too, but not between CR and LF.
        characters = node.body.characters
        return characters & of("\r\n") != of("\r")
    return not start(node.body, after).characters & after.characters


def determined(node: Node, after: Follow) -> bool:
    """Return True if the first path through the node is the only one that can lead to a match."""
    if after.free and not (isinstance(node, Repeat) and (node.mode is Mode.LAZY or node.low > 1)):
        return True
    match node:
        case One() | Place() | Ahead():
            return True
        case Sequence(parts=parts):
            for part in reversed(parts):
                if not determined(part, after):
                    return False
                after = start(part, after)
            return True
        case Choice(branches=branches):
            # A branch that takes nothing is taken whatever the next character is, and the branches behind it never are.
            last = not any(map(nullable, branches[:-1]))
            return last and apart(branches, after) and all(determined(branch, after) for branch in branches)
        case Repeat(body=body):
            return ends_by_itself(node, after) and determined(body, inside(node, after))
        case Group(body=body):
            return determined(body, after)


def check_possessive(node: Node, after: Follow = FREE) -> None:
    """Raise ``RegexError`` at a possessive repeat or atomic group that is not determined."""
    match node:
        case Sequence(parts=parts):
            for part in reversed(parts):
                check_possessive(part, after)
                after = start(part, after)
        case Choice(branches=branches):
            for branch in branches:
                check_possessive(branch, after)
        case Repeat(body=body, mode=mode):
            check_possessive(body, FREE if mode is Mode.POSSESSIVE else inside(node, after))
            if mode is Mode.POSSESSIVE and not determined(node, after):
                message = (
                    "what follows, or the next round, may begin like what this repeat takes for good: "
                    "write it without ?> or +"
                )
                raise RegexError(message, node.offset)
        case Group(body=body):
            check_possessive(body, after)
        case Ahead(body=body):
            check_possessive(body)
        case _:
            pass
