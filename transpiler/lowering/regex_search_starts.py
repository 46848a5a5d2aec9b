"""Runs of characters in which a match can begin at few places, so that a search does not go over them again.

Java's search begins anew at each character. That takes the square of a text where a loop runs far and another match
may begin inside of what it took.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.regex.characters import ALL, NONE, CharacterSet
from transpiler.regex.determinism import FREE, start
from transpiler.regex.syntax import Ahead, Choice, Group, Mode, Node, One, Place, Repeat, Sequence


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of a sequence; anything else is its only part."""
    return node.parts if isinstance(node, Sequence) else (node,)


def leading(node: Node) -> CharacterSet:
    """The characters that an expression may begin with in any number; empty where there are none."""
    match node:
        case Sequence(parts=(first, *_)):
            return leading(first)
        case Group(body=body):
            return leading(body)
        case Repeat(body=One(characters=characters), high=None):
            return characters
        case _:
            return NONE


def before_wide(node: Node) -> tuple[tuple[Node, ...], tuple[Node, ...], CharacterSet]:
    """The parts before the first ``.*``, if they are characters that it takes, the others, and these characters."""
    parts = parts_of(node)
    for number, part in enumerate(parts):
        characters = leading(part)
        if characters and _one_loop(part):
            if _fits(parts[:number], characters):
                return parts[:number], parts[number:], characters
            break
    return (), parts, NONE


def overlaps(parts: tuple[Node, ...], guard: CharacterSet) -> bool:
    """Return True if matches may begin at many places inside of what one loop of an expression takes.

    ``guard`` are characters behind which no match begins.
    """
    needed = list(_needed(parts))
    after = FREE
    for part in reversed(parts):
        # A loop at the end takes no more than the match does.
        if not (after.free and _one_loop(part)):
            for loop in _loops(part):
                own = _characters(loop)
                if not (own <= guard or any(not own & one for one in needed)):
                    return True
        after = start(part, after)
    return False


def _one_loop(node: Node) -> bool:
    inner = node.body if isinstance(node, Group) else node
    return isinstance(inner, Repeat) and isinstance(inner.body, One)


def has_loop(node: Node) -> bool:
    """Return True if some repeat has no bound."""
    return any(True for _ in _loops(node))


def _needed(parts: tuple[Node, ...]) -> Iterator[CharacterSet]:
    """The sets of characters that every match begins with, up to the first choice or loop."""
    for part in parts:
        match part:
            case One(characters=characters):
                yield characters
            case Repeat(body=One(characters=characters), low=low, high=high):
                if low:
                    yield characters
                if low != high:
                    return
            case Group(body=body) | Repeat(body=body, low=1, high=1):
                yield from _needed(parts_of(body))
                if has_loop(body) or not isinstance(body, One):
                    return
            case Place():
                pass
            case _:
                return


def _loops(node: Node) -> Iterator[Node]:
    """The bodies of repeats without bound, the outermost ones; a look-ahead may look at anything."""
    match node:
        case Repeat(body=body, high=None):
            yield body
        case Sequence(parts=parts) | Choice(branches=parts):
            for part in parts:
                yield from _loops(part)
        case Repeat(body=body) | Group(body=body):
            yield from _loops(body)
        case Ahead(body=body) if any(True for _ in _loops(body)):
            yield One(ALL)
        case _:
            pass


def _characters(node: Node) -> CharacterSet:
    match node:
        case One(characters=characters):
            return characters
        case Sequence(parts=parts) | Choice(branches=parts):
            characters = NONE
            for part in parts:
                characters |= _characters(part)
            return characters
        case Repeat(body=body) | Group(body=body):
            return _characters(body)
        case _:
            return NONE


def commit(node: Node) -> tuple[Node, CharacterSet | None]:
    """Commit to the first occurrence of each part that stands before a ``.*``, which can take what lies between.

    The characters of the second item, if there is one, are what no match needs to begin behind: it could as well
    begin at the first of them.
    """
    parts = parts_of(node)
    loops = [number for number, part in enumerate(parts) if _is_wide(part)]
    if not loops:
        return node, None
    wide = parts[loops[0]]
    assert isinstance(wide, Repeat)
    assert isinstance(wide.body, One)
    characters = wide.body.characters
    head, guard = parts[: loops[0]], None
    if _fits(head, characters):
        head, guard = (_first(wide.body, 0, head),), characters
    place = loops[0]
    for following in loops[1:]:
        loop, between = parts[place], parts[place + 1 : following]
        other = parts[following]
        if not isinstance(loop, Repeat) or not isinstance(other, Repeat) or other.body != wide.body:
            break
        if not _fits(between, characters):
            break
        head = (*head, _first(wide.body, loop.low, between))
        place = following
    return Sequence((*head, *parts[place:])), guard


def _is_wide(node: Node) -> bool:
    return isinstance(node, Repeat) and isinstance(node.body, One) and node.high is None


def _first(characters: One, low: int, parts: tuple[Node, ...]) -> Node:
    """Some characters and then the parts, as early as they match, for good."""
    before = [Repeat(characters, low, low)] if low else []
    lazy = Repeat(characters, 0, None, Mode.LAZY)
    return Repeat(Sequence((*before, lazy, *parts)), 1, 1, Mode.POSSESSIVE)


def _fits(parts: tuple[Node, ...], characters: CharacterSet) -> bool:
    """Return True if the parts take a fixed number of the characters, and nothing else."""
    return bool(parts) and all(_length(part, characters) is not None for part in parts)


def _length(node: Node, characters: CharacterSet) -> int | None:
    match node:
        case One(characters=own):
            return 1 if own <= characters else None
        case Sequence(parts=parts):
            lengths = [_length(part, characters) for part in parts]
            return None if None in lengths else sum(length or 0 for length in lengths)
        case Choice(branches=branches):
            every = {_length(branch, characters) for branch in branches}
            return every.pop() if len(every) == 1 else None
        case Repeat(body=body, low=low, high=high):
            length = _length(body, characters)
            return None if length is None or low != high else length * low
        case _:
            return None
