"""selector-sql route: message JSON lines through a topology."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from transpiler import DecodeError, Message, Topology, TranspilerError
from transpiler.cli.group import fail
from transpiler.cli.options import warn
from transpiler.cli.topologies import read_topology_file, topology_options
from transpiler.diagnostics import nearest
from transpiler.jsontext import JsonTextError, load_json
from transpiler.message.rabbitmq import read_publication
from transpiler.reference.route import publish
from transpiler.topology.picture import Summary


@click.command()
@click.argument("topology", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True, exists=True, dir_okay=False))
@topology_options
@click.option("--exchange", help="The exchange of messages that name none  [default: the topology's]")
@click.option("--mandatory", is_flag=True, help="Unroutable messages go back to their publisher.")
@click.option(
    "--layout",
    type=click.Choice(["amqp", "rabbitmq-trace"]),
    default="amqp",
    show_default=True,
    help="Message JSON, or RabbitMQ's tracing log.",
)
@click.option("--unroutable", is_flag=True, help="Only the messages that reach no queue.")
@click.option("--summary", is_flag=True, help="Only how many messages went where, as one JSON object.")
def route(
    topology: Path,
    files: tuple[str, ...],
    form: Any,
    vhost: str | None,
    exchange: str | None,
    mandatory: bool,
    layout: str,
    unroutable: bool,
    summary: bool,
) -> None:
    """Route message JSON lines from FILES (default: standard input) through TOPOLOGY.

    Each line comes back with its queues and its outcome: routed, discard, reject, return, or no-exchange. A member
    "exchange" beside the sections says where the message was published.
    """
    where = read_topology_file(topology, form, vhost)
    warn(where.findings)
    if exchange is not None and exchange not in where.exchange_by_name:
        near = nearest(exchange, where.exchange_by_name)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(filter(None, where.exchange_by_name))}"
        fail(f"there is no exchange called {exchange!r}\n  hint: {hint}")
    exchanges: Counter[str] = Counter()
    queues: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for line, message, published_to, keys in _messages(files or ("-",), layout):
        name = _first(published_to, exchange, where)
        routed = publish(where, message, name, keys, mandatory=mandatory)
        exchanges[name] += 1
        queues.update(routed.queues)
        outcomes[routed.outcome] += 1
        if not summary and not (unroutable and routed.queues):
            result = line | {"queues": list(routed.queues), "outcome": routed.outcome}
            click.echo(json.dumps(result, ensure_ascii=False))
    if summary:
        counted = Summary(dict(sorted(exchanges.items())), dict(sorted(queues.items())), dict(sorted(outcomes.items())))
        click.echo(json.dumps(counted.to_dict(), ensure_ascii=False, indent=2))


def _first(published_to: str | None, exchange: str | None, topology: Topology) -> str:
    if published_to is not None:
        return published_to
    return topology.default_exchange if exchange is None else exchange


_Line = tuple[dict[str, Any], Message, str | None, tuple[str, ...] | None]


def _messages(files: Iterable[str], layout: str) -> Iterator[_Line]:
    for file in files:
        with click.open_file(file, encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield from _message(text, f"{file}:{number}", layout)


def _message(text: str, name: str, layout: str) -> Iterator[_Line]:
    try:
        line = load_json(text)
    except JsonTextError as error:
        column = "" if error.span is None else f":{error.span.start + 1}"
        fail(f"{name}{column}: {error.message}")
    try:
        if layout == "rabbitmq-trace":
            if not isinstance(line, dict):
                raise DecodeError.at("trace.entry", "an entry of a tracing log is an object")
            if line.get("type") != "received":
                found = read_publication(line)
                yield line, found.message, found.exchange, found.routing_keys
            return
        if not isinstance(line, dict):
            yield {}, Message.from_dict(line), None, None
            return
        exchange = line.get("exchange")
        if exchange is not None and not isinstance(exchange, str):
            raise DecodeError.at("message.exchange", "exchange: expected text")
        sections = {key: value for key, value in line.items() if key not in ("exchange", "queues", "outcome")}
        yield line, Message.from_dict(sections), exchange, None
    except TranspilerError as error:
        fail(f"{name}: {error}")
