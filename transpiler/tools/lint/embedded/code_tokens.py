"""The tokens of source code, and the values of string literals.

For this purpose, programming languages differ only in their comments and literals, and in the declaration of variables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from transpiler.tools.lint.embedded.selector_text import MappedText, decoded, plain


@dataclass(frozen=True, slots=True)
class Family:
    """The lexical rules of a group of languages: regular expressions for their comments and string literals."""

    comments: str
    strings: str
    #: True if adjacent string literals are concatenated.
    adjacent: bool = False
    #: Regular expression that finds an interpolated value in a literal.
    interpolated: str = r"(?!)"
    #: True if indentation determines the blocks.
    indented: bool = False
    #: True if a declaration of a variable can be recognized by its type or a word such as ``var``.
    declares: bool = True


Kind = Literal["text", "name", "number", "sign", "comment"]


class Token(NamedTuple):
    """A token with its offsets in the file.

    Its kind is ``text`` for a string literal, ``sign`` for an operator or bracket.
    """

    kind: Kind
    text: str
    start: int
    end: int
    #: True if there is a line end between the token before and this token.
    on_new_line: bool


_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'"
_TRIPLE = r'"""(?:[^\\]|\\.)*?"""' + r"|'''(?:[^\\]|\\.)*?'''"
_JAVA_COMMENT = r"//[^\n]*|/\*.*?\*/"
#: The beginning of an interpolated name (``${`` or ``$name``, not after a backslash) in Kotlin, Groovy, Scala,
#: JavaScript, PHP, Ruby and shells.
_DOLLAR = r"(?<!\\)(?:\\\\)*(?:\$\{|\$[A-Za-z_]|#\{)"
_PYTHON = Family(
    comments=r"#[^\n]*",
    strings=rf"(?:\b[rRbBuUfF]{{1,2}})?(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})",
    adjacent=True,
    interpolated=r"(?s)[rRbBuU]?[fF][rRbBuU]?[\"'].*\{",
    indented=True,
    declares=False,
)
_HASH = Family(comments=r"#[^\n]*", strings=f"{_DOUBLE}|{_SINGLE}", interpolated=_DOLLAR, declares=False)
_SCRIPT = Family(
    comments=_JAVA_COMMENT,
    strings=f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}|`[^`]*`",
    interpolated=_DOLLAR,
)
_PHP = replace(_SCRIPT, declares=False)
_JAVA = Family(comments=_JAVA_COMMENT, strings=r'"""(?:[^\\]|\\.)*?"""' + f"|{_DOUBLE}|{_SINGLE}|`[^`]*`")
_SWIFT = replace(_JAVA, interpolated=r"\\#*\(")
_SHARP = Family(
    comments=_JAVA_COMMENT,
    strings=r'\$?@\$?"(?:[^"]|"")*+"|"""(?:.*?)"""' + rf"|\$?{_DOUBLE}|{_SINGLE}",
    interpolated=r"(?s)@?\$@?\".*\{",
)
_C = Family(comments=_JAVA_COMMENT, strings=f"{_DOUBLE}|{_SINGLE}", adjacent=True)
_SQL = Family(comments=r"--[^\n]*|/\*.*?\*/", strings=r"'(?:[^']|'')*+'")

#: The family of languages for each file name extension.
FAMILIES = {
    **dict.fromkeys((".py", ".pyi"), _PYTHON),
    **dict.fromkeys((".rb", ".sh", ".bash", ".pl", ".tf", ".toml"), _HASH),
    **dict.fromkeys(".kt .kts .scala .groovy .gradle .js .mjs .ts .tsx .jsx".split(), _SCRIPT),
    **dict.fromkeys((".java", ".go", ".rs"), _JAVA),
    ".php": _PHP,
    ".swift": _SWIFT,
    ".cs": _SHARP,
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp"), _C),
    ".sql": _SQL,
}

_REST = (
    r"(?P<name>[A-Za-z_]\w*)|(?P<number>\d(?:\w|\.\d)*+)"
    r"|(?P<sign>=>|->|::|:=|===?|!==?|<=|>=|[-+.*/%|&^]=|[^\w\s\\])"
)
_PREFIX = "rRbBuUfF@$"
_ESCAPE = re.compile(
    r"\\(?:\n|u\{[0-9a-fA-F]+\}|u+[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL
)
_DOUBLED = re.compile('""')
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": "", "s": " "}

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


def tokens(text: str, family: Family) -> list[Token]:
    """Return the tokens of the source file ``text``, including comments."""
    pattern = re.compile(f"(?P<comment>{family.comments})|(?P<text>{family.strings})|{_REST}", re.DOTALL)
    found: list[Token] = []
    last = 0
    for match in pattern.finditer(text):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        on_new_line = "\n" in text[last : match.start()] or (bool(found) and found[-1].text[-1:] == "\n")
        found.append(Token(kind, match[0], match.start(), match.end(), on_new_line))
        last = match.end()
    return found


def content(token: Token) -> MappedText:
    """Return the value of the string literal ``token``, with its escapes decoded."""
    body = token.text.lstrip(_PREFIX)
    prefix = token.text[: len(token.text) - len(body)].lower()
    quotes = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    raw, at = body[quotes : len(body) - quotes], token.start + len(prefix) + quotes
    if "@" in prefix:
        return decoded(raw, at, _DOUBLED, lambda _: '"')
    return plain(raw, at) if "r" in prefix or body[0] == "`" else decoded(raw, at, _ESCAPE, _character)


def escaped(token: Token) -> str | None:
    """Return the quote of the literal ``token`` if a backslash escapes characters in it; None if nothing does."""
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
