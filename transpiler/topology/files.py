"""A topology from a file: which form it is in shows in what it holds. The texts in its bindings are parsed, too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Literal, get_args

from transpiler.base.arguments import local_path, unexpected
from transpiler.base.diagnostics import Diagnostic, at_path
from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.documents.entries import choose
from transpiler.base.documents.loading import Document, load_documents
from transpiler.base.documents.xml_elements import Element, read_xml
from transpiler.base.errors import TopologyError, TranspilerError, UnsupportedFeatureError
from transpiler.base.source import Source
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector.literal_scanner import scan
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.broker_rules import UNKNOWN
from transpiler.topology.importers.activemq_config import activemq_brokers, read_broker
from transpiler.topology.importers.activemq_state import condition_in_activemq
from transpiler.topology.importers.activemq_topology import topology_of_activemq
from transpiler.topology.importers.artemis_config import (
    ArtemisConfig,
    condition_of,
    read_core,
    read_wildfly,
    wildfly_servers,
)
from transpiler.topology.importers.artemis_properties import core_of_properties
from transpiler.topology.importers.artemis_topology import topology_of_artemis
from transpiler.topology.importers.broker_j import is_broker_j_answer, topology_from_broker_j, vhosts_of_broker_j
from transpiler.topology.importers.kubernetes import (
    READ,
    ArtemisResources,
    Broker,
    HeldFile,
    brokers_of,
    left_out,
    named,
    tree_of,
)
from transpiler.topology.importers.kubernetes_rabbitmq import RabbitMQResources
from transpiler.topology.importers.kubernetes_resources import resources_of
from transpiler.topology.importers.native_format import topology_from_native
from transpiler.topology.importers.perhaps import bound_perhaps
from transpiler.topology.importers.rabbitmq import topology_from_definitions, vhosts_of_definitions
from transpiler.topology.importers.settings import activemq_settings, artemis_settings
from transpiler.topology.importers.state import State, read_state
from transpiler.topology.model import MAX_ERRORS, Topology, check_entries
from transpiler.topology.records import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding

#: The way to read a topology that is in no local file.
_OTHER_FILES = (
    "perhaps copy the file, or take its text to topology_from_dict(json.loads(text)); Spark has it by "
    "spark.read.text(name, wholetext=True).first().value"
)

_FOR_JMS = "state and properties are for the XML of a JMS broker, and this file is none"

#: The forms of topology files: the project's own, RabbitMQ's definitions, Broker-J's, Artemis' and ActiveMQ's
#: configurations.
Form = Literal["topology", "rabbitmq", "broker-j", "artemis", "activemq"]

FORMS: tuple[Form, ...] = get_args(Form)

#: The endings of the names of such files; those of JSON alone may be something else than a topology.
ENDINGS = (".json", ".yaml", ".yml", ".xml", ".properties")

#: Members that mark an object of an export of RabbitMQ: neither Broker-J nor the project's own form without its broker
#: has them.
_OF_RABBITMQ = ("vhost", "auto_delete", "arguments")

_OF_BROKER_J = ("virtualhostnodes", "virtualhosts", "modelVersion", "virtualHostInitialConfiguration")


def names_topology_file(text: str) -> bool:
    """Return True for a text that can be the name of a file of a topology, and is no selector or filter."""
    return text.lower().endswith(ENDINGS) and not any(mark in text for mark in " '=<>{\n")


def read_topology(
    path: str | Path,
    state: str | Path | Mapping[str, Any] | None = None,
    *,
    form: Form | None = None,
    vhost: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Topology:
    """Read the topology in a file.

    The file has the project's own form as JSON or YAML, RabbitMQ's definitions, Broker-J's JSON, or the configuration
    of a JMS broker: Artemis' ``broker.xml``, its broker properties in a file or in a resource of its operator,
    WildFly's messaging subsystem, ActiveMQ's ``activemq.xml``.

    ``form`` is guessed where it is left out; ``vhost`` chooses one of several virtual hosts, or brokers. ``state`` has
    what the file of a JMS broker cannot know, or names a file of JSON with it: ``queues``, ``subscriptions`` with name,
    destination and selector, and ``consumers``. ``properties`` are the values of its ``${placeholders}``. YAML needs
    the extra ``yaml``. Selectors are parsed and checked. Raises ``TopologyError`` with the file's name
    and the path in it; a file that cannot be read is an ``OSError``.
    """
    if isinstance(path, Mapping):
        raise unexpected("path", "a file's name", path, "topology_from_dict reads a dict")
    path = local_path("path", path, _OTHER_FILES)
    try:
        text = decode_text(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise TopologyError.at("topology.text", f"{path} is not UTF-8: byte {error.start}") from None
    except EncodingError as error:
        raise TopologyError.at("topology.text", f"{path} {error}") from None
    return parse_topology(text, str(path), form=form, vhost=vhost, state=state, properties=properties)


def parse_topology(
    text: str,
    name: str,
    *,
    form: Form | None = None,
    vhost: str | None = None,
    state: str | Path | Mapping[str, Any] | None = None,
    properties: Mapping[str, str] | None = None,
) -> Topology:
    """Parse the topology in a text; ``name`` identifies it in errors, and its ending distinguishes YAML from JSON.

    A name without an ending, as that of standard input, leaves it to the text.
    """
    source, known = Source(text, name), read_state(state)
    document, left_out = Document(source), list[Diagnostic]()
    held: Source | None = None
    try:
        if form == "activemq" or (form in (None, "artemis") and _is_xml(text)):
            topology = _topology_of_xml(read_xml(source, properties), vhost, known)
        elif _is_properties(source):
            topology = _topology_of_artemis(read_core(core_of_properties([source], properties)), known)
        else:
            found = _Found(source)
            document, left_out = found.document, found.left_out()
            chosen, vhost = found.choose(vhost)
            document = chosen if isinstance(chosen, Document) else document
            if isinstance(chosen, HeldFile):
                held = chosen.source
                topology = parse_topology(
                    held.text, held.name, form=form, vhost=vhost, state=state, properties=properties
                )
                known = None
            elif isinstance(chosen, ArtemisResources) and form in (None, "artemis"):
                topology = _topology_of_artemis(read_core(chosen.core(properties)), known)
            elif known is not None or properties:
                raise TopologyError.at("topology.state", _FOR_JMS, source)
            elif isinstance(chosen, RabbitMQResources) and form in (None, "rabbitmq"):
                topology = topology_from_definitions(chosen.definitions(), vhost)
                topology = replace(topology, findings=(*topology.findings, *chosen.findings()))
            elif isinstance(chosen, Document):
                topology = _topology_of_data(chosen.plain(), form, vhost)
            else:
                raise TopologyError.at("topology.form", f"the resources of {chosen.name} are not of the form {form}")
        topology = topology if held is not None else _checked(topology)
    except TopologyError as error:
        raise TopologyError(document.placed(error.diagnostics)) from None
    findings = (*document.placed((*topology.findings, *left_out)), *(known.findings if known is not None else ()))
    return replace(topology, findings=findings) if findings else topology


def topology_from_dict(
    data: Mapping[str, Any] | list[Any],
    state: str | Path | Mapping[str, Any] | None = None,
    *,
    form: Form | None = None,
    vhost: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Topology:
    """Read the topology in an object, as a file in JSON or YAML has it: ``json.loads(text)`` of any form of those.

    The parameters are those of ``read_topology``. Raises ``TopologyError`` with the path in the object.
    """
    if not isinstance(data, Mapping | list):
        raise unexpected("data", "a dict, as json.loads returns it", data, _OTHER_FILES)
    if isinstance(data, Mapping) and {"apiVersion", "kind"} <= set(data):
        try:
            text = json.dumps(data, indent=1, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise TopologyError.at("topology.json", f"the object is not as json.loads returns it: {error}") from None
        return parse_topology(text, "the object", state=state, form=form, vhost=vhost, properties=properties)
    if state is not None or properties:
        raise TopologyError.at("topology.state", _FOR_JMS)
    return _checked(_topology_of_data(data, form, vhost))


def _topology_of_data(data: Any, form: Form | None, vhost: str | None) -> Topology:
    """Return the topology that an object describes."""
    chosen = form or guess_form(data)
    if chosen not in _READERS:
        raise TopologyError.at("topology.form", f"an object is no configuration of the form {chosen}, which is XML")
    return _READERS[chosen](data, vhost)


def vhosts_of(text: str, name: str) -> list[str]:
    """Return the names of the virtual hosts in a text, as ``parse_topology`` reads it; the project's form has none."""
    if _is_xml(text):
        return list(_brokers(read_xml(Source(text, name))))
    found = _Found(Source(text, name))
    if len(found.topologies) != 1:
        return [name for name in map(_name_of, found.topologies) if name]
    match found.topologies[0]:
        case HeldFile(source=held):
            return vhosts_of(held.text, held.name)
        case RabbitMQResources() as cluster:
            return vhosts_of_definitions(cluster.definitions())
        case Document() as document:
            data = document.as_read()
            reader = {"rabbitmq": vhosts_of_definitions, "broker-j": vhosts_of_broker_j}.get(guess_form(data))
            return [] if reader is None else reader(data)
        case broker:
            return [broker.name]


class _Found:
    """The topologies of a file in JSON or YAML: documents, and brokers that resources of Kubernetes describe."""

    def __init__(self, source: Source) -> None:
        documents = load_documents(source)
        resources = [resources_of(document) for document in documents]
        self._source = source
        self._resources = [each for listed in resources for each in listed]
        self._brokers = brokers_of(self._resources, _is_brokers_file)
        plain = [document for document, listed in zip(documents, resources, strict=True) if not listed]
        self.topologies: list[Document | Broker] = [*plain, *self._brokers]
        tree = tree_of(self._resources)
        #: The document by which errors find their places.
        self.document = Document(source, node=tree) if tree is not None else plain[0]

    def left_out(self) -> list[Diagnostic]:
        """Return a warning about the resources that are in no topology."""
        return left_out(self._resources, self._brokers)

    def choose(self, name: str | None) -> tuple[Document | Broker, str | None]:
        """Return the topology that a name chooses, or the only one, and the name if it has chosen nothing yet."""
        found = self.topologies
        if not found:
            message = f"no resource here is a topology: {named(self._resources)}"
            raise TopologyError.at("topology.form", message, self._source, hint=READ)
        if len(found) == 1:
            if isinstance(found[0], ArtemisResources) and name is not None:
                choose("broker", name, [found[0].name])
            return found[0], name
        names = [_name_of(each) for each in found]
        if None in names or len(set(names)) < len(names):
            places = ", ".join(each.place.removeprefix(":") for each in found if isinstance(each, Document))
            hint = f"perhaps give each a file of its own{places and ': ' + places}"
            raise TopologyError.at(
                "topology.form", f"there are {len(found)} topologies in the file", self._source, hint=hint
            )
        return found[names.index(choose("broker", name, [str(each) for each in names]))], None


def _name_of(topology: Document | Broker) -> str | None:
    return None if isinstance(topology, Document) else topology.name


#: The names of brokers' files by which one that cannot be read is taken for one.
_BROKERS_FILES = ("definitions.json", "broker.xml", "activemq.xml")


def _is_brokers_file(source: Source) -> bool:
    """Return True for a text that holds a topology, and for one that should."""
    try:
        if _is_xml(source.text):
            return bool(_brokers(read_xml(source)))
        data = load_documents(source)[0].as_read()
    except TopologyError:
        return source.name.endswith(_BROKERS_FILES)
    return isinstance(data, Mapping) and ("broker" in data or guess_form(data) != "topology")


def _is_properties(source: Source) -> bool:
    return PurePath(source.name).suffix.lower() == ".properties"


def _own_form(data: Any, vhost: str | None) -> Topology:
    if vhost is not None:
        hint = "perhaps leave it out: the project's own form has the topology of one virtual host, without its name"
        raise TopologyError.at("topology.vhost", f"there is no virtual host {vhost!r}", hint=hint)
    topology = topology_from_native(data)
    check_entries(topology)
    return topology


_READERS: Mapping[str, Callable[[Any, str | None], Topology]] = {
    "topology": _own_form,
    "rabbitmq": topology_from_definitions,
    "broker-j": topology_from_broker_j,
}


def guess_form(data: Any) -> Form:
    """Guess the form of an object: the project's own has ``broker``, RabbitMQ's exports its version or its members."""
    if isinstance(data, list):
        return "broker-j"
    if not isinstance(data, Mapping) or "broker" in data:
        return "topology"
    if is_broker_j_answer(data):
        return "broker-j"
    if any(str(name).startswith(("rabbit_version", "rabbitmq_")) for name in data) or "permissions" in data:
        return "rabbitmq"
    if any(name in data for name in _OF_BROKER_J):
        return "broker-j"
    bindings = _members(data, "bindings")
    if "routing_key" in bindings or not bindings.isdisjoint(("destination", "destination_type")):
        return "rabbitmq"
    if not (_members(data, "queues") | _members(data, "exchanges")).isdisjoint(_OF_RABBITMQ):
        return "rabbitmq"
    return (
        "broker-j" if "bindings" not in data and any(name in data for name in ("exchanges", "queues")) else "topology"
    )


def _members(data: Mapping[str, Any], part: str) -> set[str]:
    """Return the names of the members of a part's first object."""
    items = data.get(part)
    first = items[0] if isinstance(items, list) and items else None
    return {str(name) for name in first} if isinstance(first, Mapping) else set()


def _is_xml(text: str) -> bool:
    """Return True if a text is XML rather than JSON or YAML."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def _brokers(root: Element) -> dict[str, tuple[str, Element]]:
    """Return the brokers of a document by name, with their form."""
    found: list[tuple[str, str, Element]] = []
    for broker in activemq_brokers(root):
        found.append((broker.attributes.get("brokerName", "localhost"), "activemq", broker))
    if not found and root.name in ("configuration", "core", "addresses", "broker-configuration"):
        core = root if root.name in ("core", "addresses") else next((e for e in root.walk() if e.name == "core"), None)
        if core is None:
            core = root.child("addresses") or next((e for e in root.walk() if e.name == "jms"), None)
        if core is not None:
            name = next(iter(core.named("name")), None)
            found.append(("artemis" if name is None else name.raw.strip(), "artemis", core))
    if not found:
        found += [(server.attributes.get("name", "default"), "wildfly", server) for server in wildfly_servers(root)]
    return {name: (form, element) for name, form, element in found}


def _topology_of_xml(root: Element, broker: str | None, state: State | None) -> Topology:
    """Return the topology of a document's broker, of the one with that name where it has several."""
    brokers = _brokers(root)
    if not brokers:
        _refuse_hornetq(root)
        root.refuse(
            "topology.form",
            f"<{root.name}> holds no broker",
            "read here are Artemis' <configuration> with <core>, WildFly's messaging <server>, and ActiveMQ's <broker>",
        )
    form, element = brokers[choose("broker", broker, list(brokers))]
    if form == "activemq":
        known = {} if state is None else state.of_broker(condition_in_activemq)
        topology = topology_of_activemq(read_broker(element, root), known)
        return replace(topology, settings=tuple(activemq_settings(element)))
    topology = _topology_of_artemis(read_core(element) if form == "artemis" else read_wildfly(element), state)
    return replace(topology, settings=tuple(artemis_settings(element)))


def _refuse_hornetq(root: Element) -> None:
    """Refuse the configuration of HornetQ, which Artemis came from: its own file, or a subsystem of JBoss EAP 6."""
    is_own = any(
        name.startswith("xmlns") and value.startswith("urn:hornetq") for name, value in root.attributes.items()
    )
    server = root if is_own else next((each for each in root.walk() if each.name == "hornetq-server"), None)
    if server is not None:
        hint = "perhaps give Artemis' form of it, which EAP 7 makes by /subsystem=messaging:migrate"
        server.refuse("topology.form", f"<{server.name}> is HornetQ's configuration, which is not read", hint)


def _topology_of_artemis(config: ArtemisConfig, state: State | None) -> Topology:
    return topology_of_artemis(config, None if state is None else state.of_broker(condition_of))


def _checked(topology: Topology) -> Topology:
    """Parse the selectors and queries of all bindings; ``TopologyError`` names each that does not.

    A selector beyond a limit is none of the broker's: its binding may match, with a finding.
    """
    beyond: dict[int, Diagnostic] = {}
    errors = list(islice(_text_errors(topology, beyond), MAX_ERRORS + 1))
    if errors:
        raise TopologyError(errors)
    if not beyond:
        return topology
    return replace(bound_perhaps(topology, beyond), findings=(*topology.findings, *beyond.values()))


def _text_errors(topology: Topology, beyond: dict[int, Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what is wrong; what is ``beyond`` a limit is added by its binding's number.

    Selectors that differ in their constants only are parsed once, so that a million bindings are checked in seconds.
    """
    sound: set[tuple[str, str]] = set()
    for number, binding in enumerate(topology.bindings):
        query = topology.xquery(binding)
        if query is not None and ("", query) not in sound:
            try:
                parse_query(query)
            except TranspilerError as error:
                yield from _placed(error, query, binding, number, XQUERY_ARGUMENT)
            else:
                sound.add(("", query))
        selector = topology.selector(binding)
        if selector is None:
            continue
        # The text of an escape matters; other literals are well formed where one of their form is.
        dialect = topology.dialect(binding)
        shape = selector if "escape" in selector.lower() else scan(selector)[0]
        if (dialect, shape) in sound:
            continue
        try:
            parse_selector(selector, dialect)
        except UnsupportedFeatureError as error:
            if UNKNOWN not in topology.rules.types:
                yield from _placed(error, selector, binding, number, SELECTOR_ARGUMENT)
                continue
            message = f"the selector is not evaluated here, and may match: {error.diagnostics[0].message}"
            path = f"{binding.path or f'bindings[{number}]'}.arguments.{SELECTOR_ARGUMENT}"
            beyond[number] = at_path("topology.not-evaluated", "warning", path, message)
        except TranspilerError as error:
            yield from _placed(error, selector, binding, number, SELECTOR_ARGUMENT)
        else:
            sound.add((dialect, shape))


def _placed(error: TranspilerError, text: str, binding: Binding, number: int, argument: str) -> Iterator[Diagnostic]:
    path = f"{binding.path or f'bindings[{number}]'}.arguments.{argument}"
    for diagnostic in error.diagnostics:
        yield replace(diagnostic, source=Source(text, path), path=path)
