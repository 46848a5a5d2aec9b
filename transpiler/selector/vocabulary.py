"""The two names of one field: JMS's and the wire's, and how JMS sees the wire's numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from transpiler.message.fields import FIRST_NEGATIVE, FOLD, HEADER_FIELDS, MAX_PRIORITY, WIRE, HeaderField, Mapped
from transpiler.selector.whole_numbers import Ranges, cut, joined

#: The two forms of header names.
Form = Literal["jms", "amqp"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Wire numbers from ``low`` to ``high`` that JMS sees shifted, or as one number."""

    low: int
    high: int
    shift: int = 0
    constant: int | None = None

    @property
    def seen(self) -> tuple[int, int]:
        """What JMS sees of them."""
        if self.constant is not None:
            return self.constant, self.constant
        return self.low + self.shift, self.high + self.shift


#: How JMS sees the numbers of a field: the JMS mapping, 3.3.1 and 3.3.2.
PIECES: dict[Mapped, tuple[Piece, ...]] = {
    Mapped.PRIORITY: (Piece(0, MAX_PRIORITY), Piece(MAX_PRIORITY + 1, 255, constant=MAX_PRIORITY)),
    Mapped.DELIVERY_COUNT: (Piece(0, FOLD - 1, shift=1),),
    Mapped.GROUP_SEQUENCE: (Piece(0, FIRST_NEGATIVE - 1), Piece(FIRST_NEGATIVE, FOLD - 1, shift=-FOLD)),
}


@dataclass(frozen=True, slots=True)
class Link:
    """A JMS name and the wire name of the one field that it is read from."""

    jms: HeaderField
    wire: HeaderField
    mapped: Mapped


def _links() -> Iterator[Link]:
    wires = {field.origins[0].places: field for field in HEADER_FIELDS.values() if field.name.startswith(WIRE)}
    for field in HEADER_FIELDS.values():
        # A section that AMQP 1.0 does not have has no wire name.
        known = [origin for origin in field.origins if origin.places[0].section != "delivery_properties"]
        if len(known) == 1 and not field.name.startswith(WIRE) and known[0].places in wires:
            yield Link(field, wires[known[0].places], known[0].mapped)


#: By the name that is left, for the form that is wanted.
LINKS: dict[Form, dict[str, Link]] = {
    "amqp": {link.jms.name: link for link in _links()},
    # Of the two that are read from the delivery count, the count says all of it.
    "jms": {link.wire.name: link for link in _links() if link.mapped is not Mapped.REDELIVERED},
}


def behind(wanted: Ranges, pieces: tuple[Piece, ...]) -> Ranges:
    """The wire numbers that JMS sees in a set."""
    found: list[tuple[int, int]] = []
    for piece in pieces:
        if piece.constant is None:
            part = cut(wanted, *piece.seen)
            found.extend((low - piece.shift, high - piece.shift) for low, high in part)
        elif cut(wanted, piece.constant, piece.constant):
            found.append((piece.low, piece.high))
    return joined(found)


def shown_of(wanted: Ranges, piece: Piece) -> Iterator[tuple[int, int]]:
    """What JMS sees of those wire numbers of a set that are in a piece."""
    for low, high in cut(wanted, piece.low, piece.high):
        yield piece.seen if piece.constant is not None else (low + piece.shift, high + piece.shift)
