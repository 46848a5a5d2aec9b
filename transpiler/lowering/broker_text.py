"""LIKE as a broker's engine has it: by code points or bytes, over line ends or within lines."""

from __future__ import annotations

from transpiler import ir
from transpiler.layouts.columns import BOOLEAN, STRING
from transpiler.lowering.broker_comparison import Truths
from transpiler.lowering.literal_parameters import fits
from transpiler.selector.dialect_rules import Wildcards
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import Pattern, Wildcard


def text_test(
    value: ir.Value,
    pattern: Pattern,
    written: str,
    escape: str | None,
    dialect: Dialect,
    parameter: ir.Value | None = None,
) -> Truths:
    """Where a string matches a pattern, and where it does not; ``parameter`` as ``fits`` has it."""
    if dialect.wildcards is Wildcards.BYTES:
        value = ir.Apply(ir.Function.BEFORE_NUL, (value,), STRING)
    if is_plain(pattern, written, escape, dialect):
        return _both_ways(value, pattern, parameter)
    assert parameter is None
    match dialect.wildcards:
        case Wildcards.CODE_POINTS:
            return _both_ways(value, pattern)
        case Wildcards.BYTES:
            return _both_ways(*_by_octets(value, pattern))
        case Wildcards.BYTES_OF_LINE:
            return _of_line(*_by_octets(value, pattern), end="(?![\\s\\S])")
        case Wildcards.LINES:
            truths = _of_line(value, pattern, end="(?=\\n?(?![\\s\\S]))")
            if not _from_bytes(value):
                return truths
            # What is no UTF-8 is no subject of a regular expression, and so unknown.
            valid = ir.IsTrue(ir.Apply(ir.Function.VALID, (value,), BOOLEAN))
            return Truths(ir.all_of(valid, truths.true), ir.all_of(valid, truths.false))


def is_plain(pattern: Pattern, written: str, escape: str | None, dialect: Dialect) -> bool:
    """Whether every engine finds the same texts to match: no wildcard has bytes or line ends to stumble over."""
    if Wildcard.ONE in pattern:
        return False
    match dialect.wildcards:
        case Wildcards.CODE_POINTS | Wildcards.BYTES:
            return True
        case Wildcards.BYTES_OF_LINE:
            return Wildcard.ANY not in pattern
        case Wildcards.LINES:
            return _percents(written, escape) <= 1


def _of_line(value: ir.Value, pattern: Pattern, end: str) -> Truths:
    """A pattern whose wildcards stop at a line feed."""
    expression = _line_expression(pattern) + end
    return Truths(ir.Matches(value, expression), ir.Matches(value, expression, negated=True))


def _from_bytes(value: ir.Value) -> bool:
    """Whether a text can be one that was bytes."""
    match value:
        case ir.Apply(function=ir.Function.TEXT_OF_BYTES):
            return True
        case ir.Apply(arguments=arguments):
            return any(_from_bytes(argument) for argument in arguments)
        case ir.When(value=inner):
            return _from_bytes(inner)
        case _:
            return False


def _both_ways(value: ir.Value, pattern: Pattern, parameter: ir.Value | None = None) -> Truths:
    return Truths(fits(value, pattern, parameter), fits(value, pattern, parameter, negated=True))


def _by_octets(value: ir.Value, pattern: Pattern) -> tuple[ir.Value, Pattern]:
    """Where a wildcard stands for one byte, text and pattern as their bytes."""
    if Wildcard.ONE not in pattern:
        return value, pattern
    octets = tuple(part.encode().decode("latin-1") if isinstance(part, str) else part for part in pattern)
    return ir.Apply(ir.Function.OCTETS, (value,), STRING), octets


def _percents(written: str, escape: str | None) -> int:
    count, characters = 0, iter(written)
    for character in characters:
        if character == escape:
            next(characters, None)
        elif character == "%":
            count += 1
    return count


def _line_expression(pattern: Pattern) -> str:
    """A pattern within lines, without going back over what a ``%`` has passed: the earliest find is always right."""
    segments = [""]
    for part in pattern:
        if part is Wildcard.ANY:
            segments.append("")
        else:
            segments[-1] += "[^\\n]" if isinstance(part, Wildcard) else _quoted(part)
    if len(segments) == 1:
        return f"^{segments[0]}"
    middle = "".join(f"(?>[^\\n]*?{segment})" for segment in segments[1:-1] if segment)
    return f"^{segments[0]}{middle}[^\\n]*{segments[-1]}"


def _quoted(text: str) -> str:
    """Literal text in a regular expression of Java."""
    return "".join(f"\\x{{{ord(character):x}}}" if not character.isalnum() else character for character in text)
