"""A topology from a file: which form it is in shows in what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, Literal, get_args

from transpiler.arguments import unexpected
from transpiler.diagnostics import Diagnostic
from transpiler.errors import TopologyError
from transpiler.jsontext import MAX_VALUES, JsonTextError, load_json, without_comments
from transpiler.source import Source
from transpiler.topology.binding_texts import check_filters
from transpiler.topology.importers.artemis_config import read_core
from transpiler.topology.importers.broker_j import topology_from_broker_j, vhosts_of_broker_j
from transpiler.topology.importers.broker_properties import core_of_properties
from transpiler.topology.importers.native_format import topology_from_dict
from transpiler.topology.importers.rabbitmq import topology_from_definitions, vhosts_of_definitions
from transpiler.topology.importers.xml_forms import (
    brokers_of_xml,
    is_xml,
    read_state,
    topology_from_xml,
    topology_of_config,
)
from transpiler.topology.importers.xml_reader import read_xml
from transpiler.topology.model import Topology

#: The forms of topology files: the project's own, RabbitMQ's definitions, Broker-J's, Artemis' and ActiveMQ's
#: configurations.
Form = Literal["topology", "rabbitmq", "broker-j", "artemis", "activemq"]

FORMS: tuple[Form, ...] = get_args(Form)

#: The forms that are XML.
XmlForm = Literal["artemis", "activemq"]

#: Members of an object in an export of RabbitMQ, as neither Broker-J nor the project's own form without its broker has.
_OF_RABBITMQ = ("vhost", "auto_delete", "arguments")

#: The member of a resource of Artemis' operator that has broker properties.
_PROPERTIES_MEMBER = "brokerProperties"

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
        listed = None if is_xml(text) or form not in (None, "artemis") else _broker_properties(source)
        if listed is not None:
            topology = topology_of_config(read_core(core_of_properties(listed, properties)), read_state(state))
        elif form in get_args(XmlForm) or (form is None and is_xml(text)):
            topology = topology_from_xml(read_xml(source, properties), vhost, read_state(state))
        elif state is not None or properties:
            message = "state and properties are for the XML of a JMS broker, and this file is none"
            raise TopologyError.at("topology.state", message, source)
        else:
            data = _load(source)
            topology = _READERS[form or guess_form(data)](data, vhost)
        check_filters(topology)
    except TopologyError as error:
        raise TopologyError([_with_source(diagnostic, source) for diagnostic in error.diagnostics]) from None
    if not topology.findings:
        return topology
    return replace(topology, findings=tuple(_with_source(finding, source) for finding in topology.findings))


def vhosts_of(text: str, name: str) -> list[str]:
    """Return the names of the virtual hosts in a text, as ``parse_topology`` reads it; the project's form has none."""
    if is_xml(text):
        return brokers_of_xml(read_xml(Source(text, name)))
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
