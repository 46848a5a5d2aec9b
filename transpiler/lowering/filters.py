"""From filters to predicates over a layout.

A filter accepts a message or does not: it has two truth values, and what is lowered for FALSE is the complement of
what is lowered for TRUE. So ``not`` accepts where the selector inside it is false, and where it is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from transpiler import ir
from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import LayoutError, UnsupportedFeatureError
from transpiler.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    NoLocal,
    NotFilter,
    OrFilter,
    Prefix,
    PropertiesFilter,
    Reference,
    SqlFilter,
    Suffix,
    TopicBinding,
)
from transpiler.filters.selectors import dialect_of, parse_text, source_of
from transpiler.layouts.layout import Layout
from transpiler.lowering.header_pairs import Header, header_at, headers, pair
from transpiler.lowering.limits import MAX_NODES
from transpiler.lowering.names import Missing
from transpiler.lowering.operands import complement as not_true
from transpiler.lowering.plain_operands import Alternative, Operand
from transpiler.lowering.receiving import ANYONE, Receiver
from transpiler.lowering.selectors import selector_lowering
from transpiler.lowering.subjects import direct, topic
from transpiler.message.equality import BY_VALUE, Equality, Numbers
from transpiler.message.fields import PUBLISHER_CONNECTION, MessageField
from transpiler.message.types import AmqpType, AmqpValue, TypeClass
from transpiler.selector.dialects import Dialect
from transpiler.selector.pattern import Wildcard

_SUBJECT = MessageField("properties", "subject")


class FilterLowering:
    """The predicates of filters over one layout; ``findings`` collects what a user should know about them."""

    def __init__(
        self,
        layout: Layout,
        missing: Missing,
        dialect: Dialect,
        connection: str | None,
        receiver: Receiver = ANYONE,
    ) -> None:
        self.layout = layout
        self.missing = missing
        self.dialect = dialect
        self.connection = connection
        self.receiver = receiver
        self.findings: list[Diagnostic] = []

    def whole(self, node: Filter) -> ir.Predicate:
        """Where a filter accepts a message; ``UnsupportedFeatureError`` where that would be too large."""
        predicate = self.filter(node)
        if ir.size(predicate) > MAX_NODES:
            raise UnsupportedFeatureError.at(
                "limit.size",
                f"{node.path}: over this layout the filter becomes more than {MAX_NODES:,} SQL operations",
            )
        return predicate

    def filter(self, node: Filter, wanted: bool = True) -> ir.Predicate:
        """Where a filter accepts, or does not accept, a message."""
        match node:
            case DirectBinding(key=key):
                return direct(self._field(_SUBJECT, node.path), key, wanted)
            case TopicBinding(words=words, matches_absent=absent):
                return topic(self._field(_SUBJECT, node.path), words, wanted, absent=absent)
            case HeadersBinding(match=how, pairs=pairs):
                found = [(self._header(key, node.path), value) for key, value in pairs]
                return headers(found, how.any_pair, BY_VALUE, wanted)
            case NoLocal():
                return self._no_local(node.path, wanted)
            case JmsSelector() | SqlFilter():
                return self._selector(node, wanted)
            case OrFilter(filters=filters):
                parts = [self.filter(inner, wanted) for inner in filters]
                return ir.any_of(*parts) if wanted else ir.all_of(*parts)
            case AndFilter(filters=filters):
                parts = [self.filter(inner, wanted) for inner in filters]
                return ir.all_of(*parts) if wanted else ir.any_of(*parts)
            case NotFilter(filter=inner):
                return self.filter(inner, not wanted)
            case PropertiesFilter(fields=fields):
                parts = [
                    _is_like(self._place(MessageField("properties", name), node.path), reference)
                    for name, reference in fields
                ]
                return ir.all_of(*parts) if wanted else not_true(ir.all_of(*parts))
            case ApplicationPropertiesFilter(entries=entries):
                parts = [self._entry(self._header(name, node.path), reference) for name, reference in entries]
                return ir.all_of(*parts) if wanted else not_true(ir.all_of(*parts))
            case _:
                assert_never(node)

    def _selector(self, node: JmsSelector | SqlFilter, wanted: bool) -> ir.Predicate:
        tree = parse_text(node, self.dialect)
        if tree is None:
            return ir.TRUE if wanted else ir.FALSE
        source = source_of(node)
        lowering = selector_lowering(self.layout, self.missing, source, dialect_of(node, self.dialect), self.receiver)
        predicate = lowering.selector(tree)
        self.findings.extend(finding for finding in lowering.findings if finding not in self.findings)
        return predicate if wanted else not_true(predicate)

    def _no_local(self, path: str, wanted: bool) -> ir.Predicate:
        if self.connection is None:
            raise LayoutError.at(
                "filters.connection",
                f"{path}: no-local needs to know the receiver's connection",
                hint="say connection='…', the id by which the publisher's connection is recorded",
            )
        place = self.layout.field(PUBLISHER_CONNECTION)
        if place is None:
            raise LayoutError.at(
                "filters.connection",
                f"{path}: no-local needs to know the publisher's connection, and the layout does not say where it is",
                hint=f"the canonical layout has it in {PUBLISHER_CONNECTION.section}, {PUBLISHER_CONNECTION.field}",
            )
        # One that does not say where it comes from did not come from here.
        own = pair(header_at(place), AmqpValue(AmqpType.STRING, self.connection), BY_VALUE)
        return not_true(own) if wanted else own

    def _entry(self, header: Header, reference: Reference) -> ir.Predicate:
        if isinstance(reference, AmqpValue) and reference.value is None:
            return header.present
        return _is_like(header, reference)

    def _field(self, place: MessageField, path: str) -> Operand:
        return self._place(place, path).operand

    def _place(self, place: MessageField, path: str) -> Header:
        location = self.layout.field(place)
        if location is not None:
            return header_at(location)
        if self.missing == "error":
            raise LayoutError.at(
                "layout.no-column",
                f"{path}: reads {place.section}.{place.field}, and the layout has no such column",
                hint="missing='null' reads it as absent",
            )
        return header_at()

    def _header(self, key: str, path: str) -> Header:
        try:
            location = self.layout.property(key)
        except LayoutError as error:
            [finding] = error.diagnostics
            raise LayoutError.at(finding.code, f"{path}: {finding.message}", hint=finding.hint) from None
        if location is None and self.missing == "error":
            near = nearest(key, self.layout.names())
            hint = f"did you mean {' or '.join(near)}? Names are case-sensitive" if near else None
            raise LayoutError.at(
                "layout.no-column",
                f"{path}: no column holds the property {key}",
                hint=hint or "missing='null' reads an unknown name as a missing property",
            )
        return header_at(location)


#: The equality of the Filter Expressions.
_ACROSS_NUMBERS = Equality(numbers=Numbers.AS_DOUBLES)


def _is_like(header: Header, reference: Reference) -> ir.Predicate:
    match reference:
        case Prefix(text=text):
            return _strings(
                header.operand, lambda value: ir.Like(value, (text, Wildcard.ANY) if text else (Wildcard.ANY,))
            )
        case Suffix(text=text):
            return _strings(
                header.operand, lambda value: ir.Like(value, (Wildcard.ANY, text) if text else (Wildcard.ANY,))
            )
        case AmqpValue():
            return pair(header, reference, _ACROSS_NUMBERS)


def _strings(operand: Operand, make: Callable[[ir.Value], ir.Predicate]) -> ir.Predicate:
    strings: tuple[Alternative, ...] = operand.of(TypeClass.STRING)
    return ir.any_of(*(ir.all_of(item.guard, make(item.value)) for item in strings))
