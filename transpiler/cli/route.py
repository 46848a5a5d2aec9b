"""selector-sql route and backtest: route messages through a topology; compare the result with the broker's record."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from transpiler.base.documents.jsontext import json_text
from transpiler.cli.group import fail, say
from transpiler.cli.inputs import FileOrDirectory, InputFile, shown
from transpiler.cli.layouts import ChosenLayout, layout_options
from transpiler.cli.manual import Example, ManualCommand
from transpiler.cli.messages import CommandErrors, keep_going_option, read_messages
from transpiler.cli.options import say_result, text_or_json
from transpiler.cli.publications import VirtualHosts, hint_exchange, hint_state, published
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
    refuse_topologies,
    topology_options,
)
from transpiler.message.publication import Sent
from transpiler.message.types import AmqpValue
from transpiler.reference.route import publish, trace
from transpiler.tools.backtest import Backtest
from transpiler.tools.explanation.routes import explain_route
from transpiler.tools.message_files.read_message import ReadMessage
from transpiler.tools.message_files.record_errors import refuse
from transpiler.tools.topology_report.summary import Summary
from transpiler.topology.model import Topology, check_exchange
from transpiler.topology.publishing import Publisher, PublishTo
from transpiler.topology.receivers import PublishOptions, PublishSettings

#: Version number of the JSON lines that ``route`` prints.
VERSION = 1

#: The members that ``route`` adds to the JSON line of a message, and their types.
_ADDED = {
    "queues": list,
    "outcome": str,
    "possible_queues": list,
    "reasons": list,
    "not_computed": list,
    "why": dict,
    "path": list,
    "diverts": list,
}


@click.command(
    short_help="Route messages through TOPOLOGY.",
    cls=ManualCommand,
    examples=[
        Example(
            "Add its queues and its outcome to each message",
            "selector-sql route definitions.json trace.jsonl.gz",
        ),
        Example(
            "Count what each queue gets",
            "selector-sql route definitions.json trace.jsonl.gz --summary",
        ),
        Example(
            "Say why a message reached no queue",
            'echo \'{"properties": {"subject": "new"}}\' | selector-sql route definitions.json --exchange orders --why',
        ),
        Example(
            "Say where a message goes when it is rejected or expires",
            "selector-sql route definitions.json messages.jsonl --exchange orders --path",
        ),
    ],
)
@click.argument("topology", type=FileOrDirectory())
@click.argument("files", nargs=-1, type=InputFile())
@topology_options
@exchange_option("The exchange that all messages were published to.")
@destination_options
@publisher_options
@layout_options
@click.option("--unroutable", is_flag=True, help="Only the messages that reach no queue.")
@click.option(
    "--summary",
    is_flag=True,
    help="Only how many messages went where, as one JSON object; queues without any have 0.",
)
@click.option("--why", is_flag=True, help="Of each message: the bindings that took it, and what others lacked.")
@click.option(
    "--path", is_flag=True, help="Of each message: where it goes when it is rejected, expires or is too many."
)
@click.option(
    "--nearest",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="With --why: the number of bindings that nearly took it.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    help='How to print --why and --path: in words, or as members "why" and "path" of lines of JSON  [default: text]',
)
@keep_going_option
def route(
    topology: str,
    files: tuple[str, ...],
    form: TopologyForm,
    exchange: str | None,
    address: str | None,
    publish_to: PublishTo,
    publisher: Publisher,
    layout: ChosenLayout,
    unroutable: bool,
    summary: bool,
    why: bool,
    path: bool,
    nearest: int,
    output_format: str | None,
    keep_going: bool,
) -> None:
    """Route the messages in FILES (default: standard input) through TOPOLOGY.

    FILES have message JSON, plain properties, a broker's log, export or browse, CSV, or rows of --layout or --schema,
    as match reads them. A message comes back with its queues and its outcome: delivered, alternate (delivered by way of
    an alternate only), discarded, returned, rejected, or no-exchange. Queues that it reaches only if an exchange
    chooses them, by a hash or at random, stand in "possible_queues"; where it may reach none at all, the outcome is
    undecided. A member "exchange" says where the message was published, then the layout; --exchange, --address and
    --publish-to say it in their place. The routing key is a member "routing_key", then the layout's, then the subject.
    With --why it is said for each message in words which bindings took it, and what it lacked for those that nearly
    did, nearest first.
    With --path it is said where it goes from each queue: to a dead-letter or expiry address, an alternate or by a
    shovel, and on from there. It is taken as it was published, without what a broker adds to a dead letter.
    Messages of a log that are of another virtual host are left out and counted.
    """
    if summary and (why or path):
        fail(
            f"--{'why' if why else 'path'} prints a result for each message, but --summary "
            "prints one for all messages: give only one of the two"
        )
    if output_format == "text" and not (why or path):
        fail(
            "--format text applies only with --why or --path: without them, the "
            "queues and outcomes are printed as JSON lines"
        )
    refuse_topologies(files, "route takes one topology: run it once for each, with the same messages")
    where = form.read(topology)
    sender = read_destination(where, exchange, address, publish_to)
    by_name = sender is None and publish_to == "exchange"
    exchanges: Counter[str] = Counter()
    queues: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    possible: Counter[str] = Counter()
    publication: PublishOptions = {"address": sender, "publish_to": publish_to, "publisher": publisher}
    unnamed = undecided = 0
    not_computed = {"not_computed": list(where.not_computed)} if where.not_computed else {}
    errors, hosts = CommandErrors(keep_going), VirtualHosts(where)
    for read in read_messages(files or ("-",), layout, errors, progress=summary):
        if not hosts.has(read):
            continue
        sent = errors.attempt(published, read, where, exchange) if by_name else errors.attempt(read.sent)
        if sent is None:
            continue
        target, keys, publication["routing_type"] = sent if by_name else (None, sent.routing_keys, None)
        message = read.message
        if why or path:
            explanation = explain_route(where, message, target, keys, nearest=nearest, path=path, **publication)
            undecided += explanation.routed.outcome == "undecided"
            if unroutable and (explanation.routed.queues or explanation.routed.possible_queues):
                continue
            if output_format != "json":
                say(f"{read.place}: {explanation if why else explanation.way}")
            else:
                steps: dict[str, Any] = {"path": [one.step.to_dict() for one in explanation.path]}
                diverts = [one.divert for one in explanation.took if one.divert is not None]
                steps |= {"diverts": list(dict.fromkeys(diverts))} if diverts else {}
                added = {"why": explanation.to_dict()} if why else explanation.routed.to_dict() | steps
                errors.attempt(_print, read, added | not_computed)
            continue
        routed = publish(where, message, target, keys, **publication)
        undecided += routed.outcome == "undecided"
        if routed.exchange is not None:
            exchanges[routed.exchange] += 1
        queues.update(routed.queues)
        possible.update(routed.possible_queues)
        outcomes[routed.outcome] += 1
        unnamed += by_name and exchange is None and read.sent().exchange is None and not routed.queues
        if not summary and not (unroutable and (routed.queues or routed.possible_queues)):
            errors.attempt(_print, read, routed.to_dict() | not_computed)
    if summary:
        counts = (dict(sorted(counter.items())) for counter in (exchanges, queues, outcomes, possible))
        counted = Summary(*counts)
        # Add a 0 for each queue that no message reached, because users look for such queues.
        answer = counted.with_zeros(where).to_dict() | not_computed
        click.echo(json_text(answer, indent=2))
    hint_exchange(unnamed)
    hint_state(where, undecided)
    hosts.hint()
    if summary and outcomes and not outcomes.keys() & REACHED:
        click.echo(NO_QUEUE, err=True)
    errors.finish()


def _print(read: ReadMessage, added: dict[str, Any]) -> None:
    """Print the message of ``read`` as a JSON line with the members ``added``.

    If the message is itself a line that ``route`` printed, ``added`` replaces the members that ``route`` added then.
    Raise ``RecordError`` if any other member of the message has the name of an added member.
    """
    line = dict(read.value)
    if line.get("version") == VERSION and isinstance(line.get("queues", line.get("why")), list | dict):
        line = {name: item for name, item in line.items() if not isinstance(item, _ADDED.get(name, ()))}
    taken = [name for name in added if name in line]
    if taken:
        refuse(
            read.place,
            f"route would overwrite {' and '.join(taken)} of the message: give it another name there, or write plain "
            'properties as {"application_properties": …}',
        )
    click.echo(json_text(line | added | {"version": line.get("version", VERSION)}))


@click.command(
    short_help="Compare routed queues with those that a broker recorded.",
    cls=ManualCommand,
    examples=[
        Example("Compare a broker's log with its definitions", "selector-sql backtest trace.jsonl.gz definitions.json"),
    ],
    exits=RECORDED_EXITS,
)
@click.argument("log", type=InputFile())
@click.argument("topology", type=FileOrDirectory())
@topology_options
@layout_options
@exchange_option("The exchange that all messages were published to.")
@recorded_options("member")
@text_or_json("How to print the result.")
@keep_going_option
def backtest(
    log: str,
    topology: str,
    form: TopologyForm,
    layout: ChosenLayout,
    exchange: str | None,
    recorded: str,
    partial: bool,
    recorded_queue: str | None,
    examples: int,
    output_format: str,
    keep_going: bool,
) -> None:
    """Route the messages in LOG through TOPOLOGY, and compare the queues with those that the broker recorded.

    LOG is RabbitMQ's tracing log, or messages in any form that match reads with their queues in a member
    "routed_queues". A queue is missed where the broker had it and TOPOLOGY has not, and extra conversely. Messages of
    other virtual hosts than TOPOLOGY's are left out and counted.
    selector-spark backtest does so on what is too much for one process.
    """
    refuse_topologies([log], "perhaps write the log first, and then the topology")
    where = form.read(topology)
    check_exchange(exchange, where)
    result = Backtest(examples, partial=partial or recorded_queue is not None, topology=where)
    any_recorded, unnamed, undecided = False, 0, 0
    errors, hosts = CommandErrors(keep_going), VirtualHosts(where)
    for number, read in enumerate(read_messages([log], layout, errors, progress=True), 1):
        if not hosts.has(read):
            continue
        answer = errors.attempt(_answer, read, where, exchange, recorded if recorded_queue is None else None)
        if answer is None:
            continue
        (target, keys, routing_type), queues = answer
        queues = queues if recorded_queue is None else (recorded_queue,)
        any_recorded = any_recorded or queues is not None
        traced = trace(where, read.message, target, keys, PublishSettings(routing_type=routing_type))
        routed = traced.routed
        # The topology cannot predict a choice by a hash or at random. So each queue that it calls possible counts as
        # predicted if the broker recorded it.
        possible = set(queues or ()) & set(routed.possible_queues)
        if traced.unknown:
            undecided += 1
            possible |= {name for name in queues or () if name not in where.queue_names}
        properties = read.message.properties
        key = keys[0] if keys else properties.subject if properties is not None else None
        name = properties.message_id if properties is not None else None
        label = str(name.value) if isinstance(name, AmqpValue) else str(number)
        result.add(label, target or "", key, queues or (), {*routed.queues, *possible})
        unnamed += exchange is None and not routed.queues and read.sent().exchange is None
    hint_exchange(unnamed)
    hint_state(where, undecided)
    hosts.hint(left_out=False)
    result.left_out = hosts.left_out
    if not result.total and not errors.count:
        hosts.refuse_none(log)
    if result.total and not any_recorded:
        fail(
            f"{shown(log)} contains no recorded queues: a backtest compares "
            f"with a member {recorded}, an array of queues"
        )
    say_result(result, output_format)
    errors.finish()
    raise SystemExit(0 if result.passed else 1)


def _answer(
    read: ReadMessage, topology: Topology, exchange: str | None, recorded: str | None
) -> tuple[Sent, tuple[str, ...] | None]:
    """Return where the message of ``read`` was published, and the queues that the broker recorded for it.

    ``recorded`` is the name of the member that contains these queues. The queues are None if the message has none.
    """
    return published(read, topology, exchange), None if recorded is None else read.recorded(recorded)
