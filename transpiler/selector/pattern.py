"""LIKE's pattern value as data: Jakarta Messaging 3.1, section 3.8.1.2."""

from __future__ import annotations

from enum import Enum


class Wildcard(Enum):
    """The two characters that stand for others."""

    ONE = "_"
    ANY = "%"


#: Literal text and wildcards in order; no two texts, and no two ``%``, stand side by side.
Pattern = tuple[str | Wildcard, ...]


class PatternError(ValueError):
    """A pattern that has no meaning; ``offset`` counts code points in the pattern value."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def read_pattern(text: str, escape: str | None = None) -> Pattern:
    """The parts of a pattern value; ``PatternError`` where it ends in its escape character.

    An escaped character stands for itself, whether or not it is a wildcard.
    """
    parts: list[str | Wildcard] = []
    characters = iter(enumerate(text))
    for offset, character in characters:
        part: str | Wildcard
        if character == escape:
            following = next(characters, None)
            if following is None:
                raise PatternError("the pattern ends in its escape character", offset)
            part = following[1]
        else:
            part = Wildcard(character) if character in "%_" else character
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part is not Wildcard.ANY or not parts or parts[-1] is not Wildcard.ANY:
            parts.append(part)
    return tuple(parts)
