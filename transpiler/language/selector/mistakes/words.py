"""A lenient scan of selector text for error messages: words with their places, wrong quotes and operators included.

The lexer stops at the first character that begins no token. An error message needs what stands around that place, in
spellings that no dialect has, so this scan takes any text, in linear time. It is used on the error path only.
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

#: Quotation marks of typography and the backtick, which people write for ' and ".
QUOTES = "`´‘’‚‛“”„‟′″«»‹›＇＂"
#: Characters beyond ASCII that are no part of a name, beside the quotes: operators, dashes and spaces.
_SIGNS = "≤≥≠–—−×÷¬∧∨…"
_SPACES = "\x85\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
_NAME_START = rf"[^\x00-#%-@\[-^`{{-\x7f{QUOTES}{_SIGNS}{_SPACES}]"
_NAME_PART = rf"[^\x00-#%-,\-/:-@\[-^`{{-\x7f{QUOTES}{_SIGNS}{_SPACES}]"
#: An unclosed quote or comment extends to the end, so that no text is scanned twice.
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

#: The signs of comparison that every dialect has.
COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
#: The operators that are words and take what stands before them.
TESTS = frozenset(("LIKE", "IN", "BETWEEN", "IS"))
#: Words and signs between members that people write for a comma.
_SEPARATORS = frozenset(("OR", "AND", "TO", "|", "||", ";"))
#: Characters behind an error whose words are read.
_MAX_READ = 10_000
#: Characters of a correction that a hint shows, and of a word that a message quotes.
_SHOWN, _QUOTED = 120, 40


class Word(NamedTuple):
    """A word and its place. ``key`` is an unquoted name or keyword in upper case, or a sign as it is written."""

    kind: str
    text: str
    start: int
    end: int
    key: str = ""

    @property
    def content(self) -> str:
        """The text between quotes; for any other word the word."""
        if self.kind not in ("string", "quoted") and self.text[:1] not in ("'", '"'):
            return self.text
        quote, ended = self.text[0], self.is_closed or self.text[-1] in QUOTES
        inner = self.text[1:-1] if ended else self.text[1:]
        return inner.replace(quote * 2, quote) if quote in "'\"" else inner

    @property
    def is_closed(self) -> bool:
        """Return True if a quoted word has its closing quote."""
        if self.text[0] in "'\"":
            return self.text.count(self.text[0]) % 2 == 0
        return len(self.text) > 1 and (self.text[-1] in "'\"" or self.text[-1] in QUOTES)

    @property
    def span(self) -> Span:
        """The word's place in the source."""
        return Span(self.start, self.end)

    @property
    def is_operand(self) -> bool:
        """Return True for a name or a literal."""
        return self.kind in ("name", "number", "string", "quoted", "bracket") or self.key in ("TRUE", "FALSE", "NULL")


def brief(text: str) -> str:
    """Return a text as a message quotes it."""
    return shortened(text, _QUOTED)


def both_ends(text: str) -> str:
    """Shorten a text to fit into a line: its beginning and its end."""
    text = " ".join(text.split("\n"))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN * 2 // 3]} … {text[-_SHOWN // 3 :]}"


class Reading:
    """The words of a selector around the place of an error.

    ``place`` is the number of the first word that ends behind ``index``; there is one more word, of the kind ``end``,
    behind the last.
    """

    def __init__(self, source: Source, dialect: Dialect, start: int, index: int) -> None:
        self.source = source
        self.dialect = dialect
        self.start = start
        self.words = _scan(source.text, dialect, start, index + _MAX_READ)
        self.place = min(bisect_right(self.words, index, key=lambda word: word.end), len(self.words) - 1)

    def at(self, number: int) -> Word:
        """Return the word of that number; a word of the kind ``end`` before the first and behind the last."""
        if 0 <= number < len(self.words):
            return self.words[number]
        end = self.words[-1].start
        return Word("end", "", self.start, self.start) if number < 0 else Word("end", "", end, end)

    @property
    def hyphens(self) -> bool:
        """Return True if the names of the selector are those behind Artemis' prefix ``hyphenated_props:``."""
        prefixes = self.source.text[: self.start].split(":")[:-1]
        switches = [prefix for prefix in prefixes if prefix.endswith("hyphenated_props")]
        return bool(switches) and not switches[-1].startswith("no_")

    @cached_property
    def partners(self) -> dict[int, int]:
        """The number of the partner of each parenthesis that has one."""
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
        """The number of the innermost parenthesis that is open at the place."""
        for number in range(self.place - 1, -1, -1):
            if self.words[number].kind == "open" and self.partners.get(number, self.place) >= self.place:
                return number
        return None

    @cached_property
    def operands(self) -> dict[int, int]:
        """The number behind each arithmetic expression by the number of its first word."""
        ends: dict[int, int] = {}
        for at in range(len(self.words) - 1, -1, -1):
            word, end = self.words[at], at + 1
            # The parenthesis of a call stands close to the name.
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
        """Return the number of the first word of the arithmetic expression that ends before a word, or None."""
        return self._starts.get(number)

    def operand_after(self, number: int) -> int | None:
        """Return the number behind the last word of the arithmetic expression that begins at a word, or None."""
        return self.operands.get(number)

    def members_after(self, number: int) -> tuple[list[str], int]:
        """Return the operands from a word on, as text, with or without commas, and the number behind them."""
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
        """Format the words from one to before another for a hint: keywords in upper case, text in quotes."""
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
        """Return the text from one word to before another."""
        return both_ends(self.source.text[self.at(first).start : self.at(behind - 1).end])

    def found(self, number: int) -> str:
        """Return the end of a message: the word at a place."""
        word = self.at(number)
        return "the selector ends" if word.kind == "end" else f"found {brief(word.text)}"


def _scan(text: str, dialect: Dialect, start: int, last: int) -> list[Word]:
    """Scan the words from ``start`` to the first that begins behind ``last``, and append the end."""
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
    """Compile the pattern of a word, at the first error and not at import."""
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
