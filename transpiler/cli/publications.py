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
    """A filter of the messages in a log: it keeps messages of the topologies' virtual hosts, and counts all others.

    It keeps every message if a topology's file does not name its virtual host.
    """

    def __init__(self, *topologies: Topology) -> None:
        own = [topology.vhost for topology in topologies]
        self._own = None if None in own else frozenset(own)
        self._seen: set[str] = set()
        self.left_out: Counter[str] = Counter()

    def has(self, read: ReadMessage) -> bool:
        """Return True if the message of ``read`` belongs to a virtual host of the topologies, or names no virtual host.

        For any other message, return False and count it as skipped.
        """
        if read.vhost is None:
            return True
        self._seen.add(read.vhost)
        if self._own is None or read.vhost in self._own:
            return True
        self.left_out[read.vhost] += 1
        return False

    def hint(self, *, left_out: bool = True) -> None:
        """Print a warning if the messages belong to several virtual hosts, but the topology's file names none.

        Otherwise, if ``left_out`` is True, print how many messages of other virtual hosts were skipped.
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
    """Return the exchange, routing keys and routing type with which the message of ``read`` was published.

    ``exchange`` is the exchange from the option; if it is None, the message names it. An empty or NULL name is the
    default exchange. If the message has no member or column for the exchange, use the topology's default exchange, or
    raise ``RecordError`` if it has none.
    """
    sent = read.sent()
    target = sent.exchange if exchange is None else exchange
    if not topology.rules.addressing.names_destinations:
        try:
            if target is None and not names_exchange(read.value, read.layout):
                target = own_default(topology, _offers("exchange", read))
            # Require a routing key only if an exchange is named. A message of the default exchange (NULL) without a key
            # is valid: it just reaches no queue.
            if target is not None and sent.routing_keys is None and asks_for_key(topology.key_exchanges, target):
                _check_key(read)
        except TranspilerError as error:
            raise at_location(read.place, error) from None
        return Sent(topology.default_exchange if target is None else target, sent.routing_keys, None)
    if not target:
        refuse(read.place, "the message names no destination: give it a member exchange, or give --exchange")
    # In such a topology the name of the destination contains the routing key, so pass no keys.
    return Sent(target, None, sent.routing_type if topology.rules.addressing.routing_types else None)


def _check_key(read: ReadMessage) -> None:
    """Raise ``LayoutError`` if the row ``read`` has no column or key for the routing key.

    A message without a layout is accepted, because message JSON may omit absent members.
    """
    if read.layout is not None and not names_key(read.value, read.layout):
        raise no_key(joined(_offers("routing-key", read)))


def _offers(header: str, read: ReadMessage) -> list[str]:
    """Return hints about columns or members of ``read`` that could contain the exchange or the routing key.

    ``header`` is "exchange" or "routing-key".
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
    """Return the error text that ``file`` contains no message to compare.

    ``left_out`` counts the skipped messages of each other virtual host.
    """
    name = "standard input" if file == "-" else shown(file)
    if not left_out:
        return f"{name} has no published message: there is nothing to compare"
    return f"{name} has no message of the topology's virtual host: {count_left_out(left_out)}"


def hint_state(topology: Topology, undecided: int) -> None:
    """Print a hint about the option --state, if the routes of ``undecided`` messages depend on a JMS broker's state."""
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
    """Print how many messages (``unnamed``) name no exchange and reached no queue from the default exchange."""
    if unnamed:
        what = "message names" if unnamed == 1 else "messages name"
        hint = "--exchange NAME says where messages were published"
        click.echo(
            f"{unnamed:,} {what} no exchange and reached no queue from the default one\n  hint: {hint}", err=True
        )
