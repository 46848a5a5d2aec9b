"""Patterns as Java regular expressions that never backtrack over what they have passed.

Spark's own LIKE is a regular expression whose time is a power of the text's length; these take time in proportion.
"""

from __future__ import annotations

from transpiler.filters.topics import ONE_WORD, simplify_words, split_at_many
from transpiler.selector.pattern import Pattern, Wildcard


def regular_expression(pattern: Pattern) -> str:
    """A pattern as a Java regular expression that never backtracks over what a ``%`` has passed.

    Each text between two ``%`` is found as early as possible, which is always right, in an atomic group of its
    own; the last one is looked for at the end.
    """
    segments: list[list[str | Wildcard]] = [[]]
    for part in pattern:
        if part is Wildcard.ANY:
            segments.append([])
        else:
            segments[-1].append(part)
    texts = ["".join("." if part is Wildcard.ONE else _escape(str(part)) for part in segment) for segment in segments]
    if len(texts) == 1:
        return f"(?s)^{texts[0]}(?!.)"
    middle = "".join(f"(?>.*?{text})" for text in texts[1:-1] if text)
    tail = f".*{texts[-1]}(?!.)" if texts[-1] else ""
    return f"(?s)^{texts[0]}{middle}{tail}"


def topic_expression(pattern: tuple[str, ...]) -> str:
    """A topic pattern as a Java regular expression whose time grows with the subject's length, not with its power.

    What stands between two ``#`` has a fixed number of words, so the earliest place is always right: each such part
    is an atomic group, and each ``*`` takes its word for good. No group is repeated, for Java would recurse.
    """
    first, *others = split_at_many(simplify_words(pattern))
    if not others:
        return f"(?s)^{_words(first)}(?!.)"
    *middle, last = others
    # A part begins at a dot, or at the very beginning where no word stands before it.
    text, start = (f"(?s)^{_words(first)}(?![^.])", "[.]") if first else ("(?s)^", "(?:^|[.])")
    for part in middle:
        text += f"(?>.*?{start}{_words(part)}(?![^.]))"
        start = "[.]"
    return f"{text}.*{start}{_words(last)}(?!.)" if last else text


def _words(part: tuple[str, ...]) -> str:
    return "[.]".join("[^.]*+" if word == ONE_WORD else _escape(word) for word in part)


def _escape(text: str) -> str:
    """Literal text in a regular expression, without a backslash where brackets do."""
    escaped = []
    for character in text:
        if character in ".*+?(){}|$#":
            escaped.append(f"[{character}]")
        elif character in "[]^\\&-~":
            escaped.append(f"\\{character}")
        else:
            escaped.append(character)
    return "".join(escaped)
