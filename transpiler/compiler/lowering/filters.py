"""Lowering of filters to predicates: combinators here, bindings in ``bindings``, selectors in ``selectors``.

A filter accepts a message or does not: it has two truth values, and what is lowered for FALSE is the complement of
what is lowered for TRUE. So ``not`` accepts where the selector inside it is false, and where it is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.base.hints import Hint, Setting
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.bindings.bindings import LITERALS, Bindings, TextKey
from transpiler.compiler.lowering.bindings.header_pairs import (
    SUBJECT,
    Header,
    HeaderLookup,
    has_value,
    header_at,
    matches_reference,
)
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.lowering.operands import complement
from transpiler.compiler.lowering.selectors import MAX_NODES, SelectorLowering
from transpiler.language.filters.binding_rules import APACHE_FILTERS, HeadersMatch
from transpiler.language.filters.kinds import (
    STREAM_VALUE,
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    NoLocal,
    NotFilter,
    OrFilter,
    PropertiesFilter,
    Reference,
    SqlFilter,
    StreamFilter,
    TopicBinding,
)
from transpiler.language.filters.selector_parsing import dialect_of, parse_text, source_of
from transpiler.language.selector.dialects import Dialect
from transpiler.message.header_fields import PUBLISHER_CONNECTION, MessageField
from transpiler.message.receiver import ANYONE, Receiver
from transpiler.message.types import BY_VALUE, AmqpType, AmqpValue


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
        self._bindings = Bindings(layout, missing, APACHE_FILTERS, LITERALS)
        self._headers = HeaderLookup(layout, missing)
        self.findings: list[Diagnostic] = []

    def whole(self, node: Filter) -> ir.Predicate:
        """The predicate that a filter accepts a message; ``UnsupportedFeatureError`` where that would be too large."""
        predicate = self.filter(node)
        if ir.size(predicate) > MAX_NODES:
            raise UnsupportedFeatureError.at(
                "limit.size",
                f"{node.path}: over this layout the filter becomes more than {MAX_NODES:,} SQL operations",
            )
        return predicate

    def filter(self, node: Filter, polarity: bool = True) -> ir.Predicate:
        """The predicate that a filter accepts, or does not accept, a message."""
        match node:
            case DirectBinding(key=key):
                return self._subject(node.path).direct(key, polarity)
            case TopicBinding(pattern=pattern):
                return self._subject(node.path).topic(pattern, polarity)
            case HeadersBinding(match=how, pairs=pairs):
                # A null value asks for the key alone.
                tests = tuple((key, None if value.value is None else value) for key, value in pairs)
                return self._bindings.headers(HeadersMatch(how.any_pair, tests), polarity, node.path)
            case NoLocal():
                return self._no_local(node.path, polarity)
            case JmsSelector() | SqlFilter():
                return self._selector(node, polarity)
            case OrFilter(filters=filters):
                parts = [self.filter(inner, polarity) for inner in filters]
                return ir.any_of(*parts) if polarity else ir.all_of(*parts)
            case AndFilter(filters=filters):
                parts = [self.filter(inner, polarity) for inner in filters]
                return ir.all_of(*parts) if polarity else ir.any_of(*parts)
            case NotFilter(filter=inner):
                return self.filter(inner, not polarity)
            case PropertiesFilter(fields=fields):
                headers = (self._field(MessageField("properties", name), node.path) for name, _ in fields)
                return self._references(headers, fields, polarity)
            case ApplicationPropertiesFilter(entries=entries):
                headers = (self._headers.find(name, node.path) for name, _ in entries)
                return self._references(headers, entries, polarity)
            case StreamFilter():
                return self._stream(node, polarity)
            case _:
                assert_never(node)

    def _stream(self, node: StreamFilter, polarity: bool) -> ir.Predicate:
        place = self.layout.field(MessageField("message_annotations", STREAM_VALUE))
        if place is None:
            message = f"{node.path}: the layout {self.layout.name} has no message annotations, and so no {STREAM_VALUE}"
            hint = "so the other filters alone select messages"
            self.findings.append(Diagnostic("filters.stream", "warning", message, hint=hint))
            return ir.TRUE if polarity else ir.FALSE
        header = header_at(place)
        tests = [matches_reference(header, AmqpValue(AmqpType.STRING, value)) for value in node.values]
        matched = ir.any_of(*tests, *((at(place).absent,) if node.unfiltered else ()))
        return matched if polarity else complement(matched)

    def _references(
        self, headers: Iterable[Header], pairs: Iterable[tuple[str, Reference]], polarity: bool
    ) -> ir.Predicate:
        matched = [matches_reference(header, reference) for header, (_, reference) in zip(headers, pairs, strict=True)]
        return ir.all_of(*matched) if polarity else complement(ir.all_of(*matched))

    def _selector(self, node: JmsSelector | SqlFilter, polarity: bool) -> ir.Predicate:
        tree = parse_text(node, self.dialect)
        if tree is None:
            return ir.TRUE if polarity else ir.FALSE
        source = source_of(node)
        lowering = SelectorLowering(self.layout, self.missing, source, dialect_of(node, self.dialect), self.receiver)
        predicate = lowering.selector(tree)
        self.findings.extend(finding for finding in lowering.findings if finding not in self.findings)
        return predicate if polarity else complement(predicate)

    def _no_local(self, path: str, polarity: bool) -> ir.Predicate:
        if self.connection is None:
            raise LayoutError.at(
                "filters.connection",
                f"{path}: no-local needs to know the receiver's connection",
                hint="perhaps say connection='…', the id by which the publisher's connection is recorded",
            )
        place = self.layout.field(PUBLISHER_CONNECTION)
        if place is None:
            raise LayoutError.at(
                "filters.connection",
                f"{path}: no-local needs to know the publisher's connection, and the layout does not say where it is",
                hint=f"the canonical layout has it in {PUBLISHER_CONNECTION.section}, {PUBLISHER_CONNECTION.field}",
            )
        # A message without the id of its publisher's connection was not published on this one.
        return has_value(header_at(place), AmqpValue(AmqpType.STRING, self.connection), BY_VALUE, not polarity)

    def _subject(self, path: str) -> TextKey:
        return TextKey(self._field(SUBJECT, path).operand, APACHE_FILTERS)

    def _field(self, field: MessageField, path: str) -> Header:
        location = self.layout.field(field)
        if location is None and self.missing == "error":
            absent = Setting("missing", "null")
            raise LayoutError.at(
                "layout.no-column",
                f"{path}: reads {field.section}.{field.field}, and the layout has no such column",
                hint=Hint(absent, " reads it as absent"),
                fix=absent.fix,
            )
        return header_at(location)
