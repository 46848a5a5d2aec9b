"""selector-spark route and backtest: archives of messages through a topology."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from spark_ext.cli_jobs import Inputs, Output, click, fail, find_inputs, start_session
from transpiler import TranspilerError
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.options import to_message, warn
from transpiler.cli.publishing import check_publisher, destination_options, publisher_options, read_destination
from transpiler.cli.topologies import read_topology_file
from transpiler.jsontext import JsonTextError, load_json
from transpiler.layouts.amqp import AmqpLayout
from transpiler.layouts.amqp_0_10 import ZeroTenLayout
from transpiler.layouts.amqp_0_10_json import read_row
from transpiler.layouts.layout import ArchiveLayout
from transpiler.topology.publishing import Protocol, PublishTo
from transpiler.topology.report.diagram import Summary

ZERO_TEN = ZeroTenLayout()

#: Columns or members that say where a message was published and where the broker put it.
_BESIDE = ("exchange", "routed_queues", "queues", "outcome")

_LAYOUTS = "rabbitmq-trace (RabbitMQ's tracing log), amqp, amqp-0-10, or flat  [default: what the file shows]"

#: The columns with the outcome of each message and the exchange that it was published to, while they are counted.
_OUTCOME, _PUBLISHED_TO = "_outcome", "_published_to"


def _archive_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options: list[Callable[..., Any]] = [
        click.option(
            "--format", "form", type=click.Choice(["json", "parquet", "orc"]), help="Default: by the file's name."
        ),
        click.option("--layout", type=click.Choice(["rabbitmq-trace", "amqp", ZERO_TEN.name, "flat"]), help=_LAYOUTS),
        click.option(
            "--form",
            "topology_form",
            type=click.Choice(["topology", "rabbitmq", "broker-j"]),
            help="What the topology's file is  [default: as it shows]",
        ),
        click.option("--vhost", help="The virtual host, where the topology's file has several."),
        click.option("--exchange", help="The exchange that all messages were published to."),
        destination_options,
        click.option(
            "--keys-once", is_flag=True, help="Match each routing key once: where keys repeat, and patterns are many."
        ),
        click.option("--missing", type=click.Choice(["error", "null"]), default="error", show_default=True),
        click.option("--master", default="local[*]", show_default=True, help="The Spark master."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


class _Archive(NamedTuple):
    messages: Any
    layout: Any


@click.command()
@click.argument("topology", type=InputFile())
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@_archive_options
@publisher_options
@click.option("--output", help="Write the messages with their queues there, as Parquet.")
@click.option("--outcome", metavar="COLUMN", help="Write what became of each message, too, in a column of that name.")
@click.option("--deliveries", "one_each", is_flag=True, help="Write one row a delivery.")
@click.option("--summary", is_flag=True, help="Print the counts as one JSON object, which pictures take.")
def route(
    topology: str,
    inputs: tuple[str, ...],
    form: str | None,
    layout: str | None,
    topology_form: Any,
    vhost: str | None,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    keys_once: bool,
    missing: Any,
    master: str,
    protocol: Protocol | None,
    mandatory: bool,
    reject_unroutable: bool,
    output: str | None,
    outcome: str | None,
    one_each: bool,
    summary: bool,
) -> None:
    """Route the messages in INPUT through TOPOLOGY, and count what each queue gets.

    INPUT is RabbitMQ's tracing log, message JSON lines, or Parquet and ORC of any layout. A column or member
    "exchange", or the delivery-properties of AMQP 0-10, say where a message was published; --exchange, --address and
    --publish-to say it in their place.
    """
    check_publisher(protocol, mandatory, reject_unroutable)
    where = read_topology_file(topology, topology_form, vhost)
    warn(where.findings)
    sender = read_destination(where, exchange, address, publish_to)
    found = find_inputs(inputs, form)
    session = start_session(master)
    target = None if output is None else Output(session, output)
    from spark_ext.routing.query import deliveries
    from spark_ext.routing.query import route as routed_through

    started = time.perf_counter()
    archive = _read(session, found, layout)
    keys = archive.messages if keys_once else None
    routed = routed_through(
        archive.messages,
        where,
        archive.layout,
        exchange=exchange,
        missing=missing,
        keys=keys,
        address=sender,
        publish_to=publish_to,
        outcome=outcome or _OUTCOME,
        exchange_column=_PUBLISHED_TO,
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
    lost = {name: count for name, count in counted.outcomes.items() if name not in ("delivered", "alternate")}
    parts = [f"{sum(counted.queues.values()):,} deliveries of {sum(counted.outcomes.values()):,} messages"]
    if "alternate" in counted.outcomes:
        parts.append(f"{counted.outcomes['alternate']:,} by way of an alternate only")
    detail = ": " + ", ".join(f"{count:,} {name}" for name, count in lost.items()) if lost else ""
    parts.append(f"{sum(lost.values()):,} reach no queue{detail}")
    click.echo(f"{'; '.join(parts)} ({time.perf_counter() - started:.1f} s)", err=True)


@click.command()
@click.argument("archive")
@click.argument("topology", type=InputFile())
@_archive_options
@click.option("--recorded", default="routed_queues", show_default=True, help="The column with the broker's queues.")
@click.option("--examples", default=10, show_default=True, help="Messages to show that disagree.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def backtest(
    archive: str,
    topology: str,
    form: str | None,
    layout: str | None,
    topology_form: Any,
    vhost: str | None,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    keys_once: bool,
    missing: Any,
    master: str,
    recorded: str,
    examples: int,
    as_json: bool,
) -> None:
    """Compare the queues that a broker recorded in ARCHIVE with those that TOPOLOGY gives.

    Exit code 0: every message has exactly the broker's queues; 1: some have not; 2: the comparison could not be made.
    """
    where = read_topology_file(topology, topology_form, vhost)
    warn(where.findings)
    sender = read_destination(where, exchange, address, publish_to)
    inputs = find_inputs((archive,), form)
    session = start_session(master)
    from spark_ext.backtests import backtest as compare
    from spark_ext.routing.query import route as routed_through

    read = _read(session, inputs, layout)
    if recorded not in read.messages.columns:
        fail(f"{shown(archive)} has no column {recorded}; its columns are {', '.join(read.messages.columns)}")
    keys = read.messages if keys_once else None
    routed = routed_through(
        read.messages,
        where,
        read.layout,
        exchange=exchange,
        missing=missing,
        keys=keys,
        address=sender,
        publish_to=publish_to,
        exchange_column="exchange",
    )
    found = compare(routed, recorded=recorded, max_examples=examples)
    click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if as_json else found.render())
    raise SystemExit(0 if found.passed else 1)


def _read(session: Any, inputs: Inputs, layout: str | None) -> _Archive:
    """The messages of the files, and where their properties are."""
    from spark_ext.traces import trace_messages

    if inputs.form != "json":
        messages = inputs.table(session)
        if layout == ZERO_TEN.name:
            absent = [name for name in ZERO_TEN.schema if name not in messages.columns]
            if absent:
                first = shown(inputs.names[0])
                fail(f"{first} has no column {' and no column '.join(absent)}, which archives of AMQP 0-10 have")
        return _Archive(messages, layout if layout in ("amqp", ZERO_TEN.name) else messages)
    first_line = _first_line(session, inputs) if layout is None else {}
    if layout == "rabbitmq-trace" or {"routing_keys", "routed_queues"} <= first_line.keys():
        trace = trace_messages(session.read.text(inputs.for_spark()))
        wrong = trace.filter("exchange IS NULL OR routed_queues IS NULL OR size(routing_keys) = 0").count()
        if wrong:
            wrong_line = _first_wrong(session, inputs, _is_entry)
            fail(
                f"{wrong_line or inputs.names[0]}: {wrong:,} lines are no entries of a tracing log, this is the first; "
                "write it with the tracing plugin, in JSON"
            )
        return _Archive(trace, None)
    if layout == "flat":
        messages = session.read.json(inputs.for_spark())
        if _CORRUPT in messages.columns:
            wrong_line = _first_wrong(session, inputs, lambda line: isinstance(line, dict))
            fail(f"{wrong_line or inputs.names[0]}: this is no object in JSON")
        return _Archive(messages, messages)
    if layout == ZERO_TEN.name or first_line.keys() & ZERO_TEN.schema.keys():
        return _Archive(_json_messages(session, inputs, ZERO_TEN), ZERO_TEN)
    return _Archive(_json_messages(session, inputs, AmqpLayout()), None)


#: The column that Spark adds for lines that are not JSON.
_CORRUPT = "_corrupt_record"


def _first_wrong(session: Any, inputs: Inputs, right: Callable[[Any], bool]) -> str | None:
    """Return the place of the first line that is no JSON, or whose value is not right."""
    for file, number, text in inputs.lines(session):
        try:
            if not right(load_json(text)):
                return f"{shown(file)}:{number}"
        except JsonTextError as error:
            column = "" if error.span is None else f":{error.span.start + 1}"
            return f"{shown(file)}:{number}{column}"
    return None


def _is_entry(line: Any) -> bool:
    if not isinstance(line, dict):
        return False
    return line.get("type") == "received" or {"exchange", "routed_queues", "routing_keys"} <= line.keys()


def _first_line(session: Any, inputs: Inputs) -> dict[str, Any]:
    """Return the object in the first line, which shows what the file is; an empty one if there is none."""
    for _, _, text in inputs.lines(session):
        try:
            first = load_json(text)
        except JsonTextError:
            return {}
        return first if isinstance(first, dict) else {}
    return {}


def _json_messages(session: Any, inputs: Inputs, layout: ArchiveLayout) -> Any:
    """JSON lines of messages with members beside the sections, as columns beside them."""
    from pyspark.sql import functions as sf

    from spark_ext.schemas import create_rows

    rows: list[Mapping[str, Any]] = []
    beside: list[tuple[int, str | None, list[str] | None]] = []
    for file, number, line in inputs.objects(session):
        known = {name: value for name, value in line.items() if name not in _BESIDE} if isinstance(line, dict) else line
        if layout is ZERO_TEN and isinstance(known, dict) and known.keys() & ZERO_TEN.schema.keys():
            try:
                rows.append(read_row(known))
            except TranspilerError as error:
                fail(f"{shown(file)}:{number}: {error}")
        else:
            rows.append(layout.row(to_message(known, file, number)))
        exchange, queues = line.get("exchange"), line.get("routed_queues")
        if not isinstance(exchange, str | None):
            fail(f"{shown(file)}:{number}: exchange: expected text")
        if queues is not None and not (isinstance(queues, list) and all(isinstance(queue, str) for queue in queues)):
            fail(f"{shown(file)}:{number}: routed_queues: expected a list of texts")
        beside.append((len(beside), exchange, queues))
    frame = create_rows(session, rows, layout).coalesce(1).withColumn("_row", sf.monotonically_increasing_id())
    names = session.createDataFrame(beside, "_row BIGINT, exchange STRING, routed_queues ARRAY<STRING>")
    return frame.join(names, "_row").drop("_row")


def _count(routed: Any, outcome: str) -> Summary:
    """Count the messages by exchange, by queue and by outcome."""
    exchanges: Counter[str] = Counter()
    queues: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for row in routed.groupBy(_PUBLISHED_TO, f"`{outcome.replace('`', '``')}`").count().collect():
        outcomes[row[1]] += row["count"]
        if row[0] is not None:
            exchanges[row[0]] += row["count"]
    for row in (
        routed.selectExpr("explode_outer(queues) AS queue")
        .filter("queue IS NOT NULL")
        .groupBy("queue")
        .count()
        .collect()
    ):
        queues[row.queue] = row["count"]
    return Summary(dict(sorted(exchanges.items())), dict(sorted(queues.items())), dict(sorted(outcomes.items())))
