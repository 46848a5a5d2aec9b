"""Layout that adds the sender's subject to messages without one.

Source: the AMQP 0-10 mapping chapter: "any specified subject is also added as a qpid.subject entry in the
application-headers field".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.columns import SUBJECT
from transpiler.compiler.layouts.layout import Layout, message_in, named_header
from transpiler.compiler.layouts.store import store_of
from transpiler.compiler.layouts.stored import Stored, stored_column, stored_union
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    from transpiler.message.message import Message

#: The columns that have the subject with which a message was sent, and the header of that name.
SENT_SUBJECT, SENT_HEADER = "_routing_sent_subject", "_routing_sent_header"


@dataclass(frozen=True, slots=True)
class SentLayout:
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

    def named_header(self, name: str) -> Stored | None:
        """The column of a header field's name below."""
        return named_header(self.before, name)

    def message(self, row: object) -> Message:
        """The message of the layout below, with the subject of its columns where the row has them."""
        from transpiler.compiler.layouts.amqp_rows import sent_message
        from transpiler.compiler.layouts.rows import row_columns

        columns = row_columns(row)
        message = message_in(self.before, columns)
        if SENT_SUBJECT not in columns:
            return message
        return sent_message(message, columns[SENT_SUBJECT], columns.get(SENT_HEADER))


def before_sent(layout: Layout) -> Layout:
    """Return the layout that messages had before a sender gave them a subject; any other as it is."""
    return layout.before if isinstance(layout, SentLayout) else layout


def without_binding(layout: Layout | None) -> Layout | None:
    """Return a layout without the function that binds a store to a DataFrame: what is over it stays as it is."""
    if isinstance(layout, SentLayout):
        before = without_binding(layout.before)
        return layout if before is None else SentLayout(before)
    store = store_of(layout)
    return layout if store is None else replace(store, binding=None)


def _is_plain_text(stored: Stored) -> bool:
    """Return True for a STRING column as it is."""
    value = stored.values[0].value
    return stored.union is None and isinstance(value, ir.Column) and value.type == STRING
