"""RabbitMQ's ``definitions.json``: one virtual host's exchanges, queues and bindings.

An export leaves out the default exchange, the ``amq.`` ones and the implied bindings; ``Rules`` has them. It leaves out
exclusive queues and internal exchanges as well, and lists their bindings: such a queue takes part, and of such an
exchange it is not known which of its bindings match. JSON has lost
the AMQP types: an integer is a long, a fraction a double, as the broker itself reads them back. A headers exchange
does not distinguish integers of other widths, timestamps or bytes from their exported form; where it distinguishes
more than the export does, a finding notes how the argument was read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

from transpiler.base.diagnostics import meant, one_line
from transpiler.base.documents.entries import Entry, Findings, choose
from transpiler.base.errors import TopologyError
from transpiler.language.filters.binding_rules import read_headers_match
from transpiler.message.types import CLASS_OF, AmqpType, AmqpValue, Compound
from transpiler.topology.broker_rules import RABBITMQ, RABBITMQ_3_12, Rules
from transpiler.topology.importers.binding_arguments import TYPES_LOST, read_arguments
from transpiler.topology.importers.jms_selector_term import selector_of_term
from transpiler.topology.importers.perhaps import EVERY_MESSAGE, bound_perhaps
from transpiler.topology.importers.rabbitmq_exchanges import KEPT, Exchanges, arguments_of, first_of, listed
from transpiler.topology.importers.rabbitmq_policies import (
    Policies,
    dead_letters,
    federation,
    operator_policy,
    queue_type,
    shovel,
    shovel_queues,
)
from transpiler.topology.importers.settings import definitions_settings
from transpiler.topology.model import Topology
from transpiler.topology.records import DEFAULT_EXCHANGE, SELECTOR_ARGUMENT, Binding, Link, Queue

#: The argument of a binding in which the JMS client keeps the selector that it has compiled.
_TERM = "rjms_erlang_selector"

#: Parameters that have no effect on routing; operator policies are read as policies are.
_UNRELATED_PARAMETERS = frozenset(
    "vhost-limits sharding sharding-definition federation-upstream federation-upstream-set operator_policy".split()
)
_OPERATOR_POLICY, _SHOVEL = "operator_policy", "shovel"

#: Parts of an export that have no effect on routing.
_UNRELATED = frozenset(
    """rabbit_version rabbitmq_version product_name product_version rabbitmq_definition_format original_cluster_name
    explanation original_vhost_name users vhosts permissions topic_permissions global_parameters metadata description
    default_queue_type limits name tracing""".split()
)

#: The parts that are read.
_READ = frozenset("exchanges queues bindings policies operator_policies parameters".split())


_OF_DEFAULT = (
    "the broker takes this binding of the default exchange, and sends what is published there to the queue with the "
    "key's name all the same"
)


def topology_from_definitions(data: Mapping[str, Any] | Entry, vhost: str | None = None) -> Topology:
    """Read the topology of a virtual host from an export of RabbitMQ's definitions.

    ``vhost`` may be left out where the export has one only. ``findings`` lists exchanges that choose one of their
    bindings, by a hash or at random; exchanges of unknown types; queues and exchanges that bindings alone name; shovels
    with a queue of their own; and arguments of headers bindings whose type the export has
    lost. The member ``rabbitmq_version`` selects the comparison of numbers: ``==`` up to 3.12, later ``=:=``. Raises
    ``TopologyError``.
    """
    root, findings = _root(data), Findings()
    vhost_name = _choose_vhost(root, vhost, findings)
    for name in root.data:
        if name not in _UNRELATED and name not in _READ:
            findings.add("import.unknown", root.at(name), "is not understood")
    policies = Policies(listed(root, "policies", vhost_name), findings)
    limiting = Policies(_operator_policies(root, vhost_name, findings), findings)
    queue_entries = list(first_of(root, "queues", vhost_name, findings))
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
            findings.add("import.left-out", entry.path, f"left out with the exchange {name!r}")
        elif types.get(binding.source) == "x-jms-topic":
            selected = selectors.read(binding)
            if selected is not None:
                perhaps += [len(bindings)] if binding.path in selectors.beyond else []
                bindings.append(selected)
        elif types.get(binding.source) == "headers":
            sent = replace(binding, arguments=_as_sent(binding, findings))
            if _is_bound(sent, findings):
                headers.append(sent)
                bindings.append(sent)
        elif binding.source == DEFAULT_EXCHANGE:
            of_default.append(binding)
            if (binding.destination_type, binding.destination, binding.arguments) != ("queue", binding.key, {}):
                findings.add("topology.default-exchange", entry.at("source"), _OF_DEFAULT)
        else:
            bindings.append(binding)
    rules = _rules(root, headers, findings)
    queues += _undeclared(root, vhost_name, queues, read, findings)
    read.add_alternates()
    bindings = read.with_default(bindings, of_default)
    queues += _shovelled(root, vhost_name, {queue.name for queue in queues})
    number = _version_number(root)
    links = [link for one in queue_entries for link in dead_letters(one, arguments_of(one), policies, limiting, number)]
    links += federation(policies, read.read, queues)
    streams = {one.text("name") for one in queue_entries if queue_type(one, arguments_of(one)) == "stream"}
    links += _parameters(root, vhost_name, streams, findings)
    topology = Topology(
        rules,
        tuple(read.read),
        queues,
        (*bindings, *read.of_alternates),
        findings=tuple(findings.diagnostics),
        links=tuple(links),
        version=_version(root),
        settings=tuple(definitions_settings(lambda part: listed(root, part, vhost_name))),
        vhost=vhost_name,
    )
    return bound_perhaps(topology, perhaps)


def _undeclared(
    root: Entry, vhost: str | None, queues: tuple[Queue, ...], read: Exchanges, findings: Findings
) -> tuple[Queue, ...]:
    """Return the queues that bindings name and nothing declares, and declare such exchanges, each with a finding."""
    declared = {exchange.name for exchange in read.read}
    known = {
        "queue": {queue.name for queue in queues},
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
    for kind, sort, fate in (
        ("queue", "an exclusive", "it takes part"),
        ("exchange", "an internal", "what goes through it is possible"),
    ):
        for name, place in found[kind].items():
            message = f"the {kind} {name!r} is not declared, as {sort} one is not in an export: {fate}"
            findings.add(f"import.undeclared-{kind}", place, message, *meant(name, sorted(known[kind]), place))
    for name, place in found["exchange"].items():
        read.add_undeclared(name, place)
    return tuple(Queue(name, path=place, declared=False) for name, place in found["queue"].items())


def _shovelled(root: Entry, vhost: str | None, known: set[str]) -> tuple[Queue, ...]:
    """Return the queues that shovels declare, and that are not known otherwise."""
    entries = (entry for entry in listed(root, "parameters", vhost) if entry.text("component", "") == _SHOVEL)
    found = dict(pair for entry in entries for pair in shovel_queues(entry, vhost))
    return tuple(Queue(name, path=place, declared=False) for name, place in found.items() if name not in known)


def _operator_policies(root: Entry, vhost: str | None, findings: Findings) -> Iterator[Entry]:
    for entry in listed(root, "operator_policies", vhost):
        yield operator_policy(entry, findings)
    for entry in listed(root, "parameters", vhost):
        if entry.text("component", "") == _OPERATOR_POLICY:
            value = operator_policy(Entry.of(entry.data.get("value"), entry.at("value")), findings)
            yield Entry({"name": entry.data.get("name"), **value.data}, value.path)


def _parameters(root: Entry, vhost: str | None, streams: Set[str], findings: Findings) -> Iterator[Link]:
    """Yield the links of shovels; add findings for other plugins."""
    for entry in listed(root, "parameters", vhost):
        component = entry.text("component", "")
        if component in _UNRELATED_PARAMETERS:
            continue
        if component == _SHOVEL:
            link = shovel(entry, vhost, streams, findings)
            if link is not None:
                yield link
        else:
            findings.add("import.unknown", entry.path, f"a parameter of {component or 'a plugin'} is not understood")


#: The first version whose headers exchange compares numbers exactly.
_EXACT = (3, 13)


def _rules(root: Entry, headers: list[Binding], findings: Findings) -> Rules:
    """The rules of the version that wrote the export, else today's rules, and a finding where they differ."""
    version = _version_number(root)
    if version is not None:
        return RABBITMQ_3_12 if version < _EXACT else RABBITMQ
    for binding in headers:
        if any(_is_number(value) for value in binding.arguments.values()):
            message = "the export does not say its version, and this binding asks for a number"
            hint = 'up to 3.12 1 equals 1.0, later it does not, as here: perhaps write "rabbitmq_version": "3.12.0"'
            findings.add("import.version", binding.path, message, hint)
    return RABBITMQ


def _version(root: Entry) -> str:
    """Return the version that wrote the export; empty where it is not said."""
    version = root.data.get("rabbitmq_version") or root.data.get("rabbit_version")
    if not version and root.data.get("product_name") in (None, "RabbitMQ"):
        # Products of others count versions of their own.
        version = root.data.get("product_version")
    return one_line(version) if isinstance(version, str) and version[:1].isdigit() else ""


def _version_number(root: Entry) -> tuple[int, int] | None:
    """Return the first two numbers of the version that wrote the export."""
    version = re.match(r"([0-9]{1,9})\.([0-9]{1,9})", _version(root))
    return None if version is None else (int(version[1]), int(version[2]))


def _is_number(value: AmqpValue) -> bool:
    return value.type is not AmqpType.NULL and CLASS_OF[value.type].numeric


#: The form in which the broker exports bytes that are not UTF-8, in lines of 76 characters.
_BYTES = "Not UTF-8, base64 is: "


def _as_sent(binding: Binding, findings: Findings) -> dict[str, AmqpValue]:
    """The arguments of a headers binding as its client sent them, as far as the export shows it."""
    arguments = {}
    for name, value in binding.arguments.items():
        path = f"{binding.path}.arguments.{name}"
        arguments[name] = value
        match value:
            case AmqpValue(AmqpType.STRING, "undefined") if name != "x-match":
                arguments[name] = AmqpValue(AmqpType.NULL, None)
                message = "is how the broker exports a void argument, and is taken for one; it may have been this text"
                findings.add("import.void", path, message, "a void argument asks for the header whatever its value")
            case AmqpValue(AmqpType.STRING, str() as text) if text.startswith(_BYTES):
                try:
                    data = base64.b64decode(text.removeprefix(_BYTES).replace("\n", ""), validate=True)
                except (binascii.Error, ValueError):
                    continue
                arguments[name] = AmqpValue(AmqpType.BINARY, data)
                findings.add("import.bytes", path, "is how the broker exports bytes that are no text, and is read so")
            case AmqpValue(AmqpType.DOUBLE):
                message = "may have been a decimal, which is exported as another number; it is taken for a double"
                findings.add("import.decimal", path, message)
            case AmqpValue(Compound()):
                findings.add("import.types", path, TYPES_LOST)
    return arguments


def _is_bound(binding: Binding, findings: Findings) -> bool:
    """Return True if the broker makes a headers binding when it imports it; it goes on without one that it refuses."""
    try:
        read_headers_match(binding.arguments, RABBITMQ)
    except TopologyError as error:
        [refused] = error.diagnostics
        message = f"{refused.message}: the broker goes on without this binding, and it is left out"
        findings.add(refused.code, f"{binding.path}.arguments.x-match", message, refused.hint)
        return False
    return True


#: The virtual host that every broker begins with.
_DEFAULT_VHOST = "/"


def _root(data: Mapping[str, Any] | Entry) -> Entry:
    return data if isinstance(data, Entry) else Entry.of(data, "")


def vhosts_of_definitions(data: Mapping[str, Any] | Entry) -> list[str]:
    """Return the names of the virtual hosts of an export; that of one virtual host may name it nowhere."""
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
            findings.add("import.vhost", None, f"the export names no virtual host, so it may not be that of {vhost!r}")
        return vhost
    return choose("virtual host", vhost, known)


class _Selectors:
    """The bindings of exchanges of type ``x-jms-topic``, whose compiled selectors are read back."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._selectors: dict[tuple[str, str, str, str], str] = {}
        #: The places of bindings whose selectors are beyond a limit.
        self.beyond: set[str] = set()

    def read(self, binding: Binding) -> Binding | None:
        """Return the binding with its selector; None where it has none, as the broker lets none be without."""
        term = binding.text(_TERM)
        path = f"{binding.path}.arguments"
        if term is None:
            message = f"the broker takes no binding here without {_TERM}; it is left out"
            self._findings.add("import.selector", path, message)
            return None
        try:
            selector = selector_of_term(term, f"{path}.{_TERM}")
        except TopologyError as error:
            if not error.diagnostics[0].code.startswith("limit."):
                raise
            message = f"is not evaluated here, and may match: {error.diagnostics[0].message}"
            self._findings.add("topology.not-evaluated", f"{path}.{_TERM}", message)
            self.beyond.add(binding.path)
            return replace(binding, arguments={SELECTOR_ARGUMENT: EVERY_MESSAGE})
        place = (binding.source, binding.key, binding.destination_type, binding.destination)
        if self._selectors.setdefault(place, selector) != selector:
            message = f"another binding of {binding.source!r} to {binding.destination!r} has the same key"
            hint = "for both the broker tries the selector that was bound last, and here both are tried"
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
