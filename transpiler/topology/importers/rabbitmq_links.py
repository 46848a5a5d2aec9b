"""Ways on in RabbitMQ beside routing: dead letters, by arguments and policies; shovels and federation, by parameters.

A queue's own argument goes before a policy. A shovel's end without a host in its URI is this broker; a host with a name
is taken for another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from transpiler.topology.importers.json_reader import Entry, Findings
from transpiler.topology.importers.rabbitmq_policies import Policies
from transpiler.topology.model import DestinationType, Exchange, Link, LinkKind, Queue

#: Hosts in a URI that are this broker.
_HERE = frozenset({"", "localhost", "127.0.0.1", "::1"})


def dead_letters(entry: Entry, arguments: Entry, policies: Policies) -> Link | None:
    """Return the way of a queue's dead letters, if it has one; a stream keeps its messages."""
    name = entry.text("name")
    kind = str(arguments.data.get("x-queue-type") or entry.data.get("type") or "classic")
    if kind == "stream":
        return None
    policy = policies.of_queue(name, kind)

    def setting(of: str) -> Any:
        value = arguments.data.get(f"x-{of}")
        return policy.get(of) if value is None else value

    exchange, key = setting("dead-letter-exchange"), setting("dead-letter-routing-key")
    if not isinstance(exchange, str):
        return None
    conditions = ["rejected", "expired"]
    limited = setting("max-length") is not None or setting("max-length-bytes") is not None
    if limited and setting("overflow") != "reject-publish":
        conditions.append("over the queue's length")
    if kind == "quorum" or setting("delivery-limit") is not None:
        conditions.append("delivered too often")
    when = f"{', '.join(conditions[:-1])} or {conditions[-1]}"
    return Link("dead-letter", when, name, exchange, key=key if isinstance(key, str) else None, path=entry.path)


def federation(policies: Policies, exchanges: list[Exchange], queues: tuple[Queue, ...]) -> Iterator[Link]:
    """Yield the links from upstream brokers to what a policy federates."""
    for exchange in exchanges:
        if policies.federates("exchange", exchange.name):
            yield Link("federation", "published upstream", None, exchange.name, path=exchange.path)
    for queue in queues:
        if policies.federates("queue", queue.name):
            when = "waiting upstream while it has consumers here"
            yield Link("federation", when, None, queue.name, destination_type="queue", path=queue.path)


def shovel(entry: Entry, vhost: str | None, findings: Findings) -> Link | None:
    """Return the link of a shovel; None where both its ends are on other brokers."""
    value = Entry.of(entry.data.get("value") or {}, entry.at("value"))
    source, source_type = _end(value, "src", vhost)
    destination, destination_type = _end(value, "dest", vhost)
    if source is None and destination is None:
        return None
    if source is not None and source_type == "exchange":
        message = f"the shovel {entry.text('name', '')!r} binds a queue of its own to {source!r}, which no answer names"
        findings.add("import.shovel", entry.path, message)
    kind: LinkKind = "shovel"
    key = value.data.get("dest-exchange-key")
    when = "moved by the shovel " + entry.text("name", "")
    return Link(
        kind,
        when,
        source,
        destination,
        source_type,
        destination_type,
        key if isinstance(key, str) else None,
        entry.path,
    )


def _end(value: Entry, side: str, vhost: str | None) -> tuple[str | None, DestinationType]:
    """Return what is here of a shovel's end: the name of a queue or an exchange."""
    uris = value.data.get(f"{side}-uri")
    uri = uris[0] if isinstance(uris, list) and uris else uris
    if isinstance(uri, str) and not _is_here(uri, vhost):
        return None, "queue"
    for kind in ("queue", "exchange"):
        name = value.data.get(f"{side}-{kind}")
        if isinstance(name, str):
            return name, "queue" if kind == "queue" else "exchange"
    # AMQP 1.0 names an address.
    address = value.data.get(f"{side}-address")
    if isinstance(address, str):
        part, _, name = address.removeprefix("/").partition("/")
        if part in ("queue", "queues", "amq"):
            return unquote(name.removeprefix("queue/")), "queue"
        if part in ("exchange", "exchanges"):
            return unquote(name.partition("/")[0]), "exchange"
        return address, "queue"
    # Without an exchange and a queue the message keeps its own.
    return None, "queue"


def _is_here(uri: str, vhost: str | None) -> bool:
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
    except ValueError:
        return False
    named = unquote(parts.path.removeprefix("/")) or "/"
    return host in _HERE and (vhost is None or named == vhost)
