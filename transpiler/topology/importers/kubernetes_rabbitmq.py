"""Conversion of the resources of RabbitMQ's topology operator to an export of definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transpiler.base.diagnostics import Diagnostic, at_path, meant
from transpiler.base.documents.entries import Entry, refuse
from transpiler.topology.importers.kubernetes_resources import Resource, group_of, value_of
from transpiler.topology.importers.rabbitmq_files import Definitions
from transpiler.topology.model import NOT_COMPUTED

#: ``_OF_RABBITMQ``: for each kind of resource, the list in RabbitMQ's definitions. ``_MEMBERS``: for each member of a
#: resource with a different name in definitions, its name in definitions.
_OF_RABBITMQ = {
    "Exchange": "exchanges",
    "Queue": "queues",
    "Binding": "bindings",
    "Policy": "policies",
    "OperatorPolicy": "operator_policies",
    "Shovel": "parameters",
    "Federation": "parameters",
    "Vhost": "vhosts",
    "SuperStream": "exchanges",
}
_MEMBERS = {
    "autoDelete": "auto_delete",
    "destinationType": "destination_type",
    "routingKey": "routing_key",
    "applyTo": "apply-to",
}
#: The inverse of ``_MEMBERS``: the name of a member in a resource, by its name in definitions.
_MEMBERS_OF = {member: name for name, member in _MEMBERS.items()}
_NOT_IN_DEFINITIONS = ("rabbitmqClusterReference", "deletionPolicy", "deleteIfEmpty", "deleteIfUnused")
_KEYS = {
    "Exchange": ("name", "type", "durable", "autoDelete", "arguments"),
    "Queue": ("name", "type", "durable", "autoDelete", "arguments"),
    "Binding": ("source", "destination", "destinationType", "routingKey", "arguments"),
    "Policy": ("name", "pattern", "applyTo", "priority", "definition"),
    "OperatorPolicy": ("name", "pattern", "applyTo", "priority", "definition"),
    "Vhost": ("name", "tracing", "tags", "defaultQueueType", "limits"),
    "SuperStream": ("name", "partitions", "routingKeys"),
}

#: The component of the parameter for each kind of resource that becomes a parameter.
_COMPONENTS = {"Shovel": "shovel", "Federation": "federation-upstream"}

#: Members of a resource that do not belong to the value of its parameter.
_BESIDE = ("name", "vhost", "uriSecret", *_NOT_IN_DEFINITIONS)

_CAPITAL = re.compile("(?<=[a-z0-9])([A-Z])")
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Exchange": {"type": "direct", "durable": False},
    "Queue": {"durable": False},
    "Binding": {"routing_key": "", "destination_type": "queue"},
}


@dataclass(frozen=True, slots=True)
class RabbitMQResources:
    """The resources of RabbitMQ's topology operator for Kubernetes that belong to one cluster."""

    name: str
    resources: tuple[Resource, ...]

    def definitions(self) -> Entry:
        """Return the equivalent export of definitions, whose objects have the paths of the resources."""
        data: dict[str, list[Any]] = {}
        paths: dict[str, list[str]] = {}
        for each in self.resources:
            spec = each.at("spec")
            plain = None if spec is None else spec.plain()
            if isinstance(plain, Mapping):
                _check_keys(each, plain)
                if _refused(each) is not None or _is_hidden(each):
                    continue
                plain = _in_definitions(each.kind, plain)
            found = [(_OF_RABBITMQ[each.kind], plain)]
            if each.kind == "SuperStream" and isinstance(plain, Mapping):
                found = [*_super_stream(plain)]
            for part, item in found:
                data.setdefault(part, []).append(item)
                paths.setdefault(part, []).append(f"{each.path}.spec")
        return Definitions(data, "", paths)

    def findings(self) -> list[Diagnostic]:
        """Return the findings about the resources that are skipped: refused ones, and shovels with unknown ends."""
        refused = [found for found in map(_refused, self.resources) if found is not None]
        message = "the URIs of this shovel are in a Secret: whether it reads or fills this broker is not known"
        hidden = [at_path(NOT_COMPUTED, "warning", one.path, message) for one in self.resources if _is_hidden(one)]
        return refused + hidden


def _is_hidden(resource: Resource) -> bool:
    """Return True if ``resource`` is a Shovel whose two URIs are only in a Secret, so that its ends are not known."""
    return resource.kind == "Shovel" and not any(resource.at("spec", end) for end in ("srcUri", "destUri"))


def clusters_of(resources: Sequence[Resource]) -> Iterator[RabbitMQResources]:
    """Yield the resources of the operator, grouped by the cluster that they name."""
    clusters: dict[str, list[Resource]] = {}
    for each in resources:
        if each.kind in _OF_RABBITMQ and group_of(each) == "rabbitmq.com":
            reference = ("spec", "rabbitmqClusterReference")
            name = value_of(each.at(*reference, "name")) or value_of(each.at(*reference, "connectionSecret", "name"))
            clusters.setdefault(str(name or "rabbitmq"), []).append(each)
    for name, listed in clusters.items():
        yield RabbitMQResources(name, tuple(listed))


def _super_stream(spec: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects that the operator creates for a SuperStream: a direct exchange and a stream for each partition.

    The partitions are named and bound by number, or by the resource's routing keys, as by ``rabbitmq-streams
    add_super_stream``.
    """
    name, host = str(spec.get("name", "")), {"vhost": spec.get("vhost") or "/", "durable": True}
    keys = spec.get("routingKeys") or range(int(spec.get("partitions") or 1))
    yield "exchanges", host | {"name": name, "type": "direct", "arguments": {"x-super-stream": True}}
    for number, key in enumerate(map(str, keys)):
        partition = f"{name}-{key}"
        yield "queues", host | {"name": partition, "arguments": {"x-queue-type": "stream"}}
        ends = {"source": name, "destination": partition, "destination_type": "queue", "routing_key": key}
        yield "bindings", {**ends, "vhost": host["vhost"], "arguments": {"x-stream-partition-order": number}}


def _parameter(kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameter for a Shovel or Federation resource.

    The resource has no URI if the URI is in a Secret. The parameter then has the placeholder for another broker.
    """
    value = {_CAPITAL.sub(r"-\1", name).lower(): item for name, item in spec.items() if name not in _BESIDE}
    ends = ("src-uri", "dest-uri") if kind == "Shovel" else ("uri",)
    value = {**{end: _ELSEWHERE for end in ends if end not in value}, **value}
    return {"component": _COMPONENTS[kind], "name": spec.get("name"), "vhost": spec.get("vhost") or "/", "value": value}


#: The placeholder URI of a broker whose URI is only in a Secret.
_ELSEWHERE = "amqp://in-a-secret.invalid"


def _check_keys(resource: Resource, spec: Mapping[str, Any]) -> None:
    """Raise an error for a misspelt key of a resource, because Kubernetes would silently use the default instead."""
    if resource.kind not in _KEYS:
        return
    known = (*_KEYS[resource.kind], "vhost", *_NOT_IN_DEFINITIONS)
    for name in spec:
        if name not in known and _MEMBERS_OF.get(name, name) not in known:
            hint, fix = meant(name, known, f"{resource.path}.spec")
            if fix is not None:
                refuse(
                    "topology.unknown",
                    f"{resource.path}.spec.{name}",
                    f"a resource of the kind {resource.kind} has no {name!r}",
                    hint,
                    fix,
                )


def _refused(resource: Resource) -> Diagnostic | None:
    """Return the finding about a Binding that RabbitMQ rejects; None for any resource that RabbitMQ accepts."""
    spec = resource.at("spec")
    plain = None if spec is None else spec.plain()
    if resource.kind != "Binding" or not isinstance(plain, Mapping) or plain.get("source") not in (None, ""):
        return None
    # ``source`` is optional in the operator's schema. Without it, the source is the default exchange, which has no
    # declared bindings.
    path = f"{resource.path}.spec.source" if "source" in plain else f"{resource.path}.spec"
    message = "RabbitMQ refuses a Binding without a source, which means the default exchange, so the Binding is skipped"
    hint = "perhaps add a source, the name of an exchange; the default exchange needs no Binding to a queue"
    return at_path("topology.default-exchange", "warning", path, message, hint)


def _in_definitions(kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a resource with the member names that RabbitMQ's definitions use."""
    if kind in _COMPONENTS:
        return _parameter(kind, spec)
    given = {_MEMBERS.get(name, name): value for name, value in spec.items() if name not in _NOT_IN_DEFINITIONS}
    data = {"vhost": "/", **_DEFAULTS.get(kind, {}), **given}
    arguments = data.get("arguments") or {}
    if kind == "Queue" and isinstance(arguments, Mapping) and isinstance(data.get("type"), str):
        data["arguments"] = {"x-queue-type": data["type"], **arguments}
    return data
