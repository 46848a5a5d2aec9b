"""Topic patterns as words: the Apache AMQP filter document, section 1.2.

A pattern, and the subject that it is matched with, is a sequence of words with a dot between two of them. So the text
"" is one empty word; that a broker sees it as no word at all is said where a pattern is lowered.
"""

from __future__ import annotations

from collections.abc import Sequence

#: "The token consisting of the single character “*” matches a single word in the subject field."
ONE_WORD = "*"

#: "The token consisting of the single character “#” matches zero or more words in the subject field."
MANY_WORDS = "#"

SEPARATOR = "."


def read_words(text: str) -> tuple[str, ...]:
    """Split a pattern or a subject into words; there is always one."""
    return tuple(text.split(SEPARATOR))


def simplify_words(pattern: Sequence[str]) -> tuple[str, ...]:
    """Normalize a pattern: between two plain words each ``*`` stands before the only ``#``.

    ``#.*`` and ``*.#`` both mean "at least one word", and ``#.#`` means the same as ``#``.
    """
    words: list[str] = []
    many = False
    for word in pattern:
        if word == MANY_WORDS:
            many = True
            continue
        if word != ONE_WORD and many:
            words.append(MANY_WORDS)
            many = False
        words.append(word)
    if many:
        words.append(MANY_WORDS)
    return tuple(words)


def split_at_many(pattern: Sequence[str]) -> list[tuple[str, ...]]:
    """The parts of a pattern between its ``#``, each of a fixed number of words; at least one."""
    parts: list[list[str]] = [[]]
    for word in pattern:
        if word == MANY_WORDS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [tuple(part) for part in parts]
