"""Rules for mistakes in the text itself: prefixes, times, markup, bind variables, unquoted texts, SQL statements.

Each rule accepts the words around the error and the parser's diagnostic, and returns a better diagnostic or None.
"""

from __future__ import annotations

import re
from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic, Fix, nearest
from transpiler.base.entities import ENTITY, without_entities
from transpiler.base.source import Span
from transpiler.base.times import iso_time
from transpiler.language.selector.dialect_rules import PREFIXES, Comments, DoubleQuotes, Extension
from transpiler.language.selector.dialects import dialects_with
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.mistakes.words import COMPARISONS, TESTS, Reading, Word, both_ends

#: A date with an optional time and time zone, outside words and quotes.
_TIME = re.compile(r"(?<![\w.$'\"-])[12][0-9]{3}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:]+(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?)?")
#: The phrase in hints that suggest a number instead of a time.
MILLISECONDS = "the milliseconds since 1970-01-01 in UTC"
_NUMBER = re.compile(r"(?P<grouped>[0-9]{1,3}(,[0-9]{3})+)|[0-9]{1,3}(?P<dotted>\.[0-9]{3})*,[0-9]+|[0-9]+,[0-9]+")


def unknown_prefix(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a prefix such as ``hyphenated_props:`` that is misspelled, or that the dialect lacks.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    first, colon = reading.at(0), reading.at(1)
    if colon.text[:1] != ":" or reading.position > 1 or first.kind != "name" or first.end != colon.start:
        return None
    text = reading.source.text[first.start : colon.start + 1]
    near = [text] if text in PREFIXES else nearest(text, PREFIXES)
    if not near:
        return None
    names = dialects_with(PREFIXES[near[0]][0])
    have = f"the dialects {names} have it" if " and " in names else f"the dialect {names} has it"
    span = Span(first.start, colon.start + 1)
    message, hint, fix = (
        f"{reading.dialect.title} has no prefix {text}",
        f"remove the prefix; {have}",
        Fix("", span=span),
    )
    if reading.dialect.has(PREFIXES[near[0]][0]):
        message, hint = f"{reading.dialect.title} accepts only one prefix, at the start", "remove this one"
        if reading.source.text[first.start - 1 : first.start].isspace():
            message, hint = "white space is not allowed before a prefix", "remove the white space"
            behind = reading.source.text[: first.start].rstrip()
            fix = Fix("", span=Span(len(behind), first.start))
    if near[0] != text:
        message, hint = f"there is no prefix {both_ends(text)}", f"did you mean {near[0]}? {have}"
        fix = Fix(near[0], span=span)
    return replace(finding, code="syntax.prefix", message=message, span=span, hint=hint, fix=fix)


def time_without_quotes(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a date or time without quotes: ``2024-08-09`` or ``2024-01-01T00:00:00Z``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    start = reading.at(reading.position).start
    for match in _TIME.finditer(reading.source.text, reading.start):
        time = iso_time(match[0])
        if match.start() <= start < match.end() and time is not None:
            before = next((word for word in reversed(reading.words) if word.end <= match.start()), reading.at(-1))
            is_ordered = before.key in COMPARISONS - {"=", "<>"} or before.key in ("BETWEEN", "AND")
            text = string_literal(match[0])
            hint = f"write {'' if is_ordered else f'{text} for text, or '}{time} for {MILLISECONDS}"
            message, span = "a selector has no literal for a time", Span(*match.span())
            fix = Fix(str(time) if is_ordered else text, span=span)
            return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint, fix=fix)
    return None


def select_statement(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain an SQL statement in place of a selector: ``SELECT * FROM t WHERE a = 1``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    first, second = reading.at(0), reading.at(1)
    if first.key != "SELECT" or not (second.kind == "name" or second.key in ("*", "TRUE")):
        return None
    keys = [word.key for word in reading.words]
    behind = keys.index("WHERE") + 1 if "WHERE" in keys else len(keys) - 1
    condition = reading.shown(behind, len(keys))
    hint = f"write the condition alone: {condition or 'a = 1'}"
    message, span = (
        "a selector is not a query: it has no SELECT, FROM or WHERE",
        Span(first.start, reading.at(behind - 1).end),
    )
    fix = Fix("", span=span) if condition else None
    return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint, fix=fix)


def number_with_comma(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a comma in a number: ``1,000`` or ``1,5``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    comma = reading.at(reading.position)
    match = _NUMBER.match(reading.source.text, reading.at(reading.position - 1).start)
    if comma.kind != "comma" or match is None or match.end() <= comma.start:
        return None
    if match["grouped"]:
        number, why = match[0].replace(",", ""), "a number has no comma"
    else:
        number, why = match[0].replace(".", "").replace(",", "."), "a number has a point before its decimals"
    return replace(finding, hint=f"{why}: write {number}", fix=Fix(number, span=Span(*match.span())))


def unclosed_parenthesis(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a parenthesis that is still open at the end of the selector.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    if reading.at(reading.position).kind != "end" or reading.opened is None:
        return None
    if reading.at(reading.position - 1).key in COMPARISONS:
        return None
    line, column = reading.source.position(reading.at(reading.opened).start)
    fix = Fix(")", span=Span(end := len(reading.source.text.rstrip()), end))
    return replace(finding, hint=f"the parenthesis opened at {line}:{column} is never closed", fix=fix)


def closed_without_opening(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a closing parenthesis without an opening parenthesis.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    if reading.at(reading.position).kind != "close" or reading.opened is not None:
        return None
    return replace(finding, hint="no parenthesis is open here; remove this parenthesis", fix=Fix(""))


_AND_SIGNS = re.compile(r"('(?:[^']|'')*')|&&")
#: ``_PLACEHOLDER`` matches placeholders for values, ``_UNQUOTED`` a text without quotes.
_PLACEHOLDER = re.compile(r"\?\d*|[:@]\w+|[#$%]?\{\{?[^{}'\",]*\}?\}|%\(\w+\)s|%s\b|<\w+>")
_UNQUOTED = re.compile(r"[^\s'\"(),=<>!&|;\[\]{}]+")
_BEFORE_VALUE = COMPARISONS | frozenset(("LIKE", "IN", "BETWEEN", "AND"))
#: The operators that order their operands (all but = and <>). Their right operand must be a number.
_ORDERS = COMPARISONS - {"=", "<>"} | {"BETWEEN", "AND"}
_WITH_UNIT = re.compile(r"([0-9]+(?:\.[0-9]+)?)[A-Za-z]+")


def markup_entities(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain entities such as ``&apos;`` and ``&gt;`` in a selector that was copied from XML.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    text = reading.source.text
    position = finding.span.start if finding.span is not None else len(text)
    found = next((match for match in ENTITY.finditer(text) if match.start() <= position < match.end()), None)
    if found is None:
        return None
    quote = "'" if reading.dialect.double_quotes is DoubleQuotes.REFUSED else '"'
    written = without_entities(text, quote)
    # A selector that was copied from XML often has && for AND. Inside string literals, && is kept.
    written = _AND_SIGNS.sub(lambda match: match[0] if match[1] else "AND", written)
    hint, fix = f"write the characters themselves: {both_ends(written)}", Fix(written, span=Span(0, len(text)))
    message = f"{found[0]} is XML markup, not a part of a selector"
    span = Span(*found.span())
    return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint, fix=fix)


def bind_variable(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a placeholder in place of a value: ``?``, ``:name`` or ``${name}``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    word = reading.at(reading.position)
    index = word.start - (reading.source.text[word.start - 1 : word.start] in tuple("$#%"))
    match = _PLACEHOLDER.match(reading.source.text, index) or _PLACEHOLDER.match(reading.source.text, word.start)
    if match is None or not _takes_value(before := _word_before(reading, match.start())):
        return None
    if before.key == "IN" and match[0][0] == "{":
        return None
    message, span = "a selector has no bind variables", Span(*match.span())
    hint = f"perhaps put the value itself in place of {both_ends(match[0])}: a number, or text in single quotes"
    return replace(finding, message=message, span=span, hint=hint)


def text_without_quotes(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a text without quotes: ``ID:abc``, ``topic://x`` or ``10.0.0.1``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    text = reading.source.text
    index = finding.span.start if finding.span is not None else len(text)
    start = max(text.rfind(sign, 0, index + 1) for sign in " \t\r\n'\"(),=<>!&|;[]{}") + 1
    match = _UNQUOTED.match(text, start)
    # Other rules handle errors at an arithmetic operator.
    if match is None or not match.start() <= index < match.end() or text[index] in "*/%+-^~":
        return None
    odd = re.search(r"[:@#\\?]|//", match[0]) or finding.message.endswith("a name")
    if not odd or not (match[0][0].isalnum() or match[0][0] in "_/#"):
        return None
    if not _takes_value(_word_before(reading, start)):
        return None
    fix = Fix(string_literal(match[0]), span=Span(*match.span()))
    hint = f"text goes into single quotes: {both_ends(fix.text)}"
    if (amount := _WITH_UNIT.fullmatch(match[0])) and _word_before(reading, start).key in _ORDERS:
        fix, hint = Fix(amount[1], span=fix.span), f"a number has no unit: write {amount[1]}"
    return replace(finding, hint=hint, fix=fix)


def _word_before(reading: Reading, index: int) -> Word:
    return next((word for word in reversed(reading.words) if word.end <= index and word.kind != "end"), reading.at(-1))


def _takes_value(word: Word) -> bool:
    return word.key in _BEFORE_VALUE or word.kind in ("open", "comma")


#: Matches a comment of another language up to the end of the line, if white space precedes it. It also matches
#: literals, in order to skip comment signs inside them.
_COMMENT = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|(?<!\S)(?P<sign>--|//|#)[^\r\n]*")


def line_comment(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a comment: ``# …``, ``// …`` or ``-- …``.

    Even a dialect with ``--`` comments rejects a comment whose line has no line end. Return a better diagnostic than
    ``finding``, or None for another mistake.
    """
    if finding.code == "syntax.comment":
        return None
    text, title = reading.source.text, reading.dialect.title
    index = finding.span.start if finding.span is not None else len(text)
    before = reading.at(reading.position - 1).start
    for match in _COMMENT.finditer(text, reading.start):
        start, end = match.span()
        if match["sign"] is None or not (start <= index <= end or start <= before < end):
            continue
        if _takes_value(_word_before(reading, start)) and not text[start + 1 : start + 2].isspace():
            return None
        if not (text[:start] + text[end:]).strip():
            return None
        takes_comments, sign = reading.dialect.comments is Comments.TAKEN, match["sign"]
        message, hint = (
            f"{title} does not support comments",
            "remove the comment; activemq, artemis and qpid-java support comments",
        )
        if takes_comments and sign == "--":
            message = f"a comment after -- in {title} ends at the next line break, but this line has no line break"
            hint = "remove the comment, or put it between /* and */"
        elif takes_comments:
            message, hint = (
                f"no comment of {title} begins with {sign}",
                "remove the comment, or put it between /* and */",
            )
        span, fix = Span(start, start + len(sign)), Fix("", span=Span(start, end))
        return replace(finding, code="syntax.comment", message=message, span=span, hint=hint, fix=fix)
    return None


def colon_for_equals(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain colons for equals signs, as in YAML and JSON: ``color: red, size: 5``, ``size: > 5``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    in_braces = reading.at(reading.position).text == "{"
    first = reading.position + 1 if in_braces else reading.position - 1
    if not _begins_condition(reading, first):
        return None
    terms, at = list[str](), first
    while (term := _term_with_colon(reading, at)) is not None:
        terms, at = [*terms, term[0]], term[1]
        if reading.at(at).kind != "comma" or _term_with_colon(reading, at + 1) is None:
            break
        at += 1
    if not terms:
        return None
    last, begin = at - 1, first
    if in_braces and reading.at(at).text == "}":
        begin, last = first - 1, at
    elif in_braces:
        return None
    written = " AND ".join(terms)
    span = Span(reading.at(begin).start, reading.at(last).end)
    message, fix = "a selector compares with an operator such as =, not with a colon", Fix(written, span=span)
    under = reading.at(first + 1).span
    hint = f"write {both_ends(written)}"
    return replace(finding, code="syntax.operator", message=message, span=under, hint=hint, fix=fix)


def name_with_colon(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a colon in a name, as in ``my:prop = 5``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    first = behind = reading.position - 1
    while reading.at(behind + 1).text == ":" and reading.at(behind + 2).kind in ("name", "keyword"):
        if not reading.at(behind).end == reading.at(behind + 1).start == reading.at(behind + 2).start - 1:
            return None
        behind += 2
    tested = reading.at(behind + 1).key
    is_tested = tested in COMPARISONS or tested in TESTS or (tested == "NOT" and reading.at(behind + 2).key in TESTS)
    if behind == first or not (is_tested and reading.at(first).kind == "name" and _begins_condition(reading, first)):
        return None
    span, dialect = Span(reading.at(first).start, reading.at(behind).end), reading.dialect
    name = reading.source.text[span.start : span.end]
    if dialect.has(Extension.BRACKETS):
        written, how = f"[{name}]", "write the name in brackets: "
    elif dialect.double_quotes is DoubleQuotes.IDENTIFIER and not reading.hyphens:
        written, how = f'"{name}"', "write the name in double quotes: "
    else:
        written, how = name.replace(":", "_"), "rename the property, and write "
    message = f"a name has no colon in {dialect.title}" if written[0] == name[0] else "a name with a colon has quotes"
    message = "a name with a colon is written in brackets" if written[0] == "[" else message
    hint, fix, under = how + both_ends(written), Fix(written, span=span), reading.at(first + 1).span
    return replace(finding, code="syntax.operator", message=message, span=under, hint=hint, fix=fix)


def _begins_condition(reading: Reading, number: int) -> bool:
    """Return True if the word at index ``number`` is the first of a condition.

    It is not if it is an operand of BETWEEN or a member of a list.
    """
    before = reading.at(number - 1)
    if before.key == "AND":
        return reading.at(number - 3).key != "BETWEEN"
    if before.kind == "open":
        return reading.at(number - 2).key in ("AND", "OR", "NOT", "")
    return number == 0 or before.key in ("OR", "NOT", "{")


def _term_with_colon(reading: Reading, at: int) -> tuple[str, int] | None:
    """Translate a name, a colon and a value to a comparison: ``color: red`` → ``color = 'red'``.

    ``at`` is the index of the name among the words. Return the comparison and the index after the value; None if the
    words have another form.
    """
    name, colon = reading.at(at), reading.at(at + 1)
    if name.kind not in ("name", "quoted", "string") or colon.text != ":" or not name.content:
        return None
    shown = reading.shown(at, at + 1) if name.kind == "name" else name.content
    value, end = reading.at(at + 2), at + 3
    if value.key in COMPARISONS and reading.at(end).is_operand:
        return f"{shown} {value.key} {reading.shown(end, end + 1)}", end + 1
    if value.kind in ("string", "quoted"):
        return f"{shown} = {string_literal(value.content)}", end
    if value.key == "NULL":
        return f"{shown} IS NULL", end
    while reading.at(end).kind in ("name", "number") and reading.at(end + 1).text != ":":
        end += 1
    if end == at + 3 and (value.kind == "number" or value.key in ("TRUE", "FALSE")):
        return f"{shown} = {reading.shown(at + 2, end)}", end
    if value.kind not in ("name", "number"):
        return None
    return f"{shown} = {string_literal(reading.raw(at + 2, end))}", end
