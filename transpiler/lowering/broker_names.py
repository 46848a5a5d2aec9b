"""From names to typed operands: a broker's own fields, everything else as an application property."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from transpiler import ir
from transpiler.layouts.columns import BIGINT, STRING, ColumnSource, Derivation, Derived, TaggedUnion
from transpiler.layouts.layout import Layout
from transpiler.lowering.names import Missing, Names
from transpiler.lowering.operands import at as untyped
from transpiler.lowering.operands import one_value
from transpiler.lowering.receiving import ANYONE, Receiver
from transpiler.lowering.typed import NULL, Typed, TypedOperand, at, literal, or_else
from transpiler.message.fields import NOW, RECEIVER
from transpiler.message.header_fields import PROPERTIES, Conversion, HeaderField, Origin
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
        self.found: dict[tuple[str | None, str], TypedOperand] = {}

    def operand(self, identifier: ast.Identifier) -> TypedOperand:
        """The operand behind a name; ``LayoutError`` where the layout has no place for it."""
        key = identifier.section, identifier.name
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = self._look_up(identifier)
        return known

    def _look_up(self, identifier: ast.Identifier) -> TypedOperand:
        name = identifier.name
        field = self.dialect.fields.find(name, identifier.section)
        if field is None:
            return self._application_property(identifier)
        own = self.layout.property(name) if self.layout.names() and not identifier.section else None
        if own is not None:
            # A typed column of the field's own name holds what the broker would have said.
            return self._with_default(self._at(own, name), field)
        operand = self._read(field, identifier)
        if field.falls_back_to_property:
            operand = or_else(operand, self._application_property(identifier))
        return self._with_default(operand, field)

    def _application_property(self, identifier: ast.Identifier) -> TypedOperand:
        # Refuses a name without a place, with the hints that names have.
        self._property(identifier)
        location = self.layout.property(identifier.name)
        return NULL if location is None else self._at(location, identifier.name)

    def _at(self, location: ColumnSource, name: str) -> TypedOperand:
        seen = None if isinstance(location, TaggedUnion) else one_value(location)
        return at(location, seen, self.dialect, name)

    def _with_default(self, operand: TypedOperand, field: HeaderField) -> TypedOperand:
        return operand if field.default is None else or_else(operand, literal(field.type, field.default))

    def _read(self, field: HeaderField, identifier: ast.Identifier) -> TypedOperand:
        """The field without its default; ``LayoutError`` where the layout has none of its places."""
        operand, located = NULL, False
        for origin in field.origins:
            for part in self._parts(field, origin):
                located = True
                operand = or_else(operand, part)
        if field.origins and not located and self.missing == "error":
            self._no_field(field, identifier)
        return operand

    def _parts(self, field: HeaderField, origin: Origin) -> Iterator[TypedOperand]:
        """The operands of an origin's places that the layout, or the receiver, has."""
        if origin.conversion in (Conversion.EXPIRY, Conversion.EXPIRY_UNLESS_ZERO):
            lifetime = self.layout.field(origin.places[0])
            if lifetime is not None:
                assert not isinstance(lifetime, TaggedUnion)
                yield self._end(field, origin, one_value(lifetime))
            return
        for place in origin.places:
            if place.section == RECEIVER:
                value = self.receiver.value(place)
                if value is not None:
                    yield TypedOperand((Typed(field.type, value, sure=True),), known=ir.TRUE)
            elif place.section != PROPERTIES:
                location = self.layout.field(place)
                if location is not None:
                    yield self._field_at(field, origin.conversion, location)

    def _end(self, field: HeaderField, origin: Origin, lifetime: ir.Value) -> TypedOperand:
        """The end of a lifetime that begins now."""
        assert origin.places[1:] == (NOW,)
        end = ir.Apply(ir.Function.LATER, (lifetime, self.receiver.time), BIGINT)
        there, absent = ir.IsNull(lifetime, negated=True), ir.IsNull(lifetime)
        if origin.conversion is Conversion.EXPIRY:
            return TypedOperand((Typed(field.type, end),), absent, known=there)
        some = ir.Compare(Comparison.NE, lifetime, ir.constant(0))
        none = ir.any_of(absent, ir.Compare(Comparison.EQ, lifetime, ir.constant(0)))
        return TypedOperand((Typed(field.type, end, some, sure=True),), none, known=some)

    def _no_field(self, field: HeaderField, identifier: ast.Identifier) -> NoReturn:
        first = field.places[0]
        self._no_place(
            identifier,
            f"{identifier.name} is read from {first.section}.{first.field}, and the layout has no such column",
            "missing='null' reads it as absent",
        )

    def _field_at(self, field: HeaderField, conversion: Conversion, location: ColumnSource) -> TypedOperand:
        """A field as the broker shows it, NULL where the message does not have it."""
        plain = untyped(location)
        absent = plain.absent
        if isinstance(location, TaggedUnion):
            return self._id(field, conversion, location)
        value = one_value(location)
        if isinstance(location, Derived) and location.derivation is Derivation.UUID:
            value = ir.Apply(ir.Function.TEXT_OF_UUID, (value,), STRING)
        there = plain.present
        match conversion:
            case Conversion.DELIVERY_MODE:
                return _either(value, "PERSISTENT", "NON_PERSISTENT", absent, field.type)
            case Conversion.DURABILITY:
                return _either(value, "DURABLE", "NON_DURABLE", absent, field.type)
            case Conversion.REDELIVERED:
                above = ir.Compare(Comparison.GT, value, ir.constant(0))
                none = ir.Compare(Comparison.LE, value, ir.constant(0))
                items = (_sure(field.type, True, above), _sure(field.type, False, none))
                return TypedOperand(items, absent, known=there)
            case Conversion.DELIVERY_COUNT:
                value = ir.Apply(ir.Function.ADD, (value, ir.constant(1)), BIGINT)
            case Conversion.WHOLE_SECONDS:
                value = _whole_seconds(value)
            case Conversion.TEXT_OF_BYTES:
                value = ir.Apply(ir.Function.TEXT_OF_BYTES, (value,), STRING)
            case _:
                if field.type.integer and value.type != BIGINT:
                    value = ir.Apply(ir.Function.TO_LONG, (value,), BIGINT)
        return TypedOperand((Typed(field.type, value),), absent, known=there)

    def _id(self, field: HeaderField, conversion: Conversion, location: ColumnSource) -> TypedOperand:
        typed = at(location, None, self.dialect, field.name)
        if conversion not in (Conversion.STRING_ID, Conversion.PREFIXED_ID):
            return typed
        text = next(item.value for item in untyped(location).alternatives if item.value.type == STRING)
        missing = ir.IsNull(text)
        there = ir.IsNull(text, negated=True)
        if conversion is Conversion.STRING_ID:
            return TypedOperand((Typed(field.type, text),), missing, known=there)
        prefixed = ir.Apply(ir.Function.CONCATENATE, (ir.constant("ID:"), text), STRING)
        has = ir.Like(text, ("ID:", Wildcard.ANY))
        lacks = ir.Like(text, ("ID:", Wildcard.ANY), negated=True)
        items = (
            Typed(field.type, ir.When(has, text), has, sure=True),
            Typed(field.type, ir.When(lacks, prefixed), lacks, sure=True),
        )
        return TypedOperand(items, missing, known=there)


def _sure(kind: OperandType, value: bool | str, guard: ir.Predicate) -> Typed:
    return Typed(kind, ir.constant(value), guard, sure=True)


def _either(flag: ir.Value, when: str, otherwise: str, absent: ir.Predicate, kind: OperandType) -> TypedOperand:
    items = (_sure(kind, when, ir.IsTrue(flag)), _sure(kind, otherwise, ir.IsTrue(flag, negated=True)))
    return TypedOperand(items, absent, known=ir.any_of(ir.IsTrue(flag), ir.IsTrue(flag, negated=True)))


def _whole_seconds(milliseconds: ir.Value) -> ir.Value:
    """Milliseconds without what is beyond the second, in arithmetic that does not overflow."""
    rest = ir.Apply(ir.Function.REMAINDER_BIG, (milliseconds, ir.constant(1000)), BIGINT)
    return ir.Apply(ir.Function.TO_LONG, (ir.Apply(ir.Function.SUBTRACT_BIG, (milliseconds, rest), BIGINT),), BIGINT)
