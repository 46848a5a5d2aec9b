"""A topology from a file: which form it is in shows in what it holds. The texts in its bindings are parsed, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Literal, get_args

from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.jsontext import MAX_VALUES, JsonTextError, load_json, without_comments
from transpiler.base.errors import TopologyError, TranspilerError
from transpiler.base.source import Source
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.literal_scanner import scan
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.importers.activemq_config import activemq_brokers, read_broker
from transpiler.topology.importers.activemq_topology import topology_of_activemq
from transpiler.topology.importers.artemis_config import core_of_properties, read_core, read_wildfly, wildfly_servers
from transpiler.topology.importers.artemis_topology import topology_of_artemis
from transpiler.topology.importers.broker_j import topology_from_broker_j, vhosts_of_broker_j
from transpiler.topology.importers.json_reader import Entry, choose
from transpiler.topology.importers.native_format import topology_from_dict
from transpiler.topology.importers.rabbitmq import topology_from_definitions, vhosts_of_definitions
from transpiler.topology.importers.xml_reader import Element, read_xml
from transpiler.topology.model import MAX_ERRORS, SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding, Topology

#: The forms of topology files: the project's own, RabbitMQ's definitions, Broker-J's, Artemis' and ActiveMQ's
#: configurations.
Form = Literal["topology", "rabbitmq", "broker-j", "artemis", "activemq"]

FORMS: tuple[Form, ...] = get_args(Form)

#: Members of an object in an export of RabbitMQ, as neither Broker-J nor the project's own form without its broker has.
_OF_RABBITMQ = ("vhost", "auto_delete", "arguments")

#: The member of a resource of Artemis' operator that has broker properties.
_PROPERTIES_MEMBER = "brokerProperties"

#: Values of a file of state.
_MAX_STATE = 10_000_000

_OF_BROKER_J = ("virtualhostnodes", "virtualhosts", "modelVersion", "virtualHostInitialConfiguration")


def read_topology(
    path: str | Path,
    state: str | Path | Mapping[str, Any] | None = None,
    *,
    form: Form | None = None,
    vhost: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Topology:
    """The topology in a file: the project's own form as JSON or YAML, RabbitMQ's definitions, Broker-J's JSON, or the
    configuration of a JMS broker: Artemis' ``broker.xml``, its broker properties in a file or in a resource of its
    operator, WildFly's messaging subsystem, ActiveMQ's ``activemq.xml``.

    ``form`` is guessed where it is left out; ``vhost`` chooses one of several virtual hosts, or brokers. ``state`` has
    what the file of a JMS broker cannot know, or names a file of JSON with it: ``queues``, ``subscriptions`` with name,
    destination and selector, and ``consumers``. ``properties`` are the values of its ``${placeholders}``. YAML needs
    the extra ``yaml``. Selectors are parsed and checked. Raises ``TopologyError`` with the file's name
    and the path in it; a file that cannot be read is an ``OSError``.
    """
    if not isinstance(path, str | Path):
        hint = "topology_from_dict reads a dict" if isinstance(path, Mapping) else None
        raise unexpected("path", "a file's name", path, hint)
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TopologyError.at("topology.text", f"{path} is not UTF-8: byte {error.start}") from None
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
    source = Source(text, name)
    try:
        listed = None if _is_xml(text) or form not in (None, "artemis") else _broker_properties(source)
        if listed is not None:
            topology = topology_of_artemis(read_core(core_of_properties(listed, properties)), _read_state(state))
        elif form in ("artemis", "activemq") or (form is None and _is_xml(text)):
            topology = _topology_of_xml(read_xml(source, properties), vhost, _read_state(state))
        elif state is not None or properties:
            message = "state and properties are for the XML of a JMS broker, and this file is none"
            raise TopologyError.at("topology.state", message, source)
        else:
            data = _load(source)
            topology = _READERS[form or guess_form(data)](data, vhost)
        _check_texts(topology)
    except TopologyError as error:
        raise TopologyError([_with_source(diagnostic, source) for diagnostic in error.diagnostics]) from None
    if not topology.findings:
        return topology
    return replace(topology, findings=tuple(_with_source(finding, source) for finding in topology.findings))


def vhosts_of(text: str, name: str) -> list[str]:
    """Return the names of the virtual hosts in a text, as ``parse_topology`` reads it; the project's form has none."""
    if _is_xml(text):
        return list(_brokers(read_xml(Source(text, name))))
    data = _load(Source(text, name))
    match guess_form(data):
        case "rabbitmq":
            return vhosts_of_definitions(data)
        case "broker-j":
            return vhosts_of_broker_j(data)
        case _:
            return []


def _broker_properties(source: Source) -> Source | None:
    """Return the broker properties in a file of them, or in a resource of Artemis' operator; None where there are none.

    Those in a resource are a text of their own, which errors show.
    """
    if PurePath(source.name).suffix == ".properties":
        return source
    if _PROPERTIES_MEMBER not in source.text:
        return None
    data = _load(source)
    listed = data.get("spec", {}).get(_PROPERTIES_MEMBER) if isinstance(data, Mapping) else None
    if not isinstance(listed, list):
        return None
    return Source("\n".join(map(str, listed)), f"{source.name}: spec.{_PROPERTIES_MEMBER}")


def _own_form(data: Any, vhost: str | None) -> Topology:
    if vhost is not None:
        hint = "leave it out: the project's own form has the topology of one virtual host, without its name"
        raise TopologyError.at("topology.vhost", f"there is no virtual host {vhost!r}", hint=hint)
    return topology_from_dict(data)


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


def _load(source: Source) -> Any:
    """Read YAML or JSON, as the name's ending shows; a text under a name without one is JSON if it begins so."""
    name = PurePath(source.name)
    is_json = name.suffix != "" or source.text.lstrip()[:1] in ("{", "[", "")
    return _load_yaml(source) if name.suffix in (".yaml", ".yml") or not is_json else _load_json(source)


def _load_json(source: Source) -> Any:
    try:
        # Bindings with names of one letter have a value for each eight characters. Denser texts are no topologies, and
        # take up many times their size once they are read.
        return load_json(without_comments(source.text), most=max(MAX_VALUES, len(source.text) // 6))
    except JsonTextError as error:
        raise TopologyError.at("topology.json", error.message, source, error.span) from None


def _load_yaml(source: Source) -> Any:
    try:
        import yaml  # noqa: F401
    except ImportError:
        hint = "pip install PyYAML, or write the topology as JSON"
        raise TopologyError.at("topology.yaml", "YAML needs PyYAML", source, hint=hint) from None
    from transpiler.topology.importers.yaml_reader import YamlTextError, load_yaml

    try:
        return load_yaml(source.text)
    except YamlTextError as error:
        raise TopologyError.at("topology.yaml", error.message, source, error.span, error.hint) from None


def _with_source(diagnostic: Diagnostic, source: Source) -> Diagnostic:
    if diagnostic.source is None:
        return replace(diagnostic, source=source)
    if diagnostic.source is source:
        return diagnostic
    # The text is a binding's, and its name is the path in the file.
    return replace(diagnostic, source=Source(diagnostic.source.text, f"{source.name}: {diagnostic.source.name}"))


def _is_xml(text: str) -> bool:
    """Return True if a text is XML rather than JSON or YAML."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def _read_state(state: str | Path | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a broker's state, from a file where it is the name of one; ``TopologyError`` for what does not fit."""
    if state is None:
        return None
    if isinstance(state, str | Path):
        source = Source(Path(state).read_text(encoding="utf-8-sig"), str(state))
        try:
            state = load_json(source.text, _MAX_STATE)
        except JsonTextError as error:
            raise TopologyError.at("topology.json", error.message, source, error.span) from None
    elif not isinstance(state, Mapping):
        raise unexpected("state", "a mapping, or a file's name", state)
    entry = Entry.of(state, "state")
    entry.only(("queues", "subscriptions", "consumers"))
    for item, path in entry.items("queues"):
        if not isinstance(item, str):
            Entry.of(item, path).text("name")
    for item, path in entry.items("subscriptions"):
        inner = Entry.of(item, path)
        inner.text("name")
        inner.text("destination")
    for item, path in entry.items("consumers"):
        inner = Entry.of(item, path)
        inner.text("queue" if "queue" in inner.data else "destination")
    result: Mapping[str, Any] = entry.data
    return result


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


def _topology_of_xml(root: Element, broker: str | None, state: Mapping[str, Any] | None) -> Topology:
    """Return the topology of a document's broker, of the one with that name where it has several."""
    brokers = _brokers(root)
    if not brokers:
        root.refuse(
            "topology.form",
            f"<{root.name}> holds no broker",
            "read here are Artemis' <configuration> with <core>, WildFly's messaging <server>, and ActiveMQ's <broker>",
        )
    form, element = brokers[choose("broker", broker, list(brokers))]
    if form == "activemq":
        return topology_of_activemq(read_broker(element, root), state or {})
    return topology_of_artemis(read_core(element) if form == "artemis" else read_wildfly(element), state)


def _check_texts(topology: Topology) -> None:
    """Parse the selectors and queries of all bindings; ``TopologyError`` names each that does not.

    Selectors that differ in their constants only are parsed once, so that a million bindings are checked in seconds.
    """
    errors = list(islice(_text_errors(topology), MAX_ERRORS + 1))
    if errors:
        raise TopologyError(errors)


def _text_errors(topology: Topology) -> Iterator[Diagnostic]:
    dialect = find_dialect(topology.rules.dialect)
    sound: set[str] = set()
    for number, binding in enumerate(topology.bindings):
        query = topology.xquery(binding)
        if query is not None and query not in sound:
            try:
                parse_query(query)
            except TranspilerError as error:
                yield from _placed(error, query, binding, number, XQUERY_ARGUMENT)
            else:
                sound.add(query)
        selector = topology.selector(binding)
        if selector is None:
            continue
        # The text of an escape matters; other literals are well formed where one of their form is.
        shape = selector if "escape" in selector.lower() else scan(selector)[0]
        if shape in sound:
            continue
        try:
            parse_selector(selector, dialect)
        except TranspilerError as error:
            yield from _placed(error, selector, binding, number, SELECTOR_ARGUMENT)
        else:
            sound.add(shape)


def _placed(error: TranspilerError, text: str, binding: Binding, number: int, argument: str) -> Iterator[Diagnostic]:
    path = f"{binding.path or f'bindings[{number}]'}.arguments.{argument}"
    for diagnostic in error.diagnostics:
        yield replace(diagnostic, source=Source(text, path))
