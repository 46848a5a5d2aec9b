"""Selectors in source code: where a comment marks them, and where JMS's own names say so.

The code is split into strings, comments and the rest, by the family of its language; nothing is parsed. Literals that
are joined by + (or that stand side by side, in Python and C) are one text. A text that is joined with anything else is
built at run time and is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from transpiler.lint.embedded.keys import is_complete
from transpiler.lint.embedded.mapped_text import MappedText, decoded, joined, plain
from transpiler.lint.embedded.markers import read_marker
from transpiler.lint.embedded.selector_text import FoundSelector


@dataclass(frozen=True, slots=True)
class Family:
    """Languages with the same strings and comments."""

    comments: str
    strings: str
    #: True if two literals side by side are one.
    adjacent: bool = False


_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'"
_TRIPLE = r'"""(?:[^\\]|\\.)*?"""' + r"|'''(?:[^\\]|\\.)*?'''"
_PYTHON = Family(
    comments=r"#[^\n]*",
    strings=rf"(?:\b[rRbBuUfF]{{1,2}})?(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})",
    adjacent=True,
)
_HASH = Family(comments=r"#[^\n]*", strings=f"{_DOUBLE}|{_SINGLE}")
_JAVA = Family(comments=r"//[^\n]*|/\*.*?\*/", strings=r'"""(?:[^\\]|\\.)*?"""|' + f"{_DOUBLE}|{_SINGLE}|`[^`]*`")
_C = Family(comments=r"//[^\n]*|/\*.*?\*/", strings=f"{_DOUBLE}|{_SINGLE}", adjacent=True)
_SQL = Family(comments=r"--[^\n]*|/\*.*?\*/", strings=r"'(?:[^']|'')*+'")

#: The family of a file by the end of its name.
FAMILIES = {
    **dict.fromkeys((".py", ".pyi"), _PYTHON),
    **dict.fromkeys((".rb", ".sh", ".bash", ".pl", ".tf", ".toml"), _HASH),
    **dict.fromkeys(
        ".java .kt .kts .scala .groovy .gradle .js .mjs .ts .tsx .jsx .go .cs .rs .swift .php".split(),
        _JAVA,
    ),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp"), _C),
    ".sql": _SQL,
}

#: Text before a literal that is a selector: JMS's names in Java, and the same words in other languages.
_NAMED = re.compile(
    r"""(?: \b(?:[mM]essageSelector|message_selector|jmsSelector|jms_selector|MESSAGE_SELECTOR)\s*[=:]\s*
        | \b[sS]etMessageSelector\s*\(\s*
        | \bpropertyName\s*=\s*"[mM]essageSelector"\s*,\s*propertyValue\s*=\s*
        | @\w*(?:Jms|JMS)\w*\s*\([^()]*?\bselector\s*=\s*
        | \b[rR]eceiveSelected(?:AndConvert)?\s*\(\s*
        )$""",
    re.VERBOSE,
)
#: Characters of code before a literal that are looked at.
_LOOK_BACK = 400
_ESCAPE = re.compile(
    r"\\(?:\n|u\{[0-9a-fA-F]+\}|u+[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL
)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": "", "s": " "}
#: Text before or behind a literal that is only a part, or a pattern, of what is built at run time.
_BEFORE = re.compile(r"(?:[+.%]|\bformat\s*\(|\bprintf\s*\(|\bFormat\s*\()\s*$")
_BEHIND = re.compile(r"\s*(?:[+%]|\.\s*(?:format|formatted|replace)\b)")
#: Names in a text that Kotlin, Groovy, Scala, JavaScript, PHP or a Python f-string replaces.
_INTERPOLATED = re.compile(r"\$\{|\$[A-Za-z_]|#\{")
#: Lines from a comment that marks a selector to the literal.
_NEAR = 3


@dataclass(slots=True)
class _Text:
    """Literals that are one text: their part of the file."""

    start: int
    end: int
    literals: list[tuple[int, str]]


def find_in_code(text: str, family: Family) -> Iterator[FoundSelector]:
    """Yield the selectors of a source file, in its order."""
    texts, comments = _tokens(text, family)
    ends = [one.end for one in texts]
    dialect_of: dict[int, str | None] = {}
    for start, end in comments:
        marked, dialect = read_marker(text[start:end].lstrip("#/*-<! "))
        if marked:
            number = _marked(text, start, end, texts, ends)
            if number is not None:
                dialect_of[number] = dialect
    for number, one in enumerate(texts):
        if number not in dialect_of and _NAMED.search(text[max(0, one.start - _LOOK_BACK) : one.start]):
            dialect_of[number] = None
    for number in sorted(dialect_of):
        one = texts[number]
        if not _is_built(text, one):
            mapped = joined(_decoded(literal, start) for start, literal in one.literals)
            if is_complete(mapped.text):
                yield FoundSelector(mapped, dialect_of[number])


def _tokens(text: str, family: Family) -> tuple[list[_Text], list[tuple[int, int]]]:
    texts: list[_Text] = []
    comments: list[tuple[int, int]] = []
    code: list[str] = []
    last = 0
    for match in re.finditer(f"(?P<comment>{family.comments})|(?P<string>{family.strings})", text, re.DOTALL):
        code.append(text[last : match.start()])
        last = match.end()
        if match["comment"] is not None:
            comments.append(match.span())
            continue
        between = "".join(code).strip(" \t\n\\")
        code.clear()
        if texts and (between == "+" or (between == "" and family.adjacent)):
            texts[-1].end = match.end()
            texts[-1].literals.append((match.start(), match[0]))
        else:
            texts.append(_Text(match.start(), match.end(), [(match.start(), match[0])]))
    return texts, comments


def _marked(text: str, start: int, end: int, texts: list[_Text], ends: list[int]) -> int | None:
    """Return the number of the text that a comment marks: the last one before it on its line, or the next one."""
    line = text.rfind("\n", 0, start) + 1
    before = bisect_right(ends, start) - 1
    if before >= 0 and text[line:start].strip():
        # A closing parenthesis may stand on a line of its own, and the comment behind it.
        between = text[texts[before].end : start]
        if "\n" not in between or not between.strip(" \t\n)]},;"):
            return before
    behind = bisect_left(ends, end)
    if behind < len(texts) and text.count("\n", end, max(end, texts[behind].start)) <= _NEAR:
        return behind
    return None


def _is_built(text: str, one: _Text) -> bool:
    if _BEFORE.search(text[max(0, one.start - 40) : one.start]) or _BEHIND.match(text, one.end):
        return True
    for _, literal in one.literals:
        prefix = literal[: len(literal) - len(literal.lstrip("rRbBuUfF"))].lower()
        if _INTERPOLATED.search(literal) or ("f" in prefix and "{" in literal):
            return True
    return False


def _decoded(literal: str, start: int) -> MappedText:
    body = literal.lstrip("rRbBuUfF")
    prefix = len(literal) - len(body)
    quotes = 3 if body[:3] in ('"""', "'''") else 1
    raw = body[quotes : len(body) - quotes]
    at = start + prefix + quotes
    if "r" in literal[:prefix].lower() or body[0] == "`":
        return plain(raw, at)
    return decoded(raw, at, _ESCAPE, _character)


def _character(match: re.Match[str]) -> str:
    escape = match[0][1:]
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    digits = escape.lstrip("uUx").strip("{}")
    if escape[0] in "uUx" and digits and len(escape) > 1:
        number = int(digits, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    return _PLAIN.get(escape, escape)
