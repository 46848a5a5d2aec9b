"""Parser for the pattern values of LIKE: Jakarta Messaging 3.1, section 3.8.1.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Escapes

_WILDCARDS: Mapping[str, Wildcard] = MappingProxyType({wildcard.value: wildcard for wildcard in Wildcard})
_PARTS = re.compile("([_%])")
_HEXADECIMAL = re.compile("[0-9a-fA-F]")


#: Maximum length of a LIKE pattern, in characters. Matching a pattern of a thousand wildcards with a text of ten
#: thousand characters takes a second.
MAX_LENGTH = 20_000


class PatternError(ValueError):
    """Error for an invalid LIKE pattern; ``offset`` is the position in the pattern, in code points."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def read_pattern(text: str, escape: str | None = None, escapes: Escapes = Escapes.ONE_CODE_POINT) -> Pattern:
    """Parse a LIKE pattern into plain texts and wildcards, with the dialect's rules ``escapes`` for ``escape``.

    Under the standard's rules an escaped character matches itself, whether or not it is a wildcard, and a pattern that
    ends in its escape character raises ``PatternError``.
    """
    if len(text) > MAX_LENGTH:
        raise PatternError(f"the pattern has {len(text):,} characters, but the maximum is {MAX_LENGTH:,}", MAX_LENGTH)
    parts: list[str | Wildcard] = []
    plain: list[str] = []
    for part in _READINGS[escapes](text, escape):
        if isinstance(part, str):
            plain.append(part)
            continue
        if plain:
            parts.append("".join(plain))
            plain.clear()
        if part is not Wildcard.ANY or not parts or parts[-1] is not Wildcard.ANY:
            parts.append(part)
    if plain:
        parts.append("".join(plain))
    return tuple(parts)


def pattern_of(node: ast.Like, escapes: Escapes) -> Pattern | None:
    """Return the parsed pattern of the LIKE ``node``; None if the pattern is invalid."""
    try:
        return read_pattern(node.pattern.value, node.escape.value if node.escape else None, escapes)
    except PatternError:
        return None


def _plain(text: str) -> str | Wildcard:
    return _WILDCARDS.get(text, text)


def _strictly(text: str, escape: str | None) -> Iterator[str | Wildcard]:
    if escape is None or escape not in text:
        yield from map(_plain, filter(None, _PARTS.split(text)))
        return
    characters = iter(enumerate(text))
    for offset, character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None:
                raise PatternError("the pattern ends in its escape character", offset)
            yield following[1]
        else:
            yield _plain(character)


def _before_wildcards(text: str, escape: str | None) -> Iterator[str | Wildcard]:
    index = 0
    while index < len(text):
        character = text[index]
        if character == escape and text[index + 1 : index + 2] in ("%", "_", character):
            plain, index = _java_hexadecimal(text, index + 1, escape)
            yield plain
        else:
            yield _plain(character)
            index += 1


def _after_collapse(text: str, escape: str | None) -> Iterator[str | Wildcard]:
    text = re.sub("%{2,}", "%", text)
    index = 0
    while index < len(text):
        if text[index] == escape:
            plain, index = _java_hexadecimal(text, index + 1, escape)
            yield plain
        else:
            yield _plain(text[index])
            index += 1


def _java_hexadecimal(text: str, index: int, escape: str | None) -> tuple[str, int]:
    r"""Return the text that an escaped character matches in ActiveMQ and Qpid Broker-J, and the offset after it.

    These brokers write ``\x`` and the character's hexadecimal code into a Java regular expression. Java reads exactly
    two digits after ``\x``: a code of one digit takes the next character of the pattern as its second digit, and the
    digits after the second are plain text.
    """
    character, following = text[index : index + 1], text[index + 1 : index + 2]
    if not character or 0x10 <= ord(character) <= 0xFF:
        return character, index + 1
    digits = f"{ord(character):x}"
    if len(digits) > 1:
        return chr(int(digits[:2], 16)) + digits[2:], index + 1
    if following == escape or not _HEXADECIMAL.fullmatch(following):
        raise PatternError("Java's regular expressions reject an escaped control character", index)
    return chr(int(digits + following, 16)), index + 2


def _vanishing(text: str, escape: str | None) -> Iterator[str | Wildcard]:
    escaped = False
    for character in text:
        if character == "\0":
            # The broker passes the regular expression to a C library, which stops at the NUL. So the anchor $ at its
            # end is lost, and any text may follow.
            yield Wildcard.ANY
            return
        if escape and character == escape:
            escaped = True
            continue
        yield character if escaped else _plain(character)
        escaped = False


def _literal_at_end(text: str, escape: str | None) -> Iterator[str | Wildcard]:
    index = 0
    while index < len(text):
        if text[index] == escape and index + 1 < len(text):
            index += 1
            yield text[index]
        else:
            yield _plain(text[index])
        index += 1


_READINGS: Mapping[Escapes, Callable[[str, str | None], Iterator[str | Wildcard]]] = MappingProxyType(
    {
        Escapes.ONE_CODE_POINT: _strictly,
        Escapes.BEFORE_WILDCARDS: _before_wildcards,
        Escapes.AFTER_COLLAPSE: _after_collapse,
        Escapes.VANISHING: _vanishing,
        Escapes.LITERAL_AT_END: _literal_at_end,
    }
)
