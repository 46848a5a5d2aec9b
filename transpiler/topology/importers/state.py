"""The state of a JMS broker: the queues, subscriptions and consumers that its file cannot contain, with locations.

An entry that the broker would reject is skipped with a finding, because the broker continues without it. Locations are
those in the state's own file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import Diagnostic, Severity
from transpiler.base.documents.decoding import EncodingError, decode_text
from transpiler.base.documents.entries import Entry, refuse
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.documents.loading import Document
from transpiler.base.errors import TopologyError, TranspilerError, UnsupportedFeatureError
from transpiler.base.local_files import read_file
from transpiler.base.source import Source
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.topology.importers.known_names import reasons

#: Maximum number of JSON values in a state file.
_MAX_VALUES = 10_000_000

_PARTS = ("queues", "subscriptions", "consumers")

#: A function from an entry to its selector or filter (None if it has neither) and the dialect of this text.
ConditionOf = Callable[[Mapping[str, Any]], tuple[str | None, Dialect]]


@dataclass
class State:
    """The state of a running broker (its consumers and the queues of clients) as the caller gave it, with findings."""

    data: Mapping[str, Any]
    document: Document
    findings: list[Diagnostic] = field(default_factory=list)

    def of_broker(self, condition: ConditionOf) -> Mapping[str, Any]:
        """Return the state without the consumers and queues whose selector or filter the broker would reject.

        Add a finding for each omitted entry. ``condition`` returns the selector or filter of an entry and its dialect.
        """
        return {
            part: [each for each, path in self._items(part) if self._is_taken(each, path, condition)]
            for part in _PARTS
            if self.data.get(part) is not None
        }

    def _items(self, part: str) -> Iterator[tuple[Any, str]]:
        return Entry.of(self.data, "").items(part)

    def _is_taken(self, item: Any, path: str, condition: ConditionOf) -> bool:
        text, dialect = condition(item) if isinstance(item, Mapping) else (None, None)
        if text is None or dialect is None:
            return True
        path = f"{path}.{'filter' if item.get('filter') == text else 'selector'}"
        try:
            parse_selector(text, dialect)
        except UnsupportedFeatureError:
            pass
        except TranspilerError as error:
            self._add(
                path, f"the broker refuses {text!r}, so the subscription is skipped: {error.diagnostics[0].message}"
            )
            return False
        for reason in reasons(text, dialect):
            self._add(path, f"{text!r} cannot be evaluated, so it may match: {reason}")
        return True

    def _add(self, path: str, message: str, severity: Severity = "warning") -> None:
        span = self.document.locations([path]).get(path)
        source = self.document.source
        self.findings.append(Diagnostic("topology.state", severity, f"{path}: {message}", source, span))


def read_state(state: str | Path | Mapping[str, Any] | None) -> State | None:
    """Return a broker's state, read from a file if ``state`` is a name; raise ``TopologyError`` if it is invalid."""
    if state is None:
        return None
    if isinstance(state, Mapping):
        document = Document(Source("", "state"), state)
    elif isinstance(state, str | Path):
        document = _load(Path(state), str(state))
    else:
        raise unexpected("state", "a mapping, or a file's name", state)
    try:
        _check(Entry.of(document.data, ""))
    except TopologyError as error:
        raise TopologyError(document.located(error.diagnostics)) from None
    return State(document.data, document)


def _load(path: Path, name: str) -> Document:
    try:
        source = Source(decode_text(read_file(path)), name)
    except UnicodeDecodeError as error:
        raise TopologyError.at(
            "topology.text", f"{name} is not valid UTF-8: the byte at offset {error.start} cannot be decoded"
        ) from None
    except EncodingError as error:
        raise TopologyError.at("topology.text", f"{name} {error}") from None
    try:
        return Document(source, load_json(source.text, _MAX_VALUES), is_json=True)
    except JsonTextError as error:
        raise TopologyError.at("topology.json", error.message, source, error.span) from None


def _check(entry: Entry) -> None:
    entry.only(_PARTS)
    for item, path in entry.items("queues"):
        if not isinstance(item, str):
            _condition(Entry.of(item, path)).text("name")
    for inner in entry.entries("subscriptions"):
        _condition(inner).text("name")
        if not inner.has("destination"):
            hint = 'perhaps write "destination": "topic://orders", with the topic or address that it subscribes to'
            refuse("topology.missing", inner.path, "destination is missing", hint)
        inner.text("destination")
    for inner in entry.entries("consumers"):
        if not (_condition(inner).has("queue") or inner.has("destination")):
            hint = 'perhaps write "queue": "orders", or "destination": "queue://orders", with the queue that it reads'
            refuse("topology.missing", inner.path, "queue is missing", hint)
        inner.text("queue" if inner.has("queue") else "destination")


def _condition(entry: Entry) -> Entry:
    """Return ``entry``; raise ``TopologyError`` if its selector, filter or address is present and not text."""
    for name in ("selector", "filter", "address"):
        entry.text(name, "")
    return entry
