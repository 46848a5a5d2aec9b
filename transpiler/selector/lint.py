"""What is a selector and is probably not what its author meant."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.diagnostics import Diagnostic
from transpiler.message.broker_fields import SECTION_FIELDS, BrokerField, Reading
from transpiler.message.fields import DELIVERY_MODES, HEADER_FIELDS, find_field
from transpiler.message.types import SelectorType
from transpiler.selector import ast
from transpiler.selector.dialects import JMS, Dialect
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source, Span

_NUMBERS = (SelectorType.SHORT, SelectorType.INT, SelectorType.LONG)
#: The two words of a delivery mode, by how the broker reads the field.
_MODES = {
    Reading.DELIVERY_MODE: tuple(DELIVERY_MODES.values()),
    Reading.DURABILITY: ("DURABLE", "NON_DURABLE"),
}
_TIMES = ("JMSTimestamp", "JMSExpiration", "JMSDeliveryTime", "amqp.creation_time", "amqp.absolute_expiry_time")


def lint(tree: ast.Expression, source: Source, dialect: Dialect = JMS) -> list[Diagnostic]:
    """Warnings about a checked tree, in the order of the text."""
    # Where strings are read as numbers, it is no mistake to compare the two.
    silent = ("quoted-number", "text-for-number") if isinstance(tree, ast.ConvertStrings) else ()
    findings = [
        Diagnostic(f"lint.{code}", "warning", message, source, span, hint)
        for node in ast.walk(tree)
        for code, message, span, hint in _doubts(node, dialect)
        if code not in silent
    ]
    return sorted(findings, key=lambda finding: finding.span or Span(0, 0))


_Doubt = tuple[str, str, Span, str | None]


def _doubts(node: ast.Expression, dialect: Dialect) -> Iterator[_Doubt]:
    match node:
        case ast.Compare(left=left, right=right):
            yield from _comparison(left, right, dialect)
            yield from _comparison(right, left, dialect)
            if isinstance(left, ast.Identifier) and isinstance(right, ast.Identifier):
                yield from _unquoted(right, dialect)
        case ast.Like(operand=operand, pattern=pattern, escape=escape):
            parts = read_pattern(pattern.value, escape.value if escape else None, dialect.escapes)
            if all(isinstance(part, str) for part in parts):
                hint = f"write {'<>' if node.negated else '='}"
                yield "like-without-wildcard", "a pattern without % or _ matches one text only", pattern.span, hint
            yield from _text_test(operand, "LIKE", dialect)
        case ast.In(operand=operand, members=members):
            if all(isinstance(member, ast.StringLiteral) for member in members):
                yield from _text_test(operand, "IN", dialect)
            yield from _repeated(members, "this member stands in the list twice")
        case ast.Between(low=ast.IntegerLiteral(value=low), high=ast.IntegerLiteral(value=high)) if low > high:
            yield "empty-range", f"nothing is between {low} and {high}", node.span, "exchange the bounds"
        case ast.And(terms=terms) | ast.Or(terms=terms):
            yield from _repeated(terms, "this condition stands here twice")
        case _:
            return


def _comparison(named: ast.Expression, other: ast.Expression, dialect: Dialect) -> Iterator[_Doubt]:
    if not isinstance(named, ast.Identifier):
        return
    name, modes = named.name, _modes(named, dialect)
    if modes:
        words = (*modes, *(word for word, read in dialect.fields.rewritten if read in modes))
        if isinstance(other, ast.IntegerLiteral) or (isinstance(other, ast.StringLiteral) and other.value not in words):
            hint = f"write '{modes[0]}' or '{modes[1]}'"
            yield "delivery-mode", f"{name} is one of two strings", other.span, hint
    elif isinstance(other, ast.StringLiteral) and _is_numeric(named, dialect):
        hint = "write the milliseconds since 1970-01-01" if name in _TIMES else "write it without quotes"
        yield "text-for-number", f"{name} is a number, and a string never equals it", other.span, hint
    elif isinstance(other, ast.StringLiteral) and not _is_header(named, dialect) and _is_number(other.value):
        message = "this compares text: a property that holds a number never equals it"
        yield "quoted-number", message, other.span, f"to compare the number, write {other.value.strip()}"


def _field(name: ast.Identifier, dialect: Dialect) -> BrokerField | None:
    """The field of the broker's own table; the default dialect has another one."""
    return SECTION_FIELDS.get((name.section, name.name)) if name.section else dialect.fields.find(name.name)


def _is_header(name: ast.Identifier, dialect: Dialect) -> bool:
    if dialect.fields is JMS.fields:
        return find_field(name.name) is not None
    return _field(name, dialect) is not None


def _is_numeric(name: ast.Identifier, dialect: Dialect) -> bool:
    if dialect.fields is JMS.fields:
        field = HEADER_FIELDS.get(name.name)
        return field is not None and field.type in _NUMBERS
    found = _field(name, dialect)
    return found is not None and found.type.integer and not found.or_property


def _modes(name: ast.Identifier, dialect: Dialect) -> tuple[str, ...]:
    if dialect.fields is JMS.fields:
        return _MODES[Reading.DELIVERY_MODE] if name.name == "JMSDeliveryMode" else ()
    found = _field(name, dialect)
    return () if found is None else _MODES.get(found.reading, ())


def _unquoted(right: ast.Identifier, dialect: Dialect) -> Iterator[_Doubt]:
    if not _is_header(right, dialect):
        message = f"{right.name} is the name of a property here, not text"
        yield "unquoted-word", message, right.span, f"text goes into single quotes: '{right.name}'"


def _text_test(operand: ast.Expression, operator: str, dialect: Dialect) -> Iterator[_Doubt]:
    if isinstance(operand, ast.Identifier) and _is_numeric(operand, dialect):
        yield "text-for-number", f"{operand.name} is a number, and {operator} is for strings", operand.span, None


def _repeated(terms: tuple[ast.Expression, ...], message: str) -> Iterator[_Doubt]:
    seen: set[ast.Expression] = set()
    for term in terms:
        if term in seen:
            yield "repeated", message, term.span, "remove one of the two"
        seen.add(term)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
