"""Regular expressions as a tree over sets of characters: a subset of Java's and of RabbitMQ's PCRE.

Back-references, look-behind, named groups, lazy and possessive repeats, word boundaries, ``\\p{…}`` and operations on
sets are rejected. Case-insensitive matching and the classes ``\\d \\w \\s`` cover ASCII only, as in Java.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """A set of characters, as sorted ranges of code points with both ends included. Ranges never overlap or touch."""

    ranges: tuple[Range, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __contains__(self, code: int) -> bool:
        index = bisect_right(self.ranges, (code, sys.maxunicode)) - 1
        return index >= 0 and code <= self.ranges[index][1]

    def __or__(self, other: CharacterSet) -> CharacterSet:
        return from_ranges((*self.ranges, *other.ranges))

    def __invert__(self) -> CharacterSet:
        gaps, start = [], 0
        for low, high in self.ranges:
            if start < low:
                gaps.append((start, low - 1))
            start = high + 1
        if start <= sys.maxunicode:
            gaps.append((start, sys.maxunicode))
        return CharacterSet(tuple(gaps))

    def __and__(self, other: CharacterSet) -> CharacterSet:
        return ~(~self | ~other)

    @property
    def single(self) -> str | None:
        """The only character of the set; None if the set does not have exactly one character."""
        match self.ranges:
            case ((low, high),) if low == high:
                return chr(low)
            case _:
                return None


def from_ranges(ranges: Iterable[Range]) -> CharacterSet:
    """Return the set of the characters in ``ranges``, which may have any order and may overlap."""
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return CharacterSet(tuple(merged))


def of(characters: str) -> CharacterSet:
    """Return the set of the characters in ``characters``."""
    return from_ranges((ord(character), ord(character)) for character in characters)


def without_case(characters: CharacterSet) -> CharacterSet:
    """Return the set together with the upper and lower case forms of its ASCII letters.

    Java's ``(?i)`` ignores the case of ASCII letters only.
    """
    upper = [(low + 32, high + 32) for low, high in (characters & UPPER).ranges]
    lower = [(low - 32, high - 32) for low, high in (characters & LOWER).ranges]
    return from_ranges((*characters.ranges, *upper, *lower))


NONE = CharacterSet()
ALL = ~NONE
UPPER, LOWER = CharacterSet(((65, 90),)), CharacterSet(((97, 122),))
DIGITS = CharacterSet(((48, 57),))
WORDS = UPPER | LOWER | DIGITS | of("_")
SPACES = of(" \t\n\x0b\f\r")
SURROGATES = CharacterSet(((0xD800, 0xDFFF),))
#: Java's line ends. The dot does not match them, and ``$`` also matches before a line end at the end of the text.
LINE_ENDS = of("\n\r\x85\u2028\u2029")

#: The character sets of ``\d``, ``\w``, ``\s`` and their complements, by letter.
CLASSES = {"d": DIGITS, "D": ~DIGITS, "w": WORDS, "W": ~WORDS, "s": SPACES, "S": ~SPACES}


#: ``MAX_LENGTH``: maximum length of an expression, in characters. ``MAX_DEPTH``: maximum depth of nested groups.
#: ``MAX_ROUNDS``: maximum number of rounds in a quantifier such as ``{2,5}``.
MAX_LENGTH, MAX_DEPTH, MAX_ROUNDS = 2_000, 20, 255


class Flavor(Enum):
    """The dialect of a regular expression: Java's or PCRE's."""

    JAVA = "Java"
    PCRE = "PCRE"


class RegexError(ValueError):
    """Error for an unsupported expression, at the character ``offset``. ``wrong`` is True if Java rejects it, too."""

    def __init__(self, message: str, offset: int, wrong: bool = False) -> None:
        super().__init__(message)
        self.offset = offset
        self.wrong = wrong


class At(Enum):
    """The assertions about a position in the text. The value of a member is its spelling."""

    BEGIN = "^"
    END = "$"
    VERY_END = r"\z"


@dataclass(frozen=True, slots=True)
class One:
    """A node that matches one character of a set."""

    characters: CharacterSet


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node that matches a position of the text, such as its end, and consumes no character."""

    at: At


@dataclass(frozen=True, slots=True)
class Ahead:
    """A look-ahead. It is negative if ``negated``."""

    body: Node
    negated: bool
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Nodes that match one after the other. Without ``parts`` it matches the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, such as ``a|ab``. The first branch with which the whole expression matches is chosen."""

    branches: tuple[Node, ...]
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Repeat:
    """A greedy repeat of ``body``, from ``low`` to ``high`` times; ``high`` is None if there is no maximum.

    ``offset`` and ``end`` are the offsets of the quantifier and after it.
    """

    body: Node
    low: int
    high: int | None
    offset: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group."""

    body: Node
    number: int


Node = One | Anchor | Ahead | Sequence | Choice | Repeat | Group

_REPEAT = re.compile(r"(?:[*+?]|\{([0-9]+)(?:(,)([0-9]+)?)?\})([?+]?)")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_ANCHORS = {"A": At.BEGIN, "z": At.VERY_END, "Z": At.END}


def parse_regular(text: str, flavor: Flavor = Flavor.JAVA) -> tuple[Node, int]:
    """Parse ``text``; return its tree and its number of capturing groups. Raise ``RegexError`` if it is unsupported."""
    if len(text) > MAX_LENGTH:
        raise RegexError(f"the regular expression is longer than {MAX_LENGTH:,} characters", MAX_LENGTH)
    parser = _Parser(text, flavor)
    node = parser.choice()
    if parser.position < len(text):
        raise RegexError("this ) has no matching (", parser.position, wrong=True)
    return node, parser.groups


def line_ends(flavor: Flavor) -> CharacterSet:
    """Return the characters that the dot does not match in ``flavor``."""
    return LINE_ENDS if flavor is Flavor.JAVA else of("\n")


class _Parser:
    def __init__(self, text: str, flavor: Flavor) -> None:
        self.text = text
        self.flavor = flavor
        self.ignore_case = text.startswith("(?i)")
        self.position = 4 if self.ignore_case else 0
        self.groups = self.depth = 0

    def at(self, text: str) -> bool:
        """Return True if ``text`` comes next in the expression; if so, move past it."""
        is_next = self.text.startswith(text, self.position)
        self.position += len(text) if is_next else 0
        return is_next

    def choice(self) -> Node:
        start = self.position
        branches = [self.sequence()]
        while self.at("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches), start)

    def sequence(self) -> Node:
        parts = []
        while self.position < len(self.text) and self.text[self.position] not in "|)":
            parts.append(self.repeat())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeat(self) -> Node:
        start = self.position
        body = self.atom()
        quantifier = _REPEAT.match(self.text, self.position)
        if quantifier is None:
            # A brace that does not begin a quantifier is an ordinary character, which the next call of ``atom`` parses.
            # For Java that call raises the error.
            return body
        if isinstance(body, Anchor | Ahead):
            raise RegexError("an anchor or a boundary cannot be repeated", self.position)
        low, high = _rounds(quantifier)
        if max(low, high or 0) > MAX_ROUNDS:
            raise RegexError(f"a repetition count exceeds {MAX_ROUNDS}", self.position)
        if high is not None and high < low:
            raise RegexError("the maximum of a repetition is less than its minimum", self.position, wrong=True)
        sign, self.position = self.position, quantifier.end()
        if quantifier[4]:
            kind = "lazy" if quantifier[4] == "?" else "possessive"
            raise RegexError(
                f"a {kind} quantifier is not supported: write the quantifier without the second {quantifier[4]}", sign
            )
        return Repeat(body, low, high, start, self.position)

    def atom(self) -> Node:
        start, character = self.position, self.text[self.position]
        self.position += 1
        match character:
            case "(":
                return self.group(start)
            case "[":
                return One(self.brackets(start))
            case ".":
                return One(~line_ends(self.flavor))
            case "^":
                return Anchor(At.BEGIN)
            case "$":
                return Anchor(At.END)
            case "\\":
                letter = self.text[self.position : self.position + 1]
                if letter and letter in _ANCHORS:
                    self.position += 1
                    return Anchor(_ANCHORS[letter])
                return One(self.folded(self.escape(start)))
            case "*" | "+" | "?":
                raise RegexError("there is nothing before the quantifier that it could repeat", start, wrong=True)
            case "{" if self.flavor is Flavor.JAVA or _REPEAT.match(self.text, start):
                raise RegexError("write a literal brace as \\{", start, wrong=True)
            case _:
                return One(self.folded(self.literal(start)))

    def group(self, start: int) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RegexError(f"groups nest more than {MAX_DEPTH} deep", start)
        number = 0
        negated = False
        if self.at("?="):
            kind = "ahead"
        elif self.at("?!"):
            kind, negated = "ahead", True
        elif self.at("?:"):
            kind = "plain"
        elif self.text.startswith("?", self.position):
            shown = self.text[start : start + 4]
            raise RegexError(
                f"{shown} is not supported, like all look-behinds, atomic groups, named groups and inline flags", start
            )
        else:
            kind = "capture"
            self.groups += 1
            number = self.groups
        body = self.choice()
        if not self.at(")"):
            raise RegexError("the group is not closed", start, wrong=True)
        self.depth -= 1
        match kind:
            case "ahead":
                return Ahead(body, negated, start)
            case "capture":
                return Group(body, number)
            case _:
                return body

    def brackets(self, start: int) -> CharacterSet:
        negated = self.at("^")
        characters = CharacterSet()
        first = self.position
        while not self.text.startswith("]", self.position) or self.position == first:
            at = self.position
            if at >= len(self.text):
                raise RegexError("the set of characters is not closed", start, wrong=True)
            if self.text[at] in "[]^" or self.text.startswith("&&", at):
                raise RegexError(f"inside brackets, write this character as \\{self.text[at]}", at)
            low = self.member()
            if not self.text.startswith("-", self.position) or self.text.startswith("-]", self.position):
                characters |= self.folded(low)
                continue
            if low.single is None:
                # The hyphen after a class such as ``\d`` does not begin a range; it is an ordinary character.
                characters |= low
                continue
            self.position += 1
            if self.text[self.position : self.position + 1] in ("[", ""):
                raise RegexError("the range has no end", at)
            high = self.member()
            if high.single is None or high.single < low.single:
                raise RegexError("the end of the range is below its start", at, wrong=True)
            members = from_ranges([(ord(low.single), ord(high.single))])
            if members & SURROGATES:
                # Java could match half of a surrogate pair, but only a whole character should match.
                raise RegexError("a range that contains half of a surrogate pair is not supported", at)
            characters |= self.folded(members)
        self.position += 1
        return ~characters if negated else characters

    def member(self) -> CharacterSet:
        at = self.position
        self.position += 1
        return self.escape(at) if self.text[at] == "\\" else self.literal(at)

    def literal(self, at: int) -> CharacterSet:
        if ord(self.text[at]) in SURROGATES:
            raise RegexError("half of a surrogate pair is not supported", at)
        return of(self.text[at])

    def folded(self, characters: CharacterSet) -> CharacterSet:
        return without_case(characters) if self.ignore_case and characters not in CLASSES.values() else characters

    def escape(self, start: int) -> CharacterSet:
        if self.position >= len(self.text):
            raise RegexError("the expression ends in a backslash", start, wrong=True)
        character = self.text[self.position]
        self.position += 1
        if character in CLASSES:
            return CLASSES[character]
        if character in _CONTROLS:
            return of(_CONTROLS[character])
        if character == "x" or (character == "u" and self.flavor is Flavor.JAVA):
            digits = re.compile("[0-9A-Fa-f]{2}" if character == "x" else "[0-9A-Fa-f]{4}").match(
                self.text, self.position
            )
            if digits is not None and int(digits[0], 16) not in SURROGATES:
                self.position = digits.end()
                return of(chr(int(digits[0], 16)))
        elif character.isdigit() and character != "0":
            raise RegexError("back-references are not supported", start)
        elif character.isascii() and not character.isalnum():
            return of(character)
        raise RegexError(f"the escape \\{character} is not supported", start)


def _rounds(quantifier: re.Match[str]) -> tuple[int, int | None]:
    match quantifier[0][0]:
        case "*":
            return 0, None
        case "+":
            return 1, None
        case "?":
            return 0, 1
        case _:
            # Nine digits are enough to exceed the limit. Python would be slow to convert very long numbers.
            low = int(quantifier[1][:9])
            return low, low if not quantifier[2] else int(quantifier[3][:9]) if quantifier[3] else None
