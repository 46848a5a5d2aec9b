"""Constants of a condition: the values at which its outcome can change. Samples contain them and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transpiler.base.text_pattern import Wildcard
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Escapes
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.pattern import PatternError, read_pattern
from transpiler.message.message import Message
from transpiler.reference.evaluate import value_of

#: The time that UTC() returns when samples are judged, in milliseconds since the epoch.
NOW = 1_750_772_279_000


def constant(node: ast.Expression, dialect: Dialect) -> object:
    """Evaluate ``node``, an operand without names, under the rules of ``dialect``; None if it has no value."""
    return value_of(node, Message(), dialect)


def constants(node: ast.Expression, source: Dialect, target: Dialect) -> Iterator[object]:
    """Yield constants for sample values: literals of ``node``, texts near its LIKE patterns, and computed constants.

    A constant subexpression such as ``2 * 3`` is evaluated in the dialects ``source`` and ``target``.
    """
    for inner in ast.walk(node):
        match inner:
            case ast.Like(pattern=pattern, escape=escape):
                yield from _texts_of(pattern.value, escape.value if escape else None)
            case ast.Call(function="REGEX", arguments=(ast.StringLiteral(value=regular), _)):
                plain = regular.strip("^$").replace("\\", "")
                pattern_like = plain.replace(".*", "%").replace(".", "_")
                yield from (plain, *_texts_of(pattern_like, None), *_texts_of(f"%{pattern_like}%", None))
            case ast.Identifier() | ast.BooleanLiteral() | ast.NullLiteral():
                pass
            case ast.BinaryLiteral(value=octets):
                yield octets.decode("utf-8", "surrogateescape")
            case ast.StringLiteral(value=text):
                yield text
                yield from (dict(source.fields.rewritten).get(text, text), text.removeprefix("ID:"))
            case ast.IntegerLiteral(value=number) | ast.FloatLiteral(value=number):
                yield number
            case ast.Calculate() | ast.Sign() | ast.Call() if is_constant(inner):
                value, other = constant(inner, source), constant(inner, target)
                if value is not None:
                    yield value
                # The two dialects may evaluate a constant expression differently. For example, a sum of strings may be
                # NULL in ``source`` and have a value in ``target``. Then both values are sample constants.
                if other is not None and other != value:
                    yield other
            case _:
                pass


def is_constant(node: ast.Expression) -> bool:
    """Return True if the tree ``node`` reads neither the message nor the clock."""
    return not any(isinstance(inner, ast.Identifier | ast.BodyQuery) for inner in ast.walk(node)) and not reads_clock(
        node
    )


def reads_clock(node: ast.Expression) -> bool:
    """Return True if the tree ``node`` reads the clock, by UTC()."""
    return any(isinstance(inner, ast.Call) and inner.function == "UTC" for inner in ast.walk(node))


def _texts_of(pattern: str, escape: str | None) -> Sequence[str]:
    """Return texts that match the LIKE pattern ``pattern`` or nearly match it.

    Brokers read the ``escape`` character in different ways. The texts fit each of them.
    """
    texts = [pattern]
    for reading in Escapes:
        try:
            parts = read_pattern(pattern, escape, reading)
        except PatternError:
            continue
        for any_, one in (("", "x"), ("yz", "é"), ("x\nz", "\n"), ("é", "😀"), ("", "")):
            fill = {Wildcard.ANY: any_, Wildcard.ONE: one}
            texts.append("".join(part if isinstance(part, str) else fill[part] for part in parts))
    return list(dict.fromkeys(texts))
