"""From names to operands: header fields through the table of fields, everything else as an application property."""

from __future__ import annotations

from typing import Literal, NoReturn

from transpiler import ir
from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import LayoutError
from transpiler.layouts.layout import Layout
from transpiler.lowering.headers import later, mapped_operand, whole_number
from transpiler.lowering.operands import MISSING, Operand, at, literal, or_else
from transpiler.lowering.receiving import ANYONE, Receiver
from transpiler.message.fields import RECEIVER, MessageField
from transpiler.message.header_fields import Conversion, HeaderField, Origin
from transpiler.message.ids import canonical, text_of
from transpiler.message.jms_fields import JMS_FIELDS
from transpiler.selector import ast
from transpiler.source import Source

Missing = Literal["error", "null"]


class Names:
    """The operands of the names of one text over one layout."""

    def __init__(self, layout: Layout, missing: Missing, source: Source, receiver: Receiver = ANYONE) -> None:
        self.layout = layout
        self.missing = missing
        self.source = source
        self.receiver = receiver
        self.known: dict[str, Operand] = {}
        #: What a user should know about the names.
        self.findings: list[Diagnostic] = []

    def resolve(self, identifier: ast.Identifier) -> Operand:
        """The operand behind a name; ``LayoutError`` where the layout has no place for it."""
        name = identifier.name
        found = self.known.get(name)
        if found is None:
            header_field = JMS_FIELDS.find(name)
            if header_field is not None:
                found = self._header_field(identifier, header_field)
            else:
                self._refuse_unknown_field(identifier)
                found = self._property(identifier)
            self.known[name] = found
        return found

    def read_text(self, identifier: ast.Identifier, node: ast.StringLiteral) -> str:
        """The literal as it is compared with a name: beside a message id, its hexadecimal digits have no case."""
        header_field = JMS_FIELDS.find(identifier.name)
        if header_field is None or not header_field.is_jms_id:
            return node.value
        text = canonical(node.value)
        seen = text_of(text, message_id=header_field.has_conversion(Conversion.MESSAGE_ID))
        if seen != text:
            message = f"no {identifier.name} reads '{node.value}', so this is never true"
            hint = f"that id reads '{seen}'" if seen else "the rest of it does not fit the prefix"
            self._warn("id.form", message, node, hint)
        return text

    def _refuse_unknown_field(self, identifier: ast.Identifier) -> None:
        """A name of the wire that AMQP does not have, unless a column is called so."""
        prefix = JMS_FIELDS.wire_prefix
        if not identifier.name.startswith(prefix) or identifier.name in self.layout.names():
            return
        near = nearest(identifier.name, [name for name in JMS_FIELDS.table if name.startswith(prefix)])
        hint = f"did you mean {' or '.join(near)}?" if near else "amqp.annotation.KEY names a message annotation"
        raise LayoutError.at(
            "name.unknown-field", f"AMQP has no field {identifier.name}", self.source, identifier.span, hint
        )

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
        if header_field.restricted:
            message = f"Jakarta Messaging keeps {header_field.name} out of selectors; some brokers refuse it"
            self._warn("portability.header", message, identifier, None)
        default = MISSING if header_field.default is None else literal(ir.constant(header_field.default))
        location = self.layout.property(identifier.name) if self.layout.names() else None
        if location is not None:
            # A typed column of the header's own name holds what JMS would have said.
            operand = at(location)
            for origin in header_field.origins:
                if all(place.section == RECEIVER for place in origin.places):
                    operand = or_else(operand, self._origin(origin) or MISSING)
            return or_else(operand, default)
        if not header_field.origins:
            self._warn(
                "name.unmapped",
                f"{header_field.name} is always missing: {header_field.unavailable_because}",
                identifier,
                None,
            )
            return MISSING
        operand, found = MISSING, False
        for origin in header_field.origins:
            own = self._origin(origin)
            if own is not None:
                found = True
                operand = or_else(operand, own)
        if not found and self.missing == "error":
            first = header_field.places[0]
            self._no_place(
                identifier,
                f"{identifier.name} is read from {first.section}.{first.field}, and the layout has no such column",
                "missing='null' reads it as absent",
            )
        return or_else(operand, default)

    def _origin(self, origin: Origin) -> Operand | None:
        """The operand of one origin; None where the layout, or the receiver, does not have it."""
        if origin.conversion is Conversion.EXPIRY:
            duration, *times = (self._whole_number(where) for where in origin.places)
            return None if duration is None else later(duration, tuple(time for time in times if time is not None))
        [where] = origin.places
        if where.section == RECEIVER:
            value = self.receiver.value(where)
            return None if value is None else literal(value)
        location = self.layout.field(where)
        return None if location is None else mapped_operand(origin.conversion, location)

    def _whole_number(self, place: MessageField) -> ir.Value | None:
        if place.section == RECEIVER:
            return self.receiver.value(place)
        location = self.layout.field(place)
        return None if location is None else whole_number(location)

    def _warn(self, code: str, message: str, node: ast.Expression, hint: str | None) -> None:
        finding = Diagnostic(code, "warning", message, self.source, node.span, hint)
        if finding not in self.findings:
            self.findings.append(finding)

    def _no_place(self, identifier: ast.Identifier, message: str, hint: str) -> NoReturn:
        raise LayoutError.at("layout.no-column", message, self.source, identifier.span, hint)


def is_id(name: str) -> bool:
    """Return True for the name of a message id or correlation id, whose hexadecimal digits have no case."""
    header_field = JMS_FIELDS.find(name)
    return header_field is not None and header_field.is_jms_id
