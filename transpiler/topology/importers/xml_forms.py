"""Topologies in XML: which broker's configuration a document is, and the state that completes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transpiler.arguments import unexpected
from transpiler.errors import TopologyError
from transpiler.jsontext import JsonTextError, load_json
from transpiler.source import Source
from transpiler.topology.importers.activemq_config import activemq_brokers, read_broker
from transpiler.topology.importers.activemq_topology import topology_of_activemq
from transpiler.topology.importers.artemis_config import (
    ArtemisConfig,
    read_core,
    read_wildfly,
    wildfly_servers,
    with_state,
)
from transpiler.topology.importers.artemis_topology import topology_of_artemis
from transpiler.topology.importers.json_reader import Entry
from transpiler.topology.importers.xml_reader import Element
from transpiler.topology.model import Topology

#: Values of a file of state.
_MAX_VALUES = 10_000_000


def is_xml(text: str) -> bool:
    """Return True if a text is XML rather than JSON or YAML."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def read_state(state: str | Path | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a broker's state, from a file where it is the name of one; ``TopologyError`` for what does not fit."""
    if state is None:
        return None
    if isinstance(state, str | Path):
        source = Source(Path(state).read_text(encoding="utf-8-sig"), str(state))
        try:
            state = load_json(source.text, _MAX_VALUES)
        except JsonTextError as error:
            raise TopologyError.at("topology.json", error.message, source, error.span) from None
    elif not isinstance(state, Mapping):
        raise unexpected("state", "a mapping, or a file's name", state)
    entry = Entry.of(state, "state")
    entry.only(("queues", "subscriptions", "consumers"))
    for item, path in entry.items("queues"):
        if not isinstance(item, str):
            Entry.of(item, path).text("name")
    for item, path in entry.items("subscriptions"):
        inner = Entry.of(item, path)
        inner.text("name")
        inner.text("destination")
    for item, path in entry.items("consumers"):
        inner = Entry.of(item, path)
        inner.text("queue" if "queue" in inner.data else "destination")
    result: Mapping[str, Any] = entry.data
    return result


def _brokers(root: Element) -> dict[str, tuple[str, Element]]:
    """Return the brokers of a document by name, with their form."""
    found: list[tuple[str, str, Element]] = []
    for broker in activemq_brokers(root):
        found.append((broker.attributes.get("brokerName", "localhost"), "activemq", broker))
    if not found and root.name in ("configuration", "core", "addresses", "broker-configuration"):
        core = root if root.name in ("core", "addresses") else next((e for e in root.walk() if e.name == "core"), None)
        if core is None:
            core = root.child("addresses") or next((e for e in root.walk() if e.name == "jms"), None)
        if core is not None:
            name = next(iter(core.named("name")), None)
            found.append(("artemis" if name is None else name.raw.strip(), "artemis", core))
    if not found:
        found += [(server.attributes.get("name", "default"), "wildfly", server) for server in wildfly_servers(root)]
    return {name: (form, element) for name, form, element in found}


def brokers_of_xml(root: Element) -> list[str]:
    """Return the names of the brokers in a document."""
    return list(_brokers(root))


def topology_from_xml(root: Element, broker: str | None, state: Mapping[str, Any] | None) -> Topology:
    """Return the topology of a document's broker, of the one with that name where it has several."""
    brokers = _brokers(root)
    if not brokers:
        root.refuse(
            "topology.form",
            f"<{root.name}> holds no broker",
            "read here are Artemis' <configuration> with <core>, WildFly's messaging <server>, and ActiveMQ's <broker>",
        )
    if broker is None and len(brokers) > 1:
        root.refuse("topology.vhost", f"there are several brokers: {', '.join(brokers)}", "choose one: --vhost NAME")
    if broker is not None and broker not in brokers:
        root.refuse("topology.vhost", f"there is no broker called {broker!r}", f"there is {', '.join(brokers)}")
    form, element = brokers[broker] if broker is not None else next(iter(brokers.values()))
    if form == "activemq":
        return topology_of_activemq(read_broker(element, root), state or {})
    return topology_of_config(read_core(element) if form == "artemis" else read_wildfly(element), state)


def topology_of_config(config: ArtemisConfig, state: Mapping[str, Any] | None) -> Topology:
    """Return the topology of an Artemis broker's configuration and state."""
    if state is not None:
        with_state(config, state)
    return topology_of_artemis(config, state)
