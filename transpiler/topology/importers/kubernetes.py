"""Resources of Kubernetes in a file, and the brokers that they describe.

A broker is a resource of Artemis' operator with the addresses and the broker properties that belong to it, the
resources of RabbitMQ's topology operator about one cluster, or a broker's own file in a ConfigMap or a Secret. What
describes no broker is named and left out. A path in an error begins with the kind and the name of a resource,
``Binding/b.spec.routingKey``.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from transpiler.base.diagnostics import Diagnostic, at_path, meant
from transpiler.base.documents.entries import Entry, refuse
from transpiler.base.documents.loading import Document
from transpiler.base.documents.placed_values import Node, Origin, json_documents
from transpiler.base.documents.xml_elements import Element, XmlDocument
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source
from transpiler.topology.addressing import ROUTING_TYPES
from transpiler.topology.importers.artemis_properties import core_of_properties

#: The resources that are read, for errors.
READ = (
    "read are ActiveMQArtemis, ActiveMQArtemisAddress, RabbitMQ's Exchange, Queue, Binding and Policy, and a ConfigMap "
    "or Secret that holds definitions.json or broker.xml"
)

_ADDRESS = "ActiveMQArtemisAddress"
_ARTEMIS = ("ActiveMQArtemis", "Broker")
_PROPERTIES = "brokerProperties"

#: The end of the name of a Secret or ConfigMap with broker properties.
_OF_PROPERTIES = "-bp"

_HOLDERS = ("ConfigMap", "Secret")

#: The endings of a broker's files in a ConfigMap or Secret.
_FILES = (".json", ".yaml", ".yml", ".xml")

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


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A resource of Kubernetes: its kind, its name and namespace, and its value."""

    kind: str
    name: str
    namespace: str
    node: Node

    @property
    def path(self) -> str:
        """The resource's kind and its names, with which the paths of its values begin."""
        return "/".join(filter(None, (self.kind, self.namespace, self.name)))

    @property
    def place(self) -> str:
        """The resource's line and column."""
        line, column = self.node.source.position(self.node.span.start)
        return f"{line}:{column}"

    def at(self, *names: str) -> Node | None:
        """Return the node at a path of names; None where there is none."""
        return _at(self.node, *names)

    def listed(self, *names: str) -> tuple[Node, ...]:
        """Return the items of a list at a path; none where there is no list."""
        node = self.at(*names)
        return node.value if node is not None and isinstance(node.value, tuple) else ()

    def text(self, *names: str) -> str | None:
        """Return the text at a path; an error for a value that is none, None where there is nothing."""
        node = self.at(*names)
        return None if node is None or node.value is None else node.text(".".join(names))

    def is_beside(self, other: Resource) -> bool:
        """Return True if both may be in one namespace: a file often leaves it to the command that applies it."""
        return not (self.namespace and other.namespace) or self.namespace == other.namespace


@dataclass(frozen=True, slots=True)
class ArtemisResources:
    """A broker of Artemis' operator: texts of broker properties, and resources of addresses."""

    name: str
    resources: tuple[Resource, ...]
    properties: tuple[Source, ...] = ()

    def core(self, placeholders: Mapping[str, str] | None) -> Element:
        """Return the ``core`` of the ``broker.xml`` that says the same."""
        core = core_of_properties(self.properties, placeholders)
        document = XmlDocument(self.resources[0].node.source)
        listed = Element(document, "addresses", 0, 1, 1)
        listed.children += [_address(each, document) for each in self.resources if each.kind == _ADDRESS]
        core.children.append(listed)
        return core


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
        return _Definitions(data, "", paths)

    def findings(self) -> list[Diagnostic]:
        """Return what is said of the resources that RabbitMQ refuses to the operator, and that are left out."""
        return [found for found in map(_refused, self.resources) if found is not None]


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A broker's file in a ConfigMap or Secret; the name of its text has its place."""

    name: str
    resources: tuple[Resource, ...]
    source: Source


Broker = ArtemisResources | RabbitMQResources | HeldFile


@dataclass(frozen=True)
class _Definitions(Entry):
    """An export of definitions whose objects have paths of their own."""

    paths: Mapping[str, list[str]] = field(default_factory=dict)

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        return zip(self.data.get(name, ()), self.paths.get(name, ()), strict=True)


def resources_of(document: Document) -> list[Resource]:
    """Return the resources of Kubernetes in a document, each of a list of resources; none for any other document."""
    data = document.as_read()
    if not isinstance(data, Mapping) or not {"apiVersion", "kind"} <= set(data):
        return []
    node = document.node
    if node is None:
        [node] = json_documents(Origin(document.source, TopologyError, "topology"))
    return list(_resources(node, "a resource"))


def _resources(node: Node, kind: str) -> Iterator[Resource]:
    named = _at(node, "kind")
    kind = str(named.value) if named is not None else kind
    items = _at(node, "items")
    if kind.endswith("List") and items is not None and isinstance(items.value, tuple) and items.value:
        for item in items.value:
            yield from _resources(item, kind.removesuffix("List"))
        return
    name, namespace = (_at(node, "metadata", each) for each in ("name", "namespace"))
    yield Resource(
        kind, "" if name is None else str(name.value), "" if namespace is None else str(namespace.value), node
    )


def brokers_of(resources: Sequence[Resource], is_topology: Callable[[Source], bool]) -> list[Broker]:
    """Return the brokers that resources describe; ``is_topology`` tells a broker's file from any other one."""
    found: list[Broker] = [*_artemis(resources), *_rabbitmq(resources)]
    used = {resource for broker in found for resource in broker.resources}
    for each in resources:
        if each.kind in _HOLDERS and each not in used:
            files = [
                (key, source) for key, source in _held_files(each) if key.endswith(".properties") or is_topology(source)
            ]
            for key, source in files:
                found.append(HeldFile(each.name if len(files) == 1 else f"{each.name}/{key}", (each,), source))
    return found


def left_out(resources: Sequence[Resource], brokers: Iterable[Broker]) -> list[Diagnostic]:
    """Return the warning that names the resources that are in no broker."""
    used = {resource for broker in brokers for resource in broker.resources}
    listed = [each for each in resources if each not in used]
    if not listed:
        return []
    what = "a resource is" if len(listed) == 1 else f"{len(listed)} resources are"
    return [Diagnostic("import.left-out", "warning", f"{what} left out: {named(listed)}")]


def named(resources: Sequence[Resource]) -> str:
    """Return the kinds of resources with their names and places."""
    by_kind: dict[str, list[str]] = {}
    for each in resources:
        by_kind.setdefault(each.kind, []).append(f"{each.name} (at {each.place})".lstrip())
    return "; ".join(f"{kind} {', '.join(names)}" for kind, names in by_kind.items())


def tree_of(resources: Sequence[Resource]) -> Node | None:
    """Return one tree of resources, in which their paths lead to their values."""
    if not resources:
        return None
    first = resources[0].node
    return Node({each.path: each.node for each in resources}, first.span, first.origin)


def _at(node: Node, *names: str) -> Node | None:
    for name in names:
        if not isinstance(node.value, Mapping) or name not in node.value:
            return None
        node = node.value[name]
    return node


def _source_at(node: Node, path: str, text: str) -> Source:
    """Return a text in a file as a text of its own, whose name has its place."""
    line, column = node.source.position(node.span.start)
    return Source(text, f"{node.source.name}:{line}:{column}: {path}")


def _held_files(resource: Resource) -> list[tuple[str, Source]]:
    """Return the files in a ConfigMap or Secret that may be a broker's, by their names; a Secret has some in base64."""
    endings = (*_FILES, ".properties") if resource.name.endswith(_OF_PROPERTIES) else _FILES
    found = []
    for part in ("data", "stringData", "binaryData"):
        members = resource.at(part)
        for key, node in members.value.items() if members is not None and isinstance(members.value, Mapping) else ():
            if PurePath(key).suffix.lower() not in endings:
                continue
            text = node.text(f"{part}.{key}")
            if part == "binaryData" or (part == "data" and resource.kind == "Secret"):
                text = _decoded(text, node, f"{part}.{key}")
            found.append((key, _source_at(node, f"{part}.{key}", text)))
    return sorted(found, key=lambda each: each[0])


def _decoded(text: str, node: Node, path: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8-sig")
    except (binascii.Error, ValueError):
        node.refuse("base64", f"{path} is not text in base64", "text as it is stands in stringData of a Secret")


def _is_artemis(resource: Resource) -> bool:
    spec = resource.at("spec")
    return (spec is not None and isinstance(_value(_at(spec, _PROPERTIES)), tuple)) or (
        resource.kind in _ARTEMIS and _group(resource).endswith(("amq.io", "arkmq.org", "amq.apache.org"))
    )


def _group(resource: Resource) -> str:
    version = resource.at("apiVersion")
    return str(_value(version)).partition("/")[0]


def _value(node: Node | None) -> Any:
    return None if node is None else node.value


def _artemis(resources: Sequence[Resource]) -> Iterator[ArtemisResources]:
    addresses = [each for each in resources if each.kind == _ADDRESS]
    brokers = [each for each in resources if _is_artemis(each)]
    for broker in brokers:
        applied = [each for each in addresses if each.is_beside(broker) and _applies(each, broker.name)]
        mounted = list(_mounted(broker, resources))
        files = [source for each in mounted for key, source in _held_files(each) if key.endswith(".properties")]
        yield ArtemisResources(broker.name, (broker, *applied, *mounted), (*_properties_of(broker), *files))
    if not brokers and addresses:
        names = dict.fromkeys(name for each in addresses for name in _brokers_named(each))
        for name in names or ("artemis",):
            yield ArtemisResources(name, tuple(each for each in addresses if _applies(each, name)))


def _brokers_named(address: Resource) -> list[str]:
    """Return the names of the brokers that an address is for; none for one that is for all."""
    names = [str(node.value) for node in address.listed("spec", "applyToCrNames")]
    return [] if {"*", ""} & set(names) else names


def _applies(address: Resource, broker: str) -> bool:
    names = _brokers_named(address)
    return not names or broker in names


def _properties_of(broker: Resource) -> Iterator[Source]:
    """Yield the texts of broker properties in a broker's own resource."""
    settings = broker.listed("spec", "addressSettings", "addressSetting")
    if settings:
        lines = [line for node in settings for line in _setting_lines(node)]
        yield _source_at(settings[0], "spec.addressSettings.addressSetting", "\n".join(lines))
    node = broker.at("spec", _PROPERTIES)
    if node is not None and isinstance(node.value, tuple):
        yield _source_at(node, f"spec.{_PROPERTIES}", "\n".join(str(each.plain()) for each in node.value))


def _mounted(broker: Resource, resources: Sequence[Resource]) -> Iterator[Resource]:
    """Yield the resources with broker properties that a broker mounts, ConfigMaps first, as the broker reads them."""
    for kind, part in (("ConfigMap", "configMaps"), ("Secret", "secrets")):
        for node in broker.listed("spec", "deploymentPlan", "extraMounts", part):
            for each in resources:
                is_named = (each.kind, each.name) == (kind, node.value) and each.is_beside(broker)
                if is_named and each.name.endswith(_OF_PROPERTIES):
                    yield each


def _setting_lines(node: Node) -> Iterator[str]:
    """Yield the settings of addresses in an older resource as broker properties."""
    plain = node.plain()
    if not isinstance(plain, Mapping) or not isinstance(plain.get("match"), str):
        node.refuse("missing", "an address setting has a match")
    for key, value in plain.items():
        if key != "match" and isinstance(value, bool | int | str):
            text = str(value).lower() if isinstance(value, bool) else value
            yield f'addressSettings."{plain["match"]}".{key}={text}'


def _address(resource: Resource, document: XmlDocument) -> Element:
    """Return the element of ``broker.xml`` that says what the resource of an address says."""
    spec = resource.at("spec") or resource.node
    name = resource.text("spec", "addressName")
    if not name:
        spec.refuse("missing", f"{resource.path}.spec: addressName is missing")
    queue, given = resource.text("spec", "queueName"), resource.at("spec", "routingType")
    # The operator takes the address' own routing type for its queue, too.
    given = given or resource.at("spec", "queueConfiguration", "routingType")
    kind = None if _value(given) is None else str(_value(given)).upper()
    if kind is not None and kind not in ROUTING_TYPES:
        assert given is not None
        given.refuse("value", f"{given.value!r} is no routing type", "perhaps write anycast or multicast")
    address = _element(document, "address", spec, name)
    if kind is None and not queue:
        return address
    typed = _element(document, (kind or "MULTICAST").lower(), spec)
    address.children.append(typed)
    if queue:
        typed.children.append(_queue(resource, queue, document))
    return address


def _queue(resource: Resource, name: str, document: XmlDocument) -> Element:
    at = resource.at("spec", "queueName")
    assert at is not None
    queue = _element(document, "queue", at, name)
    configuration = ("spec", "queueConfiguration")
    text, at = resource.text(*configuration, "filterString"), resource.at(*configuration, "filterString")
    if text and at is not None:
        queue.children.append(_element(document, "filter", at))
        queue.children[-1].attributes["string"] = text
    for member, element in (
        ("durable", "durable"),
        ("enabled", "enabled"),
        ("purgeOnNoConsumers", "purge-on-no-consumers"),
    ):
        node = resource.at(*configuration, member)
        if node is not None and isinstance(node.value, bool):
            queue.children.append(_element(document, element, node))
            queue.children[-1].raw = str(node.value).lower()
    return queue


def _element(document: XmlDocument, name: str, at: Node, called: str | None = None) -> Element:
    line, column = at.source.position(at.span.start)
    byte = len(at.source.text[: at.span.start].encode())
    return Element(document, name, byte, line, column, {} if called is None else {"name": called})


def _rabbitmq(resources: Sequence[Resource]) -> Iterator[RabbitMQResources]:
    clusters: dict[str, list[Resource]] = {}
    for each in resources:
        if each.kind in _OF_RABBITMQ and _group(each) == "rabbitmq.com":
            reference = ("spec", "rabbitmqClusterReference")
            name = _value(each.at(*reference, "name")) or _value(each.at(*reference, "connectionSecret", "name"))
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
