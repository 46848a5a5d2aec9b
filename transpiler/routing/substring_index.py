"""Index of constant rows by the texts that a message's value must contain, such as the texts in LIKE patterns.

A value contains a text only if it contains the first characters of that text, the *gram*. All substrings of a message's
value with the length of a gram are extracted, once for all tables, and each of them is looked up in a hash table of the
rows. Substrings that do not begin like a gram are skipped: if the texts name elements of a list, such as ``,12003``,
only one substring remains for each element. The whole residual predicate is evaluated again for the rows found, so
neither short grams nor equal hashes affect the result.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from transpiler.compiler import ir
from transpiler.compiler.ir.java_regex import escape_text
from transpiler.routing import tuning
from transpiler.routing.signatures import Parameter, Signature, Substring, contained_text


@dataclass(frozen=True, slots=True)
class Grams:
    """The lengths of grams, and for each length a Java regular expression that finds the possible grams in a value.

    All grams of one length share their first ``known`` characters. The expression captures the characters of a gram
    after these first characters.
    """

    lengths: tuple[int, ...]
    expressions: tuple[str, ...]
    known: tuple[int, ...]

    def gram(self, text: str) -> str:
        """Return the gram of ``text``: its longest prefix whose length is in ``lengths``."""
        return text[: max(length for length in self.lengths if length <= len(text))]

    def hash(self, text: str) -> int:
        """Return the hash by which the index finds the required substring ``text``.

        It is the CRC-32 of the gram of ``text`` in UTF-8, without the common prefix of all grams of this length.
        """
        gram = self.gram(text)
        return zlib.crc32(gram[self.known[self.lengths.index(len(gram))] :].encode())


@dataclass(frozen=True, slots=True)
class HashIndex:
    """A hash table of rows of a constant table: ``nodes[hash & mask]`` lists the rows whose hash ends with these bits.

    The rows form one group: they have the same exchange and key. ``nodes`` contains their indexes in the group.
    """

    mask: int
    nodes: list[list[int]]


def find_substring(signature: Signature) -> Substring | None:
    """Return a substring that the residual predicate of ``signature`` requires; None if it requires no substring."""
    for term in signature.residual.terms if isinstance(signature.residual, ir.And) else (signature.residual,):
        text = contained_text(term)
        if text is not None:
            return text
    return None


def choose_grams(texts: Iterable[str]) -> Grams:
    """Choose the lengths of the grams of ``texts``, the substrings that rows require.

    The result contains a regular expression for the grams of each length.
    """
    distinct = sorted({text[: tuning.MAX_GRAM] for text in texts}, key=len)
    lengths = sorted({len(text) for text in distinct})
    if len(lengths) > tuning.GRAM_LENGTHS:
        # One length must be that of the shortest text, so that each text has a gram. The other lengths divide the
        # texts, sorted by length, into parts of equal size.
        share = len(distinct) / tuning.GRAM_LENGTHS
        lengths = sorted({len(distinct[int(share * number)]) for number in range(tuning.GRAM_LENGTHS)})
    grams = Grams(tuple(lengths), (), ())
    by_length: dict[int, set[str]] = {length: set() for length in lengths}
    for text in distinct:
        gram = grams.gram(text)
        by_length[len(gram)].add(gram)
    parts = [_expression(length, listed) for length, listed in by_length.items()]
    return Grams(grams.lengths, tuple(text for text, _ in parts), tuple(known for _, known in parts))


def _expression(length: int, grams: set[str]) -> tuple[str, int]:
    """Return a regular expression for ``grams`` of one ``length``, and the number of characters before its group."""
    # The common prefix of the first and last gram in sorted order is the common prefix of all grams.
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(grams), max(grams), strict=True))
    prefix = "".join(first for first, _ in pairs)
    parts = ""
    if len(prefix) < length:
        following = sorted({gram[len(prefix)] for gram in grams})
        one = "." if len(following) > tuning.MAX_FIRST else f"[{''.join(map(_in_class, following))}]"
        parts = f"{one}.{{{length - len(prefix) - 1}}}"
    if any(prefix.endswith(prefix[:count]) for count in range(1, len(prefix))):
        # Occurrences of the prefix can overlap, so the expression must not consume any characters.
        return f"(?s)(?=({escape_text(prefix)}{parts}))", 0
    # With the prefix before the lookahead, Java searches for the prefix first, which is a fifth faster.
    return f"(?s){escape_text(prefix)}(?=({parts}))", len(prefix)


def _in_class(character: str) -> str:
    return character if character.isascii() and character.isalnum() else f"\\x{{{ord(character):x}}}"


def build_substring_index(number: int, grams: Grams, rows: Sequence[tuple[Parameter, ...]]) -> HashIndex:
    """Build the index of the rows of one group of a constant table.

    The index is a hash table by the gram of each row's parameter with the number ``number``.
    """
    return build_hash_index([grams.hash(str(row[number])) for row in rows])


def build_hash_index(hashes: Sequence[int]) -> HashIndex:
    """Build the index of rows by ``hashes``, the hash of each row."""
    mask = (1 << (2 * len(hashes)).bit_length()) - 1
    nodes: list[list[int]] = [[] for _ in range(mask + 1)]
    for position, number in enumerate(hashes):
        nodes[number & mask].append(position)
    return HashIndex(mask, nodes)
