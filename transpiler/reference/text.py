"""Evaluation of LIKE on one text, and of ActiveMQ's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from transpiler.base.comparison import Comparison
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.regex.search import SearchLimitError, compile_regular
from transpiler.base.regex.syntax import RegexError
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.language.selector.dialect_rules import Wildcards
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.pattern import read_pattern
from transpiler.message.operand_types import OperandType
from transpiler.reference.arithmetic import java_text
from transpiler.reference.comparison import compare
from transpiler.reference.operands import BrokerError, Operand, Value
from transpiler.reference.untyped import typed_by_use


def is_like(text: str, pattern: str, escape: str | None, dialect: Dialect) -> bool | None:
    """Return True if ``text`` is LIKE ``pattern`` with the escape character ``escape``, under the rules of ``dialect``.

    Return None if the broker compares UTF-8 and the text is not valid.
    """
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
    """Return True if RabbitMQ tests a LIKE pattern without a regular expression.

    It does so if the pattern has no ``_`` and at most one ``%``.
    """
    wildcards, characters = "", iter(pattern)
    for character in characters:
        if character == escape:
            next(characters, None)
        elif character in "%_":
            wildcards += character
    return wildcards in ("", "%")


def _latin(text: str) -> str:
    """Return a string whose characters are the bytes of ``text`` in UTF-8, for brokers that compare bytes."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _latin_parts(parts: Pattern) -> Pattern:
    return tuple(_latin(part) if isinstance(part, str) else part for part in parts)


def _matches(text: str, pattern: Pattern) -> bool:
    """Return True if ``text`` matches ``pattern``.

    It tries only the first occurrence of each segment between two ``%``: a later one leaves less text for the rest.
    """
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
        position = _find(text, segment, at)
        if position is None:
            return False
        at = position + _length(segment)
    end = len(text) - _length(last)
    return end >= at and _stands(text, last, end)


def _length(segment: list[str | Wildcard]) -> int:
    return sum(len(part) if isinstance(part, str) else 1 for part in segment)


def _stands(text: str, segment: list[str | Wildcard], at: int) -> bool:
    """Return True if ``segment``, texts and ``_`` wildcards, matches ``text`` at the index ``at``."""
    for part in segment:
        if isinstance(part, str):
            if not text.startswith(part, at):
                return False
            at += len(part)
        else:
            at += 1
    return at <= len(text)


def _find(text: str, segment: list[str | Wildcard], at: int) -> int | None:
    """Return the first index from ``at`` on at which ``segment`` matches ``text``; None if there is no match."""
    number = next((number for number, part in enumerate(segment) if isinstance(part, str)), None)
    if number is None:
        return at if at + len(segment) <= len(text) else None
    literal = str(segment[number])
    while True:
        position = text.find(literal, at + number)
        if position < 0:
            return None
        at = position - number
        if _stands(text, segment, at):
            return at
        at += 1


def _line_matches(text: str, pattern: Pattern) -> bool:
    """Return True if ``text`` matches the LIKE ``pattern``, whose wildcards do not match line feeds.

    For each element of the pattern, it computes all indexes at which the match of the element can end.
    """
    ends = {0}
    for part in pattern:
        if part is Wildcard.ANY:
            reached: set[int] = set()
            stop = -1
            for start in sorted(ends):
                # ``%`` matches at most up to the end of the line. An earlier start in the same line has reached these
                # ends already.
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


def call(function: str, arguments: Sequence[Callable[[], Operand]], dialect: Dialect) -> Operand:
    """Return the result of the ActiveMQ function ``function``; raise ``BrokerError`` if an argument has a wrong type.

    Each item of ``arguments`` is a function that evaluates one argument.
    """
    match function:
        case "REGEX":
            expression = arguments[0]()
            candidate = None if expression is None else arguments[1]()
            # ActiveMQ matches the text of the value, ``toString()``. For a list that is the text of its members. For an
            # array it is a hash code, which is unknown here, so no expression matches it.
            is_array = candidate is not None and candidate.type is OperandType.BYTES
            if candidate is None or expression is None or (is_array and not isinstance(candidate.value, tuple)):
                return Value(OperandType.BOOLEAN, False)
            with _bounded():
                matches = compile_regular(java_text(expression)).search(java_text(candidate))
            return Value(OperandType.BOOLEAN, matches)
        case "INLIST":
            values, member = arguments[0](), arguments[1]()
            if values is None or not isinstance(values.value, tuple):
                raise BrokerError("the second argument of INLIST is not a list")
            return Value(OperandType.BOOLEAN, any(_equals(item, member, dialect) for item in values.value))
        case "MAKELIST":
            return Value(OperandType.BYTES, tuple(argument() for argument in arguments))
        case "SPLIT":
            text, separator = _text(arguments[0]()), _text(arguments[1]())
            limit = arguments[2]() if len(arguments) > 2 else Value(OperandType.INT, 0)
            if limit is None or limit.type is not OperandType.INT:
                raise BrokerError("the limit is not an Integer")
            with _bounded():
                parts = compile_regular(separator).split(text, int(limit.value))  # type: ignore[arg-type]
                return Value(OperandType.BYTES, tuple(Value(OperandType.STRING, part) for part in parts))
        case _:
            text, regular, replacement = _text(arguments[0]()), _text(arguments[1]()), arguments[2]()
            with _bounded():
                matcher = compile_regular(regular)
                if replacement is None and not matcher.search(text):
                    # Without a match, Java does not use the replacement, so a NULL as the replacement is not an error.
                    return Value(OperandType.STRING, text)
                return Value(OperandType.STRING, matcher.replace(text, _text(replacement)))


def _equals(item: Operand, member: Operand, dialect: Dialect) -> bool:
    """Return True if ``item`` of a list equals ``member`` under Java's ``equals``, which requires equal types."""
    if item is None:
        raise BrokerError("the list of INLIST contains a NULL")
    if member is None:
        return False
    item, member = typed_by_use(item, member, dialect), typed_by_use(member, item, dialect)
    return item.type is member.type and compare(Comparison.EQ, item, member, dialect)


def _text(value: Operand) -> str:
    if value is None or value.type is not OperandType.STRING:
        raise BrokerError("the argument is not a string")
    return str(value.value)


@contextmanager
def _bounded() -> Iterator[None]:
    """Return a context manager that converts the errors of a regular expression.

    An expression that Java rejects, too, raises ``BrokerError``. An expression that is only unsupported here, or takes
    too long, raises ``UnsupportedFeatureError``.
    """
    try:
        yield
    except RegexError as error:
        if error.wrong:
            raise BrokerError(f"the regular expression is invalid: {error}") from None
        raise UnsupportedFeatureError.at("limit.regex", f"the regular expression is not supported: {error}") from None
    except SearchLimitError as error:
        hint = (
            "perhaps shorten the text, or simplify the expression so that fewer repetitions can match "
            "the same characters"
        )
        raise UnsupportedFeatureError.at("limit.regex", str(error), hint=hint) from None
