"""Arguments that are a selector, a filter or a topology: a text or a file, whose kind is found from its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from transpiler import Message, Topology, TranspilerError, evaluate, matches, parse_selector
from transpiler.base.arguments import has_scheme
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.source import Source
from transpiler.cli.group import command_error_text, fail
from transpiler.cli.inputs import check_input, exists, is_directory, read_text_file, shown
from transpiler.cli.options import warn
from transpiler.language.filters.json import is_described
from transpiler.language.filters.sets import FilterSet, read_filters
from transpiler.message.receiver import Receiver
from transpiler.topology.files import ENDINGS, names_topology_file
from transpiler.topology.importers.running_answers import Answers, read_answers

if TYPE_CHECKING:
    from transpiler.cli.topologies import TopologyForm

#: A function whose argument is a message, and which returns True if the message matches.
Condition = Callable[[Message], bool]

#: A JSON file may have at most this number of values or, if that is more, one value for each 8 characters.
MIN_VALUES = 500_000


class Comparable(NamedTuple):
    """One of the two arguments of ``diff``: a selector's text, a filter set, or a topology.

    ``name`` is the name of its file, or OLD or NEW if it was given as text.
    """

    value: str | FilterSet | Topology
    name: str
    #: The answers of a running broker, if the topology was built from them; otherwise None.
    running: Answers | None = None

    @property
    def kind(self) -> str:
        """The kind of the value: ``selector``, ``filter`` or ``topology``."""
        return {str: "selector", FilterSet: "filter", Topology: "topology"}[type(self.value)]

    def check(self, dialect: str) -> None:
        """Raise ``TranspilerError`` if the value is a selector that cannot be parsed; the error names ``self.name``."""
        if isinstance(self.value, str):
            try:
                parse_selector(self.value, dialect)
            except TranspilerError as error:
                source = Source(self.value, self.name)
                named = [replace(one, source=source) if one.source else one for one in error.diagnostics]
                raise type(error)(named) from None


def read_pair(old: str, new: str, form: TopologyForm) -> tuple[Comparable, Comparable]:
    """Read the arguments OLD and NEW of ``diff``; end the command with an error if their kinds differ."""
    first = _read(old, "OLD", form)
    second = _running(old, new, form) if isinstance(first.value, Topology) else None
    second = second or _read(new, "NEW", form)
    if first.kind != second.kind:
        fail(f"OLD is a {first.kind} and NEW is a {second.kind}: give two selectors, two filter sets or two topologies")
    return first, second


def _running(old: str, new: str, form: TopologyForm) -> Comparable | None:
    """Return the topology of a running broker, if ``new`` is a file with its answers, or a directory of such files.

    Everything that the answers do not contain, such as bindings, is copied from the topology in ``old``. Return None if
    ``new`` is something else.
    """
    if old == "-" or not exists(new) or new == "-":
        return None
    names = sorted(str(one) for one in Path(new).iterdir() if one.is_file()) if is_directory(new) else [new]
    answers = read_answers([Source(read_text_file(name), name) for name in names])
    if answers is None:
        return None
    name = old.removeprefix("@")
    parsed = form.parse(read_text_file(name), name, running=answers, file=Path(name))
    return Comparable(parsed, new, answers)


def _read(given: str, role: str, form: TopologyForm) -> Comparable:
    name = _file_name(given)
    text = given if name is None else read_text_file(name)
    shown_as = role if name is None else "standard input" if name == "-" else name
    file = None if name is None or name == "-" else Path(name)
    ending = "" if file is None else file.suffix.lower()
    is_topology = ending in ENDINGS and ending != ".json"
    if form.form is not None or form.vhost is not None or is_topology:
        return Comparable(form.parse(text, shown_as, file=file), shown_as)
    bracket = text.lstrip().startswith("[")
    selector = Comparable(text.strip("\n"), shown_as)
    if not text.lstrip().startswith("{") and not (bracket and name is not None):
        return selector
    try:
        data = load_json(text, max(MIN_VALUES, len(text) // 8))
    except JsonTextError as error:
        if bracket:
            # The text is not JSON, but may be a selector: RabbitMQ's SQL filters can begin with a name in square
            # brackets.
            return selector
        fail(f"{shown(shown_as)}{error.location(text)}: {error.message}")
    if _is_filter(data):
        return _filter(text, shown_as)
    return Comparable(form.parse(text, shown_as, file=file), shown_as)


def _file_name(given: str) -> str | None:
    """Return the name of the file that the argument ``given`` means; None if it is itself a selector or filter."""
    if given == "-":
        return given
    if given.startswith("@"):
        check_input(given[1:])
        return given[1:]
    if exists(given):
        check_input(given)
        return given
    if has_scheme(given) or names_topology_file(given):
        check_input(given)
    return None


def _is_filter(data: Any) -> bool:
    """Return True if ``data`` is one filter, or an object of named filters."""
    return is_described(data) or (
        isinstance(data, dict) and bool(data) and all(is_described(value) for value in data.values())
    )


def _filter(text: str, name: str) -> Comparable:
    try:
        filters = read_filters(text)
    except TranspilerError as error:
        fail(f"{shown(name)}: {command_error_text(error)}")
    warn(filters.findings)
    return Comparable(filters, name)


def condition(value: str | FilterSet | Topology, dialect: str, connection: str | None, receiver: Receiver) -> Condition:
    """Return a function that tells whether a message matches ``value``, a selector or a filter set.

    Its argument is the message; it returns True for a match.
    """
    if isinstance(value, str):
        tree = parse_selector(value, dialect)
        return lambda message: evaluate(tree, message, dialect, **receiver.keywords) is True
    assert isinstance(value, FilterSet)

    def selects(message: Message) -> bool:
        return matches(value, message, dialect, connection=connection, **receiver.keywords)

    # Evaluate an empty message now, so that a filter that cannot be evaluated raises before any message is read.
    selects(Message())
    return selects
