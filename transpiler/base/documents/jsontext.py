"""A safe reader of untrusted JSON: limits on memory, and one exception for every kind of invalid text.

A value takes ten times as many bytes in memory as in the text, so the number of values is limited before any is made.
Numbers of thousands of digits, and arrays nested too deeply for Python's recursion, are rejected as well.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from transpiler.base.source import Source, Span

#: Maximum number of values and keys in one message or filter set.
MAX_VALUES = 200_000

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)

#: A token of JSON: a bracket, comma or colon, a string with its quotes, a number, or a word.
JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)

#: Matches a string or a comment. It matches strings so that text like // inside a string is not taken for a comment.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]++|\\.)*+"|(?P<comment>/\*.*?\*/|//[^\n]*)', re.DOTALL)
_NOT_SPACE = re.compile(r"\S")


def json_text(value: object, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Return ``value`` as JSON text that is safe to display: control and bidirectional characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=default)
    # JSON escapes line ends in strings, so each line end in the text is one that ``json.dumps`` added for the
    # indentation.
    return "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))


def _escaped(line: str) -> str:
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in line)


class JsonTextError(ValueError):
    """Error for a text that is not valid JSON or exceeds a limit. ``span`` is the location, or None."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.message, self.span = message, span

    def location(self, text: str) -> str:
        """Return ``:line:column`` of the span in ``text``, for errors that do not show the text; "" without a span."""
        if self.span is None:
            return ""
        line, column = Source(text).position(self.span.start)
        return f":{line}:{column}"


def without_comments(text: str) -> str:
    """Replace the comments in ``text``, which Broker-J allows in JSON, by spaces, so that offsets stay the same."""
    if "/*" not in text and "//" not in text:
        return text
    return _STRING_OR_COMMENT.sub(lambda found: _NOT_SPACE.sub(" ", found[0]) if found["comment"] else found[0], text)


def load_json(text: str, most: int | None = MAX_VALUES) -> Any:
    """Parse the JSON ``text``; raise ``JsonTextError`` if it is invalid or has more than ``most`` values and keys."""
    # Strings may contain brackets and commas, which ``_marks`` counts as values. To remove strings is slow, so do it
    # only if the first count exceeds the limit.
    if most is not None and len(text) > most and _marks(text) > most and _marks(_STRING.sub('"', text)) > most:
        raise JsonTextError(f"there are more than {most:,} values")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        comma = _trailing_comma(text, error.pos)
        if comma is not None:
            message = "this is not JSON: there is a comma after the last item: remove the comma"
            raise JsonTextError(message, Span(comma, comma + 1)) from None
        raise JsonTextError(f"this is not JSON: {error.msg}", Span(error.pos, error.pos + 1)) from None
    except RecursionError:
        raise JsonTextError("the JSON is nested too deeply") from None
    except ValueError:
        raise JsonTextError(f"a number has more than {sys.get_int_max_str_digits()} digits") from None


def _trailing_comma(text: str, index: int) -> int | None:
    """Return the offset of the comma if the JSON error at ``index`` is due to a comma before a closing bracket.

    Return None if another cause is likely. Depending on its version, Python reports the offset of the comma or of the
    bracket.
    """
    before = text[: index + 1].rstrip()
    if before.endswith(("]", "}")):
        before = before[:-1].rstrip()
    elif not text[index + 1 :].lstrip().startswith(("]", "}")):
        return None
    return len(before) - 1 if before.endswith(",") else None


def _marks(text: str) -> int:
    """Return an upper bound of the number of values in the JSON ``text``: the number of ``[``, ``{``, ``,`` and ``:``.

    Each value except the first follows one of these characters. Those inside strings are counted, too.
    """
    return sum(map(text.count, "[{,:"))
