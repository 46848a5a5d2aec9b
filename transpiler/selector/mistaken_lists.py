"""Mistakes with commas and lists: IN without parentheses, without commas or without members, and commas elsewhere."""

from __future__ import annotations

import re

from transpiler.selector.dialect_rules import ListMember
from transpiler.selector.misplaced import Mistake, found_at
from transpiler.selector.words import COMPARISONS, Reading, literal
from transpiler.source import Span

_DECIMAL = re.compile(r"[0-9]+,[0-9]+")
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")


def list_without_parentheses(reading: Reading) -> Mistake | None:
    """``a IN 'b'``, ``a IN b, c``, ``a IN ['b']``."""
    number = reading.place - 1
    word = reading.at(reading.place)
    if reading.at(number).key != "IN" or word.kind == "open":
        return None
    name, test = _left_of_in(reading, number)
    example = f"{name} {test} ('one', 'other')"
    if word.kind == "end":
        return Mistake(None, None, f"write {example}")
    members: list[str] = []
    if word.text[0] in "[{":
        span = word.span
        if word.kind == "other":
            members, _ = reading.members_after(reading.place + 1)
        else:
            members = _members(reading, [part.strip() for part in word.text.strip("[]").split(",")])
    else:
        span = word.span
        members = _members(reading, reading.members_after(reading.place)[0])
    hint = f"write {example}"
    if members:
        several = "; several: IN ('one', 'other')" if len(members) == 1 else ""
        hint = f"write {_one_of(reading, name, test, members)}{several}"
    message = f"expected a list in parentheses after {reading.at(number).text}, {found_at(reading, reading.place)}"
    return Mistake(message, span, hint)


def _left_of_in(reading: Reading, number: int) -> tuple[str, str]:
    """Return the operand of an IN as text, and IN or NOT IN."""
    left = number - (reading.at(number - 1).key == "NOT")
    start = reading.operand_before(left)
    name = reading.shown(start, left) if start is not None else "…"
    return name, "IN" if left == number else "NOT IN"


def _one_of(reading: Reading, name: str, test: str, members: list[str]) -> str:
    """Return the test for one of some members: a list, or comparisons where the dialect's lists have strings only."""
    if reading.dialect.in_member is ListMember.ANY or all(member[:1] == "'" for member in members):
        return f"{name} {test} ({', '.join(members)})"
    sign, joint = ("=", " OR ") if test == "IN" else ("<>", " AND ")
    return joint.join(f"{name} {sign} {member}" for member in members)


def _members(reading: Reading, members: list[str]) -> list[str]:
    """Members as they should be: a name without quotes was meant as text where a list has no names."""
    if reading.dialect.in_member is ListMember.ANY:
        return members
    return [literal(member) if member.isidentifier() else member for member in members]


def member_of_list(reading: Reading) -> Mistake | None:
    """``a IN ('b' 'c')``, ``a IN ()``, ``a IN ('b',)``, ``a IN ('b'; 'c')``."""
    opened = reading.opened
    if opened is None or reading.at(opened - 1).key != "IN":
        return None
    place, word = reading.place, reading.at(reading.place)
    before = reading.at(place - 1)
    name, test = _left_of_in(reading, opened - 1)
    anything = reading.dialect.in_member is ListMember.ANY
    members = _members(reading, reading.members_after(opened + 1)[0])
    corrected = f"write {_one_of(reading, name, test, members)}"
    if before.kind == "open" and word.kind in ("close", "end", "comma") and not members:
        least = "a list has at least one value" if anything else "a list has at least one string"
        return Mistake(least, word.span, f"write {name} {test} ('one', 'other')")
    if before.kind in ("comma", "open") and word.kind in ("close", "comma"):
        message = f"a comma stands between two members, {found_at(reading, place)} after {before.text}"
        return Mistake(message, word.span, corrected)
    # A word that is begun by the character after it: a quote inside a literal.
    if before.kind == "string" and word.start == before.end and word.kind in ("name", "keyword"):
        return None
    if not reading.ends_operand(place - 1):
        return None
    if word.kind == "name" and before.kind == "name" and not anything:
        end = place
        while reading.at(end).kind in ("name", "number"):
            end += 1
        start = place - 1
        while reading.at(start - 1).kind in ("name", "number"):
            start -= 1
        return Mistake(None, None, f"text goes into single quotes: {literal(reading.raw(start, end))}")
    if word.kind in ("string", "name", "number", "quoted") or word.key in ("TRUE", "FALSE"):
        message = f"a comma is missing after {before.text[:40]}, {found_at(reading, place)}"
        return Mistake(message, word.span, corrected)
    if word.text in (";", "|", "||") or word.key in ("OR", "AND"):
        message = f"expected a comma or a closing parenthesis after {before.text[:40]}, {found_at(reading, place)}"
        return Mistake(message, word.span, f"a list is separated by commas: {corrected}")
    return None


def misplaced_comma(reading: Reading) -> Mistake | None:
    """A comma outside a list: ``a = 'b', 'c'``, ``a = 1, b = 2``, ``a = ('b', 'c')``, ``a = 1,000``."""
    place = reading.place
    if reading.at(place).kind != "comma":
        return None
    behind = reading.at(place + 1)
    if behind.kind == "end":
        return Mistake(None, None, "remove the comma")
    first = reading.at(place - 1)
    if first.kind == behind.kind == "number" and first.end + 1 == behind.start:
        end = place + 2
        while reading.at(end).kind == "comma" and reading.at(end + 1).kind == "number":
            end += 2
        text = reading.raw(place - 1, end)
        if _GROUPED.fullmatch(text):
            return Mistake(None, None, f"a number has no comma: write {text.replace(',', '')}")
        if end == place + 2 and _DECIMAL.fullmatch(text):
            return Mistake(None, None, f"a number has a point before its decimals: write {text.replace(',', '.')}")
    opened = reading.opened
    inside = opened is not None and reading.at(opened - 1).key in COMPARISONS
    start = reading.operand_before(place)
    sign = opened - 1 if inside and opened is not None else (start - 1 if start is not None else -1)
    if reading.at(sign).key in ("=", "<>"):
        members, end = reading.members_after(sign + 2 if inside else sign + 1)
        left = reading.operand_before(sign)
        # With an operator behind the last it is the next condition.
        if left is not None and reading.at(end).key not in COMPARISONS and len(members) > 1:
            test = "IN" if reading.at(sign).key == "=" else "NOT IN"
            hint = f"write {_one_of(reading, reading.shown(left, sign), test, members)}"
            return Mistake(None, Span(reading.at(place).start, reading.at(place).end), hint)
    return Mistake(None, None, "join conditions with AND or OR")
