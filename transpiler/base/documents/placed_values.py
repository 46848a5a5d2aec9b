"""Values with their places, typed access to them, and errors that point there; the nodes of a JSON text."""

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

#: Levels of values in one another.
MAX_DEPTH = 50

_NO_JSON = ("NaN", "Infinity", "-Infinity")

_Text = TypeVar("_Text", bound=str)


@dataclass(frozen=True, slots=True)
class Origin:
    """A file, and the class and the prefix of the codes of errors about it."""

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
        """Raise the error at a place of the file."""
        raise self.error.at(f"{self.prefix}.{code}", message, self.source, span, hint, fix)


class Doubt(NamedTuple):
    """A word that YAML does not read as people do: the message and the hint of its refusal."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the span of its text.

    A mapping has nodes by their keys, and the nodes of the keys in ``keys``; a sequence is a tuple of nodes.
    """

    value: bool | int | float | str | tuple[Node, ...] | Mapping[str, Node] | None
    span: Span
    origin: Origin
    keys: Mapping[str, Node] | None = None
    doubt: Doubt | None = None

    @property
    def source(self) -> Source:
        """The file that the value is in."""
        return self.origin.source

    def plain(self) -> Any:
        """Return the value without places; raise the error for the first word that YAML does not read as people do."""
        if self.doubt is not None:
            self.refuse("word", *self.doubt)
        return self._plain(Node.plain)

    def as_read(self) -> Any:
        """Return the value without places, words in doubt as their text."""
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
        """The name of the value in errors."""
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
        """Raise the error at this value."""
        self.origin.refuse(code, message, self.span, hint, fix)

    def members(self, what: str, known: Iterable[str]) -> Mapping[str, Node]:
        """Return the members of a mapping whose keys are known; an error otherwise."""
        names = tuple(known)
        if not isinstance(self.value, Mapping):
            self.refuse("type", f"{what} is a mapping, found {self.kind}", f"its keys are {', '.join(names)}")
        for name in self.value:
            if name not in names:
                hint, fix = meant(name, names, what)
                hint = hint or f"the keys of {what} are {', '.join(names)}"
                self.key(name).refuse("key", f"{what} has no key {name!r}", hint, fix)
        return self.value

    def key(self, name: str) -> Node:
        """Return the node of a key, or of the whole mapping."""
        return (self.keys or {}).get(name, self)

    def text(self, what: str) -> str:
        """Return a text; an error for anything else."""
        if not isinstance(self.value, str):
            self.refuse("type", f"{what} is text, found {self.kind}")
        return self.value

    def integer(self, what: str) -> int:
        """Return an integer; an error for anything else."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("type", f"{what} is an integer, found {self.kind}")
        return self.value

    def choice(self, what: str, choices: Iterable[_Text]) -> _Text:
        """Return one of some texts; an error for anything else."""
        value, names = self.value, tuple(choices)
        if value in names:
            return names[names.index(value)]
        shown = repr(value) if isinstance(value, str) else self.kind
        hint, fix = meant(value, names, what) if isinstance(value, str) else (None, None)
        hint = hint or f"it is {', '.join(names[:-1])} or {names[-1]}"
        return self.refuse("value", f"{what} cannot be {shown}", hint, fix)


def mapping(pairs: Iterable[tuple[Node, Node]], span: Span, origin: Origin) -> Node:
    """Return the node of a mapping, whose keys are texts and stand in it once."""
    members: dict[str, Node] = {}
    keys: dict[str, Node] = {}
    for key, value in pairs:
        name = key.text("a key")
        if name in keys:
            key.refuse("key", f"the key {name!r} stands here twice")
        keys[name], members[name] = key, value
    return Node(members, span, origin, keys)


def json_documents(origin: Origin) -> list[Node]:
    """Return the documents of a JSON text, which is one or an array of them; an error where it is no JSON."""
    try:
        load_json(origin.source.text, MAX_VALUES)
    except JsonTextError as error:
        origin.refuse("json", error.message, error.span or Span(0, 1))
    tokens = JSON_TOKEN.finditer(origin.source.text)
    node = _json_node(next(tokens), tokens, origin, 0)
    return list(node.value) if isinstance(node.value, tuple) else [node]


def _json_node(token: re.Match[str], tokens: Iterator[re.Match[str]], origin: Origin, depth: int) -> Node:
    """Return the node that begins with a token of a valid text."""
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
