"""Compare two selectors, filters or topologies on the rows of a DataFrame, with one aggregation in Spark."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from spark_ext.columns import SelectorWarning, compile_filter, compile_selector
from spark_ext.messages.plain_rows import collectable_columns, plain_row, unused_name
from spark_ext.messages.schemas import SchemaLike, check_frame, message_columns
from spark_ext.reports.differences import Diff, Example, Kind, QueueChange
from spark_ext.routing.broadcast_join import broadcast_of, called
from spark_ext.routing.route_messages import RouteOptions, route
from transpiler import Dialect, Layout, print_selector
from transpiler.base.arguments import check_count, unexpected
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler.compile_options import DiffOptions, Missing, SelectorOptions, read_options
from transpiler.compiler.layouts.layout import reads_rows
from transpiler.compiler.sql import quote_name
from transpiler.language.filters.sets import FilterSet, FiltersLike, read_filters
from transpiler.language.selector.ast import Expression
from transpiler.language.selector.dialects import find_dialect
from transpiler.message.message import plain_message
from transpiler.topology.choices import choices
from transpiler.topology.files import names_topology_file
from transpiler.topology.model import Topology, check_exchange

#: A value that can be compared: a selector, a filter or filter set, or a topology.
Comparable: TypeAlias = "str | Expression | FiltersLike | Topology"

#: Number of changed messages that are fetched for each example of a change of a topology. The examples are chosen from
#: these messages so that they show different queues.
_LOOKED_AT = 40


def diff(
    df: DataFrame,
    old: Comparable,
    new: Comparable,
    layout: Layout | SchemaLike | None = None,
    dialect: str | Dialect = "jms",
    *,
    new_dialect: str | Dialect | None = None,
    examples: int = 5,
    exchange: str | None = None,
    **options: Unpack[DiffOptions],
) -> Diff:
    """Find the rows that ``new`` selects and ``old`` does not, and conversely, with examples.

    Topologies are compared queue by queue. One Spark job counts the rows, and one more fetches the examples of each
    kind of change that occurs.

    Args:
        df: The messages.
        old: A selector (text or a parsed tree), a filter (an object, a dict, JSON text that begins with a brace, or
            AMQP bytes), or a topology.
        new: Another value of the same kind.
        layout: The columns of the DataFrame: the name of a store, a ``Layout`` or a schema; None infers it.
        dialect: The dialect of ``old``, by name or as a ``Dialect``; topologies have their brokers' own.
        new_dialect: The dialect of ``new``; by default that of ``old``.
        examples: Maximum number of examples of each change.
        exchange: For topologies, the exchange to which the messages were published, as in ``route``.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        connection: The receiver's connection, for no-local filters.
        now: The current time in milliseconds since the epoch; None for the time of the call.
        destination: The address with which the consumer was created.

    Raises:
        TranspilerError: The errors of ``compile_selector``, ``compile_filter`` and ``route``.
        TypeError: ``old`` and ``new`` have different kinds.
        ValueError: ``exchange`` is given, and ``old`` and ``new`` are not topologies.
    """
    chosen = read_options("diff", DiffOptions, options)
    check_frame("df", df)
    check_count("examples", examples, "rows")
    if not isinstance(exchange, str | None):
        hint = "a column exchange of the messages contains the exchange of each message"
        raise unexpected("exchange", "the name of an exchange", exchange, hint)
    kind = _same_kind(old, new)
    if exchange is not None and kind != "topology":
        raise ValueError("exchange applies only to topologies, not to selectors and filters")
    if df.isStreaming:
        hint = "perhaps compare on a table of the messages that the stream has written"
        raise UnsupportedFeatureError.at(
            "diff.stream", "the messages of a stream cannot be counted, because a stream does not end", hint=hint
        )
    rows = _Rows(df, message_columns(df, layout).layout, examples)
    if isinstance(old, Topology) and isinstance(new, Topology):
        if new_dialect is not None or find_dialect(dialect).name != "jms":
            raise ValueError("a topology has the dialect of its broker: leave dialect and new_dialect out")
        with broadcast_of(f"{called(old)}, or {called(new)}"):
            return _diff_topologies(rows, old, new, chosen.missing, exchange)
    receiver = chosen.receiver.timed
    settings = SelectorOptions(
        result="boolean", missing=chosen.missing, now=receiver.now, destination=receiver.destination
    )
    columns = []
    for condition, own in ((old, dialect), (new, dialect if new_dialect is None else new_dialect)):
        # Warnings about the selectors are not part of the difference, because both may have the same warnings.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SelectorWarning)
            if isinstance(condition, Expression) or (kind == "selector" and isinstance(condition, str)):
                columns.append(compile_selector(condition, rows.layout, own, **settings))
            elif not isinstance(condition, Topology):
                columns.append(compile_filter(condition, rows.layout, own, connection=chosen.connection, **settings))
    return _diff_conditions(rows, kind, (_shown(old), _shown(new)), columns[0], columns[1])


def _kind(value: object) -> Kind:
    if isinstance(value, Expression):
        return "selector"
    match value:
        case Topology():
            return "topology"
        case str() if value.lstrip().startswith("{"):
            return "filter"
        case str() | Path() if isinstance(value, Path) or names_topology_file(value):
            raise TypeError(f"diff reads no files: give read_topology({str(value)!r}), or the text of a selector")
        case str():
            return "selector"
        case None | bool() | int() | float() | list() | tuple():
            raise TypeError(
                f"diff compares two selectors (text), two filters or two topologies, and found {type(value).__name__}"
            )
        case Column():
            raise TypeError(
                "diff compares selectors, and found a Column: give the text of a selector, not what it is compiled to"
            )
        case _:
            return "filter"


def _same_kind(old: object, new: object) -> Kind:
    kinds = _kind(old), _kind(new)
    if kinds[0] != kinds[1]:
        raise TypeError(
            f"diff compares two of a kind: old is a {kinds[0]} and new is a {kinds[1]}; "
            "give two selectors, two filters or two topologies"
        )
    return kinds[0]


def _shown(value: Comparable) -> str:
    if isinstance(value, Expression):
        return print_selector(value)
    match value:
        case str() if not value.lstrip().startswith("{"):
            return value
        case Topology():
            return value.rules.name
        case _:
            filters = value if isinstance(value, FilterSet) else read_filters(value)
            return json.dumps(filters.to_dict(), ensure_ascii=False)


class _Rows(NamedTuple):
    """The messages, their layout, and the maximum number of examples of each change."""

    df: DataFrame
    layout: Layout
    examples: int

    def message(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the message in ``row`` without its body; the row itself if the layout cannot convert it in Python."""
        if reads_rows(self.layout):
            return plain_message(replace(self.layout.message(row), body=None))
        plain: Mapping[str, Any] = plain_row(row)
        return plain


def _diff_conditions(rows: _Rows, kind: Kind, texts: tuple[str, str], old: Column, new: Column) -> Diff:
    changes: dict[Literal["won", "lost"], Column] = {"won": new & ~old, "lost": old & ~new}
    counts = rows.df.agg(
        sf.count("*").alias("rows"),
        *(sf.count_if(change).alias(name) for name, change in changes.items()),
        sf.count_if(old & new).alias("kept"),
    ).collect()[0]
    examples = []
    for name, change in changes.items():
        if counts[name] and rows.examples:
            some = rows.df.filter(change).limit(rows.examples).select(*collectable_columns(rows.df))
            examples += [Example(name, rows.message(row.asDict())) for row in some.collect()]
    changed = counts.won + counts.lost
    return Diff(
        kind,
        *texts,
        counts.rows,
        counts.won,
        counts.lost,
        counts.kept,
        counts.rows - changed - counts.kept,
        changed,
        rows.df.filter(changes["won"]),
        rows.df.filter(changes["lost"]),
        tuple(examples),
    )


def _diff_topologies(rows: _Rows, old: Topology, new: Topology, missing: Missing, exchange: str | None) -> Diff:
    df = rows.df
    names = [unused_name(name, df) for name in ("_queues_of_old", "_queues_of_new")]
    routed = df
    check_exchange(exchange, old, new)
    for name, topology in zip(names, (old, new), strict=True):
        known = topology.exchange_by_name
        if exchange is not None and not topology.rules.addressing.may_name(exchange, known):
            # This topology lacks the exchange, so the message reaches no queue in it; that is a change, not an error.
            routed = routed.withColumn(name, sf.expr("CAST(array() AS ARRAY<STRING>)"))
            continue
        possible = unused_name("_possible_queues", routed) if choices(topology) else None
        options = RouteOptions(exchange=exchange, missing=missing)
        routed = route(routed, topology, rows.layout, column=name, possible_column=possible, **options)
        if possible is not None:
            # A queue that an exchange may choose counts as reached, in both topologies.
            both = sf.array_sort(sf.array_union(quote_name(name), quote_name(possible)))
            routed = routed.withColumn(name, both).drop(possible)
    before, after = (quote_name(name) for name in names)
    won, lost = f"array_except({after}, {before})", f"array_except({before}, {after})"
    # For each message: one entry for each queue that it wins, loses or keeps, and entries without a queue that count
    # the message itself.
    fates = f"CASE WHEN {before} <> {after} THEN 'changed' WHEN size({after}) = 0 THEN 'neither' ELSE 'kept' END"
    entries = ", ".join(
        (
            *(
                f"transform({queues}, q -> struct('{name}' AS change, q AS queue))"
                for name, queues in (("won", won), ("lost", lost), ("kept", f"array_intersect({before}, {after})"))
            ),
            f"array(struct({fates} AS change, CAST(NULL AS STRING) AS queue))",
            *(
                f"CASE WHEN size({queues}) > 0 THEN array(struct('{name}' AS change, CAST(NULL AS STRING) AS queue)) "
                "ELSE array() END"
                for name, queues in (("won", won), ("lost", lost))
            ),
        )
    )
    counted = routed.selectExpr(f"concat({entries}) AS entries").select(sf.explode_outer("entries").alias("entry"))
    counts = {
        (row.queue, row.change): row["count"]
        for row in counted.groupBy("entry.queue", "entry.change").count().collect()
    }
    messages = {name: counts.get((None, name), 0) for name in ("won", "lost", "kept", "neither", "changed")}
    examples = []
    if messages["changed"] and rows.examples:
        some = routed.filter(f"{before} <> {after}").limit(rows.examples * _LOOKED_AT)
        columns = [*collectable_columns(df), sf.expr(won).alias(names[0]), sf.expr(lost).alias(names[1])]
        for row in _varied(some.select(*columns).collect(), names)[: rows.examples]:
            values = row.asDict()
            gained, gone = values.pop(names[0]), values.pop(names[1])
            source = exchange if exchange is not None else values.get("exchange")
            examples.append(Example("rerouted", rows.message(values), tuple(gained), tuple(gone), source))
    return Diff(
        "topology",
        _shown(old),
        _shown(new),
        messages["changed"] + messages["kept"] + messages["neither"],
        messages["won"],
        messages["lost"],
        messages["kept"],
        messages["neither"],
        messages["changed"],
        routed.filter(f"size({won}) > 0").withColumn("queues_won", sf.expr(won)).drop(*names),
        routed.filter(f"size({lost}) > 0").withColumn("queues_lost", sf.expr(lost)).drop(*names),
        tuple(examples),
        _queue_changes(old, new, counts),
    )


def _varied(rows: list[Row], names: list[str]) -> list[Row]:
    """Reorder ``rows``: the first row with each combination of queues comes before all other rows."""
    firsts: list[Row] = []
    others: list[Row] = []
    seen: set[tuple[tuple[str, ...], ...]] = set()
    for row in rows:
        combination = tuple(tuple(row[name]) for name in names)
        (others if combination in seen else firsts).append(row)
        seen.add(combination)
    return firsts + others


def _queue_changes(
    old: Topology, new: Topology, counts: Mapping[tuple[str | None, str], int]
) -> tuple[QueueChange, ...]:
    """Return the changes of all queues; queues with the most changed messages come first."""
    changes = []
    for queue in old.queue_names | new.queue_names:
        only: Literal["old", "new"] | None = None
        if queue not in new.queue_names:
            only = "old"
        elif queue not in old.queue_names:
            only = "new"
        won, lost, kept = (counts.get((queue, change), 0) for change in ("won", "lost", "kept"))
        changes.append(QueueChange(queue, won, lost, kept, only))
    return tuple(sorted(changes, key=lambda one: (-(one.won + one.lost), not one.changed, one.queue)))
