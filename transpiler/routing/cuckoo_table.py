"""The codes of words in two rows of slots, for engines that hash no constant map's keys: a look-up without a loop."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from transpiler.routing import tuning

#: What the second slot of a word is made of: its hash times ``SPREAD``, which a BIGINT holds, without the last bits.
SPREAD, SHIFT = 73_244_475, 16


@dataclass(frozen=True, slots=True)
class CuckooTable:
    """The codes of words in two rows of ``mask + 1`` slots, each word where one of its two hashes puts it."""

    mask: int
    words: list[str | None]
    codes: list[int]
    #: Words for which there was no slot: two others have the same hash.
    more: dict[str, int]


def build_cuckoo_table(words: Sequence[str]) -> CuckooTable:
    """Slots for words, whose codes are their places counted from 1: see ``word_slots``."""
    codes = {word: place for place, word in enumerate(words, 1)}
    more = _overfull_words(codes)
    row = 1 << max(tuning.MIN_ROW_BITS, (len(codes) * tuning.ROW_SLOTS // tuning.ROW_WORDS).bit_length())
    while True:
        slots: list[str | None] = [None] * (2 * row)
        if all(_put(word, slots, row - 1) for word in codes if word not in more):
            return CuckooTable(row - 1, slots, [0 if word is None else codes[word] for word in slots], more)
        row *= 2


def word_slots(word: str, mask: int) -> tuple[int, int]:
    """The two slots that a word can be in."""
    code = word_hash(word)
    return code & mask, mask + 1 + (code * SPREAD >> SHIFT & mask)


def _put(word: str, slots: list[str | None], mask: int) -> bool:
    """Put a word into a free slot, moving others to their other slots: cuckoo hashing."""
    at = word_slots(word, mask)[0]
    for _ in range(tuning.MAX_MOVES):
        other = slots[at]
        slots[at] = word
        if other is None:
            return True
        word = other
        first, second = word_slots(word, mask)
        at = second if at == first else first
    return False


def word_hash(word: str) -> int:
    """The hash of a word: the CRC-32 of its bytes, which every engine has."""
    return zlib.crc32(word.encode())


def _overfull_words(codes: dict[str, int]) -> dict[str, int]:
    """The words whose hash two other words have."""
    seen: Counter[int] = Counter()
    crowded = {}
    for word, code in codes.items():
        hashed = word_hash(word)
        seen[hashed] += 1
        if seen[hashed] > 2:
            crowded[word] = code
    return crowded
