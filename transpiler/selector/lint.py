"""Warn about valid selectors that probably do not mean what their author intended."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.diagnostics import Diagnostic, nearest
from transpiler.message.fields import DELIVERY_MODES
from transpiler.message.header_fields import Conversion, HeaderField
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.selector.dialect_rules import Ordering, ReservedWords
from transpiler.selector.dialects import JMS, Dialect
from transpiler.selector.pattern import read_pattern
from transpiler.selector.satisfiability import Contradiction, Implication, find_redundancy
from transpiler.source import Source, Span

#: The two words of a delivery mode, by the conversion of the field.
_MODES = {
    Conversion.DELIVERY_MODE: tuple(DELIVERY_MODES.values()),
    Conversion.DURABILITY: ("DURABLE", "NON_DURABLE"),
}
_TIMES = ("JMSTimestamp", "JMSExpiration", "JMSDeliveryTime", "amqp.creation_time", "amqp.absolute_expiry_time")


def lint(tree: ast.Expression, source: Source, dialect: Dialect = JMS) -> list[Diagnostic]:
    """Return warnings about a checked tree, in the order of the text."""
    # Where strings are read as numbers, it is no mistake to compare the two.
    silent = ("quoted-number", "text-for-number") if isinstance(tree, ast.ConvertStrings) else ()
    findings = [
        Diagnostic(f"lint.{code}", "warning", message, source, span, hint)
        for doubts in (*(_doubts(node, dialect) for node in ast.walk(tree)), _redundancy(tree, source, dialect))
        for code, message, span, hint in doubts
        if code not in silent
    ]
    return sorted(findings, key=lambda finding: finding.span or Span(0, 0))


_Doubt = tuple[str, str, Span, str | None]


def _doubts(node: ast.Expression, dialect: Dialect) -> Iterator[_Doubt]:
    match node:
        case ast.Identifier():
            yield from _unknown_header(node, dialect)
        case ast.Compare(operator=operator, left=left, right=right):
            if _is_null(left, dialect) or _is_null(right, dialect):
                name = right if _is_null(left, dialect) else left
                shown = name.name if isinstance(name, ast.Identifier) else "…"
                test = "IS NULL" if operator is not ast.Comparison.NE else "IS NOT NULL"
                message = f"NULL is the name of a property in {dialect.title}"
                yield "null-name", message, (left if name is right else right).span, f"write {shown} {test}"
                return
            if not operator.is_equality:
                yield from _order_of_text(left, (right,), operator.value, dialect)
                yield from _order_of_text(right, (left,), operator.value, dialect)
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
            if len(members) == 1 and isinstance(members[0], ast.StringLiteral) and "," in members[0].value:
                yield from _one_for_several(members[0])
        case ast.Between(operand=operand, low=low, high=high) if _is_text(operand, dialect):
            yield from _order_of_text(operand, (low, high), "BETWEEN", dialect)
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


def _field(name: ast.Identifier, dialect: Dialect) -> HeaderField | None:
    return dialect.fields.find(name.name, name.section)


def _is_header(name: ast.Identifier, dialect: Dialect) -> bool:
    return _field(name, dialect) is not None


def _is_numeric(name: ast.Identifier, dialect: Dialect) -> bool:
    field = _field(name, dialect)
    return field is not None and field.type.integer and not field.falls_back_to_property


def _modes(name: ast.Identifier, dialect: Dialect) -> tuple[str, ...]:
    field = _field(name, dialect)
    if field is None:
        return ()
    return next((words for conversion, words in _MODES.items() if field.has_conversion(conversion)), ())


def _unquoted(right: ast.Identifier, dialect: Dialect) -> Iterator[_Doubt]:
    if not _is_header(right, dialect):
        message = f"{right.name} is the name of a property here, not text"
        yield "unquoted-word", message, right.span, f"text goes into single quotes: '{right.name}'"


def _text_test(operand: ast.Expression, operator: str, dialect: Dialect) -> Iterator[_Doubt]:
    if isinstance(operand, ast.Identifier) and _is_numeric(operand, dialect):
        yield "text-for-number", f"{operand.name} is a number, and {operator} is for strings", operand.span, None


def _is_text(node: ast.Expression, dialect: Dialect) -> bool:
    """Return True for a header field that is a string; in RabbitMQ's sections an id may have another type."""
    if not isinstance(node, ast.Identifier) or node.section:
        return False
    # An annotation, which no table has, may be of any type, and so may a property.
    field = dialect.fields.table.get(node.name)
    if field is None or field.type is not OperandType.STRING or field.falls_back_to_property:
        return False
    # A name that the broker answers with NULL has no type.
    return bool(field.origins or field.unavailable_because)


def _order_of_text(
    named: ast.Expression, others: tuple[ast.Expression, ...], operator: str, dialect: Dialect
) -> Iterator[_Doubt]:
    numbers = any(isinstance(other, ast.IntegerLiteral | ast.FloatLiteral) for other in others)
    if _is_text(named, dialect) and (numbers or dialect.ordering is Ordering.FALSE):
        assert isinstance(named, ast.Identifier)
        hint = "compare it with =, <>, IN or LIKE"
        yield "order-of-text", f"{named.name} is a string, and {operator} orders numbers", named.span, hint


def _one_for_several(member: ast.StringLiteral) -> Iterator[_Doubt]:
    parts = [part.strip(" '\"") for part in member.value.split(",")]
    hint = f"write {', '.join(_quoted(part) for part in parts if part)}"
    yield "comma-in-string", "this is one string with a comma, not several strings", member.span, hint


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _is_null(node: ast.Expression, dialect: Dialect) -> bool:
    """Return True for the name NULL, where a dialect reserves the word in IS NULL only."""
    named = isinstance(node, ast.Identifier) and node.name.upper() == "NULL"
    return named and dialect.reserved_words is ReservedWords.ANY_CASE_WITHOUT_NULL


#: Jakarta Messaging 3.5: names that begin with JMS are reserved, JMSX for the standard and JMS_ for providers.
_PREFIX, _STANDARD, _PROVIDER = "JMS", "JMSX", "JMS_"


def _unknown_header(name: ast.Identifier, dialect: Dialect) -> Iterator[_Doubt]:
    """Warn about a reserved name that neither the standard nor the dialect defines."""
    text = name.name
    if not text.startswith(_PREFIX) or name.section or not dialect.fields.table:
        # Where there are no header fields, such a name is a property as any other.
        return
    known = {field for field in (*JMS.fields.table, *dialect.fields.table) if field.startswith(_PREFIX)}
    if text in known:
        return
    near = nearest(text, sorted(known))
    if text.startswith(_PROVIDER) and not near:
        return
    hint = f"did you mean {near[0]}?" if near else f"names that begin with {_PREFIX} are reserved; choose another one"
    message = f"{text} is no header field of {' or '.join(dict.fromkeys((JMS.title, dialect.title)))}"
    yield "unknown-header", message, name.span, hint


def _redundancy(tree: ast.Expression, source: Source, dialect: Dialect) -> Iterator[_Doubt]:
    """Warn about terms that are never true together, always true, or implied by another."""
    for finding in find_redundancy(tree, dialect):
        match finding:
            case Contradiction(term=term, others=others):
                with_ = " and ".join(_shown(other, source) for other in others[:3])
                message = f"this is never true together with {with_}{' and others' if len(others) > 3 else ''}"
                yield "never-true", message, term.span, "remove one of them, or join them with OR"
            case Implication(term=term, by=by, junction=junction):
                other = _shown(by, source)
                message = f"{other} implies this" if isinstance(junction, ast.And) else f"this implies {other}"
                yield "implied", message, term.span, "remove it"
            case _:
                yield "always-true", "this is true for every message", finding.node.span, "remove it, or join with AND"


def _shown(node: ast.Expression, source: Source) -> str:
    text = " ".join(source.text[node.span.start : node.span.end].split())
    return text if len(text) <= 60 else f"{text[:59]}…"


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
