"""The replacement of Java's ``replaceAll``: text, ``$`` and the number of a group, and backslash before either."""

from __future__ import annotations

from transpiler.regex.syntax import RegexError

Replacement = tuple[str | int, ...]


def parse_replacement(text: str, groups: int) -> Replacement:
    """Parse into texts and group numbers; raise ``RegexError`` where Java would throw, at the first match."""
    parts: list[str | int] = []
    place = 0
    while place < len(text):
        character = text[place]
        place += 1
        if character == "\\":
            if place == len(text):
                raise RegexError("the replacement ends in a backslash", place - 1, wrong=True)
            parts.append(text[place])
            place += 1
        elif character == "$":
            at = place - 1
            digit = _digit(text, place)
            if digit is None:
                raise RegexError("the number of a group follows $; a dollar sign is \\$", at, wrong=True)
            number = digit
            place += 1
            # As many digits as there is a group for.
            while (digit := _digit(text, place)) is not None and 10 * number + digit <= groups:
                number = 10 * number + digit
                place += 1
            if number > groups:
                raise RegexError(f"the regular expression has no group {number}", at, wrong=True)
            parts.append(number)
        else:
            parts.append(character)
    return tuple(parts)


def _digit(text: str, place: int) -> int | None:
    character = text[place : place + 1]
    return int(character) if character.isascii() and character.isdigit() else None
