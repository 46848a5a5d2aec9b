"""selector-spark route and backtest: route archives of messages through a topology, or compare with recorded queues."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from spark_ext.cli.archives import StartJob, archive_options
from spark_ext.cli.jobs import Output, click, fail
from transpiler.base.documents.jsontext import json_text
from transpiler.cli.group import say
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.layouts import missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import text_or_json, together, warn
from transpiler.cli.publications import hint_state, hint_subscribers, no_messages
from transpiler.cli.topologies import (
    NO_QUEUE,
    REACHED,
    RECORDED_EXITS,
    TopologyForm,
    destination_options,
    exchange_option,
    publisher_options,
    read_destination,
    recorded_options,
    topology_options,
)
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.sql import quote_name, quote_text
from transpiler.routing.compiled_file import is_compiled
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.tools.backtest import count_left_out
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology.choices import choices
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Publisher, PublishTo

#: Temporary columns for counting: the outcome of each message (``_OUTCOME``), and the exchange to which it was
#: published (``_PUBLISHED_TO``).
_OUTCOME, _PUBLISHED_TO = "_outcome", "_published_to"

#: The column with the queues that a message reaches only if exchanges choose them.
_POSSIBLE = "possible_queues"


class Routing(NamedTuple):
    """The argument TOPOLOGY of a command: its name, the topology (perhaps compiled), and the options for ``route``."""

    name: str
    given: Topology | CompiledTopology
    parameters: dict[str, Any]

    @property
    def topology(self) -> Topology:
        """The topology; if it was compiled, only its exchanges and the bindings between exchanges."""
        return self.given.topology if isinstance(self.given, CompiledTopology) else self.given

    def broadcast(self) -> AbstractContextManager[None]:
        """Return a context in which the error about tables too large to broadcast names the topology's file."""
        from spark_ext.routing.broadcast_join import broadcast_of

        return broadcast_of(shown(self.name))


def routing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for TOPOLOGY and for where messages were published. The command receives them as ``routing``."""

    @wraps(command)
    def with_routing(
        topology: str,
        form: TopologyForm,
        exchange: str | None,
        address: str | None,
        publish_to: PublishTo,
        missing: Missing,
        **others: Any,
    ) -> Any:
        given: Topology | CompiledTopology
        if topology != "-" and is_compiled(topology):
            from spark_ext.routing.plans import given_options

            options = {"exchange": exchange, "address": address, "publish_to": publish_to, "missing": missing}
            of_file = [name for name, value in form._asdict().items() if value]
            for name in (*of_file, *given_options(options)):
                option = "--property" if name == "properties" else f"--{name.replace('_', '-')}"
                fail(f"{shown(topology)} is compiled, so {option} has no effect: give {option} to compile-topology")
            given = CompiledTopology.load(Path(topology))
            warn(given.topology.findings)
        else:
            given = form.read(topology)
        routing = Routing(topology, given, {"exchange": exchange, "publish_to": publish_to, "missing": missing})
        routing.parameters["address"] = read_destination(routing.topology, exchange, address, publish_to)
        return command(routing=routing, **others)

    options = together(
        archive_options,
        topology_options,
        exchange_option("The exchange that all messages were published to."),
        destination_options,
        missing_option,
    )
    return options(with_routing)


_keys_option = click.option(
    "--keys-once", is_flag=True, help="Match each routing key once: where keys repeat, and patterns are many."
)


@click.command(
    short_help="Route the messages in INPUT through TOPOLOGY.",
    cls=ManualCommand,
    examples=[
        Example("Count what each queue gets", "selector-spark route definitions.json trace.jsonl.gz"),
        Example(
            "Write one row a delivery",
            "selector-spark route definitions.json trace.jsonl.gz --deliveries --output deliveries.parquet",
        ),
    ],
)
@click.argument("topology", type=InputFile())
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@routing_options
@_keys_option
@publisher_options
@click.option("--output", help="Write the messages with their queues there, as Parquet.")
@click.option("--column", default="queues", show_default=True, metavar="COLUMN", help="The column with the queues.")
@click.option("--outcome", metavar="COLUMN", help="Write what became of each message, too, in a column of that name.")
@click.option("--deliveries", "one_each", is_flag=True, help="Write one row a delivery.")
@click.option("--summary", is_flag=True, help="Print the counts as one JSON object, which pictures take.")
def route(
    routing: Routing,
    inputs: tuple[str, ...],
    start_job: StartJob,
    keys_once: bool,
    publisher: Publisher,
    output: str | None,
    column: str,
    outcome: str | None,
    one_each: bool,
    summary: bool,
) -> None:
    """Route the messages in INPUT through TOPOLOGY, and count what each queue gets.

    TOPOLOGY is a file of definitions, or one that compile-topology wrote.
    INPUT is RabbitMQ's tracing log, message JSON lines, or Parquet, ORC, Avro and CSV of any layout, each a file, a
    directory, a pattern or a URI, and compressed or not. A column or member
    "exchange", or the delivery-properties of AMQP 0-10, say where a message was published; --exchange, --address and
    --publish-to say it in their place. Messages of a log that are of another virtual host are left out and counted.
    """
    chosen = bool(choices(routing.topology))
    job = start_job(inputs)
    target = None if output is None else Output(job.session, output)
    from spark_ext.messages.plain_rows import unused_name
    from spark_ext.routing.route_messages import deliveries
    from spark_ext.routing.route_messages import route as routed_through

    started = time.perf_counter()
    archive, left_out = job.read().of_virtual_host(routing.topology)
    possible = _POSSIBLE if chosen else None
    if target is None:
        # If there is no output, the added columns are only counted, so any unused name will do.
        column = unused_name(column, archive.messages)
        possible = possible and unused_name(possible, archive.messages)
    routed = routed_through(
        archive.messages,
        routing.given,
        archive.layout,
        column=column,
        keys=archive.messages if keys_once else None,
        outcome=outcome or _OUTCOME,
        exchange_column=_PUBLISHED_TO,
        possible_column=possible,
        publisher=publisher,
        **routing.parameters,
    )
    with routing.broadcast():
        if target is not None:
            written = routed.drop(_PUBLISHED_TO, _OUTCOME)
            target.write(deliveries(written, column=column) if one_each else written)
        counted, undecided = _count(routed, column, outcome or _OUTCOME, possible)
    if summary:
        click.echo(json_text(counted.with_zeros(routing.topology).to_dict(), indent=2))
    else:
        for name, number in counted.queues.items():
            say(f"{number:>10,}  {name}")
    lost = {name: count for name, count in counted.outcomes.items() if name not in REACHED}
    parts = [f"{sum(counted.queues.values()):,} deliveries of {sum(counted.outcomes.values()):,} messages"]
    if "alternate" in counted.outcomes:
        parts.append(f"{counted.outcomes['alternate']:,} by way of an alternate only")
    if "dead-letter" in counted.outcomes:
        parts.append(f"{counted.outcomes['dead-letter']:,} sent to a dead letter address as well")
    if chosen:
        parts.append(f"{undecided:,} may reach more of them ({_POSSIBLE}), by what exchanges choose")
    detail = ": " + ", ".join(f"{count:,} {name}" for name, count in lost.items()) if lost else ""
    parts.append(f"{sum(lost.values()):,} reach no queue{detail}")
    click.echo(f"{'; '.join(parts)} ({time.perf_counter() - started:.1f} s)", err=True)
    if left_out:
        say(count_left_out(left_out), err=True)
    hint_state(routing.topology, counted.outcomes.get("undecided", 0))
    if counted.outcomes and not counted.outcomes.keys() & REACHED:
        click.echo(NO_QUEUE, err=True)


@click.command(
    short_help="Compare routed queues with those that a broker recorded.",
    cls=ManualCommand,
    examples=[
        Example(
            "Compare a broker's log with its definitions", "selector-spark backtest trace.jsonl.gz definitions.json"
        ),
    ],
    exits=RECORDED_EXITS,
)
@click.argument("archive")
@click.argument("topology", type=InputFile())
@routing_options
@_keys_option
@recorded_options("column")
@text_or_json("How to print the comparison.")
def backtest(
    archive: str,
    routing: Routing,
    start_job: StartJob,
    keys_once: bool,
    recorded: str,
    partial: bool,
    recorded_queue: str | None,
    examples: int,
    output_format: str,
) -> None:
    """Route the messages in ARCHIVE through TOPOLOGY, and compare the queues with those that the broker recorded.

    Messages of a log that are of another virtual host than TOPOLOGY's are left out and counted.
    With --partial --recorded queue, for Lambda events, or --recorded-queue NAME, for answers of RabbitMQ's management
    API, one queue of each message is known: it is missed where TOPOLOGY does not lead there, and no queue is extra.
    """
    job = start_job((archive,))
    from pyspark.sql.functions import coalesce, lit

    from spark_ext.messages.plain_rows import unused_name
    from spark_ext.reports.backtests import backtest as compare
    from spark_ext.routing.route_messages import route as routed_through

    read, left_out = job.read().of_virtual_host(routing.topology)
    if recorded_queue is None:
        _check_recorded(read.messages, recorded, archive, partial)
    topology = routing.topology
    is_open = bool(choices(topology)) or not topology.knows_subscribers
    possible = unused_name(_POSSIBLE, read.messages) if is_open else None
    routed = routed_through(
        read.messages,
        routing.given,
        read.layout,
        keys=read.messages if keys_once else None,
        column=unused_name("queues", read.messages),
        exchange_column=_PUBLISHED_TO,
        possible_column=possible,
        **routing.parameters,
    )
    if possible is not None and not topology.knows_subscribers:
        queues = quote_name(recorded) if recorded_queue is None else quote_text(recorded_queue)
        is_text = recorded_queue is not None or dict(routed.dtypes).get(recorded) == "string"
        routed = _with_subscribers(routed, topology, possible, f"array({queues})" if is_text else queues)
        hint_subscribers(topology)
    with routing.broadcast():
        result = compare(
            routed,
            read.layout,
            recorded=recorded,
            partial=partial,
            recorded_queue=recorded_queue,
            column=unused_name("queues", read.messages),
            possible=possible,
            max_examples=examples,
            topology=routing.topology,
            # The exchange is NULL if the relay rejected the message, even if the message itself names an exchange.
            exchange=coalesce(routed[_PUBLISHED_TO], lit("")),
        )
    result.left_out = left_out
    if not result.total:
        fail(no_messages(archive, left_out))
    if output_format == "json":
        click.echo(json_text(result.to_dict(), indent=2))
    else:
        say(result.render())
    raise SystemExit(0 if result.passed else 1)


def _with_subscribers(routed: Any, topology: Topology, possible: str, recorded: str) -> Any:
    """Add queues of the column ``recorded`` to the column ``possible``, for messages that were published to a topic.

    They are the queues that the topology's file does not contain: the broker may have created them for subscribers.
    """
    known = f"CAST(array({', '.join(map(quote_text, sorted(topology.queue_names)))}) AS ARRAY<STRING>)"
    others = f"CASE WHEN contains({_PUBLISHED_TO}, 'topic://') THEN array_except({recorded}, {known}) END"
    both = f"array_union({quote_name(possible)}, coalesce({others}, CAST(array() AS ARRAY<STRING>)))"
    return routed.selectExpr(f"* EXCEPT ({quote_name(possible)})", f"{both} AS {quote_name(possible)}")


def _check_recorded(messages: Any, recorded: str, archive: str, partial: bool) -> None:
    """End the command if the messages have no valid column ``recorded`` with the queues of the broker."""
    expected = f"a backtest compares with a column {recorded}, an array of the names of the broker's queues"
    kind = dict(messages.dtypes).get(recorded)
    if kind is None:
        fail(f"{shown(archive)} has no column {recorded}: {expected}; its columns are {', '.join(messages.columns)}")
    if kind != "array<string>" and not (partial and kind == "string"):
        hint = "; if it has one of the queues, --partial compares that one" if kind == "string" else ""
        fail(f"{shown(archive)}: the column {recorded} is {kind.upper()}: {expected}{hint}")
    if messages.filter(f"{quote_name(recorded)} IS NOT NULL").isEmpty() and not messages.isEmpty():
        fail(f"{shown(archive)} has no recorded queues, its column {recorded} is NULL everywhere: {expected}")


def _count(routed: Any, column: str, outcome: str, possible: str | None) -> tuple[Summary, int]:
    """Count messages by exchange, queue, outcome and possible queue in one Spark job.

    Also return the number of messages that have a possible queue.
    """
    counted = [("exchange", _PUBLISHED_TO), ("outcome", quote_name(outcome))]
    queues = {"queue": column} | ({} if possible is None else {"possible": possible})
    if possible is not None:
        counted.append(("undecided", f"CASE WHEN size({quote_name(possible)}) > 0 THEN '' END"))
    listed = ", ".join(f"struct('{kind}' AS kind, {name} AS name)" for kind, name in counted)
    arrays = [
        f"transform({quote_name(name)}, q -> struct('{kind}' AS kind, q AS name))" for kind, name in queues.items()
    ]
    # ``explode_outer``, because with ``explode`` Spark would route each message twice: see ``deliveries``.
    rows = (
        routed.selectExpr(f"explode_outer(concat(array({listed}), {', '.join(arrays)})) AS one")
        .filter("one.name IS NOT NULL")
        .groupBy("one")
        .count()
    )
    counts: dict[str, dict[str, int]] = {"exchange": {}, "queue": {}, "outcome": {}, "possible": {}, "undecided": {}}
    for (kind, name), count in sorted(rows.collect()):
        counts[kind][name] = count
    summary = Summary(counts["exchange"], counts["queue"], counts["outcome"], counts["possible"])
    return summary, sum(counts["undecided"].values())
