"""JSON objects of a topology file with their paths, which every error names, and the list of unknown entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from transpiler.base.diagnostics import Diagnostic, OptionFix, Remedy, Severity, at_path, meant, mismatch, nearest
from transpiler.base.errors import TopologyError
from transpiler.base.source import half_surrogate

MAX_FINDINGS = 1_000

_Choice = TypeVar("_Choice", bound=str)


def kind_of(value: object) -> str:
    """Return the name that JSON has for the type of ``value``, for errors."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "an array"
        case _:
            return f"a Python {type(value).__name__}"


@dataclass
class Findings:
    """A collector of the warnings that an importer of a broker's file reports, in the order of the file."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(
        self,
        code: str,
        path: str | None,
        message: str,
        hint: str | None = None,
        fix: Remedy | None = None,
        severity: Severity = "warning",
    ) -> None:
        """Add a diagnostic about the value at ``path``; after ``MAX_FINDINGS`` of them, only a note that more exist."""
        if len(self.diagnostics) < MAX_FINDINGS:
            self.diagnostics.append(at_path(code, severity, path, message, hint, fix))
        elif len(self.diagnostics) == MAX_FINDINGS:
            self.diagnostics.append(
                Diagnostic("import.more", "warning", f"only the first {MAX_FINDINGS} findings are listed")
            )


def refuse(code: str, path: str | None, message: str, hint: str | None = None, fix: Remedy | None = None) -> NoReturn:
    """Raise the ``TopologyError`` about the entry at ``path``: "" for the whole file, None if there is no location."""
    raise TopologyError([at_path(code, "error", path, message, hint, fix)])


def choose(what: str, name: str | None, known: Sequence[str]) -> str:
    """Return ``name`` if it is in ``known``. If ``name`` is None, return the only name in ``known``.

    Raise ``TopologyError`` if ``name`` is unknown, or if it is None and ``known`` does not have exactly one name.
    ``what`` is the kind of the named thing in errors, such as "virtual host".
    """
    if name is not None and name in known:
        return name
    if name is not None:
        near = nearest(name, known)
        hint = f"did you mean {near[0]}?" if near else f"the names are {', '.join(known)}" if known else None
        fix = OptionFix("vhost", repr(near[0])) if near else None
        refuse("topology.vhost", None, f"there is no {what} {name!r}", hint, fix)
    if len(known) > 1:
        hint = f"choose one of {', '.join(known)}: --vhost NAME, in Python vhost=NAME"
        refuse("topology.vhost", None, f"there are {len(known)} {what}s", hint)
    return known[0]


@dataclass(frozen=True)
class Entry:
    """A JSON object, and its path in the file."""

    data: Mapping[str, Any]
    path: str

    @classmethod
    def of(cls, value: Any, path: str) -> Entry:
        """Return ``value`` as the entry at ``path``; raise ``TopologyError`` if it is not a JSON object."""
        if not isinstance(value, Mapping):
            refuse("topology.type", path, mismatch("an object", kind_of(value)))
        return cls(value, path)

    def at(self, name: str) -> str:
        """Return the path of the member ``name``."""
        return f"{self.path}.{name}" if self.path else name

    def has(self, name: str) -> bool:
        """Return True if the member ``name`` is present and not null."""
        return self.data.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return the text of the member ``name``; ``default`` if it is absent or null.

        Raise ``TopologyError`` for any other value, and for an absent member without a default.
        """
        value = self.data.get(name)
        if value is None:
            if default is None:
                refuse("topology.missing", self.path, f"{name} is missing")
            return default
        if not isinstance(value, str):
            refuse("topology.type", self.at(name), mismatch("text", kind_of(value)))
        self.check_unicode(name, value)
        return value

    def check_unicode(self, name: str, value: str) -> None:
        """Raise an error if ``value``, the text of the member ``name``, contains a surrogate without its pair."""
        if half_surrogate(value) is not None:
            refuse("topology.unicode", self.at(name), "holds half of a surrogate pair, which is not valid Unicode text")

    def flag(self, name: str, default: bool) -> bool:
        """Return the boolean of the member ``name``, True or False; ``default`` if it is absent or null.

        Raise ``TopologyError`` for any other value.
        """
        value = self.data.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            refuse("topology.type", self.at(name), mismatch("true or false", kind_of(value)))
        return value

    def flags(self, defaults: Mapping[str, bool]) -> dict[str, Any]:
        """Return the value of each boolean member in ``defaults``, a mapping from the member's name to its default."""
        return {name: self.flag(name, default) for name, default in defaults.items()}

    def one_of(self, name: str, choices: tuple[_Choice, ...], default: _Choice | None = None) -> _Choice:
        """Return the text of the member ``name``, by default ``default``; raise if it is not among ``choices``."""
        value = self.text(name, default)
        if value not in choices:
            hint, fix = meant(value, choices, self.at(name))
            hint = hint or f"the allowed values are {', '.join(choices)}"
            refuse("topology.value", self.at(name), f"{value!r} is not an allowed value", hint, fix)
        return value

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        """Yield each item of the array in the member ``name``, with its path. An absent member has no items."""
        value = self.data.get(name)
        if value is None:
            return
        if not isinstance(value, list | tuple):
            refuse("topology.type", self.at(name), mismatch("an array", kind_of(value)))
        for number, item in enumerate(value):
            yield item, f"{self.at(name)}[{number}]"

    def entries(self, name: str) -> Iterator[Entry]:
        """Yield the objects of the member ``name``, an array of objects."""
        for item, path in self.items(name):
            yield Entry.of(item, path)

    def only(self, known: tuple[str, ...]) -> None:
        """Raise an error for the first member of this object whose name is not in ``known``."""
        for name in self.data:
            if name not in known:
                hint, fix = meant(str(name), known, self.path)
                hint = hint or f"the members are {', '.join(known)}"
                refuse("topology.unknown", self.at(str(name)), f"there is no member called {name!r}", hint, fix)
