"""The rule for where a message was published, for the rows and objects that are read in Python.

An option says it for all messages; else the column or member of that name, whatever the layout; else the
place that the layout documents; else, for a key, the subject. NULL says nothing, so the next of them is read.
``spark_ext.routing.publication`` has the same rule in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from transpiler.compiler.layouts.amqp_0_10 import SCHEMA
from transpiler.compiler.layouts.flat import typed_columns_of
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.rows import text_of, value_at
from transpiler.compiler.layouts.sent import before_sent
from transpiler.compiler.layouts.store import store_of
from transpiler.message.header_fields import PUBLISHED_EXCHANGE
from transpiler.message.publication import EXCHANGE, ROUTING_KEY


class Documented(NamedTuple):
    """The exchange and the routing key where a layout documents them, or the section delivery-properties has them."""

    exchange: Any
    routing_key: Any


def documented(row: Mapping[str, Any], layout: Layout | None) -> Documented:
    """Return the exchange and the key of a row; the layout is None for an object that shows what it is."""
    store = None if layout is None else store_of(before_sent(layout))
    if store is not None:
        places = (store.headers.get(name) for name in ("exchange", "routing-key"))
        return Documented(*(None if place is None else place.read(row) for place in places))
    typed = None if layout is None else typed_columns_of(before_sent(layout))
    if typed is not None and typed.subject is not None:
        return Documented(None, text_of(value_at(row, typed.subject.path), typed.subject.path))
    section = row.get("delivery_properties")
    own = section if isinstance(section, Mapping) else {}
    return Documented(own.get(EXCHANGE), own.get(ROUTING_KEY))


def names_exchange(row: Mapping[str, Any], layout: Layout | None) -> bool:
    """Return True if a row has a place for its exchange, be it NULL; NULLs are left out of rows in JSON."""
    if EXCHANGE in row or layout is None:
        return EXCHANGE in row or not SCHEMA.keys().isdisjoint(row)
    stored = layout.field(PUBLISHED_EXCHANGE)
    return EXCHANGE in layout.names() or (stored is not None and stored.values != ())
