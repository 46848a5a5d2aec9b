"""Topic patterns as sequences of words: the Apache AMQP filter document, section 1.2.

A pattern, and the subject that it is matched with, is a sequence of words separated by dots. So the text "" is one
empty word; the lowering of patterns handles brokers for which "" has no word. Brokers use different characters as
wildcards, so a wildcard is a member of ``AnyWord`` here, not a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class AnyWord(Enum):
    """A wildcard for words. The value of a member is its character in the Apache AMQP filter document."""

    #: Apache AMQP filter document, 1.2: "The token consisting of the single character “*” matches a single word in the
    #: subject field."
    ONE = "*"
    #: Apache AMQP filter document, 1.2: "The token consisting of the single character “#” matches zero or more words in
    #: the subject field."
    MANY = "#"

    def __str__(self) -> str:
        return str(self.value)


ONE_WORD, MANY_WORDS = AnyWord.ONE, AnyWord.MANY

SEPARATOR = "."

#: A topic pattern, such as ``order.*.#``, as its words and wildcards, in order.
TopicPattern = tuple[str | AnyWord, ...]


@dataclass(frozen=True, slots=True)
class TopicSyntax:
    """The special characters of a topic syntax: the word separator, and the wildcards for one word and many words."""

    delimiter: str = SEPARATOR
    one_word: str = ONE_WORD.value
    many_words: str = MANY_WORDS.value
    #: The prefix that turns a wildcard into a literal word in a topic pattern; "" if the syntax has no such prefix.
    escape: str = ""

    def words(self, text: str) -> tuple[str, ...]:
        """Split ``text`` at the separator into words. An empty text is one empty word."""
        return tuple(text.split(self.delimiter))

    def pattern(self, text: str) -> TopicPattern:
        """Split ``text`` at the separator, and convert each word to a wildcard or a literal word."""
        special = (self.one_word, self.many_words, self.escape)
        if not any(characters in text for characters in special if characters):
            return self.words(text)
        return tuple([self.pattern_word(word) for word in text.split(self.delimiter)])

    def pattern_word(self, text: str) -> str | AnyWord:
        """Convert ``text``, one word of a topic pattern, to a wildcard or a literal word."""
        if text == self.one_word:
            return ONE_WORD
        if text == self.many_words:
            return MANY_WORDS
        return text.removeprefix(self.escape)

    def text(self, words: Sequence[str | AnyWord]) -> str:
        """Join ``words`` without escapes. A literal word such as ``*`` then looks like a wildcard."""
        wildcards = {ONE_WORD: self.one_word, MANY_WORDS: self.many_words}
        return self.delimiter.join(wildcards[word] if isinstance(word, AnyWord) else word for word in words)

    def escaped(self, words: Sequence[str | AnyWord]) -> str:
        """Join ``words``, with an escape before each literal word that looks like a wildcard.

        ``pattern`` is the inverse function.
        """
        return self.text([word if isinstance(word, AnyWord) else self._escaped(word) for word in words])

    def _escaped(self, word: str) -> str:
        is_special = word in (self.one_word, self.many_words) or word.startswith(self.escape)
        return self.escape + word if is_special else word


#: The syntax of the Apache AMQP filter document.
TOPIC_SYNTAX = TopicSyntax()


def is_wild(pattern: Sequence[str | AnyWord]) -> bool:
    """Return True if the topic pattern ``pattern`` contains a wildcard (``*`` or ``#``) among its words."""
    return ONE_WORD in pattern or MANY_WORDS in pattern


def simplify_words(pattern: Sequence[str | AnyWord]) -> TopicPattern:
    """Normalize the topic pattern ``pattern``: in each run of wildcards, put every ``*`` before a single ``#``.

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
    """Split ``pattern`` at each ``#`` into parts without ``#``, which each match a fixed number of words.

    A pattern without ``#`` is one part.
    """
    parts: list[list[str | AnyWord]] = [[]]
    for word in pattern:
        if word == MANY_WORDS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [tuple(part) for part in parts]
