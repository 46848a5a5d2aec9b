"""Random configuration files of four brokers, small enough that every message of a small universe can be routed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any
from xml.sax.saxutils import quoteattr

from transpiler import Message
from transpiler.topology import parse_topology
from transpiler.topology.model import Topology
from transpiler.topology.receivers import PublishSettings

BROKERS = ("rabbitmq", "qpid-java", "artemis", "activemq")

#: Messages with all relevant headers and properties.
MESSAGES = (
    Message(),
    Message.of(n=1),
    Message.of(n=2, m="x"),
    Message.of(n=1, JMSPriority=9),
)
_KEYS = ("", "a", "a.b", "b", "q0", "q1")
_PATTERNS = ("a", "b", "a.b", "#", "*", "a.*", "a.#", "#.b", "q0")


@dataclass(frozen=True)
class Sent:
    """A message and where it is published: an exchange with a key, or a destination with a routing type."""

    message: Message
    to: str
    key: str | None = None
    routing_type: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of ``publish`` and ``trace``."""
        keys = {} if self.key is None else {"routing_keys": [self.key]}
        return {"exchange": self.to, "settings": PublishSettings(routing_type=self.routing_type)} | keys


@dataclass(frozen=True)
class Configuration:
    """The text and the name of a file, and the state of a JMS broker or None."""

    name: str
    text: str
    state: dict[str, Any] | None = field(default=None)

    def read(self) -> Topology:
        """Return the topology that the file describes."""
        return parse_topology(self.text, self.name, state=self.state)


def configuration(broker: str, draw: Random) -> Configuration:
    """Return a random configuration of ``broker``."""
    return {"rabbitmq": _rabbitmq, "qpid-java": _broker_j, "artemis": _artemis, "activemq": _activemq}[broker](draw)


def universe(topology: Topology) -> Iterator[Sent]:
    """Yield all messages to all destinations and with all keys that occur in the configurations."""
    send_targets: list[tuple[str, str | None, str | None]]
    if topology.rules.name == "artemis":
        send_targets = [
            (name, None, kind) for name in _ADDRESSES if "#" not in name for kind in ("ANYCAST", "MULTICAST")
        ]
        send_targets.append(("a", None, None))
    elif topology.rules.name == "activemq":
        send_targets = [(f"{kind}://{name}", None, None) for name in _DESTINATIONS for kind in ("queue", "topic")]
    else:
        exchanges = [name for name, exchange in topology.exchange_by_name.items() if not exchange.internal]
        send_targets = [
            (name, key, None)
            for name in exchanges
            if not name.startswith("amq.") or name == "amq.topic"
            for key in _KEYS
        ]
    for to, key, kind in send_targets:
        for message in MESSAGES:
            yield Sent(message, to, key, kind)


def _some(draw: Random, items: tuple[Any, ...], most: int) -> list[Any]:
    return [draw.choice(items) for _ in range(draw.randint(0, most))]


def _rabbitmq(draw: Random) -> Configuration:
    exchanges = tuple(f"e{number}" for number in range(draw.randint(1, 4)))
    queues = tuple(f"q{number}" for number in range(draw.randint(1, 4)))
    types = ("direct", "topic", "fanout", "headers", "topic", "x-consistent-hash", "x-strange")

    def letters() -> dict[str, Any]:
        found: dict[str, Any] = {}
        if draw.random() < 0.5:
            found["dead-letter-exchange"] = draw.choice((*exchanges, "", "gone"))
            if draw.random() < 0.5:
                found["dead-letter-routing-key"] = draw.choice((*_KEYS[1:], "nobody"))
        return found

    def queue(name: str) -> dict[str, Any]:
        arguments = {f"x-{of}": value for of, value in letters().items()}
        if draw.random() < 0.1:
            arguments["x-queue-type"] = "stream"
        return {"name": name, "vhost": "/", "durable": draw.random() < 0.9, "arguments": arguments}

    def exchange(name: str) -> dict[str, Any]:
        arguments = {"alternate-exchange": draw.choice((*exchanges, "gone", ""))} if draw.random() < 0.3 else {}
        kind, internal = draw.choice(types), draw.random() < 0.2
        return {"name": name, "vhost": "/", "type": kind, "internal": internal, "arguments": arguments}

    def binding() -> dict[str, Any]:
        kind, names = ("queue", (*queues, *queues, "unseen")) if draw.random() < 0.7 else ("exchange", exchanges)
        arguments: dict[str, Any] = {}
        if draw.random() < 0.5:
            arguments = {"x-match": draw.choice(("all", "any"))} | dict.fromkeys(_some(draw, ("n", "m"), 2), 1)
        source, key = draw.choice((*exchanges, *exchanges, "amq.topic", "hidden")), draw.choice((*_PATTERNS, *_WEIGHTS))
        found = {"source": source, "vhost": "/", "destination": draw.choice(names), "destination_type": kind}
        return found | {"routing_key": key, "arguments": arguments}

    def shovel(number: int) -> dict[str, Any]:
        source = {"src-uri": "amqp:///%2f", "src-exchange": draw.choice((*exchanges, "amq.topic"))}
        source |= {"src-exchange-key": draw.choice((*_PATTERNS, *_WEIGHTS))} if draw.random() < 0.8 else {}
        value = {**source, "dest-uri": "amqp://far.example", "dest-queue": "in"}
        return {"vhost": "/", "component": "shovel", "name": f"s{number}", "value": value}

    policies = [
        {
            "name": f"p{number}",
            "vhost": "/",
            "pattern": draw.choice(("^e", "^q", "", "(?<=e)0")),
            "apply-to": draw.choice(("all", "exchanges", "queues")),
            "priority": draw.choice((0, 0, 1)),
            "definition": draw.choice(({"alternate-exchange": draw.choice(exchanges)}, letters(), {"max-length": 3})),
        }
        for number in range(draw.randint(0, 2))
    ]
    data = {
        # 4.3 does not create a queue that is neither durable nor exclusive.
        "rabbitmq_version": draw.choice(("4.1.0", "4.3.0")),
        "vhosts": [{"name": "/"}],
        "queues": list(map(queue, queues)),
        "exchanges": list(map(exchange, exchanges)),
        "bindings": [binding() for _ in range(draw.randint(0, 8))],
        "policies": policies,
        "parameters": list(map(shovel, range(draw.choice((0, 0, 1, 2))))),
    }
    return Configuration("definitions.json", json.dumps(data))


#: Keys that are weights of a consistent hash, and some that the broker rejects as weights.
_WEIGHTS = ("1", "2", "+3", "0", "-1")

_SELECTORS = ("n = 1", "n <> 1", "n > 1", "m IS NULL", "m = 'x' OR n = 1", "n = 1 AND n = 2", "NOT (n = 1)", "TRUE")


def _broker_j(draw: Random) -> Configuration:
    exchanges = tuple(f"e{number}" for number in range(draw.randint(1, 4)))
    queues = tuple(f"q{number}" for number in range(draw.randint(1, 4)))
    types = ("direct", "topic", "fanout", "headers")

    def alternate(own: str) -> dict[str, Any]:
        names = [name for name in (*exchanges, *queues) if name != own]
        return {"alternateBinding": {"destination": draw.choice(names)}} if names and draw.random() < 0.4 else {}

    def queue(name: str) -> dict[str, Any]:
        attempts = {"maximumDeliveryAttempts": 3} if draw.random() < 0.3 else {}
        return {"name": name, "type": "standard"} | attempts | alternate(name)

    def binding() -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        if draw.random() < 0.4:
            arguments["x-filter-jms-selector"] = draw.choice(_SELECTORS)
        if draw.random() < 0.3:
            arguments |= {"x-match": draw.choice(("all", "any")), "n": 1}
        if draw.random() < 0.2:
            arguments["x-replacement-routing-key"] = draw.choice(_KEYS[1:])
        names = (*queues, *queues, *exchanges)
        return {"bindingKey": draw.choice(_PATTERNS), "destination": draw.choice(names), "arguments": arguments}

    def exchange(name: str) -> dict[str, Any]:
        found = {"name": name, "type": draw.choice(types), "bindings": [binding() for _ in range(draw.randint(0, 4))]}
        return found | {"unroutableMessageBehaviour": draw.choice(("DISCARD", "REJECT"))} | alternate(name)

    data: dict[str, Any] = {"name": "default", "type": "BDB", "modelVersion": "9.0"}
    data |= {"queues": list(map(queue, queues)), "exchanges": list(map(exchange, exchanges))}
    return Configuration("vhost.json", json.dumps(data))


_ADDRESSES = ("a", "b", "a.b", "c", "a.#", "DLA")
_FILTERS = (
    *_SELECTORS[:-1],
    "AMQPriority > 4",
    "JMSPriority > 4",
    "AMQSize > 3",
    "AMQSize > 3 AND n = 1",
    "AMQSize > 3 OR n = 1",
    "_AMQ_ORIG_ADDRESS = 'a'",
    "_AMQ_ORIG_ADDRESS IS NULL OR n = 1",
)


def _artemis(draw: Random) -> Configuration:
    def chosen(texts: tuple[str, ...], chance: float) -> str:
        return f"<filter string={quoteattr(draw.choice(texts))}/>" if draw.random() < chance else ""

    def address(name: str) -> str:
        parts = []
        for kind in ("anycast", "multicast"):
            if draw.random() < 0.6:
                queues = "".join(
                    f"<queue name='{name}.{kind[0]}{number}'>{chosen(_FILTERS, 0.4)}</queue>"
                    for number in range(draw.randint(0, 2))
                )
                parts.append(f"<{kind}>{queues}</{kind}>")
        return f"<address name='{name}'>{''.join(parts)}</address>"

    def divert(number: int) -> str:
        exclusive = draw.choice(("true", "false"))
        kind = f"<routing-type>{draw.choice(('STRIP', 'PASS', 'ANYCAST', 'MULTICAST'))}</routing-type>"
        inner = f"<address>{draw.choice(_ADDRESSES)}</address><exclusive>{exclusive}</exclusive>"
        to = f"<forwarding-address>{draw.choice(_ADDRESSES[:4])}</forwarding-address>"
        return (
            f"<divert name='d{number}'>{inner}{to}{kind if draw.random() < 0.5 else ''}{chosen(_FILTERS, 0.6)}</divert>"
        )

    def setting(match: str) -> str:
        parts = ""
        for tag, values in (
            ("dead-letter-address", ("DLA", "c", "b")),
            ("expiry-address", ("c", "a")),
            ("auto-create-queues", ("true", "false")),
            ("auto-create-addresses", ("true", "false")),
            ("send-to-dla-on-no-route", ("true", "false")),
            ("max-delivery-attempts", ("0", "-1", "3")),
        ):
            parts += f"<{tag}>{draw.choice(values)}</{tag}>" if draw.random() < 0.4 else ""
        return f"<address-setting match='{match}'>{parts}</address-setting>"

    names = sorted({*_some(draw, _ADDRESSES, 5)})
    matches = sorted({*_some(draw, ("#", "a", "a.#", "b"), 2)})
    inner = f"<addresses>{''.join(map(address, names))}</addresses>"
    inner += f"<diverts>{''.join(map(divert, range(draw.randint(0, 3))))}</diverts>"
    inner += f"<address-settings>{''.join(map(setting, matches))}</address-settings>"
    inner += _connections(draw)
    return Configuration("broker.xml", f"<configuration><core>{inner}</core></configuration>", _state(draw, "artemis"))


def _connections(draw: Random) -> str:
    """Return random elements of a ``broker.xml`` that connect the broker with others."""
    inner = ""
    if draw.random() < 0.3:
        kind = draw.choice(("STRICT", "ON_DEMAND", "OFF", "OFF_WITH_REDISTRIBUTION"))
        parts = f"<message-load-balancing>{kind}</message-load-balancing><address>{draw.choice(_PREFIXES)}</address>"
        inner += f"<cluster-connections><cluster-connection name='c'>{parts}</cluster-connection></cluster-connections>"
    if draw.random() < 0.3:
        queue = f"<queue-name>{draw.choice(('a.a0', 'b.m0', 'c'))}</queue-name>"
        inner += f"<bridges><bridge name='b'>{queue}</bridge></bridges>"
    if draw.random() < 0.3:
        ends = "".join(f"<{stream} name='s'><policy ref='p'/></{stream}>" for stream in _some(draw, _STREAMS, 1))
        matches = "".join(f"<include address-match='{one}'/>" for one in _some(draw, _ADDRESSES, 2))
        matches += "".join(f"<exclude address-match='{one}'/>" for one in _some(draw, _ADDRESSES, 1))
        policy = f"<address-policy name='p'>{matches}</address-policy>"
        inner += f"<federations><federation name='f'>{ends}{policy}</federation></federations>"
    if draw.random() < 0.4:
        parts = "".join(_amqp_part(draw) for _ in range(draw.randint(1, 3)))
        connection = f"<amqp-connection name='far' uri='tcp://far'>{parts}</amqp-connection>"
        inner += f"<broker-connections>{connection}</broker-connections>"
    return inner


def _amqp_part(draw: Random) -> str:
    """Return a random element of an AMQP connection of Artemis."""
    match draw.choice(("queues", "mirror", "policy", "policy")):
        case "queues":
            tag = draw.choice(("sender", "receiver", "peer"))
            named = draw.choice(("queue-name='a.a0'", "queue-name='c'", "address-match='a.#'", "address-match='#'"))
            return f"<{tag} {named}/>"
        case "mirror":
            filters = draw.choice(("", "a", "a.,b", "!a", "!a.,!c"))
            return f"<mirror address-filter='{filters}'/>" if filters else "<mirror/>"
        case _:
            group, policy = draw.choice(_AMQP_POLICIES)
            attributes = (
                ("queue-match", "address-match") if policy.endswith(("queue", "queue-policy")) else ("address-match",)
            )

            def listed(part: str) -> str:
                chosen = {draw.choice(attributes): draw.choice((*_ADDRESSES[:5], "a0", "b.m0", "#"))}
                return f"<{part} {' '.join(f'{name}={quoteattr(text)}' for name, text in chosen.items())}/>"

            parts = [*map(listed, ["include"] * draw.randint(0, 2)), *map(listed, ["exclude"] * draw.randint(0, 1))]
            return f"<{group}><{policy} name='p'>{''.join(parts)}</{policy}></{group}>"


_AMQP_POLICIES = (
    ("federation", "local-address-policy"),
    ("federation", "local-queue-policy"),
    ("federation", "remote-address-policy"),
    ("federation", "remote-queue-policy"),
    ("bridge", "bridge-from-address"),
    ("bridge", "bridge-from-queue"),
    ("bridge", "bridge-to-address"),
    ("bridge", "bridge-to-queue"),
)

_PREFIXES, _STREAMS = ("", "a", "a.", "b,c", "DL"), ("upstream", "downstream", "downstream")

_DESTINATIONS = ("a", "b", "a.b", "c", "V.a")
_AMQ_FILTERS = (
    "n = 1",
    "n <> 1",
    "n = 1 AND n = 2",
    "m IS NULL",
    "JMSPriority > 4",
    "JMSDestination LIKE 'topic://%'",
    "JMSDestination = 'queue://a' OR n = 1",
    "XPATH 'ancestor::x'",
    "n = 1 OR XPATH 'ancestor::x'",
    "NOT (JMSDestination = 'queue://a')",
)


def _activemq(draw: Random) -> Configuration:
    def target() -> str:
        kind, name = draw.choice(("queue", "topic")), draw.choice(_DESTINATIONS)
        if draw.random() < 0.5:
            return f"<filteredDestination {kind}='{name}' selector={quoteattr(draw.choice(_AMQ_FILTERS))}/>"
        return f"<{kind} physicalName='{name}'/>"

    def composite() -> str:
        kind, name = draw.choice(("Queue", "Topic")), draw.choice((*_DESTINATIONS[:4], "a.&gt;"))
        targets = "".join(target() for _ in range(draw.randint(1, 3)))
        only = draw.choice(("true", "false"))
        return f"<composite{kind} name='{name}' forwardOnly='{only}'><forwardTo>{targets}</forwardTo></composite{kind}>"

    def strategy() -> str:
        noun, kind = draw.choice(("queue", "topic")), draw.choice(("individual", "shared", "discarding"))
        name = draw.choice(("a", "b", "&gt;"))
        inner = {
            "individual": f"<individualDeadLetterStrategy {noun}Prefix='DLQ.' useQueueForQueueMessages='true'/>",
            "shared": "<sharedDeadLetterStrategy><deadLetterQueue><queue physicalName='b'/></deadLetterQueue>"
            "</sharedDeadLetterStrategy>",
            "discarding": "<discarding/>",
        }[kind]
        return f"<policyEntry {noun}='{name}'><deadLetterStrategy>{inner}</deadLetterStrategy></policyEntry>"

    # The broker accepts one virtual destination of each name.
    inner = "".join({each.split("'")[1]: each for each in [composite() for _ in range(3)]}.values())
    inner = inner if draw.random() < 0.8 else ""
    inner += "<virtualTopic name='V.&gt;' prefix='C.*.'/>" if draw.random() < 0.3 else ""
    levels = [inner]
    outer = composite().replace("name='", "name='a.", 1)
    if draw.random() < 0.3 and outer.split("'")[1] not in inner:
        levels.append(outer)
    interceptors = [
        f"<virtualDestinationInterceptor><virtualDestinations>{each}</virtualDestinations></virtualDestinationInterceptor>"
        for each in levels
    ]
    if draw.random() < 0.3:
        prefix, postfix = draw.choice((("m.", ""), ("V.", ""), ("", ".b"), ("a.", ".m"), ("", "b")))
        mirror = f"<mirroredQueue copyMessage='true' prefix='{prefix}' postfix='{postfix}'/>"
        interceptors.insert(draw.randint(0, len(interceptors)), mirror)
    inner = f"<destinationInterceptors>{''.join(interceptors)}</destinationInterceptors>"
    entries = "".join(strategy() for _ in range(draw.randint(0, 2)))
    inner += f"<destinationPolicy><policyMap><policyEntries>{entries}</policyEntries></policyMap></destinationPolicy>"
    queues = "".join(f"<queue physicalName='{name}'/>" for name in sorted({*_some(draw, _DESTINATIONS, 3)}))
    inner += f"<destinations>{queues}</destinations>"
    networks = "".join(map(_network(draw), range(draw.choice((0, 0, 1, 2)))))
    inner += f"<networkConnectors>{networks}</networkConnectors>"
    text = f"<beans><broker xmlns='http://activemq.apache.org/schema/core'>{inner}</broker></beans>"
    return Configuration("activemq.xml", text, _state(draw, "activemq"))


def _network(draw: Random) -> Callable[[int], str]:
    """Return a function from a number to a random network connector with this number in its name."""

    def listed(part: str) -> str:
        kinds = [draw.choice(("queue", "topic")) for _ in range(draw.choice((0, 0, 1, 2)))]
        names = (*_DESTINATIONS, "a.&gt;", "&gt;", "*", "a,b")
        inner = "".join(f"<{kind} physicalName='{draw.choice(names)}'/>" for kind in kinds)
        return f"<{part}Destinations>{inner}</{part}Destinations>"

    def network(number: int) -> str:
        flags = "".join(f" {name}='true'" for name in ("duplex", "staticBridge") if draw.random() < 0.3)
        inner = "".join(map(listed, ("excluded", "staticallyIncluded", "dynamicallyIncluded")))
        return f"<networkConnector name='n{number}' uri='static:(tcp://far)'{flags}>{inner}</networkConnector>"

    return network


def _state(draw: Random, broker: str) -> dict[str, Any] | None:
    if draw.random() < 0.5:
        return None
    names, filters = (_ADDRESSES[:4], _FILTERS) if broker == "artemis" else (_DESTINATIONS, _AMQ_FILTERS)
    topic = "" if broker == "artemis" else "topic://"

    def entry(found: dict[str, Any]) -> dict[str, Any]:
        return found | ({"filter": draw.choice(filters)} if draw.random() < 0.5 else {})

    subscriptions = [
        entry({"name": f"s{number}", "destination": topic + draw.choice(names)}) for number in range(draw.randint(0, 2))
    ]
    queues = [draw.choice(names) for _ in range(draw.randint(0, 1))]
    consumers = [entry({"queue": draw.choice(names)}) for _ in range(draw.randint(0, 2))]
    return {"queues": queues, "subscriptions": subscriptions, "consumers": consumers}
