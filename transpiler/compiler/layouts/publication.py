"""Find the exchange and routing key with which a message was published, for rows and objects read in Python.

They come from the first of these sources that is not NULL: an option for all messages; the column or member of that
name, in any layout; the field that the layout documents; for a routing key, the subject.
``spark_ext.routing.publication`` implements the same rule in SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from transpiler.base.hints import Hint, Setting
from transpiler.compiler.layouts.amqp_0_10 import SCHEMA
from transpiler.compiler.layouts.flat import typed_columns_of
from transpiler.compiler.layouts.layout import Layout, archive_of
from transpiler.compiler.layouts.rows import text_of, value_at
from transpiler.compiler.layouts.sent import before_sent
from transpiler.compiler.layouts.store import store_of
from transpiler.compiler.layouts.table_columns import SchemaField, Table, is_struct, type_of
from transpiler.message.header_fields import PUBLISHED_EXCHANGE, PUBLISHED_KEYS
from transpiler.message.publication import EXCHANGE, NAMES, ROUTING_KEY, ROUTING_KEYS


class Documented(NamedTuple):
    """The exchange and routing key with which a message was published, as far as its row has them.

    The values come from the columns that the layout documents, or from the section delivery-properties.
    """

    exchange: Any
    routing_key: Any


def documented(row: Mapping[str, Any], layout: Layout | None) -> Documented:
    """Return the exchange and routing key in ``row``, read from the columns that ``layout`` documents for them.

    ``layout`` is None if ``row`` is a JSON object without a layout.
    """
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


def with_lowercase_publication_columns(row: Mapping[str, Any], layout: Layout | None) -> Mapping[str, Any]:
    """Return ``row`` in which the columns of the exchange and routing key have lower-case names.

    Spark finds these columns whatever the case of their names is.
    """
    schema = None if layout is None else layout.known_schema()
    if schema is None:
        return row
    table = Table(schema)
    found = {name: str(own.path[0]) for name in NAMES if name not in row and (own := table.find((name,))) is not None}
    return {**row, **{name: row[own] for name, own in found.items() if own in row}} if found else row


def has_column(row: Mapping[str, Any], layout: Layout | None, name: str) -> bool:
    """Return True if ``row``, or the table of ``layout``, has the column ``name``, even if its value is NULL."""
    if name in row:
        return True
    schema = None if layout is None else layout.known_schema()
    if schema is not None:
        return Table(schema).find((name,)) is not None
    return layout is not None and name in layout.names()


def names_exchange(row: Mapping[str, Any], layout: Layout | None) -> bool:
    """Return True if ``row`` has a column for the exchange, even if NULL. (Rows in JSON omit columns that are NULL.)"""
    if has_column(row, layout, EXCHANGE):
        return True
    if layout is None:
        return not SCHEMA.keys().isdisjoint(row)
    stored = layout.field(PUBLISHED_EXCHANGE)
    return stored is not None and stored.values != ()


def names_key(row: Mapping[str, Any], layout: Layout) -> bool:
    """Return True if ``row`` has a column for the routing key, even if the routing key is NULL."""
    if any(has_column(row, layout, name) for name in (ROUTING_KEY, ROUTING_KEYS)):
        return True
    return any(layout.has_field(key) for key in PUBLISHED_KEYS)


#: Names of columns that often hold a routing key or an exchange, in lower case and reduced to their letters.
_LIKELY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "routing-key": ("routingkey", "rk", "rkey", "key", "routing", "topic", "subject"),
        "exchange": ("exchange", "exchangename", "ex", "exch", "sentto", "publishedto"),
    }
)


def header_hints(header: str, layout: Layout, schema: Mapping[str, Any] | None) -> list[str]:
    """Return hints with the option ``headers=`` for the columns that probably hold the exchange or routing key.

    Args:
        header: ``exchange`` or ``routing-key``.
        layout: The layout of the messages.
        schema: The table's schema in Spark's JSON form; None if it is not known.
    """
    if archive_of(layout) is not None:
        return []
    likely = likely_names(header, [] if schema is None else list(_texts(schema["fields"], "")))
    of_schema = typed_columns_of(layout) is not None
    setting = Setting("headers", {header: likely[0] if likely else "…"}, of_schema=of_schema)
    if not likely:
        return [Hint(f"perhaps name the column or key that contains the {header}: ", setting)]
    others = f" (or from {', '.join(likely[1:4])})" if len(likely) > 1 else ""
    return [Hint(f"perhaps read the {header} from {likely[0]}{others}: ", setting)]


def likely_names(header: str, names: Iterable[str]) -> list[str]:
    """Return those of ``names`` that suggest an exchange or a routing key (``header``), the likeliest name first."""
    known = _LIKELY[header]
    bare = {name: "".join(filter(str.isalpha, name.rpartition(".")[2].lower())) for name in names}
    likely = [name for name, letters in bare.items() if letters in known or letters.endswith(known[0])]
    return sorted(likely, key=lambda name: known.index(bare[name]) if bare[name] in known else 0)


def _texts(fields: Sequence[SchemaField], prefix: str) -> Iterator[str]:
    """Yield the names of the text columns, and of the text fields of structs, as paths with dots."""
    for field in fields:
        kind = type_of(field)
        if kind is not None and kind.is_text:
            yield f"{prefix}{field['name']}"
        if is_struct(field):
            yield from _texts(field["type"]["fields"], f"{prefix}{field['name']}.")
