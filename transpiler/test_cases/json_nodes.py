"""The documents of a JSON text as nodes: one object, or an array of them."""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn

from transpiler.source import Source, Span
from transpiler.test_cases.file_nodes import MAX_DEPTH, MAX_VALUES, Node

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_DECODER = JSONDecoder()
_WORDS = {"true": True, "false": False, "null": None}


def json_documents(source: Source) -> list[Node]:
    """Return the documents of a text; ``CaseFileError`` where it is no JSON."""
    reader = _Reader(source)
    node = reader.value(0)
    reader.skip()
    if reader.at < len(source.text):
        reader.refuse("this is not JSON: something follows the value")
    return list(node.value) if isinstance(node.value, tuple) else [node]


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self.at = self.values = 0

    def refuse(self, message: str) -> NoReturn:
        """Raise ``CaseFileError`` at the next character."""
        Node(None, Span(self.at, self.at + 1), self.source).refuse("json", message)

    def skip(self) -> str:
        """Skip blanks; return the next character, or nothing at the end."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank is not None else self.at
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Node:
        """Read a value."""
        first, start = self.skip(), self.at
        self.values += 1
        if depth > MAX_DEPTH or self.values > MAX_VALUES:
            self.refuse(f"there are more than {MAX_DEPTH} levels or {MAX_VALUES:,} values")
        if first == "{":
            return self.object(start, depth)
        if first == "[":
            self.at += 1
            items: list[Node] = []
            while self.more("]", bool(items)):
                items.append(self.value(depth + 1))
            return Node(tuple(items), Span(start, self.at), self.source)
        if first == '"':
            text = self.string()
            return Node(text, Span(start, self.at), self.source)
        for word, value in _WORDS.items():
            if self.text.startswith(word, start):
                self.at += len(word)
                return Node(value, Span(start, self.at), self.source)
        number = _NUMBER.match(self.text, start)
        if number is None:
            self.refuse("this is not JSON: expected a value")
        self.at = number.end()
        whole = number[1] is None and number[2] is None
        return Node(int(number[0]) if whole else float(number[0]), Span(start, self.at), self.source)

    def object(self, start: int, depth: int) -> Node:
        """Read an object, whose keys stand in it once."""
        self.at += 1
        members: dict[str, Node] = {}
        keys: dict[str, Node] = {}
        while self.more("}", bool(members)):
            if self.skip() != '"':
                self.refuse("this is not JSON: expected a key in double quotes")
            begin = self.at
            name = self.string()
            key = Node(name, Span(begin, self.at), self.source)
            if name in members:
                key.refuse("key", f"the key {name!r} stands here twice")
            if self.skip() != ":":
                self.refuse("this is not JSON: expected a colon")
            self.at += 1
            keys[name], members[name] = key, self.value(depth + 1)
        return Node(members, Span(start, self.at), self.source, keys)

    def more(self, end: str, has_items: bool) -> bool:
        """Return True if another item follows; read the comma before it, or the end."""
        following = self.skip()
        if following == end:
            self.at += 1
            return False
        if has_items:
            if following != ",":
                self.refuse(f"this is not JSON: expected a comma or {end}")
            self.at += 1
        return True

    def string(self) -> str:
        """Read a string from its opening quote."""
        try:
            text, self.at = _DECODER.raw_decode(self.text, self.at)
        except JSONDecodeError as error:
            self.at = error.pos
            self.refuse(f"this is not JSON: {error.msg}")
        return str(text)
