"""RabbitMQ's paths of messages besides bindings: dead letters of queues, federation and shovels.

If the URI of a shovel's end has no host, or a local host, the end is this broker; any other host is assumed to be
another broker. A stream keeps the messages that a shovel reads. An exchange is federated if a policy sets an upstream
for it that is among the parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from transpiler.base.diagnostics import first_of, meant
from transpiler.base.documents.entries import Entry, Findings
from transpiler.topology.importers.rabbitmq_exchanges import listed
from transpiler.topology.importers.rabbitmq_policies import Policies
from transpiler.topology.records import Exchange, Link, Queue
from transpiler.topology.targets import TargetType

#: The hosts in a URI that denote this broker.
_HERE = frozenset({"", "localhost", "127.0.0.1", "::1"})


#: The first version in which quorum queues have a default delivery limit, which is 20; a negative limit is no limit.
_DEFAULT_LIMIT = (4, 0)

#: The settings of operator policies that make messages dead letters. They apply in addition to the settings of the
#: policy and to the arguments of the queue.
_LIMITS = {"max-length", "max-length-bytes", "delivery-limit"}


def queue_type(entry: Entry, arguments: Entry) -> str:
    """Return the type of a queue: classic, quorum or stream."""
    return str(arguments.data.get("x-queue-type") or entry.data.get("type") or "classic")


def dead_letters(
    entry: Entry, arguments: Entry, policies: Policies, limiting: Policies, version: tuple[int, int] | None
) -> list[Link]:
    """Return the possible dead-letter links of a queue, exactly one of which is real; empty for a stream.

    RabbitMQ does not dead-letter messages of streams. ``limiting`` are the operator policies, ``version`` the first two
    numbers of RabbitMQ's version, None if unknown.
    """
    name, kind = entry.text("name"), queue_type(entry, arguments)
    if kind == "stream":
        return []
    own = {of[2:]: value for of, value in arguments.data.items() if of.startswith("x-") and value is not None}
    ways: dict[Link | None, dict[str, None]] = {}
    deciding, limits = policies.of_queue(name, kind), limiting.of_queue(name, kind)
    for policy, limit in product(deciding, limits):
        settings = own if policy is None else {**policy.definition.data, **own}
        if limit is not None:
            settings = settings | {of: value for of, value in limit.definition.data.items() if of in _LIMITS}
        too_often = _too_often(settings.get("delivery-limit"), version) if kind == "quorum" else ""
        counting = [one.name for one, of in ((policy, deciding), (limit, limits)) if one is not None and len(of) > 1]
        ways.setdefault(_letters(name, settings, entry.path, too_often), {}).update(dict.fromkeys(counting))
    if len(ways) == 1:
        return [link for link in ways if link is not None]
    policies.warn_of_tie(deciding, name, entry.path)
    limiting.warn_of_tie(limits, name, entry.path)
    return [replace(link, when=f"{link.when}, if {_counting(of)}") for link, of in ways.items() if link is not None]


def _counting(names: Iterable[str]) -> str:
    listed = " or ".join(map(repr, names))
    return f"the policy {listed} counts" if listed else "no policy counts"


def _letters(name: str, settings: Mapping[str, Any], path: str, too_often: str) -> Link | None:
    exchange, key = settings.get("dead-letter-exchange"), settings.get("dead-letter-routing-key")
    if not isinstance(exchange, str):
        return None
    key = key if isinstance(key, str) else None
    return Link("dead-letter", _when(settings, too_often), name, exchange, key=key, path=path)


def _too_often(limit: object, version: tuple[int, int] | None) -> str:
    """Return a text for the condition that a quorum queue delivered a message too often; empty without a limit."""
    if isinstance(limit, int):
        return "delivered too often" if limit >= 0 else ""
    if version is None:
        return f"from RabbitMQ {'.'.join(map(str, _DEFAULT_LIMIT))} on delivered too often"
    return "delivered too often" if version >= _DEFAULT_LIMIT else ""


def _when(settings: Mapping[str, Any], too_often: str) -> str:
    """Return a text for the conditions under which a message of a queue becomes a dead letter."""
    conditions = ["rejected", "expired"]
    limited = settings.get("max-length") is not None or settings.get("max-length-bytes") is not None
    if limited and settings.get("overflow") != "reject-publish":
        conditions.append("over the queue's length")
    conditions += [too_often] if too_often else []
    return f"{', '.join(conditions[:-1])} or {conditions[-1]}"


class Upstreams(NamedTuple):
    """The upstream brokers of a virtual host by name, and the named sets of upstreams (lists of names)."""

    by_name: Mapping[str, Entry]
    sets: Mapping[str, Sequence[str]]

    def of(self, definition: Entry) -> tuple[dict[str, Entry], list[tuple[str, str, str]]]:
        """Return the upstreams that a policy refers to, by name, and the references to upstreams that do not exist.

        Such a reference is a triple: ``upstream`` or ``set of upstreams``, the name, and the setting of the policy.
        """
        found: dict[str, Entry] = {}
        missing: list[tuple[str, str, str]] = []
        one, several = (definition.data.get(f"federation-upstream{end}") for end in ("", "-set"))
        names = [(one, "federation-upstream")] if isinstance(one, str) else []
        if several == _EVERY_UPSTREAM or definition.has("federation-upstream-pattern"):
            found |= self.by_name
        elif isinstance(several, str) and several not in self.sets:
            missing.append(("set of upstreams", several, "federation-upstream-set"))
        elif isinstance(several, str):
            names += [(name, "federation-upstream-set") for name in self.sets[several]]
        for name, setting in names:
            if name in self.by_name:
                found[name] = self.by_name[name]
            else:
                missing.append(("upstream", name, setting))
        return found, missing


#: The name of the set of all upstreams of a virtual host.
_EVERY_UPSTREAM = "all"


#: Maximum number of upstreams that the text of a link names; an ellipsis stands for the others.
_MAX_UPSTREAMS = 3


def upstreams_of(root: Entry, vhost: str | None) -> Upstreams:
    """Return the federation upstreams, and the sets of upstreams, in the parameters of a virtual host."""
    by_name: dict[str, Entry] = {}
    sets: dict[str, Sequence[str]] = {}
    for entry in listed(root, "parameters", vhost):
        component, value = entry.text("component", ""), entry.data.get("value")
        if component == "federation-upstream" and isinstance(value, Mapping):
            by_name[entry.text("name", "")] = Entry(value, entry.at("value"))
        elif component == "federation-upstream-set" and isinstance(value, list | tuple):
            members = (one.get("upstream") for one in value if isinstance(one, Mapping))
            sets[entry.text("name", "")] = [name for name in members if isinstance(name, str)]
    return Upstreams(by_name, sets)


def federation(
    policies: Policies,
    upstreams: Upstreams,
    exchanges: Sequence[Exchange],
    queues: Sequence[Queue],
    findings: Findings,
) -> Iterator[Link]:
    """Yield the links from upstream brokers to federated exchanges and queues; add findings about missing upstreams."""
    reported: set[tuple[str, str]] = set()
    nodes = [("exchange", one.name, one.path, "published at {}") for one in exchanges]
    nodes += [("queue", one.name, one.path, "waiting at {} while it has consumers here") for one in queues]
    for kind, name, path, when in nodes:
        node: TargetType = "exchange" if kind == "exchange" else "queue"
        found: dict[str, Entry] = {}
        for definition in policies.federating(node, name):
            there, missing = upstreams.of(definition)
            found |= there
            for what, absent, setting in missing:
                if (what, absent) not in reported:
                    reported.add((what, absent))
                    message = f"the file has no {what} called {absent!r}: nothing is federated from there"
                    hint, fix = meant(absent, sorted(upstreams.by_name), definition.at(setting))
                    findings.add("import.upstream", definition.at(setting), message, hint, fix)
        if found:
            named = f"the upstream{'s' if len(found) > 1 else ''} {first_of(found, _MAX_UPSTREAMS)}"
            yield Link("federation", when.format(named), None, name, destination_type=node, path=path)


class Federated(NamedTuple):
    """An exchange, ``upstream``, whose messages are federated to another exchange on the same broker.

    ``bindings`` are the bindings of that other exchange. The federation binds its own queue to ``upstream`` with copies
    of them. ``path`` is the path of the definition of the upstream in the file.
    """

    upstream: str
    bindings: Sequence[Entry]
    path: str


def federated_here(root: Entry, vhost: str | None) -> Iterator[Federated]:
    """Yield the exchanges of the virtual host ``vhost`` that policies of this broker name as upstreams of exchanges."""
    names = dict.fromkeys(one.data.get("vhost") for one in root.entries("parameters"))
    for downstream in (str(name) if name is not None else None for name in names):
        upstreams = upstreams_of(root, downstream)
        here = {one.path for one in upstreams.by_name.values() if _is_upstream_here(one, vhost)}
        if not here:
            continue
        policies = Policies(listed(root, "policies", downstream), Findings())
        for entry in listed(root, "exchanges", downstream):
            name = entry.text("name")
            of_policies = (upstreams.of(definition)[0] for definition in policies.federating("exchange", name))
            found = (one for by_name in of_policies for one in by_name.values())
            for path, upstream in {one.path: one for one in found if one.path in here}.items():
                of_upstream = upstream.data.get("exchange")
                bindings = [one for one in listed(root, "bindings", downstream) if one.data.get("source") == name]
                yield Federated(of_upstream if isinstance(of_upstream, str) else name, bindings, path)


def _is_upstream_here(upstream: Entry, vhost: str | None) -> bool:
    uris = upstream.data.get("uri")
    uri = uris[0] if isinstance(uris, list) and uris else uris
    return isinstance(uri, str) and _is_here(uri, vhost)


class ShovelSource(NamedTuple):
    """The exchange that a shovel reads, and the binding key of the shovel's queue."""

    exchange: str
    key: str


def shovel_source(entry: Entry, vhost: str | None) -> ShovelSource | None:
    """Return the exchange of this virtual host that a shovel reads; None if it reads a queue, or another broker."""
    value = Entry.of(entry.data.get("value") or {}, entry.at("value"))
    source, kind = _end(value, "src", vhost)
    if source is None or kind != "exchange":
        return None
    if value.has("src-exchange"):
        key = value.data.get("src-exchange-key")
        return ShovelSource(source, key if isinstance(key, str) else "")
    # A shovel of AMQP 1.0 names its source by an address: ``/exchange/NAME/KEY`` or without the key
    # (``rabbit_routing_parser:parse_routing``).
    named = str(value.data.get("src-address")).removeprefix("/").split("/", 2)
    return ShovelSource(source, unquote(named[2]) if len(named) > 2 else "")


def shovel(entry: Entry, vhost: str | None, streams: Set[str]) -> Link:
    """Return the link from the source of a shovel to its destination; both may be on other brokers.

    ``streams`` are the names of the queues that are streams. A stream keeps a message that the shovel has read, so the
    link of such a source says "copied" instead of "moved".
    """
    value = Entry.of(entry.data.get("value") or {}, entry.at("value"))
    source, source_type = _end(value, "src", vhost)
    destination, destination_type = _end(value, "dest", vhost)
    key = value.data.get("dest-exchange-key")
    key = key if isinstance(key, str) else None
    is_kept = source_type == "queue" and source in streams
    when = f"{'copied' if is_kept else 'moved'} by the shovel {entry.text('name', '')}"
    return Link("shovel", when, source, destination, source_type, destination_type, key, entry.path)


def shovel_queues(entry: Entry, vhost: str | None) -> Iterator[tuple[str, str]]:
    """Yield the queues of this broker that a shovel declares when it starts, each with its path in the file."""
    value = Entry.of(entry.data.get("value") or {}, entry.at("value"))
    for side in ("src", "dest"):
        name = value.data.get(f"{side}-queue")
        predeclared = value.data.get(f"{side}-predeclared") is True
        # Only shovels of AMQP 0-9-1 have the member ``src-queue`` or ``dest-queue``. They declare that queue unless the
        # shovel's settings say that it is predeclared.
        if isinstance(name, str) and not predeclared and _end(value, side, vhost) == (name, "queue"):
            yield name, value.at(f"{side}-queue")


def _end(value: Entry, side: str, vhost: str | None) -> tuple[str | None, TargetType]:
    """Return the name and kind of the queue or exchange at an end of a shovel; the name is None for another broker."""
    uris = value.data.get(f"{side}-uri")
    uri = uris[0] if isinstance(uris, list) and uris else uris
    if isinstance(uri, str) and not _is_here(uri, vhost):
        return None, "queue"
    for kind in ("queue", "exchange"):
        name = value.data.get(f"{side}-{kind}")
        if isinstance(name, str):
            return name, "queue" if kind == "queue" else "exchange"
    # In AMQP 1.0 an end is named by an address.
    address = value.data.get(f"{side}-address")
    if isinstance(address, str):
        part, _, name = address.removeprefix("/").partition("/")
        if part in ("queue", "queues", "amq"):
            return unquote(name.removeprefix("queue/")), "queue"
        if part in ("exchange", "exchanges"):
            return unquote(name.partition("/")[0]), "exchange"
        return address, "queue"
    # If a shovel names neither an exchange nor a queue, each message is published to its original exchange.
    return None, "queue"


def _is_here(uri: str, vhost: str | None) -> bool:
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
    except ValueError:
        return False
    named = unquote(parts.path.removeprefix("/")) or "/"
    return host in _HERE and (vhost is None or named == vhost)
