"""Corrections of functions, methods and casts of other languages to the equivalent operators of selectors.

``operator_for`` translates the text of one call; ``call`` finds the call around the position of an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.source import Span
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.mistakes.word_patterns import as_pattern
from transpiler.language.selector.mistakes.words import Reading

_TEXT = r"'(?:[^']|'')*'|\"[^\"]*\""
#: Functions that test a text, by name in upper case without underscores. Each value is a function: it accepts the text
#: argument, and returns the operator and right operand of an equivalent condition, or None.
_TESTS: dict[str, Callable[[str], str | None]] = {
    **dict.fromkeys(("PREFIX", "STARTSWITH", "BEGINSWITH"), lambda text: f"LIKE {string_literal(f'{text}%')}"),
    **dict.fromkeys(("SUFFIX", "ENDSWITH"), lambda text: f"LIKE {string_literal(f'%{text}')}"),
    **dict.fromkeys(("CONTAINS", "INCLUDES"), lambda text: f"LIKE {string_literal(f'%{text}%')}"),
    **dict.fromkeys(("EQUALS", "EQ"), lambda text: f"= {string_literal(text)}"),
    **dict.fromkeys(
        ("REGEXPLIKE", "REGEXLIKE", "REGEXP", "REGEXMATCH", "RLIKE", "MATCH", "MATCHES"),
        lambda text: None if (pattern := as_pattern(text)) is None else f"LIKE {string_literal(pattern)}",
    ),
}
_MISSING = frozenset(("ISNULL", "EMPTY", "ISEMPTY"))
_PRESENT = r"EXISTS?|HAS|HASPROPERTY|DEFINED|IS_?NOT_?NULL|IS_?NULL|(?:IS_?)?EMPTY"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:\b(?P<no>NOT)\s+)?\b(?P<present>{_PRESENT})\s*\(\s*(?P<of>[\w.$]+)\s*\)",
        rf"(?:has_?)?(?P<test>\w+)\s*\(\s*(?P<name>[\w.$]+)\s*,\s*(?P<text>{_TEXT})\s*\)",
        rf"(?<![\w.$])(?P<name>[\w.$]+)\.(?P<test>\w+)\(\s*(?P<text>{_TEXT})\s*\)",
        rf"(?P<text>{_TEXT})\.(?P<test>equals)\(\s*(?P<name>[\w.$]+)\s*\)",
        r"\b(?:CAST|TRY_CAST|CONVERT)\s*\(\s*(?P<cast>[\w.$]+)\s+AS\s+\w+\s*\)",
        r"(?<![\w.$])(?P<cast>[\w.$]+)::\w+",
    )
)
_IN_ONE_CASE = re.compile(
    r"\b(?:LOWER|UPPER|[LU]CASE|TO_?(?:LOWER|UPPER)(?:CASE)?)\s*\(\s*(?P<name>[\w.$]+)\s*\)"
    r"|(?<![\w.$])(?P<of>[\w.$]+)\.to(?:Lower|Upper)(?:Case)?\(\s*\)",
    re.IGNORECASE,
)
_EQUAL_TO = re.compile(rf"\s*={{1,3}}\s*({_TEXT})")


def operator_for(call: str) -> tuple[str, str] | None:
    """Translate a function call that selectors lack; return the error message and the equivalent condition.

    For example, ``startsWith(color, 'b')`` becomes ``color LIKE 'b%'``. Return None if no rule matches ``call``.
    """
    for form in _FORMS:
        match = form.fullmatch(call)
        if match is not None and (found := _written(match)) is not None:
            return found
    return None


def call(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain a function call that selectors write as an operator: ``NOT EXISTS(a)``, ``CAST(a AS INT)``.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    text, position = reading.source.text, finding.span.start if finding.span is not None else len(reading.source.text)
    for form in _FORMS:
        for match in form.finditer(text, max(reading.start, position - 200), position + 1_000):
            found = _written(match) if match.start() <= position < match.end() else None
            if found is not None:
                span, fix = Span(*match.span()), Fix(found[1], span=Span(*match.span()))
                code, hint = "syntax.unexpected-token", f"write {found[1]}"
                return replace(finding, code=code, message=found[0], span=span, hint=hint, fix=fix)
    return None


def call_for_case(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Explain ``lower(color) = 'red'``, which has no equivalent operator in selectors.

    Return a better diagnostic than ``finding``, or None for another mistake.
    """
    text, position = reading.source.text, finding.span.start if finding.span is not None else len(reading.source.text)
    for match in _IN_ONE_CASE.finditer(text, max(reading.start, position - 200), position + 1_000):
        if match.start() <= position < match.end():
            compared, hint = _EQUAL_TO.match(text, match.end()), "case counts in a selector; perhaps list the spellings"
            if compared is not None:
                word = compared[1][1:-1].replace("''", "'")
                spellings = dict.fromkeys((word.lower(), word.upper(), word.capitalize()))
                hint += f": {match['name'] or match['of']} IN ({', '.join(map(string_literal, spellings))})"
            message = f"{reading.dialect.title} has no function for the case of a text"
            code, span = "syntax.unexpected-token", Span(*match.span())
            return replace(finding, code=code, message=message, span=span, hint=hint, fix=None)
    return None


def _written(match: re.Match[str]) -> tuple[str, str] | None:
    """Return the error message and the equivalent condition for the matched function call; None without one."""
    found = match.groupdict()
    if found.get("cast"):
        return "a selector has no casts: a property has the type that it was sent with", found["cast"]
    if found.get("present"):
        negated = bool(found["no"]) ^ (found["present"].upper().replace("_", "") in _MISSING)
        written = f"{found['of']} IS {'' if negated else 'NOT '}NULL"
        return "a selector has operators in the place of functions", written
    test = _TESTS.get(found["test"].upper().replace("_", ""))
    behind = test and test(found["text"][1:-1].replace("''", "'"))
    kind = "functions" if match.re is _FORMS[1] else "methods"
    return (f"a selector has operators in the place of {kind}", f"{found['name']} {behind}") if behind else None
