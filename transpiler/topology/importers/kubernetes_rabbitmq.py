"""The resources of RabbitMQ's topology operator as an export of definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transpiler.base.diagnostics import Diagnostic, at_path, meant
from transpiler.base.documents.entries import Entry, refuse
from transpiler.topology.importers.kubernetes_resources import Resource, group_of, value_of
from transpiler.topology.importers.rabbitmq_files import Definitions

#: Parts of RabbitMQ's definitions by the kind of resource, and the names of the members that are other ones there.
_OF_RABBITMQ = {
    "Exchange": "exchanges",
    "Queue": "queues",
    "Binding": "bindings",
    "Policy": "policies",
    "OperatorPolicy": "operator_policies",
}
_MEMBERS = {
    "autoDelete": "auto_delete",
    "destinationType": "destination_type",
    "routingKey": "routing_key",
    "applyTo": "apply-to",
}
#: The names by which a resource has the members of definitions.
_MEMBERS_OF = {member: name for name, member in _MEMBERS.items()}
_KEYS = {
    "Exchange": ("name", "type", "durable", "autoDelete", "arguments"),
    "Queue": ("name", "type", "durable", "autoDelete", "arguments"),
    "Binding": ("source", "destination", "destinationType", "routingKey", "arguments"),
    "Policy": ("name", "pattern", "applyTo", "priority", "definition"),
    "OperatorPolicy": ("name", "pattern", "applyTo", "priority", "definition"),
}
_NOT_IN_DEFINITIONS = ("rabbitmqClusterReference", "deletionPolicy", "deleteIfEmpty", "deleteIfUnused")
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Exchange": {"type": "direct", "durable": False},
    "Queue": {"durable": False},
    "Binding": {"routing_key": "", "destination_type": "queue"},
}


@dataclass(frozen=True, slots=True)
class RabbitMQResources:
    """The resources of RabbitMQ's topology operator about one cluster."""

    name: str
    resources: tuple[Resource, ...]

    def definitions(self) -> Entry:
        """Return the export of definitions that says the same; its objects have the paths of the resources."""
        data: dict[str, list[Any]] = {}
        paths: dict[str, list[str]] = {}
        for each in self.resources:
            spec = each.at("spec")
            plain = None if spec is None else spec.plain()
            if isinstance(plain, Mapping):
                _check_keys(each, plain)
                if _refused(each) is not None:
                    continue
                plain = _in_definitions(each.kind, plain)
            part = _OF_RABBITMQ[each.kind]
            data.setdefault(part, []).append(plain)
            paths.setdefault(part, []).append(f"{each.path}.spec")
        return Definitions(data, "", paths)

    def findings(self) -> list[Diagnostic]:
        """Return what is said of the resources that RabbitMQ refuses to the operator, and that are left out."""
        return [found for found in map(_refused, self.resources) if found is not None]


def clusters_of(resources: Sequence[Resource]) -> Iterator[RabbitMQResources]:
    """Yield the resources of the operator by the cluster that they name."""
    clusters: dict[str, list[Resource]] = {}
    for each in resources:
        if each.kind in _OF_RABBITMQ and group_of(each) == "rabbitmq.com":
            reference = ("spec", "rabbitmqClusterReference")
            name = value_of(each.at(*reference, "name")) or value_of(each.at(*reference, "connectionSecret", "name"))
            clusters.setdefault(str(name or "rabbitmq"), []).append(each)
    for name, listed in clusters.items():
        yield RabbitMQResources(name, tuple(listed))


def _check_keys(resource: Resource, spec: Mapping[str, Any]) -> None:
    """Refuse a key that is nearly one of the resource's, for which a default would stand."""
    known = (*_KEYS[resource.kind], "vhost", *_NOT_IN_DEFINITIONS)
    for name in spec:
        if name not in known and _MEMBERS_OF.get(name, name) not in known:
            hint, fix = meant(name, known, f"{resource.path}.spec")
            if fix is not None:
                refuse(
                    "topology.unknown", f"{resource.path}.spec.{name}", f"a {resource.kind} has no {name!r}", hint, fix
                )


def _refused(resource: Resource) -> Diagnostic | None:
    """Return what is said of a Binding that RabbitMQ refuses to the operator; None for what it takes."""
    spec = resource.at("spec")
    plain = None if spec is None else spec.plain()
    if resource.kind != "Binding" or not isinstance(plain, Mapping) or plain.get("source") not in (None, ""):
        return None
    # The operator's schema has it optional; an empty one is the default exchange, whose bindings nobody declares.
    path = f"{resource.path}.spec.source" if "source" in plain else f"{resource.path}.spec"
    message = "a Binding without a source is of the default exchange: RabbitMQ refuses it, and it is left out"
    hint = "perhaps the name of an exchange goes into source; every queue gets what has its name without a Binding"
    return at_path("topology.default-exchange", "warning", path, message, hint)


def _in_definitions(kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource's values by the names that an export of definitions has for them."""
    given = {_MEMBERS.get(name, name): value for name, value in spec.items() if name not in _NOT_IN_DEFINITIONS}
    data = {"vhost": "/", **_DEFAULTS.get(kind, {}), **given}
    arguments = data.get("arguments") or {}
    if kind == "Queue" and isinstance(arguments, Mapping) and isinstance(data.get("type"), str):
        data["arguments"] = {"x-queue-type": data["type"], **arguments}
    return data
