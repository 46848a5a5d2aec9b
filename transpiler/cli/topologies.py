"""Options of commands about topologies: how to read their files, and how messages are published to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from transpiler import Topology
from transpiler.base.diagnostics import one_line
from transpiler.base.documents.decoding import decode_text
from transpiler.base.errors import TopologyError
from transpiler.base.local_files import read_file
from transpiler.base.source import Source
from transpiler.cli.group import fail
from transpiler.cli.inputs import LONG, InputFile, is_directory, read_text_file, shown
from transpiler.cli.options import Options, completions, together, warn
from transpiler.topology.files import (
    FORMS,
    Form,
    definition_files,
    is_topology_text,
    names_topology_file,
    parse_definitions,
    parse_topology,
    vhosts_of,
    vhosts_of_definition_files,
)
from transpiler.topology.importers.running_answers import Answers
from transpiler.topology.model import check_exchange
from transpiler.topology.publishing import PROTOCOLS, PUBLISH_TO, Protocol, Publisher, PublishTo
from transpiler.topology.receivers import Sender, resolve_sender

#: The key in click's ``Context.meta`` for the set of findings that this command has already printed.
_REPORTED = "transpiler.findings"


class _FormName(click.Choice):  # type: ignore[type-arg]
    """The type of the option ``--form``. It also accepts the dialect's name ``qpid-java`` instead of ``broker-j``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name of the form."""
        return super().convert("broker-j" if value == "qpid-java" else value, param, ctx)


class TopologyForm(NamedTuple):
    """The options for reading a topology file: format, virtual host, and data that a JMS broker's file lacks."""

    form: Form | None = None
    vhost: str | None = None
    state: str | None = None
    properties: Mapping[str, str] = MappingProxyType({})
    broker_version: str | None = None

    def read(self, name: str, *, every: bool = False) -> Topology:
        """Read the topology file ``name`` ("-" is standard input), and print the warnings about it.

        If ``every`` is True, repeated warnings are printed, too. If ``name`` is a directory, the RabbitMQ definitions
        in its files are read as one topology.
        """
        return self._load(name).parse(self, every)

    def read_all(self, names: Sequence[str], *, every: bool = False) -> list[tuple[str, Topology]]:
        """Read several files, and return their topologies, each with a name that distinguishes it in the output.

        The name is empty if there is only one topology. If the options choose no virtual host, a file yields a topology
        for each of its virtual hosts or brokers. If ``every`` is True, repeated warnings are printed, too.
        """
        found: list[tuple[str, Topology]] = []
        for name in names:
            loaded = self._load(name)
            try:
                found.append((one_line(loaded.name), loaded.parse(self, every)))
            except TopologyError as error:
                if self.vhost is not None or error.diagnostics[0].code != "topology.vhost":
                    raise
                hosts = loaded.vhosts()
                if not hosts:
                    raise
                for host in hosts:
                    parsed = loaded.parse(self._replace(vhost=host), every)
                    found.append((one_line(f"{loaded.name}, {host}"), parsed))
        return found if len(found) != 1 else [("", found[0][1])]

    def _load(self, name: str) -> _Loaded:
        if name == "-" or not is_directory(name):
            called = "standard input" if name == "-" else name
            text = read_text_file(name)
            file = None if name == "-" else Path(name)
            return _Loaded(
                called,
                lambda of, every: of.parse(text, called, every=every, file=file),
                lambda: vhosts_of(text, called, file),
            )
        if self.state is not None or self.properties or self.form not in (None, "rabbitmq"):
            fail(
                f"{shown(name)} is a directory, which is read as RabbitMQ's definitions: "
                "of these options, only --vhost applies"
            )
        files = definition_files(Path(name))
        sources = [Source(read_text_file(str(one)), one.name) for one in files.files]

        def parse(of: TopologyForm, every: bool) -> Topology:
            topology = parse_definitions(sources, name, vhost=of.vhost, broker_version=of.broker_version)
            return of._report(files.with_findings(topology), every=every)

        return _Loaded(shown(name), parse, lambda: vhosts_of_definition_files(sources, name))

    def parse(
        self,
        text: str,
        name: str,
        *,
        every: bool = False,
        running: Answers | None = None,
        file: Path | None = None,
    ) -> Topology:
        """Parse ``text``, the content of the topology file ``name``, and print the warnings about it.

        ``file`` is the path of the file; None for standard input and for text. ``running`` contains the answers of a
        running broker; the objects that they list replace those of the file. If ``every`` is True, repeated warnings
        are printed, too.
        """
        return self._report(parse_topology(text, name, running=running, file=file, **self._asdict()), every=every)

    def _report(self, topology: Topology, *, every: bool) -> Topology:
        """Print the findings about a topology's file, and return the topology."""
        # ``diff`` reads two files: print a warning that both have only once. Print notes only in a report (``every``).
        reported = click.get_current_context().meta.setdefault(_REPORTED, set())
        shown = [one for one in topology.findings if every or one.severity != "info"]
        warn(tuple(one for one in shown if one not in reported), every=every)
        reported.update(shown)
        return topology


class _Loaded(NamedTuple):
    """The content of a topology file, or of a directory of such files, before a virtual host is chosen.

    ``parse`` returns the topology, and prints the warnings about it. Its arguments are the options, and True to print
    every warning. ``vhosts`` returns the names of all virtual hosts or brokers.
    """

    name: str
    parse: Callable[[TopologyForm, bool], Topology]
    vhosts: Callable[[], list[str]]


def complete_vhosts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG001
    """Complete the name of a virtual host from the topology file that comes earlier on the command line."""
    return _of_file(ctx, "vhosts", incomplete)


def complete_exchanges(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG001
    """Complete the name of an exchange from the topology file that comes earlier on the command line."""
    return _of_file(ctx, "exchanges", incomplete)


def _of_file(ctx: click.Context, what: str, incomplete: str) -> list[Any]:
    given = ctx.params.get("topology")
    names = given if isinstance(given, tuple) and given else (given or _first_file(),)
    found: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str) or name == "-":
            continue
        try:
            found |= dict.fromkeys(_names_in(name, what, ctx.params.get("vhost")))
        except (OSError, ValueError):
            # Skip an unreadable file: while a shell completes a word, there is no way to show an error.
            continue
    return completions(found, incomplete)


def _names_in(name: str, what: str, vhost: str | None) -> Iterable[str]:
    """Return the names to complete from the topology file or directory ``name``.

    ``what`` is "vhosts" for the virtual hosts, or "exchanges" for the exchanges of ``vhost``.
    """
    if os.path.isdir(name):
        sources = [Source(decode_text(read_file(one)), one.name) for one in definition_files(Path(name)).files]
        if what == "vhosts":
            return vhosts_of_definition_files(sources, name)
        return filter(None, parse_definitions(sources, name, vhost=vhost).exchange_by_name)
    text = decode_text(read_file(name))
    if what == "vhosts":
        return vhosts_of(text, name, Path(name))
    return filter(None, parse_topology(text, name, vhost=vhost, file=Path(name)).exchange_by_name)


def _first_file() -> str | None:
    """Return the first file or directory in the command line that a shell completes; None if there is none.

    Click has not parsed the arguments yet, if the option that is completed still lacks its value.
    """
    from click.shell_completion import split_arg_string

    words = split_arg_string(os.environ.get("COMP_WORDS", ""))
    return next((word for word in words[1:] if os.path.exists(word)), None)


def refuse_topologies(files: Iterable[str], hint: str) -> None:
    """End the command with ``hint`` if one of ``files``, which should contain messages, is a topology."""
    for name in files:
        if not names_topology_file(name) or not os.path.isfile(name) or os.path.getsize(name) > LONG:
            continue
        if is_topology_text(Source(read_text_file(name), name)):
            fail(f"{shown(name)} is a topology, but messages are expected there\n  hint: {hint}")


def topology_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading a topology file. The command receives them as its parameter ``form``."""

    @wraps(command)
    def with_form(
        form: Form | None,
        vhost: str | None,
        state: str | None,
        properties: tuple[str, ...],
        broker_version: str | None,
        **others: Any,
    ) -> Any:
        given = {}
        for value in properties:
            name, equals, text = value.partition("=")
            if not name or not equals:
                fail(f"--property {value}: write a name, = and the value")
            given[name] = text
        return command(form=TopologyForm(form, vhost, state, given, broker_version), **others)

    options = together(
        click.option(
            "--form",
            type=_FormName(FORMS),
            help="What the topology's file is  [default: as it shows]",
        ),
        click.option(
            "--vhost",
            shell_complete=complete_vhosts,
            help="The virtual host, if the file has several; of resources of Kubernetes the broker, or BROKER/VHOST.",
        ),
        click.option(
            "--broker-version",
            metavar="VERSION",
            help="The version of RabbitMQ that is to import the definitions, such as 4.1  [default: that of the file].",
        ),
        click.option(
            "--state",
            metavar="FILE",
            type=InputFile(),
            help="JSON with the queues, subscriptions and consumers of a JMS broker.",
        ),
        click.option(
            "--property",
            "properties",
            metavar="NAME=VALUE",
            multiple=True,
            help="The value of a ${NAME} in the XML of a JMS broker; more than once.",
        ),
    )
    return options(with_form)


def exchange_option(help_text: str) -> Options:
    """Return the option ``--exchange``, the name of an exchange in the topology."""
    return click.option("--exchange", shell_complete=complete_exchanges, help=help_text)


#: The protocols in which a publisher can set the flag ``mandatory``. None means that the user did not choose a
#: protocol.
_WITH_MANDATORY = (None, "0-8", "0-9", "0-9-1")

#: The outcomes of messages that reached a queue, or may have reached one.
REACHED = frozenset({"delivered", "alternate", "undecided", "dead-letter"})

#: The warning that no message reached a queue.
NO_QUEUE = "warning: no message reached a queue: selector-sql route --why says of each message what it lacked"

#: The exit codes of a comparison with the queues that a broker recorded, and their meanings.
RECORDED_EXITS = {
    0: "every message has exactly the broker's queues",
    1: "some messages have not",
    2: "the comparison could not be made",
}


def recorded_options(noun: str) -> Options:
    """Return the options for the queues that a broker recorded; ``noun`` is "member" or "column" in the help."""
    return together(
        click.option(
            "--recorded",
            default="routed_queues",
            show_default=True,
            help=f"The {noun} with the broker's queues, or with --partial the one queue that a message was read from.",
        ),
        click.option("--partial", is_flag=True, help="Messages may have gone to queues that are not recorded, too."),
        click.option(
            "--recorded-queue", metavar="NAME", help="The queue that all messages were read from; implies --partial."
        ),
        click.option(
            "--examples",
            type=click.IntRange(min=0),
            default=10,
            show_default=True,
            help="Messages to show that disagree.",
        ),
    )


#: The options that determine the destination of messages without naming an exchange: ``--address``, ``--publish-to``.
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
    """Add the options for unroutable messages. The command receives them as its parameter ``publisher``.

    The command ends with exit code 2 if an option does not exist in the chosen protocol.
    """

    @wraps(command)
    def with_publisher(protocol: Protocol | None, mandatory: bool, reject_unroutable: bool, **others: Any) -> Any:
        if mandatory and protocol not in _WITH_MANDATORY:
            fail(f"--mandatory is a flag of AMQP 0-8 to 0-9-1, but the protocol is {protocol}: omit one of them")
        if reject_unroutable and protocol not in (None, "1.0"):
            fail(f"--reject-unroutable is a capability of AMQP 1.0, but the protocol is {protocol}: omit one of them")
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
    """Return the sender of messages to the address of the option --address; None without this option.

    End the command if the options contradict each other. Raise ``TopologyError`` if the topology does not have the
    exchange, or cannot resolve the address.
    """
    given = {
        "--exchange": exchange is not None,
        "--address": address is not None,
        "--publish-to to": publish_to == "to",
    }
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        fail(f"{' and '.join(named)} each set where messages are sent: give only one of them")
    if topology.rules.addressing.names_destinations:
        if address is not None or publish_to == "to":
            fail(
                f"senders to {topology.rules.name} name destinations, not addresses: give "
                "--exchange, or add a member exchange to each message"
            )
        return None
    check_exchange(exchange, topology)
    return None if address is None else resolve_sender(topology, address)
