"""Patterns as Java regular expressions that never backtrack over what they have passed.

Spark's own LIKE is a regular expression whose time is a power of the text's length; these take time in proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.base.topics import AnyWord, TopicPattern, simplify_words, split_at_many


def regular_expression(pattern: Pattern) -> str:
    """A pattern as a Java regular expression that never backtracks over what a ``%`` has passed.

    Each text between two ``%`` is matched as early as possible, which is always right, in an atomic group of its
    own; the last one is looked for at the end.
    """
    texts = segments_of(pattern, ".", escape_text)
    if len(texts) == 1:
        return f"(?s)^{texts[0]}(?!.)"
    middle = "".join(f"(?>.*?{text})" for text in texts[1:-1] if text)
    tail = f".*{texts[-1]}(?!.)" if texts[-1] else ""
    return f"(?s)^{texts[0]}{middle}{tail}"


def segments_of(pattern: Pattern, one: str, quote: Callable[[str], str]) -> list[str]:
    """The parts of a pattern before, between and behind its ``%``, as regular expressions."""
    segments = [""]
    for part in pattern:
        if part is Wildcard.ANY:
            segments.append("")
        else:
            segments[-1] += one if isinstance(part, Wildcard) else quote(part)
    return segments


#: Groups within groups that one expression has at most; Java reads and matches them by recursion.
_MAX_DEPTH = 100


def any_text_expression(texts: Iterable[str], before: bool, behind: bool) -> str | None:
    """Return a Java regular expression for any of some texts, with anything before it, behind it, or both.

    The texts are laid out as a tree of their common beginnings, so each place of the subject decides by its own
    characters where to go on. None where the tree would be too deep.
    """
    tree: _Tree = {}
    for text in texts:
        node = tree
        for character in text:
            node = node.setdefault(character, {})
        node[_END] = {}
    end = "" if behind else "(?!.)"
    written = _branches(tree, end, 0)
    return None if written is None else f"(?s){'' if before else '^'}{written}"


_END = ""
_Tree = dict[str, "_Tree"]


def _branches(node: _Tree, end: str, depth: int) -> str | None:
    text = ""
    while len(node) == 1 and _END not in node:
        [(character, node)] = node.items()
        text += escape_text(character)
    if _END in node and (len(node) == 1 or not end):
        # Whatever follows a text is part of what stands behind it.
        return text + end
    if depth > _MAX_DEPTH:
        return None
    choices = []
    for character, inner in node.items():
        rest = _branches(inner, end, depth + 1)
        if rest is None:
            return None
        choices.append(end if character == _END else escape_text(character) + rest)
    return f"{text}(?>{'|'.join(choices)})"


def topic_expression(pattern: TopicPattern) -> str:
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


def _words(part: TopicPattern) -> str:
    return "[.]".join("[^.]*+" if isinstance(word, AnyWord) else escape_text(word) for word in part)


def escape_text(text: str) -> str:
    """Literal text in a regular expression, without a backslash where brackets do."""
    escaped = []
    for character in text:
        if character in ".*+?(){}|$#-~":
            escaped.append(f"[{character}]")
        elif character in "[]^\\&":
            escaped.append(f"\\{character}")
        else:
            escaped.append(character)
    return "".join(escaped)
