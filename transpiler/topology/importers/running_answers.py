"""Answers of a running broker about its queues, exchanges and bindings, merged into the file that declares them.

The module reads answers of RabbitMQ's management interface (``/api/queues``, ``/api/exchanges``, ``/api/bindings``,
``/api/policies``, or a page of such a list), of ``rabbitmqctl list_…`` as text or with ``--formatter json``, of Jolokia
for Artemis (``listQueues``, ``QueueNames``, ``AddressNames``) and for ActiveMQ (``Queues``, ``Topics``), and of a
search or a read of the MBeans of Artemis or ActiveMQ. An answer contains only some lists of objects (such as queues).
In the running topology, these lists replace those of the declared topology. A declared binding whose queue or exchange
does not run is removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from transpiler.base.documents.erlang_terms import ErlangTermError, read_erlang_term
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.importers.activemq_config import ActiveMQConfig
from transpiler.topology.importers.artemis_config import AddressBinding, ArtemisConfig

Broker: TypeAlias = Literal["rabbitmq", "artemis", "activemq"]

#: The attributes of RabbitMQ's objects that definitions contain; any other attribute is runtime state.
_KEPT: Mapping[str, tuple[str, ...]] = {
    "queues": ("durable", "auto_delete", "arguments"),
    "exchanges": ("type", "durable", "auto_delete", "internal", "arguments"),
    "bindings": ("source", "destination", "destination_type", "routing_key", "arguments"),
    "policies": ("pattern", "apply-to", "priority", "definition"),
}

#: The member of definitions for each column of ``rabbitmqctl list_bindings`` with a different name.
_COLUMNS = {
    "source_name": "source",
    "destination_name": "destination",
    "destination_kind": "destination_type",
}

#: Pattern of the line before the rows of ``rabbitmqctl``, with the kind of objects and the virtual host.
_LISTING = re.compile(r'^Listing (queues|exchanges|bindings|policies) for vhost "?(.*?)"? ?\.\.\.$', re.MULTILINE)

#: Pattern of a key and a value in the ObjectName of an MBean.
_PAIRS = re.compile(r'([\w-]+)=("(?:[^"\\]|\\.)*"|[^,]*)')

#: The texts with which ActiveMQ replaces characters in an ObjectName (``JMXSupport.encodeObjectNamePart``).
_ENCODED = (("&qe;", "?"), ("&amp;", "="), ("&ast;", "*"))

#: The prefixes of the names of a broker's internal objects.
_OWN = ("$", "notif.", "activemq.management", "activemq.notifications", "ActiveMQ.Advisory")

Json: TypeAlias = Mapping[str, Any]


@dataclass
class Answers:
    """The objects of a running broker. ``parts`` maps a kind ("queues" …) to objects; an absent kind is unknown."""

    broker: Broker
    parts: dict[str, list[Json]] = field(default_factory=dict)
    #: For each part that is incomplete in an answer: the number of objects that the answers contain, the total number
    #: of objects, and the noun for them.
    counts: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def is_whole(self, part: str) -> bool:
        """Return True if the answers contain all objects of ``part``. An object that is absent then does not run."""
        has, of, _ = self.counts.get(part, (0, 0, ""))
        return has >= of

    @property
    def notes(self) -> list[str]:
        """Sentences about the elements of the declared topology that are not compared."""
        *first, last = sorted(self.parts)
        parts = f"{', '.join(first)} and {last}" if first else last
        notes = [f"the broker's {parts} are compared; what else NEW has is taken from OLD"]
        notes += [
            f"the answer has {has:,} of {of:,} {unit}: which {part} are missing is not known"
            for part, (has, of, unit) in self.counts.items()
            if has < of
        ]
        return notes


def read_answers(sources: Sequence[Source]) -> Answers | None:
    """Return the combined content of answers; None if any text is not an answer of a running broker.

    Raises ``TopologyError`` if the answers are from different kinds of brokers.
    """
    found: Answers | None = None
    for source in sources:
        try:
            one = _read(source.text)
        except (ErlangTermError, ValueError):
            # A cell, or the definition of a policy, has a text of another type.
            return None
        if one is None:
            return None
        if found is None:
            found = one
            continue
        if one.broker != found.broker:
            message = f"{source.name} is an answer of {one.broker}, and another one is of {found.broker}"
            raise TopologyError.at("topology.form", message)
        for part, objects in one.parts.items():
            found.parts.setdefault(part, []).extend(objects)
        for part, (has, of, unit) in one.counts.items():
            found.counts[part] = (has + found.counts.get(part, (0, 0, ""))[0], of, unit)
    return found


def _read(text: str) -> Answers | None:
    if text.lstrip()[:1] not in ("{", "["):
        return _of_rabbitmqctl(text)
    try:
        data = load_json(text, max(500_000, len(text) // 6))
    except JsonTextError:
        return None
    if isinstance(data, Mapping) and isinstance(data.get("items"), list) and "page_count" in data:
        found = _of_rabbitmq(data["items"])
        if found is not None and isinstance(data["page_count"], int):
            found.counts = dict.fromkeys(found.parts, (1, data["page_count"], "pages"))
        return found
    if isinstance(data, list):
        return _of_rabbitmq(data)
    return _of_jolokia(data) if isinstance(data, Mapping) else None


def _of_rabbitmq(objects: Sequence[Any]) -> Answers | None:
    if not all(isinstance(one, Mapping) for one in objects) or not objects:
        return None
    members = set(objects[0])
    if members & {"destination_kind", "destination_type"}:
        part = "bindings"
    elif {"pattern", "definition"} <= members:
        part = "policies"
    elif "name" in members and "internal" in members:
        part = "exchanges"
    elif "name" in members and not members & {"modelVersion", "virtualhostnodes", "desiredState"}:
        part = "queues"
    else:
        return None
    return Answers("rabbitmq", {part: [_plain(part, one) for one in objects]})


def _plain(part: str, given: Json) -> Json:
    """Return an object of RabbitMQ reduced to the members of definitions, in the form of definitions."""
    named = {_COLUMNS.get(name, name): value for name, value in given.items()}
    kept = ("vhost", *(() if part == "bindings" else ("name",)), *_KEPT[part])
    one = {name: named[name] for name in kept if name in named}
    if isinstance(one.get("arguments"), list):
        # rabbitmqctl lists the name, the type and the value of each argument.
        one["arguments"] = {pair[0]: pair[-1] for pair in one["arguments"] if isinstance(pair, list) and pair}
    if isinstance(one.get("definition"), str):
        one["definition"] = json.loads(one["definition"])
    return one


def _of_rabbitmqctl(text: str) -> Answers | None:
    """Return the objects in the output of ``rabbitmqctl``: a line of column names, then rows, separated by tabs."""
    title = _LISTING.search(text)
    if title is None:
        return None
    header, *rows = text[title.end() :].strip("\n").split("\n")
    names = header.split("\t")
    part, vhost = title[1], title[2]
    objects = []
    for row in rows:
        cells = dict(zip(names, row.split("\t"), strict=False))
        objects.append(_plain(part, {"vhost": vhost, **{name: _cell(name, cells[name]) for name in cells}}))
    return Answers("rabbitmq", {part: objects})


def _cell(column: str, text: str) -> Any:
    """Return the value of a cell; raises ``ErlangTermError`` or ``ValueError`` if ``text`` is not of the column's type.

    A cell of any other column is text: a queue may be called ``42`` or ``true``.
    """
    if column in ("durable", "auto_delete", "internal"):
        return text == "true"
    if column == "arguments":
        return read_erlang_term(text)
    return int(text) if column == "priority" else text


def _of_jolokia(data: Json) -> Answers | None:
    """Return the queues, addresses and topics in an answer of Jolokia, or in a result of ``listQueues``.

    Return None for any other object.
    """
    value = data.get("value", data if "data" in data else None)
    if isinstance(value, str):
        try:
            value = load_json(value, max(500_000, len(value) // 6))
        except JsonTextError:
            return None
    if isinstance(value, Mapping) and isinstance(value.get("data"), list):
        return _listed(value)
    asked = data.get("request")
    attribute = asked.get("attribute") if isinstance(asked, Mapping) else None
    if attribute in ("QueueNames", "AddressNames") and isinstance(value, list):
        part = "queues" if attribute == "QueueNames" else "addresses"
        return Answers("artemis", {part: [{"name": name} for name in value if not str(name).startswith(_OWN)]})
    if isinstance(value, Mapping) and isinstance(value.get("Queues"), list) and isinstance(value.get("Topics"), list):
        parts = {
            part: [one["name"] for each in value[member] if (one := _mbean(each)) is not None]
            for part, member in (("queues", "Queues"), ("topics", "Topics"))
        }
        return Answers("activemq", {part: _named(names) for part, names in parts.items()})
    if not isinstance(value, list | Mapping):
        return None
    attributes = value if isinstance(value, Mapping) else {}
    beans = [{**one, **_of_bean(attributes, each)} for each in value if (one := _mbean(each)) is not None]
    if not beans:
        return None
    broker: Broker = "artemis" if "routing-type" in beans[0] else "activemq"
    if broker == "artemis":
        return Answers(broker, {"queues": [one for one in beans if not one["name"].startswith(_OWN)]})
    kinds = dict.fromkeys(one["kind"] for one in beans)
    return Answers(broker, {kind: _named(one["name"] for one in beans if one["kind"] == kind) for kind in kinds})


def _named(names: Iterable[str]) -> list[Json]:
    return [{"name": name} for name in dict.fromkeys(names) if not name.startswith(_OWN)]


def _of_bean(attributes: Json, name: object) -> dict[str, Any]:
    """Return the filter of the MBean ``name``, if the answer contains its attributes; else an empty dict."""
    given = attributes.get(name) if isinstance(name, str) else None
    return {"filter": given["Filter"] or ""} if isinstance(given, Mapping) and "Filter" in given else {}


def _listed(answer: Json) -> Answers | None:
    objects = [one for one in answer["data"] if isinstance(one, Mapping) and "name" in one]
    if not objects or "address" not in objects[0] or "queue" in objects[0]:
        return None
    kept = [one for one in objects if str(one.get("temporary")).lower() != "true" and not one["name"].startswith(_OWN)]
    answers = Answers("artemis", {"queues": [_queue(one) for one in kept]})
    count = answer.get("count")
    if isinstance(count, int) and count > len(answer["data"]):
        answers.counts["queues"] = (len(answer["data"]), count, "queues")
    return answers


def _queue(given: Json) -> Json:
    one = {"name": given["name"], "address": given["address"]}
    one |= {"filter": given["filter"] or ""} if "filter" in given else {}
    return one | ({"routing-type": given["routingType"]} if "routingType" in given else {})


def _mbean(given: object) -> dict[str, Any] | None:
    """Return the queue or topic that an ObjectName denotes; None for any other MBean."""
    name = given.get("objectName") if isinstance(given, Mapping) else given
    if not isinstance(name, str):
        return None
    domain, _, rest = name.partition(":")
    pairs = {key: _unquoted(value) for key, value in _PAIRS.findall(rest)}
    if domain == "org.apache.activemq.artemis" and pairs.get("subcomponent") == "queues" and "queue" in pairs:
        of = {"name": pairs["queue"], "address": pairs.get("address", pairs["queue"])}
        return of | {"routing-type": pairs.get("routing-type", "anycast")}
    kind = pairs.get("destinationType", pairs.get("Type", ""))
    if domain != "org.apache.activemq" or kind not in ("Queue", "Topic") or "endpoint" in pairs:
        return None
    plain = pairs.get("destinationName", pairs.get("Destination", ""))
    for encoded, character in _ENCODED:
        plain = plain.replace(encoded, character)
    return {"name": plain, "kind": f"{kind.lower()}s"}


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def running_definitions(data: Json, answers: Answers, vhost: str | None) -> dict[str, Any]:
    """Return definitions of RabbitMQ whose objects in a virtual host are replaced by its running objects."""
    running: dict[str, Any] = {**data}
    for part in ("exchanges", "queues", "policies", "bindings"):
        if part not in answers.parts:
            continue
        declared = [one for one in data.get(part) or () if isinstance(one, Mapping)]
        others = [one for one in declared if not _is_of(one, vhost)]
        by_name = {one.get("name"): one for one in declared if _is_of(one, vhost)}
        objects = [one for one in answers.parts[part] if _is_of(one, vhost) and not _is_brokers_own(part, one)]
        running[part] = [*others, *(_over(by_name.get(one.get("name")), one, part, vhost) for one in objects)]
        if not answers.is_whole(part):
            there = {one.get("name") for one in objects}
            running[part] += [one for name, one in by_name.items() if name not in there]
    if "bindings" not in answers.parts:
        running["bindings"] = [*_with_ends(running, data, answers, vhost)]
    return running


def _is_of(one: Json, vhost: str | None) -> bool:
    return vhost is None or one.get("vhost", vhost) == vhost


def _is_brokers_own(part: str, one: Json) -> bool:
    if part == "exchanges":
        return one.get("name") in ("", *RABBITMQ.predeclared)
    # The bindings of the default exchange are implied.
    return part == "bindings" and one.get("source") == "" and one.get("routing_key") == one.get("destination")


def _over(declared: Json | None, one: Json, part: str, vhost: str | None) -> dict[str, Any]:
    """Return the running object ``one``, with members from its declaration ``declared`` that the answer lacks."""
    if part == "bindings":
        return {**({} if vhost is None else {"vhost": vhost}), **one}
    merged = {**({} if vhost is None else {"vhost": vhost}), **(declared or {}), **one}
    arguments = merged.get("arguments")
    if declared is not None and isinstance(arguments, Mapping):
        # Brokers report the type ``classic`` of a queue even if the declaration of the queue does not set a type.
        given = declared.get("arguments") or {}
        if arguments.get("x-queue-type") == "classic" and "x-queue-type" not in given:
            merged["arguments"] = {name: value for name, value in arguments.items() if name != "x-queue-type"}
    return merged


def _with_ends(running: Json, data: Json, answers: Answers, vhost: str | None) -> Iterator[Any]:
    """Yield the declared bindings, except those of queues and exchanges that are declared and do not run."""

    def gone(part: str) -> set[Any]:
        if part not in answers.parts:
            return set()
        names = [
            {one.get("name") for one in of.get(part) or () if isinstance(one, Mapping) and _is_of(one, vhost)}
            for of in (data, running)
        ]
        return names[0] - names[1]

    queues, exchanges = gone("queues"), gone("exchanges")
    for one in data.get("bindings") or ():
        if isinstance(one, Mapping) and _is_of(one, vhost):
            ends = queues if one.get("destination_type", "queue") == "queue" else exchanges
            if one.get("source") in exchanges or one.get("destination") in ends:
                continue
        yield one


def running_artemis(config: ArtemisConfig, answers: Answers) -> ArtemisConfig:
    """Return a configuration of Artemis whose queues and addresses are replaced by the running ones."""
    declared = {one.name: one for one in config.queues}
    addresses = {name: set(kinds) for name, kinds in config.addresses.items()}
    if "addresses" in answers.parts:
        addresses = {one["name"]: addresses.get(one["name"], set()) for one in answers.parts["addresses"]}
    queues = config.queues
    if "queues" in answers.parts:
        queues = [_address_binding(one, declared.get(one["name"])) for one in answers.parts["queues"]]
        if not answers.is_whole("queues"):
            there = {one.name for one in queues}
            queues += [one for one in config.queues if one.name not in there]
        for queue in queues:
            addresses.setdefault(queue.address, set()).add(queue.type)
    return replace(config, queues=queues, addresses=addresses)


def _address_binding(one: Json, known: AddressBinding | None) -> AddressBinding:
    name = one["name"]
    binding = known or AddressBinding(name, name, "ANYCAST", None, "")
    kind = str(one.get("routing-type", binding.type)).upper()
    text = one["filter"] or None if "filter" in one else binding.filter
    return replace(binding, address=one.get("address", binding.address), type=kind, filter=text)


def running_activemq(config: ActiveMQConfig, answers: Answers) -> ActiveMQConfig:
    """Return a configuration of ActiveMQ whose queues and topics are replaced by the running ones."""
    parts = {part: {one["name"]: "" for one in objects} for part, objects in answers.parts.items()}
    queues = {name: config.queues.get(name, "") for name in parts["queues"]} if "queues" in parts else config.queues
    topics = {name: config.topics.get(name, "") for name in parts["topics"]} if "topics" in parts else config.topics
    return replace(config, queues=queues, topics=topics)
