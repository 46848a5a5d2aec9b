"""Index of constant rows by the texts that a message's value must contain: the patterns of LIKE as keys of a table.

A text of some length is in a value only if the substring at its beginning, its *gram*, is one of the value's
substrings. A message's value is cut into its substrings of the few lengths that grams have, once for all tables, and
each substring is looked up in a hash table of the rows. Substrings that begin as no gram does are passed over: texts
such as ``,12003``, which name elements of a list, leave as many as the list has elements. The whole residual is
evaluated again on the rows, so neither a shorter gram nor equal hashes change an answer.
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
    """The lengths of the substrings that a value is cut into, and an expression of Java for those of each length.

    An expression matches at each substring, whose last characters are its only group: those behind the first ``known``
    ones, which all substrings of that length have in common.
    """

    lengths: tuple[int, ...]
    expressions: tuple[str, ...]
    known: tuple[int, ...]

    def gram(self, text: str) -> str:
        """The substring by which a text is looked up."""
        return text[: max(length for length in self.lengths if length <= len(text))]

    def hash(self, text: str) -> int:
        """The hash of what an expression finds of a text: the CRC-32 of its bytes, which every engine has."""
        gram = self.gram(text)
        return zlib.crc32(gram[self.known[self.lengths.index(len(gram))] :].encode())


@dataclass(frozen=True, slots=True)
class HashIndex:
    """The rows of one group by the last bits of their hashes."""

    mask: int
    nodes: list[list[int]]


def find_substring(signature: Signature) -> Substring | None:
    """A text that the residual requires in every row."""
    for term in signature.residual.terms if isinstance(signature.residual, ir.And) else (signature.residual,):
        text = contained_text(term)
        if text is not None:
            return text
    return None


def choose_grams(texts: Iterable[str]) -> Grams:
    """The lengths for some texts, and what their grams begin with."""
    distinct = sorted({text[: tuning.MAX_GRAM] for text in texts}, key=len)
    lengths = sorted({len(text) for text in distinct})
    if len(lengths) > tuning.GRAM_LENGTHS:
        # The shortest text needs its own length; the others divide the texts evenly.
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
    """The expression of the grams of a length, and how many characters stand before its group."""
    # All texts between the first and the last one begin as these two do.
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(grams), max(grams), strict=True))
    prefix = "".join(first for first, _ in pairs)
    parts = ""
    if len(prefix) < length:
        following = sorted({gram[len(prefix)] for gram in grams})
        one = "." if len(following) > tuning.MAX_FIRST else f"[{''.join(map(_in_class, following))}]"
        parts = f"{one}.{{{length - len(prefix) - 1}}}"
    if any(prefix.endswith(prefix[:count]) for count in range(1, len(prefix))):
        # The next occurrence may begin within this one, so nothing of it may be consumed.
        return f"(?s)(?=({escape_text(prefix)}{parts}))", 0
    # Before a group the prefix is found without trying the group at each character, which takes a fifth less.
    return f"(?s){escape_text(prefix)}(?=({parts}))", len(prefix)


def _in_class(character: str) -> str:
    return character if character.isascii() and character.isalnum() else f"\\x{{{ord(character):x}}}"


def build_substring_index(number: int, grams: Grams, rows: Sequence[tuple[Parameter, ...]]) -> HashIndex:
    """The index of the rows of one group by the texts of one parameter."""
    return build_hash_index([grams.hash(str(row[number])) for row in rows])


def build_hash_index(hashes: Sequence[int]) -> HashIndex:
    """The index of rows by their hashes."""
    mask = (1 << (2 * len(hashes)).bit_length()) - 1
    nodes: list[list[int]] = [[] for _ in range(mask + 1)]
    for place, number in enumerate(hashes):
        nodes[number & mask].append(place)
    return HashIndex(mask, nodes)
