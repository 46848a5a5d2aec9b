"""Lower names to operands: header fields by the dialect's table and the receiver, all other names as properties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Diagnostic, Fix, Remedy, nearest
from transpiler.base.errors import LayoutError
from transpiler.base.source import Source
from transpiler.compiler import ir
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import BIGINT, STRING
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored
from transpiler.compiler.lowering.names.column_values import at, converted, expiry, whole_number
from transpiler.compiler.lowering.operands import NULL, Alternative, Operand, in_every_row, literal, or_else
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.message.header_fields import (
    DESTINATION,
    NOW,
    PROPERTIES,
    RECEIVER,
    Conversion,
    HeaderField,
    MessageField,
    Origin,
)
from transpiler.message.ids import ULONG, canonical, text_of
from transpiler.message.operand_types import OperandType
from transpiler.message.receiver import ANYONE, Receiver

if TYPE_CHECKING:
    from transpiler.compiler.lowering.names.unknown_names import UnknownNames


def time_of(receiver: Receiver) -> ir.Value:
    """Return the time that the receiver was given, or the time of the query or micro-batch if none was given."""
    return ir.Apply(ir.Function.NOW, (), BIGINT) if receiver.now is None else ir.Constant(receiver.now, BIGINT)


def value_at(receiver: Receiver, message_field: MessageField) -> ir.Value | None:
    """Return the IR value of a "message field" that depends on the consumer: the current time or the destination.

    ``message_field`` is ``NOW`` or ``DESTINATION``. Return None if ``receiver`` has no destination.
    """
    if message_field == NOW:
        return time_of(receiver)
    assert message_field == DESTINATION
    return None if receiver.destination is None else ir.Constant(receiver.destination, STRING)


class Names:
    """Lowers the names in one selector over one layout by the rules of a dialect."""

    def __init__(
        self,
        layout: Layout,
        missing: Missing,
        source: Source,
        dialect: Dialect = JMS,
        receiver: Receiver = ANYONE,
    ) -> None:
        self.layout = layout
        self.missing = missing
        self.source = source
        self.dialect = dialect
        self.receiver = receiver
        #: Warnings about names in the selector, found while they are lowered.
        self.findings: list[Diagnostic] = []
        self._operands: dict[tuple[str | None, str], Operand] = {}

    def operand(self, identifier: ast.Identifier) -> Operand:
        """Return the operand for a name. If the layout does not store the name, raise ``LayoutError``."""
        key = identifier.section, identifier.name
        known = self._operands.get(key)
        if known is None:
            field = self.dialect.fields.find(identifier.name, identifier.section)
            if field is not None:
                known = self._header_field(identifier, field)
            else:
                self._refuse_unknown_field(identifier)
                known = self._property(identifier)
            self._operands[key] = known
        return known

    def literal_text(self, node: ast.StringLiteral, test: ast.Compare | ast.In | None = None) -> str:
        """Return the text of the literal ``node``.

        If ``test`` compares the literal with a message ID of JMS, return the canonical form of the ID, because the case
        of its hexadecimal digits does not matter. Warn if no ID can have the text.
        """
        if self.dialect.fields.rewritten:
            return dict(self.dialect.fields.rewritten).get(node.value, node.value)
        named = None if test is None else _other_side(test, node)
        if test is None or not isinstance(named, ast.Identifier):
            return node.value
        field = self.dialect.fields.find(named.name, named.section)
        if field is None or not field.is_jms_id:
            return node.value
        text = canonical(node.value)
        seen = text_of(text, message_id=field.has_conversion(Conversion.MESSAGE_ID))
        # Do not warn if the table has a column such as JMSMessageID: its texts are compared unchanged, so that an ID
        # needs no prefix ``ID:``.
        if seen != text and self._own_column(named) is None:
            outcome = "true of every other" if _is_not_equal(test) else "never true"
            message = f"no {named.name} reads '{node.value}', so the condition is {outcome}"
            self._warn("id.form", message, node, *_id_remedy(text, seen))
        return text

    def _refuse_unknown_field(self, identifier: ast.Identifier) -> None:
        """Raise ``LayoutError`` if a name has the prefix of AMQP fields (``amqp.``) and is neither field nor column."""
        fields = self.dialect.fields
        prefix = fields.wire_prefix
        if not prefix or not identifier.name.startswith(prefix) or identifier.name in self.layout.names():
            return
        near = nearest(identifier.name, [name for name in fields.table if name.startswith(prefix)])
        hint = f"did you mean {' or '.join(near)}?" if near else "amqp.annotation.KEY names a message annotation"
        message, fix = f"AMQP has no field {identifier.name}", Fix(near[0]) if near else None
        raise LayoutError.at("name.unknown-field", message, self.source, identifier.span, hint, fix)

    def _property(self, identifier: ast.Identifier) -> Operand:
        try:
            location = self.layout.property(identifier.name)
        except LayoutError as error:
            raise self._unknown().with_location(error, identifier) from None
        if location is not None:
            self._warn_if_ambiguous(identifier, MessageField(PROPERTIES, identifier.name))
            return at(location, self.dialect.types, identifier.name)
        if self.missing == "null":
            return NULL
        raise self._unknown().property(identifier)

    def _unknown(self) -> UnknownNames:
        # Imported in the function to save start-up time: only errors need the hints, which load other layouts.
        from transpiler.compiler.lowering.names.unknown_names import UnknownNames

        return UnknownNames(self.layout, self.source, self.dialect)

    def _warn_if_ambiguous(self, identifier: ast.Identifier, message_field: MessageField) -> None:
        """Warn if the name ``identifier`` could also mean a column or key other than the one that the layout reads."""
        reading = self.layout.ambiguity(message_field)
        if reading is not None:
            message, advice = reading
            self._warn("layout.reading", message, identifier, *advice)

    def _header_field(self, identifier: ast.Identifier, field: HeaderField) -> Operand:
        if field.restricted:
            message = f"Jakarta Messaging keeps {field.name} out of selectors; some brokers refuse it"
            self._warn("portability.header", message, identifier, None)
        if field.unavailable_because and not self._own_column(identifier):
            message = f"{field.name} is always missing: {field.unavailable_because}"
            self._warn("name.unmapped", message, identifier, None)
        try:
            parts = list(self._parts(identifier, field))
        except LayoutError as error:
            raise self._unknown().with_location(error, identifier) from None
        if field.origins and not parts and self.missing == "error":
            raise self._unknown().header_field(identifier, field)
        if parts and field.origins and not self._own_column(identifier):
            self._warn_if_ambiguous(identifier, field.message_fields[0])
        if parts and all(part.present == ir.FALSE for part in parts):
            value = "missing" if field.default is None else repr(field.default)
            message = f"{identifier.name} is {value} in every message: the layout {self.layout.name} has no such field"
            self._warn("layout.header-default", message, identifier, *self._advice(field))
        if field.has_conversion(Conversion.NUMBER_IN_TEXT) and len(parts) == 1:
            # A text of this field is a number if it is compared with a number: that is in the operand's ``by_use``,
            # which ``or_else`` below would drop.
            return parts[0]
        operand = NULL
        for part in parts:
            operand = or_else(operand, part)
        return operand if field.default is None else or_else(operand, literal(field.type, field.default))

    def _advice(self, field: HeaderField) -> tuple[str | None, Remedy | None]:
        from transpiler.compiler.lowering.names.unknown_names import all_advice

        return all_advice(self.layout.offers(field.message_fields[0]))

    def _own_column(self, identifier: ast.Identifier) -> Stored | None:
        """Return the column that has the header field's own name, such as JMSPriority; None if there is none."""
        return None if identifier.section else self.layout.named_header(identifier.name)

    def _parts(self, identifier: ast.Identifier, field: HeaderField) -> Iterator[Operand]:
        """Yield the operands from which the header field ``field`` is read, in order of precedence.

        These are a column with the field's own name, and each origin (message fields and their conversion) that the
        layout stores or the receiver knows.
        """
        own = self._own_column(identifier)
        if own is not None:
            operand = at(own, self.dialect.types, field.name)
            self._check_own_column(identifier, field, operand)
            yield operand
        for origin in field.origins:
            if own is None or all(message_field.section == RECEIVER for message_field in origin.message_fields):
                part = self._origin(field, origin)
                if part is not None:
                    yield part

    def _check_own_column(self, identifier: ast.Identifier, field: HeaderField, operand: Operand) -> None:
        """Warn about a column that is named after a header field but has a type that the field cannot have."""
        if not operand.alternatives or any(_is_like(item.type, field.type) for item in operand.alternatives):
            return
        name, kind = identifier.name, _described(field.type)
        message = f"the column {name} is {_described(operand.alternatives[0].type)}, and {field.name} is {kind}"
        self._warn("type.header", message, identifier, *(self.layout.declaration(field.name, kind) or (None, None)))

    def _origin(self, field: HeaderField, origin: Origin) -> Operand | None:
        """Return the operand that reads ``field`` from the message fields of ``origin``.

        Return None if neither the layout nor the receiver has one of these fields.
        """
        if origin.conversion in (Conversion.EXPIRY, Conversion.EXPIRY_UNLESS_ZERO):
            duration, *times = (self._whole_number(message_field) for message_field in origin.message_fields)
            if duration is None:
                return None
            begin = tuple(time for time in times if time is not None)
            return expiry(field.type, duration, begin, origin.conversion is Conversion.EXPIRY_UNLESS_ZERO)
        operand, located = NULL, False
        nothing_stored: ir.Predicate = ir.TRUE
        for message_field in origin.message_fields:
            source = self._source(message_field)
            if source is not None:
                located = True
                part = converted(origin.conversion, message_field, source, field.type, self.dialect.types, field.name)
                if origin.conversion is Conversion.NUMBER_IN_TEXT:
                    return part
                # Read this field only in rows in which all earlier fields are absent. The operand is also NULL if an
                # earlier field has a value of a type that the dialect lacks, and then this field must not replace it.
                operand = or_else(operand, part, nothing_stored)
                nothing_stored = ir.all_of(nothing_stored, at(source).absent)
            elif message_field.section == RECEIVER and (value := value_at(self.receiver, message_field)) is not None:
                located = True
                operand = or_else(operand, in_every_row(Alternative(field.type, value)), nothing_stored)
        return operand if located else None

    def _source(self, message_field: MessageField) -> Stored | None:
        if message_field.section == RECEIVER:
            return None
        return (
            self.layout.property(message_field.field)
            if message_field.section == PROPERTIES
            else self.layout.field(message_field)
        )

    def _whole_number(self, message_field: MessageField) -> ir.Value | None:
        if message_field.section == RECEIVER:
            return value_at(self.receiver, message_field)
        location = self.layout.field(message_field)
        return None if location is None or not location.values else whole_number(location)

    def _warn(self, code: str, message: str, node: ast.Expression, hint: str | None, fix: Remedy | None = None) -> None:
        finding = Diagnostic(code, "warning", message, self.source, node.span, hint, fix)
        if finding not in self.findings:
            self.findings.append(finding)


def _other_side(test: ast.Compare | ast.In, literal: ast.StringLiteral) -> ast.Expression:
    if isinstance(test, ast.In):
        return test.operand
    return test.right if test.left is literal else test.left


def _is_not_equal(test: ast.Compare | ast.In) -> bool:
    return test.negated if isinstance(test, ast.In) else test.operator is Comparison.NE


def _id_remedy(text: str, seen: str | None) -> tuple[str, Remedy | None]:
    """Return the hint and the fix for ``text``, a literal that a selector compares with an ID but that equals no ID.

    ``seen`` is the text of the ID that was probably meant; None or empty if there is no such ID.
    """
    if not seen:
        return "the text after the prefix does not fit the prefix", None
    if not text.startswith("ID:"):
        written = string_literal(f"ID:{text}")
        no_prefix = f"{seen.removesuffix(text)}…"
        number = f", or '{ULONG}…' if the client sent this number" if text.isdecimal() else ""
        hint = f"an id begins with ID: write {written}, or '{no_prefix}' if the client sent no prefix{number}"
        return hint, Fix(written)
    return f"selectors see this id as '{seen}'", Fix(string_literal(seen))


def _is_like(kind: OperandType, other: OperandType) -> bool:
    return kind is other or (kind.numeric and other.numeric)


def _described(kind: OperandType) -> str:
    if kind.numeric:
        return "a number"
    return "a boolean" if kind is OperandType.BOOLEAN else "a string" if kind is OperandType.STRING else kind.value
