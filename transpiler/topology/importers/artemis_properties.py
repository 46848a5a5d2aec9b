"""Broker properties of Artemis, from a file or from a resource of its operator for Kubernetes.

The properties are converted to the equivalent elements of ``broker.xml``, so that ``artemis_config`` can read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from transpiler.base.documents.xml_elements import Element, XmlDocument
from transpiler.base.source import Source

_KEY = re.compile(r"(?P<key>(?:[^\\=:\"\s]|\\.|\"[^\"]*\")*)\s*[=:]?\s*", re.S)
_PART = re.compile(r'"([^"]*)"|([^."]+)')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_LOGICAL_LINE = re.compile(r"(?:[^\\\n]|\\[^\n]|\\\n|\\$)+")
_WORD_BEGINS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

#: For each list of connections to other brokers in the properties, the names of the equivalent elements of
#: ``broker.xml``: of the list and of an item.
_CONNECTIONS: Mapping[str, tuple[str, str]] = {
    "federationConfigurations": ("federations", "federation"),
    "AMQPConnections": ("broker-connections", "amqp-connection"),
    "AMQPConnection": ("broker-connections", "amqp-connection"),
}

#: The elements for the items of the lists inside connections to other brokers.
_ITEMS: Mapping[str, str] = {
    "upstreamConfigurations": "upstream",
    "downstreamConfigurations": "downstream",
    "policySets": "policy-set",
    "queuePolicies": "queue-policy",
    "addressPolicies": "address-policy",
    "mirrors": "mirror",
    "senders": "sender",
    "receivers": "receiver",
    "peers": "peer",
    "federations": "federation",
    "bridges": "bridge",
    "localAddressPolicies": "local-address-policy",
    "localQueuePolicies": "local-queue-policy",
    "remoteAddressPolicies": "remote-address-policy",
    "remoteQueuePolicies": "remote-queue-policy",
    "bridgeFromAddressPolicies": "bridge-from-address",
    "bridgeFromQueuePolicies": "bridge-from-queue",
    "bridgeToAddressPolicies": "bridge-to-address",
    "bridgeToQueuePolicies": "bridge-to-queue",
    "includes": "include",
    "excludes": "exclude",
}

#: The properties whose names differ from the names of the elements of ``broker.xml`` in more than the spelling
#: (``AddressSettings``).
_RENAMED: Mapping[str, str] = {
    "addressFullMessagePolicy": "address-full-policy",
    "pageFullMessagePolicy": "page-full-policy",
    "diskFullMessagePolicy": "disk-full-policy",
    "pageCacheMaxSize": "page-max-cache-size",
    "redeliveryMultiplier": "redelivery-delay-multiplier",
}


class _Property(NamedTuple):
    path: tuple[str, ...]
    value: str
    byte: int
    line: int


def core_of_properties(sources: Sequence[Source], placeholders: Mapping[str, str] | None = None) -> Element:
    """Return the ``core`` element of a ``broker.xml`` that is equivalent to Artemis's broker properties in ``sources``.

    Each line of a source has a key and a value. A key is a path of properties of the broker's configuration, in which a
    name with dots is in double quotes. If a key has two values, the later value applies.
    """
    return _Core([XmlDocument(source, placeholders or {}) for source in sources]).read()


class _Core:
    def __init__(self, documents: Sequence[XmlDocument]) -> None:
        self._documents = documents
        self._document = documents[0] if documents else XmlDocument(Source(""))
        self._core = Element(self._document, "core", 0, 1, 1)
        self._children: dict[tuple[Element, str, str], Element] = {}

    def read(self) -> Element:
        for document in self._documents:
            self._document = document
            for each in _properties(self._document.source.text):
                self._add(each)
        for address in (one for listed in self._core.named("addresses") for one in listed.children):
            # A queue without a routing type is a multicast queue.
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
            case ("bridgeConfigurations", name, key):
                self._set(self._named("bridges", "bridge", name, each), key, each)
            case ("clusterConfigurations", name, key):
                self._set(self._named("cluster-connections", "cluster-connection", name, each), key, each)
            case (first, name, *rest) if first in _CONNECTIONS:
                self._of_connection(self._named(*_CONNECTIONS[first], name, each), rest, each)
            case _:
                pass

    def _of_connection(self, element: Element, path: Sequence[str], each: _Property) -> None:
        """Set the property ``path`` of ``element``, a connection to another broker or an item of its lists."""
        match path:
            case ("policyRefs",):
                for name in filter(None, map(str.strip, each.value.split(","))):
                    self._child(element, "policy", "ref", name, each)
            case ("transformerConfiguration", *_):
                self._inner(element, "transformer", each)
            case (kind, name, *rest) if kind in _ITEMS:
                self._of_connection(self._child(element, _ITEMS[kind], "name", name, each), rest, each)
            case (name,):
                element.attributes[_WORD_BEGINS.sub("-", name).lower()] = each.value
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
        name = _RENAMED.get(key, _WORD_BEGINS.sub("-", key).lower())
        self._inner(parent, name, each).raw = each.value

    def _element(self, name: str, at: _Property | Element, attributes: dict[str, str] | None = None) -> Element:
        return Element(self._document, name, at.byte, at.line, 1, attributes or {})


def _properties(text: str) -> Iterator[_Property]:
    """Yield the properties in ``text``: keys split into path elements, values unescaped and without outer quotes."""
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
