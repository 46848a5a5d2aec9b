"""The documents of a JSON or YAML text as values with their places in it, and errors that point there.

A JSON text is one document, or an array of them. YAML 1.1 reads ``no`` as false, ``010`` as 8 and ``1:30`` as 90. Such
a word without quotes is refused, for it is seldom meant; numbers and booleans are those of JSON, a date is its text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from transpiler.base.diagnostics import did_you_mean, nearest
from transpiler.base.documents.jsontext import JSON_TOKEN, JsonTextError, load_json
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source, Span

#: Values in a file, each alias counted as what it stands for, and levels.
MAX_VALUES, MAX_DEPTH = 200_000, 50
#: Characters of a YAML text.
MAX_LENGTH = 2**20

_NO_JSON = ("NaN", "Infinity", "-Infinity")
_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SPECIAL = {".nan": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}

_Text = TypeVar("_Text", bound=str)


class CaseFileError(TranspilerError):
    """A file of test cases cannot be read; the span is the place of what is wrong."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the span of its text.

    A mapping has nodes by their keys, and the nodes of the keys in ``keys``; a sequence is a tuple of nodes.
    """

    value: bool | int | float | str | tuple[Node, ...] | Mapping[str, Node] | None
    span: Span
    source: Source
    keys: Mapping[str, Node] | None = None

    def plain(self) -> Any:
        """Return the value without places."""
        match self.value:
            case tuple() as items:
                return [item.plain() for item in items]
            case Mapping() as members:
                return {name: member.plain() for name, member in members.items()}
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

    def refuse(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise ``CaseFileError`` at this value."""
        raise CaseFileError.at(f"cases.{code}", message, self.source, self.span, hint)

    def members(self, what: str, known: Iterable[str]) -> Mapping[str, Node]:
        """Return the members of a mapping whose keys are known; ``CaseFileError`` otherwise."""
        names = tuple(known)
        if not isinstance(self.value, Mapping):
            self.refuse("type", f"{what} is a mapping, found {self.kind}", f"its keys are {', '.join(names)}")
        for name in self.value:
            if name not in names:
                hint = did_you_mean(name, names) or f"the keys of {what} are {', '.join(names)}"
                self.key(name).refuse("key", f"{what} has no key {name!r}", hint)
        return self.value

    def key(self, name: str) -> Node:
        """Return the node of a key, or of the whole mapping."""
        return (self.keys or {}).get(name, self)

    def text(self, what: str) -> str:
        """Return a text; ``CaseFileError`` for anything else."""
        if not isinstance(self.value, str):
            self.refuse("type", f"{what} is text, found {self.kind}")
        return self.value

    def integer(self, what: str) -> int:
        """Return an integer; ``CaseFileError`` for anything else."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("type", f"{what} is an integer, found {self.kind}")
        return self.value

    def choice(self, what: str, choices: Iterable[_Text]) -> _Text:
        """Return one of some texts; ``CaseFileError`` for anything else."""
        names = tuple(choices)
        if self.value in names:
            return names[names.index(self.value)]
        shown = repr(self.value) if isinstance(self.value, str) else self.kind
        near = nearest(self.value, names) if isinstance(self.value, str) else []
        hint = f"did you mean {near[0]!r}?" if near else f"write {', '.join(names[:-1])} or {names[-1]}"
        return self.refuse("value", f"{what} cannot be {shown}", hint)


def json_documents(source: Source) -> list[Node]:
    """Return the documents of a text; ``CaseFileError`` where it is no JSON."""
    try:
        load_json(source.text, MAX_VALUES)
    except JsonTextError as error:
        Node(None, error.span or Span(0, 1), source).refuse("json", error.message)
    tokens = JSON_TOKEN.finditer(source.text)
    node = _json_node(next(tokens), tokens, source, 0)
    return list(node.value) if isinstance(node.value, tuple) else [node]


def _json_node(token: re.Match[str], tokens: Iterator[re.Match[str]], source: Source, depth: int) -> Node:
    """Return the node that begins with a token of a valid text."""
    here = Node(None, Span(*token.span()), source)
    if depth > MAX_DEPTH:
        here.refuse("json", f"there are more than {MAX_DEPTH} levels")
    if token[0] in _NO_JSON:
        here.refuse("json", "this is not JSON: expected a value")
    if token[0] not in ("{", "["):
        return Node(json.loads(token[0]), here.span, source)
    items: list[Node] = []
    end = token.end()
    for inner in tokens:
        end = inner.end()
        if inner[0] in ("}", "]"):
            break
        if inner[0] not in (",", ":"):
            items.append(_json_node(inner, tokens, source, depth + 1))
    span = Span(here.span.start, end)
    if token[0] == "[":
        return Node(tuple(items), span, source)
    return _mapping(zip(items[::2], items[1::2], strict=True), span, source)


def _mapping(pairs: Iterable[tuple[Node, Node]], span: Span, source: Source) -> Node:
    """Return the node of a mapping, whose keys are texts and stand in it once."""
    members: dict[str, Node] = {}
    keys: dict[str, Node] = {}
    for key, value in pairs:
        name = key.text("a key")
        if name in keys:
            key.refuse("key", f"the key {name!r} stands here twice")
        keys[name], members[name] = key, value
    return Node(members, span, source, keys)


def yaml_documents(source: Source) -> list[Node]:
    """Return the documents of a text; ``CaseFileError`` where it is no YAML, or PyYAML is not installed."""
    try:
        import yaml
    except ImportError:
        hint = "pip install PyYAML, or write the cases as JSON"
        raise CaseFileError.at("cases.yaml", "YAML needs PyYAML", source, hint=hint) from None
    if len(source.text) > MAX_LENGTH:
        raise CaseFileError.at("cases.size", f"the file has more than {MAX_LENGTH:,} characters", source)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        composed = [node for node in yaml.compose_all(source.text, Loader=loader) if node is not None]
        return [_YamlReader(source).node(node, 0) for node in composed]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        span = None if mark is None else _span(mark, mark, source)
        raise CaseFileError.at("cases.yaml", f"this is not YAML: {error.problem}", source, span) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise CaseFileError.at("cases.yaml", f"this is not YAML: {error}", source) from None


def _span(start: Any, end: Any, source: Source) -> Span:
    first = min(start.index, len(source.text))
    return Span(first, max(first + 1, min(end.index, len(source.text))))


class _YamlReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.values = 0

    def node(self, composed: Any, depth: int) -> Node:
        """Return the node of one of PyYAML's; an alias is what it stands for, once more."""
        span = _span(composed.start_mark, composed.end_mark, self.source)
        self.values += 1
        if depth > MAX_DEPTH or self.values > MAX_VALUES:
            limit = f"{MAX_DEPTH} levels" if depth > MAX_DEPTH else f"{MAX_VALUES:,} values"
            Node(None, span, self.source).refuse("size", f"there are more than {limit}")
        match composed.id:
            case "sequence":
                items = tuple(self.node(item, depth + 1) for item in composed.value)
                return Node(items, span, self.source)
            case "mapping":
                return _mapping(self.pairs(composed, depth), span, self.source)
            case _:
                return self.scalar(composed, span)

    def pairs(self, composed: Any, depth: int) -> Iterator[tuple[Node, Node]]:
        """Yield the keys and values of a mapping."""
        for key, value in composed.value:
            here = Node(key.value, _span(key.start_mark, key.end_mark, self.source), self.source)
            if key.id != "scalar":
                here.refuse("key", "a key is text")
            yield here, self.node(value, depth + 1)

    def scalar(self, composed: Any, span: Span) -> Node:
        """Return a text, a number, a boolean or nothing."""
        text: str = composed.value
        here = Node(text, span, self.source)
        tag = composed.tag.removeprefix(_TAG)
        match tag:
            case "str" | "timestamp":
                return here
            case "null":
                return Node(None, span, self.source)
            case "bool" if text.lower() in ("true", "false"):
                return Node(text.lower() == "true", span, self.source)
            case "int" if _INTEGER.fullmatch(text):
                return Node(int(text), span, self.source)
            case "float" if _FLOAT.fullmatch(text):
                return Node(float(text), span, self.source)
            case "float" if text.lower() in _SPECIAL:
                return Node(_SPECIAL[text.lower()], span, self.source)
            case "bool":
                return here.refuse(
                    "word", f"{text} without quotes is a boolean in YAML", f"write true or false, or '{text}'"
                )
            case "int" | "float":
                return here.refuse(
                    "word", f"YAML reads {text} as another number", f"write '{text}', or a decimal number"
                )
            case _:
                return here.refuse("word", f"values with the tag {composed.tag} are not read", "write text in quotes")
