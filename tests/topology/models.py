"""Small models of three brokers that read the random configurations themselves, and decide at random what is unknown.

They share no code with the importers and the reference router. A model reads the file's text, chooses one possibility
for what is open (a hash, a policy among equals, the size of a message, an earlier send) and returns what the broker
then does. A filter is a Python function. A certain statement about a route must hold in every such world, and no world
may reach a queue that is not possible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from xml.etree import ElementTree

#: Maximum number of forwards of a message. If there are more, the broker fails the send.
_DEEPEST = 60

Properties = Mapping[str, Any]


class SendError(Exception):
    """The send fails, or the broker rejects it."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


@dataclass
class RabbitMQ:
    """One world of a definitions file. The winner among equal policies is drawn once, a choice for each message."""

    data: dict[str, Any]
    draw: Random
    types: dict[str, str] = field(default_factory=lambda: {"": "direct", "amq.topic": "topic"})

    def __post_init__(self) -> None:
        self.exchanges = {one["name"]: one for one in self.data["exchanges"]}
        # A shovel binds its own queue, if the broker accepts the shovel's key.
        shovels = (one for one in self.data["parameters"] if one["component"] == "shovel")
        read = [
            {"source": one["value"]["src-exchange"], "destination": f"shovel {one['name']}"}
            | {"destination_type": "queue", "routing_key": one["value"].get("src-exchange-key", ""), "arguments": {}}
            for one in shovels
        ]
        gone = {one["name"] for one in self.data["queues"] if not self._creates(one)}
        hashing = {one["name"] for one in self.data["exchanges"] if one["type"] == "x-consistent-hash"}
        to_queues = {"queue": gone, "exchange": set[str]()}
        bindings = [
            one for one in self.data["bindings"] if one["destination"] not in to_queues[one["destination_type"]]
        ]
        listed = (*bindings, *read)
        taken = [one for one in listed if one["source"] not in hashing or _is_weight(one["routing_key"])]
        # The type of an exchange that only bindings name is unknown.
        self.types |= {one["source"]: "x-strange" for one in self.data["bindings"] if one["source"] not in self.types}
        self.data = {**self.data, "bindings": taken}
        self.types |= {name: one["type"] for name, one in self.exchanges.items()}
        self.queues = {one["name"] for one in self.data["queues"]} - gone
        self.queues |= {one["destination"] for one in self.data["bindings"] if one["destination_type"] == "queue"}
        # The broker refuses a policy without settings.
        order = [one for one in self.data["policies"] if one["definition"]]
        self.draw.shuffle(order)
        self.policies = sorted(order, key=lambda one: -one["priority"])

    def _creates(self, queue: dict[str, Any]) -> bool:
        """Return True if the broker creates a queue: a stream is durable, and from 4.3 on every queue is."""
        is_stream = queue["arguments"].get("x-queue-type") == "stream"
        return bool(queue["durable"]) or not (is_stream or self.data["rabbitmq_version"] >= "4.3")

    def _policy(self, name: str, applied: str) -> dict[str, Any]:
        for one in self.policies:
            if one["apply-to"] in ("all", applied) and re.search(one["pattern"], name):
                return dict(one["definition"])
        return {}

    def _alternate(self, name: str) -> str | None:
        own = self.exchanges.get(name, {}).get("arguments", {}).get("alternate-exchange")
        found = self._policy(name, "exchanges").get("alternate-exchange") if own is None else own
        return found if found in self.types and found != "" else None

    def route(self, exchange: str, key: str, sent: Properties) -> set[str]:
        """Return the queues that a message reaches."""
        found: set[str] = set()
        waiting, seen = [exchange], {exchange}
        while waiting:
            name = waiting.pop()
            targets = [*self._targets(name, key, sent)]
            if name and not targets and (alternate := self._alternate(name)) is not None:
                targets = [("exchange", alternate)]
            for kind, target in targets:
                if kind == "queue":
                    found.add(target)
                elif target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return found

    def _targets(self, name: str, key: str, sent: Properties) -> Iterator[tuple[str, str]]:
        if name == "":
            yield from [("queue", key)] if key in self.queues else []
            return
        bindings = [one for one in self.data["bindings"] if one["source"] == name]
        match self.types[name]:
            case "x-consistent-hash":
                bindings = [self.draw.choice(bindings)] if bindings else []
            case "x-strange":
                bindings = [one for one in bindings if self.draw.random() < 0.5]
            case kind:
                bindings = [one for one in bindings if self._matches(kind, one, key, sent)]
        yield from ((one["destination_type"], one["destination"]) for one in bindings)

    def _matches(self, kind: str, binding: dict[str, Any], key: str, sent: Properties) -> bool:
        if kind == "topic":
            # An empty key has no words, neither in the binding nor in the message.
            return _topic(*(text.split(".") if text else [] for text in (binding["routing_key"], key)))
        if kind == "headers":
            pairs = {name: value for name, value in binding["arguments"].items() if name != "x-match"}
            answers = [sent.get(name) == value for name, value in pairs.items()]
            return any(answers) if binding["arguments"].get("x-match") == "any" else all(answers)
        return kind == "fanout" or binding["routing_key"] == key

    def letters(self, queue: str) -> tuple[str, str | None] | None:
        """Return the exchange and the key of a queue's dead letters; None if the queue has none."""
        own = next((one["arguments"] for one in self.data["queues"] if one["name"] == queue), {})
        if own.get("x-queue-type") == "stream" or queue == "unseen" or queue.startswith("shovel "):
            return None
        given = {**self._policy(queue, "queues"), **{name[2:]: value for name, value in own.items()}}
        exchange = given.get("dead-letter-exchange")
        return None if exchange is None else (exchange, given.get("dead-letter-routing-key"))


def _is_weight(key: str) -> bool:
    return key.lstrip("+").isdigit() and int(key) > 0


def _topic(pattern: list[str], words: list[str]) -> bool:
    if not pattern:
        return not words
    if pattern[0] == "#":
        return any(_topic(pattern[1:], words[skipped:]) for skipped in range(len(words) + 1))
    return bool(words) and pattern[0] in ("*", words[0]) and _topic(pattern[1:], words[1:])


@dataclass(frozen=True)
class Seen:
    """The values that a filter reads: properties, priority, the previous address, and a random truth value."""

    sent: Properties
    before: str | None
    here: str
    chance: Callable[[], bool]

    @property
    def n(self) -> int | None:
        value = self.sent.get("n")
        return value if isinstance(value, int) else None


#: The filters of the random configurations, as functions that return True if the filter is TRUE.
FILTERS: Mapping[str, Callable[[Seen], bool]] = {
    "n = 1": lambda of: of.n == 1,
    "n <> 1": lambda of: of.n is not None and of.n != 1,
    "n > 1": lambda of: of.n is not None and of.n > 1,
    "m IS NULL": lambda of: "m" not in of.sent,
    "m = 'x' OR n = 1": lambda of: of.sent.get("m") == "x" or of.n == 1,
    "n = 1 AND n = 2": lambda _: False,
    "NOT (n = 1)": lambda of: of.n is not None and of.n != 1,
    "AMQPriority > 4": lambda of: of.sent["priority"] > 4,
    "AMQSize > 3": lambda of: of.chance(),
    "AMQSize > 3 AND n = 1": lambda of: of.n == 1 and of.chance(),
    "AMQSize > 3 OR n = 1": lambda of: of.n == 1 or of.chance(),
    "_AMQ_ORIG_ADDRESS = 'a'": lambda of: of.before == "a",
    "_AMQ_ORIG_ADDRESS IS NULL OR n = 1": lambda of: of.before is None or of.n == 1,
    "JMSDestination LIKE 'topic://%'": lambda of: of.here.startswith("topic://"),
    "JMSDestination = 'queue://a' OR n = 1": lambda of: of.here == "queue://a" or of.n == 1,
    "XPATH 'ancestor::x'": lambda of: of.chance(),
    "n = 1 OR XPATH 'ancestor::x'": lambda of: of.n == 1 or of.chance(),
    "NOT (JMSDestination = 'queue://a')": lambda of: of.here != "queue://a",
}


def _filter(element: ElementTree.Element) -> str | None:
    found = element.find("filter")
    return None if found is None else found.get("string")


@dataclass(frozen=True)
class _Queue:
    name: str
    address: str
    kind: str
    filter: str | None


class Artemis:
    """One world of a ``broker.xml``: it chooses message sizes, the round-robin turn, and what earlier sends created."""

    def __init__(self, text: str, state: Mapping[str, Any] | None, draw: Random) -> None:
        core = ElementTree.fromstring(text)[0]
        self._draw = draw
        addresses = core.findall("addresses/address")
        self._kinds: dict[str, set[str]] = {}
        queues: list[_Queue] = []
        for address in addresses:
            at = address.get("name", "")
            self._kinds[at] = {part.tag.upper() for part in address}
            queues += [
                _Queue(one.get("name", ""), at, part.tag.upper(), _filter(one)) for part in address for one in part
            ]
        state = state or {}
        queues += [_Queue(name, name, "ANYCAST", None) for name in state.get("queues", ())]
        queues += [
            _Queue(one["name"], one["destination"], "MULTICAST", one.get("filter"))
            for one in state.get("subscriptions", ())
        ]
        self._queues = {one.name: one for one in reversed(queues)}
        for one in self._queues.values():
            self._kinds.setdefault(one.address, set()).add(one.kind)
        self._consumers = state.get("consumers")
        self._diverts = core.findall("diverts/divert")
        self._settings = core.findall("address-settings/address-setting")
        self._cluster = core.find("cluster-connections/cluster-connection")
        self._connection = core.find("broker-connections/amqp-connection")
        self._bridges = core.findall("bridges/bridge")
        self._federation = core.find("federations/federation")

    def send(self, address: str, kind: str | None, sent: Properties) -> set[str]:
        """Return the queues that a message reaches. Raise ``SendError`` if the send fails."""
        found: set[str] = set()
        self._route(address, kind, sent, None, found, 0)
        return found

    def _create(self, address: str, kind: str) -> bool:
        """Return True if the broker creates a queue with the address's name."""
        # An address that only diverts name is created by the send, like an address that nothing names.
        if address in self._kinds and any(_is_in(address, one.address) for one in self._queues.values()):
            return False
        settings = self._of(address)
        if kind not in self._kinds.get(address, ()) and settings.get("auto-create-addresses") == "false":
            raise SendError("rejected")
        if kind == "MULTICAST":
            return False
        if address in self._queues:
            return False
        if settings.get("auto-create-queues") == "false":
            raise SendError("rejected")
        return True

    def _of(self, address: str) -> dict[str, str]:
        found = [one for one in self._settings if _is_in(address, one.get("match", ""))]
        found.sort(key=lambda one: (not one.get("match", "").endswith("#"), len(one.get("match", ""))))
        return {part.tag: part.text or "" for one in found for part in one}

    def _route(
        self,
        address: str,
        kind: str | None,
        sent: Properties,
        before: str | None,
        found: set[str],
        depth: int,
        *,
        last: bool = False,
        session: bool = True,
    ) -> None:
        """Route a message at an address.

        A dead letter has no session of the sender, and is ``last`` at its address: what no queue takes there is lost.
        A divert's copy is routed as any message (``PostOfficeImpl.maybeSendToDLA``, ``DivertImpl.route``).
        """
        if depth > _DEEPEST:
            raise SendError("error")
        # The sender's session, which creates queues, also forwards the message, except as a dead letter.
        made = kind is not None and session and self._create(address, kind)
        seen = Seen(sent, before, address, lambda: self._draw.random() < 0.5)
        takes = [
            one
            for one in self._diverts
            if _is_in(address, one.findtext("address", "")) and _is_true(_filter(one), seen)
        ]
        exclusive = [one for one in takes if one.findtext("exclusive") == "true"]
        taken = False
        if not exclusive:
            taken = self._queues_of(address, kind, seen, found)
            if made:
                found |= {address} if self._stays(address, kind) else set()
                taken = True
        for divert in exclusive or takes:
            to, onward = divert.findtext("forwarding-address", ""), divert.findtext("routing-type", "STRIP")
            following = {"STRIP": None, "PASS": kind}.get(onward, onward)
            # A divert to its own address forwards the message itself, not a copy with a header.
            own = (before, kind) if to == address else (address, following)
            self._route(to, own[1], sent, own[0], found, depth + 1, session=session)
        settings = self._of(address)
        dead = settings.get("dead-letter-address")
        if not taken and not last and dead and settings.get("send-to-dla-on-no-route") == "true":
            self._route(dead, None, sent, address, found, depth + 1, last=True, session=False)

    def _queues_of(self, address: str, kind: str | None, seen: Seen, found: set[str]) -> bool:
        taking = [one for one in self._queues.values() if _is_in(address, one.address) and _is_true(one.filter, seen)]
        got = {one.name for one in taking if one.kind == "MULTICAST" and kind != "ANYCAST"}
        if kind != "MULTICAST":
            for pattern in {one.address for one in taking if one.kind == "ANYCAST"}:
                group = [one.name for one in taking if (one.address, one.kind) == (pattern, "ANYCAST")]
                eager = [name for name in group if self._reads(name, seen)]
                got.add(self._draw.choice(eager or group))
        found |= {name for name in got if self._stays(self._queues[name].address, kind)}
        return bool(got) | self._federated(address, kind, found) | self._copied(address, kind, found)

    def _stays(self, address: str, kind: str | None) -> bool:
        """Return False if another broker of the cluster gets the message of a queue."""
        if self._cluster is None:
            return True
        balancing = self._cluster.findtext("message-load-balancing", "")
        prefixes = (self._cluster.findtext("address") or "").split(",")
        shares = kind == "MULTICAST" or not balancing.startswith("OFF")
        return not (shares and any(address.startswith(one) for one in prefixes)) or self._draw.random() < 0.5

    def _federated(self, address: str, kind: str | None, found: set[str]) -> bool:
        """Return True if a downstream reads the address, and add its queue to ``found``."""
        if self._federation is None or self._federation.find("downstream") is None or kind == "ANYCAST":
            return False
        is_declared = "MULTICAST" in self._kinds.get(address, ())
        includes = [one.get("address-match", "") for one in self._federation.findall("address-policy/include")]
        excludes = [one.get("address-match", "") for one in self._federation.findall("address-policy/exclude")]
        if not is_declared or any(_ends_with(address, one) for one in excludes):
            return False
        if includes and not any(_ends_with(address, one) for one in includes):
            return False
        if self._draw.random() < 0.5:
            return False
        found.add("federation by downstream s of federation f")
        return True

    def _copied(self, address: str, kind: str | None, found: set[str]) -> bool:
        """Return True if an AMQP connection reads the address, and add the connection's queues to ``found``."""
        if self._connection is None or kind == "ANYCAST" or "MULTICAST" not in self._kinds.get(address, ()):
            return False
        names = {"federation/remote-address-policy": "federation", "bridge/bridge-to-address": "bridge"}
        taken = {
            f"{name} by connection far"
            for path, name in names.items()
            for policy in self._connection.findall(path)
            if _is_chosen(policy, address, "") and self._draw.random() < 0.5
        }
        found |= taken
        return bool(taken)

    def leaving(self, queue: str) -> set[str]:
        """Return the connections that move or copy messages of a queue to another broker."""
        if queue.startswith(("federation by ", "bridge by ")):
            return {queue.partition(" by ")[2]}
        # A queue that a send has created is at the address of its name.
        address = self._queues[queue].address if queue in self._queues else queue
        found = {f"bridge {one.get('name')}" for one in self._bridges if one.findtext("queue-name") == queue}
        for part in () if self._connection is None else self._connection:
            match part.tag:
                case "sender" | "peer" if part.get("queue-name") is not None:
                    takes = part.get("queue-name") == queue
                case "sender" | "peer":
                    takes = _is_in(address, part.get("address-match", ""))
                case "mirror":
                    takes = _is_mirrored(address, (part.get("address-filter") or "").split(","))
                case _:
                    policies = (*part.findall("remote-queue-policy"), *part.findall("bridge-to-queue"))
                    takes = any(_is_chosen(one, address, queue) for one in policies)
            found |= {"connection far"} if takes else set()
        return found

    def _reads(self, queue: str, seen: Seen) -> bool:
        if self._consumers is None:
            return self._draw.random() < 0.5
        return any(one["queue"] == queue and _is_true(one.get("filter"), seen) for one in self._consumers)


def _is_chosen(policy: ElementTree.Element, address: str, queue: str) -> bool:
    """Return True if an AMQP policy acts on a queue, or on an address: an exclude decides before the includes."""

    def matches(one: ElementTree.Element) -> bool:
        at, name = one.get("address-match"), one.get("queue-match")
        return (at is None or _ends_with(address, at)) and (name is None or _ends_with(queue, name))

    includes = policy.findall("include")
    return not any(map(matches, policy.findall("exclude"))) and (not includes or any(map(matches, includes)))


def _is_mirrored(address: str, filters: list[str]) -> bool:
    denied = [one[1:] for one in filters if one.startswith("!")]
    allowed = [one for one in filters if one and not one.startswith("!")]
    return not any(map(address.startswith, denied)) and (not allowed or any(map(address.startswith, allowed)))


def _ends_with(address: str, pattern: str) -> bool:
    """Return True if a federation's pattern matches ``address``: only the end of the address has to match it."""
    if pattern == "#":
        return True
    if pattern.endswith(".#"):
        return re.search(re.escape(pattern[:-2]) + "(\\..+)*$", address) is not None
    return address.endswith(pattern)


def _is_in(address: str, pattern: str) -> bool:
    if not pattern.endswith("#"):
        return address == pattern
    return pattern == "#" or address == pattern[:-2] or address.startswith(pattern[:-1])


def _is_true(text: str | None, seen: Seen) -> bool:
    # The broker does not know the names of clients, such as JMSPriority.
    return text is None or (text != "JMSPriority > 4" and FILTERS[text](seen))


class ActiveMQ:
    """One world of an ``activemq.xml``: it chooses the result of an XPath, which is not evaluated, for each message."""

    def __init__(self, text: str, state: Mapping[str, Any] | None, draw: Random) -> None:
        broker = ElementTree.fromstring(re.sub(" xmlns='[^']*'", "", text))[0]
        self._draw = draw
        self._composites = broker.findall(".//compositeQueue") + broker.findall(".//compositeTopic")
        self._subscriptions = (state or {}).get("subscriptions", ())
        self._networks = broker.findall("networkConnectors/networkConnector")

    def send(self, destination: str, sent: Properties) -> set[str]:
        """Return the queues and subscriptions that a message reaches. Raise ``SendError`` if the send fails."""
        found: set[str] = set()
        self._route(destination, sent, destination, found, 0)
        return found

    def _route(self, at: str, sent: Properties, before: str, found: set[str], depth: int) -> None:
        if depth > _DEEPEST:
            raise SendError("error")
        kind, _, name = at.partition("://")
        there = [one for one in self._composites if one.tag == f"composite{kind.title()}" and _below(name, one)]
        for composite in there:
            seen = Seen(sent, None, before, lambda: self._draw.random() < 0.5)
            taking = [one for one in composite.find("forwardTo") or () if self._takes(one, seen)]
            for target in taking:
                to = "queue" if "queue" in (target.tag, *target.keys()) else "topic"
                onward = target.get("physicalName") or target.get(to)
                self._route(f"{to}://{onward}", sent, at, found, depth + 1)
        if there and all(one.get("forwardOnly") == "true" for one in there):
            return
        if kind == "queue":
            found.add(at)
        for one in self._subscriptions:
            seen = Seen(sent, None, at, lambda: self._draw.random() < 0.5)
            if one["destination"] == at and self._selects(one.get("filter"), seen):
                found.add(one["name"])
        if kind == "topic":
            networks = (one for one in self._networks if self._forwards(one, kind, name))
            found |= {f"network connector {one.get('name')}" for one in networks if self._draw.random() < 0.5}

    def _forwards(self, network: ElementTree.Element, kind: str, name: str) -> bool:
        """Return True if a connector may forward messages: ``DemandForwardingBridgeSupport``."""

        def lists(part: str) -> list[ElementTree.Element]:
            return network.findall(f"{part}Destinations/*")

        def has(part: str) -> bool:
            patterns = [
                text for one in lists(part) if one.tag == kind for text in one.get("physicalName", "").split(",")
            ]
            return any(_names(pattern, name) for pattern in patterns)

        if has("excluded"):
            return False
        asks = network.get("staticBridge") != "true"
        return has("staticallyIncluded") or (asks and (has("dynamicallyIncluded") or not lists("dynamicallyIncluded")))

    def leaving(self, queue: str) -> set[str]:
        """Return the network connectors that forward messages of a queue or subscription."""
        if queue.startswith("network connector "):
            return {queue}
        kind, mark, name = queue.partition("://")
        networks = [one for one in self._networks if mark and self._forwards(one, kind, name)]
        return {f"network connector {one.get('name')}" for one in networks}

    def _takes(self, target: ElementTree.Element, seen: Seen) -> bool:
        return target.tag != "filteredDestination" or self._selects(target.get("selector"), seen)

    def _selects(self, text: str | None, seen: Seen) -> bool:
        if text == "JMSPriority > 4":
            return int(seen.sent["priority"]) > 4
        return text is None or FILTERS[text](seen)


def _names(pattern: str, name: str) -> bool:
    """Return True if a destination's pattern matches a name (``DestinationFilter.parseFilter``)."""
    if pattern.endswith(">"):
        return (name + ".").startswith(pattern[:-1])
    return pattern == name or (pattern == "*" and "." not in name)


def _below(name: str, composite: ElementTree.Element) -> bool:
    pattern = composite.get("name", "")
    return name == pattern or (pattern.endswith(".>") and (name + ".").startswith(pattern[:-1]))


def world(broker: str, text: str, state: Mapping[str, Any] | None, draw: Random) -> RabbitMQ | Artemis | ActiveMQ:
    """Return one world of a configuration."""
    if broker == "rabbitmq":
        return RabbitMQ(json.loads(text), draw)
    return (Artemis if broker == "artemis" else ActiveMQ)(text, state, draw)
