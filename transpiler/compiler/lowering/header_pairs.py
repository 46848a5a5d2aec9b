"""Key-value pairs as conditions on the headers of a message: its application properties, or fields of its sections.

A pair becomes the equality tests of its value. Each test reads the column, or the field of a tagged union, that holds
values of its type. A pair is never unknown, so its predicate for FALSE is the complement of its predicate for TRUE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Advice, Fix, nearest
from transpiler.base.errors import LayoutError
from transpiler.base.hints import Hint, Setting
from transpiler.base.source import Source, Span
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import BIGINT, STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored
from transpiler.compiler.lowering.comparison.comparison_kinds import to_double
from transpiler.compiler.lowering.equality_tests import (
    BY_CLASS,
    COMPOUNDS,
    Comparand,
    EqualityForm,
)
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.names.unknown_names import all_advice
from transpiler.compiler.lowering.operands import NULL, Alternative, Operand, or_else
from transpiler.language.conditions import MessageFields
from transpiler.message.header_fields import PROPERTIES, MessageField
from transpiler.message.operand_types import OperandType
from transpiler.message.types import AmqpType, ValueType


class ValueTest(NamedTuple):
    """An equality test of a header; ``values`` are its constants, as IR literals or parameters."""

    form: EqualityForm
    values: Sequence[ir.Value]


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a message, read from the first of ``stored_values`` (columns or map keys) that the message has."""

    stored_values: tuple[Stored, ...]

    @property
    def operand(self) -> Operand:
        """The header's value as an operand, with one alternative for each type."""
        result = NULL
        for stored_value in reversed(self.stored_values):
            result = or_else(at(stored_value), result, stored_value.key_absent)
        return result

    @property
    def present(self) -> ir.Predicate:
        """The predicate that the message has the header, even with the value null."""
        return ir.any_of(*[stored_value.key_present for stored_value in self.stored_values])

    @property
    def missing(self) -> ir.Predicate:
        """The predicate that the message does not have the header."""
        return ir.all_of(*[stored_value.key_absent for stored_value in self.stored_values])

    def equals(self, tests: Sequence[ValueTest]) -> ir.Predicate:
        """Return the predicate that at least one of ``tests`` holds for the header's value."""
        alternatives: list[ir.Predicate] = []
        earlier: list[ir.Predicate] = []
        for stored_value in self.stored_values:
            alternatives.append(ir.all_of(*earlier, ir.any_of(*(_holds(stored_value, *test) for test in tests))))
            earlier.append(stored_value.key_absent)
        return ir.any_of(*alternatives)


def header_at(*stored_values: Stored | None) -> Header:
    """Return a header that is read from the first of ``stored_values`` that the message has.

    None in ``stored_values`` is skipped; if all are None, no message has the header. In a typed column, NULL means that
    the message does not have the header.
    """
    return Header(tuple(stored_value for stored_value in stored_values if stored_value is not None))


#: The comparands of equality tests that compare numbers.
_NUMBERS = frozenset(Comparand) - {Comparand.BOOLEAN, Comparand.STRING, Comparand.BYTES, Comparand.TEXT}


def _holds(stored_value: Stored, form: EqualityForm, values: Sequence[ir.Value]) -> ir.Predicate:
    guard: ir.Predicate = ir.TRUE
    by_use = stored_value.by_use
    if by_use is None:
        guard = _has_types(stored_value, form.types, form.excludes_types)
    elif form.comparand in _NUMBERS:
        # A number that is read from text has no AMQP type. So the test's restriction of AMQP types is not applied.
        stored_value = by_use.number
    elif form.comparand is Comparand.BOOLEAN:
        stored_value = by_use.boolean
    value = _comparand(stored_value, form.comparand)
    if guard == ir.FALSE or value is None:
        return ir.FALSE
    if form.is_range:
        first, last = values
        return ir.all_of(guard, ir.Compare(Comparison.GE, value, first), ir.Compare(Comparison.LE, value, last))
    [constant] = values
    return ir.all_of(guard, ir.Compare(Comparison.EQ, value, constant))


def _has_types(stored_value: Stored, types: tuple[ValueType, ...], excluded: bool) -> ir.Predicate:
    if not types:
        return ir.TRUE
    return stored_value.lacks_type(types) if excluded else stored_value.has_type(types)


def _comparand(stored_value: Stored, comparand: Comparand) -> ir.Value | None:
    """Return the value in ``stored_value`` converted to the type ``comparand``; None if it never has such a value."""
    values: list[ir.Value] = []
    operand = at(stored_value)
    match comparand:
        case Comparand.TEXT:
            values = [_guarded(stored_value, item) for item in operand.of(OperandType.STRING)]
            simple = _has_types(stored_value, COMPOUNDS, True)
            for item in operand.of(OperandType.BYTES):
                text = ir.Apply(ir.Function.TEXT_OF_BYTES, (_guarded(stored_value, item),), STRING)
                values.append(ir.guarded(simple, text))
        case Comparand.NUMBER | Comparand.NUMBER_SECONDS:
            whole = _comparand(
                stored_value, Comparand.SECONDS if comparand is Comparand.NUMBER_SECONDS else Comparand.INTEGER
            )
            values = [_guarded(stored_value, item) for item in operand.of(OperandType.DOUBLE)]
            values += [] if whole is None else [to_double(whole)]
        case Comparand.SECONDS:
            for item in operand.of(OperandType.LONG):
                is_time = _has_types(stored_value, (AmqpType.TIMESTAMP,), False)
                if is_time != ir.FALSE:
                    whole = _guarded(stored_value, item)
                    seconds = ir.Apply(ir.Function.DIVIDE, (whole, ir.constant(1000)), BIGINT)
                    values.append(ir.guarded(is_time, seconds))
                if is_time != ir.TRUE:
                    values.append(_guarded(stored_value, item))
        case Comparand.WIDENED:
            values = [to_double(_guarded(stored_value, item)) for item in operand.of(OperandType.LONG)]
        case _:
            values = [
                _guarded(stored_value, item)
                for item in operand.alternatives
                if BY_CLASS[ir.type_class(item.value.type)] is comparand
            ]
    return ir.first_of(values) if values else None


def _guarded(stored_value: Stored, item: Alternative) -> ir.Value:
    """Return the value of ``item``, or NULL if its guard does not hold.

    In a tagged union, the guard can be left out: the field for the value is NULL if the union has another type.
    """
    return item.value if stored_value.tag is not None else ir.guarded(item.guard, item.value)


class HeaderLookup:
    """Finds the headers of a layout by the message fields from which they are read."""

    def __init__(self, layout: Layout, missing: Missing) -> None:
        self._layout = layout
        self._missing = missing

    def find(
        self, stored_values: MessageFields, path: str = "", source: Source | None = None, span: Span | None = None
    ) -> Header:
        """Return the header that is read from the first of the message fields ``stored_values`` that a message has.

        The first field is an application property. Raise ``LayoutError`` if the layout stores none of the fields and a
        missing name is an error. ``path``, or ``source`` and ``span``, are the location of the name in this error.
        """
        name, others = stored_values[0].field, [self._layout.field(stored_value) for stored_value in stored_values[1:]]
        prefix = f"{path}: " if path else ""
        try:
            location = self._layout.property(name)
        except LayoutError as error:
            [finding] = error.diagnostics
            raise LayoutError([replace(finding, message=prefix + finding.message, source=source, span=span)]) from None
        found = [stored_value for stored_value in (location, *others) if stored_value is not None]
        if not found and self._missing == "error":
            near = nearest(name, self._layout.names())
            absent = Setting("missing", "null")
            as_missing = Advice(Hint("perhaps treat unknown names as missing properties: ", absent), absent.fix)
            hint, fix = all_advice(self._layout.offers(MessageField(PROPERTIES, name)) or (as_missing,))
            if near:
                hint = f"did you mean {' or '.join(near)}? Names are case-sensitive"
                fix = None if source is None else Fix(near[0])
            raise LayoutError.at(
                "layout.no-column",
                f"{prefix}no column contains the property {name}",
                source,
                span,
                hint,
                fix,
            )
        return header_at(*found)
