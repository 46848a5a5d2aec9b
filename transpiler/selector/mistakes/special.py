"""Mistakes and corrections that need more than a pattern and a template."""

from __future__ import annotations

import re
from dataclasses import replace

from transpiler.diagnostics import Diagnostic, nearest
from transpiler.selector.dialect_rules import DoubleQuotes, Extension, Identifiers, ListMember
from transpiler.selector.dialects import dialects_with
from transpiler.selector.mistakes.word_patterns import Captured
from transpiler.selector.mistakes.words import COMPARISONS, TESTS, Reading, literal, shortened
from transpiler.selector.parsing import PREFIXES
from transpiler.source import Span
from transpiler.times import iso_time

#: A date and what people write behind it. Nothing of a word or of a text in quotes.
_TIME = re.compile(r"(?<![\w.$'\"-])[12][0-9]{3}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:]+(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?)?")
_NUMBER = re.compile(r"(?P<grouped>[0-9]{1,3}(,[0-9]{3})+)|[0-9]+,[0-9]+")


def unknown_prefix(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``hyphenated_props:`` and its kin in a dialect that has no such prefix, or misspelled."""
    first, colon = reading.at(0), reading.at(1)
    if colon.text[:1] != ":" or reading.place > 1 or first.kind != "name" or first.end != colon.start:
        return None
    text = reading.source.text[first.start : colon.start + 1]
    near = [text] if text in PREFIXES else nearest(text, PREFIXES)
    if not near:
        return None
    names = dialects_with(PREFIXES[near[0]][0])
    have = f"the dialects {names} have it" if " and " in names else f"the dialect {names} has it"
    message, hint = f"{reading.dialect.title} has no prefix {text}", f"remove it; {have}"
    if near[0] != text:
        message, hint = f"there is no prefix {shortened(text)}", f"did you mean {near[0]}? {have}"
    return replace(finding, code="syntax.prefix", message=message, span=Span(first.start, colon.start + 1), hint=hint)


def time_without_quotes(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``2024-08-09`` and ``2024-01-01T00:00:00Z``."""
    start = reading.at(reading.place).start
    for match in _TIME.finditer(reading.source.text, reading.start):
        time = iso_time(match[0])
        if match.start() <= start < match.end() and time is not None:
            before = next((word for word in reversed(reading.words) if word.end <= match.start()), reading.at(-1))
            is_ordered = before.key in COMPARISONS - {"=", "<>"} or before.key in ("BETWEEN", "AND")
            text = "" if is_ordered else f"{literal(match[0])} for text, or "
            hint = f"write {text}{time} for the milliseconds since 1970-01-01 in UTC"
            message, span = "a selector has no literal for a time", Span(*match.span())
            return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint)
    return None


def select_statement(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``SELECT * FROM t WHERE a = 1``."""
    first, second = reading.at(0), reading.at(1)
    if first.key != "SELECT" or not (second.kind == "name" or second.key in ("*", "TRUE")):
        return None
    keys = [word.key for word in reading.words]
    behind = keys.index("WHERE") + 1 if "WHERE" in keys else len(keys) - 1
    hint = f"write the condition alone: {reading.shown(behind, len(keys)) or 'a = 1'}"
    message, span = "a selector has no SELECT, FROM and WHERE", Span(first.start, reading.at(behind - 1).end)
    return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint)


def operator_in_parentheses(taken: Captured) -> str:
    """Return ``entry (not like '%aa%')`` with the name before each operator."""
    reading, name, at = taken.reading, f"{taken['x']}", taken["open"].behind
    close = reading.partners.get(at - 1, len(reading.words) - 1)
    parts: list[str] = []
    for number in range(at, close):
        test = number + 1 + (reading.at(number + 1).key == "NOT")
        if reading.at(number).key in ("AND", "OR") and reading.at(test).key in TESTS | COMPARISONS:
            parts += [name, reading.shown(at, number + 1)]
            at = number + 1
    return f"write {' '.join([*parts, name, reading.shown(at, close)])}"


def number_with_comma(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``1,000`` and ``1,5``."""
    comma = reading.at(reading.place)
    match = _NUMBER.match(reading.source.text, reading.at(reading.place - 1).start)
    if comma.kind != "comma" or match is None or match.end() <= comma.start:
        return None
    if match["grouped"]:
        return replace(finding, hint=f"a number has no comma: write {match[0].replace(',', '')}")
    return replace(finding, hint=f"a number has a point before its decimals: write {match[0].replace(',', '.')}")


def unclosed_parenthesis(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find the parenthesis that is open at the end."""
    if reading.at(reading.place).kind != "end" or reading.opened is None:
        return None
    if reading.at(reading.place - 1).key in COMPARISONS:
        return None
    line, column = reading.source.position(reading.at(reading.opened).start)
    return replace(finding, hint=f"the parenthesis opened at {line}:{column} is never closed")


def closed_without_opening(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find the parenthesis that closes nothing."""
    if reading.at(reading.place).kind != "close" or reading.opened is not None:
        return None
    return replace(finding, hint="no parenthesis is open here; remove it")


def two_comparisons(taken: Captured) -> str:
    """Return the correction of two signs of comparison side by side."""
    first, second = f"{taken['x']}", f"{taken['y']}"
    joined = first + second
    if first == second:
        return f"remove the second {first}"
    return f"write {joined} without a space" if joined in COMPARISONS else f"write one of {first} and {second}"


def whole_list(taken: Captured) -> str:
    """Return a test for one of the members of a list that has no parentheses."""
    reading, first = taken.reading, taken["members"].first
    brackets = reading.at(first).text
    written = [part.strip() for part in brackets.strip("[]").split(",")] if brackets[0] == "[" else None
    members = written or reading.members_after(first)[0]
    several = "; several: IN ('one', 'other')" if len(members) == 1 else ""
    return f"write {_one_of(taken, members)}{several}"


def corrected_list(taken: Captured) -> str:
    """Return a test for one of the members between parentheses, or of those behind a sign."""
    return f"write {_one_of(taken, taken.reading.members_after(taken['members'].first)[0])}"


def _one_of(taken: Captured, written: list[str]) -> str:
    """Return the test for one of some members: a list, or comparisons where the dialect's lists have strings only.

    A name without quotes was meant as text where a list has no names.
    """
    takes_any = taken.reading.dialect.in_member is ListMember.ANY
    members = [literal(member) if member.isidentifier() and not takes_any else member for member in written]
    name, negated = f"{taken['a']}", taken.is_negated or taken.reading.at(taken.anchor).key == "<>"
    if takes_any or all(member[:1] == "'" for member in members):
        return f"{name} {'NOT ' * negated}IN ({', '.join(members)})"
    sign, joint = ("<>", " AND ") if negated else ("=", " OR ")
    return joint.join(f"{name} {sign} {member}" for member in members)


def each_pattern(taken: Captured) -> str:
    """Return one LIKE for each of some patterns."""
    left = "{a} {no}LIKE".format_map(taken)
    patterns = taken.reading.members_after(taken["members"].first)[0][:5]
    joined = (" AND " if taken.is_negated else " OR ").join(f"{left} {pattern}" for pattern in patterns)
    return f"LIKE takes one string without parentheses: write {joined}"


def quote_inside(taken: Captured) -> str:
    """Return the text of a literal that ended at its apostrophe, with the quote written twice."""
    reading, last = taken.reading, taken.underlined.first
    tail = next(word for word in reading.words[last:] if word.kind not in ("name", "number", "keyword"))
    if tail.kind != "string" or tail.is_closed:
        return "join conditions with AND or OR; a quote inside a literal is written twice"
    text = reading.at(last - 1).text[1:-1] + "''" + reading.source.text[reading.at(last).start : tail.start]
    return f"a quote inside a literal is written twice: '{shortened(text)}'"


def as_name(taken: Captured) -> str:
    """Return how the dialect writes the name between wrong quotes."""
    dialect, hyphens, name = taken.reading.dialect, taken.reading.hyphens, shortened(taken["x"].content)
    if name.replace("-" if hyphens else ".", "_").isidentifier():
        hint = f"write the name without quotes: {name}"
    elif hyphens:
        hint = f'leave the prefix out and write "{name}"'
    elif dialect.has(Extension.BRACKETS):
        hint = f"write the name in brackets: [{name}]"
    elif dialect.double_quotes is DoubleQuotes.IDENTIFIER:
        hint = f'write the name in double quotes: "{name}"'
    else:
        dots = " and dots" if dialect.identifiers is not Identifiers.ASCII else ""
        hint = f"the name of a property has letters, digits, _ and ${dots}"
    return hint + f"{taken['elsewhere']}"


def regex_elsewhere(taken: Captured) -> str:
    """Return a test by a regular expression, which one dialect has as a function."""
    regex, other = "REGEX({x:text}, {a})".format_map(taken), dialects_with(Extension.FUNCTIONS)
    return f"did you mean LIKE, with % and _ as wildcards? the dialect {other} has {regex}"


def functions_elsewhere(taken: Captured) -> str:
    """Return which dialect has functions."""
    own = "has no function but UTC()" if taken.reading.dialect.has(Extension.UTC) else "has no functions"
    return f"{taken.reading.dialect.title} {own}; the dialect activemq has REGEX, INLIST, MAKELIST, SPLIT and REPLACE"
