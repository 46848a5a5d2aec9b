"""Answers of a running broker about its queues, exchanges and bindings, merged into the file that declares them.

The module reads answers of RabbitMQ's management interface (``/api/queues``, ``/api/exchanges``, ``/api/bindings``,
``/api/policies``, or a page of such a list), of ``rabbitmqctl list_…`` as text or with ``--formatter json``, of
``artemis queue stat`` as text or with ``--json``, of Jolokia
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
from itertools import pairwise
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TypeAlias

from transpiler.base.documents.erlang_terms import ErlangTermError, read_erlang_term
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source
from transpiler.language.selector.broker_dialects import ARTEMIS_CORE
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


class PoliciesOf(NamedTuple):
    """The names of the policy and of the operator policy that RabbitMQ applies to a queue; empty if none applies.

    ``settings`` are the settings that result from both policies. ``operator``, ``settings`` and ``vhost`` are None if
    the broker's answer does not contain them.
    """

    vhost: str | None
    queue: str
    policy: str
    operator: str | None
    settings: Mapping[str, Any] | None


@dataclass
class Answers:
    """The objects of a running broker, read from what its API or its command line printed (an *answer*).

    ``parts`` maps a kind of object, such as "queues", to the objects. Nothing is known about a kind that is absent.
    """

    broker: Broker
    parts: dict[str, list[Json]] = field(default_factory=dict)
    #: For each kind of object of which an answer contains only a page: the number of objects that the answers contain,
    #: the number of objects at the broker, and the noun for them.
    counts: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    #: The queues of RabbitMQ whose answer names their policies.
    policies: list[PoliciesOf] = field(default_factory=list)

    def is_whole(self, part: str) -> bool:
        """Return True if the answers contain all objects of ``part``. An object that is absent then does not run."""
        has, of, _ = self.counts.get(part, (0, 0, ""))
        return has >= of

    @property
    def notes(self) -> list[str]:
        """Sentences for users that say which elements come from the file, because the broker's answers lack them."""
        *first, last = sorted(self.parts)
        parts = f"{', '.join(first)} and {last}" if first else last
        notes = [f"the broker's {parts} are compared; what else NEW has is taken from OLD"]
        notes += [
            f"the broker's output contains {has:,} of {of:,} {unit}: which {part} are missing is not known"
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
            one = _read(source)
        except TopologyError:
            raise
        except (ErlangTermError, ValueError):
            # A cell of a table, or the definition of a policy, is not valid, so the text is not a broker's answer.
            return None
        if one is None:
            return None
        if found is None:
            found = one
            continue
        if one.broker != found.broker:
            message = f"{source.name} is the output of {one.broker}, but another file is the output of {found.broker}"
            raise TopologyError.at("topology.form", message)
        for part, objects in one.parts.items():
            found.parts.setdefault(part, []).extend(objects)
        found.policies += one.policies
        for part, (has, of, unit) in one.counts.items():
            found.counts[part] = (has + found.counts.get(part, (0, 0, ""))[0], of, unit)
    return found


def _read(source: Source) -> Answers | None:
    text = source.text
    if text.lstrip()[:1] not in ("{", "["):
        return _of_rabbitmqctl(text) or _of_queue_stat(source)
    try:
        data = load_json(text, max(500_000, len(text) // 6))
    except JsonTextError:
        return None
    if isinstance(data, Mapping) and isinstance(data.get("items"), list) and "page_count" in data:
        found = _of_rabbitmq(data["items"], source)
        if found is not None and isinstance(data["page_count"], int):
            found.counts = dict.fromkeys(found.parts, (1, data["page_count"], "pages"))
        return found
    if isinstance(data, list):
        return _of_rabbitmq(data, source)
    return _of_jolokia(data) if isinstance(data, Mapping) else None


def _of_rabbitmq(objects: Sequence[Any], source: Source) -> Answers | None:
    if not all(isinstance(one, Mapping) for one in objects):
        return None
    if not objects:
        # An empty list does not say whether it lists queues, exchanges, … Read the kind from the name of its file.
        named = [part for part in _KEPT if part in PurePath(source.name).stem.lower()]
        if len(named) != 1:
            hint = f"perhaps name the file after them, such as {' or '.join(f'{part}.json' for part in _KEPT)}"
            message = f"{source.name} is an empty list, which does not say what the broker has none of"
            raise TopologyError.at("topology.form", message, hint=hint)
        return Answers("rabbitmq", {named[0]: []})
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
    answers = Answers("rabbitmq", {part: [_plain(part, one) for one in objects]})
    answers.policies = [_policies_of(one) for one in objects if part == "queues" and "policy" in one]
    return answers


def _policies_of(queue: Json) -> PoliciesOf:
    operator, settings = queue.get("operator_policy"), queue.get("effective_policy_definition")
    return PoliciesOf(
        queue.get("vhost"),
        str(queue["name"]),
        str(queue["policy"] or ""),
        str(operator or "") if "operator_policy" in queue else None,
        # The broker writes an empty object as an array.
        {} if settings == [] else settings if isinstance(settings, Mapping) else None,
    )


def _plain(part: str, given: Json) -> Json:
    """Convert an object that a running RabbitMQ reports to the form that the object has in an export of definitions."""
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
        objects.append({"vhost": vhost, **{name: _cell(name, cells[name]) for name in cells}})
    answers = Answers("rabbitmq", {part: [_plain(part, one) for one in objects]})
    answers.policies = [_policies_of(one) for one in objects if part == "queues" and {"name", "policy"} <= {*one}]
    return answers


def _of_queue_stat(source: Source) -> Answers | None:
    """Return the queues in the table that ``artemis queue stat`` prints (``StatQueue``, ``TableOut``); else None.

    A cell that is longer than its column goes on in the next line, indented by two spaces.
    """
    lines = [line for line in source.text.split("\n") if line.startswith("|")]
    if not lines or not re.match(r"\| *NAME *\| *ADDRESS *\|", lines[0]):
        return None
    # A queue's name may contain the separator "|", so take the positions of the columns from the header line.
    ends = [place for place, character in enumerate(lines[0]) if character == "|"]
    rows: list[list[str]] = []
    for line in lines:
        cells = [line[start + 1 : end] for start, end in pairwise(ends)]
        if rows and all(not cell.strip() or cell.startswith("  ") for cell in cells[:2]):
            rows[-1] = [before + cell[2:].rstrip() for before, cell in zip(rows[-1], cells, strict=True)]
        else:
            rows.append([cell.rstrip() for cell in cells])
    [header, *queues] = rows
    width = ends[1] - ends[0] - 1
    if any(row[0].endswith("...") and len(row[0]) == width for row in queues):
        message = f"the list of queues in {source.name} contains shortened names"
        hint = "perhaps print the queues with their full names: artemis queue stat --maxColumnSize -1"
        raise TopologyError.at("topology.form", message, hint=hint)
    columns = {re.sub("[ _]", "", title).lower(): place for place, title in enumerate(header)}
    routing, internal = columns.get("routingtype"), columns.get("internal", columns.get("internalqueue"))
    objects: list[Json] = []
    for row in queues:
        is_internal = internal is not None and row[internal].strip().lower() == "true"
        if not is_internal and not row[0].startswith(_OWN):
            kind = {} if routing is None else {"routing-type": row[routing].strip()}
            objects.append({"name": row[0], "address": row[1], **kind})
    answers = Answers("artemis", {"queues": objects})
    more = re.search(r"displayed queues are (\d{1,9})/(\d{1,9})", source.text)
    if more is not None:
        answers.counts["queues"] = (int(more[1]), int(more[2]), "queues")
    return answers


def _cell(column: str, text: str) -> Any:
    """Convert ``text``, a cell of the table of ``rabbitmqctl``, to the type of its column.

    The types are boolean, number, Erlang term, or text: a queue may be called ``42``. Raises ``ErlangTermError`` or
    ``ValueError`` if ``text`` is not of the type.
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
    asked = data.get("request")
    if isinstance(value, Mapping) and isinstance(value.get("data"), list):
        operation = asked.get("operation") if isinstance(asked, Mapping) else None
        return _listed(value, operation.partition("(")[0] if isinstance(operation, str) else None)
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
        return None if value else _nothing_found(asked)
    broker: Broker = "artemis" if "routing-type" in beans[0] else "activemq"
    if broker == "artemis":
        return Answers(broker, {"queues": [one for one in beans if not one["name"].startswith(_OWN)]})
    kinds = dict.fromkeys(one["kind"] for one in beans)
    return Answers(broker, {kind: _named(one["name"] for one in beans if one["kind"] == kind) for kind in kinds})


def _nothing_found(asked: object) -> Answers | None:
    """Return the meaning of an empty answer of Jolokia: no queues (or topics), if ``asked`` searched for these.

    ``asked`` is the request, because an empty answer does not say what was searched for. Return None for other
    requests.
    """
    pattern = asked.get("mbean") if isinstance(asked, Mapping) and asked.get("type") in ("search", "read") else None
    if not isinstance(pattern, str):
        return None
    domain, _, rest = pattern.partition(":")
    pairs = dict(_PAIRS.findall(rest))
    if domain == "org.apache.activemq.artemis" and pairs.get("subcomponent") == "queues":
        return Answers("artemis", {"queues": []})
    kind = pairs.get("destinationType")
    if domain == "org.apache.activemq" and kind in ("Queue", "Topic"):
        return Answers("activemq", {f"{kind.lower()}s": []})
    return None


def _named(names: Iterable[str]) -> list[Json]:
    return [{"name": name} for name in dict.fromkeys(names) if not name.startswith(_OWN)]


def _of_bean(attributes: Json, name: object) -> dict[str, Any]:
    """Return the filter of a queue as ``{"filter": …}``, from the attributes of its MBean; empty if unknown.

    ``attributes`` maps the names of MBeans to their attributes, and ``name`` is that of the queue.
    """
    given = attributes.get(name) if isinstance(name, str) else None
    return {"filter": given["Filter"] or ""} if isinstance(given, Mapping) and "Filter" in given else {}


def _listed(answer: Json, asked: str | None) -> Answers | None:
    """Return the queues in a result of ``listQueues``; ``asked`` is the name of the operation, None if not known."""
    objects = [one for one in answer["data"] if isinstance(one, Mapping) and "name" in one]
    if answer["data"] == [] and answer.get("count") == 0 and asked not in (None, "listQueues"):
        return None
    if answer["data"] and (not objects or "address" not in objects[0] or "queue" in objects[0]):
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
    """Return the definitions ``data``, with the objects in the virtual host ``vhost`` replaced by the running ones.

    Kinds of objects that the broker's answers do not contain are kept as declared.
    """
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
    # Every queue has a binding to the default exchange under its name. The broker lists it; definitions do not.
    return part == "bindings" and one.get("source") == "" and one.get("routing_key") == one.get("destination")


def _over(declared: Json | None, one: Json, part: str, vhost: str | None) -> dict[str, Any]:
    """Return the running object ``one``, with members from its declaration ``declared`` that the answer lacks."""
    if part == "bindings":
        return {**({} if vhost is None else {"vhost": vhost}), **one}
    merged = {**({} if vhost is None else {"vhost": vhost}), **(declared or {}), **one}
    arguments = merged.get("arguments")
    if declared is not None and isinstance(arguments, Mapping):
        # A broker reports ``x-queue-type: classic`` for queues whose declaration sets no type. Remove it there, so that
        # it does not appear as a difference.
        given = declared.get("arguments") or {}
        if arguments.get("x-queue-type") == "classic" and "x-queue-type" not in given:
            merged["arguments"] = {name: value for name, value in arguments.items() if name != "x-queue-type"}
    return merged


def _with_ends(running: Json, data: Json, answers: Answers, vhost: str | None) -> Iterator[Any]:
    """Yield the declared bindings, except bindings of declared queues and exchanges that the running broker lacks."""

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
    # Artemis translates a client's JMS selector to its own filter syntax, with other names for header fields. If the
    # running filter differs from the declared one, it is therefore read in the broker's own dialect.
    dialect = binding.dialect if text == binding.filter else ARTEMIS_CORE
    return replace(binding, address=one.get("address", binding.address), type=kind, filter=text, dialect=dialect)


def running_activemq(config: ActiveMQConfig, answers: Answers) -> ActiveMQConfig:
    """Return a configuration of ActiveMQ whose queues and topics are replaced by the running ones."""
    parts = {part: {one["name"]: "" for one in objects} for part, objects in answers.parts.items()}
    queues = {name: config.queues.get(name, "") for name in parts["queues"]} if "queues" in parts else config.queues
    topics = {name: config.topics.get(name, "") for name in parts["topics"]} if "topics" in parts else config.topics
    return replace(config, queues=queues, topics=topics)
