"""The anonymous relay as columns: the exchange and the routing key that the address in each message's ``to`` names.

Source: the JMS mapping, working draft 10, section 6.2. ``topology.broker_rules.RelayAddress`` says how
addresses read.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.routing.broadcast_join import without
from spark_ext.routing.constant_tables import constant_table, declared
from transpiler.compiler.sql import quote_text
from transpiler.routing.columns import (
    NODE,
    NODE_KIND,
    RELAY_EXCHANGE,
    RELAY_KEY,
    TO,
    TO_FIRST,
    TO_NAME,
    TO_REST,
    TO_WHOLE,
)
from transpiler.topology.broker_rules import RelayAddress
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE

#: The SQL of an absent text.
NO_TEXT = "CAST(NULL AS STRING)"


def relayed(frame: DataFrame, topology: Topology, to: str, subject: str) -> DataFrame:
    """The messages with ``RELAY_EXCHANGE`` and ``RELAY_KEY``; ``to`` and ``subject`` are the SQL of these."""
    frame = frame.selectExpr("*", f"{to} AS {TO}")
    if topology.rules.relay is RelayAddress.PATH:
        return _by_path(frame, topology)
    return _by_name(frame, topology, subject)


def _by_name(frame: DataFrame, topology: Topology, subject: str) -> DataFrame:
    """Read an address as the name of a queue or an exchange, or as ``exchange/key``."""
    known = topology.relay_nodes
    columns: dict[str, list[str]] = {declared(NODE): list(known), declared(NODE_KIND): list(known.values())}
    nodes = constant_table(frame.sparkSession, columns).rows
    frame = frame.selectExpr(
        "*",
        f"CASE WHEN contains({TO}, '/') THEN substring_index({TO}, '/', 1) END AS {TO_NAME}",
        # A slash with nothing behind it gives no key.
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
    """Read ``/queues/name``, ``/exchanges/name`` or ``/exchanges/name/key``, percent-encoded."""
    is_queue, is_exchange = f"startswith({TO}, '/queues/')", f"startswith({TO}, '/exchanges/')"
    queue, rest = f"substr({TO}, {len('/queues/') + 1})", f"substr({TO}, {len('/exchanges/') + 1})"
    first, last = (_unquoted(f"substring_index({rest}, '/', {place})") for place in (1, -1))
    frame = frame.selectExpr(
        "*",
        f"CASE WHEN {is_queue} THEN {quote_text(DEFAULT_EXCHANGE)} WHEN {is_exchange} THEN {first} END AS {TO_NAME}",
        f"CASE WHEN {is_queue} THEN {_unquoted(queue)} WHEN {is_exchange} AND NOT contains({rest}, '/') THEN '' "
        f"WHEN {is_exchange} AND size(split({rest}, '/', -1)) = 2 THEN {last} END AS {TO_REST}",
    )
    names = constant_table(frame.sparkSession, {declared(NODE): list(topology.exchange_by_name)}).rows
    frame = frame.join(sf.broadcast(names), sf.expr(f"{TO_NAME} = {NODE}"), "left")
    # The default exchange is addressed by its queues, each of which has a name.
    named = f"CASE WHEN {is_queue} THEN {TO_REST} <> '' ELSE {NODE} <> '' AND {TO_REST} IS NOT NULL END"
    return frame.selectExpr(
        "*", f"CASE WHEN {named} THEN {TO_NAME} END AS {RELAY_EXCHANGE}", f"{TO_REST} AS {RELAY_KEY}"
    )


def _unquoted(text: str) -> str:
    """The text behind percent-encoding; NULL where it is not well-formed UTF-8.

    ``url_decode`` would take a plus sign for a space and end the query at a percent sign that encodes nothing, and
    ``concat`` of bytes gives text by one of Spark's settings, so the bytes are put together as hexadecimal digits.
    """
    parts = f"split({text}, '%', -1)"
    rest = f"transform(slice({parts}, 2, size({parts})), p -> concat(substr(p, 1, 2), hex(substr(p, 3))))"
    digits = f"concat(hex(get({parts}, 0)), array_join({rest}, ''))"
    decoded = f"try_validate_utf8(CAST(unhex({digits}) AS STRING))"
    lonely = f"rlike({text}, '%(?![0-9A-Fa-f]{{2}})')"
    return f"CASE WHEN NOT contains({text}, '%') THEN {text} WHEN NOT {lonely} THEN {decoded} END"
