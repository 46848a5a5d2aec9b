"""Regular expressions simplified where only the answer counts: groups, order and the extent of a match do not.

Loops of loops and neighbouring loops become one, branches that begin alike share their beginning, and what may be
left out at either end is. ``(a+)+$`` is ``a$``, ``a*a*b`` is ``b``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from operator import or_

from transpiler.regex.determinism import nullable
from transpiler.regex.syntax import EMPTY, Ahead, Choice, Group, Mode, Node, One, Repeat, Sequence


def simplify_test(node: Node) -> Node:
    """A simpler expression that matches in the same texts."""
    simpler = _simple(node)
    while True:
        shorter = _simple(_cut(_cut(simpler, 0), -1))
        if shorter == simpler:
            return simpler
        simpler = shorter


def _simple(node: Node) -> Node:
    match node:
        case Group(body=body):
            return _simple(body)
        case Ahead(body=body):
            return replace(node, body=_simple(body))
        case Sequence(parts=parts):
            return _sequence(map(_simple, parts))
        case Choice(branches=branches, offset=offset):
            return _choice(map(_simple, branches), offset)
        case Repeat(body=body):
            return _repeat(replace(node, body=_simple(body), mode=Mode.GREEDY))
        case _:
            return node


def _parts(node: Node) -> tuple[Node, ...]:
    return node.parts if isinstance(node, Sequence) else (node,)


def _sequence(parts: Iterable[Node]) -> Node:
    items: list[Node] = []
    for part in parts:
        for item in _parts(part):
            merged = (_merged(items[-1], item) or _turned(items[-1], item)) if items else None
            if merged is None:
                items.append(item)
            else:
                items[-1:] = merged
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _merged(left: Node, right: Node) -> list[Node] | None:
    """Two neighbours as fewer loops: of the same characters, or one of which can take the other's."""
    first, second = _loop(left), _loop(right)
    if first is None or second is None or not (isinstance(left, Repeat) or isinstance(right, Repeat)):
        return None
    if first.body == second.body:
        high = None if first.high is None or second.high is None else first.high + second.high
        return [_repeat(replace(first, low=first.low + second.low, high=high))]
    inner, outer = (first, second) if second.high is None else (second, first)
    if outer.high is None and inner.low != inner.high:
        assert isinstance(inner.body, One)
        assert isinstance(outer.body, One)
        if inner.body.characters <= outer.body.characters:
            fewer = _repeat(replace(inner, high=inner.low))
            kept = [] if fewer == EMPTY else [fewer]
            return [*kept, outer] if inner is first else [outer, *kept]
    if first.high is None and second.high is None and second.low != second.high:
        assert isinstance(first.body, One)
        assert isinstance(second.body, One)
        if second.body.characters <= first.body.characters:
            fewer = _repeat(replace(second, high=second.low))
            return [first] if fewer == EMPTY else [first, fewer]
    return None


def _turned(left: Node, right: Node) -> list[Node] | None:
    """``(XY)*X`` as ``X(YX)*``: there the next character says whether another round begins."""
    match left:
        case Repeat(body=Sequence(parts=(first, *others))) if first == right:
            return [right, replace(left, body=_sequence([*others, right]))]
        case _:
            return None


def _loop(node: Node) -> Repeat | None:
    """A repeat of one character; a character by itself is one round."""
    if isinstance(node, One):
        return Repeat(node, 1, 1)
    return node if isinstance(node, Repeat) and isinstance(node.body, One) else None


def _choice(branches: Iterable[Node], offset: int) -> Node:
    flat: list[Node] = []
    for branch in branches:
        flat += branch.branches if isinstance(branch, Choice) else (branch,)
    ones = [branch.characters for branch in flat if isinstance(branch, One)]
    if len(ones) > 1:
        flat = [branch for branch in flat if not isinstance(branch, One)] + [One(reduce(or_, ones))]
    # Branches that begin with the same part share it.
    shared: dict[Node, list[Node]] = {}
    for branch in dict.fromkeys(flat):
        head, rest = (branch.parts[0], branch.parts[1:]) if isinstance(branch, Sequence) and branch.parts else (
            branch, ())  # fmt: skip
        shared.setdefault(head, []).append(_sequence(rest))
    branches = [
        head if rests == [EMPTY] else _sequence([head, rests[0] if len(rests) == 1 else _choice(rests, offset)])
        for head, rests in shared.items()
    ]
    if len(branches) == 1:
        return branches[0]
    if EMPTY in branches:
        kept = [branch for branch in branches if branch != EMPTY]
        return _repeat(Repeat(kept[0] if len(kept) == 1 else Choice(tuple(kept), offset), 0, 1, offset=offset))
    # A branch that takes nothing is the last one of a choice that the next character decides.
    return Choice(tuple(sorted(branches, key=nullable)), offset)


def _repeat(node: Repeat) -> Node:
    body = node.body
    if body == EMPTY or node.high == 0:
        return EMPTY
    if node.high is None and nullable(body):
        body = _nonempty(body)
        node = replace(node, body=body, low=0 if not nullable(body) else node.low)
    match body:
        case Repeat(body=inner, low=low, high=high) if low <= 1 or (low == high and node.low == node.high):
            most = None if high is None or node.high is None else high * node.high
            return _repeat(replace(body, body=inner, low=low * node.low, high=most))
        case _:
            return body if node.low == node.high == 1 else node


def _nonempty(body: Node) -> Node:
    """The body of a loop without bound, which need not take the empty text."""
    match body:
        case Choice(branches=branches, offset=offset):
            return _choice([_nonempty(branch) for branch in branches if branch != EMPTY], offset)
        case Repeat(body=inner, low=0 | 1):
            return _nonempty(inner)
        case _:
            return body


def _cut(node: Node, end: int) -> Node:
    """Leave out what may be absent at an end of the match: the rest of it is a match, too."""
    match node:
        case Sequence(parts=parts) if parts:
            edge = _cut(parts[end], end)
            kept = [edge, *parts[1:]] if end == 0 else [*parts[:-1], edge]
            if edge == EMPTY:
                kept.remove(EMPTY)
                return _cut(_sequence(kept), end) if kept else EMPTY
            return _sequence(kept)
        case Choice(branches=branches, offset=offset):
            return _choice([_cut(branch, end) for branch in branches], offset)
        case Repeat(low=0):
            return EMPTY
        case Repeat(body=body, low=low):
            return _cut(body, end) if low == 1 else _repeat(replace(node, high=low))
        case _:
            return node
