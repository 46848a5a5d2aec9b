"""Emit LIKE patterns and topic patterns as SQL text."""

from __future__ import annotations

from itertools import takewhile

from transpiler.base.comparison import Comparison
from transpiler.base.text_pattern import Pattern, Wildcard
from transpiler.base.topics import MANY_WORDS, SEPARATOR, AnyWord, TopicPattern
from transpiler.compiler.ir.java_regex import regular_expression, topic_expression
from transpiler.compiler.sql.precedence import AND, NOT, PRIMARY, TEST, Text
from transpiler.compiler.sql.quoting import quote_text


def like_text(inner: str, operand: str, pattern: Pattern, negated: bool, collation: str = "") -> Text:
    """Return the cheapest SQL for a LIKE pattern, if possible a test that is pushed down to a file reader.

    ``inner`` is the SQL of the string as a function argument, ``operand`` as an operand of a comparison.
    """
    match pattern:
        case () | (str(),):
            literal = quote_text(str(pattern[0]) if pattern else "")
            operator = Comparison.NE if negated else Comparison.EQ
            return f"{operand} {operator.value} {literal}{collation}", TEST
        case (str() as prefix, Wildcard.ANY):
            test = f"startswith({inner}, {quote_text(prefix)}{collation})"
        case (Wildcard.ANY, str() as suffix):
            test = f"endswith({inner}, {quote_text(suffix)}{collation})"
        case (Wildcard.ANY, str() as middle, Wildcard.ANY):
            test = f"contains({inner}, {quote_text(middle)}{collation})"
        case _:
            return _long_pattern(inner, pattern, negated, collation)
    return (f"NOT {test}", NOT) if negated else (test, PRIMARY)


def _long_pattern(inner: str, pattern: Pattern, negated: bool, collation: str) -> Text:
    ones = sum(part is Wildcard.ONE for part in pattern)
    anys = sum(part is Wildcard.ANY for part in pattern)
    if ones + anys == len(pattern):
        # A LIKE pattern of only wildcards tests the number of code points in the text: one for each ``_``, and any
        # number for ``%``.
        operator = Comparison.GE if anys else Comparison.EQ
        return f"length({inner}) {(operator.negated if negated else operator).value} {ones}", TEST
    tests = []
    if isinstance(pattern[0], str):
        tests.append(f"startswith({inner}, {quote_text(pattern[0])}{collation})")
    match pattern:
        case (str() as prefix, Wildcard.ANY, str() as suffix):
            tests.append(f"endswith({inner}, {quote_text(suffix)}{collation})")
            tests.append(f"length({inner}) >= {len(prefix) + len(suffix)}")
        case _:
            tests.append(f"rlike({inner}{collation}, {quote_text(regular_expression(pattern))})")
    joined = " AND ".join(tests)
    if negated:
        return f"NOT {tests[0] if len(tests) == 1 else f'({joined})'}", NOT
    return joined, AND if len(tests) > 1 else PRIMARY


def topic_text(inner: str, pattern: TopicPattern, negated: bool, collation: str = "") -> Text:
    """Return the SQL for a topic pattern: a regular expression, preceded by a test of the literal prefix if any."""
    tests = [f"rlike({inner}{collation}, {quote_text(topic_expression(pattern))})"]
    prefix = [*takewhile(lambda word: not isinstance(word, AnyWord), pattern)]
    if prefix and any(word != MANY_WORDS for word in pattern[len(prefix) :]):
        # This test is pushed down to a file reader, and makes the regular expression unnecessary for most rows.
        tests.insert(0, f"startswith({inner}, {quote_text(SEPARATOR.join(map(str, prefix)) + SEPARATOR)}{collation})")
    joined = " AND ".join(tests)
    if negated:
        return f"NOT {tests[0] if len(tests) == 1 else f'({joined})'}", NOT
    return joined, AND if len(tests) > 1 else PRIMARY
