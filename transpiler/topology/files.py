"""Reading a topology from a file. The content determines the form of the file. Selectors and queries are parsed too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, get_args

from transpiler.base.arguments import check_keywords, local_path, unexpected
from transpiler.base.diagnostics import Diagnostic, at_path, first_of
from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.documents.entries import Entry, choose
from transpiler.base.documents.loading import Document, load_documents
from transpiler.base.documents.xml_elements import Element, read_xml
from transpiler.base.documents.xml_includes import Includer
from transpiler.base.errors import TopologyError, TranspilerError, UnsupportedFeatureError
from transpiler.base.local_files import read_file, why_skipped
from transpiler.base.source import Source
from transpiler.language.path_expressions.xquery import parse_query
from transpiler.language.selector.literal_scanner import scan
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.exchange_types import UNKNOWN
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
from transpiler.topology.importers.artemis_schema import unknown_names
from transpiler.topology.importers.artemis_topology import topology_of_artemis
from transpiler.topology.importers.broker_j import is_broker_j_answer, topology_from_broker_j, vhosts_of_broker_j
from transpiler.topology.importers.included import inclusion_of
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
from transpiler.topology.importers.rabbitmq_files import IN_FILE, merged_definitions, without_vhost
from transpiler.topology.importers.running_answers import (
    Answers,
    running_activemq,
    running_artemis,
    running_definitions,
)
from transpiler.topology.importers.running_answers import Broker as RunningBroker
from transpiler.topology.importers.settings import activemq_settings, artemis_settings
from transpiler.topology.importers.state import State, read_state
from transpiler.topology.model import MAX_ERRORS, Topology, check_entries
from transpiler.topology.records import SELECTOR_ARGUMENT, XQUERY_ARGUMENT, Binding

#: The hint for a topology that is not in a local file.
_OTHER_FILES = (
    "perhaps copy the file, or take its text to topology_from_dict(json.loads(text)); Spark has it by "
    "spark.read.text(name, wholetext=True).first().value"
)

_FOR_JMS = "state and properties apply only to the XML of a JMS broker, but this file is not such XML"

#: Maximum number of included files that a note names.
_MAX_INCLUDED = 3

_NOT_LOADED = "the broker refuses the whole file when it loads the directory"

#: The forms of topology files: the project's own form, RabbitMQ's definitions, and the configurations of Broker-J,
#: Artemis and ActiveMQ.
Form = Literal["topology", "rabbitmq", "broker-j", "artemis", "activemq"]

FORMS: tuple[Form, ...] = get_args(Form)

#: The suffixes of the names of topology files. A JSON file can also be something else than a topology.
ENDINGS = (".json", ".yaml", ".yml", ".xml", ".properties")

#: The suffixes of the names of files that are read as RabbitMQ's definitions in a directory.
_OF_DEFINITIONS = (".json", ".yaml", ".yml")

#: Members of queues and exchanges by which an export of RabbitMQ is recognised. Neither Broker-J's form nor the
#: project's own form without ``broker`` has them.
_OF_RABBITMQ = ("vhost", "auto_delete", "arguments")

_OF_BROKER_J = ("virtualhostnodes", "virtualhosts", "modelVersion", "virtualHostInitialConfiguration")


def names_topology_file(text: str) -> bool:
    """Return True if ``text`` can be the name of a topology file, and cannot be a selector or filter."""
    return text.lower().endswith(ENDINGS) and not any(mark in text for mark in " '=<>{\n")


class ReadOptions(TypedDict, total=False):
    """The keywords of every public function that reads a topology."""

    form: Form | None
    vhost: str | None
    properties: Mapping[str, str] | None
    broker_version: str | None


class _Asked(NamedTuple):
    """The caller's options for reading a file: its form, the virtual host or broker, and data that the file lacks."""

    form: Form | None = None
    vhost: str | None = None
    properties: Mapping[str, str] | None = None
    broker_version: str | None = None
    state: State | None = None
    running: Answers | None = None
    #: The file that contains the text, whose folder contains the files that it includes; None if there is none.
    file: Path | None = None

    def is_form(self, *forms: Form) -> bool:
        """Return True if the caller chose one of ``forms``, or did not choose a form."""
        return self.form is None or self.form in forms


def read_topology(
    path: str | Path, state: str | Path | Mapping[str, Any] | None = None, **options: Unpack[ReadOptions]
) -> Topology:
    """Read the topology in a file.

    The file has the project's own form as JSON or YAML, RabbitMQ's definitions, Broker-J's JSON, or the configuration
    of a JMS broker: Artemis' ``broker.xml``, its broker properties in a file or in a resource of its operator,
    WildFly's messaging subsystem, ActiveMQ's ``activemq.xml``. If ``path`` is a directory, RabbitMQ's definitions in
    its files are read together, in the order of the files' names.

    Args:
        path: The name of the file or the directory.
        state: Runtime state that the file of a JMS broker cannot contain, or the name of a JSON file with this state:
            ``queues``, ``subscriptions`` with name, destination and selector, and ``consumers``.
        form: The form of the file; if None, it is guessed from the content.
        vhost: The virtual host or the broker, if the file has several; ``cluster/host`` for both in resources of
            Kubernetes.
        properties: The values of ``${placeholders}`` in the file of a JMS broker.
        broker_version: The version of RabbitMQ that will import the definitions, such as ``"4.1"``; if None,
            the version that wrote them.

    YAML needs the extra ``yaml``. Selectors are parsed and checked. Raises ``TopologyError`` with the name of the file
    and the path in the file, and ``OSError`` if the file cannot be read.
    """
    check_keywords("read_topology", ReadOptions, options)
    if isinstance(path, Mapping):
        raise unexpected("path", "a file's name", path, "topology_from_dict reads a dict")
    path = local_path("path", path, _OTHER_FILES)
    if path.is_dir():
        found = definition_files(path)
        sources = [Source(_text_of(one), one.name) for one in found.files]
        vhost, version = options.get("vhost"), options.get("broker_version")
        return found.with_findings(parse_definitions(sources, str(path), vhost=vhost, broker_version=version))
    return parse_topology(_text_of(path), str(path), state=state, file=path, **options)


class DefinitionFiles(NamedTuple):
    """The files with definitions in a directory, and the findings about other entries, which are skipped."""

    files: list[Path]
    left_out: tuple[Diagnostic, ...]

    def with_findings(self, topology: Topology) -> Topology:
        """Return ``topology``, which was read from the files, with the findings about the directory added."""
        return replace(topology, findings=(*self.left_out, *topology.findings)) if self.left_out else topology


def definition_files(directory: Path) -> DefinitionFiles:
    """Return the files with definitions in a directory, in the order in which RabbitMQ loads them.

    Named pipes, broken links and directories are never opened, so that the function cannot block. If their names end
    like those of definitions, they yield the warning ``import.left-out``. Other entries yield a note, unless they are
    hidden.
    """
    files: list[Path] = []
    wrong: list[str] = []
    others: list[str] = []
    for one in sorted(directory.iterdir()):
        if one.suffix.lower() not in _OF_DEFINITIONS:
            others += [] if one.name.startswith(".") else [one.name]
            continue
        why = "a directory" if one.is_dir() else why_skipped(one)
        if why is None:
            files.append(one)
        else:
            wrong.append(f"{one.name} ({why})")
    if not files:
        besides = f"; skipped: {', '.join(wrong)}" if wrong else ""
        message = f"{directory} contains no definitions: no file name ends in .json{besides}"
        raise TopologyError.at("topology.form", message)
    source = Source("", str(directory))
    skipped = [
        Diagnostic(
            "import.left-out", "warning", f"skipped, because they are not regular files: {', '.join(wrong)}", source
        )
    ]
    noted = [
        Diagnostic(
            "import.left-out", "info", f"skipped, because their names do not end in .json: {', '.join(others)}", source
        )
    ]
    return DefinitionFiles(files, (*(skipped if wrong else ()), *(noted if others else ())))


def _text_of(path: Path) -> str:
    try:
        return decode_text(read_file(path)).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise TopologyError.at(
            "topology.text", f"{path} is not valid UTF-8: the byte at offset {error.start} cannot be decoded"
        ) from None
    except EncodingError as error:
        raise TopologyError.at("topology.text", f"{path} {error}") from None


def parse_topology(
    text: str,
    name: str,
    *,
    state: str | Path | Mapping[str, Any] | None = None,
    running: Answers | None = None,
    file: Path | None = None,
    **options: Unpack[ReadOptions],
) -> Topology:
    """Parse the topology in a text.

    Args:
        text: The text of a file.
        name: The name of the text in errors. Its suffix distinguishes YAML from JSON; if it has none, the content does.
        form: The form of the file; if None, it is guessed from the content.
        vhost: The virtual host or the broker, if the file has several.
        state: Runtime state that the file of a JMS broker cannot contain, or the name of a JSON file with this state:
            ``queues``, ``subscriptions``, ``consumers``.
        properties: The values of the file's ``${placeholders}``.
        broker_version: The version of the broker, as for ``read_topology``.
        running: Answers of the running broker, as ``read_answers`` returns them. They replace what the text declares.
        file: The file that contains the text. If it is given, files that its XML includes are read from its folder.

    Raises:
        TopologyError: The text is not a valid topology.
    """
    check_keywords("parse_topology", ReadOptions, options)
    return _parsed(Source(text, name), _Asked(**options, state=read_state(state), running=running, file=file))


def _parsed(source: Source, asked: _Asked) -> Topology:
    document = Document(source)
    if asked.form == "activemq" or (asked.is_form("artemis") and _is_xml(source.text)):
        with _placing(document):
            root = read_xml(source, asked.properties)
            found_beside = _with_included(root, asked.file, asked.properties)
        return _of_document(document, lambda: _topology_of_xml(root, asked), asked, found_beside)
    if _is_properties(source):
        with _placing(document):
            core = core_of_properties([source], asked.properties)
        return _of_document(document, lambda: _topology_of_core(core, asked), asked)
    with _placing(document):
        found = _Found(source)
    with _placing(found.document):
        chosen, left = found.choose(asked.vhost)
    asked = asked._replace(vhost=left)
    if isinstance(chosen, HeldFile):
        with _placing(found.document):
            held = _parsed(chosen.source, asked._replace(file=None))
        return replace(held, findings=found.document.located((*held.findings, *found.left_out())))
    document = chosen if isinstance(chosen, Document) else found.document
    return _of_document(document, lambda: _topology_chosen(chosen, asked), asked, found.left_out())


@contextmanager
def _placing(document: Document) -> Iterator[None]:
    """Return a context manager that adds locations in ``document`` to errors raised inside it."""
    try:
        yield
    except TopologyError as error:
        raise TopologyError(document.located(error.diagnostics)) from None


def _of_document(
    document: Document, read: Callable[[], Topology], asked: _Asked, left_out: Iterable[Diagnostic] = ()
) -> Topology:
    """Return the topology that ``read`` returns, after its selectors and queries are checked.

    Its findings, and the errors that ``read`` raises, get their line and column in ``document``. ``left_out`` are
    findings about skipped parts of the file.
    """
    with _placing(document):
        topology = _checked(read())
    of_state = asked.state.findings if asked.state is not None else ()
    findings = (*document.located((*topology.findings, *left_out)), *of_state)
    return replace(topology, findings=findings) if findings else topology


def _topology_chosen(chosen: Document | ArtemisResources | RabbitMQResources, asked: _Asked) -> Topology:
    """Return the topology of a document in JSON or YAML, or of the resources of one broker."""
    if isinstance(chosen, ArtemisResources) and asked.is_form("artemis"):
        return _topology_of_core(chosen.core(asked.properties), asked)
    if asked.state is not None or asked.properties:
        source = chosen.source if isinstance(chosen, Document) else None
        raise TopologyError.at("topology.state", _FOR_JMS, source)
    if isinstance(chosen, RabbitMQResources) and asked.is_form("rabbitmq"):
        topology = _topology_of_definitions(chosen.definitions(), asked)
        return replace(topology, findings=(*topology.findings, *chosen.findings()))
    if isinstance(chosen, Document):
        return _topology_of_data(chosen.plain(), asked)
    raise TopologyError.at("topology.form", f"the Kubernetes resources of {chosen.name} cannot be read as {asked.form}")


def _topology_of_definitions(data: Any, asked: _Asked) -> Topology:
    """Return the topology of RabbitMQ's definitions ``data``.

    If the caller gave answers of a running broker, the running objects replace the objects in ``data``.
    """
    running = _running(asked, "rabbitmq")
    if running is None:
        return topology_from_definitions(data, asked.vhost, asked.broker_version)
    declared = data.data if isinstance(data, Entry) else data
    hosts = vhosts_of_definitions(declared)
    vhost = asked.vhost or (hosts[0] if len(hosts) == 1 else None)
    topology = topology_from_definitions(
        running_definitions(declared, running, vhost), asked.vhost, asked.broker_version
    )
    # Drop the findings: their locations would be positions in the merged definitions, which the user does not have.
    # The same findings are reported when the declared file is read alone.
    return replace(topology, findings=())


def _running(asked: _Asked, *brokers: RunningBroker) -> Answers | None:
    """Return a running broker's replies, if the caller passed them instead of a file; otherwise None.

    If they are replies of a kind of broker that is not in ``brokers``, raise ``TopologyError``.
    """
    if asked.running is not None and asked.running.broker not in brokers:
        compared = "RabbitMQ's definitions, and the configuration of Artemis or ActiveMQ"
        message = (
            f"the output is from a running broker of {asked.running.broker}, but the declared topology is for another "
            "broker"
        )
        raise TopologyError.at(
            "topology.form",
            message,
            hint=f"the output of a running broker, such as its list of queues, can be compared only with {compared}",
        )
    return asked.running


def _refuse_version(asked: _Asked) -> None:
    if asked.broker_version is not None:
        raise TopologyError.at(
            "topology.version", "a broker version can be given only for a definitions file of RabbitMQ"
        )


def parse_definitions(
    sources: Sequence[Source], name: str, *, vhost: str | None = None, broker_version: str | None = None
) -> Topology:
    """Parse definitions of RabbitMQ in several texts, which the broker imports one after the other.

    ``name`` is the name of the directory in errors; errors in a single text have the name of its source.
    """
    documents = _definition_documents(sources, name)
    try:
        merged = merged_definitions({of: document.plain() for of, document in documents.items()})
        topology = _checked(topology_from_definitions(merged, vhost, broker_version))
    except TopologyError as error:
        raise TopologyError(_located_in(documents, name, error.diagnostics)) from None
    orphans = [
        at_path("import.vhost", "warning", path, f"this {kind} does not name a virtual host: {_NOT_LOADED}")
        for path, kind in without_vhost(merged)
    ]
    return replace(topology, findings=tuple(_located_in(documents, name, (*topology.findings, *orphans))))


def vhosts_of_definition_files(sources: Sequence[Source], name: str) -> list[str]:
    """Return the names of the virtual hosts in several texts of definitions; ``name`` as for ``parse_definitions``."""
    documents = _definition_documents(sources, name)
    return vhosts_of_definitions(merged_definitions({of: document.plain() for of, document in documents.items()}))


def _definition_documents(sources: Sequence[Source], name: str) -> dict[str, Document]:
    """Parse each source as a file of RabbitMQ's definitions, and return the documents by the names of the sources.

    If a source contains anything else, raise an error about the directory ``name``.
    """
    documents = {source.name: load_documents(source)[0] for source in sources}
    for of, document in documents.items():
        data = document.as_read()
        if not isinstance(data, Mapping) or "broker" in data or any(member in data for member in _OF_BROKER_J):
            message = f"{of} is not a file of RabbitMQ's definitions, the only files that are read from a directory"
            raise TopologyError.at("topology.form", message, Source("", name))
    return documents


def _located_in(documents: Mapping[str, Document], name: str, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return ``diagnostics``, whose paths begin with a file's name, with locations in these files."""
    located: list[Diagnostic] = []
    for each in diagnostics:
        of, mark, path = (each.path or "").partition(IN_FILE)
        if mark and of in documents:
            message = each.message.replace(f"{of}{IN_FILE}", "")
            located += documents[of].located([replace(each, path=path, message=message)])
        else:
            located += Document(Source("", name)).located([each])
    return located


def topology_from_dict(
    data: Mapping[str, Any] | list[Any],
    state: str | Path | Mapping[str, Any] | None = None,
    **options: Unpack[ReadOptions],
) -> Topology:
    """Read the topology in an object that was parsed from a JSON or YAML file, in any form that such files can have.

    Args:
        data: The object, as ``json.loads`` returns it.
        state: Runtime state that the configuration of a JMS broker cannot contain: ``queues``, ``subscriptions``,
            ``consumers``.
        form: The form of the object; if None, it is guessed from the content.
        vhost: The virtual host, if the object has several.
        properties: The values of the ``${placeholders}`` in broker properties.
        broker_version: The version of the broker, as for ``read_topology``.

    Raises:
        TopologyError: The object is not a valid topology; the error has the path of the invalid element.
    """
    check_keywords("topology_from_dict", ReadOptions, options)
    if not isinstance(data, Mapping | list):
        raise unexpected("data", "a dict, as json.loads returns it", data, _OTHER_FILES)
    asked = _Asked(**options)
    if isinstance(data, Mapping) and {"apiVersion", "kind"} <= set(data):
        try:
            text = json.dumps(data, indent=1, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise TopologyError.at(
                "topology.json", f"the object contains values that json.loads never returns: {error}"
            ) from None
        return _parsed(Source(text, "the object"), asked._replace(state=read_state(state)))
    if state is not None or asked.properties:
        raise TopologyError.at("topology.state", _FOR_JMS)
    return _checked(_topology_of_data(data, asked))


def _topology_of_data(data: Any, asked: _Asked) -> Topology:
    """Return the topology in the object ``data``."""
    form = asked.form or guess_form(data)
    if form == "rabbitmq":
        return _topology_of_definitions(data, asked)
    _refuse_version(asked)
    _running(asked)
    if form == "broker-j":
        return topology_from_broker_j(data, asked.vhost)
    if form == "topology":
        return _own_form(data, asked.vhost)
    raise TopologyError.at(
        "topology.form",
        f"a configuration of the form {form} is XML: it must be given as a file or as text, not as a Python object",
    )


def vhosts_of(text: str, name: str, file: Path | None = None) -> list[str]:
    """Return the names of the virtual hosts, or brokers, in ``text``; empty for the project's own form.

    ``file`` is the file that contains the text, as for ``parse_topology``. If a file of Kubernetes resources has
    several brokers, the names of a broker's virtual hosts are ``broker/host``.
    """
    if _is_xml(text):
        root = read_xml(Source(text, name))
        _with_included(root, file, None)
        return list(_brokers(root))
    found = _Found(Source(text, name))
    if len(found.topologies) == 1:
        return _vhosts_in(found.topologies[0])
    names: list[str] = []
    for each in found.topologies:
        own, hosts = _name_of(each), [] if isinstance(each, Document) else _vhosts_in(each)
        if own:
            names += [f"{own}/{host}" for host in hosts] if len(hosts) > 1 else [own]
    return names


def _vhosts_in(found: Document | Broker) -> list[str]:
    match found:
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
    """The topologies found in a JSON or YAML file: plain documents, and brokers that Kubernetes resources describe."""

    def __init__(self, source: Source) -> None:
        documents = load_documents(source)
        resources = [resources_of(document) for document in documents]
        self._source = source
        self._resources = [each for listed in resources for each in listed]
        self._brokers = brokers_of(self._resources, _is_brokers_file)
        plain = [document for document, listed in zip(documents, resources, strict=True) if not listed]
        self.topologies: list[Document | Broker] = [*plain, *self._brokers]
        tree = tree_of(self._resources)
        #: The document to which the paths in errors refer: the Kubernetes resources, or else the plain document.
        self.document = Document(source, node=tree) if tree is not None else plain[0]

    def left_out(self) -> list[Diagnostic]:
        """Return a warning about the Kubernetes resources that are not part of any broker's topology."""
        return left_out(self._resources, self._brokers)

    def choose(self, name: str | None) -> tuple[Document | Broker, str | None]:
        """Return the topology that ``name`` chooses, and the virtual host to choose inside it.

        If there is only one topology, it is returned. The virtual host is None if ``name`` does not contain one.
        """
        found = self.topologies
        if not found:
            message = f"no resource in the file describes a topology: {named(self._resources)}"
            raise TopologyError.at("topology.form", message, self._source, hint=READ)
        if len(found) == 1:
            own = _name_of(found[0])
            if isinstance(found[0], RabbitMQResources) and name is not None and name.startswith(f"{own}/"):
                # As in a file with several brokers, the user may choose a virtual host as ``broker/host``. Remove the
                # broker's name.
                return found[0], name.removeprefix(f"{own}/")
            if isinstance(found[0], ArtemisResources) and name is not None:
                choose("broker", name, [found[0].name])
            return found[0], name
        names = [_name_of(each) for each in found]
        broker, slash, host = (name or "").partition("/")
        if slash and name not in names and broker in names:
            # The user chose a virtual host as ``broker/host``.
            return found[names.index(broker)], host
        if None in names or len(set(names)) < len(names):
            locations = ", ".join(each.location.removeprefix(":") for each in found if isinstance(each, Document))
            hint = f"perhaps put each topology into its own file{locations and ': ' + locations}"
            raise TopologyError.at(
                "topology.form",
                f"the file contains {len(found)} topologies, but one is expected",
                self._source,
                hint=hint,
            )
        return found[names.index(choose("broker", name, [str(each) for each in names]))], None


def _name_of(topology: Document | Broker) -> str | None:
    return None if isinstance(topology, Document) else topology.name


#: The ends of file names that mark a file as a broker's file even if it cannot be parsed.
_BROKERS_FILES = ("definitions.json", "broker.xml", "activemq.xml")


def _is_brokers_file(source: Source) -> bool:
    """Return True if the text contains a topology, or cannot be parsed and has the name of a broker's file."""
    unreadable = source.name.endswith(_BROKERS_FILES)
    return _contains_topology(source, lambda data: "broker" in data or guess_form(data) != "topology", unreadable)


def is_topology_text(source: Source) -> bool:
    """Return True if ``source`` is certainly a topology, and so no file of messages."""

    def is_topology(data: Mapping[str, Any]) -> bool:
        # A message may have members like those of Broker-J's or the project's own form, such as ``queues``.
        parts = ("exchanges", "queues", "bindings")
        is_own = "broker" in data and any(isinstance(data.get(part), list) for part in parts)
        return is_own or guess_form(data) == "rabbitmq" or any(name in data for name in _OF_BROKER_J)

    return _contains_topology(source, is_topology, False)


def _contains_topology(source: Source, is_topology: Callable[[Mapping[str, Any]], bool], unreadable: bool) -> bool:
    """Return True for a broker's XML or an object that ``is_topology`` accepts; ``unreadable`` if parsing fails."""
    try:
        if _is_xml(source.text):
            return bool(_brokers(read_xml(source)))
        data = load_documents(source)[0].as_read()
    except TopologyError:
        return unreadable
    return isinstance(data, Mapping) and is_topology(data)


def _is_properties(source: Source) -> bool:
    return PurePath(source.name).suffix.lower() == ".properties"


def _own_form(data: Any, vhost: str | None) -> Topology:
    if vhost is not None:
        hint = "perhaps omit the virtual host: the project's own form describes a single virtual host, without its name"
        raise TopologyError.at("topology.vhost", f"there is no virtual host {vhost!r}", hint=hint)
    topology = topology_from_native(data)
    check_entries(topology)
    return topology


def guess_form(data: Any) -> Form:
    """Guess the form of an object from its members.

    The project's own form has the member ``broker``. RabbitMQ's exports have a member with RabbitMQ's version, or
    members that occur in no other form.
    """
    if isinstance(data, list):
        return "broker-j"
    if not isinstance(data, Mapping) or "broker" in data:
        return "topology"
    if is_broker_j_answer(data):
        return "broker-j"
    marks = ("vhosts", "permissions", "topic_permissions", "global_parameters")
    if any(str(name).startswith(("rabbit_version", "rabbitmq_", *marks)) for name in data):
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
    """Return the member names of the first object in the list ``data[part]``, to recognise the form of the file."""
    items = data.get(part)
    first = items[0] if isinstance(items, list) and items else None
    return {str(name) for name in first} if isinstance(first, Mapping) else set()


def _is_xml(text: str) -> bool:
    """Return True if ``text`` is XML rather than JSON or YAML."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def _with_included(root: Element, file: Path | None, properties: Mapping[str, str] | None) -> list[Diagnostic]:
    """Insert the files that an XML document includes; return a note about the files that were read.

    Artemis parses the text of its file without the file's name, so it looks for a relative path in the directory in
    which it was started (``XMLUtil.readerToElement``). ActiveMQ looks beside the file.
    """
    includer = Includer(file, inclusion_of, properties or {})
    includer.expand(root)
    if not includer.read or any(activemq_brokers(root)):
        return []
    names = first_of(dict.fromkeys(includer.read), _MAX_INCLUDED)
    message = f"{names}: read from the folder of the file; Artemis looks in the directory in which it was started"
    return [Diagnostic("topology.include", "info", message)]


def _brokers(root: Element) -> dict[str, tuple[str, Element]]:
    """Return the brokers in an XML document: form and element by name of the broker."""
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


def _topology_of_xml(root: Element, asked: _Asked) -> Topology:
    """Return the topology of the broker in an XML document; if it has several, of the broker ``asked.vhost``."""
    brokers = _brokers(root)
    if not brokers:
        _refuse_hornetq(root)
        unread = next((one for one in root.walk() if one.unread is not None), None)
        if unread is not None:
            message = f"<{root.name}> contains no broker, and a file is included and not read: {unread.unread}"
            unread.refuse("topology.include", message)
        root.refuse(
            "topology.form",
            f"<{root.name}> contains no broker",
            "the supported elements are Artemis' <configuration> with <core>, WildFly's messaging "
            "<server>, and ActiveMQ's <broker>",
        )
    form, element = brokers[choose("broker", asked.vhost, list(brokers))]
    if form == "activemq":
        _refuse_version(asked)
        known = {} if asked.state is None else asked.state.of_broker(condition_in_activemq)
        activemq, running = read_broker(element, root), _running(asked, "activemq")
        if running is not None:
            activemq = running_activemq(activemq, running)
        topology = topology_of_activemq(activemq, known)
        return replace(topology, settings=(*activemq_settings(element), *topology.settings))
    if form == "artemis":
        return _topology_of_core(element, asked, unknown_names(element))
    topology = _topology_of_artemis(read_wildfly(element, root), asked)
    return replace(topology, settings=(*artemis_settings(element), *topology.settings))


def _topology_of_core(core: Element, asked: _Asked, findings: Iterable[Diagnostic] = ()) -> Topology:
    """Return the topology of Artemis' ``core`` element, with its settings and further ``findings`` about it."""
    config = read_core(core)
    config.findings += findings
    topology = _topology_of_artemis(config, asked)
    return replace(topology, settings=(*artemis_settings(core), *topology.settings))


def _refuse_hornetq(root: Element) -> None:
    """Raise an error for a configuration of HornetQ, Artemis' predecessor: a file, or a subsystem of JBoss EAP 6."""
    is_own = any(
        name.startswith("xmlns") and value.startswith("urn:hornetq") for name, value in root.attributes.items()
    )
    server = root if is_own else next((each for each in root.walk() if each.name == "hornetq-server"), None)
    if server is not None:
        hint = (
            "perhaps pass the configuration in Artemis' form, to which EAP 7 converts it with "
            "/subsystem=messaging:migrate"
        )
        server.refuse("topology.form", f"<{server.name}> is HornetQ's configuration, which is not supported", hint)


def _topology_of_artemis(config: ArtemisConfig, asked: _Asked) -> Topology:
    _refuse_version(asked)
    running = _running(asked, "artemis")
    if running is not None:
        config = running_artemis(config, running)
    return topology_of_artemis(config, None if asked.state is None else asked.state.of_broker(condition_of))


def _checked(topology: Topology) -> Topology:
    """Parse the selectors and queries of all bindings; raise ``TopologyError`` that lists each invalid text.

    A selector that exceeds a limit of this package is not invalid for the broker: its binding may match or not, and a
    finding reports it.
    """
    beyond: dict[int, Diagnostic] = {}
    errors = list(islice(_text_errors(topology, beyond), MAX_ERRORS + 1))
    if errors:
        raise TopologyError(errors)
    if not beyond:
        return topology
    return replace(bound_perhaps(topology, beyond), findings=(*topology.findings, *beyond.values()))


def _text_errors(topology: Topology, beyond: dict[int, Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the errors in selectors and queries. Warnings for selectors that exceed a limit are added to ``beyond``.

    The keys of ``beyond`` are numbers of bindings. Selectors that differ only in their constants are parsed once, so
    that a million bindings can be checked in seconds.
    """
    sound: set[tuple[str, str]] = set()
    for number, binding in enumerate(topology.bindings):
        query = topology.xquery(binding)
        if query is not None and ("", query) not in sound:
            try:
                parse_query(query)
            except TranspilerError as error:
                yield from _located(error, query, binding, number, XQUERY_ARGUMENT)
            else:
                sound.add(("", query))
        selector = topology.selector(binding)
        if selector is None:
            continue
        # Selectors that differ only in literals are all valid or all invalid, so parse one of them (``shape``).
        # Exceptions are selectors with ESCAPE, whose literal must be a single character: parse each of these.
        dialect = topology.dialect(binding)
        shape = selector if "escape" in selector.lower() else scan(selector)[0]
        if (dialect, shape) in sound:
            continue
        try:
            parse_selector(selector, dialect)
        except UnsupportedFeatureError as error:
            if UNKNOWN not in topology.rules.types:
                yield from _located(error, selector, binding, number, SELECTOR_ARGUMENT)
                continue
            message = f"the selector cannot be evaluated, so it may match: {error.diagnostics[0].message}"
            path = f"{binding.path or f'bindings[{number}]'}.arguments.{SELECTOR_ARGUMENT}"
            beyond[number] = at_path("topology.not-evaluated", "warning", path, message)
        except TranspilerError as error:
            yield from _located(error, selector, binding, number, SELECTOR_ARGUMENT)
        else:
            sound.add((dialect, shape))


def _located(error: TranspilerError, text: str, binding: Binding, number: int, argument: str) -> Iterator[Diagnostic]:
    path = f"{binding.path or f'bindings[{number}]'}.arguments.{argument}"
    for diagnostic in error.diagnostics:
        yield replace(diagnostic, source=Source(text, path), path=path)
