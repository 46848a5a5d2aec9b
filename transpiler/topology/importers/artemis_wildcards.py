"""Wildcard addresses of Artemis as binding keys, with what the broker does where any-words do not come last.

The broker keeps addresses in a tree of words and never looks at a pattern as a whole. Two walks through it decide:
a wildcard address that comes to addresses that are there, and an address that comes to wildcards that are there
(``AddressPartNode``: ``visitNonWildcard`` and ``visitMatchingWildcards``). With any-words at the end both mean zero or
more words. Elsewhere they part, so that the answer depends on which address was made first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from transpiler.filters.topics import MANY_WORDS, ONE_WORD

Words = tuple[str, ...]

_WILDCARDS = (MANY_WORDS, ONE_WORD)


def is_plain(words: Sequence[str]) -> bool:
    """Return True if a pattern means the same in every order: any-words stand at its end only."""
    return MANY_WORDS not in words[:-1]


def is_wild(words: Iterable[str]) -> bool:
    """Return True if a word is a wildcard."""
    return any(word in _WILDCARDS for word in words)


def matches_later(pattern: Words, address: Words) -> bool:
    """Return True if an address that is made after a wildcard address gets its queues."""
    if not address:
        return pattern in ((), (MANY_WORDS,))
    if not pattern:
        return False
    first, rest = pattern[0], pattern[1:]
    if first == MANY_WORDS:
        return not rest or _tail_matches_later(rest, address)
    return first in (ONE_WORD, address[0]) and matches_later(rest, address[1:])


def _tail_matches_later(pattern: Words, address: Words) -> bool:
    """Match what stands behind any-words: a word of it that the address has not at all is passed over."""
    while pattern:
        found = [number for number, word in enumerate(address) if word == pattern[0]]
        if found:
            return any(matches_later(pattern[1:], address[number + 1 :]) for number in found)
        pattern = pattern[1:]
    return False


def matched_earlier(pattern: Words, addresses: Iterable[Words]) -> set[Words]:
    """Return those of some addresses, all made before a wildcard address, that get its queues."""
    tree = _Tree()
    for address in addresses:
        tree.add(address)
    return set(_walk(tree, pattern))


class _Tree:
    def __init__(self, path: Words = ()) -> None:
        self.path = path
        self.is_address = False
        self.children: dict[str, _Tree] = {}

    def add(self, address: Words) -> None:
        node = self
        for word in address:
            node = node.children.setdefault(word, _Tree((*node.path, word)))
        node.is_address = True

    def own(self) -> Iterator[Words]:
        if self.is_address:
            yield self.path

    def all(self) -> Iterator[Words]:
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield from node.own()
            waiting += node.children.values()


def _walk(node: _Tree, pattern: Words) -> Iterator[Words]:
    if not pattern:
        yield from node.own()
        return
    first, rest = pattern[0], pattern[1:]
    if first == MANY_WORDS and not rest:
        yield from node.all()
    elif first == MANY_WORDS:
        yield from node.own()
        yield from _walk_tail(node, rest)
    elif first == ONE_WORD:
        for child in node.children.values():
            yield from _walk(child, rest)
    elif first in node.children:
        yield from _walk(node.children[first], rest)


def _walk_tail(node: _Tree, pattern: Words) -> Iterator[Words]:
    """Look for the first word of the pattern that the node has a child for, and below its other children for any."""
    match: _Tree | None = None
    for number, word in enumerate(pattern):
        if word not in _WILDCARDS and word in node.children:
            match = node.children[word]
            yield from _walk(match, pattern[number + 1 :])
            break
    for child in node.children.values():
        if child is not match:
            yield from _walk_tail(child, pattern)
