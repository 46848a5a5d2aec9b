"""An Artemis broker's configuration as it was written: addresses, queues, diverts and address settings, with places.

Reads the ``core`` of ``broker.xml``, and the ``server`` of WildFly's messaging subsystem, whose queues and topics have
addresses ``jms.queue.…`` and ``jms.topic.…``. Broker properties, as the operator of Kubernetes has them in a resource,
or a file of them, become the elements that ``broker.xml`` would have. What the broker's schema refuses is refused here,
at its line; what routes in a way that is not computed is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.xml_elements import Element, XmlDocument
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source
from transpiler.language.selector.dialects import ARTEMIS
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.destinations import DEFAULT_WORDS, ROUTING_TYPES, RoutingType

#: What else can make, change or take a message, by the element that configures it.
_ELSEWHERE: Mapping[str, str] = {
    "bridges": "bridges take messages to other brokers",
    "bridge": "a bridge takes messages to another broker",
    "jms-bridge": "a bridge takes messages to another broker",
    "cluster-connections": "queues of a cluster's other brokers take messages, too",
    "cluster-connection": "queues of a cluster's other brokers take messages, too",
    "federations": "federation brings messages from other brokers",
    "broker-connections": "connections to other brokers mirror or bring messages",
    "broker-plugins": "a plugin may do anything with a message",
    "remoting-incoming-interceptors": "an interceptor may change a message",
    "connector-services": "a connector service takes or brings messages",
}

_NUMBER = re.compile("-?[0-9]{1,9}")

_DIVERT_TYPES = ("STRIP", "PASS", *ROUTING_TYPES)


@dataclass(frozen=True, slots=True)
class Taker:
    """A queue, or a divert with the addresses that it forwards to, at the address as configured.

    ``type`` is a routing type; of a divert it may be STRIP or PASS. Of several with one ``routing_name`` at one address
    one takes a message (rule 3). ``words`` are those of the address as keys, ``order`` is that of the start.
    """

    name: str
    address: str
    type: str
    filter: str | None
    place: str
    durable: bool = True
    #: False where the broker passes the queue over.
    routed: bool = True
    #: It takes messages only while it has a consumer.
    needs_consumer: bool = False
    forwards: tuple[str, ...] = ()
    exclusive: bool = False
    routing_name: str = ""
    words: tuple[str, ...] = ()
    order: int = 0

    @property
    def is_divert(self) -> bool:
        """True for a divert."""
        return bool(self.forwards)


#: The settings of the addresses that the pattern ``match`` matches, by the broker's names; what is not set is absent.
Settings = Mapping[str, Any]

#: The broker's own settings. With ``auto-create-…-resources`` the broker makes a queue at the dead-letter or expiry
#: address for each address that messages come from. After so many attempts a message is a dead letter.
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
}

#: Names that settings had in earlier versions.
_EARLIER = {"auto-create-queues": "auto-create-jms-queues"}


@dataclass(slots=True)
class ArtemisConfig:
    """All that decides which queue gets a message, in the order of the file."""

    words: str = DEFAULT_WORDS
    #: The declared addresses with their routing types.
    addresses: dict[str, set[str]] = field(default_factory=dict)
    queues: list[Taker] = field(default_factory=list)
    diverts: list[Taker] = field(default_factory=list)
    settings: list[Settings] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)


def read_core(core: Element) -> ArtemisConfig:
    """Read the ``core`` element of a ``broker.xml``, or the lone ``addresses`` of a fragment."""
    config = ArtemisConfig()
    wildcards = next(core.named("wildcard-addresses"), None)
    if wildcards is not None:
        config.words = _words(wildcards)
    config.findings += core.elsewhere(_ELSEWHERE)
    _refuse_includes(core)
    for settings in core.named("address-settings"):
        for setting in settings.named("address-setting"):
            setting.only("match")
            config.settings.append(_setting(setting, setting.require("match"), config))
    addresses = [core] if core.name == "addresses" else core.named("addresses")
    for element in (each for listed in addresses for each in listed.named("address")):
        _read_address(element, config)
    for queue in (each for listed in core.named("queues") for each in listed.named("queue")):
        # The old form has no routing type, and makes queues of multicast.
        address = queue.child_text("address") or queue.require("name")
        config.addresses.setdefault(address, set()).add("MULTICAST")
        _add_queue(config, queue, address, "MULTICAST")
    for divert in (each for listed in core.named("diverts") for each in listed.named("divert")):
        divert.only("name")
        _add_divert(divert, config)
    return config


def _words(wildcards: Element) -> str:
    if not (wildcards.flag("routing-enabled", True) and wildcards.flag("enabled", True)):
        return ""
    texts = [wildcards.child_text(name) for name in ("delimiter", "single-word", "any-words")]
    words = "".join(default if text is None else text for text, default in zip(texts, DEFAULT_WORDS, strict=True))
    if len(words) != len(DEFAULT_WORDS) or len(set(words)) != len(words):
        wildcards.refuse("topology.wildcards", "delimiter, single-word and any-words are three different characters")
    return words


def _refuse_includes(core: Element) -> None:
    for element in core.walk():
        # Federation has elements of this name, too, which name no file.
        if element.name == "include" and "href" in element.attributes:
            name = element.attributes["href"]
            element.refuse(
                "topology.include", f"{name} is included and not read", "put its content in the place of the element"
            )


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
        message = f"there are two queues called {name!r}: the broker has the first only"
        config.findings.append(queue.warning("topology.duplicate", message))
        return
    text = _filter_text(queue)
    if text is not None:
        problem = _problem(text)
        if problem is not None:
            message = f"the filter of the queue {name!r} is not one, and the broker starts without the queue: {problem}"
            config.findings.append(queue.warning("topology.filter", message, f"its filter is {text!r}"))
            return
    enabled = queue.flag("enabled", True)
    purges = queue.flag("purge-on-no-consumers", False)
    # It changes no route, so that a placeholder in it needs no value.
    durable = (queue.child("durable") or queue).raw.strip().lower() != "false"
    config.queues.append(Taker(name, address, routing_type, text, queue.place, durable, enabled, purges))


def _filter_text(element: Element) -> str | None:
    inner = element.child("filter")
    text = inner.get("string") if inner is not None else element.get("filter")
    return text or None


def _problem(text: str) -> str | None:
    """Return why a filter is none; None for one that the broker takes."""
    try:
        parse_selector(text, ARTEMIS)
    except TranspilerError as error:
        return error.diagnostics[0].message
    return None


def _add_divert(element: Element, config: ArtemisConfig) -> None:
    name = element.require("name")
    if any(known.name == name for known in config.diverts):
        element.refuse("topology.duplicate", f"there are two diverts called {name!r}, and the broker does not start")
    address, forwarding = element.value("address", "divert-address"), element.value("forwarding-address")
    for value, tag in ((address, "address"), (forwarding, "forwarding-address")):
        if value is None:
            element.refuse("topology.missing", f"the divert {name!r} has no {tag}, and the broker does not start")
    selector = _filter_text(element)
    problem = None if selector is None else _problem(selector)
    if problem is not None:
        message = f"the filter of the divert {name!r} is not one, and the broker does not start: {problem}"
        (element.child("filter") or element).refuse("topology.filter", message)
    kind = element.value("routing-type") or "STRIP"
    if kind not in _DIVERT_TYPES:
        element.refuse("topology.routing-type", f"{kind!r} is none of {', '.join(_DIVERT_TYPES)}")
    if any(element.child(each) for each in ("transformer", "transformer-class-name")) or element.get(
        "transformer-class-name"
    ):
        message = f"the divert {name!r} has a transformer, which may change the message: that is not computed"
        config.findings.append(element.warning("topology.not-computed", message))
    forwards = tuple(part.strip() for part in (forwarding or "").split(","))
    exclusive = element.flag("exclusive", False)
    routing_name = element.value("routing-name") or f"\0{name}"
    config.diverts.append(
        Taker(
            name,
            address or "",
            kind,
            selector,
            element.place,
            forwards=forwards,
            exclusive=exclusive,
            routing_name=routing_name,
        )
    )


_WILDFLY_QUEUES: Mapping[str, tuple[str, RoutingType]] = {
    "jms-queue": ("jms.queue.", "ANYCAST"),
    "jms-topic": ("jms.topic.", "MULTICAST"),
}


def wildfly_servers(root: Element) -> Iterator[Element]:
    """Yield the brokers of WildFly's messaging subsystem."""
    for element in root.walk():
        if element.name == "server" and any(
            child.name in (*_WILDFLY_QUEUES, "address-setting", "divert", "security-setting")
            for child in element.children
        ):
            yield element


def read_wildfly(server: Element) -> ArtemisConfig:
    """Read one ``server`` of WildFly's messaging subsystem."""
    config = ArtemisConfig()
    config.findings += server.elsewhere(_ELSEWHERE)
    for setting in server.named("address-setting"):
        config.settings.append(_setting(setting, setting.require("name"), config))
    for element in server.named("queue", *_WILDFLY_QUEUES):
        _add_wildfly_queue(element, config)
    for divert in server.named("divert"):
        _add_divert(divert, config)
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
        config.queues.append(Taker(prefix + name, prefix + name, "ANYCAST", selector or None, element.place))


def with_state(config: ArtemisConfig, state: Mapping[str, Any]) -> None:
    """Add the queues and subscriptions that a broker had besides those of its file."""
    known = {queue.name for queue in config.queues}

    def add(name: str, address: str, routing_type: RoutingType, selector: object) -> None:
        if name not in known:
            known.add(name)
            config.addresses.setdefault(address, set()).add(routing_type)
            text = str(selector) if selector else None
            config.queues.append(Taker(name, address, routing_type, text, f"state, {name}"))

    for queue in state.get("queues", ()):
        if isinstance(queue, str):
            # What the broker creates for a send is an anycast queue that has the address for its name.
            add(queue, queue, "ANYCAST", None)
            continue
        kind: RoutingType = "MULTICAST" if queue.get("routing_type") == "MULTICAST" else "ANYCAST"
        add(queue["name"], queue.get("address", queue["name"]), kind, queue.get("filter", queue.get("selector")))
    for subscription in state.get("subscriptions", ()):
        address = subscription["destination"].removeprefix("topic://")
        add(subscription["name"], address, "MULTICAST", subscription.get("selector", subscription.get("filter")))


_KEY = re.compile(r"(?P<key>(?:[^\\=:\"\s]|\\.|\"[^\"]*\")*)\s*[=:]?\s*", re.S)
_PART = re.compile(r'"([^"]*)"|([^."]+)')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_LOGICAL_LINE = re.compile(r"(?:[^\\\n]|\\[^\n]|\\\n|\\$)+")
_WORD_BEGINS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

#: Maps of the configuration whose effect is not computed, by the element that the reader of ``broker.xml`` reports.
_OF_PROPERTIES: Mapping[str, str] = {
    "bridgeConfigurations": "bridges",
    "clusterConfigurations": "cluster-connections",
    "federationConfigurations": "federations",
    "AMQPConnections": "broker-connections",
    "AMQPConnection": "broker-connections",
    "connectionRouters": "broker-connections",
}


class _Property(NamedTuple):
    path: tuple[str, ...]
    value: str
    byte: int
    line: int


def core_of_properties(source: Source, placeholders: Mapping[str, str] | None = None) -> Element:
    """Return the ``core`` of a ``broker.xml`` that says the same as a text of properties, a key and value a line.

    A key is a path of properties of the broker's configuration, in which a name with dots is in double quotes.
    """
    return _Core(XmlDocument(source, placeholders or {})).read()


class _Core:
    def __init__(self, document: XmlDocument) -> None:
        self._document = document
        self._core = Element(document, "core", 0, 1, 1)
        self._children: dict[tuple[Element, str, str], Element] = {}

    def read(self) -> Element:
        for each in _properties(self._document.source.text):
            self._add(each)
        for address in (one for listed in self._core.named("addresses") for one in listed.children):
            # A queue without a routing type is one of multicast.
            for queue in [child for child in address.children if child.name == "queue"]:
                address.children.remove(queue)
                kind = (queue.child_text("routing-type") or "MULTICAST").lower()
                self._inner(address, kind, queue).children.append(queue)
        return self._core

    def _add(self, each: _Property) -> None:
        match each.path:
            case ("addressConfigurations", name):
                if each.value == "-":
                    listed = self._inner(self._core, "addresses", each)
                    removed = self._children.pop((listed, "address", name), None)
                    listed.children = [child for child in listed.children if child is not removed]
            case ("addressConfigurations", name, "routingTypes"):
                address = self._named("addresses", "address", name, each)
                for kind in each.value.split(","):
                    self._inner(address, kind.strip().lower(), each)
            case ("addressConfigurations", name, "queueConfigs", queue, key):
                address = self._named("addresses", "address", name, each)
                self._set(self._child(address, "queue", "name", queue, each), key, each)
            case ("addressConfigurations", name, _):
                self._named("addresses", "address", name, each)
            case ("addressSettings", name, key):
                self._set(self._named("address-settings", "address-setting", name, each, "match"), key, each)
            case ("divertConfigurations", name, "transformerConfiguration", *_):
                self._inner(self._named("diverts", "divert", name, each), "transformer", each)
            case ("divertConfigurations", name, key):
                self._set(self._named("diverts", "divert", name, each), key, each)
            case ("wildCardConfiguration" | "wildcardConfiguration", key):
                self._set(self._inner(self._core, "wildcard-addresses", each), key, each)
            case ("wildcardRoutingEnabled",):
                self._set(self._inner(self._core, "wildcard-addresses", each), "routingEnabled", each)
            case (first, name, *_) if first in _OF_PROPERTIES:
                self._named(_OF_PROPERTIES[first], "one", name, each)
            case _:
                pass

    def _named(self, listed: str, element: str, name: str, each: _Property, attribute: str = "name") -> Element:
        return self._child(self._inner(self._core, listed, each), element, attribute, name, each)

    def _child(self, parent: Element, element: str, attribute: str, name: str, each: _Property) -> Element:
        found = self._children.get((parent, element, name))
        if found is None:
            found = self._children[parent, element, name] = self._element(element, each, {attribute: name})
            parent.children.append(found)
        return found

    def _inner(self, parent: Element, name: str, at: _Property | Element) -> Element:
        found = parent.child(name)
        if found is None:
            found = self._element(name, at)
            parent.children.append(found)
        return found

    def _set(self, parent: Element, key: str, each: _Property) -> None:
        if key == "filterString":
            self._inner(parent, "filter", each).attributes["string"] = each.value
            return
        self._inner(parent, _WORD_BEGINS.sub("-", key).lower(), each).raw = each.value

    def _element(self, name: str, at: _Property | Element, attributes: dict[str, str] | None = None) -> Element:
        return Element(self._document, name, at.byte, at.line, 1, attributes or {})


def _properties(text: str) -> Iterator[_Property]:
    """Yield the properties of a text: keys in parts, values without escapes and without quotes around them."""
    byte, number, before = 0, 1, 0
    for found in _LOGICAL_LINE.finditer(text):
        line = found[0].lstrip()
        if not line or line[0] in "#!":
            continue
        start = found.start() + len(found[0]) - len(line)
        passed = text[before:start]
        byte, number, before = byte + len(passed.encode()), number + passed.count("\n"), start
        line = re.sub(r"\\\n[ \t]*", "", line)
        key = _KEY.match(line)
        assert key is not None
        path = tuple(quoted or plain for quoted, plain in _PART.findall(_unescaped(key["key"])))
        value = _unescaped(line[key.end() :]).strip()
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        yield _Property(path, value, byte, number)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], text)
