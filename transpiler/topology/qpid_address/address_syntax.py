"""The syntax of a Qpid address: a name, a subject, and a map of options, with the location of each element.

The grammar is the Qpid Messaging API's: ``name [/ subject] [; {options}]``. A word ends at white space and at
``' " { } [ ] , : /``; in quotes, a backslash escapes the next character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from transpiler.base.diagnostics import mismatch
from transpiler.base.errors import TopologyError
from transpiler.base.source import Source, Span, half_surrogate

#: Maximum nesting depth of maps and lists in options.
MAX_DEPTH = 20

#: Maximum length of an address, in characters.
MAX_LENGTH = 100_000

_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"""[^\s'"{}\[\],:/;]+""")
_NAME = re.compile(r"[^\s/;]+")
_SUBJECT = re.compile(r"[^\s;]+")
_QUOTED = re.compile(r""""((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)'""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_INTEGER = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Text:
    """A simple value and its span in the address."""

    value: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class Pairs:
    """A map: pairs of key and value in the order of the text, and the span of the map."""

    items: tuple[tuple[Text, Value], ...]
    span: Span

    def __iter__(self) -> Iterator[tuple[Text, Value]]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Items:
    """A list of values, and the span of the list."""

    items: tuple[Value, ...]
    span: Span


Value = Text | Pairs | Items


@dataclass(frozen=True, slots=True)
class AddressText:
    """A parsed address: its name, its subject and its options. ``subject`` and ``options`` are None if absent."""

    name: Text
    subject: Text | None
    options: Pairs | None


def read_address_text(source: Source) -> AddressText:
    """Parse the syntax of an address; raise ``TopologyError`` with the span of the first error."""
    if len(source.text) > MAX_LENGTH:
        message = f"the address has {len(source.text):,} characters, but the maximum is {MAX_LENGTH:,}"
        raise TopologyError.at("limit.length", message, source, Span(MAX_LENGTH, len(source.text)))
    half = half_surrogate(source.text)
    if half is not None:
        _refuse_surrogate(source, half)
    reader = _Reader(source)
    name = reader.part(_NAME, "a name", "perhaps write the name of a queue or an exchange first")
    subject = None
    if reader.sign("/"):
        subject = reader.part(_SUBJECT, "a subject after /", "perhaps omit the / if there is no subject")
    options = None
    if reader.sign(";"):
        if not reader.looks_at("{"):
            reader.fail(
                "address.options", "expected options in braces after ;", "perhaps write ; {link: {durable: true}}"
            )
        value = reader.value(0)
        assert isinstance(value, Pairs)
        options = value
    reader.end()
    return AddressText(name, subject, options)


def _refuse_surrogate(source: Source, span: Span) -> NoReturn:
    message = "half of a surrogate pair is not a Unicode character"
    raise TopologyError.at("address.unicode", message, source, span)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.at = 0

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        assert space is not None
        self.at = space.end()

    @property
    def _next(self) -> str:
        return repr(self.text[self.at]) if self.at < len(self.text) else "the end"

    def looks_at(self, sign: str) -> bool:
        """Return True if the next character after white space is ``sign``."""
        self._skip()
        return self.text.startswith(sign, self.at)

    def sign(self, sign: str) -> bool:
        """Consume ``sign`` if it is the next character; return True if it is."""
        if not self.looks_at(sign):
            return False
        self.at += 1
        return True

    def fail(self, code: str, message: str, hint: str | None = None, span: Span | None = None) -> NoReturn:
        """Raise ``TopologyError`` at ``span``, or at the next character."""
        raise TopologyError.at(code, message, self.source, span or Span(self.at, self.at + 1), hint)

    def end(self) -> None:
        """Raise ``TopologyError`` unless the whole text has been consumed."""
        self._skip()
        if self.at < len(self.text):
            hint = "options must be in braces after a semicolon"
            self.fail("address.end", f"expected the end, found {self.text[self.at]!r}", hint)

    def part(self, pattern: re.Pattern[str], what: str, hint: str) -> Text:
        """Return the next name or subject: a quoted string, or a text that matches ``pattern``."""
        quoted = self._quoted()
        if quoted is not None:
            return quoted
        match = pattern.match(self.text, self.at)
        if match is None:
            self.fail("address.expected", f"expected {what}", hint)
        self.at = match.end()
        return Text(match[0], Span(*match.span()))

    def _quoted(self) -> Text | None:
        self._skip()
        if self.text[self.at : self.at + 1] not in ("'", '"') or self.at == len(self.text):
            return None
        match = _QUOTED.match(self.text, self.at)
        if match is None:
            span = Span(self.at, len(self.text))
            self.fail(
                "address.unterminated",
                "this string is never closed",
                f"close the string with {self.text[self.at]}",
                span,
            )
        self.at = match.end()
        span = Span(*match.span())
        text = _ESCAPE.sub(_unescape, match[1] if match[1] is not None else match[2])
        if half_surrogate(text) is not None:
            # The two halves of a surrogate pair, each with its own escape, become one character.
            try:
                text = text.encode("utf-16", "surrogatepass").decode("utf-16")
            except UnicodeDecodeError:
                _refuse_surrogate(self.source, span)
        return Text(text, span)

    def value(self, depth: int) -> Value:
        """Return the next map, list or simple value."""
        if depth > MAX_DEPTH:
            self.fail("limit.nesting", f"options are nested more than {MAX_DEPTH} levels deep")
        self._skip()
        start = self.at
        if self.sign("{"):
            return Pairs(tuple(self._pairs(depth)), Span(start, self.at))
        if self.sign("["):
            return Items(tuple(self._items(depth)), Span(start, self.at))
        quoted = self._quoted()
        if quoted is not None:
            return quoted
        word = self._word()
        if word is None:
            self.fail("address.expected", mismatch("a value", self._next))
        return Text(_scalar(str(word.value)), word.span)

    def _word(self) -> Text | None:
        self._skip()
        match = _WORD.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return Text(match[0], Span(*match.span()))

    def _pairs(self, depth: int) -> Iterator[tuple[Text, Value]]:
        seen: set[Scalar] = set()
        while not self.sign("}"):
            key = self._quoted() or self._word()
            if key is None:
                self.fail("address.expected", mismatch("a key or }", self._next))
            if key.value in seen:
                self.fail("address.duplicate", f"{key.value} occurs twice", span=key.span)
            seen.add(key.value)
            if not self.sign(":"):
                self.fail("address.expected", f"expected : after {key.value}", "a map has pairs: {key: value}")
            yield key, self.value(depth + 1)
            self._separator("}")

    def _items(self, depth: int) -> Iterator[Value]:
        while not self.sign("]"):
            yield self.value(depth + 1)
            self._separator("]")

    def _separator(self, closing: str) -> None:
        if self.sign(",") or self.looks_at(closing):
            return
        self.fail("address.expected", mismatch(f", or {closing}", self._next))


def _scalar(word: str) -> Scalar:
    """Return the value of a word without quotes: a number, a boolean, or text."""
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    # An integer of 64 bits has at most 19 digits; 40 leave room for leading zeros. Test the length first, because
    # Python refuses to convert texts with thousands of digits.
    if _INTEGER.fullmatch(word) and len(word) <= 40 and -(2**63) <= int(word) < 2**63:
        return int(word)
    return float(word) if _FLOAT.fullmatch(word) else word


def _unescape(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2]
    return chr(int(digits, 16)) if digits else escape[3]
