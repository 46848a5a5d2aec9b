"""Layout that adds the subject that the sender sets to messages that have no subject.

Source: the AMQP 0-10 mapping chapter: "any specified subject is also added as a qpid.subject entry in the
application-headers field".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from transpiler.base.diagnostics import Advice
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING
from transpiler.compiler.layouts.columns import SUBJECT
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.stored import Stored, stored_column, stored_union
from transpiler.message.header_fields import MessageField

if TYPE_CHECKING:
    from transpiler.compiler.layouts.table_columns import Table
    from transpiler.message.message import Message

#: The names of the columns that hold the subject with which a message was sent, and the header ``qpid.subject``.
SENT_SUBJECT, SENT_HEADER = "_routing_sent_subject", "_routing_sent_header"


@dataclass(frozen=True, slots=True)
class SentLayout(Layout):
    """A layout that reads two extra columns and leaves everything else to the layout ``before``.

    The columns contain the subject and the header ``qpid.subject``. The routing functions add them for senders that set
    the subject of a message when they send it.
    """

    before: Layout

    @property
    def name(self) -> str:
        """The name of the layout ``before``."""
        return self.before.name

    def field(self, message_field: MessageField) -> Stored | None:
        """Return the extra column for the subject; for any other field, what ``before`` returns."""
        if message_field == MessageField("properties", "subject"):
            return stored_column((SENT_SUBJECT,), STRING)
        if message_field == MessageField("application_properties", SUBJECT):
            return self.property(SUBJECT)
        return self.before.field(message_field)

    def property(self, name: str) -> Stored | None:
        """Return the extra column for the header ``qpid.subject``; for any other property, what ``before`` returns."""
        stored = self.before.property(name)
        if name != SUBJECT:
            return stored
        if stored is None or _is_plain_text(stored):
            return stored_column((SENT_HEADER,), STRING)
        # ``before`` stores the header as a tagged union, and so does the extra column. If ``before`` has a column of
        # another type, such as BIGINT, no subject can be added to it, so that column is read unchanged.
        return stored if stored.union is None else stored_union((SENT_HEADER,))

    def names(self) -> tuple[str, ...]:
        """Return the names of the properties that ``before`` stores."""
        return self.before.names()

    def bound(self, table: Table) -> Self:
        """Return this layout with ``before`` adapted to the columns of ``table``."""
        return replace(self, before=self.before.over(table.schema, case_sensitive=table.case_sensitive))

    def known_schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the table whose rows ``before`` reads; None if it is not known."""
        return self.before.known_schema()

    def ambiguity(self, message_field: MessageField) -> tuple[str, Advice] | None:
        """Return the warning of ``before`` about an ambiguous field; None if there is none."""
        return self.before.ambiguity(message_field)

    def has_ambiguities(self) -> bool:
        """Return True if ``before`` can warn about the name of some property."""
        return self.before.has_ambiguities()

    def has_field(self, message_field: MessageField) -> bool:
        """Return True for the subject, and for each field that has its own column or key in ``before``."""
        return message_field == MessageField("properties", "subject") or self.before.has_field(message_field)

    def offers(self, message_field: MessageField) -> tuple[Advice, ...]:
        """Return the advice of the layout ``before`` for a message field that this layout does not read."""
        return self.before.offers(message_field)

    def declaration(self, name: str, kind: str) -> Advice | None:
        """Return the advice of ``before`` for declaring the type of a property."""
        return self.before.declaration(name, kind)

    def named_header(self, name: str) -> Stored | None:
        """Return the column that ``before`` has under the name of a header field."""
        return self.before.named_header(name)

    def message(self, row: object) -> Message:
        """Return the message that ``before`` reads, with the subject from the extra columns if ``row`` has them."""
        from transpiler.compiler.layouts.amqp_rows import sent_message
        from transpiler.compiler.layouts.rows import row_columns

        columns = row_columns(row)
        message = self.before.message(columns)
        if SENT_SUBJECT not in columns:
            return message
        return sent_message(message, columns[SENT_SUBJECT], columns.get(SENT_HEADER))


def before_sent(layout: Layout) -> Layout:
    """Return the layout ``before`` of a ``SentLayout``, without the extra columns; any other layout unchanged."""
    return layout.before if isinstance(layout, SentLayout) else layout


def _is_plain_text(stored: Stored) -> bool:
    """Return True if ``stored`` is a plain STRING column, without any conversion."""
    value = stored.values[0].value
    return stored.union is None and isinstance(value, ir.Column) and value.type == STRING
