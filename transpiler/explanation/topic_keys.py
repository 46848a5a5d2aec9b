"""Alignment of a routing key with the pattern of a topic binding, word by word, with the fewest edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from transpiler.explanation.wording import value_text
from transpiler.filters.topics import MANY_WORDS, ONE_WORD

#: Pairs of words that are compared; of longer patterns and keys only the beginnings are.
_MAX_PAIRS = 40_000


class Parting(NamedTuple):
    """The number of words to change, add or take out until a key matches a pattern, and the first of them in words."""

    edits: int
    first: str


def part_words(pattern: Sequence[str], key: Sequence[str]) -> Parting:
    """Return where the words of a key part from a pattern; no edits for a key that matches."""
    beyond = 0
    if len(pattern) * len(key) > _MAX_PAIRS:
        most = int(_MAX_PAIRS**0.5)
        beyond = abs(len(pattern) - len(key))
        pattern, key = pattern[:most], key[:most]
    costs = _costs(pattern, key)
    return Parting(costs[0][0] + beyond, _first_edit(pattern, key, costs))


def _costs(pattern: Sequence[str], key: Sequence[str]) -> list[list[int]]:
    """Return the edits that the rest of a pattern and the rest of a key need, by where the rests begin."""
    costs = [[0] * (len(key) + 1) for _ in range(len(pattern) + 1)]
    for at in range(len(key) - 1, -1, -1):
        costs[len(pattern)][at] = len(key) - at
    for place in range(len(pattern) - 1, -1, -1):
        word = pattern[place]
        here, after = costs[place], costs[place + 1]
        here[len(key)] = after[len(key)] + (word != MANY_WORDS)
        for at in range(len(key) - 1, -1, -1):
            if word == MANY_WORDS:
                here[at] = min(after[at], here[at + 1])
            else:
                differs = word not in (ONE_WORD, key[at])
                here[at] = min(after[at + 1] + differs, after[at] + 1, here[at + 1] + 1)
    return costs


def _first_edit(pattern: Sequence[str], key: Sequence[str], costs: list[list[int]]) -> str:
    place = at = 0
    while place < len(pattern) or at < len(key):
        cost = costs[place][at]
        if cost == 0:
            break
        if place < len(pattern) and pattern[place] == MANY_WORDS:
            if costs[place + 1][at] == cost:
                place += 1
            else:
                at += 1
            continue
        both = place < len(pattern) and at < len(key)
        differs = both and pattern[place] not in (ONE_WORD, key[at])
        if both and costs[place + 1][at + 1] + differs == cost:
            if differs:
                return f"word {at + 1} is {value_text(key[at])}, not {value_text(pattern[place])}"
            place, at = place + 1, at + 1
        elif place < len(pattern) and costs[place + 1][at] + 1 == cost:
            lacking = "another word" if pattern[place] == ONE_WORD else value_text(pattern[place])
            where = f"behind word {at}" if at else "at its beginning"
            return f"{lacking} is lacking {where}"
        else:
            return f"word {at + 1}, {value_text(key[at])}, is one too many"
    return ""
