"""A lenient scan of selector text for error messages: words with their places, wrong quotes and operators included.

The lexer stops at the first character that begins no token. An error message needs what stands around that place, in
spellings that no dialect has, so this scan takes any text, in linear time. It is used on the error path only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property
from typing import NamedTuple

from transpiler.selector.dialect_rules import Comments, DoubleQuotes, Extension
from transpiler.selector.dialects import Dialect
from transpiler.selector.keywords import KEYWORDS
from transpiler.source import Source, Span

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
    |(?P<operator>:=|!?~~?\*|[<>=!~&|^]+|[-+*/%≤≥≠])
    |(?P<open>\()|(?P<close>\))|(?P<comma>,)
    |(?P<other>.)"""

#: The signs of comparison that every dialect has.
COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
#: The operators that are words and take what stands before them.
TESTS = frozenset(("LIKE", "IN", "BETWEEN", "IS"))
_ARITHMETIC = frozenset("+-*/%")
_OPERANDS = frozenset(("name", "number", "string", "quoted", "bracket"))
#: Words and signs between members that people write for a comma.
_SEPARATORS = frozenset(("OR", "AND", "TO", "|", "||", ";"))
_CONSTANTS = frozenset(("TRUE", "FALSE", "NULL"))
#: Characters behind an error whose words are read; a longer text gets no better message than the parser's.
MAX_READ = 10_000
#: Characters of a correction that a hint shows.
_SHOWN = 120


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
        closed = len(self.text) > 1 and (self.text[-1] in "'\"" or self.text[-1] in QUOTES)
        quote, inner = self.text[0], self.text[1:-1] if closed else self.text[1:]
        return inner.replace(quote * 2, quote) if quote in "'\"" else inner

    @property
    def is_closed(self) -> bool:
        """Return True if a quoted word has its closing quote."""
        return len(self.text) > 1 and (self.text[-1] in "'\"" or self.text[-1] in QUOTES)

    @property
    def span(self) -> Span:
        """Its place in the source."""
        return Span(self.start, self.end)


def literal(text: str) -> str:
    """Return a text as a string literal."""
    return "'" + text.replace("'", "''") + "'"


class Reading:
    """The words of a selector around the place of an error.

    ``place`` is the number of the first word that ends behind ``index``; there is one more word, of the kind ``end``,
    behind the last.
    """

    def __init__(self, source: Source, dialect: Dialect, start: int, index: int) -> None:
        self.source = source
        self.dialect = dialect
        self.start = start
        self.words = _scan(source.text, dialect, start, index + MAX_READ)
        self.place = min(bisect_right(self.words, index, key=lambda word: word.end), len(self.words) - 1)

    def at(self, number: int) -> Word:
        """Return the word of that number; a word of the kind ``end`` before the first and behind the last."""
        if 0 <= number < len(self.words):
            return self.words[number]
        end = self.words[-1].start
        return Word("end", "", self.start, self.start) if number < 0 else Word("end", "", end, end)

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
        opened: list[int] = []
        for number, word in enumerate(self.words[: self.place]):
            if word.kind == "open":
                opened.append(number)
            elif word.kind == "close" and opened:
                opened.pop()
        return opened[-1] if opened else None

    def ends_operand(self, number: int) -> bool:
        """Return True if an operand may end with the word."""
        word = self.at(number)
        return word.kind in _OPERANDS or word.kind == "close" or word.key in _CONSTANTS

    def begins_operand(self, number: int) -> bool:
        """Return True if an operand may begin with the word."""
        word = self.at(number)
        return word.kind in _OPERANDS or word.kind == "open" or word.key in _CONSTANTS or word.key in ("+", "-")

    def operand_before(self, number: int) -> int | None:
        """Return the number of the first word of the arithmetic expression that ends before a word, or None."""
        at = number
        while True:
            at -= 1
            if not self.ends_operand(at):
                return None
            if self.at(at).kind == "close":
                partner = self.partners.get(at)
                if partner is None:
                    return None
                is_call = self.at(partner - 1).kind == "name" and self.at(partner - 1).end == self.at(partner).start
                at = partner - 1 if is_call else partner
            while self.at(at - 1).key in ("+", "-") and not self.ends_operand(at - 2):
                at -= 1
            if self.at(at - 1).key not in _ARITHMETIC:
                return at
            at -= 1

    def operand_after(self, number: int) -> int | None:
        """Return the number behind the last word of the arithmetic expression that begins at a word, or None."""
        at = number
        while True:
            while self.at(at).key in ("+", "-"):
                at += 1
            word = self.at(at)
            if word.kind == "open":
                partner = self.partners.get(at)
                if partner is None:
                    return None
                at = partner + 1
            elif word.kind in _OPERANDS or word.key in _CONSTANTS:
                at += 1
                # The parenthesis of a call stands close to the name.
                if word.kind == "name" and self.at(at).kind == "open" and self.at(at).start == word.end:
                    at = self.partners.get(at, at - 1) + 1
            else:
                return None
            if self.at(at).key not in _ARITHMETIC:
                return at
            at += 1

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
            if word.kind == "keyword":
                parts.append(word.key)
            elif word.kind == "quoted":
                parts.append(literal(word.content))
            else:
                parts.append(word.text)
        return shortened("".join(parts))

    def run(self, first: int) -> int:
        """Return the number behind a run of adjacent words, as ``date%``; a bracket ends the run."""
        at = first + 1
        while (
            at < len(self.words) - 1
            and self.at(at).start == self.at(at - 1).end
            and self.at(at).kind not in ("open", "close", "comma", "string")
        ):
            at += 1
        return at

    def raw(self, first: int, behind: int) -> str:
        """Return the text from one word to before another."""
        return shortened(self.source.text[self.at(first).start : self.at(behind - 1).end])


def behind_hyphenated_prefix(reading: Reading) -> bool:
    """Return True if the names of the selector are those behind Artemis' prefix ``hyphenated_props:``."""
    prefixes = reading.source.text[: reading.start].split(":")[:-1]
    switches = [prefix for prefix in prefixes if prefix.endswith("hyphenated_props")]
    return bool(switches) and not switches[-1].startswith("no_")


def shortened(text: str) -> str:
    """Shorten a text to fit into a line: its beginning and its end."""
    text = " ".join(text.split("\n"))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN * 2 // 3]} … {text[-_SHOWN // 3 :]}"


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
