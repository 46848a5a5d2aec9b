"""From text to tokens: Jakarta Messaging 3.1, section 3.8.1.1.

One lexer reads every word; what a word means is settled here only as far as spelling goes. White space is what the
standard names: space, tab, form feed and line ends. Every spelling that people bring along from other languages has
an error of its own that says what to write instead.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from typing import Any, NoReturn

from sly import Lexer
from sly.lex import Token

from transpiler.errors import SelectorSyntaxError
from transpiler.source import Source, Span

#: Reserved words, in any case.
KEYWORDS = ("AND", "OR", "NOT", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "NULL", "TRUE", "FALSE")

_KEYWORD = {spelling: word for word in KEYWORDS for spelling in (word, word.lower(), word.capitalize())}

_DECIMAL = re.compile(r"(0|[1-9][0-9]*)[lL]?")
_OCTAL = re.compile(r"0([0-7]+)[lL]?")
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]+)[lL]?")
_FLOATING = re.compile(r"([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eEfFdD]))([eE][+-]?[0-9]+)?([fFdD]?)")

_JOINED = re.compile(r"([0-9]+)(?:AND|OR|BETWEEN|LIKE|IN|IS|NOT)", re.IGNORECASE)

#: Characters that begin no token, and what to write instead. The longest spelling comes first.
_FOREIGN = (
    ("==", "operator", "an equality is written with one =", None),
    ("!=", "operator", "JMS writes 'not equal' as <>", "write <>; the dialect rabbitmq takes !="),
    ("&&", "operator", "JMS writes && as AND", "write AND"),
    ("||", "operator", "JMS writes || as OR", "write OR"),
    ("!", "operator", "JMS writes ! as NOT", "write NOT"),
    ("/*", "comment", "JMS has no comments", "remove it; activemq, artemis and qpid-java take comments"),
    ("%", "operator", "JMS has no remainder operator", "activemq, artemis, qpid-java and rabbitmq have %"),
    (
        '"',
        "double-quote",
        "a double quote begins nothing in JMS",
        'a string literal takes single quotes; artemis, qpid-java and qpid-cpp take "…" as a name, '
        "rabbitmq as a string",
    ),
    ("[", "bracket", "a bracket begins nothing in JMS", "the dialect rabbitmq takes [a name] in brackets"),
    ("`", "quote", "a backtick begins nothing in JMS", "write the name without quotes"),
    ("\\", "backslash", "a backslash begins nothing in JMS", "inside a literal, a quote is written twice"),
    (";", "operator", "a selector is one condition, without a semicolon", "remove it"),
)

_TYPOGRAPHIC = {"‘": "'", "’": "'", "“": "'", "”": "'", "–": "-", "−": "-", "≤": "<=", "≥": ">=", "≠": "<>"}


class SelectorLexer(Lexer):
    """Tokens with their offsets; every failure is a ``SelectorSyntaxError`` at its place."""

    tokens = {
        IDENTIFIER, STRING, INTEGER, FLOAT,
        AND, OR, NOT, BETWEEN, LIKE, IN, IS, ESCAPE, NULL, TRUE, FALSE,
        EQ, NE, LE, GE, LT, GT, PLUS, MINUS, TIMES, DIVIDE, LPAREN, RPAREN, COMMA,
    }  # fmt: skip

    ignore = " \t\f\r\n"

    def __init__(self, source: Source) -> None:
        self.source = source

    @_(r"'(?:[^']++|'')*+'")
    def STRING(self, token: Token) -> Token:
        """A string literal; two quotes inside stand for one."""
        value = token.value[1:-1].replace("''", "'")
        if not value.isascii():
            self._reject_surrogates(value, token.index)
        token.value = value
        return token

    # A hexadecimal literal first: in 0x1e-5 the minus is an operator, in 1e-5 it is part of the number.
    @_(r"0[xX]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?(?=[0-9]))?[\w.$]*")
    def INTEGER(self, token: Token) -> Token:
        """A numeric literal in Java's syntax; the minus of a negative number is an operator."""
        text = token.value
        if decimal := _DECIMAL.fullmatch(text):
            token.value = int(decimal[1])
        elif octal := _OCTAL.fullmatch(text):
            token.value = int(octal[1], 8)
        elif hexadecimal := _HEXADECIMAL.fullmatch(text):
            token.value = int(hexadecimal[1], 16)
        elif floating := _FLOATING.fullmatch(text):
            token.type = "FLOAT"
            token.value = self._float(floating, token)
        elif joined := _JOINED.fullmatch(text):
            # Java's longest match: in 5AND the number ends where the reserved word begins.
            token.value = joined[1]
            self.index = token.end = token.index + len(joined[1])
            return self.INTEGER(token)
        else:
            self._malformed_number(token)
        return token

    @_(r"(?:[A-Za-z_$]|[^\x00-\x7f])(?:[A-Za-z0-9_$.]|[^\x00-\x7f])*")
    def IDENTIFIER(self, token: Token) -> Token:
        """A name or a reserved word."""
        text = token.value
        word = _KEYWORD.get(text)
        if word is None and text.upper() in KEYWORDS and text.isascii():
            word = text.upper()
        if word is not None:
            token.type = word
        elif not text.isascii():
            self._check_identifier(text, token.index)
        return token

    NE = r"<>"
    LE = r"<="
    GE = r">="
    EQ = r"=(?!=)"
    LT = r"<"
    GT = r">"
    PLUS = r"\+"
    # Two minus signs before white space are what other languages and some brokers read as a comment.
    MINUS = r"-(?!-(?:\s|$))"
    TIMES = r"\*"
    DIVIDE = r"/(?!\*)"
    LPAREN = r"\("
    RPAREN = r"\)"
    COMMA = r","

    def error(self, token: Token) -> NoReturn:
        """Say why no token begins here."""
        rest, index = token.value, token.index
        if rest.startswith("'"):
            self._fail(
                "unterminated-string",
                "this string literal is never closed",
                Span(index, len(self.source.text)),
                "close it with a single quote; a quote inside a literal is written twice",
            )
        if rest.startswith("--"):
            self._fail(
                "comment",
                "JMS has no comments",
                Span(index, index + 2),
                "remove it; activemq, artemis and qpid-java read -- to the end of the line as a comment",
            )
        for spelling, code, message, hint in _FOREIGN:
            if rest.startswith(spelling):
                self._fail(code, message, Span(index, index + len(spelling)), hint)
        self._fail("unexpected-character", f"{_name(rest[0])} begins nothing in a selector", Span(index, index + 1))

    def _float(self, match: re.Match[str], token: Token) -> float:
        mantissa, exponent, suffix = match[1], match[2] or "", match[3]
        value = float(mantissa + exponent)
        if suffix in ("f", "F"):
            # A 32-bit literal keeps its rounded value when it is widened to a double.
            try:
                value = struct.unpack("f", struct.pack("f", value))[0]
            except OverflowError:
                value = float("inf")
        if value == float("inf") or (value == 0 and mantissa.strip("0.")):
            side = "large" if value else "small"
            self._fail(
                "number-range",
                f"{token.value} is too {side} for a floating point number",
                Span(token.index, token.index + len(token.value)),
            )
        return value

    def _malformed_number(self, token: Token) -> NoReturn:
        text = token.value
        span = Span(token.index, token.index + len(text))
        if re.fullmatch(r"0[0-9]+[lL]?", text):
            self._fail(
                "number",
                f"{text} begins with 0 and so is octal, which has no 8 or 9",
                span,
                f"write {text.lstrip('0')}",
            )
        if re.fullmatch(r"0[bB][01_]+[lL]?|[0-9][0-9_]*[lL]?", text):
            self._fail(
                "number",
                f"{text} is Java 7 syntax, which selectors do not have",
                span,
                "write a plain decimal number; the dialect qpid-cpp takes it",
            )
        if re.fullmatch(r"0[xX][0-9a-fA-F.]*[pP].*", text):
            self._fail("number", "a hexadecimal floating point literal is not supported", span)
        if re.fullmatch(r"[0-9.]+[eE]", text):
            self._fail("number", f"the exponent of {text} has no digits", span)
        self._fail(
            "number",
            f"{text} is neither a number nor a name",
            span,
            "a name begins with a letter, _ or $; text goes into single quotes",
        )

    def _check_identifier(self, text: str, start: int) -> None:
        """Java's isJavaIdentifierStart and isJavaIdentifierPart, by Unicode's general categories."""
        for offset, character in enumerate(text):
            category = unicodedata.category(character)
            letter = category[0] == "L" or category in ("Nl", "Sc", "Pc")
            part = letter or category in ("Nd", "Mn", "Mc", "Cf") or character == "."
            if not (part if offset else letter):
                index = start + offset
                self._fail(
                    "unexpected-character",
                    f"{_name(character)} cannot be part of a name",
                    Span(index, index + 1),
                    _advice(character, category),
                )

    def _reject_surrogates(self, value: str, start: int) -> None:
        for offset, character in enumerate(value):
            if "\ud800" <= character <= "\udfff":
                index = start + 1 + offset
                self._fail(
                    "unexpected-character",
                    "half of a surrogate pair is no Unicode character",
                    Span(index, index + 1),
                )

    def _fail(self, code: str, message: str, span: Span, hint: str | None = None) -> NoReturn:
        raise SelectorSyntaxError.at(f"syntax.{code}", message, self.source, span, hint)

    def scan(self) -> Any:
        """The tokens of the source, one at a time."""
        return self.tokenize(self.source.text)


def _name(character: str) -> str:
    if character.isprintable() and character != " ":
        return character
    return unicodedata.name(character, f"U+{ord(character):04X}").lower()


def _advice(character: str, category: str) -> str | None:
    if character in _TYPOGRAPHIC:
        return f"write {_TYPOGRAPHIC[character]}"
    if category == "Zs":
        return "replace it by a plain space"
    return None
