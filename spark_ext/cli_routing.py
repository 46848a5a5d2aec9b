"""selector-spark route and backtest: archives of messages through a topology."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from spark_ext.cli_archives import check_layout, read_archive
from spark_ext.cli_inputs import find_inputs, input_format_option, read_schema
from spark_ext.cli_jobs import Output, click, fail, schema_option, session_options, start_session
from transpiler.cli.completion import complete_exchanges, complete_vhosts
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.layouts import layout_option, missing_option
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.options import text_or_json, warn
from transpiler.cli.publishing import check_publisher, destination_options, publisher_options, read_destination
from transpiler.cli.topologies import read_topology_file, state_options
from transpiler.routing.compiled_file import is_compiled
from transpiler.routing.compiled_topology import CompiledTopology
from transpiler.sql import quote_name
from transpiler.topology.choices import choices
from transpiler.topology.files import FORMS, Form
from transpiler.topology.model import Topology
from transpiler.topology.publishing import Protocol, PublishTo
from transpiler.topology.report.summary import Summary

_LAYOUTS = "rabbitmq-trace (RabbitMQ's tracing log), amqp, amqp-0-10, flat, …  [default: what the file shows]"

#: The columns with the outcome of each message and the exchange that it was published to, while they are counted.
_OUTCOME, _PUBLISHED_TO = "_outcome", "_published_to"

#: The column with the queues that a message may reach by what exchanges choose.
_POSSIBLE = "possible_queues"


def archive_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how to read the messages and the topology, and where messages were published."""
    options: list[Callable[..., Any]] = [
        input_format_option,
        click.option("--layout", callback=check_layout, help=_LAYOUTS),
        layout_option,
        schema_option,
        click.option(
            "--form",
            "form",
            type=click.Choice(FORMS),
            help="What the topology's file is  [default: as it shows]",
        ),
        click.option(
            "--vhost",
            shell_complete=complete_vhosts,
            help="The virtual host, where the topology's file has several.",
        ),
        state_options,
        click.option(
            "--exchange", shell_complete=complete_exchanges, help="The exchange that all messages were published to."
        ),
        destination_options,
        missing_option,
    ]
    command = session_options(command)
    for option in reversed(options):
        command = option(command)
    return command


_keys_option = click.option(
    "--keys-once", is_flag=True, help="Match each routing key once: where keys repeat, and patterns are many."
)


def _read_topology(
    name: str,
    form: Form | None,
    vhost: str | None,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    missing: str,
) -> Topology | CompiledTopology:
    """Return the topology of a file, which may be compiled; what it was compiled with ends the command."""
    if name == "-" or not is_compiled(name):
        return read_topology_file(name, form, vhost)
    given = {
        "--form": form is not None,
        "--vhost": vhost is not None,
        "--exchange": exchange is not None,
        "--address": address is not None,
        "--publish-to": publish_to != "exchange",
        "--missing": missing != "error",
    }
    for option, is_given in given.items():
        if is_given:
            fail(f"{shown(name)} is compiled, and {option} is for compile-topology, which made it")
    return CompiledTopology.load(name)


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
@archive_options
@_keys_option
@publisher_options
@click.option("--output", help="Write the messages with their queues there, as Parquet.")
@click.option("--outcome", metavar="COLUMN", help="Write what became of each message, too, in a column of that name.")
@click.option("--deliveries", "one_each", is_flag=True, help="Write one row a delivery.")
@click.option("--summary", is_flag=True, help="Print the counts as one JSON object, which pictures take.")
def route(
    topology: str,
    inputs: tuple[str, ...],
    input_format: str | None,
    layout: str | None,
    layout_option: tuple[str, ...],
    schema: str | None,
    form: Any,
    vhost: str | None,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    keys_once: bool,
    missing: Any,
    master: str,
    packages: str | None,
    protocol: Protocol | None,
    mandatory: bool,
    reject_unroutable: bool,
    output: str | None,
    outcome: str | None,
    one_each: bool,
    summary: bool,
) -> None:
    """Route the messages in INPUT through TOPOLOGY, and count what each queue gets.

    TOPOLOGY is a file of definitions, or one that compile-topology wrote.
    INPUT is RabbitMQ's tracing log, message JSON lines, or Parquet, ORC, Avro and CSV of any layout, each a file, a
    directory, a pattern or a URI, and compressed or not. A column or member
    "exchange", or the delivery-properties of AMQP 0-10, say where a message was published; --exchange, --address and
    --publish-to say it in their place.
    """
    check_publisher(protocol, mandatory, reject_unroutable)
    read_from = _read_topology(topology, form, vhost, exchange, address, publish_to, missing)
    where = read_from.topology if isinstance(read_from, CompiledTopology) else read_from
    warn(where.findings)
    sender = read_destination(where, exchange, address, publish_to)
    archives = find_inputs(inputs, input_format)
    types = read_schema(schema)
    session = start_session(master, packages)
    target = None if output is None else Output(session, output)
    from spark_ext.routing.query import deliveries
    from spark_ext.routing.query import route as routed_through

    started = time.perf_counter()
    archive = read_archive(session, archives, layout, types, layout_option)
    keys = archive.messages if keys_once else None
    routed = routed_through(
        archive.messages,
        read_from,
        archive.layout,
        exchange=exchange,
        missing=missing,
        keys=keys,
        address=sender,
        publish_to=publish_to,
        outcome=outcome or _OUTCOME,
        exchange_column=_PUBLISHED_TO,
        possible_column=_POSSIBLE if choices(where) else None,
        protocol=protocol,
        mandatory=mandatory,
        reject_unroutable=reject_unroutable,
    )
    if target is not None:
        written = routed.drop(_PUBLISHED_TO, _OUTCOME)
        target.write(deliveries(written) if one_each else written)
    counted = _count(routed, outcome or _OUTCOME)
    if summary:
        click.echo(json.dumps(counted.to_dict(), ensure_ascii=False, indent=2))
    else:
        for name, number in counted.queues.items():
            click.echo(f"{number:>10,}  {name}")
    kept = ("delivered", "alternate", "undecided")
    lost = {name: count for name, count in counted.outcomes.items() if name not in kept}
    parts = [f"{sum(counted.queues.values()):,} deliveries of {sum(counted.outcomes.values()):,} messages"]
    if "alternate" in counted.outcomes:
        parts.append(f"{counted.outcomes['alternate']:,} by way of an alternate only")
    if choices(where):
        chosen = routed.filter(f"size({_POSSIBLE}) > 0").count()
        parts.append(f"{chosen:,} may reach more of them ({_POSSIBLE}), by what exchanges choose")
    detail = ": " + ", ".join(f"{count:,} {name}" for name, count in lost.items()) if lost else ""
    parts.append(f"{sum(lost.values()):,} reach no queue{detail}")
    click.echo(f"{'; '.join(parts)} ({time.perf_counter() - started:.1f} s)", err=True)


@click.command(
    short_help="Compare routed queues with those that a broker recorded.",
    cls=ManualCommand,
    examples=[
        Example(
            "Compare a broker's log with its definitions", "selector-spark backtest trace.jsonl.gz definitions.json"
        ),
    ],
    exits={
        0: "every message has exactly the broker's queues",
        1: "some messages have not",
        2: "the comparison could not be made",
    },
)
@click.argument("archive")
@click.argument("topology", type=InputFile())
@archive_options
@_keys_option
@click.option(
    "--recorded",
    default="routed_queues",
    show_default=True,
    help="The column with the broker's queues, or with --partial the one queue that a message was read from.",
)
@click.option("--partial", is_flag=True, help="Messages may have gone to queues that are not recorded, too.")
@click.option("--recorded-queue", metavar="NAME", help="The queue that all messages were read from; implies --partial.")
@click.option("--examples", default=10, show_default=True, help="Messages to show that disagree.")
@text_or_json("How to print the comparison.")
def backtest(
    archive: str,
    topology: str,
    input_format: str | None,
    layout: str | None,
    layout_option: tuple[str, ...],
    schema: str | None,
    form: Any,
    vhost: str | None,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    keys_once: bool,
    missing: Any,
    master: str,
    packages: str | None,
    recorded: str,
    partial: bool,
    recorded_queue: str | None,
    examples: int,
    output_format: str,
) -> None:
    """Compare the queues that a broker recorded in ARCHIVE with those that TOPOLOGY gives.

    With --partial --recorded queue, for Lambda events, or --recorded-queue NAME, for answers of RabbitMQ's management
    API, one queue of each message is known: it is missed where TOPOLOGY does not lead there, and no queue is extra.
    """
    read_from = _read_topology(topology, form, vhost, exchange, address, publish_to, missing)
    where = read_from.topology if isinstance(read_from, CompiledTopology) else read_from
    warn(where.findings)
    sender = read_destination(where, exchange, address, publish_to)
    inputs = find_inputs((archive,), input_format)
    types = read_schema(schema)
    session = start_session(master, packages)
    from spark_ext.backtests import backtest as compare
    from spark_ext.routing.query import route as routed_through

    read = read_archive(session, inputs, layout, types, layout_option)
    if recorded_queue is None:
        _check_recorded(read.messages, recorded, archive, partial)
    keys = read.messages if keys_once else None
    routed = routed_through(
        read.messages,
        read_from,
        read.layout,
        exchange=exchange,
        missing=missing,
        keys=keys,
        address=sender,
        publish_to=publish_to,
        exchange_column="exchange",
        possible_column=_POSSIBLE if choices(where) else None,
    )
    result = compare(
        routed,
        read.layout,
        recorded=recorded,
        partial=partial,
        recorded_queue=recorded_queue,
        possible=_POSSIBLE if choices(where) else None,
        max_examples=examples,
    )
    data = json.dumps(result.to_dict(), ensure_ascii=False, indent=2)
    click.echo(data if output_format == "json" else result.render())
    raise SystemExit(0 if result.passed else 1)


def _check_recorded(messages: Any, recorded: str, archive: str, partial: bool) -> None:
    """End the command where the messages do not say where the broker put them."""
    expected = f"a backtest compares with a column {recorded}, an array of the names of the broker's queues"
    kind = dict(messages.dtypes).get(recorded)
    if kind is None:
        fail(f"{shown(archive)} has no column {recorded}: {expected}; its columns are {', '.join(messages.columns)}")
    if kind != "array<string>" and not (partial and kind == "string"):
        hint = "; if it has one of the queues, --partial compares that one" if kind == "string" else ""
        fail(f"{shown(archive)}: the column {recorded} is {kind.upper()}: {expected}{hint}")
    if messages.filter(f"{quote_name(recorded)} IS NOT NULL").isEmpty() and not messages.isEmpty():
        fail(f"{shown(archive)} has no recorded queues, its column {recorded} is NULL everywhere: {expected}")


def _count(routed: Any, outcome: str) -> Summary:
    """Count the messages by exchange, by queue and by outcome, in one pass over them."""
    counted = ("exchange", _PUBLISHED_TO), ("outcome", quote_name(outcome))
    listed = ", ".join(f"struct('{kind}' AS kind, {name} AS name)" for kind, name in counted)
    every = f"concat(array({listed}), transform(queues, q -> struct('queue' AS kind, q AS name)))"
    # Not a plain explode, which would route each message twice: see deliveries.
    rows = routed.selectExpr(f"explode_outer({every}) AS one").filter("one.name IS NOT NULL").groupBy("one").count()
    counts: dict[str, dict[str, int]] = {"exchange": {}, "queue": {}, "outcome": {}}
    for (kind, name), count in sorted(rows.collect()):
        counts[kind][name] = count
    return Summary(counts["exchange"], counts["queue"], counts["outcome"])
