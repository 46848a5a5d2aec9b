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
    """Wildcard matching: what stands between two ``%`` is taken where it is found first, which is always right."""
    segments: list[list[str | Wildcard]] = [[]]
    for part in pattern:
        if part is Wildcard.ANY:
            segments.append([])
        else:
            segments[-1].append(part)
    first, *others = segments
    at = _length(first)
    if not _stands(text, first, 0) or not others:
        return at == len(text) and not others and _stands(text, first, 0)
    *middle, last = others
    for segment in middle:
        found = _find(text, segment, at)
        if found is None:
            return False
        at = found + _length(segment)
    end = len(text) - _length(last)
    return end >= at and _stands(text, last, end)


def _length(segment: list[str | Wildcard]) -> int:
    return sum(len(part) if isinstance(part, str) else 1 for part in segment)


def _stands(text: str, segment: list[str | Wildcard], at: int) -> bool:
    """Whether a segment without ``%`` is what stands at a place of the text."""
    for part in segment:
        if isinstance(part, str):
            if not text.startswith(part, at):
                return False
            at += len(part)
        else:
            at += 1
    return at <= len(text)


def _find(text: str, segment: list[str | Wildcard], at: int) -> int | None:
    """The first place from here at which a segment stands; its first literal text says where to look."""
    number = next((number for number, part in enumerate(segment) if isinstance(part, str)), None)
    if number is None:
        return at if at + len(segment) <= len(text) else None
    literal = str(segment[number])
    while True:
        found = text.find(literal, at + number)
        if found < 0:
            return None
        at = found - number
        if _stands(text, segment, at):
            return at
        at += 1


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
            # The text of an array is where it lies in memory.
            if expression is None or candidate is None or candidate.type is OperandType.BYTES:
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
        return re.compile(_JAVA.sub(_as_java_reads, expression), re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise BrokerError(f"the regular expression is wrong: {error}") from None


#: Java's line ends, which its dot does not take and before the last of which its $ stands.
_LINE_ENDS = "\n\r\x85\u2028\u2029"
_JAVA = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|[.$]", re.DOTALL)
_IN_PYTHON = {".": f"[^{_LINE_ENDS}]", "$": f"(?=(?:\r\n|[{_LINE_ENDS}])?(?![\\s\\S]))"}


def _as_java_reads(found: re.Match[str]) -> str:
    return _IN_PYTHON.get(found[0], found[0])


def _split(text: str, separator: str) -> tuple[str, ...]:
    """String.split: trailing empty texts go."""
    parts = _compiled(separator).split(text)
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts) if parts or not text else ()
