"""A reader of Erlang terms in the text form that ``~p`` prints and that RabbitMQ and its clients write.

The reader builds its result from the innermost terms outwards, with two functions of the caller: one for simple terms,
and one for tuples, lists and maps. So the same reader gives plain values for a log, and a tree with locations for a
compiled selector. A stack keeps the open brackets, because some terms nest thousands of levels deep.

Invariants: linear time; a text that is not a term raises an error with its location. A binary is text in UTF-8, with
U+FFFD for each invalid octet. Its characters mean the same with and without ``/utf8``, because the file was decoded
from UTF-8 before. Not here: bit sizes in binaries, improper lists, and terms without a text form (pids, functions).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NoReturn, TypeVar

from transpiler.base.diagnostics import mismatch
from transpiler.base.source import Span, half_surrogate

_Term = TypeVar("_Term")

#: Maximum number of digits of a number. A double needs at most 325 digits, and an integer has 64 bits.
MAX_DIGITS = 400

#: Matches one token. A comma after a simple term belongs to the term's token, because one match is faster than two.
_TOKEN = re.compile(
    r"""\s*+(?:(?P<open>\#?\{|\[) | (?P<arrow>=>) | (?P<stop>\.\s*+\Z) | (?P<end>\Z)
    |(?:(?P<text><<"[^"\\]*+">>)
    |(?P<close>[}\]])
    |(?P<atom>[a-z][\w@]*+ | '(?:[^'\\]++|\\.)*+')
    |(?P<number>[+-]?\s*+[0-9](?:_?[0-9])*+(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?|\#[0-9a-zA-Z]++)?)
    |(?P<binary><<(?:[^"<>]++|"(?:[^"\\]++|\\.)*+")*+>>)
    |(?P<string>"(?:[^"\\]++|\\.)*+"(?:\s*+"(?:[^"\\]++|\\.)*+")*+)
    |(?P<character>\$(?:\\(?:x\{[0-9A-Fa-f]++\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|\^.|.)|[^\\])))(?:\s*+,)?+
    |(?P<other>.))""",
    re.VERBOSE | re.DOTALL,
)
_SEGMENT = re.compile(
    r'\s*+(?:"((?:[^"\\]++|\\.)*+)"(?:\s*/\s*utf8)?|([0-9]++))\s*+(?:,(?!\s*+\Z)|(?=")|\Z)', re.DOTALL
)
_PART = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|([0-7]{1,3})|\^(.)|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "b": "\b", "f": "\f", "e": "\x1b", "s": " ", "d": "\x7f"}
_CLOSING = {"{": "}", "#{": "}", "[": "]"}


class Atom(str):
    """An Erlang atom, except ``true`` and ``false``, which are read as booleans."""

    __slots__ = ()


class Characters(str):
    """A string in double quotes. In Erlang it is the list of its characters."""

    __slots__ = ()


#: The value of an Erlang term that is not a list, tuple or map. A Python ``str`` is the text of a binary,
#: ``<<"text">>``.
Simple = Atom | Characters | str | bool | int | float


class ErlangTermError(ValueError):
    """Error for a text that is not an Erlang term. ``span`` is the location of the syntax error."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message, self.span = message, span


def read_erlang_term(
    text: str,
    simple: Callable[[Simple, int, int], _Term] | None = None,
    compound: Callable[[str, list[_Term], int, int], _Term] | None = None,
    deepest: int | None = None,
) -> _Term:
    """Parse ``text`` as one Erlang term, with or without a final full stop; otherwise raise ``ErlangTermError``.

    Args:
        text: The text.
        simple: Function that returns the result for an atom, string, number or boolean. Its arguments are the value and
            the offsets of its start and end. By default, the result is the value.
        compound: Function that returns the result for a tuple, list or map. Its arguments are the opening bracket
            (``{``, ``[`` or ``#{``), the results of the elements (for a map, keys and values in turn) and the same two
            offsets. By default, the result is the list of the elements' results.
        deepest: Maximum depth of nested brackets; None for no limit.
    """
    opened: list[tuple[str, int, list[_Term]]] = []
    bracket, start, terms = "", 0, list[_Term]()
    is_due = True
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup or ""
        raw, at = token[kind], token.start(kind)
        end = at + len(raw)
        read = _READERS.get(kind)
        if read is not None:
            if not is_due:
                _refuse_next(text, at, bracket, len(terms))
            value: Any = read(raw, at)
            terms.append(value if simple is None else simple(value, at, end))
        elif kind == "open":
            if not is_due:
                _refuse_next(text, at, bracket, len(terms))
            if deepest is not None and len(opened) >= deepest:
                raise ErlangTermError(f"terms are nested more than {deepest} levels deep", Span(at, end))
            opened.append((bracket, start, terms))
            bracket, start, terms = raw, at, []
            continue
        elif kind == "close" and bracket and raw == _CLOSING[bracket]:
            if is_due and terms:
                _refuse_start(text, at)
            if bracket == "#{" and len(terms) % 2:
                _refuse_next(text, at, bracket, len(terms))
            made: Any = terms if compound is None else compound(bracket, terms, start, end)
            bracket, start, terms = opened.pop()
            terms.append(made)
        elif is_due:
            _refuse_start(text, at)
        elif kind == "arrow" and bracket == "#{" and len(terms) % 2:
            is_due = True
            continue
        elif kind in ("stop", "end") and not bracket:
            break
        else:
            _refuse_next(text, at, bracket, len(terms))
        is_due = token.end() > end
        if is_due and (not bracket or (bracket == "#{" and len(terms) % 2)):
            _refuse_next(text, token.end() - 1, bracket, len(terms))
    return terms[0]


def _refuse_start(text: str, at: int) -> NoReturn:
    """Raise the error for the character at offset ``at``: a term is expected, but this character cannot begin one."""
    if text.startswith("<<", at):
        raise ErlangTermError('expected a string as <<"text">>, which ends in ">>', Span(at, at + 2))
    expected = 'a tuple, a list, a string as <<"text">>, a number or an atom'
    raise ErlangTermError(mismatch(expected, _shown(text, at)), Span(at, min(at + 1, len(text))))


def _refuse_next(text: str, at: int, bracket: str, count: int) -> NoReturn:
    """Raise the error for the character at offset ``at``: a comma or closing bracket is expected.

    ``bracket`` is the innermost open bracket, or "" outside brackets; ``count`` is the number of terms after it.
    """
    if not bracket:
        at += len(text) - at - len(text[at:].lstrip(". \t\r\n"))
        raise ErlangTermError("expected the end of the term", Span(at, len(text)))
    expected = "=>" if bracket == "#{" and count % 2 else f"a comma or {_CLOSING[bracket]}"
    raise ErlangTermError(mismatch(expected, _shown(text, at)), Span(at, min(at + 1, len(text))))


def _shown(text: str, at: int) -> str:
    return repr(text[at]) if at < len(text) else "the end"


def _text(raw: str, _: int) -> str:
    return raw[3:-3]


@lru_cache(maxsize=1024)
def _word(raw: str) -> Atom | bool:
    return raw == "true" if raw in ("true", "false") else Atom(raw)


def _atom(raw: str, at: int) -> Atom | bool:
    return _word(raw if raw[0] != "'" else _unescaped(raw[1:-1], at + 1))


def _number(raw: str, at: int) -> int | float:
    if raw.isdecimal() and len(raw) < 19:
        return int(raw)
    digits = "".join(raw.split()).replace("_", "")
    if len(digits) > MAX_DIGITS:
        raise ErlangTermError(f"a number has more than {MAX_DIGITS} digits", Span(at, at + len(raw)))
    try:
        base, _, value = digits.partition("#")
        number = float(digits) if "." in digits else int(base)
        if value:
            # A number such as 16#FF gives its base. Check its digits, because ``int`` would also accept a prefix such
            # as 0x.
            if any(int(digit, 36) >= abs(int(base)) for digit in value):
                raise ValueError
            number = int(value, abs(int(base))) * (-1 if base.startswith("-") else 1)
    except ValueError:
        raise ErlangTermError("the digits do not belong to this base", Span(at, at + len(raw))) from None
    if math.isinf(number):
        raise ErlangTermError("the number is outside the range of a double", Span(at, at + len(raw)))
    return number


def _binary(raw: str, at: int) -> str:
    inside, position = raw[2:-2], 0
    octets = bytearray()
    while position < len(inside) and not (position == 0 and inside.isspace()):
        segment = _SEGMENT.match(inside, position)
        octet = segment[2].lstrip("0") or "0" if segment and segment[2] else ""
        if segment is None or len(octet) > 3 or (octet and int(octet) > 255):
            raise ErlangTermError("expected a string or an octet", Span(at + 2 + position, at + 2 + len(inside)))
        if octet:
            octets.append(int(octet))
        else:
            octets += _unescaped(segment[1], at + 2 + segment.start(1)).encode(errors="surrogatepass")
        position = segment.end()
    return octets.decode(errors="replace")


def _string(raw: str, at: int) -> Characters:
    return Characters("".join(_unescaped(part[1], at + part.start(1)) for part in _PART.finditer(raw)))


def _character(raw: str, at: int) -> int:
    return ord(_unescaped(raw[1:], at + 1))


def _unescaped(text: str, at: int) -> str:
    """Replace the escape sequences in ``text`` by their characters; ``at`` is the offset of ``text`` in the term."""
    if "\\" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        braced, hexadecimal, octal, control, other = found.groups()
        if other:
            return _ESCAPED.get(other, other)
        if control:
            return chr(ord(control) & 31)
        code = int(octal, 8) if octal else int(braced or hexadecimal, 16)
        written = chr(code) if code < 0x11_0000 else ""
        if not written or half_surrogate(written):
            raise ErlangTermError("there is no character with this code", Span(at + found.start(), at + found.end()))
        return written

    return _ESCAPE.sub(character, text)


#: For each kind of simple term, the function that converts a token to a value. Its arguments are the token's text and
#: offset.
_READERS: dict[str, Callable[[str, int], Simple]] = {
    "text": _text,
    "atom": _atom,
    "number": _number,
    "binary": _binary,
    "string": _string,
    "character": _character,
}
