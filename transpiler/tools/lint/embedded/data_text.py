"""Selectors in data files: JSON, YAML and .properties, found by the keys that lead to a text; and in selector files.

A text may contain another file: configurations of Broker-J have JSON in JSON, ConfigMaps have properties in YAML.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from transpiler.base.documents.jsontext import JSON_TOKEN, JsonTextError, load_json, without_comments
from transpiler.base.documents.yaml_text import YamlTextError, compose
from transpiler.tools.lint.embedded.markers import read_marker, without_ignore
from transpiler.tools.lint.embedded.selector_patterns import find_pattern, names_of
from transpiler.tools.lint.embedded.selector_text import (
    FoundSelector,
    InFile,
    MappedText,
    UnreadableError,
    UnreadSelector,
    as_is,
    decoded,
    plain,
    selectors_at,
    within,
)

if TYPE_CHECKING:
    from yaml.nodes import CollectionNode, ScalarNode

_JSON_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
#: ``_JSON_IN_JSON`` are names of JSON members whose value may be a string that contains another JSON document.
#: ``_MAX_NESTED`` is the maximum depth of documents inside documents.
_JSON_IN_JSON, _MAX_NESTED = frozenset({"defaultFilters", "virtualHostInitialConfiguration"}), 4

#: A comment or a logical line of a properties file. A line that ends with an odd number of backslashes continues on the
#: next line.
_LOGICAL_LINE = re.compile(r"[ \t\f]*[#!][^\n]*|(?:[^\\\n]|\\[\s\S]?)++")
_KEY = re.compile(r"[ \t\f]*(?P<key>(?:[^\\=: \t\f]|\\.)*+)[ \t\f]*[=:]?[ \t\f]*")
_PROPERTY_ESCAPE = re.compile(r"\\(?:\n[ \t\f]*|u[0-9a-fA-F]{4}|.)")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}

_YAML_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
#: A backslash at the end of a line, with the line end and the indentation of the next line. In double quotes, YAML
#: removes all of these from the text.
_CONTINUED = re.compile(r"\\\n[ \t]*")
_YAML_COMMENT = re.compile(r"(?:^|\s)#(?P<text>[^\n]*)\Z")
#: Keys whose value is a text in the syntax of properties files, in the YAML of Artemis's operator and in ConfigMaps.
_PROPERTIES_IN_YAML = frozenset({"brokerProperties", "properties"})
#: An environment variable with a selector, as an item ``NAME=value`` of a list in Docker Compose.
_VARIABLE = re.compile(r"\w*selector\w*=", re.IGNORECASE)
#: Limits for YAML: ``_MAX_DEPTH`` nested collections; ``_MAX_ALIASES`` searches of one collection to which several
#: aliases refer.
_MAX_DEPTH, _MAX_ALIASES = 100, 50


def find_in_lines(text: str) -> Iterator[InFile]:
    """Yield the selectors of a selector file, one on each line, except empty lines and lines that begin with #."""
    start = 0
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            yield FoundSelector(plain(without_ignore(line), start))
        start += len(line) + 1


def find_in_json(text: str) -> Iterator[InFile]:
    """Yield the selectors of the JSON ``text``; raise ``UnreadableError`` if it is not JSON."""
    # JSON has no comments, but configuration files of Broker-J have them.
    text = without_comments(text)
    try:
        load_json(text, most=None)
    except JsonTextError as error:
        raise UnreadableError(error.message, None if error.span is None else error.span.start) from None
    yield from _members(text, 0)


def _members(text: str, depth: int) -> Iterator[InFile]:
    #: The path of keys to the current position: the last key of each open object; None for an array, or before the
    #: first key.
    path: list[str | None] = []
    for token, following in pairwise(chain(JSON_TOKEN.finditer(text), [None])):
        assert token is not None
        mark = token[0]
        if mark in ("{", "["):
            path.append(None)
        elif mark in ("}", "]"):
            del path[-1:]
        elif path and mark[0] == '"':
            value = json_text(token)
            if following is not None and following[0] == ":":
                path[-1] = value.text
            else:
                yield from _member(value, [key for key in path if key is not None], depth)


def _member(value: MappedText, path: list[str], depth: int) -> Iterator[InFile]:
    if path and path[-1] in _JSON_IN_JSON and depth < _MAX_NESTED and value.text.lstrip().startswith("{"):
        return within(_members(value.text, depth + 1), value, in_json)
    return selectors_at(names_of(path), value, in_json)


def in_json(text: str) -> str:
    """Return ``text`` with the characters escaped as in a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def json_text(token: re.Match[str]) -> MappedText:
    """Return the value of the JSON string ``token``, with the position of each character in the file."""
    return decoded(token[0][1:-1], token.start() + 1, _JSON_ESCAPE, _json_character)


def _json_character(match: re.Match[str]) -> str:
    character: str = json.loads(f'"{match[0]}"')
    return character


# The functions below read .properties files, with the separators, escapes and continued lines of java.util.Properties.


def find_in_properties(text: str) -> Iterator[InFile]:
    """Yield the selectors of a properties file: values of keys for selectors, and values that a comment marks."""
    marked: tuple[bool, str | None] = (False, None)
    for key, value in entries(text):
        if key is None:
            marked = read_marker(value.text)
            continue
        own = value.text
        if len(own) > 2 and own[0] == own[-1] == '"':
            # Artemis also accepts the text of filterString in double quotes.
            value = value.part(1, len(own) - 1)
        yield from selectors_at(names_of(re.split(r"[.\[\]]", key)), value, _in_property, "data", *marked)
        marked = False, None


def entries(text: str) -> Iterator[tuple[str | None, MappedText]]:
    """Yield the keys of a properties file with their values; for a comment, None and the text of the comment."""
    for line in _LOGICAL_LINE.finditer(text):
        stripped = line[0].lstrip(" \t\f")
        if stripped.startswith(("#", "!")):
            yield None, plain(stripped[1:])
        elif stripped:
            match = _KEY.match(line[0])
            assert match is not None
            value = decoded(line[0][match.end() :], line.start() + match.end(), _PROPERTY_ESCAPE, _property_character)
            yield match["key"].replace("\\", ""), value


def _in_property(text: str) -> str:
    """Return ``text`` with the characters escaped as in a value of a properties file."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _property_character(match: re.Match[str]) -> str:
    escape = match[0][1:]
    if escape.startswith("\n"):
        return ""
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _CONTROLS.get(escape, escape)


# The functions below read YAML by the nodes of PyYAML, which have positions. Without PyYAML, no YAML file is read.


def find_in_yaml(text: str) -> Iterator[InFile]:
    """Yield the selectors of all documents of the YAML ``text``; raise ``UnreadableError`` if it is not YAML."""
    lines = text.split("\n")
    done: set[tuple[int, int]] = set()
    for path, node, line in scalars(text):
        if node.tag in ("tag:yaml.org,2002:str", "!"):
            for one in _scalar(node, path, text, _marker(lines, line)):
                # An alias and its anchor are the same text in the file, so yield the selector only once.
                key = (one.offset, -1) if isinstance(one, UnreadSelector) else (one.mapped.at, len(one.mapped.text))
                if key not in done:
                    done.add(key)
                    yield one
        elif not node.tag.startswith("tag:yaml.org,") and find_pattern(names_of(path), "yaml"):
            yield UnreadSelector(node.start_mark.index, reason=f"{node.tag} is for another tool")


def scalars(text: str) -> Iterator[tuple[list[str], ScalarNode, int]]:
    """Yield the scalars of the YAML ``text``, each with its path of keys and the line of its last key.

    Raises ``UnreadableError`` if ``text`` is not YAML.
    """
    try:
        documents = compose(text)
    except YamlTextError as error:
        message = f"reading {error.message}: {error.hint}" if error.hint else error.message
        raise UnreadableError(message, None if error.span is None else error.span.start) from None
    seen: Counter[int] = Counter()
    for document in documents:
        if document.id != "scalar":
            yield from _inner(document, [], seen)


def _inner(node: CollectionNode, path: list[str], seen: Counter[int]) -> Iterator[tuple[list[str], ScalarNode, int]]:
    # Aliases of YAML refer to the same node as their anchor. The node is searched again for each alias, because the
    # keys around the alias may be those of a selector. A limit prevents exponential time for nested aliases.
    if seen[id(node)] >= _MAX_ALIASES or len(path) > _MAX_DEPTH:
        return
    seen[id(node)] += 1
    for item in node.value:
        key, value = item if isinstance(item, tuple) else (None, item)
        if key is None and value.id == "mapping" and (variable := _variable(value)) is not None:
            yield [*path, *variable[0].value.split(".")], variable[1], variable[0].start_mark.line
            continue
        steps = path if key is None else [*path, *(key.value if key.id == "scalar" else "").split(".")]
        if value.id == "scalar":
            yield steps, value, (key or value).start_mark.line
        else:
            yield from _inner(value, steps, seen)


def _variable(node: CollectionNode) -> tuple[ScalarNode, ScalarNode] | None:
    """Return the name and value nodes of ``node`` if it is an environment variable of Kubernetes; else None."""
    members = {key.value: value for key, value in node.value if key.id == value.id == "scalar"}
    is_variable = len(node.value) == len(members) == 2 and members.keys() == {"name", "value"}
    return (members["name"], members["value"]) if is_variable else None


def _scalar(node: ScalarNode, path: list[str], text: str, marked: tuple[bool, str | None]) -> Iterator[InFile]:
    names, is_file = names_of(path), bool(path) and path[-1] in _PROPERTIES_IN_YAML
    is_file |= path[-1:] == ["environment"] and _VARIABLE.match(node.value) is not None
    if not (is_file or marked[0] or "selector" in node.value.lower() or find_pattern(names, "yaml")):
        # Skip a scalar that cannot contain a selector before the position of each of its characters is computed, which
        # is slow.
        return
    start, escape = node.start_mark.index, _IN_YAML.get(node.style or "", as_is)
    value = _aligned(node.value, text[start : node.end_mark.index], start, node.style)
    if is_file:
        yield from within(find_in_properties(value.text), value, escape)
    else:
        yield from selectors_at(names, value, escape, "yaml", *marked)


#: The function that escapes a text in a YAML scalar, by the quote of the scalar.
_IN_YAML = {"'": lambda text: text.replace("'", "''"), '"': in_json}


def _marker(lines: list[str], line: int) -> tuple[bool, str | None]:
    """Return True if a comment marks the line with the index ``line`` as a selector, and the dialect in it or None.

    The comment is at the end of this line, or alone on the line before.
    """
    own = _YAML_COMMENT.search(lines[line]) if line < len(lines) else None
    if own is not None and read_marker(own["text"])[0]:
        return read_marker(own["text"])
    before = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return read_marker(before[1:]) if before.startswith("#") else (False, None)


def _aligned(value: str, raw: str, start: int, style: str | None) -> MappedText:
    """Return ``value``, the text of a YAML scalar, with the position of each character in the file.

    ``raw`` is the source of the scalar, which begins at the offset ``start``, and ``style`` is its quote or block sign.
    In ``value``, a line end of ``raw`` with the indentation after it may be one character, or no character.
    """
    starts, ends = [], []
    index = raw.find("\n") + 1 if style in ("|", ">") else 1 if style in ("'", '"') else 0
    for character in value:
        while style == '"' and (continued := _CONTINUED.match(raw, index)):
            index = continued.end()
        if character not in " \n\t":
            while index < len(raw) and raw[index] in " \n\t":
                index += 1
        behind = index + 1
        if style == '"' and raw[index : index + 1] == "\\":
            match = _YAML_ESCAPE.match(raw, index)
            behind = match.end() if match else behind
        elif style == "'" and raw[index : index + 2] == "''":
            behind = index + 2
        starts.append(start + min(index, len(raw) - 1))
        ends.append(start + min(behind, len(raw)))
        index = min(behind, len(raw))
    # The text of a block scalar (``|`` or ``>``) ends with a line end, which is not part of the selector.
    kept = len(value.rstrip("\n")) if style in ("|", ">") else len(value)
    return MappedText(value[:kept], starts[:kept], ends[:kept], start)
