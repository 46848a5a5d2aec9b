"""A topology: exchanges, queues, bindings and links (``records``), under the rules of one broker.

A topology is checked when it is created: names are unique and not reserved, and every name that is used is declared.
The default exchange and the broker's predeclared exchanges always exist and are not declared.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from transpiler.base import html
from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import Diagnostic, Remedy, at_path, first_of, meant, mismatch
from transpiler.base.errors import TopologyError
from transpiler.language.binding_rules import HeadersMatch
from transpiler.language.conditions import All
from transpiler.language.selector.dialects import DIALECTS
from transpiler.topology.binding_conditions import (
    binding_condition,
    binding_headers,
    compares_key,
    selector_dialect,
    selector_text,
)
from transpiler.topology.broker_rules import RelayAddress, Rules
from transpiler.topology.exchange_types import KeyTest
from transpiler.topology.records import (
    ATTEMPTS_ARGUMENT,
    CONVERSION_ARGUMENT,
    DEFAULT_EXCHANGE,
    DIALECT_ARGUMENT,
    EXPIRY_ARGUMENT,
    REPLACEMENT_ARGUMENT,
    ROUTE_TO_ALTERNATE,
    SELECTOR_ARGUMENT,
    XQUERY_ARGUMENT,
    Alternate,
    Binding,
    Exchange,
    Link,
    Queue,
)
from transpiler.topology.setting import Setting
from transpiler.topology.targets import ENDS, TargetType

#: Maximum number of errors that one exception lists; a file with one wrong name can have a million errors.
MAX_ERRORS = 20

#: Maximum number of words in a binding key; AMQP 0-9-1 and 0-10 allow keys of 255 bytes.
MAX_WORDS = 10_000


#: The code of findings about elements of a file that affect messages and that this package does not compute.
NOT_COMPUTED = "topology.not-computed"


@dataclass(frozen=True, repr=False)
class Topology:
    """The exchanges, queues, bindings and links of one virtual host, under the rules of one broker.

    ``default_exchange`` is the exchange of a message that names no exchange. A link to the default exchange under a key
    becomes a link to the queue that the key names. ``findings`` are diagnostics about elements that an importer did not
    understand. Raises ``TopologyError``, which names each invalid entry by its path.
    """

    rules: Rules
    exchanges: tuple[Exchange, ...] = ()
    queues: tuple[Queue, ...] = ()
    bindings: tuple[Binding, ...] = ()
    default_exchange: str = DEFAULT_EXCHANGE
    findings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    links: tuple[Link, ...] = ()
    #: The queues and subscriptions that have consumers; None if consumers are unknown.
    readers: frozenset[str] | None = None
    #: The version of the broker that wrote the file; empty if the file does not contain it.
    version: str = field(default="", compare=False)
    #: For a JMS broker, a second topology, for reports and diagrams, in which each exchange is a broker's address.
    #: (In this topology, exchanges are steps of the broker's routing.) None for a broker that has exchanges itself.
    displayed: Topology | None = field(default=None, compare=False)
    #: The settings of the file that do not affect routing. They are not compared, so that topologies with the same
    #: routes are equal.
    settings: tuple[Setting, ...] = field(default=(), compare=False)
    #: The name of the virtual host in RabbitMQ's definitions; None if the file names no virtual host.
    vhost: str | None = field(default=None, compare=False)
    #: If this topology is a part of another: the kinds and names of exchanges that lead to elements outside of the
    #: part, and of queues to which such elements lead.
    cut: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise unexpected("rules", "Rules", self.rules, "RULES['rabbitmq'], or read a file with read_topology")
        for name in ("exchanges", "queues", "bindings", "links"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.rules.addressing.has_exchanges:
            object.__setattr__(self, "links", tuple(map(_to_queue, self.links)))
        errors = list(islice(_errors(self), MAX_ERRORS + 1))
        if errors:
            shown = errors[:MAX_ERRORS]
            if len(errors) > len(shown):
                shown.append(
                    Diagnostic(
                        "topology.more", "error", "there are more errors, which are reported after these are corrected"
                    )
                )
            raise TopologyError(shown)

    def __repr__(self) -> str:
        if self.rules.addressing.has_exchanges:
            return f"Topology({self.headline})"
        # Do not count the exchanges of a JMS broker: the importer made them to express the broker's routing, and users
        # do not know them.
        return f"Topology({self.broker}: {len(self.queues):,} {'queue' if len(self.queues) == 1 else 'queues'})"

    @property
    def headline(self) -> str:
        """A text with the broker (with its version, if known) and the numbers of exchanges, queues and bindings."""
        exchanges = (*self.rules.addressing.nouns, self.exchanges)
        counts = (
            f"{len(items):,} {one if len(items) == 1 else several}"
            for one, several, items in (
                exchanges,
                ("queue", "queues", self.queues),
                ("binding", "bindings", self.bindings),
            )
        )
        return f"{self.broker}: {', '.join(counts)}"

    @property
    def broker(self) -> str:
        """The name of the broker, with the version of the file if it is known."""
        return f"{self.rules.broker} {self.version}" if self.version else self.rules.name

    def _repr_html_(self) -> str:
        if not self.rules.addressing.has_exchanges:
            return html.heading(repr(self)) + html.table(("queue",), [(queue.name,) for queue in self.queues])
        rows = (
            (binding.source or "(default exchange)", binding.key, binding.destination_type, binding.destination)
            for binding in self.bindings
        )
        return html.heading(repr(self)) + html.table(("exchange", "key", "to", "destination"), rows)

    @cached_property
    def exchange_by_name(self) -> Mapping[str, Exchange]:
        """All exchanges by name: the default exchange, the predeclared and the declared exchanges."""
        by_name = {DEFAULT_EXCHANGE: Exchange(DEFAULT_EXCHANGE, "direct")}
        for name, exchange_type in self.rules.predeclared.items():
            by_name[name] = Exchange(name, exchange_type, internal=name in self.rules.internal)
        # A file can declare a predeclared exchange to give it settings, for example an alternate exchange.
        return by_name | {exchange.name: exchange for exchange in self.exchanges}

    @cached_property
    def queue_names(self) -> frozenset[str]:
        """The names of all queues. The name of a queue is also its binding key at the default exchange."""
        return frozenset(queue.name for queue in self.queues)

    @cached_property
    def relay_nodes(self) -> Mapping[str, TargetType]:
        """For each name that a message's ``to`` can contain at the anonymous relay: "queue" or "exchange".

        If a queue and an exchange have the same name, the value is the kind that the broker resolves first. The
        mapping is meaningless if ``rules.relay`` is ``PATH``, because ``to`` is then a path and not a name.
        """
        exchanges: dict[str, TargetType] = {name: "exchange" for name in self.exchange_by_name if name}
        queues: dict[str, TargetType] = dict.fromkeys(self.queue_names, "queue")
        if self.rules.relay is RelayAddress.QUEUE_FIRST:
            return exchanges | queues
        return {name: destination_type for name, destination_type in (queues | exchanges).items() if "/" not in name}

    @cached_property
    def bindings_by_source(self) -> Mapping[str, tuple[Binding, ...]]:
        """The bindings of each exchange that has bindings, without the implied bindings of the default exchange."""
        by_source: dict[str, list[Binding]] = {}
        for binding in self.bindings:
            by_source.setdefault(binding.source, []).append(binding)
        return {source: tuple(bindings) for source, bindings in by_source.items()}

    @cached_property
    def key_exchanges(self) -> frozenset[str]:
        """The exchanges from which a message can reach a binding that compares the message's original routing key.

        After a binding that replaces the routing key, no binding compares the original key.
        """
        before: dict[str, set[str]] = {}
        found = {DEFAULT_EXCHANGE} if self.queue_names else set()
        for binding in self.bindings:
            if compares_key(self.rules, self.exchange_by_name[binding.source].type, binding):
                found.add(binding.source)
            if binding.destination_type == "exchange" and self.replacement_key(binding) is None:
                before.setdefault(binding.destination, set()).add(binding.source)
        for exchange in self.exchange_by_name.values():
            alternate = self.alternate(exchange)
            if alternate is not None and alternate.type == "exchange":
                before.setdefault(alternate.name, set()).add(exchange.name)
        waiting = list(found)
        while waiting:
            new = before.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return frozenset(found)

    @cached_property
    def onward(self) -> tuple[Link, ...]:
        """All links, including a link from each queue with an alternate binding to the destination of that binding."""
        alternates = (
            Link("alternate", _alternate_when(queue), queue.name, queue.alternate.name, "queue", queue.alternate.type)
            for queue in self.queues
            if queue.alternate is not None
        )
        return (*self.links, *alternates)

    @property
    def not_computed(self) -> tuple[str, ...]:
        """Texts about elements of the file that affect messages, but that this package does not compute."""
        return tuple(dict.fromkeys(one.message for one in self.findings if one.code == NOT_COMPUTED))

    @property
    def knows_state(self) -> bool:
        """False if a JMS broker's file comes without its state: the consumers, and the queues that clients created."""
        return self.rules.addressing.has_exchanges or self.readers is not None

    @property
    def knows_subscribers(self) -> bool:
        """False for ActiveMQ without the broker's state: its file does not contain the subscribers of topics."""
        return self.rules.addressing.names_subscribers or self.knows_state

    def alternate(self, exchange: Exchange) -> Alternate | None:
        """Return the destination of messages that ``exchange`` cannot route; None if it has none that can be used."""
        alternate = exchange.alternate
        if alternate is None or alternate.type != "exchange":
            return alternate
        if alternate.name == DEFAULT_EXCHANGE and not self.rules.default_as_alternate:
            return None
        return alternate if alternate.name in self.exchange_by_name else None

    def condition(self, binding: Binding) -> All:
        """Return the condition that ``binding`` applies to messages at its exchange.

        The condition is built once: later calls with the same ``binding`` return the same object.
        """
        known = self._conditions.get(id(binding))
        if known is None:
            exchange_type = self.exchange_by_name[binding.source].type
            # The binding is stored with its condition, so that no other binding can get the same id().
            known = self._conditions[id(binding)] = binding_condition(self.rules, exchange_type, binding), binding
        return known[0]

    @cached_property
    def _conditions(self) -> dict[int, tuple[All, Binding]]:
        return {}

    def selector(self, binding: Binding) -> str | None:
        """Return the text of the binding's selector; None if it has none or its exchange does not evaluate one."""
        return selector_text(self.rules, self.exchange_by_name[binding.source].type, binding)

    def dialect(self, binding: Binding) -> str:
        """Return the name of the dialect of the binding's selector."""
        return selector_dialect(self.rules, binding)

    def headers(self, binding: Binding) -> HeadersMatch | None:
        """Return the meaning of the arguments of a headers binding; None if the binding does not compare headers."""
        compares = self.exchange_by_name[binding.source].kind.compares_headers
        return binding_headers(self.rules, binding) if compares else None

    def xquery(self, binding: Binding) -> str | None:
        """Return the query of a binding of an XML exchange; None if every message with the binding's key matches."""
        evaluates = self.exchange_by_name[binding.source].kind.evaluates_query
        return binding.text(XQUERY_ARGUMENT) if evaluates else None

    def replacement_key(self, binding: Binding) -> str | None:
        """Return the routing key that ``binding`` gives to a message; None if the message keeps its own key."""
        if not self.rules.replaces_keys or binding.destination_type != "exchange":
            return None
        return binding.text(REPLACEMENT_ARGUMENT)


def _to_queue(link: Link) -> Link:
    """Return ``link``, but with a queue as its destination if the link publishes to the default exchange with a key.

    The default exchange sends such a message to the queue whose name is the key.
    """
    if (link.destination_type, link.destination) != ("exchange", DEFAULT_EXCHANGE) or link.key is None:
        return link
    return replace(link, destination=link.key, destination_type="queue")


def _alternate_when(queue: Queue) -> str:
    """Return a text for users: the cases in which a queue of Broker-J sends a message to its alternate binding."""
    attempts, expiry = (queue.arguments.get(name) for name in (ATTEMPTS_ARGUMENT, EXPIRY_ARGUMENT))
    conditions = ["rejected"]
    if attempts is not None:
        # The value is a string if the file has a placeholder such as ``${attempts}``, which only the broker replaces.
        conditions.append(f"delivered {attempts.value!s} times")
    if expiry is not None and expiry.value == ROUTE_TO_ALTERNATE:
        conditions.append("expired")
    conversion = queue.arguments.get(CONVERSION_ARGUMENT)
    if conversion is not None and conversion.value == ROUTE_TO_ALTERNATE:
        conditions.append("not to be converted for a consumer")
    return ", ".join((*conditions, "or left behind when the queue is deleted"))


def check_topology(value: object, name: str = "topology") -> None:
    """Raise ``TypeError`` if ``value`` is not a topology, with a hint how to read a file name or a dict."""
    if not isinstance(value, Topology):
        hint = f"read the file with read_topology({value!r})" if isinstance(value, str) else None
        if isinstance(value, Mapping):
            hint = "topology_from_dict converts the content of a file to a Topology"
        raise unexpected(name, "a Topology", value, hint)


def unknown_name(what: str, name: str, known: Iterable[str], predeclared: Container[str]) -> TopologyError:
    """Return the error for the unknown exchange or queue ``name``, with similar names, or else some of ``known``.

    ``predeclared`` names come last, because every topology of the broker has them.
    """
    named = sorted(filter(None, known), key=lambda each: (each in predeclared, each))
    hint, fix = meant(name, named, None)
    hint = hint or f"the known names are {first_of(named, 5)}"
    return TopologyError.at("topology.unknown", f"there is no {what} called {name!r}", hint=hint, fix=fix)


def check_exchange(name: str | None, *topologies: Topology) -> None:
    """Raise ``TopologyError`` if no topology has the exchange ``name``; at a JMS broker any destination is allowed."""
    known: set[str] = set()
    predeclared: set[str] = set()
    for topology in topologies:
        if name is None or topology.rules.addressing.may_name(name, topology.exchange_by_name):
            return
        known |= topology.exchange_by_name.keys()
        predeclared |= topology.rules.predeclared.keys()
    raise unknown_name("exchange", name or "", known, predeclared)


def check_entries(topology: Topology) -> None:
    """Raise ``TopologyError`` if the topology of a JMS broker lacks an exchange at which messages of senders enter.

    The importer of the broker's own file creates these exchanges; a handwritten topology may lack them.
    """
    missing = [name for name in topology.rules.addressing.entries if name not in topology.exchange_by_name]
    if missing:
        message = f"messages to {topology.rules.name} enter at exchanges that do not exist: {', '.join(missing)}"
        hint = (
            "perhaps read the broker's own file, such as broker.xml or activemq.xml, from which these "
            "exchanges are created"
        )
        raise TopologyError([_error("topology.entries", "exchanges", message, hint)])


def _error(code: str, path: str, message: str, hint: str | None = None, fix: Remedy | None = None) -> Diagnostic:
    return at_path(code, "error", path, message, hint, fix)


def _missing(code: str, path: str, what: str, name: str, known: Mapping[str, object] | frozenset[str]) -> Diagnostic:
    hint, fix = meant(name, known, path)
    hint = hint or f"perhaps declare the {what}, or remove the entry"
    return _error(code, path, f"there is no {what} called {name!r}", hint, fix)


def _errors(topology: Topology) -> Iterator[Diagnostic]:
    yield from _name_errors("queues", topology.queues)
    yield from _name_errors("exchanges", topology.exchanges)
    for number, queue in enumerate(topology.queues):
        if queue.alternate is not None:
            yield from _alternate_errors(topology, queue.alternate, f"{queue.path or f'queues[{number}]'}.alternate")
    for number, exchange in enumerate(topology.exchanges):
        yield from _exchange_errors(topology, exchange, exchange.path or f"exchanges[{number}]")
    for number, binding in enumerate(topology.bindings):
        yield from _binding_errors(topology, binding, binding.path or f"bindings[{number}]")
    if topology.default_exchange not in topology.exchange_by_name:
        name = topology.default_exchange
        yield _missing("topology.no-exchange", "default_exchange", "exchange", name, topology.exchange_by_name)


def _name_errors(what: str, declared: Sequence[Queue | Exchange]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for number, item in enumerate(declared):
        path = f"{item.path or f'{what}[{number}]'}.name"
        if item.name in seen:
            yield _error("topology.duplicate", path, f"{item.name!r} is declared twice")
        if not item.name and isinstance(item, Queue):
            yield _error("topology.no-name", path, "a queue must have a name")
        seen.add(item.name)


def _exchange_errors(topology: Topology, exchange: Exchange, path: str) -> Iterator[Diagnostic]:
    rules = topology.rules
    if exchange.type not in rules.types:
        types = ", ".join(rules.types)
        message = f"{rules.name} has no exchanges of type {exchange.type!r}"
        yield _error("topology.exchange-type", f"{path}.type", message, f"its types are {types}")
    if exchange.name == DEFAULT_EXCHANGE:
        message = "the default exchange has no name, always exists and cannot be declared"
        yield _error("topology.reserved", f"{path}.name", message)
    elif exchange.name in rules.predeclared:
        if exchange.type != rules.predeclared[exchange.name]:
            message = f"{exchange.name} is predeclared with type {rules.predeclared[exchange.name]}"
            yield _error("topology.exchange-type", f"{path}.type", message)
    elif exchange.name.startswith(rules.reserved) and exchange.declared and not exchange.is_unknown:
        message = f"{exchange.name!r}: names that begin with {' or '.join(rules.reserved)} are reserved for the broker"
        yield _error("topology.reserved", f"{path}.name", message, "perhaps choose another name")
    if exchange.alternate is not None:
        yield from _alternate_errors(topology, exchange.alternate, f"{path}.alternate")


def _alternate_errors(topology: Topology, alternate: Alternate, path: str) -> Iterator[Diagnostic]:
    if alternate.type in ("own-queue", "outcome"):
        yield from _end_errors(topology, alternate.type, alternate.name, path)
        return
    if alternate.type == "queue" and not topology.rules.alternate_queues:
        yield _error("topology.alternate", path, f"in {topology.rules.name} an alternate is an exchange, not a queue")
    known = topology.queue_names if alternate.type == "queue" else topology.exchange_by_name
    if alternate.name not in known and not topology.rules.tolerates_missing_alternate:
        yield _missing(f"topology.no-{alternate.type}", path, alternate.type, alternate.name, known)


def _end_errors(topology: Topology, kind: TargetType, name: str, path: str) -> Iterator[Diagnostic]:
    """Yield the errors of a binding or link at ``path`` whose target is neither a queue nor an exchange."""
    if kind not in topology.rules.addressing.targets:
        yield _error("topology.destination", path, f"{topology.rules.name} binds only queues and exchanges")
    elif kind == "outcome" and name not in ENDS:
        yield _error("topology.destination", path, f"{name!r} is not an outcome of a send", f"it is {', '.join(ENDS)}")


def _binding_errors(topology: Topology, binding: Binding, path: str) -> Iterator[Diagnostic]:
    exchange = topology.exchange_by_name.get(binding.source)
    if exchange is None:
        known = topology.exchange_by_name
        yield _missing("topology.no-exchange", f"{path}.source", "exchange", binding.source, known)
        return
    if binding.source == DEFAULT_EXCHANGE:
        message = "the default exchange accepts no bindings: every queue is bound to it by the queue's name"
        yield _error("topology.default-exchange", f"{path}.source", message)
    if binding.destination_type == "exchange":
        if not topology.rules.exchange_to_exchange:
            message = f"{topology.rules.name} does not bind exchanges to exchanges"
            yield _error("topology.exchange-to-exchange", f"{path}.destination_type", message)
        elif binding.destination == DEFAULT_EXCHANGE:
            message = "the default exchange accepts no bindings"
            yield _error("topology.default-exchange", f"{path}.destination", message)
        elif binding.destination not in topology.exchange_by_name:
            known = topology.exchange_by_name
            yield _missing("topology.no-exchange", f"{path}.destination", "exchange", binding.destination, known)
    elif binding.destination_type != "queue":
        yield from _end_errors(topology, binding.destination_type, binding.destination, path)
    elif binding.destination not in topology.queue_names:
        yield _missing("topology.no-queue", f"{path}.destination", "queue", binding.destination, topology.queue_names)
    if exchange.kind.requires_selector and binding.text(SELECTOR_ARGUMENT) is None:
        message = f"an exchange of type {exchange.type} requires a selector in each binding"
        yield _error("topology.no-selector", path, message, "perhaps write TRUE to match every message")
    yield from _argument_errors(topology, exchange, binding, path)


def _argument_errors(topology: Topology, exchange: Exchange, binding: Binding, path: str) -> Iterator[Diagnostic]:
    if binding.key.count(topology.rules.topic.syntax.delimiter) >= MAX_WORDS:
        yield _error("topology.key", f"{path}.key", f"a key has more than {MAX_WORDS:,} words")
        return
    if exchange.kind.key is KeyTest.WORDS and not topology.rules.topic.pattern(binding.key) and binding.key:
        yield _error(
            "topology.key",
            f"{path}.key",
            f"{topology.rules.name} does not accept a binding key that consists only of dots",
        )
    if exchange.kind.compares_headers:
        try:
            binding_headers(topology.rules, binding)
        except TopologyError as error:
            diagnostic = error.diagnostics[0]
            yield _error(diagnostic.code, f"{path}.arguments.x-match", diagnostic.message, diagnostic.hint)
    for argument in (SELECTOR_ARGUMENT, XQUERY_ARGUMENT, REPLACEMENT_ARGUMENT):
        value = binding.arguments.get(argument)
        if value is not None and not isinstance(value.value, str | None):
            kind = value.type.value
            yield _error("topology.argument", f"{path}.arguments.{argument}", mismatch("text", kind))
    dialect = topology.dialect(binding)
    if dialect not in DIALECTS:
        argument_path = f"{path}.arguments.{DIALECT_ARGUMENT}"
        hint, fix = meant(dialect, DIALECTS, argument_path)
        hint = hint or f"the dialects are {', '.join(DIALECTS)}"
        yield _error("dialect.unknown", argument_path, f"there is no dialect called {dialect!r}", hint, fix)
