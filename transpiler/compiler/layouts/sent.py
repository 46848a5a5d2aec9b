"""Layout that adds the sender's subject to messages without one.

Source: the AMQP 0-10 mapping chapter: "any specified subject is also added as a qpid.subject entry in the
application-headers field".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transpiler.base.diagnostics import Advice
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.columns import SUBJECT
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored, stored_column, stored_union
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    from transpiler.message.message import Message

#: The columns that have the subject with which a message was sent, and the header of that name.
SENT_SUBJECT, SENT_HEADER = "_routing_sent_subject", "_routing_sent_header"


@dataclass(frozen=True, slots=True)
class SentLayout(Layout):
    """A layout in which the subject, and the header ``qpid.subject``, are columns of their own."""

    before: Layout

    @property
    def name(self) -> str:
        """The name of the layout below."""
        return self.before.name

    def field(self, place: MessageField) -> Stored | None:
        """The column of the subject; any other field as below."""
        if place == MessageField("properties", "subject"):
            return stored_column((SENT_SUBJECT,), STRING)
        if place == MessageField("application_properties", SUBJECT):
            return self.property(SUBJECT)
        return self.before.field(place)

    def property(self, name: str) -> Stored | None:
        """The column of the header; any other property as below."""
        stored = self.before.property(name)
        if name != SUBJECT:
            return stored
        if stored is None or _is_plain_text(stored):
            return stored_column((SENT_HEADER,), STRING)
        # A column of another type has no room for a subject.
        return stored if stored.union is None else stored_union((SENT_HEADER,))

    def names(self) -> tuple[str, ...]:
        """The properties that have a place below."""
        return self.before.names()

    def over(self, schema: Mapping[str, Any], *, case_sensitive: bool = False) -> SentLayout:
        """The same of the layout below over a table."""
        return SentLayout(self.before.over(schema, case_sensitive=case_sensitive))

    def known_schema(self) -> Mapping[str, Any] | None:
        """The schema of the table that the layout below is over."""
        return self.before.known_schema()

    def doubt(self, place: MessageField) -> tuple[str, Advice] | None:
        """Return the other place that the inner layout could read a name from."""
        return self.before.doubt(place)

    def may_doubt(self) -> bool:
        """True if the layout below has a doubt about some name."""
        return self.before.may_doubt()

    def has_place(self, place: MessageField) -> bool:
        """True for the subject, and for what has a place below."""
        return place == MessageField("properties", "subject") or self.before.has_place(place)

    def offers(self, place: MessageField) -> tuple[Advice, ...]:
        """What the layout below offers for a name without a place."""
        return self.before.offers(place)

    def declaration(self, name: str, kind: str) -> Advice | None:
        """The advice of the layout below."""
        return self.before.declaration(name, kind)

    def named_header(self, name: str) -> Stored | None:
        """The column of a header field's name below."""
        return self.before.named_header(name)

    def message(self, row: object) -> Message:
        """The message of the layout below, with the subject of its columns where the row has them."""
        from transpiler.compiler.layouts.amqp_rows import sent_message
        from transpiler.compiler.layouts.rows import row_columns

        columns = row_columns(row)
        message = self.before.message(columns)
        if SENT_SUBJECT not in columns:
            return message
        return sent_message(message, columns[SENT_SUBJECT], columns.get(SENT_HEADER))


def before_sent(layout: Layout) -> Layout:
    """Return the layout that messages had before a sender gave them a subject; any other as it is."""
    return layout.before if isinstance(layout, SentLayout) else layout


def _is_plain_text(stored: Stored) -> bool:
    """Return True for a STRING column as it is."""
    value = stored.values[0].value
    return stored.union is None and isinstance(value, ir.Column) and value.type == STRING
