"""Lexer from text to tokens: Jakarta Messaging 3.1, section 3.8.1.1, and the spellings of each dialect.

One lexer serves all dialects. It distinguishes words only by their spelling. White space is what the standard
lists: space, tab, form feed and line ends. Each common spelling of another language has its own error, which names
the correct spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NoReturn

from sly import Lexer
from sly.lex import Token

from transpiler.base.diagnostics import Fix, nearest
from transpiler.base.errors import SelectorSyntaxError
from transpiler.base.source import Source, Span, half_surrogate
from transpiler.language.selector.dialect_rules import (
    Comments,
    DoubleQuotes,
    Extension,
    Identifiers,
    Remainder,
    ReservedWords,
)
from transpiler.language.selector.dialects import UNUSABLE, Dialect, keywords
from transpiler.language.selector.numbers import NumberError, read_number
from transpiler.message.header_fields import PROPERTIES

_JOINED = re.compile(r"AND|OR|BETWEEN|LIKE|IN|IS|NOT", re.IGNORECASE)
_NULL_TEST = re.compile(r"IS\s+(?:NOT\s+)?NULL(?![a-zA-Z0-9_$.])", re.IGNORECASE | re.ASCII)
_HYPHENATED = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_HYPHENATED_PART = re.compile(r"[\w.$-]")
_WORD_BEFORE_NUMBER = re.compile(r"(?:AND|OR|BETWEEN|NOT)(?=\.[0-9])", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\r\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_DOUBLE_MINUS = re.compile(r"--(?:\s|\Z)")
_LINE_END = re.compile(r"\r\n|\n|\r")
#: Maximum length of a number in a hint, in characters. Python does not format integers of many thousand digits.
_WRITTEN_OUT = 100
#: Matches between the words of a camel-case name, such as before the I in ``groupId``.
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_REGULAR = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

#: Character sets for the first character of a name (a letter, _, $ or any non-ASCII character) and for the other
#: characters (also digits and dots). They list the excluded characters, because Python is slow to compile a set with a
#: range of a million characters.
_NAME_START, _NAME_PART = r"[^\x00-#%-@\[-^`{-\x7f]", r"[^\x00-#%-,\-/:-@\[-^`{-\x7f]"
_HYPHENS = re.compile(f"(?:-{_NAME_PART}+)*")

_TYPOGRAPHIC = {
    "‘": "'", "’": "'", "“": "'", "”": "'", "–": "-", "−": "-", "≤": "<=", "≥": ">=", "≠": "<>",
    "—": "-", "×": "*", "÷": "/", "¬": "NOT", "∧": "AND", "∨": "OR",
}  # fmt: skip


class SelectorLexer(Lexer):
    """Lexer of one selector in one dialect. For invalid text it raises ``SelectorSyntaxError`` with the position.

    The lexer begins at offset ``start``, after the prefixes of the selector, such as ``hyphenated_props:``. If
    ``hyphens`` is True, names may contain hyphens.
    """

    tokens = {
        IDENTIFIER, STRING, INTEGER, FLOAT, BINARY, SECTION, FUNCTION, QUERY, NULL_LITERAL,
        AND, OR, NOT, TIGHT_NOT, BETWEEN, LIKE, IN, IS, ESCAPE, NULL, TRUE, FALSE,
        EQ, NE, LE, GE, LT, GT, PLUS, MINUS, TIMES, DIVIDE, REMAINDER, LPAREN, RPAREN, COMMA,
    }  # fmt: skip

    ignore = " \t\f\r\n"

    def __init__(self, source: Source, dialect: Dialect, start: int = 0, hyphens: bool = False) -> None:
        self.source = source
        self.dialect = dialect
        self.start = start
        self.hyphens = hyphens
        self.keywords = keywords(dialect.reserved_words, dialect.has(Extension.XPATH))
        fields, dots = dialect.fields, dialect.identifiers is Identifiers.UNICODE_WITH_DOTS
        #: The prefix of names that denote message annotations, such as ``amqp.annotation.``. Only these names may
        #: contain hyphens. Empty if the dialect has no such names, or if its names contain no dots.
        self.annotations = fields.annotation_prefix if dots else ""
        #: The end offset of the last IS NULL or IS NOT NULL. Before this offset, IS and NULL are reserved words; after
        #: it, they may be names.
        self.null_test_end = 0
        self.line_end: Span | None = None
        #: If the dialect requires upper case, the error for the first reserved word that is not in upper case;
        #: otherwise None.
        self.misspelled: SelectorSyntaxError | None = None

    # Only some dialects accept a vertical tab as white space; in the other dialects it is an error.
    @_(r"\v+")
    def VERTICAL_TAB(self, token: Token) -> None:
        """Skip vertical tabs, which are white space in Java and C; raise an error if the dialect rejects them."""
        if not self.dialect.has(Extension.VERTICAL_TAB):
            self._refuse(token.index)

    # The possessive group would be enough to prevent backtracking. But Python 3.11.2 (in Debian) backtracks into
    # possessive groups, so the quantifiers inside the group are possessive, too.
    @_(r"--|/\*(?:[^*]++|\*++[^*/])*+\*+/")
    def COMMENT(self, token: Token) -> Token | None:
        """Skip the comment ``--`` or ``/* */`` and return None, if the dialect has comments.

        Otherwise raise an error for ``/*``, and return a minus sign for the first character of ``--``.
        """
        if self.dialect.comments is Comments.TAKEN:
            if token.value[0] == "/":
                return None
            end = self._line_end(token.index)
            if end is not None:
                self.index = end
                return None
        if token.value[0] == "/":
            self._refuse(token.index)
        token.value, token.type = "-", "MINUS"
        self.index = token.end = token.index + 1
        return self.MINUS(token)

    def _line_end(self, index: int) -> int | None:
        """Return the offset after the first line end at or after ``index``, or None if there is none.

        The line end is cached, because a line of minus signs calls this method for each pair of signs.
        """
        if self.line_end is None or self.line_end.start < index:
            match = _LINE_END.search(self.source.text, index)
            length = len(self.source.text)
            self.line_end = Span(*match.span()) if match else Span(length, length)
        return self.line_end.end if self.line_end.start < self.line_end.end else None

    @_(r"'(?:[^']++|'')*+'")
    def STRING(self, token: Token) -> Token:
        """Convert a string literal to its value; two adjacent quotes inside the literal are one quote."""
        value = token.value[1:-1].replace("''", "'")
        if not value.isascii():
            self._reject_surrogates(value, token.index)
        token.value = value
        return token

    @_(r'"(?:[^"]++|"")*+"')
    def QUOTED(self, token: Token) -> Token:
        """Convert text in double quotes to a name or a string, or raise an error, depending on the dialect."""
        if self.dialect.double_quotes is DoubleQuotes.REFUSED:
            self._refuse(token.index)
        token.value = token.value[1:-1].replace('""', '"')
        self._reject_surrogates(token.value, token.index)
        token.type = "STRING" if self.dialect.double_quotes is DoubleQuotes.STRING else "IDENTIFIER"
        return token

    @_(r"\[(?:[^\[\]]|\[\[|\]\])*+\]")
    def BRACKETED(self, token: Token) -> Token:
        """Convert an identifier in square brackets, which only the SQL filter has, to its name."""
        if not self.dialect.has(Extension.BRACKETS):
            self._refuse(token.index)
        token.value = token.value[1:-1].replace("[[", "[").replace("]]", "]")
        if any(map(is_control, token.value)):
            span = Span(token.index, token.index + len(token.value) + 2)
            self._fail("syntax.unexpected-character", "a name in brackets must not contain control characters", span)
        token.type = "IDENTIFIER"
        return token

    # The first alternative is a hexadecimal literal, because in 0x1e-5 the minus is an operator, but in 1e-5 it is part
    # of the number.
    @_(r"0[xX]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?(?=[0-9]))?[\w.$]*")
    def INTEGER(self, token: Token) -> Token:
        """Convert a numeric literal to its value; the minus of a negative number is a token of its own."""
        text, end = token.value, token.index + len(token.value)
        try:
            literal = read_number(self.dialect.numeric_literals, self.source.text, token.index)
        except NumberError as error:
            self._fail("syntax.number-range", str(error), Span(token.index, end))
        if literal is None:
            self._malformed_number(token)
        value, stop = literal
        # A reserved word may follow without white space: in 5AND the number ends before AND.
        if stop < end and not _JOINED.fullmatch(text, stop - token.index):
            self._malformed_number(token)
        token.value = value
        token.type = "FLOAT" if isinstance(value, float) else "BINARY" if isinstance(value, bytes) else "INTEGER"
        self.index = token.end = stop
        return token

    @_(f"{_NAME_START}{_NAME_PART}*")
    def IDENTIFIER(self, token: Token) -> Token:
        """Return the token of a reserved word or of a name; raise an error if the dialect rejects the name."""
        if self.hyphens and (hyphenated := _HYPHENATED.match(self.source.text, token.index)):
            token.value = hyphenated[0]
            self.index = token.end = hyphenated.end()
        elif self.annotations and token.value.startswith(self.annotations):
            # Most keys of annotations contain hyphens, so a hyphen after an annotation's prefix belongs to the name.
            # Users write a minus after such a name with white space before it.
            hyphenated = _HYPHENS.match(self.source.text, token.end)
            assert hyphenated is not None
            token.value += hyphenated[0]
            self.index = token.end = hyphenated.end()
        text = token.value
        if self.dialect.identifiers is Identifiers.ASCII and (match := _WORD_BEFORE_NUMBER.match(text)):
            # Names in this dialect contain no dots. So AND.5 consists of the word AND and the number .5.
            token.value = text = match[0]
            self.index = token.end = token.index + len(text)
        word = self.keywords.get(text)
        if word is None and text.isascii():
            word = self._unusual_spelling(text, token.index)
        if word is not None:
            token.type = word
        elif self.dialect.identifiers is Identifiers.UNICODE_WITH_DOTS:
            if not text.isascii():
                self._check_identifier(text, token.index)
        else:
            self._check_spelling(token)
        return token

    def _unusual_spelling(self, text: str, index: int) -> str | None:
        upper = text.upper()
        if upper in self.keywords:
            if self.dialect.reserved_words is ReservedWords.UPPER_CASE and self.misspelled is None:
                message, span = (
                    f"{self.dialect.title} accepts {upper} only in upper case",
                    Span(index, index + len(text)),
                )
                fix = Fix(upper, certain=True)
                self.misspelled = SelectorSyntaxError.at(
                    "syntax.reserved-word", message, self.source, span, f"write {upper}", fix
                )
            return self.keywords[upper]
        if self.dialect.reserved_words is ReservedWords.ANY_CASE_WITHOUT_NULL and upper in ("IS", "NOT", "NULL"):
            if upper == "IS" and (test := _NULL_TEST.match(self.source.text, index)):
                self.null_test_end = test.end()
            return upper if index < self.null_test_end else None
        return None

    def _check_spelling(self, token: Token) -> None:
        text, title = token.value, self.dialect.title
        span = Span(token.index, token.index + len(text))
        if self.dialect.reserved_words is ReservedWords.UPPER_CASE:
            upper = text.upper()
            if text == "UTC" and re.match(r"\s*\(", self.source.text[token.index + 3 :]):
                return
            if upper in UNUSABLE:
                message, fix = f"{text} is a reserved word of {title}", Fix(f"[{text}]")
                self._fail("syntax.reserved-word", message, span, f"write {fix.text} for the name", fix)
        for index, character in enumerate(text, token.index):
            if ord(character) > 127:
                if character.isalnum():
                    message = f"names in {title} contain only ASCII characters, but {_name(character)} is not ASCII"
                    self._fail_at(index, message, "the dialect jms accepts any letter in names")
                self._refuse_in_name(index, character)
        match self.dialect.identifiers:
            case Identifiers.ASCII if "." in text:
                hint = "the dialects jms, qpid-cpp and rabbitmq-jms allow dots in names"
                fix: Fix | None = None
                if self.dialect.double_quotes is DoubleQuotes.IDENTIFIER:
                    whole = self._whole_name(token)
                    fix = Fix(f'"{self.source.text[whole.start : whole.end]}"', span=whole)
                    hint = f"put the name into double quotes: {fix.text}"
                self._fail_at(token.index + text.index("."), f"names in {title} cannot contain dots", hint, fix)
            case Identifiers.REGULAR:
                self._check_regular(token, span)
            case _:
                return

    def _check_regular(self, token: Token, span: Span) -> None:
        prefix, dot, field = token.value.partition(".")
        fields = self.dialect.fields
        section = fields.section_prefixes.get(prefix) if dot else None
        if section is not None and _REGULAR.fullmatch(field):
            if section == PROPERTIES:
                token.value = field
                return
            if (section, field) in fields.sections:
                token.type, token.value = "SECTION", (section, field)
                return
            self._refuse_field(token, section, prefix, span)
        if not _REGULAR.fullmatch(token.value):
            message = f"a name of {self.dialect.title} contains letters, digits and _, and begins with a letter"
            whole = self._whole_name(token)
            name = self.source.text[whole.start : whole.end]
            hint, fix = f"write [{name}]", Fix(f"[{name}]", span=whole)
            near = nearest(prefix, [other for other in fields.section_prefixes if len(other) > 1]) if dot else []
            section = fields.section_prefixes.get(near[0]) if near and _REGULAR.fullmatch(field) else None
            if section == PROPERTIES or (section, field) in fields.sections:
                hint = f"did you mean {near[0]}.{field}? write [{name}] for a property of that name"
                fix = Fix(f"{near[0]}.{field}", span=whole)
            self._fail("syntax.unexpected-character", message, span, hint, fix)

    def _refuse_field(self, token: Token, section: str, prefix: str, span: Span) -> NoReturn:
        """Raise the error for a name such as ``properties.colour``: the section has no field of this name.

        ``section`` is the section of the message, ``prefix`` its spelling before the dot, ``span`` the span of the
        error.
        """
        names = [name for position, name in self.dialect.fields.sections if position == section]
        whole = self._whole_name(token)
        written = self.source.text[whole.start : whole.end].partition(".")[2]
        spelled = _HUMP.sub("_", written).replace("-", "_").lower()
        near = spelled if spelled in names else next(iter(nearest(spelled, names)), None)
        hint, fix = f"the fields of {section} are {', '.join(names)}", None
        if near is not None:
            hint, fix = f"did you mean {prefix}.{near}?", Fix(f"{prefix}.{near}", span=whole)
        field = token.value.partition(".")[2]
        self._fail("syntax.section", f"the section {section} has no field {field}", span, hint, fix)

    def _whole_name(self, token: Token) -> Span:
        """Return the span of the whole hyphenated name around ``token``, such as that of ``order-id-2``.

        The lexer splits such a name into several tokens.
        """
        text, start, end = self.source.text, token.index, token.index + len(token.value)
        while start > self.start and _HYPHENATED_PART.match(text[start - 1]):
            start -= 1
        while end < len(text) and _HYPHENATED_PART.match(text[end]):
            end += 1
        start += len(text[start:end]) - len(text[start:end].lstrip("-.0123456789"))
        end = start + len(text[start:end].rstrip("-"))
        return Span(start, end) if start < end else Span(token.index, token.index + len(token.value))

    @_(r"<>|!=")
    def NE(self, token: Token) -> Token:
        """Normalize the spelling ``!=`` to ``<>``; raise an error if the dialect does not have ``!=``."""
        if token.value == "!=":
            if not self.dialect.has(Extension.NOT_EQUAL):
                self._refuse(token.index)
            token.value = "<>"
        return token

    LE = r"<="
    GE = r">="
    EQ = r"=(?!=)"
    LT = r"<"
    GT = r">"
    PLUS = r"\+"

    @_(r"-")
    def MINUS(self, token: Token) -> Token:
        """Return the minus token.

        Raise an error for ``--`` before white space, which some brokers read as a comment.
        """
        if self.dialect.comments is Comments.REFUSED and _DOUBLE_MINUS.match(self.source.text, token.index):
            self._refuse(token.index)
        return token

    @_(r"%")
    def REMAINDER(self, token: Token) -> Token:
        """Return the remainder operator; raise an error in dialects without that operator."""
        if self.dialect.remainder is Remainder.NONE:
            self._refuse(token.index)
        return token

    TIMES = r"\*"
    DIVIDE = r"/(?!\*)"
    LPAREN = r"\("
    RPAREN = r"\)"
    COMMA = r","

    def _refuse(self, index: int) -> NoReturn:
        """Raise the error for the character at offset ``index``, with which no token of the dialect begins.

        The functions in the package ``mistakes`` may replace this error by a more specific one.
        """
        rest, title = self.source.text[index:], self.dialect.title
        if self.hyphens and rest[0] == ".":
            hint = "perhaps remove the prefix, and put the name into double quotes"
            self._fail_at(index, "a name after hyphenated_props: cannot contain dots", hint)
        if rest.startswith("--"):
            hint = "remove the comment; activemq, artemis and qpid-java read -- to the end of the line as a comment"
            self._fail(
                "syntax.comment",
                f"{title} does not support comments",
                Span(index, index + 2),
                hint,
                self._comment(index),
            )
        if rest.startswith("/*") and self.dialect.comments is Comments.TAKEN:
            end = len(self.source.text)
            fix = Fix(" */", span=Span(end, end))
            self._fail(
                "syntax.comment",
                "this comment is never closed",
                Span(index, index + 2),
                "close the comment with */",
                fix,
            )
        if rest.startswith("/*"):
            hint = "remove the comment; activemq, artemis and qpid-java support comments"
            self._fail(
                "syntax.comment",
                f"{title} does not support comments",
                Span(index, index + 2),
                hint,
                self._comment(index),
            )
        self._fail_at(index, f"{_name(rest[0])} begins nothing in a selector")

    def _comment(self, index: int) -> Fix:
        """Return the fix that removes the comment at offset ``index``."""
        match = _COMMENT.match(self.source.text, index)
        assert match is not None
        return Fix("", span=Span(*match.span()))

    def _malformed_number(self, token: Token) -> NoReturn:
        text = token.value
        span = Span(token.index, token.index + len(text))
        if re.fullmatch(r"0[0-9]+[lL]?", text):
            self._fail(
                "syntax.number",
                f"{text} begins with 0, so it is an octal number, which cannot contain the digits 8 and 9",
                span,
                f"write {text.lstrip('0')}, or '{text}' for a string",
                Fix(text.lstrip("0").rstrip("lL")),
            )
        java_7 = re.fullmatch(r"0[bB][01](?:_*[01])*[lL]?|[1-9](?:_*[0-9])*[lL]?", text)
        if java_7 and len(text) <= _WRITTEN_OUT:
            value = int(text.rstrip("lL"), 0)
            self._fail(
                "syntax.number",
                f"{text} is Java 7 syntax, which selectors do not support",
                span,
                f"write {value}; the dialect qpid-cpp takes {text}",
                Fix(str(value)),
            )
        if java_7 or re.fullmatch(r"0[bB][01_]+[lL]?|[0-9][0-9_]*[lL]?", text):
            self._fail(
                "syntax.number", f"{text} is not a number", span, "a number consists of digits, without separators"
            )
        if re.fullmatch(r"0[xX][0-9a-fA-F.]*[pP].*", text):
            self._fail("syntax.number", "a hexadecimal floating point literal is not supported", span)
        if re.fullmatch(r"[0-9.]+[eE]", text):
            self._fail("syntax.number", f"the exponent of {text} has no digits", span)
        self._fail(
            "syntax.number",
            f"{text} is neither a number nor a name",
            span,
            "a name begins with a letter, _ or $; text goes into single quotes",
        )

    def _check_identifier(self, text: str, start: int) -> None:
        """Raise an error at the first character of the name ``text`` that Java does not allow in an identifier.

        The rules are those of Java's isJavaIdentifierStart and isJavaIdentifierPart; in addition, dots are allowed.
        ``start`` is the offset of the name.
        """
        for offset, character in enumerate(text):
            category = unicodedata.category(character)
            letter = category[0] == "L" or category in ("Nl", "Sc", "Pc")
            part = letter or category in ("Nd", "Mn", "Mc", "Cf") or character == "."
            if not (part if offset else letter):
                self._refuse_in_name(start + offset, character)

    def _refuse_in_name(self, index: int, character: str) -> NoReturn:
        written = _TYPOGRAPHIC.get(character)
        blank = {"Zs": Fix(" "), "Cf": Fix("")}.get(unicodedata.category(character))
        fix = blank if written is None else None if written == "'" else Fix(written, certain=True)
        self._fail_at(index, f"{_name(character)} cannot be part of a name", _advice(character), fix)

    def _reject_surrogates(self, value: str, start: int) -> None:
        half = half_surrogate(value)
        if half is not None:
            self._fail_at(start + 1 + half.start, "half of a surrogate pair is not a Unicode character")

    def _fail_at(self, index: int, message: str, hint: str | None = None, fix: Fix | None = None) -> NoReturn:
        self._fail("syntax.unexpected-character", message, Span(index, index + 1), hint, fix)

    def _fail(self, code: str, message: str, span: Span, hint: str | None = None, fix: Fix | None = None) -> NoReturn:
        raise SelectorSyntaxError.at(code, message, self.source, span, hint, fix)

    def scan(self) -> Iterator[Token]:
        """Yield the tokens of the source, beginning after the prefixes of the selector."""
        tokens: Iterator[Token] = self.tokenize(self.source.text, index=self.start)
        return tokens

    def error(self, token: Token) -> NoReturn:
        """Raise the error for text that no token pattern matches; called by SLY."""
        self._refuse(token.index)


def then_raise(tokens: list[Token], error: SelectorSyntaxError) -> Iterator[Token]:
    """Yield ``tokens``, then raise ``error``: the error of the lexer follows the tokens that precede it."""
    yield from tokens
    raise error


def is_control(character: str) -> bool:
    """Return True for a control character, which the SQL filter rejects in patterns and in names in brackets."""
    return character < " " or character == "\x7f"


def _name(character: str) -> str:
    if character.isprintable() and character != " ":
        return character
    return unicodedata.name(character, f"U+{ord(character):04X}").lower()


def _advice(character: str) -> str | None:
    if character in _TYPOGRAPHIC:
        return f"write {_TYPOGRAPHIC[character]}"
    category = unicodedata.category(character)
    return "write a plain space" if category == "Zs" else "remove the character" if category == "Cf" else None
