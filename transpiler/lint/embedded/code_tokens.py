"""The tokens of source code and the texts of its expressions: literals, constants of the same file, and their sums.

The languages differ in their comments and literals, and in nothing else that counts here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from transpiler.lint.embedded.selector_text import MappedText, decoded, joined, plain


@dataclass(frozen=True, slots=True)
class Family:
    """Languages with the same strings and comments."""

    comments: str
    strings: str
    #: True if two literals side by side are one.
    adjacent: bool = False
    #: Matches a literal that has the value of a name in it.
    interpolated: str = r"(?!)"


class Token(NamedTuple):
    """A token with its place; a literal of text is a ``text``, all else that is no name is a ``sign``."""

    #: ``text``, ``name``, ``sign`` or ``comment``.
    kind: str
    text: str
    start: int
    end: int
    #: True if a line ends before it.
    on_new_line: bool


_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'"
_TRIPLE = r'"""(?:[^\\]|\\.)*?"""' + r"|'''(?:[^\\]|\\.)*?'''"
_JAVA_COMMENT = r"//[^\n]*|/\*.*?\*/"
#: Names that Kotlin, Groovy, Scala, JavaScript, PHP, Ruby and shells replace in a literal, behind no backslash.
_DOLLAR = r"(?<!\\)(?:\\\\)*(?:\$\{|\$[A-Za-z_]|#\{)"
_PYTHON = Family(
    comments=r"#[^\n]*",
    strings=rf"(?:\b[rRbBuUfF]{{1,2}})?(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})",
    adjacent=True,
    interpolated=r"(?s)[rRbBuU]?[fF][rRbBuU]?[\"'].*\{",
)
_HASH = Family(comments=r"#[^\n]*", strings=f"{_DOUBLE}|{_SINGLE}", interpolated=_DOLLAR)
_SCRIPT = Family(
    comments=_JAVA_COMMENT,
    strings=r'"""(?:[^\\]|\\.)*?"""' + f"|{_DOUBLE}|{_SINGLE}|`[^`]*`",
    interpolated=_DOLLAR,
)
_JAVA = Family(comments=_JAVA_COMMENT, strings=r'"""(?:[^\\]|\\.)*?"""' + f"|{_DOUBLE}|{_SINGLE}|`[^`]*`")
_SHARP = Family(
    comments=_JAVA_COMMENT,
    strings=r'\$?@\$?"(?:[^"]|"")*+"|"""(?:.*?)"""' + rf"|\$?{_DOUBLE}|{_SINGLE}",
    interpolated=r"(?s)@?\$@?\".*\{",
)
_C = Family(comments=_JAVA_COMMENT, strings=f"{_DOUBLE}|{_SINGLE}", adjacent=True)
_SQL = Family(comments=r"--[^\n]*|/\*.*?\*/", strings=r"'(?:[^']|'')*+'")

#: The family of a file by the end of its name.
FAMILIES = {
    **dict.fromkeys((".py", ".pyi"), _PYTHON),
    **dict.fromkeys((".rb", ".sh", ".bash", ".pl", ".tf", ".toml"), _HASH),
    **dict.fromkeys(".kt .kts .scala .groovy .gradle .js .mjs .ts .tsx .jsx .php".split(), _SCRIPT),
    **dict.fromkeys((".java", ".go", ".rs", ".swift"), _JAVA),
    ".cs": _SHARP,
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp"), _C),
    ".sql": _SQL,
}

_REST = r"(?P<name>[A-Za-z_]\w*)|(?P<sign>=>|->|:=|==|\+=|[^\w\s\\])"
_PREFIX = "rRbBuUfF@$"
_ESCAPE = re.compile(
    r"\\(?:\n|u\{[0-9a-fA-F]+\}|u+[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL
)
_DOUBLED = re.compile('""')
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": "", "s": " "}

#: Words for no selector, and values that are none.
_NOTHING = frozenset("null nil none undefined nullptr true false".split())
_OWN = frozenset({"this", "self", "cls"})
_DECLARES = frozenset("class interface object enum struct record trait module".split())
#: Signs behind an expression that end it.
_ENDS = frozenset(",)]};")
#: Signs that go on with an expression on the next line.
_CONTINUES = frozenset("+.%?(")
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
#: Artemis's class of texts: a call with one text as its argument, which it is.
_WRAPPER = "SimpleString"
#: Constants of constants that are followed.
_MAX_DEPTH = 20


def tokens(text: str, family: Family) -> list[Token]:
    """Return the tokens of a source file, comments among them."""
    pattern = re.compile(f"(?P<comment>{family.comments})|(?P<text>{family.strings})|{_REST}", re.DOTALL)
    found: list[Token] = []
    last = 0
    for match in pattern.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        on_new_line = "\n" in text[last : match.start()] or (bool(found) and found[-1].text[-1:] == "\n")
        found.append(Token(kind, match[0], match.start(), match.end(), on_new_line))
        last = match.end()
    return found


def content(token: Token) -> MappedText:
    """Return the text that a literal stands for."""
    body = token.text.lstrip(_PREFIX)
    prefix = token.text[: len(token.text) - len(body)].lower()
    quotes = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    raw, at = body[quotes : len(body) - quotes], token.start + len(prefix) + quotes
    if "@" in prefix:
        return decoded(raw, at, _DOUBLED, lambda _: '"')
    return plain(raw, at) if "r" in prefix or body[0] == "`" else decoded(raw, at, _ESCAPE, _character)


def escaped(token: Token) -> str | None:
    """Return the quote of a literal in which \\ escapes; None of one that has no escapes."""
    body = token.text.lstrip(_PREFIX)
    prefix = token.text[: len(token.text) - len(body)].lower()
    return None if "@" in prefix or "r" in prefix or body[0] == "`" else body[0]


def _character(match: re.Match[str]) -> str:
    escape = match[0][1:]
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    digits = escape.lstrip("uUx").strip("{}")
    if escape[0] in "uUx" and digits and len(escape) > 1:
        number = int(digits, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    return _CONTROLS.get(escape, escape)


class Value(NamedTuple):
    """The text of an expression; None where it is known at run time only.

    ``literal`` is the first literal in it. ``is_expression`` is False for no value, as null and a declaration are.
    """

    text: MappedText | None
    literal: Token | None = None
    is_expression: bool = True


_NO_VALUE = Value(None, is_expression=False)


class Values:
    """The expressions of a file, by the numbers of their first tokens."""

    def __init__(self, tokens: Sequence[Token], family: Family) -> None:
        self.tokens = tokens
        self._adjacent = family.adjacent
        self._interpolated = re.compile(family.interpolated)
        self._types = {after.text for before, after in pairwise(tokens) if before.text in _DECLARES}
        self._constants = self._assigned()

    def at(self, number: int, depth: int = 0) -> Value:
        """Return the value of the expression that begins with a token."""
        return self._read(number, depth)[0]

    def around(self, number: int) -> tuple[int, Value]:
        """Return the expression that a literal of text is a part of, and the number of its first token."""
        first = number
        while first:
            before = self.tokens[first - 1]
            if self._adjacent and before.kind == "text":
                first -= 1
            elif before.text == "+" and first > 1 and self.tokens[first - 2].kind in ("text", "name"):
                first -= 2
                while first > 1 and self.tokens[first - 1].text == ".":
                    first -= 2
            else:
                break
        sign = self.tokens[first - 1].text if first else ""
        called = self.tokens[first - 2].text.lower() if first > 1 else ""
        if sign in ("+", ".", "%") or (sign == "(" and called in ("format", "printf", "sprintf")):
            return first, Value(None, self.tokens[number])
        return first, self.at(first)

    def _read(self, number: int, depth: int) -> tuple[Value, int]:
        """Return a value and the number of the token behind it."""
        parts: list[MappedText | None] = []
        literal: Token | None = None
        while True:
            part, number = self._operand(number, depth)
            if not part.is_expression:
                return _NO_VALUE, number
            parts.append(part.text)
            literal = literal or part.literal
            behind = self._token(number)
            if behind is not None and behind.text == "+":
                number += 1
            elif not (self._adjacent and behind is not None and behind.kind == self.tokens[number - 1].kind == "text"):
                break
        known = [text for text in parts if text is not None]
        ends = behind is None or behind.text in _ENDS or (behind.on_new_line and behind.text not in _CONTINUES)
        return Value(joined(known) if ends and len(known) == len(parts) else None, literal), number

    def _operand(self, number: int, depth: int) -> tuple[Value, int]:
        """Return a literal, the value of a name or of what is in parentheses, and the number behind it."""
        token = self._token(number)
        if token is None:
            return _NO_VALUE, number
        if token.kind == "text":
            return Value(None if self._interpolated.search(token.text) else content(token), token), number + 1
        if depth >= _MAX_DEPTH:
            return Value(None), number
        if token.text == "(":
            inner, number = self._read(number + 1, depth + 1)
            return inner, number + self._is(number, ")")
        if token.kind == "name" and token.text.lower() not in _NOTHING:
            return self._named(number, depth)
        return _NO_VALUE, number

    def _named(self, number: int, depth: int) -> tuple[Value, int]:
        """Return the value of a name, which is none where it is a type with its variable, and the number behind it."""
        path = [self.tokens[number].text]
        if path[0] == "new":
            number += 1
            path = [token.text] if (token := self._token(number)) is not None else path
        number += 1
        while self._is(number, ".") and (after := self._token(number + 1)) is not None and after.kind == "name":
            path.append(after.text)
            number += 2
        behind = self._token(number)
        if behind is not None and behind.kind == "name" and not behind.on_new_line:
            return _NO_VALUE, number
        if self._is(number, "(") and _WRAPPER in path:
            return self._operand(number, depth)
        own = len(path) == 1 or (len(path) == 2 and (path[0] in _OWN or path[0] in self._types))
        places = self._constants.get(path[-1], ()) if own else ()
        return self.at(places[0], depth + 1) if len(places) == 1 else Value(None), number

    def _assigned(self) -> dict[str, list[int]]:
        """Return where the values of each name begin that is assigned anywhere, but for named arguments."""
        found: dict[str, list[int]] = {}
        brackets: list[str] = []
        for number, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in OPENING:
                brackets.append(token.text)
            elif token.kind == "sign" and token.text in CLOSING and brackets:
                brackets.pop()
            elif token.text in ("=", ":=", "+=") and token.kind == "sign" and number and (brackets[-1:] != ["("]):
                name = self._variable(number - 1)
                # A name that grows is none with one value.
                found.setdefault(name, []).extend([number + 1] * (1 + (token.text == "+=")))
            elif token.text == "define" and (name_of := self._token(number + 1)) is not None:
                found.setdefault(name_of.text, []).append(number + 2)
        return found

    def _variable(self, number: int) -> str:
        """Return the name that is assigned to before a sign: the last one, or the one before a colon and its type."""
        for place in range(number, max(number - 4, 0), -1):
            if self.tokens[place].text == ":" and self.tokens[place - 1].kind == "name":
                return self.tokens[place - 1].text
            if self.tokens[place].on_new_line or self.tokens[place].text in (";", "{", "}", ","):
                break
        return self.tokens[number].text

    def _token(self, number: int) -> Token | None:
        return self.tokens[number] if number < len(self.tokens) else None

    def _is(self, number: int, sign: str) -> bool:
        token = self._token(number)
        return token is not None and token.kind == "sign" and token.text == sign
