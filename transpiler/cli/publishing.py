"""Options that commands share about publishers: the destination of messages, and the fate of those without a queue."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from transpiler import Topology
from transpiler.cli.group import fail
from transpiler.cli.messages import ReadMessage, Sent
from transpiler.cli.options import Options, together
from transpiler.topology.model import check_exchange
from transpiler.topology.publishing import PROTOCOLS, PUBLISH_TO, Protocol, Publisher, PublishTo
from transpiler.topology.receivers import Sender, resolve_sender

#: The protocols whose publishers have the flag mandatory.
_WITH_MANDATORY = (None, "0-8", "0-9", "0-9-1")


#: The exit codes of a comparison with what a broker recorded.
RECORDED_EXITS = {
    0: "every message has exactly the broker's queues",
    1: "some messages have not",
    2: "the comparison could not be made",
}

_RECORDED = "The {} with the broker's queues, or with --partial the one queue that a message was read from."
_PARTIAL = "Messages may have gone to queues that are not recorded, too."
_ONE_QUEUE = "The queue that all messages were read from; implies --partial."
_EXAMPLES = "Messages to show that disagree."


def recorded_options(place: str) -> Options:
    """Return the options about the queues that a broker recorded in a member or column."""
    return together(
        click.option("--recorded", default="routed_queues", show_default=True, help=_RECORDED.format(place)),
        click.option("--partial", is_flag=True, help=_PARTIAL),
        click.option("--recorded-queue", metavar="NAME", help=_ONE_QUEUE),
        click.option("--examples", type=click.IntRange(min=0), default=10, show_default=True, help=_EXAMPLES),
    )


#: The options that say where messages are published other than to an exchange by name.
destination_options = together(
    click.option("--address", help="Publish as a sender with this address: queue, exchange, or exchange/subject."),
    click.option(
        "--publish-to",
        type=click.Choice(PUBLISH_TO),
        default="exchange",
        show_default=True,
        help="To an exchange, or each message to the address in its own to (the anonymous relay).",
    ),
)


def publisher_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what becomes of messages that no queue takes, and their ``publisher``.

    A setting that the protocol does not have is refused: exit code 2.
    """

    @wraps(command)
    def with_publisher(protocol: Protocol | None, mandatory: bool, reject_unroutable: bool, **others: Any) -> Any:
        if mandatory and protocol not in _WITH_MANDATORY:
            fail(f"--mandatory is a flag of AMQP 0-8 to 0-9-1, and the protocol is {protocol}")
        if reject_unroutable and protocol not in (None, "1.0"):
            fail(f"--reject-unroutable is a capability of AMQP 1.0, and the protocol is {protocol}")
        return command(publisher=Publisher(protocol, mandatory, reject_unroutable), **others)

    options = together(
        click.option("--protocol", type=click.Choice(PROTOCOLS), help="The publisher's version of AMQP."),
        click.option("--mandatory", is_flag=True, help="Unroutable messages go back to their publisher."),
        click.option(
            "--reject-unroutable", is_flag=True, help="Unroutable messages are rejected: REJECT_UNROUTABLE of AMQP 1.0."
        ),
    )
    return options(with_publisher)


def read_destination(
    topology: Topology, exchange: str | None, address: str | None, publish_to: PublishTo
) -> Sender | None:
    """The sender with the address, if there is one; exit code 2 where options contradict each other.

    ``TopologyError`` for an exchange that is not there, and for an address that leads nowhere.
    """
    given = {
        "--exchange": exchange is not None,
        "--address": address is not None,
        "--publish-to to": publish_to == "to",
    }
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        fail(f"{' and '.join(named)} say in different ways where messages go: give one of them")
    if topology.rules.destinations is not None:
        if address is not None or publish_to == "to":
            fail(f"senders to {topology.rules.name} name destinations: give --exchange, or each message an exchange")
        return None
    check_exchange(topology, exchange)
    return None if address is None else resolve_sender(topology, address)


def published_to(topology: Topology, read: ReadMessage, exchange: str | None) -> Sent:
    """Return where a message is published: ``exchange`` is that of a message that names none.

    A message to a broker of destinations that names none ends the command.
    """
    sent = read.sent()
    target = exchange if sent.exchange is None else sent.exchange
    if topology.rules.destinations is None:
        return Sent(topology.default_exchange if target is None else target, sent.routing_keys, None)
    if not target:
        fail(f"{read.place}: the message names no destination: give it a member exchange, or give --exchange")
    # The destination holds the key.
    return Sent(target, None, sent.routing_type)


def hint_exchange(unnamed: int) -> None:
    """Tell of messages that name no exchange, and reached no queue of the default one."""
    if unnamed:
        what = "message names" if unnamed == 1 else "messages name"
        hint = "--exchange NAME says where messages were published"
        click.echo(
            f"{unnamed:,} {what} no exchange and reached no queue from the default one\n  hint: {hint}", err=True
        )
