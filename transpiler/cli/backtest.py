"""selector-sql backtest: a broker's own record of where it put messages, against a topology."""

from __future__ import annotations

from typing import Any

import click

from transpiler.cli.completion import complete_exchanges
from transpiler.cli.group import fail
from transpiler.cli.inputs import InputFile, shown
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.messages import read_messages
from transpiler.cli.options import say_result, text_or_json, warn
from transpiler.cli.publishing import RECORDED_EXITS, hint_exchange, published_to, recorded_options
from transpiler.cli.topologies import read_topology_file, topology_options
from transpiler.message.types import AmqpValue
from transpiler.reference.route import publish
from transpiler.topology.backtest import Backtest
from transpiler.topology.model import check_exchange


@click.command(
    short_help="Compare routed queues with those that a broker recorded.",
    cls=ManualCommand,
    examples=[
        Example("Compare a broker's log with its definitions", "selector-sql backtest trace.jsonl.gz definitions.json"),
    ],
    exits=RECORDED_EXITS,
)
@click.argument("log", type=InputFile())
@click.argument("topology", type=InputFile())
@topology_options
@layout_options
@click.option("--exchange", shell_complete=complete_exchanges, help="The exchange of messages that name none.")
@recorded_options("member")
@text_or_json("How to print the result.")
def backtest(
    log: str,
    topology: str,
    form: Any,
    vhost: str | None,
    layout: ChosenLayout,
    exchange: str | None,
    recorded: str,
    partial: bool,
    recorded_queue: str | None,
    examples: int,
    output_format: str,
) -> None:
    """Compare the queues that TOPOLOGY gives the messages in LOG with those that the broker recorded.

    LOG is RabbitMQ's tracing log, or messages in any form that match reads with their queues in a member
    "routed_queues". A queue is missed where the broker had it and TOPOLOGY has not, and extra conversely.
    selector-spark backtest does so on what is too much for one process.
    """
    where = read_topology_file(topology, form, vhost)
    warn(where.findings)
    check_exchange(where, exchange)
    result = Backtest(examples, partial=partial or recorded_queue is not None)
    any_recorded, unnamed = False, 0
    for number, read in enumerate(read_messages([log], layout, progress=True), 1):
        queues = read.recorded(recorded) if recorded_queue is None else (recorded_queue,)
        any_recorded = any_recorded or queues is not None
        target, keys, routing_type = published_to(where, read, exchange)
        routed = publish(where, read.message, target, keys, routing_type=routing_type)
        # The broker may have chosen any queue of those that an exchange chooses from at random or by a hash.
        possible = set(queues or ()) & set(routed.possible_queues)
        properties = read.message.properties
        key = keys[0] if keys else properties.subject if properties is not None else None
        name = properties.message_id if properties is not None else None
        label = str(name.value) if isinstance(name, AmqpValue) else str(number)
        result.add(label, target or "", key, queues or (), {*routed.queues, *possible})
        unnamed += exchange is None and not routed.queues and read.sent().exchange is None
    hint_exchange(unnamed)
    if result.total and not any_recorded:
        fail(f"{shown(log)} has no recorded queues: a backtest compares with a member {recorded}, an array of queues")
    say_result(result, output_format)
    raise SystemExit(0 if result.passed else 1)
