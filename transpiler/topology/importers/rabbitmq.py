"""RabbitMQ's ``definitions.json``: one virtual host's exchanges, queues and bindings.

An export omits the default exchange, the ``amq.`` exchanges and the implied bindings, which ``Rules`` contains. It also
omits exclusive queues and internal exchanges, but lists their bindings: such a queue is added to the topology, and for
such an exchange it is unknown which bindings match. JSON does not keep AMQP types: an integer becomes a long and a
fraction a double, as when the broker itself imports the file. A headers exchange does not distinguish integers of other
widths, timestamps or bytes from their exported form; where it distinguishes more than the export does, a finding
reports how the argument was interpreted.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any, NamedTuple

from transpiler.base.diagnostics import first_of as first_names
from transpiler.base.diagnostics import meant, one_line
from transpiler.base.documents.entries import Entry, Findings, choose
from transpiler.base.errors import TopologyError
from transpiler.message.types import CLASS_OF, AmqpType, AmqpValue, Compound
from transpiler.topology.broker_rules import RABBITMQ, RABBITMQ_3_12, Rules
from transpiler.topology.exchange_types import UNKNOWN
from transpiler.topology.importers.binding_arguments import TYPES_LOST, read_arguments
from transpiler.topology.importers.jms_selector_term import selector_of_term
from transpiler.topology.importers.perhaps import EVERY_MESSAGE, bound_perhaps, free_name
from transpiler.topology.importers.rabbitmq_exchanges import KEPT, Exchanges, arguments_of, listed
from transpiler.topology.importers.rabbitmq_files import add_late_declarations, as_imported
from transpiler.topology.importers.rabbitmq_links import (
    Federated,
    dead_letters,
    federated_here,
    federation,
    queue_type,
    shovel,
    shovel_queues,
    shovel_source,
    upstreams_of,
)
from transpiler.topology.importers.rabbitmq_policies import Policies, operator_policy
from transpiler.topology.importers.rabbitmq_refusals import (
    BINDINGS_STOP,
    Version,
    check_arguments,
    is_bound,
    is_created,
    settings_are_known,
)
from transpiler.topology.importers.settings import definitions_settings
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, SELECTOR_ARGUMENT, Binding, Link, Queue

#: The argument of a binding that contains the selector as the JMS client compiled it.
_TERM = "rjms_erlang_selector"

#: Components of parameters that need no link: they do not affect routing, or other functions read them.
_UNRELATED_PARAMETERS = frozenset(
    "vhost-limits sharding sharding-definition federation-upstream federation-upstream-set operator_policy".split()
)
_OPERATOR_POLICY, _SHOVEL = "operator_policy", "shovel"

#: Maximum number of names that one finding lists.
MAX_NAMES = 3

#: Members of an export that do not affect routing.
_UNRELATED = frozenset(
    """rabbit_version rabbitmq_version product_name product_version rabbitmq_definition_format original_cluster_name
    explanation original_vhost_name users vhosts permissions topic_permissions global_parameters metadata description
    default_queue_type limits name tracing""".split()
)

#: The members of an export that are read.
_READ = frozenset("exchanges queues bindings policies operator_policies parameters".split())


_OF_DEFAULT = (
    "the broker takes this binding of the default exchange, and sends what is published there to the queue with the "
    "key's name all the same"
)


def topology_from_definitions(
    data: Mapping[str, Any] | Entry, vhost: str | None = None, broker_version: str | None = None
) -> Topology:
    """Read the topology of a virtual host from an export of RabbitMQ's definitions.

    ``vhost`` can be omitted if the export has only one virtual host. ``broker_version``, or else the member
    ``rabbitmq_version``, determines which names and elements the broker knows, and how it compares numbers in headers.
    The ``findings`` of the topology report what the broker rejects or chooses itself, and what the export does not
    contain. Raises ``TopologyError``.
    """
    root, findings = _root(data), Findings()
    version = _Version.of(root, broker_version)
    vhost_name = _choose_vhost(root, vhost, findings)
    for name in root.data:
        if name not in _UNRELATED and name not in _READ:
            findings.add("import.unknown", root.at(name), "is not understood")
    number = version.number
    root = as_imported(root, vhost_name, findings)
    always = {DEFAULT_EXCHANGE, *RABBITMQ.predeclared}
    stops = number is None or number >= BINDINGS_STOP
    add_late_declarations(root, vhost_name, always, stops=stops, findings=findings)
    policies = Policies(_accepted(listed(root, "policies", vhost_name), number, findings), findings)
    operator_policies = _operator_policies(root, vhost_name)
    limiting = Policies(_accepted(operator_policies, number, findings, of_operator=True), findings)
    queue_entries, gone = _created(root, vhost_name, number, findings)
    queues = tuple(Queue(entry.text("name"), path=entry.path, **entry.flags(KEPT)) for entry in queue_entries)
    read = Exchanges(root, vhost_name, policies, findings)
    left_out = read.left_out
    types = dict(RABBITMQ.predeclared) | {exchange.name: exchange.type for exchange in read.read}
    selectors = _Selectors(findings)
    bindings, headers, of_default = list[Binding](), list[Binding](), list[Binding]()
    perhaps: list[int] = []
    for entry in listed(root, "bindings", vhost_name):
        binding = _binding(entry)
        if binding.source in left_out or (binding.destination_type == "exchange" and binding.destination in left_out):
            name = binding.source if binding.source in left_out else binding.destination
            message = f"this binding is skipped, because its exchange {name!r} is skipped"
            findings.add("import.left-out", entry.path, message)
        elif binding.destination_type == "queue" and binding.destination in gone:
            message = f"this binding is skipped, because its queue {binding.destination!r} is skipped"
            findings.add("import.left-out", entry.path, message)
        elif types.get(binding.source) == "x-jms-topic":
            selected = selectors.read(binding)
            if selected is not None:
                perhaps += [len(bindings)] if binding.path in selectors.beyond else []
                bindings.append(selected)
        elif types.get(binding.source) == "headers":
            sent = replace(binding, arguments=_as_sent(binding, findings))
            if is_bound(sent, "headers", number, findings):
                headers.append(sent)
                bindings.append(sent)
        elif types.get(binding.source) == "x-consistent-hash":
            bindings += [binding] if is_bound(binding, "x-consistent-hash", number, findings) else []
        elif binding.source == DEFAULT_EXCHANGE:
            of_default.append(binding)
            if (binding.destination_type, binding.destination, binding.arguments) != ("queue", binding.key, {}):
                findings.add("topology.default-exchange", entry.at("source"), _OF_DEFAULT)
        else:
            bindings.append(binding)
    rules = _rules(version, headers, findings)
    queues += _undeclared(root, vhost_name, {queue.name for queue in queues} | gone, read, findings)
    taken = {queue.name for queue in queues}
    queues += _shovelled(root, vhost_name, taken)
    taken |= {queue.name for queue in queues}
    readers = _Readers(read, number, taken, findings)
    for entry in _of_component(root, vhost_name, _SHOVEL):
        readers.add_shovel(entry, vhost_name)
    for fed in federated_here(root, vhost_name):
        readers.add_federation(fed)
    queues += tuple(readers.queues)
    perhaps += [len(bindings) + location for location in readers.perhaps]
    bindings += readers.bindings
    read.add_alternates()
    bindings = read.with_default(bindings, of_default)
    links = [link for one in queue_entries for link in dead_letters(one, arguments_of(one), policies, limiting, number)]
    links += federation(policies, upstreams_of(root, vhost_name), read.read, queues, findings)
    streams = {one.text("name") for one in queue_entries if queue_type(one, arguments_of(one)) == "stream"}
    links += _parameters(root, vhost_name, streams, readers.of_shovels, findings)
    topology = Topology(
        rules,
        tuple(read.read),
        queues,
        (*bindings, *read.of_alternates),
        findings=tuple(findings.diagnostics),
        links=tuple(links),
        version=version.text,
        settings=tuple(definitions_settings(lambda part: listed(root, part, vhost_name))),
        vhost=vhost_name,
    )
    return bound_perhaps(topology, perhaps)


def _created(
    root: Entry, vhost: str | None, version: Version | None, findings: Findings
) -> tuple[list[Entry], set[str]]:
    """Return the entries of the queues that the broker creates from a file, and the names of all other queues.

    Mistakes in the entries are added to ``findings``.
    """
    bound = {one.data.get("destination") for one in listed(root, "bindings", vhost)}
    created, gone = list[Entry](), set[str]()
    for entry in listed(root, "queues", vhost):
        name, arguments, kind = entry.text("name"), arguments_of(entry), _known_type(entry, root)
        check_arguments(entry, arguments, kind, version, findings)
        if is_created(entry, arguments, kind, is_bound=name in bound, version=version, findings=findings):
            created.append(entry)
        else:
            gone.add(name)
    return created, gone


def _undeclared(
    root: Entry, vhost: str | None, queues: Set[str], read: Exchanges, findings: Findings
) -> tuple[Queue, ...]:
    """Return the queues that bindings name but the file does not declare.

    Exchanges that are named but not declared are added to ``read``. ``queues`` are the names of the declared queues.
    Add findings about the undeclared queues and exchanges.
    """
    declared = {exchange.name for exchange in read.read}
    known = {
        "queue": queues,
        "exchange": declared | {DEFAULT_EXCHANGE, *RABBITMQ.predeclared, *read.left_out},
    }
    found: dict[str, dict[str, str]] = {"queue": {}, "exchange": {}}
    for entry in listed(root, "bindings", vhost):
        binding = _binding(entry)
        ends = (
            ("exchange", binding.source, "source"),
            (binding.destination_type, binding.destination, "destination"),
        )
        for kind, name, member in ends:
            if name not in known[kind]:
                found[kind].setdefault(name, entry.at(member))
    for kind, sort in (("queue", "exclusive"), ("exchange", "internal")):
        if found[kind]:
            _warn_of_undeclared(kind, found[kind], sort, known[kind], findings)
    for name, location in found["exchange"].items():
        read.add_undeclared(name, location)
    return tuple(Queue(name, path=location, declared=False) for name, location in found["queue"].items())


#: Texts for users about what the topology assumes of an undeclared queue or exchange: for one object, and for several.
_FATES = {"queue": ("it takes part", "they take part"), "exchange": ("what goes through it is possible",) * 2}


def _warn_of_undeclared(kind: str, found: Mapping[str, str], sort: str, known: Set[str], findings: Findings) -> None:
    """Add a finding about the queues, or the exchanges, in ``found``: names that an export uses but does not declare.

    ``kind`` is ``queue`` or ``exchange``, and ``sort`` an adjective for those that exports never contain. ``known`` are
    the declared names, of which similar ones become hints.
    """
    fate = _FATES[kind][len(found) > 1]
    hints = [(name, *meant(name, sorted(known), location)) for name, location in found.items()]
    near = [(name, hint, fix) for name, hint, fix in hints if hint is not None]
    [(first, location), *others] = found.items()
    if not others:
        message = f"the {kind} {first!r} is not declared, as an {sort} one is not in an export: {fate}"
        findings.add(f"import.undeclared-{kind}", location, message, *hints[0][1:])
        return
    names = first_names(map(repr, found), MAX_NAMES)
    message = f"{len(found):,} {kind}s are not declared, as {sort} ones are not in an export: {fate}: {names}"
    hint = "; ".join(f"{name}: {hint}" for name, hint, _ in near[:MAX_NAMES]) or None
    findings.add(f"import.undeclared-{kind}", location, message, hint, near[0][2] if len(near) == 1 else None)


def _accepted(
    entries: Iterable[Entry], version: Version | None, findings: Findings, *, of_operator: bool = False
) -> Iterator[Entry]:
    """Yield the policies that this version of the broker accepts; add findings about the other policies."""
    return (one for one in entries if settings_are_known(one, version, findings, of_operator=of_operator))


def _known_type(entry: Entry, root: Entry) -> str:
    """Return the type of the queue ``entry``; empty if it has no type and a virtual host sets a default type."""
    is_given = arguments_of(entry).has("x-queue-type") or entry.has("type")
    defaults = (one for one in root.entries("vhosts") if isinstance(one.data.get("metadata"), Mapping))
    has_default = any("default_queue_type" in one.data["metadata"] for one in defaults) or root.has(
        "default_queue_type"
    )
    return queue_type(entry, arguments_of(entry)) if is_given or not has_default else ""


def _of_component(root: Entry, vhost: str | None, component: str) -> Iterator[Entry]:
    """Yield the parameters of ``component`` (such as shovels) in a virtual host."""
    return (entry for entry in listed(root, "parameters", vhost) if entry.text("component", "") == component)


class _Readers:
    """A builder of the queues through which shovels and federation links take messages from exchanges of this host.

    A shovel that reads an exchange declares a queue without a name and binds it with the shovel's key
    (``rabbit_shovel_parameters:src_decl_exchange``, in later versions ``rabbit_amqp091_shovel``). The bindings of a
    federation's queue are the current bindings of the exchange that it feeds.
    """

    def __init__(self, read: Exchanges, version: Version | None, taken: set[str], findings: Findings) -> None:
        self._types = dict(RABBITMQ.predeclared) | {exchange.name: exchange.type for exchange in read.read}
        self._version, self._taken, self._findings = version, taken, findings
        self.queues: list[Queue] = []
        self.bindings: list[Binding] = []
        #: The indices in ``bindings`` of bindings whose condition cannot be evaluated.
        self.perhaps: list[int] = []
        #: The queue of each shovel, by the shovel's path in the file.
        self.of_shovels: dict[str, str] = {}

    def add_shovel(self, entry: Entry, vhost: str | None) -> None:
        """Add the queue of a shovel, if it reads an exchange of this virtual host."""
        source = shovel_source(entry, vhost)
        if source is None or source.exchange not in self._types:
            return
        name = free_name(f"shovel {entry.text('name', '')}", self._taken)
        binding = Binding(source.exchange, name, source.key, path=entry.at("value"))
        if not is_bound(binding, self._types[source.exchange], self._version, Findings()):
            message = f"the broker refuses {source.key!r} as the shovel's key at {source.exchange!r}: it reads nothing"
            self._findings.add("import.shovel", entry.path, message)
            return
        self.of_shovels[entry.path] = name
        message = f"the shovel has a queue of its own at {source.exchange!r}, which this topology calls {name!r}"
        self._findings.add("import.shovel", entry.path, message, severity="info")
        self._add(binding, is_known=True)

    def add_federation(self, fed: Federated) -> None:
        """Add the queue through which federation feeds another exchange from an exchange of this virtual host."""
        if fed.upstream not in self._types:
            return
        name = free_name(f"federation of {fed.upstream}", self._taken)
        message = f"federation has a queue of its own at {fed.upstream!r}, which this topology calls {name!r}"
        self._findings.add("import.federation", fed.path, message, severity="info")
        for entry in fed.bindings:
            self._add(replace(_binding(entry), source=fed.upstream, destination=name), is_known=False)

    def _add(self, binding: Binding, *, is_known: bool) -> None:
        kind = self._types[binding.source]
        if kind == "x-jms-topic":
            binding, is_known = replace(binding, arguments={SELECTOR_ARGUMENT: EVERY_MESSAGE}), False
        if not is_known and kind != UNKNOWN:
            self.perhaps.append(len(self.bindings))
        if all(queue.name != binding.destination for queue in self.queues):
            self.queues.append(Queue(binding.destination, path=binding.path, declared=False))
        self.bindings.append(binding)


def _shovelled(root: Entry, vhost: str | None, known: set[str]) -> tuple[Queue, ...]:
    """Return the queues that shovels declare and that are not in ``known``."""
    found = dict(pair for entry in _of_component(root, vhost, _SHOVEL) for pair in shovel_queues(entry, vhost))
    return tuple(Queue(name, path=location, declared=False) for name, location in found.items() if name not in known)


def _operator_policies(root: Entry, vhost: str | None) -> Iterator[Entry]:
    for entry in listed(root, "operator_policies", vhost):
        yield operator_policy(entry)
    for entry in listed(root, "parameters", vhost):
        if entry.text("component", "") == _OPERATOR_POLICY:
            value = operator_policy(Entry.of(entry.data.get("value"), entry.at("value")))
            yield Entry({"name": entry.data.get("name"), **value.data}, value.path)


def _parameters(
    root: Entry, vhost: str | None, streams: Set[str], of_shovels: Mapping[str, str], findings: Findings
) -> Iterator[Link]:
    """Yield the links of shovels, from the shovel's own queue if it has one; add findings about other plugins."""
    for entry in listed(root, "parameters", vhost):
        component = entry.text("component", "")
        if component in _UNRELATED_PARAMETERS:
            continue
        if component == _SHOVEL:
            link = shovel(entry, vhost, streams)
            if entry.path in of_shovels:
                link = replace(link, source=of_shovels[entry.path], source_type="queue")
            yield link
        else:
            findings.add(
                "import.unknown",
                entry.path,
                f"this parameter of {component or 'a plugin'} is ignored, because selector-sql does not support it",
            )


#: The first version whose headers exchange compares numbers with ``=:=``, so that 1 is not 1.0.
_EXACT = (3, 13)


class _Version(NamedTuple):
    """The version of RabbitMQ that imports the file: its text (may be empty), and its first two numbers if known."""

    text: str
    number: Version | None

    @classmethod
    def of(cls, root: Entry, given: str | None) -> _Version:
        """Return the version ``given``, or else the version that wrote the export; empty if neither is known."""
        text = given or root.data.get("rabbitmq_version") or root.data.get("rabbit_version")
        if not text and root.data.get("product_name") in (None, "RabbitMQ"):
            # Use the version of the product, unless the export names another vendor's product, which has its own
            # version numbers.
            text = root.data.get("product_version")
        text = one_line(text) if isinstance(text, str) and text[:1].isdigit() else ""
        numbers = re.match(r"([0-9]{1,9})\.([0-9]{1,9})", text)
        if given is not None and numbers is None:
            message = f"{given!r} is not a version of RabbitMQ"
            raise TopologyError.at(
                "topology.version",
                message,
                hint="a version begins with two numbers and a dot between them, such as 4.1",
            )
        return cls(text, None if numbers is None else (int(numbers[1]), int(numbers[2])))


def _rules(version: _Version, headers: list[Binding], findings: Findings) -> Rules:
    """Return the rules of RabbitMQ's ``version``; for an unknown version, the rules of the current version.

    If the version is unknown, add a finding for each of the bindings ``headers`` with a number in its arguments,
    because earlier versions compare numbers differently.
    """
    if version.number is not None:
        return RABBITMQ_3_12 if version.number < _EXACT else RABBITMQ
    for binding in headers:
        if any(_is_number(value) for value in binding.arguments.values()):
            message = "this binding requires a number, but the export does not contain the version of the broker"
            hint = 'up to 3.12 1 equals 1.0, later it does not, as here: perhaps write "rabbitmq_version": "3.12.0"'
            findings.add("import.version", binding.path, message, hint)
    return RABBITMQ


def _is_number(value: AmqpValue) -> bool:
    return value.type is not AmqpType.NULL and CLASS_OF[value.type].numeric


#: The prefix of the base64 text with which the broker exports bytes that are not UTF-8, in lines of 76 characters.
_BYTES = "Not UTF-8, base64 is: "


def _as_sent(binding: Binding, findings: Findings) -> dict[str, AmqpValue]:
    """Return the arguments of a headers binding as the client sent them, as far as the export contains their types."""
    arguments = {}
    for name, value in binding.arguments.items():
        path = f"{binding.path}.arguments.{name}"
        arguments[name] = value
        match value:
            case AmqpValue(AmqpType.STRING, "undefined") if name != "x-match":
                arguments[name] = AmqpValue(AmqpType.NULL, None)
                message = "the text undefined is read as a void argument, which the broker exports as this text"
                findings.add(
                    "import.void",
                    path,
                    message,
                    "a binding with a void argument requires that a message has the header, with any value",
                )
            case AmqpValue(AmqpType.STRING, str() as text) if text.startswith(_BYTES):
                try:
                    data = base64.b64decode(text.removeprefix(_BYTES).replace("\n", ""), validate=True)
                except (binascii.Error, ValueError):
                    continue
                arguments[name] = AmqpValue(AmqpType.BINARY, data)
                message = "the value is read as bytes, which the broker exports as base64 if they are not text"
                findings.add("import.bytes", path, message)
            case AmqpValue(AmqpType.DOUBLE):
                message = (
                    "the number is read as a double; it may have been a decimal, which the broker "
                    "exports as another number"
                )
                findings.add("import.decimal", path, message)
            case AmqpValue(Compound()):
                findings.add("import.types", path, TYPES_LOST)
    return arguments


#: The virtual host that every new broker has.
_DEFAULT_VHOST = "/"


def _root(data: Mapping[str, Any] | Entry) -> Entry:
    return data if isinstance(data, Entry) else Entry.of(data, "")


def vhosts_of_definitions(data: Mapping[str, Any] | Entry) -> list[str]:
    """Return the names of the virtual hosts in an export; empty if the export contains no name of a virtual host."""
    root = _root(data)
    names = [entry.text("name") for entry in root.entries("vhosts")]
    names += _vhosts_with_objects(root)
    if not names and root.has("original_vhost_name"):
        names.append(root.text("original_vhost_name"))
    return list(dict.fromkeys(names))


def _vhosts_with_objects(root: Entry) -> list[str]:
    parts = (entry for part in ("exchanges", "queues", "bindings") for entry in root.entries(part))
    return list(dict.fromkeys(entry.text("vhost") for entry in parts if entry.has("vhost")))


def _choose_vhost(root: Entry, vhost: str | None, findings: Findings) -> str | None:
    known = vhosts_of_definitions(root)
    if vhost is None and len(known) > 1:
        known = _vhosts_with_objects(root) or known
    if not known:
        if vhost not in (None, _DEFAULT_VHOST):
            message = f"the export names no virtual host, so it may describe another virtual host than {vhost!r}"
            findings.add("import.vhost", None, message)
        return vhost
    return choose("virtual host", vhost, known)


class _Selectors:
    """A reader of bindings of ``x-jms-topic`` exchanges.

    RabbitMQ's JMS client has compiled their selectors to Erlang terms, which the reader converts back to text.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._selectors: dict[tuple[str, str, str, str], str] = {}
        #: The paths of bindings whose selectors are too large for this package to evaluate.
        self.beyond: set[str] = set()

    def read(self, binding: Binding) -> Binding | None:
        """Return ``binding`` with the text of its selector; None, with a finding, if the binding has no selector.

        The broker rejects a binding without a selector.
        """
        term = binding.text(_TERM)
        path = f"{binding.path}.arguments"
        if term is None:
            message = f"the broker rejects a binding to this exchange without {_TERM}, so the binding is skipped"
            self._findings.add("import.selector", path, message)
            return None
        try:
            selector = selector_of_term(term, f"{path}.{_TERM}")
        except TopologyError as error:
            if not error.diagnostics[0].code.startswith("limit."):
                raise
            message = f"the selector cannot be evaluated, so it may match: {error.diagnostics[0].message}"
            self._findings.add("topology.not-evaluated", f"{path}.{_TERM}", message)
            self.beyond.add(binding.path)
            return replace(binding, arguments={SELECTOR_ARGUMENT: EVERY_MESSAGE})
        location = (binding.source, binding.key, binding.destination_type, binding.destination)
        if self._selectors.setdefault(location, selector) != selector:
            message = f"another binding of {binding.source!r} to {binding.destination!r} has the same key"
            hint = "the broker uses the last selector for both bindings; here, each binding uses its own selector"
            self._findings.add("import.selector", binding.path, message, hint)
        return replace(binding, arguments={SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, selector)})


def _binding(entry: Entry) -> Binding:
    return Binding(
        entry.text("source"),
        entry.text("destination"),
        entry.text("routing_key", ""),
        read_arguments(entry, "arguments") if entry.data.get("arguments") != [] else {},
        entry.one_of("destination_type", ("queue", "exchange"), "queue"),
        entry.path,
    )
