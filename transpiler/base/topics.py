"""Topic patterns as words: the Apache AMQP filter document, section 1.2.

A pattern, and the subject that it is matched with, is a sequence of words with a dot between two of them. So the text
"" is one empty word; that a broker sees it as no word at all is said where a pattern is lowered. Brokers differ in the
characters, so that a wildcard is no text here but a member of ``AnyWord``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class AnyWord(Enum):
    """A wildcard in the place of words; its value is the document's character for it."""

    #: "The token consisting of the single character “*” matches a single word in the subject field."
    ONE = "*"
    #: "The token consisting of the single character “#” matches zero or more words in the subject field."
    MANY = "#"

    def __str__(self) -> str:
        return str(self.value)


ONE_WORD, MANY_WORDS = AnyWord.ONE, AnyWord.MANY

SEPARATOR = "."

#: The words of a pattern.
TopicPattern = tuple[str | AnyWord, ...]


@dataclass(frozen=True, slots=True)
class TopicSyntax:
    """The characters in which words and patterns are written: between two words, for one word, for any number."""

    delimiter: str = SEPARATOR
    one_word: str = ONE_WORD.value
    many_words: str = MANY_WORDS.value
    #: The text before a word of a pattern that is no wildcard, whatever it spells; "" where none can be written so.
    escape: str = ""

    def words(self, text: str) -> tuple[str, ...]:
        """Split a subject into words; there is always one."""
        return tuple(text.split(self.delimiter))

    def pattern(self, text: str) -> TopicPattern:
        """Split a pattern into words; there is always one."""
        special = (self.one_word, self.many_words, self.escape)
        if not any(characters in text for characters in special if characters):
            return self.words(text)
        return tuple([self.pattern_word(word) for word in text.split(self.delimiter)])

    def pattern_word(self, text: str) -> str | AnyWord:
        """Read one word of a pattern."""
        if text == self.one_word:
            return ONE_WORD
        if text == self.many_words:
            return MANY_WORDS
        return text.removeprefix(self.escape)

    def text(self, words: Sequence[str | AnyWord]) -> str:
        """Write a pattern whose plain words are as they are: ``pattern`` may read some of them as wildcards."""
        wildcards = {ONE_WORD: self.one_word, MANY_WORDS: self.many_words}
        return self.delimiter.join(wildcards[word] if isinstance(word, AnyWord) else word for word in words)

    def escaped(self, words: Sequence[str | AnyWord]) -> str:
        """Write a pattern that ``pattern`` reads back."""
        return self.text([word if isinstance(word, AnyWord) else self._escaped(word) for word in words])

    def _escaped(self, word: str) -> str:
        is_special = word in (self.one_word, self.many_words) or word.startswith(self.escape)
        return self.escape + word if is_special else word


#: The document's own.
TOPIC_SYNTAX = TopicSyntax()


def is_wild(pattern: Sequence[str | AnyWord]) -> bool:
    """Return True if a word of a pattern is a wildcard."""
    return ONE_WORD in pattern or MANY_WORDS in pattern


def simplify_words(pattern: Sequence[str | AnyWord]) -> TopicPattern:
    """Normalize a pattern: between two plain words each ``*`` stands before the only ``#``.

    ``#.*`` and ``*.#`` both mean "at least one word", and ``#.#`` means the same as ``#``.
    """
    words: list[str | AnyWord] = []
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


def split_at_many(pattern: Sequence[str | AnyWord]) -> list[TopicPattern]:
    """The parts of a pattern between its ``#``, each of a fixed number of words; at least one."""
    parts: list[list[str | AnyWord]] = [[]]
    for word in pattern:
        if word == MANY_WORDS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [tuple(part) for part in parts]
