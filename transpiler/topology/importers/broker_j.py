"""A Qpid Broker-J configuration in JSON: the exchanges, queues and bindings of one virtual host.

The module reads the JSON configuration store, where bindings are ``durableBindings``, and answers of the management
interface, where they are ``bindings``. An answer about only exchanges or queues is read as an incomplete virtual host:
queues that its bindings name and the answer lacks are added. ``${…}`` is never expanded: the broker would expand it
from its context and environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from transpiler.base.documents.entries import Entry, Findings, choose, refuse
from transpiler.base.documents.jsontext import JsonTextError, load_json, without_comments
from transpiler.message.types import AmqpType, AmqpValue, Compound
from transpiler.topology.broker_rules import QPID_JAVA
from transpiler.topology.exchange_types import ExchangeType
from transpiler.topology.importers.binding_arguments import TYPES_LOST, read_arguments
from transpiler.topology.importers.settings import broker_j_settings
from transpiler.topology.model import Topology
from transpiler.topology.records import (
    ATTEMPTS_ARGUMENT,
    CONVERSION_ARGUMENT,
    EXPIRY_ARGUMENT,
    REPLACEMENT_ARGUMENT,
    ROUTE_TO_ALTERNATE,
    SELECTOR_ARGUMENT,
    Alternate,
    Binding,
    Exchange,
    Queue,
    Unroutable,
)
from transpiler.topology.setting import Setting, loss
from transpiler.topology.targets import TargetType

#: Attributes that every object of the broker has and that do not affect routing.
_COMMON = frozenset(
    """id name type durable lifetimePolicy desiredState state description context createdBy createdTime lastUpdatedBy
    lastUpdatedTime lastOpenedTime modelVersion statistics creatingLinkInfo""".split()
)

_EXCHANGE = _COMMON | {"alternateBinding", "bindings", "durableBindings", "unroutableMessageBehaviour", "queue"}

#: The known attributes of a queue, which affect only messages that are already in the queue.
_QUEUE = _COMMON | frozenset(
    """exclusive alternateBinding maximumDeliveryAttempts messageDurability messageGroupKeyOverride messageGroupType
    messageGroupSharedGroups messageGroupDefaultGroup maximumMessageTtl minimumMessageTtl noLocal
    ensureNondestructiveConsumers maximumDistinctGroups holdOnPublishEnabled maximumQueueDepthBytes
    maximumQueueDepthMessages queueFlowControlSizeBytes queueFlowResumeSizeBytes queueFlowStopped alertRepeatGap
    alertThresholdMessageAge alertThresholdMessageSize alertThresholdQueueDepthBytes alertThresholdQueueDepthMessages
    lvqKey priorities sortKey overflowPolicy messageConversionExceptionHandlingPolicy
    messageConversionExclusion expiryPolicy maximumLiveConsumers bindings durableBindings consumers""".split()
)

#: The attributes that limit a queue's depth.
_DEPTHS = ("maximumQueueDepthMessages", "maximumQueueDepthBytes")

_TYPES: tuple[ExchangeType, ...] = ("direct", "topic", "fanout", "headers")

_UNROUTABLE: Mapping[str, Unroutable] = {"DISCARD": "discard", "REJECT": "reject"}

#: Maximum number of levels above a virtual host in the file. A list, a broker, a node and an initial configuration make
#: four.
MAX_DEPTH = 16

#: Members that only the configuration of a broker or node has, and no virtual host.
_BROKER = ("virtualhostnodes", "virtualhosts", "virtualHostInitialConfiguration", "authenticationproviders", "ports")

#: A member that this module adds to a virtual host whose initial configuration is in a context variable of the broker.
_CONTEXT = "context of the initial configuration"

#: Arguments that the broker accepts on any binding, and that this project ignores.
_OTHER_FILTERS = ("x-qpid-no-local", "x-qpid-replay-period", "x-filter-no-consume")


def topology_from_broker_j(data: Any, virtualhost: str | None = None) -> Topology:
    """Return the topology of a virtual host from a whole Broker-J configuration, or from that of the virtual host.

    ``virtualhost`` can be omitted if there is only one. The ``findings`` of the topology report attributes and
    arguments that are not understood, and texts with ``${…}``. Raises ``TopologyError`` with the path of the error.
    """
    findings = Findings()
    host = _choose(list(_hosts(data, "")), virtualhost)
    if _CONTEXT in host.data:
        message = f"the broker reads the virtual host's configuration from its context, {host.data[_CONTEXT]}"
        findings.add(
            "import.context",
            host.path,
            message,
            "perhaps pass the file that the context variable names, if it names a file",
        )
    for name in host.data:
        if name in ("nodeAutoCreationPolicies", "globalAddressDomains") and host.data[name]:
            findings.add(
                "import.unknown",
                host.at(name),
                "this attribute is ignored, because selector-sql does not support it, but it can change the routing",
            )
    names = {entry.text("name") for entry in host.entries("queues")}
    exchange_names = {entry.text("name") for entry in host.entries("exchanges")} | set(QPID_JAVA.predeclared)
    queues = tuple(_queue(entry, names, exchange_names, findings) for entry in host.entries("queues"))
    if isinstance(host, _Answer):
        queues += _undeclared(host, names | exchange_names, findings)
        names = {queue.name for queue in queues}
    exchanges, bindings = [], []
    for entry in host.entries("exchanges"):
        exchange = _exchange(entry, names, exchange_names, findings)
        exchanges.append(exchange)
        bindings += _bindings(entry, exchange, names, findings)
    return Topology(
        QPID_JAVA,
        tuple(exchanges),
        queues,
        tuple(bindings),
        findings=tuple(findings.diagnostics),
        settings=(*broker_j_settings(host), *_losses(host)),
    )


def _hosts(data: Any, path: str, depth: int = 0, is_host: bool = False) -> Iterator[Entry]:
    """Yield the virtual hosts in ``data``, which may be a broker, a node of it, a list, or a virtual host itself.

    ``is_host`` is True if ``data`` is a virtual host even without queues and exchanges.
    """
    if depth > MAX_DEPTH:
        refuse("limit.nesting", path, f"virtual hosts stand at most {MAX_DEPTH} levels deep")
    answer = _answer(data, path)
    if answer is not None:
        yield answer
        return
    if isinstance(data, list):
        # An answer of the management interface is a list of the requested objects.
        for number, item in enumerate(data):
            yield from _hosts(item, f"{path}[{number}]", depth + 1)
        return
    entry = Entry.of(data, path)
    if is_host or entry.has("exchanges") or entry.has("queues") or (depth == 0 and _is_host(entry)):
        yield entry
        return
    for child in ("virtualhostnodes", "virtualhosts"):
        for item, item_path in entry.items(child):
            yield from _hosts(item, item_path, depth + 1, is_host=child == "virtualhosts")
    if entry.has("virtualHostInitialConfiguration"):
        location = entry.at("virtualHostInitialConfiguration")
        text = entry.text("virtualHostInitialConfiguration")
        if text.lstrip().startswith("${"):
            # The text is a context variable, ``${…}``. Its value may be outside the file, so the host is read without a
            # configuration, as by default.
            yield Entry({"name": entry.data.get("name"), _CONTEXT: text}, location)
            return
        try:
            inner = load_json(without_comments(text))
        except JsonTextError as error:
            hint = (
                "the value may be the name of a file: perhaps pass the file instead"
                if not text.lstrip().startswith("{")
                else None
            )
            refuse("topology.json", location, error.message, hint)
        if isinstance(inner, Mapping) and not (inner.get("exchanges") or inner.get("queues")):
            yield Entry({"name": entry.data.get("name"), **inner}, location)
            return
        yield from _hosts(inner, location, depth + 1)


#: Attributes by which objects in answers of the management interface are recognised: any object, exchanges, and queues.
_MANAGED_ATTRIBUTES = ("id", "durable", "lifetimePolicy", "durableBindings", "statistics", "createdTime")
_OF_EXCHANGES = ("bindings", "durableBindings", "unroutableMessageBehaviour")
_OF_QUEUES = ("expiryPolicy", "maximumDeliveryAttempts", "queueDepthMessages", "messageDurability", "exclusive")


@dataclass(frozen=True)
class _Answer(Entry):
    """An answer of Broker-J's management interface about exchanges or queues, in the form of a nameless virtual host.

    ``paths`` maps the path of each object in the virtual host to the object's path in the file.
    """

    paths: Mapping[str, str] = field(default_factory=dict)

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        for number, item in enumerate(self.data.get(name, ())):
            yield item, self.paths[f"{name}[{number}]"]


def is_broker_j_answer(data: Any) -> bool:
    """Return True if ``data`` is an exchange or a queue from Broker-J's management interface, or a list of these."""
    return _answer(data, "") is not None


def _answer(data: Any, path: str) -> _Answer | None:
    listed = data if isinstance(data, list) else [data]
    parts: dict[str, list[Any]] = {"exchanges": [], "queues": []}
    paths: dict[str, str] = {}
    for number, item in enumerate(listed):
        part = _part(item)
        if part is None:
            return None
        location = f"{path}[{number}]" if isinstance(data, list) else path
        paths[f"{part}[{len(parts[part])}]"] = location
        parts[part].append(item)
    return _Answer(parts, path, paths) if paths else None


def _part(item: Any) -> str | None:
    """Return "exchanges" or "queues", the member of a virtual host to which ``item`` belongs.

    Return None for other objects.
    """
    if not isinstance(item, Mapping) or "name" not in item or not any(name in item for name in _MANAGED_ATTRIBUTES):
        return None
    if item.get("type") in QPID_JAVA.types and any(name in item for name in _OF_EXCHANGES):
        return "exchanges"
    return "queues" if any(name in item for name in _OF_QUEUES) and "exchanges" not in item else None


def _undeclared(host: Entry, known: set[str], findings: Findings) -> tuple[Queue, ...]:
    """Return the queues that the broker's REST answer names in a binding, but does not declare."""
    found: dict[str, str] = {}
    for entry in host.entries("exchanges"):
        bindings = [each for part in ("durableBindings", "bindings") for each in entry.entries(part)]
        if entry.has("alternateBinding"):
            bindings.append(Entry.of(entry.data["alternateBinding"], entry.at("alternateBinding")))
        for binding in bindings:
            name = binding.text("destination")
            if name not in known:
                found.setdefault(name, binding.at("destination"))
    for name, at in found.items():
        message = f"the response of Broker-J does not contain {name!r}, which is assumed to be a queue"
        findings.add(
            "import.undeclared-queue",
            at,
            message,
            "perhaps request the whole virtual host: the response then contains the type of each destination",
        )
    return tuple(Queue(name, path=path, declared=False) for name, path in found.items())


def _is_host(entry: Entry) -> bool:
    """Return True if ``entry`` is the configuration of a virtual host, possibly without queues and exchanges."""
    return not any(entry.has(child) for child in _BROKER) and entry.has("modelVersion") and entry.has("type")


def vhosts_of_broker_j(data: Any) -> list[str]:
    """Return the names of the virtual hosts in a configuration."""
    return [str(host.data["name"]) for host in _hosts(data, "") if "name" in host.data]


def _choose(hosts: list[Entry], name: str | None) -> Entry:
    if not hosts and name is None:
        hint = "a virtual host has exchanges and queues; a broker has them under virtualhostnodes and virtualhosts"
        refuse("topology.vhost", None, "the file contains no virtual host", hint)
    names = [str(host.data.get("name", "(without a name)")) for host in hosts]
    return hosts[names.index(choose("virtual host", name, names))]


def _text(entry: Entry, name: str, findings: Findings, default: str | None = None) -> str:
    value = entry.text(name, default)
    _report_context(value, entry.at(name), findings)
    return value


def _report_context(value: str, path: str, findings: Findings) -> None:
    if "${" in value:
        findings.add(
            "import.context",
            path,
            "the value contains ${…}, which the broker replaces by another text; selector-sql keeps it as written",
        )


def _report_unknown(entry: Entry, known: frozenset[str], findings: Findings) -> None:
    for name, value in entry.data.items():
        if name not in known and value not in (None, [], {}):
            findings.add(
                "import.unknown",
                entry.at(name),
                "this attribute is ignored, because selector-sql does not support it",
            )


def _queue(entry: Entry, queues: set[str], exchanges: set[str], findings: Findings) -> Queue:
    _report_unknown(entry, _QUEUE, findings)
    return Queue(
        _text(entry, "name", findings),
        durable=entry.flag("durable", True),
        exclusive=entry.text("exclusive", "NONE") != "NONE",
        auto_delete=_deletes_itself(entry),
        alternate=_alternate(entry, queues, exchanges, findings),
        arguments=_dead_letters(entry),
        path=entry.path,
    )


def _dead_letters(entry: Entry) -> dict[str, AmqpValue]:
    """Return the settings under which a queue sends messages to its alternate binding, as arguments.

    The maximum number of delivery attempts is left out if it is 0, which means no limit.
    """
    arguments = {}
    attempts = str(entry.data.get(ATTEMPTS_ARGUMENT) or "").strip()
    if attempts.isdecimal():
        if int(attempts) > 0:
            arguments[ATTEMPTS_ARGUMENT] = AmqpValue(AmqpType.INT, int(attempts))
    elif "${" in attempts:
        arguments[ATTEMPTS_ARGUMENT] = AmqpValue(AmqpType.STRING, attempts)
    for name in (EXPIRY_ARGUMENT, CONVERSION_ARGUMENT):
        if str(entry.data.get(name) or "").strip() == ROUTE_TO_ALTERNATE:
            arguments[name] = AmqpValue(AmqpType.STRING, ROUTE_TO_ALTERNATE)
    return arguments


def _losses(host: Entry) -> Iterator[Setting]:
    """Yield a note for each queue that deletes its oldest messages even if it has an alternate binding.

    Source: ``RingOverflowPolicyHandler`` of Broker-J.
    """
    for entry in host.entries("queues"):
        if str(entry.data.get("overflowPolicy") or "").strip() == "RING":
            depth = next((entry.data[name] for name in _DEPTHS if entry.data.get(name) is not None), None)
            limit = "" if depth is None else f" of {depth}"
            yield loss(
                entry.text("name"), f"overflowPolicy is RING: beyond its depth{limit} it deletes its oldest message"
            )
        elif entry.data.get("type") == "lvq" or entry.data.get("lvqKey") is not None:
            yield loss(entry.text("name"), "it is a last-value queue: a message replaces the one with the same key")


def _alternate(entry: Entry, queues: set[str], exchanges: set[str], findings: Findings) -> Alternate | None:
    if not entry.has("alternateBinding"):
        return None
    location = Entry.of(entry.data["alternateBinding"], entry.at("alternateBinding"))
    destination = _text(location, "destination", findings)
    if location.data.get("attributes"):
        findings.add("import.unknown", location.at("attributes"), "is not understood")
    # To find the destination of an alternate binding, Broker-J looks first for another exchange with its name, and then
    # for a queue.
    is_exchange = destination in exchanges and destination != entry.data.get("name")
    return Alternate(destination, "exchange" if is_exchange or destination not in queues else "queue")


def _deletes_itself(entry: Entry) -> bool:
    return entry.text("lifetimePolicy", "PERMANENT") != "PERMANENT"


def _exchange(entry: Entry, queues: set[str], exchanges: set[str], findings: Findings) -> Exchange:
    _report_unknown(entry, _EXCHANGE, findings)
    name = _text(entry, "name", findings)
    behaviour = entry.one_of("unroutableMessageBehaviour", tuple(_UNROUTABLE), "DISCARD")
    return Exchange(
        name,
        entry.one_of("type", _TYPES),
        _alternate(entry, queues, exchanges, findings),
        _UNROUTABLE[behaviour],
        durable=entry.flag("durable", True),
        auto_delete=_deletes_itself(entry),
        path=entry.path,
    )


def _bindings(entry: Entry, exchange: Exchange, queues: set[str], findings: Findings) -> list[Binding]:
    bindings: dict[tuple[str, str], Binding] = {}
    for part in ("durableBindings", "bindings"):
        for location in entry.entries(part):
            key, destination = _text(location, "bindingKey", findings, ""), _text(location, "destination", findings)
            if part == "bindings" and (key, destination) in bindings:
                # A durable binding is listed twice by the management interface: in ``durableBindings`` and in
                # ``bindings``.
                continue
            arguments = read_arguments(location, "arguments", small=AmqpType.INT)
            for name, value in arguments.items():
                if isinstance(value.value, str):
                    _report_context(value.value, location.at(f"arguments.{name}"), findings)
                _report_argument(name, location, exchange, findings)
                if exchange.type == "headers" and isinstance(value.type, Compound):
                    findings.add("import.types", location.at(f"arguments.{name}"), TYPES_LOST)
            # Broker-J looks for a queue with the binding's destination first.
            kind: TargetType = "queue" if destination in queues else "exchange"
            bindings[key, destination] = Binding(exchange.name, destination, key, arguments, kind, location.path)
    return list(bindings.values())


def _report_argument(name: str, location: Entry, exchange: Exchange, findings: Findings) -> None:
    if name in _OTHER_FILTERS:
        findings.add(
            "import.unknown",
            location.at(f"arguments.{name}"),
            "this filter is ignored, because selector-sql does not support filters of this kind",
        )
    elif exchange.type != "headers" and name not in (SELECTOR_ARGUMENT, REPLACEMENT_ARGUMENT):
        message = f"a {exchange.type} exchange ignores this argument"
        findings.add("import.ignored", location.at(f"arguments.{name}"), message)
