"""Publications that commands read: selection by the topology's virtual host, and remarks after the last message."""

from __future__ import annotations

from collections import Counter

from transpiler import Topology
from transpiler.base.diagnostics import one_line
from transpiler.base.errors import TranspilerError
from transpiler.base.hints import joined
from transpiler.cli.group import click, fail, say
from transpiler.cli.inputs import shown
from transpiler.compiler.layouts.publication import header_hints, likely_names, names_exchange, names_key
from transpiler.message.publication import Sent
from transpiler.tools.backtest import count_left_out
from transpiler.tools.message_files.read_message import ReadMessage
from transpiler.tools.message_files.record_errors import at_location, refuse
from transpiler.topology.addressing import SUBSCRIBERS
from transpiler.topology.publishing import asks_for_key, no_key, own_default


class VirtualHosts:
    """A filter for the messages of a log: only messages of the topologies' virtual hosts are kept, others are counted.

    If a topology's file names no virtual host, the messages of all virtual hosts are kept.
    """

    def __init__(self, *topologies: Topology) -> None:
        own = [topology.vhost for topology in topologies]
        self._own = None if None in own else frozenset(own)
        self._seen: set[str] = set()
        self.left_out: Counter[str] = Counter()

    def has(self, read: ReadMessage) -> bool:
        """Return True if ``read`` belongs to a virtual host of the topologies, or names none.

        Otherwise count it as skipped, and return False.
        """
        if read.vhost is None:
            return True
        self._seen.add(read.vhost)
        if self._own is None or read.vhost in self._own:
            return True
        self.left_out[read.vhost] += 1
        return False

    def hint(self, *, left_out: bool = True) -> None:
        """Print a warning if messages of several virtual hosts were not distinguished.

        Otherwise, if ``left_out``, print how many messages of other virtual hosts were skipped.
        """
        if self._own is None and len(self._seen) > 1:
            listed = one_line(", ".join(sorted(self._seen)))
            click.echo(
                f"warning: the messages are of several virtual hosts, and the topology's file names none: {listed}\n"
                "  hint: --vhost NAME takes those of one, with RabbitMQ's definitions",
                err=True,
            )
        elif self.left_out and left_out:
            say(count_left_out(self.left_out), err=True)

    def refuse_none(self, file: str) -> None:
        """End the command with the error that ``file`` has no message to compare."""
        fail(no_messages(file, self.left_out))


def published(read: ReadMessage, topology: Topology, exchange: str | None) -> Sent:
    """Return where a message was published: to ``exchange``, or if that is None, to the exchange named in the message.

    If the column or member with the exchange's name is NULL or empty, the message was published to the default
    exchange. If there is no such column or member, use the topology's own default exchange; raise ``RecordError`` if
    it has none.
    """
    sent = read.sent()
    target = sent.exchange if exchange is None else exchange
    if not topology.rules.addressing.names_destinations:
        try:
            if target is None and not names_exchange(read.value, read.layout):
                target = own_default(topology, _offers("exchange", read))
            # A NULL exchange is the default exchange. A message without a routing key just reaches no queue there, so
            # do not require a key.
            if target is not None and sent.routing_keys is None and asks_for_key(topology.key_exchanges, target):
                _check_key(read)
        except TranspilerError as error:
            raise at_location(read.place, error) from None
        return Sent(topology.default_exchange if target is None else target, sent.routing_keys, None)
    if not target:
        refuse(read.place, "the message names no destination: give it a member exchange, or give --exchange")
    # No routing keys are passed, because the name of the destination contains the routing key.
    return Sent(target, None, sent.routing_type if topology.rules.addressing.routing_types else None)


def _check_key(read: ReadMessage) -> None:
    """Raise ``LayoutError`` if the layout of the row ``read`` has no column or key for the routing key.

    A JSON object without a layout is accepted: it is a message, in which a null member may be left out.
    """
    if read.layout is not None and not names_key(read.value, read.layout):
        raise no_key(joined(_offers("routing-key", read)))


def _offers(header: str, read: ReadMessage) -> list[str]:
    """Return hints that name columns or members of ``read`` that may contain ``header``.

    ``header`` is the exchange or the routing key.
    """
    name = header.replace("-", "_")
    schema = None if read.layout is None else read.layout.known_schema()
    if read.layout is not None and (schema is not None or read.record.cells is None):
        return [*header_hints(header, read.layout, schema), f"perhaps give the messages a column {name}"]
    what = "member" if read.record.cells is None else "column"
    likely = likely_names(header, read.record.names or read.value)
    return [
        f"perhaps rename the {what} {likely[0]} to {name}" if likely else f"perhaps give each message a {what} {name}"
    ]


def no_messages(file: str, left_out: Counter[str]) -> str:
    """Return the error text for a file without a message to compare.

    ``left_out`` contains the numbers of skipped messages by virtual host.
    """
    name = "standard input" if file == "-" else shown(file)
    if not left_out:
        return f"{name} has no published message: there is nothing to compare"
    return f"{name} has no message of the topology's virtual host: {count_left_out(left_out)}"


def hint_state(topology: Topology, undecided: int) -> None:
    """Print how many messages have a route that depends on the state of a JMS broker, and how to give the state.

    ``undecided`` is their number. If the topology contains the state, print nothing.
    """
    if undecided and not topology.knows_state:
        what = "message is" if undecided == 1 else "messages are"
        hint = "--state FILE says which subscriptions, consumers and queues are there"
        if any(link.kind == "cluster" for link in topology.links):
            hint += ", but not which messages the other brokers of the cluster take"
        click.echo(f"{undecided:,} {what} not decided by the broker's file alone\n  hint: {hint}", err=True)


def hint_subscribers(*topologies: object) -> None:
    """Print a warning if the file of a topology does not contain the subscribers of topics."""
    if any(isinstance(one, Topology) and not one.knows_subscribers for one in topologies):
        click.echo(SUBSCRIBERS, err=True)


def hint_exchange(unnamed: int) -> None:
    """Print that ``unnamed`` messages name no exchange and reached no queue from the default exchange."""
    if unnamed:
        what = "message names" if unnamed == 1 else "messages name"
        hint = "--exchange NAME says where messages were published"
        click.echo(
            f"{unnamed:,} {what} no exchange and reached no queue from the default one\n  hint: {hint}", err=True
        )
