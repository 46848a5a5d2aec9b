"""Match constant texts with LIKE patterns and topic patterns at compile time."""

from __future__ import annotations

import re

from transpiler.base.text_pattern import Pattern
from transpiler.base.topics import MANY_WORDS, ONE_WORD, TOPIC_SYNTAX, TopicPattern
from transpiler.compiler.ir.java_regex import regular_expression


def fits(text: str, pattern: Pattern) -> bool:
    """Return True if ``text`` matches ``pattern``, according to the regular expression that Spark would evaluate."""
    return re.match(regular_expression(pattern), text) is not None


def fits_words(text: str, pattern: TopicPattern) -> bool:
    """Return True if the words of ``text`` match the topic pattern ``pattern``.

    For each token of the pattern, compute the positions in ``text`` at which its match can end.
    """
    words = TOPIC_SYNTAX.words(text)
    ends = {0}
    for token in pattern:
        if not ends:
            return False
        if token == MANY_WORDS:
            ends = set(range(min(ends), len(words) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(words) and token in (ONE_WORD, words[end])}
    return len(words) in ends
