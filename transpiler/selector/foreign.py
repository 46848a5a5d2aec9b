"""Mistakes that come from other languages: operators, quotes, SELECT and WHERE, prefixes of other dialects."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transpiler.diagnostics import Fix, nearest
from transpiler.selector.dialect_rules import BetweenMeaning, DoubleQuotes, Extension, Identifiers
from transpiler.selector.dialects import dialects_with
from transpiler.selector.lexer import OPERATORS
from transpiler.selector.misplaced import Mistake
from transpiler.selector.words import (
    COMPARISONS,
    QUOTES,
    TESTS,
    Reading,
    Word,
    behind_hyphenated_prefix,
    literal,
    shortened,
)
from transpiler.source import Span

#: The prefixes of a whole selector and the construct that a dialect with them has.
PREFIXES: Mapping[str, Extension] = MappingProxyType(
    {
        "convert_string_expressions:": Extension.CONVERT_STRINGS,
        "hyphenated_props:": Extension.HYPHENATED,
        # Artemis takes each prefix back, too; it is the one with hyphens.
        "no_convert_string_expressions:": Extension.HYPHENATED,
        "no_hyphenated_props:": Extension.HYPHENATED,
    }
)

#: Tests of a text in other languages, and the pattern that does it.
_PATTERNS = {
    "CONTAIN": "%{}%",
    "CONTAINS": "%{}%",
    "INCLUDES": "%{}%",
    "HAS": "%{}%",
    "STARTS": "{}%",
    "STARTSWITH": "{}%",
    "STARTING": "{}%",
    "BEGINS": "{}%",
    "BEGINSWITH": "{}%",
    "ENDS": "%{}",
    "ENDSWITH": "%{}",
    "ENDING": "%{}",
}
_CASELESS = frozenset(("ILIKE",))
_REGULAR = frozenset("RLIKE REGEXP REGEX REGEXP_LIKE MATCH MATCHES GLOB SIMILAR".split())
_SIGNS = {
    "EQ": "=",
    "EQUAL": "=",
    "EQUALS": "=",
    "NE": "<>",
    "NEQ": "<>",
    "GT": ">",
    "LT": "<",
    "GE": ">=",
    "GTE": ">=",
    "LE": "<=",
    "LTE": "<=",
    "MOD": "%",
    "DIV": "/",
}
_NULL_TESTS = {"ISNULL": "IS NULL", "NOTNULL": "IS NOT NULL", "EXISTS": "IS NOT NULL"}
_CLAUSES = {"ORDER": "ORDER BY", "GROUP": "GROUP BY", "HAVING": "HAVING", "LIMIT": "LIMIT"}
_OPERATORS = ("LIKE", "IN", "BETWEEN", "IS", "AND", "OR", "NOT")


def select_or_where(reading: Reading) -> Mistake | None:
    """``where a = 1``, ``SELECT * FROM t WHERE a = 1``, ``a = 1 ORDER BY b``."""
    first, second = reading.at(0), reading.at(1)
    if first.key == "SELECT" and (second.kind == "name" or second.key in ("*", "TRUE")):
        where = next((number for number, word in enumerate(reading.words) if word.key == "WHERE"), None)
        behind = len(reading.words) - 1 if where is None else where + 1
        rest = reading.shown(behind, len(reading.words))
        hint = f"write the condition alone: {rest}" if rest else "write the condition alone, as in a = 1"
        span = Span(first.start, reading.at(behind - 1).end)
        return Mistake("a selector has no SELECT, FROM and WHERE", span, hint)
    is_operator = second.kind in ("operator", "end") or second.key in (*TESTS, "AND", "OR")
    if first.key == "WHERE" and not is_operator and (second.key != "NOT" or reading.at(2).key not in TESTS):
        rest = reading.shown(1, len(reading.words))
        return Mistake("a selector has no WHERE", first.span, f"write the condition alone: {rest}")
    word = reading.at(reading.place)
    if word.key in _CLAUSES and reading.ends_operand(reading.place - 1) and reading.place > 2:
        return Mistake(f"a selector has no {_CLAUSES[word.key]}", word.span, "write the condition alone")
    return None


def unknown_prefix(reading: Reading) -> Mistake | None:
    """``hyphenated_props:`` and its kin in a dialect that has no such prefix, or misspelled."""
    start = reading.start
    first, colon = reading.at(0), reading.at(1)
    if colon.text[:1] != ":" or reading.place > 1 or first.kind != "name" or first.end != colon.start:
        return None
    text = reading.source.text[first.start : colon.start + 1]
    near = [text] if text in PREFIXES else nearest(text, PREFIXES)
    if not near:
        return None
    title, names = reading.dialect.title, dialects_with(PREFIXES[near[0]])
    span = Span(start if not reading.source.text[start : first.start].strip() else first.start, colon.start + 1)
    span = Span(first.start, span.end)
    have = f"the dialects {names} have it" if " and " in names else f"the dialect {names} has it"
    if near[0] != text:
        hint = f"did you mean {near[0]}"
        return Mistake(f"there is no prefix {shortened(text)}", span, f"{hint}? {have}", "syntax.prefix")
    return Mistake(f"{title} has no prefix {text}", span, f"remove it; {have}", "syntax.prefix")


def unknown_operator(reading: Reading) -> Mistake | None:
    """``t ilike 'a%'``, ``t CONTAINS 'a'``, ``a equals 5``, ``a = 1 AMD b = 2``."""
    number = reading.place
    if reading.at(number).key == "NOT" and reading.at(number - 1).key != "IS":
        # Where NOT binds tightest the parser stops at it.
        number += 1
    word = reading.at(number)
    if word.kind != "name" or not word.key:
        return None
    negated = reading.at(number - 1).key == "NOT"
    left = number - negated
    start = reading.operand_before(left)
    if start is None:
        return None
    behind_test = (
        reading.at(start - 1).key in (*COMPARISONS, "LIKE", "IN", "ESCAPE") or reading.at(left - 1).key == "NULL"
    )
    if behind_test or reading.at(left - 1).kind == "close":
        mistake = None if negated else _behind_condition(reading, number)
        if mistake is not None or behind_test:
            return mistake
    name = reading.shown(start, left)
    hint = _foreign(reading, name, number, negated) or _misspelled(reading, name, number, negated)
    message = f"there is no such operator: {word.text[:40]}"
    if hint is not None:
        return Mistake(message, word.span, hint)
    if negated:
        return None
    if reading.at(number + 1).kind != "operator" and reading.operand_after(number + 1) is not None:
        between = "" if reading.dialect.between is BetweenMeaning.ABSENT else "BETWEEN, "
        return Mistake(
            message, word.span, f"the operators are =, <>, <, <=, >, >=, LIKE, IN, {between}IS NULL, AND and OR"
        )
    if start == 0 and number == 1 and nearest(reading.at(0).key, ("NOT",)):
        return Mistake(None, None, "did you mean NOT at the beginning?")
    if reading.at(number - 1).kind == "name" and start == number - 1:
        text = literal(reading.raw(start, number + 1))
        return Mistake(None, None, f"join conditions with AND or OR; text goes into single quotes: {text}")
    return Mistake(None, None, "join conditions with AND or OR")


def _behind_condition(reading: Reading, number: int) -> Mistake | None:
    """A name behind a whole comparison: AND or OR misspelled, or the rest of a text without quotes."""
    word, before = reading.at(number), reading.at(number - 1)
    message = f"there is no such operator: {word.text[:40]}"
    following = reading.at(number + 1)
    if word.key == "XOR":
        return Mistake(message, word.span, "join conditions with AND or OR")
    if reading.at(number - 2).key == "LIKE" and following.kind == "string" and nearest(word.key, ("ESCAPE",)):
        return Mistake(message, word.span, f"did you mean ESCAPE? write ESCAPE {following.text[:40]}")
    # A condition behind it: an operand and an operator.
    end = reading.operand_after(number + 1 + (following.key == "NOT"))
    is_joint = end is not None and (reading.at(end).kind == "operator" or reading.at(end).key in (*TESTS, "NOT"))
    near = nearest(word.key, ("AND", "OR")) if is_joint or following.kind == "open" else []
    if near and word.key not in ("FOR",):
        return Mistake(message, word.span, f"did you mean {near[0]}?")
    if before.kind != "name" or not before.key:
        return None
    first, end = number - 1, number
    while reading.at(first - 1).kind in ("name", "number"):
        first -= 1
    while reading.at(end).kind in ("name", "number"):
        end += 1
    if reading.at(end).kind in ("operator", "open") or reading.at(end).key in TESTS:
        # The last one is the name of the next condition.
        end = max(end - 1, number)
    if end == number:
        return Mistake(None, None, "join conditions with AND or OR")
    return Mistake(None, None, f"text goes into single quotes: {literal(reading.raw(first, end))}")


def _foreign(reading: Reading, name: str, number: int, negated: bool) -> str | None:
    """Return the hint for an operator of another language."""
    word = reading.at(number)
    no = "NOT " if negated else ""
    if word.key in _NULL_TESTS and not reading.begins_operand(number + 1):
        return f"write {name} {_NULL_TESTS[word.key]}"
    if word.key in _SIGNS and reading.at(number + 1).kind != "end":
        at = number + 1 + (reading.at(number + 1).key == "TO")
        end = reading.operand_after(at)
        other = reading.shown(at, end) if end is not None else "…"
        condition = f"{name} {_SIGNS[word.key]} {other}"
        return f"write NOT ({condition})" if negated else f"write {condition}"
    if word.key in _CASELESS and (end := reading.operand_after(number + 1)) is not None:
        return f"did you mean LIKE? write {name} {no}LIKE {reading.shown(number + 1, end)}; case counts"
    at = number + 1 + (reading.at(number + 1).key in ("WITH", "TO"))
    argument = reading.at(at)
    if argument.kind == "open":
        argument = reading.at(at + 1)
    text = argument.content if argument.kind in ("string", "quoted", "name", "number") else "text"
    if word.key in _PATTERNS:
        return f"did you mean LIKE? write {name} {no}LIKE {literal(_PATTERNS[word.key].format(text))}"
    if word.key in _REGULAR:
        regex = f"REGEX({literal(text)}, {name})"
        if reading.dialect.has(Extension.FUNCTIONS):
            return f"did you mean LIKE, with % and _ as wildcards? or write {no}{regex}"
        other = dialects_with(Extension.FUNCTIONS)
        return f"did you mean LIKE, with % and _ as wildcards? the dialect {other} has {regex}"
    return None


def _misspelled(reading: Reading, name: str, number: int, negated: bool) -> str | None:
    """Return the hint for a name that looks like a misspelled operator and fits the words behind it."""
    word, following = reading.at(number), reading.at(number + 1)
    end = reading.operand_after(number + 1)
    fitting: list[str] = []
    if following.kind in ("string", "quoted"):
        fitting = ["LIKE"]
    elif following.key in ("NULL", "NOT") and not negated:
        fitting = ["IS"]
    if following.kind == "open":
        fitting.append("IN")
    if end is not None and reading.at(end).key == "AND":
        fitting.append("BETWEEN")
    if following.key in ("LIKE", "IN", "BETWEEN") and not negated:
        fitting.append("NOT")
    if end is not None and not fitting and not negated and reading.at(end).kind != "end":
        fitting = ["AND", "OR"]
    if end is not None and not negated and "AND" not in fitting:
        fitting += ["LIKE", "BETWEEN"] if following.kind in ("name", "number", "string", "quoted") else []
    near = nearest(word.key, [operator for operator in _OPERATORS if operator in fitting])
    if not near:
        return None
    if near[0] == "BETWEEN" and reading.dialect.between is BetweenMeaning.ABSENT:
        return f"{reading.dialect.title} has no BETWEEN; write {name} >= … AND {name} <= …"
    if end is None or near[0] not in ("LIKE", "IN"):
        return f"did you mean {near[0]}?"
    corrected = reading.shown(number + 1, end)
    return f"did you mean {near[0]}? write {name} {'NOT ' if negated else ''}{near[0]} {corrected}"


def wrong_quotes(reading: Reading) -> Mistake | None:
    """Backticks, double quotes and typographic quotes around a text or a name."""
    word = reading.at(reading.place)
    if word.kind != "quoted":
        return _unclosed(reading)
    span = Span(word.start, word.start + 1)
    kind = {"`": "backtick", '"': "double quote"}.get(word.text[0])
    code = {"`": "syntax.quote", '"': "syntax.double-quote"}.get(word.text[0], "syntax.unexpected-character")
    begins = (
        f"a {kind} begins nothing in {reading.dialect.title}" if kind else f"{word.text[0]} cannot be part of a name"
    )
    before, behind = reading.at(reading.place - 1), reading.at(reading.place + 1)
    elsewhere = ""
    if behind_hyphenated_prefix(reading):
        begins = f"a {kind} begins nothing behind hyphenated_props:" if kind else begins
    elif word.text[0] == '"':
        elsewhere = '; artemis, qpid-java and qpid-cpp take "…" as a name, rabbitmq as a string'
    if before.end == word.start and before.kind in ("name", "number") and not word.is_closed:
        text = shortened(before.text)
        return Mistake("text goes into single quotes", span, f"write {literal(text)}", code)
    is_name = before.kind in ("end", "open") or before.key in ("AND", "OR", "NOT")
    is_tested = behind.kind == "operator" or behind.key in (*TESTS, "NOT", "AND", "OR")
    listed = reading.opened is not None and reading.at(reading.opened - 1).key == "IN"
    if is_name and not listed and (is_tested or not before.key or behind.kind == "end") and word.content:
        return Mistake(begins, span, _as_name(reading, word.content) + elsewhere, code)
    if not word.is_closed:
        text = word.content.strip()
        hint = f"write {literal(text)}" if text and " " not in text else "write ' at both ends"
        return Mistake("text goes into single quotes", span, shortened(hint) + elsewhere, code)
    hint = f"write {literal(shortened(word.content))}{elsewhere}"
    if word.text[0] == '"':
        hint = f"text goes into single quotes: {literal(shortened(word.content))}{elsewhere}"
    message = "text goes into single quotes" if kind != "double quote" else begins
    # Beside a backtick or a double quote some dialects have names.
    fix = Fix(literal(word.content), certain=kind is None, span=Span(word.start, word.end))
    return Mistake(message, span, hint, code, fix)


def _as_name(reading: Reading, name: str) -> str:
    name = shortened(name)
    hyphens = behind_hyphenated_prefix(reading)
    if name.replace("-" if hyphens else ".", "_").isidentifier():
        return f"write the name without quotes: {name}"
    if hyphens:
        return f'leave the prefix out and write "{name}"'
    if reading.dialect.has(Extension.BRACKETS):
        return f"write the name in brackets: [{name}]"
    if reading.dialect.double_quotes is DoubleQuotes.IDENTIFIER:
        return f'write the name in double quotes: "{name}"'
    return "the name of a property has letters, digits, _ and $" + (
        " and dots" if reading.dialect.identifiers is not Identifiers.ASCII else ""
    )


def _unclosed(reading: Reading) -> Mistake | None:
    """A quotation mark that nothing closes."""
    word, before = reading.at(reading.place), reading.at(reading.place - 1)
    if word.text[:1] == '"' and not word.is_closed:
        what = "string literal" if word.kind == "string" else "name"
        span = Span(word.start, word.end)
        return Mistake(f"this {what} is never closed", span, "close it with a double quote", "syntax.double-quote")
    if word.text[:1] != "'" or word.is_closed:
        return None
    code = "syntax.unterminated-string"
    if before.end == word.start and before.kind in ("name", "number"):
        # x' for 'x', unless the text before has a quote too many.
        if reading.at(reading.place - 2).kind == "string" and reading.at(reading.place - 2).end == before.start:
            return _quote_inside(reading, reading.place - 1)
        return Mistake(None, None, f"text goes into single quotes: {literal(before.text)}", code)
    if word.text[-1] in QUOTES and len(word.text) > 1:
        hint = f"close it with a straight quote: {literal(shortened(word.text[1:-1]))}"
        return Mistake(None, None, hint, code)
    return None


def quote_in_literal(reading: Reading) -> Mistake | None:
    """``'it's'``: the literal ends at its quote."""
    word, before = reading.at(reading.place), reading.at(reading.place - 1)
    if before.kind == "string" and before.end == word.start and word.kind in ("name", "number", "keyword"):
        return _quote_inside(reading, reading.place)
    return None


def _quote_inside(reading: Reading, number: int) -> Mistake:
    """Return the hint for the words adjacent to the end of a literal."""
    first, last = reading.at(number - 1), reading.at(number)
    behind = number + 1
    while reading.at(behind).kind in ("name", "number", "keyword"):
        behind += 1
    tail = reading.at(behind)
    if tail.kind == "string" and not tail.is_closed:
        text = first.text[1:-1] + "''" + reading.source.text[last.start : tail.start]
        return Mistake(None, None, f"a quote inside a literal is written twice: '{shortened(text)}'")
    return Mistake(None, None, "join conditions with AND or OR; a quote inside a literal is written twice")


def foreign_sign(reading: Reading) -> Mistake | None:
    """``!a``, ``a | b``, ``a !> 1``, ``a =~ 'x'``, ``a === 1``: signs of other languages."""
    word = reading.at(reading.place)
    if word.kind != "operator" or word.key in COMPARISONS:
        return None
    mistake = _foreign_sign(reading, word)
    if mistake is None or mistake.fix is not None or word.key not in OPERATORS:
        return mistake
    return mistake._replace(fix=Fix(OPERATORS[word.key], certain=True, span=word.span))


def _foreign_sign(reading: Reading, word: Word) -> Mistake | None:
    place = reading.place
    end = reading.operand_after(place + 1)
    other = reading.shown(place + 1, end) if end is not None else "…"
    start = reading.operand_before(place)
    name = reading.shown(start, place) if start is not None else "…"
    title = reading.dialect.title
    match word.key:
        case "||" if (before := reading.at(place - 1)).kind == "string" and (
            after := reading.at(place + 1)
        ).kind == "string":
            text = literal(before.content + after.content)
            message, fix = f"{title} has no operator that joins texts", Fix(text, span=Span(before.start, after.end))
            return Mistake(message, word.span, f"write {shortened(text)}", "syntax.operator", fix)
        case "|" | "&":
            joint = "OR" if word.key == "|" else "AND"
            return Mistake(f"{title} writes {word.key} as {joint}", word.span, f"write {joint}", "syntax.operator")
        case "!" if start is None and end is not None:
            return Mistake(None, None, f"write NOT {other}")
        case "!" if reading.at(place + 1).key in ("LIKE", "IN", "BETWEEN"):
            return Mistake(None, None, f"write NOT {reading.at(place + 1).key}")
        case "!" if reading.at(place + 1).key == "=":
            fix = Fix("<>", certain=True, span=Span(word.start, reading.at(place + 1).end))
            return Mistake(None, None, "write <>", fix=fix)
        case "=!":
            return Mistake(
                f"{title} writes 'not equal' as <>", word.span, f"write {name} <> {other}", "syntax.operator"
            )
        case "!>" | "!<":
            sign = "<=" if word.key == "!>" else ">="
            return Mistake(
                f"there is no operator {word.key}", word.span, f"write {name} {sign} {other}", "syntax.operator"
            )
        case "~" | "=~" | "!~" | "~=" | "~~" | "~*" | "!~*" | "!~~" | "~~*" | "!~~*":
            no = "NOT " if word.key[0] == "!" else ""
            pattern = other if other[:1] == "'" else literal(other)
            case = "; case counts" if word.key[-1] == "*" else ""
            hint = f"did you mean LIKE? write {name} {no}LIKE {pattern}{case}"
            return Mistake(f"there is no operator {word.key}", word.span, hint, "syntax.operator")
        case "==" | "===" | ":=":
            return Mistake("an equality is written with one =", word.span, f"write {name} = {other}", "syntax.operator")
        case "!==":
            return Mistake(
                f"{title} writes 'not equal' as <>", word.span, f"write {name} <> {other}", "syntax.operator"
            )
        case "≤" | "≥" | "≠":
            sign = {"≤": "<=", "≥": ">=", "≠": "<>"}[word.key]
            message = f"{word.key} cannot be part of a name"
            return Mistake(message, word.span, f"write {sign}", "syntax.unexpected-character")
        case _:
            return None
