"""selector-spark route and backtest: archives of messages through a topology."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from spark_ext.cli_jobs import check_files, click, fail, form_of, json_lines, reported, start_session
from transpiler import DecodeError, Message, Topology, TranspilerError
from transpiler.topology.files import read_topology
from transpiler.topology.picture import Summary

#: Columns or members that say where a message was published and where the broker put it.
_BESIDE = ("exchange", "routed_queues", "queues", "outcome")

_LAYOUTS = "rabbitmq-trace (RabbitMQ's tracing log), amqp, or flat  [default: what the file shows]"


def _archive_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options: list[Callable[..., Any]] = [
        click.option(
            "--format", "form", type=click.Choice(["json", "parquet", "orc"]), help="Default: by the file's name."
        ),
        click.option("--layout", type=click.Choice(["rabbitmq-trace", "amqp", "flat"]), help=_LAYOUTS),
        click.option(
            "--form",
            "topology_form",
            type=click.Choice(["topology", "rabbitmq", "broker-j"]),
            help="What the topology's file is  [default: as it shows]",
        ),
        click.option("--vhost", help="The virtual host, where the topology's file has several."),
        click.option("--exchange", help="The exchange that all messages were published to."),
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
@click.argument("topology", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@_archive_options
@click.option("--output", help="Write the messages with their queues there, as Parquet.")
@click.option("--deliveries", "one_each", is_flag=True, help="Write one row a delivery.")
@click.option("--summary", is_flag=True, help="Print the counts as one JSON object, which pictures take.")
def route(
    topology: Path,
    inputs: tuple[str, ...],
    form: str | None,
    layout: str | None,
    topology_form: Any,
    vhost: str | None,
    exchange: str | None,
    keys_once: bool,
    missing: Any,
    master: str,
    output: str | None,
    one_each: bool,
    summary: bool,
) -> None:
    """Route the messages in INPUT through TOPOLOGY, and count what each queue gets.

    INPUT is RabbitMQ's tracing log, message JSON lines, or Parquet and ORC of any layout. A column or member
    "exchange" says where a message was published.
    """
    where = _topology(topology, topology_form, vhost)
    check_files(inputs)
    session = start_session(master)
    from spark_ext.routing import deliveries
    from spark_ext.routing import route as routed_through

    started = time.perf_counter()
    with reported():
        archive = _read(session, inputs, form, layout)
        keys = archive.messages if keys_once else None
        routed = routed_through(archive.messages, where, archive.layout, exchange=exchange, missing=missing, keys=keys)
        if output:
            (deliveries(routed) if one_each else routed).write.mode("errorifexists").parquet(output)
        counted = _count(routed, where, exchange)
    if summary:
        click.echo(json.dumps(counted.to_dict(), ensure_ascii=False, indent=2))
    else:
        for name, number in counted.queues.items():
            click.echo(f"{number:>10,}  {name}")
    total = sum(counted.exchanges.values())
    lost = total - counted.outcomes.get("routed", 0)
    seconds = time.perf_counter() - started
    click.echo(
        f"{sum(counted.queues.values()):,} deliveries of {total:,} messages; {lost:,} reach no queue ({seconds:.1f} s)",
        err=True,
    )


@click.command()
@click.argument("archive")
@click.argument("topology", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_archive_options
@click.option("--recorded", default="routed_queues", show_default=True, help="The column with the broker's queues.")
@click.option("--examples", default=10, show_default=True, help="Messages to show that disagree.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def backtest(
    archive: str,
    topology: Path,
    form: str | None,
    layout: str | None,
    topology_form: Any,
    vhost: str | None,
    exchange: str | None,
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
    where = _topology(topology, topology_form, vhost)
    check_files((archive,))
    session = start_session(master)
    from spark_ext.backtests import backtest as compare
    from spark_ext.routing import route as routed_through

    with reported():
        read = _read(session, (archive,), form, layout)
        if recorded not in read.messages.columns:
            fail(f"{archive} has no column {recorded}; its columns are {', '.join(read.messages.columns)}")
        keys = read.messages if keys_once else None
        routed = routed_through(read.messages, where, read.layout, exchange=exchange, missing=missing, keys=keys)
        found = compare(_with_exchange(routed, where, exchange), recorded=recorded, max_examples=examples)
    click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if as_json else found.render())
    raise SystemExit(0 if found.passed else 1)


def _topology(path: Path, form: Any, vhost: str | None) -> Topology:
    try:
        found = read_topology(path, form=form, vhost=vhost)
    except TranspilerError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    for finding in found.findings:
        click.echo(finding.render(), err=True)
    return found


def _read(session: Any, inputs: tuple[str, ...], form: str | None, layout: str | None) -> _Archive:
    """The messages of the files, and where their properties are."""
    from spark_ext.traces import trace_messages

    if (form or form_of(inputs[0])) != "json":
        messages = session.read.format(form or form_of(inputs[0])).load(list(inputs))
        return _Archive(messages, "amqp" if layout == "amqp" else messages)
    if layout == "rabbitmq-trace" or (layout is None and _is_trace(inputs[0])):
        trace = trace_messages(session.read.text(list(inputs)))
        wrong = trace.filter("exchange IS NULL OR routed_queues IS NULL OR size(routing_keys) = 0").count()
        if wrong:
            fail(f"{wrong:,} lines are no entries of a tracing log; write it with the tracing plugin, in JSON")
        return _Archive(trace, None)
    if layout == "flat":
        messages = session.read.json(list(inputs))
        return _Archive(messages, messages)
    return _Archive(_json_messages(session, inputs), None)


def _is_trace(name: str) -> bool:
    """Whether the first line of a file is an entry of RabbitMQ's tracing log."""
    path = Path(name)
    if not path.is_file():
        return False
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
        try:
            first = json.loads(next((line for line in lines if line.strip()), "null"))
        except json.JSONDecodeError:
            return False
    return isinstance(first, dict) and "routing_keys" in first and "routed_queues" in first


def _json_messages(session: Any, inputs: tuple[str, ...]) -> Any:
    """Message JSON lines with members beside the sections, as columns beside them."""
    from pyspark.sql import functions as sf

    from spark_ext.schemas import create_messages

    messages, beside = [], []
    for number, line in enumerate(json_lines(inputs), 1):
        if not isinstance(line, dict):
            raise DecodeError.at("message.not-an-object", f"line {number}: a message is an object of sections")
        messages.append(Message.from_dict({name: value for name, value in line.items() if name not in _BESIDE}))
        beside.append((line.get("exchange"), line.get("routed_queues")))
    frame = create_messages(session, messages).coalesce(1).withColumn("_row", sf.monotonically_increasing_id())
    rows = [(number, *values) for number, values in enumerate(beside)]
    names = session.createDataFrame(rows, "_row BIGINT, exchange STRING, routed_queues ARRAY<STRING>")
    return frame.join(names, "_row").drop("_row")


def _with_exchange(routed: Any, topology: Topology, exchange: str | None) -> Any:
    """The messages with the exchange that each was published to."""
    from pyspark.sql import functions as sf

    default = sf.lit(topology.default_exchange)
    if exchange is not None:
        return routed.withColumn("exchange", sf.lit(exchange))
    return routed.withColumn("exchange", sf.coalesce("exchange", default) if "exchange" in routed.columns else default)


def _count(routed: Any, topology: Topology, exchange: str | None) -> Summary:
    """What went where."""
    frame = _with_exchange(routed, topology, exchange)
    exploded = frame.selectExpr("explode_outer(queues) AS queue")
    exchanges: Counter[str] = Counter()
    queues: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for row in frame.selectExpr("exchange", "size(queues) > 0 AS found").groupBy("exchange", "found").count().collect():
        exchanges[row.exchange] += row["count"]
        outcomes["routed" if row.found else _outcome(topology, row.exchange)] += row["count"]
    for row in exploded.filter("queue IS NOT NULL").groupBy("queue").count().collect():
        queues[row.queue] = row["count"]
    return Summary(dict(sorted(exchanges.items())), dict(sorted(queues.items())), dict(sorted(outcomes.items())))


def _outcome(topology: Topology, name: str) -> str:
    """What becomes of a message to an exchange that reaches no queue."""
    found = topology.exchange_by_name.get(name)
    if found is None:
        return "no-exchange"
    return "reject" if found.internal else found.unroutable
