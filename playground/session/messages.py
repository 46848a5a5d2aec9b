"""Messages that users type, as plain properties or message JSON, and the rows of the form for plain properties."""

from __future__ import annotations

import json
import re
from typing import Any

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source, Span
from transpiler.message.json import SECTION_NAMES
from transpiler.message.message import Message, as_message

#: Maximum depth of nested JSON. The interpreter's stack in a browser suffices for a few hundred levels.
MAX_DEPTH = 100

#: A bracket or a string. Strings are matched so that brackets inside them are not counted.
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


class MessageProblem(Exception):  # noqa: N818
    """Error for a text that is not a message. ``diagnostic`` contains the reason."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def read_message(text: str) -> Message:
    """Read a message from JSON; raise ``MessageProblem`` if invalid. An empty text is a message without properties."""
    try:
        return as_message(_object(text))
    except TranspilerError as error:
        raise MessageProblem(error.diagnostics[0]) from None


def message_rows(text: str) -> dict[str, Any]:
    """Return the rows of the form for a message: the name, kind and text of each property.

    ``rows`` is None for message JSON with sections, because the form cannot show sections. A kind is ``text``,
    ``integer``, ``decimal``, ``boolean``, ``null``, or ``json`` for a value with its AMQP type.
    """
    try:
        content = _object(text)
    except MessageProblem as error:
        return {"problem": error.diagnostic.to_dict(), "rows": None}
    if any(name in SECTION_NAMES for name in content):
        return {"problem": None, "rows": None}
    return {"problem": None, "rows": [_row(name, value) for name, value in content.items()]}


def refuse_deep_json(text: str, source: Source) -> None:
    """Raise ``MessageProblem`` if ``text`` nests arrays and objects too deeply for Python's stack in a browser."""
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] in "[{":
            depth += 1
        elif bracket[0] in "]}":
            depth -= 1
        if depth > MAX_DEPTH:
            span = Span(bracket.start(), bracket.start() + 1)
            raise MessageProblem(Diagnostic("message.json", "error", "the JSON is nested too deeply", source, span))


def _object(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    source = Source(text, "message")
    refuse_deep_json(text, source)
    try:
        content = load_json(text)
    except JsonTextError as error:
        hint = 'write names and texts in double quotes: {"color": "red"}'
        span = error.span or Span(0, len(text))
        raise MessageProblem(Diagnostic("message.json", "error", error.message, source, span, hint)) from None
    if not isinstance(content, dict):
        hint = 'write an object: {"color": "red"}'
        raise MessageProblem(Diagnostic("message.json", "error", "a message is a JSON object", source, None, hint))
    return content


def _row(name: str, value: Any) -> dict[str, str]:
    match value:
        case None:
            return {"name": name, "kind": "null", "text": ""}
        case bool():
            return {"name": name, "kind": "boolean", "text": "true" if value else "false"}
        case int():
            return {"name": name, "kind": "integer", "text": str(value)}
        case float():
            return {"name": name, "kind": "decimal", "text": json.dumps(value)}
        case str():
            return {"name": name, "kind": "text", "text": value}
        case _:
            return {"name": name, "kind": "json", "text": json.dumps(value, ensure_ascii=False)}
