"""From names to typed operands: a broker's own fields, everything else as an application property."""

from __future__ import annotations

from typing import NoReturn

from transpiler import ir
from transpiler.layouts.columns import BIGINT, STRING, ColumnSource, Derivation, Derived, TaggedUnion
from transpiler.layouts.layout import Layout
from transpiler.lowering.names import Missing, PlainNames as Names
from transpiler.lowering.plain_operands import at as untyped
from transpiler.lowering.plain_operands import one_value
from transpiler.lowering.receiving import ANYONE, Receiver
from transpiler.lowering.operands import NULL, Alternative, Operand, literal, or_else
from transpiler.lowering.column_values import at
from transpiler.message.broker_fields import SECTION_FIELDS, BrokerField, Reading
from transpiler.message.fields import RECEIVER
from transpiler.message.operand_types import OperandType
from transpiler.selector import ast
from transpiler.selector.ast import Comparison
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import Wildcard
from transpiler.source import Source


class BrokerNames(Names):
    """The operands of the names of one text over one layout, as one broker sees them."""

    def __init__(
        self, layout: Layout, missing: Missing, source: Source, dialect: Dialect, receiver: Receiver = ANYONE
    ) -> None:
        super().__init__(layout, missing, source, receiver)
        self.dialect = dialect
        self.found: dict[tuple[str | None, str], Operand] = {}

    def operand(self, identifier: ast.Identifier) -> Operand:
        """The operand behind a name; ``LayoutError`` where the layout has no place for it."""
        key = identifier.section, identifier.name
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._look_up(identifier)
        return known

    def _look_up(self, identifier: ast.Identifier) -> Operand:
        name = identifier.name
        field = SECTION_FIELDS[identifier.section, name] if identifier.section else self.dialect.fields.find(name)
        if field is None:
            return self._application_property(identifier)
        own = self.layout.property(name) if self.layout.names() and not identifier.section else None
        if own is not None:
            # A typed column of the field's own name holds what the broker would have said.
            return self._with_default(self._at(own, name), field)
        operand = self._read(field, identifier)
        if field.or_property:
            operand = or_else(operand, self._application_property(identifier))
        return operand

    def _application_property(self, identifier: ast.Identifier) -> Operand:
        # Refuses a name without a place, with the hints that names have.
        self._property(identifier)
        location = self.layout.property(identifier.name)
        return NULL if location is None else self._at(location, identifier.name)

    def _at(self, location: ColumnSource, name: str) -> Operand:
        return at(location, self.dialect.types, name)

    def _with_default(self, operand: Operand, field: BrokerField) -> Operand:
        default = field.default
        if default is None:
            return operand
        match field.reading:
            case Reading.DELIVERY_MODE:
                default = "NON_PERSISTENT"
            case Reading.DURABILITY:
                default = "NON_DURABLE"
            case Reading.REDELIVERED:
                default = False
            case Reading.DELIVERIES:
                default = 1
            case _:
                pass
        return or_else(operand, literal(field.type, default))

    def _read(self, field: BrokerField, identifier: ast.Identifier) -> Operand:
        read = [place for place in field.places if place.section != RECEIVER]
        places = [found for place in read if (found := self.layout.field(place)) is not None]
        known = [self.receiver.value(place) for place in field.places if place.section == RECEIVER]
        given = [Alternative(field.type, value, never_null=True) for value in known if value is not None]
        lifetime = None if field.lifetime is None else self.layout.field(field.lifetime)
        if field.places and not places and not given and lifetime is None and self.missing == "error":
            self._no_field(field, identifier)
        operand = NULL
        for location in places:
            operand = or_else(operand, self._field_at(field, location))
        for item in given:
            operand = or_else(operand, Operand((item,), ir.TRUE, ir.FALSE))
        if lifetime is not None:
            operand = or_else(operand, self._end(field, one_value(lifetime)))  # type: ignore[arg-type]
        return self._with_default(operand, field)

    def _end(self, field: BrokerField, lifetime: ir.Value) -> Operand:
        """The end of a lifetime that begins now."""
        end = ir.Apply(ir.Function.LATER, (lifetime, self.receiver.time), BIGINT)
        there, absent = ir.IsNull(lifetime, negated=True), ir.IsNull(lifetime)
        if not field.zero_is_for_ever:
            return Operand((Alternative(field.type, end),), there, absent)
        some = ir.Compare(Comparison.NE, lifetime, ir.constant(0))
        none = ir.any_of(absent, ir.Compare(Comparison.EQ, lifetime, ir.constant(0)))
        return Operand((Alternative(field.type, end, some, never_null=True),), some, none)

    def _no_field(self, field: BrokerField, identifier: ast.Identifier) -> NoReturn:
        first = field.places[0]
        self._no_place(
            identifier,
            f"{identifier.name} is read from {first.section}.{first.field}, and the layout has no such column",
            "missing='null' reads it as absent",
        )

    def _field_at(self, field: BrokerField, location: ColumnSource) -> Operand:
        """A field as the broker shows it, NULL where the message does not have it."""
        plain = untyped(location)
        absent = plain.absent
        if isinstance(location, TaggedUnion):
            return self._id(field, location)
        value = one_value(location)
        if isinstance(location, Derived) and location.derivation is Derivation.UUID:
            value = ir.Apply(ir.Function.TEXT_OF_UUID, (value,), STRING)
        there = plain.present
        match field.reading:
            case Reading.DELIVERY_MODE:
                return _either(value, "PERSISTENT", "NON_PERSISTENT", absent, field.type)
            case Reading.DURABILITY:
                return _either(value, "DURABLE", "NON_DURABLE", absent, field.type)
            case Reading.REDELIVERED:
                above = ir.Compare(Comparison.GT, value, ir.constant(0))
                none = ir.Compare(Comparison.LE, value, ir.constant(0))
                items = (_sure(field.type, True, above), _sure(field.type, False, none))
                return Operand(items, there, absent)
            case Reading.DELIVERIES:
                value = ir.Apply(ir.Function.ADD, (value, ir.constant(1)), BIGINT)
            case Reading.WHOLE_SECONDS:
                value = _whole_seconds(value)
            case Reading.TEXT:
                value = ir.Apply(ir.Function.TEXT_OF_BYTES, (value,), STRING)
            case _:
                pass
        return Operand((Alternative(field.type, value),), there, absent)

    def _id(self, field: BrokerField, location: ColumnSource) -> Operand:
        typed = at(location, self.dialect.types, field.name)
        if field.reading not in (Reading.ID, Reading.PREFIXED_ID):
            return typed
        text = next(item.value for item in untyped(location).alternatives if item.value.type == STRING)
        missing = ir.IsNull(text)
        there = ir.IsNull(text, negated=True)
        if field.reading is Reading.ID:
            return Operand((Alternative(field.type, text),), there, missing)
        prefixed = ir.Apply(ir.Function.CONCATENATE, (ir.constant("ID:"), text), STRING)
        has = ir.Like(text, ("ID:", Wildcard.ANY))
        lacks = ir.Like(text, ("ID:", Wildcard.ANY), negated=True)
        items = (
            Alternative(field.type, ir.When(has, text), has, never_null=True),
            Alternative(field.type, ir.When(lacks, prefixed), lacks, never_null=True),
        )
        return Operand(items, there, missing)


def _sure(kind: OperandType, value: bool | str, guard: ir.Predicate) -> Alternative:
    return Alternative(kind, ir.constant(value), guard, never_null=True)


def _either(flag: ir.Value, when: str, otherwise: str, absent: ir.Predicate, kind: OperandType) -> Operand:
    items = (_sure(kind, when, ir.IsTrue(flag)), _sure(kind, otherwise, ir.IsTrue(flag, negated=True)))
    return Operand(items, ir.any_of(ir.IsTrue(flag), ir.IsTrue(flag, negated=True)), absent)


def _whole_seconds(milliseconds: ir.Value) -> ir.Value:
    """Milliseconds without what is beyond the second, in arithmetic that does not overflow."""
    rest = ir.Apply(ir.Function.REMAINDER_BIG, (milliseconds, ir.constant(1000)), BIGINT)
    return ir.Apply(ir.Function.TO_LONG, (ir.Apply(ir.Function.SUBTRACT_BIG, (milliseconds, rest), BIGINT),), BIGINT)
