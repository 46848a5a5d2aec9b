"""Arguments that are a selector, a filter or a topology: the text itself, or a file whose contents show what it is."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from transpiler.cli.group import fail
from transpiler.cli.inputs import check_input, read_text_file, shown, system_path
from transpiler.cli.options import warn
from transpiler.filters.json import is_described
from transpiler.jsontext import JsonTextError, load_json

if TYPE_CHECKING:
    from transpiler import Topology
    from transpiler.filters.sets import FilterSet
    from transpiler.topology.files import Form

Kind = Literal["selector", "filter", "topology"]

#: Values of a JSON file whose number nobody looks at, as in ``topology.files``.
MIN_VALUES = 500_000

_ENDINGS = (".json", ".yaml", ".yml", ".xml")


@dataclass(frozen=True, slots=True)
class Comparable:
    """A selector's text, a filter set, or a topology, by its kind; ``name`` is that of its file, or OLD or NEW."""

    kind: Kind
    value: str | FilterSet | Topology
    name: str

    def check(self, dialect: str) -> None:
        """Parse a selector; ``TranspilerError`` with its name."""
        if isinstance(self.value, str):
            from transpiler import TranspilerError, parse_selector
            from transpiler.source import Source

            try:
                parse_selector(self.value, dialect)
            except TranspilerError as error:
                source = Source(self.value, self.name)
                named = [replace(one, source=source) if one.source else one for one in error.diagnostics]
                raise type(error)(named) from None


def read_pair(old: str, new: str, form: Form | None, vhost: str | None) -> tuple[Comparable, Comparable]:
    """Read two of a kind; two of unlike kinds end the command."""
    first, second = _read(old, "OLD", form, vhost), _read(new, "NEW", form, vhost)
    if first.kind != second.kind:
        fail(f"OLD is a {first.kind} and NEW is a {second.kind}: give two of a kind")
    return first, second


def _read(given: str, role: str, form: Form | None, vhost: str | None) -> Comparable:
    name = _file_name(given)
    text = given if name is None else read_text_file(name)
    shown_as = role if name is None else "standard input" if name == "-" else name
    if form is not None or vhost is not None or shown_as.endswith((".yaml", ".yml", ".xml")):
        return _topology(text, shown_as, form, vhost)
    bracket = text.lstrip().startswith("[")
    selector = Comparable("selector", text.strip("\n"), shown_as)
    if not text.lstrip().startswith("{") and not (bracket and name is not None):
        return selector
    try:
        data = load_json(text, max(MIN_VALUES, len(text) // 8))
    except JsonTextError as error:
        if bracket:
            # RabbitMQ's SQL filters have names in brackets.
            return selector
        fail(f"{shown(shown_as)}{error.place(text)}: {error.message}")
    return _filter(text, shown_as) if _is_filter(data) else _topology(text, shown_as, form, vhost)


def _file_name(given: str) -> str | None:
    """Return the name of the file that an argument names, or None for the text of a selector or filter."""
    if given == "-":
        return given
    if given.startswith("@"):
        check_input(given[1:])
        return given[1:]
    try:
        if os.path.lexists(system_path(given)):
            check_input(given)
            return given
    except ValueError:
        return None
    if given.endswith(_ENDINGS) and not any(mark in given for mark in " '=<>{"):
        check_input(given)
    return None


def _is_filter(data: Any) -> bool:
    """Return True for one filter, or an object of named filters."""
    return is_described(data) or (
        isinstance(data, dict) and bool(data) and all(is_described(value) for value in data.values())
    )


def _filter(text: str, name: str) -> Comparable:
    from transpiler import TranspilerError
    from transpiler.filters.sets import read_filters

    try:
        filters = read_filters(text)
    except TranspilerError as error:
        fail(f"{shown(name)}: {error}")
    warn(filters.findings)
    return Comparable("filter", filters, name)


def _topology(text: str, name: str, form: Form | None, vhost: str | None) -> Comparable:
    from transpiler.cli.topologies import read_topology_text

    topology = read_topology_text(text, name, form, vhost)
    warn(topology.findings)
    return Comparable("topology", topology, name)
