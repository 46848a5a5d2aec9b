"""Resources of Kubernetes in a file, and the brokers that they describe.

A broker is a resource of Artemis' operator with its addresses and its broker properties, or the resources of RabbitMQ's
topology operator for one cluster, or a broker's own file in a ConfigMap or a Secret. Any other resource is skipped,
with a warning.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.located_values import Node
from transpiler.base.documents.xml_elements import Element, XmlDocument
from transpiler.base.source import Source
from transpiler.topology.addressing import ROUTING_TYPES
from transpiler.topology.importers.artemis_properties import core_of_properties
from transpiler.topology.importers.kubernetes_rabbitmq import RabbitMQResources, clusters_of
from transpiler.topology.importers.kubernetes_resources import Resource, group_of, node_at, value_of

#: Text for errors: the kinds of resources that are read.
READ = (
    "read are ActiveMQArtemis, ActiveMQArtemisAddress, RabbitMQ's Exchange, Queue, Binding, Policy, SuperStream, "
    "Shovel, Federation and Vhost, and a ConfigMap or Secret that holds definitions.json or broker.xml"
)
_ADDRESS = "ActiveMQArtemisAddress"
_ARTEMIS = ("ActiveMQArtemis", "Broker")
_PROPERTIES = "brokerProperties"
#: The end of the name of a Secret or ConfigMap by which Artemis's operator knows that it contains broker properties.
_OF_PROPERTIES = "-bp"
_HOLDERS = ("ConfigMap", "Secret")
#: The suffixes of a broker's files in a ConfigMap or Secret.
_FILES = (".json", ".yaml", ".yml", ".xml")


@dataclass(frozen=True, slots=True)
class ArtemisResources:
    """A broker of Artemis's Kubernetes operator: its own resource, its address resources, and its broker properties."""

    name: str
    resources: tuple[Resource, ...]
    properties: tuple[Source, ...] = ()

    def core(self, placeholders: Mapping[str, str] | None) -> Element:
        """Return the ``core`` element of the equivalent ``broker.xml``."""
        core = core_of_properties(self.properties, placeholders)
        document = XmlDocument(self.resources[0].node.source)
        listed = Element(document, "addresses", 0, 1, 1)
        listed.children += [_address(each, document) for each in self.resources if each.kind == _ADDRESS]
        core.children.append(listed)
        return core


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A broker's configuration file inside a ConfigMap or Secret. The name of ``source`` contains its location."""

    name: str
    resources: tuple[Resource, ...]
    source: Source


Broker = ArtemisResources | RabbitMQResources | HeldFile


def brokers_of(resources: Sequence[Resource], is_topology: Callable[[Source], bool]) -> list[Broker]:
    """Return the brokers that Kubernetes resources describe.

    ``is_topology`` returns True if a text inside a resource, such as a value of a ConfigMap, is the configuration file
    of a broker.
    """
    found: list[Broker] = [*_artemis(resources), *clusters_of(resources)]
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
    """Return a warning that names the resources that belong to no broker; empty if all belong to one."""
    used = {resource for broker in brokers for resource in broker.resources}
    listed = [each for each in resources if each not in used]
    if not listed:
        return []
    message = f"Kubernetes resources that belong to no broker are skipped: {named(listed)}"
    return [Diagnostic("import.left-out", "warning", message)]


def named(resources: Sequence[Resource]) -> str:
    """Return a text with the kinds of resources, their names and their locations."""
    by_kind: dict[str, list[str]] = {}
    for each in resources:
        by_kind.setdefault(each.kind, []).append(f"{each.name} (at {each.location})".lstrip())
    return "; ".join(f"{kind} {', '.join(names)}" for kind, names in by_kind.items())


def tree_of(resources: Sequence[Resource]) -> Node | None:
    """Return the resources as a single tree, so that paths can be located in it; None if there are no resources."""
    if not resources:
        return None
    first = resources[0].node
    return Node({each.path: each.node for each in resources}, first.span, first.origin)


def _source_at(node: Node, path: str, text: str) -> Source:
    """Return ``text``, the value of ``node`` in a file, as a source whose name contains its location."""
    line, column = node.source.position(node.span.start)
    return Source(text, f"{node.source.name}:{line}:{column}: {path}")


def _held_files(resource: Resource) -> list[tuple[str, Source]]:
    """Return the texts in a ConfigMap or Secret that may be a broker's files, sorted by name; base64 is decoded."""
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
    return (spec is not None and isinstance(value_of(node_at(spec, _PROPERTIES)), tuple)) or (
        resource.kind in _ARTEMIS and group_of(resource).endswith(("amq.io", "arkmq.org", "amq.apache.org"))
    )


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
    """Return the names of the brokers to which an address resource applies; empty if it applies to all brokers."""
    names = [str(node.value) for node in address.listed("spec", "applyToCrNames")]
    return [] if {"*", ""} & set(names) else names


def _applies(address: Resource, broker: str) -> bool:
    names = _brokers_named(address)
    return not names or broker in names


def _properties_of(broker: Resource) -> Iterator[Source]:
    """Yield the texts with broker properties in a broker's own resource."""
    settings = broker.listed("spec", "addressSettings", "addressSetting")
    if settings:
        lines = [line for node in settings for line in _setting_lines(node)]
        yield _source_at(settings[0], "spec.addressSettings.addressSetting", "\n".join(lines))
    node = broker.at("spec", _PROPERTIES)
    if node is not None and isinstance(node.value, tuple):
        yield _source_at(node, f"spec.{_PROPERTIES}", "\n".join(str(each.plain()) for each in node.value))


def _mounted(broker: Resource, resources: Sequence[Resource]) -> Iterator[Resource]:
    """Yield the resources with broker properties that a broker mounts, in the broker's order: ConfigMaps first."""
    for kind, part in (("ConfigMap", "configMaps"), ("Secret", "secrets")):
        for node in broker.listed("spec", "deploymentPlan", "extraMounts", part):
            for each in resources:
                is_named = (each.kind, each.name) == (kind, node.value) and each.is_beside(broker)
                if is_named and each.name.endswith(_OF_PROPERTIES):
                    yield each


def _setting_lines(node: Node) -> Iterator[str]:
    """Yield the address settings in an older form of the resource, as lines of broker properties."""
    plain = node.plain()
    if not isinstance(plain, Mapping) or not isinstance(plain.get("match"), str):
        node.refuse("missing", "an address setting has a match")
    for key, value in plain.items():
        if key != "match" and isinstance(value, bool | int | str):
            text = str(value).lower() if isinstance(value, bool) else value
            yield f'addressSettings."{plain["match"]}".{key}={text}'


def _address(resource: Resource, document: XmlDocument) -> Element:
    """Return the element of ``broker.xml`` that is equivalent to an address resource."""
    spec = resource.at("spec") or resource.node
    name = resource.text("spec", "addressName")
    if not name:
        spec.refuse("missing", f"{resource.path}.spec: addressName is missing")
    queue, given = resource.text("spec", "queueName"), resource.at("spec", "routingType")
    # The operator uses the routing type of the address for the queue, too.
    given = given or resource.at("spec", "queueConfiguration", "routingType")
    kind = None if value_of(given) is None else str(value_of(given)).upper()
    if kind is not None and kind not in ROUTING_TYPES:
        assert given is not None
        given.refuse("value", f"{given.value!r} is not a routing type", "perhaps write anycast or multicast")
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
