"""The two names of one field: JMS's and the wire's, and how JMS sees the wire's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Literal

from transpiler.message.fields import FIRST_NEGATIVE, FOLD, MAX_PRIORITY, RECEIVER
from transpiler.message.header_fields import Conversion, HeaderField
from transpiler.message.jms_fields import JMS_FIELDS, WIRE
from transpiler.selector import ast
from transpiler.selector.integer_sets import Ranges, cut, joined

#: The two forms of header names.
Form = Literal["jms", "amqp"]

#: By what a name has a counterpart: by the messages that it selects, or by the table of the standard.
Table = Literal["meaning", "standard"]

#: The older Apache filter document, selector-filter, Table "Mapping JMS Headers to AMQP fields". "… translated to
#: amqp.field_name where field_name is the appropriate AMQP 1.0 field … with the hyphen replaced by an underscore".
STANDARD: Mapping[str, str] = MappingProxyType(
    {
        "JMSCorrelationID": "amqp.correlation_id",
        "JMSDeliveryMode": "amqp.durable",
        "JMSDestination": "amqp.to",
        "JMSExpiration": "amqp.absolute_expiry_time",
        "JMSMessageID": "amqp.message_id",
        "JMSPriority": "amqp.priority",
        "JMSRedelivered": "amqp.delivery_count",
        "JMSReplyTo": "amqp.reply_to",
        "JMSTimestamp": "amqp.creation_time",
        "JMSType": "amqp.jms_type",
    }
)

#: Of these the table gives a field of another type: a boolean for a text, and a number for "delivery-count > 0".
RETYPED = ("JMSDeliveryMode", "JMSRedelivered")


@dataclass(frozen=True, slots=True)
class Piece:
    """Wire numbers from ``low`` to ``high`` that JMS sees shifted, or as one number."""

    low: int
    high: int
    shift: int = 0
    constant: int | None = None

    @property
    def seen(self) -> tuple[int, int]:
        """The range of numbers that JMS sees."""
        if self.constant is not None:
            return self.constant, self.constant
        return self.low + self.shift, self.high + self.shift


#: The numbers of a field as JMS sees them: the JMS mapping, 3.3.1 and 3.3.2.
PIECES: dict[Conversion, tuple[Piece, ...]] = {
    Conversion.PRIORITY: (Piece(0, MAX_PRIORITY), Piece(MAX_PRIORITY + 1, 255, constant=MAX_PRIORITY)),
    Conversion.DELIVERY_COUNT: (Piece(0, FOLD - 1, shift=1),),
    Conversion.GROUP_SEQUENCE: (Piece(0, FIRST_NEGATIVE - 1), Piece(FIRST_NEGATIVE, FOLD - 1, shift=-FOLD)),
}


@dataclass(frozen=True, slots=True)
class Link:
    """A JMS name and the wire name of the one field that it is read from."""

    jms: HeaderField
    wire: HeaderField
    conversion: Conversion


def _links() -> Iterator[Link]:
    wires = {field.origins[0].places: field for field in JMS_FIELDS.table.values() if field.name.startswith(WIRE)}
    for field in JMS_FIELDS.table.values():
        # A section that AMQP 1.0 does not have has no wire name, and what the receiver knows has none.
        known = [
            origin for origin in field.origins if origin.places[0].section not in ("delivery_properties", RECEIVER)
        ]
        if len(known) == 1 and not field.name.startswith(WIRE) and known[0].places in wires:
            yield Link(field, wires[known[0].places], known[0].conversion)


#: The links to each form, by the name in the other form.
LINKS: dict[Form, dict[str, Link]] = {
    "amqp": {link.jms.name: link for link in _links()},
    # Of the two that are read from the delivery count, the count has all of it.
    "jms": {link.wire.name: link for link in _links() if link.conversion is not Conversion.REDELIVERED},
}


def behind(accepted: Ranges, pieces: tuple[Piece, ...]) -> Ranges:
    """Return the wire numbers that JMS sees as a number of the set."""
    ranges: list[tuple[int, int]] = []
    for piece in pieces:
        if piece.constant is None:
            part = cut(accepted, *piece.seen)
            ranges.extend((low - piece.shift, high - piece.shift) for low, high in part)
        elif cut(accepted, piece.constant, piece.constant):
            ranges.append((piece.low, piece.high))
    return joined(ranges)


def shown_of(accepted: Ranges, piece: Piece) -> Iterator[tuple[int, int]]:
    """Yield the ranges that JMS sees for the wire numbers of a set that are in the piece."""
    for low, high in cut(accepted, piece.low, piece.high):
        yield piece.seen if piece.constant is not None else (low + piece.shift, high + piece.shift)


def exchanged(node: ast.Expression, names: Mapping[str, str]) -> ast.Expression:
    """Exchange the names of a tree; the test for a redelivery becomes its name where the names become JMS's."""
    match node:
        case ast.Identifier(name=name, section=None):
            return replace(node, name=names.get(name, name))
        case ast.Compare(ast.Comparison.GT, ast.Identifier("amqp.delivery_count"), ast.IntegerLiteral(0)) if (
            "amqp.to" in names
        ):
            return ast.Identifier("JMSRedelivered", span=node.span)
    changed: dict[str, object] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if item.name == "span":
            continue
        if isinstance(value, tuple):
            changed[item.name] = tuple(
                exchanged(part, names) if isinstance(part, ast.Expression) else part for part in value
            )
        elif isinstance(value, ast.Expression):
            changed[item.name] = exchanged(value, names)
    return replace(node, **changed)  # type: ignore[arg-type]
