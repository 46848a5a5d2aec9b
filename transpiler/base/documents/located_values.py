"""Values with their locations, typed access to them, errors that point to a location, and the nodes of a JSON text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeVar

from transpiler.base.diagnostics import Remedy, meant
from transpiler.base.documents.jsontext import JSON_TOKEN, MAX_VALUES, JsonTextError, load_json
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source, Span

#: Maximum depth of nested values in a document.
MAX_DEPTH = 50

_NO_JSON = ("NaN", "Infinity", "-Infinity")

_Text = TypeVar("_Text", bound=str)


@dataclass(frozen=True, slots=True)
class Origin:
    """A file that is being read, and how its errors are raised: their class, and the prefix of their codes."""

    source: Source
    error: type[TranspilerError]
    prefix: str

    def refuse(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        fix: Remedy | None = None,
    ) -> NoReturn:
        """Raise the error at ``span`` in the file."""
        raise self.error.at(f"{self.prefix}.{code}", message, self.source, span, hint, fix)


class DeferredError(NamedTuple):
    """The message and hint of an error about an ambiguous YAML word, such as ``no``; raised if the value is used."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document, with the span of its text.

    The value of a mapping is a dictionary of nodes by key; ``keys`` contains the nodes of the keys. The value of a
    sequence is a tuple of nodes. Only an ambiguous word of YAML has a ``deferred`` error.
    """

    value: bool | int | float | str | tuple[Node, ...] | Mapping[str, Node] | None
    span: Span
    origin: Origin
    keys: Mapping[str, Node] | None = None
    deferred: DeferredError | None = None

    @property
    def source(self) -> Source:
        """The file that contains the value."""
        return self.origin.source

    def plain(self) -> Any:
        """Return the value without locations; raise an error for the first ambiguous word of YAML in it."""
        if self.deferred is not None:
            self.refuse("word", *self.deferred)
        return self._plain(Node.plain)

    def as_read(self) -> Any:
        """Return the value without locations, with ambiguous words of YAML as their text."""
        return self._plain(Node.as_read)

    def _plain(self, of: Any) -> Any:
        match self.value:
            case tuple() as items:
                return [of(item) for item in items]
            case Mapping() as members:
                return {name: of(member) for name, member in members.items()}
            case scalar:
                return scalar

    @property
    def kind(self) -> str:
        """The kind of the value as a phrase for errors, such as "the number 5" or "text"."""
        match self.value:
            case None:
                return "nothing"
            case bool():
                return f"the boolean {str(self.value).lower()}"
            case int() | float():
                return f"the number {self.value}"
            case str():
                return "text"
            case tuple():
                return "a list"
            case _:
                return "a mapping"

    def refuse(self, code: str, message: str, hint: str | None = None, fix: Remedy | None = None) -> NoReturn:
        """Raise the error at the location of this value."""
        self.origin.refuse(code, message, self.span, hint, fix)

    def members(self, what: str, known: Iterable[str]) -> Mapping[str, Node]:
        """Return the members of the mapping; raise if it is not a mapping or has a key that is not in ``known``."""
        names = tuple(known)
        if not isinstance(self.value, Mapping):
            self.refuse("type", f"{what} must be a mapping, found {self.kind}", f"the keys are {', '.join(names)}")
        for name in self.value:
            if name not in names:
                hint, fix = meant(name, names, what)
                hint = hint or f"the keys of {what} are {', '.join(names)}"
                self.key(name).refuse("key", f"{what} has no key {name!r}", hint, fix)
        return self.value

    def key(self, name: str) -> Node:
        """Return the node of the key ``name``, to which errors about the key point; by default, this mapping itself."""
        return (self.keys or {}).get(name, self)

    def text(self, what: str) -> str:
        """Return the text; raise if the value is not a text. ``what`` names the value in the error."""
        if not isinstance(self.value, str):
            self.refuse("type", f"{what} must be text, found {self.kind}")
        return self.value

    def integer(self, what: str) -> int:
        """Return the integer; raise if the value is not an integer. ``what`` names the value in the error."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("type", f"{what} must be an integer, found {self.kind}")
        return self.value

    def choice(self, what: str, choices: Iterable[_Text]) -> _Text:
        """Return the text; raise if it is not among ``choices``. ``what`` names the value in the error."""
        value, names = self.value, tuple(choices)
        if value in names:
            return names[names.index(value)]
        shown = repr(value) if isinstance(value, str) else self.kind
        hint, fix = meant(value, names, what) if isinstance(value, str) else (None, None)
        hint = hint or f"it is {', '.join(names[:-1])} or {names[-1]}"
        return self.refuse("value", f"{what} cannot be {shown}", hint, fix)


def mapping(pairs: Iterable[tuple[Node, Node]], span: Span, origin: Origin) -> Node:
    """Return the node of the mapping of ``pairs``; raise if a key is not a text or occurs twice."""
    members: dict[str, Node] = {}
    keys: dict[str, Node] = {}
    for key, value in pairs:
        name = key.text("a key")
        if name in keys:
            key.refuse("key", f"the key {name!r} occurs twice")
        keys[name], members[name] = key, value
    return Node(members, span, origin, keys)


def json_documents(origin: Origin) -> list[Node]:
    """Parse a JSON file: return the node of its value, or those of its items if the value is an array.

    Raise an error if the file is not valid JSON.
    """
    try:
        load_json(origin.source.text, MAX_VALUES)
    except JsonTextError as error:
        origin.refuse("json", error.message, error.span or Span(0, 1))
    tokens = JSON_TOKEN.finditer(origin.source.text)
    node = _json_node(next(tokens), tokens, origin, 0)
    return list(node.value) if isinstance(node.value, tuple) else [node]


def _json_node(token: re.Match[str], tokens: Iterator[re.Match[str]], origin: Origin, depth: int) -> Node:
    """Return the node of the JSON value that begins with ``token``; ``tokens`` yields the tokens after ``token``."""
    here = Node(None, Span(*token.span()), origin)
    if depth > MAX_DEPTH:
        here.refuse("json", f"there are more than {MAX_DEPTH} levels")
    if token[0] in _NO_JSON:
        here.refuse("json", "this is not JSON: expected a value")
    if token[0] not in ("{", "["):
        return Node(json.loads(token[0]), here.span, origin)
    items: list[Node] = []
    end = token.end()
    for inner in tokens:
        end = inner.end()
        if inner[0] in ("}", "]"):
            break
        if inner[0] not in (",", ":"):
            items.append(_json_node(inner, tokens, origin, depth + 1))
    span = Span(here.span.start, end)
    if token[0] == "[":
        return Node(tuple(items), span, origin)
    return mapping(zip(items[::2], items[1::2], strict=True), span, origin)
