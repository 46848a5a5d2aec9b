"""Settings in a broker's file that do not affect routing, as text: limits, times to live, policies.

They are used only to list the differences between two files. Settings that affect routing are omitted, except for
elements of a JMS broker that no binding expresses: the routing types of an address, and auto-creation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from transpiler.base.documents.entries import Entry
from transpiler.base.documents.xml_elements import Element
from transpiler.topology.setting import (
    DELAYED,
    PERMISSION,
    REDELIVERY,
    REDELIVERY_PLUGIN,
    TOPIC_PERMISSION,
    USER,
    Setting,
)

#: Pattern of the user and the password in a URI.
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")

#: ``_RABBITMQ_LINKS``: settings of RabbitMQ that become alternate exchanges or links of the topology. ``_SHOVEL_ENDS``:
#: members of shovels that become links.
_RABBITMQ_LINKS = frozenset("alternate-exchange dead-letter-exchange dead-letter-routing-key x-delayed-type".split())
_SHOVEL_ENDS = frozenset("src-queue src-exchange dest-queue dest-exchange dest-exchange-key".split())

#: Attributes of Broker-J's queues that are not listed: the importer reads them, or the broker itself changes them.
_BROKER_J = frozenset(
    """id name durable lifetimePolicy desiredState state createdBy createdTime lastUpdatedBy lastUpdatedTime
    lastOpenedTime modelVersion statistics exclusive alternateBinding bindings durableBindings consumers""".split()
)

#: ``_ARTEMIS_PARTS``: elements of Artemis' ``core`` that other modules read. ``_ARTEMIS_LINKS``: address settings that
#: become links. ``_ARTEMIS_JUDGED``: address settings that determine what happens to a message for which there is no
#: queue.
_ARTEMIS_PARTS = frozenset("addresses address-settings diverts queues security-settings name".split())
_ARTEMIS_LINKS = frozenset(
    """dead-letter-address expiry-address max-delivery-attempts dead-letter-queue-prefix dead-letter-queue-suffix
    expiry-queue-prefix expiry-queue-suffix auto-create-dead-letter-resources auto-create-expiry-resources""".split()
)
_ARTEMIS_JUDGED = frozenset(
    """auto-create-queues auto-create-addresses auto-create-jms-queues auto-create-jms-topics
    send-to-dla-on-no-route""".split()
)
_SECRET = re.compile("password|secret|credential", re.IGNORECASE)


def definitions_settings(listed: Callable[[str], Iterator[Entry]]) -> Iterator[Setting]:
    """Yield the settings of a virtual host of RabbitMQ; ``listed`` yields the objects in a list of the export."""
    for part, kind in (("queues", "queue"), ("exchanges", "exchange")):
        for entry in listed(part):
            given = entry.data.get("arguments") or {}
            settings = (
                {name.removeprefix("x-"): value for name, value in given.items()} if isinstance(given, Mapping) else {}
            )
            yield from _settings(kind, entry.text("name", ""), settings)
            if part == "exchanges" and entry.data.get("type") == "x-delayed-message":
                yield Setting(kind, entry.text("name", ""), DELAYED, "true")
    for part, kind in (("policies", "policy"), ("operator_policies", "operator policy")):
        for entry in listed(part):
            yield from _policy(kind, entry.text("name", ""), entry.data)
    for entry in listed("users"):
        yield Setting(USER, entry.text("name", ""), "tags", _text(entry.data.get("tags") or "none"))
    for part, kind in (("permissions", PERMISSION), ("topic_permissions", TOPIC_PERMISSION)):
        for entry in listed(part):
            at = f" {entry.data.get('exchange') or ''}" if kind == TOPIC_PERMISSION else ""
            for action in ("configure", "write", "read"):
                pattern = entry.data.get(action)
                if isinstance(pattern, str):
                    yield Setting(kind, entry.text("user", ""), f"{action}{at}", pattern)
    for entry in listed("parameters"):
        component, name, value = entry.text("component", ""), entry.text("name", ""), entry.data.get("value")
        if not isinstance(value, Mapping):
            continue
        if component == "operator_policy":
            yield from _policy("operator policy", name, value)
        else:
            settings = {member: of for member, of in value.items() if member not in _SHOVEL_ENDS}
            yield from _settings(component or "parameter", name, settings)


def _policy(kind: str, name: str, data: Mapping[str, Any]) -> Iterator[Setting]:
    definition = data.get("definition") or {}
    # In an export of RabbitMQ 3.10, the definition of an operator policy is a list of pairs.
    pairs = definition.items() if isinstance(definition, Mapping) else definition
    settings = {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2}
    where = {member: data[member] for member in ("pattern", "apply-to", "priority") if data.get(member)}
    yield from _settings(kind, name, where | settings)
    for setting, value in settings.items():
        if setting in _RABBITMQ_LINKS and value is not None:
            yield Setting(kind, name, setting, _text(value), linked=True)


def broker_j_settings(host: Entry) -> Iterator[Setting]:
    """Yield the settings of the queues of a virtual host of Broker-J."""
    for entry in host.entries("queues"):
        settings = {name: value for name, value in entry.data.items() if name not in _BROKER_J}
        yield from _settings("queue", entry.text("name"), settings)


def _settings(kind: str, of: str, settings: Mapping[str, Any]) -> Iterator[Setting]:
    for name, value in settings.items():
        if name not in _RABBITMQ_LINKS and value is not None and not _SECRET.search(name):
            yield Setting(kind, of, name, _text(value))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return _CREDENTIALS.sub("", text)


def artemis_settings(core: Element) -> Iterator[Setting]:
    """Yield the settings of Artemis' ``core``, or of WildFly's messaging server."""
    for element in core.children:
        if element.name not in _ARTEMIS_PARTS and not element.children and element.raw.strip():
            yield from _element("broker", "", element.name, element.raw.strip())
    for element in core.walk():
        match element.name:
            case "address-setting":
                match_ = element.attributes.get("match", element.attributes.get("name", ""))
                for name, value in _flat(element, ("match", "name")):
                    if name in _ARTEMIS_LINKS:
                        yield Setting(element.name, match_, name, value, linked=True)
                    else:
                        yield from _element(element.name, match_, name, value, name in _ARTEMIS_JUDGED)
            case "address":
                kinds = [child.name for child in element.children if child.name in ("anycast", "multicast")]
                if kinds:
                    of = element.attributes.get("name", "")
                    yield Setting("address", of, "", ", ".join(sorted(set(kinds))), True)
            case "queue":
                name_ = element.attributes.get("name", "")
                for name, value in _flat(element, ("name", "address")):
                    if not name.startswith("filter"):
                        judged = name in ("enabled", "purge-on-no-consumers")
                        yield from _element(element.name, name_, name, value, judged)


def activemq_settings(broker: Element) -> Iterator[Setting]:
    """Yield the settings of ActiveMQ's ``broker``: its attributes, its policies, and its system limits."""
    for name, value in broker.attributes.items():
        if name != "brokerName" and ":" not in name and not name.startswith("xmlns"):
            yield from _element("broker", "", name, value)
    for element in broker.walk():
        if element.name == REDELIVERY_PLUGIN:
            # List both settings with their default values if the element lacks them: the plugin without attributes
            # matters, too, because it decides what happens to messages that no redelivery policy matches.
            for name in ("fallbackToDeadLetter", "sendToDlqIfMaxRetriesExceeded"):
                yield Setting(REDELIVERY_PLUGIN, "", name, element.attributes.get(name, "true"))
        if element.name == "defaultEntry":
            for policy in element.children:
                if policy.name == REDELIVERY:
                    yield from _redelivery(policy, "default")
        if element.name == REDELIVERY and any(kind in element.attributes for kind in ("queue", "topic")):
            kind = "queue" if "queue" in element.attributes else "topic"
            yield from _redelivery(element, f"{kind} {element.attributes[kind]}")
        elif element.name == "defaultEntry" and element.children:
            # A ``defaultEntry`` with children has no settings of its own. Its children were listed above, or are
            # visited later.
            continue
        elif element.name in ("policyEntry", "defaultEntry"):
            kind = next((kind for kind in ("queue", "topic") if kind in element.attributes), "")
            of = f"{kind} {element.attributes[kind]}" if kind else "default"
            for name, value in _flat(element, ("queue", "topic")):
                # Another module turns dead-letter strategies into links of the topology, so they are not listed here.
                if not name.startswith("deadLetterStrategy"):
                    yield from _element("policyEntry", of, name, value)
        elif element.name == "systemUsage" and element.attributes.get("id") is None:
            for name, value in _flat(element, ()):
                yield from _element("systemUsage", "", name.rpartition("systemUsage.")[2], value)


def _redelivery(policy: Element, of: str) -> Iterator[Setting]:
    given = [(name, value) for name, value in _flat(policy, ("queue", "topic"))]
    for name, value in given or [("maximumRedeliveries", "6")]:
        yield from _element(REDELIVERY, of, name, value)


def _flat(element: Element, without: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an element and the texts in it, each with its path of names."""
    for name, value in element.attributes.items():
        if name not in without and ":" not in name and not name.startswith("xmlns"):
            yield name, value
    for child in element.children:
        if child.raw.strip() and not child.children:
            yield child.name, child.raw.strip()
        elif not child.children and not child.attributes:
            yield child.name, "there"
        for name, value in _flat(child, ()):
            yield f"{child.name}.{name}", value


def _element(kind: str, of: str, name: str, value: str, judged: bool = False) -> Iterator[Setting]:
    if not _SECRET.search(name):
        yield Setting(kind, of, name, _CREDENTIALS.sub("", value), judged)
