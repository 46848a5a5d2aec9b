"""Columns for the exchange and the routing keys with which each message was published, and for the words of the keys.

``publication`` defines the columns from which they are read. A sender's address, or the ``to`` of each message, can
determine exchange and routing key instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import MessageColumns, analyzed_schema, case_sensitive
from spark_ext.routing.broadcast_join import without
from spark_ext.routing.constant_tables import constant_table, declared
from spark_ext.routing.publication import (
    first_text,
    has_routing_keys,
    missing_column,
    own_text,
    own_texts,
    published_exchanges,
    texts_at,
)
from spark_ext.routing.topic_sql import exact_key, key_words, let, word
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.base.hints import joined
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import STRING, Path
from transpiler.compiler.layouts.columns import SUBJECT as SUBJECT_HEADER
from transpiler.compiler.layouts.columns import UNION
from transpiler.compiler.layouts.publication import header_hints
from transpiler.compiler.layouts.sent import SENT_HEADER, SENT_SUBJECT, before_sent
from transpiler.compiler.lowering.names.column_values import at
from transpiler.compiler.sql import emit_value, quote_path, quote_text
from transpiler.message.header_fields import PUBLISHED_KEYS, PUBLISHED_SUBJECTS, MessageField
from transpiler.message.publication import ROUTING_KEY, ROUTING_TYPE
from transpiler.message.publication import ROUTING_KEYS as KEYS_COLUMN
from transpiler.message.types import AmqpType
from transpiler.routing.columns import (
    EXCHANGE,
    KEPT,
    KEY,
    KEYS,
    NODE,
    NODE_KIND,
    PREFIX,
    RELAY_EXCHANGE,
    RELAY_KEY,
    SUBJECT,
    TO,
    TO_FIRST,
    TO_NAME,
    TO_REST,
    TO_WHOLE,
    TOPIC,
    WORDS,
)
from transpiler.routing.compiled_topology import Destination
from transpiler.routing.found_values import Place, place_of_texts
from transpiler.routing.plan import RoutingPlan
from transpiler.topology.addressing import (
    FULLY_QUALIFIED,
    LISTED,
    QUEUE_KIND,
    SPACES,
    TOPIC_KIND,
    UNTYPED,
)
from transpiler.topology.broker_rules import RelayAddress
from transpiler.topology.model import Topology
from transpiler.topology.publishing import asks_for_key, no_key
from transpiler.topology.records import DEFAULT_EXCHANGE

_TO = MessageField("properties", "to")


class Sends:
    """Builder of SQL for messages to JMS destinations: the exchange at which each message enters, and its routing key.

    ``topology.addressing`` has the same rules in Python.
    """

    def __init__(self, topology: Topology, columns: MessageColumns, to: Destination) -> None:
        self._topology = topology
        named = [] if to.named is not None else published_exchanges(columns, to.given)
        if to.named is not None:
            self.destination = quote_text(to.named)
        elif named:
            self.destination = first_text(named)
        else:
            raise LayoutError.at(
                "route.no-destination",
                f"messages to {topology.rules.name} need a destination, but these messages have no column exchange",
                hint="perhaps add a column exchange to the messages, or pass exchange='the destination of "
                "all messages' to route",
            )
        of_column = None if to.routing_type is not None else own_text(columns, ROUTING_TYPE)
        given = NO_TEXT if to.routing_type is None else quote_text(to.routing_type)
        self._routing_type = given if of_column is None else emit_value(of_column)
        #: The columns of the messages that contain the destination and the routing type.
        self.reads = named if of_column is None else [*named, of_column]

    @property
    def columns(self) -> tuple[str, str]:
        """The SQL of the exchange at which a message enters the topology, and the SQL of the message's routing key."""
        if self._topology.rules.addressing.takes_lists:
            kind, name = f"get({self.parts}, {PART}).kind", f"get({self.parts}, {PART}).name"
            return f"coalesce({kind}, {quote_text(NO_DESTINATION)})", name
        mark = quote_text(FULLY_QUALIFIED)
        qualified = f"contains({self.destination}, {mark})"
        routing_type = f"coalesce({self._routing_type}, {quote_text(UNTYPED)})"
        exchange = f"concat({routing_type}, CASE WHEN {qualified} THEN {mark} ELSE '' END)"
        exchange = f"CASE WHEN {self.destination} IS NULL THEN {quote_text(NO_DESTINATION)} ELSE {exchange} END"
        return exchange, self.destination

    @property
    def parts(self) -> str:
        """The SQL of an array with the kind and name of each destination in an ActiveMQ destination or list."""
        spaces = quote_text(SPACES)
        queue, topic = (quote_text(f"{kind}://") for kind in (QUEUE_KIND, TOPIC_KIND))
        listed = f"transform(split({self.destination}, ','), p -> trim(BOTH {spaces} FROM p))"
        kind = (
            f"CASE WHEN startswith(p, {topic}) OR (startswith(l[0], {topic}) AND NOT startswith(p, {queue})) "
            f"THEN '{TOPIC_KIND}' ELSE '{QUEUE_KIND}' END"
        )
        if QUEUE_KIND + LISTED in self._topology.exchange_by_name:
            kind = f"concat({kind}, CASE WHEN size(l) > 1 THEN {quote_text(LISTED)} ELSE '' END)"
        bare = f"CASE WHEN startswith(p, {queue}) OR startswith(p, {topic}) THEN substr(p, 9) ELSE p END"
        name = f"trim(BOTH {spaces} FROM substring_index({bare}, '?', 1))"
        structs = f"transform(l, p -> named_struct('kind', {kind}, 'name', {name}))"
        return let({"l": listed}, f"filter({structs}, s -> s.name <> '')")

    @property
    def own_queue(self) -> str:
        """The SQL of the name of the queue that the broker creates for a destination: a prefix and the destination."""
        prefix = quote_text(self._topology.rules.addressing.own_prefix)
        return f"concat({prefix}, {self.columns[1]})"


def _paths(values: Iterable[ir.Value]) -> list[Path]:
    """Return the paths of the messages' columns that ``values`` read; columns that routing has added are left out."""
    paths = (column.path for value in values for column in ir.columns_in(value))
    return list(dict.fromkeys(path for path in paths if not str(path[0]).startswith(PREFIX)))


_RENAME = "perhaps add a column routing_key to the messages"


#: A temporary column. A message to a list of ActiveMQ destinations gets one row for each destination, and ``PART`` is
#: the index of the row's destination in the list.
PART = f"{KEPT}part"

#: The name of the entry exchange for messages without a destination; no exchange has this name.
NO_DESTINATION = "{no destination}"


class Published:
    """Builder of the columns of exchange, routing keys and words that the conditions of the plans read."""

    def __init__(
        self, topology: Topology, columns: MessageColumns, plans: Sequence[RoutingPlan], to: Destination
    ) -> None:
        self._topology = topology
        self._columns = columns
        self._layout = columns.layout
        self._plan = plans[0]
        self._walks = any(plan.trie is not None for plan in plans)
        self._key_exchanges = frozenset[str]().union(*(plan.key_exchanges for plan in plans))
        self._words = sorted({name for plan in plans for name in plan.words})
        self._read = {name for plan in plans for name in plan.columns}
        self._to = to

    @property
    def names(self) -> list[str]:
        """The names of the columns that ``with_keys`` adds: the exchange if it can differ, and the routing keys."""
        exchange = [EXCHANGE] if self._plan.exchange is None else []
        return [*exchange, SUBJECT if self._plan.whole is None else KEYS]

    def check_keys(self, keys: DataFrame) -> None:
        """Raise an error if ``keys``, messages whose routing keys are matched first, is a stream or lacks columns."""
        try:
            columns = analyzed_schema(keys)
        except LayoutError:
            # In the query function of a declarative pipeline, the columns are not known; Spark reports errors later.
            return
        if keys.isStreaming:
            raise UnsupportedFeatureError.at(
                "route.keys-stream",
                "keys is a stream, but the routing keys must be known before the messages are routed",
                hint="perhaps pass a table of stored messages as keys, or omit keys: each message's routing "
                "key is then matched when it is routed",
            )
        cased = case_sensitive(keys)
        missing = [name for path in self.reads() if (name := missing_column(path, columns, cased)) is not None]
        if missing:
            raise LayoutError.at(
                "route.keys",
                f"keys has no column {' and no column '.join(missing)}, from which the routing keys "
                "of the messages are read",
                hint="perhaps pass the messages themselves as keys, or other messages with the same columns",
            )

    def check_key(self) -> None:
        """Raise ``LayoutError`` if the plan compares routing keys and the messages have no routing key."""
        by_key = not self._topology.rules.addressing.names_destinations and self._plan.whole is None
        if by_key and not self._to.relay and self._reads_key():
            self._key()

    def places(self) -> list[Place]:
        """Return the columns from which the exchange or destination and the routing key are read, for the report.

        Exchange and key are included only if the plan reads them.
        """
        if self._topology.rules.addressing.names_destinations:
            return [place_of_texts("destination", Sends(self._topology, self._columns, self._to).reads)]
        places = []
        if not self._to.relay and self._plan.exchange is None:
            given = self._to.given
            place = place_of_texts("exchange", published_exchanges(self._columns, given))
            where = place.where if given is None else place.where.replace(given, "the argument exchange", 1)
            places.append(place._replace(where=where))
        if self.key is not None:
            several = [ir.Column((KEYS_COLUMN,), STRING)] if has_routing_keys(self._columns) else []
            places.append(place_of_texts("routing key", [*several, *self._own_keys()]))
        return places

    @property
    def key(self) -> str | None:
        """The SQL of the messages' own routing key; None if the plan does not read it."""
        return self._own_key() if self._to.by_message and self._reads_key() else None

    def reads(self) -> list[Path]:
        """Return the paths of the messages' columns for exchange and routing keys, as far as the plan reads them."""
        if self._topology.rules.addressing.names_destinations:
            return _paths(Sends(self._topology, self._columns, self._to).reads)
        values: list[ir.Value] = []
        if self._to.relay:
            values.append(self._relay_address())
        elif self._plan.exchange is None:
            values += published_exchanges(self._columns, self._to.given)
        if self._to.subject is not None:
            values += texts_at(before_sent(self._layout), PUBLISHED_SUBJECTS)
        if self._to.key is not None or not (self._to.relay or self._plan.whole is not None or self._reads_key()):
            return _paths(values)
        several: list[Path] = [(KEYS_COLUMN,)] if has_routing_keys(self._columns) else []
        return [*_paths(values), *several, *_paths(self._own_keys())]

    def with_subject(self, frame: DataFrame) -> DataFrame:
        """Add columns with the sender's subject for messages that have no subject of their own: see ``SentLayout``."""
        if self._to.subject is None:
            return frame
        before, default = before_sent(self._layout), quote_text(self._to.subject)
        texts = texts_at(before, PUBLISHED_SUBJECTS)
        own = first_text(texts) if texts else NO_TEXT
        made = [f"coalesce({own}, {default}) AS {SENT_SUBJECT}"]
        original, now = before.property(SUBJECT_HEADER), self._layout.property(SUBJECT_HEADER)
        if original is not None and original.union is not None:
            sent = {"type": quote_text(AmqpType.STRING.value), "string": default}
            fields = [
                f"'{name}', CASE WHEN {own} IS NOT NULL THEN {quote_path((*original.union, name))} "
                f"ELSE {sent.get(name, 'NULL')} END"
                for name in UNION
            ]
            made.append(f"named_struct({', '.join(fields)}) AS {SENT_HEADER}")
        elif now != original:
            header = NO_TEXT if original is None else emit_value(at(original).alternatives[0].value)
            made.append(f"CASE WHEN {own} IS NULL THEN {default} ELSE {header} END AS {SENT_HEADER}")
        return frame.selectExpr("*", *made)

    def with_keys(self, frame: DataFrame) -> DataFrame:
        """Add columns with the routing keys of each message and, if the plan has several exchanges, its exchange."""
        made = []
        if self._topology.rules.addressing.names_destinations:
            exchange, key = Sends(self._topology, self._columns, self._to).columns
            return frame.selectExpr("*", f"{exchange} AS {EXCHANGE}", f"{key} AS {SUBJECT}")
        if self._to.relay:
            subject = self._own_key() or NO_TEXT
            frame = relayed(frame, self._topology, emit_value(self._relay_address()), subject)
            made.append(f"{RELAY_EXCHANGE} AS {EXCHANGE}")
        elif self._plan.exchange is None:
            named = map(emit_value, published_exchanges(self._columns, self._to.given))
            made.append(f"coalesce({', '.join([*named, quote_text(self._topology.default_exchange)])}) AS {EXCHANGE}")
        if self._plan.whole is not None:
            made.append(f"coalesce({KEYS_COLUMN}, array({self._one_key() or NO_TEXT})) AS {KEYS}")
        elif self._reads_key():
            made.append(f"{self._key()} AS {SUBJECT}")
        else:
            made.append(f"CAST(NULL AS STRING) AS {SUBJECT}")
        return frame.selectExpr("*", *made)

    def with_words(self, frame: DataFrame) -> DataFrame:
        """Add the columns that the plan compares with binding keys: the routing key, its topic form and its words.

        ``with_keys`` must have added the routing keys before.
        """
        if self._plan.whole is not None:
            return frame.selectExpr("*", f"CASE WHEN size({KEYS}) = 1 THEN get({KEYS}, 0) END AS {SUBJECT}")
        if not self._reads_key():
            return frame
        rules = self._topology.rules.topic
        made = [f"coalesce({SUBJECT}, '') AS {KEY}", f"{exact_key(SUBJECT, rules)} AS {TOPIC}"]
        if self._walks or self._words:
            made.append(f"{key_words(SUBJECT, rules)} AS {WORDS}")
        frame = frame.selectExpr("*", *made)
        words = [f"{word(name)} AS {name}" for name in self._words]
        return frame.selectExpr("*", *words) if words else frame

    def _reads_key(self) -> bool:
        return self._walks or bool(self._words) or not self._read.isdisjoint((SUBJECT, KEY, TOPIC))

    def _key(self) -> str:
        """Return the SQL of the routing key of each message; raise ``LayoutError`` if a needed key has no column."""
        if self._to.relay:
            return RELAY_KEY
        if self._to.key is not None:
            return quote_text(self._to.key)
        own = self._own_key()
        if own is not None:
            return own
        if not asks_for_key(self._key_exchanges, self._plan.exchange):
            return NO_TEXT
        offers = header_hints("routing-key", self._layout, self._columns.schema.jsonValue())
        raise no_key(joined([*offers, _RENAME]))

    def _own_key(self) -> str | None:
        """Return the SQL of the routing key in the messages' own columns; None if no column can contain a key.

        The SQL yields the first key of a message with several keys.
        """
        one = self._one_key()
        if not has_routing_keys(self._columns):
            return one
        # The array of routing keys takes precedence over the columns of a single key, even if it is empty: then the
        # message has no key.
        return f"CASE WHEN {KEYS_COLUMN} IS NULL THEN {one or NO_TEXT} ELSE get({KEYS_COLUMN}, 0) END"

    def _one_key(self) -> str | None:
        """Return the SQL of the routing key in the columns of a single key; None if no column can contain a key."""
        own = self._own_keys()
        return first_text(own) if own else None

    def _own_keys(self) -> list[ir.Value]:
        """Return the columns and fields that can contain a message's routing key, the preferred one first."""
        # If a sender with an address or the relay publishes the archived messages again, only their subjects determine
        # the routing keys, and not the routing keys with which they were first published.
        fields = PUBLISHED_KEYS if self._to.by_message else PUBLISHED_SUBJECTS
        return own_texts(self._columns, ROUTING_KEY, [each for each in fields if self._layout.has_field(each)])

    def _relay_address(self) -> ir.Value:
        """Return the address in the field ``to`` of a message; raise ``LayoutError`` if messages have no such field."""
        texts = texts_at(self._layout, [_TO])
        if texts:
            return texts[0]
        own = own_text(self._columns, "to")
        if own is not None:
            return own
        raise LayoutError.at(
            "route.no-to",
            "a message that is sent without an address is routed by its field properties.to, which the layout "
            f"{self._layout.name} does not contain",
            hint="perhaps add the address to the messages as a column with the name to, or pass exchange=",
        )


#: The SQL of an absent string.
NO_TEXT = "CAST(NULL AS STRING)"


def relayed(frame: DataFrame, topology: Topology, to: str, subject: str) -> DataFrame:
    """Add ``RELAY_EXCHANGE`` and ``RELAY_KEY`` to messages that are sent to the anonymous relay.

    ``to`` and ``subject`` are the SQL of the message fields of these names. Source: the JMS mapping, working draft 10,
    section 6.2; ``topology.broker_rules.RelayAddress`` defines the forms of addresses.
    """
    frame = frame.selectExpr("*", f"{to} AS {TO}")
    if topology.rules.relay is RelayAddress.PATH:
        return _by_path(frame, topology)
    return _by_name(frame, topology, subject)


def _by_name(frame: DataFrame, topology: Topology, subject: str) -> DataFrame:
    """Interpret each address as the name of a queue or an exchange, or as ``exchange/key``."""
    known = topology.relay_nodes
    columns: dict[str, list[str]] = {declared(NODE): list(known), declared(NODE_KIND): list(known.values())}
    nodes = constant_table(frame.sparkSession, columns).rows
    frame = frame.selectExpr(
        "*",
        f"CASE WHEN contains({TO}, '/') THEN substring_index({TO}, '/', 1) END AS {TO_NAME}",
        # NULL if nothing follows the slash, because such an address has no key.
        f"CASE WHEN instr({TO}, '/') < length({TO}) THEN substr({TO}, instr({TO}, '/') + 1) END AS {TO_REST}",
    )
    for sought, kind in ((TO, TO_WHOLE), (TO_NAME, TO_FIRST)):
        named = nodes.selectExpr(f"{NODE} AS {kind}_name", f"{NODE_KIND} AS {kind}")
        frame = without(frame.join(sf.broadcast(named), sf.expr(f"{sought} = {kind}_name"), "left"), f"{kind}_name")
    exchange = (
        f"CASE WHEN {TO_WHOLE} = 'queue' THEN {quote_text(DEFAULT_EXCHANGE)} WHEN {TO_WHOLE} = 'exchange' THEN {TO} "
        f"WHEN {TO_FIRST} = 'exchange' THEN {TO_NAME} END"
    )
    key = (
        f"CASE WHEN {TO_WHOLE} = 'queue' THEN {TO} WHEN {TO_WHOLE} = 'exchange' THEN {subject} "
        f"WHEN {TO_FIRST} = 'exchange' THEN coalesce({TO_REST}, {subject}) END"
    )
    return frame.selectExpr("*", f"{exchange} AS {RELAY_EXCHANGE}", f"{key} AS {RELAY_KEY}")


def _by_path(frame: DataFrame, topology: Topology) -> DataFrame:
    """Interpret each address as ``/queues/name``, ``/exchanges/name`` or ``/exchanges/name/key``, percent-encoded."""
    is_queue, is_exchange = f"startswith({TO}, '/queues/')", f"startswith({TO}, '/exchanges/')"
    queue, rest = f"substr({TO}, {len('/queues/') + 1})", f"substr({TO}, {len('/exchanges/') + 1})"
    first, last = (_unquoted(f"substring_index({rest}, '/', {count})") for count in (1, -1))
    frame = frame.selectExpr(
        "*",
        f"CASE WHEN {is_queue} THEN {quote_text(DEFAULT_EXCHANGE)} WHEN {is_exchange} THEN {first} END AS {TO_NAME}",
        f"CASE WHEN {is_queue} THEN {_unquoted(queue)} WHEN {is_exchange} AND NOT contains({rest}, '/') THEN '' "
        f"WHEN {is_exchange} AND size(split({rest}, '/', -1)) = 2 THEN {last} END AS {TO_REST}",
    )
    names = constant_table(frame.sparkSession, {declared(NODE): list(topology.exchange_by_name)}).rows
    frame = frame.join(sf.broadcast(names), sf.expr(f"{TO_NAME} = {NODE}"), "left")
    # Reject an empty name: the default exchange cannot be addressed by name, and no queue has an empty name.
    named = f"CASE WHEN {is_queue} THEN {TO_REST} <> '' ELSE {NODE} <> '' AND {TO_REST} IS NOT NULL END"
    return frame.selectExpr(
        "*", f"CASE WHEN {named} THEN {TO_NAME} END AS {RELAY_EXCHANGE}", f"{TO_REST} AS {RELAY_KEY}"
    )


def _unquoted(text: str) -> str:
    """Return the SQL that decodes percent-encoding; it is NULL if the bytes are not well-formed UTF-8.

    ``url_decode`` would decode a plus sign as a space and fail at an invalid percent sign. ``concat`` of bytes returns
    a string under one of Spark's settings, so the bytes are concatenated as hexadecimal digits.
    """
    parts = f"split({text}, '%', -1)"
    rest = f"transform(slice({parts}, 2, size({parts})), p -> concat(substr(p, 1, 2), hex(substr(p, 3))))"
    digits = f"concat(hex(get({parts}, 0)), array_join({rest}, ''))"
    decoded = f"try_validate_utf8(CAST(unhex({digits}) AS STRING))"
    lonely = f"rlike({text}, '%(?![0-9A-Fa-f]{{2}})')"
    return f"CASE WHEN NOT contains({text}, '%') THEN {text} WHEN NOT {lonely} THEN {decoded} END"
