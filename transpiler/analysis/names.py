"""From names to operands: header fields through the table of fields, everything else as an application property."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NoReturn

from transpiler.analysis.operands import MISSING, Operand, at, guarded, literal, or_else, text_only
from transpiler.diagnostics import nearest
from transpiler.errors import LayoutError, UnsupportedFeatureError
from transpiler.layouts.layout import Layout
from transpiler.message.fields import DELIVERY_MODES, HEADER_FIELDS, UNMAPPED, HeaderField, Mapped
from transpiler.message.types import TypeClass
from transpiler.predicate.core import FALSE, Flag, any_of, constant
from transpiler.selector import ast
from transpiler.source import Source

Missing = Literal["error", "null"]


class Names:
    """The operands of the names of one text over one layout."""

    def __init__(self, layout: Layout, missing: Missing, source: Source) -> None:
        self.layout = layout
        self.missing = missing
        self.source = source
        self.known: dict[str, Operand] = {}

    def resolve(self, identifier: ast.Identifier) -> Operand:
        """The operand behind a name; ``LayoutError`` where the layout has no place for it."""
        name = identifier.name
        found = self.known.get(name)
        if found is None:
            header_field = HEADER_FIELDS.get(name)
            if header_field is not None:
                found = self._header_field(identifier, header_field)
            elif name in UNMAPPED:
                raise UnsupportedFeatureError.at(
                    "name.unmapped", f"{name} is not mapped to AMQP yet", self.source, identifier.span
                )
            else:
                found = self._property(identifier)
            self.known[name] = found
        return found

    def _property(self, identifier: ast.Identifier) -> Operand:
        try:
            location = self.layout.property(identifier.name)
        except LayoutError as error:
            [finding] = error.diagnostics
            raise LayoutError.at(finding.code, finding.message, self.source, identifier.span, finding.hint) from None
        if location is not None:
            return at(location)
        if self.missing == "null":
            return MISSING
        names = self.layout.names()
        near = nearest(identifier.name, names)
        if near:
            hint = f"did you mean {' or '.join(near)}? Names are case-sensitive"
        elif names:
            listed = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            hint = f"the columns are {listed}; missing='null' reads an unknown name as a missing property"
        else:
            hint = "missing='null' reads an unknown name as a missing property"
        return self._no_place(identifier, f"no column holds the property {identifier.name}", hint)

    def _header_field(self, identifier: ast.Identifier, header_field: HeaderField) -> Operand:
        location = self.layout.property(identifier.name) if self.layout.names() else None
        if location is not None:
            # A typed column of the header's own name holds what JMS would have said.
            own = header_field.default
            if header_field.mapped is Mapped.DELIVERY_MODE:
                own = DELIVERY_MODES[False]
            return _with_default(at(location), own)
        places = [found for place in header_field.places if (found := self.layout.field(place)) is not None]
        if not places and self.missing == "error":
            first = header_field.places[0]
            self._no_place(
                identifier,
                f"{identifier.name} is read from {first.section}.{first.field}, and the layout has no such column",
                "missing='null' reads it as absent",
            )
        operand = MISSING
        for place in places:
            operand = or_else(operand, at(place))
        return _MAPPED[header_field.mapped](operand, header_field)

    def _no_place(self, identifier: ast.Identifier, message: str, hint: str) -> NoReturn:
        raise LayoutError.at("layout.no-column", message, self.source, identifier.span, hint)


def _with_default(operand: Operand, default: object) -> Operand:
    if default is None:
        return operand
    assert isinstance(default, bool | int | float | str)
    return or_else(operand, literal(constant(default)))


def _as_is(operand: Operand, header_field: HeaderField) -> Operand:
    return _with_default(operand, header_field.default)


def _delivery_mode(operand: Operand, _: HeaderField) -> Operand:
    durable = operand.of(TypeClass.BOOLEAN)
    when_true = any_of(*(Flag(item.value) for item in durable)) if durable else FALSE
    when_false = any_of(*(Flag(item.value, negated=True) for item in durable), operand.absent)
    return guarded(when_true, when_false, DELIVERY_MODES[True], DELIVERY_MODES[False])


def _id(operand: Operand, _: HeaderField) -> Operand:
    return text_only(operand)


_MAPPED: dict[Mapped, Callable[[Operand, HeaderField], Operand]] = {
    Mapped.AS_IS: _as_is,
    Mapped.DELIVERY_MODE: _delivery_mode,
    Mapped.ID: _id,
}
