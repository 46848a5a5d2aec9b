"""Lenient scanner of selector text for error messages: words with their spans, including invalid quotes and operators.

The lexer stops at the first character that begins no token. An error message needs the words around that position, even
in spellings that no dialect has. So this scanner accepts any text, in linear time. It is used only after an error.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property
from typing import NamedTuple

from transpiler.base.diagnostics import shortened
from transpiler.base.source import Source, Span
from transpiler.language.selector.dialect_rules import Comments, DoubleQuotes, Extension
from transpiler.language.selector.dialects import KEYWORDS, Dialect
from transpiler.language.selector.literal_scanner import string_literal

#: Typographic quotation marks and the backtick, which users write instead of ' and ".
QUOTES = "`´‘’‚‛“”„‟′″«»‹›＇＂"
#: ``_SIGNS`` are operators and dashes outside ASCII, ``_SPACES`` spaces outside ASCII. Neither can be part of a name.
_SIGNS = "≤≥≠–—−×÷¬∧∨…"
_SPACES = "\x85\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
_NAME_START = rf"[^\x00-#%-@\[-^`{{-\x7f{QUOTES}{_SIGNS}{_SPACES}]"
_NAME_PART = rf"[^\x00-#%-,\-/:-@\[-^`{{-\x7f{QUOTES}{_SIGNS}{_SPACES}]"
#: Matches a comment. An unclosed comment extends to the end of the text, as an unclosed quote does; so no part of the
#: text is scanned twice.
_COMMENT = r"(?P<comment>/\*(?:[^*]++|\*++[^*/])*+(?:\*+/|\Z)|--[^\r\n]*+)|"
_PATTERN = rf"""(?P<space>[\s{_SPACES}]+)
    |(?P<string>'(?:[^']++|'')*+(?:'|\Z))
    |(?P<double>"(?:[^"]++|"")*+(?:"|\Z))
    |(?P<quoted>[{QUOTES}][^{QUOTES}'"]*+(?:[{QUOTES}'"]|\Z))
    |(?P<bracket>\[(?:[^\[\]]|\[\[|\]\])*+(?:\]|\Z))
    |(?P<number>0[xX]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?(?=[0-9]))?[\w.$]*)
    |(?P<name>{_NAME_START}{_NAME_PART}*)
    |(?P<operator>:=|!?~~?\*|&&|\|\||[<>=!~&|^]+|[-+*/%≤≥≠])
    |(?P<open>\()|(?P<close>\))|(?P<comma>,)
    |(?P<other>.)"""

#: The comparison operators that every dialect has.
COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
#: The operators that are words and have a left operand.
TESTS = frozenset(("LIKE", "IN", "BETWEEN", "IS"))
#: Words and signs that users write instead of a comma between members.
_SEPARATORS = frozenset(("OR", "AND", "TO", "|", "||", ";"))
#: Maximum distance after the error at which words are still scanned, in characters.
_MAX_READ = 10_000
#: Maximum length of a correction in a hint, and of a word in a message, in characters.
_MAX_TEXT, _MAX_QUOTED = 120, 40


class Word(NamedTuple):
    """A word of the selector, with its start and end offsets.

    ``key`` is the text of an operator or sign, or a name or keyword in upper case; empty for quoted words and numbers.
    """

    kind: str
    text: str
    start: int
    end: int
    key: str = ""

    @property
    def content(self) -> str:
        """The text inside the quotes if the word is quoted, otherwise the word itself."""
        if self.kind not in ("string", "quoted") and self.text[:1] not in ("'", '"'):
            return self.text
        quote, ended = self.text[0], self.is_closed or self.text[-1] in QUOTES
        inner = self.text[1:-1] if ended else self.text[1:]
        return inner.replace(quote * 2, quote) if quote in "'\"" else inner

    @property
    def is_closed(self) -> bool:
        """True if the quoted word has a closing quote."""
        if self.text[0] in "'\"":
            return self.text.count(self.text[0]) % 2 == 0
        return len(self.text) > 1 and (self.text[-1] in "'\"" or self.text[-1] in QUOTES)

    @property
    def span(self) -> Span:
        """The word's span in the source."""
        return Span(self.start, self.end)

    @property
    def is_operand(self) -> bool:
        """True if the word is a name or a literal."""
        return self.kind in ("name", "number", "string", "quoted", "bracket") or self.key in ("TRUE", "FALSE", "NULL")


def brief(text: str) -> str:
    """Return ``text`` shortened for a message."""
    return shortened(text, _MAX_QUOTED)


def both_ends(text: str) -> str:
    """Shorten ``text`` to its beginning and its end, so that it fits into one line of a hint."""
    text = " ".join(text.split("\n"))
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT * 2 // 3]} … {text[-_MAX_TEXT // 3 :]}"


class Reading:
    """The words of a selector around an error. The rules that recognize mistakes read this list.

    ``start`` is the offset after the selector's prefixes, and ``index`` the offset of the error. ``position`` is the
    index of the word at the error. The last word has the kind ``end``.
    """

    def __init__(self, source: Source, dialect: Dialect, start: int, index: int) -> None:
        self.source = source
        self.dialect = dialect
        self.start = start
        self.words = _scan(source.text, dialect, start, index + _MAX_READ)
        self.position = min(bisect_right(self.words, index, key=lambda word: word.end), len(self.words) - 1)

    def at(self, number: int) -> Word:
        """Return the word at index ``number``. If the index is out of range, return a word of kind ``end``."""
        if 0 <= number < len(self.words):
            return self.words[number]
        end = self.words[-1].start
        return Word("end", "", self.start, self.start) if number < 0 else Word("end", "", end, end)

    @property
    def hyphens(self) -> bool:
        """True if the selector has Artemis' prefix ``hyphenated_props:``, so that its names may contain hyphens."""
        prefixes = self.source.text[: self.start].split(":")[:-1]
        switches = [prefix for prefix in prefixes if prefix.endswith("hyphenated_props")]
        return bool(switches) and not switches[-1].startswith("no_")

    @cached_property
    def partners(self) -> dict[int, int]:
        """For the index of each parenthesis in a balanced pair, the index of the other parenthesis of the pair."""
        partner_of: dict[int, int] = {}
        opened: list[int] = []
        for number, word in enumerate(self.words):
            if word.kind == "open":
                opened.append(number)
            elif word.kind == "close" and opened:
                other = opened.pop()
                partner_of[other], partner_of[number] = number, other
        return partner_of

    @cached_property
    def opened(self) -> int | None:
        """The index of the innermost parenthesis that is open at ``position``; None if no parenthesis is open."""
        for number in range(self.position - 1, -1, -1):
            if self.words[number].kind == "open" and self.partners.get(number, self.position) >= self.position:
                return number
        return None

    @cached_property
    def operands(self) -> dict[int, int]:
        """For the index of each word that begins an arithmetic expression, the index after the expression."""
        ends: dict[int, int] = {}
        for at in range(len(self.words) - 1, -1, -1):
            word, end = self.words[at], at + 1
            # A name with an opening parenthesis directly after it is a function call, so it is one operand with its
            # arguments.
            if word.kind == "name" and self.at(end).kind == "open" and self.at(end).start == word.end:
                end = self.partners.get(end, end - 1) + 1
            elif word.kind == "open" and at in self.partners:
                end = self.partners[at] + 1
            elif word.key in ("+", "-"):
                end = ends.get(at + 1, 0)
            elif not word.is_operand:
                continue
            if end and self.at(end).key in ("+", "-", "*", "/", "%"):
                end = ends.get(end + 1, 0)
            if end:
                ends[at] = end
        return ends

    @cached_property
    def _starts(self) -> dict[int, int]:
        return {end: start for start, end in self.operands.items()}

    def operand_before(self, number: int) -> int | None:
        """Return the index of the first word of the arithmetic expression that ends before the word ``number``.

        Return None if no arithmetic expression ends there.
        """
        return self._starts.get(number)

    def operand_after(self, number: int) -> int | None:
        """Return the index after the arithmetic expression that begins at the word ``number``; None without one."""
        return self.operands.get(number)

    def members_after(self, number: int) -> tuple[list[str], int]:
        """Return the operands from word ``number`` on, as texts, and the index after the last; commas are optional."""
        members: list[str] = []
        at = number
        while True:
            while self.at(at).kind == "comma" or self.at(at).key in _SEPARATORS:
                at += 1
            end = self.operand_after(at)
            if end is None:
                return members, at
            members.append(self.shown(at, end))
            at = end

    def shown(self, first: int, behind: int) -> str:
        """Format the words from index ``first`` up to ``behind`` for a hint: keywords in upper case, texts quoted."""
        parts: list[str] = []
        for number in range(max(first, 0), min(behind, len(self.words))):
            word = self.words[number]
            if parts and self.words[number - 1].end < word.start:
                parts.append(" ")
            match word.kind:
                case "keyword":
                    parts.append(word.key)
                case "quoted":
                    parts.append(string_literal(word.content))
                case _:
                    parts.append(word.text)
        return both_ends("".join(parts))

    def raw(self, first: int, behind: int) -> str:
        """Return the original text of the words from index ``first`` up to ``behind``, shortened."""
        return both_ends(self.source.text[self.at(first).start : self.at(behind - 1).end])

    def found(self, number: int) -> str:
        """Return the end of an error message, such as "found x", about the word at index ``number``."""
        word = self.at(number)
        return "the selector ends" if word.kind == "end" else f"found {brief(word.text)}"


def _scan(text: str, dialect: Dialect, start: int, last: int) -> list[Word]:
    """Scan the words of ``text`` from offset ``start`` to the first word after offset ``last``.

    The list ends with a word of kind ``end``.
    """
    words: list[Word] = []
    for match in _compiled(dialect.comments is Comments.TAKEN).finditer(text, start):
        kind = match.lastgroup or ""
        if kind not in ("space", "comment"):
            words.append(_word(kind, match[0], match.start(), match.end(), dialect))
            if match.start() > last:
                break
    words.append(Word("end", "", len(text), len(text)))
    return words


@cache
def _compiled(comments: bool) -> re.Pattern[str]:
    """Compile the regular expression that matches one word, or one comment if ``comments`` is True; cached."""
    return re.compile(_COMMENT + _PATTERN if comments else _PATTERN, re.VERBOSE | re.DOTALL)


def _word(kind: str, text: str, start: int, end: int, dialect: Dialect) -> Word:
    match kind:
        case "name":
            upper = text.upper()
            return Word("keyword" if upper in KEYWORDS else "name", text, start, end, upper)
        case "double":
            kinds = {DoubleQuotes.IDENTIFIER: "name", DoubleQuotes.STRING: "string", DoubleQuotes.REFUSED: "quoted"}
            return Word(kinds[dialect.double_quotes], text, start, end)
        case "bracket":
            return Word("name" if dialect.has(Extension.BRACKETS) else kind, text, start, end)
        case "operator" | "other":
            return Word(kind, text, start, end, text)
        case _:
            return Word(kind, text, start, end)
