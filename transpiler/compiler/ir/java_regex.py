"""Convert patterns to Java regular expressions that never backtrack over text that they have matched.

Spark's LIKE is a regular expression whose run time is polynomial in the length of the text; that of these is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.base.topics import AnyWord, TopicPattern, simplify_words, split_at_many


def regular_expression(pattern: Pattern) -> str:
    """Return the Java regular expression for a LIKE pattern, written so that Java never backtracks.

    Each text between two ``%`` is an atomic group that matches as early as possible. An earlier match leaves more text
    for the rest of the pattern, so no later match needs to be tried. The text after the last ``%`` must end the match.
    """
    texts = segments_of(pattern, ".", escape_text)
    if len(texts) == 1:
        return f"(?s)^{texts[0]}(?!.)"
    middle = "".join(f"(?>.*?{text})" for text in texts[1:-1] if text)
    tail = f".*{texts[-1]}(?!.)" if texts[-1] else ""
    return f"(?s)^{texts[0]}{middle}{tail}"


def segments_of(pattern: Pattern, one: str, quote: Callable[[str], str]) -> list[str]:
    """Return the segments of ``pattern`` before, between and after its ``%``, as regular expressions.

    ``one`` is the regular expression for ``_``; ``quote`` returns the regular expression for its literal argument.
    """
    segments = [""]
    for part in pattern:
        if part is Wildcard.ANY:
            segments.append("")
        else:
            segments[-1] += one if isinstance(part, Wildcard) else quote(part)
    return segments


#: Maximum nesting depth of groups in an expression, because Java parses and matches groups recursively.
_MAX_DEPTH = 100


def any_text_expression(texts: Iterable[str], before: bool, behind: bool) -> str | None:
    """Return a Java regular expression that matches any of ``texts``.

    If ``before``, other text may precede the match; if ``behind``, other text may follow it. The expression has the
    form of a prefix tree, so that each character of the subject selects one branch. None if the tree is too deep.
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
        # One of the texts ends at this node. No further branches are needed if no longer text begins with it. They are
        # not needed either if ``end`` is empty, because then any text may follow the match.
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
    """Return a Java regular expression for a topic pattern such as ``stock.*.#``, which matches in linear time.

    The words between two ``#`` are an atomic group that matches as early as possible; a later match is never needed.
    No group is repeated, because Java matches repeated groups recursively, so that long texts overflow the stack.
    """
    first, *others = split_at_many(simplify_words(pattern))
    if not others:
        return f"(?s)^{_words(first)}(?!.)"
    *middle, last = others
    # The words after a ``#`` begin after a dot. They may also begin at the start of the text if the pattern starts with
    # this ``#``, which then matches no words.
    text, start = (f"(?s)^{_words(first)}(?![^.])", "[.]") if first else ("(?s)^", "(?:^|[.])")
    for part in middle:
        text += f"(?>.*?{start}{_words(part)}(?![^.]))"
        start = "[.]"
    return f"{text}.*{start}{_words(last)}(?!.)" if last else text


def _words(part: TopicPattern) -> str:
    return "[.]".join("[^.]*+" if isinstance(word, AnyWord) else escape_text(word) for word in part)


def escape_text(text: str) -> str:
    """Return the regular expression for literal ``text``, escaped with brackets instead of backslashes if possible."""
    escaped = []
    for character in text:
        if character in ".*+?(){}|$#-~":
            escaped.append(f"[{character}]")
        elif character in "[]^\\&":
            escaped.append(f"\\{character}")
        else:
            escaped.append(character)
    return "".join(escaped)
