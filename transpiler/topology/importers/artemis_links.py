"""Elements of Artemis' configuration that exchange messages with other brokers: bridges, federations, clusters.

Such an element acts on the queues or addresses of this broker that match its names and patterns. The elements are read
here as records, without knowledge of the declared queues; ``artemis_topology`` makes links of them. If another broker
reads an address, it has a queue of its own there, as long as it needs the messages.

Read in apache/activemq-artemis at 6700541d: ``FileConfigurationParser``; ``FederationUpstream``, ``FederatedAddress``
and ``FederatedQueue``; ``AMQPBrokerConnection.validateMatching``, ``MirrorAddressFilter``, ``Match``;
``ClusterConnectionBridge.createSelectorFromAddress``, ``BindingsImpl.getNextBinding``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from transpiler.base.diagnostics import Diagnostic, nearest
from transpiler.base.documents.xml_elements import Element
from transpiler.base.regex.search import Regular, SearchLimitError, compile_regular
from transpiler.base.regex.syntax import Flavor, RegexError
from transpiler.base.topics import MANY_WORDS, ONE_WORD
from transpiler.topology.broker_rules import Rules
from transpiler.topology.records import LinkKind

#: The test of a connection. Arguments: an address, and for connections of queues the name of a queue at this address.
#: It returns True if the connection acts there.
Matches = Callable[[str, str], bool]

#: The prefixes of the addresses of WildFly's queues and topics.
JMS_QUEUE, JMS_TOPIC = "jms.queue.", "jms.topic."

#: The kind of objects whose messages a connection moves: queues, or addresses with the routing type MULTICAST.
Acted = Literal["queue", "address"]


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection that moves messages between another broker and the queues or addresses that it matches here.

    ``when`` says in words when a message is moved. ``incoming`` is True if messages come from the other broker.
    ``named`` are the queues or address patterns that the element names; they take part even if the file does not
    declare them. ``to`` is the address of this broker to which the messages go; None if they go to the other broker.
    ``created`` is the pattern of the addresses at which the connection acts on queues that only sends create; None if
    no pattern expresses it.
    """

    kind: LinkKind
    when: str
    location: str
    matches: Matches
    of: Acted = "queue"
    incoming: bool = False
    named: tuple[str, ...] = ()
    to: str | None = None
    created: str | None = None


class Shared(NamedTuple):
    """The rule by which a cluster shares the messages to addresses that begin with ``prefix``.

    ``unless`` is the condition in words under which a message stays on this broker. If ``only_multicast`` is True, only
    messages with the routing type MULTICAST are shared.
    """

    prefix: str
    unless: str
    only_multicast: bool = False


class Reader(NamedTuple):
    """A queue through which another broker reads messages of multicast addresses.

    The other broker creates the queue when it needs the messages, and removes it later. It is bound to each declared
    address that ``matches`` accepts, or else to the address patterns in ``patterns``. ``when`` says in words what
    happens to its messages. ``to`` is the address of this broker to which they go; None if they go to the other broker.
    """

    name: str
    patterns: tuple[str, ...]
    matches: Matches
    kind: LinkKind
    when: str
    location: str
    to: str | None = None


@dataclass(slots=True)
class Connections:
    """The connections of a broker to other brokers, with findings about what is not computed."""

    links: list[Connection] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)

    def add_jms_bridges(self, root: Element, server: Element) -> None:
        """Add the JMS bridges of WildFly's messaging subsystem that read or fill destinations of ``server``.

        An end of a bridge names a destination by its JNDI name. An end with a context is on another server.
        """
        addresses: dict[str, str] = {}
        for element in server.named("jms-queue", "jms-topic"):
            address = (JMS_QUEUE if element.name == "jms-queue" else JMS_TOPIC) + _name(element)
            addresses |= dict.fromkeys(map(_jndi, (element.value("entries") or "").split()), address)
        for bridge in (one for one in root.walk() if one.name == "jms-bridge"):
            source, target = (_end_of(bridge.child(end), addresses) for end in ("source", "target"))
            when = f"moved by the JMS bridge {_name(bridge)}"
            if source is None:
                ends = [] if target is None else [target]
                self.links += (_into(one, f"brought by the JMS bridge {_name(bridge)}", bridge) for one in ends)
            elif source.startswith(JMS_TOPIC):
                name = f"JMS bridge {_name(bridge)}"
                self.readers.append(
                    Reader(name, (source,), _is_address(source), "bridge", when, bridge.location, target)
                )
            else:
                self.links.append(Connection("bridge", when, bridge.location, _is_queue(source), to=target))


def read_connections(core: Element, rules: Rules) -> Connections:
    """Read the connections to other brokers in ``core``, or in a server of WildFly's messaging subsystem."""
    reader = _ConnectionReader(rules)
    bridges = [bridge for listed in core.named("bridges") for bridge in listed.named("bridge")]
    for bridge in (*bridges, *core.named("bridge")):
        reader.bridge(bridge)
    for federation in (one for listed in core.named("federations") for one in listed.named("federation")):
        reader.federation(federation)
    for connection in (one for listed in core.named("broker-connections") for one in listed.children):
        reader.amqp_connection(connection)
    clusters = [one for listed in core.named("cluster-connections") for one in listed.named("cluster-connection")]
    for cluster in (*clusters, *core.named("cluster-connection")):
        reader.cluster(cluster)
    return reader.found


#: Maximum depth of policy sets in policy sets (``FederationUpstream.deployPolicyRefs``).
_MAX_SETS = 10

#: For each kind of policy in an AMQP connection: whether it selects queues or addresses, and True if messages come from
#: the other broker. A federation's policy is called local if this broker reads from the other broker.
_OF_POLICY: Mapping[str, tuple[Acted, bool]] = {
    "local-address-policy": ("address", True),
    "local-queue-policy": ("queue", True),
    "remote-address-policy": ("address", False),
    "remote-queue-policy": ("queue", False),
    "bridge-from-address": ("address", True),
    "bridge-from-queue": ("queue", True),
    "bridge-to-address": ("address", False),
    "bridge-to-queue": ("queue", False),
}

#: The load balancing of a WildFly cluster connection that does not set it. The other values are STRICT, OFF and
#: OFF_WITH_REDISTRIBUTION. Artemis itself also has LOCAL_ONLY.
_ON_DEMAND = "ON_DEMAND"


class _ConnectionReader:
    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.found = Connections()

    def bridge(self, bridge: Element) -> None:
        """Read a core bridge, which takes the messages of one queue."""
        queue = bridge.value("queue-name")
        if queue is not None:
            condition = " if its filter matches" if bridge.child("filter") is not None or bridge.get("filter") else ""
            when = f"moved by the bridge {_name(bridge)}{condition}"
            self.found.links.append(Connection("bridge", when, bridge.location, _is_queue(queue), named=(queue,)))

    def federation(self, federation: Element) -> None:
        """Read a federation: each upstream and each downstream applies the policies to which it refers."""
        policies = {_name(one): one for one in federation.named("policy-set", "queue-policy", "address-policy")}
        for stream in federation.named("upstream", "downstream"):
            who = f"{stream.name} {_name(stream)} of federation {_name(federation)}"
            for policy in self._policies(stream, policies, _MAX_SETS):
                if policy.get("transformer-ref"):
                    self._warn_of_transformer(policy)
                of: Acted = "address" if policy.name == "address-policy" else "queue"
                self._policy("federation", policy, of, stream.name == "upstream", who)

    def _policies(self, element: Element, policies: Mapping[str, Element], depth: int) -> Iterator[Element]:
        """Yield the policies to which an upstream, a downstream or a policy set refers, also through policy sets."""
        for reference in element.named("policy"):
            name = reference.get("ref") or ""
            policy = policies.get(name)
            if policy is None:
                near = nearest(name, sorted(policies))
                message = f"there is no policy {name!r}: nothing is federated by it"
                hint = f"perhaps write {near[0]}" if near else None
                self.found.findings.append(reference.warning("import.upstream", message, hint))
            elif policy.name == "policy-set":
                yield from self._policies(policy, policies, depth - 1) if depth else ()
            else:
                yield policy

    def amqp_connection(self, connection: Element) -> None:
        """Read an AMQP connection: senders, receivers and peers of queues, mirrors, federations and bridges."""
        who = f"connection {_name(connection)}"
        for element in connection.children:
            match element.name:
                case "sender" | "receiver" | "peer":
                    self._of_queues(element, who)
                case "mirror":
                    filters = element.get("address-filter") or ""
                    created = None if filters else self._rules.topic.syntax.many_words
                    matches, when = _begins(filters.split(",")), f"mirrored by the {who}"
                    self.found.links.append(Connection("bridge", when, element.location, matches, created=created))
                case "federation" | "bridge" as kind:
                    for policy in element.named(*_OF_POLICY):
                        if policy.child("transformer") is not None or policy.value("transformer-class-name"):
                            self._warn_of_transformer(policy)
                        self._policy(kind, policy, *_OF_POLICY[policy.name], who)

    def _of_queues(self, element: Element, who: str) -> None:
        """Add the connection of a sender, receiver or peer: an element that names a queue or a pattern of addresses.

        The broker opens the connection for each queue that exists or that is created later.
        """
        queue, pattern = element.get("queue-name"), element.get("address-match") or ""
        matches = self._of_pattern(pattern) if queue is None else _is_queue(queue)
        named, location = () if queue is None else (queue,), element.location
        incoming = element.name == "receiver"
        back = ", and brought back" if element.name == "peer" else ""
        when = f"{'brought' if incoming else 'moved'} by the {who}{back}"
        self.found.links.append(
            Connection("bridge", when, location, matches, incoming=incoming, named=named, created=pattern)
        )

    def _policy(
        self, kind: Literal["federation", "bridge"], policy: Element, of: Acted, incoming: bool, who: str
    ) -> None:
        """Add the connection that ``policy`` of a federation or bridge describes by its includes and excludes.

        ``of`` says if the policy selects queues or addresses; ``who`` is the name of the federation or bridge in texts.
        """
        includes, excludes = ([self._included(one) for one in policy.named(part)] for part in ("include", "exclude"))
        patterns = [one.get("address-match") for one in policy.named("include")] or [None]
        named = tuple(dict.fromkeys(one or self._rules.topic.syntax.many_words for one in patterns))
        matches = _chosen(includes, excludes)
        if of == "address" and not incoming:
            reader = Reader(f"{kind} by {who}", named, matches, kind, f"copied by the {who}", policy.location)
            self.found.readers.append(reader)
            return
        verb = "copied" if of == "address" else "brought" if incoming else "moved"
        if kind == "federation":
            needs = {"address": "a queue", "queue": "a consumer"}[of]
            while_ = f" while it has {needs} {'here' if incoming else 'there'}"
        else:
            while_ = ""
        listed = named if of == "address" and includes else ()
        when, many_words = f"{verb} by the {who}{while_}", self._rules.topic.syntax.many_words
        tests = [(one.get("address-match"), one.get("queue-match")) for one in policy.named("include")]
        takes_all = not excludes and (not tests or any({*test} <= {None, many_words} for test in tests))
        created = many_words if takes_all else None
        self.found.links.append(Connection(kind, when, policy.location, matches, of, incoming, listed, created=created))

    def _included(self, element: Element) -> Matches:
        """Return the test of ``element``, an include or exclude of a policy: True for a matching address or queue."""
        address, queue = (
            None if not pattern else self._pattern(pattern)
            for pattern in (element.get("address-match"), element.get("queue-match"))
        )

        def matches(at: str, name: str) -> bool:
            return (address is None or _finds(address, at)) and (queue is None or _finds(queue, name))

        return matches

    def _pattern(self, text: str) -> Regular | Literal[True]:
        """Return the regular expression that the broker makes of ``text``; True if this project cannot evaluate it.

        As in the broker, only the end of the expression is anchored: ``orders`` matches ``eu.orders``. Where the broker
        repeats the part for a multi-word wildcard any number of times, here it is optional, which matches the same
        names.
        """
        syntax = self._rules.topic.syntax
        delimiter, one_word, many_words = syntax.delimiter, syntax.one_word, syntax.many_words
        if text == many_words:
            return _compiled(".*$")
        between = re.escape(delimiter)
        expression = text.replace(delimiter + many_words, many_words).replace(".", r"\.")
        expression = expression.replace("$", r"\$") if "$" not in self._rules.characters else expression
        expression = expression.replace(one_word, f"[^{between}]+").replace(many_words, f"({between}.+)?")
        return _compiled(f"{expression}$")

    def _of_pattern(self, pattern: str) -> Matches:
        """Return the test for addresses that match the whole of ``pattern``; its ``#`` is zero or more words."""
        between = re.escape(self._rules.topic.syntax.delimiter)
        expression = ""
        for word in self._rules.topic.name_pattern(pattern):
            before = between if expression else ""
            if word is MANY_WORDS:
                expression += f"({before}.+)?" if before else "(.*)"
            else:
                expression += before + (f"[^{between}]*" if word is ONE_WORD else re.escape(str(word)))
        compiled = _compiled(f"^{expression}$")
        return lambda address, _: _finds(compiled, address)

    def _warn_of_transformer(self, policy: Element) -> None:
        what = f"the policy {_name(policy)!r} has a transformer, which may change the message"
        self.found.findings.append(policy.not_computed(what))

    def cluster(self, cluster: Element) -> None:
        """Read a cluster connection, whose ``address`` lists the prefixes of the addresses that the cluster shares.

        With load balancing STRICT, brokers that have a queue take turns. With ON_DEMAND, brokers whose queue has a
        consumer take turns, and this broker keeps the message if there is none. OFF keeps all messages except those
        with the routing type MULTICAST, which are sent as with ON_DEMAND. The file does not contain the queues and
        consumers of other brokers.
        """
        name = _name(cluster)
        listed = [prefix.strip() for prefix in (cluster.value("address") or "").split(",")]
        kind = (cluster.value("message-load-balancing", "message-load-balancing-type") or _ON_DEMAND).strip().upper()
        if kind == "LOCAL_ONLY":
            return
        consumer = "" if kind == "STRICT" else " with a consumer"
        prefixes = [prefix for prefix in listed if prefix and not prefix.startswith("!")] or [""]
        unless = f"if no other broker of the cluster {name}{consumer} gets it"
        self.found.shared += (Shared(prefix, unless, kind.startswith("OFF")) for prefix in prefixes)
        verb = "shared with the other brokers of" if kind == "STRICT" else "sent to a broker with a consumer of"
        if kind != "OFF":
            when, matches = f"{verb} the cluster {name}", _begins(listed)
            created = self._rules.topic.syntax.many_words if matches("", "") else None
            self.found.links.append(Connection("cluster", when, cluster.location, matches, created=created))


def _name(element: Element) -> str:
    return element.get("name") or ""


def _jndi(name: str) -> str:
    return name.removeprefix("java:").removeprefix("/").removeprefix("jboss/exported/")


def _end_of(end: Element | None, addresses: Mapping[str, str]) -> str | None:
    """Return the address at which an end of a JMS bridge reads or writes; None if this end is on another server."""
    is_elsewhere = end is None or any("context" in one.name for one in end.children)
    return None if end is None or is_elsewhere else addresses.get(_jndi(end.value("destination") or ""))


def _into(address: str, when: str, bridge: Element) -> Connection:
    of: Acted = "address" if address.startswith(JMS_TOPIC) else "queue"
    named = (address,) if of == "address" else ()
    matches = _is_address(address) if of == "address" else _is_queue(address)
    return Connection("bridge", when, bridge.location, matches, of, True, named)


def _is_address(name: str) -> Matches:
    return lambda address, _: address == name


def _is_queue(name: str) -> Matches:
    return lambda _, queue: queue == name


def _begins(listed: Sequence[str]) -> Matches:
    """Return the test that an address begins with a text of ``listed``, and with no text that has a ``!`` before it.

    If all texts of ``listed`` have a ``!``, every other address passes the test.
    """
    allowed = tuple(one for one in listed if one and not one.startswith("!")) or ("",)
    denied = tuple(one[1:] for one in listed if len(one) > 1 and one.startswith("!"))
    return lambda address, _: address.startswith(allowed) and not address.startswith(denied)


def _chosen(includes: Iterable[Matches], excludes: Iterable[Matches]) -> Matches:
    """Return the test of a policy: an address that an exclude matches fails; otherwise an include must match.

    Without includes, every address passes that no exclude matches.
    """
    wanted, unwanted = tuple(includes), tuple(excludes)

    def matches(address: str, queue: str) -> bool:
        if any(one(address, queue) for one in unwanted):
            return False
        return not wanted or any(one(address, queue) for one in wanted)

    return matches


def _compiled(expression: str) -> Regular | Literal[True]:
    try:
        return compile_regular(expression, Flavor.JAVA)
    except RegexError:
        return True


def _finds(pattern: Regular | Literal[True], text: str) -> bool:
    try:
        return True if pattern is True else pattern.search(text)
    except SearchLimitError:
        return True
