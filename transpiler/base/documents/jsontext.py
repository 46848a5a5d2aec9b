"""JSON from anybody: what Python's reader would answer with an exception of its own, or with all of the memory.

A value costs some bytes of text and ten times as many of memory, so their number is bounded before they are made. A
number of thousands of digits, and arrays deeper than Python can follow, are refused as well.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from transpiler.base.source import Source, Span

#: Values and keys in a message or in a filter set, at most.
MAX_VALUES = 200_000

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)

#: The marks of a JSON text, its strings with their quotes, its numbers and its words, each with its place.
JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)

#: A string, which may look like a comment inside, or a comment.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]++|\\.)*+"|(?P<comment>/\*.*?\*/|//[^\n]*)', re.DOTALL)
_NOT_SPACE = re.compile(r"\S")


def json_text(value: object, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Return a value as JSON in which no control or bidirectional character acts on who reads it: it is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=default)
    # A line end stands between two lines of JSON only.
    return "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))


def _escaped(line: str) -> str:
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in line)


class JsonTextError(ValueError):
    """The text is no JSON that can be read; ``span`` is where, if that is known."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.message, self.span = message, span

    def place(self, text: str) -> str:
        """``:line:column`` of the span, or nothing; for errors whose text is not shown."""
        if self.span is None:
            return ""
        line, column = Source(text).position(self.span.start)
        return f":{line}:{column}"


def without_comments(text: str) -> str:
    """Return a text with spaces where it has comments, as Broker-J reads JSON; all else keeps its place."""
    if "/*" not in text and "//" not in text:
        return text
    return _STRING_OR_COMMENT.sub(lambda found: _NOT_SPACE.sub(" ", found[0]) if found["comment"] else found[0], text)


def load_json(text: str, most: int | None = MAX_VALUES) -> Any:
    """The value that a text says, with at most so many values and keys in it; ``JsonTextError`` otherwise."""
    # Most texts are short, and for a long one strings are looked at only where the count says so.
    if most is not None and len(text) > most and _marks(text) > most and _marks(_STRING.sub('"', text)) > most:
        raise JsonTextError(f"there are more than {most:,} values")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        comma = _trailing_comma(text, error.pos)
        if comma is not None:
            message = "this is not JSON: there is a comma after the last item: take the comma out"
            raise JsonTextError(message, Span(comma, comma + 1)) from None
        raise JsonTextError(f"this is not JSON: {error.msg}", Span(error.pos, error.pos + 1)) from None
    except RecursionError:
        raise JsonTextError("this is nested too deeply") from None
    except ValueError:
        raise JsonTextError(f"a number has more than {sys.get_int_max_str_digits()} digits") from None


def _trailing_comma(text: str, place: int) -> int | None:
    """Return the position of the comma that stands before the end of an array or object around an error's place.

    Versions of Python put the place at the comma or at the bracket.
    """
    before = text[: place + 1].rstrip()
    if before.endswith(("]", "}")):
        before = before[:-1].rstrip()
    elif not text[place + 1 :].lstrip().startswith(("]", "}")):
        return None
    return len(before) - 1 if before.endswith(",") else None


def _marks(text: str) -> int:
    """Return a bound of the number of values: each one but the first stands behind one of these marks."""
    return sum(map(text.count, "[{,:"))
