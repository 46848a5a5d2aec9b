"""Rules for mistakes in texts copied from elsewhere: URLs, options, JSON policies, code, other query languages.

Each rule accepts the words around the error and the parser's diagnostic, and returns a better diagnostic or None.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.source import Span
from transpiler.base.times import iso_time
from transpiler.language.selector.dialect_rules import Identifiers
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.mistakes.word_patterns import as_pattern
from transpiler.language.selector.mistakes.words import COMPARISONS, Reading, both_ends

_TEST = r"(?:[=<>!]|(?:NOT\s+)?(?:LIKE|IN|IS|BETWEEN)\b)"
#: Matches a percent-encoded character that occurs in conditions, such as ``%3D`` for =.
_ENCODED = re.compile(r"%(?:2[0-9A-Ca-c]|3[C-Ec-e])")
_OPTION = re.compile(
    rf"\s*[?&-]*(?:jms\.?|message|msg)?-?(?:selector|filter|filterExpression)\s*[=:]\s*(?=[\"'“]?\s*[\w.$]+\s*{_TEST})",
    re.IGNORECASE,
)
_QUOTED = re.compile(rf"\s*([\"“”])(\s*\(*[\w.$]+\s*{_TEST}.*)[\"“”]\s*", re.IGNORECASE | re.DOTALL)
#: Matches a quoted literal that contains an escaped quote, as in ``'it\'s'``: after the backslash and the quote, the
#: text continues without white space.
_BACKSLASHED = re.compile(r"(['\"])((?:(?!\1)[^\\]|\\(?!\1).)*\\\1(?=\S)(?:(?!\1)[^\\]|\\.)*)\1", re.DOTALL)
_SLASHED = re.compile(r"(?:(!)?=?~|\b(?:(NOT)\s+)?LIKE)\s*/((?:[^/\\\r\n]|\\.)*)/(\w*)", re.IGNORECASE)
_PROPERTY_OF = re.compile(
    r"(?:(?<![\w.$])(?:\w+\.)?(?:headers?|(?:application_?)?propert(?:y|ies)|attributes?)\[\s*[\"']([\w.$]+)[\"']\s*\]"
    r"|(?:\w+\.)?(?:get\w*(?:Property|Header)|property|p|(?:headers?|propert(?:y|ies))\.get)\(\s*[\"']([\w.$]+)[\"']\s*\)"
    rf"|[$#]\{{(?:\w+\.)?(?:headers?|propert(?:y|ies))?\.?([\w$]+)\}})(?=\s*{_TEST})",
    re.IGNORECASE,
)
_TYPED = re.compile(
    r"(?:(?:DATE|DATETIME|TIME|TIMESTAMP|TIMESTAMPTZ)\s*|(?:TO_)?(?:DATE|TIMESTAMP)\(\s*)'([^']*)'(\s*\))?", re.I
)
_CLOCK = re.compile(r"(?:NOW|SYSDATE|GETDATE|CURRENT_(?:DATE|TIMESTAMP))\s*\(\s*\)", re.IGNORECASE)


def _improved(
    finding: Diagnostic, message: str, hint: str, span: Span, text: str, under: Span | None = None
) -> Diagnostic:
    fix = Fix(text, span=span)
    return replace(finding, code="syntax.unexpected-token", message=message, span=under or span, hint=hint, fix=fix)


def _position(reading: Reading, finding: Diagnostic) -> int:
    return finding.span.start if finding.span is not None else len(reading.source.text)


def _around(pattern: re.Pattern[str], reading: Reading, index: int) -> re.Match[str] | None:
    """Return the first match of ``pattern`` that contains the offset ``index``; None without a match.

    The match must begin at most 200 characters before ``index``, which limits the search.
    """
    text = reading.source.text
    for match in pattern.finditer(text, max(reading.start, index - 200), index + 1_000):
        if match.start() <= index < match.end():
            return match
    return None


def encoded_for_url(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain percent-encoding in a selector that was copied from a URL, such as ``color%3D'red'``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    text, position = reading.source.text, _position(reading, finding)
    found = _around(_ENCODED, reading, position)
    if found is None:
        return None
    written = unquote(text)
    message = f"{found[0]} is the URL encoding of {unquote(found[0])!r}"
    hint = f"write the characters themselves: {both_ends(written)}"
    return _improved(finding, message, hint, Span(0, len(text)), written, Span(*found.span()))


def option_before(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain the name of a configuration option before the selector, as in ``selector=color = 'red'``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    match = _OPTION.match(reading.source.text)
    if match is None or _position(reading, finding) < match.start():
        return None
    text = reading.source.text
    quoted = _QUOTED.fullmatch(text, match.end())
    rest = text[match.end() :] if quoted is None else quoted[2]
    message = "a selector is only the condition, without the name of the option that contains the selector"
    hint, whole = f"write the condition alone: {both_ends(rest)}", Span(0, len(text))
    return _improved(finding, message, hint, whole, rest, Span(*match.span()))


def quoted_whole(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain double quotes around a whole selector: ``"color = 'red'"``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    match = _QUOTED.fullmatch(reading.source.text)
    if match is None or '"' in match[2]:
        return None
    message = "a selector has no quotes around the whole condition; only the language around the selector may need them"
    span = Span(match.start(1), match.start(1) + 1)
    hint = f"write the condition without the quotes: {both_ends(match[2])}"
    return _improved(finding, message, hint, Span(0, len(reading.source.text)), match[2], span)


def backslashed_quote(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    r"""Explain ``'it\'s'`` and ``"it\"s"``, where the literal ends at the quote after the backslash.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    match = _around(_BACKSLASHED, reading, _position(reading, finding))
    if match is None:
        return None
    written = string_literal(re.sub(r"\\(.)", r"\1", match[2], flags=re.DOTALL))
    advice = "a quote inside a literal is written twice" if match[1] == "'" else "text goes into single quotes"
    message = "a backslash does not escape a quote"
    return _improved(finding, message, f"{advice}: {written}", Span(*match.span()), written)


def slashed_regex(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a regular expression between slashes, as in ``color =~ /re.*/``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    match = _around(_SLASHED, reading, _position(reading, finding))
    if match is None:
        return None
    message, pattern = "a selector cannot contain a regular expression between slashes", as_pattern(match[3])
    if pattern is None or match[4]:
        hint = "perhaps use LIKE, with % for any text and _ for one character; LIKE is case-sensitive"
        return replace(finding, message=message, span=Span(*match.span()), hint=hint, fix=None)
    written = f"{'NOT ' * bool(match[1] or match[2])}LIKE {string_literal(pattern)}"
    return _improved(finding, message, f"did you mean LIKE? write {written}", Span(*match.span()), written)


def name_in_code(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a property in the notation of Spring or Camel: ``headers['type']``, ``${header.type}``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    match = _around(_PROPERTY_OF, reading, _position(reading, finding))
    if match is None:
        return None
    name = match[1] or match[2] or match[3]
    message = "a selector contains the plain name of a property"
    if "." in name and reading.dialect.identifiers is Identifiers.ASCII:
        hint = f"names in {reading.dialect.title} cannot contain dots, so it cannot test {name}"
        span = Span(*match.span())
        return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint, fix=None)
    return _improved(finding, message, f"write the name alone: {name}", Span(*match.span()), name)


def typed_time(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a time in SQL: ``DATE '2024-01-31'``, ``to_date('2024-01-31')`` or ``now()``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    position = _position(reading, finding)
    clock = _around(_CLOCK, reading, position)
    if clock is not None:
        message = f"a selector cannot read the clock, so it has no {both_ends(clock[0])}"
        hint = "perhaps insert the current time as a number of milliseconds since 1970-01-01 in UTC"
        return replace(finding, message=message, span=Span(*clock.span()), hint=hint, fix=None)
    match = _around(_TYPED, reading, position)
    time = None if match is None else iso_time(match[1])
    if match is None or time is None:
        return None
    before = next((word for word in reversed(reading.words) if word.end <= match.start()), reading.at(-1))
    is_ordered = before.key in COMPARISONS - {"=", "<>"} or before.key in ("BETWEEN", "AND")
    written = str(time) if is_ordered else string_literal(match[1])
    text_or = "" if is_ordered else f"{written} for a string, or "
    hint = f"write {text_or}{time} for the milliseconds since 1970-01-01 in UTC"
    return _improved(finding, "a selector has no literal for a time", hint, Span(*match.span()), written)


def filter_policy(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a filter policy of Amazon SNS or an EventBridge pattern: JSON such as ``{"color": ["red"]}``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    text = reading.source.text
    if not text.lstrip().startswith("{") or len(text) > 10_000:
        return None
    try:
        policy = json.loads(text)
        terms = [_of_policy(name, values) for name, values in policy.items()]
    except (ValueError, TypeError, AttributeError, RecursionError, KeyError, IndexError):
        return None
    if not terms:
        return None
    written = " AND ".join(f"({term})" if " OR " in term and len(terms) > 1 else term for term in terms)
    message, whole = "a filter policy is not a selector", Span(0, len(text))
    return _improved(finding, message, f"write the filter policy as a condition: {both_ends(written)}", whole, written)


def _of_policy(name: str, values: Any) -> str:
    """Translate one member of a filter policy, a name with its allowed ``values``, to a condition.

    Raises ``ValueError`` if a selector cannot express the member.
    """
    if not name.replace("-", "_").isidentifier() or isinstance(values, dict):
        raise ValueError(name)
    listed = values if isinstance(values, list) else [values]
    if len(listed) > 1 and all(isinstance(value, str) for value in listed):
        return f"{name} IN ({', '.join(map(string_literal, listed))})"
    return " OR ".join(_of_value(name, value) for value in listed)


def _of_value(name: str, value: Any) -> str:
    match value:
        case bool():
            return f"{name} = {str(value).upper()}"
        case int() | float():
            return f"{name} = {value}"
        case str():
            return f"{name} = {string_literal(value)}"
        case None:
            return f"{name} IS NULL"
        case {"prefix": str() as text}:
            return f"{name} LIKE {string_literal(f'{text}%')}"
        case {"suffix": str() as text}:
            return f"{name} LIKE {string_literal(f'%{text}')}"
        case {"exists": bool() as exists}:
            return f"{name} IS {'NOT ' * exists}NULL"
        case {"anything-but": str() as text}:
            return f"{name} <> {string_literal(text)}"
        case {"anything-but": [*texts]}:
            return f"{name} NOT IN ({', '.join(map(string_literal, texts))})"
        case {"numeric": [str() as sign, int() | float() as number]}:
            return f"{name} {sign} {number}"
        case {"numeric": [str() as sign, int() | float() as number, str() as other, int() | float() as last]}:
            return f"{name} {sign} {number} AND {name} {other} {last}"
    raise ValueError(name)
