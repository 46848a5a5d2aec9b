"""RabbitMQ's ``definitions.json``: one virtual host's exchanges, queues and bindings.

An export leaves out the default exchange, the ``amq.`` ones and the implied bindings; ``Rules`` has them. JSON has lost
the AMQP types: an integer is a long, a fraction a double, as the broker itself reads them back. A headers exchange
does not distinguish integers of other widths, timestamps or bytes from their exported form; where it distinguishes
more than the export does, a finding notes how the argument was read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from transpiler.diagnostics import nearest
from transpiler.message.types import COERCION, TYPE_CLASS, AmqpType, AmqpValue, Compound, SelectorType
from transpiler.regex.matcher import Regular, SearchLimitError, compile_regular
from transpiler.regex.syntax import Flavor, RegexError
from transpiler.topology.broker_rules import RABBITMQ, RABBITMQ_3_12, ExchangeType, Rules
from transpiler.topology.importers.json_reader import TYPES_LOST, Entry, Findings, refuse
from transpiler.topology.model import DEFAULT_EXCHANGE, Alternate, Binding, Exchange, Queue, Topology

_TYPES: tuple[ExchangeType, ...] = RABBITMQ.types

#: Parts of an export that have no effect on routing.
_UNRELATED = frozenset(
    """rabbit_version rabbitmq_version product_name product_version rabbitmq_definition_format original_cluster_name
    explanation original_vhost_name users vhosts permissions topic_permissions global_parameters metadata description
    default_queue_type limits name tracing""".split()
)


def topology_from_definitions(data: Mapping[str, Any], vhost: str | None = None) -> Topology:
    """Read the topology of a virtual host from an export of RabbitMQ's definitions.

    ``vhost`` may be left out where the export has one only. ``findings`` lists exchanges of types that plugins bring,
    which are left out with their bindings, settings that change routing from outside (shovels, federation), and
    arguments of headers bindings whose type the export has lost. The member ``rabbitmq_version`` selects the
    comparison of numbers: ``==`` up to 3.12, later ``=:=``. Raises ``TopologyError``.
    """
    root, findings = Entry.of(data, ""), Findings()
    vhost_name = _choose_vhost(root, vhost, findings)
    for name in root.data:
        if name not in _UNRELATED and name not in ("exchanges", "queues", "bindings", "policies", "parameters"):
            findings.add("import.unknown", "", f"{name} is not understood")
    queues = tuple(_queue(entry) for entry in root.entries("queues") if _in(entry, vhost_name))
    exchanges, left_out = _exchanges(root, vhost_name, findings)
    bindings = []
    for entry in root.entries("bindings"):
        if not _in(entry, vhost_name):
            continue
        binding = _binding(entry)
        if binding.source in left_out or (binding.destination_type == "exchange" and binding.destination in left_out):
            name = binding.source if binding.source in left_out else binding.destination
            findings.add("import.left-out", entry.path, f"left out with the exchange {name!r}")
        elif binding.source != DEFAULT_EXCHANGE or binding.key != binding.destination:
            bindings.append(binding)
    types = dict(RABBITMQ.predeclared) | {exchange.name: exchange.type for exchange in exchanges}
    headers = {number for number, binding in enumerate(bindings) if types.get(binding.source) == "headers"}
    bindings = [
        replace(binding, arguments=_as_sent(binding, findings)) if number in headers else binding
        for number, binding in enumerate(bindings)
    ]
    rules = _rules(root, [bindings[number] for number in sorted(headers)], findings)
    for entry in root.entries("parameters"):
        if _in(entry, vhost_name):
            component = entry.text("component", "")
            findings.add("import.unknown", entry.path, f"a parameter of {component or 'a plugin'} is not understood")
    return Topology(rules, exchanges, queues, tuple(bindings), findings=tuple(findings.diagnostics))


#: The first version whose headers exchange compares numbers exactly.
_EXACT = (3, 13)


def _rules(root: Entry, headers: list[Binding], findings: Findings) -> Rules:
    """The rules of the version that wrote the export; without it those of today's, and a finding where they part."""
    for name in ("rabbitmq_version", "rabbit_version"):
        version = re.match(r"([0-9]{1,9})\.([0-9]{1,9})", str(root.data.get(name)))
        if version is not None:
            return RABBITMQ_3_12 if (int(version[1]), int(version[2])) < _EXACT else RABBITMQ
    for binding in headers:
        if any(_is_number(value) for value in binding.arguments.values()):
            message = "the export does not say its version, and this binding asks for a number"
            hint = 'up to 3.12 the integer 1 equals 1.0, later it does not, as here: write "rabbitmq_version": "3.12.0"'
            findings.add("import.version", binding.path, message, hint)
    return RABBITMQ


def _is_number(value: AmqpValue) -> bool:
    selector_type = COERCION[value.type]
    return selector_type is not SelectorType.NULL and TYPE_CLASS[selector_type].numeric


#: How the broker exports bytes that are not UTF-8, in lines of 76 characters.
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


#: The virtual host that every broker begins with.
_DEFAULT_VHOST = "/"


def vhosts_of_definitions(data: Mapping[str, Any]) -> list[str]:
    """Return the names of the virtual hosts of an export; that of one virtual host may name it nowhere."""
    root = Entry.of(data, "")
    names = [entry.text("name") for entry in root.entries("vhosts")]
    for part in ("exchanges", "queues", "bindings"):
        names += [entry.text("vhost") for entry in root.entries(part) if entry.has("vhost")]
    if not names and root.has("original_vhost_name"):
        names.append(root.text("original_vhost_name"))
    return list(dict.fromkeys(names))


def _choose_vhost(root: Entry, vhost: str | None, findings: Findings) -> str | None:
    known = vhosts_of_definitions(root.data)
    if vhost is not None:
        if not known and vhost != _DEFAULT_VHOST:
            findings.add("import.vhost", "", f"the export names no virtual host, so it may not be that of {vhost!r}")
        if known and vhost not in known:
            refuse("topology.vhost", "", f"there is no virtual host {vhost!r}", _instead(vhost, known))
        return vhost
    if len(known) > 1:
        refuse("topology.vhost", "", f"there are {len(known)} virtual hosts", f"choose one of {', '.join(known)}")
    return known[0] if known else None


def _instead(vhost: str, known: list[str]) -> str:
    near = nearest(vhost, known)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def _in(entry: Entry, vhost: str | None) -> bool:
    return vhost is None or not entry.has("vhost") or entry.text("vhost") == vhost


def _queue(entry: Entry) -> Queue:
    return Queue(
        entry.text("name"),
        durable=entry.flag("durable", True),
        auto_delete=entry.flag("auto_delete", False),
        path=entry.path,
    )


def _exchanges(root: Entry, vhost: str | None, findings: Findings) -> tuple[tuple[Exchange, ...], set[str]]:
    exchanges, left_out = [], set()
    policies = _Policies(root, vhost, findings)
    for entry in root.entries("exchanges"):
        if not _in(entry, vhost):
            continue
        name, exchange_type = entry.text("name"), _exchange_type(entry, findings)
        if exchange_type is None:
            left_out.add(name)
            continue
        alternate = policies.alternate(name)
        for argument, value in Entry.of(entry.data.get("arguments") or {}, entry.at("arguments")).data.items():
            if argument == "alternate-exchange" and isinstance(value, str):
                # The exchange's own argument goes before a policy.
                alternate = value
            elif argument != "x-delayed-type":
                findings.add("import.unknown", entry.at(f"arguments.{argument}"), "this argument is not understood")
        exchanges.append(
            Exchange(
                name,
                exchange_type,
                alternate=None if alternate is None else Alternate(alternate),
                durable=entry.flag("durable", True),
                auto_delete=entry.flag("auto_delete", False),
                internal=entry.flag("internal", False),
                path=entry.path,
            )
        )
    return tuple(exchanges), left_out


def _exchange_type(entry: Entry, findings: Findings) -> ExchangeType | None:
    name = entry.text("type")
    if name == "x-delayed-message":
        # The plugin holds a message back and then routes it as this type does.
        delayed = Entry.of(entry.data.get("arguments") or {}, entry.at("arguments"))
        findings.add("import.delayed", entry.at("type"), "messages are routed here without their delay")
        name = delayed.text("x-delayed-type")
    for known in _TYPES:
        if name == known:
            return known
    message = f"exchanges of type {name!r} are not understood; {entry.text('name')!r} is left out with its bindings"
    findings.add("import.exchange-type", entry.at("type"), message)
    return None


def _pattern(entry: Entry) -> Regular:
    """A policy's regular expression, which is tried on names in a time that grows with their length."""
    try:
        return compile_regular(entry.text("pattern"), Flavor.PCRE)
    except RegexError as error:
        hint = "spell the names out" if not error.wrong else None
        refuse("topology.pattern", entry.at("pattern"), f"is no regular expression that is served: {error}", hint)


class _Policies:
    """The policies that give exchanges an alternate: of those that match a name, the one of highest priority counts."""

    def __init__(self, root: Entry, vhost: str | None, findings: Findings) -> None:
        self._known: list[tuple[int, Regular, str | None]] = []
        for entry in root.entries("policies"):
            if not _in(entry, vhost) or entry.text("apply-to", "all") not in ("all", "exchanges"):
                continue
            pattern = _pattern(entry)
            definition = Entry.of(entry.data.get("definition") or {}, entry.at("definition"))
            for setting in definition.data:
                if setting.startswith("federation"):
                    findings.add("import.unknown", definition.at(setting), "federation is not understood")
            priority = entry.data.get("priority") or 0
            if isinstance(priority, bool) or not isinstance(priority, int):
                refuse("topology.type", entry.at("priority"), "expected a number")
            alternate = definition.text("alternate-exchange") if definition.has("alternate-exchange") else None
            self._known.append((priority, pattern, alternate))
        self._known.sort(key=lambda policy: -policy[0])

    def alternate(self, name: str) -> str | None:
        """The alternate exchange that the policies give; only one policy holds for an exchange."""
        try:
            return next((alternate for _, pattern, alternate in self._known if pattern.search(name)), None)
        except SearchLimitError as error:
            refuse("topology.pattern", "policies", f"a pattern cannot be tried on an exchange's name: {error}")


def _binding(entry: Entry) -> Binding:
    return Binding(
        entry.text("source"),
        entry.text("destination"),
        entry.text("routing_key", ""),
        entry.arguments("arguments"),
        entry.one_of("destination_type", ("queue", "exchange"), "queue"),
        entry.path,
    )
