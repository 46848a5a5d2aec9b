"""An Artemis broker's configuration as it was written: addresses, queues, diverts and settings, with locations.

The module reads the ``core`` of ``broker.xml``, and the ``server`` of WildFly's messaging subsystem, whose queues and
topics have addresses ``jms.queue.…`` and ``jms.topic.…``. Elements that the broker's schema rejects raise an error with
the line; elements whose routing is not computed are findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.xml_elements import Element
from transpiler.base.errors import TranspilerError, UnsupportedFeatureError
from transpiler.base.topics import TopicPattern
from transpiler.language.selector.broker_dialects import ARTEMIS, ARTEMIS_CORE
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.addressing import ROUTING_TYPES, RoutingType
from transpiler.topology.broker_rules import ARTEMIS as BROKER
from transpiler.topology.broker_rules import Rules
from transpiler.topology.importers.artemis_links import JMS_QUEUE, JMS_TOPIC, Connections, read_connections
from transpiler.topology.importers.known_names import reasons
from transpiler.topology.model import NOT_COMPUTED

#: The elements of ``broker.xml`` that can create, change or consume messages in a way that is not computed, with the
#: text of the finding about each.
_ELSEWHERE: Mapping[str, str] = {
    "remoting-incoming-interceptors": "an interceptor may change a message",
    "connector-services": "a connector service takes or brings messages",
}

_NUMBER = re.compile("-?[0-9]{1,9}")

_DIVERT_TYPES = ("STRIP", "PASS", *ROUTING_TYPES)


@dataclass(frozen=True, slots=True)
class AddressBinding:
    """A queue or a divert that is bound to an address.

    ``type`` is the routing type; for a divert it can also be STRIP (remove the message's type) or PASS (keep it).
    ``forwards`` are the addresses to which a divert forwards. ``dialect`` is the dialect of ``filter``: the broker's
    own, or that of clients if the filter is a client's selector. Of the queues and diverts of an address with the same
    ``routing_name``, only one gets a message. ``words`` are the words of the address, ``order`` is the index in startup
    order.
    """

    name: str
    address: str
    type: str
    filter: str | None
    location: str
    durable: bool = True
    #: False if the queue is disabled, so that the broker skips it.
    routed: bool = True
    #: True if the queue takes messages only while it has a consumer.
    needs_consumer: bool = False
    #: A text for users if the queue possibly does not exist, such as "if it is there"; empty if it certainly exists.
    unless: str = ""
    forwards: tuple[str, ...] = ()
    exclusive: bool = False
    routing_name: str = ""
    words: TopicPattern = ()
    order: int = 0
    dialect: Dialect = ARTEMIS_CORE
    #: Maximum number of messages in the queue, which drops its oldest messages; None if the queue takes this number
    #: from the settings of its address.
    ring_size: int | None = None
    #: True if a message replaces an earlier message with the same value of a property; None if the settings of the
    #: queue's address determine this.
    last_value: bool | None = None

    @property
    def is_divert(self) -> bool:
        """True for a divert, False for a queue."""
        return bool(self.forwards)


#: The address settings for a pattern of addresses, ``match``, by the names that the broker uses. Settings that the file
#: does not set are absent.
Settings = Mapping[str, Any]

#: The broker's default settings. If ``auto-create-…-resources`` is True, the broker creates a queue at the dead-letter
#: or expiry address for each address from which messages come. After ``max-delivery-attempts`` deliveries a message is
#: a dead letter.
DEFAULTS: Settings = {
    "match": "#",
    "dead-letter-address": None,
    "auto-create-dead-letter-resources": False,
    "dead-letter-queue-prefix": "DLQ.",
    "dead-letter-queue-suffix": "",
    "expiry-address": None,
    "auto-create-expiry-resources": False,
    "expiry-queue-prefix": "EXP.",
    "expiry-queue-suffix": "",
    "send-to-dla-on-no-route": False,
    "auto-create-queues": True,
    "auto-create-addresses": True,
    "max-delivery-attempts": 10,
    "address-full-policy": None,
    "default-ring-size": -1,
    "default-last-value-queue": False,
}

#: The names that settings had in earlier versions.
_EARLIER = {"auto-create-queues": "auto-create-jms-queues"}


@dataclass(slots=True)
class ArtemisConfig:
    """All settings that decide which queue gets a message, in the order of the file."""

    #: The rules of Artemis, with the wildcard characters that the file sets.
    rules: Rules = BROKER
    #: The declared addresses with their routing types.
    addresses: dict[str, set[str]] = field(default_factory=dict)
    queues: list[AddressBinding] = field(default_factory=list)
    diverts: list[AddressBinding] = field(default_factory=list)
    settings: list[Settings] = field(default_factory=list)
    #: The bridges, federations and clusters that exchange messages with other brokers.
    connections: Connections = field(default_factory=Connections)
    #: The included files that are not read, although they may contain addresses, diverts or settings.
    unread: list[str] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)


def read_core(core: Element) -> ArtemisConfig:
    """Read the ``core`` element of a ``broker.xml``, or a file fragment with only ``addresses``."""
    config = ArtemisConfig()
    wildcards = next(core.named("wildcard-addresses"), None)
    if wildcards is not None:
        config.rules = BROKER.with_words(_words(wildcards))
    config.findings += core.elsewhere(_ELSEWHERE)
    for element in _unread(core):
        name = element.attributes["href"]
        config.unread.append(name)
        message = f"{name} is included, and not read: {element.unread}. What it contains is not known"
        config.findings.append(element.warning(NOT_COMPUTED, message))
    for settings in core.named("address-settings"):
        for setting in settings.named("address-setting"):
            setting.only("match")
            config.settings.append(_setting(setting, setting.require("match"), config))
    addresses = [core] if core.name == "addresses" else core.named("addresses")
    for element in (each for listed in addresses for each in listed.named("address")):
        _read_address(element, config)
    for queue in (each for listed in core.named("queues") for each in listed.named("queue")):
        # The ``queues`` element of Artemis 1 has no routing types: all its queues are multicast queues.
        address = queue.child_text("address") or queue.require("name")
        config.addresses.setdefault(address, set()).add("MULTICAST")
        _add_queue(config, queue, address, "MULTICAST")
    for divert in (each for listed in core.named("diverts") for each in listed.named("divert")):
        divert.only("name")
        _add_divert(divert, config)
    _read_connections(core, config)
    return config


def _read_connections(core: Element, config: ArtemisConfig) -> None:
    config.connections = read_connections(core, config.rules)
    config.findings += config.connections.findings
    _check_plugins(core, config)


def _check_plugins(core: Element, config: ArtemisConfig) -> None:
    for plugin in (one for listed in core.named("broker-plugins") for one in listed.named("broker-plugin")):
        of_class = (plugin.get("class-name") or "").rpartition(".")[2]
        if of_class not in _HARMLESS_PLUGINS:
            config.findings.append(plugin.not_computed(f"the plugin {of_class} may do anything with a message"))


#: The plugins of Artemis' distribution that only log, notify, audit or check permissions.
_HARMLESS_PLUGINS = frozenset(
    """LoggingActiveMQServerPlugin NotificationActiveMQServerPlugin BrokerMessageAuthorizationPlugin
    ConnectionPeriodicExpiryPlugin JMSQueueMetricsPlugin""".split()
)


def _words(wildcards: Element) -> str:
    if not (wildcards.flag("routing-enabled", True) and wildcards.flag("enabled", True)):
        return ""
    texts = [wildcards.child_text(name) for name in ("delimiter", "single-word", "any-words")]
    words = "".join(default if text is None else text for text, default in zip(texts, BROKER.characters, strict=True))
    if len(words) != len(texts) or len(set(words)) != len(words):
        wildcards.refuse("topology.wildcards", "delimiter, single-word and any-words are three different characters")
    return words


#: Elements whose content does not affect routing, so that it need not be known.
_WITHOUT_ROUTING = frozenset(
    """acceptors broadcast-groups connection-routers connector-services connectors critical-analyzer discovery-groups
    ha-policy metrics remoting-incoming-interceptors remoting-outgoing-interceptors resource-limit-settings
    security-setting security-settings store""".split()
)


def _unread(core: Element) -> Iterator[Element]:
    """Yield the elements for included files that are not read, and whose content may affect routing."""
    waiting = [core]
    while waiting:
        element = waiting.pop()
        if element.unread is not None:
            yield element
        if element.name not in _WITHOUT_ROUTING:
            waiting += reversed(element.children)


def _setting(setting: Element, match: str, config: ArtemisConfig) -> Settings:
    if (setting.value("address-full-policy") or "").strip().upper() == "DROP":
        what = "address-full-policy is DROP: an address that is full loses messages"
        config.findings.append(setting.not_computed(what))
    values: dict[str, Any] = {"match": match}
    for name, default in DEFAULTS.items():
        text = setting.value(name, _EARLIER.get(name, name))
        if text is None or name == "match":
            continue
        if isinstance(default, bool):
            values[name] = text.strip().lower() == "true"
        elif isinstance(default, int):
            values |= {name: int(text)} if _NUMBER.fullmatch(text.strip()) else {}
        elif text or default is not None:
            values[name] = text
    return values


def _read_address(address: Element, config: ArtemisConfig) -> None:
    name = address.require("name")
    types = config.addresses.setdefault(name, set())
    for kind in address.named("anycast", "multicast"):
        routing_type: RoutingType = "ANYCAST" if kind.name == "anycast" else "MULTICAST"
        types.add(routing_type)
        for queue in kind.named("queue"):
            _add_queue(config, queue, name, routing_type)


def _add_queue(config: ArtemisConfig, queue: Element, address: str, routing_type: RoutingType) -> None:
    name = queue.require("name")
    address, name = (name.partition("::")[::2]) if "::" in name else (address, name)
    if any(known.name == name for known in config.queues):
        message = f"there are two queues called {name!r}: the broker creates only the first"
        config.findings.append(queue.warning("topology.duplicate", message))
        return
    text = _filter_text(queue)
    if text is not None:
        problem = _problem(text)
        if problem is not None:
            message = f"the filter of the queue {name!r} is invalid, so the broker starts without the queue: {problem}"
            config.findings.append(queue.warning("topology.filter", message, f"its filter is {text!r}"))
            return
        _warn_of_open(queue, f"the filter of the queue {name!r}", text, ARTEMIS_CORE, config)
    enabled = queue.flag("enabled", True)
    purges = queue.flag("purge-on-no-consumers", False)
    # ``durable`` does not affect routing. If it contains a placeholder, the placeholder's value is not needed.
    durable = (queue.child("durable") or queue).raw.strip().lower() != "false"
    ring, last = (queue.value("ring-size") or "").strip(), queue.value("last-value") or queue.value("last-value-key")
    config.queues.append(
        AddressBinding(
            name,
            address,
            routing_type,
            text,
            queue.location,
            durable,
            enabled,
            purges,
            ring_size=int(ring) if _NUMBER.fullmatch(ring) else None,
            last_value=None if last is None else last.strip().lower() != "false",
        )
    )


def _filter_text(element: Element) -> str | None:
    inner = element.child("filter")
    text = inner.get("string") if inner is not None else element.get("filter")
    return text or None


def _problem(text: str, dialect: Dialect = ARTEMIS_CORE) -> str | None:
    """Return why the broker rejects the filter ``text``; None if it accepts the filter.

    A filter that the broker accepts but this project cannot evaluate counts as accepted.
    """
    try:
        parse_selector(text, dialect)
    except UnsupportedFeatureError:
        return None
    except TranspilerError as error:
        return error.diagnostics[0].message
    return None


def _warn_of_open(element: Element, what: str, text: str, dialect: Dialect, config: ArtemisConfig) -> None:
    for reason in reasons(text, dialect):
        config.findings.append(
            element.warning("topology.not-evaluated", f"{what} cannot be evaluated, so it may match: {reason}")
        )


def _add_divert(element: Element, config: ArtemisConfig) -> None:
    name = element.require("name")
    if any(known.name == name for known in config.diverts):
        element.refuse("topology.duplicate", f"there are two diverts called {name!r}, so the broker does not start")
    address, forwarding = element.value("address", "divert-address"), element.value("forwarding-address")
    for value, tag in ((address, "address"), (forwarding, "forwarding-address")):
        if value is None:
            element.refuse("topology.missing", f"the divert {name!r} has no {tag}, so the broker does not start")
    selector = _filter_text(element)
    problem = None if selector is None else _problem(selector)
    if problem is not None:
        message = f"the filter of the divert {name!r} is invalid, so the broker does not start: {problem}"
        (element.child("filter") or element).refuse("topology.filter", message)
    if selector is not None:
        _warn_of_open(element, f"the filter of the divert {name!r}", selector, ARTEMIS_CORE, config)
    kind = element.value("routing-type") or "STRIP"
    if kind not in _DIVERT_TYPES:
        element.refuse(
            "topology.routing-type",
            f"{kind!r} is not a routing type of a divert: the types are {', '.join(_DIVERT_TYPES)}",
        )
    if any(element.child(each) for each in ("transformer", "transformer-class-name")) or element.get(
        "transformer-class-name"
    ):
        message = f"the divert {name!r} has a transformer, which may change the message; the change is not computed"
        config.findings.append(element.warning("topology.not-computed", message))
    forwards = tuple(part.strip() for part in (forwarding or "").split(","))
    exclusive = element.flag("exclusive", False)
    routing_name = element.value("routing-name") or f"\0{name}"
    config.diverts.append(
        AddressBinding(
            name,
            address or "",
            kind,
            selector,
            element.location,
            forwards=forwards,
            exclusive=exclusive,
            routing_name=routing_name,
        )
    )


_WILDFLY_QUEUES: Mapping[str, tuple[str, RoutingType]] = {
    "jms-queue": (JMS_QUEUE, "ANYCAST"),
    "jms-topic": (JMS_TOPIC, "MULTICAST"),
}


def wildfly_servers(root: Element) -> Iterator[Element]:
    """Yield the ``server`` elements of WildFly's messaging subsystem, each of which is a broker."""
    for element in root.walk():
        if element.name == "server" and any(
            child.name in (*_WILDFLY_QUEUES, "address-setting", "divert", "security-setting")
            for child in element.children
        ):
            yield element


def read_wildfly(server: Element, root: Element) -> ArtemisConfig:
    """Read a ``server`` element of WildFly's messaging subsystem, and the JMS bridges in the document ``root``."""
    config = ArtemisConfig()
    config.findings += server.elsewhere(_ELSEWHERE)
    for setting in server.named("address-setting"):
        config.settings.append(_setting(setting, setting.require("name"), config))
    for element in server.named("queue", *_WILDFLY_QUEUES):
        _add_wildfly_queue(element, config)
    for divert in server.named("divert"):
        _add_divert(divert, config)
    _read_connections(server, config)
    config.connections.add_jms_bridges(root, server)
    return config


def _add_wildfly_queue(element: Element, config: ArtemisConfig) -> None:
    name = element.require("name")
    if element.name == "queue":
        given = (element.get("routing-type") or "MULTICAST").upper()
        routing_type: RoutingType = "ANYCAST" if given == "ANYCAST" else "MULTICAST"
        address = element.get("address") or name
        config.addresses.setdefault(address, set()).add(routing_type)
        _add_queue(config, element, address, routing_type)
        return
    prefix, routing_type = _WILDFLY_QUEUES[element.name]
    config.addresses.setdefault(prefix + name, set()).add(routing_type)
    if element.name == "jms-queue":
        selector = element.value("selector")
        inner = element.child("selector")
        if inner is not None and inner.get("string") is not None:
            selector = inner.get("string")
        address = prefix + name
        problem = _problem(selector, ARTEMIS) if selector else None
        if problem is not None:
            message = f"the selector of the queue {name!r} is not one, and what the server does then is not known here"
            config.findings.append(element.warning("topology.filter", f"{message}: {problem}", f"it is {selector!r}"))
            selector = None
        elif selector:
            _warn_of_open(element, f"the selector of the queue {name!r}", selector, ARTEMIS, config)
        config.queues.append(
            AddressBinding(
                address,
                address,
                "ANYCAST",
                selector or None,
                element.location,
                unless="" if problem is None else "if it is there",
                dialect=ARTEMIS,
            )
        )


def with_state(config: ArtemisConfig, state: Mapping[str, Any]) -> None:
    """Add the queues and subscriptions in ``state`` that the broker's file does not declare."""
    known = {queue.name for queue in config.queues}

    def add(name: str, address: str, routing_type: RoutingType, entry: Mapping[str, Any]) -> None:
        if name not in known:
            known.add(name)
            config.addresses.setdefault(address, set()).add(routing_type)
            text, dialect = condition_of(entry)
            config.queues.append(AddressBinding(name, address, routing_type, text, f"state, {name}", dialect=dialect))

    for queue in state.get("queues", ()):
        if isinstance(queue, str):
            # A queue that the broker creates for a send is an anycast queue with the name of its address.
            add(queue, queue, "ANYCAST", {})
            continue
        kind: RoutingType = "MULTICAST" if queue.get("routing_type") == "MULTICAST" else "ANYCAST"
        add(queue["name"], queue.get("address", queue["name"]), kind, queue)
    for subscription in state.get("subscriptions", ()):
        add(subscription["name"], subscription["destination"].removeprefix("topic://"), "MULTICAST", subscription)


def condition_of(entry: Mapping[str, Any]) -> tuple[str | None, Dialect]:
    """Return the ``filter`` of ``entry``, or else the client's ``selector``, with the dialect of this text.

    The text is None if the entry has neither.
    """
    text = entry.get("filter") or None
    return (entry.get("selector") or None, ARTEMIS) if text is None else (text, ARTEMIS_CORE)
