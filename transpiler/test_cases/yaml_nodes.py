"""The documents of a YAML text as nodes.

YAML 1.1 reads ``no`` as false, ``010`` as 8 and ``1:30`` as 90. Such a word without quotes is refused, for it is
seldom meant; numbers and booleans are those of JSON, and a date is its text.
"""

from __future__ import annotations

import math
import re
from typing import Any

from transpiler.source import Source, Span
from transpiler.test_cases.file_nodes import MAX_DEPTH, MAX_VALUES, CaseFileError, Node

#: Characters of a text.
MAX_LENGTH = 2**20

_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SPECIAL = {".nan": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}


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
        return [_Reader(source).node(node, 0) for node in composed]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        span = None if mark is None else _span(mark, mark, source)
        raise CaseFileError.at("cases.yaml", f"this is not YAML: {error.problem}", source, span) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise CaseFileError.at("cases.yaml", f"this is not YAML: {error}", source) from None


def _span(start: Any, end: Any, source: Source) -> Span:
    first = min(start.index, len(source.text))
    return Span(first, max(first + 1, min(end.index, len(source.text))))


class _Reader:
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
                return self.mapping(composed, span, depth)
            case _:
                return self.scalar(composed, span)

    def mapping(self, composed: Any, span: Span, depth: int) -> Node:
        """Return a mapping, whose keys are texts and stand in it once."""
        members: dict[str, Node] = {}
        keys: dict[str, Node] = {}
        for key_node, value_node in composed.value:
            key = Node(key_node.value, _span(key_node.start_mark, key_node.end_mark, self.source), self.source)
            if not isinstance(key.value, str):
                key.refuse("key", "a key is text")
            if key.value in members:
                key.refuse("key", f"the key {key.value!r} stands here twice")
            keys[key.value] = key
            members[key.value] = self.node(value_node, depth + 1)
        return Node(members, span, self.source, keys)

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
