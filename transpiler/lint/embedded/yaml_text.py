"""Selectors in YAML, by PyYAML's nodes with their marks; without PyYAML no such file is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from transpiler.lint.embedded.json_text import escape as escape_json
from transpiler.lint.embedded.mapped_text import MappedText
from transpiler.lint.embedded.markers import read_marker
from transpiler.lint.embedded.properties_text import escape as escape_property
from transpiler.lint.embedded.properties_text import find_in_properties
from transpiler.lint.embedded.selector_places import find_place, names_of
from transpiler.lint.embedded.selector_text import InFile, UnreadableError, as_is, find_in_text, found, within

if TYPE_CHECKING:
    from yaml.nodes import CollectionNode, ScalarNode

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
#: A line end that is no part of a text in double quotes.
_CONTINUED = re.compile(r"\\\n[ \t]*")
_COMMENT = re.compile(r"(?:^|\s)#(?P<text>[^\n]*)\Z")
#: Keys of texts that are lines of a properties file: of Artemis's operator, and in a ConfigMap.
_PROPERTIES = frozenset({"brokerProperties", "properties"})
#: Levels of nested collections that are looked into.
_MAX_DEPTH = 100


def find_in_yaml(text: str) -> Iterator[InFile]:
    """Yield the selectors of all documents of a YAML text; ``UnreadableError`` where it is none."""
    lines = text.split("\n")
    for path, node, line in scalars(text):
        yield from _scalar(node, path, text, lines, line)


def scalars(text: str) -> Iterator[tuple[list[str], ScalarNode, int]]:
    """Yield the scalars of a YAML text with the steps of their keys and the lines of these; errors as above."""
    try:
        import yaml
    except ImportError:
        raise UnreadableError("reading YAML needs PyYAML: pip install PyYAML") from None
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        documents = list(yaml.compose_all(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        raise UnreadableError(
            f"this is not YAML: {error.problem}", getattr(error.problem_mark, "index", None)
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UnreadableError(f"this is not YAML: {error}".splitlines()[0]) from None
    seen: set[int] = set()
    for document in documents:
        if isinstance(document, yaml.CollectionNode):
            yield from _inner(document, [], seen)


def _inner(node: CollectionNode, path: list[str], seen: set[int]) -> Iterator[tuple[list[str], ScalarNode, int]]:
    # An alias is the node of its anchor again.
    if id(node) in seen or len(path) > _MAX_DEPTH:
        return
    seen.add(id(node))
    for item in node.value:
        key, value = item if isinstance(item, tuple) else (None, item)
        steps = path if key is None else [*path, *(key.value if key.id == "scalar" else "").split(".")]
        if value.id == "scalar":
            yield steps, value, (key or value).start_mark.line
        else:
            yield from _inner(value, steps, seen)


def _scalar(node: ScalarNode, path: list[str], text: str, lines: list[str], line: int) -> Iterator[InFile]:
    if node.tag not in ("tag:yaml.org,2002:str", "!"):
        return
    start, end = node.start_mark.index, node.end_mark.index
    escape = _ESCAPES.get(node.style or "", as_is)
    if path and path[-1] in _PROPERTIES:
        value = _aligned(node.value, text[start:end], start, node.style)
        yield from within(find_in_properties(value.text), value, lambda changed: escape(escape_property(changed)))
        return
    place = find_place(names_of(path), "yaml")
    marked, said = _marker(lines, line)
    if place is not None or marked:
        value = _aligned(node.value, text[start:end], start, node.style)
        yield from found(value, (place.dialect if place else None) or said, escape)
    elif "selector" in node.value.lower():
        yield from find_in_text(_aligned(node.value, text[start:end], start, node.style), None, escape)


#: How a text stands in a scalar of each style.
_ESCAPES = {"'": lambda text: text.replace("'", "''"), '"': escape_json}


def _marker(lines: list[str], line: int) -> tuple[bool, str | None]:
    """Read the comment at the end of a line, or on the line before it."""
    own = _COMMENT.search(lines[line]) if line < len(lines) else None
    if own is not None and read_marker(own["text"])[0]:
        return read_marker(own["text"])
    before = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return read_marker(before[1:]) if before.startswith("#") else (False, None)


def _aligned(value: str, raw: str, start: int, style: str | None) -> MappedText:
    """Map the characters of a scalar to those that it is written with.

    Both are read in parallel. A line end and the indentation behind it are one character of the value, or none.
    """
    starts, ends = [], []
    place = raw.find("\n") + 1 if style in ("|", ">") else 1 if style in ("'", '"') else 0
    for character in value:
        while style == '"' and (continued := _CONTINUED.match(raw, place)):
            place = continued.end()
        if character not in " \n\t":
            while place < len(raw) and raw[place] in " \n\t":
                place += 1
        behind = place + 1
        if style == '"' and raw[place : place + 1] == "\\":
            match = _ESCAPE.match(raw, place)
            behind = match.end() if match else behind
        elif style == "'" and raw[place : place + 2] == "''":
            behind = place + 2
        starts.append(start + min(place, len(raw) - 1))
        ends.append(start + min(behind, len(raw)))
        place = min(behind, len(raw))
    # The line end behind a block is no part of the selector.
    kept = len(value.rstrip("\n")) if style in ("|", ">") else len(value)
    return MappedText(value[:kept], starts[:kept], ends[:kept], start)
