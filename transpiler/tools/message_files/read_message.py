"""A message that was read from a file, with its location and its publication data, such as the exchange."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transpiler.base.errors import DecodeError
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.publication import documented, with_lowercase_publication_columns
from transpiler.message.message import Message
from transpiler.message.publication import ROUTING_KEYS, Sent, sent_in, texts_in
from transpiler.message.rabbitmq_trace import is_entry
from transpiler.tools.message_files.record import Record
from transpiler.tools.message_files.record_errors import at_location, load_record
from transpiler.topology.addressing import ROUTING_TYPES


@dataclass(frozen=True, slots=True, repr=False)
class ReadMessage:
    """A message read from a file, with ``value``, the JSON object or row from which it was read."""

    record: Record
    value: Mapping[str, Any]
    message: Message
    #: The layout of the row ``value`` (CSV rows have one, too); None if ``value`` is not a row.
    layout: Layout | None = None

    def __repr__(self) -> str:
        return f"ReadMessage({self.place})"

    @property
    def file(self) -> str:
        """The name of the file, as it was given."""
        return self.record.file

    @property
    def line(self) -> int:
        """The number of the line on which the message begins, counted from 1."""
        return self.record.line

    @property
    def place(self) -> str:
        """The file and the line, in the form for errors: ``messages.jsonl:3``."""
        return self.record.location

    @property
    def vhost(self) -> str | None:
        """The virtual host in an entry of RabbitMQ's tracing log; None for any other record."""
        name = self.value.get("vhost") if is_entry(self.value) else None
        return name if isinstance(name, str) else None

    def sent(self) -> Sent:
        """Return the exchange, routing keys and routing type given with the message, as members or in its row.

        Each of them is None if it is not given. Raises ``DecodeError`` if one of them is not text.
        """
        own = documented(self.value, self.layout)
        try:
            value = with_lowercase_publication_columns(self._with_arrays(ROUTING_KEYS), self.layout)
            sent = sent_in(value, own.exchange, own.routing_key)
            if sent.routing_type is not None and sent.routing_type not in ROUTING_TYPES:
                message_text = f"routing_type: {sent.routing_type!r} is not {' or '.join(ROUTING_TYPES)}"
                raise DecodeError.at("message.routing-type", message_text)
        except DecodeError as error:
            raise at_location(self.place, error) from None
        return sent

    def recorded(self, name: str = "routed_queues") -> tuple[str, ...] | None:
        """Return the queues that the broker recorded for the message; None if there is no such member.

        Args:
            name: The member with the queues, which is a text or an array of texts.
        """
        value = self.value.get(name)
        # RabbitMQ's tracing log contains the text "none" if the message reached no queue.
        return () if value == "none" else (value,) if isinstance(value, str) and value[:1] != "[" else self._texts(name)

    def _texts(self, name: str) -> tuple[str, ...] | None:
        try:
            return texts_in(self._with_arrays(name), name)
        except DecodeError as error:
            raise at_location(self.place, error) from None

    def _with_arrays(self, name: str) -> Mapping[str, Any]:
        """Return ``value``; in a CSV row, its cell ``name`` is parsed as JSON, because it may be an array."""
        value = self.value.get(name)
        if self.record.cells is None or not isinstance(value, str):
            return self.value
        return {**self.value, name: load_record(value, self.record.file, self.record.line)}
