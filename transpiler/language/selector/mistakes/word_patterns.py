"""Patterns over the words around an error, in a notation that looks like a selector with letters as operands.

A pattern is a sequence of elements, which match words from left to right:

- ``a``, ``b``, ``c``: an arithmetic expression (with nested parentheses, so a regular expression would not suffice). If
  it begins the pattern, it must end before the next element.
- ``NOT``, ``<>``, ``string``: this word or sign, or a word of this kind (also of ``KINDS``); ``=,<>`` lists choices.
- ``~LIKE``: a name that looks like a misspelled LIKE.
- ``group``, ``members``, ``several``, ``words``, ``unquoted``: several words, see ``MATCHERS``.
- ``?`` before an element makes it optional, ``^`` forbids white space before it, ``@`` underlines the matched words in
  the diagnostic, and ``x:`` names the element.

Messages and hints are templates with the matched words: ``{a}`` is formatted as it should be written, and ``Part``
defines other formats; ``{no}`` and similar values are in ``DERIVED``. The text between « and » in a hint is the fix. It
replaces the underlined words, the elements that it names, the element named ``also``, and all words between them. There
is no fix if an element is missing or shortened, which the text marks with an ellipsis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, Fix, nearest
from transpiler.base.source import Span
from transpiler.language.selector.dialect_rules import BetweenMeaning, DoubleQuotes, Extension, ListMember, Remainder
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.mistakes.words import COMPARISONS, QUOTES, TESTS, Reading, Word, brief

_DOUBLE_QUOTES = '; artemis, qpid-java and qpid-cpp take "…" as a name, rabbitmq as a string'
#: Maximum number of words before the error at which a match may begin.
_BEFORE = 30
_ELEMENT = re.compile(r"(?P<optional>\?)?(?P<adjacent>\^)?(?P<underlined>@)?(?:(?P<name>\w+):)?(?P<choices>.+)")
#: For each comparison operator, its negation.
OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
#: Operators that users spell as words, with the equivalent operator of selectors.
SPELLED = {
    "EQ": "=", "EQUAL": "=", "EQUALS": "=", "NE": "<>", "NEQ": "<>", "GT": ">", "LT": "<", "GE": ">=", "GTE": ">=",
    "LE": "<=", "LTE": "<=", "MOD": "%", "DIV": "/",
}  # fmt: skip
#: The codes of diagnostics for wrong quotation marks. Only the mark is underlined, not the whole word.
_MARKS = {"`": "syntax.quote", '"': "syntax.double-quote"}
#: Operators of other languages that test a text, by the kind of test.
_TEXT_TESTS = {
    "contains": "CONTAIN CONTAINS INCLUDES HAS".split(),
    "starts": "STARTS STARTSWITH STARTING BEGINS BEGINSWITH".split(),
    "ends": "ENDS ENDSWITH ENDING".split(),
    "regular": "RLIKE REGEXP REGEX REGEXP_LIKE MATCH MATCHES GLOB SIMILAR".split(),
}
_NAMED = re.compile(r"\{(\w+)")
_BEFORE_OPERAND = COMPARISONS | frozenset("AND OR NOT BETWEEN + - * / %".split())


class Element(NamedTuple):
    """One element of a word pattern, which matches one or several words.

    The module's docstring describes the notation.
    """

    name: str
    choices: tuple[str, ...]
    optional: bool
    adjacent: bool
    underlined: bool

    @property
    def is_operand(self) -> bool:
        """True if the element matches an arithmetic expression. Its notation is then a single lower-case letter."""
        return len(self.choices[0]) == 1 and self.choices[0].islower()

    def take(self, reading: Reading, at: int) -> int | None:
        """Match the element at word ``at`` and return the index after the matched words; None if it does not match."""
        if self.adjacent and reading.at(at).start != reading.at(at - 1).end:
            return None
        if self.is_operand:
            return reading.operand_after(at)
        if self.choices[0] in MATCHERS:
            return MATCHERS[self.choices[0]](reading, at)
        return at + 1 if any(_fits(reading, at, choice) for choice in self.choices) else None


class Part(NamedTuple):
    """The words that one element of a word pattern matched: from index ``first`` to the index before ``behind``.

    If there are no words, it is formatted as ``…``.
    """

    reading: Reading
    first: int
    behind: int

    def __format__(self, form: str) -> str:
        if self.behind <= self.first:
            return "…"
        match form:
            case "text":
                return string_literal(self.content)
            case "content":
                return string_literal(self.content)[1:-1]
            case "like":
                pattern = as_pattern(self.content)
                return "…" if pattern is None else string_literal(pattern)
            case "raw":
                return brief(self.reading.raw(self.first, self.behind))
            case "key" | "opposite" | "sign":
                key = self.reading.at(self.first).key
                return {"key": key, "opposite": OPPOSITE.get(key, ""), "sign": SPELLED.get(key, "")}[form]
            case _:
                return self.reading.shown(self.first, self.behind)

    @property
    def span(self) -> Span:
        """The span of the matched words."""
        return Span(self.reading.at(self.first).start, self.reading.at(self.behind - 1).end)

    @property
    def content(self) -> str:
        """The text inside the quotes of a single word, or the original text of several words."""
        if self.behind == self.first + 1:
            return self.reading.at(self.first).content
        return self.reading.raw(self.first, self.behind)


def as_pattern(regex: str) -> str | None:
    """Return the LIKE pattern that is equivalent to the regular expression ``regex``; None if there is none.

    A plain text without special characters matches anywhere in the value, as with the operators of other languages.
    """
    inner = regex.removeprefix("^").removesuffix("$")
    if not _REGULAR_SIGNS.search(inner):
        anywhere = regex == inner and not {"%", "_"} & set(inner)
        return f"%{inner}%" if anywhere else inner + "%" * (regex[:1] == "^" and regex[-1:] != "$")
    parts = _REGULAR_PART.findall(inner)
    if "".join(parts) != inner or {"%", "_"} & set(inner):
        return None
    return "".join(_PATTERN_OF.get(part, part.removeprefix("\\")) for part in parts)


#: ``_REGULAR_SIGNS``: the special characters of regular expressions. ``_REGULAR_PART``: the elements that LIKE can
#: express. ``_PATTERN_OF``: the LIKE wildcards for some of them.
_REGULAR_SIGNS = re.compile(r"[.*+?\[\](){}|\\^$]")
_REGULAR_PART = re.compile(r"\.[*+]|\.|\\[^\w\s]|[^.*+?\[\](){}|\\^$]")
_PATTERN_OF = {".*": "%", ".+": "_%", ".": "_"}


class Captured(dict[str, Part]):
    """The words of a selector that a word pattern matched, by the names of the pattern's elements.

    The text of a name in ``DERIVED``, such as ``no``, is computed on access. Any other name without words is ``…``.
    """

    def __init__(self, reading: Reading, anchor: int) -> None:
        super().__init__()
        self.reading = reading
        self.anchor = anchor
        self.underlined = Part(reading, reading.position, reading.position + 1)
        self.is_negated = False

    def __missing__(self, name: str) -> str | Part:
        return DERIVED[name](self) if name in DERIVED else Part(self.reading, 0, 0)

    @property
    def mark(self) -> str:
        """The first character of the words that the error underlines: the quotation mark if they are quoted."""
        return self.reading.at(self.underlined.first).text[:1]


class Proposal(NamedTuple):
    """A hint that proposes a correction. The hint is the concatenation of ``before``, ``text`` and ``behind``.

    The fix replaces ``span`` by ``text``. If ``span`` is None, the fix replaces the words that the rule matched.
    """

    before: str
    text: str
    behind: str = ""
    span: Span | None = None

    @classmethod
    def of(cls, template: str, taken: Captured) -> tuple[Proposal | None, str]:
        """Insert the matched words ``taken`` into ``template``, and return the proposal and the text of the hint.

        The text between « and » is the correction; without it, the proposal is None.
        """
        before, mark, rest = template.partition("«")
        text, _, behind = rest.partition("»")
        before, text, behind = (part.format_map(taken) for part in (before, text, behind))
        return cls(before, text, behind) if mark else None, before + text + behind


@dataclass(frozen=True, slots=True)
class Row:
    """A rule for one kind of mistake: a pattern of words around the error, and the diagnostic if the words match."""

    pattern: str
    hint: str | Callable[[Captured], str | Proposal]
    #: A key of ``CONDITIONS``, which limits the rule to some dialects; None for all dialects.
    when: str | None = None
    #: A pattern of single words, the last of which must be at the error; None if any matching words will do.
    at: str | None = None
    #: Replaces the words from the anchor (the first element after a leading operand) to the underlined word. The fix is
    #: unambiguous, so a program may apply it.
    fix: str | None = None
    ends_at_position: bool = False
    #: If None, the message and the span of the parser's error are kept.
    message: str | None = None
    #: If None, the code is that of an unexpected word or of a wrong quotation mark.
    code: str | None = None

    def __call__(self, reading: Reading, finding: Diagnostic) -> Diagnostic | None:
        """Return the diagnostic of this rule instead of ``finding``; None if the pattern does not match.

        The match must contain the position of the error or end directly before it.
        """
        if self.when is not None and not CONDITIONS[self.when](reading.dialect):
            return None
        if self.at is not None:
            around = _elements(self.at)
            if match(around, reading, reading.position + 1 - len(around)) is None:
                return None
        for anchor in range(reading.position, max(reading.position - _BEFORE, -1) - 1, -1):
            taken, end = match(_elements(self.pattern), reading, anchor) or (None, -1)
            if taken is not None and (
                end == reading.position + 1 if self.ends_at_position else end >= reading.position
            ):
                return self._improved(finding, taken)
        return None

    def _improved(self, finding: Diagnostic, taken: Captured) -> Diagnostic:
        hint, fix = self._proposed(taken)
        first, last = (taken.reading.at(number) for number in (taken.underlined.first, taken.underlined.behind - 1))
        span, code = Span(first.start, last.end), self.code
        if self.fix is not None:
            # The author may have meant a name: some languages enclose names in backticks or double quotes. So a fix
            # that makes the word a string is not certain to be right.
            position, is_certain = Span(taken.reading.at(taken.anchor).start, last.end), taken.mark not in ('"', "`")
            fix = Fix(self.fix.format_map(taken), is_certain, position)
        if first.kind == "quoted" or code == "syntax.bracket":
            span, code = Span(span.start, span.start + 1), code or _MARKS.get(taken.mark, "syntax.unexpected-character")
        if self.message is None:
            return replace(finding, hint=hint, code=code or finding.code, fix=fix)
        code = code or ("syntax.unexpected-token" if first.text else "syntax.unexpected-end")
        return replace(finding, message=self.message.format_map(taken), span=span, hint=hint, code=code, fix=fix)

    def _proposed(self, taken: Captured) -> tuple[str, Fix | None]:
        """Return the hint for the matched words ``taken``, and the fix for it; None if there is no fix."""
        if isinstance(self.hint, str):
            proposal, hint = Proposal.of(self.hint, taken)
            captured_names = set(_NAMED.findall(self.hint.partition("«")[2].partition("»")[0]))
        else:
            made = self.hint(taken)
            proposal, hint = (None, made) if isinstance(made, str) else (made, "".join(made[:3]))
            captured_names = set(taken)
        if proposal is None or "…" in proposal.text:
            return hint, None
        span = taken.underlined.span
        for name, part in taken.items():
            if (name in captured_names or name == "also") and part.behind > part.first:
                span = span.to(part.span)
        return hint, Fix(proposal.text, span=proposal.span or span)


def match(elements: tuple[Element, ...], reading: Reading, anchor: int) -> tuple[Captured, int] | None:
    """Match the words of ``reading`` against ``elements``, from the word at index ``anchor`` on.

    If the first element is an operand, it must end directly before the anchor. Return the matched words and the index
    after the last word; None if the elements do not match.
    """
    leading = elements[0] if elements[0].is_operand else None
    taken, at, underlined = Captured(reading, anchor), anchor, None
    for element in elements[leading is not None :]:
        end = element.take(reading, at)
        if end is None:
            if not element.optional:
                return None
            continue
        if element.choices == ("NOT",) and element.optional:
            taken.is_negated = True
        if element.underlined:
            # An arithmetic expression can be long, so underline only its first word.
            first = at if underlined is None else underlined
            taken.underlined, underlined = Part(reading, first, at + 1 if element.is_operand else end), first
        taken[element.name] = Part(reading, at, end)
        at = end
    if leading is not None:
        start = reading.operand_before(anchor)
        # In ``a = b LIKE``, the operand ``b`` already belongs to the first comparison, so it is not the left operand of
        # LIKE.
        if start is None or reading.at(start - 1).key in (*COMPARISONS, "LIKE", "ESCAPE"):
            return (taken, at) if leading.optional else None
        taken[leading.name] = Part(reading, start, anchor)
    return taken, at


@cache
def _elements(pattern: str) -> tuple[Element, ...]:
    return tuple(map(_element, pattern.split()))


def _element(text: str) -> Element:
    found = _ELEMENT.fullmatch(text)
    assert found is not None
    choices = tuple(found["choices"].split(","))
    marks = (bool(found[mark]) for mark in ("optional", "adjacent", "underlined"))
    return Element(found["name"] or choices[0], choices, *marks)


def _fits(reading: Reading, at: int, choice: str) -> bool:
    word = reading.at(at)
    if choice in KINDS:
        return KINDS[choice](word)
    if choice in _TEXT_TESTS:
        return word.key in _TEXT_TESTS[choice]
    if choice == "start":
        return at < 0
    if choice[0] == "~" and choice[1:].isalpha():
        return word.kind == "name" and bool(nearest(word.key, (choice[1:],)))
    return choice in (word.key, word.kind) and at >= 0


def _group(reading: Reading, at: int) -> int | None:
    """Match a pair of parentheses with its content, from the word at index ``at`` on; return the index after it.

    Return None if the word is not an opening parenthesis, or if the parenthesis is not closed.
    """
    return reading.partners[at] + 1 if reading.at(at).kind == "open" and at in reading.partners else None


def _several(reading: Reading, at: int) -> int | None:
    """Match two or more operands from word ``at`` on; return the index after them, or None.

    The last operand must not be the left side of a comparison.
    """
    members, end = reading.members_after(at)
    return end if len(members) > 1 and reading.at(end).key not in COMPARISONS else None


def _words(reading: Reading, at: int) -> int | None:
    """Match several words that may be a text without quotes: a name and at least one more name or number.

    Return the index after the words, or None. A name that begins the next comparison is not included.
    """
    end = at
    while reading.at(end).kind in ("name", "number"):
        end += 1
    if reading.at(end).kind in ("operator", "open") or reading.at(end).key in TESTS:
        end -= 1
    return end if end > at + 1 and reading.at(at).kind == "name" else None


def _unquoted(reading: Reading, at: int) -> int | None:
    """Match a text without quotes: all words and signs up to the next comparison operator or keyword.

    Return the index after them; None if there are none.
    """
    end = at + (reading.at(at).kind == "keyword")
    while (word := reading.at(end)).kind in ("name", "number", "operator", "other") and word.key not in COMPARISONS:
        end += 1
    return end if end > at else None


#: Elements that match several words, by name. Each function accepts the words and an index, and returns the index after
#: the match. ``members`` matches operands, with or without separators.
MATCHERS: Mapping[str, Callable[[Reading, int], int | None]] = {
    "group": _group,
    "members": lambda reading, at: reading.members_after(at)[1],
    "several": _several,
    "words": _words,
    "unquoted": _unquoted,
}

#: Separators between the two bounds of an interval in brackets, such as ``[1, 5]`` or ``[1 TO 5]``.
INTERVAL = re.compile(r",|;|\.\.+|\b(?:AND|TO)\b", re.IGNORECASE)

#: Additional kinds of words in word patterns, besides ``Word.kind``, each with its test.
KINDS: Mapping[str, Callable[[Word], bool]] = {
    "word": lambda word: word.kind in ("string", "quoted", "name", "number"),
    "called": lambda word: word.kind == "name" and bool(word.key),
    "operand": lambda word: word.is_operand,
    "ending": lambda word: word.is_operand or word.kind == "close",
    "beginning": lambda word: word.is_operand or word.kind == "open",
    "opening": lambda word: word.kind in ("end", "open", "comma") or word.key in _BEFORE_OPERAND,
    "character": lambda word: word.kind != "string" and len(word.content) == 1,
    "notstring": lambda word: word.kind != "string",
    "notopen": lambda word: word.kind != "open",
    "notnull": lambda word: word.key != "NULL" and (word.kind != "operator" or word.key in ("-", "+")),
    "nottest": lambda word: word.key not in ("LIKE", "IN", "BETWEEN"),
    "compares": lambda word: word.key in COMPARISONS,
    "tests": lambda word: word.key in TESTS,
    "incomparable": lambda word: word.kind == "operator" and word.text[0] in "<>=" and word.key not in COMPARISONS,
    "reserved": lambda word: word.kind == "keyword" and word.key not in ("AND", "OR"),
    "spelled": lambda word: word.key in SPELLED,
    "empty": lambda word: word.text == "''",
    # Words of other languages: the prefix of a string literal, as in N'text', or a name in brackets.
    "prefix": lambda word: word.kind == "name" and word.text.upper() in ("E", "N", "R", "U"),
    "bracketed": lambda word: word.text[:1] == "[",
    "interval": lambda word: word.text[:1] == "[" and INTERVAL.search(word.text) is not None,
    "backtick": lambda word: word.text[:1] == "`",
    "doubled": lambda word: word.kind == "quoted" and word.text[0] == '"',
    "unclosed": lambda word: word.kind == "quoted" and not word.is_closed,
    "unclosedname": lambda word: word.kind == "quoted" and not word.is_closed and word.content.isidentifier(),
    "opendouble": lambda word: word.kind in ("name", "string") and word.text[0] == '"' and not word.is_closed,
    "opentext": lambda word: word.kind == "string" and word.text[0] == "'" and not word.is_closed,
    "crooked": lambda word: word.kind == "string" and word.text[-1] in QUOTES,
}

#: The values of ``Row.when``, each with the test of the dialects to which the row applies.
CONDITIONS: Mapping[str, Callable[[Dialect], bool]] = {
    "between": lambda dialect: dialect.between_meaning is not BetweenMeaning.ABSENT,
    "no between": lambda dialect: dialect.between_meaning is BetweenMeaning.ABSENT,
    "functions": lambda dialect: dialect.has(Extension.FUNCTIONS),
    "no functions": lambda dialect: not dialect.has(Extension.FUNCTIONS),
    "lists of anything": lambda dialect: dialect.list_member is ListMember.ANY,
    "lists of strings": lambda dialect: dialect.list_member is not ListMember.ANY,
    "no null": lambda dialect: not dialect.has(Extension.NULL_LITERAL),
    "no remainder": lambda dialect: dialect.remainder is Remainder.NONE,
    "names in double quotes": lambda dialect: dialect.double_quotes is DoubleQuotes.IDENTIFIER,
    "no brackets": lambda dialect: not dialect.has(Extension.BRACKETS),
    "no !=": lambda dialect: not dialect.has(Extension.NOT_EQUAL),
}

#: Names that a template of a fix or message can contain in addition to the elements of the word pattern. For each name,
#: the function that computes its text from the matched words.
DERIVED: Mapping[str, Callable[[Captured], str]] = {
    # The text of the leading operand. A fix whose template contains ``{a}`` also replaces the operand; ``{name}``
    # leaves it.
    "name": lambda taken: f"{taken['a']}",
    "no": lambda taken: "NOT " if taken.is_negated else "",
    "equals": lambda taken: "<>" if taken.is_negated else "=",
    "nulls": lambda taken: "NULL" if taken.is_negated else "NULL or NOT NULL",
    "title": lambda taken: taken.reading.dialect.title,
    "found": lambda taken: taken.reading.found(taken.underlined.first),
    "before": lambda taken: brief(taken.reading.at(taken.underlined.first - 1).text),
    "rest": lambda taken: taken.reading.shown(taken.underlined.behind, len(taken.reading.words)),
    "operators": lambda taken: "LIKE, IN or BETWEEN" if _has_between(taken) else "LIKE or IN",
    "between": lambda taken: "BETWEEN, " if _has_between(taken) else "",
    "where": lambda taken: "behind hyphenated_props:" if taken.reading.hyphens else f"in {taken.reading.dialect.title}",
    "mark": lambda taken: taken.mark,
    "elsewhere": lambda taken: "" if taken.mark != '"' or taken.reading.hyphens else _DOUBLE_QUOTES,
}


def _has_between(taken: Captured) -> bool:
    return CONDITIONS["between"](taken.reading.dialect)
