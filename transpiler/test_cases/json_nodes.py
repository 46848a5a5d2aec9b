"""The documents of a JSON text as nodes: one object, or an array of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from transpiler.jsontext import JSON_TOKEN, JsonTextError, load_json
from transpiler.source import Source, Span
from transpiler.test_cases.file_nodes import MAX_DEPTH, MAX_VALUES, Node

_NO_JSON = ("NaN", "Infinity", "-Infinity")


def json_documents(source: Source) -> list[Node]:
    """Return the documents of a text; ``CaseFileError`` where it is no JSON."""
    try:
        load_json(source.text, MAX_VALUES)
    except JsonTextError as error:
        Node(None, error.span or Span(0, 1), source).refuse("json", error.message)
    tokens = JSON_TOKEN.finditer(source.text)
    node = _node(next(tokens), tokens, source, 0)
    return list(node.value) if isinstance(node.value, tuple) else [node]


def _node(token: re.Match[str], tokens: Iterator[re.Match[str]], source: Source, depth: int) -> Node:
    """Return the node that begins with a token of a valid text; the keys of an object stand in it once."""
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
            items.append(_node(inner, tokens, source, depth + 1))
    span = Span(here.span.start, end)
    if token[0] == "[":
        return Node(tuple(items), span, source)
    keys: dict[str, Node] = {}
    for key in items[::2]:
        name = key.text("a key")
        if name in keys:
            key.refuse("key", f"the key {name!r} stands here twice")
        keys[name] = key
    return Node(dict(zip(keys, items[1::2], strict=True)), span, source, keys)
