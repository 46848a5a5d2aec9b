"""Mistakes with the operators of the language: BETWEEN, NOT, IS, LIKE, ESCAPE and IN in the wrong form or place.

Each function looks at the words around the place of an error and returns the mistake that it knows, or None.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from transpiler.diagnostics import Fix, mismatch, nearest
from transpiler.selector.dialect_rules import BetweenMeaning, Extension
from transpiler.selector.iso_times import milliseconds_of
from transpiler.selector.words import COMPARISONS, TESTS, Reading, Word, literal
from transpiler.source import Span

#: A date and what people write behind it. Nothing of a word or of a text in quotes.
_TIME = re.compile(r"(?<![\w.$'\"-])[12][0-9]{3}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:]+(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?)?")
_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
#: Words behind IS that mean an absent or a present property in other languages.
_ABSENT = frozenset("ABSENT BLANK EMPTY MISSING NIL NONE NULLABLE UNDEFINED UNKNOWN UNSET VOID".split())
_PRESENT = frozenset("DEFINED EXISTING PRESENT SET".split())


class Mistake(NamedTuple):
    """A better finding than the parser's: its message, its place, and the text to write.

    ``message`` and ``span`` are None where the parser's own are good; ``code`` is None for that of a word or of an
    end that is not expected.
    """

    message: str | None
    span: Span | None
    hint: str | None
    code: str | None = None
    fix: Fix | None = None


def date_without_quotes(reading: Reading) -> Mistake | None:
    """``2024-08-09``, which has octal numbers without a meaning, and ``2024-01-01T00:00:00Z``."""
    word = reading.at(reading.place)
    for match in _TIME.finditer(reading.source.text, reading.start):
        time = milliseconds_of(match[0])
        if match.start() <= word.start < match.end() and time is not None:
            span = Span(match.start(), match.end())
            before = next((word for word in reversed(reading.words) if word.end <= match.start()), reading.at(-1))
            is_ordered = before.key in COMPARISONS - {"=", "<>"} or before.key in ("BETWEEN", "AND")
            text = "" if is_ordered else f"{literal(match[0])} for text, or "
            hint = f"write {text}{time} for the milliseconds since 1970-01-01 in UTC"
            return Mistake("a selector has no literal for a time", span, hint)
    return None


def found_at(reading: Reading, number: int) -> str:
    """Return the end of a message: the word at a place."""
    word = reading.at(number)
    return "the selector ends" if word.kind == "end" else f"found {_brief(word.text)}"


def _brief(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def between_without_and(reading: Reading) -> Mistake | None:
    """``a BETWEEN 1 OR 2``, ``a BETWEEN 1, 2``, ``a BETWEEN (1, 2)``, ``a BETWEEN 1``."""
    number = _between_before(reading)
    if number is None:
        return None
    place, first = reading.place, number + 1
    inside = reading.at(first).kind == "open" and reading.opened == first
    lower = reading.operand_after(first + inside)
    if lower is None or not first + inside < lower <= place:
        return None
    start = reading.operand_before(number - (reading.at(number - 1).key == "NOT"))
    tested = reading.shown(start, number) if start is not None else "a"
    bound = reading.shown(first + inside, lower)
    second = place + (reading.at(place).key == "TO" or not reading.begins_operand(place))
    behind = reading.operand_after(second)
    upper = reading.shown(second, behind) if behind is not None else ""
    hint = f"write {tested} BETWEEN {bound} AND {upper or '…'}"
    if reading.dialect.between is BetweenMeaning.ABSENT:
        return None
    shown = reading.at(lower - 1).text
    message = f"expected AND and the upper bound after {_brief(shown)}, {found_at(reading, lower)}"
    return Mistake(message, reading.at(lower).span, hint)


def _between_before(reading: Reading) -> int | None:
    """The BETWEEN before the place whose AND is missing."""
    number = reading.place - 1
    while number >= 0:
        word = reading.at(number)
        if word.key == "BETWEEN":
            return number
        if word.kind == "close":
            number = reading.partners.get(number, 0)
        elif word.key in ("AND", "OR", "NOT", "LIKE", "IN", "IS", "ESCAPE") or word.key in COMPARISONS:
            return None
        number -= 1
    return None


def no_between(reading: Reading) -> Mistake | None:
    """BETWEEN in a dialect that does not have it."""
    if reading.dialect.between is not BetweenMeaning.ABSENT:
        return None
    place = reading.place + (reading.at(reading.place).key == "NOT")
    number = next((at for at in (place, place - 1) if reading.at(at).key == "BETWEEN"), None)
    if number is None:
        return None
    negated = reading.at(number - 1).key == "NOT"
    start = reading.operand_before(number - negated)
    if start is None:
        return None
    name = reading.shown(start, number - negated)
    first = number + 1
    inside = reading.at(first).kind == "open" and reading.operand_after(first + 1) != reading.partners.get(first)
    bounds, _ = reading.members_after(first + inside)
    low, high, *_ = [*bounds, "…", "…"]
    hint = f"write {name} < {low} OR {name} > {high}" if negated else f"write {name} >= {low} AND {name} <= {high}"
    message = f"{reading.dialect.title} has no BETWEEN"
    return Mistake(message, reading.at(number).span, hint)


def not_before_operator(reading: Reading) -> Mistake | None:
    """``a NOT = 5``, ``a NOT IS NULL``, ``a NOT 5``."""
    number = next((at for at in (reading.place, reading.place - 1) if reading.at(at).key == "NOT"), None)
    if number is None or reading.at(number - 1).key == "IS":
        return None
    start = reading.operand_before(number)
    following = reading.at(number + 1)
    if start is None or following.key in ("LIKE", "IN", "BETWEEN"):
        return None
    name = reading.shown(start, number)
    end = reading.operand_after(number + 2)
    other = reading.shown(number + 2, end) if end is not None else "…"
    if following.key == "IS":
        # The end of the test is beyond it or missing.
        hint = f"write {name} IS {'' if reading.at(number + 2).key == 'NOT' else 'NOT '}NULL"
        if reading.at(number + 2).key in ("TRUE", "FALSE"):
            hint = f"write NOT ({name} = {reading.at(number + 2).key})"
    elif following.key in ("<>", "!="):
        hint = f"write {name} = {other}"
    elif following.key in COMPARISONS:
        hint = f"write NOT ({name} {following.key} {other}) or {name} {_OPPOSITE[following.key]} {other}"
    elif following.key in ("==", "==="):
        hint = f"write {name} <> {other}"
    elif reading.begins_operand(number + 1):
        end = reading.operand_after(number + 1)
        hint = f"write {name} <> {reading.shown(number + 1, end)}" if end is not None else "write <>"
    else:
        hint = f"NOT stands before a condition, as in NOT ({name} = …)"
    operators = "LIKE or IN" if reading.dialect.between is BetweenMeaning.ABSENT else "LIKE, IN or BETWEEN"
    message = f"expected {operators} after {reading.at(number).text}, {found_at(reading, number + 1)}"
    return Mistake(message, following.span, hint)


def is_without_null(reading: Reading) -> Mistake | None:
    """``a IS TRUE``, ``a IS 5``, ``a IS NOT IN ('x')``."""
    near = (reading.place, reading.place - 1, reading.place - 2)
    number = next((at for at in near if reading.at(at).key == "IS"), None)
    if number is None:
        return None
    start = reading.operand_before(number)
    negated = reading.at(number + 1).key == "NOT"
    at = number + 1 + negated
    if start is None or at < reading.place:
        return None
    word = reading.at(at)
    if word.key == "NULL":
        return None
    name = reading.shown(start, number)
    expected = "NULL" if negated else "NULL or NOT NULL"
    message = f"expected {expected} after {reading.at(at - 1).text}, {found_at(reading, at)}"
    return Mistake(message, word.span, _instead_of_is(reading, name, at, negated))


def _instead_of_is(reading: Reading, name: str, at: int, negated: bool) -> str:
    word = reading.at(at)
    sign = "<>" if negated else "="
    end = reading.operand_after(at)
    other = reading.shown(at, end) if end is not None else "…"
    test = f"{name} IS {'NOT ' if negated else ''}NULL"
    if word.key in ("TRUE", "FALSE"):
        truth = (word.key == "TRUE") is not negated
        bare = name if truth else f"NOT {name}"
        hint = f"write {name} = {'TRUE' if truth else 'FALSE'} or {bare}"
        return f"{hint}; add OR {name} IS NULL for the messages without it" if negated else hint
    if word.kind == "end":
        return f"write {test}" if negated else f"write {test} or {name} IS NOT NULL"
    if word.key in ("LIKE", "IN", "BETWEEN"):
        return f"write {name} {'NOT ' if negated else ''}{word.key} … without IS"
    if word.key in COMPARISONS:
        end = reading.operand_after(at + 1)
        other = reading.shown(at + 1, end) if end is not None else "…"
        return f"write {name} {_OPPOSITE[word.key] if negated else word.key} {other}"
    if word.kind == "name" and word.key:
        if word.key in ("EQUAL", "EQUALS"):
            at += 2 if reading.at(at + 1).key == "TO" else 1
            end = reading.operand_after(at)
            return f"write {name} {sign} {reading.shown(at, end) if end is not None else '…'}"
        if word.key in _PRESENT:
            return f"write {name} IS {'' if negated else 'NOT '}NULL"
        if word.key in _ABSENT or nearest(word.key, ("NULL",)):
            return f"write {test}"
        return f"IS tests for a missing property only, with IS NULL; write {name} {sign} {other}"
    return f"write {name} {sign} {other}"


def argument_of_like(reading: Reading) -> Mistake | None:
    """``a LIKE date%``, ``a LIKE "x"``, ``a LIKE ('x')``, ``a LIKE NOT 'x'``."""
    number = next((at for at in (reading.place - 1, reading.place - 2) if reading.at(at).key == "LIKE"), None)
    word = reading.at(number + 1) if number is not None else reading.at(0)
    if number is None or word.kind == "string":
        # One that nothing closes has its own message.
        return None
    negated = reading.at(number - 1).key == "NOT"
    start = reading.operand_before(number - negated)
    left = f"{reading.shown(start, number)} LIKE" if start is not None else "LIKE"
    span, at = word.span, number + 1
    if word.kind == "end":
        return Mistake(None, None, f"write {left} 'text%', with % for any characters and _ for one")
    if word.key == "NOT":
        end = reading.operand_after(at + 1)
        name = reading.shown(start, number) if start is not None else "…"
        pattern = reading.shown(at + 1, end) if end is not None else "…"
        return Mistake(None, span, f"write {name} NOT LIKE {pattern}")
    if word.key == "NULL":
        name = reading.shown(start, number - negated) if start is not None else "…"
        return Mistake(None, span, f"write {name} IS {'NOT ' if negated else ''}NULL")
    if word.kind == "open":
        members, _ = reading.members_after(at + 1)
        joined = (" AND " if negated else " OR ").join(f"{left} {member}" for member in members[:5])
        return Mistake(None, span, f"LIKE takes one string without parentheses: write {joined}" if members else None)
    text, behind = _unquoted(reading, at)
    code = _quote_code(word)
    message = mismatch(f"a string literal after {reading.at(number).text}", _brief(reading.raw(at, behind)))
    span = Span(word.start, reading.at(behind - 1).end)
    if code is not None:
        message, span = "text goes into single quotes", Span(word.start, word.start + 1)
    return Mistake(message, span, f"put it into single quotes: {literal(text)}", code)


def _quote_code(word: Word) -> str | None:
    """The code for a wrong quotation mark that the lexer refuses."""
    if word.kind != "quoted":
        return None
    return {"`": "syntax.quote", '"': "syntax.double-quote"}.get(word.text[0], "syntax.unexpected-character")


def _unquoted(reading: Reading, at: int) -> tuple[str, int]:
    """A text without quotes, or in wrong ones, and the number behind its last word."""
    word = reading.at(at)
    if word.kind == "quoted" or (word.kind == "name" and word.text[0] == '"'):
        return word.content, at + 1
    behind = reading.run(at)
    while reading.at(behind).kind in ("name", "number"):
        behind = reading.run(behind)
    return reading.raw(at, behind), behind


def argument_of_escape(reading: Reading) -> Mistake | None:
    """``ESCAPE true``, ``ESCAPE !``, ``ESCAPE "!"``."""
    number = next((at for at in (reading.place - 1, reading.place) if reading.at(at).key == "ESCAPE"), None)
    if number is None:
        return None
    word = reading.at(number + 1)
    if reading.at(number - 1).kind not in ("string", "quoted") or word.kind == "string":
        return None
    content = word.content
    hint = f"write ESCAPE {literal(content)}" if len(content) == 1 else "write for example ESCAPE '!'"
    message = f"ESCAPE takes one character in quotes, {found_at(reading, number + 1)}"
    return Mistake(message, word.span, hint)


def operator_in_parentheses(reading: Reading) -> Mistake | None:
    """``entry (not like '%aa%')``: also with AND and OR inside."""
    for opened in (reading.place, reading.opened):
        if opened is None or reading.at(opened).kind != "open" or reading.at(opened - 1).kind != "name":
            continue
        first = opened + 1 + (reading.at(opened + 1).key == "NOT")
        close = reading.partners.get(opened, len(reading.words) - 1)
        if reading.at(first).key not in TESTS and reading.at(first).key not in COMPARISONS:
            continue
        name = reading.at(opened - 1).text
        parts, at = [name], opened + 1
        for number in range(opened + 1, close):
            joins = reading.at(number).key in ("AND", "OR")
            test = number + 1 + (reading.at(number + 1).key == "NOT")
            if joins and reading.at(test).key in TESTS | COMPARISONS:
                parts += [reading.shown(at, number + 1), name]
                at = number + 1
        hint = f"write {' '.join([*parts, reading.shown(at, close)])}"
        return Mistake("the operator stands before the parenthesis", reading.at(opened).span, hint)
    return None


def operator_without_operand(reading: Reading) -> Mistake | None:
    """``a > 1 AND < 5``, ``LIKE 'x'``, ``= 5``: the left side is missing."""
    place = reading.place
    number = next(
        (
            at
            for at in (place, place + 1, place - 1)
            if reading.at(at).key in TESTS or reading.at(at).key in COMPARISONS
        ),
        None,
    )
    if number is None:
        return None
    before = number - (reading.at(number - 1).key == "NOT")
    joint = reading.at(before - 1)
    if joint.key not in ("AND", "OR") and not (joint.kind in ("end", "open") and before <= place):
        return None
    if reading.at(number).key in TESTS and reading.at(number + 1).key in COMPARISONS:
        # A reserved word as the name of a property.
        return None
    word = reading.at(before) if before >= place else reading.at(number)
    message = f"expected an operand before {_brief(reading.at(number).text)}"
    if joint.key not in ("AND", "OR"):
        operator = reading.at(number).key
        hint = (
            f"the name of a property stands before the operator: {'color' if operator in TESTS else 'a'} {operator} …"
        )
        return Mistake(message, word.span, hint)
    left = _left_side(reading, before - 1)
    end = _end_of_test(reading, number)
    if left is None or reading.at(number - 2 if before != number else number - 1).kind == "end":
        return Mistake(message, word.span, "the name stands before each operator")
    return Mistake(
        message, word.span, f"the name stands before each operator: write {left} {reading.shown(before, end)}"
    )


def _left_side(reading: Reading, joint: int) -> str | None:
    """The operand that the condition before an AND or OR tests."""
    at = joint - 1
    while at >= 0:
        word = reading.at(at)
        if word.kind == "close" and at in reading.partners:
            at = reading.partners[at]
        elif word.key in TESTS or word.key in COMPARISONS:
            at -= reading.at(at - 1).key == "NOT"
            start = reading.operand_before(at)
            return reading.shown(start, at) if start is not None else None
        elif word.key in ("AND", "OR") or word.kind == "open":
            return None
        at -= 1
    return None


def _end_of_test(reading: Reading, number: int) -> int:
    at = number + 1
    if reading.at(number).key == "IS":
        return at + 1 + (reading.at(at).key == "NOT")
    end = reading.operand_after(at)
    if end is None:
        return at
    if reading.at(number).key == "BETWEEN" and reading.at(end).key == "AND":
        return reading.operand_after(end + 1) or end
    return end


def null_as_operand(reading: Reading) -> Mistake | None:
    """``a = NULL``, ``NULL <> a``, where NULL is no operand."""
    if reading.at(reading.place).key != "NULL" or reading.dialect.has(Extension.NULL_LITERAL):
        return None
    place = reading.place
    for sign, number in ((reading.at(place - 1), place - 1), (reading.at(place + 1), place + 1)):
        if sign.key not in COMPARISONS and sign.key not in ("!=", "=="):
            continue
        if number < place:
            start = reading.operand_before(number)
            name = reading.shown(start, number) if start is not None else None
            tested = None if start is None else Span(reading.at(number).start, reading.at(place).end)
        else:
            end, tested = reading.operand_after(number + 1), None
            name = reading.shown(number + 1, end) if end is not None else None
        if sign.key in ("<>", "!="):
            test = "IS NOT NULL"
        elif sign.key in ("=", "=="):
            test = "IS NULL"
        else:
            return Mistake(None, None, "nothing is below or above NULL; write IS NULL or IS NOT NULL")
        fix = None if tested is None else Fix(test, certain=True, span=tested)
        return Mistake(None, None, f"nothing equals NULL; write {name or '…'} {test}", fix=fix)
    if reading.opened is not None and reading.at(reading.opened - 1).key == "IN":
        return Mistake(None, None, "a list has no NULL; write OR … IS NULL behind it")
    return None
