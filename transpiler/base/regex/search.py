"""Compiled regular expressions: search and replacement by Python's ``re`` with Java's results, and the text for Java.

The translation writes out every set of characters: in Python, the dot, ``$`` and the classes match other characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from transpiler.base.regex.cost import Measure, nullable, optional_groups
from transpiler.base.regex.syntax import (
    Ahead,
    Anchor,
    At,
    CharacterSet,
    Choice,
    Flavor,
    Group,
    Node,
    One,
    RegexError,
    Repeat,
    Sequence,
    parse_regular,
)

Replacement = tuple[str | int, ...]


def parse_replacement(text: str, groups: int) -> Replacement:
    """Parse the ``text`` of a Java replacement into literal texts and numbers of groups.

    Raises ``RegexError`` if Java would throw.
    """
    parts: list[str | int] = []
    index = 0
    while index < len(text):
        character = text[index]
        index += 1
        if character == "\\":
            if index == len(text):
                raise RegexError("the replacement ends in a backslash", index - 1, wrong=True)
            parts.append(text[index])
            index += 1
        elif character == "$":
            at = index - 1
            digit = _digit(text, index)
            if digit is None:
                raise RegexError("the number of a group follows $; a dollar sign is \\$", at, wrong=True)
            number = digit
            index += 1
            # In Java, ``$12`` means group 12 if it exists, and else group 1 followed by "2".
            while (digit := _digit(text, index)) is not None and 10 * number + digit <= groups:
                number = 10 * number + digit
                index += 1
            if number > groups:
                raise RegexError(f"the regular expression has no group {number}", at, wrong=True)
            parts.append(number)
        else:
            parts.append(character)
    return tuple(parts)


def _digit(text: str, index: int) -> int | None:
    character = text[index : index + 1]
    return int(character) if character.isascii() and character.isdigit() else None


#: Maximum number of steps of one search. They are estimated as the text's length to the power that ``Measure``
#: computes.
MAX_STEPS = 100_000_000

_ANCHORS = {At.BEGIN: r"\A", At.VERY_END: r"\Z"}
_ENDS = {
    # Java's ``$`` matches before any of its line ends at the end of the text, but not between CR and LF.
    Flavor.JAVA: r"(?:(?=\r\n\Z)|(?=[\r\x85\u2028\u2029]?\Z)|(?<!\r)(?=\n\Z))",
    Flavor.PCRE: r"(?=\n?\Z)",
}


class SearchLimitError(ValueError):
    """Error for a search in a text that is so long that the search may take more than ``MAX_STEPS`` steps."""


class Regular:
    """A regular expression that has the same matches in Java and Python.

    The constructor raises ``RegexError`` if ``text`` has features outside the supported subset.
    """

    def __init__(self, text: str, flavor: Flavor = Flavor.JAVA) -> None:
        self.text = text
        self._flavor = flavor
        self._node, self.groups = parse_regular(text, flavor)
        self._measure = Measure(self._node)
        self.power = self._measure.power
        self._compiled = re.compile(self._python(self._node))

    def search(self, text: str) -> bool:
        """Return True if the expression matches somewhere in ``text``."""
        self._check_length(text)
        return self._compiled.search(text) is not None

    def split(self, text: str, limit: int = 0) -> tuple[str, ...]:
        """Split ``text`` at the matches, as Java's ``String.split`` does, into at most ``limit`` texts.

        A ``limit`` of 0 means no maximum, and that empty texts at the end are removed; a negative limit only means no
        maximum. An empty match at the beginning does not split.
        """
        parts: list[str] = []
        at = 0
        for match in self.find_all(text):
            if len(parts) + 1 == limit:
                break
            if match.end() > 0:
                parts.append(text[at : match.start()])
                at = match.end()
        if not at:
            return (text,)
        parts.append(text[at:])
        while limit == 0 and parts and not parts[-1]:
            parts.pop()
        return tuple(parts)

    def replace(self, text: str, replacement: str) -> str:
        """Replace all matches as Java's ``replaceAll``; raise ``RegexError`` if it would throw for ``replacement``."""
        written: list[str] = []
        at = 0
        for match in self.find_all(text):
            written.append(text[at : match.start()])
            for part in parse_replacement(replacement, self.groups):
                written.append(part if isinstance(part, str) else match[part] or "")
            at = match.end()
        return "".join(written) + text[at:]

    def check_replacement(self, replacement: str) -> None:
        """Raise ``RegexError`` if the results of Java and Python may differ for ``replacement``."""
        if nullable(self._node):
            raise RegexError(
                "the expression may match the empty text, which Java finds even between the two "
                "halves of a surrogate pair",
                0,
            )
        optional = optional_groups(self._node)
        for part in parse_replacement(replacement, self.groups):
            if isinstance(part, int) and part in optional:
                raise RegexError(
                    f"the group {part} does not take part in every match, so the replacement cannot contain it", 0
                )

    def java(self) -> str:
        """Return the expression for Java, with possessive repeats wherever they do not change the matches."""
        ends = sorted(self._measure.possessive)
        pieces = (self.text[start:end] for start, end in zip([0, *ends], [*ends, len(self.text)], strict=True))
        return "+".join(pieces)

    def find_all(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in ``text`` from left to right, as successive calls of Java's ``find`` do."""
        self._check_length(text)
        at = 0
        while at <= len(text) and (match := self._compiled.search(text, at)) is not None:
            yield match
            # After an empty match, continue one character later, as Java does; otherwise the same match would be found
            # again.
            at = match.end() + (match.start() == match.end())

    def _check_length(self, text: str) -> None:
        if len(text) ** self.power > MAX_STEPS:
            message = f"searching {len(text):,} characters may take more than {MAX_STEPS:,} steps"
            raise SearchLimitError(message)

    def _python(self, node: Node) -> str:
        match node:
            case One(characters=characters):
                return _set(characters)
            case Anchor(at=at):
                return _ENDS[self._flavor] if at is At.END else _ANCHORS[at]
            case Ahead(body=body, negated=negated):
                return f"(?{'!' if negated else '='}{self._python(body)})"
            case Sequence(parts=parts):
                return "".join(map(self._python, parts))
            case Choice(branches=branches):
                return f"(?:{'|'.join(map(self._python, branches))})"
            case Group(body=body):
                return f"({self._python(body)})"
            case Repeat(body=body, low=low, high=high):
                return f"(?:{self._python(body)}){{{low},{'' if high is None else high}}}"


def _set(characters: CharacterSet) -> str:
    if not characters:
        return "(?!)"
    return f"[{''.join(f'{_code(low)}-{_code(high)}' for low, high in characters.ranges)}]"


def _code(code: int) -> str:
    return f"\\U{code:08x}"


@lru_cache(64)
def compile_regular(text: str, flavor: Flavor = Flavor.JAVA) -> Regular:
    """Compile the regular expression ``text``. A cache keeps the last 64 results."""
    return Regular(text, flavor)
