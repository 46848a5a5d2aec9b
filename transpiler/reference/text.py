"""LIKE on one text, and the functions of ActiveMQ."""

from __future__ import annotations

import re
from collections.abc import Callable

from transpiler.message.operand_types import OperandType
from transpiler.reference.arithmetic import java_text
from transpiler.reference.values import BrokerError, Operand, Value
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import Pattern, Wildcard, read_pattern
from transpiler.selector.rules import Wildcards


def is_like(text: str, pattern: str, escape: str | None, dialect: Dialect) -> bool | None:
    """Whether a text matches a pattern value; None where the text is no text to the broker."""
    parts = read_pattern(pattern, escape, dialect.escapes)
    match dialect.wildcards:
        case Wildcards.CODE_POINTS:
            return _matches(text, parts)
        case Wildcards.BYTES:
            return _matches(_latin(text).partition("\0")[0], _latin_parts(parts))
        case Wildcards.BYTES_OF_LINE:
            return _line_matches(_latin(text), _latin_parts(parts))
        case Wildcards.LINES:
            if is_simple(pattern, escape):
                return _matches(_latin(text), _latin_parts(parts))
            if any("\udc80" <= character <= "\udcff" for character in text):
                return None
            return _line_matches(text, parts) or (text.endswith("\n") and _line_matches(text[:-1], parts))


def is_simple(pattern: str, escape: str | None) -> bool:
    """Whether RabbitMQ tests a pattern without a regular expression: no ``_`` and at most one ``%``."""
    wildcards, characters = "", iter(pattern)
    for character in characters:
        if character == escape:
            next(characters, None)
        elif character in "%_":
            wildcards += character
    return wildcards in ("", "%")


def _latin(text: str) -> str:
    """The bytes of a text, each as one character."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _latin_parts(parts: Pattern) -> Pattern:
    return tuple(_latin(part) if isinstance(part, str) else part for part in parts)


def _matches(text: str, pattern: Pattern) -> bool:
    """Wildcard matching by going back to the last ``%``: no more than the product of the two lengths."""
    parts: list[str | Wildcard] = []
    for part in pattern:
        parts.extend(part if isinstance(part, str) else (part,))
    at = here = 0
    last_any, resume = -1, 0
    while at < len(text):
        if here < len(parts) and parts[here] is Wildcard.ANY:
            last_any, resume = here, at
            here += 1
        elif here < len(parts) and (parts[here] is Wildcard.ONE or parts[here] == text[at]):
            at, here = at + 1, here + 1
        elif last_any >= 0:
            resume += 1
            at, here = resume, last_any + 1
        else:
            return False
    return all(part is Wildcard.ANY for part in parts[here:])


def _line_matches(text: str, pattern: Pattern) -> bool:
    """The same where no wildcard takes a line feed, by the places that each part can end at."""
    ends = {0}
    for part in pattern:
        if part is Wildcard.ANY:
            reached: set[int] = set()
            stop = -1
            for start in sorted(ends):
                # From the places of one line the first reaches all that the others do.
                if start > stop:
                    stop = text.find("\n", start)
                    stop = len(text) if stop < 0 else stop
                    reached.update(range(start, stop + 1))
            ends = reached
        elif part is Wildcard.ONE:
            ends = {end + 1 for end in ends if end < len(text) and text[end] != "\n"}
        else:
            assert isinstance(part, str)
            ends = {end + len(part) for end in ends if text.startswith(part, end)}
    return len(text) in ends


def call(function: str, arguments: list[Callable[[], Operand]]) -> Operand:
    """A function of ActiveMQ; ``BrokerError`` for an argument of the wrong type."""
    match function:
        case "REGEX":
            expression = arguments[0]()
            candidate = None if expression is None else arguments[1]()
            if expression is None or candidate is None:
                return Value(OperandType.BOOLEAN, False)
            return Value(OperandType.BOOLEAN, bool(_compiled(java_text(expression)).search(java_text(candidate))))
        case "INLIST":
            values, found = arguments[0](), arguments[1]()
            if values is None or not isinstance(values.value, tuple):
                raise BrokerError("INLIST looks into what is no list")
            return Value(
                OperandType.BOOLEAN,
                found is not None and found.type is OperandType.STRING and found.value in values.value,
            )
        case "MAKELIST":
            items = [argument() for argument in arguments]
            return Value(OperandType.BYTES, tuple(str(item.value) for item in items if item is not None))
        case "SPLIT":
            text, separator = _text(arguments[0]()), _text(arguments[1]())
            return Value(OperandType.BYTES, _split(text, separator))
        case _:
            text, regular, replacement = (_text(argument()) for argument in arguments)
            return Value(OperandType.STRING, _compiled(regular).sub(re.sub(r"\$(\d)", r"\\\1", replacement), text))


def _text(value: Operand) -> str:
    if value is None or value.type is not OperandType.STRING:
        raise BrokerError("the argument is no string")
    return str(value.value)


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise BrokerError(f"the regular expression is wrong: {error}") from None


def _split(text: str, separator: str) -> tuple[str, ...]:
    """String.split: trailing empty texts go."""
    parts = _compiled(separator).split(text)
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts) if parts or not text else ()
